//! Times as records carry them: texts like `2026-05-01T14:32:05.120+02:00` and counts of seconds since 1970, read for
//! comparing and showing. No clock and no table of zones: a time is shown in the offset in which it was written.

use crate::model::cast;
use jiff::Span;
use jiff::civil::Date;

/// Microseconds of a second, and seconds of a day.
const MICROS: i64 = 1_000_000;
const DAY_S: i64 = 86_400;
/// A count below this is no date but the clock of the run itself.
const DATE_MIN_S: f64 = 1e8;
/// Counts from these on are thousandths, millionths and billionths of seconds: seconds so great are in the year 5138.
const UNITS: [(f64, f64); 3] = [(1e17, 1e-3), (1e14, 1.0), (1e11, 1e3)];

/// A moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    /// Microseconds since 1970 in UTC; where no offset was written, since 1970 on the writer's clock.
    micros: i64,
    /// Seconds that the clock it was written by is ahead of UTC.
    offset_s: i32,
}

impl Timestamp {
    /// Reads a time: RFC 3339 with or without offset and seconds, a date alone, or a number of seconds (or thousandths,
    /// millionths, billionths, recognised by its size). None for any other text.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            return Self::counted(text);
        }
        let bytes = text.as_bytes();
        let date = date(text.get(..10)?)?;
        let rest = match bytes.get(10) {
            None => return Some(Self { micros: date * DAY_S * MICROS, offset_s: 0 }),
            Some(b'T' | b't' | b' ') => text.get(11..)?,
            Some(_) => return None,
        };
        let split = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
        let (clock, zone) = (rest[..split].trim_end(), rest[split..].trim());
        let of_day = clock_micros(clock)?;
        let offset_s = offset(zone)?;
        let micros = (date * DAY_S - i64::from(offset_s)) * MICROS + of_day;
        Some(Self { micros, offset_s })
    }

    /// A count of thousandths of a second since 1970.
    #[must_use]
    pub fn of_millis(ms: u64) -> Self {
        Self { micros: i64::try_from(ms).unwrap_or(i64::MAX).saturating_mul(1000), offset_s: 0 }
    }

    fn counted(text: &str) -> Option<Self> {
        let count: f64 = text.parse().ok()?;
        let factor = UNITS.iter().find(|(least, _)| count >= *least).map_or(1e6, |(_, factor)| *factor);
        let micros = count * factor;
        // Beyond that the count is no time that anybody wrote.
        (micros < 9e18).then_some(Self { micros: cast::f64_to_i64(micros.round()), offset_s: 0 })
    }

    /// Whether it gives a day, not only the time since some start.
    #[must_use]
    pub fn is_dated(self) -> bool {
        self.micros.unsigned_abs() as f64 >= DATE_MIN_S * 1e6
    }

    /// Microseconds since another; negative if it is earlier.
    #[must_use]
    pub fn since(self, other: Self) -> i64 {
        self.micros.saturating_sub(other.micros)
    }

    /// The moment that is some microseconds later.
    #[must_use]
    pub fn plus(self, micros: i64) -> Self {
        Self { micros: self.micros.saturating_add(micros), ..self }
    }

    fn local_s(self) -> i64 {
        self.micros.div_euclid(MICROS) + i64::from(self.offset_s)
    }

    /// The time of the day, as `14:32:05`.
    #[must_use]
    pub fn clock(self) -> String {
        let s = self.local_s().rem_euclid(DAY_S);
        format!("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
    }

    /// The date, as `2026-05-01`.
    #[must_use]
    pub fn date(self) -> String {
        let day = day_at(self.local_s().div_euclid(DAY_S));
        format!("{:04}-{:02}-{:02}", day.year(), day.month(), day.day())
    }

    /// Date and time, as `2026-05-01 14:32:05`.
    #[must_use]
    pub fn dated(self) -> String {
        format!("{} {}", self.date(), self.clock())
    }

    /// The next moment after this at which the clock shows a time of the day.
    fn next_at(self, of_day: i64) -> Self {
        let midnight = self.local_s().div_euclid(DAY_S) * DAY_S - i64::from(self.offset_s);
        let today = Self { micros: midnight * MICROS + of_day, ..self };
        if today > self { today } else { today.plus(DAY_S * MICROS) }
    }
}

/// A span of time for people: `+02:14`, `−00:30`, `+1:02:14`, `+3d 02:14:00`.
#[must_use]
pub fn span_text(micros: i64) -> String {
    let sign = if micros < 0 { '−' } else { '+' };
    let s = micros.unsigned_abs() / MICROS.unsigned_abs();
    let (days, hours, minutes, seconds) = (s / 86_400, s / 3600 % 24, s / 60 % 60, s % 60);
    match (days, hours) {
        (0, 0) => format!("{sign}{minutes:02}:{seconds:02}"),
        (0, _) => format!("{sign}{hours}:{minutes:02}:{seconds:02}"),
        _ => format!("{sign}{days}d {hours:02}:{minutes:02}:{seconds:02}"),
    }
}

