//! Where the screen begins, when the command line says so.

use super::{App, Notice};
use crate::format::TypedPath;
use crate::model::{Problem, StepNo};
use crate::state::condition::Expected;

/// A step and a value to begin at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Start {
    /// The trajectory, of a dataset; None is the table.
    pub record: Option<usize>,
    /// The step; None is the last, but of a record without a path the first.
    pub step: Option<StepNo>,
    /// A path of the state, as it was typed.
    pub path: Option<String>,
    /// Its instance; None is the global one, else the first that has the path.
    pub instance: Option<String>,
    /// Whether the step is where the screen was before, not one that was asked for: beyond the last one it is the last.
    pub is_carried: bool,
}

impl Start {
    /// Where the recorded run begins: where its story ends, at the last step, on the value that went wrong.
    #[must_use]
    pub fn of_demo() -> Self {
        Self { path: Some("†state.budget".to_owned()), instance: Some("②".to_owned()), ..Self::default() }
    }
}

impl App {
    /// Goes where the screen was asked to begin, as soon as the run reaches so far.
    pub(super) fn begin(&mut self) {
        let Some(start) = self.start.clone() else { return };
        let Some(open) = self.session.open() else { return };
        let is_there = match start.step {
            Some(step) => open.last() >= step || self.session.is_complete,
            None => self.session.is_complete,
        };
        if !is_there {
            return;
        }
        let last = open.last().max(0);
        let step = start.step.unwrap_or(last).clamp(0, last);
        let beyond = start.step.filter(|asked| *asked > last && !start.is_carried);
        let mut problem = beyond.map(|asked| format!("there is no step {asked}; {last} is the last"));
        let read = |path| TypedPath::read(open.run(), path, start.instance.as_deref(), step);
        let path = match start.path.as_deref().map(read) {
            None => None,
            Some(Ok(typed)) => {
                let found = typed.places(open.tree()).into_iter().next();
                if found.is_none() {
                    problem = Some(typed.unknown(open.run()).to_string());
                }
                found.map(|(id, keys)| (open.tree().identity(id).clone(), keys))
            }
            Some(Err(fault)) => {
                problem = Some(fault.to_string());
                None
            }
        };
        drop(open);
        self.start = None;
        self.steps.is_jump = true;
        self.go_to(step);
        if let Some(path) = path {
            self.focus_path(path);
        }
        if let Some(text) = problem {
            self.notice = Some(Notice { is_error: true, text });
        }
    }

    /// What is wrong with a path that was asked for from outside, once the run is read: it does not parse, or no value
    /// ever was there. None while no run is open.
    #[must_use]
    pub fn unknown_path(&self, start: Option<&Start>, watches: &[Expected]) -> Option<Problem> {
        let open = self.session.open()?;
        let begins = start.and_then(|start| Some((start.path.as_deref()?, start.instance.as_deref())));
        let watched = watches.iter().map(|watch| (watch.path.as_str(), watch.instance.as_deref()));
        begins.into_iter().chain(watched).find_map(|(path, instance)| {
            match TypedPath::read(open.run(), path, instance, open.last()) {
                Ok(typed) => typed.places(open.tree()).is_empty().then(|| typed.unknown(open.run())),
                Err(problem) => Some(problem),
            }
        })
    }
}
