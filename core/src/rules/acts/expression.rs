//! Expressions: references joined by operators (A35), and the wider language that is read but not evaluated (A36).

use super::reference::{DAGGER, Reference, prefix, quoted_len, wider_prefix};
use std::ops::Range;

/// A35, A36: what a string says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    /// A35: all of these must have a value, the last is the value; each is the first of its alternatives that has one.
    Gates(Vec<Vec<Reference>>),
    /// A36: text of the wider language, with the references in it. Never evaluated.
    Wider(Vec<Reference>),
    /// It begins as a reference and is not one.
    Invalid,
    /// Text like any other (A32: a dagger inside it is not a reference).
    Text,
}

impl Expression {
    /// All references in it, in order.
    pub fn references(&self) -> impl Iterator<Item = &Reference> {
        let (gates, wider): (&[_], &[_]) = match self {
            Self::Gates(gates) => (gates, &[]),
            Self::Wider(references) => (&[], references),
            _ => (&[], &[]),
        };
        gates.iter().flatten().chain(wider)
    }
}

/// A35, A36: reads a string.
#[must_use]
pub fn parse(text: &str) -> Expression {
    if !text.starts_with([DAGGER, '!', '(']) {
        return Expression::Text;
    }
    if let Some(gates) = gates(text) {
        return Expression::Gates(gates);
    }
    match (begins_as_expression(text), is_wider(text)) {
        (false, _) => Expression::Text,
        (true, true) => Expression::Wider(references(text)),
        (true, false) => Expression::Invalid,
    }
}

/// A35: `||` and `<|>` bind tighter than `&&` and `*>`.
fn gates(text: &str) -> Option<Vec<Vec<Reference>>> {
    let (first, mut at) = prefix(text)?;
    let mut gates = vec![vec![first]];
    while at < text.len() {
        let rest = text[at..].trim_start();
        let (operator, behind) = rest.split_once(char::is_whitespace)?;
        let behind = behind.trim_start();
        let (reference, len) = prefix(behind)?;
        if rest.len() == text.len() - at {
            return None;
        }
        match operator {
            "||" | "<|>" => gates.last_mut()?.push(reference),
            "&&" | "*>" => gates.push(vec![reference]),
            _ => return None,
        }
        at = text.len() - behind.len() + len;
    }
    Some(gates)
}

/// A36: `†`, or `!` or `(` and then any of these and white space before a `†`.
fn begins_as_expression(text: &str) -> bool {
    text.trim_start_matches(|c: char| c == '!' || c == '(' || c.is_whitespace()).starts_with(DAGGER)
}

/// A36: one of `( ) ! ? =>`, or white space and a word that is neither operator nor reference, outside of bracket
/// quotes and escapes.
fn is_wider(text: &str) -> bool {
    let mut word_start = 0;
    let mut has_space = false;
    let mut has_other_word = false;
    let mut at = 0;
    let mut end_word =
        |word: &str| has_other_word |= !(word.is_empty() || word.starts_with(DAGGER) || is_operator(word));
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let quoted = quoted_len(rest);
        if "()!?".contains(c) || rest.starts_with("=>") {
            return true;
        }
        if c.is_whitespace() {
            has_space = true;
            end_word(&text[word_start..at]);
            word_start = at + c.len_utf8();
        }
        at += match c {
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            _ if quoted > 0 => quoted,
            _ => c.len_utf8(),
        };
    }
    end_word(&text[word_start..]);
    has_space && has_other_word
}

fn is_operator(word: &str) -> bool {
    matches!(word, "||" | "<|>" | "&&" | "*>")
}

/// A36: every reference in text of the wider language.
fn references(text: &str) -> Vec<Reference> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find(DAGGER) {
        let (reference, len) = wider_prefix(&text[at + next..]);
        found.extend(reference);
        at += next + len;
    }
    found
}

/// Every reference in a text, with its bytes: of a string that is an expression as A35 reads it, of other text as the
/// wider language does (A36). A32 knows none inside other text; a reader's eye does.
#[must_use]
pub fn spans(text: &str) -> Vec<(Range<usize>, Reference)> {
    let is_expression = matches!(parse(text), Expression::Gates(_));
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find(DAGGER).map(|next| at + next) {
        let (reference, len) = match prefix(&text[next..]).filter(|_| is_expression) {
            Some((reference, len)) => (Some(reference), len),
            None => wider_prefix(&text[next..]),
        };
        found.extend(reference.map(|r| (next..next + len, r)));
        at = next + len;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        match parse(text) {
            Expression::Gates(gates) => {
                let gate = |g: &Vec<Reference>| g.iter().map(Reference::canonical).collect::<Vec<_>>().join("|");
                gates.iter().map(gate).collect::<Vec<_>>().join(" & ")
            }
            Expression::Wider(r) => {
                format!("wider {}", r.iter().map(Reference::canonical).collect::<Vec<_>>().join(" "))
            }
            Expression::Invalid => "invalid".into(),
            Expression::Text => "text".into(),
        }
    }

    #[test]
    fn alternatives_bind_tighter() {
        assert_eq!(read("†a *> †b <|> †c"), "†a & †b|†c");
        assert_eq!(read("†a  ||\t†b && †c"), "†a|†b & †c");
        assert_eq!(read("†k[\"f(x)\"] && †k.b\\!"), "†k[\"f(x)\"] & †k[\"b!\"]");
    }

    #[test]
    fn distinguishes_invalid_from_wider() {
        for text in ["†state.a ||", "†a||†b", "†a †b", "†a || †", "†state.a ", "†a[\"(", "†", "†a\\"]
        {
            assert_eq!(read(text), "invalid", "{text}");
        }
        assert_eq!(read("†state.a<|>f(x)"), "wider †state.a");
        assert_eq!(read("!†state.items"), "wider †state.items");
        assert_eq!(read("( ! †a + †b.c.d( 'x' )"), "wider †a †b.c");
        assert_eq!(read("†a |> filter(i => i)"), "wider †a");
        assert_eq!(read("†a + 1"), "wider †a");
        assert_eq!(read("†a=>1"), "wider †a");
    }

    #[test]
    fn other_text_is_text() {
        for text in ["", "see †a", " †a", "!x", "(note)", "state.a"] {
            assert_eq!(read(text), "text", "{text}");
        }
    }

    #[test]
    fn finds_references_in_any_text() {
        let found = |t: &str| spans(t).into_iter().map(|(r, _)| t[r].to_owned()).collect::<Vec<_>>();
        assert_eq!(found("†state.my-key || †b"), ["†state.my-key", "†b"]);
        assert_eq!(found("see †state.hits[0], then †[\"a b\"].c."), ["†state.hits[0]", "†[\"a b\"].c"]);
        assert_eq!(found("† and ††x"), ["†x"]);
    }
}
