//! How filters are written: terms, signs, quotes, values; without what they mean.

/// The operators, longer ones first.
const SIGNS: [&str; 7] = [">=", "<=", "!=", ">", "<", ":", "="];
/// The word for what is not there.
const NONE: &str = "none";

/// Something that is not understood.
#[derive(Debug)]
pub(super) struct Fault {
    /// The byte at which it is.
    pub at: usize,
    /// A sentence.
    pub message: String,
}

/// A term as written.
#[derive(Debug)]
pub(super) struct ParsedTerm {
    /// The byte at which it begins.
    pub at: usize,
    /// Whether `!` precedes it.
    pub is_negated: bool,
    /// What precedes the operator, and the byte at which that begins; None for words.
    pub name: Option<(usize, String)>,
    /// The operator; empty for words.
    pub sign: &'static str,
    /// The values, at least one.
    pub values: Vec<Value>,
}

/// A value as written and as read.
#[derive(Debug)]
pub(super) struct Value {
    /// The byte at which it begins.
    pub at: usize,
    /// With its quotes.
    pub written: String,
    /// Without.
    pub text: String,
    /// Whether it has some.
    pub is_quoted: bool,
}

impl Value {
    /// Whether it asks for what is not there.
    pub(super) fn is_none(&self) -> bool {
        !self.is_quoted && self.text == NONE
    }

    /// The pieces between its `*`, in small letters; quoted it is one piece.
    pub(super) fn parts(&self) -> Vec<String> {
        let text = self.text.to_lowercase();
        if self.is_quoted { vec![text] } else { text.split('*').map(str::to_owned).collect() }
    }
}

