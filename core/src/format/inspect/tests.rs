//! Samples as trajectories: steps, the state by events, attachments; and damaged ones.

use super::*;
use crate::format::log::LogRun;
use crate::format::log::testing::{adapted, read_steps, spoiled};
use crate::json;
use crate::model::StepNo;
use proptest::prelude::*;

fn run_of(text: &str) -> LogRun {
    adapted(sample::Sample, text)
}

fn sample() -> String {
    let log = json::parse(LOG).unwrap();
    log.get("samples").unwrap().as_array().unwrap()[0].text.to_owned()
}

/// The state at a step, as JSON.
fn state(run: &dyn Run, text: &str, step: StepNo) -> String {
    let answer = run.state(step, &text.as_bytes().to_vec());
    answer.iter().find(|(name, _)| *name == "state").unwrap().1.get().to_owned()
}

fn with_events(store: &str, events: &str) -> String {
    format!(
        r#"{{"id":1,"messages":[{{"id":"a","role":"assistant","content":"","tool_calls":[
        {{"id":"c1","function":"f","arguments":{{}}}},{{"id":"c2","function":"g","arguments":{{}}}}]}},
        {{"role":"tool","tool_call_id":"c1","content":"x"}},{{"role":"tool","tool_call_id":"c2","content":"y"}}],
        "store":{store},"events":[{events}]}}"#
    )
}

#[test]
fn messages_are_steps_and_a_tool_is_to_blame_for_the_store() {
    let text = sample();
    let (run, bytes) = (run_of(&text), text.as_bytes().to_vec());
    let steps: Vec<_> = (0..run.step_count() as StepNo).map(|n| run.step(n, &bytes)).collect();
    let kinds: Vec<&str> = steps.iter().map(|s| s.kind.as_str()).collect();
    assert_eq!(kinds, ["message", "tool-call", "tool-result"]);
    assert_eq!((steps[2].answers, steps[2].tool.as_deref()), (Some(1), Some("add")));
    assert_eq!(steps[2].time.as_deref(), Some("2026-05-01T10:00:00Z"));
    assert_eq!(steps[2].reward.as_deref(), Some("1"));
    let (id, path) = run.locate("/store/main/sum", 2).unwrap().remove(0);
    let node = run.tree().node(id, &path).unwrap();
    assert_eq!(run.tree().text(node, 2, &bytes).as_deref(), Some("3"));
    assert_eq!(run.attribution(id, 2, &bytes).who.as_deref(), Some("add"));
    assert!(state(&run, &text, 1).contains("\"target\":\"3\"") && !state(&run, &text, 1).contains("sum"));
    assert!(run.findings().is_empty(), "{:?}", run.findings());
    assert_eq!(run.title().as_deref(), Some("1"));
}

