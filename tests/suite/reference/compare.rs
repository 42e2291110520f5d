//! The program asked in this process, and its answers beside those of the second implementation.

use super::json::{self, J};
use super::{Answer, Finding, Question};

/// The exit status and what the program prints.
pub(crate) fn program(arguments: &[&str]) -> (u8, String) {
    let mut out = Vec::new();
    let arguments = std::iter::once("obelus").chain(arguments.iter().copied());
    let status = obelus::cli::answer(arguments.map(Into::into), &mut out);
    (status, String::from_utf8(out).unwrap())
}

/// The command line of a question.
pub(crate) fn arguments(question: &Question, file: &str, format: &str) -> Vec<String> {
    let mut all = vec![question.kind.to_owned(), file.to_owned()];
    all.extend(question.path.clone());
    let step = question.step.map(|step| step.to_string());
    for (option, value) in [("--step", &step), ("--instance", &question.instance), ("--expect", &question.expect)] {
        if let Some(value) = value {
            all.push(format!("{option}={value}"));
        }
    }
    all.extend(["--format".to_owned(), format.to_owned()]);
    if question.is_json {
        all.push("--json".to_owned());
    }
    all
}

/// The program's answer to a question.
pub(crate) fn asked(question: &Question, file: &str, format: &str) -> Answer {
    let arguments = arguments(question, file, format);
    let (status, stdout) = program(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    match status {
        2 => Answer::Refused,
        _ if question.is_json => Answer::Json(without_version(&stdout)),
        _ => Answer::Text(stdout),
    }
}

fn without_version(line: &str) -> J {
    let Some(J::Obj(mut object)) = json::parse(line) else { panic!("no object: {line}") };
    assert_eq!(object.members.remove(0), ("obelus".to_owned(), J::num(1)), "{line}");
    J::Obj(object)
}

/// The findings of the program.
pub(crate) fn checked(file: &str, format: &str) -> Vec<String> {
    let (_, stdout) = program(&["check", file, "--json", "--format", format]);
    let line = |line: &str| {
        let found = json::parse(line).unwrap();
        let member = |key: &str| found.get(key).unwrap().compact();
        let rule = member("rule").replace('"', "");
        format!(
            "{} {} {} {rule} {}",
            member("record"),
            member("step"),
            member("path"),
            member("severity").replace('"', "")
        )
    };
    stdout.lines().map(line).collect()
}

/// The first place where two answers differ: `wanted` is ours, what the program adds is free, but for values.
pub(crate) fn differ(wanted: &J, given: &J, at: &str) -> Option<String> {
    let is_exact = ["value", "schema", "content", "conversation", "text", "instances", "state", "blame"]
        .iter()
        .any(|name| at.ends_with(&format!("/{name}")));
    match (wanted, given) {
        (J::Obj(w), J::Obj(g)) if !is_exact => {
            let missing = w.members.iter().find_map(|(key, value)| match g.get(key) {
                None => Some(format!("{at}/{key} is missing")),
                Some(other) => differ(value, other, &format!("{at}/{key}")),
            });
            let optional = [
                "value",
                "reason",
                "tool",
                "date",
                "withdrawn",
                "restored",
                "output",
                "description",
                "schema",
                "schema_step",
                "mode",
                "instances",
                "status",
            ];
            let more = g.members.iter().find(|(key, _)| optional.contains(&key.as_str()) && w.get(key).is_none());
            missing.or_else(|| {
                more.map(|(key, value)| format!("{at}/{key} is {} and should not be there", value.compact()))
            })
        }
        (J::Arr(w), J::Arr(g)) if !is_exact => {
            let found = w.iter().zip(g).enumerate().find_map(|(i, (w, g))| differ(w, g, &format!("{at}/{i}")));
            found.or_else(|| {
                (w.len() != g.len()).then(|| format!("{at} is {} and not {}", given.compact(), wanted.compact()))
            })
        }
        _ => {
            let (w, g) = (wanted.compact(), given.compact());
            (w != g).then(|| format!("{at} is {g} and not {w}"))
        }
    }
}

/// What differs between two answers.
pub(crate) fn answers_differ(wanted: &Answer, given: &Answer) -> Option<String> {
    match (wanted, given) {
        (Answer::Json(w), Answer::Json(g)) => differ(w, g, ""),
        (w, g) => (w != g).then(|| format!("program: {g:?}\nreference: {w:?}")),
    }
}

/// What differs between two lists of findings.
pub(crate) fn findings_differ(wanted: &[Finding], given: &[String]) -> Option<String> {
    let wanted: Vec<String> = wanted.iter().map(Finding::line).collect();
    (wanted != given).then(|| {
        let only =
            |a: &[String], b: &[String]| a.iter().filter(|x| !b.contains(x)).cloned().collect::<Vec<_>>().join("; ");
        format!("only program: {}\nonly reference: {}", only(given, &wanted), only(&wanted, given))
    })
}

/// Numbers by value, members by key: as answers on ADP are compared.
pub(crate) fn loose(value: &J) -> J {
    match value {
        J::Num(n) => n.parse::<f64>().map_or(value.clone(), J::num),
        J::Arr(all) => J::Arr(all.iter().map(loose).collect()),
        J::Obj(object) => {
            let mut members: Vec<(String, J)> = object.members.iter().map(|(k, v)| (k.clone(), loose(v))).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            J::Obj(json::Object { members, twice: Vec::new() })
        }
        other => other.clone(),
    }
}

/// The first member of an object that is another in a second one, which may have more.
pub(crate) fn subset_differs(wanted: &J, given: &J) -> Option<String> {
    let members = wanted.obj().map_or(&[][..], |o| &o.members);
    members.iter().find_map(|(key, value)| {
        let other = given.get(key).map(|v| loose(v).compact());
        let value = loose(value).compact();
        (other.as_deref() != Some(&value)).then(|| format!("/{key} is {} and not {value}", other.unwrap_or_default()))
    })
}
