//! The columns of the table of records: what each holds, and what a filter calls it.

use super::custom_columns::CustomColumn;
use super::field::{Names, Numbers, Texts};

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each column's meaning is its sentence in about()")]
pub enum Column {
    Number,
    Mark,
    Id,
    Steps,
    Findings,
    Failed,
    Actions,
    Tools,
    Tokens,
    Chars,
    Size,
    Reward,
    Finish,
    Cost,
    Duration,
    Model,
    Words,
    GroupSize,
    GroupPass,
    GroupAdvantage,
    GroupMean,
    GroupDeviation,
    GroupSignal,
    Custom(CustomColumn),
}

impl Column {
    /// All built-in columns, in the order in which they are.
    pub const ALL: [Self; 23] = [
        Self::Number,
        Self::Mark,
        Self::Id,
        Self::Steps,
        Self::Findings,
        Self::Failed,
        Self::Finish,
        Self::Reward,
        Self::Cost,
        Self::Duration,
        Self::Model,
        Self::Tokens,
        Self::Words,
        Self::GroupSize,
        Self::GroupPass,
        Self::GroupAdvantage,
        Self::Tools,
        Self::Actions,
        Self::GroupMean,
        Self::GroupDeviation,
        Self::GroupSignal,
        Self::Chars,
        Self::Size,
    ];

    /// Its heading.
    #[must_use]
    pub fn title(&self) -> &str {
        match self {
            Self::Number => "#",
            Self::Mark => "mark",
            Self::Id => "id",
            Self::Steps => "steps",
            Self::Findings => "issues",
            Self::Failed => "failed",
            Self::Actions => "actions",
            Self::Tools => "tools",
            Self::Tokens => "tokens ≈",
            Self::Chars => "chars",
            Self::Size => "size",
            Self::Reward => "reward",
            Self::Finish => "finish",
            Self::Cost => "cost",
            Self::Duration => "duration",
            Self::Model => "model",
            Self::Words => "begins with",
            Self::GroupSize => "attempts",
            Self::GroupPass => "pass",
            Self::GroupAdvantage => "advantage",
            Self::GroupMean => "mean",
            Self::GroupDeviation => "sd",
            Self::GroupSignal => "signal",
            Self::Custom(name) => name.as_str(),
        }
    }

    /// What it holds, in a few words.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Number => "number of the record, from 0",
            Self::Mark => "what was decided: good, bad, unsure, flag",
            Self::Id => "id of the record",
            Self::Steps => "number of steps",
            Self::Findings => "findings: errors and warnings",
            Self::Failed => "results that are errors, and ? those that may be",
            Self::Actions => "actions by class",
            Self::Tools => "calls by tool",
            Self::Tokens => {
                "tokens of all texts: counted with --tokenizer, else estimated, a quarter of the characters"
            }
            Self::Chars => "characters of all steps",
            Self::Size => "bytes of the record",
            Self::Reward => "sum of the steps' rewards; of a conversation without any, its own",
            Self::Finish => "how it ends, by its last step",
            Self::Cost => "what the run cost, as its log gives it",
            Self::Duration => "how long the run took: as its log says, else from the first step to the last",
            Self::Model => "the model that answered; the last of several",
            Self::Words => "first words of the user",
            Self::GroupSize => "attempts at the record's task; in filters group.n",
            Self::GroupPass => "share of the task's attempts with a reward of at least 1; in filters group.pass",
            Self::GroupAdvantage => "deviations of the reward from the mean of its task; in filters group.advantage",
            Self::GroupMean => "mean reward of the task's attempts; in filters group.mean",
            Self::GroupDeviation => "standard deviation of the task's rewards; in filters group.sd",
            Self::GroupSignal => "1 where the task's rewards differ, else 0; in filters group.signal",
            Self::Custom(_) => "what your expression says",
        }
    }

    /// The number that it is sorted and plotted by; None for a column of words.
    #[must_use]
    pub fn numbers(self) -> Option<Numbers> {
        Some(match self {
            Self::Number => Numbers::Record,
            Self::Steps => Numbers::Steps,
            Self::Findings => Numbers::Findings,
            Self::Failed => Numbers::Failed,
            Self::Actions => Numbers::Actions,
            Self::Tools => Numbers::Calls,
            Self::Tokens => Numbers::Tokens,
            Self::Chars => Numbers::Chars,
            Self::Size => Numbers::Size,
            Self::Reward => Numbers::Reward,
            Self::Cost => Numbers::Cost,
            Self::Duration => Numbers::Duration,
            Self::GroupSize => Numbers::GroupSize,
            Self::GroupPass => Numbers::GroupPass,
            Self::GroupAdvantage => Numbers::GroupAdvantage,
            Self::GroupMean => Numbers::GroupMean,
            Self::GroupDeviation => Numbers::GroupDeviation,
            Self::GroupSignal => Numbers::GroupSignal,
            Self::Mark | Self::Id | Self::Finish | Self::Model | Self::Words | Self::Custom(_) => return None,
        })
    }

    /// Whether it is about all attempts at the task of a record: such columns are shown where a task has several.
    #[must_use]
    pub fn is_of_group(self) -> bool {
        self.numbers().is_some_and(Numbers::is_of_group)
    }

    /// The names that it counts.
    #[must_use]
    pub fn names(self) -> Option<Names> {
        Some(match self {
            Self::Mark => Names::Mark,
            Self::Findings => Names::Finding,
            Self::Actions => Names::Class,
            Self::Tools => Names::Tool,
            Self::Finish => Names::Finish,
            Self::Model => Names::Model,
            _ => return None,
        })
    }

    /// The text that it holds.
    #[must_use]
    pub fn text(self) -> Option<Texts> {
        match self {
            Self::Id => Some(Texts::Id),
            Self::Words => Some(Texts::Words),
            _ => None,
        }
    }
}
