//! Every vector of `tests/vectors` through the real program.

use super::command::program;
use obelus::json::{self, Data, Value};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Mutex;

/// Kinds of the state of a tool-using run (W5).
pub(crate) const WORK_KINDS: [&str; 8] = ["file", "shell", "todo", "run", "usage", "page", "sub", "call"];

/// Members that are compared as exact JSON text.
const EXACT: [&str; 5] = ["value", "schema", "content", "conversation", "text"];

fn project(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(below)
}

fn obelus(arguments: &[String]) -> Output {
    program().args(arguments).output().unwrap()
}

/// What a vector says beside its answer.
struct Case<'a> {
    family: &'a str,
    vector: Value<'a>,
}

impl Case<'_> {
    fn text(&self, key: &str) -> Option<String> {
        self.vector.get(key).and_then(Value::as_str).map(str::to_owned)
    }

    fn query(&self, key: &str) -> Option<String> {
        let value = self.vector.get("query")?.get(key)?;
        Some(value.as_str().unwrap_or(value.text).to_owned())
    }

    /// The name of the question.
    fn asks(&self) -> String {
        self.query("type").or_else(|| self.query("kind")).unwrap()
    }

    fn input(&self) -> Vec<u8> {
        match (self.text("input_text"), self.text("input_base64"), self.vector.get("input")) {
            (Some(text), _, _) => text.into_bytes(),
            (_, Some(text), _) => base64(&text),
            (_, _, Some(value)) => value.text.as_bytes().to_vec(),
            _ => panic!("no input"),
        }
    }

    fn arguments(&self, file: &Path) -> Vec<String> {
        let mut all = vec![self.asks(), file.to_str().unwrap().to_owned()];
        all.extend(["path", "ref", "data_type"].iter().filter_map(|key| self.query(key)));
        for (key, option) in
            [("step", "--step"), ("instance", "--instance"), ("expect", "--expect"), ("record", "--record")]
        {
            if let Some(value) = self.query(key).filter(|_| key != "record" || self.asks() == "state") {
                all.extend([option.to_owned(), value]);
            }
        }
        if self.vector.get("auto").is_none() {
            let format = self.text("format").unwrap_or_else(|| self.family.to_owned());
            all.extend(["--format".to_owned(), format]);
        }
        if self.asks() != "render" || self.query("json").is_some() {
            all.push("--json".to_owned());
        }
        all
    }
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut out, mut bits, mut held) = (Vec::new(), 0_u32, 0);
    for digit in text.bytes().filter_map(|b| DIGITS.iter().position(|d| *d == b)) {
        bits = (bits << 6) | digit as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    out
}

/// The first difference of an answer from what is expected, by the rules of the vectors for acts and scopix.
fn differs(expect: &Value<'_>, answer: &Value<'_>, at: &str) -> Option<String> {
    match (&expect.data, &answer.data) {
        (Data::Object(e), Data::Object(a)) => {
            for (key, value) in e.entries() {
                let at = format!("{at}/{key}");
                let Some(other) = a.get(key) else { return Some(format!("{at} is missing")) };
                let found =
                    if EXACT.contains(&key) { differs_exactly(value, other, &at) } else { differs(value, other, &at) };
                if found.is_some() {
                    return found;
                }
            }
            (e.get("value").is_none() && a.get("value").is_some()).then(|| format!("{at}/value should not be there"))
        }
        (Data::Array(e), Data::Array(a)) => {
            let found = e.iter().zip(a).enumerate().find_map(|(i, (e, a))| differs(e, a, &format!("{at}/{i}")));
            found.or_else(|| (e.len() != a.len()).then(|| format!("{at} has {} and not {} elements", a.len(), e.len())))
        }
        _ => differs_exactly(expect, answer, at),
    }
}

fn differs_exactly(expect: &Value<'_>, answer: &Value<'_>, at: &str) -> Option<String> {
    let (e, a) = (json::compact(expect), json::compact(answer));
    (e != a).then(|| format!("{at} is {a} and not {e}"))
}

