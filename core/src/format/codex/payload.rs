//! Members of the payloads of rollouts beside their items: flags, instructions, settings, tokens.

use crate::format::log::{Log, count, first_text, text, text_of};
use crate::json::Value;
use crate::model::{StepRole, Surroundings, Turn, TurnPart, Usage};
use std::borrow::Cow;

/// A flag of a response item, in its metadata or in those of its record.
pub(super) fn flag_of(record: &Value<'_>, payload: &Value<'_>, name: &str) -> bool {
    let of = |value: &Value<'_>| value.get("metadata").and_then(|metadata| metadata.get(name)?.as_bool());
    of(record).or_else(|| of(payload)) == Some(true)
}

/// The system prompt of a session.
pub(super) fn instructions<'v>(meta: &'v Value<'v>) -> Option<&'v str> {
    text(meta.get("base_instructions")?, "text").filter(|text| !text.is_empty())
}

pub(super) fn is_added(record: &Value<'_>, payload: &Value<'_>) -> bool {
    flag_of(record, payload, "additional_context_tool_output")
}

/// Beginnings of texts that Codex adds to the context with the role of the user.
const INJECTED: [&str; 6] = [
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<skills_instructions>",
    "<turn_aborted>",
    "# AGENTS.md instructions",
];

/// Elements that are such a text only if they are the whole text, since a user may quote one.
const INJECTED_ELEMENTS: [&str; 6] =
    ["subagent_notification", "user_shell_command", "skill", "hook_prompt", "goal_context", "codex_internal_context"];

/// Whether Codex, and not the user, wrote a message of the role user. Such a message begins no turn.
pub(super) fn is_injected(message: &Value<'_>) -> bool {
    let parts = message.get("content").and_then(Value::as_array).unwrap_or_default();
    parts.iter().filter_map(|part| text(part, "text")).any(|text| is_injected_text(text.trim()))
}

fn is_injected_text(text: &str) -> bool {
    let after = |mark: &str| text.get(mark.len()..).filter(|_| text[..mark.len()].eq_ignore_ascii_case(mark));
    let is_element = |name: &&str| {
        after(&format!("<{name}")).is_some_and(|rest| {
            let end = format!("</{name}>");
            let from = rest.len().checked_sub(end.len());
            let ends = from.and_then(|from| rest.get(from..)).is_some_and(|last| last.eq_ignore_ascii_case(&end));
            rest.starts_with(['>', ' ', '\n']) && ends
        })
    };
    INJECTED.iter().any(|mark| after(mark).is_some()) || INJECTED_ELEMENTS.iter().any(is_element)
}

/// Whether a message is reasoning: Trae marks it by its channel.
pub(super) fn is_reasoning(message: &Value<'_>) -> bool {
    matches!(text(message, "channel"), Some("analysis" | "reasoning"))
}

/// What replaces the compacted messages in the context: the messages that are listed, else the summary.
pub(super) fn compacted_text(payload: &Value<'_>) -> String {
    let Some(history) = payload.get("replacement_history").and_then(Value::as_array) else {
        return first_text(payload, &["message"]).unwrap_or_default().to_owned();
    };
    history.iter().filter_map(|item| item.get("content")).map(text_of).collect()
}

/// The listed messages that replace the compacted ones, joined to one; None if none are listed.
pub(super) fn replacement(payload: &Value<'_>) -> Option<Turn<'static>> {
    let history = payload.get("replacement_history")?.as_array()?;
    let messages = || history.iter().filter(|item| text(item, "type") == Some("message"));
    let words = messages().filter_map(|item| item.get("content")).map(text_of).filter(|words| !words.is_empty());
    let parts: Vec<TurnPart<'static>> = words.map(|words| TurnPart::Text(words.into_owned().into())).collect();
    let are_of_user = messages().all(|item| matches!(text(item, "role"), Some("user" | "developer")));
    let role = if are_of_user { StepRole::User } else { StepRole::System };
    (!parts.is_empty()).then(|| Turn::of(role, parts))
}

/// The settings of a turn or of the thread.
pub(super) fn surround(settings: &Value<'_>, log: &mut Log<'_>) {
    let of = |keys: &[&str]| first_text(settings, keys).map(|text| Cow::Owned(text.to_owned()));
    log.surroundings(&Surroundings {
        cwd: of(&["cwd"]),
        model: of(&["model"]),
        mode: of(&["approval_policy"]),
        effort: of(&["effort", "reasoning_effort"]),
        ..Surroundings::default()
    });
}

/// Tokens of an answer. Codex includes cached tokens in the input; here they are apart.
pub(super) fn tokens(usage: &Value<'_>) -> Usage {
    let written = ["cache_write_input_tokens", "cache_creation_input_tokens"].iter().find_map(|key| count(usage, key));
    let cached = count(usage, "cached_input_tokens");
    let apart = cached.unwrap_or_default().saturating_add(written.unwrap_or_default());
    Usage {
        input: count(usage, "input_tokens").map(|all| all.saturating_sub(apart)),
        output: count(usage, "output_tokens"),
        cache_read: cached,
        cache_write: written,
        cost: None,
    }
}
