//! Attempts at one task, as a tree: what they begin with alike is once, then where they part and what each came to; and
//! the list of the tasks with several attempts, from which a tree is opened.

mod list;
mod paint;

use super::row::Nth;
use super::{Extent, Piece, Scroll, Session, Window};
use crate::model::StepNo;
use crate::review::{AttemptTree, TaskAnswer, TaskField, TaskList, TaskQuestion, Verdict};
use crate::text::{Pattern, Role};
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

/// Rows above the tree and the list.
pub const HEAD_ROWS: usize = 1;

/// Most attempts that end in one branch, with no fork, whose rows are shown at first: they are alike.
const ALIKE_SHOWN_MAX: usize = 8;

/// A row of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptLine {
    /// A stretch that several attempts go through, by its number.
    Branch(usize),
    /// An attempt that ends, by its stretch and its own number.
    End(usize, usize),
}

/// What a row is whatever else the tree holds: a record, the step at which the attempt begins, and the one at which a
/// stretch of it does.
type RowKey = (usize, usize, Option<usize>);
/// Decisions below each branch: good, bad, unsure.
type Decided = Rc<Vec<[usize; 3]>>;

/// What is shown of the attempts, scroll, cursor and folds.
#[derive(Debug, Default)]
pub struct AttemptsPane {
    /// What was asked for last; None: the pane is closed.
    pub question: Option<TaskQuestion>,
    /// The field that names tasks; it stays for other inputs too.
    pub by: TaskField,
    /// Whether attempts are aligned by what they did, and not by whole messages.
    pub by_action: bool,
    /// Scroll and cursor of the tree, in rows.
    pub scroll: Scroll,
    /// Scroll and cursor of the list, in tasks.
    pub list_scroll: Scroll,
    /// Whether the tree was opened from the list.
    pub is_from_list: bool,
    /// The record that is marked to be compared; None: the one whose task was asked for is the chosen one.
    pub chosen: Option<usize>,
    /// The record that is being opened, and the step to go to in it.
    pub going: Option<(usize, StepNo)>,
    /// The answer for a tree; None: there is none yet.
    tree: Option<TaskAnswer>,
    list: Option<TaskList>,
    folded: HashSet<RowKey>,
    /// Whether what is folded was chosen, so that a tree that grows folds no more by itself.
    is_arranged: bool,
    lines: Vec<AttemptLine>,
    at: Option<RowKey>,
    version: u64,
    /// Version of the tree and of the marks, and what they come to.
    decided: RefCell<Option<((u64, u64), Decided)>>,
}

impl AttemptsPane {
    /// Asks something else: what was there is shown no longer.
    pub fn ask(&mut self, question: TaskQuestion) {
        self.question = Some(question);
        if question != TaskQuestion::Several {
            self.tree = None;
            self.scroll = Scroll::default();
            self.folded.clear();
            self.is_arranged = false;
            self.at = None;
            self.lines.clear();
        }
    }

    /// Takes another field for the name of the task: what was there is shown no longer.
    pub fn set_field(&mut self, by: TaskField) {
        if self.by == by {
            return;
        }
        self.by = by;
        self.list = None;
        self.list_scroll = Scroll::default();
        if let Some(question) = self.question {
            self.ask(question);
        }
    }

    /// What names tasks now, to be shown at the right of the first row.
    fn field_label(&self, cells: usize) -> Vec<Piece> {
        match &self.by {
            Some(by) => vec![Piece::of(Role::Dim, "  by "), Piece::of(Role::Accent, by), Piece::of(Role::Text, " ")],
            None if cells >= WIDE_HEAD => vec![Piece::of(Role::Dim, "  by task id ")],
            None => Vec::new(),
        }
    }

    /// Forgets what is shown: the input has another content.
    pub fn clear(&mut self) {
        (self.tree, self.list) = (None, None);
        self.lines.clear();
    }

    /// Takes the answer to a question.
    pub fn take(&mut self, question: TaskQuestion, answer: TaskAnswer) {
        match answer {
            TaskAnswer::Tasks(list) => self.list = Some(list),
            answer if self.question == Some(question) => {
                let is_first = self.tree.is_none();
                let is_aligned = |tree: &AttemptTree| tree.by_action.is_some();
                let before = self.tree().map(is_aligned);
                let (at, here) = (self.at, self.at.map(|(record, ..)| record));
                self.tree = Some(answer);
                self.version += 1;
                // Branches of another alignment are others, whatever they begin with.
                let is_other = before.is_some() && self.tree().map(is_aligned) != before;
                if is_other {
                    self.folded.clear();
                    self.is_arranged = false;
                }
                self.fold_alike();
                self.lay_out();
                // An attempt that is folded away leaves the cursor on the branch in which it ends.
                let is_hidden = self.at != at && at.is_some_and(|(.., start)| start.is_none());
                let record = match question {
                    TaskQuestion::Of(record) if is_first => Some(record),
                    _ => here.filter(|_| is_other || is_hidden),
                };
                if let Some(record) = record {
                    self.show_attempt(record);
                }
            }
            _ => {}
        }
    }

