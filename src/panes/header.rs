//! The line above the panes (where am I), and the line below them that explains the value in focus.

use super::live::AWAITED;
use super::row::pieces_width;
use super::table::{TablePane, measured};
use super::{Follow, Open, Piece, Session, marks, state::at, times, value};
use crate::format::Layout;
use crate::format::cause::{Hop, ValueWrite};
use crate::model::StepNo;
use crate::review::Numbers;
use crate::state::{EventOp, HistoryEvent, IdentityId, Leaf, NodeId};
use crate::text::{Role, SafeText, cut, cut_middle};

/// Least room for the path of the value that the sentence is about.
const PATH_CELLS_MIN: usize = 24;
/// Fewest cells of the name of the input.
const NAME_CELLS_MIN: usize = 8;
/// Cells between it and the right part of the line.
const NAME_GAP: usize = 2;
/// Most hops back that the explanation of a value names.
const HOPS_SHOWN: usize = 3;
/// From this width on the header says of how many trajectories one is.
const NUMBERED: usize = 70;
/// From this width on the header shows the date with the time.
const DATED: usize = 150;
/// From this width on the sentence on a value has room for all it reports.
const WIDE: usize = 110;
/// In a narrower line nothing is added to that no value is in focus.
const HINT_CELLS_MIN: usize = 78;

/// What the header says of the table: the terms of its filter, and how many of how many records are shown.
#[must_use]
pub fn table(session: &Session, table: &TablePane, cells: usize) -> (Vec<Piece>, Vec<Piece>) {
    let mut chips = Vec::new();
    for term in table.filter.terms() {
        chips.push(Piece::of(Role::Text, if chips.is_empty() { "  " } else { " " }));
        chips.push(Piece::of(Role::Match, &format!(" {term} ")));
    }
    let mut counts = table.counts(session, cells);
    counts.push(Piece::of(Role::Text, " "));
    (chips, counts)
}

/// Left and right part of the header. `reward` is that of the open trajectory, where it has one.
#[must_use]
pub fn header(
    session: &Session,
    open: Option<&Open<'_>>,
    reward: Option<f64>,
    cells: usize,
) -> (Vec<Piece>, Vec<Piece>) {
    let mut left = vec![Piece::of(Role::Title, if cells >= 60 { " obelus  " } else { " " })];
    let mut right = marks::progress(session, cells >= if open.is_some() { 100 } else { 60 });
    let mut before_verdict = right.len();
    if let Some(open) = open {
        // Of one record it says nothing that it is the first.
        if session.format.layout() == Layout::Set && session.is_dataset() {
            let mark = if session.records.is_complete() { "" } else { "≥" };
            let last = session.records.count().saturating_sub(1);
            let of = if cells >= NUMBERED {
                // By its number in the table and in commands.
                format!("trajectory {} of 0–{mark}{last}", session.trajectory)
            } else {
                format!("#{}", session.trajectory)
            };
            right.push(Piece::of(Role::Dim, &of));
            right.push(Piece::of(Role::Dim, "  "));
        }
        before_verdict = right.len();
        let verdict = session.review.verdict(session.trajectory);
        if let Some(verdict) = verdict.filter(|_| session.format.layout() == Layout::Set) {
            right.push(Piece::of(marks::role(verdict), &format!("{}  ", verdict.name())));
        }
        right.extend(step_pieces(open, cells));
        right.extend(findings(open, cells));
    }
    let behind_findings = right.len();
    right.extend(liveness(session, open, cells));
    right.extend(session.replay.map(|replay| replay.label(session.records.count(), cells)));
    // The name leaves a gap before what is at the right.
    let room = cells.saturating_sub(pieces_width(&left) + pieces_width(&right) + NAME_GAP);
    let most = if cells >= 60 { cells / 2 } else { cells * 2 / 5 };
    left.push(Piece::safe(Role::Text, cut_middle(&SafeText::of(&session.name), most.min(room.max(NAME_CELLS_MIN)))));
    // What there is room for, the less needed last.
    let used = pieces_width(&left) + pieces_width(&right) + 3;
    let reward = reward.filter(|_| open.is_some() && cells >= 60).map(reward_pieces);
    let reward = reward.filter(|reward| used + pieces_width(reward) <= cells).unwrap_or_default();
    let used = used + pieces_width(&reward);
    let failed = open.filter(|_| cells >= 60).map(failures);
    let failed = failed.filter(|failed| used + pieces_width(failed) <= cells).unwrap_or_default();
    let used = used + pieces_width(&failed);
    right.splice(behind_findings..behind_findings, failed);
    right.splice(before_verdict..before_verdict, reward);
    let stage = session.format.stage(&session.name).map_or_else(String::new, |stage| format!(" · {stage}"));
    let title = Piece::of(Role::Dim, &format!(" · {}{stage}", session.format.title()));
    let is_known = session.live.stale != Some(AWAITED);
    let has_title = is_known && cells >= 70 && used + title.width() <= cells;
    let used = used + if has_title { title.width() } else { 0 };
    left.extend(Some(title).filter(|_| has_title));
    let used = used + polling(session).map_or(0, |polling| polling.width());
    right.extend(polling(session).filter(|_| used <= cells));
    right.extend(quiet(session).filter(|quiet| used + quiet.width() <= cells));
    right.push(Piece::of(Role::Text, " "));
    (left, right)
}

