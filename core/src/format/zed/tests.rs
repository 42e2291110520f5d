//! Tests of threads of Zed.

use super::*;
use crate::format::Format;
use crate::format::log::testing::{read_steps, run_of_set, spoiled, state, steps};
use crate::format::rows::memory::{Memory, text as cell};
use crate::json::parse;
use crate::model::ContainerValue;
use proptest::prelude::*;

fn run(text: &str) -> (Box<dyn crate::format::Run>, Vec<u8>) {
    run_of_set(&ZED, text)
}

#[test]
fn a_thread_has_its_parts_as_steps_and_its_tokens() {
    let parsed = run(THREAD);
    assert_eq!(
        steps(&parsed),
        [
            "message user: list it, see · the plan",
            "thought agent: ls will do",
            "message agent: I look.",
            "tool-call agent: terminal ls cd=w",
            "tool-result environment: a.txt (of 3)",
            "state system: Resume",
            "message agent: One file."
        ]
    );
    assert_eq!(parsed.0.title().as_deref(), Some("List it"));
    let total = parsed.0.work().map(|work| work.total_usage()).unwrap_or_default();
    assert_eq!((total.input, total.output, total.cache_read), (Some(20), Some(7), Some(5)));
    assert!(state(&parsed, "run", 6).contains(r#""model":"m""#) && state(&parsed, "usage", 6).contains(r#""turns":2"#));
    assert!(state(&parsed, "thread", 0).contains(r#""thinking_enabled":true"#));
}

#[test]
fn threads_of_earlier_versions_are_read() {
    let parsed = run(EARLIER_THREAD);
    let expected = [
        "message user: say hi",
        "thought agent: one line",
        "message agent: I write.",
        "tool-call agent: create_file ",
        "tool-result environment: no such folder (of 3)",
    ];
    let found = steps(&parsed);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    assert!(found.iter().zip(expected).all(|(found, expected)| found.starts_with(expected)), "{found:#?}");
    assert_eq!(parsed.0.error_steps(), [4]);
    let oldest =
        r#"{"summary":"s","updated_at":"2025","messages":[{"id":0,"role":"user","text":"hi","tool_uses":[]}]}"#;
    assert_eq!(steps(&run(oldest)), ["message user: hi"]);
    assert!(ZED.detect(&[parse(oldest).unwrap()]).is_some());
}

#[test]
fn what_came_back_may_be_a_text_a_list_or_a_picture() {
    let result = |content: &str| {
        let parsed = run(&THREAD.replace(r#"[{"Text":"a.txt"}]"#, content));
        steps(&parsed)[4].clone()
    };
    assert_eq!(result(r#""a""#), "tool-result environment: a (of 3)");
    assert_eq!(result(r#"{"Text":"a"}"#), "tool-result environment: a (of 3)");
    assert_eq!(result(r#"{"type":"text","text":"a"}"#), "tool-result environment: a (of 3)");
    assert_eq!(result(r#"[{"Image":{"source":"AAAA"}}]"#), "tool-result environment: [image of 4 bytes] (of 3)");
}

#[test]
fn the_database_gives_a_line_for_each_thread_packed_or_not() {
    let columns = ["id", "summary", "updated_at", "data_type", "data", "parent_id", "folder_paths"];
    let row = |id: &str, updated: &str, kind: &str, data: ContainerValue| {
        vec![cell(id), cell("s"), cell(updated), cell(kind), data, ContainerValue::Null, cell("/w")]
    };
    // The tables in memory unpack from back to front.
    let packed: Vec<u8> = THREAD.replacen(r#""id":"t1","#, "", 1).bytes().rev().collect();
    let plain = ContainerValue::Blob(EARLIER_THREAD.as_bytes().to_vec());
    let rows = vec![
        row("b", "2026-05-02", "zstd", ContainerValue::Blob(packed)),
        row("a", "2026-05-01", "json", plain),
        row("c", "2026-05-03", "json", cell("{}")),
    ];
    let text = Memory::new(vec![("threads", &columns, rows)]).assembled(&Database);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines[0].starts_with(r#"{"id":"a","folder_paths":"/w","version":"0.2.0""#), "{text}");
    assert!(lines[1].starts_with(r#"{"id":"b","folder_paths":"/w","title":"List it""#), "{text}");
    assert_eq!(lines[2], r#"{"id":"c","folder_paths":"/w"}"#);
    assert!(ZED.detect(&[parse(lines[1]).unwrap()]).is_some());
    assert!(state(&run(lines[1]), "shell", 0).contains(r#""cwd":"/w""#));
}

#[test]
fn a_thread_that_cannot_be_unpacked_hides_no_other() {
    use crate::format::Assembler as _;
    let columns = ["id", "summary", "updated_at", "data_type", "data"];
    let row = |id: &str, data: &str| vec![cell(id), cell("s"), cell(id), cell("json"), cell(data)];
    let mut memory = Memory::new(vec![("threads", &columns, vec![row("a", "[1"), row("b", "{\"title\":\"t\"}")])]);
    let mut out = Vec::new();
    let ended = Database.assemble(crate::model::Contents::Tables(&mut memory), &mut |piece| {
        out.extend_from_slice(piece);
        Ok(())
    });
    assert_eq!(String::from_utf8(out).unwrap(), "{\"id\":\"b\",\"title\":\"t\"}\n");
    assert!(ended.is_err_and(|problem| problem.to_string().contains("row 1")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn damaged_threads_are_read(text in spoiled(THREAD), earlier in spoiled(EARLIER_THREAD)) {
        read_steps(run(&text).0.as_ref(), &text);
        read_steps(run(&earlier).0.as_ref(), &earlier);
    }
}
