//! Where a value came from, hop by hop: copied from other values of the state, or out of the result of a call.

use super::Run;
use crate::json::{self, Data, Key, Value};
use crate::model::{Bytes, Span, StepKind, StepNo};
use crate::state::copy_origin::{Copied, Copies, is_distinctive};
use crate::state::{IdentityId, NodeId, Stored};
use std::collections::{BTreeMap, HashSet};

/// Most hops that are followed.
const HOPS_MAX: usize = 32;
/// Most steps, and most bytes of them, in which a result with the value is looked for.
const RESULT_STEPS_MAX: StepNo = 200;
const RESULT_BYTES_MAX: u64 = 2 << 20;
/// Longest value, as JSON text in bytes, that is looked for in results.
const VALUE_BYTES_MAX: usize = 4 << 10;
/// Searches of the text of a message after which it is parsed, since parsing once is cheaper than more searches.
const SEARCHES_MAX: usize = 16;

/// What a result answers and what its call read: where its values may have come from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageOrigin {
    /// The step of the call that it is the result of.
    pub call: Option<StepNo>,
    /// What that call read from the state.
    pub reads: Vec<NodeId>,
}

/// One hop back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hop {
    /// A value of the state.
    Value {
        /// The leaf.
        node: NodeId,
        /// The identity that it belongs to.
        id: IdentityId,
        /// Its path.
        path: Vec<Key>,
        /// The step whose message supplied it there.
        step: StepNo,
    },
    /// The result of a call.
    Result {
        /// The step of the result.
        step: StepNo,
        /// The step of the call, where it is known.
        call: Option<StepNo>,
    },
}

impl Hop {
    /// The step to go to.
    #[must_use]
    pub fn step(&self) -> StepNo {
        match self {
            Self::Value { step, .. } => *step,
            Self::Result { step, call } => call.unwrap_or(*step),
        }
    }

    /// The hop in words: `†input.city ① @3`, `result of call 12`.
    #[must_use]
    pub fn describe(&self, run: &dyn Run) -> String {
        match self {
            Self::Value { id, path, step, .. } => {
                let name = run.qualified_reference(run.tree().identity(*id), path);
                if *step < 0 { format!("{name} in the head") } else { format!("{name} @{step}") }
            }
            Self::Result { call: Some(call), .. } => format!("result of call {call}"),
            Self::Result { step, call: None } => format!("result @{step}"),
        }
    }
}

/// One write of one value.
#[derive(Debug, Clone, Copy)]
pub struct ValueWrite<'v> {
    /// The leaf that was written.
    pub node: NodeId,
    /// The step whose message supplied it.
    pub author: StepNo,
    /// The value.
    pub value: &'v Stored,
}

/// Follows values back. It caches the messages that it read, since the next value mostly comes from the same message or
/// one near it.
pub struct Trail<'r> {
    run: &'r dyn Run,
    copies: &'r Copies<'r>,
    bytes: &'r dyn Bytes,
    /// The last answer: identity, step and origin.
    origin: Option<(IdentityId, StepNo, MessageOrigin)>,
    /// Messages in which results were looked for.
    messages: BTreeMap<StepNo, Candidate>,
    /// Their bytes.
    text_bytes: u64,
}

impl<'r> Trail<'r> {
    /// A trail in a run; `copies` knows the values that are followed.
    #[must_use]
    pub fn new(run: &'r dyn Run, copies: &'r Copies<'r>, bytes: &'r dyn Bytes) -> Self {
        Self { run, copies, bytes, origin: None, messages: BTreeMap::new(), text_bytes: 0 }
    }

    /// Where a value was copied from; None if neither the state nor a result has it.
    pub fn hop(&mut self, written: ValueWrite<'_>) -> Option<Hop> {
        if written.author < 0 || !is_distinctive(written.value) {
            return None;
        }
        let tree = self.run.tree();
        let (whose, author) = (tree.path(written.node).0, written.author);
        // W5: numbers in the state of a file are counts and steps, which no result contains.
        let is_counted = || written.value.short().is_some_and(|text| text.parse::<u64>().is_ok());
        if self.run.work().is_some() && tree.identity(whose).kind == "file" && is_counted() {
            return None;
        }
        let origin = match self.origin.take() {
            Some((id, step, origin)) if (id, step) == (whose, author) => origin,
            _ => self.run.origin(whose, author, self.bytes),
        };
        let source = self.copies.source(written.node, author, written.value, &origin.reads);
        let call = origin.call;
        self.origin = Some((whose, author, origin));
        match (source, call) {
            (Some(Copied { node, id, step }), _) => Some(Hop::Value { node, id, path: tree.path(node).1, step }),
            (None, Some(call)) => Some(Hop::Result { step: author, call: Some(call) }),
            (None, None) => self.result_with(written),
        }
    }

    /// The hops of a value, the nearest first, up to where it entered the run.
    pub fn chain(&mut self, written: ValueWrite<'_>) -> Vec<Hop> {
        let mut hops = Vec::new();
        let mut at = written;
        while hops.len() < HOPS_MAX {
            let Some(hop) = self.hop(at) else { break };
            let next = match &hop {
                Hop::Value { node, step, .. } => Some((*node, *step)),
                Hop::Result { .. } => None,
            };
            hops.push(hop);
            let Some((node, author)) = next else { break };
            at = ValueWrite { node, author, ..at };
        }
        hops
    }

