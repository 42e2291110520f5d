//! W2, W3: what tools of Cline take otherwise than others. A call may do several things: each of them is a call for the
//! rules, with its part of the result.

use super::arguments::Arguments;
use super::bare_name::bare_name;
use super::call::{Action, Call, Replacement};
use super::slots::SlotSink;
use super::text::with_line_feeds;
use super::{Answered, Dialect, Work};
use crate::json::{self, Value, quote};
use crate::model::{StepNo, ToolCall, ToolResult};
use std::borrow::Cow;

/// Tools that take a list: its name, and what one thing of it is called where it is a text.
const LISTS: [(&str, &str, &str); 2] = [(COMMANDS, "commands", "command"), (FILES, "files", "path")];

const COMMANDS: &str = "run_commands";
const FILES: &str = "read_files";

/// What a command that failed ends with.
const EXIT: &str = "Command exited with code ";

/// Its editor: before a line if there is one, in place of a text if there is one, else the whole of a new file.
pub(super) fn editor(given: &Arguments<'_>) -> Option<Action> {
    let (path, text) = (given.path()?.to_owned(), with_line_feeds(given.string("new_text")?).into_owned());
    if let Some(line) = given.number("insert_line") {
        let line = u32::try_from(line.saturating_sub(1)).ok();
        return Some(Action::Insert { path: Some(path), line, text });
    }
    let old = given.string("old_text").filter(|old| !old.is_empty()).map(|old| with_line_feeds(old).into_owned());
    Some(match old {
        Some(old) => {
            let edits = vec![Replacement { old, new: text }];
            Action::Replace { path: Some(path), edits, is_all: false, takes_line_end: false }
        }
        None => Action::Write { path, text },
    })
}

/// The texts that tools of Cline and Roo Code replace in a file, each between lines that are marks.
pub(super) fn marked_edits(given: &Arguments<'_>) -> Option<Vec<Replacement>> {
    let (mut edits, mut open): (Vec<Replacement>, Option<(Replacement, bool)>) = (Vec::new(), None);
    for line in given.string("diff")?.lines() {
        let is_mark = |sign: char, word: &str| {
            let rest = line.trim_start_matches(sign);
            line.len() - rest.len() >= MARK_SIGNS_MIN && rest.trim().trim_end_matches('>') == word
        };
        match open.as_mut() {
            _ if is_mark('-', "SEARCH") || is_mark('<', "SEARCH") => {
                open = Some((Replacement { old: String::new(), new: String::new() }, false));
            }
            None => {}
            Some((edit, true)) if is_mark('+', "REPLACE") || is_mark('>', "REPLACE") => {
                edits.push(std::mem::replace(edit, Replacement { old: String::new(), new: String::new() }));
                open = None;
            }
            Some((_, is_new)) if !*is_new && is_mark('=', "") => *is_new = true,
            // Roo Code says where a text begins, and ends that with a line of its own.
            Some((edit, false)) if edit.old.is_empty() && line.starts_with(":start_line:") => {}
            Some((edit, false)) if edit.old.is_empty() && is_mark('-', "") => {}
            Some((edit, is_new)) => {
                let side = if *is_new { &mut edit.new } else { &mut edit.old };
                side.push_str(line);
                side.push('\n');
            }
        }
    }
    (!edits.is_empty()).then_some(edits)
}

/// Signs that a line begins with, at least, to be a mark.
const MARK_SIGNS_MIN: usize = 5;

/// The calls that a call stands for, in order; empty: it stands for itself.
pub(super) fn calls_of<'c>(call: &ToolCall<'c>, dialect: Dialect) -> Vec<ToolCall<'c>> {
    if dialect != Dialect::Cline {
        return Vec::new();
    }
    let name = bare_name(&call.name);
    let Some((_, list, one)) = LISTS.iter().find(|(tool, ..)| *tool == name) else { return Vec::new() };
    let parsed = json::try_parse(&call.arguments);
    let things = parsed.as_ref().and_then(|given| given.get(list)?.as_array()).unwrap_or_default();
    let arguments = |thing: &Value<'_>| match thing.as_str() {
        Some(text) => format!("{{\"{one}\":{}}}", quote(text)),
        None => thing.text.to_owned(),
    };
    things.iter().map(|thing| ToolCall { arguments: Cow::Owned(arguments(thing)), ..call.clone() }).collect()
}

