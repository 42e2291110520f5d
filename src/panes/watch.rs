//! Watched values: a strip with the value of each at the step in focus, and the steps at which its condition is met.

use super::{Extent, Hit, Open, Piece, Row, Scroll, Window, state::at, value};
use crate::format::TypedPath;
use crate::json::Key;
use crate::model::{HEAD, Identity, StepNo};
use crate::state::condition::{Condition, Expected};
use crate::state::{IdentityId, NodeId};
use crate::text::{Role, SafeText, cut, pad, width};
use std::cell::RefCell;

/// Most earlier values that a row lists.
const EARLIER_MAX: usize = 8;
/// Widest value, and widest of the earlier ones, in cells.
const VALUE_CELLS: usize = 24;
const EARLIER_CELLS: usize = 14;
/// From this width on a row shows who wrote the value and what it was before.
const WIDE: usize = 70;

/// Whose value, and where.
pub type WatchTarget = (Identity, Vec<Key>);

/// A watched value.
#[derive(Debug)]
pub struct Watch {
    /// The value.
    pub target: WatchTarget,
    /// What it must become for a run to stop; None: it is only shown.
    pub condition: Option<Condition>,
    /// A followed run is not stopped by what happened up to this step.
    pub after: StepNo,
    hits: RefCell<Hits>,
    met: RefCell<Option<(MetKey, bool)>>,
}

/// Generation, step and size of the run, and the steps that were checked against schemas.
type MetKey = (u64, StepNo, usize, StepNo);

/// The hits found so far.
#[derive(Debug, Default)]
struct Hits {
    generation: u64,
    /// Number of steps that were examined, from [`HEAD`] on.
    looked: i64,
    /// Whether the condition held at the last of them.
    is_true: bool,
    steps: Vec<StepNo>,
}

impl Watch {
    fn new(target: WatchTarget, condition: Option<Condition>, after: StepNo) -> Self {
        Self { target, condition, after, hits: RefCell::default(), met: RefCell::default() }
    }

    /// Sets another condition, which stops a followed run only at steps after `after`.
    pub fn set_condition(&mut self, condition: Option<Condition>, after: StepNo) {
        (self.condition, self.after) = (condition, after);
        (self.hits, self.met) = (RefCell::default(), RefCell::default());
    }

    /// The next or previous step from one on at which it is hit: at which its condition comes true, or without one, at
    /// which it is written.
    #[must_use]
    pub fn hit(&self, open: &Open<'_>, from: StepNo, is_forward: bool) -> Option<StepNo> {
        self.update_hits(open);
        let steps = &self.hits.borrow().steps;
        if is_forward {
            steps.get(steps.partition_point(|s| *s <= from)).copied()
        } else {
            steps.get(steps.partition_point(|s| *s < from).checked_sub(1)?).copied().filter(|s| *s > HEAD)
        }
    }

    /// Finds the hits among new steps; no step is examined twice.
    fn update_hits(&self, open: &Open<'_>) {
        let hits = &mut *self.hits.borrow_mut();
        if hits.generation != open.session.generation {
            *hits = Hits { generation: open.session.generation, ..Hits::default() };
        }
        let Some((id, node)) = node_of(open, &self.target) else { return };
        if self.condition == Some(Condition::Invalid) {
            return self.update_schema_hits(open, id, hits);
        }
        let end = i64::from(open.last()) + 2;
        if hits.looked >= end {
            return;
        }
        let behind = StepNo::try_from(hits.looked).unwrap_or(StepNo::MAX) - 2;
        let (tree, span) = (open.tree(), (behind, open.last()));
        match &self.condition {
            None => hits.steps.extend(tree.written(node, span)),
            Some(Condition::Changes) => hits.steps.extend(tree.changes(node, span)),
            Some(condition) => {
                tree.each_text(node, span, condition.takes_containers(), open.bytes(), |step, text| {
                    let is_true = condition.holds(text);
                    if is_true && !hits.is_true {
                        hits.steps.push(step);
                    }
                    hits.is_true = is_true;
                });
            }
        }
        hits.looked = end;
    }

