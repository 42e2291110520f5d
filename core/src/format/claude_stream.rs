//! What `claude --output-format stream-json` prints: a line with the tools and the model, messages, a result
//! (`FORMATS.md` 1).

use super::claude_code::{Spend, error_parts, tokens_of};
use super::log::{self, Adapter, Blocks, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Node};
use super::{Format, Framing, Layout, Match, Run};
use crate::format::call_time::MICROS_IN_MS;
use crate::format::describe;
use crate::json::Value;
use crate::model::{RunFacts, Severity, StepNo, StepRole, Surroundings, Turn, TurnPart, Usage};
use crate::rules::work::Dialect;
use crate::state::Op;
use std::borrow::Cow;
use std::collections::HashMap;

/// Streams of Claude Code.
pub(super) struct ClaudeStream;

/// A stream.
const STREAM: &str = concat!(
    r#"{"type":"system","subtype":"init","session_id":"s1","cwd":"/w","model":"claude-opus-5","#,
    r#""tools":["Bash"],"permissionMode":"default"}"#,
    "\n",
    r#"{"type":"assistant","session_id":"s1","parent_tool_use_id":null,"message":{"id":"m1","#,
    r#""role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","#,
    r#""input":{"command":"ls"}}],"usage":{"input_tokens":9,"output_tokens":4}}}"#,
    "\n",
    r#"{"type":"user","session_id":"s1","parent_tool_use_id":null,"message":{"role":"user","#,
    r#""content":[{"type":"tool_result","tool_use_id":"t1","content":"a.txt"}]}}"#,
    "\n",
    r#"{"type":"result","subtype":"success","session_id":"s1","is_error":false,"num_turns":2,"#,
    r#""result":"One file.","total_cost_usd":0.01,"usage":{"input_tokens":9,"output_tokens":4},"#,
    r#""permission_denials":[]}"#,
);

impl Format for ClaudeStream {
    fn name(&self) -> &'static str {
        "claude-stream"
    }

    fn agent(&self) -> Option<&'static str> {
        Some("claude-code")
    }

    fn title(&self) -> &'static str {
        "Claude Code stream"
    }

    fn about(&self) -> &'static str {
        "What `claude --output-format stream-json` prints: JSON Lines with `session_id`, first one of type `system` \
         and subtype `init`, then messages and a `result`. State: model, folder, mode, tools, the result; files, \
         shell, todo list and usage by the rules for tool-using runs."
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        let has_id = |record: &&Value<'_>| record.get("session_id").is_some();
        let has_init = first.iter().filter(has_id).any(|record| text(record, "subtype") == Some("init"));
        let is_message_class =
            |record: &Value<'_>| matches!(text(record, "type"), Some("user" | "assistant" | "result"));
        // Cursor's agent begins its stream alike.
        let is_other = first.iter().any(|record| text(record, "type") == Some("tool_call"));
        let fits = has_init && !is_other && first.iter().filter(has_id).any(is_message_class);
        fits.then(|| Match { reason: "a record begins a stream of Claude Code".to_owned() })
    }

    fn framing(&self) -> Framing {
        Framing::Elements
    }

    fn layout(&self) -> Layout {
        Layout::Run
    }

    fn run(&self) -> Box<dyn Run> {
        Box::new(LogRun::new(Lines::default()))
    }

    fn samples(&self) -> &'static [&'static str] {
        &[STREAM]
    }
}

fn text<'v>(value: &'v Value<'v>, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// A line about the session.
const NOTE: Form = FIRST_ADAPTER_FORM;

/// Slots of the first line, and of the result.
const INIT: [&str; 6] = ["session_id", "cwd", "model", "permissionMode", "tools", "claude_code_version"];
const RESULT: [&str; 11] = [
    "subtype",
    "is_error",
    "num_turns",
    "duration_ms",
    "total_cost_usd",
    "usage",
    "modelUsage",
    "permission_denials",
    "errors",
    "structured_output",
    "result",
];

