//! Work off the screen's thread: what is asked for, and in which lane.

use super::export::ExportRequest;
use super::msg::SearchPosition;
use super::pane::{MessageMode, ReadingOf, ViewOf};
use super::{App, Notice};
use crate::json::Key;
use crate::model::{Identity, Span, StepNo};
use crate::panes::Checks;
use crate::panes::diff::DiffQuery;
use crate::panes::known_file::{ColourRequest, FileKey};
use crate::panes::loss::{LossOf, LossOptions};
use crate::panes::message::CodeRequest;
use crate::panes::openables::Openable;
use crate::panes::reading::{self, PageOf};
use crate::panes::seek::Pass;
use crate::panes::two_runs::states::StatePairQuery;
use crate::panes::two_runs::{RunData, RunPlace};
use crate::review::{Column, FactTable, Filter, Grounds, Sort, StepMarks, TaskField, TaskQuestion};
use crate::text::Pattern;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Something that a thread does for the screen. Its answer is a [`Msg`](super::Msg) with the generation or number that
/// it was asked with, so a late one is dropped.
#[derive(Debug, Clone)]
pub enum Job {
    /// Open a trajectory.
    Open(usize),
    /// Make facts on records that are on the screen.
    Facts {
        /// Content to answer with.
        content: u64,
        /// The records.
        records: Vec<usize>,
    },
    /// Look at all records in the background.
    Scan {
        /// Content to answer with.
        content: u64,
        /// The first record.
        from: usize,
        /// The record after the last.
        to: usize,
    },
    /// Look at all records with the rules of datasets.
    CheckData {
        /// Content to answer with.
        content: u64,
    },
    /// Filter and sort the rows of the table.
    Arrange {
        /// Number to answer with.
        number: u64,
        /// What is known by now.
        grounds: Grounds,
        /// By which column.
        sort: Option<Sort>,
        /// What is let through.
        filter: Filter,
    },
    /// Count what a column holds.
    Tally {
        /// Number to answer with.
        number: u64,
        /// What is known by now.
        grounds: Grounds,
        /// What is let through.
        filter: Filter,
        /// The column.
        column: Column,
    },
    /// Count the attempts at each task.
    Groups {
        /// Number to answer with.
        number: u64,
        /// The facts by now.
        facts: FactTable,
    },
    /// Look up the attempts at a task, or the tasks with several.
    Attempts {
        /// Number to answer with.
        number: u64,
        /// The facts by now.
        facts: FactTable,
        /// Which.
        question: TaskQuestion,
        /// The field that names tasks.
        by: TaskField,
        /// Whether attempts are aligned by what they did.
        by_action: bool,
    },
    /// Read a message and lay it out.
    Read {
        /// Generation to answer with.
        generation: u64,
        /// The step.
        step: StepNo,
        /// Its bytes.
        span: Span,
    },
    /// Make a message ready to be read.
    Reading {
        /// What it is of; the answer says it too.
        of: ReadingOf,
        /// What all paths of the run begin with.
        folder: String,
    },
    /// Make a long value ready for the pager.
    Page {
        /// Number to answer with.
        number: u64,
        /// What it is.
        of: PageOf,
    },
    /// Make the LLM view of a step.
    View {
        /// Which, and which part of it.
        of: ViewOf,
        /// Whether to count what fills the window: once for a view.
        counts: bool,
    },
    /// Make a record ready as a model would see it.
    Loss {
        /// Which, to answer with.
        of: LossOf,
        /// How.
        options: LossOptions,
    },
    /// Compare states.
    Compare {
        /// Generation to answer with.
        generation: u64,
        /// What is compared.
        question: DiffQuery,
        /// Lists to show whole.
        unfolded: BTreeSet<String>,
    },
    /// Read two runs and align their steps.
    AlignRuns {
        /// Number to answer with.
        number: u64,
        /// Where they are, and whether in the input that is open.
        places: [(bool, RunPlace); 2],
    },
    /// Compare the states of two runs.
    CompareStates {
        /// Number and question, to answer with.
        of: (u64, StatePairQuery),
        /// The runs.
        sides: Box<[RunData; 2]>,
    },
    /// Ask an expression of records on the screen.
    Ask {
        /// Number to answer with.
        id: u64,
        /// The expression.
        expression: Arc<str>,
        /// The records.
        records: Vec<usize>,
        /// Held by the table while the answer is wanted.
        token: Arc<()>,
    },
    /// Ask an expression of all records from one on.
    AskAll {
        /// Number to answer with.
        id: u64,
        /// The expression.
        expression: Arc<str>,
        /// The first record.
        from: usize,
        /// The record before which to end.
        to: usize,
        /// Held by the table while the answer is wanted.
        token: Arc<()>,
    },
    /// Look which steps pass a filter.
    FilterSteps {
        /// Number to answer with.
        number: u64,
        /// The filter.
        filter: Box<Filter>,
        /// The first step to look at.
        from: usize,
        /// The step before which to end.
        to: usize,
        /// What schemas make of the run.
        checks: Arc<Checks>,
        /// The marks on steps, where the filter asks for them.
        marks: Arc<StepMarks>,
    },
    /// Check values against their schemas, up to the last step.
    Examine(Arc<Checks>),
    /// Lay out a file that the run knows.
    LayOutFile(FileKey),
    /// Highlight lines of such a file.
    ColourLines(ColourRequest),
    /// Highlight code.
    Highlight(Vec<CodeRequest>),
    /// Search the input.
    Find {
        /// Number to answer with.
        number: u64,
        /// What.
        pattern: Box<Pattern>,
        /// From where on (not there itself).
        from: SearchPosition,
        /// The steps to search, where not all are listed.
        within: Option<Arc<[StepNo]>>,
        /// Towards the end.
        is_forward: bool,
    },
    /// Look for a step.
    Seek {
        /// Number to answer with.
        number: u64,
        /// Where, and for what; of the first in which one is found.
        passes: Vec<Pass>,
        /// How many are to be found.
        nth: usize,
    },
    /// Show the file that a value names by id.
    File {
        /// Generation to answer with.
        generation: u64,
        /// The step in focus.
        step: StepNo,
        /// The id.
        id: String,
    },
    /// Look up who reads a value.
    Readers {
        /// Generation to answer with.
        generation: u64,
        /// Whose value.
        identity: Identity,
        /// Its path.
        path: Vec<Key>,
    },
    /// Look up the links and images of a step.
    Openables {
        /// Generation to answer with.
        generation: u64,
        /// The step, with the results of its calls.
        of: reading::Step,
    },
    /// Open a link or an image outside.
    OpenOutside(Openable),
    /// Write records of the table into a file.
    Export(ExportRequest),
    /// Make the keys of units of the input.
    Keys {
        /// Content to answer with.
        content: u64,
        /// The first unit.
        from: usize,
    },
}

