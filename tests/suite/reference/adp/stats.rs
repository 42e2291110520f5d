//! Statistics of records and of the dataset (D22, D23).

use super::shape::{self, Item, Shape, text};
use super::state::StepOf;
use super::{Adp, atif};
use crate::reference::Finding;
use crate::reference::json::J;
use std::collections::BTreeMap;

type Counts = BTreeMap<String, usize>;

fn counts(of: &Counts) -> J {
    J::object(of.iter().map(|(name, n)| (name.as_str(), J::num(n))).collect())
}

fn count<'a>(names: impl Iterator<Item = &'a str>) -> Counts {
    let mut out = Counts::new();
    names.for_each(|name| *out.entry(name.to_owned()).or_default() += 1);
    out
}

fn name(shape: Shape) -> &'static str {
    match shape {
        Shape::Std => "std",
        Shape::Chat => "chat",
        Shape::Atif => "atif",
        Shape::Other => "other",
    }
}

fn is_finishing(tool: &str) -> bool {
    ["final_answer", "finish", "stop", "submit", "end", "localization_finish"].contains(&tool.to_lowercase().as_str())
}

/// How a record ends, by its last step.
fn finish(record: &J, steps: &[StepOf]) -> &'static str {
    let Some(last) = steps.last() else { return "empty" };
    let shape = shape::shape(record);
    if shape == Shape::Other {
        return "unknown";
    }
    if shape == Shape::Std {
        let item = Item::of(record.get("content").and_then(J::arr).and_then(|all| all.last()).unwrap_or(&J::Null));
        let said = item.text("content").unwrap_or("");
        return match item.class {
            None => "unknown",
            Some("api_action") if is_finishing(item.text("function").unwrap_or("")) => "finish",
            Some("api_action" | "code_action") => "open-call",
            Some("message_action") if said.contains("<finish>") && said.contains("</finish>") => "finish",
            Some("message_action") => "message",
            Some("text_observation") if item.text("source") == Some("agent") => "message",
            Some(_) => "observation",
        };
    }
    match (last.role.as_str(), last.calls.is_empty()) {
        ("agent", false) if shape == Shape::Atif && atif::ends_with_results(record) => "observation",
        ("agent", false) if last.calls.iter().any(|tool| is_finishing(tool)) => "finish",
        ("agent", false) => "open-call",
        ("agent", true) => "message",
        _ => "observation",
    }
}

/// The line of a record.
fn line(record: usize, value: &J, steps: &[StepOf], found: &[&Finding]) -> J {
    let id = match shape::shape(value) {
        Shape::Atif => atif::id(value),
        _ => value.get("id"),
    };
    let chars: usize = steps.iter().map(|step| step.chars).sum();
    let calls = |step: &StepOf| step.calls.len();
    let rewards: Vec<f64> = steps.iter().filter_map(|step| step.reward).collect();
    let severe = |severity: &str| found.iter().filter(|f| f.severity == severity).count();
    let turn = |i: usize, step: &StepOf| step.role == "agent" && (i == 0 || steps[i - 1].role != "agent");
    J::object(vec![
        ("record", J::num(record)),
        ("id", id.filter(|id| matches!(id, J::Str(_) | J::Num(_))).cloned().unwrap_or(J::Null)),
        ("shape", J::string(name(shape::shape(value)))),
        ("version", text(value, "schema_version").map_or(J::Null, J::string)),
        ("steps", J::num(steps.len())),
        ("classes", counts(&count(steps.iter().map(|step| step.class.as_str())))),
        ("roles", counts(&count(steps.iter().map(|step| step.role.as_str())))),
        ("tools", counts(&count(steps.iter().flat_map(|step| step.calls.iter().map(String::as_str))))),
        ("turns", J::num(steps.iter().enumerate().filter(|(i, step)| turn(*i, step)).count())),
        ("chars", J::num(chars)),
        ("tokens_est", J::num(chars.div_ceil(4))),
        ("reward", if rewards.is_empty() { J::Null } else { J::num(rewards.iter().fold(0.0, |a, b| a + b)) }),
        ("rewarded_steps", J::num(rewards.len())),
        ("calls", J::num(steps.iter().map(calls).sum::<usize>())),
        ("calls_with_thought", J::num(steps.iter().filter(|step| step.has_thought).map(calls).sum::<usize>())),
        ("finish", J::string(finish(value, steps))),
        ("errors", J::num(severe("error"))),
        ("warnings", J::num(severe("warning"))),
    ])
}

