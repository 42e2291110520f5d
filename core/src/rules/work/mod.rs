//! What a tool-using run knew and did (W1 to W14): files as far as the agent knows them, with the step that wrote or
//! first showed each line; shell, todo list, sub-agents, page, usage; the outcome of every call.
//!
//! A format feeds [`Work`] step by step with the one reading of its messages ([`Turn`], [`Surroundings`], [`Usage`]);
//! the rules are the same for all. Slots of the state go to a [`SlotSink`], as a rule the run's
//! [`Tree`](crate::state::Tree). This folder knows neither files of the input nor formats; the few exceptions that a
//! rule makes for a format are in [`Dialect`].

mod action_line;
mod ansi;
mod answers;
mod arguments;
mod background;
mod bare_name;
mod base;
mod body;
mod call;
mod cline;
mod declared_tools;
mod details;
mod dialect;
mod edit;
mod escapes;
mod file;
mod file_changes;
mod file_commands;
mod file_excerpt;
mod file_frame;
mod file_view;
mod files;
mod history;
mod lcs;
mod names;
mod needed;
mod notes;
mod open_calls;
mod other;
mod outcome;
mod outcomes;
mod patch;
mod path;
mod prefixes;
mod reported_edit;
mod shell;
mod shell_change;
mod shell_read;
mod slots;
mod tables;
mod terminal;
mod text;
mod text_command;
mod tool_outcomes;
mod unfound;
mod view;
mod words;
mod wrapping;

pub use action_line::action_line;
pub use ansi::without_escapes;
pub use answers::{BlameLine, FileAt, FileRow, KnownLines};
pub use arguments::{fenced_command, parameters};
pub use bare_name::bare_name;
pub use body::{CallBody, PatchedFile, PatchedLines, call_body, line_of, patch_text};
pub use dialect::Dialect;
pub use file_changes::{Replaced, StaleLine};
pub use file_excerpt::listing;
pub use file_view::{FileFacts, FileId, FileView, KnownLine};
pub use open_calls::Answered;
pub use outcome::{Outcome, OutcomeLevel};
pub use slots::{NoSink, SlotSink};
pub use text::{How, LineId, LineOrigin};
pub use tool_outcomes::ToolOutcomes;
pub use wrapping::{line_count, printed, unwrapped};

use crate::json::{Value, quote};
use crate::model::{Attachment, Finding, StepNo, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage};
use background::BackgroundAgents;
use call::{Action, Call, Class};
use declared_tools::DeclaredTools;
use files::{Answer, Files};
use lcs::Fuel;
use notes::Notes;
use open_calls::{OpenCall, OpenCalls};
use other::{Todos, Totals};
use outcomes::Outcomes;
use path::{Folders, last_name};
use slots::{Board, Writer};
use std::collections::BTreeSet;
use text::Texts;
use tool_outcomes::ToolTable;
use wrapping::Body;

/// What a run knew and did, as far as it was read.
#[derive(Debug, Default)]
pub struct Work {
    dialect: Dialect,
    board: Board,
    folders: Folders,
    /// The step before which a record reported the shell's folder, and the folder until then.
    reported_folder: Option<(StepNo, Option<String>)>,
    calls: OpenCalls,
    shell: Shell,
    todos: Todos,
    totals: Totals,
    /// What earlier trajectories of the run spent.
    earlier: Usage,
    background: BackgroundAgents,
    compactions: u64,
    page: Option<String>,
    outcomes: Outcomes,
    /// The steps of those that are errors, and of those that are suspect.
    errors: BTreeSet<StepNo>,
    suspects: BTreeSet<StepNo>,
    /// The command of the last result that is a rejection, and its folder.
    rejected: Option<Box<(String, Option<String>)>>,
    files: Files,
    texts: Texts,
    fuel: Fuel,
    /// Steps of results of calls that could change any file (W7).
    changers: Vec<StepNo>,
    /// Steps of results of commands that run tests (`T.tests`).
    tests: Vec<StepNo>,
    notes: Notes,
    tools: ToolTable,
    declared: DeclaredTools,
    /// Bytes of files that were digested.
    slot_bytes: u64,
}

