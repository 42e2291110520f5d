//! W9: what commands of the shell show and change.

use super::call::Range;
use super::path::Folders;
use super::tables;
use super::words::{self, Joint, Redirect, Simple, Way, Word};

/// How a command shows a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    /// Which lines; of numbered ones the numbers tell it.
    pub(super) range: Range,
    /// Whether lines have their numbers before them.
    pub(super) is_numbered: bool,
    /// Whether the sign between number and line is a colon.
    pub(super) has_colons: bool,
    /// Whether it goes to the end of the file.
    pub(super) has_end: bool,
}

/// What a command does to files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    Read {
        path: String,
        reading: Reading,
    },
    Write {
        path: String,
        text: String,
    },
    Append {
        path: String,
        text: String,
    },
    Delete {
        path: String,
    },
    Move {
        from: String,
        to: String,
    },
    Copy {
        from: String,
        to: String,
    },
    /// Its paths stand in this folder.
    Patch {
        text: String,
        folder: Option<String>,
    },
}

/// A command line, understood as far as it can be.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// None: it cannot be split.
    commands: Option<Vec<Simple>>,
    pub(super) effects: Vec<Effect>,
    /// The folder afterwards, where `cd` tells it.
    pub(super) folder: Option<String>,
}

impl Script {
    /// Reads a command line; `start` is the folder in which it begins, `end` the one that the log tells afterwards.
    pub(super) fn read(text: &str, folders: &Folders, start: Option<&str>, end: Option<&str>) -> Self {
        let Some(commands) = words::split(text) else { return Self::default() };
        let (all, folder) = folders_of(&commands, folders, start, end);
        let effects = effects(&commands, &all, folders);
        Self { commands: Some(commands), effects, folder }
    }

    /// W9: whether a command that is no reader names a file by its last name.
    pub(super) fn may_change(&self, name: &str) -> bool {
        let Some(commands) = &self.commands else { return true };
        commands.iter().any(|command| names(command, name))
    }
}

/// The folder of each command, and the one afterwards.
fn folders_of(
    commands: &[Simple],
    folders: &Folders,
    start: Option<&str>,
    end: Option<&str>,
) -> (Vec<Option<String>>, Option<String>) {
    let last = commands.iter().rposition(|command| command.name() == "cd");
    let mut now = match last {
        None => end.or(start).map(str::to_owned),
        Some(_) => start.map(str::to_owned),
    };
    let mut all = Vec::with_capacity(commands.len());
    for (place, command) in commands.iter().enumerate() {
        all.push(now.clone());
        let is_used = command.joint != Joint::Or && command.joint != Joint::Pipe;
        if command.name() != "cd" || !is_used {
            continue;
        }
        now = match (command.arguments(), end.filter(|_| Some(place) == last)) {
            (_, Some(end)) => Some(end.to_owned()),
            ([target], None) if !command.is_dynamic() && target.text != "-" => {
                Some(folders.resolve(&target.text, now.as_deref()))
            }
            ([], None) => Some(folders.resolve("~", None)),
            _ => None,
        };
    }
    (all, now)
}

/// A command of a pipeline or a pipeline, and what it prints.
enum Printing {
    Nothing,
    Lines(String, Reading),
    Other,
}

