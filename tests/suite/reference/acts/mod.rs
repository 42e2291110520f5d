//! Agent/Data, written from the text of `ACTS.md` alone: everything is folded anew at every step.

mod check;
mod fold;
mod message;
mod plan;
mod resolve;
mod schema;
mod steps;
mod tree;
mod view;

pub(crate) use message::twice;
pub(crate) use view::pretty;

use super::json::J;
use super::path::{self, Expr, Key, Ref};
use super::{Answer, Finding, Question};
use fold::{Event, State};
use resolve::Outcome;
use steps::Step;

/// All leaves of a value in document order (A28).
pub(crate) fn leaves(value: &J) -> Vec<(Vec<Key>, J)> {
    let mut out = Vec::new();
    tree::of(value).leaves(&mut Vec::new(), &mut out);
    out.into_iter().map(|(path, value, _)| (path, value)).collect()
}

/// A file, read.
pub(crate) struct Acts {
    steps: Vec<Step>,
    states: Vec<State>,
    events: Vec<Event>,
}

fn text(value: Option<&str>) -> J {
    value.map_or(J::Null, J::string)
}

/// Whether a path lies at or below that of a reference.
fn is_below(path: &[Key], reference: &Ref) -> bool {
    path.len() >= reference.path.len() && reference.path.iter().zip(path).all(|(segment, key)| segment.can_be(key))
}

impl Acts {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let steps = steps::read(bytes);
        let (states, events) = fold::run(&steps);
        Self { steps, states, events }
    }

    pub(crate) fn count(&self) -> usize {
        self.steps.len()
    }

    pub(crate) fn findings(&self) -> Vec<Finding> {
        check::findings(&self.steps, &self.states)
    }

    pub(crate) fn answer(&self, question: &Question) -> Answer {
        let last = self.steps.len().checked_sub(1);
        let at = last.and_then(|last| match question.step {
            Some(-1) => None,
            Some(n) => Some(last.min(usize::try_from(n).unwrap())),
            None => Some(last),
        });
        let nothing = State::default();
        let state = at.map_or(&nothing, |at| &self.states[at]);
        let mut out = vec![
            ("format", J::string("acts")),
            ("step", at.map_or(J::num(-1), J::num)),
            ("steps", J::num(self.steps.len())),
        ];
        let reference = question.path.as_deref().map(path::whole_reference);
        match question.kind {
            "state" => out.extend(self.state(at, state)),
            "blame" | "history" if reference == Some(None) => return Answer::Refused,
            "blame" => out.push(("entries", self.blame(state, reference.flatten().as_ref(), question))),
            "history" => {
                out.push(("ref", text(question.path.as_deref())));
                out.push(("instance", text(question.instance.as_deref())));
                let events = reference.flatten().map_or(Vec::new(), |r| self.history(at, &r, question));
                out.push(("events", J::Arr(events)));
            }
            "resolve" => out.extend(resolved(state, question)),
            "plan" => out.extend(plan::answer(&self.steps, &self.states, at)),
            "render" => {
                let context = at.map_or(&[][..], |at| &self.steps[at].context);
                let entries = view::entries(&self.steps, state, context);
                if !question.is_json {
                    return Answer::Text(view::text(&entries));
                }
                let entry =
                    |(role, content): view::Entry| J::object(vec![("role", J::Str(role)), ("content", content)]);
                out.push(("messages", J::Arr(entries.into_iter().map(entry).collect())));
            }
            other => panic!("no answer to {other}"),
        }
        Answer::Json(J::object(out))
    }

    fn state(&self, at: Option<usize>, state: &State) -> Vec<(&'static str, J)> {
        let mut out = vec![("tick", at.map_or(J::num(0), |at| J::num(self.steps[at].tick)))];
        if let Some(at) = at {
            let step = &self.steps[at];
            for (name, all) in [("withdrawn", &step.withdrawn), ("restored", &step.restored)] {
                if !all.is_empty() {
                    out.push((name, J::Arr(all.iter().map(J::num).collect())));
                }
            }
            out.extend(self.output(step).map(|output| ("output", output)));
        }
        let identity = |i: &fold::Identity| {
            let mut out = vec![
                ("kind", J::string(&i.id.0)),
                ("instance", text(i.id.1.as_deref())),
                ("first", J::num(i.steps.iter().min().unwrap())),
                ("last", J::num(i.steps.iter().max().unwrap())),
            ];
            out.extend(i.tree.as_ref().map(|t| ("value", t.value())));
            out.extend(i.description.as_ref().map(|d| ("description", J::string(d))));
            if let Some((schema, step)) = &i.schema {
                out.extend([("schema", schema.clone()), ("schema_step", J::num(step))]);
            }
            J::object(out)
        };
        out.push(("data", J::Arr(state.identities.iter().map(identity).collect())));
        out
    }

    /// A37: the output of the last solution with one.
    fn output(&self, step: &Step) -> Option<J> {
        let of = |at: &usize| {
            let message = &self.steps[*at].message;
            let output = message.get("solution")?.some("output")?;
            (message::type_of(message) == "solution").then(|| (*at, output.plain()))
        };
        let (at, value) = step.context.iter().chain(&step.beside).filter_map(of).max_by_key(|(at, _)| *at)?;
        Some(J::object(vec![("step", J::num(at)), ("value", value)]))
    }

    fn blame(&self, state: &State, wanted: Option<&Ref>, question: &Question) -> J {
        let mut out = Vec::new();
        for identity in &state.identities {
            let is_meant = question.instance.is_none() || question.instance == identity.id.1;
            if !is_meant || wanted.is_some_and(|w| w.kind != identity.id.0) {
                continue;
            }
            for (path, value, step) in identity.leaves() {
                if wanted.is_none_or(|wanted| is_below(&path, wanted)) {
                    let changed = state.changed[&(identity.id.clone(), path.clone())];
                    let mut entry = vec![
                        ("ref", J::Str(path::reference(&identity.id.0, &path))),
                        ("instance", text(identity.id.1.as_deref())),
                        ("value", value),
                        ("step", J::num(step)),
                        ("changed", J::num(changed)),
                    ];
                    entry.extend(fold::attribution(&self.steps, Some(step)));
                    out.push(J::object(entry));
                }
            }
        }
        J::Arr(out)
    }

    fn history(&self, at: Option<usize>, wanted: &Ref, question: &Question) -> Vec<J> {
        let is_meant = |event: &&Event| {
            let is_there = event.id.0 == wanted.kind && event.id.1 == question.instance;
            is_there && is_below(&event.path, wanted) && at.is_some_and(|at| event.step <= at)
        };
        let event = |event: &Event| {
            let mut out = vec![
                ("step", J::num(event.step)),
                ("op", J::string(event.op)),
                ("ref", J::Str(path::reference(&event.id.0, &event.path))),
            ];
            out.extend(event.value.clone().map(|value| ("value", value)));
            out.extend(fold::attribution(&self.steps, event.by));
            J::object(out)
        };
        self.events.iter().filter(is_meant).map(event).collect()
    }
}

