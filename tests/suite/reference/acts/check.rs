//! Findings (A42 to A45).

use super::fold::{self, State};
use super::message::{self, Class};
use super::plan::{self, Node, Scene, Standing};
use super::schema;
use super::steps::Step;
use crate::reference::Finding;
use crate::reference::graph::Graph;
use crate::reference::json::J;
use crate::reference::path::{self, Expr, Key};
use std::collections::{BTreeMap, BTreeSet};

struct Check<'a> {
    steps: &'a [Step],
    states: &'a [State],
    found: BTreeSet<Finding>,
}

pub(crate) fn findings(steps: &[Step], states: &[State]) -> Vec<Finding> {
    let mut check = Check { steps, states, found: BTreeSet::new() };
    for n in 0..steps.len() {
        check.message(n);
        check.write(n);
        check.calls(n);
    }
    check.schemas();
    check.found.into_iter().collect()
}

/// The topmost places where the JSON type is another (A44).
fn type_changes(before: &J, after: &J, at: &mut Vec<Key>, out: &mut Vec<Vec<Key>>) {
    match (before, after) {
        (J::Null, _) | (_, J::Null) => {}
        (J::Obj(a), J::Obj(b)) => {
            for (key, value) in &a.members {
                if let Some(other) = b.get(key) {
                    at.push(Key::Name(key.clone()));
                    type_changes(value, other, at, out);
                    at.pop();
                }
            }
        }
        (J::Arr(a), J::Arr(b)) => {
            for (i, (value, other)) in a.iter().zip(b).enumerate() {
                at.push(Key::Index(i));
                type_changes(value, other, at, out);
                at.pop();
            }
        }
        (J::Str(_), J::Str(_)) | (J::Num(_), J::Num(_)) | (J::Bool(_), J::Bool(_)) => {}
        _ => out.push(at.clone()),
    }
}

