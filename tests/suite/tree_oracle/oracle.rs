//! The oracle: the writes folded from zero with plain lists, and what they say of each leaf.

use super::{Act, Path};
use obelus::json::{Data, Key, Value, parse};
use obelus::model::StepNo;
use obelus::state::{EventOp, Op};
use std::collections::{BTreeMap, BTreeSet};

/// A value with its provenance. Empty containers are leaves.
#[derive(Debug, Clone)]
pub(super) enum Plain {
    Leaf { text: String, step: StepNo, changed: StepNo },
    Array(Vec<Plain>),
    Object(Vec<(String, Plain)>),
}

/// A leaf: its path, text, step, changed.
pub(super) type Found = (Path, String, StepNo, StepNo);

/// An event: identity, operation, path, text, author.
pub(super) type Said = (usize, EventOp, Path, Option<String>, StepNo);

impl Plain {
    fn leaf(text: &str, step: StepNo) -> Self {
        Self::Leaf { text: text.to_owned(), step, changed: step }
    }

    fn of(value: &Value<'_>, step: StepNo) -> Self {
        match &value.data {
            Data::Object(o) if !o.is_empty() => {
                Self::Object(o.entries().map(|(k, v)| (k.to_owned(), Self::of(v, step))).collect())
            }
            Data::Array(a) if !a.is_empty() => Self::Array(a.iter().map(|v| Self::of(v, step)).collect()),
            _ => Self::leaf(&obelus::json::compact(value), step),
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Leaf { text, .. } => text.clone(),
            Self::Array(a) => format!("[{}]", a.iter().map(Self::text).collect::<Vec<_>>().join(",")),
            Self::Object(o) => {
                let members: Vec<_> = o.iter().map(|(k, v)| format!("\"{k}\":{}", v.text())).collect();
                format!("{{{}}}", members.join(","))
            }
        }
    }

    fn walk(&mut self, path: &mut Path, visit: &mut impl FnMut(&Path, &mut Plain)) {
        let mut below = |key, part: &mut Plain| {
            path.push(key);
            part.walk(path, visit);
            path.pop();
        };
        match self {
            Self::Array(a) => a.iter_mut().zip(0..).for_each(|(part, i)| below(Key::Index(i), part)),
            Self::Object(o) => o.iter_mut().for_each(|(k, part)| below(Key::name(k), part)),
            Self::Leaf { .. } => visit(path, self),
        }
    }
}

pub(super) fn leaves(root: Option<&Plain>) -> Vec<Found> {
    let mut found = Vec::new();
    if let Some(mut root) = root.cloned() {
        root.walk(&mut Vec::new(), &mut |path, leaf| {
            if let Plain::Leaf { text, step, changed, .. } = leaf {
                found.push((path.clone(), text.clone(), *step, *changed));
            }
        });
    }
    found
}

/// One write: who, and the leaves written, in order.
struct Fold {
    author: StepNo,
    log: Vec<Path>,
}

impl Fold {
    fn fresh(&mut self, at: &Path, part: Plain) -> Plain {
        let leaves = leaves(Some(&part)).into_iter();
        self.log.extend(leaves.map(|(path, ..)| [at.as_slice(), path.as_slice()].concat()));
        part
    }

    /// Leaves that stay equal are not written.
    fn update(&mut self, at: &Path, old: Option<Plain>, given: Plain) -> Plain {
        let below = |key: Key| [at.as_slice(), &[key]].concat();
        match (old, given) {
            (Some(Plain::Leaf { text, step, changed }), Plain::Leaf { text: new, .. }) if text == new => {
                Plain::Leaf { text, step, changed }
            }
            (Some(Plain::Object(old)), Plain::Object(new)) => {
                let before = |name: &str| old.iter().find(|(known, _)| known == name).map(|(_, part)| part.clone());
                let parts = new.into_iter().map(|(name, part)| {
                    let part = self.update(&below(Key::name(&name)), before(&name), part);
                    (name, part)
                });
                Plain::Object(parts.collect())
            }
            (Some(Plain::Array(old)), Plain::Array(new)) => {
                let mut old = old.into_iter();
                let parts = new.into_iter().enumerate();
                let parts = parts.map(|(i, part)| self.update(&below(Key::Index(i as u32)), old.next(), part));
                Plain::Array(parts.collect())
            }
            (_, given) => self.fresh(at, given),
        }
    }

