//! Styles of a theme outside of frames: as a sequence that colours text on a terminal, and as words of a theme file.

use super::colour;
use super::theme::{MODIFIERS, Theme};
use crate::text::Role;
use ratatui::style::{Color, Modifier};

/// Codes of the modifiers, in the order of [`MODIFIERS`].
const MODIFIER_CODES: [u8; 5] = [1, 3, 4, 2, 7];

/// The codes from which those of colours count.
pub(super) const FOREGROUND: u8 = 30;
pub(super) const BACKGROUND: u8 = 40;

impl Theme {
    /// Parameters of the SGR sequence that sets the style of a role on the ground of the theme, without what begins and
    /// ends it: `0;1;38;5;4`.
    #[must_use]
    pub fn sgr(&self, role: Role) -> String {
        let style = self.style(Role::Text).patch(self.style(role));
        let modifiers = MODIFIERS.iter().zip(MODIFIER_CODES).filter(|((_, m), _)| has(style.add_modifier, *m));
        let mut codes: Vec<String> =
            std::iter::once(0).chain(modifiers.map(|(_, code)| code)).map(|c| c.to_string()).collect();
        codes.extend(style.fg.map(|colour| code(colour, FOREGROUND)));
        codes.extend(style.bg.map(|colour| code(colour, BACKGROUND)));
        codes.join(";")
    }

    /// The style of a role as a theme file writes it: `#ffb454 bold on 236`; empty for none.
    #[must_use]
    pub fn words(&self, role: Role) -> String {
        let style = self.style(role);
        let mut words: Vec<String> = style.fg.map(colour::word).into_iter().collect();
        words.extend(MODIFIERS.iter().filter(|(_, m)| has(style.add_modifier, *m)).map(|(name, _)| (*name).to_owned()));
        words.extend(style.bg.map(|colour| format!("on {}", colour::word(colour))));
        words.join(" ")
    }
}

fn has(modifiers: Modifier, one: Modifier) -> bool {
    modifiers.contains(one)
}

/// A colour as parameters; `base` is [`FOREGROUND`] or [`BACKGROUND`].
pub(super) fn code(colour: Color, base: u8) -> String {
    match (colour, colour::index(colour)) {
        (Color::Reset, _) => (base + 9).to_string(),
        (Color::Rgb(r, g, b), _) => format!("{};2;{r};{g};{b}", base + 8),
        (Color::Indexed(index), _) => format!("{};5;{index}", base + 8),
        (_, Some(index @ 0..8)) => (base + index).to_string(),
        (_, index) => (base + 52 + index.unwrap_or(8)).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_is_a_sequence_and_words() {
        let text = "background = \"dark\"\n[roles]\n\
                    text = \"default on #102030\"\naccent = \"#ffb454 bold underline\"\n\
                    dim = \"245\"\nerror = \"light-red reverse\"\nwarning = \"yellow on black\"\nold = \"dim\"\n";
        let theme = Theme::parse("x", text).unwrap();
        for (role, sgr, words) in [
            (Role::Text, "0;39;48;2;16;32;48", "default on #102030"),
            (Role::Accent, "0;1;4;38;2;255;180;84;48;2;16;32;48", "#ffb454 bold underline"),
            (Role::Dim, "0;38;5;245;48;2;16;32;48", "245"),
            (Role::Error, "0;7;91;48;2;16;32;48", "light-red reverse"),
            (Role::Warning, "0;33;40", "yellow on black"),
            (Role::Old, "0;2;39;48;2;16;32;48", "dim"),
        ] {
            assert_eq!((theme.sgr(role).as_str(), theme.words(role).as_str()), (sgr, words), "{role:?}");
        }
    }

    #[test]
    fn words_of_every_built_in_style_are_read_back() {
        for theme in Theme::names().filter_map(Theme::built_in) {
            let lines: Vec<String> =
                Role::ALL.iter().map(|(role, name)| format!("{name} = \"{}\"", theme.words(*role))).collect();
            let again = Theme::parse(theme.name(), &format!("[roles]\n{}\n", lines.join("\n"))).unwrap();
            for (role, name) in Role::ALL {
                assert_eq!(again.style(*role), theme.style(*role), "{name} of {}", theme.name());
            }
        }
    }
}
