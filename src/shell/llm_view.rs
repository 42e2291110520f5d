//! The LLM view of a step, laid out as lines.

use super::jobs::Source;
use crate::app::pane::ViewOf;
use crate::format::{ViewLimit, ViewTail};
use crate::panes::text_view::TextLine;
use crate::text::Role;
use std::sync::PoisonError;

/// Most entries and bytes of the LLM view that are laid out, from its end.
const LAID_OUT: ViewLimit = ViewLimit { entries: 2_000, bytes: 512 << 10 };

/// What the model sees at a step, or the messages that it is made of, as lines; of a long view its end.
pub(super) fn lines(source: &Source, of: ViewOf) -> Vec<TextLine> {
    let Some(run) = &source.run else { return Vec::new() };
    let (run, bytes) = (run.read().unwrap_or_else(PoisonError::into_inner), source.bytes.as_ref());
    let raw = if of.has_raw_messages { run.raw_view(of.step, bytes) } else { None };
    let ViewTail { earlier, entries } = match raw {
        Some(raw) => LAID_OUT.tail(raw, Some),
        None => run.view_tail(of.step, bytes, LAID_OUT),
    };
    drop(run);
    let mut out = Vec::new();
    if earlier > 0 {
        let text = format!("… {earlier} earlier entries are not laid out here; `obelus render` prints them all");
        out.push(TextLine::new(Role::Dim, text));
    }
    for entry in &entries {
        if let Some(role) = &entry.role {
            out.push(TextLine::new(speaker(role), format!("── {role} ")).from_step(entry.step));
        }
        // Where a line above says who speaks, the text does not.
        let without_role = entry.role.as_ref().and_then(|role| entry.text.strip_prefix(role)?.strip_prefix(": "));
        for line in without_role.unwrap_or(&entry.text).lines() {
            let role = if line.starts_with("## ") { Role::Kind } else { Role::Text };
            out.push(TextLine::new(role, line).from_step(entry.step));
        }
        out.push(TextLine::new(Role::Text, ""));
    }
    out
}

fn speaker(role: &str) -> Role {
    match role {
        "user" => Role::User,
        "assistant" | "agent" => Role::Agent,
        "system" | "developer" => Role::System,
        _ => Role::Environment,
    }
}
