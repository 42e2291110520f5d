//! The rows of a plan.

use super::{PlanLine, PlanPane, edges_max, status_sign};
use crate::format::plan::{EDGES_COUNTED_MAX, End, PlanNode, PlanPort, PlanPortState, PlanView};
use crate::model::StepNo;
use crate::panes::state::at;
use crate::panes::{Piece, Row, value};
use crate::text::Role;
use std::cell::RefCell;

/// Makes rows of lines.
pub(super) struct Painter<'p> {
    plan: &'p PlanView,
    pane: &'p PlanPane,
    cells: usize,
    edges: RefCell<Option<(usize, Vec<End<'p>>)>>,
}

impl<'p> Painter<'p> {
    /// `cells`: the width of the rows.
    pub(super) fn new(plan: &'p PlanView, pane: &'p PlanPane, cells: usize) -> Self {
        Self { plan, pane, cells, edges: RefCell::default() }
    }

    pub(super) fn row(&self, line: PlanLine) -> Row {
        match line {
            PlanLine::Gap => Row::default(),
            PlanLine::Head => self.head(),
            PlanLine::Wave(i) => Row::text(Role::Title, &format!(" wave {i}")),
            PlanLine::Cycle(i) => {
                let names: Vec<String> = self.plan.order.cycles[i].iter().map(|n| self.name(*n)).collect();
                Row::new(vec![
                    Piece::of(Role::Error, " ✗ cycle"),
                    Piece::of(Role::Dim, &format!("  {} wait for one another", names.join(", "))),
                ])
            }
            PlanLine::Blocked => Row::new(vec![
                Piece::of(Role::Warning, " … blocked"),
                Piece::of(Role::Dim, "  behind a cycle, never to run"),
            ]),
            PlanLine::Node(node) => self.node(node),
            PlanLine::Why(node) => {
                let why = self.plan.nodes[node].why.as_deref().unwrap_or_default();
                Row::new(vec![Piece::of(Role::Dim, "     since "), Piece::of(Role::Text, why)])
            }
            PlanLine::Instance(node, i) => {
                let instance = &self.plan.nodes[node].instances[i];
                let (sign, role) = status_sign(Some(instance.status));
                let left = vec![
                    Piece::of(role, &format!("       {sign} ")),
                    Piece::of(Role::Instance, &instance.name),
                    Piece::of(Role::Dim, &format!("  {}", instance.status)),
                ];
                Row::new(left).right(step_piece(instance.step))
            }
            PlanLine::Read(node, i) => self.port("takes", &self.plan.nodes[node].reads[i]),
            PlanLine::Write(node, i) => self.port("gives", &self.plan.nodes[node].writes[i]),
            PlanLine::Chain(node, i) => self.port("chains with", &self.plan.nodes[node].chains[i]),
            PlanLine::MoreEdges(_) => Row::text(Role::Dim, "     └→ and more; `obelus plan --json` lists all"),
            PlanLine::Edge(node, i, has_more) => {
                let edge = self.edge(node, i);
                let connector = if has_more { "     ├→ " } else { "     └→ " };
                let left = vec![
                    Piece::of(Role::Border, connector),
                    Piece::of(Role::Call, &self.name(edge.node)),
                    Piece::of(Role::Dim, &format!("  {}", edge.label)),
                ];
                Row::new(left)
            }
            PlanLine::Conflict(i) => {
                let conflict = &self.plan.conflicts[i];
                let parents: Vec<String> = conflict.parents.iter().map(|n| format!("{} #{n}", self.name(*n))).collect();
                Row::new(vec![
                    Piece::of(Role::Error, "     ✗ conflict"),
                    Piece::of(Role::Text, &format!("  {} give {}", parents.join(" and "), conflict.what)),
                ])
            }
        }
    }

    fn head(&self) -> Row {
        let plan = self.plan;
        let mut left = vec![Piece::of(Role::Title, &format!(" {}", plan.source))];
        if let Some(step) = plan.step {
            left.push(Piece::of(Role::Blame, &format!(" {}", at(step))));
        }
        for (n, word) in [(plan.order.cycles.len(), "cycle"), (plan.conflicts.len(), "conflict")] {
            if n > 0 {
                left.push(Piece::of(Role::Error, &format!(" · ✗ {}", value::count_of(n, word))));
            }
        }
        let counts = [
            value::count_of(plan.nodes.len(), "node"),
            edge_count(plan.edge_count),
            value::count_of(plan.order.waves.len(), "wave"),
        ];
        left.push(Piece::of(Role::Dim, &format!(" · {}", counts.join(", "))));
        if let Some(mode) = &plan.mode {
            left.push(Piece::of(Role::Dim, &format!(" · mode {mode}")));
        }
        Row::new(left)
    }

