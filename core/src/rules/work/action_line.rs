//! What a call does, in a line: a verb that is the same for all formats, and what it is done to.

use super::Dialect;
use super::arguments::Arguments;
use super::call::{Action, Call, Replacement, Todo};
use super::cline;
use super::lcs;
use super::patch;
use crate::json::{self, Value};
use crate::model::{ActionLine, ToolCall};
use crate::text::{counted, shorten};

/// Verbs of tools that are recognised by a part of their bare name, the first that fits.
const VERBS: [(&str, &str); 15] = [
    ("websearch", "search"),
    ("web_search", "search"),
    ("grep", "search"),
    ("glob", "search"),
    ("search", "search"),
    ("find", "search"),
    ("list", "list"),
    ("fetch", "fetch"),
    ("ask", "ask"),
    ("think", "think"),
    ("plan", "plan"),
    ("finish", "finish"),
    ("submit", "finish"),
    ("browser", "page"),
    ("click", "click"),
];

/// Arguments that say best what an unknown call is about, the most informative first.
const INFORMATIVE_KEYS: [&str; 15] = [
    "pattern",
    "query",
    "url",
    "path",
    "file_path",
    "question",
    "thought",
    "prompt",
    "description",
    "name",
    "id",
    "message",
    "text",
    "command",
    "plan",
];

/// Most characters of an object.
const OBJECT_CHARS: usize = 400;

/// W3: a call in a line.
#[must_use]
pub fn action_line(call: &ToolCall<'_>, dialect: Dialect) -> ActionLine {
    let of_call = |call: &ToolCall<'_>| {
        let read = Call::read(&call.name, &call.arguments, dialect);
        line(&read).unwrap_or_else(|| other(&read.name, &call.arguments))
    };
    let several = cline::calls_of(call, dialect);
    let mut lines = several.iter().map(of_call);
    let Some(first) = lines.next() else { return of_call(call) };
    lines.fold(first, |all, next| ActionLine {
        object: shorten(&format!("{} · {}", all.object, next.object), OBJECT_CHARS).into_owned(),
        is_path: false,
        note: String::new(),
        ..all
    })
}

fn line(call: &Call) -> Option<ActionLine> {
    let file = |verb: &'static str, path: &str, note: String| ActionLine {
        verb: verb.into(),
        object: path.to_owned(),
        is_path: true,
        note,
    };
    let open = |path: &Option<String>| path.clone().unwrap_or_default();
    let words = |verb: &'static str, object: &str| ActionLine {
        verb: verb.into(),
        object: shorten(object, OBJECT_CHARS).into_owned(),
        ..ActionLine::default()
    };
    Some(match &call.action {
        Action::Read { path, range, .. } => {
            let last = range.count.map(|count| range.first.saturating_add(count).saturating_sub(1));
            let note = match (range.is_given, last) {
                (true, Some(last)) => format!("{}–{last}", range.first),
                (true, None) => format!("from {}", range.first),
                (false, _) => String::new(),
            };
            file("view", path, note)
        }
        Action::Window { path } => file("view", &open(path), String::new()),
        Action::Touch { path } => file("new", path, String::new()),
        Action::Write { path, text } => {
            let verb = if call.name.contains("create") || call.name.contains("new") { "new" } else { "write" };
            file(verb, path, counted(text.lines().count(), "line"))
        }
        Action::Replace { path, edits, .. } => file("edit", &open(path), changed(edits)),
        Action::Insert { path, text, .. } => file("edit", &open(path), format!("+{}", text.lines().count())),
        Action::Splice { path, from, to, text } => {
            let removed = to.saturating_sub(*from).saturating_add(1);
            file("edit", &open(path), format!("+{} −{removed}", text.lines().count()))
        }
        Action::Undo { path } => file("undo", path, String::new()),
        Action::Patch { text } => patch_line(text),
        Action::Blur { edited, deleted } => {
            let verb = if edited.is_empty() { "delete" } else { "edit" };
            let mut paths = edited.iter().chain(deleted);
            let path = paths.next()?;
            let more = paths.count();
            let note = if more > 0 { format!("and {}", counted(more, "more file")) } else { String::new() };
            file(verb, path, note)
        }
        Action::Shell { command, .. } => patch::in_command(command).map_or_else(|| words("run", command), patch_line),
        Action::Input { text } => words("type", text),
        Action::Todos(items) => words("todo", &todo(items)),
        Action::TodoView => words("todo", ""),
        Action::NewTask { text } => words("todo", text.as_deref().unwrap_or_default()),
        Action::TaskUpdate(item) => words("todo", &todo(std::slice::from_ref(item))),
        Action::Sub { task, kind } => {
            let parts: Vec<&str> = [kind, task].into_iter().flatten().map(String::as_str).collect();
            words("task", &parts.join(": "))
        }
        Action::Page { url } => words("page", url.as_deref().unwrap_or_default()),
        Action::Code | Action::Other => return None,
    })
}

