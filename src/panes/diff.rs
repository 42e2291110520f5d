//! The Diff tab: how the state differs from another step, or one instance from another; by path, with the words that
//! differ marked and long lists folded.

use super::place_name::place_name;
use super::text_view::TextLine;
use super::value;
use crate::format::Run;
use crate::json::{self, Key};
use crate::model::{Bytes, HEAD, Identity, StepNo};
use crate::state::diff::{self, At, DiffPart, Difference, Side, words};
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
/// Longest text that is compared so, and how much of all texts, in bytes of JSON.
const TEXT_BYTES_MAX: u64 = 4 << 20;
const ALL_BYTES_MAX: u64 = 8 << 20;
/// Longest text that is shown line by line where it is all new or gone, in bytes of JSON.
const LINES_BYTES_MAX: u64 = 8 << 10;
/// Most lines of one text that are shown.
const LINES_MAX: usize = 100;
/// What lines begin with that are beside those that differ.
const CONTEXT_HEAD: &str = "    ┊ ";
/// Characters shown of each end of a longer stretch of equal text.
const EQUAL_CHARS: usize = 48;
/// The same of the lines beside a change.
const LINE_CHARS: usize = 200;
/// Characters shown of the beginning of a longer stretch that differs.
const CHANGED_CHARS: usize = 2_000;
/// No further stretch is shown of a text that takes more than this.
const SHOWN_BYTES_MAX: usize = 16 << 10;

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

/// Lines in the making.
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
                return Some(ShownValue { text, changed: None, spelling: Spelling::Lines });
            }
            let text = value::stored(&side.value, self.bytes).text.as_str().to_owned();
            Some(ShownValue { text, changed: None, spelling: Spelling::Json })
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

/// How a string is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// As JSON, in one line.
    Json,
    /// As it is, line by line.
    Lines,
}

impl Spelling {
    /// That of texts which are to be compared by eye.
    fn of(texts: &[&str]) -> Self {
        if texts.iter().any(|part| part.contains('\n')) { Self::Lines } else { Self::Json }
    }

    fn put(self, part: &str, text: &mut String) {
        match self {
            Self::Json => text.push_str(inside(&json::quote(part))),
            Self::Lines => text.push_str(part),
        }
    }
}

/// A value as text; the parts that differ, if not all of it.
struct ShownValue {
    text: String,
    changed: Option<Vec<Range<usize>>>,
    spelling: Spelling,
}

impl ShownValue {
    /// A string with the ranges that differ; long stretches that do not are cut out.
    fn of(whole: &str, changed: &[Range<usize>], spelling: Spelling) -> Self {
        let quote = if spelling == Spelling::Json { "\"" } else { "" };
        let (mut text, mut ranges, mut at) = (quote.to_owned(), Vec::new(), 0);
        for range in changed {
            put_equal(&whole[at..range.start], at > 0, true, spelling, &mut text);
            let start = text.len();
            let cut =
                whole[range.clone()].char_indices().nth(CHANGED_CHARS).map_or(range.end, |(at, _)| range.start + at);
            spelling.put(&whole[range.start..cut], &mut text);
            ranges.push(start..text.len());
            if cut < range.end {
                text.push('…');
            }
            at = range.end;
            if text.len() > SHOWN_BYTES_MAX {
                return Self { text: text + "…", changed: Some(ranges), spelling };
            }
        }
        put_equal(&whole[at..], at > 0, false, spelling, &mut text);
        text.push_str(quote);
        Self { text, changed: Some(ranges), spelling }
    }

    fn lines(&self, sign: &str, role: Role, writer: &str) -> Vec<TextLine> {
        if self.spelling == Spelling::Json {
            return vec![self.line(0..self.text.len(), &format!("  {sign} "), role, &format!("   {writer}"))];
        }
        let (head, mut from, mut lines) = (format!("  {sign} ┊ "), 0, Vec::new());
        let count = self.text.split('\n').count();
        for (i, text) in self.text.split('\n').enumerate().take(LINES_MAX) {
            let is_last = i + 1 == count.min(LINES_MAX);
            let label = match count.saturating_sub(LINES_MAX) {
                _ if !is_last => String::new(),
                0 => format!("   {writer}"),
                more => format!("   … {} more lines   {writer}", value::count_text(more)),
            };
            let part = from..from + text.len();
            lines.push(if self.is_changed(&part) {
                self.line(part, &head, role, &label)
            } else {
                self.line(part, CONTEXT_HEAD, Role::Dim, &label)
            });
            from += text.len() + 1;
        }
        lines
    }

    /// Whether something differs in a line; one without text differs if it is new or gone.
    fn is_changed(&self, line: &Range<usize>) -> bool {
        let Some(ranges) = &self.changed else { return true };
        let end = if line.is_empty() { line.end + 1 } else { line.end };
        let next = &ranges[ranges.partition_point(|range| range.end <= line.start)..];
        next.first().is_some_and(|range| range.start < end)
    }

