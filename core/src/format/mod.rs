//! Formats: many and thin. Each is one file and one row of [`FORMATS`]; each maps records to steps and writes.
//!
//! A format is detected from content with reasons, never from a file's name. What it reads becomes a [`Run`]: one
//! trajectory with its steps and its versioned state. Knows no pane, no file, no other format.

mod acts;
mod adk;
mod adp;
mod ag_ui;
mod agno;
mod ai_sdk;
mod ai_studio;
mod answer;
mod assembler;
mod autogen;
mod browser_use;
pub mod call_time;
pub mod cause;
mod chatgpt;
mod claude_ai;
mod claude_code;
mod claude_stream;
mod claude_workflow;
mod cline;
mod cline_task;
mod codex;
mod context_fill;
mod continue_session;
mod copilot;
mod copilot_chat;
mod crush;
mod cursor;
mod cursor_chat;
mod cursor_stream;
mod custom;
mod describe;
mod droid;
mod facts;
mod gemini;
mod generic;
mod goose;
mod inspect;
mod kimi;
mod kiro;
mod kiro_session;
mod lang_chain;
mod langgraph;
mod langsmith;
mod letta;
mod libre_chat;
mod log;
mod matching;
mod message_lines;
mod mini_swe_agent;
mod nearest_path;
mod observations;
mod open_webui;
mod openai_agents;
mod openai_sessions;
mod opencode;
mod openhands;
mod otel;
mod pi;
mod plain_rows;
pub mod plan;
mod pydantic_ai;
mod qwen;
mod record_members;
mod reward_file;
mod rows;
mod run;
mod run_survey;
mod scopix;
pub mod signature;
mod slots;
mod smolagents;
mod step_calls;
mod survey;
mod swe_agent;
mod typed_parts;
mod typed_path;
mod verifiers;
mod verifiers_metadata;
mod verl;
mod view_list;
mod who_and_when;
mod zed;

pub use crate::model::Framing;
pub use crate::rules::scopix::{ConversationField, DataTypes, Filler, Merged};
pub use answer::{Answer, AnswerField, Attribution, Exclusion, Instances, Resolved, ViewEntry};
pub use assembler::{ASSEMBLERS, Assembler};
pub use context_fill::{Compaction, ContextFill, ContextShare, RecordedUsage, model_of, usage_at};
pub use custom::{CustomFormat, draft as draft_format};
pub use describe::{describe, reported_error};
pub use facts::{Counted, Facts};
pub use matching::{Match, Near};
pub use record_members::RecordMembers;
pub use reward_file::{Evaluation, RewardFile, begins_as_report, is_reward_file, run_names, run_names_of_text};
use run::Detect;
pub use run::{Format, Layout, Plans, Revision, Run, SharedRun};
pub use run_survey::survey_of_run;
pub use step_calls::StepCalls;
pub use survey::{BoxedLook, JudgeFinding, LookFn, LookedRecord, Purpose, SharedLookFn, Survey, Surveyed};
pub use typed_path::{TypedPath, ValuePlace, instance_named, instances};
pub use view_list::{ViewAnchor, ViewLimit, ViewList, ViewPart};

/// All formats, in the order in which detection tries them.
pub static FORMATS: &[&dyn Format] = &[
    &claude_code::ClaudeCode,
    &cursor_stream::CURSOR_STREAM,
    &claude_stream::ClaudeStream,
    &claude_workflow::WORKFLOW,
    &codex::ROLLOUT,
    &codex::EXEC,
    &pi::STS,
    &pi::PI,
    &adk::ADK,
    &inspect::Inspect,
    &inspect::InspectEvents,
    &langgraph::LANGGRAPH,
    &langgraph::HISTORY,
    &opencode::OPENCODE,
    &openhands::OpenHands,
    &swe_agent::SWE_AGENT,
    &mini_swe_agent::MINI_SWE_AGENT,
    &verifiers::Verifiers,
    &verifiers_metadata::METADATA,
    &verl::Verl,
    &gemini::GEMINI,
    &copilot::COPILOT,
    &copilot_chat::COPILOT_CHAT,
    &qwen::QWEN,
    &cursor::CURSOR,
    &cline::CLINE,
    &cline_task::CLINE_TASK,
    &crush::CRUSH,
    &kimi::KIMI,
    &droid::DROID,
    &zed::ZED,
    &continue_session::CONTINUE,
    &kiro::KIRO,
    &kiro_session::KIRO_SESSION,
    &goose::GOOSE,
    &chatgpt::CHATGPT,
    &claude_ai::CLAUDE_AI,
    &open_webui::OPEN_WEBUI,
    &libre_chat::LIBRE_CHAT,
    &cursor_chat::CURSOR_CHAT,
    &ai_studio::AI_STUDIO,
    &who_and_when::WHO_AND_WHEN,
    &browser_use::BROWSER_USE,
    &ag_ui::AG_UI,
    &otel::OTEL,
    &langsmith::LANGSMITH,
    &observations::LANGFUSE,
    &observations::LANGFUSE_BATCH,
    &observations::WEAVE,
    &observations::BRAINTRUST,
    &letta::LETTA,
    &openai_agents::OPENAI_AGENTS,
    &observations::AGENT_TRACES,
    &autogen::AUTOGEN,
    &ai_sdk::AI_SDK,
    &pydantic_ai::PYDANTIC_AI,
    &lang_chain::LANG_CHAIN,
    &typed_parts::AGENT_FRAMEWORK,
    &typed_parts::SEMANTIC_KERNEL,
    &typed_parts::LLAMA_INDEX,
    &smolagents::SMOLAGENTS,
    &scopix::Scopix(None),
    &adp::Adp,
    &adp::ATIF,
    &adp::SHAREGPT,
    &adp::MESSAGES,
    &adp::SIMULATIONS,
    &adp::REQUESTS,
    &adp::ALPACA,
    &acts::Acts,
    &adp::BARE,
    &message_lines::MessageLines,
    &generic::Generic,
];

/// Scopix with data types that the user registers (S14).
#[must_use]
pub fn scopix_with(types: DataTypes) -> Box<dyn Format> {
    Box::new(scopix::Scopix(Some(std::sync::Arc::new(types))))
}

/// The format of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|f| f.name() == name)
}
