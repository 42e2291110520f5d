//! Spans of traces: OTLP in JSON, arrays of span objects of SDKs and of Phoenix (`FORMATS.md` 12).

mod attributes;
pub(in crate::format) mod groups;
mod logs;
pub(in crate::format) mod messages;
mod mlflow;
pub(in crate::format) mod nesting;
pub(in crate::format) mod order;
pub(in crate::format) mod span_text;
#[cfg(test)]
mod tests;
mod tools;

use super::Framing;
use super::call_time::span_ms;
use super::log::{
    Adapter, Arrange, Copies, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, first, first_text, text, text_of,
};
use crate::json::{self, Value};
use crate::model::{ModelRequest, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage, cast};
use attributes::{attribute, attribute_text, plain};
use groups::Groups;
use logs::{Conversations, EVALUATION};
use nesting::Nesting;
use std::borrow::Cow;
use std::collections::HashSet;

/// Traces of agents.
pub(super) static OTEL: Row = Row {
    name: "otel",
    title: "OpenTelemetry spans",
    about: "Spans of OpenTelemetry with attributes of the GenAI conventions, OpenInference or the AI SDK: OTLP in \
            JSON, with its names or those of the definitions (`resource_spans`), or span objects in an array or \
            lines. A span is a step; the spans of a trace stand together, in the order in which they began, and traces \
            that name one conversation (`gen_ai.conversation.id`, `session.id`) are one trajectory; results of \
            evaluations are steps behind their span. Spans of Phoenix also as its interface lists them (`data`), and \
            as rows of a table (`context.span_id`, `attributes.llm.model_name`). Traces of MLflow (`info`, and \
            `data` with `spans`), and of TRAIL, an object whose `spans` have `child_spans`. Logs \
            (`resourceLogs`) with events of the GenAI conventions: what `gen_ai.user.message`, `gen_ai.choice` and \
            their like say once, and a step for the details of a request.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Spans::default())),
    has_trajectories: true,
    samples: &[OTLP, PHOENIX, LOGS, TREE, PHOENIX_ROWS, MLFLOW],
    ..Row::BASE
};

/// Two spans of a trace; the parent comes last, since it ended last.
const OTLP: &str = concat!(
    r#"{"resourceSpans":[{"resource":{"attributes":[]},"scopeSpans":[{"spans":[{"traceId":"t1","#,
    r#""spanId":"b","parentSpanId":"a","name":"execute_tool ls","startTimeUnixNano":"1781296601000000000","#,
    r#""attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},"#,
    r#"{"key":"gen_ai.tool.name","value":{"stringValue":"ls"}},{"key":"gen_ai.tool.call.arguments","#,
    r#""value":{"stringValue":"{\"path\":\"x\"}"}},{"key":"gen_ai.tool.call.result","#,
    r#""value":{"stringValue":"a.txt"}}]}]}]}]}"#,
    "\n",
    r#"{"resourceSpans":[{"resource":{"attributes":[]},"scopeSpans":[{"spans":[{"traceId":"t1","#,
    r#""spanId":"a","parentSpanId":"","name":"invoke_agent","startTimeUnixNano":"1781296600000000000","#,
    r#""attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"invoke_agent"}}]}]}]}]}"#,
);

/// A span as Phoenix exports it.
const PHOENIX: &str = concat!(
    r#"[{"name":"gpt","context":{"trace_id":"t","span_id":"s"},"span_kind":"LLM","parent_id":null,"#,
    r#""start_time":"2026-05-01T10:00:00+00:00","end_time":"2026-05-01T10:00:01+00:00","#,
    r#""attributes":{"llm.model_name":"gpt","output.value":"Hello","llm.token_count.prompt":5,"#,
    r#""llm.token_count.completion":2},"events":[]}]"#,
);

