//! Guesses the language of a string from its key, its neighbours and its first lines. In doubt it is prose.

/// Bytes of a text that are looked at.
const LOOK_BYTES_MAX: usize = 4_096;

/// Languages by the name that the highlighter takes, with other names for each.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("bash", &["sh", "shell", "zsh", "ksh", "dash", "console", "commandline", "terminal"]),
    ("python", &["py", "python2", "python3", "ipython", "sage"]),
    ("rust", &["rs"]),
    ("javascript", &["js", "jsx", "mjs", "node", "nodejs"]),
    ("typescript", &["ts", "tsx", "deno"]),
    ("json", &["jsonl", "json5", "jsonc"]),
    ("yaml", &["yml"]),
    ("toml", &[]),
    ("html", &["xhtml", "htm"]),
    ("xml", &["svg", "xaml"]),
    ("css", &[]),
    ("sql", &["mysql", "sqlite", "postgres", "postgresql", "pgsql", "plpgsql", "psql"]),
    ("go", &["golang"]),
    ("java", &[]),
    ("c", &[]),
    ("c++", &["cpp", "cxx", "cc"]),
    ("c#", &["cs", "csharp"]),
    ("ruby", &["rb"]),
    ("php", &[]),
    ("perl", &["pl"]),
    ("lua", &[]),
    ("r", &[]),
    ("kotlin", &["kt"]),
    ("swift", &[]),
    ("scala", &[]),
    ("haskell", &["hs"]),
    ("markdown", &["md"]),
    ("diff", &["patch"]),
    ("dockerfile", &["docker"]),
    ("makefile", &["make"]),
    ("latex", &["tex"]),
];

/// Keys under which agents keep code of the language that a neighbour names.
const CODE_KEYS: &[&str] =
    &["code", "content", "source", "script", "snippet", "body", "cmd", "command", "input", "text", "program"];

/// Words that begin a line of a shell and hardly ever a sentence.
const COMMANDS: &[&str] = &[
    "apt",
    "apt-get",
    "awk",
    "cargo",
    "cat",
    "cd",
    "chmod",
    "chown",
    "cp",
    "curl",
    "df",
    "docker",
    "du",
    "echo",
    "export",
    "git",
    "grep",
    "head",
    "jq",
    "kubectl",
    "ls",
    "make",
    "mkdir",
    "mv",
    "npm",
    "npx",
    "pip",
    "pip3",
    "ps",
    "pwd",
    "pytest",
    "python",
    "python3",
    "rg",
    "rm",
    "sed",
    "ssh",
    "sudo",
    "systemctl",
    "tail",
    "tar",
    "touch",
    "wc",
    "wget",
];

/// The language of a text, as [`super::highlight`] takes it, or None for prose and what is not recognised.
///
/// `key` is the member that holds the text, `sibling_language` the value of a member `language` beside it.
#[must_use]
pub fn guess(key: &str, text: &str, sibling_language: Option<&str>) -> Option<&'static str> {
    let key = key.to_lowercase();
    let text = head(text).trim_start_matches('\u{feff}').trim_start();
    if text.is_empty() {
        return None;
    }
    let named = || sibling_language.filter(|_| CODE_KEYS.contains(&key.as_str())).and_then(canonical);
    by_mark(text).or_else(named).or_else(|| by_key(&key, text)).or_else(|| by_shape(text))
}

/// The one name of a language that has several.
pub(super) fn canonical(language: &str) -> Option<&'static str> {
    let language = language.trim().to_lowercase();
    LANGUAGES
        .iter()
        .find(|(name, others)| *name == language || others.contains(&language.as_str()))
        .map(|(name, _)| *name)
}

fn head(text: &str) -> &str {
    let mut end = text.len().min(LOOK_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// What the text says of itself: a shebang, a diff, a fence, a document type.
fn by_mark(text: &str) -> Option<&'static str> {
    if let Some(program) = text.strip_prefix("#!") {
        return by_shebang(program.lines().next()?);
    }
    if is_diff(text) {
        return Some("diff");
    }
    if text.lines().any(|line| line.trim_start().starts_with("```")) {
        return Some("markdown");
    }
    let start = text.get(..15).unwrap_or(text).to_lowercase();
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        return Some("html");
    }
    start.starts_with("<?xml").then_some("xml")
}

