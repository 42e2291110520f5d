//! Panes: pure functions from the session and a pane's own state to the rows of its window.
//!
//! A pane knows no colour, no key and no terminal. It asks for the bytes of what it shows and of nothing else.

pub mod attempts;
pub mod checks;
pub mod columns;
pub mod compare;
pub mod data;
pub mod doc;
pub mod files;
pub mod findings;
pub mod header;
pub mod history;
pub mod hits;
pub mod listed;
pub mod live;
pub mod loss;
pub mod marks;
pub mod merge;
pub mod message;
pub mod plan;
pub mod properties;
pub mod reader;
pub mod refs;
pub mod replay;
pub mod row;
pub mod schema;
pub mod session;
pub mod sieve;
pub mod state;
pub mod steps;
pub mod table;
pub mod timeline;
pub mod times;
pub mod value;
pub mod watch;

pub use checks::Checks;
pub use data::DataFound;
pub use live::{Follow, Live};
pub use row::{Extent, Hit, Nth, Piece, Row, Scroll, Window};
pub use session::{Focus, Open, Records, Session, SharedRun};
pub use sieve::Sieve;
pub use times::Times;
