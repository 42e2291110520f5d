//! Highlighting of code inside strings: text to pieces with roles. What language a string is in: `code/guess.rs`.
//!
//! Pieces are foreign text as it is, but for tabs: a painter makes them safe first.

#[cfg(test)]
mod classes;
mod guess;

pub use guess::guess;

use crate::text::Role;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use syntect::dumps;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

/// Longest line that is highlighted, in characters; the rest of a longer one is cut off and shows as `…`.
pub const COLUMN_COUNT_MAX: usize = 2_000;

/// Columns from one tab stop to the next.
const TAB_STOP: usize = 4;

/// Languages after which the syntaxes are loaded again. Patterns are compiled where a text needs them and stay as long
/// as their set: 1 MB of JSON, 3 to 5 MB of most languages, 24 MB of TypeScript. To load them takes 1 MB and 1 ms.
const CACHED_LANGUAGES_MAX: usize = 4;

/// As the build wrote them.
static SYNTAXES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/syntaxes.bin"));

static SYNTAX_CACHE: Mutex<Option<SyntaxCache>> = Mutex::new(None);

/// Syntaxes, and the languages that were highlighted with them.
struct SyntaxCache {
    set: Arc<SyntaxSet>,
    languages: Vec<String>,
}

/// Scopes with their roles. The innermost scope of a piece that begins with one of these decides, the longest first.
const SCOPES: &[(&str, Role)] = &[
    ("comment", Role::CodeComment),
    ("punctuation.definition.comment", Role::CodeComment),
    ("string", Role::CodeString),
    ("punctuation.definition.string", Role::CodeString),
    ("constant", Role::CodeNumber),
    ("punctuation.definition.numeric", Role::CodeNumber),
    ("variable.language", Role::CodeKeyword),
    ("keyword", Role::CodeKeyword),
    ("keyword.operator", Role::Text),
    ("keyword.operator.logical", Role::CodeKeyword),
    ("keyword.operator.word", Role::CodeKeyword),
    ("storage", Role::CodeKeyword),
    ("entity.name", Role::CodeName),
    ("entity.name.tag", Role::CodeKeyword),
    ("entity.other", Role::CodeName),
    ("support", Role::CodeName),
    ("variable.function", Role::CodeName),
    ("variable.annotation", Role::CodeName),
    ("punctuation", Role::Punct),
    ("markup.inserted", Role::Added),
    ("punctuation.definition.inserted", Role::Added),
    ("markup.deleted", Role::Removed),
    ("punctuation.definition.deleted", Role::Removed),
    ("markup.changed", Role::Changed),
    ("markup.heading", Role::CodeKeyword),
    ("markup.raw", Role::CodeString),
    ("markup.quote", Role::CodeComment),
    ("meta.diff.header", Role::CodeKeyword),
    ("meta.diff.range", Role::CodeName),
    ("meta.separator", Role::CodeComment),
];

/// [`SCOPES`], the longest first.
static ROLES: LazyLock<Vec<(Scope, Role)>> = LazyLock::new(|| {
    let mut roles: Vec<_> = SCOPES.iter().filter_map(|(name, role)| Some((Scope::new(name).ok()?, *role))).collect();
    roles.sort_by_key(|(scope, _)| std::cmp::Reverse(scope.len()));
    roles
});

/// The lines of `code`, at most `line_count_max`, each as pieces with a role. An unknown language gives plain text.
///
/// `language` is a name or an extension, upper or lower case (`Rust`, `py`, `c++`).
#[must_use]
pub fn highlight(language: &str, code: &str, line_count_max: usize) -> Vec<Vec<(Role, String)>> {
    let token = token(language);
    let set = syntaxes(token);
    let syntax = set.as_ref().and_then(|set| Some((set.find_syntax_by_token(token)?, set.as_ref())));
    let mut state =
        syntax.map(|(syntax, set)| State { set, parser: ParseState::new(syntax), stack: ScopeStack::new() });
    code.lines().take(line_count_max).map(|line| highlight_line(line, &mut state)).collect()
}

/// Whether there is a syntax for this language.
#[must_use]
pub fn is_known(language: &str) -> bool {
    syntaxes(token(language)).is_some()
}

/// What the syntax of a language is looked for by.
fn token(language: &str) -> &str {
    guess::canonical(language).unwrap_or(language.trim())
}

