//! The program as one function: [`App::update`] takes what happened and returns what is to be done.
//!
//! Knows no terminal, no file, no thread and no clock; what it shows it says as rows in areas ([`view`]).

pub mod act;
pub mod after_update;
pub mod chat_templates;
mod command_match;
mod custom_columns;
pub mod dataset;
pub mod export;
pub mod file_list;
mod follow;
pub mod footer;
pub mod initial_position;
pub mod job;
pub mod key;
mod key_hints;
pub mod keys;
pub mod layout;
pub mod marks;
pub mod menu;
pub mod msg;
mod other_view;
pub mod pane;
pub mod pane_borders;
pub mod prompt;
mod prompt_history;
mod reveal_in_message;
mod run_parts;
pub mod search;
mod search_typed;
mod selected_record;
pub mod signs;
mod step_filter;
pub mod tabs;
pub mod tour;
pub mod view;

pub use job::{Job, Lane};
pub use layout::Pane;
pub use msg::{Effect, Msg, SearchPosition};
pub use pane::{Inspector, pane_contexts};

use crate::model::StepNo;
use crate::panes::attempts::AttemptsPane;
use crate::panes::conversation::ConversationPane;
use crate::panes::instances::ColumnsPane;
use crate::panes::state::StatePane;
use crate::panes::table::TablePane;
use crate::panes::timeline::Timeline;
use crate::panes::watch::WatchPane;
use crate::panes::{Focus, Scroll, Session, StepFilter, Times};
use chat_templates::Chat;
use export::ExportLine;
use key::KeyPress;
use keys::{Action, Context, Keymap};
use marks::{ReviewLine, Reviewing};
use menu::{Menu, MenuKind};
use pane::{PagerPane, TwoRunsView};
use prompt::Prompt;
use search::Search;

/// Most places that Backspace can come back to.
const JUMPS_MAX: usize = 200;

/// What lies over the panes.
#[derive(Debug)]
pub enum Layer {
    /// Help or palette.
    Menu(Box<Menu>),
    /// The line in which a search is typed.
    Search(Prompt),
    /// The line in which the condition of a watch is typed.
    Condition(Prompt),
    /// The line in which a tag, a note or a yes is typed.
    Review(ReviewLine),
    /// The line in which a filter is typed.
    Filter(Prompt),
    /// The line in which a custom column is typed.
    Column(Prompt),
    /// The line in which the name of a file for records is typed.
    Export(ExportLine),
}

impl Layer {
    /// The line in it that is typed.
    fn prompt(&mut self) -> &mut Prompt {
        match self {
            Self::Menu(menu) => &mut menu.prompt,
            Self::Search(prompt) | Self::Condition(prompt) | Self::Filter(prompt) | Self::Column(prompt) => prompt,
            Self::Review(line) => &mut line.prompt,
            Self::Export(line) => &mut line.prompt,
        }
    }
}

/// A sentence in the footer, until the next key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Whether it reports an error.
    pub is_error: bool,
    /// The sentence.
    pub text: String,
}

/// A trajectory that is opened again because its file has another content.
struct Reopening {
    record: usize,
    /// Whether it was asked for.
    is_asked: bool,
}

