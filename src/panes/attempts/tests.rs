//! Rows and marks of the tree of attempts.

use super::*;
use crate::review::{Attempt, AttemptTree};

fn attempt(record: usize, steps: &[u128]) -> Attempt {
    Attempt {
        record,
        answer: None,
        begin: 0,
        id: Some(format!("t-{record}")),
        task: "t".into(),
        reward: None,
        finish: None,
        steps: steps.into(),
    }
}

fn grown(pane: &mut AttemptsPane, attempts: Vec<Attempt>) {
    pane.take(TaskQuestion::Of(4), TaskAnswer::Tree(AttemptTree::of("t".into(), attempts, 0)));
}

fn pane() -> AttemptsPane {
    let mut pane = AttemptsPane::default();
    pane.ask(TaskQuestion::Of(4));
    grown(
        &mut pane,
        vec![
            attempt(1, &[1, 2, 3]),
            attempt(4, &[1, 2, 4]),
            attempt(6, &[1, 5]),
            attempt(7, &[1, 2]),
            attempt(8, &[1]),
        ],
    );
    pane
}

/// Rows as record and step, `x` before the branches.
fn rows(pane: &AttemptsPane) -> Vec<String> {
    let tree = pane.tree().unwrap();
    let describe = |line: &AttemptLine| match AttemptsPane::known(tree, *line) {
        (record, _, Some(start)) => format!("x{record}@{start}"),
        (record, _, None) => format!("{record}"),
    };
    pane.lines.iter().map(describe).collect()
}

#[test]
fn the_tree_opens_on_the_attempt_that_was_asked_for() {
    let pane = pane();
    assert_eq!(rows(&pane), ["x1@0", "8", "x1@1", "7", "1", "4", "6"]);
    assert_eq!((pane.record(), pane.target()), (Some(4), Some((4, 2))), "where it parts from the others");
}

#[test]
fn a_row_leads_to_the_step_at_which_its_branch_begins_or_ends() {
    let mut pane = pane();
    let positions: Vec<_> = (0..pane.len())
        .map(|row| {
            pane.move_to(row);
            pane.target().unwrap()
        })
        .collect();
    assert_eq!(positions, [(1, 0), (8, 0), (1, 1), (7, 1), (1, 2), (4, 2), (6, 1)]);
}

#[test]
fn folding_hides_what_is_below_and_the_cursor_goes_where_it_can_be_seen() {
    let mut pane = pane();
    pane.fold(Some(false));
    assert_eq!((rows(&pane).len(), pane.target()), (7, Some((1, 1))), "from an attempt to its branch");
    pane.fold(Some(false));
    assert_eq!(rows(&pane), ["x1@0", "8", "x1@1", "6"]);
    pane.move_to(0);
    pane.fold(None);
    assert_eq!(rows(&pane), ["x1@0"]);
    pane.fold(Some(true));
    assert_eq!(rows(&pane), ["x1@0", "8", "x1@1", "6"], "what was folded below stays so");
    pane.fold_all(true);
    assert_eq!(rows(&pane).len(), 7);
    pane.fold_all(false);
    assert_eq!(rows(&pane), ["x1@0", "8", "x1@1", "6"]);
    pane.fold_all(true);
    pane.move_to(4);
    pane.fold(None);
    assert_eq!((rows(&pane).len(), pane.target()), (4, Some((1, 1))), "an attempt folds the branch it is in");
}

#[test]
fn folds_and_cursor_stay_while_more_attempts_come() {
    let mut pane = pane();
    pane.move_to(2);
    pane.fold(None);
    pane.move_to(3);
    assert_eq!(pane.record(), Some(6));
    let mut more = pane.tree().unwrap().attempts.clone();
    more.extend([attempt(20, &[1, 2, 3, 9]), attempt(21, &[]), attempt(22, &[1, 5, 5])]);
    grown(&mut pane, more);
    assert_eq!(pane.record(), Some(6), "{:?}", rows(&pane));
    assert_eq!(rows(&pane), ["x1@0", "21", "x1@0", "8", "x1@1", "x6@1", "6", "22"]);
}

#[test]
fn an_answer_to_another_question_is_not_shown() {
    let mut pane = pane();
    pane.ask(TaskQuestion::Of(9));
    grown(&mut pane, vec![attempt(4, &[1])]);
    assert!(pane.is_empty() && pane.target().is_none());
}

#[test]
fn a_search_looks_at_what_is_folded_open_only_and_goes_around() {
    let mut pane = pane();
    let pattern = Pattern::new("t-[67]").unwrap();
    let mut seen = Vec::new();
    for _ in 0..3 {
        assert!(pane.search(&pattern, true).is_some());
        seen.push(pane.record().unwrap());
    }
    assert_eq!(seen, [6, 7, 6]);
    assert!(pane.search(&Pattern::new("nothing").unwrap(), false).is_none());
}

#[test]
fn many_attempts_that_end_alike_are_folded_until_somebody_looks() {
    let alike = |records: std::ops::Range<usize>, last: u128| records.map(move |record| attempt(record, &[1, last]));
    let all = |more: usize| alike(1..10 + more, 2).chain(alike(30..32, 3)).collect::<Vec<_>>();
    let mut pane = AttemptsPane::default();
    pane.ask(TaskQuestion::Of(4));
    grown(&mut pane, alike(1..5, 2).chain(alike(30..32, 3)).collect());
    assert_eq!(pane.record(), Some(4));
    grown(&mut pane, all(0));
    assert_eq!(rows(&pane), ["x1@0", "x1@1", "x30@1", "30", "31"]);
    assert_eq!(pane.scroll.cursor, 1, "the branch in which the attempt ends that was asked for");
    pane.fold(None);
    assert_eq!(pane.len(), 14);
    grown(&mut pane, all(1));
    assert_eq!(pane.len(), 15, "what was unfolded stays so while the tree grows");
}
