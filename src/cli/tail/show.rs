//! What the follower reports, as JSON lines for programs or as readable lines for people.

use crate::cli::out::{Out, Tone, put_escaped};
use crate::format::describe;
use crate::json;
use crate::source::tail::{Event, TailItem, TailReport};
use crate::text::{shorten, single_line};
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

/// Bytes of a record that are looked at to describe it in a line.
const DESCRIBED: usize = 64 * 1024;

/// Characters of a summary.
const SUMMARY: usize = 160;

/// Makes lines of what is reported.
pub(super) enum Show {
    /// One JSON object a line; whether a terminal shows it.
    Json(Vec<u8>, bool),
    /// A readable line, coloured on a terminal.
    Text(Box<Text>),
}

/// Readable lines.
pub(super) struct Text {
    out: Out<'static>,
    lines: Shared,
}

/// Bytes that [`Out`] writes and [`Show::take`] takes.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Show {
    pub(super) fn new(is_json: bool, has_colours: bool, is_terminal: bool) -> Self {
        if is_json {
            return Self::Json(Vec::new(), is_terminal);
        }
        let lines = Shared::default();
        let out = Out::new(lines.clone(), is_terminal).coloured(has_colours);
        Self::Text(Box::new(Text { out, lines }))
    }

    /// Adds what is reported; a notice is for stderr.
    pub(super) fn add(&mut self, report: &TailReport<'_>) {
        // Memory takes all that is written to it.
        let _ = match self {
            Self::Json(out, is_terminal) => put_json(report, *is_terminal, out),
            Self::Text(text) => text.put(report),
        };
    }

    /// Takes the lines made so far.
    pub(super) fn take(&mut self) -> Vec<u8> {
        match self {
            Self::Json(out, _) => std::mem::take(out),
            Self::Text(text) => {
                let _ = text.out.finish();
                text.lines.0.take()
            }
        }
    }
}

fn put_json(report: &TailReport<'_>, is_terminal: bool, out: &mut Vec<u8>) -> io::Result<()> {
    if matches!(report.what, TailItem::Notice(_)) {
        return Ok(());
    }
    out.push(b'{');
    if let Some(file) = report.file {
        out.extend_from_slice(b"\"file\":");
        put_escaped(&json::quote(file), is_terminal, out)?;
        out.push(b',');
    }
    let generation = report.generation;
    match &report.what {
        TailItem::Record { offset, line, text, is_unterminated } => {
            write!(out, "\"generation\":{generation},\"offset\":{offset},\"line\":{line},\"record\":")?;
            put_value(text, is_terminal, out)?;
            put_unterminated(*is_unterminated, out);
        }
        TailItem::Error { offset, line, why, hole, is_unterminated } => {
            write!(out, "\"generation\":{generation},\"offset\":{offset},\"line\":{line},\"error\":")?;
            put_escaped(&json::quote(why), is_terminal, out)?;
            if let Some(len) = hole {
                write!(out, ",\"hole\":{len}")?;
            }
            put_unterminated(*is_unterminated, out);
        }
        TailItem::Event(event) => write!(out, "\"event\":\"{}\",\"generation\":{generation}", event.name())?,
        TailItem::Notice(_) => {}
    }
    out.extend_from_slice(b"}\n");
    Ok(())
}

fn put_unterminated(is_unterminated: bool, out: &mut Vec<u8>) {
    if is_unterminated {
        out.extend_from_slice(b",\"unterminated\":true");
    }
}

/// A value as written, on one line: without the white space between its parts, control characters as `\u` escapes.
fn put_value(text: &str, is_terminal: bool, out: &mut Vec<u8>) -> io::Result<()> {
    let mut rest = text;
    while let Some(quote) = memchr::memchr(b'"', rest.as_bytes()) {
        out.extend(rest.as_bytes()[..quote].iter().filter(|b| !b.is_ascii_whitespace()));
        let end = quote + string_len(&rest.as_bytes()[quote..]);
        put_escaped(&rest[quote..end], is_terminal, out)?;
        rest = &rest[end..];
    }
    out.extend(rest.bytes().filter(|b| !b.is_ascii_whitespace()));
    Ok(())
}

