//! `--map NAME=JQ` and `[map]` of `obelus.toml`: members of each record by expressions, so that any JSON is read as
//! conversations with an id, a task, a reward and a label (decision 22).

#[cfg(feature = "query")]
mod engine;
#[cfg(not(feature = "query"))]
#[path = "mapping/no_engine.rs"]
mod engine;

use super::check::config::Config;
use crate::model::Problem;
use clap::ArgMatches;
use std::collections::BTreeMap;

/// Longest name of a member, in bytes.
const NAME_BYTES_MAX: usize = 64;

/// The name of the messages, and members that would be taken for them, or for a part of them.
#[cfg(feature = "query")]
const MESSAGES: &str = "messages";
#[cfg(feature = "query")]
const OTHER_CONVERSATIONS: &[&str] = &[
    "conversations",
    "steps",
    "prompt",
    "completion",
    "completions",
    "chosen",
    "rejected",
    "chosen_messages",
    "rejected_messages",
];

/// Members that are written under another name, which every command knows.
#[cfg(feature = "query")]
const RENAMED: [(&str, &str); 1] = [("task", "task_id")];

/// Registers the mapping for all that a command reads: that of `obelus.toml`, then that of its options, which wins.
///
/// # Errors
/// An option has no name; an expression is none.
pub(super) fn register(matches: &ArgMatches, config: &Config) -> Result<(), Problem> {
    // A command that reads no records has no such option.
    let Ok(options) = matches.try_get_many::<String>("maps") else { return Ok(()) };
    // A worker is given its records; one that asked for workers of its own would never end.
    if matches!(matches.try_get_one::<bool>("worker"), Ok(Some(true))) {
        return Ok(());
    }
    let mut maps = BTreeMap::new();
    for (name, expression) in &config.maps {
        checked(name, expression).map_err(|problem| config.at_fault(problem))?;
        maps.insert(name.clone(), expression.clone());
    }
    for option in options.into_iter().flatten() {
        let Some((name, expression)) = option.split_once('=') else {
            let problem = Problem::usage(format!("`{option}` is not a mapping of the form NAME=JQ"));
            return Err(problem.hint("as in --map messages=.turns --map reward=.info.score"));
        };
        checked(name, expression)?;
        maps.insert(name.to_owned(), expression.to_owned());
    }
    if maps.is_empty() { Ok(()) } else { engine::register(&maps) }
}

/// Looks whether a member may have this name, and an expression is one.
fn checked(name: &str, expression: &str) -> Result<(), Problem> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.bytes().all(is_part) {
        let problem = Problem::usage(format!("`{name}` is not a name of a member"));
        return Err(problem.hint("a name has letters, digits, `_` and `-`, as messages, id, task, reward, label"));
    }
    engine::checked(name, expression)
}

/// The expression that makes the record of one: its members, but for other conversations if messages are mapped, and
/// the mapped ones. A member whose expression gives null or nothing is left out; messages may be JSON in a string.
#[cfg(feature = "query")]
fn record_expression(maps: &BTreeMap<String, String>) -> String {
    let has = |name: &str| maps.contains_key(name);
    let dropped = OTHER_CONVERSATIONS.iter().filter(|name| has(MESSAGES) && !has(name));
    let dropped: Vec<String> = dropped.map(|name| format!(".{name}")).collect();
    let rest = if dropped.is_empty() { ".".to_owned() } else { format!("del({})", dropped.join(", ")) };
    let member = |(name, expression): (&String, &String)| {
        let written = RENAMED.iter().find(|(known, _)| known == name).map_or(name.as_str(), |(_, written)| written);
        let unpacked = if name == MESSAGES { " | if type == \"string\" then (fromjson? // .) else . end" } else { "" };
        // A comment of the user's ends with its line.
        format!("\"{written}\": (first(($in | ({expression}\n)), null){unpacked})")
    };
    let members: Vec<String> = maps.iter().map(member).collect();
    let mapped = format!("({{{}}} | with_entries(select(.value != null)))", members.join(", "));
    format!(". as $in | (if type == \"object\" then {rest} else {{}} end) + {mapped}")
}

#[cfg(all(test, feature = "query"))]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_is_one_expression() {
        let maps = |all: &[(&str, &str)]| all.iter().map(|(n, e)| ((*n).to_owned(), (*e).to_owned())).collect();
        let text = record_expression(&maps(&[("messages", ".t"), ("task", ".q # the question")]));
        assert!(text.contains("del(.conversations, .steps"), "{text}");
        assert!(text.contains("\"task_id\": (first(($in | (.q # the question\n)), null))"), "{text}");
        assert!(!record_expression(&maps(&[("reward", ".r")])).contains("del("));
        assert!(!record_expression(&maps(&[("messages", ".t"), ("chosen", ".c")])).contains(".chosen,"));
    }
}
