//! Attachments: what the program puts into the model's context between messages, and what that shows of files.

use super::entries::{hash, read_beside};
use super::text;
use crate::format::log::{Log, text_of};
use crate::json::Value;
use crate::model::{StepNo, StepRole, Turn, TurnPart};
use std::borrow::Cow;

/// The system prompt and the tools of the next request, from version 2.1.258 on.
const SNAPSHOT: &str = "prompt_snapshot";

/// The system prompt that is in force: its digest, and the step that gave it.
pub(super) type SystemPrompt = Option<(u64, StepNo)>;

/// What an attachment does beyond its step.
pub(super) fn read(
    record: &Value<'_>,
    kind: &str,
    attachment: &Value<'_>,
    known: &mut SystemPrompt,
    log: &mut Log<'_>,
) {
    match kind {
        "edited_text_file" => edited(attachment, log),
        "file" => attached(attachment, log),
        SNAPSHOT => log.declare_tools(attachment.get("tools")),
        _ => {}
    }
    match text_for_model(record) {
        Some(prompt) if kind == SNAPSHOT => system_prompt(&prompt, known, log),
        Some(_) => log.prompt(),
        None => {}
    }
}

/// A system prompt takes the place of the one before; one that is repeated says nothing new.
fn system_prompt(prompt: &str, known: &mut SystemPrompt, log: &mut Log<'_>) {
    let before = *known;
    let (digest, step) = (hash(prompt), log.next_step() - 1);
    if before.is_some_and(|(known, _)| known == digest) {
        return;
    }
    *known = Some((digest, step));
    log.prompt();
    log.fix();
    before.into_iter().for_each(|(_, earlier)| log.release(earlier));
}

/// What the model is given with a record: the text as it was sent, a system prompt, a file, or the places of one that
/// somebody edited.
pub(super) fn shown(record: &Value<'_>) -> Option<Turn<'static>> {
    let attachment = record.get("attachment")?;
    let words = |role, text| Some(Turn::of(role, vec![TurnPart::Text(Cow::Owned(text))]));
    if let Some(text) = text_for_model(record) {
        let is_user = super::text(record, "renderedRole") == Some("user");
        return words(if is_user { StepRole::User } else { StepRole::System }, text);
    }
    let file = attachment.get("content").and_then(|content| text(content.get("file")?, "content"));
    let shown = text(attachment, "snippet").or(file)?;
    let name = text(attachment, "filename").unwrap_or_default();
    words(StepRole::System, format!("{name}:\n{shown}"))
}

/// The text that the model is sent: as it was rendered, from version 2.1.266 on, or the parts of a system prompt.
pub(super) fn text_for_model(record: &Value<'_>) -> Option<String> {
    let attachment = record.get("attachment")?;
    let is_snapshot = text(attachment, "type") == Some(SNAPSHOT);
    let parts = if is_snapshot { attachment.get("systemPrompt") } else { record.get("rendered") };
    let texts = parts?.as_array()?.iter().filter_map(|part| {
        let content = if is_snapshot { Some(part) } else { part.get("content") };
        content.map(|content| text_of(content).into_owned()).filter(|text| !text.trim().is_empty())
    });
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The model is shown a file as if it had read it.
fn attached(attachment: &Value<'_>, log: &mut Log<'_>) {
    let content = attachment.get("content").filter(|content| content.get("file").is_some());
    if let (Some(path), Some(content)) = (text(attachment, "filename"), content) {
        log.prompt();
        read_beside(path, "", Some(content.text), "", log);
    }
}

/// The model is shown the places of a file that somebody else edited: it has the effects of a read of some lines.
fn edited(attachment: &Value<'_>, log: &mut Log<'_>) {
    let (Some(path), Some(snippet)) = (text(attachment, "filename"), text(attachment, "snippet")) else { return };
    log.prompt();
    read_beside(path, ",\"offset\":1,\"limit\":1", None, snippet, log);
}
