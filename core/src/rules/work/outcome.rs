//! W4: whether a call succeeded.

use super::ansi::without_escapes;
use super::call::{Action, Class};
use super::needed;
use super::shell;
use super::tables::{self, At, NO_EXIT, REJECTED, Row};
use super::words::{self, Joint};
use super::wrapping::Body;
use memchr::memrchr_iter;
use std::cell::LazyCell;

/// How a call came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutcomeLevel {
    /// Nothing indicates a failure.
    Ok,
    /// Its text looks like a failure, or its end is not reported.
    Suspect,
    /// It failed.
    Error,
}

impl OutcomeLevel {
    /// The word of `steps --json`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Suspect => "suspect",
            Self::Error => "error",
        }
    }
}

/// The outcome of the results of a step: the worst of several (W12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// How bad.
    pub verdict: OutcomeLevel,
    /// Why: `exit`, `flag`, `traceback` …; None for a plain success.
    pub reason: Option<&'static str>,
    /// Exit status, if it is reported.
    pub exit: Option<i64>,
}

impl Outcome {
    pub(super) fn ok(exit: Option<i64>) -> Self {
        Self { verdict: OutcomeLevel::Ok, reason: None, exit }
    }

    fn of(verdict: OutcomeLevel, reason: &'static str, exit: Option<i64>) -> Self {
        Self { verdict, reason: Some(reason), exit }
    }

    /// Whether it is an error (W4).
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.verdict == OutcomeLevel::Error
    }
}

/// Lines of the end that `tail` looks at.
const TAIL_LINES: usize = 12;
/// The same for `error-line`.
const ERROR_LINES: usize = 4;

/// What Codex answers where it takes a patch out of a shell command and cannot apply it: no shell ran.
const REFUSED_PATCH: &str = "apply_patch verification failed: ";

/// W4: the outcome of a result: its body, the format's own flag, and what was called (None: a result of no known call).
pub(super) fn outcome(body: &Body<'_>, is_error: Option<bool>, action: &Action) -> Outcome {
    let (text, exit) = (body.text.as_ref(), body.exit);
    if body.is_rejected || REJECTED.is_match(text) {
        return Outcome::of(OutcomeLevel::Error, "rejected", exit);
    }
    if is_error == Some(true) {
        return Outcome::of(OutcomeLevel::Error, "flag", exit);
    }
    let class = action.class();
    let command = match action {
        Action::Shell { command, .. } => command.as_str(),
        _ => "",
    };
    match exit {
        Some(-1) => return Outcome::of(OutcomeLevel::Suspect, "no-exit", exit),
        Some(1) if text.trim().is_empty() && may_find_nothing(command) => {
            return Outcome::of(OutcomeLevel::Ok, "no-match", exit);
        }
        Some(code) if code != 0 => return Outcome::of(OutcomeLevel::Error, "exit", exit),
        _ => {}
    }
    let runs = matches!(class, Class::Shell | Class::Code);
    if runs && NO_EXIT.is_match(text) {
        return Outcome::of(OutcomeLevel::Suspect, "no-exit", exit);
    }
    if runs && text.starts_with(REFUSED_PATCH) {
        return Outcome::of(OutcomeLevel::Error, "tool-error", exit);
    }
    let given = CallOutput { class, command, exit, is_error, printers: None };
    by_text(text, given)
}

/// What rows test besides the text.
struct CallOutput<'c> {
    class: Class,
    command: &'c str,
    exit: Option<i64>,
    is_error: Option<bool>,
    /// Whether the command only prints; None until it is determined.
    printers: Option<bool>,
}

impl CallOutput<'_> {
    fn applies(&mut self, row: &Row) -> bool {
        let runs = matches!(self.class, Class::Shell | Class::Code);
        match row.scope {
            "tool" => !runs,
            "edit" => self.class == Class::Edit,
            "shell" => runs,
            "run" => {
                let command = self.command;
                let is_code = self.class == Class::Code;
                runs && !*self.printers.get_or_insert_with(|| !is_code && shell::only_prints(command))
            }
            _ => true,
        }
    }
}

/// W4: the first row of the tables that fits.
fn by_text(text: &str, mut given: CallOutput<'_>) -> Outcome {
    let plain = without_escapes(text);
    let last = LazyCell::new(|| tail(&plain, TAIL_LINES));
    let has_lines = LazyCell::new(|| needed::may_match_line(&plain));
    for row in tables::outcomes() {
        if !given.applies(row) || row.at == At::Line && !*has_lines {
            continue;
        }
        let is_error_line = row.reason == "error-line";
        let place = match row.at {
            At::Start | At::Line => plain.as_ref(),
            At::Tail if is_error_line => tail(&last, ERROR_LINES),
            At::Tail => *last,
        };
        let is_recorded = is_error_line && (given.exit.is_some() || given.is_error.is_some());
        if is_recorded || !row.is_match(place) {
            continue;
        }
        let is_fine = given.exit == Some(0) || given.is_error == Some(false);
        let is_milder = given.class == Class::Shell && is_fine && row.reason != "tool-error";
        let verdict = if row.is_error && !is_milder { OutcomeLevel::Error } else { OutcomeLevel::Suspect };
        if verdict == OutcomeLevel::Suspect && is_excused(given.command) {
            continue;
        }
        return Outcome::of(verdict, row.reason, given.exit);
    }
    Outcome::ok(given.exit)
}

