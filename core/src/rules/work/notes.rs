//! W11: what is worth a look in what a run did.

use super::bare_name::bare_name;
use super::call::{Action, Call};
use super::names::{Names, each_word, has_word};
use super::outcome::Outcome;
use super::path::last_name;
use super::tables::{self, CLAIM, FAILURE_WORDS, NOT_CLAIM, TESTS};
use crate::json::pointer_escape;
use crate::model::{Finding, Remark, Severity, StepNo, StepRole, Turn, TurnPart};
use std::collections::HashMap;
use std::sync::Arc;

/// Results in a row of one same call that failed.
const FAILURES_IN_A_ROW: u32 = 3;

/// Names of files that are sought in a text one by one; more of them are found by going through its words.
const SOUGHT_NAMES_MAX: usize = 8;

/// What was noted so far.
#[derive(Debug, Default)]
pub(super) struct Notes {
    notes: Vec<Note>,
    /// The last call that failed, and how often in a row.
    repeated: Option<(u64, u32)>,
    /// Edits that failed last, by file, while nobody named the file since.
    failed: HashMap<usize, (StepNo, Arc<str>)>,
    /// The same by the file's last name.
    failed_names: HashMap<Box<str>, Vec<usize>>,
    /// What the last step says, if it is an agent's text or a call that ends the run.
    end: Option<End>,
    /// Whether tests may have run.
    has_tests: bool,
    /// Names that were somewhere.
    pub(super) names: Names,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Note {
    step: StepNo,
    path: Option<Arc<str>>,
    rule: &'static str,
    severity: Severity,
    message: String,
}

#[derive(Debug)]
struct End {
    step: StepNo,
    words: String,
}

impl Notes {
    fn note(&mut self, step: StepNo, path: Option<&Arc<str>>, rule: &'static str, severity: Severity, message: String) {
        self.notes.push(Note { step, path: path.cloned(), rule, severity, message });
    }

    pub(super) fn changed_outside(&mut self, step: StepNo, path: &Arc<str>, since: StepNo) {
        let message = format!(
            "the file differs from what the agent knew since step {since}, and no call between could have changed it"
        );
        self.note(step, Some(path), "work.changed-outside", Severity::Warning, message);
    }

    /// `FORMATS.md` 1: the base of an edit is unlike the replay, and a call between may be why.
    pub(super) fn base_differs(&mut self, step: StepNo, path: &Arc<str>, since: StepNo, by: StepNo) {
        let message = format!(
            "the edit found the file other than the run left it at step {since}; step {by} may have changed it"
        );
        self.note(step, Some(path), "log.replay-differs", Severity::Info, message);
    }

    pub(super) fn reply_differs(&mut self, step: StepNo, path: &Arc<str>) {
        let message = "the reply shows other lines than the edit and the lines known before give".to_owned();
        self.note(step, Some(path), "work.reply-differs", Severity::Warning, message);
    }

    pub(super) fn never_read(&mut self, step: StepNo, path: &str) {
        let message = "the file was edited without being read, and nothing before names it".to_owned();
        self.note(step, Some(&path.into()), "work.never-read", Severity::Info, message);
    }

    pub(super) fn stale_edit(&mut self, step: StepNo, path: &Arc<str>) {
        let message = "the text to replace is not in the file as the agent knew it".to_owned();
        self.note(step, Some(path), "work.stale-edit", Severity::Info, message);
    }

    pub(super) fn failed_edit(&mut self, step: StepNo, file: usize, path: &Arc<str>) {
        self.failed.insert(file, (step, Arc::clone(path)));
        let files = self.failed_names.entry(last_name(path).into()).or_default();
        if !files.contains(&file) {
            files.push(file);
        }
    }

    /// W11: the third error in a row of one same call.
    pub(super) fn result(&mut self, step: StepNo, call: &Call, outcome: Outcome) {
        if !outcome.is_error() {
            self.repeated = None;
            return;
        }
        let count = self.repeated.filter(|(key, _)| *key == call.key).map_or(0, |(_, count)| count) + 1;
        self.repeated = Some((call.key, count));
        if count == FAILURES_IN_A_ROW {
            let message = format!("the same call of {} failed three times in a row", call.name);
            self.note(step, None, "work.repeated-failure", Severity::Warning, message);
        }
    }

    /// A call is made: whether tests may run with it.
    pub(super) fn call(&mut self, call: &Call) {
        let may_run_tests = || match &call.action {
            Action::Shell { command, .. } => TESTS.is_match(command),
            Action::Input { text } => TESTS.is_match(text),
            Action::Code => true,
            _ => false,
        };
        self.has_tests = self.has_tests || call.name.contains("test") || may_run_tests();
    }

