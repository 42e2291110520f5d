//! Filters the steps of the list: all, or those that a filter lets through and the one in focus.
//!
//! The step in focus is always in the list, so that no jump leads out of it: one that the filter hides is there until
//! it is left.

use super::call_rows::{CallRows, OpenedCalls, call_before};
use super::{Open, Piece};
use crate::model::StepNo;
use crate::review::Filter;
use crate::text::{Role, SafeText, cut};
use std::cell::RefCell;
use std::rc::Rc;

/// Fewest cells in which a term of the filter is shown; with less room it is left out.
const CHIP_MIN: usize = 4;

/// A filter of steps, and what is known of the steps that it lets through.
#[derive(Debug, Default)]
pub struct StepFilter {
    /// The filter; empty shows all.
    pub filter: Filter,
    shown: Vec<StepNo>,
    /// Number of steps that were scanned, from the first on.
    looked: usize,
    /// The steps found by a scan that repeats the last one, whose result is shown meanwhile.
    rescan: Option<Vec<StepNo>>,
    /// Calls whose results have rows of their own.
    pub opened: OpenedCalls,
    calls: RefCell<CallRows>,
}

impl StepFilter {
    /// Nothing is known of any step.
    pub fn clear(&mut self) {
        (self.shown, self.looked, self.rescan) = (Vec::new(), 0, None);
    }

    /// Begins another scan of all steps; the steps found before are shown until it ends.
    pub fn begin_rescan(&mut self) {
        self.looked = 0;
        self.rescan = (!self.shown.is_empty()).then(Vec::new);
    }

    /// Adds the steps that pass among the next ones; `looked` is the number of steps scanned now.
    pub fn take(&mut self, looked: usize, passing: Vec<StepNo>) {
        self.looked = looked;
        self.rescan.as_mut().unwrap_or(&mut self.shown).extend(passing);
    }

    /// The scan has reached the last step: what it found is shown.
    pub fn end(&mut self) {
        if let Some(shown) = self.rescan.take() {
            self.shown = shown;
        }
    }

    /// Number of steps that were scanned.
    #[must_use]
    pub fn looked(&self) -> usize {
        self.looked
    }

    /// The steps that pass, in order, as far as they are known.
    #[must_use]
    pub fn shown(&self) -> &[StepNo] {
        &self.shown
    }

    /// The last step that passes, of those that are there; None without a filter.
    #[must_use]
    pub fn last(&self, open: &Open<'_>) -> Option<StepNo> {
        (!self.filter.is_empty()).then(|| self.there(open).last().copied()).flatten()
    }

    /// The steps that pass and that the run has: the content may have been replaced by one with fewer steps.
    fn there(&self, open: &Open<'_>) -> &[StepNo] {
        let last = open.last();
        self.shown.get(..self.shown.partition_point(|step| *step <= last)).unwrap_or_default()
    }

    /// Whether all steps were scanned and none passes.
    #[must_use]
    pub fn is_vain(&self, open: &Open<'_>) -> bool {
        !self.filter.is_empty() && self.rescan.is_none() && self.looked >= open.count() && self.there(open).is_empty()
    }

    /// The rows of the list.
    #[must_use]
    pub fn rows<'s>(&'s self, open: &Open<'_>) -> StepRows<'s> {
        if self.filter.is_empty() {
            let rows = self.calls.borrow_mut().update(open.run(), open.session.generation, &self.opened);
            let total = rows.as_ref().map_or(open.count(), |rows| rows.len());
            return StepRows { total, shown: rows.map_or(RowSteps::All, RowSteps::Calls), hidden: None };
        }
        let shown = self.there(open);
        let step = open.step();
        let hidden = shown.binary_search(&step).err().filter(|_| step >= 0).map(|row| (row, step));
        StepRows { total: shown.len() + usize::from(hidden.is_some()), shown: RowSteps::Passing(shown), hidden }
    }

    /// The filter and how many of how many steps pass, for a title of `cells` cells.
    #[must_use]
    pub fn label(&self, open: &Open<'_>, cells: usize) -> Vec<Piece> {
        if self.filter.is_empty() {
            return Vec::new();
        }
        let mark = if self.rescan.is_none() && self.looked < open.count() { "≥" } else { "" };
        let counts = format!("{mark}{}/{} ", self.there(open).len(), open.count());
        let mut out = vec![Piece::of(Role::Accent, &counts)];
        let mut left = cells.saturating_sub(counts.len());
        for term in self.filter.terms() {
            if left < CHIP_MIN {
                out.push(Piece::of(Role::Match, "…"));
                break;
            }
            let chip = Piece::safe(Role::Match, cut(&SafeText::of(&format!(" {term} ")), left));
            left = left.saturating_sub(chip.width() + 1);
            out.extend([chip, Piece::of(Role::Text, " ")]);
        }
        out
    }
}

/// The rows of the list of steps.
#[derive(Debug, Clone)]
pub struct StepRows<'s> {
    /// Number of rows.
    pub total: usize,
    shown: RowSteps<'s>,
    /// The step in focus, where the filter hides it, and its row.
    hidden: Option<(usize, StepNo)>,
}

/// Which steps have rows.
#[derive(Debug, Clone)]
enum RowSteps<'s> {
    /// All.
    All,
    /// Those that a filter lets through.
    Passing(&'s [StepNo]),
    /// All but results that are in the rows of their calls.
    Calls(Rc<Vec<StepNo>>),
}

impl StepRows<'_> {
    /// The step of a row; of a call with its result the call.
    #[must_use]
    pub fn step(&self, row: usize) -> StepNo {
        let number = match (&self.shown, self.hidden) {
            (RowSteps::All, _) => StepNo::try_from(row).ok(),
            (RowSteps::Calls(shown), _) => shown.get(row).copied(),
            (_, Some((at, step))) if row == at => Some(step),
            (RowSteps::Passing(shown), Some((at, _))) if row > at => shown.get(row - 1).copied(),
            (RowSteps::Passing(shown), _) => shown.get(row).copied(),
        };
        number.unwrap_or(StepNo::MAX)
    }

    /// The row of a step, or of the next one that has a row; of a result that is in the row of its call that row.
    #[must_use]
    pub fn row(&self, open: &Open<'_>, step: StepNo) -> usize {
        let shown = match &self.shown {
            RowSteps::All => return usize::try_from(step).unwrap_or(0),
            RowSteps::Calls(shown) => {
                let has_row = shown.binary_search(&step);
                let call = || call_before(open.run(), step).and_then(|call| shown.binary_search(&call).ok());
                return has_row.unwrap_or_else(|next| call().unwrap_or(next));
            }
            RowSteps::Passing(shown) => shown,
        };
        let before = shown.partition_point(|shown| *shown < step);
        before + usize::from(self.hidden.is_some_and(|(_, hidden)| hidden < step))
    }

    /// Whether results are in the rows of their calls.
    #[must_use]
    pub fn has_calls(&self) -> bool {
        matches!(self.shown, RowSteps::Calls(_))
    }

    /// Whether the filter hides the step of a row.
    #[must_use]
    pub fn is_hidden(&self, row: usize) -> bool {
        self.hidden.is_some_and(|(at, _)| at == row)
    }
}
