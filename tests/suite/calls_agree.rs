//! One reading of calls: statistics, steps, filters, exports and templates answer alike, whatever the spelling.

use super::command::{file, obelus};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A template that writes the name of each call on a line of its own.
const NAMES_OF_CALLS: &str = "{% for m in messages %}{% for c in m.tool_calls or [] %}call {{ c.function.name }}\n\
                              {% endfor %}{% endfor %}end";

/// Files with two calls each, of `f` and of `g`; all but the last two have the format `messages`, `sharegpt` or `atif`.
const SPELLINGS: &[(&str, &str)] = &[
    (
        "openai",
        r#"{"messages":[{"role":"user","content":"go"},
        {"role":"assistant","content":null,"tool_calls":[
            {"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},
        {"role":"tool","tool_call_id":"1","content":"x"},
        {"role":"assistant","content":"so","tool_calls":[{"id":"2","function":{"name":"g","arguments":{}}}]},
        {"role":"tool","tool_call_id":"2","content":"y"},{"role":"assistant","content":"done"}]}"#,
    ),
    (
        "flat, and the list as JSON in a string",
        r#"{"messages":[{"role":"user","content":"go"},
        {"role":"assistant","content":"","tool_calls":[{"id":"1","name":"f","arguments":{"a":1}}]},
        {"role":"tool","tool_call_id":"1","content":"x"},
        {"role":"assistant","content":"","tool_calls":"[{\"id\":\"2\",\"name\":\"g\",\"arguments\":{}}]"},
        {"role":"tool","tool_call_id":"2","content":"y"},{"role":"assistant","content":"done"}]}"#,
    ),
    (
        "elements as JSON in strings, and another vendor's names",
        r#"{"messages":[{"role":"user","content":"go"},
        {"role":"assistant","content":"","tool_calls":["{\"id\":\"1\",\"function\":{\"name\":\"f\"}}"]},
        {"role":"tool","tool_call_id":"1","content":"x"},
        {"role":"assistant","content":"","toolCalls":[{"toolCallId":"2","toolName":"g","args":{}}]},
        {"role":"tool","tool_call_id":"2","content":"y"},{"role":"assistant","content":"done"}]}"#,
    ),
    (
        "the single function_call",
        r#"{"messages":[{"role":"user","content":"go"},
        {"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},
        {"role":"function","name":"f","content":"x"},
        {"role":"assistant","content":null,"function_call":"{\"name\":\"g\",\"arguments\":{}}"},
        {"role":"function","name":"g","content":"y"},{"role":"assistant","content":"done"}]}"#,
    ),
    (
        "anthropic",
        r#"{"messages":[{"role":"user","content":"go"},
        {"role":"assistant","content":[{"type":"text","text":"so"},
            {"type":"tool_use","id":"1","name":"f","input":{"a":1}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"}]},
        {"role":"assistant","content":[{"type":"tool_use","id":"2","name":"g","input":{}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"2","content":[{"type":"text","text":"y"}]}]},
        {"role":"assistant","content":"done"}]}"#,
    ),
    (
        "one call in two spellings",
        r#"{"messages":[{"role":"user","content":"go"},
        {"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}],
            "tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"1","content":"x"},
        {"role":"assistant","content":"","tool_calls":[{"name":"g","arguments":{}}],
            "function_call":{"name":"g","arguments":"{}"}},
        {"role":"tool","content":"y"},{"role":"assistant","content":"done"}]}"#,
    ),
    (
        "items of the Responses interface as parts",
        r#"{"messages":[{"role":"user","content":"go"},
        {"role":"assistant","content":[
            {"type":"function_call","id":"item_1","call_id":"1","name":"f","arguments":"{}"}]},
        {"role":"tool","content":[{"type":"function_call_output","call_id":"1","output":"x"}]},
        {"role":"assistant","content":[
            {"type":"function_call","id":"item_2","call_id":"2","name":"g","arguments":"{}"}]},
        {"role":"tool","content":[{"type":"function_call_output","call_id":"2","output":"y"}]},
        {"role":"assistant","content":"done"}]}"#,
    ),
    (
        "items of the Responses interface among messages",
        r#"{"messages":[{"role":"user","content":"go"},{"type":"reasoning","id":"r","summary":[]},
        {"type":"function_call","id":"item_1","call_id":"1","name":"f","arguments":"{}"},
        {"type":"function_call_output","call_id":"1","output":"x"},
        {"type":"function_call","id":"item_2","call_id":"2","name":"g","arguments":"{}"},
        {"type":"function_call_output","call_id":"2","output":"y"},{"role":"assistant","content":"done"}]}"#,
    ),
    (
        "sharegpt",
        r#"{"conversations":[{"from":"human","value":"go"},
        {"from":"function_call","value":"{\"name\":\"f\",\"arguments\":{\"a\":1}}"},{"from":"observation","value":"x"},
        {"from":"function_call","value":"[{\"name\":\"g\",\"arguments\":{}}]"},{"from":"observation","value":"y"},
        {"from":"gpt","value":"done"}]}"#,
    ),
    (
        "parts of LLaMA-Factory",
        r#"{"messages":[{"role":"user","content":[{"type":"text","value":"go"}]},
        {"role":"assistant","content":[{"type":"tool_call","value":"{\"name\":\"f\",\"arguments\":{}}"}]},
        {"role":"tool","content":[{"type":"text","value":"x"}]},
        {"role":"assistant","content":[{"type":"tool_call","value":"{\"name\":\"g\",\"arguments\":{}}"}]},
        {"role":"tool","content":[{"type":"text","value":"y"}]},
        {"role":"assistant","content":[{"type":"text","value":"done"}]}]}"#,
    ),
    (
        "a prompt and its completion",
        r#"{"prompt":[{"role":"user","content":"go"}],"completion":[
        {"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"1","content":"x"},
        {"role":"assistant","content":null,"tool_calls":[{"id":"2","function":{"name":"g","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"2","content":"y"},{"role":"assistant","content":"done"}]}"#,
    ),
    (
        "atif",
        r#"{"schema_version":"ATIF-v1.6","session_id":"t","agent":{"name":"a","version":"1"},"steps":[
        {"step_id":1,"source":"user","message":"go"},
        {"step_id":2,"source":"agent","message":"",
            "tool_calls":[{"tool_call_id":"1","function_name":"f","arguments":{}}],
            "observation":{"results":[{"source_call_id":"1","content":"x"}]}},
        {"step_id":3,"source":"agent","message":"done",
            "tool_calls":[{"tool_call_id":"2","function_name":"g","arguments":{}}],
            "observation":{"results":[{"source_call_id":"2","content":"y"}]}}]}"#,
    ),
    (
        "adp",
        r#"{"id":"t","content":[{"class_":"text_observation","content":"go","source":"user"},
        {"class_":"api_action","function":"f","kwargs":{},"description":null},
        {"class_":"text_observation","content":"x","source":"environment"},
        {"class_":"api_action","function":"g","kwargs":{},"description":null},
        {"class_":"text_observation","content":"y","source":"environment"},
        {"class_":"message_action","content":"done","description":null}]}"#,
    ),
    (
        "a log, a message a line",
        concat!(
            r#"{"role":"user","content":"go"}"#,
            "\n",
            r#"{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}"#,
            "\n",
            r#"{"role":"tool","tool_call_id":"1","content":"x"}"#,
            "\n",
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"2","name":"g","input":{}}]}"#,
            "\n",
            r#"{"role":"tool","tool_call_id":"2","content":"y"}"#,
            "\n",
        ),
    ),
];

