//! The program as one function.

pub mod key;