/// W9: the effects in order. A file is read only where nothing else prints.
fn effects(commands: &[Simple], at: &[Option<String>], folders: &Folders) -> Vec<Effect> {
    let (mut effects, mut reads, mut others, mut is_behind) = (Vec::new(), 0, 0, false);
    let mut place = 0;
    while place < commands.len() {
        let more = commands[place + 1..].iter().take_while(|command| command.joint == Joint::Pipe).count();
        let pipeline = &commands[place..=place + more];
        is_behind = match pipeline[0].joint {
            Joint::Or => true,
            Joint::Then => false,
            Joint::And | Joint::Pipe => is_behind,
        };
        let folder = at.get(place).cloned().flatten();
        let resolve = |path: &str| folders.resolve(path, folder.as_deref());
        let is_used = !is_behind && !pipeline.iter().any(Simple::is_dynamic);
        if is_used && let [command] = pipeline {
            let changed = change(command, &resolve, folder.as_deref());
            others += usize::from(!changed.is_empty() && prints_beside(command));
            if !changed.is_empty() {
                effects.extend(changed);
                place += 1;
                continue;
            }
        }
        match printing(pipeline) {
            Printing::Nothing => {}
            Printing::Lines(path, reading) if is_used => {
                reads += 1;
                effects.push(Effect::Read { path: resolve(&path), reading });
            }
            Printing::Lines(..) | Printing::Other => others += 1,
        }
        place += more + 1;
    }
    if reads != 1 || others > 0 {
        effects.retain(|effect| !matches!(effect, Effect::Read { .. }));
    }
    effects
}

/// Whether a command that changes files also prints.
fn prints_beside(command: &Simple) -> bool {
    matches!(command.name(), "tee" | "git" | "apply_patch" | "applypatch") && command.output().is_none()
}

fn printing(pipeline: &[Simple]) -> Printing {
    let Some((first, filters)) = pipeline.split_first() else { return Printing::Nothing };
    if pipeline.last().is_some_and(|last| last.output().is_some()) {
        return Printing::Nothing;
    }
    let is_silent = |command: &Simple| {
        let name = command.name();
        name.is_empty() || tables::has("silent", name)
    };
    if filters.is_empty() && is_silent(first) {
        return Printing::Nothing;
    }
    let Some((path, mut reading)) = read(first) else { return Printing::Other };
    for filter in filters {
        match narrowed(filter, reading) {
            Some(narrower) => reading = narrower,
            None => return Printing::Other,
        }
    }
    Printing::Lines(path, reading)
}

const ALL: Range = Range { first: 1, count: None, is_given: false };

/// W9 *Read*: the file that a command prints, and how.
fn read(command: &Simple) -> Option<(String, Reading)> {
    if command.heredoc.is_some() || command.redirects.iter().any(|redirect| redirect.way == Way::Input) {
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
fn split_flags<'w>(words: &[&'w str]) -> (Vec<&'w str>, Vec<&'w str>) {
    words.iter().partition(|word| word.len() > 1 && word.starts_with('-') && **word != "--")
}

/// Which part of its input a command prints.
#[derive(Debug, Clone, Copy)]
enum Cutter {
    /// So many lines from the start.
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
        ("tail", Some(count)) => count.parse().ok().map(Cutter::From),
        ("tail", None) => count.trim_start_matches('-').parse::<u32>().ok().map(|_| Cutter::Tail),
        (_, _) => count.parse().ok().map(Cutter::Head),
    }
}

/// `a,bp`, `ap`, `a,$p`.
fn sed_lines(script: &str) -> Option<Cutter> {
    let lines = script.trim().trim_end_matches(';').strip_suffix('p')?.trim();
    match lines.split_once(',') {
        Some((from, "$")) => Some(Cutter::Lines(from.trim().parse().ok()?, None)),
        Some((from, to)) => {
            let from = from.trim().parse().ok()?;
            let to = match to.trim().strip_prefix('+') {
                Some(more) => more.parse::<u32>().ok()?.checked_add(from)?,
                None => to.trim().parse().ok()?,
            };
            Some(Cutter::Lines(from, Some(to)))
        }
        None => lines.parse().ok().map(|line| Cutter::Lines(line, Some(line))),
    }
}

