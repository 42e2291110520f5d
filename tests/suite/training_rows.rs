//! Rows that trainers write and people hand to them: each is read once, alike by counts, checks, exports and templates.

use super::command::{file, obelus};
use serde_json::{Value, json};

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What an export of one record as messages writes.
fn exported(record: &Value) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "rows.jsonl", &format!("{record}\n"));
    let out = format!("{path}.out");
    let (status, _, stderr) = obelus(&["export", &path, "--to", "messages", "--out", &out]);
    assert_eq!(status, 0, "{stderr}");
    lines(&std::fs::read_to_string(out).unwrap())
}

fn messages(record: &Value) -> Vec<Value> {
    exported(record)[0]["messages"].as_array().unwrap().clone()
}

/// Calls that `stats` counts, and the findings of `check`.
fn counted(record: &Value) -> (u64, Vec<Value>) {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "rows.jsonl", &format!("{record}\n"));
    let (_, stats, _) = obelus(&["stats", &path, "--json"]);
    let (_, check, _) = obelus(&["check", &path, "--json"]);
    let rules = lines(&check).into_iter().filter_map(|line| line.get("rule").cloned()).collect();
    (lines(&stats)[0]["calls"].as_u64().unwrap(), rules)
}

#[test]
fn calls_of_other_spellings_are_calls_everywhere() {
    let custom = json!({"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": null,
        "tool_calls": [{"id": "1", "type": "custom", "custom": {"name": "f", "input": "raw"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "r"}, {"role": "assistant", "content": "done"}]});
    assert_eq!(counted(&custom), (1, vec![]));
    assert_eq!(messages(&custom)[1]["tool_calls"][0]["function"], json!({"name": "f", "arguments": "raw"}));
    for (call, response) in [("tool_call", "tool_response"), ("function-call", "function-response")] {
        let row = json!({"messages": [{"role": "user", "content": "q"},
            {"role": call, "content": r#"{"name":"f","arguments":{"a":1}}"#}, {"role": response, "content": "r"},
            {"role": "assistant", "content": "done"}]});
        assert_eq!(counted(&row), (1, vec![]), "{call}");
        let roles: Vec<Value> = messages(&row).iter().map(|message| message["role"].clone()).collect();
        assert_eq!(roles, ["user", "assistant", "tool", "assistant"], "{call}");
    }
}

#[test]
fn thoughts_words_and_calls_of_one_answer_in_items_are_one_message() {
    let row = json!({"messages": [{"role": "user", "content": "q"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "think"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I call."}]},
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"},
        {"type": "function_call", "call_id": "2", "name": "g", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": "r"},
        {"type": "function_call_output", "call_id": "2", "output": "s"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}]});
    let all = messages(&row);
    assert_eq!(all.len(), 5, "{all:?}");
    assert_eq!((&all[1]["reasoning_content"], &all[1]["content"]), (&json!("think"), &json!("I call.")));
    assert_eq!(all[1]["tool_calls"].as_array().unwrap().len(), 2);
}

#[test]
fn answers_beside_a_list_of_a_prompt_are_said() {
    let prompt = json!([{"role": "user", "content": "q"}]);
    let one = json!({"prompt": prompt, "response": "a", "reward": 1.0});
    assert_eq!(messages(&one)[1], json!({"role": "assistant", "content": "a"}));
    let several = exported(&json!({"prompt": prompt, "responses": ["a", "b"]}));
    let said: Vec<&Value> = several.iter().map(|row| &row["messages"][1]["content"]).collect();
    assert_eq!(said, ["a", "b"]);
}

#[test]
fn examples_of_two_sets_are_two_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = |rows: [Value; 2]| {
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        let path = file(folder.path(), "rows.jsonl", &text);
        let (_, stats, _) = obelus(&["stats", &path, "--tasks", "--json"]);
        let named = |line: &Value| line["group"]["task"].as_str().map(str::to_owned);
        lines(&stats).iter().filter_map(named).collect::<Vec<_>>()
    };
    let row = |name: &str, set: &str, source: &str| {
        let mut row = json!({"prompt": [{"role": "user", "content": "q"}], "completion": "a", "reward": 1.0});
        row[name] = if name == "example_id" { json!(0) } else { json!({"index": 0}) };
        row[set] = json!(source);
        row
    };
    let of = |name, set| [row(name, set, "x"), row(name, set, "y")];
    assert_eq!(tasks(of("extra_info", "data_source")), ["x/0", "y/0"]);
    assert_eq!(tasks(of("example_id", "task")), ["x/0", "y/0"]);
    assert_eq!(tasks([row("example_id", "task", "default"), row("example_id", "task", "default")]), ["0"]);
}

#[test]
fn templates_of_files_get_roles_and_nulls_as_they_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let row = json!({"messages": [{"role": "developer", "content": "D"}, {"role": "user", "content": "q"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function",
            "function": {"name": "f", "arguments": {}}}]}]});
    let path = file(folder.path(), "rows.jsonl", &format!("{row}\n"));
    let template =
        file(folder.path(), "t.jinja", "{% for m in messages %}{{ m.role }}{{ m.content is none }} {% endfor %}");
    let text = |template: &str| {
        let (status, loss, stderr) = obelus(&["loss", &path, "--template", template, "--json"]);
        assert_eq!(status, 0, "{stderr}");
        let segments = lines(&loss)[0]["segments"].as_array().unwrap().clone();
        segments.iter().map(|segment| segment["text"].as_str().unwrap().to_owned()).collect::<String>()
    };
    assert_eq!(text(&template), "developerFalse userFalse assistantTrue ");
    assert!(text("qwen3").starts_with("<|im_start|>system\nD"), "a named one knows the roles of messages");
    let parts =
        file(folder.path(), "p.jinja", "{% for m in messages %}{% for c in m.content %}{% endfor %}{% endfor %}");
    let (_, found, _) = obelus(&["check", &path, "--loss", &parts, "--json"]);
    assert!(found.contains("loss.rejected"), "null has no parts: {found}");
}

