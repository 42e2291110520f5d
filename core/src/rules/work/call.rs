//! W3: what a call does, by its bare name and its arguments.

use super::Dialect;
use super::arguments::{Arguments, FIRST_LINES, LAST_LINES, number, unquoted};
use super::patch;
use super::tables::{self, Operation, Operations, SPLICE};
use super::text::{line_number, parse_line, with_line_feeds};
use super::text_command;
use super::words;
use crate::json::{self, Data, Value};
use crate::model::cast;
use std::borrow::Cow;
use twox_hash::XxHash3_128;

/// What an edit replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Replacement {
    pub(super) old: String,
    pub(super) new: String,
}

/// Which lines a view asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    /// The first line, from 1.
    pub(super) first: u32,
    /// How many lines, where that is said.
    pub(super) count: Option<u32>,
    /// Whether a range or a limit is said at all.
    pub(super) is_given: bool,
}

/// W3: an operation with its arguments. A path of None is the file that is open.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Action {
    /// Shows lines of a file; `is_raw`: without their numbers.
    Read {
        path: String,
        range: Range,
        is_raw: bool,
    },
    /// SWE-agent's window: `open`, `goto`, `scroll`.
    Window {
        path: Option<String>,
    },
    /// SWE-agent's `create` of a file with one empty line.
    Touch {
        path: String,
    },
    Write {
        path: String,
        text: String,
    },
    Replace {
        path: Option<String>,
        edits: Vec<Replacement>,
        is_all: bool,
        takes_line_end: bool,
    },
    /// After this line; None: at the end.
    Insert {
        path: Option<String>,
        line: Option<u32>,
        text: String,
    },
    Splice {
        path: Option<String>,
        from: u32,
        to: u32,
        text: String,
    },
    Undo {
        path: String,
    },
    Patch {
        text: String,
    },
    Shell {
        command: String,
        cwd: Option<String>,
        is_background: bool,
        /// Whether it names the session of the shell that runs it, which goes on (Copilot CLI before 1.0).
        is_in_session: bool,
    },
    /// Input to a command that runs.
    Input {
        text: String,
    },
    Code,
    /// Items of a todo list: id, text, status.
    Todos(Vec<Todo>),
    /// A todo list that is only looked at.
    TodoView,
    NewTask {
        text: Option<String>,
    },
    TaskUpdate(Todo),
    Sub {
        task: Option<String>,
        kind: Option<String>,
    },
    Page {
        url: Option<String>,
    },
    /// Files are edited in a way that is not followed, or deleted.
    Blur {
        edited: Vec<String>,
        deleted: Vec<String>,
    },
    Other,
}

/// W10: an item of a todo list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Todo {
    pub(super) id: Option<String>,
    pub(super) text: Option<String>,
    pub(super) status: Option<String>,
}

/// W4: what kind of tool a result is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Shell,
    Code,
    /// It edits, or shows a window.
    Edit,
    Tool,
}

impl Action {
    pub(super) fn class(&self) -> Class {
        match self {
            Self::Shell { .. } | Self::Input { .. } => Class::Shell,
            Self::Code => Class::Code,
            Self::Window { .. }
            | Self::Touch { .. }
            | Self::Write { .. }
            | Self::Replace { .. }
            | Self::Insert { .. }
            | Self::Splice { .. }
            | Self::Undo { .. }
            | Self::Patch { .. } => Class::Edit,
            _ => Class::Tool,
        }
    }
}

/// A call as the rules need it.
#[derive(Debug, Clone)]
pub(super) struct Call {
    /// The tool as the call writes it.
    pub(super) tool: Box<str>,
    /// Its bare name.
    pub(super) name: String,
    pub(super) action: Action,
    /// Equal for calls of the same name and arguments.
    pub(super) key: u64,
    /// Whether relative paths are in the shell's folder (SWE-agent's commands).
    pub(super) is_in_shell: bool,
}

impl Call {
    /// W3: reads a call: the name as written, the arguments as JSON text.
    pub(super) fn read(name: &str, arguments: &str, dialect: Dialect) -> Self {
        let bare = dialect.bare_name(name);
        let seed = cast::low_u64(XxHash3_128::oneshot(name.as_bytes()));
        let key = cast::low_u64(XxHash3_128::oneshot_with_seed(seed, arguments.as_bytes()));
        let parsed = json::try_parse(arguments);
        // Arguments may be JSON in a string, or text that is not valid JSON at all.
        let inner = parsed.as_ref().map_or(Some(arguments), Value::as_str);
        let nested = inner.filter(|_| parsed.is_some()).and_then(json::try_parse).filter(|v| v.as_object().is_some());
        let plain = inner.map(|text| Value { start: 0, text, data: Data::String(Cow::Borrowed(text)) });
        let null = Value { start: 0, text: "null", data: Data::Null };
        let value = nested.as_ref().or(plain.as_ref()).or(parsed.as_ref()).unwrap_or(&null);
        let given = Arguments::new(value);
        let (mut action, is_in_shell) = action(&bare, &given, dialect);
        if let Action::Shell { command, .. } = &mut action
            && dialect == Dialect::Codex
            && let Some(inner) = inner_command(command)
        {
            *command = inner;
        }
        Self { tool: name.into(), name: bare.into_owned(), action, key, is_in_shell }
    }
}