fn step_pieces(open: &Open<'_>, cells: usize) -> Vec<Piece> {
    let session = open.session;
    if open.count() == 0 {
        return vec![Piece::of(Role::Dim, "no steps")];
    }
    let mark = if session.is_complete { "" } else { "≥" };
    let of = if cells >= 60 { format!(" of 0–{mark}{}", open.last()) } else { format!("/{mark}{}", open.last()) };
    let mut out = vec![
        Piece::of(Role::Dim, if cells >= 60 { "step " } else { "" }),
        Piece::of(Role::Accent, &open.step().to_string()),
        Piece::of(Role::Dim, &of),
    ];
    let step = open.describe(open.step());
    if cells >= 100 {
        if let Some(tick) = &step.tick {
            out.push(Piece::of(Role::Dim, &format!(" · tick {tick}")));
        }
        if let Some(time) = times::time_label(open, cells >= DATED).or_else(|| step.time.clone()) {
            out.push(Piece::of(Role::Dim, &format!(" · {time}")));
        }
    }
    out
}

fn findings(open: &Open<'_>, cells: usize) -> Vec<Piece> {
    let (errors, warnings) = open.finding_counts();
    let least = if open.run().unread_from().is_some() { "≥" } else { "" };
    let mut out = Vec::new();
    for (n, sign, word, role) in [(errors, "✗", "error", Role::Error), (warnings, "!", "warning", Role::Warning)] {
        if n > 0 {
            let text = if cells >= 100 {
                format!("  {sign} {least}{}", value::count_of(n, word))
            } else {
                format!(" {sign}{least}{n}")
            };
            out.push(Piece::of(role, &text));
        }
    }
    out
}

/// The reward of the open trajectory.
fn reward_pieces(reward: f64) -> Vec<Piece> {
    let role = if reward < 0.0 { Role::Removed } else { Role::JsonNumber };
    vec![Piece::of(Role::Dim, "reward "), Piece::of(role, &format!("{}  ", measured(Numbers::Reward, reward)))]
}

/// How many steps failed, and how many look like it.
fn failures(open: &Open<'_>) -> Vec<Piece> {
    let least = if open.run().unread_from().is_some() { "≥" } else { "" };
    let known = open.failed_steps();
    let (failed, suspect) = (known.failed.len(), known.suspect.len());
    let all = [(failed, "✗", "failed", Role::Error), (suspect, "?", "suspect", Role::Warning)];
    let all = all.into_iter().filter(|(n, ..)| *n > 0);
    all.map(|(n, sign, word, role)| Piece::of(role, &format!("  {sign} {least}{n} {word}"))).collect()
}

fn liveness(session: &Session, open: Option<&Open<'_>>, cells: usize) -> Vec<Piece> {
    let mut out = Vec::new();
    out.extend(session.live.stale.map(|word| match word {
        AWAITED => Piece::of(Role::Dim, "  waiting"),
        "truncated" | "replaced" if cells < 60 => Piece::of(Role::Warning, "  ↻"),
        "truncated" | "replaced" => Piece::of(Role::Warning, &format!("  ↻ {word}")),
        _ => {
            let since = session.live.stale_since.as_ref().filter(|_| cells >= 60);
            let since = since.map(|since| format!(" since {since}")).unwrap_or_default();
            Piece::of(Role::Error, &format!("  ✗ {word}{since}"))
        }
    }));
    let is_there = session.live.stale.is_none_or(|word| !matches!(word, "gone" | "torn"));
    if !session.is_complete {
        let text = match open {
            _ if session.replay.is_some() => String::new(),
            // How many steps there are by now is beside it.
            Some(open) if session.format.layout() == Layout::Run && open.count() > 0 => "  reading".to_owned(),
            _ => format!("  reading · {} records", value::count_text(session.records.count())),
        };
        out.push(Piece::of(Role::Warning, &text));
        return out;
    }
    let new = session.live.waiting(open.map_or(0, Open::count));
    out.extend(match (session.live.follow, new) {
        (_, Some(new)) => Some(Piece::of(Role::Warning, &paused(session, open, new, cells))),
        // A recording is not live; how it plays is beside.
        _ if session.replay.is_some() => None,
        _ if !is_there => None,
        (Follow::On, _) if session.is_live => Some(Piece::of(Role::Good, "  ● live")),
        (Follow::On, _) => Some(Piece::of(Role::Good, "  ● following")),
        _ => session.is_live.then(|| Piece::of(Role::Good, "  ○ live")),
    });
    out.extend(receiving(session, open));
    out
}

