//! Tests of sessions of Copilot CLI.

use super::*;
use crate::format::log::testing::{self, lines, steps};

#[test]
fn the_end_of_a_session_reports_what_all_models_spent() {
    let usage = |input: u32| format!(r#"{{"usage":{{"inputTokens":{input},"outputTokens":2,"cacheReadTokens":5}}}}"#);
    let data = format!(r#"{{"modelMetrics":{{"a":{},"b":{}}}}}"#, usage(9), usage(11));
    let end = format!(r#"{{"type":"session.shutdown","id":"z","timestamp":"t","parentId":"f","data":{data}}}"#);
    let parsed = lines(&COPILOT, &format!("{SESSION}\n{end}"));
    let total = parsed.0.work().map(|work| work.total_usage()).unwrap_or_default();
    assert_eq!((total.input, total.output, total.cache_read), (Some(10), Some(4), Some(10)));
    assert!(testing::state(&parsed, "usage", 5).contains(r#""turns":1"#), "the end is no answer");
    let of = |name: &str, n: u32| format!(r#""{name}":{{"tokenCount":{n}}}"#);
    let details = [of("input", 3), of("cache_read", 20), of("cache_write", 7), of("output", 5)].join(",");
    let models = r#""modelMetrics":{"a":{"usage":{"reasoningTokens":2}}}"#;
    let data = format!(r#"{{"tokenDetails":{{{details}}},{models}}}"#);
    let end = format!(r#"{{"type":"session.shutdown","id":"z","timestamp":"t","parentId":"f","data":{data}}}"#);
    let parsed = lines(&COPILOT, &format!("{SESSION}\n{end}"));
    let total = parsed.0.work().map(|work| work.total_usage()).unwrap_or_default();
    let all = (total.input, total.output, total.cache_read, total.cache_write);
    assert_eq!(all, (Some(3), Some(5), Some(20), Some(7)));
}

#[test]
fn a_call_that_no_event_starts_is_the_one_that_an_answer_asked_for() {
    let without_start: Vec<&str> = SESSION.lines().filter(|line| !line.contains("tool.execution_start")).collect();
    let parsed = lines(&COPILOT, &without_start.join("\n"));
    assert_eq!(steps(&parsed)[3..], ["tool-call agent: bash ls", "tool-result environment: a.txt (of 3)"]);
    // The answer that requests a call may come after the call's start.
    let mut late: Vec<&str> = SESSION.lines().collect();
    late.swap(2, 3);
    let calls = steps(&lines(&COPILOT, &late.join("\n"))).iter().filter(|step| step.contains("call")).count();
    assert_eq!(calls, 1);
}

#[test]
fn a_printed_run_ends_with_its_result() {
    let parsed = lines(&COPILOT, PRINTED);
    let all = steps(&parsed);
    assert_eq!(all[..2], ["message user: hi", "message agent: hello"]);
    assert!(all.len() == 3 && parsed.0.title().as_deref() == Some("s1") && parsed.0.error_steps().is_empty());
    assert!(testing::state(&parsed, "session", 2).contains(r#""exitCode":0"#));
    let failed = lines(&COPILOT, &PRINTED.replace(r#""exitCode":0"#, r#""exitCode":1"#));
    assert_eq!(failed.0.error_steps(), [2]);
}

#[test]
fn what_a_sub_agent_does_is_under_the_call_that_began_it() {
    let event = |class: &str, agent: &str, data: &str| {
        let agent = if agent.is_empty() { String::new() } else { format!(r#""agentId":"{agent}","#) };
        format!(r#"{{"type":"{class}",{agent}"data":{data}}}"#)
    };
    let call = |id: &str| format!(r#"{{"toolCallId":"{id}","toolName":"task","arguments":{{}}}}"#);
    let say = |words: &str| format!(r#"{{"content":"{words}","model":"{words}-m","toolRequests":[]}}"#);
    let usage = r#"{"inputTokens":10,"outputTokens":3,"cacheReadTokens":4,"cacheWriteTokens":1}"#;
    let text = [
        event("session.start", "", r#"{"sessionId":"s","selectedModel":"m","context":{"cwd":"/w"}}"#),
        event("tool.execution_start", "", &call("c1")),
        event("subagent.started", "a", r#"{"toolCallId":"c1","agentName":"look"}"#),
        event("assistant.message", "a", &say("side")),
        event("assistant.usage", "a", usage).replace("\"data\"", "\"ephemeral\":true,\"data\""),
        event("tool.execution_complete", "", r#"{"toolCallId":"c1","success":true,"result":{"content":"x"}}"#),
        event("assistant.message", "", &say("main").replace("\"model\":\"main-m\",", "")),
    ];
    let parsed = lines(&COPILOT, &text.join("\n"));
    let side = parsed.0.step(3, &parsed.1);
    assert_eq!((side.standing.name(), side.caller, side.summary.as_str()), ("sub-agent", Some(1), "side"));
    let seen = parsed.0.context_steps(5);
    assert_eq!(seen, Some(vec![1, 4, 5]), "the main agent does not see it");
    let usage_total = parsed.0.work().map(|work| work.total_usage()).unwrap_or_default();
    let all = (usage_total.input, usage_total.output, usage_total.cache_read, usage_total.cache_write);
    assert_eq!(all, (Some(5), Some(3), Some(4), Some(1)));
    assert!(testing::state(&parsed, "run", 5).contains(r#""model":"m""#));
}

#[test]
fn calls_are_those_that_were_executed() {
    let parsed = lines(&COPILOT, SESSION);
    assert_eq!(
        steps(&parsed)[1..],
        [
            "message user: list it",
            "thought agent: ls will do",
            "tool-call agent: bash ls",
            "tool-result environment: a.txt (of 3)"
        ]
    );
    assert_eq!((parsed.0.title().as_deref(), parsed.0.step(2, &parsed.1).tokens), (Some("s1"), Some(9)));
}

/// Events of a session, each of which has an id.
fn events(all: &[(&str, &str)]) -> String {
    let event = |n: usize, class: &str, data: &str| format!(r#"{{"type":"{class}","id":"e{n}","data":{data}}}"#);
    all.iter().enumerate().map(|(n, (class, data))| event(n, class, data)).collect::<Vec<_>>().join("\n")
}

const BEGIN: (&str, &str) = ("session.start", r#"{"sessionId":"s","context":{"cwd":"/w"}}"#);

/// A request with its answer.
const REQUEST_AND_ANSWER: [(&str, &str); 2] = [
    (
        "session.usage_record",
        r#"{"usage":{"inputTokens":10,"outputTokens":3,"cacheReadTokens":4,"cacheWriteTokens":1,"apiCallId":"a"}}"#,
    ),
    ("assistant.message", r#"{"content":"one","apiCallId":"a","outputTokens":3,"toolRequests":[]}"#),
];

#[test]
fn each_request_counts_once_whatever_the_end_of_the_session_repeats() {
    let [usage, answer] = REQUEST_AND_ANSWER;
    let end = r#"{"modelMetrics":{"m":{"usage":{"inputTokens":10,"outputTokens":3,"cacheReadTokens":4,
        "cacheWriteTokens":1}}}}"#
        .replace('\n', " ");
    let compacted = r#"{"success":true,"summaryContent":"s","compactionTokensUsed":{"inputTokens":7,"outputTokens":2,
        "cacheReadTokens":2}}"#
        .replace('\n', " ");
    let total = |all: &[(&str, &str)]| {
        let parsed = lines(&COPILOT, &events(all));
        let last = StepNo::try_from(parsed.0.step_count()).unwrap() - 1;
        let total = parsed.0.work().map(|work| work.total_usage()).unwrap_or_default();
        let turns = testing::state(&parsed, "usage", last);
        ([total.input, total.output, total.cache_read, total.cache_write].map(Option::unwrap_or_default), turns)
    };
    let (running, turns) = total(&[BEGIN, usage, answer]);
    assert_eq!(running, [5, 3, 4, 1]);
    assert!(turns.contains(r#""turns":1"#), "{turns}");
    assert_eq!(total(&[BEGIN, answer, usage]).0, running, "the answer may come first");
    assert_eq!(total(&[BEGIN, usage, answer, ("session.shutdown", &end)]).0, running);
    let all = [BEGIN, usage, answer, ("session.compaction_complete", &*compacted), ("session.shutdown", &end)];
    assert_eq!(total(&all).0, [10, 5, 6, 1], "the end leaves out what compactions took");
    // A session that an earlier version began: its first requests are in the totals alone.
    let more = end.replace("\"inputTokens\":10", "\"inputTokens\":110");
    assert_eq!(total(&[BEGIN, usage, answer, ("session.shutdown", &more)]).0, [105, 3, 4, 1]);
    let parsed = lines(&COPILOT, &events(&[BEGIN, usage, (answer.0, r#"{"content":"one","apiCallId":"a"}"#)]));
    assert_eq!(parsed.0.step(2, &parsed.1).tokens, Some(3), "the answer itself may not say it");
}

#[test]
fn a_compaction_leaves_the_instructions_and_what_came_while_it_ran() {
    let say = |words: &'static str| ("assistant.message", words);
    let parsed = lines(
        &COPILOT,
        &events(&[
            BEGIN,
            ("system.message", r#"{"content":"You help."}"#),
            ("user.message", r#"{"content":"do it"}"#),
            ("session.compaction_start", "{}"),
            say(r#"{"content":"meanwhile","toolRequests":[]}"#),
            ("session.compaction_complete", r#"{"success":true,"summaryContent":"what was"}"#),
            say(r#"{"content":"behind","toolRequests":[]}"#),
            ("system.message", r#"{"content":"You help more."}"#),
            say(r#"{"content":"end","toolRequests":[]}"#),
        ]),
    );
    assert_eq!(parsed.0.context_steps(2), Some(vec![1, 2]));
    assert_eq!(parsed.0.context_steps(6), Some(vec![1, 4, 5, 6]));
    assert_eq!(parsed.0.context_steps(8), Some(vec![4, 5, 6, 7, 8]), "new instructions are in place of the others");
    let failed = r#"{"success":false,"error":"x"}"#;
    let all = [BEGIN, ("user.message", r#"{"content":"do"}"#), ("session.compaction_start", "{}")];
    let end = [("session.compaction_complete", failed), say(r#"{"content":"on","toolRequests":[]}"#)];
    let parsed = lines(&COPILOT, &events(&[&all[..], &end[..]].concat()));
    assert_eq!(parsed.0.context_steps(4), Some(vec![1, 4]));
}

#[test]
fn the_model_sees_notifications_and_a_command_does_not_move_the_next() {
    let call = |id: &str, command: &str| {
        let start = format!(r#"{{"toolCallId":"{id}","toolName":"bash","arguments":{{"command":"{command}"}}}}"#);
        let end = format!(r#"{{"toolCallId":"{id}","success":true,"result":{{"content":""}}}}"#);
        [start, end]
    };
    let ([a, b], [c, d]) = (call("1", "cd sub"), call("2", "echo x > new.txt"));
    let (start, end) = ("tool.execution_start", "tool.execution_complete");
    let note = ("system.notification", r#"{"content":"the agent is idle"}"#);
    let parsed = lines(&COPILOT, &events(&[BEGIN, (start, &a), (end, &b), (start, &c), (end, &d), note]));
    let files = parsed.0.work().unwrap().files(4);
    assert_eq!(files.iter().map(|file| file.path).collect::<Vec<_>>(), ["/w/new.txt"]);
    assert_eq!(parsed.0.context_steps(5), Some(vec![1, 2, 3, 4, 5]));
    // Versions before 1.0 name the session of the shell.
    let named = |text: &str| text.replace("\"command\"", "\"sessionId\":\"s\",\"command\"");
    let (a, c) = (named(&a), named(&c));
    let parsed = lines(&COPILOT, &events(&[BEGIN, (start, &a), (end, &b), (start, &c), (end, &d)]));
    assert_eq!(parsed.0.work().unwrap().files(4)[0].path, "/w/sub/new.txt");
}