/// The operation, and whether its relative paths are in the shell's folder.
fn action(name: &str, given: &Arguments<'_>, dialect: Dialect) -> (Action, bool) {
    if let Some(text) = given.plain().filter(|_| dialect == Dialect::SweAgent) {
        return (text_command::action(text), true);
    }
    let operations = Operations::of(name);
    let is_named = operations.has(Operation::Shell) || (dialect == Dialect::Droid && name == "execute");
    let is_shell = is_named && !(dialect.takes_script(name) && given.plain().is_some());
    if let Some(action) = by_command(given).or_else(|| dialect.written(given)).filter(|_| !is_shell) {
        return (action, false);
    }
    if let Some(action) = window(name, given).or_else(|| splice(name, given)) {
        return (action, true);
    }
    let is_swe = dialect == Dialect::SweAgent;
    let action = file_action((name, operations), given, dialect)
        .or_else(|| is_shell.then(|| shell(given)).flatten())
        .or_else(|| super::background::workflow(name, given, dialect))
        .or_else(|| other((name, operations), given))
        .unwrap_or(Action::Other);
    let is_open_file = matches!(&action, Action::Replace { path: None, .. } | Action::Insert { path: None, .. });
    (action, is_swe || is_open_file)
}

fn line(number: Option<i64>) -> Option<u32> {
    number.and_then(line_number)
}

fn owned(text: &str) -> String {
    with_line_feeds(text).into_owned()
}

/// *By command*: PATH and `command`.
pub(super) fn by_command(given: &Arguments<'_>) -> Option<Action> {
    let path = given.path()?.to_owned();
    Some(match given.string("command")? {
        "view" => Action::Read { path, range: view_range(given), is_raw: false },
        "create" => Action::Write { path, text: owned(given.text("TEXT").unwrap_or_default()) },
        "str_replace" => {
            let text = |argument| owned(given.text(argument).unwrap_or_default());
            let edits = vec![Replacement { old: text("OLD"), new: text("NEW") }];
            Action::Replace { path: Some(path), edits, is_all: is_all(given), takes_line_end: false }
        }
        "insert" => {
            let text = given.text("NEW").or_else(|| given.string("insert_text")).or_else(|| given.text("TEXT"));
            let line = line(given.number_of(&["insert_line", "insertLine"]));
            Action::Insert { path: Some(path), line, text: owned(text.unwrap_or_default()) }
        }
        "undo_edit" => Action::Undo { path },
        _ => return None,
    })
}

fn view_range(given: &Arguments<'_>) -> Range {
    match given.pair("view_range") {
        Some((from, to)) => {
            let first = line(Some(from)).unwrap_or(1).max(1);
            let count = line(Some(to.saturating_sub(from).saturating_add(1))).filter(|_| to >= from);
            Range { first, count, is_given: true }
        }
        None => Range { first: 1, count: None, is_given: false },
    }
}

fn is_all(given: &Arguments<'_>) -> bool {
    given.is_true("replace_all")
        || given.is_true("replaceAll")
        || given.is_true("allow_multiple")
        || given.number("expected_replacements").is_some_and(|n| n > 1)
}

/// SWE-agent's window.
fn window(name: &str, given: &Arguments<'_>) -> Option<Action> {
    let path = || given.path().map(str::to_owned);
    match name {
        "open" => Some(Action::Window { path: Some(path()?) }),
        "goto" if given.get("url").is_none() => Some(Action::Window { path: None }),
        "create" if given.text("TEXT").is_none() => Some(Action::Touch { path: path()? }),
        _ if name.starts_with("scroll_") => Some(Action::Window { path: None }),
        _ => None,
    }
}

/// SWE-agent's `edit` of a range of lines.
fn splice(name: &str, given: &Arguments<'_>) -> Option<Action> {
    if let Some(text) = given.plain().filter(|_| name == "edit") {
        return spliced(text).or_else(|| spliced(&format!("edit {text}")));
    }
    let (from, to) = (line(given.number("start_line"))?, line(given.number("end_line"))?);
    let text = owned(unquoted(given.text("TEXT")?));
    (name == "edit").then(|| Action::Splice { path: given.path().map(str::to_owned), from, to, text })
}

