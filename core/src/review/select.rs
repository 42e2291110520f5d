//! Which records an export takes, and why it leaves the others.

use super::mark_event::{ContentKey, Verdict};
use crate::model::Problem;

/// What is known of a record when it is judged.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'r> {
    /// Number of its input, from 0.
    pub source: usize,
    /// Its number there, from 0.
    pub record: usize,
    /// Its content.
    pub key: ContentKey,
    /// The decision on it.
    pub verdict: Option<Verdict>,
    /// Whether a rule found an error or a warning in it; None where nobody looked.
    pub has_findings: Option<bool>,
    /// Its bytes.
    pub text: &'r [u8],
}

/// A further condition on records.
pub trait Predicate {
    /// Whether it holds.
    ///
    /// # Errors
    /// The question does not fit the record; nothing is exported then.
    fn holds(&self, record: &Candidate<'_>) -> Result<bool, Problem>;
    /// How it is reported in the manifest, for the records that it takes and after `not` for those that it leaves.
    fn describe(&self) -> String;
}

/// What an export takes.
#[derive(Default)]
pub struct Selection {
    /// Only records with one of these decisions (None: undecided); empty is all.
    pub decisions: Vec<Option<Verdict>>,
    /// No record with one of these decisions.
    pub excluded_decisions: Vec<Option<Verdict>>,
    /// Only records in which no rule found an error or a warning.
    pub only_clean: bool,
    /// Only records of which all of these hold.
    pub predicates: Vec<Box<dyn Predicate>>,
}

/// Whether a record is taken, in a few words that go into the manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judged {
    /// It is.
    Taken(String),
    /// It is not.
    Left(String),
}

/// The word for a decision or none.
#[must_use]
pub fn verdict_name(verdict: Option<Verdict>) -> &'static str {
    verdict.map_or("undecided", Verdict::name)
}

impl Selection {
    /// Judges a record. What is not valid JSON is never taken: a file of records that cannot be read trains nobody.
    ///
    /// # Errors
    /// A predicate does not fit it.
    pub fn judge(&self, record: &Candidate<'_>) -> Result<Judged, Problem> {
        let name = verdict_name(record.verdict);
        if serde_json::from_slice::<serde::de::IgnoredAny>(record.text).is_err() {
            return Ok(Judged::Left("no JSON".to_owned()));
        }
        let is_wanted = self.decisions.is_empty() || self.decisions.contains(&record.verdict);
        if !is_wanted || self.excluded_decisions.contains(&record.verdict) {
            return Ok(Judged::Left(name.to_owned()));
        }
        if self.only_clean && record.has_findings != Some(false) {
            return Ok(Judged::Left("findings".to_owned()));
        }
        let mut reasons = vec![name.to_owned()];
        for predicate in &self.predicates {
            if !predicate.holds(record)? {
                return Ok(Judged::Left(format!("not {}", predicate.describe())));
            }
            reasons.push(predicate.describe());
        }
        Ok(Judged::Taken(reasons.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Long(usize);

    impl Predicate for Long {
        fn holds(&self, record: &Candidate<'_>) -> Result<bool, Problem> {
            Ok(record.text.len() >= self.0)
        }

        fn describe(&self) -> String {
            format!("at least {} bytes", self.0)
        }
    }

    #[test]
    fn each_condition_leaves_something_out() {
        let judge = |selection: &Selection, verdict, has_findings, text: &str| {
            let key = ContentKey::of(text.as_bytes());
            let text = text.as_bytes();
            selection.judge(&Candidate { source: 0, record: 0, key, verdict, has_findings, text }).unwrap()
        };
        let taken = |word: &str| Judged::Taken(word.to_owned());
        let left = |word: &str| Judged::Left(word.to_owned());
        let (good, bad) = (Some(Verdict::Good), Some(Verdict::Bad));
        let all = Selection::default();
        assert_eq!(judge(&all, None, None, "{}"), taken("undecided"));
        assert_eq!(judge(&all, good, None, "{\"a\":"), left("no JSON"));
        assert_eq!(judge(&all, bad, None, &"[".repeat(100_000)), left("no JSON"));
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(judge(&all, bad, None, &deep), taken("bad"));
        let only = Selection { decisions: vec![good, None], ..Selection::default() };
        assert_eq!(
            [good, bad, None].map(|v| judge(&only, v, None, "1")),
            [taken("good"), left("bad"), taken("undecided")]
        );
        let not = Selection { excluded_decisions: vec![bad], only_clean: true, ..Selection::default() };
        assert_eq!(judge(&not, bad, Some(false), "1"), left("bad"));
        assert_eq!(judge(&not, good, Some(true), "1"), left("findings"));
        assert_eq!(judge(&not, good, Some(false), "1"), taken("good"));
        let long = Selection { predicates: vec![Box::new(Long(3))], ..Selection::default() };
        assert_eq!(judge(&long, None, None, "[]"), left("not at least 3 bytes"));
        assert_eq!(judge(&long, None, None, "[1]"), taken("undecided, at least 3 bytes"));
    }
}
