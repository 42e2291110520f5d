//! `{"id", "messages"}`, as OpenAI's chat has them.

use super::{Message, Transcript, content, function, picture};
use crate::json::quote;
use crate::model::{Attachment, StepRole};

/// Writes a transcript.
pub(super) fn write(transcript: &mut Transcript) -> String {
    let messages = std::mem::take(&mut transcript.messages);
    for message in &messages {
        count(message, transcript);
    }
    transcript.messages = messages;
    let rows: Vec<String> = transcript.messages.iter().map(|message| row(message, transcript)).collect();
    let others = transcript.other_members(&["id", "messages"]);
    let between = if others.is_empty() { "" } else { "," };
    format!("{{\"id\":{},\"messages\":[{}]{between}{others}}}", quote(&transcript.id), rows.join(","))
}

/// Counts what has no place in a message.
fn count(message: &Message, transcript: &mut Transcript) {
    for (what, is_there) in [
        ("times", message.time.is_some()),
        ("tokens", message.tokens.is_some()),
        ("rewards of steps", message.reward.is_some()),
    ] {
        if is_there {
            transcript.lose(what);
        }
    }
    let lost = message.files.iter().filter(|file| picture(file).is_none());
    lost.for_each(|file| transcript.lose(&format!("attachments of {}", file.media_type)));
}

fn row(message: &Message, transcript: &Transcript) -> String {
    let role = match message.role {
        StepRole::Agent => "assistant",
        StepRole::System => "system",
        StepRole::Environment => "tool",
        StepRole::User | StepRole::Unknown => "user",
    };
    if let Some(answer) = &message.result {
        let call = transcript.answered(answer);
        let id = call.map_or_else(String::new, |call| format!(",\"tool_call_id\":{}", quote(&call.id)));
        let name = answer.name.as_ref().or(call.map(|call| &call.name));
        let name = name.map_or_else(String::new, |name| format!(",\"name\":{}", quote(name)));
        let content = content(&answer.text, &message.files, image);
        return format!("{{\"role\":\"tool\"{id}{name},\"content\":{content}}}");
    }
    let thoughts = if message.thoughts.is_empty() {
        String::new()
    } else {
        format!(",\"reasoning_content\":{}", quote(&message.thoughts.join("\n\n")))
    };
    let calls: Vec<String> = message.calls.iter().map(call).collect();
    let calls = if calls.is_empty() { String::new() } else { format!(",\"tool_calls\":[{}]", calls.join(",")) };
    let content = content(&message.texts.join("\n\n"), &message.files, image);
    format!("{{\"role\":\"{role}\",\"content\":{content}{thoughts}{calls}}}")
}

fn call(call: &super::Call) -> String {
    let (name, arguments) = function(call);
    let (id, name, arguments) = (quote(&call.id), quote(name), quote(&arguments));
    format!("{{\"id\":{id},\"type\":\"function\",\"function\":{{\"name\":{name},\"arguments\":{arguments}}}}}")
}

fn image(_: &Attachment<'_>, place: &str) -> String {
    format!("{{\"type\":\"image_url\",\"image_url\":{{\"url\":{}}}}}", quote(place))
}
