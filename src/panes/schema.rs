//! A schema beside the data: which of its keys what value breaks at this step, since when and until when (A42). At a
//! call of a run whose state has no schemas: what the run declares of the tool.

use super::json_outline::Doc;
use super::message::DocView;
use super::{Extent, Open, Piece, Row, Window, state::at};
use crate::json::Key;
use crate::model::{Identity, StepNo};
use crate::rules::data::arguments_fault;
use crate::state::{IS_CHECKED, IdentityId, Invalid, ViolationInterval, last_segment};
use crate::text::{Role, single_line, wrap};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Most violations that are listed above the schema, and the lines that the rest of a list takes.
const LISTED_MAX: usize = 8;
const OTHER_LINES: usize = 4;
/// Longest address of a part of a schema that is looked at, in bytes.
const ADDRESS_BYTES_MAX: usize = 4_096;
/// In fewer lines only one violation is reported, without since when.
const LISTED_LINES_MIN: usize = 12;
/// From this many lines on the keys are named above the schema.
const KEYS_LINES_MIN: usize = 16;
/// Most identities that are looked at for one with a schema where no value is in focus.
const SOUGHT_MAX: usize = 100;

/// The schema of the identity in focus, and what breaks it at the step in focus.
#[derive(Debug, Default)]
pub struct SchemaPane {
    /// The schema, laid out.
    pub view: DocView,
    /// Generation, whose it is, and the step that set it.
    shown: Option<(u64, IdentityId, StepNo)>,
    /// What breaks it, by path; and what that is kept for: what is shown, step, steps that were checked.
    violations: Vec<Invalid>,
    violations_key: Option<((u64, IdentityId, StepNo), StepNo, StepNo)>,
    /// Of each of them, the first key of the schema that it breaks, as a node.
    keys: Vec<Option<u32>>,
    /// Places in `violations`, by the node of the schema that is broken.
    broken: BTreeMap<u32, Vec<usize>>,
    /// When it is broken as a whole.
    spell: Option<ViolationInterval>,
    /// The tool whose declaration is shown.
    tool: Option<ShownTool>,
    /// What the cursor was put on: a value that breaks the schema, and what of the schema it breaks.
    followed: Option<(IdentityId, Vec<Key>, u32)>,
}

/// A tool that a step calls, as the run declares it.
#[derive(Debug)]
struct ShownTool {
    /// The version of what is read, and the step of the call.
    of: (u64, StepNo),
    name: String,
    declared_at: StepNo,
    /// What in the arguments breaks it.
    fault: Option<String>,
}

impl SchemaPane {
    /// Brings the pane to the step and value in focus. The cursor goes to what that value breaks, once.
    pub fn sync(&mut self, open: &Open<'_>, cells: usize) {
        let Some((id, set_at)) = self.subject(open) else {
            return self.sync_tool(open);
        };
        self.tool = None;
        let now = (open.session.generation, id, set_at);
        if self.shown != Some(now) {
            let text = open.run().schema(id, open.step(), open.bytes());
            self.view.set(text.map(|(text, _)| Arc::new(Doc::of(&text))));
            (self.shown, self.violations_key, self.followed) = (Some(now), None, None);
        }
        let of = (now, open.step(), open.session.checks.judged());
        if self.violations_key != Some(of) {
            self.violations = open.session.checks.at(id, open.step());
            self.spell = open.session.checks.spell(id, open.step());
            self.violations_key = Some(of);
            self.mark();
        }
        let focus = open.session.focus.path.as_ref().map_or(&[][..], |(_, path)| path);
        let breach = self.number_of(focus).and_then(|i| self.keys.get(i).copied().flatten());
        let follow = breach.map(|node| (id, focus.to_vec(), node));
        if let Some((.., node)) = follow.as_ref().filter(|_| follow != self.followed) {
            self.view.show_node(*node as usize, cells);
        }
        self.followed = follow;
    }

