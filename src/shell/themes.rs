//! Which theme is used: that of the command line, of the configuration, or the default.

use super::config::{Colors, Config, Environment, FILE_BYTES_MAX};
use crate::model::Problem;
use crate::source::read_small_text;
use crate::ui::{Background, Theme};
use std::path::Path;

/// The themes that there are, the one in use, and what was wrong with the user's own.
pub(crate) struct Themes {
    themes: Vec<Theme>,
    current: usize,
    /// Broken themes, ignored.
    pub(crate) problems: Vec<Problem>,
}

impl Themes {
    /// Whether [`Themes::choose`] depends on the terminal's background and the environment does not give it.
    pub(super) fn need_background(named: Option<&str>, config: &Config, environment: &Environment) -> bool {
        match named.or(config.theme.as_deref()) {
            Some("auto") => true,
            None => environment.background == Background::Any && !environment.no_color,
            Some(_) => false,
        }
    }

    /// Chooses by name: `auto` by the terminal's background. A theme for any background takes the shades for the one
    /// that the environment reports; where none is known, it looks the same on dark and light.
    ///
    /// # Errors
    /// The command line names a theme that there is not.
    pub(crate) fn choose(named: Option<&str>, config: &Config, environment: &Environment) -> Result<Self, Problem> {
        let mut problems = Vec::new();
        let mut themes: Vec<Theme> = Theme::names().filter_map(Theme::built_in).collect();
        for (name, text) in &config.themes {
            match Theme::parse(name, text) {
                Ok(theme) => {
                    themes.retain(|t| t.name() != name);
                    themes.push(theme);
                }
                Err(message) => problems.push(Problem::usage(format!("theme {name}: {message}"))),
            }
        }
        let wanted = match named.or(config.theme.as_deref()) {
            Some("auto") if environment.background == Background::Light => "light",
            Some("auto") => "dark",
            Some(name) => name,
            None => themes.first().map_or("ansi", Theme::name),
        }
        .to_owned();
        let themes: Vec<Theme> = themes.into_iter().map(|t| fit(t, environment)).collect();
        let current = match themes.iter().position(|t| t.name() == wanted) {
            Some(at) => at,
            None => {
                let names: Vec<&str> = themes.iter().map(Theme::name).collect();
                let problem = Problem::usage(format!("there is no theme `{wanted}`"))
                    .hint(format!("the themes are {} and auto", names.join(", ")));
                // One of the user's own that cannot be read is reported, and the default is used.
                if named.is_some() && !config.themes.iter().any(|(name, _)| *name == wanted) {
                    return Err(problem);
                }
                let place = if named.is_none() { "config.toml: " } else { "" };
                problems.push(Problem { message: format!("{place}{}", problem.message), ..problem });
                0
            }
        };
        Ok(Self { themes, current, problems })
    }

    /// The theme in use.
    #[must_use]
    pub(crate) fn current(&self) -> &Theme {
        &self.themes[self.current]
    }

    /// All themes.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Theme> {
        self.themes.iter()
    }

    /// All names, the one in use first.
    #[must_use]
    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.themes.iter().map(|t| t.name().to_owned()).collect();
        names.rotate_left(self.current);
        names
    }

    /// Uses another theme.
    pub(super) fn use_by_name(&mut self, name: &str) {
        if let Some(at) = self.themes.iter().position(|t| t.name() == name) {
            self.current = at;
        }
    }
}

/// The theme of that name as its file has it: one of the configuration, else one that obelus brings; None if there is
/// none.
///
/// # Errors
/// Its file is not a theme.
pub(crate) fn named(name: &str, config: &Config) -> Result<Option<Theme>, Problem> {
    match config.themes.iter().find(|(custom_name, _)| custom_name == name) {
        Some((_, text)) => {
            Theme::parse(name, text).map(Some).map_err(|why| Problem::usage(format!("theme {name}: {why}")))
        }
        None => Ok(Theme::built_in(name)),
    }
}

/// The theme that a file describes.
///
/// # Errors
/// The file cannot be read, or is not a theme.
pub(crate) fn of_file(path: &Path) -> Result<Theme, Problem> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let failed = |why: String| Problem::unreadable(format!("{}: {why}", path.display()));
    let text = read_small_text(path, FILE_BYTES_MAX).map_err(|e| failed(e.to_string()))?;
    Theme::parse(&name, &text).map_err(failed)
}

/// A theme for this terminal's colours.
pub(crate) fn fit(theme: Theme, environment: &Environment) -> Theme {
    let theme = match theme.background() {
        Background::Any => theme.on(environment.background),
        _ => theme,
    };
    if environment.no_color {
        return theme.without_colour();
    }
    if environment.colors == Colors::True { theme } else { theme.to_256() }
}
