//! A row of the list of sessions: since when it is quiet, agent, project, title, steps, failed calls, size; and below
//! the list what the session under the cursor is about.

use super::columns::{date, state};
use super::{FileHead, SessionHead};
use crate::model::{ListedFile, ListedKind};
use crate::panes::{Extent, Piece, Row, value};
use crate::text::{Role, SafeText, cut, cut_middle, pad, width, wrap};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// Lines of a pane from which on it has a preview, and how many that takes at most from a list that needs them, and
/// from one that does not.
const PREVIEWED_MIN: usize = 16;
const PREVIEW_MAX: usize = 11;
const PREVIEW_FREE_MAX: usize = 24;

/// Lines of the preview in a pane of `height` lines with `sessions` sessions; 0: there is no room.
pub(super) fn preview_height(height: usize, sessions: usize) -> usize {
    let free = height.saturating_sub(sessions + 2).min(PREVIEW_FREE_MAX);
    if height < PREVIEWED_MIN { 0 } else { (height / 3).min(PREVIEW_MAX).max(free) }
}

/// Widths of the columns, in cells; 0: not shown.
pub(super) struct SessionColumns {
    age: usize,
    agent: usize,
    project: usize,
    title: usize,
    steps: usize,
    failed: usize,
    size: usize,
}

impl SessionColumns {
    pub(super) fn of(cells: usize) -> Self {
        let shown = |cells_min: usize, width: usize| if cells >= cells_min { width } else { 0 };
        let (agent, project) = if cells >= 110 { (11, 24) } else { (8, 16) };
        let (age, agent, project) = (6, shown(64, agent), shown(56, project));
        let (steps, failed, size) = (shown(72, 7), shown(88, 6), shown(100, 10));
        let used: usize =
            [agent, project, steps, failed, size].iter().map(|width| width + 2 * usize::from(*width > 0)).sum();
        Self { age, agent, project, title: cells.saturating_sub(age + 2 + used + 2), steps, failed, size }
    }

    /// `above`: live sessions above the window.
    pub(super) fn heading(&self, above: usize) -> Row {
        let mut text = format!(" {:<a$}", "age", a = self.age);
        let left = |text: &mut String, cells: usize, word: &str| {
            if cells > 0 {
                *text += &format!("  {word:<cells$}");
            }
        };
        let right = |text: &mut String, cells: usize, word: &str| {
            if cells > 0 {
                *text += &format!("  {word:>cells$}");
            }
        };
        left(&mut text, self.agent, "agent");
        left(&mut text, self.project, "project");
        left(&mut text, self.title, "title");
        right(&mut text, self.steps, "steps");
        right(&mut text, self.failed, "failed");
        right(&mut text, self.size, "size");
        let row = Row::text(Role::Dim, &text);
        if above == 0 { row } else { row.right(vec![Piece::of(Role::Good, &format!("↑ {above} live "))]) }
    }

    pub(super) fn pieces(&self, file: &ListedFile, head: Option<&FileHead>, is_open: bool, now: i64) -> Vec<Piece> {
        let unknown = FileHead::default();
        let known = head.unwrap_or(&unknown);
        let (role, age) = match (file.is_live, file.written) {
            (true, _) => (Role::Good, "● live".to_owned()),
            (false, written) => (Role::Dim, written.map(|at| age(now - at)).unwrap_or_default()),
        };
        let mut out = vec![Piece::of(role, &format!("{age:<a$}", a = self.age))];
        let mut column = |role: Role, text: SafeText| {
            out.push(Piece::of(Role::Text, "  "));
            out.push(Piece::safe(role, text));
        };
        if self.agent > 0 {
            let agent = agent(file, head);
            column(Role::Kind, pad(&cut(&SafeText::of(agent), self.agent), self.agent));
        }
        if self.project > 0 {
            let project = SafeText::of(&project_of(file, &known.session));
            column(Role::Dim, pad(&cut_middle(&project, self.project), self.project));
        }
        let (role, title) = match head {
            None if file.kind == ListedKind::File => (Role::Dim, SafeText::literal("…")),
            _ if known.is_unreadable => (Role::Error, SafeText::of(&known.words)),
            _ if known.words.is_empty() => (Role::Dim, SafeText::of(&file.name)),
            _ => (if is_open { Role::Accent } else { Role::Text }, SafeText::of(&known.words)),
        };
        column(role, pad(&cut(&title, self.title), self.title));
        if self.steps > 0 {
            let steps = cut(&SafeText::of(&steps_of(known)), self.steps);
            column(Role::JsonNumber, SafeText::of(&format!("{:>w$}", steps.as_str(), w = self.steps)));
        }
        if self.failed > 0 {
            let (role, text) = match known.session.failed {
                Some(0) => (Role::Dim, "0".to_owned()),
                Some(failed) => (Role::Error, failed.to_string()),
                // Of several runs nobody counts it.
                None if head.is_none() || known.is_unreadable || known.finding_counts.is_some() => {
                    (Role::Dim, String::new())
                }
                None => (Role::Dim, if file.len > super::CHECKED_MAX { "?" } else { "…" }.to_owned()),
            };
            column(role, SafeText::of(&format!("{text:>w$}", w = self.failed)));
        }
        if self.size > 0 {
            column(Role::Dim, SafeText::of(&format!("{:>w$}", value::size_text(file.len), w = self.size)));
        }
        out
    }
}

