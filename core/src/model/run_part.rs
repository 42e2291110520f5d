//! Files beside the open one that belong to the same run (`FORMATS.md` 0.4).

use super::{Bytes, Finding, Remark, Severity, StepNo};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a part is to its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PartRole {
    /// The run of a sub-agent.
    SubAgent,
    /// What a tool gave back, where it was too long for the record.
    Output,
    /// What the run goes on in.
    Continuation,
    /// What the run goes on from.
    Prefix,
}

impl PartRole {
    /// In words, with its article.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SubAgent => "the run of a sub-agent",
            Self::Output => "the output of a tool",
            Self::Continuation => "the continuation of the run",
            Self::Prefix => "the beginning of the run",
        }
    }
}

/// A file that a record refers to. What the record says of its name is foreign text: it is looked for in the session's
/// own folders and nowhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPart {
    /// What it is.
    pub role: PartRole,
    /// The folder in which the session has such files (`subagents`); empty: beside the open file.
    pub folder: &'static str,
    /// Its name, at any depth of a folder of the session; or a relative path.
    pub file: String,
    /// What its first record says that it is; None: any.
    pub identity: Option<String>,
    /// The record that refers to it.
    pub record: usize,
    /// The step that refers to it.
    pub step: Option<StepNo>,
}

impl RunPart {
    /// 0.4.5: it is not there.
    #[must_use]
    pub fn missing(&self) -> Finding {
        let folder = if self.folder.is_empty() { "the folder of the file" } else { self.folder };
        let message = format!("{} is not there: {:?}, looked for in {folder}", self.role.name(), self.file).into();
        let remark = Remark { path: None, rule: "run.part-missing", severity: Severity::Warning, message };
        Finding::new(self.record, self.step, remark)
    }

    /// 0.4.2: two files are it, and they differ.
    #[must_use]
    pub fn differs(&self, path: &Path, other: &Path) -> Finding {
        let message = format!(
            "{} is in two files that differ: {:?} is read, {:?} is not",
            self.role.name(),
            path.display().to_string(),
            other.display().to_string()
        );
        let message = message.into();
        let remark = Remark { path: None, rule: "run.part-missing", severity: Severity::Warning, message };
        Finding::new(self.record, self.step, remark)
    }
}

/// What was found of a part.
#[derive(Clone)]
pub enum PartState {
    /// It is here.
    Found {
        /// Where.
        path: PathBuf,
        /// Its bytes, and how many there are.
        bytes: Arc<dyn Bytes>,
        /// How many.
        len: u64,
        /// Another file that says that it is the same, and holds something else.
        other: Option<PathBuf>,
    },
    /// There is no such file.
    Missing,
}

impl fmt::Debug for PartState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found { path, len, .. } => write!(f, "{} of {len} bytes", path.display()),
            Self::Missing => f.write_str("missing"),
        }
    }
}
