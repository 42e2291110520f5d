//! All integration tests in one binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr)]

<<<<<<< HEAD
mod adp_commands;
mod adp_edge_cases;
=======
mod acts_letter;
>>>>>>> 3f5631f (Read the new sentences of Agent/Data to the letter)
mod adp_rules;
mod agent_data;
mod app;
mod attempts;
mod bless;
mod broken;
mod check;
mod cli;
mod columns;
mod command;
mod dataset;
mod detection;
mod diff;
mod docs;
mod export;
mod faults;
mod files;
mod follow;
mod frames;
mod hostile;
mod letter;
mod lint;
mod loss;
mod marks;
mod mouse;
mod own;
#[cfg(feature = "parquet")]
mod parquet;
mod plan;
mod played;
mod prompts;
mod props;
mod pty;
mod query;
mod replay;
mod review;
mod rules;
mod schema_tab;
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
mod written;
