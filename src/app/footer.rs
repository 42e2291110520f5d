//! The line of keys at the bottom: what it shows, and what a click on it does.

use super::keys::{Action, Context, KeyRow, sequence};
use super::layout::{Area, Layout};
use super::pane::Filtered;
use super::prompt::Prompt;
use super::{App, Layer, Notice};
use crate::format;
use crate::panes::row::pieces_width;
use crate::panes::{Follow, Piece};
use crate::text::{Role, SafeText, cut, width, wrap};
use std::ops::Range;

/// A part of the line, and what a click on it does.
type FooterPart = (Vec<Piece>, Option<Action>);

/// A line of the screen.
type Bar = (Area, Vec<Piece>);

/// From this height on there is room for a line that says more of an export.
const NOTED_HEIGHT_MIN: u16 = 20;
/// A notice takes at most this part of the height.
const NOTICE_PART: u16 = 2;

/// The line, and the cell of the text cursor if something is typed there. A notice that is longer takes more lines,
/// over what else is above it.
pub(super) fn rows(app: &App, layout: &Layout) -> (Vec<Bar>, Option<(u16, u16)>) {
    if let Some((typed, column)) = typed(app, usize::from(layout.footer.width)) {
        let mut rows = above_typed(app, layout.footer);
        rows.push((layout.footer, typed));
        return (rows, Some((column, layout.footer.y)));
    }
    let mut rows = match &app.notice {
        Some(notice) if app.prefix.is_none() => notice_rows(notice, app.size),
        _ => vec![parts(app).into_iter().flat_map(|(pieces, _)| pieces).collect()],
    };
    if let Some(tour) = app.tour.filter(|_| app.layer.is_none() && app.prefix.is_none()) {
        // A notice stays above it, the keys give way.
        rows.retain(|_| app.notice.is_some());
        rows.extend(wrapped(&tour.pieces(app.keymap), usize::from(layout.footer.width)));
    }
    let first = (layout.footer.y + 1).saturating_sub(u16::try_from(rows.len()).unwrap_or(u16::MAX));
    let area = |y: u16| Area { y, ..layout.footer };
    ((first..).zip(rows).map(|(y, row)| (area(y), row)).collect(), None)
}

/// The command that does what Enter in the line does, above it; what is wrong with the line goes before.
fn above_typed(app: &App, footer: Area) -> Vec<Bar> {
    let Some(Layer::Export(line)) = &app.layer else { return Vec::new() };
    let command = Notice { is_error: false, text: format!("$ {}", line.request().command()) };
    let mut rows = notice_rows(app.notice.as_ref().unwrap_or(&command), app.size);
    let (warns, note) = line.note();
    // What only says that there is a key costs no row of a small screen.
    if app.notice.is_none() && !line.is_question() && (warns || app.size.1 >= NOTED_HEIGHT_MIN) {
        let role = if warns { Role::Warning } else { Role::Dim };
        let note = [Piece::of(role, &format!(" {}", app.hint(&note)))];
        rows.splice(0..0, wrapped(&note, usize::from(footer.width)));
    }
    let first = footer.y.saturating_sub(u16::try_from(rows.len()).unwrap_or(u16::MAX));
    (first..footer.y).zip(rows).map(|(y, row)| (Area { y, ..footer }, row)).collect()
}

/// Whether a cell belongs to the line, or to the notice in its place.
#[must_use]
pub fn contains(app: &App, layout: &Layout, (column, row): (u16, u16)) -> bool {
    rows(app, layout).0.iter().any(|(area, _)| area.contains(column, row))
}

/// A notice in as many rows as it takes; where the screen has fewer, the last is cut.
fn notice_rows(notice: &Notice, (width, height): (u16, u16)) -> Vec<Vec<Piece>> {
    let role = if notice.is_error { Role::Error } else { Role::Text };
    let text = SafeText::of(&notice.text);
    let rows_max = usize::from(height / NOTICE_PART).max(1);
    let mut parts = wrap(text.as_str(), usize::from(width).saturating_sub(1));
    if let Some(last) = parts.get_mut(rows_max - 1) {
        last.end = text.as_str().len();
        parts.truncate(rows_max);
    }
    let row = |part: Range<usize>| vec![Piece::of(role, " "), Piece::of(role, text.as_str()[part].trim_start())];
    parts.into_iter().map(row).collect()
}

/// Pieces in as many rows as they take, cut between words.
fn wrapped(pieces: &[Piece], cells: usize) -> Vec<Vec<Piece>> {
    let (mut rows, mut used) = (vec![Vec::new()], 0);
    for piece in pieces {
        for word in piece.text.as_str().split_inclusive(' ') {
            if used > 0 && used + width(word.trim_end()) > cells {
                rows.push(vec![Piece::of(Role::Text, " ")]);
                used = 1;
            }
            used += width(word);
            if let Some(row) = rows.last_mut() {
                row.push(Piece::of(piece.role, word));
            }
        }
    }
    rows
}