/// The lines of a command's answer for programs; None: it refuses.
fn lines(arguments: &[&str]) -> Option<Vec<Value>> {
    let (status, stdout, _) = obelus(arguments);
    (status < 2).then(|| stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// The calls of a file as each command has them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Answers {
    /// `stats`: `calls`, and the sum of `tools`.
    stats: (u64, u64),
    /// `stats --tools`.
    tools: u64,
    /// The names that `stats` has.
    names: BTreeSet<String>,
}

fn answers(path: &str) -> Option<Answers> {
    let stats = lines(&["stats", "--json", path])?;
    let of = |kind: &str| stats.iter().filter(|line| line["type"] == kind).collect::<Vec<_>>();
    let tools = of("dataset").first()?["tools"].as_object()?.clone();
    let calls = of("trajectory").iter().map(|line| number(&line["calls"])).sum();
    Some(Answers {
        stats: (calls, tools.values().map(number).sum()),
        tools: number(&lines(&["stats", "--tools", "--json", path])?.first()?["calls"]),
        names: tools.keys().cloned().collect(),
    })
}

/// The names of the calls in what `export --to messages` writes, in order; what it does not carry over.
fn exported(folder: &Path, path: &str) -> Option<(Vec<String>, Value)> {
    let out = folder.join("out.jsonl");
    let out = out.to_str().unwrap();
    let (status, ..) = obelus(&["export", path, "--to", "messages", "--force", "--out", out]);
    if status > 1 {
        return None;
    }
    let records = fs::read_to_string(out).unwrap();
    let records = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let manifest = fs::read_to_string(format!("{out}.manifest.json")).unwrap();
    let mut names = Vec::new();
    for record in records {
        for call in record["messages"].as_array().unwrap().iter().filter_map(|m| m["tool_calls"].as_array()).flatten() {
            names.push(call["function"]["name"].as_str().unwrap_or("?").to_owned());
        }
    }
    Some((names, serde_json::from_str(&manifest).unwrap()))
}

/// The names of the calls of a record that a chat template gets.
fn templated(folder: &Path, path: &str, record: usize) -> Option<Vec<String>> {
    let template = file(folder, "names.jinja", NAMES_OF_CALLS);
    let rows = lines(&["loss", "--json", "--template", &template, "--record", &record.to_string(), path])?;
    let text: String = rows[0]["segments"].as_array()?.iter().filter_map(|segment| segment["text"].as_str()).collect();
    Some(text.lines().filter_map(|line| line.strip_prefix("call ")).map(str::to_owned).collect())
}

fn count(path: &str, filter: &str) -> u64 {
    let (status, stdout, stderr) = obelus(&["query", "--where", filter, "--count", path]);
    assert!(status < 2, "{filter}: {stderr}");
    stdout.trim().parse().unwrap()
}

#[test]
fn every_spelling_is_read_alike_by_every_command() {
    let folder = tempfile::tempdir().unwrap();
    for (what, text) in SPELLINGS {
        let ending = if text.lines().count() == 5 { "jsonl" } else { "json" };
        let path = file(folder.path(), &format!("sample.{ending}"), text);
        let both = ["f".to_owned(), "g".to_owned()];
        let expected = Answers { stats: (2, 2), tools: 2, names: both.iter().cloned().collect() };
        assert_eq!(answers(&path).unwrap(), expected, "{what}");
        let steps = lines(&["steps", "--json", &path]).unwrap();
        let is_call = |step: &&Value| step["role"] == "agent" && step["tool"].is_string();
        let tool_names: Vec<_> = steps.iter().filter(is_call).map(|step| step["tool"].as_str().unwrap()).collect();
        assert_eq!(tool_names, both, "{what}: steps");
        assert_eq!(exported(folder.path(), &path).unwrap().0, both, "{what}: export");
        if ending == "json" {
            assert_eq!(templated(folder.path(), &path, 0).unwrap(), both, "{what}: loss");
            for (filter, expected) in [("calls:2", 1), ("calls>2", 0), ("tool:g", 1), ("tool:h", 0)] {
                assert_eq!(count(&path, filter), expected, "{what}: {filter}");
            }
        }
    }
}

#[test]
fn results_find_their_calls_in_every_spelling() {
    let folder = tempfile::tempdir().unwrap();
    for (what, text) in SPELLINGS {
        let ending = if text.lines().count() == 5 { "jsonl" } else { "json" };
        let path = file(folder.path(), &format!("sample.{ending}"), text);
        let stats = lines(&["stats", "--json", &path]).unwrap();
        assert_eq!(number(&stats[0]["results"]), 2, "{what}");
        let (_, found, _) = obelus(&["check", "--data", "--json", &path]);
        assert!(!found.contains("unanswered-call") && !found.contains("answer-without-call"), "{what}: {found}");
    }
}

/// The files below a folder.
fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() { files(&path, out) } else { out.push(path) }
    }
}

