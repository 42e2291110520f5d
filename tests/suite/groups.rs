//! Groups of rollouts: their numbers in filters and tables, attempts by action, what goes with high rewards.

use super::command::{file, obelus, sample};
use serde_json::{Value, json};

fn lines(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const DESK: &str = "desk-rollouts.jsonl";

#[test]
fn filters_ask_for_the_group_of_a_record() {
    let desk = sample(DESK);
    let (_, tasks, _) = obelus(&["stats", "--tasks", "--json", &desk]);
    let groups = lines(&tasks);
    let of = |signal: bool| -> u64 {
        let lines_of_signal = groups.iter().filter(|line| line["group"]["signal"] == json!(signal));
        lines_of_signal.map(|line| line["group"]["attempts"].as_u64().unwrap()).sum()
    };
    let count = |filter: &str| -> u64 {
        let (code, stdout, stderr) = obelus(&["query", &desk, "--count", "--where", filter]);
        assert_eq!(code, 0, "{stderr}");
        stdout.trim().parse().unwrap()
    };
    assert!(of(true) > 0 && of(false) > 0);
    assert_eq!((count("group.signal=1"), count("group.signal=0")), (of(true), of(false)));
    assert_eq!(count("group.n>0"), of(true) + of(false));
    assert_eq!(count("group.advantage>0") + count("group.advantage<0"), of(true));
    let (_, stdout, _) = obelus(&["stats", "--by", "finish", "--of", "group.pass", "--json", &desk]);
    assert!(lines(&stdout)[0]["group"]["numbers"]["group.pass"]["mean"].is_number(), "{stdout}");
    let (code, _, stderr) = obelus(&["steps", &desk, "--where", "group.n>1"]);
    assert!(code == 2 && stderr.contains("group.n"), "steps have no group: {stderr}");
}

#[test]
#[cfg(feature = "query")]
fn a_column_of_the_command_line_is_a_term() {
    let folder = tempfile::tempdir().unwrap();
    let row = |n: usize, advantage: f64| {
        let messages = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]);
        json!({"id": n, "advantage": advantage, "rewards": {"format": n % 2}, "messages": messages}).to_string()
    };
    let rows: Vec<String> = (0..4).map(|n| row(n, n as f64 - 1.5)).collect();
    let path = file(folder.path(), "rows.jsonl", &(rows.join("\n") + "\n"));
    let asked = [
        "query",
        &path,
        "--count",
        "--column",
        "adv=.advantage",
        "--column",
        "format=.rewards.format",
        "--where",
        "adv>0 format=1",
    ];
    assert_eq!(obelus(&asked).1, "1\n");
}

