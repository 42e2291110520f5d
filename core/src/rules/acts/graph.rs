//! The graph of a plan: who waits for whom, in which waves calls can run, and where they turn in circles (A39, A40).

use super::call::Call;
use super::places::{Places, has_other};
use super::reference::Reference;
use super::resolve::Resolver;
use crate::model::StepNo;
use crate::rules::graph::{Biclique, Edges};
use crate::state::Tree;
use std::collections::HashSet;

/// What a call reads and writes.
#[derive(Debug)]
pub(super) struct Ports<'c> {
    pub(super) instance: Option<&'c str>,
    pub(super) reads: Vec<Port<'c>>,
    pub(super) writes: Vec<Port<'c>>,
}

/// A reference as it is printed, and as the call has it.
#[derive(Debug)]
pub(super) struct Port<'c> {
    pub(super) text: String,
    pub(super) printed: Reference,
    pub(super) written: &'c Reference,
}

impl<'c> Ports<'c> {
    /// A33: the references of a call as the state at a step prints them, each once; without a state none is ambiguous.
    pub(super) fn of(call: &'c Call, state: Option<(&Tree, StepNo)>) -> Self {
        let resolver = state.map(|(tree, step)| Resolver::new(tree, step, call.instance.as_deref()));
        let ports = |references: Vec<&'c Reference>| {
            let mut seen = HashSet::new();
            let port = |written: &'c Reference| {
                let printed = resolver.map_or_else(|| written.clone(), |resolver| resolver.printed(written));
                Port { text: printed.canonical(), printed, written }
            };
            references.into_iter().map(port).filter(|port| seen.insert(port.text.clone())).collect()
        };
        Self { instance: call.instance.as_deref(), reads: ports(call.reads()), writes: ports(call.writes()) }
    }

    /// The same of all calls of a list.
    pub(super) fn all(calls: &'c [Call], state: Option<(&Tree, StepNo)>) -> Vec<Self> {
        calls.iter().map(|call| Self::of(call, state)).collect()
    }
}

/// A33: whether the state decides what a call reads or writes.
pub(super) fn is_ambiguous(calls: &[Call]) -> bool {
    calls.iter().any(|call| call.reads().into_iter().chain(call.writes()).any(Reference::is_ambiguous))
}

/// The calls of one list by what they write, as their messages have it.
pub(super) fn written(calls: &[Call]) -> Places {
    let mut places = Places::default();
    for (number, call) in calls.iter().enumerate() {
        for path in call.writes() {
            places.add(number, call.instance.as_deref(), path);
        }
    }
    places
}

/// The calls of one list by what they write, as the state prints it.
pub(super) fn writers(ports: &[Ports<'_>]) -> Places {
    let mut places = Places::default();
    for (number, call) in ports.iter().enumerate() {
        for path in &call.writes {
            places.add(number, call.instance, &path.printed);
        }
    }
    places
}

/// A39: an edge for each reference that a call reads when another writes it. Labels are the references of all calls, in
/// order.
pub(super) fn edges(ports: &[Ports<'_>], writers: &Places) -> Edges {
    let group = |number| Biclique { from: writers.owners(number).to_vec(), to: Vec::new() };
    let mut groups: Vec<Biclique> = (0..writers.group_count()).map(group).collect();
    let mut label = 0;
    for (to, reader) in ports.iter().enumerate() {
        for read in &reader.reads {
            for number in writers.supplying(&read.printed, reader.instance) {
                groups[number].to.push((to, label));
            }
            label += 1;
        }
    }
    Edges::new(ports.len(), groups)
}

/// What calls of one list write and no other call of it reads, as it is printed (A44).
pub(super) fn unread<'p>(ports: &'p [Ports<'_>], writers: &Places) -> Vec<&'p str> {
    let mut readers = vec![Vec::new(); writers.group_count()];
    for (number, reader) in ports.iter().enumerate() {
        for read in &reader.reads {
            for group in writers.supplying(&read.printed, reader.instance) {
                readers[group].push(number);
            }
        }
    }
    let mut found = Vec::new();
    for (number, call) in ports.iter().enumerate() {
        let is_read = |port: &&Port<'_>| {
            let mut groups = writers.having(&port.printed, call.instance).into_iter();
            groups.any(|group| has_other(readers[group].iter(), number))
        };
        found.extend(call.writes.iter().filter(|port| !is_read(port)).map(|port| port.text.as_str()));
    }
    found
}
