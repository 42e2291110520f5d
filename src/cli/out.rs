//! How answers reach stdout: exact in a pipe and with `--json`, but for control characters; safe to show on a terminal.

use crate::format::Answer;
use crate::json;
use crate::model::{HEAD, Problem, StepNo};
use crate::text::{MARKS_PER_CELL_MAX, SafeText, cut, is_hidden, width};
use serde::Serialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

/// Version of the shapes that `--json` prints, first member of every object.
const VERSION: u32 = 1;

/// The place that answers go to.
pub(super) struct Out<'w> {
    to: BufWriter<Box<dyn Write + 'w>>,
    is_terminal: bool,
    has_colours: bool,
    /// Width that rows are cut to.
    cells: Option<usize>,
    /// Whether something could not be read to its end.
    has_trouble: bool,
}

/// What a piece of a line is, which colours it on a terminal that has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    /// Nothing special.
    Plain,
    /// Secondary.
    Dim,
    /// What to look at first.
    Strong,
    /// An error.
    Error,
    /// A warning.
    Warning,
    /// For the record.
    Info,
    /// All is well.
    Good,
    /// The step of something.
    Step,
    /// Who did it: a tool, an agent, a role.
    Who,
    /// The path of a value, of a file.
    Path,
    /// What came into being.
    New,
    /// What went away.
    Old,
}

impl Tone {
    /// Its attributes in an SGR sequence.
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "0",
            Self::Dim => "2",
            Self::Strong => "1",
            Self::Error => "1;31",
            Self::Warning => "1;33",
            Self::Info => "1;36",
            Self::Good | Self::New => "32",
            Self::Step => "33",
            Self::Who => "35",
            Self::Path => "36",
            Self::Old => "31",
        }
    }
}

impl<'w> Out<'w> {
    /// Answers into `to`; on a terminal lines are made safe to show, elsewhere control characters are escaped.
    pub(super) fn new(to: impl Write + 'w, is_terminal: bool) -> Self {
        Self {
            to: BufWriter::with_capacity(64 * 1024, Box::new(to)),
            is_terminal,
            has_colours: false,
            cells: None,
            has_trouble: false,
        }
    }

    /// Colours styled lines.
    pub(super) fn coloured(self, has_colours: bool) -> Self {
        Self { has_colours, ..self }
    }

    /// Cuts rows to a width.
    pub(super) fn cut_to(self, cells: Option<usize>) -> Self {
        Self { cells, ..self }
    }

    /// Takes note of an answer that is not whole, which the exit status says.
    pub(super) fn note_trouble(&mut self) {
        self.has_trouble = true;
    }

    /// Whether an answer was not whole.
    pub(super) fn has_trouble(&self) -> bool {
        self.has_trouble
    }

    /// Whether it is a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Whether styled lines are coloured.
    pub(super) fn is_coloured(&self) -> bool {
        self.has_colours
    }

    /// One line of pieces.
    pub(super) fn styled(&mut self, pieces: &[(Tone, &str)]) -> io::Result<()> {
        for (tone, text) in pieces {
            let text = self.shown(text);
            self.put(*tone, &text)?;
        }
        self.to.write_all(b"\n")
    }

    /// One line of our own texts, each with the parameters of its SGR sequence.
    pub(super) fn painted(&mut self, pieces: &[(String, &str)]) -> io::Result<()> {
        if !self.has_colours {
            let text: String = pieces.iter().map(|(_, text)| *text).collect();
            return self.line(text.trim_end());
        }
        for (sgr, text) in pieces {
            write!(self.to, "\x1b[{sgr}m{text}\x1b[0m")?;
        }
        self.to.write_all(b"\n")
    }

    /// The same, cut to the width of the terminal.
    pub(super) fn row(&mut self, pieces: &[(Tone, &str)]) -> io::Result<()> {
        let mut room = self.cells.unwrap_or(usize::MAX);
        for (tone, text) in pieces {
            let text = self.shown(text);
            let cells = width(&text);
            if cells > room {
                // What is cut goes to a terminal, so that it is safe to show already.
                let text = cut(&SafeText::of(&text), room);
                self.put(*tone, text.as_str())?;
                break;
            }
            room -= cells;
            self.put(*tone, &text)?;
        }
        self.to.write_all(b"\n")
    }

