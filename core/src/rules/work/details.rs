//! W7, W8: what structured results say of files: those of Claude Code, of Gemini CLI and Qwen Code, the changes of
//! Codex.

use super::Dialect;
use super::call::Replacement;
use super::file_excerpt::FileExcerpt;
use super::patch::{self, FilePatch};
use super::text::{lines, parse_line};
use crate::json::{self, Value};
use memchr::memmem;
use std::borrow::Cow;

/// W7: the file that a structured result of Claude Code shows. The line that a final line end opens counts among its
/// `totalLines`; it is not a line (W1).
pub(super) fn detail_file(details: &str) -> Option<FileExcerpt<'static>> {
    let value = json::parse(details).ok()?;
    let file = value.get("file")?;
    let number = |key| file.get(key).and_then(Value::as_number).and_then(parse_line);
    let text = file.get("content")?.as_str()?;
    let (first, total) = (number("startLine").unwrap_or(1).max(1), number("totalLines"));
    let end = first.checked_add(u32::try_from(text.matches('\n').count()).ok()?)?;
    let numbers = first..;
    let lines: Vec<_> = numbers.zip(lines(text)).map(|(number, line)| (number, Cow::Owned(line.to_owned()))).collect();
    let has_end = total.is_some_and(|total| total <= end);
    let last = lines.last().map_or(first - 1, |(number, _)| *number);
    Some(FileExcerpt {
        total: if has_end { Some(last) } else { total },
        counts_open_line: !has_end,
        is_whole: has_end && first == 1,
        lines,
        ..FileExcerpt::default()
    })
}

/// The whole text of a file before an edit, where the result holds it.
pub(super) enum Base<'v> {
    /// `FORMATS.md` 1 and 15, Claude Code, and Gemini CLI and Qwen Code likewise: what the file held, whatever the run
    /// knew of it.
    Truth(&'v str),
    /// OpenHands: it says whether the last line has a line end.
    End(&'v str),
}

pub(super) fn base_of<'v>(value: &'v Value<'_>, dialect: Dialect) -> Option<Base<'v>> {
    let text = |key| value.get(key).and_then(Value::as_str);
    let truth = file_diff(value).and_then(|diff| diff.before);
    let claude = text("originalFile").or_else(|| text("originalFileContents"));
    let truth = truth.or(claude.filter(|_| dialect == Dialect::ClaudeCode));
    truth.map(Base::Truth).or_else(|| claude.or_else(|| text("old_content")).map(Base::End))
}

/// The whole text of a file before and after an edit, as Gemini CLI and Qwen Code report it.
struct FileDiff<'v> {
    /// None: there was no such file.
    before: Option<&'v str>,
    after: &'v str,
}

/// What Gemini CLI shows of an edit, and Qwen Code beside its status. Of long files Qwen Code has no more than the
/// beginning in its sessions.
fn file_diff<'v>(value: &'v Value<'_>) -> Option<FileDiff<'v>> {
    let shown = value.get("resultDisplay").unwrap_or(value);
    let is_cut = shown.get("truncatedForSession").and_then(Value::as_bool) == Some(true);
    shown.get("fileDiff").filter(|_| !is_cut)?;
    let text = |key| shown.get(key).and_then(Value::as_str);
    Some(FileDiff { before: text("originalContent"), after: text("newContent")? })
}

/// The replacement that the tool made: the user may have changed the one that the model asked for, or the tool found a
/// text that is like the one that it was to replace.
pub(super) fn edit_of(value: &Value<'_>, dialect: Dialect) -> Option<[Replacement; 1]> {
    if let Some(FileDiff { before: Some(before), after }) = file_diff(value) {
        return Some([Replacement { old: before.to_owned(), new: after.to_owned() }]);
    }
    let text = |key| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let is_claude = dialect == Dialect::ClaudeCode;
    is_claude.then(|| Some([Replacement { old: text("oldString")?, new: text("newString")? }]))?
}

