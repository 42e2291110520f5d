//! The merged state at the step in focus: a tree per identity, what this step changed, and who wrote each leaf.

mod changed_here;
mod changes;
mod columns;
mod conversation;
pub(super) mod kinds;
mod missing;
mod notice;
mod rows;
mod saved_folds;

use super::properties::{Property, SchemaShape, SchemaShapes};
use super::{Extent, Hit, Open, Scroll, Window, marks};
use crate::json::Key;
use crate::model::{HEAD, Identity, StepNo};
use crate::state::{IdentityId, IdentityView, NodeId, NodeShape};
pub(super) use changed_here::counts;
use changes::Changes;
pub(super) use changes::before;
use columns::value_column;
pub(super) use conversation::is_within;
use notice::empty_notice;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// Containers with more members than this start folded.
const OPEN_CHILDREN_MAX: usize = 24;
/// Containers deeper than this start folded.
const OPEN_DEPTH_MAX: usize = 4;

/// What a row of the state pane stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum StateRowTarget {
    /// A kind that has several instances.
    Group(String),
    /// An identity.
    Identity(IdentityId),
    /// A value.
    Node(NodeId),
    /// A value that this step removed.
    Gone(NodeId),
    /// A property that the schema has and the data lacks: where its value would be.
    Missing(IdentityId, Rc<[Key]>),
    /// Further ones of this object.
    MoreMissing(IdentityId, Rc<[Key]>),
    /// The heading of the conversation that the state fills.
    Conversation,
    /// A field of it, with the identity that fills it.
    Field(usize, Option<IdentityId>),
}

/// One row before it is text.
#[derive(Debug, Clone)]
pub struct StateLine {
    /// What it stands for.
    pub place: StateRowTarget,
    /// Indentation, in levels.
    pub depth: u32,
    /// Whether it is unfolded; None for what cannot be.
    pub is_open: Option<bool>,
    /// Whose schema describes it, and the node of that schema.
    schema: Option<(IdentityId, u32)>,
    /// The property that is missing, or how many more are.
    missing: Option<Box<MissingRow>>,
}

/// What a row of missing properties stands for.
#[derive(Debug, Clone)]
enum MissingRow {
    One(Property),
    More(usize),
}

impl StateLine {
    fn new(place: StateRowTarget, depth: usize, is_open: Option<bool>) -> Self {
        let depth = u32::try_from(depth).unwrap_or(u32::MAX);
        Self { place, depth, is_open, schema: None, missing: None }
    }

    /// The key of a value; not kept, as a state may have a million rows of which a few are shown.
    fn key(&self, open: &Open<'_>) -> Option<Key> {
        match &self.place {
            StateRowTarget::Node(node) | StateRowTarget::Gone(node) => Some(open.tree().key(*node)),
            StateRowTarget::Missing(_, path) => path.last().cloned(),
            StateRowTarget::Group(_) | StateRowTarget::Identity(_) | StateRowTarget::MoreMissing(..) => None,
            StateRowTarget::Conversation | StateRowTarget::Field(..) => None,
        }
    }

    /// The root of an identity's value.
    fn root(&self, open: &Open<'_>, step: StepNo) -> Option<NodeId> {
        match self.place {
            StateRowTarget::Identity(id) => open.tree().view(id, step)?.root,
            _ => None,
        }
    }
}

/// All visible rows of one step, kept until the step, a fold or the run changes.
#[derive(Debug)]
pub struct Outline {
    lines: Vec<StateLine>,
    changes: Changes,
    /// What the block above the tree shows.
    here: changed_here::ChangedHere,
    conversation: conversation::Conversation,
    /// Rows that show what the step changed, in order, each with how many changes it and those above it show.
    changed: Vec<(usize, usize)>,
    /// The schemas by which rows are described.
    shapes: HashMap<IdentityId, Rc<SchemaShape>>,
    /// The instances of kinds that have several.
    groups: HashMap<String, Rc<[IdentityId]>>,
    /// How many rows stand for what each identity lacks.
    missing: HashMap<IdentityId, usize>,
    step: StepNo,
}

