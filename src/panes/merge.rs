//! Slots of one data type as one value, and which slots each part of it came from (S14 to S19).

use super::Open;
use super::state::is_within;
use super::text_view::{TextLine, TextView};
use crate::format::Merged;
use crate::json::{Data, Key, Value, parse};
use crate::model::{Identity, StepNo};
use crate::text::Role;
use std::collections::{BTreeSet, HashMap};

/// Most values of slots that are merged here: a key press waits for it.
const VALUES_MAX: usize = 50_000;
/// Most lines that are shown.
const LINES_MAX: usize = 20_000;

/// The merged values at the step in focus.
#[derive(Debug, Default)]
pub struct MergePane {
    /// The values as lines.
    pub reader: TextView,
    /// Generation, step, number of steps and chosen slots that they are of.
    shown: Option<(u64, StepNo, usize, BTreeSet<String>)>,
}

impl MergePane {
    /// Brings the pane to the step in focus and the slots that are chosen; none chosen means all.
    pub fn sync(&mut self, open: &Open<'_>, chosen: &BTreeSet<String>) {
        let now = (open.session.content_version(), open.step(), open.count(), chosen.clone());
        if self.shown.as_ref() != Some(&now) {
            self.reader.set(lines(open, chosen));
            self.shown = Some(now);
        }
    }
}

/// What is done where there is too much to merge.
const MORE: &str = "obelus merge FILE prints it; or choose fewer slots with {merge-slot} in State.";

fn lines(open: &Open<'_>, chosen: &BTreeSet<String>) -> Vec<TextLine> {
    let step = open.step();
    let is_chosen = |name: &str| chosen.is_empty() || chosen.contains(name);
    let mut left = VALUES_MAX;
    let slots = open.tree().identities(step).into_iter();
    let mut slots = slots.filter(|view| is_chosen(&open.tree().identity(view.id).kind));
    if !slots.all(|view| view.root.is_none_or(|root| is_within(open, root, step, &mut left))) {
        return vec![
            TextLine::new(Role::Title, "Too much to merge here."),
            TextLine::new(Role::Text, open.session.key_names.fill(MORE)),
        ];
    }
    let merged = open.run().merge(&is_chosen, None, step, open.bytes()).unwrap_or_default();
    let mut out = vec![TextLine::new(Role::Dim, choice(chosen))];
    if merged.is_empty() {
        out.insert(0, TextLine::new(Role::Title, "Nothing merges at this step."));
        let why = match chosen.len() {
            1 => "One slot is chosen, and two of one type merge: choose another one.",
            _ => "Two slots of FILE_IDS, or two of CATEGORIZATION, merge; slots of other types do not.",
        };
        out.insert(1, TextLine::new(Role::Text, why));
    }
    for merged in &merged {
        out.push(TextLine::new(Role::Dim, ""));
        Layout::of(merged, &mut out).put_all();
    }
    out
}

/// Which slots are merged, and how to choose others.
fn choice(chosen: &BTreeSet<String>) -> String {
    if chosen.is_empty() {
        "all slots that merge · v in State chooses".to_owned()
    } else {
        format!("chosen: {} · v in State chooses", chosen.iter().cloned().collect::<Vec<_>>().join(", "))
    }
}

/// Lays a merged value out in lines, each with the slots that it came from.
struct Layout<'m, 'o> {
    merged: &'m Merged,
    parts: HashMap<&'m [Key], &'m [usize]>,
    out: &'o mut Vec<TextLine>,
}

impl<'m, 'o> Layout<'m, 'o> {
    fn of(merged: &'m Merged, out: &'o mut Vec<TextLine>) -> Self {
        let parts = merged.parts.iter().map(|part| (part.path.as_slice(), part.slots.as_slice())).collect();
        Self { merged, parts, out }
    }

    fn put_all(&mut self) {
        let title = format!("{}  merged from {}", self.merged.data_type, self.merged.slots.join(", "));
        self.out.push(TextLine::new(Role::Title, title));
        if let Ok(value) = parse(&self.merged.value) {
            self.put_below(&value, &mut Vec::new());
        }
    }

    fn put_below(&mut self, value: &Value<'_>, path: &mut Vec<Key>) {
        let members: Vec<(Key, &Value<'_>)> = match &value.data {
            Data::Object(object) => object.entries().map(|(key, item)| (Key::name(key), item)).collect(),
            Data::Array(items) => (0_u32..).map(Key::Index).zip(items).collect(),
            _ => return,
        };
        for (key, item) in members {
            if self.out.len() >= LINES_MAX {
                return;
            }
            path.push(key);
            self.put(item, path);
            self.put_below(item, path);
            path.pop();
        }
    }

    fn put(&mut self, value: &Value<'_>, path: &[Key]) {
        let mut text = "  ".repeat(path.len());
        let mut marks = Vec::new();
        let mut mark = |text: &mut String, more: &str, role: Role| {
            let start = text.len();
            text.push_str(more);
            marks.push((start..text.len(), role));
        };
        match path.last() {
            Some(Key::Name(name)) => mark(&mut text, &format!("{name}  "), Role::JsonKey),
            Some(Key::Index(i)) => mark(&mut text, &format!("[{i}] "), Role::Dim),
            None => {}
        }
        match &value.data {
            Data::Object(object) if !object.is_empty() => {}
            Data::Array(items) if !items.is_empty() => {
                mark(&mut text, &super::value::count_of(items.len(), "value"), Role::Dim);
            }
            _ => mark(&mut text, value.text, super::value::role_of(value.text)),
        }
        let slots = self.parts.get(path).copied().unwrap_or_default();
        let names: Vec<&str> =
            slots.iter().filter_map(|slot| self.merged.slots.get(*slot)).map(String::as_str).collect();
        if !names.is_empty() {
            mark(&mut text, &format!("  ← {}", names.join(", ")), Role::Blame);
        }
        let mut line = TextLine::new(Role::Text, text);
        line.marks = marks;
        line.target = names.first().map(|name| (Identity::global(*name), Vec::new()));
        self.out.push(line);
    }
}
