//! All integration tests in one binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr)]

mod adp_rules;
mod app;
mod attempts;
mod bless;
mod check;
mod cli;
mod columns;
mod command;
mod dataset;
mod diff;
mod docs;
mod export;
mod files;
mod follow;
mod frames;
mod hostile;
mod letter;
mod lint;
mod loss;
mod marks;
mod own;
#[cfg(feature = "parquet")]
mod parquet;
mod plan;
mod played;
mod props;
mod pty;
mod query;
mod replay;
mod review;
mod schemas;
mod searches;
mod seen;
mod sieve;
mod spark;
mod stats;
mod table;
mod tail;
mod terminal;
mod tidy;
mod times;
mod unharmed;
mod values;
mod vectors;
mod watch;
