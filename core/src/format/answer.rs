//! What a run answers: members for `--json`, and what the screen shows of them.

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

/// The end of an LLM view.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ViewTail {
    /// Entries before these, which are not laid out.
    pub earlier: usize,
    /// The last entries.
    pub entries: Vec<ViewEntry>,
}

/// How much of an LLM view is laid out, from its end: as many entries, until their texts have so many bytes.
#[derive(Debug, Clone, Copy)]
pub struct ViewLimit {
    /// Most entries.
    pub entries: usize,
    /// Bytes of text after which no earlier entry is taken.
    pub bytes: usize,
}

impl ViewLimit {
    /// All of it.
    pub const NONE: Self = Self { entries: usize::MAX, bytes: usize::MAX };

    /// The end of a view whose entries are asked for from the last on; those that are None have no text.
    pub fn tail<T>(self, steps: Vec<T>, mut entry: impl FnMut(T) -> Option<ViewEntry>) -> ViewTail {
        let (mut earlier, mut used, mut entries) = (steps.len(), 0, Vec::new());
        for step in steps.into_iter().rev() {
            if entries.len() >= self.entries || used >= self.bytes {
                break;
            }
            earlier -= 1;
            if let Some(entry) = entry(step) {
                used += entry.text.len();
                entries.push(entry);
            }
        }
        entries.reverse();
        ViewTail { earlier, entries }
    }
}

/// Why a conversation of a run leaves a step out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exclusion {
    /// It is not for the model.
    Aside,
    /// An edit of the context took it out.
    Removed,
    /// It is a call that the words of the message before it hold.
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
    /// Where it leads on screen.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_view_only_the_end_is_asked_for() {
        let mut asked = Vec::new();
        let mut entry = |step: StepNo| {
            asked.push(step);
            let text = "four".to_owned();
            (step != 97).then_some(ViewEntry { role: None, content: None, text, step, identity: None })
        };
        let limit = ViewLimit { entries: 3, bytes: 100 };
        let tail = limit.tail((0..100).collect(), &mut entry);
        assert_eq!(tail.entries.iter().map(|entry| entry.step).collect::<Vec<_>>(), [96, 98, 99]);
        assert_eq!(tail.earlier, 96);
        let limit = ViewLimit { entries: 100, bytes: 5 };
        assert_eq!(limit.tail((0..100).collect(), &mut entry).earlier, 98, "4 bytes are fewer than 5");
        assert_eq!(ViewLimit::NONE.tail(vec![1, 2], &mut entry).earlier, 0);
        assert_eq!(asked, [99, 98, 97, 96, 99, 98, 2, 1]);
    }
}
