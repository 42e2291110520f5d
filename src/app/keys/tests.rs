//! The table of keys says one thing of each key.

use super::*;
use std::collections::HashSet;

#[test]
fn no_key_means_two_things_in_one_context() {
    let mut seen = HashSet::new();
    for row in KEYS {
        for key in row.keys {
            assert!(seen.insert((row.context, *key)), "{key} stands twice in {:?}", row.context);
        }
        assert!(row.help.ends_with('.') && !row.label.is_empty() && !row.section.is_empty());
    }
}

#[test]
fn no_key_belongs_to_the_terminal() {
    for key in KEYS.iter().flat_map(|r| r.keys) {
        assert!(!["C-a", "C-b", "C-i", "C-j", "C-m", "C-Space"].contains(key), "{key}");
    }
}
