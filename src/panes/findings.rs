//! Lists the findings of the open trajectory, and says what the one under the cursor means.

use super::finding_index::Listed;
use super::place_name::pointer_name;
use super::{Extent, Hit, Nth, Open, Piece, Row, Scroll, Session, Window};
use crate::format::Layout;
use crate::lint;
use crate::model::{Finding, Severity, StepNo};
use crate::text::{Pattern, Role, wrap};
use std::sync::Arc;

/// From this width on rules are reported with their family.
const WIDE: usize = 64;
/// From this height on the rule under the cursor is explained.
const TALL: usize = 12;
/// Most lines of explanation.
const HELP_MAX: usize = 14;

/// Scroll and cursor of the list, in findings.
#[derive(Debug, Default)]
pub struct FindingsPane {
    /// Scroll and cursor, in findings.
    pub scroll: Scroll,
}

impl FindingsPane {
    /// The finding under the cursor.
    #[must_use]
    pub fn chosen(&self, open: &Open<'_>) -> Option<Arc<Finding>> {
        open.findings().get(self.scroll.cursor).cloned()
    }

    /// Puts the cursor on the findings of the step in focus, if it is not there; else on the last before.
    pub fn follow_step(&mut self, open: &Open<'_>) {
        let findings = open.findings();
        let step = Some(open.step());
        if findings.get(self.scroll.cursor).is_some_and(|f| f.step == step) {
            return;
        }
        let at = open.findings_at(&findings, open.step());
        self.scroll.jump_to(if at.is_empty() { at.start.saturating_sub(1) } else { at.start });
    }

    /// The number of the finding after or before the one in focus: from the cursor, if that is at the step in focus.
    #[must_use]
    pub fn neighbour(&self, open: &Open<'_>, is_forward: bool) -> Option<usize> {
        let findings = open.findings();
        let step = Some(open.step());
        if findings.get(self.scroll.cursor).is_some_and(|f| f.step == step) {
            let next = self.scroll.cursor.checked_add_signed(if is_forward { 1 } else { -1 })?;
            return (next < findings.len()).then_some(next);
        }
        let at = open.findings_at(&findings, open.step());
        if is_forward { Some(at.end).filter(|next| *next < findings.len()) } else { at.start.checked_sub(1) }
    }

    /// Puts the cursor on the next finding that matches, around the end. Returns which match it is.
    pub fn search(&mut self, open: &Open<'_>, pattern: &Pattern, is_forward: bool) -> Option<Nth> {
        let findings = open.findings();
        let is_hit = |f: &Finding| {
            let texts = [f.rule, &*f.message, f.path.as_deref().unwrap_or_default()];
            texts.into_iter().any(|text| pattern.is_match(text))
        };
        let hits: Vec<usize> = findings.iter().enumerate().filter(|(_, f)| is_hit(f)).map(|(i, _)| i).collect();
        let found = self.scroll.move_to_hit(&hits, is_forward);
        self.scroll.jump_to(self.scroll.cursor);
        found
    }

    /// Rows that do not belong to the list: the heading, and the explanation below.
    #[must_use]
    pub fn reserved(extent: Extent) -> usize {
        1 + help_rows(extent)
    }

    /// The visible rows.
    #[must_use]
    pub fn window(&self, open: &Open<'_>, extent: Extent, has_focus: bool) -> Window {
        let findings = open.findings();
        if findings.is_empty() {
            let names = &open.session.key_names;
            let what = if open.session.format.is_any() { PLAIN } else { FORMATTED };
            return match (open.session.is_complete, open.run().unread_from()) {
                (false, _) => Window::notice(&["Reading…"], extent.width),
                (true, Some(step)) => {
                    let from = format!("From step {step} on, {UNREAD}");
                    names
                        .notice(&["No findings so far.", &from, "`obelus check FILE` reads all of them."], extent.width)
                }
                (true, None) => names.notice(&["No findings.", what, also(open.session)], extent.width),
            };
        }
        let is_least = open.run().unread_from().is_some();
        let mut rows = vec![heading(&findings, open.session, is_least)];
        let height = extent.height.saturating_sub(Self::reserved(extent));
        let digits = open.last().max(0).to_string().len() + 1;
        for (i, finding) in findings.iter().enumerate().skip(self.scroll.top).take(height) {
            let row = row(finding, finding.step == Some(open.step()), &open.folder(), digits, extent.width);
            rows.push(row.hit(Hit::Row(i)).cursor(has_focus && i == self.scroll.cursor));
        }
        if let Some(finding) = findings.get(self.scroll.cursor).filter(|_| help_rows(extent) > 0) {
            rows.resize_with(extent.height.saturating_sub(help_rows(extent)), Row::default);
            rows.extend(help(finding, extent.width, help_rows(extent)));
        }
        Window { rows, top: self.scroll.top, total: findings.len() }
    }
}

