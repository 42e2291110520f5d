//! Values checked against schemas, with the stack that recursive schemas need.

use crate::batch;
use crate::format::Run;
use crate::model::{Bytes, Finding, Problem};
use crate::state::{STACK_BYTES, Violations};
use std::sync::Arc;
use std::thread;

/// Runs a piece of work on a stack for recursive schemas, and waits for it. None: there was no thread, or it failed.
pub fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let started =
            thread::Builder::new().name("schemas".to_owned()).stack_size(STACK_BYTES).spawn_scoped(scope, work);
        started.ok()?.join().ok()
    })
}

/// All findings of a run, those of its schemas too, in their order.
///
/// # Errors
/// The check against the schemas failed.
pub fn findings_of(run: &dyn Run, bytes: &dyn Bytes) -> Result<Vec<Arc<Finding>>, Problem> {
    if run.has_schemas() {
        with_stack(|| batch::findings_of(run, bytes)).ok_or_else(unchecked)
    } else {
        Ok(batch::findings_of(run, bytes))
    }
}

/// What broke its schema in a run, and when.
///
/// # Errors
/// The check failed.
pub fn violations_of(run: &dyn Run, bytes: &dyn Bytes) -> Result<Violations, Problem> {
    with_stack(|| batch::violations_of(run, bytes)).ok_or_else(unchecked)
}

fn unchecked() -> Problem {
    Problem::unreadable("the values could not be checked against their schemas").hint("please report it")
}