/// Events of two requests of a trace, the second of which repeats the first.
const LOGS: &str = concat!(
    r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1000","traceId":"t1","spanId":"a","ev"#,
    r#"entName":"gen_ai.user.message","body":{"kvlistValue":{"values":[{"key":"content","value":{"stringVal"#,
    r#"ue":"list it"}}]}}},{"timeUnixNano":"1001","traceId":"t1","spanId":"a","eventName":"gen_ai.choice",""#,
    r#"body":{"kvlistValue":{"values":[{"key":"index","value":{"intValue":"0"}},{"key":"message","value":{""#,
    r#"kvlistValue":{"values":[{"key":"tool_calls","value":{"arrayValue":{"values":[{"kvlistValue":{"values"#,
    r#"":[{"key":"id","value":{"stringValue":"c"}},{"key":"function","value":{"kvlistValue":{"values":[{"ke"#,
    r#"y":"name","value":{"stringValue":"ls"}},{"key":"arguments","value":{"stringValue":"{}"}}]}}}]}}]}}}]"#,
    r#"}}}]}}}]}]}]}"#,
    "\n",
    r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1002","traceId":"t1","spanId":"b","at"#,
    r#"tributes":[{"key":"event.name","value":{"stringValue":"gen_ai.user.message"}}],"body":{"kvlistValue""#,
    r#":{"values":[{"key":"content","value":{"stringValue":"list it"}}]}}},{"timeUnixNano":"1002","traceId""#,
    r#":"t1","spanId":"b","eventName":"gen_ai.assistant.message","body":{"kvlistValue":{"values":[{"key":"t"#,
    r#"ool_calls","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[{"key":"id","value":{"stringVa"#,
    r#"lue":"c"}},{"key":"function","value":{"kvlistValue":{"values":[{"key":"name","value":{"stringValue":"#,
    r#""ls"}},{"key":"arguments","value":{"stringValue":"{}"}}]}}}]}}]}}}]}}},{"timeUnixNano":"1002","trace"#,
    r#"Id":"t1","spanId":"b","eventName":"gen_ai.tool.message","body":{"kvlistValue":{"values":[{"key":"id""#,
    r#","value":{"stringValue":"c"}},{"key":"content","value":{"stringValue":"a.txt"}}]}}},{"timeUnixNano":"#,
    r#""1003","traceId":"t1","spanId":"b","eventName":"gen_ai.choice","body":{"kvlistValue":{"values":[{"ke"#,
    r#"y":"message","value":{"kvlistValue":{"values":[{"key":"content","value":{"stringValue":"a.txt"}}]}}}"#,
    r#"]}}}]}]}]}"#,
);

/// A trace whose spans are in each other; the tool failed.
const TREE: &str = concat!(
    r#"{"trace_id":"t","spans":[{"timestamp":"2026-05-01T10:00:00Z","trace_id":"t","span_id":"a","parent_span_id":"#,
    r#"null,"span_name":"main","span_kind":"Internal","span_attributes":{},"duration":"PT3S","status_code":"Unset","#,
    r#""child_spans":[{"timestamp":"2026-05-01T10:00:01.5Z","trace_id":"t","span_id":"c","parent_span_id":"a","#,
    r#""span_name":"VisitTool","span_attributes":{"openinference.span.kind":"TOOL","tool.name":"visit","#,
    r#""input.value":"{\"url\": \"x\"}"},"duration":"PT1.25S","status_code":"Error","status_message":"no page","#,
    r#""child_spans":[]},{"timestamp":"2026-05-01T10:00:01Z","trace_id":"t","span_id":"b","parent_span_id":"a","#,
    r#""span_name":"Model.__call__","span_attributes":{"openinference.span.kind":"LLM","llm.model_name":"m","#,
    r#""output.value":"I look.","llm.token_count.prompt":"5","llm.token_count.completion":"2"},"#,
    r#""duration":"PT0.5S","status_code":"Ok","child_spans":[]}]}]}"#,
);

/// Rows of a table of spans.
const PHOENIX_ROWS: &str = concat!(
    r#"{"name":"gpt","span_kind":"LLM","parent_id":null,"start_time":"2026-05-01T10:00:00Z","status_code":"OK","#,
    r#""context.trace_id":"t","context.span_id":"a","attributes.llm.model_name":"gpt","#,
    r#""attributes.llm.input_messages":[{"message.role":"user","message.content":"list it"}],"#,
    r#""attributes.llm.output_messages":[{"message.role":"#,
    r#""assistant","message.tool_calls":[{"tool_call.function.name":"ls","tool_call.function.arguments":"{}"}]}],"#,
    r#""attributes.llm.token_count.prompt":5,"attributes.llm.token_count.completion":2,"attributes.tool.name":null}"#,
    "\n",
    r#"{"name":"ls","span_kind":"TOOL","parent_id":"a","start_time":"2026-05-01T10:00:01Z","status_code":"ERROR","#,
    r#""context.trace_id":"t","context.span_id":"b","status_message":"no folder","attributes.llm.model_name":null,"#,
    r#""attributes.tool.name":"ls","attributes.input.value":"{}"}"#,
);

