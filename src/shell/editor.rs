//! The user's editor, opened at a line of the input.

use super::config::Environment;
use super::terminal::Screen;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How an editor is given the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineForm {
    /// `+12 file`.
    Plus,
    /// `file:12`.
    Colon,
    /// `--goto file:12`.
    Goto,
    /// Not known: the file alone.
    None,
}

/// The editors that take a line, by the name of their program.
const EDITORS: &[(&str, LineForm)] = &[
    ("vi", LineForm::Plus),
    ("vim", LineForm::Plus),
    ("nvim", LineForm::Plus),
    ("view", LineForm::Plus),
    ("nano", LineForm::Plus),
    ("emacs", LineForm::Plus),
    ("emacsclient", LineForm::Plus),
    ("kak", LineForm::Plus),
    ("micro", LineForm::Plus),
    ("less", LineForm::Plus),
    ("hx", LineForm::Colon),
    ("helix", LineForm::Colon),
    ("subl", LineForm::Colon),
    ("zed", LineForm::Colon),
    ("code", LineForm::Goto),
    ("codium", LineForm::Goto),
];

/// Opens `file` at `line` (from 1) in the user's editor and waits for its end. Draw again after it.
///
/// # Errors
/// A sentence for the user: no editor is set, it does not start, it ended badly.
pub fn open(screen: &Screen, environment: &Environment, file: &Path, line: u64) -> Result<(), String> {
    let setting = environment.editor.as_deref().unwrap_or_default();
    let words = command_line(setting, file, line).ok_or("no editor is set; set EDITOR, for example to vim or nano")?;
    let shown = words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let result = screen.lend(|| run(&words)).map_err(|error| error.to_string())?;
    match result {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the editor {shown} ended with {status}")),
        Err(error) => Err(format!("the editor {shown} does not start: {error}")),
    }
}

/// Opens a text in the user's editor, in a file that goes away afterwards.
///
/// # Errors
/// As [`fn@open`]; or the file cannot be written.
pub fn open_text(screen: &Screen, environment: &Environment, text: &str) -> Result<(), String> {
    let suffix = if text.trim_start().starts_with(['{', '[']) { ".json" } else { ".txt" };
    let mut file = tempfile::Builder::new().prefix("obelus-").suffix(suffix).tempfile().map_err(|e| e.to_string())?;
    file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(|error| error.to_string())?;
    open(screen, environment, file.path(), 1)
}

fn run(words: &[OsString]) -> std::io::Result<std::process::ExitStatus> {
    let (program, arguments) = words.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
    // Our own standard input may be a pipe.
    let keys = File::open("/dev/tty").map_or_else(|_| Stdio::inherit(), Stdio::from);
    Command::new(program).args(arguments).stdin(keys).status()
}

/// The words to run, or none if `setting` is empty.
fn command_line(setting: &str, file: &Path, line: u64) -> Option<Vec<OsString>> {
    let mut words: Vec<OsString> = setting.split_whitespace().map(OsString::from).collect();
    let program = PathBuf::from(words.first()?);
    let name = program.file_stem().unwrap_or_default();
    let form = EDITORS.iter().find(|(known, _)| name == *known).map_or(LineForm::None, |(_, form)| *form);
    let file = plain_path(file);
    let with_line = || {
        let mut text = file.clone();
        text.push(format!(":{line}"));
        text
    };
    match form {
        LineForm::Plus => words.extend([OsString::from(format!("+{line}")), file]),
        LineForm::Colon => words.push(with_line()),
        LineForm::Goto => words.extend([OsString::from("--goto"), with_line()]),
        LineForm::None => words.push(file),
    }
    Some(words)
}

/// A path that no program takes for an option: `-x` becomes `./-x`.
fn plain_path(file: &Path) -> OsString {
    let is_option = file.as_os_str().as_encoded_bytes().first().is_some_and(|byte| matches!(byte, b'-' | b'+'));
    if is_option { Path::new(".").join(file).into_os_string() } else { file.as_os_str().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(setting: &str, file: &str, expected: &[&str]) {
        let words = command_line(setting, Path::new(file), 12).unwrap();
        assert_eq!(words, expected, "{setting}");
    }

    #[test]
    fn each_editor_gets_the_line_in_its_own_form() {
        check("vi", "a b.jsonl", &["vi", "+12", "a b.jsonl"]);
        check("/usr/bin/nvim -R", "/x.json", &["/usr/bin/nvim", "-R", "+12", "/x.json"]);
        check("emacs -nw", "x", &["emacs", "-nw", "+12", "x"]);
        check("hx", "x", &["hx", "x:12"]);
        check("code --wait", "x", &["code", "--wait", "--goto", "x:12"]);
        check("subl", "x", &["subl", "x:12"]);
        check("ed", "x", &["ed", "x"]);
    }

    #[test]
    fn a_file_is_never_an_option() {
        check("vim", "-x", &["vim", "+12", "./-x"]);
        check("vim", "+x", &["vim", "+12", "./+x"]);
    }

    #[test]
    fn no_editor_is_none() {
        assert_eq!(command_line("", Path::new("x"), 1), None);
        assert_eq!(command_line("  ", Path::new("x"), 1), None);
    }
}
