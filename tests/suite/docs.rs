//! The pages equal the tables that they are made from: keys, formats, commands; themes, links and examples are true.
//! `OBELUS_BLESS=1` writes the made pages and parts anew.

use super::command::program;
use super::golden;
use super::tree_files::{files_with, root};
use clap::error::ErrorKind;
use obelus::app::keys::{Context, KEYS, KeyRow, Keymap, sequence};
use obelus::app::menu::Menu;
use obelus::app::signs::{self, SIGNS};
use obelus::app::{Pane, pane_contexts};
use obelus::format::signature::SIGNATURES;
use obelus::format::{CustomFormat, FORMATS, Layout};
use obelus::source::Input;
use obelus::text::Role;
use obelus::ui::Theme;
use obelus::{cli, ingest};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Columns that help texts are wrapped to.
const HELP_CELLS: usize = 100;

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// All pages of the project.
fn pages() -> Vec<PathBuf> {
    let mut out = vec![root().join("samples/README.md")];
    out.extend(Some(root().join("CONTRIBUTING.md")).filter(|path| path.exists()));
    out.extend(Some(root().join("CHANGELOG.md")).filter(|path| path.exists()));
    out.extend(Some(root().join("README.md")).filter(|path| path.exists()));
    out.extend(files_with(&root().join("docs"), "md"));
    out
}

fn where_of(context: Context) -> &'static str {
    match context {
        Context::Global => "everywhere",
        Context::Trajectory => "in a trajectory",
        Context::Steps => "in Steps",
        Context::State => "in State",
        Context::Inspector => "in the inspector",
        Context::Llm => "in the LLM tab",
        Context::File => "in the File tab",
        Context::Instances => "with instances side by side",
        Context::Merging => "where slots merge by type",
        Context::Replay => "while a recording plays",
        Context::Files => "in the list of files",
        Context::Table => "in the table",
        Context::Attempts => "in the attempts at a task",
        Context::Dataset => "in and beside the table",
        Context::Facets => "in the values of a column",
        Context::Plot => "in the plot",
        Context::Menu => "in help and commands",
        Context::Commands => "in commands",
        Context::Conversation => "in the conversation",
        Context::Pager => "in the pager",
        Context::TwoRuns => "in two runs side by side",
        Context::Watches => "in the strip of watches",
        Context::Prompt => "while a line is typed",
    }
}

fn keys_page() -> String {
    let mut out = String::from(
        "# Keys\n\nMade from the table `KEYS` in `src/app/keys.rs`, which also feeds the footer, the help (`?`) and the \
         command list (`:`). `C-` is Ctrl, `M-` is Alt, `BackTab` is Shift and Tab; `]w` is two keys, one after the \
         other.\n\nKeys can be changed by the names in the second column, in the table `[keys]` of `config.toml`: \
         everywhere, or in one context by a table `[keys.CONTEXT]`. The footer, the help, the hints and the command \
         list show the keys in force; `obelus keys` prints them, `obelus config check` says what conflicts.\n\n\
         ```toml\n[keys]\n\
         search = [\"/\", \"C-s\"]      # keys are written C-x, A-j, space, ret, esc, tab, pagedown, F5\n\
         step-next = \"A-right\"\n\n[keys.trajectory]       # in an open run alone\n\
         filter = \"g s\"           # two keys, one after the other\n\n[keys.global]\n\
         top = \"home\"             # frees g; [] would leave no key\n```\n",
    );
    let mut sections: Vec<&str> = Vec::new();
    for row in KEYS {
        if !sections.contains(&row.section) {
            sections.push(row.section);
        }
    }
    for section in sections {
        let _ = write!(out, "\n## {section}\n\n| key | name | where | what |\n| --- | --- | --- | --- |\n");
        for row in Keymap::default().all().iter().filter(|row| row.section == section) {
            let names: Vec<String> = row.keys.iter().map(|key| format!("`{key}`")).collect();
            let (name, context) = (row.action.name(), where_of(row.context));
            let _ = writeln!(out, "| {} | `{name}` | {context} | {} |", names.join(" "), row.help);
        }
    }
    out.push_str(
        "\n## With the mouse\n\nMost terminals select text while Shift is held.\n\n| gesture | what |\n| --- | --- |\n",
    );
    for (gesture, about) in Keymap::default().gestures(&[]) {
        let _ = writeln!(out, "| {gesture} | {about} |");
    }
    out.push_str("\n## Signs\n\n| sign | what |\n| --- | --- |\n");
    for sign in SIGNS {
        let _ = writeln!(out, "| {} | {} |", sign.text, sign.about);
    }
    out
}

