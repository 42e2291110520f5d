//! The raw record of the step, in place of the message that is made of it.

use super::{PaneContent, message};
use crate::app::{App, Effects};
use crate::model::{Span, lossy};
use crate::panes::text_view::{Reader, TextLine};
use crate::panes::value::size_text;
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

    fn reader<'a>(&self, app: &'a mut App) -> Option<&'a mut Reader> {
        Some(&mut app.inspector.message.raw)
    }

    fn follow(&self, app: &mut App, _effects: &mut Effects) {
        app.follow_line();
    }

    fn after_update(&self, app: &mut App, _effects: &mut Effects) {
        let Some((now, _, record)) = app.message_place() else { return };
        if app.inspector.message.raw.shown() == Some(&now) || app.shows_gone() {
            return;
        }
        let is_same = app.inspector.message.raw.show(now).is_some_and(|(_, step)| step == now.1);
        let lines = lines(app, record);
        let raw = &mut app.inspector.message.raw;
        raw.set(lines);
        if !is_same {
            raw.scroll = Scroll::default();
        }
    }
}

fn lines(app: &App, record: Span) -> Vec<TextLine> {
    let span = Span { len: record.len.min(RAW_MAX), ..record };
    let mut lines = match app.session.bytes.read(span) {
        Ok(bytes) => raw_lines(&bytes),
        Err(problem) => vec![TextLine::new(Role::Error, problem.to_string())],
    };
    if span.len < record.len {
        let (shown, all) = (size_text(span.len), size_text(record.len));
        lines.push(TextLine::new(Role::Dim, format!("… the first {shown} of {all}; o opens the file in your editor")));
    }
    lines
}

/// Raw bytes as lines; what is no UTF-8 is shown in hexadecimal, so that nothing is hidden.
pub(super) fn raw_lines(bytes: &[u8]) -> Vec<TextLine> {
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
