//! The instances of one kind side by side: a column each, the global one first; a row for each path that any has.

use super::{Extent, Hit, Open, Piece, Row, Scroll, Window, value};
use crate::json::Key;
use crate::model::{Identity, StepNo};
use crate::state::{EventOp, IdentityId, Leaf, NodeId};
use crate::text::{Role, SafeText, cut, pad, width};
use std::collections::HashMap;
use std::rc::Rc;

/// Most instances that are compared, and most paths.
const INSTANCES_MAX: usize = 500;
const PATHS_MAX: usize = 5_000;
/// Cells of a column: as many as there is room for, within these.
const COLUMN_CELLS_MIN: usize = 14;
const COLUMN_CELLS_MAX: usize = 32;
/// Below this width two columns are side by side at most.
const NARROW: usize = 50;

/// One cell: the value of a path in an instance.
#[derive(Debug)]
struct Cell {
    leaf: Leaf,
    op: Option<EventOp>,
    /// Whether it breaks its schema (A42).
    is_invalid: bool,
}

/// All paths and instances of a kind at one step.
#[derive(Debug)]
pub struct Grid {
    kind: String,
    ids: Vec<(IdentityId, Identity)>,
    paths: Vec<Vec<Key>>,
    names: Vec<SafeText>,
    cells: HashMap<(usize, usize), Cell>,
    /// Of each path, whether two instances have different values.
    differing: Vec<bool>,
    /// How many paths there are, those that are left out with them.
    paths_in_all: usize,
    is_cut: bool,
}

/// Generation, step, steps of the run, steps that schemas judged, whether only differences are shown, the kind.
type CacheKey = (u64, StepNo, usize, StepNo, bool, String);

/// Whether instances are side by side, and where the cursor is among them.
#[derive(Debug, Default)]
pub struct ColumnsPane {
    /// Whether State shows columns.
    pub is_on: bool,
    /// Whether paths of which all instances have the same value are left out.
    pub only_differing: bool,
    /// Scroll and cursor, in paths.
    pub scroll: Scroll,
    /// Instance under the cursor.
    column: usize,
    /// First instance that is shown.
    first: usize,
    cache: std::cell::RefCell<Option<(CacheKey, Rc<Grid>)>>,
}

impl ColumnsPane {
    /// The grid of the kind in focus at the step in focus; without focus of the first kind with instances.
    #[must_use]
    pub fn grid(&self, open: &Open<'_>) -> Option<Rc<Grid>> {
        let kind = match &open.session.focus.path {
            Some((identity, _)) => identity.kind.clone(),
            None => {
                let standing = open.tree().identities(open.step());
                let mut named = standing.iter().map(|view| open.tree().identity(view.id));
                named.find(|identity| identity.instance.is_some())?.kind.clone()
            }
        };
        let key = (
            open.session.content_version(),
            open.step(),
            open.count(),
            open.session.checks.judged(),
            self.only_differing,
            kind,
        );
        if let Some((_, grid)) = self.cache.borrow().as_ref().filter(|(k, _)| *k == key) {
            return Some(Rc::clone(grid));
        }
        let grid = Rc::new(self.build_grid(open, &key.5));
        *self.cache.borrow_mut() = Some((key, Rc::clone(&grid)));
        Some(grid)
    }

    fn build_grid(&self, open: &Open<'_>, kind: &str) -> Grid {
        let grid = Grid::of(open, kind);
        if self.only_differing { grid.differing() } else { grid }
    }

    /// Puts cursor and window where the value in focus is.
    pub fn sync(&mut self, open: &Open<'_>, extent: Extent) {
        let Some(grid) = self.grid(open) else { return };
        if let Some((identity, path)) = &open.session.focus.path {
            if let Some(column) = grid.ids.iter().position(|(_, i)| i == identity) {
                self.column = column;
            }
            if let Some(row) = grid.paths.iter().position(|p| p == path) {
                self.scroll.cursor = row;
            }
        }
        self.column = self.column.min(grid.ids.len().saturating_sub(1));
        let shape = InstancesShape::of(&grid, extent.width);
        self.first = self.first.clamp((self.column + 1).saturating_sub(shape.columns), self.column);
        self.first = self.first.min(grid.ids.len().saturating_sub(shape.columns));
        self.scroll.show_cursor(extent.height.saturating_sub(2), grid.paths.len());
    }