/// `edit A:B`, the lines, `end_of_edit`.
pub(super) fn spliced(text: &str) -> Option<Action> {
    let found = SPLICE.captures(text)?;
    let number = |group| found.get(group).and_then(|m| parse_line(m.as_str()));
    let lines = text.get(found.get(0)?.end()..)?;
    let end = lines.rfind("end_of_edit").filter(|&at| at == 0 || lines[..at].ends_with('\n'));
    let lines = end.map_or(lines, |at| &lines[..at]);
    Some(Action::Splice { path: None, from: number(1)?, to: number(2)?, text: owned(lines) })
}

fn file_action((name, operations): (&str, Operations), given: &Arguments<'_>, dialect: Dialect) -> Option<Action> {
    let path = || given.path().map(str::to_owned);
    if name == "notebookedit" || name == "notebook_edit" {
        return Some(Action::Blur { edited: vec![path()?], deleted: Vec::new() });
    }
    if operations.has(Operation::Read) {
        return read((name, operations), given, dialect);
    }
    if operations.has(Operation::Write) {
        return Some(Action::Write { path: path()?, text: owned(given.text("TEXT")?) });
    }
    if operations.has(Operation::Replace) {
        return replace(name, given, dialect);
    }
    if name == "editor" && dialect == Dialect::Cline {
        return super::cline::editor(given);
    }
    if name == "insert" {
        let text = owned(given.text("TEXT").or_else(|| given.plain())?);
        return Some(Action::Insert { path: path(), line: line(given.number("line")), text });
    }
    if name == "file_change" {
        let changes = given.get("changes")?;
        return patch::of_changes(changes).map(|text| Action::Patch { text }).or_else(|| Some(unseen(changes)));
    }
    if operations.has(Operation::Patch) {
        let text = given.plain().or_else(|| given.text("patch"))?;
        return Some(Action::Patch { text: owned(text) });
    }
    None
}

/// Changes as `codex exec` lists them: which files, not what of them.
fn unseen(changes: &Value<'_>) -> Action {
    let (mut edited, mut deleted) = (Vec::new(), Vec::new());
    for change in changes.as_array().unwrap_or_default() {
        let text = |key: &str| change.get(key).and_then(Value::as_str);
        let files = if text("kind") == Some("delete") { &mut deleted } else { &mut edited };
        files.extend(text("path").map(str::to_owned));
    }
    Action::Blur { edited, deleted }
}

fn read((name, operations): (&str, Operations), given: &Arguments<'_>, dialect: Dialect) -> Option<Action> {
    let path = given.path()?.to_owned();
    let is_from_zero = given.get("absolute_path").is_some();
    let offset = given.number("offset").map(|n| n.saturating_add(i64::from(is_from_zero)));
    let start = offset.or_else(|| given.number_of(&FIRST_LINES)).filter(|_| dialect != Dialect::OpenHands);
    let first = line(start).unwrap_or(1).max(1);
    let end = line(given.number_of(&LAST_LINES));
    let count = line(given.number("limit")).or_else(|| end.and_then(|end| (end + 1).checked_sub(first)));
    let range = match given.pair("view_range") {
        Some(_) => view_range(given),
        None => Range { first, count, is_given: first > 1 || count.is_some() },
    };
    let is_numbered = given.get("impl_source").is_some() || dialect == Dialect::OpenHands;
    let is_raw = operations.has(Operation::Raw)
        && (name != "read" || given.get("path").is_some() || dialect == Dialect::Pi)
        && !is_numbered;
    Some(Action::Read { path, range, is_raw })
}

fn replace(name: &str, given: &Arguments<'_>, dialect: Dialect) -> Option<Action> {
    let path = given.path().map(str::to_owned);
    let read = |given: &Arguments<'_>| {
        let text = |argument| given.text(argument).map(owned);
        Some(Replacement { old: text("OLD")?, new: text("NEW").unwrap_or_default() })
    };
    let mut is_every = is_all(given);
    let listed = given.list("edits", |edits| {
        let each = |value| {
            let given = Arguments::new(value);
            is_every |= is_all(&given);
            read(&given)
        };
        edits.iter().filter_map(each).collect::<Vec<_>>()
    });
    let listed = listed.filter(|edits| !edits.is_empty());
    let edits = listed.or_else(|| Some(vec![read(given)?])).or_else(|| super::cline::marked_edits(given))?;
    // Claude Code's tools. Those of Crush have the same names.
    let is_of_claude = name == "multiedit" || name == "edit" && given.get("old_string").is_some();
    let takes_line_end = is_of_claude && dialect != Dialect::Crush;
    Some(Action::Replace { path, edits, is_all: is_every, takes_line_end })
}

