//! The plan at the step in focus: its nodes wave by wave, how far each is, what it takes and gives, who waits for it.

mod paint;

use super::row::next_hit;
use super::{Extent, Hit, Nth, Open, Scroll, Window};
use crate::format::plan::{PlanPort, PlanView};
use crate::model::StepNo;
use crate::text::{Pattern, Role};
use paint::Painter;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Plans of more nodes than this start with their nodes folded.
const OPEN_NODES_MAX: usize = 30;
/// Most edges that the nodes of a plan list together, shared out evenly; each lists a few in any case.
const EDGES_MAX: usize = 100_000;
const NODE_EDGES_MIN: usize = 10;

/// What a row of the plan stands for; numbers are those of the [`PlanView`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlanLine {
    /// What the plan is.
    Head,
    /// Nothing.
    Gap,
    /// A heading: the nodes of a wave follow.
    Wave(usize),
    /// A heading: a set of nodes that wait for one another.
    Cycle(usize),
    /// A heading: nodes after a cycle.
    Blocked,
    /// A node.
    Node(usize),
    /// A node in one instance.
    Instance(usize, usize),
    /// Why a node is no further.
    Why(usize),
    /// Something that a node takes.
    Read(usize, usize),
    /// Something that a node gives.
    Write(usize, usize),
    /// What a node says can follow it.
    Chain(usize, usize),
    /// One of the edges of a node that gives; whether more follow.
    Edge(usize, usize, bool),
    /// A node has more edges than these.
    MoreEdges(usize),
    /// A conflict, below its node.
    Conflict(usize),
}

/// What Enter does on a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanTarget {
    /// Goes to a step.
    Step(StepNo),
    /// Follows a reference in an instance.
    Reference(String, Option<String>),
    /// Moved the cursor to another node.
    Moved,
}

type CacheKey = (u64, StepNo, usize, u64);

/// Scroll, cursor and folds of the plan.
#[derive(Debug, Default)]
pub struct PlanPane {
    /// Scroll and cursor, in rows.
    pub scroll: Scroll,
    at: Option<PlanLine>,
    folds: HashMap<usize, bool>,
    fold_version: u64,
    cache: RefCell<Option<(CacheKey, Rc<Vec<PlanLine>>)>>,
}

impl PlanPane {
    /// All rows at the step in focus; none without a plan.
    #[must_use]
    pub fn lines(&self, open: &Open<'_>) -> Rc<Vec<PlanLine>> {
        let key = (open.session.content_version(), open.step(), open.count(), self.fold_version);
        if let Some((_, lines)) = self.cache.borrow().as_ref().filter(|(k, _)| *k == key) {
            return Rc::clone(lines);
        }
        let lines = Rc::new(open.plan().map(|plan| build(&plan, |node| self.is_open(&plan, node))).unwrap_or_default());
        *self.cache.borrow_mut() = Some((key, Rc::clone(&lines)));
        lines
    }

    fn is_open(&self, plan: &PlanView, node: usize) -> bool {
        self.folds.get(&node).copied().unwrap_or(plan.nodes.len() <= OPEN_NODES_MAX)
    }

    /// Puts the cursor where its row is now; another step may have more rows above it.
    pub fn sync(&mut self, open: &Open<'_>) {
        let lines = self.lines(open);
        if lines.get(self.scroll.cursor).copied() == self.at {
            return;
        }
        if let Some(row) = lines.iter().position(|line| Some(*line) == self.at) {
            self.scroll.cursor = row;
        } else if self.at.is_none() {
            self.scroll.cursor = lines.iter().position(|line| matches!(line, PlanLine::Node(_))).unwrap_or(0);
            self.take(&lines);
        }
    }

    fn take(&mut self, lines: &[PlanLine]) {
        self.scroll.cursor = self.scroll.cursor.min(lines.len().saturating_sub(1));
        self.at = lines.get(self.scroll.cursor).copied();
    }

    /// Moves the cursor by rows, over empty ones.
    pub fn move_by(&mut self, open: &Open<'_>, delta: isize) {
        let lines = self.lines(open);
        self.sync(open);
        self.scroll.move_by(delta, lines.len());
        if lines.get(self.scroll.cursor) == Some(&PlanLine::Gap) {
            self.scroll.move_by(delta.signum(), lines.len());
        }
        self.take(&lines);
    }

    /// Puts the cursor on a row.
    pub fn move_to(&mut self, open: &Open<'_>, row: usize) {
        self.scroll.cursor = row;
        self.take(&self.lines(open));
    }

