//! D18: ATIF trajectories, read.

use super::entry::{Body, Call, TrajectoryStep};
use super::number;
use crate::json::{self, Value};
use crate::model::{StepRole, Usage};
use std::borrow::Cow;

/// D18, D19: who speaks in a turn.
#[must_use]
pub(in crate::rules) fn role(turn: &Value<'_>) -> StepRole {
    match turn.get("source").and_then(Value::as_str) {
        Some("user") => StepRole::User,
        Some("agent") => StepRole::Agent,
        Some("system") => StepRole::System,
        _ => StepRole::Unknown,
    }
}

/// D19: the calls of a turn.
#[must_use]
pub(in crate::rules) fn calls<'a>(turn: &'a Value<'a>) -> Vec<Call<'a>> {
    let listed = turn.get("tool_calls").and_then(Value::as_array).unwrap_or_default().iter();
    let objects = listed.filter(|c| c.as_object().is_some());
    let call = |c: &'a Value<'a>| Call {
        tool: c.get("function_name").and_then(Value::as_str).unwrap_or("?").into(),
        id: c.get("tool_call_id").and_then(Value::as_str).map(Cow::Borrowed),
        arguments: c.get("arguments").filter(|v| v.as_object().is_some()),
        code: None,
    };
    objects.map(call).collect()
}

/// D20: what the agent reasoned in a turn.
#[must_use]
pub(in crate::rules) fn reasoning<'a>(entry: &TrajectoryStep<'a>) -> Option<&'a str> {
    let is_agents = matches!(entry.body, Body::Turn) && entry.role == StepRole::Agent;
    if is_agents { entry.value.get("reasoning_content").and_then(Value::as_str) } else { None }
}

/// D18: the results in the observation of a turn.
pub(in crate::rules) fn results<'a>(turn: &'a Value<'a>) -> impl Iterator<Item = &'a Value<'a>> {
    let results = turn.get("observation").and_then(|o| o.get("results"));
    results.and_then(Value::as_array).unwrap_or_default().iter()
}

/// D18: what a turn, its calls and its results say beside who said, called and answered what: of what, and the name of
/// the member. Its time is not among them, nor its reward.
pub(crate) fn further_members<'a>(turn: &'a Value<'a>) -> Vec<(&'static str, &'a str)> {
    let words =
        ["step_id", "timestamp", "source", "message", "reasoning_content", "tool_calls", "observation", "extra"];
    let mut all = others("step", turn, &words);
    let extra = turn.get("extra").map(|extra| others("step", extra, &["reward"])).unwrap_or_default();
    all.extend(extra.first().map(|_| ("step", "extra")));
    let listed = turn.get("tool_calls").and_then(Value::as_array).unwrap_or_default().iter();
    all.extend(listed.flat_map(|call| others("call", call, &["tool_call_id", "function_name", "arguments"])));
    let observation = turn.get("observation").map(|observation| others("observation", observation, &["results"]));
    all.extend(observation.unwrap_or_default());
    all.extend(results(turn).flat_map(|result| others("result", result, &["source_call_id", "content"])));
    all
}

/// The members of an object that say something and are not in `known`.
fn others<'a>(what: &'static str, value: &'a Value<'a>, known: &[&str]) -> Vec<(&'static str, &'a str)> {
    let members = value.as_object().into_iter().flat_map(json::Object::entries);
    let says = |value: &Value<'_>| !matches!(value.text, "null" | "\"\"" | "[]" | "{}");
    members.filter(|(name, value)| !known.contains(name) && says(value)).map(|(name, _)| (what, name)).collect()
}

/// W10: tokens and cost of a turn.
pub(in crate::rules) fn usage(entry: &TrajectoryStep<'_>) -> Option<Usage> {
    if !matches!(entry.body, Body::Turn) {
        return None;
    }
    let metrics = entry.value.get("metrics").filter(|metrics| metrics.as_object().is_some())?;
    let count = |key| metrics.get(key).and_then(Value::as_number).and_then(|n| n.parse::<u64>().ok());
    let cached = count("cached_tokens");
    let cost = metrics.get("cost_usd").and_then(number::number).map(|cost| cost.value);
    let input = count("prompt_tokens").map(|all| all.saturating_sub(cached.unwrap_or(0)));
    Some(Usage { input, output: count("completion_tokens"), cache_read: cached, cache_write: None, cost })
}

/// An ATIF trajectory and those of its sub-agents that are in it, each with its pointer (`FORMATS.md` 5).
pub(in crate::rules) fn trajectories<'a>(root: &'a Value<'a>) -> Vec<(String, &'a Value<'a>)> {
    let mut found = vec![(String::new(), root)];
    let mut next = 0;
    while let Some((pointer, trajectory)) = found.get(next).cloned() {
        let inner = trajectory.get("subagent_trajectories").and_then(Value::as_array).unwrap_or_default();
        let named = inner.iter().enumerate().filter(|(_, inner)| inner.as_object().is_some());
        found.extend(named.map(|(i, inner)| (format!("{pointer}/subagent_trajectories/{i}"), inner)));
        next += 1;
    }
    found
}

/// What a trajectory is called.
pub(in crate::rules) fn name<'a>(trajectory: &'a Value<'a>) -> Option<&'a str> {
    ["trajectory_id", "session_id"].iter().find_map(|key| trajectory.get(key)?.as_str())
}

/// The references of a result to trajectories of other agents.
pub(in crate::rules) fn references<'a>(result: &'a Value<'a>) -> impl Iterator<Item = &'a Value<'a>> {
    let refs = result.get("subagent_trajectory_ref");
    let listed = refs.map(|refs| refs.as_array().unwrap_or(std::slice::from_ref(refs))).unwrap_or_default();
    listed.iter()
}

/// The trajectories of other agents that a result refers to, by what each is called: by its id, else by its file.
pub(in crate::rules) fn subagents<'a>(result: &'a Value<'a>) -> impl Iterator<Item = &'a str> {
    let keys = ["trajectory_id", "session_id", "trajectory_path"];
    references(result)
        .filter_map(move |one| one.as_str().or_else(|| keys.iter().find_map(|key| one.get(key)?.as_str())))
}
