//! Plans: which call waits for which (A37 to A41).

use super::fold::State;
use super::message::{self, Data, Method};
use super::resolve::{self, Outcome};
use super::steps::Step;
use crate::reference::graph;
use crate::reference::json::{J, Object};
use crate::reference::path::{self, Expr, Gates, Key, Ref};

/// A call of a plan.
pub(crate) struct Node {
    pub(crate) tool: Option<String>,
    pub(crate) instance: Option<String>,
    /// The expressions in its parameters and in `_when`, as written.
    pub(crate) strings: Vec<(String, Expr)>,
    when: Option<J>,
    output: bool,
    pub(crate) has_path: bool,
    /// What `_outputPath` names; None: it is no place.
    pub(crate) places: Option<Vec<Ref>>,
    output_path: Option<Gates>,
}

/// What a node is judged against.
pub(crate) struct Scene<'a> {
    pub(crate) steps: &'a [Step],
    pub(crate) state: &'a State,
    pub(crate) at: usize,
    pub(crate) plan_step: usize,
}

type Place = (String, Vec<Key>);

fn strings(value: &J, out: &mut Vec<(String, Expr)>) {
    match value {
        J::Str(text) => out.push((text.clone(), path::parse(text))),
        J::Arr(all) => all.iter().for_each(|v| strings(v, out)),
        J::Obj(object) => object.members.iter().for_each(|(_, v)| strings(v, out)),
        _ => {}
    }
}

pub(crate) fn nodes(calls: &[J]) -> Vec<Node> {
    calls.iter().filter_map(J::obj).map(node).collect()
}

fn node(call: &Object) -> Node {
    let mut all = Vec::new();
    call.members
        .iter()
        .filter(|(key, _)| !key.starts_with('_') || key == "_when")
        .for_each(|(_, v)| strings(v, &mut all));
    let instance = match call.get("_instance") {
        Some(J::Str(s)) if !s.is_empty() => Some(s.clone()),
        Some(J::Num(n)) => Some(n.clone()),
        _ => None,
    };
    let path = call.get("_outputPath").filter(|p| **p != J::Null);
    let output_path = match path.and_then(J::str).map(path::parse) {
        Some(Expr::Gates(gates)) => Some(gates),
        _ => None,
    };
    Node {
        tool: call.get("_tool").and_then(J::str).map(str::to_owned),
        instance,
        strings: all,
        when: call.get("_when").cloned(),
        output: call.get("_output").is_some_and(|o| *o != J::Null),
        has_path: path.is_some(),
        places: path.map_or(Some(Vec::new()), message::places),
        output_path,
    }
}

fn touches(a: &Place, b: &Place) -> bool {
    let n = a.1.len().min(b.1.len());
    a.0 == b.0 && a.1[..n] == b.1[..n]
}

fn unique(state: &State, instance: Option<&str>, references: Vec<Ref>) -> Vec<Place> {
    let mut out: Vec<Place> = Vec::new();
    for reference in references {
        let place = (reference.kind.clone(), resolve::printed(state, instance, &reference));
        if !out.contains(&place) {
            out.push(place);
        }
    }
    out
}

impl Node {
    pub(crate) fn reads(&self, state: &State) -> Vec<Place> {
        let all = self.strings.iter().flat_map(|(_, expr)| path::references(expr)).collect();
        unique(state, self.instance.as_deref(), all)
    }

    pub(crate) fn writes(&self, state: &State) -> Vec<Place> {
        unique(state, self.instance.as_deref(), self.places.clone().unwrap_or_default())
    }
}

/// Edges by writer, reader and what is read (A39).
pub(crate) fn edges(nodes: &[Node], state: &State) -> Vec<(usize, usize, String)> {
    let mut out = Vec::new();
    for (w, writer) in nodes.iter().enumerate() {
        for (r, reader) in nodes.iter().enumerate() {
            let fits = w != r && (writer.instance.is_none() || writer.instance == reader.instance);
            for read in reader.reads(state).iter().filter(|_| fits) {
                if writer.writes(state).iter().any(|write| touches(write, read)) {
                    out.push((w, r, path::reference(&read.0, &read.1)));
                }
            }
        }
    }
    out.sort();
    out.dedup();
    out
}

