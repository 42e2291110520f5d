//! The vectors of `tests/vectors/work` through the real program (W1 to W13).

use super::command::program;
use obelus::format::FORMATS;
use obelus::json::{self, Data, Value};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Kinds of the state that these rules write (W5).
const KINDS: [&str; 8] = ["file", "shell", "todo", "run", "usage", "page", "sub", "call"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/work")
}

fn text<'v>(value: &'v Value<'_>, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// The first difference: members that are expected are there and equal, lists have the same length, numbers are
/// compared by value.
fn differs(expect: &Value<'_>, answer: &Value<'_>, at: &str) -> Option<String> {
    match (&expect.data, &answer.data) {
        (Data::Object(e), Data::Object(_)) => e.entries().find_map(|(key, value)| {
            let at = format!("{at}/{key}");
            match answer.get(key) {
                Some(other) => differs(value, other, &at),
                None => Some(format!("{at} is missing")),
            }
        }),
        (Data::Array(e), Data::Array(a)) if e.len() == a.len() => {
            e.iter().zip(a).enumerate().find_map(|(i, (e, a))| differs(e, a, &format!("{at}/{i}")))
        }
        (Data::Number, Data::Number) => {
            let number = |value: &Value<'_>| value.text.parse::<f64>().unwrap();
            ((number(expect) - number(answer)).abs() > 1e-9)
                .then(|| format!("{at} is {} and not {}", answer.text, expect.text))
        }
        _ => {
            let (e, a) = (json::compact(expect), json::compact(answer));
            (e != a).then(|| format!("{at} is {a} and not {e}"))
        }
    }
}

fn keys<'v>(value: &'v Value<'_>) -> BTreeSet<&'v str> {
    value.as_object().into_iter().flat_map(|object| object.entries()).map(|(key, _)| key).collect()
}

/// Of each kind that is named the instances, and of each instance the slots, are exactly these.
fn state_differs(expect: &Value<'_>, answer: &Value<'_>) -> Option<String> {
    let empty = json::parse("{}").unwrap();
    let state = answer.get("state").unwrap();
    for (kind, instances) in expect.get("state").and_then(Value::as_object).into_iter().flat_map(|o| o.entries()) {
        let given = state.get(kind).unwrap_or(&empty);
        if keys(instances) != keys(given) {
            return Some(format!("{kind}: {:?} and not {:?}", keys(given), keys(instances)));
        }
        for (instance, slots) in instances.as_object().unwrap().entries() {
            let given = given.get(instance).unwrap();
            if keys(slots) != keys(given) {
                return Some(format!("{kind}/{instance}: {:?} and not {:?}", keys(given), keys(slots)));
            }
            if let Some(found) = differs(slots, given, &format!("{kind}/{instance}")) {
                return Some(found);
            }
        }
    }
    for kind in expect.get("absent").and_then(Value::as_array).unwrap_or_default() {
        let kind = kind.as_str().unwrap();
        if state.get(kind).is_some_and(|instances| !keys(instances).is_empty()) {
            return Some(format!("{kind} should be empty"));
        }
    }
    differs(expect.get("blame").unwrap_or(&empty), answer.get("blame").unwrap(), "blame")
}

fn findings_differ(expect: &Value<'_>, answers: &[Value<'_>]) -> Option<String> {
    let line = |value: &Value<'_>| {
        ["record", "step", "path", "rule", "severity"]
            .map(|key| value.get(key).map_or_else(|| "-".into(), json::compact))
            .join(" ")
    };
    let mut wanted: Vec<String> = expect.get("findings").unwrap().as_array().unwrap().iter().map(line).collect();
    let of_work = answers.iter().filter(|a| text(a, "rule").is_some_and(|rule| rule.starts_with("work.")));
    let mut given: Vec<String> = of_work.map(line).collect();
    wanted.sort();
    given.sort();
    (wanted != given).then(|| format!("findings are {given:#?} and not {wanted:#?}"))
}

