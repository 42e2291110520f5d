//! Deciding: good, bad, unsure, flags, tags, notes; undo; going to what is marked and to what is not decided.

use crate::app::keys::Context;
use crate::app::marks::{LineKind, ReviewLine, UndoableDecision};
use crate::app::prompt::Prompt;
use crate::app::{App, Effect, Effects, Job, Layer};
use crate::format::Layout;
use crate::model::{Span, StepNo};
use crate::review::{About, Change, ContentKey, Decision, Mark, ReviewSubject, Verdict};

/// Longest record whose key one key press makes, and most records that it looks at while keys are on their way.
const KEYED_BYTES_MAX: u64 = 4 << 20;
const KEYED_MAX: usize = 2_000;

impl App {
    /// Does what marks or selects records, or goes by marks; in the list of files says what to do first.
    pub(in crate::app) fn in_open_file(&mut self, act: impl FnOnce(&mut Self)) {
        if self.is_in(Context::Files) {
            return self.notify(self.hint("marks are made in an open file: {follow} opens this one"));
        }
        act(self);
    }

    /// The same of what is about one run: with two on screen nothing says which.
    pub(in crate::app) fn in_one_run(&mut self, act: impl FnOnce(&mut Self)) {
        if self.is_comparing() {
            return self.notify(self.hint("marks are of one run: {follow} opens the one in front"));
        }
        self.in_open_file(act);
    }

    /// Begins to select records, or ends it.
    pub(in crate::app) fn toggle_selection(&mut self) {
        self.table.anchor = self.table.anchor.is_none().then_some(self.table.scroll.cursor);
    }

    pub(in crate::app) fn select_all(&mut self) {
        self.table.anchor = Some(0);
        self.table.scroll.cursor = self.table.count(&self.session).saturating_sub(1);
    }

    /// Whether a question is there that one key answers.
    pub(in crate::app) fn is_asked(&self) -> bool {
        match &self.layer {
            Some(Layer::Review(line)) => matches!(line.kind, LineKind::Sure(_)),
            Some(Layer::Export(line)) => line.is_question(),
            _ => false,
        }
    }

    /// Answers that question.
    pub(in crate::app) fn answer(&mut self, key: &str, effects: &mut Effects) {
        match (&self.layer, key) {
            (Some(Layer::Export(_)), "y" | "Y") => return self.submit_export(effects),
            // A second Enter by mistake overwrites nothing.
            (Some(Layer::Export(_)), _) => {}
            (_, "y" | "Y" | "Enter") => return self.submit(effects),
            _ => {}
        }
        self.layer = None;
        self.notify("nothing was changed");
    }

    /// Enter in a line being typed.
    pub(in crate::app) fn submit(&mut self, effects: &mut Effects) {
        if matches!(self.layer, Some(Layer::Search(_))) {
            return self.submit_search(effects);
        }
        let Some(Layer::Review(line)) = self.layer.take() else { return };
        let ReviewLine { kind, prompt, mut decisions } = line;
        let typed = prompt.text().trim().to_owned();
        match kind {
            LineKind::Sure(_) => self.mark(decisions, effects),
            LineKind::Tag if typed.is_empty() => {}
            LineKind::Tag => {
                let is_on = decisions.iter().all(|d| self.mark_of(d).is_some_and(|mark| mark.tags.contains(&typed)));
                let change = if is_on { Change::Untag(typed) } else { Change::Tag(typed) };
                decisions.iter_mut().for_each(|d| d.change = change.clone());
                self.mark_sure(decisions, effects);
            }
            LineKind::Note => {
                decisions.iter_mut().for_each(|d| d.change = Change::Note(typed.clone()));
                self.mark_sure(decisions, effects);
            }
        }
    }

    pub(in crate::app) fn decide_records(&mut self, verdict: Verdict, effects: &mut Effects) {
        let decisions = self.wholes(&Change::Decide(Some(verdict)));
        let goes_on = self.next_undecided && decisions.len() == 1;
        self.mark_sure(decisions, effects);
        if goes_on {
            self.undecided_by(true, effects);
        }
    }

    pub(in crate::app) fn decide_parts(&mut self, verdict: Verdict, effects: &mut Effects) {
        let decisions = self.parts(&Change::Decide(Some(verdict)));
        self.mark_sure(decisions, effects);
    }

    pub(in crate::app) fn flag(&mut self, effects: &mut Effects) {
        let mut decisions = self.parts(&Change::Flag(true));
        if decisions.iter().all(|d| self.mark_of(d).is_some_and(|mark| mark.is_flagged)) {
            decisions.iter_mut().for_each(|d| d.change = Change::Flag(false));
        }
        self.mark_sure(decisions, effects);
    }

    pub(in crate::app) fn ask_line(&mut self, kind: LineKind) {
        let decisions = self.parts(&Change::Note(String::new()));
        let Some(first) = decisions.first() else { return self.notify("nothing here to mark") };
        let mut prompt = Prompt::default();
        if let (LineKind::Note, [_]) = (&kind, decisions.as_slice()) {
            prompt.insert(self.mark_of(first).and_then(|mark| mark.note.as_deref()).unwrap_or_default());
        }
        self.layer = Some(Layer::Review(ReviewLine { kind, prompt, decisions }));
    }