fn formats_page() -> String {
    let mut out = String::from(
        "# Formats\n\nMade from the table `FORMATS` in `core/src/format/mod.rs`, in the order in which detection tries them. A \
         format is recognised by the content of the first records, never by the name of a file; `obelus formats FILE` \
         prints the format of a file and why, `--format NAME` overrules it. *State* in the descriptions is what the State \
         pane and `obelus state` show.\n\nFiles may be packed with gzip or Zstandard. Archives, databases, pickles and \
         Parquet files are read by name, not from standard input. A file that fits no format opens as JSON records; \
         [custom-formats.md](custom-formats.md) shows how to describe its format in a file, without code.\n\n\
         | name | format |\n| --- | --- |\n",
    );
    for format in FORMATS {
        let (name, title) = (format.name(), format.title());
        let _ = writeln!(out, "| `{name}` | [{title}](#{}) |", anchor(&format!("{title} {name}")));
    }
    for format in FORMATS {
        let layout = match format.layout() {
            Layout::Run => "All records of a file make one trajectory.",
            Layout::Set => "Each record is a trajectory; a file with several opens as a table.",
        };
        let _ = write!(out, "\n## {} (`{}`)\n\n{}\n\n{layout}\n", format.title(), format.name(), format.about());
        for sample in format.samples() {
            let _ = write!(out, "\n```json\n{}\n```\n", sample.trim_end());
        }
    }
    out
}

/// A page with the parts between `<!-- help NAME -->` and `<!-- end -->` made from the commands.
fn commands_page(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("<!-- help ") {
        let (name, after) = after.split_once(" -->").expect("a mark has an end");
        let (_, after) = after.split_once("<!-- end -->").expect("a made part has an end");
        let _ = write!(out, "{before}<!-- help {name} -->\n```text\n{}\n```\n<!-- end -->", help(name));
        rest = after;
    }
    out + rest
}

/// What `--help` prints; `obelus` is the program itself.
fn help(name: &str) -> String {
    let mut program = cli::program().term_width(HELP_CELLS);
    program.build();
    let mut command = if name == "obelus" {
        program
    } else {
        program.find_subcommand(name).unwrap_or_else(|| panic!("docs/cli.md: no command {name}")).clone()
    };
    let text = command.render_long_help().to_string();
    let lines: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
    lines.join("\n")
}

