//! What keys do.

use crate::app::pane::Tab;

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each action's meaning is the help sentence of its row in KEYS")]
pub enum Action {
    StepNext,
    StepPrevious,
    StepFirst,
    StepLast,
    WriteNext,
    WritePrevious,
    ErrorNext,
    ErrorPrevious,
    FindingNext,
    FindingPrevious,
    ViolationNext,
    ViolationPrevious,
    CallNext,
    CallPrevious,
    UserNext,
    UserPrevious,
    TickNext,
    TickPrevious,
    AnyWriteNext,
    AnyWritePrevious,
    Part,
    NewestFile,
    ReplayPause,
    ReplayFaster,
    ReplaySlower,
    TrajectoryNext,
    TrajectoryPrevious,
    Up,
    Down,
    PageUp,
    PageDown,
    HalfUp,
    HalfDown,
    Top,
    Bottom,
    Left,
    Right,
    ScrollLeft,
    ScrollRight,
    Toggle,
    UnfoldAll,
    FoldAll,
    Follow,
    Back,
    PaneNext,
    PanePrevious,
    Tab(Tab),
    Zoom,
    PaneMore,
    PaneLess,
    Blame,
    Descriptions,
    Columns,
    ChatTemplate,
    MergeSlot,
    Readers,
    Raw,
    Conversation,
    RawMessages,
    DiffBase,
    CompareRuns,
    Demo,
    DifferenceNext,
    DifferencePrevious,
    AlikeValues,
    Live,
    Times,
    Watch,
    WatchRemove,
    WatchEdit,
    HitNext,
    HitPrevious,
    FirstSo,
    Origin,
    ChangeNext,
    ChangePrevious,
    CompareInstances,
    DifferingOnly,
    FileWriteNext,
    FileWritePrevious,
    FileDifference,
    Good,
    Bad,
    Unsure,
    Undo,
    Flag,
    PartGood,
    PartBad,
    PartUnsure,
    Label,
    Note,
    Select,
    SelectAll,
    UndecidedNext,
    UndecidedPrevious,
    MarkNext,
    MarkPrevious,
    ColumnNext,
    ColumnPrevious,
    Sort,
    Filter,
    Facets,
    Plot,
    ChooseColumns,
    CheckData,
    TablePaneNext,
    TablePanePrevious,
    FacetToggle,
    BinToggle,
    BinNext,
    BinPrevious,
    Attempts,
    Tasks,
    TaskField,
    AlignByAction,
    Search,
    SearchNext,
    SearchPrevious,
    CopyValue,
    CopyPath,
    CopyCommand,
    Edit,
    OtherView,
    Theme,
    Palette,
    Help,
    Close,
    Cancel,
    Quit,
    Suspend,
    MenuUp,
    MenuDown,
    MenuPageUp,
    MenuPageDown,
    MenuTop,
    MenuBottom,
    MenuRun,
    MenuClose,
    PromptSubmit,
    PromptCancel,
    TypedBefore,
    TypedAfter,
}

impl Action {
    /// The action of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        super::KEYS.iter().map(|row| row.action).find(|action| action.name() == name)
    }

    /// Its name in scripts, documents and the configuration: `step-next`, `tab-history`.
    #[must_use]
    pub fn name(self) -> String {
        let mut out = String::new();
        for c in format!("{self:?}").chars() {
            match c {
                ')' => {}
                '(' => out.push('-'),
                c if c.is_uppercase() => {
                    if !out.is_empty() && !out.ends_with('-') {
                        out.push('-');
                    }
                    out.extend(c.to_lowercase());
                }
                c => out.push(c),
            }
        }
        out
    }
}
