//! A run: records become steps, writes and declarations (S1 to S13).

use super::collection::guess;
use super::contract::Declared;
use super::data_types::DataTypes;
use super::finding::{AGENT_FAILED, DUPLICATE_KEY, INVALID_JSON, UNKNOWN_RECORD, severity};
use super::path;
use super::shape::{ScopixShape, is_slot_list, response_nodes, string};
use super::slot::{Meta, Note, SlotEntry, SlotState, Slots};
use crate::json::{Data, Key, Value};
use crate::model::{Finding, HEAD, Place, Record, Remark, Span, StepNo, StepPlace};
use crate::state::{HistoryEvent, IdentityId, Tree};
use crate::text::{shorten, single_line};
use std::sync::Arc;

/// Longest `error` or `summary` that a finding or a row quotes, in characters.
const OUTCOME_CHARS_MAX: usize = 300;

/// One step: what it is and where it is.
#[derive(Debug, Clone, Copy)]
pub struct StepAt {
    /// What it is.
    pub shape: ScopixShape,
    /// Where it is.
    pub place: StepPlace,
}

/// S1: the steps of a file, its slots at every step, and what it declares.
#[derive(Debug, Default)]
pub struct Log {
    steps: Vec<StepAt>,
    pub(super) slots: Slots,
    declared: Declared,
    pub(super) types: Arc<DataTypes>,
    /// Steps that say that an agent or a pipeline failed.
    failed: Vec<StepNo>,
    pub(super) findings: Vec<Finding>,
    /// S7: collections since the last record that is not one.
    collections: usize,
}

impl Log {
    /// An empty run, whose data types are looked up in a registry.
    #[must_use]
    pub fn of_types(types: Arc<DataTypes>) -> Self {
        Self { slots: Slots::of_types(Arc::clone(&types)), types, ..Self::default() }
    }

    /// S1: takes a record of the file: one step, or, if it is an array and no S6 answer, one for each element.
    pub fn push(&mut self, record: &Record, text: &[u8]) {
        let place = record.place;
        let value = match record.json(text) {
            Ok((_, value)) => value,
            Err(reason) => return self.broken(place, &reason),
        };
        match &value.data {
            Data::Array(items) if !is_slot_list(&value) => {
                let (mut line, mut counted) = (place.line, 0);
                for item in items {
                    line += memchr::memchr_iter(b'\n', &text[counted..item.start]).count() as u64;
                    counted = item.start;
                    let place = Place { span: place.span.part(item.start, item.text.len()), line };
                    self.take(item, place, record.place.span.offset);
                }
            }
            _ => self.take(&value, place, place.span.offset),
        }
    }

    fn broken(&mut self, place: Place, reason: &str) {
        let step = self.begin(ScopixShape::Broken, place);
        self.say(step, INVALID_JSON, None, format!("the record is not valid JSON: {reason}"));
    }

    fn begin(&mut self, shape: ScopixShape, place: Place) -> StepNo {
        let step = self.next_step();
        if shape != ScopixShape::FileCollection {
            self.collections = 0;
        }
        let place = StepPlace { record: self.steps.len(), place, record_span: place.span };
        self.steps.push(StepAt { shape, place });
        step
    }

    fn next_step(&self) -> StepNo {
        StepNo::try_from(self.steps.len()).unwrap_or(StepNo::MAX)
    }

    /// S9: takes one step; `base` is the offset of the text that its value was parsed from.
    fn take(&mut self, value: &Value<'_>, place: Place, base: u64) {
        let shape = ScopixShape::of(value).unwrap_or(ScopixShape::Unknown);
        let step = self.begin(shape, place);
        let mut notes: Vec<Note> = Vec::new();
        match shape {
            ScopixShape::SlotList => self.take_list(step, value, base, &mut notes),
            ScopixShape::Context => self.take_context(step, value, base, &mut notes),
            ScopixShape::BareMap => self.slots.take_context(step, value, base, &mut notes),
            ScopixShape::Write => {
                let name = string(value, "slot_name").unwrap_or_default();
                self.slots.write(step, &SlotEntry::of(name, value, value.get("value")), base, &mut notes);
            }
            ScopixShape::AgentResult => self.take_result(step, value, base, &mut notes),
            ScopixShape::Response => self.take_response(step, value, base, &mut notes),
            ScopixShape::Pipeline => self.declared.take_pipeline(step, value),
            ScopixShape::Contract => self.declared.take_contract(step, value),
            ScopixShape::FileCollection => self.take_collection(step, value, base, &mut notes),
            ScopixShape::Unknown | ScopixShape::Broken => {
                self.say(step, UNKNOWN_RECORD, None, "it has none of the shapes of an execution context".to_owned());
            }
        }
        for (rule, slot, message) in notes {
            self.say(step, rule, Some(path::text(&[Key::name(&slot)])), message);
        }
        for path in duplicates(value) {
            let message = "this key occurs twice; the last value counts".to_owned();
            self.say(step, DUPLICATE_KEY, Some(path::text(&path)), message);
        }
    }