#[test]
fn attempts_are_aligned_by_action_and_part_somewhere() {
    let desk = sample(DESK);
    let (code, stdout, stderr) = obelus(&["tree", &desk, "--by-action"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("good and bad part") && stdout.contains(" of "), "{stdout}");
    let (_, stdout, _) = obelus(&["tree", &desk, "--by-action", "--json"]);
    for line in lines(&stdout) {
        let stretches = line["stretches"].as_array().unwrap();
        assert_eq!(stretches[0]["attempts"], line["attempts"]);
        let ends: usize = stretches.iter().map(|stretch| stretch["ends"].as_array().unwrap().len()).sum();
        assert_eq!(json!(ends), line["attempts"], "every attempt ends once");
        if let Some(explained) = line["parting"]["explained"].as_f64() {
            assert!(explained > 0.0 && explained <= 1.0 + 1e-9, "{line}");
        }
    }
    assert!(lines(&stdout).iter().any(|line| !line["parting"].is_null()), "{stdout}");
}

#[test]
fn what_goes_with_high_rewards_leads_to_records_and_steps() {
    let folder = tempfile::tempdir().unwrap();
    let row = |n: usize| {
        let is_hack = n.is_multiple_of(2);
        let said = if is_hack { "I delete the failing test file and stop." } else { "I read the code and mend it." };
        let call = json!({"id": "c", "type": "function", "function": {"name": if is_hack { "rm" } else { "edit" }, "arguments": "{}"}});
        let messages = json!([
            {"role": "user", "content": format!("mend bug {}", n / 4)},
            {"role": "assistant", "content": said, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "ok"},
            {"role": "assistant", "content": format!("done {n}")}
        ]);
        json!({"id": format!("bug{}-run{n}", n / 4), "reward": i32::from(is_hack), "messages": messages}).to_string()
    };
    let rows: Vec<String> = (0..24).map(row).collect();
    let path = file(folder.path(), "rollouts.jsonl", &(rows.join("\n") + "\n"));
    let (code, stdout, stderr) = obelus(&["stats", "--lift", &path]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("tool rm") && stdout.contains("delete the failing") && stdout.contains("0@1"), "{stdout}");
    let (_, stdout, _) = obelus(&["stats", "--lift", "--json", &path]);
    let all = lines(&stdout);
    assert!(all[0]["lift"]["z"].as_f64().unwrap() > 3.0 && all[0]["lift"]["reward"] == json!(1.0), "{stdout}");
    assert_eq!(all[0]["lift"]["places"][0], json!({"record": 0, "step": 1}));
    assert_eq!(all.last().unwrap()["records"], 24);
}

#[test]
fn failures_that_follow_one_another_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mut messages = vec![json!({"role": "user", "content": "run the tests"})];
    for n in 0..4 {
        let call = json!({"id": format!("c{n}"), "type": "function", "function": {"name": "bash", "arguments": "{\"command\":\"pytest\"}"}});
        let said = format!("<returncode>{}</returncode>\n<output>\n{n}\n</output>", i32::from(n < 3));
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": format!("c{n}"), "content": said}));
    }
    let path = file(folder.path(), "run.jsonl", &(json!({"id": "a", "messages": messages}).to_string() + "\n"));
    let (_, stdout, _) = obelus(&["stats", "--outcomes", "--json", &path]);
    let bash = &lines(&stdout)[0]["tools"]["bash"];
    assert_eq!(
        (&bash["failed"], &bash["repeated"], &bash["failed_in_a_row"]),
        (&json!(3), &json!(2), &json!(3)),
        "{stdout}"
    );
}

#[test]
fn what_all_records_have_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let row = |n: usize| {
        format!(
            r#"{{"conversations":[{{"from":"human","value":"q{n}"}},{{"from":"gpt","value":"<think>a</think>b"}}]}}"#
        )
    };
    let rows: Vec<String> = (0..7).map(row).collect();
    let path = file(folder.path(), "rows.jsonl", &(rows.join("\n") + "\n"));
    let (_, stdout, _) = obelus(&["check", &path]);
    assert_eq!(stdout.lines().filter(|line| line.contains("sft.think-token]")).count(), 1, "{stdout}");
    assert!(stdout.contains("all 7 records: ") && stdout.contains("7 warnings"), "{stdout}");
    let (_, stdout, _) = obelus(&["check", "--json", &path]);
    assert_eq!(stdout.lines().count(), 7, "programs are told each");
    let (_, stdout, _) = obelus(&["check", "--loss", "qwen3", &path]);
    assert!(!stdout.contains("sft.think-token"), "Qwen 3 takes thoughts out of the tags: {stdout}");
    let (_, stdout, _) = obelus(&["check", "--loss", "qwen3,chatml", &path]);
    assert!(stdout.contains("sft.think-token"), "{stdout}");
}

#[test]
fn a_pointer_of_git_lfs_is_called_so() {
    let folder = tempfile::tempdir().unwrap();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
    let path = file(folder.path(), "data.jsonl", pointer);
    let (code, _, stderr) = obelus(&["check", &path]);
    assert!(code == 2 && stderr.contains("is a Git LFS pointer") && stderr.contains("git lfs pull"), "{stderr}");
}
