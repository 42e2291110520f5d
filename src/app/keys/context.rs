//! Where keys work.

/// Where a key works. A key of an inner context wins over one of an outer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// Everywhere but in a prompt or list.
    Global,
    /// While a trajectory is open: in Steps, State and the inspector.
    Trajectory,
    /// While a recording plays, beside the contexts of its pane.
    Replay,
    /// In the list of steps.
    Steps,
    /// In the state.
    State,
    /// In the state, while instances are side by side.
    Instances,
    /// In the inspector.
    Inspector,
    /// In the LLM tab of the inspector.
    Llm,
    /// In the conversation.
    Conversation,
    /// In the pager.
    Pager,
    /// In the panes of two runs beside each other.
    TwoRuns,
    /// In the File tab of the inspector.
    File,
    /// While records are open whose slots merge by their types, beside the contexts of the pane.
    Merging,
    /// In the strip of watched values.
    Watches,
    /// In the list of files.
    Files,
    /// In the table of trajectories.
    Table,
    /// In the table and in what is beside it.
    Dataset,
    /// In the values of a column of the table.
    Facets,
    /// In the plot below the table.
    Plot,
    /// In the attempts at a task, and the list of tasks.
    Attempts,
    /// In help and palette.
    Menu,
    /// In the list of commands, beside the keys of lists.
    Commands,
    /// In a line being typed.
    Prompt,
}

/// All contexts, in the order of this file.
const ALL: [Context; 23] = {
    use Context as C;
    [
        C::Global,
        C::Trajectory,
        C::Replay,
        C::Steps,
        C::State,
        C::Instances,
        C::Inspector,
        C::Llm,
        C::Conversation,
        C::Pager,
        C::TwoRuns,
        C::File,
        C::Merging,
        C::Watches,
        C::Files,
        C::Table,
        C::Dataset,
        C::Facets,
        C::Plot,
        C::Attempts,
        C::Menu,
        C::Commands,
        C::Prompt,
    ]
};

impl Context {
    /// The context of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        ALL.into_iter().find(|context| context.name() == name)
    }

    /// All contexts.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.into_iter()
    }

    /// Its name in the configuration: `two-runs`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Trajectory => "trajectory",
            Self::Replay => "replay",
            Self::Steps => "steps",
            Self::State => "state",
            Self::Instances => "instances",
            Self::Inspector => "inspector",
            Self::Llm => "llm",
            Self::Conversation => "conversation",
            Self::Pager => "pager",
            Self::TwoRuns => "two-runs",
            Self::File => "file",
            Self::Merging => "merging",
            Self::Watches => "watches",
            Self::Files => "files",
            Self::Table => "table",
            Self::Dataset => "dataset",
            Self::Facets => "facets",
            Self::Plot => "plot",
            Self::Attempts => "attempts",
            Self::Menu => "list",
            Self::Commands => "commands",
            Self::Prompt => "prompt",
        }
    }

    /// The outermost context with which it is in force at the same time.
    #[must_use]
    pub const fn group(self) -> Self {
        match self {
            Self::Trajectory | Self::Replay | Self::Steps | Self::State | Self::Instances | Self::Inspector => {
                Self::Trajectory
            }
            Self::Llm | Self::File | Self::Merging | Self::Watches => Self::Trajectory,
            Self::Dataset | Self::Table | Self::Facets | Self::Plot => Self::Dataset,
            Self::Menu | Self::Commands | Self::Prompt => Self::Prompt,
            Self::Global | Self::Conversation | Self::Pager | Self::TwoRuns | Self::Files | Self::Attempts => self,
        }
    }

    /// Whether its keys are those of one pane, and not of all that lie around it.
    #[must_use]
    pub const fn is_of_one_pane(self) -> bool {
        match self {
            Self::Steps
            | Self::State
            | Self::Instances
            | Self::Inspector
            | Self::Llm
            | Self::Conversation
            | Self::Pager => true,
            Self::File | Self::Watches | Self::Files | Self::Table | Self::Facets | Self::Plot => true,
            Self::Attempts | Self::TwoRuns => true,
            Self::Global | Self::Trajectory | Self::Replay | Self::Merging | Self::Dataset => false,
            Self::Menu | Self::Commands | Self::Prompt => false,
        }
    }
}
