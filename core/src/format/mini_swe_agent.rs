//! Trajectories of mini-swe-agent: one document with chat messages or items of the Responses API (`FORMATS.md` 10).

use super::log::{
    Adapter, Blocks, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, form, model_usage, text_of,
};
use super::{Framing, signature};
use crate::json::{self, Value};
use crate::model::{StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage};
use crate::rules::work::{Dialect, fenced_command};
use crate::state::Op;
use std::borrow::Cow;

/// The format.
pub(super) static MINI_SWE_AGENT: Row = Row {
    name: "mini-swe-agent",
    agent: Some("mini-swe-agent"),
    title: "mini-swe-agent trajectory",
    about: "Trajectories of mini-swe-agent: one document with `messages` and a version of the agent. Commands are tool \
            calls, or the `extra.actions` of a message. State: exit status, submission, model figures.",
    framing: Framing::LogText,
    run: || Box::new(LogRun::new(Messages)),
    detect: Some(|first| signature::detect("mini-swe-agent", first)),
    samples: &[TRAJECTORY],
    ..Row::BASE
};

/// A command and its end.
const TRAJECTORY: &str = r#"{"info":{"mini_version":"2.0","exit_status":"Submitted",
    "model_stats":{"instance_cost":0.5}},
"messages":[{"role":"system","content":"You fix."},{"role":"user","content":"Fix it."},
    {"role":"assistant","content":"I look.","extra":{"actions":[{"command":"ls"}],"cost":0.5,"timestamp":10.5}},
    {"role":"user","content":"<returncode>0</returncode>\n<output>\na.py\n</output>","extra":{"returncode":0}},
    {"role":"exit","content":"done","extra":{"exit_status":"Submitted","submission":"diff"}}],
"trajectory_format":"mini-swe-agent-1.1"}"#;

/// Forms: a command of `extra.actions`, a message that is its result, an item that says what it is by its type.
const COMMAND: Form = FIRST_ADAPTER_FORM;
const RESULT: Form = FIRST_ADAPTER_FORM + 1;
const ITEM: Form = FIRST_ADAPTER_FORM + 2;

/// What begins the answer to a fenced command.
const RETURNCODE: &str = "<returncode>";

fn text<'v>(value: &'v Value<'v>, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

fn extra<'v, 'a>(message: &'v Value<'a>, key: &str) -> Option<&'v Value<'a>> {
    message.get("extra")?.get(key)
}

/// Reads the document.
struct Messages;

impl Adapter for Messages {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let info = record.get("info");
        let config = |part: &str, key: &str| text(info?.get("config")?.get(part)?, key).map(Cow::Borrowed);
        let cwd = config("environment", "cwd");
        let model = config("model", "model_name");
        log.surroundings_ahead(&Surroundings { cwd, model, ..Surroundings::default() });
        let messages = record.get("messages").and_then(Value::as_array).unwrap_or_default();
        let mut is_answer = false;
        for (place, message) in messages.iter().enumerate() {
            let is_fenced = messages.get(place + 1).is_some_and(|next| is_fenced(message, next));
            read_message(message, is_fenced, is_answer, log);
            is_answer = is_fenced;
        }
        // Before 1.1 the cost is given for the run alone.
        let of_run = info.and_then(|info| info.get("model_stats")?.get("instance_cost")?.as_number()?.parse().ok());
        let has_cost = |message: &Value<'_>| {
            let of_usage = || extra(message, "response").unwrap_or(message).get("usage")?.get("cost");
            extra(message, "cost").or_else(of_usage).is_some()
        };
        if let Some(cost) = of_run.filter(|_| !messages.iter().any(has_cost)) {
            log.cost(cost);
        }
        log.facts().finish = info.and_then(|info| text(info, "exit_status")).map(str::to_owned);
        for slot in ["exit_status", "submission", "model_stats", "mini_version"] {
            if let Some(value) = info.and_then(|info| info.get(slot)).filter(|value| !value.is_null()) {
                log.write("session", "main", &[slot], Op::Update, value);
            }
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect::MiniSweAgent
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match (form, values.first()) {
            (COMMAND, Some(action)) => {
                let id = text(action, "tool_call_id").map(Cow::Borrowed);
                let call = ToolCall { id, name: "bash".into(), arguments: Cow::Borrowed(action.text) };
                Turn::of(StepRole::Agent, vec![TurnPart::Call(call)])
            }
            (RESULT, Some(message)) => Turn::of(StepRole::Environment, vec![TurnPart::Result(result(message))]),
            (ITEM, Some(item)) => show_item(item),
            _ => super::log::show(form, values),
        }
    }
}

