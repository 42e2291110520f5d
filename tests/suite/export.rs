//! Exports: bytes as they stood, whole files or none, lots that fall alike everywhere, inputs never touched.

use super::command::{command_result, program};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = program();
    // The marks of whoever runs these tests are none of their business.
    command.args(arguments).current_dir(folder).env("XDG_DATA_HOME", folder.join("data"));
    command
}

fn obelus(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    command_result(&command(folder, arguments).output().unwrap())
}

fn record(n: usize) -> String {
    let source = if n.is_multiple_of(4) { "rare" } else { "often" };
    format!(
        concat!(
            r#"{{"id":"t{}","details":{{"source":"{}"}},"content":[{{"class_":"text_observation","content":"ask {}","#,
            r#""name":null,"source":"user"}},{{"class_":"message_action","content":"<finish> 1.0 </finish>","#,
            r#""description":null}}]}}"#
        ),
        n, source, n
    )
}

fn dataset(folder: &Path, name: &str, numbers: impl IntoIterator<Item = usize>) -> Vec<String> {
    let lines: Vec<String> = numbers.into_iter().map(record).collect();
    fs::write(folder.join(name), lines.join("\n") + "\n").unwrap();
    lines
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
}

fn manifest(folder: &Path, name: &str) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(folder.join(name)).unwrap()).unwrap()
}

/// Objects with what a re-serialisation would change: spaces, number spellings, escapes, duplicate keys.
fn object() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("1.0"),
        Just("1e400"),
        Just(" -0 "),
        Just("12345678901234567890123"),
        Just(r#""\u00e9\/\ud83d\ude00é""#),
        Just("null"),
        Just("[1 ,\t2]"),
    ];
    vec((prop_oneof!["[abc]", Just("id".to_owned())], leaf), 0..5).prop_map(|members| {
        let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\" :{value}")).collect();
        format!("{{{}}}", members.join(" , "))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// D24: an export has the records' own bytes.
    #[test]
    fn bytes_of_records_are_unchanged(records in vec(object(), 1..8), is_array in any::<bool>(), ends in "(\n|\r\n)") {
        let folder = tempfile::tempdir().unwrap();
        let text = if is_array { format!("\u{feff} [ {} ]\n", records.join(&format!(" ,{ends}"))) } else { records.join(&ends) };
        fs::write(folder.path().join("in"), &text).unwrap();
        for out in ["out.jsonl", "out.json", "out.jsonl.gz"] {
            let (status, _, stderr) = obelus(folder.path(), &["export", "in", "--format", "generic", "--out", out]);
            prop_assert_eq!(status, 0, "{}", stderr);
        }
        let lines = fs::read_to_string(folder.path().join("out.jsonl")).unwrap();
        prop_assert_eq!(&lines, &format!("{}\n", records.join("\n")));
        let array = fs::read_to_string(folder.path().join("out.json")).unwrap();
        prop_assert_eq!(array, format!("[\n{}\n]\n", records.join(",\n")));
        let mut unpacked = String::new();
        let packed = fs::File::open(folder.path().join("out.jsonl.gz")).unwrap();
        flate2::read::MultiGzDecoder::new(packed).read_to_string(&mut unpacked).unwrap();
        prop_assert_eq!(unpacked, lines);
        prop_assert_eq!(fs::read_to_string(folder.path().join("in")).unwrap(), text);
    }
}

