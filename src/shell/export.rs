//! `obelus export` for the screen: this program once more, as a shell would run it.

use crate::app::Msg;
use crate::app::export::{ExportOutcome, ExportRequest};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Status of a command that could not do its work.
const TROUBLE: i32 = 2;

/// Writes the file, unless there is one that may not be written over.
pub(super) fn export(request: ExportRequest) -> Msg {
    let out = without_tilde(&request.out);
    let manifest = PathBuf::from(format!("{}.manifest.json", out.display()));
    let outcome = if !request.is_forced && (out.exists() || manifest.exists()) {
        ExportOutcome::Exists
    } else {
        run(&request, &out)
    };
    Msg::Exported(request, outcome)
}

fn run(request: &ExportRequest, out: &Path) -> ExportOutcome {
    let command = |program: PathBuf| {
        let mut command = Command::new(program);
        command.arg("export").args(&request.arguments).arg("--out").arg(out);
        command.args(request.is_forced.then_some("--force")).stdin(Stdio::null());
        command.output()
    };
    match std::env::current_exe().and_then(command) {
        Ok(ended) => ExportOutcome::Ended(ended.status.code().is_none_or(|code| code >= TROUBLE), report(&ended)),
        Err(error) => ExportOutcome::Ended(true, format!("obelus export cannot be run: {error}")),
    }
}

/// What the command says, on one line.
fn report(ended: &Output) -> String {
    let text = [&ended.stdout, &ended.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = text.lines().map(words).filter(|line| !line.is_empty()).collect();
    let text = lines.join(" · ");
    text.strip_prefix("obelus: ").map_or(text.clone(), str::to_owned)
}

/// The file that a name means which begins with the sign of the home folder.
fn without_tilde(name: &str) -> PathBuf {
    let home = || std::env::var_os("HOME").filter(|home| !home.is_empty());
    match name.strip_prefix("~/").and_then(|rest| Some((home()?, rest))) {
        Some((home, rest)) => Path::new(&home).join(rest),
        None => PathBuf::from(name),
    }
}
