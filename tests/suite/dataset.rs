//! `obelus check --data` and `--against`: repetition over files, order, and silence where nobody asked.

use super::command::obelus_in as run;
use super::stage::{lines, notice, press, stage};
use obelus::source::Input;
use std::fs;
use std::path::Path;

/// Exit status, and each finding as its file, record and rule.
fn rules(folder: &Path, arguments: &[&str]) -> (i32, Vec<String>) {
    let (status, stdout, stderr) = run(folder, &[&["check", "--json"], arguments].concat());
    assert!(status < 2, "{stderr}");
    let rule_of = |line: &str| {
        let finding: serde_json::Value = serde_json::from_str(line).unwrap();
        format!("{} {} {}", finding["file"].as_str().unwrap(), finding["record"], finding["rule"].as_str().unwrap())
    };
    (status, stdout.lines().map(rule_of).collect())
}

/// A conversation of some words that no other number has.
fn chat(number: usize, words: usize) -> String {
    let text: Vec<String> = (0..words).map(|i| format!("w{}", (number * 7919 + i) * 104_729 % 1_000_003)).collect();
    format!(
        "{{\"id\":\"{number}\",\"messages\":[{{\"role\":\"user\",\"content\":\"{}\"}},\
         {{\"role\":\"assistant\",\"content\":\"yes\"}}]}}\n",
        text.join(" ")
    )
}

#[test]
fn repetition_is_reported_over_files_and_only_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let near = chat(1, 60).replace("\"id\":\"1\"", "\"id\":\"n\"").replace("yes", "no");
    fs::write(folder.join("a.jsonl"), chat(0, 60) + &chat(1, 60)).unwrap();
    fs::write(folder.join("b.jsonl"), chat(2, 60) + &chat(0, 60) + &near).unwrap();
    assert_eq!(rules(folder, &["a.jsonl", "b.jsonl"]), (0, vec![]));
    let expected = ["b.jsonl 1 data.duplicate", "b.jsonl 2 data.near-duplicate", "b.jsonl 2 data.other-target"];
    assert_eq!(rules(folder, &["--data", "a.jsonl", "b.jsonl"]), (0, expected.map(str::to_owned).to_vec()));
    // No near copy any more, but the same prompt with another answer.
    let expected_stages = [expected[0], expected[2]];
    assert_eq!(rules(folder, &["--data", "--near", "1", "a.jsonl", "b.jsonl"]).1, expected_stages);
    let (_, stdout, _) = run(folder, &["check", "--data", "a.jsonl", "b.jsonl"]);
    assert!(stdout.contains("b.jsonl:2: warning: record 0 of a.jsonl is the same sample [data.duplicate]"), "{stdout}");
    let shared = ["b.jsonl 1 data.contaminated", "b.jsonl 2 data.contaminated"];
    assert_eq!(rules(folder, &["b.jsonl", "--against", "a.jsonl"]), (1, shared.map(str::to_owned).to_vec()));
    assert_eq!(rules(folder, &["b.jsonl", "--against", "a.jsonl", "--allow", "data"]), (0, vec![]));
    for arguments in [["--near", "0.4"], ["--near", "x"], ["--against", "none.jsonl"]] {
        assert_eq!(run(folder, &[&["check", "a.jsonl"], arguments.as_slice()].concat()).0, 2);
    }
}

