//! Themes: roles to styles, from TOML files.
//!
//! A theme file has a `name`, a `background` (`dark`, `light` or `any`), a style for each role under `[roles]`, and, if
//! it likes, names for its colours under `[colours]`. A style is a table (`{ fg = "#7aa2f7", bold = true }`) or a line
//! (`"#7aa2f7 bold on 236"`). A theme for any background may have `[dark]` and `[light]`: roles that look different
//! once the terminal's background is known. Knows no pane; colours themselves are in `colour.rs`.

use super::colour;
use crate::text::{Role, line_number, suggest};
use ratatui::style::{Color, Modifier, Style};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The themes that obelus brings: name and file. The first is the default.
const BUILT_IN: [(&str, &str); 5] = [
    ("ansi", include_str!("../../themes/ansi.toml")),
    ("dark", include_str!("../../themes/dark.toml")),
    ("light", include_str!("../../themes/light.toml")),
    ("high-contrast", include_str!("../../themes/high-contrast.toml")),
    ("colour-blind", include_str!("../../themes/colour-blind.toml")),
];

pub(super) const MODIFIERS: [(&str, Modifier); 5] = [
    ("bold", Modifier::BOLD),
    ("italic", Modifier::ITALIC),
    ("underline", Modifier::UNDERLINED),
    ("dim", Modifier::DIM),
    ("reverse", Modifier::REVERSED),
];

/// The background that a theme is made for, or that a terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Background {
    /// Light text on dark.
    Dark,
    /// Dark text on light.
    Light,
    /// Either, or not known.
    #[default]
    Any,
}

/// A style for each role.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    name: String,
    background: Background,
    /// In the order of [`Role::ALL`].
    styles: Vec<Style>,
    /// What differs on a dark and on a light background.
    on_dark: Vec<(Role, Style)>,
    on_light: Vec<(Role, Style)>,
}

impl Theme {
    /// Names of the built-in themes; the first is the default.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// The built-in theme of that name.
    #[must_use]
    pub fn built_in(name: &str) -> Option<Self> {
        let (_, text) = BUILT_IN.iter().find(|(n, _)| *n == name)?;
        Parser { text, colours: Vec::new() }.theme(name).ok().map(|(theme, _)| theme)
    }

    /// Reads a theme file; `name` is used where the file has none. A role that the file leaves out looks as in the
    /// built-in theme for its background, so that old files stay good when roles are added.
    ///
    /// # Errors
    /// One sentence with the line: it is no TOML, a role or colour is unknown, a value is of the wrong type.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let (mut theme, missing) = Parser { text, colours: Vec::new() }.theme(name)?;
        let base = match theme.background {
            Background::Dark => "dark",
            Background::Light => "light",
            Background::Any => "ansi",
        };
        if let Some(base) = Self::built_in(base) {
            for role in missing {
                theme.styles[role as usize] = base.style(role);
            }
        }
        Ok(theme)
    }

    /// Name of the theme.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The background it is made for.
    #[must_use]
    pub fn background(&self) -> Background {
        self.background
    }

    /// How text of a role looks.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    /// The theme on a terminal whose background is known: takes over what its file says of that background.
    #[must_use]
    pub fn on(mut self, background: Background) -> Self {
        let changes = match background {
            Background::Dark => std::mem::take(&mut self.on_dark),
            Background::Light => std::mem::take(&mut self.on_light),
            Background::Any => return self,
        };
        for (role, style) in changes {
            self.styles[role as usize] = style;
        }
        self.background = background;
        self
    }

    /// The theme without any colour (`NO_COLOR`): bold, underline, dim, italic and reverse stay. Roles that are known
    /// by their background alone are reversed; the selection of a pane without focus is underlined.
    #[must_use]
    pub fn without_colour(mut self) -> Self {
        for (role, _) in Role::ALL {
            let style = &mut self.styles[*role as usize];
            style.fg = None;
            style.bg = None;
            match role {
                Role::Cursor | Role::Match | Role::Hidden => *style = style.add_modifier(Modifier::REVERSED),
                Role::Selected => *style = Style::new().add_modifier(Modifier::UNDERLINED),
                _ => {}
            }
        }
        self.on_dark.clear();
        self.on_light.clear();
        self
    }

    /// The theme for a terminal that has 256 colours: each true colour becomes the nearest of them.
    #[must_use]
    pub fn to_256(mut self) -> Self {
        let reduce = |colour: Color| match colour {
            Color::Rgb(r, g, b) => Color::Indexed(colour::nearest_256((r, g, b))),
            other => other,
        };
        let more = self.on_dark.iter_mut().chain(&mut self.on_light).map(|(_, style)| style);
        for style in self.styles.iter_mut().chain(more) {
            style.fg = style.fg.map(reduce);
            style.bg = style.bg.map(reduce);
        }
        self
    }
}

type StyleEntry<'t> = (&'t Spanned<toml::de::DeString<'t>>, &'t Spanned<DeValue<'t>>);

/// One theme file being read.
struct Parser<'t> {
    text: &'t str,
    colours: Vec<(String, Color)>,
}