    /// Moves the cursor by paths and instances; returns the path that is now in focus. After the last path of a kind
    /// comes the next kind.
    pub fn move_by(&mut self, open: &Open<'_>, rows: isize, columns: isize) -> Option<(Identity, Vec<Key>)> {
        let grid = self.grid(open)?;
        let is_at_edge = match rows {
            1 => self.scroll.cursor + 1 >= grid.paths.len(),
            -1 => self.scroll.cursor == 0,
            _ => false,
        };
        if let Some(next) = is_at_edge.then(|| self.next_kind(open, &grid, rows)).flatten() {
            return Some(next);
        }
        self.scroll.move_by(rows, grid.paths.len());
        self.column = self.column.saturating_add_signed(columns).min(grid.ids.len().saturating_sub(1));
        self.focus(&grid)
    }

    /// The first value of the next kind, or the last of the one before, in the same instance if it has one.
    fn next_kind(&mut self, open: &Open<'_>, grid: &Grid, rows: isize) -> Option<(Identity, Vec<Key>)> {
        let mut kinds: Vec<String> = Vec::new();
        for view in open.tree().identities(open.step()) {
            let kind = &open.tree().identity(view.id).kind;
            if !kinds.contains(kind) {
                kinds.push(kind.clone());
            }
        }
        let at = kinds.iter().position(|kind| *kind == grid.kind)?;
        let next = self.build_grid(open, kinds.get(at.checked_add_signed(rows)?)?);
        let instance = grid.ids.get(self.column).and_then(|(_, i)| i.instance.as_ref());
        self.column = next.ids.iter().position(|(_, i)| i.instance.as_ref() == instance).unwrap_or(0);
        self.scroll.cursor = if rows > 0 { 0 } else { next.paths.len().saturating_sub(1) };
        self.focus(&next)
    }

    /// Puts the cursor on a path.
    pub fn move_to(&mut self, open: &Open<'_>, row: usize) -> Option<(Identity, Vec<Key>)> {
        self.scroll.cursor = row;
        self.move_by(open, 0, 0)
    }

    fn focus(&self, grid: &Grid) -> Option<(Identity, Vec<Key>)> {
        let (_, identity) = grid.ids.get(self.column)?;
        Some((identity.clone(), grid.paths.get(self.scroll.cursor)?.clone()))
    }

    /// The visible rows; the first two are the heading.
    #[must_use]
    pub fn window(&self, open: &Open<'_>, extent: Extent, is_marked: bool) -> Window {
        let Some(grid) = self.grid(open).filter(|grid| !grid.ids.is_empty()) else {
            let lines =
                ["No instances here.", "No kind has an instance at this step; {columns} goes back to the whole state."];
            return open.session.key_names.notice(&lines, extent.width);
        };
        let shape = InstancesShape::of(&grid, extent.width);
        let mut rows = self.heading(&grid, &shape).to_vec();
        let end = grid.paths.len().min(self.scroll.top + extent.height.saturating_sub(rows.len()));
        for i in self.scroll.top.min(end)..end {
            let row = self.row(open, &grid, &shape, i, is_marked);
            rows.push(row.hit(Hit::Row(i)).cursor(i == self.scroll.cursor && is_marked));
        }
        if grid.paths.is_empty() {
            let is_all = !self.only_differing;
            let hint =
                if is_all { "  no values at this step" } else { "  no values differ; {differing-only} shows all" };
            rows.push(Row::text(Role::Dim, &open.session.key_names.fill(hint)));
        }
        Window { rows, top: self.scroll.top, total: grid.paths.len() }
    }