    /// S2, S8: a context may declare contracts and steps too.
    fn take_context(&mut self, step: StepNo, value: &Value<'_>, base: u64, notes: &mut Vec<Note>) {
        if super::shape::is_pipeline(value) {
            self.declared.take_pipeline(step, value);
        }
        if let Some(slots) = value.get("slots") {
            self.slots.take_context(step, slots, base, notes);
        }
    }

    /// S6: slots without values.
    fn take_list(&mut self, step: StepNo, value: &Value<'_>, base: u64, notes: &mut Vec<Note>) {
        for item in value.as_array().unwrap_or_default() {
            let entry = SlotEntry {
                name: string(item, "name").unwrap_or_default(),
                value: None,
                data_type: string(item, "type"),
                source: string(item, "source"),
                timestamp: None,
            };
            if !self.slots.lists(&entry) {
                self.slots.write(step, &entry, base, notes);
            }
        }
    }

    /// S5: the outputs of an agent.
    fn take_result(&mut self, step: StepNo, value: &Value<'_>, base: u64, notes: &mut Vec<Note>) {
        let agent = string(value, "agent_name").unwrap_or_default();
        self.take_outputs(step, agent, value, base, notes);
        if value.get("success").and_then(Value::as_bool) == Some(false) {
            self.say_failed(step, None, &format!("the agent {agent}"), value);
        }
    }

    /// S8: the outputs of each node; failed nodes are recognised by their place.
    fn take_response(&mut self, step: StepNo, value: &Value<'_>, base: u64, notes: &mut Vec<Note>) {
        self.declared.take_response(step, value);
        let mut has_failed = false;
        for (i, node) in response_nodes(value).unwrap_or_default().iter().enumerate() {
            let agent = string(node, "agent").unwrap_or_default();
            self.take_outputs(step, agent, node, base, notes);
            if string(node, "status") == Some("failed") {
                has_failed = true;
                self.say_failed(step, Some(format!("nodes[{i}]")), &format!("the agent {agent}"), node);
            }
        }
        if !has_failed && value.get("success").and_then(Value::as_bool) == Some(false) {
            self.say_failed(step, None, "the pipeline", value);
        }
    }

    /// S5, S8: something failed; its `error` and `summary` say why.
    fn say_failed(&mut self, step: StepNo, path: Option<String>, who: &str, value: &Value<'_>) {
        let mut message = format!("{who} failed");
        message.extend(outcome(value, "error").map(|error| format!(": {error}")));
        message.extend(outcome(value, "summary").map(|summary| format!(" (summary: {summary})")));
        self.say(step, AGENT_FAILED, path, message);
        if self.failed.last() != Some(&step) {
            self.failed.push(step);
        }
    }

    /// Steps that say that an agent or a pipeline failed.
    #[must_use]
    pub fn failed(&self) -> &[StepNo] {
        &self.failed
    }

    /// S5: each output is a write; its type is what the agent's contract says, or what it looks like.
    fn take_outputs(&mut self, step: StepNo, agent: &str, value: &Value<'_>, base: u64, notes: &mut Vec<Note>) {
        let Some(outputs) = value.get("outputs").and_then(Value::as_object) else { return };
        for (name, output) in outputs.entries() {
            let declared = self.declared.contract(agent).and_then(|c| c.output(name)).and_then(|o| o.data_type.clone());
            let data_type = declared.as_deref().unwrap_or_else(|| guess(output));
            let entry = SlotEntry {
                name,
                value: Some(output),
                data_type: Some(data_type),
                source: Some(agent),
                timestamp: None,
            };
            self.slots.write(step, &entry, base, notes);
        }
    }

