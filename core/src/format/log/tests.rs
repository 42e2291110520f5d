//! What tests of adapters share: a text read whole, and texts that are damaged in every place.

use crate::format::{Format, Run};
use crate::framing::Framer;
use crate::json;
use crate::model::{RecordIndex, Step, StepNo};

/// What a run says of a text.
pub(in crate::format) struct RunReport {
    pub(in crate::format) kinds: Vec<String>,
    pub(in crate::format) roles: Vec<&'static str>,
    pub(in crate::format) answers: Vec<Option<StepNo>>,
    /// Empty where a step has none.
    pub(in crate::format) tools: Vec<String>,
    pub(in crate::format) summaries: Vec<String>,
    pub(in crate::format) rewards: Vec<Option<String>>,
    pub(in crate::format) errors: Vec<StepNo>,
    pub(in crate::format) title: Option<String>,
    run: Box<dyn Run>,
    bytes: Vec<u8>,
}

impl RunReport {
    /// What the log reports of the run as a whole.
    pub(in crate::format) fn facts(&self) -> crate::model::RunFacts {
        self.run.facts()
    }

    fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        (0..self.run.step_count()).map(|step| self.run.step(step as StepNo, &self.bytes))
    }

    /// Where each step is, in a word.
    pub(in crate::format) fn standings(&self) -> Vec<&'static str> {
        self.steps().map(|step| step.standing.name()).collect()
    }

    /// The trajectory of each step, where it has a name.
    pub(in crate::format) fn trajectories(&self) -> Vec<Option<String>> {
        self.steps().map(|step| step.trajectory).collect()
    }

    /// The step that accounts for the value at a pointer after the last step.
    pub(in crate::format) fn author(&self, pointer: &str) -> Option<StepNo> {
        let last = StepNo::try_from(self.kinds.len()).unwrap() - 1;
        let resolved = self.run.resolve(pointer, last, None, None, &self.bytes);
        let (_, step) = resolved.fields.iter().find(|(name, _)| *name == "wrote")?;
        step.get().parse().ok()
    }

    /// The rules of what was found, in order.
    pub(in crate::format) fn rules(&self) -> Vec<&'static str> {
        self.run.findings().iter().map(|finding| finding.rule).collect()
    }

    /// The steps whose words the model sees at a step.
    pub(in crate::format) fn visible_steps(&self, step: StepNo) -> Vec<StepNo> {
        self.run.context_steps(step).unwrap_or_default()
    }

    /// The value at a pointer after the last step, as JSON text; empty where there is none.
    pub(in crate::format) fn value(&self, pointer: &str) -> String {
        let last = StepNo::try_from(self.kinds.len()).unwrap() - 1;
        let resolved = self.run.resolve(pointer, last, None, None, &self.bytes);
        let value = resolved.fields.iter().find(|(name, _)| *name == "value");
        value.map(|(_, value)| json::compact(&json::parse(value.get()).unwrap())).unwrap_or_default()
    }
}

/// Reads a text with an empty run.
pub(in crate::format) fn report_of(mut run: Box<dyn Run>, format: &dyn Format, text: &str) -> RunReport {
    let bytes = text.as_bytes().to_vec();
    let mut framer = Framer::new(format.framing());
    let mut index = RecordIndex::default();
    loop {
        let piece = &bytes[framer.position() as usize..];
        if !piece.is_empty() {
            framer.feed(piece, &mut index);
        } else if framer.finish(&mut index) {
            break;
        }
    }
    for record in index.iter() {
        let span = record.place.span;
        run.push(&record, &bytes[span.offset as usize..span.end() as usize], &bytes);
    }
    run.finish(&bytes);
    run.catch_up(&bytes);
    let steps: Vec<_> = (0..run.step_count()).map(|step| run.step(step as StepNo, &bytes)).collect();
    RunReport {
        kinds: steps.iter().map(|step| step.kind.clone()).collect(),
        roles: steps.iter().map(|step| step.role.name()).collect(),
        answers: steps.iter().map(|step| step.answers).collect(),
        tools: steps.iter().map(|step| step.tool.clone().unwrap_or_default()).collect(),
        summaries: steps.iter().map(|step| step.summary.clone()).collect(),
        rewards: steps.iter().map(|step| step.reward.clone()).collect(),
        errors: run.error_steps(),
        title: run.title(),
        run,
        bytes,
    }
}

/// Reads texts cut off at every character, and with every value replaced by one of another type: none may panic.
pub(in crate::format) fn damage(format: &dyn Format, texts: &[&str]) {
    for text in texts {
        let cuts = text.char_indices().map(|(at, _)| &text[..at]);
        cuts.for_each(|cut| read(format, cut));
        let documents: Vec<&str> = match json::parse(text) {
            Ok(_) => vec![text],
            Err(_) => text.lines().collect(),
        };
        for (number, document) in documents.iter().enumerate() {
            for damaged in replaced(document) {
                let mut lines = documents.clone();
                lines[number] = &damaged;
                read(format, &lines.join("\n"));
            }
        }
    }
}

fn read(format: &dyn Format, text: &str) {
    let report = report_of(format.run(), format, text);
    let last = StepNo::try_from(report.kinds.len()).unwrap() - 1;
    report.run.state(last, &report.bytes);
    report.run.view(last, &report.bytes);
}

/// A document with one of its values replaced, for each value and each replacement.
fn replaced(document: &str) -> Vec<String> {
    let Ok(value) = json::parse(document) else { return Vec::new() };
    let mut spans = Vec::new();
    collect(&value, &mut spans);
    let replacements = ["7", "\"x\"", "[]", "{}", "null", "[{}]", "true"];
    let texts = spans.iter().flat_map(|(start, len)| {
        replacements.iter().map(move |with| format!("{}{with}{}", &document[..*start], &document[start + len..]))
    });
    texts.collect()
}

fn collect(value: &json::Value<'_>, spans: &mut Vec<(usize, usize)>) {
    spans.push((value.start, value.text.len()));
    for inner in value.as_array().unwrap_or_default() {
        collect(inner, spans);
    }
    for (_, inner) in value.as_object().into_iter().flat_map(|object| object.entries()) {
        collect(inner, spans);
    }
}