#[test]
fn made_pages_equal_their_tables() {
    let cli = read("docs/cli.md");
    let made = [("keys.md", keys_page()), ("formats.md", formats_page()), ("cli.md", commands_page(&cli))];
    let faults: Vec<String> =
        made.iter().filter_map(|(name, text)| golden::equal(&root().join("docs").join(name), text)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn pictures_show_the_screen() {
    let page = read("docs/cli.md");
    let (mut names, mut faults) = (BTreeSet::new(), Vec::new());
    for line in page.lines().filter(|line| line.starts_with("obelus picture") && line.contains(" --out docs/")) {
        let (command, name) = line.split_once(" --force --out ").unwrap();
        let quoted = command.split('\'').enumerate();
        let words = quoted.flat_map(|(at, part)| if at % 2 == 1 { vec![part] } else { part.split(' ').collect() });
        let words = words.skip(1).filter(|word| !word.is_empty());
        let drawn = program().args(words).current_dir(root()).output().unwrap();
        assert!(drawn.status.success(), "{line}");
        let picture = String::from_utf8(drawn.stdout).unwrap();
        assert!(picture.starts_with("<svg ") && picture.len() < 400_000, "{name}: {} bytes", picture.len());
        faults.extend(golden::equal(&root().join(name), &picture));
        names.insert(name.to_owned());
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let there = fs::read_dir(root().join("docs/pictures")).unwrap();
    let there = there.map(|entry| format!("docs/pictures/{}", entry.unwrap().file_name().into_string().unwrap()));
    let all: BTreeSet<String> = there.chain(["docs/picture.svg".to_owned()]).collect();
    assert_eq!(names, all, "each picture of the docs has the command that makes it");
}

/// The part of docs/cli.md on a command.
fn section(page: &str, command: &str) -> String {
    let (_, part) = page.split_once(&format!("\n## obelus {command}\n")).unwrap();
    part.split("\n## ").next().unwrap().to_owned()
}

#[test]
fn every_member_of_stats_and_steps_stands_in_their_sections() {
    let page = read("docs/cli.md");
    for command in ["stats", "steps"] {
        let section = section(&page, command);
        let (_, rest) = section.split_once("<!-- end -->").unwrap();
        for sample in ["tickets-std.jsonl", "trip-run.jsonl", "support-run.jsonl", "pole-survey.jsonl", "faults.jsonl"]
        {
            let path = root().join("samples").join(sample);
            let output = program().args([command, "--json"]).arg(&path).output().unwrap();
            for line in String::from_utf8(output.stdout).unwrap().lines() {
                let line: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).unwrap();
                let missing: Vec<_> = line.keys().filter(|key| !rest.contains(&format!("\"{key}\""))).collect();
                assert!(missing.is_empty(), "docs/cli.md: obelus {command}: nothing on {missing:?}");
            }
        }
    }
}

#[test]
fn every_command_has_a_section() {
    let page = read("docs/cli.md");
    let program = cli::program();
    for name in program.get_subcommands().map(clap::Command::get_name).chain(["obelus"]) {
        assert!(page.contains(&format!("<!-- help {name} -->")), "docs/cli.md: nothing on {name}");
    }
    for name in ["formats", "picture"] {
        assert!(page.contains(&format!("## obelus {name}")), "docs/cli.md: no section on {name}");
    }
}

#[test]
fn every_action_has_a_key_and_every_key_can_be_pressed() {
    let source = read("src/app/keys/action.rs");
    let body = source.split_once("pub enum Action {").unwrap().1.split_once("\n}").unwrap().0;
    let actions: Vec<&str> = body.lines().map(|l| l.trim().trim_end_matches(',')).filter(|l| !l.is_empty()).collect();
    assert!(actions.len() > 40, "{actions:?}");
    let bound: BTreeSet<String> = KEYS.iter().map(|row| format!("{:?}", row.action)).collect();
    for action in actions {
        let name = action.split('(').next().unwrap();
        assert!(bound.iter().any(|b| b.split('(').next() == Some(name)), "{action} has no row in KEYS");
    }
    for row in KEYS {
        for key in row.keys {
            let is_one = key.parse::<obelus::app::key::KeyPress>().is_ok();
            assert_ne!(is_one, sequence(key).is_some(), "{key} is one key, or two in a row");
            let first = &key[..key.chars().next().unwrap().len_utf8()];
            let is_prefix = Keymap::default().is_prefix(&[row.context], first);
            assert_eq!(is_prefix, sequence(key).is_some() && *key != first, "{key}");
        }
    }
}

#[test]
fn the_help_has_every_key_of_its_place() {
    let panes = [Pane::Files, Pane::Table, Pane::Facets, Pane::Plot, Pane::Steps, Pane::State, Pane::Inspector];
    for pane in panes {
        let contexts = pane_contexts(pane);
        let menu = Menu::help(Keymap::default(), &contexts, Vec::new());
        let lines: Vec<String> = menu.window(200, 500).rows.iter().map(obelus::panes::Row::plain).collect();
        let expected: Vec<&KeyRow> = Keymap::default()
            .all()
            .iter()
            .filter(|row| contexts.contains(&row.context))
            // Not what a place further in means by the key.
            .filter(|row| {
                let found = Keymap::default().find(&contexts, row.keys[0]);
                found.is_some_and(|found| std::ptr::eq(found, *row))
            })
            .collect();
        assert!(expected.len() > 20);
        for row in &expected {
            let is_there = |line: &String| line.contains(row.help) && row.keys.iter().all(|key| line.contains(key));
            assert!(lines.iter().any(is_there), "{pane:?}: the help lacks {:?}", row.keys);
        }
        let outside = expected.iter().filter(|row| !row.context.is_of_one_pane());
        let sections: BTreeSet<&str> = outside.map(|row| row.section).collect();
        let signs: Vec<_> = signs::of(&contexts).collect();
        for sign in &signs {
            assert!(lines.iter().any(|line| line.contains(sign.text) && line.contains(sign.about)), "{}", sign.text);
        }
        let gestures = Keymap::default().gestures(&contexts);
        for (gesture, about) in &gestures {
            assert!(lines.iter().any(|line| line.contains(gesture) && line.contains(about)), "{gesture}");
        }
        // The headings of this pane, of the signs and of the mouse.
        assert_eq!(lines.len(), expected.len() + sections.len() + signs.len() + gestures.len() + 3);
    }
}

#[test]
fn each_sample_is_of_its_format_and_no_other() {
    for format in FORMATS {
        // A second view of a format is never found, only asked for.
        let is_asked_for = ["generic", "inspect-events"].contains(&format.name());
        assert!(!format.samples().is_empty() || is_asked_for, "{} has no samples", format.name());
        for sample in format.samples() {
            let input = Input::memory("sample", *sample);
            let detected = ingest::detect(&input, None).unwrap();
            assert_eq!(detected.format.name(), format.name(), "{sample}: {:?}", detected.reasons);
            let values: Vec<_> = sample.lines().filter_map(|line| obelus::json::parse(line).ok()).collect();
            let whole: Vec<_> = obelus::json::parse(sample).into_iter().collect();
            // A signature precedes the formats that look at less of a record.
            let has_signature =
                SIGNATURES.iter().any(|signature| signature.format == format.name() && !signature.is_last());
            let claims = |f: &&&dyn obelus::format::Format| {
                f.name() != "generic"
                    && !(has_signature && ["adp", "messages", "sharegpt"].contains(&f.name()))
                    && (f.detect(&values).is_some() || (values.is_empty() && f.detect(&whole).is_some()))
            };
            let claiming: Vec<&str> = FORMATS.iter().filter(claims).map(|f| f.name()).collect();
            assert!(claiming.iter().all(|name| *name == format.name()), "{sample}: claimed by {claiming:?}");
        }
    }
}

#[test]
fn the_page_on_themes_knows_every_role() {
    let page = read("docs/themes.md");
    let table: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|line| line.split_once('`'))
        .map(|(name, _)| name)
        .collect();
    let roles: BTreeSet<&str> = Role::ALL.iter().map(|(_, name)| *name).collect();
    assert_eq!(table, roles);
    for name in Theme::names() {
        assert!(page.contains(&format!("`{name}`")), "docs/themes.md: nothing on {name}");
    }
    let example = page.split_once("```toml\n").unwrap().1.split_once("```").unwrap().0;
    assert_eq!(Theme::parse("mine", example).map(|theme| theme.name().to_owned()), Ok("harbour".to_owned()));
}

#[test]
fn the_page_on_custom_formats_has_the_sample_and_every_name() {
    let page = read("docs/custom-formats.md");
    let example = page.split_once("```toml\n").unwrap().1.split_once("\n```").unwrap().0;
    assert_eq!(example, read("samples/relay-format.toml").trim_end());
    // What a wrong name is told lists the names that are known there.
    let known = |text: &str| {
        let message = CustomFormat::parse("f", &format!("name = \"f\"\n{text}x-x = 1\n")).err().unwrap().message;
        let names: Vec<String> = message.split('`').skip(3).step_by(2).map(str::to_owned).collect();
        assert!(message.contains("unknown field `x-x`") && !names.is_empty(), "{message}");
        names
    };
    let tables = ["", "[records]\n", "[signature]\n", "[usage]\n", "[session]\n", "[[steps]]\n", "[[writes]]\n"]
        .map(known)
        .concat();
    let inner = ["[[steps]]\n[steps.calls]\n", "[[steps]]\n[steps.results]\n"].map(known).concat();
    assert!(tables.len() > 40 && inner.len() > 9);
    for name in tables.iter().chain(&inner) {
        let forms = [format!("`{name}`"), format!("`{name} = "), format!("`[{name}]`"), format!("`[[{name}]]`")];
        let is_there = forms.iter().any(|form| page.contains(form)) || page.contains(&format!("`[steps.{name}]`"));
        assert!(is_there, "docs/custom-formats.md: nothing on {name}");
    }
}

/// Targets of links and pictures that are no web addresses.
fn links(text: &str) -> Vec<&str> {
    let ends = text.match_indices("](").map(|(at, _)| &text[at + 2..]);
    let targets = ends.filter_map(|rest| rest.split(')').next()).map(|t| t.split(' ').next().unwrap_or(t));
    let sources = text.match_indices("src=\"").filter_map(|(at, _)| text[at + 5..].split('"').next());
    targets.chain(sources).filter(|target| !target.contains("://") && !target.starts_with("mailto:")).collect()
}

/// The anchors that headings get.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    headings.map(anchor).collect()
}