#[test]
fn words_of_scripts_without_spaces_are_compared_and_short_questions_reported() {
    let folder = tempfile::tempdir().unwrap();
    let row = |question: &str| json!({"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": "x"}]});
    let question = "这是一个关于如何在计算机上安装操作系统的详细问题请逐步说明每一个步骤";
    let tests = file(folder.path(), "test.jsonl", &format!("{}\n", row(question)));
    let rows = file(folder.path(), "rows.jsonl", &format!("{}\n", row(&format!("你好，请看：{question}谢谢你。"))));
    let (_, found, stderr) = obelus(&["check", "--against", &tests, &rows]);
    assert!(found.contains("data.contaminated") && stderr.is_empty(), "{found}{stderr}");
    let short = file(folder.path(), "short.jsonl", &format!("{}\n", row("What is the capital of Burkina Faso?")));
    let (_, _, stderr) = obelus(&["check", "--against", &short, &rows]);
    assert!(stderr.contains("too short"), "{stderr}");
}

#[test]
fn tables_and_groups_leave_out_findings_that_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let row = json!({"id": "a", "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": ""}]});
    let path = file(folder.path(), "rows.jsonl", &format!("{row}\n"));
    let warnings = |options: &[&str]| {
        let (_, table, _) = obelus(&[&["table", &path, "--json"], options].concat());
        (lines(&table)[0]["warnings"].clone(), lines(&table)[0]["rules"].clone())
    };
    assert_eq!(warnings(&[]), (json!(1), json!(["sft.empty"])));
    assert_eq!(warnings(&["--allow", "sft"]), (json!(0), json!([])));
    let (_, groups, _) = obelus(&["stats", &path, "--by", "finding", "--allow", "sft", "--json"]);
    assert!(!groups.contains("sft.empty"), "{groups}");
}

#[test]
fn arguments_that_stay_text_are_counted_and_the_first_is_named() {
    let call = |arguments: &str| serde_json::json!({"function": {"name": "f", "arguments": arguments}});
    let row = |arguments: &str| {
        let asked = serde_json::json!({"role": "user", "content": "q"});
        let done = serde_json::json!({"role": "assistant", "content": null, "tool_calls": [call(arguments)]});
        format!("{}\n", serde_json::json!({"messages": [asked, done]}))
    };
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "a.jsonl", &[row("{\"a\":1}"), row("{\"a\":"), row("7")].concat());
    let out = folder.path().join("o.jsonl");
    let export = ["export", &path, "--to", "messages", "--arguments", "object", "--out", out.to_str().unwrap()];
    let (status, _, errors) = obelus(&export);
    let line = format!("2  arguments that are no JSON object and stay text; first record 1 of {path}");
    assert!(status == 0 && errors.contains(&line), "{errors}");
}