/// `/usr/bin/env -S python3 -u`: the last path segment of the program, without a version.
fn by_shebang(line: &str) -> Option<&'static str> {
    let mut words = line.split_ascii_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = words.find(|word| *word != "env" && !word.starts_with('-'))?;
    canonical(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

fn is_diff(text: &str) -> bool {
    if text.starts_with("diff --git ") || text.starts_with("*** Begin Patch") {
        return true;
    }
    let lines: Vec<&str> = text.lines().collect();
    let is_header = |pair: &[&str]| pair[0].starts_with("--- ") && pair[1].starts_with("+++ ");
    lines.windows(2).any(is_header) || lines.iter().any(|line| line.starts_with("@@ -") && line[3..].contains(" @@"))
}

/// What the key promises, where the text does not speak against it.
fn by_key(key: &str, text: &str) -> Option<&'static str> {
    let is_one_word = !text.trim().contains(char::is_whitespace);
    match key {
        "command" | "cmd" | "bash" | "shell" | "sh" => (!is_prose(text)).then_some("bash"),
        "script" | "code" | "program" | "snippet" => by_shape(text).or_else(|| {
            let is_shell = key == "script" && !is_prose(text) && !is_one_word;
            is_shell.then_some("bash")
        }),
        "python" | "py" | "ipython" => (!is_prose(text)).then_some("python"),
        "sql" | "statement" => is_sql(&text.to_uppercase()).then_some("sql"),
        // What is asked of a search engine may begin with "select" too.
        "query" => (text.contains(['*', '=', '(', '_', ';']) && is_sql(&text.to_uppercase())).then_some("sql"),
        "patch" | "diff" => text.lines().any(|line| line.starts_with(['+', '-'])).then_some("diff"),
        "html" => text.starts_with('<').then_some("html"),
        "xml" => text.starts_with('<').then_some("xml"),
        _ => None,
    }
}

/// What the lines look like, without any hint.
fn by_shape(text: &str) -> Option<&'static str> {
    if is_sql(text) {
        return Some("sql");
    }
    if is_python(text) {
        return Some("python");
    }
    is_shell(text).then_some("bash")
}

/// A statement in capitals; whoever looks at a key that promises SQL gives the text in capitals.
fn is_sql(text: &str) -> bool {
    let has = |start: &str, then: &str| text.strip_prefix(start).is_some_and(|rest| rest.contains(then));
    has("SELECT ", "FROM ")
        || has("SELECT\n", "FROM ")
        || has("INSERT INTO ", "VALUES")
        || has("INSERT INTO ", "SELECT ")
        || has("UPDATE ", " SET ")
        || has("WITH ", " AS (")
        || ["DELETE FROM ", "CREATE TABLE ", "CREATE INDEX ", "ALTER TABLE ", "DROP TABLE ", "EXPLAIN "]
            .iter()
            .any(|start| text.starts_with(start))
}

/// Two lines that only Python has, or one that opens a block with an indented line below it.
fn is_python(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let signs = lines.iter().filter(|line| is_python_line(line)).count();
    let opens =
        |pair: &[&str]| pair[0].trim_end().ends_with(':') && is_python_block(pair[0]) && pair[1].starts_with(' ');
    signs >= 2 || (signs == 1 && lines.len() == 1 && text.contains("import ")) || lines.windows(2).any(opens)
}

fn is_python_line(line: &str) -> bool {
    let line = line.trim_end();
    let is_name = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "_.,".contains(c));
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["import", rest @ ..] => {
            let is_plain = rest.iter().enumerate().all(|(i, word)| i % 2 == 0 && is_name(word) || *word == "as");
            !rest.is_empty() && is_plain && !line.ends_with('.')
        }
        ["from", module, "import", _, ..] => is_name(module),
        _ => is_python_block(line.trim_start()) || (line.starts_with("print(") && line.ends_with(')')),
    }
}

/// A line that opens a block of Python: the colon at its end makes the difference to a sentence.
fn is_python_block(line: &str) -> bool {
    let line = line.trim();
    let is_named = ["def ", "async def ", "class "].iter().any(|start| line.starts_with(start))
        && (line.contains('(') || (line.starts_with("class ") && line.split(' ').count() == 2));
    let is_control = ["if ", "for ", "while ", "with ", "elif ", "except "].iter().any(|start| line.starts_with(start));
    let is_applied = |pair: &[u8]| (pair[0].is_ascii_alphanumeric() || pair[0] == b'_') && b"([".contains(&pair[1]);
    let is_code = line.contains(['=', '<', '>'])
        || line.contains("self.")
        || line.as_bytes().windows(2).any(is_applied)
        || line.contains(" in ") && line.split(' ').count() == 4;
    line.ends_with(':') && (is_named || is_control && is_code)
}

/// Each line that is no comment begins with a command, and somewhere there is a sign that only a shell has.
fn is_shell(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).peekable();
    let first = lines.peek().copied().unwrap_or_default();
    let begins = |line: &str| {
        let line = line.strip_prefix("$ ").unwrap_or(line);
        line.split_ascii_whitespace().next().is_some_and(|word| COMMANDS.contains(&word))
    };
    let has_option = text.split_whitespace().any(|word| word.len() > 1 && word.starts_with('-'));
    let has_sign = [" && ", " > ", " >> ", "$(", " ./", " /", "; "].iter().any(|sign| text.contains(sign));
    let has_sign = has_sign || has_option || text.split(" | ").skip(1).any(begins);
    !first.is_empty() && has_sign && !is_prose(text) && lines.take(5).all(begins)
}

