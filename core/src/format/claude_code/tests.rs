//! Sessions as runs: steps, state, branches, parts.

use super::ClaudeCode;
use crate::format::{Format, Run, ViewAnchor, ViewLimit};
use crate::model::{Bytes, PartRole, PartState, Place, Problem, Record, RecordBody, Span, Standing, StepNo};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A line of the session `s1` with these members.
fn line(members: &str) -> String {
    format!(r#"{{"isSidechain":false,"sessionId":"s1","version":"2.1.0","cwd":"/w","gitBranch":"main",{members}}}"#)
}

/// Feeds lines to a run.
fn read(lines: &[String]) -> (Box<dyn Run>, Vec<u8>) {
    let bytes = lines.join("\n").into_bytes();
    let mut run = ClaudeCode.run();
    let mut offset = 0;
    for (number, text) in lines.iter().enumerate() {
        let span = Span { offset, len: text.len() as u64 };
        let place = Place { span, line: number as u64 + 1 };
        run.push(&Record { number, place, body: RecordBody::Text, is_row: false }, text.as_bytes(), &bytes);
        offset = span.end() + 1;
    }
    run.finish(&bytes);
    (run, bytes)
}

/// Kinds and roles of all steps, as `message/user`.
fn kinds(run: &dyn Run, bytes: &Vec<u8>) -> Vec<String> {
    let steps = (0..run.step_count()).map(|step| run.step(StepNo::try_from(step).unwrap(), bytes));
    steps.map(|step| format!("{}/{}", step.kind, step.role.name())).collect()
}

fn state(run: &dyn Run, bytes: &Vec<u8>) -> String {
    let last = StepNo::try_from(run.step_count()).unwrap() - 1;
    run.state(last, bytes).iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
}

const ASKED: &str = r#""type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"go"}"#;

/// A record of the model's message `m1`.
fn answer(uuid: &str, parent: &str, block: &str, output: u32) -> String {
    line(&format!(
        r#""type":"assistant","uuid":"{uuid}","parentUuid":"{parent}","requestId":"r1","message":{{"id":"m1","role":"assistant","model":"claude-opus-5","content":[{block}],"usage":{{"input_tokens":10,"output_tokens":{output}}}}}"#
    ))
}

#[test]
fn blocks_are_steps_and_other_lines_are_state() {
    let lines = [
        line(ASKED),
        answer("a1", "u1", r#"{"type":"thinking","thinking":"hm"},{"type":"text","text":"Yes."}"#, 2),
        answer("a2", "a1", r#"{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}"#, 20),
        line(
            r#""type":"user","uuid":"u2","parentUuid":"a2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a.txt"}]},"toolUseResult":{"stdout":"a.txt"}"#,
        ),
        line(
            r#""type":"attachment","uuid":"q","parentUuid":"u2","attachment":{"type":"queued_command","prompt":"and b"}"#,
        ),
        line(r#""type":"system","subtype":"turn_duration","uuid":"d","parentUuid":"q","durationMs":5"#),
        line(r#""type":"user","uuid":"e","parentUuid":"d","message":"plain""#),
        line(
            r#""type":"assistant","uuid":"f","parentUuid":"e","isApiErrorMessage":true,"message":{"id":"x","model":"<synthetic>","role":"assistant","content":[{"type":"text","text":"API Error: 529"}]}"#,
        ),
        r#"{"type":"brand-new","sessionId":"s1"}"#.to_owned(),
        "[1]".to_owned(),
        "{".to_owned(),
    ];
    let (run, bytes) = read(&lines);
    let expected = [
        "message/user",
        "thought/agent",
        "message/agent",
        "tool-call/agent",
        "tool-result/environment",
        "message/user",
        "state/system",
        "message/user",
        "message/agent",
        "state/system",
    ];
    assert_eq!(kinds(run.as_ref(), &bytes), expected);
    let step = |number| run.step(number, &bytes);
    assert_eq!(step(4).answers, Some(3));
    assert_eq!((step(5).summary, step(6).class), ("and b".to_owned(), Some("turn_duration".to_owned())));
    assert_eq!(step(9).class, Some("brand-new".to_owned()));
    assert_eq!((step(1).tokens, step(2).tokens, step(3).tokens), (Some(2), None, Some(18)));
    assert_eq!(run.error_steps(), [8]);
    let rules: Vec<(usize, &str)> = run.findings().iter().map(|found| (found.record, found.rule)).collect();
    assert!(rules.contains(&(9, "data.invalid-json")) && rules.contains(&(10, "data.invalid-json")), "{rules:?}");
}

#[test]
fn an_exact_copy_counts_once_and_another_text_of_its_id_does_not() {
    let other = ASKED.replace("go", "stop");
    let (run, bytes) = read(&[line(ASKED), line(ASKED), line(&other), line(&other)]);
    assert_eq!(kinds(run.as_ref(), &bytes), ["message/user", "message/user"]);
}

#[test]
fn usage_of_a_message_is_its_greatest_and_members_are_state_when_they_change() {
    let lines = [
        line(ASKED),
        answer("a1", "u1", r#"{"type":"text","text":"A"}"#, 3),
        answer("a2", "a1", r#"{"type":"text","text":"B"}"#, 30),
        r#"{"type":"file-history-snapshot","messageId":"u1","snapshot":{"messageId":"u1","trackedFileBackups":{"a":{"version":1}}}}"#.to_owned(),
        r#"{"type":"file-history-delta","snapshotMessageId":"u1","trackingPath":"b","backup":{"version":2}}"#.to_owned(),
        r#"{"type":"file-history-delta","messageId":"z","trackingPath":"c","backup":{"version":3}}"#.to_owned(),
        line(r#""type":"system","subtype":"info","uuid":"i","permissionMode":"plan""#).replace("main", "fix"),
    ];
    let (run, bytes) = read(&lines);
    let state = state(run.as_ref(), &bytes);
    for wanted in [
        r#""output":30"#,
        r#""input":10"#,
        r#""gitBranch":"fix""#,
        r#""permissionMode":"plan""#,
        r#""u1":{"a":{"version":1},"b":{"version":2},"c":{"version":3}}"#,
    ] {
        assert!(state.replace(": ", ":").contains(wanted), "{wanted} in {state}");
    }
}

#[test]
fn a_summary_is_a_title_only_of_the_session_that_has_its_record() {
    let summary = |text: &str, leaf: &str| format!(r#"{{"type":"summary","summary":"{text}","leafUuid":"{leaf}"}}"#);
    let title = |lines: &[String]| read(lines).0.title();
    assert_eq!(title(&[summary("Another", "far"), line(ASKED)]), None);
    assert_eq!(title(&[summary("Mine", "u1"), line(ASKED)]).as_deref(), Some("Mine"));
    let named = r#"{"type":"custom-title","customTitle":"Chosen"}"#.to_owned();
    assert_eq!(title(&[line(ASKED), named, summary("Mine", "u1")]).as_deref(), Some("Chosen"));
}

#[test]
fn branches_that_were_left_and_sub_agents_are_distinguished() {
    let task = r#"{"type":"tool_use","id":"t1","name":"Task","input":{"prompt":"find it"}}"#;
    let lines = [
        line(ASKED),
        line(r#""type":"user","uuid":"old","parentUuid":"u1","message":{"role":"user","content":"first try"}"#),
        line(r#""type":"user","uuid":"new","parentUuid":"u1","message":{"role":"user","content":"second try"}"#),
        answer("a1", "new", task, 5),
        line(r#""type":"user","uuid":"s1","parentUuid":null,"message":{"role":"user","content":"find it"}"#)
            .replace("\"isSidechain\":false", "\"isSidechain\":true"),
    ];
    let (run, bytes) = read(&lines);
    let standings: Vec<Standing> = (0..5).map(|step| run.step(step, &bytes).standing).collect();
    use Standing::{Abandoned, Main, SubAgent};
    assert_eq!(standings, [Main, Abandoned, Main, Main, SubAgent]);
    assert_eq!(run.step(4, &bytes).caller, Some(3));
    let seen: Vec<StepNo> = run.view(3, &bytes).iter().map(|entry| entry.step).collect();
    assert_eq!(seen, [0, 2, 3]);
    let seen: Vec<StepNo> = run.view(4, &bytes).iter().map(|entry| entry.step).collect();
    assert_eq!(seen, [4]);
}

/// Bytes, and how many of them were read.
struct CountedBytes(Vec<u8>, AtomicU64);

impl Bytes for CountedBytes {
    fn read(&self, span: Span) -> Result<Vec<u8>, Problem> {
        self.1.fetch_add(span.len, Ordering::Relaxed);
        self.0.read(span)
    }
}

#[test]
fn of_a_long_context_only_the_end_is_read() {
    let prompt = |at: usize| {
        let text = format!("prompt {at} {}", "word ".repeat(100));
        let parent = if at == 0 { "null".to_owned() } else { format!("\"u{}\"", at - 1) };
        let message = format!(r#"{{"role":"user","content":"{text}"}}"#);
        line(&format!(r#""type":"user","uuid":"u{at}","parentUuid":{parent},"message":{message}"#))
    };
    let (run, bytes) = read(&(0..500).map(prompt).collect::<Vec<_>>());
    let bytes = CountedBytes(bytes, AtomicU64::new(0));
    let part = run.view_list(499, &bytes).part(ViewAnchor::End, ViewLimit { entries: 10, bytes: 1 << 20 });
    assert_eq!((part.range, part.entries.len(), part.entries[0].1.step), (490..500, 10, 490));
    let read = bytes.1.swap(0, Ordering::Relaxed);
    assert_eq!(run.view_list(499, &bytes).all(), run.view(499, &bytes.0));
    assert!(read < bytes.1.load(Ordering::Relaxed) / 40, "{read}");
}

/// A session that refers to the file of a sub-agent and to the output of a tool.
fn with_parts() -> [String; 3] {
    let result = |id: &str, more: &str| {
        let content = "<persisted-output>\\nOutput too large. Full output saved to: /far/tool-results/x.txt\\n";
        let content = if id == "t2" { content } else { "Found." };
        line(&format!(
            r#""type":"user","uuid":"{id}","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"{content}"}}]}}{more}"#
        ))
    };
    [line(ASKED), result("t1", r#","toolUseResult":{"agentId":"a7"}"#), result("t2", "")]
}

#[test]
fn files_of_sub_agents_and_of_long_outputs_are_named_and_a_missing_one_is_found() {
    let (mut run, bytes) = read(&with_parts());
    let parts: Vec<_> = run.parts().iter().map(|p| (p.role, p.folder, p.file.clone(), p.step)).collect();
    let expected = [
        (PartRole::SubAgent, "subagents", "agent-a7.jsonl".to_owned(), Some(1)),
        (PartRole::Output, "tool-results", "x.txt".to_owned(), Some(2)),
    ];
    assert_eq!(parts, expected);
    let output = b"all of it".to_vec();
    let found =
        PartState::Found { path: "x.txt".into(), len: output.len() as u64, bytes: Arc::new(output), other: None };
    run.attach(vec![PartState::Missing, found]);
    let rules: Vec<_> = run.findings().iter().map(|found| (found.record, found.step, found.rule)).collect();
    assert!(rules.contains(&(1, Some(1), "run.part-missing")), "{rules:?}");
    assert_eq!(rules.iter().filter(|(.., rule)| *rule == "run.part-missing").count(), 1);
    assert_eq!(run.step(2, &bytes).summary, "all of it");
    assert!(matches!(run.part_states(), [PartState::Missing, PartState::Found { .. }]));
}

#[test]
fn cut_and_changed_sessions_are_read_without_a_fault() {
    let text = [with_parts().as_slice(), &super::SESSION.lines().map(str::to_owned).collect::<Vec<_>>()].concat();
    let text = text.join("\n");
    let check = |text: &str| {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let (run, bytes) = read(&lines);
        let _described = (kinds(run.as_ref(), &bytes), state(run.as_ref(), &bytes), run.findings());
    };
    for end in (0..text.len()).step_by(7) {
        check(&text[..end]);
        for byte in ["\"", "{", "0", "]"] {
            check(&format!("{}{byte}{}", &text[..end], &text[end + 1..]));
        }
    }
}

#[test]
fn lines_of_the_user_carry_the_todo_list() {
    let asked = |uuid: &str, more: &str| {
        line(&format!(r#""type":"user","uuid":"{uuid}","message":{{"role":"user","content":"go"}}{more}"#))
    };
    let item = |text: &str, status: &str| format!(r#"{{"content":"{text}","status":"{status}","activeForm":"x"}}"#);
    let two = format!(r#","todos":[{},{}]"#, item("one", "in_progress"), item("two", "pending"));
    let one = format!(r#","todos":[{}]"#, item("one", "completed"));
    let side = asked("u4", r#","todos":[]"#).replace("\"isSidechain\":false", "\"isSidechain\":true");
    let (run, bytes) =
        read(&[asked("u1", &two), asked("u2", ""), asked("u3", &one), side, asked("u5", r#","todos":[]"#)]);
    let todo = |step: StepNo| crate::format::log::testing::state_of(run.as_ref(), &bytes, "todo", step);
    let both = r#"{"one":{"text":"one","status":"in_progress"},"two":{"text":"two","status":"pending"}}"#;
    assert_eq!([todo(0), todo(1)], [both, both]);
    let done = r#"{"one":{"text":"one","status":"completed"}}"#;
    assert_eq!([todo(2), todo(3)], [done, done], "the list of a sub-agent is its own");
    assert_eq!(todo(4), "{}");
}

#[test]
fn a_text_with_a_lone_surrogate_is_read_and_found() {
    let cut = r#""type":"user","uuid":"u1","message":{"role":"user","content":"cut \ud83d here"}"#;
    let (run, bytes) = read(&[line(cut)]);
    assert_eq!(run.step_count(), 1);
    assert_eq!(run.step(0, &bytes).summary, "cut \u{FFFD} here");
    let found: Vec<_> = run.findings().iter().map(|found| (found.rule, found.message.contains("surrogate"))).collect();
    assert_eq!(found, [("data.invalid-json", true)]);
}

#[test]
fn a_notice_in_place_of_an_output_is_not_the_text_of_a_file() {
    let state_after = |text: &str| {
        let asked = r#"{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cat a.txt"}}"#;
        let result = format!(
            r#""type":"user","uuid":"u2","parentUuid":"a1","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t1","content":"{text}"}}]}}"#
        );
        let (run, bytes) = read(&[line(ASKED), answer("a1", "u1", asked, 2), line(&result)]);
        state(run.as_ref(), &bytes)
    };
    assert!(state_after("one").contains("a.txt"));
    let notice = r"<persisted-output>\nOutput too large (1.2MB). Full output saved to: /w/x.txt\n\nPreview (first 2KB):\none\n</persisted-output>";
    assert!(!state_after(notice).contains("/w/a.txt"), "{}", state_after(notice));
}

#[test]
fn a_result_says_what_the_todo_list_is_now() {
    let write =
        r#"{"type":"tool_use","id":"t","name":"TodoWrite","input":{"todos":[{"content":"one","status":"pending"}]}}"#;
    let result = line(
        r#""type":"user","uuid":"u2","parentUuid":"a1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]},"toolUseResult":{"oldTodos":[],"newTodos":[{"content":"two","status":"completed","activeForm":"x"}]}"#,
    );
    let (run, bytes) = read(&[line(ASKED), answer("a1", "u1", write, 2), result]);
    let todo = |step: StepNo| crate::format::log::testing::state_of(run.as_ref(), &bytes, "todo", step);
    assert_eq!([todo(1), todo(2)], [String::new(), r#"{"two":{"text":"two","status":"completed"}}"#.to_owned()]);
}

#[test]
fn the_run_of_a_sub_agent_inside_the_file_is_not_missed() {
    let task = r#"{"type":"tool_use","id":"t","name":"Task","input":{"prompt":"look","subagent_type":"x"}}"#;
    let side = |words: &str| {
        line(&format!(
            r#""type":"user","uuid":"s1","parentUuid":null,"agentId":"abc","message":{{"role":"user","content":"{words}"}}"#
        ))
        .replace("\"isSidechain\":false", "\"isSidechain\":true")
    };
    let result = line(
        r#""type":"user","uuid":"u2","parentUuid":"a1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"seen"}]},"toolUseResult":{"agentId":"abc"}"#,
    );
    for (words, is_missed) in [("look", false), ("look, in other words", false), ("", true)] {
        let mut lines = vec![line(ASKED), answer("a1", "u1", task, 2), result.clone()];
        if !is_missed {
            lines.insert(2, side(words));
        }
        let (run, bytes) = read(&lines);
        assert_eq!(run.parts().len(), usize::from(is_missed), "{words}");
        assert_eq!(run.step(2, &bytes).caller, (!is_missed).then_some(1), "{words}");
    }
    let (run, bytes) = read(&[line(ASKED), side("look"), answer("a1", "u1", task, 2), result]);
    assert_eq!((run.parts().len(), run.step(1, &bytes).caller), (0, Some(2)), "the call is logged late");
}

/// A line about the session, which has no place in the tree.
fn aside(members: &str) -> String {
    format!(r#"{{"sessionId":"s1",{members}}}"#)
}

#[test]
fn lines_about_the_session_report_its_cost_and_where_it_goes_on() {
    let cost = |total: &str| {
        aside(&format!(r#""type":"cost-state","totalCostUSD":{total},"modelUsage":{{"m":{{"costUSD":{total}}}}}"#))
    };
    let worktree = |session: &str| aside(&format!(r#""type":"worktree-state","worktreeSession":{session}"#));
    let lines = [
        line(ASKED),
        cost("0.25"),
        worktree(r#"{"worktreePath":"/w/t"}"#),
        cost("0.5"),
        worktree("null"),
        aside(r#""type":"continued-in","continuedInSessionId":"s-2""#),
    ];
    let (run, bytes) = read(&lines);
    let state = state(run.as_ref(), &bytes).replace(": ", ":");
    assert!(state.contains(r#""cost":0.5"#) && state.contains(r#""continuedIn":"s-2""#), "{state}");
    assert!(!state.contains("worktree"), "the session left it: {state}");
    let parts: Vec<_> = run.parts().iter().map(|part| (part.role, part.file.as_str(), part.step)).collect();
    assert_eq!(parts, [(PartRole::Continuation, "s-2.jsonl", Some(5))]);
}

#[test]
fn the_model_sees_what_attachments_say_they_sent() {
    let attached = |id: u32, attachment: &str, more: &str| {
        let parent = id - 1;
        line(&format!(r#""type":"attachment","uuid":"u{id}","parentUuid":"u{parent}","attachment":{attachment}{more}"#))
    };
    let snapshot = |text: &str| format!(r#"{{"type":"prompt_snapshot","systemPrompt":["{text}","Be brief."]}}"#);
    let sent = r#","rendered":[{"content":"<env>"},{"content":[{"type":"text","text":"x"}]}],"renderedRole":"user""#;
    let lines = [
        line(ASKED),
        attached(2, &snapshot("One."), ""),
        attached(3, r#"{"type":"environment","cwd":"/w"}"#, sent),
        attached(4, r#"{"type":"command_permissions","allowedTools":[]}"#, ""),
        attached(5, &snapshot("One."), ""),
        attached(6, &snapshot("Two."), ""),
    ];
    let (run, bytes) = read(&lines);
    assert_eq!(run.context_steps(4), Some(vec![0, 1, 2]), "a prompt that is repeated is not there twice");
    assert_eq!(run.context_steps(5), Some(vec![0, 2, 5]));
    let prompt = |step| format!("{:?}", run.prompt(step, &bytes).unwrap());
    assert!(prompt(1).contains("One.\\nBe brief.") && prompt(1).contains("System"), "{}", prompt(1));
    assert!(prompt(2).contains("<env>\\nx") && prompt(2).contains("User"), "{}", prompt(2));
    assert_eq!((run.prompt(3, &bytes).is_none(), run.step(2, &bytes).summary.as_str()), (true, "<env>\nx"));
}

#[test]
fn the_file_of_a_fork_is_known_by_its_first_line() {
    use crate::json;
    let first = r#"{"type":"fork-context-ref","agentId":"a1","parentSessionId":"s1","parentLastUuid":"u1"}"#;
    let record = json::parse(first).unwrap();
    assert_eq!(ClaudeCode.identity(&[record]), Some("s1/a1".to_owned()));
}

#[test]
fn a_file_that_the_program_attached_is_known_and_no_call() {
    let attached = line(
        r#""type":"attachment","uuid":"u2","parentUuid":"u1","attachment":{"type":"file","filename":"/w/a.txt","content":{"type":"text","file":{"filePath":"/w/a.txt","content":"one","numLines":1,"startLine":1,"totalLines":1}}}"#,
    );
    let (run, bytes) = read(&[line(ASKED), attached]);
    assert!(state(run.as_ref(), &bytes).contains("/w/a.txt"));
    assert_eq!(run.work().map(|work| work.tools().count()), Some(0));
}

#[test]
fn a_span_that_was_collapsed_is_a_summary_to_the_model() {
    let asked = |id: &str, parent: &str| {
        let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
        line(&format!(
            r#""type":"user","uuid":"{id}","parentUuid":{parent},"message":{{"role":"user","content":"{id}"}}"#
        ))
    };
    let commit = |first: &str, last: &str, id: &str| {
        format!(
            r#"{{"type":"marble-origami-commit","sessionId":"s","collapseId":"1","summaryUuid":"{id}","summaryContent":"<collapsed>{id}</collapsed>","summary":"{id}","firstArchivedUuid":"{first}","lastArchivedUuid":"{last}"}}"#
        )
    };
    let lines = [
        asked("u1", ""),
        asked("u2", "u1"),
        asked("u3", "u2"),
        commit("u1", "u2", "c1"),
        asked("u4", "u3"),
        commit("c1", "u3", "c2"),
        commit("gone", "u4", "c3"),
        line(r#""type":"system","subtype":"compact_boundary","uuid":"b","parentUuid":null,"logicalParentUuid":"u4""#),
        asked("u5", "b"),
    ];
    let (run, bytes) = read(&lines);
    assert_eq!(run.context_steps(2), Some(vec![0, 1, 2]));
    assert_eq!(run.context_steps(4), Some(vec![2, 3, 4]));
    assert_eq!(run.context_steps(6), Some(vec![4, 5]), "a span may begin with a summary");
    assert_eq!(run.context_steps(8), Some(vec![8]), "a compaction is in the place of all summaries");
    let prompt = format!("{:?}", run.prompt(5, &bytes).unwrap());
    assert!(prompt.contains("<collapsed>c2</collapsed>"), "{prompt}");
}

#[test]
fn a_reset_takes_back_what_was_collapsed() {
    let asked =
        |id: &str| line(&format!(r#""type":"user","uuid":"{id}","message":{{"role":"user","content":"{id}"}}"#));
    let commit = |first: &str, last: &str, id: &str| {
        format!(
            r#"{{"type":"marble-origami-commit","sessionId":"s","summaryUuid":"{id}","summaryContent":"{id}","firstArchivedUuid":"{first}","lastArchivedUuid":"{last}"}}"#
        )
    };
    let lines = [
        asked("u1"),
        asked("u2").replace("\"version\"", "\"parentUuid\":\"u1\",\"version\""),
        commit("u1", "u1", "c1"),
        commit("c1", "u2", "c2"),
        r#"{"type":"marble-origami-reset","sessionId":"s","reason":"rewind"}"#.to_owned(),
        commit("c2", "u2", "c3"),
        commit("u2", "u2", "c4"),
    ];
    let (run, _) = read(&lines);
    assert_eq!(run.context_steps(3), Some(vec![3]));
    assert_eq!(run.context_steps(4), Some(vec![0, 1]));
    assert_eq!(run.context_steps(5), Some(vec![0, 1]), "a summary that is gone begins no span");
    assert_eq!(run.context_steps(6), Some(vec![0, 6]));
}

#[test]
fn copies_of_another_session_cost_nothing() {
    let copied = |line: String| line.replacen('{', r#"{"forkedFrom":{"sessionId":"old","messageUuid":"m"},"#, 1);
    let lines = [
        copied(line(ASKED)),
        copied(answer("a1", "u1", r#"{"type":"text","text":"A"}"#, 3)),
        answer("a2", "a1", r#"{"type":"text","text":"B"}"#, 30).replace("m1", "m2").replace("r1", "r2"),
    ];
    let (run, bytes) = read(&lines);
    let state = state(run.as_ref(), &bytes).replace(": ", ":");
    for wanted in [r#""output":30"#, r#""input":10"#, r#""turns":1"#, r#""forkedFrom":"old""#] {
        assert!(state.contains(wanted), "{wanted} in {state}");
    }
}

#[test]
fn a_summary_is_where_its_span_begins_also_in_the_place_of_another() {
    let asked = |id: &str, parent: &str| {
        line(&format!(
            r#""type":"user","uuid":"{id}","parentUuid":"{parent}","message":{{"role":"user","content":"{id}"}}"#
        ))
    };
    let commit = |first: &str, last: &str, id: &str| {
        format!(
            r#"{{"type":"marble-origami-commit","sessionId":"s","summaryUuid":"{id}","summaryContent":"{id}","firstArchivedUuid":"{first}","lastArchivedUuid":"{last}"}}"#
        )
    };
    let lines = [
        asked("u0", ""),
        asked("u1", "u0"),
        asked("u2", "u1"),
        commit("u0", "u1", "c1"),
        commit("c1", "c1", "c2"),
        commit("u2", "u0", "backwards"),
        commit("u1", "u2", "c3"),
        commit("u1", "u2", "c3"),
    ];
    let (run, bytes) = read(&lines);
    let seen = |step| run.view(step, &bytes).iter().map(|entry| entry.step).collect::<Vec<_>>();
    assert_eq!((seen(3), seen(4)), (vec![3, 2], vec![4, 2]));
    assert_eq!(seen(5), [4, 2], "a span that ends before it begins is none");
    assert_eq!((seen(6), seen(7)), (vec![4, 6], vec![4, 7]), "spans that meet, and a copy");
}

#[test]
fn what_another_agent_of_a_team_says_is_not_the_users() {
    let from_team = r#"<teammate-message teammate_id=\"b\">done</teammate-message>"#;
    let (run, bytes) = read(&[line(ASKED), line(&ASKED.replace("u1", "u2").replace("go", from_team))]);
    let is_injected = |step| run.turn(step, &bytes).unwrap().is_injected;
    assert_eq!([is_injected(0), is_injected(1)], [false, true]);
}
