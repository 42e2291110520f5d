//! Sessions of Kimi Code and of Kimi CLI before it: what happened in a session, a line each (`wire.jsonl`).

use super::Framing;
use super::log::{
    Adapter, Blocks, Draft, Earlier, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, count, first, first_text, form,
    text, text_of, write_slots,
};
use crate::json::Value;
use crate::model::{StepNo, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage};
use crate::rules::trajectory::blocks::files_of;
use std::borrow::Cow;

/// Sessions of Kimi.
pub(super) static KIMI: Row = Row {
    name: "kimi",
    agent: Some("kimi"),
    title: "Kimi session",
    about: "Sessions of Kimi Code (`wire.jsonl` of an agent, below `~/.kimi-code/sessions`) and of Kimi CLI before it \
            (`~/.kimi/sessions`): JSON Lines of what is added to the context, or of events with a `payload`. What only \
            mirrors these gives no step: prompts, begins and ends of steps, requests. State: the session, the approval \
            mode; files, shell and usage by the rules for tool-using runs.",
    framing: Framing::LogText,
    run: || Box::new(LogRun::new(Wire::default())),
    samples: &[CODE, CLI],
    ..Row::BASE
};

/// A turn with a call that fails.
const CODE: &str = concat!(
    r#"{"type":"metadata","protocol_version":"1.4","created_at":1777629600000}"#,
    "\n",
    r#"{"type":"config.update","modelAlias":"p/m","thinkingEffort":"on","systemPrompt":"You help.","#,
    r#""time":1777629600001}"#,
    "\n",
    r#"{"type":"turn.prompt","input":[{"type":"text","text":"show a"}],"time":1777629600002}"#,
    "\n",
    r#"{"type":"context.append_message","message":{"role":"user","content":[{"type":"text","text":"show a"}],"#,
    r#""toolCalls":[],"origin":{"kind":"user"}},"time":1777629600003}"#,
    "\n",
    r#"{"type":"context.append_loop_event","event":{"type":"content.part","part":{"type":"think","#,
    r#""think":"cat will do"}},"time":1777629600004}"#,
    "\n",
    r#"{"type":"permission.record_approval_result","toolName":"Bash","action":"Running: cat a","#,
    r#""result":{"decision":"approved"},"time":1777629600005}"#,
    "\n",
    r#"{"type":"context.append_loop_event","event":{"type":"tool.call","toolCallId":"c1","name":"Bash","#,
    r#""args":{"command":"cat a"},"display":{"kind":"command","cwd":"/w"}},"time":1777629600006}"#,
    "\n",
    r#"{"type":"context.append_loop_event","event":{"type":"tool.result","toolCallId":"c1","result":{"#,
    r#""output":"cat: a: No such file\nCommand failed with exit code: 1.","isError":true}},"time":1777629600007}"#,
    "\n",
    r#"{"type":"context.append_loop_event","event":{"type":"step.end","messageId":"m1","usage":{"inputOther":9,"#,
    r#""output":4,"inputCacheRead":2,"inputCacheCreation":1}},"time":1777629600008}"#,
    "\n",
    r#"{"type":"usage.record","usage":{"inputOther":9,"output":4},"usageScope":"turn","time":1777629600009}"#,
    "\n",
    r#"{"type":"context.append_loop_event","event":{"type":"content.part","part":{"type":"text","#,
    r#""text":"It is gone."}},"time":1777629600010}"#,
    "\n",
);

