//! The Diff tab: how the state differs from another step, or one instance from another; by path, with the words that
//! differ marked and long lists folded.

use super::reader::TextLine;
use super::value;
use crate::format::Run;
use crate::json::{self, Key};
use crate::model::{Bytes, HEAD, Identity, StepNo};
use crate::state::diff::{self, At, Difference, Part, Side, words};
use crate::state::{IdentityId, Stored};
use crate::text::Role;
use std::collections::BTreeSet;
use std::ops::Range;

/// Most differences that are laid out.
const DIFFERENCES_MAX: usize = 5_000;
/// Of more differences than this in one list the first few are shown, the others folded.
const LIST_MAX: usize = 16;
const LIST_SHOWN: usize = 6;
/// Most pairs of texts that are compared word by word.
const WORDS_MAX: usize = 200;
/// Longest text that is compared so, in bytes of JSON.
const TEXT_BYTES_MAX: usize = 8 << 10;
/// Of a longer stretch of equal text only its ends are shown, so many characters each.
const EQUAL_CHARS: usize = 48;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
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

impl Question {
    /// About how many writes the answer has to look at.
    #[must_use]
    pub fn cost(self, run: &dyn Run) -> usize {
        match self {
            Self::Steps { from, to } => run.tree().writes_between(from, to),
            Self::Instances { step, .. } => run.tree().writes_between(HEAD - 1, step),
        }
    }

    fn parts(self, run: &dyn Run) -> Vec<Part> {
        let tree = run.tree();
        match self {
            Self::Steps { from, to } => diff::steps(tree, from, to),
            Self::Instances { step, old, new } => diff::identities(At { tree, step }, old, new),
        }
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

/// The answer as lines; `unfolded` names the lists that are shown whole.
#[must_use]
pub fn lines(run: &dyn Run, bytes: &dyn Bytes, question: Question, unfolded: &BTreeSet<String>) -> Vec<TextLine> {
    let parts = question.parts(run);
    let mut layout = Layout { run, bytes, out: Vec::new(), words_left: WORDS_MAX };
    layout.put(TextLine::new(Role::Title, question.title(run)));
    layout.put(TextLine::new(Role::Dim, ""));
    let mut at = 0;
    while at < parts.len().min(DIFFERENCES_MAX) {
        at += match &parts[at] {
            Part::Same(count) => layout.same(*count),
            Part::Differs(difference) => {
                let list = list_of(run, difference);
                let len = parts[at..].iter().take_while(|p| is_in(run, p, &list)).count();
                layout.list(&parts[at..at + len], &list, unfolded.contains(&list))
            }
        };
    }
    if at < parts.len() {
        let left = parts[at..].iter().filter(|p| matches!(p, Part::Differs(_))).count();
        let text = format!("… {} more; `obelus diff` prints them all", value::count_text(left));
        layout.put(TextLine::new(Role::Dim, text));
    }
    if !parts.iter().any(|p| matches!(p, Part::Differs(_))) {
        layout.out.truncate(2);
        layout.put(TextLine::new(Role::Dim, "no difference"));
    }
    layout.out
}

fn is_in(run: &dyn Run, part: &Part, list: &str) -> bool {
    matches!(part, Part::Differs(difference) if list_of(run, difference) == list)
}

/// The list that a value stands in: its outermost array, else the object around it.
fn list_of(run: &dyn Run, difference: &Difference) -> String {
    let path = &difference.path;
    let parent = path.len().saturating_sub(1);
    let end = path.iter().position(|key| matches!(key, Key::Index(_))).unwrap_or(parent).min(parent);
    difference.side().map_or_else(String::new, |(side, _)| name(run, side, &path[..end]))
}

fn name(run: &dyn Run, side: &Side, path: &[Key]) -> String {
    let identity = run.tree().identity(side.id);
    let reference = run.reference(identity, path);
    identity.instance.as_ref().map_or(reference.clone(), |instance| format!("{reference} {instance}"))
}

/// Lines in the making.
struct Layout<'r> {
    run: &'r dyn Run,
    bytes: &'r dyn Bytes,
    out: Vec<TextLine>,
    words_left: usize,
}

impl Layout<'_> {
    fn put(&mut self, line: TextLine) {
        self.out.push(line);
    }

    fn same(&mut self, count: usize) -> usize {
        let s = if count == 1 { "" } else { "s" };
        self.put(TextLine::new(Role::Dim, format!("… {} value{s} alike", value::count_text(count))));
        1
    }

    /// Differences of one list, all or the first few of many; how many that were.
    fn list(&mut self, parts: &[Part], name: &str, is_unfolded: bool) -> usize {
        let is_folded = parts.len() > LIST_MAX && !is_unfolded;
        let shown = if is_folded { LIST_SHOWN } else { parts.len().min(DIFFERENCES_MAX) };
        for part in &parts[..shown] {
            if let Part::Differs(difference) = part {
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
                let line = shown.line(sign, role, &self.writer(side));
                lines.push(line.from_step(side.step).of_value(target(side)));
            }
        }
        self.out.extend(lines);
    }

    /// Step and name of who wrote a value.
    fn writer(&self, side: &Side) -> String {
        let who = self.run.credit(side.id, side.step, self.bytes).who;
        let who = who.map_or_else(String::new, |who| format!(" {who}"));
        format!("{}{who}", super::state::at(side.step))
    }