    /// Decides; on several records only after a yes.
    fn mark_sure(&mut self, decisions: Vec<Decision>, effects: &mut Effects) {
        match decisions.as_slice() {
            [] => self.notify("nothing here to mark"),
            [_] => self.mark(decisions, effects),
            [first, ..] => {
                let question = format!("{} {} records?", describe_change(&first.change), decisions.len());
                let kind = LineKind::Sure(question);
                self.layer = Some(Layer::Review(ReviewLine { kind, prompt: Prompt::default(), decisions }));
            }
        }
    }

    fn mark(&mut self, decisions: Vec<Decision>, effects: &mut Effects) {
        if let Some(first) = decisions.first() {
            let place = match (&first.what, decisions.len()) {
                (ReviewSubject::Unit { path: Some((path, _)), .. }, 1) => path.clone(),
                (ReviewSubject::Unit { step: Some(step), .. }, 1) => format!("step {step}"),
                (ReviewSubject::Unit { unit, .. }, 1) => format!("record {unit}"),
                (_, n) => format!("{n} records"),
            };
            let undo = self.hint("{undo} undoes it");
            self.notify(format!("{} {place}  {undo}", describe_change(&first.change)));
        }
        self.table.anchor = None;
        effects.push(Effect::Mark(decisions));
    }

    pub(in crate::app) fn undo(&mut self, effects: &mut Effects) {
        let Some(done) = self.take_undoable() else {
            return self.notify("no decision of this session is left to undo");
        };
        let what = done.first().map(|first| (describe_change(&first.change), first.place()));
        let notice = match (what, done.len()) {
            (Some((change, place)), 1) => format!("undone: {change} {place}"),
            (Some((change, _)), n) => format!("undone: {change} {n} records"),
            (None, _) => "undone".to_owned(),
        };
        let undo = |done: UndoableDecision| {
            let UndoableDecision { target, about, id, .. } = done;
            Decision { what: ReviewSubject::Target(target), change: Change::Undo(id), about }
        };
        effects.push(Effect::Mark(done.into_iter().map(undo).collect()));
        self.notify(notice);
    }

    /// Decisions on whole records: those selected, the one under the cursor, the open one; of a run the step in focus.
    fn wholes(&self, change: &Change) -> Vec<Decision> {
        if let Some(records) = self.front().marked_records(self) {
            return records.into_iter().filter_map(|record| self.on_record(record, change)).collect();
        }
        match self.session.format.layout() {
            Layout::Set => self.on_record(self.session.trajectory, change).into_iter().collect(),
            Layout::Run => self.on_step(None, change).into_iter().collect(),
        }
    }

    /// Decisions on what the cursor is on: records of the table, a value in State, else the step.
    fn parts(&self, change: &Change) -> Vec<Decision> {
        let content = self.front();
        if content.marked_records(self).is_some() {
            return self.wholes(change);
        }
        let value = content.marked_value(self);
        self.on_step(value, change).into_iter().collect()
    }

    fn on_record(&self, record: usize, change: &Change) -> Option<Decision> {
        let span = self.session.records.get(record)?.place.span;
        let what = ReviewSubject::Unit { unit: record, span, step: None, path: None };
        Some(Decision { what, change: change.clone(), about: self.about(record) })
    }

    fn on_step(&self, path: Option<(String, Option<String>)>, change: &Change) -> Option<Decision> {
        let open = self.session.open()?;
        let (step, place) = (open.step(), open.run().place(open.step())?);
        let (unit, span) = match self.session.format.layout() {
            Layout::Set => {
                let record = self.session.trajectory;
                (record, self.session.records.get(record)?.place.span)
            }
            Layout::Run => (usize::try_from(step).ok()?, place.place.span),
        };
        drop(open);
        let what = ReviewSubject::Unit { unit, span, step: Some(step), path };
        let record = if self.session.format.layout() == Layout::Set { unit } else { place.record };
        Some(Decision { what, change: change.clone(), about: self.about(record) })
    }

    fn about(&self, record: usize) -> About {
        let is_open = self.session.format.layout() == Layout::Run || self.session.trajectory == record;
        let open = is_open.then(|| self.session.open().and_then(|open| open.run().title())).flatten();
        let id = open.or_else(|| self.table.facts(record).map(|facts| facts.title.clone()));
        let file = self.session.path.as_ref().and_then(|path| path.file_name());
        let file = file.map(|name| name.to_string_lossy().into_owned());
        About { id: id.filter(|id| !id.is_empty()), file, record: Some(record as u64) }
    }

    /// The mark of what is decided on, as far as its content is known.
    fn mark_of(&self, decision: &Decision) -> Option<&Mark> {
        let review = &self.session.review;
        match &decision.what {
            ReviewSubject::Target(target) => review.marks().get(target),
            ReviewSubject::Unit { unit, step: None, .. } => review.unit_mark(*unit),
            ReviewSubject::Unit { unit, step: Some(step), path, .. } => {
                let all = review.step_marks(*unit, *step).into_iter();
                let is_it = |target: &crate::review::MarkTarget| match path {
                    None => target.path.is_none(),
                    Some((path, instance)) => target.path.as_ref() == Some(path) && target.instance == *instance,
                };
                all.into_iter().find(|(target, _)| is_it(target)).map(|(_, mark)| mark)
            }
        }
    }

