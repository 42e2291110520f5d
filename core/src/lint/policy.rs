//! Which findings count: rules allowed and denied, layer upon layer.

use super::{by_id, family, names, nearest_lints};
use crate::model::{Finding, Problem, Remark, Severity};

/// What somebody said of rules. A later layer wins over an earlier one; in a layer a rule's id wins over its family.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    layers: Vec<Vec<(String, Verdict)>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// It is not reported.
    Allow,
    /// It is an error.
    Deny,
}

impl Policy {
    /// Adds a layer: rules and families whose findings are not reported, and those whose findings are errors.
    ///
    /// # Errors
    /// A word names neither a rule nor a family, or is on both sides.
    pub fn layer(&mut self, allow: &[String], deny: &[String]) -> Result<(), Problem> {
        for word in allow.iter().chain(deny) {
            if by_id(word).is_none() && family(word).is_none() {
                return Err(unknown(word));
            }
        }
        if let Some(word) = allow.iter().find(|word| deny.contains(word)) {
            return Err(Problem::usage(format!("`{word}` is both allowed and denied")));
        }
        let violations =
            |words: &[String], verdict| words.iter().map(move |w| (w.clone(), verdict)).collect::<Vec<_>>();
        self.layers.push([violations(allow, Verdict::Allow), violations(deny, Verdict::Deny)].concat());
        Ok(())
    }

    /// The finding as it counts; None if it is allowed.
    #[must_use]
    pub fn judge(&self, finding: Finding) -> Option<Finding> {
        match self.layers.iter().rev().find_map(|layer| verdict(layer, finding.rule)) {
            None => Some(finding),
            Some(Verdict::Allow) => None,
            Some(Verdict::Deny) => {
                let remark = Remark { severity: Severity::Error, ..finding.remark.as_ref().clone() };
                Some(Finding { remark: remark.into(), ..finding })
            }
        }
    }
}

fn verdict(layer: &[(String, Verdict)], rule: &str) -> Option<Verdict> {
    let exact = layer.iter().find(|(word, _)| word == rule);
    exact.or_else(|| layer.iter().find(|(word, _)| names(word, rule))).map(|(_, verdict)| *verdict)
}

/// What to say of a word that names no rule.
#[must_use]
pub fn unknown(word: &str) -> Problem {
    let problem = Problem::usage(format!("there is no rule `{word}`"));
    match nearest_lints(word).as_slice() {
        [] => problem.hint("`obelus explain` lists them"),
        near => problem.hint(format!("do you mean {}? `obelus explain` lists all", near.join(" or "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: &'static str) -> Finding {
        Finding::new(0, None, Remark { path: None, rule, severity: Severity::Warning, message: "".into() })
    }

    #[test]
    fn the_nearest_word_counts() {
        let words = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let mut policy = Policy::default();
        policy.layer(&words(&["adp"]), &words(&["adp.empty"])).unwrap();
        let severity_of = |policy: &Policy, rule| policy.judge(finding(rule)).map(|f| f.severity);
        assert_eq!(severity_of(&policy, "adp.shape"), None);
        assert_eq!(severity_of(&policy, "adp.empty"), Some(Severity::Error));
        assert_eq!(severity_of(&policy, "sft.empty"), Some(Severity::Warning));
        policy.layer(&words(&["adp.empty"]), &words(&["sft"])).unwrap();
        assert_eq!(
            (severity_of(&policy, "adp.empty"), severity_of(&policy, "sft.empty")),
            (None, Some(Severity::Error))
        );
        assert!(policy.layer(&words(&["adp"]), &words(&["adp"])).is_err());
        let problem = policy.layer(&words(&["adp.shap"]), &[]).unwrap_err().to_string();
        assert!(problem.contains("`adp.shap`") && problem.contains("do you mean adp.shape"), "{problem}");
    }
}
