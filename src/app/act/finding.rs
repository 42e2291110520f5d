//! Going from finding to finding, and to what one is about.

use crate::app::pane::RevealTarget;
use crate::app::{App, Notice};
use crate::json::Key;
use crate::model::{Finding, Identity, Severity, StepNo};
use crate::panes::{Open, findings};
use crate::text::count_text;

impl App {
    /// Goes to the next or previous finding and says what it is.
    pub(in crate::app) fn finding_by(&mut self, is_forward: bool) {
        if self.is_on_table() {
            return self.record_by("a finding", |faults| faults.findings > 0, is_forward);
        }
        let Some(open) = self.session.open() else { return };
        let (all, found) = (open.findings(), self.inspector.findings.neighbour(&open, is_forward));
        let here = all.get(self.inspector.findings.scroll.cursor).filter(|finding| finding.step == Some(open.step()));
        let others = all.len() - usize::from(here.is_some());
        drop(open);
        match found.and_then(|i| Some((i, all.get(i)?))) {
            Some((i, finding)) => {
                self.inspector.findings.scroll.jump_to(i);
                self.go_to_finding(finding);
                let (sign, place) = (findings::sign(finding.severity), format!("{} of {}", i + 1, all.len()));
                let text = format!("{sign} {} {}  {place}", finding.rule, finding.message);
                self.notice = Some(Notice { is_error: finding.severity == Severity::Error, text });
            }
            None if all.is_empty() => self.notify("no findings in this trajectory"),
            None => self.notify(none_of("finding", others, is_forward)),
        }
    }

    /// Goes to the next or previous step at which the value in focus, or one in it, breaks its schema or is repaired.
    pub(in crate::app) fn violation_by(&mut self, is_forward: bool) {
        let Some(open) = self.session.open() else { return };
        let shown = || Some((self.inspector.schema.identity(&open)?, Vec::new()));
        let in_focus = |(identity, path): &(Identity, Vec<Key>)| Some((open.tree().find(identity)?, path.clone()));
        let target = open.session.focus.path.as_ref().map_or_else(shown, in_focus);
        let location = target.and_then(|(id, path)| {
            let (step, turned) = open.session.checks.turn(id, &path, open.step(), is_forward)?;
            let first = turned.first()?;
            let is_repaired = first.repaired_at() == Some(step);
            let sign = if is_repaired { "repaired:" } else { "✗" };
            let reference = open.run().reference(open.tree().identity(id), &first.violation.path);
            let more = if turned.len() > 1 { format!("; and {} more", turned.len() - 1) } else { String::new() };
            Some((step, !is_repaired, format!("{sign} {reference}  {}{more}", first.violation.message)))
        });
        drop(open);
        let Some((step, is_error, text)) = location else {
            let which = if is_forward { "later" } else { "earlier" };
            return self.notify(format!("no {which} step breaks the schema of the value in focus, or repairs it"));
        };
        self.jump_with_focus(step);
        self.notice = Some(Notice { is_error, text });
    }

    /// Goes to the step of a finding, and to the value that it names.
    pub(in crate::app) fn go_to_finding(&mut self, finding: &Finding) {
        let Some(step) = finding.step else { return };
        self.jump_to(step);
        let Some(path) = finding.path.as_deref() else { return };
        if path.starts_with('/') {
            self.want(RevealTarget::Pointer(path.to_owned()));
        }
        let target = self.session.open().and_then(|open| state_path(&open, path, step));
        if let Some(target) = target {
            self.focus_path(target);
        }
    }
}

/// That there is no later or earlier one of some, and how many there are the other way.
pub(super) fn none_of(word: &str, others: usize, is_forward: bool) -> String {
    let (way, other) = if is_forward { ("later", "earlier") } else { ("earlier", "later") };
    let count = if others > 0 { format!(" · {} {other}", count_text(others)) } else { String::new() };
    format!("no {way} {word}{count}")
}

/// The value of the state that a path of a finding names at a step: of several instances the one that the step wrote.
fn state_path(open: &Open<'_>, path: &str, step: StepNo) -> Option<(Identity, Vec<Key>)> {
    let found = open.run().locate(path, step).ok()?;
    let written: Vec<_> = open.tree().events(step).into_iter().map(|event| event.identity).collect();
    let stands = |(id, keys): &&(_, Vec<Key>)| open.tree().node(*id, keys).is_some();
    let there: Vec<_> = found.iter().filter(stands).collect();
    let (id, keys) = there.iter().find(|(id, _)| written.contains(id)).or(there.first())?;
    Some((open.tree().identity(*id).clone(), keys.clone()))
}