/// The whole program.
pub struct App {
    /// What is open.
    pub session: Session,
    /// Size of the screen, in cells.
    pub size: (u16, u16),
    /// The pane with the cursor.
    pub pane: Pane,
    /// Whether that pane has the whole screen.
    pub is_zoomed: bool,
    /// Where borders between panes were moved to.
    pub splits: pane_borders::Splits,
    /// The column of times beside the steps.
    pub times: Times,
    /// Scroll of the steps; its cursor is the row of the step in focus.
    pub steps: Scroll,
    /// Which steps are listed.
    pub step_filter: StepFilter,
    /// The state.
    pub state: StatePane,
    /// The instances of a kind side by side, in place of the state.
    pub columns: ColumnsPane,
    /// The tabs.
    pub inspector: Inspector,
    /// The table.
    pub table: TablePane,
    /// The attempts at a task.
    pub attempts: AttemptsPane,
    /// The pane from which they were opened.
    pub under_attempts: Pane,
    /// The run as a conversation.
    pub conversation: ConversationPane,
    /// The pane from which it was opened.
    pub under_conversation: Pane,
    /// The pager.
    pub pager: PagerPane,
    /// Two runs beside each other.
    pub two_runs: TwoRunsView,
    /// The watched values.
    pub watches: WatchPane,
    /// The pane that had the cursor before the strip of watched values.
    pub beside: Pane,
    /// The list of files, if several were named.
    pub files: Option<file_list::Files>,
    /// The line of the whole run.
    pub timeline: Timeline,
    /// Help, palette or prompt over it.
    pub layer: Option<Layer>,
    /// The sentence in the footer.
    pub notice: Option<Notice>,
    /// The last search.
    pub search: Search,
    /// Names of the themes, the one in use first.
    pub themes: Vec<String>,
    /// The keys that work.
    pub keymap: Keymap,
    key_hints: key_hints::KeyHints,
    /// First key of a two-key sequence.
    pub prefix: Option<String>,
    /// Options of the command line on how inputs are read and where marks are, for a command that does the same.
    pub input_options: Vec<String>,
    /// Filters of the configuration by name.
    pub filters: Vec<(String, String)>,
    /// Whether a decision on one record goes on to the next that is undecided.
    pub next_undecided: bool,
    /// The chat templates, and how the Loss tab uses them.
    pub chat: Chat,
    /// The guided tour, while it lasts.
    pub tour: Option<tour::Tour>,
    /// Where to begin, until the run reaches so far.
    pub start: Option<initial_position::Start>,
    /// Whether the last key asked for something that will come into view; another key takes that back.
    is_asking: bool,
    asking: dataset::Asking,
    filter_job: step_filter::FilterJob,
    seeking: act::seek::Seeking,
    /// How many custom columns were set by now.
    asked_columns: u64,
    /// The column that was typed last, until its expression has said something.
    typed_column: Option<custom_columns::Typed>,
    jumps: Vec<(Focus, Pane)>,
    /// What was typed in the prompts.
    typed: prompt_history::Typed,
    /// What the mouse holds.
    drag: Option<pane_borders::DragState>,
    opening: Option<usize>,
    reopening: Option<Reopening>,
    /// Another content of the input, until as much of it is read as is shown of this one.
    coming: Option<msg::Replacement>,
    /// The selected record, and the record of the selected row of the table.
    selected: Option<selected_record::SelectedRecord>,
    selected_row: Option<selected_record::SelectedRecord>,
    reviewing: Reviewing,
    /// Generation and size of the run that was given to be checked against its schemas.
    examined: (u64, usize),
    /// The files that lead to the open one.
    trail: run_parts::Trail,
    /// Where the views of the file were left.
    views: other_view::Views,
}

impl App {
    /// The program on a session. A dataset of many trajectories begins with its table.
    #[must_use]
    pub fn new(session: Session, themes: Vec<String>) -> Self {
        let pane = if session.is_dataset() { Pane::Table } else { Pane::Steps };
        Self {
            session,
            size: (80, 24),
            pane,
            is_zoomed: false,
            splits: pane_borders::Splits::default(),
            beside: pane,
            watches: WatchPane::default(),
            times: Times::default(),
            steps: Scroll::default(),
            step_filter: StepFilter::default(),
            state: StatePane::default(),
            columns: ColumnsPane::default(),
            inspector: Inspector::default(),
            table: TablePane::default(),
            attempts: AttemptsPane::default(),
            under_attempts: pane,
            conversation: ConversationPane::default(),
            under_conversation: pane,
            pager: PagerPane::default(),
            two_runs: TwoRunsView::default(),
            files: None,
            timeline: Timeline::default(),
            layer: None,
            notice: None,
            search: Search::default(),
            themes,
            keymap: Keymap::default(),
            key_hints: key_hints::KeyHints::default(),
            prefix: None,
            input_options: Vec::new(),
            filters: Vec::new(),
            next_undecided: false,
            chat: Chat::default(),
            tour: None,
            start: None,
            is_asking: false,
            asking: dataset::Asking::default(),
            filter_job: step_filter::FilterJob::default(),
            seeking: act::seek::Seeking::default(),
            asked_columns: 0,
            typed_column: None,
            jumps: Vec::new(),
            typed: prompt_history::Typed::default(),
            drag: None,
            opening: None,
            reopening: None,
            coming: None,
            selected: None,
            selected_row: None,
            reviewing: Reviewing::default(),
            examined: (0, 0),
            trail: run_parts::Trail::default(),
            views: other_view::Views::default(),
        }
    }

