//! The File tab: a file as the agent knew it at the step, who wrote each line; the list of files is another look of it.

use super::message::below_head;
use super::registry::TabState;
use super::{Cached, PaneContent, Searched, Tab};
use crate::app::{App, Effect, Effects, Job, Pane};
use crate::model::StepNo;
use crate::panes::call_rows::results_of;
use crate::panes::known_file::{
    ColourRequest, FileKey, FileLayout, FileList, FileMode, KnownFilePane, detail, known_words, short_words,
};
use crate::panes::message::CodeLine;
use crate::panes::state::at;
use crate::panes::{Extent, Open, Piece, Row, Scroll, Window};
use crate::rules::work::{FileFacts, FileId, LineId};
use crate::text::{Pattern, Role, SafeText, cut_middle};
use std::sync::Arc;

/// Files with more lines, now and in what changed lately, are laid out by a job.
const AT_ONCE_LINES_MAX: usize = 20_000;
/// Rows above the lines.
const HEAD_ROWS: usize = 1;
/// In fewer cells the title says in few words how much of the file is known.
const WORDS_CELLS_MIN: usize = 50;
/// Fewest cells of the path in the title.
const PATH_CELLS_MIN: usize = 12;

/// State of the tab.
#[derive(Debug, Default)]
pub struct FileTab {
    /// The file, laid out.
    pub view: Cached<FileKey, KnownFilePane>,
    /// The list of files.
    pub list: FileList,
    /// The path of the file that is shown; None: the list is.
    path: Option<Arc<str>>,
    look: FileMode,
}

impl TabState for FileTab {
    fn renew(&mut self) {
        self.view.forget();
    }
}

impl FileTab {
    /// Takes a layout that was asked for.
    pub fn take(&mut self, key: FileKey, layout: Arc<FileLayout>, height: usize) {
        if self.view.answer(&key) {
            self.view.set(key, layout, height);
        }
    }

    /// Takes colours that were asked for.
    pub fn take_colours(&mut self, number: u64, lines: Vec<(LineId, CodeLine)>) {
        self.view.colours.take(number, lines);
    }

    /// Whether the list of files is shown in place of one.
    pub(in crate::app) fn is_list(&self) -> bool {
        self.path.is_none()
    }

    /// The file that is shown.
    fn file(&self, open: &Open<'_>) -> Option<FileId> {
        open.run().work()?.file_of_path(self.path.as_deref()?, open.step())
    }

    fn key(&self, open: &Open<'_>) -> Option<FileKey> {
        let (work, file) = (open.run().work()?, self.file(open)?);
        let latest = work.last_write(file, StepNo::MAX - 1);
        Some(FileKey { generation: open.session.content_version(), file, step: open.step(), look: self.look, latest })
    }
}

/// A file, or the list of them.
pub(super) struct File;

