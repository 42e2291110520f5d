//! Spans of MLflow: what each began with and led to is JSON in a text, and so is every other attribute (`FORMATS.md`
//! 12).

use super::attributes::attribute;
use super::messages::turns;
use super::span_text::words;
use crate::format::log::{first, items, model_usage, text};
use crate::json::{self, Value};
use crate::model::{StepRole, Turn, Usage};
use std::borrow::Cow;

const INPUTS: &str = "mlflow.spanInputs";
const OUTPUTS: &str = "mlflow.spanOutputs";

/// The spans of a trace, as its client and its files have it.
pub(super) fn spans<'v, 'a>(trace: &'v Value<'a>) -> Option<&'v [Value<'a>]> {
    trace.get("data")?.get("spans")?.as_array()
}

/// Asks the JSON of an attribute.
fn ask<T>(span: &Value<'_>, name: &str, of: impl FnOnce(&Value<'_>) -> Option<T>) -> Option<T> {
    let found = attribute(span, &[name])?;
    match found.as_str() {
        Some(text) => of(&json::parse_lenient(text).ok()?),
        None => of(found),
    }
}

/// What kind of span it is: its attribute is a name in quotes.
pub(super) fn kind<'v>(span: &'v Value<'_>) -> Option<&'v str> {
    let kind = attribute(span, &["mlflow.spanType"])?.as_str()?;
    Some(kind.trim_matches('"'))
}

