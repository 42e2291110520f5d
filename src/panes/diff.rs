//! The Diff tab: how the state differs from another step, or one instance from another; by path, with the words that
//! differ marked and long lists folded.

mod shown_value;

use super::place_name::place_name;
use super::text_view::TextLine;
use super::value;
use crate::format::Run;
use crate::json::{self, Key};
use crate::model::{Bytes, HEAD, Identity, StepNo};
use crate::state::diff::{self, At, DiffPart, Difference, Side, words};
use crate::state::{IdentityId, Stored};
use crate::text::Role;
use shown_value::{ShownValue, Spelling};
use std::collections::BTreeSet;

/// Most differences that are laid out.
const DIFFERENCES_MAX: usize = 5_000;
/// Of more differences than this in one list the first few are shown, the others folded.
const LIST_MAX: usize = 16;
const LIST_SHOWN: usize = 6;
/// Most pairs of texts that are compared word by word.
const WORDS_MAX: usize = 200;
/// Longest text that is compared so, and how much of all texts, in bytes of JSON.
const TEXT_BYTES_MAX: u64 = 4 << 20;
const ALL_BYTES_MAX: u64 = 8 << 20;
/// Longest text that is shown line by line where it is all new or gone, in bytes of JSON.
const LINES_BYTES_MAX: u64 = 8 << 10;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffQuery {
    /// The states at two steps.
    Steps {
        /// The old one.
        from: StepNo,
        /// The new one.
        to: StepNo,
    },
    /// Two identities at a step.
    Instances {
        /// The step.
        step: StepNo,
        /// The old one.
        old: IdentityId,
        /// The new one.
        new: IdentityId,
    },
}

impl DiffQuery {
    /// About how many writes the answer has to look at.
    #[must_use]
    pub fn cost(self, run: &dyn Run) -> usize {
        match self {
            Self::Steps { from, to } => run.tree().writes_between(from, to),
            Self::Instances { step, .. } => run.tree().writes_between(HEAD - 1, step),
        }
    }

    /// What differs; no value is read for it.
    #[must_use]
    pub fn answer(self, run: &dyn Run) -> Comparison {
        let tree = run.tree();
        let parts = match self {
            Self::Steps { from, to } => diff::steps(tree, from, to),
            Self::Instances { step, old, new } => diff::identities(At { tree, step }, old, new),
        };
        Comparison { question: self, parts }
    }

    fn title(self, run: &dyn Run) -> String {
        match self {
            Self::Steps { from, to } => format!("state {} → {}", super::state::at(from), super::state::at(to)),
            Self::Instances { step, old, new } => {
                let tree = run.tree();
                let identity = |id| tree.view(id, step).map(|_| tree.identity(id));
                let name = |id| identity(id).and_then(|i| i.instance.as_deref()).unwrap_or("global").to_owned();
                let kind = identity(new).map_or("", |i| &i.kind);
                format!("¶{kind} {} → {} {}", name(old), name(new), super::state::at(step))
            }
        }
    }
}

/// What was compared, and what differs.
pub struct Comparison {
    question: DiffQuery,
    parts: Vec<DiffPart>,
}

impl Comparison {
    /// Bytes of JSON of the long values that differ.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let span = |side: &Side| side.value.span().map_or(0, |span| span.len);
        let of = |part: &DiffPart| match part {
            DiffPart::Differs(difference) => [&difference.old, &difference.new].into_iter().flatten().map(span).sum(),
            DiffPart::Same(_) => 0,
        };
        self.parts.iter().map(of).sum()
    }
}