/// The syntaxes to highlight a language with, if it is known.
fn syntaxes(token: &str) -> Option<Arc<SyntaxSet>> {
    let mut cache = SYNTAX_CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let is_full = |cache: &SyntaxCache| {
        cache.languages.len() == CACHED_LANGUAGES_MAX && !cache.languages.iter().any(|known| known == token)
    };
    if cache.as_ref().is_some_and(is_full) {
        // First, so that its memory serves the next.
        *cache = None;
    }
    let load = || {
        let set = dumps::from_uncompressed_data(SYNTAXES).unwrap_or_default();
        SyntaxCache { set: Arc::new(set), languages: Vec::new() }
    };
    let SyntaxCache { set, languages } = cache.get_or_insert_with(load);
    if token.is_empty() || set.find_syntax_by_token(token).is_none() {
        return None;
    }
    if !languages.iter().any(|known| known == token) {
        languages.push(token.to_owned());
    }
    Some(Arc::clone(set))
}

/// A text that is being highlighted.
struct State<'s> {
    set: &'s SyntaxSet,
    parser: ParseState,
    stack: ScopeStack,
}

/// One line; a syntax that fails on it is given up for the rest of the text.
fn highlight_line(line: &str, state: &mut Option<State<'_>>) -> Vec<(Role, String)> {
    let end = line.char_indices().nth(COLUMN_COUNT_MAX).map_or(line.len(), |(at, _)| at);
    let mut pieces = Pieces { pieces: Vec::new(), column: 0 };
    let text = format!("{}\n", &line[..end]);
    if state.as_mut().is_none_or(|state| parse_line(&text, state, &mut pieces).is_none()) {
        *state = None;
        pieces = Pieces { pieces: Vec::new(), column: 0 };
        pieces.put(Role::Text, &text);
    }
    if end < line.len() {
        pieces.pieces.push((Role::Dim, "…".to_owned()));
    }
    pieces.pieces
}

fn parse_line(text: &str, State { set, parser, stack }: &mut State<'_>, pieces: &mut Pieces) -> Option<()> {
    let mut from = 0;
    for (at, op) in parser.parse_line(text, set).ok()? {
        pieces.put(role(stack), text.get(from..at)?);
        from = at;
        stack.apply(&op).ok()?;
    }
    pieces.put(role(stack), &text[from..]);
    Some(())
}

/// The role of text under these scopes.
fn role(stack: &ScopeStack) -> Role {
    let find = |scope: &Scope| ROLES.iter().find(|(known, _)| known.is_prefix_of(*scope)).map(|(_, role)| *role);
    stack.as_slice().iter().rev().find_map(find).unwrap_or(Role::Text)
}

/// The pieces of a line so far.
struct Pieces {
    pieces: Vec<(Role, String)>,
    /// Characters so far.
    column: usize,
}