/// Of the jobs of a lane only the newest is wanted: it takes the place of one that waits, and ends one that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// The trajectory to open.
    Open,
    /// Facts on the records on the screen.
    Facts,
    /// Facts on all records.
    Scan,
    /// The rules of datasets.
    CheckData,
    /// The order of the table.
    Arrange,
    /// The counts of a column.
    Tally,
    /// The attempts at each task.
    Groups,
    /// The attempts at a task.
    Attempts,
    /// The message in focus.
    Read,
    /// The message in focus, to be read.
    Reading,
    /// The text of the pager.
    Page,
    /// The LLM view.
    View,
    /// What trains.
    Loss,
    /// The comparison of states.
    Compare,
    /// The runs to compare.
    AlignRuns,
    /// The comparison of the states of two runs.
    CompareStates,
    /// A custom column on the screen.
    Ask(u64),
    /// A custom column of all records.
    AskAll(u64),
    /// The steps that pass the filter.
    FilterSteps,
    /// The checks against schemas.
    Examine,
    /// The file that the run knows.
    LayOutFile,
    /// The lines of that file on the screen.
    ColourLines,
    /// The code on the screen.
    Highlight,
    /// The search in the input.
    Find,
    /// The look for a step.
    Seek,
    /// The file that a value names.
    File,
    /// The readers of a value.
    Readers,
    /// The links and images of a step.
    Openables,
    /// What is opened outside.
    OpenOutside,
    /// The file of records that is written.
    Export,
    /// The keys of marks.
    Keys,
}

