//! Sessions of GitHub Copilot CLI: events, one a line (`FORMATS.md` 11c).

use super::Framing;
use super::log::{
    Adapter, Copies, Draft, Earlier, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Node, Row, count, first, first_text,
    form, items, text, text_of, write_slots,
};
use crate::json::Value;
use crate::model::{StepNo, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage};
use std::borrow::Cow;
use std::collections::HashMap;

/// Sessions of Copilot CLI.
pub(super) static COPILOT: Row = Row {
    name: "copilot-cli",
    title: "Copilot CLI session",
    about: "Sessions of GitHub Copilot CLI: JSON Lines of `type`, `data`, `id` and `parentId`, first `session.start`; \
            or what `copilot -p --output-format json` prints, which ends with a `result`. The calls are those that \
            were executed. State: the session, its model and mode, what it used.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Events::default())),
    detect: None,
    has_trajectories: false,
    samples: &[SESSION, PRINTED],
};

/// A session with a call.
const SESSION: &str = concat!(
    r#"{"type":"session.start","data":{"sessionId":"s1","copilotVersion":"1.0","context":{"cwd":"/w","#,
    r#""branch":"main"}},"id":"a","timestamp":"2026-05-01T10:00:00Z","parentId":null}"#,
    "\n",
    r#"{"type":"user.message","data":{"content":"list it"},"id":"b","timestamp":"2026-05-01T10:00:01Z","#,
    r#""parentId":"a"}"#,
    "\n",
    r#"{"type":"assistant.message","data":{"messageId":"m","content":"","reasoningText":"ls will do","#,
    r#""toolRequests":[{"toolCallId":"c","name":"bash","arguments":{"command":"ls"}}],"outputTokens":9},"#,
    r#""id":"d","timestamp":"2026-05-01T10:00:02Z","parentId":"b"}"#,
    "\n",
    r#"{"type":"tool.execution_start","data":{"toolCallId":"c","toolName":"bash","#,
    r#""arguments":{"command":"ls"}},"id":"e","timestamp":"2026-05-01T10:00:03Z","parentId":"d"}"#,
    "\n",
    r#"{"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"#,
    r#""result":{"content":"a.txt"}},"id":"f","timestamp":"2026-05-01T10:00:04Z","parentId":"e"}"#,
);

/// What a run with a prompt prints.
const PRINTED: &str = concat!(
    r#"{"type":"session.tools_updated","data":{"model":"m"},"ephemeral":true,"id":"a","#,
    r#""timestamp":"2026-05-01T10:00:00Z","parentId":"z"}"#,
    "\n",
    r#"{"type":"user.message","data":{"content":"hi"},"id":"b","timestamp":"2026-05-01T10:00:01Z","parentId":"a"}"#,
    "\n",
    r#"{"type":"assistant.message_delta","data":{"messageId":"m","deltaContent":"hel"},"ephemeral":true,"id":"c","#,
    r#""timestamp":"2026-05-01T10:00:02Z","parentId":"b"}"#,
    "\n",
    r#"{"type":"assistant.message","data":{"messageId":"m","content":"hello","toolRequests":[],"outputTokens":3},"#,
    r#""id":"d","timestamp":"2026-05-01T10:00:03Z","parentId":"c"}"#,
    "\n",
    r#"{"type":"result","timestamp":"2026-05-01T10:00:04Z","sessionId":"s1","exitCode":0,"#,
    r#""usage":{"premiumRequests":1,"sessionDurationMs":4000}}"#,
);

/// The words of a message.
const TEXT: Form = FIRST_ADAPTER_FORM;
/// The reasoning of an answer.
const THOUGHT: Form = FIRST_ADAPTER_FORM + 1;
/// A call and its result.
const CALL: Form = FIRST_ADAPTER_FORM + 2;
const RESULT: Form = FIRST_ADAPTER_FORM + 3;

/// A call that an answer requests and no event starts.
const REQUEST: Form = FIRST_ADAPTER_FORM + 4;

/// Reads the events of a session.
#[derive(Default)]
struct Events {
    copies: Copies,
    /// Calls that answers requested, by their ids; None once an event started the call.
    asked: HashMap<Box<str>, Option<Earlier>>,
    /// Steps of calls by their ids.
    calls: HashMap<Box<str>, StepNo>,
    /// Sub-agents that have a step, or an event that says which call began them; None: they have a step.
    agents: HashMap<Box<str>, Option<StepNo>>,
    /// Whether the last answer reports its output tokens.
    has_output: bool,
}

