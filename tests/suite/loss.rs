//! What trains, and datasets compared: from the command line and on the screen.

use super::command::{file, obelus};
use super::stage;
use serde_json::Value;

const TALK: &str = concat!(
    r#"{"id":"a","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello.\nYou?"},"#,
    r#"{"role":"user","content":"Bye"},{"role":"assistant","content":"See you."}]}"#,
    "\n",
    r#"{"id":"b","conversations":[{"from":"human","value":"x"},{"from":"gpt","value":"y","weight":0}]}"#,
    "\n",
);

#[test]
fn loss_sets_off_what_trains() {
    let folder = tempfile::tempdir().unwrap();
    let talk = file(folder.path(), "t.jsonl", TALK);
    let (status, text, _) = obelus(&["loss", &talk, "--template", "mistral"]);
    assert_eq!(status, 0, "{text}");
    let body: Vec<&str> = text.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    assert_eq!(
        body,
        ["|  <s>[INST] Hi[/INST]", "+>  Hello.", "+  You?</s>", "|> [INST] Bye[/INST]", "+>  See you.</s>"]
    );
    let (status, text, _) = obelus(&["loss", &talk, "--record", "1"]);
    assert_eq!(status, 1);
    assert!(text.contains("loss.nothing-trains"), "{text}");
    let (status, text, _) = obelus(&["loss", &talk, "--json", "--max-tokens", "10"]);
    assert_eq!(status, 1);
    let answer: Value = serde_json::from_str(&text).unwrap();
    let segments = answer["segments"].as_array().unwrap();
    let bytes: u64 = segments.iter().map(|segment| segment["bytes"].as_u64().unwrap()).sum();
    assert_eq!(answer["bytes"].as_u64(), Some(bytes));
    assert!(segments.iter().all(|segment| segment["cut"] == (segment["offset"].as_u64().unwrap() >= 40)));
    assert!(answer["findings"].as_array().unwrap().iter().any(|finding| finding["rule"] == "loss.cut"));
}

#[test]
fn loss_says_what_is_wrong_and_where() {
    let folder = tempfile::tempdir().unwrap();
    let talk = file(folder.path(), "t.jsonl", &format!("{TALK}{{\"id\":\n"));
    let broken = file(folder.path(), "broken.jinja", "fine\n{% for %}");
    let strict = file(folder.path(), "strict.jinja", "\n{{ raise_exception('no \u{1b}[31m user') }}");
    for (arguments, expect) in [
        (vec!["--record", "9"], "no record 9"),
        (vec!["--record", "2"], "is not valid JSON"),
        (vec!["--template", "nothing"], "chatml, deepseek-v3"),
        (vec!["--template", &broken], "line 2: "),
        (vec!["--template", &strict], "line 2: no \u{241b}[31m user"),
        (vec!["--train", "some"], "none-of:ROLE"),
    ] {
        let (status, text, stderr) = obelus(&[vec!["loss", &talk], arguments].concat());
        assert_eq!((status, text.as_str()), (2, ""), "{stderr}");
        assert!(stderr.contains(expect), "{stderr}");
    }
}