    fn shown(&self, grid: &Grid, shape: &InstancesShape) -> std::ops::Range<usize> {
        self.first..grid.ids.len().min(self.first + shape.columns)
    }

    fn heading(&self, grid: &Grid, shape: &InstancesShape) -> [Row; 2] {
        let shown = self.shown(grid, shape);
        let mut position = format!("{} of {}", self.column + 1, grid.ids.len());
        if grid.is_cut {
            position += &format!(", the first {INSTANCES_MAX} instances and {PATHS_MAX} paths");
        }
        let mut top = vec![
            Piece::of(Role::Kind, &format!(" ¶{}", grid.kind)),
            Piece::of(Role::Dim, &format!("  instance {position}")),
        ];
        let differing = grid.differing.iter().filter(|differs| **differs).count();
        let role = if differing > 0 { Role::Changed } else { Role::Dim };
        top.push(Piece::of(role, &format!("  ≠ {differing}")));
        if self.only_differing {
            top.push(Piece::of(Role::Dim, &format!(" of {}, the others are left out", grid.paths_in_all)));
        }
        let mut names = vec![Piece::of(Role::Text, &" ".repeat(shape.path + 3))];
        for column in shown.clone() {
            let name = grid.ids[column].1.instance.as_deref().unwrap_or("global");
            let role = if column == self.column { Role::Accent } else { Role::Instance };
            let more = match column {
                c if c == shown.start && c > 0 => "‹ ",
                c if c + 1 == shown.end && shown.end < grid.ids.len() => "› ",
                _ => "",
            };
            names.push(Piece::of(Role::Dim, more));
            let room = shape.cell.saturating_sub(width(more) + 1);
            names.push(Piece::safe(role, pad(&SafeText::of(name), room)));
            names.push(Piece::of(Role::Text, " "));
        }
        [Row::new(top), Row::new(names)]
    }

    fn row(&self, open: &Open<'_>, grid: &Grid, shape: &InstancesShape, row: usize, is_marked: bool) -> Row {
        let differs = grid.differing[row];
        let mut left = vec![
            Piece::of(Role::Changed, if differs { "≠ " } else { "  " }),
            Piece::safe(Role::JsonKey, pad(&grid.names[row], shape.path)),
            Piece::of(Role::Text, " "),
        ];
        let base = grid.base(row);
        for column in self.shown(grid, shape) {
            let room = shape.cell.saturating_sub(2);
            let is_here = is_marked && column == self.column && row == self.scroll.cursor;
            left.push(Piece::of(Role::Accent, if is_here { "▌" } else { " " }));
            let Some(cell) = grid.cells.get(&(row, column)) else {
                left.push(Piece::safe(Role::Dim, pad(&SafeText::literal("—"), room + 1)));
                continue;
            };
            let shown = value::stored(&cell.leaf.value, open.bytes());
            let is_other = differs && base.is_some_and(|base| base.leaf.value != cell.leaf.value);
            let (sign, role) = match cell.op {
                _ if cell.is_invalid => ("✗", Role::Error),
                Some(EventOp::Add) => ("+", Role::Added),
                Some(EventOp::Change) => ("~", Role::Changed),
                _ if is_other => ("", Role::Changed),
                _ => ("", shown.role),
            };
            left.push(Piece::of(role, sign));
            left.push(Piece::safe(role, pad(&cut(&shown.text, room - width(sign)), room - width(sign) + 1)));
        }
        Row::new(left)
    }
}

/// How many columns are side by side, and how wide all are.
struct InstancesShape {
    path: usize,
    cell: usize,
    columns: usize,
}

impl InstancesShape {
    fn of(grid: &Grid, cells: usize) -> Self {
        let widest = grid.names.iter().map(|name| width(name.as_str())).max().unwrap_or(0);
        let path = widest.clamp(6, (cells / 3).max(8));
        let room = cells.saturating_sub(path + 3);
        let most = if cells < NARROW { 2 } else { usize::MAX };
        let columns = (room / COLUMN_CELLS_MIN).clamp(1, most).min(grid.ids.len().max(1));
        Self { path, cell: (room / columns).clamp(4, COLUMN_CELLS_MAX.max(room / 3)), columns }
    }
}

