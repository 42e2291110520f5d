//! Rows of every pane.
