//! The word lists and patterns of the rules, as data: `tables.json`, parsed once. Patterns are compiled when they are
//! first needed.

use super::needed::{self, Literals, needed};
use super::prefixes::Prefixes;
use crate::json::{self, Data, Value};
use fnv::{FnvHashMap, FnvHashSet};
use regex::{Captures, Match, Regex, RegexBuilder};
use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

/// The file as it is.
static ROOT: LazyLock<Value<'static>> = LazyLock::new(|| {
    let empty = Value { start: 0, text: "null", data: Data::Null };
    json::parse(include_str!("tables.json")).unwrap_or(empty)
});

/// What Codex writes where it cut an output that it stores.
pub(super) const PERSISTED: &str = "... command output truncated for persistence";

/// Most bytes that one compiled pattern may take.
const PATTERN_BYTES_MAX: usize = 16 << 20;

/// A pattern of the tables. One that does not compile matches nothing; a test compiles them all.
#[derive(Debug)]
pub(super) struct Pattern {
    /// Compiled when a text may match: most texts have nothing of what most patterns need.
    regex: LazyRegex,
    /// Texts of which one is in all that the pattern matches, sought in one pass before it; None: it begins with
    /// such texts itself, or is anchored.
    needed: Option<Literals>,
    /// What its matches begin with, where they are at the start of a text alone.
    prefixes: OnceLock<Option<Prefixes>>,
}

/// A pattern and what it is compiled to.
#[derive(Debug)]
struct LazyRegex {
    pattern: Cow<'static, str>,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub(super) fn new(pattern: impl Into<Cow<'static, str>>) -> Self {
        let regex = LazyRegex { pattern: pattern.into(), compiled: OnceLock::new() };
        Self { regex, needed: None, prefixes: OnceLock::new() }
    }

    /// None: it does not compile.
    pub(super) fn regex(&self) -> Option<&Regex> {
        let LazyRegex { pattern, compiled } = &self.regex;
        compiled.get_or_init(|| RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).build().ok()).as_ref()
    }

    fn with_needed(pattern: impl Into<Cow<'static, str>>, needed: Option<&[&str]>) -> Self {
        Self { needed: needed.and_then(|texts| Literals::new(texts.iter().copied())), ..Self::new(pattern) }
    }

    fn prefixes(&self) -> Option<&Prefixes> {
        self.prefixes.get_or_init(|| Prefixes::of(&self.regex.pattern)).as_ref()
    }

    /// What is searched with, if it may be in a text.
    fn regex_for(&self, text: &str) -> Option<&Regex> {
        let is_possible = self.prefixes().is_none_or(|prefixes| prefixes.begin(text))
            && self.needed.as_ref().is_none_or(|needed| needed.are_in(text));
        if is_possible { self.regex() } else { None }
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex_for(text).is_some_and(|regex| regex.is_match(text))
    }

    pub(super) fn find<'t>(&self, text: &'t str) -> Option<Match<'t>> {
        self.regex_for(text)?.find(text)
    }

    pub(super) fn find_all<'t>(&self, text: &'t str) -> impl Iterator<Item = Match<'t>> {
        self.regex_for(text).into_iter().flat_map(move |regex| regex.find_iter(text))
    }

    pub(super) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        // Room for groups is only reserved where there are some.
        self.regex_for(text).filter(|regex| regex.is_match(text))?.captures(text)
    }
}

fn texts(value: Option<&'static Value<'static>>) -> impl Iterator<Item = &'static str> {
    value.and_then(Value::as_array).unwrap_or_default().iter().filter_map(Value::as_str)
}

/// The text of a member of the tables, `wrapping.codex_head` by two keys.
fn text(keys: &[&str]) -> &'static str {
    let root: &'static Value<'static> = &ROOT;
    keys.iter().try_fold(root, |value, key| value.get(key)).and_then(Value::as_str).unwrap_or("")
}

/// The keys are ours, so that nothing is asked of the hash but speed.
type Lists = FnvHashMap<&'static str, FnvHashSet<&'static str>>;

fn lists(root: Option<&'static Value<'static>>) -> Lists {
    let members = root.and_then(Value::as_object).into_iter().flat_map(|object| object.entries());
    members.map(|(key, value)| (key, texts(Some(value)).collect())).collect()
}