impl PaneContent for File {
    fn look(&self, app: &App) -> Option<&'static dyn PaneContent> {
        app.inspector.file.path.is_none().then_some(&List)
    }

    fn is_offered(&self, app: &App) -> bool {
        app.session.open().is_some_and(|open| open.run().work().is_some_and(|work| work.file_count(open.last()) > 0))
    }

    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        below_head(self.head(app, extent), extent, |below| file_window(app, below, has_focus))
    }

    fn head(&self, app: &App, extent: Extent) -> Vec<Row> {
        let head = app.session.open().and_then(|open| title(app, &open, extent.width));
        head.map(|left| Row::new(left).fixed(usize::MAX).remark()).into_iter().collect()
    }

    fn fixed_rows(&self, _app: &App, _extent: Extent) -> usize {
        HEAD_ROWS
    }

    fn explain(&self, app: &App, open: &Open<'_>) -> Option<Vec<Piece>> {
        Some(detail(&app.inspector.file.view, open)).filter(|pieces| !pieces.is_empty())
    }

    fn is_empty(&self, app: &App) -> bool {
        app.inspector.file.view.layout().is_none_or(|layout| layout.items().is_empty())
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.inspector.file.view.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.inspector.file.view.scroll)
    }

    fn row_count(&self, app: &mut App, _cells: usize) -> usize {
        app.inspector.file.view.layout().map_or(0, |layout| layout.items().len())
    }

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        let App { session, inspector, .. } = app;
        Searched::Here(session.open().and_then(|open| inspector.file.view.search(&open, pattern, is_forward)))
    }

    fn copy(&self, app: &mut App) -> Option<String> {
        let open = app.session.open()?;
        let id = app.inspector.file.view.line()?;
        open.run().work()?.line(id).map(|(text, _)| text.to_owned())
    }

    fn copy_path(&self, app: &mut App) -> Option<String> {
        app.inspector.file.path.as_deref().map(str::to_owned)
    }

    /// Goes to the step that wrote the line under the cursor; there, to its message.
    fn follow(&self, app: &mut App, _effects: &mut Effects) {
        let origin = app.session.open().and_then(|open| {
            let (_, origin) = open.run().work()?.line(app.inspector.file.view.line()?)?;
            Some((origin, open.step()))
        });
        match origin {
            None => app.notify(app.hint("no line of the file here; {follow} on one goes to the step that wrote it")),
            Some((origin, step)) if origin.step == step => {
                app.remember();
                app.show_tab(Tab::Message);
            }
            Some((origin, _)) => {
                app.jump_to(origin.step);
                app.notify(format!("step {} wrote or showed the line; {}", origin.step, app.hint("{back} comes back")));
            }
        }
    }

    fn before_shown(&self, app: &mut App) {
        app.choose_file();
    }

    fn after_update(&self, app: &mut App, effects: &mut Effects) {
        app.lay_out_file(effects);
    }

    fn after_scroll(&self, app: &mut App, extent: Extent, effects: &mut Effects) {
        let App { session, inspector, .. } = app;
        if let Some(request) = session.open().and_then(|open| colours(&mut inspector.file, &open, extent)) {
            effects.push(Effect::Job(Job::ColourLines(request)));
        }
    }

    /// Goes from the difference to the whole file, from there to the list.
    fn cancel(&self, app: &mut App) -> bool {
        let tab = &mut app.inspector.file;
        match tab.look {
            FileMode::Difference => tab.look = FileMode::Whole,
            FileMode::Whole => tab.path = None,
        }
        true
    }
}

/// What the difference of a file says before its first change.
const UNCHANGED: &str = "The run has not changed this file up to this step; {file-write-next} goes to the next write.";

fn file_window(app: &App, extent: Extent, has_focus: bool) -> Window {
    let Some(open) = app.session.open() else { return Window::default() };
    let tab = &app.inspector.file;
    let is_there = tab.file(&open).is_some_and(|file| facts(&open, file).is_some());
    if !is_there {
        let hint = "The run learns of it later: `{file-write-next}` goes to its first write, {cancel} lists the files.";
        return app.session.key_names.notice(&["Nothing is known of this file yet.", hint], extent.width);
    }
    let Some(layout) = tab.view.layout() else { return Window::notice(&["Reading the file…"], extent.width) };
    if layout.items().is_empty() {
        let heading = match (tab.look, layout.facts().is_some_and(|facts| facts.is_deleted)) {
            (FileMode::Difference, _) => UNCHANGED,
            (_, true) => "The file is deleted at this step; {file-write-previous} goes to the write before.",
            _ => "No line of it is known at this step.",
        };
        return app.session.key_names.notice(&[heading], extent.width);
    }
    tab.view.window(&open, extent, has_focus)
}

fn facts(open: &Open<'_>, file: FileId) -> Option<FileFacts> {
    open.run().work()?.file_facts(file, open.step())
}

