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
    Words,
    Own(CustomColumn),
}

impl Column {
    /// All built-in columns, in the order in which they are.
    pub const ALL: [Self; 14] = [
        Self::Number,
        Self::Mark,
        Self::Id,
        Self::Steps,
        Self::Findings,
        Self::Failed,
        Self::Finish,
        Self::Reward,
        Self::Tokens,
        Self::Words,
        Self::Tools,
        Self::Actions,
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
            Self::Findings => "find",
            Self::Failed => "failed",
            Self::Actions => "actions",
            Self::Tools => "tools",
            Self::Tokens => "tokens~",
            Self::Chars => "chars",
            Self::Size => "size",
            Self::Reward => "reward",
            Self::Finish => "finish",
            Self::Words => "begins with",
            Self::Own(name) => name.as_str(),
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
            Self::Finish => "how it ends",
            Self::Words => "first words of the user",
            Self::Own(_) => "what your expression says",
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
            Self::Mark | Self::Id | Self::Finish | Self::Words | Self::Own(_) => return None,
        })
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
