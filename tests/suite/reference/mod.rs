//! A second implementation of the rules, slow and simple, written from their text alone, that the program is compared
//! with: on the vectors, which show that it is right, and on random documents.
//!
//! It shares no code with the program. The long run: `OBELUS_CASES=20000 cargo test --test suite reference -- --ignored`.

pub(crate) mod acts;
mod compare;
mod graph;
mod hunt;
pub(crate) mod json;
pub(crate) mod path;
mod random_acts;
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