/// Path, step, and how much of the file is known.
fn title(app: &App, open: &Open<'_>, cells: usize) -> Option<Vec<Piece>> {
    let tab = &app.inspector.file;
    let path = tab.path.as_deref()?;
    let facts = tab.file(open).and_then(|file| facts(open, file));
    let mut rest = vec![Piece::of(Role::Blame, &format!(" {}", at(open.step())))];
    match (&facts, tab.look, tab.view.layout().and_then(|layout| layout.written)) {
        (Some(facts), FileMode::Whole, _) => {
            let words = if cells < WORDS_CELLS_MIN { short_words(facts) } else { known_words(facts) };
            rest.push(Piece::of(Role::Dim, &format!(" · {words}")));
        }
        (Some(_), FileMode::Difference, Some(written)) => {
            rest.push(Piece::of(Role::Dim, " · what changed "));
            rest.push(Piece::of(Role::BlameNew, &at(written)));
        }
        _ => {}
    }
    if let Some(doubt) = facts.and_then(|facts| facts.doubt) {
        rest.push(Piece::of(Role::Warning, &format!(" · may have changed {}", at(doubt))));
    }
    let taken: usize = rest.iter().map(Piece::width).sum();
    let path = path.strip_prefix(&*open.folder()).filter(|rest| !rest.is_empty()).unwrap_or(path);
    let path = cut_middle(&SafeText::of(path), cells.saturating_sub(taken + 1).max(PATH_CELLS_MIN));
    Some([Piece::of(Role::Text, " "), Piece::safe(Role::Title, path)].into_iter().chain(rest).collect())
}

fn colours(tab: &mut FileTab, open: &Open<'_>, extent: Extent) -> Option<ColourRequest> {
    let work = open.run().work()?;
    let top = tab.view.scroll.top;
    tab.view.ask_colours(work, (top, extent.height))
}

/// The list of files.
struct List;

impl PaneContent for List {
    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        let open = app.session.open();
        open.map_or_else(Window::default, |open| app.inspector.file.list.window(&open, extent, has_focus))
    }

    fn is_empty(&self, app: &App) -> bool {
        app.session.open().is_none_or(|open| FileList::count(&open) == 0)
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.inspector.file.list.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.inspector.file.list.scroll)
    }

    fn row_count(&self, app: &mut App, _cells: usize) -> usize {
        app.session.open().map_or(0, |open| FileList::count(&open))
    }

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        let App { session, inspector, .. } = app;
        Searched::Here(session.open().and_then(|open| inspector.file.list.search(&open, pattern, is_forward)))
    }

    fn copy(&self, app: &mut App) -> Option<String> {
        self.copy_path(app)
    }

    fn copy_path(&self, app: &mut App) -> Option<String> {
        app.listed_file().map(|path| path.to_string())
    }

    fn follow(&self, app: &mut App, _effects: &mut Effects) {
        match app.listed_file() {
            Some(path) => app.inspector.file.path = Some(path),
            None => app.go_to_next_file(),
        }
    }
}

impl App {
    /// The path of the file under the cursor of the list.
    fn listed_file(&self) -> Option<Arc<str>> {
        let open = self.session.open()?;
        let file = self.inspector.file.list.chosen(&open)?;
        Some(open.run().work()?.file_path(file).into())
    }

    /// Shows a file of the run in its tab.
    pub(in crate::app) fn show_file(&mut self, path: &str) {
        self.inspector.tab = Tab::File;
        self.inspector.message.file = None;
        self.pane = Pane::Inspector;
        self.inspector.file.path = Some(path.into());
    }

    /// Enter in State: shows the file whose row has the cursor; false: it is not a file.
    pub(super) fn follow_file(&mut self) -> bool {
        let Some(path) = self.file_in_focus().filter(|(_, is_row)| *is_row).map(|(path, _)| path) else { return false };
        self.remember();
        self.show_file(&path);
        true
    }