/// Whether a message is one of version 1 whose fenced command the next message answers.
fn is_fenced(message: &Value<'_>, next: &Value<'_>) -> bool {
    let is_empty = |list: Option<&Value<'_>>| list.and_then(Value::as_array).unwrap_or_default().is_empty();
    let begins = |text: &str| text.trim_start().starts_with(RETURNCODE);
    text(message, "role") == Some("assistant")
        && text(next, "role") == Some("user")
        && extra(next, "returncode").is_none()
        && is_empty(message.get("tool_calls"))
        && is_empty(extra(message, "actions"))
        && message.get("content").is_some_and(|content| fenced_command(&text_of(content)).is_some())
        && next.get("content").is_some_and(|content| begins(&text_of(content)))
}

fn read_message(message: &Value<'_>, is_fenced: bool, is_answer: bool, log: &mut Log<'_>) {
    let of_response = extra(message, "response").and_then(|response| text(response, "model"));
    log.surroundings(&Surroundings { model: of_response.map(Cow::Borrowed), ..Surroundings::default() });
    if let Some(items) = message.get("output").and_then(Value::as_array) {
        items.iter().for_each(|item| read_item(item, message, log));
    } else if message.get("role").is_none() {
        read_item(message, message, log);
    } else {
        read_chat(message, log);
    }
    if is_answer {
        log.effects(&Turn::of(StepRole::Environment, vec![TurnPart::Result(result(message))]));
    }
    if is_fenced {
        log.effects(&Turn::of(StepRole::Agent, command(message).into_iter().collect()));
    }
    // An answer of the Responses interface is the message itself.
    let response = extra(message, "response").unwrap_or(message);
    let cost = extra(message, "cost").and_then(Value::as_number).and_then(|n| n.parse().ok());
    let usage = response.get("usage").map(model_usage).unwrap_or_default();
    let usage = Usage { cost: cost.or(usage.cost), ..usage };
    if usage != Usage::default() {
        log.usage(None, &usage);
    }
}

