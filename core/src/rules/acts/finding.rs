//! The findings of A44: their ids, and a note before it has a step.

use crate::model::Severity;

/// `acts.invalid-json`
pub(super) const INVALID_JSON: &str = "acts.invalid-json";
/// `acts.not-a-message`
pub(super) const NOT_A_MESSAGE: &str = "acts.not-a-message";
/// `acts.unknown-type`
pub(super) const UNKNOWN_TYPE: &str = "acts.unknown-type";
/// `acts.bad-kind`
pub(super) const BAD_KIND: &str = "acts.bad-kind";
/// `acts.bad-instance`
pub(super) const BAD_INSTANCE: &str = "acts.bad-instance";
/// `acts.bad-schema`
pub(super) const BAD_SCHEMA: &str = "acts.bad-schema";
/// `acts.unchecked-schema`
pub(super) const UNCHECKED_SCHEMA: &str = "acts.unchecked-schema";
/// `acts.bad-output-path`
pub(super) const BAD_OUTPUT_PATH: &str = "acts.bad-output-path";
/// `acts.output-path-missing`
pub(super) const OUTPUT_PATH_MISSING: &str = "acts.output-path-missing";
/// `acts.unknown-output-method`
pub(super) const UNKNOWN_OUTPUT_METHOD: &str = "acts.unknown-output-method";
/// `acts.duplicate-key`
pub(super) const DUPLICATE_KEY: &str = "acts.duplicate-key";
/// `acts.type-change`
pub(super) const TYPE_CHANGE: &str = "acts.type-change";
/// `acts.method-type`
pub(super) const METHOD_TYPE: &str = "acts.method-type";
/// `acts.no-op-write`
pub(super) const NO_OP_WRITE: &str = "acts.no-op-write";
/// `acts.context-rebuilt`
pub(super) const CONTEXT_REBUILT: &str = "acts.context-rebuilt";
/// `acts.bad-reference`
pub(super) const BAD_REFERENCE: &str = "acts.bad-reference";
/// `acts.dangling-reference`
pub(super) const DANGLING_REFERENCE: &str = "acts.dangling-reference";
/// `acts.plan-cycle`
pub(super) const PLAN_CYCLE: &str = "acts.plan-cycle";
/// `acts.schema-violation`
pub(super) const SCHEMA_VIOLATION: &str = "acts.schema-violation";
/// `acts.output-schema`
pub(super) const OUTPUT_SCHEMA: &str = "acts.output-schema";
/// `acts.unused-write`
pub(super) const UNUSED_WRITE: &str = "acts.unused-write";

/// A44: how bad a rule's breach is.
pub(super) fn severity(rule: &str) -> Severity {
    match rule {
        INVALID_JSON | NOT_A_MESSAGE | BAD_REFERENCE | BAD_OUTPUT_PATH | DANGLING_REFERENCE | PLAN_CYCLE => {
            Severity::Error
        }
        CONTEXT_REBUILT | NO_OP_WRITE | UNUSED_WRITE => Severity::Info,
        _ => Severity::Warning,
    }
}

/// What is to be said of a message, before its record and step are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    /// The rule's id.
    pub rule: &'static str,
    /// Path, in the notation of A44.
    pub path: Option<String>,
    /// The sentence for people.
    pub message: String,
}

impl Note {
    /// A note without path.
    pub(super) fn new(rule: &'static str, message: impl Into<String>) -> Self {
        Self { rule, path: None, message: message.into() }
    }

    /// A note on a path.
    pub(super) fn at(rule: &'static str, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { rule, path: Some(path.into()), message: message.into() }
    }
}
