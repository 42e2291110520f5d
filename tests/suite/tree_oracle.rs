//! The versioned tree against an oracle that folds the writes from zero with plain lists, at every step of random runs.
#![allow(clippy::unwrap_used)] // what cannot be is a failed test here

use obelus::json::{Data, Key, Value, parse};
use obelus::model::{HEAD, Identity, StepNo};
use obelus::state::{EventOp, IdentityId, NodeId, Op, Shape, Tree, Write};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::{BTreeMap, BTreeSet, HashMap};

const KINDS: [&str; 3] = ["k", "l", "m"];
const OPS: [Op; 8] = [Op::Merge, Op::Replace, Op::Update, Op::Assign, Op::Push, Op::Concat, Op::Remove, Op::Opaque];

type Path = Vec<Key>;

/// What a run does, one after the other.
#[derive(Debug, Clone)]
enum Act {
    Write(usize, String, Vec<(Path, Op)>),
    Touch(usize),
    Drop(usize, EventOp),
    Reorder(Vec<usize>),
    /// The identity is folded anew from these values, each with the number of steps back to its author.
    Adopt(usize, Vec<(String, StepNo)>),
}

fn value() -> impl Strategy<Value = String> {
    let long = "\"a string that does not stand in the tree\"";
    let leaf = select(vec!["1", "1.0", "null", "true", "\"x\"", long, "{}", "[]"]).prop_map(str::to_owned);
    leaf.prop_recursive(3, 12, 4, |inner| {
        let member = (select(vec!["a", "b", "c", "0"]), inner.clone()).prop_map(|(k, v)| format!("\"{k}\":{v}"));
        let object = vec(member, 0..4).prop_map(|members| format!("{{{}}}", members.join(",")));
        let array = vec(inner, 0..4).prop_map(|elements| format!("[{}]", elements.join(",")));
        prop_oneof![3 => object, 1 => array]
    })
}

fn path() -> impl Strategy<Value = Path> {
    vec(select(vec!["a", "b", "c"]).prop_map(Key::name), 0..4)
}

fn act() -> impl Strategy<Value = Act> {
    let kind = || 0..KINDS.len();
    let ops = prop_oneof![
        2 => Just(Vec::new()),
        2 => (vec(path(), 1..3), select(OPS.to_vec())).prop_map(|(p, op)| p.into_iter().map(|p| (p, op)).collect()),
        1 => vec((path(), select(OPS.to_vec())), 1..4),
    ];
    prop_oneof![
        20 => (kind(), value(), ops).prop_map(|(k, v, ops)| Act::Write(k, v, ops)),
        1 => kind().prop_map(Act::Touch),
        1 => (kind(), select(vec![EventOp::Drop, EventOp::Reset])).prop_map(|(k, op)| Act::Drop(k, op)),
        1 => Just(vec![0, 1, 2]).prop_shuffle().prop_map(|mut order| { order.pop(); Act::Reorder(order) }),
        2 => (kind(), vec((value(), 0..3), 0..3)).prop_map(|(k, writes)| Act::Adopt(k, writes)),
    ]
}

/// Acts with their steps: one in four stands at the step of the one before.
fn run() -> impl Strategy<Value = Vec<(StepNo, Act)>> {
    vec((select(vec![0, 1, 1, 2]), act()), 1..20).prop_map(|acts| {
        let acts = acts.into_iter().scan(HEAD, |at, (gap, act)| {
            *at += gap;
            Some((*at, act))
        });
        acts.collect()
    })
}

/// A value with its provenance. Empty containers are leaves.
#[derive(Debug, Clone)]
enum Plain {
    Leaf { text: String, step: StepNo, changed: StepNo },
    Array(Vec<Plain>),
    Object(Vec<(String, Plain)>),
}

/// A leaf: its path, text, step, changed.
type Found = (Path, String, StepNo, StepNo);

