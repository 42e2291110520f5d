//! W9: what commands of the shell show and change.

use super::call::{Action, Call};
use super::path::Folders;
use super::shell_change::change;
use super::shell_read::{Reading, narrowed, read};
use super::tables;
use super::words::{self, Joint, RedirectKind, Simple, Word};

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
    /// Its paths are in this folder.
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
    /// The folder afterwards, where `cd` gives it.
    pub(super) folder: Option<String>,
    /// Whether a file is read by the last command, so that it shows what those before it made of the file.
    pub(super) reads_last: bool,
}

impl Script {
    /// Reads a command line; `start` is the folder in which it begins, `end` the one that the log gives afterwards.
    pub(super) fn read(text: &str, folders: &Folders, start: Option<&str>, end: Option<&str>) -> Self {
        let Some(commands) = words::split(text) else { return Self::default() };
        let (all, folder) = folders_of(&commands, folders, start, end);
        let (effects, reads_last) = effects(&commands, &all, folders);
        Self { commands: Some(commands), effects, folder, reads_last }
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

/// W9: the effects in order, and whether the last command is the one that reads. A file is read only where nothing else
/// prints. What changes its files in place prints nothing; only a reader behind it shows what it made of them.
fn effects(commands: &[Simple], at: &[Option<String>], folders: &Folders) -> (Vec<Effect>, bool) {
    let (mut effects, mut reads, mut others, mut is_behind) = (Vec::new(), 0, 0, false);
    let (mut in_place, mut reads_last) = (false, false);
    let mut place = 0;
    while place < commands.len() {
        let more = commands[place + 1..].iter().take_while(|command| command.joint == Joint::Pipe).count();
        let pipeline = &commands[place..=place + more];
        is_behind = match pipeline[0].joint {
            Joint::Or => true,
            Joint::Then => false,
            Joint::And | Joint::Pipe => is_behind,
        };
        reads_last = false;
        if let [command] = pipeline
            && is_in_place(command)
        {
            in_place = true;
            place += 1;
            continue;
        }
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
                (reads, reads_last) = (reads + 1, true);
                effects.push(Effect::Read { path: resolve(&path), reading });
            }
            Printing::Lines(..) | Printing::Other => others += 1,
        }
        place += more + 1;
    }
    if reads != 1 || others > 0 || (in_place && !reads_last) {
        effects.retain(|effect| !matches!(effect, Effect::Read { .. }));
    }
    (effects, reads_last)
}

/// Whether a command writes over its files and prints nothing.
fn is_in_place(command: &Simple) -> bool {
    is_sed_in_place(command) || (sorts_to_file(command) && command.output().is_none())
}

/// Whether `sort` writes to a file that one of its words names.
fn sorts_to_file(command: &Simple) -> bool {
    let is_output = |word: &str| word.starts_with("-o") || word.starts_with("--output");
    command.name() == "sort" && command.arguments().iter().any(|word| is_output(&word.text))
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

/// W9: whether a command that may write names a file.
fn names(command: &Simple, name: &str) -> bool {
    let is_in = |word: &Word| word.text.contains(name);
    let is_file = |target: &Word| !target.text.starts_with("/dev/");
    if command.redirects.iter().any(|r| r.way != RedirectKind::Input && is_file(&r.target) && is_in(&r.target)) {
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
        // The script itself is only read: the first word that is no flag. So is what a module of `-m` is given.
        let is_flag = |word: &&Word| word.text.starts_with('-') && word.text != "-";
        if words.iter().take_while(is_flag).any(|word| word.text == "-m") {
            return false;
        }
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
        "sort" if sorts_to_file(command) => false,
        name => name.is_empty() || tables::has("readers", name),
    }
}

/// The command after `git` and its options.
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
        "sort" if sorts_to_file(simple) => false,
        "git" => matches!(git_command(simple), Some("log" | "show" | "diff" | "grep" | "blame" | "status")),
        name => tables::has("printers", name),
    }
}

/// Whether a call runs tests: its command is one of `T.tests`.
pub(super) fn runs_tests(call: &Call) -> bool {
    matches!(&call.action, Action::Shell { command, .. } if tables::TESTS.is_match(command))
}

