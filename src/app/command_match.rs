//! Which commands a few typed letters mean: names before what only sounds like them.

use super::keys::KeyRow;

/// How well a command fits what was typed, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// Its key, or its whole name.
    Exact,
    /// Its name begins so.
    Beginning,
    /// Words of its name begin so.
    Words,
    /// It is somewhere in its name.
    Within,
    /// The letters are in its name in this order.
    Letters,
    /// All words are in its help.
    Help,
}

/// The commands that fit what was typed, best first; those that fit alike in the order of the table.
#[must_use]
pub(super) fn named(rows: &[&'static KeyRow], query: &str) -> Vec<(Fit, &'static KeyRow)> {
    let mut found: Vec<_> = rows.iter().filter_map(|row| Some((fit(row, query)?, *row))).collect();
    found.sort_by_key(|(fit, _)| *fit);
    found
}

fn fit(row: &KeyRow, typed: &str) -> Option<Fit> {
    let (query, label) = (typed.to_lowercase(), row.label.to_lowercase());
    let begins = |word: &str| label.split_whitespace().any(|other| other.starts_with(word));
    let help = row.help.to_lowercase();
    let helps = |word: &str| help.split(|c: char| !c.is_alphanumeric()).any(|other| other == word);
    let mut letters = label.chars();
    Some(if row.keys.contains(&typed) || label == query {
        Fit::Exact
    } else if label.starts_with(&query) {
        Fit::Beginning
    } else if query.split_whitespace().all(begins) {
        Fit::Words
    } else if label.contains(&query) {
        Fit::Within
    } else if query.chars().filter(|c| *c != ' ').all(|c| letters.any(|letter| letter == c)) {
        Fit::Letters
    } else if query.split_whitespace().all(helps) {
        Fit::Help
    } else {
        return None;
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::keys::{Context, Keymap};

    #[test]
    fn names_come_before_what_sounds_like_them() {
        let steps: Vec<_> = Keymap::default().rows(&[Context::Steps, Context::Trajectory, Context::Global]).collect();
        let best = |typed: &str| named(&steps, typed).first().map(|(fit, row)| (*fit, row.label));
        assert_eq!(best("theme"), Some((Fit::Exact, "theme")));
        assert_eq!(best("]e"), Some((Fit::Exact, "next error")));
        assert_eq!(best("prev"), Some((Fit::Beginning, "previous write")));
        assert_eq!(best("next err"), Some((Fit::Beginning, "next error")));
        assert_eq!(best("err next"), Some((Fit::Words, "next error")));
        assert_eq!(best("rror"), Some((Fit::Within, "next error")));
        assert_eq!(best("nxterr"), Some((Fit::Letters, "next error")));
        assert_eq!(best("clipboard"), None);
        assert!(named(&steps, "sort").iter().all(|(fit, _)| *fit >= Fit::Letters));
        assert_eq!(best("zzzz"), None);
    }
}
