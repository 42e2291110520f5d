//! Records of any shape as a Parquet file, read back by this program. duckdb and pyarrow read the same.
#![cfg(feature = "parquet")]

use super::command::{file, obelus};
use serde_json::Value;

const RECORDS: &str = r#"{"id":"a","n":1,"f":1.5,"ok":true,"messages":[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}},{"id":"2","function":{"name":"g","arguments":"{\"a\":[1]}"}}]}],"tags":[],"nested":[[1,2],[],[3]],"mix":"x"}
{"id":"b","f":2.0,"messages":[],"tags":["x",null,"é"],"mix":{"k":[1]},"extra":{"deep":{"z":1}}}
{"id":"c","n":9007199254740993,"f":-1e300,"ok":false,"messages":[{"role":"tool","content":"r","tool_call_id":"1"}],"mix":5}
"#;

/// A value without its nulls and with lists that are null as empty ones: Parquet does not distinguish them.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().filter(|(_, member)| !member.is_null());
            members.map(|(name, member)| (name.clone(), without_nulls(member))).collect()
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

fn records(text: &str) -> Vec<Value> {
    text.lines().map(|line| without_nulls(&serde_json::from_str(line).unwrap())).collect()
}

#[test]
fn what_is_written_as_parquet_is_what_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "rows.jsonl", RECORDS);
    let out = folder.path().join("rows.parquet");
    let out = out.to_str().unwrap();
    let (status, _, stderr) = obelus(&["export", &path, "--out", out]);
    assert_eq!(status, 0, "{stderr}");
    assert!(stderr.contains("JSON in texts: mix"), "{stderr}");
    assert_eq!(&std::fs::read(out).unwrap()[..4], b"PAR1");
    let (_, read, _) = obelus(&["query", out, "."]);
    let mut expected = records(RECORDS);
    expected[1]["mix"] = Value::from(r#"{"k":[1]}"#);
    expected[2]["mix"] = Value::from("5");
    assert_eq!(records(&read), expected);
}

#[test]
fn splits_are_parquet_too_and_what_is_no_object_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..20).map(|n| format!("{{\"id\":\"t{n}\",\"messages\":[]}}\n")).collect();
    let path = file(folder.path(), "rows.jsonl", &text);
    let out = folder.path().join("rows.parquet");
    let (status, _, stderr) = obelus(&["export", &path, "--split", "50/50", "--out", out.to_str().unwrap()]);
    assert_eq!(status, 0, "{stderr}");
    let count = |part: &str| {
        let (_, read, _) = obelus(&["query", folder.path().join(part).to_str().unwrap(), ".id"]);
        read.lines().count()
    };
    assert_eq!(count("rows.train.parquet") + count("rows.test.parquet"), 20);
    let bare = file(folder.path(), "bare.jsonl", "[{\"role\":\"user\",\"content\":\"q\"}]\n");
    let other = folder.path().join("bare.parquet");
    let (status, _, stderr) = obelus(&["export", &bare, "--out", other.to_str().unwrap()]);
    assert!(status == 2 && stderr.contains("a row of Parquet is an object"), "{status} {stderr}");
    assert!(!other.exists());
}