/// The same as Kimi CLI writes it; the arguments come in parts.
const CLI: &str = concat!(
    r#"{"type":"metadata","protocol_version":"1.3"}"#,
    "\n",
    r#"{"timestamp":1777629600.5,"message":{"type":"TurnBegin","payload":{"user_input":"show a"}}}"#,
    "\n",
    r#"{"timestamp":1777629601.5,"message":{"type":"StepBegin","payload":{"n":1}}}"#,
    "\n",
    r#"{"timestamp":1777629602.5,"message":{"type":"ContentPart","payload":{"type":"think","think":"cat will do"}}}"#,
    "\n",
    r#"{"timestamp":1777629603.5,"message":{"type":"ToolCall","payload":{"type":"function","id":"c1","function":{"#,
    r#""name":"Shell","arguments":""}}}}"#,
    "\n",
    r#"{"timestamp":1777629603.6,"message":{"type":"ToolCallPart","payload":{"#,
    r#""arguments_part":"{\"command\":\"cat a\"}"}}}"#,
    "\n",
    r#"{"timestamp":1777629604.5,"message":{"type":"ToolResult","payload":{"tool_call_id":"c1","return_value":{"#,
    r#""is_error":false,"output":"x\n","message":"Command executed successfully."}}}}"#,
    "\n",
    r#"{"timestamp":1777629605.5,"message":{"type":"StatusUpdate","payload":{"token_usage":{"input_other":9,"#,
    r#""output":4,"input_cache_read":2,"input_cache_creation":1},"message_id":"m1"}}}"#,
    "\n",
    r#"{"timestamp":1777629606.5,"message":{"type":"ContentPart","payload":{"type":"text","text":"It says x."}}}"#,
    "\n",
);

/// Words of the user, a text or parts.
const PROMPT: Form = FIRST_ADAPTER_FORM;
/// A part of what the model said: words or a file.
const PART: Form = FIRST_ADAPTER_FORM + 1;
/// A call, with what of its arguments came later.
const CALL: Form = FIRST_ADAPTER_FORM + 2;
/// What a tool gave back.
const RESULT: Form = FIRST_ADAPTER_FORM + 3;
/// What the user decided of a call.
const DECISION: Form = FIRST_ADAPTER_FORM + 4;

/// Records that mirror others, or report nothing but themselves.
const MIRRORS: [&str; 8] = [
    "llm.request",
    "llm.tools_snapshot",
    "metadata",
    "StepBegin",
    "tools.set_active_tools",
    "turn.prompt",
    "TurnEnd",
    "turn.ended",
];

/// How the output of a command ends that failed.
const EXIT: &str = "Command failed with exit code: ";

/// Reads a session.
#[derive(Default)]
struct Wire {
    /// The system prompt, as JSON.
    prompt: Box<str>,
    /// The call whose arguments may go on.
    call: Option<(StepNo, Vec<Earlier>)>,
}

impl Adapter for Wire {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        if let Some(event) = record.get("message").filter(|event| event.get("payload").is_some()) {
            return self.event(event, record.get("timestamp"), 0, log);
        }
        let class = text(record, "type").unwrap_or("record");
        let time = record.get("time");
        match class {
            "metadata" => write_slots(log, "session", "main", record, &["protocol_version", "created_at"]),
            "config.update" | "profile.bind" => self.configure(record, log),
            "llm.tools_snapshot" => log.declare_tools(record.get("tools").filter(|tools| tools.as_array().is_some())),
            "context.append_message" | "agent.message.appended" => {
                let message = record.get("message");
                let message = message.and_then(|message| message.get("message")).or(message);
                message.into_iter().for_each(|message| add_message(message, time, log));
            }
            "context.append_loop_event" => {
                record.get("event").into_iter().for_each(|event| add_event(event, time, log));
            }
            "usage.record" => {
                if let Some(usage) = record.get("usage").filter(|_| text(record, "usageScope") != Some("turn")) {
                    log.beyond(&usage_of(usage));
                }
            }
            "permission.set_mode" => {
                let mode = text(record, "mode").map(Cow::Borrowed);
                log.surroundings_ahead(&Surroundings { mode, ..Surroundings::default() });
                add_state(record, class, form::STATE, time, log);
            }
            "permission.record_approval_result" => add_state(record, class, DECISION, time, log),
            "turn.steer" => add_state(record, class, PROMPT, time, log),
            _ if MIRRORS.contains(&class) => {}
            _ => add_state(record, class, form::STATE, time, log),
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        match form {
            PROMPT => {
                let words = first(value, &["user_input", "input"]).map(text_of).unwrap_or_default();
                Turn::of(StepRole::User, vec![TurnPart::Text(words)])
            }
            PART => {
                let words = text(value, "text").map(|words| TurnPart::Text(words.into()));
                let file = || TurnPart::Attachment(crate::rules::trajectory::blocks::attachment(value));
                Turn::of(StepRole::Agent, vec![words.unwrap_or_else(file)])
            }
            CALL => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(values))]),
            RESULT => {
                let given = first(value, &["return_value", "result"]);
                let files = given.and_then(|given| given.get("output")).into_iter().flat_map(files_of);
                Turn::answer(result(value), files)
            }
            DECISION => {
                let decision = value.get("result").and_then(|result| text(result, "decision")).unwrap_or("decided");
                let action = text(value, "action").or_else(|| text(value, "toolName")).unwrap_or_default();
                Turn::of(StepRole::User, vec![TurnPart::Text(format!("{decision}: {action}").into())])
            }
            _ => super::log::show(form, values),
        }
    }
}