impl Events {
    /// The calls that an answer requests.
    fn ask(&mut self, data: &Value<'_>, log: &Log<'_>) {
        for request in items(data, "toolRequests") {
            if let Some(id) = text(request, "toolCallId") {
                self.asked.entry(id.into()).or_insert_with(|| Some(log.keep(request)));
            }
        }
    }

    /// A call that ends without an event that starts it still makes a step.
    fn end<'d, 'v>(
        &mut self,
        data: &'d Value<'v>,
        of: impl Fn(Kind, Form, StepRole) -> Draft<'d, 'v>,
        log: &mut Log<'_>,
    ) {
        let asked = text(data, "toolCallId").and_then(|id| self.asked.remove(id)).flatten();
        if let Some(asked) = asked {
            log.step_with(&of(Kind::Call, REQUEST, StepRole::Agent), &[asked]);
        }
    }
}

impl Events {
    fn event(&mut self, record: &Value<'_>, data: &Value<'_>, class: &str, is_side: bool, log: &mut Log<'_>) {
        let values = [data];
        let of = |kind, form, role| Draft {
            role,
            class: Some(class),
            time: record.get("timestamp"),
            ..Draft::of(kind, form, &values)
        };
        match class {
            "user.message" => log.step(&of(Kind::Message, TEXT, StepRole::User)),
            "system.message" => log.step(&of(Kind::Message, TEXT, StepRole::System)),
            "tool.execution_start" => {
                let step = log.step(&of(Kind::Call, CALL, StepRole::Agent));
                if let Some(id) = text(data, "toolCallId") {
                    self.asked.insert(id.into(), None);
                    self.calls.insert(id.into(), step);
                }
                step
            }
            "tool.execution_complete" => {
                self.end(data, of, log);
                log.step(&of(Kind::Result, RESULT, StepRole::Environment))
            }
            "assistant.message" => {
                let model = text(data, "model").filter(|_| !is_side).map(Cow::Borrowed);
                log.surroundings(&Surroundings { model, ..Surroundings::default() });
                self.ask(data, log);
                self.has_output = data.get("outputTokens").is_some();
                return answer(data, of, log);
            }
            _ => {
                surround(class, data, log);
                let is_failed = class == "session.error" || has_failed(class, data);
                log.step(&Draft { is_failed, ..of(Kind::State, form::STATE, StepRole::System) })
            }
        };
        if class == "subagent.started"
            && let Some(agent) = text(record, "agentId").or_else(|| text(data, "toolCallId"))
        {
            let call = text(data, "toolCallId").and_then(|id| self.calls.get(id)).copied();
            self.agents.insert(agent.into(), call);
        }
        write(class, data, log);
    }

    /// The usage that the service reports for an answer. The message itself reports at most its output tokens.
    fn usage(&mut self, data: &Value<'_>, log: &mut Log<'_>) {
        let of = |key: &str| count(data, key);
        let (cache_read, cache_write) = (of("cacheReadTokens"), of("cacheWriteTokens"));
        let cached = cache_read.unwrap_or(0).saturating_add(cache_write.unwrap_or(0));
        let has_output = std::mem::take(&mut self.has_output);
        log.beyond(&Usage {
            input: of("inputTokens").map(|all| all.saturating_sub(cached)),
            output: of("outputTokens").filter(|_| !has_output),
            cache_read,
            cache_write,
            cost: None,
        });
    }
}

/// The sub-agent whose event this is. Those that report one are of the agent that called it.
fn agent_of<'v>(record: &'v Value<'v>, data: &'v Value<'v>, class: &str) -> Option<&'v str> {
    let agent = text(record, "agentId").or_else(|| text(data, "parentToolCallId"));
    agent.filter(|agent| !agent.is_empty() && !class.starts_with("subagent."))
}

