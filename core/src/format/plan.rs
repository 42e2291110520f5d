//! The graph of a plan at a step, as screens show it: nodes in waves, what each takes and gives, what is wrong with it.

use super::Answer;
use crate::model::StepNo;
use crate::rules::acts::Places;
pub use crate::rules::graph::{Edges, End, RunOrder};
use std::fmt;

/// What `plan --json` answers: the members before and after `edges`. There can be as many edges as the square of the
/// nodes: they are made node by node while they are printed.
pub struct PlanAnswer {
    /// The members before.
    pub head: Answer,
    /// The edges as JSON texts: those of one node joined by commas.
    pub edges: Box<dyn Iterator<Item = String>>,
    /// The members after.
    pub tail: Answer,
}

impl fmt::Debug for PlanAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlanAnswer").field("head", &self.head).field("tail", &self.tail).finish_non_exhaustive()
    }
}

/// How many edges are counted.
pub const EDGES_COUNTED_MAX: usize = 100_000;

/// A plan, or what contracts, a pipeline or a response make of one, at a step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanView {
    /// What it is in: `plan`, `solution`, `contracts`, `pipeline`, `response`.
    pub source: &'static str,
    /// The step that it is in; of several declarations the last.
    pub step: Option<StepNo>,
    /// How it is to be run, where that is reported.
    pub mode: Option<String>,
    /// Its nodes, numbered from 0.
    pub nodes: Vec<PlanNode>,
    /// Its edges, labelled with what goes along them: the reader's reference, a type.
    pub edges: Edges,
    /// How many edges there are; [`EDGES_COUNTED_MAX`] stands for that many and more.
    pub edge_count: usize,
    /// What its calls write.
    pub writers: Places,
    /// Waves, cycles and what is after them (A40, S26).
    pub order: RunOrder,
    /// Nodes that get the same from several sides (S27).
    pub conflicts: Vec<PlanConflict>,
}

/// A call or an agent of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanNode {
    /// Its tool or agent; None where it names none.
    pub name: Option<String>,
    /// The instance that it is for.
    pub instance: Option<String>,
    /// How far it is, a word of A41 or of a response.
    pub status: Option<String>,
    /// Why it is no further, where what it takes does not show it.
    pub why: Option<String>,
    /// The step that wrote what it gives.
    pub step: Option<StepNo>,
    /// For a call without instance: how far it is in each that the data has (A41).
    pub instances: Vec<PlanInstance>,
    /// What it takes.
    pub reads: Vec<PlanPort>,
    /// What it gives.
    pub writes: Vec<PlanPort>,
    /// What it says can follow it.
    pub chains: Vec<PlanPort>,
}

/// How far a call is in one instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanInstance {
    /// The instance.
    pub name: String,
    /// How far it is there.
    pub status: &'static str,
    /// The step that wrote what it gives there.
    pub step: Option<StepNo>,
}

/// One thing that a node takes or gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanPort {
    /// What it is called: a reference, an input with its type.
    pub text: String,
    /// The reference that leads to its value.
    pub reference: Option<String>,
    /// Whether it is there.
    pub state: PlanPortState,
    /// What more there is to say: what fits, what is wrong.
    pub note: Option<String>,
    /// The step that wrote it.
    pub step: Option<StepNo>,
}

/// Whether what a node takes or gives is there at the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanPortState {
    /// It is there.
    There,
    /// It is not there yet; something may supply it.
    Awaited,
    /// Nothing supplies it, or what is there is of another type.
    Missing,
}

/// A node that gets the same from several sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanConflict {
    /// The node.
    pub node: usize,
    /// Who gives it.
    pub parents: Vec<usize>,
    /// What they give.
    pub what: String,
}

/// One place that reads a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueReader {
    /// The step of the plan, solution or call.
    pub step: StepNo,
    /// The tool of the call, with its instance.
    pub who: String,
    /// The reference as it reads it.
    pub reference: String,
}

/// Whether a reference in a text leads somewhere at a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefState {
    /// It does.
    Found,
    /// Not yet: the plan, a person or a later edition may give it a value.
    Awaited,
    /// It does not, and nothing is known that will supply it.
    Dangling,
}
