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
    } else {
        vec!["No state yet.", "Nothing was written up to this step. Step on with `.`, or press `>` for the next write."]
    }
}
