//! The linter: every rule with both of its examples, the ids of the rules against the table, the list of findings.

use super::command::obelus;
use super::stage::press;
use super::{golden, measured_lints, rules as rule_pages};
use obelus::app::Pane;
use obelus::app::keys::Tab;
use obelus::ingest;
use obelus::lint::{self, FAMILIES, Lint};
use obelus::model::{LocatedFinding, Problem};
use obelus::review::{LossCheck, Template, Train};
use obelus::rules::data::{self, Dataset, QUESTION_WORDS, QuestionRuns, Questions, Unit};
use obelus::shell::headless::Stage;
use obelus::source::{Input, RecordReader};
use obelus::ui::Theme;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

fn found(text: &str, format: &str) -> Vec<LocatedFinding> {
    let loaded = ingest::load(Input::memory("example", text), Some(format)).unwrap();
    let mut all = Vec::new();
    ingest::findings(&loaded, |found| {
        all.extend(found);
        Ok::<(), Problem>(())
    })
    .unwrap();
    all
}

/// The same with what `check --data` finds. A rule on another dataset takes the first record for that.
fn found_in_dataset(text: &str, lint: &Lint, format: &str) -> Vec<LocatedFinding> {
    let mut all = found(text, format);
    let loaded = ingest::load(Input::memory("example", text), Some(format)).unwrap();
    let mut reader = RecordReader::new(&loaded.input);
    let mut dataset = Dataset::new(0.85);
    dataset.begin_other("other");
    dataset.begin("example");
    for record in loaded.records().unwrap().iter() {
        let way = loaded.detected.format.way();
        let looked = data::look(&record, reader.text(&record).unwrap(), Unit::Sample, way, None);
        if lint.id == "data.contaminated" && record.number == 0 {
            dataset.learn(looked, QuestionRuns::default(), &mut Questions::new(QUESTION_WORDS));
        } else {
            all.extend(dataset.take(looked).all());
        }
    }
    all.extend(dataset.end());
    all
}

/// The same with what `check --loss` finds, with the options that the help of the rule names.
fn found_in_chat(text: &str, lint: &Lint, format: &str) -> Vec<LocatedFinding> {
    let mut all = found(text, format);
    let word = |option: &str| {
        let named = lint.help.split_once(&format!("{option} ")).map(|(_, rest)| rest);
        named.and_then(|rest| rest.split(['`', ' ']).next())
    };
    let own = "{% macro say(m) %}{{ m.role }}{% generation %}{{ m.content }}{% endgeneration %}{% endmacro %}-\
               {% for m in messages %}{% if tools %}{{ say(m) }}{% else %}{{ m.role }}{% generation %}{{ m.content }}\
               {% endgeneration %}{% endif %}{% endfor %}";
    let template = word("check --loss").and_then(|name| match name {
        "own.jinja" => Template::of_file(name, own).ok(),
        name => Template::named(name),
    });
    let check = LossCheck {
        template: std::sync::Arc::new(template.unwrap_or_else(|| Template::named("chatml").unwrap())),
        train: Train::Agent,
        max_tokens: word("chatml --max-tokens").and_then(|n| n.parse().ok()),
    };
    let loaded = ingest::load(Input::memory("example", text), Some(format)).unwrap();
    let mut reader = RecordReader::new(&loaded.input);
    for record in loaded.records().unwrap().iter() {
        all.extend(check.look(&record, reader.text(&record).unwrap(), loaded.detected.format.way()));
    }
    all
}

fn describe_found(found: &[LocatedFinding]) -> Vec<String> {
    found.iter().map(|f| format!("{} {:?}", f.finding.rule, f.finding.severity)).collect()
}

/// What is wrong with the examples of a rule.
fn faults(lint: &Lint, format: &str) -> Vec<String> {
    let mut out = Vec::new();
    let found = |text| match lint.id.split('.').next() {
        Some("data") => found_in_dataset(text, lint, format),
        Some("loss") => found_in_chat(text, lint, format),
        _ => found(text, format),
    };
    let fires = found(lint.fires);
    if !fires.iter().any(|f| f.finding.rule == lint.id && f.finding.severity == lint.severity) {
        out.push(format!("{}: its example gives {:?}", lint.id, describe_found(&fires)));
    }
    let silent = found(lint.silent);
    if silent.iter().any(|f| f.finding.rule == lint.id) {
        out.push(format!("{}: its mended example gives it too", lint.id));
    }
    let worse = silent.iter().filter(|f| f.finding.severity >= lint.severity).count();
    if worse > 0 {
        out.push(format!("{}: its mended example gives {:?}", lint.id, describe_found(&silent)));
    }
    out
}