#[test]
fn datasets_are_compared_by_their_records() {
    let folder = tempfile::tempdir().unwrap();
    let chat = |id: &str, said: &str| {
        format!(
            r#"{{"id":"{id}","messages":[{{"role":"user","content":"x"}},{{"role":"assistant","content":"{said}"}}]}}"#
        )
    };
    let lines = |records: &[(&str, &str)]| records.iter().map(|(id, said)| chat(id, said) + "\n").collect::<String>();
    let old = file(folder.path(), "old.jsonl", &lines(&[("a", "1"), ("b", "2"), ("c", "3")]));
    let new =
        file(folder.path(), "new.jsonl", &(lines(&[("c", "3"), ("b", "22")]) + &chat("d", "4").replace(':', " : ")));
    let turned = file(folder.path(), "turned.jsonl", &lines(&[("c", "3"), ("a", "1"), ("b", "2")]));
    let (status, text, stderr) = obelus(&["diff", &old, &new, "--changes"]);
    assert_eq!(status, 1, "{stderr}");
    for expect in [
        "  1 alike\n",
        "- 0  a\n",
        "+ 2  d\n",
        "~ 1 → 1  b\n",
        "/messages/1/content\n",
        "    + \"22\"\n",
        "trajectories",
    ] {
        assert!(text.contains(expect), "{expect:?} in {text}");
    }
    let (_, text, _) = obelus(&["diff", &old, &new, "--changes", "--json"]);
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["changed"][0]["changes"][0]["new"], "22");
    assert_eq!((&answer["gone"][0]["id"], &answer["came"][0]["record"]), (&"a".into(), &2.into()));
    assert_eq!(answer["stats"]["a"]["trajectories"], answer["stats"]["b"]["trajectories"]);
    let (status, text, _) = obelus(&["diff", &old, &turned]);
    assert!(status == 0 && text.contains("in another order"), "{text}");
    let (status, text, _) = obelus(&["diff", &old, &new, "--record", "1"]);
    assert!(status == 1 && text.contains("\n\nState in the end"), "{text}");
}

fn screen(text: &str, keys: &[&str]) -> String {
    let mut stage = stage::on(text, (120, 30));
    keys.iter().for_each(|key| stage.press(key).unwrap());
    stage::screen(&stage)
}

