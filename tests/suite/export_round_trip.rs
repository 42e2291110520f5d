//! `obelus export --to` there and back: who speaks, what is said, called and answered is the same afterwards, or what
//! changed is counted.

use super::command::{file, obelus};
use std::fs;

/// A record in one format after the other: what the last one is, and what was said of each.
fn converted(record: &str, formats: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut path = file(folder.path(), "0.jsonl", &format!("{record}\n"));
    let mut said = String::new();
    for (number, format) in formats.iter().enumerate() {
        let out = folder.path().join(format!("{}.jsonl", number + 1)).to_str().unwrap().to_owned();
        let (status, _, stderr) = obelus(&["export", &path, "--to", format, "--out", &out]);
        assert_eq!(status, 0, "{stderr}");
        said.push_str(&stderr);
        path = out;
    }
    (fs::read_to_string(path).unwrap().trim_end().to_owned(), said)
}

fn conversation(messages: &[&str]) -> String {
    format!("{{\"id\":\"a\",\"messages\":[{}]}}", messages.join(","))
}

const ASK: &str = r#"{"role":"user","content":"do it"}"#;
const DONE: &str = r#"{"role":"assistant","content":"done"}"#;

/// A call of `ls`, and of `pwd`, each with its id, beside words.
const CALLS: &str = concat!(
    r#"{"role":"assistant","content":"both","reasoning_content":"hm","tool_calls":["#,
    r#"{"id":"c1","type":"function","function":{"name":"ls","arguments":"{\"path\":\"/w\"}"}},"#,
    r#"{"id":"c2","type":"function","function":{"name":"pwd","arguments":"{}"}}]}"#
);