/// Lines that come and go with edits.
fn changed(edits: &[Replacement]) -> String {
    let (mut added, mut removed) = (0, 0);
    for edit in edits {
        let (old, new): (Vec<&str>, Vec<&str>) = (edit.old.lines().collect(), edit.new.lines().collect());
        let same = lcs::pairs(&old, &new, &mut lcs::Fuel::default()).len();
        (added, removed) = (added + new.len() - same, removed + old.len() - same);
    }
    [(added, '+'), (removed, '−')]
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, sign)| format!("{sign}{n}"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A patch by its files, and the lines that come and go.
fn patch_line(text: &str) -> ActionLine {
    let heads = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "+++ b/", "+++ "];
    let mut files: Vec<&str> = Vec::new();
    let (mut added, mut removed) = (0, 0);
    for line in text.lines() {
        if let Some(path) = heads.iter().find_map(|head| line.strip_prefix(head)) {
            files.push(path.trim());
        } else if !line.starts_with("---") {
            added += usize::from(line.starts_with('+'));
            removed += usize::from(line.starts_with('-'));
        }
    }
    let note = format!("+{added} −{removed}");
    ActionLine {
        verb: "edit".into(),
        object: shorten(&files.join(" "), OBJECT_CHARS).into_owned(),
        is_path: files.len() == 1,
        note,
    }
}

/// How far a todo list is.
fn todo(items: &[Todo]) -> String {
    let is = |item: &&Todo, word: &str| item.status.as_deref().is_some_and(|status| status == word);
    let done = items.iter().filter(|item| is(item, "completed")).count();
    let at_work = || items.iter().find(|item| is(item, "in_progress"));
    let next = || items.iter().find(|item| !is(item, "completed"));
    let name = |item: &Todo| item.text.clone().or_else(|| item.id.clone()).unwrap_or_default();
    match (items, at_work().or_else(next)) {
        ([only], _) => name(only),
        (all, Some(item)) => format!("{done} of {} done · {}", all.len(), name(item)),
        (all, None) => format!("{done} of {} done", all.len()),
    }
}

/// A call of a tool that no rule names: the argument that says most.
fn other(name: &str, arguments: &str) -> ActionLine {
    let (verb, is_code) = match name.strip_prefix("code:") {
        Some(_) => ("run".to_owned(), true),
        None => {
            // A task is nothing that is asked.
            let is_part = |part: &str| match part {
                "ask" => name.starts_with(part) || name.contains("_ask"),
                _ => name.contains(part),
            };
            let verb = VERBS.iter().find(|(part, _)| is_part(part)).map(|(_, verb)| *verb);
            (verb.unwrap_or(name).to_owned(), false)
        }
    };
    let parsed = json::parse(arguments).ok();
    let inner = parsed.as_ref().and_then(Value::as_str).and_then(|text| json::parse(text).ok());
    let value = inner.as_ref().filter(|inner| inner.as_object().is_some()).or(parsed.as_ref());
    let object = value.map_or_else(|| arguments.to_owned(), |value| summary(value, is_code));
    ActionLine { verb: verb.into(), object: shorten(&object, OBJECT_CHARS).into_owned(), ..ActionLine::default() }
}

