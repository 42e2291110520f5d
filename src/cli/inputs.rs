//! The files that a command was given: files, standard input, patterns, and folders for all files in them.

use super::args::FileName;
use super::{TROUBLE, complain};
use crate::ingest::{RewardFiles, is_input_folder, is_log};
use crate::model::Problem;
use crate::source::{self, FilesBelow};
use std::path::Path;
use std::sync::Arc;

/// What is to be read, in order.
pub(super) struct Inputs {
    /// Paths, and `-` for standard input.
    pub(super) names: Vec<FileName>,
    /// Which of them were found in a folder or by a pattern, and not named.
    found: Vec<bool>,
    /// Files of folders that are named like logs and are none, or cannot be read.
    passed_over: Vec<FileName>,
    /// What is wrong with folders and patterns.
    troubles: Vec<Problem>,
    /// Files with the rewards of runs that were read.
    pub(super) rewards: Arc<RewardFiles>,
}

impl Inputs {
    /// What arguments stand for: a folder for the files of records at any depth below it, sorted by path, without what
    /// obelus wrote itself; a pattern for the files that fit it, sorted too.
    pub(super) fn of(arguments: &[FileName]) -> Self {
        Self::that(arguments, &|path| !source::is_obelus_file(path))
    }

    /// The same of answers that obelus printed.
    pub(super) fn of_answers(arguments: &[FileName]) -> Self {
        Self::that(arguments, &|_| true)
    }

    /// Of folders only the files that are wanted.
    fn that(arguments: &[FileName], is_wanted: &dyn Fn(&Path) -> bool) -> Self {
        let (names, found, passed_over) = Default::default();
        let mut inputs = Self { names, found, passed_over, troubles: Vec::new(), rewards: Arc::default() };
        for argument in arguments {
            inputs.found.resize(inputs.names.len(), true);
            let path: &Path = argument.as_ref();
            if source::is_pattern(path) {
                inputs.take_pattern(path);
                continue;
            }
            if argument.is_stdin() && inputs.names.contains(argument) {
                inputs.troubles.push(twice());
                continue;
            }
            if argument.is_stdin() || !path.is_dir() || is_input_folder(path) {
                inputs.names.push(argument.clone());
                inputs.found.push(false);
                continue;
            }
            let FilesBelow { mut files, passed_over, mut troubles } =
                source::files_below(path, is_input_folder, is_log);
            files.retain(|file| is_wanted(&path.join(file)));
            inputs.passed_over.extend(passed_over.iter().map(|file| FileName::from(path.join(file))));
            if files.is_empty() && troubles.is_empty() {
                let problem = Problem::unreadable(format!("{argument}: there is no file of records in this folder"));
                let hint = "such files end in .jsonl, .ndjson, .json or .parquet, logs also in .eval, .traj, .af, .db \
                            or .sqlite; packed ones in .gz or .zst";
                troubles.push(problem.hint(hint));
            }
            inputs.names.extend(files.iter().map(|file| FileName::from(path.join(file))));
            inputs.troubles.append(&mut troubles);
        }
        inputs.found.resize(inputs.names.len(), true);
        inputs
    }

    /// What is to be read, and whether it was found in a folder or by a pattern.
    pub(super) fn files(&self) -> impl Iterator<Item = (&FileName, bool)> {
        self.names.iter().zip(self.found.iter().copied())
    }

    /// Files of folders that are named like logs and are none, or cannot be read.
    pub(super) fn passed_over(&self) -> &[FileName] {
        &self.passed_over
    }

    /// What arguments stand for, for a command that reads all of them or none.
    ///
    /// # Errors
    /// The first thing that is wrong with a folder or pattern.
    pub(super) fn all(arguments: &[FileName]) -> Result<Self, Problem> {
        let mut inputs = Self::of(arguments);
        if inputs.troubles.is_empty() { Ok(inputs) } else { Err(inputs.troubles.swap_remove(0)) }
    }

    fn take_pattern(&mut self, pattern: &Path) {
        match source::files_matching(pattern) {
            Ok((files, mut troubles)) => {
                self.names.extend(files.into_iter().map(FileName::from));
                self.troubles.append(&mut troubles);
            }
            Err(problem) => self.troubles.push(problem),
        }
    }

    /// What is wrong with folders and patterns, as messages.
    pub(super) fn troubles(&self) -> impl Iterator<Item = String> {
        self.troubles.iter().map(ToString::to_string)
    }

    /// Reports what is wrong with folders and patterns; the exit status that this means.
    pub(super) fn complain(&self) -> u8 {
        self.troubles().for_each(|trouble| complain(&trouble));
        if self.troubles.is_empty() { 0 } else { TROUBLE }
    }
}

fn twice() -> Problem {
    Problem::usage("standard input is named twice, and can be read once")
}

/// Arguments with the files that fit in place of each pattern; folders stay.
///
/// # Errors
/// Nothing fits a pattern, a folder on its way cannot be read, or standard input is named twice.
pub(super) fn spread(arguments: &[FileName]) -> Result<Vec<FileName>, Problem> {
    let mut out = Vec::new();
    for argument in arguments {
        if argument.is_stdin() && out.contains(argument) {
            return Err(twice());
        }
        if !source::is_pattern(argument.as_ref()) {
            out.push(argument.clone());
            continue;
        }
        let (files, troubles) = source::files_matching(argument.as_ref())?;
        if let Some(trouble) = troubles.into_iter().next() {
            return Err(trouble);
        }
        out.extend(files.into_iter().map(FileName::from));
    }
    Ok(out)
}
