//! One record of a dataset, looked at by itself.

use super::questions::Questions;
use super::{LookedSample, Report, Unit, body, calls, endings, targets, texts};
use crate::json::Value;
use crate::model::{LocatedFinding, Record};
use crate::rules::trajectory::{RecordShape, Way, read_text};

impl LookedSample {
    /// Whether it is a sample that could be read.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.body.is_some()
    }

    /// Renumbers the record from an earlier place of the input, `records` records and `lines` lines before.
    pub fn shift(&mut self, records: usize, lines: u64) {
        self.record += records;
        self.place.line += lines;
        self.findings.iter_mut().for_each(|pending| pending.located.shift(records, lines));
    }
}

/// Looks at one record, read in that way, and for questions of another dataset in it. One that cannot be read says
/// nothing; why that is so is said by the rules of its format.
#[must_use]
pub fn look(record: &Record, text: &[u8], unit: Unit, way: Way, questions: Option<&Questions>) -> LookedSample {
    look_at_value(record, (text, read_text(record, text).ok().as_ref()), unit, way, questions)
}

/// The same of a text and its value, if it has one.
#[must_use]
pub fn look_at_value(
    record: &Record,
    (text, value): (&[u8], Option<&Value<'_>>),
    unit: Unit,
    way: Way,
    questions: Option<&Questions>,
) -> LookedSample {
    let looked =
        LookedSample { record: record.number, place: record.place, findings: Vec::new(), body: None, contained: None };
    let Some(root) = value else { return looked };
    let reading = way.with_written_calls().read_record(record, root);
    let (number, place, is_row) = (record.number, record.place, record.is_row);
    let mut report = Report { record: number, place, text, is_row, findings: Vec::new() };
    texts::check(&reading, &mut report);
    let is_sample = unit == Unit::Sample;
    if is_sample && reading.shape != RecordShape::Other {
        calls::check(&reading, &mut report);
        endings::check(&reading, &mut report);
        texts::circles(&reading, &mut report);
        if targets::is_same_pair(&reading) {
            let message = "what was chosen is what was rejected: the pair teaches nothing";
            report.warning(None, String::new(), root, "data.conflicting-label", message);
        }
    }
    let body = is_sample.then(|| body(&reading)).flatten();
    let shared = questions.and_then(|questions| questions.find(&reading)).map(|question| {
        let path = question.step.map_or_else(String::new, |step| reading.path(step));
        (question, path)
    });
    report.findings.sort_by(|a, b| a.located.finding.order().cmp(&b.located.finding.order()));
    let is_same = |a: &LocatedFinding, b: &LocatedFinding| {
        a.finding.order() == b.finding.order() && a.finding.message == b.finding.message
    };
    report.findings.dedup_by(|a, b| is_same(&a.located, &b.located));
    LookedSample { findings: report.findings, body, contained: shared, ..looked }
}
