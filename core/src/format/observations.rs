//! Traces whose spans have a type, an input and an output: observations of Langfuse, spans of the OpenAI Agents SDK.

use super::call_time::span_ms;
use super::log::{
    Adapter, Arrange, Copies, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, count, first, first_text, items,
    model_usage, text, text_of, write_slots,
};
use super::otel::groups::Groups;
use super::otel::messages::turns;
use super::otel::nesting::Nesting;
use super::otel::order::{Order, SpanKeys};
use super::otel::span_text::words;
use super::{Framing, describe};
use crate::json::{self, Value};
use crate::model::{ModelRequest, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage};
use std::borrow::Cow;
use std::collections::HashSet;

/// Observations of Langfuse.
pub(super) static LANGFUSE: Row = Row {
    name: "langfuse",
    title: "Langfuse observations",
    about: "Observations of Langfuse as its interface and its exports give them: objects with `traceId`, `type`, \
            `startTime`, by themselves, in `data`, or in the `observations` of a trace. An observation is a step, and \
            so is a trace that comes with its observations; those of a trace stand together, in the order in which \
            they began, and traces of one `sessionId` are one trajectory. State: what traces say of themselves; usage \
            and cost of what models answered.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Observations::default())),
    has_trajectories: true,
    samples: &[TRACE],
    ..Row::BASE
};

/// Traces of the OpenAI Agents SDK.
pub(super) static AGENT_TRACES: Row = Row {
    name: "openai-agents",
    title: "OpenAI Agents traces",
    about: "Traces of the OpenAI Agents SDK as its processors export them: lines or an array of `trace` and \
            `trace.span` objects, each span with its `span_data`. A span is a step, and so is a trace; those of a \
            trace stand together, in the order in which they began, and traces of one `group_id` are one trajectory. \
            State: what traces say of themselves; usage of what models answered.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Observations::default())),
    detect: Some(|head| {
        let is_one = |record: &Value<'_>| matches!(text(record, "object"), Some("trace" | "trace.span"));
        let are_all = head.iter().all(is_one) && head.iter().any(is_span);
        let reason = "objects `trace` and `trace.span` with their `span_data`".to_owned();
        are_all.then_some(super::Match { reason })
    }),
    has_trajectories: true,
    samples: &[SPANS],
    ..Row::BASE
};

/// A trace with an answer and a tool.
const TRACE: &str = r#"{"id":"t1","timestamp":"2026-05-01T10:00:00.000Z","name":"help","sessionId":"s","userId":null,
    "tags":["x"],"input":"list it","output":"a.txt","metadata":{},"totalCost":0.5,"scores":[],"observations":[
    {"id":"o2","traceId":"t1","parentObservationId":null,"type":"TOOL","name":"ls","level":"DEFAULT",
     "startTime":"2026-05-01T10:00:02.000Z","endTime":"2026-05-01T10:00:02.250Z","input":{"path":"x"},"output":"a.txt"},
    {"id":"o1","traceId":"t1","parentObservationId":null,"type":"GENERATION","name":"chat","level":"DEFAULT",
     "startTime":"2026-05-01T10:00:01.000Z","endTime":"2026-05-01T10:00:02.000Z","model":"m",
     "input":[{"role":"user","content":"list it"}],"output":{"role":"assistant","content":"I look."},
     "usageDetails":{"input":9,"output":4,"total":13},"costDetails":{"total":0.5}}]}"#;