/// That the view stays where it is, and how many steps came since; else, how many there are after it.
fn paused(session: &Session, open: Option<&Open<'_>>, new: usize, cells: usize) -> String {
    let later = open.map_or(0, |open| open.last() - open.step());
    let count = match (new, later) {
        (0, ..=0) => String::new(),
        (0, later) => format!("{later} later"),
        (new, _) => format!("{new} new"),
    };
    // The recording has a pause of its own.
    let word = if session.replay.is_some() { "not following" } else { "paused" };
    match (cells < 60, count.is_empty()) {
        (true, true) => "  ‖".to_owned(),
        (true, false) => format!("  ‖ {count}"),
        (false, true) => format!("  ‖ {word}"),
        (false, false) => format!("  ‖ {word} · {count}"),
    }
}

/// R20: that the file is looked at again and again, as nothing reports changes.
fn polling(session: &Session) -> Option<Piece> {
    (session.live.is_polling && session.is_complete).then(|| Piece::of(Role::Dim, " · polling"))
}

/// Since when nothing came; a time of the day, so that nothing has to tick.
fn quiet(session: &Session) -> Option<Piece> {
    let is_quiet = session.is_complete && session.is_live && session.live.is_quiet;
    let since = session.live.heard.as_ref().filter(|_| is_quiet)?;
    Some(Piece::of(Role::Dim, &format!(" · quiet since {since}")))
}

/// What is unfinished at the end, where no list of steps has it as its last row (T11).
fn receiving(session: &Session, open: Option<&Open<'_>>) -> Option<Piece> {
    let pending = session.live.pending.as_ref()?;
    let is_in_steps = open.is_some() && session.format.layout() == Layout::Run;
    (!is_in_steps).then(|| Piece::of(Role::Dim, &format!(" · {}", pending.describe())))
}

/// The sentence on the value in focus: who set it, what it was before. Without one, how to get there: the cursor may be
/// among the values.
#[must_use]
pub fn explain(open: &Open<'_>, cells: usize, is_among_values: bool) -> Vec<Piece> {
    if open.session.live.stale == Some(AWAITED) {
        return vec![Piece::of(Role::Dim, " nothing is written to the file yet")];
    }
    if open.session.is_complete && open.session.records.count() == 0 {
        return vec![Piece::of(Role::Dim, " the input holds no records")];
    }
    if !open.session.format.has_state() {
        return vec![Piece::of(
            Role::Dim,
            " no state: no format knows these records · `obelus formats --explain` drafts one",
        )];
    }
    if !open.has_state() && open.session.focus.path.is_none() {
        return vec![Piece::of(Role::Dim, " no state but for model, steps and tokens")];
    }
    let Some((identity, path)) = &open.session.focus.path else {
        return vec![Piece::of(Role::Dim, &format!(" no value in focus{}", way_to_one(cells, is_among_values)))];
    };
    let step = open.step();
    // The end of a long path says most; the value and who wrote it must have room, too.
    let (name, instance) = open.place_and_instance(identity, path);
    let name = cut_middle(&SafeText::of(&name), (cells / 2).max(PATH_CELLS_MIN.min(cells * 3 / 5)));
    let mut out = vec![Piece::of(Role::Text, " "), Piece::safe(Role::Reference, name)];
    // Where a path names the instance, it is in it.
    if let Some(instance) = instance {
        out.push(Piece::of(Role::Instance, &format!(" {instance}")));
    }
    let Some((id, node)) = open.focus_node() else {
        out.push(Piece::of(Role::Dim, "  never written"));
        return out;
    };
    out.push(Piece::of(Role::Text, "  "));
    out.extend(marks::of_focus(open).unwrap_or_default());
    let tree = open.tree();
    if let Some(leaf) = tree.leaf(node, step) {
        out.push(value_piece(&value::stored(&leaf.value, open.bytes())));
        // What is wrong must not be what a narrow line cuts off.
        let (first, last) = if cells < WIDE { (broken(open, id), Vec::new()) } else { (Vec::new(), broken(open, id)) };
        out.extend(first);
        out.push(Piece::of(Role::Dim, if leaf.step == leaf.changed { "   set " } else { "   written " }));
        out.push(Piece::of(Role::Blame, &at(leaf.step)));
        if let Some(who) = open.run().attribution(id, leaf.step, open.bytes()).who {
            out.push(Piece::of(Role::Text, &format!(" by {who}")));
        }
        out.extend(cause(open, &leaf));
        if leaf.changed != leaf.step {
            out.push(Piece::of(Role::Dim, &format!(" · unchanged since {}", at(leaf.changed))));
        }
        out.extend(before(open, node, leaf.changed));
        out.extend(last);
    } else if tree.shape(node, step).is_some() {
        let n = tree.child_count(node, step);
        out.push(Piece::of(Role::Dim, &value::count_of(n, "value")));
        if let Some(newest) = open.newest(node) {
            out.push(Piece::of(Role::Dim, if cells < HINT_CELLS_MIN { "  " } else { "   last written " }));
            out.push(Piece::of(Role::Blame, &at(newest)));
        }
        out.extend(broken(open, id));
    } else {
        out.push(Piece::of(Role::Dim, "not there at this step"));
        if let Some(next) = tree.neighbour(node, step, true) {
            out.push(Piece::of(Role::Dim, &format!("   next write {}", at(next))));
        }
        out.extend(removed(open, id, node));
    }
    out
}

