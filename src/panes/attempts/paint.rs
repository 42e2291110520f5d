//! The rows of the tree.

use super::{AttemptLine, AttemptsPane, HEAD_ROWS};
use crate::model::{Step, StepKind};
use crate::panes::row::pieces_width;
use crate::panes::table::measured;
use crate::panes::value::{count_of, count_text};
use crate::panes::{Extent, Hit, Piece, Row, Session, Window, marks, steps};
use crate::review::{
    ActionAlignment, Attempt, AttemptOutcome, AttemptTree, Branch, Numbers, Success, Verdict, ending_words,
};
use crate::text::{Role, SafeText, cut, pad};

/// From this width on the first row says in words how much a fork explains.
const PARTING_CELLS_MIN: usize = 90;
/// From these widths on a row shows more.
const WIDE: usize = 100;
const MEDIUM: usize = 60;
/// From this width on attempts show their tokens.
const TOKENS_CELLS_MIN: usize = 130;
/// Cells of most rewards.
const REWARD_CELLS: usize = 5;
/// Beginnings of texts that are alike and at least so long are left out, in bytes.
const ALIKE_BYTES_MIN: usize = 24;
/// Ways to end that a branch reports.
const FINISHES_WIDE: usize = 3;

pub(super) fn window(
    pane: &AttemptsPane,
    tree: &AttemptTree,
    session: &Session,
    looked: usize,
    extent: Extent,
) -> Window {
    if tree.by_action.is_some() && tree.attempts.iter().all(|attempt| attempt.steps.is_empty()) {
        let lines = [
            "These attempts have no actions.",
            "The agent says and calls nothing in them; {align-by-action} aligns whole messages.",
        ];
        return session.key_names.notice(&lines, extent.width);
    }
    let painter = Painter { pane, tree, session, cells: extent.width };
    let mut rows = vec![painter.head(looked)];
    let (top, total) = (pane.scroll.top, pane.lines.len());
    let end = total.min(top + extent.height.saturating_sub(HEAD_ROWS));
    rows.extend((top.min(end)..end).map(|i| {
        let is_cursor = i == pane.scroll.cursor;
        painter.row(pane.lines[i], is_cursor).hit(Hit::Row(i)).cursor(is_cursor)
    }));
    Window { rows, top, total }
}

/// What a row says, for a search and to copy.
pub(super) fn row_text(tree: &AttemptTree, line: AttemptLine) -> String {
    let (branch, end) = match line {
        AttemptLine::Branch(i) => (&tree.branches[i], None),
        AttemptLine::End(i, attempt) => (&tree.branches[i], Some(&tree.attempts[attempt])),
    };
    let step = branch.step.as_ref().filter(|_| end.is_none() || branch.stretch.attempts == 1);
    let step = step.map_or(String::new(), |step| format!("{} {}", step.label, steps::one_line(&step.summary)));
    let end = end.map_or(String::new(), |end| {
        let labels = [&end.id, &end.reward, &end.finish].into_iter().flatten().cloned().collect::<Vec<_>>();
        format!("{} {} ", steps::one_line(&end.record_name()), labels.join(" "))
    });
    format!("{end}{step}").trim().to_owned()
}

/// What attempts came to, as short as the width needs it.
pub(super) fn outcome(outcome: &AttemptOutcome, cells: usize) -> Vec<Piece> {
    let mut out = Vec::new();
    if let Some((least, most)) = outcome.rewards {
        let [least, most] = [least, most].map(|reward| measured(Numbers::Reward, reward));
        let range = if least == most { least } else { format!("{least}..{most}") };
        put_reward(&range, cells, &mut out);
    }
    let shown = if cells >= WIDE { FINISHES_WIDE } else { 1 };
    if cells >= MEDIUM || out.is_empty() {
        let names: Vec<String> =
            outcome.finishes.iter().take(shown).map(|(name, n)| format!("{} {n}", ending_words(name))).collect();
        let more = if outcome.finishes.len() > shown { " …" } else { "" };
        put_finish(&format!("{}{more}", names.join(", ")), cells, &mut out);
    }
    out
}

/// What is at the right of the rows below, where they have no room to say so themselves.
pub(super) fn heading<'o>(mut outcomes: impl Iterator<Item = &'o AttemptOutcome>, cells: usize) -> Option<Piece> {
    let (mut has_rewards, mut has_ends) = (false, false);
    while !(has_rewards && has_ends) {
        let Some(outcome) = outcomes.next() else { break };
        has_rewards |= outcome.rewards.is_some();
        has_ends |= !outcome.finishes.is_empty();
    }
    let label = match (has_rewards, has_ends) {
        _ if cells >= WIDE => return None,
        (true, true) if cells >= MEDIUM => "  reward · end ",
        (true, _) => "  reward ",
        (false, true) => "  end ",
        (false, false) => return None,
    };
    Some(Piece::of(Role::Dim, label))
}