/// The first difference by the rules of the vectors for ADP: numbers by value, members in any order.
fn differs_loosely(expect: &Value<'_>, answer: &Value<'_>, is_subset: bool, at: &str) -> Option<String> {
    match (&expect.data, &answer.data) {
        (Data::Object(e), Data::Object(a)) => {
            for (key, value) in e.entries() {
                let at = format!("{at}/{key}");
                let Some(other) = a.get(key) else { return Some(format!("{at} is missing")) };
                let found = differs_loosely(value, other, is_subset, &at);
                if found.is_some() {
                    return found;
                }
            }
            let more = a.entries().find(|(key, _)| !is_subset && e.get(key).is_none());
            more.map(|(key, _)| format!("{at}/{key} should not be there"))
        }
        (Data::Array(e), Data::Array(a)) => {
            let pairs = e.iter().zip(a).enumerate();
            let found =
                pairs.into_iter().find_map(|(i, (e, a))| differs_loosely(e, a, is_subset, &format!("{at}/{i}")));
            found.or_else(|| (e.len() != a.len()).then(|| format!("{at} has {} and not {} elements", a.len(), e.len())))
        }
        (Data::Number, Data::Number) => {
            let number = |v: &Value<'_>| v.text.parse::<f64>().unwrap();
            (number(expect) != number(answer)).then(|| format!("{at} is {} and not {}", answer.text, expect.text))
        }
        _ => differs_exactly(expect, answer, at),
    }
}

/// An answer without the kinds that stand beside those of D20 (W13), which the vectors for ADP do not compare.
fn without_work(answer: &Value<'_>) -> String {
    let is_work = |key: &str| WORK_KINDS.contains(&key.split('/').nth(usize::from(key.starts_with('/'))).unwrap_or(""));
    let members = answer.as_object().into_iter().flat_map(|object| object.entries());
    let member = |(key, value): (&str, &Value<'_>)| {
        let writes = value.as_array().filter(|_| key == "writes").map(|writes| {
            let writes = writes.iter().filter(|write| !is_work(write.as_str().unwrap()));
            format!("[{}]", writes.map(json::compact).collect::<Vec<_>>().join(","))
        });
        let below = || match key {
            "state" | "blame" => without_work(value),
            _ => json::compact(value),
        };
        format!("{}:{}", json::quote(key), writes.unwrap_or_else(below))
    };
    let kept: Vec<String> = members.filter(|(key, _)| !is_work(key)).map(member).collect();
    format!("{{{}}}", kept.join(","))
}

/// The lines of an answer, each a JSON object that begins with the version.
fn lines(stdout: &str) -> Vec<Value<'_>> {
    let read = |line| {
        let value = json::parse(line).unwrap();
        assert_eq!(value.as_object().unwrap().members[0].key, "obelus", "{line}");
        assert_eq!(value.get("obelus").unwrap().text, "1");
        value
    };
    stdout.lines().map(read).collect()
}

/// A finding as one line of text, of the members that are compared.
fn finding(value: &Value<'_>) -> String {
    let members = ["record", "step", "path", "rule", "severity"];
    members.map(|key| value.get(key).map_or("absent".to_owned(), json::compact)).join(" ")
}

fn findings_differ(case: &Case<'_>, expect: &Value<'_>, stdout: &str) -> Option<String> {
    let mut wanted: Vec<String> = expect.get("findings")?.as_array()?.iter().map(finding).collect();
    let answers = lines(stdout);
    let mut given: Vec<String> = answers.iter().map(finding).collect();
    for answer in &answers {
        assert!(answer.get("file").is_some_and(|v| v.as_str().is_some()), "a finding names its file");
        assert!(answer.get("message").is_some_and(|v| v.as_str().is_some()), "a finding says what it is");
    }
    if case.family == "adp" {
        wanted.sort();
        given.sort();
    }
    (wanted != given)
        .then(|| format!("findings are\n    {}\n  and not\n    {}", given.join("\n    "), wanted.join("\n    ")))
}