/// A test set whose questions stand in the middle of long runs, which are no near copies of anything.
#[test]
fn a_question_of_the_other_dataset_is_found_inside_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let asked = "A gardener plants eleven rows of nine tulips and loses every third one to the snails of the summer";
    let user = |text: &str| format!("{{\"role\":\"user\",\"content\":{text:?}}}");
    let answer = "{\"role\":\"assistant\",\"content\":\"so many\"}";
    let long: String = (0..900).map(|i| format!("w{i} ")).collect();
    let run_of = |middle: &str| format!("{{\"messages\":[{},{answer},{},{answer}]}}\n", user(&long), user(middle));
    let quoted = format!("You know this one: {}! And then?", asked.to_lowercase().replace(" of", ", of"));
    fs::write(folder.join("train.jsonl"), run_of("nothing of the kind") + &run_of(&quoted)).unwrap();
    fs::write(folder.join("test.jsonl"), format!("{{\"messages\":[{},{answer}]}}\n", user(asked))).unwrap();
    fs::write(folder.join("asked.jsonl"), format!("{{\"question\":\"no\"}}\n{{\"question\":{asked:?}}}\n")).unwrap();
    for (other, record) in [("test.jsonl", 0), ("asked.jsonl", 1)] {
        let (status, stdout, stderr) = run(folder, &["check", "train.jsonl", "--against", other]);
        let expected = format!("has the question of record {record} of {other}: 100 % of its runs of 8 words");
        assert!(
            status == 1 && stdout.contains(&expected) && stdout.contains("record 1 @2 /messages/2"),
            "{stdout}{stderr}"
        );
    }
    let words = |ngram: &str| run(folder, &["check", "train.jsonl", "--against", "test.jsonl", "--ngram", ngram]).0;
    assert_eq!(["13", "18", "3", "x"].map(words), [1, 0, 2, 2], "18: too few runs of its own");
}

#[test]
fn several_threads_report_the_same_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text: String =
        (0..3000).map(|i| chat(if i % 50 == 49 { i - 7 } else { i }, 300)).collect::<String>() + &chat(9000, 9000);
    assert!(text.len() > 4 << 20);
    fs::write(folder.join("r.jsonl"), &text).unwrap();
    let (_, first) = rules(folder, &["--data", "--allow", "adp,sft", "r.jsonl"]);
    assert_eq!(first, ["r.jsonl 3000 data.outlier"], "copies in one file are told by the rules of the format");
    let (_, all) = rules(folder, &["--data", "--deny", "data", "r.jsonl"]);
    assert_eq!(all.iter().filter(|rule| rule.ends_with("adp.duplicate-content")).count(), 60);
    assert!(all.last().unwrap().ends_with("data.outlier"), "what only all records tell comes last");
    assert_eq!(rules(folder, &["--data", "--deny", "data", "r.jsonl"]), (1, all));
}

#[test]
fn messages_of_a_run_are_looked_at_for_what_they_hold() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let line = "{\"type\":\"text\",\"role\":\"user\",\"text\":\"caf\\u00c3\\u00a9\"}\n";
    fs::write(folder.join("log.jsonl"), line.repeat(12)).unwrap();
    let (_, found) = rules(folder, &["--data", "--format", "acts", "log.jsonl"]);
    assert_eq!(found.len(), 12);
    assert!(found.iter().all(|rule| rule.ends_with("data.mojibake")), "{found:?}");
}

#[test]
fn a_text_that_many_records_have_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let line = |id: usize, said: &str| {
        format!(
            "{{\"id\":\"{id}\",\"system\":\"Write to jo.doe@mail.uni-x.de, or as openhands@all-hands.dev.\",\
             \"conversations\":[{{\"from\":\"human\",\"value\":\"no. {id}\"}},{{\"from\":\"gpt\",\"value\":\"{said}\"}}]}}\n"
        )
    };
    fs::write(folder.join("a.jsonl"), line(0, "yes") + &line(1, "no")).unwrap();
    fs::write(folder.join("b.jsonl"), line(2, "I asked ann@mail.uni-x.de")).unwrap();
    let (_, found) = rules(folder, &["--data", "a.jsonl", "b.jsonl"]);
    let of = |record: &str| format!("{record} data.personal");
    assert_eq!(found, ["a.jsonl 0", "a.jsonl 1", "b.jsonl 0", "b.jsonl 0"].map(of), "who leaves records out");
    let (_, stdout, _) = run(folder, &["check", "--data", "a.jsonl", "b.jsonl"]);
    assert_eq!(stdout.matches("(`j…@mail.uni-x.de`)").count(), 1, "who reads: {stdout}");
    assert!(stdout.contains("a.jsonl: warning: 1 more text is one in which this was found above"), "{stdout}");
    let (status, _, _) = run(folder, &["export", "--where", "!finding:data.personal", "a.jsonl", "--out", "out.jsonl"]);
    assert_eq!((status, fs::read_to_string(folder.join("out.jsonl")).unwrap()), (0, String::new()));
    assert!(stdout.contains("(`j…@mail.uni-x.de`)") && stdout.contains("(`a…@mail.uni-x.de`)"), "{stdout}");
    assert!(!stdout.contains("jo.doe"), "{stdout}");
}