impl Outline {
    /// The rows.
    #[must_use]
    pub fn lines(&self) -> &[StateLine] {
        &self.lines
    }

    fn has_missing(&self) -> bool {
        !self.missing.is_empty()
    }
}

type CacheKey = (u64, StepNo, u64, StepNo);

/// Where cursor and window of the state pane are.
#[derive(Debug, Clone)]
pub struct StatePosition {
    scroll: Scroll,
    at: Option<StateRowTarget>,
}

/// Cursor, folds and scroll of the state pane. Folds and cursor are by node, so they stay through steps.
#[derive(Debug, Default)]
pub struct StatePane {
    /// Scroll; its cursor is the row of `at`.
    pub scroll: Scroll,
    /// Whether the gutter shows who and when, not only the step.
    pub is_blaming: bool,
    /// Whether descriptions and missing properties are left out.
    pub hides_descriptions: bool,
    /// Identities chosen to be merged, by kind.
    pub chosen: BTreeSet<String>,
    at: Option<StateRowTarget>,
    folds: HashMap<StateRowTarget, bool>,
    fold_version: u64,
    saved_folds: saved_folds::SavedFolds,
    shapes: std::cell::RefCell<SchemaShapes>,
    digests: kinds::DigestTexts,
    cache: std::cell::RefCell<Option<(CacheKey, Rc<Outline>)>>,
}

impl StatePane {
    /// The rows at the step in focus.
    #[must_use]
    pub fn outline(&self, open: &Open<'_>) -> Rc<Outline> {
        let key = (open.session.content_version(), open.step(), self.fold_version, open.session.checks.judged());
        if let Some((cached, outline)) = &*self.cache.borrow()
            && *cached == key
        {
            return Rc::clone(outline);
        }
        let outline = Rc::new(self.build(open));
        *self.cache.borrow_mut() = Some((key, Rc::clone(&outline)));
        outline
    }

    /// Forgets cursor and folds: another trajectory was opened.
    pub fn reset(&mut self) {
        *self = Self {
            is_blaming: self.is_blaming,
            hides_descriptions: self.hides_descriptions,
            fold_version: self.fold_version + 1,
            ..Self::default()
        };
    }

    fn build(&self, open: &Open<'_>) -> Outline {
        let step = open.step();
        let mut identities = open.tree().identities(step);
        identities.retain(|view| view.shape.is_some() || !kinds::is_derived(open, view.id));
        kinds::arrange(open, &mut identities);
        let changes = Changes::at(open, step, &identities);
        let mut outline = Outline {
            lines: Vec::new(),
            changes,
            here: changed_here::ChangedHere::at(open, step),
            conversation: conversation::Conversation::default(),
            changed: Vec::new(),
            shapes: HashMap::new(),
            missing: HashMap::new(),
            groups: HashMap::new(),
            step,
        };
        let mut by_kind: HashMap<&str, Vec<&IdentityView>> = HashMap::new();
        for view in &identities {
            by_kind.entry(&open.tree().identity(view.id).kind).or_default().push(view);
        }
        for view in &identities {
            let kind = &open.tree().identity(view.id).kind;
            let Some(same) = by_kind.remove(kind.as_str()) else { continue };
            if same.len() == 1 {
                self.identity(open, &mut outline, view, 0);
                continue;
            }
            let place = StateRowTarget::Group(kind.clone());
            let is_open = self.folds.get(&place).copied().unwrap_or_else(|| !kinds::starts_folded(open, &place));
            outline.lines.push(StateLine::new(place, 0, Some(is_open)));
            outline.groups.insert(kind.clone(), same.iter().map(|view| view.id).collect());
            if is_open {
                for view in same {
                    self.identity(open, &mut outline, view, 1);
                }
            }
        }
        conversation::put(open, &mut outline, *self.folds.get(&StateRowTarget::Conversation).unwrap_or(&true));
        outline.count(open);
        outline
    }

