//! Run states of the OpenAI Agents SDK: a snapshot of a run that waits (`FORMATS.md` 12).

use super::Framing;
use super::log::{
    Adapter, Blocks, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, first, first_text, form, items,
    model_usage, text, text_of,
};
use crate::json::Value;
use crate::model::{StepRole, ToolCall, ToolResult, Turn, TurnPart};
use crate::state::Op;
use std::borrow::Cow;
use std::collections::HashSet;

/// Run states.
pub(super) static OPENAI_AGENTS: Row = Row {
    name: "openai-agents",
    title: "OpenAI Agents run state",
    about: "Run states of the OpenAI Agents SDK: an object with `$schemaVersion` and `generated_items` or \
            `session_items`, a snapshot of a run. State: the context, the agent, the step that comes next. A \
            database of its sessions (`SQLiteSession`) opens as messages, a session each.",
    framing: Framing::LogText,
    run: || Box::new(LogRun::new(Snapshot)),
    samples: &[STATE],
    ..Row::BASE
};

/// A run that waits for an approval.
const STATE: &str = concat!(
    r#"{"$schemaVersion":"1.13","current_turn":1,"current_agent":{"name":"clerk"},"#,
    r#""original_input":"close it","context":{"approvals":{},"context":{"account":7},"#,
    r#""usage":{"input_tokens":9,"output_tokens":4}},"model_responses":[],"generated_items":["#,
    "\n",
    r#"{"type":"tool_call_item","agent":{"name":"clerk"},"raw_item":{"type":"function_call","call_id":"c1","#,
    r#""name":"close","arguments":"{\"id\":7}"}},"#,
    "\n",
    r#"{"type":"tool_approval_item","agent":{"name":"clerk"},"raw_item":{"type":"function_call","#,
    r#""call_id":"c1","name":"close","arguments":"{\"id\":7}"}}]}"#,
);

/// An input that is a text.
const INPUT: Form = FIRST_ADAPTER_FORM;
/// Items of the Responses API: words, reasoning, a call, an output.
const RESPONSE_ITEM: Form = FIRST_ADAPTER_FORM + 1;
const THOUGHT: Form = FIRST_ADAPTER_FORM + 2;
const CALL: Form = FIRST_ADAPTER_FORM + 3;
const OUTPUT: Form = FIRST_ADAPTER_FORM + 4;

/// Reads a run state.
struct Snapshot;

impl Adapter for Snapshot {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let agent = first(record, &["current_agent", "currentAgent"]).and_then(|agent| text(agent, "name"));
        if let Some(title) = agent {
            log.title(title);
        }
        let input = first(record, &["original_input", "originalInput"]);
        if let Some(input) = input {
            original(input, log);
        }
        // The items of the session hold those of this run too.
        let lists = ["session_items", "sessionItems", "generated_items", "generatedItems"];
        let list = lists.iter().map(|key| items(record, key)).find(|list| !list.is_empty());
        // An item of the input may be one of the session too.
        let given: HashSet<&str> = input.and_then(Value::as_array).unwrap_or_default().iter().filter_map(id).collect();
        let is_given = |item: &&Value<'_>| id(raw(item)).is_some_and(|id| given.contains(id));
        list.unwrap_or_default().iter().filter(|item| !is_given(item)).for_each(|item| add_steps(item, log));
        if let Some(context) = record.get("context") {
            log.write("context", "main", &[], Op::Update, context);
            if let Some(usage) = context.get("usage") {
                log.usage(None, &model_usage(usage));
            }
        }
        // As the SDK of Python writes them, and as that of JavaScript does.
        let slots = [
            ("current_agent", "currentAgent"),
            ("current_turn", "currentTurn"),
            ("current_step", "currentStep"),
            ("conversation_id", "conversationId"),
            ("previous_response_id", "previousResponseId"),
        ];
        for (slot, other) in slots {
            if let Some(value) = record.get(slot).or_else(|| record.get(other)) {
                log.write("session", "main", &[slot], Op::Update, value);
            }
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        let raw = raw(value);
        match form {
            INPUT => Turn::of(StepRole::User, vec![TurnPart::Text(text_of(value))]),
            RESPONSE_ITEM => Turn::of(StepRole::Agent, vec![TurnPart::Text(words(raw, "content"))]),
            THOUGHT => {
                let summary = Some(words(raw, "summary")).filter(|text| !text.is_empty());
                Turn::of(StepRole::Agent, vec![TurnPart::Thought(summary.unwrap_or_else(|| words(raw, "content")))])
            }
            CALL => {
                let class = text(raw, "type").unwrap_or("call");
                let call = ToolCall {
                    id: first_text(raw, &["call_id", "callId", "id"]).map(Cow::Borrowed),
                    name: text(raw, "name").unwrap_or(class.strip_suffix("_call").unwrap_or(class)).into(),
                    arguments: first(raw, &["arguments", "input", "action", "operation"])
                        .map_or(Cow::Borrowed("{}"), |arguments| Cow::Borrowed(arguments.text)),
                };
                Turn::of(StepRole::Agent, vec![TurnPart::Call(call)])
            }
            OUTPUT => {
                let output = first(value, &["output"]).or_else(|| raw.get("output"));
                let result = ToolResult {
                    id: first_text(raw, &["call_id", "callId"]).map(Cow::Borrowed),
                    text: output.map(text_of).unwrap_or_default(),
                    ..ToolResult::default()
                };
                Turn::of(StepRole::Environment, vec![TurnPart::Result(result)])
            }
            _ => super::log::show(form, values),
        }
    }
}

