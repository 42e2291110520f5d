//! The whole run as a conversation in one column. Only the turns around the window are read and laid out.

use super::call_rows::results_of;
use super::lazy_column::{At, Column, Items};
use super::message::{CodeLine, CodeRequest};
use super::reading::{ReadingView, Step, head};
use super::row::pieces_width;
use super::step_filter::StepRows;
use super::value::size_text;
use super::{Extent, Open, Piece, Row, Window, steps};
use crate::model::{StepKind, StepNo};
use crate::text::{Role, SafeText, cut, single_line};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Lines of a long output that are shown before its middle is folded away.
const FOLD_LINES: usize = 12;
/// Larger turns, with their results, are named and not laid out, in bytes.
pub const TURN_BYTES_MAX: u64 = 96 << 10;
/// Most turns whose rows are kept.
const CACHED_TURNS_MAX: usize = 256;
/// Numbers of views with this bit are those of pagers.
const SERIES_BIT: u32 = 1 << 31;

/// What the rows of a turn were laid out for: generation, step, results, width, whether its folds are open.
type Key = (u64, StepNo, usize, usize, bool);

/// The conversation on screen.
#[derive(Debug, Default)]
pub struct ConversationPane {
    /// Scroll and cursor: items are the rows of the list of steps.
    pub column: Column,
    /// Turns whose folds were opened.
    opened: HashSet<StepNo>,
    /// Whether those of all are.
    is_all_open: bool,
    rows: RefCell<HashMap<Key, Rc<Vec<Row>>>>,
    code: RefCell<TurnCode>,
}

/// Coloured code of turns whose rows are kept, by the number of its view and its own.
#[derive(Debug, Default)]
struct TurnCode {
    generation: u64,
    lines: HashMap<(u64, u32), Arc<Vec<CodeLine>>>,
    /// What is asked for until it is answered, and the step that it is of.
    asked: HashMap<(u64, u32), (StepNo, CodeRequest)>,
}

/// The turns of a run, by the rows of the list of steps.
struct Turns<'t> {
    pane: &'t ConversationPane,
    open: &'t Open<'t>,
    list: &'t StepRows<'t>,
}

impl ConversationPane {
    /// Puts the cursor on the turn of the step in focus, if it is on another, and scrolls so that it is visible.
    pub fn sync(&mut self, open: &Open<'_>, list: &StepRows<'_>, extent: Extent) {
        let item = list.row(open, open.step());
        let mut column = self.column;
        if column.cursor.item != item {
            column.jump_to(At { item, row: 0 });
        }
        column.show_cursor(&Turns { pane: self, open, list }, extent);
        self.column = column;
    }

    /// Moves the cursor by some rows; the step that it is on then.
    pub fn move_by(
        &mut self,
        open: &Open<'_>,
        list: &StepRows<'_>,
        delta: isize,
        cells: usize,
        is_page: bool,
    ) -> StepNo {
        let mut column = self.column;
        let turns = Turns { pane: self, open, list };
        if is_page {
            column.page_by(delta, &turns, cells);
        } else {
            column.move_by(delta, &turns, cells);
        }
        self.column = column;
        list.step(column.cursor.item)
    }

    /// Puts the cursor on a row of the window; the step that it is on then, and whether it was there.
    pub fn click(&mut self, open: &Open<'_>, list: &StepRows<'_>, row: usize, cells: usize) -> (StepNo, bool) {
        let at = self.column.at_row(row, &Turns { pane: self, open, list }, cells);
        let is_again = std::mem::replace(&mut self.column.cursor, at) == at;
        (list.step(at.item), is_again)
    }

    /// Opens or closes the folds of a turn; None turns them over.
    pub fn set_fold(&mut self, step: StepNo, is_open: Option<bool>) {
        let is_open = is_open.unwrap_or(!self.is_open(step));
        if is_open {
            self.opened.insert(step);
        } else {
            self.opened.remove(&step);
        }
        self.column.jump_to(At { row: 0, ..self.column.cursor });
    }

    /// Opens or closes the folds of all turns.
    pub fn fold_all(&mut self, is_open: bool) {
        self.is_all_open = is_open;
        self.opened.clear();
        self.column.jump_to(At { row: 0, ..self.column.cursor });
    }

    fn is_open(&self, step: StepNo) -> bool {
        self.is_all_open || self.opened.contains(&step)
    }

    /// The code of turns whose rows are kept that has no colours yet.
    #[must_use]
    pub fn code_requests(&self) -> Vec<CodeRequest> {
        self.code.borrow().asked.values().map(|(_, request)| request.clone()).collect()
    }

    /// Takes coloured code, if it was asked for: the rows of its turn are rebuilt.
    pub fn set_code(&mut self, document: u64, node: u32, lines: &[CodeLine]) {
        let code = self.code.get_mut();
        if let Some((of, _)) = code.asked.remove(&(document, node)) {
            code.lines.insert((document, node), Arc::new(lines.to_vec()));
            self.rows.get_mut().retain(|(_, step, ..), _| *step != of);
        }
    }

