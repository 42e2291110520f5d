//! A run as a document: the list of steps, what each said, did and changed, the state, the files and the findings, in
//! the rows that the panes make of them. What a reader of a web page cannot do with a key is left out or opened.

use super::findings;
use super::json_outline::Doc;
use super::known_file::{FileKey, FileLayout, FileMode, KnownFilePane, known_words};
use super::message::{CodeLine, CodeRequest, DocView};
use super::open_command::{OpenTarget, open_command};
use super::reading::{self, ReadingView};
use super::state::{StatePane, counts};
use super::step_filter::StepFilter;
use super::{Extent, Open, Piece, Row, Session, steps};
use crate::json::Key;
use crate::lint;
use crate::model::{Finding, Identity, StepNo, lossy};
use crate::rules::work::FileId;
use crate::state::HistoryEvent;
use crate::text::{Role, count_of, size_text};
use std::sync::Arc;

/// Cells that messages and values are laid out for; a narrower page wraps them.
pub const CELLS: usize = 104;
/// Cells of a row of the list of steps.
const OUTLINE_CELLS: usize = 46;
/// Larger turns, with their results, are named and not laid out, in bytes.
const TURN_BYTES_MAX: u64 = 256 << 10;
/// Most rows of a message.
const MESSAGE_ROWS_MAX: usize = 2_000;
/// Most changes of a step that are shown.
const CHANGES_MAX: usize = 60;
/// Most rows of a state.
const STATE_ROWS_MAX: usize = 1_000;
/// Most rows of a file.
const FILE_ROWS_MAX: usize = 3_000;
/// Cells that lines of files are laid out for: a page wraps them.
const FILE_CELLS: usize = 4_000;

/// Colours code: what [`crate::panes`] do not know.
pub trait Colouring {
    /// The lines of a code block.
    fn code(&self, request: &CodeRequest) -> Vec<CodeLine>;
    /// The first `count` lines of a file; `language` is the extension of its name.
    fn lines(&self, language: &str, text: &str, count: usize) -> Vec<CodeLine>;
}

/// A run to be written down.
pub struct Report<'c> {
    session: Session,
    /// The file as it is named on the command line; None: the recorded run.
    file: Option<String>,
    /// The format, where it was named on the command line.
    format: Option<String>,
    /// The trajectory, of a file that holds several.
    record: Option<usize>,
    state: StatePane,
    list: StepFilter,
    colouring: &'c dyn Colouring,
}

/// A step with the results that are shown with it.
#[derive(Debug)]
pub struct Card {
    /// The steps: the first is the one that it is of.
    pub steps: Vec<StepNo>,
    /// What colours its edge.
    pub role: Role,
    /// Who does what.
    pub heading: Row,
    /// What was said and done.
    pub message: Vec<Row>,
    /// What each of its steps changed.
    pub changes: Vec<Row>,
    /// The findings on its steps.
    pub findings: Vec<Row>,
    /// The last of its steps that changed the state: after this the state differs from the one before.
    pub changed: Option<StepNo>,
    /// The command that opens it.
    pub command: String,
}

/// A value, a file or a finding with what there is to be said of it.
#[derive(Debug)]
pub struct ReportEntry {
    /// One line.
    pub row: Row,
    /// The rest.
    pub rows: Vec<Row>,
    /// The command that opens it.
    pub command: String,
}

