//! The configuration file of a project: `obelus.toml`.

use crate::cli::args::FileName;
use crate::model::Problem;
use crate::source;
use crate::text::{TomlError, line_number};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Looked for in the current folder.
const FILE: &str = "obelus.toml";
/// Longest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 256 << 10;

/// What it says of `obelus check`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct Config {
    /// The file, if there is one.
    file: Option<String>,
    /// Rules and families whose findings are not reported.
    pub(in crate::cli) allow: Vec<String>,
    /// Rules and families whose findings are errors.
    pub(in crate::cli) deny: Vec<String>,
    /// The baseline, as seen from the current folder.
    pub(in crate::cli) baseline: Option<FileName>,
    /// Data types of Scopix to register, each with its schema or the file that holds it.
    pub(in crate::cli) data_types: BTreeMap<String, String>,
    /// Files that define custom formats, as seen from the current folder.
    pub(in crate::cli) format_files: Vec<PathBuf>,
    /// Members of each record by name, each with its expression.
    pub(in crate::cli) maps: BTreeMap<String, String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    check: Section,
    #[serde(default, rename = "data-types")]
    data_types: BTreeMap<String, String>,
    #[serde(default)]
    formats: Formats,
    #[serde(default)]
    map: BTreeMap<String, String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Formats {
    #[serde(default)]
    files: Vec<PathBuf>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    #[serde(default)]
    allow: Vec<String>,
    #[serde(default)]
    deny: Vec<String>,
    baseline: Option<String>,
}

impl Config {
    /// Reads the file that was named, or the one in the current folder if there is one.
    ///
    /// # Errors
    /// It cannot be read, or says what is not understood.
    pub(in crate::cli) fn read(named: Option<&FileName>) -> Result<Self, Problem> {
        let file = named.map_or(Path::new(FILE), FileName::as_ref);
        match source::read_small_text(file, FILE_BYTES_MAX) {
            Ok(text) => Self::of(file, &text),
            Err(e) if named.is_none() && e.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(e) => Err(Problem::unreadable(format!("the configuration {} cannot be read: {e}", file.display()))),
        }
    }

    fn of(file: &Path, text: &str) -> Result<Self, Problem> {
        let name = file.to_string_lossy();
        let written: Written = toml::from_str(text).map_err(|error| at_fault(&name, text, &error))?;
        let Written { check, data_types, formats, map: maps } = written;
        let folder = file.parent().unwrap_or(Path::new(""));
        let baseline = check.baseline.map(|name| FileName::from(folder.join(name)));
        let format_files = formats.files.iter().map(|file| folder.join(file)).collect();
        let file = Some(name.into_owned());
        Ok(Self { file, allow: check.allow, deny: check.deny, baseline, data_types, format_files, maps })
    }

    /// The folder of the file, from which it names others.
    pub(in crate::cli) fn folder(&self) -> &Path {
        self.file.as_deref().and_then(|file| Path::new(file).parent()).unwrap_or(Path::new(""))
    }

    /// A problem with what the file says.
    pub(in crate::cli) fn at_fault(&self, problem: Problem) -> Problem {
        let file = self.file.as_deref().unwrap_or(FILE);
        Problem { message: format!("{file}: {}", problem.message), ..problem }
    }
}

/// What the file says that is not understood: where, and what may be meant.
fn at_fault(file: &str, text: &str, error: &toml::de::Error) -> Problem {
    let TomlError { offset_bytes, message, suggestion } = TomlError::new(text, error);
    let problem = Problem::usage(format!("{file}: line {}: {message}", line_number(text, offset_bytes)));
    suggestion.into_iter().fold(problem, Problem::hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_baseline_stands_beside_the_file() {
        let config =
            Config::of(Path::new("a/b.toml"), "[check]\nallow = [\"adp\"]\nbaseline = \"known.jsonl\"\n").unwrap();
        assert_eq!((config.allow, config.baseline.unwrap().text().as_ref()), (vec!["adp".to_owned()], "a/known.jsonl"));
        assert_eq!(Config::of(Path::new("obelus.toml"), "").unwrap().baseline, None);
    }

    #[test]
    fn unknown_names_are_reported_with_their_line_and_a_near_one() {
        let error_text = |text: &str| Config::of(Path::new("obelus.toml"), text).unwrap_err().to_string();
        let problem = error_text("[check]\nallow = []\ndney = []\n");
        assert!(problem.contains("line 3") && problem.contains("`dney`") && problem.contains("`deny`?"), "{problem}");
        assert!(error_text("[chekc]\n").contains("did you mean `check`?"));
        assert!(error_text("[check]\nallow = 1\n").contains("line 2"));
        assert!(error_text("check = 1").contains("integer `1`, expected a table"), "{}", error_text("check = 1"));
        assert!(!error_text("[filters]\n").contains("did you mean"), "a name of another table was suggested");
    }
}