/// W2: the fenced command of a message of version 1. It has the effects of a call, and counts as none.
fn command(message: &Value<'_>) -> Option<TurnPart<'static>> {
    let content = text_of(message.get("content")?);
    let arguments = format!("{{\"command\":{}}}", json::quote(fenced_command(&content)?));
    Some(TurnPart::Call(ToolCall { id: None, name: "bash".into(), arguments: arguments.into() }))
}

/// A chat message; the commands of `extra.actions` are its calls where it lists none.
fn read_chat(message: &Value<'_>, log: &mut Log<'_>) {
    let role = text(message, "role").unwrap_or_default();
    let time = extra(message, "timestamp");
    let is_result = role == "tool" || (role == "user" && extra(message, "returncode").is_some());
    if is_result || role == "exit" {
        let (kind, form, speaker) = if is_result {
            (Kind::Result, RESULT, StepRole::Environment)
        } else {
            (Kind::Message, form::MESSAGE, StepRole::System)
        };
        let values = [message];
        log.step(&Draft { role: speaker, class: Some(role), time, ..Draft::of(kind, form, &values) });
        if !is_result {
            log.aside();
        }
        for slot in ["exit_status", "submission"] {
            if let Some(value) = extra(message, slot).filter(|_| !is_result) {
                log.write("session", "main", &[slot], Op::Update, value);
            }
        }
        return;
    }
    Blocks { class: Some(role), time, ..Blocks::of(message) }.add_steps(log);
    let has_calls = message.get("tool_calls").and_then(Value::as_array).is_some_and(|calls| !calls.is_empty());
    if role == "assistant" && !has_calls {
        commands(message, time, log);
    }
}

/// The commands of a message that are no tool calls.
fn commands(message: &Value<'_>, time: Option<&Value<'_>>, log: &mut Log<'_>) {
    for action in extra(message, "actions").and_then(Value::as_array).unwrap_or_default() {
        let values = [action];
        log.step(&Draft { role: StepRole::Agent, time, ..Draft::of(Kind::Call, COMMAND, &values) });
        if action.get("tool_call_id").is_none() {
            log.in_words();
        }
    }
}

/// An item of the Responses API.
fn read_item(item: &Value<'_>, holder: &Value<'_>, log: &mut Log<'_>) {
    let class = text(item, "type");
    let (kind, form, role) = match class.unwrap_or_default() {
        "function_call" => (Kind::Call, form::CALL, StepRole::Agent),
        "function_call_output" => (Kind::Result, RESULT, StepRole::Environment),
        "reasoning" => (Kind::Thought, form::THOUGHT, StepRole::Agent),
        "message" => (Kind::Message, ITEM, StepRole::Unknown),
        _ => (Kind::State, form::STATE, StepRole::Unknown),
    };
    let values = [item];
    log.step(&Draft { role, class, time: extra(holder, "timestamp"), ..Draft::of(kind, form, &values) });
}

fn show_item<'v>(item: &'v Value<'v>) -> Turn<'v> {
    let role = text(item, "role").map_or(StepRole::Agent, super::log::role_of);
    Turn::of(role, vec![TurnPart::Text(item.get("content").map(text_of).unwrap_or_default())])
}

fn result<'v>(message: &'v Value<'v>) -> ToolResult<'v> {
    let content = ["content", "output"].iter().find_map(|key| message.get(key));
    let id = text(message, "tool_call_id").or_else(|| text(message, "call_id"));
    let exit = extra(message, "returncode").and_then(Value::as_number).and_then(|n| n.parse().ok());
    // A command that ran out of time has the status -1, which the rule for exits explains better than a fault.
    let fault = extra(message, "exception_info").and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    let fault = fault && exit != Some(-1);
    ToolResult {
        id: id.map(Cow::Borrowed),
        text: content.map(text_of).unwrap_or_default(),
        exit,
        is_error: fault.then_some(true),
        ..ToolResult::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::log::tests::{damage, report_of};
    use super::*;
    use crate::format::Format;

    #[test]
    fn commands_of_a_message_are_calls_and_what_came_back_their_results() {
        let report = report_of(MINI_SWE_AGENT.run(), &MINI_SWE_AGENT, TRAJECTORY);
        assert_eq!(report.kinds, ["message", "message", "message", "tool-call", "tool-result", "message"]);
        assert_eq!(report.answers[4], Some(3));
        assert_eq!(report.tools[3], "bash");
        assert_eq!(report.value("/shell/main/exit"), "0");
        assert_eq!(report.value("/session/main/submission"), "\"diff\"");
        assert_eq!(report.value("/usage/main/cost"), "0.5");
    }

    /// W4.3: an exit of -1 is a command without exit, whatever is said beside it.
    #[test]
    fn a_command_that_ran_out_of_time_has_no_exit() {
        let verdict = |extra: &str| {
            let call = r#"{"id":"c","function":{"name":"bash","arguments":"{}"}}"#;
            let text = format!(
                r#"{{"info":{{"mini_version":"2"}},"messages":[
                {{"role":"assistant","content":"x","tool_calls":[{call}]}},
                {{"role":"tool","tool_call_id":"c","content":"a","extra":{{{extra}}}}}]}}"#
            );
            report_of(MINI_SWE_AGENT.run(), &MINI_SWE_AGENT, &text).errors
        };
        assert_eq!(verdict(r#""returncode":-1,"exception_info":"TimeoutExpired""#), [0; 0]);
        assert_eq!(verdict(r#""returncode":1,"exception_info":"x""#), [2]);
        assert_eq!(verdict(r#""exception_info":"x""#), [2]);
    }

    #[test]
    fn tool_calls_and_items_of_responses() {
        let text = r#"{"info":{"mini_version":"2"},"messages":[
            {"role":"assistant","content":"x","tool_calls":[{"id":"c","function":{"name":"bash","arguments":"{}"}}],
             "extra":{"actions":[{"command":"ls","tool_call_id":"c"}]}},
            {"role":"tool","tool_call_id":"c","content":"a","extra":{"returncode":2}},
            {"object":"response","output":[{"type":"reasoning","summary":[{"text":"so"}]},
                {"type":"message","role":"assistant","content":[{"type":"output_text","text":"now"}]},
                {"type":"function_call","name":"bash","arguments":"{\"command\":\"ls\"}","call_id":"d"}]},
            {"type":"function_call_output","call_id":"d","output":"b"}]}"#;
        let report = report_of(MINI_SWE_AGENT.run(), &MINI_SWE_AGENT, text);
        let kinds = ["message", "tool-call", "tool-result", "thought", "message", "tool-call", "tool-result"];
        assert_eq!(report.kinds, kinds);
        assert_eq!((report.answers[2], report.answers[6]), (Some(1), Some(5)));
        assert_eq!((report.errors.as_slice(), report.summaries[4].as_str()), (&[2][..], "now"));
    }

    #[test]
    fn fenced_commands_of_version_1_have_their_effects_and_are_no_calls() {
        let text = r#"{"info":{"mini_version":"1.9"},"trajectory_format":"mini-swe-agent-1","messages":[
            {"role":"user","content":"Do it."},
            {"role":"assistant","content":"So.\n\n```bash\ncat a.txt\n```",
             "extra":{"response":{"model":"m","usage":{"prompt_tokens":3,"completion_tokens":2}}}},
            {"role":"user","content":"<returncode>2</returncode>\n<output>\none\n</output>"},
            {"role":"assistant","content":"```bash\nls\n```"},
            {"role":"user","content":"Go on."}]}"#;
        let report = report_of(MINI_SWE_AGENT.run(), &MINI_SWE_AGENT, text);
        assert_eq!(report.kinds, ["message"; 5]);
        assert_eq!(report.roles, ["user", "agent", "user", "agent", "user"]);
        assert_eq!(
            (report.value("/shell/main/command").as_str(), report.value("/shell/main/exit").as_str()),
            ("\"cat a.txt\"", "2")
        );
        assert_eq!((report.value("/run/main/model").as_str(), report.answers[2]), ("\"m\"", None));
    }

    #[test]
    fn damaged_trajectories_never_panic() {
        damage(&MINI_SWE_AGENT, &[TRAJECTORY]);
    }
}
