//! What happens to the program, and what it asks to be done: both are data.

use super::export::{ExportOutcome, ExportRequest};
use super::job::{Job, Lane};
use super::key::{KeyPress, Mouse};
use super::pane::{ReadingOf, ViewLines, ViewOf};
use crate::format::SharedRun;
use crate::format::plan::ValueReader;
use crate::json::Key;
use crate::model::{Bytes, Identity, ListChange, Place, Problem, StepNo};
use crate::panes::diff::DiffQuery;
use crate::panes::file_list::FileHead;
use crate::panes::json_outline::Doc;
use crate::panes::known_file::{FileKey, FileLayout};
use crate::panes::loss::{LossOf, LossText};
use crate::panes::message::CodeLine;
use crate::panes::openables::Openable;
use crate::panes::reading::Reading;
use crate::panes::replay::Replay;
use crate::panes::table::Facts;
use crate::panes::text_view::TextLine;
use crate::panes::two_runs::AlignedRuns;
use crate::panes::two_runs::states::{StatePair, StatePairQuery};
use crate::panes::{DatasetFindings, Records};
use crate::review::{
    CellValue, Chunk, ContentKey, CustomColumnChunk, Decision, Marked, RecordOrder, Tally, TaskAnswer, TaskGroups,
};
use crate::rules::work::LineId;
use std::path::PathBuf;
use std::sync::Arc;

/// Something that happened.
#[derive(Debug)]
pub enum Msg {
    /// A key.
    Key(KeyPress),
    /// A mouse event.
    Mouse(Mouse),
    /// Text pasted.
    Paste(String),
    /// The screen has another size, in cells.
    Resize(u16, u16),
    /// More of the input is known: whether all of it is, and whether it grew since it was opened.
    Progress {
        /// All that the input holds now is read and merged.
        is_complete: bool,
        /// The input grew while it was open.
        is_live: bool,
    },
    /// What is at the end of the input and is not a record yet, and the time of the day, as `14:32:05`.
    PendingTail(Option<Place>, String),
    /// The moment for which new steps stand out is over.
    HighlightExpired,
    /// The input is `gone` or `unreadable`, a sentence that says so, and the time of the day.
    Stale(&'static str, String, String),
    /// Whether the input is looked at again and again, as the file system reports no changes (R20).
    Polling(bool),
    /// The input has another content: its records and its run, and what to say of it.
    Replaced(Replacement, Option<String>),
    /// The findings of the open run may be others now.
    Settled,
    /// A trajectory was opened.
    Opened(usize, OpenedRun),
    /// Facts on records that are on the screen: the content of the input, record and facts.
    Facts(u64, Vec<(usize, Facts)>),
    /// More records were looked at: the content of the input, and the facts on those that come next.
    Scanned(u64, Arc<Chunk>),
    /// A scan has ended: the content of the input.
    ScanEnded(u64),
    /// The rules of datasets looked at all records: the content of the input, and what they found, or why they did
    /// not.
    DataChecked(u64, Result<Arc<DatasetFindings>, String>),
    /// Words are read again to arrange the rows of the table: number of the question, and how far that is, in percent.
    Arranging(u64, usize),
    /// The rows of the table were arranged: number of the question.
    Arranged(u64, RecordOrder),
    /// A column was counted: number of the question.
    Tallied(u64, Tally),
    /// What an expression says of records on the screen: number of the question, record and value, and why it says no
    /// more.
    CustomValuesVisible(u64, Vec<(usize, CellValue)>, Option<String>),
    /// The same of some of them, while the others are still asked.
    CustomValuesPart(u64, Vec<(usize, CellValue)>),
    /// What an expression says of the records that come next.
    CustomValuesNext(u64, Arc<CustomColumnChunk>),
    /// All records were asked, or why no more are.
    CustomValuesEnded(u64, Option<String>),
    /// The attempts at each task were counted: number of the question.
    Groups(u64, Arc<TaskGroups>),
    /// Attempts were looked up: number of the question.
    Attempts(u64, TaskAnswer),
    /// More steps were looked at: number of the question, how many were by now, and those that pass the filter among
    /// the ones that were new.
    StepsFiltered(u64, usize, Vec<StepNo>),
    /// A look at the listed files found something new.
    Files(ListChange),
    /// What a listed file begins with.
    Head(PathBuf, FileHead),
    /// A listed file cannot be opened: why.
    NotOpened(String),
    /// A message was read and laid out: generation, step, document.
    Message(u64, StepNo, Arc<Doc>),
    /// What the pager asked for: the text, and how it is laid out; None: it is not there any more.
    Page(u64, Option<(Arc<str>, Arc<Reading>)>),
    /// A message to read; None where the format does not know what a message is.
    Reading(ReadingOf, Option<Arc<Reading>>),
    /// The LLM view was made: generation, step, lines.
    View(ViewOf, ViewLines),
    /// What fills the window of the model in that view, and what left it, in lines; none where it is not known.
    ViewFill(ViewOf, Vec<String>),
    /// A conversation was made ready, with what trains; or why not.
    Loss(LossOf, Result<LossText, String>),
    /// Two runs are read and aligned: number of the question, and how far that is, in percent.
    Aligning(u64, usize),
    /// Two runs were aligned: number of the question; or why not.
    RunsAligned(u64, Box<Result<AlignedRuns, String>>),
    /// The states of two runs were compared: what was asked.
    StatesCompared((u64, StatePairQuery), StatePair),
    /// States were compared: generation, question, lines.
    Compared(u64, DiffQuery, Vec<TextLine>),
    /// A file that the run knows is laid out.
    FileLaidOut(FileKey, Arc<FileLayout>),
    /// Lines of such a file were highlighted: number of the request.
    LineColours(u64, Vec<(LineId, CodeLine)>),
    /// Code was highlighted: document, node, lines.
    Code(u64, u32, Vec<CodeLine>),
    /// A file that a value names was read: generation, step, name, lines.
    File(u64, StepNo, String, Vec<TextLine>),
    /// Who reads a value was looked up: generation, the value, its readers.
    Readers(u64, (Identity, Vec<Key>), Vec<ValueReader>),
    /// The links and images of a step: generation, step, what it has.
    Openables(u64, StepNo, Result<Vec<Openable>, Problem>),
    /// A look for a step: its number, and how far it is, in percent.
    Seeking(u64, usize),
    /// It ended: its number, how many steps were found, no more than were asked for, and the last of them.
    Sought(u64, usize, Option<StepNo>),
    /// A search found the next row, or none.
    SearchResult(u64, Option<SearchPosition>),
    /// A search counted rows with hits.
    Hits(u64, Hits),
    /// Values were checked against their schemas.
    Examined,
    /// Events of marks: made here, or found in the journal.
    Marked(Vec<Marked>),
    /// The number of marks that are not in the journal yet, and why.
    Unsaved(usize, Option<String>),
    /// Records of the table were written into a file, or why not.
    Exported(ExportRequest, ExportOutcome),
    /// Keys of units of the input: which content of it, from which unit on.
    Keys(u64, usize, Vec<ContentKey>),
    /// A job came to a bad end, of which its lane knows no more: where.
    JobFailed(Lane, String),
    /// Something to report: whether it is an error, and the sentence.
    Notify(bool, String),
}

/// Another content of the input.
pub struct Replacement {
    /// Its bytes.
    pub bytes: Arc<dyn Bytes>,
    /// Its records.
    pub records: Arc<dyn Records>,
    /// Its run, where the whole input is one.
    pub run: Option<SharedRun>,
    /// `truncated` or `replaced`, where the content is another; None: it goes on, or the same was read again.
    pub mark: Option<&'static str>,
}

impl std::fmt::Debug for Replacement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Replacement of {} records", self.records.count())
    }
}

