//! The program as one function.
