//! A standardized trajectory of the Agent Data Protocol (D4, D5).

use super::{Call, Message, Transcript, language, object, picture};
use crate::json::quote;
use crate::model::StepRole;

/// Links of calls by id hold from any version on; a newer one demands an id of every call.
const VERSION: &str = "1.2.0";

/// D12: members that `details` has not.
const NO_DETAILS: [&str; 2] = ["available_apis", "system_prompt"];

/// Writes a transcript.
pub(super) fn write(transcript: &mut Transcript) -> String {
    transcript.leave_calls_of_others();
    transcript.count_bare_arguments();
    (0..seemingly_answered(transcript))
        .for_each(|_| transcript.lose("calls without a result before words of the user"));
    let messages = std::mem::take(&mut transcript.messages);
    for message in &messages {
        count(message, transcript);
    }
    transcript.messages = messages;
    let mut items = Vec::new();
    for (number, message) in transcript.messages.iter().enumerate() {
        put(number, message, transcript, &mut items);
    }
    // D12: these have places of their own.
    let misplaced: Vec<String> = transcript.others.iter().map(|(name, _)| name.clone()).collect();
    let misplaced = misplaced.into_iter().filter(|name| NO_DETAILS.contains(&name.as_str()));
    misplaced.for_each(|name| transcript.lose(&format!("record {name}")));
    format!(
        "{{\"schema_version\":\"{VERSION}\",\"id\":{},\"content\":[{}],\"details\":{{{}}}}}",
        quote(&transcript.id),
        items.join(","),
        transcript.other_members(&NO_DETAILS)
    )
}

/// D10: the calls without a result of which the user speaks next: by its place that is their result now.
fn seemingly_answered(transcript: &Transcript) -> usize {
    let pairs = transcript.messages.iter().zip(transcript.messages.iter().skip(1));
    let is_open = |(number, (last, next)): &(usize, (&Message, &Message))| {
        let last_call = last.calls.len().checked_sub(1);
        let is_open = last_call.is_some_and(|place| !transcript.answered.contains(&(*number, place)));
        is_open && next.role == StepRole::User && next.result.is_none()
    };
    pairs.enumerate().filter(is_open).count()
}

/// Counts what has no place in an item.
fn count(message: &Message, transcript: &mut Transcript) {
    for (what, is_there) in [("times", message.time.is_some()), ("tokens", message.tokens.is_some())] {
        if is_there {
            transcript.lose(what);
        }
    }
    // Actions have no place for pictures.
    let is_agents = message.role == StepRole::Agent;
    let lost = message.files.iter().filter(|file| is_agents || picture(file).is_none());
    lost.for_each(|file| transcript.lose(&format!("attachments of {}", file.media_type)));
}

fn put(number: usize, message: &Message, transcript: &Transcript, items: &mut Vec<String>) {
    if let Some(answer) = &message.result {
        let call = transcript.answered(answer);
        let name = answer.name.as_ref().or(call.map(|call| &call.name)).map_or("null".to_owned(), |name| quote(name));
        let id = call.map_or_else(String::new, |call| format!(",\"tool_call_id\":{}", quote(&call.id)));
        let text = quote(&answer.text);
        let reward = reward(message);
        let class = "\"class_\":\"text_observation\",\"source\":\"environment\"";
        items.push(format!("{{{class},\"content\":{text},\"name\":{name}{id}{reward}}}"));
        return put_pictures(message, "environment", "", items);
    }
    if message.role == StepRole::Agent {
        return put_actions(number, message, transcript, items);
    }
    let (source, name) = match message.role {
        StepRole::User => ("user", "null"),
        StepRole::System => ("environment", "\"system\""),
        _ => ("environment", "null"),
    };
    let mut reward = reward(message);
    let text = message.texts.join("\n\n");
    if !text.is_empty() {
        let text = quote(&text);
        let class = format!("\"class_\":\"text_observation\",\"source\":\"{source}\"");
        items.push(format!("{{{class},\"content\":{text},\"name\":{name}{}}}", std::mem::take(&mut reward)));
    }
    put_pictures(message, source, &reward, items);
}

/// The pictures of a message; the reward is that of the first.
fn put_pictures(message: &Message, source: &str, reward: &str, items: &mut Vec<String>) {
    for (number, place) in message.files.iter().filter_map(picture).enumerate() {
        let class = format!("\"class_\":\"image_observation\",\"source\":\"{source}\"");
        let reward = if number == 0 { reward } else { "" };
        items.push(format!("{{{class},\"content\":{},\"annotations\":null{reward}}}", quote(place)));
    }
}

/// What an agent says and does: words before a call are its description, thoughts are those of the first action.
fn put_actions(number: usize, message: &Message, transcript: &Transcript, items: &mut Vec<String>) {
    let text = message.texts.join("\n\n");
    let mut thought = if message.thoughts.is_empty() {
        String::new()
    } else {
        format!(",\"reasoning_content\":{}", quote(&message.thoughts.join("\n\n")))
    };
    thought.push_str(&reward(message));
    if message.calls.is_empty() {
        let text = quote(&text);
        let class = "\"class_\":\"message_action\"";
        return items.push(format!("{{{class},\"content\":{text},\"description\":null{thought}}}"));
    }
    for (place, call) in message.calls.iter().enumerate() {
        let description = if place == 0 && !text.is_empty() { quote(&text) } else { "null".to_owned() };
        // An id without a result would be a fault of the data.
        let is_answered = transcript.answered.contains(&(number, place));
        let id = if is_answered { format!(",\"tool_call_id\":{}", quote(&call.id)) } else { String::new() };
        let rest = format!("\"description\":{description}{id}{}", std::mem::take(&mut thought));
        items.push(action(call, &rest));
    }
}

/// A call of a function, or of code in a language of D9.
fn action(call: &Call, rest: &str) -> String {
    match language(call) {
        Some(language) => {
            let (language, code) = (quote(language), &call.arguments);
            format!("{{\"class_\":\"code_action\",\"language\":{language},\"content\":{code},{rest}}}")
        }
        None => {
            let (name, kwargs) = (quote(&call.name), object(&call.arguments));
            format!("{{\"class_\":\"api_action\",\"function\":{name},\"kwargs\":{kwargs},{rest}}}")
        }
    }
}

fn reward(message: &Message) -> String {
    let number = message.reward.as_ref().filter(|reward| reward.parse::<f64>().is_ok_and(f64::is_finite));
    number.map_or_else(String::new, |reward| format!(",\"reward\":{reward}"))
}