impl Grid {
    fn of(open: &Open<'_>, kind: &str) -> Self {
        let (tree, step) = (open.tree(), open.step());
        let views = tree.identities(step).into_iter().filter(|view| tree.identity(view.id).kind == kind);
        let mut standing: Vec<_> = views.collect();
        standing.sort_by_key(|view| tree.identity(view.id).instance.is_some());
        let mut grid = Self {
            kind: kind.to_owned(),
            ids: Vec::new(),
            paths: Vec::new(),
            names: Vec::new(),
            cells: HashMap::new(),
            differing: Vec::new(),
            paths_in_all: 0,
            is_cut: standing.len() > INSTANCES_MAX,
        };
        let ops: HashMap<NodeId, EventOp> = tree.events(step).into_iter().map(|e| (e.node, e.op)).collect();
        let mut known: HashMap<Vec<Key>, usize> = HashMap::new();
        for (column, view) in standing.iter().take(INSTANCES_MAX).enumerate() {
            grid.ids.push((view.id, tree.identity(view.id).clone()));
            let invalid = open.session.checks.at(view.id, step);
            for leaf in view.root.map(|root| tree.leaves(root, step)).unwrap_or_default() {
                let row = match known.get(&leaf.path) {
                    Some(row) => *row,
                    None if grid.paths.len() >= PATHS_MAX => {
                        grid.is_cut = true;
                        continue;
                    }
                    None => {
                        known.insert(leaf.path.clone(), grid.paths.len());
                        grid.names.push(SafeText::of(&path_name(&leaf.path)));
                        grid.paths.push(leaf.path.clone());
                        grid.paths.len() - 1
                    }
                };
                let op = ops.get(&leaf.node).copied();
                let is_invalid = invalid.binary_search_by(|one| one.violation.path.cmp(&leaf.path)).is_ok();
                grid.cells.insert((row, column), Cell { leaf, op, is_invalid });
            }
        }
        grid.differing = (0..grid.paths.len()).map(|row| grid.differs(row)).collect();
        grid.paths_in_all = grid.paths.len();
        grid
    }

    /// Only the paths of which two instances have different values.
    fn differing(mut self) -> Self {
        let differing: Vec<usize> = (0..self.paths.len()).filter(|row| self.differing[*row]).collect();
        let rows: HashMap<usize, usize> = differing.iter().enumerate().map(|(new, old)| (*old, new)).collect();
        self.paths = differing.iter().map(|row| std::mem::take(&mut self.paths[*row])).collect();
        self.names = differing.iter().map(|row| self.names[*row].clone()).collect();
        let cells = self.cells.into_iter();
        self.cells = cells.filter_map(|((row, column), cell)| Some(((*rows.get(&row)?, column), cell))).collect();
        self.differing = vec![true; differing.len()];
        self
    }

    /// The first instance's value of a path: what the others are compared with.
    fn base(&self, row: usize) -> Option<&Cell> {
        (0..self.ids.len()).find_map(|column| self.cells.get(&(row, column)))
    }

    /// Whether two instances have different values of a path.
    fn differs(&self, row: usize) -> bool {
        let Some(base) = self.base(row) else { return false };
        let cells = (0..self.ids.len()).filter_map(|column| self.cells.get(&(row, column)));
        cells.into_iter().any(|cell| cell.leaf.value != base.leaf.value)
    }

    /// Number of paths.
    #[must_use]
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Whether no instance has a value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }
}

/// A path below its identity, for people: `sentiment.label`, `reasons[0]`; of a value that is not a container
/// `(value)`.
fn path_name(path: &[Key]) -> String {
    let mut out = String::new();
    for key in path {
        match key {
            Key::Index(i) => out += &format!("[{i}]"),
            Key::Name(name) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out += if name.is_empty() { "\"\"" } else { name };
            }
        }
    }
    if path.is_empty() { "(value)".to_owned() } else { out }
}
