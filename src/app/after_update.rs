//! After every message: scroll so that cursors are visible, and ask for what the visible panes miss.

use super::inspector::ViewOf;
use super::keys::Tab;
use super::layout::{Beside, Kind, Layout, layout, table_layout};
use super::{App, Effect, Effects, Layer, Pane, tabs, view};
use crate::format;
use crate::model::{Span, StepNo, lossy};
use crate::panes::diff::{self, Pairs, Question};
use crate::panes::findings::FindingsPane;
use crate::panes::json_outline::Doc;
use crate::panes::text_view::TextLine;
use crate::state::IS_CHECKED;
use crate::text::Role;
use std::sync::Arc;

/// Messages up to this size are laid out at once; longer ones by a job. A deep text is read once for each of its
/// levels.
const AT_ONCE_MAX: u64 = 96 << 10;
/// States with more writes between them are compared by a job.
const COMPARED_AT_ONCE_MAX: usize = 2_000;
/// The same of bytes of the values that differ.
const COMPARED_BYTES_MAX: u64 = 256 << 10;
/// Most bytes of a raw record that are shown.
const RAW_MAX: u64 = 1 << 20;

impl App {
    /// The layout of now.
    #[must_use]
    pub fn layout(&self) -> Layout {
        let (width, height) = self.size;
        if self.is_on_table() {
            let beside = Beside { facets: self.table.facets.is_open, plot: self.is_plotting(), splits: self.splits };
            return table_layout(width, height, self.pane, self.is_zoomed, beside);
        }
        let main = if self.pane == Pane::Watches { self.beside } else { self.pane };
        let is_set = self.session.format.layout() == format::Layout::Set;
        let kind = Kind { is_set, has_state: self.session.format.has_state(), splits: self.splits };
        layout(width, height, main, self.is_zoomed, self.watches.rows(), kind)
    }

    pub(super) fn settle(&mut self, effects: &mut Effects) {
        if let Some(record) = self.opening.filter(|_| self.session.run.is_none())
            && self.session.records.get(record).is_some()
        {
            self.opening = None;
            effects.push(Effect::Open(record));
        }
        self.settle_reopening(effects);
        self.begin();
        self.note_selected();
        self.settle_watches();
        self.settle_checks(effects);
        self.settle_review(effects);
        let layout = self.layout();
        let is_shown = |pane: Pane| layout.panes.iter().any(|(p, _)| *p == pane);
        self.settle_order(effects);
        self.update_step_filter(effects);
        self.settle_lists();
        if is_shown(Pane::Files) {
            self.settle_files(effects);
        }
        self.settle_table(effects);
        self.settle_attempts(effects);
        if is_shown(Pane::Inspector) {
            self.settle_inspector(effects);
        }
        layout.panes.iter().for_each(|(pane, _)| self.settle_aside(*pane));
        if let Some(Layer::Menu(menu)) = &mut self.layer {
            let inside = view::menu_area(self.size).inside();
            menu.settle(usize::from(inside.width), usize::from(inside.height.saturating_sub(1)));
        }
    }

    /// Asks for the steps that came to be checked, once all that the input holds is merged (A42).
    fn settle_checks(&mut self, effects: &mut Effects) {
        let generation = self.session.generation;
        let Some(open) = self.session.open().filter(|_| IS_CHECKED && self.session.is_complete) else { return };
        let now = (generation, open.count());
        if now != self.examined && open.run().has_schemas() {
            drop(open);
            self.examined = now;
            effects.push(Effect::Examine(Arc::clone(&self.session.checks)));
        }
    }

    /// Looks up the names of watches in what came; a strip that is not there cannot have the cursor.
    fn settle_watches(&mut self) {
        self.sync_watches();
        if self.pane != Pane::Watches {
            self.beside = self.pane;
        } else if self.layout().watches.is_none() {
            self.pane = self.beside;
        }
        let height = self.pane_extent(Pane::Watches).height;
        self.watches.scroll.show_cursor(height, self.watches.rows());
    }

    fn settle_lists(&mut self) {
        let table = self.pane_extent(Pane::Table);
        let rows = self.table.count(&self.session);
        self.table.scroll.show_cursor(table.height.saturating_sub(1), rows);
        let (steps, state) = (self.pane_extent(Pane::Steps), self.pane_extent(Pane::State));
        let Self { session, state: pane, columns, steps: scroll, step_filter, .. } = self;
        let Some(open) = session.open() else { return };
        let rows = step_filter.rows(&open);
        scroll.cursor = rows.row(open.step());
        scroll.show_cursor(crate::panes::steps::height(&open, steps), rows.total);
        pane.find_again(&open);
        pane.keep_at_path(&open);
        let outline = pane.outline(&open);
        pane.sync(&outline);
        pane.scroll.show_cursor(state.height, outline.lines().len());
        if columns.is_on {
            columns.sync(&open, state);
        }
    }

