//! Panes: pure functions from the session and a pane's own state to the rows of its window.
//!
//! A pane knows no colour, no key (it names actions) and no terminal. It asks for the bytes of what it shows and of
//! nothing else.

pub mod attempts;
pub mod call_rows;
mod common_folder;
pub mod conversation;
mod dataset_findings;
pub mod diff;
pub mod failures;
pub mod file_list;
pub mod finding_index;
pub mod findings;
pub mod header;
pub mod history;
pub mod instances;
pub mod json_outline;
pub mod key_names;
pub mod known_file;
pub mod lazy_column;
pub mod live;
pub mod loss;
pub mod marks;
pub mod merge;
pub mod message;
pub mod open_command;
pub mod openables;
mod place_name;
pub mod plan;
pub mod properties;
pub mod reading;
pub mod reference_highlight;
pub mod replay;
pub mod report;
pub mod row;
pub mod schema;
pub mod schema_checks;
pub mod search_highlight;
pub mod seek;
pub mod session;
pub mod spend;
pub mod state;
pub mod step_filter;
pub mod step_row;
pub mod steps;
pub mod table;
pub mod text_view;
pub mod timeline;
pub mod times;
pub mod two_runs;
pub mod value;
pub mod watch;

pub use dataset_findings::DatasetFindings;
pub use key_names::KeyNames;
pub use live::{Follow, LiveTail};
pub use row::{Extent, Hit, Nth, Piece, Row, Scroll, Window};
pub use schema_checks::Checks;
pub use session::{Focus, Open, Records, Session};
pub use step_filter::StepFilter;
pub use times::Times;