    /// Folds the branches of which many attempts are all that is below: where attempts fork must not be below them.
    fn fold_alike(&mut self) {
        let Some(tree) = self.tree().filter(|_| !self.is_arranged) else { return };
        let is_alike = |i: &usize| {
            let stretch = &tree.branches[*i].stretch;
            stretch.depth > 0 && stretch.ends.len() > ALIKE_SHOWN_MAX && stretch.ends.len() == stretch.attempts
        };
        let alike = (0..tree.branches.len()).filter(is_alike);
        self.folded = alike.map(|i| Self::known(tree, AttemptLine::Branch(i))).collect();
    }

    /// Puts the cursor on an attempt, or on the folded branch in which it ends.
    fn show_attempt(&mut self, record: usize) {
        let ends_in = |tree: &AttemptTree, i: usize| {
            tree.branches[i].stretch.ends.iter().any(|end| tree.attempts[*end].record == record)
        };
        let is_shown = |line: &AttemptLine, tree: &AttemptTree| match line {
            AttemptLine::End(_, i) => tree.attempts[*i].record == record,
            AttemptLine::Branch(i) => self.folded.contains(&Self::known(tree, *line)) && ends_in(tree, *i),
        };
        let row = self.tree().and_then(|tree| self.lines.iter().position(|line| is_shown(line, tree)));
        row.into_iter().for_each(|row| self.scroll.jump_to(row));
        self.settle_cursor(0);
    }

    fn tree(&self) -> Option<&AttemptTree> {
        match &self.tree {
            Some(TaskAnswer::Tree(tree)) => Some(tree),
            _ => None,
        }
    }

    fn known(tree: &AttemptTree, line: AttemptLine) -> RowKey {
        match line {
            AttemptLine::Branch(i) => {
                let stretch = &tree.branches[i].stretch;
                let first = &tree.attempts[stretch.first];
                (first.record, first.begin, Some(stretch.steps.start))
            }
            AttemptLine::End(_, attempt) => (tree.attempts[attempt].record, tree.attempts[attempt].begin, None),
        }
    }

    /// Rebuilds the rows; the cursor stays on what it was on.
    fn lay_out(&mut self) {
        self.lines.clear();
        let Some(TaskAnswer::Tree(tree)) = &self.tree else { return };
        let mut hidden_below = usize::MAX;
        for (i, branch) in tree.branches.iter().enumerate() {
            if branch.stretch.depth > hidden_below {
                continue;
            }
            hidden_below = usize::MAX;
            if branch.stretch.attempts > 1 {
                self.lines.push(AttemptLine::Branch(i));
                if self.folded.contains(&Self::known(tree, AttemptLine::Branch(i))) {
                    hidden_below = branch.stretch.depth;
                    continue;
                }
            }
            self.lines.extend(branch.stretch.ends.iter().map(|end| AttemptLine::End(i, *end)));
        }
        let at = self.at;
        if let Some(row) = self.lines.iter().position(|line| Some(Self::known(tree, *line)) == at) {
            self.scroll.cursor = row;
        }
        self.settle_cursor(0);
    }

    fn settle_cursor(&mut self, delta: isize) {
        self.scroll.move_by(delta, self.lines.len());
        self.at = self.tree().zip(self.line()).map(|(tree, line)| Self::known(tree, line));
    }

    fn show(&mut self, is_it: impl Fn(AttemptLine, &AttemptTree) -> bool) {
        let row = self.tree().and_then(|tree| self.lines.iter().position(|line| is_it(*line, tree)));
        row.into_iter().for_each(|row| self.scroll.jump_to(row));
        self.settle_cursor(0);
    }

    fn line(&self) -> Option<AttemptLine> {
        self.lines.get(self.scroll.cursor).copied()
    }