fn writes_of(value: &Value<'_>) -> BTreeSet<String> {
    let all = value.get("writes").and_then(Value::as_array).unwrap_or_default().iter().filter_map(Value::as_str);
    all.filter(|write| write.split('/').nth(1).is_some_and(|kind| KINDS.contains(&kind))).map(str::to_owned).collect()
}

fn steps_differ(query: &Value<'_>, expect: &Value<'_>, answers: &[Value<'_>]) -> Option<String> {
    let record = query.get("record").map_or("0", |record| record.text);
    for wanted in expect.get("steps").unwrap().as_array().unwrap() {
        let step = wanted.get("step").unwrap().text;
        let is_it =
            |a: &&Value<'_>| a.get("step").unwrap().text == step && a.get("record").is_none_or(|r| r.text == record);
        let Some(given) = answers.iter().find(is_it) else { return Some(format!("step {step} is missing")) };
        if wanted.get("writes").is_some() && writes_of(wanted) != writes_of(given) {
            return Some(format!("writes of step {step} are {:?}", writes_of(given)));
        }
        for (key, value) in wanted.as_object().unwrap().entries().filter(|(key, _)| *key != "writes") {
            let found = match given.get(key) {
                Some(given) => differs(value, given, key),
                None => (!value.is_null()).then(|| format!("{key} is missing")),
            };
            if let Some(found) = found {
                return Some(format!("step {step}: {found}"));
            }
        }
    }
    None
}

/// What is wrong with the answer to one question.
fn ask(vector: &Value<'_>, query: &Value<'_>, file: &Path) -> Option<String> {
    let kind = text(query, "kind").unwrap();
    let mut arguments = vec![kind.to_owned(), file.to_str().unwrap().to_owned()];
    arguments.extend(text(query, "path").map(str::to_owned));
    arguments.extend(["--json", "--format", text(vector, "format").unwrap()].map(str::to_owned));
    for (key, option) in [("file", "--file"), ("step", "--step"), ("record", "--record")] {
        if let Some(value) = query.get(key) {
            arguments.extend([option.to_owned(), value.as_str().unwrap_or(value.text).to_owned()]);
        }
    }
    let output = program().args(&arguments).output().unwrap();
    let (stdout, stderr) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
    let status = output.status.code().unwrap();
    if let Some(exit) = query.get("exit") {
        return (status.to_string() != exit.text).then(|| format!("exit status {status}: {stderr}"));
    }
    if status > 1 {
        return Some(format!("exit status {status}: {stderr}"));
    }
    let answers: Vec<Value<'_>> = stdout.lines().map(|line| json::parse(line).unwrap()).collect();
    let expect = query.get("expect").unwrap();
    match kind {
        "check" => findings_differ(expect, &answers),
        "steps" => steps_differ(query, expect, &answers),
        "state" => state_differs(expect, &answers[0]),
        _ => differs(expect, &answers[0], ""),
    }
}

fn faults(path: &Path, folder: &Path) -> Vec<String> {
    let text_of_vector = fs::read_to_string(path).unwrap();
    let vector = json::parse(&text_of_vector).unwrap();
    let name = text(&vector, "name").unwrap();
    let inside = folder.join(name);
    fs::create_dir_all(&inside).unwrap();
    let file = inside.join(text(&vector, "file").unwrap_or("input.json"));
    let input = text(&vector, "input_text").map_or_else(|| vector.get("input").unwrap().text.to_owned(), str::to_owned);
    fs::write(&file, input).unwrap();
    let queries = vector.get("queries").unwrap().as_array().unwrap().iter().enumerate();
    let answers = queries.filter_map(|(i, query)| {
        let fault = ask(&vector, query, &file)?;
        Some(format!("{name}, question {i} ({}): {fault}", text(query, "kind").unwrap_or("?")))
    });
    answers.collect()
}

#[test]
fn every_vector_is_answered() {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 37, "{}", paths.len());
    let place = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for path in &paths {
        let vector = fs::read_to_string(path).unwrap();
        let format = text(&json::parse(&vector).unwrap(), "format").unwrap().to_owned();
        assert!(FORMATS.iter().any(|known| known.name() == format), "no format {format}");
        all.extend(faults(path, place.path()));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