    /// Schemas are checked by a job of its own, so hits are known up to the last step that it checked.
    fn update_schema_hits(&self, open: &Open<'_>, id: IdentityId, hits: &mut Hits) {
        let judged = i64::from(open.session.checks.judged()) + 1;
        if hits.looked == judged {
            return;
        }
        hits.steps.clear();
        let mut until: Option<StepNo> = Some(HEAD);
        for one in open.session.checks.below(id, &self.target.1) {
            // Violations that overlap or follow at once are one stretch in which the value is invalid.
            if until.is_some_and(|until| one.from > until) || hits.steps.is_empty() {
                hits.steps.push(one.from);
                until = one.until;
            } else {
                until = until.zip(one.until).map(|(a, b)| a.max(b));
            }
        }
        hits.looked = judged;
    }

    /// Whether its condition is met at the step in focus. Cached, since each frame builds the row.
    fn is_met(&self, open: &Open<'_>, id: IdentityId, node: NodeId) -> bool {
        let session = open.session;
        let key = (session.content_version(), open.step(), open.count(), session.checks.judged());
        let mut met = self.met.borrow_mut();
        if met.is_none_or(|(of, _)| of != key) {
            *met = Some((key, self.is_true(open, id, node)));
        }
        met.is_some_and(|(_, is_met)| is_met)
    }

    fn is_true(&self, open: &Open<'_>, id: IdentityId, node: NodeId) -> bool {
        let step = open.step();
        match &self.condition {
            None => false,
            Some(Condition::Changes) => open.tree().changes(node, (step - 1, step)) == [step],
            Some(Condition::Invalid) => {
                open.session.checks.at(id, step).iter().any(|i| i.violation.path.starts_with(&self.target.1))
            }
            Some(condition) => condition.holds(open.tree().text(node, step, open.bytes()).as_deref()),
        }
    }

    /// The value and its condition, as they are written: `†state.budget ② < 0`.
    #[must_use]
    pub fn label(&self, open: &Open<'_>) -> String {
        let (identity, path) = &self.target;
        let condition = self.condition.as_ref().map_or(String::new(), |c| format!(" {c}"));
        format!("{}{condition}", open.run().qualified_reference(identity, path))
    }

    /// The step that last wrote the value, at the step in focus.
    #[must_use]
    pub fn last_write(&self, open: &Open<'_>) -> Option<StepNo> {
        let (_, node) = node_of(open, &self.target)?;
        open.tree().newest(node, open.step()).map(|(written, _)| written)
    }
}

fn node_of(open: &Open<'_>, (identity, path): &WatchTarget) -> Option<(IdentityId, NodeId)> {
    let id = open.tree().find(identity)?;
    Some((id, open.tree().node(id, path)?))
}

/// A watch by name, and the values of the run that it matches so far.
#[derive(Debug)]
struct Asked {
    expected: Expected,
    taken: Vec<WatchTarget>,
}

/// All watches, and the cursor of their strip.
#[derive(Debug, Default)]
pub struct WatchPane {
    /// The watches, in the order in which they were set.
    pub list: Vec<Watch>,
    /// Scroll and cursor of the strip.
    pub scroll: Scroll,
    asked: Vec<Asked>,
    /// Generation and size of the run in which names were looked up.
    looked_up: (u64, usize),
}

impl WatchPane {
    /// Watches a value by name, as soon as the run has it: without an instance, in each instance.
    pub fn ask(&mut self, expected: Expected) {
        self.asked.push(Asked { expected, taken: Vec::new() });
        self.looked_up = (0, 0);
    }