/// Whether a name is made of these pieces with anything between them.
pub(super) fn fits(parts: &[String], name: &str) -> bool {
    let name = name.to_lowercase();
    let [first, middle @ .., last] = parts else { return parts.first().is_some_and(|only| *only == name) };
    let Some(mut rest) = name.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str())) else {
        return false;
    };
    for part in middle {
        let Some(at) = rest.find(part.as_str()) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// A name as a value that means it and nothing else.
#[must_use]
pub(super) fn quoted(name: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '"' | '|' | '*' | '\\');
    if !name.is_empty() && name != NONE && name.chars().all(is_plain) {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A number, with `k`, `M` or `G` for thousands, millions and thousands of millions, of bytes too (`2kB`).
pub(super) fn number(text: &str) -> Option<f64> {
    let counted = text.strip_suffix(['b', 'B']).filter(|text| text.ends_with(['k', 'M', 'G']));
    let text = counted.unwrap_or(text);
    let (digits, factor) = match text.chars().last()? {
        'k' => (&text[..text.len() - 1], 1e3),
        'M' => (&text[..text.len() - 1], 1e6),
        'G' => (&text[..text.len() - 1], 1e9),
        _ => (text, 1.0),
    };
    let is_number = digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E'));
    digits.parse::<f64>().ok().filter(|number| is_number && number.is_finite()).map(|number| number * factor)
}

/// What is before the point in names of fields about all attempts at a task.
const GROUP: &str = "group";

/// The terms of a filter.
///
/// # Errors
/// A quote without end, or a term without value.
pub(super) fn terms(text: &str) -> Result<Vec<ParsedTerm>, Fault> {
    words(text)?.into_iter().map(|(at, word)| term(at, word)).collect()
}

/// Cuts at white space outside quotes: words with the bytes at which they begin.
fn words(text: &str) -> Result<Vec<(usize, &str)>, Fault> {
    let (mut out, mut start, mut quote, mut is_escaped) = (Vec::new(), None, None, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if quote.is_some() => is_escaped = true,
            '"' => quote = if quote.is_some() { None } else { Some(at) },
            c if c.is_whitespace() && quote.is_none() => {
                out.extend(start.take().map(|start| (start, &text[start..at])));
                continue;
            }
            _ => {}
        }
        start.get_or_insert(at);
    }
    if let Some(at) = quote {
        return Err(Fault { at, message: "this quote has no end".to_owned() });
    }
    out.extend(start.map(|start| (start, &text[start..])));
    Ok(out)
}

fn term(at: usize, word: &str) -> Result<ParsedTerm, Fault> {
    let (is_negated, rest) = match word.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    let begin = at + word.len() - rest.len();
    let letters =
        |from: usize| rest[from..].find(|c: char| !c.is_ascii_alphabetic()).map_or(rest.len(), |end| from + end);
    let end = match letters(0) {
        end if rest[..end] == *GROUP && rest[end..].starts_with('.') => letters(end + 1),
        end => end,
    };
    let sign = SIGNS.into_iter().find(|sign| end > 0 && rest[end..].starts_with(sign));
    let (name, skipped) = match sign {
        Some(sign) => (Some((begin, rest[..end].to_owned())), end + sign.len()),
        None => (None, 0),
    };
    let values = &rest[skipped..];
    let is_cut_off = |sign: &str| rest.strip_prefix(sign).is_some_and(|text| text.is_empty() || number(text).is_some());
    if let Some(sign) = SIGNS.into_iter().find(|sign| is_cut_off(sign)) {
        let message = format!("no name is right before {sign}; steps{sign}5 is understood  (quotes look for words)");
        return Err(Fault { at: begin, message });
    }
    // Words are one value: `|` in them belongs to the pattern.
    let pieces = if name.is_some() { split(values) } else { vec![(0, values)] };
    let values: Vec<Value> = pieces.into_iter().map(|(from, piece)| value(begin + skipped + from, piece)).collect();
    let is_missing = |value: &&Value| value.text.is_empty() && !(name.is_some() && value.is_quoted);
    if let Some(value) = values.iter().find(is_missing) {
        let before = &word[..word.len() - rest.len() + skipped];
        let message = format!("nothing follows {}", if before.is_empty() { word } else { before });
        return Err(Fault { at: value.at, message });
    }
    Ok(ParsedTerm { at, is_negated, name, sign: sign.unwrap_or_default(), values })
}

/// Cuts at `|` outside quotes: pieces with the bytes at which they begin.
fn split(text: &str) -> Vec<(usize, &str)> {
    let (mut out, mut start, mut is_quoted, mut is_escaped) = (Vec::new(), 0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '|' if !is_quoted => {
                out.push((start, &text[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    out.push((start, &text[start..]));
    out
}

fn value(at: usize, written: &str) -> Value {
    let inside = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).filter(|_| written.len() > 1);
    let Some(inside) = inside else {
        return Value { at, written: written.to_owned(), text: written.to_owned(), is_quoted: false };
    };
    let (mut text, mut is_escaped) = (String::new(), false);
    for c in inside.chars() {
        if c == '\\' && !is_escaped {
            is_escaped = true;
        } else {
            text.push(c);
            is_escaped = false;
        }
    }
    Value { at, written: written.to_owned(), text, is_quoted: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (glob, name, expected) in [
            ("bash", "Bash", true),
            ("bash", "bash2", false),
            ("b*h", "bash", true),
            ("b*", "b", true),
            ("*", "", true),
            ("a*a", "a", false),
            ("*a*b*", "xaxbx", true),
            ("*b*a*", "xaxbx", false),
            ("code:*", "code:python", true),
        ] {
            assert_eq!(fits(&value(0, glob).parts(), name), expected, "{glob} {name}");
        }
    }

    #[test]
    fn any_name_can_be_a_value_of_its_own() {
        for name in ["bash", "a b", "none", "", "a|b", "x*", "say \"hi\"", "back\\slash", "code:python", "数"] {
            let written = terms(&format!("tool:{}", quoted(name))).unwrap();
            let [term] = written.as_slice() else { panic!("{name}: {written:?}") };
            assert_eq!(term.values.len(), 1, "{name}");
            assert!(!term.values[0].is_none(), "{name}");
            assert_eq!(term.values[0].parts(), [name.to_lowercase()]);
        }
    }

    #[test]
    fn numbers_may_be_short() {
        assert_eq!(
            ["1", "-2.5", "3k", "1M", "2G", "1e3"].map(number).map(Option::unwrap),
            [1.0, -2.5, 3e3, 1e6, 2e9, 1e3]
        );
        assert_eq!(["", "k", "inf", "NaN", "1e999", "x", "é"].map(number), [None; 7]);
    }
}
