//! Traces whose spans have a type, an input and an output: observations of Langfuse, spans of the OpenAI Agents SDK,
//! calls of Weave, rows of Braintrust.

mod batch;
mod members;

use super::Framing;
use super::log::{
    Adapter, Arrange, Copies, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, first, first_text, items, text,
    write_slots,
};
use super::otel::groups::Groups;
use super::otel::nesting::Nesting;
use super::otel::order::{Order, SpanKeys};
use crate::json::{self, Value};
use crate::model::{ModelRequest, StepRole, Surroundings, Turn};
use members::{call, fault, is_answer, is_call, messages, model, span_parts, usage};
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

/// Calls of Weave.
pub(super) static WEAVE: Row = Row {
    name: "weave",
    title: "Weave calls",
    about: "Calls of Weave (Weights & Biases) as its client and its exports give them: objects with `op_name`, \
            `trace_id`, `started_at`, `inputs` and `output`. A call is a step; those of a trace stand together, in the \
            order in which they began. What was called with messages and gave back choices is an answer of a model. \
            State: what the first call of a trace says of it; usage of what models answered.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Observations::default())),
    has_trajectories: true,
    samples: &[WEAVE_CALLS],
    ..Row::BASE
};

/// Rows of Braintrust.
pub(super) static BRAINTRUST: Row = Row {
    name: "braintrust",
    title: "Braintrust logs",
    about: "Rows of logs and experiments of Braintrust: objects with `span_id`, `root_span_id` and `span_attributes`, \
            by themselves or below `events`. A row is a step; those of a trace stand together, in the order in which \
            they began. State: name, scores, tags and what was expected of a trace; usage of what models answered.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Observations::default())),
    has_trajectories: true,
    samples: &[BRAINTRUST_ROWS],
    ..Row::BASE
};

/// What is sent to Langfuse.
pub(super) static LANGFUSE_BATCH: Row = Row {
    name: "langfuse",
    title: "Langfuse events",
    about: "Events as they are sent to Langfuse: an object with a `batch` of objects with `type` (`trace-create`, \
            `generation-update`) and `body`, or these by themselves. An observation is a step, with all that was sent \
            of it. Everything else is as in the rows above, but that scores are state.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(batch::Events::default())),
    detect: Some(batch::detect),
    has_trajectories: true,
    samples: &[batch::BATCH],
    ..Row::BASE
};

/// Calls of a trace: the last one failed.
const WEAVE_CALLS: &str = concat!(
    r#"{"id":"b","project_id":"e/p","op_name":"weave:///e/p/op/openai.chat.completions.create:d","trace_id":"t","#,
    r#""parent_id":"a","started_at":"2026-05-01T10:00:01.000Z","ended_at":"2026-05-01T10:00:02.000Z","attributes":{},"#,
    r#""inputs":{"model":"m","messages":[{"role":"user","content":"list it"}]},"output":{"model":"m","choices":[{"#,
    r#""message":{"role":"assistant","content":"I look."}}],"usage":{"prompt_tokens":9,"completion_tokens":4}}}"#,
    "\n",
    r#"{"id":"a","project_id":"e/p","op_name":"weave:///e/p/op/clerk:d","display_name":null,"trace_id":"t","#,
    r#""parent_id":null,"started_at":"2026-05-01T10:00:00.000Z","ended_at":"2026-05-01T10:00:04.000Z","#,
    r#""attributes":{},"inputs":{"q":"list it"},"output":"a.txt","exception":null,"#,
    r#""summary":{"usage":{"m":{"prompt_tokens":9}}}}"#,
    "\n",
    r#"{"id":"c","project_id":"e/p","op_name":"weave:///e/p/op/ls:d","trace_id":"t","parent_id":"a","#,
    r#""started_at":"2026-05-01T10:00:02.000Z","attributes":{},"inputs":{"path":"x"},"output":null,"#,
    r#""exception":"no such folder"}"#,
);

