//! `check` and `explain` as commands: what they tell and how they end, what is allowed, denied and known, SARIF.

use super::command::{RECORD, obelus_in, program};
use obelus::ingest;
use obelus::lint::{self};
use obelus::model::Problem;
use obelus::source::Input;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// A folder that commands run in, so that no configuration of another folder counts.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Exit status, stdout and stderr.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        obelus_in(self.0.path(), arguments)
    }

    /// Exit status and the rules that are told.
    fn rules(&self, arguments: &[&str]) -> (i32, Vec<String>) {
        let (status, stdout, stderr) = self.run(&[&["check", "--json"], arguments].concat());
        assert!(status < 2, "{stderr}");
        let rule = |line: &str| line.split("\"rule\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        (status, stdout.lines().map(rule).collect())
    }
}

/// A trajectory with a warning, then one with an error.
const TWO: &str = concat!(
    r#"{"id":"a","content":[{"class_":"text_observation","content":"hi","source":"user"},"#,
    r#"{"class_":"message_action","content":"<think>hello"}]}"#,
    "\n",
    r#"{"id":"b","content":[{"class_":"text_observation","content":"hi","source":"user"},"#,
    "\n",
    r#"{"class_":"message_action","content":7}]}"#,
    "\n"
);

#[test]
fn findings_are_reported_like_those_of_a_compiler() {
    let folder = Folder::new();
    folder.file("two.jsonl", TWO);
    let (status, stdout, _) = folder.run(&["check", "two.jsonl"]);
    assert_eq!(status, 1);
    let expect = [
        "two.jsonl:1: warning: the text holds a think tag; reasoning belongs into reasoning_content without tags \
         [adp.think-token] record 0 @1 /content/1/content",
        "two.jsonl:3: error: this should be a string [adp.type] record 1 @1 /content/1/content",
        "1 error, 1 warning in 1 file",
    ];
    assert_eq!(stdout.lines().collect::<Vec<_>>(), expect);
    folder.file("good.jsonl", "{\"id\":\"a\",\"content\":[]}\n");
    let (status, stdout, _) = folder.run(&["check", "good.jsonl", "--allow", "adp.empty"]);
    assert_eq!((status, stdout.as_str()), (0, "no findings in 1 file, 1 allowed\n"));
}

