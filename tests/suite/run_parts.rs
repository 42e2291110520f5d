//! A run of several files: a sub-agent's file beside a session, the way into it and back, what is missing.

use super::command::obelus;
use obelus::shell::headless::Stage;
use obelus::source::{Input, Listing, session_places};
use obelus::ui::Theme;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A line of the session `s1`.
fn line(members: &str) -> String {
    format!(r#"{{"isSidechain":false,"sessionId":"s1","version":"2.1.0","cwd":"/w",{members}}}"#) + "\n"
}

fn agent_line(text: &str) -> String {
    let members = format!(r#""agentId":"a7","type":"user","uuid":"x","message":{{"role":"user","content":"{text}"}}"#);
    line(&members).replace("\"isSidechain\":false", "\"isSidechain\":true")
}

/// A session with a task, and the file of its sub-agent.
fn session(root: &Path) -> (PathBuf, PathBuf) {
    let main = [
        line(r#""type":"user","uuid":"u1","message":{"role":"user","content":"go"}"#),
        line(
            r#""type":"assistant","uuid":"u2","parentUuid":"u1","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Task","input":{"prompt":"look"}}]}"#,
        ),
        line(
            r#""type":"user","uuid":"u3","parentUuid":"u2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"Done."}]},"toolUseResult":{"agentId":"a7"}"#,
        ),
    ];
    let (open, agent) = (root.join("s1.jsonl"), root.join("s1/subagents/agent-a7.jsonl"));
    fs::create_dir_all(agent.parent().unwrap()).unwrap();
    fs::write(&open, main.concat()).unwrap();
    fs::write(&agent, agent_line("look")).unwrap();
    (open, agent)
}

#[test]
fn a_key_leads_into_the_run_of_a_sub_agent_and_q_back_to_its_call() {
    let folder = tempfile::tempdir().unwrap();
    let (open, _) = session(folder.path());
    let input = Input::open(&open).unwrap();
    let mut stage = Stage::open(input, None, (100, 20), Theme::built_in("dark").unwrap()).unwrap();
    stage.press("P").unwrap();
    assert!(stage.app.notice.as_ref().unwrap().text.contains("refers to no other file"));
    for back in ["q", "Backspace"] {
        stage.app.jump_to(1);
        assert!(super::stage::screen(&stage).contains("P opens the run of a sub-agent: agent-a7.jsonl"));
        stage.press("P").unwrap();
        assert!(
            stage.app.session.name.ends_with("s1.jsonl › agent-a7.jsonl") || stage.app.session.name.contains(" › ")
        );
        assert_eq!(stage.app.session.open().unwrap().count(), 1);
        super::stage::shows(&stage, &["q goes back to s1.jsonl"]);
        stage.press(back).unwrap();
        assert!(!stage.app.session.name.contains(" › "), "{}", stage.app.session.name);
        assert_eq!((stage.app.session.open().unwrap().count(), stage.app.session.focus.step), (3, 1));
    }
}

/// A session with a workflow of two agents: its file, and the journal.
fn session_of_a_workflow(root: &Path) -> (PathBuf, PathBuf) {
    let folder = root.join("s1/subagents/workflows/wf_1");
    let details =
        format!(r#"{{"status":"async_launched","runId":"wf_1","transcriptDir":"{}"}}"#, "/far/workflows/wf_1");
    let main = [
        line(
            r#""type":"assistant","uuid":"u2","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Workflow","input":{"script":"agent()"}}]}"#,
        ),
        line(&format!(
            r#""type":"user","uuid":"u3","parentUuid":"u2","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t1","content":"Launched."}}]}},"toolUseResult":{details}"#
        )),
    ];
    let key = |digit: &str| format!("v2:{}", digit.repeat(64));
    let started = |agent: &str, digit: &str| {
        format!(r#"{{"type":"started","key":"{}","agentId":"{agent}","label":"look"}}"#, key(digit)) + "\n"
    };
    let journal = ["{\"type\":\"launched\"}\n", &started("a7", "1"), &started("a8", "2")].concat();
    fs::create_dir_all(&folder).unwrap();
    let (open, at) = (root.join("s1.jsonl"), folder.join("journal.jsonl"));
    fs::write(&open, main.concat()).unwrap();
    fs::write(&at, journal).unwrap();
    let spent = r#""agentId":"a7","type":"assistant","uuid":"x","message":{"id":"n","role":"assistant","content":"Done.","usage":{"input_tokens":3,"output_tokens":5}}"#;
    fs::write(folder.join("agent-a7.jsonl"), line(spent)).unwrap();
    fs::write(folder.join("agent-a8.jsonl"), line(&spent.replace("a7", "a8"))).unwrap();
    (open, at)
}

#[test]
fn agents_of_a_workflow_are_reached_by_its_journal_and_their_spend_counts() {
    let folder = tempfile::tempdir().unwrap();
    let (open, journal) = session_of_a_workflow(folder.path());
    let input = Input::open(&open).unwrap();
    let mut stage = Stage::open(input, None, (100, 20), Theme::built_in("dark").unwrap()).unwrap();
    stage.app.jump_to(1);
    super::stage::shows(&stage, &["P opens the run of a sub-agent: journal.jsonl"]);
    stage.press("P").unwrap();
    stage.app.jump_to(2);
    super::stage::shows(&stage, &["P opens the run of a sub-agent: agent-a8.jsonl"]);
    let (_, stats, stderr) = obelus(&["stats", open.to_str().unwrap(), "--json"]);
    assert!(stats.contains(r#""output":10"#), "{stats}{stderr}");
    fs::remove_file(&journal).unwrap();
    let (_, found, _) = obelus(&["check", open.to_str().unwrap(), "--json"]);
    assert_eq!(found.matches("run.part-missing").count(), 1, "{found}");
}

#[test]
fn a_step_that_refers_to_several_files_opens_them_in_turn() {
    let folder = tempfile::tempdir().unwrap();
    let agent = |id: &str| {
        format!(
            r#"{{"schema_version":"ATIF-v1.6","trajectory_id":"{id}","session_id":"s","agent":{{"name":"a","version":"1"}},"steps":[{{"step_id":1,"source":"agent","message":"ok"}}]}}"#
        )
    };
    let refers = r#","tool_calls":[{"tool_call_id":"c","function_name":"delegate","arguments":{}}],"observation":{"results":[{"source_call_id":"c","content":"ok","subagent_trajectory_ref":[{"trajectory_id":"b","trajectory_path":"b.json"},{"trajectory_id":"c","trajectory_path":"c.json"}]}]}"#;
    let main = agent("main").replace(r#""message":"ok""#, &format!(r#""message":"ok"{refers}"#));
    let open = folder.path().join("main.json");
    fs::write(&open, main).unwrap();
    fs::write(folder.path().join("b.json"), agent("b")).unwrap();
    fs::write(folder.path().join("c.json"), agent("c")).unwrap();
    let input = Input::open(&open).unwrap();
    let mut stage = Stage::open(input, None, (100, 20), Theme::built_in("dark").unwrap()).unwrap();
    for file in ["1 of 2: b.json", "2 of 2: c.json", "1 of 2: b.json"] {
        super::stage::shows(&stage, &[&format!("P opens the run of a sub-agent, {file}")]);
        stage.press("P").unwrap();
        stage.press("q").unwrap();
    }
}

#[test]
fn a_part_that_is_not_there_or_says_that_it_is_another_is_found_once() {
    let folder = tempfile::tempdir().unwrap();
    let (open, agent) = session(folder.path());
    let rules = || {
        let (_, stdout, stderr) = obelus(&["check", open.to_str().unwrap(), "--json"]);
        assert_eq!(stderr, "");
        stdout.matches("run.part-missing").count()
    };
    assert_eq!(rules(), 0);
    fs::write(&agent, agent_line("look").replace("a7", "b8")).unwrap();
    assert_eq!(rules(), 1);
    fs::remove_file(&agent).unwrap();
    assert_eq!(rules(), 1);
}

#[test]
fn of_two_files_of_one_part_the_nearest_is_read_and_a_difference_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (open, agent) = session(folder.path());
    let other = folder.path().join("s1/subagents/old/agent-a7.jsonl");
    fs::create_dir_all(other.parent().unwrap()).unwrap();
    let found = || {
        let (_, out, _) = obelus(&["check", open.to_str().unwrap(), "--json"]);
        out.matches("run.part-missing").count()
    };
    fs::copy(&agent, &other).unwrap();
    assert_eq!(found(), 0, "a copy is the same part");
    fs::write(&other, agent_line("look again")).unwrap();
    assert_eq!(found(), 1);
    // One that says that it is another agent's is not the part, wherever it lies.
    fs::write(&agent, agent_line("look").replace("a7", "a8")).unwrap();
    assert_eq!(found(), 0, "the other file is it");
}

#[test]
fn what_a_run_spent_is_reported_alone_and_with_its_sub_agents() {
    let folder = tempfile::tempdir().unwrap();
    let (open, agent) = session(folder.path());
    let spend = |text: String, output: u32| {
        text.replace(
            r#""role":"assistant","#,
            &format!(r#""role":"assistant","usage":{{"input_tokens":3,"output_tokens":{output}}},"#),
        )
    };
    fs::write(&open, spend(fs::read_to_string(&open).unwrap(), 10)).unwrap();
    let answer = agent_line("x")
        .replace(r#""type":"user""#, r#""type":"assistant""#)
        .replace(r#""role":"user""#, r#""id":"a","role":"assistant""#);
    fs::write(&agent, agent_line("look") + &spend(answer, 7)).unwrap();
    let stats = || {
        let (_, stdout, _) = obelus(&["stats", open.to_str().unwrap(), "--json"]);
        let line: serde_json::Value = serde_json::from_str(stdout.lines().next().unwrap()).unwrap();
        (line["spent"]["output"].clone(), line["with_parts"].clone())
    };
    let (own, all) = stats();
    assert_eq!((own.as_u64(), all["spent"]["output"].as_u64()), (Some(10), Some(17)));
    assert_eq!((all["sub_agents"].as_u64(), all["missing"].as_u64()), (Some(1), Some(0)));
    fs::remove_file(&agent).unwrap();
    let (own, all) = stats();
    assert_eq!((own.as_u64(), all["spent"]["output"].as_u64()), (Some(10), Some(10)));
    assert_eq!((all["sub_agents"].as_u64(), all["missing"].as_u64()), (Some(0), Some(1)));
}

#[test]
fn the_sessions_of_agents_are_listed_by_project_without_their_parts() {
    let root = tempfile::tempdir().unwrap();
    let project = root.path().join("home/.claude/projects/-srv-app");
    fs::create_dir_all(&project).unwrap();
    session(&project);
    let home = root.path().join("home").into_os_string();
    let places = session_places(&|name| (name == "HOME").then(|| home.clone()), root.path());
    let change = Listing::of_places(places, |_| false, |_| false).look(SystemTime::now()).unwrap();
    let names: Vec<&str> = change.changed.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["srv-app/s1"]);
    let (status, _, stderr) = obelus(&["--latest", "nobody"]);
    assert!(status != 0 && stderr.contains("claude"), "{stderr}");
}