    /// Brings the pane to the tool that the step in focus calls or answers.
    fn sync_tool(&mut self, open: &Open<'_>) {
        let step = open.describe(open.step());
        let call = step.answers.unwrap_or(step.number);
        let declared = step.tool.as_deref().and_then(|tool| Some((tool, open.run().work()?.declaration(tool, call)?)));
        let Some((tool, (text, declared_at))) = declared else {
            *self = Self::default();
            return;
        };
        let of = (open.session.content_version(), call);
        if self.tool.as_ref().is_some_and(|shown| shown.of == of && shown.declared_at == declared_at) {
            return;
        }
        let shown = self.tool.take().filter(|shown| shown.of.0 == of.0 && shown.name == tool);
        if shown.is_none_or(|shown| shown.declared_at != declared_at) {
            *self = Self::default();
            self.view.set(Some(Arc::new(Doc::of(text))));
        }
        let turn = open.run().turn(call, open.bytes());
        let calls = turn.iter().flat_map(|turn| turn.calls()).filter(|call| call.name == tool);
        let fault = calls.into_iter().find_map(|call| arguments_fault(text, &call.arguments));
        self.tool = Some(ShownTool { of, name: tool.to_owned(), declared_at, fault });
    }

    /// The identity whose schema is shown: the one in focus; without one, that of before, else the first that has one.
    fn subject(&self, open: &Open<'_>) -> Option<(IdentityId, StepNo)> {
        let schema = |id: IdentityId| Some((id, open.run().schema_at(id, open.step())?));
        if let Some((identity, _)) = &open.session.focus.path {
            return open.tree().find(identity).and_then(schema);
        }
        let first = || open.tree().identities(open.step()).iter().take(SOUGHT_MAX).find_map(|view| schema(view.id));
        self.identity(open).and_then(schema).or_else(first)
    }

    /// Notes which keys of the schema are broken.
    fn mark(&mut self) {
        self.broken.clear();
        self.keys = vec![None; self.violations.len()];
        let mut marks: BTreeMap<u32, String> = BTreeMap::new();
        if let Some(doc) = self.view.doc() {
            let mut known: HashMap<&str, Option<usize>> = HashMap::new();
            for (i, one) in self.violations.iter().enumerate() {
                for reason in &one.violation.reasons {
                    let place = reason.schema_path.as_str();
                    let node = *known.entry(place).or_insert_with(|| key_at(doc, place));
                    let Some(node) = node.and_then(|node| u32::try_from(node).ok()) else { continue };
                    self.keys[i].get_or_insert(node);
                    self.broken.entry(node).or_default().push(i);
                    marks.entry(node).or_insert_with(|| reason.message.clone());
                }
            }
        }
        for (node, mark) in &mut marks {
            let count = self.broken.get(node).map_or(0, Vec::len);
            if count > 1 {
                *mark = format!("{count}× {mark}");
            }
        }
        self.view.set_marks(marks);
    }

    /// The value that breaks the key under the cursor, which of how many it is: after the one in focus the next.
    #[must_use]
    pub fn value(&self, open: &Open<'_>, cells: usize) -> Option<((Identity, Vec<Key>), usize, usize)> {
        let (_, id, _) = self.shown?;
        let values = self.broken.get(&u32::try_from(self.view.node(cells)?).ok()?)?;
        let focus = open.session.focus.path.as_ref().and_then(|(_, path)| self.number_of(path));
        let at = values.iter().position(|i| Some(*i) == focus).map_or(0, |at| (at + 1) % values.len());
        let path = self.violations.get(*values.get(at)?)?.violation.path.clone();
        Some(((open.tree().identity(id).clone(), path), at, values.len()))
    }

    /// Which of those that are held is at a path.
    fn number_of(&self, path: &[Key]) -> Option<usize> {
        self.violations.binary_search_by(|one| one.violation.path.as_slice().cmp(path)).ok()
    }

