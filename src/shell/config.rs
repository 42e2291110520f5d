//! What the user and the terminal have set: environment, configuration folder, light or dark.
//!
//! Nothing here can prevent the start (R25): what is broken is named as a [`Problem`] and ignored.

use crate::app::keys::Keymap;
use crate::format::Format;
use crate::ingest::all_formats;
use crate::model::Problem;
use crate::platform::HAS_TRUE_COLOURS;
use crate::review::{ChatTemplate, CustomColumn, Filter, Scope, Tokenizer};
use crate::shell::templates::{named, template_of};
use crate::shell::tokenizer::tokenizer;
use crate::shell::{background, config_keys, format_files};
use crate::source::read_small_text;
use crate::state::condition::Expected;
use crate::text::{TomlError, line_number, suggest};
use crate::ui::Background;
use etcetera::BaseStrategy;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Spanned;

/// Most bytes of a configuration or theme file.
pub(super) const FILE_BYTES_MAX: u64 = 256 * 1024;
/// Most theme files that are read.
const THEMES_MAX: usize = 100;

/// What the environment says. Read once, at the start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// `NO_COLOR` is set and not empty.
    pub no_color: bool,
    /// How many colours the terminal has.
    pub colors: Colors,
    /// The terminal's background, if `COLORFGBG` or the terminal reports it.
    pub background: Background,
    /// `TERM`, empty if it is not set.
    pub term: String,
    /// `VISUAL`, else `EDITOR`, if not empty.
    pub editor: Option<String>,
    /// `RUST_BACKTRACE` is on: a panic gives all, even if that quotes the user's file.
    pub backtrace: bool,
    /// `OBELUS_PANIC=1`, in debug builds only: panics after the first frame, to test that the terminal is restored, as
    /// in `screen_check.py --matrix --panic-env OBELUS_PANIC=1 -- obelus FILE`.
    pub panics: bool,
}

/// How many colours a terminal has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Colors {
    /// The 16 that every palette has.
    #[default]
    Sixteen,
    /// The fixed 256.
    Indexed,
    /// Any red, green and blue.
    True,
}

impl Environment {
    /// Reads the environment of this process.
    #[must_use]
    pub fn read() -> Self {
        Self::of(|name| env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
    }

    fn of(get: impl Fn(&str) -> Option<String>) -> Self {
        let get = |name: &str| get(name).filter(|value| !value.trim().is_empty());
        let term = get("TERM").unwrap_or_default();
        let colors = match get("COLORTERM").as_deref() {
            Some("truecolor" | "24bit") => Colors::True,
            _ if term.ends_with("-direct") || HAS_TRUE_COLOURS => Colors::True,
            _ if term.contains("256color") => Colors::Indexed,
            _ => Colors::Sixteen,
        };
        Self {
            no_color: get("NO_COLOR").is_some(),
            colors,
            background: background::parse_colorfgbg(get("COLORFGBG").as_deref()),
            term,
            editor: get("VISUAL").or_else(|| get("EDITOR")),
            backtrace: get("RUST_BACKTRACE").is_some_and(|value| value != "0"),
            panics: cfg!(debug_assertions) && get("OBELUS_PANIC").is_some_and(|value| value == "1"),
        }
    }
}

/// What `config.toml` and the folder `themes` hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Config {
    /// The theme's name; `auto` asks the terminal.
    pub theme: Option<String>,
    /// The user's themes by name: the text of each `themes/NAME.toml`, sorted by name.
    pub themes: Vec<(String, String)>,
    /// What is watched, and how that is reported.
    pub watch: WatchConfig,
    /// Filters of the table by name, as they are written.
    pub filters: Vec<(String, String)>,
    /// Columns of the table by name: their expressions.
    pub columns: Vec<(String, String)>,
    /// Whether a decision on one record goes on to the next that is undecided.
    pub next_undecided: bool,
    /// The keys that work.
    pub keymap: Keymap,
    /// The chat template of the Loss tab: its name, or a file; and the folder from which that is looked for.
    template: Option<(String, PathBuf)>,
    /// What counts tokens: a file, and the folder from which that is looked for.
    tokenizer: Option<(String, PathBuf)>,
    /// What was broken and therefore ignored.
    pub problems: Vec<Problem>,
}

