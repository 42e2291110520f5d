//! Times of marks for people.

/// A time in milliseconds since 1970 as `2026-05-01 09:14:22`, in UTC; one that no calendar has, as its number.
#[must_use]
pub fn iso(time_ms: u64) -> String {
    let seconds = time_ms / 1000;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let Some((year, month, day)) = date(days) else { return time_ms.to_string() };
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

/// Year, month and day of a day counted from 1970-01-01, up to the year 9999.
fn date(mut days: u64) -> Option<(u64, u64, u64)> {
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    for year in 1970..=9999 {
        let length = if is_leap(year) { 366 } else { 365 };
        if days >= length {
            days -= length;
            continue;
        }
        let february = if is_leap(year) { 29 } else { 28 };
        for (month, length) in (1..).zip([31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
            if days < length {
                return Some((year, month, days + 1));
            }
            days -= length;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::iso;

    #[test]
    fn days_are_counted_through_leap_years() {
        for (ms, text) in [
            (0, "1970-01-01 00:00:00"),
            (951_782_399_999, "2000-02-28 23:59:59"),
            (951_782_400_000, "2000-02-29 00:00:00"),
            (4_107_542_400_000, "2100-03-01 00:00:00"),
            (1_777_626_862_000, "2026-05-01 09:14:22"),
            (u64::MAX, "18446744073709551615"),
        ] {
            assert_eq!(iso(ms), text);
        }
    }
}
