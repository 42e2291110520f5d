//! The LLM view of a step, laid out as lines, and a search in what of it is not laid out.

use super::jobs::Source;
use super::lanes::IsWanted;
use crate::app::pane::{ViewLines, ViewOf};
use crate::app::{Msg, SearchPosition};
use crate::format::{ContextFill, ContextShare, Run, ViewEntry, ViewLimit, ViewList};
use crate::model::{Bytes, StepNo};
use crate::panes::text_view::TextLine;
use crate::text::{Pattern, Role, count_text, counted};
use std::ops::Range;
use std::sync::PoisonError;

/// Most entries and bytes of the LLM view that are laid out on each side of the place that is looked at.
const LAID_OUT: ViewLimit = ViewLimit { entries: 1_000, bytes: 256 << 10 };
/// Most steps and bytes of records of a window of which it is counted what fills it: all of them are read for that.
const COUNTED_STEPS: usize = 5_000;
const COUNTED_BYTES: u64 = 8 << 20;
/// Most parts of a window that are named, the greatest first.
const SHARES_MAX: usize = 5;
/// Bytes of text that a search reads before it lets who fills the run go first.
const SEARCHED_BYTES: usize = 1 << 20;

/// What the model sees at a step, or the messages that it is made of, as lines: the part of it that was asked for.
pub(super) fn lines(source: &Source, of: ViewOf) -> ViewLines {
    let Some(part) = with_list(source, of, |list| list.part(of.around, LAID_OUT)) else { return ViewLines::default() };
    let mut out = ViewLines { range: part.range, count: part.count, ..ViewLines::default() };
    for (position, entry) in &part.entries {
        if !out.lines.is_empty() {
            out.lines.push(TextLine::new(Role::Text, ""));
        }
        out.starts.push((*position, out.lines.len()));
        out.lines.extend(lines_of(entry));
    }
    out
}

/// What fills the window of the model at a step, and what left it, in lines; None: it is not known, or too much.
pub(super) fn fill(source: &Source, step: StepNo) -> Option<Vec<String>> {
    let run = source.run.as_ref()?.read().unwrap_or_else(PoisonError::into_inner);
    let seen = run.context_steps(step)?;
    let bytes: u64 = seen.iter().filter_map(|step| run.place(*step)).map(|place| place.place.span.len).sum();
    if seen.is_empty() || seen.len() > COUNTED_STEPS || bytes > COUNTED_BYTES {
        return None;
    }
    let fill = ContextFill::of(run.as_ref(), step, source.bytes.as_ref(), 1)?;
    let all = fill.tokens();
    if all == 0 {
        return None;
    }
    let share = |share: &ContextShare| {
        let percent = fill.percent(share);
        let what = if share.kind == "message" { share.role.name().to_owned() } else { share.kind.replace('-', " ") };
        (percent > 0).then(|| format!("{what} {percent}%"))
    };
    let shares: Vec<String> = fill.shares.iter().filter_map(share).take(SHARES_MAX).collect();
    let mut lines = vec![format!("≈ {} tokens of text: {}", grouped(all), shares.join(" · "))];
    let recorded = fill.recorded.map(|usage| {
        let (read, cached, written) = (grouped(usage.read()), grouped(usage.cache_read), grouped(usage.output));
        format!("recorded @{}: {read} read ({cached} cached), {written} written", usage.step)
    });
    lines.extend(recorded);
    lines.extend(fill.compactions.last().map(|last| {
        let (steps, tokens) = (counted(last.dropped, "step"), grouped(last.tokens()));
        format!("compaction @{}: {steps} left the window, ≈ {tokens} tokens", last.step)
    }));
    Some(lines)
}

fn grouped(count: u64) -> String {
    count_text(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Finds the next entry with a hit behind (or before) one, round the end and back to that one.
pub(super) fn find(
    source: &Source,
    (number, pattern, is_forward): (u64, &Pattern, bool),
    (of, from): (ViewOf, usize),
    is_wanted: &IsWanted<'_>,
    send: &mut dyn FnMut(Msg),
) {
    let count = with_list(source, of, |list| list.count()).unwrap_or(0);
    // The position of each entry that is looked at, by how many were looked at before it.
    let position = |nth: usize| if is_forward { (from + 1 + nth) % count } else { (from + count - 1 - nth) % count };
    let mut looked = 0;
    let mut found = None;
    while looked < count && found.is_none() && is_wanted() {
        let looking = |list: &ViewList<'_>| first_with_hit(list, looked..count, &position, pattern, is_wanted);
        let Some((entry, next)) = with_list(source, of, looking) else { break };
        (found, looked) = (entry, next);
    }
    if is_wanted() {
        send(Msg::SearchResult(number, found.map(|entry| SearchPosition::Entry(of, entry))));
    }
}

/// The first entry with a hit, and how many were looked at.
fn first_with_hit(
    list: &ViewList<'_>,
    looked: Range<usize>,
    position: &dyn Fn(usize) -> usize,
    pattern: &Pattern,
    is_wanted: &IsWanted<'_>,
) -> (Option<usize>, usize) {
    let mut used = 0;
    for nth in looked.clone() {
        let entry = list.entry(position(nth));
        if entry.as_ref().is_some_and(|entry| lines_of(entry).iter().any(|line| pattern.is_match(&line.text))) {
            return (Some(position(nth)), nth + 1);
        }
        used += entry.map_or(0, |entry| entry.text.len());
        // One that is made at once is searched at once too: it would be made again for each part.
        if used > SEARCHED_BYTES && (!list.is_eager() || !is_wanted()) {
            return (None, nth + 1);
        }
    }
    (None, looked.end)
}

/// Asks something of the entries of a view.
fn with_list<A>(source: &Source, of: ViewOf, ask: impl FnOnce(&ViewList<'_>) -> A) -> Option<A> {
    let run = source.run.as_ref()?.read().unwrap_or_else(PoisonError::into_inner);
    Some(ask(&list(run.as_ref(), source.bytes.as_ref(), of)))
}

fn list<'v>(run: &'v dyn Run, bytes: &'v dyn Bytes, of: ViewOf) -> ViewList<'v> {
    let raw = if of.has_raw_messages { run.raw_view(of.step, bytes) } else { None };
    raw.map_or_else(|| run.view_list(of.step, bytes), ViewList::of)
}

/// An entry as lines: who speaks, and what they say.
fn lines_of(entry: &ViewEntry) -> Vec<TextLine> {
    let mut out = Vec::new();
    if let Some(role) = &entry.role {
        out.push(TextLine::new(speaker(role), format!("── {role} ")).from_step(entry.step));
    }
    // Where a line above says who speaks, the text does not.
    let without_role = entry.role.as_ref().and_then(|role| entry.text.strip_prefix(role)?.strip_prefix(": "));
    for line in without_role.unwrap_or(&entry.text).lines() {
        let role = if line.starts_with("## ") { Role::Kind } else { Role::Text };
        out.push(TextLine::new(role, line).from_step(entry.step));
    }
    out
}

fn speaker(role: &str) -> Role {
    match role {
        "user" => Role::User,
        "assistant" | "agent" => Role::Agent,
        "system" | "developer" => Role::System,
        _ => Role::Environment,
    }
}
