//! Groups of rollouts: their numbers in filters and tables, attempts by action, what goes with high rewards.

use super::command::{file, obelus, sample};
use super::stage::{has, input, lines as screen_lines, notice, on, press, screen, shows, stage, step};
use obelus::app::Msg;
use obelus::review::Column;
use obelus::shell::headless::Stage;
use serde_json::{Value, json};
use std::sync::Arc;

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
fn what_is_said_in_chosen_answers_alone_lifts_them() {
    let folder = tempfile::tempdir().unwrap();
    let pair = |n: u8, scores: &str| {
        let (chosen, rejected) = (format!("I checked the docs, {n}"), format!("It is probably fine, {n}"));
        format!("{{\"prompt\":\"q{n}\",\"chosen\":\"{chosen}\",\"rejected\":\"{rejected}\"{scores}}}\n")
    };
    for (scores, mean) in [("", 1.0), (r#","score_chosen":8,"score_rejected":4"#, 8.0)] {
        let rows: String = (0..12).map(|n| pair(n, scores)).collect();
        let path = file(folder.path(), "p.jsonl", &rows);
        let (_, stdout, _) = obelus(&["stats", "--lift", "--json", &path]);
        let first: Value = serde_json::from_str(stdout.lines().next().unwrap()).unwrap();
        let lift = &first["lift"];
        assert_eq!((&lift["records"], &lift["reward"]), (&json!(12), &json!(mean)), "{stdout}");
        assert!(lift["feature"].as_str().unwrap().contains("checked the"), "{stdout}");
    }
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

/// The rows of the table below its heading, and the heading.
fn table_rows(stage: &Stage) -> (String, Vec<String>) {
    let of = |text: &str| screen_lines(stage).into_iter().filter(|line| line.contains(text)).collect::<Vec<_>>();
    (of("#  id").concat(), of("-attempt-"))
}

#[test]
fn the_table_has_columns_of_groups_that_sort_filter_and_plot() {
    let mut stage = stage(input(DESK), (260, 40));
    let (heading, rows) = table_rows(&stage);
    for title in ["attempts", "pass", "advantage", "mean", "sd", "signal"] {
        assert!(heading.contains(title), "{title}: {heading}");
    }
    assert_eq!(rows.len(), 16);
    assert!(
        rows[0].contains("+0.866") && rows[1].contains("-0.866") && rows[4].contains("0.25"),
        "{}",
        rows.join("\n")
    );
    stage.app.table.focus = Column::GroupAdvantage;
    press(&mut stage, "s s");
    assert!(table_rows(&stage).1[0].contains("seat-2-attempt-2"), "{}", screen(&stage));
    press(&mut stage, "p");
    shows(&stage, &["p50 ", "max 1.5"]);
    press(&mut stage, "p & type:group.signal=0 Enter");
    let (_, rows) = table_rows(&stage);
    assert!(rows.len() == 4 && rows.iter().all(|row| row.contains("address-3")), "{}", screen(&stage));
}

#[test]
fn columns_of_groups_are_hidden_where_each_task_has_one_attempt() {
    let row = |id: &str, reward: f64| {
        let messages = json!([{"role": "user", "content": "go"}, {"role": "assistant", "content": "gone"}]);
        json!({"id": id, "task_id": id, "reward": reward, "messages": messages}).to_string() + "\n"
    };
    let text = row("one", 1.0) + &row("two", 0.0);
    let mut alone = on(&text, (200, 30));
    assert!(!has(&alone, "advantage") && !has(&alone, "empty: attempts"), "{}", screen(&alone));
    press(&mut alone, "c type:signal Enter Enter");
    assert!(notice(&alone).contains("signal is shown where a task has several attempts"), "{}", notice(&alone));
    // Attempts without a reward are counted, and no more is said of them.
    let without = text.replace("\"reward\":1.0,", "").replace("\"reward\":0.0,", "");
    let several = on(&without.replace("two", "one"), (200, 30));
    assert!(has(&several, "attempts") && !has(&several, "advantage"), "{}", screen(&several));
}

#[test]
fn groups_stay_while_all_records_are_looked_at_again() {
    let whole = std::fs::read_to_string(sample(DESK)).unwrap();
    let text: String = whole.lines().take(4).map(|line| format!("{line}\n")).collect();
    let mut stage = on(&text, (200, 30));
    assert_eq!(stage.app.table.groups.clone().unwrap().known(), 4);
    // The answer to a question that nobody asked is dropped.
    stage.send(Msg::Groups(u64::MAX, Arc::default()));
    assert_eq!(stage.app.table.groups.clone().unwrap().known(), 4);
    // The rules of datasets look at all records again; what groups come to holds meanwhile.
    press(&mut stage, "!");
    assert!(has(&stage, "advantage"), "{}", screen(&stage));
}

#[test]
fn the_attempts_are_aligned_by_action_and_show_where_good_and_bad_part() {
    let mut stage = stage(input(DESK), (160, 30));
    press(&mut stage, "a");
    assert!(!has(&stage, "by action ·"), "{}", screen(&stage));
    press(&mut stage, "b");
    shows(
        &stage,
        &["4 attempts by action · good and bad part behind @2: 100 %", "good and bad part here  2 of 4 passed"],
    );
    shows(&stage, &["2 of 2 passed", "0 of 2 passed", "alike", "parts @4"]);
    assert_eq!(stage.app.attempts.record(), Some(0), "the cursor stays on its attempt");
    press(&mut stage, "j Enter");
    assert_eq!((stage.app.session.trajectory, step(&stage)), (2, 6), "the last action of the attempt that ends here");
    press(&mut stage, "Esc k k Enter");
    assert_eq!(step(&stage), 4, "where the branch begins");
    press(&mut stage, "Esc b");
    assert!(!has(&stage, "passed") && stage.app.attempts.record() == Some(0), "{}", screen(&stage));
    // The same is asked again after it was closed.
    press(&mut stage, "Esc a");
    shows(&stage, &["refund-1  4 attempts"]);
}

#[test]
fn attempts_by_action_say_why_nothing_parts_them() {
    let row = |id: usize, said: &str, reward: &str| {
        format!("{{\"id\":\"t-run{id}\",{reward}\"messages\":[{{\"role\":\"user\",\"content\":\"{id}\"}}{said}]}}\n")
    };
    let said = r#",{"role":"assistant","content":"x"}"#;
    let shown = |rows: [String; 2]| {
        let mut stage = on(&rows.concat(), (120, 20));
        press(&mut stage, "a b");
        screen(&stage)
    };
    let none = shown([row(1, said, ""), row(2, said, "")]);
    assert!(none.contains("none has a reward") && !none.contains("passed"), "{none}");
    let same = shown([row(1, said, "\"reward\":1,"), row(2, said, "\"reward\":1,")]);
    assert!(same.contains("no fork separates good from bad") && same.contains("2 of 2 passed"), "{same}");
    let idle = shown([row(1, "", ""), row(2, "", "")]);
    assert!(idle.contains("These attempts have no actions.") && idle.contains("b aligns whole messages"), "{idle}");
}

#[test]
fn rollouts_of_verifiers_and_samples_of_inspect_are_groups_too() {
    let folder = tempfile::tempdir().unwrap();
    let rollout = |id: usize, reward: f64| {
        let said = |role: &str| json!([{"role": role, "content": format!("{role} {reward}")}]);
        json!({"id": id, "prompt": said("user"), "completion": said("assistant"), "task": "math", "reward": reward, "info": {}, "judge": reward})
            .to_string()
    };
    let rows: Vec<String> = [(0, 1.0), (0, 0.0), (1, 1.0)].map(|(id, reward)| rollout(id, reward)).into();
    let results = file(folder.path(), "results.jsonl", &(rows.join("\n") + "\n"));
    let sample = |epoch: usize, grade: &str| {
        let messages = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": grade}]);
        json!({"id": "s", "epoch": epoch, "input": "q", "target": "a", "messages": messages, "scores": {"match": {"value": grade}}})
    };
    let log = json!({"version": 2, "status": "success", "eval": {"task": "sums", "model": "m"}, "samples": [sample(1, "C"), sample(2, "I")]});
    let log = file(folder.path(), "log.json", &log.to_string());
    // The second of its attempts counts.
    let episode = |reward: f64| {
        let node =
            |parent: Option<usize>, role: &str| json!({"parent": parent, "message": {"role": role, "content": role}});
        let nodes = [node(None, "user"), node(Some(0), "assistant"), node(Some(0), "assistant")];
        let rewards = json!({"match": {"score": reward, "weight": 1}});
        json!({"id": "e", "task": {"key": "k"}, "traces": [{"nodes": nodes, "rewards": rewards}]}).to_string()
    };
    let episodes = file(folder.path(), "traces.jsonl", &[episode(1.0), episode(0.0)].join("\n"));
    // A line of verifiers 0.2 is a trace, whose task has a number and whose rewards have no weights.
    let trace = |id: &str, reward: f64| {
        let node =
            |parent: Option<usize>, role: &str| json!({"parent": parent, "message": {"role": role, "content": role}});
        let task = json!({"type": "Sums", "data": {"idx": 7, "prompt": "q"}});
        json!({"id": id, "task": task, "agent": {"model": "m"}, "nodes": [node(None, "user"), node(Some(0), "assistant")],
            "calls": [], "rewards": {"right": reward / 2.0, "brief": reward / 2.0}})
        .to_string()
    };
    let traces = file(folder.path(), "lone.jsonl", &[trace("a", 1.0), trace("b", 0.0)].join("\n"));
    let files =
        [(&results, "verifiers", 3), (&log, "inspect", 2), (&episodes, "verifiers", 2), (&traces, "verifiers", 2)];
    for (path, format, grouped) in files {
        let (_, stdout, _) = obelus(&["table", "--groups", "--json", path]);
        let first = &lines(&stdout)[0];
        assert_eq!(
            (&first["format"], &first["group_n"], &first["group_pass"]),
            (&json!(format), &json!(2), &json!(0.5))
        );
        assert_eq!(obelus(&["query", path, "--count", "--where", "group.n>0"]).1, format!("{grouped}\n"));
        let (_, stdout, _) = obelus(&["stats", "--tasks", "--json", path]);
        assert_eq!(lines(&stdout)[0]["group"]["successes"], 1, "{stdout}");
    }
}

#[test]
fn a_task_of_one_reward_has_no_signal_and_one_without_rewards_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let row = |task: &str, reward: &str| {
        format!(
            r#"{{"task_id":"{task}",{reward}"messages":[{{"role":"user","content":"q"}},{{"role":"assistant","content":"a"}}]}}"#
        )
    };
    let rows =
        [row("a", "\"reward\":1,"), row("b", "\"reward\":1,"), row("b", "\"reward\":0,"), row("c", ""), row("c", "")];
    let path = file(folder.path(), "r.jsonl", &rows.join("\n"));
    let count = |filter: &str| obelus(&["query", &path, "--count", "--where", filter]).1;
    assert_eq!(["group.signal=1", "group.signal=0"].map(count), ["2\n", "1\n"]);
    let (_, stdout, _) = obelus(&["stats", "--tasks", "--json", &path]);
    let all = lines(&stdout);
    assert_eq!([0, 1, 2].map(|n| all[n]["group"]["signal"].clone()), [json!(false), json!(true), json!(null)]);
    assert_eq!((&all[3]["with_several_rewards"], &all[3]["without_signal"]), (&json!(1), &json!(0)));
}

#[test]
fn the_answers_of_a_preference_pair_are_two_attempts_at_its_task() {
    let folder = tempfile::tempdir().unwrap();
    let asked = r#"{"role":"user","content":"q"}"#;
    let answer = |words: &str| format!(r#"[{asked},{{"role":"assistant","content":"{words}"}}]"#);
    let pair = |head: &str, scores: [f64; 2]| {
        let both = format!(r#""chosen":{},"rejected":{}"#, answer("a"), answer("b"));
        format!("{{{head}{both},\"score_chosen\":{},\"score_rejected\":{}}}\n", scores[0], scores[1])
    };
    let text = pair(r#""id":"p","#, [1.0, 0.0]) + &pair("", [0.5, 0.25]);
    let pairs = file(folder.path(), "pairs.jsonl", &text);
    let (_, tasks, _) = obelus(&["stats", "--tasks", "--json", &pairs]);
    let groups: Vec<String> =
        tasks.lines().map(|line| line.split_once("\"group\":").map_or("", |(_, g)| g).to_owned()).collect();
    assert!(groups[0].starts_with(r#"{"task":"p","attempts":2,"rewarded":2,"successes":1,"mean":0.5,"#), "{tasks}");
    assert!(
        groups[1].starts_with(r#"{"task":"record 1","attempts":2,"rewarded":2,"successes":0,"mean":0.375,"#),
        "{tasks}"
    );
    let (_, tree, _) = obelus(&["tree", &pairs]);
    let lines: Vec<&str> = tree.lines().map(str::trim).collect();
    let first = [
        "p  2 attempts",
        "@0  2 attempts  user q",
        "@1  record 0 chosen  p  reward 1  agent a",
        "@3  record 0 rejected  p  reward 0  agent b",
    ];
    assert_eq!(lines[..4], first);
    assert_eq!(lines.last(), Some(&"2 of 2 tasks have several attempts; 0 records name no task"));
    let (_, actions, _) = obelus(&["tree", "--by-action", &pairs]);
    assert!(actions.contains("ends here: record 0 chosen, 0 rejected"), "{actions}");
    let (_, by, _) = obelus(&["stats", "--tasks", "--by", "no.field", &pairs]);
    assert!(by.contains("2 records name no task"), "{by}");
}