    /// Whose schema is shown, or was while this run is open.
    #[must_use]
    pub fn identity(&self, open: &Open<'_>) -> Option<IdentityId> {
        let shown = self.shown.filter(|(generation, ..)| *generation == open.session.generation);
        shown.map(|(_, id, _)| id)
    }

    /// The visible rows.
    #[must_use]
    pub fn window(&self, open: &Open<'_>, extent: Extent, has_focus: bool) -> Window {
        if self.view.doc().is_none() {
            let lines = [
                "No schema here.",
                "The value in focus belongs to an identity without a schema at this step, and the run declares no tool \
                 that this step calls. Move in State to another value, or in Steps to another call.",
            ];
            return Window::notice(&lines, extent.width);
        }
        let head = self.head(open, extent);
        let below = Extent { height: extent.height.saturating_sub(head.len()), ..extent };
        let mut window = self.view.window(below, has_focus, None);
        window.rows.splice(0..0, head);
        window
    }

    /// The rows above the schema; at most about half of the lines, so that the schema is seen too.
    #[must_use]
    pub fn head(&self, open: &Open<'_>, extent: Extent) -> Vec<Row> {
        let lines = extent.height;
        if let Some(tool) = &self.tool {
            return tool_head(tool, extent);
        }
        let Some((_, id, set_at)) = self.shown else { return Vec::new() };
        let identity = open.tree().identity(id);
        let name = open.run().reference(identity, &[]);
        let mut first = vec![Piece::of(Role::Text, " "), Piece::of(Role::Reference, &name)];
        if let Some(instance) = &identity.instance {
            first.push(Piece::of(Role::Instance, &format!(" {instance}")));
        }
        first.push(Piece::of(Role::Dim, &format!("   schema set {}", at(set_at))));
        let mut rows = vec![Row::new(first)];
        match open.session.checks.fault(set_at).filter(|_| IS_CHECKED) {
            Some(why) => rows.extend(wrapped(Role::Warning, &format!("not checked: {why}"), extent)),
            None => rows.push(Row::new(self.summary(open))),
        }
        let focus = open.session.focus.path.as_ref().map(|(_, path)| path);
        let is_in_focus = |one: &Invalid| Some(&one.violation.path) == focus;
        let in_focus = focus.and_then(|path| self.number_of(path));
        let listed_max = ((lines / 2).saturating_sub(OTHER_LINES) / 2).clamp(1, LISTED_MAX);
        // The one in focus is always among them.
        let first = in_focus.map_or(0, |at| (at + 1).saturating_sub(listed_max));
        let shown = self.violations.iter().skip(first).take(listed_max);
        if lines < LISTED_LINES_MIN {
            rows.extend(shown.map(|one| broken(open, id, one, is_in_focus(one))));
            return rows;
        }
        for one in shown {
            rows.extend([broken(open, id, one, is_in_focus(one)), since(open, id, one)]);
        }
        if let Some(more) = self.violations.len().checked_sub(listed_max).filter(|n| *n > 0) {
            rows.push(Row::text(Role::Dim, &format!("   … and {more} more, marked ✗ below")));
        }
        if self.spell.is_some() && lines >= KEYS_LINES_MIN {
            let names = &open.session.key_names;
            let both = names.fill("{violation-previous} {violation-next}");
            let keys = [(names.key("follow"), " on ✗ its value   "), (both, " breaks, repairs")];
            let pieces = keys.map(|(key, what)| [Piece::of(Role::KeyName, &key), Piece::of(Role::Dim, what)]);
            rows.push(Row::new([Piece::of(Role::Text, " ")].into_iter().chain(pieces.into_iter().flatten()).collect()));
        }
        rows.push(Row::default());
        rows
    }

