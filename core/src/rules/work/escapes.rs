//! What `echo -e` and `printf` make of the escapes in a text.

use std::iter::Peekable;
use std::str::Chars;

/// The command that reads the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Printer {
    /// `echo -e`: octal numbers begin with `\0`, and `\c` ends the output.
    Echo,
    /// `printf`: octal numbers have no sign, and `\"` is a quote.
    Printf,
}

/// A text as it is printed, and whether it ends there (`\c`); None: it is no text.
pub(super) fn printed(text: &str, printer: Printer) -> Option<(String, bool)> {
    let mut out = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let escape = if c == '\\' { chars.peek().copied() } else { None };
        let Some(escape) = escape else {
            push(&mut out, c);
            continue;
        };
        if printer == Printer::Printf && escape.is_digit(8) {
            out.push(number(&mut chars, 8, 3)?);
            continue;
        }
        chars.next();
        match escape {
            'c' if printer == Printer::Echo => return Some((String::from_utf8(out).ok()?, true)),
            '0' => out.push(number(&mut chars, 8, 3).unwrap_or(0)),
            'x' => match number(&mut chars, 16, 2) {
                Some(byte) => out.push(byte),
                None => out.extend(b"\\x"),
            },
            'u' | 'U' => match code(&mut chars, if escape == 'u' { 4 } else { 8 }) {
                Some(code) => push(&mut out, char::from_u32(code)?),
                None => out.extend([b'\\', if escape == 'u' { b'u' } else { b'U' }]),
            },
            '"' if printer == Printer::Printf => out.push(b'"'),
            _ => match of_letter(escape) {
                Some(byte) => out.push(byte),
                None => {
                    out.push(b'\\');
                    push(&mut out, escape);
                }
            },
        }
    }
    Some((String::from_utf8(out).ok()?, false))
}

fn push(out: &mut Vec<u8>, c: char) {
    out.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
}

fn of_letter(letter: char) -> Option<u8> {
    Some(match letter {
        'a' => 7,
        'b' => 8,
        'e' | 'E' => 0x1b,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' => b'\\',
        _ => return None,
    })
}

/// The digits that follow, at most `digits`, as a number; None without any.
fn code(chars: &mut Peekable<Chars<'_>>, digits: u32) -> Option<u32> {
    of_digits(chars, 16, digits)
}

/// The same as a byte: of a larger one its low eight bits.
fn number(chars: &mut Peekable<Chars<'_>>, radix: u32, digits: u32) -> Option<u8> {
    of_digits(chars, radix, digits).map(|number| number.to_le_bytes()[0])
}

fn of_digits(chars: &mut Peekable<Chars<'_>>, radix: u32, digits: u32) -> Option<u32> {
    let mut number = None;
    for _ in 0..digits {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
        number = Some(number.unwrap_or(0_u32).wrapping_mul(radix).wrapping_add(digit));
        chars.next();
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w9_escapes_are_what_the_shell_prints() {
        for (text, echo, printf) in [
            (r"a\nb\tc\\", Some(("a\nb\tc\\", false)), Some(("a\nb\tc\\", false))),
            (r"\x41\x4a4\xz", Some(("AJ4\\xz", false)), Some(("AJ4\\xz", false))),
            (r"\0101\101", Some(("A\\101", false)), Some(("\u{8}1A", false))),
            (r"\e[1m\E", Some(("\u{1b}[1m\u{1b}", false)), Some(("\u{1b}[1m\u{1b}", false))),
            (r"a\cb", Some(("a", true)), Some(("a\\cb", false))),
            (r#"\"\q"#, Some(("\\\"\\q", false)), Some(("\"\\q", false))),
            (r"\u00e9\xc3\xa9\U1F600", Some(("éé😀", false)), Some(("éé😀", false))),
            (r"\xff", None, None),
            ("\\", Some(("\\", false)), Some(("\\", false))),
        ] {
            let of = |printer| printed(text, printer);
            let wanted = |found: Option<(&str, bool)>| found.map(|(text, is_end)| (text.to_owned(), is_end));
            assert_eq!((of(Printer::Echo), of(Printer::Printf)), (wanted(echo), wanted(printf)), "{text}");
        }
    }
}