impl Pieces {
    /// Appends text without its line end, tabs as spaces up to the next stop; joins it to a piece of the same role.
    fn put(&mut self, role: Role, text: &str) {
        let text = text.trim_end_matches('\n');
        if text.is_empty() {
            return;
        }
        if self.pieces.last().is_none_or(|(last, _)| *last != role) {
            self.pieces.push((role, String::new()));
        }
        let Some((_, piece)) = self.pieces.last_mut() else { return };
        for c in text.chars() {
            let fill = if c == '\t' { TAB_STOP - self.column % TAB_STOP } else { 1 };
            self.column += fill;
            if c == '\t' {
                piece.extend(std::iter::repeat_n(' ', fill));
            } else {
                piece.push(c);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The role of the piece that holds `needle`.
    fn role_of(language: &str, code: &str, needle: &str) -> Role {
        let lines = highlight(language, code, 100);
        let piece = lines.iter().flatten().find(|(_, text)| text.contains(needle));
        piece.unwrap_or_else(|| panic!("no `{needle}` in {lines:?}")).0
    }

    #[test]
    fn scopes_become_roles() {
        for (language, code, needle, expect) in [
            ("rust", "fn area(r: f64) -> f64 { r * 3.14 } // circle", "fn", Role::CodeKeyword),
            ("rust", "fn area(r: f64) -> f64 { r * 3.14 } // circle", "area", Role::CodeName),
            ("rust", "fn area(r: f64) -> f64 { r * 3.14 } // circle", "3.14", Role::CodeNumber),
            ("rust", "fn area(r: f64) -> f64 { r * 3.14 } // circle", "circle", Role::CodeComment),
            ("Python", "if not x:\n    print(\"no\")", "no\"", Role::CodeString),
            ("py", "if not x:\n    pass", "not", Role::CodeKeyword),
            ("bash", "for f in *.txt; do wc -l \"$f\"; done # count", "count", Role::CodeComment),
            ("sql", "SELECT id FROM t WHERE paid = 'no'", "SELECT", Role::CodeKeyword),
            ("diff", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new", "new", Role::Added),
            ("diff", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new", "old", Role::Removed),
            ("toml", "[a]\nb = true", "true", Role::CodeNumber),
            ("typescript", "const a: number = 1;", "const", Role::CodeKeyword),
            ("markdown", "Try this:\n```rust\nlet a = 1;\n```\n", "let", Role::CodeKeyword),
        ] {
            assert_eq!(role_of(language, code, needle), expect, "{needle} in {language}");
        }
    }

    #[test]
    fn simpler_patterns_colour_code_alike() {
        let ours = syntaxes("rust").unwrap();
        let known = two_face::syntax::extra_newlines();
        let colours_of = |set: &SyntaxSet, language: &str, code: &str| {
            let mut parser = ParseState::new(set.find_syntax_by_token(language).unwrap());
            let parse = |line: &str| format!("{:?}", parser.parse_line(&format!("{line}\n"), set).unwrap());
            code.lines().map(parse).collect::<Vec<_>>()
        };
        let source = include_str!("code.rs");
        let python = concat!(
            "class Größe(Base):\n    naïve = r\"\\w+\" + f'{x!r:>{w}}'  # ünï\n",
            "    async def f(self, a: int = 0x1F) -> None:\n        return await 数.get(α_1, [1.5e3, 2j])\n"
        );
        let shell = "for f in *.txt; do if [[ -n \"${f%.*}\" ]]; then größe=$(wc -l < \"$f\"); fi; done # ende\n";
        let typed = concat!(
            "export async function größe<T extends Foo>(x: T[]): Promise<T> {\n",
            "  return x.map((y) => `${y}`)[0]!;\n}\n"
        );
        let asked = "SELECT COUNT(*) AS größe FROM t LEFT JOIN u ON t.id = u.id WHERE a > 3.5 AND b = 'x'; -- c\n";
        for (language, code) in [
            ("rust", source),
            ("python", python),
            ("bash", shell),
            ("typescript", typed),
            ("sql", asked),
            ("json", "{\"größe\": [1.5e3, true, null, \"a\\n\"]}"),
            ("diff", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n"),
            ("yaml", "größe: {a: [1, 2.5], b: !!str x} # c\n- *ref\n"),
            ("html", "<p class='größe'>&amp; x</p>"),
        ] {
            assert_eq!(colours_of(&ours, language, code), colours_of(&known, language, code), "{language}");
        }
    }

    #[test]
    fn the_text_stays_as_it_is() {
        let code = "def f(x):\n    # naïve 数\n\n    return [x, \"a\\n\", {1: None}]";
        for language in ["python", "rust", "bash", "markdown", "no such language", ""] {
            let lines = highlight(language, code, 100);
            let text: Vec<String> = lines.iter().map(|line| line.iter().map(|(_, s)| s.as_str()).collect()).collect();
            assert_eq!(text.join("\n"), code, "{language}");
        }
    }

    #[test]
    fn lines_and_columns_are_capped() {
        assert_eq!(highlight("python", "a\nb\nc\nd", 3).len(), 3);
        let lines = highlight("rust", &format!("let a = {};", "é".repeat(3_000)), 10);
        let count: usize = lines[0].iter().map(|(_, text)| text.chars().count()).sum();
        assert_eq!(count, COLUMN_COUNT_MAX + 1);
        assert_eq!(lines[0].last(), Some(&(Role::Dim, "…".to_owned())));
    }

    #[test]
    fn tabs_become_spaces_and_line_ends_go() {
        let lines = highlight("text", "a\tb\r\n\tc", 10);
        assert_eq!(lines, [[(Role::Text, "a   b".to_owned())], [(Role::Text, "    c".to_owned())]]);
    }

    #[test]
    fn languages_that_were_let_go_come_again() {
        for language in ["rust", "python", "bash", "sql", "toml", "rust", "python"] {
            let lines = highlight(language, "x = 'a'", 1);
            assert!(lines[0].len() > 1, "{language}");
            assert!(
                SYNTAX_CACHE.lock().unwrap().as_ref().is_none_or(|cache| cache.languages.len() <= CACHED_LANGUAGES_MAX)
            );
        }
    }

    #[test]
    fn languages_are_known_by_name_and_extension() {
        for (language, expect) in [("Rust", true), ("c++", true), ("PY", true), ("klingon", false), (" ", false)] {
            assert_eq!(is_known(language), expect, "{language}");
        }
    }
}
