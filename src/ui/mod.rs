//! Rows to ratatui buffers.
