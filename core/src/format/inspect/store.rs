//! The state of a sample as its events change it.
//!
//! A `store` or `state` event is the net change of its whole span, as a patch on the document as it was when the span
//! began; every span around it says the same again. So a patch is applied to that document, and of the places that it
//! changes those are written that the present document does not hold already: the innermost event is to blame, and
//! spans that ran side by side do not undo each other.
//!
//! What a span changed before another began in it is reported when it ends, after what the inner one changed on top of
//! that. So the base of an inner span is not known in full, and what it says that was there is no fault of the log.

use super::sample::Attachments;
use crate::json::{Document, DocumentChange, Value, pointer_unescape};
use std::collections::HashMap;
use std::sync::Arc;

/// A change of one slot.
pub(super) struct SlotWrite {
    pub(super) kind: String,
    pub(super) instance: String,
    pub(super) path: Vec<Arc<str>>,
    /// The new value as JSON text; None: it is gone.
    pub(super) text: Option<String>,
}

/// Members of the state that steps show already.
const SHOWN: [&str; 2] = ["messages", "output"];

/// Most bytes of the values written, as a multiple of those of the changes, and never less than this minimum.
const WRITTEN_SHARE: usize = 16;
const WRITTEN_BYTES_MIN: usize = 16 << 20;

/// The document, now and when each open span began.
pub(super) struct Replay<'v, 'a> {
    attachments: &'a Attachments<'v>,
    now: Document,
    start: Document,
    spans: HashMap<&'v str, OpenSpan>,
    /// Where steps began, in logs that have no spans.
    steps: Vec<Document>,
    has_changes: bool,
    /// Whether what the sample begins with is written.
    has_begun: bool,
    /// Changes whose base is another one than they say.
    misfits: usize,
    /// Bytes that may still be written.
    budget: usize,
}

/// A span that has begun.
struct OpenSpan {
    /// The document as it was then.
    base: Document,
    /// Whether it is in another one.
    is_inner: bool,
}

