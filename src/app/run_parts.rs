//! From a run into another file of it, a sub-agent's, and back (`FORMATS.md` 0.4).

use super::initial_position::Start;
use super::{App, Effect, Effects};
use crate::model::{PartRole, PartState, StepNo};
use crate::panes::Open;
use std::path::{Path, PathBuf};

/// A file that was left for one of its parts.
#[derive(Debug, Clone)]
pub(super) struct Crumb {
    path: PathBuf,
    name: String,
    step: StepNo,
}

/// The files that lead to the open one, the first at the beginning; and where the file that is being opened goes.
#[derive(Debug, Default)]
pub(super) struct Trail {
    crumbs: Vec<Crumb>,
    /// The open file's name without those that lead to it.
    file_name: Option<String>,
    next: Option<Next>,
}

/// What the file that is being opened is.
#[derive(Debug)]
enum Next {
    /// A part of the open one.
    Part(PathBuf, Crumb),
    /// The one that the open one is a part of.
    Parent(PathBuf, StepNo),
}

/// What a step refers to.
enum PartTarget {
    File(PartRole, PathBuf),
    Sentence(String),
}

impl App {
    /// Opens the file that the step in focus, or the result of its call, refers to.
    pub(super) fn open_part(&mut self, effects: &mut Effects) {
        let target = self.session.open().and_then(|open| part_of_focus(&open));
        match target {
            None => self.notify("this step refers to no other file"),
            Some(PartTarget::Sentence(sentence)) => self.notify(sentence),
            Some(PartTarget::File(_, path)) => {
                let Some(here) = self.session.path.clone() else { return };
                let name = self.trail.file_name.clone().unwrap_or_else(|| self.session.name.clone());
                let crumb = Crumb { path: here, name, step: self.session.focus.step };
                self.trail.next = Some(Next::Part(path.clone(), crumb));
                self.notify(self.hint("opening; {close} comes back"));
                effects.push(Effect::OpenFile(path));
            }
        }
    }

    /// What the step in focus refers to, and which key opens it.
    pub(super) fn part_hint(open: &Open<'_>) -> Option<String> {
        Some(match part_of_focus(open)? {
            PartTarget::Sentence(sentence) => sentence,
            PartTarget::File(role, path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                format!("P opens {}: {name}", role.name())
            }
        })
    }

    /// How to go back to the file that the open one is a part of.
    pub(super) fn way_back(&self) -> Option<String> {
        let name = self.trail.crumbs.last()?.path.file_name()?.to_string_lossy();
        Some(format!("q goes back to {name}"))
    }

    /// Goes back to the file that the open one is a part of; false if it is not one.
    pub(super) fn leave_part(&mut self, effects: &mut Effects) -> bool {
        let Some(crumb) = self.trail.crumbs.last() else { return false };
        self.trail.next = Some(Next::Parent(crumb.path.clone(), crumb.step));
        effects.push(Effect::OpenFile(crumb.path.clone()));
        true
    }

    /// The file that was asked for cannot be opened.
    pub(super) fn forget_target(&mut self) {
        self.trail.next = None;
    }

    /// A file was opened: the trail that leads to it. Another file than was asked for begins a new one.
    pub(super) fn follow_trail(&mut self, path: &Path, mut trail: Trail) {
        match trail.next.take() {
            Some(Next::Part(wanted, crumb)) if wanted == path => trail.crumbs.push(crumb),
            Some(Next::Parent(wanted, step)) if wanted == path => {
                trail.crumbs.pop();
                self.start = Some(Start { step: Some(step), ..Start::default() });
            }
            _ => trail.crumbs.clear(),
        }
        let name = self.session.name.clone();
        let names = trail.crumbs.iter().map(|crumb| crumb.name.as_str()).chain([name.as_str()]);
        self.session.name = names.collect::<Vec<_>>().join(" › ");
        trail.file_name = Some(name);
        self.trail = trail;
    }
}

/// What the step in focus, or the call that it answers, refers to.
fn part_of_focus(open: &Open<'_>) -> Option<PartTarget> {
    let (run, step) = (open.run(), open.step());
    let answers = || run.parts().iter().filter_map(|part| part.step).find(|of| run.answers(*of) == Some(step));
    let (part, found) = run.part_of(step).or_else(|| run.part_of(answers()?))?;
    Some(match found {
        Some(PartState::Found { .. }) if part.role == PartRole::Output => {
            PartTarget::Sentence(format!("the text of this result is that of {}", part.file))
        }
        Some(PartState::Found { path, .. }) => PartTarget::File(part.role, path.clone()),
        Some(PartState::Missing) => PartTarget::Sentence(format!("{} is not there: {}", part.role.name(), part.file)),
        None => PartTarget::Sentence(format!("{} is looked for: {}", part.role.name(), part.file)),
    })
}
