//! Marks: journals merge in any order, a killed program loses nothing it acknowledged, what cannot be written is told.

use super::command::{command_result, obelus_at_home, program};
use obelus::review::{About, Change, ContentKey, MarkEvent, MarkTarget, Marks, Verdict};
use obelus::shell::mark_journal::{JournalContents, MarkJournal};
use obelus::source::Journal;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Names of the environment that a child of these tests is started with: the journal, and who writes.
const JOURNAL: &str = "OBELUS_TEST_JOURNAL";

const RECORDS: &str = concat!(
    r#"{"id":"a","content":[{"class_":"text_observation","content":"x","source":"user"}]}"#,
    "\n",
    r#"{"id":"b","content":[{"class_":"message_action","content":"<finish> y </finish>"}]}"#,
    "\n",
    r#"{"id":"c","content":[{"class_":"text_observation","content":"z","source":"user"}]}"#,
    "\n",
);

fn obelus(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let program = env!("CARGO_BIN_EXE_obelus");
    let command = |c: &mut Command| c.args(arguments).current_dir(folder).env("OBELUS_AUTHOR", "ann").output().unwrap();
    command_result(&command(&mut Command::new(program)))
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        proptest::option::of(prop::sample::select(Verdict::ALL.to_vec())).prop_map(Change::Decide),
        any::<bool>().prop_map(Change::Flag),
        "[ab]".prop_map(Change::Tag),
        "[ab]".prop_map(Change::Untag),
        "[a ]{0,2}".prop_map(Change::Note),
    ]
}

fn events() -> impl Strategy<Value = Vec<MarkEvent>> {
    let event = (0..4_u64, "[ab]", 0..3_u8, proptest::option::of(0..2), change());
    let made = event.prop_map(|(time_ms, author, key, step, change)| {
        let target = MarkTarget { step, ..MarkTarget::record(ContentKey::of(&[key])) };
        MarkEvent { time_ms, author, target, change, about: About::default() }
    });
    (vec(made, 1..30), vec(any::<prop::sample::Index>(), 0..6)).prop_map(|(mut events, undone)| {
        for index in undone {
            let of = index.get(&events).clone();
            let undo = MarkEvent { change: Change::Undo(of.id()), time_ms: of.time_ms + 1, ..of };
            events.push(undo);
        }
        events
    })
}

fn marks<'e>(events: impl IntoIterator<Item = &'e MarkEvent>) -> Marks {
    let mut marks = Marks::default();
    events.into_iter().for_each(|event| {
        marks.apply(event.clone());
    });
    marks
}

/// What holds, told by folding all events of a target from the first, in order, with plain lists.
fn oracle(events: &[MarkEvent], target: &MarkTarget) -> (Option<Verdict>, bool, BTreeSet<String>) {
    let mut own: Vec<&MarkEvent> = events.iter().filter(|e| e.target == *target).collect();
    own.sort_by(|a, b| (a.time_ms, &a.author, a.id()).cmp(&(b.time_ms, &b.author, b.id())));
    let is_undone = |event: &MarkEvent| own.iter().any(|e| e.change == Change::Undo(event.id()));
    let (mut verdict, mut flag, mut tags) = (None, false, BTreeSet::new());
    for event in own.iter().filter(|event| !is_undone(event)) {
        match &event.change {
            Change::Decide(v) => verdict = *v,
            Change::Flag(f) => flag = *f,
            Change::Tag(tag) => drop(tags.insert(tag.clone())),
            Change::Untag(tag) => drop(tags.remove(tag)),
            Change::Note(_) | Change::Undo(_) => {}
        }
    }
    (verdict, flag, tags)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_same_events_in_any_order_give_the_same_marks(
        (events, shuffled) in events().prop_flat_map(|e| (Just(e.clone()), Just(e).prop_shuffle())),
        cut in any::<prop::sample::Index>(),
    ) {
        let first = marks(&events);
        prop_assert_eq!(&first, &marks(&shuffled));
        prop_assert_eq!(&first, &marks(shuffled.iter().chain(&events)), "however often they come");
        let (left, right) = events.split_at(cut.index(events.len()));
        let mut joined = marks(right);
        marks(left).events().into_iter().for_each(|e| { joined.apply(e.clone()); });
        prop_assert_eq!(&first, &joined, "two people's marks, joined");
        for event in &events {
            let (verdict, flag, tags) = oracle(&events, &event.target);
            let mark = first.get(&event.target).cloned().unwrap_or_default();
            prop_assert_eq!((mark.verdict, mark.is_flagged, mark.tags), (verdict, flag, tags));
        }
    }
}

