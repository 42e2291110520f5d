//! Where the checks of one record put their findings.

use crate::json::{Value, pointer_escape};
use crate::model::cast;
use crate::model::{Finding, Remark, Severity};
use crate::rules::trajectory::{Way, first_control, text};
use std::fmt::{self, Display};

/// The findings of one record, and the lints that all shapes share.
#[derive(Debug)]
pub(super) struct Report {
    record: usize,
    findings: Vec<Finding>,
}

impl Report {
    /// An empty report on a record.
    #[must_use]
    pub(super) fn new(record: usize) -> Self {
        Self { record, findings: Vec::new() }
    }

    /// D16: the findings, in order.
    #[must_use]
    pub(super) fn finish(mut self) -> Vec<Finding> {
        self.findings.sort_by(|a, b| a.order().cmp(&b.order()));
        self.findings
    }

    /// Adds an error.
    pub(super) fn error(&mut self, step: Option<usize>, path: String, rule: &'static str, message: impl Into<String>) {
        self.add(Severity::Error, step, path, rule, message.into());
    }

    /// Adds a warning.
    pub(super) fn warning(
        &mut self,
        step: Option<usize>,
        path: String,
        rule: &'static str,
        message: impl Into<String>,
    ) {
        self.add(Severity::Warning, step, path, rule, message.into());
    }

    fn add(&mut self, severity: Severity, step: Option<usize>, path: String, rule: &'static str, message: String) {
        let step = step.map(cast::to_step);
        let (path, message) = (Some(path.into()), message.into());
        self.findings.push(Finding::new(self.record, step, Remark { path, rule, severity, message }));
    }

    /// D13: control characters anywhere in a step, at the first string that has some. In data of other formats a
    /// carriage return alone is none: progress bars write it, and it does no harm.
    pub(super) fn control_chars(&mut self, step: usize, path: impl Display, value: &Value<'_>, way: Way) {
        if let Some(rest) = first_control(value, way == Way::Protocol) {
            let message = "the text holds control characters, such as terminal colours; remove them before training";
            self.warning(Some(step), format!("{path}{rest}"), "adp.control-chars", message);
        }
    }

    /// D13: a think tag in what the agent says.
    pub(super) fn think_token(&mut self, step: usize, path: impl FnOnce() -> String, thought: Option<&str>) {
        if thought.is_some_and(text::has_think_token) {
            let message = "the text holds a think tag; reasoning belongs into reasoning_content without tags";
            self.warning(Some(step), path(), "adp.think-token", message);
        }
    }
}

/// The path of an item. It is written out where something is found, as mostly nothing is.
#[derive(Debug, Clone, Copy)]
pub(super) struct ItemPath(pub(super) usize);

impl Display for ItemPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/content/{}", self.0)
    }
}

/// The path of a member.
#[must_use]
pub(super) fn below(path: impl Display, key: &str) -> String {
    format!("{path}/{}", pointer_escape(key))
}
