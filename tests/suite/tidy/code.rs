//! Rust source as far as the checks of `tidy` need it: without comments, texts and tests, and the paths that it names.

/// The source with comments, strings and characters blanked: same lines, same columns in bytes of ASCII text.
pub(super) fn code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let before = out.chars().next_back();
        let blank = blank_len(rest, before.is_some_and(is_word));
        let taken = if blank > 0 { blank } else { first.len_utf8() };
        let (piece, after) = rest.split_at(taken);
        if blank > 0 {
            out.extend(piece.chars().map(|c| if c == '\n' { c } else { ' ' }));
        } else {
            out.push_str(piece);
        }
        rest = after;
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the comment, string or character that a source begins with; 0 without one.
fn blank_len(rest: &str, is_in_word: bool) -> usize {
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return block_comment_len(rest);
    }
    if rest.starts_with('"') {
        return quoted_len(rest, '"');
    }
    if rest.starts_with('\'') {
        return character_len(rest);
    }
    if is_in_word { 0 } else { prefixed_len(rest) }
}

/// `b"…"`, `r"…"`, `br#"…"#`, `b'…'`.
fn prefixed_len(rest: &str) -> usize {
    let letters = rest.len() - rest.trim_start_matches(['b', 'c', 'r']).len();
    let after = &rest[letters..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    let is_raw = rest[..letters].contains('r');
    match after[hashes..].chars().next() {
        Some('"') if is_raw => {
            let end = format!("\"{}", "#".repeat(hashes));
            let begin = letters + hashes + 1;
            rest[begin..].find(&end).map_or(rest.len(), |at| begin + at + end.len())
        }
        Some('"') if (1..3).contains(&letters) && hashes == 0 => letters + quoted_len(after, '"'),
        Some('\'') if letters == 1 && hashes == 0 && !is_raw => letters + quoted_len(after, '\''),
        _ => 0,
    }
}

fn block_comment_len(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

fn quoted_len(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// A character, not a lifetime: `'a'` and `'\n'`, but not `'a`.
fn character_len(rest: &str) -> usize {
    let mut chars = rest[1..].chars();
    match (chars.next(), chars.next()) {
        (Some('\\'), _) => quoted_len(rest, '\''),
        (Some(c), Some('\'')) => c.len_utf8() + 2,
        _ => 0,
    }
}

/// Code (see [`code`]) in which what stands under `#[cfg(test)]` is blanked: an item up to its `;` or its last brace.
pub(super) fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(MARK) {
        out.push_str(&rest[..at]);
        let end = at + MARK.len() + item_len(&rest[at + MARK.len()..]);
        out.extend(rest[at..end].chars().map(|c| if c == '\n' { c } else { ' ' }));
        rest = &rest[end..];
    }
    out + rest
}

fn item_len(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

/// A path that code names, all groups taken apart: `crate::{a, b::{c, d}}` is three.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Path {
    /// Line, from 1.
    pub(super) line: usize,
    /// Its parts, `crate` and `super` included.
    pub(super) parts: Vec<String>,
    /// Whether a `pub use` hands it on.
    pub(super) is_reexport: bool,
}

/// All paths of code (see [`code`]) that begin with one of some words.
pub(super) fn paths(code: &str, roots: &[&str]) -> Vec<Path> {
    let mut out = Vec::new();
    for root in roots {
        let begin = format!("{root}::");
        for (at, _) in code.match_indices(&begin) {
            let before = &code[..at];
            let is_inner = before.ends_with(|c: char| is_word(c) || c == ':' || c == '$');
            if is_inner {
                continue;
            }
            let statement = before.rfind([';', '}']).map_or(before, |end| &before[end + 1..]);
            let is_reexport = is_public_use(statement);
            let line = before.matches('\n').count() + 1;
            let mut all = Vec::new();
            tree(&code[at..], &mut Vec::new(), &mut all);
            out.extend(all.into_iter().map(|parts| Path { line, parts, is_reexport }));
        }
    }
    out
}

/// Whether what stands before a path is `pub use` or `pub(in …) use`, with or without a group that is open.
fn is_public_use(statement: &str) -> bool {
    let words: Vec<&str> = statement.split_whitespace().collect();
    let public = words.iter().rposition(|word| word.starts_with("pub"));
    public.is_some_and(|at| words[at..].contains(&"use"))
}

/// Takes a use tree apart; returns what is behind it.
fn tree<'c>(code: &'c str, prefix: &mut Vec<String>, out: &mut Vec<Vec<String>>) -> &'c str {
    let mut rest = code.trim_start();
    let depth = prefix.len();
    loop {
        if let Some(inner) = rest.strip_prefix('{') {
            rest = inner;
            loop {
                rest = rest.trim_start();
                if rest.is_empty() {
                    break;
                }
                if let Some(after) = rest.strip_prefix('}') {
                    rest = after;
                    break;
                }
                if let Some(after) = rest.strip_prefix(',') {
                    rest = after;
                    continue;
                }
                let after = tree(rest, prefix, out);
                // What is no tree is passed over, sign by sign.
                let skipped = rest.chars().next().map_or(0, char::len_utf8);
                rest = if after.len() == rest.len() { &rest[skipped..] } else { after };
            }
            break;
        }
        let len = rest.find(|c: char| !is_word(c) && c != '*').unwrap_or(rest.len());
        if len == 0 {
            break;
        }
        prefix.push(rest[..len].to_owned());
        rest = &rest[len..];
        if let Some(after) = rest.strip_prefix("::") {
            rest = after.trim_start();
            continue;
        }
        out.push(prefix.clone());
        if let Some(after) = rest.strip_prefix(" as ") {
            rest = after.trim_start_matches(is_word);
        }
        break;
    }
    prefix.truncate(depth);
    rest
}

