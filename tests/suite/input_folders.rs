//! Folders whose files together are one input: a file for each event (OpenHands), for each session, message and part
//! (opencode).

use super::command::{file, obelus, obelus_in};
use obelus::ingest::{is_input_folder, is_log};
use obelus::source::{Listing, files_below};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub(crate) fn event(number: usize) -> String {
    let said = r#""source":"agent","message":"","timestamp":"2026-05-01T10:00:0"#;
    match number {
        0 => r#"{"id":0,"source":"user","timestamp":"2026-05-01T10:00:00","action":"message","args":{"content":"list it"}}"#
            .to_owned(),
        1 => format!("{{\"id\":1,{said}1\",\n \"action\":\"run\",\"args\":{{\"command\":\"ls\",\"thought\":\"I look.\"}}}}"),
        2 => format!("{{\"id\":2,{said}2\",\"cause\":1,\"observation\":\"run\",\"content\":\"a.txt\",\"extras\":{{}}}}"),
        n => format!(r#"{{"id":{n},"source":"agent","timestamp":"t","action":"message","args":{{"content":"step {n}"}}}}"#),
    }
}

/// A session of OpenHands: its events in files of their own.
pub(crate) fn events(root: &Path, numbers: &[usize]) -> PathBuf {
    let folder = root.join("s1/events");
    fs::create_dir_all(&folder).unwrap();
    numbers.iter().for_each(|number| drop(file(&folder, &format!("{number}.json"), &event(*number))));
    file(&root.join("s1"), "metadata.json", "{\"title\":\"t\"}");
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_folder_of_events_is_one_run_in_the_order_of_their_numbers() {
    let root = tempfile::tempdir().unwrap();
    let folder = events(root.path(), &[0, 1, 2, 10, 9, 3, 4, 5, 6, 7, 8]);
    for path in [folder.as_path(), folder.parent().unwrap()] {
        let (status, stdout, stderr) = obelus(&["steps", text(path), "--json"]);
        assert_eq!((status, stderr.as_str(), stdout.lines().count()), (0, "", 11), "{stdout}");
        assert!(stdout.lines().nth(2).unwrap().contains("\"answers\":1"), "{stdout}");
        let (_, stdout, _) = obelus(&["steps", text(path)]);
        assert!(stdout.lines().last().unwrap().contains("step 10"), "{stdout}");
        let (status, stdout, _) = obelus(&["check", text(path)]);
        assert!(status == 0 && stdout.contains("no findings in 1 file"), "{stdout}");
        let (_, stdout, _) = obelus(&["formats", text(path)]);
        assert!(stdout.contains(": openhands (") && stdout.contains("1 trajectory"), "{stdout}");
        let (_, stdout, _) = obelus(&["state", text(path), "--json"]);
        assert!(stdout.contains("\"shell\""), "{stdout}");
    }
}

#[test]
fn events_of_version_1_are_recognised_by_their_names_and_what_is_missing_is_said() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("c/events");
    fs::create_dir_all(&folder).unwrap();
    file(&root.path().join("c"), "base_state.json", "{\"id\":\"c\"}");
    for number in [1, 2, 5] {
        let event = format!(
            r#"{{"id":"e{number}","timestamp":"2026-05-01T10:00:0{number}","source":"user","kind":"MessageEvent","llm_message":{{"role":"user","content":[{{"type":"text","text":"say {number}"}}]}}}}"#
        );
        file(&folder, &format!("event-0000{number}-4f3a.json"), &event);
    }
    file(&folder, "event-00006-4f3b.json", "");
    file(&folder, "event-00007-4f3b.json", "{\"id\":\"e7\",\n \"kin");
    let (_, stdout, stderr) = obelus(&["steps", text(&folder)]);
    assert_eq!((stdout.lines().count(), stderr.lines().count()), (3, 1), "{stdout}{stderr}");
    assert!(stderr.contains("1 record that cannot be read gives no step"), "{stderr}");
    let (_, stdout, _) = obelus(&["check", text(&folder)]);
    assert_eq!(stdout.matches("run.part-missing").count(), 3, "{stdout}");
    assert!(stdout.contains("event 0,") && stdout.contains("events 3 to 4 (2 files)"), "{stdout}");
    assert!(stdout.contains("file is empty") && stdout.contains("data.invalid-json"), "{stdout}");
}

#[test]
fn a_downloaded_conversation_is_a_run_as_a_folder_and_as_an_archive() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("c");
    fs::create_dir_all(&folder).unwrap();
    let event = |number: usize| {
        format!(
            r#"{{"id":"e{number}","timestamp":"2026-05-01T10:00:0{number}","source":"user","kind":"MessageEvent","llm_message":{{"role":"user","content":[{{"type":"text","text":"say {number}"}}]}}}}"#
        )
    };
    let names = [0, 1, 2].map(|number| (format!("event_00000{number}_4f3a.json"), event(number)));
    file(&folder, "meta.json", "{\"id\":\"c\"}");
    names.iter().for_each(|(name, text)| drop(file(&folder, name, text)));
    let members: Vec<(&str, &str)> = names.iter().rev().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let packed = root.path().join("c.zip");
    fs::write(&packed, super::containers::archive(&members)).unwrap();
    for path in [&folder, &packed] {
        let (status, stdout, stderr) = obelus(&["steps", text(path)]);
        assert_eq!((status, stdout.lines().count()), (0, 3), "{stderr}");
        assert!(stdout.lines().last().unwrap().contains("say 2"), "{stdout}");
    }
}