/// `min`, percentiles by nearest rank, and powers of two.
fn spread(mut all: Vec<usize>) -> J {
    all.sort_unstable();
    let rank = |percent: usize| all.get((all.len() * percent).div_ceil(100).max(1) - 1).map_or(J::Null, J::num);
    let mut bins: BTreeMap<usize, usize> = BTreeMap::new();
    for n in &all {
        *bins.entry(if *n == 0 { 0 } else { 1 << n.ilog2() }).or_default() += 1;
    }
    let label = |low: usize| if low < 2 { low.to_string() } else { format!("{low}-{}", 2 * low - 1) };
    let bins: Vec<(String, J)> = bins.iter().map(|(low, n)| (label(*low), J::num(n))).collect();
    J::object(vec![
        ("min", all.first().map_or(J::Null, J::num)),
        ("p50", rank(50)),
        ("p90", rank(90)),
        ("max", all.last().map_or(J::Null, J::num)),
        ("sum", J::num(all.iter().sum::<usize>())),
        ("hist", J::object(bins.iter().map(|(name, n)| (name.as_str(), n.clone())).collect())),
    ])
}

/// The line of each readable record, and that of the dataset.
pub(crate) fn stats(adp: &Adp) -> (Vec<J>, J) {
    let found = adp.findings();
    let mut lines = Vec::new();
    for (record, value) in adp.records.iter().enumerate() {
        let Some(value) = value else { continue };
        let own: Vec<&Finding> = found.iter().filter(|f| f.record == record).collect();
        lines.push(line(record, value, &adp.read_steps(value).1, &own));
    }
    let dataset = dataset(adp.count(), &lines, &found);
    (lines, dataset)
}

fn dataset(records: usize, lines: &[J], found: &[Finding]) -> J {
    let number = |line: &J, key: &str| match line.get(key) {
        Some(J::Num(n)) => n.parse::<f64>().unwrap_or(0.0),
        _ => 0.0,
    };
    let words = |key: &str| counts(&count(lines.iter().map(|l| l.get(key).and_then(J::str).unwrap_or("none"))));
    let merged = |key: &str| {
        let mut out = Counts::new();
        for (name, n) in lines.iter().flat_map(|l| l.get(key).and_then(J::obj).map_or(&[][..], |o| &o.members)) {
            *out.entry(name.clone()).or_default() += n.compact().parse::<usize>().unwrap_or(0);
        }
        counts(&out)
    };
    let sum = |key: &str| J::num(lines.iter().fold(0.0, |sum, line| sum + number(line, key)));
    let all = |key: &str| lines.iter().map(|l| number(l, key) as usize).collect::<Vec<_>>();
    let with = |severity: &str| {
        let has = |record: &usize| found.iter().any(|f| f.record == *record && f.severity == severity);
        J::num((0..records).filter(has).count())
    };
    let rewarded = lines.iter().filter(|l| l.some("reward").is_some()).count();
    J::object(vec![
        ("records", J::num(records)),
        ("unreadable", J::num(records - lines.len())),
        ("shapes", words("shape")),
        ("versions", words("version")),
        ("classes", merged("classes")),
        ("roles", merged("roles")),
        ("tools", merged("tools")),
        ("finish", words("finish")),
        ("rules", counts(&count(found.iter().map(|f| f.rule.as_str())))),
        ("with_errors", with("error")),
        ("with_warnings", with("warning")),
        ("calls", sum("calls")),
        ("calls_with_thought", sum("calls_with_thought")),
        (
            "reward",
            J::object(vec![
                ("trajectories", J::num(rewarded)),
                ("steps", sum("rewarded_steps")),
                ("sum", sum("reward")),
            ]),
        ),
        ("steps", spread(all("steps"))),
        ("chars", spread(all("chars"))),
    ])
}