/// Rows of a trace, newest first.
const BRAINTRUST_ROWS: &str = concat!(
    r#"{"id":"3","span_id":"c","root_span_id":"a","span_parents":["a"],"created":"2026-05-01T10:00:02.000Z","#,
    r#""span_attributes":{"name":"ls","type":"tool"},"input":{"path":"x"},"output":null,"error":"no such folder","#,
    r#""metrics":{"start":1777629602.5,"end":1777629602.75}}"#,
    "\n",
    r#"{"id":"2","span_id":"b","root_span_id":"a","span_parents":["a"],"created":"2026-05-01T10:00:01.000Z","#,
    r#""span_attributes":{"name":"Chat Completion","type":"llm"},"input":[{"role":"user","content":"list it"}],"#,
    r#""output":[{"index":0,"message":{"role":"assistant","content":"I look."}}],"metadata":{"model":"m"},"#,
    r#""metrics":{"start":1777629601.0,"end":1777629602.0,"prompt_tokens":9,"completion_tokens":4,"#,
    r#""prompt_cached_tokens":2}}"#,
    "\n",
    r#"{"id":"1","span_id":"a","root_span_id":"a","span_parents":null,"is_root":true,"#,
    r#""created":"2026-05-01T10:00:00.000Z","span_attributes":{"name":"clerk","type":"task"},"input":"list it","#,
    r#""output":"a.txt","scores":{"right":1},"metrics":{"start":1777629600.0,"end":1777629603.0}}"#,
);

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
    text(record, "object") == Some("trace") || trace_of(record).is_none() && record.get("span_data").is_none()
}

/// The trace that a span names.
fn trace_of<'v>(span: &'v Value<'_>) -> Option<&'v str> {
    first_text(members::data(span), &["traceId", "trace_id", "root_span_id"]).or_else(|| text(span, "trace_id"))
}

/// Whether it is a trace, or the span of one that begins it, of libraries that have no traces.
fn is_root(span: &Value<'_>) -> bool {
    let has_no_traces = first(span, &["op_name", "root_span_id"]).is_some();
    is_trace(span) || (has_no_traces && named_parent(span).is_none())
}

/// The keys by which spans are put in order.
const KEYS: SpanKeys = SpanKeys {
    each,
    trace: |span| trace_of(span).or_else(|| id(span)).unwrap_or_default(),
    conversation: |span| first_text(members::data(span), &["sessionId", "group_id"]).unwrap_or_default(),
    id,
    parent,
    // A trace that does not say when it began comes before its spans.
    time: |span| members::began(span).or_else(|| span.get("id").filter(|_| is_trace(span)).map(|_| &ZERO)),
};

static ZERO: Value<'static> = Value { start: 0, text: "0", data: json::Data::Number };

/// The id of a span; of a row of Braintrust it is beside the id of the row.
fn id<'v>(span: &'v Value<'_>) -> Option<&'v str> {
    let of_row = text(span, "root_span_id").and_then(|_| text(span, "span_id"));
    of_row.or_else(|| text(members::data(span), "id").or_else(|| text(span, "id"))).filter(|id| !id.is_empty())
}

/// The span that one says that it is in.
fn named_parent<'v>(span: &'v Value<'_>) -> Option<&'v str> {
    let of_row = || items(span, "span_parents").first().and_then(Value::as_str);
    const NAMES: [&str; 3] = ["parentObservationId", "parent_observation_id", "parent_id"];
    first_text(members::data(span), &NAMES).or_else(|| text(span, "parent_id")).or_else(of_row)
}

/// The span that one is in, else its trace.
fn parent<'v>(span: &'v Value<'_>) -> Option<&'v str> {
    named_parent(span).or_else(|| trace_of(span).filter(|_| !is_root(span))).filter(|_| !is_trace(span))
}

