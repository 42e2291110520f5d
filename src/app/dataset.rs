//! The table of a dataset: what its jobs answer, and what it asks them for.
//!
//! Facts on all records come from a scan in the background. Order and counts are asked for again when what they answer
//! has changed, and while the scan goes on, each time it has got an eighth further: so all of them together cost a few
//! passes.

use super::keys::Context;
use super::{App, Effect, Effects, Job, Notice, Pane};
use crate::format::Layout;
use crate::panes::DatasetFindings;
use crate::panes::table::{CustomColumnState, Facts};
use crate::review::{
    Chunk, Column, CustomColumn, Filter, Grounds, RecordMarks, RecordOrder, Sort, Tally, TaskAnswer, TaskField,
    TaskGroups, TaskQuestion,
};
use std::sync::Arc;

/// Rows of the screen from which on the plot is shown without being asked for.
const PLOT_HEIGHT: u16 = 34;
/// Records that a growing table gains at least before it is looked at again.
const GAIN_MIN: usize = 64;

/// What was asked of a job that looks at all facts.
#[derive(Debug, Clone, PartialEq)]
struct Asked<Q> {
    number: u64,
    question: Q,
    /// Records that were looked at by then.
    known: usize,
    is_answered: bool,
}

/// In which order, what passes, how new the marks are, where they are asked for, and which custom columns are.
type OrderQuestion = (Option<Sort>, Filter, Option<u64>, Vec<u64>);
/// Which column, over what passes, how new the marks are, where they are asked for, and which custom columns are.
type TallyQuestion = (Column, Filter, Option<u64>, Vec<u64>);

/// What was asked and what is being waited for.
#[derive(Debug, Default)]
pub struct Asking {
    /// The record that the cursor was on when all records were looked at again: it goes back there once that is listed.
    pub(super) here: Option<usize>,
    number: u64,
    /// Grows with each content of the input.
    content: u64,
    /// Records on the screen whose facts are awaited.
    facts: Vec<usize>,
    is_scanning: bool,
    /// Records that there were when the last scan was asked for.
    scanned: usize,
    order: Option<Asked<OrderQuestion>>,
    tally: Option<Asked<TallyQuestion>>,
    attempts: Option<Asked<(TaskQuestion, TaskField, bool)>>,
    groups: Option<Asked<()>>,
}

impl<Q: PartialEq> Asked<Q> {
    /// Whether the answer to this question is new enough, so that asking again would bring little.
    fn is_enough(&self, question: &Q, known: usize, is_all: bool) -> bool {
        let has_grown = known > self.known && (is_all || known - self.known >= (self.known / 8).max(GAIN_MIN));
        self.question == *question && !(self.is_answered && has_grown)
    }
}

/// Records from which on a plot says something, so that it comes without being asked for.
const PLOTTED_MIN: usize = 20;

impl App {
    /// Whether the cursor is in the table or beside it.
    #[must_use]
    pub fn is_on_table(&self) -> bool {
        self.is_in(Context::Dataset)
    }

    /// Whether the plot is shown below the table.
    #[must_use]
    pub fn is_plotting(&self) -> bool {
        let has_many = || self.session.records.count() >= PLOTTED_MIN;
        self.table.plot.is_open.unwrap_or_else(|| self.size.1 >= PLOT_HEIGHT && has_many())
    }

    /// The input has another content.
    pub(super) fn restart_table(&mut self) {
        self.restart_columns();
        self.attempts.clear();
        (self.asking.attempts, self.asking.groups, self.table.groups) = (None, None, None);
        self.restart_facts();
    }

    /// The facts on all records are to be rebuilt; what custom columns, attempts and groups say holds.
    fn restart_facts(&mut self) {
        self.table.clear();
        let Asking { number, content, attempts, groups, .. } = std::mem::take(&mut self.asking);
        self.asking = Asking { number, content: content + 1, attempts, groups, ..Asking::default() };
    }

    /// The content of the input that a scan is for.
    #[must_use]
    pub fn scanned_content(&self) -> u64 {
        self.asking.content
    }

    pub(super) fn scanned(&mut self, content: u64, chunk: Arc<Chunk>) {
        if content == self.asking.content {
            self.table.extend(chunk);
        }
    }

