//! The bytes of the step, in place of the message that is made of them.

use super::{PaneContent, message};
use crate::app::{App, Effects};
use crate::model::cast;
use crate::model::{Span, lossy};
use crate::panes::text_view::{TextLine, TextView};
use crate::panes::value::{count_text, size_text};
use crate::panes::{Extent, Row, Scroll, Window};
use crate::text::Role;

/// Most bytes of a raw record that are shown.
const RAW_MAX: u64 = 1 << 20;

pub(super) struct Raw;

impl PaneContent for Raw {
    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        let raw = &app.inspector.message.raw;
        message::below_head(self.head(app, extent), extent, |below| raw.window(below, has_focus))
    }

    fn head(&self, app: &App, _extent: Extent) -> Vec<Row> {
        message::head(app)
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.inspector.message.raw.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.inspector.message.raw.scroll)
    }

    fn reader<'a>(&self, app: &'a mut App) -> Option<&'a mut TextView> {
        Some(&mut app.inspector.message.raw)
    }

    fn follow(&self, app: &mut App, _effects: &mut Effects) {
        app.follow_line();
    }

    fn after_update(&self, app: &mut App, _effects: &mut Effects) {
        let Some((now, step, record)) = app.message_place() else { return };
        if app.inspector.message.raw.shown() == Some(&now) || app.shows_gone() {
            return;
        }
        let is_same = app.inspector.message.raw.show(now).is_some_and(|(_, step)| step == now.1);
        let lines = lines(app, step, record);
        let raw = &mut app.inspector.message.raw;
        raw.set(lines);
        if !is_same {
            raw.scroll = Scroll::default();
        }
    }
}

/// Whether other steps are made of the same record.
fn has_neighbours(app: &App, record: Span) -> bool {
    let Some(open) = app.session.open() else { return false };
    let mut beside = [open.step() - 1, open.step() + 1].into_iter().filter_map(|step| open.run().place(step));
    beside.any(|place| place.record_span == record)
}

/// The record of the step; where it has several, the bytes of this one, and where in the record they are.
fn lines(app: &App, step: Span, record: Span) -> Vec<TextLine> {
    let is_part = step.len < record.len && step.offset >= record.offset && has_neighbours(app, record);
    let step = if is_part { step } else { record };
    let span = Span { len: step.len.min(RAW_MAX), ..step };
    let mut lines = Vec::new();
    if is_part {
        let (from, to) = (step.offset - record.offset, step.offset - record.offset + step.len);
        let (from, to) = (count_text(cast::to_usize(from)), count_text(cast::to_usize(to)));
        lines.push(TextLine::new(Role::Dim, format!("bytes {from} to {to} of the record, {}", size_text(record.len))));
    }
    match app.session.bytes.read(span) {
        Ok(bytes) => lines.extend(raw_lines(&bytes)),
        Err(problem) => lines.push(TextLine::new(Role::Error, problem.to_string())),
    }
    if span.len < step.len {
        let (shown, all) = (size_text(span.len), size_text(step.len));
        lines.push(TextLine::new(
            Role::Dim,
            format!("… the first {shown} of {all}; {}", app.hint("{edit} opens the file in your editor")),
        ));
    }
    lines
}

/// Raw bytes as lines; what is not UTF-8 is shown in hexadecimal, so that nothing is hidden.
pub(super) fn raw_lines(bytes: &[u8]) -> Vec<TextLine> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.lines().map(|l| TextLine::new(Role::Text, l)).collect(),
        Err(_)
            if bytes.len() < cast::to_usize(RAW_MAX)
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