#[test]
fn the_tab_shows_what_trains() {
    let text = screen(TALK, &["Enter", "8"]);
    assert!(text.contains("+ Hello.") && text.contains("  Hi<|im_end|>"), "{text}");
    let next = screen(TALK, &["Enter", "8", "}"]);
    assert!(next.contains("loss.nothing-trains"), "{next}");
    let parts = TALK.replace(r#""Hi""#, r#"[{"type":"text","value":"Hi"},{"type":"text","value":"you"}]"#);
    let parts = screen(&parts, &["Enter", "8"]);
    assert!(parts.contains("  you<|im_end|>") && !parts.contains("\"value\""), "{parts}");
    let other = screen("{\"a\":1}\n{\"a\":2}\n", &["Enter", "8"]);
    assert!(other.contains("Nothing here."), "{other}");
}

#[test]
fn attempts_at_a_task_are_a_tree() {
    let folder = tempfile::tempdir().unwrap();
    let record = |id: &str, said: &[&str], reward: &str| {
        let message = |(i, text): (usize, &&str)| {
            format!(r#"{{"role":"{}","content":"{text}"}}"#, if i % 2 == 0 { "user" } else { "assistant" })
        };
        let messages: Vec<String> = said.iter().enumerate().map(message).collect();
        format!(r#"{{"id":"{id}","reward":{reward},"messages":[{}]}}"#, messages.join(",")) + "\n"
    };
    let text = record("t-run1", &["do", "a", "b", "c"], "1.0")
        + "{\"broken\n"
        + &record("t-run2", &["do", "a", "x"], "0")
        + &record("t-run3", &["do", "a"], "0.5")
        + &record("u", &["do"], "1");
    let path = file(folder.path(), "t.jsonl", &text);
    let (status, text, stderr) = obelus(&["tree", &path]);
    assert_eq!(status, 0, "{stderr}");
    let expect = [
        "t  3 attempts",
        "  @0..@1  3 attempts  user do",
        "    ends  record 3  t-run3  reward 0.5",
        "    @2..@3  record 0  t-run1  reward 1.0  user b",
        "    @2  record 2  t-run2  reward 0  user x",
        "1 of 2 tasks have several attempts; 0 records name no task",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expect);
    assert!(stderr.contains("1 record that cannot be read is in no task"), "{stderr}");
    let (_, text, _) = obelus(&["tree", &path, "--json", "--all"]);
    let tasks: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(tasks.len(), 2);
    assert_eq!(tasks[0]["stretches"][2]["ends"][0]["reward"], 0);
    assert_eq!(tasks[0]["stretches"][1]["parent"], 0);
}

#[test]
fn the_template_is_chosen_in_the_tab_and_remembered() {
    let mistral = ["Enter", "8", "c", "type:mist", "Enter"];
    let text = screen(TALK, &mistral);
    assert!(text.contains("✓ mistral · ≈") && text.contains("[INST] Hi[/INST]"), "{text}");
    let next = screen(TALK, &[&mistral[..], &["}"]].concat());
    assert!(next.contains("! mistral · ≈") && next.contains("! loss.nothing-trains"), "{next}");
    // From any tab: it leads to this one.
    assert!(screen(TALK, &["Enter", "c", "Down", "Enter"]).contains("✓ deepseek-v3 · ≈"));
    assert!(screen("{\"a\":1}\n{\"a\":2}\n", &["Enter", "c"]).contains("only records for training"));
}

#[test]
fn enter_on_a_segment_goes_to_its_step() {
    let text = screen(TALK, &["Enter", "8", "/", "type:See", "Enter", "Enter"]);
    assert!(text.contains("step 3 of 0–3") && text.contains("step 3; 1 shows its message"), "{text}");
    let back = screen(TALK, &["Enter", "8", "/", "type:See", "Enter", "Enter", "Backspace"]);
    assert!(back.contains("step 0 of 0–3"), "{back}");
    // Stepping takes the cursor of the tab along.
    let along = screen(TALK, &["Enter", "8", ".", ".", ".", "Enter"]);
    assert!(along.contains("step 3; 1 shows"), "{along}");
}

#[test]
fn a_template_of_the_command_line_that_is_none_is_reported_before_the_screen_opens() {
    let folder = tempfile::tempdir().unwrap();
    let talk = file(folder.path(), "t.jsonl", TALK);
    let broken = file(folder.path(), "b.jinja", "{% if %}");
    for (template, expect) in [("nothing", "chatml, deepseek-v3"), (broken.as_str(), "line 1: ")] {
        let (status, _, stderr) = obelus(&[&talk, "--template", template]);
        assert!(status == 2 && stderr.contains(expect), "{stderr}");
    }
}

#[test]
fn both_answers_of_a_pair_are_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let text = |answer: &str| format!(r#"[{{"role":"assistant","content":"{answer}"}}]"#);
    let (chosen, rejected) = (text("yes"), text("no <|im_end|>"));
    let pair = format!(r#"{{"prompt":[{{"role":"user","content":"Go?"}}],"chosen":{chosen},"rejected":{rejected}}}"#);
    let path = file(folder.path(), "pairs.jsonl", &pair);
    let trained = |more: &[&str]| {
        let (_, out, _) = obelus(&[&["loss", &path, "--json"], more].concat());
        let answer: Value = serde_json::from_str(&out).unwrap();
        let parts = answer["segments"].as_array().unwrap().iter().filter(|segment| segment["trained"] == true);
        let text: String = parts.map(|segment| segment["text"].as_str().unwrap()).collect();
        (answer["answer"].clone(), text)
    };
    assert_eq!(trained(&[]), ("chosen".into(), "yes<|im_end|>\n".to_owned()));
    assert_eq!(trained(&["--answer", "rejected"]), ("rejected".into(), "no <|im_end|><|im_end|>\n".to_owned()));
    let (status, _, problem) = obelus(&["loss", &path, "--answer", "other"]);
    assert_eq!(status, 2);
    assert!(problem.contains("it has: chosen, rejected"), "{problem}");
    let (_, found, _) = obelus(&["check", "--loss", "chatml", &path]);
    assert!(found.contains("rejected: ") && found.contains("[loss.special-token] record 0 @3 /rejected/0"), "{found}");
}