/// A trace of MLflow with an answer and a tool.
const MLFLOW: &str = concat!(
    r#"{"info":{"trace_id":"tr-1","state":"OK"},"data":{"spans":[{"trace_id":"AA==","span_id":"a","#,
    r#""parent_span_id":"","name":"agent","#,
    r#""start_time_unix_nano":1781296600000000000,"end_time_unix_nano":1781296603000000000,"#,
    r#""status":{"code":"STATUS_CODE_OK"},"attributes":{"mlflow.spanType":"\"AGENT\"","mlflow.spanInputs":"#,
    r#""{\"q\": \"list it\"}","mlflow.spanOutputs":"\"a.txt\""}},"#,
    r#"{"trace_id":"AA==","span_id":"b","parent_span_id":"a","name":"Completions","#,
    r#""start_time_unix_nano":1781296601000000000,"end_time_unix_nano":1781296602000000000,"attributes":{"#,
    r#""mlflow.spanType":"\"CHAT_MODEL\"","mlflow.spanInputs":"{\"model\": \"m\", \"messages\": [{\"role\": "#,
    r#"\"user\", \"content\": \"list it\"}]}","mlflow.spanOutputs":"{\"choices\": [{\"message\": {\"role\": "#,
    r#"\"assistant\", \"content\": null, \"tool_calls\": [{\"id\": \"c\", \"function\": {\"name\": \"ls\", "#,
    r#"\"arguments\": \"{}\"}}]}}]}","mlflow.chat.tokenUsage":"{\"input_tokens\": 9, \"output_tokens\": 4}"}},"#,
    r#"{"trace_id":"AA==","span_id":"c","parent_span_id":"a","name":"ls","start_time_unix_nano":1781296602000000000,"#,
    r#""end_time_unix_nano":1781296602250000000,"status":{"code":"STATUS_CODE_ERROR"},"attributes":{"#,
    r#""mlflow.spanType":"\"TOOL\"","mlflow.spanInputs":"{\"path\": \"x\"}","mlflow.spanOutputs":"#,
    r#""\"no folder\""}}]}}"#,
);

/// A span, and one that is a call.
const SPAN: Form = FIRST_ADAPTER_FORM;
const CALL: Form = FIRST_ADAPTER_FORM + 1;

/// The trace of a span, or of a record of a log; without one the conversation that it is of.
fn trace<'v>(span: &'v Value<'_>) -> &'v str {
    let context = first(span, &["context", "spanContext"]).unwrap_or(span);
    let trace = first_text(context, &["traceId", "trace_id", "context.trace_id"]).unwrap_or_default();
    if trace.is_empty() { logs::conversation(span) } else { trace }
}

/// The id of a span; records of logs have none of their own.
fn id<'v>(span: &'v Value<'_>) -> Option<&'v str> {
    let context = first(span, &["context", "spanContext"]).unwrap_or(span);
    first_text(context, &["spanId", "span_id", "context.span_id"])
        .filter(|id| !id.is_empty() && !logs::is_log_record(span))
}

/// The span that a span is in, or that a record of a log is of.
fn parent<'v>(span: &'v Value<'_>) -> Option<&'v str> {
    let of_span = ["parentSpanId", "parent_span_id", "parent_id", "parentId"];
    let keys = if logs::is_log_record(span) { &["spanId", "span_id"][..] } else { &of_span };
    let of_context = || text(span.get("parentSpanContext")?, "spanId");
    first_text(span, keys).or_else(of_context)
}

/// The spans of a trace: in each other, as TRAIL has them, or those of MLflow.
fn tree<'v, 'a>(trace: &'v Value<'a>) -> Option<&'v [Value<'a>]> {
    let spans = trace.get("spans").and_then(Value::as_array).filter(|_| trace.get("span_id").is_none());
    spans.or_else(|| mlflow::spans(trace))
}

/// What a span is called.
fn span_name<'v>(span: &'v Value<'_>) -> Option<&'v str> {
    first_text(span, &["name", "span_name"])
}

