//! The files that a command was given: files, standard input, and folders for all files in them.

use super::args::FileName;
use super::{TROUBLE, complain};
use crate::model::Problem;
use crate::source;
use std::path::Path;

/// What is to be read, in order.
pub(super) struct Inputs {
    /// Paths, and `-` for standard input.
    pub(super) names: Vec<FileName>,
    /// What is wrong with folders.
    troubles: Vec<Problem>,
}

impl Inputs {
    /// What arguments stand for: a folder for the files of records at any depth below it, sorted by path.
    pub(super) fn of(arguments: &[FileName]) -> Self {
        let mut inputs = Self { names: Vec::new(), troubles: Vec::new() };
        for argument in arguments {
            let path: &Path = argument.as_ref();
            if argument.is_stdin() || !path.is_dir() {
                inputs.names.push(argument.clone());
                continue;
            }
            let (files, mut troubles) = source::files_below(path);
            if files.is_empty() && troubles.is_empty() {
                let problem = Problem::unreadable(format!("{argument}: there is no file of records in this folder"));
                troubles
                    .push(problem.hint("such files end in .jsonl, .ndjson or .json, packed ones also in .gz or .zst"));
            }
            inputs.names.extend(files.iter().map(|file| FileName::from(path.join(file))));
            inputs.troubles.append(&mut troubles);
        }
        inputs
    }

    /// What is wrong with folders, as messages.
    pub(super) fn troubles(&self) -> impl Iterator<Item = String> {
        self.troubles.iter().map(ToString::to_string)
    }

    /// Tells what is wrong with folders; the exit status that this means.
    pub(super) fn complain(&self) -> u8 {
        self.troubles().for_each(|trouble| complain(&trouble));
        if self.troubles.is_empty() { 0 } else { TROUBLE }
    }
}