/// What differs as lines; `unfolded` names the lists that are shown whole.
#[must_use]
pub fn lines(run: &dyn Run, bytes: &dyn Bytes, comparison: &Comparison, unfolded: &BTreeSet<String>) -> Vec<TextLine> {
    let Comparison { question, parts } = comparison;
    let mut layout = Layout { run, bytes, out: Vec::new(), words_left: WORDS_MAX, bytes_left: ALL_BYTES_MAX };
    layout.put(TextLine::new(Role::Title, question.title(run)));
    layout.put(TextLine::new(Role::Dim, ""));
    let mut at = 0;
    while at < parts.len().min(DIFFERENCES_MAX) {
        at += match &parts[at] {
            DiffPart::Same(count) => layout.same(*count),
            DiffPart::Differs(difference) => {
                let list = list_of(run, difference);
                let len = parts[at..].iter().take_while(|p| is_in(run, p, &list)).count();
                layout.list(&parts[at..at + len], &list, unfolded.contains(&list))
            }
        };
    }
    if at < parts.len() {
        let left = parts[at..].iter().filter(|p| matches!(p, DiffPart::Differs(_))).count();
        let text = format!("… {} more; `obelus diff` prints them all", value::count_text(left));
        layout.put(TextLine::new(Role::Dim, text));
    }
    if !parts.iter().any(|p| matches!(p, DiffPart::Differs(_))) {
        layout.out.truncate(2);
        let is_base = matches!(question, DiffQuery::Steps { from, to } if from == to);
        let more = if is_base { ": this is the marked step; go to another, or mark it no longer" } else { "" };
        layout.put(TextLine::new(Role::Dim, format!("no difference{more}")));
    }
    layout.out
}

fn is_in(run: &dyn Run, part: &DiffPart, list: &str) -> bool {
    matches!(part, DiffPart::Differs(difference) if list_of(run, difference) == list)
}

/// The list that a value is in: its outermost array, else the object around it.
fn list_of(run: &dyn Run, difference: &Difference) -> String {
    let path = &difference.path;
    let parent = path.len().saturating_sub(1);
    let end = path.iter().position(|key| matches!(key, Key::Index(_))).unwrap_or(parent).min(parent);
    difference.side().map_or_else(String::new, |(side, _)| name(run, side, &path[..end]))
}

fn name(run: &dyn Run, side: &Side, path: &[Key]) -> String {
    place_name(run, run.tree().identity(side.id), path, "")
}

/// The lines of a comparison while they are laid out.
struct Layout<'r> {
    run: &'r dyn Run,
    bytes: &'r dyn Bytes,
    out: Vec<TextLine>,
    words_left: usize,
    bytes_left: u64,
}

