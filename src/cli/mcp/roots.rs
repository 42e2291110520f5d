//! The folders whose files the tools may read.

use crate::cli::args::FileName;
use crate::model::Problem;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders, without links and `..` in their paths.
#[derive(Debug)]
pub(super) struct Roots(Vec<PathBuf>);

impl Roots {
    /// The folders that were named; without one the current folder.
    ///
    /// # Errors
    /// One of them is not a folder, or cannot be reached.
    pub(super) fn of(named: &[FileName]) -> Result<Self, Problem> {
        let named: Vec<PathBuf> = match named {
            [] => vec![PathBuf::from(".")],
            named => named.iter().map(|name| name.clone().into()).collect(),
        };
        let root = |path: &PathBuf| {
            let found = fs::canonicalize(path).map_err(|e| Problem::unreadable(format!("{}: {e}", path.display())))?;
            if found.is_dir() {
                return Ok(found);
            }
            let problem = Problem::usage(format!("{} is not a folder", path.display()));
            Err(problem.hint("`obelus mcp` takes the folders whose files its tools may read"))
        };
        Ok(Self(named.iter().map(root).collect::<Result<_, _>>()?))
    }

    /// The file that a tool was asked about, if it lies in one of the folders. A relative path begins at the first of
    /// them that has it.
    ///
    /// # Errors
    /// There is no such file, or it lies elsewhere, also through a link.
    pub(super) fn file(&self, asked: &str) -> Result<PathBuf, String> {
        let candidates: Vec<PathBuf> = self.0.iter().map(|root| root.join(asked)).collect();
        let found = candidates.iter().find_map(|path| fs::canonicalize(path).ok());
        let Some(found) = found else {
            return Err(format!("{asked}: no such file in {}", self.describe()));
        };
        if self.0.iter().any(|root| found.starts_with(root)) {
            return Ok(found);
        }
        Err(format!("{asked} is not in {}; `obelus mcp DIR` names the folders that may be read", self.describe()))
    }

    /// The folders, for people.
    pub(super) fn describe(&self) -> String {
        self.0.iter().map(|root| Path::display(root).to_string()).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_in_the_folders_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
        for path in [&inside, &outside] {
            fs::create_dir(path).unwrap();
            fs::write(path.join("a.jsonl"), "{}").unwrap();
        }
        let roots = Roots::of(&[FileName::from(inside.clone())]).unwrap();
        assert!(roots.file("a.jsonl").unwrap().ends_with("in/a.jsonl"));
        assert!(roots.file(inside.join("a.jsonl").to_str().unwrap()).is_ok());
        for asked in ["../out/a.jsonl", outside.join("a.jsonl").to_str().unwrap(), "/etc/hostname", ".."] {
            assert!(roots.file(asked).unwrap_err().contains("is not in"), "{asked}");
        }
        assert!(roots.file("b.jsonl").unwrap_err().contains("no such file"));
        assert!(Roots::of(&[FileName::from(inside.join("a.jsonl"))]).is_err());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outside.join("a.jsonl"), inside.join("link.jsonl")).unwrap();
            assert!(roots.file("link.jsonl").unwrap_err().contains("is not in"));
        }
    }
}
