//! All integration tests in one binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr)]

mod adp_rules;
mod app;
mod bless;
mod cli;
mod dataset;
mod diff;
mod docs;
mod follow;
mod frames;
mod hostile;
mod lint;
mod plan;
mod props;
mod pty;
mod query;
mod schemas;
mod spark;
mod stats;
mod tail;
mod tidy;
mod vectors;