/// What a click on a column of the line does.
#[must_use]
pub fn hit(app: &App, column: usize) -> Option<Action> {
    if typed(app, usize::from(app.size.0)).is_some() {
        return None;
    }
    let mut end = 0;
    let is_there = |(pieces, _): &FooterPart| {
        end += pieces_width(pieces);
        column < end
    };
    parts(app).into_iter().find(is_there).and_then(|(_, action)| action)
}

/// The line that is being typed, and the column of its cursor.
fn typed(app: &App, cells: usize) -> Option<(Vec<Piece>, u16)> {
    // What is wrong with it is shown until the next key.
    let has_notice = app.notice.is_some();
    match &app.layer {
        Some(Layer::Search(prompt)) => Some(searched(prompt, app.notice.as_ref(), cells)),
        Some(Layer::Filter(prompt)) if !has_notice => Some(filtered(app, prompt, cells)),
        Some(Layer::Column(prompt)) if !has_notice => {
            Some(with_example(prompt, (" name = EXPR ", "turns = .messages | length"), cells))
        }
        Some(Layer::Condition(prompt)) if !has_notice => {
            Some(with_example(prompt, (" stop when it ", "changes · == null · < 0 · ~ REGEX · invalid"), cells))
        }
        Some(Layer::Review(line)) => Some(line.prompt.line(&line.label(), cells)),
        Some(Layer::Export(line)) if line.is_question() => Some(Prompt::default().line(&line.label(), cells)),
        Some(Layer::Export(line)) => Some(line.prompt.line(&line.label(), cells)),
        _ => None,
    }
}

/// The filter that is being typed.
fn filtered(app: &App, prompt: &Prompt, cells: usize) -> (Vec<Piece>, u16) {
    let sign_and_example = match app.filtered() {
        Filtered::Files if app.lists_sessions() => (" / ", "words of a title, a project, an agent"),
        Filtered::Files => (" & ", "part of a name, or a regular expression"),
        Filtered::Steps => (" & ", "failed>0 tool:bash role:user size>2k !kind:thought words"),
        Filtered::Trajectories => (" & ", "failed>0 steps>20 tool:bash reward<=0 !finish:finish words"),
    };
    with_example(prompt, sign_and_example, cells)
}

/// The line that is being typed; while nothing is, what may be.
fn with_example(prompt: &Prompt, (sign, example): (&str, &str), cells: usize) -> (Vec<Piece>, u16) {
    let (mut line, column) = prompt.line(sign, cells);
    if prompt.text().is_empty() {
        let room = cells.saturating_sub(pieces_width(&line));
        line.push(Piece::safe(Role::Dim, cut(&SafeText::of(example), room)));
    }
    (line, column)
}

/// The search that is being typed, and after it what it found so far.
fn searched(prompt: &Prompt, notice: Option<&Notice>, cells: usize) -> (Vec<Piece>, u16) {
    let piece = notice.map(|notice| Piece::of(Role::Dim, &format!("  {}", notice.text)));
    let piece = piece.filter(|piece| piece.width() <= cells / 2);
    let room = cells - piece.as_ref().map_or(0, Piece::width);
    let (mut line, column) = prompt.line(" /", room);
    let rest = room.saturating_sub(pieces_width(&line));
    line.push(Piece::of(Role::Text, &" ".repeat(rest)));
    line.extend(piece);
    (line, column)
}

fn parts(app: &App) -> Vec<FooterPart> {
    if let Some(first) = &app.prefix {
        return sequences(app, first);
    }
    if app.notice.is_some() || (app.tour.is_some() && app.layer.is_none()) {
        return Vec::new();
    }
    let shown = hints(app).into_iter().map(|row| {
        let label = Piece::of(Role::Dim, &format!(" {} ", label(app, row)));
        (vec![Piece::of(Role::Text, " "), Piece::of(Role::KeyName, row.key()), label], Some(row.action))
    });
    shown.collect()
}

/// The keys that go on from the first of two.
fn sequences(app: &App, first: &str) -> Vec<FooterPart> {
    let contexts = app.place();
    let rows = app.keymap.rows(&contexts).flat_map(|row| row.keys.iter().map(move |key| (*key, row)));
    let begun = rows.filter(|(key, _)| sequence(key).is_some_and(|(begun, _)| begun == first));
    let completions = begun.map(|(key, row)| {
        let label = Piece::of(Role::Dim, &format!(" {}   ", row.label));
        (vec![Piece::of(Role::KeyName, key), label], Some(row.action))
    });
    std::iter::once((vec![Piece::of(Role::Text, " ")], None)).chain(completions).collect()
}

