//! Several files as a list, a row each, the one that was written last at the top.

mod columns;
mod notice;
mod order;
mod sessions;
mod unread;

pub use order::FileOrder;

use super::{Extent, Hit, KeyNames, Nth, Piece, Row, Scroll, Window, value};
use crate::model::{ListChange, ListedFile, ListedKind};
use crate::text::{Fuzzy, Pattern, Role, SafeText, cut_middle};
use columns::Columns;
use sessions::SessionColumns;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Most files whose beginnings are kept.
const HEADS_MAX: usize = 20_000;
/// Beginnings of files up to this size are read again when they grow: their counts are of the whole.
pub const WHOLE_MAX: u64 = 1 << 20;
/// Sessions whose beginnings are asked for at once, when they are sought by what they are about.
const SOUGHT_AT_ONCE: usize = 64;
/// In files up to this size all records are checked, in the background.
pub const CHECKED_MAX: u64 = 64 << 20;

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
    pub finding_counts: Option<(usize, usize)>,
    /// Whether it cannot be read.
    pub is_unreadable: bool,
    /// What is known of it as a session.
    pub session: SessionHead,
}

/// What is known of a session beside its title.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionHead {
    /// How many steps it has; None while unknown.
    pub steps: Option<usize>,
    /// Whether that is reckoned from its beginning and its size.
    pub is_estimate: bool,
    /// Calls that failed; None while not all of it was read.
    pub failed: Option<usize>,
    /// The folder in which the agent worked.
    pub folder: String,
    /// The model.
    pub model: String,
    /// What the user asked first.
    pub prompt: String,
    /// What was said last.
    pub last: String,
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
    /// Where sessions are looked for, if these are sessions and not files.
    places: Vec<String>,
    /// What names must match to be shown; of sessions what they are about.
    filter: Option<Pattern>,
    fuzzy: Option<Fuzzy>,
    all: Vec<ListedFile>,
    /// Those that are shown, in order.
    rows: Vec<ListedFile>,
    heads: HashMap<PathBuf, FileHead>,
    troubles: Vec<String>,
    now: i64,
    ahead: i64,
    has_looked: bool,
    /// Whether the last change left out what takes long to look at.
    is_partial: bool,
    asked: Vec<(PathBuf, u64)>,
    /// Whether what was read since may put sessions that are sought in another order.
    is_order_stale: bool,
}

/// Files whose beginnings are to be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeadRequest {
    /// Their paths.
    pub paths: Vec<PathBuf>,
    /// Whether they are visible: then what is found in all of them is wanted too.
    pub are_visible: bool,
}

impl FilesPane {
    /// Takes what a look found. The cursor stays on its file, and on its line of the screen too, but for the head of
    /// the list: there what comes is seen to come. Returns the newest file that was not there before, unless this is
    /// the first look.
    pub fn take(&mut self, change: ListChange) -> Option<&ListedFile> {
        let is_first = !std::mem::replace(&mut self.has_looked, true);
        let was_partial = std::mem::replace(&mut self.is_partial, change.is_partial);
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
        (self.title, self.troubles, self.places) = (change.title, change.troubles, change.places);
        (self.now, self.ahead) = (change.now, change.ahead);
        let is_at_top = self.scroll.cursor == 0;
        self.arrange();
        // The rest of the first look is not new.
        if was_partial && is_at_top {
            self.scroll.cursor = 0;
        }
        self.newest_of(|file| new.contains(&file.path))
    }

    /// Takes another order.
    pub fn set_order(&mut self, order: FileOrder) {
        self.order = order;
        self.arrange();
    }

    /// Whether the list is of sessions of agents.
    #[must_use]
    pub fn has_sessions(&self) -> bool {
        !self.places.is_empty()
    }

    /// What is shown alone, as it was typed; empty: all.
    #[must_use]
    pub fn filter(&self) -> &str {
        let typed = self.filter.as_ref().map(Pattern::typed);
        typed.or(self.fuzzy.as_ref().map(Fuzzy::typed)).unwrap_or_default()
    }

    /// Shows only files whose names match what was typed; of sessions those that it may be about, the best first.
    pub fn set_filter(&mut self, typed: &str) {
        if self.has_sessions() {
            self.fuzzy = Fuzzy::new(typed);
        } else {
            self.filter = Pattern::new(typed);
        }
        self.arrange();
    }