impl Check<'_> {
    fn report(&mut self, step: usize, path: Option<String>, rule: &str) {
        let severity = match rule {
            "invalid-json" | "not-a-message" | "bad-reference" | "bad-output-path" | "dangling-reference"
            | "plan-cycle" => "error",
            "context-rebuilt" | "no-op-write" | "unused-write" => "info",
            _ => "warning",
        };
        let record = self.steps[step].record;
        self.found.insert(Finding { record, step: Some(step), path, rule: format!("acts.{rule}"), severity });
    }

    fn message(&mut self, n: usize) {
        let step = &self.steps[n];
        match step.class {
            _ if step.is_broken => self.report(n, None, "invalid-json"),
            Some(Class::NotAMessage) => self.report(n, None, "not-a-message"),
            Some(Class::Unknown) => self.report(n, None, "unknown-type"),
            _ => {}
        }
        let mut twice = step.twice.clone();
        message::twice(&step.message, &mut Vec::new(), &mut twice);
        twice.into_iter().for_each(|path| self.report(n, Some(path), "duplicate-key"));
        let faults = step.data.as_ref().map_or(&[][..], |d| &d.faults);
        faults.iter().for_each(|rule| self.report(n, None, rule));
        if !step.withdrawn.is_empty() {
            self.report(n, None, "context-rebuilt");
        }
    }

    /// The message at its place in the context.
    fn write(&mut self, n: usize) {
        let step = &self.steps[n];
        let (Some(data), Some(place)) = (&step.data, step.context.iter().position(|s| *s == n)) else { return };
        let before = fold::fold(self.steps, &step.context[..place]);
        let after = fold::fold(self.steps, &step.context[..=place]);
        let (_, misfits) = fold::add(&mut before.clone(), self.steps, n);
        let named = |path: &[Key]| Some(path::reference(&data.kind, path));
        misfits.iter().for_each(|path| self.report(n, named(path), "method-type"));
        let events = fold::message_events(self.steps, n, &before, &after);
        if !events.is_empty() && events.iter().all(|event| event.op == "same") {
            self.report(n, named(&[]), "no-op-write");
        }
        let value = |state: &State| state.get(&data.kind, data.instance.as_deref())?.tree.as_ref().map(|t| t.value());
        if let (Some(before), Some(after)) = (value(&before), value(&after)) {
            let mut changes = Vec::new();
            type_changes(&before, &after, &mut Vec::new(), &mut changes);
            changes.iter().for_each(|path| self.report(n, named(path), "type-change"));
        }
    }

    fn calls(&mut self, n: usize) {
        let Some((source, calls)) = plan::calls(&self.steps[n].message) else { return };
        let mut at = n;
        while let Some(next) = self.steps.get(at + 1)
            && next.tick == self.steps[n].tick
            && next.withdrawn.is_empty()
        {
            at += 1;
        }
        let (steps, states) = (self.steps, self.states);
        let state = &states[at];
        let scene = Scene { steps, state, at, plan_step: n };
        let nodes = plan::nodes(&calls);
        for (i, node) in nodes.iter().enumerate() {
            let call = Some(format!("calls[{i}]"));
            if node.strings.iter().any(|(_, expr)| *expr == Expr::Invalid) {
                self.report(n, call.clone(), "bad-reference");
            }
            if node.places.is_none() {
                self.report(n, call, "bad-output-path");
            }
            self.dangling(n, &scene, &nodes, i);
            if source == "plan" {
                self.unused(n, state, &nodes, i);
            }
        }
        let edges: Vec<_> = plan::edges(&nodes, state).into_iter().map(|(from, to, _)| (from, to)).collect();
        for cycle in Graph::of(nodes.len(), &edges).cycles {
            self.report(n, Some(format!("calls[{}]", cycle[0])), "plan-cycle");
        }
    }

    /// A43: in every scope some gate has no alternative that exists or can come.
    fn dangling(&mut self, n: usize, scene: &Scene<'_>, nodes: &[Node], i: usize) {
        let node = &nodes[i];
        let mut scopes = vec![node.instance.clone()];
        if node.instance.is_none() {
            scopes.extend(plan::instances(scene.state).into_iter().map(Some));
        }
        for (text, expr) in &node.strings {
            let Expr::Gates(gates) = expr else { continue };
            let is_dead = |scope: &Option<String>| {
                gates.iter().any(|gate| scene.gate(nodes, i, scope.as_deref(), gate) == Standing::Dead)
            };
            if scopes.iter().all(is_dead) {
                self.report(n, Some(text.clone()), "dangling-reference");
            }
        }
    }

    fn unused(&mut self, n: usize, state: &State, nodes: &[Node], i: usize) {
        for write in nodes[i].writes(state) {
            let reads = |(r, reader): (usize, &Node)| {
                let fits = r != i && (nodes[i].instance.is_none() || nodes[i].instance == reader.instance);
                fits && reader.reads(state).iter().any(|read| {
                    let len = read.1.len().min(write.1.len());
                    read.0 == write.0 && read.1[..len] == write.1[..len]
                })
            };
            if !nodes.iter().enumerate().any(reads) {
                self.report(n, Some(path::reference(&write.0, &write.1)), "unused-write");
            }
        }
    }

    fn schemas(&mut self) {
        let mut before: BTreeMap<fold::Id, Vec<Vec<Key>>> = BTreeMap::new();
        for (n, state) in self.states.iter().enumerate() {
            if self.steps[n].is_reset {
                before.clear();
            }
            let mut now = BTreeMap::new();
            for identity in &state.identities {
                let violations = violations(identity);
                let old = before.get(&identity.id);
                for path in violations.iter().filter(|path| !old.is_some_and(|old| old.contains(path))) {
                    self.report(n, Some(path::reference(&identity.id.0, path)), "schema-violation");
                }
                now.insert(identity.id.clone(), violations);
            }
            before = now;
        }
    }
}

fn violations(identity: &fold::Identity) -> Vec<Vec<Key>> {
    let (Some((schema, _)), Some(tree)) = (&identity.schema, &identity.tree) else { return Vec::new() };
    if !schema::is_valid(schema) {
        return Vec::new();
    }
    match (identity.id.0 == "error", tree.value()) {
        (true, J::Arr(all)) => {
            let of = |(i, error): (usize, &J)| {
                let below = schema::violations(schema, error);
                below.into_iter().map(move |path| [vec![Key::Index(i)], path].concat()).collect::<Vec<_>>()
            };
            all.iter().enumerate().flat_map(of).collect()
        }
        (_, value) => schema::violations(schema, &value),
    }
}