/// An event: identity, operation, path, text, author.
type Said = (usize, EventOp, Path, Option<String>, StepNo);

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

    fn text(&self) -> String {
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

fn leaves(root: &Option<Plain>) -> Vec<Found> {
    let mut found = Vec::new();
    if let Some(mut root) = root.clone() {
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
        let leaves = leaves(&Some(part.clone())).into_iter();
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
            let new = match assigns {
                true => self.fresh(&below, Plain::of(part, self.author)),
                false => self.apply(old, part, &below, if is_target { &[] } else { ops }),
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
struct Oracle {
    held: Vec<(usize, Option<Plain>)>,
    events: Vec<(StepNo, Vec<Said>)>,
}

impl Oracle {
    fn fold(acts: &[(StepNo, Act)], until: StepNo) -> Self {
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
                let all = leaves(&new);
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

    /// Takes the new value; equal leaves at `silent` paths are no events.
    fn settle(&mut self, at: StepNo, kind: usize, mut new: Option<Plain>, op: EventOp, log: &[Path], silent: &[Path]) {
        let slot = self.held.iter_mut().find(|(k, _)| *k == kind).unwrap();
        let before = leaves(&slot.1);
        let old: BTreeMap<Path, Found> = before.iter().map(|l| (l.0.clone(), l.clone())).collect();
        if let Some(new) = &mut new {
            new.walk(&mut Vec::new(), &mut |path, leaf| {
                let Plain::Leaf { text, changed, .. } = leaf else { return };
                let same = old.get(path).filter(|l| l.1 == *text);
                *changed = same.map_or(at, |l| l.3);
            });
        }
        let after: BTreeMap<Path, Found> = leaves(&new).into_iter().map(|l| (l.0.clone(), l)).collect();
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
    fn said(&self, step: StepNo, before: &[usize]) -> Vec<Said> {
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

/// The same run in the tree; its input is the texts one behind the other.
struct Real {
    tree: Tree,
    ids: Vec<IdentityId>,
    input: Vec<u8>,
}

impl Real {
    fn of(acts: &[(StepNo, Act)]) -> Self {
        let mut tree = Tree::new();
        let ids = KINDS.map(|kind| tree.intern(&Identity::global(kind))).to_vec();
        let mut real = Self { tree, ids, input: Vec::new() };
        acts.iter().for_each(|(at, act)| real.take(*at, act));
        real
    }

    fn take(&mut self, at: StepNo, act: &Act) {
        match act {
            Act::Touch(kind) => self.tree.touch(at, self.ids[*kind]),
            Act::Drop(kind, op) => self.tree.drop_identity(at, self.ids[*kind], *op),
            Act::Reorder(order) => {
                let order: Vec<_> = order.iter().map(|kind| self.ids[*kind]).collect();
                self.tree.reorder(at, &order);
            }
            Act::Write(kind, text, ops) => {
                let base = (text.len() % 3 > 0).then_some(self.input.len() as u64);
                self.input.extend(text.as_bytes());
                let value = parse(text).unwrap();
                let identity = self.ids[*kind];
                self.tree.write(&Write { at, author: at, identity, value: Some(&value), base, ops });
            }
            Act::Adopt(kind, writes) => {
                let mut built = Tree::new();
                let identity = built.intern(&Identity::global("built"));
                for (number, (text, back)) in (0..).zip(writes) {
                    let base = (text.len() % 3 > 0).then_some(self.input.len() as u64);
                    self.input.extend(text.as_bytes());
                    let value = parse(text).unwrap();
                    let author = at - back;
                    built.write(&Write { at: number, author, identity, value: Some(&value), base, ops: &[] });
                }
                self.tree.adopt(at, self.ids[*kind], &built, identity);
            }
        }
    }

    fn order(&self, step: StepNo) -> Vec<usize> {
        self.tree.identities(step).iter().map(|v| v.id.0 as usize).collect()
    }

    fn leaves(&self, node: NodeId, step: StepNo) -> Vec<Found> {
        let found = self.tree.leaves(node, step);
        found
            .into_iter()
            .map(|l| (l.path, l.value.text(&self.input).unwrap().into_owned(), l.step, l.changed))
            .collect()
    }

    /// The text as the rows of a pane would give it.
    fn rows(&self, node: NodeId, step: StepNo) -> String {
        let children = self.tree.children(node, step);
        assert_eq!(children.len(), self.tree.child_count(node, step));
        let part = |c: &obelus::state::Child| match &c.key {
            Key::Name(name) => format!("\"{name}\":{}", self.rows(c.node, step)),
            Key::Index(_) => self.rows(c.node, step),
        };
        let parts = children.iter().map(part).collect::<Vec<_>>().join(",");
        match self.tree.shape(node, step) {
            Some(Shape::Object) => format!("{{{parts}}}"),
            Some(Shape::Array) => format!("[{parts}]"),
            _ => self.tree.leaf(node, step).unwrap().value.text(&self.input).unwrap().into_owned(),
        }
    }

    fn said(&self, events: Vec<obelus::state::Event>) -> Vec<(StepNo, Said)> {
        let said = |e: obelus::state::Event| {
            let text = e.value.map(|v| v.text(&self.input).unwrap().into_owned());
            let (identity, path) = self.tree.path(e.node);
            assert_eq!(identity, e.identity);
            (e.at, (identity.0 as usize, e.op, path, text, e.author))
        };
        events.into_iter().map(said).collect()
    }
}

/// State and events at one step.
fn hold_step(real: &Real, oracle: &Oracle, before: &[usize], step: StepNo) {
    let order: Vec<usize> = oracle.held.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(real.order(step), order, "order at {step}");
    for (kind, held) in &oracle.held {
        let view = real.tree.view(real.ids[*kind], step).unwrap();
        assert_eq!(view.root.is_some(), held.is_some(), "root of {kind} at {step}");
        let (Some(root), Some(held)) = (view.root, held) else { continue };
        let text = real.tree.text(root, step, &real.input);
        assert_eq!(text.as_deref(), Some(held.text().as_str()), "text of {kind} at {step}");
        assert_eq!(real.rows(root, step), held.text(), "rows of {kind} at {step}");
        let found = leaves(&Some(held.clone()));
        assert_eq!(real.leaves(root, step), found, "leaves of {kind} at {step}");
        let newest = found.iter().map(|l| l.2).max().zip(found.iter().map(|l| l.3).max());
        assert_eq!(real.tree.newest(root, step), newest);
    }
    let said: Vec<Said> = real.said(real.tree.events(step)).into_iter().map(|(_, e)| e).collect();
    assert_eq!(said, oracle.said(step, before), "events of {step}");
}

/// Histories are the events of the steps, and replay to the leaves.
fn hold_history(real: &Real, oracle: &Oracle, all: &[(StepNo, Said)], last: StepNo) {
    let mut held: HashMap<(usize, Path), String> = HashMap::new();
    for (_, (kind, _, path, text, _)) in all {
        let key = (*kind, path.clone());
        let old = match text {
            Some(text) => held.insert(key, text.clone()),
            None => held.remove(&key),
        };
        assert!(text.is_some() || old.is_some(), "dropped twice: {path:?}");
    }
    let now = oracle.held.iter().flat_map(|(kind, v)| leaves(v).into_iter().map(|l| ((*kind, l.0), l.1)));
    assert_eq!(held, now.collect());
    let heads = all.iter().flat_map(|(_, e)| (0..=e.2.len()).map(|len| (e.0, e.2[..len].to_vec())));
    for (kind, path) in heads.collect::<BTreeSet<_>>() {
        let node = real.tree.node(real.ids[kind], &path).unwrap();
        let mine: Vec<_> = all.iter().filter(|(_, e)| e.0 == kind && e.2.starts_with(&path)).cloned().collect();
        assert_eq!(real.said(real.tree.history(node, last)), mine, "history of {path:?}");
        for step in HEAD - 1..=last + 1 {
            let part = mine.iter().filter(|(at, _)| *at <= step).count();
            assert_eq!(real.tree.history(node, step).len(), part);
            let next = mine.iter().map(|(at, _)| *at).find(|at| *at > step);
            let back = mine.iter().map(|(at, _)| *at).rfind(|at| *at < step);
            assert_eq!(real.tree.neighbour(node, step, true), next, "after {step} of {path:?}");
            assert_eq!(real.tree.neighbour(node, step, false), back, "before {step} of {path:?}");
            let before = real.tree.before(node, step).map(|l| (l.step, l.changed));
            assert_eq!(before, real.tree.leaf(node, step - 1).map(|l| (l.step, l.changed)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_tree_is_the_fold_of_its_writes(acts in run()) {
        let real = Real::of(&acts);
        let last = acts[acts.len() - 1].0;
        let (mut before, mut all, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for step in HEAD..=last {
            let oracle = Oracle::fold(&acts, step);
            hold_step(&real, &oracle, &before, step);
            let said = oracle.said(step, &before);
            counts.extend(Some((step, said.len())).filter(|(_, count)| *count > 0));
            all.extend(said.into_iter().map(|e| (step, e)));
            before = real.order(step);
        }
        prop_assert_eq!(real.tree.activity().collect::<Vec<_>>(), counts);
        hold_history(&real, &Oracle::fold(&acts, last), &all, last);
    }
}
