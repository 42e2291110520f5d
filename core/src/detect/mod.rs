//! Which format an input is of: recognised from its first records, never from its name.

mod outline;

use crate::format::signature::{self, Head, Signature};
use crate::format::{self, FORMATS, Format, Match, Near};
use crate::framing::Framer;
use crate::json::{self, OutlineLayout};
use crate::model::{Framing, Problem, RecordIndex, Span, cast};
use std::cell::OnceCell;

/// Records that detection looks at.
pub const RECORDS: usize = 20;

/// Bytes that detection looks at, and the size of its steps.
const BYTES: usize = 1 << 20;
const STEP: usize = 1 << 16;

/// The ways of framing, those that take lone surrogates: a format that does not reports them when it reads. Members are
/// distinguished when it is known that all are trajectories.
const FRAMINGS: [Framing; 3] = [Framing::LogText, Framing::LogValues, Framing::Elements];

/// The format that nothing else claims.
pub const FALLBACK: &str = "generic";

/// The format that its first record alone reports (S9), before any other.
const BY_FIRST_RECORD: &str = "scopix";

/// Signatures whose files the rows of the table distinguish themselves.
const DETECTED_BY_ROWS: [&str; 1] = ["atif"];

/// Bytes whose format is asked for.
pub trait Source {
    /// Reads from a place on, at most as many bytes as fit; how many there were, 0 at the end.
    ///
    /// # Errors
    /// They can no longer be read.
    fn read_at(&self, offset: u64, block: &mut [u8]) -> Result<usize, Problem>;

    /// How many there are.
    fn len(&self) -> u64;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Source for Vec<u8> {
    fn read_at(&self, offset: u64, block: &mut [u8]) -> Result<usize, Problem> {
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(Self::len(self));
        let n = block.len().min(Self::len(self) - from);
        block[..n].copy_from_slice(&self[from..from + n]);
        Ok(n)
    }

    fn len(&self) -> u64 {
        Self::len(self) as u64
    }
}

/// The formats that an input can be of.
#[derive(Clone, Copy, Default)]
pub struct FormatRegistry<'f> {
    /// Those that files define, in the order in which they are tried, behind those that are built in.
    pub custom: &'f [&'static dyn Format],
    /// One that the configuration made, in place of the row of its name.
    pub configured: Option<&'static dyn Format>,
}

impl FormatRegistry<'_> {
    /// All, in the order in which they are tried.
    pub fn all(self) -> impl Iterator<Item = &'static dyn Format> {
        FORMATS.iter().copied().chain(self.custom.iter().copied())
    }

    /// The names of those that are wanted, each once: a name may have several rows, which cut files into records in
    /// different ways.
    pub fn names(self, is_wanted: &dyn Fn(&dyn Format) -> bool) -> Vec<&'static str> {
        let mut names = Vec::new();
        for name in self.all().filter(|format| is_wanted(*format)).map(Format::name) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// A format as it is configured.
    fn configured(self, format: &'static dyn Format) -> &'static dyn Format {
        self.configured.filter(|configured| configured.name() == format.name()).unwrap_or(format)
    }
}

/// The format of an input.
pub struct Detected {
    /// It.
    pub format: &'static dyn Format,
    /// Sentences for people: what in the content says so.
    pub reasons: Vec<String>,
    /// Whether it was asked for by name.
    pub was_forced: bool,
    /// Whether there are records and no format fits, so that they are shown as they are.
    pub is_fallback: bool,
}