impl<'c> Report<'c> {
    /// A report of the run that is open in a session whose input is all read. `file`, `format` and `record` are as on
    /// the command line.
    #[must_use]
    pub fn new(
        session: Session,
        (file, format, record): (Option<&str>, Option<&str>, Option<usize>),
        colouring: &'c dyn Colouring,
    ) -> Self {
        let mut state = StatePane::default();
        (state.is_blaming, state.hides_descriptions) = (true, true);
        Self {
            session,
            file: file.map(str::to_owned),
            format: format.map(str::to_owned),
            record,
            state,
            list: StepFilter::default(),
            colouring,
        }
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Title of its format, number of steps and findings.
    #[must_use]
    pub fn facts(&self) -> Vec<Piece> {
        let Some(open) = self.session.open() else { return Vec::new() };
        let mut out = vec![Piece::of(Role::Accent, self.session.format.title())];
        out.extend(open.run().title().map(|title| Piece::of(Role::Text, &format!(" · {title}"))));
        if let Some(record) = self.record {
            out.push(Piece::of(Role::Text, &format!(" · record {record}")));
        }
        out.push(Piece::of(Role::Text, &format!(" · {}", count_of(open.count(), "step"))));
        let (errors, warnings) = open.finding_counts();
        for (count, word, role) in [(errors, "error", Role::Error), (warnings, "warning", Role::Warning)] {
            if count > 0 {
                out.push(Piece::of(role, &format!(" · {}", count_of(count, word))));
            }
        }
        let failed = open.failure_steps().len();
        if failed > 0 {
            out.push(Piece::of(Role::Error, &format!(" · {}", count_of(failed, "failure"))));
        }
        out
    }

    /// The steps that have cards, in order: results that are shown below their calls have none.
    #[must_use]
    pub fn steps(&self) -> Vec<StepNo> {
        let Some(open) = self.session.open() else { return Vec::new() };
        let rows = self.list.rows(&open);
        (0..rows.total).map(|row| rows.step(row)).collect()
    }

    /// The last step; -1 where there are none.
    #[must_use]
    pub fn last(&self) -> StepNo {
        self.session.open().map_or(-1, |open| open.last())
    }

    /// The row of a step in the list.
    #[must_use]
    pub fn outline_row(&self, step: StepNo) -> Row {
        let Some(open) = self.session.open() else { return Row::default() };
        let digits = open.last().max(0).to_string().len();
        let mut row = steps::cell(&open, step, (digits, OUTLINE_CELLS), false);
        // What would be cut on the screen is cut by the page.
        row.left.iter_mut().for_each(|piece| piece.text = crate::text::cut(&piece.text, OUTLINE_CELLS * 2));
        row
    }

    /// A step.
    pub fn card(&mut self, step: StepNo) -> Card {
        let of = match self.session.open() {
            Some(open) => reading::Step { call: None, ..reading::Step::of(open.run(), step) },
            None => reading::Step { step, results: Vec::new(), call: None },
        };
        let steps: Vec<StepNo> = std::iter::once(step).chain(self.results_without_row(&of)).collect();
        let (mut changes, mut changed, mut findings) = (Vec::new(), None, Vec::new());
        for &step in &steps {
            self.session.focus.step = step;
            let Some(open) = self.session.open() else { break };
            let rows = self.changes(&open);
            if !rows.is_empty() {
                changed = Some(step);
            }
            changes.extend(rows);
            findings.extend(open.findings_of(step).iter().map(|finding| findings::finding_row(finding)));
        }
        self.session.focus.step = step;
        let path = changed.and_then(|step| self.changed_path(step));
        let command = self.command(step, path.as_ref());
        let Some(open) = self.session.open() else {
            return Card {
                steps,
                role: Role::Text,
                heading: Row::default(),
                message: Vec::new(),
                changes,
                findings,
                changed,
                command,
            };
        };
        let heading = reading::head::of_step(&open, &of, &[], CELLS);
        let role = steps::role_of(&open.describe(step));
        let message = self.message(&open, &of);
        Card { steps, role, heading, message, changes, findings, changed, command }
    }

    /// The results that have no row of their own.
    fn results_without_row(&self, of: &reading::Step) -> Vec<StepNo> {
        let Some(open) = self.session.open() else { return Vec::new() };
        let rows = self.list.rows(&open);
        let has_row = |step: &StepNo| rows.step(rows.row(&open, *step)) == *step;
        of.results.iter().copied().filter(|step| !has_row(step)).collect()
    }

    /// The first value that a step changed, of those that do not only count.
    fn changed_path(&self, step: StepNo) -> Option<(Identity, Vec<Key>)> {
        let open = self.session.open()?;
        let tree = open.tree();
        let is_counted = |event: &HistoryEvent| {
            !counts(&tree.identity(event.identity).kind) && tree.leaf(event.node, step).is_some()
        };
        Some(open.path_of(tree.events(step).into_iter().find(is_counted)?.node))
    }

    fn command(&self, step: StepNo, path: Option<&(Identity, Vec<Key>)>) -> String {
        let Some(open) = self.session.open() else { return String::new() };
        let place = OpenTarget {
            file: self.file.as_deref(),
            record: self.record,
            format: self.format.as_deref(),
            step,
            path: path.map(|(identity, path)| (identity, path.as_slice())),
        };
        open_command(&place, open.run())
    }

    /// The command that opens the run at a step.
    #[must_use]
    pub fn command_at(&self, step: StepNo) -> String {
        self.command(step, None)
    }

    /// What a step said and did.
    fn message(&self, open: &Open<'_>, of: &reading::Step) -> Vec<Row> {
        let size = of.size(open.run());
        if size > TURN_BYTES_MAX {
            let label = format!("⋯ {} are not shown here", size_text(size));
            return vec![Row::text(Role::Dim, &label)];
        }
        let mut rows = match of.read(open.run(), open.bytes(), &open.folder()) {
            Some(reading) => {
                let mut view = ReadingView::default();
                view.fold_all(true);
                view.set(Some(Arc::new(reading)), false);
                for request in view.code_requests(Extent { width: CELLS, height: usize::MAX }) {
                    view.set_code(request.document, request.node, &self.colouring.code(&request));
                }
                view.all_rows(CELLS)
            }
            None => self.document(open, of.step),
        };
        cut_rows(&mut rows, MESSAGE_ROWS_MAX);
        rows
    }

    /// The message as JSON, where the format does not know its messages otherwise.
    fn document(&self, open: &Open<'_>, step: StepNo) -> Vec<Row> {
        let Some(place) = open.run().place(step) else { return Vec::new() };
        let bytes = match open.bytes().read(place.place.span) {
            Ok(bytes) => bytes,
            Err(problem) => return vec![Row::text(Role::Error, &problem.to_string())],
        };
        let mut view = DocView::default();
        view.set(Some(Arc::new(Doc::of(&lossy(&bytes)))));
        let extent = Extent { width: CELLS, height: MESSAGE_ROWS_MAX + 1 };
        for request in view.code_requests(extent) {
            let lines = self.colouring.code(&request);
            view.set_code(request.document, request.node, lines);
        }
        view.window(extent, false, None).rows
    }

    /// What the step in focus changed.
    fn changes(&self, open: &Open<'_>) -> Vec<Row> {
        // A third of the height is for the changes; a title, the counters and a line below take three rows.
        let extent = Extent { width: CELLS, height: 3 * (CHANGES_MAX + 3) };
        let mut rows = self.state.changed_here(open, extent);
        rows.pop();
        for piece in rows.iter_mut().flat_map(|row| &mut row.right) {
            if let Some(words) = piece.text.as_str().strip_suffix(" ]c") {
                *piece = Piece::of(Role::Dim, words);
            }
        }
        rows
    }

    /// The state after a step, each value with the step that wrote it and who did.
    pub fn state(&mut self, step: StepNo) -> Vec<Row> {
        self.session.focus.step = step;
        let Some(open) = self.session.open() else { return Vec::new() };
        if open.tree().identities(step).is_empty() && open.run().conversation(step, open.bytes()).is_empty() {
            return Vec::new();
        }
        let window = self.state.window(&open, Extent { width: CELLS, height: STATE_ROWS_MAX }, false);
        let mut rows = window.rows;
        // What is folded cannot be opened on a page.
        for piece in rows.iter_mut().flat_map(|row| &mut row.left) {
            if piece.role == Role::Punct && piece.text.as_str() == "▸ " {
                *piece = Piece::of(Role::Punct, "  ");
            }
        }
        if window.total > rows.len() {
            rows.push(Row::text(Role::Dim, &format!("⋯ {} more", count_of(window.total - rows.len(), "row"))));
        }
        rows
    }

    /// The findings, each with what its rule means.
    #[must_use]
    pub fn findings(&self, from: usize) -> Option<ReportEntry> {
        let open = self.session.open()?;
        let finding = open.findings().get(from).cloned()?;
        Some(self.finding(&finding))
    }

    /// How many findings there are.
    #[must_use]
    pub fn finding_count(&self) -> usize {
        self.session.open().map_or(0, |open| open.findings().len())
    }

    fn finding(&self, finding: &Finding) -> ReportEntry {
        let help = lint::by_id(finding.rule).map(|lint| Row::text(Role::Dim, lint.help));
        let command = self.command(finding.step.unwrap_or(0), None);
        ReportEntry { row: findings::finding_row(finding), rows: help.into_iter().collect(), command }
    }

    /// How many files the run knows at its end.
    #[must_use]
    pub fn file_count(&self) -> usize {
        let Some(open) = self.session.open() else { return 0 };
        open.run().work().map_or(0, |work| work.file_count(open.last()))
    }

    /// A file as the run knew it at its end, by its place in the order of first appearance.
    pub fn file(&mut self, place: usize) -> Option<ReportEntry> {
        let last = self.last();
        self.session.focus.step = last;
        let open = self.session.open()?;
        let file: FileId = open.run().work()?.file_at_place(place, open.last())?;
        let work = open.run().work()?;
        let facts = work.file_facts(file, last)?;
        let latest = work.last_write(file, last);
        let key =
            FileKey { generation: self.session.content_version(), file, step: last, look: FileMode::Whole, latest };
        let layout = Arc::new(FileLayout::of(work, &key));
        let mut pane = KnownFilePane::default();
        pane.set(key, layout, 0);
        if let Some(request) = pane.ask_colours(work, (0, FILE_ROWS_MAX)) {
            let lines = request.runs.iter().flat_map(|(ids, text)| {
                ids.iter().copied().zip(self.colouring.lines(&request.language, text, ids.len()))
            });
            pane.colours.take(request.number, lines.collect());
        }
        pane.scroll.top = 0;
        let window = pane.window(&open, Extent { width: FILE_CELLS, height: FILE_ROWS_MAX }, false);
        let mut rows = window.rows;
        if window.total > rows.len() {
            rows.push(Row::text(Role::Dim, &format!("⋯ {} more", count_of(window.total - rows.len(), "line"))));
        }
        let name = facts.path.strip_prefix(&*open.folder()).unwrap_or(&facts.path).to_owned();
        let row = Row::new(vec![Piece::of(Role::Text, &name)]).right(vec![Piece::of(Role::Dim, &known_words(&facts))]);
        let command = self.command(latest.or(facts.seen).unwrap_or(last), None);
        Some(ReportEntry { row, rows, command })
    }
}

fn cut_rows(rows: &mut Vec<Row>, most: usize) {
    if rows.len() > most {
        let rest = rows.len() - most;
        rows.truncate(most);
        rows.push(Row::text(Role::Dim, &format!("⋯ {} more", count_of(rest, "line"))));
    }
}
