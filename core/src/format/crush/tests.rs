//! Tests of sessions of Crush.

use super::*;
use crate::format::Format;
use crate::format::log::testing::{run_of_set, state, steps};
use crate::format::rows::memory::{Memory, text as cell};

#[test]
fn a_session_has_its_parts_as_steps_and_its_cost() {
    let parsed = run_of_set(&CRUSH, SESSION);
    assert_eq!(
        steps(&parsed),
        [
            "message user: list it",
            "thought agent: ls will do",
            "tool-call agent: bash ls",
            "tool-result environment: a.txt (of 2)",
            "message agent: one file"
        ]
    );
    assert_eq!(parsed.0.title().as_deref(), Some("List it"));
    let total = parsed.0.work().map(|work| work.total_usage()).unwrap_or_default();
    assert_eq!((total.cost, total.input), (Some(0.25), None));
    assert!(state(&parsed, "usage", 4).contains(r#""turns":2"#));
    assert!(state(&parsed, "todo", 4).contains(r#""status":"completed""#));
    assert!(state(&parsed, "run", 4).contains(r#""model":"m""#));
}

#[test]
fn a_command_has_its_exit_status_folder_and_time_behind_its_output() {
    let of = |content: &str| {
        let parsed = run_of_set(&CRUSH, &SESSION.replace(r"a.txt\n\n<cwd>/w</cwd>", content));
        let turn = parsed.0.turn(3, &parsed.1).unwrap();
        let result = turn.results().next().unwrap();
        let reason = parsed.0.outcome(3).and_then(|outcome| outcome.reason);
        (result.text.clone().into_owned(), result.exit, result.cwd.clone().map(Cow::into_owned), reason)
    };
    let folder = || Some("/w".to_owned());
    assert_eq!(of(r"a.txt\n\n<cwd>/w</cwd>"), ("a.txt".to_owned(), Some(0), folder(), None));
    let failed = of(r"out\nerr\nExit code 3\n\n<cwd>/w</cwd>");
    assert_eq!(failed, ("out\nerr".to_owned(), Some(3), folder(), Some("exit")));
    assert_eq!(of("no output"), (String::new(), Some(0), None, None));
    let stopped = of(r"out\nCommand was aborted before completion\n\n<cwd>/w</cwd>");
    assert_eq!((stopped.1, stopped.2), (None, folder()));
    let shell = state(&run_of_set(&CRUSH, SESSION), "shell", 3);
    assert!(shell.contains(r#""exit":0"#) && shell.contains(r#""ms":500"#), "{shell}");
}

#[test]
fn an_answer_that_failed_says_why_and_one_that_goes_on_does_not() {
    let end = r#""reason":"error","message":"no quota","details":"try later""#;
    let parsed = run_of_set(&CRUSH, &SESSION.replace(r#""reason":"end_turn""#, end));
    assert_eq!((steps(&parsed).len(), parsed.0.error_steps()), (6, vec![5]));
    assert!(steps(&parsed)[5].contains("no quota: try later"), "{:?}", steps(&parsed));
}

#[test]
fn a_summary_is_in_the_place_of_what_is_before() {
    let summary = r#"{"id":"m4","is_summary_message":1,"#;
    let parsed = run_of_set(&CRUSH, &SESSION.replace(r#"{"id":"m4","#, summary));
    assert_eq!(parsed.0.context_steps(4), Some(vec![4]));
    assert!(state(&parsed, "run", 4).contains(r#""compactions":1"#));
}

#[test]
fn an_edit_that_removes_a_text_leaves_the_end_of_its_line() {
    let edit = r#"{\"file_path\":\"/w/a\",\"old_string\":\"two\",\"new_string\":\"\"}"#;
    let parsed = run_of_set(
        &CRUSH,
        &SESSION
            .replace(r#""name":"bash","input":"{\"command\":\"ls\"}""#, &format!(r#""name":"edit","input":"{edit}""#))
            .replace(r#""name":"bash","content":"a.txt\n\n<cwd>/w</cwd>""#, r#""name":"edit","content":"replaced""#),
    );
    let edited = parsed.0.work().unwrap().files(3).iter().map(|file| (file.path.to_owned(), file.edits)).next();
    assert_eq!(edited, Some(("/w/a".to_owned(), 1)));
}

#[test]
fn the_database_gives_a_line_for_each_session_in_the_order_of_their_times() {
    let (int, null) = (ContainerValue::Integer, || ContainerValue::Null);
    let message = |id: &str, owner: &str, created: i64, parts: &str| {
        vec![cell(id), cell(owner), cell("user"), int(created), cell(parts)]
    };
    let part = r#"[{"type":"text","data":{"text":"q"}}]"#;
    let mut memory = Memory::new(vec![
        (
            SESSIONS,
            &["id", "parent_session_id", "title", "prompt_tokens", "cost", "todos", "created_at"],
            vec![
                vec![cell("b"), cell("a"), cell("second"), int(1), ContainerValue::Real(0.5), null(), int(20)],
                vec![cell("a"), null(), cell("first"), int(1), int(0), cell(r#"[{"content":"x"}]"#), int(10)],
            ],
        ),
        (
            MESSAGES,
            &["id", "session_id", "role", "created_at", "parts"],
            vec![message("m2", "a", 12, part), message("m1", "a", 11, part), message("m3", "b", 21, "[]")],
        ),
    ]);
    let written = memory.assembled(&Database);
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines.len(), 2, "{written}");
    assert!(lines[0].starts_with(r#"{"session":{"id":"a","title":"first","prompt_tokens":1,"cost":0,"todos":[{"#));
    let at = |id: &str| lines[0].find(id);
    assert!(at(r#""id":"m1""#) < at(r#""id":"m2""#) && lines[0].contains(&format!(r#""parts":{part}"#)), "{written}");
    assert!(lines[1].contains(r#""parent_session_id":"a""#) && lines[1].ends_with("\"parts\":[]}]}"), "{written}");
    assert!(CRUSH.detect(&[json::parse(lines[0]).unwrap()]).is_some());
}