/// Finds the format of an input by its first 20 records or first MiB, or takes the one asked for.
///
/// # Errors
/// There is no format of that name; or the input cannot be read.
pub fn detect(input: &dyn Source, forced: Option<&str>, known: FormatRegistry<'_>) -> Result<Detected, Problem> {
    if let Some(name) = forced.filter(|name| *name != "auto") {
        let format = of_name(name, input, known)?.ok_or_else(|| unknown(name, known))?;
        return Ok(Detected {
            format: known.configured(format),
            reasons: vec!["asked for by name".to_owned()],
            was_forced: true,
            is_fallback: false,
        });
    }
    let outline = outline::read(input)?;
    let values = outline::values(&outline);
    let head = outline::head(outline.layout, &values);
    let recognized = signature::recognize(&head);
    match recognized {
        Some((signature, found)) if is_certain(signature, &head) => {
            if head.layout == OutlineLayout::Elements && are_lists(signature, input)? {
                return of_table(input, &head, None, known);
            }
            of_signature(signature, &found, input, known)
        }
        recognized => of_table(input, &head, recognized, known),
    }
}

/// Whether what looks like one array of records is lists one after the other, which the format does not read: each list
/// is a record.
fn are_lists(signature: &Signature, input: &dyn Source) -> Result<bool, Problem> {
    let Some(format) = format::by_name(signature.format) else { return Ok(false) };
    let ((texts, _), torn) = (first_records(input)?, OnceCell::new());
    let are_lists = |texts: &[String]| texts.len() > 1 && texts.iter().all(|text| text.trim_start().starts_with('['));
    let mut first = First::new(&texts, &torn);
    Ok(are_lists(&texts[First::way(format)]) && format.detect(first.of(format)).is_none())
}

/// Whether a signature decides before the rows of the table are asked.
fn is_certain(signature: &Signature, head: &Head<'_, '_>) -> bool {
    let is_of_first = format::by_name(BY_FIRST_RECORD).is_some_and(|first| first.detect(head.records).is_some());
    !is_of_first && !signature.is_last() && !DETECTED_BY_ROWS.contains(&signature.format)
}

/// The format of a signature, or, while no adapter reads it, the one for any JSON, which then says what the input is.
fn of_signature(
    signature: &Signature,
    found: &Match,
    input: &dyn Source,
    known: FormatRegistry<'_>,
) -> Result<Detected, Problem> {
    let reasons = vec![format!("this is {}: {}", signature.what, found.reason)];
    match of_name(signature.format, input, known)? {
        Some(format) => {
            Ok(Detected { format: known.configured(format), reasons, was_forced: false, is_fallback: false })
        }
        None => as_records(signature, found, known),
    }
}

/// What a signature says of a file that no adapter reads.
fn as_records(signature: &Signature, found: &Match, known: FormatRegistry<'_>) -> Result<Detected, Problem> {
    let what = format!("this is {}: {}", signature.what, found.reason);
    fallback(vec![what, "obelus reads it as plain JSON records".to_owned()], known)
}

fn fallback(mut reasons: Vec<String>, known: FormatRegistry<'_>) -> Result<Detected, Problem> {
    let format = format::by_name(FALLBACK).ok_or_else(|| unknown(FALLBACK, known))?;
    reasons.push("`--format NAME` reads it as another".to_owned());
    reasons.push("`obelus formats --explain FILE` drafts a format of your own for it".to_owned());
    Ok(Detected { format: known.configured(format), reasons, was_forced: false, is_fallback: true })
}