    /// A text that is safe to show.
    fn put(&mut self, tone: Tone, text: &str) -> io::Result<()> {
        if self.has_colours && tone != Tone::Plain && !text.is_empty() {
            write!(self.to, "\x1b[{}m{text}\x1b[0m", tone.code())
        } else {
            self.to.write_all(text.as_bytes())
        }
    }

    /// One JSON text and a newline, control characters as `\u` escapes; on a terminal all that is hidden (R10).
    pub(super) fn json(&mut self, text: &str) -> io::Result<()> {
        put_escaped(text, self.is_terminal, &mut self.to)?;
        self.to.write_all(b"\n")
    }

    /// One JSON object and a newline, of which one member is an array that is printed as it is made: `begin` without
    /// the closing brace, the parts of the array, each some elements or nothing, and the members after it.
    pub(super) fn listing(
        &mut self,
        begin: &str,
        name: &str,
        parts: impl Iterator<Item = String>,
        behind: &Answer,
    ) -> io::Result<()> {
        put_escaped(begin, self.is_terminal, &mut self.to)?;
        write!(self.to, ",{}:[", json::quote(name))?;
        for (number, part) in parts.filter(|part| !part.is_empty()).enumerate() {
            self.to.write_all(if number > 0 { b"," } else { b"" })?;
            put_escaped(&part, self.is_terminal, &mut self.to)?;
        }
        let mut end = "]".to_owned();
        put_members(behind, &mut end);
        end.push('}');
        self.json(&end)
    }

    /// One line of text.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        let text = self.shown(text);
        self.to.write_all(text.as_bytes())?;
        self.to.write_all(b"\n")
    }

    /// Text of several lines that ends with a newline of its own, or is empty.
    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        if !self.is_terminal {
            return put_harmless(text, Lines::Several, &mut self.to);
        }
        text.lines().try_for_each(|line| self.line(line))
    }

    /// What a model sees, byte for byte (A24, A27); made safe to show on a terminal.
    pub(super) fn exact(&mut self, text: &str) -> io::Result<()> {
        if self.is_terminal { self.text(text) } else { self.to.write_all(text.as_bytes()) }
    }

    #[cfg(feature = "query")]
    /// The bytes of a record as they are, and a newline; made safe to show on a terminal.
    pub(super) fn record(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.is_terminal {
            return self.text(&String::from_utf8_lossy(bytes));
        }
        self.to.write_all(bytes)?;
        self.to.write_all(b"\n")
    }

    /// Rows with their columns aligned; the last column is as long as it is.
    pub(super) fn table(&mut self, rows: &[Vec<String>]) -> io::Result<()> {
        self.columns(&[], rows)
    }

    /// The same, with what each column is; further columns are plain.
    pub(super) fn columns(&mut self, tones: &[Tone], rows: &[Vec<String>]) -> io::Result<()> {
        let tone = |column: usize| tones.get(column).copied().unwrap_or(Tone::Plain);
        let toned = |row: &Vec<String>| row.iter().cloned().enumerate().map(|(c, cell)| (tone(c), cell)).collect();
        self.cells(&rows.iter().map(toned).collect::<Vec<_>>())
    }

    /// Rows of cells with what each is, their columns aligned and cut to the width of the terminal.
    pub(super) fn cells(&mut self, rows: &[Vec<(Tone, String)>]) -> io::Result<()> {
        let shown = |(tone, cell): &(Tone, String)| (*tone, self.shown(cell).into_owned());
        let rows: Vec<Vec<(Tone, String)>> = rows.iter().map(|row| row.iter().map(shown).collect()).collect();
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|(_, cell)| width(cell)).max();
        let widths: Vec<usize> = (0..columns).map(|column| widest(column).unwrap_or(0)).collect();
        for row in &rows {
            let end = row.iter().rposition(|(_, cell)| !cell.trim_end_matches(' ').is_empty()).map_or(0, |at| at + 1);
            let gap = |column: usize, cells: usize| match column + 1 {
                next if next == end => 0,
                _ => widths[column] - cells + if widths[column] > 0 { 2 } else { 0 },
            };
            let mut pieces: Vec<(Tone, String)> = Vec::with_capacity(2 * end);
            for (column, (tone, cell)) in row.iter().take(end).enumerate() {
                let text = if column + 1 == end { cell.trim_end_matches(' ') } else { cell };
                pieces.push((*tone, text.to_owned()));
                pieces.push((Tone::Plain, " ".repeat(gap(column, width(cell)))));
            }
            self.row(&pieces.iter().map(|(tone, text)| (*tone, text.as_str())).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// Writes what is buffered.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.to.flush()
    }

    fn shown<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Cow::Borrowed(text);
        }
        if self.is_terminal {
            return Cow::Owned(SafeText::of(text).to_string());
        }
        let mut out = Vec::with_capacity(text.len());
        // Memory takes all that is written to it.
        let _ = put_harmless(text, Lines::One, &mut out);
        Cow::Owned(String::from_utf8(out).unwrap_or_default())
    }
}

