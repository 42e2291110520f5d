//! Values as Python prints them, where a dataset was written with `str` in place of JSON.

use crate::json::quote;
use std::iter::Peekable;
use std::str::Chars;

/// The same value as JSON: strings in single quotes, `True`, `False`, `None`, tuples. None: a string of it has no end.
/// What is no such value comes out as no JSON.
pub(super) fn to_json(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(next) = chars.next() {
        match next {
            '\'' | '"' => out.push_str(&quote(&string(next, &mut chars)?)),
            '(' => out.push('['),
            ')' => out.push(']'),
            first if first.is_ascii_alphabetic() => {
                let mut word = String::from(first);
                while let Some(more) = chars.next_if(|c| c.is_ascii_alphanumeric()) {
                    word.push(more);
                }
                out.push_str(match word.as_str() {
                    "True" => "true",
                    "False" => "false",
                    "None" => "null",
                    other => other,
                });
            }
            other => out.push(other),
        }
    }
    Some(out)
}

/// The rest of a string, behind its first quote.
fn string(end: char, chars: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut out = String::new();
    loop {
        match chars.next()? {
            '\\' => escape(chars, &mut out)?,
            quote if quote == end => return Some(out),
            other => out.push(other),
        }
    }
}

fn escape(chars: &mut Peekable<Chars<'_>>, out: &mut String) -> Option<()> {
    let letter = chars.next()?;
    let digits = match letter {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    if digits > 0 {
        let number: String = chars.by_ref().take(digits).collect();
        // Half of a surrogate pair is no character.
        let code = u32::from_str_radix(&number, 16).ok()?;
        out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        return Some(());
    }
    match letter {
        'n' => out.push('\n'),
        't' => out.push('\t'),
        'r' => out.push('\r'),
        '\n' => {}
        '\\' | '\'' | '"' => out.push(letter),
        other => out.extend(['\\', other]),
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_prints_is_json() {
        for (text, expected) in [
            (r"{'name': 'f', 'n': 1.5}", r#"{"name": "f", "n": 1.5}"#),
            (r#"{'a': "it's", 'b': 'say "x"'}"#, r#"{"a": "it's", "b": "say \"x\""}"#),
            (r"[True, False, None, (1, 2)]", "[true, false, null, [1, 2]]"),
            (r"{'a': 'x\ny\\z\'\x41\u00e9'}", r#"{"a": "x\ny\\z'Aé"}"#),
            (r"{'a': '\ud800'}", "{\"a\": \"\u{fffd}\"}"),
            (r#"{'arguments': '{"q": 1}'}"#, r#"{"arguments": "{\"q\": 1}"}"#),
        ] {
            assert_eq!(to_json(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(to_json("{'a"), None);
        assert_eq!(to_json(r"'\u12"), None);
        assert_eq!(to_json(r"'\x"), None);
    }
}
