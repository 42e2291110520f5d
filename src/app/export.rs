//! Exporting the records of the table: a line for the name of the file, and above it the command that does the same.
//!
//! The command is what is run, so the file is what `obelus export` writes.

use super::prompt::Prompt;
use super::{App, Effect, Effects, Job, Layer, Notice};
use crate::panes::open_command::quoted;
use crate::review::{Filter, Verdict};
use crate::text::counted;
use std::path::Path;

/// What is exported, and where to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportRequest {
    /// Arguments of `obelus export` but for the name of the file: what is read, what is chosen.
    pub arguments: Vec<String>,
    /// The file to write, as it was typed.
    pub out: String,
    /// Whether it may take the place of another.
    pub is_forced: bool,
}

/// What came of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExportOutcome {
    /// There is such a file, and nobody was asked whether it may go.
    Exists,
    /// What the command says, and whether it failed.
    Ended(bool, String),
}

/// The line in which the name of the file is typed, or the question whether to write over it.
#[derive(Debug)]
pub struct ExportLine {
    /// What was typed.
    pub prompt: Prompt,
    /// What is exported.
    arguments: Vec<String>,
    /// Records that are shown and were not dropped.
    count: usize,
    /// Those of them that are not marked good, where others are.
    undecided: usize,
    /// Those of them in which the rules of datasets found what looks like a secret.
    secret: usize,
    /// Whether one key answers if the file may be written over.
    is_question: bool,
}

impl ExportRequest {
    /// The command for a shell.
    #[must_use]
    pub fn command(&self) -> String {
        let mut out = "obelus export".to_owned();
        for word in &self.arguments {
            out.push(' ');
            out.push_str(&quoted(word));
        }
        // In quotes a shell would not read the sign of the home folder.
        let name = self.out.strip_prefix("~/").map_or_else(|| quoted(&self.out), |rest| format!("~/{}", quoted(rest)));
        out.push_str(" --out ");
        out + &name + if self.is_forced { " --force" } else { "" }
    }
}

impl ExportLine {
    /// What precedes what is typed.
    #[must_use]
    pub fn label(&self) -> String {
        if self.is_question {
            return " this file exists: overwrite it? y: yes · any other key: no ".to_owned();
        }
        let how = if self.is_redacted() { " redacted" } else { "" };
        format!(" export {}{how} to ", counted(self.count, "record"))
    }

    fn is_redacted(&self) -> bool {
        self.arguments.iter().any(|word| word == REDACT)
    }

    /// What is to be known of secrets in what is exported, and whether it warns; actions are named in braces.
    #[must_use]
    pub fn note(&self) -> (bool, String) {
        let holds = if self.secret == 1 { "record holds" } else { "records hold" };
        let (warns, secrets) = match (self.is_redacted(), self.secret) {
            (true, _) => (false, "secrets and personal data become [REDACTED:KIND]; {redact} leaves them".to_owned()),
            (false, 0) => (false, "{redact} replaces secrets and personal data".to_owned()),
            (false, n) => (true, format!("{n} {holds} what looks like a secret: {{redact}} replaces such texts")),
        };
        match self.undecided {
            0 => (warns, secrets),
            n => (true, format!("{n} of them not marked good: {{filter}} mark:good leaves these out · {secrets}")),
        }
    }

    /// Whether one key answers.
    #[must_use]
    pub fn is_question(&self) -> bool {
        self.is_question
    }

    /// What Enter does.
    #[must_use]
    pub fn request(&self) -> ExportRequest {
        let out = self.prompt.text().trim().to_owned();
        ExportRequest { arguments: self.arguments.clone(), out, is_forced: self.is_question }
    }
}

/// The option that replaces secrets, and the rule that finds them.
const REDACT: &str = "--redact";
const SECRET: &str = "data.secret";

/// What is done with a selection, which is not exported.
const SELECTION: &str = "a selection is not exported: {good} {bad} decide on it, or {filter} filters; {cancel} ends it";

impl App {
    /// Opens the line in which the name of the file is typed, unless there is nothing to export.
    pub(super) fn ask_export(&mut self) {
        if self.table.anchor.is_some() {
            return self.notify(self.hint(SELECTION));
        }
        let Some(path) = self.session.path.clone() else {
            return self.notify("the input is not a file: save it to one, and open that");
        };
        let records = (0..self.table.count(&self.session)).filter_map(|row| self.table.record_at(row));
        let review = &self.session.review;
        let (mut count, mut dropped, mut good, mut secret) = (0, 0, 0, 0);
        let data = self.session.data.as_deref();
        for record in records {
            match review.verdict(record) {
                Some(Verdict::Bad) => {
                    dropped += 1;
                    continue;
                }
                verdict => good += usize::from(verdict == Some(Verdict::Good)),
            }
            count += 1;
            let found = data.map_or(&[][..], |data| data.of(record));
            secret += usize::from(found.iter().any(|finding| finding.rule == SECRET));
        }
        if count == 0 {
            return self.notify("no record is left to export: all that are shown were dropped");
        }
        let is_all_known = review.marks().is_empty() || review.units().len() >= self.session.records.count();
        let mut prompt = Prompt::default();
        prompt.insert(&proposed_name(&path));
        let arguments = self.export_arguments(&path, dropped > 0 || !is_all_known);
        let undecided = if good > 0 { count - good } else { 0 };
        let line = ExportLine { prompt, arguments, count, undecided, secret, is_question: false };
        self.layer = Some(Layer::Export(line));
    }

