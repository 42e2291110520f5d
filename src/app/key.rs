//! What hands do, as plain data: a key, a mouse event.
//!
//! Keys have names (`j`, `C-d`, `M-x`, `PageDown`, `<`) that tables, help, scripts and configuration share; what is
//! printed by `Display` is what [`str::parse`] reads. Knows no terminal: `shell/input` makes these from its events.

use std::fmt;
use std::str::FromStr;

/// Highest function key that has a name.
const FUNCTION_KEY_MAX: u8 = 24;

/// One key with what was held down. Shift is part of the character (`G`) or of the code ([`KeyCode::BackTab`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyPress {
    /// Which key.
    pub code: KeyCode,
    /// Whether Ctrl was held.
    pub ctrl: bool,
    /// Whether Alt was held.
    pub alt: bool,
}

/// Which key, by what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyCode {
    /// A character, the space included.
    Char(char),
    /// Enter or Return.
    Enter,
    /// Tab.
    Tab,
    /// Shift and Tab.
    BackTab,
    /// Escape.
    Esc,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Backspace, to the left.
    Backspace,
    /// Delete, to the right.
    Delete,
    /// A function key, from 1.
    F(u8),
}

/// The keys that have a word for a name.
const NAMED: &[(KeyCode, &str)] = &[
    (KeyCode::Char(' '), "Space"),
    (KeyCode::Enter, "Enter"),
    (KeyCode::Tab, "Tab"),
    (KeyCode::BackTab, "BackTab"),
    (KeyCode::Esc, "Esc"),
    (KeyCode::Up, "Up"),
    (KeyCode::Down, "Down"),
    (KeyCode::Left, "Left"),
    (KeyCode::Right, "Right"),
    (KeyCode::Home, "Home"),
    (KeyCode::End, "End"),
    (KeyCode::PageUp, "PageUp"),
    (KeyCode::PageDown, "PageDown"),
    (KeyCode::Backspace, "Backspace"),
    (KeyCode::Delete, "Delete"),
];

impl KeyPress {
    /// The key alone.
    #[must_use]
    pub const fn plain(code: KeyCode) -> Self {
        Self { code, ctrl: false, alt: false }
    }

    /// A character alone.
    #[must_use]
    pub const fn char(c: char) -> Self {
        Self::plain(KeyCode::Char(c))
    }

    /// The character with Ctrl held.
    #[must_use]
    pub const fn ctrl(c: char) -> Self {
        Self { code: KeyCode::Char(c), ctrl: true, alt: false }
    }

    /// The character that this key types into a prompt, if it types one.
    #[must_use]
    pub fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }
}

impl fmt::Display for KeyPress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("C-")?;
        }
        if self.alt {
            f.write_str("M-")?;
        }
        self.code.fmt(f)
    }
}

impl fmt::Display for KeyCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((_, name)) = NAMED.iter().find(|(code, _)| code == self) {
            return f.write_str(name);
        }
        match self {
            Self::Char(c) => write!(f, "{c}"),
            Self::F(number) => write!(f, "F{number}"),
            // All others are in the table.
            _ => Ok(()),
        }
    }
}

/// A key name that means no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKey(String);

impl fmt::Display for UnknownKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a key; keys are named like j, G, C-d, M-x, Tab, PageDown, F5", self.0)
    }
}

impl std::error::Error for UnknownKey {}

impl FromStr for KeyPress {
    type Err = UnknownKey;

    /// Reads a name. `C-` and `M-` precede, in any order; `-` alone and `C--` are the minus key.
    fn from_str(name: &str) -> Result<Self, UnknownKey> {
        let mut key = Self::plain(KeyCode::Esc);
        let mut rest = name;
        loop {
            if let Some(after) = rest.strip_prefix("C-").filter(|after| !key.ctrl && !after.is_empty()) {
                (key.ctrl, rest) = (true, after);
            } else if let Some(after) = rest.strip_prefix("M-").filter(|after| !key.alt && !after.is_empty()) {
                (key.alt, rest) = (true, after);
            } else {
                break;
            }
        }
        key.code = code_of(rest).ok_or_else(|| UnknownKey(name.to_owned()))?;
        Ok(key)
    }
}

