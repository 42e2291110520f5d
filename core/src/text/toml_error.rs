//! What is wrong in a TOML file: where, what, and the name that may be meant.

use super::suggest;

/// What keeps a TOML file from being read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TomlError {
    /// The byte at which it is.
    pub offset_bytes: usize,
    /// What is wrong there.
    pub message: String,
    /// "did you mean `name`?", where a name that may be there is near the one that is.
    pub suggestion: Option<String>,
}

impl TomlError {
    /// The error of a text that was decoded.
    #[must_use]
    pub fn new(text: &str, error: &toml::de::Error) -> Self {
        let span = error.span().unwrap_or_default();
        let offset_bytes = span.start;
        let written = text.get(span).unwrap_or_default().trim_matches(['"', '\'', '[', ']', ' ']);
        let message = error.message().trim().lines().next().unwrap_or_default();
        // "unknown field `x`, expected one of `a`, `b`" has the names that are known at this place.
        let expected = message.split_once("expected").filter(|_| message.starts_with("unknown"));
        let known = expected.into_iter().flat_map(|(_, known)| known.split('`').skip(1).step_by(2));
        let suggestion = suggest::did_you_mean(written, known);
        // What is a struct of the program is a table of the file.
        let in_words = |(found, _): (&str, _)| format!("{found}expected a table");
        let message = message.split_once("expected struct ").map_or_else(|| message.to_owned(), in_words);
        Self { offset_bytes, message, suggestion }
    }
}

/// The line, from 1, in which a byte of a text is.
#[must_use]
pub fn line_number(text: &str, offset_bytes: usize) -> usize {
    text.bytes().take(offset_bytes).filter(|byte| *byte == b'\n').count() + 1
}
