//! Every write of the value in focus: step, when, who, what.

use super::{Extent, Hit, Nth, Open, Piece, Row, Scroll, Window, value};
use crate::format::Attribution;
use crate::format::cause::{Hop, ValueWrite};
use crate::json;
use crate::model::StepNo;
use crate::panes::state::kinds::DigestTexts;
use crate::state::{EventOp, HistoryEvent, Invalid, Leaf, NodeId, Stored};
use crate::text::{Pattern, Role, SafeText, pad};
use std::collections::HashMap;
use std::rc::Rc;

/// From this width on events are reported in words, with the time.
const WIDE: usize = 56;

/// Events of which a search also reads what their values were copied from and what their digests are of: a key
/// press waits for it.
const SEARCHED_CAUSES_MAX: usize = 100;

/// Said where a tab is about the state, of records that have none.
pub const NO_STATE: [&str; 2] = [
    "No state in these records.",
    "Nothing is known of how they merge, so no value has a history, a schema or a difference; obelus formats FILE says \
     why.",
];

type CacheKey = (u64, NodeId, StepNo);

/// Scroll and cursor of the history, and the events of the value in focus.
#[derive(Debug, Default)]
pub struct HistoryPane {
    /// Scroll and cursor, in events.
    pub scroll: Scroll,
    digests: DigestTexts,
    cache: std::cell::RefCell<Option<(CacheKey, Rc<Vec<HistoryEvent>>)>>,
}

impl HistoryPane {
    /// The events of the value in focus over the whole run.
    #[must_use]
    pub fn events(&self, open: &Open<'_>) -> Rc<Vec<HistoryEvent>> {
        let Some((_, node)) = open.focus_node() else { return Rc::default() };
        let key = (open.session.content_version(), node, open.last());
        if let Some((cached, events)) = &*self.cache.borrow()
            && *cached == key
        {
            return Rc::clone(events);
        }
        let events = Rc::new(open.tree().history(node, open.last()));
        *self.cache.borrow_mut() = Some((key, Rc::clone(&events)));
        events
    }

    /// Puts the cursor on the last event up to the step in focus.
    pub fn follow_step(&mut self, open: &Open<'_>) {
        let events = self.events(open);
        self.scroll.cursor = events.partition_point(|e| e.at <= open.step()).saturating_sub(1);
    }

    /// The step of the event under the cursor.
    #[must_use]
    pub fn step(&self, open: &Open<'_>) -> Option<StepNo> {
        self.events(open).get(self.scroll.cursor).map(|e| e.at)
    }

    /// Puts the cursor on the next or previous event whose row matches, around the end; which one it is.
    pub fn search(&mut self, open: &Open<'_>, pattern: &Pattern, is_forward: bool) -> Option<Nth> {
        let events = self.events(open);
        let checks = focus_checks(open);
        // Where each value came from is looked up for those that fit into what is kept of it.
        let searched = &events[..events.len().min(SEARCHED_CAUSES_MAX)];
        let causes = causes(open, searched);
        let is_hit = |i: usize| {
            let event = &events[i];
            let digests = (i < SEARCHED_CAUSES_MAX).then_some(&self.digests);
            let mut row = row(open, event, causes.get(i).map_or(&[], |cause| cause), digests, (false, true));
            row.left.extend(verdict(open, event, i == 0 || events[i - 1].at != event.at, &checks));
            pattern.is_match(&row.plain())
        };
        let hits: Vec<usize> = (0..events.len()).filter(|i| is_hit(*i)).collect();
        self.scroll.move_to_hit(&hits, is_forward)
    }