#[test]
fn what_checks_of_a_dataset_find_is_redacted() {
    let folder = tempfile::tempdir().unwrap();
    let words = "mail jo@mail.uni-x.de, call +49 30 1234-5678, pay 4111 1111 1111 1111, SSN 536-90-4399";
    let row = json!({"messages": [{"role": "user", "content": words}, {"role": "assistant", "content": "done"}]});
    let path = file(folder.path(), "p.jsonl", &format!("{row}\n"));
    let out = folder.path().join("o.jsonl");
    let out = out.to_str().unwrap();
    let personal = |path: &str| {
        let found = lines(&obelus(&["check", "--data", "--json", path]).1);
        found.iter().filter(|line| line["rule"] == "data.personal").count()
    };
    assert_eq!(personal(&path), 4, "each kind once");
    let (status, answer, errors) = obelus(&["export", &path, "--redact", "--out", out]);
    assert!(status == 0 && answer.contains("1  replaced: ssn"), "{answer} {errors}");
    assert_eq!(personal(out), 0);
}

#[test]
fn a_prompt_that_a_template_wrote_is_called_so() {
    let folder = tempfile::tempdir().unwrap();
    let row = |input: &str| format!("{}\n", json!({"input": input, "output": "4", "score": 1.0, "step": 1}));
    let rows = [
        row("<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n"),
        row("system\nYou add.\nuser\n2+2?\nassistant\n"),
        row("user asks: 2+2?"),
    ];
    let path = file(folder.path(), "v.jsonl", &rows.concat());
    for template in ["qwen3", "llama-3.1"] {
        let found = lines(&obelus(&["check", "--loss", template, "--json", &path]).1);
        let rendered = found.iter().filter(|line| line["message"].as_str().unwrap().contains("chat template already"));
        let records: Vec<_> = rendered.map(|line| (line["record"].clone(), line["rule"].clone())).collect();
        assert_eq!(records, [0, 1].map(|n| (json!(n), json!("loss.special-token"))), "{template}");
    }
}

/// Attempts whose rewards are in the notes of standardized trajectories: as numbers, as texts, as an outcome.
fn noted_attempts() -> Vec<Value> {
    let notes = [json!({"reward": 1}), json!({"score": "0.25"}), json!({"resolved": "True"}), json!({"turns": 3})];
    let record = |(n, notes): (usize, &Value)| {
        json!({"id": format!("t-attempt-{n}"), "details": notes, "content": [
            {"class_": "text_observation", "source": "user", "content": "q"},
            {"class_": "message_action", "content": format!("answer {n}")}]})
    };
    notes.iter().enumerate().map(record).collect()
}

#[test]
fn a_reward_in_the_notes_of_a_trajectory_counts_wherever_rewards_do() {
    let folder = tempfile::tempdir().unwrap();
    let rows = noted_attempts().iter().map(|row| format!("{row}\n")).collect::<String>();
    let std = file(folder.path(), "std.jsonl", &rows);
    let rewards = |path: &str| {
        let (_, table, _) = obelus(&["table", path, "--json"]);
        lines(&table).into_iter().map(|row| row["reward"].clone()).collect::<Vec<_>>()
    };
    let expected = [json!(1.0), json!(0.25), json!(1.0), Value::Null];
    assert_eq!(rewards(&std), expected);
    let (_, tasks, _) = obelus(&["stats", &std, "--tasks", "--json"]);
    let group = &lines(&tasks)[0]["group"];
    assert_eq!((&group["rewarded"], &group["mean"], &group["successes"]), (&json!(3), &json!(0.75), &json!(2)));
    for (filter, count) in [("reward>=1", "2"), ("group.mean=0.75", "4"), ("reward:none", "1")] {
        let (_, found, _) = obelus(&["query", &std, "--count", "--where", filter]);
        assert_eq!(found.trim(), count, "{filter}");
    }
    for shape in ["messages", "sharegpt", "atif"] {
        let out = format!("{std}.{shape}.jsonl");
        let (status, _, stderr) = obelus(&["export", &std, "--to", shape, "--out", &out]);
        assert_eq!(status, 0, "{stderr}");
        assert_eq!(rewards(&out), expected, "{shape}");
    }
}

