//! The rules of the native systems, one folder each: identity and merge as writes, views, references, findings.
//!
//! Each function's doc begins with the number of the rule it is. Knows nothing of where the bytes came from.

pub mod acts;
pub mod adp;
pub mod data;
pub mod digest;
pub mod graph;
pub(crate) mod model_usage;
pub mod scopix;
pub mod slot_pointer;
pub mod statistics;
pub mod trajectory;
pub mod work;
