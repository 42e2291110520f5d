//! D5: actions and observations of a standardized trajectory as messages.

use super::call::Call;
use super::content::plain;
use super::message_text::{ChatMessage, Id, Left, Member, count, is_nothing, lose_all, rest};
use super::picture::{of_page, picture};
use crate::json;
use crate::model::StepRole;
use crate::rules::trajectory::{Class, Item, TrajectoryStep};

/// Members of an item that a message carries under their names.
const CARRIED: [&str; 2] = ["name", "reward"];

/// An item as a message; what of it a message cannot say is counted.
pub(super) fn item_message(
    entries: &[TrajectoryStep<'_>],
    step: usize,
    item: &Item<'_>,
    left: &mut Left,
) -> ChatMessage {
    let Some(class) = item.class else {
        return ChatMessage::text(Some(step), StepRole::User, &plain(item.value));
    };
    let mut message =
        if class.is_action() { action(item, class, step) } else { observation(entries, step, item, class) };
    let fields: &[&'static str] = match class {
        Class::ApiAction => &["function", "kwargs", "description"],
        Class::CodeAction => &["language", "content", "description"],
        Class::MessageAction => &["content", "description"],
        Class::WebObservation => &[page(item)],
        _ => &["content"],
    };
    let pictured = match class {
        Class::ImageObservation => item.text("content"),
        Class::WebObservation => of_page(item.value),
        _ => None,
    };
    let picture = pictured.and_then(|content| picture(content, left));
    let carried_page = picture.as_ref().filter(|_| class == Class::WebObservation).map(|_| "image_observation");
    let keys = fields.iter().filter_map(|name| item.field(name)).map(|field| field.key);
    let used: Vec<&str> = ["class_", "class", "source", "tool_call_id", "reasoning_content"]
        .into_iter()
        .chain(keys)
        .chain(carried_page)
        .collect();
    let members = rest(item.value, &used).into_iter().filter(|(_, json)| !is_nothing(json));
    let is_prompt = message.role == StepRole::System;
    let members = members.filter(|(name, _)| !is_prompt || name != "name");
    let (carried, lost): (Vec<Member>, Vec<Member>) = members.partition(|(name, _)| CARRIED.contains(&name.as_str()));
    lose_all(left, "item", &lost);
    match picture {
        Some(picture) if class == Class::ImageObservation || message.content.is_empty() => message.content = picture,
        Some(picture) => message.content.push(picture),
        None if class == Class::ImageObservation => count(left, "picture, whose place is text now"),
        None => {}
    }
    message.others = carried;
    message
}

fn written<'i>(item: &Item<'i>, name: &'static str) -> Option<&'i str> {
    item.text(name).filter(|text| !text.trim().is_empty())
}

fn action(item: &Item<'_>, class: Class, step: usize) -> ChatMessage {
    let content = written(item, "content").filter(|_| class == Class::MessageAction);
    let text = [written(item, "description"), content].into_iter().flatten().collect::<Vec<_>>().join("\n\n");
    let mut message = ChatMessage::text(Some(step), StepRole::Agent, &text);
    message.reasoning = written(item, "reasoning_content").map(str::to_owned);
    let (name, arguments) = match class {
        Class::ApiAction => {
            let arguments = item.field("kwargs").filter(|field| !field.value.is_null());
            (item.text("function"), arguments.map_or_else(|| "{}".to_owned(), |field| plain(field.value)))
        }
        Class::CodeAction => {
            let code = json::quote(item.text("content").unwrap_or_default());
            (item.text("language").or(Some("code")), format!("{{\"code\":{code}}}"))
        }
        _ => (None, String::new()),
    };
    let id = item.text("tool_call_id").map_or_else(|| Id::generated(step, 0), Id::recorded);
    let call = |name: &str| Call {
        id: Some(id),
        name: name.to_owned(),
        arguments: json::quote(&arguments),
        others: Vec::new(),
        order: Default::default(),
    };
    message.calls = name.map(call).into_iter().collect();
    message
}

fn observation(entries: &[TrajectoryStep<'_>], step: usize, item: &Item<'_>, class: Class) -> ChatMessage {
    let text = match class {
        Class::WebObservation => written(item, page(item)).unwrap_or_default().to_owned(),
        _ => item.field("content").map_or(String::new(), |field| plain(field.value)),
    };
    let asked = entries[step].answered().next();
    let answered =
        asked.and_then(|(asked, place)| entries.get(asked)?.calls.get(place).map(|call| (asked, place, call)));
    let answers = answered
        .map(|(asked, place, call)| call.id.as_deref().map_or_else(|| Id::generated(asked, place), Id::recorded));
    let role = match (answers.is_some(), entries[step].role) {
        _ if entries[step].is_prompt() => StepRole::System,
        (true, _) | (_, StepRole::Environment) => StepRole::Environment,
        (_, StepRole::Agent) => StepRole::Agent,
        _ => StepRole::User,
    };
    let recorded_id = item.text("tool_call_id").filter(|_| role == StepRole::Environment).map(Id::recorded);
    ChatMessage { answers: answers.or(recorded_id), ..ChatMessage::text(Some(step), role, &text) }
}

/// The field that reports a page.
fn page(item: &Item<'_>) -> &'static str {
    if written(item, "axtree").is_some() { "axtree" } else { "html" }
}