fn anchor(heading: &str) -> String {
    let lower = heading.to_lowercase();
    let shown = lower.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
    shown.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn broken_links(page: &Path, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for link in links(text) {
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        let target = if path.is_empty() { page.to_owned() } else { page.with_file_name("").join(path) };
        if !target.exists() {
            out.push(format!("{}: {link} leads nowhere", page.display()));
        } else if !anchor.is_empty() && target.extension().is_some_and(|e| e == "md") {
            let text = fs::read_to_string(&target).unwrap();
            if !anchors(&text).contains(anchor) {
                out.push(format!("{}: {link}: no such heading", page.display()));
            }
        }
    }
    out
}

#[test]
fn links_lead_somewhere() {
    let pages = pages();
    assert!(pages.len() > 5);
    let faults: Vec<String> = pages.iter().flat_map(|p| broken_links(p, &fs::read_to_string(p).unwrap())).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let page = root().join("docs/x.md");
    assert_eq!(broken_links(&page, "[a](nowhere.md) [b](cli.md#no-heading) [c](https://x.org)").len(), 2);
    assert_eq!(broken_links(&page, "[a](../Cargo.toml) [b](cli.md) [c](#x)\n# X").len(), 1);
}

/// What is wrong with the commands and keys that a page shows.
fn wrong_examples(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code || line.starts_with("    ") {
            out.extend(line.split('|').filter_map(wrong_command).map(|(_, fault)| fault));
        } else {
            let spans = line.split('`').skip(1).step_by(2).flat_map(|span| span.split('|'));
            let wrong = spans.filter_map(|part| wrong_command(part.trim_end_matches('\\')));
            // A sentence may name a command without its file.
            out.extend(wrong.filter(|(kind, _)| *kind != ErrorKind::MissingRequiredArgument).map(|(_, fault)| fault));
        }
    }
    let mut is_key_table = false;
    for line in text.lines() {
        let first = line.strip_prefix('|').and_then(|l| l.split('|').next()).map(str::trim);
        match first {
            None => is_key_table = false,
            Some("key" | "keys") => is_key_table = true,
            Some(cell) if is_key_table => {
                let names = cell.split('`').skip(1).step_by(2).flat_map(str::split_whitespace);
                let unknown = names.filter(|name| !KEYS.iter().any(|row| row.keys.contains(name)));
                out.extend(unknown.map(|name| format!("{name} is not a key")));
            }
            Some(_) => {}
        }
    }
    out
}