impl Parser<'_> {
    /// The theme, and the roles that the file leaves out.
    fn theme(mut self, name: &str) -> Result<(Theme, Vec<Role>), String> {
        let text = self.text;
        let file = DeTable::parse(text).map_err(|e| self.error(e.span().map_or(0, |s| s.start), e.message()))?;
        let mut theme = Theme {
            name: name.to_owned(),
            background: Background::Any,
            styles: Vec::new(),
            on_dark: Vec::new(),
            on_light: Vec::new(),
        };
        // Names of colours come first: every other table may use them.
        if let Some(value) = file.get_ref().get("colours") {
            self.take_colours(value)?;
        }
        let mut styles = vec![None; Role::ALL.len()];
        for (key, value) in file.get_ref() {
            match key.get_ref().as_ref() {
                "name" => self.string(value)?.clone_into(&mut theme.name),
                "background" => theme.background = self.background(value)?,
                "roles" => self.roles(value)?.into_iter().for_each(|(role, s)| styles[role as usize] = Some(s)),
                "dark" => theme.on_dark = self.roles(value)?,
                "light" => theme.on_light = self.roles(value)?,
                "colours" => {}
                other => {
                    let known = ["name", "background", "colours", "roles", "dark", "light"];
                    return Err(self.unknown(key.span().start, "key", other, &known));
                }
            }
        }
        let missing = Role::ALL.iter().map(|(role, _)| *role).filter(|role| styles[*role as usize].is_none()).collect();
        theme.styles = styles.into_iter().map(Option::unwrap_or_default).collect();
        Ok((theme, missing))
    }

    fn take_colours(&mut self, value: &Spanned<DeValue<'_>>) -> Result<(), String> {
        for (key, value) in self.table(value)? {
            let word = self.string(value)?;
            let found = colour::colour(word)
                .ok_or_else(|| self.error(value.span().start, &format!("`{word}` is not a colour; {COLOUR_HINT}")))?;
            self.colours.push((key.get_ref().to_string(), found));
        }
        Ok(())
    }

    fn background(&self, value: &Spanned<DeValue<'_>>) -> Result<Background, String> {
        match self.string(value)? {
            "dark" => Ok(Background::Dark),
            "light" => Ok(Background::Light),
            "any" => Ok(Background::Any),
            other => Err(self.unknown(value.span().start, "background", other, &["dark", "light", "any"])),
        }
    }

    fn roles(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<(Role, Style)>, String> {
        let mut out = Vec::new();
        for (key, value) in self.table(value)? {
            let word = key.get_ref().as_ref();
            let Some((role, _)) = Role::ALL.iter().find(|(_, name)| *name == word) else {
                let names: Vec<_> = Role::ALL.iter().map(|(_, name)| *name).collect();
                return Err(self.unknown(key.span().start, "role", word, &names));
            };
            let style = match value.get_ref() {
                DeValue::String(line) => self.style_line(value.span().start, line),
                DeValue::Table(table) => self.style_table(table.iter().collect()),
                _ => Err(self.error(value.span().start, "a style is a string or a table")),
            }?;
            out.push((*role, style));
        }
        Ok(out)
    }

    /// A style as a line of words: colour, `on` colour, modifiers.
    fn style_line(&self, at: usize, line: &str) -> Result<Style, String> {
        let mut style = Style::new();
        let mut words = line.split_ascii_whitespace();
        while let Some(word) = words.next() {
            if let Some((_, modifier)) = MODIFIERS.iter().find(|(name, _)| *name == word) {
                style = style.add_modifier(*modifier);
            } else if word == "on" {
                let word = words.next().ok_or_else(|| self.error(at, "`on` must be followed by a colour"))?;
                style.bg = Some(self.colour(at, word)?);
            } else if style.fg.is_none() {
                style.fg = Some(self.colour(at, word)?);
            } else {
                return Err(self.error(at, &format!("`{word}`: the colour is already given; use `on {word}` below it")));
            }
        }
        Ok(style)
    }

    fn style_table(&self, entries: Vec<StyleEntry<'_>>) -> Result<Style, String> {
        let mut style = Style::new();
        for (key, value) in entries {
            let word = key.get_ref().as_ref();
            let at = value.span().start;
            if let Some((_, modifier)) = MODIFIERS.iter().find(|(name, _)| *name == word) {
                match value.get_ref() {
                    DeValue::Boolean(true) => style = style.add_modifier(*modifier),
                    DeValue::Boolean(false) => {}
                    _ => return Err(self.error(at, &format!("`{word}` is true or false"))),
                }
            } else if word == "fg" {
                style.fg = Some(self.colour(at, self.string(value)?)?);
            } else if word == "bg" {
                style.bg = Some(self.colour(at, self.string(value)?)?);
            } else {
                let known = ["fg", "bg", "bold", "italic", "underline", "dim", "reverse"];
                return Err(self.unknown(key.span().start, "part of a style", word, &known));
            }
        }
        Ok(style)
    }

    fn colour(&self, at: usize, word: &str) -> Result<Color, String> {
        let defined = self.colours.iter().find(|(name, _)| name == word).map(|(_, colour)| *colour);
        defined
            .or_else(|| colour::colour(word))
            .ok_or_else(|| self.error(at, &format!("`{word}` is not a colour; {COLOUR_HINT}")))
    }

    fn table<'v>(&self, value: &'v Spanned<DeValue<'v>>) -> Result<Vec<StyleEntry<'v>>, String> {
        match value.get_ref() {
            DeValue::Table(table) => Ok(table.iter().collect()),
            _ => Err(self.error(value.span().start, "this must be a table")),
        }
    }

    fn string<'v>(&self, value: &'v Spanned<DeValue<'_>>) -> Result<&'v str, String> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.as_ref()),
            _ => Err(self.error(value.span().start, "this must be a string")),
        }
    }

    fn unknown(&self, at: usize, what: &str, word: &str, known: &[&str]) -> String {
        let all = || format!("there are {}", known.join(", "));
        let near = suggest::did_you_mean(word, known.iter().copied()).unwrap_or_else(all);
        self.error(at, &format!("unknown {what} `{word}`; {near}"))
    }

    fn error(&self, at: usize, reason: &str) -> String {
        format!("line {}: {reason}", line_number(self.text, at))
    }
}

const COLOUR_HINT: &str = "write #rrggbb, a name such as `red` or `light-red`, a number up to 255, or `default`";

#[cfg(test)]
mod tests;