fn add_state(record: &Value<'_>, class: &str, form: Form, time: Option<&Value<'_>>, log: &mut Log<'_>) {
    let values = [record];
    log.step(&Draft { role: StepRole::System, class: Some(class), time, ..Draft::of(Kind::State, form, &values) });
}

fn add_message(message: &Value<'_>, time: Option<&Value<'_>>, log: &mut Log<'_>) {
    let origin = message.get("origin").and_then(|origin| text(origin, "kind"));
    let is_injected = origin.is_some_and(|kind| kind != "user");
    Blocks { time, is_injected, class: Some("message"), ..Blocks::of(message) }.add_steps(log);
}

/// What is added to the context while the model works.
fn add_event(event: &Value<'_>, time: Option<&Value<'_>>, log: &mut Log<'_>) {
    let class = text(event, "type");
    let values = [event];
    match class {
        Some("content.part") => event.get("part").into_iter().for_each(|part| add_part(part, time, log)),
        Some("tool.call") => {
            let cwd = event.get("display").and_then(|display| text(display, "cwd")).map(Cow::Borrowed);
            log.surroundings(&Surroundings { cwd, ..Surroundings::default() });
            log.step(&Draft { role: StepRole::Agent, class, time, ..Draft::of(Kind::Call, CALL, &values) });
        }
        Some("tool.result") => {
            log.step(&Draft { role: StepRole::Environment, class, time, ..Draft::of(Kind::Result, RESULT, &values) });
        }
        Some("step.begin") => {}
        Some("step.end") => {
            if let Some(usage) = event.get("usage") {
                log.usage(text(event, "messageId"), &usage_of(usage));
            }
        }
        _ => add_state(event, class.unwrap_or("event"), form::STATE, time, log),
    }
}

/// A thought, words or a file.
fn add_part(part: &Value<'_>, time: Option<&Value<'_>>, log: &mut Log<'_>) {
    let values = [part];
    let (kind, form) = match text(part, "type") {
        Some("think") => (Kind::Thought, form::THOUGHT),
        _ => (Kind::Message, PART),
    };
    let is_empty = first_text(part, &["think", "text"]).is_some_and(str::is_empty);
    if !is_empty {
        let class = text(part, "type");
        log.step(&Draft { role: StepRole::Agent, class, time, ..Draft::of(kind, form, &values) });
    }
}

