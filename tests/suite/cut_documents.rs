//! Documents whose end is missing: a run that was ended while it wrote, a copy that is not whole.

use super::command::{file, obelus};
use serde_json::{Value, json};

/// A trajectory of SWE-agent with `steps` steps, over several lines.
fn trajectory(steps: usize) -> String {
    let step = |n: usize| {
        json!({"action": format!("echo {n}"), "observation": format!("{n} {}", "long ".repeat(400)), "response": "r",
            "thought": format!("step {n}"), "state": {"working_dir": "/w"}, "execution_time": 0.5})
    };
    let all: Vec<Value> = (0..steps).map(step).collect();
    serde_json::to_string_pretty(&json!({"trajectory": all, "info": {"exit_status": "submitted"}})).unwrap()
}

/// The steps of a file, and the findings of `check`.
fn steps_and_findings(path: &str, format: &str) -> (Vec<Value>, String) {
    let (_, steps, _) = obelus(&["steps", path, "--json", "--format", format]);
    let (_, findings, _) = obelus(&["check", path, "--format", format]);
    (steps.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), findings)
}

#[test]
fn steps_before_a_cut_are_shown_and_the_cut_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let whole = trajectory(60);
    let (all, _) = steps_and_findings(&file(folder.path(), "whole.traj", &whole), "auto");
    for (name, share) in [("early", 3), ("late", 9)] {
        // More than the beginning that is shown of a record which is no JSON.
        let end = whole.len() * share / 10;
        let (steps, findings) =
            steps_and_findings(&file(folder.path(), &format!("{name}.traj"), &whole[..end]), "auto");
        let expected = all.len() * share / 10;
        assert!((expected - 6..=expected).contains(&steps.len()), "{name}: {} of {}", steps.len(), all.len());
        assert!(
            steps.iter().zip(&all).all(|(step, whole)| step["place"] == whole["place"] && step["place"].is_object()),
            "{name}"
        );
        assert!(findings.contains(&format!("the text ends before its value does at byte {end}")), "{findings}");
    }
}

#[test]
fn steps_before_damage_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let damaged = trajectory(60).replace("\"echo 50\"", "\"echo 50");
    let (steps, findings) = steps_and_findings(&file(folder.path(), "damaged.traj", &damaged), "swe-agent");
    assert_eq!(steps.len(), 3 * 50, "words, call and result of each whole element: {findings}");
    assert!(findings.contains("data.invalid-json"), "{findings}");
}

#[test]
fn half_a_line_is_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let line = json!({"type": "user", "uuid": "1", "parentUuid": null, "sessionId": "s", "version": "2.1.0", "cwd": "/",
        "isSidechain": false, "message": {"role": "user", "content": "go"}});
    let cut = json!({"type": "assistant", "uuid": "2", "parentUuid": "1", "sessionId": "s", "version": "2.1.0",
        "message": {"role": "assistant", "content": [{"type": "text", "text": "half"}]}});
    let cut = cut.to_string();
    let text = format!("{line}\n{}\n{line}\n", &cut[..cut.len() - 30]);
    let (steps, findings) = steps_and_findings(&file(folder.path(), "s.jsonl", &text), "auto");
    assert_eq!(steps.iter().filter(|step| step["role"] == "agent").count(), 0, "{steps:?}");
    assert!(findings.contains("data.invalid-json"), "{findings}");
}

/// Formats whose parts are put in order by their times are read in parts.
#[test]
fn a_cut_is_reported_once_however_many_parts_are_whole() {
    let folder = tempfile::tempdir().unwrap();
    let message = |n: usize| {
        json!({"id": n.to_string(), "timestamp": "2026-11-27T10:00:00Z", "type": (["user", "gemini"][n % 2]),
            "content": format!("message {n}")})
    };
    let messages: Vec<Value> = (0..8).map(message).collect();
    let session = json!({"sessionId": "s", "projectHash": "h", "startTime": "2026-11-27T10:00:00Z",
        "lastUpdated": "2026-11-27T10:00:00Z", "messages": messages});
    let span = |n: usize| {
        let spans = json!([{"traceId": "t", "spanId": n.to_string(), "name": "chat", "attributes": [],
            "startTimeUnixNano": (1_781_296_601_000_000_000_u64 + n as u64).to_string()}]);
        json!({"resource": {"attributes": []}, "scopeSpans": [{"spans": spans}]})
    };
    let spans = json!({"resourceSpans": (0..8).map(span).collect::<Vec<_>>()});
    for (name, document, format) in [("gemini", session, "gemini-cli"), ("spans", spans, "otel")] {
        let text = serde_json::to_string_pretty(&document).unwrap();
        let cut = text.rfind("\n    {").unwrap() + 8;
        let (steps, findings) = steps_and_findings(&file(folder.path(), name, &text[..cut]), format);
        assert_eq!((steps.len(), findings.matches("data.invalid-json").count()), (7, 1), "{name}: {findings}");
    }
}

#[test]
fn a_message_of_a_tree_that_is_cut_is_no_step() {
    let folder = tempfile::tempdir().unwrap();
    let node = |id: &str, parent: Option<&str>| {
        json!({"id": id, "parent": parent, "children": [], "message": {"author": {"role": "user"},
            "content": {"content_type": "text", "parts": [id]}, "recipient": "all", "metadata": {"a": 1, "b": 2}}})
    };
    let mapping = json!({"first": node("first", None), "second": node("second", Some("first"))});
    let all = json!([{"title": "t", "mapping": mapping, "current_node": "second"}]);
    let whole = serde_json::to_string_pretty(&all).unwrap();
    let second = whole.rfind("\"second\": {").unwrap();
    for end in (second..whole.rfind("\"title\"").unwrap()).step_by(3) {
        let (steps, _) = steps_and_findings(&file(folder.path(), "cut.json", &whole[..end]), "auto");
        let summaries: Vec<&str> = steps.iter().filter_map(|step| step["summary"].as_str()).collect();
        assert!(summaries == ["first"] || summaries == ["first", "second"], "{end}: {summaries:?}");
    }
}
