//! Several files as a list, a row each, the one that was written last at the top.

mod order;

pub use order::FileOrder;

use super::{Extent, Hit, Nth, Piece, Row, Scroll, Window, value};
use crate::model::{ListChange, ListedFile, ListedKind};
use crate::text::{Pattern, Role, SafeText, cut, cut_middle, pad, width};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Most files whose beginnings are kept.
const HEADS_MAX: usize = 20_000;
/// Beginnings of files up to this size are read again when they grow: their counts are of the whole.
pub const WHOLE_MAX: u64 = 1 << 20;
/// In files up to this size all records are checked, in the background.
pub const CHECKED_MAX: u64 = 64 << 20;

const DAY_MS: i64 = 86_400_000;

/// What the list shows of a file beside what the file system says: made by a job from its first bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileHead {
    /// The size that the file had.
    pub len: u64,
    /// The name of its format; empty if it cannot be read.
    pub format: &'static str,
    /// Steps, or trajectories, as `212 steps`; empty while unknown.
    pub count: String,
    /// First words of the first user step; or why it cannot be read.
    pub words: String,
    /// Findings that are errors, and those that are warnings; None while not all of it was checked.
    pub found: Option<(usize, usize)>,
    /// Whether it cannot be read.
    pub is_unreadable: bool,
}

/// Cursor and scroll of the list, its files, and the beginnings that were read so far.
#[derive(Debug, Default)]
pub struct FilesPane {
    /// Scroll and cursor, in rows.
    pub scroll: Scroll,
    /// The file that is open.
    pub open: Option<PathBuf>,
    /// In which order files are listed.
    pub order: FileOrder,
    title: String,
    /// What names must match to be shown.
    filter: Option<Pattern>,
    all: Vec<ListedFile>,
    /// Those that are shown, in order.
    rows: Vec<ListedFile>,
    heads: HashMap<PathBuf, FileHead>,
    troubles: Vec<String>,
    now: i64,
    ahead: i64,
    has_looked: bool,
    asked: Vec<(PathBuf, u64)>,
}

impl FilesPane {
    /// Takes what a look found. The cursor stays on its file, and on its line of the screen too, but for the head of
    /// the list: there what comes is seen to come. Returns the newest file that was not there before, unless this is
    /// the first look.
    pub fn take(&mut self, change: ListChange) -> Option<&ListedFile> {
        let is_first = !std::mem::replace(&mut self.has_looked, true);
        let gone: HashSet<&PathBuf> = change.gone.iter().collect();
        self.all.retain(|file| !gone.contains(&file.path));
        let mut changed: HashMap<PathBuf, ListedFile> =
            change.changed.into_iter().map(|file| (file.path.clone(), file)).collect();
        for row in &mut self.all {
            if let Some(file) = changed.remove(&row.path) {
                *row = file;
            }
        }
        let new: HashSet<PathBuf> = if is_first { HashSet::new() } else { changed.keys().cloned().collect() };
        self.all.extend(changed.into_values());
        (self.title, self.troubles) = (change.title, change.troubles);
        (self.now, self.ahead) = (change.now, change.ahead);
        self.arrange();
        self.newest_of(|file| new.contains(&file.path))
    }

    /// Takes another order.
    pub fn set_order(&mut self, order: FileOrder) {
        self.order = order;
        self.arrange();
    }

    /// What names must match to be shown, as it was typed; empty: nothing.
    #[must_use]
    pub fn filter(&self) -> &str {
        self.filter.as_ref().map_or("", Pattern::typed)
    }

    /// Shows only files whose names match; None shows all.
    pub fn set_filter(&mut self, filter: Option<Pattern>) {
        self.filter = filter;
        self.arrange();
    }

    /// Rebuilds the rows. The cursor stays on its file, and on its line of the screen but at the head of the list.
    fn arrange(&mut self) {
        let at = self.at_cursor().map(|file| file.path.clone());
        let line = self.scroll.cursor.saturating_sub(self.scroll.top);
        let is_shown = |file: &&ListedFile| self.filter.as_ref().is_none_or(|filter| filter.is_match(&file.name));
        self.rows = self.all.iter().filter(is_shown).cloned().collect();
        self.rows.sort_by(|a, b| self.order.compare(a, b));
        if let Some(found) = at.and_then(|path| self.rows.iter().position(|file| file.path == path)) {
            self.scroll.cursor = found;
            self.scroll.top = if self.scroll.top == 0 { 0 } else { found.saturating_sub(line) };
        }
    }