    // ---- going

    pub(in crate::app) fn undecided_by(&mut self, is_forward: bool, effects: &mut Effects) {
        if self.is_on_attempts() && !self.attempts.is_list() {
            let all = self.attempts.others(is_forward);
            return match all.into_iter().find(|(_, record)| self.is_undecided(*record)) {
                Some((row, _)) => {
                    self.attempts.scroll.is_jump = true;
                    self.attempts.move_to(row);
                }
                None => self.notify("every attempt that is shown here is decided"),
            };
        }
        let (here, count) = match self.session.format.layout() {
            Layout::Set => (self.row_here(), self.table.count(&self.session)),
            Layout::Run => {
                let Some(open) = self.session.open() else { return };
                (usize::try_from(open.step()).unwrap_or(0), open.count())
            }
        };
        let is_known = self.session.review.units().len() >= count || self.session.review.marks().is_empty();
        let looked = if is_known { count } else { KEYED_MAX };
        let found = around(here, count, is_forward)
            .take(looked)
            .find(|unit| self.unit_at(*unit).is_some_and(|unit| self.is_undecided(unit)));
        match found {
            None if !is_known && count > looked => self.notify("none near here; the records are still being read"),
            None => self.notify("everything is decided"),
            Some(row) if self.is_on_table() => self.table.scroll.jump_to(row),
            Some(row) if self.session.format.layout() == Layout::Set => {
                self.opening = self.table.record_at(row);
                effects.extend(self.opening.map(|record| Effect::Job(Job::Open(record))));
            }
            Some(step) => self.jump_to(StepNo::try_from(step).unwrap_or(StepNo::MAX)),
        }
    }

    /// The row of the table that is here: that of its cursor, or of the open record.
    fn row_here(&self) -> usize {
        let open = (!self.is_on_table()).then(|| self.table.row_of(self.session.trajectory)).flatten();
        open.unwrap_or(self.table.scroll.cursor)
    }

    /// What a row of the table, or a step of a run, is.
    fn unit_at(&self, row: usize) -> Option<usize> {
        match self.session.format.layout() {
            Layout::Set => self.table.record_at(row),
            Layout::Run => Some(row),
        }
    }

    fn is_undecided(&self, unit: usize) -> bool {
        let review = &self.session.review;
        if review.marks().is_empty() || review.units().get(unit).is_some() || review.units().is_run() {
            return review.verdict(unit).is_none();
        }
        // Its key is still on its way.
        self.key_of(unit).and_then(|key| review.marks().verdict(key)).is_none()
    }

    fn key_of(&self, record: usize) -> Option<ContentKey> {
        let span: Span = self.session.records.get(record)?.place.span;
        (span.len <= KEYED_BYTES_MAX).then(|| ContentKey::read(self.session.bytes.as_ref(), span).ok())?
    }

    pub(in crate::app) fn mark_by(&mut self, is_forward: bool) {
        let word = if is_forward { "no later mark" } else { "no earlier mark" };
        if self.is_on_table() {
            let (here, count) = (self.table.scroll.cursor, self.table.count(&self.session));
            let review = &self.session.review;
            let has_marks = |row: &usize| self.table.record_at(*row).is_some_and(|record| review.has_marks(record));
            let found = if is_forward { (here + 1..count).find(has_marks) } else { (0..here).rev().find(has_marks) };
            return match found {
                Some(row) => self.table.scroll.jump_to(row),
                None => self.notify(word),
            };
        }
        let Some(here) = self.session.open().map(|open| open.step()) else { return };
        let steps = self.session.review.marked_steps(self.session.trajectory);
        let found = if is_forward {
            steps.iter().find(|step| **step > here)
        } else {
            steps.iter().rev().find(|step| **step < here)
        };
        match found {
            Some(step) => self.jump_to(*step),
            None => self.notify(word),
        }
    }
}

/// The units after (or before) one, then those from the other end, it itself last.
fn around(here: usize, count: usize, is_forward: bool) -> impl Iterator<Item = usize> {
    let step = move |i: usize| if is_forward { (here + i) % count } else { (here + count - i) % count };
    (1..=count).map(step)
}

/// A change in words, before what it is about.
fn describe_change(change: &Change) -> String {
    match change {
        Change::Decide(Some(verdict)) => format!("{}:", verdict.name()),
        Change::Decide(None) => "undecided:".to_owned(),
        Change::Flag(true) => "flag".to_owned(),
        Change::Flag(false) => "unflag".to_owned(),
        Change::Tag(tag) => format!("tag #{tag} on"),
        Change::Untag(tag) => format!("tag #{tag} off"),
        Change::Note(note) if note.is_empty() => "no note on".to_owned(),
        Change::Note(_) => "note on".to_owned(),
        Change::Undo(_) => "undo on".to_owned(),
    }
}
