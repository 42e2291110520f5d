//! Lines that are chat messages themselves: a file is one conversation, each message a step (`FORMATS.md` 8).

use super::log::{
    Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, call, first_text, form, model_usage, result, role_of,
};
use super::{Format, Framing, Layout, Match, Run, signature};
use crate::json::Value;
use crate::model::{StepRole, Surroundings, Turn, TurnPart, Usage};
use crate::rules::trajectory::blocks::{Block, REASONING, block, item, turn_part, turn_parts};
use crate::rules::trajectory::is_exchange;
use std::borrow::Cow;

/// The format, as a row of `messages`.
pub(super) struct MessageLines;

/// A conversation with a call.
const LINES: &str = concat!(
    r#"{"role":"user","content":"list it","timestamp":"2026-05-01T10:00:00"}"#,
    "\n",
    r#"{"role":"assistant","content":"I look.","tool_calls":[{"id":"c1","function":{"name":"ls","arguments":"{}"}}]}"#,
    "\n",
    r#"{"role":"tool","tool_call_id":"c1","content":"a.txt"}"#,
    "\n",
);

impl Format for MessageLines {
    fn name(&self) -> &'static str {
        "messages"
    }

    fn title(&self) -> &'static str {
        "Message lines"
    }

    fn about(&self) -> &'static str {
        "JSON Lines that are chat messages themselves, as gptme, Vibe and Goose write them, and Kimi its context: a \
         file is one conversation, each message a step with its calls and results. Most of the first lines must be \
         messages with a `role`, or the first, if items of OpenAI's Responses interface follow."
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        let has_role = |record: &Value<'_>| record.get("role").is_some_and(|role| role.as_str().is_some());
        let is_message = |record: &&Value<'_>| has_role(record) || item(record).is_some();
        // What the Messages interface answers is a message that may be alone.
        let is_alone = matches!(first, [only] if has_role(only) && is_exchange(only));
        let are_messages = first.len() > 1 && first.iter().filter(is_message).count() * 2 >= first.len();
        signature::detect(self.name(), first).filter(|_| are_messages || is_alone)
    }

    fn framing(&self) -> Framing {
        Framing::LogText
    }

    fn layout(&self) -> Layout {
        Layout::Run
    }

    fn run(&self) -> Box<dyn Run> {
        Box::new(LogRun::new(Lines))
    }

    fn samples(&self) -> &'static [&'static str] {
        &[LINES]
    }
}

/// Form: a whole message, its calls and results with it.
const WHOLE_MESSAGE: Form = FIRST_ADAPTER_FORM;

fn text<'v>(value: &'v Value<'_>, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// Reads the messages.
struct Lines;

impl Adapter for Lines {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let metadata = record.get("metadata");
        let member = |key: &str| record.get(key).or_else(|| metadata?.get(key));
        let model = member("model").and_then(Value::as_str).map(Cow::Borrowed);
        let time = ["timestamp", "created_at", "created", "time"].iter().find_map(|key| record.get(key));
        let values = [record];
        if is_note(record) {
            return note(record, time, log);
        }
        log.surroundings(&Surroundings { model, ..Surroundings::default() });
        // gptme has the cost beside the tokens.
        let cost = metadata.and_then(|data| data.get("cost")?.as_number()?.parse().ok());
        let usage = member("usage").map(model_usage).map(|usage| Usage { cost: usage.cost.or(cost), ..usage });
        let is_injected = record.get("hide").and_then(Value::as_bool) == Some(true);
        log.step(&Draft {
            class: text(record, "role").or_else(|| text(record, "type")),
            time,
            tokens: usage.as_ref().and_then(|usage| usage.output),
            is_injected,
            ..Draft::of(Kind::Message, WHOLE_MESSAGE, &values)
        });
        if let Some(usage) = usage {
            log.usage(None, &usage);
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match (form, values.first()) {
            (WHOLE_MESSAGE, Some(message)) => message_turn(message),
            _ => super::log::show(form, values),
        }
    }
}

/// Whether a line says something of the conversation and is no message: Goose has one first, Kimi some between, whose
/// roles begin with `_`.
fn is_note(record: &Value<'_>) -> bool {
    let members = ["content", "tool_calls", "function_call", "tool_call_id"];
    let is_message = members.iter().any(|key| record.get(key).is_some());
    !is_message && text(record, "role").is_none_or(|role| role.starts_with('_')) && item(record).is_none()
}

fn note(record: &Value<'_>, time: Option<&Value<'_>>, log: &mut Log<'_>) {
    if let Some(title) = first_text(record, &["description", "title"]).filter(|title| !title.is_empty()) {
        log.title(title);
    }
    let cwd = first_text(record, &["working_dir", "cwd"]).map(Cow::Borrowed);
    let (class, values) = (first_text(record, &["type", "role"]).or(Some("record")), [record]);
    log.surroundings(&Surroundings { cwd, ..Surroundings::default() });
    log.step(&Draft { role: StepRole::System, class, time, ..Draft::of(Kind::State, form::STATE, &values) });
}

