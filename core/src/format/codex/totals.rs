//! The running total that counts of tokens give beside those of the last answer, and which counts are copies.

use crate::format::log::{Log, count, text};
use crate::json::Value;
use crate::model::Severity;

/// What both parts of a count report.
const COUNTS: [&str; 2] = ["input_tokens", "output_tokens"];

/// The last total of the file.
#[derive(Debug, Default)]
pub(super) struct Totals {
    last: Option<Box<str>>,
    counts: Option<[u64; 2]>,
    has_finding: bool,
}

impl Totals {
    /// Whether a count reports another answer: one whose total did not grow gives the last one again.
    pub(super) fn is_new(&mut self, total: Option<&Value<'_>>) -> bool {
        let Some(total) = total else { return true };
        let last = self.last.replace(total.text.into());
        last.is_none_or(|last| *last != *total.text)
    }

    /// `FORMATS.md` 3: the total grows by what the answer took; the first difference of a file is a finding. A total
    /// that falls begins again, and the first one may include answers of another file.
    pub(super) fn check(&mut self, info: &Value<'_>, log: &mut Log<'_>) {
        let of = |name: &str| {
            let part = info.get(name)?;
            let [input, output] = COUNTS.map(|key| count(part, key));
            Some([input?, output?])
        };
        let (total, last) = (of("total_token_usage"), of("last_token_usage"));
        // A record may give the limits alone.
        let Some(total) = total else { return };
        let before = self.counts.replace(total);
        let (Some(before), Some(last), false) = (before, last, self.has_finding) else { return };
        let has_fallen = total.iter().zip(before).any(|(now, before)| *now < before);
        let differs = (0..COUNTS.len()).find(|at| before[*at].saturating_add(last[*at]) != total[*at]);
        if let Some(at) = differs.filter(|_| !has_fallen) {
            self.has_finding = true;
            let grown = total[at].saturating_sub(before[at]);
            let message = format!(
                "the total of `{}` grows by {grown}, and the answer reports {}: counts are missing or twice here",
                COUNTS[at], last[at]
            );
            log.finding(None, "log.replay-differs", Severity::Warning, message);
        }
    }
}

/// The first record of a session that copies others: by its number, where records have one, else by its time.
#[derive(Default)]
pub(super) struct Start {
    ordinal: Option<u64>,
    time: Option<Box<str>>,
}

impl Start {
    pub(super) fn of(meta: &Value<'_>) -> Self {
        let is_set = |key: &str| text(meta, key).is_some_and(|id| !id.is_empty());
        let is_sub_agent = meta.get("source").is_some_and(|source| source.get("subagent").is_some());
        let is_copy = is_sub_agent || is_set("forked_from_id") || is_set("parent_thread_id");
        let time = text(meta, "timestamp").filter(|time| is_copy && time.ends_with('Z')).map(Box::from);
        Self { ordinal: count(meta, "subagent_history_start_ordinal"), time }
    }

    /// Whether a record is a copy: what it reports was spent by the other session.
    pub(super) fn is_after(&self, record: &Value<'_>) -> bool {
        if let (Some(start), Some(ordinal)) = (self.ordinal, count(record, "ordinal")) {
            return ordinal < start;
        }
        let time = text(record, "timestamp").filter(|time| time.ends_with('Z'));
        time.zip(self.time.as_deref()).is_some_and(|(time, start)| time < start)
    }
}