    pub(super) fn scan_ended(&mut self, content: u64) {
        if content == self.asking.content {
            self.asking.is_scanning = false;
        }
    }

    /// Asks for the findings of the rules of datasets.
    pub(super) fn check_data(&mut self, effects: &mut Effects) {
        if self.session.format.layout() != Layout::Set {
            self.notify("this file is one run: `obelus check --data` looks at it for damaged text and secrets");
        } else if !self.session.records.is_complete() {
            self.notify("the file is still being read");
        } else {
            self.table.is_checking = true;
            self.notify("checking the dataset: copies, loops, damaged text, secrets, outliers");
            effects.push(Effect::Job(Job::CheckData { content: self.asking.content }));
        }
    }

    /// Takes these findings: the table shows them too, so its facts are rebuilt.
    pub(super) fn data_checked(&mut self, content: u64, found: Result<Arc<DatasetFindings>, String>) {
        if content != self.asking.content {
            return;
        }
        self.table.is_checking = false;
        match found {
            Err(why) => self.notice = Some(Notice { is_error: true, text: why }),
            Ok(data) => {
                self.notify(data.summary());
                self.session.data = Some(data);
                self.session.forget_findings();
                let here = self.table.record();
                self.restart_facts();
                self.asking.here = here;
            }
        }
    }

    pub(super) fn take_facts(&mut self, content: u64, facts: Vec<(usize, Facts)>) {
        if content == self.asking.content {
            self.asking.facts.retain(|record| !facts.iter().any(|(answered, _)| answered == record));
            self.table.set_facts(facts);
        }
    }

    /// Whether the rows are to be sorted by words that are read again for it: that is done once, when all records were
    /// looked at.
    fn is_reread(&self) -> bool {
        !self.table.all().has_texts() && self.table.sort.is_some_and(|sort| sort.column.text().is_some())
    }

    /// Whether that is not yet so.
    pub(super) fn waits_to_sort(&self) -> bool {
        self.is_reread() && self.looked() < 100
    }

    pub(super) fn arranging(&mut self, number: u64, per_cent: usize) {
        if self.asking.order.as_ref().is_some_and(|asked| asked.number == number) {
            self.table.reread = Some(per_cent);
        }
    }

    pub(super) fn arranged(&mut self, number: u64, order: RecordOrder) {
        if let Some(asked) = self.asking.order.as_mut().filter(|asked| asked.number == number) {
            asked.is_answered = true;
            (self.table.is_arranging, self.table.reread) = (false, None);
            self.table.set_order(Some(order));
            let is_there = self.asking.here.is_some_and(|record| self.table.show(record));
            self.asking.here.take_if(|_| is_there || !self.asking.is_scanning);
        }
    }

    pub(super) fn tallied(&mut self, number: u64, tally: Tally) {
        if let Some(asked) = self.asking.tally.as_mut().filter(|asked| asked.number == number) {
            asked.is_answered = true;
            self.table.facets.tally = Some((asked.question.0, tally));
        }
    }

    pub(super) fn take_attempts(&mut self, number: u64, answer: TaskAnswer) {
        if let Some(asked) = self.asking.attempts.as_mut().filter(|asked| asked.number == number) {
            asked.is_answered = true;
            self.attempts.take(asked.question.0, answer);
        }
    }

    pub(super) fn take_groups(&mut self, number: u64, groups: Arc<TaskGroups>) {
        if let Some(asked) = self.asking.groups.as_mut().filter(|asked| asked.number == number) {
            asked.is_answered = true;
            self.table.groups = Some(groups);
        }
    }

    /// How much of the dataset was looked at, in percent; 100 only when all of it was.
    #[must_use]
    pub fn looked(&self) -> usize {
        let all = self.session.records.count().max(1);
        if self.has_all(self.table.all().len()) { 100 } else { (self.table.all().len() * 100 / all).min(99) }
    }

    /// The attempts that are shown are to be asked for, whatever was asked before.
    pub(super) fn forget_asked_attempts(&mut self) {
        self.asking.attempts = None;
    }

