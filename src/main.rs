//! The program `obelus`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

// The static program of a release. With musl's allocator it takes 2 to 4 times as long (decision 27).
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    ExitCode::from(obelus::cli::run(std::env::args_os()))
}
