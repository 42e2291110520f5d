//! Values checked against their schemas, step by step, beside the run (A42); what came of it at every step.
//!
//! A [`SchemaChecker`] works in two halves so that nobody waits for it: while it looks, it reads the tree; while it
//! judges, it needs only itself. [`Violations`] are what it found: for every violation from which step to which it
//! held.
//!
//! A validator wants a value of its own kind, several times as large as the tree's. So a schema check goes through many
//! steps at once, a lap, one identity after the other, and holds the value of one. Laps double, so that first answers
//! come early. In short ones, as a growing input makes them, values are kept: what a step touched, the next may touch
//! again.

use super::checked_identity::CheckedIdentity;
use super::schema::{Schema, SchemaFault, Schemas, Violation, plain_text};
use super::{IdentityId, NodeId, Tree};
use crate::json::Key;
use crate::model::{Bytes, StepNo};
use std::collections::HashMap;
use std::sync::Arc;

/// A schema as a step brought it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaUse {
    /// Number of its text: equal texts, equal numbers.
    pub number: u32,
    /// Whether it describes each element of the value and not the whole (A11).
    pub is_each: bool,
}

/// Steps of the first lap. One of fewer steps is short.
const LAP_STEPS: StepNo = 1 << 10;

/// A lap that touches this many nodes takes no further step. What the last one adds has room in a list of 65,536: 1 MB.
/// With half of it a check of 100,000 patches takes half a MB less and a tenth longer.
const LAP_NODES: usize = 60_000;

/// Stands for no node.
const NO_NODE: NodeId = NodeId(u32::MAX);

/// What a step does that matters here. Its order is that of a lap: schemas first, then one identity after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckTask {
    /// It brings a schema (A20).
    Schema(StepNo),
    /// It touches an identity, or brings it under another schema.
    Value(IdentityId, StepNo),
    /// It has an output that the schema of its request describes (A2, A37).
    Output(StepNo),
}

/// One check in progress.
#[derive(Debug, Default)]
pub struct SchemaChecker {
    /// The first step that is not judged, and the first after the lap.
    next: StepNo,
    end: StepNo,
    /// Steps of the longest lap so far.
    longest: StepNo,
    /// Steps are being taken into the lap.
    is_planning: bool,
    /// What is left of the lap, from its end, each with a node that is touched, or [`NO_NODE`].
    turns: Vec<(CheckTask, NodeId)>,
    schemas: Schemas,
    /// By number; of those that are no valid schemas, why.
    compiled: HashMap<u32, Result<Arc<Schema>, SchemaFault>>,
    identities: HashMap<IdentityId, CheckedIdentity>,
    /// The turn at hand, and the schema that it brings with the text of one that is new.
    turn: Option<CheckTask>,
    brought: Option<u32>,
    text: Option<String>,
    /// An output as JSON text, and the number of its schema.
    output: Option<(u32, String)>,
    cost: CheckCost,
}

/// What all checks of a schema check took so far.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct CheckCost {
    /// Evaluations, at most.
    pub(super) work: u64,
    /// Violations that began or turned.
    pub(super) changes: usize,
}

/// What one step made of the violations.
#[derive(Debug, Default)]
pub struct Judgement {
    pub(super) at: StepNo,
    /// All steps before this one are judged, if that is known now.
    pub(super) judged: Option<StepNo>,
    /// Why nothing is checked against the schema that it brought.
    pub(super) fault: Option<SchemaFault>,
    /// Why the value of an identity was not checked, or not all of it.
    pub(super) unchecked: Option<(IdentityId, String)>,
    pub(super) changes: Vec<(IdentityId, Vec<Change>)>,
    /// Where the output of its solution breaks the schema of the request.
    pub(super) outputs: Vec<Violation>,
    /// Why the output of its solution was not checked, or not all of it.
    pub(super) unchecked_output: Option<String>,
}

/// What became of one path.
#[derive(Debug)]
pub(super) enum Change {
    Begun(Violation),
    /// Still a violation, for another reason.
    Turned(Violation),
    Ended {
        path: Vec<Key>,
        is_repaired: bool,
    },
}

impl SchemaChecker {
    /// The step to plan next, if the lap is over, or not planned to its end.
    #[must_use]
    pub fn step_to_plan(&self) -> Option<StepNo> {
        (self.is_planning || self.turns.is_empty() && self.turn.is_none()).then_some(self.end)
    }

    /// Passes over all steps before this one, of which none has a schema.
    pub fn skip_to(&mut self, step: StepNo) {
        self.next = self.next.max(step);
        self.end = self.end.max(step);
    }

    /// Takes the next step into the lap: its turns, for each node that it touches or that there is none. False: the lap
    /// is long enough.
    pub fn plan(&mut self, turns: impl IntoIterator<Item = (CheckTask, Option<NodeId>)>) -> bool {
        self.is_planning = true;
        self.turns.extend(turns.into_iter().map(|(turn, node)| (turn, node.unwrap_or(NO_NODE))));
        self.end += 1;
        self.end - self.next < (2 * self.longest).max(LAP_STEPS) && self.turns.len() < LAP_NODES
    }