    /// The newest result before a write that has the value as one of its leaves.
    fn result_with(&mut self, written: ValueWrite<'_>) -> Option<Hop> {
        let (run, bytes) = (self.run, self.bytes);
        let text = written.value.text(bytes).ok().filter(|text| text.len() <= VALUE_BYTES_MAX)?;
        let finder = memchr::memmem::Finder::new(text.as_bytes());
        let first = written.author.saturating_sub(RESULT_STEPS_MAX).max(0);
        let mut read = 0;
        for step in (first..written.author).rev() {
            let span = run.place(step)?.place.span;
            read += span.len;
            if read > RESULT_BYTES_MAX {
                return None;
            }
            let candidate = self.message(step, span)?;
            candidate.look(&finder, || answered(run, step, bytes));
            if let Some(SearchOutcome::Result { call, leaves }) = &candidate.looked
                && leaves.contains(text.as_ref())
            {
                return Some(Hop::Result { step, call: *call });
            }
        }
        None
    }

    /// A message that may be a result.
    fn message(&mut self, step: StepNo, span: Span) -> Option<&mut Candidate> {
        if !self.messages.contains_key(&step) {
            if self.text_bytes + span.len > 2 * RESULT_BYTES_MAX {
                (self.messages, self.text_bytes) = (BTreeMap::new(), 0);
            }
            self.text_bytes += span.len;
            let text = self.bytes.read(span).ok()?;
            self.messages.insert(step, Candidate { text, searches: 0, looked: None });
        }
        self.messages.get_mut(&step)
    }
}

/// A message that may be a result. It is searched as text first; once it matches, or was searched often, it is parsed,
/// once for all values.
struct Candidate {
    text: Vec<u8>,
    searches: usize,
    looked: Option<SearchOutcome>,
}

/// What a message was found to be when it was parsed.
enum SearchOutcome {
    /// No result.
    Other,
    /// A result, the call that it answers, and its leaves as compact JSON text.
    Result { call: Option<StepNo>, leaves: HashSet<String> },
}

impl Candidate {
    fn look(&mut self, finder: &memchr::memmem::Finder<'_>, read: impl FnOnce() -> Option<Option<StepNo>>) {
        self.searches += 1;
        if self.looked.is_some() || (self.searches <= SEARCHES_MAX && finder.find(&self.text).is_none()) {
            return;
        }
        let text = std::mem::take(&mut self.text);
        let leaves = || {
            let mut leaves = HashSet::new();
            let value = std::str::from_utf8(&text).ok().and_then(|text| json::parse(text).ok());
            value.iter().for_each(|value| put_leaves(value, &mut leaves));
            leaves
        };
        self.looked =
            Some(read().map_or(SearchOutcome::Other, |call| SearchOutcome::Result { call, leaves: leaves() }));
    }
}

/// The call that the message of a step answers, if it is a result.
fn answered(run: &dyn Run, step: StepNo, bytes: &dyn Bytes) -> Option<Option<StepNo>> {
    let described = run.step(step, bytes);
    (described.answers.is_some() || described.sign == StepKind::Result).then_some(described.answers)
}

fn put_leaves(value: &Value<'_>, leaves: &mut HashSet<String>) {
    match &value.data {
        Data::Array(items) => items.iter().for_each(|item| put_leaves(item, leaves)),
        Data::Object(object) => object.entries().for_each(|(_, item)| put_leaves(item, leaves)),
        _ => {
            leaves.insert(json::compact(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format;
    use crate::model::{Place, Problem, Record, RecordBody};
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// Bytes of a run that count their reads.
    struct Counting(Vec<u8>, AtomicU64);

    impl Bytes for Counting {
        fn read(&self, span: Span) -> Result<Vec<u8>, Problem> {
            self.1.fetch_add(1, Relaxed);
            self.0.read(span)
        }
    }

    #[test]
    fn the_values_of_a_message_are_followed_with_one_look_at_each_message_before() {
        let before: Vec<String> = (0..50).map(|i| format!("{{\"type\":\"text\",\"text\":\"said {i}\"}}\n")).collect();
        let values: Vec<String> = (0..300).map(|i| format!("\"k{i}\":\"telling value {i}\"")).collect();
        let written = format!("{{\"type\":\"state\",\"data\":{{{}}}}}\n", values.join(","));
        let text = before.concat() + &written;
        let (mut run, mut offset) = (format::by_name("acts").unwrap().run(), 0);
        for (number, line) in text.lines().enumerate() {
            let span = Span { offset, len: line.len() as u64 };
            let record = Record { number, place: Place { span, line: 0 }, body: RecordBody::Text, is_row: false };
            run.push(&record, line.as_bytes(), &text.clone().into_bytes());
            offset += line.len() as u64 + 1;
        }
        let bytes = Counting(text.into_bytes(), AtomicU64::new(0));
        let last = StepNo::try_from(run.step_count()).unwrap() - 1;
        let (id, path) = run.locate("†state", last).unwrap().remove(0);
        let tree = run.tree();
        let events = tree.history(tree.node(id, &path).unwrap(), last);
        let copies = Copies::of(tree, events.iter().filter_map(|event| event.value.clone()));
        let mut trail = Trail::new(run.as_ref(), &copies, &bytes);
        for event in &events {
            let value = event.value.as_ref().unwrap();
            assert_eq!(trail.hop(ValueWrite { node: event.node, author: event.author, value }), None);
        }
        let searches = trail.messages.values().filter(|message| message.looked.is_none());
        assert_eq!(searches.count(), 0, "each message is read once for all values, not searched for each");
        let read = bytes.1.load(Relaxed);
        assert!(events.len() == 300 && (50..500).contains(&read), "{} events, {read} reads", events.len());
    }
}
