//! All integration tests in one binary.
mod adp_rules;
mod adp_vectors;
mod cli;
mod docs;
mod follow;
mod frames;
mod hostile;
mod props;
mod pty;
mod tidy;
mod vectors;