    /// Rows of the strip: the watches, then the names that nothing was written to yet.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.list.len() + self.waiting().count()
    }

    fn waiting(&self) -> impl Iterator<Item = &Asked> {
        self.asked.iter().filter(|asked| asked.taken.is_empty())
    }

    /// Looks names up in new steps. Returns the fault of a name that cannot be one.
    pub fn sync(&mut self, open: &Open<'_>) -> Option<String> {
        let now = (open.session.generation, open.count());
        if self.looked_up == now || self.asked.is_empty() {
            return None;
        }
        self.looked_up = now;
        let (mut fault, list) = (None, &mut self.list);
        let read = |asked: &Expected| TypedPath::read(open.run(), &asked.path, asked.instance.as_deref(), open.last());
        self.asked.retain_mut(|asked| match read(&asked.expected) {
            Ok(typed) => {
                for (id, path) in typed.places(open.tree()) {
                    let target = (open.tree().identity(id).clone(), path);
                    if open.tree().node(id, &target.1).is_some() && !asked.taken.contains(&target) {
                        asked.taken.push(target.clone());
                        list.push(Watch::new(target, asked.expected.condition.clone(), HEAD - 1));
                    }
                }
                true
            }
            Err(problem) => {
                fault = Some(format!("no watch: {problem}"));
                false
            }
        });
        fault
    }

    /// The watch under the cursor.
    #[must_use]
    pub fn chosen(&self) -> Option<&Watch> {
        self.list.get(self.scroll.cursor)
    }

    /// The same, to change it.
    pub fn chosen_mut(&mut self) -> Option<&mut Watch> {
        self.list.get_mut(self.scroll.cursor)
    }

    /// Watches a value, or no longer; whether it is watched now. It stops a run from after that step on.
    pub fn toggle(&mut self, target: WatchTarget, after: StepNo) -> bool {
        if let Some(at) = self.list.iter().position(|watch| watch.target == target) {
            self.list.remove(at);
            self.scroll.move_by(0, self.rows());
            return false;
        }
        self.list.push(Watch::new(target, None, after));
        self.scroll.cursor = self.list.len() - 1;
        true
    }

    /// Takes the row under the cursor away.
    pub fn remove(&mut self) {
        let at = self.scroll.cursor;
        match at.checked_sub(self.list.len()) {
            None => drop(self.list.remove(at)),
            Some(nth) => {
                let found = (0..self.asked.len()).filter(|i| self.asked[*i].taken.is_empty()).nth(nth);
                found.map(|i| self.asked.remove(i));
            }
        }
        self.scroll.move_by(0, self.rows());
    }

    /// The first hit after a step of a watch that has a condition, and its row.
    #[must_use]
    pub fn first_stop(&self, open: &Open<'_>, after: StepNo) -> Option<(StepNo, usize)> {
        let armed = self.list.iter().enumerate().filter(|(_, watch)| watch.condition.is_some());
        let hits = armed.filter_map(|(i, watch)| Some((watch.hit(open, after.max(watch.after), true)?, i)));
        hits.min_by_key(|(step, _)| *step)
    }

    /// The visible rows.
    #[must_use]
    pub fn window(&self, open: &Open<'_>, extent: Extent) -> Window {
        let total = self.rows();
        let range = self.scroll.top.min(total)..total.min(self.scroll.top + extent.height);
        let shown = self.list.iter().skip(range.start).take(range.len());
        let cells = shown.map(|watch| width(&watch.label(open))).max().unwrap_or(0).min(extent.width * 2 / 5);
        let waiting: Vec<&Asked> = self.waiting().collect();
        let rows = range.clone().map(|i| {
            let row = match self.list.get(i) {
                Some(watch) => row(open, watch, cells, extent.width),
                None => waiting_row(waiting[i - self.list.len()]),
            };
            row.hit(Hit::Row(i)).cursor(i == self.scroll.cursor)
        });
        let mut rows: Vec<Row> = rows.collect();
        mark_hidden(&mut rows, (range.start, total - range.end), extent.width);
        Window { rows, top: self.scroll.top, total }
    }
}

/// Says at the edges of the strip how many rows there are beyond them.
fn mark_hidden(rows: &mut [Row], (above, below): (usize, usize), cells: usize) {
    let edge_label = |sign: &str, count: usize| {
        let text = if cells < WIDE { format!("{sign}{count}") } else { format!("{sign} {count} more ") };
        (count > 0).then(|| Piece::of(Role::Accent, &text))
    };
    if let Some(first) = rows.first_mut() {
        first.right.extend(edge_label("↑", above));
    }
    if let Some(last) = rows.last_mut() {
        last.right.extend(edge_label("↓", below));
    }
}

fn waiting_row(asked: &Asked) -> Row {
    let Expected { path, instance, condition } = &asked.expected;
    let condition = condition.as_ref().map_or(String::new(), |c| format!(" {c}"));
    let instance = instance.as_ref().map_or(String::new(), |i| format!(" {i}"));
    Row::new(vec![
        Piece::of(Role::Dim, " … "),
        Piece::of(Role::Reference, &format!("{path}{instance}")),
        Piece::of(Role::Dim, &format!("{condition}  never written so far")),
    ])
}