    fn settle_inspector(&mut self, effects: &mut Effects) {
        let extent = self.pane_extent(Pane::Inspector);
        let now = self.session.open().map(|open| (self.session.generation, open.step()));
        if self.inspector.file.as_ref().is_some_and(|file| Some(file.of) != now) {
            self.inspector.file = None;
        }
        if !self.shows_gone() {
            self.inspector.gone = None;
        }
        match self.inspector.tab {
            Tab::Message if self.inspector.file.is_some() => {}
            Tab::Message if self.inspector.is_raw => self.settle_raw(),
            Tab::Message => {
                self.settle_message(effects);
                self.show_wanted();
            }
            Tab::Llm => self.settle_view(effects),
            Tab::Schema => self.settle_schema(),
            Tab::History => self.settle_history(),
            Tab::Diff => self.settle_diff(effects),
            Tab::Findings => self.settle_findings(),
            Tab::Plan => self.settle_plan(),
            Tab::Loss => self.settle_loss(effects),
            Tab::Merge => self.settle_merge(),
        }
        let total = self.inspector_rows(extent.width);
        let head = match self.inspector.tab {
            Tab::History => 2,
            Tab::Findings => FindingsPane::reserved(extent),
            _ => view::head_rows(self).len(),
        };
        self.inspector.scroll().show_cursor(extent.height.saturating_sub(head), total);
        let below = crate::panes::Extent { height: extent.height.saturating_sub(head), ..extent };
        // Only messages hold code; the answers go to the message.
        if let (Tab::Message, Some(view)) = (self.inspector.tab, self.inspector.document()) {
            let requests = view.code_requests(below);
            if !requests.is_empty() {
                effects.push(Effect::Highlight(requests));
            }
        }
    }

    /// Generation, step and place of the message in focus.
    fn message_place(&self) -> Option<((u64, StepNo), Span, Span)> {
        let open = self.session.open()?;
        let place = open.run().place(open.step())?;
        Some(((self.session.generation, open.step()), place.place.span, place.record_span))
    }

    fn settle_message(&mut self, effects: &mut Effects) {
        let Some((now, span, _)) = self.message_place() else { return };
        if self.inspector.message_of == Some(now) || self.inspector.asked == Some(now) || self.shows_gone() {
            return;
        }
        self.inspector.asked = Some(now);
        if span.len > AT_ONCE_MAX {
            if self.inspector.message_of.is_none_or(|(_, shown)| shown != now.1) {
                self.inspector.message.set(None);
            }
            effects.push(Effect::Read { generation: now.0, step: now.1, span });
            return;
        }
        match self.session.bytes.read(span) {
            Ok(bytes) => self.inspector.set_message(now.0, now.1, Arc::new(Doc::of(&lossy(&bytes)))),
            Err(problem) => {
                self.inspector.message.set(None);
                self.tell(problem.to_string());
            }
        }
    }

    fn settle_raw(&mut self) {
        let Some((now, _, record)) = self.message_place() else { return };
        if self.inspector.raw_of == Some(now) || self.shows_gone() {
            return;
        }
        let is_same = self.inspector.raw_of.replace(now).is_some_and(|(_, step)| step == now.1);
        let span = Span { len: record.len.min(RAW_MAX), ..record };
        let mut lines = match self.session.bytes.read(span) {
            Ok(bytes) => raw_lines(&bytes),
            Err(problem) => vec![TextLine::new(Role::Error, problem.to_string())],
        };
        if span.len < record.len {
            let (shown, all) = (crate::panes::value::size_text(span.len), crate::panes::value::size_text(record.len));
            lines.push(TextLine::new(
                Role::Dim,
                format!("… the first {shown} of {all}; o opens the file in your editor"),
            ));
        }
        self.inspector.raw.set(lines);
        if !is_same {
            self.inspector.raw.scroll = crate::panes::Scroll::default();
        }
    }

    fn settle_view(&mut self, effects: &mut Effects) {
        let Some(now) = self.view_now() else { return };
        if self.inspector.llm_of != Some(now) && self.inspector.llm_asked != Some(now) {
            self.inspector.llm_asked = Some(now);
            effects.push(Effect::View(now));
        }
    }

