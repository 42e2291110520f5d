//! From a run into another file of it, a sub-agent's, and back (`FORMATS.md` 0.4).

use super::initial_position::Start;
use super::{App, Effect, Effects};
use crate::model::{PartRole, PartState, RunPart, StepNo};
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
    /// The part that was open before the way back.
    left: Option<PathBuf>,
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
    File(FilePart),
    Sentence(String),
}

/// A file to open: the one after that which was left, where a step refers to several.
struct FilePart {
    role: PartRole,
    path: PathBuf,
    /// Its place among those of the step, from 1, and how many there are.
    place: (usize, usize),
}

impl App {
    /// Opens the file that the step in focus, or the result of its call, refers to.
    pub(super) fn open_part(&mut self, effects: &mut Effects) {
        let target = self.session.open().and_then(|open| self.part_of_focus(&open));
        match target {
            None => self.notify("this step refers to no other file"),
            Some(PartTarget::Sentence(sentence)) => self.notify(sentence),
            Some(PartTarget::File(FilePart { path, .. })) => {
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
    pub(super) fn part_hint(&self, open: &Open<'_>) -> Option<String> {
        Some(match self.part_of_focus(open)? {
            PartTarget::Sentence(sentence) => sentence,
            PartTarget::File(FilePart { role, path, place }) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let of_all = if place.1 > 1 { format!(", {} of {}", place.0, place.1) } else { String::new() };
                format!("P opens {}{of_all}: {name}", role.name())
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
        self.trail.left.clone_from(&self.session.path);
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

    /// What the step in focus, or the call that it answers, refers to.
    fn part_of_focus(&self, open: &Open<'_>) -> Option<PartTarget> {
        let (run, focus) = (open.run(), open.step());
        let of_step = |step| run.parts().iter().enumerate().filter(move |(_, part)| part.step == Some(step));
        let answers = || run.parts().iter().filter_map(|part| part.step).find(|of| run.answers(*of) == Some(focus));
        let step = if of_step(focus).next().is_some() { focus } else { answers()? };
        let found = |(index, part)| (part, run.part_states().get(index));
        let files: Vec<_> = of_step(step).map(found).filter_map(file_of).collect();
        let Some(count) = std::num::NonZero::new(files.len()) else {
            return of_step(step).map(found).next().map(|(part, state)| PartTarget::Sentence(sentence(part, state)));
        };
        let left = self.trail.left.as_deref();
        let after = files.iter().position(|(_, path)| Some(*path) == left).map_or(0, |at| (at + 1) % count);
        let (role, path) = *files.get(after)?;
        Some(PartTarget::File(FilePart { role, path: path.to_owned(), place: (after + 1, count.get()) }))
    }
}

/// The file of a part that can be opened.
fn file_of<'r>((part, found): (&RunPart, Option<&'r PartState>)) -> Option<(PartRole, &'r Path)> {
    match found {
        Some(PartState::Found { path, .. }) if part.role != PartRole::Output => Some((part.role, path)),
        _ => None,
    }
}

/// A part that cannot be opened, in words.
fn sentence(part: &RunPart, found: Option<&PartState>) -> String {
    match found {
        Some(PartState::Found { .. }) => format!("the text of this result is that of {}", part.file),
        Some(PartState::Missing) => format!("{} is not there: {}", part.role.name(), part.file),
        None => format!("{} is looked for: {}", part.role.name(), part.file),
    }
}