/// Reads the spans and records of logs in order.
#[derive(Default)]
struct Spans {
    groups: Groups,
    /// The trajectories so far: each is a trace, or the traces of a conversation.
    trajectories: HashSet<usize>,
    conversations: Conversations,
    copies: Copies,
    nesting: Nesting,
    /// Spans of models that say what they cost, by trace and id.
    counted: HashSet<Box<str>>,
    /// Spans in which one of these was read before they were.
    counted_inside: HashSet<Box<str>>,
    /// Spans of agents that say what they cost, and those in them, by trace and id.
    agents: HashSet<Box<str>>,
    /// Traces with an answer that says what it cost: then what their agents say is the sum of such.
    answered: HashSet<Box<str>>,
    /// Traces with an agent that says what it cost.
    with_agents: HashSet<Box<str>>,
}

impl Adapter for Spans {
    fn arrange(&self) -> Option<Box<dyn Arrange>> {
        Some(Box::new(order::Order::new(self.groups.clone(), self.nesting.clone(), order::KEYS)))
    }

    fn read(&mut self, span: &Value<'_>, log: &mut Log<'_>) {
        let trace = trace(span);
        let name_of = |id: &str| format!("{trace} {id}");
        if id(span).is_some_and(|id| self.copies.has(&name_of(id), span.text)) {
            return;
        }
        let depth = self.nesting.depth(trace, parent(span));
        log.enter_depth(depth);
        self.begin(trace, log);
        let is_log = logs::is_log_record(span);
        if is_log && !logs::is_details(span) {
            return self.conversations.read(span, trace, log);
        }
        let name = span_name(span).unwrap_or(if is_log { logs::event(span) } else { "span" });
        let model = attribute_text(span, &["gen_ai.response.model", "gen_ai.request.model", "llm.model_name"]);
        let model = model.map(Cow::Borrowed);
        let model = model.or_else(|| is_answer(span).then(|| mlflow::model(span)).flatten().map(Cow::Owned));
        log.surroundings(&Surroundings { model, ..Surroundings::default() });
        let usage = self.cost_of_answer(span, trace, log);
        let of_agent = self.cost_of_agent(span, trace);
        let (kind, form) = match is_call(span) {
            true => (Kind::Call, CALL),
            false if is_answer(span) => (Kind::Answer, SPAN),
            false => (Kind::Span, SPAN),
        };
        let values = [span];
        let time = logs::order_time(span);
        let seconds = time.and_then(|time| time.as_array()?.first()).or(time);
        let tokens = usage.as_ref().or(of_agent.as_ref()).and_then(|usage| usage.output);
        let is_failed = form == SPAN && has_failed(span) == Some(true);
        let draft = Draft { is_failed, ..Draft::of(kind, form, &values) };
        log.step(&Draft { role: StepRole::Agent, class: Some(name), time: seconds, tokens, ..draft });
        if let Some(usage) = usage {
            log.usage(None, &usage);
        } else if let Some(usage) = of_agent {
            log.beyond(&usage);
        }
        tools::tools(span).into_iter().for_each(|tools| log.declare_tools_in(&tools));
        log.enter_depth(depth + 1);
        logs::evaluations(span).for_each(|event| logs::note(event, EVALUATION, event_time(event), log));
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&span) = values.first() else { return Turn::default() };
        match form {
            CALL => Turn::of(StepRole::Agent, call(span)),
            SPAN => Turn::of(StepRole::Agent, span_parts(span)),
            _ => logs::show(form, span),
        }
    }

    fn request(form: Form, values: &[&Value<'_>]) -> Option<ModelRequest> {
        let span = values.first()?;
        let messages = match form {
            CALL => Vec::new(),
            SPAN if is_answer(span) => Some(messages::messages(span)).filter(|messages| !messages.is_empty())?,
            _ => return None,
        };
        Some(ModelRequest { trajectory: trace(span).to_owned(), messages })
    }

    fn has_requests(&self) -> bool {
        true
    }

    fn restart(&mut self) {
        let (groups, nesting) = (self.groups.clone(), self.nesting.clone());
        let answered = std::mem::take(&mut self.answered);
        *self = Self { groups, nesting, answered, ..Self::default() };
    }
}

impl Spans {
    /// The trajectory of a trace begins with its first span.
    fn begin(&mut self, trace: &str, log: &mut Log<'_>) {
        let (group, name) = self.groups.group(trace);
        let is_first = self.trajectories.is_empty();
        if !self.trajectories.insert(group) {
            return;
        }
        log.trajectory(self.trajectories.len() - 1);
        if is_first {
            log.title(&name);
        } else {
            log.begin_trajectory(&name);
        }
    }