/// The agent of a session: that of its place; of a file of the current folder the one that its format names.
pub(super) fn agent<'f>(file: &'f ListedFile, head: Option<&'f FileHead>) -> &'f str {
    if file.agent != "here" {
        return file.agent;
    }
    let format = head.map_or("", |head| head.format);
    ["-code", "-cli"].iter().find_map(|end| format.strip_suffix(end)).unwrap_or(format)
}

/// The last folder in which the agent worked; where nothing says it, what the place says. Files of the current folder
/// are known to the user by their names.
fn project_of(file: &ListedFile, session: &SessionHead) -> String {
    if file.agent == "here" {
        return format!("./{}", file.path.file_name().unwrap_or_default().to_string_lossy());
    }
    let last = session.folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if last.is_empty() { file.project.clone() } else { last.to_owned() }
}

/// How many steps there are; of a file of several runs, how many runs.
fn steps_of(head: &FileHead) -> String {
    let sign = if head.session.is_estimate { "≈" } else { "" };
    let steps = head.session.steps.map(|steps| format!("{sign}{}", value::count_text(steps)));
    steps.unwrap_or_else(|| head.count.clone())
}

/// How long ago something was, in up to four cells.
fn age(ms: i64) -> String {
    let (count, unit) = match ms {
        ms if ms < MINUTE_MS => return "now".to_owned(),
        ms if ms < HOUR_MS => (ms / MINUTE_MS, "m"),
        ms if ms < DAY_MS => (ms / HOUR_MS, "h"),
        ms if ms < 14 * DAY_MS => (ms / DAY_MS, "d"),
        ms if ms < 56 * DAY_MS => (ms / (7 * DAY_MS), "w"),
        ms if ms < 730 * DAY_MS => (ms / (30 * DAY_MS), "mo"),
        ms => (ms / (365 * DAY_MS), "y"),
    };
    format!("{count}{unit}")
}