#[test]
fn marks_merge_to_the_same_text_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("d.jsonl"), RECORDS).unwrap();
    let mark = |author: &str, words: &[&str]| {
        let mut command = program();
        command.args(["mark", "d.jsonl"]).args(words).args(["--marks", author]).current_dir(folder.path());
        let (status, stdout, stderr) = command_result(&command.env("OBELUS_AUTHOR", author).output().unwrap());
        assert_eq!(status, 0, "{stdout}{stderr}");
    };
    mark("ann", &["--record", "0-1", "--as", "good", "--tag", "kept"]);
    mark("bob", &["--record", "1", "--as", "bad", "--note", "it loops"]);
    mark("bob", &["--record", "2", "--step", "0", "--flag"]);
    let merged = |names: [&str; 2]| obelus(folder.path(), &["marks", "merge", names[0], names[1]]);
    let (status, both, stderr) = merged(["ann", "bob"]);
    assert_eq!((status, &both), (0, &merged(["bob", "ann"]).1), "{stderr}");
    assert_eq!((both.lines().count(), &both), (7, &merged(["ann", "bob"]).1));
    let written = ["marks", "merge", "bob", "ann", "--out", "both"];
    assert_eq!(obelus(folder.path(), &written).0, 0);
    assert_eq!(fs::read_to_string(path("both")).unwrap(), both);
    assert_eq!(obelus(folder.path(), &written).0, 2, "what is there is kept");
    // The dataset is moved, its lines change places and a line comes before them: the marks stay on their records.
    let moved: Vec<&str> = RECORDS.lines().rev().collect();
    fs::write(path("moved.jsonl"), format!("{{\"id\":\"new\",\"content\":[]}}\n{}\n", moved.join("\n"))).unwrap();
    let (_, text, _) = obelus(folder.path(), &["marks", "moved.jsonl", "--marks", "both"]);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0][..4], ["⚑", "c", "#1", "@0"], "{text}");
    assert_eq!(rows[1][..5], ["bad", "b", "#2", "#kept", "it"], "{text}");
    assert_eq!(rows[2][..3], ["good", "a", "#3"], "{text}");
    assert!(text.ends_with("moved.jsonl: 2/4 decided, 1 dropped, 1 kept, 0 unsure\n"), "{text}");
    let (_, json, _) = obelus(folder.path(), &["marks", "--json", "--marks", "both"]);
    assert_eq!(json.lines().filter(|l| l.contains(r#""decision":"bad""#)).count(), 1, "{json}");
}

#[test]
fn an_undo_brings_back_what_was_before() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("d.jsonl"), RECORDS).unwrap();
    let decided = || obelus(folder.path(), &["marks", "d.jsonl", "--marks", "m"]).1;
    let mark = |words: &[&str]| {
        let all: Vec<&str> = ["mark", "d.jsonl", "--marks", "m"].iter().chain(words).copied().collect();
        obelus(folder.path(), &all)
    };
    mark(&["--as", "good"]);
    mark(&["--as", "bad"]);
    assert!(decided().starts_with("bad"));
    mark(&["--undo"]);
    assert!(decided().starts_with("good"));
    mark(&["--undo"]);
    assert!(decided().starts_with("d.jsonl: 0/3 decided"), "{}", decided());
    for wrong in [&["--record", "3", "--as", "bad"][..], &["--record", "x", "--as", "bad"], &[], &["--as", "fine"]] {
        let (status, _, stderr) = mark(wrong);
        assert!(status == 2 && !stderr.is_empty(), "{wrong:?}: {stderr}");
    }
    let (status, _, stderr) = mark(&["--step", "9", "--flag"]);
    assert!(status == 2 && stderr.contains("there is no step 9"), "{stderr}");
}

