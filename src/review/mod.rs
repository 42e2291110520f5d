//! Review of datasets: compact facts on every record, and what of them a filter lets through, sorted and counted.
//!
//! Knows no file and no clock; what is to be read and when is asked from outside.

mod column;
mod facts;
mod filter;
mod filter_text;
mod order;
mod tally;

pub use column::Column;
pub use facts::{Chunk, ChunkMaker, Entry, FactTable};
pub use filter::{Fault, Field, Filter, Names, Numbers, Subject, Term, Texts};
pub use order::{Order, Sort, arrange};
pub use tally::{Bin, Plot, Tally, Value, tally};