    /// The LLM view that belongs on the screen.
    pub(super) fn view_now(&self) -> Option<ViewOf> {
        let step = self.session.open()?.step();
        let has_raw_messages = self.inspector.has_raw_messages;
        Some(ViewOf { generation: self.session.generation, step, has_raw_messages })
    }

    fn settle_loss(&mut self, effects: &mut Effects) {
        let Some(step) = self.session.open().map(|open| open.step()).filter(|_| tabs::has_loss(self)) else { return };
        let (generation, record, template) = (self.session.generation, self.session.trajectory, self.chat.front);
        let now = Some((generation, record, template));
        if self.inspector.loss.of != now {
            self.inspector.loss.of = now;
            let Some(options) = self.chat.options() else { return };
            effects.push(Effect::Loss { generation, record, template, options });
        }
        let cells = self.pane_extent(Pane::Inspector).width;
        self.inspector.loss.follow(step, cells);
        self.inspector.loss.slide(cells);
    }

    pub(super) fn settle_schema(&mut self) {
        let cells = self.pane_extent(Pane::Inspector).width;
        let Self { session, inspector, .. } = self;
        let Some(open) = session.open() else { return };
        inspector.schema.sync(&open, cells);
    }

    fn settle_history(&mut self) {
        let Self { session, inspector, .. } = self;
        let Some(open) = session.open() else { return };
        let Some((_, node)) = open.focus_node() else { return };
        let now = (crate::panes::state::Place::Node(node), open.step());
        if inspector.history_of.as_ref() != Some(&now) {
            inspector.history.follow_step(&open);
            inspector.history_of = Some(now);
        }
    }

    fn settle_merge(&mut self) {
        let Self { session, inspector, state, .. } = self;
        if let Some(open) = session.open() {
            inspector.merge.sync(&open, &state.chosen);
        }
    }

    fn settle_plan(&mut self) {
        let Self { session, inspector, .. } = self;
        if let Some(open) = session.open() {
            inspector.plan.sync(&open);
        }
    }

    fn settle_findings(&mut self) {
        let Self { session, inspector, .. } = self;
        let Some(open) = session.open() else { return };
        let now = (session.generation, open.step());
        if inspector.findings_of.replace(now) != Some(now) {
            inspector.findings.follow_step(&open);
        }
    }

    fn settle_diff(&mut self, effects: &mut Effects) {
        let Self { session, inspector, .. } = self;
        let Some(open) = session.open() else { return };
        let step = open.step();
        let pair = inspector.pair.as_ref().and_then(|(of, i)| Pairs::of(open.run(), of, step).nth(*i));
        let question = match pair {
            Some((old, new)) => Question::Instances { step, old, new },
            None => Question::Steps { from: inspector.base.unwrap_or(step - 1), to: step },
        };
        let now = Some((session.generation, question));
        if inspector.diff_of == now || inspector.diff_asked == now {
            return;
        }
        inspector.diff_asked = now;
        let is_short = question.cost(open.run()) <= COMPARED_AT_ONCE_MAX;
        let answer = is_short.then(|| question.answer(open.run())).filter(|a| a.bytes() <= COMPARED_BYTES_MAX);
        if let Some(comparison) = answer {
            let lines = diff::lines(open.run(), open.bytes(), &comparison, &inspector.diff_unfolded);
            inspector.set_diff(session.generation, question, lines);
        } else {
            let (generation, unfolded) = (session.generation, inspector.diff_unfolded.clone());
            effects.push(Effect::Compare { generation, question, unfolded });
        }
    }
}

/// Raw bytes as lines; what is no UTF-8 is shown in hexadecimal, so that nothing is hidden.
fn raw_lines(bytes: &[u8]) -> Vec<TextLine> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.lines().map(|l| TextLine::new(Role::Text, l)).collect(),
        Err(_)
            if bytes.len() < RAW_MAX as usize
                && std::str::from_utf8(&bytes[..bytes.len().saturating_sub(3)]).is_err() =>
        {
            let note = TextLine::new(Role::Warning, "not UTF-8; shown in hexadecimal");
            std::iter::once(note).chain(bytes.chunks(16).enumerate().map(|(i, row)| hex_line(i * 16, row))).collect()
        }
        Err(_) => lossy(bytes).lines().map(|l| TextLine::new(Role::Text, l)).collect(),
    }
}

fn hex_line(offset: usize, row: &[u8]) -> TextLine {
    let hex: Vec<String> = row.iter().map(|b| format!("{b:02x}")).collect();
    let text: String = row.iter().map(|&b| if (0x20..0x7f).contains(&b) { b as char } else { '·' }).collect();
    TextLine::new(Role::Text, format!("{offset:08x}  {:<47}  {text}", hex.join(" ")))
}