#[test]
fn a_message_of_a_run_is_marked_by_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let line = |n: u32| format!("{{\"level\":\"info\",\"msg\":\"{n}\"}}\n");
    let text: String = (0..5).map(line).collect();
    fs::write(folder.path().join("r.jsonl"), &text).unwrap();
    let mark = ["mark", "r.jsonl", "--marks", "m", "--step", "3", "--flag"];
    assert_eq!(obelus(folder.path(), &mark).0, 0);
    assert_eq!(obelus(folder.path(), &mark[..4]).0, 2, "a run has no record to mark");
    fs::write(folder.path().join("r.jsonl"), format!("{}{text}{}", line(9), line(8))).unwrap();
    let (_, json, _) = obelus(folder.path(), &["marks", "r.jsonl", "--marks", "m", "--json"]);
    assert_eq!(json.lines().count(), 1, "{json}");
    fs::write(folder.path().join("r.jsonl"), line(9)).unwrap();
    let (_, json, _) = obelus(folder.path(), &["marks", "r.jsonl", "--marks", "m", "--json"]);
    assert_eq!(json, "", "never on another message");
}

#[test]
fn a_folder_that_cannot_be_written_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("d.jsonl"), RECORDS).unwrap();
    for (journal, words) in
        [("/dev/full", "make room"), ("/proc/obelus/marks.jsonl", "cannot be written"), (".", "not a file")]
    {
        let (status, stdout, stderr) = obelus(folder.path(), &["mark", "d.jsonl", "--as", "bad", "--marks", journal]);
        assert_eq!((status, stdout.as_str()), (2, ""), "{journal}: {stderr}");
        assert!(stderr.contains(words), "{journal}: {stderr}");
    }
    // A disk that fills up within a line: the half line is taken back.
    let command = "trap '' XFSZ; ulimit -f 1; exec \"$0\" mark d.jsonl --marks m --as bad --note \"$1\"";
    let long = "x".repeat(3_000);
    let program = env!("CARGO_BIN_EXE_obelus");
    let run = || Command::new("sh").args(["-c", command, program, &long]).current_dir(folder.path()).output().unwrap();
    let (status, _, stderr) = command_result(&run());
    assert!(status == 2 && stderr.contains("make room"), "{stderr}");
    assert_eq!(fs::read(folder.path().join("m")).unwrap(), b"");
    assert_eq!(obelus(folder.path(), &["mark", "d.jsonl", "--as", "bad", "--marks", "m"]).0, 0);
}

#[test]
fn a_journal_with_rubbish_in_it_still_gives_its_marks() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("d.jsonl"), RECORDS).unwrap();
    assert_eq!(obelus(folder.path(), &["mark", "d.jsonl", "--as", "bad", "--note", "a\nb\u{1b}", "--marks", "m"]).0, 0);
    let line = fs::read_to_string(folder.path().join("m")).unwrap();
    let deep = "[".repeat(10_000);
    let later = line.replace("\"v\":1", "\"v\":7");
    let mut rubbish = format!("\r\n\n{deep}\n{later}null\n{{}}\n\"x\"\n{{\"v\":-1}}\n").into_bytes();
    rubbish.extend(b"\xff\xfe\0\n");
    rubbish.extend(line.as_bytes());
    rubbish.extend(&line.as_bytes()[..line.len() - 9]);
    fs::write(folder.path().join("m"), rubbish).unwrap();
    let (status, stdout, stderr) = obelus(folder.path(), &["marks", "--marks", "m"]);
    assert_eq!((status, stdout.lines().count()), (0, 1), "{stdout}{stderr}");
    assert!(
        stdout.starts_with("bad") && stderr.contains("7 lines") && stderr.contains("2 lines of"),
        "{stdout}{stderr}"
    );
    assert_eq!(obelus(folder.path(), &["mark", "d.jsonl", "--as", "good", "--marks", "m"]).0, 0);
    assert!(obelus(folder.path(), &["marks", "--marks", "m"]).1.starts_with("good"));
    let (_, merged, _) = obelus(folder.path(), &["marks", "merge", "m", "m"]);
    assert_eq!(merged.lines().count(), 5, "what a later version wrote is kept: {merged}");
}

