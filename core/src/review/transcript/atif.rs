//! An ATIF trajectory (D18, `FORMATS.md` 5): a result is in the step of its call.

use super::{Answer, Message, Transcript, content, function, object, picture};
use crate::json::quote;
use crate::model::{Attachment, StepRole, Usage};

/// The version that is written: the first with trajectories in a trajectory has nothing else that is used here.
const VERSION: &str = "ATIF-v1.7";

/// Writes a transcript.
pub(super) fn write(transcript: &mut Transcript) -> String {
    transcript.leave_calls_of_others();
    transcript.count_bare_arguments();
    let named = transcript.messages.iter().filter_map(|message| message.result.as_ref());
    let named = named.filter(|answer| is_named(answer, transcript)).count();
    (0..named).for_each(|_| transcript.lose("names of results"));
    let messages = std::mem::take(&mut transcript.messages);
    for message in &messages {
        count(message, transcript);
    }
    transcript.messages = messages;
    let mut results: Vec<Vec<String>> = transcript.messages.iter().map(|_| Vec::new()).collect();
    for (number, message) in transcript.messages.iter().enumerate() {
        if !is_result(message) {
            continue;
        }
        let answer = message.result.as_ref();
        let id = answer.and_then(|answer| transcript.answered(answer)).map(|call| quote(&call.id));
        let id = id.map_or_else(String::new, |id| format!("\"source_call_id\":{id},"));
        let place = answer.and_then(|answer| answer.call).map_or(number, |(asked, _)| asked);
        if let Some(of_step) = results.get_mut(place) {
            let text = answer.map_or_else(|| message.texts.join("\n\n"), |answer| answer.text.clone());
            let content = content(&text, &message.files, image);
            of_step.push(format!("{{{id}\"content\":{content}}}"));
        }
    }
    let mut steps = Vec::new();
    for (message, results) in transcript.messages.iter().zip(&results) {
        let has_step = message.result.as_ref().is_none_or(|answer| answer.call.is_none());
        if has_step {
            steps.push(step(steps.len() + 1, message, results));
        }
    }
    let all = transcript.messages.iter().map(usage_of).fold(Usage::default(), |sum, usage| sum.plus(&usage));
    let sums = metrics(&all, "total_").map_or_else(String::new, |sums| format!(",{sums}"));
    let model =
        transcript.model.as_deref().map_or_else(String::new, |model| format!(",\"model_name\":{}", quote(model)));
    let (id, name) = (quote(&transcript.id), quote(transcript.source));
    let tools = transcript.others.iter().find(|(name, value)| name == "tools" && value.starts_with('['));
    let used: &[&str] = if tools.is_some() { &["tools"] } else { &[] };
    let tools = tools.map_or_else(String::new, |(_, tools)| format!(",\"tool_definitions\":{tools}"));
    let others = transcript.other_members(used);
    let extra = if others.is_empty() { others } else { format!(",\"extra\":{{{others}}}") };
    format!(
        "{{\"schema_version\":\"{VERSION}\",\"trajectory_id\":{id},\"agent\":{{\"name\":{name},\"version\":\"unknown\"{model}{tools}}},\
         \"steps\":[{}]{sums}{extra}}}",
        steps.join(",")
    )
}

/// Whether a message is what came back of a call, be it known or not.
fn is_result(message: &Message) -> bool {
    message.result.is_some() || message.role == StepRole::Environment
}

/// What was recorded of an answer, else the tokens of its words.
fn usage_of(message: &Message) -> Usage {
    let of_words = Usage { output: message.tokens, ..Usage::default() };
    if message.usage == Usage::default() { of_words } else { message.usage }
}