    /// Unfolds, folds or turns over the node that the cursor is in.
    pub fn fold(&mut self, open: &Open<'_>, is_open: Option<bool>) {
        let (Some(plan), Some(line)) = (open.plan(), self.line(open)) else { return };
        let Some(node) = node_of(&plan, line) else { return };
        let was_open = self.is_open(&plan, node);
        let wanted = is_open.unwrap_or(!was_open);
        if wanted == was_open && wanted {
            return self.move_by(open, 1);
        }
        self.folds.insert(node, wanted);
        self.fold_version += 1;
        self.show(open, PlanLine::Node(node));
    }

    /// Folds or unfolds all nodes.
    pub fn fold_all(&mut self, open: &Open<'_>, is_open: bool) {
        let Some(plan) = open.plan() else { return };
        let node = self.line(open).and_then(|line| node_of(&plan, line));
        self.folds = (0..plan.nodes.len()).map(|node| (node, is_open)).collect();
        self.fold_version += 1;
        if let Some(node) = node {
            self.show(open, PlanLine::Node(node));
        }
    }

    fn line(&mut self, open: &Open<'_>) -> Option<PlanLine> {
        self.sync(open);
        self.lines(open).get(self.scroll.cursor).copied()
    }

    fn show(&mut self, open: &Open<'_>, line: PlanLine) {
        self.at = Some(line);
        self.scroll.cursor = self.lines(open).iter().position(|l| *l == line).unwrap_or(0);
    }

    /// What Enter leads to: the step of a node, the value of what it takes or gives, the other end of an edge.
    pub fn follow(&mut self, open: &Open<'_>) -> Option<PlanTarget> {
        let (plan, line) = (open.plan()?, self.line(open)?);
        let port = |node: usize, port: &PlanPort| {
            let reference = port.reference.clone()?;
            Some(PlanTarget::Reference(reference, plan.nodes[node].instance.clone()))
        };
        match line {
            PlanLine::Head => plan.step.map(PlanTarget::Step),
            PlanLine::Node(node) | PlanLine::Why(node) => plan.nodes[node].step.or(plan.step).map(PlanTarget::Step),
            PlanLine::Instance(node, i) => plan.nodes[node].instances[i].step.or(plan.step).map(PlanTarget::Step),
            PlanLine::Read(node, i) => port(node, &plan.nodes[node].reads[i]),
            PlanLine::Write(node, i) => port(node, &plan.nodes[node].writes[i]),
            PlanLine::Chain(node, i) => port(node, &plan.nodes[node].chains[i]),
            PlanLine::Edge(node, i, _) => {
                let to = plan.edges.from(node, i + 1).get(i)?.node;
                self.show(open, PlanLine::Node(to));
                Some(PlanTarget::Moved)
            }
            PlanLine::Conflict(i) => {
                let parent = *plan.conflicts[i].parents.first()?;
                self.show(open, PlanLine::Node(parent));
                Some(PlanTarget::Moved)
            }
            PlanLine::Gap | PlanLine::Wave(_) | PlanLine::Cycle(_) | PlanLine::Blocked | PlanLine::MoreEdges(_) => None,
        }
    }

    /// Puts the cursor on the next or previous row that matches, around the end, and unfolds the node that hides it;
    /// which one it is.
    pub fn search(&mut self, open: &Open<'_>, pattern: &Pattern, is_forward: bool) -> Option<Nth> {
        let (plan, line) = (open.plan()?, self.line(open)?);
        let lines = build(&plan, |_| true);
        let painter = Painter::new(&plan, self, usize::MAX);
        let is_hit = |row: &usize| pattern.is_match(&painter.row(lines[*row]).plain());
        let hits: Vec<usize> = (0..lines.len()).filter(is_hit).collect();
        let here = lines.iter().position(|other| *other == line).unwrap_or(0);
        let found = next_hit(&hits, &here, is_forward)?;
        let hit = lines[hits[found.at]];
        if let Some(node) =
            node_of(&plan, hit).filter(|node| !matches!(hit, PlanLine::Node(_)) && !self.is_open(&plan, *node))
        {
            self.folds.insert(node, true);
            self.fold_version += 1;
        }
        self.show(open, hit);
        self.scroll.jump_to(self.scroll.cursor);
        Some(found)
    }

    /// The visible rows.
    #[must_use]
    pub fn window(&self, open: &Open<'_>, extent: Extent, has_focus: bool) -> Window {
        let lines = self.lines(open);
        let Some(plan) = open.plan().filter(|_| !lines.is_empty()) else {
            return open.session.key_names.notice(&empty_notice(open), extent.width);
        };
        let range = self.scroll.top.min(lines.len())..lines.len().min(self.scroll.top + extent.height);
        let painter = Painter::new(&plan, self, extent.width);
        let rows = range.map(|i| {
            let row = painter.row(lines[i]);
            row.hit(Hit::Row(i)).cursor(has_focus && i == self.scroll.cursor)
        });
        Window { rows: rows.collect(), top: self.scroll.top, total: lines.len() }
    }
}