/// W9: what a filter leaves of what a command prints.
fn narrowed(filter: &Simple, reading: Reading) -> Option<Reading> {
    if filter.heredoc.is_some() || filter.redirects.iter().any(|redirect| redirect.way == Way::Input) {
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

/// W9 *Change*: what a command does to files.
fn change(command: &Simple, resolve: &dyn Fn(&str) -> String, folder: Option<&str>) -> Vec<Effect> {
    let output = command.output();
    let put = |redirect: &Redirect, text: String| {
        let path = resolve(&redirect.target.text);
        vec![if redirect.way == Way::Append { Effect::Append { path, text } } else { Effect::Write { path, text } }]
    };
    let is_file = |redirect: &&Redirect| !redirect.target.text.starts_with("/dev/");
    let texts: Vec<&str> = command.arguments().iter().map(|word| word.text.as_str()).collect();
    let body = heredoc_text(command);
    match (command.name(), output.filter(is_file)) {
        ("", Some(output)) if command.words.is_empty() && command.heredoc.is_none() => put(output, String::new()),
        ("cat", Some(output)) if texts.is_empty() || texts == ["-"] => {
            body.map(|body| put(output, body)).unwrap_or_default()
        }
        ("echo", Some(output)) => echo(&texts).map(|text| put(output, text)).unwrap_or_default(),
        ("printf", Some(output)) => match texts[..] {
            [text] if !text.contains('%') => put(output, unescaped(text)),
            _ => Vec::new(),
        },
        ("tee", _) => tee(&texts, body, resolve),
        ("apply_patch" | "applypatch", _) => {
            let text = body.or_else(|| texts.first().map(|text| (*text).to_owned()));
            text.map(|text| Effect::Patch { text, folder: folder.map(str::to_owned) }).into_iter().collect()
        }
        ("git", _) => match git_command(command) {
            Some(name @ ("rm" | "mv")) => {
                let behind = texts.iter().position(|text| *text == name).map_or(0, |at| at + 1);
                file_command(name, texts.get(behind..).unwrap_or_default(), resolve)
            }
            _ => Vec::new(),
        },
        (name, _) => file_command(name, &texts, resolve),
    }
}

/// The here-document, if the shell replaces nothing in it.
fn heredoc_text(command: &Simple) -> Option<String> {
    let heredoc = command.heredoc.as_ref()?;
    let is_plain = heredoc.is_quoted || !heredoc.body.contains(['$', '`', '\\']);
    is_plain.then(|| heredoc.body.clone())
}

fn tee(texts: &[&str], body: Option<String>, resolve: &dyn Fn(&str) -> String) -> Vec<Effect> {
    let Some(text) = body else { return Vec::new() };
    match texts {
        ["-a", file] => vec![Effect::Append { path: resolve(file), text }],
        [file] if !file.starts_with('-') => vec![Effect::Write { path: resolve(file), text }],
        _ => Vec::new(),
    }
}

/// `rm`, `mv`, `cp`.
fn file_command(name: &str, texts: &[&str], resolve: &dyn Fn(&str) -> String) -> Vec<Effect> {
    let (flags, operands) = split_flags(texts);
    let fits = |allowed: &str| flags.iter().all(|flag| flag[1..].chars().all(|c| allowed.contains(c)));
    // A target that ends in a slash is a folder; the path itself does not show it any more.
    let target = |path: &str| if path.ends_with('/') { format!("{}/", resolve(path)) } else { resolve(path) };
    match (name, operands.as_slice()) {
        ("rm", files) if fits("rRfvdi") || flags.iter().all(|flag| matches!(*flag, "--recursive" | "--force")) => {
            files.iter().filter(|file| **file != "--").map(|file| Effect::Delete { path: resolve(file) }).collect()
        }
        ("mv", [from, to]) if fits("fnviu") => vec![Effect::Move { from: resolve(from), to: target(to) }],
        ("cp", [from, to]) if fits("rRafnpvdiuL") => vec![Effect::Copy { from: resolve(from), to: target(to) }],
        _ => Vec::new(),
    }
}

/// What `echo` prints.
fn echo(texts: &[&str]) -> Option<String> {
    let is_flag =
        |text: &&&str| text.len() > 1 && text.starts_with('-') && text[1..].chars().all(|c| "neE".contains(c));
    let count = texts.iter().take_while(|text| is_flag(text)).count();
    let (flags, rest) = texts.split_at(count);
    let has = |c| flags.iter().any(|flag| flag.contains(c));
    let text = rest.join(" ");
    let text = if has('e') { unescaped(&text) } else { text };
    Some(if has('n') { text } else { format!("{text}\n") })
}

/// A text with its `\n`, `\t` … read.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('\\') => out.push('\\'),
            Some('"') => out.push('"'),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}

/// W9: whether a command that may write names a file.
fn names(command: &Simple, name: &str) -> bool {
    let is_in = |word: &Word| word.text.contains(name);
    if command.redirects.iter().any(|redirect| redirect.way != Way::Input && is_in(&redirect.target)) {
        return true;
    }
    let program = command.name();
    if is_reader(command) {
        return false;
    }
    let in_body = |body: &str| !matches!(program, "cat" | "tee" | "apply_patch" | "applypatch") && body.contains(name);
    if command.heredoc.as_ref().is_some_and(|heredoc| in_body(&heredoc.body)) {
        return true;
    }
    let mut words = command.arguments();
    if tables::has("scripts", program) {
        // The script itself is only read: the first word that is no flag, or the module of `-m`.
        let script =
            words.iter().position(|word| !word.text.starts_with('-') || word.text == "-c" || word.text == "-e");
        let is_code = |word: &&Word| matches!(word.text.as_str(), "-c" | "-e");
        if let Some(script) = script.filter(|at| words.get(*at).is_some_and(|word| !is_code(&word))) {
            words = words.get(script + 1..).unwrap_or_default();
        }
    }
    words.iter().any(is_in)
}

fn is_reader(command: &Simple) -> bool {
    match command.name() {
        "sed" => !is_sed_in_place(command),
        "git" => git_command(command).is_none_or(|name| tables::has("git_read", name)),
        name => name.is_empty() || tables::has("readers", name),
    }
}

/// The command behind `git` and its options.
pub(super) fn git_command(simple: &Simple) -> Option<&str> {
    let mut words = simple.arguments().iter().map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        match word {
            "-C" | "-c" | "--git-dir" | "--work-tree" => drop(words.next()),
            word if word.starts_with('-') => {}
            word => return Some(word),
        }
    }
    None
}

