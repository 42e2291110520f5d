//! Histories of Browser Use: what the model decided on each page, and what its actions gave back.

use super::Framing;
use super::log::{
    Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, count, first_text, items, text, text_of,
    write_slots,
};
use crate::json::Value;
use crate::model::{Attachment, StepNo, StepRole, ToolCall, ToolResult, Turn, TurnPart, Usage};
use std::borrow::Cow;

/// Histories of Browser Use.
pub(super) static BROWSER_USE: Row = Row {
    name: "browser-use",
    title: "Browser Use history",
    about: "What an agent of Browser Use writes (`save_history`): one object with `history`, each item of which has \
            `model_output`, the `result` of its actions and the `state` of the page. An item gives the page, the \
            thoughts of the model, its actions as calls and what they gave back. State: the page and its tabs.",
    framing: Framing::LogText,
    run: || Box::new(LogRun::new(History)),
    samples: &[HISTORY],
    ..Row::BASE
};

/// A history of two actions, of which the second fails, and an answer.
const HISTORY: &str = r#"{"history":[
    {"model_output":{"evaluation_previous_goal":"Start","memory":"0 of 1","next_goal":"Open it",
        "action":[{"go_to_url":{"url":"https://a.example"}},{"click_element_by_index":{"index":3}}]},
    "result":[{"is_done":false,"extracted_content":"Navigated","include_in_memory":true},
        {"is_done":false,"error":"Element 3 does not exist"}],
    "state":{"url":"about:blank","title":"","tabs":[],"interacted_element":[null,null]},
    "metadata":{"step_start_time":1746093600.5,"step_end_time":1746093602.5,"input_tokens":30,"step_number":1}},
    {"model_output":{"current_state":{"evaluation_previous_goal":"Failed","memory":"1 of 1","next_goal":"Answer"},
        "action":[{"done":{"text":"It is a","success":true}}]},
    "result":[{"is_done":true,"success":true,"extracted_content":"It is a"}],
    "state":{"url":"https://a.example","title":"A","tabs":[{"page_id":0,"url":"https://a.example","title":"A"}]},
    "metadata":{"step_start_time":1746093603.5,"step_end_time":1746093604.5,"input_tokens":40,"step_number":2}}]}"#;

/// The page that is open.
const PAGE: Form = FIRST_ADAPTER_FORM;
/// What the model says of its step.
const BRAIN: Form = FIRST_ADAPTER_FORM + 1;
/// An action, and what it gave back.
const ACTION: Form = FIRST_ADAPTER_FORM + 2;
const RESULT: Form = FIRST_ADAPTER_FORM + 3;

/// What the model says of its step, and the words that stand before it.
const THOUGHTS: [(&str, &str); 4] =
    [("thinking", ""), ("evaluation_previous_goal", "Evaluation: "), ("memory", "Memory: "), ("next_goal", "Next: ")];

/// Reads a history.
struct History;

impl Adapter for History {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        items(record, "history").iter().for_each(|item| add_item(item, log));
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        match form {
            PAGE => page(value),
            BRAIN => Turn::of(StepRole::Agent, thoughts(value).map(TurnPart::Thought).into_iter().collect()),
            ACTION => Turn::of(StepRole::Agent, action(value).map(TurnPart::Call).into_iter().collect()),
            RESULT => Turn::answer(result(value), std::iter::empty()),
            _ => super::log::show(form, values),
        }
    }
}

fn add_item(item: &Value<'_>, log: &mut Log<'_>) {
    let metadata = item.get("metadata");
    let time = |key: &str| metadata.and_then(|metadata| metadata.get(key));
    let (start, end) = (time("step_start_time"), time("step_end_time"));
    if let Some(state) = item.get("state").filter(|state| state.as_object().is_some()) {
        let values = [state];
        let draft = Draft::of(Kind::State, PAGE, &values);
        log.step(&Draft { role: StepRole::Environment, class: Some("page"), time: start, ..draft });
        write_slots(log, "browser", "main", state, &["url", "title", "tabs"]);
        let location = text(state, "url").map(Cow::Borrowed);
        let open = Attachment { media_type: "text/html".into(), location, bytes: 0 };
        log.effects(&Turn::of(StepRole::Environment, vec![TurnPart::Attachment(open)]));
    }
    let calls = item.get("model_output").map(|output| add_output(output, start, log)).unwrap_or_default();
    let results = items(item, "result");
    for result in results {
        let values = [result];
        let draft = Draft::of(Kind::Result, RESULT, &values);
        log.step(&Draft { role: StepRole::Environment, class: Some("result"), time: end, ..draft });
    }
    // Of several actions the others are not run where the page changed.
    calls.into_iter().skip(results.len()).for_each(|call| log.no_result(call));
    if let Some(input) = metadata.and_then(|metadata| count(metadata, "input_tokens")) {
        log.usage(None, &Usage { input: Some(input), ..Usage::default() });
    }
}

