//! A second implementation of the rules, slow and simple, written from their text alone, that the program is compared
//! with: on the vectors, which show that it is right, and on random documents.
//!
//! It shares no code with the program, but for the crate that judges JSON Schemas. It reads Agent/Data and Scopix whole,
//! and the std records of ADP: check, steps, state and blame. The long run:
//! `OBELUS_CASES=20000 cargo test --test suite reference -- --ignored`.
//!
//! Sentences of the rules that can be read in two ways; both implementations read them as said here:
//!
//! - A4 "a solution that is not in the context holds": also one that stood in the context and was withdrawn.
//! - A17, A19: an `erase` whose path leads through an index, with the kind of the message, does nothing and is no
//!   `output-path-missing`; one whose paths are all of another kind is.
//! - A30: leaves `{}` that an `erase` of several paths leaves behind are written in the order of the paths.
//! - A36 "invalid too: white space and a word that is no operator": `†a > 5` is of the wider language, hence
//!   unsupported; invalid are the three strings in brackets and those like them.
//! - A36 "no data of kind `expr`": an identity of that kind without value is no data.
//! - A41 "had data in a message": the value of an `erase`, which is never merged, is no data.
//! - A41 "resolves in its own identity": as evaluation goes; an alternative that is unsupported ends it.
//! - A41: "and no message erased a path" belongs to the latent call (`_output`) alone.
//! - S1: `[]` on a line is a sequence of no records; a record's number is that of its step.
//! - S7 "further collections of one result": collections that follow one another with no other record between.
//! - S19 "null counts as absent": for the members of a category that combine.
//! - S29 `type-change`: the data type of the slot, not the JSON type of its value.
//! - A33, A39: a path touches what it is printed as: without data `.0` is `["0"]`, not `[0]`. The findings of a plan
//!   (`plan-cycle`, `unused-write`, `dangling-reference`) go by the data at the end of its tick, a plan at step N by
//!   that of step N.
//! - A33 for Scopix: the first segment, a slot or an agent, is a key, and is quoted where it is all digits.
//! - D10 (e) "a second observation of one id": behind one that answered a call of that id; one that came before its call
//!   is none.
//! - D19, D20: a code action without a readable language is `code:?`, an API action without a name `?`.
//!
//! Sentences on which the two still differ, found by the long run; which reading is meant is open:
//!
//! - A41 "lies under `†state.approvals`": the program counts that reference itself, the second implementation does not.
//! - D6, D10: whether the `tool_call_id` of an item of unknown class turns links on. D11: a list with other elements.
//! - S22: whether ids that are not strings fill the conversation.

pub(crate) mod acts;
pub(crate) mod adp;
mod compare;
mod graph;
mod hunt;
pub(crate) mod json;
pub(crate) mod path;
mod random_acts;
mod random_adp;
mod random_scopix;
pub(crate) mod scopix;
mod vectors;

use json::J;

/// What is asked of a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Question {
    pub(crate) kind: &'static str,
    pub(crate) step: Option<i64>,
    pub(crate) path: Option<String>,
    pub(crate) instance: Option<String>,
    pub(crate) expect: Option<String>,
    pub(crate) is_json: bool,
}

/// What is answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Json(J),
    Text(String),
    /// Exit status 2.
    Refused,
}

/// What `check` finds, in the order of A45.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    pub(crate) record: usize,
    pub(crate) step: Option<usize>,
    pub(crate) path: Option<String>,
    pub(crate) rule: String,
    pub(crate) severity: &'static str,
}

impl Finding {
    /// As one line of text.
    fn line(&self) -> String {
        let number = |n: Option<usize>| n.map_or("null".to_owned(), |n| n.to_string());
        let path = self.path.as_deref().map_or("null".to_owned(), json::quote);
        format!("{} {} {path} {} {}", self.record, number(self.step), self.rule, self.severity)
    }
}