impl Job {
    /// Its lane.
    #[must_use]
    pub fn lane(&self) -> Lane {
        match self {
            Self::Open(_) => Lane::Open,
            Self::Facts { .. } => Lane::Facts,
            Self::Scan { .. } => Lane::Scan,
            Self::CheckData { .. } => Lane::CheckData,
            Self::Arrange { .. } => Lane::Arrange,
            Self::Tally { .. } => Lane::Tally,
            Self::Groups { .. } => Lane::Groups,
            Self::Attempts { .. } => Lane::Attempts,
            Self::Read { .. } => Lane::Read,
            Self::Reading { .. } => Lane::Reading,
            Self::Page { .. } => Lane::Page,
            Self::View { .. } => Lane::View,
            Self::Loss { .. } => Lane::Loss,
            Self::Compare { .. } => Lane::Compare,
            Self::AlignRuns { .. } => Lane::AlignRuns,
            Self::CompareStates { .. } => Lane::CompareStates,
            Self::Ask { id, .. } => Lane::Ask(*id),
            Self::AskAll { id, .. } => Lane::AskAll(*id),
            Self::FilterSteps { .. } => Lane::FilterSteps,
            Self::Examine(_) => Lane::Examine,
            Self::LayOutFile(_) => Lane::LayOutFile,
            Self::ColourLines(_) => Lane::ColourLines,
            Self::Highlight(_) => Lane::Highlight,
            Self::Find { .. } => Lane::Find,
            Self::Seek { .. } => Lane::Seek,
            Self::File { .. } => Lane::File,
            Self::Readers { .. } => Lane::Readers,
            Self::Openables { .. } => Lane::Openables,
            Self::OpenOutside(_) => Lane::OpenOutside,
            Self::Export(_) => Lane::Export,
            Self::Keys { .. } => Lane::Keys,
        }
    }
}

impl Lane {
    /// Whether its jobs go over all records, which everything else goes before.
    #[must_use]
    pub fn is_background(self) -> bool {
        matches!(self, Self::Scan | Self::CheckData | Self::AskAll(_))
    }

    /// Whether its jobs run foreign expressions, each in a process.
    #[must_use]
    pub fn is_expression(self) -> bool {
        matches!(self, Self::Ask(_) | Self::AskAll(_))
    }

    /// What its jobs do, as `reading the message`.
    #[must_use]
    pub fn subject(self) -> &'static str {
        match self {
            Self::Open => "opening the trajectory",
            Self::Facts | Self::Scan => "looking at the records",
            Self::CheckData => "checking the dataset",
            Self::Arrange => "arranging the table",
            Self::Tally => "counting the column",
            Self::Groups => "counting the attempts",
            Self::Attempts => "looking up the attempts",
            Self::Read | Self::Reading => "reading the message",
            Self::Page => "making the pager",
            Self::View => "making the LLM view",
            Self::Loss => "making the Loss tab",
            Self::Compare | Self::CompareStates => "comparing the states",
            Self::AlignRuns => "comparing the runs",
            Self::Ask(_) | Self::AskAll(_) => "computing the column",
            Self::FilterSteps => "filtering the steps",
            Self::Examine => "checking the schemas",
            Self::LayOutFile => "laying out the file",
            Self::Highlight | Self::ColourLines => "highlighting code",
            Self::Find => "searching",
            Self::Seek => "looking for the step",
            Self::File => "reading the file",
            Self::Readers => "looking up who reads the value",
            Self::Openables => "looking for links and images",
            Self::OpenOutside => "opening the link or image",
            Self::Export => "exporting the records",
            Self::Keys => "looking up the marks",
        }
    }
}

impl App {
    /// A job came to a bad end at a place of the program: what waited for it waits no more.
    pub(super) fn job_failed(&mut self, lane: Lane, place: &str) {
        let why =
            format!("{} failed at {place}: a fault of obelus, not of your file; please report it", lane.subject());
        match lane {
            Lane::Open => (self.opening, self.reopening) = (None, None),
            Lane::Scan => self.scan_ended(self.scanned_content()),
            Lane::CheckData => self.table.is_checking = false,
            Lane::Arrange => (self.table.is_arranging, self.table.reread) = (false, None),
            Lane::Ask(id) => self.take_near(id, Vec::new(), Some(why.clone())),
            Lane::AskAll(id) => self.asked_all(id, Some(why.clone())),
            Lane::FilterSteps => self.filter_job_ended(),
            Lane::Find => self.search.awaited = None,
            Lane::Reading => self.inspector.message.look = MessageMode::Json,
            Lane::Page => self.pager.give_up(),
            Lane::AlignRuns => self.two_runs.status.clone_from(&why),
            Lane::Seek => drop(self.stop_seeking(&mut Vec::new())),
            Lane::Facts
            | Lane::Tally
            | Lane::Groups
            | Lane::Attempts
            | Lane::Read
            | Lane::View
            | Lane::Loss
            | Lane::Compare
            | Lane::CompareStates
            | Lane::Examine
            | Lane::LayOutFile
            | Lane::ColourLines
            | Lane::Highlight
            | Lane::File
            | Lane::Readers
            | Lane::Openables
            | Lane::OpenOutside
            | Lane::Export
            | Lane::Keys => {}
        }
        self.notice = Some(Notice { is_error: true, text: why });
    }
}
