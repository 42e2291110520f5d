//! Names that somebody may have meant who wrote another.

/// The known names that differ little enough from an unknown one to be meant, the nearest first.
#[must_use]
pub fn nearest<'n>(unknown: &str, known: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let distances = known.into_iter().map(|name| (edits(unknown, name), name));
    let mut near: Vec<_> = distances.filter(|(distance, name)| (1..=name.len() / 3 + 1).contains(distance)).collect();
    near.sort_unstable();
    near.into_iter().map(|(_, name)| name).collect()
}

/// Characters of an unknown name that are looked at.
const CHARS_MAX: usize = 64;

/// How many characters have to be put in, taken out or changed to make one word of the other.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().take(CHARS_MAX).enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let changed = row[j] + usize::from(a != *b);
            next.push(changed.min(row[j + 1] + 1).min(next[j] + 1));
        }
        row = next;
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_first_and_far_ones_not_at_all() {
        let known = ["allow", "deny", "baseline"];
        assert_eq!(nearest("alow", known), ["allow"]);
        assert_eq!(nearest("baselin", known), ["baseline"]);
        assert_eq!(nearest("allow", ["allow", "allows"]), ["allows"]);
        assert!(nearest("colour", known).is_empty() && nearest("", known).is_empty());
    }
}