    fn identity(&self, open: &Open<'_>, outline: &mut Outline, view: &IdentityView, depth: usize) {
        let place = StateRowTarget::Identity(view.id);
        let is_container = matches!(view.shape, Some(NodeShape::Object | NodeShape::Array));
        let is_open = self.folds.get(&place).copied().unwrap_or_else(|| !kinds::starts_folded(open, &place));
        let schema = self.schema(open, outline, view.id).then_some((view.id, 0));
        let line = StateLine::new(place, depth, is_container.then_some(is_open));
        outline.lines.push(StateLine { schema, ..line });
        match view.root {
            Some(root) if is_container && is_open => self.children(open, outline, root, depth + 1, schema),
            _ if is_container => {}
            Some(_) if view.shape != Some(NodeShape::EmptyObject) => {}
            root => self.missing(open, outline, schema, root, &[], depth + 1),
        }
    }

    fn children(
        &self,
        open: &Open<'_>,
        outline: &mut Outline,
        node: NodeId,
        depth: usize,
        schema: Option<(IdentityId, u32)>,
    ) {
        let mut present = Vec::new();
        let children = open.tree().child_shapes(node, outline.step);
        outline.lines.reserve(children.len());
        for (child, shape) in children {
            let is_container = matches!(shape, NodeShape::Object | NodeShape::Array);
            let place = StateRowTarget::Node(child);
            let is_open = is_container
                && self.folds.get(&place).copied().unwrap_or_else(|| {
                    depth <= OPEN_DEPTH_MAX && open.tree().child_count(child, outline.step) <= OPEN_CHILDREN_MAX
                });
            // Of what no schema describes nothing is missing, and no key is asked for.
            let key = schema.map(|_| open.tree().key(child));
            let below = schema.zip(key.as_ref());
            let below = below.and_then(|((id, at), key)| Some((id, outline.shapes.get(&id)?.child(at, key)?)));
            let line = StateLine::new(place, depth, is_container.then_some(is_open));
            present.extend(key);
            outline.lines.push(StateLine { schema: below, ..line });
            if is_open {
                self.children(open, outline, child, depth + 1, below);
            } else if shape == NodeShape::EmptyObject && below.is_some() {
                self.missing(open, outline, below, Some(child), &[], depth + 1);
            }
        }
        for (gone, _) in outline.changes.gone.get(&Some(node)).cloned().unwrap_or_default() {
            outline.lines.push(StateLine::new(StateRowTarget::Gone(gone), depth, None));
        }
        if schema.is_some() && open.tree().shape(node, outline.step) == Some(NodeShape::Object) {
            self.missing(open, outline, schema, Some(node), &present, depth);
        }
    }

    /// Moves the cursor by rows; returns the path that is now in focus.
    pub fn move_by(&mut self, open: &Open<'_>, delta: isize) -> Option<(Identity, Vec<Key>)> {
        let outline = self.outline(open);
        self.sync(open, &outline);
        self.scroll.move_by(delta, outline.lines.len());
        self.take(open, &outline)
    }

    /// Puts the cursor on a row of the outline.
    pub fn move_to(&mut self, open: &Open<'_>, row: usize) -> Option<(Identity, Vec<Key>)> {
        let outline = self.outline(open);
        self.scroll.cursor = row.min(outline.lines.len().saturating_sub(1));
        self.take(open, &outline)
    }

    fn take(&mut self, open: &Open<'_>, outline: &Outline) -> Option<(Identity, Vec<Key>)> {
        let line = outline.lines.get(self.scroll.cursor)?;
        self.at = Some(line.place.clone());
        focus_of(open, &line.place)
    }

