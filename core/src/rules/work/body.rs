//! W3: what a call holds for a reader: the lines of an edit, a patch, a command, a file that is written.

use super::Dialect;
use super::Work;
use super::answers::BlameLine;
use super::call::{Action, Call, Todo};
use super::cline;
use super::patch::{self, FilePatch};
use crate::json;
use crate::model::{StepNo, ToolCall};

/// Arguments in which tools take the code that they run, the most frequent first.
const CODE_ARGUMENTS: [&str; 6] = ["code", "command", "cmd", "script", "source", "input"];

/// What a call holds beside its verb and its object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallBody {
    /// Texts that are replaced in a file, old and new; a path of None is the file that is open.
    Edits {
        /// The file.
        path: Option<String>,
        /// Old and new text of each.
        edits: Vec<(String, String)>,
    },
    /// Lines that are written.
    Lines {
        /// The file.
        path: Option<String>,
        /// The lines.
        text: String,
        /// The number of the first, where the call says it.
        first: Option<u32>,
    },
    /// A patch, file by file.
    Patch(Vec<PatchedFile>),
    /// A command of a shell.
    Command(String),
    /// Input for a program that runs.
    Input(String),
    /// Code in a language.
    Code {
        /// The language as written, lower case.
        language: String,
        /// The code.
        text: String,
    },
    /// Items of a list with their status.
    Todos(Vec<(Option<String>, String)>),
    /// Words for somebody: a task, a thought, an answer.
    Words(String),
    /// Verb and object say all of it.
    Nothing,
    /// Arguments of a tool that no rule knows.
    Arguments,
}

/// What a patch does to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchedFile {
    /// Its path.
    pub path: String,
    /// `edit`, `new`, `delete`.
    pub verb: &'static str,
    /// Where it is moved to.
    pub target: Option<String>,
    /// The changed places in order.
    pub hunks: Vec<PatchedLines>,
}

/// One changed place of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatchedLines {
    /// The number of its first line afterwards, where the patch says it.
    pub start: Option<u32>,
    /// What the patch looks for above it.
    pub anchor: Option<String>,
    /// Its lines with their signs: `+`, `-` or a blank.
    pub lines: Vec<(char, String)>,
}

/// W3: what a call holds.
#[must_use]
pub fn call_body(call: &ToolCall<'_>, dialect: Dialect) -> CallBody {
    if let Some(commands) = cline::script(call, dialect) {
        return CallBody::Command(commands);
    }
    let read = Call::read(&call.name, &call.arguments, dialect);
    match read.action {
        Action::Replace { path, edits, .. } => {
            let edits = edits.into_iter().map(|edit| (edit.old, edit.new)).collect();
            CallBody::Edits { path, edits }
        }
        Action::Write { path, text } => CallBody::Lines { path: Some(path), text, first: Some(1) },
        Action::Insert { path, line, text } => {
            CallBody::Lines { path, text, first: line.map(|line| line.saturating_add(1)) }
        }
        Action::Splice { path, from, text, .. } => CallBody::Lines { path, text, first: Some(from) },
        Action::Patch { text } => match patch_text(&text) {
            files if files.is_empty() => CallBody::Words(text),
            files => CallBody::Patch(files),
        },
        Action::Shell { command, .. } => match patch::in_command(&command).map(patch_text) {
            Some(files) if !files.is_empty() => CallBody::Patch(files),
            _ => CallBody::Command(command),
        },
        Action::Input { text } => CallBody::Input(text),
        Action::Code => code(&read.name, &call.arguments),
        Action::Todos(items) => CallBody::Todos(items.into_iter().map(item).collect()),
        Action::TaskUpdate(todo) => CallBody::Todos(vec![item(todo)]),
        Action::NewTask { text } => text.map_or(CallBody::Nothing, CallBody::Words),
        Action::Read { .. } | Action::Window { .. } | Action::Touch { .. } | Action::Undo { .. } | Action::TodoView => {
            CallBody::Nothing
        }
        Action::Sub { .. } | Action::Page { .. } | Action::Blur { .. } | Action::Other => words(&call.arguments),
    }
}

fn item(todo: Todo) -> (Option<String>, String) {
    (todo.status, todo.text.or(todo.id).unwrap_or_default())
}

fn code(name: &str, arguments: &str) -> CallBody {
    let parsed = json::parse(arguments).ok();
    let text = parsed.as_ref().and_then(|value| {
        value.as_str().or_else(|| CODE_ARGUMENTS.iter().find_map(|key| value.get(key)?.as_str())).map(str::to_owned)
    });
    let language = name.strip_prefix("code:").unwrap_or("python").to_owned();
    text.map_or(CallBody::Arguments, |text| CallBody::Code { language, text })
}

/// Arguments that are one text, or none at all.
fn words(arguments: &str) -> CallBody {
    let Ok(value) = json::parse(arguments) else { return CallBody::Words(arguments.to_owned()) };
    if let Some(text) = value.as_str() {
        return if json::parse(text).is_ok_and(|inner| inner.as_object().is_some()) {
            CallBody::Arguments
        } else {
            CallBody::Words(text.to_owned())
        };
    }
    let mut members = value.as_object().into_iter().flat_map(|object| object.entries());
    match (members.next(), members.next()) {
        (None, _) if value.as_object().is_some() => CallBody::Nothing,
        (Some((_, only)), None) => only.as_str().map_or(CallBody::Arguments, |text| CallBody::Words(text.to_owned())),
        _ => CallBody::Arguments,
    }
}