#[test]
fn decisions_and_findings_choose() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut lines = dataset(at, "d.jsonl", 0..6);
    lines.push(r#"{"id":"odd","content":[{"class_":"what"}]}"#.to_owned());
    fs::write(at.join("d.jsonl"), lines.join("\n") + "\n{\"id\":\"torn\",\"content\":[\n").unwrap();
    for (records, verdict) in [("0-2", "good"), ("3", "bad"), ("4", "unsure")] {
        let words = ["mark", "d.jsonl", "--marks", "m", "--record", records, "--as", verdict];
        assert_eq!(obelus(at, &words).0, 0);
    }
    let export = |name: &str, words: &[&str]| {
        let all: Vec<&str> =
            ["export", "d.jsonl", "--marks", "m", "--out", name].iter().chain(words).copied().collect();
        let (status, stdout, stderr) = obelus(at, &all);
        assert_eq!(status, 0, "{stderr}");
        let text = fs::read_to_string(at.join(name)).unwrap();
        (text.lines().map(|l| lines.iter().position(|r| r == l).unwrap()).collect::<Vec<_>>(), stdout)
    };
    assert_eq!(export("all", &[]).0, [0, 1, 2, 3, 4, 5, 6], "what is not valid JSON is left out");
    assert_eq!(export("good", &["--mark", "good"]).0, [0, 1, 2]);
    assert_eq!(export("two", &["--mark", "good", "--mark", "undecided"]).0, [0, 1, 2, 5, 6]);
    let (kept, stdout) = export("clean", &["--not-mark", "bad", "--only-clean"]);
    assert_eq!(kept, [0, 1, 2, 4, 5]);
    assert!(stdout.starts_with("5 of 8 records written\n") && stdout.contains("1  left out: bad"), "{stdout}");
    let manifest_json = manifest(at, "clean.manifest.json");
    assert_eq!(manifest_json["counts"]["written"], 5);
    assert_eq!(manifest_json["counts"]["left"], serde_json::json!({"bad": 1, "findings": 1, "no JSON": 1}));
    assert_eq!(manifest_json["options"]["not-mark"], "bad");
    let entry = &manifest_json["records"][1];
    let (offset, len) = (entry["offset"].as_u64().unwrap() as usize, entry["len"].as_u64().unwrap() as usize);
    assert_eq!(fs::read_to_string(at.join("d.jsonl")).unwrap()[offset..offset + len], lines[1]);
    assert_eq!((entry["decision"].as_str(), entry["file"].as_u64()), (Some("good"), Some(0)));
    assert_eq!(entry["digest"], obelus::review::ContentKey::of(lines[1].as_bytes()).to_string());
    assert_eq!(manifest_json["records"].as_array().unwrap().len(), 8, "each record has its line");
}

#[test]
fn filters_choose_and_the_manifest_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut lines = dataset(at, "d.jsonl", 0..12);
    lines.push(r#"{"id":"long","content":[{"class_":"text_observation","content":"a","source":"user"}]}"#.to_owned());
    fs::write(at.join("d.jsonl"), lines.join("\n") + "\n{\"id\":\"torn\",\"content\":[\n").unwrap();
    dataset(at, "e.jsonl", 20..22);
    fs::create_dir_all(at.join("config/obelus")).unwrap();
    fs::write(at.join("config/obelus/config.toml"), "[filters]\n\"two steps\" = \"steps:2\"\n").unwrap();
    assert_eq!(obelus(at, &["mark", "d.jsonl", "--marks", "m", "--record", "1,11", "--as", "bad"]).0, 0);
    let export = |name: &str, words: &[&str]| {
        let all: Vec<&str> =
            ["export", "d.jsonl", "e.jsonl", "--marks", "m", "--out", name].iter().chain(words).copied().collect();
        let output = command(at, &all).env("XDG_CONFIG_HOME", at.join("config")).output().unwrap();
        let (status, _, stderr) = command_result(&output);
        assert_eq!((status, stderr.as_str()), (0, ""));
        let manifest_json = manifest(at, &format!("{name}.manifest.json"));
        let taken = manifest_json["records"].as_array().unwrap().iter().filter(|record| !record["file"].is_null());
        let place =
            |record: &serde_json::Value| (record["source"].as_u64().unwrap(), record["record"].as_u64().unwrap());
        (taken.map(place).collect::<Vec<_>>(), manifest_json)
    };
    assert_eq!(export("a", &["--where", "steps<2 !id:none"]).0, [(0, 12)]);
    let (taken, manifest_json) = export("b", &["--where", "@two steps", "--where", "id:^t1|^t2 !mark:bad"]);
    assert_eq!(taken, [(0, 2), (0, 10), (1, 0), (1, 1)]);
    assert_eq!(manifest_json["options"]["where"], "steps:2 id:^t1|^t2 !mark:bad");
    assert_eq!(manifest_json["records"][10]["reason"], "undecided, steps:2 id:^t1|^t2 !mark:bad");
    assert_eq!(
        manifest_json["counts"]["left"],
        serde_json::json!({"not steps:2 id:^t1|^t2 !mark:bad": 11, "no JSON": 1})
    );
    let (taken, _) = export("c", &["--where", "record>5", "--not-mark", "bad", "--sample", "3"]);
    assert!(taken.len() == 3 && taken.iter().all(|(source, record)| *source == 0 && (6..13).contains(record)));
    assert_eq!(export("d", &["--where", "words:\"no such words\""]).0, []);
}