    /// Puts the row index where the cursor's place is in this outline; of a value that is not there, on the nearest row
    /// above it. Another place that is not shown leaves the row.
    pub fn sync(&mut self, open: &Open<'_>, outline: &Outline) {
        let Some(at) = &self.at else { return };
        let same = |place: &StateRowTarget| match (place, at) {
            (StateRowTarget::Node(a) | StateRowTarget::Gone(a), StateRowTarget::Node(b) | StateRowTarget::Gone(b)) => {
                a == b
            }
            (a, b) => a == b,
        };
        let shown = outline.lines.iter().position(|l| same(&l.place));
        let nearest = || match at {
            StateRowTarget::Node(node) | StateRowTarget::Gone(node) => {
                let (id, path) = open.tree().path(*node);
                nearest_row(open, outline, id, &path)
            }
            _ => None,
        };
        if let Some(row) = shown.or_else(nearest) {
            self.scroll.cursor = row;
        }
    }

    /// Unfolds the row under the cursor, or goes to its first child.
    pub fn unfold(&mut self, open: &Open<'_>) -> Option<(Identity, Vec<Key>)> {
        match self.line(open)?.is_open {
            Some(false) => self.set_fold(open, true),
            Some(true) => return self.move_by(open, 1),
            None => {}
        }
        self.move_by(open, 0)
    }

    /// Folds the row under the cursor, or goes to its parent.
    pub fn fold(&mut self, open: &Open<'_>) -> Option<(Identity, Vec<Key>)> {
        let line = self.line(open)?;
        if line.is_open == Some(true) {
            self.set_fold(open, false);
            return self.move_by(open, 0);
        }
        let outline = self.outline(open);
        let up = outline.lines[..self.scroll.cursor].iter().rposition(|l| l.depth < line.depth);
        up.and_then(|row| self.move_to(open, row))
    }

    /// Turns the fold under the cursor over.
    pub fn toggle(&mut self, open: &Open<'_>) -> Option<(Identity, Vec<Key>)> {
        if let Some(is_open) = self.line(open)?.is_open {
            self.set_fold(open, !is_open);
        }
        self.move_by(open, 0)
    }

    /// Folds or unfolds every row that can be, at the levels that are shown; returns the path that is now under the
    /// cursor, which goes up to what is left to be seen of its place.
    pub fn fold_all(&mut self, open: &Open<'_>, is_open: bool) -> Option<(Identity, Vec<Key>)> {
        let outline = self.outline(open);
        for line in outline.lines.iter().filter(|l| l.is_open.is_some()) {
            if is_open || line.depth > 0 {
                self.folds.insert(line.place.clone(), is_open);
            }
        }
        self.fold_version += 1;
        let folded = match &self.at {
            Some(StateRowTarget::Node(node) | StateRowTarget::Gone(node)) => Some(open.tree().path(*node)),
            _ => None,
        };
        let outline = self.outline(open);
        if let Some((id, path)) = folded {
            self.rest_on(open, &outline, id, &path);
        }
        self.sync(open, &outline);
        self.take(open, &outline)
    }

    fn set_fold(&mut self, open: &Open<'_>, is_open: bool) {
        if let Some(line) = self.line(open) {
            self.folds.insert(line.place, is_open);
            self.fold_version += 1;
        }
    }

    fn line(&mut self, open: &Open<'_>) -> Option<StateLine> {
        let outline = self.outline(open);
        self.sync(open, &outline);
        outline.lines.get(self.scroll.cursor).cloned()
    }

    /// Unfolds what hides a path and puts the cursor there (or on the nearest row above it that is shown).
    pub fn reveal(&mut self, open: &Open<'_>, identity: &Identity, path: &[Key]) {
        let Some(id) = open.tree().find(identity) else { return };
        self.folds.insert(StateRowTarget::Group(identity.kind.clone()), true);
        if !path.is_empty() {
            self.folds.insert(StateRowTarget::Identity(id), true);
        }
        for end in 1..path.len() {
            if let Some(node) = open.tree().node(id, &path[..end]) {
                self.folds.insert(StateRowTarget::Node(node), true);
            }
        }
        self.fold_version += 1;
        let outline = self.outline(open);
        self.rest_on(open, &outline, id, path);
    }

