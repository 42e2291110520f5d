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

/// Rewards: those of the trajectories that use a tool, and of the others.
#[test]
fn outcomes_are_counted_by_tool() {
    let folder = tempfile::tempdir().unwrap();
    let with_reward = |(number, line): (usize, &str)| {
        let tool = if number == 1 { "shell" } else { "bash" };
        let line = line.replace("\"bash\"", &format!("\"{tool}\""));
        format!("{{\"reward\":{}.0,{}\n", number % 2, line.strip_prefix('{').unwrap())
    };
    let text: String = three().lines().enumerate().map(with_reward).collect();
    let path = file(folder.path(), "d.jsonl", &text);
    let (status, out, errors) = obelus(&["stats", "--outcomes", &path, "--json"]);
    assert_eq!((status, errors.as_str()), (0, ""));
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let numbers = |of: &serde_json::Value| ["calls", "failed", "suspect", "fine", "open"].map(|name| of[name].as_u64());
    assert_eq!(numbers(&report), [Some(6), Some(4), Some(0), Some(2), Some(0)]);
    let (bash, shell) = (&report["tools"]["bash"], &report["tools"]["shell"]);
    assert_eq!(numbers(bash), [Some(4), Some(3), Some(0), Some(1), Some(0)]);
    assert_eq!((bash["error_rate"].as_f64(), bash["trajectories"].as_u64()), (Some(0.75), Some(2)));
    assert_eq!((bash["reward"].as_f64(), bash["reward_without"].as_f64()), (Some(0.0), Some(1.0)));
    assert_eq!((shell["reward"].as_f64(), shell["reward_without"].as_f64()), (Some(1.0), Some(0.0)));
    let (_, text, _) = obelus(&["stats", "--outcomes", &path]);
    let row = text.lines().find(|line| line.starts_with("  bash")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>().join(" "), "bash 4 3 75.0 % 2 0 1 0 0.000 1.000");
}

/// A result whose call is not there is of the tool that it names, else of none.
#[test]
fn results_without_calls_are_counted_by_their_own_names() {
    let folder = tempfile::tempdir().unwrap();
    let row = |id: &str, name: &str, text: &str| {
        format!(
            "{{\"example_id\":\"{id}\",\"prompt\":[{{\"role\":\"user\",\"content\":\"q\"}}],\"completion\":[\
             {{\"role\":\"tool\",\"tool_call_id\":\"x\"{name},\"content\":\"{text}\"}},\
             {{\"role\":\"assistant\",\"content\":\"n\"}}],\"reward\":0}}\n"
        )
    };
    let rows = [row("a", ",\"name\":\"find\"", "Error: not found"), row("b", "", "Error: no"), row("c", "", "fine")];
    let path = file(folder.path(), "d.jsonl", &rows.concat());
    let (_, out, _) = obelus(&["stats", "--outcomes", &path, "--json"]);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let numbers =
        |of: &serde_json::Value| ["calls", "failed", "fine", "open", "unlinked"].map(|name| of[name].as_u64());
    assert_eq!(numbers(&report), [Some(0), Some(2), Some(1), Some(0), Some(3)]);
    assert_eq!(numbers(&report["tools"]["find"]), [Some(0), Some(1), Some(0), Some(0), Some(1)]);
    assert_eq!(report["tools"].as_object().unwrap().len(), 1);
    assert!(obelus(&["stats", "--outcomes", &path]).1.contains("  (no tool)"));
}

/// A log that is one run is followed as a whole, and a call without a result is open.
#[test]
fn the_outcomes_of_a_log_are_those_of_its_steps() {
    let (_, out, _) = obelus(&["stats", "--outcomes", &super::command::sample("fix-session.jsonl"), "--json"]);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let (_, steps, _) = obelus(&["steps", &super::command::sample("fix-session.jsonl"), "--json"]);
    let failed = steps.lines().filter(|line| line.contains("\"outcome\":\"error\"")).count();
    assert_eq!(report["failed"].as_u64(), Some(failed as u64));
    let (_, out, _) = obelus(&["stats", "--outcomes", &super::command::sample("tickets-std.jsonl"), "--json"]);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((report["open"].as_u64(), report["tools"]["finish"]["error_rate"].is_null()), (Some(2), true));
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