    /// The file that was written last.
    #[must_use]
    pub fn newest(&self) -> Option<&ListedFile> {
        self.newest_of(|file| file.kind == ListedKind::File)
    }

    fn newest_of(&self, is_asked: impl Fn(&ListedFile) -> bool) -> Option<&ListedFile> {
        self.all.iter().filter(|file| is_asked(file)).min_by(|a, b| FileOrder::Newest.compare(a, b))
    }

    /// The name of a listed file.
    #[must_use]
    pub fn name_of(&self, path: &Path) -> Option<&str> {
        self.all.iter().find(|file| file.path == path).map(|file| file.name.as_str())
    }

    /// The files that are shown, in order.
    #[must_use]
    pub fn rows(&self) -> &[ListedFile] {
        &self.rows
    }

    /// The file under the cursor.
    #[must_use]
    pub fn at_cursor(&self) -> Option<&ListedFile> {
        self.rows.get(self.scroll.cursor)
    }

    /// Puts the cursor on a file.
    pub fn go_to(&mut self, path: &Path) {
        if let Some(found) = self.rows.iter().position(|file| file.path == path) {
            self.scroll.jump_to(found);
        }
    }

    /// Takes what a file begins with. What was found in it before is until it is checked again.
    pub fn set_head(&mut self, path: PathBuf, mut head: FileHead) {
        if !head.is_unreadable && head.len <= CHECKED_MAX {
            head.found = head.found.or(self.heads.get(&path).and_then(|old| old.found));
        }
        if self.heads.len() >= HEADS_MAX {
            self.heads.clear();
        }
        self.heads.insert(path, head);
    }

    /// Says how much the open file holds.
    pub fn set_count(&mut self, count: String) {
        if let Some(head) = self.open.as_ref().and_then(|path| self.heads.get_mut(path)) {
            head.count = count;
        }
    }

    /// What a file begins with, if that was read.
    #[must_use]
    pub fn head(&self, path: &Path) -> Option<&FileHead> {
        self.heads.get(path)
    }

    /// The visible files whose beginnings are not read yet, or are others now; empty while they are being read.
    pub fn wanted(&mut self, height: usize) -> Vec<PathBuf> {
        let is_stale = |file: &ListedFile, head: &FileHead| file.len != head.len && head.len <= WHOLE_MAX;
        let visible = self.rows.iter().skip(self.scroll.top).take(height).filter(|file| file.kind == ListedKind::File);
        let wanted = visible.filter(|file| self.heads.get(&file.path).is_none_or(|head| is_stale(file, head)));
        let wanted: Vec<(PathBuf, u64)> = wanted.map(|file| (file.path.clone(), file.len)).collect();
        if wanted.iter().all(|one| self.asked.contains(one)) {
            return Vec::new();
        }
        self.asked.clone_from(&wanted);
        wanted.into_iter().map(|(path, _)| path).collect()
    }

    /// Puts the cursor on the next or previous file whose name, or first words, are searched for.
    pub fn search(&mut self, pattern: &Pattern, is_forward: bool) -> Option<Nth> {
        let is_hit = |file: &ListedFile| {
            pattern.is_match(&file.name) || self.heads.get(&file.path).is_some_and(|h| pattern.is_match(&h.words))
        };
        let hits: Vec<usize> =
            self.rows.iter().enumerate().filter(|(_, file)| is_hit(file)).map(|(row, _)| row).collect();
        self.scroll.move_to_hit(&hits, is_forward)
    }

    /// What is in the header: what is listed, how much of it there is.
    #[must_use]
    pub fn header(&self, cells: usize) -> (Vec<Piece>, Vec<Piece>) {
        let title = cut_middle(&SafeText::of(&self.title), if cells >= 60 { cells / 2 } else { cells * 2 / 5 });
        let mut left =
            vec![Piece::of(Role::Title, if cells >= 60 { " obelus  " } else { " " }), Piece::safe(Role::Text, title)];
        if self.filter.is_some() {
            left.extend([Piece::of(Role::Text, "  "), Piece::of(Role::Match, &format!(" {} ", self.filter()))]);
        }
        let (count, live) = (self.rows.len(), self.rows.iter().filter(|file| file.is_live).count());
        let of =
            if self.filter.is_some() { format!(" of {}", value::count_text(self.all.len())) } else { String::new() };
        let plural = if self.all.len() == 1 { "" } else { "s" };
        let mut right = vec![Piece::of(Role::Dim, &format!("{}{of} file{plural}", value::count_text(count)))];
        if live > 0 {
            right.push(Piece::of(Role::Good, &format!("  ● {live} live")));
        }
        right.push(Piece::of(Role::Text, " "));
        (left, right)
    }

