//! Files that are containers, through the real program: what they hold is read as text, and nothing is written beside
//! them.

use super::command::obelus_in;
use flate2::write::GzEncoder;
use flate2::{Compression, Crc};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;

/// A zip archive of stored members.
pub(crate) fn archive(members: &[(&str, &str)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, text) in members {
        let mut crc = Crc::new();
        crc.update(text.as_bytes());
        let (offset, len) = ((out.len() as u32).to_le_bytes(), (text.len() as u32).to_le_bytes());
        let common = [&[0; 6][..], &crc.sum().to_le_bytes(), &len, &len, &(name.len() as u16).to_le_bytes()].concat();
        out.extend([b"PK\x03\x04\x14\0\0\0", &common[..], &[0; 2], name.as_bytes(), text.as_bytes()].concat());
        directory.extend([b"PK\x01\x02\x14\0\x14\0\0\0", &common[..], &[0; 12], &offset, name.as_bytes()].concat());
    }
    let sizes = [(directory.len() as u32).to_le_bytes(), (out.len() as u32).to_le_bytes()].concat();
    let count = (members.len() as u16).to_le_bytes();
    out.extend([&directory[..], b"PK\x05\x06\0\0\0\0", &count, &count, &sizes, &[0; 2]].concat());
    out
}

fn values(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) const HEADER: &str = r#"{"version":2,"status":"success","eval":{"task":"sums","model":"m"}}"#;
const SAMPLE: &str = r#"{
  "id": 1, "epoch": 1, "target": "3", "messages": [
    {"role": "user", "content": "add 1 and 2"},
    {"id": "b", "role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": "add", "arguments": {}}]},
    {"role": "tool", "tool_call_id": "c", "content": "3"}],
  "store": {"sum": 3}, "scores": {"match": {"value": NaN}},
  "events": [{"event": "tool", "id": "c"}, {"event": "store", "changes": [{"op": "add", "path": "/sum", "value": 3}]}]
}"#;

fn write_log(folder: &Path) {
    let members = [
        ("_journal/start.json", HEADER),
        ("samples/1_epoch_1.json", SAMPLE),
        ("samples/2_epoch_1.json", "{\"id\": 2, \"messages\": []"),
        ("samples/../../evil_epoch_1.json", "{\"id\": \"../../evil\", \"messages\": []}"),
        ("header.json", HEADER),
    ];
    fs::write(folder.join("log.eval"), archive(&members)).unwrap();
}

#[test]
fn an_archive_is_read_as_the_log_that_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    write_log(folder.path());
    let run = |words: &[&str]| obelus_in(folder.path(), words);
    // A damaged member is reported, and the others are read all the same.
    let (status, formats, stderr) = run(&["formats", "log.eval", "--json"]);
    let report = &values(&formats)[0];
    assert_eq!(
        (status, report["format"].as_str(), report["trajectories"].as_u64()),
        (2, Some("inspect"), Some(3)),
        "{stderr}"
    );
    let (_, steps, _) = run(&["steps", "log.eval", "--json"]);
    let kinds: Vec<String> = values(&steps).iter().map(|step| step["kind"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["message", "tool-call", "tool-result"]);
    let (_, blame, _) = run(&["blame", "log.eval", "/store/main/sum", "--json"]);
    assert!(blame.contains("\"step\":2") && blame.contains('3'), "{blame}");
    let (_, found, _) = run(&["check", "log.eval", "--json"]);
    assert!(found.contains("run.part-missing") && found.contains("samples/2_epoch_1.json"), "{found}");
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["log.eval"], "nothing is written beside it");
}

#[test]
fn containers_that_no_format_knows_are_refused_by_their_name() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("other.zip"), archive(&[("a.txt", "x")])).unwrap();
    fs::write(folder.path().join("cut.eval"), &archive(&[("header.json", HEADER)])[..60]).unwrap();
    fs::write(folder.path().join("data.pkl"), b"\x80\x04K\x01.").unwrap();
    fs::write(folder.path().join("cut.db"), b"SQLite format 3\0\x10\0").unwrap();
    for (file, why) in [
        ("other.zip", "a zip archive"),
        ("cut.eval", "its end is missing"),
        ("data.pkl", "a Python pickle"),
        ("cut.db", "SQLite database"),
    ] {
        let (status, stdout, stderr) = obelus_in(folder.path(), &["steps", file]);
        assert!((status, stdout.as_str()) == (2, "") && stderr.contains(why), "{file}: {status} {stderr}");
    }
}

#[test]
fn a_packed_container_is_what_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/containers");
    for name in ["langgraph.db", "adk.db", "inspect.eval"] {
        let (plain, packed) = (folder.path().join(name), folder.path().join(format!("{name}.gz")));
        fs::copy(corpus.join(name), &plain).unwrap();
        let mut encoder = GzEncoder::new(fs::File::create(&packed).unwrap(), Compression::fast());
        encoder.write_all(&fs::read(&plain).unwrap()).unwrap();
        encoder.finish().unwrap();
        let answer = |path: &Path| obelus_in(folder.path(), &["steps", "--json", path.to_str().unwrap()]);
        let (status, steps, errors) = answer(&packed);
        assert!(status == 0 && !steps.is_empty(), "{name}: {errors}");
        assert_eq!(steps, answer(&plain).1, "{name}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6, "nothing is written beside them");
}