/// W5: `shell/main`, beside its folder.
#[derive(Debug, Default)]
struct Shell {
    command: Option<String>,
    /// Exit status of the last command; None: none has ended.
    exit: Option<Option<i64>>,
    ms: Option<u64>,
    /// SWE-agent's open file.
    open: Option<String>,
    /// What was written by this step, also if it stays.
    has_command: bool,
    has_exit: bool,
}

impl Work {
    /// Nothing known yet.
    #[must_use]
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, ..Self::default() }
    }

    /// W10: what a record says around its steps; reported before its first step `at` (the head before any step).
    pub fn surroundings(&mut self, at: StepNo, around: &Surroundings<'_>, sink: &mut dyn SlotSink) {
        if let Some(cwd) = around.cwd.as_deref().filter(|cwd| !cwd.is_empty()) {
            self.reported_folder = Some((at, self.folders.shell.clone()));
            self.folders.enter(cwd);
        }
        self.compactions += u64::from(around.is_compaction);
        let mut to = Writer { board: &mut self.board, sink, at };
        other::write_run(around, if around.is_compaction { self.compactions } else { 0 }, &mut to);
        self.write_shell(at, sink);
    }

    /// `FORMATS.md` 8: the steps from here on are another trajectory, which knows nothing of what the ones before did:
    /// its slots begin at nothing.
    pub fn begin_trajectory(&mut self, at: StepNo, sink: &mut dyn SlotSink) {
        Writer { board: &mut self.board, sink, at }.clear();
        let files = &self.files.list;
        let seen = |file: usize| files.get(file).and_then(|file| file.changed.max(file.seen));
        self.notes.end_trajectory(self.todos.is_open(), seen);
        self.files.end(at);
        self.calls.abandon();
        self.earlier = self.earlier.plus(&self.totals.sum());
        let now = std::mem::take(self);
        let Self { dialect, earlier, calls, outcomes, errors, suspects, files, texts, fuel, .. } = now;
        let Self { changers, tests, notes, tools, declared, slot_bytes, .. } = now;
        *self = Self {
            dialect,
            calls,
            earlier,
            outcomes,
            errors,
            suspects,
            files,
            texts,
            fuel,
            changers,
            tests,
            notes,
            tools,
            declared,
            slot_bytes,
            ..Self::default()
        };
    }

    /// W10: the todo list, whole, as a record states it; what is not a list says nothing.
    pub fn todo_list(&mut self, at: StepNo, list: &Value<'_>, sink: &mut dyn SlotSink) {
        if let Some(items) = call::todo_items(list) {
            self.todos.set(&items, &mut Writer { board: &mut self.board, sink, at });
        }
    }

    /// W2: the next step. `answered` reports for each of its results in order which call it answers; where it is
    /// shorter, the rule decides. Steps come in order.
    pub fn turn(&mut self, at: StepNo, turn: &Turn<'_>, answered: &[Answered], sink: &mut dyn SlotSink) {
        self.turn_of(at, at, turn, answered, sink);
    }

    /// W2: the same of a step that is whole only after others began: its calls are those of `step`, what it writes is
    /// written at the last one, `at`.
    pub fn turn_of(
        &mut self,
        step: StepNo,
        at: StepNo,
        turn: &Turn<'_>,
        answered: &[Answered],
        sink: &mut dyn SlotSink,
    ) {
        let (mut calls, mut results, mut has_links) = (0, 0, false);
        let is_agents = turn.role == StepRole::Agent;
        for part in &turn.parts {
            match part {
                TurnPart::Call(call) => {
                    calls += self.calls_of((step, calls), call, at, sink);
                    has_links = true;
                }
                TurnPart::Result(result) => {
                    let answered = answered.get(results).copied().unwrap_or_default();
                    has_links |= self.results_of(at, result, answered, sink);
                    results += 1;
                }
                TurnPart::Text(text) | TurnPart::Thought(text) => {
                    self.notes.text(text);
                    if !is_agents {
                        self.interrupt(at, text);
                        self.read_places(text);
                        self.end_agents(at, text, sink);
                    }
                }
                TurnPart::Attachment(Attachment { media_type, location: Some(url), .. })
                    if media_type == "text/html" =>
                {
                    self.page = Some(url.clone().into_owned());
                }
                TurnPart::Attachment(_) => {}
            }
        }
        self.notes.step(at, turn);
        self.write_shell(at, sink);
        self.write_files(at, sink);
        if !sink.is_read() {
            return;
        }
        let mut to = Writer { board: &mut self.board, sink, at };
        to.set("page", "main", "url", self.page.as_deref().map(quote).as_deref());
        if has_links {
            to.set("call", "main", "open", Some(&self.calls.steps()));
        }
    }

    /// W2: the effects of a turn that is in no step: it counts as no call of a tool.
    pub fn turn_beside(&mut self, at: StepNo, turn: &Turn<'_>, sink: &mut dyn SlotSink) {
        let counted = std::mem::take(&mut self.tools);
        self.turn(at, turn, &[], sink);
        self.tools = counted;
    }

    /// W10: tokens and cost that a record reports, after its last step. Of several lines of one `message` the one with
    /// the most output counts.
    pub fn usage(&mut self, at: StepNo, message: Option<&str>, usage: &Usage, sink: &mut dyn SlotSink) {
        self.totals.add(message, usage);
        self.totals.write(&mut Writer { board: &mut self.board, sink, at });
    }

    /// W10: what the run cost beyond what its messages report; it is no turn.
    pub fn beyond(&mut self, at: StepNo, usage: &Usage, sink: &mut dyn SlotSink) {
        self.totals.add_beyond(usage);
        self.totals.write(&mut Writer { board: &mut self.board, sink, at });
    }

    /// W10: tokens and cost so far, of all trajectories.
    #[must_use]
    pub fn total_usage(&self) -> Usage {
        self.earlier.plus(&self.totals.sum())
    }

    /// W10: the same of a log that gives totals, with each answer or by themselves.
    pub fn usage_totals(&mut self, at: StepNo, totals: &Usage, is_turn: bool, sink: &mut dyn SlotSink) {
        self.totals.set(totals, is_turn);
        self.totals.write(&mut Writer { board: &mut self.board, sink, at });
    }

    /// W4: how the results of a step came out, the worst of several; None: it has no result.
    #[must_use]
    pub fn outcome(&self, step: StepNo) -> Option<Outcome> {
        self.outcomes.get(step)
    }

    /// The steps whose outcome is an error, in order: they are known without a look at all steps.
    #[must_use]
    pub fn error_steps(&self) -> &BTreeSet<StepNo> {
        &self.errors
    }

    /// The steps whose outcome is suspect, in order.
    #[must_use]
    pub fn suspect_steps(&self) -> &BTreeSet<StepNo> {
        &self.suspects
    }

    /// W4: how the calls of each tool came out, by the tool's name.
    pub fn tools(&self) -> impl Iterator<Item = (&str, &ToolOutcomes)> {
        self.tools.0.iter().map(|(name, of)| (&**name, of))
    }

    /// Whether a call of this step waits for its result.
    #[must_use]
    pub fn is_open(&self, step: StepNo) -> bool {
        self.calls.is_waiting(step)
    }

    /// W11: findings of a record, as if its run ended here.
    #[must_use]
    pub fn findings(&self, record: usize) -> Vec<Finding> {
        let seen = |file: usize| self.files.list.get(file).and_then(|file| file.changed.max(file.seen));
        self.notes.findings(record, self.todos.is_open(), seen)
    }

    /// W9: a text of a user or the environment may give the shell's folder.
    fn read_places(&mut self, text: &str) {
        let Body { cwd, open, .. } = wrapping::of_text(text, false);
        self.set_places(cwd, open);
    }

    fn set_places(&mut self, cwd: Option<String>, open: Option<String>) {
        if let Some(cwd) = cwd {
            self.folders.enter(&cwd);
        }
        if let Some(open) = open {
            self.shell.open = (open != "n/a").then(|| self.folders.shell_path(&open));
        }
    }

    /// W9: the shell's folder before a result, the one that the log gives afterwards, and whether it gives one. A
    /// record that gives the same folder as before may have left the one that a command entered.
    fn folders_around(&mut self, at: StepNo, has_cwd: bool) -> (Option<String>, Option<String>, bool) {
        let now = self.folders.shell.clone();
        match self.reported_folder.take_if(|(step, _)| *step == at) {
            Some((_, before)) => {
                let folder_now = now.filter(|now| before.as_ref().is_some_and(|before| before != now));
                (before.or_else(|| self.folders.shell.clone()), folder_now, true)
            }
            None => (now, None, has_cwd),
        }
    }

    /// W2: a call: only its command, the sub-agent and the open calls are written at once.
    fn call(&mut self, (step, place): (StepNo, usize), call: &ToolCall<'_>, at: StepNo, sink: &mut dyn SlotSink) {
        let read = Call::read(&call.name, &call.arguments, self.dialect);
        if let Action::Shell { command, .. } = &read.action {
            self.shell.command = Some(command.clone());
            self.shell.has_command = true;
        }
        other::write_sub(step, place, &read.action, &mut Writer { board: &mut self.board, sink, at });
        let unnamed = self.unnamed(&read.action);
        self.notes.call(&read);
        self.tools.call(&call.name);
        self.notes.text(&call.arguments);
        self.calls.add(step, place, call.id.as_deref(), read, unnamed);
    }

    /// W2: a result: effects are written here. Whether it answers a call.
    fn result(&mut self, at: StepNo, result: &ToolResult<'_>, answered: Answered, sink: &mut dyn SlotSink) -> bool {
        let Some(open) = self.calls.take(result.id.as_deref(), answered) else {
            // Of a call that is not in the log: it changes nothing that is known, and still came out somehow (W12).
            let body = wrapping::unwrap(result, false);
            let outcome = outcome::outcome(&body, result.is_error, &Action::Other);
            self.note_outcome(at, outcome, body.ms.or(result.span_ms));
            self.tools.unlinked(result.name.as_deref(), outcome.verdict);
            return false;
        };
        let class = open.call.action.class();
        let mut body = wrapping::unwrap(result, class == Class::Shell);
        terminal::take_off(self.dialect, &mut body, &open.call.action);
        let outcome = outcome::outcome(&body, result.is_error, &open.call.action);
        self.note_outcome(at, outcome, body.ms.or(result.span_ms));
        if class == Class::Shell {
            self.shell.exit = Some(body.exit);
            self.shell.ms = body.ms;
            self.shell.has_exit = true;
        }
        self.notes.result(at, &open.call, outcome);
        self.tools.result(&open.call.tool, outcome.verdict);
        self.notes.text(&result.text);
        let (folder, logged_folder, has_logged_folder) = self.folders_around(at, body.cwd.is_some());
        let open_file = self.shell.open.clone();
        self.set_places(body.cwd.clone(), body.open.clone());
        let logged_folder = if body.cwd.is_some() { self.folders.shell.clone() } else { logged_folder };
        self.file_effects(&Answer {
            step: at,
            open: &open,
            outcome,
            text: &body.text,
            details: result.details.as_deref(),
            folder: folder.as_deref(),
            logged_folder: logged_folder.as_deref(),
            has_logged_folder,
            open_file: open_file.as_deref().or(self.shell.open.clone().as_deref()),
        });
        if could_change(&open.call) && outcome.reason != Some("rejected") {
            self.changers.push(at);
        }
        if shell::runs_tests(&open.call) && outcome.reason != Some("rejected") {
            self.tests.push(at);
        }
        self.effects(at, &open, &body, outcome, sink);
        true
    }

    /// How one of the results of a step came out, and how long it took: the worst of them counts.
    fn note_outcome(&mut self, at: StepNo, outcome: Outcome, ms: Option<u64>) {
        self.outcomes.set_took(at, ms);
        let worst = self.outcomes.get(at).filter(|known| known.verdict >= outcome.verdict).unwrap_or(outcome);
        self.outcomes.set(at, worst);
        if worst.is_error() {
            self.errors.insert(at);
            self.suspects.remove(&at);
        } else if worst.verdict == OutcomeLevel::Suspect {
            self.suspects.insert(at);
        }
    }

    /// W11: the last names of files that a call edits and that are nowhere before it.
    fn unnamed(&mut self, action: &Action) -> Vec<String> {
        let paths: Vec<String> = match action {
            Action::Replace { path: Some(path), .. } | Action::Insert { path: Some(path), .. } => vec![path.clone()],
            Action::Splice { path: Some(path), .. } | Action::Undo { path } => vec![path.clone()],
            Action::Patch { text } => patch::parse(text).iter().map(|patch| patch.path().to_owned()).collect(),
            _ => Vec::new(),
        };
        let names = paths.iter().map(|path| last_name(path)).filter(|name| !self.notes.names.has(name));
        names.map(str::to_owned).collect()
    }

    fn effects(&mut self, at: StepNo, open: &OpenCall, body: &Body<'_>, outcome: Outcome, sink: &mut dyn SlotSink) {
        let mut to = Writer { board: &mut self.board, sink, at };
        if let Some((step, place, is_failed)) = self.background.ended_by_output(&open.call.name, &body.text) {
            other::write_sub_end(step, place, is_failed, &mut to);
        }
        match &open.call.action {
            Action::Sub { .. } if self.background.launch(open, &body.text) => {}
            Action::Sub { .. } => other::write_sub_end(open.step, open.place, outcome.is_error(), &mut to),
            _ if outcome.is_error() => {}
            Action::Todos(items) => self.todos.set(items, &mut to),
            Action::NewTask { text } => self.todos.add(text.as_deref(), &body.text, &mut to),
            Action::TaskUpdate(change) => self.todos.update(change, &mut to),
            Action::Page { url: Some(url) } => self.page = Some(url.clone()),
            _ => {}
        }
    }

    /// W10: sub-agents that went on in the background, and that a text reports as ended.
    fn end_agents(&mut self, at: StepNo, text: &str, sink: &mut dyn SlotSink) {
        for (step, place, is_failed) in self.background.ended(text) {
            other::write_sub_end(step, place, is_failed, &mut Writer { board: &mut self.board, sink, at });
        }
    }

    /// W5: `shell/main`: `command`, `exit` and `ms` at each, the rest when it changes. The text names the first two; a
    /// vector has the third too.
    fn write_shell(&mut self, at: StepNo, sink: &mut dyn SlotSink) {
        let shell = &mut self.shell;
        let (has_command, has_exit) = (std::mem::take(&mut shell.has_command), std::mem::take(&mut shell.has_exit));
        if !sink.is_read() {
            return;
        }
        let mut to = Writer { board: &mut self.board, sink, at };
        let quoted = |text: &Option<String>| text.as_deref().map(quote);
        to.set("shell", "main", "cwd", quoted(&self.folders.shell).as_deref());
        to.put("shell", "main", "command", quoted(&shell.command).as_deref(), has_command);
        let exit = shell.exit.map(|exit| exit.map_or("null".to_owned(), |exit| exit.to_string()));
        to.put("shell", "main", "exit", exit.as_deref(), has_exit);
        to.put("shell", "main", "ms", shell.ms.map(|ms| ms.to_string()).as_deref(), has_exit);
        to.set("shell", "main", "open", quoted(&shell.open).as_deref());
    }
}

/// W7: whether a call could change any file.
fn could_change(call: &Call) -> bool {
    match &call.action {
        Action::Shell { command, .. } => shell::could_change(command),
        Action::Code | Action::Input { .. } | Action::Sub { .. } => true,
        Action::Other => !tables::has_part("harmless", &call.name),
        _ => false,
    }
}
