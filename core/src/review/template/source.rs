//! A template as this engine takes it: what `transformers` adds to Jinja, in words that the engine has.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

/// The name under which a template calls for what it wrote so far.
pub(super) const PROGRESS: &str = "__generation__";
/// The filter that a `%` after a text is written as.
pub(super) const PERCENT: &str = "__percent__";

/// Where the names go that a block of generation is to know.
const NAMES: &str = "__names__";
/// Words that are no names.
const KEYWORDS: [&str; 13] =
    ["and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "True", "False", "None"];
/// The filter that the value of a loop goes through.
pub(super) const LOOP: &str = "__loop__";

/// A template, ready to compile.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Adapted {
    pub(super) text: String,
    /// Whether it has `{% generation %}` blocks.
    pub(super) has_generation: bool,
    /// The names that it sets.
    names: BTreeSet<String>,
}

/// Lines end in a newline alone, as Jinja reads them. A `{% generation %}` block becomes a call with its content, as
/// the library compiles it, and `"text" % value` a filter. The number of lines, and what tags say of white space,
/// stays.
pub(super) fn adapt(source: &str) -> Adapted {
    let source = source.replace("\r\n", "\n").replace('\r', "\n");
    let mut out = Adapted { text: String::with_capacity(source.len()), ..Adapted::default() };
    let mut rest = source.as_str();
    while let Some(at) = rest.find('{') {
        let (before, tag) = rest.split_at(at);
        out.text.push_str(before);
        let length = match tag.as_bytes().get(1) {
            Some(b'#') => tag.find("#}").map_or(tag.len(), |end| end + 2),
            Some(b'%') => out.statement(tag),
            Some(b'{') => out.expression(tag),
            _ => 1,
        };
        if length == 1 || tag.as_bytes().get(1) == Some(&b'#') {
            out.text.push_str(&tag[..length]);
        }
        rest = &tag[length..];
    }
    out.text.push_str(rest);
    if out.has_generation {
        // The engine compiles a block as a macro, which knows the names that it reads, but not all of those: it reads
        // all that the template sets.
        let names = std::iter::once("loop").chain(out.names.iter().map(String::as_str));
        let all: Vec<String> = names.map(|name| format!("{name} is defined")).collect();
        out.text = out.text.replace(NAMES, &all.join(" and "));
    }
    out
}

/// The names that a statement sets: of `set`, `for`, `macro` and `with`.
fn names(statement: &str) -> impl Iterator<Item = &str> {
    let statement = statement.trim();
    let (word, rest) = statement.split_once(char::is_whitespace).unwrap_or((statement, ""));
    let targets = match word {
        "set" => rest.split('=').next(),
        "for" => word_at(rest, 0, &["in"]).map(|end| &rest[..end]),
        "macro" | "with" => Some(rest),
        _ => None,
    };
    let words = targets.unwrap_or_default().split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_name = |word: &&str| word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    words.filter(move |word| is_name(word) && !KEYWORDS.contains(word))
}

impl Adapted {
    /// A tag `{% … %}`; how long it is.
    fn statement(&mut self, tag: &str) -> usize {
        let Some(end) = end_of(tag, "%}") else {
            self.text.push_str(tag);
            return tag.len();
        };
        let inner = &tag[2..end];
        let (left, body, right) = signs(inner);
        self.names.extend(names(body).map(str::to_owned));
        match body.trim() {
            "raw" => {
                // Jinja keeps a newline after this tag; the engine does where it is set so.
                let right = if right.is_empty() { "+" } else { right };
                let length = end + 2 + raw(&tag[end + 2..]);
                self.text.extend(["{%", left, body, right, "%}", &tag[end + 2..length]]);
                return length;
            }
            word @ ("generation" | "endgeneration") => {
                let call = if word == "generation" {
                    format!("call {PROGRESS}() %}}{{% if {NAMES} %}}{{% endif")
                } else {
                    "endcall".to_owned()
                };
                self.text.extend(["{%", left, &body.replace(word, &call), right, "%}"]);
                self.has_generation = true;
            }
            _ => self.text.extend(["{%", left, &percent(&loop_over(body)), right, "%}"]),
        }
        end + 2
    }

    /// A tag `{{ … }}`; how long it is.
    fn expression(&mut self, tag: &str) -> usize {
        let Some(end) = end_of(tag, "}}") else {
            self.text.push_str(tag);
            return tag.len();
        };
        let (left, body, right) = signs(&tag[2..end]);
        self.text.extend(["{{", left, &percent(body), right, "}}"]);
        end + 2
    }
}

