//! Logs of evaluations and traces: Inspect, OpenTelemetry spans, LangSmith runs, LangGraph histories (`FORMATS.md` 2,
//! 4, 12).

use super::members::{any, first, has, has_any, is_array, is_number, is_object, is_text, matched, most, text};
use super::{Head, Signature};
use crate::format::Match;
use crate::json::Value;

pub(super) const INSPECT: Signature = Signature {
    format: "inspect",
    what: "an Inspect evaluation log",
    detect: inspect,
    members: &["/version", "/status", "/eval/task", "/eval/run_id"],
};

pub(super) const OTEL: Signature = Signature {
    format: "otel",
    what: "a file of OpenTelemetry spans",
    detect: otel,
    members: &["/name", "/attributes", "/context/trace_id", "/span_kind"],
};

pub(super) const LANGSMITH: Signature = Signature {
    format: "langsmith",
    what: "a file of LangSmith runs",
    detect: langsmith,
    members: &["/run_type", "/trace_id", "/dotted_order", "/inputs"],
};

pub(super) const LANGFUSE: Signature = Signature {
    format: "langfuse",
    what: "a file of Langfuse observations",
    detect: langfuse,
    members: &["/traceId", "/type", "/startTime", "/parentObservationId", "/level"],
};

pub(super) const WEAVE: Signature = Signature {
    format: "weave",
    what: "a file of calls of Weave",
    detect: weave,
    members: &["/op_name", "/trace_id", "/started_at", "/inputs"],
};

pub(super) const BRAINTRUST: Signature = Signature {
    format: "braintrust",
    what: "a file of rows of Braintrust",
    detect: braintrust,
    members: &["/span_id", "/root_span_id", "/span_attributes", "/span_parents"],
};

pub(super) const LANGGRAPH: Signature = Signature {
    format: "langgraph",
    what: "the state history of a LangGraph thread",
    detect: langgraph,
    members: &["/values", "/next", "/metadata/source", "/metadata/step", "/config/configurable/thread_id"],
};

/// Snapshots of a thread: which they are, their values, and what comes next.
fn langgraph(head: &Head<'_, '_>) -> Option<Match> {
    let is_place = |r: &Value<'_>, name: &str| {
        let place = r.get(name).map(|place| place.get("configurable").unwrap_or(place));
        place.is_some_and(|place| is_text(place, "thread_id") || is_text(place, "checkpoint_id"))
    };
    let is_snapshot = |r: &Value<'_>| {
        let is_placed = is_place(r, "config") || is_place(r, "checkpoint");
        is_placed && is_array(r, "next") && has(r, &["values", "metadata"])
    };
    matched(most(head, is_snapshot), "snapshots with `values`, `next` and the place of a checkpoint")
}

fn inspect(head: &Head<'_, '_>) -> Option<Match> {
    let [record] = head.records else { return None };
    let is_log = is_number(record, "version")
        && is_text(record, "status")
        && record.get("eval").is_some_and(|eval| is_text(eval, "task"));
    matched(is_log, "`version`, `status` and the task of an evaluation")
}

fn otel(head: &Head<'_, '_>) -> Option<Match> {
    if most(head, |record| is_otlp(record) || has_any(record, &BESIDE_SPANS)) && any(head, is_otlp) {
        return matched(true, "`resourceSpans` with spans");
    }
    if most(head, |record| has_any(record, &BESIDE_SPANS)) && any(head, has_event) {
        return matched(true, "`resourceLogs` with events of models");
    }
    if most(head, is_tree) {
        return matched(true, "a trace whose `spans` have `child_spans`");
    }
    if most(head, is_mlflow) {
        return matched(true, "a trace of MLflow with its `spans`");
    }
    if most(head, |record| first(record, "data").is_some_and(|one| is_span(one) && is_object(one, "attributes"))) {
        return matched(true, "spans under `data`");
    }
    if most(head, is_span_row) {
        return matched(true, "rows of a table of spans with `context.span_id`");
    }
    let are_of_models = || most(head, is_flat_span) && any(head, has_model);
    matched(most(head, is_span) || are_of_models(), "spans with their context and attributes")
}