/// The model that answered.
pub(super) fn model(span: &Value<'_>) -> Option<String> {
    let of = |name: &str, of: fn(&Value<'_>) -> Option<String>| ask(span, name, of);
    let member = |value: &Value<'_>| text(value, "model").map(str::to_owned);
    of("mlflow.llm.model", |model| model.as_str().map(str::to_owned))
        .or_else(|| ask(span, OUTPUTS, member))
        .or_else(|| ask(span, INPUTS, member))
}

/// The tokens of an answer and what they cost.
pub(super) fn usage(span: &Value<'_>) -> Option<Usage> {
    let usage = ask(span, "mlflow.chat.tokenUsage", |usage| Some(model_usage(usage)))?;
    let cost = ask(span, "mlflow.llm.cost", |cost| cost.get("total_cost")?.as_number()?.parse().ok());
    Some(Usage { cost: usage.cost.or(cost), ..usage })
}

/// The messages of a request to a model and of what it answered.
pub(super) fn messages(span: &Value<'_>) -> Vec<Turn<'static>> {
    let of = |name: &str, role| ask(span, name, |value| Some(turns(spoken_part(value), role))).unwrap_or_default();
    let (asked, answered) = (of(INPUTS, StepRole::User), of(OUTPUTS, StepRole::Agent));
    asked.into_iter().chain(answered).collect()
}

/// What a span led to.
pub(super) fn output(span: &Value<'_>) -> Option<Cow<'static, str>> {
    ask(span, OUTPUTS, words_of)
}

/// What it began with.
pub(super) fn input(span: &Value<'_>) -> Option<Cow<'static, str>> {
    ask(span, INPUTS, words_of)
}

fn words_of(value: &Value<'_>) -> Option<Cow<'static, str>> {
    let part = spoken_part(value);
    // The state of a graph has all messages so far.
    let last = items(value, "messages").last().unwrap_or(part);
    let found = words(last).into_owned();
    (!value.is_null() && !found.trim().is_empty()).then_some(found.into())
}

/// What is said in a request or an answer of any interface: the messages, the choices, or the value itself.
fn spoken_part<'v, 'a>(value: &'v Value<'a>) -> &'v Value<'a> {
    // LangChain has a list for each request.
    let inner = |list: &'v Value<'a>| list.as_array().and_then(<[_]>::first).filter(|one| one.as_array().is_some());
    let found = first(value, &["choices", "generations", "messages", "contents", "input", "output"]);
    let found = found.filter(|found| found.as_array().is_some()).unwrap_or(value);
    inner(found).unwrap_or(found)
}

#[cfg(test)]
mod tests {
    use super::super::{MLFLOW, OTEL, PHOENIX, PHOENIX_ROWS};
    use crate::format::log::testing::{lines, run_of_record, state, steps};

    #[test]
    fn traces_of_mlflow_have_json_in_their_attributes() {
        let parsed = run_of_record(&OTEL, MLFLOW);
        assert_eq!(steps(&parsed), ["span agent: a.txt", "span agent: ls({})", "tool-call agent: ls x · no folder"]);
        let depth = |step| parsed.0.step(step, &parsed.1).depth;
        assert_eq!(([0, 1, 2].map(depth), parsed.0.error_steps()), ([0, 1, 1], vec![2]));
        assert_eq!(state(&parsed, "usage", 2), r#"{"main":{"input":9,"output":4,"turns":1}}"#);
        assert!(state(&parsed, "run", 2).contains(r#""model":"m""#));
        let asked = parsed.0.model_request(1, &parsed.1).unwrap().messages;
        assert_eq!(asked.iter().map(|turn| turn.role.name()).collect::<Vec<_>>(), ["user", "agent"]);
        assert_eq!(parsed.0.work().and_then(|work| work.took_ms(2)), Some(250));
        let context =
            |id: &str, parent: &str| format!(r#""context":{{"trace_id":"t","span_id":"{id}"}},"parent_id":{parent}"#);
        let old = [("a", "\"\"", "null"), ("b", "\"a\"", "\"a\""), ("c", "\"a\"", "\"a\"")].iter().fold(
            MLFLOW.to_owned(),
            |text, (id, parent, now)| {
                let was = format!(r#""trace_id":"AA==","span_id":"{id}","parent_span_id":{parent}"#);
                text.replace(&was, &context(id, now))
            },
        );
        assert!(old.contains(r#""context":{"trace_id":"t","span_id":"c"}"#));
        assert_eq!(steps(&run_of_record(&OTEL, &old)), steps(&parsed), "those of the version before");
        let row = MLFLOW.replace(r#""data":{"spans":["#, r#""spans":["#);
        let row = row.strip_suffix('}').unwrap();
        assert_eq!(steps(&run_of_record(&OTEL, row)), steps(&parsed), "a row of a search");
    }

    #[test]
    fn messages_of_lang_chain_have_a_type_in_place_of_a_role() {
        let given = r#"{"mlflow.spanType":"\"CHAT_MODEL\"",
            "mlflow.spanInputs":"[[{\"type\":\"human\",\"content\":\"q\"}]]",
            "mlflow.spanOutputs":"{\"generations\":[[{\"message\":{\"type\":\"ai\",\"content\":\"a\"}}]]}"}"#;
        let span = format!(r#"{{"name":"m","context":{{"trace_id":"t","span_id":"s"}},"attributes":{given}}}"#);
        let parsed = run_of_record(&OTEL, &span);
        assert_eq!(steps(&parsed), ["span agent: a"]);
        let asked = parsed.0.model_request(0, &parsed.1).unwrap().messages;
        assert_eq!(asked.iter().map(|turn| turn.role.name()).collect::<Vec<_>>(), ["user", "agent"]);
    }

    #[test]
    fn spans_of_phoenix_may_be_rows_or_a_list() {
        let parsed = lines(&OTEL, PHOENIX_ROWS);
        assert_eq!(steps(&parsed), ["span agent: ls({})", "tool-call agent: ls · no folder"]);
        assert_eq!(parsed.0.step(1, &parsed.1).depth, 1);
        assert_eq!((parsed.0.error_steps(), parsed.0.trajectory_count()), (vec![1], 1));
        assert_eq!(state(&parsed, "usage", 1), r#"{"main":{"input":5,"output":2,"turns":1}}"#);
        let asked = parsed.0.model_request(0, &parsed.1).unwrap().messages;
        assert_eq!(asked.iter().map(|turn| turn.role.name()).collect::<Vec<_>>(), ["user", "agent"]);
        let listed = format!(r#"{{"data":{PHOENIX},"next_cursor":null}}"#);
        assert_eq!(steps(&run_of_record(&OTEL, &listed)), ["span agent: Hello"]);
    }
}
