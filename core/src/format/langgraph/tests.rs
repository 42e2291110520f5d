//! Threads of checkpoints, from tables and pickles in memory.

use super::*;
use crate::format::assembler::Assembler;
use crate::format::log::testing::{adapted, read_steps, spoiled};
use crate::format::rows::memory::{Memory, text};
use crate::format::{Format, Run};
use crate::json::parse;
use crate::model::{Archive, ContainerValue, Contents, Problem, Sink, StepNo};
use proptest::prelude::*;

fn run_of(text: &str) -> LogRun {
    adapted(checkpoints::Checkpoints, text)
}

/// What is at a path at a step, and who wrote it.
fn value(run: &dyn Run, text: &str, path: &str, step: StepNo) -> Option<(String, StepNo, Option<String>)> {
    let bytes = text.as_bytes().to_vec();
    let (id, below) = run.locate(path, step).unwrap().into_iter().next()?;
    let node = run.tree().node(id, &below)?;
    let leaf = run.tree().leaves(node, step).into_iter().next()?;
    Some((run.tree().text(node, step, &bytes)?, leaf.step, run.attribution(id, leaf.step, &bytes).who))
}

#[test]
fn a_channel_is_blamed_on_the_node_that_wrote_it() {
    let (run, bytes) = (run_of(THREAD), THREAD.as_bytes().to_vec());
    assert_eq!((run.step_count(), run.title().as_deref()), (2, Some("t1")));
    let step = run.step(1, &bytes);
    assert_eq!((step.kind.as_str(), step.class.as_deref()), ("state", Some("ask")));
    assert_eq!(step.time.as_deref(), Some("2026-05-01T10:00:01Z"));
    assert_eq!(step.summary, "step 0: budget = 2");
    assert_eq!(value(&run, THREAD, "/state/main/budget", 0), Some(("1".to_owned(), 0, Some("user".to_owned()))));
    assert_eq!(value(&run, THREAD, "/state/main/budget", 1), Some(("2".to_owned(), 1, Some("ask".to_owned()))));
    assert_eq!(value(&run, THREAD, "/state/main/__start__", 1), None);
    assert!(run.findings().is_empty());
}

