//! The vectors of the Agent Data Protocol and the totals of its corpus, where they are beside the project.
use obelus::ingest::{Loaded, load};
use obelus::model::{Bytes, StepNo};
use obelus::rules::adp::Survey;
use obelus::source::{Input, Reader};
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
            let loaded = loaded(&bytes);
            let step = query["step"].as_i64().unwrap() as StepNo;
            let state = loaded.run(record).unwrap().state(step, loaded.input.as_ref());
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
    let loaded = loaded(bytes);
    let mut reader = Reader::new(&loaded.input);
    let mut survey = Survey::default();
    let (mut findings, mut trajectories) = (Vec::new(), Vec::new());
    for record in loaded.records.iter() {
        let taken = survey.take(&record, reader.text(&record).unwrap());
        findings.extend(taken.findings.iter().map(|f| serde_json::to_value(f).unwrap()));
        trajectories.extend(taken.stats.map(|s| serde_json::to_value(s).unwrap()));
    }
    (findings, serde_json::to_value(survey.stats().summary()).unwrap(), trajectories)
}

fn loaded(bytes: &[u8]) -> Loaded {
    load(Input::memory("input.jsonl", bytes), Some("adp")).unwrap()
}

fn steps(bytes: &[u8], record: usize) -> Value {
    let loaded = loaded(bytes);
    let (run, bytes) = (loaded.run(record).unwrap(), loaded.input.as_ref());
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
