//! A notice for somebody who looks elsewhere: the bell, or a notice of the desktop by the sequence OSC 9.

use super::config::NoticeBy;
use crate::text::{SafeText, cut};

/// Most cells of a notice; desktops cut longer ones anyway.
const CELLS_MAX: usize = 200;

/// The bytes that give it. The text may quote a file: no control character of it is left, and our own word before it
/// keeps it from being one of the commands that some terminals know by a number after `9;`.
pub(super) fn sequence(by: NoticeBy, text: &str) -> Vec<u8> {
    match by {
        NoticeBy::Off => Vec::new(),
        NoticeBy::Bell => vec![0x07],
        NoticeBy::Osc9 => {
            let text = cut(&SafeText::of(text), CELLS_MAX);
            format!("\u{1b}]9;obelus: {}\u{1b}\\", text.as_str()).into_bytes()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_file_can_act() {
        assert_eq!(sequence(NoticeBy::Off, "x"), b"");
        assert_eq!(sequence(NoticeBy::Bell, "\u{1b}[2J"), [7]);
        assert_eq!(sequence(NoticeBy::Osc9, "step 4"), b"\x1b]9;obelus: step 4\x1b\\");
        let hostile = sequence(NoticeBy::Osc9, "a\u{7}\u{1b}\\\u{9c}\u{1b}]0;title\u{7}\n4;1;50");
        let text = String::from_utf8(hostile).unwrap();
        assert_eq!(text.chars().filter(|c| c.is_control()).count(), 2, "only our own two: {text:?}");
        assert!(sequence(NoticeBy::Osc9, &"x".repeat(9_999)).len() < 300);
    }
}