/// Metrics of a step, or of all; ATIF counts the tokens of caches among those of the prompt.
fn metrics(usage: &Usage, total: &str) -> Option<String> {
    let read = [usage.input, usage.cache_read, usage.cache_write];
    let prompt =
        read.iter().any(Option::is_some).then(|| read.iter().flatten().fold(0_u64, |sum, n| sum.saturating_add(*n)));
    let count = |name: &str, count: Option<u64>| count.map(|count| format!("\"{total}{name}\":{count}"));
    let cost = usage.cost.filter(|cost| cost.is_finite()).map(|cost| format!("\"{total}cost_usd\":{cost}"));
    let all = [
        count("prompt_tokens", prompt),
        count("completion_tokens", usage.output),
        count("cached_tokens", usage.cache_read),
        cost,
    ];
    let all: Vec<String> = all.into_iter().flatten().collect();
    let name = if total.is_empty() { "metrics" } else { "final_metrics" };
    (!all.is_empty()).then(|| format!("\"{name}\":{{{}}}", all.join(",")))
}

/// Counts what has no place in a step.
fn count(message: &Message, transcript: &mut Transcript) {
    let is_joined = message.result.as_ref().is_some_and(|answer| answer.call.is_some());
    for (what, is_there) in [
        ("times", message.time.as_deref().is_some_and(|time| is_joined || !is_iso(time))),
        ("rewards of steps", message.reward.is_some() && is_joined),
    ] {
        if is_there {
            transcript.lose(what);
        }
    }
    let lost = message.files.iter().filter(|file| picture(file).is_none());
    lost.for_each(|file| transcript.lose(&format!("attachments of {}", file.media_type)));
}

/// Whether a result has a name that its call does not have.
fn is_named(answer: &Answer, transcript: &Transcript) -> bool {
    let call = transcript.answered(answer);
    answer.name.as_ref().is_some_and(|name| call.is_none_or(|call| call.name != *name))
}

fn is_iso(time: &str) -> bool {
    time.len() >= 10 && time.as_bytes().get(4) == Some(&b'-') && time.starts_with(|c: char| c.is_ascii_digit())
}

fn step(number: usize, message: &Message, results: &[String]) -> String {
    let source = match message.role {
        StepRole::Agent => "agent",
        StepRole::User | StepRole::Unknown => "user",
        StepRole::System | StepRole::Environment => "system",
    };
    let mut members = vec![format!("\"step_id\":{number}")];
    let time = message.time.as_deref().filter(|time| is_iso(time));
    members.extend(time.map(|time| format!("\"timestamp\":{}", quote(time))));
    let (text, files) = if is_result(message) {
        (String::new(), [].as_slice())
    } else {
        (message.texts.join("\n\n"), message.files.as_slice())
    };
    members.push(format!("\"source\":\"{source}\",\"message\":{}", content(&text, files, image)));
    if !message.thoughts.is_empty() {
        members.push(format!("\"reasoning_content\":{}", quote(&message.thoughts.join("\n\n"))));
    }
    let calls: Vec<String> = message.calls.iter().map(call).collect();
    if !calls.is_empty() {
        members.push(format!("\"tool_calls\":[{}]", calls.join(",")));
    }
    if !results.is_empty() {
        members.push(format!("\"observation\":{{\"results\":[{}]}}", results.join(",")));
    }
    members.extend(metrics(&usage_of(message), ""));
    let reward = message.reward.as_ref().filter(|reward| reward.parse::<f64>().is_ok_and(f64::is_finite));
    members.extend(reward.map(|reward| format!("\"extra\":{{\"reward\":{reward}}}")));
    format!("{{{}}}", members.join(","))
}

fn call(call: &super::Call) -> String {
    let (name, arguments) = function(call);
    let (id, name, arguments) = (quote(&call.id), quote(name), object(&arguments));
    format!("{{\"tool_call_id\":{id},\"function_name\":{name},\"arguments\":{arguments}}}")
}

fn image(file: &Attachment<'_>, place: &str) -> String {
    let (media, place) = (quote(&file.media_type), quote(place));
    format!("{{\"type\":\"image\",\"source\":{{\"media_type\":{media},\"path\":{place}}}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_a_prompt_beyond_all_numbers_are_the_greatest() {
        let usage = Usage { input: Some(u64::MAX), cache_read: Some(7), ..Usage::default() };
        let metrics = metrics(&usage, "").unwrap();
        assert!(metrics.contains(r#""prompt_tokens":18446744073709551615,"#), "{metrics}");
    }
}