/// The file as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    theme: Option<String>,
    template: Option<String>,
    tokenizer: Option<String>,
    #[serde(default)]
    next_undecided: bool,
    #[serde(default)]
    watch: BTreeMap<Spanned<String>, WatchEntry>,
    #[serde(default)]
    filters: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    columns: BTreeMap<Spanned<String>, String>,
    #[serde(default)]
    keys: config_keys::Written,
}

/// One key of `[watch]`: `notice`, or the name of a format.
#[derive(Debug)]
enum WatchEntry {
    Notice(String),
    Format(WatchPaths),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WatchPaths {
    paths: Vec<Spanned<String>>,
}

/// Not derived: what distinguishes the variants by trying forgets where their members are.
impl<'de> Deserialize<'de> for WatchEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct UniqueEntry;
        impl<'de> Visitor<'de> for UniqueEntry {
            type Value = WatchEntry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a notice, or a table with `paths`")
            }

            fn visit_str<E>(self, notice: &str) -> Result<WatchEntry, E> {
                Ok(WatchEntry::Notice(notice.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<WatchEntry, A::Error> {
                WatchPaths::deserialize(MapAccessDeserializer::new(table)).map(WatchEntry::Format)
            }
        }
        deserializer.deserialize_any(UniqueEntry)
    }
}

/// How a hit of a watch is reported to somebody who looks elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NoticeBy {
    /// Not.
    #[default]
    Off,
    /// By the terminal's bell.
    Bell,
    /// By a notice of the desktop, where the terminal knows OSC 9.
    Osc9,
}

/// The names of [`NoticeBy`].
const NOTICES: [(&str, NoticeBy); 3] = [("off", NoticeBy::Off), ("bell", NoticeBy::Bell), ("osc9", NoticeBy::Osc9)];

/// The table `[watch]`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WatchConfig {
    /// How a hit is reported.
    pub notice: NoticeBy,
    formats: Vec<(String, Vec<Expected>)>,
}

impl WatchConfig {
    /// What is watched in files of a format.
    #[must_use]
    pub fn of(&self, format: &str) -> Vec<Expected> {
        self.formats.iter().filter(|(name, _)| name == format).flat_map(|(_, expected)| expected.clone()).collect()
    }

    /// Takes the table as it is written.
    ///
    /// # Errors
    /// The byte of the key with which something is wrong, and a sentence.
    fn read(written: BTreeMap<Spanned<String>, WatchEntry>) -> Result<Self, (usize, String)> {
        let formats = || all_formats().map(Format::name);
        let mut watch = Self::default();
        for (key, entry) in written {
            let (mut at, name) = (key.span().start, key.into_inner());
            let fault = match entry {
                WatchEntry::Notice(by) if name == "notice" => match NOTICES.iter().find(|(known, _)| *known == by) {
                    Some((_, by)) => {
                        watch.notice = *by;
                        continue;
                    }
                    None => format!("`{by}` is not a notice; there are: off, bell, osc9"),
                },
                WatchEntry::Format(WatchPaths { paths }) if formats().any(|known| known == name) => {
                    let read =
                        |path: &Spanned<String>| Expected::parse(path.get_ref()).map_err(|why| (path.span(), why));
                    match paths.iter().map(read).collect() {
                        Ok(expected) => {
                            watch.formats.push((name, expected));
                            continue;
                        }
                        Err((span, message)) => {
                            at = span.start;
                            message
                        }
                    }
                }
                _ => {
                    let known = formats().chain(["notice"]);
                    let near = suggest::did_you_mean(&name, known).map_or_else(String::new, |near| format!("; {near}"));
                    format!("[watch] has no `{name}` of this form{near}")
                }
            };
            return Err((at, fault));
        }
        Ok(watch)
    }
}