#[test]
fn a_filter_that_is_none_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    dataset(at, "d.jsonl", 0..2);
    fs::write(at.join("run.jsonl"), "{\"level\":\"info\"}\n").unwrap();
    for (file, filter, expected) in [
        (
            "d.jsonl",
            "id:x stepz>3",
            "--where 'id:x stepz>3': at character 6: there is no stepz to filter by; did you mean",
        ),
        ("d.jsonl", "steps>3 tool:\"", "at character 14: this quote has no end"),
        ("d.jsonl", "kind:action", "at character 1: records have no kind to filter by"),
        ("d.jsonl", "@nobody", "no filter is called nobody; config.toml has no [filters]"),
        ("run.jsonl", "size>3", "run.jsonl has no records that are trajectories"),
    ] {
        let output = command(at, &["export", file, "--out", "o", "--where", filter])
            .env("XDG_CONFIG_HOME", at.join("none"))
            .output()
            .unwrap();
        let (status, stdout, stderr) = command_result(&output);
        assert!(status == 2 && stdout.is_empty() && stderr.contains(expected), "{filter}: {stderr}");
        assert!(!at.join("o").exists());
    }
}

#[test]
fn nothing_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    dataset(at, "d.jsonl", 0..3);
    fs::write(at.join("m"), "").unwrap();
    let before = fs::read(at.join("d.jsonl")).unwrap();
    std::os::unix::fs::symlink("d.jsonl", at.join("link.jsonl")).unwrap();
    let export = |words: &[&str]| {
        let all: Vec<&str> = ["export", "d.jsonl", "--marks", "m", "--out"].iter().chain(words).copied().collect();
        obelus(at, &all)
    };
    for words in [
        &["d.jsonl", "--force"][..],
        &["./link.jsonl", "--force"],
        &["m", "--force"],
        &["."],
        &["no/where.jsonl"],
        &["/proc/x.jsonl"],
        &["/dev/full", "--force"],
    ] {
        let (status, stdout, stderr) = export(words);
        assert!(status == 2 && stdout.is_empty() && !stderr.is_empty(), "{words:?}: {stdout}{stderr}");
    }
    assert_eq!(export(&["out.jsonl"]).0, 0);
    let (status, _, stderr) = export(&["out.jsonl"]);
    assert!(status == 2 && stderr.contains("--force"), "{stderr}");
    fs::write(at.join("out.jsonl"), "old").unwrap();
    assert_eq!(export(&["out.jsonl", "--force"]).0, 0);
    assert_eq!(fs::read(at.join("out.jsonl")).unwrap(), before);
    assert_eq!(fs::read(at.join("d.jsonl")).unwrap(), before);
    assert_eq!(
        names(at),
        ["d.jsonl", "link.jsonl", "m", "out.jsonl", "out.jsonl.manifest.json"].map(str::to_owned).into()
    );
}

#[test]
fn a_full_disk_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    dataset(folder.path(), "d.jsonl", 0..2_000);
    let before = names(folder.path());
    for (out, trap) in [("out.jsonl", "trap '' XFSZ"), ("out.jsonl.zst", "trap '' XFSZ"), ("out.jsonl", "true")] {
        let command = format!("{trap}; ulimit -f 8; exec \"$0\" export d.jsonl --out \"$1\"");
        let mut shell = Command::new("sh");
        shell.args(["-c", &command, env!("CARGO_BIN_EXE_obelus"), out]).current_dir(folder.path());
        let (status, _, stderr) = command_result(&shell.env("XDG_DATA_HOME", folder.path()).output().unwrap());
        assert!(status == 2 && stderr.contains("cannot be written"), "{stderr}");
        assert_eq!(names(folder.path()), before);
    }
}

