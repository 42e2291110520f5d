//! Values checked against schemas, with the stack that recursive schemas need.

use crate::format::Run;
use crate::model::{Bytes, Finding, Problem};
use crate::state::{ReportedCounts, STACK_BYTES, SchemaChecker, Violations};
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
    let mut all = run.findings();
    if run.has_schemas() {
        all.extend(
            run.schema_findings(&violations_of(run, bytes)?, ReportedCounts::default()).into_iter().map(Arc::new),
        );
    }
    Ok(Finding::in_order(all))
}

/// What broke its schema in a run, and when.
///
/// # Errors
/// The check failed.
pub fn violations_of(run: &dyn Run, bytes: &dyn Bytes) -> Result<Violations, Problem> {
    let violations = with_stack(|| {
        let (mut checker, mut violations) = (SchemaChecker::default(), Violations::default());
        while run.examine(&mut checker, bytes) {
            violations.add(checker.judge());
        }
        violations
    });
    violations.ok_or_else(|| {
        Problem::unreadable("the values could not be checked against their schemas").hint("please report it")
    })
}
