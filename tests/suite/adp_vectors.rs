//! The vectors of the Agent Data Protocol and the totals of its corpus, where they are beside the project.
use obelus::format::{Run, by_name};
use obelus::model::{Bytes, Place, Record, RecordBody, Span, StepNo};
use obelus::rules::adp::Survey;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

#[test]
fn vectors_hold() {
    let Some(root) = shared("conformance/adp") else { return };
    let mut count = 0;
    let mut failed = Vec::new();
    for path in files(&root) {
        let vector: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        count += 1;
        if let Err(why) = check_vector(&vector) {
            failed.push(format!("{}: {why}", vector["name"]));
        }
    }
    println!("{count} vectors, {} failed", failed.len());
    assert!(count > 0 && failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn corpus_has_the_expected_totals() {
    let Some(totals) = shared("conformance/ADP-CORPUS.json") else { return };
    let Some(data) = shared("data/adp") else { return };
    let totals: Map<String, Value> = serde_json::from_slice(&std::fs::read(totals).unwrap()).unwrap();
    let mut failed = Vec::new();
    for (name, expect) in &totals {
        let bytes = std::fs::read(data.join(name)).unwrap();
        let dataset = survey(&bytes).1;
        let mut faults = subset(expect, &dataset, "");
        if expect["rules"] != dataset["rules"] {
            faults.push(format!("/rules: expected {}, is {}", expect["rules"], dataset["rules"]));
        }
        failed.extend(faults.into_iter().map(|fault| format!("{name}{fault}")));
    }
    println!("{} files, {} differences", totals.len(), failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A file beside the project; where it is absent the test says so and passes.
fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(name);
    if !path.exists() {
        println!("skipped: {} is not here", path.display());
        return None;
    }
    Some(path)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths
}

fn check_vector(vector: &Value) -> Result<(), String> {
    let bytes = input(vector);
    let query = &vector["query"];
    let record = query["record"].as_u64().unwrap_or(0) as usize;
    let expect = &vector["expect"];
    let faults = match query["kind"].as_str().unwrap() {
        "check" => same_findings(expect["findings"].as_array().unwrap(), &survey(&bytes).0),
        "stats" => {
            let (_, dataset, trajectories) = survey(&bytes);
            let mut faults = subset(&expect["trajectories"], &Value::Array(trajectories), "/trajectories");
            faults.extend(subset(&expect["dataset"], &dataset, "/dataset"));
            faults
        }
        "steps" => subset(&expect["steps"], &steps(&bytes, record), "/steps"),
        "state" => {
            let run = run(&bytes, record);
            let step = query["step"].as_i64().unwrap() as StepNo;
            let state = run.state(step, &bytes);
            let fields: Map<String, Value> =
                state.iter().map(|(k, v)| ((*k).to_owned(), serde_json::from_str(v.get()).unwrap())).collect();
            let actual = Value::Object(fields);
            let mut faults = subset(expect, &actual, "");
            faults.extend(subset(&actual, expect, " back"));
            faults
        }
        kind => vec![format!("no such query: {kind}")],
    };
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
}

fn input(vector: &Value) -> Vec<u8> {
    if let Some(text) = vector["input_text"].as_str() {
        text.as_bytes().to_vec()
    } else if let Some(text) = vector["input_base64"].as_str() {
        base64(text)
    } else {
        serde_json::to_vec(&vector["input"]).unwrap()
    }
}

fn base64(text: &str) -> Vec<u8> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut out, mut bits, mut len) = (Vec::new(), 0_u32, 0);
    for digit in text.bytes().filter_map(|b| alphabet.iter().position(|&a| a == b)) {
        bits = (bits << 6) | digit as u32;
        len += 6;
        if len >= 8 {
            len -= 8;
            out.push((bits >> len) as u8);
        }
    }
    out
}

/// Findings, the dataset's statistics, those of each trajectory.
fn survey(bytes: &[u8]) -> (Vec<Value>, Value, Vec<Value>) {
    let mut survey = Survey::default();
    let (mut findings, mut trajectories) = (Vec::new(), Vec::new());
    for record in records(bytes) {
        let taken = survey.take(&record, text_of(&record, bytes));
        findings.extend(taken.findings.iter().map(|f| serde_json::to_value(f).unwrap()));
        trajectories.extend(taken.stats.map(|s| serde_json::to_value(s).unwrap()));
    }
    (findings, serde_json::to_value(survey.stats().summary()).unwrap(), trajectories)
}

fn run(bytes: &Vec<u8>, record: usize) -> Box<dyn Run> {
    let record = &records(bytes)[record];
    let mut run = by_name("adp").unwrap().run();
    run.push(record, text_of(record, bytes), bytes);
    run.finish(bytes);
    run
}

fn steps(bytes: &Vec<u8>, record: usize) -> Value {
    let run = run(bytes, record);
    let step = |number: usize| {
        let step = run.step(number as StepNo, bytes);
        let mut writes: Vec<String> = run
            .tree()
            .events(number as StepNo)
            .iter()
            .map(|e| {
                let (id, path) = run.tree().path(e.node);
                run.reference(run.tree().identity(id), &path)
            })
            .collect();
        writes.sort();
        let reward = step.reward.map_or(Value::Null, |text| serde_json::from_str(&text).unwrap());
        assert!(bytes.read(run.place(number as StepNo).unwrap().place.span).is_ok());
        json!({
            "record": record, "step": number, "kind": step.kind, "class": step.class, "role": step.role.name(),
            "tool": step.tool, "answers": step.answers, "chars": step.chars, "reward": reward, "writes": writes,
        })
    };
    (0..run.step_count()).map(step).collect()
}

fn same_findings(expect: &[Value], actual: &[Value]) -> Vec<String> {
    let plain =
        |finding: &Value| ["record", "step", "path", "rule", "severity"].map(|key| finding[key].to_string()).join(" ");
    let mut expect: Vec<String> = expect.iter().map(plain).collect();
    let ordered: Vec<String> = actual.iter().map(plain).collect();
    let mut actual = ordered.clone();
    expect.sort();
    actual.sort();
    let missing = expect.iter().filter(|f| !actual.contains(f)).map(|f| format!("missing {f}"));
    let more = actual.iter().filter(|f| !expect.contains(f)).map(|f| format!("too many {f}"));
    let count = (expect.len() != actual.len()).then(|| format!("{} findings, not {}", actual.len(), expect.len()));
    missing.chain(more).chain(count).collect()
}

/// Where `actual` lacks what `expect` has.
fn subset(expect: &Value, actual: &Value, path: &str) -> Vec<String> {
    match (expect, actual) {
        (Value::Object(e), Value::Object(a)) => e
            .iter()
            .flat_map(|(key, value)| subset(value, a.get(key).unwrap_or(&Value::Null), &format!("{path}/{key}")))
            .collect(),
        (Value::Array(e), Value::Array(a)) if e.len() == a.len() => {
            e.iter().zip(a).enumerate().flat_map(|(i, (e, a))| subset(e, a, &format!("{path}/{i}"))).collect()
        }
        (Value::Number(e), Value::Number(a)) if e.as_f64() == a.as_f64() => Vec::new(),
        (e, a) if e == a => Vec::new(),
        (e, a) => vec![format!("{path}: expected {e}, is {a}")],
    }
}

fn text_of<'b>(record: &Record, bytes: &'b [u8]) -> &'b [u8] {
    let span = record.place.span;
    &bytes[span.offset as usize..span.end() as usize]
}

