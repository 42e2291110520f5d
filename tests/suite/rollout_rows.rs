//! Rows of Gemini's API and groups of attempts (ART, Atropos, rLLM): read alike by counts, checks, exports, templates.

use super::command::{file, obelus};
use serde_json::{Value, json};

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A file of rows, and what commands print of it.
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

    fn print(&self, command: &str) -> Vec<Value> {
        lines(&obelus(&[command, &self.path, "--json"]).1)
    }

    fn rules(&self) -> Vec<Value> {
        self.print("check").into_iter().map(|line| line["rule"].clone()).collect()
    }

    fn exported(&self) -> (Vec<Value>, String) {
        let out = format!("{}.out", self.path);
        let (status, _, stderr) = obelus(&["export", &self.path, "--to", "messages", "--out", &out]);
        assert_eq!(status, 0, "{stderr}");
        (lines(&std::fs::read_to_string(out).unwrap()), stderr)
    }
}

/// What a user asks of Gemini, two calls at once, what came back in another order, and no ids.
fn asked() -> Vec<Value> {
    vec![
        json!({"role": "user", "parts": [{"text": "Weather?"}]}),
        json!({"role": "model", "parts": [{"text": "hm", "thought": true}, {"text": "I look."},
            {"functionCall": {"name": "weather", "args": {"city": "Oslo"}}}, {"functionCall": {"name": "news", "args": {}}}]}),
        json!({"role": "user", "parts": [{"functionResponse": {"name": "news", "response": {"error": "no"}}},
            {"functionResponse": {"name": "weather", "response": {"degrees": 3}}}]}),
    ]
}

fn said() -> Value {
    json!({"role": "model", "parts": [{"text": "Three degrees."}]})
}

fn tools() -> Value {
    json!([{"functionDeclarations": [{"name": "weather", "parameters": {"type": "OBJECT",
        "properties": {"city": {"type": "STRING"}}, "required": ["city"]}}, {"name": "news"}]}])
}

/// The conversation that a row of either kind is.
fn expected() -> Value {
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    json!([{"role": "system", "content": "You help."}, {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": "I look.", "reasoning_content": "hm",
            "tool_calls": [call("call_1_0", "weather", "{\"city\":\"Oslo\"}"), call("call_1_1", "news", "{}")]},
        {"role": "tool", "content": "no", "tool_call_id": "call_1_1", "name": "news", "is_error": true},
        {"role": "tool", "content": "{\"degrees\":3}", "tool_call_id": "call_1_0", "name": "weather"},
        {"role": "assistant", "content": "Three degrees."}])
}

