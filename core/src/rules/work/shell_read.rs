//! W9 *Read*: commands that print lines of a file, and filters after them.

use super::call::Range;
use super::text::{LINE_MAX, parse_line};
use super::words::{RedirectKind, Simple};

/// How a command shows a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    /// Which lines; of numbered ones the numbers report it.
    pub(super) range: Range,
    /// Whether lines have their numbers before them.
    pub(super) is_numbered: bool,
    /// Whether the sign between number and line is a colon.
    pub(super) has_colons: bool,
    /// Whether it goes to the end of the file.
    pub(super) has_end: bool,
}

const ALL: Range = Range { first: 1, count: None, is_given: false };

/// W9 *Read*: the file that a command prints, and how.
pub(super) fn read(command: &Simple) -> Option<(String, Reading)> {
    if command.heredoc.is_some() || command.redirects.iter().any(|redirect| redirect.way == RedirectKind::Input) {
        return None;
    }
    let texts: Vec<&str> = command.arguments().iter().map(|word| word.text.as_str()).collect();
    let (flags, operands) = split_flags(&texts);
    let whole = Reading { range: ALL, is_numbered: false, has_colons: false, has_end: true };
    let numbered = Reading { is_numbered: true, ..whole };
    match (command.name(), flags.as_slice(), operands.as_slice()) {
        ("cat", [], [file]) => Some(((*file).to_owned(), whole)),
        ("cat", ["-n"], [file]) | ("nl", ["-ba"], [file]) => Some(((*file).to_owned(), numbered)),
        ("nl", ["-b"], ["a", file]) => Some(((*file).to_owned(), numbered)),
        ("head" | "tail" | "sed", ..) => {
            let (filter, file) = cutter(command.name(), &texts)?;
            Some((file?.to_owned(), filter.apply(whole)?))
        }
        ("grep", flags, [_, file]) => {
            let is_numbered = flags.iter().any(|flag| flag.contains('n') && !flag.starts_with("--"));
            let fits = |flag: &&str| flag.len() > 1 && flag[1..].chars().all(|c| "niEFPwxvsha".contains(c));
            let grep =
                Reading { is_numbered: true, has_colons: true, has_end: false, range: Range { is_given: true, ..ALL } };
            (is_numbered && flags.iter().all(fits)).then(|| ((*file).to_owned(), grep))
        }
        _ => None,
    }
}

/// Words that begin with `-`, and the others.
pub(super) fn split_flags<'w>(words: &[&'w str]) -> (Vec<&'w str>, Vec<&'w str>) {
    words.iter().partition(|word| word.len() > 1 && word.starts_with('-') && **word != "--")
}

/// Which part of its input a command prints.
#[derive(Debug, Clone, Copy)]
enum Cutter {
    /// A number of lines from the start.
    Head(u32),
    /// From this line on.
    From(u32),
    /// The last lines.
    Tail,
    /// From a line to a line; None: to the end.
    Lines(u32, Option<u32>),
}

impl Cutter {
    fn apply(self, reading: Reading) -> Option<Reading> {
        let Range { first, count, .. } = reading.range;
        if reading.is_numbered {
            let range = Range { is_given: true, ..reading.range };
            let has_end = reading.has_end && matches!(self, Self::From(_) | Self::Tail | Self::Lines(_, None));
            return Some(Reading { range, has_end, ..reading });
        }
        let (skip, most, has_end) = match self {
            Self::Head(n) => (0, Some(n), false),
            Self::From(n) => (n.max(1) - 1, None, reading.has_end),
            Self::Tail => return None,
            Self::Lines(from, to) => {
                let from = from.max(1);
                (from - 1, to.map(|to| (to + 1).saturating_sub(from)), reading.has_end && to.is_none())
            }
        };
        let left = count.map(|count| count.saturating_sub(skip));
        let count = match (left, most) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let first = first.checked_add(skip)?;
        let is_given = first > 1 || count.is_some();
        Some(Reading { range: Range { first, count, is_given }, has_end, ..reading })
    }
}