/// The steps of what the model decided; those of its actions.
fn add_output(output: &Value<'_>, time: Option<&Value<'_>>, log: &mut Log<'_>) -> Vec<StepNo> {
    let (values, role, class) = ([output], StepRole::Agent, Some("model_output"));
    if thoughts(output).is_some() {
        log.step(&Draft { role, class, time, ..Draft::of(Kind::Thought, BRAIN, &values) });
    }
    let actions = items(output, "action").iter().filter(|one| action(one).is_some());
    let mut add = |one| log.step(&Draft { role, class, time, ..Draft::of(Kind::Call, ACTION, &[one]) });
    actions.map(&mut add).collect()
}

fn page<'v>(state: &'v Value<'v>) -> Turn<'v> {
    let url = text(state, "url").unwrap_or_default();
    let title = text(state, "title").filter(|title| !title.is_empty());
    let words = title.map_or(Cow::Borrowed(url), |title| Cow::Owned(format!("{title} {url}")));
    Turn::of(StepRole::Environment, vec![TurnPart::Text(words)])
}

/// What the model thinks of its step, a line each; older versions have it in `current_state`.
fn thoughts<'v>(output: &'v Value<'v>) -> Option<Cow<'v, str>> {
    let brain = output.get("current_state").filter(|brain| brain.as_object().is_some()).unwrap_or(output);
    let line = |(key, head): &(&str, &str)| {
        let words = text(brain, key).filter(|words| !words.is_empty())?;
        Some(format!("{head}{words}"))
    };
    let all: Vec<String> = THOUGHTS.iter().filter_map(line).collect();
    (!all.is_empty()).then(|| all.join("\n").into())
}

/// An action: its one member that is not null is the tool.
fn action<'v>(value: &'v Value<'v>) -> Option<ToolCall<'v>> {
    let (name, given) = value.as_object()?.entries().find(|(_, given)| !given.is_null())?;
    let arguments = if given.as_object().is_some() { given.text.into() } else { Cow::Borrowed("{}") };
    Some(ToolCall { id: None, name: name.into(), arguments })
}

fn result<'v>(value: &'v Value<'v>) -> ToolResult<'v> {
    let error = value.get("error").filter(|error| !error.is_null());
    let words = || first_text(value, &["extracted_content", "long_term_memory"]).map(Cow::Borrowed);
    ToolResult {
        text: error.map(text_of).or_else(words).unwrap_or_default(),
        is_error: error.map(|_| true),
        ..ToolResult::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::log::testing::{assert_steps, run_of_record, state, steps};

    #[test]
    fn each_item_is_a_page_thoughts_actions_and_what_they_gave_back() {
        let parsed = run_of_record(&BROWSER_USE, HISTORY);
        let expected = [
            "state environment: about:blank",
            "thought agent: Evaluation: Start\nMemory: 0 of 1\nNext: Open it",
            "tool-call agent: go_to_url https://a.example",
            "tool-call agent: click_element_by_index",
            "tool-result environment: Navigated",
            "tool-result environment: Element 3 does not exist",
            "state environment: A https://a.example",
            "thought agent: Evaluation: Failed\nMemory: 1 of 1\nNext: Answer",
            "tool-call agent: done",
            "tool-result environment: It is a",
        ];
        assert_steps(&parsed, &expected);
        assert_eq!(parsed.0.error_steps(), [5]);
        let answers = |step| parsed.0.step(step, &parsed.1).answers;
        assert_eq!((answers(4), answers(5), answers(9)), (Some(2), Some(3), Some(8)));
        assert!(state(&parsed, "browser", 9).contains(r#""title":"A""#));
        let page = state(&parsed, "page", 9);
        assert!(page.contains("https://a.example"), "{page}");
        assert_eq!(parsed.0.work().unwrap().total_usage().input, Some(70));
    }

    #[test]
    fn an_action_that_was_not_run_is_not_answered_by_a_later_one() {
        let failed = r#",
        {"is_done":false,"error":"Element 3 does not exist"}"#;
        let parsed = run_of_record(&BROWSER_USE, &HISTORY.replace(failed, ""));
        assert_eq!(parsed.0.step(8, &parsed.1).answers, Some(7), "{:#?}", steps(&parsed));
        let none = r#"{"history":[{"model_output":null,"result":[{"error":"rate limit"}],"state":{"url":"u"}}]}"#;
        let parsed = run_of_record(&BROWSER_USE, none);
        assert_eq!(steps(&parsed), ["state environment: u", "tool-result environment: rate limit"]);
        assert_eq!(parsed.0.error_steps(), [1]);
    }
}
