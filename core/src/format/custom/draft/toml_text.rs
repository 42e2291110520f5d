//! The text of a format file: lines of TOML with comments, whatever the texts in them.

use super::fields::Field;
use std::fmt::Write as _;

/// Cells before a comment after a line.
const COMMENT_AT: usize = 34;
/// Words that a comment names, and characters of one.
const WORDS: usize = 5;
const WORD_CHARS: usize = 24;

/// A text in TOML as it grows.
#[derive(Debug, Default)]
pub(super) struct TomlText {
    pub(super) text: String,
    /// The values of lines that read something: the signature reads nothing.
    values: Vec<String>,
    is_in_signature: bool,
}

impl TomlText {
    /// A heading, after an empty line.
    pub(super) fn section(&mut self, heading: &str) {
        let _ = write!(self.text, "\n{heading}\n");
        self.is_in_signature = heading == "[signature]";
    }

    /// A line that is a comment.
    pub(super) fn comment(&mut self, words: &str) {
        let _ = writeln!(self.text, "# {words}");
    }

    /// A key and its value, with a comment.
    pub(super) fn line(&mut self, key: &str, value: &str, comment: Option<&str>) {
        let line = format!("{key} = {value}");
        if !self.is_in_signature {
            self.values.push(value.to_owned());
        }
        let _ = match comment.filter(|comment| !comment.is_empty()) {
            Some(comment) => writeln!(self.text, "{line:<COMMENT_AT$}  # {comment}"),
            None => writeln!(self.text, "{line}"),
        };
    }

    /// Whether a line names a path, as such or as that of a list.
    pub(super) fn names(&self, path: &str) -> bool {
        let (whole, list) = (quoted(path), quoted(&format!("{path}[]")));
        self.values.iter().any(|value| value.contains(&whole) || value.contains(&list))
    }

    /// A key and its value that do not count.
    pub(super) fn commented(&mut self, key: &str, value: &str) {
        let _ = writeln!(self.text, "# {key} = {value}");
    }
}

/// A text as TOML quotes it: what is no visible sign is escaped.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            ' ' => out.push(c),
            _ if c.is_alphanumeric() || c.is_ascii_graphic() => out.push(c),
            _ => {
                let _ = write!(out, "\\U{:08X}", u32::from(c));
            }
        }
    }
    out.push('"');
    out
}

/// The words that are at a path, for a comment.
pub(super) fn words(field: &Field) -> String {
    if field.is_open || field.words.is_empty() {
        return example(field);
    }
    let words = field.words.iter().take(WORDS).map(|(word, n)| format!("{} {n}×", short(word)));
    let words: Vec<String> = words.collect();
    let more = if field.words.len() > WORDS { ", …" } else { "" };
    format!("{}{more}", words.join(", "))
}

/// What is at a path: a text as an example, or which kinds of values.
pub(super) fn example(field: &Field) -> String {
    if let Some(word) = field.words.keys().next() {
        return format!("as {}", short(word));
    }
    let kinds = [
        (field.texts, "texts"),
        (field.numbers, "numbers"),
        (field.flags, "flags"),
        (field.objects, "objects"),
        (field.lists, "lists"),
    ];
    let kinds: Vec<String> = kinds.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    kinds.join(", ")
}

fn short(word: &str) -> String {
    match word.char_indices().nth(WORD_CHARS) {
        Some((end, _)) => format!("{}…", quoted(&word[..end])),
        None => quoted(word),
    }
}
