//! W7, W8: which lines a step put in the place of which, and which lines the agent believed that were others already.

use super::Work;
use super::file_view::FileId;
use super::history::Version;
use super::text::{LineId, Texts};
use crate::model::StepNo;
use std::collections::{HashMap, HashSet};

/// Changes of more lines are not paired: all of their lines are new.
const CHANGE_LINES_MAX: usize = 20_000;
/// Most comparisons of lines for one run of changed lines; after them old and new are paired in order.
const PAIRS_MAX: usize = 4_096;
/// Words of which two lines share at least this part are the same line, changed: in hundredths.
const ALIKE_PER_CENT: usize = 40;
/// Words of a line that are compared.
const WORDS_MAX: usize = 64;

/// What one step changed of a file: for its new lines, the old line in whose place they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replaced {
    by: HashMap<LineId, LineId>,
}

impl Replaced {
    /// The line that was there before; None: it was added.
    #[must_use]
    pub fn before(&self, line: LineId) -> Option<LineId> {
        self.by.get(&line).copied()
    }
}

/// A line that the agent believed and that had changed underneath (W7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaleLine {
    /// The last step that had it.
    pub since: StepNo,
    /// The step that likely changed it, if one could have.
    pub by: Option<StepNo>,
    /// The step that showed what is there.
    pub shown: StepNo,
}

impl Work {
    /// Steps after or before this one that wrote a file or corrected what was known: the next.
    #[must_use]
    pub fn next_write(&self, file: FileId, step: StepNo, is_forward: bool) -> Option<StepNo> {
        let versions = &self.files.list.get(file.0)?.versions;
        let is_write = |version: &&Version| is_write(version);
        if is_forward {
            return versions.after(step).iter().find(is_write).map(|version| version.step);
        }
        versions.up_to(step.saturating_sub(1)).iter().rev().find(is_write).map(|version| version.step)
    }

    /// The last step up to this one that wrote a file or corrected what was known.
    #[must_use]
    pub fn last_write(&self, file: FileId, step: StepNo) -> Option<StepNo> {
        self.next_write(file, step.saturating_add(1), false)
    }

    /// Whether a step corrected what was known of a file (W7).
    #[must_use]
    pub fn is_correction(&self, file: FileId, step: StepNo) -> bool {
        let version = self.files.list.get(file.0).and_then(|file| file.versions.up_to(step).last());
        version.is_some_and(|version| version.step == step && version.outside().is_some())
    }

    /// What a step put in the place of what; empty where it changed nothing, or too much to report.
    #[must_use]
    pub fn replaced(&self, file: FileId, step: StepNo) -> Replaced {
        let change = self.files.list.get(file.0).and_then(|file| file.versions.change(step, CHANGE_LINES_MAX));
        let Some(change) = change else { return Replaced::default() };
        let old: Vec<LineId> = change.removed.iter().map(|cell| cell.id).collect();
        let new: Vec<LineId> = change.added.iter().map(|cell| cell.id).collect();
        let was: HashMap<LineId, usize> = old.iter().copied().zip(0..).collect();
        let is: HashSet<LineId> = new.iter().copied().collect();
        let mut by = HashMap::new();
        let mut at = 0;
        // Lines that stay part the change into runs, in each of which old lines give way to new ones.
        let mut run: Vec<LineId> = Vec::new();
        for id in new.iter().map(|id| Some(*id)).chain([None]) {
            match id {
                Some(id) if !was.contains_key(&id) => run.push(id),
                unchanged => {
                    let end = unchanged.and_then(|id| was.get(&id).copied()).unwrap_or(old.len()).max(at);
                    let gone: Vec<LineId> = old[at..end].iter().copied().filter(|id| !is.contains(id)).collect();
                    pair(&gone, &run, &self.texts, &mut by);
                    run.clear();
                    at = (end + usize::from(unchanged.is_some())).min(old.len());
                }
            }
        }
        Replaced { by }
    }

