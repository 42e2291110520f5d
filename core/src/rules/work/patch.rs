//! W8 *patch*: `apply_patch` envelopes and unified diffs.

use super::edit::Editor;
use super::file::{Change, Delta, File};
use super::tables::HUNK;
use super::text::{How, LineId, LineOrigin, lines, parse_line};
use crate::json::Value;
use crate::model::cast;
use std::fmt::Write as _;

/// The line that begins a patch of `apply_patch`.
pub(super) const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

/// The patch that a command of a shell gives to `apply_patch`.
pub(super) fn in_command(command: &str) -> Option<&str> {
    let (before, _) = command.split_once(BEGIN)?;
    let is_program = |word: &str| matches!(word, "apply_patch" | "applypatch");
    before.split_whitespace().any(is_program).then_some(())?;
    let patch = &command[before.len()..];
    Some(patch.find(END).map_or(patch, |end| &patch[..end + END.len()]))
}

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FilePatch {
    Add { path: String, text: String },
    Delete { path: String },
    Update { path: String, target: Option<String>, hunks: Vec<Hunk> },
}

impl FilePatch {
    pub(super) fn path(&self) -> &str {
        match self {
            Self::Add { path, .. } | Self::Delete { path } | Self::Update { path, .. } => path,
        }
    }
}

/// A hunk: its lines with their signs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Hunk {
    /// What follows `@@`.
    pub(super) anchor: Option<String>,
    /// Of a unified diff: the number of its first line afterwards.
    pub(super) new_start: Option<u32>,
    pub(super) lines: Vec<(Sign, String)>,
}

impl Hunk {
    /// The number of its first line afterwards, its anchor, and its lines with their signs.
    pub(super) fn into_parts(self) -> (Option<u32>, Option<String>, Vec<(char, String)>) {
        let sign = |sign| match sign {
            Sign::Context => ' ',
            Sign::Removed => '-',
            Sign::Added => '+',
        };
        let lines = self.lines.into_iter().map(|(of, text)| (sign(of), text)).collect();
        (self.new_start, self.anchor, lines)
    }

    /// Lines that stay.
    fn context_count(&self) -> u64 {
        self.lines.iter().filter(|(sign, _)| *sign == Sign::Context).count() as u64
    }
}

/// What becomes of a line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Context,
    Removed,
    Added,
}

/// Reads a patch: an envelope if it has one, else a unified diff.
pub(super) fn parse(text: &str) -> Vec<FilePatch> {
    let all: Vec<&str> = lines(text);
    let is_envelope = all.iter().any(|line| line.trim_end() == BEGIN)
        || all.iter().any(|line| {
            ["*** Add File: ", "*** Update File: ", "*** Delete File: "].iter().any(|s| line.starts_with(s))
        });
    if is_envelope { envelope(&all) } else { unified(&all) }
}

/// The changes that Codex reports by path, as an envelope: `add` with its `content` or a diff, `delete`, `update` with
/// a diff and the path to which the file moves. None: they give paths alone.
pub(super) fn of_changes(changes: &Value<'_>) -> Option<String> {
    let mut out = format!("{BEGIN}\n");
    for (path, change) in changes.as_object()?.entries() {
        let text = |key: &str| change.get(key).and_then(Value::as_str);
        let hunks = || text("unified_diff").unwrap_or_default().lines().skip_while(|line| !line.starts_with("@@"));
        let (head, body): (&str, Vec<String>) = match text("type")? {
            "add" => match text("content") {
                Some(content) => ("Add", lines(content).iter().map(|line| format!("+{line}")).collect()),
                None => ("Add", hunks().filter(|line| line.starts_with('+')).map(str::to_owned).collect()),
            },
            "delete" => ("Delete", Vec::new()),
            _ => ("Update", hunks().map(str::to_owned).collect()),
        };
        let target = text("move_path").map(|target| format!("*** Move to: {target}\n")).unwrap_or_default();
        let body = body.iter().map(|line| format!("{line}\n")).collect::<String>();
        let _ = write!(out, "*** {head} File: {path}\n{target}{body}");
    }
    Some(out)
}

