//! How fast the versioned tree of a long run is made and asked: 100,000 patches of 20 identities.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    missing_docs,
    reason = "measurements fail loudly, and have small inputs of their own"
)]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use obelus::json::{Key, Value, parse};
use obelus::model::{Identity, StepNo};
use obelus::state::copy_origin::Copies;
use obelus::state::{IdentityId, NodeId, Tree, Write};
use std::cell::Cell;

fn main() {
    divan::main();
}

const PATCHES: StepNo = 100_000;
const IDENTITIES: usize = 20;

/// Patches as agents write them: a status that changes, results under ever new names, a list that is replaced.
fn patches() -> Vec<String> {
    let patch = |n: StepNo| match n % 5 {
        0 => format!("{{\"status\":\"step {n}\",\"count\":{n}}}"),
        1 => format!("{{\"results\":{{\"file{}\":{{\"lines\":{n},\"path\":\"src/file{n}.rs\"}}}}}}", n / 40 % 400),
        2 => format!("{{\"queue\":[{n},{},\"{}\"]}}", n + 1, "a longer text of the queue ".repeat(3)),
        3 => "{\"is_done\":false,\"error\":null}".to_owned(),
        _ => format!("{{\"results\":{{\"file{}\":\"gone\"}}}}", n / 80 % 400),
    };
    (0..PATCHES).map(patch).collect()
}

fn tree(values: &[Value<'_>]) -> (Tree, Vec<IdentityId>) {
    let mut tree = Tree::new();
    let ids: Vec<_> =
        (0..IDENTITIES).map(|n| tree.intern(&Identity::of(format!("kind{}", n / 4), n.to_string()))).collect();
    for (at, value) in (0..).zip(values) {
        let identity = ids[at as usize / 7 % IDENTITIES];
        tree.write(&Write { at, author: at, identity, value: Some(value), base: None, ops: &[] });
    }
    (tree, ids)
}

/// Runs a bench on the tree, with another step each time.
fn asked<T>(bencher: Bencher, ask: impl Fn(&Tree, &[IdentityId], StepNo) -> T) {
    let texts = patches();
    let values: Vec<_> = texts.iter().map(|text| parse(text).expect("JSON")).collect();
    let (tree, ids) = tree(&values);
    let at = Cell::new(1_u32);
    bencher.bench_local(|| {
        at.set(at.get().wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        ask(&tree, &ids, (at.get() >> 8) as StepNo % PATCHES)
    });
}

fn status(tree: &Tree, id: IdentityId) -> NodeId {
    tree.node(id, &[Key::name("status")]).expect("it was written")
}

#[divan::bench(sample_count = 10)]
fn build(bencher: Bencher) {
    let texts = patches();
    let values: Vec<_> = texts.iter().map(|text| parse(text).expect("JSON")).collect();
    bencher.counter(ItemsCount::new(values.len())).bench(|| tree(black_box(&values)));
}

/// What the State pane asks at most: the members of an open identity, and the leaf of each row of a screen.
#[divan::bench]
fn rows_at_any_step(bencher: Bencher) {
    asked(bencher, |tree, ids, step| {
        let roots = ids.iter().filter_map(|id| tree.view(*id, step)?.root);
        let children = roots.flat_map(|root| tree.children(root, step));
        children.take(45).filter_map(|child| tree.leaf(child.node, step)).count()
    });
}

#[divan::bench]
fn whole_identity_at_any_step(bencher: Bencher) {
    asked(bencher, |tree, ids, step| {
        let root = tree.view(ids[step as usize % IDENTITIES], step)?.root?;
        Some(tree.leaves(root, step).len())
    });
}

#[divan::bench]
fn provenance_of_a_path(bencher: Bencher) {
    asked(bencher, |tree, ids, step| {
        let node = tree.node(ids[step as usize % IDENTITIES], &[Key::name("status")])?;
        tree.leaf(node, step).map(|leaf| (leaf.step, leaf.changed))
    });
}

#[divan::bench]
fn history_of_a_path(bencher: Bencher) {
    asked(bencher, |tree, ids, step| tree.history(status(tree, ids[step as usize % IDENTITIES]), StepNo::MAX).len());
}

#[divan::bench]
fn next_write_of_a_path(bencher: Bencher) {
    asked(bencher, |tree, ids, step| tree.neighbour(status(tree, ids[0]), step, true));
}

/// One look through all versions for what a value was copied from.
#[divan::bench]
fn cause_of_a_value(bencher: Bencher) {
    asked(bencher, |tree, ids, step| {
        let node = status(tree, ids[step as usize % IDENTITIES]);
        let leaf = tree.leaf(node, step)?;
        Copies::of(tree, [leaf.value.clone()]).source(node, leaf.step, &leaf.value, &[])
    });
}