impl Wire {
    /// The model, and its system prompt: one that is repeated is no step again.
    fn configure(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let cwd = record.get("environmentDisclosure").and_then(|disclosed| text(disclosed, "cwd")).map(Cow::Borrowed);
        let model = text(record, "modelAlias").map(Cow::Borrowed);
        let effort = text(record, "thinkingEffort").map(Cow::Borrowed);
        log.surroundings_ahead(&Surroundings { cwd, model, effort, ..Surroundings::default() });
        let is_new = |prompt: &&Value<'_>| prompt.as_str().is_some() && *self.prompt != *prompt.text;
        if let Some(prompt) = record.get("systemPrompt").filter(is_new) {
            let values = [prompt];
            let draft = Draft::of(Kind::Message, form::MESSAGE, &values);
            let (class, time) = (text(record, "type"), record.get("time"));
            log.step(&Draft { role: StepRole::System, class, time, ..draft });
            self.prompt = prompt.text.into();
        }
    }

    /// An event of Kimi CLI; those of a sub-agent are within others.
    fn event(&mut self, event: &Value<'_>, time: Option<&Value<'_>>, depth: usize, log: &mut Log<'_>) {
        let (class, Some(payload)) = (text(event, "type"), event.get("payload")) else { return };
        let values = [payload];
        if class == Some("ToolCallPart") {
            if let Some((step, parts)) = &mut self.call {
                log.extend(*step, payload);
                parts.push(log.keep(payload));
            }
            return;
        }
        if let Some((step, parts)) = self.call.take() {
            log.close_with(step, CALL, &parts, |_| ());
        }
        match class {
            Some("TurnBegin" | "SteerInput") => {
                log.step(&Draft { role: StepRole::User, class, time, ..Draft::of(Kind::Message, PROMPT, &values) });
            }
            Some("ContentPart") => add_part(payload, time, log),
            Some("ToolCall") => {
                let step =
                    log.open(&Draft { role: StepRole::Agent, class, time, ..Draft::of(Kind::Call, CALL, &values) });
                payload
                    .get("function")
                    .and_then(|function| text(function, "name"))
                    .into_iter()
                    .for_each(|name| log.calls_tool(step, name));
                self.call = Some((step, vec![log.keep(payload)]));
            }
            Some("ToolResult") => {
                let draft = Draft::of(Kind::Result, RESULT, &values);
                log.step(&Draft { role: StepRole::Environment, class, time, ..draft });
            }
            Some("StatusUpdate") => {
                if let Some(usage) = payload.get("token_usage").filter(|usage| usage.as_object().is_some()) {
                    log.usage(text(payload, "message_id"), &usage_of(usage));
                }
            }
            Some("SubagentEvent") if depth == 0 => {
                log.enter_depth(1);
                payload.get("event").into_iter().for_each(|inner| self.event(inner, time, 1, log));
                log.enter_depth(0);
            }
            Some(class) if MIRRORS.contains(&class) => {}
            _ => add_state(payload, class.unwrap_or("event"), form::STATE, time, log),
        }
    }
}

fn call<'v>(values: &[&'v Value<'v>]) -> ToolCall<'v> {
    let Some((&value, more)) = values.split_first() else { return ToolCall::default() };
    let given = super::log::call(value);
    let more: Vec<&str> = more.iter().filter_map(|part| text(part, "arguments_part")).collect();
    if more.is_empty() {
        return given;
    }
    let begun = value.get("function").and_then(|function| text(function, "arguments")).unwrap_or_default();
    ToolCall { arguments: format!("{begun}{}", more.concat()).into(), ..given }
}

fn result<'v>(value: &'v Value<'v>) -> ToolResult<'v> {
    let given = first(value, &["return_value", "result"]);
    let output = given.and_then(|given| given.get("output")).filter(|output| !output.is_null());
    let output = output.or_else(|| given.filter(|given| given.as_str().is_some())).map(text_of);
    let message = || given.and_then(|given| text(given, "message")).map(Cow::Borrowed);
    let text_given = output.filter(|output| !output.is_empty()).or_else(message).unwrap_or_default();
    let exit = text_given.rsplit_once(EXIT).and_then(|(_, rest)| rest.trim_end().trim_end_matches('.').parse().ok());
    let flag = |key: &str| given.and_then(|given| given.get(key)?.as_bool());
    // What is beside the output is for the model too.
    let details = given.filter(|given| given.get("note").is_some()).map(|given| Cow::Borrowed(given.text));
    ToolResult {
        id: first_text(value, &["toolCallId", "tool_call_id"]).map(Cow::Borrowed),
        details,
        is_error: flag("isError").or_else(|| flag("is_error")),
        text: text_given,
        exit,
        ..ToolResult::default()
    }
}

