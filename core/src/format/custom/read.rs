//! Reads a format file: TOML, with what is wrong reported by its line, and what to do.

use super::definition::{Definition, RecordsAre, StepRule, WriteOp, WriteRule};
use crate::format::FORMATS;
use crate::model::Problem;
use crate::text::{TomlError, line_number};
use std::ops::Range;

/// Most rules of a kind, and conditions of the signature.
const RULES_MAX: usize = 100;
/// Longest name of a format.
const NAME_BYTES_MAX: usize = 40;

/// What to do where nothing better is known.
const HELP: &str = "docs/custom-formats.md has all names; `obelus formats --explain FILE` prints a draft";

/// Something wrong: where, what, and what to do.
struct Fault {
    at: usize,
    message: String,
    hint: String,
}

impl Fault {
    fn new(at: Range<usize>, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { at: at.start, message: message.into(), hint: hint.into() }
    }
}

/// Reads the text of a format file.
///
/// # Errors
/// What is wrong, with its line and what to do.
pub(super) fn read(file: &str, text: &str) -> Result<Definition, Problem> {
    let read = toml::from_str::<Definition>(text).map_err(|error| {
        let TomlError { offset_bytes: at, message, suggestion } = TomlError::new(text, &error);
        Fault { at, message, hint: suggestion.unwrap_or_else(|| HELP.to_owned()) }
    });
    read.and_then(|definition| check(&definition).map(|()| definition)).map_err(|fault| {
        let line = line_number(text, fault.at);
        Problem::usage(format!("{file}: line {line}: {}", fault.message)).hint(fault.hint)
    })
}

/// What its parts say against one another.
fn check(definition: &Definition) -> Result<(), Fault> {
    let name = definition.name.get_ref();
    let at = || definition.name.span();
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.chars().all(is_name) {
        let message = format!("a format cannot have the name {name:?}");
        return Err(Fault::new(at(), message, "a name is 1 to 40 lower-case letters, digits and hyphens"));
    }
    if name == "auto" || FORMATS.iter().any(|format| format.name() == name) {
        let message = format!("obelus has a format `{name}` already");
        return Err(Fault::new(at(), message, "give it another name"));
    }
    let signature = definition.signature.get_ref();
    if signature.has.is_empty() && signature.when.is_empty() {
        let hint = "name in `has` the members that a record of it has, or in `when` their values";
        return Err(Fault::new(definition.signature.span(), "the signature would fit any record", hint));
    }
    let counts = [
        (signature.len(), "conditions of the signature"),
        (definition.steps.len(), "[[steps]]"),
        (definition.writes.len(), "[[writes]]"),
    ];
    if let Some((count, what)) = counts.into_iter().find(|(count, _)| *count > RULES_MAX) {
        return Err(Fault::new(at(), format!("there are {count} {what}"), format!("at most {RULES_MAX} are read")));
    }
    if definition.steps.is_empty() {
        let hint = "say at least in one where its text, message, calls or results are";
        return Err(Fault::new(at(), "there are no [[steps]]", hint));
    }
    if definition.tree.is_some() && definition.records.are == RecordsAre::Trajectories {
        let hint = "leave out `[tree]`, or say `are = \"steps\"`";
        return Err(Fault::new(at(), "records are trajectories, and form a tree", hint));
    }
    definition.steps.iter().try_for_each(|rule| step(rule.get_ref(), rule.span()))?;
    definition.writes.iter().try_for_each(|rule| write(rule.get_ref(), rule.span()))
}

fn step(rule: &StepRule, at: Range<usize>) -> Result<(), Fault> {
    let has_parts = rule.text.is_some() || rule.thought.is_some() || rule.calls.is_some() || rule.results.is_some();
    if rule.message.is_some() && has_parts {
        let message = "a step has a `message`, and `text`, `thought`, `calls` or `results` beside it";
        return Err(Fault::new(at, message, "a message is read whole; leave the others out, or the message"));
    }
    if rule.skip && (rule.message.is_some() || has_parts) {
        return Err(Fault::new(at, "a step is skipped and read", "leave out `skip`, or what is read"));
    }
    if rule.role.is_some() && rule.speaker.is_some() {
        let hint = "`role` is the path of a word, `speaker` who it always is; leave one out";
        return Err(Fault::new(at, "a step has a `role` and a `speaker`", hint));
    }
    Ok(())
}

fn write(rule: &WriteRule, at: Range<usize>) -> Result<(), Fault> {
    if rule.kind.is_empty() {
        return Err(Fault::new(at, "a write has an empty `kind`", "name what it is state of, as \"memory\""));
    }
    if rule.at.is_none() && rule.value.is_none() && rule.op != WriteOp::Remove {
        let hint = "say where the value is: value = \"path\"";
        return Err(Fault::new(at, "a write has neither `value` nor `at`", hint));
    }
    for (fixed, path, name) in [
        (rule.instance.is_some(), rule.instance_at.is_some(), "instance"),
        (rule.slot.is_some(), rule.slot_at.is_some(), "slot"),
    ] {
        if fixed && path {
            let message = format!("a write has `{name}` and `{name}-at`");
            return Err(Fault::new(at, message, format!("`{name}` is a name, `{name}-at` its path; leave one out")));
        }
    }
    if rule.json && matches!(rule.op, WriteOp::Merge | WriteOp::Remove) {
        let hint = "leave out `json`, or set or append the value";
        return Err(Fault::new(at, "a write takes JSON in a string and merges or removes", hint));
    }
    let has_slot = rule.slot.is_some() || rule.slot_at.is_some();
    if matches!(rule.op, WriteOp::Append) && !has_slot {
        return Err(Fault::new(at, "a write appends to no slot", "name the list in `slot` or `slot-at`"));
    }
    Ok(())
}