/// D1: the records of a file.
fn records(bytes: &[u8]) -> Vec<Record> {
    let start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut records = Vec::new();
    let mut push = |from: usize, to: usize, why: Option<&str>| {
        let number = records.len();
        let span = Span { offset: from as u64, len: (to - from) as u64 };
        let body = why.map_or(RecordBody::Text, |w| RecordBody::Broken(w.to_owned()));
        records.push(Record { number, place: Place { span, line: 1 }, body });
    };
    let skip = |mut at: usize| {
        while at < bytes.len() && matches!(bytes[at], b' ' | b'\t' | b'\r' | b'\n') {
            at += 1;
        }
        at
    };
    let value = |at: usize| {
        let mut read =
            serde_json::Deserializer::from_slice(&bytes[at..]).into_iter::<Box<serde_json::value::RawValue>>();
        match read.next() {
            Some(Ok(_)) => Some(at + read.byte_offset()),
            _ => None,
        }
    };
    let mut at = skip(start);
    let is_array = bytes.get(at) == Some(&b'[') && value(at).is_none_or(|end| skip(end) == bytes.len());
    if is_array {
        at = skip(at + 1);
        while at < bytes.len() && bytes[at] != b']' {
            let Some(end) = value(at) else {
                push(at, bytes.len(), Some("cut"));
                break;
            };
            push(at, end, None);
            at = skip(end);
            if bytes.get(at) == Some(&b',') {
                at = skip(at + 1);
            }
        }
        return records;
    }
    while at < bytes.len() {
        let end = value(at);
        let next = end.unwrap_or_else(|| {
            let lines = bytes[at..].windows(2).position(|w| w[0] == b'\n' && matches!(w[1], b'{' | b'['));
            lines.map_or(bytes.len(), |i| at + i + 1)
        });
        push(at, next, None);
        at = skip(next);
    }
    records
}
