//! What a person typed to search for: a regular expression, or the text itself where it is not a valid one; smart case.

use regex::{Regex, RegexBuilder, bytes};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Largest compiled pattern, in bytes.
const SIZE_MAX: usize = 1 << 20;

/// Cells before the pattern where a message of the parser shows it.
const INDENT: usize = 4;

/// A pattern for shown text and for raw JSON bytes.
#[derive(Debug, Clone)]
pub struct Pattern {
    typed: String,
    text: Regex,
    raw: bytes::Regex,
}

impl Pattern {
    /// Reads what was typed. Case counts only if it has an upper-case letter. What is no regular expression is taken as
    /// text; plain text is looked for in its JSON-escaped spelling too.
    #[must_use]
    pub fn new(typed: &str) -> Option<Self> {
        if typed.is_empty() {
            return None;
        }
        let is_smart = !typed.chars().any(char::is_uppercase);
        let literal = regex::escape(typed);
        let is_literal = literal == typed || compile(typed, is_smart).is_none();
        let shown = if is_literal { &literal } else { typed };
        let raw = if is_literal { escaped_spellings(typed) } else { typed.to_owned() };
        let raw = bytes::RegexBuilder::new(&raw).case_insensitive(is_smart).size_limit(SIZE_MAX).build().ok()?;
        Some(Self { typed: typed.to_owned(), text: compile(shown, is_smart)?, raw })
    }

    /// What is wrong with a text as a regular expression: the byte at which it is, and a few words. None where nothing
    /// is.
    #[must_use]
    pub fn fault(typed: &str) -> Option<(usize, String)> {
        let is_smart = !typed.chars().any(char::is_uppercase);
        let message = match builder(typed, is_smart).build() {
            Ok(_) => return None,
            Err(regex::Error::Syntax(message)) => message,
            Err(_) => return Some((0, format!("it takes more than {} MiB when it is compiled", SIZE_MAX >> 20))),
        };
        // The place is as a sign below the pattern, which is indented.
        let sign = message.lines().find(|line| line.contains('^') && line.trim_matches([' ', '^']).is_empty());
        let chars = sign.and_then(|line| line.find('^')).map_or(0, |column| column.saturating_sub(INDENT));
        let at = typed.chars().take(chars).map(char::len_utf8).sum();
        let what = message.lines().find_map(|line| line.strip_prefix("error: ")).unwrap_or("it cannot be read");
        Some((at, what.to_owned()))
    }

    /// A text that is looked for as it is, whatever signs it has.
    #[must_use]
    pub fn literal(text: &str) -> Option<Self> {
        Self::new(&regex::escape(text))
    }

    /// What was typed.
    #[must_use]
    pub fn typed(&self) -> &str {
        &self.typed
    }

    /// Whether a shown text matches.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.text.is_match(text)
    }

    /// Where matches begin in a shown text, in bytes.
    pub fn starts<'t>(&'t self, text: &'t str) -> impl Iterator<Item = usize> + 't {
        self.text.find_iter(text).map(|m| m.start())
    }

    /// What matches in a text that is painted, spelled plainly or as JSON does, in whole graphemes; in order, none of
    /// them empty.
    #[must_use]
    pub fn marked(&self, text: &str) -> Vec<Range<usize>> {
        let found = self.raw.find_iter(text.as_bytes()).map(|m| m.range()).filter(|range| !range.is_empty());
        if text.is_ascii() {
            return found.collect();
        }
        let found: Vec<_> = found.collect();
        let mut out: Vec<Range<usize>> = Vec::new();
        if found.is_empty() {
            return out;
        }
        for (at, grapheme) in text.grapheme_indices(true) {
            let end = at + grapheme.len();
            let first = found.partition_point(|hit| hit.end <= at);
            match (found.get(first).filter(|hit| hit.start < end), out.last_mut()) {
                (None, _) => {}
                (Some(hit), Some(last)) if last.end == at && hit.start < at => last.end = end,
                (Some(_), _) => out.push(at..end),
            }
        }
        out
    }

    /// Where the first match in raw JSON bytes begins, at this byte or after it.
    #[must_use]
    pub fn find_raw(&self, bytes: &[u8], from: usize) -> Option<usize> {
        self.raw.find_at(bytes, from).map(|m| m.start())
    }

    /// Where the last match in raw JSON bytes begins that begins before this byte.
    #[must_use]
    pub fn find_raw_last(&self, bytes: &[u8], before: usize) -> Option<usize> {
        self.raw.find_iter(bytes).map(|m| m.start()).take_while(|start| *start < before).last()
    }
}

/// A regular expression as written, upper and lower case distinguished.
#[derive(Debug, Clone)]
pub struct RegularExpression(Regex);

impl RegularExpression {
    /// Reads it.
    ///
    /// # Errors
    /// It is not one, or too large: a sentence of one line.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let compiled = RegexBuilder::new(pattern).size_limit(SIZE_MAX).build();
        compiled.map(Self).map_err(|error| super::single_line(&error.to_string()))
    }

    /// Whether a text matches somewhere.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

fn compile(pattern: &str, is_smart: bool) -> Option<Regex> {
    builder(pattern, is_smart).build().ok()
}

fn builder(pattern: &str, is_smart: bool) -> RegexBuilder {
    let mut builder = RegexBuilder::new(pattern);
    builder.case_insensitive(is_smart).size_limit(SIZE_MAX);
    builder
}

/// The text, or as JSON spells it with escapes.
fn escaped_spellings(text: &str) -> String {
    let plain = regex::escape(text);
    let quoted = crate_quote(text);
    let ascii: String = quoted
        .chars()
        .map(|c| {
            let mut units = [0; 2];
            if c.is_ascii() {
                c.to_string()
            } else {
                c.encode_utf16(&mut units).iter().map(|u| format!("\\u{u:04x}")).collect()
            }
        })
        .collect();
    let mut ways = vec![plain];
    for way in [quoted, ascii] {
        let way = regex::escape(&way);
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    format!("(?:{})", ways.join("|"))
}

fn crate_quote(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_pattern_has_a_place() {
        for (typed, at, expected) in [
            ("(", 0, "unclosed group"),
            ("flight(", 6, "unclosed group"),
            ("äö(", 4, "unclosed group"),
            ("a[b-", 1, "unclosed character class"),
            ("*x", 0, "repetition operator missing expression"),
        ] {
            let (place, why) = Pattern::fault(typed).unwrap();
            assert!(place == at && why.contains(expected), "{typed}: {place} {why}");
        }
        assert_eq!(["a.c", "", "^$"].map(Pattern::fault), [const { None }; 3]);
        let (place, why) = Pattern::fault(r"\w{900}{900}").unwrap();
        assert!(place == 0 && why.contains("1 MiB"), "{why}");
    }

    #[test]
    fn finds_text_patterns_and_escaped_spellings() {
        for (typed, raw, found) in [
            ("say \"hi\"", r#"{"a":"say \"hi\" now"}"#, true),
            ("é", r#"{"a":"caf\u00e9"}"#, true),
            ("Budget", r#"{"budget":1}"#, false),
            ("budget", r#"{"Budget":1}"#, true),
            ("a.c", "xabcx", true),
            ("f(x", "call f(x)", true),
        ] {
            assert_eq!(Pattern::new(typed).unwrap().find_raw(raw.as_bytes(), 0).is_some(), found, "{typed}");
        }
    }
}