    /// Names in a text of the run.
    pub(super) fn text(&mut self, text: &str) {
        let (failed, names) = (&mut self.failed, &mut self.failed_names);
        let mut is_named = |files: &[usize]| files.iter().for_each(|file| drop(failed.remove(file)));
        if names.len() > SOUGHT_NAMES_MAX {
            each_word(text, |word| names.remove(word).iter().for_each(|files| is_named(files)));
        } else if !names.is_empty() {
            names.retain(|name, files| {
                let is_there = has_word(text, name);
                if is_there {
                    is_named(files);
                }
                !is_there
            });
        }
        self.names.add(text);
    }

    /// The next step, if it is neither state nor the system's.
    pub(super) fn step(&mut self, step: StepNo, turn: &Turn<'_>) {
        if turn.parts.is_empty() || turn.role == StepRole::System {
            return;
        }
        let says = |part: &TurnPart<'_>| matches!(part, TurnPart::Text(_) | TurnPart::Call(_));
        let goes_on = |part: &TurnPart<'_>| match part {
            TurnPart::Call(call) => !tables::has("finish", &bare_name(&call.name)),
            _ => false,
        };
        let is_end = turn.role == StepRole::Agent && turn.parts.iter().any(says) && !turn.parts.iter().any(goes_on);
        self.end = is_end.then(|| End { step, words: words_of(turn) });
    }

    /// W11: findings of a record, as if its run ended here. `seen`: the last step at which a file was changed or seen.
    pub(super) fn findings(
        &self,
        record: usize,
        has_open_todos: bool,
        seen: impl Fn(usize) -> Option<StepNo>,
    ) -> Vec<Finding> {
        let all = self.notes.iter().cloned().chain(self.end_notes(has_open_todos, seen));
        let finding = |note: Note| {
            let path = note.path.map(|path| format!("/file/{}", pointer_escape(&path)).into());
            let Note { rule, severity, message, .. } = note;
            Finding::new(record, Some(note.step), Remark { path, rule, severity, message: message.into() })
        };
        Finding::in_order(all.map(finding).collect())
    }

    /// The trajectory ends here, and another begins.
    pub(super) fn end_trajectory(&mut self, has_open_todos: bool, seen: impl Fn(usize) -> Option<StepNo>) {
        let mut notes = self.end_notes(has_open_todos, seen);
        notes.splice(0..0, std::mem::take(&mut self.notes));
        *self = Self { notes, ..Self::default() };
    }

    /// What is noted of a trajectory that ends here.
    fn end_notes(&self, has_open_todos: bool, seen: impl Fn(usize) -> Option<StepNo>) -> Vec<Note> {
        let mut all = Vec::new();
        if let Some(end) = &self.end {
            if !self.failed.is_empty() && !FAILURE_WORDS.is_match(&end.words) {
                let open = self.failed.iter().filter(|(file, (step, _))| seen(**file).is_none_or(|seen| seen < *step));
                all.extend(open.map(|(_, (step, path))| Note {
                    step: *step,
                    path: Some(Arc::clone(path)),
                    rule: "work.failed-edit",
                    severity: Severity::Warning,
                    message: "the last edit of the file failed, and the run ends without a word of it".to_owned(),
                }));
            }
            let note = |rule, severity, message: &str| Note {
                step: end.step,
                path: None,
                rule,
                severity,
                message: message.to_owned(),
            };
            if !self.has_tests && claims_tests(&end.words) {
                let message = "the agent says that tests pass, and the run has no call that runs tests";
                all.push(note("work.claimed-tests", Severity::Warning, message));
            }
            if has_open_todos {
                all.push(note("work.todo-open", Severity::Info, "the run ends with open items in its todo list"));
            }
        }
        all
    }
}

/// What a turn says that ends the run.
fn words_of(turn: &Turn<'_>) -> String {
    let mut words = String::new();
    for part in &turn.parts {
        match part {
            TurnPart::Text(text) => {
                words.reserve(text.len() + 1);
                words.push_str(text);
                words.push('\n');
            }
            TurnPart::Call(call) => words.push_str(&call.arguments.replace("\\n", "\n")),
            _ => {}
        }
    }
    words
}

/// W11: whether a sentence claims that tests pass, and nothing in it takes that back.
fn claims_tests(words: &str) -> bool {
    CLAIM.find_all(words).any(|found| {
        let is_end = |c: char| matches!(c, '.' | '!' | '?' | '\n');
        let start = words[..found.start()].rfind(is_end).map_or(0, |at| at + 1);
        let end = words[found.end()..].find(is_end).map_or(words.len(), |at| found.end() + at);
        !NOT_CLAIM.is_match(&words[start..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w11_only_a_statement_that_tests_pass_is_a_claim() {
        for (words, expected) in [
            ("Done, all tests pass now.", true),
            ("You should make sure that all tests pass.", false),
            ("I could not run it. All the unit tests passed!", true),
            ("The tests are now passing", true),
            ("No tests here", false),
        ] {
            assert_eq!(claims_tests(words), expected, "{words}");
        }
    }
}
