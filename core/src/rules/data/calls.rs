//! Calls and answers that do not fit, in conversations and ATIF; of standardized trajectories the rules of their format
//! (D10, D11) say it. Calls made again and again, in all.

use super::Report;
use super::tools::{self, Declared};
use crate::json::{self, Data, Value};
use crate::model::StepRole;
use crate::rules::digest;
use crate::rules::trajectory::call::{self, LISTS};
use crate::rules::trajectory::{
    Ask, Body, Call, CallSource, Class, Reading, RecordShape, Track, TrajectoryStep, blocks, is_finishing, says_calls,
    written_call,
};
use std::collections::HashSet;

/// The same call so often in a row is a loop.
const LOOP_MIN: usize = 4;
/// The same two or three calls in turn so often are one.
const CYCLES_MIN: usize = 3;
const PERIODS: [usize; 2] = [2, 3];

/// All rules on calls: of each trajectory by itself.
pub(super) fn check(reading: &Reading<'_>, report: &mut Report<'_>) {
    for track in &reading.tracks {
        if reading.shape != RecordShape::Std {
            unanswered(reading, track, report);
        }
        unread(reading, track, report);
        loops(reading, track, report);
        double_encoded(reading, track, report);
    }
    if reading.shape != RecordShape::Std {
        declared(reading, report);
    }
}

/// The steps of a trajectory.
fn steps<'r, 'a>(
    reading: &'r Reading<'a>,
    track: &Track,
) -> impl DoubleEndedIterator<Item = (usize, &'r TrajectoryStep<'a>)> {
    track.steps.clone().filter_map(|step| Some((step, reading.entries.get(step)?)))
}

/// Calls that nothing answers though the agent goes on, and answers to no call.
fn unanswered(reading: &Reading<'_>, track: &Track, report: &mut Report<'_>) {
    let last_agent =
        steps(reading, track).rev().find(|(_, entry)| entry.role == StepRole::Agent).map_or(0, |(at, _)| at);
    let answered: HashSet<(usize, usize)> = steps(reading, track).flat_map(|(_, entry)| entry.answered()).collect();
    for (step, entry) in steps(reading, track) {
        // What comes back of several calls without ids may be one list.
        let is_answered = (0..entry.calls.len()).any(|place| answered.contains(&(step, place)));
        let open = |(place, call): (usize, &Call<'_>)| {
            let may_be_listed = is_answered && call.id.is_none();
            !is_finishing(&call.tool) && !answered.contains(&(step, place)) && !may_be_listed
        };
        if step < last_agent && entry.calls.iter().enumerate().any(open) {
            let message = "a call of this step has no answer, and the agent goes on";
            report.warning(Some(step), track.path(step), entry.value, "data.unanswered-call", message);
        }
        // Without an id it may answer what the agent said in words, as many conversations have it.
        let is_answer = reading.shape == RecordShape::Chat && entry.asks.iter().any(|ask| matches!(ask, Ask::Id(_)));
        if is_answer && !entry.has_answered() {
            let message = "this names the call that it answers, and no open call before it has that id";
            report.warning(Some(step), track.path(step), entry.value, "data.answer-without-call", message);
        }
    }
}

/// Calls of tools that the record does not declare, and arguments that break the schema of their tool.
fn declared(reading: &Reading<'_>, report: &mut Report<'_>) {
    let lists: Vec<&Value<'_>> = reading.tool_lists().collect();
    let texts = lists.iter().filter_map(|list| list.as_str());
    let parsed: Vec<Value<'_>> = texts.filter_map(|text| json::parse(text).ok()).collect();
    let mut tools = Declared::new();
    lists.iter().for_each(|list| tools::declare(list, &mut tools));
    parsed.iter().for_each(|list| tools::declare(list, &mut tools));
    for (step, entry) in reading.entries.iter().enumerate() {
        let path = reading.path(step);
        let is_undeclared = |call: &&Call<'_>| call.tool != "?" && !tools.contains_key(call.tool.as_ref());
        if let Some(call) = entry.calls.iter().find(is_undeclared).filter(|_| !tools.is_empty()) {
            let message = format!("`{}` is none of the {} tools that the record declares", call.tool, tools.len());
            report.warning(Some(step), path.clone(), entry.value, "data.undeclared-tool", message);
        }
        arguments(entry, step, &path, &tools, report);
    }
}