/// The text that the tool wrote: the user may have changed the one that the model gave.
pub(super) fn written_of<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    Some(file_diff(value)?.after)
}

/// W8: Claude Code's `structuredPatch`, as lines that are shown; of Pi, its `patch`: a unified diff.
pub(super) fn patch_of(value: &Value<'_>) -> Option<FileExcerpt<'static>> {
    if let Some(diff) = value.get("patch").and_then(Value::as_str) {
        return unified(diff);
    }
    let mut lines: Vec<(u32, Cow<'static, str>)> = Vec::new();
    for hunk in value.get("structuredPatch")?.as_array()? {
        let mut number = parse_line(hunk.get("newStart")?.as_number()?)?;
        for line in hunk.get("lines")?.as_array()?.iter().filter_map(Value::as_str) {
            if let Some(text) = line.strip_prefix([' ', '+']) {
                if lines.last().is_none_or(|(last, _)| *last < number) {
                    lines.push((number, Cow::Owned(text.to_owned())));
                }
                number = number.checked_add(1)?;
            }
        }
    }
    (!lines.is_empty()).then(|| FileExcerpt { lines, ..FileExcerpt::default() })
}

/// The lines of a unified diff as they are afterwards.
fn unified(diff: &str) -> Option<FileExcerpt<'static>> {
    let (mut lines, mut number) = (Vec::new(), None);
    for line in diff.lines() {
        if let Some(hunk) = line.strip_prefix("@@ ") {
            let start = hunk.split_once('+').map_or("", |(_, start)| start);
            number = parse_line(start.split([',', ' ']).next().unwrap_or_default());
        } else if let (Some(text), Some(at)) = (line.strip_prefix([' ', '+']), number) {
            lines.push((at, Cow::Owned(text.to_owned())));
            number = at.checked_add(1);
        }
    }
    let rises = lines.windows(2).all(|pair: &[(u32, Cow<'_, str>)]| pair[0].0 < pair[1].0);
    (rises && !lines.is_empty()).then(|| FileExcerpt { lines, ..FileExcerpt::default() })
}

/// W8, `FORMATS.md` 3: the `changes` of a Codex item or event as patches of files; None where one of them does not say
/// what it changes.
pub(super) fn detail_changes(details: &str) -> Option<Vec<FilePatch>> {
    // Most results say nothing of files, and some are long.
    memmem::find(details.as_bytes(), b"\"changes\"")?;
    let value = json::parse(details).ok()?;
    let changes = value.get("changes")?;
    let is_complete = |change: &Value<'_>| {
        let text = |key| change.get(key).and_then(Value::as_str);
        let has_diff = || text("unified_diff").is_some_and(|diff| diff.starts_with("@@"));
        text("type") == Some("delete") || text("content").is_some() || has_diff()
    };
    let all = changes.as_object().filter(|changes| !changes.is_empty())?;
    let are_complete = all.entries().all(|(_, change)| is_complete(change));
    are_complete.then(|| patch::of_changes(changes)).flatten().map(|text| patch::parse(&text))
}

/// What Claude Code reports that a command changed of files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CommandDiff {
    /// The files whose lines it reports.
    pub(super) patches: Vec<FilePatch>,
    /// Those of which it knows only that they changed: of many files the first few have lines.
    pub(super) unclear: Vec<String>,
}

/// W9: the `bashEditDiff` of a result, from version 2.1.270 on.
pub(super) fn command_diff(details: &str) -> Option<CommandDiff> {
    memmem::find(details.as_bytes(), b"\"bashEditDiff\"")?;
    let value = json::parse(details).ok()?;
    let diff = value.get("bashEditDiff")?;
    let items = |key| diff.get(key).and_then(Value::as_array).into_iter().flatten();
    let files = items("files").filter_map(|file| Some((file.get("filePath")?.as_str()?, file.get("hunks")?)));
    let patches: Vec<FilePatch> = files.filter_map(|(path, hunks)| patch::of_hunks(path, hunks)).collect();
    let named = items("files").filter_map(|file| file.get("filePath"));
    let named = named.chain(items("changedFiles")).filter_map(Value::as_str);
    let unclear = named.filter(|path| patches.iter().all(|patch| patch.path() != *path)).map(str::to_owned).collect();
    Some(CommandDiff { patches, unclear })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w9_a_command_of_claude_code_reports_what_it_changed() {
        let details = r#"{"stdout":"","bashEditDiff":{"files":[
            {"filePath":"/w/a","hunks":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-x","+y"]}]},
            {"filePath":"/w/n","created":true,"hunks":[{"oldStart":0,"newStart":1,"lines":["+n"]}]},
            {"filePath":"/w/b","hunks":[]}],"moreFiles":1,"changedFiles":["/w/a","/w/n","/w/b","/w/c"]}}"#;
        let diff = command_diff(details).unwrap();
        assert_eq!(diff.patches.iter().map(FilePatch::path).collect::<Vec<_>>(), ["/w/a", "/w/n"]);
        assert_eq!(diff.patches[1], FilePatch::Add { path: "/w/n".to_owned(), text: "n\n".to_owned() });
        assert_eq!(diff.unclear, ["/w/b", "/w/b", "/w/c"]);
        assert_eq!(command_diff(r#"{"stdout":"bashEditDiff"}"#), None);
    }

    #[test]
    fn w7_files_of_structured_results() {
        let of = |details: &str| {
            let shown = detail_file(details).unwrap();
            let lines: Vec<String> = shown.lines.iter().map(|(number, line)| format!("{number}={line}")).collect();
            (lines.join("|"), shown.total, shown.is_whole)
        };
        for (details, lines, total, is_whole) in [
            (r#"{"file":{"content":"a\nb","startLine":1,"totalLines":2}}"#, "1=a|2=b", Some(2), true),
            (r#"{"file":{"content":"a\r\nb\n","startLine":1,"totalLines":3}}"#, "1=a|2=b", Some(2), true),
            (r#"{"file":{"content":"","startLine":1,"totalLines":1}}"#, "", Some(0), true),
            (r#"{"file":{"content":"c\nd","startLine":3,"totalLines":9}}"#, "3=c|4=d", Some(9), false),
            (r#"{"file":{"content":"c\nd\n","startLine":3,"totalLines":5}}"#, "3=c|4=d", Some(4), false),
            (r#"{"file":{"content":"[Truncated\nx"}}"#, "1=[Truncated|2=x", None, false),
        ] {
            assert_eq!(of(details), (lines.to_owned(), total, is_whole), "{details}");
        }
        assert!(detail_file(r#"{"file":{"filePath":"/w/a"}}"#).is_none());
    }

    #[test]
    fn w8_changes_of_codex_are_patches() {
        let details = r#"{"changes":{"/w/a":{"type":"update","unified_diff":"@@ -1 +1 @@\n-x\n+y\n","move_path":"/w/b"},
            "n":{"type":"add","content":"one\ntwo\n"},"o":{"type":"delete"}}}"#;
        let patches = detail_changes(details).unwrap();
        assert_eq!(patches.iter().map(FilePatch::path).collect::<Vec<_>>(), ["/w/a", "n", "o"]);
        assert_eq!(patches[1], FilePatch::Add { path: "n".to_owned(), text: "one\ntwo\n".to_owned() });
        let FilePatch::Update { target, hunks, .. } = &patches[0] else { panic!("an update") };
        assert_eq!((target.as_deref(), hunks.len()), (Some("/w/b"), 1));
        for unclear in [r#"{"changes":{}}"#, r#"{"changes":{"a":{"type":"update","unified_diff":"[cut]"}}}"#, "{}", "["]
        {
            assert_eq!(detail_changes(unclear), None, "{unclear}");
        }
    }
}
