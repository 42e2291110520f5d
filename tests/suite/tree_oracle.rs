//! The versioned tree against an oracle that folds the writes from zero with plain lists, at every step of random runs.

mod oracle;

use obelus::json::{Key, parse};
use obelus::model::{HEAD, Identity, StepNo};
use obelus::state::{EventOp, IdentityId, NodeId, NodeShape, Op, Tree, Write};
use oracle::{Found, Oracle, Said, leaves};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::{BTreeSet, HashMap};

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
            Some(NodeShape::Object) => format!("{{{parts}}}"),
            Some(NodeShape::Array) => format!("[{parts}]"),
            _ => self.tree.leaf(node, step).unwrap().value.text(&self.input).unwrap().into_owned(),
        }
    }

    fn said(&self, events: Vec<obelus::state::HistoryEvent>) -> Vec<(StepNo, Said)> {
        let said = |e: obelus::state::HistoryEvent| {
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
        let found = leaves(Some(held));
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
    let now = oracle.held.iter().flat_map(|(kind, v)| leaves(v.as_ref()).into_iter().map(|l| ((*kind, l.0), l.1)));
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