#[test]
fn rules_are_allowed_and_denied() {
    let folder = Folder::new();
    folder.file("two.jsonl", TWO);
    assert_eq!(folder.rules(&["two.jsonl"]), (1, vec!["adp.think-token".to_owned(), "adp.type".to_owned()]));
    assert_eq!(folder.rules(&["two.jsonl", "--allow", "adp.type"]), (0, vec!["adp.think-token".to_owned()]));
    assert_eq!(folder.rules(&["two.jsonl", "--allow", "adp"]), (0, vec![]));
    assert_eq!(folder.rules(&["two.jsonl", "--allow=adp.type,sft", "--deny", "adp.think-token"]).0, 1);
    assert_eq!(folder.rules(&["two.jsonl", "--allow", "adp", "--deny", "adp.type"]).1, ["adp.type"]);
    folder.file("obelus.toml", "[check]\nallow = [\"adp.type\"]\n");
    assert_eq!(folder.rules(&["two.jsonl"]).1, ["adp.think-token"]);
    assert_eq!(folder.rules(&["two.jsonl", "--deny", "adp"]).1.len(), 2);
    folder.file("other.toml", "");
    assert_eq!(folder.rules(&["two.jsonl", "--config", "other.toml"]).1.len(), 2);
    for (arguments, word) in [
        (vec!["--allow", "adp.typ"], "do you mean adp.type"),
        (vec!["--allow", "adp", "--deny", "adp"], "both"),
        (vec!["--config", "none.toml"], "none.toml"),
        (vec!["--baseline", "none"], "--write-baseline"),
    ] {
        let (status, stdout, stderr) = folder.run(&[&["check", "two.jsonl"], arguments.as_slice()].concat());
        assert_eq!((status, stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(stderr.contains(word), "{stderr}");
    }
    folder.file("obelus.toml", "[check]\nalow = []\n");
    let (status, _, stderr) = folder.run(&["check", "two.jsonl"]);
    assert_eq!(status, 2);
    assert!(stderr.contains("obelus.toml: line 2") && stderr.contains("`allow`?"), "{stderr}");
    folder.file("obelus.toml", "[check]\ndeny = [\"x\"]\n");
    assert!(folder.run(&["check", "two.jsonl"]).2.contains("obelus.toml: there is no rule `x`"));
}

#[test]
fn known_findings_stay_silent_when_their_record_moves() {
    let folder = Folder::new();
    folder.file("two.jsonl", TWO);
    let (status, stdout, _) = folder.run(&["check", "two.jsonl", "--write-baseline", "known.jsonl"]);
    assert_eq!(status, 0);
    assert!(stdout.starts_with("2 findings written to known.jsonl"), "{stdout}");
    let known = fs::read_to_string(folder.path("known.jsonl")).unwrap();
    assert!(known.lines().count() == 2 && known.lines().is_sorted() && known.starts_with("{\"obelus\":1,\"rule\":"));
    folder.file("moved.jsonl", &format!("{{\"id\":\"new\",\"content\":[]}}\n\n{TWO}"));
    assert_eq!(folder.rules(&["moved.jsonl", "--baseline", "known.jsonl"]), (0, vec!["adp.empty".to_owned()]));
    let (_, stdout, _) = folder.run(&["check", "moved.jsonl", "--baseline", "known.jsonl"]);
    assert!(stdout.ends_with("1 warning in 1 file, 2 known\n"), "{stdout}");
    folder.file("changed.jsonl", &TWO.replace("hello", "hullo"));
    assert_eq!(folder.rules(&["changed.jsonl", "--baseline", "known.jsonl"]).1, ["adp.think-token"]);
    assert_eq!(folder.rules(&["two.jsonl", "two.jsonl", "--baseline", "known.jsonl"]).1.len(), 2, "a copy is new");
    folder.file("obelus.toml", "[check]\nbaseline = \"known.jsonl\"\n");
    assert_eq!(folder.rules(&["two.jsonl"]), (0, vec![]));
    let log = "{\"type\":\"state\",\"state\":{\"n\":1}}\n{\"type\":\"state\",\"state\":{\"n\":1}}\n";
    folder.file("log.jsonl", log);
    folder.run(&["check", "log.jsonl", "--write-baseline", "log.known"]);
    folder.file("grown.jsonl", &format!("{{\"type\":\"text\",\"text\":\"hi\"}}\n{log}{{\"type\":\"odd\"}}\n"));
    assert_eq!(folder.rules(&["grown.jsonl", "--baseline", "log.known"]).1, ["acts.unknown-type"]);
}

#[test]
fn sarif_has_what_its_readers_need() {
    let folder = Folder::new();
    folder.file("a b.jsonl", TWO);
    let (status, stdout, stderr) = folder.run(&["check", "a b.jsonl", "none.jsonl", "--sarif", "--deny", "adp"]);
    assert_eq!(status, 2, "{stderr}");
    let log: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().contains("sarif-2.1.0"));
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "obelus");
    let rules = driver["rules"].as_array().unwrap();
    assert_eq!(rules.len(), lint::lints().count());
    for (rule, lint) in rules.iter().zip(lint::lints()) {
        assert_eq!(rule["id"], lint.id);
        assert!(["error", "warning", "note"].contains(&rule["defaultConfiguration"]["level"].as_str().unwrap()));
        for text in ["shortDescription", "fullDescription", "help"] {
            assert!(rule[text]["text"].as_str().is_some_and(|t| !t.is_empty()), "{}", lint.id);
        }
    }
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for (result, line) in results.iter().zip([1, 3]) {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert_eq!(result["level"], "error");
        assert!(result["message"]["text"].as_str().is_some_and(|t| !t.is_empty()));
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b.jsonl");
        assert_eq!(place["region"]["startLine"], line);
        let number = |name: &str| usize::try_from(place["region"][name].as_u64().unwrap()).unwrap();
        let (from, len) = (number("byteOffset"), number("byteLength"));
        assert!(["\"<think>hello\"", "7"].contains(&&TWO[from..from + len]));
        assert_eq!(result["partialFingerprints"]["obelus/v1"].as_str().unwrap().len(), 32);
    }
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert!(invocation["toolExecutionNotifications"][0]["message"]["text"].as_str().unwrap().contains("none.jsonl"));
    folder.file("empty.jsonl", "");
    let (status, stdout, _) = folder.run(&["check", "empty.jsonl", "--sarif", "--format", "adp"]);
    assert_eq!(status, 0);
    let log: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
}