    /// The tab was asked for: shows the file in focus, else that of the step, else the one shown last, else the list.
    /// Asked for in the tab, it shows the list.
    pub(in crate::app) fn choose_file(&mut self) {
        let is_again = self.inspector.tab == Tab::File && self.pane == Pane::Inspector;
        let in_state = self.file_in_focus().filter(|_| self.pane == Pane::State).map(|(path, _)| path);
        let chosen = in_state.or_else(|| self.file_of_step());
        let tab = &mut self.inspector.file;
        if is_again {
            tab.path = None;
        } else if chosen.is_some() {
            tab.path = chosen;
        }
    }

    /// The file that the value in focus belongs to; whether that is all of it.
    fn file_in_focus(&self) -> Option<(Arc<str>, bool)> {
        let open = self.session.open()?;
        let (identity, path) = self.session.focus.path.as_ref().filter(|(identity, _)| identity.kind == "file")?;
        let file = identity.instance.as_deref()?;
        open.run().work()?.file_of_path(file, open.step())?;
        Some((file.into(), path.is_empty()))
    }

    /// The file that the step in focus, or the result of its call, wrote; else showed.
    fn file_of_step(&self) -> Option<Arc<str>> {
        let open = self.session.open()?;
        let work = open.run().work()?;
        let mut steps = std::iter::once(open.step()).chain(results_of(open.run(), open.step()));
        steps.find_map(|step| work.file_touched(step)).map(|file| work.file_path(file).into())
    }

    /// Goes to the next or previous write of the file that is shown.
    pub(in crate::app) fn write_of_file(&mut self, is_forward: bool) {
        let found = self.session.open().and_then(|open| {
            let tab = &self.inspector.file;
            let file = tab.file(&open).or_else(|| tab.list.chosen(&open))?;
            Some(open.run().work()?.next_write(file, open.step(), is_forward))
        });
        match found {
            None if is_forward => self.go_to_next_file(),
            None => self.notify("no file is known up to this step"),
            Some(Some(step)) => self.jump_to(step),
            Some(None) => {
                self.notify(if is_forward { "no later write of this file" } else { "no earlier write of this file" });
            }
        }
    }

    /// Where no file is known yet: goes to the step that reads or writes the first one.
    fn go_to_next_file(&mut self) {
        let next = self.session.open().and_then(|open| Some(open.run().work()?.next_file(open.step())?.1));
        match next {
            Some(step) => self.jump_to(step),
            None => self.notify("no file is known up to this step, and none comes later"),
        }
    }

    /// Shows what the last write changed, or all of the file again.
    pub(in crate::app) fn toggle_file_difference(&mut self) {
        if self.inspector.file.path.is_none() {
            return self.notify(self.hint(
                "{follow} opens the file under the cursor; {file-difference} shows what was changed in it then",
            ));
        }
        let tab = &mut self.inspector.file;
        tab.look = match tab.look {
            FileMode::Whole => FileMode::Difference,
            FileMode::Difference => FileMode::Whole,
        };
    }

    /// Lays out the file at the step in focus, or asks for it where that takes long.
    fn lay_out_file(&mut self, effects: &mut Effects) {
        let height = self.pane_extent(Pane::Inspector).height.saturating_sub(HEAD_ROWS);
        let App { session, inspector, .. } = self;
        let (Some(open), tab) = (session.open(), &mut inspector.file) else { return };
        let (Some(key), Some(work)) = (tab.key(&open), open.run().work()) else { return };
        if !tab.view.ask(key.clone()) {
            return;
        }
        if work.file_size(key.file) <= AT_ONCE_LINES_MAX {
            let layout = Arc::new(FileLayout::of(work, &key));
            tab.take(key, layout, height);
        } else {
            effects.push(Effect::Job(Job::LayOutFile(key)));
        }
    }

    /// Takes a layout that a job made.
    pub(in crate::app) fn take_file(&mut self, key: FileKey, layout: Arc<FileLayout>) {
        let height = self.pane_extent(Pane::Inspector).height.saturating_sub(HEAD_ROWS);
        self.inspector.file.take(key, layout, height);
    }
}