#[test]
fn arguments_that_get_a_name_in_a_conversion_are_counted() {
    let row = json!({"id": "a", "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "",
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "ls -l"}},
            {"id": "2", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "r"}, {"role": "tool", "tool_call_id": "2", "content": "s"},
        {"role": "assistant", "content": "done"}]});
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "rows.jsonl", &format!("{row}\n"));
    for shape in ["adp", "atif"] {
        let out = format!("{path}.{shape}.jsonl");
        let (status, _, stderr) = obelus(&["export", &path, "--to", shape, "--out", &out]);
        assert!(status == 0 && stderr.contains("1  arguments that are no object, under `input` now"), "{stderr}");
    }
}

#[test]
fn the_tools_of_a_row_come_back_from_the_notes_of_a_standardized_trajectory() {
    let tools = json!([{"type": "function", "function": {"name": "f", "parameters": {}}}]);
    let row = json!({"id": "a", "task_id": "t", "tools": tools, "messages": [{"role": "user", "content": "q"},
        {"role": "assistant", "content": "a"}]});
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "rows.jsonl", &format!("{row}\n"));
    let (std, back) = (format!("{path}.std.jsonl"), format!("{path}.back.jsonl"));
    assert_eq!(obelus(&["export", &path, "--to", "adp", "--out", &std]).0, 0);
    assert_eq!(obelus(&["export", &std, "--to", "messages", "--out", &back]).0, 0);
    let back = lines(&std::fs::read_to_string(back).unwrap());
    assert_eq!((&back[0]["tools"], &back[0]["details"]), (&row["tools"], &json!({"task_id": "t"})));
}

/// What a table says of the rows of a file.
fn table(rows: &[Value]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let text: Vec<String> = rows.iter().map(Value::to_string).collect();
    let path = file(folder.path(), "rows.jsonl", &(text.join("\n") + "\n"));
    let (status, out, stderr) = obelus(&["table", &path, "--json", "--groups"]);
    assert_eq!(status, 0, "{stderr}");
    lines(&out)
}