fn resolved(state: &State, question: &Question) -> Vec<(&'static str, J)> {
    let reference = question.path.as_deref().unwrap_or("");
    let mut out = vec![("ref", J::string(reference))];
    let outcome = match path::parse(reference) {
        Expr::Text | Expr::Invalid => None,
        expr => resolve::expression(state, question.instance.as_deref(), &expr),
    };
    let status = match &outcome {
        None => "invalid",
        Some(Outcome::Ok(_)) => "ok",
        Some(Outcome::Missing(_)) => "missing",
        Some(Outcome::Unsupported) => "unsupported",
    };
    out.push(("status", J::string(status)));
    match outcome {
        Some(Outcome::Missing(reason)) => out.push(("reason", J::string(reason))),
        Some(Outcome::Ok(found)) => {
            let mut leaves = Vec::new();
            found.tree.leaves(&mut found.path.clone(), &mut leaves);
            let id = (found.kind.clone(), found.instance.clone());
            let changed = leaves.iter().map(|(path, _, _)| state.changed[&(id.clone(), path.clone())]).max();
            let wrote = leaves.iter().map(|(_, _, step)| *step).max();
            out.extend([
                ("value", found.tree.value()),
                ("from", J::Str(path::reference(&found.kind, &found.path))),
                ("instance", text(found.instance.as_deref())),
                ("wrote", wrote.map_or(J::Null, J::num)),
                ("changed", changed.map_or(J::Null, J::num)),
            ]);
        }
        _ => {}
    }
    out
}
