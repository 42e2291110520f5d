//! The table of keys: one row a key, which feeds dispatch, the footer, the help, the palette and `docs/keys.md`.

mod action;
mod context;
mod keymap;
mod sentences;

pub use super::pane::Tab;
pub use action::Action;
pub use context::Context;
pub use keymap::{Binding, Keymap, normalized, sequence};

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyRow {
    /// Where it works.
    pub context: Context,
    /// Names of its keys, as they are shown.
    pub keys: &'static [&'static str],
    /// What it does.
    pub action: Action,
    /// A word or two for the footer.
    pub label: &'static str,
    /// One sentence for the help. In the table an action in braces stands for its key, as `{close}`: that of this
    /// context if it has one here, else of the first that has; `{list.menu-run}` is that of another.
    pub help: &'static str,
    /// Heading in the help.
    pub section: &'static str,
    /// Place in the footer: 1 first, 0 not there.
    pub footer: u8,
}

impl KeyRow {
    /// The key that is shown for it; empty where it has none.
    #[must_use]
    pub fn key(&self) -> &'static str {
        self.keys.first().copied().unwrap_or_default()
    }
}

const fn row(
    context: Context,
    keys: &'static [&'static str],
    action: Action,
    label: &'static str,
    help: &'static str,
    section: &'static str,
    footer: u8,
) -> KeyRow {
    KeyRow { context, keys, action, label, help, section, footer }
}

use Action as A;
use Context as C;

const TIME: &str = "Through the run";
const REPLAY: &str = "Playing a recording";
const MOVE: &str = "In a pane";
const LOOK: &str = "Looking closer";
const WATCH: &str = "Watching values";
const FIND: &str = "Finding and taking";
const MARK: &str = "Deciding";
const DATA: &str = "In a dataset";
const REST: &str = "The program";