/// What the model's interface gave, inside an item of the SDK.
fn raw<'v, 'a>(item: &'v Value<'a>) -> &'v Value<'a> {
    first(item, &["raw_item", "rawItem"]).unwrap_or(item)
}

/// The id of an item, as the model's interface gave it.
fn id<'v>(item: &'v Value<'_>) -> Option<&'v str> {
    text(item, "id").filter(|id| !id.is_empty())
}

/// The texts of a list of parts.
fn words<'v>(raw: &'v Value<'v>, key: &str) -> Cow<'v, str> {
    let parts = items(raw, key).iter();
    let texts: Vec<&str> = parts.filter_map(|part| first_text(part, &["text", "refusal"])).collect();
    match (texts.as_slice(), raw.get(key).and_then(Value::as_str)) {
        (_, Some(text)) => Cow::Borrowed(text),
        ([one], None) => Cow::Borrowed(one),
        (texts, None) => Cow::Owned(texts.join("\n")),
    }
}

/// What the run was started with: a text, or items of a conversation.
fn original(input: &Value<'_>, log: &mut Log<'_>) {
    let Some(list) = input.as_array() else {
        let values = [input];
        log.step(&Draft { role: StepRole::User, class: Some("input"), ..Draft::of(Kind::Message, INPUT, &values) });
        return;
    };
    for item in list {
        match item.get("role") {
            Some(_) => {
                Blocks { class: Some("input"), ..Blocks::of(item) }.add_steps(log);
            }
            None => add_steps(item, log),
        }
    }
}

/// An item of the run; a bare one is what others have in `raw_item`.
fn add_steps(item: &Value<'_>, log: &mut Log<'_>) {
    let class = text(item, "type").unwrap_or("item");
    let (kind, form, role) = match class {
        "message_output_item" | "message" => (Kind::Message, RESPONSE_ITEM, StepRole::Agent),
        "reasoning_item" | "reasoning" => (Kind::Thought, THOUGHT, StepRole::Agent),
        "tool_call_item" | "handoff_call_item" | "tool_search_call_item" => (Kind::Call, CALL, StepRole::Agent),
        "tool_call_output_item" | "handoff_output_item" | "tool_search_output_item" | "tool_search_output" => {
            (Kind::Result, OUTPUT, StepRole::Environment)
        }
        class if class.ends_with("_call") => (Kind::Call, CALL, StepRole::Agent),
        class if class.ends_with("_call_output") || class.ends_with("_call_result") => {
            (Kind::Result, OUTPUT, StepRole::Environment)
        }
        _ => (Kind::State, form::STATE, StepRole::System),
    };
    let values = [item];
    log.step(&Draft { role, class: Some(class), ..Draft::of(kind, form, &values) });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::log::testing::{run_of_record, state, steps};

    #[test]
    fn items_are_steps_and_the_context_is_state() {
        let parsed = run_of_record(&OPENAI_AGENTS, STATE);
        assert_eq!(steps(&parsed)[..2], ["message user: close it", r"tool-call agent: close id=7"]);
        assert!(steps(&parsed)[2].starts_with("state system"), "{:?}", steps(&parsed));
        assert!(state(&parsed, "context", 2).contains(r#""context":{"account":7}"#));
        let done = STATE.replace("tool_approval_item", "tool_call_output_item");
        assert_eq!(
            run_of_record(&OPENAI_AGENTS, &done).0.step(2, &run_of_record(&OPENAI_AGENTS, &done).1).answers,
            Some(1)
        );
    }

    #[test]
    fn states_of_the_sdk_of_javascript_are_read_alike() {
        let text = concat!(
            r#"{"$schemaVersion":"1.0","currentTurn":2,"currentAgent":{"name":"clerk"},"originalInput":["#,
            r#"{"role":"user","content":[{"type":"input_text","text":"close it"}]}],"generatedItems":["#,
            r#"{"type":"reasoning_item","rawItem":{"type":"reasoning","content":[{"type":"input_text","#,
            r#""text":"hm"}]}},"#,
            r#"{"type":"tool_call_item","rawItem":{"type":"function_call","callId":"c","name":"f","arguments":"{}"}},"#,
            r#"{"type":"tool_call_output_item","rawItem":{"type":"function_call_result","callId":"c","name":"f","#,
            r#""output":{"type":"text","text":"done"}},"output":"done"}],"#,
            r#""context":{"context":{},"usage":{"inputTokens":9,"outputTokens":4}}}"#,
        );
        let parsed = run_of_record(&OPENAI_AGENTS, text);
        let expected = [
            "message user: close it",
            "thought agent: hm",
            "tool-call agent: f",
            "tool-result environment: done (of 2)",
        ];
        assert_eq!(steps(&parsed), expected);
        assert_eq!(state(&parsed, "usage", 3), r#"{"main":{"input":9,"output":4,"turns":1}}"#);
        assert!(state(&parsed, "session", 3).contains(r#""current_turn":2"#));
    }
}
