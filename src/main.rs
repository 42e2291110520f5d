//! The program `obelus`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(obelus::cli::run(std::env::args_os()))
}