/// All keys. Order is the order of the help.
#[rustfmt::skip]
pub static KEYS: &[KeyRow] = &[
    row(C::Trajectory, &["."], A::StepNext, "step", "Go one step forward, from any pane: from a call to its result too, also where they share a row of Steps.", TIME, 1),
    row(C::Trajectory, &[","], A::StepPrevious, "back", "Go one step back, from any pane.", TIME, 1),
    row(C::Trajectory, &[">"], A::WriteNext, "next write", "Go to the next write of the value in focus (of any value, if none is).", TIME, 2),
    row(C::Trajectory, &["<"], A::WritePrevious, "previous write", "Go to the previous write of the value in focus: who set it.", TIME, 2),
    row(C::Trajectory, &["0"], A::StepFirst, "first step", "Go to the first step.", TIME, 0),
    row(C::Trajectory, &["$"], A::StepLast, "last step", "Go to the last step.", TIME, 0),
    row(C::Trajectory, &["]w"], A::AnyWriteNext, "next write of any value", "Go to the next step that writes state.", TIME, 0),
    row(C::Trajectory, &["[w"], A::AnyWritePrevious, "previous write of any value", "Go to the previous step that writes state.", TIME, 0),
    row(C::Trajectory, &["]e"], A::ErrorNext, "next error", "Go to the next failure and say what it is: a result that failed or looks like it, an error, a broken record, a finding.", TIME, 0),
    row(C::Trajectory, &["[e"], A::ErrorPrevious, "previous error", "Go to the previous failure and say what it is.", TIME, 0),
    row(C::Trajectory, &["]f"], A::FindingNext, "next finding", "Go to the next finding, of any severity, and say what it is.", TIME, 0),
    row(C::Trajectory, &["[f"], A::FindingPrevious, "previous finding", "Go to the previous finding.", TIME, 0),
    row(C::Table, &["]f"], A::FindingNext, "next finding", "Go to the next record with a finding.", TIME, 0),
    row(C::Table, &["[f"], A::FindingPrevious, "previous finding", "Go to the previous record with a finding.", TIME, 0),
    row(C::Table, &["]e"], A::ErrorNext, "next error", "Go to the next record in which a call failed or looks like it.", TIME, 0),
    row(C::Table, &["[e"], A::ErrorPrevious, "previous error", "Go to the previous record in which a call failed or looks like it.", TIME, 0),
    row(C::Trajectory, &["]v"], A::ViolationNext, "next violation", "Go to the next step that breaks the schema of the value in focus, or repairs it.", TIME, 0),
    row(C::Trajectory, &["[v"], A::ViolationPrevious, "previous violation", "Go to the previous step that breaks the schema of the value in focus, or repairs it.", TIME, 0),
    row(C::Trajectory, &["]t"], A::CallNext, "next call", "Go to the next tool call.", TIME, 0),
    row(C::Trajectory, &["[t"], A::CallPrevious, "previous call", "Go to the previous tool call.", TIME, 0),
    row(C::Trajectory, &["]u"], A::UserNext, "next user turn", "Go to the next message of the user.", TIME, 0),
    row(C::Trajectory, &["[u"], A::UserPrevious, "previous user turn", "Go to the previous message of the user.", TIME, 0),
    row(C::Trajectory, &["]k"], A::TickNext, "next tick", "Go to the first step of the next tick.", TIME, 0),
    row(C::Trajectory, &["[k"], A::TickPrevious, "previous tick", "Go to the first step of the tick; there, to that of the tick before.", TIME, 0),
    row(C::Trajectory, &["^"], A::FirstSo, "since when", "Go to the step at which the value in focus became what it is now.", TIME, 0),
    row(C::Trajectory, &["O"], A::Origin, "where from", "Go to what the value in focus was copied from, hop by hop to where it first came in.", TIME, 0),
    row(C::Trajectory, &["]c"], A::ChangeNext, "next change of this step", "Go to the next value that this step wrote.", TIME, 0),
    row(C::Trajectory, &["[c"], A::ChangePrevious, "previous change of this step", "Go to the previous value that this step wrote.", TIME, 0),
    row(C::State, &["]c"], A::ChangeNext, "changes", "Go to the next value that this step wrote.", TIME, 3),
    row(C::TwoRuns, &["]d"], A::DifferenceNext, "difference", "Go to the next difference: of the steps, or in the states of these.", TIME, 1),
    row(C::TwoRuns, &["[d"], A::DifferencePrevious, "previous difference", "Go to the previous difference.", TIME, 0),
    row(C::TwoRuns, &["."], A::StepNext, "row", "Go one row forward in both runs, from any pane.", TIME, 1),
    row(C::TwoRuns, &[","], A::StepPrevious, "back", "Go one row back in both runs, from any pane.", TIME, 2),
    row(C::Trajectory, &["}"], A::TrajectoryNext, "next trajectory", "Open the next trajectory of the dataset.", TIME, 4),
    row(C::Trajectory, &["{"], A::TrajectoryPrevious, "previous trajectory", "Open the previous trajectory of the dataset.", TIME, 0),
    row(C::Trajectory, &["P"], A::Part, "part", "Open the run of the sub-agent, or the other file, that this step refers to, one after the other; {close} comes back.", TIME, 0),
    row(C::Global, &["]n"], A::NewestFile, "newest file", "Open the newest file of the list.", TIME, 0),
    row(C::Trajectory, &["F"], A::Live, "follow", "Stay at the newest step while the file grows; moving back pauses.", TIME, 7),
    row(C::Trajectory, &["t"], A::Times, "times", "Cycle the column beside the steps: elapsed time, clock time, how long each call took, spent so far, off.", TIME, 0),

    row(C::Replay, &["Space"], A::ReplayPause, "pause", "Stop the recording, or let it play on.", REPLAY, 1),
    row(C::Replay, &[")"], A::ReplayFaster, "faster", "Play twice as fast.", REPLAY, 3),
    row(C::Replay, &["("], A::ReplaySlower, "slower", "Play half as fast.", REPLAY, 3),

    row(C::Global, &["j", "Down"], A::Down, "down", "Move down.", MOVE, 0),
    row(C::Global, &["k", "Up"], A::Up, "up", "Move up.", MOVE, 0),
    row(C::Global, &["PageDown", "C-f", "Space"], A::PageDown, "page down", "Move a page down.", MOVE, 0),
    row(C::Global, &["PageUp"], A::PageUp, "page up", "Move a page up.", MOVE, 0),
    row(C::Global, &["C-d"], A::HalfDown, "half page down", "Move half a page down.", MOVE, 0),
    row(C::Global, &["C-u"], A::HalfUp, "half page up", "Move half a page up.", MOVE, 0),
    row(C::Global, &["g", "Home"], A::Top, "top", "Go to the first row.", MOVE, 0),
    row(C::Global, &["G", "End"], A::Bottom, "end", "Go to the last row.", MOVE, 0),
    row(C::Global, &["l", "Right"], A::Right, "open", "Unfold; on what is unfolded go to its first child.", MOVE, 0),
    row(C::Global, &["h", "Left"], A::Left, "close", "Fold; on what is folded go to its parent.", MOVE, 0),
    row(C::Global, &["L"], A::ScrollRight, "scroll right", "Scroll sideways to the right.", MOVE, 0),
    row(C::Global, &["H"], A::ScrollLeft, "scroll left", "Scroll sideways to the left.", MOVE, 0),
    row(C::Trajectory, &["x"], A::Toggle, "fold", "Fold or unfold what the cursor is on.", MOVE, 0),
    row(C::Trajectory, &["E"], A::UnfoldAll, "unfold all", "Unfold everything that is shown, and messages that are shown later.", MOVE, 0),
    row(C::Trajectory, &["X"], A::FoldAll, "fold all", "Fold everything below the top level.", MOVE, 0),
    row(C::TwoRuns, &["l", "Right"], A::Right, "right run", "Put the right run in front: {follow} and {copy-value} are about it, a narrow screen shows it.", MOVE, 7),
    row(C::TwoRuns, &["h", "Left"], A::Left, "left run", "Put the left run in front.", MOVE, 7),
    row(C::TwoRuns, &["x"], A::Toggle, "fold", "In the messages: fold or unfold what the cursor is on.", MOVE, 0),
    row(C::TwoRuns, &["E"], A::UnfoldAll, "unfold all", "Unfold everything in both messages, and in those to come.", MOVE, 0),
    row(C::TwoRuns, &["X"], A::FoldAll, "fold all", "Fold what is long in both messages.", MOVE, 0),
    row(C::Attempts, &["x"], A::Toggle, "fold", "Fold or unfold the branch under the cursor.", MOVE, 3),
    row(C::Attempts, &["E"], A::UnfoldAll, "unfold all", "Unfold all branches.", MOVE, 0),
    row(C::Attempts, &["X"], A::FoldAll, "fold all", "Fold all branches but the first.", MOVE, 0),

    row(C::Files, &["Enter"], A::Follow, "open", "Open the file under the cursor.", LOOK, 1),
    row(C::Files, &["s"], A::Sort, "sort", "Cycle the order of the list: newest first, by name, largest first.", LOOK, 3),
    row(C::Files, &["&"], A::Filter, "filter", "List only files whose names match a text or regular expression, or sessions about it ({search} does the same); {cancel} clears it.", LOOK, 3),
    row(C::Table, &["Enter"], A::Follow, "open", "Open the trajectory under the cursor.", LOOK, 1),
    row(C::Attempts, &["Enter"], A::Follow, "open", "Open this attempt at the step at which the branch begins; in the list, the attempts at this task.", LOOK, 1),
    row(C::TwoRuns, &["Enter"], A::Follow, "open", "Open the run in front at this step; {close} comes back.", LOOK, 5),
    row(C::TwoRuns, &["Tab"], A::PaneNext, "pane", "Go to the next pane: the steps, the states at the row, the messages.", LOOK, 4),
    row(C::TwoRuns, &["BackTab"], A::PanePrevious, "previous pane", "Go to the previous pane.", LOOK, 0),
    row(C::TwoRuns, &["d"], A::AlikeValues, "all values", "Show or hide the values that do not differ.", LOOK, 6),
    row(C::TwoRuns, &["z"], A::Zoom, "zoom", "Give the whole screen to this pane, and back.", LOOK, 8),
    row(C::TwoRuns, &["q"], A::Close, "close", "Go back to where the runs were chosen.", LOOK, 3),
    row(C::Steps, &["Enter"], A::Follow, "open", "Go from a result to its call; else look at the message.", LOOK, 3),
    row(C::State, &["Enter"], A::Follow, "who wrote it", "Go to the step that wrote the value; a reference leads to what it names; a long text opens in a pager.", LOOK, 3),
    row(C::Inspector, &["Enter"], A::Follow, "go to", "Follow the reference, event or line under the cursor, a broken key to its value; open a long text; else fold or unfold.", LOOK, 3),
    row(C::Global, &["Backspace", "C-o"], A::Back, "return", "Come back from where {follow}, a search or a jump led, or from the run of a sub-agent.", LOOK, 0),
    row(C::Trajectory, &["Tab"], A::PaneNext, "pane", "Go to the next pane.", LOOK, 4),
    row(C::Trajectory, &["BackTab"], A::PanePrevious, "previous pane", "Go to the previous pane.", LOOK, 0),
    row(C::Trajectory, &["1"], A::Tab(Tab::Message), "message", "Show the message of the step.", LOOK, 0),
    row(C::Trajectory, &["2"], A::Tab(Tab::Llm), "LLM view", "Show what the model sees at this step.", LOOK, 0),
    row(C::Trajectory, &["3"], A::Tab(Tab::Schema), "schema", "Show the schema of the value in focus, or the declaration of the tool that the step calls.", LOOK, 0),
    row(C::Trajectory, &["4"], A::Tab(Tab::History), "history", "Show every write of the value in focus.", LOOK, 0),
    row(C::Trajectory, &["5"], A::Tab(Tab::Diff), "diff", "Show how the state differs from another step.", LOOK, 0),
    row(C::Trajectory, &["6"], A::Tab(Tab::Findings), "findings", "Show what the rules found in this trajectory, and what it means.", LOOK, 0),
    row(C::Trajectory, &["7"], A::Tab(Tab::Plan), "plan", "Show the plan at this step: calls or contracts wave by wave, how far each is, who waits for whom.", LOOK, 0),
    row(C::Trajectory, &["8"], A::Tab(Tab::Loss), "loss", "Show the conversation as a model would see it, and which parts train.", LOOK, 0),
    row(C::Trajectory, &["9"], A::Tab(Tab::File), "file", "Show the file of this step, or of the cursor in State, as the agent knew it: who wrote each line; again: the list of files.", LOOK, 0),
    row(C::File, &["Enter"], A::Follow, "go there", "Go to the step that wrote or showed the line under the cursor; there, to its message. In the list, open the file.", LOOK, 1),
    row(C::File, &[">"], A::FileWriteNext, "next write", "Go to the next write of this file.", LOOK, 2),
    row(C::File, &["<"], A::FileWritePrevious, "previous write", "Go to the previous write of this file.", LOOK, 2),
    row(C::File, &["d"], A::FileDifference, "difference", "Show what the last write of the file changed, and back.", LOOK, 3),
    row(C::File, &["Esc"], A::Cancel, "files", "Go from the difference to the file, from there to the list of files.", LOOK, 4),
    row(C::Merging, &["9"], A::Tab(Tab::Merge), "merge", "Show slots of one data type merged into one value, and which slots each part came from.", LOOK, 0),
    row(C::Merging, &["v"], A::MergeSlot, "choose to merge", "Choose the slot in focus for the Merge tab, and back; where none is chosen, all that merge are merged.", LOOK, 0),
    row(C::Trajectory, &["c"], A::ChatTemplate, "chat template", "Choose the chat template by which the Loss tab shows the conversation.", LOOK, 0),
    row(C::Trajectory, &["I"], A::Columns, "instances side by side", "Show the instances of the kind in focus side by side, a column each, and back.", LOOK, 0),
    row(C::Instances, &["d"], A::DifferingOnly, "differences", "Show only the paths whose values differ between the instances, and all again.", LOOK, 2),
    row(C::Trajectory, &["r"], A::Readers, "who reads it", "List the calls that read the value in focus; {list.menu-run} goes to one.", LOOK, 0),
    row(C::Trajectory, &["U"], A::Openables, "links, images", "List the links and images of this step and its results; {list.menu-run} opens one in the program of the system.", LOOK, 0),
    row(C::Trajectory, &["D"], A::DiffBase, "mark for diff", "Mark this step: the Diff tab compares with it. Again: compare with the step before.", LOOK, 0),
    row(C::Dataset, &["D"], A::CompareRuns, "compare", "Mark this record; on another record, show both runs side by side. Compares two selected rows at once, and on a preference pair its two sides.", LOOK, 0),
    row(C::Attempts, &["D"], A::CompareRuns, "compare", "Mark this attempt; on another one show both side by side, their steps aligned.", LOOK, 3),
    row(C::Files, &["d"], A::Demo, "demo", "Open the recorded run that comes with the program: an agent books a journey for two, and one value goes wrong.", LOOK, 4),
    row(C::Files, &["D"], A::CompareRuns, "compare", "Mark this file; on another one show both runs side by side, their steps aligned.", LOOK, 4),
    row(C::Trajectory, &["J"], A::CompareInstances, "compare instances", "Compare two instances of the kind in focus in the Diff tab; again: the next pair; after the last: steps.", LOOK, 0),
    row(C::Trajectory, &["R"], A::Raw, "other look", "Switch the message between text, JSON and its bytes.", LOOK, 0),
    row(C::Trajectory, &["C"], A::Conversation, "conversation", "Show the whole run as a conversation in one column, and back.", LOOK, 0),
    row(C::Conversation, &["Enter"], A::Follow, "open", "Open what is folded in this turn, or fold it; follow the reference under the cursor.", LOOK, 1),
    row(C::Conversation, &["C"], A::Conversation, "panes", "Go back to the panes, at the step under the cursor.", LOOK, 2),
    row(C::Conversation, &["q"], A::Close, "close", "Go back to the panes, at the step under the cursor.", LOOK, 10),
    row(C::Pager, &["o"], A::Edit, "editor", "Open the text in $EDITOR; changes there are not kept.", LOOK, 1),
    row(C::Pager, &["y"], A::CopyValue, "copy", "Copy the text.", LOOK, 2),
    row(C::Pager, &["Enter", "q"], A::Close, "close", "Close the pager.", LOOK, 1),
    row(C::Llm, &["R"], A::RawMessages, "unmerged", "Show the messages of the context one by one as they are written, instead of merged by identity, and back.", LOOK, 2),
    row(C::Trajectory, &["b"], A::Blame, "blame", "Show or hide who wrote each value, beside its step.", LOOK, 0),
    row(C::State, &["p"], A::Descriptions, "descriptions", "Hide or show descriptions, and properties that a schema has and the data lacks.", LOOK, 0),
    row(C::Trajectory, &["z"], A::Zoom, "zoom", "Give the whole screen to this pane, and back.", LOOK, 8),
    row(C::Trajectory, &["W"], A::PaneMore, "more room", "Give this pane room of the one beside it; the mouse drags the border.", LOOK, 0),
    row(C::Trajectory, &["S"], A::PaneLess, "less room", "Give room of this pane to the one beside it.", LOOK, 0),
    row(C::Dataset, &["W"], A::PaneMore, "more room", "Give this pane room of the one beside it or below; the mouse drags the border.", LOOK, 0),
    row(C::Dataset, &["S"], A::PaneLess, "less room", "Give room of this pane to the one beside it or below.", LOOK, 0),

    row(C::Trajectory, &["w"], A::Watch, "watch", "Watch the value in focus in the strip below the panes; again: stop watching it.", WATCH, 0),
    row(C::Watches, &["Enter"], A::Follow, "last write", "Go to the step that last wrote the watched value.", WATCH, 3),
    row(C::Watches, &[">"], A::HitNext, "next hit", "Run to the next step at which the watch is hit: its condition comes true, or without one, it is written.", WATCH, 1),
    row(C::Watches, &["<"], A::HitPrevious, "hits", "Run back to the previous step at which the watch is hit.", WATCH, 1),
    row(C::Watches, &["e"], A::WatchEdit, "condition", "Set the condition that stops a followed run: changes, invalid, < 0, == JSON, ~ REGEX; an empty one removes it.", WATCH, 2),
    row(C::Watches, &["d", "Delete"], A::WatchRemove, "remove", "Stop watching this value.", WATCH, 2),
    row(C::Table, &["+"], A::Good, "good", "Decide: keep this record, or all that are selected.", MARK, 2),
    row(C::Table, &["-"], A::Bad, "bad", "Decide: drop this record, or all that are selected.", MARK, 2),
    row(C::Table, &["="], A::Unsure, "unsure", "Decide: this record was looked at and is not sure.", MARK, 2),
    row(C::Attempts, &["+"], A::Good, "good", "Decide: keep the attempt under the cursor.", MARK, 2),
    row(C::Attempts, &["-"], A::Bad, "bad", "Decide: drop the attempt under the cursor.", MARK, 2),
    row(C::Attempts, &["="], A::Unsure, "unsure", "Decide: the attempt under the cursor was looked at and is not sure.", MARK, 2),
    row(C::Trajectory, &["+"], A::Good, "good", "Decide: keep the open record (of a file that is one run: this step).", MARK, 0),
    row(C::Trajectory, &["-"], A::Bad, "bad", "Decide: drop the open record (of a file that is one run: this step).", MARK, 0),
    row(C::Trajectory, &["="], A::Unsure, "unsure", "Decide: the open record was looked at and is not sure.", MARK, 0),
    row(C::Global, &["u"], A::Undo, "undo decision", "Undo the last decision, flag, tag or note.", MARK, 0),
    row(C::Global, &["]?"], A::UndecidedNext, "next undecided", "Go to the next record that is not decided.", MARK, 0),
    row(C::Global, &["[?"], A::UndecidedPrevious, "previous undecided", "Go to the previous record that is not decided.", MARK, 0),
    row(C::Global, &["]m"], A::MarkNext, "next mark", "Go to the next step (in the table: record) with a mark.", MARK, 0),
    row(C::Global, &["[m"], A::MarkPrevious, "previous mark", "Go to the previous step (in the table: record) with a mark.", MARK, 0),
    row(C::Global, &["mm"], A::Flag, "flag", "Flag this step, value (in State) or record (in the table), and back.", MARK, 0),
    row(C::Global, &["m+"], A::PartGood, "good", "Decide: this step or value is good.", MARK, 0),
    row(C::Global, &["m-"], A::PartBad, "bad", "Decide: this step or value is bad.", MARK, 0),
    row(C::Global, &["m="], A::PartUnsure, "unsure", "Decide: this step or value is not sure.", MARK, 0),
    row(C::Global, &["#"], A::Label, "tag", "Tag this step, value or record; the same tag again removes it.", MARK, 0),
    row(C::Global, &["M"], A::Note, "note", "Write a note on this step, value or record; an empty note removes it.", MARK, 0),
    row(C::Table, &["v"], A::Select, "select", "Begin to select records; decisions apply to all of them. {cancel} ends the selection.", MARK, 0),
    row(C::Table, &["*"], A::SelectAll, "select all", "Select all records that are shown.", MARK, 0),
    row(C::Trajectory, &["&"], A::Filter, "filter", "List only some steps: tool:bash kind:action role:user finding:* size>2k words; {step-next} {step-previous} and {search-next} go through these, jumps to any; {cancel} clears.", FIND, 8),
    row(C::Dataset, &["&"], A::Filter, "filter", "Filter the trajectories: steps>20 tool:bash !finish:finish reward<=0 group.pass<1 finding:adp.* words; {cancel} clears.", DATA, 3),
    row(C::Dataset, &["s"], A::Sort, "sort", "Sort by the column in focus; again: the other way round; again: as in the file.", DATA, 3),
    row(C::Dataset, &["f"], A::Facets, "values", "Show or hide the values of the column in focus with their counts.", DATA, 3),
    row(C::Dataset, &["p"], A::Plot, "plot", "Show or hide a histogram of the column in focus, or its most frequent values.", DATA, 5),
    row(C::Dataset, &["c"], A::ChooseColumns, "columns", "Choose the columns, or add one that a jq expression computes, as model = .details.model.", DATA, 0),
    row(C::Dataset, &["e"], A::Export, "export", "Write the records that are shown, but those that were dropped, into a new file; the command that does the same is above the name.", DATA, 4),
    row(C::Dataset, &["!"], A::CheckData, "check the dataset", "Run the rules of datasets too (data.*): copies, loops, damaged text, secrets, outliers.", DATA, 0),
    row(C::Trajectory, &["!"], A::CheckData, "check the dataset", "Run the rules of datasets too, on all its records.", DATA, 0),
    row(C::Dataset, &["a"], A::Attempts, "attempts", "Show the attempts at the task of this record as a tree: shared steps, forks, the result of each.", DATA, 5),
    row(C::Trajectory, &["a"], A::Attempts, "attempts", "Show the attempts at the task of the open record as a tree.", DATA, 0),
    row(C::Dataset, &["A"], A::Tasks, "tasks", "List the tasks that several records are attempts at.", DATA, 0),
    row(C::Attempts, &["c"], A::TaskField, "task field", "Choose the field that says which records are attempts at the same task.", DATA, 5),
    row(C::Attempts, &["b"], A::AlignByAction, "by action", "Align the attempts by tool and arguments, with the attempts that pass behind each fork and the fork that explains most; again: by whole messages.", DATA, 3),
    row(C::Attempts, &["A"], A::Tasks, "tasks", "List the tasks that several records are attempts at.", DATA, 4),
    row(C::Table, &["l", "Right"], A::ColumnNext, "next column", "Put the next column in focus.", DATA, 0),
    row(C::Table, &["h", "Left"], A::ColumnPrevious, "previous column", "Put the previous column in focus.", DATA, 0),
    row(C::Facets, &["l", "Right"], A::ColumnNext, "next column", "Show the values of the next column.", DATA, 0),
    row(C::Facets, &["h", "Left"], A::ColumnPrevious, "previous column", "Show the values of the previous column.", DATA, 0),
    row(C::Facets, &["Esc"], A::Cancel, "table", "Go back to the table; {close} also closes the values.", DATA, 2),
    row(C::Facets, &["Enter"], A::FacetToggle, "filter to it", "Filter to the value under the cursor; again: remove that filter.", DATA, 1),
    row(C::Plot, &["Esc"], A::Cancel, "table", "Go back to the table; {close} also closes the plot.", DATA, 2),
    row(C::Plot, &["l", "Right", "j", "Down"], A::BinNext, "bars", "Go to the next bar.", DATA, 2),
    row(C::Plot, &["h", "Left", "k", "Up"], A::BinPrevious, "previous bar", "Go to the previous bar.", DATA, 0),
    row(C::Plot, &["Enter"], A::BinToggle, "filter to it", "Filter to the range or value of the bar under the cursor; again: remove that filter.", DATA, 1),
    row(C::Dataset, &["Tab"], A::TablePaneNext, "pane", "Go to what is beside the table, and back.", DATA, 0),
    row(C::Dataset, &["BackTab"], A::TablePanePrevious, "previous pane", "Go to the pane before.", DATA, 0),

    row(C::Global, &["/"], A::Search, "search", "Search in the focused pane: text or a regular expression. Says which hit it is, of how many. {prompt.typed-before} brings back what was typed before.", FIND, 5),
    row(C::Global, &["n"], A::SearchNext, "next hit", "Go to the next hit.", FIND, 0),
    row(C::Global, &["N"], A::SearchPrevious, "previous hit", "Go to the previous hit.", FIND, 0),
    row(C::Global, &["y"], A::CopyValue, "copy", "Copy the value, message or line under the cursor.", FIND, 0),
    row(C::Global, &["Y"], A::CopyPath, "copy path", "Copy the path of the value, as the command line takes it.", FIND, 0),
    row(C::Trajectory, &["C-y"], A::CopyCommand, "copy command", "Copy the command that opens this step and value again: obelus FILE --step 41 --path state.budget.", FIND, 0),
    row(C::Global, &["V"], A::OtherView, "event view", "Show an Inspect log by its events, as --format inspect-events does, or by its messages again.", FIND, 0),
    row(C::Global, &["o"], A::Edit, "editor", "Open the file in $EDITOR at the line of this step.", FIND, 0),

    row(C::Global, &[":"], A::Palette, "command", "Find a command by name; 41 goes to that step, +5m, -30s or 14:32 to that time, state#2.budget to that value; {commands.typed-before} brings back the last.", REST, 6),
    row(C::Global, &["T"], A::Theme, "theme", "Switch to the next theme.", REST, 0),
    row(C::Global, &["?", "F1"], A::Help, "help", "Show the keys; type to filter, {list.menu-run} runs one.", REST, 9),
    row(C::Global, &["Esc"], A::Cancel, "clear", "Leave the zoom, clear the search, the message and the filter, go back to the list.", REST, 0),
    row(C::Global, &["q"], A::Close, "quit", "Close this level: the zoom, the trajectory, the file of a list, the program.", REST, 10),
    row(C::Global, &["C-c"], A::Quit, "quit at once", "Quit.", REST, 0),
    row(C::Global, &["C-z"], A::Suspend, "suspend", "Suspend the program; fg brings it back.", REST, 0),
    row(C::Global, &["C-l"], A::Redraw, "redraw", "Draw the whole screen again, after something else has written on it.", REST, 0),

    row(C::Menu, &["Down", "C-n"], A::MenuDown, "down", "Next row.", "In a list", 0),
    row(C::Menu, &["Up", "C-p"], A::MenuUp, "up", "Previous row.", "In a list", 0),
    row(C::Menu, &["PageDown"], A::MenuPageDown, "page down", "A page down.", "In a list", 0),
    row(C::Menu, &["PageUp"], A::MenuPageUp, "page up", "A page up.", "In a list", 0),
    row(C::Menu, &["Home"], A::MenuTop, "top", "First row.", "In a list", 0),
    row(C::Menu, &["End"], A::MenuBottom, "end", "Last row.", "In a list", 0),
    row(C::Menu, &["Enter"], A::MenuRun, "run", "Run the row.", "In a list", 1),
    row(C::Menu, &["Esc", "C-c"], A::MenuClose, "close", "Close the list.", "In a list", 2),
    row(C::Commands, &["C-p"], A::TypedBefore, "typed before", "Bring back what was typed here before; so does {list.menu-up} on the first row.", "In a list", 0),
    row(C::Commands, &["C-n"], A::TypedAfter, "typed after", "Bring back what was typed after that; after the last, the line that was being typed.", "In a list", 0),
    row(C::Prompt, &["Enter"], A::PromptSubmit, "take it", "Take what was typed: search for it, make it the condition, the tag or the note.", "In a prompt", 1),
    row(C::Prompt, &["Esc", "C-c"], A::PromptCancel, "cancel", "Leave the prompt.", "In a prompt", 2),
    row(C::Prompt, &["Tab"], A::Redact, "redact", "In the line of an export: write secrets and personal data as [REDACTED:KIND], or as they are.", "In a prompt", 0),
    row(C::Prompt, &["Up", "C-p"], A::TypedBefore, "typed before", "Bring back what was typed in this prompt before, since the program began.", "In a prompt", 0),
    row(C::Prompt, &["Down", "C-n"], A::TypedAfter, "typed after", "Bring back what was typed after that; after the last, the line that was being typed.", "In a prompt", 0),
];

#[cfg(test)]
mod tests;