/// Names of OTLP, as its JSON and as the definitions of its messages have them.
const RESOURCE_SPANS: [&str; 2] = ["resourceSpans", "resource_spans"];
const SCOPE_SPANS: [&str; 4] =
    ["scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans"];
const RESOURCE_LOGS: [&str; 2] = ["resourceLogs", "resource_logs"];
const SCOPE_LOGS: [&str; 4] = ["scopeLogs", "scope_logs", "instrumentationLibraryLogs", "instrumentation_library_logs"];
/// What a collector writes into one file with spans, a line for each batch.
const BESIDE_SPANS: [&str; 4] = ["resourceLogs", "resource_logs", "resourceMetrics", "resource_metrics"];
const LOG_RECORDS: [&str; 2] = ["logRecords", "log_records"];

fn is_otlp(record: &Value<'_>) -> bool {
    let scopes = elements(record, &RESOURCE_SPANS).flat_map(|resource| elements(resource, &SCOPE_SPANS));
    scopes.flat_map(|scope| elements(scope, &["spans"])).any(|span| has_any(span, &["spanId", "span_id"]))
}

/// Whether a record of logs has an event of the GenAI conventions.
fn has_event(record: &Value<'_>) -> bool {
    let scopes = elements(record, &RESOURCE_LOGS).flat_map(|resource| elements(resource, &SCOPE_LOGS));
    scopes.flat_map(|scope| elements(scope, &LOG_RECORDS)).any(is_event)
}

/// The elements of those of these members that are arrays.
fn elements<'v, 'a>(value: &'v Value<'a>, names: &[&str]) -> impl Iterator<Item = &'v Value<'a>> {
    names.iter().filter_map(|name| value.get(name)).filter_map(Value::as_array).flatten()
}

fn is_event(log: &Value<'_>) -> bool {
    let is_model = |name: &str| name.starts_with("gen_ai.");
    let mut named = elements(log, &["attributes"]).filter(|attribute| text(attribute, "key") == "event.name");
    let is_named = |value: &Value<'_>, names: [&str; 2]| names.iter().any(|name| is_model(text(value, name)));
    is_named(log, ["eventName", "event_name"])
        || named.any(|item| item.get("value").is_some_and(|value| is_named(value, ["stringValue", "string_value"])))
}

/// A span as the JavaScript SDK or Phoenix writes it.
fn is_span(record: &Value<'_>) -> bool {
    let is_sdk = record.get("spanContext").is_some_and(|context| has(context, &["traceId", "spanId"]));
    let is_phoenix = record.get("context").is_some_and(|context| has(context, &["trace_id", "span_id"]));
    let is_timed = has_any(record, &["startTime", "start_time", "startTimeUnixNano"]);
    is_text(record, "name") && (is_sdk || is_phoenix) && (is_timed || is_object(record, "attributes"))
}

/// A trace with its spans in each other, as TRAIL has it.
fn is_tree(record: &Value<'_>) -> bool {
    let span = first(record, "spans");
    span.is_some_and(|span| has(span, &["span_id", "span_name"]) && has_any(span, &["child_spans", "span_attributes"]))
}

/// A trace as MLflow has it: what it is, and its spans.
fn is_mlflow(record: &Value<'_>) -> bool {
    const NAMES: [&str; 3] = ["mlflow.spanType", "mlflow.spanInputs", "mlflow.traceRequestId"];
    let span = record.get("data").and_then(|data| first(data, "spans")).or_else(|| first(record, "spans"));
    span.is_some_and(|span| {
        let is_named = |attributes: &Value<'_>| has_any(attributes, &NAMES);
        has_any(span, &["context", "span_id"]) && span.get("attributes").is_some_and(is_named)
    })
}

/// A row of a table of spans, as Phoenix gives it.
fn is_span_row(record: &Value<'_>) -> bool {
    is_text(record, "name") && has(record, &["context.span_id", "context.trace_id"])
}

/// A span with its ids beside its name, as OTLP has them below resources, and exporters of their own write them.
fn is_flat_span(record: &Value<'_>) -> bool {
    let is_timed = has_any(record, &["startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time"]);
    let has_ids = has_any(record, &["traceId", "trace_id"]) && has_any(record, &["spanId", "span_id"]);
    is_text(record, "name") && has_ids && is_timed && record.get("attributes").is_some()
}