fn wrong_command(part: &str) -> Option<(ErrorKind, String)> {
    let line = part.trim().trim_start_matches("$ ");
    if line != "obelus" && !line.starts_with("obelus ") {
        return None;
    }
    let (words, _) = super::readme::words(line);
    match cli::program().try_get_matches_from(words) {
        // What is no command is taken for a file; those of the pages have an end or a folder.
        Ok(matches) => {
            let first = matches.get_raw("paths").and_then(|mut paths| paths.next()).and_then(|name| name.to_str());
            let is_unknown = first.is_some_and(|name| !name.contains(['.', '/', '-']) && name != "FILE");
            is_unknown.then(|| (ErrorKind::InvalidSubcommand, format!("`{line}`: there is no such command")))
        }
        Err(e) if matches!(e.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => None,
        Err(e) => Some((e.kind(), format!("`{line}`: {e}"))),
    }
}

#[test]
fn commands_and_keys_on_the_pages_exist() {
    let mut faults = Vec::new();
    for page in pages().iter().filter(|page| !page.ends_with("docs/cli.md")) {
        let text = fs::read_to_string(page).unwrap();
        faults.extend(wrong_examples(&text).iter().map(|fault| format!("{}: {fault}", page.display())));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(wrong_examples("```\nobelus bless x\nobelus state x --step 3 | jq .\n```\n").len(), 1);
    assert_eq!(wrong_examples("```\nobelus mark x.jsonl --where 'a b>3' --flag\n```\n"), [""; 0]);
    assert_eq!(wrong_examples("say `agent \\| obelus --bless` or `obelus -`").len(), 1);
    assert_eq!(wrong_examples("say `obelus check`"), [""; 0]);
    assert_eq!(wrong_examples("| key | what |\n| --- | --- |\n| `]w` `Q` | x |\n").len(), 1);
}