/// Reads the lines of a stream.
#[derive(Debug, Default)]
struct Lines {
    spend: Spend,
    /// Calls by their ids, and those whose sub-agent has steps.
    calls: HashMap<Box<str>, (StepNo, bool)>,
    /// Answers that stream events began: id and tokens of each, by the call of its sub-agent; the run's is empty.
    begun: HashMap<Box<str>, (Box<str>, Usage)>,
    /// The cost that results have reported, in US dollars.
    cost: f64,
    /// What results have reported, each since the one before: None where they do not.
    reported: Option<Usage>,
}

impl Adapter for Lines {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        if record.as_object().is_none() {
            let why = format!("the record is not a JSON object: it is {}", record.type_name());
            return log.finding(None, "data.invalid-json", Severity::Error, why);
        }
        let class = text(record, "type").unwrap_or("record");
        match record.get("message").filter(|_| matches!(class, "user" | "assistant")) {
            _ if class == "stream_event" => self.event(record, log),
            Some(message) => self.add_message(record, message, class, log),
            None => self.note(record, class, log),
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match (form, values.first()) {
            (NOTE, Some(record)) => Turn::of(StepRole::System, vec![TurnPart::Text(note_text(record))]),
            _ => log::show(form, values),
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect::ClaudeCode
    }

    fn restart(&mut self) {
        *self = Self::default();
    }
}

impl Lines {
    fn add_message(&mut self, record: &Value<'_>, message: &Value<'_>, class: &str, log: &mut Log<'_>) {
        let parent = text(record, "parent_tool_use_id");
        if let Some(parent) = parent {
            // Messages of a sub-agent follow one another: each is under the id of its call.
            log.thread(&Node {
                id: Some(parent),
                parent: Some(parent),
                is_side: true,
                is_turn: true,
                ..Node::default()
            });
        }
        let model = text(message, "model").filter(|_| parent.is_none()).map(Cow::Borrowed);
        log.surroundings(&Surroundings { model, ..Surroundings::default() });
        let usage = message.get("usage").and_then(usage_of);
        let id = text(message, "id").filter(|_| class == "assistant");
        let answer_spend = id.map(|id| self.spend.add_record(id, None, usage.as_ref().and_then(|usage| usage.output)));
        let blocks = Blocks {
            role: if class == "assistant" { StepRole::Agent } else { StepRole::User },
            class: Some(class),
            time: record.get("timestamp"),
            tokens: answer_spend.as_ref().and_then(|answer_spend| answer_spend.more),
            is_injected: record.get("isSynthetic").and_then(Value::as_bool) == Some(true),
            is_failed: class == "assistant" && record.get("error").is_some_and(|error| !error.is_null()),
            details: record.get("tool_use_result").filter(|details| details.as_object().is_some()),
            ..Blocks::of(message)
        };
        let steps = blocks.add_steps(log);
        match (answer_spend, usage) {
            (Some(answer_spend), Some(usage)) => log.usage(Some(&answer_spend.key), &usage),
            // Without an id a line is an answer of its own.
            (None, Some(usage)) if class == "assistant" => log.usage(None, &usage),
            _ => {}
        }
        self.link(message, parent, &steps, log);
    }

    /// Calls by their ids, and the first step of a sub-agent with its call.
    fn link(&mut self, message: &Value<'_>, parent: Option<&str>, steps: &[(Kind, StepNo)], log: &mut Log<'_>) {
        if let (Some((step, has_spoken)), Some((_, first))) =
            (parent.and_then(|parent| self.calls.get_mut(parent)), steps.first())
            && !std::mem::replace(has_spoken, true)
        {
            log.called_by(*first, *step);
        }
        let blocks = message.get("content").and_then(Value::as_array).into_iter().flatten();
        let calls = blocks.filter(|block| text(block, "type") == Some("tool_use"));
        for (call, (_, step)) in calls.zip(steps.iter().filter(|(kind, _)| *kind == Kind::Call)) {
            if let Some(id) = text(call, "id") {
                self.calls.insert(id.into(), (*step, false));
            }
        }
    }