/// What holds as the plan: source, step, calls (A37).
pub(crate) fn plan(steps: &[Step], at: usize) -> Option<(&'static str, usize, Vec<J>)> {
    let here = steps[at].context.iter().chain(&steps[at].beside);
    let found = here.filter_map(|step| calls(&steps[*step].message).map(|(source, calls)| (source, *step, calls)));
    found
        .filter(|(source, _, calls)| *source == "plan" || (*source == "solution" && !calls.is_empty()))
        .max_by_key(|(_, step, _)| *step)
}

/// The calls of a message that has any (A37, A43).
pub(crate) fn calls(message: &J) -> Option<(&'static str, Vec<J>)> {
    match message::type_of(message) {
        "plan" => {
            let plan = message.get("plan");
            let calls =
                plan.and_then(J::arr).or_else(|| plan?.get("calls")?.arr()).or_else(|| message.get("calls")?.arr());
            Some(("plan", calls?.clone()))
        }
        "solution" => Some(("solution", message.get("solution")?.get("calls")?.arr()?.clone())),
        "call" => Some(("call", vec![message.clone()])),
        _ => None,
    }
}

/// Of a gate: whether it has a value, has none yet, or can have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    Fine,
    Waits,
    Dead,
}

/// The instances that the data has, in order of first appearance.
pub(crate) fn instances(state: &State) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for instance in state.identities.iter().filter_map(|i| i.id.1.clone()) {
        if !out.contains(&instance) {
            out.push(instance);
        }
    }
    out
}

/// Whether a message erases: the method of an error is ignored (A11).
fn erases(data: &Data) -> bool {
    data.method == Method::Erase && data.kind != "error"
}

impl Scene<'_> {
    /// Whether a reference without value may get one (A41).
    fn can_come(&self, nodes: &[Node], me: usize, instance: Option<&str>, reference: &Ref) -> bool {
        let place = (reference.kind.clone(), resolve::printed(self.state, instance, reference));
        let by_node = nodes.iter().enumerate().any(|(w, writer)| {
            let fits = w != me && (writer.instance.is_none() || writer.instance.as_deref() == instance);
            let writes = || unique(self.state, instance, writer.places.clone().unwrap_or_default());
            fits && writes().iter().any(|write| touches(write, &place))
        });
        let approval = ("state".to_owned(), vec![Key::Name("approvals".to_owned())]);
        let is_approval = !place.1.is_empty() && touches(&approval, &place);
        let gone = self.steps[..=self.at].iter().flat_map(|s| &s.withdrawn);
        let was = gone
            .filter_map(|s| self.steps[*s].data.as_ref())
            .any(|d| d.kind == reference.kind && d.value.is_some() && !erases(d));
        by_node || is_approval || was
    }

    pub(crate) fn gate(&self, nodes: &[Node], me: usize, instance: Option<&str>, gate: &[Ref]) -> Standing {
        match resolve::gate(self.state, instance, gate) {
            Outcome::Ok(_) => return Standing::Fine,
            Outcome::Unsupported => return Standing::Waits,
            Outcome::Missing(_) => {}
        }
        let can = gate.iter().any(|reference| self.can_come(nodes, me, instance, reference));
        if can { Standing::Waits } else { Standing::Dead }
    }

    fn standing(&self, nodes: &[Node], me: usize, instance: Option<&str>) -> Standing {
        let of = |expr: &Expr| match expr {
            Expr::Text => Standing::Fine,
            Expr::Wider(_) => Standing::Waits,
            Expr::Invalid => Standing::Dead,
            Expr::Gates(all) => all.iter().map(|g| self.gate(nodes, me, instance, g)).max().unwrap_or(Standing::Fine),
        };
        nodes[me].strings.iter().map(|(_, expr)| of(expr)).max().unwrap_or(Standing::Fine)
    }

    fn is_erased(&self, node: &Node, instance: Option<&str>) -> bool {
        let erasing = self.steps[self.at].context.iter().filter(|s| **s > self.plan_step);
        let mut data = erasing.filter_map(|s| self.steps[*s].data.as_ref()).filter(|d| erases(d));
        let writes = unique(self.state, instance, node.places.clone().unwrap_or_default());
        data.any(|data| {
            let targets = data.targets.iter().map(|t| t.iter().cloned().map(Key::Name).collect::<Vec<_>>());
            let targets: Vec<Place> = targets.map(|t| (data.kind.clone(), t)).collect();
            data.instance.as_deref() == instance && targets.iter().any(|t| writes.iter().any(|w| touches(t, w)))
        })
    }

    fn is_done(&self, node: &Node, instance: Option<&str>) -> bool {
        // As evaluation goes, but without fallback: what is unsupported ends it.
        let holds = |gate: &Vec<Ref>| {
            let first = gate.iter().find_map(|r| {
                let found = resolve::exactly(self.state, &r.kind, instance, &r.path).is_some();
                let ends = || matches!(resolve::reference(self.state, instance, r), Outcome::Unsupported);
                (found || ends()).then_some(found)
            });
            first == Some(true)
        };
        let has = node.output_path.as_ref().is_some_and(|gates| gates.iter().all(holds));
        has || (node.output && !self.is_erased(node, instance))
    }

    fn is_true(&self, node: &Node, instance: Option<&str>) -> bool {
        let Some(when) = &node.when else { return true };
        let value = match when.str().map(path::parse) {
            None | Some(Expr::Text) => when.clone(),
            Some(expr) => match resolve::expression(self.state, instance, &expr) {
                Some(Outcome::Ok(found)) => found.tree.value(),
                _ => return false,
            },
        };
        let is_zero = |n: &str| n.split(['e', 'E']).next().is_some_and(|m| m.chars().all(|c| "-0.".contains(c)));
        !matches!(&value, J::Null | J::Bool(false))
            && value.str() != Some("")
            && !matches!(&value, J::Num(n) if is_zero(n))
    }

    pub(crate) fn status(&self, nodes: &[Node], me: usize, instance: Option<&str>) -> &'static str {
        let node = &nodes[me];
        match self.standing(nodes, me, instance) {
            _ if self.is_done(node, instance) => "done",
            Standing::Dead => "dangling",
            Standing::Waits => "waiting",
            Standing::Fine if !self.is_true(node, instance) => "waiting",
            Standing::Fine if node.has_path => "ready",
            Standing::Fine => "unknown",
        }
    }
}