    /// The visible rows.
    #[must_use]
    pub fn window(&self, open: &Open<'_>, list: &StepRows<'_>, extent: Extent, has_focus: bool) -> Window {
        self.column.window(&Turns { pane: self, open, list }, extent, has_focus)
    }

    /// The rows of a turn, from a bounded cache.
    fn rows(&self, open: &Open<'_>, step: StepNo, cells: usize) -> Rc<Vec<Row>> {
        let results = results_of(open.run(), step).count();
        let key = (open.session.content_version(), step, results, cells, self.is_open(step));
        if let Some(rows) = self.rows.borrow().get(&key) {
            return Rc::clone(rows);
        }
        let mut code = self.code.borrow_mut();
        let mut cached = self.rows.borrow_mut();
        if cached.len() >= CACHED_TURNS_MAX || code.generation != key.0 {
            *code = TurnCode { generation: key.0, ..TurnCode::default() };
            cached.clear();
        }
        let rows = Rc::new(turn(open, step, cells, key.4, &mut code));
        cached.insert(key, Rc::clone(&rows));
        rows
    }
}

impl Items for Turns<'_> {
    fn count(&self) -> usize {
        self.list.total
    }

    fn height(&self, item: usize, cells: usize) -> usize {
        self.pane.rows(self.open, self.list.step(item), cells).len()
    }

    fn rows(&self, item: usize, cells: usize) -> Vec<Row> {
        let step = self.list.step(item);
        let rows = self.pane.rows(self.open, step, cells);
        let is_here = self.pane.column.cursor.item == item;
        let marked = |(number, row): (usize, &Row)| {
            let mut row = row.clone();
            let sign = if is_here { Piece::of(Role::Accent, "▌") } else { Piece::of(Role::Text, " ") };
            row.left.insert(0, if number == 0 || is_here { sign } else { Piece::of(Role::Text, " ") });
            if let Some(around) = &mut row.around {
                around.first += 1;
            }
            row
        };
        rows.iter().enumerate().map(marked).collect()
    }
}

/// The rows of a turn: who, what was said or done, a blank one.
fn turn(open: &Open<'_>, step: StepNo, cells: usize, is_open: bool, code: &mut TurnCode) -> Vec<Row> {
    let inside = cells.saturating_sub(1);
    if !is_open && is_record(open, step) {
        return record_rows(open, step, inside);
    }
    let of = Step { call: None, ..Step::of(open.run(), step) };
    let heading = head::of_step(open, &of, &[], inside);
    let mut rows = vec![heading];
    let size = of.size(open.run());
    if size > TURN_BYTES_MAX {
        let shows = open.session.key_names.fill("{follow} shows it by itself");
        let label = format!(" ⋯ {} · {shows}", size_text(size));
        rows.push(Row::text(Role::Dim, &label).remark());
    } else if let Some(reading) = of.read(open.run(), open.bytes(), &open.folder()) {
        let mut view = ReadingView::folding(FOLD_LINES).numbered(series(step)).with_keys(&open.session.key_names);
        view.set(Some(Arc::new(reading)), false);
        if is_open {
            view.fold_all(true);
        }
        for request in view.code_requests(Extent { width: inside, height: usize::MAX }) {
            let key = (request.document, request.node);
            match code.lines.get(&key) {
                Some(lines) => view.set_code(key.0, key.1, lines),
                None => drop(code.asked.insert(key, (step, request))),
            }
        }
        rows.extend(view.all_rows(inside));
    } else {
        let step = open.describe(step);
        rows.push(Row::new(vec![Piece::of(steps::role_of(&step), " "), Piece::of(Role::Dim, &step.summary)]));
    }
    rows.push(Row::new(vec![Piece::safe(Role::Text, SafeText::literal(""))]));
    rows
}

/// Whether a step is a record of the log that nobody said or did: metadata, a change of settings. A span has what was
/// said in it.
fn is_record(open: &Open<'_>, step: StepNo) -> bool {
    let described = open.describe(step);
    described.sign == StepKind::Meta && described.kind != "span" && open.run().outcome(step).is_none()
}

/// Such a step in one line; those that follow one another have no line between them.
fn record_rows(open: &Open<'_>, step: StepNo, cells: usize) -> Vec<Row> {
    let described = open.describe(step);
    let right = vec![Piece::of(Role::Blame, &format!(" @{step}"))];
    let left = Piece::of(Role::Dim, &format!(" · {}  ", described.label));
    let room = cells.saturating_sub(left.width() + pieces_width(&right));
    let summary = cut(&SafeText::of(&single_line(&described.summary)), room);
    let row = Row::new(vec![left, Piece::safe(Role::Dim, summary)]).right(right);
    let is_followed = open.run().place(step + 1).is_some() && is_record(open, step + 1);
    let blank = (!is_followed).then(|| Row::new(vec![Piece::safe(Role::Text, SafeText::literal(""))]));
    std::iter::once(row).chain(blank).collect()
}

/// The number of the view of a turn; 0 is that of the message's own.
fn series(step: StepNo) -> u32 {
    u32::try_from(step).unwrap_or(0).saturating_add(1) & !SERIES_BIT
}
