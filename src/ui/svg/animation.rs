//! Frames as one moving picture: a row is drawn once for as long as it stays the same, and shown while it holds. No
//! script: the times are keyframes of a style sheet. With reduced motion requested, the last frame is shown.

use super::{Picture, escape, hex, left, mix, top};
use crate::ui::theme::Theme;
use ratatui::buffer::Buffer;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// A frame and how long it is shown.
#[derive(Debug)]
pub struct AnimationFrame {
    /// Its cells.
    pub buffer: Buffer,
    /// The keys pressed before it, shown in the title; may be empty.
    pub pressed: String,
    /// How long it is shown, in milliseconds.
    pub millis: u32,
}

/// Frames of one size as an SVG document that begins again when it ends. No frames give the empty document.
#[must_use]
pub fn animation(frames: &[AnimationFrame], theme: &Theme, title: &str) -> String {
    let Some(first) = frames.first() else { return String::new() };
    let picture = Picture::of(theme);
    let (columns, rows) = (usize::from(first.buffer.area.width), usize::from(first.buffer.area.height));
    let (width, height) = (left(columns).div_ceil(10) + super::PADDING, top(rows) + super::PADDING);
    let mut spans = BTreeSet::new();
    let mut body = String::new();
    for row in 0..rows {
        let drawn = frames.iter().map(|frame| {
            let mut out = String::new();
            picture.paint_row(&frame.buffer, row, &mut out);
            out
        });
        put_spans(&drawn.collect::<Vec<_>>(), &mut spans, &mut body);
    }
    let pressed = frames.iter().map(|frame| picture.badge(&frame.pressed, width));
    put_spans(&pressed.collect::<Vec<_>>(), &mut spans, &mut body);
    let window = picture.window(width, height, title);
    // The style sheet comes after the title, which viewers look for first.
    let (head, rest) = window.split_once("</title>\n").unwrap_or((&window, ""));
    format!("{head}</title>\n{}{rest}{body}</g>\n</svg>\n", styles(frames, &spans))
}

impl Picture {
    /// A key in the title, so that viewers see what produces the next frame.
    fn badge(&self, key: &str, width: usize) -> String {
        if key.is_empty() {
            return String::new();
        }
        let cells = key.width() * super::CELL_WIDTH_TENTHS / 10 + 20;
        let (x, ink, ground) =
            (width.saturating_sub(cells + 12), hex(self.ground), hex(mix(self.ink, self.ground, 85)));
        format!(
            "<rect x=\"{x}\" y=\"7\" width=\"{cells}\" height=\"22\" rx=\"5\" fill=\"{ground}\"/>\n\
             <text x=\"{}\" y=\"23\" text-anchor=\"middle\" font-weight=\"700\" fill=\"{ink}\">{}</text>\n",
            x + cells / 2,
            escape(key)
        )
    }
}

/// Equal parts of consecutive frames, once, with the frames that they belong to.
fn put_spans(drawn: &[String], spans: &mut BTreeSet<(usize, usize)>, out: &mut String) {
    let mut from = 0;
    for same in drawn.chunk_by(|a, b| a == b) {
        let span = from..from + same.len();
        from = span.end;
        if same[0].is_empty() {
            continue;
        }
        if span == (0..drawn.len()) {
            out.push_str(&same[0]);
            continue;
        }
        let _ = write!(out, "<g class=\"{}\">\n{}</g>\n", class(&span), same[0]);
        spans.insert((span.start, span.end));
    }
}

fn class(span: &Range<usize>) -> String {
    format!("f{}-{}", span.start, span.end)
}

/// When each span of frames is shown.
fn styles(frames: &[AnimationFrame], spans: &BTreeSet<(usize, usize)>) -> String {
    let begin = |frame: usize| frames[..frame].iter().map(|frame| u64::from(frame.millis)).sum::<u64>();
    let all = begin(frames.len()).max(1);
    // Thousandths of a per cent, so that no frame flickers at its border.
    let part = |frame: usize| {
        let thousandths = begin(frame) * 100_000 / all;
        format!("{}.{:03}%", thousandths / 1_000, thousandths % 1_000)
    };
    let mut out = String::from("<style>\n");
    let mut still = String::new();
    for (from, to) in spans {
        let (name, is_last) = (class(&(*from..*to)), *to == frames.len());
        let (shown, hidden) = ("{visibility:visible}", "{visibility:hidden}");
        let start = if *from > 0 { format!("0%{hidden}") } else { String::new() };
        let end = if is_last { String::new() } else { format!("{}{hidden}", part(*to)) };
        let rest = if is_last { "visible" } else { "hidden" };
        let _ = writeln!(
            out,
            "@keyframes {name}{{{start}{}{shown}{end}}}\n.{name}{{visibility:{rest};animation:{name} {all}ms step-end \
             infinite}}",
            part(*from)
        );
        let _ = write!(still, ".{name}{{animation:none}}");
    }
    let _ = writeln!(out, "@media (prefers-reduced-motion:reduce){{{still}}}\n</style>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    fn frame(lines: &[&str], pressed: &str) -> AnimationFrame {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 3));
        for (row, line) in lines.iter().enumerate() {
            buffer.set_string(0, u16::try_from(row).unwrap(), line, Style::new());
        }
        AnimationFrame { buffer, pressed: pressed.to_owned(), millis: 1_000 }
    }

    #[test]
    fn what_stays_is_drawn_once_and_each_change_has_its_time() {
        let frames = [frame(&["same", "a"], ""), frame(&["same", "b"], "<"), frame(&["same", "b", "c"], "Enter")];
        let theme = Theme::built_in("dark").unwrap();
        let picture = animation(&frames, &theme, "t");
        assert_eq!(picture.matches(">same<").count(), 1);
        assert_eq!(picture.matches(">b<").count(), 1, "two frames with the same row");
        assert!(picture.contains("<g class=\"f1-3\">") && picture.contains("<g class=\"f0-1\">"), "{picture}");
        assert!(picture.contains("@keyframes f0-1{0.000%{visibility:visible}33.333%{visibility:hidden}}"), "{picture}");
        assert!(picture.contains("@keyframes f1-3{0%{visibility:hidden}33.333%{visibility:visible}}"), "{picture}");
        assert!(picture.contains(".f1-3{visibility:visible;animation:f1-3 3000ms step-end infinite}"), "{picture}");
        assert!(picture.contains("&lt;</text>") && picture.contains("prefers-reduced-motion"));
        assert_eq!(picture.matches("<g").count(), picture.matches("</g>").count());
        assert_eq!(animation(&[], &theme, "t"), "");
    }
}
