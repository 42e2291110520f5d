//! Requests to models and what came back, as programs log them and batches hold them: read alike by steps, state,
//! checks and exports.

use super::command::{file, obelus};
use serde_json::{Value, json};

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A file of rows.
struct Rows {
    _folder: tempfile::TempDir,
    path: String,
}

impl Rows {
    fn of(rows: &[Value]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        let path = file(folder.path(), "rows.jsonl", &text);
        Self { _folder: folder, path }
    }

    fn format(&self) -> String {
        let (_, found, _) = obelus(&["formats", &self.path]);
        found.split(": ").nth(1).and_then(|found| found.split(' ').next()).unwrap_or_default().to_owned()
    }

    /// Each step as its label and summary, and the step that it answers.
    fn steps(&self) -> Vec<String> {
        let (_, shown, _) = obelus(&["steps", &self.path]);
        let of = |(line, step): (&str, &Value)| {
            let answers = step["answers"].as_u64().map(|call| format!(" (of {call})")).unwrap_or_default();
            format!(
                "{}{answers}",
                line.trim_start_matches('✗').split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
            )
        };
        shown.lines().zip(&lines(&obelus(&["steps", &self.path, "--json"]).1)).map(of).collect()
    }

    /// How the results came out.
    fn outcomes(&self) -> Vec<Value> {
        lines(&obelus(&["steps", &self.path, "--json"]).1).into_iter().map(|step| step["outcome"].clone()).collect()
    }

    fn exported(&self) -> Vec<Value> {
        let out = format!("{}.out", self.path);
        let (status, _, stderr) = obelus(&["export", &self.path, "--to", "messages", "--out", &out]);
        assert_eq!(status, 0, "{stderr}");
        lines(&std::fs::read_to_string(out).unwrap())
    }

    /// Rules of errors.
    fn errors(&self) -> Vec<Value> {
        let found = lines(&obelus(&["check", &self.path, "--json"]).1);
        found.into_iter().filter(|line| line["severity"] == "error").collect()
    }
}

/// A request of Anthropic's interface, with two calls of which one failed.
fn asked() -> Value {
    json!({"model":"m","system":[{"type":"text","text":"You help."}],"tools":[{"name":"ls","input_schema":{}}],
        "messages":[{"role":"user","content":"list it"},{"role":"assistant","content":[
        {"type":"tool_use","id":"a","name":"ls","input":{"p":"x"}},
        {"type":"tool_use","id":"b","name":"ls","input":{}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"no","is_error":true},
        {"type":"tool_result","tool_use_id":"a","content":"a.txt"}]}]})
}

fn answer() -> Value {
    json!({"id":"msg","type":"message","role":"assistant","model":"m","stop_reason":"end_turn",
        "content":[{"type":"text","text":"There is a.txt."}],"usage":{"input_tokens":9,"output_tokens":4}})
}

const STEPS: [&str; 4] = ["user list it", "call ls x · ls", "result no · a.txt (of 1)", "agent There is a.txt."];

#[test]
fn a_request_and_its_answer_are_one_conversation_in_every_wrapping() {
    let choices = json!({"object":"chat.completion","choices":[{"index":0,"finish_reason":"stop",
        "message":{"role":"assistant","content":"There is a.txt."}}]});
    for (row, first) in [
        (json!({"request":asked(),"response":answer()}), 0),
        (json!({"request":{"url":"u","body":asked()},"response":{"status":200,"body":choices}}), 0),
        (json!({"custom_id":"r","method":"POST","url":"/v1/messages","body":asked()}), 0),
        (json!({"custom_id":"r","params":asked()}), 0),
        (json!({"custom_id":"r","response":{"status_code":200,"body":choices},"error":null}), 3),
        (json!({"custom_id":"r","result":{"type":"succeeded","message":answer()}}), 3),
        (choices.clone(), 3),
    ] {
        let rows = Rows::of(std::slice::from_ref(&row));
        assert_eq!(rows.format(), "messages", "{row}");
        let steps = rows.steps();
        let of_row = if first == 0 { &STEPS[..steps.len()] } else { &STEPS[first..] };
        assert!(steps.len() >= 3 || first > 0, "{row}");
        assert_eq!(steps, of_row, "{row}");
        assert_eq!(rows.errors(), [""; 0], "{row}");
    }
}