/// Sentences: a capital letter at the start or a full stop at the end, and mostly words.
fn is_prose(text: &str) -> bool {
    let text = text.trim();
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_word = |word: &&&str| {
        let word = word.trim_matches(|c: char| ",.;:!?\"'()`".contains(c));
        word.chars().all(|c| c.is_alphabetic() || c == '\'' || c == '-') && !word.starts_with('-')
    };
    let count = words.iter().filter(is_word).count();
    let begins = text.starts_with(char::is_uppercase);
    let ends = text.ends_with(['.', '!', '?']) && !text.ends_with(" .") && !text.ends_with("/.");
    words.len() >= 3 && (begins || ends) && count * 10 >= words.len() * 7
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: &str, text: &str, sibling: Option<&str>, expect: Option<&str>) {
        assert_eq!(guess(key, text, sibling), expect, "{key}: {text:?} beside {sibling:?}");
    }

    #[test]
    fn every_language_has_a_syntax() {
        for (name, others) in LANGUAGES {
            assert!(super::super::is_known(name), "{name}");
            assert!(others.iter().all(|other| canonical(other) == Some(name)), "{name}");
        }
    }

    #[test]
    fn a_text_says_what_it_is() {
        check("x", "#!/bin/bash\nls", None, Some("bash"));
        check("x", "#!/usr/bin/env python3\nprint(1)", None, Some("python"));
        check("x", "#!/usr/bin/env -S node --test\n1", None, Some("javascript"));
        check("x", "#!/opt/strange", None, None);
        check("x", "diff --git a/a b/a\n", None, Some("diff"));
        check("x", "--- a/a.rs\n+++ b/a.rs\n@@ -1,2 +1,2 @@\n-a\n+b", None, Some("diff"));
        check("x", "*** Begin Patch\n*** Update File: a\n", None, Some("diff"));
        check("x", "Do this:\n\n```rust\nfn main() {}\n```\n", None, Some("markdown"));
        check("x", "<!DOCTYPE html><p>", None, Some("html"));
        check("x", "<?xml version='1.0'?><a/>", None, Some("xml"));
    }

    #[test]
    fn a_neighbour_names_the_language() {
        check("content", "x <- 3", Some("r"), Some("r"));
        check("code", "puts 1", Some("Ruby"), Some("ruby"));
        check("content", "ls", Some("shell"), Some("bash"));
        check("description", "First I look at the files.", Some("bash"), None);
        check("content", "hello", Some("klingon"), None);
    }

    #[test]
    fn a_key_promises_and_the_text_must_agree() {
        check("command", "pytest -q", None, Some("bash"));
        check("cmd", "make", None, Some("bash"));
        check("command", "Please open the door and wait.", None, None);
        check("code", "import os\nprint(os.getcwd())", None, Some("python"));
        check("code", "card_declined", None, None);
        check("code", "E0412", None, None);
        check("script", "set -e\n./run.sh", None, Some("bash"));
        check("sql", "select 1 from dual", None, Some("sql"));
        check("query", "select * from b", None, Some("sql"));
        check("query", "select a hotel from the list", None, None);
        check("query", "wooden poles", None, None);
        check("patch", "@@\n-a\n+b", None, Some("diff"));
        check("diff", "no difference", None, None);
        check("html", "<p>hi</p>", None, Some("html"));
    }

    #[test]
    fn shapes_are_distinguished_from_prose() {
        check("x", "import json\nfrom pathlib import Path\n", None, Some("python"));
        check("x", "def f(x):\n    return x", None, Some("python"));
        check("x", "for i in range(3):\n    print(i)", None, Some("python"));
        check("x", "ls -la /srv | head", None, Some("bash"));
        check("x", "$ git log --oneline\n", None, Some("bash"));
        check("x", "cd /srv && make", None, Some("bash"));
        check("x", "SELECT id FROM invoices WHERE paid_at IS NULL", None, Some("sql"));
        check("x", "WITH a AS (SELECT 1) SELECT * FROM a", None, Some("sql"));
        for prose in [
            "import duties rose again. From May on they fall.",
            "from Lisbon to Porto",
            "for the record:\n  nothing happened",
            "if you like it:\n  tell us",
            "while in Porto:\n  see the trams",
            "Select a hotel from the list",
            "with love:\n  Ana",
            "for all readers (and others):\n  see example.com",
            "make it so - please",
            "cat",
            "echo of the past | present",
            "git is a tool. Use it - often.",
            "class of 1998:\n  a reunion",
            "- one\n- two",
            "a --- b\n+++ c",
            "",
            "   \n",
            "日本語のテキスト",
        ] {
            check("text", prose, None, None);
        }
    }

    #[test]
    fn long_texts_are_cut_at_a_character() {
        check("x", &"é".repeat(LOOK_BYTES_MAX), None, None);
    }
}