#[test]
fn rows_of_gemini_are_conversations_with_calls_results_and_tools() {
    let prompt = json!({"parts": [{"text": "You help."}]});
    let all: Vec<Value> = asked().into_iter().chain([said()]).collect();
    let tuning = json!({"systemInstruction": prompt, "contents": all, "tools": tools(), "reward": 0.5});
    let request =
        json!({"system_instruction": prompt, "contents": asked(), "tools": tools(), "generationConfig": {"n": 1}});
    let response = json!({"candidates": [{"content": said(), "finishReason": "STOP"}], "modelVersion": "m"});
    let batch = json!({"key": "k", "request": request, "response": response});
    for row in [&tuning, &batch] {
        let rows = Rows::of(std::slice::from_ref(row));
        assert_eq!(rows.rules(), Vec::<Value>::new());
        let stats = rows.print("stats");
        assert_eq!((&stats[0]["calls"], &stats[0]["results"]), (&json!(2), &json!(2)), "{}", stats[0]);
        let outcomes: Vec<Value> = rows.print("steps").iter().map(|step| step["answers"].clone()).collect();
        assert_eq!(outcomes, [Value::Null, Value::Null, json!(1), Value::Null]);
        let (exported, _) = rows.exported();
        assert_eq!(exported[0]["messages"], expected());
        assert_eq!(exported[0]["tools"][0]["function"]["name"], "weather");
        assert_eq!(exported[0]["tools"].as_array().unwrap().len(), 2);
        assert!(exported[0].get("systemInstruction").is_none() && exported[0]["request"].get("tools").is_none());
    }
    for shape in ["adp", "atif"] {
        let rows = Rows::of(std::slice::from_ref(&batch));
        let out = format!("{}.out", rows.path);
        assert_eq!(obelus(&["export", &rows.path, "--to", shape, "--out", &out]).0, 0);
        let text = std::fs::read_to_string(out).unwrap();
        assert!(text.contains(r#""type":"function","function":{"name":"weather""#), "{text}");
        let results = [
            r#"{\"degrees\":3}","name":"weather","tool_call_id":"call_0""#,
            r#""source_call_id":"call_1","content":"no""#,
        ];
        assert!(results.iter().any(|result| text.contains(result)), "{shape}: {text}");
    }
    let (exported, _) = Rows::of(&[batch]).exported();
    assert_eq!(exported[0]["request"], json!({"generationConfig": {"n": 1}}), "the rest of a request is not lost");
    assert_eq!(exported[0]["response"], json!({"modelVersion": "m"}));
    let wrong =
        tuning.to_string().replace("\"city\":\"Oslo\"", "\"town\":7").replace("\"news\",\"args", "\"olds\",\"args");
    let rows = Rows::of(&[serde_json::from_str(&wrong).unwrap()]);
    let (_, found, _) = obelus(&["check", &rows.path, "--data", "--json"]);
    assert!(found.contains("data.undeclared-tool") && found.contains("data.arguments"), "{found}");
}

#[test]
fn what_came_back_alone_is_an_answer_for_each_candidate() {
    let other = json!({"parts": [{"text": "Four."}]});
    let rows = Rows::of(&[json!({"key": "k", "response": {"candidates": [{"content": said()}, {"content": other}]}})]);
    let (exported, _) = rows.exported();
    let texts: Vec<&Value> = exported.iter().map(|row| &row["messages"][0]["content"]).collect();
    assert_eq!(texts, ["Three degrees.", "Four."]);
    // A part of a kind that is not known, and a content without parts, do not hide the others.
    let unknown = json!({"role": "model", "parts": [{"toolCall": {"id": "1"}}]});
    let empty = json!({"role": "model", "parts": []});
    let rows = Rows::of(&[json!({"contents": [asked()[0], unknown, asked()[0], empty, said()]})]);
    assert_eq!(rows.print("steps").len(), 5);
    let (exported, _) = rows.exported();
    assert_eq!(exported[0]["messages"][1]["content"], json!([{"toolCall": {"id": "1"}}]));
    // Other rows have members of these names.
    for row in [
        json!({"contents": ["a"]}),
        json!({"contents": [{"parts": [{"x": 1}]}]}),
        json!({"response": {"candidates": []}}),
    ] {
        let formats = obelus(&["formats", &Rows::of(&[row]).path]).1;
        assert!(formats.contains("generic"), "{formats}");
    }
}

#[test]
fn groups_of_attempts_are_trajectories_with_their_rewards() {
    let question = json!({"role": "user", "content": "q"});
    let choice =
        |words: &str| json!({"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": words}});
    let art = |words: &str, reward: f64| json!({"reward": reward, "metrics": {"m": reward}, "messages_and_choices": [question, choice(words)], "tools": null});
    let answer = |words: &str| json!([question, {"role": "assistant", "content": words}]);
    let step = |words: &str| json!({"chat_completions": answer(words), "reward": 0.0});
    let rllm = |words: &str, reward: f64| json!({"name": "solver", "steps": [step(words)], "reward": reward});
    let of_art = json!({"trajectories": [art("a", 1.0), art("b", 0.25)]});
    let of_atropos = json!({"tokens": [[1], [2]], "scores": [1.0, 0.25], "messages": [answer("a"), answer("b")]});
    let of_rllm = json!({"trajectories": [rllm("a", 1.0), rllm("b", 0.25)]});
    for row in [of_art.clone(), of_atropos, of_rllm] {
        let rows = Rows::of(std::slice::from_ref(&row));
        assert_eq!(rows.rules(), Vec::<Value>::new(), "{row}");
        assert!(obelus(&["formats", &rows.path]).1.contains("2 trajectories"), "{row}");
        let (exported, _) = rows.exported();
        let read: Vec<(&Value, f64)> =
            exported.iter().map(|row| (&row["messages"][1]["content"], row["reward"].as_f64().unwrap())).collect();
        assert_eq!(read, [(&json!("a"), 1.0), (&json!("b"), 0.25)], "{row}");
    }
    assert_eq!(Rows::of(&[of_art]).exported().0[1]["metrics"], json!({"m": 0.25}));
    let alone = Rows::of(&[json!({"trajectories": [art("a", 0.75)]})]);
    let (exported, _) = alone.exported();
    assert_eq!((&exported[0]["reward"], &exported[0]["metrics"]), (&json!(0.75), &json!({"m": 0.75})));
    assert_eq!(alone.print("stats")[0]["reward"], json!(0.75));
    let taken = json!({"metrics": {"of": "the row"}, "trajectories": [art("a", 1.0), art("b", 0.25)]});
    let (exported, report) = Rows::of(&[taken]).exported();
    assert_eq!(exported[0]["metrics"], json!({"of": "the row"}));
    assert!(report.contains("metrics"), "what has no place beside the record's own is counted: {report}");
    // Steps that do not go on with each other are no one conversation.
    let apart = json!({"trajectories": [{"steps": [step("a"), step("b")]}]});
    assert!(obelus(&["formats", &Rows::of(&[apart]).path]).1.contains("generic"));
}

#[test]
fn answers_with_a_score_each_are_attempts() {
    let folder = tempfile::tempdir().unwrap();
    let asked = json!([{"role": "user", "content": "q"}]);
    for (n, row) in [
        json!({"prompt": "q", "completions": ["a", "b"], "rewards": [1, 0]}),
        json!({"completions": ["a", "b"], "rewards": [1, 0]}),
        json!({"prompt": asked, "outputs": ["a", "b"], "scores": [1.0, 0.0]}),
        json!({"question": "q", "generations": ["a", "b"], "correct": [true, false], "answer": "a"}),
    ]
    .iter()
    .enumerate()
    {
        let path = file(folder.path(), &format!("{n}.jsonl"), &format!("{row}\n{row}\n"));
        let found = obelus(&["formats", &path]).1;
        assert!(found.contains("messages (Conversations)") && found.contains("4 trajectories"), "{row}: {found}");
        let tasks = lines(&obelus(&["stats", "--tasks", "--json", &path]).1);
        let group = &tasks[0]["group"];
        assert_eq!((&group["attempts"], &group["mean"]), (&json!(2), &json!(0.5)), "{row}");
        let checked = obelus(&["check", "--json", &path]).1;
        assert!(!checked.contains("sft."), "{row}: {checked}");
    }
    let preferred = json!({"input": {"messages": asked}, "preferred_output": [{"role": "assistant", "content": "a"}],
        "non_preferred_output": [{"role": "assistant", "content": "b"}]});
    for row in [preferred, json!({"prompt": "q", "responses": ["a", "b"]})] {
        let path = file(folder.path(), "two.jsonl", &format!("{row}\n"));
        assert!(obelus(&["formats", &path]).1.contains("messages (Conversations), 2 trajectories"), "{row}");
    }
    let steps = json!({"prompt": "q", "completions": ["first", "second"], "labels": [true, false]});
    let path = file(folder.path(), "steps.jsonl", &format!("{steps}\n"));
    assert!(obelus(&["formats", &path]).1.contains("1 trajectory"), "steps of one answer, each with a label");
}

#[test]
fn how_answers_under_other_names_are_read_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let row = json!({"problem": "q", "candidates": ["a", "b"], "verdicts": [true, false], "answer": "a"});
    let path = file(folder.path(), "c.jsonl", &format!("{row}\n"));
    let found = obelus(&["formats", &path]).1;
    let map = "--map prompt=.problem --map responses=.candidates --map rewards=.verdicts";
    assert!(found.contains(&format!("answers as texts in `candidates`; `{map}` makes an attempt of each")), "{found}");
    let arguments: Vec<&str> = ["stats", "--tasks", "--json", &path].into_iter().chain(map.split(' ')).collect();
    let group = lines(&obelus(&arguments).1)[0]["group"].clone();
    assert_eq!((&group["attempts"], &group["mean"]), (&json!(2), &json!(0.5)));
    // Answers may be objects with a text, each with its score or without.
    for (row, place, map) in [
        (
            json!({"request_id": "0", "prompt": "q", "outputs": [{"index": 0, "text": "a"}, {"index": 1, "text": "b"}]}),
            "outputs[].text",
            "--map 'responses=[.outputs[].text]'",
        ),
        (
            json!({"instruction": "q", "completions": [{"response": "a", "score": 1}, {"response": "b", "score": 0}]}),
            "completions[].response",
            "--map prompt=.instruction --map 'responses=[.completions[].response]' \
             --map 'rewards=[.completions[].score]'",
        ),
        (json!({"prompt": "q", "all_responses": ["a", "b"]}), "all_responses", "--map responses=.all_responses"),
    ] {
        let path = file(folder.path(), "o.jsonl", &format!("{row}\n"));
        let found = obelus(&["formats", &path]).1;
        assert!(found.contains(&format!("as texts in `{place}`; `{map}` makes an attempt of each")), "{map}: {found}");
        let map = map.replace('\'', "");
        let mapped = obelus(&["formats", &path].into_iter().chain(map.split_whitespace()).collect::<Vec<_>>()).1;
        assert!(mapped.contains("messages (Conversations), 2 trajectories"), "{mapped}");
    }
    let row = json!({"prompt": "q", "outputs": [{"id": 1}]});
    let path = file(folder.path(), "unknown.jsonl", &format!("{row}\n"));
    assert!(!obelus(&["formats", &path]).1.contains("prompts alone"), "something answers");
    let row = json!({"question": "q", "choices": ["a", "b"], "answer": 1});
    let path = file(folder.path(), "choices.jsonl", &format!("{row}\n"));
    assert!(!obelus(&["formats", &path]).1.contains("an attempt of each"), "choices are no answers");
}