#[test]
fn spans_side_by_side_do_not_undo_each_other_and_the_outer_one_adds_nothing_new() {
    let events = r#"{"event":"sample_init","state":{"store":{"n":0}}},
        {"event":"span_begin","id":"o"},{"event":"span_begin","id":"p"},{"event":"span_begin","id":"q"},
        {"event":"tool","id":"c1","span_id":"p"},
        {"event":"store","span_id":"p","changes":[{"op":"replace","path":"/n","value":1,"replaced":0}]},
        {"event":"span_end","id":"p"},{"event":"tool","id":"c2","span_id":"q"},
        {"event":"store","span_id":"q","changes":[{"op":"add","path":"/Box:b:m","value":{"k":2}}]},
        {"event":"span_end","id":"q"},
        {"event":"state","span_id":"o","changes":[{"op":"replace","path":"/store/n","value":1,"replaced":0},
            {"op":"add","path":"/store/Box:b:m","value":{"k":2}},{"op":"add","path":"/completed","value":true}]},
        {"event":"span_end","id":"o"}"#;
    let text = with_events(r#"{"n":1,"Box:b:m":{"k":2}}"#, events);
    let (run, bytes) = (run_of(&text), text.as_bytes().to_vec());
    assert!(run.findings().is_empty(), "{:?}", run.findings());
    let last = run.step_count() as StepNo - 1;
    let wrote = |path: &str| {
        let answer = run.resolve(path, last, None, None, &bytes);
        answer.fields.iter().find(|(name, _)| *name == "wrote").map(|(_, v)| v.get().to_owned())
    };
    assert_eq!(wrote("/store/main/n").as_deref(), Some("2"), "the result of the first call");
    assert_eq!(wrote("/Box/b/m/k").as_deref(), Some("3"));
    assert_eq!(wrote("/state/main/completed").as_deref(), Some("3"));
    assert!(state(&run, &text, 2).contains("\"n\":1") && !state(&run, &text, 2).contains("Box"));
}

#[test]
fn a_store_that_its_events_do_not_make_is_found() {
    let change = |base: u8| {
        format!(r#"{{"event":"store","changes":[{{"op":"replace","path":"/n","value":1,"replaced":{base}}}]}}"#)
    };
    let init = r#"{"event":"sample_init","state":{"store":{"n":0}}}"#;
    let rules = |store: &str, base: u8| {
        let run = run_of(&with_events(store, &format!("{init},{}", change(base))));
        run.findings().iter().map(|f| f.message.to_string()).collect::<Vec<_>>()
    };
    assert!(rules(r#"{"n":1}"#, 0).is_empty());
    assert!(rules(r#"{"n":2}"#, 0)[0].contains("differs at `n`"));
    assert!(rules(r#"{"n":1}"#, 7)[0].contains("do not fit"));
    // A value that is null is left out.
    let nulls = [
        r#"{"event":"store","changes":[{"op":"replace","path":"/n","replaced":0},{"op":"add","path":"/m"}]}"#,
        r#"{"event":"store","changes":[{"op":"copy","from":"/n","path":"/n"}]}"#,
    ];
    let run = run_of(&with_events(r#"{"n":null,"m":null}"#, &format!("{init},{}", nulls.join(","))));
    assert!(run.findings().is_empty(), "{:?}", run.findings());
    // Messages are not slots, and yet what comes to them has to fit.
    let message_at = |at: u8| {
        format!(r#"{{"event":"state","changes":[{{"op":"add","path":"/messages/{at}","value":{{"role":"user"}}}}]}}"#)
    };
    let init = r#"{"event":"sample_init","state":{"messages":[]}},{"event":"span_begin","id":"x"}"#;
    let events = [init, &message_at(0), r#"{"event":"step","action":"begin"}"#, &message_at(1)].join(",");
    assert!(run_of(&with_events("{}", &events)).findings().is_empty());
}

#[test]
fn attachments_stand_for_their_text() {
    let text = r#"{"id":"x","messages":[{"role":"user","content":"attachment://ab1"},
        {"role":"assistant","content":[{"type":"reasoning","reasoning":"hm"},{"type":"text","text":"see attachment://none"}],
         "tool_calls":[{"id":"c","function":"f","arguments":{"x":"attachment://ab1"}}]},
        {"role":"tool","tool_call_id":"c","content":"","error":{"type":"timeout","message":"too slow"}}],
        "attachments":{"ab1":"a long \"text\""}}"#;
    let (run, bytes) = (run_of(text), text.as_bytes().to_vec());
    let texts: Vec<String> = run.view(9, &bytes).into_iter().map(|entry| entry.text).collect();
    assert!(texts[0].contains("a long \"text\""), "{texts:?}");
    assert!(texts[1].contains("hm") && texts[2].contains("attachment://none"), "{texts:?}");
    assert!(texts[3].contains(r#"a long \"text\""#), "{texts:?}");
    assert!(texts[4].contains("too slow") && run.error_steps() == [4], "{texts:?}");
}

#[test]
fn an_attachment_is_put_wherever_it_is_named() {
    let text = r#"{"id":"x","messages":[{"role":"user","content":"tc://a, tc://a and tc://ab"},
        {"role":"assistant","content":"","tool_calls":[{"id":"c","function":"f",
         "arguments":{"x":"attachment://a","y":["attachment://a","see attachment://a"]}}]}],
        "metadata":{"note":"attachment://a"},"attachments":{"a":"\"T\""},"scores":{"s":{"value":"C","explanation":"attachment://a"}}}"#;
    let (run, bytes) = (run_of(text), text.as_bytes().to_vec());
    let texts: Vec<String> = run.view(9, &bytes).into_iter().map(|entry| entry.text).collect();
    assert!(texts[0].contains(r#""T", "T" and tc://ab"#), "{texts:?}");
    assert!(!texts[1].contains("attachment") && texts[1].contains(r#"see \"T\""#), "{texts:?}");
    let state = state(&run, text, 1);
    assert!(state.contains(r#""note":"\"T\"""#) && state.contains(r#""explanation":"\"T\"""#), "{state}");
}

#[test]
fn what_a_sample_begins_with_is_in_its_state() {
    let events = r#"{"event":"sample_init","state":{"store":{"n":1,"Box:b:m":2},"messages":[],"completed":false}},
        {"event":"tool","id":"c1"},{"event":"store","changes":[{"op":"remove","path":"/n"}]}"#;
    let text = with_events("{}", events);
    let run = run_of(&text);
    let given = state(&run, &text, -1);
    assert!(given.contains(r#""store":{"main":{"n":1}}"#) && given.contains(r#""Box":{"b":{"m":2}}"#), "{given}");
    assert!(given.contains(r#""completed":false"#) && !given.contains("messages"), "{given}");
}

#[test]
fn a_chunked_sample_is_its_ranges_of_messages() {
    let text = r#"{"id":"x","message_refs":[[1,3],[9,1],[0,99]],"messages":[{"role":"user","content":"old"},
        {"role":"user","content":"attachment://0"},{"role":"assistant","content":"b"}],"attachments":["first"]}"#;
    let (run, bytes) = (run_of(text), text.as_bytes().to_vec());
    let texts: Vec<String> = run.view(9, &bytes).into_iter().map(|entry| entry.text).collect();
    assert_eq!(texts.len(), 5);
    assert!(texts[0].contains("first") && texts[1].contains('b'));
    assert!(run.findings()[0].message.contains("96 messages"), "{:?}", run.findings());
}

#[test]
fn what_ended_earlier_attempts_is_in_the_state() {
    let text = r#"{"id":"x","messages":[{"role":"user","content":"q"}],
        "error_retries":[{"message":"no \"disk\"","traceback":"at 1","events":[{"event":"error"}]},"gone"]}"#;
    let given = state(&run_of(text), text, 0);
    assert!(given.contains(r#""error_retries":["no \"disk\"","gone"]"#) && !given.contains("at 1"), "{given}");
}

#[test]
fn a_part_that_is_missing_is_found() {
    let run = run_of(r#"{"id":"x","messages":[],"part_missing":{"part":"samples/x.json","why":"cut off"}}"#);
    let findings = run.findings();
    assert_eq!((run.step_count(), findings.len(), findings[0].rule), (0, 1, "run.part-missing"));
}

#[test]
fn an_inner_span_changes_what_the_outer_one_reports_only_at_its_end() {
    let change = |span: &str, changes: &str| format!(r#"{{"event":"store","span_id":"{span}","changes":[{changes}]}}"#);
    let events = [
        r#"{"event":"span_begin","id":"o"},{"event":"span_begin","id":"i","parent_id":"o"}"#.to_owned(),
        r#"{"event":"tool","id":"c1"}"#.to_owned(),
        change("i", r#"{"op":"remove","path":"/gone"},{"op":"replace","path":"/n","value":2,"replaced":1}"#),
        r#"{"event":"span_end","id":"i"},{"event":"tool","id":"c2"}"#.to_owned(),
        change("o", r#"{"op":"add","path":"/n","value":2},{"op":"add","path":"/m","value":1}"#),
        r#"{"event":"span_end","id":"o"}"#.to_owned(),
    ];
    let text = with_events(r#"{"n":2,"m":1}"#, &events.join(","));
    let run = run_of(&text);
    assert!(run.findings().is_empty(), "{:?}", run.findings());
    let known: Vec<bool> =
        (0..run.step_count() as StepNo).map(|step| state(&run, &text, step).contains("\"n\":2")).collect();
    let later: Vec<bool> =
        (0..run.step_count() as StepNo).map(|step| state(&run, &text, step).contains("\"m\":1")).collect();
    let first = |all: &[bool]| all.iter().position(|is_known| *is_known);
    assert!(first(&known).unwrap() < first(&later).unwrap(), "{known:?} {later:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn damaged_samples_are_read(text in spoiled(&sample())) {
        read_steps(&run_of(&text), &text);
    }
}

#[test]
fn tokens_of_a_sample_without_events_are_those_that_it_states() {
    let sample = |more: &str| {
        format!(
            r#"{{"id":1,"messages":[{{"role":"user","content":"x"}},{{"role":"assistant","content":"y"}}],{more}}}"#
        )
    };
    let models = r#""model_usage":{"a":{"input_tokens":5,"output_tokens":2,"total_tokens":7},
        "b":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}"#;
    let answer = r#""output":{"usage":{"input_tokens":4,"output_tokens":3,"total_tokens":7}}"#;
    for (more, input) in [(models.to_owned(), 6), (answer.to_owned(), 4), (format!("{models},{answer}"), 6)] {
        let text = sample(&more);
        let run = run_of(&text);
        let usage = format!(r#""usage":{{"main":{{"input":{input},"#);
        assert!(state(&run, &text, 1).contains(&usage), "{}", state(&run, &text, 1));
        assert!(!state(&run, &text, 0).contains("usage"));
    }
}

#[test]
fn a_tool_that_the_service_of_the_model_ran_has_its_result_in_its_call() {
    let block = |more: &str| {
        format!(
            r#"{{"type":"tool_use","tool_type":"web_search","id":"w","name":"web_search","arguments":"{{}}",{more}}}"#
        )
    };
    for (more, is_error) in [(r#""result":"found","error":null"#, false), (r#""result":"","error":"denied""#, true)] {
        let text = format!(
            r#"{{"id":1,"messages":[{{"role":"user","content":"x"}},{{"role":"assistant","content":[{}]}}]}}"#,
            block(more)
        );
        let (run, bytes) = (run_of(&text), text.as_bytes().to_vec());
        assert_eq!((run.step_count(), run.step(1, &bytes).kind.as_str()), (2, "tool-call"), "{more}");
        assert_eq!(run.work().map(|work| work.is_open(1)), Some(false), "{more}");
        assert_eq!(run.error_steps().len(), usize::from(is_error), "{more}");
    }
}

#[test]
fn hidden_reasoning_shows_its_summary() {
    let text = r#"{"id":1,"messages":[{"role":"assistant","content":[
        {"type":"reasoning","reasoning":"gAAAA","summary":"Look first.","redacted":true},
        {"type":"reasoning","reasoning":"All of it.","summary":"Less.","redacted":false}]}]}"#;
    let (run, bytes) = (run_of(text), text.as_bytes().to_vec());
    let words = [0, 1].map(|step| run.step(step, &bytes).summary);
    assert_eq!(words, ["Look first.", "All of it."]);
}
