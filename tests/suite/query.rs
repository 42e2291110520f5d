//! `obelus query`, and files as they come: packed, several, folders.

use super::command::{command_result, file, obelus_in, program};
use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Exit status, stdout and stderr.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        self.fed(arguments, b"")
    }

    fn fed(&self, arguments: &[&str], input: &[u8]) -> (i32, String, String) {
        let mut child = program()
            .args(arguments)
            .env("SECRET_OF_THE_TEST", "1")
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut to = child.stdin.take().unwrap();
        let input = input.to_vec();
        let feeder = std::thread::spawn(move || drop(to.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        command_result(&output)
    }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

const RECORDS: &str = "{\"n\":1.10,\"t\":[\"a\",\"b\"]}\n{\"n\":2E400,\"t\":[]}\n\n{\"n\": 3, \"t\":[\"c\"] }\n";

#[test]
fn results_come_a_line_each() {
    let folder = Folder::new();
    folder.file("r.jsonl", RECORDS);
    let ask = |arguments: &[&str]| folder.run(&[&["query", "r.jsonl"], arguments].concat());
    assert_eq!(ask(&[".n"]), (0, "1.10\n2E400\n3\n".to_owned(), String::new()));
    assert_eq!(ask(&[".t[]"]).1, "\"a\"\n\"b\"\n\"c\"\n");
    assert_eq!(ask(&["--count", ".t[0]"]), (0, "2\n".to_owned(), String::new()));
    assert_eq!(ask(&["--select", ".t[] == \"c\""]).1, "{\"n\": 3, \"t\":[\"c\"] }\n", "byte by byte");
    let (status, stdout, _) = ask(&["--json", "--format", "generic", ".t[]"]);
    let lines: Vec<serde_json::Value> = stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!((status, lines.len()), (0, 3));
    assert!(stdout.starts_with("{\"obelus\":1,\"file\":\"r.jsonl\",\"record\":0,\"results\":[\"a\",\"b\"],\"place\":"));
    assert_eq!(lines[2]["place"], serde_json::json!({"offset": 45, "len": 20, "line": 4}));
    let (_, stdout, _) = ask(&["--json", "--count", ".n"]);
    assert_eq!(stdout, "{\"obelus\":1,\"file\":\"r.jsonl\",\"records\":3,\"count\":3,\"failed\":0}\n");
}

#[test]
fn a_record_that_fails_does_not_stop_the_others() {
    let folder = Folder::new();
    folder.file("r.jsonl", "{\"a\":{\"b\":1}}\n{\"a\":[]}\n{\"a\":{\"b\":2}}\nno\n{\"a\":{\"b\":3}}\n");
    let (status, stdout, stderr) = folder.run(&["query", "r.jsonl", ".a.b"]);
    assert_eq!((status, stdout.as_str()), (1, "1\n2\n3\n"), "{stderr}");
    assert!(
        stderr.contains("r.jsonl:2: record 1: cannot index") && stderr.contains("r.jsonl:4: record 3:"),
        "{stderr}"
    );
    let (_, stdout, _) = folder.run(&["query", "--json", "r.jsonl", ".a.b"]);
    assert!(stdout.lines().nth(1).unwrap().contains(",\"results\":[],\"error\":\"cannot index"), "{stdout}");
}

#[test]
fn a_message_does_not_repeat_the_record() {
    let folder = Folder::new();
    folder.file("d.jsonl", format!("{{\"a\":\"{}\"}}\n", "long ".repeat(10_000)));
    let (status, _, stderr) = folder.run(&["query", "d.jsonl", ".a.b"]);
    assert!(status == 1 && stderr.contains("long") && stderr.len() < 1_000, "{} bytes", stderr.len());
}

#[test]
fn what_loops_or_breaks_is_ended_and_reported() {
    let folder = Folder::new();
    folder.file("r.jsonl", "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n");
    for (expression, limit, why) in [
        ("if .n==1 then last(range(infinite)) else .n end", "0.5", "took longer than 0.5 s"),
        ("def f: 1+f; if .n==1 then f else .n end", "60", "ended its process"),
        ("if .n==1 then [range(1e10)] else .n end", "0.5", ""),
        ("if .n==1 then error(\"no\") else .n end", "60", "record 1: no"),
    ] {
        let (status, stdout, stderr) = folder.run(&["query", "r.jsonl", "--timeout", limit, expression]);
        assert_eq!((status, stdout.as_str()), (1, "0\n2\n"), "{expression}: {stderr}");
        assert!(stderr.contains("r.jsonl:2: record 1: ") && stderr.contains(why), "{stderr}");
    }
    folder.file("many.jsonl", "{}\n".repeat(40));
    let (status, stdout, stderr) = folder.run(&["query", "many.jsonl", "--timeout", "0.01", "last(range(infinite))"]);
    assert_eq!((status, stdout.as_str()), (2, ""));
    assert!(stderr.contains("many.jsonl:1: record 0: EXPR took longer than 0.01 s"), "{stderr}");
    assert!(stderr.contains("before it answered for any record; no more are asked"), "{stderr}");
    assert!(stderr.matches("took longer").count() == 1, "the time is given once: {stderr}");
    let (status, stdout, _) = folder.run(&["query", "r.jsonl", "--timeout", "0.5", "def f: 1+f; f"]);
    assert_eq!((status, stdout.as_str()), (1, ""), "a process that dies takes no time: each is asked");
    let (status, _, stderr) = folder.run(&["query", "many.jsonl", "--timeout", "60", "def f: 1+f; f"]);
    assert!(status == 2 && stderr.contains("was ended for 16 records; no more are asked"), "{stderr}");
}

/// The processes of this machine that were started by one, as Linux lists them.
#[cfg(target_os = "linux")]
fn children(of: u32) -> Vec<u32> {
    let parent = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| parent(pid) == Some(of)).collect()
}

/// Waits until something is so; false after a time that is enough for any machine.
#[cfg(target_os = "linux")]
fn comes_true(is_so: impl Fn() -> bool) -> bool {
    (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        is_so()
    })
}

