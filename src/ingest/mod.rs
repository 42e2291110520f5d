//! Joins source and format.
