//! What a record of a dataset reports of its run as a whole: model, agent, time, tokens and cost.

use super::atif;
use super::number;
use super::reading::Reading;
use super::shape::RecordShape;
use super::task::scalar;
use super::usage;
use crate::json::Value;
use crate::model::{RunFacts, Timestamp, Usage};

/// Where a record names the model, the first that is there counts.
const MODELS: &[&str] = &[
    "model",
    "model_name",
    "agent.model_name",
    "details.model",
    "details.model_name",
    "extra.model",
    "metadata.model",
    "metadata.llm_config.model",
    "info.model",
];
/// Where it names the agent.
const AGENTS: &[&str] = &[
    "agent",
    "agent_name",
    "agent.name",
    "details.agent",
    "details.agent_name",
    "extra.agent",
    "metadata.agent",
    "metadata.agent_class",
];
/// Where it says what the run cost.
const COSTS: &[&str] = &[
    "cost",
    "cost_usd",
    "total_cost",
    "total_cost_usd",
    "agent_cost",
    "final_metrics.total_cost_usd",
    "metrics.accumulated_cost",
    "details.cost",
    "extra.cost",
    "metadata.cost",
];

/// What a record says of its run.
#[must_use]
pub fn run_facts(reading: &Reading<'_>) -> RunFacts {
    let root = reading.root;
    let first = |paths: &[&str]| paths.iter().find_map(|path| scalar(root, path).filter(|text| !text.is_empty()));
    // The model of the last turn is as good as that of the whole.
    let of_turns = || reading.entries.iter().rev().find_map(|entry| entry.value.get("model_name")?.as_str());
    let is_atif = reading.shape == RecordShape::Atif;
    RunFacts {
        agent: first(AGENTS),
        model: first(MODELS).or_else(|| of_turns().filter(|_| is_atif).map(str::to_owned)),
        micros: if is_atif { micros(reading) } else { None },
        usage: all_usage(reading),
        ..RunFacts::default()
    }
}

/// Tokens and cost: what the record says of the whole, else the sum of its steps.
fn all_usage(reading: &Reading<'_>) -> Usage {
    let of_turns = reading.entries.iter().filter_map(atif::usage);
    let of_messages = usage::usage(reading).into_iter().map(|(_, usage)| usage);
    let sum = of_turns.chain(of_messages).fold(Usage::default(), |sum, one| sum.plus(&one));
    let number_at = |path: &&str| {
        let value = path.split('.').try_fold(reading.root, |value, name| value.get(name))?;
        number::number(value).map(|number| number.value).filter(|cost| cost.is_finite() && *cost >= 0.0)
    };
    let cost = COSTS.iter().find_map(number_at);
    let whole = final_metrics(reading.root);
    Usage {
        input: whole.input.or(sum.input),
        output: whole.output.or(sum.output),
        cache_read: whole.cache_read.or(sum.cache_read),
        cache_write: sum.cache_write,
        cost: cost.or(sum.cost),
    }
}

/// D18: the tokens of an ATIF trajectory.
fn final_metrics(root: &Value<'_>) -> Usage {
    let metrics = root.get("final_metrics");
    let count = |key: &str| metrics.and_then(|metrics| metrics.get(key)?.as_number()?.parse::<u64>().ok());
    let cached = count("total_cached_tokens");
    Usage {
        input: count("total_prompt_tokens").map(|all| all.saturating_sub(cached.unwrap_or(0))),
        output: count("total_completion_tokens"),
        cache_read: cached,
        ..Usage::default()
    }
}

/// From the first time of a step to the last.
fn micros(reading: &Reading<'_>) -> Option<u64> {
    let times = reading.entries.iter().filter_map(|entry| Timestamp::read(entry.value.get("timestamp")?.as_str()?));
    let (first, last) = times.fold(None, |all: Option<(Timestamp, Timestamp)>, time| {
        Some(all.map_or((time, time), |(first, last)| (first.min(time), last.max(time))))
    })?;
    u64::try_from(last.since(first)).ok().filter(|micros| *micros > 0)
}

#[cfg(test)]
mod tests {
    use super::super::Way;
    use super::*;
    use crate::json::parse;

    fn facts(text: &str) -> RunFacts {
        run_facts(&Way::Formats.read(&parse(text).unwrap()))
    }

    #[test]
    fn an_atif_trajectory_says_what_its_run_was() {
        let of = facts(
            r#"{"schema_version":"ATIF-v1.5","agent":{"name":"terminus","version":"2","model_name":"m"},"steps":[
            {"step_id":1,"source":"user","message":"go","timestamp":"2026-05-01T10:00:00Z"},
            {"step_id":2,"source":"agent","message":"ok","timestamp":"2026-05-01T10:01:30Z",
                "metrics":{"prompt_tokens":10,"completion_tokens":2,"cost_usd":0.25}}],
            "final_metrics":{"total_prompt_tokens":30,"total_cached_tokens":10}}"#,
        );
        assert_eq!((of.agent.as_deref(), of.model.as_deref()), (Some("terminus"), Some("m")));
        assert_eq!(of.micros, Some(90_000_000));
        let usage =
            Usage { input: Some(20), output: Some(2), cache_read: Some(10), cache_write: None, cost: Some(0.25) };
        assert_eq!(of.usage, usage);
    }

    #[test]
    fn what_a_record_does_not_say_is_not_known() {
        let messages = r#""messages":[{"role":"user","content":"go"},{"role":"assistant","content":"ok"}]"#;
        assert_eq!(facts(&format!("{{{messages}}}")), RunFacts::default());
        let of = facts(&format!(r#"{{{messages},"details":{{"model":"m","cost":"0.5"}},"agent":{{"id":1}}}}"#));
        assert_eq!((of.model.as_deref(), of.agent), (Some("m"), None));
        assert_eq!(facts(&format!(r#"{{{messages},"cost":0}}"#)).usage.cost, Some(0.0));
    }
}
