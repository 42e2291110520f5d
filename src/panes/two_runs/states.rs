//! The states of two runs at aligned steps: a row a value, that of each run in a column.

use super::columns::{filled, sign};
use super::{Pairing, TwoRuns};
use crate::format::SharedRun;
use crate::format::{Instances, Run};
use crate::json::Key;
use crate::model::{Bytes, HEAD, StepNo};
use crate::panes::row::pieces_width;
use crate::panes::state::at;
use crate::panes::state::kinds::{digest_text, rank};
use crate::panes::value::{self, count_of, count_text};
use crate::panes::{Extent, Hit, Piece, Row, Scroll, Window};
use crate::state::Leaf;
use crate::state::diff::{At, DiffPart, Difference, Side as Value, leaves_of_both, states};
use crate::text::{Pattern, Role, SafeText, cut, cut_middle};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLockReadGuard};

/// Most rows that are listed.
const ROWS_MAX: usize = 20_000;
/// States with more writes before them are compared by a job.
pub const AT_ONCE_MAX: usize = 2_000;
/// Characters that precede a difference, of what both values share.
const CONTEXT: usize = 8;
/// From this width on values have the steps that wrote them beside them.
const STEPS_CELLS_MIN: usize = 90;
/// Most cells of a name.
const NAME_CELLS_MAX: usize = 40;

/// What is compared: the last steps of both runs, and whether all values are listed.
pub type StatePairQuery = ([StepNo; 2], bool);

/// What differs between two states, or all that they hold.
#[derive(Debug, Default)]
pub struct StatePair {
    parts: Vec<DiffPart>,
    /// Values that differ.
    pub differing: usize,
    /// Whether there is more than is listed.
    is_cut: bool,
    /// Values that were shown, by row and side.
    shown: RefCell<HashMap<(usize, usize), Vec<Piece>>>,
}

/// Both runs, read-locked; one run that is both sides is locked once.
struct Locked<'r> {
    left: RwLockReadGuard<'r, Box<dyn Run>>,
    right: Option<RwLockReadGuard<'r, Box<dyn Run>>>,
}

impl<'r> Locked<'r> {
    fn of(runs: [&'r SharedRun; 2]) -> Self {
        let lock = |run: &'r SharedRun| run.read().unwrap_or_else(PoisonError::into_inner);
        let right = (!Arc::ptr_eq(runs[0], runs[1])).then(|| lock(runs[1]));
        Self { left: lock(runs[0]), right }
    }

    fn run(&self, side: usize) -> &dyn Run {
        match (&self.right, side) {
            (Some(right), 1) => right.as_ref(),
            _ => self.left.as_ref(),
        }
    }
}

/// About how many writes a comparison has to look at.
#[must_use]
pub fn cost(runs: [&SharedRun; 2], (steps, _): StatePairQuery) -> usize {
    let runs = Locked::of(runs);
    (0..2).map(|side| runs.run(side).tree().writes_between(HEAD - 1, steps[side])).sum()
}

/// Compares the states of two runs.
#[must_use]
pub fn compare(runs: [&SharedRun; 2], (steps, is_whole): StatePairQuery) -> StatePair {
    let runs = Locked::of(runs);
    let state = |side: usize| At { tree: runs.run(side).tree(), step: steps[side] };
    let (old, new) = (state(0), state(1));
    let mut parts = if is_whole { leaves_of_both(old, new) } else { states(old, new) };
    if !is_whole {
        let is_one = |part: &DiffPart| matches!(part, DiffPart::Differs(_));
        if parts.iter().any(is_one) {
            parts.retain(is_one);
        }
    }
    parts.sort_by_cached_key(|part| match part {
        DiffPart::Differs(value) => value.side().map_or(u8::MAX, |(side, is_right)| {
            let run = runs.run(usize::from(is_right));
            rank(run, &run.tree().identity(side.id).kind)
        }),
        DiffPart::Same(_) => u8::MAX,
    });
    let differing = parts.iter().filter(|part| matches!(part, DiffPart::Differs(value) if differs(value))).count();
    let is_cut = parts.len() > ROWS_MAX;
    parts.truncate(ROWS_MAX);
    StatePair { parts, differing, is_cut, shown: RefCell::default() }
}

fn differs(value: &Difference) -> bool {
    match (&value.old, &value.new) {
        (Some(old), Some(new)) => old.value != new.value,
        _ => true,
    }
}

impl StatePair {
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.len() + usize::from(self.is_cut)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The row of the next or previous value that differs.
    #[must_use]
    pub fn difference(&self, row: usize, is_forward: bool) -> Option<usize> {
        let is_one = |row: &usize| matches!(&self.parts[*row], DiffPart::Differs(value) if differs(value));
        if is_forward {
            (row + 1..self.parts.len()).find(is_one)
        } else {
            (0..row.min(self.parts.len())).rev().find(is_one)
        }
    }

