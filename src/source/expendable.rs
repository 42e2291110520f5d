//! Work that may fail without the program: what others packed is read by libraries that may not stand it, and a job of
//! the screen is one of many. Whoever prints panics leaves these out; who began the work reports them.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::{Mutex, PoisonError};

thread_local! {
    static IS_EXPENDABLE: Cell<bool> = const { Cell::new(false) };
}

/// Where the last such work failed.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Whether this thread does work that may fail without the program.
#[must_use]
pub fn is_expendable() -> bool {
    IS_EXPENDABLE.get()
}

/// Says so of this thread; a thread that helps another one does what that one `is_expendable` for.
pub fn set_expendable(is_expendable: bool) {
    IS_EXPENDABLE.set(is_expendable);
}

/// For a hook: whether a panic is one of such work, whose place is then kept for [`caught`].
pub fn is_expendable_panic(info: &PanicHookInfo<'_>) -> bool {
    // The end of a scope reports a thread in it that failed before: that one's place is the true one.
    let mut place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    if is_expendable() && place.is_none() {
        *place = info.location().map(ToString::to_string);
    }
    is_expendable()
}

/// Does work that may fail without the program.
///
/// # Errors
/// It failed; the place, where a hook kept it.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let before = IS_EXPENDABLE.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    IS_EXPENDABLE.set(before);
    done.map_err(|_| {
        let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).take();
        place.unwrap_or_else(|| "an unknown place".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_is_reported_and_the_thread_goes_on() {
        assert_eq!(caught(|| 7), Ok(7));
        assert!(caught(|| assert!(is_expendable(), "inside")).is_ok());
        assert!(caught(|| panic!("made")).is_err());
        assert!(!is_expendable());
    }
}