#[test]
fn two_programs_write_one_journal() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("m");
    let started: Vec<_> = (0..3).map(|who| writer(&journal, who, 40)).collect();
    let acknowledged: Vec<BTreeSet<String>> = started.into_iter().map(|child| heard(child, usize::MAX)).collect();
    let gathered = JournalContents::of(&Journal::at(&journal).all_lines().unwrap());
    let tags: BTreeSet<String> = gathered.events.iter().filter_map(tag).collect();
    assert_eq!((gathered.broken, tags.len()), (0, 120));
    assert!(acknowledged.iter().all(|own| own.len() == 40 && own.is_subset(&tags)));
}

#[test]
fn a_killed_program_loses_nothing_it_acknowledged() {
    kill_at_many_moments(50);
}

#[test]
#[ignore = "takes a quarter of a minute; the short form always runs"]
fn a_program_killed_a_thousand_times_loses_nothing_it_acknowledged() {
    kill_at_many_moments(1_000);
}

fn kill_at_many_moments(moments: u64) {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("m");
    let mut acknowledged = BTreeSet::new();
    for moment in 0..moments {
        // After how many answers it is killed, and how far into the next write, differs from moment to moment.
        let answers = usize::try_from(moment * 7 % 29).unwrap();
        acknowledged.extend(heard(writer(&journal, moment, usize::MAX), answers));
        if moment % 3 == 0 {
            // What a kill within a write would leave, had it come there.
            let mut file = fs::OpenOptions::new().append(true).open(&journal).unwrap();
            file.write_all(b"{\"v\":1,\"time\":17").unwrap();
        }
    }
    let gathered = JournalContents::of(&Journal::at(&journal).all_lines().unwrap());
    let tags: BTreeSet<String> = gathered.events.iter().filter_map(tag).collect();
    let lost: Vec<&String> = acknowledged.difference(&tags).collect();
    assert!(lost.is_empty(), "{} of {} lost: {lost:?}", lost.len(), acknowledged.len());
    assert!(acknowledged.len() as u64 >= moments, "there is something to lose");
    assert!(gathered.broken as u64 <= moments, "only torn ends are broken");
}

fn tag(event: &MarkEvent) -> Option<String> {
    match &event.change {
        Change::Tag(tag) => Some(tag.clone()),
        _ => None,
    }
}

/// This test program again, as one that writes marks and says which are on the disk.
fn writer(journal: &Path, who: u64, count: usize) -> std::process::Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["marks::child_that_writes", "--exact", "--ignored", "--nocapture"]);
    command.env(JOURNAL, journal).env("OBELUS_AUTHOR", format!("w{who}")).env("OBELUS_TEST_COUNT", count.to_string());
    command.stdout(Stdio::piped()).spawn().unwrap()
}

/// What it says until it ends, or has said so much and is killed.
fn heard(mut child: std::process::Child, answers: usize) -> BTreeSet<String> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = BTreeSet::new();
    for line in lines.map_while(Result::ok) {
        said.extend(line.split_once("saved ").map(|(_, tag)| tag.trim().to_owned()));
        if said.len() > answers {
            // Somewhere in the next write, or between two.
            std::thread::sleep(Duration::from_micros(answers as u64 * 761 % 1_999));
            child.kill().unwrap();
            break;
        }
    }
    child.wait().unwrap();
    said
}