/// The rows when of all nodes those are unfolded.
fn build(plan: &PlanView, is_open: impl Fn(usize) -> bool) -> Vec<PlanLine> {
    let most = edges_max(plan);
    let mut out = vec![PlanLine::Head];
    let mut put = |heading: PlanLine, nodes: &[usize]| {
        out.extend([PlanLine::Gap, heading]);
        for &node in nodes {
            out.push(PlanLine::Node(node));
            if is_open(node) {
                put_details(plan, node, most, &mut out);
            }
        }
    };
    for (i, wave) in plan.order.waves.iter().enumerate() {
        put(PlanLine::Wave(i), wave);
    }
    for (i, cycle) in plan.order.cycles.iter().enumerate() {
        put(PlanLine::Cycle(i), cycle);
    }
    if !plan.order.blocked.is_empty() {
        put(PlanLine::Blocked, &plan.order.blocked);
    }
    out
}

/// How many edges each node of a plan lists.
fn edges_max(plan: &PlanView) -> usize {
    (EDGES_MAX / plan.nodes.len().max(1)).max(NODE_EDGES_MIN)
}

fn put_details(plan: &PlanView, node: usize, edges_max: usize, out: &mut Vec<PlanLine>) {
    let shown = &plan.nodes[node];
    out.extend((0..shown.instances.len()).map(|i| PlanLine::Instance(node, i)));
    out.extend(shown.why.is_some().then_some(PlanLine::Why(node)));
    out.extend((0..shown.reads.len()).map(|i| PlanLine::Read(node, i)));
    out.extend((0..shown.writes.len()).map(|i| PlanLine::Write(node, i)));
    out.extend((0..shown.chains.len()).map(|i| PlanLine::Chain(node, i)));
    let first = plan.conflicts.partition_point(|c| c.node < node);
    let conflicts = plan.conflicts[first..].iter().take_while(|c| c.node == node).count();
    out.extend((first..first + conflicts).map(PlanLine::Conflict));
    let edges = plan.edges.from(node, edges_max.saturating_add(1)).len();
    out.extend((0..edges.min(edges_max)).map(|i| PlanLine::Edge(node, i, i + 1 < edges)));
    out.extend((edges > edges_max).then_some(PlanLine::MoreEdges(node)));
}

/// The node that a row belongs to.
fn node_of(plan: &PlanView, line: PlanLine) -> Option<usize> {
    match line {
        PlanLine::Node(node)
        | PlanLine::Instance(node, _)
        | PlanLine::Why(node)
        | PlanLine::Read(node, _)
        | PlanLine::Write(node, _)
        | PlanLine::Chain(node, _)
        | PlanLine::Edge(node, ..)
        | PlanLine::MoreEdges(node) => Some(node),
        PlanLine::Conflict(i) => plan.conflicts.get(i).map(|c| c.node),
        PlanLine::Head | PlanLine::Gap | PlanLine::Wave(_) | PlanLine::Cycle(_) | PlanLine::Blocked => None,
    }
}

/// Sign and role of a status: that of A41, of a response, or another word.
#[must_use]
pub fn status_sign(status: Option<&str>) -> (&'static str, Role) {
    match status {
        Some("done" | "completed" | "success") => ("✓", Role::Good),
        Some("ready") => ("▶", Role::Accent),
        Some("running" | "in_progress") => ("◌", Role::Accent),
        Some("waiting" | "pending") => ("…", Role::Dim),
        Some("dangling" | "failed" | "error") => ("✗", Role::Error),
        Some("skipped" | "cancelled") => ("−", Role::Dim),
        Some("unknown") => ("?", Role::Warning),
        _ => ("·", Role::Text),
    }
}

fn empty_notice(open: &Open<'_>) -> Vec<&'static str> {
    match open.session.format.plan_title() {
        None => vec!["No plans in this format.", "The other tabs show what it has; {help} lists the keys."],
        Some("Contracts") => vec![
            "No contracts yet.",
            "No contract, pipeline or response was declared up to this step.",
            "Step on with `{step-next}`, or go to the last step with `{step-last}`.",
        ],
        Some(_) => vec![
            "No plan yet.",
            "No plan message and no solution with calls holds at this step.",
            "Step on with `{step-next}`, or go to the next call with `{call-next}`.",
        ],
    }
}