/// `for x in value if …` with the value through a filter that refuses None: this engine goes through it as if it were
/// empty.
fn loop_over(body: &str) -> Cow<'_, str> {
    let parts = || {
        let start = body.len() - body.trim_start().len();
        body[start..].strip_prefix("for ")?;
        let from = word_at(body, start + 4, &["in"])? + 2;
        let to = word_at(body, from, &["if", "recursive"]).unwrap_or(body.len());
        Some((&body[..from], &body[from..to], &body[to..]))
    };
    match parts() {
        Some((head, value, rest)) => Cow::Owned(format!("{head} ({})|{LOOP} {rest}", value.trim())),
        None => Cow::Borrowed(body),
    }
}

/// Where one of these words is, in no text and in no bracket.
fn word_at(code: &str, start: usize, words: &[&str]) -> Option<usize> {
    let bytes = code.as_bytes();
    let mut at = start;
    while at < bytes.len() {
        at = match code[at..].chars().next()? {
            '\'' | '"' => text_end(code, at)?,
            '(' | '[' | '{' => bracket_end(code, at)?,
            c if c.is_alphanumeric() || c == '_' => {
                let end = word_end(code, at);
                if words.contains(&&code[at..end]) {
                    return Some(at);
                }
                end
            }
            c => at + c.len_utf8(),
        };
    }
    None
}

/// What a tag says of white space before it, what is in it, and what it says of white space after it.
fn signs(inner: &str) -> (&str, &str, &str) {
    let left = usize::from(inner.starts_with(['-', '+']));
    let (left, body) = inner.split_at(left);
    let right = body.len() - usize::from(body.ends_with(['-', '+']));
    let (body, right) = body.split_at(right);
    (left, body, right)
}

/// How much of a text goes to the end of `{% endraw %}`.
fn raw(text: &str) -> usize {
    let mut at = 0;
    while let Some(found) = text[at..].find("{%") {
        let start = at + found + 2;
        let Some(end) = text[start..].find("%}") else { break };
        if signs(&text[start..start + end]).1.trim() == "endraw" {
            return start + end + 2;
        }
        at = start;
    }
    text.len()
}

