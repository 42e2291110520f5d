//! Rewards of runs that an evaluation wrote into files beside them ([`RewardFile`]).
//!
//! Looked for in the folder of a log and in those above it, the nearest first. A file that says nothing of the run by
//! its name or its place is none of it, and of two that say different things neither counts.

use super::Loaded;
use crate::format::{
    Evaluation, Facts, Layout, RewardFile, begins_as_report, is_reward_file, run_names, run_names_of_text,
};
use crate::model::{Bytes as _, Problem};
use crate::source::{names_in, read_small_text, read_start};
use std::collections::{HashMap, HashSet};
use std::path::{self, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Folders that are looked into: that of the log and those above it.
const FOLDERS_MAX: usize = 6;
/// Of these the nearest, in which files are looked at that only their content distinguishes.
const REPORT_FOLDERS_MAX: usize = 3;
/// Entries of a folder that are looked at, and files of them whose beginning is.
const ENTRIES_MAX: usize = 20_000;
const HEADS_MAX: usize = 2_000;
/// Bytes of such a file, and of the beginning of one.
const FILE_BYTES_MAX: u64 = 16 << 20;
const HEAD_BYTES: u64 = 4 << 10;
/// Bytes of an input that is looked at for whether it has one record.
const ONE_BYTES_MAX: u64 = 64 << 20;
/// Folders in a folder of runs in which the rewards of all of them are.
const BESIDE: [&str; 2] = ["verifier", "results"];
/// Those in which each run has a folder of its name with its report.
const OF_EACH: [&str; 2] = ["logs", "eval_outputs"];
/// What the names of logs end in.
const ENDS: [&str; 10] = ["gz", "zst", "json", "jsonl", "ndjson", "traj", "eval", "db", "sqlite", "parquet"];

/// The files with rewards that were read, by their folders: those of many runs lie in few.
#[derive(Debug, Default)]
pub struct RewardFiles {
    folders: Mutex<HashMap<FolderKey, Arc<Vec<NamedFile>>>>,
    read: Mutex<HashSet<PathBuf>>,
}

/// A folder, and whether files were looked at there that only their content distinguishes.
type FolderKey = (PathBuf, bool);

/// Such a file, and where it is.
#[derive(Debug)]
struct NamedFile {
    path: PathBuf,
    file: RewardFile,
}

/// What is found of a run beside its log.
#[derive(Debug, Clone, Default)]
struct EvaluationFound {
    task: Option<String>,
    reward: Option<f64>,
    /// The file with the reward, or the two that contradict each other.
    from: Vec<PathBuf>,
}

impl RewardFiles {
    /// Whether a file was read as one.
    #[must_use]
    pub fn has(&self, path: &Path) -> bool {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        path::absolute(path).is_ok_and(|path| read.contains(&path))
    }

    /// Whether there is any near a log.
    fn has_any_near(&self, log: &Path) -> bool {
        log.ancestors().skip(1).take(FOLDERS_MAX).enumerate().any(|(above, folder)| {
            let has_any = |folder: &Path, has_reports| !self.folder(folder, has_reports).is_empty();
            has_any(folder, above < REPORT_FOLDERS_MAX)
                || BESIDE.iter().any(|name| has_any(&folder.join(name), false))
                || OF_EACH.iter().any(|name| !names_in(&folder.join(name), 1).is_empty())
        })
    }

    /// What is found of the run of these names, the log of which is at this absolute path; `is_one` where it is the
    /// only one in it.
    fn found(&self, log: &Path, names: &[String], is_one: bool) -> EvaluationFound {
        let mut found = EvaluationFound::default();
        let mut names = names.to_vec();
        if is_one {
            names.extend(stems(log));
        }
        for (above, folder) in log.ancestors().skip(1).take(FOLDERS_MAX).enumerate() {
            if is_one {
                names.extend(folder.file_name().map(|name| name.to_string_lossy().into_owned()));
            }
            self.add_folder(&mut found, (folder, above), log, (&names, is_one));
            if (found.reward.is_some() || !found.from.is_empty()) && found.task.is_some() {
                break;
            }
        }
        found
    }

    /// Takes what files in a folder say, of the reward and of the task those that nearer ones do not.
    fn add_folder(
        &self,
        found: &mut EvaluationFound,
        (folder, above): (&Path, usize),
        log: &Path,
        (names, is_one): (&[String], bool),
    ) {
        let here = self.folder(folder, above < REPORT_FOLDERS_MAX);
        let beside = BESIDE.iter().map(|name| (*name, self.folder(&folder.join(name), false)));
        let beside: Vec<_> = beside.collect();
        let each = OF_EACH.iter().flat_map(|of| names.iter().map(move |name| folder.join(of).join(name)));
        let each: Vec<_> = each.filter(|_| !names.is_empty()).map(|folder| self.folder(&folder, false)).collect();
        let is_alone = || logs_in(folder) == 1;
        let of_here = here.iter().filter(|named| match named.file {
            // A number names no run: it is of the only one beside it.
            RewardFile::Number(_) => is_one && above == 0 && named.path != log && is_alone(),
            RewardFile::Trial(_) => is_one && named.path != log,
            RewardFile::Runs(_) => true,
        });
        let of_beside = beside.iter().flat_map(|(name, files)| files.iter().map(move |file| (*name, file)));
        let of_beside = of_beside.filter(|(name, named)| match named.file {
            RewardFile::Number(_) => is_one && *name == BESIDE[0] && is_of_trial(log, folder),
            RewardFile::Trial(_) => false,
            RewardFile::Runs(_) => true,
        });
        let of_each = each.iter().flat_map(|files| files.iter());
        let of_each = of_each.filter(|named| matches!(named.file, RewardFile::Runs(_)));
        let all = of_here.chain(of_beside.map(|(_, named)| named)).chain(of_each);
        let evaluations: Vec<(Evaluation, &Path)> =
            all.filter_map(|named| Some((named.file.of(names)?, named.path.as_path()))).collect();
        if found.task.is_none() {
            found.task = evaluations.iter().find_map(|(evaluation, _)| evaluation.task.clone());
        }
        if found.from.is_empty() {
            let mut rewards = evaluations.iter().filter_map(|(one, path)| Some((one.reward?, *path)));
            let Some((reward, path)) = rewards.next() else { return };
            found.from = vec![path.to_owned()];
            match rewards.find(|(other, _)| *other != reward) {
                Some((_, other)) => found.from.push(other.to_owned()),
                None => found.reward = Some(reward),
            }
        }
    }

    /// The files of a folder that say something of runs; with those that only their content distinguishes.
    fn folder(&self, folder: &Path, has_reports: bool) -> Arc<Vec<NamedFile>> {
        let key = (folder.to_owned(), has_reports);
        let known = |folders: &HashMap<_, Arc<Vec<NamedFile>>>| folders.get(&key).cloned();
        if let Some(files) = known(&self.folders.lock().unwrap_or_else(PoisonError::into_inner)) {
            return files;
        }
        let files = Arc::new(files_in(folder, has_reports));
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.extend(files.iter().map(|named| named.path.clone()));
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(folders.entry(key).or_insert(files))
    }
}

fn files_in(folder: &Path, has_reports: bool) -> Vec<NamedFile> {
    let may_be = |name: &String| is_reward_file(name) || (has_reports && name.ends_with(".json"));
    let mut names: Vec<String> = names_in(folder, ENTRIES_MAX).into_iter().filter(may_be).collect();
    names.sort();
    let (mut files, mut heads) = (Vec::new(), 0);
    for name in names {
        let path = folder.join(&name);
        if !is_reward_file(&name) {
            heads += 1;
            let is_report =
                || read_start(&path, HEAD_BYTES).is_ok_and(|head| begins_as_report(&String::from_utf8_lossy(&head)));
            if heads > HEADS_MAX || !is_report() {
                continue;
            }
        }
        let text = read_small_text(&path, FILE_BYTES_MAX);
        if let Some(file) = text.ok().and_then(|text| RewardFile::read(&name, &text)) {
            files.push(NamedFile { path, file });
        }
    }
    files
}

/// Whether a log is what the agent of a trial left in the trial's folder.
fn is_of_trial(log: &Path, folder: &Path) -> bool {
    let below = log.strip_prefix(folder).unwrap_or(log);
    let first = below.components().next().map(|first| first.as_os_str().to_string_lossy().into_owned());
    below.components().count() == 1 || first.is_some_and(|first| first.starts_with("agent"))
}

/// How many files of a folder may be logs.
fn logs_in(folder: &Path) -> usize {
    let is_log =
        |name: &&String| !is_reward_file(name) && name.rsplit('.').next().is_some_and(|end| ENDS.contains(&end));
    names_in(folder, ENTRIES_MAX).iter().filter(is_log).count()
}

/// The name of a file without what names of logs end in: `t-1.traj.json` is of `t-1`.
fn stems(log: &Path) -> Vec<String> {
    let whole = log.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut name = whole.as_str();
    while let Some((stem, _)) = name.rsplit_once('.').filter(|(_, end)| ENDS.contains(end)) {
        name = stem;
    }
    vec![name.to_owned()]
}

/// Of which of its runs files beside an input may say something.
#[derive(Debug)]
pub(super) enum Beside {
    /// Of none: there are none.
    Nothing,
    /// Of that of its only record, which has these names.
    Only(Vec<String>),
    /// Of those that they name.
    Named,
}

impl Beside {
    fn of(loaded: &Loaded, log: &Path) -> Result<Self, Problem> {
        if !loaded.rewards.has_any_near(log) {
            return Ok(Self::Nothing);
        }
        let format = loaded.detected.format;
        if format.layout() == Layout::Set && loaded.input.len() <= ONE_BYTES_MAX {
            let records = loaded.records()?;
            if let Some(only) = records.get(0).filter(|_| records.len() == 1) {
                return Ok(Self::Only(run_names_of_text(&loaded.input.read(only.shown())?)));
            }
        }
        // Not every pass over conversations gives their names.
        Ok(if format.has_conversations() { Self::Nothing } else { Self::Named })
    }
}

/// Gives a run of an input the reward and the task that its log does not say, and files beside it do. `is_one`: all
/// records of the input make it.
///
/// # Errors
/// The input can no longer be read.
pub(super) fn join(loaded: &Loaded, facts: &mut Facts, is_one: bool) -> Result<(), Problem> {
    if !facts.lacks_evaluation() {
        return Ok(());
    }
    let Some(found) = found_for(loaded, &|| run_names(&facts.name), is_one)? else { return Ok(()) };
    let from = from_text(loaded, &found);
    facts.evaluate(Evaluation { task: found.task, reward: found.reward }, from);
    Ok(())
}

/// The reward and the task that files beside an input say of the run that one of its records is, by its names.
///
/// # Errors
/// The input can no longer be read.
pub fn evaluation_of(loaded: &Loaded, names: &[String]) -> Result<Evaluation, Problem> {
    let found = found_for(loaded, &|| names.to_vec(), false)?.unwrap_or_default();
    Ok(Evaluation { task: found.task, reward: found.reward })
}

fn found_for(
    loaded: &Loaded,
    names: &dyn Fn() -> Vec<String>,
    is_one: bool,
) -> Result<Option<EvaluationFound>, Problem> {
    if matches!(loaded.beside.get(), Some(Beside::Nothing)) {
        return Ok(None);
    }
    let Some(log) = loaded.input.path().and_then(|path| path::absolute(path).ok()) else { return Ok(None) };
    let beside = match loaded.beside.get() {
        Some(beside) => beside,
        None => {
            let beside = Beside::of(loaded, &log)?;
            loaded.beside.get_or_init(|| beside)
        }
    };
    Ok(match beside {
        Beside::Nothing => None,
        Beside::Only(only) => Some(loaded.rewards.found(&log, only, true)),
        Beside::Named => Some(loaded.rewards.found(&log, &names(), is_one)),
    })
}

/// Where a reward is from, as the log is named: below the folder in which obelus runs, or from the root.
fn from_text(loaded: &Loaded, found: &EvaluationFound) -> Option<String> {
    let is_absolute = loaded.input.path().is_some_and(Path::is_absolute);
    let here = path::absolute(".").ok().filter(|_| !is_absolute);
    let shown = |path: &PathBuf| {
        let below = here.as_ref().and_then(|here| path.strip_prefix(here).ok());
        below.unwrap_or(path).display().to_string()
    };
    match found.from.as_slice() {
        [] => None,
        [from] => Some(shown(from)),
        several => Some(format!("{} differ", several.iter().map(shown).collect::<Vec<_>>().join(" and "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn reward(log: &Path) -> (Option<String>, Option<f64>, usize) {
        let found = RewardFiles::default().found(log, &[], true);
        (found.task, found.reward, found.from.len())
    }

    #[test]
    fn the_nearest_file_that_names_a_run_says_its_reward() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let trial = r#"{"task_name":"t","trial_name":"t__1","verifier_result":{"rewards":{"reward":1.0}}}"#;
        write(at, "job/t__1/result.json", trial);
        write(at, "job/t__1/verifier/reward.txt", "1\n");
        let deep = write(at, "job/t__1/agent/sessions/a/b.jsonl", "");
        assert_eq!(reward(&deep), (Some("t".to_owned()), Some(1.0), 1));
        write(at, "job/t__1/verifier/reward.txt", "0\n");
        assert_eq!(reward(&deep), (Some("t".to_owned()), None, 2), "two that differ");
        write(at, "swe/m.run.json", r#"{"resolved_ids":["x-1"],"unresolved_ids":["x-2"]}"#);
        write(at, "swe/preds.json", r#"{"x-3":{"model_patch":""}}"#);
        let of = |name: &str| reward(&write(at, name, "{}"));
        assert_eq!(of("swe/x-1/x-1.traj.json"), (Some("x-1".to_owned()), Some(1.0), 1));
        assert_eq!(of("swe/x-2/traj.json"), (Some("x-2".to_owned()), Some(0.0), 1));
        assert_eq!(of("swe/x-3/x-3.traj"), (Some("x-3".to_owned()), None, 0));
        assert_eq!(of("swe/other.json"), (None, None, 0));
        write(at, "sub/logs/y-1/report.json", r#"{"y-1":{"resolved":true}}"#);
        assert_eq!(of("sub/trajs/y-1.traj").1, Some(1.0));
        write(at, "one/reward.txt", "0.5");
        assert_eq!(of("one/a.jsonl").1, Some(0.5));
        assert_eq!(of("one/b.jsonl").1, None, "of which of two it is nobody says");
    }

    #[test]
    fn many_runs_of_a_file_are_found_by_their_names_alone() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "report.json", r#"{"a":{"resolved":true},"output":{"resolved":false}}"#);
        write(folder.path(), "reward.txt", "0.5");
        let log = write(folder.path(), "output.jsonl", "");
        let files = RewardFiles::default();
        let reward = |name: &str| files.found(&log, &[name.to_owned()], false).reward;
        assert_eq!((reward("a"), reward("b")), (Some(1.0), None));
        assert!(files.has(&folder.path().join("report.json")) && !files.has(&log));
    }
}
