//! Small differences, reported as text.

use super::*;
use crate::json::{parse, pointer};
use crate::model::Identity;
use crate::state::Write;

fn tree(values: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::new();
    for (at, (instance, text)) in (0..).zip(values) {
        let identity = if instance.is_empty() { Identity::global("k") } else { Identity::of("k", *instance) };
        let identity = tree.intern(&identity);
        let value = parse(text).unwrap();
        tree.write(&Write { at, author: at, identity, value: Some(&value), base: None, ops: &[] });
    }
    tree
}

fn describe_parts(parts: &[DiffPart]) -> String {
    let text = |side: &Option<Side>| side.as_ref().map_or("·".to_owned(), |s| s.value.short().unwrap().to_owned());
    let one = |part: &DiffPart| match part {
        DiffPart::Same(count) => format!("={count}"),
        DiffPart::Differs(d) => format!("{} {}→{}", pointer(&d.path), text(&d.old), text(&d.new)),
    };
    parts.iter().map(one).collect::<Vec<_>>().join(" | ")
}

#[test]
fn steps_differ_by_path_and_what_is_alike_is_counted() {
    let tree = tree(&[
        ("", r#"{"a":1,"b":{"c":[1,2],"d":2},"e":3,"f":4}"#),
        ("", r#"{"b":{"d":3,"n":null},"g":[]}"#),
        ("", r#"{"b":{"c":{"x":1}},"f":{"y":1}}"#),
        ("", r#"{"b":{"d":2}}"#),
    ]);
    assert_eq!(describe_parts(&steps(&tree, 0, 0)), "=1");
    assert_eq!(describe_parts(&steps(&tree, 0, 1)), "=2 | /b/d 2→3 | /b/n ·→null | =2 | /g ·→[]");
    assert_eq!(describe_parts(&steps(&tree, 1, 0)), "=2 | /b/d 3→2 | /b/n null→· | =2 | /g []→·");
    assert_eq!(
        describe_parts(&steps(&tree, 1, 2)),
        "=1 | /b/c/x ·→1 | /b/c/0 1→· | /b/c/1 2→· | =3 | /f 4→· | /f/y ·→1 | =1"
    );
    assert_eq!(describe_parts(&steps(&tree, -1, 0)).matches('→').count(), 6);
    let whole = |from, to| states(At { tree: &tree, step: from }, At { tree: &tree, step: to });
    for (from, to) in [(0, 1), (1, 2), (0, 3), (3, 0), (-1, 3)] {
        assert_eq!(steps(&tree, from, to), whole(from, to), "{from} to {to}");
    }
}

#[test]
fn instances_and_runs_are_compared_by_path() {
    let one = tree(&[("1", r#"{"a":1,"b":2}"#), ("2", r#"{"b":3,"a":1}"#)]);
    let ids = ["1", "2"].map(|i| one.find(&Identity::of("k", i)).unwrap());
    assert_eq!(describe_parts(&identities(At { tree: &one, step: 1 }, ids[0], ids[1])), "/b 2→3 | =1");
    let two = tree(&[("2", r#"{"a":1,"b":3}"#)]);
    let difference = states(At { tree: &one, step: 1 }, At { tree: &two, step: 0 });
    assert_eq!(describe_parts(&difference), "=1 | /a 1→· | /b 2→·");
}

#[test]
fn an_inserted_step_leaves_the_rest_aligned() {
    let hunks = align(&[1, 2, 3, 4, 5, 6], &[1, 9, 2, 3, 7, 5]);
    assert_eq!(hunks, [Hunk { old: 1..1, new: 1..2 }, Hunk { old: 3..4, new: 4..5 }, Hunk { old: 5..6, new: 6..6 }]);
    let partners: Vec<_> = (0..6).map(|old| partner(&hunks, old)).collect();
    assert_eq!(partners, [Some(0), Some(2), Some(3), Some(4), Some(5), Some(5)]);
    assert_eq!(partner(&align(&[1], &[]), 0), None);
    assert!(align(&[1, 2], &[1, 2]).is_empty());
    // One in ten is another, one in ten is in the old list alone, and some occur more than once.
    let old: Vec<u128> = (0..10_000).map(|i| if i % 7 == 0 { i % 70 } else { i }).collect();
    let new: Vec<u128> =
        (0..).zip(&old).filter(|(i, _)| i % 10 != 3).map(|(i, d)| d + 20_000 * u128::from(i % 10 == 8)).collect();
    assert_eq!(align(&old, &new).len(), 2_000);
}

#[test]
fn words_that_differ_are_ranges() {
    let found = words("two nights in Porto", "three nights in Porto, paid").unwrap();
    assert_eq!((found.removed.len(), found.removed[0].clone()), (1, 0..3));
    assert_eq!(
        found.added.iter().map(|r| &"three nights in Porto, paid"[r.clone()]).collect::<String>(),
        "three, paid"
    );
    assert_eq!(words("abc", "xyz"), None);
    assert_eq!(words("b", &"a ".repeat(TOO_LONG)), None);
}

const TOO_LONG: usize = 1 << 13;

#[test]
fn long_texts_are_compared_where_they_begin_to_differ() {
    let text = |word: &str| format!("{} {word}, née{}", "word ".repeat(TOO_LONG), " end".repeat(TOO_LONG));
    let (old, new) = (text("thirteen"), text("thirty"));
    let found = words(&old, &new).unwrap();
    let pieces = |text: &str, ranges: &[std::ops::Range<usize>]| {
        ranges.iter().map(|r| text[r.clone()].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(pieces(&old, &found.removed), ["thirteen"]);
    assert_eq!(pieces(&new, &found.added), ["thirty"]);
    // What was only put after it is all that differs.
    let longer = format!("{old}!");
    let found = words(&old, &longer).unwrap();
    assert_eq!((pieces(&old, &found.removed), pieces(&longer, &found.added)), (vec![], vec!["!".to_owned()]));
    // Long texts that differ in several places are distinguished line by line.
    let lines = |at: usize| {
        (0..900).map(move |i| format!("{i} {}\n", if i % at == 1 { "x" } else { "as ever, and that is enough" }))
    };
    let (old, new) = (lines(300).collect::<String>(), lines(150).collect::<String>());
    let found = words(&old, &new).unwrap();
    assert_eq!(pieces(&new, &found.added), ["x\n", "451 x\n", "751 x"]);
}