fn row(open: &Open<'_>, watch: &Watch, name_cells: usize, cells: usize) -> Row {
    let (identity, path) = &watch.target;
    let found = node_of(open, &watch.target);
    let is_met = found.is_some_and(|(id, node)| watch.is_met(open, id, node));
    let sign = match (&watch.condition, is_met) {
        (_, true) => Piece::of(Role::Warning, " ● "),
        (Some(_), false) => Piece::of(Role::Dim, " ○ "),
        (None, false) => Piece::of(Role::Dim, " · "),
    };
    let (place, instance) = open.place_and_instance(identity, path);
    let mut name = vec![Piece::of(Role::Reference, &place)];
    name.extend(instance.map(|instance| Piece::of(Role::Instance, &format!(" {instance}"))));
    let role = if is_met { Role::Warning } else { Role::Dim };
    name.extend(watch.condition.as_ref().map(|c| Piece::of(role, &format!(" {c}"))));
    let mut left = vec![sign];
    left.extend(fit(name, name_cells));
    left.push(Piece::of(Role::Text, "  "));
    let Some((id, node)) = found else {
        left.push(Piece::of(Role::Dim, "not in this trajectory"));
        return Row::new(left);
    };
    let (tree, step) = (open.tree(), open.step());
    let Some((written, _)) = tree.newest(node, step) else {
        left.push(Piece::of(Role::Dim, "not there at this step"));
        return Row::new(left);
    };
    let role = if written == step { Role::BlameNew } else { Role::Blame };
    let mut right = vec![Piece::of(role, &format!("  {}", at(written)))];
    if let Some(who) = open.run().attribution(id, written, open.bytes()).who.filter(|_| cells >= WIDE) {
        right.push(Piece::of(Role::Text, &format!(" {}", cut(&SafeText::of(&who), 20).as_str())));
    }
    right.push(Piece::of(Role::Text, " "));
    let Some(leaf) = tree.leaf(node, step) else {
        let n = tree.child_count(node, step);
        left.push(Piece::of(Role::Dim, &value::count_of(n, "value")));
        return Row::new(left).right(right);
    };
    let shown = value::stored(&leaf.value, open.bytes());
    if cells < WIDE {
        left.push(shown);
        return Row::new(left).right(right);
    }
    left.push(Piece::safe(shown.role, pad(&shown.text, VALUE_CELLS.min(cells / 5))));
    let room = cells.saturating_sub(super::row::pieces_width(&left) + super::row::pieces_width(&right));
    left.extend(earlier(open, node, leaf.changed, room));
    Row::new(left).right(right)
}

/// Pieces cut or filled to a width.
fn fit(pieces: Vec<Piece>, cells: usize) -> Vec<Piece> {
    let mut room = cells;
    let mut out = Vec::new();
    for piece in pieces {
        let text = cut(&piece.text, room);
        room -= width(text.as_str());
        out.push(Piece::safe(piece.role, text));
        if room == 0 {
            return out;
        }
    }
    out.push(Piece::of(Role::Text, &" ".repeat(room)));
    out
}

/// What the value was before, the oldest first, as many as there is room for.
fn earlier(open: &Open<'_>, node: NodeId, changed: StepNo, room: usize) -> Vec<Piece> {
    let (mut texts, mut used, mut from) = (Vec::new(), 4, changed);
    let mut is_cut = false;
    while let Some(old) = open.tree().before(node, from) {
        let text = cut(&value::stored(&old.value, open.bytes()).text, EARLIER_CELLS);
        used += width(text.as_str()) + 3;
        is_cut = used > room || texts.len() == EARLIER_MAX;
        if is_cut {
            break;
        }
        texts.push(text);
        from = old.changed;
    }
    if texts.is_empty() {
        return Vec::new();
    }
    let mut out = vec![Piece::of(Role::Dim, if is_cut { "  … " } else { "  " })];
    for text in texts.into_iter().rev() {
        out.push(Piece::safe(Role::Old, text));
        out.push(Piece::of(Role::Dim, " › "));
    }
    out.push(Piece::of(Role::Dim, "now"));
    out
}