/// The spans of a record: it itself, what it lists, and what a trace has.
fn each<'v, 'a>(value: &'v Value<'a>, take: &mut dyn FnMut(&'v Value<'a>)) {
    let listed = ["data", "events", "objects"].into_iter().map(|name| items(value, name)).find(|list| !list.is_empty());
    let all = listed.filter(|_| trace_of(value).is_none()).unwrap_or(std::slice::from_ref(value));
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
        if id(span).is_some_and(|id| self.copies.has(&format!("{trace} {id}"), span.text)) {
            return;
        }
        log.enter_depth(self.nesting.depth(trace, parent(span)));
        self.begin(trace, span, log);
        let parts = [span];
        log.surroundings(&Surroundings { model: model(&parts).map(Cow::Borrowed), ..Surroundings::default() });
        let usage = if is_answer(&parts) { usage(&parts) } else { None };
        let (kind, form) = kind_of(&parts);
        let (class, time) = (Some(members::class(&parts)), members::began(span));
        let tokens = usage.as_ref().and_then(|usage| usage.output);
        let is_failed = form == SPAN && fault(&parts).is_some();
        let draft = Draft { role: StepRole::Agent, class, time, tokens, ..Draft::of(kind, form, &parts) };
        log.step(&Draft { is_failed, ..draft });
        if let Some(usage) = usage {
            log.usage(None, &usage);
        }
        if is_root(span) {
            write_slots(log, "trace", trace, span, &SLOTS);
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        show(form, values)
    }

    fn request(form: Form, values: &[&Value<'_>]) -> Option<ModelRequest> {
        request(form, values)
    }

    fn has_requests(&self) -> bool {
        true
    }

    fn restart(&mut self) {
        let (groups, nesting) = (self.groups.clone(), self.nesting.clone());
        *self = Self { groups, nesting, ..Self::default() };
    }
}

/// What a trace says of itself.
const SLOTS: [&str; 13] = [
    "workflow_name",
    "name",
    "op_name",
    "sessionId",
    "group_id",
    "userId",
    "release",
    "version",
    "tags",
    "metadata",
    "attributes",
    "expected",
    "scores",
];

/// What a step of a span is.
fn kind_of(parts: &[&Value<'_>]) -> (Kind, Form) {
    match () {
        () if is_call(parts) => (Kind::Call, CALL),
        () if is_answer(parts) && !members::is_embedding(parts) => (Kind::Answer, SPAN),
        () => (Kind::Span, SPAN),
    }
}

fn show<'v>(form: Form, parts: &[&'v Value<'v>]) -> Turn<'v> {
    Turn::of(StepRole::Agent, if form == CALL { call(parts) } else { span_parts(parts) })
}

fn request(form: Form, parts: &[&Value<'_>]) -> Option<ModelRequest> {
    let trajectory = (KEYS.trace)(parts.first()?).to_owned();
    let messages = match form {
        CALL => Vec::new(),
        _ if is_answer(parts) => Some(messages(parts)).filter(|messages| !messages.is_empty())?,
        _ => return None,
    };
    Some(ModelRequest { trajectory, messages })
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
        let title = members::name(&[span]).filter(|_| is_root(span));
        if is_first {
            log.title(title.unwrap_or(&name));
        } else {
            log.begin_trajectory(&name);
        }
    }
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
    fn calls_of_weave_and_rows_of_braintrust_stand_as_they_began() {
        for (row, sample, usage) in [
            (&WEAVE, WEAVE_CALLS, r#"{"main":{"input":9,"output":4,"turns":1}}"#),
            (&BRAINTRUST, BRAINTRUST_ROWS, r#"{"main":{"input":7,"output":4,"cache_read":2,"turns":1}}"#),
        ] {
            for parsed in [lines(row, sample), growing(row, sample)] {
                let found = steps(&parsed);
                assert_eq!(found[..2], ["span agent: a.txt", "span agent: I look."]);
                assert!(found[2].contains("no such folder"), "{found:?}");
                assert_eq!(depths(&*parsed.0, &parsed.1), [0, 1, 1]);
                assert_eq!((parsed.0.error_steps(), parsed.0.title().as_deref()), (vec![2], Some("clerk")));
                assert_eq!(state(&parsed, "usage", 2), usage);
                assert!(state(&parsed, "run", 2).contains(r#""model":"m""#));
                let asked = parsed.0.model_request(1, &parsed.1).unwrap().messages;
                assert_eq!(asked.iter().map(|turn| turn.role.name()).collect::<Vec<_>>(), ["user", "agent"]);
            }
        }
        let rows = lines(&BRAINTRUST, BRAINTRUST_ROWS);
        assert_eq!(steps(&rows)[2], "tool-call agent: ls x · no such folder");
        assert_eq!(rows.0.work().and_then(|work| work.took_ms(2)), Some(250));
        assert!(state(&rows, "trace", 0).contains(r#""scores":{"right":1}"#));
        let listed = format!(r#"{{"events":[{}],"cursor":null}}"#, BRAINTRUST_ROWS.replace('\n', ","));
        assert_eq!(steps(&run_of_record(&BRAINTRUST, &listed)), steps(&rows));
    }

    #[test]
    fn objects_of_other_interfaces_are_no_traces() {
        let is_one = |text: &str| AGENT_TRACES.detect(&[json::parse(text).unwrap()]).is_some();
        assert!(is_one(SPANS.lines().nth(1).unwrap()));
        assert!(!is_one(r#"{"object":"trace","id":"x"}"#));
        assert!(!is_one(r#"{"object":"chat.completion","span_data":{"type":"function"}}"#));
    }
}
