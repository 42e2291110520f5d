//! Texts that a model should not learn: with the tokens of chat templates in them, and generated in circles.

use crate::text::single_line;
use memchr::{memchr_iter, memmem};
use regex::bytes::Regex;
use std::sync::LazyLock;

/// Tokens of chat templates that are no `<|name|>`.
const TOKENS: &[&str] = &["<start_of_turn>", "<end_of_turn>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>"];

/// What each token begins with or is, all sought in one pass: most texts have none.
static BEGINNINGS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let beginnings: Vec<String> = ["<|", WIDE, END].iter().chain(TOKENS).map(|text| regex::escape(text)).collect();
    Regex::new(&beginnings.join("|")).ok()
});

/// How the tokens of DeepSeek begin, with a full-width bar.
const WIDE: &str = "<\u{ff5c}";

/// The end token of Llama and Mistral, which is a tag of HTML in the middle of a text.
const END: &str = "</s>";

/// The token with which Llama and Mistral begin a text.
const BOS: &str = "<s>";

/// Longest name of a token `<|name|>`, in bytes.
const NAME_BYTES_MAX: usize = 32;

/// Longest token that is quoted.
const QUOTED_CHARS: usize = 40;

/// A token with which chat templates divide messages.
pub(super) fn special_token(text: &str) -> Option<String> {
    if !BEGINNINGS.as_ref().is_none_or(|beginnings| beginnings.is_match(text.as_bytes())) {
        return None;
    }
    let token = named(text).or_else(|| TOKENS.iter().copied().find(|token| text.contains(token)));
    let wide = || memmem::find(text.as_bytes(), WIDE.as_bytes()).and_then(|at| wide(&text[at..]));
    let end = || (text.trim_end().ends_with(END) && !text.contains(BOS)).then_some(END);
    let token = token.or_else(wide).or_else(end)?;
    Some(format!("the text holds `{token}`, which a tokenizer makes the token of: the message ends or begins there"))
}

/// Whether a text begins or ends with a token of a chat template, as one that was rendered does.
pub(super) fn is_rendered(text: &str) -> bool {
    let text = text.trim();
    let is_first = |token: &&str| text.starts_with(*token);
    let is_last = |token: &&str| text.ends_with(*token);
    let line_end = text.rfind("<|").and_then(|at| text.get(at..));
    let is_named_first = text.starts_with("<|") && named(text).is_some_and(|token| text.starts_with(token));
    let is_named_last = line_end.is_some_and(|last| named(last) == Some(last));
    let begins = [BOS, "<bos>", WIDE].iter().chain(TOKENS).any(is_first);
    begins || is_named_first || is_named_last || [END].iter().chain(TOKENS).any(is_last)
}

/// `<|im_start|>`.
fn named(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    memchr_iter(b'|', bytes).filter(|at| *at > 0 && bytes[at - 1] == b'<').find_map(|at| {
        let rest = &bytes[at + 1..];
        let is_part = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_';
        let len = rest.iter().take(NAME_BYTES_MAX + 1).take_while(|b| is_part(b)).count();
        let is_token = (2..=NAME_BYTES_MAX).contains(&len) && rest[len..].starts_with(b"|>");
        is_token.then(|| &text[at - 1..at + 1 + len + 2])
    })
}

/// A token that ends with a full-width bar too.
fn wide(rest: &str) -> Option<&str> {
    let end = rest.char_indices().take(QUOTED_CHARS).find(|(_, c)| *c == '>').map(|(at, _)| at + 1)?;
    rest.get(..end).filter(|token| token.ends_with("\u{ff5c}>"))
}

/// Bytes at the end of a text that are looked at for a period, and the longest period.
const TAIL_BYTES: usize = 4096;
const PERIOD_BYTES_MAX: usize = 400;

/// A text is a degenerate repetition if it repeats a unit at least this often, over at least this many bytes.
const TIMES_MIN: usize = 8;
const REPEATED_BYTES_MIN: usize = 120;

/// The same line so often in a row.
const LINES_MIN: usize = 10;

/// Different letters and digits of what is repeated: rules of tables and rows of zeros have fewer.
const KINDS_MIN: usize = 4;

/// Bytes from which on a repeated unit with a letter is not taken for the rule of a table.
const LETTERS_BYTES_MIN: usize = 600;

/// What is at the end of a text twice if it goes in circles.
const PROBE_BYTES: usize = 16;

/// The same again and again: lines in a row, or the end of the text.
pub(super) fn repetition(text: &str) -> Option<String> {
    let (unit, times) = tail(text.trim_end()).or_else(|| lines(text))?;
    let quoted: String = unit.trim().chars().take(QUOTED_CHARS).collect();
    let quoted = single_line(&quoted);
    Some(format!("the text says `{quoted}` {times} times in a row: it was generated in circles"))
}

fn lines(text: &str) -> Option<(&str, usize)> {
    let mut all = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut run: (&str, usize) = ("", 0);
    while let Some(line) = all.next() {
        run = if line == run.0 { (line, run.1 + 1) } else { (line, 1) };
        if run.1 == LINES_MIN && says_something(line) {
            return Some((line, LINES_MIN + all.take_while(|other| *other == line).count()));
        }
    }
    None
}