fn summary(value: &Value<'_>, is_code: bool) -> String {
    if let Some(text) = value.as_str() {
        return text.to_owned();
    }
    let given = Arguments::new(value);
    let named = if is_code { given.text("CMD") } else { None };
    let text = named.or_else(|| INFORMATIVE_KEYS.iter().find_map(|key| value.get(key)?.as_str()));
    if let Some(text) = text.map(str::to_owned).or_else(|| questions(value)) {
        return text;
    }
    if let Some(text) = only_text(value) {
        return text.to_owned();
    }
    let members = value.as_object().into_iter().flat_map(|object| object.entries());
    let words = members.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or(value.text)));
    words.take(8).collect::<Vec<_>>().join(" ")
}

/// The text of a call that has no other argument: its name is the same in all calls of the tool.
fn only_text<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    let mut members = value.as_object()?.entries();
    let (_, value) = members.next()?;
    value.as_str().filter(|text| !text.trim().is_empty() && members.next().is_none())
}

/// Several questions that are asked at once.
fn questions(value: &Value<'_>) -> Option<String> {
    let asked = value.get("questions")?.as_array()?.iter();
    let texts: Vec<&str> = asked.filter_map(|one| one.as_str().or_else(|| one.get("question")?.as_str())).collect();
    (!texts.is_empty()).then(|| texts.join(" · "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_of(name: &'static str, arguments: &'static str) -> String {
        let call = ToolCall { id: None, name: name.into(), arguments: arguments.into() };
        let ActionLine { verb, object, note, .. } = action_line(&call, Dialect::Common);
        format!("{verb} {object} {note}").trim().to_owned()
    }

    #[test]
    fn a_call_is_a_verb_and_what_it_is_done_to() {
        for (name, arguments, expected) in [
            ("str_replace_editor", r#"{"command":"view","path":"/w/a.py","view_range":[3,9]}"#, "view /w/a.py 3–9"),
            (
                "str_replace_editor",
                r#"{"command":"create","path":"/w/b.py","file_text":"a\nb\n"}"#,
                "write /w/b.py 2 lines",
            ),
            ("Edit", r#"{"file_path":"/w/a.py","old_string":"a\nb","new_string":"a\nc\nd"}"#, "edit /w/a.py +2 −1"),
            ("execute_bash", r#"{"command":"ls -l"}"#, "run ls -l"),
            (
                "shell",
                concat!(
                    r#"{"command":"applypatch <<'PATCH'\n*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+y\n"#,
                    r#"*** End Patch\nPATCH"}"#
                ),
                "edit a.rs +1 −1",
            ),
            ("shell", r#"{"command":"grep '*** Begin Patch' a.txt"}"#, "run grep '*** Begin Patch' a.txt"),
            ("mcp__docs__web_search", r#"{"query":"rust"}"#, "search rust"),
            ("Grep", r#"{"output_mode":"content","pattern":"fn main"}"#, "search fn main"),
            ("TaskStop", r#"{"taskId":"t1"}"#, "taskstop t1"),
            ("python", r#"{"code":"x = 1"}"#, "python x = 1"),
            ("wait", r#"{"seconds":5}"#, "wait seconds=5"),
            ("AskUserQuestion", r#"{"question":"Which?"}"#, "ask Which?"),
            ("mcp__ui__ask_user", r#"{"question":"Which?"}"#, "ask Which?"),
            ("AskUserQuestion", r#"{"questions":[{"question":"Which?"},{"question":"When?"}]}"#, "ask Which? · When?"),
            ("ExitPlanMode", r##"{"plan":"# Phase 0"}"##, "plan # Phase 0"),
            ("lookup_order", r#"{"order":7,"user":"ann"}"#, "lookup_order order=7 user=ann"),
            ("apply_patch", "\"*** Begin Patch\\n*** Update File: a.rs\\n@@\\n-x\\n+y\\n+z\\n\"", "edit a.rs +2 −1"),
            ("code:python", r#"{"code":"print(1)"}"#, "run print(1)"),
            ("odd", "no json", "odd no json"),
            (
                "TodoWrite",
                r#"{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"pending"}]}"#,
                "todo 1 of 2 done · b",
            ),
            (
                "TodoWrite",
                r#"{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"completed"}]}"#,
                "todo 2 of 2 done",
            ),
        ] {
            assert_eq!(line_of(name, arguments), expected, "{name}");
        }
    }
}