/// The hunks of one file that Claude Code reports as objects; a file that they begin is added. None: they hold no
/// lines.
pub(super) fn of_hunks(path: &str, hunks: &Value<'_>) -> Option<FilePatch> {
    let mut out: Vec<Hunk> = Vec::new();
    let (mut is_new, mut text) = (true, String::new());
    for hunk in hunks.as_array()? {
        let number = |key| hunk.get(key).and_then(Value::as_number).and_then(parse_line);
        is_new &= number("oldStart") == Some(0);
        out.push(Hunk { new_start: number("newStart"), ..Hunk::default() });
        for line in hunk.get("lines")?.as_array()?.iter().filter_map(Value::as_str) {
            text.extend(line.strip_prefix('+').map(|line| format!("{line}\n")));
            hunk_line(line, &mut out);
        }
    }
    let path = path.to_owned();
    (!out.is_empty()).then_some(if is_new {
        FilePatch::Add { path, text }
    } else {
        FilePatch::Update { path, target: None, hunks: out }
    })
}

fn envelope(all: &[&str]) -> Vec<FilePatch> {
    let mut out: Vec<FilePatch> = Vec::new();
    for line in all {
        if let Some(path) = line.strip_prefix("*** Add File: ") {
            out.push(FilePatch::Add { path: path.trim().to_owned(), text: String::new() });
        } else if let Some(path) = line.strip_prefix("*** Delete File: ") {
            out.push(FilePatch::Delete { path: path.trim().to_owned() });
        } else if let Some(path) = line.strip_prefix("*** Update File: ") {
            out.push(FilePatch::Update { path: path.trim().to_owned(), target: None, hunks: Vec::new() });
        } else if line.trim_end() == "*** End Patch" {
            break;
        } else {
            match out.last_mut() {
                Some(FilePatch::Add { text, .. }) => {
                    if let Some(line) = line.strip_prefix('+') {
                        text.push_str(line);
                        text.push('\n');
                    }
                }
                Some(FilePatch::Update { target, hunks, .. }) => match line.strip_prefix("*** Move to: ") {
                    Some(path) => *target = Some(path.trim().to_owned()),
                    None => hunk_line(line, hunks),
                },
                _ => {}
            }
        }
    }
    out
}

/// A line below `*** Update File` or `+++`.
fn hunk_line(line: &str, hunks: &mut Vec<Hunk>) {
    if let Some(found) = HUNK.captures(line) {
        let new_start = found.get(2).and_then(|number| parse_line(number.as_str()));
        hunks.push(Hunk { new_start, ..Hunk::default() });
        return;
    }
    if let Some(anchor) = line.strip_prefix("@@") {
        let anchor = anchor.strip_prefix(' ').unwrap_or(anchor);
        let anchor = (!anchor.trim().is_empty()).then(|| anchor.to_owned());
        hunks.push(Hunk { anchor, ..Hunk::default() });
        return;
    }
    if line.starts_with("*** ") || line.starts_with("\\ No newline") {
        return;
    }
    let (sign, rest) = match line.as_bytes().first() {
        Some(b'+') => (Sign::Added, &line[1..]),
        Some(b'-') => (Sign::Removed, &line[1..]),
        Some(b' ') => (Sign::Context, &line[1..]),
        None => (Sign::Context, line),
        _ => return,
    };
    if hunks.is_empty() {
        hunks.push(Hunk::default());
    }
    if let Some(hunk) = hunks.last_mut() {
        hunk.lines.push((sign, rest.to_owned()));
    }
}