/// Files of a folder checked with `--data`, without the rules of their formats: file, record and rule of each finding.
fn data_rules(folder: &Path, files: &[&str]) -> Vec<String> {
    rules(folder, &[&["--data", "--allow", "adp,sft"], files].concat()).1
}

#[test]
fn stages_of_one_dataset_are_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let all: String = (0..4).map(|number| chat(number, 120)).collect();
    fs::write(folder.join("raw.jsonl"), &all).unwrap();
    fs::write(folder.join("sft.jsonl"), all.replace("yes", "no")).unwrap();
    assert_eq!(data_rules(folder, &["raw.jsonl", "sft.jsonl"]), ["sft.jsonl 0 data.near-duplicate"]);
    let (_, stdout, _) = run(folder, &["check", "--data", "raw.jsonl", "sft.jsonl"]);
    assert!(stdout.contains("and the same id: the files may hold the same samples"), "{stdout}");
    fs::write(folder.join("new.jsonl"), all.replace("yes", "no").replace("\"id\":\"", "\"id\":\"n")).unwrap();
    let found = data_rules(folder, &["raw.jsonl", "new.jsonl"]);
    assert_eq!(found.iter().filter(|rule| rule.ends_with("near-duplicate")).count(), 4, "other ids are other records");
    assert_eq!(
        found.iter().filter(|rule| rule.ends_with("other-target")).count(),
        1,
        "as most of the file do it: once"
    );
}

/// A conversation that ends with a call.
fn open_ended(id: usize) -> String {
    format!(
        "{{\"id\":\"{id}\",\"conversations\":[{{\"from\":\"human\",\"value\":\"no. {id}\"}},{{\"from\":\"gpt\",\
         \"value\":\"<function=click><parameter=bid>{id}</parameter></function>\"}}]}}\n"
    )
}

#[test]
fn next_actions_are_reported_once_and_cut_runs_each() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let next: String = (0..5).map(open_ended).collect();
    fs::write(folder.join("next.jsonl"), &next).unwrap();
    assert_eq!(data_rules(folder, &["next.jsonl"]), ["next.jsonl 0 data.truncated"]);
    let (_, stdout, _) = run(folder, &["check", "--data", "next.jsonl"]);
    assert!(stdout.contains("5 of 5 samples of this file end with a call"), "{stdout}");
    let cut: String = (10..16).map(|number| chat(number, 9)).chain([open_ended(1), open_ended(2)]).collect();
    fs::write(folder.join("cut.jsonl"), &cut).unwrap();
    assert_eq!(data_rules(folder, &["cut.jsonl"]), ["cut.jsonl 6 data.truncated", "cut.jsonl 7 data.truncated"]);
    fs::write(folder.join("one.jsonl"), open_ended(1)).unwrap();
    assert_eq!(data_rules(folder, &["one.jsonl"]), ["one.jsonl 0 data.truncated"]);
}

/// A conversation of calls, each with its own words before it, and answers.
fn calls(said: &[(&str, &str)]) -> String {
    let turn = |(words, answer): &(&str, &str)| {
        format!(
            "{{\"from\":\"gpt\",\"value\":\"{words}<function=view><parameter=path>/a</parameter></function>\"}},\
             {{\"from\":\"human\",\"value\":\"{answer}\"}}"
        )
    };
    let turns: Vec<String> = said.iter().map(turn).collect();
    format!(
        "{{\"id\":\"a\",\"conversations\":[{{\"from\":\"human\",\"value\":\"look\"}},{},\
         {{\"from\":\"gpt\",\"value\":\"done\"}}]}}\n",
        turns.join(",")
    )
}

