//! Documents that JSON patches change (RFC 6902), and the state that follows them.

use crate::format::log::{Log, text};
use crate::json::{Document, Value, pointer_unescape};
use crate::model::Severity;
use crate::state::Op;

/// A document of the state, as it is after the events so far.
pub(super) struct Patched {
    kind: Box<str>,
    instance: Box<str>,
    document: Document,
}

impl Patched {
    /// Nothing yet, to be written to that identity.
    pub(super) fn new(kind: &str, instance: &str) -> Self {
        Self { kind: kind.into(), instance: instance.into(), document: Document::object() }
    }

    /// A snapshot: the whole value.
    pub(super) fn set(&mut self, value: &Value<'_>, log: &mut Log<'_>) {
        self.document = Document::of(value, &|_| None);
        log.write(&self.kind, &self.instance, &[], Op::Update, value);
    }

    /// A patch: applied as a whole, or dropped with a finding.
    pub(super) fn patch(&mut self, patch: &Value<'_>, log: &mut Log<'_>) {
        let Some(ops) = patch.as_array() else {
            let why = format!("a patch is a list of operations, but this is {}; it is dropped", patch.type_name());
            return log.finding(Some(log.next_step() - 1), "run.patch-failed", Severity::Warning, why);
        };
        let mut next = self.document.clone();
        for (number, op) in ops.iter().enumerate() {
            if !apply(&mut next, op) {
                let (name, path) = (text(op, "op").unwrap_or("?"), text(op, "path").unwrap_or("?"));
                let why = format!(
                    "operation {number} of the patch (`{name}` at `{path}`) does not fit the document; the patch is \
                     dropped and the state stays as it was"
                );
                return log.finding(Some(log.next_step() - 1), "run.patch-failed", Severity::Warning, why);
            }
        }
        for (path, value) in self.document.changes_to(&next) {
            let path: Vec<&str> = path.iter().map(|name| &**name).collect();
            let Some(value) = value else {
                log.remove(&self.kind, &self.instance, &path);
                continue;
            };
            // What is appended is written alone, so that a list that grows costs what comes.
            let appended = self.document.at(&path).and_then(|before| before.appended(value));
            let (op, text) = match appended.filter(|rest| !rest.is_empty()) {
                Some(rest) => {
                    let texts: Vec<String> = rest.iter().map(Document::text).collect();
                    (Op::Concat, format!("[{}]", texts.join(",")))
                }
                None => (Op::Update, value.text()),
            };
            log.derive(&self.kind, &self.instance, &path, op, &text);
        }
        self.document = next;
    }
}

/// Applies an operation; false: it does not fit.
fn apply(document: &mut Document, op: &Value<'_>) -> bool {
    let Some(path) = text(op, "path").and_then(keys) else { return false };
    let from = text(op, "from").and_then(keys);
    let value = op.get("value").map(|value| Document::of(value, &|_| None));
    document.patch(text(op, "op").unwrap_or_default(), &path, value, from.as_deref())
}

/// The keys of a JSON pointer.
fn keys(pointer: &str) -> Option<Vec<String>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    let keys = pointer.strip_prefix('/')?.split('/');
    Some(keys.map(|key| pointer_unescape(key).clone()).collect())
}