    /// The visible rows.
    #[must_use]
    pub fn window(&self, runs: &TwoRuns, scroll: &Scroll, extent: Extent, has_focus: bool) -> Window {
        let total = self.len();
        let locked = Locked::of([&runs.sides[0].data.run, &runs.sides[1].data.run]);
        let painter = Painter { pair: self, runs, locked, columns: Columns::of(extent.width) };
        if !self.parts.iter().any(|part| matches!(part, DiffPart::Differs(_))) {
            let text = match self.parts.first() {
                Some(DiffPart::Same(_)) => "The states do not differ here.",
                _ => "Neither run has a state here.",
            };
            return Window::notice(&[text], extent.width);
        }
        let rows = (scroll.top.min(total)..total.min(scroll.top + extent.height)).map(|i| {
            let is_cursor = i == scroll.cursor && has_focus;
            let row = match self.parts.get(i) {
                Some(part) => painter.row((i, part), is_cursor),
                None => Row::text(Role::Dim, &format!("  … only the first {} values are listed", count_text(ROWS_MAX))),
            };
            row.hit(Hit::Row(i)).cursor(is_cursor)
        });
        Window { rows: rows.collect(), top: scroll.top, total }
    }

    /// The rows whose names match.
    #[must_use]
    pub fn hits(&self, runs: &TwoRuns, pattern: &Pattern) -> Vec<usize> {
        let locked = Locked::of([&runs.sides[0].data.run, &runs.sides[1].data.run]);
        let painter = Painter { pair: self, runs, locked, columns: Columns::of(80) };
        let is_hit =
            |part: &DiffPart| matches!(part, DiffPart::Differs(value) if pattern.is_match(&painter.name(value)));
        (0..self.parts.len()).filter(|row| is_hit(&self.parts[*row])).collect()
    }

    /// What a row says, to copy.
    #[must_use]
    pub fn row_text(&self, runs: &TwoRuns, row: usize) -> Option<String> {
        let DiffPart::Differs(value) = self.parts.get(row)? else { return None };
        let locked = Locked::of([&runs.sides[0].data.run, &runs.sides[1].data.run]);
        let painter = Painter { pair: self, runs, locked, columns: Columns::of(80) };
        let text = |side: usize, value: &Option<Value>| {
            let text = value.as_ref().and_then(|value| value.value.text(painter.bytes(side)).ok());
            text.map_or_else(|| "—".to_owned(), std::borrow::Cow::into_owned)
        };
        Some(format!("{}\t{}\t{}", painter.name(value), text(0, &value.old), text(1, &value.new)))
    }
}

/// Cells of a row.
#[derive(Clone, Copy)]
struct Columns {
    name: usize,
    values: [usize; 2],
    has_steps: bool,
}

impl Columns {
    fn of(cells: usize) -> Self {
        // Two for the cursor and a blank, three between the values, one between name and value.
        let room = cells.saturating_sub(6);
        let name = (room * 3 / 10).clamp(6, NAME_CELLS_MAX);
        let left = room.saturating_sub(name) / 2;
        let right = room.saturating_sub(name + left);
        Self { name, values: [left, right], has_steps: cells >= STEPS_CELLS_MIN }
    }
}

struct Painter<'p> {
    pair: &'p StatePair,
    runs: &'p TwoRuns,
    locked: Locked<'p>,
    columns: Columns,
}

