//! The Message tab: the record of the step in focus, laid out as JSON; the text to read, its raw bytes and a file that
//! it names are looks of it.

use super::reading::{CachedReading, Reading};
use super::registry::TabState;
use super::{Cached, NamedFile, PaneContent, References, Title, named_file, raw};
use crate::app::{App, Effect, Effects, Job, Pane};
use crate::json::Key;
use crate::model::{Severity, Span, StepNo, lossy};
use crate::panes::json_outline::{Doc, JsonNodeKind};
use crate::panes::message::{self, CodeLine, CodeRequest, DocView};
use crate::panes::reading::{PageOf, is_long};
use crate::panes::text_view::TextView;
use crate::panes::value::{piece, size_text};
use crate::panes::{Extent, Open, Piece, Row, Scroll, Window, history, marks, steps};
use crate::text::{Pattern, Role};
use std::sync::Arc;

/// Messages up to this size are laid out at once; longer ones by a job. A deep text is read once for each of its
/// levels.
const AT_ONCE_MAX: u64 = 96 << 10;
/// Most marks and findings that the head shows.
const HEAD_MAX: usize = 4;

/// What of a message is to be shown, once it is there.
#[derive(Debug)]
pub enum RevealTarget {
    /// What a path in the record leads to.
    Pointer(String),
    /// The value that was written to a path of the state.
    Written(Vec<Key>),
    /// The first hit of a search.
    Hit(Pattern),
}

/// How a message is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MessageMode {
    /// To read, where the format knows what a message is.
    #[default]
    Reading,
    /// As JSON.
    Json,
    /// As the bytes of its record.
    Raw,
}

/// State of the tab.
#[derive(Debug, Default)]
pub struct MessageTab {
    /// The message to read.
    pub reading: CachedReading,
    /// Generation and step of the message that is shown as JSON although others are shown to read: something in it is
    /// pointed at.
    pub pointed: Option<(u64, StepNo)>,
    /// The message, laid out, by generation and step.
    pub view: Cached<(u64, StepNo), DocView>,
    /// The raw record, by generation and step.
    pub raw: Cached<(u64, StepNo), TextView>,
    /// How messages are shown.
    pub look: MessageMode,
    /// A file that a value names, in place of the message until another step or tab is shown.
    pub file: Option<NamedFile>,
    /// Generation and step in place of whose record the content of one is shown that is not in the file any more.
    pub gone: Option<(u64, StepNo)>,
    /// Generation, step, and what the cursor of the message of that step is to be put on.
    pub reveal: Option<(u64, StepNo, RevealTarget)>,
    /// The strings on the screen whose highlighted code is awaited, by document and node.
    highlighting: Vec<(u64, u32)>,
}

impl TabState for MessageTab {
    fn reset(&mut self) {
        let is_all_open = self.reading.is_all_open;
        *self = Self { look: self.look, ..Self::default() };
        self.reading.is_all_open = is_all_open;
    }

    fn renew(&mut self) {
        self.file = None;
        self.gone = None;
        self.pointed = None;
    }

    fn renumber(&mut self, step: StepNo) {
        if let Some((_, of)) = self.reading.shown_mut() {
            of.step = step;
        }
        for (_, shown) in self.view.shown_mut().into_iter().chain(self.raw.shown_mut()) {
            *shown = step;
        }
    }
}

impl MessageTab {
    /// Takes a message that was asked for.
    pub fn take(&mut self, generation: u64, step: StepNo, doc: Arc<Doc>) {
        let is_same = self.view.shown().is_some_and(|(_, shown)| *shown == step);
        if self.view.answer(&(generation, step)) {
            let scroll = self.view.scroll;
            self.view.set(Some(doc));
            if is_same {
                self.view.scroll = scroll;
            }
        }
    }
}

impl MessageTab {
    /// Asks for the code of rows on the screen to be highlighted, unless that is awaited.
    pub(super) fn ask_code(&mut self, requests: Vec<CodeRequest>, effects: &mut Effects) {
        let awaited = &mut self.highlighting;
        if requests.iter().any(|request| !awaited.contains(&(request.document, request.node))) {
            *awaited = requests.iter().map(|request| (request.document, request.node)).collect();
            effects.push(Effect::Job(Job::Highlight(requests)));
        }
    }

    /// Takes highlighted code, whichever of the looks asked for it.
    fn set_code(&mut self, document: u64, node: u32, lines: Vec<CodeLine>) {
        self.highlighting.retain(|awaited| *awaited != (document, node));
        self.reading.set_code(document, node, &lines);
        self.view.set_code(document, node, lines);
    }

    /// Shows a record that is not in the file any more, of which the text is known if it is short: what is shown of
    /// that generation and step stays.
    pub(in crate::app) fn keep(&mut self, shown: (u64, StepNo), text: Option<&[u8]>) {
        if self.view.shown() != Some(&shown) {
            self.view.set(text.map(|text| Arc::new(Doc::of(&lossy(text)))));
        }
        if self.raw.shown() != Some(&shown) {
            self.raw.set(text.map(raw::raw_lines).unwrap_or_default());
        }
    }
}