    /// The visible rows; the first is the heading.
    #[must_use]
    pub fn window(&self, extent: Extent) -> Window {
        if self.rows.is_empty() {
            return self.notice(extent.width);
        }
        let columns = Columns::of(extent.width);
        let mut rows = vec![
            columns.heading(self.rows[..self.scroll.top.min(self.rows.len())].iter().filter(|f| f.is_live).count()),
        ];
        for (n, file) in self.rows.iter().enumerate().skip(self.scroll.top).take(extent.height.saturating_sub(1)) {
            let is_cursor = n == self.scroll.cursor;
            let mark = if is_cursor { "▌" } else { " " };
            let mut left = vec![Piece::of(Role::Accent, mark)];
            left.extend(columns.pieces(
                file,
                self.heads.get(&file.path),
                self.open.as_ref() == Some(&file.path),
                (self.now, self.ahead),
            ));
            rows.push(Row::new(left).hit(Hit::Row(n)).cursor(is_cursor));
        }
        Window { rows, top: self.scroll.top, total: self.rows.len() }
    }

    /// Why the list is empty.
    fn notice(&self, cells: usize) -> Window {
        if !self.has_looked {
            return Window::notice(&["Looking for files…"], cells);
        }
        if !self.all.is_empty() {
            return Window::notice(&["No name matches the filter.", "Esc clears it, & changes it."], cells);
        }
        let told = format!("{} holds no file whose name ends in .jsonl, .ndjson or .json, at any depth.", self.title);
        let passed_over = "Names that begin with a dot are passed over, and what obelus wrote itself.";
        let mut lines = vec!["No files yet.", &told, passed_over];
        lines.extend(self.troubles.iter().map(String::as_str));
        lines.push("What comes is listed within a second or two; q ends.");
        Window::notice(&lines, cells)
    }
}

/// Widths of the columns, in cells; 0: not shown.
struct Columns {
    name: usize,
    time: usize,
    size: usize,
    format: usize,
    count: usize,
    find: usize,
    words: usize,
}

impl Columns {
    fn of(cells: usize) -> Self {
        let time = 10;
        let size = if cells >= 56 { 9 } else { 0 };
        let format = if cells >= 96 { 8 } else { 0 };
        let count = if cells >= 72 { 12 } else { 0 };
        let find = if cells >= 72 { 7 } else { 0 };
        let used = 1 + time + [size, format, count, find].iter().map(|w| if *w > 0 { w + 2 } else { 0 }).sum::<usize>();
        let rest = cells.saturating_sub(used + 2);
        let name = if cells >= 96 {
            (rest / 2).clamp(20, 48)
        } else if cells >= 72 {
            rest.min(32)
        } else {
            rest
        };
        Self { name, time, size, format, count, find, words: rest.saturating_sub(name + 2) }
    }

    /// `above`: live files above the window.
    fn heading(&self, above: usize) -> Row {
        let mut text = format!(" {:<n$}  {:<t$}", "file", "written", n = self.name, t = self.time);
        let columns = [(self.size, "size", true), (self.format, "format", false), (self.count, "holds", true)];
        for (cells, word, is_right) in columns {
            match (cells, is_right) {
                (0, _) => {}
                (_, true) => text += &format!("  {word:>cells$}"),
                (_, false) => text += &format!("  {word:<cells$}"),
            }
        }
        if self.find > 0 {
            text += &format!("  {:<f$}", "find", f = self.find);
        }
        if self.words > 0 {
            text += "  begins with";
        }
        let row = Row::text(Role::Dim, &text);
        if above == 0 { row } else { row.right(vec![Piece::of(Role::Good, &format!("↑ {above} live "))]) }
    }