    /// Whether the list is shown, and not a tree.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.question == Some(TaskQuestion::Several)
    }

    /// The record of the attempt that the others are measured by.
    fn chosen(&self) -> Option<usize> {
        self.chosen.or(match self.question {
            Some(TaskQuestion::Of(record)) => Some(record),
            _ => None,
        })
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        if self.is_list() { self.list.as_ref().map_or(0, |list| list.tasks.len()) } else { self.lines.len() }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Scroll of what is shown.
    pub fn front(&mut self) -> &mut Scroll {
        if self.is_list() { &mut self.list_scroll } else { &mut self.scroll }
    }

    /// Moves the cursor by rows.
    pub fn move_by(&mut self, delta: isize) {
        let rows = self.len();
        if self.is_list() { self.list_scroll.move_by(delta, rows) } else { self.settle_cursor(delta) }
    }

    /// Puts the cursor on a row; whether it was there before.
    pub fn move_to(&mut self, row: usize) -> bool {
        let was_there = self.front().cursor == row;
        self.front().cursor = row;
        self.move_by(0);
        was_there
    }

    /// The first record of the task under the cursor of the list.
    #[must_use]
    pub fn task(&self) -> Option<usize> {
        Some(self.list.as_ref()?.tasks.get(self.list_scroll.cursor)?.first)
    }

    /// The attempt that the row under the cursor stands for, or its first: its record, and the step to look at.
    #[must_use]
    pub fn target(&self) -> Option<(usize, StepNo)> {
        let tree = self.tree().filter(|_| !self.is_list())?;
        let (attempt, place) = match self.line()? {
            AttemptLine::Branch(i) => (tree.branches[i].stretch.first, tree.branches[i].stretch.steps.start),
            // Where one alone goes on, its first own step; where it ends among others, its last.
            AttemptLine::End(i, attempt) if tree.branches[i].stretch.attempts == 1 => {
                (attempt, tree.branches[i].stretch.steps.start)
            }
            AttemptLine::End(_, attempt) => (attempt, tree.attempts[attempt].steps.len().saturating_sub(1)),
        };
        Some((tree.attempts[attempt].record, StepNo::try_from(tree.step_of(attempt, place)).ok()?))
    }

    /// The record of the attempt under the cursor, where the row stands for one alone.
    #[must_use]
    pub fn record(&self) -> Option<usize> {
        match (self.is_list(), self.line()?) {
            (false, AttemptLine::End(_, attempt)) => Some(self.tree()?.attempts.get(attempt)?.record),
            _ => None,
        }
    }

    /// Folds or unfolds the branch that the cursor is in; closing what is folded, or is an attempt, goes to its parent.
    pub fn fold(&mut self, is_open: Option<bool>) {
        self.is_arranged = true;
        let (Some(line), Some(tree)) = (self.line().filter(|_| !self.is_list()), self.tree()) else { return };
        let known = Self::known(tree, line);
        let was_open = matches!(line, AttemptLine::Branch(_)).then(|| !self.folded.contains(&known));
        let parent = match line {
            AttemptLine::End(i, _) if tree.branches[i].stretch.attempts > 1 => Some(i),
            AttemptLine::Branch(i) | AttemptLine::End(i, _) => tree.branches[i].stretch.parent,
        };
        match (was_open, is_open) {
            (Some(true), Some(true)) => return self.settle_cursor(1),
            (Some(true), _) => self.folded.insert(known),
            (Some(false), None | Some(true)) => self.folded.remove(&known),
            (Some(false) | None, Some(false)) => {
                return self.show(|line, _| parent.is_some_and(|parent| line == AttemptLine::Branch(parent)));
            }
            (None, Some(true)) => return,
            (None, None) => {
                let Some(parent) = parent else { return };
                let known = Self::known(tree, AttemptLine::Branch(parent));
                self.at = Some(known);
                self.folded.insert(known)
            }
        };
        self.lay_out();
    }

    /// Folds all branches below the first, or unfolds all.
    pub fn fold_all(&mut self, is_open: bool) {
        let here = self.line();
        let at = self.at;
        self.folded.clear();
        self.is_arranged = true;
        if let (false, Some(TaskAnswer::Tree(tree))) = (is_open, &self.tree) {
            let all = (0..tree.branches.len()).filter(|i| tree.branches[*i].stretch.depth > 0);
            self.folded = all.map(|i| Self::known(tree, AttemptLine::Branch(i))).collect();
        }
        self.lay_out();
        // What is folded away leaves the cursor on the branch that it is in.
        let mut above = here.map(|(AttemptLine::Branch(i) | AttemptLine::End(i, _))| i);
        while let Some(branch) = above.filter(|_| self.at != at) {
            self.show(|line, _| line == AttemptLine::Branch(branch));
            let is_there = self.line() == Some(AttemptLine::Branch(branch));
            above = self.tree().filter(|_| !is_there).and_then(|tree| tree.branches[branch].stretch.parent);
        }
    }

    /// The rows of the tree that stand for one attempt, from the cursor on or back, around the end, with its record.
    #[must_use]
    pub fn others(&self, is_forward: bool) -> Vec<(usize, usize)> {
        let Some(tree) = self.tree() else { return Vec::new() };
        let (count, here) = (self.lines.len(), self.scroll.cursor);
        let row = |n: usize| if is_forward { (here + n) % count } else { (here + count - n) % count };
        let rows = (1..=count).map(row);
        let record = |row: usize| match self.lines[row] {
            AttemptLine::End(_, attempt) => Some((row, tree.attempts[attempt].record)),
            AttemptLine::Branch(_) => None,
        };
        rows.filter_map(record).collect()
    }

    /// Puts the cursor on the next or previous row with a match, around the end; which one it is.
    pub fn search(&mut self, pattern: &Pattern, is_forward: bool) -> Option<Nth> {
        let row_text = |row: usize| match (&self.list, self.tree()) {
            (Some(list), _) if self.is_list() => list.tasks[row].name.clone(),
            (_, Some(tree)) => paint::row_text(tree, self.lines[row]),
            _ => String::new(),
        };
        let hits: Vec<usize> = (0..self.len()).filter(|row| pattern.is_match(&row_text(*row))).collect();
        let found = self.front().move_to_hit(&hits, is_forward);
        self.move_by(0);
        found
    }

    /// What is copied of the row under the cursor.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        if self.is_list() {
            Some(self.list.as_ref()?.tasks.get(self.list_scroll.cursor)?.name.clone())
        } else {
            Some(paint::row_text(self.tree()?, self.line()?))
        }
    }

    /// The visible rows; `looked` is how much of the dataset was looked at, in percent.
    #[must_use]
    pub fn window(&self, session: &Session, looked: usize, extent: Extent) -> Window {
        if !session.is_dataset() {
            let lines =
                ["Nothing to compare.", "Attempts are looked for among the records of a dataset; this is one run."];
            return Window::notice(&lines, extent.width);
        }
        match (&self.list, &self.tree) {
            (Some(list), _) if self.is_list() => list::window(self, list, &session.key_names, (looked, extent)),
            (_, Some(TaskAnswer::Tree(tree))) if !self.is_list() => paint::window(self, tree, session, looked, extent),
            (_, Some(_)) if !self.is_list() => {
                let label = match &self.by {
                    Some(by) => format!("This record has no {by}, which is to name its task."),
                    None => "This record names no task.".to_owned(),
                };
                Window::notice(&[&label, WHERE, &session.key_names.fill(BY)], extent.width)
            }
            _ => Window::notice(&["Looking for the attempts…"], extent.width),
        }
    }

    /// How many of the attempts below each branch were decided, and how.
    fn decided(&self, tree: &AttemptTree, session: &Session) -> Decided {
        let key = (self.version, session.review.version);
        if let Some((_, decided)) = self.decided.borrow().as_ref().filter(|(k, _)| *k == key) {
            return Rc::clone(decided);
        }
        let mut all = vec![[0; 3]; tree.branches.len()];
        for (i, branch) in tree.branches.iter().enumerate().rev() {
            for end in &branch.stretch.ends {
                let verdict = session.review.verdict(tree.attempts[*end].record);
                let place = verdict.and_then(|verdict| Verdict::ALL.iter().position(|v| *v == verdict));
                place.into_iter().for_each(|place| all[i][place] += 1);
            }
            if let Some(parent) = branch.stretch.parent {
                (0..3).for_each(|n| all[parent][n] += all[i][n]);
            }
        }
        let decided = Rc::new(all);
        *self.decided.borrow_mut() = Some((key, Rc::clone(&decided)));
        decided
    }
}

/// What a task id is, and where it is looked for.
const WHERE: &str = "A task id says which records are attempts at the same task. It is looked for in task_id, \
                     instance_id, details.task_id and details.instance_id, else in the id without the number of the \
                     attempt, as t-attempt-2, t_run3 or t#2.";
const BY: &str = "{task-field} takes another field, as `obelus tree FILE --by FIELD` does. {cancel} goes back.";
/// From this width on the first row says that tasks are named as usual.
const WIDE_HEAD: usize = 70;

#[cfg(test)]
mod tests;