    /// Puts the cursor on a path, or on the nearest row above it that is shown.
    fn rest_on(&mut self, open: &Open<'_>, outline: &Outline, id: IdentityId, path: &[Key]) {
        if let Some(row) = nearest_row(open, outline, id, path) {
            self.at = Some(outline.lines[row].place.clone());
            self.scroll.jump_to(row);
        }
    }

    /// Where cursor and window are.
    #[must_use]
    pub fn position(&self) -> StatePosition {
        StatePosition { scroll: self.scroll, at: self.at.clone() }
    }

    /// Puts them back there.
    pub fn return_to(&mut self, position: StatePosition) {
        (self.scroll, self.at) = (position.scroll, position.at);
    }

    /// The visible rows as text; `is_marked` shows the cursor.
    #[must_use]
    pub fn window(&self, open: &Open<'_>, extent: Extent, is_marked: bool) -> Window {
        let outline = self.outline(open);
        let total = outline.lines.len();
        if total == 0 {
            return open.session.key_names.notice(&empty_notice(open), extent.width);
        }
        // Where the pane has no height it is not scrolled to what there is.
        let range = self.scroll.top.min(total)..total.min(self.scroll.top + extent.height);
        let column = value_column(open, &outline.lines[range.clone()], extent.width);
        let names = kinds::name_column(open, &outline.lines[range.clone()], extent.width);
        let marked = marks::values(open);
        let rows = range
            .map(|i| {
                let line = &outline.lines[i];
                let kind_row = self.kind_row(open, &outline, line, (names, extent.width));
                let row = kind_row.unwrap_or_else(|| self.row(open, &outline, line, column, extent.width));
                let mark = match line.place {
                    StateRowTarget::Node(node) => marks::of_node(open, &marked, node),
                    _ => None,
                };
                marks::beside(row, mark).hit(Hit::Row(i)).cursor(i == self.scroll.cursor && is_marked)
            })
            .collect();
        Window { rows, top: self.scroll.top, total }
    }
}

/// A step as the gutter names it.
#[must_use]
pub fn at(step: StepNo) -> String {
    if step == HEAD { "head".to_owned() } else { format!("@{step}") }
}

/// The row of a path, or the nearest one above it that is shown.
fn nearest_row(open: &Open<'_>, outline: &Outline, id: IdentityId, path: &[Key]) -> Option<usize> {
    (0..=path.len()).rev().find_map(|end| {
        let missing = StateRowTarget::Missing(id, path[..end].into());
        let place = match (end, open.tree().node(id, &path[..end])) {
            _ if outline.has_missing() && outline.lines.iter().any(|l| l.place == missing) => missing,
            (0, _) => StateRowTarget::Identity(id),
            (_, Some(node)) => StateRowTarget::Node(node),
            (_, None) => return None,
        };
        let gone = if let StateRowTarget::Node(n) = place { StateRowTarget::Gone(n) } else { place.clone() };
        outline.lines.iter().position(|l| l.place == place || l.place == gone)
    })
}

fn focus_of(open: &Open<'_>, place: &StateRowTarget) -> Option<(Identity, Vec<Key>)> {
    match place {
        StateRowTarget::Group(_) | StateRowTarget::Conversation => None,
        StateRowTarget::Field(_, slot) => slot.map(|id| (open.tree().identity(id).clone(), Vec::new())),
        StateRowTarget::Identity(id) => Some((open.tree().identity(*id).clone(), Vec::new())),
        StateRowTarget::Node(node) | StateRowTarget::Gone(node) => Some(open.path_of(*node)),
        StateRowTarget::Missing(id, path) | StateRowTarget::MoreMissing(id, path) => {
            Some((open.tree().identity(*id).clone(), path.to_vec()))
        }
    }
}