/// What is wrong with the answer to a vector; None: nothing.
fn judge(case: &Case<'_>, output: &Output) -> Option<String> {
    let stdout = String::from_utf8(output.stdout.clone()).unwrap();
    let expect = case.vector.get("expect").unwrap();
    let exit = case.vector.get("exit").map(|e| e.text.to_owned());
    if let Some(exit) = exit.filter(|exit| output.status.code().map(|c| c.to_string()).as_ref() != Some(exit)) {
        return Some(format!(
            "exit status {} and not {exit}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    match (case.asks().as_str(), case.family) {
        ("render", _) if case.query("json").is_none() => {
            let text = expect.get("text").unwrap().as_str().unwrap();
            (text != stdout).then(|| format!("text is\n{stdout}\nand not\n{text}"))
        }
        ("check", _) => findings_differ(case, expect, &stdout),
        ("steps", _) => {
            let record = case.query("record").unwrap_or_else(|| "0".to_owned());
            let steps: Vec<String> = lines(&stdout)
                .iter()
                .filter(|line| line.get("record").is_some_and(|r| r.text == record))
                .map(without_work)
                .collect();
            let steps = format!("[{}]", steps.join(","));
            differs_loosely(expect.get("steps").unwrap(), &json::parse(&steps).unwrap(), true, "")
        }
        ("stats", _) => {
            let all = lines(&stdout);
            let (dataset, trajectories) = all.split_last().unwrap();
            let trajectories: Vec<String> = trajectories.iter().map(json::compact).collect();
            let text =
                format!("{{\"trajectories\":[{}],\"dataset\":{}}}", trajectories.join(","), json::compact(dataset));
            differs_loosely(expect, &json::parse(&text).unwrap(), true, "")
        }
        (_, "adp") => {
            let answer = without_work(&lines(&stdout).pop().unwrap());
            let answer = json::parse(&answer).unwrap();
            let member = |key: &str| differs_loosely(expect.get(key).unwrap(), answer.get(key)?, false, key);
            member("state").or_else(|| member("blame"))
        }
        _ => differs(expect, lines(&stdout).last().unwrap(), ""),
    }
}

/// Runs one vector: None where the program has no answer yet, else the question and what is wrong.
fn run(family: &str, path: &Path, folder: &Path) -> Option<(String, Option<String>)> {
    let text = fs::read_to_string(path).unwrap();
    let case = Case { family, vector: json::parse(&text).unwrap() };
    let name = case.text("name").unwrap();
    let file = folder.join(case.text("file").unwrap_or_else(|| format!("{family}-{name}.json")));
    fs::write(&file, case.input()).unwrap();
    let arguments = case.arguments(&file);
    let output = obelus(&arguments);
    let fault =
        std::panic::catch_unwind(|| judge(&case, &output)).unwrap_or_else(|_| Some("the answer has no sense".into()));
    let rules = case.vector.get("rules").map(json::compact).unwrap_or_default();
    let faults = fault.map(|fault| {
        let stderr = String::from_utf8_lossy(&output.stderr);
        format!("{family}/{name} {rules}: {fault}\n  obelus {}\n  {stderr}", arguments.join(" "))
    });
    Some((format!("{family} {}", case.asks()), faults))
}

#[test]
fn every_vector_is_answered() {
    let root = project("tests/vectors");
    let mut vectors: Vec<(&str, PathBuf)> = Vec::new();
    for family in ["acts", "scopix", "adp"] {
        let folder = fs::read_dir(root.join(family)).unwrap();
        let mut paths: Vec<_> = folder.map(|e| e.unwrap().path()).collect();
        paths.sort();
        vectors.extend(paths.into_iter().map(|path| (family, path)));
    }
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for half in 0..2 {
            let (vectors, results) = (&vectors, &results);
            scope.spawn(move || {
                let folder = tempfile::tempdir().unwrap();
                for (family, path) in vectors.iter().skip(half).step_by(2) {
                    let result = run(family, path, folder.path());
                    results.lock().unwrap().push(result);
                }
            });
        }
    });
    let results = results.into_inner().unwrap();
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut faults = Vec::new();
    for (question, fault) in results.iter().flatten() {
        let count = counts.entry(question.clone()).or_default();
        count.0 += usize::from(fault.is_none());
        count.1 += 1;
        faults.extend(fault.clone());
    }
    let not_yet = results.iter().filter(|r| r.is_none()).count();
    for (question, (good, all)) in &counts {
        println!("{question}: {good} of {all}");
    }
    println!("not yet: {not_yet}");
    faults.sort();
    assert!(faults.is_empty(), "{} of {} vectors fail\n{}", faults.len(), results.len(), faults.join("\n"));
}