impl Painter<'_> {
    fn bytes(&self, side: usize) -> &dyn Bytes {
        self.runs.sides[side].data.bytes.as_ref()
    }

    fn name(&self, value: &Difference) -> String {
        let Some((side, is_right)) = value.side() else { return String::new() };
        let run = self.locked.run(usize::from(is_right));
        let identity = run.tree().identity(side.id);
        match (&identity.instance, run.instances()) {
            // Which of them it is, is said by the words; `main` is where there is one.
            (Some(instance), Instances::InPath) => {
                let instance = Some(instance.as_str()).filter(|instance| *instance != "main");
                let path = value.path.iter().map(Key::to_string).collect::<Vec<_>>().join(".");
                let words = [Some(identity.kind.as_str()), instance, Some(path.as_str())];
                let words = words.into_iter().flatten().filter(|word| !word.is_empty());
                words.collect::<Vec<_>>().join(" ")
            }
            _ => run.qualified_reference(identity, &value.path),
        }
    }

    fn row(&self, (number, part): (usize, &DiffPart), is_cursor: bool) -> Row {
        let edge = Piece::of(Role::Accent, if is_cursor { "▌ " } else { "  " });
        let value = match part {
            DiffPart::Same(count) => {
                return Row::new(vec![edge, Piece::of(Role::Dim, &format!("… {} alike", count_of(*count, "value")))]);
            }
            DiffPart::Differs(value) => value,
        };
        let pairing = match (&value.old, &value.new) {
            (Some(_), Some(_)) if differs(value) => Pairing::Changed,
            (Some(_), Some(_)) => Pairing::Same,
            (_, None) => Pairing::Left,
            (None, _) => Pairing::Right,
        };
        let name = cut_middle(&SafeText::of(&self.name(value)), self.columns.name);
        let role = if pairing.differs() { Role::JsonKey } else { Role::Dim };
        let mut left = vec![edge];
        left.extend(filled(&[Piece::safe(role, name)], self.columns.name));
        left.push(Piece::of(Role::Text, " "));
        let [a, b] = self.values((number, value), pairing);
        left.extend(filled(&a, self.columns.values[0]));
        left.extend([Piece::of(Role::Text, " "), sign(pairing), Piece::of(Role::Text, " ")]);
        left.extend(filled(&b, self.columns.values[1]));
        Row::new(left).fixed(usize::MAX)
    }

    /// A value as it is shown whole, of a digest the text; kept, as a text may be long to find.
    fn shown(&self, at: (usize, usize), value: &Value) -> Vec<Piece> {
        if let Some(shown) = self.pair.shown.borrow().get(&at) {
            return shown.clone();
        }
        let (run, bytes) = (self.locked.run(at.1), self.bytes(at.1));
        let leaf = Leaf {
            node: value.node,
            path: Vec::new(),
            value: value.value.clone(),
            step: value.step,
            changed: value.step,
        };
        let text = (value.value.first_byte() == b'{').then(|| digest_text(run, bytes, &leaf)).flatten();
        let pieces = text.map_or_else(|| vec![value::stored(&value.value, bytes)], |text| text.pieces());
        self.pair.shown.borrow_mut().insert(at, pieces.clone());
        pieces
    }

    /// Both values in their cells; of long ones that begin alike, from where they differ.
    fn values(&self, (row, value): (usize, &Difference), pairing: Pairing) -> [Vec<Piece>; 2] {
        let shown = [(0, &value.old), (1, &value.new)]
            .map(|(side, value)| value.as_ref().map(|value| self.shown((row, side), value)));
        let texts = shown.each_ref().map(|shown| shown.as_ref().map_or("", |shown| shown[0].text.as_str()));
        let shared = if pairing == Pairing::Changed { shared_chars(texts) } else { 0 };
        let cell = |side: usize, value: &Option<Value>| {
            let (Some(value), Some(shown)) = (value, &shown[side]) else { return vec![Piece::of(Role::Dim, "—")] };
            let room = self.columns.values[side];
            let step = if self.columns.has_steps { format!(" {}", at(value.step)) } else { String::new() };
            let step = Piece::of(Role::Blame, &step);
            let room = room.saturating_sub(step.width());
            let rest: Vec<Piece> = shown[1..].to_vec();
            let text = if shared + CONTEXT > room {
                SafeText::of(&from_difference(shown[0].text.as_str(), shared))
            } else {
                shown[0].text.clone()
            };
            let role = match (pairing, side) {
                (Pairing::Changed, _) => Role::Changed,
                (Pairing::Left, _) => Role::Removed,
                (Pairing::Right, _) => Role::Added,
                _ => Role::Dim,
            };
            // How long a text is, is said whole beside as much of it as fits.
            let text = cut(&text, room.saturating_sub(pieces_width(&rest)));
            let all: Vec<Piece> = std::iter::once(Piece::safe(role, text)).chain(rest).collect();
            let mut out = filled(&all, room);
            out.push(step);
            out
        };
        [cell(0, &value.old), cell(1, &value.new)]
    }
}

/// Characters that two texts begin with alike.
fn shared_chars([a, b]: [&str; 2]) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

/// A text from shortly before the character that is the first to differ.
fn from_difference(text: &str, shared: usize) -> String {
    let rest: String = text.chars().skip(shared.saturating_sub(CONTEXT)).collect();
    format!("…{rest}")
}