#[test]
fn a_killed_export_leaves_no_half_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    dataset(at, "d.jsonl", 0..6_000);
    let words = ["export", "d.jsonl", "--split", "80/20", "--out", "out.jsonl", "--force"];
    assert_eq!(obelus(at, &words).0, 0);
    let files = ["out.train.jsonl", "out.test.jsonl", "out.jsonl.manifest.json"];
    let whole = files.map(|name| fs::read(at.join(name)).unwrap());
    for moment in 0..24_u64 {
        if moment % 2 == 0 {
            files.iter().for_each(|name| drop(fs::remove_file(at.join(name))));
        }
        let mut child = command(at, &words).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(moment * 13));
        let _ended = child.kill();
        child.wait().unwrap();
        for (name, whole) in files.iter().zip(&whole) {
            match fs::read(at.join(name)) {
                Ok(text) => assert!(text == *whole, "{name} is not whole at moment {moment}"),
                Err(e) => assert_eq!(e.kind(), std::io::ErrorKind::NotFound),
            }
        }
    }
}

#[test]
fn parts_do_not_depend_on_the_order() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    dataset(at, "a.jsonl", 0..300);
    dataset(at, "b.jsonl", (0..300).rev());
    dataset(at, "c.jsonl", 100..300);
    let parts = |file: &str| -> BTreeMap<String, BTreeSet<String>> {
        let out = format!("{file}.out.jsonl");
        let (status, _, stderr) = obelus(at, &["export", file, "--split", "90/5/5", "--out", &out]);
        assert_eq!(status, 0, "{stderr}");
        let part = |part: &str| fs::read_to_string(at.join(format!("{file}.out.{part}.jsonl"))).unwrap();
        let set = |name: &str| (name.to_owned(), part(name).lines().map(str::to_owned).collect());
        ["train", "val", "test"].map(set).into()
    };
    let (a, b, c) = (parts("a.jsonl"), parts("b.jsonl"), parts("c.jsonl"));
    assert_eq!(a, b);
    assert_eq!(a.values().map(BTreeSet::len).sum::<usize>(), 300);
    assert!(c.iter().all(|(name, records)| records.is_subset(&a[name])), "a record stays in its part");
    assert!(a["val"].len() > 3 && a["test"].len() > 3 && a["train"].len() > 250);
    // The id decides, not the rest of the record.
    let id = |line: &String| line.split('"').nth(3).unwrap().to_owned();
    let changed: Vec<String> = (0..300).map(|n| format!("{{\"id\":\"t{n}\",\"content\":[]}}")).collect();
    fs::write(at.join("d.jsonl"), changed.join("\n")).unwrap();
    let ids = |parts: &BTreeMap<String, BTreeSet<String>>| -> Vec<BTreeSet<String>> {
        parts.values().map(|records| records.iter().map(id).collect()).collect()
    };
    assert_eq!(ids(&parts("d.jsonl")), ids(&a));
}

#[test]
fn a_sample_is_drawn_by_group_and_seed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    dataset(at, "a.jsonl", 0..200);
    dataset(at, "b.jsonl", (0..200).rev());
    let drawn = |file: &str, seed: &str| -> BTreeSet<String> {
        let words = ["--sample", "20", "--by", "details.source", "--seed", seed, "--force", "--out", "out"];
        let all: Vec<&str> = ["export", file].iter().chain(&words).copied().collect();
        assert_eq!(obelus(at, &all).0, 0);
        fs::read_to_string(at.join("out")).unwrap().lines().map(str::to_owned).collect()
    };
    let first = drawn("a.jsonl", "1");
    assert_eq!((first.len(), first.iter().filter(|r| r.contains("rare")).count()), (20, 5));
    assert_eq!(first, drawn("b.jsonl", "1"));
    assert_ne!(first, drawn("a.jsonl", "2"));
    assert_eq!(manifest(at, "out.manifest.json")["counts"]["left"]["not drawn"], 180);
}

