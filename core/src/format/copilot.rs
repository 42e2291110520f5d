//! Sessions of GitHub Copilot CLI: events, one a line (`FORMATS.md` 11c).

use super::Framing;
use super::log::{
    Adapter, Copies, Draft, Earlier, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Node, Row, count, first, first_text,
    form, items, model_usage, text, text_of, write_slots,
};
use crate::json::Value;
use crate::model::{StepNo, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage};
use crate::rules::work::Dialect;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Sessions of Copilot CLI.
pub(super) static COPILOT: Row = Row {
    name: "copilot-cli",
    agent: Some("copilot-cli"),
    title: "Copilot CLI session",
    about: "Sessions of GitHub Copilot CLI: JSON Lines of `type`, `data`, `id` and `parentId`, first `session.start`; \
            or what `copilot -p --output-format json` prints, which ends with a `result`. The calls are those that \
            were executed. State: the session, its model and mode, what it used.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Events::default())),
    samples: &[SESSION, PRINTED],
    ..Row::BASE
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
    /// Output tokens of answers that are still to come, by the ids of their requests.
    to_come: HashMap<Box<str>, u64>,
    /// Requests whose answers came first, with their output tokens.
    answered: HashSet<Box<str>>,
    /// What records of single requests report; None: there was none.
    counted: Option<Usage>,
    /// What compactions took, which totals leave out.
    compacted: Usage,
    /// The instructions that the model has now.
    instructions: Option<StepNo>,
    /// Where a compaction began that has not ended: it sums up what is before.
    compacting: Option<StepNo>,
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
        let step = match class {
            "user.message" => log.step(&of(Kind::Message, TEXT, StepRole::User)),
            "system.message" => {
                let step = log.step(&of(Kind::Message, TEXT, StepRole::System));
                if !is_side {
                    // New instructions are in the place of those before, and no compaction takes them out.
                    self.instructions.replace(step).into_iter().for_each(|before| log.release(before));
                    log.fix();
                }
                step
            }
            "system.notification" => {
                let step = log.step(&of(Kind::State, form::STATE, StepRole::System));
                log.prompt();
                step
            }
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
                return self.answer(data, of, log);
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
        match class {
            REQUEST_USAGE => self.request(data, log),
            COMPACTING if !is_side => self.compacting = Some(step),
            COMPACTED => self.compaction(data, is_side, log),
            SHUTDOWN => self.end_of_session(data, log),
            _ => write(class, data, log),
        }
    }

    /// What one request took. Its answer comes behind it, as a rule.
    fn request(&mut self, data: &Value<'_>, log: &mut Log<'_>) {
        let Some(usage) = data.get("usage") else { return };
        let reported = tokens_of(usage);
        let id = text(usage, "apiCallId").or_else(|| text(usage.get("accounting")?, "usageId")).unwrap_or_default();
        if self.answered.remove(id) {
            log.beyond(&Usage { output: None, ..reported });
        } else {
            log.usage(None, &reported);
            self.to_come.extend(reported.output.map(|output| (id.into(), output)));
        }
        self.counted = Some(self.counted.unwrap_or_default().plus(&reported));
    }

    /// A compaction that ended. What came while it ran is not in its summary.
    fn compaction(&mut self, data: &Value<'_>, is_side: bool, log: &mut Log<'_>) {
        if let Some(used) = data.get("compactionTokensUsed").filter(|_| self.counted.is_some()) {
            let used = tokens_of(used);
            self.compacted = self.compacted.plus(&used);
            log.beyond(&used);
        }
        if is_side {
            return;
        }
        let began = self.compacting.take();
        if has_compacted(data) {
            log.drop_before(began.unwrap_or(log.next_step() - 1));
            log.summarize(text(data, "summaryContent").unwrap_or_default());
        }
    }

    /// Totals at the end of a session, of all requests since it was first begun, those of compactions excepted.
    fn end_of_session(&mut self, data: &Value<'_>, log: &mut Log<'_>) {
        write_slots(log, "session", "main", data, &["modelMetrics", "codeChanges"]);
        let Some(totals) = totals(data) else { return };
        match self.counted {
            // Sessions that an earlier version began have no records of their first requests.
            Some(counted) => {
                let most = most_of(&counted, &totals);
                if most != counted {
                    self.counted = Some(most);
                    log.usage_totals(&most.plus(&self.compacted), false);
                }
            }
            None => log.usage_totals(&totals, false),
        }
    }

    /// An answer: its reasoning and its text. The calls that it requests have their own events.
    fn answer<'d, 'v>(
        &mut self,
        data: &'d Value<'v>,
        of: impl Fn(Kind, Form, StepRole) -> Draft<'d, 'v>,
        log: &mut Log<'_>,
    ) {
        let id = text(data, "apiCallId").unwrap_or_default();
        let of_request = self.to_come.remove(id);
        let reported = count(data, "outputTokens");
        let mut tokens = reported.or(of_request);
        self.has_output = reported.is_some();
        let has = |key: &str| text(data, key).is_some_and(|words| !words.is_empty());
        let begin = log.next_step();
        if has("reasoningText") {
            log.step(&Draft { tokens: tokens.take(), ..of(Kind::Thought, THOUGHT, StepRole::Agent) });
        }
        let asks = data.get("toolRequests").and_then(Value::as_array).is_some_and(|requests| !requests.is_empty());
        if has("content") || (!asks && log.next_step() == begin) {
            log.step(&Draft { tokens: tokens.take(), ..of(Kind::Message, TEXT, StepRole::Agent) });
        }
        if reported.is_some() && of_request.is_none() {
            log.usage(None, &Usage { output: reported, ..Usage::default() });
            self.answered.insert(id.into());
        }
    }

    /// The usage that the service reports for an answer. The message itself reports at most its output tokens.
    fn usage(&mut self, data: &Value<'_>, log: &mut Log<'_>) {
        let has_output = std::mem::take(&mut self.has_output);
        let reported = tokens_of(data);
        if self.counted.is_none() {
            log.beyond(&Usage { output: reported.output.filter(|_| !has_output), ..reported });
        }
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

    /// What the agent is notified of while it works.
    fn prompt(values: &[&Value<'_>]) -> Option<Turn<'static>> {
        let words = values.first()?.get("content").map(text_of)?.into_owned();
        (!words.is_empty()).then(|| Turn::of(StepRole::User, vec![TurnPart::Text(Cow::Owned(words))]))
    }

    fn dialect(&self) -> Dialect {
        Dialect::Copilot
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

/// Tokens that a request took; Copilot gives requests in place of a cost.
fn tokens_of(usage: &Value<'_>) -> Usage {
    Usage { cost: None, ..model_usage(usage) }
}

/// The greater of each count.
fn most_of(one: &Usage, other: &Usage) -> Usage {
    Usage {
        input: one.input.max(other.input),
        output: one.output.max(other.output),
        cache_read: one.cache_read.max(other.cache_read),
        cache_write: one.cache_write.max(other.cache_write),
        cost: None,
    }
}

/// The last line of `copilot -p`, which has no `data`.
const RUN_END: &str = "result";

/// The event at the end of a compaction.
const COMPACTED: &str = "session.compaction_complete";

/// The event at its beginning. The agent goes on meanwhile.
const COMPACTING: &str = "session.compaction_start";

/// What one request took.
const REQUEST_USAGE: &str = "session.usage_record";

/// The end of a session, also of one that goes on later.
const SHUTDOWN: &str = "session.shutdown";

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
mod tests;
