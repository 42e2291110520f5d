//! Notifications of the file system: hints to look, never trusted (TAIL T19).

use crossbeam_channel::{Receiver, Sender, bounded};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Paths that are remembered between two looks; of more, all are looked at.
const PATHS_MAX: usize = 4096;

/// Hears of changes at a path or below a folder.
pub(super) struct Hints {
    /// Kept so that notifications go on.
    watcher: Option<RecommendedWatcher>,
    hint: Sender<()>,
    heard: Receiver<()>,
    paths: Arc<Mutex<ChangedPaths>>,
}

/// What notifications named since the last look.
#[derive(Debug, Default)]
pub(super) struct ChangedPaths {
    /// Paths of files.
    pub(super) paths: HashSet<PathBuf>,
    /// Whether something may have come, gone or been missed, so that all must be looked at.
    pub(super) is_all: bool,
}

impl std::fmt::Debug for Hints {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Hints that are {}heard", if self.are_heard() { "" } else { "not " })
    }
}

impl Hints {
    /// Hears nothing yet.
    pub(super) fn new() -> Self {
        let (hint, heard) = bounded(1);
        Self { watcher: None, hint, heard, paths: Arc::default() }
    }

    /// Watches the folder of a file (a file that is replaced by a rename is lost to a watch of its own), and the folder
    /// to which a symbolic link leads. To be called again when the path leads elsewhere.
    pub(super) fn watch_file(&mut self, path: &Path) {
        self.watch_files(&[path]);
    }

    /// The same of several files.
    pub(super) fn watch_files(&mut self, paths: &[&Path]) {
        let real = |path: &&Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let all: Vec<PathBuf> = paths.iter().flat_map(|path| [path.to_path_buf(), real(path)]).collect();
        let names: Vec<OsString> = all.iter().filter_map(|p| p.file_name()).map(OsString::from).collect();
        let folders: Vec<PathBuf> = all.iter().map(|path| folder_of(path)).collect();
        let is_ours = move |event: &Event| {
            let is_named = |p: &PathBuf| p.file_name().is_some_and(|n| names.iter().any(|m| m == n));
            event.paths.is_empty() || event.paths.iter().any(is_named)
        };
        self.watch(&folders, RecursiveMode::NonRecursive, is_ours);
    }

    /// Watches all below a folder.
    pub(super) fn watch_folder(&mut self, path: &Path) {
        self.watch(&[path.to_owned()], RecursiveMode::Recursive, |_| true);
    }

    /// Watches all below several folders.
    pub(super) fn watch_folders(&mut self, paths: &[PathBuf]) {
        self.watch(paths, RecursiveMode::Recursive, |_| true);
    }

    /// Whether the file system reports changes.
    pub(super) fn are_heard(&self) -> bool {
        self.watcher.is_some()
    }

    /// Hears of it when a look is worth while.
    pub(super) fn heard(&self) -> &Receiver<()> {
        &self.heard
    }

    /// Hears of everything once more, a little later.
    pub(super) fn hear_again(&self) {
        self.paths.lock().unwrap_or_else(PoisonError::into_inner).is_all = true;
    }

    /// What was named since the last call.
    pub(super) fn take(&self) -> ChangedPaths {
        let _heard = self.heard.try_recv();
        std::mem::take(&mut *self.paths.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn watch(&mut self, folders: &[PathBuf], mode: RecursiveMode, is_ours: impl Fn(&Event) -> bool + Send + 'static) {
        self.watcher = None;
        let (hint, paths) = (self.hint.clone(), Arc::clone(&self.paths));
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            if let Ok(event) = &event
                && (matches!(event.kind, EventKind::Access(_)) || !is_ours(event))
            {
                return;
            }
            paths.lock().unwrap_or_else(PoisonError::into_inner).hear(event.ok());
            let _full = hint.try_send(());
        });
        let Ok(mut watcher) = watcher else { return };
        let mut watched: Vec<PathBuf> = Vec::new();
        for folder in folders {
            let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            if !watched.contains(&real) {
                if watcher.watch(folder, mode).is_err() {
                    return;
                }
                watched.push(real);
            }
        }
        self.watcher = Some(watcher);
    }
}

impl ChangedPaths {
    /// The files below a folder that were named, by their paths below it.
    pub(super) fn below(&self, root: &Path) -> HashSet<&Path> {
        // Notifications name absolute paths.
        let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        self.paths.iter().filter_map(|path| path.strip_prefix(&root).ok()).collect()
    }

    fn hear(&mut self, event: Option<Event>) {
        match event {
            Some(event) if matches!(event.kind, EventKind::Modify(notify::event::ModifyKind::Data(_))) => {
                self.paths.extend(event.paths);
            }
            _ => self.is_all = true,
        }
        self.is_all |= self.paths.len() > PATHS_MAX;
        if self.is_all {
            self.paths.clear();
        }
    }
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_files_below_a_folder_however_it_is_written() {
        let here = std::env::current_dir().unwrap();
        let paths = HashSet::from([here.join("runs/a/b.jsonl"), here.join("other.jsonl")]);
        let heard = ChangedPaths { paths, is_all: false };
        for root in [Path::new("runs"), Path::new("./runs"), &here.join("runs")] {
            assert_eq!(heard.below(root), HashSet::from([Path::new("a/b.jsonl")]), "{}", root.display());
        }
    }
}