#[test]
fn examples_do_what_they_say() {
    let rows = FAMILIES.iter().flat_map(|family| family.lints.iter().map(move |lint| (lint, family.format)));
    let rows: Vec<_> = rows.collect();
    assert!(rows.len() > 70);
    let wrong: Vec<String> = rows.iter().flat_map(|(lint, format)| faults(lint, format)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn examples_are_found_by_the_options_that_stand_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("example");
    // What else these need is in no option: another dataset, a template.
    let rows = lint::lints().filter(|lint| !["data.contaminated", "loss.misplaced-mask"].contains(&lint.id));
    for lint in rows {
        let (_, output, _) = obelus(&["explain", lint.id]);
        let options = output.lines().find_map(|line| line.strip_prefix("Found in  obelus ")).unwrap();
        fs::write(&file, lint.fires).unwrap();
        let words: Vec<&str> = options.split(' ').chain([file.to_str().unwrap(), "--json"]).collect();
        let (_, stdout, stderr) = obelus(&words);
        assert!(stdout.contains(&format!("\"rule\":\"{}\"", lint.id)), "{words:?}: {stdout}{stderr}");
    }
}

/// The texts in quotes in the sources of the rules, the formats and the look at training that have the prefix of a
/// family.
fn ids_in_sources() -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/core/src"));
    let mut folders = vec![root.join("rules"), root.join("format"), root.join("review")];
    while let Some(folder) = folders.pop() {
        // Of what reviews datasets, only how records train is a rule; the rest names rules of others.
        let is_review = folder.ends_with("review");
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if is_review && !path.file_stem().unwrap().to_string_lossy().starts_with("loss") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap();
                let is_word = |c: char| c.is_ascii_lowercase() || c == '-';
                let is_id = |word: &&str| {
                    let (family, name) = word.split_once('.').unwrap_or_default();
                    lint::family(family).is_some() && !name.is_empty() && name.chars().all(is_word)
                };
                out.extend(code.split('"').filter(is_id).map(str::to_owned));
            }
        }
    }
    out
}

#[test]
fn the_table_has_every_rule_and_no_other() {
    let rows: Vec<&str> = lint::lints().map(|lint| lint.id).collect();
    let unique: BTreeSet<String> = rows.iter().map(|id| (*id).to_owned()).collect();
    assert_eq!(rows.len(), unique.len(), "an id stands twice");
    let sources = ids_in_sources();
    assert!(sources.len() > 70, "{sources:?}");
    let missing: Vec<&String> = sources.difference(&unique).collect();
    assert!(missing.is_empty(), "rules without a row in core/src/lint: {missing:?}");
    let dead: Vec<&String> = unique.difference(&sources).collect();
    assert!(dead.is_empty(), "rows without a rule: {dead:?}");
    for family in FAMILIES {
        for lint in family.lints {
            let name = lint.id.strip_prefix(family.name).and_then(|rest| rest.strip_prefix('.'));
            assert!(name.is_some_and(|name| !name.is_empty()), "{} is not of {}", lint.id, family.name);
            assert!(lint.help.ends_with('.') && lint.short().len() < lint.help.len() + 1, "{}", lint.id);
            assert!(lint.or != Some(lint.severity), "{}", lint.id);
        }
    }
}

fn page() -> String {
    let mut out = String::from(
        "# Findings\n\nMade from the tables in `core/src/lint`. `obelus check FILE` prints findings, the tab *Findings* shows \
         those of the open trajectory, and `obelus explain RULE` prints the entry of a rule on this page. Which families \
         apply depends on the format of the file; `work` applies to all runs with tools; most of `data` needs \
         `check --data`, `loss` needs `check --loss TEMPLATE`. Numbers such as A8, S9 or D10 name \
         [rules](rules/README.md).\n",
    );
    for family in FAMILIES {
        let _ = write!(
            out,
            "\n## {} (`{}`)\n\n| rule | severity | means |\n| --- | --- | --- |\n",
            family.title, family.name
        );
        for lint in family.lints {
            let anchor = lint.id.replace('.', "");
            let _ = writeln!(
                out,
                "| [`{}`](#{anchor}) | {} | {} |",
                lint.id,
                severity(lint),
                rule_pages::linked(&lint.short().replace('|', "\\|"))
            );
        }
        for lint in family.lints {
            let _ = write!(out, "\n### {}\n\n{}: {}\n", lint.id, severity(lint), rule_pages::linked(lint.help));
            let _ = write!(
                out,
                "\nFound in, by `obelus check {}`,\n\n```json\n{}\n```\n\nbut not in\n\n```json\n{}\n```\n",
                lint.options(),
                lint.fires,
                lint.silent
            );
        }
    }
    out + &measured_lints::section()
}