impl<'v, 'a> Replay<'v, 'a> {
    pub(super) fn new(events: &'v [Value<'v>], attachments: &'a Attachments<'v>) -> Self {
        let is_init = |event: &&Value<'_>| event.get("event").and_then(Value::as_str) == Some("sample_init");
        let given = events.iter().find(is_init).and_then(|event| event.get("state"));
        let mut start = given.map_or_else(Document::object, |state| Document::of(state, &|s| attachments.text(s)));
        if start.get("store").is_none() {
            start.set(&["store"], Document::object());
        }
        let bytes: usize =
            events.iter().filter_map(|event| event.get("changes")).map(|changes| changes.text.len()).sum();
        Self {
            attachments,
            now: start.clone(),
            start,
            spans: HashMap::new(),
            steps: Vec::new(),
            has_changes: false,
            has_begun: false,
            misfits: 0,
            budget: (bytes * WRITTEN_SHARE).max(WRITTEN_BYTES_MIN),
        }
    }

    /// Takes the next event: what it writes.
    pub(super) fn event(&mut self, event: &'v Value<'v>) -> Vec<SlotWrite> {
        let text = |key: &str| event.get(key).and_then(Value::as_str);
        match (text("event"), text("action")) {
            (Some("span_begin"), _) => {
                let is_inner = text("parent_id").is_some_and(|parent| self.spans.contains_key(parent));
                text("id").map(|id| self.spans.insert(id, OpenSpan { base: self.now.clone(), is_inner }));
            }
            (Some("span_end"), _) => {
                text("id").map(|id| self.spans.remove(id));
            }
            (Some("step"), Some("begin")) => self.steps.push(self.now.clone()),
            (Some("step"), Some("end")) => {
                self.steps.pop();
            }
            (Some("sample_init"), _) => return self.begin(),
            (Some("store"), _) => return self.change(event, true),
            (Some("state"), _) => return self.change(event, false),
            _ => {}
        }
        Vec::new()
    }

    /// What the sample begins with.
    fn begin(&mut self) -> Vec<SlotWrite> {
        if std::mem::replace(&mut self.has_begun, true) {
            return Vec::new();
        }
        let start = self.start.clone();
        let is_shown = |(path, _): &DocumentChange<'_>| path.first().is_some_and(|first| SHOWN.contains(&&**first));
        let given = Document::object().changes_to(&start).into_iter().filter(|change| !is_shown(change));
        given.map_while(|(path, value)| Some(slot_write(&path, Some(self.affordable(value?)?)))).flatten().collect()
    }

    /// The text of a value, where the budget has room for it.
    fn affordable(&mut self, value: &Document) -> Option<String> {
        let text = value.text();
        self.budget = self.budget.checked_sub(text.len())?;
        Some(text)
    }

    fn change(&mut self, event: &Value<'_>, is_store: bool) -> Vec<SlotWrite> {
        let span = event.get("span_id").and_then(Value::as_str).and_then(|id| self.spans.get(id));
        let is_inner = span.map_or(self.steps.len() > 1, |span| span.is_inner);
        let base = span.map(|span| &span.base).or(self.steps.last()).unwrap_or(&self.start).clone();
        let mut changed = base.clone();
        for change in event.get("changes").and_then(Value::as_array).unwrap_or_default() {
            self.has_changes = true;
            if !self.patch(&base, &mut changed, change, is_store) && !is_inner {
                self.misfits += 1;
            }
        }
        let mut writes = Vec::new();
        for (path, value) in base.changes_to(&changed) {
            let known = self.now.at(&path);
            let is_known = match (known, value) {
                (Some(known), Some(value)) => known.is_same(value),
                (known, None) => known.is_none(),
                (None, Some(_)) => false,
            };
            if is_known {
                continue;
            }
            match value {
                Some(value) => self.now.set(&path, value.clone()),
                None => self.now.remove(&path),
            };
            if path.first().is_none_or(|first| SHOWN.contains(&&**first)) {
                continue;
            }
            let text = match value.map(|value| self.affordable(value)) {
                Some(None) => break,
                text => text.flatten(),
            };
            writes.extend(slot_write(&path, text));
        }
        writes
    }

    /// Applies one operation; false: it does not fit the base, or says that something else was there.
    fn patch(&self, base: &Document, changed: &mut Document, change: &Value<'_>, is_store: bool) -> bool {
        let pointer = |key: &str| {
            let text = change.get(key).and_then(Value::as_str)?;
            let keys = text.split('/').skip(1).map(pointer_unescape);
            Some(is_store.then(|| "store".to_owned()).into_iter().chain(keys).collect::<Vec<String>>())
        };
        let document = |key: &str| change.get(key).map(|value| Document::of(value, &|s| self.attachments.text(s)));
        let (Some(op), Some(path)) = (change.get("op").and_then(Value::as_str), pointer("path")) else { return false };
        let replaced =
            document("replaced").filter(|_| op == "replace" && path.iter().all(|key| key.parse::<usize>().is_err()));
        let is_base = replaced.is_none_or(|old| base.at(&path).is_some_and(|found| found.is_same(&old)));
        // Inspect leaves out a value that is null.
        let has_value = matches!(op, "add" | "replace" | "test");
        let value = document("value").or_else(|| has_value.then(Document::null));
        // What is replaced in a span may have come in the one around it, which says so later.
        let above = path.split_last().map(|(_, above)| above);
        let is_unknown = op == "replace" && above.is_some_and(|above| is_object_without(base, above, &path));
        let op = if is_unknown { "add" } else { op };
        changed.patch(op, &path, value, pointer("from").as_deref()) && is_base && !is_unknown
    }

    /// What does not agree: changes that do not fit, and the store that the sample ends with.
    pub(super) fn trouble(&self, recorded: Option<&Value<'_>>) -> Option<String> {
        if self.misfits > 0 {
            return Some(format!("{} changes of the state do not fit what was before them", self.misfits));
        }
        let recorded_document = Document::of(recorded.filter(|_| self.has_changes)?, &|s| self.attachments.text(s));
        let store = self.now.get("store")?;
        let changes = store.changes_to(&recorded_document);
        let (path, _) = changes.first()?;
        Some(format!("the store of the sample differs at `{}` from what its events make of it", path.join("/")))
    }
}

/// Whether an object is at a path, and nothing in it at a path below.
fn is_object_without(base: &Document, above: &[String], path: &[String]) -> bool {
    base.at(path).is_none() && base.at(above).is_some_and(Document::is_object)
}

/// Where a place of the state is among the slots: `store/Name:instance:field` names all three.
fn slot_write(path: &[Arc<str>], text: Option<String>) -> Option<SlotWrite> {
    let (first, below) = path.split_first()?;
    if &**first != "store" {
        return Some(SlotWrite { kind: "state".to_owned(), instance: "main".to_owned(), path: path.to_vec(), text });
    }
    let (key, rest) = below.split_first()?;
    let mut parts = key.splitn(3, ':');
    let (kind, instance, field) = match (parts.next(), parts.next(), parts.next()) {
        (Some(kind), Some(instance), Some(field)) if !kind.is_empty() => (kind, instance, field.into()),
        _ => ("store", "main", Arc::clone(key)),
    };
    let path = std::iter::once(field).chain(rest.iter().cloned()).collect();
    Some(SlotWrite { kind: kind.to_owned(), instance: instance.to_owned(), path, text })
}