    /// The visible rows.
    #[must_use]
    pub fn window(&self, open: &Open<'_>, extent: Extent, has_focus: bool) -> Window {
        let Some((identity, path)) = &open.session.focus.path else {
            let lines = if open.session.format.has_state() {
                [
                    "No value in focus.",
                    "Move in the State pane, or press `{write-next}` for the next write; its history shows here.",
                ]
            } else {
                NO_STATE
            };
            return open.session.key_names.notice(&lines, extent.width);
        };
        let events = self.events(open);
        let name = open.place_name(identity, path);
        let mut rows = vec![
            Row::new(vec![
                Piece::of(Role::Reference, &format!(" {name}")),
                Piece::of(Role::Dim, &format!("   {}", value::count_of(events.len(), "event"))),
            ]),
            Row::text(Role::Dim, &format!(" {:>7}  what", "step")),
        ];
        let is_wide = extent.width >= WIDE;
        let height = extent.height.saturating_sub(rows.len());
        let checks = focus_checks(open);
        let current = events.partition_point(|e| e.at <= open.step()).checked_sub(1);
        let top = self.scroll.top.min(events.len());
        let visible = &events[top..events.len().min(top + height)];
        for (i, (event, cause)) in (top..).zip(visible.iter().zip(causes(open, visible))) {
            let cursor = has_focus && i == self.scroll.cursor;
            let is_first = i == 0 || events[i - 1].at != event.at;
            let mut row = row(open, event, &cause, Some(&self.digests), (current == Some(i), is_wide));
            row.left.extend(verdict(open, event, is_first, &checks));
            rows.push(row.hit(Hit::Row(i)).cursor(cursor));
        }
        Window { rows, top: self.scroll.top, total: events.len() }
    }
}

/// The write that an event is, if its author accounts for it.
fn written<'e>(open: &Open<'_>, event: &'e HistoryEvent) -> Option<ValueWrite<'e>> {
    let event = Some(event).filter(|event| open.run().accounts_for(event))?;
    Some(ValueWrite { node: event.node, author: event.author, value: event.value.as_ref()? })
}

/// Where the values of some events came from; empty where that is not known.
fn causes(open: &Open<'_>, events: &[HistoryEvent]) -> Vec<Rc<Vec<Hop>>> {
    let writes: Vec<Option<ValueWrite<'_>>> = events.iter().map(|event| written(open, event)).collect();
    let known: Vec<ValueWrite<'_>> = writes.iter().flatten().copied().collect();
    let mut found = open.causes(&known).into_iter();
    writes.iter().map(|write| write.and_then(|_| found.next()).unwrap_or_default()).collect()
}

/// The violations at, above and below the value in focus.
struct FocusChecks {
    /// In the order in which they came up.
    all: Vec<Invalid>,
    /// Places of those that a step repaired.
    repaired: HashMap<StepNo, Vec<usize>>,
}

fn focus_checks(open: &Open<'_>) -> FocusChecks {
    let focus = open.session.focus.path.as_ref().zip(open.focus_node());
    let all = focus.map(|((_, path), (id, _))| open.session.checks.below(id, path)).unwrap_or_default();
    let mut repaired: HashMap<StepNo, Vec<usize>> = HashMap::new();
    for (i, one) in all.iter().enumerate() {
        one.repaired_at().into_iter().for_each(|at| repaired.entry(at).or_default().push(i));
    }
    FocusChecks { all, repaired }
}

/// Whether an event broke the schema or repaired the value (A42). What is wrong with a container is reported by the
/// first event of the step.
fn verdict(open: &Open<'_>, event: &HistoryEvent, is_first: bool, checks: &FocusChecks) -> Option<Piece> {
    let FocusChecks { all, repaired } = checks;
    if all.is_empty() {
        return None;
    }
    let (_, path) = open.tree().path(event.node);
    let is_of_event =
        |i: &&Invalid| i.violation.path.starts_with(&path) || (is_first && path.starts_with(&i.violation.path));
    let from = all.partition_point(|i| i.from < event.at);
    if let Some(broken) = all[from..].iter().take_while(|i| i.from == event.at).find(is_of_event) {
        return Some(Piece::of(Role::Error, &format!("  ✗ schema: {}", broken.violation.message)));
    }
    let repaired = repaired.get(&event.at).into_iter().flatten().map(|i| &all[*i]).find(is_of_event);
    repaired.map(|_| Piece::of(Role::Good, "  repaired"))
}

