//! What is found in files of no known format.

use super::Lint;
use crate::model::Severity;

pub(super) static LINTS: &[Lint] = &[Lint {
    id: "data.invalid-json",
    severity: Severity::Error,
    or: None,
    help: "The record is no JSON: cut off, bad syntax, `NaN`, a lone surrogate escape, or bytes that are not \
               UTF-8. It is shown as it stands and the other records count as usual, but nothing can be said of what \
               it meant. Look at the byte that the message names; where the end is missing, the writer was stopped in \
               the middle of a line.",
    fires: r#"{"level":"info","msg":"started"}
{"level":"info","msg":"sto"#,
    silent: r#"{"level":"info","msg":"started"}
{"level":"info","msg":"stopped"}"#,
}];