#[test]
fn an_exchange_is_exported_with_its_prompt_its_tools_and_all_that_it_says() {
    let row = json!({"request":{"body":asked()},"response":{"status":200,"body":answer()}});
    let rows = Rows::of(&[row]);
    let out = rows.exported();
    let messages = out[0]["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "assistant"]);
    assert_eq!(messages[0]["content"], "You help.");
    assert_eq!(messages[3]["tool_call_id"], "b");
    assert_eq!(out[0]["tools"], asked()["tools"]);
    assert_eq!((&out[0]["request"]["body"]["model"], &out[0]["response"]["status"]), (&json!("m"), &json!(200)));
}

#[test]
fn rows_of_a_batch_that_failed_hide_no_other() {
    let good = json!({"custom_id":"r","response":{"body":{"choices":[
        {"message":{"role":"assistant","content":"a"}},{"message":{"role":"assistant","content":"b"}}]}}});
    let bad = json!({"custom_id":"s","response":null,"error":{"code":"batch_expired","message":"expired"}});
    let alone = json!({"custom_id":"q","result":{"message":answer()}});
    assert_eq!(obelus(&["check", &Rows::of(&[alone]).path]).1, "no findings in 1 file\n", "it is asked elsewhere");
    let rows = Rows::of(&[good, bad]);
    let steps = rows.steps();
    assert_eq!(steps[..2], ["agent choice 0: a", "agent choice 1: b"]);
    assert!(steps[2].contains("expired"), "{steps:?}");
}

/// Messages as Bedrock's Converse has them, and as Haystack has them.
#[test]
fn parts_that_are_known_by_a_member_have_their_calls_results_and_errors() {
    let converse = json!({"system":[{"text":"You help."}],"messages":[{"role":"user","content":[{"text":"list it"}]},
        {"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm"}}},
        {"toolUse":{"toolUseId":"a","name":"ls","input":{"p":"x"}}},
        {"toolUse":{"toolUseId":"b","name":"ls","input":{}}}]},
        {"role":"user","content":[{"toolResult":{"toolUseId":"b","content":[{"text":"no"}],"status":"error"}},
        {"toolResult":{"toolUseId":"a","content":[{"json":{"n":1}}],"status":"success"}}]},
        {"role":"assistant","content":[{"text":"There is a.txt."}]}]});
    let call = |id: &str, args: Value| json!({"tool_call":{"tool_name":"ls","arguments":args,"id":id}});
    let result = |id: &str, text: &str, error: bool| {
        let origin = json!({"tool_name":"ls","arguments":{},"id":id});
        json!({"role":"tool","content":[{"tool_call_result":{"result":text,"origin":origin,"error":error}}]})
    };
    let haystack = json!({"messages":[{"role":"user","content":[{"text":"list it"}]},
        {"role":"assistant","content":[{"reasoning":{"reasoning_text":"hm"}},
        call("a", json!({"p":"x"})),call("b", json!({}))]},
        result("b", "no", true), result("a", "{\"n\":1}", false),
        {"role":"assistant","content":[{"text":"There is a.txt."}]}]});
    for (row, head, steps) in [
        (converse, 1, vec!["user list it", "call ls x · ls", "result no · {\"n\":1} (of 1)", "agent There is a.txt."]),
        (
            haystack,
            0,
            vec![
                "user list it",
                "call ls x · ls",
                "result no (of 1)",
                "result {\"n\":1} (of 1)",
                "agent There is a.txt.",
            ],
        ),
    ] {
        let rows = Rows::of(std::slice::from_ref(&row));
        assert_eq!((rows.format().as_str(), rows.steps()), ("messages", steps.iter().map(|&s| s.to_owned()).collect()));
        assert_eq!(rows.errors(), [""; 0]);
        let out = rows.exported();
        let messages = out[0]["messages"].as_array().unwrap();
        assert_eq!(messages.len(), 5 + head, "{messages:?}");
        let (calls, no, yes) = (&messages[1 + head], &messages[2 + head], &messages[3 + head]);
        assert_eq!(calls["reasoning_content"], "hm");
        assert_eq!(calls["tool_calls"].as_array().unwrap().len(), 2);
        assert_eq!((&no["tool_call_id"], &no["content"]), (&json!("b"), &json!("no")));
        assert_eq!((&yes["tool_call_id"], &yes["content"]), (&json!("a"), &json!("{\"n\":1}")));
        // That a call failed is known of what is exported too.
        let again = Rows::of(&out);
        let failed = |rows: &Rows| rows.outcomes().iter().filter(|outcome| *outcome == "error").count();
        assert_eq!((failed(&rows), failed(&again)), (1, 1), "{}", out[0]);
    }
}

#[test]
fn a_list_of_contents_of_gemini_is_a_conversation() {
    let folder = tempfile::tempdir().unwrap();
    let contents = r#"[{"role":"user","parts":[{"text":"list it"}]},
        {"role":"model","parts":[{"functionCall":{"name":"ls","args":{}}}]},
        {"role":"user","parts":[{"functionResponse":{"name":"ls","response":{"output":"a.txt"}}}]},
        {"role":"model","parts":[{"text":"There is a.txt."}]}]"#;
    let rows = Rows { path: file(folder.path(), "contents.json", contents), _folder: folder };
    assert_eq!(rows.format(), "messages");
    assert_eq!(rows.steps(), ["user list it", "call ls", "result a.txt (of 1)", "agent There is a.txt."]);
}

#[test]
fn results_of_ollama_answer_the_call_of_their_tool() {
    let call = |name: &str| json!({"function":{"name":name,"arguments":{}}});
    let result = |name: &str, text: &str| json!({"role":"tool","tool_name":name,"content":text});
    let asked = json!({"model":"m","messages":[{"role":"user","content":"q"},
        {"role":"assistant","content":"","thinking":"hm","tool_calls":[call("weather"),call("time")]},
        result("time", "noon"), result("weather", "sun")]});
    let answer = json!({"model":"m","message":{"role":"assistant","content":"a"},"done":true,"done_reason":"stop",
        "prompt_eval_count":9,"eval_count":4});
    let rows = Rows::of(&[json!({"request":asked,"response":answer})]);
    let out = rows.exported();
    let messages = out[0]["messages"].as_array().unwrap();
    let calls = messages[1]["tool_calls"].as_array().unwrap();
    assert_eq!(messages[1]["reasoning_content"], "hm");
    assert_eq!((&messages[2]["tool_call_id"], &messages[3]["tool_call_id"]), (&calls[1]["id"], &calls[0]["id"]));
    let state = obelus(&["state", &rows.path, "--step", "4", "--json"]).1;
    assert!(state.contains(r#""usage":{"main":{"input":9,"output":4,"turns":1}}"#), "{state}");
}