    fn apply(&mut self, old: Option<Plain>, value: &Value<'_>, at: &Path, ops: &[(Path, Op)]) -> Plain {
        let given = Plain::of(value, self.author);
        let is_array = matches!(value.data, Data::Array(_));
        match ops.iter().find(|(path, _)| path == at).map(|(_, op)| *op) {
            Some(Op::Replace) => self.fresh(at, given),
            Some(Op::Update) => self.update(at, old, given),
            Some(Op::Opaque) => {
                let (text, step) = (given.text(), self.author);
                self.fresh(at, Plain::Leaf { text, step, changed: step })
            }
            Some(Op::Push) => self.extend(old, vec![given], at),
            Some(Op::Concat) if is_array => match given {
                Plain::Array(elements) => self.extend(old, elements, at),
                _ => self.extend(old, Vec::new(), at),
            },
            Some(Op::Concat) => self.extend(old, vec![given], at),
            Some(Op::Assign) => self.merge(old, value, at, ops, true),
            _ => self.merge(old, value, at, ops, false),
        }
    }

    fn merge(&mut self, old: Option<Plain>, value: &Value<'_>, at: &Path, ops: &[(Path, Op)], assigns: bool) -> Plain {
        let given = Plain::of(value, self.author);
        let Data::Object(object) = &value.data else { return self.fresh(at, given) };
        let mut members = match old {
            Some(Plain::Object(members)) => members,
            _ if object.is_empty() => return self.fresh(at, given),
            _ => Vec::new(),
        };
        let is_target = ops.iter().any(|(path, _)| path == at);
        for (name, part) in object.entries() {
            let below = [at.as_slice(), &[Key::name(name)]].concat();
            let index = members.iter().position(|(k, _)| k == name);
            let old = index.map(|i| members[i].1.clone());
            let new = if assigns {
                self.fresh(&below, Plain::of(part, self.author))
            } else {
                self.apply(old, part, &below, if is_target { &[] } else { ops })
            };
            match index {
                Some(i) => members[i].1 = new,
                None => members.push((name.to_owned(), new)),
            }
        }
        Plain::Object(members)
    }

    fn extend(&mut self, old: Option<Plain>, new: Vec<Plain>, at: &Path) -> Plain {
        let mut elements = match old {
            Some(Plain::Array(elements)) => elements,
            _ if new.is_empty() => return self.fresh(at, Plain::leaf("[]", self.author)),
            _ => Vec::new(),
        };
        for part in new {
            let below = [at.as_slice(), &[Key::Index(elements.len() as u32)]].concat();
            elements.push(self.fresh(&below, part));
        }
        Plain::Array(elements)
    }

    fn remove(&mut self, old: Option<Plain>, path: &[Key], at: &Path) -> Option<Plain> {
        let (key, rest) = path.split_first()?;
        let Some(Plain::Object(mut members)) = old else { return old };
        let Some(i) = members.iter().position(|(k, _)| Key::name(k) == *key) else {
            return Some(Plain::Object(members));
        };
        let (name, part) = members.remove(i);
        if let Some(part) = self.remove(Some(part), rest, &[at.as_slice(), &path[..1]].concat()) {
            members.insert(i, (name, part));
        }
        if members.is_empty() {
            return Some(self.fresh(at, Plain::leaf("{}", self.author)));
        }
        Some(Plain::Object(members))
    }
}

/// Everything that holds, by identity in order, and what happened.
#[derive(Default)]
pub(super) struct Oracle {
    pub(super) held: Vec<(usize, Option<Plain>)>,
    pub(super) events: Vec<(StepNo, Vec<Said>)>,
}

impl Oracle {
    pub(super) fn fold(acts: &[(StepNo, Act)], until: StepNo) -> Self {
        let mut oracle = Self::default();
        for (at, act) in acts.iter().take_while(|(at, _)| *at <= until) {
            oracle.take(*at, act);
        }
        oracle
    }