fn thread(checkpoints: &[String]) -> String {
    format!(r#"{{"langgraph":{{"thread_id":"t","checkpoint_ns":""}},"checkpoints":[{}]}}"#, checkpoints.join(","))
}

fn checkpoint(id: &str, parent: &str, values: &str, versions: &str, writes: &str) -> String {
    format!(
        r#"{{"checkpoint_id":"{id}","parent_checkpoint_id":{parent},"metadata":{{"source":"loop"}},"checkpoint":{{"channel_values":{values},"channel_versions":{versions}}},"writes":[{writes}]}}"#
    )
}

#[test]
fn a_fork_has_the_state_of_its_own_parents() {
    let text = thread(&[
        checkpoint("1", "null", r#"{"a":1,"b":1}"#, r#"{"a":1,"b":1}"#, ""),
        checkpoint("2", "\"1\"", r#"{"a":2}"#, r#"{"a":2,"b":2}"#, ""),
        checkpoint("3", "\"1\"", r#"{"a":1,"b":5}"#, r#"{"a":1,"b":2}"#, ""),
        checkpoint("4", "\"9\"", r#"{"a":1,"b":5}"#, r#"{"a":1,"b":2}"#, ""),
    ]);
    let run = run_of(&text);
    let at = |path: &str, step| value(&run, &text, path, step).map(|(text, ..)| text);
    assert_eq!((at("/state/main/a", 1), at("/state/main/b", 1)), (Some("2".to_owned()), None));
    assert_eq!((at("/state/main/a", 2), at("/state/main/b", 2)), (Some("1".to_owned()), Some("5".to_owned())));
    let findings = run.findings();
    assert_eq!((findings.len(), findings[0].rule, findings[0].step), (1, "run.part-missing", Some(3)));
}

#[test]
fn a_branch_has_the_deltas_and_the_interrupts_of_its_parents() {
    let write = |idx: i8, channel: &str, value: &str| {
        format!(r#"{{"task_id":"x","idx":{idx},"channel":"{channel}","value":{value}}}"#)
    };
    let asks = [write(0, "log", "\"c\""), write(-3, "__interrupt__", "{\"ask\":1}")].join(",");
    let text = thread(&[
        checkpoint(
            "1",
            "null",
            r#"{"log":{"$delta_snapshot":["a"]},"n":1}"#,
            r#"{"log":1,"n":1}"#,
            &write(0, "log", "\"b\""),
        ),
        checkpoint("2", "\"1\"", r#"{"n":2}"#, r#"{"log":2,"n":2}"#, &asks),
        checkpoint("3", "\"2\"", r#"{"n":3}"#, r#"{"log":3,"n":3}"#, ""),
        checkpoint("4", "\"1\"", r#"{"n":1}"#, r#"{"log":1,"n":1}"#, ""),
    ]);
    let run = run_of(&text);
    let at = |path: &str, step| value(&run, &text, path, step).map(|(text, author, _)| (text, author));
    assert_eq!(at("/state/main/log", 2).map(|(text, _)| text).as_deref(), Some(r#"["a","b","c"]"#));
    assert!(at("/interrupt/x/value", 2).is_some());
    assert_eq!(at("/state/main/log", 3), Some((r#"["a"]"#.to_owned(), 0)));
    assert_eq!(at("/state/main/n", 3), Some(("1".to_owned(), 0)), "its version did not rise");
    assert_eq!(at("/interrupt/x/value", 3), None);
}

#[test]
fn deltas_come_to_what_was_stored_and_interrupts_are_state() {
    let write = |idx: i8, channel: &str, value: &str| {
        format!(r#"{{"task_id":"x","idx":{idx},"channel":"{channel}","value":{value}}}"#)
    };
    let writes = [write(0, "log", "\"b\""), write(0, "branch:to:x", "null"), write(-3, "__interrupt__", "{\"ask\":1}")];
    let text = thread(&[
        checkpoint("1", "null", r#"{"log":{"$delta_snapshot":["a"]}}"#, r#"{"log":1}"#, &writes.join(",")),
        checkpoint("2", "\"1\"", "{}", r#"{"log":2,"branch:to:x":2}"#, ""),
    ]);
    let run = run_of(&text);
    let at = |path: &str, step| value(&run, &text, path, step).map(|(text, ..)| text);
    assert_eq!(at("/state/main/log", 0).as_deref(), Some(r#"["a"]"#));
    assert_eq!(at("/state/main/log", 1).as_deref(), Some(r#"["a","b"]"#));
    assert_eq!(at("/interrupt/x/value", 1).as_deref(), Some(r#"{"ask":1}"#));
    assert_eq!(at("/state/main/branch:to:x", 1), None);
}

#[test]
fn what_a_channel_of_deltas_stored_holds_while_no_step_writes_it() {
    let write = r#"{"task_id":"x","idx":0,"channel":"log","value":"c"}"#;
    let text = thread(&[
        checkpoint("1", "null", r#"{"log":{"$delta_snapshot":["a"]},"x":1}"#, r#"{"log":1,"x":1}"#, ""),
        checkpoint("2", "\"1\"", r#"{"x":2}"#, r#"{"log":1,"x":2}"#, write),
        checkpoint("3", "\"2\"", r#"{"x":2}"#, r#"{"log":2,"x":2}"#, ""),
    ]);
    let run = run_of(&text);
    let at = |step| value(&run, &text, "/state/main/log", step).map(|(text, ..)| text);
    assert_eq!(at(1).as_deref(), Some(r#"["a"]"#));
    assert_eq!(at(2).as_deref(), Some(r#"["a","c"]"#));
}

fn lines(memory: &mut Memory) -> Vec<String> {
    memory.assembled(&Database).lines().map(str::to_owned).collect()
}

#[test]
fn a_database_is_a_line_for_each_thread_in_the_order_of_parents() {
    let checkpoint = |thread: &str, id: &str, parent: ContainerValue| {
        let blob = ContainerValue::Blob(b"\x81\xa1v\x01".to_vec());
        vec![text(thread), text(""), text(id), parent, text("msgpack"), blob, text("{\"step\": 1}")]
    };
    let write = |id: &str, idx: i64, value: &[u8]| {
        let cells =
            [text("t"), text(""), text(id), text("task"), ContainerValue::Integer(idx), text("c"), text("msgpack")];
        [&cells[..], &[ContainerValue::Blob(value.to_vec())]].concat()
    };
    let rows = vec![
        checkpoint("t", "3", text("1")),
        checkpoint("t", "2", text("1")),
        checkpoint("u", "7", text("7")),
        checkpoint("t", "1", ContainerValue::Null),
        checkpoint("t", "4", text("2")),
    ];
    let writes = vec![write("1", -3, b"\xc0"), write("1", 0, b"\xa1x"), write("1", 1, b"\xc1")];
    let columns: &[&str] =
        &["thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx", "channel", "type", "value"];
    let mut memory =
        Memory::new(vec![("checkpoints", &super::database::CHECKPOINT, rows), ("writes", columns, writes)]);
    let lines = lines(&mut memory);
    let threads: Vec<_> = lines.iter().map(|line| parse(line).unwrap()).collect();
    let ids = |thread: &Value<'_>| {
        let all = thread.get("checkpoints").unwrap().as_array().unwrap();
        all.iter().map(|c| c.get("checkpoint_id").unwrap().as_str().unwrap().to_owned()).collect::<String>()
    };
    assert_eq!(threads.iter().map(ids).collect::<Vec<_>>(), ["1243", "7"]);
    let first = &threads[0].get("checkpoints").unwrap().as_array().unwrap()[0];
    assert_eq!(first.get("checkpoint").unwrap().text, "{\"v\":1}");
    assert_eq!(first.get("metadata").unwrap().text, "{\"step\": 1}");
    let values: Vec<_> =
        first.get("writes").unwrap().as_array().unwrap().iter().map(|w| w.get("value").unwrap().text).collect();
    assert_eq!(values, ["\"x\"", "{\"$bytes\":\"wQ==\"}", "null"]);
    assert!(LANGGRAPH.detect(&threads).is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn damaged_threads_are_read(text in spoiled(THREAD)) {
        read_steps(&run_of(&text), &text);
    }
}

/// The lines of a pickle of protocol 2.
fn stored(pickle: &[u8]) -> Vec<String> {
    let mut out = Vec::new();
    assert!(Store.claims(&mut Contents::Pickle(pickle)));
    let sink = &mut |piece: &[u8]| {
        out.extend_from_slice(piece);
        Ok(())
    };
    Store.assemble(Contents::Pickle(pickle), sink).unwrap();
    String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn the_files_of_the_server_are_lines_of_threads() {
    // {"t": {"": {"1": (("msgpack", b"\x05"), ("json", b"{}"), None)}}}
    let blob = |kind: &str, bytes: &str| {
        format!("\u{8c}{}{kind}C{}{bytes}\u{86}", char::from(kind.len() as u8), char::from(bytes.len() as u8))
    };
    let pickle = |body: String| body.chars().map(|c| u32::from(c) as u8).collect::<Vec<u8>>();
    let checkpoints = format!(
        "\u{80}\u{4}}}\u{8c}\u{1}t}}\u{8c}\0}}\u{8c}\u{1}1{}{}N\u{87}sss.",
        blob("msgpack", "\u{5}"),
        blob("json", "{}")
    );
    assert_eq!(
        stored(&pickle(checkpoints)),
        [
            r#"{"langgraph":{"thread_id":"t","checkpoint_ns":""},"checkpoints":[{"checkpoint_id":"1","parent_checkpoint_id":null,"metadata":{},"checkpoint":5,"writes":[]}]}"#
        ]
    );
    // {("t", "", "c", "2"): ("msgpack", b"\x05")}
    let values = format!("\u{80}\u{4}}}(\u{8c}\u{1}t\u{8c}\0\u{8c}\u{1}c\u{8c}\u{1}2t{}s.", blob("msgpack", "\u{5}"));
    assert_eq!(
        stored(&pickle(values)),
        [
            r#"{"langgraph":{"thread_id":"t","checkpoint_ns":""},"values":[{"channel":"c","version":"2","value":5}],"checkpoints":[]}"#
        ]
    );
    // {("t", "", "1"): {("x", 0): ("x", "c", ("msgpack", b"\x05"))}}
    let write = format!("\u{8c}\u{1}xK\0\u{86}\u{8c}\u{1}x\u{8c}\u{1}c{}\u{87}", blob("msgpack", "\u{5}"));
    let writes = format!("\u{80}\u{4}}}\u{8c}\u{1}t\u{8c}\0\u{8c}\u{1}1\u{87}}}{write}ss.");
    assert_eq!(
        stored(&pickle(writes)),
        [
            r#"{"langgraph":{"thread_id":"t","checkpoint_ns":""},"checkpoints":[{"checkpoint_id":"1","writes":[{"task_id":"x","task_path":null,"idx":0,"channel":"c","value":5}]}]}"#
        ]
    );
    assert!(!Store.claims(&mut Contents::Pickle(b"\x80\x04K\x01.")));
}

/// Files of a folder in memory.
struct Files(Vec<String>, Vec<Vec<u8>>);

impl Archive for Files {
    fn names(&self) -> &[String] {
        &self.0
    }

    fn read(&mut self, number: usize, take: &mut Sink<'_>) -> Result<(), Problem> {
        take(&self.1[number])
    }
}

#[test]
fn the_folder_of_the_server_joins_checkpoints_writes_and_values() {
    let blob = |kind: &str, bytes: &str| {
        format!("\u{8c}{}{kind}C{}{bytes}\u{86}", char::from(kind.len() as u8), char::from(bytes.len() as u8))
    };
    let pickle = |body: String| body.chars().map(|c| u32::from(c) as u8).collect::<Vec<u8>>();
    let checkpoint = r#"{"channel_values":{"a":1},"channel_versions":{"a":"1","c":"2","gone":"2"}}"#;
    let checkpoints = format!(
        "\u{80}\u{4}}}\u{8c}\u{1}t}}\u{8c}\0}}\u{8c}\u{1}1{}{}N\u{87}sss.",
        blob("json", checkpoint),
        blob("json", "{}")
    );
    let values = format!("\u{80}\u{4}}}(\u{8c}\u{1}t\u{8c}\0\u{8c}\u{1}c\u{8c}\u{1}2t{}s.", blob("msgpack", "\u{5}"));
    let write = format!("\u{8c}\u{1}xK\0\u{86}\u{8c}\u{1}x\u{8c}\u{1}c{}\u{87}", blob("msgpack", "\u{6}"));
    let writes = format!("\u{80}\u{4}}}\u{8c}\u{1}t\u{8c}\0\u{8c}\u{1}1\u{87}}}{write}ss.");
    let name = |n: usize| format!(".langgraph_checkpoint.{n}.pckl");
    let broken = (name(4), b"\x80\x04".to_vec());
    let all = [(name(1), pickle(checkpoints)), (name(2), pickle(writes)), (name(3), pickle(values)), broken];
    let (names, contents): (Vec<String>, Vec<Vec<u8>>) = all.into_iter().unzip();
    let (mut files, mut out) = (Files(names, contents), Vec::new());
    assert!(Folder.claims(&mut Contents::Folder(&mut files)));
    let sink = &mut |piece: &[u8]| {
        out.extend_from_slice(piece);
        Ok(())
    };
    let read = Folder.assemble(Contents::Folder(&mut files), sink);
    assert!(read.is_err(), "the broken one is told");
    let lines = String::from_utf8(out).unwrap();
    assert_eq!(lines.lines().count(), 1);
    let line = parse(lines.trim()).unwrap();
    let stored = &line.get("checkpoints").unwrap().as_array().unwrap()[0];
    assert_eq!(stored.get("checkpoint").unwrap().get("channel_values").unwrap().text, r#"{"a":1,"c":5}"#);
    assert_eq!(stored.get("writes").unwrap().as_array().unwrap()[0].get("value").unwrap().text, "6");
    let mut others = Files(vec!["1.json".to_owned()], vec![b"{}".to_vec()]);
    assert!(!Folder.claims(&mut Contents::Folder(&mut others)));
}

#[test]
fn nodes_that_the_metadata_names_are_found_in_a_pickled_dict() {
    let of = |writes: &str| {
        let text = thread(&[format!(
            r#"{{"checkpoint_id":"1","metadata":{{"source":"loop","writes":{writes}}},"checkpoint":{{}},"writes":[]}}"#
        )]);
        run_of(&text).step(0, &text.as_bytes().to_vec()).class
    };
    assert_eq!(of(r#"{"ask":{"a":1}}"#).as_deref(), Some("ask"));
    assert_eq!(of(r#"{"$class":"x.AddableUpdatesDict","args":[],"state":{"ask":{"a":1}}}"#).as_deref(), Some("ask"));
    assert_eq!(of(r#"{"$class":"x.AddableUpdatesDict","args":[]}"#).as_deref(), Some("loop"));
}

#[test]
fn an_update_of_the_user_takes_in_no_output_that_waits_for_the_next_step() {
    let wrote = |channel: &str, node: &str| {
        format!(r#"{{"channel":"{channel}","task_path":"~__pregel_pull, {node}","idx":0,"value":2}}"#)
    };
    let first = checkpoint("1", "null", r#"{"a":1,"b":1}"#, r#"{"a":1,"b":1}"#, &wrote("a", "ask"));
    let next = checkpoint("2", "\"1\"", r#"{"a":2,"b":1}"#, r#"{"a":2,"b":1}"#, "");
    let update = checkpoint("3", "\"1\"", r#"{"a":1,"b":5}"#, r#"{"a":1,"b":2}"#, "")
        .replace(r#"{"source":"loop"}"#, r#"{"source":"update"}"#);
    let text = thread(&[first, next, update]);
    let (run, bytes) = (run_of(&text), text.as_bytes().to_vec());
    let class = |step: StepNo| run.step(step, &bytes).class;
    assert_eq!([class(1), class(2)], [Some("ask".to_owned()), Some("update".to_owned())]);
}

#[test]
fn an_update_takes_in_what_nodes_have_seen_and_not_what_another_child_took() {
    let wrote = r#"{"channel":"a","task_path":"~__pregel_pull, ask","idx":0,"value":2}"#;
    let update = |id: &str, seen: &str| {
        checkpoint(id, "\"1\"", r#"{"a":9}"#, &format!(r#"{{"a":2}},"versions_seen":{seen}"#), "")
            .replace(r#"{"source":"loop"}"#, r#"{"source":"update"}"#)
    };
    let text = thread(&[
        checkpoint("1", "null", r#"{"a":1}"#, r#"{"a":1},"versions_seen":{}"#, wrote),
        checkpoint("2", "\"1\"", r#"{"a":2}"#, r#"{"a":2},"versions_seen":{"ask":{"a":1}}"#, ""),
        update("3", "{}"),
        update("4", r#"{"ask":{"a":1}}"#),
    ]);
    let (run, bytes) = (run_of(&text), text.as_bytes().to_vec());
    let classes: Vec<_> = (1..4).map(|step| run.step(step, &bytes).class.unwrap()).collect();
    assert_eq!(classes, ["ask", "update", "ask"], "both updates write the channel that the node wrote");
}

#[test]
fn a_node_that_was_sent_something_is_found_by_what_was_sent() {
    let send = |node: &str| format!(r#"{{"$class":"langgraph.types.Send","args":["{node}",{{"n":0}}]}}"#);
    let wrote = |path: &str, idx: u8, channel: &str, value: &str| {
        format!(r#"{{"channel":"{channel}","task_path":"{path}","idx":{idx},"value":{value}}}"#)
    };
    let classes = |tasks: &str, writes: &[String]| {
        let text = thread(&[
            checkpoint("1", "null", &format!(r#"{{"__pregel_tasks":[{tasks}]}}"#), "{}", &writes.join(",")),
            checkpoint("2", "\"1\"", "{}", "{}", ""),
        ]);
        run_of(&text).step(1, &text.as_bytes().to_vec()).class.unwrap()
    };
    let sent = [send("one"), send("two")].join(",");
    let by_number = |n: u8| wrote(&format!("~__pregel_push, 000000000{n}, 0000000000"), 0, "a", "1");
    assert_eq!(classes(&sent, &[by_number(1), by_number(0)]), "one, two");
    assert_eq!(classes("", &[by_number(0)]), "loop", "what was sent is missing");
    let sender = wrote("~__pregel_pull, ask", 3, "__pregel_push", &send("three"));
    let at_once = wrote("~__pregel_push, ~__pregel_pull, ask, 0000000003, x, 0", 0, "a", "1");
    assert_eq!(classes("", &[sender, at_once]), "ask, three");
}