/// How a value comes into focus.
fn way_to_one(cells: usize, is_among_values: bool) -> &'static str {
    match is_among_values {
        _ if cells < HINT_CELLS_MIN => "",
        true => " · move the cursor: who set a value and when is shown here",
        false => " · move to one in State: who set it and when is shown here",
    }
}

/// Who removed a value that is not there at the step in focus, and what it was: the last that happened to it.
fn removed(open: &Open<'_>, id: IdentityId, node: NodeId) -> Vec<Piece> {
    let Some(last) = open.tree().neighbour(node, open.step() + 1, false) else { return Vec::new() };
    let mut out = vec![Piece::of(Role::Dim, "   removed "), Piece::of(Role::Blame, &at(last))];
    let event = HistoryEvent { at: last, author: last, op: EventOp::Drop, identity: id, node, value: None, number: 0 };
    if open.run().accounts_for(&event) {
        let who = open.run().attribution(id, last, open.bytes()).who;
        out.extend(who.map(|who| Piece::of(Role::Text, &format!(" by {who}"))));
    }
    out.extend(before(open, node, last));
    out
}

/// What the value was copied from, hop by hop.
fn cause(open: &Open<'_>, leaf: &Leaf) -> Vec<Piece> {
    let hops = open.causes(&[ValueWrite { node: leaf.node, author: leaf.step, value: &leaf.value }]);
    let hop_pieces = |hop: &Hop| [Piece::of(Role::Dim, " = "), Piece::of(Role::Reference, &hop.describe(open.run()))];
    let mut out: Vec<Piece> = hops[0].iter().take(HOPS_SHOWN).flat_map(hop_pieces).collect();
    if hops[0].len() > HOPS_SHOWN {
        out.push(Piece::of(Role::Dim, " = …"));
    }
    out
}

fn before(open: &Open<'_>, node: NodeId, changed: StepNo) -> Vec<Piece> {
    let Some((old, step)) = super::state::before(open, node, changed) else { return Vec::new() };
    let mut out = vec![Piece::of(Role::Dim, " · before: "), Piece::safe(Role::Old, cut(&old, 40))];
    out.extend(step.map(|step| Piece::of(Role::Blame, &format!(" {}", at(step)))));
    out
}

/// What the schema says of the value in focus, where the value breaks it (A42).
fn broken(open: &Open<'_>, id: IdentityId) -> Vec<Piece> {
    let Some((_, path)) = &open.session.focus.path else { return Vec::new() };
    let invalid = open.session.checks.at(id, open.step());
    if let Some(violated) = invalid.iter().find(|i| i.violation.path == *path) {
        let text = format!("schema: {} ✗", violated.violation.message);
        return vec![Piece::of(Role::Dim, " · "), Piece::of(Role::Error, &text)];
    }
    match invalid.iter().filter(|i| i.violation.path.starts_with(path)).count() {
        0 => Vec::new(),
        n => vec![Piece::of(Role::Dim, " · "), Piece::of(Role::Error, &format!("schema: {n} ✗ below"))],
    }
}

fn value_piece(piece: &Piece) -> Piece {
    let text: SafeText = cut(&piece.text, 40);
    Piece::safe(piece.role, text)
}
