//! What a run spent: in its own file, and with the runs of its sub-agents in files of their own (`FORMATS.md` 0.4.6).

use super::{Loaded, open};
use crate::format::Run;
use crate::model::{PartRole, PartState, Usage};
use crate::source::Input;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// How deep sub-agents of sub-agents are followed, and how many files of a run are read.
const DEPTH_MAX: usize = 8;
const FILES_MAX: usize = 4096;

/// Tokens and cost of a run, as its log gives them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Tokens read, those of a cache left out.
    pub input: u64,
    /// Tokens written, reasoning among them.
    pub output: u64,
    /// Tokens read from a cache.
    pub cache_read: u64,
    /// Tokens written into a cache.
    pub cache_write: u64,
    /// In the currency of the log.
    pub cost: Option<f64>,
}

impl Spent {
    fn of(usage: &Usage) -> Option<Self> {
        (*usage != Usage::default()).then(|| Self {
            input: usage.input.unwrap_or(0),
            output: usage.output.unwrap_or(0),
            cache_read: usage.cache_read.unwrap_or(0),
            cache_write: usage.cache_write.unwrap_or(0),
            cost: usage.cost,
        })
    }

    /// Adds what another run spent.
    pub fn add(&mut self, other: &Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.cost = match (self.cost, other.cost) {
            (None, cost) | (cost, None) => cost,
            (Some(own), Some(other)) => Some(own + other),
        };
    }
}

/// Adds to a sum that may have nothing yet.
pub fn add_spent(sum: &mut Option<Spent>, more: Option<&Spent>) {
    if let Some(more) = more {
        sum.get_or_insert_with(Spent::default).add(more);
    }
}

/// The files of sub-agents of a run, and what all of them spent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WithParts {
    /// Sub-agents whose files were read.
    pub sub_agents: u64,
    /// Sub-agents whose files are not there or cannot be read: what they spent is not known.
    pub missing: u64,
    /// The run and these; each file counts once.
    pub spent: Option<Spent>,
}

/// What a run itself spent; None: its log does not say.
#[must_use]
pub fn spent(run: &dyn Run) -> Option<Spent> {
    Spent::of(&run.work()?.spent())
}

/// What a run and its sub-agents spent; None: it has none in files of their own.
#[must_use]
pub fn spent_with_parts(run: &dyn Run, input: &Input) -> Option<WithParts> {
    let mut all = Files { seen: HashSet::new(), told: WithParts { spent: spent(run), ..WithParts::default() } };
    all.seen.extend(input.path().and_then(|path| path.canonicalize().ok()));
    all.add_parts(run, 0);
    (all.told.sub_agents + all.told.missing > 0).then_some(all.told)
}

/// The files that were read, and what they reported.
struct Files {
    seen: HashSet<PathBuf>,
    told: WithParts,
}

impl Files {
    fn add_parts(&mut self, run: &dyn Run, depth: usize) {
        let sub_agents = run.parts().iter().filter(|part| part.role == PartRole::SubAgent);
        for part in sub_agents {
            match part.step.and_then(|step| run.part_of(step)) {
                Some((_, Some(PartState::Found { path, .. }))) => self.add_file(path, depth),
                _ => self.told.missing += 1,
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
            self.told.missing += 1;
            return;
        };
        self.told.sub_agents += 1;
        add_spent(&mut self.told.spent, spent(run.as_ref()).as_ref());
        self.add_parts(run.as_ref(), depth + 1);
    }
}