    fn take(&mut self, at: StepNo, act: &Act) {
        match act {
            Act::Touch(kind) => drop(self.slot(*kind)),
            Act::Write(kind, text, ops) => {
                let old = self.slot(*kind);
                let (new, log) = written(old, text, ops, at);
                self.settle(at, *kind, new, EventOp::Drop, &log, &[]);
            }
            Act::Drop(kind, op) => {
                self.slot(*kind);
                self.settle(at, *kind, None, *op, &[], &[]);
                self.held.retain(|(k, _)| k != kind);
            }
            Act::Reorder(order) => {
                let rank = |kind| order.iter().position(|k| *k == kind).unwrap_or(order.len());
                self.held.sort_by_key(|(kind, _)| rank(*kind));
            }
            Act::Adopt(kind, writes) => {
                self.slot(*kind);
                let mut new = None;
                for (text, back) in writes {
                    new = written(new, text, &[], at - back).0;
                }
                let all = leaves(new.as_ref());
                let log: Vec<Path> = all.iter().map(|l| l.0.clone()).collect();
                let silent: Vec<Path> = all.into_iter().filter(|l| l.2 != at).map(|l| l.0).collect();
                self.settle(at, *kind, new, EventOp::Drop, &log, &silent);
                if writes.is_empty() {
                    self.held.retain(|(k, _)| k != kind);
                }
            }
        }
    }

    fn slot(&mut self, kind: usize) -> Option<Plain> {
        if let Some((_, held)) = self.held.iter().find(|(k, _)| *k == kind) {
            return held.clone();
        }
        self.held.push((kind, None));
        None
    }

    /// Takes the new value; equal leaves at `silent` paths are not events.
    fn settle(&mut self, at: StepNo, kind: usize, mut new: Option<Plain>, op: EventOp, log: &[Path], silent: &[Path]) {
        let slot = self.held.iter_mut().find(|(k, _)| *k == kind).unwrap();
        let before = leaves(slot.1.as_ref());
        let old: BTreeMap<Path, Found> = before.iter().map(|l| (l.0.clone(), l.clone())).collect();
        if let Some(new) = &mut new {
            new.walk(&mut Vec::new(), &mut |path, leaf| {
                let Plain::Leaf { text, changed, .. } = leaf else { return };
                let same = old.get(path).filter(|l| l.1 == *text);
                *changed = same.map_or(at, |l| l.3);
            });
        }
        let after: BTreeMap<Path, Found> = leaves(new.as_ref()).into_iter().map(|l| (l.0.clone(), l)).collect();
        slot.1 = new;
        let mut said: Vec<Said> = Vec::new();
        said.extend(before.iter().filter(|l| !after.contains_key(&l.0)).map(|l| (kind, op, l.0.clone(), None, at)));
        for (path, text, step, _) in log.iter().map(|path| &after[path]) {
            let op = match old.get(path) {
                None => EventOp::Add,
                Some(old) if old.1 != *text => EventOp::Change,
                Some(_) if silent.contains(path) => continue,
                Some(_) => EventOp::Same,
            };
            said.push((kind, op, path.clone(), Some(text.clone()), *step));
        }
        match self.events.last_mut() {
            Some((last, all)) if *last == at => all.extend(said),
            _ => self.events.push((at, said)),
        }
    }

    /// The events of a step: drops of what stood before it come first, in the order of the identities before it.
    pub(super) fn said(&self, step: StepNo, before: &[usize]) -> Vec<Said> {
        let all = self.events.iter().find(|(at, _)| *at == step).map_or(&[][..], |(_, all)| all);
        let mut seen = BTreeSet::new();
        let is_first = |e: &Said| seen.insert((e.0, e.2.clone())) && matches!(e.1, EventOp::Drop | EventOp::Reset);
        let (mut drops, rest): (Vec<Said>, Vec<Said>) = all.iter().cloned().partition(is_first);
        drops.sort_by_key(|e| before.iter().position(|k| *k == e.0));
        drops.extend(rest);
        drops
    }
}

/// What one write makes of a value, and the leaves it wrote in order.
fn written(old: Option<Plain>, text: &str, ops: &[(Path, Op)], author: StepNo) -> (Option<Plain>, Vec<Path>) {
    let mut fold = Fold { author, log: Vec::new() };
    let removes: Vec<&Path> = ops.iter().filter(|(_, op)| *op == Op::Remove).map(|(path, _)| path).collect();
    if removes.is_empty() {
        let value = parse(text).unwrap();
        return (Some(fold.apply(old, &value, &Vec::new(), ops)), fold.log);
    }
    let mut new = old;
    for path in &removes {
        if !removes.iter().any(|other| other.len() < path.len() && path.starts_with(other)) {
            new = fold.remove(new, path, &Vec::new());
        }
    }
    (new, fold.log)
}