/// The text of a run without findings: whether a format read its records.
const FORMATTED: &str = "The rules of this format find nothing wrong with the trajectory.";
const PLAIN: &str = "Every record is JSON; no format knows them, so that no other rule looks at them.";

/// What is known of records that are not read yet.
const UNREAD: &str =
    "records that no format knows are read when they are shown; {error-next} goes to the next one that is broken.";

/// Lines that the explanation has: the same wherever the cursor is, so that nothing moves with it.
fn help_rows(extent: Extent) -> usize {
    if extent.height < TALL { 0 } else { (extent.height * 2 / 5).min(HELP_MAX) }
}

/// What the rules of datasets do, which look only when they are asked to.
fn also(session: &Session) -> &'static str {
    match (&session.data, session.format.layout()) {
        (Some(_), _) => "Nor do the rules of datasets (data.*).",
        (None, Layout::Set) => {
            "{check-data} also looks for copies, loops, damaged text and secrets, as `obelus check --data` does."
        }
        (None, Layout::Run) => "`obelus check --data` also looks for damaged text and secrets.",
    }
}

/// The number of findings of each severity; `is_least`: records are still read, so there may be more.
fn heading(findings: &Listed, session: &Session, is_least: bool) -> Row {
    let least = if is_least { "≥" } else { "" };
    let mut left = Vec::new();
    for (severity, plural) in [(Severity::Error, "s"), (Severity::Warning, "s"), (Severity::Info, "")] {
        let n = findings.count(severity);
        if n > 0 {
            let word = format!("{least}{n} {}{}", severity.name(), if n == 1 { "" } else { plural });
            left.push(Piece::of(Role::Dim, if left.is_empty() { " " } else { " · " }));
            left.push(Piece::of(role(severity), &word));
        }
    }
    let is_more = session.data.is_none() && session.format.layout() == Layout::Set;
    let more = || Piece::of(Role::Dim, &session.key_names.fill("{check-data} looks for loops, copies, secrets "));
    Row::new(left).right(is_more.then(more).into_iter().collect())
}

fn role(severity: Severity) -> Role {
    match severity {
        Severity::Error => Role::Error,
        Severity::Warning => Role::Warning,
        Severity::Info => Role::Dim,
    }
}

/// The one-cell sign, so that colour is never the only mark.
#[must_use]
pub fn sign(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "✗",
        Severity::Warning => "!",
        Severity::Info => "·",
    }
}

/// A finding by itself: severity, step, rule, path and message.
pub(super) fn finding_row(finding: &Finding) -> Row {
    row(finding, false, "", 0, WIDE)
}

/// `folder` is what all paths of files begin with.
fn row(finding: &Finding, is_current: bool, folder: &str, digits: usize, cells: usize) -> Row {
    let role = role(finding.severity);
    let name = match finding.rule.split_once('.') {
        Some((_, name)) if cells < WIDE => name,
        _ => finding.rule,
    };
    let step = finding.step.map_or(String::new(), |step: StepNo| super::state::at(step));
    let mut left = vec![
        Piece::of(Role::Accent, if is_current { "▌" } else { " " }),
        Piece::of(role, sign(finding.severity)),
        Piece::of(Role::Blame, &format!(" {step:>digits$} ")),
        Piece::of(role, name),
    ];
    if let Some(path) = finding.path.as_deref().filter(|path| !path.is_empty()) {
        left.extend([Piece::of(Role::Text, " "), Piece::of(Role::Reference, &pointer_name(path, folder))]);
    }
    left.push(Piece::of(Role::Dim, &format!("  {}", finding.message)));
    Row::new(left)
}

/// The finding in full, and what its rule means.
fn help(finding: &Finding, cells: usize, height: usize) -> Vec<Row> {
    let mut rows = vec![Row::text(Role::Border, &"─".repeat(cells))];
    let mut text = |role: Role, text: &str| {
        for range in wrap(text, cells.saturating_sub(2)) {
            let part = range.start..range.start + text[range].trim_end().len();
            let pieces = vec![Piece::of(role, " "), Piece::of(role, &text[part.clone()])];
            rows.push(Row::new(pieces).part_of(text, &part, 1));
        }
    };
    text(role(finding.severity), &format!("{} {}", sign(finding.severity), finding.rule));
    text(Role::Text, &finding.message);
    if let Some(lint) = lint::by_id(finding.rule) {
        text(Role::Dim, lint.help);
    }
    if rows.len() > height {
        rows.truncate(height.saturating_sub(1));
        rows.push(Row::text(Role::Dim, &format!(" … obelus explain {}", finding.rule)));
    }
    rows
}
