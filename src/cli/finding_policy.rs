//! Which findings count, alike for every command that asks for findings: what `obelus.toml`, `--allow`, `--deny` and
//! `--baseline` say.

use super::args::FileName;
use super::check::baseline::{BaselineFile, Contents};
use super::check::config::Config;
use crate::lint::Policy;
use crate::model::{LocatedFinding, Problem};
use clap::Args;

/// What is said of findings on the command line.
#[derive(Debug, Clone, Args)]
pub(super) struct FindingPolicyOption {
    /// Leave out findings of these rules
    #[arg(long, value_name = "RULE|FAMILY", value_delimiter = ',')]
    allow: Vec<String>,
    /// Treat findings of these rules as errors
    #[arg(long, value_name = "RULE|FAMILY", value_delimiter = ',')]
    deny: Vec<String>,
    /// Leave out findings that are listed in this file
    #[arg(long, value_name = "FILE")]
    baseline: Option<FileName>,
    /// Configuration file [default: obelus.toml in the current folder]
    #[arg(long, value_name = "FILE")]
    config: Option<FileName>,
}

impl FindingPolicyOption {
    /// What counts, by the configuration and then by the options.
    ///
    /// # Errors
    /// A file cannot be read, or a word names no rule.
    pub(super) fn read(&self) -> Result<FindingPolicy, Problem> {
        let (config, policy) = self.rules()?;
        let known = BaselineFile::read(self.baseline.as_ref().or(config.baseline.as_ref()))?;
        Ok(FindingPolicy { policy, known })
    }

    /// The same without a baseline.
    ///
    /// # Errors
    /// As [`FindingPolicyOption::read`].
    pub(super) fn read_rules(&self) -> Result<FindingPolicy, Problem> {
        Ok(FindingPolicy { policy: self.rules()?.1, known: BaselineFile::default() })
    }

    fn rules(&self) -> Result<(Config, Policy), Problem> {
        let config = Config::read(self.config.as_ref())?;
        let mut policy = Policy::default();
        policy.layer(&config.allow, &config.deny).map_err(|problem| config.at_fault(problem))?;
        policy.layer(&self.allow, &self.deny)?;
        Ok((config, policy))
    }
}

/// What counts of the findings of files, in the order in which they are asked.
#[derive(Default)]
pub(super) struct FindingPolicy {
    policy: Policy,
    known: BaselineFile,
}

/// What a policy decides about a finding.
pub(super) enum Ruling {
    /// It counts, with the severity that it has now.
    Counts(LocatedFinding),
    /// Its rule is allowed.
    Allowed,
    /// The baseline knows it.
    Known,
}

/// Rules on tags that some templates take thoughts out of: where one does, these say nothing.
pub(super) const THINK_RULES: [&str; 2] = ["sft.think-token", "adp.think-token"];

impl FindingPolicy {
    /// Which rules are allowed and denied, without what a baseline knows.
    pub(super) fn rules(&self) -> &Policy {
        &self.policy
    }

    /// Leaves out findings of these rules too.
    ///
    /// # Errors
    /// A word names no rule.
    pub(super) fn allow(&mut self, rules: &[&str]) -> Result<(), Problem> {
        let rules: Vec<String> = rules.iter().map(|rule| (*rule).to_owned()).collect();
        self.policy.layer(&rules, &[])
    }

    /// Judges a finding.
    ///
    /// # Errors
    /// The input can no longer be read.
    pub(super) fn judge(&mut self, found: LocatedFinding, contents: &mut Contents<'_>) -> Result<Ruling, Problem> {
        let LocatedFinding { finding, place } = found;
        let Some(finding) = self.policy.judge(finding) else { return Ok(Ruling::Allowed) };
        let found = LocatedFinding { finding, place };
        let is_known = self.known.is_needed() && self.known.takes(&found.finding, contents.of(&found)?);
        Ok(if is_known { Ruling::Known } else { Ruling::Counts(found) })
    }

    /// Of these findings those that count.
    ///
    /// # Errors
    /// The input can no longer be read.
    pub(super) fn counting(
        &mut self,
        found: impl IntoIterator<Item = LocatedFinding>,
        contents: &mut Contents<'_>,
    ) -> Result<Vec<LocatedFinding>, Problem> {
        let rulings = found.into_iter().map(|found| self.judge(found, contents));
        let counting = rulings.filter_map(|ruling| match ruling {
            Ok(Ruling::Counts(found)) => Some(Ok(found)),
            Ok(Ruling::Allowed | Ruling::Known) => None,
            Err(problem) => Some(Err(problem)),
        });
        counting.collect()
    }
}
