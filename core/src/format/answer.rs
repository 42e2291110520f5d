//! Answers of a run: their members for `--json`, and the texts that the screen shows.

use crate::json::Key;
use crate::model::StepNo;
use crate::state::IdentityId;
use serde_json::value::RawValue;

/// One named member of an answer, its value as exact JSON text.
pub type AnswerField = (&'static str, Box<RawValue>);

/// Members of an answer in order, after `obelus`, `format`, `step`, `steps`.
pub type Answer = Vec<AnswerField>;

/// Who supplied a value: members beside `step` and `changed` in blame and history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attribution {
    /// Members for `--json` in order (`tool`, `date`; `source_node`, `timestamp`), values as JSON text.
    pub fields: Vec<(&'static str, String)>,
    /// Who, for people: a tool, an agent, a role.
    pub who: Option<String>,
    /// When, as written.
    pub when: Option<String>,
}

/// One entry of the LLM view (A21 to A27), or a paragraph of a format without one.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewEntry {
    /// The role, if the format's view has roles.
    pub role: Option<String>,
    /// The content as compact JSON text, for `--json`.
    pub content: Option<String>,
    /// The entry as text.
    pub text: String,
    /// First step that it comes from.
    pub step: StepNo,
    /// The identity that it shows, if it is one.
    pub identity: Option<IdentityId>,
}

/// Why a conversation of a run leaves a step out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exclusion {
    /// It is not for the model.
    Aside,
    /// An edit of the context removed it.
    Removed,
    /// It is a call that the text of the message before it contains.
    InWords,
}

/// The answer to a reference.
#[derive(Debug, Clone, Default)]
pub struct Resolved {
    /// Whether it has a value (`ok`): decides the exit status.
    pub is_ok: bool,
    /// `status`, for people too.
    pub status: &'static str,
    /// Members of the answer, in order, from `ref` and `status` on.
    pub fields: Answer,
    /// The value that the screen goes to: its identity and path.
    pub target: Option<(IdentityId, Vec<Key>)>,
}

/// How the identities of a format's state know instances: what `--instance` and the member `instance` mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instances {
    /// A kind has a global identity and may have instances: `--instance` chooses among them (A14).
    Chosen,
    /// Every identity has one, and a PATH names it (D20): `--instance` is not used.
    InPath,
    /// There are none (S10).
    Absent,
}