    /// W10: the event at the end of an answer has all its tokens; the lines before have the count at its start.
    fn event(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let Some(event) = record.get("event") else { return };
        let parent = text(record, "parent_tool_use_id").unwrap_or_default();
        match (text(event, "type"), event.get("message")) {
            (Some("message_start"), Some(message)) => {
                let usage = message.get("usage").map(|usage| tokens_of(usage, None)).unwrap_or_default();
                let id = text(message, "id").unwrap_or_default();
                self.begun.insert(parent.into(), (id.into(), usage));
            }
            (Some("message_delta"), _) => {
                let Some((id, begun)) = self.begun.get(parent).filter(|(id, _)| !id.is_empty()) else { return };
                let Some(usage) = event.get("usage").map(|usage| tokens_of(usage, None)) else { return };
                let all = Usage {
                    input: usage.input.or(begun.input),
                    output: usage.output.or(begun.output),
                    cache_read: usage.cache_read.or(begun.cache_read),
                    cache_write: usage.cache_write.or(begun.cache_write),
                    cost: None,
                };
                log.usage(Some(id), &all);
            }
            _ => {}
        }
    }

    /// A line that is not a message.
    fn note(&mut self, record: &Value<'_>, class: &str, log: &mut Log<'_>) {
        let subtype = text(record, "subtype");
        let is_init = class == "system" && subtype == Some("init");
        let init_text = |key: &str| text(record, key).filter(|_| is_init).map(Cow::Borrowed);
        log.surroundings(&Surroundings {
            cwd: init_text("cwd"),
            model: init_text("model"),
            mode: init_text("permissionMode"),
            is_compaction: subtype == Some("compact_boundary"),
            ..Surroundings::default()
        });
        let values = [record];
        let shown = subtype.filter(|_| class == "system").unwrap_or(class);
        let is_failed = class == "result" && record.get("is_error").and_then(Value::as_bool) == Some(true);
        log.step(&Draft {
            role: StepRole::System,
            class: Some(shown),
            time: record.get("timestamp"),
            is_failed,
            ..Draft::of(Kind::State, NOTE, &values)
        });
        match subtype {
            Some("compact_boundary") => log.drop_before(log.next_step() - 1),
            Some("task_notification") => agent_ended(record, log),
            _ => {}
        }
        if class == "result" {
            ended(record, log.facts());
        }
        let (kind, slots): (&str, &[&str]) = match class {
            "result" => ("result", &RESULT),
            _ if is_init => ("session", &INIT),
            _ => return,
        };
        for slot in slots {
            if let Some(value) = record.get(slot) {
                log.write(kind, "main", &[*slot], Op::Update, value);
            }
        }
        self.cost(record, log);
    }