/// The files that a patch changes; none where the text is not a patch.
#[must_use]
pub fn patch_text(text: &str) -> Vec<PatchedFile> {
    let files = patch::parse(text).into_iter().map(|file| match file {
        FilePatch::Add { path, text } => {
            let lines = text.lines().map(|line| ('+', line.to_owned())).collect();
            let hunks = vec![PatchedLines { start: Some(1), anchor: None, lines }];
            PatchedFile { path, verb: "new", target: None, hunks }
        }
        FilePatch::Delete { path } => PatchedFile { path, verb: "delete", target: None, hunks: Vec::new() },
        FilePatch::Update { path, target, hunks } => {
            let hunks = hunks.into_iter().map(patch::Hunk::shown).collect();
            PatchedFile { path, verb: "edit", target, hunks }
        }
    });
    files.collect()
}

/// The number of the line at which a text begins among numbered lines in order; it may begin and end within a line.
pub fn line_of<'t>(lines: impl IntoIterator<Item = (u32, &'t str)>, text: &str) -> Option<u32> {
    let wanted: Vec<&str> = text.strip_suffix('\n').unwrap_or(text).split('\n').collect();
    if text.trim().is_empty() {
        return None;
    }
    let known: Vec<(u32, &str)> = lines.into_iter().collect();
    let last = wanted.len() - 1;
    let fits = |i: usize, line: &str| match (i == 0, i == last) {
        (true, true) => line.contains(wanted[0]),
        (true, false) => line.ends_with(wanted[0]),
        (false, true) => line.starts_with(wanted[i]),
        (false, false) => line == wanted[i],
    };
    let is_run = |run: &&[(u32, &str)]| {
        let is_whole = (run[last].0 - run[0].0) as usize == last;
        is_whole && run.iter().enumerate().all(|(i, (_, line))| fits(i, line))
    };
    known.windows(wanted.len()).find(is_run).map(|run| run[0].0)
}

impl Work {
    /// The number of the line at which a text is in a file as the agent knew it at a step (W12).
    #[must_use]
    pub fn line_of(&self, path: &str, step: StepNo, text: &str) -> Option<u32> {
        let file = self.file(path, step)?;
        let numbered = |line: &BlameLine<'_>| Some((line.number?, line.text.to_owned()));
        let lines: Vec<(u32, String)> = file.blame.iter().filter_map(numbered).collect();
        line_of(lines.iter().map(|(number, line)| (*number, line.as_str())), text)
    }

    /// The agent whose exceptions hold.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }
}

impl patch::Hunk {
    fn shown(self) -> PatchedLines {
        let (start, anchor, lines) = self.into_parts();
        PatchedLines { start, anchor, lines }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(name: &'static str, arguments: &'static str) -> CallBody {
        call_body(&ToolCall { id: None, name: name.into(), arguments: arguments.into() }, Dialect::Common)
    }

    #[test]
    fn a_call_holds_what_its_tool_takes() {
        let edit = r#"{"command":"str_replace","path":"/a.py","old_str":"x","new_str":"y"}"#;
        let edits = vec![("x".to_owned(), "y".to_owned())];
        assert_eq!(body("str_replace_editor", edit), CallBody::Edits { path: Some("/a.py".to_owned()), edits });
        assert_eq!(body("bash", r#"{"command":"ls -l"}"#), CallBody::Command("ls -l".to_owned()));
        assert_eq!(body("think", r#"{"thought":"hm"}"#), CallBody::Words("hm".to_owned()));
        assert_eq!(body("lookup", r#"{"a":1,"b":2}"#), CallBody::Arguments);
        assert_eq!(body("lookup", "{}"), CallBody::Nothing);
        assert_eq!(body("Read", r#"{"file_path":"/a"}"#), CallBody::Nothing);
        let code = CallBody::Code { language: "python".to_owned(), text: "print(1)".to_owned() };
        assert_eq!(body("code:python", r#"{"code":"print(1)"}"#), code);
        let CallBody::Patch(files) = body("apply_patch", r#""*** Begin Patch\n*** Update File: a.rs\n@@ f\n-x\n+y""#)
        else {
            panic!("a patch")
        };
        let lines = vec![('-', "x".to_owned()), ('+', "y".to_owned())];
        let hunk = PatchedLines { start: None, anchor: Some("f".to_owned()), lines };
        assert_eq!((files[0].path.as_str(), files[0].verb, &files[0].hunks[0]), ("a.rs", "edit", &hunk));
    }

    #[test]
    fn a_text_is_found_among_lines_though_it_begins_within_one() {
        let lines = [(4, "    if a:"), (5, "        b()"), (6, "    c"), (9, "    d")];
        for (text, expected) in
            [("a:\n        b()", Some(4)), ("b", Some(5)), ("    c\n    d", None), ("c\n", Some(6)), ("", None)]
        {
            assert_eq!(line_of(lines, text), expected, "{text}");
        }
    }
}
