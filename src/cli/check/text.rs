//! Findings for people: one line each, as compilers print them, and a line at the end.

use crate::cli::args::FileName;
use crate::cli::out::{Out, Tone, at};
use crate::model::{Finding, LocatedFinding, Severity};
use crate::text::counted;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

/// One finding: where, how bad, what, which rule.
pub(super) fn write_finding(file: &FileName, found: &LocatedFinding, out: &mut Out) -> io::Result<()> {
    let LocatedFinding { finding, place } = found;
    let line = if place.line > 0 { format!("{file}:{}: ", place.line) } else { format!("{file}: ") };
    out.styled(&[
        (Tone::Strong, &line),
        (tone(finding.severity), finding.severity.name()),
        (Tone::Strong, &format!(": {}", finding.message)),
        (Tone::Dim, &format!(" [{}] {}", finding.rule, subject(finding))),
    ])
}

/// Writes a finding that `records` consecutive records have, beginning with the first.
pub(super) fn write_folded(
    file: &FileName,
    (found, in_a_row): (&LocatedFinding, usize),
    records: Option<usize>,
    out: &mut Out,
) -> io::Result<()> {
    let finding = &found.finding;
    let which = match records {
        Some(records) if records == in_a_row => format!("all {records} records"),
        _ => format!("the first {in_a_row} records"),
    };
    out.styled(&[
        (Tone::Strong, &format!("{file}: ")),
        (tone(finding.severity), finding.severity.name()),
        (Tone::Strong, &format!(": {which}: {}", finding.message)),
        (Tone::Dim, &format!(" [{}] first {}", finding.rule, subject(finding))),
    ])
}

/// How often a rule was reported of texts in which it was found before.
pub(super) fn write_again(
    file: &FileName,
    (rule, (severity, times)): (&str, (Severity, usize)),
    out: &mut Out,
) -> io::Result<()> {
    let what = if times == 1 {
        ": 1 more text is one in which this was found above".to_owned()
    } else {
        format!(": {times} more texts are ones in which this was found above")
    };
    out.styled(&[
        (Tone::Strong, &format!("{file}: ")),
        (tone(severity), severity.name()),
        (Tone::Strong, &what),
        (Tone::Dim, &format!(" [{rule}] --json lists them")),
    ])
}

fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Error => Tone::Error,
        Severity::Warning => Tone::Warning,
        Severity::Info => Tone::Info,
    }
}

/// What a finding is about: record, step, path.
pub(super) fn subject(finding: &Finding) -> String {
    let step = finding.step.map(|step| format!(" {}", at(step)));
    let path = finding.path.as_deref().filter(|path| !path.is_empty()).map(|path| format!(" {path}"));
    format!("record {}{}{}", finding.record, step.unwrap_or_default(), path.unwrap_or_default())
}

/// Findings from which on they are summed up by rule.
const SUMMED_MIN: usize = 10;

/// What was found in all.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// Files that were read.
    pub(super) files: usize,
    /// Files of these that no format fits.
    pub(super) unknown: usize,
    /// Findings reported that are errors.
    pub(super) errors: usize,
    warnings: usize,
    infos: usize,
    /// How often each rule was reported.
    rules: BTreeMap<&'static str, usize>,
    /// Findings that a baseline knows.
    pub(super) known: usize,
    /// Findings of rules that are allowed.
    pub(super) allowed: usize,
}

impl Summary {
    /// Counts a finding that is reported.
    pub(super) fn count(&mut self, finding: &Finding) {
        *self.rules.entry(finding.rule).or_default() += 1;
        match finding.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => self.infos += 1,
        }
    }

    /// Of many findings how often each rule was reported, and the line at the end.
    pub(super) fn write_summary(&self, out: &mut Out) -> io::Result<()> {
        if self.rules.values().sum::<usize>() >= SUMMED_MIN {
            let mut rules: Vec<(&str, usize)> = self.rules.iter().map(|(rule, n)| (*rule, *n)).collect();
            rules.sort_by_key(|(_, n)| Reverse(*n));
            let width = rules.first().map_or(0, |(_, most)| most.to_string().len());
            rules.iter().try_for_each(|(rule, n)| out.line(&format!("{n:>width$} {rule}")))?;
        }
        let counts = [
            (Tone::Error, self.errors, "error", "s"),
            (Tone::Warning, self.warnings, "warning", "s"),
            (Tone::Info, self.infos, "info", ""),
        ];
        let shown: Vec<(Tone, String)> = counts
            .into_iter()
            .filter(|(_, n, ..)| *n > 0)
            .map(|(tone, n, word, plural)| (tone, format!("{n} {word}{}", if n == 1 { "" } else { plural })))
            .collect();
        let mut pieces: Vec<(Tone, &str)> = Vec::new();
        for (tone, text) in &shown {
            if !pieces.is_empty() {
                pieces.push((Tone::Plain, ", "));
            }
            pieces.push((*tone, text));
        }
        if shown.is_empty() {
            pieces.push((Tone::Good, "no findings"));
        }
        let rest = self.rest();
        pieces.push((Tone::Plain, &rest));
        out.styled(&pieces)
    }

    /// The files, and the findings that are not reported.
    fn rest(&self) -> String {
        let mut out = format!(" in {}", counted(self.files, "file"));
        for (n, word) in [(self.known, "known"), (self.allowed, "allowed")] {
            if n > 0 {
                out.push_str(&format!(", {n} {word}"));
            }
        }
        if self.unknown > 0 {
            let which = if self.files == 1 { "which" } else { &format!("{} of which", self.unknown) };
            out.push_str(&format!(", {which} no format fits (`obelus formats FILE` says more)"));
        }
        out
    }

    /// The line at the end where findings were written to a baseline.
    pub(super) fn write_baseline_summary(&self, file: &FileName, out: &mut Out) -> io::Result<()> {
        let n = self.errors + self.warnings + self.infos;
        let count_label = counted(n, "finding");
        out.line(&format!("{count_label} written to {file}; --baseline {file} leaves them out"))
    }
}