    /// Rebuilds the rows. The cursor stays on its file, and on its line of the screen but at the head of the list.
    fn arrange(&mut self) {
        let at = self.at_cursor().map(|file| file.path.clone());
        let line = self.scroll.cursor.saturating_sub(self.scroll.top);
        let misfit = |file: &ListedFile| match (&self.fuzzy, &self.filter) {
            (Some(fuzzy), _) => fuzzy.misfit(&self.texts_of(file)),
            (None, Some(filter)) => filter.is_match(&file.name).then_some(0),
            (None, None) => Some(0),
        };
        let shown = self.all.iter().filter_map(|file| Some((misfit(file)?, file.clone())));
        let mut shown: Vec<(u32, ListedFile)> = shown.collect();
        shown.sort_by(|(a, of_a), (b, of_b)| a.cmp(b).then_with(|| self.order.compare(of_a, of_b)));
        self.rows = shown.into_iter().map(|(_, file)| file).collect();
        if let Some(found) = at.and_then(|path| self.rows.iter().position(|file| file.path == path)) {
            self.scroll.cursor = found;
            self.scroll.top = if self.scroll.top == 0 { 0 } else { found.saturating_sub(line) };
        }
    }

    /// What a session is sought by.
    fn texts_of<'f>(&'f self, file: &'f ListedFile) -> Vec<&'f str> {
        let known = self.heads.get(&file.path);
        let texts = known.map_or(["", ""], |head| [head.words.as_str(), head.session.folder.as_str()]);
        [sessions::agent(file, known), &file.name].into_iter().chain(texts).collect()
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
            head.finding_counts = head.finding_counts.or(self.heads.get(&path).and_then(|old| old.finding_counts));
        }
        if self.heads.len() >= HEADS_MAX {
            self.heads.clear();
        }
        let is_sought_by = |old: &FileHead| (old.words == head.words) && old.session.folder == head.session.folder;
        let is_other = !self.heads.get(&path).is_some_and(is_sought_by);
        self.heads.insert(path, head);
        self.is_order_stale |= self.fuzzy.is_some() && is_other;
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

    /// The visible files whose beginnings are not read yet, or are others now; empty while they are being read. Where
    /// sessions are sought by what they are about, the others come after them.
    pub fn heads_to_read(&mut self, height: usize) -> HeadRequest {
        if std::mem::take(&mut self.is_order_stale) {
            self.arrange();
        }
        let is_stale = |file: &ListedFile, head: &FileHead| file.len != head.len && head.len <= WHOLE_MAX;
        let is_unread = |file: &&ListedFile| file.kind == ListedKind::File && !self.heads.contains_key(&file.path);
        let visible = self.rows.iter().skip(self.scroll.top).take(height).filter(|file| file.kind == ListedKind::File);
        let wanted = visible.filter(|file| self.heads.get(&file.path).is_none_or(|head| is_stale(file, head)));
        let mut wanted: Vec<(PathBuf, u64)> = wanted.map(|file| (file.path.clone(), file.len)).collect();
        let are_visible = !wanted.is_empty();
        // Those of more sessions than are kept would push each other out for ever.
        if self.fuzzy.is_some() && !are_visible && self.heads.len() + SOUGHT_AT_ONCE < HEADS_MAX {
            let others = self.all.iter().filter(is_unread).take(SOUGHT_AT_ONCE);
            wanted.extend(others.map(|file| (file.path.clone(), file.len)));
        }
        if wanted.iter().all(|one| self.asked.contains(one)) {
            return HeadRequest::default();
        }
        self.asked.clone_from(&wanted);
        HeadRequest { paths: wanted.into_iter().map(|(path, _)| path).collect(), are_visible }
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
        if !self.filter().is_empty() {
            left.extend([Piece::of(Role::Text, "  "), Piece::of(Role::Match, &format!(" {} ", self.filter()))]);
        }
        let (count, live) = (self.rows.len(), self.rows.iter().filter(|file| file.is_live).count());
        let of =
            if self.filter().is_empty() { String::new() } else { format!(" of {}", value::count_text(self.all.len())) };
        let plural = if self.all.len() == 1 { "" } else { "s" };
        let thing = if self.has_sessions() { "session" } else { "file" };
        let mut right = vec![Piece::of(Role::Dim, &format!("{}{of} {thing}{plural}", value::count_text(count)))];
        if live > 0 {
            right.push(Piece::of(Role::Good, &format!("  ● {live} live")));
        }
        right.push(Piece::of(Role::Text, " "));
        (left, right)
    }

    /// Rows of the list in a pane of `height` lines: the heading is above them, folders that could not be read and of
    /// sessions the preview are below.
    #[must_use]
    pub fn list_height(&self, height: usize) -> usize {
        let preview = if self.has_sessions() { sessions::preview_height(height, self.all.len()) } else { 0 };
        height.saturating_sub(1 + preview + self.unread_height())
    }