    /// S7: files go to the slot `collection`, those of the next collections of one result to `collection2` and so on.
    /// One result is a row of collections with no other record between them.
    fn take_collection(&mut self, step: StepNo, value: &Value<'_>, base: u64, notes: &mut Vec<Note>) {
        self.collections += 1;
        let name =
            if self.collections == 1 { "collection".to_owned() } else { format!("collection{}", self.collections) };
        let entry = SlotEntry {
            name: &name,
            value: Some(value),
            data_type: Some(super::collection::FILE_IDS),
            source: Some(string(value, "source_capability").unwrap_or("unknown")),
            timestamp: None,
        };
        self.slots.write(step, &entry, base, notes);
    }

    fn say(&mut self, step: StepNo, rule: &'static str, path: Option<String>, message: String) {
        self.findings.push(self.finding(step, rule, path, message));
    }

    /// S29: a finding at a step; its record has the same number (S1).
    pub(super) fn finding(&self, step: StepNo, rule: &'static str, path: Option<String>, message: String) -> Finding {
        let record = usize::try_from(step).unwrap_or_default();
        let (path, message) = (path.map(Into::into), message.into());
        Finding::new(record, Some(step), Remark { path, rule, severity: severity(rule), message })
    }

    /// Why a step's record is not valid JSON.
    #[must_use]
    pub fn fault(&self, step: StepNo) -> Option<&str> {
        let from = self.findings.partition_point(|f| f.step < Some(step));
        self.findings.get(from).filter(|f| f.step == Some(step) && f.rule == INVALID_JSON).map(|f| f.message.as_ref())
    }

    /// The steps so far.
    #[must_use]
    pub fn steps(&self) -> &[StepAt] {
        &self.steps
    }

    /// The last step, or [`HEAD`].
    #[must_use]
    pub fn last(&self) -> StepNo {
        self.next_step().saturating_sub(1).max(HEAD)
    }

    /// The slots' values at every step.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.slots.tree
    }

    /// S13: a slot at a step.
    #[must_use]
    pub fn slot(&self, id: IdentityId, step: StepNo) -> Option<&SlotState> {
        self.slots.at(id, step)
    }

    /// S12: who wrote a slot, of an event at a step.
    #[must_use]
    pub fn attribution(&self, id: IdentityId, step: StepNo) -> Option<&Meta> {
        self.slots.attribution(id, step)
    }

    /// S12: who made the write that an event is of, where its step wrote the slot again later.
    #[must_use]
    pub fn attribution_of(&self, event: &HistoryEvent) -> Option<&Meta> {
        self.slots.attribution_of(event)
    }

    /// S8: what the file declares.
    #[must_use]
    pub fn declared(&self) -> &Declared {
        &self.declared
    }

    /// The slots that a step wrote, in its order.
    pub fn written(&self, step: StepNo) -> impl Iterator<Item = IdentityId> {
        let writes = &self.slots.writes;
        let start = writes.partition_point(|w| w.step < step);
        writes[start..].iter().take_while(move |w| w.step == step).map(|w| w.slot)
    }

    /// The bytes of a step.
    #[must_use]
    pub fn span(&self, step: StepNo) -> Option<Span> {
        usize::try_from(step).ok().and_then(|i| self.steps.get(i)).map(|s| s.place.place.span)
    }
}

/// `error` or `summary` of a result: a string that is not empty, or another value that is not null as JSON; cut.
#[must_use]
pub fn outcome(value: &Value<'_>, key: &str) -> Option<String> {
    let member = value.get(key).filter(|member| !member.is_null())?;
    let text = member.as_str().map_or_else(|| crate::json::compact(member), str::to_owned);
    let text = single_line(&text);
    Some(shorten(&text, OUTCOME_CHARS_MAX).into_owned()).filter(|text| !text.is_empty())
}

/// S29: the path of each key that occurs twice in its object, once; none in a value that a later one replaces (A6).
fn duplicates(value: &Value<'_>) -> Vec<Vec<Key>> {
    let (mut found, mut path) = (Vec::new(), Vec::new());
    if has_duplicates(value) {
        put_duplicates(value, &mut path, &mut found);
    }
    found
}

/// The common case, reported without a path.
fn has_duplicates(value: &Value<'_>) -> bool {
    match &value.data {
        Data::Array(items) => items.iter().any(has_duplicates),
        Data::Object(object) => object.has_duplicates || object.members.iter().any(|m| has_duplicates(&m.value)),
        _ => false,
    }
}