/// Tokens in both spellings.
fn usage_of(usage: &Value<'_>) -> Usage {
    let either = |one: &str, other: &str| count(usage, one).or_else(|| count(usage, other));
    Usage {
        input: either("inputOther", "input_other"),
        output: count(usage, "output"),
        cache_read: either("inputCacheRead", "input_cache_read"),
        cache_write: either("inputCacheCreation", "input_cache_creation"),
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::log::testing::{assert_steps, lines, state, steps};

    #[test]
    fn what_is_added_to_the_context_is_a_step() {
        let parsed = lines(&KIMI, CODE);
        let expected = [
            "message system: You help.",
            "message user: show a",
            "thought agent: cat will do",
            "state system: approved: Running: cat a",
            "tool-call agent: Bash cat a",
            "tool-result environment: cat: a: No such file",
            "message agent: It is gone.",
        ];
        assert_steps(&parsed, &expected);
        assert_eq!(parsed.0.error_steps(), [5]);
        assert!(state(&parsed, "shell", 5).contains(r#""exit":1"#), "{}", state(&parsed, "shell", 5));
        assert!(state(&parsed, "shell", 5).contains(r#""cwd":"/w""#));
        let usage = parsed.0.work().unwrap().total_usage();
        let all = (usage.input, usage.output, usage.cache_read, usage.cache_write);
        assert_eq!(all, (Some(9), Some(4), Some(2), Some(1)), "what mirrors it is not counted again");
        assert!(state(&parsed, "run", 6).contains(r#""model":"p/m""#));
    }

    #[test]
    fn events_of_kimi_cli_are_steps_and_arguments_go_on() {
        let parsed = lines(&KIMI, CLI);
        let expected = [
            "message user: show a",
            "thought agent: cat will do",
            "tool-call agent: Shell cat a",
            "tool-result environment: x (of 2)",
            "message agent: It says x.",
        ];
        assert_eq!(steps(&parsed), expected);
        assert_eq!(parsed.0.step(3, &parsed.1).answers, Some(2));
        assert!(state(&parsed, "shell", 3).contains(r#""command":"cat a""#));
        assert_eq!(parsed.0.work().unwrap().total_usage().cache_write, Some(1));
    }

    #[test]
    fn a_system_prompt_that_is_repeated_is_no_step_again() {
        let bind = r#"{"type":"profile.bind","systemPrompt":"You help.","environmentDisclosure":{"cwd":"/w"}}"#;
        assert_eq!(steps(&lines(&KIMI, &format!("{CODE}{bind}\n"))).len(), 7);
        assert_eq!(steps(&lines(&KIMI, &format!("{CODE}{}\n", bind.replace("help", "code")))).len(), 8);
    }

    #[test]
    fn a_sub_agent_is_within_an_event() {
        let inner = r#"{"type":"SubagentEvent","payload":{"parent_tool_call_id":"c1","event":{"type":"ContentPart",
            "payload":{"type":"text","text":"deep"}}}}"#;
        let line = format!(r#"{{"timestamp":1777629604.0,"message":{}}}"#, inner.replace('\n', ""));
        let parsed = lines(&KIMI, &format!("{CLI}{line}\n"));
        assert_eq!(steps(&parsed)[5], "message agent: deep");
        assert_eq!((parsed.0.step(5, &parsed.1).depth, parsed.0.step(4, &parsed.1).depth), (1, 0));
    }
}