    /// Asks for the attempts that are shown, and again when more records were looked at.
    pub(super) fn settle_attempts(&mut self, effects: &mut Effects) {
        let Some(question) = self.attempts.question.filter(|_| self.session.is_dataset()) else { return };
        if self.is_on_attempts() {
            self.settle_scan(effects);
        }
        let height = self.pane_extent(Pane::Attempts).height.saturating_sub(crate::panes::attempts::HEAD_ROWS);
        let rows = self.attempts.len();
        self.attempts.front().show_cursor(height, rows);
        let (known, is_all) = (self.table.all().len(), self.has_all(self.table.all().len()));
        // The list of tasks is the same either way.
        let by_action = self.attempts.by_action && question != TaskQuestion::Several;
        let asked = (question, self.attempts.by.clone(), by_action);
        if self.asking.attempts.as_ref().is_some_and(|before| before.is_enough(&asked, known, is_all)) {
            return;
        }
        self.asking.number += 1;
        let (number, by) = (self.asking.number, asked.1.clone());
        self.asking.attempts = Some(Asked { number, question: asked, known, is_answered: false });
        effects.push(Effect::Job(Job::Attempts { number, facts: self.table.all().clone(), question, by, by_action }));
    }

    /// Asks for a look at the records that came since the last.
    fn settle_scan(&mut self, effects: &mut Effects) {
        let count = self.session.records.count();
        if !self.asking.is_scanning && self.asking.scanned < count {
            self.asking.is_scanning = true;
            self.asking.scanned = count;
            effects.push(Effect::Job(Job::Scan {
                content: self.asking.content,
                from: self.table.all().len(),
                to: count,
            }));
        }
    }

    /// Asks what all attempts at each task come to, where columns say it.
    fn settle_groups(&mut self, effects: &mut Effects) {
        let known = self.table.all().len();
        if known == 0 || !self.table.columns.iter().any(|column| column.is_of_group()) {
            return;
        }
        let is_all = self.has_all(known);
        if self.asking.groups.as_ref().is_some_and(|asked| asked.is_enough(&(), known, is_all)) {
            return;
        }
        self.asking.number += 1;
        let number = self.asking.number;
        self.asking.groups = Some(Asked { number, question: (), known, is_answered: false });
        effects.push(Effect::Job(Job::Groups { number, facts: self.table.all().clone() }));
    }

    /// Asks for what the table misses.
    pub(super) fn settle_table(&mut self, effects: &mut Effects) {
        if !self.is_on_table() || !self.session.is_dataset() {
            return;
        }
        self.settle_scan(effects);
        let content = self.asking.content;
        let height = self.pane_extent(Pane::Table).height.saturating_sub(1);
        let records = self.table.records_to_read(&self.session, height);
        // What scrolled away is wanted no more; what is still there is asked for with what came.
        if records.iter().any(|record| !self.asking.facts.contains(record)) {
            self.asking.facts.clone_from(&records);
            effects.push(Effect::Job(Job::Facts { content, records }));
        }
        self.settle_columns(effects);
        self.settle_groups(effects);
        self.settle_tally(effects);
        self.table.facets.scroll.show_cursor(
            self.pane_extent(Pane::Facets).height.saturating_sub(crate::panes::table::HEAD_ROWS),
            self.table.facets.len(),
        );
        let Self { table, .. } = self;
        table.plot.move_by(0, table.facets.tally.as_ref().map(|(_, tally)| tally));
        let extent = self.pane_extent(Pane::Table);
        let Self { table, session, .. } = self;
        table.measure(session, extent);
    }

    fn has_all(&self, known: usize) -> bool {
        self.session.records.is_complete() && known >= self.session.records.count()
    }

    /// What an order or a count rests on; `names` are the custom columns that it asks for.
    fn grounds(&self, version: Option<u64>, names: &[CustomColumn]) -> Grounds {
        let tables = self.table.custom_column_tables(names);
        Grounds {
            facts: self.table.all().clone(),
            marks: self.marks(version),
            custom_columns: tables,
            groups: self.table.groups.clone(),
        }
    }