impl Config {
    /// Reads the folder `obelus` in the user's configuration folder. No folder is an empty configuration.
    #[must_use]
    pub fn load() -> Self {
        folder().map_or_else(Self::default, |folder| Self::of(&folder))
    }

    pub(super) fn of(folder: &Path) -> Self {
        let mut config = Self::default();
        let file = folder.join("config.toml");
        match read_text(&file)
            .and_then(|text| text.map_or_else(|| Ok((Config::default(), Vec::new())), |text| parse(&text)))
        {
            Ok((read, faults)) => {
                config = read;
                config.problems.extend(faults.iter().map(|fault| ignored(&file, fault)));
            }
            Err(message) => config.problems.push(ignored(&file, &message)),
        }
        config.read_themes(&folder.join("themes"));
        let formats = format_files::of_folder(&folder.join(format_files::FOLDER));
        config.problems.extend(formats.into_iter().filter_map(Result::err));
        let files = [&mut config.template, &mut config.tokenizer];
        files.into_iter().flatten().for_each(|(_, from)| folder.clone_into(from));
        config
    }

    /// Reads the chat template; a file is looked for from the configuration folder. What is wrong with it is a problem.
    pub fn take_template(&mut self) -> Option<Arc<dyn ChatTemplate>> {
        let (asked, folder) = self.template.take()?;
        let known = named(&asked, &[]).map_or_else(|| template_of(&asked, &folder.join(&asked), &[]), Ok);
        known.map_err(|problem| self.problems.push(ignored(&folder.join("config.toml"), &problem.message))).ok()
    }

    /// Reads the tokenizer, in the same way.
    pub fn take_tokenizer(&mut self) -> Option<Arc<dyn Tokenizer>> {
        let (asked, folder) = self.tokenizer.take()?;
        let read = tokenizer(&folder.join(asked));
        read.map_err(|problem| self.problems.push(ignored(&folder.join("config.toml"), &problem.message))).ok()
    }

    fn read_themes(&mut self, folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let files = toml_files(entries);
        if files.len() > THEMES_MAX {
            let message = format!("only the first {THEMES_MAX} of {} themes are read", files.len());
            self.problems.push(ignored(folder, &message));
        }
        for file in files.iter().take(THEMES_MAX) {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            match read_text(file) {
                Ok(text) => self.themes.extend(text.map(|text| (name, text))),
                Err(message) => self.problems.push(ignored(file, &message)),
            }
        }
    }
}

/// The files of a folder whose names end in `.toml`, sorted.
pub(super) fn toml_files(entries: fs::ReadDir) -> Vec<PathBuf> {
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).collect();
    files.sort();
    files
}

/// The configuration folder, if the user has a home.
pub(crate) fn folder() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.config_dir().join("obelus"))
}

pub(super) fn ignored(path: &Path, message: &str) -> Problem {
    Problem::usage(format!("{}: {message}", path.display())).hint("it is ignored until that is changed")
}

/// The text of a file, or none if there is no such file.
fn read_text(path: &Path) -> Result<Option<String>, String> {
    if fs::metadata(path).is_err() {
        return Ok(None);
    }
    read_small_text(path, FILE_BYTES_MAX).map(Some).map_err(|error| error.to_string())
}

