//! Findings that are known: a file of them silences as many of the same.
//!
//! A finding is known by its rule, its path and the content of its record, not by file, line or number: a record that
//! moved stays silenced, one that changed is reported again.

use crate::json::{self, Value, quote};
use crate::model::{Finding, Problem};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Hexadecimal digits of a digest in the file.
const DIGITS: usize = 32;

/// The findings of a baseline that were not met yet.
#[derive(Debug, Default)]
pub struct Baseline {
    known: HashMap<String, usize>,
}

impl Baseline {
    /// Reads the lines that [`line()`] made.
    ///
    /// # Errors
    /// A line is none of these.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let mut known = HashMap::new();
        for (number, written) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let value = json::parse(written).ok();
            let found = value.as_ref().and_then(|value| {
                let rule = value.get("rule")?.as_str()?;
                Some(entry(rule, value.get("path").and_then(Value::as_str), value.get("content")?.as_str()?))
            });
            let Some(found) = found else {
                let message = format!("line {} of the baseline is no known finding", number + 1);
                return Err(Problem::usage(message).hint("write it again with --write-baseline"));
            };
            *known.entry(found).or_default() += 1;
        }
        Ok(Self { known })
    }

    /// Whether a finding is known; each line of the file answers yes once.
    pub fn takes(&mut self, finding: &Finding, content: &str) -> bool {
        let left = self.known.get_mut(&entry(finding.rule, finding.path.as_deref(), content));
        left.filter(|left| **left > 0).map(|left| *left -= 1).is_some()
    }
}

/// A finding as a line of a baseline; `content` is the [`digest`] of its record.
#[must_use]
pub fn line(finding: &Finding, content: &str) -> String {
    entry(finding.rule, finding.path.as_deref(), content)
}

fn entry(rule: &str, path: Option<&str>, content: &str) -> String {
    let path = path.map_or_else(|| "null".to_owned(), quote);
    format!("{{\"obelus\":1,\"rule\":{},\"path\":{path},\"content\":{}}}", quote(rule), quote(content))
}

/// What stands for the content of a record.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(DIGITS);
    for byte in Sha256::digest(bytes).iter().take(DIGITS / 2) {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Remark, Severity};
    use std::sync::Arc;

    #[test]
    fn a_line_silences_one_finding_wherever_it_stands() {
        let path = Some("/a\n\"b".into());
        let found = |record: usize, rule, path: &Option<Arc<str>>| {
            let message = record.to_string().into();
            Finding::new(record, None, Remark { path: path.clone(), rule, severity: Severity::Info, message })
        };
        let content = digest(b"{}");
        let text = [line(&found(0, "adp.empty", &path), &content), line(&found(0, "adp.shape", &None), &content)];
        let mut baseline = Baseline::parse(&text.join("\n\n")).unwrap();
        assert!(!baseline.takes(&found(7, "adp.empty", &path), &digest(b"{ }")));
        assert!(!baseline.takes(&found(7, "adp.empty", &None), &content));
        assert!(baseline.takes(&found(7, "adp.empty", &path), &content));
        assert!(!baseline.takes(&found(8, "adp.empty", &path), &content), "a second one is new");
        assert!(baseline.takes(&found(9, "adp.shape", &None), &content));
        for bad in ["x", "{}", "{\"rule\":\"a\"}", "{\"rule\":1,\"content\":\"\"}"] {
            assert!(Baseline::parse(bad).is_err(), "{bad}");
        }
    }
}