#[test]
fn many_threads_report_the_same_as_one() {
    let mut text = String::new();
    for i in 0..6_000 {
        let words = "word ".repeat(150 + i % 97);
        let id = if i % 500 == 0 { 7 } else { i };
        let tag = if i % 3 == 0 { "<think>" } else { "" };
        writeln!(
            text,
            r#"{{"id":"{id}","content":[{{"class_":"text_observation","content":"{i} {words}","source":"user"}},{{"class_":"message_action","content":"{tag}{i}"}}]}}"#
        )
        .unwrap();
    }
    assert!(text.len() > 5 << 20, "large enough for several threads");
    let findings_of = |text: &str| {
        let loaded = ingest::load(Input::memory("many", text), Some("adp")).unwrap();
        let mut survey = obelus::rules::adp::AdpSurvey::default();
        let mut alone = Vec::new();
        for record in loaded.records().unwrap().iter() {
            let span = record.place.span;
            let bytes = &text.as_bytes()[span.offset as usize..span.end() as usize];
            let examined = obelus::rules::adp::examine(&record, bytes, obelus::rules::trajectory::Way::Protocol);
            alone.extend(survey.take(examined, loaded.input.as_ref(), &Some).findings);
        }
        let mut together = Vec::new();
        ingest::findings(&loaded, |found| {
            together.extend(found);
            Ok::<(), Problem>(())
        })
        .unwrap();
        (alone, together)
    };
    let (alone, together) = findings_of(&text);
    assert!(alone.len() > 2_000 && alone.iter().any(|f| f.finding.rule == "adp.duplicate-id"));
    assert_eq!(alone, together);
    let loaded = ingest::load(Input::memory("many", text), Some("adp")).unwrap();
    let mut count = 0;
    let stopped = ingest::findings(&loaded, |_| {
        count += 1;
        if count < 100 { Ok(()) } else { Err(Problem::unreadable("closed")) }
    });
    assert!(stopped.is_err() && count == 100, "who listens no more ends the pass");
}

#[test]
fn explain_lists_and_explains() {
    let folder = Folder::new();
    let (status, stdout, _) = folder.run(&["explain"]);
    assert_eq!((status, stdout.lines().count()), (0, lint::lints().count()));
    let (_, stdout, _) = folder.run(&["explain", "sft"]);
    assert!(stdout.lines().count() > 3 && stdout.lines().all(|line| line.starts_with("sft.")), "{stdout}");
    let (_, stdout, _) = folder.run(&["explain", "acts.plan-cycle"]);
    assert!(stdout.starts_with("acts.plan-cycle  error · Agent/Data\n") && stdout.contains("in a circle"), "{stdout}");
    let (status, stdout, stderr) = folder.run(&["explain", "acts.plan-cycl"]);
    assert_eq!((status, stdout.as_str()), (2, ""));
    assert!(stderr.contains("do you mean acts.plan-cycle?"), "{stderr}");
    let (_, stdout, _) = folder.run(&["explain", "atif.link", "--json"]);
    let line: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (&line["obelus"], &line["rule"], &line["severity"]),
        (&1.into(), &"atif.link".into(), &"warning".into())
    );
}