    /// In that line: replaces secrets and personal data in what is written, or leaves them.
    pub(super) fn toggle_redacted(&mut self) {
        let Some(Layer::Export(line)) = &mut self.layer else { return };
        if line.is_question {
            return;
        }
        if line.is_redacted() {
            line.arguments.retain(|word| word != REDACT);
        } else {
            line.arguments.push(REDACT.to_owned());
        }
    }

    fn export_arguments(&self, path: &Path, is_not_bad: bool) -> Vec<String> {
        let name = path.to_string_lossy();
        // A name that begins with a dash would be an option.
        let name = if name.starts_with('-') { format!("./{name}") } else { name.into_owned() };
        let mut out = vec![name];
        out.extend(self.input_options.iter().cloned());
        let filter = &self.table.filter;
        if *filter != Filter::default() {
            out.extend(["--where".to_owned(), filter.to_string()]);
            for name in filter.custom_columns() {
                let expression = self.table.custom_column(name).map(|column| column.expression.to_string());
                out.extend(
                    expression.into_iter().flat_map(|text| ["--column".into(), format!("{}={text}", name.as_str())]),
                );
            }
        }
        if is_not_bad {
            out.extend(["--not-mark".to_owned(), "bad".to_owned()]);
        }
        out
    }

    /// Enter in that line, or a yes.
    pub(super) fn submit_export(&mut self, effects: &mut Effects) {
        let Some(Layer::Export(line)) = &self.layer else { return };
        let request = line.request();
        if request.out.is_empty() {
            return self.notify("type the name of a file, as kept.jsonl");
        }
        if self.session.review.unsaved > 0 {
            return self.notify("the last decisions are not saved yet, and an export reads the saved ones: try again");
        }
        self.layer = None;
        self.notify(format!("writing {} …", request.out));
        effects.push(Effect::Job(Job::Export(request)));
    }

    /// Takes what came of an export. Whether a file may be written over is asked unless something else is typed by now.
    pub(super) fn exported(&mut self, request: &ExportRequest, outcome: ExportOutcome) {
        match outcome {
            ExportOutcome::Ended(is_error, text) => self.notice = Some(Notice { is_error, text }),
            ExportOutcome::Exists if self.layer.is_none() => {
                let mut prompt = Prompt::default();
                prompt.insert(&request.out);
                let arguments = request.arguments.clone();
                self.notice = None;
                let (count, undecided, secret) = (0, 0, 0);
                let line = ExportLine { prompt, arguments, count, undecided, secret, is_question: true };
                self.layer = Some(Layer::Export(line));
            }
            ExportOutcome::Exists => {
                let text = format!("{} exists, and nothing was written", request.out);
                self.notice = Some(Notice { is_error: true, text });
            }
        }
    }
}

/// The name that is offered: in the folder of the shell, never that of the input.
fn proposed_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_end_matches(".gz").trim_end_matches(".zst");
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, "jsonl"));
    let extension = if matches!(extension, "json" | "parquet") { extension } else { "jsonl" };
    format!("{stem}-kept.{extension}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offered_name_is_another_than_that_of_the_input() {
        for (path, expected) in [
            ("/data/a.jsonl", "a-kept.jsonl"),
            ("a.jsonl.gz", "a-kept.jsonl"),
            ("a.json", "a-kept.json"),
            ("rows.parquet", "rows-kept.parquet"),
            ("logs", "logs-kept.jsonl"),
            ("a.db", "a-kept.jsonl"),
        ] {
            assert_eq!(proposed_name(Path::new(path)), expected);
        }
    }

    #[test]
    fn the_command_is_one_that_a_shell_takes() {
        let arguments = ["it's.jsonl", "--where", "steps>4"].map(str::to_owned).to_vec();
        let request = |out: &str, is_forced| ExportRequest { arguments: arguments.clone(), out: out.into(), is_forced };
        let expected = "obelus export 'it'\\''s.jsonl' --where 'steps>4' --out ~/'a b.jsonl'";
        assert_eq!(request("~/a b.jsonl", false).command(), expected);
        assert!(request("a.jsonl", true).command().ends_with("--out a.jsonl --force"));
    }
}
