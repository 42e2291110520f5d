//! D13: control characters in the texts of a step.

use crate::json::{Data, Value, pointer_escape};
use wide::u8x16;

/// D13: the path (below the value) of the first string with control characters, in document order.
#[must_use]
pub(in crate::rules) fn first_control(value: &Value<'_>, counts_returns: bool) -> Option<String> {
    let below = |v: &Value<'_>, key: &dyn Fn() -> String| {
        first_control(v, counts_returns).map(|rest| format!("/{}{rest}", key()))
    };
    match &value.data {
        Data::String(s) => has_control(s, counts_returns).then(String::new),
        Data::Array(items) => items.iter().enumerate().find_map(|(i, v)| below(v, &|| i.to_string())),
        Data::Object(o) => o.entries().find_map(|(key, v)| below(v, &|| pointer_escape(key))),
        _ => None,
    }
}

/// D13: whether a text holds control characters (tab, LF and CR LF are none); CR without LF is one if that is asked.
fn has_control(text: &str, counts_returns: bool) -> bool {
    let bytes = text.as_bytes();
    let is_control = |at: usize| match bytes[at] {
        b'\t' | b'\n' => false,
        b'\r' => counts_returns && bytes.get(at + 1) != Some(&b'\n'),
        // U+0080 to U+009F are this byte and one of 0x80 to 0x9F.
        0xC2 => bytes.get(at + 1).is_some_and(|b| *b < 0xA0),
        b => b < 0x20 || b == 0x7F,
    };
    let holds = |start: usize, block: &[u8; 16]| {
        let mut left = suspects(block);
        while left != 0 {
            if is_control(start + left.trailing_zeros() as usize) {
                return true;
            }
            left &= left - 1;
        }
        false
    };
    let (wide_blocks, _) = bytes.as_chunks::<64>();
    let holds_wide = |(i, wide): (usize, &[u8; 64])| {
        let (blocks, _) = wide.as_chunks::<16>();
        // One look at all lanes: mostly none is suspect.
        let all = blocks.iter().fold(u8x16::ZERO, |all, block| all | suspect_lanes(block));
        all.any() && blocks.iter().enumerate().any(|(j, block)| holds(64 * i + 16 * j, block))
    };
    if wide_blocks.iter().enumerate().any(holds_wide) {
        return true;
    }
    let narrow = 64 * wide_blocks.len();
    let (blocks, rest) = bytes[narrow..].as_chunks::<16>();
    if blocks.iter().enumerate().any(|(i, block)| holds(narrow + 16 * i, block)) {
        return true;
    }
    match bytes.last_chunk::<16>() {
        // The last block again, up to the end: one step where each byte of the rest would be one.
        Some(block) => !rest.is_empty() && holds(bytes.len() - block.len(), block),
        None => (0..bytes.len()).any(is_control),
    }
}

/// The bytes of a block that may be a control character or begin one, the first the lowest bit. Most texts have none.
fn suspects(block: &[u8; 16]) -> u32 {
    suspect_lanes(block).move_mask().cast_unsigned() & 0xffff
}

/// The same, all bits of each such byte.
fn suspect_lanes(block: &[u8; 16]) -> u8x16 {
    let bytes = u8x16::new(*block);
    let is = |byte| bytes.cmp_eq(u8x16::splat(byte));
    let is_low = bytes.min(u8x16::splat(0x1F)).cmp_eq(bytes);
    (is_low & !(is(b'\t') | is(b'\n'))) | is(0x7F) | is(0xC2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn control_characters_are_found_where_they_stand() {
        let texts = [
            ("a\t\r\n", false),
            ("\r", true),
            ("\r\r\n", true),
            ("\u{85}", true),
            ("\u{a0}", false),
            ("\u{7f}", true),
            ("\u{0}", true),
            ("\u{1f}", true),
            ("é\n", false),
        ];
        for ((text, expect), before) in texts.into_iter().flat_map(|case| (0..35).chain(60..85).map(move |n| (case, n)))
        {
            for after in [0, 1, 15, 16, 17] {
                let text = format!("{}{text}{}", "x".repeat(before), "\n".repeat(after));
                let is_followed = text.ends_with('\n') && text.trim_end_matches('\n').ends_with('\r');
                if !is_followed {
                    assert_eq!(has_control(&text, true), expect, "{text:?}");
                }
            }
        }
        assert!(!has_control("1 %\r2 %", false) && has_control("\u{7}", false));
        let value = parse(r#"{"a":["x",{"b/c":"\u0007"}],"z":"\u001b"}"#).unwrap();
        assert_eq!(first_control(&value, true).as_deref(), Some("/a/1/b~1c"));
    }
}