/// A run with an answer and a tool that fails; spans are written when they end.
const SPANS: &str = concat!(
    r#"{"object":"trace","id":"trace_1","workflow_name":"Help","group_id":null,"metadata":null}"#,
    "\n",
    r#"{"object":"trace.span","id":"span_2","trace_id":"trace_1","parent_id":"span_1","#,
    r#""started_at":"2026-05-01T10:00:01.000000+00:00","ended_at":"2026-05-01T10:00:02.000000+00:00","#,
    r#""span_data":{"type":"generation","input":[{"role":"user","content":"list it"}],"output":[{"role":"#,
    r#""assistant","content":"I look."}],"model":"m","model_config":{},"usage":{"input_tokens":9,"#,
    r#""output_tokens":4}},"error":null}"#,
    "\n",
    r#"{"object":"trace.span","id":"span_3","trace_id":"trace_1","parent_id":"span_1","#,
    r#""started_at":"2026-05-01T10:00:02.000000+00:00","ended_at":"2026-05-01T10:00:02.250000+00:00","#,
    r#""span_data":{"type":"function","name":"ls","input":"{\"path\":\"x\"}","output":null,"mcp_data":null},"#,
    r#""error":{"message":"no such folder","data":{}}}"#,
    "\n",
    r#"{"object":"trace.span","id":"span_1","trace_id":"trace_1","parent_id":null,"#,
    r#""started_at":"2026-05-01T10:00:00.000000+00:00","ended_at":"2026-05-01T10:00:03.000000+00:00","#,
    r#""span_data":{"type":"agent","name":"clerk","handoffs":[],"tools":["ls"],"output_type":"str"},"error":null}"#,
);

/// A span, one that is a call, and a trace.
const SPAN: Form = FIRST_ADAPTER_FORM;
const CALL: Form = FIRST_ADAPTER_FORM + 1;

/// Whether a record is a span of the Agents SDK.
fn is_span(record: &Value<'_>) -> bool {
    record.get("span_data").is_some_and(|data| text(data, "type").is_some())
}

/// Whether a record is a trace, and no span of one.
fn is_trace(record: &Value<'_>) -> bool {
    text(record, "object") == Some("trace") || text(record, "traceId").is_none() && record.get("span_data").is_none()
}

/// What a span is about.
fn data<'v, 'a>(span: &'v Value<'a>) -> &'v Value<'a> {
    span.get("span_data").unwrap_or(span)
}

/// The keys by which spans are put in order.
const KEYS: SpanKeys = SpanKeys {
    each,
    trace: |span| first_text(span, &["traceId", "trace_id"]).or_else(|| text(span, "id")).unwrap_or_default(),
    conversation: |span| first_text(span, &["sessionId", "group_id"]).unwrap_or_default(),
    id: |span| text(span, "id").filter(|id| !id.is_empty()),
    parent,
    // A trace that does not say when it began comes before its spans.
    time: |span| began(span).or_else(|| span.get("id").filter(|_| is_trace(span)).map(|_| &ZERO)),
};

/// When a span or a trace says that it began.
fn began<'v, 'a>(span: &'v Value<'a>) -> Option<&'v Value<'a>> {
    first(span, &["startTime", "start_time", "started_at", "timestamp"])
}

static ZERO: Value<'static> = Value { start: 0, text: "0", data: json::Data::Number };

/// The span that one is in, else its trace.
fn parent<'v>(span: &'v Value<'_>) -> Option<&'v str> {
    let named = first_text(span, &["parentObservationId", "parent_observation_id", "parent_id"]);
    named.or_else(|| first_text(span, &["traceId", "trace_id"])).filter(|_| !is_trace(span))
}

/// The spans of a record: it itself, what it lists, and what a trace has.
fn each<'v, 'a>(value: &'v Value<'a>, take: &mut dyn FnMut(&'v Value<'a>)) {
    let listed = items(value, "data");
    let all = if listed.is_empty() { std::slice::from_ref(value) } else { listed };
    for one in all {
        take(one);
        items(one, "observations").iter().filter(|inner| inner.as_object().is_some()).for_each(&mut *take);
    }
}

/// Reads the spans in order.
#[derive(Default)]
struct Observations {
    groups: Groups,
    nesting: Nesting,
    trajectories: HashSet<usize>,
    copies: Copies,
}

impl Adapter for Observations {
    fn arrange(&self) -> Option<Box<dyn Arrange>> {
        Some(Box::new(Order::new(self.groups.clone(), self.nesting.clone(), KEYS)))
    }