/// The first row of the table that takes the records; at last the one for any JSON.
fn of_table(
    input: &dyn Source,
    head: &Head<'_, '_>,
    recognized: Option<(&'static Signature, Match)>,
    known: FormatRegistry<'_>,
) -> Result<Detected, Problem> {
    let ((texts, is_torn), torn) = (first_records(input)?, OnceCell::new());
    let mut first = First::new(&texts, &torn);
    let built_in = format::FORMATS.iter().flat_map(|&format| [Some(format), format.alternative()]).flatten();
    let (fallback_rows, rows): (Vec<_>, Vec<_>) = built_in.partition(|format| format.name() == FALLBACK);
    for format in rows.into_iter().chain(known.custom.iter().copied()).chain(fallback_rows) {
        let Some(found) = format.detect(first.of(format)) else { continue };
        if format.name() != FALLBACK {
            let format = known.configured(format);
            return Ok(Detected { format, reasons: vec![found.reason], was_forced: false, is_fallback: false });
        }
        if let Some((signature, found)) = &recognized {
            // Of a first record that is too long to be seen whole, its signature says more than what is seen.
            if is_torn {
                return of_signature(signature, found, input, known);
            }
            return as_records(signature, found, known);
        }
        if first.of(format).is_empty() {
            let has_records = first.has_any(format);
            let not_json = "none of its first records is JSON; obelus reads JSON and JSON Lines";
            let reason = if has_records { not_json } else { "it has no records" };
            let (format, reasons) = (known.configured(format), vec![reason.to_owned()]);
            return Ok(Detected { format, reasons, was_forced: false, is_fallback: has_records });
        }
        let reasons = [Some(found.reason), nearest(&mut first, head, known)];
        return fallback(reasons.into_iter().flatten().collect(), known);
    }
    fallback(vec!["no format claims it".to_owned()], known)
}

/// The row of a name. Of several rows, which cut files into records in different ways, the first that the input is of,
/// else the first that half of its records speak for, else the first.
fn of_name(name: &str, input: &dyn Source, known: FormatRegistry<'_>) -> Result<Option<&'static dyn Format>, Problem> {
    let rows = known.all().filter(|format| format.name() == name);
    let rows: Vec<&'static dyn Format> =
        rows.flat_map(|format| [Some(format), format.alternative()]).flatten().collect();
    let [first_row, _, ..] = rows[..] else { return Ok(rows.first().copied()) };
    let ((texts, _), torn) = (first_records(input)?, OnceCell::new());
    let mut first = First::new(&texts, &torn);
    if let Some(row) = rows.iter().find(|row| row.detect(first.of(**row)).is_some()) {
        return Ok(Some(*row));
    }
    let near = rows.iter().find(|row| row.near(first.of(**row)).is_some_and(|near| near.share >= 0.5));
    Ok(Some(near.copied().unwrap_or(first_row)))
}

/// The first records, parsed where a format asks for them.
struct First<'t> {
    texts: &'t [Vec<String>; 3],
    /// For each way of framing the first that gives the same records: mostly all do.
    ways: [usize; 3],
    /// The beginning, closed, of an input that is one value whose end is missing.
    torn: &'t OnceCell<Vec<String>>,
    parsed: [Option<Vec<json::Value<'t>>>; 3],
    of_torn: Option<Vec<json::Value<'t>>>,
}

impl<'t> First<'t> {
    fn new(texts: &'t [Vec<String>; 3], torn: &'t OnceCell<Vec<String>>) -> Self {
        let first = |way: usize| texts.iter().position(|other| *other == texts[way]).unwrap_or(way);
        Self { texts, ways: [first(0), first(1), first(2)], torn, parsed: Default::default(), of_torn: None }
    }

    fn way(format: &dyn Format) -> usize {
        let framing = match format.framing() {
            Framing::Members | Framing::Items(_) | Framing::Values => Framing::LogValues,
            Framing::Text => Framing::LogText,
            framing => framing,
        };
        FRAMINGS.iter().position(|way| *way == framing).unwrap_or_default()
    }

    /// Whether there are some as a format cuts them, also if none is JSON.
    fn has_any(&self, format: &dyn Format) -> bool {
        !self.texts[Self::way(format)].is_empty()
    }

    /// Those that are JSON, parsed once.
    fn of(&mut self, format: &dyn Format) -> &[json::Value<'t>] {
        let way = self.ways[Self::way(format)];
        let texts = &self.texts[way];
        let parsed = self.parsed[way].get_or_insert_with(|| values(texts));
        if parsed.is_empty() && matches!(format.framing(), Framing::Members | Framing::Items(_)) {
            let torn = self.torn.get_or_init(|| torn(texts).into_iter().collect());
            return self.of_torn.get_or_insert_with(|| values(torn));
        }
        parsed
    }
}

/// Which format comes nearest to records that none takes, and why.
fn nearest(first: &mut First<'_>, head: &Head<'_, '_>, known: FormatRegistry<'_>) -> Option<String> {
    let by_signature = signature::nearest(head).map(|(signature, near)| (near, signature.format, signature.what));
    let mut best: Option<(Near, &str, &str)> = by_signature;
    for format in known.all() {
        if let Some(near) = format.near(first.of(format))
            && best.as_ref().is_none_or(|(other, ..)| near.share > other.share)
        {
            best = Some((near, format.name(), format.title()));
        }
    }
    best.map(|(near, name, title)| format!("the nearest is {name} ({title}): {}", near.description))
}

/// The first records as texts, for each way of framing, and whether not even the first is whole.
fn first_records(input: &dyn Source) -> Result<([Vec<String>; 3], bool), Problem> {
    let mut head = vec![0; BYTES];
    let got = input.read_at(0, &mut head)?;
    head.truncate(got);
    let is_whole = got as u64 == input.len();
    let all = FRAMINGS.map(|framing| texts(&head, framing, is_whole));
    let is_torn = all.iter().all(|(_, is_torn)| *is_torn);
    Ok((all.map(|(texts, _)| texts), is_torn))
}

/// Those that parse.
fn values(texts: &[String]) -> Vec<json::Value<'_>> {
    texts.iter().filter_map(|text| json::parse_lenient(text).ok()).collect()
}

/// The first records of a text of which this is the head. If not even the first ends in it, its beginning, closed; and
/// whether that is so.
fn texts(head: &[u8], framing: Framing, is_whole: bool) -> (Vec<String>, bool) {
    let mut framer = Framer::new(framing);
    let mut index = RecordIndex::default();
    while index.len() < RECORDS {
        let from = cast::to_usize(framer.position());
        let piece = &head[from.min(head.len())..head.len().min(from + STEP)];
        if !piece.is_empty() {
            framer.feed(piece, &mut index);
        } else if !is_whole || framer.finish(&mut index) {
            break;
        }
    }
    let spans = index.iter().take(RECORDS).map(|record| record.place.span);
    let mut texts: Vec<String> = spans.filter_map(|span| text(head, span)).collect();
    let pending = framer.pending().filter(|_| texts.is_empty());
    let is_torn = !is_whole && pending.is_some();
    texts.extend(
        pending
            .and_then(|p| json::closed(&head[cast::to_usize(p.span.offset)..]))
            .and_then(|t| String::from_utf8(t).ok()),
    );
    (texts, is_torn)
}

/// The beginning, closed, of the one text there is.
fn torn(texts: &[String]) -> Option<String> {
    let [text] = texts else { return None };
    String::from_utf8(json::closed(text.as_bytes())?).ok()
}

fn text(head: &[u8], span: Span) -> Option<String> {
    let from = cast::to_usize(span.offset);
    let bytes = head.get(from..from + cast::to_usize(span.len))?;
    String::from_utf8(bytes.to_vec()).ok()
}

fn unknown(name: &str, known: FormatRegistry<'_>) -> Problem {
    let names = known.names(&|_| true);
    let begins_alike = |n: &&&str| n.chars().next() == name.chars().next();
    let near: Vec<&str> = names.iter().filter(begins_alike).copied().collect();
    let hint = match near.as_slice() {
        [] => format!("there are: auto, {}", names.join(", ")),
        near => format!("do you mean {}? there are: auto, {}", near.join(" or "), names.join(", ")),
    };
    Problem::usage(format!("there is no format `{name}`")).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_at_the_first_records_only() {
        let lines = "{\"a\":1}\n".repeat(100_000);
        assert_eq!(texts(lines.as_bytes(), Framing::Text, true).0.len(), RECORDS);
        assert_eq!(texts(b"[{\"a\":1},{\"b\":2}]", Framing::Text, true).0.len(), 1);
        assert_eq!(texts(b"[{\"a\":1},{\"b\":2}]", Framing::Elements, true).0, ["{\"a\":1}", "{\"b\":2}"]);
        assert_eq!(texts(b"", Framing::Text, true).0, [""; 0]);
    }

    #[test]
    fn a_record_longer_than_the_head_says_how_it_begins() {
        let head = b"{\"context\": [{\"type\": \"state\"}, {\"type\": \"user\", \"text\": \"a lo";
        for framing in [Framing::Text, Framing::Values, Framing::Elements] {
            let seen = "{\"context\": [{\"type\": \"state\"}, {\"type\": \"user\"}]}";
            assert_eq!(texts(head, framing, false), (vec![seen.to_owned()], true));
        }
    }

    #[test]
    fn a_document_of_many_lines_with_a_lone_surrogate_is_recognised() {
        let text = "{\n\"trajectory\": [{\"action\": \"ls\", \"observation\": \"\\ud83d\", \"thought\": \"t\",\n \
                    \"response\": \"r\", \"state\": \"{}\"}],\n\"history\": [], \"info\": {},\n \
                    \"environment\": \"e\"}\n";
        let of = |text: &str| {
            detect(&text.as_bytes().to_vec(), None, FormatRegistry::default()).unwrap().format.name().to_owned()
        };
        assert_eq!([of(text), of(&text.replace("\\ud83d", "x"))], ["swe-agent", "swe-agent"]);
    }

    #[test]
    fn an_input_without_json_is_no_format_of_its_own() {
        let of = |text: &str| detect(&text.as_bytes().to_vec(), None, FormatRegistry::default()).unwrap();
        let table = of("id,answer\n1,yes\n");
        let reason = "none of its first records is JSON; obelus reads JSON and JSON Lines";
        assert_eq!((table.reasons, table.is_fallback), (vec![reason.to_owned()], true));
        for empty in ["", "\n\n", "[]"] {
            let empty = of(empty);
            assert_eq!((empty.reasons, empty.is_fallback), (vec!["it has no records".to_owned()], false));
        }
    }

    #[test]
    fn what_no_format_takes_says_which_is_nearest_and_what_to_do() {
        let reasons = |text: &str| detect(&text.as_bytes().to_vec(), None, FormatRegistry::default()).unwrap().reasons;
        let chat = "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}\n";
        let reasons_given = reasons(&format!("{chat}{}", "{\"a\":1}\n".repeat(3)));
        assert_eq!(
            reasons_given[1],
            "the nearest is adp (Agent Data Protocol): 1 of 4 records have the shape of a trajectory"
        );
        assert!(
            reasons_given[0].starts_with("no other format fits") && reasons_given[2].contains("--format"),
            "{reasons_given:?}"
        );
        let typed = "{\"type\":\"state\",\"state\":{}}\n{\"text\":\"a\"}\n{\"text\":\"b\"}\n";
        let nearest = "the nearest is acts (Agent/Data): 1 of 3 messages have a type of Agent/Data and its member";
        assert_eq!(reasons(typed)[1], nearest);
        let slots = reasons("{\"slots\":{\"name\":\"Ann\"}}");
        assert!(slots[1].starts_with("the nearest is scopix (Scopix): 1 of 1 records"), "{slots:?}");
        let reasons_given = reasons("{\"a\":1}");
        assert!(
            reasons_given.len() == 3 && reasons_given[2].contains("--explain"),
            "nothing is near: {reasons_given:?}"
        );
        assert_eq!(reasons(chat).len(), 1);
    }

    #[test]
    fn an_unknown_name_is_reported_with_the_known_ones() {
        let Err(problem) = detect(&b"{}".to_vec(), Some("actz"), FormatRegistry::default()) else { panic!() };
        assert!(problem.message.contains("actz") && problem.hint.is_some());
    }
}
