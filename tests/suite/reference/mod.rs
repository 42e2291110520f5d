//! A second implementation of the rules, slow and simple, written from their text alone, that the program is compared
//! with: on the vectors, which show that it is right, and on random documents.
//!
//! It shares no code with the program, but for the crate that judges JSON Schemas. It reads Agent/Data and Scopix whole,
//! and of ADP std, chat and ATIF records: check, stats, steps, state and blame. The long run, which shows what differs
//! as it finds it: `OBELUS_CASES=20000 cargo test --test suite reference -- --ignored`.
//!
//! Sentences of the rules that can be read in two ways are read as `docs/rules/README.md` says.

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