fn put_reward(reward: &str, cells: usize, out: &mut Vec<Piece>) {
    out.push(Piece::of(Role::Dim, if cells >= WIDE { "  reward " } else { "  " }));
    out.push(Piece::of(Role::JsonNumber, reward));
}

fn put_finish(finish: &str, cells: usize, out: &mut Vec<Piece>) {
    if !finish.is_empty() {
        let finish_text = cut(&SafeText::of(finish), (cells / 3).max(8));
        out.push(Piece::of(Role::Dim, if out.is_empty() { "  " } else { " · " }));
        out.push(Piece::safe(Role::Text, finish_text));
    }
}

/// None, some or all of the attempts with a reward pass.
fn success_role(success: &Success) -> Role {
    match success.successes {
        0 => Role::Error,
        n if n == success.rewarded => Role::Good,
        _ => Role::Text,
    }
}

struct Painter<'p> {
    pane: &'p AttemptsPane,
    tree: &'p AttemptTree,
    session: &'p Session,
    cells: usize,
}

impl Painter<'_> {
    fn head(&self, looked: usize) -> Row {
        let n = self.tree.attempts.len();
        let aligned = self.tree.by_action.as_ref();
        let mut label = match n {
            1 => self.session.key_names.fill("  the only attempt at this task; {tasks} lists the tasks with several"),
            _ if aligned.is_some() => format!("  {n} attempts by action"),
            _ => format!("  {n} attempts"),
        };
        if self.tree.left_out > 0 {
            label += &format!(", {} more are not shown", self.tree.left_out);
        }
        let task = cut(&SafeText::of(&self.tree.task), self.cells / 2);
        let mut left = vec![Piece::of(Role::Text, " "), Piece::safe(Role::Title, task), Piece::of(Role::Dim, &label)];
        if looked < 100 {
            left.push(Piece::of(Role::Warning, &format!(" · so far: scanning {looked} %")));
        }
        if let Some(aligned) = aligned.filter(|_| n > 1 && self.cells >= MEDIUM) {
            left.push(Piece::of(Role::Dim, &format!(" · {}", self.parting_text(aligned))));
        }
        if aligned.is_some() {
            return Row::new(left);
        }
        let mut right = self.pane.field_label(self.cells);
        right.extend(heading(self.tree.branches.iter().take(1).map(|all| &all.outcome), self.cells));
        Row::new(left).right(right)
    }

    fn row(&self, line: AttemptLine, is_cursor: bool) -> Row {
        let edge = Piece::of(Role::Accent, if is_cursor { "▌" } else { " " });
        match line {
            AttemptLine::Branch(i) => self.branch(i, edge),
            AttemptLine::End(i, attempt) => self.end(&self.tree.branches[i], &self.tree.attempts[attempt], edge),
        }
    }

    /// Deep trees go no further in than a quarter of the width.
    fn indent(&self, depth: usize) -> Piece {
        Piece::of(Role::Text, &"  ".repeat(depth.min(self.cells / 8)))
    }

    fn branch(&self, number: usize, edge: Piece) -> Row {
        let branch = &self.tree.branches[number];
        let known = AttemptsPane::known(self.tree, AttemptLine::Branch(number));
        let fold = if self.pane.folded.contains(&known) { "▸ " } else { "▾ " };
        let n = branch.stretch.attempts;
        let count = if self.cells >= WIDE { format!("  {n} attempts") } else { format!(" ×{n}") };
        let head = vec![
            edge,
            self.indent(branch.stretch.depth),
            Piece::of(Role::Punct, fold),
            Piece::of(Role::Blame, &self.range(branch)),
            Piece::of(Role::Text, &count),
        ];
        let mut right = match &self.tree.by_action {
            Some(aligned) => self.success(number, aligned),
            None => outcome(&branch.outcome, self.cells),
        };
        let decided = self.pane.decided(self.tree, self.session);
        for (verdict, n) in Verdict::ALL.iter().zip(decided[number]).filter(|(_, n)| *n > 0) {
            right.push(Piece::of(marks::role(*verdict), &format!(" {}{n}", verdict.sign())));
        }
        self.branch_row(head, Some(branch), right)
    }

    fn end(&self, branch: &Branch, attempt: &Attempt, edge: Piece) -> Row {
        let is_alone = branch.stretch.attempts == 1;
        let depth = branch.stretch.depth + usize::from(!is_alone);
        let steps = if is_alone { self.range(branch) } else { "ends".to_owned() };
        let mark = self.session.review.unit_mark(attempt.record).map(marks::sign);
        let mut head = vec![
            edge,
            self.indent(depth),
            mark.unwrap_or_else(|| Piece::of(Role::Text, " ")),
            Piece::of(Role::Text, " "),
            Piece::of(Role::Blame, &steps),
        ];
        let record = format!("  {}", steps::one_line(&attempt.record_name()));
        match &attempt.id {
            Some(id) => {
                // The task is above; where room is short, what distinguishes the attempts is enough.
                let suffix = id.strip_prefix(&self.tree.task).filter(|suffix| self.cells < WIDE && !suffix.is_empty());
                let id = suffix.map_or_else(|| id.clone(), |suffix| format!("…{suffix}"));
                head.push(Piece::of(Role::Text, &format!("  {}", steps::one_line(&id))));
                let answer = attempt.answer.as_ref().filter(|_| self.cells < WIDE);
                head.extend(answer.map(|answer| Piece::of(Role::Text, &format!("  {}", steps::one_line(answer)))));
                head.extend((self.cells >= WIDE).then(|| Piece::of(Role::Dim, &record)));
            }
            None => head.push(Piece::of(Role::Text, &record)),
        }
        let mut right = self.measures(attempt);
        let has_measures = !right.is_empty();
        if let Some(reward) = attempt.reward.as_ref().filter(|_| has_measures) {
            // Measures of attempts are in columns, whatever their rewards are.
            right.push(Piece::of(Role::Text, &" ".repeat(REWARD_CELLS.saturating_sub(reward.chars().count()))));
        }
        attempt.reward.iter().for_each(|reward| put_reward(&steps::one_line(reward), self.cells, &mut right));
        if self.cells >= MEDIUM || has_measures || right.is_empty() {
            attempt
                .finish
                .iter()
                .for_each(|finish| put_finish(ending_words(&steps::one_line(finish)), self.cells, &mut right));
        }
        self.branch_row(head, is_alone.then_some(branch), right)
    }

    /// Where an attempt parts from the chosen one, its steps and tokens, each in its cells, where there is room.
    fn measures(&self, attempt: &Attempt) -> Vec<Piece> {
        let Some(chosen) = self.pane.chosen().filter(|_| self.cells >= WIDE) else { return Vec::new() };
        let place = self.tree.attempts.iter().position(|other| other == attempt).unwrap_or(usize::MAX);
        let parts = match self.tree.parts_from(place, chosen) {
            Some(step) => Piece::of(Role::Blame, &format!("{:>11}", format!("parts @{step}"))),
            None if attempt.record == chosen => Piece::of(Role::Accent, &format!("{:>11}", "chosen")),
            None if self.tree.attempts.iter().any(|other| other.record == chosen) => {
                Piece::of(Role::Dim, &format!("{:>11}", "alike"))
            }
            None => Piece::of(Role::Dim, &" ".repeat(11)),
        };
        let unit = if self.tree.by_action.is_some() { "action" } else { "step" };
        let steps = Piece::of(Role::Dim, &format!("{:>12}", count_of(attempt.steps.len(), unit)));
        let tokens = self.tree.tokens.get(place).copied().flatten().filter(|_| self.cells >= TOKENS_CELLS_MIN);
        let tokens = tokens.map(|n| format!("≈{} tokens", count_text(usize::try_from(n).unwrap_or(usize::MAX))));
        let tokens = tokens.map(|count| Piece::of(Role::Dim, &format!("{count:>16}")));
        [parts, steps].into_iter().chain(tokens).collect()
    }

    /// How many attempts below a branch pass, and whether good and bad ones part behind it.
    fn success(&self, number: usize, aligned: &ActionAlignment) -> Vec<Piece> {
        let is_parting = aligned.parting.as_ref().is_some_and(|parting| parting.behind == number);
        let label = if self.cells >= WIDE { "  good and bad part here" } else { "  part here" };
        let mut out: Vec<Piece> = is_parting.then(|| Piece::of(Role::Accent, label)).into_iter().collect();
        let Some(success) = aligned.success.get(number).filter(|success| success.rewarded > 0) else { return out };
        out.push(Piece::of(Role::Text, "  "));
        out.push(Piece::of(success_role(success), &format!("{} of {}", success.successes, success.rewarded)));
        out.extend((self.cells >= WIDE).then(|| Piece::of(Role::Dim, " passed")));
        // A mean of ones and zeros says nothing new.
        let mean =
            success.mean().filter(|mean| (mean * success.rewarded as f64 - success.successes as f64).abs() > 1e-9);
        let mean = mean.filter(|_| self.cells >= MEDIUM).map(|mean| measured(Numbers::Reward, mean));
        out.extend(mean.map(|mean| Piece::of(Role::Dim, &format!(" · mean {mean}"))));
        out
    }

    /// Where good and bad attempts part, or why that is not known.
    fn parting_text(&self, aligned: &ActionAlignment) -> String {
        let Some(parting) = &aligned.parting else {
            let rewarded = aligned.success.first().map_or(0, |success| success.rewarded);
            return match rewarded {
                0 => "none has a reward, so none is good or bad".to_owned(),
                1 => "only one has a reward".to_owned(),
                _ if self.tree.branches[0].outcome.rewards.is_some_and(|(least, most)| least < most) => {
                    "no fork separates good from bad".to_owned()
                }
                _ => "no fork separates good from bad: rewards are equal".to_owned(),
            };
        };
        let stretch = &self.tree.branches[parting.behind].stretch;
        let place = match stretch.steps.end.checked_sub(1) {
            Some(last) => format!("behind @{}", self.tree.step_of(stretch.first, last)),
            None => "at the first action".to_owned(),
        };
        let per_cent = parting.explained * 100.0;
        if self.cells < PARTING_CELLS_MIN {
            return format!("good and bad part {place} ({per_cent:.0} %)");
        }
        format!("good and bad part {place}: {per_cent:.0} % of the difference in reward")
    }

    /// The steps of a branch, as the command line writes them.
    fn range(&self, branch: &Branch) -> String {
        let stretch = &branch.stretch;
        let step = |place: usize| self.tree.step_of(stretch.first, place);
        match stretch.steps.len() {
            0 if self.tree.by_action.is_some() => "no action alike".to_owned(),
            0 => "no step alike".to_owned(),
            1 => format!("@{}", step(stretch.steps.start)),
            _ => format!("@{}..@{}", step(stretch.steps.start), step(stretch.steps.end - 1)),
        }
    }

    /// A row: what it is, then its first step in a column of its own, where there is room.
    fn branch_row(&self, mut left: Vec<Piece>, branch: Option<&Branch>, right: Vec<Piece>) -> Row {
        let step = branch.and_then(|branch| branch.step.as_ref()).filter(|_| self.cells >= MEDIUM);
        if let Some(step) = step {
            let gap = (self.cells * 2 / 5).saturating_sub(pieces_width(&left)).max(1);
            left.push(Piece::of(Role::Text, &" ".repeat(gap)));
            left.push(Piece::safe(steps::role_of(step), pad(&SafeText::of(&step.label), 9)));
            // Words count as the same action, whatever they are.
            let is_example = self.tree.by_action.is_some()
                && step.sign == StepKind::Message
                && branch.is_some_and(|branch| branch.stretch.attempts > 1);
            left.extend(is_example.then(|| Piece::of(Role::Dim, "e.g. ")));
            let words = steps::one_line(&step.summary);
            let shared = branch.map_or(0, |branch| self.shared_with_siblings(branch, step, &words));
            left.push(Piece::of(Role::Text, &from_difference(&words, shared)));
        }
        Row::new(left).right(right)
    }

    /// How many bytes the first step of a branch has in common with those of all branches beside it.
    fn shared_with_siblings(&self, branch: &Branch, step: &Step, words: &str) -> usize {
        let is_sibling = |other: &&Branch| {
            other.stretch.parent == branch.stretch.parent && other.stretch.steps.start == branch.stretch.steps.start
        };
        let others = self.tree.branches.iter().filter(is_sibling).filter_map(|other| other.step.as_ref());
        let others = others.filter(|other| other.label == step.label && !std::ptr::eq(*other, step));
        others.map(|other| common_prefix(words, &steps::one_line(&other.summary))).min().unwrap_or(0)
    }
}