/// The keys that fit.
fn hints(app: &App) -> Vec<&'static KeyRow> {
    // A trajectory out of a set does not grow.
    let is_set = app.session.format.layout() == format::Layout::Set;
    let is_empty = app.layer.is_none() && app.front().is_empty(app);
    let has_steps = app.session.open().is_some_and(|open| open.count() > 0);
    let merges_messages = app.session.open().is_some_and(|open| open.run().merges_messages());
    // There the key of the search filters.
    let is_twice = |action: Action| action == Action::Filter && app.lists_sessions();
    let is_vain = |action: Action| {
        let lacks_steps = !has_steps && !app.is_comparing() && needs_step(action);
        let is_there =
            app.is_on_attempts() && app.attempts.is_list() && matches!(action, Action::Tasks | Action::AlignByAction);
        let is_alone = app.front().fills_screen() && matches!(action, Action::PaneNext | Action::Zoom);
        let is_set = is_set && action == Action::Live;
        is_set
            || (is_empty && needs_row(action))
            || is_twice(action)
            || lacks_steps
            || is_there
            || is_alone
            || lacks_file(app, action)
            || (action == Action::RawMessages && !merges_messages)
            || (action == Action::TrajectoryNext && !app.session.is_dataset())
    };
    let is_hint = |row: &&KeyRow| row.footer > 0 && !row.keys.is_empty() && !is_vain(row.action);
    let mut rows: Vec<_> = app.keymap.rows(&app.contexts()).filter(is_hint).collect();
    // The way back from what was opened comes before what is done there.
    let place = |row: &KeyRow| if is_way_back(app, row) { WAY_BACK_PLACE } else { row.footer };
    rows.sort_by_key(|row| place(row));
    let mut out = Vec::new();
    let cells = usize::from(app.size.0);
    let cost = |row: &KeyRow| width(row.key()) + width(label(app, row)) + 3;
    // How to get on from here is said whatever else there is to say.
    let is_permanent = |row: &KeyRow| matches!(row.action, Action::Help | Action::PaneNext);
    let mut used_cells: usize = rows.iter().copied().filter(|row| is_permanent(row)).map(cost).sum();
    let mut used = 0;
    // What is seldom used goes where room is left.
    let is_seldom = |row: &&KeyRow| row.action == Action::Unsure;
    let (seldom, others): (Vec<_>, Vec<_>) = rows.iter().copied().partition(is_seldom);
    for row in others.into_iter().chain(seldom) {
        used_cells -= if is_permanent(row) { cost(row) } else { 0 };
        if used + cost(row) + used_cells <= cells {
            used += cost(row);
            out.push(row);
        }
    }
    out.sort_by_key(|row| rows.iter().position(|other| std::ptr::eq(*other, *row)));
    out
}

/// Whether a key is about a file while the list of files is shown in its place.
fn lacks_file(app: &App, action: Action) -> bool {
    use Action as A;
    let is_list = app.layer.is_none() && app.place().contains(&Context::File) && app.inspector.file.is_list();
    is_list && matches!(action, A::FileDifference | A::FileWriteNext | A::FileWritePrevious | A::Cancel)
}

/// Place in the footer of the key that leads back to where something was opened.
const WAY_BACK_PLACE: u8 = 2;

/// Whether a key leads back: to where what is shown was opened, to the panes beside the one that is zoomed, to the
/// newest step of a run that grows.
fn is_way_back(app: &App, row: &KeyRow) -> bool {
    let is_back = |action: Action| row.action == action && app.layer.is_none();
    let is_behind = app.session.is_live && app.session.live.follow != Follow::On;
    is_back(Action::Zoom) && app.is_zoomed
        || is_back(Action::Live) && is_behind
        || is_back(Action::Close) && row.context == Context::Global && app.opener().is_some()
}

/// What a key does, in a word: of some keys it changes with what they did.
fn label(app: &App, row: &KeyRow) -> &'static str {
    let is_paused = app.session.replay.is_some_and(|replay| replay.is_paused);
    if is_paused && row.action == Action::ReplayPause {
        return "play on";
    }
    if row.action == Action::Zoom && is_way_back(app, row) {
        return "all panes";
    }
    if row.action == Action::Close && is_way_back(app, row) {
        return app.opener().unwrap_or(row.label);
    }
    if row.action == Action::Search && app.lists_sessions() { "filter" } else { row.label }
}

/// Whether a key goes from step to step.
fn needs_step(action: Action) -> bool {
    use Action as A;
    matches!(action, A::StepNext | A::StepPrevious | A::WriteNext | A::WritePrevious | A::HitNext | A::HitPrevious)
}

/// Whether a key does something with the row under the cursor, or with all rows.
fn needs_row(action: Action) -> bool {
    use Action as A;
    matches!(
        action,
        A::Follow
            | A::CompareRuns
            | A::Good
            | A::Bad
            | A::Unsure
            | A::Toggle
            | A::Sort
            | A::Attempts
            | A::FacetToggle
            | A::BinToggle
            | A::BinNext
            | A::ChangeNext
            | A::Search
    )
}