/// Whether line ends of a text are those of the answer, or are in a text of the input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    One,
    Several,
}

/// Text as it is, but with control characters as `\u` escapes: whoever pipes an answer to a pager or to `cat` may have
/// them act on a terminal. Tabs are let through.
fn put_harmless(text: &str, lines: Lines, to: &mut impl Write) -> io::Result<()> {
    let acts = |at: usize, c: char| match c {
        '\t' => false,
        '\n' => lines == Lines::One,
        '\r' => lines == Lines::One || text.as_bytes().get(at + 1) != Some(&b'\n'),
        _ => c.is_control(),
    };
    let mut written = 0;
    for (at, c) in text.char_indices().filter(|&(at, c)| acts(at, c)) {
        write!(to, "{}\\u{:04x}", &text[written..at], u32::from(c))?;
        written = at + c.len_utf8();
    }
    to.write_all(&text.as_bytes()[written..])
}

/// Writes JSON text. U+007F to U+009F may be in JSON as they are, but act on a terminal, so they become `\u` escapes.
/// On a terminal so do bidi controls, invisible characters, and combining marks beyond those that a cell may carry
/// (R10). All of them only occur in strings, so the value stays the same.
pub(super) fn put_escaped(text: &str, is_terminal: bool, to: &mut impl Write) -> io::Result<()> {
    let (mut written, mut marks) = (0, 0);
    for (at, c) in text.char_indices() {
        if c < '\u{7F}' {
            marks = 0;
            continue;
        }
        let is_mark = is_terminal && width(c.encode_utf8(&mut [0; 4])) == 0;
        marks = if is_mark { marks + 1 } else { 0 };
        let is_escaped =
            if is_terminal { is_hidden(c) || marks > MARKS_PER_CELL_MAX } else { ('\u{7F}'..='\u{9F}').contains(&c) };
        if is_escaped {
            to.write_all(&text.as_bytes()[written..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(to, "\\u{unit:04x}")?;
            }
            written = at + c.len_utf8();
        }
    }
    to.write_all(&text.as_bytes()[written..])
}

/// The members that every answer about a trajectory begins with.
pub(super) struct Header {
    /// Name of the format.
    pub(super) format: &'static str,
    /// Which trajectory, of a format whose files hold several.
    pub(super) record: Option<usize>,
    /// The step that is answered for.
    pub(super) step: StepNo,
    /// How many steps there are.
    pub(super) steps: usize,
}

/// An answer as one JSON text: the header, then its members.
pub(super) fn answer(header: &Header, members: &Answer) -> String {
    let mut out = answer_begin(header, members);
    out.push('}');
    out
}

/// The beginning of an answer: the header and its first members.
pub(super) fn answer_begin(header: &Header, members: &Answer) -> String {
    let mut out = format!("{{\"obelus\":{VERSION},\"format\":{}", json::quote(header.format));
    if let Some(record) = header.record {
        let _ = write!(out, ",\"record\":{record}");
    }
    let _ = write!(out, ",\"step\":{},\"steps\":{}", header.step, header.steps);
    put_members(members, &mut out);
    out
}

/// A line that is not about the state of a trajectory: the version, then its members.
pub(super) fn plain(members: &Answer) -> String {
    let mut out = format!("{{\"obelus\":{VERSION}");
    put_members(members, &mut out);
    out.push('}');
    out
}

fn put_members(members: &Answer, out: &mut String) {
    for (name, value) in members {
        let _ = write!(out, ",{}:{value}", json::quote(name));
    }
}

/// A member's value.
///
/// # Errors
/// It has no JSON, which no type of ours can bring about.
pub(super) fn raw<T: Serialize + ?Sized>(value: &T) -> Result<Box<RawValue>, Problem> {
    serde_json::value::to_raw_value(value).map_err(|e| Problem::unreadable(format!("an answer has no JSON: {e}")))
}

/// A member's value from JSON text.
///
/// # Errors
/// It is not valid JSON: the input no longer holds what it held.
pub(super) fn exact(text: String) -> Result<Box<RawValue>, Problem> {
    RawValue::from_string(text).map_err(|e| Problem::unreadable(format!("a value has no JSON: {e}")))
}

/// A step for `--json`: what was before any step has none.
pub(super) fn step_member(step: StepNo) -> Option<StepNo> {
    (step != HEAD).then_some(step)
}

/// A step for people: `@41`; what was before any step is the head.
pub(super) fn at(step: StepNo) -> String {
    if step == HEAD { "head".to_owned() } else { format!("@{step}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(is_terminal: bool, work: impl FnOnce(&mut Out)) -> String {
        let mut bytes = Vec::new();
        let mut out = Out::new(&mut bytes, is_terminal);
        work(&mut out);
        out.finish().unwrap();
        drop(out);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_terminal_gets_signs_and_a_pipe_gets_escapes() {
        let text = "a\u{1b}[31m\n";
        assert_eq!(printed(false, |o| o.text(text).unwrap()), "a\\u001b[31m\n");
        let text = "ä\tb\r\nc\rd\u{9b}\u{202e}\n";
        assert_eq!(printed(false, |o| o.text(text).unwrap()), "ä\tb\r\nc\\u000dd\\u009b\u{202e}\n");
        assert_eq!(printed(false, |o| o.line("a\nb\tc").unwrap()), "a\\u000ab\tc\n");
        let text = "a\u{1b}[31m\n";
        assert_eq!(printed(true, |o| o.text(text).unwrap()), "a\u{241b}[31m\n");
        assert_eq!(printed(false, |o| o.json("\"\u{9b}x\u{7f}\"").unwrap()), "\"\\u009bx\\u007f\"\n");
    }

    #[test]
    fn json_on_a_terminal_is_the_same_value_without_hidden_characters() {
        let text = format!("{{\"a\u{202e}\": [\n\t\"\u{200b}\u{e0041}é日\u{9b}e{}\"]}}", "\u{301}".repeat(20));
        let shown = printed(true, |out| out.json(&text).unwrap());
        assert!(!shown.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t')), "{shown}");
        assert!(shown.contains("\\u202e") && shown.contains("\\udb40\\udc41") && shown.contains("é日"), "{shown}");
        assert_eq!(shown.matches('\u{301}').count(), MARKS_PER_CELL_MAX);
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&shown), value(&text));
        assert_eq!(printed(false, |out| out.json("\"\u{202e}\u{9b}\"").unwrap()), "\"\u{202e}\\u009b\"\n");
    }

    #[test]
    fn styled_lines_are_coloured_where_it_is_wanted() {
        let pieces = [(Tone::Error, "a\u{1b}"), (Tone::Plain, "b")];
        let coloured = |is_terminal, is_coloured| {
            let mut bytes = Vec::new();
            let mut out = Out::new(&mut bytes, is_terminal).coloured(is_coloured);
            out.styled(&pieces).unwrap();
            out.finish().unwrap();
            drop(out);
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(coloured(true, true), "\u{1b}[1;31ma\u{241b}\u{1b}[0mb\n");
        assert_eq!(coloured(false, true), "\u{1b}[1;31ma\\u001b\u{1b}[0mb\n");
        assert_eq!(coloured(false, false), "a\\u001bb\n");
        assert_eq!(printed(true, |o| o.styled(&pieces).unwrap()), "a\u{241b}b\n");
    }

    #[test]
    fn columns_align_by_cells() {
        let rows = [["日", "b", "c"], ["x", "", "long"]].map(|r| r.map(str::to_owned).to_vec());
        assert_eq!(printed(false, |o| o.table(&rows).unwrap()), "日  b  c\nx      long\n");
        let mut bytes = Vec::new();
        let mut out = Out::new(&mut bytes, true).coloured(true).cut_to(Some(9));
        out.columns(&[Tone::Step], &rows).unwrap();
        out.finish().unwrap();
        drop(out);
        let expected = "\u{1b}[33m日\u{1b}[0m  b  c\n\u{1b}[33mx\u{1b}[0m      l…\n";
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }
}