/// What the file says: all but the themes; and what is wrong with its keys, of which the default ones are used then.
fn parse(text: &str) -> Result<(Config, Vec<String>), String> {
    let line_of = |at| line_number(text, at);
    let written: Written = toml::from_str(text).map_err(|error| {
        let TomlError { offset_bytes, message, suggestion } = TomlError::new(text, &error);
        let near = suggestion.map_or_else(String::new, |near| format!("; {near}"));
        format!("line {}: {message}{near}", line_of(offset_bytes))
    })?;
    let watch = WatchConfig::read(written.watch).map_err(|(at, fault)| format!("line {}: {fault}", line_of(at)))?;
    let (mut filters, mut columns, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for (name, expression) in written.columns {
        let (at, name) = (name.span().start, name.into_inner());
        names.push(CustomColumn::new(&name).map_err(|why| format!("line {}: [columns]: {why}", line_of(at)))?);
        columns.push((name, expression));
    }
    for (name, filter) in written.filters {
        let (at, filter) = (filter.span().start, filter.into_inner());
        // It may be one of records or one of steps.
        let fault = |fault| format!("line {}: [filters] {name}: {fault}", line_of(at));
        if Filter::is_name(&filter) {
            return Err(format!("line {}: [filters] {name}: a filter by name cannot be another by name", line_of(at)));
        }
        Filter::parse(&filter, Scope::Table(&names))
            .or_else(|why| Filter::parse(&filter, Scope::Steps).map_err(|_| fault(why)))?;
        filters.push((name, filter));
    }
    let [template, tokenizer] =
        [written.template, written.tokenizer].map(|name| name.map(|name| (name, PathBuf::new())));
    let Written { theme, next_undecided, keys, .. } = written;
    let (keymap, faults) = config_keys::read(keys);
    let faults = faults.into_iter().map(|(at, fault)| format!("line {}: [keys] {fault}", line_of(at))).collect();
    let rest = Config::default();
    Ok((Config { theme, watch, filters, columns, next_undecided, keymap, template, tokenizer, ..rest }, faults))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(values: &[(&str, &str)]) -> Environment {
        Environment::of(|name| values.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn colours_follow_what_the_terminal_says() {
        let colors = |values| environment(values).colors;
        assert_eq!(colors(&[]), Colors::Sixteen);
        assert_eq!(colors(&[("TERM", "xterm-256color")]), Colors::Indexed);
        assert_eq!(colors(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")]), Colors::True);
        assert_eq!(colors(&[("TERM", "xterm-direct")]), Colors::True);
        assert_eq!(colors(&[("TERM", "linux"), ("COLORTERM", "yes")]), Colors::Sixteen);
    }

    #[test]
    fn empty_variables_are_not_set() {
        assert!(!environment(&[("NO_COLOR", "")]).no_color);
        assert!(environment(&[("NO_COLOR", "0")]).no_color);
        assert_eq!(environment(&[("VISUAL", " "), ("EDITOR", "vi")]).editor.as_deref(), Some("vi"));
        assert_eq!(environment(&[("VISUAL", "hx"), ("EDITOR", "vi")]).editor.as_deref(), Some("hx"));
        assert!(!environment(&[("RUST_BACKTRACE", "0")]).backtrace);
        assert!(!environment(&[("OBELUS_PANIC", "0")]).panics);
    }

    fn message_of(text: &[u8]) -> String {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("config.toml"), text).unwrap();
        let config = Config::of(folder.path());
        assert_eq!(config.theme, None);
        assert_eq!(config.problems.len(), 1, "{config:?}");
        config.problems[0].to_string()
    }

    #[test]
    fn a_broken_configuration_is_named_and_ignored() {
        let near = message_of(b"\ncolour = 1\nthme = \"dark\"\n");
        let expected = "config.toml: line 2: unknown field `colour`, expected one of `theme`, `template`, `tokenizer`, \
                    `next_undecided`, `watch`, `filters`, `columns`, `keys`";
        assert!(near.contains(expected), "{near}");
        for (text, expected) in [
            ("[watch]\nnotice = \"bel\"", "`bel` is not a notice; there are: off, bell, osc9"),
            ("[watch]\nnotise = \"bell\"", "did you mean `notice`?"),
            ("[watch.act]\npaths = []", "line 1: [watch] has no `act` of this form; did you mean `acts`?"),
            ("\n[watch.acts]\npaths = [\"†a < \"]", "line 3: `<` wants a JSON value behind it"),
            ("[watch.acts]\npaths = [\n  \"†a\",\n  \"†b < \",\n]", "line 4: `<` wants a JSON value behind it"),
            ("[watch.acts]\npath = []", "line 2: unknown field `path`"),
            ("[watch.acts]\npaths = [\"†a\", 3]", "line 2: invalid type: integer `3`"),
            ("[watch]\nacts = 3", "line 2: invalid type: integer `3`, expected a notice, or a table"),
            (
                "\n[filters]\nlong = \"stepz>3\"",
                "line 3: [filters] long: at character 1: there is no stepz to filter by; did you mean steps?",
            ),
            ("[filters]\nlong = 3", "line 2"),
            ("[filters]\ny = \"@x\"", "line 2: [filters] y: a filter by name cannot be another by name"),
            ("[columns]\nmodel = \".m\"\nsteps = \".s\"", "line 3: [columns]: steps is a column or a term"),
            ("[filters]\na = \"colour:x\"", "there is no colour"),
        ] {
            let message = message_of(text.as_bytes());
            assert!(message.contains(expected), "{text}: {message}");
        }
        let near = message_of(b"# x\nthme = \"dark\"\n");
        assert!(near.contains("line 2") && near.contains("did you mean `theme`?"), "{near}");
        assert!(message_of(b"theme = 1").contains("line 1"));
        assert!(message_of(b"theme = \"").contains("line 1"));
        assert!(message_of(b"\xff").contains("not UTF-8"));
        assert!(message_of(&vec![b'#'; 300_000]).contains("longer than"));
    }

    #[test]
    fn what_is_there_is_read() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Config::of(folder.path()), Config::default());
        let filters = "[filters]\nlong = \"steps>50 model:gpt*\"\n[columns]\nmodel = \".details.model\"\n";
        let text = "[watch]\nnotice = \"osc9\"\n[watch.acts]\npaths = [\"†state.budget<0\"]\n";
        let text = format!("theme = \"light\"\ntemplate = \"qwen\"\nnext_undecided = true\n{text}");
        fs::write(folder.path().join("config.toml"), format!("{text}{filters}")).unwrap();
        fs::create_dir_all(folder.path().join("themes/odd.toml")).unwrap();
        fs::write(folder.path().join("themes/sea.toml"), "text = \"blue\"").unwrap();
        fs::write(folder.path().join("themes/notes.txt"), "x").unwrap();
        let mut config = Config::of(folder.path());
        assert_eq!(config.take_template().map(|template| template.name().to_owned()).as_deref(), Some("qwen"));
        assert_eq!(config.theme.as_deref(), Some("light"));
        assert!(config.next_undecided && !Config::default().next_undecided);
        assert_eq!(config.watch.notice, NoticeBy::Osc9);
        assert_eq!(config.filters, [("long".to_owned(), "steps>50 model:gpt*".to_owned())]);
        assert_eq!(config.columns, [("model".to_owned(), ".details.model".to_owned())]);
        assert_eq!(config.watch.of("acts"), [Expected::parse("†state.budget < 0").unwrap()]);
        assert!(config.watch.of("adp").is_empty());
        assert_eq!(config.themes, [("sea".to_owned(), "text = \"blue\"".to_owned())]);
        assert_eq!(config.problems.len(), 1, "a folder is not a theme");
        fs::write(folder.path().join("config.toml"), "template = \"own.jinja\"").unwrap();
        let mut config = Config::of(folder.path());
        assert!(config.take_template().is_none());
        assert!(config.problems[1].to_string().contains("own.jinja is not a template known"), "{:?}", config.problems);
    }

    #[test]
    fn any_damage_leaves_the_start_alone() {
        let text = b"theme = \"dark\"\n";
        let folder = tempfile::tempdir().unwrap();
        for at in 0..text.len() {
            for flip in [0x01, 0x20, 0x80, 0xff] {
                let mut bytes = text.to_vec();
                bytes[at] ^= flip;
                fs::write(folder.path().join("config.toml"), &bytes).unwrap();
                let config = Config::of(folder.path());
                assert!(config.problems.len() <= 1);
            }
            fs::write(folder.path().join("config.toml"), &text[..at]).unwrap();
            assert!(Config::of(folder.path()).problems.len() <= 1);
        }
    }
}
