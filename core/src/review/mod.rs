//! Review of datasets: who decided what of which content, what of it is exported, and how; facts on every record, and
//! what of them a filter lets through, sorted and counted.
//!
//! Decisions are events, of a content and not of a place in a file; what holds is made from the set of events alone, so
//! journals of several people merge in any order. Knows no file and no clock: times come in with the events, and what
//! is to be written goes out as lines and plans.

mod action_tree;
mod attempt_tree;
mod attempts;
mod chat;
mod column;
mod compare;
mod content_index;
mod conversation;
mod conversion;
mod custom_columns;
mod facts;
mod field;
mod filter;
mod filter_text;
pub mod flat;
mod grouped;
mod lift;
mod loss;
mod loss_check;
mod mark_event;
mod marks;
mod non_empty_columns;
mod order;
mod pick;
mod purpose;
mod redact;
mod redact_pieces;
mod rollout;
mod rollouts;
mod sampling;
mod select;
mod session;
mod sort_by_text;
mod step_subject;
mod task_note;
mod template;
mod tokenizer;
mod transcript;
mod value_counts;

pub use action_tree::{Action, ActionAttempt, ActionTree, Parting, Success, action_tree};
pub use attempt_tree::{Attempt, SharedSteps, ending_of, ending_words, tasks as attempt_tasks, tree as attempt_tree};
pub use attempts::{
    ActionAlignment, AttemptOutcome, AttemptTree, Branch, TaskAnswer, TaskField, TaskLine, TaskList, TaskQuestion,
    attempts_at, key_by, several,
};
pub use chat::{ChatShape, Left as ChatLeft, chat};
pub use column::Column;
pub use compare::{Compared, Fingerprint, ValueChange, changes, compare};
pub use content_index::Units;
pub use conversation::{Conversation, TemplateMessage};
pub use conversion::{ConversionLoss, conversion_loss};
pub use custom_columns::{CellValue, CustomColumn, CustomColumnChunk, CustomColumnTable, CustomColumnTables};
pub use facts::{Chunk, ChunkBuilder, FactTable, RecordFacts, Reread};
pub use field::{FilterField, Names, Numbers, Scope, Subject, Texts};
pub use filter::{Filter, FilterFault, Term};
pub use grouped::{Grouper, Spread, ValueGroup, histogram, values_of};
pub use lift::{Lift, Lifts, PhraseCounts, RecordFeatures};
pub use loss::{ChatTemplate, Loss, LossFinding, LossSegment, Total, Train, loss, tokens};
pub use loss_check::{LossCheck, LossCounts};
pub use mark_event::{About, Change, ContentKey, DecodeError, EventId, MarkEvent, MarkTarget, VERSION, Verdict};
pub use marks::{Mark, Marks};
pub use non_empty_columns::{NonEmptyColumns, is_informative_class};
pub use order::{Grounds, RecordOrder, Sort, arrange};
pub use pick::{NotPicked, Pick, Picker, Unpicked};
pub use purpose::{is_of_findings, purpose_of};
pub use redact::{Redactor, Secret};
pub use rollout::Rollout;
pub use rollouts::{Costs, Group, Groups, TaskGroups};
pub use sampling::{Sample, Split, lot, record_id};
pub use select::{Candidate, Judged, Predicate, Selection, verdict_name};
pub use session::{Decision, Marked, Progress, RecordMarks, Review, ReviewSubject};
pub use step_subject::{StepEntry, StepMarks, StepNotes};
pub use template::{Rendered, Setting, TEMPLATES, Template, TemplateFault, TemplateFiles, TemplateSource};
pub use tokenizer::{CountedTemplate, Tokenizer, tokens_of_record};
pub use transcript::{RecordHead, Transcript, TranscriptFormat};
pub use value_counts::{Bin, Plot, Tally, ValueCount, tally};