    fn pieces(&self, file: &ListedFile, head: Option<&FileHead>, is_open: bool, clock: (i64, i64)) -> Vec<Piece> {
        let name = cut_middle(&SafeText::of(&file.name), self.name);
        let (role, time) = state(file, clock);
        let mut out = vec![
            Piece::safe(if is_open { Role::Accent } else { Role::Text }, pad(&name, self.name)),
            Piece::of(role, &format!("  {time:<t$}", t = self.time)),
        ];
        let unknown = FileHead::default();
        let known = head.unwrap_or(&unknown);
        if self.size > 0 {
            out.push(Piece::of(Role::Dim, &format!("  {:>s$}", value::size_text(file.len), s = self.size)));
        }
        if self.format > 0 {
            out.push(Piece::of(Role::Kind, &format!("  {:<f$}", known.format, f = self.format)));
        }
        if self.count > 0 {
            out.push(Piece::of(Role::JsonNumber, &format!("  {:>c$}", known.count, c = self.count)));
        }
        if self.find > 0 {
            out.extend(find(file, head, self.find));
        }
        if self.words > 0 {
            let role = if known.is_unreadable { Role::Error } else { Role::Dim };
            let words = if head.is_none() && file.kind == ListedKind::File { "…" } else { &known.words };
            out.push(Piece::of(Role::Text, "  "));
            out.push(Piece::safe(role, cut(&SafeText::of(words), self.words)));
        }
        out
    }
}

/// How many findings; `…` while they are looked for, `?` where nobody looks, so that nothing unknown looks clean.
fn find(file: &ListedFile, head: Option<&FileHead>, cells: usize) -> Vec<Piece> {
    let known = head.filter(|head| head.len == file.len).and_then(|head| head.found);
    let is_coming = file.kind == ListedKind::File
        && file.len <= CHECKED_MAX
        && head.is_none_or(|head| !head.is_unreadable && (head.len == file.len || head.len <= WHOLE_MAX));
    let told = |sign: &str, n: usize| if n > 0 { format!("{sign}{n}") } else { String::new() };
    let (error, warning) =
        known.map_or_else(Default::default, |(errors, warnings)| (told("✗", errors), told("!", warnings)));
    let rest = match known {
        Some((0, 0)) => "0",
        Some(_) => "",
        None if is_coming => "…",
        None => "?",
    };
    let fill = cells.saturating_sub(width(&error) + width(&warning));
    vec![
        Piece::of(Role::Text, "  "),
        Piece::of(Role::Error, &error),
        Piece::of(Role::Warning, &warning),
        Piece::of(Role::Dim, &format!("{rest:<fill$}")),
    ]
}

/// Live, or since when it is quiet: the time of today, the date of another day. The clock: now, and how far it goes
/// ahead of UTC.
fn state(file: &ListedFile, (now, ahead): (i64, i64)) -> (Role, String) {
    match (file.kind, file.written.map(|at| at + ahead)) {
        (ListedKind::Missing, _) => (Role::Warning, "not there".to_owned()),
        (ListedKind::Stream, _) => (Role::Dim, "a stream".to_owned()),
        (ListedKind::File, _) if file.is_live => (Role::Good, "● live".to_owned()),
        (ListedKind::File, None) => (Role::Dim, String::new()),
        (ListedKind::File, Some(at)) if at.div_euclid(DAY_MS) == (now + ahead).div_euclid(DAY_MS) => {
            let minutes = at.rem_euclid(DAY_MS) / 60_000;
            (Role::Dim, format!("{:02}:{:02}", minutes / 60, minutes % 60))
        }
        (ListedKind::File, Some(at)) => (Role::Dim, date(at)),
    }
}