#[test]
fn how_conversations_train_is_checked_where_a_template_is_named() {
    let folder = Folder::new();
    let text = concat!(
        r#"{"id":"a","messages":[{"role":"user","content":"Hi","train":true},{"role":"assistant","content":"Yo."}]}"#,
        "\n{\"id\":\n",
        r#"{"id":"b","system":"Be kind.","conversations":[{"from":"human","value":"Hi"},"#,
        "\n",
        r#"{"from":"gpt","value":"Yo, and more of it, and still more","weight":1}]}"#,
        "\n",
        r#"{"id":"c","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Yo","weight":0}]}"#,
        "\n"
    );
    folder.file("t.jsonl", text);
    let of = |arguments: &[&str]| {
        let (status, rules) = folder.rules(&[&["t.jsonl"], arguments].concat());
        (status, rules.into_iter().filter(|rule| rule.starts_with("loss.")).collect::<Vec<_>>())
    };
    assert_eq!(of(&[]).1, Vec::<String>::new(), "a plain check says nothing of it");
    assert_eq!(of(&["--loss", "chatml"]).1, ["loss.not-agent", "loss.nothing-trains"]);
    assert_eq!(
        of(&["--loss", "chatml", "--max-tokens", "33"]).1,
        ["loss.not-agent", "loss.cut", "loss.nothing-trains"]
    );
    assert_eq!(of(&["--loss", "chatml", "--train", "all", "--allow", "loss.nothing-trains"]).1.len(), 3);
    assert_eq!(of(&["--loss", "chatml", "--allow", "loss"]).1, Vec::<String>::new());
    folder.file("no.jinja", "{{ raise_exception('not mine') }}");
    assert_eq!(of(&["--loss", "no.jinja"]).1, ["loss.rejected"; 3]);
    let (_, stdout, _) = folder.run(&["check", "t.jsonl", "--loss", "chatml", "--max-tokens", "33"]);
    let cut = stdout.lines().find(|line| line.contains("loss.cut")).unwrap();
    assert!(
        cut.starts_with("t.jsonl:4: warning: ≈") && cut.ends_with("[loss.cut] record 2 @1 /conversations/1"),
        "{cut}"
    );
    // The same findings, the same ids, in the command that shows one conversation.
    let (status, stdout, _) = folder.run(&["loss", "t.jsonl", "--record", "2", "--max-tokens", "33", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((status, &answer["findings"][0]["rule"]), (1, &"loss.cut".into()));
    assert_eq!(answer["findings"][0]["severity"], "warning");
    // Known findings, denied ones, SARIF.
    let data = ["check", "t.jsonl", "--loss", "chatml", "--allow", "adp,sft"];
    folder.run(&[&data[..], &["--write-baseline", "known"]].concat());
    assert_eq!(of(&["--loss", "chatml", "--baseline", "known"]).1, Vec::<String>::new());
    assert_eq!(folder.run(&[&data[..], &["--deny", "loss.not-agent"]].concat()).0, 1);
    let (_, stdout, _) = folder.run(&[&data[..], &["--sarif"]].concat());
    let log: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "loss.not-agent");
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!((region["startLine"].as_u64(), region["byteOffset"].as_u64()), (Some(1), Some(22)));
    for (arguments, word) in [
        (["--loss", "chatm"], "chatml, deepseek-v3"),
        (["--max-tokens", "3"], "--loss"),
        (["--train", "last"], "--loss"),
    ] {
        let (status, _, stderr) = folder.run(&[&["check", "t.jsonl"][..], &arguments].concat());
        assert!(status == 2 && stderr.contains(word), "{arguments:?}: {stderr}");
    }
    folder.file("log.jsonl", "{\"type\":\"text\",\"role\":\"user\",\"text\":\"hi\"}\n");
    assert_eq!(folder.rules(&["log.jsonl", "--format", "acts", "--loss", "no.jinja"]), (0, vec![]));
}

/// R25: what stands in place of the files that `check` reads beside its input may never end.
#[test]
fn a_configuration_or_baseline_that_never_ends_is_refused() {
    let folder = Folder::new();
    folder.file("t.jsonl", RECORD);
    let (cwd, fifo, mode) = (rustix::fs::CWD, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR);
    rustix::fs::mknodat(cwd, folder.path("pipe"), fifo, mode, 0).unwrap();
    for endless in [PathBuf::from("/dev/zero"), folder.path("pipe")] {
        std::os::unix::fs::symlink(&endless, folder.path("obelus.toml")).unwrap();
        let (status, _, stderr) = folder.run(&["check", "t.jsonl"]);
        assert!(status == 2 && stderr.contains("obelus.toml cannot be read: this is not a regular file"), "{stderr}");
        fs::remove_file(folder.path("obelus.toml")).unwrap();
        for argument in ["--baseline", "--loss"] {
            let (status, _, stderr) = folder.run(&["check", "t.jsonl", argument, endless.to_str().unwrap()]);
            assert!(status == 2 && stderr.contains("this is not a regular file"), "{argument}: {stderr}");
        }
    }
    let (status, _, stderr) = folder.run(&["stats", "--merge", "/dev/zero"]);
    assert!(status == 2 && stderr.contains("/dev/zero:1: this cannot be read: it is longer than"), "{stderr}");
}

/// What was found is printed while the writer of a stream pauses: not at its end, nor when the next megabyte is there.
#[test]
fn findings_of_a_stream_are_printed_while_it_pauses() {
    let mut child =
        program().args(["check", "--format", "adp", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let broken = "{\"id\":\"b\",\"content\":[7]}\n";
    to.write_all(format!("{broken}{}", RECORD.repeat(6)).as_bytes()).unwrap();
    let (sender, receiver) = mpsc::channel();
    let reader = thread::spawn(move || {
        BufReader::new(from).lines().map_while(Result::ok).for_each(|line| {
            let _closed = sender.send(line);
        });
    });
    let soon = Duration::from_secs(60);
    let first = receiver.recv_timeout(soon).expect("nothing is printed before the stream ends");
    assert!(first.contains("adp.type"), "{first}");
    // Behind a pause records are found as before it.
    to.write_all(broken.as_bytes()).unwrap();
    let after = std::iter::from_fn(|| receiver.recv_timeout(soon).ok()).find(|line| line.contains("record 7"));
    assert!(after.is_some());
    drop(to);
    assert_eq!(child.wait().unwrap().code(), Some(1));
    reader.join().unwrap();
}
