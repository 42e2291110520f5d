//! Known names near an unknown one.

/// The known names that differ little enough from an unknown one to be meant, the nearest first.
#[must_use]
pub fn nearest<'n>(unknown: &str, known: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let unknown: Vec<char> = unknown.chars().collect();
    let measured = |name: &'n str| {
        let chars: Vec<char> = name.chars().collect();
        Some((distance(&unknown, &chars, name.len() / 3 + 1)?, name))
    };
    let mut near: Vec<_> = known.into_iter().filter_map(measured).filter(|(distance, _)| *distance > 0).collect();
    near.sort_unstable();
    near.into_iter().map(|(_, name)| name).collect()
}

/// "did you mean `name`?", with the known name that is nearest to an unknown one, if one is near.
#[must_use]
pub fn did_you_mean<'n>(unknown: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    nearest(unknown, known).first().map(|name| format!("did you mean `{name}`?"))
}

/// The number of characters that differ between two texts, if it is no more than that; looks at no more than it must.
#[must_use]
pub fn distance(from: &[char], to: &[char], most: usize) -> Option<usize> {
    if from.len().abs_diff(to.len()) > most {
        return None;
    }
    let mut row: Vec<usize> = (0..=to.len()).collect();
    let mut next = vec![0; to.len() + 1];
    for (i, a) in from.iter().enumerate() {
        next.fill(most + 1);
        // Beyond this band all cells are more than `most`.
        let (first, last) = (i.saturating_sub(most), (i + most + 1).min(to.len()));
        next[0] = i + 1;
        for j in first..last {
            let changed = row[j] + usize::from(*a != to[j]);
            next[j + 1] = changed.min(row[j + 1] + 1).min(next[j] + 1);
        }
        if next.iter().all(|cell| *cell > most) {
            return None;
        }
        std::mem::swap(&mut row, &mut next);
    }
    row.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits(from: &str, to: &str) -> usize {
        let to: Vec<char> = to.chars().collect();
        let mut row: Vec<usize> = (0..=to.len()).collect();
        for (i, a) in from.chars().enumerate() {
            let mut next = vec![i + 1];
            for (j, b) in to.iter().enumerate() {
                let changed = row[j] + usize::from(a != *b);
                next.push(changed.min(row[j + 1] + 1).min(next[j] + 1));
            }
            row = next;
        }
        row[to.len()]
    }

    #[test]
    fn distances_are_those_without_a_band() {
        let words = ["", "a", "state.budget", "state.budgt", "sate.budget", "tstae.bud", "budget", "input.budget"];
        for (from, to) in words.iter().flat_map(|from| words.map(|to| (*from, to))) {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            for most in 0..14 {
                let exact = Some(edits(from, to)).filter(|exact| *exact <= most);
                assert_eq!(distance(&chars(from), &chars(to), most), exact, "{from} {to} {most}");
            }
        }
    }

    #[test]
    fn near_names_come_first_and_far_ones_not_at_all() {
        let known = ["allow", "deny", "baseline"];
        assert_eq!(nearest("alow", known), ["allow"]);
        assert_eq!(nearest("baselin", known), ["baseline"]);
        assert_eq!(nearest("allow", ["allow", "allows"]), ["allows"]);
        assert!(nearest("colour", known).is_empty() && nearest("", known).is_empty());
    }
}