/// The calls of a step that are in it as they are, each with its pointer below it.
fn calls_at<'a>(value: &'a Value<'a>) -> Vec<(String, &'a Value<'a>)> {
    let mut found = blocks::calls_at(value);
    for key in LISTS {
        match value.get(key).map(|list| (list, &list.data)) {
            Some((_, Data::Array(items))) => {
                found.extend(items.iter().enumerate().map(|(place, item)| (format!("/{key}/{place}"), item)));
            }
            Some((single, Data::Object(_))) => found.push((format!("/{key}"), single)),
            _ => {}
        }
    }
    found
}

/// Each call of a step with its pointer below the step, and the value of the record that it is in: the call itself, or
/// a string that is JSON of it.
fn each_call(entry: &TrajectoryStep<'_>, visit: &mut dyn FnMut(&str, &Value<'_>, &Value<'_>)) {
    for (place, value) in calls_at(entry.value) {
        match value.as_str().and_then(|text| json::parse_lenient(text).ok()) {
            Some(inner) => visit(&place, &inner, value),
            None => visit(&place, value, value),
        }
    }
    let Body::Message(message) = &entry.body else { return };
    let Some(key) = message.text_key.filter(|key| says_calls(message.speaker) && !key.is_empty()) else { return };
    let Some(holder) = entry.value.get(key) else { return };
    let Some(Ok(all)) = holder.as_str().map(json::parse_lenient) else { return };
    let items = all.as_array().unwrap_or(std::slice::from_ref(&all));
    items.iter().for_each(|item| visit(&format!("/{key}"), item, holder));
}

fn arguments(entry: &TrajectoryStep<'_>, step: usize, path: &str, tools: &Declared<'_>, report: &mut Report<'_>) {
    each_call(entry, &mut |place, value, holder| {
        let Some(called) = call::call(value) else { return };
        let (below, arguments) = call::arguments_at(value).unwrap_or((String::new(), value));
        // What a custom tool takes is a text of its own.
        if value.get("custom").is_some() {
            return;
        }
        let name = &called.name;
        let is_inside = !std::ptr::eq(value, holder);
        let is_row = report.is_row && arguments.as_str().is_none() && !is_inside;
        let fault = match called.arguments.as_deref().map(json::parse) {
            Some(Err(e)) => {
                Some((String::new(), format!("the arguments of `{name}` are not valid JSON: {}", e.message)))
            }
            Some(Ok(parsed)) if parsed.as_object().is_none() && !parsed.is_null() && parsed.as_str().is_none() => {
                Some((String::new(), format!("the arguments of `{name}` are no JSON object: {}", parsed.type_name())))
            }
            Some(Ok(parsed)) => broken(&parsed, name, tools, is_row),
            None => broken(arguments, name, tools, is_row),
        };
        if let Some((rest, message)) = fault {
            // Inside a string of JSON there is no path of the record.
            let (path, at) = match is_inside {
                true => (format!("{path}{place}"), holder),
                false if arguments.as_str().is_some() || below.is_empty() => {
                    (format!("{path}{place}{below}"), arguments)
                }
                false => (format!("{path}{place}{below}{rest}"), arguments),
            };
            report.warning(Some(step), path, at, "data.arguments", message);
        }
    });
}

fn broken(arguments: &Value<'_>, name: &str, tools: &Declared<'_>, is_row: bool) -> Option<(String, String)> {
    let schema = tools.get(name).copied().flatten()?;
    let (path, why) = tools::breaks(arguments, schema, is_row)?;
    let at = if path.is_empty() { String::new() } else { format!(" at {path}") };
    Some((path, format!("the arguments of `{name}` break its schema{at}: {why}")))
}