/// Length of the string that begins here, with its quotes.
fn string_len(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(i) = memchr::memchr2(b'"', b'\\', &text[at.min(text.len())..]) {
        at += i + 1;
        if text[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    text.len()
}

impl Text {
    fn put(&mut self, report: &TailReport<'_>) -> io::Result<()> {
        let file = report.file.map_or_else(String::new, |file| format!("{file}  "));
        match &report.what {
            TailItem::Record { line, text, is_unterminated, .. } => self.record(&file, *line, text, *is_unterminated),
            TailItem::Error { line, why, .. } => {
                let place = format!("{line:>7}  ");
                self.out.styled(&[(Tone::Dim, &file), (Tone::Dim, &place), (Tone::Error, "✗ "), (Tone::Plain, why)])
            }
            TailItem::Event(event) => {
                let label = match event {
                    Event::Truncated => "truncated: what follows is new content of the same file",
                    Event::Rotated => "rotated: the path leads to another file",
                    Event::Gone => "gone: nothing is at the path any more",
                    Event::Back => "back: the path leads to a file again",
                };
                let label = format!("── {label} (generation {}) ──", report.generation);
                self.out.styled(&[(Tone::Dim, &file), (Tone::Warning, &label)])
            }
            TailItem::Notice(_) => Ok(()),
        }
    }

    fn record(&mut self, file: &str, line: u64, text: &str, is_unterminated: bool) -> io::Result<()> {
        let step = match text.len() {
            ..=DESCRIBED => describe(text),
            _ => {
                let end = (0..=DESCRIBED).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
                describe(&json::head(&text[..end]))
            }
        };
        let place = format!("{line:>7}  ");
        let who = format!("{:<11} ", step.label);
        let tool = step.tool.map_or_else(String::new, |tool| format!("{tool}  "));
        let summary = single_line(&step.summary);
        let summary = shorten(&summary, SUMMARY);
        let pending = if is_unterminated { "  (no newline yet)" } else { "" };
        self.out.styled(&[
            (Tone::Dim, file),
            (Tone::Dim, &place),
            (Tone::Strong, &who),
            (Tone::Info, &tool),
            (Tone::Plain, &summary),
            (Tone::Dim, pending),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(is_json: bool, report: &TailReport<'_>) -> String {
        let mut show = Show::new(is_json, false, true);
        show.add(report);
        String::from_utf8(show.take()).unwrap()
    }

    fn record(text: &str) -> TailReport<'_> {
        TailReport {
            file: None,
            generation: 2,
            what: TailItem::Record { offset: 7, line: 3, text, is_unterminated: false },
        }
    }

    #[test]
    fn a_record_is_one_line_as_written() {
        let text = "{\n  \"a b\" : [1.0, 1e3 ,\t\"x\\\" \\\\\"],\r\n \"a b\":\"\u{9b}\u{7f}\"}";
        let expected = "{\"generation\":2,\"offset\":7,\"line\":3,\
            \"record\":{\"a b\":[1.0,1e3,\"x\\\" \\\\\"],\"a b\":\"\\u009b\\u007f\"}}\n";
        assert_eq!(shown(true, &record(text)), expected);
    }

    #[test]
    fn errors_and_events_say_where() {
        let what =
            TailItem::Error { offset: 9, line: 2, why: "no \u{1b}".to_owned(), hole: Some(3), is_unterminated: true };
        let report = TailReport { file: Some("a/b.jsonl"), generation: 1, what };
        let expected = "{\"file\":\"a/b.jsonl\",\
            \"generation\":1,\"offset\":9,\"line\":2,\"error\":\"no \\u001b\",\"hole\":3,\"unterminated\":true}\n";
        assert_eq!(shown(true, &report), expected);
        assert_eq!(shown(false, &report), "a/b.jsonl        2  ✗ no ␛\n");
        let report = TailReport { file: None, generation: 4, what: TailItem::Event(Event::Rotated) };
        assert_eq!(shown(true, &report), "{\"event\":\"rotated\",\"generation\":4}\n");
    }

    #[test]
    fn people_get_who_and_what() {
        let report = record("{\"role\":\"assistant\",\"content\":\"a\\n\\u001b[2J b\"}");
        assert_eq!(shown(false, &report), "      3  assistant   a ␛[2J b\n");
    }
}
