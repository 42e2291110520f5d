//! How far a call of a plan is at a step (A41).

use super::call::{Call, When, is_true};
use super::expression::Expression;
use super::log::{Log, Reader};
use super::places::Places;
use super::reference::{PathSegment, Reference};
use super::resolve::{Resolution, Resolver};
use super::write;
use crate::json::Key;
use crate::model::{Identity, StepNo};

/// A41: the status of a call. In the order in which the least counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeStatus {
    /// A reference is missing and nothing can supply it, or invalid.
    Dangling,
    /// Something that it reads is yet to come, or its condition is not true.
    Waiting,
    /// It can run.
    Ready,
    /// It could run, and leaves no record of it.
    Unknown,
    /// Its output is there.
    Done,
}

impl NodeStatus {
    /// The word for it in answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dangling => "dangling",
            Self::Waiting => "waiting",
            Self::Ready => "ready",
            Self::Unknown => "unknown",
            Self::Done => "done",
        }
    }
}

/// Whether what a call reads is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadStatus {
    /// It has a value.
    There,
    /// Another call, a person or data that comes back may supply it (A41).
    Awaited,
    /// Nothing can supply it.
    Missing,
}

/// What a gate comes to, its sources looked at too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gate {
    Open,
    Waiting,
    Dangling,
}

/// The calls of one list against the state at a step.
pub(super) struct Judge<'l> {
    log: &'l Log,
    step: StepNo,
    calls: &'l [Call],
    /// What each call writes, as its message has it.
    writers: &'l Places,
    /// Erased paths after the plan.
    erased: Places,
    reader: Reader<'l>,
}

impl<'l> Judge<'l> {
    /// The calls of the message of step `plan` at a step.
    pub(super) fn new(
        log: &'l Log,
        step: StepNo,
        plan: StepNo,
        calls: &'l [Call],
        writers: &'l Places,
        reader: Reader<'l>,
    ) -> Self {
        let erased = log.erased_after(plan, step, reader);
        Self { log, step, calls, writers, erased, reader }
    }