    /// Begins the lap that was planned.
    pub fn begin(&mut self) {
        self.is_planning = false;
        self.longest = self.longest.max(self.end - self.next);
        // A stable sort would take as much memory again; the nodes of a turn may come in any order.
        self.turns.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// The next turn and the nodes that it touches.
    pub fn turn(&mut self) -> Option<(CheckTask, Vec<NodeId>)> {
        let (turn, _) = *self.turns.last()?;
        self.turn = Some(turn);
        let first = self.turns.iter().rposition(|(other, _)| *other != turn).map_or(0, |last| last + 1);
        Some((turn, self.turns.drain(first..).rev().map(|(_, node)| node).filter(|node| *node != NO_NODE).collect()))
    }

    /// A20: the turn at hand brings a schema; `text` is asked for where its number is new.
    pub fn learn(&mut self, number: u32, text: impl FnOnce() -> Option<String>) {
        self.brought = Some(number);
        self.text = if self.compiled.contains_key(&number) { None } else { text() };
    }

    /// A42: a step reset an identity, so what violated before is forgotten.
    pub fn forget(&mut self, id: IdentityId) {
        if let Some(identity) = self.identities.get_mut(&id) {
            identity.is_reset = true;
        }
    }

    /// A42: a step touched nodes of an identity, which now has this schema.
    pub fn look(
        &mut self,
        tree: &Tree,
        (id, at): (IdentityId, StepNo),
        schema: Option<SchemaUse>,
        touched: &[NodeId],
        bytes: &dyn Bytes,
    ) {
        let root = tree.view(id, at).and_then(|view| view.root);
        let Some(schema) = schema else {
            if let Some(identity) = self.identities.get_mut(&id) {
                (identity.value, identity.is_let_go, identity.touched, identity.is_gone) =
                    (None, false, None, root.is_none());
            }
            return;
        };
        let identity = self.identities.entry(id).or_insert_with(|| CheckedIdentity::new(schema));
        let is_same = identity.schema == schema && (identity.value.is_some() || identity.is_let_go);
        if is_same && touched.is_empty() {
            // Nothing has changed, so there is nothing to judge.
            self.turn = None;
            return;
        }
        identity.schema = schema;
        identity.is_let_go = false;
        identity.is_gone = root.is_none();
        if identity.is_given_up {
            return;
        }
        identity.value = root.and_then(|root| match identity.value.take() {
            Some(mut value) => tree.bring_up(&mut value, root, at, touched, bytes).map(|()| value),
            None => tree.plain(root, at, bytes),
        });
        let keys = || touched.iter().map(|node| tree.path(*node).1.into_iter().next()).collect();
        identity.touched = if is_same { keys() } else { None };
    }

    /// A2, A37: the turn at hand has an output, as JSON text, under a schema.
    pub fn weigh(&mut self, number: u32, output: String) {
        self.output = Some((number, output));
    }

    /// Compiles and checks what the turn at hand brought. After the last, all steps of the lap are judged.
    pub fn judge(&mut self) -> Judgement {
        let mut judgement = Judgement::default();
        if self.is_planning {
            return judgement;
        }
        match self.turn.take() {
            Some(CheckTask::Schema(at)) => {
                judgement.at = at;
                judgement.fault = self.compile();
            }
            Some(CheckTask::Value(id, at)) => {
                judgement.at = at;
                let (changes, unchecked) = self.changes(id);
                judgement.changes.extend(Some((id, changes)).filter(|(_, changes)| !changes.is_empty()));
                judgement.unchecked = unchecked.map(|why| (id, why));
            }
            Some(CheckTask::Output(at)) => {
                judgement.at = at;
                (judgement.outputs, judgement.unchecked_output) = self.output_violations();
            }
            None => {}
        }
        if self.turns.is_empty() {
            self.turns = Vec::new();
            self.next = self.end;
            judgement.judged = Some(self.end);
        }
        judgement
    }

    /// A2, A37: where the output at hand breaks its schema, and why it was not checked, or not all of it.
    fn output_violations(&mut self) -> (Vec<Violation>, Option<String>) {
        let Some((number, output)) = self.output.take() else { return Default::default() };
        let schema = match self.compiled.get(&number) {
            Some(Ok(schema)) => schema,
            Some(Err(SchemaFault::Unbounded(why))) => return (Vec::new(), Some(why.clone())),
            // What is no schema asks for nothing.
            Some(Err(SchemaFault::Invalid(_))) | None => return Default::default(),
        };
        let Some(output) = plain_text(&output) else {
            return (Vec::new(), Some("it is nested too deep".to_owned()));
        };
        match schema.check(&output) {
            Ok(checked) => {
                self.cost.work = self.cost.work.saturating_add(checked.work);
                (checked.violations, checked.left_out)
            }
            Err(why) => (Vec::new(), Some(why)),
        }
    }

    /// A20: compiles the schema at hand; why it is invalid.
    fn compile(&mut self) -> Option<SchemaFault> {
        let number = self.brought.take()?;
        if let Some(text) = self.text.take() {
            self.compiled.insert(number, self.schemas.get(&text));
        }
        self.compiled.get(&number).and_then(|compiled| compiled.as_ref().err()).cloned()
    }

    /// A42: what the turn at hand made of an identity, and why it was not checked, or not all of it.
    fn changes(&mut self, id: IdentityId) -> (Vec<Change>, Option<String>) {
        let is_long = self.end - self.next >= LAP_STEPS;
        let is_last = !matches!(self.turns.last(), Some((CheckTask::Value(next, _), _)) if *next == id);
        let Some(identity) = self.identities.get_mut(&id) else { return (Vec::new(), None) };
        let schema = self.compiled.get(&identity.schema.number).and_then(|compiled| compiled.as_deref().ok());
        let judged = identity.judge(schema, &mut self.cost);
        if identity.is_given_up {
            identity.value = None;
        } else if identity.value.is_none() {
            self.identities.remove(&id);
        } else if is_long && is_last {
            (identity.value, identity.is_let_go) = (None, true);
        }
        judged
    }
}
