//! What a call holds: the difference of an edit, a command as it is typed, the items of a list, arguments by name.

use super::builder::Builder;
use super::difference;
use super::line::{CODE_TABS, Lead, ReadingLine, untabbed};
use super::markdown;
use super::output::put_json;
use crate::json::{self, Value};
use crate::model::{ActionLine, StepNo, ToolCall};
use crate::rules::work::{CallBody, Dialect, PatchedFile, Work, call_body, line_of, listing};
use crate::text::{Role, single_line};

/// What a call is laid out with.
pub(super) struct Ground<'g> {
    pub(super) work: Option<&'g Work>,
    pub(super) dialect: Dialect,
    /// The step of the call.
    pub(super) step: StepNo,
}

/// The words of a call: its verb, its object and what it says of lines.
pub(super) fn spans(action: &ActionLine, folder: &str) -> Vec<(Role, String)> {
    let object = single_line(&action.object);
    let short = object.strip_prefix(folder).filter(|rest| action.is_path && !rest.is_empty()).map(str::to_owned);
    let mut spans = vec![(Role::Call, action.verb.to_string()), (Role::Text, format!("  {}", short.unwrap_or(object)))];
    if !action.note.is_empty() {
        spans.push((Role::Dim, format!("  {}", action.note)));
    }
    spans
}

/// The end of a path that says what language a file is in.
pub(super) fn language_of(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map(|(_, end)| end.to_lowercase()).unwrap_or_default()
}

/// The heading of a file of a patch.
pub(super) fn put_file_heading(out: &mut Builder, file: &PatchedFile) {
    let mut spans = vec![(Role::Call, file.verb.to_owned()), (Role::Text, format!(" {}", file.path))];
    spans.extend(file.target.as_ref().map(|target| (Role::Dim, format!(" → {target}"))));
    out.line(ReadingLine { spans, ..ReadingLine::default() });
}

/// Puts what a call holds; `result` is the text that answered it.
pub(super) fn put(out: &mut Builder, call: &ToolCall<'_>, ground: &Ground<'_>, result: Option<&str>) {
    let body = call_body(call, ground.dialect);
    let source = source(&body, call);
    let is_foldable = !matches!(body, CallBody::Edits { .. } | CallBody::Patch(_));
    out.block(&call.name, &source, is_foldable, |out| put_body(out, call, body, ground, result));
}

fn put_body(out: &mut Builder, call: &ToolCall<'_>, body: CallBody, ground: &Ground<'_>, result: Option<&str>) {
    match body {
        CallBody::Edits { path, edits } => {
            for (number, (old, new)) in edits.iter().enumerate() {
                if number > 0 {
                    out.line(ReadingLine::of(Role::Dim, "⋯"));
                }
                difference::put_edit(out, old, new, number_of(path.as_deref(), (old, new), ground, result));
            }
        }
        CallBody::Lines { text, first, .. } => difference::put_new(out, &text, first),
        CallBody::Patch(files) => {
            let has_one = files.len() == 1;
            for (number, file) in files.iter().enumerate() {
                if number > 0 {
                    out.line(ReadingLine::default());
                }
                if !has_one {
                    put_file_heading(out, file);
                }
                difference::put_file(out, file);
            }
        }
        CallBody::Command(text) => put_typed(out, "bash", &text, "$ "),
        CallBody::Input(text) => put_typed(out, "", &text, "› "),
        CallBody::Code { language, text } => put_typed(out, &language, &text, ""),
        CallBody::Todos(items) => items.iter().for_each(|(status, text)| put_todo(out, status.as_deref(), text)),
        CallBody::Words(text) => {
            if !put_json(out, &text) {
                markdown::put(out, &text, Role::Text);
            }
        }
        CallBody::Arguments => put_arguments(out, &call.arguments),
        CallBody::Nothing => {}
    }
}

/// What is copied of a call.
fn source(body: &CallBody, call: &ToolCall<'_>) -> String {
    match body {
        CallBody::Lines { text, .. }
        | CallBody::Command(text)
        | CallBody::Input(text)
        | CallBody::Code { text, .. }
        | CallBody::Words(text) => text.clone(),
        CallBody::Edits { edits, .. } if edits.len() == 1 => edits[0].1.clone(),
        CallBody::Edits { .. } | CallBody::Patch(_) | CallBody::Todos(_) | CallBody::Nothing | CallBody::Arguments => {
            match json::parse(&call.arguments) {
                Ok(value) => value.as_str().map_or_else(|| json::pretty(&value), str::to_owned),
                Err(_) => call.arguments.clone().into_owned(),
            }
        }
    }
}