fn put_duplicates(value: &Value<'_>, path: &mut Vec<Key>, found: &mut Vec<Vec<Key>>) {
    let mut below = |key: Key, item: &Value<'_>, found: &mut Vec<Vec<Key>>| {
        path.push(key);
        put_duplicates(item, path, found);
        path.pop();
    };
    match &value.data {
        Data::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                below(Key::Index(u32::try_from(i).unwrap_or(u32::MAX)), item, found);
            }
        }
        Data::Object(object) => {
            object.entries().for_each(|(key, item)| below(Key::name(key), item, found));
            if object.has_duplicates {
                let mut seen = std::collections::HashMap::new();
                for member in &object.members {
                    let count = seen.entry(member.key.as_ref()).or_insert(0);
                    *count += 1;
                    if *count == 2 {
                        found.push([path.as_slice(), &[Key::name(&member.key)]].concat());
                    }
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RecordBody;

    /// The findings of records, one a line: step, path, rule.
    fn findings(lines: &[&str]) -> Vec<String> {
        let (mut log, mut offset) = (Log::default(), 0);
        for (number, line) in lines.iter().enumerate() {
            let span = Span { offset, len: line.len() as u64 };
            let place = Place { span, line: number as u64 + 1 };
            log.push(&Record { number, place, body: RecordBody::Text, is_row: false }, line.as_bytes());
            offset += span.len + 1;
        }
        let describe = |f: &Finding| format!("{} {} {}", f.record, f.path.as_deref().unwrap_or("-"), &f.rule[7..]);
        log.findings().iter().map(describe).collect()
    }

    fn slot(value: &str, data_type: &str, source: &str, time: &str) -> String {
        format!(r#"{{"value":{value},"data_type":"{data_type}","source_node":"{source}","timestamp":"{time}"}}"#)
    }

    #[test]
    fn writes_are_judged_by_what_stood_before() {
        let context = |slot: String| format!(r#"{{"slots":{{"a":{slot}}}}}"#);
        let lines = [
            context(slot("1", "TEXT", "s", "2")),
            context(slot("1.0", "TEXT", "s", "2")),
            context(slot("1.0", "CROSS_REF", "s", "1")),
            r#"{"slots":{}}"#.to_owned(),
            context(slot("1.0", "TEXT", "s", "0")),
            context(slot("1.0", "TEXT", "s", "0")),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(
            findings(&lines),
            ["2 a no-op-write", "2 a timestamp-order", "2 a type-change", "3 a slot-vanished", "4 a timestamp-order"]
        );
    }

    #[test]
    fn an_array_is_its_elements_and_a_broken_record_is_a_step() {
        let lines = [
            r#"[{"slots":{}},7,[],[{"name":"x","type":"TEXT","source":"s"}]]"#,
            "{",
            r#"{"slots":{"b c":{"value":1,"value":2},"d":5}}"#,
            "[]",
            r#"{"agent_name":"n","success":false,"outputs":{}}"#,
        ];
        assert_eq!(
            findings(&lines),
            [
                "1 - unknown-record",
                "2 - unknown-record",
                "4 - invalid-json",
                "5 [\"b c\"] bad-slot",
                "5 d bad-slot",
                "5 slots[\"b c\"].value duplicate-key",
                "5 x slot-vanished",
                "6 - agent-failed",
            ]
        );
    }

    #[test]
    fn contracts_judge_writes_before_and_after_them() {
        let lines = [
            r#"{"slot_name":"out","value":"x","data_type":"TEXT","source_node":"A"}"#,
            r#"{"name":"A","capability":"c","inputs":[{"name":"q","data_type":"TEXT"}],
                "outputs":[{"name":"out","data_type":"FOLDER_RESULT","mergeable":true},
                {"name":"z","data_type":"ODD"}]}"#,
            r#"{"slot_name":"more","value":"x","data_type":"TEXT","source_node":"A"}"#,
        ];
        assert_eq!(
            findings(&lines),
            [
                "0 out output-type",
                "2 A.outputs.out not-mergeable",
                "2 A.outputs.z unknown-data-type",
                "2 more undeclared-output",
            ]
        );
    }

    #[test]
    fn a_step_knows_its_own_bytes_and_line() {
        let text = "[{\"slots\":{}},\n {\"slots\":{}}]";
        let mut log = Log::default();
        let place = Place { span: Span { offset: 10, len: text.len() as u64 }, line: 3 };
        log.push(&Record { number: 0, place, body: RecordBody::Text, is_row: false }, text.as_bytes());
        let second = log.steps()[1].place;
        assert_eq!((second.place.line, second.place.span, second.record), (4, Span { offset: 26, len: 12 }, 1));
    }
}