/// How long something took, for people: `0.4 s`, `12 s`, `3m 20s`, `1h 05m`.
#[must_use]
pub fn duration_text(micros: u64) -> String {
    let tenths = micros.saturating_add(50_000) / 100_000;
    let s = micros.saturating_add(500_000) / MICROS.unsigned_abs();
    match (tenths, s) {
        (..100, _) => format!("{}.{} s", tenths / 10, tenths % 10),
        (_, ..60) => format!("{s} s"),
        (_, ..3600) => format!("{}m {:02}s", s / 60, s % 60),
        _ => format!("{}h {:02}m", s / 3600, s / 60 % 60),
    }
}

/// A time to go to, as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// A number of microseconds from the current step: `+5m`, `-30s`, `+1h30m`.
    By(i64),
    /// The next time at which the clock shows this, in microseconds of the day: `14:32`, `14:32:05`.
    Clock(i64),
    /// A moment: `2026-05-01T14:32`. Without an offset it is meant on the clock of the run.
    At(Timestamp, bool),
}

impl When {
    /// Reads what was typed; None if it is no time.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix(['+', '-', '−']) {
            let micros = span(rest)?;
            return Some(Self::By(if text.starts_with('+') { micros } else { -micros }));
        }
        if text.contains(':') && !text.contains('-') {
            return clock_micros(text).map(Self::Clock);
        }
        let is_date = text.as_bytes().get(4) == Some(&b'-');
        let has_offset = text.ends_with(['Z', 'z']) || text.get(11..).is_some_and(|rest| rest.contains(['+', '-']));
        Timestamp::read(text).filter(|_| is_date).map(|moment| Self::At(moment, has_offset))
    }

    /// The moment that is meant, where the step in focus is at `here`.
    #[must_use]
    pub fn from(self, here: Timestamp) -> Timestamp {
        match self {
            Self::By(micros) => here.plus(micros),
            Self::Clock(of_day) => here.next_at(of_day),
            Self::At(moment, true) => moment,
            Self::At(moment, false) => {
                Timestamp { offset_s: here.offset_s, ..moment.plus(-i64::from(here.offset_s) * MICROS) }
            }
        }
    }
}

/// A length of time in units: `90s`, `1h30m`, `2d`, `1.5s`, `250ms`; in microseconds.
fn span(mut text: &str) -> Option<i64> {
    let mut total = 0.0;
    while !text.is_empty() {
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let count: f64 = text[..digits].parse().ok()?;
        let rest = &text[digits..];
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let unit = match &rest[..end] {
            "ms" => 1e-3,
            "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86_400.0,
            _ => return None,
        };
        total += count * unit;
        text = &rest[end..];
    }
    (total > 0.0 && total < 1e12).then_some(cast::f64_to_i64((total * 1e6).round()))
}

/// Days since 1970 of `YYYY-MM-DD`.
fn date(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let (year, month, day) = (number(&text[..4])?, number(&text[5..7])?, number(&text[8..])?);
    days_of(year, month, day)
}

/// Microseconds of the day of `HH:MM`, `HH:MM:SS` and `HH:MM:SS.ffffff`; `23:59:60` is a leap second.
fn clock_micros(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let (hour, minute) = (parts.next()?, parts.next()?);
    let (second, fraction) = match parts.next() {
        None => ("0", ""),
        Some(part) => part.split_once(['.', ',']).unwrap_or((part, "")),
    };
    if parts.next().is_some() || hour.len() > 2 || minute.len() != 2 || second.len() > 2 {
        return None;
    }
    let (hour, minute, second) = (number(hour)?, number(minute)?, number(second)?);
    let digits: String = fraction.chars().chain("000000".chars()).take(6).collect();
    let is_time = hour < 24 && minute < 60 && second <= 60;
    is_time.then_some(((hour * 60 + minute) * 60 + second) * MICROS + number(&digits)?)
}

/// Seconds ahead of UTC of `Z`, `+02:00`, `-0330`, `+02`; nothing counts as UTC.
fn offset(text: &str) -> Option<i32> {
    let sign = match text.as_bytes().first() {
        None | Some(b'Z' | b'z') if text.len() <= 1 => return Some(0),
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return None,
    };
    let digits: String = text[1..].chars().filter(|c| *c != ':').collect();
    let (hours, minutes) = match digits.len() {
        2 => (number(&digits)?, 0),
        4 => (number(digits.get(..2)?)?, number(digits.get(2..)?)?),
        _ => return None,
    };
    (hours < 24 && minutes < 60)
        .then_some(sign * (i32::try_from(hours).ok()? * 3600 + i32::try_from(minutes).ok()? * 60))
}

fn number(text: &str) -> Option<i64> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

/// The day 1970-01-01.
const EPOCH: Date = Date::constant(1970, 1, 1);

/// Days since 1970 of a day of the Gregorian calendar; None for a day that it does not have.
fn days_of(year: i64, month: i64, day: i64) -> Option<i64> {
    let date = Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()?;
    Some(i64::from(EPOCH.until(date).ok()?.get_days()))
}