/// The unit that the end of a text repeats, and how often.
fn tail(text: &str) -> Option<(&str, usize)> {
    if text.len() < REPEATED_BYTES_MIN {
        return None;
    }
    // One look is enough for most texts: their last bytes do not occur just before.
    let probe = &text.as_bytes()[text.len() - PROBE_BYTES..];
    let before = &text.as_bytes()[text.len().saturating_sub(PERIOD_BYTES_MAX + PROBE_BYTES)..text.len() - 1];
    memmem::rfind(before, probe)?;
    let tail: Vec<u8> = text.bytes().rev().take(TAIL_BYTES).collect();
    // How long a beginning of the reversed tail ends at each byte: what is left of its length is its period (Knuth,
    // Morris, Pratt).
    let mut borders = vec![0_usize; tail.len()];
    let mut best: Option<(usize, usize)> = None;
    for at in 1..tail.len() {
        let mut border = borders[at - 1];
        while border > 0 && tail[at] != tail[border] {
            border = borders[border - 1];
        }
        borders[at] = border + usize::from(tail[at] == tail[border]);
        let (len, period) = (at + 1, at + 1 - borders[at]);
        if period <= PERIOD_BYTES_MAX && len >= REPEATED_BYTES_MIN && times(text, len, period) >= TIMES_MIN {
            best = Some((len, period));
        }
    }
    let (len, period) = best?;
    let mut start = text.len() - period;
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let unit = &text[start..];
    let is_long = len >= LETTERS_BYTES_MIN && unit.chars().any(|c| c.is_alphabetic() || is_exclamation(c));
    (is_long || says_something(unit)).then_some((unit, times(text, len, period)))
}

/// How often a unit of `period` bytes is in the last `len` bytes of a text. What the first one begins with may have
/// been blanks, which a text does not begin or end with.
fn times(text: &str, len: usize, period: usize) -> usize {
    let missing = (period - len % period) % period;
    let end = text.len() - len + period;
    let is_blank = text.get(end - missing..end).is_some_and(|cut| cut.trim().is_empty());
    len / period + usize::from(missing > 0 && is_blank)
}

/// Whether a sign is none of those that rules of tables are drawn with: `!`, `?`, and pictures.
fn is_exclamation(c: char) -> bool {
    matches!(c, '!' | '?' | '\u{2600}'..='\u{27bf}' | '\u{1f000}'..)
}

fn says_something(text: &str) -> bool {
    let mut kinds: Vec<char> = text.chars().filter(|c| c.is_alphanumeric()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.len() >= KINDS_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_distinguished_from_operators_and_tags() {
        for text in [
            "so <|im_end|>\n<|im_start|>user",
            "<|eot_id|>",
            "a<start_of_turn>b",
            "[INST] hi [/INST]",
            "<\u{ff5c}User\u{ff5c}>",
            "done</s>\n",
        ] {
            assert!(special_token(text).is_some(), "{text}");
        }
        for text in [
            "f <| g |> h",
            "<|>",
            "<| a |>",
            "a <s>struck</s>",
            "<b></s> more",
            "x<|A|>",
            "im_end",
            "<\u{ff5c}",
            "<\u{ff5c}a>",
        ] {
            assert_eq!(special_token(text), None, "{text}");
        }
    }

    #[test]
    fn circles_are_distinguished_from_tables() {
        let repeated = |text: &str| repetition(text);
        assert!(repeated(&format!("I look. {}", "the file is not there, ".repeat(9))).unwrap().contains("9 times"));
        assert!(
            repeated(&format!("{}so", "same line here\n".repeat(12))).unwrap().contains("`same line here` 12 times")
        );
        assert!(repeated(&"wörter ünd ".repeat(40)).is_some(), "letters of several bytes");
        assert!(repeated(&"I am sorry. ".repeat(60)).unwrap().contains("60 times"), "the last has no blank behind it");
        assert!(repeated(&"the file is not there, ".repeat(8)).unwrap().contains("8 times"), "nor the eighth");
        assert!(repeated(&"the file is not there, ".repeat(7)).is_none());
        assert!(repeated(&"the same line\n".repeat(10)).unwrap().contains("10 times"));
        let before = format!("same line here\nanother\n{}so", "same line here\n".repeat(30));
        assert!(repeated(&before).unwrap().contains("30 times"), "a line that was there before begins no run");
        let cut = format!("{}the fi", "the file is not there, ".repeat(12));
        assert!(repeated(&cut).is_some(), "cut off in the middle");
        for text in ["the ".repeat(400), "a".repeat(3000), "ha ".repeat(1000), "!".repeat(600), "🎉".repeat(200)] {
            assert!(repeated(&text).is_some(), "a word alone, very often");
        }
        for text in [
            "-".repeat(5000),
            "| --- ".repeat(60),
            "0, 0, 1, ".repeat(60),
            "abcd ".repeat(10),
            "the file is not there, ".repeat(5),
            (0..200).map(|n| format!("line {n}\n")).collect(),
            String::new(),
        ] {
            assert_eq!(repeated(&text), None, "{text}");
        }
    }
}
