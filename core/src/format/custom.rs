//! Custom formats: files in TOML say where steps are, what their members mean and which of them are state.
//!
//! [`CustomFormat::parse`] reads such a file, `adapter` reads records by it as the log of any agent is read, so that
//! state, outcomes, conversation, findings and tables follow; [`draft`] writes one for records of an unknown shape.

mod adapter;
mod definition;
mod draft;
mod path;
mod read;
#[cfg(test)]
mod tests;

use super::log::LogRun;
use super::run_survey::RunSurvey;
use super::{Format, Framing, Layout, Match, Near, Purpose, Run, Survey};
use crate::json::Value;
use crate::model::Problem;
use definition::{Definition, RecordsAre};
pub use draft::draft;
use path::Scope;
use std::sync::Arc;

/// A format that a file defines.
pub struct CustomFormat {
    definition: Arc<Definition>,
    /// Strings with the lifetime of the program, as [`Format`] requires: a file is read once.
    name: &'static str,
    title: &'static str,
    about: &'static str,
    file: &'static str,
}

impl CustomFormat {
    /// Reads the text of a format file; `file` is its name.
    ///
    /// # Errors
    /// What is wrong with it, by its line, and what to do.
    pub fn parse(file: &str, text: &str) -> Result<Self, Problem> {
        let definition = read::read(file, text)?;
        #[expect(
            clippy::disallowed_methods,
            reason = "names of formats live as long as the process, and there are few"
        )]
        let keep = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
        let name = keep(definition.name.get_ref());
        let title = definition.title.as_deref().map_or(name, keep);
        let about = match &definition.about {
            Some(about) => keep(about),
            None => keep(&format!("Defined in {file}.")),
        };
        Ok(Self { name, title, about, file: keep(file), definition: Arc::new(definition) })
    }

    fn signature(&self) -> String {
        let signature = self.definition.signature.get_ref();
        let paths = signature.has.iter().chain(signature.when.keys()).map(|path| format!("`{path}`"));
        paths.collect::<Vec<_>>().join(", ")
    }
}

impl Format for CustomFormat {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn file(&self) -> Option<&'static str> {
        Some(self.file)
    }

    /// At least half of the first records match the signature.
    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        let is_it = |record: &&Value<'_>| {
            let scope = Scope { record, item: record };
            self.definition.signature.get_ref().fits(scope)
        };
        let n = first.iter().filter(is_it).count();
        let reason = || format!("{n} of {} records have {}, as {} says", first.len(), self.signature(), self.file);
        (n > 0 && n * 2 >= first.len()).then(|| Match { reason: reason() })
    }

    fn near(&self, first: &[Value<'_>]) -> Option<Near> {
        let signature = self.definition.signature.get_ref();
        let count = |record: &Value<'_>| {
            let scope = Scope { record, item: record };
            let there = signature.has.iter().chain(signature.when.keys()).filter(|path| path.first(scope).is_some());
            there.count()
        };
        let n = first.iter().map(count).max()?;
        (n > 1).then(|| Near::of(n, signature.len(), "members of its records"))
    }

    fn framing(&self) -> Framing {
        Framing::Elements
    }

    fn layout(&self) -> Layout {
        match self.definition.records.are {
            RecordsAre::Steps => Layout::Run,
            RecordsAre::Trajectories => Layout::Set,
        }
    }

    fn has_conversations(&self) -> bool {
        false
    }

    fn survey(&self, purpose: Purpose) -> Option<Box<dyn Survey>> {
        let definition = Arc::clone(&self.definition);
        let run = move || run(&definition);
        (self.layout() == Layout::Set).then(|| RunSurvey::of(purpose, self.name(), run)).flatten()
    }

    fn run(&self) -> Box<dyn Run> {
        run(&self.definition)
    }

    fn samples(&self) -> &'static [&'static str] {
        &[]
    }
}

fn run(definition: &Arc<Definition>) -> Box<dyn Run> {
    Box::new(LogRun::new(adapter::Records(Arc::clone(definition))))
}