impl App {
    /// Takes highlighted code: it belongs to the view that asked for it.
    pub(in crate::app) fn set_code(&mut self, document: u64, node: u32, lines: Vec<CodeLine>) {
        self.pager.view.set_code(document, node, &lines);
        self.conversation.set_code(document, node, &lines);
        self.inspector.message.set_code(document, node, lines);
    }
}

pub(super) struct Message;

impl PaneContent for Message {
    fn look(&self, app: &App) -> Option<&'static dyn PaneContent> {
        match &app.inspector.message {
            tab if tab.file.is_some() => Some(&named_file::File),
            tab if tab.look == MessageMode::Raw => Some(&raw::Raw),
            _ if app.is_reading() => Some(&Reading),
            _ => None,
        }
    }

    /// As wide as that of the message, so that no other title moves.
    fn name(&self, app: &App, is_front: bool) -> Option<Title> {
        match &app.inspector.message {
            tab if is_front && tab.file.is_some() => Some(("File   ", "File")),
            tab if is_front && tab.look == MessageMode::Raw => Some(("Raw    ", "Raw")),
            _ if is_front && app.is_json_of_words() => Some(("JSON   ", "JSON")),
            _ => None,
        }
    }

    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        below_head(self.head(app, extent), extent, |below| document(app, below, has_focus))
    }

    fn head(&self, app: &App, _extent: Extent) -> Vec<Row> {
        head(app)
    }

    fn references(&self, _app: &App) -> Option<References> {
        Some(References::Judged)
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.inspector.message.view.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.inspector.message.view.scroll)
    }

    fn document<'a>(&self, app: &'a mut App) -> Option<&'a mut DocView> {
        Some(&mut app.inspector.message.view)
    }

    fn follow(&self, app: &mut App, effects: &mut Effects) {
        if !app.follow_reference_in_row() && !app.page_node(effects) {
            let cells = app.front_extent().width;
            app.inspector.message.view.set_fold(None, cells);
        }
    }

    fn instance_at_cursor(&self, app: &App) -> Option<String> {
        let view = &app.inspector.message.view;
        let node = view.node(app.pane_extent(Pane::Inspector).width)?;
        view.doc()?.around(node, "_instance")
    }

    fn after_update(&self, app: &mut App, effects: &mut Effects) {
        app.ask_message(effects);
        app.show_reveal_target();
    }

    fn after_scroll(&self, app: &mut App, extent: Extent, effects: &mut Effects) {
        let requests = app.inspector.message.view.code_requests(extent);
        app.inspector.message.ask_code(requests, effects);
    }
}

impl App {
    /// Generation, step and place of the message in focus, and the place of its record.
    pub(super) fn message_place(&self) -> Option<((u64, StepNo), Span, Span)> {
        let open = self.session.open()?;
        let place = open.run().place(open.step())?;
        Some(((self.session.generation, open.step()), place.place.span, place.record_span))
    }

    pub(super) fn ask_message(&mut self, effects: &mut Effects) {
        let Some((now, span, _)) = self.message_place() else { return };
        if self.shows_gone() || !self.inspector.message.view.ask(now) {
            return;
        }
        let view = &mut self.inspector.message.view;
        if span.len > AT_ONCE_MAX {
            if view.shown().is_none_or(|(_, shown)| *shown != now.1) {
                view.set(None);
            }
            effects.push(Effect::Job(Job::Read { generation: now.0, step: now.1, span }));
            return;
        }
        match self.session.bytes.read(span) {
            Ok(bytes) => self.inspector.message.take(now.0, now.1, Arc::new(Doc::of(&lossy(&bytes)))),
            Err(problem) => {
                view.set(None);
                self.notify(problem.to_string());
            }
        }
    }

    /// Opens the pager on the string under the cursor if it is long; false: it is not.
    fn page_node(&mut self, effects: &mut Effects) -> bool {
        let cells = self.front_extent().width;
        let view = &self.inspector.message.view;
        let Some((doc, node)) = view.doc().cloned().zip(view.node(cells)) else { return false };
        let is_string = doc.nodes().get(node).is_some_and(|node| node.kind == JsonNodeKind::String);
        let is_long = is_string && is_long(doc.source(node));
        if is_long {
            let name = doc.pointer(node);
            self.open_pager(&name, PageOf::Node(doc, node), effects);
        }
        is_long
    }

    /// Forgets the file and the record that is gone once another step is in focus.
    pub(super) fn expire_message(&mut self) {
        let now = self.session.open().map(|open| (self.session.generation, open.step()));
        self.inspector.message.file.take_if(|file| Some(file.of) != now);
        self.inspector.message.pointed.take_if(|pointed| Some(*pointed) != now);
        if !self.shows_gone() {
            self.inspector.message.gone = None;
        }
    }

    /// Shows the message to read, as JSON, as its bytes, in turn.
    pub(in crate::app) fn next_look(&mut self) {
        self.show_tab(super::Tab::Message);
        let is_reading = self.is_reading();
        let tab = &mut self.inspector.message;
        let is_pointed = tab.pointed.take().is_some();
        let reads = self.session.open().is_some_and(|open| open.run().has_turns());
        tab.look = match tab.look {
            MessageMode::Reading if is_reading && !is_pointed && reads => MessageMode::Json,
            MessageMode::Reading | MessageMode::Json => MessageMode::Raw,
            MessageMode::Raw => MessageMode::Reading,
        };
    }