impl Adapter for Events {
    fn restart(&mut self) {
        *self = Self::default();
    }

    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        if text(record, "id").is_some_and(|id| self.copies.has(id, record.text)) {
            return;
        }
        let class = text(record, "type").unwrap_or("event");
        let data = record.get("data").unwrap_or(record);
        let agent = agent_of(record, data, class);
        if class == "assistant.usage" {
            self.usage(data, log);
        }
        // Deltas of a stream, and thoughts that the message has too.
        let is_ephemeral = record.get("ephemeral").and_then(Value::as_bool) == Some(true);
        if is_ephemeral || class.ends_with("_delta") || class == "tool.execution_partial_result" {
            return;
        }
        if let Some(agent) = agent {
            // Steps of a sub-agent follow one another, each under its id.
            let (id, is_turn) = (Some(agent), true);
            log.thread(&Node { id, parent: id, is_side: true, is_turn, ..Node::default() });
        }
        let first = log.next_step();
        self.event(record, data, class, agent.is_some(), log);
        if let Some(agent) = agent.filter(|_| log.next_step() > first) {
            let call = self.agents.insert(agent.into(), None).unwrap_or_else(|| self.calls.get(agent).copied());
            call.into_iter().for_each(|call| log.called_by(first, call));
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&data) = values.first() else { return Turn::default() };
        let words = |key: &str| data.get(key).map(text_of).unwrap_or_default();
        match form {
            TEXT => Turn::of(StepRole::Unknown, vec![TurnPart::Text(words("content"))]),
            THOUGHT => Turn::of(StepRole::Agent, vec![TurnPart::Thought(words("reasoningText"))]),
            // The event that ends a call may come before the answer that requests it.
            CALL | REQUEST => {
                let request = values.last().copied().unwrap_or(data);
                let name = first_text(request, &["name", "toolName"]).unwrap_or("?").into();
                let arguments = request.get("arguments").map_or(Cow::Borrowed("{}"), |v| Cow::Borrowed(v.text));
                let call = ToolCall { id: text(request, "toolCallId").map(Cow::Borrowed), name, arguments };
                Turn::of(StepRole::Agent, vec![TurnPart::Call(call)])
            }
            RESULT => Turn::of(StepRole::Environment, vec![TurnPart::Result(result(data))]),
            _ => super::log::show(form, values),
        }
    }
}

fn result<'v>(data: &'v Value<'v>) -> ToolResult<'v> {
    let outcome = first(data, &["result", "error"]);
    let words = outcome.map(|outcome| first(outcome, &["content", "message", "detailedContent"]).unwrap_or(outcome));
    ToolResult {
        id: text(data, "toolCallId").map(Cow::Borrowed),
        text: words.map(text_of).unwrap_or_default(),
        is_error: data.get("success").and_then(Value::as_bool).map(|success| !success),
        details: outcome.filter(|outcome| outcome.as_object().is_some()).map(|outcome| Cow::Borrowed(outcome.text)),
        ..ToolResult::default()
    }
}

/// An answer: its reasoning and its text. The calls that it requests have their own events.
fn answer<'d, 'v>(data: &'d Value<'v>, of: impl Fn(Kind, Form, StepRole) -> Draft<'d, 'v>, log: &mut Log<'_>) {
    let mut tokens = count(data, "outputTokens");
    let usage = Usage { output: tokens, ..Usage::default() };
    let has = |key: &str| text(data, key).is_some_and(|words| !words.is_empty());
    let begin = log.next_step();
    if has("reasoningText") {
        log.step(&Draft { tokens: tokens.take(), ..of(Kind::Thought, THOUGHT, StepRole::Agent) });
    }
    let asks = data.get("toolRequests").and_then(Value::as_array).is_some_and(|requests| !requests.is_empty());
    if has("content") || (!asks && log.next_step() == begin) {
        log.step(&Draft { tokens: tokens.take(), ..of(Kind::Message, TEXT, StepRole::Agent) });
    }
    if usage.output.is_some() {
        log.usage(None, &usage);
    }
}

/// The last line of `copilot -p`, which has no `data`.
const RUN_END: &str = "result";

/// The event at the end of a compaction.
const COMPACTED: &str = "session.compaction_complete";

/// Whether a compaction did not fail.
fn has_compacted(data: &Value<'_>) -> bool {
    data.get("success").and_then(Value::as_bool) != Some(false)
}

/// Whether a line of `copilot -p` reports a failed run; the program exits with 0 even then.
fn has_failed(class: &str, data: &Value<'_>) -> bool {
    class == RUN_END && count(data, "exitCode").is_some_and(|exit| exit != 0)
}

/// Reports the surroundings that an event changes, such as model and folder.
fn surround(class: &str, data: &Value<'_>, log: &mut Log<'_>) {
    let of = |value: &Value<'_>, key: &str| text(value, key).map(|text| Cow::Owned(text.to_owned()));
    let context = data.get("context").unwrap_or(data);
    let around = match class {
        "session.start" | "session.resume" | "session.context_changed" => {
            let model = of(data, "selectedModel").filter(|_| class != "session.context_changed");
            let effort = of(data, "reasoningEffort");
            Surroundings {
                cwd: of(context, "cwd"),
                branch: of(context, "branch"),
                model,
                effort,
                ..Surroundings::default()
            }
        }
        "session.model_change" => {
            Surroundings { model: of(data, "newModel"), effort: of(data, "reasoningEffort"), ..Surroundings::default() }
        }
        "session.mode_changed" => Surroundings { mode: of(data, "newMode"), ..Surroundings::default() },
        COMPACTED if has_compacted(data) => Surroundings { is_compaction: true, ..Surroundings::default() },
        _ => return,
    };
    log.surroundings(&around);
}