impl Layout<'_> {
    fn put(&mut self, line: TextLine) {
        self.out.push(line);
    }

    fn same(&mut self, count: usize) -> usize {
        self.put(TextLine::new(Role::Dim, format!("… {} alike", value::count_of(count, "value"))));
        1
    }

    /// Differences of one list, all or the first few of many; how many that were.
    fn list(&mut self, parts: &[DiffPart], name: &str, is_unfolded: bool) -> usize {
        let is_folded = parts.len() > LIST_MAX && !is_unfolded;
        let shown = if is_folded { LIST_SHOWN } else { parts.len().min(DIFFERENCES_MAX) };
        for part in &parts[..shown] {
            if let DiffPart::Differs(difference) = part {
                self.difference(difference);
            }
        }
        if shown < parts.len() {
            let left = value::count_text(parts.len() - shown);
            let mut line = TextLine::new(Role::Accent, format!("▸ {left} more in {name}"));
            line.fold = Some(name.to_owned()).filter(|_| is_folded);
            self.put(line);
        }
        parts.len()
    }

    /// The name of a value, what it was, what it is.
    fn difference(&mut self, difference: &Difference) {
        let Some((side, _)) = difference.side() else { return };
        let role = match (&difference.old, &difference.new) {
            (None, _) => Role::Added,
            (_, None) => Role::Removed,
            _ => Role::Changed,
        };
        let target = |side: &Side| (self.run.tree().identity(side.id).clone(), difference.path.clone());
        let title = TextLine::new(role, name(self.run, side, &difference.path)).from_step(side.step);
        let title = title.of_value(target(side));
        let (old, new) = self.texts(difference);
        let sides = [(&difference.old, old, "−", Role::Removed), (&difference.new, new, "+", Role::Added)];
        let mut lines = vec![title];
        for (side, shown, sign, role) in sides {
            if let (Some(side), Some(shown)) = (side, shown) {
                let shown = shown.lines(sign, role, &self.writer(side)).into_iter();
                lines.extend(shown.map(|line| line.from_step(side.step).of_value(target(side))));
            }
        }
        self.out.extend(lines);
    }

    /// Step and name of who wrote a value.
    fn writer(&self, side: &Side) -> String {
        let who = self.run.attribution(side.id, side.step, self.bytes).who;
        let who = who.map_or_else(String::new, |who| format!(" {who}"));
        format!("{}{who}", super::state::at(side.step))
    }

    /// Both values as text, with the words that differ.
    fn texts(&mut self, difference: &Difference) -> (Option<ShownValue>, Option<ShownValue>) {
        if let (Some(old), Some(new)) = (&difference.old, &difference.new)
            && self.words_left > 0
            && let (Some(was), Some(is)) = (self.string(&old.value), self.string(&new.value))
        {
            self.words_left -= 1;
            if let Some(found) = words(&was, &is) {
                let spelling = Spelling::of(&[&was, &is]);
                let (was, is) =
                    (ShownValue::of(&was, &found.removed, spelling), ShownValue::of(&is, &found.added, spelling));
                return (Some(was), Some(is));
            }
        }
        let plain = |side: &Option<Side>| {
            let side = side.as_ref()?;
            let is_short = side.value.span().is_none_or(|span| span.len <= LINES_BYTES_MAX);
            let string = is_short.then(|| self.string_value(&side.value)).flatten();
            if let Some(text) = string.filter(|string| Spelling::of(&[string]) == Spelling::Lines) {
                return Some(ShownValue::plain(text, Spelling::Lines));
            }
            let text = value::stored(&side.value, self.bytes).text.as_str().to_owned();
            Some(ShownValue::plain(text, Spelling::Json))
        };
        (plain(&difference.old), plain(&difference.new))
    }

    /// What a string says, if it is one and not too long, also with those that were read before.
    fn string(&mut self, stored: &Stored) -> Option<String> {
        let len = stored.span().map_or(0, |span| span.len);
        if stored.first_byte() != b'"' || len > TEXT_BYTES_MAX.min(self.bytes_left) {
            return None;
        }
        self.bytes_left -= len;
        self.string_value(stored)
    }

    fn string_value(&self, stored: &Stored) -> Option<String> {
        let text = (stored.first_byte() == b'"').then(|| stored.text(self.bytes).ok()).flatten()?;
        json::parse(&text).ok()?.as_str().map(str::to_owned)
    }
}

/// The pairs of identities of a kind at a step, instances before the global one: first and second, first and third …;
/// those of the one that is asked for before the others.
#[derive(Debug)]
pub struct Pairs {
    ids: Vec<IdentityId>,
    first: Option<usize>,
}

impl Pairs {
    /// Those of the kind of an identity.
    #[must_use]
    pub fn of(run: &dyn Run, of: &Identity, step: StepNo) -> Self {
        let tree = run.tree();
        let all = tree.identities(step).into_iter().map(|view| view.id);
        let mut ids: Vec<IdentityId> = all.filter(|id| tree.identity(*id).kind == of.kind).collect();
        ids.sort_by_key(|id| tree.identity(*id).instance.is_none());
        let first = tree.find(of).and_then(|of| ids.iter().position(|id| *id == of));
        Self { ids, first }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.ids.len() * self.ids.len().saturating_sub(1) / 2
    }

    /// One of them.
    #[must_use]
    pub fn nth(&self, number: usize) -> Option<(IdentityId, IdentityId)> {
        let (n, first) = (self.ids.len(), self.first);
        let is_other = move |i: &usize| Some(*i) != first;
        let pairs = first.into_iter().flat_map(|f| (0..n).filter(is_other).map(move |i| (i.min(f), i.max(f))));
        let rest = (0..n).filter(is_other).flat_map(|a| (a + 1..n).filter(is_other).map(move |b| (a, b)));
        pairs.chain(rest).nth(number).map(|(a, b)| (self.ids[a], self.ids[b]))
    }
}