    /// Both values as text, with the words that differ.
    fn texts(&mut self, difference: &Difference) -> (Option<Shown>, Option<Shown>) {
        if let (Some(old), Some(new)) = (&difference.old, &difference.new)
            && self.words_left > 0
            && let (Some(was), Some(is)) = (self.string(&old.value), self.string(&new.value))
        {
            self.words_left -= 1;
            if let Some(found) = words(&was, &is) {
                return (Some(Shown::of(&was, &found.removed)), Some(Shown::of(&is, &found.added)));
            }
        }
        let plain = |side: &Option<Side>| {
            let side = side.as_ref()?;
            Some(Shown { text: value::stored(&side.value, self.bytes).text.as_str().to_owned(), changed: None })
        };
        (plain(&difference.old), plain(&difference.new))
    }

    /// What a string says, if it is one and not too long.
    fn string(&self, stored: &Stored) -> Option<String> {
        let is_short = stored.span().is_none_or(|span| span.len <= TEXT_BYTES_MAX as u64);
        if stored.first_byte() != b'"' || !is_short {
            return None;
        }
        let text = stored.text(self.bytes).ok()?;
        json::parse(&text).ok()?.as_str().map(str::to_owned)
    }
}

/// A value as text; the parts that differ, if not all of it.
struct Shown {
    text: String,
    changed: Option<Vec<Range<usize>>>,
}

impl Shown {
    /// A string as JSON, with the ranges that differ; long stretches that do not are cut out.
    fn of(said: &str, changed: &[Range<usize>]) -> Self {
        let (mut text, mut ranges, mut at) = ("\"".to_owned(), Vec::new(), 0);
        for range in changed {
            put_equal(&said[at..range.start], at > 0, true, &mut text);
            let start = text.len();
            text.push_str(inside(&json::quote(&said[range.clone()])));
            ranges.push(start..text.len());
            at = range.end;
        }
        put_equal(&said[at..], at > 0, false, &mut text);
        text.push('"');
        Self { text, changed: Some(ranges) }
    }

    fn line(&self, sign: &str, role: Role, writer: &str) -> TextLine {
        let head = format!("  {sign} ");
        let end = head.len() + self.text.len();
        let mut line = TextLine::new(Role::JsonString, format!("{head}{}   {writer}", self.text));
        line.marks.push((0..head.len(), role));
        match &self.changed {
            None => line.marks.push((head.len()..end, role)),
            Some(ranges) => {
                line.marks.extend(ranges.iter().map(|r| (head.len() + r.start..head.len() + r.end, role)));
            }
        }
        line.marks.push((end..line.text.len(), Role::Blame));
        line
    }
}

/// Puts text that is equal in both, without its middle where it is long; of text at an end of the value the side
/// towards the change is enough.
fn put_equal(said: &str, has_before: bool, has_behind: bool, text: &mut String) {
    let count = said.chars().count();
    let (head, tail) = (if has_before { EQUAL_CHARS } else { 0 }, if has_behind { EQUAL_CHARS } else { 0 });
    if count <= 2 * EQUAL_CHARS {
        text.push_str(inside(&json::quote(said)));
        return;
    }
    let cut = |n: usize| said.char_indices().nth(n).map_or(said.len(), |(at, _)| at);
    text.push_str(inside(&json::quote(&said[..cut(head)])));
    text.push('…');
    text.push_str(inside(&json::quote(&said[cut(count - tail)..])));
}

/// A JSON string without its quotes.
fn inside(quoted: &str) -> &str {
    quoted.get(1..quoted.len() - 1).unwrap_or_default()
}

/// The pairs of identities of a kind at a step, instances before the global one: first and second, first and third …
#[must_use]
pub fn pairs(run: &dyn Run, kind: &str, step: StepNo) -> Vec<(IdentityId, IdentityId)> {
    let tree = run.tree();
    let identity = |id: IdentityId| -> &Identity { tree.identity(id) };
    let mut ids: Vec<IdentityId> =
        tree.identities(step).into_iter().map(|view| view.id).filter(|id| identity(*id).kind == kind).collect();
    ids.sort_by_key(|id| identity(*id).instance.is_none());
    let later = |i: usize| ids[i + 1..].iter().copied();
    (0..ids.len()).flat_map(|i| later(i).map(move |new| (i, new))).map(|(i, new)| (ids[i], new)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_words_that_differ_are_marked_and_long_equal_text_is_cut() {
        let long = "word ".repeat(60);
        let (was, is) = (format!("{long}two\nnights"), format!("{long}three\nnights"));
        let found = words(&was, &is).unwrap();
        let line = Shown::of(&is, &found.added).line("+", Role::Added, "@4 quote");
        let marked: Vec<_> = line.marks.iter().map(|(range, role)| (&line.text[range.clone()], *role)).collect();
        assert_eq!(marked, [("  + ", Role::Added), ("three", Role::Added), ("   @4 quote", Role::Blame)]);
        assert!(
            line.text.len() < 120 && line.text.contains("\"…") && line.text.contains("\\nnights\""),
            "{}",
            line.text
        );
    }
}
