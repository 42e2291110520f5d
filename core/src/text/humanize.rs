//! Figures and texts for people, written the same wherever they are: sizes, counts, texts on one line.

use std::borrow::Cow;
use std::fmt::Display;

/// A size for people: `812 B`, `3.1 kB`, `20.0 MB`.
#[must_use]
pub fn size_text(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "kB", "MB", "GB"] {
        if value < 1000.0 || unit == "GB" {
            return if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") };
        }
        value /= 1000.0;
    }
    String::new()
}

/// A count with thin groups: `12,345`.
#[must_use]
pub fn count_text(count: usize) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A count with its noun: `1 record`, `2 records`.
#[must_use]
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, thing: &str) -> String {
    let ending = if count == N::from(1) { "" } else { "s" };
    format!("{count} {thing}{ending}")
}

/// A text on one line: each run of white space becomes one space.
#[must_use]
pub fn single_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text, or the first `chars_max` characters of a longer one with `…` behind them.
#[must_use]
pub fn shorten(text: &str, chars_max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// A text of at most `chars_max` characters, the last of them `…` where it was longer.
#[must_use]
pub fn fit(text: &str, chars_max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars_max) {
        Some(_) => shorten(text, chars_max.saturating_sub(1)),
        None => Cow::Borrowed(text),
    }
}

/// A count with its noun, digits in groups: `1 value`, `12,345 values`.
#[must_use]
pub fn count_of(count: usize, thing: &str) -> String {
    format!("{} {thing}{}", count_text(count), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fit_on_a_line() {
        assert_eq!(single_line(" a\n\tb  c "), "a b c");
        assert_eq!((&*shorten("añb", 3), &*shorten("añb", 2), &*shorten("", 0)), ("añb", "añ…", ""));
        assert_eq!((&*fit("añb", 3), &*fit("añbc", 3)), ("añb", "añ…"));
        assert_eq!((counted(1_u64, "call"), counted(0_u32, "call")), ("1 call".to_owned(), "0 calls".to_owned()));
    }

    #[test]
    fn sizes_and_counts_read_well() {
        assert_eq!([size_text(812), size_text(3_140), size_text(20_000_000)], ["812 B", "3.1 kB", "20.0 MB"]);
        assert_eq!([count_text(7), count_text(1_234), count_text(1_234_567)], ["7", "1,234", "1,234,567"]);
    }
}