    /// Whether a message is shown as JSON that can be read otherwise.
    fn is_json_of_words(&self) -> bool {
        let tab = &self.inspector.message;
        let is_json = tab.look == MessageMode::Json || tab.pointed.is_some();
        is_json && self.session.open().is_some_and(|open| open.run().has_turns())
    }
}

/// A window with rows above it that do not scroll.
pub(super) fn below_head(head: Vec<Row>, extent: Extent, window: impl FnOnce(Extent) -> Window) -> Window {
    let mut window = window(Extent { height: extent.height.saturating_sub(head.len()), ..extent });
    window.rows.splice(0..0, head);
    window
}

fn document(app: &App, extent: Extent, has_focus: bool) -> Window {
    let view = &app.inspector.message.view;
    let Some(doc) = view.doc() else {
        if app.session.open().is_some_and(|open| open.count() == 0) {
            return Window::notice(&["No message.", "There are no steps yet."], extent.width);
        }
        let hint = if app.shows_gone() { "It was not read before." } else { "Reading the message…" };
        return Window::notice(&[hint], extent.width);
    };
    if doc.nodes().is_empty() {
        let fault = doc.fault().map_or(String::new(), |f| format!("This record is not JSON: {f} of it."));
        let others = if app.session.records.count() > 1 { "; the other records are not affected" } else { "" };
        return Window::notice(&[&fault, &format!("{}{others}.", app.hint("{raw} shows its bytes"))], extent.width);
    }
    let lit = app.session.open().and_then(|open| {
        let (_, node) = open.focus_node()?;
        let leaf = open.tree().leaf(node, open.step())?;
        let (_, path) = app.session.focus.path.as_ref()?;
        (leaf.step == open.step()).then(|| message::node_of_path(doc, path))?
    });
    view.window(extent, has_focus, lit)
}

/// The lines above a message: what it is, who wrote it, what is wrong with it.
pub(super) fn head(app: &App) -> Vec<Row> {
    head_below(app, summary)
}

/// The same below another first line.
pub(super) fn head_below(app: &App, first: impl FnOnce(&Open<'_>) -> Row) -> Vec<Row> {
    let Some(open) = app.session.open() else { return Vec::new() };
    if open.count() == 0 {
        return Vec::new();
    }
    if app.shows_gone() {
        let gone = Row::new(vec![Piece::of(Role::Error, " ✗ gone from the file: what it held")]);
        let hint = Row::new(vec![Piece::of(Role::Dim, "   a move shows what is there now")]);
        return [gone, hint, Row::default()].map(|row| row.fixed(usize::MAX)).into();
    }
    let mut rows = vec![first(&open)];
    for (name, text) in open.run().request(open.step(), open.bytes()) {
        rows.push(Row::new(vec![Piece::of(Role::Dim, &format!(" request {name} ")), piece(&text)]));
    }
    let step_marks = app.session.review.step_marks(app.session.trajectory, open.step());
    for (target, mark) in step_marks.into_iter().take(HEAD_MAX) {
        let mut left = vec![Piece::of(Role::Text, " ")];
        left.extend(target.path.as_ref().map(|path| Piece::of(Role::Reference, &format!("{path} "))));
        left.extend(marks::mark_pieces(mark));
        rows.push(Row::new(left));
    }
    for finding in open.findings_of(open.step()).iter().take(HEAD_MAX) {
        let role = if finding.severity == Severity::Error { Role::Error } else { Role::Warning };
        rows.push(Row::new(vec![
            Piece::of(role, &format!(" {} ", finding.rule)),
            Piece::of(Role::Dim, &finding.message),
        ]));
    }
    rows.push(Row::default());
    // They do not scroll with what is below them.
    rows.into_iter().map(|row| row.fixed(usize::MAX)).collect()
}

/// What the step is, and where it is.
fn summary(open: &Open<'_>) -> Row {
    let step = open.describe(open.step());
    let mut first =
        vec![Piece::of(steps::role_of(&step), &format!(" {}", step.class.as_deref().unwrap_or(&step.kind)))];
    if let Some(role) = &step.role_text {
        first.push(Piece::of(Role::Dim, &format!(" · {role}")));
    }
    if let Some(tool) = &step.tool {
        first.push(Piece::of(Role::Call, &format!(" · {tool}")));
    }
    if let Some(time) = &step.time {
        first.push(Piece::of(Role::Dim, &format!(" · {}", history::clock(time))));
    }
    if let Some(answers) = step.answers {
        first.push(Piece::of(Role::Blame, &format!(" · answers @{answers}")));
    }
    let mut right = Vec::new();
    if let Some(place) = open.run().place(open.step()) {
        right.push(Piece::of(Role::Dim, &format!("  {}", size_text(place.place.span.len))));
        right.push(Piece::of(Role::Dim, &format!(" · line {}", place.place.line)));
    }
    Row::new(first).right(right)
}