    /// W7: the lines of a file that the agent believed at a step and that had changed underneath, or may have.
    #[must_use]
    pub fn stale_lines(&self, file: FileId, step: StepNo) -> HashMap<LineId, StaleLine> {
        let mut stale = HashMap::new();
        let Some(file) = self.files.list.get(file.0) else { return stale };
        for change in file.versions.corrections_after(step) {
            let Some(outside) = change.outside else { continue };
            let from = outside.by.unwrap_or(outside.since.saturating_add(1));
            if step < from {
                continue;
            }
            let added: HashSet<LineId> = change.added.iter().map(|cell| cell.id).collect();
            for cell in change.removed.iter().filter(|cell| !added.contains(&cell.id)) {
                let line = StaleLine { since: outside.since, by: outside.by, shown: change.step };
                stale.entry(cell.id).or_insert(line);
            }
        }
        stale
    }
}

/// Whether a version is a write of the run, or a correction.
fn is_write(version: &Version) -> bool {
    version.changed() == Some(version.step) || version.outside().is_some()
}

/// Pairs the lines of a run with those that they replace, in order: those that share words, where that can be reported.
fn pair(old: &[LineId], new: &[LineId], texts: &Texts, by: &mut HashMap<LineId, LineId>) {
    if old.is_empty() || new.is_empty() {
        return;
    }
    if old.len().saturating_mul(new.len()) > PAIRS_MAX {
        by.extend(new.iter().copied().zip(old.iter().copied()));
        return;
    }
    let words = |id: &LineId| words(texts.text(*id));
    let (old_words, new_words): (Vec<_>, Vec<_>) = (old.iter().map(words).collect(), new.iter().map(words).collect());
    let width = new.len() + 1;
    // The most that lines from here on have in common.
    let mut most = vec![0_usize; (old.len() + 1) * width];
    let value = |i: usize, j: usize| alike(&old_words[i], &new_words[j]);
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let both = value(i, j).map_or(0, |value| value + most[(i + 1) * width + j + 1]);
            most[i * width + j] = both.max(most[(i + 1) * width + j]).max(most[i * width + j + 1]);
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        let here = most[i * width + j];
        if here == most[(i + 1) * width + j] {
            i += 1;
        } else if here == most[i * width + j + 1] {
            j += 1;
        } else {
            by.insert(new[j], old[i]);
            (i, j) = (i + 1, j + 1);
        }
    }
}

/// The words of a line, sorted; a line without any has its signs.
fn words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .take(WORDS_MAX)
        .collect();
    if words.is_empty() {
        words.extend(Some(text.trim()).filter(|signs| !signs.is_empty()));
    }
    words.sort_unstable();
    words
}

/// How much of two lines is the same, in hundredths; None: too little.
fn alike(old: &[&str], new: &[&str]) -> Option<usize> {
    let (mut i, mut j, mut same) = (0, 0, 0);
    while i < old.len() && j < new.len() {
        match old[i].cmp(new[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, same) = (i + 1, j + 1, same + 1),
        }
    }
    let per_cent = 200 * same / (old.len() + new.len()).max(1);
    (per_cent >= ALIKE_PER_CENT).then_some(per_cent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::work::text::{How, LineOrigin};

    /// For each new line the place of the old one that it replaces.
    fn paired(old: &[&str], new: &[&str]) -> Vec<Option<usize>> {
        let mut texts = Texts::default();
        let origin = LineOrigin { step: 0, call: 0, how: How::Edit };
        let mut add = |lines: &[&str]| texts.add(lines.iter().map(|line| (*line, origin)));
        let (old, new) = (add(old), add(new));
        let mut by = HashMap::new();
        pair(&old, &new, &texts, &mut by);
        let place = |id: &LineId| by.get(id).and_then(|before| old.iter().position(|line| line == before));
        new.iter().map(place).collect()
    }

    #[test]
    fn w8_a_new_line_replaces_the_old_one_that_is_most_like_it() {
        let new = ["has_base = any(bases)", "if slots and not has_base:"];
        assert_eq!(paired(&["if slots:"], &new), [None, Some(0)]);
        assert_eq!(paired(&["a = 1", "b = 2"], &["b = 3", "a = 4"]), [Some(1), None]);
        assert_eq!(paired(&["}"], &["};", "}"]), [None, Some(0)]);
        assert_eq!(paired(&["one"], &["two"]), [None]);
        assert_eq!(paired(&[], &["two"]), [None]);
        assert_eq!(paired(&[""], &[""]), [None], "an empty line is like no other");
    }
}