/// What a session is about: its title, facts, where it is, what was asked first and said last.
pub(super) fn preview(file: &ListedFile, head: Option<&FileHead>, clock: (i64, i64), extent: Extent) -> Vec<Row> {
    let Extent { width: cells, height } = extent;
    if height < 4 {
        return Vec::new();
    }
    let unknown = FileHead::default();
    let head = head.unwrap_or(&unknown);
    let session = &head.session;
    let title = if head.words.is_empty() { &file.name } else { &head.words };
    let title = cut(&SafeText::of(title), cells.saturating_sub(6));
    let rule = "─".repeat(cells.saturating_sub(width(title.as_str()) + 5));
    let mut rows = vec![Row::new(vec![
        Piece::of(Role::Border, "── "),
        Piece::safe(Role::Title, title),
        Piece::of(Role::Border, &format!(" {rule}")),
    ])];
    let written = file.written.map_or_else(String::new, |at| {
        let age = state(&ListedFile { is_live: false, ..file.clone() }, clock).1;
        let day = date(at + clock.1);
        if age == day { day } else { format!("{day} {age}") }
    });
    let steps = session.steps.map(|count| {
        let sign = if session.is_estimate { "≈" } else { "" };
        format!("{sign}{}", value::count_of(count, "step"))
    });
    let failed = session.failed.filter(|failed| *failed > 0).map(|failed| format!("{failed} failed"));
    let facts = [
        Some(head.format.to_owned()),
        Some(session.model.clone()),
        steps.or_else(|| Some(head.count.clone())),
        failed,
        Some(value::size_text(file.len)),
        Some(written),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().filter(|fact| !fact.is_empty()).collect();
    rows.push(line(Role::Text, &facts.join(" · "), cells));
    let folder = Some(session.folder.as_str()).filter(|folder| !folder.is_empty());
    if let Some(folder) = folder.filter(|_| height > 6) {
        rows.push(line(Role::Dim, &format!("worked in {folder}"), cells));
    }
    let path = cut_middle(&SafeText::of(&file.path.display().to_string()), cells.saturating_sub(3));
    rows.push(Row::new(vec![Piece::of(Role::Text, "  "), Piece::safe(Role::Dim, path)]));
    if head.is_unreadable {
        rows.push(line(Role::Error, &head.words, cells));
    }
    // What was asked gets no more than half of what is left, so that the end is seen too.
    let left = height.saturating_sub(rows.len());
    let asked = if session.last.is_empty() { left } else { left.div_ceil(2) };
    rows.extend(wrapped_rows("› ", Role::User, &session.prompt, asked, cells));
    let left = height.saturating_sub(rows.len());
    rows.extend(wrapped_rows("‹ ", Role::Agent, &session.last, left, cells));
    rows.truncate(height);
    rows
}

fn line(role: Role, text: &str, cells: usize) -> Row {
    let text = cut(&SafeText::of(text), cells.saturating_sub(3));
    Row::new(vec![Piece::of(Role::Text, "  "), Piece::safe(role, text)])
}

/// A text wrapped into at most `lines` lines.
fn wrapped_rows(sign: &str, role: Role, text: &str, lines: usize, cells: usize) -> Vec<Row> {
    let text = SafeText::of(text.trim());
    let room = cells.saturating_sub(5);
    if text.as_str().is_empty() || room < 8 {
        return Vec::new();
    }
    let parts = wrap(text.as_str(), room);
    let more = parts.len() > lines;
    let shown = parts.into_iter().take(lines).enumerate();
    shown
        .map(|(n, range)| {
            let mut part = text.as_str()[range].trim_end().to_owned();
            if more && n + 1 == lines {
                part.push('…');
            }
            let sign = if n == 0 { sign } else { "  " };
            Row::new(vec![Piece::of(role, &format!("  {sign}")), Piece::of(Role::Text, &part)])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panes::row::pieces_width;

    #[test]
    fn ages_take_few_cells() {
        let ages = [0, 59_000, 61_000, HOUR_MS * 5, DAY_MS * 3, DAY_MS * 20, DAY_MS * 90, DAY_MS * 800, -5].map(age);
        assert_eq!(ages, ["now", "now", "1m", "5h", "3d", "2w", "3mo", "2y", "now"]);
    }

    #[test]
    fn rows_and_previews_keep_to_their_width_whatever_they_say() {
        let text = "日本語の題名 🦀 with a\u{1b}[31m very long title ".repeat(9);
        let session = SessionHead {
            steps: Some(123_456),
            is_estimate: true,
            failed: Some(7),
            folder: "/srv/私のプロジェクト".to_owned(),
            model: "m".to_owned(),
            prompt: text.clone(),
            last: text.clone(),
        };
        let head = FileHead { words: text.clone(), session, format: "claude-code", ..FileHead::default() };
        let file = ListedFile { agent: "claude", name: text, len: 1 << 40, written: Some(0), ..ListedFile::default() };
        for cells in 20..200 {
            let pieces = SessionColumns::of(cells).pieces(&file, Some(&head), false, DAY_MS);
            assert!(pieces_width(&pieces) < cells, "{cells}: {}", pieces_width(&pieces));
            for height in [0, 4, 7, 11] {
                let rows = preview(&file, Some(&head), (DAY_MS, 0), Extent { width: cells, height });
                assert!(rows.len() <= height);
                assert!(rows.iter().all(|row| pieces_width(&row.left) <= cells), "{cells}");
                assert!(rows.iter().all(|row| !row.plain().contains('\u{1b}')));
            }
        }
    }
}
