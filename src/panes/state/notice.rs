//! What the state pane says where there is nothing to show.

use crate::panes::Open;

/// Why there is no state.
pub(super) fn empty_notice(open: &Open<'_>) -> Vec<&'static str> {
    if open.session.format.is_any() {
        vec![
            "No state: these are generic records.",
            "No format claims this file, so nothing is known about how its records merge.",
            "obelus formats FILE says why; obelus formats --explain FILE drafts a format for it.",
        ]
    } else if open.session.is_complete && open.tree().identity_count() == 0 {
        vec!["No state.", "No step of this run writes any."]
    } else if open.tree().writes_at(open.step()).next().is_some() {
        vec!["No state.", "What was there was removed at this step. Press `{write-previous}` for the write before."]
    } else {
        vec![
            "No state yet.",
            "Nothing was written up to this step. Step on with `{step-next}`, or press `{write-next}` for the next write.",
        ]
    }
}