#[test]
fn comments_texts_and_characters_are_no_code() {
    let text =
        "a(\"x \\\" y\", 'z', '\\'', b'q', br#\"\"w\"\"#); // c\n/* d /* e */ f */ let r: &'life str = r\"\\\"; g";
    let found = code(text);
    assert_eq!(found.len(), text.len());
    let words: Vec<&str> = found.split(|c: char| !is_word(c)).filter(|w| !w.is_empty()).collect();
    assert_eq!(words, ["a", "let", "r", "life", "str", "g"], "{found}");
}

#[test]
fn code_behind_tests_is_code() {
    let text = "#[cfg(test)]\nmod tests;\nfn a() {}\n#[cfg(test)]\nmod more { fn b() { \"}\"; } }\nfn c() {}";
    let found = without_tests(&code(text));
    assert!(found.contains("fn a") && found.contains("fn c") && !found.contains("fn b"), "{found}");
    assert_eq!(found.lines().count(), text.lines().count());
}

#[test]
fn paths_are_found_in_groups_and_in_code() {
    let named = |text: &str| -> Vec<String> {
        paths(&code(text), &["crate", "super"]).iter().map(|path| path.parts.join("::")).collect()
    };
    let text = "use crate::{a, b::{self, c as d},\n    e::*};\nfn f() -> crate::g::H { super::super::i::j() }";
    let expected = ["crate::a", "crate::b::self", "crate::b::c", "crate::e::*", "crate::g::H", "super::super::i::j"];
    assert_eq!(named(text), expected);
    assert_eq!(named("use {crate::a, std::fs}; $crate::b; my_crate::c"), ["crate::a"]);
}

#[test]
fn a_reexport_is_distinguished_from_a_use() {
    let is = |text: &str| paths(&code(text), &["crate"]).iter().all(|path| path.is_reexport);
    assert!(is("use std::fs;\npub use crate::a::B;"));
    assert!(is("pub(crate) use crate::{a::B, c};"));
    assert!(!is("pub(super) fn a() {}\nuse crate::a::B;"));
    assert!(!is("pub const A: u8 = crate::a::B;"));
}