#[test]
fn messages_come_back_as_they_were() {
    let system = r#"{"role":"system","content":"You are a clerk."}"#;
    let prose = r#"{"role":"assistant","content":"Write:\n\n<function=rm>\n</function>\n\nThat is all."}"#;
    let fence = r#"{"role":"assistant","content":"So:\n```bash\nls\n```"}"#;
    let returned = r#"{"role":"user","content":"<returncode>0</returncode>"}"#;
    let results = [
        r#"{"role":"tool","content":"a","tool_call_id":"c1","name":"ls"}"#,
        r#"{"role":"tool","content":"b","tool_call_id":"c2","name":"pwd"}"#,
    ];
    let one = r#"{"role":"assistant","content":"one"}"#;
    let orphan = r#"{"role":"tool","content":"a.txt"}"#;
    for messages in [
        &[system, ASK, DONE][..],
        &[ASK, prose, ASK],
        &[ASK, fence, returned, DONE],
        &[ASK, CALLS, results[0], results[1], DONE],
        &[ASK, one, DONE, ASK],
        &[ASK, orphan, DONE],
    ] {
        let record = conversation(messages);
        let (line, said) = converted(&record, &["adp", "messages"]);
        assert_eq!((line.as_str(), said.contains("not carried")), (record.as_str(), false), "{said}");
        // ATIF has no place for the names of results.
        let nameless = record.replace(r#","name":"ls"}"#, "}").replace(r#","name":"pwd"}"#, "}");
        let (line, said) = converted(&record, &["atif", "messages"]);
        assert_eq!((line.as_str(), said.contains("names of results")), (nameless.as_str(), false), "{said}");
    }
}

#[test]
fn what_the_user_says_after_a_call_without_a_result_is_no_result() {
    let call = CALLS.replace("both", "");
    let stop = r#"{"role":"user","content":"No! Stop."}"#;
    let record = conversation(&[ASK, &call, stop, DONE]);
    assert_eq!(converted(&record, &["atif", "messages"]).0, record);
    let (line, said) = converted(&record, &["adp"]);
    assert!(line.contains(r#""source":"user","content":"No! Stop.""#), "{line}");
    assert!(said.contains("calls without a result before words of the user"), "{said}");
    // Where calls have no ids, their place is all that results have.
    let record = r#"{"id":"a","conversations":[{"from":"human","value":"do it"},
        {"from":"function_call","value":"<function=ls>\n</function>"},{"from":"human","value":"a.txt"}]}"#;
    let (line, _) = converted(&record.replace('\n', ""), &["atif"]);
    assert!(line.contains(r#""observation":{"results":[{"source_call_id":"call_0","content":"a.txt"}]}"#), "{line}");
}

#[test]
fn words_around_the_calls_of_share_gpt_stay() {
    let call = "I look.\\n\\n<function=ls>\\n<parameter=path>\\n/w\\n</parameter>\\n</function>\\n\\nNow wait.";
    let turn = format!("{{\"from\":\"function_call\",\"value\":\"{call}\"}}");
    let turns = [r#"{"from":"human","value":"do it"}"#, &turn, r#"{"from":"observation","value":"a.txt"}"#];
    let record = format!("{{\"id\":\"a\",\"conversations\":[{}]}}", turns.join(","));
    for (format, expected) in [
        ("atif", r#""message":"I look.\n\nNow wait.","tool_calls":[{"tool_call_id":"call_0","function_name":"ls","#),
        ("adp", r#""function":"ls","kwargs":{"path":"/w"},"description":"I look.\n\nNow wait.""#),
        ("messages", r#""content":"I look.\nNow wait.","tool_calls":[{"id":"call_1_0","#),
    ] {
        let (line, said) = converted(&record, &[format]);
        assert!(line.contains(expected), "{line}");
        assert!(said.contains("1  place of a text behind a call"), "{said}");
    }
}

#[test]
fn pictures_in_results_stay() {
    let content =
        r#"[{"type":"text","text":"one"},{"type":"image_url","image_url":{"url":"https://example.org/z.png"}}]"#;
    let result = format!("{{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":{content}}}");
    let record = conversation(&[ASK, CALLS, &result, DONE]);
    for formats in [&["atif"][..], &["adp"], &["adp", "atif"], &["atif", "adp"]] {
        assert!(converted(&record, formats).0.contains("https://example.org/z.png"), "{formats:?}");
    }
    let (line, said) = converted(&record, &["adp", "messages"]);
    assert!(line.contains(content) && !said.contains("picture"), "{line}\n{said}");
    let (_, said) = converted(&record.replace("https://example.org/z.png", "data:image/png;base64,AA"), &["atif"]);
    assert!(said.contains("attachments of "), "{said}");
}

#[test]
fn pictures_of_standardized_trajectories_are_parts_of_messages() {
    let seen = |content: &str, class: &str| {
        let picture = format!(r#"{{"class_":"image_observation","content":"{content}","source":"user"}}"#);
        let page = r#""html":"<p>","url":"u","viewport_size":null,"axtree":"T","image_observation""#;
        let item =
            if class == "page" { format!(r#"{{"class_":"web_observation",{page}:{picture}}}"#) } else { picture };
        let asked = r#"{"class_":"text_observation","content":"What is it?","source":"user"}"#;
        let answer = r#"{"class_":"message_action","content":"A cat.","description":null}"#;
        converted(&format!(r#"{{"id":"a","content":[{asked},{item},{answer}]}}"#), &["messages"])
    };
    let part = |url: &str| format!(r#"{{"type":"image_url","image_url":{{"url":"{url}"}}}}"#);
    let (line, said) = seen("https://e.org/a.png", "picture");
    let both = format!(
        r#"{{"role":"user","content":[{{"type":"text","text":"What is it?"}},{}]}}"#,
        part("https://e.org/a.png")
    );
    assert!(line.contains(&both) && !said.contains("picture"), "{line}\n{said}");
    let (line, said) = seen("shots/1.png", "picture");
    assert!(line.contains(&part("shots/1.png")), "{line}");
    assert!(said.contains("1  picture in a file, of which only the place is there"), "{said}");
    let long = format!("/9j/{}", "A".repeat(600));
    let (line, said) = seen(&long, "picture");
    assert!(line.contains(&part(&format!("data:image/jpeg;base64,{long}"))) && !said.contains("picture"), "{said}");
    let unknown = "A".repeat(600);
    let (line, said) = seen(&unknown, "picture");
    assert!(line.contains(&unknown) && said.contains("1  picture, whose place is text now"), "{said}");
    let (line, said) = seen("https://e.org/a.png", "page");
    assert!(line.contains(&format!(r#"{{"type":"text","text":"T"}},{}"#, part("https://e.org/a.png"))), "{line}");
    assert!(!said.contains("image_observation"), "{said}");
}

#[test]
fn code_is_a_call_of_its_language() {
    let record = concat!(
        r#"{"id":"a","content":[{"class_":"text_observation","content":"list","source":"user"},"#,
        r#"{"class_":"code_action","language":"bash","content":"ls","description":"I look."},"#,
        r#"{"class_":"text_observation","content":"a.txt","source":"environment"}],"details":{"k":1},"x":2}"#
    );
    let (line, said) = converted(record, &["atif"]);
    let expected = r#""message":"I look.","tool_calls":[{"tool_call_id":"call_0","function_name":"bash","arguments":{"code":"ls"}}]"#;
    assert!(line.contains(expected) && line.contains(r#""extra":{"k":1,"x":2}"#), "{line}");
    assert!(!said.contains("not carried"), "{said}");
}

#[test]
fn tools_come_back_from_atif_and_empty_messages_are_counted() {
    let tools = r#""tools":[{"type":"function","function":{"name":"ls"}}]"#;
    let record = |messages: &[&str]| conversation(messages).replace("]}", &format!("],{tools}}}"));
    let (line, _) = converted(&record(&[ASK, DONE]), &["atif", "messages"]);
    assert_eq!(line, record(&[ASK, DONE]));
    let empty = r#"{"role":"user","content":""}"#;
    for format in ["atif", "adp"] {
        let (_, said) = converted(&record(&[ASK, DONE, empty]), &[format]);
        assert!(said.contains("1  messages without words;"), "{said}");
    }
}

#[test]
fn what_atif_says_beside_its_steps_is_in_the_details() {
    let record = concat!(
        r#"{"schema_version":"ATIF-v1.7","trajectory_id":"t","agent":{"name":"a","version":"1","tool_definitions":["#,
        r#"{"type":"function","function":{"name":"ls"}}]},"notes":"mine","final_metrics":{"total_cost_usd":1.5},"#,
        r#""steps":[{"step_id":1,"source":"user","message":"find it"},{"step_id":2,"source":"agent","message":"ok","#,
        r#""model_name":"m","metrics":{"cost_usd":0.1},"extra":{"k":1},"tool_calls":[{"tool_call_id":"c1","#,
        r#""function_name":"ls","arguments":{},"extra":{"x":1}}],"observation":{"results":[{"source_call_id":"c1","#,
        r#""content":"found"}]}}]}"#
    );
    let (line, said) = converted(record, &["adp"]);
    let details = concat!(
        r#""details":{"agent":{"name":"a","version":"1","tool_definitions":[{"type":"function","function":"#,
        r#"{"name":"ls"}}]},"notes":"mine","final_metrics":{"total_cost_usd":1.5}}}"#
    );
    assert!(line.ends_with(details), "{line}");
    for what in ["step model_name", "step metrics", "step extra", "call extra"] {
        assert!(said.contains(&format!("  1  {what};")), "{what}: {said}");
    }
}

/// Rows in a format: what each line is, and what was said.
fn rows_in(name: &str, rows: &[serde_json::Value], format: &str) -> Vec<serde_json::Value> {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), name, &rows.iter().map(|row| format!("{row}\n")).collect::<String>());
    let out = folder.path().join("out.jsonl").to_str().unwrap().to_owned();
    let (status, _, stderr) = obelus(&["export", &path, "--to", format, "--out", &out]);
    assert_eq!(status, 0, "{stderr}");
    let (_, table, _) = obelus(&["table", "--json", &out]);
    table.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn attempts_stay_attempts_at_their_tasks_with_ids_and_rewards() {
    use serde_json::json;
    let messages = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]);
    let each = |row: &dyn Fn(u64) -> serde_json::Value| [0, 1].map(row).to_vec();
    for (rows, task) in [
        (each(&|reward| json!({"task_id": 7, "traj": messages, "reward": reward, "trial": reward})), "7"),
        (each(&|score| json!({"input": "q", "output": "a", "score": score, "step": 1})), "prompt "),
        (each(&|score| json!({"input_prompt": "q", "output_response": "a", "score": score})), "prompt "),
        (
            each(&|reward| {
                json!({"example_id": 3, "task": "calc", "prompt": [messages[0]], "completion": [messages[1]],
                    "reward": reward})
            }),
            "calc/3",
        ),
        (
            vec![
                json!({"id": "p", "prompt": "q", "chosen": "a", "rejected": "b", "score_chosen": 1, "score_rejected": 0}),
            ],
            "p",
        ),
        (
            vec![json!({"prompt": "q", "chosen": "a", "rejected": "b", "score_chosen": 1, "score_rejected": 0})],
            "rows-0",
        ),
    ] {
        for format in ["messages", "sharegpt", "adp", "atif"] {
            let written = rows_in("rows.jsonl", &rows, format);
            assert_eq!(written.len(), 2, "{format} {task}");
            let tasks = written.iter().map(|row| row["task"].as_str().unwrap_or_default()).collect::<Vec<_>>();
            assert!(tasks[0].starts_with(task) && tasks[0] == tasks[1], "{format} {task}: {tasks:?}");
            let mut rewards = written.iter().map(|row| row["reward"].as_f64().unwrap()).collect::<Vec<_>>();
            rewards.sort_by(f64::total_cmp);
            assert_eq!(rewards, [0.0, 1.0], "{format} {task}");
            if matches!(format, "adp" | "atif") {
                assert_ne!(written[0]["id"], written[1]["id"], "{format} {task}");
            }
        }
    }
    let noted = json!({"schema_version": "ATIF-v1.4", "session_id": "s", "extra": {"reward": 0.5},
        "agent": {"name": "x", "version": "1"}, "steps": [{"step_id": 1, "source": "agent", "message": "a"}]});
    assert_eq!(rows_in("t.jsonl", &[noted], "adp")[0]["reward"], 0.5);
}

#[test]
fn notes_of_a_conversation_are_notes_of_what_is_made_of_it() {
    let row = |rest: &str| format!("{{\"id\":\"a\",\"messages\":[{ASK},{DONE}],{rest}}}");
    let notes = r#""details":{"task_id":"t","reward":0.5,"queue":"x"}"#;
    let (adp, _) = converted(&row(notes), &["adp"]);
    assert!(adp.ends_with(&format!("{notes}}}")) && !adp.contains("\"reward\":0.5}]"), "{adp}");
    let (back, _) = converted(&row(notes), &["adp", "messages", "adp"]);
    assert_eq!(back, adp);
    let (atif, _) = converted(&row(notes), &["atif"]);
    assert!(atif.contains(r#""extra":{"task_id":"t","reward":0.5,"queue":"x"}"#), "{atif}");
    // Another member of that name says otherwise: both stay.
    let (both, _) = converted(&row(r#""queue":"y","details":{"queue":"x","reward":1}"#), &["adp"]);
    assert!(both.contains(r#""details":{"queue":"x","reward":1}"#) && both.contains(r#""reward":1}],"#), "{both}");
    // The reward of a run in which the agent says nothing has no step.
    let silent = format!("{{\"id\":\"a\",\"messages\":[{ASK}],\"extra\":{{\"reward\":1}}}}");
    let (silent, _) = converted(&silent, &["adp"]);
    assert!(silent.contains(r#""details":{"extra":{"reward":1},"reward":1}"#), "{silent}");
}