/// A worker that never ends by itself does not outlive a parent that is killed.
#[cfg(target_os = "linux")]
#[test]
fn no_worker_outlives_its_parent() {
    let folder = Folder::new();
    folder.file("r.jsonl", "{}\n{}\n");
    let columns = "[columns]\nforever = \"last(range(infinite))\"\n";
    folder.file("home/.config/obelus/config.toml", columns);
    for words in [
        &["query", "r.jsonl", "--timeout", "3600", "last(range(infinite))"][..],
        &["query", "r.jsonl", "--where", "forever>1", "--count"],
    ] {
        let mut parent = program()
            .args(words)
            .current_dir(&folder.0)
            .env("HOME", folder.0.path().join("home"))
            .env("XDG_CONFIG_HOME", folder.0.path().join("home/.config"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let found = std::cell::RefCell::new(Vec::new());
        let has_started = comes_true(|| {
            *found.borrow_mut() = children(parent.id());
            !found.borrow().is_empty()
        });
        // Long enough for the worker to be at work, and less than the time of a column.
        std::thread::sleep(std::time::Duration::from_millis(500));
        let workers = [found.into_inner(), children(parent.id())].concat();
        let status = |pid: &u32| fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let confined = workers.iter().filter(|pid| status(pid).contains("NoNewPrivs:\t1")).count();
        parent.kill().unwrap();
        parent.wait().unwrap();
        assert!(has_started && confined > 0, "{words:?}: {confined} of {workers:?} can gain no rights");
        let is_gone = |pid: &u32| fs::read(format!("/proc/{pid}/cmdline")).map_or(true, |line| line.is_empty());
        assert!(comes_true(|| workers.iter().all(is_gone)), "{words:?}: {workers:?}");
    }
}

#[test]
fn an_expression_sees_its_record_and_nothing_else() {
    let folder = Folder::new();
    folder.file("r.jsonl", "{}\n");
    assert_eq!(folder.run(&["query", "r.jsonl", "env | length"]).1, "0\n");
    for (expression, word) in [(".a |", "character"), ("nonsense", "`nonsense`"), ("import \"a\" as a; 1", "EXPR")] {
        let (status, stdout, stderr) = folder.run(&["query", "r.jsonl", expression]);
        assert_eq!((status, stdout.as_str()), (2, ""), "{expression}");
        assert!(stderr.contains(word), "{stderr}");
    }
    for arguments in [&["query", "r.jsonl"][..], &["query"], &["query", "none.jsonl", "."]] {
        assert_eq!(folder.run(arguments).0, 2);
    }
    for limit in ["0", "-1", "x", "inf", "1e99"] {
        assert_eq!(folder.run(&["query", "r.jsonl", ".", &format!("--timeout={limit}")]).0, 2, "{limit}");
    }
}

#[test]
fn several_workers_keep_the_order() {
    let folder = Folder::new();
    let long = "x".repeat(1000);
    let text: String = (0..4000).map(|n| format!("{{\"n\":{n},\"x\":\"{long}\"}}\n")).collect();
    folder.file("r.jsonl", &text);
    let expect: String = (0..4000).map(|n| format!("{n}\n")).collect();
    assert!(folder.run(&["query", "r.jsonl", ".n"]).1 == expect);
    assert!(folder.run(&["query", "r.jsonl", "--select", "true"]).1 == text);
    let (status, stdout, _) = folder.run(&["query", "r.jsonl", "if .n==2000 then error else .n end"]);
    assert!(status == 1 && stdout == expect.replace("\n2000\n", "\n"));
}

/// A trajectory of the Agent Data Protocol.
fn trajectory(id: usize) -> String {
    format!(
        "{{\"id\":\"{id}\",\"content\":[{{\"class_\":\"text_observation\",\"content\":\"task {id}\",\"source\":\"user\"}},\
         {{\"class_\":\"api_action\",\"function\":\"finish\",\"kwargs\":{{}}}}]}}\n"
    )
}

#[test]
fn packed_files_are_read_as_what_they_hold() {
    let folder = Folder::new();
    let text: String = (0..50).map(trajectory).collect();
    let (a, b) = text.split_at(2001);
    folder.file("plain.jsonl", &text);
    folder.file("two.gz", [gzip(a.as_bytes()), gzip(b.as_bytes())].concat());
    let zstd = |text: &str| compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
    folder.file("two.zst", [zstd(a), zstd(b)].concat());
    let same = |out: String, name: &str| out.replace(name, "F");
    for command in [&["stats", "--json"][..], &["check", "--json"], &["steps", "--json"], &["state", "--json"]] {
        let expect = folder.run(&[command, &["plain.jsonl"]].concat());
        for name in ["two.gz", "two.zst"] {
            let got = folder.run(&[command, &[name]].concat());
            assert_eq!(same(got.1, name), same(expect.1.clone(), "plain.jsonl"), "{command:?} {name}: {}", got.2);
            assert_eq!(got.0, expect.0);
        }
    }
    let count = |out: (i32, String, String)| (out.0, out.1);
    assert_eq!(count(folder.fed(&["query", "--count", "-", ".id"], &gzip(text.as_bytes()))), (0, "50\n".to_owned()));
    folder.file("twice.gz", gzip(&gzip(text.as_bytes())));
    assert!(folder.run(&["stats", "twice.gz"]).2.contains("gzip data"), "only one layer is taken off");
}

#[test]
fn what_a_broken_archive_holds_is_answered_with_an_error() {
    let folder = Folder::new();
    let text: String = (0..3000).map(trajectory).collect();
    let packed = gzip(text.as_bytes());
    folder.file("cut.gz", &packed[..packed.len() / 2]);
    folder.file("good.jsonl", trajectory(1));
    for command in [&["stats", "--json"][..], &["steps", "--json"], &["state", "--json"], &["blame", "--json"]] {
        let (status, stdout, stderr) = folder.run(&[command, &["cut.gz"]].concat());
        assert_eq!(status, 2, "{command:?}");
        assert!(!stdout.is_empty() && stderr.contains("cut.gz is cut off or damaged behind"), "{command:?}: {stderr}");
    }
    let (status, stdout, stderr) = folder.run(&["query", "cut.gz", "good.jsonl", "--count", "true"]);
    assert!(status == 2 && stdout.ends_with("good.jsonl:1\n") && !stdout.starts_with("cut.gz:0"), "{stdout}{stderr}");
    let (status, stdout, _) = folder.run(&["check", "cut.gz", "good.jsonl"]);
    assert!(status == 2 && stdout.contains("in 2 files"), "{stdout}");
    folder.file("nothing.gz", &packed[..12]);
    let (status, stdout, stderr) = folder.run(&["stats", "nothing.gz"]);
    assert_eq!((status, stdout.as_str()), (2, ""), "{stderr}");
}

#[test]
fn folders_stand_for_the_files_in_them() {
    let folder = Folder::new();
    folder.file("d/b.jsonl", trajectory(1).repeat(2));
    folder.file("d/a/x.json", trajectory(2));
    folder.file("d/p.jsonl.gz", gzip(trajectory(3).as_bytes()));
    folder.file("d/.hidden.jsonl", trajectory(4));
    folder.file("d/readme.md", "no");
    fs::create_dir(folder.0.path().join("empty")).unwrap();
    let (status, stdout, _) = folder.run(&["query", "d", "--count", "true"]);
    assert_eq!((status, stdout.as_str()), (0, "d/a/x.json:1\nd/b.jsonl:2\nd/p.jsonl.gz:1\n"));
    let (status, stdout, _) = folder.run(&["stats", "d", "--json"]);
    assert_eq!((status, stdout.matches("\"dataset\"").count()), (0, 3));
    assert!(folder.run(&["check", "d"]).1.contains("in 3 files"));
    for command in ["stats", "check"] {
        let (status, _, stderr) = folder.run(&[command, "d/b.jsonl", "empty"]);
        assert!(status == 2 && stderr.contains("empty: there is no file of records"), "{stderr}");
    }
    let (status, stdout, _) = folder.fed(&["query", "d/a", "-", "--json", ".id"], trajectory(5).as_bytes());
    assert_eq!((status, stdout.lines().count()), (0, 2));
    assert!(stdout.lines().nth(1).unwrap().contains("\"file\":\"-\",\"record\":0,\"results\":[\"5\"]"), "{stdout}");
}

#[test]
fn filters_choose_records_without_an_expression() {
    let folder = Folder::new();
    let step = r#"{"class_":"text_observation","content":"x","source":"user"}"#;
    let record = |i: usize| format!("{{\"id\":\"t{i}\",\"content\":[{}]}}\n", vec![step; i].join(","));
    let lines: Vec<String> = (1..6).map(record).collect();
    folder.file("t.jsonl", lines.concat());
    folder.file("broken.jsonl", format!("{}{{\"id\":\n", lines[3]));
    let ask = |arguments: &[&str]| folder.run(&[&["query", "t.jsonl", "--where", "steps>3"], arguments].concat());
    assert_eq!(ask(&["--count"]), (0, "2\n".to_owned(), String::new()));
    assert_eq!(ask(&["--select"]).1, lines[3..].concat());
    assert_eq!(ask(&[".id"]).1, "\"t4\"\n\"t5\"\n");
    assert_eq!(ask(&["--count", "--where", "id:4"]).1, "1\n");
    assert_eq!(
        ask(&["--count", "--json"]).1,
        "{\"obelus\":1,\"file\":\"t.jsonl\",\"records\":5,\"count\":2,\"failed\":0}\n"
    );
    for (filter, count) in [("steps>=4", "2:1\n"), ("errors>0", "0:1\n"), ("steps<9 findings<9", "5:1\n")] {
        let (_, both, _) = folder.run(&["query", "t.jsonl", "broken.jsonl", "--where", filter, "--count"]);
        let counts: Vec<&str> = both.lines().map(|line| line.rsplit(':').next().unwrap()).collect();
        assert_eq!(format!("{}\n", counts.join(":")), count, "{filter}");
    }
    let (status, stdout, stderr) = ask(&["--count", "missing.jsonl"]);
    assert_eq!((status, stdout.as_str()), (2, "t.jsonl:2\n"), "{stderr}");
    assert_eq!(folder.run(&["query", "t.jsonl", "--where", "stepz>3", "--count"]).0, 2);
}

#[test]
fn a_pattern_that_no_shell_took_stands_for_the_files_that_fit() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::create_dir_all(at.join("data/b")).unwrap();
    for (i, name) in ["data/1.jsonl", "data/b/0.jsonl", "data/b/x.txt", "[1].jsonl"].into_iter().enumerate() {
        let said = r#"{"role":"user","content":"x"},{"role":"assistant","content":"y"}"#;
        file(at, name, &format!("{{\"id\":\"{i}\",\"messages\":[{said}]}}\n"));
    }
    let run = |words: &[&str]| obelus_in(at, words);
    assert_eq!(run(&["query", "data/**/*.jsonl", ".id"]), (0, "\"0\"\n\"1\"\n".to_owned(), String::new()));
    assert_eq!(run(&["query", "[1].jsonl", ".id"]).1, "\"3\"\n", "a file of that name goes first");
    let (status, stdout, _) = run(&["stats", "data/*.jsonl", "data/b/*", "--json"]);
    assert!(status == 0 && stdout.contains("data/b/x.txt"), "{stdout}");
    assert_eq!(run(&["check", "*/*/*.jsonl", "data/?.jsonl"]).0, 0);
    assert_eq!(run(&["query", "data/**/*.{json,jsonl}", ".id"]).1, "\"0\"\n\"1\"\n");
    let of_folder = run(&["query", ".", ".id"]);
    assert!(of_folder.0 == 0 && run(&["query", "**", ".id"]) == of_folder, "{of_folder:?}");
    assert_eq!(run(&["export", "**/[01].jsonl", "--out", "o", "--sample", "9"]).0, 0);
    assert_eq!(fs::read_to_string(at.join("o")).unwrap().lines().count(), 2);
    file(at, "m", "");
    let (status, stdout, _) = run(&["marks", "data/*.jsonl", "--marks", "m"]);
    assert!(status == 0 && stdout.starts_with("data/1.jsonl: 0/1 decided"), "{stdout}");
    for words in [&["query", "no/*.jsonl", "."][..], &["export", "no/*.jsonl", "--out", "p"], &["no/*.jsonl"]] {
        let (status, stdout, stderr) = run(words);
        assert!(
            status == 2 && stdout.is_empty() && stderr.contains("no/*.jsonl: no file fits this pattern"),
            "{stderr}"
        );
    }
}

#[test]
fn a_filter_that_reads_less_lets_the_same_records_through() {
    let folder = Folder::new();
    let user = |text: &str| format!(r#"{{"class_":"text_observation","content":"{text}","source":"user"}}"#);
    let call = r#"{"class_":"api_action","function":"bash","kwargs":{"a":1},"reward":0.5}"#;
    let record = |id: &str, items: &[&str]| format!("{{\"id\":\"{id}\",\"content\":[{}]}}\n", items.join(","));
    let records = [
        record("plain", &[&user("mend the bridge"), call, &user("done")]),
        record("plain", &[&user("mend the bridge"), call, &user("done")]),
        record("größe", &[&user("Gr\\u00f6\\u00dfe \\\"quoted\\\""), r#"{"class_":"message_action","content":"x"}"#]),
        record("odd", &[r#"{"class_":"no_such","content":3}"#]),
        record("empty", &[]),
        "{\"id\":\"cut\",\"content\":[\n".to_owned(),
        "{\"id\":7,\"messages\":[{\"role\":\"user\",\"content\":\"mend it\"},{\"role\":\"assistant\"}]}\n".to_owned(),
        "{\"other\":1}\n".to_owned(),
    ];
    folder.file("d.jsonl", records.concat());
    // True of every record, and known only to who looks at all of it.
    let all = "!tokens>99999999 !errors>99999999";
    let ask = |filter: &str| folder.run(&["query", "--format", "adp", "--select", "d.jsonl", "--where", filter]);
    let mut counts = Vec::new();
    for filter in [
        "errors:0",
        "errors>0",
        "warnings>0",
        "finding:adp.*",
        "!finding:adp.duplicate-id",
        "findings:0 size>90",
        "mend",
        "id:plain",
        "\"quoted\"",
        "!größe",
        "words:mend*",
        "mend size>90",
        "steps>1",
        "reward:0.5",
        "tool:bash",
        "mend errors:0",
    ] {
        let (status, stdout, stderr) = ask(filter);
        let whole = ask(&format!("{filter} {all}"));
        assert_eq!((status, &stdout), (whole.0, &whole.1), "{filter}: {stderr} {}", whole.2);
        counts.push(stdout.lines().count());
    }
    assert!(counts.iter().all(|n| *n > 0 && *n < records.len()), "{counts:?}");
}

#[test]
fn an_expression_in_the_place_of_jq_is_pointed_out() {
    let folder = Folder::new();
    folder.file("tk.jsonl", "{\"id\":1}\n");
    let (status, _, stderr) = obelus_in(folder.0.path(), &["query", ".id", "tk.jsonl"]);
    assert!(status == 2 && stderr.contains("the expression comes last: `obelus query FILE… EXPR`"), "{stderr}");
}