/// All that a message says: thoughts, words, calls, results.
fn message_turn<'v>(message: &'v Value<'v>) -> Turn<'v> {
    if let Some(found) = item(message) {
        let role = if found == Block::Result { StepRole::Environment } else { StepRole::Agent };
        return Turn::of(role, turn_parts(message).unwrap_or_default());
    }
    let speaker = |word: &str| if word.starts_with('_') { StepRole::System } else { role_of(word) };
    let role = text(message, "role").map_or(StepRole::Unknown, speaker);
    if role == StepRole::Environment {
        return Turn::of(role, vec![TurnPart::Result(result(message))]);
    }
    let thought = REASONING.iter().find_map(|key| text(message, key));
    let thought = thought.filter(|thought| !thought.is_empty()).map(|thought| TurnPart::Thought(thought.into()));
    let blocks = message.get("content").and_then(Value::as_array).unwrap_or_default();
    let thoughts = blocks.iter().filter(|part| block(part) == Block::Thought).filter_map(turn_part);
    let of_blocks = blocks.iter().filter_map(|part| match block(part) {
        Block::Call => Some(TurnPart::Call(call(part))),
        Block::Result => Some(TurnPart::Result(result(part))),
        Block::Text | Block::Thought | Block::Tools | Block::File => None,
    });
    let listed = message.get("tool_calls").and_then(Value::as_array).unwrap_or_default();
    let single = message.get("function_call").filter(|call| call.as_object().is_some());
    let calls = listed.iter().chain(single).map(|value| TurnPart::Call(call(value)));
    let shown_parts = super::log::show(form::MESSAGE, &[message]).parts;
    Turn::of(role, thought.into_iter().chain(thoughts).chain(shown_parts).chain(of_blocks).chain(calls).collect())
}

#[cfg(test)]
mod tests {
    use super::super::log::testing::adapted;
    use super::super::log::tests::{damage, report_of};
    use super::*;
    use crate::json::parse;

    #[test]
    fn thoughts_among_the_parts_of_a_message_are_shown() {
        let text = concat!(
            r#"{"role":"user","content":"hi"}"#,
            "\n",
            r#"{"role":"assistant","content":[{"type":"thinking","thinking":"a greeting"},"#,
            r#"{"type":"text","text":"hello"}]}"#,
            "\n",
        );
        let value = text.lines().nth(1).map(|line| parse(line).unwrap()).unwrap();
        let parts = message_turn(&value).parts;
        assert_eq!(parts[0], TurnPart::Thought("a greeting".into()));
        assert_eq!((parts.len(), &parts[1]), (2, &TurnPart::Text("hello".into())));
        assert_eq!(report_of(MessageLines.run(), &MessageLines, text).kinds, ["message"; 2]);
    }

    #[test]
    fn a_line_that_is_no_message_is_a_state_and_says_where_the_agent_works() {
        let run = report_of(
            MessageLines.run(),
            &MessageLines,
            concat!(
                r#"{"working_dir":"/w","description":"List","message_count":3}"#,
                "\n",
                r#"{"id":"m1","role":"user","created":1746000000,"content":[{"type":"text","text":"list it"}]}"#,
                "\n",
                r#"{"role":"_usage","token_count":9}"#,
                "\n",
                r#"{"role":"_system_prompt","content":"You help."}"#,
                "\n",
                r#"{"id":"m2","role":"assistant","created":1746000001,"content":[{"type":"toolRequest","id":"t1","#,
                r#""toolCall":{"status":"success","value":{"name":"developer__shell","arguments":{}}}}]}"#,
                "\n",
                r#"{"id":"m3","role":"user","created":1746000002,"content":[{"type":"toolResponse","id":"t1","#,
                r#""toolResult":{"status":"error","error":"no such file"}}]}"#,
                "\n",
            ),
        );
        assert_eq!(run.kinds, ["state", "message", "state", "message", "message", "message"]);
        assert_eq!(run.roles[..4], ["system", "user", "system", "system"]);
        assert_eq!((run.tools[4].as_str(), run.answers[5]), ("developer__shell", Some(4)));
    }

    #[test]
    fn each_message_is_a_step_with_its_calls_and_results() {
        let report = report_of(MessageLines.run(), &MessageLines, LINES);
        assert_eq!(report.kinds, ["message"; 3]);
        assert_eq!(report.roles, ["user", "agent", "environment"]);
        assert_eq!((report.answers[2], report.tools[1].as_str()), (Some(1), "ls"));
        assert!(report.summaries[1].starts_with("I look."), "{:?}", report.summaries);
    }

    #[test]
    fn the_cost_of_an_answer_may_be_beside_its_tokens() {
        let usage = r#""metadata":{"usage":{"input_tokens":3,"output_tokens":2,"cache_read_tokens":7},"cost":0.25}"#;
        let line = format!(r#"{{"role":"assistant","content":"hi",{usage}}}"#);
        let run = adapted(Lines, &line);
        let total = run.work().map(|work| work.total_usage()).unwrap_or_default();
        assert_eq!((total.input, total.cache_read, total.cost), (Some(3), Some(7), Some(0.25)));
    }

    #[test]
    fn items_between_messages_are_steps() {
        let lines = r#"{"role":"user","content":"list it"}
{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"hm"}]}
{"type":"function_call","call_id":"c","name":"ls","arguments":"{}"}
{"type":"function_call_output","call_id":"c","output":"a.txt"}
{"type":"web_search_call","id":"w","action":{"type":"search","query":"q"}}
"#;
        let report = report_of(MessageLines.run(), &MessageLines, lines);
        assert_eq!(report.roles, ["user", "agent", "agent", "environment", "agent"]);
        assert_eq!((report.answers[3], report.tools[4].as_str()), (Some(2), "web_search"));
        let values: Vec<_> = lines.lines().map(|line| parse(line).unwrap()).collect();
        assert!(MessageLines.detect(&values).is_some() && MessageLines.detect(&values[1..]).is_none());
    }

    #[test]
    fn damaged_lines_never_panic() {
        damage(&MessageLines, &[LINES]);
    }
}
