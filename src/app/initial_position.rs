//! Where the screen begins, when the command line says so.

use super::{App, Notice};
use crate::model::StepNo;

/// A step and a value to begin at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Start {
    /// The step; None is the last.
    pub step: Option<StepNo>,
    /// A path of the state, in the notation of the format.
    pub path: Option<String>,
    /// Its instance; None is the global one, else the first that has the path.
    pub instance: Option<String>,
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
        let beyond = start.step.filter(|asked| *asked > last);
        let mut problem = beyond.map(|asked| format!("there is no step {asked}; {last} is the last"));
        let path = start.path.as_deref().and_then(|path| match open.run().locate(path, step) {
            Ok(found) => {
                let wanted = |instance: Option<&str>| {
                    found.iter().find(|(id, _)| open.tree().identity(*id).instance.as_deref() == instance)
                };
                let chosen = match start.instance.as_deref() {
                    Some(instance) => wanted(Some(instance)),
                    None => wanted(None).or(found.first()),
                };
                if chosen.is_none() {
                    problem = Some(format!("the state has no {path} at step {step}"));
                }
                chosen.map(|(id, path)| (open.tree().identity(*id).clone(), path.clone()))
            }
            Err(p) => {
                problem = Some(p.to_string());
                None
            }
        });
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
}