/// What an export says that it leaves out: then it may have fewer calls.
fn leaves_runs_out(manifest: &Value) -> bool {
    let text = manifest.to_string();
    ["branches", "subagent_trajectories", "no conversation", "tool_calls"].iter().any(|what| text.contains(what))
}

#[test]
#[ignore = "reads every file of the folder that OBELUS_CALLS_FOLDER names"]
fn all_answers_agree_on_the_files_of_a_folder() {
    let folder = std::env::var("OBELUS_CALLS_FOLDER").unwrap();
    let (scratch, mut all, mut odd) = (tempfile::tempdir().unwrap(), Vec::new(), Vec::new());
    files(Path::new(&folder), &mut all);
    let mut looked = 0;
    for path in all.iter().filter_map(|path| path.to_str()) {
        let Some(Answers { stats, tools, names }) = answers(path) else { continue };
        looked += 1;
        if (stats.0, stats.0) != (stats.1, tools) {
            odd.push(format!("{path}: stats {stats:?}, --tools {tools}"));
        }
        // Of a format whose messages name calls in their text, an export leaves them there.
        let is_written = lines(&["formats", "--json", path]).is_some_and(|rows| rows[0]["format"] == "adp");
        let Some((written, manifest)) = exported(scratch.path(), path) else { continue };
        if written.len() as u64 != stats.0 && !is_written && !leaves_runs_out(&manifest) {
            odd.push(format!("{path}: stats {stats:?}, export {}", written.len()));
        }
        let Some(filtered) = names.iter().next().map(|name| format!("tool:\"{name}\"")) else { continue };
        let (status, output, _) = obelus(&["query", "--where", &filtered, "--count", path]);
        if status == 0 && output.trim() == "0" {
            odd.push(format!("{path}: {filtered} finds nothing"));
        }
    }
    assert!(looked > 0 && odd.is_empty(), "{looked} files\n{}", odd.join("\n"));
}
