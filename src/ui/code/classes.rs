//! Patterns whose classes of letters take less room: a letter is an ASCII one, or whatever is not ASCII.
//!
//! Classes of all of Unicode make up two thirds of what the patterns of most languages take when they are compiled, and
//! half of the time. In code the difference is seen at a sign that is neither ASCII nor a letter beside a name.

const LETTERS: &str = r"A-Za-z\x{80}-\x{10FFFF}";
const DIGITS: &str = "0-9";
const WORD: &str = r"0-9A-Za-z_\x{80}-\x{10FFFF}";
const SPACES: &str = r" \t-\r";

/// A pattern with such classes in place of those of all of Unicode. What is not known stays as it is.
#[must_use]
pub(crate) fn simplified(pattern: &str) -> String {
    let (mut out, mut rest, mut depth) = (String::with_capacity(pattern.len()), pattern, 0_usize);
    while let Some(c) = rest.chars().next() {
        let (read, class) = match c {
            '\\' => escape(rest),
            _ => (c.len_utf8(), None),
        };
        let (text, after) = rest.split_at(read);
        rest = after;
        match class {
            // A class of another is a part of it, but not where it is all but that.
            Some((false, members)) if depth > 0 => out.push_str(members),
            Some((is_negated, members)) if depth == 0 => {
                let sign = if is_negated { "^" } else { "" };
                out.extend(["[", sign, members, "]"]);
            }
            _ => out.push_str(text),
        }
        if c == '[' {
            depth += 1;
            rest = opened(rest, &mut out);
        }
        depth -= usize::from(c == ']' && depth > 0);
    }
    out
}

/// How long an escape is, and the class that it stands for: whether all but that, and its members.
fn escape(rest: &str) -> (usize, Option<(bool, &'static str)>) {
    let Some(letter) = rest[1..].chars().next() else { return (rest.len(), None) };
    let len = 1 + letter.len_utf8();
    match letter {
        'w' | 'W' => (len, Some((letter == 'W', WORD))),
        'd' | 'D' => (len, Some((letter == 'D', DIGITS))),
        's' | 'S' => (len, Some((letter == 'S', SPACES))),
        'p' if rest[len..].starts_with('{') => match rest.find('}') {
            Some(end) => (end + 1, property(&rest[len + 1..end]).map(|members| (false, members))),
            None => (len, None),
        },
        _ => (len, None),
    }
}

fn property(name: &str) -> Option<&'static str> {
    Some(match name {
        "L" | "Letter" | "Alpha" | "Alphabetic" => LETTERS,
        "N" | "Nd" | "Digit" => DIGITS,
        "Lu" | "Upper" => "A-Z",
        "Ll" | "Lower" => "a-z",
        "Alnum" => r"0-9A-Za-z\x{80}-\x{10FFFF}",
        "Word" => WORD,
        _ => return None,
    })
}

/// Passes over what is first in a class and means itself: `^`, `]`.
fn opened<'r>(rest: &'r str, out: &mut String) -> &'r str {
    let negation = rest.strip_prefix('^');
    let (sign, rest) = negation.map_or(("", rest), |rest| ("^", rest));
    out.push_str(sign);
    match rest.strip_prefix(']') {
        Some(rest) => {
            out.push_str("\\]");
            rest
        }
        None => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_become_simple_ones() {
        for (pattern, expect) in [
            (r"\w+", r"[0-9A-Za-z_\x{80}-\x{10FFFF}]+"),
            (r"[\w.]", r"[0-9A-Za-z_\x{80}-\x{10FFFF}.]"),
            (r"[^\p{L}\d]", r"[^A-Za-z\x{80}-\x{10FFFF}0-9]"),
            (r"\S\s", r"[^ \t-\r][ \t-\r]"),
            (r"[\S]", r"[\S]"),
            (r"\\w\[\d", r"\\w\[[0-9]"),
            (r"[]\d]", r"[\]0-9]"),
            (r"[^]\d]x]", r"[^\]0-9]x]"),
            (r"[[:alpha:]\d]\d", r"[[:alpha:]0-9][0-9]"),
            (r"\p{So}\pL\b\B\A", r"\p{So}\pL\b\B\A"),
            (r"é\p{Lu", r"é\p{Lu"),
            ("\\", "\\"),
        ] {
            assert_eq!(simplified(pattern), expect, "{pattern}");
        }
    }

    /// A pattern that cannot be compiled ends the program where it is met.
    #[test]
    fn every_pattern_can_still_be_compiled() {
        use syntect::parsing::Regex;
        use syntect::parsing::syntax_definition::Pattern;
        // What a pattern before it has matched is put in for a reference to it.
        let filled = |pattern: &str| (1..=9).fold(pattern.to_owned(), |p, n| p.replace(&format!("\\{n}"), "x"));
        let is_fit = |pattern: &str| Regex::try_compile(&filled(pattern)).is_none();
        let mut changed = 0;
        for syntax in two_face::syntax::extra_newlines().into_builder().syntaxes() {
            for pattern in syntax.contexts.values().flat_map(|context| &context.patterns) {
                let Pattern::Match(pattern) = pattern else { continue };
                let (known, new) = (pattern.regex.regex_str(), simplified(pattern.regex.regex_str()));
                if known != new {
                    changed += 1;
                    assert!(is_fit(&new) || !is_fit(known), "{}: {known} became {new}", syntax.name);
                }
            }
        }
        assert!(changed > 5_000, "{changed}");
    }
}