fn shell(given: &Arguments<'_>) -> Option<Action> {
    if given.is_true("is_input") {
        let text = given.text("CMD").unwrap_or_default().to_owned();
        return Some(Action::Input { text });
    }
    let command = match given.plain() {
        Some(text) => text.to_owned(),
        None => command_text(given.named("CMD")?)?,
    };
    let cwd = given.text("CWD").map(|cwd| unquoted(cwd).to_owned()).filter(|cwd| !cwd.is_empty());
    let is_background = given.is_true("run_in_background") || given.is_true("is_background");
    let is_in_session = given.get("sessionId").is_some();
    Some(Action::Shell { command: owned(&command), cwd, is_background, is_in_session })
}

/// What Codex writes as one text in its streams: of `/bin/bash -lc 'X'` it is X.
fn inner_command(command: &str) -> Option<String> {
    let lines = words::split(command)?;
    let [only] = lines.as_slice() else { return None };
    let [shell, flag, inner] = only.words.as_slice() else { return None };
    let is_plain = only.redirects.is_empty() && only.heredoc.is_none() && !inner.is_dynamic;
    let is_shell = shell.text.ends_with("sh") && matches!(flag.text.as_str(), "-c" | "-lc" | "-ic");
    (is_plain && is_shell).then(|| owned(&inner.text))
}

/// `[sh, -lc, X]` is X; other lists are words.
fn command_text(value: &Value<'_>) -> Option<String> {
    if let Some(text) = value.as_str() {
        return Some(text.to_owned());
    }
    let words: Vec<&str> = value.as_array()?.iter().filter_map(Value::as_str).collect();
    match words[..] {
        [shell, "-c" | "-lc" | "-ic", command] if shell.ends_with("sh") => Some(command.to_owned()),
        _ => Some(words.iter().map(|word| quoted_word(word)).collect::<Vec<_>>().join(" ")),
    }
}

fn quoted_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn other((name, operations): (&str, Operations), given: &Arguments<'_>) -> Option<Action> {
    let text = |argument| given.text(argument).map(|text: &str| text.to_owned());
    if name.starts_with("code:") || operations.has(Operation::Code) {
        return Some(Action::Code);
    }
    if operations.has(Operation::Todo) {
        let lists = tables::argument_names("todo_lists");
        let items = lists.iter().find_map(|key| given.list(key, |items| items.iter().filter_map(todo).collect()));
        return Some(items.map_or(Action::TodoView, Action::Todos));
    }
    if name == "taskcreate" {
        return Some(Action::NewTask {
            text: given.string("subject").map(str::to_owned).or_else(|| text("todo_text")),
        });
    }
    if name == "taskupdate" {
        let id = ["taskId", "task_id", "id"].iter().find_map(|key| scalar(given.get(key)?));
        let status = given.string("status").map(status);
        return Some(Action::TaskUpdate(Todo { id, text: given.string("subject").map(str::to_owned), status }));
    }
    if operations.has(Operation::Page) {
        return Some(Action::Page { url: given.string("url").map(|url| unquoted(url).to_owned()) });
    }
    operations.has(Operation::Sub).then(|| Action::Sub { task: text("sub"), kind: text("sub_type") })
}

fn scalar(value: &Value<'_>) -> Option<String> {
    value.as_str().map(str::to_owned).or_else(|| number(value).map(|n| n.to_string()))
}

/// W10: the items of a list.
pub(super) fn todo_items(list: &Value<'_>) -> Option<Vec<Todo>> {
    Some(list.as_array()?.iter().filter_map(todo).collect())
}

/// W10: an item of a list: an object, or its text.
fn todo(value: &Value<'_>) -> Option<Todo> {
    if let Some(text) = value.as_str() {
        return Some(Todo { id: None, text: Some(text.to_owned()), status: None });
    }
    let given = Arguments::new(value);
    let todo = Todo {
        id: given.get("id").and_then(scalar),
        text: given.text("todo_text").map(str::to_owned),
        status: given.string("status").map(status),
    };
    (todo.id.is_some() || todo.text.is_some()).then_some(todo)
}

/// W10: the status that a word means; another word stays.
fn status(word: &str) -> String {
    tables::todo_status(&word.to_lowercase()).unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_of_codex_in_a_shell_of_its_own_is_what_that_runs() {
        let of = |command: &str, dialect| match Call::read("shell", &json::quote(command), dialect).action {
            Action::Shell { command, .. } => command,
            _ => String::new(),
        };
        for (command, expected) in [
            ("/bin/bash -lc 'cat /w/a.txt'", "cat /w/a.txt"),
            ("bash -lc ls", "ls"),
            ("bash -lc 'a' && b", "bash -lc 'a' && b"),
            ("bash -lc \"echo $X\"", "bash -lc \"echo $X\""),
            ("bash -lc 'a' > f", "bash -lc 'a' > f"),
            ("cat a", "cat a"),
        ] {
            assert_eq!(of(command, Dialect::Codex), expected);
            assert_eq!(of(command, Dialect::Common), command, "only Codex writes it");
        }
    }
}