    /// A part of the text as a line, with what precedes and follows it.
    fn line(&self, part: Range<usize>, head: &str, role: Role, text: &str) -> TextLine {
        let end = head.len() + part.len();
        let mut line = TextLine::new(Role::JsonString, format!("{head}{}{text}", &self.text[part.clone()]));
        line.marks.push((0..head.len(), role));
        match &self.changed {
            None => line.marks.push((head.len()..end, role)),
            Some(ranges) => {
                let first = ranges.partition_point(|range| range.end <= part.start);
                let within = ranges[first..].iter().take_while(|range| range.start < part.end);
                let place = |at: usize| head.len() + at.clamp(part.start, part.end) - part.start;
                line.marks.extend(within.map(|range| (place(range.start)..place(range.end), role)));
            }
        }
        line.marks.push((end..line.text.len(), Role::Blame));
        line
    }
}

/// Puts text that is equal in both, without its middle where it is long; of text at an end of the value the side
/// towards the change is enough.
fn put_equal(part: &str, has_before: bool, has_behind: bool, spelling: Spelling, text: &mut String) {
    if spelling == Spelling::Lines && part.contains('\n') {
        return put_equal_lines(part, has_before, has_behind, text);
    }
    let count = part.chars().count();
    let (head, tail) = (if has_before { EQUAL_CHARS } else { 0 }, if has_behind { EQUAL_CHARS } else { 0 });
    if count <= 2 * EQUAL_CHARS {
        return spelling.put(part, text);
    }
    let cut = |n: usize| part.char_indices().nth(n).map_or(part.len(), |(at, _)| at);
    spelling.put(&part[..cut(head)], text);
    text.push('…');
    spelling.put(&part[cut(count - tail)..], text);
}

/// The same of lines: what is left of the line that the change is in, and one more.
fn put_equal_lines(part: &str, has_before: bool, has_behind: bool, text: &mut String) {
    let breaks = || part.match_indices('\n').map(|(at, _)| at);
    let head = if has_before { breaks().nth(1).unwrap_or(part.len()) } else { 0 };
    let tail = if has_behind { breaks().rev().nth(1).map_or(0, |at| at + 1) } else { part.len() };
    if head >= tail || part.len() <= 2 * EQUAL_CHARS && breaks().count() <= 3 {
        return text.push_str(part);
    }
    let place = |chars: usize| part.char_indices().nth(chars).map_or(part.len(), |(at, _)| at);
    let near = place(LINE_CHARS).min(head);
    text.push_str(&part[..near]);
    text.push_str(if near < head { "…" } else { "" });
    text.push_str(match (has_before, has_behind) {
        (true, true) => "\n…\n",
        (false, _) => "…\n",
        (true, false) => "\n…",
    });
    let near = part[tail..].char_indices().rev().nth(LINE_CHARS).map_or(tail, |(at, _)| tail + at);
    text.push_str(if near > tail { "…" } else { "" });
    text.push_str(&part[near..]);
}

/// A JSON string without its quotes.
fn inside(quoted: &str) -> &str {
    quoted.get(1..quoted.len() - 1).unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_words_that_differ_are_marked_and_long_equal_text_is_cut() {
        let long = "word ".repeat(60);
        let (was, is) = (format!("{long}two\tnights"), format!("{long}three\tnights"));
        let found = words(&was, &is).unwrap();
        let line =
            ShownValue::of(&is, &found.added, Spelling::of(&[&was, &is])).lines("+", Role::Added, "@4 quote").remove(0);
        let marked: Vec<_> = line.marks.iter().map(|(range, role)| (&line.text[range.clone()], *role)).collect();
        assert_eq!(marked, [("  + ", Role::Added), ("three", Role::Added), ("   @4 quote", Role::Blame)]);
        assert!(
            line.text.len() < 120 && line.text.contains("\"…") && line.text.contains("\\tnights\""),
            "{}",
            line.text
        );
    }

    #[test]
    fn texts_of_several_lines_are_shown_line_by_line_from_shortly_before_the_change() {
        let text = |word: &str| {
            (0..9_000)
                .map(|i| format!("line {i} {word}\n", word = if i == 6_000 { word } else { "é" }))
                .collect::<String>()
        };
        let (was, is) = (text("old"), text("new"));
        let found = words(&was, &is).unwrap();
        let shown = ShownValue::of(&is, &found.added, Spelling::of(&[&was, &is]));
        let lines = shown.lines("+", Role::Added, "@4");
        assert!(lines.len() < 20 && lines.iter().any(|line| line.text == "  + ┊ line 6000 new"), "{lines:?}");
        assert!(lines.last().unwrap().text.ends_with("   @4"));
        let marked =
            lines.iter().flat_map(|line| line.marks.iter().map(|(range, role)| (&line.text[range.clone()], *role)));
        let marked: Vec<&str> =
            marked.filter(|(text, role)| *role == Role::Added && *text != "  + ┊ ").map(|m| m.0).collect();
        assert_eq!(marked, ["new"]);
    }
}