/// How calls begin that others than the rules of conversations can read.
const WRITTEN: &[&str] = &["<function=", "<tool_call>", "[TOOL_CALLS]", "<invoke "];

/// What is meant as a call and cannot be read as one: the first, and how many there are.
fn unread(reading: &Reading<'_>, track: &Track, report: &mut Report<'_>) {
    let mut found = steps(reading, track).filter(|(_, entry)| is_unread(entry));
    let Some((step, entry)) = found.next() else { return };
    let what = match entry.body {
        Body::Message(_) => "the speaker is `function_call`, and the message has no call",
        _ => "the text of a message holds `<function=NAME>`, which is no call here",
    };
    let message = match found.count() {
        0 => what.to_owned(),
        1 => format!("{what}; 1 later step is so too"),
        more => format!("{what}; {more} later steps are so too"),
    };
    report.warning(Some(step), track.path(step), entry.value, "data.unread-call", message);
}

fn is_unread(entry: &TrajectoryStep<'_>) -> bool {
    match &entry.body {
        Body::Message(message) => {
            let text = message.text.as_deref().unwrap_or_default();
            // Many datasets write the call as JSON, alone or after words.
            let is_json = || text.contains("\"name\"") && text.contains('{');
            let is_intended_call = message.speaker == "function_call" && entry.calls.is_empty();
            is_intended_call && !WRITTEN.iter().any(|begin| text.contains(begin)) && !is_json()
        }
        Body::Item(item) => {
            let is_message = item.class == Some(Class::MessageAction);
            is_message && item.text("content").is_some_and(|text| written_call(text).is_some())
        }
        Body::Turn | Body::Record => false,
    }
}

/// The same call with the same arguments, again and again, whatever comes back.
fn loops(reading: &Reading<'_>, track: &Track, report: &mut Report<'_>) {
    let entries = &reading.entries;
    let calls = steps(reading, track).flat_map(|(step, entry)| {
        entry.calls.iter().enumerate().map(move |(place, call)| (step, digest_of(entry, place, call)))
    });
    let calls: Vec<(usize, u128)> = calls.collect();
    if let Some((period, first, at)) = cycle(&calls) {
        let (begin, step) = (calls[first].0, calls[at].0);
        let message = format!(
            "the same {period} calls are made in turn {CYCLES_MIN} times or more, from step {begin} on, with the same \
             arguments"
        );
        report.warning(Some(step), track.path(step), entries[step].value, "data.loop", message);
    }
    for run in calls.chunk_by(|a, b| a.1 == b.1).filter(|run| run.len() >= LOOP_MIN) {
        let (first, step, n) = (run[0].0, run[LOOP_MIN - 1].0, run.len());
        let tool = entries[first].tool().unwrap_or("?");
        let texts = |pair: &[(usize, u128)]| {
            let between = entries.get(pair[0].0 + 1..pair[1].0).unwrap_or_default().iter();
            between.filter(|entry| entry.role != StepRole::Agent).map(digest_of_text).collect::<Vec<_>>()
        };
        let mut back = run.windows(2).map(texts);
        let one = back.next();
        let back = if back.all(|other| Some(&other) == one.as_ref()) {
            "the same comes back"
        } else {
            "what comes back differs"
        };
        let message = format!("the same call of `{tool}` is made {n} times in a row, from step {first} on; {back}");
        report.warning(Some(step), track.path(step), entries[step].value, "data.loop", message);
    }
}