/// Bytes that two texts begin with alike, to the end of a character.
pub(super) fn common_prefix(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// A text from a word or two before the end of its first `shared` bytes, which another text has too.
pub(super) fn from_difference(text: &str, shared: usize) -> String {
    let start = text.get(..shared.min(text.len())).unwrap_or_default();
    let words: Vec<usize> = start.rmatch_indices([' ', ',', '{', '(']).map(|(at, _)| at + 1).take(3).collect();
    match words.last().filter(|_| shared < text.len() && shared >= ALIKE_BYTES_MIN) {
        Some(&at) if at > ALIKE_BYTES_MIN / 2 => format!("… {}", text[at..].trim_start()),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_begin_alike_are_shown_from_where_they_differ() {
        let [a, b] = [
            r#"{"status": "found", "note": "case", "customer": 108}"#,
            r#"{"status": "found", "note": "case", "customer": 115}"#,
        ];
        let shared = common_prefix(a, b);
        assert_eq!(from_difference(a, shared), r#"… "customer": 108}"#);
        assert_eq!(from_difference("short one", common_prefix("short one", "short two")), "short one");
        assert_eq!(from_difference(a, a.len()), a, "one that the other goes on with is shown whole");
        assert_eq!(common_prefix("é1", "é2"), 2);
    }
}