#[test]
#[ignore = "started by other tests as a program of its own"]
fn child_that_writes() {
    let Ok(journal) = std::env::var(JOURNAL) else { return };
    let count: usize = std::env::var("OBELUS_TEST_COUNT").unwrap().parse().unwrap();
    let who = obelus::shell::mark_journal::author();
    let mut keeper = MarkJournal::new(Some(Path::new(&journal)));
    println!();
    for number in 0..count {
        let tag = format!("{who}-{number}");
        let target = MarkTarget::record(ContentKey::of(tag.as_bytes()));
        keeper.decide(vec![(target, Change::Tag(tag.clone()), About::default())]);
        keeper.save().unwrap();
        println!("saved {tag}");
    }
}

#[test]
fn a_filter_decides_by_rule() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("d.jsonl"), RECORDS).unwrap();
    let run = |words: &[&str]| {
        let all: Vec<&str> = [words[0], "d.jsonl", "--marks", "m"].iter().chain(&words[1..]).copied().collect();
        obelus(at, &all)
    };
    let marked = |filter: &str| {
        let (status, stdout, stderr) = run(&["marks", "--where", filter, "--json"]);
        assert_eq!((status, stderr.as_str()), (0, ""));
        let lines = stdout.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines
            .filter(|line| !line["id"].is_null())
            .map(|line| line["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let (status, stdout, _) = run(&["mark", "--where", "!id:^b", "--as", "bad", "--note", "no"]);
    assert_eq!((status, stdout.as_str()), (0, "4 decisions on 2 records written\n"));
    assert_eq!(run(&["mark", "--where", "id:^[bc]", "--record", "0-1", "--as", "good"]).1, "1 decision on b written\n");
    assert_eq!(marked("steps>0"), ["a", "b", "c"]);
    let by = run(&["stats", "--by", "mark", "--json"]).1;
    assert!(by.contains("\"bad\"") && by.contains("\"good\""), "{by}");
    assert_eq!(marked("mark:bad"), ["a", "c"]);
    assert_eq!(run(&["mark", "--where", "mark:bad id:c", "--as", "unsure"]).0, 0);
    assert_eq!(marked("mark:bad|good"), ["a", "b"]);
    assert_eq!(run(&["mark", "--where", "steps>99", "--flag"]).1, "0 decisions on 0 records written\n");
    let (status, _, stderr) = obelus(at, &["marks", "--marks", "m", "--where", "steps>1"]);
    assert!(status == 2 && stderr.contains("none is named"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn a_journal_that_cannot_be_read_is_not_taken_for_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| obelus_at_home(folder.path(), arguments);
    fs::write(folder.path().join("d.jsonl"), "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n").unwrap();
    assert_eq!(run(&["mark", "d.jsonl", "--record", "0", "--as", "good"]).0, 0);
    let journal = folder.path().join("data/obelus/marks.jsonl");
    fs::remove_file(&journal).unwrap();
    std::os::unix::fs::symlink("marks.jsonl", &journal).unwrap();
    for words in [
        &["marks", "d.jsonl"][..],
        &["export", "d.jsonl", "--mark", "good", "--out", "out.jsonl"],
        &["export", "d.jsonl", "--sample", "1", "--by", "decision", "--out", "out.jsonl"],
        &["table", "d.jsonl", "--where", "mark:good"],
        &["stats", "d.jsonl", "--by", "mark", "--where", "!mark:good"],
        &["stats", "d.jsonl", "--by", "mark"],
        &["stats", "d.jsonl", "--by", "tag"],
        &["query", "d.jsonl", "--where", "mark:good", "--count"],
    ] {
        let (status, out, errors) = run(words);
        assert!(
            status == 2 && out.is_empty() && errors.contains("marks.jsonl cannot be read"),
            "{words:?}: {out}{errors}"
        );
    }
    assert!(!folder.path().join("out.jsonl").exists());
    let (status, out, errors) = run(&["table", "d.jsonl"]);
    assert!(status == 0 && out.contains("1 record") && errors.contains("marks.jsonl cannot be read"), "{errors}");
    assert_eq!(run(&["query", "d.jsonl", ".messages|length"]), (0, "1\n".to_owned(), String::new()));
}