pub(crate) fn answer(steps: &[Step], states: &[State], at: Option<usize>) -> Vec<(&'static str, J)> {
    let nothing = State::default();
    let held = at.and_then(|at| plan(steps, at));
    let calls = held.as_ref().map_or(Vec::new(), |(_, _, calls)| calls.clone());
    let nodes = nodes(&calls);
    let state = at.map_or(&nothing, |at| &states[at]);
    let place = |p: &Place| J::Str(path::reference(&p.0, &p.1));
    let list = |all: Vec<Place>| J::Arr(all.iter().map(place).collect());
    let mut shown = Vec::new();
    for (id, node) in nodes.iter().enumerate() {
        let scene = Scene { steps, state, at: at.unwrap_or(0), plan_step: held.as_ref().map_or(0, |h| h.1) };
        let mut status = scene.status(&nodes, id, node.instance.as_deref());
        let text = |t: &Option<String>| t.clone().map_or(J::Null, J::Str);
        let mut members = vec![
            ("id", J::num(id)),
            ("tool", text(&node.tool)),
            ("instance", text(&node.instance)),
            ("reads", list(node.reads(state))),
            ("writes", list(node.writes(state))),
        ];
        let mut each = Object::default();
        for instance in instances(state).iter().filter(|_| node.instance.is_none()) {
            each.put(instance, J::string(scene.status(&nodes, id, Some(instance))));
        }
        if status == "dangling" {
            let is_there = |s: &&str| each.members.iter().any(|(_, v)| v.str() == Some(*s));
            status = ["waiting", "ready", "unknown", "done"].into_iter().find(|s| is_there(s)).unwrap_or(status);
        }
        members.push(("status", J::string(status)));
        if !each.members.is_empty() {
            members.push(("instances", J::Obj(each)));
        }
        shown.push(J::object(members));
    }
    let edges = edges(&nodes, state);
    let arrows: Vec<(usize, usize)> = edges.iter().map(|(from, to, _)| (*from, *to)).collect();
    let edge = |(from, to, r): &(usize, usize, String)| {
        J::object(vec![("from", J::num(from)), ("to", J::num(to)), ("ref", J::string(r))])
    };
    let mut out = vec![
        ("source", held.as_ref().map_or(J::Null, |h| J::string(h.0))),
        ("plan_step", held.as_ref().map_or(J::Null, |h| J::num(h.1))),
    ];
    let mode = held.as_ref().and_then(|h| steps[h.1].message.get("mode").and_then(J::str));
    out.extend(mode.map(|mode| ("mode", J::string(mode))));
    out.extend([("nodes", J::Arr(shown)), ("edges", J::Arr(edges.iter().map(edge).collect()))]);
    out.extend(graph::Graph::of(nodes.len(), &arrows).members());
    out
}