static WORDS: LazyLock<Lists> = LazyLock::new(|| lists(Some(&ROOT)));
static TOOLS: LazyLock<Tools> = LazyLock::new(|| {
    let mut tools = Tools::default();
    for (operation, names) in lists(ROOT.get("tools")) {
        let Some(operation) = Operation::ALL.iter().find(|(_, name)| *name == operation) else { continue };
        let operations = Operations::only(operation.0);
        for name in names {
            match name.strip_suffix('*') {
                Some(start) => tools.starts.push((start, operations)),
                None => tools.names.entry(name).or_default().0 |= operations.0,
            }
        }
    }
    tools
});

/// The operations of bare names of tools, and of what those begin with that are given as `x_*`.
#[derive(Default)]
struct Tools {
    names: FnvHashMap<&'static str, Operations>,
    starts: Vec<(&'static str, Operations)>,
}

/// What a tool may do (W3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Shell,
    Code,
    Read,
    /// It shows a file without numbers of lines.
    Raw,
    Write,
    Replace,
    Patch,
    Todo,
    Page,
    Sub,
}

impl Operation {
    /// Each with its name in the tables.
    const ALL: [(Self, &'static str); 10] = [
        (Self::Shell, "shell"),
        (Self::Code, "code"),
        (Self::Read, "read"),
        (Self::Raw, "raw"),
        (Self::Write, "write"),
        (Self::Replace, "replace"),
        (Self::Patch, "patch"),
        (Self::Todo, "todo"),
        (Self::Page, "page"),
        (Self::Sub, "sub"),
    ];
}

/// The operations of a tool, a bit for each: one name may have several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Operations(u16);

impl Operations {
    fn only(operation: Operation) -> Self {
        Self(1 << operation as u16)
    }

    /// Those of a bare name.
    pub(super) fn of(name: &str) -> Self {
        let named = TOOLS.names.get(name).copied().unwrap_or_default();
        let begun = TOOLS.starts.iter().filter(|(start, _)| name.starts_with(start));
        begun.fold(named, |all, (_, operations)| Self(all.0 | operations.0))
    }

    pub(super) fn has(self, operation: Operation) -> bool {
        self.0 & Self::only(operation).0 != 0
    }
}

/// Whether a word is in a list of the tables (`printers`, `silent` …).
pub(super) fn has(list: &str, word: &str) -> bool {
    WORDS.get(list).is_some_and(|words| words.contains(word))
}

/// Whether a word begins or is part of a name, by a list of the tables (`harmless`).
pub(super) fn has_part(list: &str, name: &str) -> bool {
    WORDS.get(list).is_some_and(|words| words.iter().any(|word| name.contains(word)))
}

static ARGUMENTS: LazyLock<FnvHashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let members = ROOT.get("arguments").and_then(Value::as_object).into_iter().flat_map(|object| object.entries());
    members.map(|(key, value)| (key, texts(Some(value)).collect())).collect()
});

/// The names of an argument (W3), the first present counts.
pub(super) fn argument_names(argument: &str) -> &'static [&'static str] {
    ARGUMENTS.get(argument).map(Vec::as_slice).unwrap_or_default()
}

/// Words that precede a command, and how many words each takes (W9).
pub(super) fn prefix_words(word: &str) -> Option<usize> {
    ROOT.get("prefixes")?.get(word)?.as_number()?.parse().ok()
}

/// The status that a word of a todo list means (W10).
pub(super) fn todo_status(word: &str) -> Option<&'static str> {
    let root: &'static Value<'static> = &ROOT;
    root.get("todo_status")?.get(word)?.as_str()
}

/// Where a row of outcomes looks (W4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    Start,
    Line,
    Tail,
}

/// A row of outcomes (W4).
#[derive(Debug)]
pub(super) struct Row {
    pub(super) reason: &'static str,
    pub(super) is_error: bool,
    /// To which results it applies.
    pub(super) scope: &'static str,
    pub(super) at: At,
    pub(super) pattern: Pattern,
}

impl Row {
    /// Whether the row's pattern matches in a text.
    pub(super) fn is_match(&self, text: &str) -> bool {
        self.pattern.is_match(text)
    }
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let root: &'static Value<'static> = &ROOT;
    root.get("outcomes").and_then(Value::as_array).unwrap_or_default().iter().filter_map(row).collect()
});

fn row(value: &'static Value<'static>) -> Option<Row> {
    let text = |key| value.get(key).and_then(Value::as_str);
    let (pattern, at) = (text("pattern")?, text("at")?);
    let (at, pattern) = match at {
        "start" => (At::Start, format!(r"\A(?:{pattern})")),
        "line" => (At::Line, format!("(?mR)^(?:{pattern})")),
        _ => (At::Tail, format!("(?mR)^(?:{pattern})")),
    };
    let (reason, scope) = (text("reason")?, text("where")?);
    let pattern = Pattern::with_needed(pattern, needed(reason));
    Some(Row { reason, is_error: text("outcome")? == "error", scope, at, pattern })
}

