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

#[test]
fn no_key_of_the_table_hides_a_sequence() {
    let alone = |key: &str| KEYS.iter().any(|row| row.keys.contains(&key));
    for (first, _) in KEYS.iter().flat_map(|row| row.keys).filter_map(|key| sequence(key)) {
        assert!(!alone(first), "{first}");
    }
}

#[test]
fn contexts_and_actions_are_found_by_their_names() {
    for row in KEYS {
        assert_eq!(Action::named(&row.action.name()), Some(row.action));
        assert_eq!(Context::named(row.context.name()), Some(row.context), "{:?} is in the list of all", row.context);
    }
    assert_eq!((Action::named("x"), Context::named("x")), (None, None));
}

#[test]
fn keys_are_written_as_in_other_programs() {
    for (written, name) in [
        ("C-x", "C-x"),
        ("A-j", "M-j"),
        ("C-A-left", "C-M-Left"),
        ("space", "Space"),
        ("ret", "Enter"),
        ("minus", "-"),
        ("A-minus", "M--"),
        ("G", "G"),
        ("S-tab", "BackTab"),
        ("] w", "]w"),
        ("space f", "Spacef"),
        ("F12", "F12"),
    ] {
        assert_eq!(normalized(written).as_deref(), Ok(name), "{written}");
    }
    assert_eq!(sequence("Spacef"), Some(("Space", "f")));
    assert_eq!(sequence("C-dC-d"), Some(("C-d", "C-d")));
    assert!(["F1", "]", "Space", "数"].iter().all(|key| sequence(key).is_none()));
    assert!(["", "C-", "a b c", "hyper-x", "C-m"].iter().all(|key| normalized(key).is_err()));
}