/// The number of the line at which an edit begins: in the file as the agent knew it, else in what the result shows.
fn number_of(path: Option<&str>, (old, new): (&str, &str), ground: &Ground<'_>, result: Option<&str>) -> Option<u32> {
    let known = || ground.work?.line_of(path?, ground.step, old);
    let shown = || {
        let lines = listing(result?, true)?;
        line_of(lines.into_iter().filter_map(|(number, line)| Some((number?, line))), new)
    };
    known().or_else(shown)
}

/// Text that is typed: a sign before its first line.
fn put_typed(out: &mut Builder, language: &str, text: &str, sign: &'static str) {
    let below = " ".repeat(sign.chars().count());
    let lead = |number: usize| Lead::once(Role::Accent, if number == 0 { sign } else { below.as_str() });
    let lines = out.lines(text);
    let lines = lines.into_iter().enumerate().map(|(i, line)| (Some(lead(i)), untabbed(line, CODE_TABS))).collect();
    out.code(language, lines);
    out.note_rest(text);
}

fn put_todo(out: &mut Builder, status: Option<&str>, text: &str) {
    let (sign, role) = match status {
        Some("completed") => ("■ ", Role::Dim),
        Some("in_progress") => ("▣ ", Role::Strong),
        Some("pending") | None => ("□ ", Role::Text),
        Some(_) => ("◇ ", Role::Text),
    };
    out.line(ReadingLine { leads: vec![Lead::once(role, sign)], ..ReadingLine::of(role, untabbed(text, CODE_TABS)) });
}

/// Arguments by name: short ones beside it, texts of several lines and containers below.
pub(super) fn put_arguments(out: &mut Builder, arguments: &str) {
    let parsed = json::parse(arguments).ok();
    let inner = parsed.as_ref().and_then(Value::as_str).and_then(|text| json::parse(text).ok());
    let value = inner.as_ref().or(parsed.as_ref());
    let Some(object) = value.and_then(Value::as_object) else {
        return match value {
            Some(value) => drop(put_json(out, &json::pretty(value))),
            None => out.plain(Role::Text, arguments, CODE_TABS),
        };
    };
    let key_cells = object.entries().map(|(key, _)| key.chars().count()).filter(|n| *n <= 16).max().unwrap_or(0);
    for (key, value) in object.entries() {
        put_argument(out, key, value, key_cells);
    }
}

/// Longest JSON that is beside its name, in bytes.
const BESIDE_BYTES_MAX: usize = 60;

fn put_argument(out: &mut Builder, key: &str, value: &Value<'_>, key_cells: usize) {
    let name = (Role::JsonKey, format!("{key:<key_cells$}"));
    let is_container = value.as_object().is_some() || value.as_array().is_some();
    let is_long_json =
        |text: &str| text.len() > BESIDE_BYTES_MAX && text.starts_with(['{', '[']) && json::parse(text).is_ok();
    let beside = match value.as_str() {
        Some(text) if is_long_json(text) => None,
        Some(text) if !text.trim_end().contains('\n') => Some((Role::Text, text.trim_end().to_owned())),
        Some(_) => None,
        None if is_container && value.text.len() > BESIDE_BYTES_MAX => None,
        None => Some((Role::JsonNumber, json::compact(value))),
    };
    if let Some((role, text)) = beside {
        let spans = vec![name, (Role::Text, "  ".to_owned()), (role, untabbed(&text, CODE_TABS))];
        return out.line(ReadingLine { spans, ..ReadingLine::default() });
    }
    out.line(ReadingLine { spans: vec![(Role::JsonKey, key.to_owned())], ..ReadingLine::default() });
    out.leads.push(Lead::each(Role::Border, "  "));
    match value.as_str() {
        Some(text) if !put_json(out, text) => out.plain(Role::Text, text, CODE_TABS),
        Some(_) => {}
        None => drop(put_json(out, value.text)),
    }
    out.leads.pop();
}