/// W7: whether a command could change any file: it is more than printers, silent commands, `sed` without `-i`, and git
/// that reads.
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
    fn w4_printers_alone_print() {
        for (command, expected) in [("cat a | head", true), ("", false), ("# nothing", false), ("cat a; rm a", false)] {
            assert_eq!(only_prints(command), expected, "{command}");
        }
    }

    #[test]
    fn w9_commands_that_print_a_file_are_reads_of_its_lines() {
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
            ("cat -- a", "read /w/a 1+* $"),
            ("cat -n -- a", "read /w/a 1+* n $"),
            ("nl -ba -- a", "read /w/a 1+* n $"),
            ("cat -- -n", "read /w/-n 1+* $"),
            ("cat -- a b", ""),
            ("cat -", ""),
            ("cat -- -", ""),
            ("grep -n -- -x a", "read /w/a 1+* n"),
            ("head -n5 -- a", "read /w/a 1+5"),
            ("head -5 -- a", "read /w/a 1+5"),
            ("head -- a", "read /w/a 1+10"),
            ("head -n 5 -", ""),
            ("head -n -5 a", ""),
            ("head -c 5 a", ""),
            ("tail -n +3 -- a", "read /w/a 3+* $"),
            ("tail -n+3 a", "read /w/a 3+* $"),
            ("tail -f -n +3 a", ""),
            ("sed -n -e '1,5p' a", "read /w/a 1+5"),
            ("sed -ne 3,4p -- a", "read /w/a 3+2"),
            ("sed -n --expression=2,\\$p a", "read /w/a 2+* $"),
            ("sed -nE '1,5p' a", "read /w/a 1+5"),
            ("sed -n -e1,5p a", "read /w/a 1+5"),
            ("sed a -n -e 1p", "read /w/a 1+1"),
            ("sed -n '5,3p' a", "read /w/a 5+1"),
            ("sed -n -e 1p -e 3p a", ""),
            ("sed -n -- 1p a", ""),
            ("sed -e 1,5p a", ""),
            ("sed -n -f s a", ""),
            ("sed -n -e 1p", ""),
            ("cat a | sed -n -e 2,3p", "read /w/a 2+2"),
            ("sed -i 3p a", ""),
            ("sed -i s/x/y/ a && cat a", "read /w/a 1+* $"),
            ("sort -o a a; cat a", "read /w/a 1+* $"),
            ("cat a; sed -i s/x/y/ a", ""),
            ("sort a; cat a", ""),
        ] {
            assert_eq!(of(command), expected, "{command}");
        }
    }

    #[test]
    fn w9_commands_that_write_a_file_are_changes_of_it() {
        for (command, expected) in [
            ("cat > a <<'E'\nx $y\nE", "Write { path: \"/w/a\", text: \"x $y\\n\" }"),
            ("cat <<E > a\n$y\nE", ""),
            ("echo -n x 'y z' >> a", "Append { path: \"/w/a\", text: \"x y z\" }"),
            ("echo -e 'a\\tb' > a", "Write { path: \"/w/a\", text: \"a\\tb\\n\" }"),
            ("printf 'p\\nq' > a", "Write { path: \"/w/a\", text: \"p\\nq\" }"),
            ("printf '%s' x > a", ""),
            ("> a", "Write { path: \"/w/a\", text: \"\" }"),
            (": > a", "Write { path: \"/w/a\", text: \"\" }"),
            ("true > a", "Write { path: \"/w/a\", text: \"\" }"),
            (": >> a", "Append { path: \"/w/a\", text: \"\" }"),
            ("x && : > a", "Write { path: \"/w/a\", text: \"\" }"),
            ("x || : > a", ""),
            (": > $F", ""),
            (": x", ""),
            (": > /dev/null", ""),
            ("mv -- -a b", "Move { from: \"/w/-a\", to: \"/w/b\" }"),
            ("rm -- a -b", "Delete { path: \"/w/a\" }; Delete { path: \"/w/-b\" }"),
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
            "sort -o a.py b.py",
            "sort --output=a.py b.py",
            "python - <<'E'\nopen('a.py')\nE",
            "python -c \"open('a.py')\"",
            "cat x > a.py",
        ] {
            assert!(may(command), "{command}");
        }
        for command in [
            "sed s/x/y/ a.py",
            "python a.py",
            "python3 -u -m pytest -q a.py",
            "git diff a.py",
            "grep x a.py",
            "cat <<'E'\na.py\nE",
            "rm b.py",
        ] {
            assert!(!may(command), "{command}");
        }
        assert!(could_change("make") && could_change("x > y") && !could_change("cd x && ls | head"));
    }
}