/// The writes of an event.
fn write(class: &str, data: &Value<'_>, log: &mut Log<'_>) {
    match class {
        COMPACTED if has_compacted(data) => {
            log.drop_before(log.next_step() - 1);
            log.summarize(text(data, "summaryContent").unwrap_or_default());
        }
        "session.start" => {
            if let Some(id) = text(data, "sessionId") {
                log.title(id);
            }
            write_slots(log, "session", "main", data, &["sessionId", "copilotVersion", "context"]);
        }
        RUN_END => {
            if let Some(id) = text(data, "sessionId") {
                log.title(id);
            }
            write_slots(log, "session", "main", data, &["sessionId", "exitCode", "usage"]);
        }
        "session.model_change" => write_slots(log, "session", "main", data, &["newModel", "reasoningEffort"]),
        "session.mode_changed" => write_slots(log, "session", "main", data, &["newMode"]),
        "session.title_changed" => {
            if let Some(title) = text(data, "title") {
                log.title(title);
            }
        }
        "session.shutdown" => {
            write_slots(log, "session", "main", data, &["modelMetrics", "codeChanges"]);
            if let Some(totals) = totals(data) {
                log.usage_totals(&totals, false);
            }
        }
        _ => {}
    }
}

/// The tokens of all models, completed from the details of the session, which count cached tokens apart.
fn totals(data: &Value<'_>) -> Option<Usage> {
    let models = of_models(data).unwrap_or_default();
    let detail = |name: &str| count(data.get("tokenDetails")?.get(name)?, "tokenCount");
    let sum = Usage {
        input: models.input.or_else(|| detail("input")),
        output: models.output.or_else(|| detail("output")),
        cache_read: models.cache_read.or_else(|| detail("cache_read")),
        cache_write: models.cache_write.or_else(|| detail("cache_write")),
        cost: None,
    };
    (sum != Usage::default()).then_some(sum)
}