/// A run that was opened by a job; it has no debug form of its own.
pub struct OpenedRun(pub SharedRun);

impl std::fmt::Debug for OpenedRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OpenedRun")
    }
}

/// Where a search in the input found something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchPosition {
    /// In a step of the open trajectory.
    Step(StepNo),
    /// In a record of the dataset.
    Record(usize),
    /// In an entry of an LLM view.
    Entry(ViewOf, usize),
}

/// Rows in which a search found something.
#[derive(Debug)]
pub struct Hits {
    /// How many are known so far.
    pub count: usize,
    /// When all were looked at: of how many rows, and which they are, in order.
    pub rows: Option<(usize, Arc<[u32]>)>,
}

/// Something to be done outside.
#[derive(Debug, Clone)]
pub enum Effect {
    /// End the program.
    Quit,
    /// Stop until `fg`.
    Suspend,
    /// Draw all cells, whatever the terminal shows.
    Redraw,
    /// Give a text to the clipboard of the system, or of the terminal.
    Copy(String),
    /// Open a file in the editor at a line, from 1.
    Edit(PathBuf, u64),
    /// Open a text in the user's editor; what is changed there is not kept.
    EditText(Arc<str>),
    /// Play a recording so.
    Play(Replay),
    /// Open a listed file in place of what is open.
    OpenFile(PathBuf),
    /// Open the recorded run in place of what is open.
    OpenDemo,
    /// Open a file in place of what is open, read as this format.
    OpenAs(PathBuf, &'static str),
    /// Read what listed files begin with; in place of those asked for before.
    Heads(crate::panes::file_list::HeadRequest),
    /// Say [`Msg::HighlightExpired`] in a moment.
    Fade,
    /// Report somebody who looks elsewhere, as the configuration has it.
    Alert(String),
    /// Decide on records and their parts, and keep that.
    Mark(Vec<Decision>),
    /// Use a theme by name.
    Theme(String),
    /// Work off the screen's thread; in place of what its lane was asked for before.
    Job(Job),
    /// What a lane was asked for is wanted no more.
    Stop(Lane),
}