#[test]
fn records_on_several_lines_need_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("d.json"), "[\n  {\n    \"id\": \"a\",\n    \"content\": []\n  }\n]\n").unwrap();
    let (status, _, stderr) = obelus(at, &["export", "d.json", "--out", "o.jsonl"]);
    assert!(status == 2 && stderr.contains("--one-line") && stderr.contains("line 2"), "{stderr}");
    assert_eq!(names(at), ["d.json".to_owned()].into());
    assert_eq!(obelus(at, &["export", "d.json", "--out", "o.jsonl", "--one-line"]).0, 0);
    let line = fs::read_to_string(at.join("o.jsonl")).unwrap();
    assert_eq!(line, "{     \"id\": \"a\",     \"content\": []   }\n");
    assert_eq!(manifest(at, "o.jsonl.manifest.json")["records"][0]["changed"][0], "one-line");
    assert_eq!(obelus(at, &["export", "d.json", "--out", "o.json"]).0, 0);
    assert!(fs::read_to_string(at.join("o.json")).unwrap().contains("{\n    \"id\": \"a\",\n"));
}

#[test]
fn secrets_are_listed_then_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let lines = [record(1), record(2).replace("ask 2", "mail ann\\u0040example.org"), record(3)];
    fs::write(at.join("d.jsonl"), lines.join("\n")).unwrap();
    let (status, stdout, _) = obelus(at, &["export", "d.jsonl", "--redact-list"]);
    assert_eq!((status, stdout.lines().last()), (0, Some("1 email")), "{stdout}");
    assert!(stdout.contains("record 1 byte ") && stdout.contains("ann@example.org"), "{stdout}");
    assert_eq!(obelus(at, &["export", "d.jsonl", "--redact", "--out", "o.jsonl"]).0, 0);
    let text = fs::read_to_string(at.join("o.jsonl")).unwrap();
    assert_eq!(
        text,
        [record(1), record(2).replace("ask 2", "mail [REDACTED:email]"), record(3), String::new()].join("\n")
    );
    let manifest_json = manifest(at, "o.jsonl.manifest.json");
    assert_eq!(
        (&manifest_json["counts"]["redacted"]["email"], &manifest_json["records"][1]["redacted"]["email"]),
        (&1.into(), &1.into())
    );
    assert_eq!(
        (&manifest_json["records"][0]["changed"], &manifest_json["records"][1]["changed"][0]),
        (&().into(), &"redacted".into())
    );
}

#[test]
fn conversations_are_sound_by_the_rules() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/tickets-std.jsonl");
    for shape in ["messages", "sharegpt"] {
        let out = format!("{shape}.jsonl");
        assert_eq!(obelus(at, &["export", sample, "--to", shape, "--out", &out]).0, 0);
        let (_, json, _) = obelus(at, &["check", &out, "--json"]);
        let ours = ["sft.role", "sft.type", "sft.call-syntax"];
        assert!(!ours.iter().any(|rule| json.contains(rule)), "{shape}: {json}");
        assert!(shape == "messages" || !json.contains("sft.alternate"), "{json}");
        let lines = fs::read_to_string(at.join(&out)).unwrap();
        assert!(
            lines.lines().count() > 1 && lines.lines().all(|l| serde_json::from_str::<serde_json::Value>(l).is_ok())
        );
    }
    let (status, _, stderr) = obelus(at, &["export", "-", "--to", "messages", "--out", "x"]);
    assert_eq!(status, 0, "{stderr}");
}