/// The number of trajectories that the program finds in a file.
fn trajectories(path: &Path, format: Option<&str>) -> Result<String, String> {
    let mut arguments = vec!["formats".to_owned(), path.to_str().unwrap().to_owned(), "--json".to_owned()];
    arguments.extend(format.into_iter().flat_map(|f| ["--format".to_owned(), f.to_owned()]));
    let output = obelus(&arguments);
    let stdout = String::from_utf8(output.stdout).unwrap();
    let answer = json::parse(stdout.trim()).map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())?;
    Ok(answer.get("trajectories").unwrap().text.to_owned())
}

#[test]
fn every_sample_opens_as_one_trajectory_or_as_its_records() {
    for (name, expect) in [
        ("trip-context.json", "1"),
        ("trip-run.jsonl", "1"),
        ("report-plan.json", "1"),
        ("pole-context.json", "1"),
        ("pole-survey.jsonl", "1"),
        ("support-run.jsonl", "1"),
        ("moderation-instances.jsonl", "1"),
    ] {
        let path = project("samples").join(name);
        assert_eq!(trajectories(&path, None), Ok(expect.to_owned()), "{name}");
    }
}

/// Compares the statistics of real datasets with expected totals. `OBELUS_CORPUS` names a folder with the datasets;
/// `OBELUS_CORPUS_TOTALS` names a JSON file `{"<dataset>/<file>": {<members of D23>}}`.
#[test]
#[ignore = "needs datasets that are not part of the project: OBELUS_CORPUS and OBELUS_CORPUS_TOTALS"]
fn every_dataset_of_a_corpus_has_its_totals() {
    let variable = |name| PathBuf::from(std::env::var_os(name).unwrap_or_else(|| panic!("{name} is not set")));
    let corpus = fs::read_to_string(variable("OBELUS_CORPUS_TOTALS")).unwrap();
    let corpus = json::parse(&corpus).unwrap();
    let mut faults = Vec::new();
    for (name, totals) in corpus.as_object().unwrap().entries() {
        let path = variable("OBELUS_CORPUS").join(name);
        let expect = totals.get("records").unwrap().text;
        match trajectories(&path, Some("adp")) {
            Ok(count) if count == expect => {}
            other => faults.push(format!("{name}: {other:?} and not {expect}")),
        }
        faults.extend(totals_differ(&path, totals).map(|fault| format!("{name}{fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The first difference of the statistics of a file from what is expected: a part of them, but all rules.
fn totals_differ(path: &Path, totals: &Value<'_>) -> Option<String> {
    let arguments = ["stats", path.to_str().unwrap(), "--format", "adp", "--json"].map(str::to_owned);
    let stdout = String::from_utf8(obelus(&arguments).stdout).unwrap();
    let dataset = lines(&stdout).pop()?;
    let rules = differs_loosely(totals.get("rules")?, dataset.get("rules")?, false, "/rules");
    rules.or_else(|| differs_loosely(totals, &dataset, true, ""))
}