/// The last lines of a text; a final line end ends the last one.
fn tail(text: &str, lines: usize) -> &str {
    let ended = text.strip_suffix('\n').unwrap_or(text);
    let start = memrchr_iter(b'\n', ended.as_bytes()).nth(lines - 1).map_or(0, |at| at + 1);
    &text[start..]
}

/// W4: whether exit status 1 of a command without output means that there was nothing to find.
fn may_find_nothing(command: &str) -> bool {
    let Some(all) = words::split(command) else { return false };
    let Some(last) = all.last() else { return false };
    match last.name() {
        "git" => matches!(shell::git_command(last), Some("grep" | "diff")),
        name => tables::has("no_match", name) || last.prefixes().any(|word| tables::has("no_match", word)),
    }
}

/// W4: whether a command ends in a part that hides its failure, such as `|| true`.
fn is_excused(command: &str) -> bool {
    let Some((_, end)) = command.rsplit_once("||") else { return false };
    if let Some(last) = words::split(command).as_ref().and_then(|all| all.last()) {
        return last.joint == Joint::Or && matches!(last.name(), "true" | ":" | "echo" | "printf");
    }
    let end = end.trim();
    let word = end.split(|c: char| c.is_whitespace() || c == ';').next().unwrap_or("");
    matches!(word, "true" | ":") && end.len() == word.len()
        || matches!(word, "echo" | "printf") && !end.contains(['\n', ';', '|', '&'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::work::wrapping;

    fn of(command: &str, text: &str, flag: Option<bool>) -> String {
        let body = wrapping::of_text(text, true);
        let action = match command {
            "" => Action::Other,
            command => {
                Action::Shell { command: command.to_owned(), cwd: None, is_background: false, is_in_session: false }
            }
        };
        let Outcome { verdict, reason, exit } = outcome(&body, flag, &action);
        let exit = exit.map(|exit| format!(" {exit}")).unwrap_or_default();
        format!("{}{}{exit}", verdict.name(), reason.map(|reason| format!(" {reason}")).unwrap_or_default())
    }

    #[test]
    fn w4_an_outcome_follows_from_command_text_and_flag() {
        let trace = "Traceback (most recent call last):\nValueError: no\n";
        for (command, text, flag, expected) in [
            ("make", "x\n[Command finished with exit code 2]", None, "error exit 2"),
            ("grep a b", "\n[Command finished with exit code 1]", None, "ok no-match 1"),
            ("git diff --quiet", "[Command finished with exit code 1]", None, "ok no-match 1"),
            ("command -v x", "[Command finished with exit code 1]", None, "ok no-match 1"),
            ("sudo x", "[Command finished with exit code 1]", None, "error exit 1"),
            ("git push", "[Command finished with exit code 1]", None, "error exit 1"),
            ("sleep 9", "[The command has no new output after 10 seconds.", None, "suspect no-exit"),
            ("x", "[Command finished with exit code -1]", None, "suspect no-exit -1"),
            ("python t.py", trace, None, "suspect traceback"),
            ("cat run.log | head", trace, None, "ok"),
            ("sed -n 1,2p f", trace, None, "ok"),
            ("sed -i s/a/b/ f", trace, None, "suspect traceback"),
            ("python t.py || true", trace, None, "ok"),
            ("python t.py || echo no", trace, None, "ok"),
            ("python t.py || echo 'a; b' >&2", trace, None, "ok"),
            ("(python t.py) || echo no", trace, None, "ok"),
            ("python t.py || echo no; x", trace, None, "suspect traceback"),
            ("nosuch", "bash: nosuch: command not found", None, "error command-not-found"),
            ("nosuch", "nosuch: not found\n[Command finished with exit code 0]", None, "suspect command-not-found 0"),
            ("nosuch", "\u{1b}[31mbash: nosuch: command not found\u{1b}[0m", Some(false), "suspect command-not-found"),
            ("t", "1 failed, 2 passed", Some(false), "suspect tests-failed"),
            ("t", "0 failed, 2 passed", None, "ok"),
            ("", "Error: no such key", None, "error tool-error"),
            ("", "ok", Some(true), "error flag"),
            ("", "The user doesn't want to proceed with this tool use.", Some(true), "error rejected"),
            ("t", "Error: a\n1\n2\n3", None, "suspect error-line"),
            ("t", "Error: a\n1\n2\n3\n4", None, "ok"),
            ("t", "Error: a", Some(false), "ok"),
        ] {
            assert_eq!(of(command, text, flag), expected, "{command} {text}");
        }
    }
}