/// A rollout of NeMo Gym.
fn gym(task: u32, reward: f64) -> Value {
    json!({"responses_create_params": {"input": [{"role": "user", "content": "Weather?"}], "instructions": "Be brief.",
            "tools": [{"type": "function", "name": "get", "parameters": {}}], "temperature": 0.5},
        "response": {"id": "resp", "output": [{"type": "reasoning", "summary": []},
            {"type": "function_call", "call_id": "1", "name": "get", "arguments": "{}", "status": "completed"},
            {"type": "function_call_output", "call_id": "1", "output": "60"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is 60."}]}],
            "usage": {"output_tokens": 38}},
        "reward": reward, "_ng_task_index": task, "_ng_rollout_index": 0, "agent_ref": {"name": "simple"}})
}

#[test]
fn rollouts_of_nemo_gym_are_attempts_with_calls_rewards_and_instructions() {
    let rows = table(&[gym(0, 1.0), gym(0, 0.0), gym(1, 1.0)]);
    let said: Vec<Value> = rows
        .iter()
        .map(|row| json!([row["format"], row["task"], row["calls"], row["reward"], row["group_n"], row["finish"]]))
        .collect();
    assert_eq!(said[1], json!(["messages", "simple/0", 1, 0.0, 2, "message"]));
    assert_eq!(said[2], json!(["messages", "simple/1", 1, 1.0, 1, "message"]));
    let row = &exported(&gym(0, 1.0))[0];
    assert_eq!(row["messages"][0], json!({"role": "system", "content": "Be brief."}));
    assert_eq!(row["messages"][2]["tool_calls"][0]["function"], json!({"name": "get", "arguments": "{}"}));
    // As a chat template wants them.
    assert_eq!(row["tools"][0], json!({"type": "function", "function": {"name": "get", "parameters": {}}}));
    // What else was asked and came back stays, beside the conversation.
    assert_eq!(row["responses_create_params"], json!({"temperature": 0.5}));
    assert_eq!(row["response"], json!({"id": "resp", "usage": {"output_tokens": 38}}));
    let task =
        json!({"responses_create_params": {"input": [{"role": "user", "content": "q"}]}, "verifier_metadata": 1});
    assert_eq!(counted(&task), (0, vec![]), "a prompt alone lacks nothing");
}

#[test]
fn the_tools_of_a_request_with_two_outputs_are_written_with_both() {
    let row = json!({"input": {"messages": [{"role": "user", "content": "q"}], "tools": [{"name": "f"}],
            "parallel_tool_calls": true},
        "preferred_output": [{"role": "assistant", "content": "a"}],
        "non_preferred_output": [{"role": "assistant", "content": "b"}]});
    for written in exported(&row) {
        assert_eq!(
            (&written["tools"], &written["input"]),
            (&json!([{"name": "f"}]), &json!({"parallel_tool_calls": true}))
        );
    }
}

#[test]
fn outcomes_of_tables_and_of_trials_are_rewards() {
    let said = |outcome: Value| {
        let mut row =
            json!({"conversations": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]});
        row.as_object_mut().unwrap().extend(outcome.as_object().unwrap().clone());
        table(&[row]).iter().map(|row| json!([row["task"], row["reward"]])).next().unwrap()
    };
    assert_eq!(said(json!({"instance_id": "a", "resolved": 1})), json!(["a", 1.0]));
    assert_eq!(said(json!({"instance_id": "a", "resolved": 0})), json!(["a", 0.0]));
    assert_eq!(said(json!({"resolved": 7})), json!([null, null]));
    assert_eq!(said(json!({"rewards": 0.5})), json!([null, 0.5]));
    assert_eq!(said(json!({"task": "t", "trial_name": "t__x", "result": "1.0"})), json!(["t", 1.0]));
    assert_eq!(said(json!({"task": "t", "trial_name": "t__x", "result": "AgentTimeoutError"})), json!(["t", null]));
    assert_eq!(said(json!({"task": "t", "result": "1.0"})), json!([null, null]), "words of other rows");
}

#[test]
fn calls_that_python_printed_or_that_are_in_tags_are_calls_of_their_turn() {
    for call in [
        r#"{'name': 'f', 'arguments': '{"a": 1}'}"#,
        "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</tool_call>",
        "<tool_call>\n{'name': 'f', 'arguments': {'a': 1}}\n</tool_call>",
    ] {
        let row = json!({"messages": [{"role": "user", "content": "q"}, {"role": "tool_call", "content": call},
            {"role": "tool_response", "content": "r"}, {"role": "assistant", "content": "done"}]});
        assert_eq!(counted(&row), (1, vec![]), "{call}");
        let calls = &messages(&row)[1]["tool_calls"];
        let arguments: Value = serde_json::from_str(calls[0]["function"]["arguments"].as_str().unwrap()).unwrap();
        assert_eq!((&calls[0]["function"]["name"], arguments), (&json!("f"), json!({"a": 1})), "{call}");
    }
}

#[test]
fn a_context_with_answers_is_no_request_of_agent_data() {
    let context = json!([{"role": "user", "content": "q"}]);
    let answer = |rank: u32, text: &str| json!({"rank": rank, "completion": [{"role": "assistant", "content": text}]});
    let ranked = json!({"context": context, "completions": [answer(1, "bad"), answer(0, "good")]});
    let rows = exported(&ranked);
    assert_eq!(rows.len(), 2);
    let is_chosen = |row: &&Value| row["id"].as_str().unwrap().ends_with("/chosen");
    assert_eq!(rows.iter().find(is_chosen).unwrap()["messages"][1]["content"], "good");
    let row = json!({"prompt": "q", "completion": "a", "context": "a page"});
    assert_eq!(messages(&row).len(), 2, "a column of words");
    assert_eq!(table(&[json!({"context": context, "response1": "a", "response2": "b"})])[0]["format"], "generic");
}

/// Rows that are no conversations, and how many messages their mapping makes.
fn plain_rows() -> Vec<(Value, &'static str, usize)> {
    vec![
        (json!({"prompt": "The sky is"}), "prompts alone", 1),
        (json!({"prompt": "2+2?", "solution": "4"}), "prompts alone", 1),
        (json!({"prompt": "q", "response": "a"}), "prompts with an answer each", 2),
        (json!({"text": "The sky is blue.", "id": 1}), "texts alone", 1),
        (json!({"input": "q", "output": "a"}), "inputs and outputs", 2),
        (
            json!({"id": 0, "query": "q", "tools": "[]", "answers": "[{\"name\":\"f\",\"arguments\":{\"a\":1}}]"}),
            "xLAM",
            2,
        ),
        (json!({"query": "q", "tools": [], "answers": [{"name": "f", "arguments": {}}]}), "xLAM", 2),
        (json!({"id": "s", "question": [[{"role": "user", "content": "q"}]], "function": []}), "BFCL", 1),
    ]
}

#[test]
fn rows_that_are_no_conversation_are_called_what_they_are_and_what_makes_one_is_said() {
    let folder = tempfile::tempdir().unwrap();
    for (row, what, len) in plain_rows() {
        let path = file(folder.path(), "rows.jsonl", &format!("{row}\n"));
        let (_, text, _) = obelus(&["formats", &path]);
        assert!(text.contains("no other format fits") && text.contains(what), "{text}");
        let map = text.split("--map '").nth(1).and_then(|rest| rest.split('\'').next()).unwrap();
        let out = format!("{path}.out");
        let (status, _, stderr) =
            obelus(&["export", &path, "--map", map, "--to", "messages", "--out", &out, "--force"]);
        assert_eq!(status, 0, "{stderr}");
        let written = lines(&std::fs::read_to_string(&out).unwrap());
        assert_eq!(written[0]["messages"].as_array().unwrap().len(), len, "{written:?}");
    }
    let log = file(folder.path(), "log.jsonl", "{\"level\":\"info\",\"text\":\"x\",\"a\":1,\"b\":2,\"c\":3}\n");
    assert!(!obelus(&["formats", &log]).1.contains("--map"), "a log");
}

#[test]
fn a_rollout_that_its_environment_did_not_end_is_found() {
    let row = |error: Value| {
        json!({"example_id": 1, "prompt": [{"role": "user", "content": "q"}], "completion": [], "reward": 0.0,
            "error": error})
    };
    let chain = json!({"error": "SandboxError", "error_chain_repr": "SandboxError()", "error_chain_str": "SandboxError -> OOM"});
    for (error, expected) in [(chain, 1), (json!("TimeoutError('x')"), 1), (Value::Null, 0), (json!(""), 0)] {
        let (_, rules) = counted(&row(error.clone()));
        assert_eq!(rules.iter().filter(|rule| *rule == "run.error").count(), expected, "{error}");
    }
}

#[test]
fn what_a_row_sets_for_its_template_is_what_the_trainer_hands_over() {
    let folder = tempfile::tempdir().unwrap();
    let template = "{{ enable_thinking }}|{% for m in messages %}{{ m.content }}{% endfor %}";
    let template = file(folder.path(), "t.jinja", template);
    let row = |set: Value| {
        json!({"prompt": [{"role": "user", "content": "q"}], "completion": [{"role": "assistant", "content": "a"}],
            "chat_template_kwargs": set})
    };
    let rendered = |set: Value, extra: &[&str]| {
        let path = file(folder.path(), "rows.jsonl", &format!("{}\n", row(set)));
        let (_, out, stderr) = obelus(&[&["loss", &path, "--template", &template], extra].concat());
        assert_eq!(stderr, "");
        out.lines().find(|line| line.ends_with("|q")).unwrap().to_owned()
    };
    let of = |set: Value| rendered(set, &[]);
    assert!(of(json!({"enable_thinking": false})).contains("False|q"));
    assert!(of(json!("{\"enable_thinking\": true}")).contains("True|q"), "JSON in a string");
    assert!(!of(json!({"messages": []})).contains("False"), "messages stay those of the row");
    let set = rendered(json!({"enable_thinking": false}), &["--set", "enable_thinking=true"]);
    assert!(set.contains("True|q"), "what the user sets has precedence: {set}");
}

#[test]
fn what_came_back_to_the_messages_of_a_request_is_said() {
    let call = json!({"id": "t", "type": "function", "function": {"name": "ls", "arguments": "{}"}});
    let row = |choices: Value| json!({"messages": [{"role": "user", "content": "q"}], "choices": choices});
    let called = row(json!([{"message": {"role": "assistant", "content": null, "tool_calls": [call]}}]));
    assert_eq!((counted(&called).0, messages(&called).len()), (1, 2));
    let proxied = json!({"messages": [{"role": "user", "content": "q"}],
        "response": {"choices": [{"message": {"role": "assistant", "content": "a"}}]}});
    assert_eq!(messages(&proxied)[1]["content"], "a");
    let two =
        json!([{"message": {"role": "assistant", "content": "a"}}, {"message": {"role": "assistant", "content": "b"}}]);
    let answers: Vec<Value> = exported(&row(two)).iter().map(|row| row["messages"][1]["content"].clone()).collect();
    assert_eq!(answers, ["a", "b"], "an attempt each");
    let half = json!([{"message": null}, {"message": {"role": "assistant", "content": "b"}}]);
    assert_eq!(messages(&row(half))[1]["content"], "b", "one that failed hides no other");
}