    fn read(&mut self, span: &Value<'_>, log: &mut Log<'_>) {
        let trace = (KEYS.trace)(span);
        if text(span, "id").is_some_and(|id| self.copies.has(&format!("{trace} {id}"), span.text)) {
            return;
        }
        log.enter_depth(self.nesting.depth(trace, parent(span)));
        self.begin(trace, span, log);
        let of = data(span);
        let model = first_text(of, &["model", "providedModelName"]).map(Cow::Borrowed);
        log.surroundings(&Surroundings { model, ..Surroundings::default() });
        let usage = if is_answer(of) { usage(of) } else { None };
        let says_something = is_answer(of) && text(of, "type") != Some("EMBEDDING");
        let (kind, form) = match is_call(of) {
            true => (Kind::Call, CALL),
            false if says_something => (Kind::Answer, SPAN),
            false => (Kind::Span, SPAN),
        };
        let (values, time) = ([span], began(span));
        let class = first_text(of, &["name", "workflow_name", "type"]).or(Some("trace"));
        let tokens = usage.as_ref().and_then(|usage| usage.output);
        let is_failed = form == SPAN && fault(span).is_some();
        let draft = Draft { role: StepRole::Agent, class, time, tokens, ..Draft::of(kind, form, &values) };
        log.step(&Draft { is_failed, ..draft });
        if let Some(usage) = usage {
            log.usage(None, &usage);
        }
        if is_trace(span) {
            const SLOTS: [&str; 10] = [
                "workflow_name",
                "name",
                "sessionId",
                "group_id",
                "userId",
                "release",
                "version",
                "tags",
                "metadata",
                "scores",
            ];
            write_slots(log, "trace", trace, span, &SLOTS);
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&span) = values.first() else { return Turn::default() };
        Turn::of(StepRole::Agent, if form == CALL { call(span) } else { span_parts(span) })
    }