/// `head`, `tail`, `sed -n` by their words, and the file, if one is named.
fn cutter<'w>(name: &str, words: &[&'w str]) -> Option<(Cutter, Option<&'w str>)> {
    let mut files = Vec::new();
    let mut cutter = None;
    let mut rest = words.iter();
    let mut is_quiet = false;
    while let Some(word) = rest.next() {
        match (name, *word) {
            ("sed", "-n" | "--quiet" | "--silent") => is_quiet = true,
            ("sed", script) if cutter.is_none() && !script.starts_with('-') => cutter = Some(sed_lines(script)?),
            ("head" | "tail", "-n" | "--lines") => cutter = Some(count_cutter(name, rest.next()?)?),
            ("head" | "tail", word) if word.starts_with("-n") => cutter = Some(count_cutter(name, &word[2..])?),
            ("head" | "tail", word) if word.starts_with("--lines=") => {
                cutter = Some(count_cutter(name, word.trim_start_matches("--lines="))?);
            }
            ("head" | "tail", word) if word.starts_with('-') && word.len() > 1 => {
                cutter = Some(count_cutter(name, &word[1..])?);
            }
            ("tail", word) if word.starts_with('+') => cutter = Some(count_cutter(name, word)?),
            (_, word) if word.starts_with('-') => return None,
            (_, word) => files.push(word),
        }
    }
    let cutter = match (name, cutter) {
        ("sed", Some(cutter)) => is_quiet.then_some(cutter)?,
        ("head", None) => Cutter::Head(10),
        ("tail", None) => Cutter::Tail,
        (_, cutter) => cutter?,
    };
    match files[..] {
        [] => Some((cutter, None)),
        [file] => Some((cutter, Some(file))),
        _ => None,
    }
}

fn count_cutter(name: &str, count: &str) -> Option<Cutter> {
    match (name, count.strip_prefix('+')) {
        ("tail", Some(count)) => parse_line(count).map(Cutter::From),
        ("tail", None) => count.trim_start_matches('-').parse::<u32>().ok().map(|_| Cutter::Tail),
        (_, _) => parse_line(count).map(Cutter::Head),
    }
}

/// `a,bp`, `ap`, `a,$p`.
fn sed_lines(script: &str) -> Option<Cutter> {
    let lines = script.trim().trim_end_matches(';').strip_suffix('p')?.trim();
    match lines.split_once(',') {
        Some((from, "$")) => Some(Cutter::Lines(parse_line(from.trim())?, None)),
        Some((from, to)) => {
            let from = parse_line(from.trim())?;
            let to = match to.trim().strip_prefix('+') {
                Some(more) => parse_line(more)?.saturating_add(from).min(LINE_MAX),
                None => parse_line(to.trim())?,
            };
            Some(Cutter::Lines(from, Some(to)))
        }
        None => parse_line(lines).map(|line| Cutter::Lines(line, Some(line))),
    }
}

/// W9: what a filter leaves of what a command prints.
pub(super) fn narrowed(filter: &Simple, reading: Reading) -> Option<Reading> {
    if filter.heredoc.is_some() || filter.redirects.iter().any(|redirect| redirect.way == RedirectKind::Input) {
        return None;
    }
    let texts: Vec<&str> = filter.arguments().iter().map(|word| word.text.as_str()).collect();
    match filter.name() {
        name @ ("head" | "tail" | "sed") => match cutter(name, &texts)? {
            (cutter, None) => cutter.apply(reading),
            _ => None,
        },
        "grep" if reading.is_numbered => {
            let (flags, operands) = split_flags(&texts);
            let fits = |flag: &&str| flag.len() > 1 && flag[1..].chars().all(|c| "iEFPwvABC0123456789".contains(c));
            let range = Range { is_given: true, ..reading.range };
            (flags.iter().all(fits) && !operands.is_empty()).then_some(Reading { range, has_end: false, ..reading })
        }
        _ => None,
    }
}
