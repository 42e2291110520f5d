//! The table of panes and tabs. A row of a tab also declares its name and where its state is kept.

use super::{
    PaneRow, aligned_messages, aligned_state, aligned_steps, attempts, conversation, diff, facets, files, findings,
    history, known_file, llm, loss, merge, message, pager, plan, plot, schema, state, steps, trajectories, watches,
};
use crate::app::Pane;
use crate::app::keys::Context as C;
use crate::model::StepNo;

/// The state of a tab.
pub(super) trait TabState: Default {
    /// Another trajectory was opened.
    fn reset(&mut self) {
        *self = Self::default();
    }

    /// The same trajectory is read again: what is shown stays until the new is there. Answers carry the generation, so
    /// only what is known by number is forgotten.
    fn renew(&mut self) {}

    /// What is shown is of this step by now.
    fn renumber(&mut self, _step: StepNo) {}
}

/// Makes [`PANES`], [`Tab`] and [`Inspector`] of one list.
macro_rules! panes {
    (
        panes { $($pane:ident, $pane_title:expr, $pane_contexts:expr => $pane_content:expr;)* }
        tabs { $($(#[$doc:meta])* $tab:ident, $title:expr, $contexts:expr => $content:expr, $field:ident: $state:ty;)* }
    ) => {
        /// A tab of the inspector.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Tab { $($(#[$doc])* $tab,)* }

        impl Tab {
            /// All tabs in order.
            pub const ALL: &[Self] = &[$(Self::$tab,)*];
        }

        /// The tab in front, and the state of all of them.
        #[derive(Debug, Default)]
        pub struct Inspector {
            /// The tab in front.
            pub tab: Tab,
            $($(#[$doc])* pub $field: $state,)*
        }

        impl Inspector {
            /// Another trajectory was opened.
            pub fn reset(&mut self) {
                $(TabState::reset(&mut self.$field);)*
            }

            /// The same trajectory is read again.
            pub fn renew(&mut self) {
                $(TabState::renew(&mut self.$field);)*
            }

            /// What is shown is of this step by now: its scroll stays.
            pub fn renumber(&mut self, step: StepNo) {
                $(TabState::renumber(&mut self.$field, step);)*
            }
        }

        /// All panes, in the order in which they are updated, then the tabs, in the order of their titles.
        pub static PANES: &[PaneRow] = &[
            $(PaneRow {
                pane: Pane::$pane,
                tab: None,
                title: $pane_title,
                contexts: &$pane_contexts,
                content: &$pane_content,
            },)*
            $(PaneRow {
                pane: Pane::Inspector,
                tab: Some(Tab::$tab),
                title: $title,
                contexts: &$contexts,
                content: &$content,
            },)*
        ];
    };
}

impl Default for Tab {
    fn default() -> Self {
        Self::ALL[0]
    }
}

panes! {
    // A strip that goes away gives its cursor back before anything else is laid out.
    panes {
        Watches, ("Watches", "Watches"), [C::Watches, C::Trajectory, C::Global] => watches::Watches;
        Files, ("Files", "Files"), [C::Files, C::Global] => files::Files;
        Table, ("Trajectories", "Trajectories"), [C::Table, C::Dataset, C::Global] => trajectories::Trajectories;
        Facets, ("Values", "Values"), [C::Facets, C::Dataset, C::Global] => facets::Facets;
        Plot, ("Plot", "Plot"), [C::Plot, C::Dataset, C::Global] => plot::Plot;
        Attempts, ("Attempts", "Attempts"), [C::Attempts, C::Global] => attempts::Attempts;
        Steps, ("Steps", "Steps"), [C::Steps, C::Trajectory, C::Global] => steps::Steps;
        State, ("State", "State"), [C::State, C::Trajectory, C::Global] => state::State;
        Conversation, ("Conversation", "Conversation"), [C::Conversation, C::Trajectory, C::Global]
            => conversation::Conversation;
        Pager, ("Pager", "Pager"), [C::Pager, C::Global] => pager::Pager;
        AlignedSteps, ("Steps", "Steps"), [C::TwoRuns, C::Global] => aligned_steps::AlignedSteps;
        AlignedState, ("State", "State"), [C::TwoRuns, C::Global] => aligned_state::AlignedState;
        AlignedMessages, ("Messages", "Msgs"), [C::TwoRuns, C::Global] => aligned_messages::AlignedMessages;
    }
    tabs {
        /// The message of the step.
        Message, ("Message", "Msg"), [C::Inspector, C::Trajectory, C::Global]
            => message::Message, message: message::MessageTab;
        /// What the model sees at the step.
        Llm, ("LLM", "LLM"), [C::Llm, C::Inspector, C::Trajectory, C::Global]
            => llm::Llm, llm: llm::LlmTab;
        /// The schema of the identity in focus.
        Schema, ("Schema", "Sch"), [C::Inspector, C::Trajectory, C::Global]
            => schema::Schema, schema: crate::panes::schema::SchemaPane;
        /// Every write of the value in focus.
        History, ("History", "Hist"), [C::Inspector, C::Trajectory, C::Global]
            => history::History, history: history::HistoryTab;
        /// The state now against another step.
        Diff, ("Diff", "Diff"), [C::Inspector, C::Trajectory, C::Global]
            => diff::Diff, diff: diff::DiffTab;
        /// What the rules found in the trajectory.
        Findings, ("Findings", "Find"), [C::Inspector, C::Trajectory, C::Global]
            => findings::Findings, findings: findings::FindingsTab;
        /// The plan at the step: calls, contracts, who waits for whom.
        Plan, ("Plan", "Plan"), [C::Inspector, C::Trajectory, C::Global]
            => plan::Plan, plan: crate::panes::plan::PlanPane;
        /// What a model would see of the conversation, and what trains it.
        Loss, ("Loss", "Loss"), [C::Inspector, C::Trajectory, C::Global]
            => loss::Loss, loss: loss::LossTab;
        /// A file as the agent knew it at the step: who wrote each line.
        File, ("File", "File"), [C::File, C::Inspector, C::Trajectory, C::Global]
            => known_file::File, file: known_file::FileTab;
        /// Values merged by their types.
        Merge, ("Merge", "Merge"), [C::Inspector, C::Trajectory, C::Global]
            => merge::Merge, merge: crate::panes::merge::MergePane;
    }
}
