//! What filters ask for, and who answers: records of a table, or steps of a run.

use super::custom_columns::{CellValue, CustomColumn};
use crate::text::Pattern;
use std::borrow::Cow;

/// What a filter is asked of: each has fields that the other has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope<'n> {
    /// Records of a dataset, each a trajectory.
    Records,
    /// The same, in a table that has custom columns.
    Table(&'n [CustomColumn]),
    /// Steps of a run.
    Steps,
    /// The same, of records that have custom columns.
    StepsOf(&'n [CustomColumn]),
}

impl Scope<'_> {
    /// All without custom columns.
    pub const ALL: [Scope<'static>; 2] = [Scope::Records, Scope::Steps];

    /// What it is called.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Records | Self::Table(_) => "records",
            Self::Steps | Self::StepsOf(_) => "steps",
        }
    }

    /// The same with custom columns.
    #[must_use]
    pub fn with(self, custom_columns: &[CustomColumn]) -> Scope<'_> {
        match self {
            Self::Records | Self::Table(_) => Scope::Table(custom_columns),
            Self::Steps | Self::StepsOf(_) => Scope::StepsOf(custom_columns),
        }
    }

    /// Whether its subjects answer a field.
    #[must_use]
    pub fn has(self, field: FilterField) -> bool {
        use Numbers as N;
        match (self, field) {
            (Self::Table(custom_columns) | Self::StepsOf(custom_columns), FilterField::Custom(name)) => {
                custom_columns.contains(&name)
            }
            (_, FilterField::Custom(_)) => false,
            (Self::Records | Self::Table(_), FilterField::Number(numbers)) => !matches!(numbers, N::Step | N::Writes),
            (Self::Records | Self::Table(_), FilterField::Name(names)) => !matches!(names, Names::Kind | Names::Role),
            (Self::Records | Self::Table(_), FilterField::Text(_)) => true,
            (Self::Steps | Self::StepsOf(_), FilterField::Number(numbers)) => {
                let is_of_whole = matches!(numbers, N::Record | N::Steps | N::Actions | N::Calls);
                !is_of_whole && !numbers.is_of_group() && !numbers.is_of_run()
            }
            (Self::Steps | Self::StepsOf(_), FilterField::Name(names)) => {
                !matches!(names, Names::Finish | Names::Agent | Names::Model | Names::Format)
            }
            (Self::Steps | Self::StepsOf(_), FilterField::Text(text)) => text == Texts::Words,
        }
    }
}

/// A number that filters ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "their names in ALL say what they are")]
pub enum Numbers {
    Record,
    Steps,
    Actions,
    Calls,
    Tokens,
    Chars,
    Size,
    Reward,
    Findings,
    Errors,
    Warnings,
    Failed,
    Suspect,
    Cost,
    Duration,
    InputTokens,
    OutputTokens,
    CacheReadTokens,
    CacheWriteTokens,
    Step,
    Writes,
    GroupSize,
    GroupMean,
    GroupDeviation,
    GroupPass,
    GroupSignal,
    GroupAdvantage,
}