    /// What an answer cost, if no other span says the same.
    fn cost_of_answer(&mut self, span: &Value<'_>, trace: &str, log: &mut Log<'_>) -> Option<Usage> {
        let name_of = |id: &str| format!("{trace} {id}");
        // The details of a request repeat what its span says, and so does what a second library reports inside of it.
        let is_counted = parent(span).is_some_and(|parent| self.counted.contains(&*name_of(parent)))
            || id(span).is_some_and(|id| self.counted_inside.contains(&*name_of(id)));
        let usage = if is_answer(span) && !is_counted { usage(span)? } else { return None };
        let counted = if logs::is_log_record(span) { parent(span) } else { id(span) };
        self.counted.extend(counted.map(|id| name_of(id).into()));
        self.counted_inside.extend(parent(span).map(|parent| name_of(parent).into()));
        if self.answered.insert(trace.into()) && self.with_agents.contains(trace) {
            log.read_again();
        }
        Some(usage)
    }

    /// What an agent says it cost, where no answer of its trace does and no agent around it.
    fn cost_of_agent(&mut self, span: &Value<'_>, trace: &str) -> Option<Usage> {
        let name_of = |id: &str| format!("{trace} {id}");
        let is_agent = attribute_text(span, &["gen_ai.operation.name"]) == Some("invoke_agent");
        let usage = if is_agent && !self.answered.contains(trace) { usage(span) } else { None };
        let is_inside = parent(span).is_some_and(|parent| self.agents.contains(&*name_of(parent)));
        let id = id(span).filter(|_| is_inside || usage.is_some());
        self.agents.extend(id.map(|id| name_of(id).into()));
        if usage.is_some() {
            self.with_agents.insert(trace.into());
        }
        usage.filter(|_| !is_inside)
    }
}

/// When an event of a span was.
fn event_time<'v, 'a>(event: &'v Value<'a>) -> Option<&'v Value<'a>> {
    let time = first(event, &["timeUnixNano", "time_unix_nano", "timestamp", "time"])?;
    Some(time.as_array().and_then(<[_]>::first).unwrap_or(time))
}

fn kind<'v>(span: &'v Value<'_>) -> &'v str {
    let of_span = text(span, "span_kind");
    let of_attributes = || attribute_text(span, &["openinference.span.kind"]);
    of_span.or_else(of_attributes).or_else(|| mlflow::kind(span)).unwrap_or_default()
}

/// Whether a span is the call of a tool.
fn is_call(span: &Value<'_>) -> bool {
    // ADK reports the answers of calls that ran side by side once more, as of one tool.
    let is_merged = || attribute_text(span, &["gen_ai.tool.name"]) == Some("(merged tools)");
    attribute_text(span, &["gen_ai.operation.name"]) == Some("execute_tool") && !is_merged()
        || kind(span) == "TOOL"
        || attribute_text(span, &["traceloop.span.kind"]) == Some("tool")
        || span_name(span).is_some_and(|name| name.starts_with("ai.toolCall"))
}

/// Whether a span is one answer of a model, so that no other reports its tokens.
fn is_answer(span: &Value<'_>) -> bool {
    let name = span_name(span).unwrap_or_default();
    let operation = attribute_text(span, &["gen_ai.operation.name", "llm.request.type"]);
    matches!(operation, Some("chat" | "text_completion" | "completion" | "generate_content"))
        || logs::is_log_record(span) && logs::is_details(span)
        || operation.is_none() && attribute(span, &[span_text::ADK_ANSWER]).is_some()
        || matches!(kind(span), "LLM" | "CHAT_MODEL")
        || name.ends_with(".doGenerate")
        || name.ends_with(".doStream")
}

fn usage(span: &Value<'_>) -> Option<Usage> {
    let of = |keys: &[&str]| {
        let value = attribute(span, keys)?;
        value.as_number().or_else(|| value.as_str()).and_then(|number| number.parse::<u64>().ok())
    };
    let input = of(&["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"]);
    let output = of(&["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"]);
    let cache_read = of(&[
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "llm.token_count.prompt_details.cache_read",
    ]);
    let cache_write = of(&[
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "gen_ai.usage.cache_write_input_tokens",
        "llm.token_count.prompt_details.cache_write",
    ]);
    let cached = cache_read.unwrap_or_default().saturating_add(cache_write.unwrap_or_default());
    // Some count what a cache had beside the input.
    let input = input.map(|input| if cached > input { input } else { input - cached });
    let cost = attribute(span, &["llm.cost.total", "gen_ai.usage.cost"]);
    let cost = cost.and_then(|cost| cost.as_number().or(cost.as_str())?.parse().ok());
    let usage = Usage { input, output, cache_read, cache_write, cost };
    (input.is_some() || output.is_some()).then_some(usage).or_else(|| mlflow::usage(span))
}