fn severity(lint: &Lint) -> String {
    lint.or.map_or(lint.severity.name().to_owned(), |or| format!("{} or {}", lint.severity.name(), or.name()))
}

#[test]
fn the_page_of_lints_equals_the_table() {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/lints.md"));
    let fault = golden::equal(&path, &page());
    assert!(fault.is_none(), "{}", fault.unwrap_or_default());
}

#[test]
fn near_names_are_found() {
    assert_eq!(lint::nearest_lints("acts.type-chang")[0], "acts.type-change");
    assert_eq!(lint::nearest_lints("think-token"), ["adp.think-token", "sft.think-token"]);
    assert_eq!(lint::nearest_lints("atfi"), ["atif"]);
    assert!(lint::nearest_lints("nonsense").is_empty());
}

fn stage(sample: &str) -> Stage {
    let text = fs::read(format!("{}/samples/{sample}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    Stage::open(Input::memory(sample, text), None, (120, 40), Theme::built_in("dark").unwrap()).unwrap()
}

/// The step in focus, and the value in focus.
fn focus(stage: &Stage) -> (i32, String) {
    let reference = stage.app.session.open().unwrap().focus_reference();
    (stage.app.session.focus.step, reference.map_or(String::new(), |(reference, _)| reference))
}

#[test]
fn findings_lead_to_their_step_and_value() {
    let mut stage = stage("faults.jsonl");
    press(&mut stage, "6");
    let rows = |stage: &Stage| {
        let window = stage.app.pane_window(Pane::Inspector);
        window.rows.iter().map(obelus::panes::Row::plain).collect::<Vec<_>>().join("\n")
    };
    assert!(rows(&stage).starts_with(" 3 errors · 4 warnings"), "{}", rows(&stage));
    press(&mut stage, "/ t y p e - c h Enter");
    let explained = rows(&stage);
    assert!(explained.contains(" ! acts.type-change\n the type changes from array to\n string"), "{explained}");
    assert!(explained.contains("\n A value changes its JSON type: an\n"), "{explained}");
    press(&mut stage, "Enter");
    assert_eq!(focus(&stage), (11, "†state.alarms".to_owned()));
    assert_eq!((stage.app.inspector.tab, stage.app.pane), (Tab::Findings, Pane::Inspector));
    press(&mut stage, "Backspace . . .");
    assert_eq!(stage.app.inspector.findings.scroll.cursor, 0, "no finding up to step 3");
    press(&mut stage, "] f");
    assert_eq!(focus(&stage).0, 4);
    assert!(stage.app.notice.as_ref().unwrap().text.ends_with("1 of 7"), "{:?}", stage.app.notice);
    press(&mut stage, "] f");
    assert_eq!((focus(&stage).0, stage.app.inspector.findings.scroll.cursor), (5, 1));
    press(&mut stage, "[ f [ f");
    assert_eq!(focus(&stage).0, 4);
    assert_eq!(stage.app.notice.as_ref().unwrap().text, "no earlier finding · 6 later");
}

#[test]
fn a_finding_in_a_message_leads_to_its_value() {
    let mut stage = stage("tickets-std.jsonl");
    press(&mut stage, "j j j Enter 6 Enter");
    assert_eq!((focus(&stage).0, stage.app.inspector.tab), (3, Tab::Message));
    let cells = stage.app.pane_extent(Pane::Inspector).width;
    let message = &stage.app.inspector.message.view;
    let node = message.node(cells).unwrap();
    assert_eq!(message.doc().unwrap().pointer(node), "/tool_call_id");
    press(&mut stage, "] f");
    assert_eq!(stage.app.notice.as_ref().unwrap().text, "no later finding");
}