fn unified(all: &[&str]) -> Vec<FilePatch> {
    let path = |text: &str| {
        let path = text.split('\t').next().unwrap_or(text).trim();
        let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
        (path != "/dev/null").then(|| path.to_owned())
    };
    let mut out: Vec<(Option<String>, Option<String>, Vec<Hunk>)> = Vec::new();
    let mut rest = all.iter().peekable();
    while let Some(line) = rest.next() {
        let next = rest.peek().and_then(|next| next.strip_prefix("+++ "));
        if let (Some(old), Some(new)) = (line.strip_prefix("--- "), next) {
            out.push((path(old), path(new), Vec::new()));
            rest.next();
        } else if let Some((_, _, hunks)) = out.last_mut() {
            let is_head = line.starts_with("diff --git ") || line.starts_with("index ");
            if !is_head && (!hunks.is_empty() || line.starts_with("@@")) {
                hunk_line(line, hunks);
            }
        }
    }
    out.into_iter().filter_map(|(old, new, hunks)| file_patch(old, new, hunks)).collect()
}

fn file_patch(old: Option<String>, new: Option<String>, mut hunks: Vec<Hunk>) -> Option<FilePatch> {
    // Blank lines at the end of a text belong to no hunk.
    for hunk in &mut hunks {
        while hunk.lines.last().is_some_and(|(sign, text)| *sign == Sign::Context && text.is_empty()) {
            hunk.lines.pop();
        }
    }
    match (old, new) {
        (None, Some(path)) => {
            let added = hunks.iter().flat_map(|hunk| &hunk.lines).filter(|(sign, _)| *sign == Sign::Added);
            let text = added.map(|(_, line)| format!("{line}\n")).collect();
            Some(FilePatch::Add { path, text })
        }
        (Some(path), None) => Some(FilePatch::Delete { path }),
        (Some(old), Some(path)) => {
            let target = (old != path).then(|| path.clone());
            Some(FilePatch::Update { path: old, target, hunks })
        }
        (None, None) => None,
    }
}

/// How exactly lines must be equal.
const EXACTNESS: [fn(&str, &str) -> bool; 3] =
    [|a, b| a == b, |a, b| a.trim_end() == b.trim_end(), |a, b| a.trim() == b.trim()];

