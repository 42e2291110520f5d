//! Tokens of the answers of a conversation: what each message reports, or what came back with the last one.

use super::entry::{Body, TrajectoryStep};
use super::reading::{Reading, Way};
use super::track::Track;
use crate::json::{Value, nearest};
use crate::model::{StepRole, Usage};
use crate::rules::model_usage::{model_usage, part_usage};
use std::collections::HashSet;

/// Where a message has its tokens, as pointers: interfaces of OpenAI and Anthropic, LangChain, Strands, Haystack, Agno.
const OF_MESSAGE: [&str; 7] = [
    "/usage",
    "/usage_metadata",
    "/response_metadata/token_usage",
    "/response_metadata/usage",
    "/metadata/usage",
    "/meta/usage",
    "/metrics",
];

/// Where what came back has them beside its message.
const BESIDE: [&str; 2] = ["usage", "usage_details"];

/// The tokens of each step of a row that reports any, by the number of the step.
pub(crate) fn usage(reading: &Reading<'_>) -> Vec<(usize, Usage)> {
    if reading.way == Way::Protocol {
        return Vec::new();
    }
    let (mut all, mut seen) = (Vec::new(), HashSet::new());
    for track in &reading.tracks {
        let entry = |step: usize| reading.entries.get(step).filter(|entry| is_agents(entry));
        let of_message = |step: usize| Some((step, message_usage(entry(step)?.value)?));
        let begin = all.len();
        all.extend(track.steps.clone().filter_map(of_message));
        let last = track.steps.clone().next_back().filter(|step| all.len() == begin && entry(*step).is_some());
        // Several answers to one request count once.
        let beside = last.and_then(|step| Some((step, beside(reading, track, step)?)));
        all.extend(beside.filter(|(_, (start, _))| seen.insert(*start)).map(|(step, (_, usage))| (step, usage)));
    }
    all
}

fn is_agents(entry: &TrajectoryStep<'_>) -> bool {
    matches!(entry.body, Body::Message(_)) && entry.role == StepRole::Agent
}

fn at<'a>(value: &'a Value<'a>, pointer: &str) -> Option<&'a Value<'a>> {
    pointer.split('/').skip(1).try_fold(value, |value, name| value.get(name))
}

/// Tokens, if any are counted.
fn counted(usage: Usage) -> Option<Usage> {
    (usage.input.is_some() || usage.output.is_some()).then_some(usage)
}

fn message_usage(message: &Value<'_>) -> Option<Usage> {
    OF_MESSAGE
        .iter()
        .find_map(|pointer| counted(model_usage(at(message, pointer).filter(|usage| usage.as_object().is_some())?)))
}

/// What the nearest object around an answer reports, and where that is.
fn beside(reading: &Reading<'_>, track: &Track, step: usize) -> Option<(usize, Usage)> {
    let path = track.path(step);
    let mut pointer = path.as_str();
    while let Some((above, _)) = pointer.rsplit_once('/') {
        pointer = above;
        let holder = if pointer.is_empty() { reading.root } else { nearest(reading.root, pointer) };
        let of = |usage: &Value<'_>| counted(model_usage(usage)).or_else(|| counted(part_usage(usage)));
        let found = BESIDE.iter().chain(&["usageMetadata", "usage_metadata"]).find_map(|name| {
            let usage = holder.get(name).filter(|usage| usage.as_object().is_some())?;
            Some((usage.start, of(usage)?))
        });
        // Ollama.
        if let Some(found) = found.or_else(|| Some((holder.start, ollama(holder)?))) {
            return Some(found);
        }
    }
    None
}

/// The counts that Ollama has beside its message.
fn ollama(response: &Value<'_>) -> Option<Usage> {
    let count = |name: &str| response.get(name)?.as_number()?.parse().ok();
    counted(Usage { input: count("prompt_eval_count"), output: count("eval_count"), ..Usage::default() })
}
