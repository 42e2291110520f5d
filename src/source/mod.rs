//! The only reader of input.