    /// The tokens that messages report, and the cost of the whole run so far that results report.
    fn cost(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        // Messages report the token count at their start. Old versions do not report tokens by model: their numbers
        // leave out sub-agents, and are never higher than the usage.
        if let Some(more) = of_models(record.get("model_usage_since_last_result")) {
            self.reported = Some(self.reported.take().unwrap_or_default().plus(&more));
        }
        let of_models = self.reported.or_else(|| of_models(record.get("modelUsage")));
        if let Some(all) = of_models.or_else(|| record.get("usage").and_then(usage_of)) {
            let known = log.total_usage();
            let more = |all: Option<u64>, known: Option<u64>| all.map(|all| all.saturating_sub(known.unwrap_or(0)));
            log.beyond(&Usage {
                input: more(all.input, known.input),
                output: more(all.output, known.output),
                cache_read: more(all.cache_read, known.cache_read),
                cache_write: more(all.cache_write, known.cache_write),
                cost: None,
            });
        }
        // The total counts on from earlier runs of a session that is resumed.
        let reported = self.reported.as_ref().and_then(|reported| reported.cost);
        let total = || record.get("total_cost_usd")?.as_number()?.parse::<f64>().ok();
        let cost = reported.or_else(total);
        if let Some(cost) = cost.filter(|cost| *cost > self.cost) {
            let more = cost - std::mem::replace(&mut self.cost, cost);
            log.cost(more);
        }
    }
}

/// An agent in the background has ended. It has the effects of the notice that the model gets.
fn agent_ended(record: &Value<'_>, log: &mut Log<'_>) {
    let (Some(call), Some(status)) = (text(record, "tool_use_id"), text(record, "status")) else { return };
    let words = format!("<tool-use-id>{call}</tool-use-id><status>{status}</status>");
    let notice = TurnPart::Text(format!("<task-notification>{words}</task-notification>").into());
    log.effects(&Turn::of(StepRole::System, vec![notice]));
}

/// What a result says of the run: how it ended, and what it took, with those before.
fn ended(record: &Value<'_>, facts: &mut RunFacts) {
    facts.finish = text(record, "subtype").map(str::to_owned);
    let ms = record.get("duration_ms").and_then(Value::as_number).and_then(|ms| ms.parse::<u64>().ok());
    if let Some(ms) = ms {
        facts.micros = Some(facts.micros.unwrap_or(0).saturating_add(ms.saturating_mul(MICROS_IN_MS)));
    }
}

/// The usage that a result reports by model.
fn of_models(models: Option<&Value<'_>>) -> Option<Usage> {
    let models = models.and_then(Value::as_object).into_iter().flat_map(|all| all.entries());
    models.map(|(_, usage)| of_model(usage)).reduce(|sum, one| sum.plus(&one))
}

/// The usage that a result reports of answers of one model.
fn of_model(usage: &Value<'_>) -> Usage {
    Usage {
        input: log::count(usage, "inputTokens"),
        output: log::count(usage, "outputTokens"),
        cache_read: log::count(usage, "cacheReadInputTokens"),
        cache_write: log::count(usage, "cacheCreationInputTokens"),
        cost: usage.get("costUSD").and_then(Value::as_number).and_then(|n| n.parse().ok()),
    }
}

/// The tokens of a message. Qwen Code writes such streams too: there the input counts what came from the cache, as the
/// total shows, and of the messages of one answer all but the last have no tokens.
fn usage_of(usage: &Value<'_>) -> Option<Usage> {
    let tokens = tokens_of(usage, None);
    let Some(total) = log::count(usage, "total_tokens") else {
        return (tokens.input != Some(0) || tokens.output != Some(0)).then_some(tokens);
    };
    let is_among = total == tokens.input.unwrap_or(0).saturating_add(tokens.output.unwrap_or(0));
    let cached = tokens.cache_read.filter(|_| is_among).unwrap_or(0);
    Some(Usage { input: tokens.input.map(|input| input.saturating_sub(cached)), ..tokens })
}

/// The turn of a line that is not a message.
fn note_text<'v>(record: &'v Value<'v>) -> Cow<'v, str> {
    let text =
        ["result", "content", "text", "description", "summary", "suggestion"].iter().find_map(|key| text(record, key));
    let text = text.or_else(|| record.get("error").and_then(error_parts)).filter(|text| !text.is_empty());
    text.map_or_else(|| Cow::Owned(describe::note(record)), Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Place, Record, RecordBody, Span, Standing};

    #[test]
    fn an_array_of_the_lines_is_the_same_run_and_a_result_is_no_turn() {
        use super::super::log::tests::report_of;
        let array = format!("[{}]", STREAM.lines().collect::<Vec<_>>().join(","));
        let (of_lines, of_array) = (
            report_of(ClaudeStream.run(), &ClaudeStream, STREAM),
            report_of(ClaudeStream.run(), &ClaudeStream, &array),
        );
        assert_eq!((of_lines.kinds.len(), of_array.summaries), (4, of_lines.summaries.clone()));
        assert_eq!(
            (of_lines.value("/usage/main/turns"), of_lines.value("/usage/main/cost")),
            ("1".to_owned(), "0.01".to_owned())
        );
    }

    #[test]
    fn an_agent_in_the_background_ends_when_an_event_says_so() {
        use super::super::log::tests::report_of;
        let init = STREAM.lines().next().unwrap();
        let call = r#"{"type":"assistant","session_id":"s1","message":{"id":"m","role":"assistant","content":[
            {"type":"tool_use","id":"t","name":"Agent","input":{"description":"look"}}]}}"#;
        let launch = r#"{"type":"user","session_id":"s1","message":{"role":"user","content":[
            {"type":"tool_result","tool_use_id":"t","content":"Async agent launched successfully.\nagentId: a"}]}}"#;
        let end = r#"{"type":"system","subtype":"task_notification","session_id":"s1","tool_use_id":"t","status":"X"}"#;
        let status = |end: &str| {
            let lines = [init, &call.replace('\n', ""), &launch.replace('\n', ""), end].join("\n");
            report_of(ClaudeStream.run(), &ClaudeStream, &lines).value("/sub/@1/status")
        };
        let ends = ["", &end.replace('X', "completed"), &end.replace('X', "stopped")];
        assert_eq!(ends.map(status), ["\"running\"", "\"done\"", "\"failed\""]);
    }

    #[test]
    fn a_run_that_goes_on_with_a_session_cost_what_it_took_itself() {
        use super::super::log::tests::report_of;
        let models = |tokens: u32, cost: f64| {
            format!(r#"{{"m":{{"inputTokens":{tokens},"outputTokens":{tokens},"costUSD":{cost}}}}}"#)
        };
        let result = |total: f64, all: &str, since: &str| {
            format!(
                r#"{{"type":"result","subtype":"success","session_id":"s1","total_cost_usd":{total},"modelUsage":{all},
                "model_usage_since_last_result":{since}}}"#
            )
            .replace('\n', "")
        };
        let init = STREAM.lines().next().unwrap();
        let lines = [
            init.to_owned(),
            result(0.75, &models(70, 0.75), &models(20, 0.25)),
            result(1.25, &models(100, 1.25), &models(30, 0.5)),
        ];
        let report = report_of(ClaudeStream.run(), &ClaudeStream, &lines.join("\n"));
        let values = ["input", "output", "cost"].map(|slot| report.value(&format!("/usage/main/{slot}")));
        assert_eq!(values, ["50", "50", "0.75"]);
    }

    #[test]
    fn messages_results_and_sub_agents_of_a_stream() {
        let mut lines: Vec<&str> = STREAM.lines().collect();
        let event = r#"{"type":"stream_event","session_id":"s1","event":{"type":"message_start"}}"#;
        let side = concat!(
            r#"{"type":"assistant","session_id":"s1","parent_tool_use_id":"t1","#,
            r#""message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"I look."}]}}"#,
        );
        lines.splice(2..2, [event, side]);
        let bytes = lines.join("\n").into_bytes();
        let mut run = ClaudeStream.run();
        let mut offset = 0;
        for (number, text) in lines.iter().enumerate() {
            let span = Span { offset, len: text.len() as u64 };
            let record = Record { number, place: Place { span, line: 0 }, body: RecordBody::Text, is_row: false };
            run.push(&record, text.as_bytes(), &bytes);
            offset = span.end() + 1;
        }
        run.finish(&bytes);
        let steps: Vec<_> = (0..5).map(|step| run.step(step, &bytes)).collect();
        let kinds: Vec<&str> = steps.iter().map(|step| step.kind.as_str()).collect();
        assert_eq!(kinds, ["state", "tool-call", "message", "tool-result", "state"]);
        assert_eq!((steps[2].standing, steps[2].caller, steps[3].answers), (Standing::SubAgent, Some(1), Some(1)));
        assert_eq!((steps[4].summary.as_str(), run.step_count()), ("One file.", 5));
        let numbers: Vec<StepNo> = run.view(3, &bytes).iter().map(|entry| entry.step).collect();
        assert_eq!(numbers, [1, 3]);
        let state: String = run.state(4, &bytes).iter().map(|(_, value)| value.to_string()).collect();
        assert!(state.replace(": ", ":").contains(r#""num_turns":2"#) && state.contains("0.01"), "{state}");
    }
}