/// The commands of a call that runs some, a line each.
pub(super) fn script(call: &ToolCall<'_>, dialect: Dialect) -> Option<String> {
    let commands =
        calls_of(call, dialect).into_iter().map(|one| match Call::read(&one.name, &one.arguments, dialect).action {
            Action::Shell { command, .. } => Some(command),
            _ => None,
        });
    commands.collect::<Option<Vec<String>>>().filter(|all| !all.is_empty()).map(|all| all.join("\n"))
}

/// The results that a result stands for, in order: its details list them.
fn results_of(result: &ToolResult<'_>) -> Vec<ToolResult<'static>> {
    let parsed = result.details.as_deref().and_then(json::try_parse);
    let things = parsed.as_ref().and_then(Value::as_array).unwrap_or_default();
    let id = result.id.as_deref().map(|id| Cow::Owned(id.to_owned()));
    let tool = result.name.as_deref().map(bare_name).unwrap_or_default();
    let of = |thing: &Value<'_>| ToolResult { id: id.clone(), ..result_of(thing, &tool) };
    things.iter().filter(|thing| thing.get("query").is_some()).map(of).collect()
}

/// One thing of a result: what came of it. A command reports its exit status in words.
fn result_of(thing: &Value<'_>, tool: &str) -> ToolResult<'static> {
    let text = |key: &str| thing.get(key).and_then(Value::as_str).unwrap_or_default();
    let (body, error) = (text("result"), text("error"));
    let has_failed = thing.get("success").and_then(Value::as_bool).map(|success| !success);
    let exit = match error.strip_prefix(EXIT) {
        Some(code) => code.trim().parse().ok(),
        None => (tool == COMMANDS && has_failed == Some(false)).then_some(0),
    };
    let head = || body.strip_prefix('[')?.strip_prefix(error)?.strip_prefix(']');
    let (body, is_error) = match exit {
        Some(0) => (body, None),
        Some(_) => (head().map_or(body, |rest| rest.strip_prefix('\n').unwrap_or(rest)), None),
        None if body.is_empty() => (error, has_failed),
        None => (body, has_failed),
    };
    let lines = if tool == FILES { listed(body) } else { None };
    ToolResult { text: Cow::Owned(lines.unwrap_or_else(|| body.to_owned())), is_error, exit, ..ToolResult::default() }
}

/// W7: lines numbered as `N | text`, with a tab in place of the sign; None: the first is not. Notices are as they are.
fn listed(text: &str) -> Option<String> {
    let numbered = |line: &str| {
        let (number, rest) = line.split_once(" | ").or_else(|| line.strip_suffix(" |").map(|number| (number, "")))?;
        let number: u32 = number.trim_start().parse().ok()?;
        Some(format!("{number}\t{rest}"))
    };
    numbered(text.lines().next()?)?;
    let lines = text.lines().map(|line| numbered(line).unwrap_or_else(|| line.to_owned()));
    Some(lines.collect::<Vec<_>>().join("\n"))
}

impl Work {
    /// W2: a call, or the calls that it stands for. How many there are.
    pub(super) fn calls_of(
        &mut self,
        (step, place): (StepNo, usize),
        call: &ToolCall<'_>,
        at: StepNo,
        sink: &mut dyn SlotSink,
    ) -> usize {
        let several = calls_of(call, self.dialect);
        if several.is_empty() {
            self.call((step, place), call, at, sink);
        }
        for (i, one) in several.iter().enumerate() {
            self.call((step, place + i), one, at, sink);
        }
        several.len().max(1)
    }

    /// W2: a result, or the results that it stands for. One for all answers each of the calls. Whether it answers any.
    pub(super) fn results_of(
        &mut self,
        at: StepNo,
        result: &ToolResult<'_>,
        answered: Answered,
        sink: &mut dyn SlotSink,
    ) -> bool {
        if self.dialect != Dialect::Cline {
            return self.result(at, result, answered, sink);
        }
        let several = results_of(result);
        let count = self.calls.count(result.id.as_deref(), answered).max(1);
        let mut has_links = false;
        for i in 0..count {
            let answered = match answered {
                Answered::Call(step, place) => Answered::Call(step, place + i),
                other => other,
            };
            has_links |= self.result(at, several.get(i).unwrap_or(result), answered, sink);
        }
        has_links
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w8_texts_between_marks_are_replaced() {
        let of = |diff: &str| {
            let given = format!(r#"{{"path":"a","diff":{}}}"#, quote(diff));
            let value = json::parse(&given).unwrap();
            let edits = marked_edits(&Arguments::new(&value)).unwrap_or_default();
            edits.into_iter().map(|edit| format!("{:?} {:?}", edit.old, edit.new)).collect::<Vec<_>>()
        };
        let cline = "------- SEARCH\nx\n=======\ny\nz\n+++++++ REPLACE\n------- SEARCH\nb\n=======\n+++++++ REPLACE";
        assert_eq!(of(cline), [r#""x\n" "y\nz\n""#, r#""b\n" """#]);
        let roo = "<<<<<<< SEARCH\n:start_line:3\n-------\nx\n=======\ny\n>>>>>>> REPLACE";
        assert_eq!(of(roo), [r#""x\n" "y\n""#]);
        assert_eq!(of("<<<<<<< SEARCH\nx\n======="), [""; 0], "a part of one");
    }

    #[test]
    fn the_editor_inserts_before_a_line_replaces_or_writes() {
        let action = |arguments: &str| {
            let value = json::parse(arguments).unwrap();
            editor(&Arguments::new(&value))
        };
        let before = action(r#"{"path":"/w/a","new_text":"x","insert_line":1,"old_text":null}"#);
        assert!(matches!(before, Some(Action::Insert { line: Some(0), .. })), "{before:?}");
        let edit = action(r#"{"path":"/w/a","new_text":"x","old_text":"y"}"#);
        assert!(matches!(&edit, Some(Action::Replace { edits, .. }) if edits[0].old == "y"), "{edit:?}");
        let whole = action(r#"{"path":"/w/a","new_text":"x\r\ny","old_text":""}"#);
        assert!(matches!(&whole, Some(Action::Write { text, .. }) if text == "x\ny"), "{whole:?}");
        assert!(action(r#"{"path":"/w/a"}"#).is_none());
    }

    #[test]
    fn a_call_of_several_commands_is_one_for_each_in_cline_alone() {
        let call = ToolCall {
            id: Some("c".into()),
            name: "run_commands".into(),
            arguments: r#"{"commands":["ls",{"command":"cat a","args":[]}]}"#.into(),
        };
        let arguments = |dialect| -> Vec<String> {
            calls_of(&call, dialect).into_iter().map(|one| one.arguments.into_owned()).collect()
        };
        assert_eq!(arguments(Dialect::Cline), [r#"{"command":"ls"}"#, r#"{"command":"cat a","args":[]}"#]);
        assert_eq!(arguments(Dialect::Common).len(), 0);
        assert_eq!(script(&call, Dialect::Cline).as_deref(), Some("ls\ncat a"));
    }

    #[test]
    fn each_part_of_a_result_has_its_text_and_how_it_came_out() {
        let parts = |tool: &'static str, details: &str| -> Vec<_> {
            let (name, details) = (Some(tool.into()), Some(details.into()));
            let whole = ToolResult { name, details, ..ToolResult::default() };
            results_of(&whole).into_iter().map(|part| (part.text.into_owned(), part.is_error, part.exit)).collect()
        };
        let exit = "Command exited with code 3";
        let failed = format!(r#"{{"query":"x","result":"[{exit}]\nout\n","error":"{exit}","success":false}}"#);
        let details = format!(r#"[{{"query":"ls","result":"1 | a\n","success":true}},{failed}]"#);
        let expected = [("1 | a\n".to_owned(), None, Some(0)), ("out\n".to_owned(), None, Some(3))];
        assert_eq!(parts("run_commands", &details), expected);
        let details = r#"[{"query":"/w/a","result":" 9 | one\n10 | \n(more)","success":true},
            {"query":"/w/b","result":"","error":"no such file","success":false}]"#;
        let read = ("9\tone\n10\t\n(more)".to_owned(), Some(false), None);
        assert_eq!(parts("read_files", details), [read, ("no such file".to_owned(), Some(true), None)]);
    }
}
