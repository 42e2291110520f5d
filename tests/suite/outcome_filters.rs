//! How results came out, as numbers of filters and of the table: the same for commands, the screen and `check`.

use super::command::{file, obelus};
use super::stage::{lines, on, press};
use std::fmt::Write;

/// Conversations whose calls came out so: a command, its output, its exit status.
fn dataset(runs: &[&[(&str, &str, u8)]]) -> String {
    let mut out = String::new();
    for (number, commands) in runs.iter().enumerate() {
        let mut messages = vec![r#"{"role":"user","content":"go"}"#.to_owned()];
        for (i, (command, text, exit)) in commands.iter().enumerate() {
            let function = format!(r#"{{"name":"bash","arguments":"{{\"command\":\"{command}\"}}"}}"#);
            let call = format!(r#"{{"id":"{number}-{i}","type":"function","function":{function}}}"#);
            messages.push(format!(r#"{{"role":"assistant","content":"","tool_calls":[{call}]}}"#));
            let text = format!("{text}\\n[Command finished with exit code {exit}]");
            messages.push(format!(r#"{{"role":"tool","tool_call_id":"{number}-{i}","content":"{text}"}}"#));
        }
        writeln!(out, "{{\"id\":\"r{number}\",\"messages\":[{}]}}", messages.join(",")).unwrap();
    }
    out
}

fn three() -> String {
    let make = ("make", "make: *** [all] Error 2", 2);
    dataset(&[&[("ls", "a", 0)], &[make, ("cat a", "one", 0)], &[make, make, make]])
}

/// The ids that a filter lets through, as `query` tells them.
fn ids(path: &str, filter: &str) -> String {
    let (status, out, errors) = obelus(&["query", "--where", filter, path, ".id"]);
    assert_eq!((status, errors.as_str()), (0, ""), "{filter}");
    out.split_whitespace().map(|id| id.trim_matches('"')).collect::<Vec<_>>().join(" ")
}

#[test]
fn filters_ask_how_results_came_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "d.jsonl", &three());
    for (filter, expected) in [
        ("failed>0", "r1 r2"),
        ("failed:3..4", "r2"),
        ("failed<1", "r0"),
        ("suspect>0", ""),
        ("failed>0 steps<6", "r1"),
        ("failed>0 !finding:work.*", "r1"),
    ] {
        assert_eq!(ids(&path, filter), expected, "{filter}");
    }
    let (_, out, _) = obelus(&["steps", &path, "--where", "failed>0", "--json"]);
    assert_eq!(out.lines().count(), 4, "{out}");
    assert!(out.lines().all(|line| line.contains("\"outcome\":\"error\"")), "{out}");
}

/// What `check` finds in what a run did, a filter, an export and a mark see too.
#[test]
fn findings_of_work_are_the_same_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "d.jsonl", &three());
    let (_, out, _) = obelus(&["check", &path, "--json"]);
    assert!(out.contains("\"rule\":\"work.repeated-failure\""), "{out}");
    assert_eq!(ids(&path, "finding:work.*"), "r2");
    assert_eq!(ids(&path, "finding:work.repeated-failure errors<9"), "r2");
    let to = folder.path().join("o.jsonl");
    obelus(&["export", &path, "--where", "!finding:work.*", "--out", to.to_str().unwrap()]);
    assert_eq!(std::fs::read_to_string(to).unwrap().lines().count(), 2);
}

#[test]
fn the_table_has_a_column_of_failures() {
    let mut stage = on(&three(), (120, 20));
    let text = lines(&stage).join("\n");
    assert!(text.contains("failed"), "{text}");
    press(&mut stage, "& type:failed>1 Enter");
    let text = lines(&stage).join("\n");
    assert!(text.contains("r2") && !text.contains("r1"), "{text}");
}
