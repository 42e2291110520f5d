//! The findings of S29: their ids and how bad they are.

use crate::model::Severity;

pub(super) const INVALID_JSON: &str = "scopix.invalid-json";
pub(super) const UNKNOWN_RECORD: &str = "scopix.unknown-record";
pub(super) const BAD_SLOT: &str = "scopix.bad-slot";
pub(super) const UNKNOWN_DATA_TYPE: &str = "scopix.unknown-data-type";
pub(super) const BAD_VALUE: &str = "scopix.bad-value";
pub(super) const TYPE_CHANGE: &str = "scopix.type-change";
pub(super) const TIMESTAMP_ORDER: &str = "scopix.timestamp-order";
pub(super) const SLOT_VANISHED: &str = "scopix.slot-vanished";
pub(super) const DUPLICATE_KEY: &str = "scopix.duplicate-key";
pub(super) const NO_OP_WRITE: &str = "scopix.no-op-write";
pub(super) const AGENT_FAILED: &str = "scopix.agent-failed";
pub(super) const INPUT_TYPE: &str = "scopix.input-type";
pub(super) const REQUIRED_INPUT: &str = "scopix.required-input";
pub(super) const UNDECLARED_OUTPUT: &str = "scopix.undeclared-output";
pub(super) const OUTPUT_TYPE: &str = "scopix.output-type";
pub(super) const NOT_MERGEABLE: &str = "scopix.not-mergeable";
pub(super) const CHAIN_TARGET: &str = "scopix.chain-target";
pub(super) const FAN_IN_CONFLICT: &str = "scopix.fan-in-conflict";
pub(super) const CONTRACT_CYCLE: &str = "scopix.contract-cycle";

/// S29: how bad a rule's breach is.
pub(super) fn severity(rule: &str) -> Severity {
    match rule {
        INVALID_JSON | BAD_SLOT | INPUT_TYPE | REQUIRED_INPUT | OUTPUT_TYPE | FAN_IN_CONFLICT | CONTRACT_CYCLE => {
            Severity::Error
        }
        NO_OP_WRITE | AGENT_FAILED => Severity::Info,
        _ => Severity::Warning,
    }
}