/// The date of a time in milliseconds since 1970: `2026-11-21`.
fn date(at: i64) -> String {
    // Years are counted from a March, so that the leap day is the last of its year.
    let days = at.div_euclid(DAY_MS) + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = era * 400 + year + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, written: i64) -> ListedFile {
        let path = PathBuf::from(format!("/runs/{name}"));
        let (len, is_live, kind) = (10, false, ListedKind::File);
        ListedFile { path, name: name.to_owned(), len, written: Some(written), is_live, kind }
    }

    fn change(changed: Vec<ListedFile>) -> ListChange {
        ListChange { changed, now: 10 * DAY_MS, ..ListChange::default() }
    }

    fn many(count: usize) -> FilesPane {
        let mut pane = FilesPane::default();
        let files = (0..count).map(|n| file(&format!("{n:05}.jsonl"), -(n as i64))).collect();
        assert_eq!(pane.take(change(files)), None);
        pane
    }

    const EXTENT: Extent = Extent { width: 120, height: 11 };

    #[test]
    fn the_newest_stands_first_and_names_decide_between_equals() {
        let mut pane = FilesPane::default();
        pane.take(change(vec![file("b", 5), file("c", 9), file("a", 5)]));
        assert_eq!(pane.rows().iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["c", "a", "b"]);
        let new = pane.take(change(vec![file("d", 1), file("e", 7), file("b", 8)])).map(|f| f.name.clone());
        assert_eq!(new.as_deref(), Some("e"), "the newest of those that came");
        assert_eq!(pane.rows().iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["c", "b", "e", "a", "d"]);
        pane.take(ListChange { gone: vec!["/runs/c".into()], ..change(Vec::new()) });
        assert_eq!(pane.rows().len(), 4);
    }

    #[test]
    fn the_cursor_stays_on_its_file_and_its_line() {
        let mut pane = many(10_000);
        pane.scroll.jump_to(5_000);
        pane.scroll.show_cursor(10, 10_000);
        let (at, line) = (pane.at_cursor().unwrap().path.clone(), pane.scroll.cursor - pane.scroll.top);
        pane.take(change((6_000..6_020).map(|n| file(&format!("{n:05}.jsonl"), n)).collect()));
        pane.scroll.show_cursor(10, 10_000);
        assert_eq!(pane.at_cursor().unwrap().path, at);
        assert_eq!((pane.scroll.cursor, pane.scroll.cursor - pane.scroll.top), (5_020, line));
        pane.take(change(vec![file("05000.jsonl", 9)]));
        pane.scroll.show_cursor(10, 10_000);
        assert_eq!(pane.at_cursor().unwrap().path, at, "it moved up, the cursor with it");
        assert_eq!(pane.window(EXTENT).rows.len(), 11, "no more rows than there is room");
        let mut pane = many(100);
        pane.take(change(vec![file("new.jsonl", 9)]));
        pane.scroll.show_cursor(10, 101);
        assert_eq!((pane.scroll.cursor, pane.scroll.top), (1, 0), "at the head, what comes is seen");
    }

    #[test]
    fn beginnings_are_asked_for_once_and_of_visible_files_only() {
        let mut pane = many(100);
        let wanted = pane.wanted(10);
        assert_eq!(wanted.len(), 10);
        assert!(pane.wanted(10).is_empty());
        for path in wanted {
            pane.set_head(path, FileHead { len: 10, ..FileHead::default() });
        }
        assert!(pane.wanted(10).is_empty());
        let grown = ListedFile { len: 20, ..file("00003.jsonl", -3) };
        pane.take(change(vec![grown]));
        assert_eq!(pane.wanted(10), [PathBuf::from("/runs/00003.jsonl")]);
    }

    #[test]
    fn an_empty_list_says_why() {
        let mut pane = FilesPane::default();
        let text = |pane: &FilesPane| pane.window(EXTENT).rows.iter().map(Row::plain).collect::<Vec<_>>().join("\n");
        assert!(text(&pane).contains("Looking"));
        pane.take(ListChange { title: "runs".to_owned(), ..change(Vec::new()) });
        assert!(text(&pane).contains("runs holds no file whose name ends in .jsonl"), "{}", text(&pane));
    }

    #[test]
    fn times_are_told_in_few_cells_at_every_width() {
        assert_eq!(state(&file("a", 10 * DAY_MS - 60_000), (10 * DAY_MS, 0)).1, "1970-01-10");
        assert_eq!(state(&file("a", 10 * DAY_MS + 45_240_000), (10 * DAY_MS, 0)).1, "12:34");
        assert_eq!(state(&file("a", 10 * DAY_MS - 60_000), (10 * DAY_MS, 3_600_000)).1, "00:59");
        assert_eq!(date(951_782_400_000), "2000-02-29");
        assert_eq!(date(-1), "1969-12-31");
        for cells in 0..200 {
            let columns = Columns::of(cells);
            let pieces = columns.pieces(&file(&"x".repeat(300), 0), None, false, (0, 0));
            assert!(cells < 13 || super::super::row::pieces_width(&pieces) < cells, "{cells}");
        }
    }
}