/// Of the first run that repeats two or three calls in turn: how many calls that are, and the places in the list of its
/// first call and of the last one of its third time.
fn cycle(calls: &[(usize, u128)]) -> Option<(usize, usize, usize)> {
    PERIODS.into_iter().find_map(|period| {
        let mut alike = 0;
        for at in period..calls.len() {
            let is_alike = calls[at].1 == calls[at - period].1;
            alike = if is_alike { alike + 1 } else { 0 };
            let begin = at + 1 - alike;
            // One call again and again is a loop of period 1.
            let unit = calls.get(begin.saturating_sub(period)..begin).unwrap_or_default();
            let is_one = unit.windows(2).all(|pair| pair[0].1 == pair[1].1);
            if alike == period * (CYCLES_MIN - 1) && !is_one {
                return Some((period, begin - period, at));
            }
        }
        None
    })
}

/// Arguments that are JSON in a JSON string in a string: the first of each step.
fn double_encoded(reading: &Reading<'_>, track: &Track, report: &mut Report<'_>) {
    for (step, entry) in steps(reading, track) {
        let mut is_found = false;
        each_call(entry, &mut |place, value, holder| {
            let Some((below, arguments)) = call::arguments_at(value).filter(|_| !is_found) else { return };
            let Some(text) = arguments.as_str().filter(|text| text.trim_start().starts_with('"')) else { return };
            let inner = json::parse(text).ok();
            let inner = inner.as_ref().and_then(Value::as_str).and_then(|inner| json::parse(inner).ok());
            is_found = inner.is_some_and(|inner| inner.as_object().is_some());
            if is_found {
                let message = "the arguments are JSON in a JSON string: encoded twice";
                let (below, at) =
                    if std::ptr::eq(value, holder) { (below, arguments) } else { (String::new(), holder) };
                let path = format!("{}{place}{below}", track.path(step));
                report.warning(Some(step), path, at, "data.double-encoded", message);
            }
        });
    }
}

/// What a step says, without ids.
fn digest_of_text(entry: &TrajectoryStep<'_>) -> u128 {
    let keys = ["content", "value", "text", "axtree", "html"];
    digest::of(keys.into_iter().find_map(|key| entry.value.get(key)).unwrap_or(entry.value))
}

/// A call and what it is called with.
fn digest_of(entry: &TrajectoryStep<'_>, place: usize, call: &Call<'_>) -> u128 {
    if let Some(arguments) = call.arguments {
        return digest::of_pair("tool", &call.tool, "with", arguments);
    }
    if let Body::Message(message) = &entry.body
        && let Some(function) = CallSource::of(entry.value, message).into_calls().into_iter().nth(place)
    {
        let arguments = function.arguments.as_deref().unwrap_or("{}");
        return match json::parse(arguments) {
            Ok(value) => digest::of_pair("tool", &call.tool, "with", &value),
            Err(_) => digest::of_text(&call.tool, arguments),
        };
    }
    // In a message the call follows words of the agent, which change from one time to the next.
    if let Body::Message(message) = &entry.body
        && let Some(written) = message.text.as_deref().and_then(written_call)
    {
        return digest::of_text("call", written);
    }
    let keys = ["content", "code", "value", "text", "function_call"];
    let text = keys.into_iter().find_map(|key| entry.value.get(key)).unwrap_or(entry.value);
    digest::of_pair("tool", &call.tool, "with", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_of_two_and_three_calls_are_loops() {
        let found = |calls: &[u128]| cycle(&calls.iter().enumerate().map(|(i, c)| (i, *c)).collect::<Vec<_>>());
        assert_eq!(found(&[9, 1, 2, 1, 2, 1, 2, 8]), Some((2, 1, 6)));
        assert_eq!(found(&[1, 2, 3, 1, 2, 3, 1, 2, 3]), Some((3, 0, 8)));
        for none in
            [&[1, 1, 1, 1, 1, 1, 1][..], &[1, 2, 1, 2, 1], &[1, 2, 3, 1, 2, 3, 1, 2], &[1, 2, 1, 3, 1, 4, 1, 5], &[]]
        {
            assert_eq!(found(none), None, "{none:?}");
        }
    }
}