/// Whether `sed` changes its files.
pub(super) fn is_sed_in_place(simple: &Simple) -> bool {
    let is_flag = |word: &str| {
        let is_short = word.starts_with('-') && !word.starts_with("--");
        word.starts_with("--in-place") || word.starts_with("-i") || is_short && word.ends_with('i')
    };
    simple.name() == "sed" && simple.arguments().iter().any(|word| is_flag(&word.text))
}

/// W4: whether a command consists of printers only.
pub(super) fn only_prints(command: &str) -> bool {
    let Some(all) = words::split(command) else { return false };
    !all.is_empty() && all.iter().all(is_printer)
}

fn is_printer(simple: &Simple) -> bool {
    match simple.name() {
        "sed" => !is_sed_in_place(simple),
        "git" => matches!(git_command(simple), Some("log" | "show" | "diff" | "grep" | "blame" | "status")),
        name => tables::has("printers", name),
    }
}

/// W7: whether a command could change any file: more than printers, silent commands, `sed` without `-i`, git that reads.
pub(super) fn could_change(command: &str) -> bool {
    let Some(all) = words::split(command) else { return true };
    let is_harmless = |simple: &Simple| match simple.name() {
        "git" => git_command(simple).is_none_or(|name| tables::has("git_read", name)),
        name => is_printer(simple) || name.is_empty() || tables::has("silent", name),
    };
    let writes = |simple: &Simple| simple.output().is_some_and(|output| !output.target.text.starts_with("/dev/"));
    all.iter().any(|simple| !is_harmless(simple) || writes(simple))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(command: &str) -> String {
        let mut folders = Folders::default();
        folders.enter("/w");
        let script = Script::read(command, &folders, Some("/w"), None);
        let each = |effect: &Effect| match effect {
            Effect::Read { path, reading } => {
                let Reading { range, is_numbered, has_end, .. } = reading;
                let count = range.count.map_or("*".to_owned(), |count| count.to_string());
                format!(
                    "read {path} {}+{count}{}{}",
                    range.first,
                    if *is_numbered { " n" } else { "" },
                    if *has_end { " $" } else { "" }
                )
            }
            Effect::Patch { .. } => "patch".to_owned(),
            other => format!("{other:?}"),
        };
        script.effects.iter().map(each).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn w9_reads() {
        for (command, expected) in [
            ("cat a", "read /w/a 1+* $"),
            ("cd x && cat -n a 2>/dev/null", "read /w/x/a 1+* n $"),
            ("nl -ba a | sed -n '5,9p'", "read /w/a 1+* n"),
            ("sed -n '3,5p' a", "read /w/a 3+3"),
            ("sed -n 3p a", "read /w/a 3+1"),
            ("head -20 a", "read /w/a 1+20"),
            ("head -n 2 a", "read /w/a 1+2"),
            ("tail -n +8 a", "read /w/a 8+* $"),
            ("cat a | tail -n +3 | head -2", "read /w/a 3+2"),
            ("grep -n 'x y' a", "read /w/a 1+* n"),
            ("cat -n a | grep -i x", "read /w/a 1+* n"),
            ("cat a || true", "read /w/a 1+* $"),
            ("cat a > b", ""),
            ("cat a; cat b", ""),
            ("cat a; echo x", ""),
            ("cat a | tr a b", ""),
            ("tail -n 3 a", ""),
            ("cat $F", ""),
            ("cat *.py", ""),
            ("grep -rn x a", ""),
            ("grep -c x a", ""),
            ("x || cat a", ""),
            ("sed -i 3p a", ""),
        ] {
            assert_eq!(of(command), expected, "{command}");
        }
    }

    #[test]
    fn w9_changes() {
        for (command, expected) in [
            ("cat > a <<'E'\nx $y\nE", "Write { path: \"/w/a\", text: \"x $y\\n\" }"),
            ("cat <<E > a\n$y\nE", ""),
            ("echo -n x 'y z' >> a", "Append { path: \"/w/a\", text: \"x y z\" }"),
            ("echo -e 'a\\tb' > a", "Write { path: \"/w/a\", text: \"a\\tb\\n\" }"),
            ("printf 'p\\nq' > a", "Write { path: \"/w/a\", text: \"p\\nq\" }"),
            ("printf '%s' x > a", ""),
            ("> a", "Write { path: \"/w/a\", text: \"\" }"),
            ("tee a <<'E'\nx\nE", "Write { path: \"/w/a\", text: \"x\\n\" }"),
            ("rm -rf a b", "Delete { path: \"/w/a\" }; Delete { path: \"/w/b\" }"),
            ("git rm a", "Delete { path: \"/w/a\" }"),
            ("mv a d/", "Move { from: \"/w/a\", to: \"/w/d/\" }"),
            ("cp a b c", ""),
            ("rm *.py", ""),
            ("false || rm a", ""),
            ("echo x > /dev/null", ""),
        ] {
            assert_eq!(of(command), expected, "{command}");
        }
    }

    #[test]
    fn w9_commands_that_may_change_a_file() {
        let may = |command: &str| Script::read(command, &Folders::default(), None, None).may_change("a.py");
        for command in [
            "sed -i s/x/y/ a.py",
            "for f in *; do x; done",
            "x > a.py",
            "python gen.py a.py",
            "touch a.py",
            "python - <<'E'\nopen('a.py')\nE",
            "python -c \"open('a.py')\"",
            "cat x > a.py",
        ] {
            assert!(may(command), "{command}");
        }
        for command in
            ["sed s/x/y/ a.py", "python a.py", "git diff a.py", "grep x a.py", "cat <<'E'\na.py\nE", "rm b.py"]
        {
            assert!(!may(command), "{command}");
        }
        assert!(could_change("make") && could_change("x > y") && !could_change("cd x && ls | head"));
    }
}