impl Numbers {
    /// All with their names. Those of groups are about all attempts at the record's task: how many there are, mean and
    /// deviation of their rewards, the share that succeeds, whether rewards differ (1 or 0), and by how many deviations
    /// the reward of this one is above the mean. Cost, seconds and tokens of a run are as its log gives them.
    pub const ALL: [(&'static str, Self); 27] = [
        ("record", Self::Record),
        ("step", Self::Step),
        ("steps", Self::Steps),
        ("actions", Self::Actions),
        ("calls", Self::Calls),
        ("tokens", Self::Tokens),
        ("chars", Self::Chars),
        ("size", Self::Size),
        ("reward", Self::Reward),
        ("findings", Self::Findings),
        ("errors", Self::Errors),
        ("warnings", Self::Warnings),
        ("failed", Self::Failed),
        ("suspect", Self::Suspect),
        ("cost", Self::Cost),
        ("duration", Self::Duration),
        ("input_tokens", Self::InputTokens),
        ("output_tokens", Self::OutputTokens),
        ("cache_read_tokens", Self::CacheReadTokens),
        ("cache_write_tokens", Self::CacheWriteTokens),
        ("writes", Self::Writes),
        ("group.n", Self::GroupSize),
        ("group.mean", Self::GroupMean),
        ("group.sd", Self::GroupDeviation),
        ("group.pass", Self::GroupPass),
        ("group.signal", Self::GroupSignal),
        ("group.advantage", Self::GroupAdvantage),
    ];

    /// Whether it is what a log reports of its run as a whole.
    #[must_use]
    pub fn is_of_run(self) -> bool {
        use Numbers::{CacheReadTokens, CacheWriteTokens, Cost, Duration, InputTokens, OutputTokens};
        matches!(self, Cost | Duration | InputTokens | OutputTokens | CacheReadTokens | CacheWriteTokens)
    }

    /// Whether it is about all attempts at the task of a record, and not of the record alone.
    #[must_use]
    pub fn is_of_group(self) -> bool {
        use Numbers::{GroupAdvantage, GroupDeviation, GroupMean, GroupPass, GroupSignal, GroupSize};
        matches!(self, GroupSize | GroupMean | GroupDeviation | GroupPass | GroupSignal | GroupAdvantage)
    }
}

/// Names that filters ask for: a record may have several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "their names in ALL say what they are")]
pub enum Names {
    Tool,
    Class,
    Finish,
    Agent,
    Model,
    Format,
    Finding,
    Mark,
    Tag,
    Kind,
    Role,
}

impl Names {
    /// All with their names.
    pub const ALL: [(&'static str, Self); 11] = [
        ("kind", Self::Kind),
        ("role", Self::Role),
        ("tool", Self::Tool),
        ("class", Self::Class),
        ("finish", Self::Finish),
        ("agent", Self::Agent),
        ("model", Self::Model),
        ("format", Self::Format),
        ("finding", Self::Finding),
        ("mark", Self::Mark),
        ("tag", Self::Tag),
    ];
}

/// Texts that filters look into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "their names in ALL say what they are")]
pub enum Texts {
    Id,
    Words,
    Task,
    File,
}

impl Texts {
    /// All with their names.
    pub const ALL: [(&'static str, Self); 4] =
        [("id", Self::Id), ("words", Self::Words), ("task", Self::Task), ("file", Self::File)];
}

/// What a term asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FilterField {
    /// A number.
    Number(Numbers),
    /// Names.
    Name(Names),
    /// A text.
    Text(Texts),
    /// A custom column.
    Custom(CustomColumn),
}

impl FilterField {
    /// All fields with their names.
    pub(super) fn all() -> impl Iterator<Item = (&'static str, Self)> {
        let numbers = Numbers::ALL.into_iter().map(|(name, field)| (name, Self::Number(field)));
        let names = Names::ALL.into_iter().map(|(name, field)| (name, Self::Name(field)));
        let texts = Texts::ALL.into_iter().map(|(name, field)| (name, Self::Text(field)));
        numbers.chain(names).chain(texts)
    }

    /// The field of that name.
    pub(super) fn named(wanted: &str) -> Option<Self> {
        Self::all().find(|(name, _)| *name == wanted).map(|(_, field)| field)
    }

    /// The field of records of that name.
    #[must_use]
    pub fn of_records(wanted: &str) -> Option<Self> {
        Self::named(wanted).filter(|field| Scope::Records.has(*field))
    }

    /// Whether it is what a log reports of its run as a whole, or which log it is.
    #[must_use]
    pub fn is_of_run(self) -> bool {
        match self {
            Self::Number(number) => number.is_of_run(),
            Self::Name(name) => matches!(name, Names::Agent | Names::Model | Names::Format),
            Self::Text(text) => text == Texts::File,
            Self::Custom(_) => false,
        }
    }

    /// The names of all fields of records.
    #[must_use]
    pub fn names_of_records() -> Vec<&'static str> {
        Self::all().filter(|(_, field)| Scope::Records.has(*field)).map(|(name, _)| name).collect()
    }

    /// Its name in filters.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Custom(name) => name.as_str(),
            known => Self::all().find(|(_, field)| field == known).map_or("", |(name, _)| name),
        }
    }
}

/// What answers a filter: a record of a table, or one just read.
pub trait Subject {
    /// A number; None where there is none.
    fn number(&self, numbers: Numbers) -> Option<f64>;
    /// Whether one of some names passes a test.
    fn any_name(&self, names: Names, test: &dyn Fn(&str) -> bool) -> bool;
    /// A text.
    fn text(&self, text: Texts) -> Cow<'_, str>;
    /// What a custom column says of it.
    fn custom_cell(&self, _name: CustomColumn) -> &CellValue {
        &CellValue::Nothing
    }
    /// The same, where what is shown of it may be its beginning: all of it.
    fn whole_text(&self, text: Texts) -> Cow<'_, str> {
        self.text(text)
    }
    /// Whether a text is this one.
    fn is_text(&self, text: Texts, whole: &str) -> bool {
        self.whole_text(text) == whole
    }
    /// Whether a text has a pattern somewhere.
    fn matches(&self, text: Texts, pattern: &Pattern) -> bool {
        pattern.is_match(&self.whole_text(text))
    }
}
