//! What a log reports of a run as a whole, beside its steps.

use super::conversation::Usage;

/// Facts on a run. What its log does not say is not known: None, never a number.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunFacts {
    /// The task that it is an attempt at.
    pub task: Option<String>,
    /// The agent that ran.
    pub agent: Option<String>,
    /// The model that answered; the last of several.
    pub model: Option<String>,
    /// How it ended, in a word of the log.
    pub finish: Option<String>,
    /// How good it was, where no step has a reward.
    pub reward: Option<f64>,
    /// The file beside the log from which its reward was taken, or why there is none in it.
    pub reward_from: Option<String>,
    /// Microseconds that it took.
    pub micros: Option<u64>,
    /// Tokens and cost as the log gives them.
    pub usage: Usage,
}
