//! What only formats and their rules may know: other rooms ask `Format` and `Run`, or read a `rules::trajectory`.

use super::{Source, made, names, sources};

/// Rooms that show and combine what formats say.
const ABOVE_FORMATS: &[&str] = &["lint", "review", "panes", "app", "ingest", "ui", "shell", "cli", "source"];
/// Members by which records spell calls: `rules/trajectory` and the adapters of logs look them up.
const CALL_MEMBERS: &[&str] = &["get(\"tool_calls\")", "get(\"function_call\")", "get(\"tool_use\")"];
/// Reads a message on its way to a template, or into one: `messages` are its own shape.
const OF_MESSAGES: &[&str] = &["review/chat/from_atif.rs"];

/// Places that name the rules of the Agent Data Protocol outside its format, call members in a room that shows
/// them, or compare the name of a format.
fn format_knowledge(source: &Source) -> Vec<String> {
    let mut out = Vec::new();
    let is_free = ["rules/", "format/adp/", "format/adp.rs"].iter().any(|begin| source.path.starts_with(begin));
    for named in names(source, &source.code()) {
        if !is_free && named.parts.starts_with(&["rules".to_owned(), "adp".to_owned()]) {
            out.push(format!("{}:{}: rules::adp; read rules::trajectory", source.path, named.line));
        }
    }
    let is_above = source.room().is_some_and(|room| ABOVE_FORMATS.contains(&room));
    // The first tests of a file end what is looked at: texts are needed here, and `Source::code` has none.
    let text = source.text.split("#[cfg(test)]").next().unwrap_or_default();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| is_above && !line.trim_start().starts_with("//")) {
        let place = format!("{}:{}", source.path, i + 1);
        if CALL_MEMBERS.iter().any(|member| line.contains(member)) && !OF_MESSAGES.contains(&source.path.as_str()) {
            out.push(format!("{place}: a spelling of calls; read them through rules::trajectory::call"));
        }
        if ["name() == \"", "name() != \""].iter().any(|compared| line.contains(compared)) {
            out.push(format!("{place}: told by its name; make it a function of Format"));
        }
    }
    out
}

#[test]
fn rooms_above_formats_do_not_know_one() {
    let sources = sources();
    let other = sources.iter().filter(|source| !source.is_tests());
    let all: Vec<String> = other.flat_map(format_knowledge).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn knowledge_of_one_format_is_found() {
    for (path, code) in [
        ("cli/x.rs", "use crate::rules::{adp, trajectory};"),
        ("format/verl.rs", "use crate::rules::adp::stage;"),
        ("review/x.rs", "fn f() { crate::rules::adp::examine(r); }"),
        ("cli/x.rs", "let is = format.name() == \"adp\";"),
        ("app/x.rs", "if format.name() != \"generic\" {"),
        ("panes/x.rs", "let calls = record.get(\"tool_calls\");"),
        ("review/x.rs", "let calls = record.get(\"function_call\");"),
    ] {
        assert_eq!(format_knowledge(&made(path, code)).len(), 1, "{path}: {code}");
    }
    for (path, code) in [
        ("format/adp/run.rs", "use crate::rules::adp;"),
        ("rules/adp/mod.rs", "use super::adp::stage;"),
        ("format/langgraph.rs", "let calls = record.get(\"tool_calls\");"),
        ("cli/x.rs", "// format.name() == \"adp\"\n#[cfg(test)]\nmod tests { fn f() { f.name() == \"pi\" } }"),
    ] {
        assert_eq!(format_knowledge(&made(path, code)), Vec::<String>::new(), "{path}: {code}");
    }
}
