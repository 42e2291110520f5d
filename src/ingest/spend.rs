//! What a run spent: in its own file, and with the runs of its sub-agents in files of their own (`FORMATS.md` 0.4.6).

use super::{Loaded, open};
use crate::batch::UsageWithParts;
use crate::format::Run;
use crate::model::{PartRole, PartState};
use crate::source::Input;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// How deep sub-agents of sub-agents are followed, and how many files of a run are read.
const DEPTH_MAX: usize = 8;
const FILES_MAX: usize = 4096;

/// What a run and its sub-agents spent; None: it has none in files of their own.
#[must_use]
pub fn usage_with_parts(run: &dyn Run, input: &Input) -> Option<UsageWithParts> {
    let mut all = Files { seen: HashSet::new(), reported: UsageWithParts::default() };
    all.reported.add(run);
    all.seen.extend(input.path().and_then(|path| path.canonicalize().ok()));
    all.add_parts(run, 0);
    (all.reported.sub_agents + all.reported.missing > 0).then_some(all.reported)
}

/// The files that were read, and what they reported.
struct Files {
    seen: HashSet<PathBuf>,
    reported: UsageWithParts,
}

impl Files {
    fn add_parts(&mut self, run: &dyn Run, depth: usize) {
        let found = run.parts().iter().zip(run.part_states());
        for (_, state) in found.filter(|(part, _)| part.role == PartRole::SubAgent) {
            match state {
                PartState::Found { path, .. } => self.add_file(path, depth),
                PartState::Missing => self.reported.missing += 1,
            }
        }
    }

    fn add_file(&mut self, path: &Path, depth: usize) {
        let name = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if depth >= DEPTH_MAX || self.seen.len() >= FILES_MAX || !self.seen.insert(name) {
            return;
        }
        let read = |loaded: &Loaded| loaded.run(0).ok();
        let Some(run) = open(path, None).ok().as_ref().and_then(read) else {
            self.reported.missing += 1;
            return;
        };
        self.reported.sub_agents += 1;
        self.reported.add(run.as_ref());
        self.add_parts(run.as_ref(), depth + 1);
    }
}
