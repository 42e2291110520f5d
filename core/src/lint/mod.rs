//! What the rules can find, reported for people: one row a rule, with its severity, what it means and two small
//! examples.
//!
//! The findings themselves come from `rules`; this room only knows their ids. Rows feed `obelus explain`, the help in
//! the Findings tab, `docs/lints.md` and the rule metadata of SARIF. A test reads both examples of every row, and holds
//! the ids of the rows equal to those that the rules can say. Ids are never reused.

mod acts;
mod adp;
mod atif;
pub mod baseline;
mod data;
mod log;
mod loss;
mod policy;
mod run;
mod scopix;
mod sft;
mod work;

pub use baseline::Baseline;
pub use policy::{Policy, unknown};

use crate::model::Severity;
use crate::text::suggest;

/// What one rule finds.
#[derive(Debug, PartialEq, Eq)]
pub struct Lint {
    /// Its id, with the prefix of its family.
    pub id: &'static str,
    /// How bad a finding of it is, as in its example.
    pub severity: Severity,
    /// The other severity that it can have; its help says when.
    pub or: Option<Severity>,
    /// What it means, why it matters, what to do: one paragraph.
    pub help: &'static str,
    /// A text in which it is found.
    pub fires: &'static str,
    /// The text mended.
    pub silent: &'static str,
}

impl Lint {
    /// The options of `check` with which its examples are read as they are meant.
    #[must_use]
    pub fn options(&self) -> String {
        let of = self.id.split('.').next().and_then(family);
        let format = of.map_or("auto", |family| family.format);
        let example = self.help.split_once("In the example").and_then(|(_, rest)| rest.split_once("`obelus check "));
        let arguments = example.and_then(|(_, rest)| rest.split('`').next()).or(match of.map(|family| family.name) {
            Some("data") => Some("--data"),
            Some("loss") => Some("--loss chatml"),
            _ => None,
        });
        arguments.map_or_else(|| format!("--format {format}"), |arguments| format!("--format {format} {arguments}"))
    }

    /// The first sentence of its help.
    #[must_use]
    pub fn short(&self) -> &'static str {
        self.help.find(". ").map_or(self.help, |end| &self.help[..=end])
    }
}

/// The rules of one system.
#[derive(Debug)]
pub struct Family {
    /// The prefix of its ids, which also stands for all of them in `--allow` and `--deny`.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The format by which its examples are read.
    pub format: &'static str,
    /// Its rules, in the order of their specification.
    pub lints: &'static [Lint],
}

/// All families.
pub static FAMILIES: &[Family] = &[
    Family { name: "acts", title: "Agent/Data", format: "acts", lints: acts::LINTS },
    Family { name: "scopix", title: "Scopix", format: "scopix", lints: scopix::LINTS },
    Family { name: "adp", title: "Agent Data Protocol", format: "adp", lints: adp::LINTS },
    Family { name: "sft", title: "Conversations for fine-tuning", format: "adp", lints: sft::LINTS },
    Family { name: "atif", title: "ATIF", format: "adp", lints: atif::LINTS },
    Family { name: "work", title: "What a tool-using run did", format: "adp", lints: work::LINTS },
    Family { name: "loss", title: "What trains, in a chat template", format: "adp", lints: loss::LINTS },
    Family { name: "run", title: "Runs of agents", format: "auto", lints: run::LINTS },
    Family { name: "log", title: "Logs of agents", format: "inspect", lints: log::LINTS },
    Family { name: "data", title: "Any JSON, and datasets", format: "generic", lints: data::LINTS },
];

/// All rules, family by family.
pub fn lints() -> impl Iterator<Item = &'static Lint> {
    FAMILIES.iter().flat_map(|family| family.lints)
}

/// The rule of that id.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static Lint> {
    lints().find(|lint| lint.id == id)
}

/// The family of that name.
#[must_use]
pub fn family(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.name == name)
}

/// Whether a word names a rule: by its id, or by the name of its family.
#[must_use]
pub fn names(word: &str, rule: &str) -> bool {
    rule == word || rule.split('.').next() == Some(word)
}

/// Ids and families near an unknown one, the nearest first, at most three. An id may be meant without its prefix.
#[must_use]
pub fn nearest_lints(unknown: &str) -> Vec<&'static str> {
    let bare = |id: &'static str| id.split_once('.').map_or(id, |(_, name)| name);
    let exact: Vec<&'static str> = lints().map(|lint| lint.id).filter(|id| bare(id) == unknown).collect();
    if !exact.is_empty() {
        return exact;
    }
    let names = lints().map(|lint| lint.id).chain(FAMILIES.iter().map(|family| family.name));
    suggest::nearest(unknown, names).into_iter().take(3).collect()
}