/// A store of opencode with two sessions.
fn store(root: &Path) -> PathBuf {
    let store = root.join("storage");
    for folder in ["session/p", "message/s1", "message/s2", "part/m1", "part/m2", "part/m3", "todo"] {
        fs::create_dir_all(store.join(folder)).unwrap();
    }
    let put = |name: &str, text: &str| fs::write(store.join(name), text).unwrap();
    put("session/p/s1.json", r#"{"id":"s1","projectID":"p","directory":"/w","title":"First","time":{"created":10}}"#);
    put(
        "message/s1/m2.json",
        r#"{"id":"m2","sessionID":"s1","role":"assistant","parentID":"m1","time":{"created":12}}"#,
    );
    put("message/s1/m1.json", "{\n \"id\":\"m1\",\n \"sessionID\":\"s1\",\"role\":\"user\",\"time\":{\"created\":11}}");
    put("part/m1/p1.json", r#"{"id":"p1","sessionID":"s1","messageID":"m1","type":"text","text":"list it"}"#);
    put(
        "part/m2/p2.json",
        r#"{"id":"p2","sessionID":"s1","messageID":"m2","type":"tool","callID":"c","tool":"bash","state":{"status":"completed","input":{"command":"ls"},"output":"a.txt"}}"#,
    );
    put("part/m2/p3.json", r#"{"id":"p3","sessionID":"s1","messageID":"m2","type":"text","text":"one file"}"#);
    put(
        "message/s2/m3.json",
        r#"{"id":"m3","sessionID":"s2","role":"assistant","parentID":"gone","time":{"created":30}}"#,
    );
    put("part/m3/p4.json", "{\"id\":");
    store
}

#[test]
fn a_store_of_opencode_is_its_sessions() {
    let root = tempfile::tempdir().unwrap();
    let store = store(root.path());
    let (status, stdout, stderr) = obelus(&["formats", text(&store), "--json"]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert!(stdout.contains("\"format\":\"opencode\"") && stdout.contains("\"trajectories\":2"), "{stdout}");
    let (_, stdout, _) = obelus(&["render", text(&store)]);
    let lines: Vec<&str> = stdout.lines().filter(|line| !line.is_empty()).collect();
    assert!(lines[0].contains("user: list it") && stdout.contains("one file"), "{stdout}");
    let (_, stdout, _) = obelus(&["steps", text(&store), "--json"]);
    assert!(stdout.contains("\"kind\":\"tool-call\"") && stdout.contains("\"kind\":\"tool-result\""), "{stdout}");
    let (_, stdout, _) = obelus(&["check", text(&store)]);
    assert_eq!(stdout.matches("run.part-missing").count(), 2, "{stdout}");
    for what in ["session s2", "message gone", "part/m3/p4.json"] {
        assert!(stdout.contains(what), "{what}: {stdout}");
    }
}

#[test]
fn other_folders_stay_folders_of_files() {
    let root = tempfile::tempdir().unwrap();
    let numbers = root.path().join("numbers");
    fs::create_dir_all(&numbers).unwrap();
    file(&numbers, "0.json", "{\"context\":[{\"type\":\"text\",\"role\":\"user\",\"text\":\"hi\"}]}");
    file(&numbers, "1.json", "{\"a\":1}");
    events(root.path(), &[0, 1, 2]);
    store(root.path());
    assert!(!is_input_folder(&numbers) && !is_input_folder(root.path()) && !is_input_folder(&root.path().join("none")));
    let expected = ["numbers/0.json", "numbers/1.json", "s1", "storage"].map(PathBuf::from);
    assert_eq!(files_below(root.path(), is_input_folder, is_log).files, expected);
    let (_, stdout, _) = obelus(&["check", text(root.path())]);
    assert!(stdout.contains("in 4 files"), "{stdout}");
    let mut listing = Listing::new(&[root.path().to_owned()], is_input_folder, is_log);
    let change = listing.look(SystemTime::now()).unwrap();
    let mut names: Vec<&str> = change.changed.iter().map(|file| file.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["numbers/0.json", "numbers/1.json", "s1", "storage"]);
    let run = change.changed.iter().find(|file| file.name == "s1").unwrap();
    assert!(run.len > 300 && !run.is_live, "{run:?}");
    assert_eq!(listing.look(SystemTime::now()), None);
    file(&root.path().join("s1/events"), "3.json", &event(3));
    let change = listing.look(SystemTime::now()).unwrap();
    assert!(change.changed[0].is_live, "{:?}", change.changed);
    assert_eq!(change.changed.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), ["s1"]);
}

/// A run of tau2-bench that has a file for each simulation: two trials of one task and one of another.
fn simulations(root: &Path) -> PathBuf {
    let folder = root.join("run");
    fs::create_dir_all(folder.join("simulations")).unwrap();
    let index = ["a", "b", "c"].map(|id| format!("{{\"id\":\"{id}\",\"task_id\":\"7\"}}")).join(",");
    file(&folder, "results.json", &format!("{{\"info\":{{}},\"tasks\":[],\n\"simulation_index\":[{index}]}}"));
    for (id, task, reward) in [("b", "7", 1), ("a", "7", 0), ("c", "8", 1)] {
        let simulation = format!(
            "{{\"id\":\"{id}\",\"task_id\":\"{task}\",\n\"reward_info\":{{\"reward\":{reward}}},\"messages\":[\
             {{\"role\":\"user\",\"content\":\"cancel it\"}},{{\"role\":\"assistant\",\"content\":\"Done.\"}}]}}"
        );
        file(&folder.join("simulations"), &format!("{id}.json"), &simulation);
    }
    folder
}

#[test]
fn simulations_in_files_of_their_own_are_one_dataset() {
    let root = tempfile::tempdir().unwrap();
    let folder = simulations(root.path());
    for path in [folder.clone(), folder.join("results.json")] {
        let (status, stdout, stderr) = obelus(&["table", text(&path), "--json"]);
        assert_eq!((status, stderr.as_str(), stdout.lines().count()), (0, "", 3), "{stdout}");
        assert!(stdout.lines().next().unwrap().contains("\"id\":\"a\""), "{stdout}");
        let (_, stdout, _) = obelus(&["stats", text(&path), "--tasks", "--json"]);
        assert!(stdout.contains("\"attempts\":2,\"rewarded\":2,\"successes\":1"), "{stdout}");
    }
    let (status, stdout, _) = obelus_in(&folder, &["table", "results.json", "--json"]);
    assert_eq!((status, stdout.lines().count()), (0, 3));
    fs::remove_file(folder.join("simulations/c.json")).unwrap();
    let (status, stdout, stderr) = obelus(&["table", text(&folder), "--json"]);
    assert_eq!((status, stdout.lines().count()), (2, 2), "{stderr}");
    assert!(stderr.contains("1 of 3 simulations have no file in simulations: c"), "{stderr}");
}