#[test]
fn a_loop_is_one_whatever_the_agent_says_before_each_call() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let stuck = [("", "x"), ("", "x"), ("", "x"), ("Let me try again.\\n\\n", "x")];
    fs::write(folder.join("stuck.jsonl"), calls(&stuck)).unwrap();
    let pages = [("", "1"), ("", "2"), ("", "3"), ("More.", "4")];
    fs::write(folder.join("pages.jsonl"), calls(&pages)).unwrap();
    for (file, back) in [("stuck.jsonl", "the same comes back"), ("pages.jsonl", "what comes back differs")] {
        assert_eq!(data_rules(folder, &[file]), [format!("{file} 0 data.loop")]);
        let (_, stdout, _) = run(folder, &["check", "--data", file]);
        assert!(
            stdout.contains(&format!("4 times in a row, from step 1 on; {back} [data.loop] record 0 @7")),
            "{stdout}"
        );
    }
    fs::write(folder.join("few.jsonl"), calls(&stuck[1..])).unwrap();
    assert_eq!(data_rules(folder, &["few.jsonl"]), [""; 0]);
}

#[test]
fn calls_that_nobody_can_read_are_reported_once_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let of = |values: &[&str]| {
        let turn = |value: &&str| {
            format!(
                "{{\"from\":\"function_call\",\"value\":{}}},{{\"from\":\"observation\",\"value\":\"ok\"}}",
                serde_json::to_string(value).unwrap()
            )
        };
        let turns: Vec<String> = values.iter().map(turn).collect();
        format!(
            "{{\"id\":\"a\",\"conversations\":[{{\"from\":\"human\",\"value\":\"go\"}},{},\
             {{\"from\":\"gpt\",\"value\":\"done\"}}]}}\n",
            turns.join(",")
        )
    };
    let good = "<function=ls></function>";
    fs::write(folder.join("a.jsonl"), of(&[good, "```bash\nls\n```", "plain", good])).unwrap();
    assert_eq!(data_rules(folder, &["a.jsonl"]), ["a.jsonl 0 data.unread-call"]);
    let (_, stdout, _) = run(folder, &["check", "--data", "a.jsonl"]);
    assert!(stdout.contains("has no call; 1 later step is so too [data.unread-call] record 0 @3"), "{stdout}");
    let json = "{\"name\": \"ls\", \"arguments\": {}}";
    fs::write(folder.join("b.jsonl"), of(&[good, json, &format!("<tool_call>\n{json}\n</tool_call>")])).unwrap();
    assert_eq!(data_rules(folder, &["b.jsonl"]), [""; 0]);
    let std = "{\"id\":\"s\",\"content\":[{\"class_\":\"text_observation\",\"content\":\"go\",\"source\":\"user\"},\
               {\"class_\":\"message_action\",\"content\":\"done <function=finish></function>\",\"description\":null}]}";
    fs::write(folder.join("c.jsonl"), std).unwrap();
    assert_eq!(data_rules(folder, &["c.jsonl"]), ["c.jsonl 0 data.unread-call"]);
}

#[test]
fn a_file_without_records_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (file, text) in [("none.json", "[]"), ("empty.jsonl", "")] {
        fs::write(folder.join(file), text).unwrap();
        assert_eq!(rules(folder, &[file]), (0, vec![]));
        assert_eq!(data_rules(folder, &[file]), [format!("{file} 0 data.no-records")]);
        assert!(
            run(folder, &["formats", file]).1.starts_with(&format!("{file}: generic (JSON records), no records\n"))
        );
        let (_, stats, _) = run(folder, &["stats", "--json", file]);
        assert!(stats.lines().count() == 1 && stats.contains("\"trajectories\":0"), "{stats}");
    }
    fs::write(folder.join("one.json"), chat(0, 5)).unwrap();
    assert!(run(folder, &["formats", "one.json"]).1.contains(", 1 trajectory\n"));
}

