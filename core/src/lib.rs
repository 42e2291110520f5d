//! The pure core of obelus: bytes of agent runs to records, steps, state at any step, provenance, checks and review.
//!
//! No module here opens a file, asks the clock, starts a thread or knows a terminal: what it needs comes in as
//! arguments. The rooms and what each may know: `docs/architecture.md` in the repository.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::disallowed_methods,
        clippy::large_stack_arrays,
        reason = "tests make small numbers, and files of their own"
    )
)]

pub mod batch;
pub mod detect;
pub mod format;
pub mod framing;
pub mod json;
pub mod lint;
pub mod model;
pub mod review;
pub mod rules;
pub mod state;
pub mod text;
