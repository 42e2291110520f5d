//! A folder of tau2-bench, with a file for each simulation beside `results.json`, as lines of them (`FORMATS.md` 8).

use super::ticks;
use crate::format::assembler::Assembler;
use crate::format::rows::{Trouble, one_line};
use crate::json::{self, Value};
use crate::model::{Archive, Contents, Problem, Sink};
use memchr::memmem;
use std::collections::HashSet;

/// How such folders are read.
pub(in crate::format) struct SimulationsFolder;

/// What describes the run, and the folder of its simulations.
const RESULTS: &str = "results.json";
const SIMULATIONS: &str = "simulations/";

/// The most bytes of a file, and simulations that are asked what they are.
const FILE_BYTES_MAX: usize = 256 << 20;
const LOOKED_AT: usize = 3;
/// Names of missing simulations that are reported.
const MISSING_NAMES_MAX: usize = 3;

impl Assembler for SimulationsFolder {
    fn claims(&self, contents: &mut Contents<'_>) -> bool {
        let (Contents::Folder(files) | Contents::Archive(files)) = contents else { return false };
        if !files.names().iter().any(|name| name == RESULTS) {
            return false;
        }
        let is_simulation = |text: Vec<u8>| {
            let text = String::from_utf8(text).ok()?;
            let value = json::parse_lenient(&text).ok()?;
            let is_list = |name: &str| value.get(name).is_some_and(|all| all.as_array().is_some());
            Some(value.get("task_id").is_some() && (is_list("messages") || is_list("ticks")))
        };
        // The first that is whole: a file may be written at this moment.
        let first = simulations(files.names()).into_iter().take(LOOKED_AT);
        let mut flags = first.filter_map(|member| is_simulation(files.read_whole(member, FILE_BYTES_MAX).ok()?));
        flags.next().unwrap_or(false)
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let (Contents::Folder(files) | Contents::Archive(files)) = contents else { return Ok(()) };
        let mut trouble = Trouble::default();
        for member in simulations(files.names()) {
            let Some(text) = trouble.pass(files.read_whole(member, FILE_BYTES_MAX)) else { continue };
            // What is not valid JSON is one bad record.
            let broken = || String::from_utf8_lossy(&text).split_ascii_whitespace().collect::<Vec<_>>().join(" ");
            let line = joined(&text).or_else(|| one_line(&text));
            out(line.unwrap_or_else(broken).as_bytes())?;
            out(b"\n")?;
        }
        trouble.pass(all_are_there(files));
        trouble.end()
    }
}

/// A simulation in which both sides speak at once, with their turns as messages; None: it is another one.
fn joined(text: &[u8]) -> Option<String> {
    memmem::find(text, b"\"ticks\"")?;
    ticks::with_messages(&json::parse_lenient(std::str::from_utf8(text).ok()?).ok()?)
}

/// The files of simulations in the order of their names, as tau2-bench reads them.
fn simulations(names: &[String]) -> Vec<usize> {
    let is_file = |name: &str| name.strip_prefix(SIMULATIONS).is_some_and(|rest| !rest.contains('/'));
    let mut found: Vec<usize> = (0..names.len()).filter(|member| is_file(&names[*member])).collect();
    found.sort_by(|a, b| names[*a].cmp(&names[*b]));
    found
}

/// Whether each simulation of the index that `results.json` may have has a file.
fn all_are_there(files: &mut dyn Archive) -> Result<(), Problem> {
    let Some(member) = files.names().iter().position(|name| name == RESULTS) else { return Ok(()) };
    let text = String::from_utf8(files.read_whole(member, FILE_BYTES_MAX)?).unwrap_or_default();
    let Ok(results) = json::parse_lenient(&text) else { return Ok(()) };
    let index = results.get("simulation_index").and_then(Value::as_array).unwrap_or_default();
    let names: HashSet<&str> = files.names().iter().map(String::as_str).collect();
    let is_missing = |id: &&str| !names.contains(format!("{SIMULATIONS}{id}.json").as_str());
    let missing: Vec<&str> = index.iter().filter_map(|entry| entry.get("id")?.as_str()).filter(is_missing).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let some = missing.iter().take(MISSING_NAMES_MAX).copied().collect::<Vec<_>>().join(", ");
    let (count, all) = (missing.len(), index.len());
    Err(Problem::unreadable(format!("{count} of {all} simulations have no file in simulations: {some}")))
}