/// Where the end of a tag is: in no text and in no bracket.
fn end_of(tag: &str, end: &str) -> Option<usize> {
    let bytes = tag.as_bytes();
    let (mut at, mut depth) = (2, 0_usize);
    while at < bytes.len() {
        match bytes[at] {
            b'\'' | b'"' => at = text_end(tag, at)?,
            _ if depth == 0 && tag[at..].starts_with(end) => return Some(at),
            b'(' | b'[' | b'{' => (at, depth) = (at + 1, depth + 1),
            b')' | b']' | b'}' => (at, depth) = (at + 1, depth.saturating_sub(1)),
            _ => at += tag[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    None
}

/// Where a text in quotes ends that begins here.
fn text_end(code: &str, start: usize) -> Option<usize> {
    let bytes = code.as_bytes();
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            quote if quote == bytes[start] => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// An expression with a filter for each `%` after a text: `"%s!" % name` is `("%s!"|__percent__(name))`.
fn percent(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut at = 0;
    while let Some(found) = code[at..].find(['\'', '"']) {
        out.push_str(&code[at..at + found]);
        let Some(text) = texts(code, at + found) else {
            at += found;
            break;
        };
        at = text.end;
        let behind = skip(code, text.end);
        let operand = code[behind..].strip_prefix('%').and_then(|_| operand(code, skip(code, behind + 1)));
        match operand {
            Some(value) => {
                at = value.end;
                let value = percent(&code[value]);
                out.extend(["(", &code[text], "|", PERCENT, "(", &value, "))"]);
            }
            None => out.push_str(&code[text]),
        }
    }
    out.push_str(&code[at..]);
    out
}

/// The texts in quotes that begin here and follow one another, which are one.
fn texts(code: &str, start: usize) -> Option<Range<usize>> {
    let mut end = text_end(code, start)?;
    loop {
        let next = skip(code, end);
        match code.as_bytes().get(next) {
            Some(b'\'' | b'"') => end = text_end(code, next)?,
            _ => return Some(start..end),
        }
    }
}

fn skip(code: &str, at: usize) -> usize {
    at + code[at..].len() - code[at..].trim_start().len()
}

/// What an operator takes that begins here: a name, number, text or bracket with what hangs on it.
fn operand(code: &str, start: usize) -> Option<Range<usize>> {
    let first = skip(code, start + usize::from(code[start..].starts_with(['-', '+'])));
    let mut end = match code[first..].chars().next()? {
        '\'' | '"' => texts(code, first)?.end,
        '(' | '[' | '{' => bracket_end(code, first)?,
        _ => word_end(code, first),
    };
    if end == first {
        return None;
    }
    loop {
        let next = skip(code, end);
        end = match code.as_bytes().get(next) {
            Some(b'(' | b'[') => bracket_end(code, next)?,
            Some(b'.' | b'|') => word_end(code, skip(code, next + 1)),
            _ => return Some(start..end),
        };
    }
}

fn word_end(code: &str, start: usize) -> usize {
    let is_end = |c: char| !c.is_alphanumeric() && c != '_';
    code[start..].find(is_end).map_or(code.len(), |length| start + length)
}

fn bracket_end(code: &str, start: usize) -> Option<usize> {
    let bytes = code.as_bytes();
    let (mut at, mut depth) = (start, 0_usize);
    while at < bytes.len() {
        match bytes[at] {
            b'\'' | b'"' => at = text_end(code, at)?,
            b'(' | b'[' | b'{' => (at, depth) = (at + 1, depth + 1),
            b')' | b']' | b'}' if depth == 1 => return Some(at + 1),
            b')' | b']' | b'}' => (at, depth) = (at + 1, depth - 1),
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str) -> String {
        adapt(source).text
    }

    #[test]
    fn generation_tags_are_calls_and_nothing_else_is() {
        assert_eq!(
            text("a{%- generation -%}\n{%endgeneration+%}"),
            "a{%- call __generation__() %}{% if loop is defined %}{% endif -%}\n{%endcall+%}"
        );
        assert!(adapt("{% generation %}{% endgeneration %}").has_generation);
        for other in [
            "{# {% generation %} #}",
            "{% raw -%}{% generation %}{%- endraw %}",
            "{{ '{% generation %}' }}",
            "{% set x = \"%} {% generation %}\" %}",
            "{{ {'a': {'b': '}}'}} }} {",
            "{% if",
            "{{ 'a",
            "{{ '\\",
            "{# a",
            "{",
        ] {
            let adapted = adapt(other);
            assert_eq!((adapted.text.as_str(), adapted.has_generation), (other, false));
        }
    }

    #[test]
    fn a_newline_behind_raw_stays() {
        assert_eq!(text("{% raw %}\n{{ x }}{% endraw %}"), "{% raw +%}\n{{ x }}{% endraw %}");
    }

    #[test]
    fn lines_end_in_a_newline() {
        assert_eq!(text("a\r\nb\rc\n{{ 'x\r\n' }}"), "a\nb\nc\n{{ 'x\n' }}");
    }

    #[test]
    fn a_loop_goes_over_what_has_items() {
        for (code, expect) in [
            ("for x in y", "for x in (y)|__loop__ "),
            (" for k, v in d.items() if v recursive ", " for k, v in (d.items())|__loop__ if v recursive "),
            ("for x in ['if', f(a if b else c)] if x", "for x in (['if', f(a if b else c)])|__loop__ if x"),
            ("for x in a, b", "for x in (a, b)|__loop__ "),
            ("form in y", "form in y"),
            ("set x = 1", "set x = 1"),
        ] {
            assert_eq!(loop_over(code), expect);
        }
    }

    #[test]
    fn a_block_of_generation_knows_all_names_that_are_set() {
        let block = "{% generation %}{% endgeneration %}";
        let all = text(&format!("{{% set a.b = 1 %}}{{% for k, v in x[y:] %}}{{% endfor %}}{{% macro f(p) %}}{block}"));
        let known = "loop is defined and a is defined and b is defined and f is defined and k is defined and p is \
                     defined and v is defined";
        assert!(
            all.ends_with(&format!("{{% call __generation__() %}}{{% if {known} %}}{{% endif %}}{{% endcall %}}")),
            "{all}"
        );
    }

    #[test]
    fn a_text_with_percent_is_a_filter() {
        for (code, expect) in [
            ("'%s' % x", "('%s'|__percent__(x))"),
            ("a ~ '%s-%d' % (x, y[1]) ~ b", "a ~ ('%s-%d'|__percent__((x, y[1]))) ~ b"),
            ("f('%s' 'é' % a.b('%')|upper + 1)", "f(('%s' 'é'|__percent__(a.b('%')|upper)) + 1)"),
            ("'%s' % '%d' % 3", "('%s'|__percent__('%d')) % 3"),
            ("5 % 2 == '%'", "5 % 2 == '%'"),
            ("'%s' %", "'%s' %"),
            ("'%s' % -x", "('%s'|__percent__(-x))"),
        ] {
            assert_eq!(percent(code), expect);
        }
    }
}
