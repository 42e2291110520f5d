//! Narrower integers: a number that does not fit becomes the nearest that does; digests give their lower bits.
//!
//! Counts and positions are kept in 32 bits where there are many of them. An input that exceeds them (4,294,967,295
//! entries of one kind) gets a wrong entry at the end and no panic, and no number that wraps round to a small one.

use super::StepNo;

/// Defines a conversion of unsigned numbers, and of signed ones that are not negative.
macro_rules! saturating {
    ($($name:ident $to:ty, $about:literal;)*) => {$(
        #[doc = $about]
        pub fn $name(number: impl TryInto<$to>) -> $to {
            number.try_into().unwrap_or(<$to>::MAX)
        }
    )*};
}

saturating! {
    to_u8 u8, "A number of 0 or more in 8 bits; [`u8::MAX`] for more.";
    to_u16 u16, "A number of 0 or more in 16 bits; [`u16::MAX`] for more.";
    to_u32 u32, "A number of 0 or more in 32 bits; [`u32::MAX`] for more.";
    to_usize usize, "A number of 0 or more as a position in memory; [`usize::MAX`] for more, which lies in no slice.";
    to_step StepNo, "A count or position as the number of a step; [`StepNo::MAX`] for more.";
    to_i64 i64, "A count as a signed number; [`i64::MAX`] for more.";
}

/// The whole part of a float: 0 for what is negative or no number, [`u64::MAX`] for more.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast from a float saturates")]
pub fn f64_to_u64(number: f64) -> u64 {
    number as u64
}

/// The whole part of a float, cut to the range of 64 bits; 0 for what is not a number.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "a cast from a float saturates")]
pub fn f64_to_i64(number: f64) -> i64 {
    number as i64
}

/// The lower 64 bits of a digest.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "any 64 bits of a digest are as good as the others")]
pub fn low_u64(digest: u128) -> u64 {
    digest as u64
}

/// The lower 32 bits of a digest, or of a number whose upper bits are kept elsewhere.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the lower bits are what is asked for")]
pub fn low_u32(number: u64) -> u32 {
    number as u32
}

/// The lower 8 bits of a number that is written byte by byte.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the lower bits are what is asked for")]
pub fn low_u8(number: u64) -> u8 {
    number as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_the_nearest_that_does() {
        assert_eq!((to_u8(255_usize), to_u8(256_usize)), (255, 255));
        assert_eq!((to_u32(7_usize), to_u32(1_u64 << 40)), (7, u32::MAX));
        assert_eq!((to_step(7_usize), to_step(usize::MAX)), (7, StepNo::MAX));
        assert_eq!((to_usize(7_u64), to_usize(-1_i32)), (7, usize::MAX));
        assert_eq!((to_u16(70_000_u32), to_i64(u64::MAX)), (u16::MAX, i64::MAX));
        assert_eq!((f64_to_u64(-1.0), f64_to_u64(f64::NAN), f64_to_u64(1.9), f64_to_u64(1e30)), (0, 0, 1, u64::MAX));
        assert_eq!((f64_to_i64(-1.9), f64_to_i64(-1e30)), (-1, i64::MIN));
    }

    #[test]
    fn lower_bits_are_cut_out() {
        assert_eq!(low_u64(7 << 64 | 5), 5);
        assert_eq!((low_u32(7 << 32 | 5), low_u8(0x1ff)), (5, 0xff));
    }
}
