//! The terminal's answer to the question for its background, where it comes after the wait: it arrives as typed text
//! (`ESC ] 11 ; rgb:…`), and none of it is a key of the user's.

use crate::app::key::{KeyCode, KeyPress};

/// Longest answer that is passed over, in characters.
const ANSWER_MAX: usize = 40;

/// Discards the first such answer.
#[derive(Debug, Default)]
pub(super) struct LateAnswer {
    /// Characters of the answer so far; None: it has not begun.
    taken: Option<usize>,
    is_over: bool,
}

impl LateAnswer {
    /// Whether a key is part of the answer.
    pub(super) fn takes(&mut self, press: &KeyPress) -> bool {
        if self.is_over {
            return false;
        }
        let KeyCode::Char(key) = press.code else { return self.end(self.taken.is_none(), false) };
        match (self.taken, press.alt, press.ctrl, key) {
            (None, true, false, ']') => {
                self.taken = Some(0);
                true
            }
            (None, ..) => false,
            // BEL or ST ends it.
            (Some(_), true, false, '\\') | (Some(_), false, true, 'g') => self.end(false, true),
            (Some(taken), false, false, '0'..='9' | 'a'..='f' | 'A'..='F' | 'r' | 'g' | ':' | ';' | '/')
                if taken < ANSWER_MAX =>
            {
                self.taken = Some(taken + 1);
                true
            }
            (Some(_), ..) => self.end(false, false),
        }
    }

    fn end(&mut self, is_awaited: bool, takes: bool) -> bool {
        self.is_over = !is_awaited;
        takes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(typed: &[&str]) -> Vec<String> {
        let mut late = LateAnswer::default();
        let keys = typed.iter().map(|name| name.parse::<KeyPress>().expect("a key"));
        keys.filter(|key| !late.takes(key)).map(|key| key.to_string()).collect()
    }

    #[test]
    fn a_late_answer_is_no_key() {
        let answer: Vec<String> = "11;rgb:12/aF/00".chars().map(String::from).collect();
        for end in ["C-g", "M-\\"] {
            let mut typed = vec!["j", "M-]"];
            typed.extend(answer.iter().map(String::as_str));
            typed.extend([end, "g", "1"]);
            assert_eq!(left(&typed), ["j", "g", "1"]);
        }
    }

    #[test]
    fn what_is_no_answer_is_typed() {
        assert_eq!(left(&["M-]", "q", "1"]), ["q", "1"]);
        assert_eq!(left(&["M-]", "Enter", "1"]), ["Enter", "1"]);
        assert_eq!(left(&["1", "Enter", "C-g"]), ["1", "Enter", "C-g"]);
    }
}