/// The day that is some days after 1970; the first or the last day of the calendar (years -9999 to 9999) beyond it.
fn day_at(days: i64) -> Date {
    let span = Span::new().try_days(days).and_then(|span| EPOCH.checked_add(span));
    span.unwrap_or(if days < 0 { Date::MIN } else { Date::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::read(text).unwrap()
    }

    #[test]
    fn what_took_long_is_said_in_larger_units() {
        let text = |tenths: u64| duration_text(tenths * 100_000);
        assert_eq!([text(0), text(4), text(99), text(123)], ["0.0 s", "0.4 s", "9.9 s", "12 s"]);
        assert_eq!([text(599), text(2000), text(39_060)], ["1m 00s", "3m 20s", "1h 05m"]);
        assert_eq!(
            [duration_text(49_999), duration_text(50_000), duration_text(9_960_000)],
            ["0.0 s", "0.1 s", "10 s"]
        );
    }

    #[test]
    fn texts_and_counts_are_one_moment() {
        let same = at("2026-05-01T14:32:05Z");
        for text in [
            "2026-05-01T14:32:05Z",
            "2026-05-01t14:32:05.000z",
            "2026-05-01 14:32:05",
            "2026-05-01T16:32:05+02:00",
            "2026-05-01T11:02:05-0330",
            "2026-05-01T15:32:05+01",
            "1777645925",
            "1777645925.0",
            "1777645925000",
            "1777645925000000",
            "1777645925000000000",
        ] {
            assert_eq!(at(text).since(same), 0, "{text}");
        }
        assert_eq!(at("2026-05-01T14:32:05.25Z").since(same), 250_000);
        assert_eq!(at("2026-05-01").since(at("2026-04-30T00:00Z")), 86_400 * MICROS);
        assert_eq!(at("2028-03-01").since(at("2028-02-29")), 86_400 * MICROS);
        assert_eq!(at("1969-12-31T23:59:59Z").since(at("1970-01-01")), -MICROS);
    }

    #[test]
    fn days_are_counted_through_leap_years() {
        for (ms, text) in [
            (0, "1970-01-01 00:00:00"),
            (951_782_399_999, "2000-02-28 23:59:59"),
            (951_782_400_000, "2000-02-29 00:00:00"),
            (4_107_542_400_000, "2100-03-01 00:00:00"),
            (1_777_626_862_000, "2026-05-01 09:14:22"),
            // Beyond the calendar it is the last day.
            (u64::MAX, "9999-12-31 04:00:54"),
        ] {
            assert_eq!(Timestamp::of_millis(ms).dated(), text);
        }
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in [
            "",
            "yesterday",
            "2026-13-01",
            "2026-02-29",
            "2026-05-01T25:00",
            "2026-05-01T14:60",
            "2026-05-01T14:32+2",
            "2026-05-01X14:32",
            "14:32",
            "1.2.3",
            "99999999999999999999999999",
            "2026-05-01T14:32:05 CEST",
            "é026-05-011",
            "2026-05-0é",
            "2026-05-01T1é:32",
            "-5",
            "1e9",
            "2026-05-01T14:32:05+0é:0",
        ] {
            assert_eq!(Timestamp::read(text), None, "{text}");
        }
    }

    #[test]
    fn times_are_shown_on_the_clock_they_were_written_by() {
        assert_eq!(at("2026-05-01T01:02:03+05:30").clock(), "01:02:03");
        assert_eq!(at("2026-05-01T01:02:03+05:30").date(), "2026-05-01");
        assert_eq!(at("1777645925").clock(), "14:32:05");
        assert!(at("1777645925").is_dated() && !at("12.5").is_dated());
        for (s, text) in [(0, "+00:00"), (134, "+02:14"), (-30, "−00:30"), (3734, "+1:02:14"), (90_000, "+1d 01:00:00")]
        {
            assert_eq!(span_text(s * MICROS), text);
        }
    }

    #[test]
    fn typed_times_are_meant_from_here() {
        let here = at("2026-05-01T14:32:05+02:00");
        for (typed, expected) in [
            ("+5m", "2026-05-01T14:37:05+02:00"),
            ("-30s", "2026-05-01T14:31:35+02:00"),
            ("+1h30m", "2026-05-01T16:02:05+02:00"),
            ("+250ms", "2026-05-01T14:32:05.25+02:00"),
            ("14:40", "2026-05-01T14:40:00+02:00"),
            ("14:32:05", "2026-05-02T14:32:05+02:00"),
            ("9:00", "2026-05-02T09:00:00+02:00"),
            ("2026-05-01T10:00", "2026-05-01T10:00:00+02:00"),
            ("2026-05-01T10:00Z", "2026-05-01T12:00:00+02:00"),
            ("2026-05-03", "2026-05-03T00:00:00+02:00"),
        ] {
            assert_eq!(When::read(typed).unwrap().from(here).since(at(expected)), 0, "{typed}");
        }
        for typed in ["120", "+5", "5m", "+m", "14", "14:3", "24:00", "theme", "+0s", "-", "1777645925"] {
            assert_eq!(When::read(typed), None, "{typed}");
        }
    }
}