#[test]
fn many_findings_are_summed_up_by_rule() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let line = "{\"type\":\"text\",\"role\":\"user\",\"text\":\"caf\\u00c3\\u00a9\"}\n";
    let text = line.repeat(11) + &line.replace("caf\\u00c3\\u00a9", "caf\\ufffd");
    fs::write(folder.join("many.jsonl"), &text).unwrap();
    fs::write(folder.join("few.jsonl"), line.repeat(9)).unwrap();
    let last = |file: &str| {
        let (_, stdout, _) = run(folder, &["check", "--data", "--format", "acts", file]);
        let count = stdout.lines().count();
        stdout.lines().skip(count - 3).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(last("many.jsonl"), ["11 data.mojibake", " 1 data.replacement-char", "12 warnings in 1 file"]);
    assert!(last("few.jsonl")[1].starts_with("few.jsonl:9: "), "few are seen at a glance");
}

#[test]
fn the_screen_shows_what_check_finds_when_it_is_asked_to() {
    let text = chat(0, 60) + &chat(1, 60) + &chat(1, 60).replace("yes", "no").replace("\"id\":\"1\"", "\"id\":\"n\"");
    let mut stage = stage(Input::memory("made.jsonl", text), (100, 30));
    let is_on_screen = |stage: &_, text: &str| lines(stage).iter().any(|line| line.contains(text));
    press(&mut stage, "& type:finding:data.* Enter");
    assert!(is_on_screen(&stage, "did not look yet; ! lets them"));
    press(&mut stage, "Esc G Enter 6");
    assert!(is_on_screen(&stage, "! also looks for copies"), "{:?}", lines(&stage));
    press(&mut stage, "!");
    assert!(notice(&stage).starts_with("2 findings of data.* in 1 record"), "{}", notice(&stage));
    assert!(is_on_screen(&stage, "data.near-duplicate") && is_on_screen(&stage, "record 1 has about"));
    press(&mut stage, "q & type:finding:data.* Enter");
    let table = &stage.app.table;
    assert_eq!((table.count(&stage.app.session), table.record_at(0)), (1, Some(2)));
    assert_eq!(table.facts(2).map(|facts| facts.warnings), Some(2));
    press(&mut stage, "Esc g Enter 6");
    assert!(is_on_screen(&stage, "Nor do the rules of datasets"));
}

/// The records of a large file are looked at by several threads, each parsed once for all rules, until many findings
/// wait: the rest is read again.
#[test]
fn each_record_of_a_large_file_is_looked_at_once_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let count = 20_000;
    let record = |number: usize| {
        let word = if number % 1_000 == 999 { "caf\\u00e9" } else { "caf\\u00c3\\u00a9" };
        let beside = if number.is_multiple_of(5_000) { "\\u0007" } else { "" };
        chat(number, 4).replace("yes", &format!("{word} {number} {}{beside}", "very ".repeat(20)))
    };
    fs::write(folder.join("large.jsonl"), (0..count).map(record).collect::<String>()).unwrap();
    let (_, found) = rules(folder, &["--data", "large.jsonl"]);
    let expected = |rule: &str, has: &dyn Fn(usize) -> bool| {
        let numbers = (0..count).filter(|number| has(*number));
        numbers.map(|number| format!("large.jsonl {number} {rule}")).collect::<Vec<_>>()
    };
    let own = expected("adp.control-chars", &|number| number.is_multiple_of(5_000));
    let data = expected("data.mojibake", &|number| number % 1_000 != 999);
    assert!(found.len() > 1 << 14 && found == [own, data].concat(), "{} {:?}", found.len(), &found[..6]);
}
