//! Token usage and cost, as logs report them.

use crate::model::Usage;
use serde::{Deserialize, Serialize};

/// Tokens and cost of a run, as its log gives them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RunUsage {
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

impl RunUsage {
    /// What is known of a usage; None: nothing.
    #[must_use]
    pub fn of(usage: &Usage) -> Option<Self> {
        (*usage != Usage::default()).then(|| Self {
            input: usage.input.unwrap_or(0),
            output: usage.output.unwrap_or(0),
            cache_read: usage.cache_read.unwrap_or(0),
            cache_write: usage.cache_write.unwrap_or(0),
            cost: usage.cost,
        })
    }

    /// Adds the usage of another run.
    pub fn add(&mut self, other: &Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.cost = match (self.cost, other.cost) {
            (None, cost) | (cost, None) => cost,
            (Some(this), Some(other)) => Some(this + other),
        };
    }
}

/// Adds to a sum that may have nothing yet.
pub fn add_usage(sum: &mut Option<RunUsage>, more: Option<&RunUsage>) {
    if let Some(more) = more {
        sum.get_or_insert_with(RunUsage::default).add(more);
    }
}
