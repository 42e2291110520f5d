//! Times of records, read as far as the pace of a recording needs: RFC 3339, and counts since 1970.

const DAY_S: i64 = 86_400;
/// Counts from these on are billionths, millionths and thousandths of seconds; factors to microseconds.
const UNITS: [(f64, f64); 3] = [(1e17, 1e-3), (1e14, 1.0), (1e11, 1e3)];

/// A moment, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment(i64);

impl Moment {
    /// Reads a time: RFC 3339 with or without offset and seconds, or a number of seconds (or thousandths, millionths,
    /// billionths, told by its size). None for any other text.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
            let count: f64 = text.parse().ok()?;
            let factor = UNITS.iter().find(|(least, _)| count >= *least).map_or(1e6, |(_, factor)| *factor);
            return Some(count * factor).filter(|micros| *micros < 9e18).map(|micros| Self(micros as i64));
        }
        let (date, rest) = (text.get(..10)?, text.get(11..)?);
        let mut parts = date.split('-').map(str::parse);
        let (year, month, day) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
        let zone = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
        let (clock, zone) = (&rest[..zone], &rest[zone..]);
        let ahead_s = match zone.as_bytes() {
            [] | [b'Z' | b'z'] => 0.0,
            [b'-', ..] => -clock_s(&zone[1..])?,
            _ => clock_s(&zone[1..])?,
        };
        let of_day = (clock_s(clock)? - ahead_s) * 1e6;
        Some(Self((days(year, month, day)? * DAY_S * 1_000_000).checked_add(of_day.round() as i64)?))
    }

    /// Microseconds since another; negative if it is earlier.
    pub(super) fn since(self, other: Self) -> i64 {
        self.0.saturating_sub(other.0)
    }
}

/// Seconds of `14:32:05.5`, `14:32` or `1432`.
fn clock_s(text: &str) -> Option<f64> {
    let (hours, rest) = text.split_at_checked(2)?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let (minutes, seconds) = rest.split_at_checked(2)?;
    let seconds: f64 = seconds.strip_prefix(':').map_or(Some(0.0), |seconds| seconds.parse().ok())?;
    let (hours, minutes): (u8, u8) = (hours.parse().ok()?, minutes.parse().ok()?);
    (seconds.is_finite() && (0.0..61.0).contains(&seconds))
        .then(|| f64::from(hours) * 3_600.0 + f64::from(minutes) * 60.0 + seconds)
}

/// Days from 1970 to a date.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(0..10_000).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years are counted from a March, so that the leap day is the last of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(year * 365 + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_times_that_records_carry() {
        let micros = |text: &str| Moment::read(text).map(|moment| moment.0);
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T12:00:01.5Z", 951_825_601_500_000),
            ("2026-05-01T14:32:05.120+02:00", 1_777_638_725_120_000),
            ("2026-05-01 12:32", 1_777_638_720_000_000),
            ("1777638720", 1_777_638_720_000_000),
            ("1777638720120", 1_777_638_720_120_000),
            ("12.5", 12_500_000),
        ] {
            assert_eq!(micros(text), Some(expected), "{text}");
        }
        for text in ["", "soon", "t0", "2026-13-01T00:00:00Z", "2026-05-01T1", "2026-05-01Tä:00:00Z", "1e999"] {
            assert_eq!(micros(text), None, "{text}");
        }
    }
}