    fn resolver(&self, instance: Option<&'l str>) -> Resolver<'l> {
        Resolver::new(&self.log.tree, self.step, instance)
    }

    /// A41: the status of a call in an instance (None: globally).
    pub(super) fn status(&self, index: usize, instance: Option<&'l str>) -> NodeStatus {
        let call = &self.calls[index];
        if self.is_done(call, instance) {
            return NodeStatus::Done;
        }
        let gates = call.inputs.iter().map(|input| self.input(index, &input.expression, instance));
        let worst = gates.fold(Gate::Open, |a, b| match (a, b) {
            (Gate::Dangling, _) | (_, Gate::Dangling) => Gate::Dangling,
            (Gate::Waiting, _) | (_, Gate::Waiting) => Gate::Waiting,
            _ => Gate::Open,
        });
        match worst {
            Gate::Dangling => NodeStatus::Dangling,
            Gate::Waiting => NodeStatus::Waiting,
            Gate::Open if !self.may_run(call, instance) => NodeStatus::Waiting,
            Gate::Open if call.has_output_path => NodeStatus::Ready,
            Gate::Open => NodeStatus::Unknown,
        }
    }

    /// A41: its output is there in its own identity, or reported in the plan and not erased since.
    fn is_done(&self, call: &Call, instance: Option<&'l str>) -> bool {
        let instance_resolver = Resolver { falls_back: false, ..self.resolver(instance) };
        let is_written =
            call.output.as_ref().is_some_and(|o| matches!(instance_resolver.expression(o), Resolution::Found(_)));
        let printed = |write: &Reference| self.resolver(instance).printed(write);
        let is_erased = || call.writes().into_iter().any(|w| !self.erased.touching(&printed(w), instance).is_empty());
        is_written || (call.has_output && !is_erased())
    }

    /// A41: what one of its strings comes to.
    fn input(&self, index: usize, expression: &Expression, instance: Option<&'l str>) -> Gate {
        match expression {
            Expression::Gates(gates) => {
                let all = gates.iter().map(|gate| self.gate(index, gate, instance));
                all.fold(Gate::Open, |a, b| if a == Gate::Dangling || b == Gate::Open { a } else { b })
            }
            Expression::Wider(_) => Gate::Waiting,
            Expression::Invalid | Expression::Text => Gate::Dangling,
        }
    }

    fn gate(&self, index: usize, gate: &[Reference], instance: Option<&'l str>) -> Gate {
        match self.resolver(instance).gate(gate) {
            Resolution::Found(_) => Gate::Open,
            Resolution::Unsupported => Gate::Waiting,
            _ if gate.iter().any(|r| self.can_be_supplied(index, r, instance)) => Gate::Waiting,
            _ => Gate::Dangling,
        }
    }

    /// A41: another call can write it, a person may approve it, or its kind had data that was withdrawn or reset.
    fn can_be_supplied(&self, index: usize, read: &Reference, instance: Option<&'l str>) -> bool {
        self.writers.has_supplier(index, read, self.resolver(instance))
            || is_approval(read)
            || self.log.was_lost(&read.kind, self.step)
    }

    /// A34, A41: whether a reference of a call has a value; of a call without instance: globally or in any instance.
    pub(super) fn supply(&self, index: usize, read: &Reference, instances: &'l [String]) -> ReadStatus {
        let call_instance = self.calls[index].instance.as_deref();
        let others: &[String] = if call_instance.is_some() { &[] } else { instances };
        let mut everywhere = std::iter::once(call_instance).chain(others.iter().map(|i| Some(i.as_str())));
        if everywhere.any(|instance| self.resolver(instance).reference(read).is_ok()) {
            ReadStatus::There
        } else if self.can_be_supplied(index, read, call_instance) {
            ReadStatus::Awaited
        } else {
            ReadStatus::Missing
        }
    }

    /// The last step that wrote to an output of a call, in its own identity.
    pub(super) fn wrote(&self, path: &Reference, instance: Option<&'l str>) -> Option<StepNo> {
        let instance_resolver = Resolver { falls_back: false, ..self.resolver(instance) };
        let found = instance_resolver.reference(path).ok()?;
        self.log.tree.newest(found.node, self.step).map(|(step, _)| step)
    }

    /// A41: whether `_when` is true.
    fn may_run(&self, call: &Call, instance: Option<&'l str>) -> bool {
        match &call.when {
            None | Some(When::Constant(true)) => true,
            Some(When::Constant(false)) => false,
            Some(When::Expression(expression)) => match self.resolver(instance).expression(expression) {
                Resolution::Found(found) => {
                    let text = self.log.tree.text(found.node, self.step, self.reader.bytes);
                    text.is_some_and(|t| is_true(&t))
                }
                _ => false,
            },
        }
    }

    /// A41: why a call is no further than its status in its own instance says, where what it reads does not show it.
    pub(super) fn why(&self, index: usize, status: NodeStatus) -> Option<String> {
        let call = &self.calls[index];
        let instance = call.instance.as_deref();
        match status {
            NodeStatus::Unknown => Some("it leaves no record of having run".to_owned()),
            NodeStatus::Waiting if self.status(index, instance) == status => {
                let is_wider = |input: &Expression| matches!(input, Expression::Wider(_));
                if call.inputs.iter().any(|input| is_wider(&input.expression)) {
                    return Some("it reads an expression that is not evaluated".to_owned());
                }
                let is_open = |input: &Expression| self.input(index, input, instance) == Gate::Open;
                call.inputs.iter().all(|input| is_open(&input.expression)).then(|| self.when(call))?
            }
            _ => None,
        }
    }

    /// What the condition of a call comes to in its own instance.
    fn when(&self, call: &Call) -> Option<String> {
        let Some(When::Expression(expression)) = &call.when else { return Some("_when is false".to_owned()) };
        let resolver = self.resolver(call.instance.as_deref());
        let references: Vec<String> = expression.references().map(|r| resolver.canonical(r)).collect();
        let reason = match resolver.expression(expression) {
            Resolution::Found(found) => self.log.tree.text(found.node, self.step, self.reader.bytes)?,
            _ => "not there".to_owned(),
        };
        Some(format!("_when {} is {reason}", references.join(", ")))
    }

    /// A41, A43: the global status and that of each instance, for a call without instance.
    pub(super) fn statuses(&self, index: usize, instances: &'l [String]) -> (NodeStatus, Vec<NodeStatus>) {
        if let Some(instance) = &self.calls[index].instance {
            return (self.status(index, Some(instance)), Vec::new());
        }
        let global = self.status(index, None);
        let each: Vec<_> = instances.iter().map(|i| self.status(index, Some(i))).collect();
        let others = each.iter().copied().filter(|s| *s != NodeStatus::Dangling).min();
        let shown = if global == NodeStatus::Dangling { others.unwrap_or(global) } else { global };
        (shown, each)
    }

    /// A43: whether a string of a call dangles: in its instance, or globally and in every instance, some gate does. In
    /// each it can be another one.
    pub(super) fn dangles(&self, index: usize, expression: &Expression, instances: &'l [String]) -> bool {
        let Expression::Gates(gates) = expression else { return false };
        let call_instance = self.calls[index].instance.as_deref();
        let others: &[String] = if call_instance.is_some() { &[] } else { instances };
        let dangles_in = |instance| gates.iter().any(|gate| self.gate(index, gate, instance) == Gate::Dangling);
        let stays =
            |gate: &Vec<Reference>| self.gate(index, gate, call_instance) == Gate::Dangling && !self.may_differ(gate);
        dangles_in(call_instance) && (gates.iter().any(stays) || others.iter().all(|i| dangles_in(Some(i))))
    }

    /// Whether a gate that dangles globally may do otherwise in some instance: something writes it there, or all its
    /// names were seen. A plan of calls with mistaken names would else be looked up in every instance.
    fn may_differ(&self, gate: &[Reference]) -> bool {
        gate.iter().any(|reference| {
            let seen = |segment: &PathSegment| match segment.on_object() {
                Some(name) => name == "length" || segment.on_array().is_some() || self.log.tree.has_name(name),
                None => true,
            };
            self.writers.is_touched(reference) || reference.path.iter().all(seen)
        })
    }
}

/// Keys as segments of a reference.
pub(super) fn segments(keys: &[Key]) -> Vec<PathSegment> {
    let segment = |key: &Key| match key {
        Key::Name(name) => PathSegment::Quoted(name.clone()),
        Key::Index(n) => PathSegment::Index(u64::from(*n)),
    };
    keys.iter().map(segment).collect()
}

/// A41: what a person approves lies under `†state.approvals`.
pub(super) fn is_approval(reference: &Reference) -> bool {
    reference.kind == "state" && reference.path.first().and_then(PathSegment::on_object) == Some("approvals")
}

impl Log {
    /// A41: what messages after the plan erased, each in its identity.
    fn erased_after(&self, plan: StepNo, step: StepNo, reader: Reader<'_>) -> Places {
        let from = self.erases.partition_point(|s| *s <= plan);
        let later = self.erases[from..].iter().copied().take_while(|s| *s <= step);
        let mut erased = Places::default();
        for step in later.filter(|s| self.holds(*s, step)) {
            self.with_message(step, reader, |message, _| {
                let planned = write::plan(message, &mut Vec::new());
                let Identity { kind, instance } = &planned.identity;
                for (keys, _) in &planned.ops {
                    erased.add(0, instance.as_deref(), &Reference { kind: kind.clone(), path: segments(keys) });
                }
            });
        }
        erased
    }

    /// A41: whether data of that kind was withdrawn or reset by a step.
    pub(super) fn was_lost(&self, kind: &str, step: StepNo) -> bool {
        self.lost.get(kind).is_some_and(|first| *first <= step)
    }
}
