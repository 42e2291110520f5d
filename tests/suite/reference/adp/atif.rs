//! ATIF records (D18 to D20).

use super::chat::joined;
use super::check::{Check, control, thinks};
use super::shape::text;
use super::state::{self, Said, Steps, Writer, is_blank, number};
use crate::reference::json::J;

/// The fields of the models at ATIF v1.8.
const ROOT: [&str; 10] = [
    "schema_version",
    "session_id",
    "trajectory_id",
    "agent",
    "steps",
    "notes",
    "final_metrics",
    "continued_trajectory_ref",
    "extra",
    "subagent_trajectories",
];
const STEP: [&str; 13] = [
    "step_id",
    "timestamp",
    "source",
    "message",
    "model_name",
    "reasoning_effort",
    "reasoning_content",
    "tool_calls",
    "observation",
    "metrics",
    "llm_call_count",
    "is_copied_context",
    "extra",
];

fn turns(record: &J) -> &[J] {
    record.get("steps").and_then(J::arr).map_or(&[], Vec::as_slice)
}

fn role(turn: &J) -> &str {
    text(turn, "source").filter(|s| ["system", "user", "agent"].contains(s)).unwrap_or("unknown")
}

/// Tool, id and arguments of each call of a turn.
fn calls(turn: &J) -> Vec<(&str, Option<&str>, Option<&J>)> {
    let all = turn.get("tool_calls").and_then(J::arr).into_iter().flatten();
    let call = |one| {
        let arguments = J::get(one, "arguments").filter(|a| a.obj().is_some());
        (text(one, "function_name").unwrap_or("?"), text(one, "tool_call_id"), arguments)
    };
    all.filter(|one| one.obj().is_some()).map(call).collect()
}

fn results(turn: &J) -> &[J] {
    turn.get("observation").and_then(|o| o.get("results")).and_then(J::arr).map_or(&[], Vec::as_slice)
}

fn is_empty(value: &J) -> bool {
    match value {
        J::Null => true,
        J::Str(s) => s.is_empty(),
        J::Arr(a) => a.is_empty(),
        J::Obj(o) => o.members.is_empty(),
        _ => false,
    }
}

pub(super) fn check(check: &mut Check, record: &J) {
    let is_known = |v: &str| (0..=8).any(|minor| v == format!("ATIF-v1.{minor}"));
    if !text(record, "schema_version").is_some_and(is_known) {
        check.report("/schema_version", "atif.version", "error");
    }
    fields(check, record, &ROOT, "");
    if turns(record).is_empty() {
        check.report("/steps", "atif.required", "error");
    }
    let mut known: Vec<&str> = Vec::new();
    for (i, turn) in turns(record).iter().enumerate() {
        check.step = Some(i);
        let at = format!("/steps/{i}");
        if let Some(path) = control(turn, &at) {
            check.report(&path, "adp.control-chars", "warning");
        }
        if turn.obj().is_none() {
            check.report(&at, "atif.type", "error");
            continue;
        }
        turn_of(check, turn, i, &at);
        known.extend(calls(turn).iter().filter_map(|call| call.1));
        for (k, result) in results(turn).iter().enumerate() {
            if text(result, "source_call_id").is_some_and(|id| !known.contains(&id)) {
                check.report(&format!("{at}/observation/results/{k}/source_call_id"), "atif.link", "warning");
            }
        }
    }
}

fn fields(check: &mut Check, value: &J, known: &[&str], at: &str) {
    for (key, _) in value.obj().map_or(&[][..], |o| &o.members) {
        if !known.contains(&key.as_str()) {
            let key = key.replace('~', "~0").replace('/', "~1");
            check.report(&format!("{at}/{key}"), "atif.extra-field", "error");
        }
    }
}

fn turn_of(check: &mut Check, turn: &J, i: usize, at: &str) {
    fields(check, turn, &STEP, at);
    match turn.get("source") {
        None => check.report(&format!("{at}/source"), "atif.required", "error"),
        Some(_) if role(turn) == "unknown" => check.report(&format!("{at}/source"), "atif.source", "error"),
        Some(_) => {}
    }
    let is_next = |id: &J| matches!(id, J::Num(n) if n.parse::<f64>() == Ok((i + 1) as f64));
    if !turn.get("step_id").is_some_and(is_next) {
        check.report(&format!("{at}/step_id"), "atif.step-id", "error");
    }
    for key in ["tool_calls", "reasoning_content", "reasoning_effort"] {
        if role(turn) != "agent" && turn.get(key).is_some_and(|v| !is_empty(v)) {
            check.report(&format!("{at}/{key}"), "atif.agent-only", "error");
        }
    }
    for key in ["message", "reasoning_content"] {
        if role(turn) == "agent" && turn.get(key).and_then(joined).is_some_and(|said| thinks(&said)) {
            check.report(&format!("{at}/{key}"), "adp.think-token", "warning");
        }
    }
}

/// D19, D20.
pub(super) fn steps(record: &J) -> Steps {
    let mut writer = Writer::default();
    state::head(&mut writer, record);
    if let Some(id) = id(record).and_then(J::str) {
        writer.set("trajectory", "main", "id", J::string(id));
    }
    let before = writer.state.clone();
    let all = turns(record);
    let (mut out, mut answered) = (Vec::new(), Vec::new());
    let mut known: Vec<(&str, Option<&str>, usize)> = Vec::new();
    for (i, turn) in all.iter().enumerate() {
        (writer.step, writer.written) = (Some(i), Vec::new());
        writer.turn(role(turn), i.checked_sub(1).is_some_and(|p| role(&all[p]) == "agent"));
        for (tool, id, arguments) in calls(turn) {
            writer.call(tool, arguments.map(J::plain));
            known.push((tool, id, i));
        }
        let mut answers = None;
        for result in results(turn) {
            let called = text(result, "source_call_id").and_then(|id| known.iter().rposition(|k| k.1 == Some(id)));
            if let Some(call) = called.filter(|call| !answered.contains(call)) {
                answered.push(call);
                writer.answer(known[call].0);
                answers = answers.or(Some(known[call].2).filter(|step| *step != i));
            }
            if let Some(content) = result.get("content").and_then(joined) {
                writer.set("env", "text", "content", state::digest(&content));
            }
        }
        if let Some(reasoning) = text(turn, "reasoning_content").filter(|_| role(turn) == "agent") {
            writer.set("agent", "main", "reasoning", state::digest(reasoning));
        }
        let reward = turn.get("extra").and_then(|e| e.get("reward")).and_then(number).map(|(n, _)| n);
        reward.into_iter().for_each(|reward| writer.reward(reward));
        let thoughts = ["message", "reasoning_content"].into_iter().filter_map(|key| joined(turn.get(key)?));
        let said = Said {
            kind: "turn",
            class: J::string("atif_step"),
            role: role(turn).to_owned(),
            calls: calls(turn).iter().map(|call| call.0.to_owned()).collect(),
            has_thought: thoughts.into_iter().any(|t| !is_blank(&t)),
            answers,
            chars: state::chars(turn, &["source", "timestamp", "model_name"]),
            reward,
        };
        out.push(said.step(i, &mut writer));
    }
    (before, out)
}

/// D15.
pub(super) fn id(record: &J) -> Option<&J> {
    ["trajectory_id", "session_id"].into_iter().find_map(|key| record.some(key))
}

/// Whether the last turn has results.
pub(super) fn ends_with_results(record: &J) -> bool {
    turns(record).last().is_some_and(|turn| !results(turn).is_empty())
}