#[test]
fn what_a_shape_has_no_place_for_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let thinks = |text: &str| {
        format!(
            r#"{{"messages":[{{"role":"user","content":"q"}},{{"role":"assistant","content":[{{"type":"thinking","thinking":"hm"}},{{"type":"text","text":"{text}"}}],"weight":0,"na\u001bme":"x"}},{{"role":"assistant","content":"b"}}]}}"#
        )
    };
    let plain = r#"{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}"#;
    fs::write(at.join("d.jsonl"), [&thinks("a"), plain, &thinks("c")].map(|line| line.to_owned() + "\n").concat())
        .unwrap();
    let (status, _, stderr) = obelus(at, &["export", "d.jsonl", "--to", "sharegpt", "--out", "s.jsonl"]);
    assert_eq!(status, 0, "{stderr}");
    assert!(
        stderr.contains("       2  message reasoning_content; first record 0 of d.jsonl\n")
            && !stderr.contains('\u{1b}'),
        "{stderr}"
    );
    let first = fs::read_to_string(at.join("s.jsonl")).unwrap();
    let turns = r#"{"from":"gpt","value":"a","weight":0},{"from":"gpt","value":"b"}"#;
    assert!(first.lines().next().unwrap().contains(turns), "{first}");
    let manifest_json = manifest(at, "s.jsonl.manifest.json");
    assert_eq!(manifest_json["counts"]["not_carried"]["message reasoning_content"], 2);
    assert_eq!(manifest_json["records"][2]["not_carried"]["message reasoning_content"], 1);
    assert!(manifest_json["records"][1]["not_carried"].is_null());
    // Messages have a place for all of it.
    let (status, _, stderr) = obelus(at, &["export", "d.jsonl", "--to", "messages", "--out", "m.jsonl"]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert_eq!(fs::read_to_string(at.join("m.jsonl")).unwrap().matches("reasoning_content").count(), 2);
}

#[test]
fn standard_input_and_several_files_are_one_dataset() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let lines = dataset(at, "a.jsonl", 0..2);
    let mut child = command(at, &["export", "a.jsonl", "-", "--out", "o.jsonl.zst"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(record(7).as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    let packed = fs::read(at.join("o.jsonl.zst")).unwrap();
    let mut text = String::new();
    ruzstd::decoding::StreamingDecoder::new(&packed[..]).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, format!("{}\n{}\n{}\n", lines[0], lines[1], record(7)));
    assert_eq!(manifest(at, "o.jsonl.zst.manifest.json")["sources"][1]["path"], "standard input");
}

#[test]
fn only_clean_says_which_rules_leave_records_out_and_asks_those_of_datasets_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let line = |id: &str, said: &str| {
        format!(
            "{{\"id\":\"{id}\",\"messages\":[{{\"role\":\"user\",\"content\":\"no. {id}\"}},\
             {{\"role\":\"assistant\",\"content\":\"{said}\"}}]}}\n"
        )
    };
    let text = line("a", "yes") + &line("b", "ask jo.doe@mail.uni-x.de") + &line("c", "") + &line("d", "go on");
    fs::write(folder.join("in.jsonl"), text).unwrap();
    let export = |more: &[&str]| {
        let all = [&["export", "in.jsonl", "--only-clean", "--force", "--out", "out.jsonl"], more].concat();
        let (_, stdout, _) = command_result(&program().current_dir(folder).args(&all).output().unwrap());
        (stdout, fs::read_to_string(folder.join("out.jsonl")).unwrap().lines().count())
    };
    let (stdout, count) = export(&[]);
    assert!(stdout.contains("findings by records: sft.empty 1") && count == 3, "{stdout}");
    let (stdout, count) = export(&["--data"]);
    assert!(stdout.contains("findings by records: data.personal 1 · sft.empty 1") && count == 2, "{stdout}");
}

#[test]
fn of_a_pair_the_chosen_answer_is_written_alone_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let talk = |answer: &str| {
        format!("[{{\"role\":\"user\",\"content\":\"q\"}},{{\"role\":\"assistant\",\"content\":\"{answer}\"}}]")
    };
    let pair = format!("{{\"id\":\"p\",\"chosen\":{},\"rejected\":{}}}\n", talk("good"), talk("bad"));
    fs::write(folder.join("in.jsonl"), pair).unwrap();
    let export = |more: &[&str]| {
        let all = [&["export", "in.jsonl", "--to", "messages", "--force", "--out", "out.jsonl"], more].concat();
        let (_, _, stderr) = command_result(&program().current_dir(folder).args(&all).output().unwrap());
        (stderr, fs::read_to_string(folder.join("out.jsonl")).unwrap())
    };
    let (stderr, written) = export(&[]);
    assert!(stderr.contains("1 record with several conversations") && written.lines().count() == 2, "{stderr}");
    let (stderr, written) = export(&["--answer", "chosen"]);
    assert!(stderr.is_empty() && written.contains("good") && !written.contains("bad"), "{stderr}{written}");
    assert_eq!(export(&["--answer", "other"]).1, "");
}