impl Editor<'_> {
    /// W8 *patch*: the hunks of one file in order.
    pub(super) fn patch(&mut self, file: &mut File, hunks: &[Hunk]) -> Delta {
        // `apply_patch` gives the last line a line end.
        file.unended = None;
        let (mut delta, mut cursor) = (Delta::default(), 1);
        for hunk in hunks {
            delta = delta.and(self.hunk(file, hunk, &mut cursor));
        }
        delta
    }

    fn hunk(&mut self, file: &mut File, hunk: &Hunk, cursor: &mut u32) -> Delta {
        let old: Vec<&str> =
            hunk.lines.iter().filter(|(sign, _)| *sign != Sign::Added).map(|(_, text)| text.as_str()).collect();
        let anchor = hunk.anchor.as_deref().and_then(|anchor| self.seek(file, &[anchor], *cursor));
        let below = anchor.map(|line| line + 1);
        if hunk.lines.is_empty() {
            // Of several `@@` lines in a row each is sought below the one before.
            *cursor = below.unwrap_or(*cursor);
            return Delta::default();
        }
        let place = match (old.is_empty(), below) {
            (true, Some(below)) => Some(below),
            (true, None) if hunk.new_start.is_none() && file.is_whole => file.total.map(|total| total + 1),
            (true, None) => None,
            (false, _) => {
                let starts = [below, Some(*cursor), Some(1)];
                starts.into_iter().flatten().find_map(|start| self.seek(file, &old, start))
            }
        };
        if let Some(from) = place {
            let (new, delta) = self.hunk_lines(hunk, |i| file.line(from + cast::to_u32(i)).map(|known| known.id), from);
            *cursor = from + cast::to_u32(new.len());
            file.apply(&[Change { from, count: cast::to_u32(old.len()), new }], self.step);
            return delta;
        }
        if let Some(delta) = self.hunk_in_piece(file, hunk, &old) {
            return delta;
        }
        if let Some(from) = hunk.new_start.map(|start| start.max(1)) {
            let ids: Vec<Option<LineId>> = (from..)
                .zip(&old)
                .map(|(n, text)| {
                    let known = file.line(n)?;
                    (self.texts.text(known.id) == *text).then_some(known.id)
                })
                .collect();
            let context = hunk.lines.iter().filter(|(sign, _)| *sign != Sign::Added).zip(&ids);
            let context = context.filter(|((sign, _), id)| *sign == Sign::Context && id.is_some()).count();
            let (new, delta) = self.hunk_lines(hunk, |i| ids.get(i).copied().flatten(), from);
            let (added, removed) = (new.len() - context, old.len() - context);
            let quoted = hunk.context_count() - context as u64;
            *cursor = from + cast::to_u32(new.len());
            file.apply(&[Change { from, count: cast::to_u32(old.len()), new }], self.step);
            (file.is_whole, file.is_deleted) = (false, false);
            return Delta { added: added as u64, removed: removed as u64, quoted, ..delta };
        }
        let (new, _) = self.hunk_lines(hunk, |_| None, 1);
        let (added, removed) = (new.len() as u64, old.len() as u64);
        self.put_piece(file, new, added != removed);
        Delta { line: None, added, removed, quoted: hunk.context_count() }
    }

    /// The lines of a hunk afterwards: context is what is known (by its place among the old lines), else quoted.
    pub(super) fn hunk_lines(
        &mut self,
        hunk: &Hunk,
        known: impl Fn(usize) -> Option<LineId>,
        from: u32,
    ) -> (Vec<LineId>, Delta) {
        let (mut out, mut at, mut delta) = (Vec::new(), 0, Delta::default());
        for (sign, text) in &hunk.lines {
            if *sign != Sign::Context && delta.line.is_none() {
                delta.line = Some(from + cast::to_u32(out.len()));
            }
            let how = match sign {
                Sign::Removed => {
                    (at, delta.removed) = (at + 1, delta.removed + 1);
                    continue;
                }
                Sign::Context => {
                    at += 1;
                    if let Some(id) = known(at - 1) {
                        out.push(id);
                        continue;
                    }
                    How::Context
                }
                Sign::Added => {
                    delta.added += 1;
                    self.how
                }
            };
            let origin = LineOrigin { step: self.step, call: self.call, how };
            out.extend(self.texts.add(std::iter::once((text.as_str(), origin))));
        }
        (out, delta)
    }

    /// The number from which on known lines are these: exact, without trailing, without outer white space.
    fn seek(&mut self, file: &File, wanted: &[&str], from: u32) -> Option<u32> {
        let start = file.lines.partition_point(|known| known.number < from);
        let lines = &file.lines[start..];
        let count = wanted.len();
        if count == 0 || !self.fuel.take(lines.len()) {
            return None;
        }
        for is_equal in EXACTNESS {
            let fits = |at: &usize| {
                let run = &lines[*at..*at + count];
                let is_run = (run[count - 1].number - run[0].number) as usize == count - 1;
                is_run && run.iter().zip(wanted).all(|(known, text)| is_equal(self.texts.text(known.id), text))
            };
            let places = 0..(lines.len() + 1).saturating_sub(count);
            if let Some(at) = places.into_iter().find(fits) {
                return Some(lines[at].number);
            }
        }
        None
    }

    fn hunk_in_piece(&mut self, file: &mut File, hunk: &Hunk, old: &[&str]) -> Option<Delta> {
        let count: usize = file.pieces.iter().map(|piece| piece.len()).sum();
        if old.is_empty() || !self.fuel.take(count) {
            return None;
        }
        let (place, at) = file.pieces.iter().enumerate().find_map(|(place, piece)| {
            let starts = 0..(piece.len() + 1).saturating_sub(old.len());
            let fits = |at: &usize, is_equal: fn(&str, &str) -> bool| {
                piece[*at..].iter().zip(old).all(|(id, text)| is_equal(self.texts.text(*id), text))
            };
            let at = EXACTNESS.into_iter().find_map(|is_equal| starts.clone().find(|at| fits(at, is_equal)))?;
            Some((place, at))
        })?;
        let ids = file.pieces[place].to_vec();
        let (new, delta) = self.hunk_lines(hunk, |i| ids.get(at + i).copied(), 1);
        let mut all = ids;
        all.splice(at..at + old.len(), new);
        if all.is_empty() {
            drop(file.pieces.remove(place));
        } else {
            file.pieces[place] = all.into();
        }
        // Nobody says where the piece is.
        if delta.added != delta.removed {
            file.lose_numbers();
        }
        Some(Delta { line: None, ..delta })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rustfmt::skip]
    #[test]
    fn w8_patches_are_read() {
        let text =
            "*** Begin Patch\n*** Add File: n\n+a\n+b\n*** Update File: a.txt\n*** Move to: c.txt\n@@ two\n x\n-y\n+z\n@@\n-p\n*** Delete File: o\n*** End Patch";
        let all = parse(text);
        let paths: Vec<_> = all.iter().map(FilePatch::path).collect();
        assert_eq!(paths, ["n", "a.txt", "o"]);
        assert_eq!(all[0], FilePatch::Add { path: "n".to_owned(), text: "a\nb\n".to_owned() });
        let FilePatch::Update { target, hunks, .. } = &all[1] else { panic!("an update") };
        assert_eq!((target.as_deref(), hunks.len()), (Some("c.txt"), 2));
        assert_eq!((hunks[0].anchor.as_deref(), hunks[0].lines.len()), (Some("two"), 3));
    }

    #[test]
    fn w8_changes_by_path_are_a_patch() {
        let changes = r#"{"/w/n":{"type":"add","content":"a\nb\n"},
            "/w/m":{"type":"add","unified_diff":"@@ -0,0 +1 @@\n+q\n"},
            "/w/o":{"type":"delete","content":"z"},
            "/w/a":{"type":"update","unified_diff":"@@ -1,2 +1,2 @@\n x\n-y\n+z\n","move_path":"/w/b"}}"#;
        let all = parse(&of_changes(&crate::json::parse(changes).unwrap()).unwrap());
        assert_eq!(all[0], FilePatch::Add { path: "/w/n".to_owned(), text: "a\nb\n".to_owned() });
        assert_eq!(all[1], FilePatch::Add { path: "/w/m".to_owned(), text: "q\n".to_owned() });
        assert_eq!(all[2], FilePatch::Delete { path: "/w/o".to_owned() });
        let FilePatch::Update { target, hunks, .. } = &all[3] else { panic!("an update") };
        assert_eq!((target.as_deref(), hunks[0].new_start, hunks[0].lines.len()), (Some("/w/b"), Some(1), 3));
        assert!(of_changes(&crate::json::parse(r#"[{"path":"/w/a","kind":"update"}]"#).unwrap()).is_none());
    }

    #[rustfmt::skip]
    #[test]
    fn w8_unified_diffs_are_read() {
        let text =
            "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1,2 +3,2 @@ f\n a\n-b\n+c\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+q\n--- a/o\n+++ /dev/null\n@@ -1 +0,0 @@\n-q\n";
        let all = parse(text);
        assert_eq!(all.len(), 3);
        let FilePatch::Update { path, hunks, .. } = &all[0] else { panic!("an update") };
        assert_eq!((path.as_str(), hunks[0].new_start, hunks[0].lines.len()), ("x", Some(3), 3));
        assert_eq!(all[1], FilePatch::Add { path: "n".to_owned(), text: "q\n".to_owned() });
        assert_eq!(all[2], FilePatch::Delete { path: "o".to_owned() });
    }
}
