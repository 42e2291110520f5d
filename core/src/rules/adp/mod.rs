//! The rules of the Agent Data Protocol (`ADP.md`, D1 to D24): trajectories for training agents, standardized, chat and
//! ATIF.
//!
//! From the [`Reading`](super::trajectory::Reading) of a record come the derived state ([`write_state`]), the findings
//! ([`examine`]), and what [`statistics`](super::statistics) count.

mod atif;
mod call_text;
mod chat;
mod check;
mod details;
mod examine;
mod links;
mod lint;
mod report;
mod show;
mod stage;
mod survey;
mod tally;
mod work;
mod writes;

pub use examine::{
    Examined, RecordOverview, examine, examine_with_overview, findings, head, judge, judge_read, measure, outcomes,
    whole_head,
};
pub use show::{SUMMARY_MAX, digested_text, entry_text, has_digest, label, summary, text_with_reasoning};
pub use stage::stage;
pub use survey::{AdpSurvey, AdpSurveyed};
pub use tally::{outline, tally};
pub use work::replaces_context;
pub use writes::write_state;