/// Whether a span has attributes of a model or an agent, in a map or a list.
fn has_model(span: &Value<'_>) -> bool {
    const PREFIXES: [&str; 4] = ["gen_ai.", "llm.", "openinference.", "ai."];
    let is_of_model = |name: &str| PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let map = span.get("attributes").and_then(Value::as_object);
    map.is_some_and(|map| map.entries().any(|(name, _)| is_of_model(name)))
        || elements(span, &["attributes"]).any(|attribute| is_of_model(text(attribute, "key")))
}

/// The kinds of runs that LangSmith has.
const RUN_TYPES: [&str; 7] = ["chain", "embedding", "llm", "parser", "prompt", "retriever", "tool"];

/// The id of a run, and what the command line of LangSmith calls it.
const RUN_IDS: [&str; 2] = ["id", "run_id"];

/// Runs, or bodies of requests that post and patch them.
fn langsmith(head: &Head<'_, '_>) -> Option<Match> {
    let is_posted = |r: &Value<'_>| {
        ["post", "patch"].iter().any(|name| first(r, name).is_some_and(|run| has(run, &["trace_id", "dotted_order"])))
    };
    if most(head, is_posted) {
        return matched(true, "runs under `post` and `patch`");
    }
    let is_typed = |run: &Value<'_>| RUN_TYPES.contains(&text(run, "run_type"));
    let is_of_query = |run: &Value<'_>| {
        is_typed(run) && has_any(run, &RUN_IDS) && has_any(run, &["trace_id", "inputs", "start_time"])
    };
    if most(head, |r: &Value<'_>| first(r, "runs").is_some_and(is_of_query)) {
        return matched(true, "runs under `runs`");
    }
    let is_run = |r: &Value<'_>| {
        is_typed(r)
            && has_any(r, &RUN_IDS)
            && has_any(r, &["trace_id", "dotted_order"])
            && has_any(r, &["inputs", "outputs", "start_time"])
    };
    matched(most(head, is_run), "runs with `run_type` and `trace_id`")
}

/// The types of observations that Langfuse has.
const OBSERVATION_TYPES: [&str; 10] =
    ["SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"];

/// Observations, by themselves or with their traces, and traces without them.
fn langfuse(head: &Head<'_, '_>) -> Option<Match> {
    let is_observation = |r: &Value<'_>| {
        let is_typed = OBSERVATION_TYPES.contains(&text(r, "type"));
        is_typed && is_text(r, "id") && is_text(r, "traceId") && is_text(r, "startTime")
    };
    let is_trace = |r: &Value<'_>| {
        let is_named = is_text(r, "id") && is_text(r, "timestamp") && has(r, &["name", "input", "output"]);
        let holds = first(r, "observations").is_some_and(|one| is_observation(one) || one.as_str().is_some());
        is_named && (holds || has(r, &["sessionId", "userId", "tags", "metadata"]))
    };
    let is_one = |r: &Value<'_>| is_observation(r) || is_trace(r);
    let is_list = |r: &Value<'_>| first(r, "data").is_some_and(is_one);
    if most(head, is_list) {
        return matched(true, "observations or traces under `data`");
    }
    matched(most(head, is_one), "observations with `traceId`, `type` and `startTime`, or their traces")
}

/// Calls, by themselves or in a list.
fn weave(head: &Head<'_, '_>) -> Option<Match> {
    let is_call =
        |r: &Value<'_>| is_text(r, "op_name") && is_text(r, "started_at") && has_any(r, &["inputs", "trace_id"]);
    let is_one = |r: &Value<'_>| is_call(r) || first(r, "objects").is_some_and(is_call);
    matched(most(head, is_one), "calls with `op_name` and `started_at`")
}

/// Rows, by themselves or as they are asked for.
fn braintrust(head: &Head<'_, '_>) -> Option<Match> {
    let is_row = |r: &Value<'_>| is_text(r, "span_id") && is_text(r, "root_span_id") && is_object(r, "span_attributes");
    let is_list = |r: &Value<'_>| ["events", "data", "objects"].iter().any(|name| first(r, name).is_some_and(is_row));
    matched(most(head, |r| is_row(r) || is_list(r)), "rows with `span_id`, `root_span_id` and `span_attributes`")
}
