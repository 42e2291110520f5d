//! All integration tests in one binary.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::large_stack_arrays,
    clippy::match_wild_err_arm,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "tests make small numbers and files of their own, and fail loudly"
)]

mod acts_letter;
mod adp_commands;
mod adp_edge_cases;
mod adp_rules;
mod agent_data;
mod app;
mod attempts;
mod bounds;
mod calls_agree;
mod changed_samples;
mod check;
mod claude_lines;
mod cli;
mod codex_lines;
mod columns;
mod command;
mod containers;
mod context;
mod contributing;
mod conversations;
mod corpus;
mod custom_columns;
mod custom_formats;
mod cut_documents;
mod dataset;
mod detection;
mod diff;
mod docs;
mod documented;
mod edit_bases;
mod exchanges;
mod export;
mod export_parquet;
mod export_prompt;
mod export_round_trip;
mod export_runs;
mod export_tasks;
mod faults;
mod files;
mod findings_alike;
mod findings_count;
mod flat_rows;
mod follow;
mod frames;
mod golden;
mod groups;
mod growing;
mod hostile;
mod input_folders;
mod inputs_unchanged;
mod inserted_messages;
mod instances;
mod integrations;
mod jobs;
mod keymap;
mod known_files;
mod lint;
mod log_edge_cases;
mod log_evidence;
mod log_exports;
mod log_notices;
mod log_terminals;
mod loss;
mod mapping;
mod marks;
mod mcp;
mod measured_lints;
mod message_pieces;
mod mouse;
mod narrow;
mod one_answer;
mod one_number;
mod one_of_several;
mod openables;
mod outcome_filters;
mod outputs;
mod packaging;
#[cfg(feature = "parquet")]
mod parquet;
mod people;
mod plan;
mod promises;
mod prompts;
mod pty;
mod pty_follow;
mod query;
mod reading;
mod readme;
mod rebuilt_inputs;
#[cfg(feature = "schema")]
mod reference;
mod reliability;
mod replaced_content;
mod replay;
mod report;
mod reported_edits;
mod review;
mod rollout_rows;
mod rule_edge_cases;
mod rules;
mod run_parts;
mod run_rewards;
mod run_rows;
mod runs_in_pieces;
mod scale;
mod scaling;
mod schema_tab;
mod schemas;
mod scopix_rules;
mod scopix_screen;
mod screen_text;
mod searches;
mod seek;
mod sessions;
mod set_up;
mod shapes;
mod signs;
mod spark;
mod stage;
mod stats;
mod stats_by;
mod step_filter;
mod table;
mod tail;
mod templates;
mod terminal;
mod tidy;
mod times;
mod tokenizer;
mod tour;
mod training_rows;
mod tree_files;
mod tree_oracle;
mod two_runs;
mod typed_paths;
mod unplaced_edits;
mod unreadable_records;
mod values;
mod vectors;
mod watch;
mod work_vectors;
