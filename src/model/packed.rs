//! Numbers in as few bytes as they need: seven bits in each, the lowest first; all but the last have the highest bit.

/// Appends a number: one byte below 128, at most ten.
pub fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes the number at the beginning; 0 where nothing is left.
pub fn take(rest: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    while let Some((byte, after)) = rest.split_first() {
        *rest = after;
        number |= u64::from(byte & 0x7f).unbounded_shl(shift);
        shift += 7;
        if *byte < 0x80 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(shifts in prop::collection::vec(0..64_u32, 0..20), seed in any::<u64>()) {
            let numbers: Vec<u64> = shifts.iter().map(|shift| seed >> shift).chain([0, 127, 128, u64::MAX]).collect();
            let mut bytes = Vec::new();
            numbers.iter().for_each(|number| put(&mut bytes, *number));
            let mut rest = bytes.as_slice();
            prop_assert_eq!(numbers.iter().map(|_| take(&mut rest)).collect::<Vec<_>>(), numbers);
            prop_assert!(rest.is_empty() && take(&mut rest) == 0);
        }
    }
}