/// One event: with words and the time where there is room, else with signs. Texts are looked up for `digests`.
fn row(
    open: &Open<'_>,
    event: &HistoryEvent,
    cause: &[Hop],
    digests: Option<&DigestTexts>,
    (is_current, is_wide): (bool, bool),
) -> Row {
    let (sign, word, role) = match event.op {
        EventOp::Add => ("+", "added", Role::Added),
        EventOp::Change => ("~", "changed", Role::Changed),
        EventOp::Same => ("=", "unchanged", Role::Dim),
        EventOp::Drop => ("−", "gone", Role::Removed),
        EventOp::Reset => ("−", "reset", Role::Removed),
    };
    let attribution = if open.run().accounts_for(event) {
        let last = || open.run().attribution(event.identity, event.author, open.bytes());
        open.run().attribution_of(event).unwrap_or_else(last)
    } else {
        Attribution::default()
    };
    let mut left = vec![
        Piece::of(Role::Accent, if is_current { "▌" } else { " " }),
        Piece::of(Role::Blame, &format!("{:>7}  ", super::state::at(event.at))),
        if is_wide { Piece::safe(role, pad(&SafeText::literal(word), 9)) } else { Piece::of(role, sign) },
        Piece::of(Role::Text, " "),
    ];
    let focus = open.session.focus.path.as_ref().map_or(0, |(_, p)| p.len());
    let (_, path) = open.tree().path(event.node);
    if path.len() > focus {
        left.push(Piece::of(Role::Dim, &format!("{}  ", crate::json::pointer(&path[focus..]))));
    }
    if let Some(stored) = &event.value {
        let mut pieces =
            words(open, event, stored, digests).unwrap_or_else(|| vec![value::stored(stored, open.bytes())]);
        if event.op == EventOp::Same {
            pieces.iter_mut().for_each(|piece| piece.role = Role::Dim);
        }
        left.extend(pieces);
    }
    for (i, hop) in cause.iter().enumerate() {
        left.push(Piece::of(Role::Dim, if i == 0 { "   = " } else { " = " }));
        left.push(Piece::of(Role::Reference, &hop.describe(open.run())));
    }
    let mut right = Vec::new();
    if let Some(who) = attribution.who {
        right.push(Piece::of(Role::Text, &format!("  {who}")));
    }
    if let Some(when) = attribution.when.filter(|_| is_wide) {
        right.push(Piece::of(Role::Dim, &format!(" {}", clock(&when))));
    }
    Row::new(left).right(right)
}

/// A value that the state has as a digest, or as what was done to a file, in words.
fn words(open: &Open<'_>, event: &HistoryEvent, stored: &Stored, digests: Option<&DigestTexts>) -> Option<Vec<Piece>> {
    if stored.first_byte() != b'{' {
        return None;
    }
    let (node, value) = (event.node, stored.clone());
    let leaf = Leaf { node, path: Vec::new(), value, step: event.author, changed: event.at };
    if let Some(text) = digests.and_then(|digests| digests.text(open, &leaf)) {
        return Some(text.pieces());
    }
    let is_file = open.tree().identity(event.identity).kind == "file";
    let text = stored.text(open.bytes()).ok().filter(|_| is_file)?;
    Some(vec![Piece::of(Role::Text, &file_write(&text)?)])
}

/// W5: what was done to a file, `edit line 20 +1 −1`.
fn file_write(json: &str) -> Option<String> {
    let write = json::parse(json).ok()?;
    let number = |key: &str| write.get(key)?.as_number()?.parse::<u64>().ok();
    let some = |sign: &str, key: &str| number(key).filter(|n| *n > 0).map(|n| format!(" {sign}{n}"));
    let line = number("line").map(|line| format!(" line {line}"));
    let parts = [line, some("+", "added"), some("−", "removed")];
    Some(parts.into_iter().flatten().fold(write.get("op")?.as_str()?.to_owned(), |all, part| all + &part))
}

/// The time of day of an ISO 8601 time stamp; other texts as they are.
#[must_use]
pub fn clock(time: &str) -> &str {
    match time.split_once('T') {
        Some((date, rest)) if date.len() == 10 => rest.get(..8).unwrap_or(rest),
        _ => time,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_was_done_to_a_file_is_words() {
        let of = |text: &str| super::file_write(text);
        assert_eq!(of(r#"{"op":"edit","line":20,"added":1,"removed":0}"#).as_deref(), Some("edit line 20 +1"));
        assert_eq!(of(r#"{"op":"view","line":1,"added":0,"removed":0}"#).as_deref(), Some("view line 1"));
        assert_eq!((of(r#"{"line":1}"#), of("{")), (None, None));
    }

    #[test]
    fn shows_the_time_of_day() {
        assert_eq!(super::clock("2026-03-01T09:00:02Z"), "09:00:02");
        assert_eq!(super::clock("yesterday"), "yesterday");
    }
}
