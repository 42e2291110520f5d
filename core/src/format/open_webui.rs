//! Chats of Open WebUI, as it exports them: trees of messages.

#[cfg(test)]
mod tests;

use super::log::{
    Adapter, Branches, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, SetRow, first, first_text, form, items,
    model_usage, ordered, role_of, show, text, text_of, write_slots, write_title,
};
use crate::json::Value;
use crate::model::{Attachment, StepRole, Surroundings, Turn, TurnPart};
use std::borrow::Cow;
use std::collections::HashMap;

/// Chats of Open WebUI.
pub(super) static OPEN_WEBUI: SetRow = SetRow {
    name: "open-webui",
    title: "Open WebUI chat",
    about: "Chats that Open WebUI exports: an array of records with `title` and `chat`, each a trajectory, or one \
            alone. Its `history` is a tree of messages: the path to `currentId` is the run, other answers were left. \
            State: the chat.",
    run: || Box::new(LogRun::new(Chat)),
    samples: &[CHAT],
    ..SetRow::BASE
};

/// A chat with two answers, of which one failed.
const CHAT: &str = r#"[{"id":"k1","user_id":"u","title":"Greeting","created_at":1777629600,"updated_at":1777629610,
    "chat":{"title":"Greeting","models":["m"],"params":{},"history":{"messages":{
    "q":{"id":"q","parentId":null,"childrenIds":["a","b"],"role":"user","content":"say hi","timestamp":1777629600,
        "files":[{"type":"file","name":"a.pdf","id":"f1"}]},
    "a":{"id":"a","parentId":"q","childrenIds":[],"role":"assistant","content":"","model":"m","timestamp":1777629601,
        "error":{"content":"no model"}},
    "b":{"id":"b","parentId":"q","childrenIds":[],"role":"assistant","content":"Hi.","model":"m","done":true,
        "timestamp":1777629605,"usage":{"prompt_tokens":9,"completion_tokens":2}}},"currentId":"b"}}}]"#;

/// The words of a message, and its files.
const WORDS: Form = FIRST_ADAPTER_FORM;

/// Members of a record that are its state.
const SLOTS: [&str; 6] = ["id", "title", "created_at", "updated_at", "folder_id", "meta"];

/// Reads a chat.
struct Chat;

impl Adapter for Chat {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        write_title(log, record, &["title", "id"]);
        write_slots(log, "chat", "main", record, &SLOTS);
        let Some(chat) = record.get("chat") else { return };
        write_slots(log, "chat", "main", chat, &["models", "params", "system"]);
        let history = chat.get("history");
        let listed = history.and_then(|history| history.get("messages")?.as_object());
        let messages: Vec<(&str, &Value<'_>)> = listed.into_iter().flat_map(|all| all.entries()).collect();
        let places: HashMap<&str, usize> = messages.iter().enumerate().map(|(at, (id, _))| (*id, at)).collect();
        let parents: Vec<Option<usize>> =
            messages.iter().map(|(_, message)| places.get(text(message, "parentId")?).copied()).collect();
        let last = history.and_then(|history| places.get(text(history, "currentId")?)).copied();
        let mut branches = Branches::new(&parents, log.next_step());
        for place in ordered(&parents, last.or(messages.len().checked_sub(1))) {
            let begin = log.next_step();
            if let Some((_, message)) = messages.get(place.at) {
                add_message(message, log);
            }
            branches.end(place, begin, log);
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match (form, values.first()) {
            (WORDS, Some(message)) => Turn::of(StepRole::Unknown, words(message)),
            _ => show(form, values),
        }
    }
}

fn add_message(message: &Value<'_>, log: &mut Log<'_>) {
    let role = text(message, "role").map_or(StepRole::Unknown, role_of);
    let model = text(message, "model").filter(|_| role == StepRole::Agent).map(Cow::Borrowed);
    log.surroundings(&Surroundings { model, ..Surroundings::default() });
    let (values, time) = ([message], first(message, &["timestamp"]));
    let error = first(message, &["error"]).filter(|error| error.as_bool() != Some(false));
    if error.is_none() || !words(message).is_empty() {
        let draft = Draft::of(Kind::Message, WORDS, &values);
        log.step(&Draft { role, class: text(message, "role"), time, ..draft });
    }
    if let Some(error) = error {
        let values = [first(error, &["content"]).unwrap_or(error)];
        let draft = Draft { is_failed: true, ..Draft::of(Kind::State, form::MESSAGE, &values) };
        log.step(&Draft { role: StepRole::System, class: Some("error"), time, ..draft });
    }
    if let Some(usage) = first(message, &["usage"]) {
        log.usage(None, &model_usage(usage));
    }
}

fn words<'v>(message: &'v Value<'v>) -> Vec<TurnPart<'v>> {
    let words = first(message, &["content"]).map(text_of).filter(|words| !words.is_empty());
    let files = items(message, "files").iter().map(|file| {
        TurnPart::Attachment(Attachment {
            media_type: Cow::Borrowed(text(file, "type").unwrap_or("file")),
            location: first_text(file, &["name", "url", "id"])
                .filter(|place| !place.starts_with("data:"))
                .map(Cow::Borrowed),
            bytes: file.text.len() as u64,
        })
    });
    words.map(TurnPart::Text).into_iter().chain(files).collect()
}
