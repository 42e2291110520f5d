//! Statistics of trajectories and of datasets (D15, D22, D23): of one record, of all of a file, and of parts that are
//! put together; what repeats.

mod dataset_stats;
mod distinct;
mod merge;
mod repeat;
mod run_usage;
mod summary;
mod trajectory_stats;

pub use dataset_stats::{DatasetStats, DatasetSummary, Gates, Rewards, SpreadSummary};
pub use merge::{Parts, Renumbered};
pub use repeat::{RepeatDigests, RepeatKeys, Repeats};
pub use run_usage::{RunUsage, add_usage};
pub use summary::{Summary, SummaryLine};
pub use trajectory_stats::{Counts, TrajectoryStats, reward};
pub(in crate::rules) use trajectory_stats::{count, is_marked_finished, reward_sum};
