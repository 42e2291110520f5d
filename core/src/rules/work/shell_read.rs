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

impl Reading {
    /// Whether a terminal put the lines of an output behind their numbers: it has no tabs.
    pub(super) fn is_in_columns(&self, text: &str) -> bool {
        self.is_numbered && !self.has_colons && !text.contains('\t')
    }
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
        // Its input, not a file.
        ("cat" | "nl" | "grep", _, [.., "-"]) => None,
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

/// Words that begin with `-`, and the others; behind `--` none is a flag.
pub(super) fn split_flags<'w>(words: &[&'w str]) -> (Vec<&'w str>, Vec<&'w str>) {
    let end = words.iter().position(|word| *word == "--").unwrap_or(words.len());
    let (before, behind) = words.split_at(end);
    let (flags, mut operands): (Vec<_>, Vec<_>) =
        before.iter().partition(|word| word.len() > 1 && word.starts_with('-'));
    operands.extend(behind.iter().skip(1));
    (flags, operands)
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
    let end = words.iter().position(|word| *word == "--").unwrap_or(words.len());
    let (words, behind) = words.split_at(end);
    let (cutter, mut files) = if name == "sed" { sed_cutter(words)? } else { line_cutter(name, words)? };
    files.extend(behind.iter().skip(1));
    match files[..] {
        [] => Some((cutter, None)),
        ["-"] => None,
        [file] => Some((cutter, Some(file))),
        _ => None,
    }
}

/// What the words of `head` or `tail` before `--` name: the lines, and files.
fn line_cutter<'w>(name: &str, words: &[&'w str]) -> Option<(Cutter, Vec<&'w str>)> {
    let (mut cutter, mut files) = (if name == "head" { Cutter::Head(10) } else { Cutter::Tail }, Vec::new());
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "-n" | "--lines" => cutter = count_cutter(name, rest.next()?)?,
            word if word.starts_with("-n") => cutter = count_cutter(name, &word[2..])?,
            word if word.starts_with("--lines=") => cutter = count_cutter(name, word.trim_start_matches("--lines="))?,
            word if word.starts_with('-') && word.len() > 1 => cutter = count_cutter(name, &word[1..])?,
            word if name == "tail" && word.starts_with('+') => cutter = count_cutter(name, word)?,
            word => files.push(word),
        }
    }
    Some((cutter, files))
}

/// What the words of `sed -n` before `--` name: the lines of its one script, and files.
fn sed_cutter<'w>(words: &[&'w str]) -> Option<(Cutter, Vec<&'w str>)> {
    let (mut is_quiet, mut scripts, mut files, mut rest) = (false, Vec::new(), Vec::new(), words.iter());
    while let Some(word) = rest.next() {
        match *word {
            "-n" | "--quiet" | "--silent" => is_quiet = true,
            "-E" | "-r" | "--regexp-extended" => {}
            "-e" | "--expression" => scripts.push(*rest.next()?),
            "-ne" | "-nEe" | "-nre" => {
                is_quiet = true;
                scripts.push(*rest.next()?);
            }
            "-nE" | "-En" | "-nr" | "-rn" => is_quiet = true,
            word if word.starts_with("--expression=") => scripts.push(word.trim_start_matches("--expression=")),
            word if word.starts_with("-e") => scripts.push(&word[2..]),
            word if word.starts_with('-') && word.len() > 1 => return None,
            word => files.push(word),
        }
    }
    // Without `-e` the script is the first of the other words.
    if scripts.is_empty() && !files.is_empty() {
        scripts.push(files.remove(0));
    }
    match scripts[..] {
        [script] if is_quiet => Some((sed_lines(script)?, files)),
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
                // A range that ends before it begins is its first line.
                None => parse_line(to.trim())?.max(from),
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
