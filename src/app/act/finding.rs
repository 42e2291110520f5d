//! Going from finding to finding, and to what one is about.

use crate::app::inspector::Wanted;
use crate::app::keys::Tab;
use crate::app::{App, Notice, Pane};
use crate::json::Key;
use crate::model::{Finding, Identity, Severity, StepNo};
use crate::panes::{Open, findings};

impl App {
    /// Goes to the next or previous finding and says what it is.
    pub(super) fn finding_by(&mut self, is_forward: bool) {
        let Some(open) = self.session.open() else { return };
        let (all, found) = (open.findings(), self.inspector.findings.neighbour(&open, is_forward));
        drop(open);
        match found.and_then(|i| Some((i, all.get(i)?))) {
            Some((i, finding)) => {
                self.inspector.findings.scroll.jump_to(i);
                self.go_to_finding(finding);
                let (sign, place) = (findings::sign(finding.severity), format!("{} of {}", i + 1, all.len()));
                let text = format!("{sign} {} {}  {place}", finding.rule, finding.message);
                self.notice = Some(Notice { is_error: finding.severity == Severity::Error, text });
            }
            None => self.tell(if is_forward { "no later finding" } else { "no earlier finding" }),
        }
    }

    /// Enter in the list: the step, the value of the state that the finding names, or the place in the message.
    pub(super) fn follow_finding(&mut self) {
        let Some(finding) = self.session.open().and_then(|open| self.inspector.findings.chosen(&open)) else { return };
        self.go_to_finding(&finding);
        let is_pointer = finding.path.as_deref().is_some_and(|path| path.starts_with('/'));
        match finding.step {
            None => self.tell("the finding is about the whole record; R shows it"),
            Some(_) if is_pointer => {
                self.inspector.tab = Tab::Message;
                self.inspector.is_raw = false;
                self.pane = Pane::Inspector;
            }
            Some(_) => {}
        }
    }

    /// Enter in State on what the schema has and the data lacks: to its place in the schema; false: it is data.
    pub(super) fn follow_missing(&mut self) -> bool {
        let Self { session, state, columns, .. } = self;
        let open = session.open().filter(|_| !columns.is_on);
        let Some(node) = open.and_then(|open| state.missing_node(&open)) else { return false };
        self.remember();
        self.show_tab(Tab::Schema);
        self.settle_schema();
        let cells = self.pane_extent(Pane::Inspector).width;
        self.inspector.schema.view.show_node(node as usize, cells);
        self.tell("the data has no value here: this is what the schema says; Backspace returns");
        true
    }

    /// Enter on a key of the schema: to the value that breaks it, of several the next; false: nothing breaks it.
    pub(super) fn follow_broken_key(&mut self, cells: usize) -> bool {
        let found = self.session.open().and_then(|open| self.inspector.schema.value(&open, cells));
        let Some((target, at, count)) = found else { return false };
        self.focus_path(target);
        // So that coming back finds the cursor here.
        self.remember();
        self.pane = Pane::State;
        if count > 1 {
            self.tell(format!("{} of {count} values that break this; Backspace and Enter go to the next", at + 1));
        }
        true
    }

    /// Goes to the next or previous step at which the value in focus, or one in it, breaks its schema or is repaired.
    pub(super) fn violation_by(&mut self, is_forward: bool) {
        let Some(open) = self.session.open() else { return };
        let shown = || Some((self.inspector.schema.identity(&open)?, Vec::new()));
        let in_focus = |(identity, path): &(Identity, Vec<Key>)| Some((open.tree().find(identity)?, path.clone()));
        let target = open.session.focus.path.as_ref().map_or_else(shown, in_focus);
        let told = target.and_then(|(id, path)| {
            let (step, turned) = open.session.checks.turn(id, &path, open.step(), is_forward)?;
            let first = turned.first()?;
            let is_repaired = first.repaired_at() == Some(step);
            let sign = if is_repaired { "repaired:" } else { "✗" };
            let reference = open.run().reference(open.tree().identity(id), &first.violation.path);
            let more = if turned.len() > 1 { format!("; and {} more", turned.len() - 1) } else { String::new() };
            Some((step, !is_repaired, format!("{sign} {reference}  {}{more}", first.violation.message)))
        });
        drop(open);
        let Some((step, is_error, text)) = told else {
            let which = if is_forward { "later" } else { "earlier" };
            return self.tell(format!("no {which} step breaks the schema of the value in focus, or repairs it"));
        };
        self.jump_with_focus(step);
        self.notice = Some(Notice { is_error, text });
    }

    fn go_to_finding(&mut self, finding: &Finding) {
        let Some(step) = finding.step else { return };
        self.jump_to(step);
        let Some(path) = finding.path.as_deref() else { return };
        if path.starts_with('/') {
            self.want(Wanted::Pointer(path.to_owned()));
        }
        let target = self.session.open().and_then(|open| state_path(&open, path, step));
        if let Some(target) = target {
            self.focus_path(target);
        }
    }
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