/// The rows of outcomes, in their order.
pub(super) fn outcomes() -> &'static [Row] {
    &ROWS
}

macro_rules! patterns {
    ($($(#[$doc:meta])* $name:ident: $value:expr $(, needs $needed:expr)?;)*) => {
        $($(#[$doc])* pub(super) static $name: LazyLock<Pattern> =
            LazyLock::new(|| Pattern::with_needed($value, [$($needed)?].first().copied()));)*
        #[cfg(test)]
        fn all_patterns() -> Vec<(&'static str, &'static Pattern)> {
            vec![$((stringify!($name), &*$name)),*]
        }
    };
}

patterns! {
    /// W4: what a result that a person refused begins with.
    REJECTED: format!(
        concat!(
            r"\A(?:{}|Error: request to call tool denied|The user has specified a rule which prevents you|",
            r"Claude requested permissions to )",
        ),
        text(&["rejected"])
    );
    /// W4: notices of no output and timeouts, and opencode's of a timeout.
    NO_EXIT: format!(
        r"{}|tool terminated command after exceeding timeout|\A(?:Wall time: [\d.]+ seconds\s+)?aborted by user",
        text(&["no_exit"])
    ), needs needed::NO_EXIT;
    /// W7: notices that something is left out.
    NOTICES: format!(
        r"{}|…\d+ (?:tokens|chars) truncated…|^\[\.\.\. output truncated to fit \d+ bytes|^{PERSISTED}",
        text(&["notices"])
    ), needs needed::NOTICES;
    /// W7: the head of a window.
    WINDOW: text(&["window"]);
    /// W9: commands after which any file may differ.
    BULK: text(&["bulk"]), needs needed::BULK;
    /// W11: commands that run tests.
    TESTS: text(&["tests"]), needs needed::TESTS;
    /// W11: words that claim that tests pass.
    CLAIM: text(&["claim"]);
    /// W11: words that take the claim back.
    NOT_CLAIM: text(&["not_claim"]);
    /// W11: words that admit a failure.
    FAILURE_WORDS: text(&["failure_words"]);
    /// W4: Codex's head.
    CODEX_HEAD: text(&["wrapping", "codex_head"]);
    /// W4: Gemini's lines.
    GEMINI: text(&["wrapping", "gemini"]);
    /// W4: mini-swe-agent's tags.
    RETURNCODE: text(&["wrapping", "returncode"]);
    /// W4: Claude Code's first line.
    CLAUDE_EXIT: text(&["wrapping", "claude_exit"]);
    /// W7: what is in the place of lines that a view of SWE-agent leaves out.
    ELIDED: r"^\.\.\. eliding lines \d+-\d+ \.\.\.$";
    /// The head of a file that opencode read.
    LISTED_FILE: r"\A<path>([^\n]*)</path>\n<type>file</type>\n<content>\n";
    /// A line of it.
    LISTED_LINE: r"\A(\d{1,9}): ?";
    /// The same before 2026.
    ZERO_LINE: r"\A(\d{5,9})\| ?";
    /// What such a reader says behind the last line of a file.
    FRAME_TOTAL: r"\A\s*\(End of file - total (\d{1,9}) lines\)";
    /// What it says where the file goes on.
    FRAME_COUNT: r"\A\s*\(Showing lines \d+-\d+ of (\d{1,9})\.";
    /// The end of a line that a reader cut.
    CUT_LINE: r"\.\.\. (?:\[truncated\]|\(line truncated to \d+ chars\))$";
    /// What Gemini CLI and Qwen Code say above a part of a file.
    SHOWN_PART: concat!(
        r"(?s)\A\s*(?:IMPORTANT: The file content has been truncated\.\nStatus: )?",
        r"Showing lines (\d{1,9})-(\d{1,9}) of (\d{1,9}) total lines\.\n",
        r"(?:Action: [^\n]*\n\n--- FILE CONTENT \(truncated\) ---\n|\n---\n\n)",
    );
    /// What Copilot in VS Code says above a part of a file that does not reach its end, and the fence around each part.
    FENCED_PART: concat!(
        r"\A(?:File: `[^`\n]*`\. Lines (\d{1,9}) to (\d{1,9}) \((\d{1,9}) lines total\): ?\n)?",
        r"(`{3,})[^`\n]*\n",
    );
    /// What readers say of a file that they do not show as text.
    NO_TEXT: concat!(
        r"\A(?:Read image file \[|Cannot display content of binary file: |Binary content provided \(\d+ item|",
        r"Image read successfully|PDF read successfully|\[Unsupported image file: |",
        r"Read lines \d+-\d+ of \d+ from [^\n]*\z)",
    );
    /// W3: SWE-agent's splice.
    SPLICE: r"^edit +(\d+):(\d+) *\n";
    /// W2: a call in an agent's text.
    PARAMETER: r"<parameter=([^>\s]+)>";
    /// W10: the id of a task that was made.
    TASK_ID: r"#(\d+)";
    /// W2: a fence with a command.
    FENCE: r"(?m)^```(bash|sh|mswea_bash_command)[ \t]*\n";
    /// W8: the places of a unified hunk.
    HUNK: r"^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@";
}

/// W4: heads that are taken off.
pub(super) static HEADS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| texts(ROOT.get("wrapping").and_then(|w| w.get("heads"))).map(Pattern::new).collect());

/// W4: what a trailer reports.
pub(super) static TRAILERS: LazyLock<Vec<(&'static str, Pattern)>> = LazyLock::new(|| {
    let root: &'static Value<'static> = &ROOT;
    let rows = root.get("wrapping").and_then(|w| w.get("trailers")).and_then(Value::as_array).unwrap_or_default();
    let row = |row: &'static Value<'static>| {
        let mut cells = texts(Some(row));
        Some((cells.next()?, Pattern::new(cells.next()?)))
    };
    // Copilot CLI names the shell; the tables have its older words. Claude Code says where its shell is again, and
    // which of the files that the agent read a command changed.
    let more = [
        ("exit", Pattern::new(r"\n*<shellId: \S+ completed with exit code (-?\d+)>\s*$")),
        ("cwd", Pattern::new(r"(?:^|\n)Shell cwd was reset to ([^\n]*)\s*$")),
        ("drop", Pattern::new(r"(?:^|\n)\[This command modified \d+ files? you've previously read: [^\n]*\]\s*$")),
    ];
    rows.iter().filter_map(row).chain(more).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        for (name, pattern) in all_patterns() {
            assert!(pattern.regex().is_some_and(|regex| !regex.as_str().is_empty()), "{name}");
        }
        for row in outcomes() {
            assert!(row.pattern.regex().is_some(), "{}", row.reason);
            assert_eq!(row.pattern.needed.is_some(), needed(row.reason).is_some(), "{}", row.reason);
        }
        assert!(HEADS.len() == 2 && HEADS.iter().all(|head| head.regex().is_some()));
        assert!(TRAILERS.len() == 12 && TRAILERS.iter().all(|(_, trailer)| trailer.regex().is_some()));
        assert_eq!(outcomes().len(), 14);
    }

    /// Patterns that look at each result are not compiled for results that begin otherwise.
    #[test]
    fn what_starts_a_result_has_prefixes() {
        let rows = outcomes().iter().filter(|row| row.at == At::Start).map(|row| (row.reason, &row.pattern));
        let named =
            [("rejected", &*REJECTED), ("codex", &*CODEX_HEAD), ("claude", &*CLAUDE_EXIT), ("elided", &*ELIDED)];
        for (name, pattern) in rows.chain(named).chain(HEADS.iter().map(|head| ("head", head))) {
            assert!(pattern.prefixes().is_some(), "{name}");
        }
        assert!(REJECTED.is_match("The user rejected it") && !REJECTED.is_match("the user rejected it"));
    }

    #[test]
    fn each_operation_of_the_tables_is_known() {
        let members = ROOT.get("tools").and_then(Value::as_object).into_iter().flat_map(|tools| tools.entries());
        // The tools of tasks are two, each of which has its own rule.
        let named: FnvHashSet<&str> = members.map(|(operation, _)| operation).filter(|name| *name != "task").collect();
        assert_eq!(named, Operation::ALL.iter().map(|(_, name)| *name).collect());
    }

    #[test]
    fn lists_answer_for_words_tools_arguments_and_prefixes() {
        assert!(has("printers", "cat") && !has("printers", "rm") && has("keywords", "for"));
        let is = |operation, name: &str| Operations::of(name).has(operation);
        assert!(is(Operation::Read, "read_file") && is(Operation::Raw, "read_file"), "a name may have several");
        assert!(is(Operation::Sub, "delegate_to_reviewer") && !is(Operation::Sub, "bash"));
        assert_eq!(argument_names("OLD")[0], "old_string");
        assert_eq!((prefix_words("timeout"), prefix_words("cat")), (Some(2), None));
        assert_eq!(todo_status("done"), Some("completed"));
    }
}