fn has_failed(span: &Value<'_>) -> Option<bool> {
    let status = span.get("status").and_then(|status| first(status, &["code", "status_code"]));
    let status = status.or_else(|| span.get("status_code"))?;
    let word = status.as_str().or_else(|| status.as_number())?;
    match word {
        "2" | "ERROR" | "Error" | "STATUS_CODE_ERROR" => Some(true),
        "1" | "OK" | "Ok" | "STATUS_CODE_OK" => Some(false),
        _ => None,
    }
}

/// A call and what came back from it.
fn call<'v>(span: &'v Value<'v>) -> Vec<TurnPart<'v>> {
    const NAMES: [&str; 4] = ["gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name"];
    const ARGUMENTS: [&str; 7] = [
        "gen_ai.tool.call.arguments",
        "ai.toolCall.args",
        "tool_arguments",
        "gcp.vertex.agent.tool_call_args",
        "input.value",
        "traceloop.entity.input",
        "mlflow.spanInputs",
    ];
    const RESULTS: [&str; 6] = [
        "gen_ai.tool.call.result",
        "ai.toolCall.result",
        "tool_response",
        "gcp.vertex.agent.tool_response",
        "output.value",
        "traceloop.entity.output",
    ];
    const ENDS: [&str; 4] = ["endTimeUnixNano", "end_time_unix_nano", "endTime", "end_time"];
    const IDS: [&str; 3] = ["gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id"];
    let name = attribute_text(span, &NAMES).or_else(|| span_name(span)).unwrap_or("?");
    let id = attribute_text(span, &IDS);
    let given = attribute(span, &ARGUMENTS).or_else(|| span_text::arguments_of_events(span));
    let arguments = given.map_or(Cow::Borrowed("{}"), |found| match found.as_str() {
        // JSON in a string is the arguments themselves.
        Some(inner) if json::parse(inner).is_ok_and(|value| value.as_object().is_some()) => {
            Cow::Owned(inner.to_owned())
        }
        _ => plain(found).map_or(Cow::Borrowed(found.text), Cow::Owned),
    });
    let call = ToolCall { id: id.map(Cow::Borrowed), name: name.into(), arguments };
    let failed = || span_text::fault(span).filter(|_| has_failed(span) == Some(true));
    let result_text = |found: &'v Value<'v>| {
        let of_parts = span_text::of_converse(found).map(Cow::Owned);
        of_parts.unwrap_or_else(|| plain(found).map_or_else(|| text_of(found), Cow::Owned))
    };
    let found = attribute(span, &RESULTS).map(result_text);
    let found = found.or_else(|| span_text::result_of_events(span)).or_else(|| mlflow::output(span));
    let words = found.or_else(failed);
    let took = || duration_ms(text(span, "duration")?);
    let result = words.map(|text| ToolResult {
        id: id.map(Cow::Borrowed),
        name: Some(name.into()),
        text,
        is_error: has_failed(span),
        span_ms: span_ms(logs::order_time(span), first(span, &ENDS)).or_else(took),
        ..ToolResult::default()
    });
    std::iter::once(TurnPart::Call(call)).chain(result.map(TurnPart::Result)).collect()
}

/// Milliseconds of a duration as ISO 8601 writes it, of hours, minutes and seconds: `PT2M5.5S`.
fn duration_ms(duration: &str) -> Option<u64> {
    let mut rest = duration.strip_prefix("PT")?;
    let mut seconds = 0.0;
    for (unit, factor) in [('H', 3600.0), ('M', 60.0), ('S', 1.0)] {
        if let Some((count, after)) = rest.split_once(unit) {
            seconds += count.parse::<f64>().ok().filter(|count| *count >= 0.0)? * factor;
            rest = after;
        }
    }
    let ms = (seconds * 1000.0).round();
    rest.is_empty().then(|| u64::try_from(cast::f64_to_i64(ms)).ok()).flatten()
}

/// What a span says.
fn span_parts<'v>(span: &'v Value<'v>) -> Vec<TurnPart<'v>> {
    let words = span_text::span_text(span).or_else(|| span_name(span).map(Cow::Borrowed));
    words.map(TurnPart::Text).into_iter().collect()
}