/// Copilot includes cached tokens in the input. Its costs are in no currency, so they are left out.
fn of_models(data: &Value<'_>) -> Option<Usage> {
    let models = data.get("modelMetrics")?.as_object()?;
    let add =
        |sum: Option<u64>, more: Option<u64>| more.map_or(sum, |more| Some(sum.unwrap_or(0).saturating_add(more)));
    let all = models.entries().filter_map(|(_, metrics)| metrics.get("usage"));
    let sum = all.fold(Usage::default(), |sum, usage| Usage {
        input: add(sum.input, count(usage, "inputTokens")),
        output: add(sum.output, count(usage, "outputTokens")),
        cache_read: add(sum.cache_read, count(usage, "cacheReadTokens")),
        cache_write: add(sum.cache_write, count(usage, "cacheWriteTokens")),
        cost: None,
    });
    let cached = sum.cache_read.unwrap_or(0).saturating_add(sum.cache_write.unwrap_or(0));
    Some(Usage { input: sum.input.map(|all| all.saturating_sub(cached)), ..sum })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::log::testing::{self, lines, steps};

    #[test]
    fn the_end_of_a_session_reports_what_all_models_spent() {
        let usage =
            |input: u32| format!(r#"{{"usage":{{"inputTokens":{input},"outputTokens":2,"cacheReadTokens":5}}}}"#);
        let data = format!(r#"{{"modelMetrics":{{"a":{},"b":{}}}}}"#, usage(9), usage(11));
        let end = format!(r#"{{"type":"session.shutdown","id":"z","timestamp":"t","parentId":"f","data":{data}}}"#);
        let parsed = lines(&COPILOT, &format!("{SESSION}\n{end}"));
        let total = parsed.0.work().map(|work| work.total_usage()).unwrap_or_default();
        assert_eq!((total.input, total.output, total.cache_read), (Some(10), Some(4), Some(10)));
        assert!(testing::state(&parsed, "usage", 5).contains(r#""turns":1"#), "the end is no answer");
        let of = |name: &str, n: u32| format!(r#""{name}":{{"tokenCount":{n}}}"#);
        let details = [of("input", 3), of("cache_read", 20), of("cache_write", 7), of("output", 5)].join(",");
        let models = r#""modelMetrics":{"a":{"usage":{"reasoningTokens":2}}}"#;
        let data = format!(r#"{{"tokenDetails":{{{details}}},{models}}}"#);
        let end = format!(r#"{{"type":"session.shutdown","id":"z","timestamp":"t","parentId":"f","data":{data}}}"#);
        let parsed = lines(&COPILOT, &format!("{SESSION}\n{end}"));
        let total = parsed.0.work().map(|work| work.total_usage()).unwrap_or_default();
        let all = (total.input, total.output, total.cache_read, total.cache_write);
        assert_eq!(all, (Some(3), Some(5), Some(20), Some(7)));
    }

    #[test]
    fn a_call_that_no_event_starts_is_the_one_that_an_answer_asked_for() {
        let without_start: Vec<&str> = SESSION.lines().filter(|line| !line.contains("tool.execution_start")).collect();
        let parsed = lines(&COPILOT, &without_start.join("\n"));
        assert_eq!(steps(&parsed)[3..], ["tool-call agent: bash ls", "tool-result environment: a.txt (of 3)"]);
        // The answer that requests a call may come after the call's start.
        let mut late: Vec<&str> = SESSION.lines().collect();
        late.swap(2, 3);
        let calls = steps(&lines(&COPILOT, &late.join("\n"))).iter().filter(|step| step.contains("call")).count();
        assert_eq!(calls, 1);
    }

    #[test]
    fn a_printed_run_ends_with_its_result() {
        let parsed = lines(&COPILOT, PRINTED);
        let all = steps(&parsed);
        assert_eq!(all[..2], ["message user: hi", "message agent: hello"]);
        assert!(all.len() == 3 && parsed.0.title().as_deref() == Some("s1") && parsed.0.error_steps().is_empty());
        assert!(testing::state(&parsed, "session", 2).contains(r#""exitCode":0"#));
        let failed = lines(&COPILOT, &PRINTED.replace(r#""exitCode":0"#, r#""exitCode":1"#));
        assert_eq!(failed.0.error_steps(), [2]);
    }

    #[test]
    fn what_a_sub_agent_does_is_under_the_call_that_began_it() {
        let event = |class: &str, agent: &str, data: &str| {
            let agent = if agent.is_empty() { String::new() } else { format!(r#""agentId":"{agent}","#) };
            format!(r#"{{"type":"{class}",{agent}"data":{data}}}"#)
        };
        let call = |id: &str| format!(r#"{{"toolCallId":"{id}","toolName":"task","arguments":{{}}}}"#);
        let say = |words: &str| format!(r#"{{"content":"{words}","model":"{words}-m","toolRequests":[]}}"#);
        let usage = r#"{"inputTokens":10,"outputTokens":3,"cacheReadTokens":4,"cacheWriteTokens":1}"#;
        let text = [
            event("session.start", "", r#"{"sessionId":"s","selectedModel":"m","context":{"cwd":"/w"}}"#),
            event("tool.execution_start", "", &call("c1")),
            event("subagent.started", "a", r#"{"toolCallId":"c1","agentName":"look"}"#),
            event("assistant.message", "a", &say("side")),
            event("assistant.usage", "a", usage).replace("\"data\"", "\"ephemeral\":true,\"data\""),
            event("tool.execution_complete", "", r#"{"toolCallId":"c1","success":true,"result":{"content":"x"}}"#),
            event("assistant.message", "", &say("main").replace("\"model\":\"main-m\",", "")),
        ];
        let parsed = lines(&COPILOT, &text.join("\n"));
        let side = parsed.0.step(3, &parsed.1);
        assert_eq!((side.standing.name(), side.caller, side.summary.as_str()), ("sub-agent", Some(1), "side"));
        let seen = parsed.0.context_steps(5);
        assert_eq!(seen, Some(vec![1, 4, 5]), "the main agent does not see it");
        let usage_total = parsed.0.work().map(|work| work.total_usage()).unwrap_or_default();
        let all = (usage_total.input, usage_total.output, usage_total.cache_read, usage_total.cache_write);
        assert_eq!(all, (Some(5), Some(3), Some(4), Some(1)));
        assert!(testing::state(&parsed, "run", 5).contains(r#""model":"m""#));
    }

    #[test]
    fn calls_are_those_that_were_executed() {
        let parsed = lines(&COPILOT, SESSION);
        assert_eq!(
            steps(&parsed)[1..],
            [
                "message user: list it",
                "thought agent: ls will do",
                "tool-call agent: bash ls",
                "tool-result environment: a.txt (of 3)"
            ]
        );
        assert_eq!((parsed.0.title().as_deref(), parsed.0.step(2, &parsed.1).tokens), (Some("s1"), Some(9)));
    }
}