fn code_of(name: &str) -> Option<KeyCode> {
    if let Some((code, _)) = NAMED.iter().find(|(_, known)| *known == name) {
        return Some(*code);
    }
    let mut chars = name.chars();
    match (chars.next()?, chars.as_str()) {
        (c, "") if !c.is_control() => Some(KeyCode::Char(c)),
        ('F', digits) if !digits.starts_with(['0', '+']) => {
            let number = digits.parse().ok().filter(|number| (1..=FUNCTION_KEY_MAX).contains(number))?;
            Some(KeyCode::F(number))
        }
        _ => None,
    }
}

/// One mouse event of the left button or the wheel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mouse {
    /// What happened.
    pub kind: MouseKind,
    /// The cell from the left, from 0.
    pub column: u16,
    /// The cell from the top, from 0.
    pub row: u16,
}

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MouseKind {
    /// The button went down.
    Click,
    /// It moved with the button down.
    Drag,
    /// The button went up.
    Release,
    /// The wheel turned towards the top of the text.
    WheelUp,
    /// The wheel turned towards the end of the text.
    WheelDown,
}

/// Something that is done with the mouse, and a sentence on what it does. An action in braces stands for its key.
pub type Gesture = (&'static str, &'static str);

/// All of them, for the help and `docs/keys.md`.
pub static MOUSE: &[Gesture] = &[
    (
        "click",
        "Put the cursor there: on a row, a tab, a step of the timeline; on a key in the footer, do what it does.",
    ),
    ("click again", "Open the row of the cursor as {follow} does; in State, fold or unfold it."),
    ("click on a heading", "Sort the table by that column; again: the other way round; again: as in the file."),
    ("wheel", "Move in the pane under the pointer."),
    ("drag a border", "Give the one pane room of the other."),
    ("drag the timeline", "Go through the run."),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, key: KeyPress) {
        assert_eq!(name.parse(), Ok(key), "{name}");
        assert_eq!(key.to_string(), name);
    }

    #[test]
    fn names_are_read_and_printed_alike() {
        check("j", KeyPress::char('j'));
        check("G", KeyPress::char('G'));
        check("<", KeyPress::char('<'));
        check("-", KeyPress::char('-'));
        check("F", KeyPress::char('F'));
        check("C", KeyPress::char('C'));
        check("数", KeyPress::char('数'));
        check("C-d", KeyPress::ctrl('d'));
        check("C--", KeyPress::ctrl('-'));
        check("M-x", KeyPress { code: KeyCode::Char('x'), ctrl: false, alt: true });
        check("C-M-Left", KeyPress { code: KeyCode::Left, ctrl: true, alt: true });
        check("F1", KeyPress::plain(KeyCode::F(1)));
        check("F24", KeyPress::plain(KeyCode::F(24)));
        for (code, name) in NAMED {
            check(name, KeyPress::plain(*code));
        }
    }

    #[test]
    fn the_order_of_what_is_held_does_not_matter() {
        assert_eq!("M-C-d".parse::<KeyPress>(), "C-M-d".parse());
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for name in ["", "C-", "M-C-", "C-C-d", "F0", "F25", "F01", "F+1", "jj", "tab", "\u{1b}", "PageDow"] {
            assert!(name.parse::<KeyPress>().is_err(), "{name:?}");
        }
    }

    #[test]
    fn only_plain_characters_are_typed() {
        assert_eq!(KeyPress::char(' ').typed(), Some(' '));
        assert_eq!(KeyPress::ctrl('u').typed(), None);
        assert_eq!(KeyPress::plain(KeyCode::Enter).typed(), None);
    }
}