    /// The visible rows; the first is the heading.
    #[must_use]
    pub fn window(&self, names: &KeyNames, extent: Extent) -> Window {
        if self.rows.is_empty() {
            return self.notice(names, extent.width);
        }
        let above = self.rows[..self.scroll.top.min(self.rows.len())].iter().filter(|file| file.is_live).count();
        let (files, sessions) = (Columns::of(extent.width), SessionColumns::of(extent.width));
        let mut rows = vec![if self.has_sessions() { sessions.heading(above) } else { files.heading(above) }];
        let height = self.list_height(extent.height);
        for (n, file) in self.rows.iter().enumerate().skip(self.scroll.top).take(height) {
            let is_cursor = n == self.scroll.cursor;
            let (head, is_open) = (self.heads.get(&file.path), self.open.as_ref() == Some(&file.path));
            let mut left = vec![Piece::of(Role::Accent, if is_cursor { "▌" } else { " " })];
            left.extend(if self.has_sessions() {
                sessions.pieces(file, head, is_open, self.now)
            } else {
                files.pieces(file, head, is_open, (self.now, self.ahead))
            });
            rows.push(Row::new(left).hit(Hit::Row(n)).cursor(is_cursor));
        }
        rows.extend(self.unread());
        if let Some(file) = self.at_cursor().filter(|_| self.has_sessions()) {
            let lines = sessions::preview_height(extent.height, self.all.len());
            rows.resize_with(extent.height - lines, Row::default);
            let extent = Extent { height: lines, ..extent };
            rows.extend(sessions::preview(file, self.heads.get(&file.path), (self.now, self.ahead), extent));
        }
        Window { rows, top: self.scroll.top, total: self.rows.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::columns::{date, state};
    use super::*;

    const DAY_MS: i64 = 86_400_000;

    fn file(name: &str, written: i64) -> ListedFile {
        let path = PathBuf::from(format!("/runs/{name}"));
        let (len, is_live, kind) = (10, false, ListedKind::File);
        ListedFile { path, name: name.to_owned(), len, written: Some(written), is_live, kind, ..ListedFile::default() }
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
    fn what_the_first_look_left_out_does_not_move_the_cursor() {
        let mut pane = FilesPane::default();
        pane.take(ListChange { is_partial: true, ..change(vec![file("a", 1)]) });
        pane.take(change(vec![file("b", 2)]));
        assert_eq!((pane.scroll.cursor, pane.rows()[0].name.as_str()), (0, "b"));
        pane.take(change(vec![file("c", 3)]));
        assert_eq!(pane.scroll.cursor, 1, "what comes later does");
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
        assert_eq!(pane.window(&KeyNames::default(), EXTENT).rows.len(), 11, "no more rows than there is room");
        let mut pane = many(100);
        pane.take(change(vec![file("new.jsonl", 9)]));
        pane.scroll.show_cursor(10, 101);
        assert_eq!((pane.scroll.cursor, pane.scroll.top), (1, 0), "at the head, what comes is seen");
    }

    #[test]
    fn beginnings_are_asked_for_once_and_of_visible_files_only() {
        let mut pane = many(100);
        let wanted = pane.heads_to_read(10);
        assert_eq!((wanted.paths.len(), wanted.are_visible), (10, true));
        assert!(pane.heads_to_read(10).paths.is_empty());
        for path in wanted.paths {
            pane.set_head(path, FileHead { len: 10, ..FileHead::default() });
        }
        assert!(pane.heads_to_read(10).paths.is_empty());
        let grown = ListedFile { len: 20, ..file("00003.jsonl", -3) };
        pane.take(change(vec![grown]));
        assert_eq!(pane.heads_to_read(10).paths, [PathBuf::from("/runs/00003.jsonl")]);
    }

    #[test]
    fn an_empty_list_says_why() {
        let mut pane = FilesPane::default();
        let text = |pane: &FilesPane| {
            pane.window(&KeyNames::default(), EXTENT).rows.iter().map(Row::plain).collect::<Vec<_>>().join("\n")
        };
        assert!(text(&pane).contains("Looking"));
        pane.take(ListChange { title: "runs".to_owned(), ..change(Vec::new()) });
        assert!(text(&pane).contains("runs holds no file whose name ends in .jsonl"), "{}", text(&pane));
    }

    #[test]
    fn folders_that_could_not_be_read_are_below_the_files() {
        let mut pane = many(100);
        let last = |pane: &FilesPane| pane.window(&KeyNames::default(), EXTENT).rows.last().unwrap().plain();
        let trouble = |name: &str| format!("/runs/{name}: no permission to read it");
        pane.take(ListChange { troubles: vec![trouble("x")], ..change(Vec::new()) });
        assert_eq!(last(&pane), " ! not read: /runs/x: no permission to read it");
        pane.take(ListChange { troubles: vec![trouble("x"), trouble("y")], ..change(Vec::new()) });
        assert_eq!(last(&pane), " ! 2 folders not read, the first: /runs/x: no permission to read it");
        assert_eq!(
            pane.window(&KeyNames::default(), EXTENT).rows.len(),
            EXTENT.height,
            "no more rows than there is room"
        );
        pane.take(change(vec![file("new", 1)]));
        assert!(last(&pane).contains(".jsonl"), "it can be read now");
    }

    #[test]
    fn times_are_shown_in_few_cells_at_every_width() {
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