    /// Numbers of custom columns, and how many records are known with what they say.
    fn known_with(&self, names: &[CustomColumn]) -> (Vec<u64>, usize) {
        let columns = || names.iter().filter_map(|name| self.table.custom_column(*name));
        let known = columns().filter(|column| column.fault.is_none()).map(CustomColumnState::known);
        (columns().map(|column| column.id).collect(), known.fold(self.table.all().len(), usize::min))
    }

    /// How new the marks are, for a question that asks for them.
    fn marks_version(&self, is_asked: bool) -> Option<u64> {
        (is_asked || self.table.filter.has_marks()).then_some(self.session.review.version)
    }

    /// The marks for such a question.
    fn marks(&self, version: Option<u64>) -> Option<Arc<RecordMarks>> {
        version.map(|_| Arc::new(self.session.review.record_marks()))
    }

    /// Asks for the rows in their order, if there is one. Before the cursor is shown: rows may be others afterwards.
    pub(super) fn settle_order(&mut self, effects: &mut Effects) {
        if !self.is_on_table() {
            return;
        }
        let is_marked = self.table.sort.is_some_and(|sort| sort.column == Column::Mark);
        let version = self.marks_version(is_marked);
        let names = self.table.custom_columns_asked(false);
        let (asked_columns, known) = self.known_with(&names);
        let is_all = self.has_all(known);
        let sort = self.table.sort.filter(|_| is_all || !self.is_reread());
        let question = (sort, self.table.filter.clone(), version, asked_columns);
        if question.0.is_none() && question.1.is_empty() {
            self.asking.order = None;
            (self.table.is_arranging, self.table.reread) = (false, None);
            if self.table.is_arranged() {
                self.table.set_order(None);
            }
            return;
        }
        if self.asking.order.as_ref().is_some_and(|asked| asked.is_enough(&question, known, is_all)) {
            return;
        }
        self.asking.number += 1;
        let number = self.asking.number;
        let is_more = self.asking.order.as_ref().is_some_and(|asked| asked.question == question);
        (self.table.is_arranging, self.table.reread) = (!is_more, None);
        let (sort, filter, version, _) = question.clone();
        self.asking.order = Some(Asked { number, question, known, is_answered: false });
        let grounds = self.grounds(version, &names);
        effects.push(Effect::Job(Job::Arrange { number, grounds, sort, filter }));
    }

    fn settle_tally(&mut self, effects: &mut Effects) {
        let is_plotting = self.is_plotting() && !self.table.plot.is_unasked(self.table.focus);
        if !self.table.facets.is_open && !is_plotting {
            return;
        }
        let version = self.marks_version(self.table.focus == Column::Mark);
        let names = self.table.custom_columns_asked(true);
        let (asked_columns, known) = self.known_with(&names);
        let question = (self.table.focus, self.table.filter.clone(), version, asked_columns);
        let is_all = self.has_all(known);
        if self.asking.tally.as_ref().is_some_and(|asked| asked.is_enough(&question, known, is_all)) {
            return;
        }
        if self.table.facets.tally.as_ref().is_some_and(|(column, _)| *column != question.0) {
            self.table.facets.scroll = crate::panes::Scroll::default();
            self.table.plot.cursor = 0;
        }
        self.asking.number += 1;
        let number = self.asking.number;
        let (column, filter, version, _) = question.clone();
        self.asking.tally = Some(Asked { number, question, known, is_answered: false });
        let grounds = self.grounds(version, &names);
        effects.push(Effect::Job(Job::Tally { number, grounds, filter, column }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_table_is_looked_at_a_few_times_only() {
        let mut asked = Asked { number: 0, question: 'a', known: 0, is_answered: true };
        let (mut times, total) = (0, 1_000_000);
        for known in (0..=total).step_by(50) {
            if !asked.is_enough(&'a', known, known == total) {
                asked = Asked { known, ..asked };
                times += 1;
            }
        }
        assert_eq!(asked.known, total);
        assert!(times < 100, "{times}");
        assert!(!asked.is_enough(&'b', total, true), "another question is asked at once");
        let waiting = Asked { is_answered: false, known: 10, ..asked };
        assert!(waiting.is_enough(&'a', total, true), "not the same twice at once");
    }
}