    fn node(&self, number: usize) -> Row {
        let node = &self.plan.nodes[number];
        let (sign, role) = status_sign(node.status.as_deref());
        let fold = match (has_details(self.plan, number), self.pane.is_open(self.plan, number)) {
            (false, _) => "  ",
            (true, true) => "▾ ",
            (true, false) => "▸ ",
        };
        let mut left = vec![
            Piece::of(Role::Punct, &format!(" {fold}")),
            Piece::of(role, &format!("{sign} ")),
            Piece::of(Role::Call, node.name.as_deref().unwrap_or("(no name)")),
        ];
        if let Some(instance) = &node.instance {
            left.push(Piece::of(Role::Instance, &format!(" {instance}")));
        }
        left.push(Piece::of(Role::Dim, &format!("  #{number}")));
        if let Some(status) = &node.status {
            left.push(Piece::of(role, &format!("  {status}")));
        }
        if let Some(label) = in_instances(node).filter(|_| self.cells >= 48) {
            left.push(Piece::of(Role::Dim, &label));
        }
        Row::new(left).right(step_piece(node.step))
    }

    fn port(&self, word: &str, port: &PlanPort) -> Row {
        let (sign, role) = match (port.state, word) {
            (PlanPortState::There, _) => ("✓", Role::Good),
            (PlanPortState::Missing, _) => ("✗", Role::Error),
            (PlanPortState::Awaited, "takes") => ("…", Role::Dim),
            (PlanPortState::Awaited, _) => (" ", Role::Dim),
        };
        let shown = if port.state == PlanPortState::Missing { Role::Error } else { Role::Reference };
        let mut left = vec![
            Piece::of(Role::Dim, &format!("     {word} ")),
            Piece::of(role, &format!("{sign} ")),
            Piece::of(shown, &port.text),
        ];
        let note = port.note.as_deref().or((port.state == PlanPortState::Missing).then_some("nothing supplies it"));
        if let Some(note) = note {
            left.push(Piece::of(
                if port.state == PlanPortState::Missing { role } else { Role::Dim },
                &format!("  {note}"),
            ));
        }
        Row::new(left).right(step_piece(port.step))
    }

    /// An edge of a node. The edges are made once for the rows of one node that follow one another.
    fn edge(&self, node: usize, number: usize) -> End<'_> {
        let mut layout = self.edges.borrow_mut();
        if layout.as_ref().is_none_or(|(of, _)| *of != node) {
            *layout = Some((node, self.plan.edges.from(node, edges_max(self.plan))));
        }
        let edge = layout.as_ref().and_then(|(_, edges)| edges.get(number).copied());
        edge.unwrap_or(End { node, label: "" })
    }

    fn name(&self, node: usize) -> String {
        let node = &self.plan.nodes[node];
        let name = node.name.as_deref().unwrap_or("(no name)");
        node.instance.as_ref().map_or_else(|| name.to_owned(), |instance| format!("{name} {instance}"))
    }
}

fn has_details(plan: &PlanView, node: usize) -> bool {
    let shown = &plan.nodes[node];
    let ports = [&shown.reads, &shown.writes, &shown.chains];
    let is_bare = shown.why.is_none() && ports.iter().all(|ports| ports.is_empty()) && shown.instances.is_empty();
    !is_bare || !plan.edges.from(node, 1).is_empty() || plan.conflicts.binary_search_by_key(&node, |c| c.node).is_ok()
}

/// `5 edges`; of very many a lower bound: `≥ 10,000 edges`.
fn edge_count(count: usize) -> String {
    let least = if count >= EDGES_COUNTED_MAX { "≥ " } else { "" };
    format!("{least}{}", value::count_of(count, "edge"))
}

/// `  done in 2 of 3`, for a call that runs in every instance.
fn in_instances(node: &PlanNode) -> Option<String> {
    let done = node.instances.iter().filter(|i| i.status == "done").count();
    (!node.instances.is_empty()).then(|| format!("  done in {done} of {}", node.instances.len()))
}

fn step_piece(step: Option<StepNo>) -> Vec<Piece> {
    step.map(|step| Piece::of(Role::Blame, &format!(" {}", at(step)))).into_iter().collect()
}