    fn summary(&self, open: &Open<'_>) -> Vec<Piece> {
        if !IS_CHECKED {
            return vec![Piece::of(Role::Dim, " not checked: this build has no feature `schema`")];
        }
        if open.session.checks.judged() <= open.step() {
            return vec![Piece::of(Role::Dim, " being checked…")];
        }
        let mut out = match self.violations.len() {
            0 => vec![Piece::of(Role::Good, " ✓ kept at this step")],
            1 => vec![Piece::of(Role::Error, " ✗ 1 value breaks it")],
            n => vec![Piece::of(Role::Error, &format!(" ✗ {n} values break it"))],
        };
        if let Some(spell) = self.spell {
            let since = if self.violations.is_empty() { " · broken " } else { " · since " };
            out.extend([Piece::of(Role::Dim, since), Piece::of(Role::Blame, &at(spell.since))]);
            out.extend(ended(spell.until, spell.is_repaired));
        }
        out
    }
}

/// The key of a schema at a place: a pointer, from the part whose address precedes it if one does.
fn key_at(doc: &Doc, place: &str) -> Option<usize> {
    let part = place.split_once('#').filter(|(address, _)| !address.is_empty() && !address.starts_with('/'));
    let Some((address, pointer)) = part else { return doc.at(0, place) };
    let is_address = |node: &usize| {
        let id = || doc.string_head(*node, ADDRESS_BYTES_MAX).0;
        doc.key(*node).is_some_and(|key| key == "$id") && last_segment(&id()) == last_segment(address)
    };
    let id = (1..doc.nodes().len()).find(is_address)?;
    doc.at(doc.nodes().get(id)?.parent as usize, pointer)
}

/// Why nothing is checked against a schema.
/// The rows above what is declared of a tool.
fn tool_head(ShownTool { name, declared_at, fault, .. }: &ShownTool, extent: Extent) -> Vec<Row> {
    let name = Piece::of(Role::Call, &format!(" {name}"));
    let declared = Piece::of(Role::Dim, &format!("   declared {}", at(*declared_at)));
    let fit = match fault {
        Some(why) => wrapped(Role::Error, &format!("✗ the arguments do not fit: {}", single_line(why)), extent),
        None => vec![Row::text(Role::Dim, " nothing in the arguments breaks it")],
    };
    std::iter::once(Row::new(vec![name, declared])).chain(fit).chain([Row::default()]).collect()
}

/// A sentence in at most a third of the lines.
fn wrapped(role: Role, text: &str, extent: Extent) -> Vec<Row> {
    let parts = wrap(text, extent.width.saturating_sub(1)).into_iter().take((extent.height / 3).max(1));
    parts.map(|part| Row::text(role, &format!(" {}", &text[part]))).collect()
}

/// Where something is wrong, and what.
fn broken(open: &Open<'_>, id: IdentityId, one: &Invalid, has_focus: bool) -> Row {
    let reference = open.place_name(open.tree().identity(id), &one.violation.path);
    Row::new(vec![
        Piece::of(Role::Accent, if has_focus { "▌ " } else { "  " }),
        Piece::of(Role::Reference, &reference),
        Piece::of(Role::Error, &format!("  {}", one.violation.message)),
    ])
}

/// Since when it is so, which step repairs it, and which key of the schema says so.
fn since(open: &Open<'_>, id: IdentityId, one: &Invalid) -> Row {
    let mut out = vec![Piece::of(Role::Dim, "     since "), Piece::of(Role::Blame, &at(one.since))];
    out.extend(ended(open.session.checks.repaired(id, one), true));
    let place = one.violation.schema_path();
    if !place.is_empty() {
        out.push(Piece::of(Role::Dim, &format!(" · {place}")));
    }
    Row::new(out)
}

fn ended(until: Option<StepNo>, is_repaired: bool) -> Vec<Piece> {
    let Some(step) = until else { return vec![Piece::of(Role::Dim, " · not repaired")] };
    let how = if is_repaired { " · repaired " } else { " · gone " };
    vec![Piece::of(Role::Dim, how), Piece::of(Role::Blame, &at(step))]
}
