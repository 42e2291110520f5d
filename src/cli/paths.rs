//! A PATH of the command line: read as it was typed, with a word on what nobody knows.

use super::args::InstanceOption;
use super::complain;
use super::open::Opened;
use crate::format::{TypedPath, ValuePlace, instance_named, instances};
use crate::model::Problem;

/// Exit status for a path at which no value ever was.
pub(super) const UNKNOWN: u8 = 1;

/// A path that was asked for, in a trajectory.
pub(super) struct AskedPath {
    typed: TypedPath,
    /// Where it is known, in the instance that was named or in all of them.
    pub(super) places: Vec<ValuePlace>,
    /// Whether an instance was named.
    pub(super) has_instance: bool,
}

impl AskedPath {
    /// Reads it; says to people if no value ever was there, and at which known path it may have been meant.
    ///
    /// # Errors
    /// It does not parse.
    pub(super) fn read(opened: &Opened, path: &str, beside: &InstanceOption) -> Result<Self, Problem> {
        let run = opened.run.as_ref();
        let typed = TypedPath::read(run, path, beside.instance.as_deref(), opened.step)?;
        let places = typed.places(run.tree());
        if places.is_empty() {
            let problem = typed.unknown(run);
            let is_file = run.work().is_some_and(|work| work.file(path, opened.step).is_some());
            let way = || format!("it is a file that the run knows: `obelus blame FILE --file {path}` prints its lines");
            complain(&(if is_file { problem.hint(way()) } else { problem }).to_string());
        }
        Ok(Self { has_instance: typed.instance.is_some(), typed, places })
    }

    /// The path for `--json`: in the notation of the format, if it was typed otherwise.
    pub(super) fn path(&self) -> &str {
        &self.typed.path
    }

    /// The instance for `--json`.
    pub(super) fn instance(&self) -> Option<&str> {
        self.typed.instance.as_deref()
    }

    /// Whether nothing ever was there.
    pub(super) fn is_unknown(&self) -> bool {
        self.places.is_empty()
    }

    /// The exit status of an answer. A program that asks with a path in the notation of the format is answered whatever
    /// the run knows: the list of what is there is empty, which is no failure.
    pub(super) fn status(&self, is_json: bool) -> u8 {
        if self.is_unknown() && !(is_json && self.typed.is_exact) { UNKNOWN } else { 0 }
    }
}

/// A reference for people, with its instance where there is one to name.
pub(super) fn with_instance(reference: &str, instance: Option<&str>) -> String {
    instance.map_or_else(|| reference.to_owned(), |instance| format!("{reference} {instance}"))
}

/// The exit status of the screen, and a word on the path that ended it.
pub(super) fn end_of_screen(unknown: Option<Problem>) -> u8 {
    let Some(problem) = unknown else { return 0 };
    complain(&problem.to_string());
    UNKNOWN
}

impl Opened {
    /// The instance that was named, as the run calls it: `2` for `②` where no step has an instance `2`.
    pub(super) fn instance(&self, asked: &InstanceOption) -> Option<String> {
        let asked = asked.instance.as_deref()?;
        Some(instance_named(asked, instances(self.run.tree())).unwrap_or(asked).to_owned())
    }
}