    fn request(form: Form, values: &[&Value<'_>]) -> Option<ModelRequest> {
        let span = values.first()?;
        let of = data(span);
        let messages = match form {
            CALL => Vec::new(),
            _ if is_answer(of) => {
                let input = first(of, &["input"]).map(|input| input.get("messages").unwrap_or(input));
                let asked = input.map(|input| turns(input, StepRole::User)).unwrap_or_default();
                let answered = first(of, &["output"]).map(|output| turns(output, StepRole::Agent)).unwrap_or_default();
                Some(asked.into_iter().chain(answered).collect::<Vec<_>>()).filter(|all| !all.is_empty())?
            }
            _ => return None,
        };
        Some(ModelRequest { trajectory: (KEYS.trace)(span).to_owned(), messages })
    }

    const HAS_REQUESTS: bool = true;

    fn restart(&mut self) {
        let (groups, nesting) = (self.groups.clone(), self.nesting.clone());
        *self = Self { groups, nesting, ..Self::default() };
    }
}

impl Observations {
    /// The trajectory of a trace begins with its first span.
    fn begin(&mut self, trace: &str, span: &Value<'_>, log: &mut Log<'_>) {
        let (group, name) = self.groups.group(trace);
        let is_first = self.trajectories.is_empty();
        if !self.trajectories.insert(group) {
            return;
        }
        log.trajectory(self.trajectories.len() - 1);
        let title = first_text(span, &["name", "workflow_name"]).filter(|_| is_trace(span));
        if is_first {
            log.title(title.unwrap_or(&name));
        } else {
            log.begin_trajectory(&name);
        }
    }
}

/// Whether a span is the call of a tool.
fn is_call(of: &Value<'_>) -> bool {
    matches!(text(of, "type"), Some("TOOL" | "function"))
}

/// Whether a span is an answer of a model.
fn is_answer(of: &Value<'_>) -> bool {
    matches!(text(of, "type"), Some("GENERATION" | "EMBEDDING" | "generation" | "response"))
}

/// Why a span failed.
fn fault<'v>(span: &'v Value<'v>) -> Option<Cow<'v, str>> {
    if let Some(error) = first(span, &["error"]) {
        return Some(text_of(first(error, &["message"]).unwrap_or(error)));
    }
    let is_error = text(span, "level") == Some("ERROR");
    is_error.then(|| Cow::Borrowed(text(span, "statusMessage").unwrap_or_default()))
}

/// What an answer cost. Of Langfuse the input leaves out what a cache had.
fn usage(of: &Value<'_>) -> Option<Usage> {
    let cost = first(of, &["calculatedTotalCost", "totalCost"]).or_else(|| first(of.get("costDetails")?, &["total"]));
    let cost = cost.and_then(|cost| cost.as_number().or_else(|| cost.as_str())?.parse().ok());
    let is_filled = |usage: &&Value<'_>| usage.as_object().is_some_and(|usage| usage.entries().next().is_some());
    let named = ["usageDetails", "usage"].iter().find_map(|key| of.get(key).filter(is_filled)).unwrap_or(of);
    let counted = |keys: &[&str]| keys.iter().find_map(|key| count(named, key));
    let input = counted(&["input", "inputUsage"]);
    let output = counted(&["output", "outputUsage"]);
    let usage = if input.or(output).is_some() {
        let cache_read = counted(&["cache_read_input_tokens", "input_cached_tokens", "input_cache_read"]);
        let cache_write = counted(&["cache_creation_input_tokens", "input_cache_creation"]);
        Usage { input, output, cache_read, cache_write, cost }
    } else {
        let usage = model_usage(named);
        Usage { cost: usage.cost.or(cost), ..usage }
    };
    (usage.input.or(usage.output).is_some() || cost.is_some()).then_some(usage)
}

/// A call and what came back from it.
fn call<'v>(span: &'v Value<'v>) -> Vec<TurnPart<'v>> {
    let of = data(span);
    let name = Cow::Borrowed(text(of, "name").unwrap_or("?"));
    let arguments = first(of, &["input"]).map_or(Cow::Borrowed("{}"), |input| match input.as_str() {
        // JSON in a string is the arguments themselves.
        Some(inner) if json::parse(inner).is_ok_and(|value| value.as_object().is_some()) => Cow::Borrowed(inner),
        _ => Cow::Borrowed(input.text),
    });
    let (failed, output) = (fault(span), first(of, &["output"]).map(text_of));
    let is_error = failed.is_some().then_some(true);
    let words = failed.filter(|words| !words.is_empty()).or(output);
    let times = [["startTime", "started_at"], ["endTime", "ended_at"]].map(|keys| first(span, &keys));
    let result = words.map(|text| ToolResult {
        name: Some(name.clone()),
        text,
        is_error,
        span_ms: span_ms(times[0], times[1]),
        ..ToolResult::default()
    });
    let call = ToolCall { id: None, name: name.clone(), arguments };
    std::iter::once(TurnPart::Call(call)).chain(result.map(TurnPart::Result)).collect()
}

/// Members of a span of the Agents SDK that do not say what it is about.
const ASIDE: [&str; 9] =
    ["type", "input", "output", "usage", "model", "model_config", "data", "response_id", "output_type"];

/// What a span led to, else why it failed, else what it began with, else what it is.
fn span_parts<'v>(span: &'v Value<'v>) -> Vec<TurnPart<'v>> {
    let of = data(span);
    let of_member = |key: &str| first(of, &[key]).map(words).filter(|words| !words.trim().is_empty());
    let found = fault(span).filter(|words| !words.is_empty()).or_else(|| of_member("output"));
    let found = found.or_else(|| of_member("input")).or_else(|| of_member("data"));
    let named = || first_text(of, &["workflow_name", "name"]).map(Cow::Borrowed);
    let note = || Cow::Owned(describe::note_without(of, &ASIDE));
    let is_plain = span.get("span_data").is_none();
    let words = found.unwrap_or_else(|| named().filter(|_| is_plain).unwrap_or_else(note));
    vec![TurnPart::Text(words)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use crate::format::log::testing::{growing, lines, run_of_record, state, steps};

    fn depths(run: &dyn crate::format::Run, bytes: &Vec<u8>) -> Vec<u8> {
        (0..).take(run.step_count()).map(|number| run.step(number, bytes).depth).collect()
    }

    #[test]
    fn observations_stand_in_their_trace_as_they_began() {
        let parsed = run_of_record(&LANGFUSE, TRACE);
        assert_eq!(steps(&parsed), ["span agent: a.txt", "span agent: I look.", "tool-call agent: ls x · a.txt"]);
        assert_eq!(depths(&*parsed.0, &parsed.1), [0, 1, 1]);
        assert_eq!(state(&parsed, "usage", 2), r#"{"main":{"input":9,"output":4,"turns":1,"cost":0.5}}"#);
        assert_eq!((parsed.0.title().as_deref(), parsed.0.trajectory_count()), (Some("help"), 1));
        assert!(state(&parsed, "run", 2).contains(r#""model":"m""#));
        let asked = parsed.0.model_request(1, &parsed.1).unwrap().messages;
        assert_eq!(asked.iter().map(|turn| turn.role.name()).collect::<Vec<_>>(), ["user", "agent"]);
        assert_eq!(parsed.0.work().and_then(|work| work.took_ms(2)), Some(250));
    }

    #[test]
    fn observations_without_their_traces_are_of_the_session_that_they_name() {
        let one = |id: &str, trace: &str, at: u8, rest: &str| {
            let time = format!(r#""startTime":"2026-05-01T10:00:0{at}.000Z""#);
            format!(r#"{{"id":"{id}","traceId":"{trace}",{time},"sessionId":"s","name":"{id}",{rest}}}"#)
        };
        let failed = r#""type":"GENERATION","level":"ERROR","statusMessage":"no quota","usage":{"promptTokens":3}"#;
        let all = [
            one("c", "t2", 3, r#""type":"EVENT","input":"then""#),
            one("b", "t1", 2, failed),
            one("a", "t1", 1, r#""type":"SPAN","output":{"answer":4}"#),
        ];
        let whole = lines(&LANGFUSE, &all.join("\n"));
        assert_eq!(steps(&whole), [r#"span agent: {"answer":4}"#, "span agent: no quota", "span agent: then"]);
        assert_eq!((whole.0.error_steps(), whole.0.trajectory_count()), (vec![1], 1));
        assert!(state(&whole, "usage", 2).contains(r#""input":3"#), "{}", state(&whole, "usage", 2));
        assert_eq!(steps(&growing(&LANGFUSE, &all.join("\n"))), steps(&whole));
        let listed = run_of_record(&LANGFUSE, &format!(r#"{{"data":[{}],"meta":{{}}}}"#, all.join(",")));
        assert_eq!(steps(&listed), steps(&whole));
    }

    #[test]
    fn spans_of_the_agents_sdk_stand_below_their_trace() {
        for parsed in [lines(&AGENT_TRACES, SPANS), growing(&AGENT_TRACES, SPANS)] {
            let expected =
                ["span agent: Help", "span agent: ", "span agent: I look.", "tool-call agent: ls x · no such folder"];
            let found = steps(&parsed);
            assert!(found.iter().zip(expected).all(|(found, wanted)| found.starts_with(wanted)), "{found:?}");
            assert!(found[1].contains("clerk"), "{found:?}");
            assert_eq!(depths(&*parsed.0, &parsed.1), [0, 1, 2, 2]);
            assert_eq!(parsed.0.error_steps(), [3]);
            assert_eq!(state(&parsed, "usage", 3), r#"{"main":{"input":9,"output":4,"turns":1}}"#);
        }
    }

    #[test]
    fn objects_of_other_interfaces_are_no_traces() {
        let is_one = |text: &str| AGENT_TRACES.detect(&[json::parse(text).unwrap()]).is_some();
        assert!(is_one(SPANS.lines().nth(1).unwrap()));
        assert!(!is_one(r#"{"object":"trace","id":"x"}"#));
        assert!(!is_one(r#"{"object":"chat.completion","span_data":{"type":"function"}}"#));
    }
}