    /// Takes something that happened; returns what is to be done.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        let mut effects = Vec::new();
        match msg {
            Msg::Key(key) => self.key(key, &mut effects),
            Msg::Mouse(mouse) => self.mouse(mouse, &mut effects),
            Msg::Paste(text) => self.paste(&text, &mut effects),
            Msg::Resize(width, height) => self.size = layout::drawn_size(width, height),
            Msg::Progress { is_complete, is_live } => self.progress(is_complete, is_live, &mut effects),
            Msg::PendingTail(pending, clock) => self.ends(pending, &clock),
            Msg::HighlightExpired => self.fade(&mut effects),
            Msg::Stale(mark, message, clock) => self.stale(mark, message, clock),
            Msg::Polling(is_polling) => self.session.live.is_polling = is_polling,
            Msg::Replaced(replacement, message) => self.replaced(replacement, message),
            Msg::Settled => {
                self.session.forget_findings();
                self.session.follow_revision();
            }
            Msg::Opened(trajectory, run) => self.opened(trajectory, run.0),
            Msg::Facts(content, facts) => self.take_facts(content, facts),
            Msg::Scanned(content, chunk) => self.scanned(content, chunk),
            Msg::ScanEnded(content) => self.scan_ended(content),
            Msg::DataChecked(content, found) => self.data_checked(content, found),
            Msg::Arranging(number, per_cent) => self.arranging(number, per_cent),
            Msg::Arranged(number, order) => self.arranged(number, order),
            Msg::Tallied(number, tally) => self.tallied(number, tally),
            Msg::CustomValuesVisible(id, values, why) => self.take_near(id, values, why),
            Msg::CustomValuesPart(id, values) => self.take_part(id, values),
            Msg::CustomValuesNext(id, chunk) => self.take_next(id, chunk),
            Msg::CustomValuesEnded(id, why) => self.asked_all(id, why),
            Msg::Groups(number, groups) => self.take_groups(number, groups),
            Msg::Attempts(number, answer) => self.take_attempts(number, answer),
            Msg::StepsFiltered(number, looked, passing) => self.take_filtered_steps(number, looked, passing),
            Msg::Files(change) => self.files_changed(change, &mut effects),
            Msg::Head(path, head) => self.set_head(path, head),
            Msg::NotOpened(problem) => self.file_not_opened(problem),
            Msg::Message(generation, step, doc) => self.inspector.message.take(generation, step, doc),
            Msg::Page(number, page) => self.take_page(number, page),
            Msg::Reading(of, text) => self.inspector.message.take_reading(&of, text),
            Msg::View(of, part) => self.take_llm_view(of, part),
            Msg::ViewFill(of, lines) => self.inspector.llm.take_fill(of, lines),
            Msg::Loss(of, text) => self.take_loss(of, text),
            Msg::Aligning(number, per_cent) => self.aligning(number, per_cent),
            Msg::RunsAligned(number, result) => self.runs_aligned(number, *result),
            Msg::StatesCompared(of, pair) => self.states_compared(&of, pair),
            Msg::Compared(generation, question, lines) => self.inspector.diff.take(generation, question, lines),
            Msg::Code(document, node, lines) => self.set_code(document, node, lines),
            Msg::FileLaidOut(key, layout) => self.take_file(key, layout),
            Msg::LineColours(number, lines) => self.inspector.file.take_colours(number, lines),
            Msg::File(generation, step, name, lines) => self.take_named_file(generation, step, name, lines),
            Msg::Readers(generation, of, readers) => self.readers(generation, &of, readers),
            Msg::Openables(generation, step, found) => self.openables(generation, step, found),
            Msg::Examined => self.stop_at_hit(&mut effects),
            Msg::Marked(events) => self.marked(events),
            Msg::Unsaved(count, why) => self.unsaved(count, why),
            Msg::Exported(request, outcome) => self.exported(&request, outcome),
            Msg::Keys(content, from, keys) => self.take_keys(content, from, keys),
            Msg::Seeking(number, per_cent) => self.seeking_at(number, per_cent),
            Msg::Sought(number, count, step) => self.sought(number, count, step),
            Msg::SearchResult(number, at) => self.take_search_result(number, at),
            Msg::Hits(number, hits) => self.counted(number, hits),
            Msg::JobFailed(lane, place) => self.job_failed(lane, &place),
            Msg::Notify(is_error, text) => self.notice = Some(Notice { is_error, text }),
        }
        self.settle(&mut effects);
        effects
    }

    /// The contexts whose keys work now, innermost first.
    #[must_use]
    pub fn contexts(&self) -> Vec<Context> {
        match (&self.layer, self.pane) {
            (Some(Layer::Menu(menu)), _) if menu.kind == MenuKind::Palette => vec![Context::Commands, Context::Menu],
            (Some(Layer::Menu(_)), _) => vec![Context::Menu],
            (Some(_), _) => vec![Context::Prompt],
            (None, _) => self.place(),
        }
    }

    /// The contexts of the pane with the cursor, whatever lies over it; those of a recording that plays before them.
    #[must_use]
    pub fn place(&self) -> Vec<Context> {
        let replay = self.session.replay.map(|_| Context::Replay);
        let pane_contexts = self.row_of(self.pane).contexts;
        let merges = pane_contexts.contains(&Context::Trajectory) && self.session.format.merges();
        let beside = replay.into_iter().chain(merges.then_some(Context::Merging));
        let beside = beside.chain(self.front().context_inside());
        beside.chain(pane_contexts.iter().copied()).collect()
    }

    fn key(&mut self, key: KeyPress, effects: &mut Vec<Effect>) {
        self.is_asking = false;
        let name = key.to_string();
        let contexts = self.contexts();
        let pressed = match self.prefix.take() {
            Some(first) => format!("{first}{name}"),
            None if self.layer.is_none() && self.keymap.is_prefix(&contexts, &name) => {
                self.prefix = Some(name);
                return;
            }
            None => name,
        };
        self.notice = None;
        self.search.is_reported = false;
        if self.is_asked() {
            self.answer(&pressed, effects);
        } else if let Some(row) = self.keymap.find(&contexts, &pressed) {
            self.perform(row.action, effects);
        } else if self.layer.is_some() {
            self.type_key(key, effects);
        } else {
            let key = |action| self.keymap.key_of(action);
            self.notify(match self.keymap.elsewhere(&contexts, &pressed) {
                _ if self.lists_sessions() => {
                    let filter = key(Action::Search);
                    format!("{pressed} does nothing here; {filter} filters the sessions by what is typed")
                }
                Some((pane, way)) => format!("{pressed} works in {pane}; {} goes there", key(way)),
                None => match self.keymap.view_with(&contexts, &pressed) {
                    Some(view) => format!("{pressed} works in {view}; {} lists the keys here", key(Action::Help)),
                    None => format!("{pressed} does nothing here; {} lists the keys", key(Action::Help)),
                },
            });
        }
    }

    fn type_key(&mut self, key: KeyPress, effects: &mut Effects) {
        let Some(prompt) = self.layer.as_mut().map(Layer::prompt) else { return };
        if let Some(c) = key.typed() {
            prompt.insert(c.encode_utf8(&mut [0; 4]));
        } else {
            prompt.edit(&key.to_string());
        }
        self.after_typing(effects);
    }

    /// What was typed filters the list, or is searched for.
    fn after_typing(&mut self, effects: &mut Effects) {
        let contexts = self.place();
        if let Some(Layer::Menu(menu)) = &mut self.layer {
            menu.refresh(&contexts);
        }
        self.search_typed(effects);
        self.filter_typed();
    }

    fn paste(&mut self, text: &str, effects: &mut Effects) {
        if self.is_asked() {
            return;
        }
        if let Some(layer) = &mut self.layer {
            layer.prompt().insert(text);
        }
        self.after_typing(effects);
    }

    fn opened(&mut self, trajectory: usize, run: crate::format::SharedRun) {
        let is_same = self.reopening.take().is_some_and(|reopening| reopening.record == trajectory);
        self.session.set_run(run, trajectory);
        self.opening = None;
        if is_same {
            return;
        }
        self.table.show(trajectory);
        self.session.focus = Focus::default();
        self.session.live.reset();
        self.jumps.clear();
        self.steps = Scroll::default();
        self.restart_step_filter();
        self.state.reset();
        self.inspector.reset();
        self.conversation = ConversationPane::default();
        let going = self.attempts.going.take().filter(|(record, _)| *record == trajectory);
        if self.is_on_table() || self.is_on_attempts() || (self.is_comparing() && going.is_some()) {
            self.pane = Pane::Steps;
        }
        if let Some((_, step)) = going {
            self.steps.is_jump = true;
            self.go_to(step);
        }
    }

    /// Puts a step in focus.
    pub fn go_to(&mut self, step: StepNo) {
        let Some((last, count)) = self.session.open().map(|o| (o.last(), o.count())) else { return };
        let step = step.clamp(0, last.max(0));
        self.session.live.moved(step, self.list_end().unwrap_or(last), count);
        self.session.focus.step = step;
    }

    fn go_to_last(&mut self) {
        if let Some(last) = self.list_end() {
            self.session.focus.step = last.max(0);
        }
    }

    /// Remembers where we are, so that Backspace comes back.
    pub fn remember(&mut self) {
        if self.jumps.len() >= JUMPS_MAX {
            self.jumps.remove(0);
        }
        self.jumps.push((self.session.focus.clone(), self.pane));
    }

    /// Shows a message in the footer.
    pub fn notify(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { is_error: false, text: text.into() });
    }
}

/// What an action does while it has `&mut App`.
pub(crate) type Effects = Vec<Effect>;
