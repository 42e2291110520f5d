//! W8: which lines of two texts are the same.

/// Most cells of the table that is filled for one comparison.
const CELLS_MAX: usize = 1_000_000;

/// The work that comparisons of one run may do in all, in cells: hostile input stays near linear.
#[derive(Debug)]
pub(super) struct Fuel {
    left: u64,
}

/// Work of all comparisons of a run.
const FUEL_MAX: u64 = 20_000_000_000;

impl Default for Fuel {
    fn default() -> Self {
        Self { left: FUEL_MAX }
    }
}

impl Fuel {
    /// Takes so much; whether there was enough.
    pub(super) fn take(&mut self, amount: usize) -> bool {
        let amount = amount as u64;
        let is_enough = amount <= self.left;
        self.left = self.left.saturating_sub(amount);
        is_enough
    }
}

/// W8: the pairs of lines that stay, old and new index, in order.
///
/// The common head and the common tail are paired first, then the longest common subsequence of what is between: from
/// the start, equal lines are kept, else the old line is dropped if as many remain without it. Where the table would
/// have more than [`CELLS_MAX`] cells, nothing of the middle is paired.
pub(super) fn pairs<T: PartialEq>(old: &[T], new: &[T], fuel: &mut Fuel) -> Vec<(usize, usize)> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_middle, new_middle) = (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
    let mut pairs: Vec<(usize, usize)> = (0..head).map(|i| (i, i)).collect();
    let cells = old_middle.len().saturating_mul(new_middle.len());
    if cells > 0 && cells <= CELLS_MAX && fuel.take(cells) {
        middle(old_middle, new_middle, |i, j| pairs.push((head + i, head + j)));
    }
    pairs.extend((0..tail).map(|i| (old.len() - tail + i, new.len() - tail + i)));
    pairs
}

fn middle<T: PartialEq>(old: &[T], new: &[T], mut keep: impl FnMut(usize, usize)) {
    let width = new.len() + 1;
    // `longest[i * width + j]`: length of the longest common subsequence of `old[i..]` and `new[j..]`.
    let mut longest = vec![0_u32; (old.len() + 1) * width];
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            longest[i * width + j] = if a == b {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            keep(i, j);
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * width + j] == longest[i * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(old: &str, new: &str) -> String {
        let (a, b): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
        let pairs = pairs(&a, &b, &mut Fuel::default());
        pairs.iter().map(|(i, j)| format!("{i}{j}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn w8_head_tail_and_longest_middle() {
        assert_eq!(of("abc", "abc"), "00 11 22");
        assert_eq!(of("abxcd", "abycd"), "00 11 33 44");
        assert_eq!(of("axbyc", "bxay"), "20 33", "the old line goes first where as many remain");
        assert_eq!(of("", "ab"), "");
        assert_eq!(of("aa", "a"), "00");
    }

    #[test]
    fn w8_too_many_cells_pair_nothing_of_the_middle() {
        let (old, new): (Vec<u32>, Vec<u32>) = ((0..1002).collect(), (1..1003).rev().collect());
        assert_eq!(pairs(&old, &new, &mut Fuel::default()).len(), 0);
        let mut none = Fuel { left: 3 };
        assert_eq!(pairs(&[1, 2, 3], &[4, 2, 5], &mut none), []);
    }
}
