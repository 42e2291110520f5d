//! Datasets of conversations: ShareGPT, and messages under any of their names (`FORMATS.md` 8).

use super::dataset_row::{DatasetRow, most};
use super::{Counts, is_conversation};
use crate::format::acts::evidence::{Evidence, has_answers};
use crate::format::signature;
use crate::format::{Framing, Match, Near};
use crate::json::Value;
use crate::rules::trajectory::{Reading, RecordShape, bare_pointer, is_unanswered};

/// Rows with `conversations`.
pub(in crate::format) static SHAREGPT: DatasetRow = DatasetRow {
    name: "sharegpt",
    title: "ShareGPT conversations",
    about: "Conversations for training: rows whose `conversations` hold turns with `from` and `value`, or with `role` \
            and `content`. Calls are turns of `function_call`, `tool_calls` and parts of a content; one that is \
            written in a text is none (`--format adp` reads those). State: as in the Agent Data Protocol, and members \
            of the row such as its reward.",
    framing: Framing::Values,
    detect: detect_sharegpt,
    near: |_| None,
    samples: &[
        r#"{"id":"s","system":"You help.","conversations":[{"from":"human","value":"list it"},
    {"from":"function_call","value":"{\"name\":\"ls\",\"arguments\":{}}"},{"from":"observation","value":"a.txt"},
    {"from":"gpt","value":"a.txt"}]}"#,
        r#"[{"conversations":[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]}]"#,
    ],
};

/// Rows with messages under one of their names, and lists of messages.
pub(in crate::format) static MESSAGES: DatasetRow = DatasetRow {
    name: "messages",
    title: "Conversations",
    about: "Conversations for training, and results of evaluations: rows whose `messages`, `traj` (tau-bench) or \
            `prompt` hold messages with a `role`; prompts with a `completion`, or with what was `chosen` and \
            `rejected` (OpenAI: `preferred_output`, `non_preferred_output`), which are two trajectories of one row; \
            requests to a model with what came back, as themselves or below `request`, `body`, `params` and \
            `response`, `result` (files of batches, logs of proxies): the `choices` of OpenAI's chat, an `input` \
            with the `output` of its Responses interface, messages of Anthropic's, Bedrock's Converse and Ollama; \
            sessions of Agno's JSON database, whose runs go on with each other; rollouts and tasks of NeMo Gym \
            (`responses_create_params`, `response`); `contents` and `candidates` of Gemini's API, in rows of \
            batches and of tuning; groups of attempts, each a trajectory of the row (ART: \
            `messages_and_choices`; rLLM: `chat_completions` of the last step; Atropos: lists of `messages` with \
            `scores`); `completions`, `responses`, `samples`, `outputs` or `generations` beside one of `rewards` or \
            `scores` for each; lines or an array of lists of messages; databases of Agno, a row for each run. Calls \
            are `tool_calls` and parts of a content, also those of Converse and of Haystack; one that is written in \
            a text is none (`--format adp` reads those). State: as in the Agent Data Protocol, the tokens that \
            messages or answers report, and members of the row such as its reward.",
    framing: Framing::Values,
    detect: detect_rows,
    near: near_rows,
    samples: &[
        r#"{"id":"m","messages":[{"role":"system","content":"You help."},{"role":"user","content":"list it"},
    {"role":"assistant","content":[{"type":"text","text":"I look."},
        {"type":"tool_use","id":"c1","name":"ls","input":{}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"a.txt"}]}]}"#,
        r#"{"task_id":3,"reward":1.0,"traj":[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]}"#,
        r#"[{"prompt":[{"role":"user","content":"hi"}],"completion":[{"role":"assistant","content":"hello"}]}]"#,
        r#"{"prompt":"2+2?","chosen":"4","rejected":"5"}
{"prompt":"3+3?","chosen":"6","rejected":"7"}"#,
        r#"{"input":{"messages":[{"role":"user","content":"2+2?"}]},
    "preferred_output":[{"role":"assistant","content":"4"}],
    "non_preferred_output":[{"role":"assistant","content":"5"}]}"#,
        r#"{"input":"2+2?","output":[{"type":"reasoning","summary":[]},
    {"type":"message","role":"assistant","content":[{"type":"output_text","text":"4"}]}]}"#,
        r#"{"responses_create_params":{"input":[{"role":"user","content":"2+2?"}],"tools":[]},
    "response":{"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"4"}]}]},
    "reward":1.0,"_ng_task_index":0,"_ng_rollout_index":1}"#,
        r#"{"systemInstruction":{"parts":[{"text":"You help."}]},"contents":[
    {"role":"user","parts":[{"text":"list it"}]},
    {"role":"model","parts":[{"functionCall":{"name":"ls","args":{}}}]},
    {"role":"user","parts":[{"functionResponse":{"name":"ls","response":{"output":"a.txt"}}}]},
    {"role":"model","parts":[{"text":"a.txt"}]}]}"#,
        r#"{"key":"k","request":{"contents":[{"parts":[{"text":"2+2?"}]}]},
    "response":{"candidates":[{"content":{"role":"model","parts":[{"text":"4"}]},"finishReason":"STOP"}]}}"#,
        r#"{"request":{"model":"m","system":"You help.","messages":[{"role":"user","content":"2+2?"}]},
    "response":{"type":"message","role":"assistant","content":[{"type":"text","text":"4"}],
        "stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":1}}}"#,
        r#"[{"session_id":"s","session_type":"agent","agent_id":"a","session_data":{"session_state":{"n":1}},"runs":[
    {"run_id":"r1","messages":[{"role":"system","content":"You help."},{"role":"user","content":"list it"},
        {"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}}],
            "metrics":{"input_tokens":9,"output_tokens":4}},
        {"role":"tool","tool_call_id":"c1","tool_name":"ls","content":"a.txt","tool_call_error":false}]},
    {"run_id":"r2","messages":[{"role":"system","content":"You help."},
        {"role":"user","content":"list it","from_history":true},{"role":"user","content":"thanks"}]}]}]"#,
        r#"{"custom_id":"a","response":{"status_code":200,"body":{"choices":[{"index":0,"finish_reason":"stop",
    "message":{"role":"assistant","content":"4"}}]}},"error":null}"#,
        r#"{"system":[{"text":"You help."}],"messages":[{"role":"user","content":[{"text":"list it"}]},
    {"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"ls","input":{}}}]},
    {"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"a.txt"}],"status":"success"}}]}]}"#,
        r#"{"trajectories":[{"reward":1.0,"metrics":{},"messages_and_choices":[{"role":"user","content":"2+2?"},
    {"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"4"}}]}]}"#,
        r#"{"id":"t:0","trajectories":[{"name":"solver","reward":1.0,"steps":[
    {"chat_completions":[{"role":"user","content":"2+2?"},{"role":"assistant","content":"4"}]}]}]}"#,
        r#"{"tokens":[[1],[2]],"scores":[1.0,-1.0],"messages":[
    [{"role":"user","content":"2+2?"},{"role":"assistant","content":"4"}],
    [{"role":"user","content":"2+2?"},{"role":"assistant","content":"5"}]]}"#,
        r#"{"prompt":"2+2?","completions":["4","5"],"rewards":[1.0,0.0]}
{"samples":["6","7"],"scores":[1.0,0.0]}"#,
        "[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":\"hello\"}]\n\
         [{\"role\":\"user\",\"content\":\"bye\"},{\"role\":\"assistant\",\"content\":\"bye\"}]\n",
        r#"[[{"role":"user","content":"hi"}],[{"role":"user","content":"bye"}]]"#,
    ],
};

/// An instruction and an answer.
pub(in crate::format) static ALPACA: DatasetRow = DatasetRow {
    name: "alpaca",
    title: "Alpaca instructions",
    about: "Instructions for training: rows whose `instruction` and `output` are texts; `input` goes on with the \
            instruction, `history` holds turns before it, `system` the prompt (LLaMA-Factory). Each row is a \
            trajectory, and a conversation for `loss` and `export`. State: as in the rows above.",
    framing: Framing::Values,
    detect: |first| detect_signed("alpaca", first),
    near: |_| None,
    samples: &[
        r#"{"instruction":"Translate to French.","input":"the harbour","output":"le port"}
{"instruction":"Name a colour.","input":"","output":"Blue."}"#,
        r#"[{"instruction":"And in summer?","output":"Warm.","history":[["Is it cold?","Yes."]]}]"#,
    ],
};

/// One list of messages.
pub(in crate::format) static BARE: DatasetRow = DatasetRow {
    name: "messages",
    title: "Bare messages",
    about: "A conversation with nothing around it: a file that is one array of messages with a `role` (or `from`) and \
            what was said, also as contents of Gemini's API. Everything else is as in the rows above.",
    framing: Framing::Text,
    detect: detect_bare,
    near: near_bare,
    samples: &[r#"[{"role":"system","content":"You help."},{"role":"user","content":"list it"},
    {"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"ls","arguments":"{}"}}]},
    {"role":"tool","tool_call_id":"c1","content":"a.txt"},{"role":"assistant","content":"a.txt"}]"#],
};

/// The simulations of one file.
pub(in crate::format) static SIMULATIONS: DatasetRow = DatasetRow {
    name: "messages",
    title: "tau2 simulations",
    about: "Results of tau2-bench: one object whose `simulations` hold `messages`, a trajectory each. The agent and \
            the simulated user call tools; a result names its call by `id`, and one message may hold several results. \
            A run that has a file for each simulation is opened by its folder, or by the `results.json` in it; \
            of simulations in which both sides speak at once (`ticks`), the pieces of a turn are one message. \
            State: as in the rows above, with `reward_info` and `termination_reason`.",
    framing: Framing::Items("simulations"),
    detect: detect_simulations,
    near: |_| None,
    samples: &[r#"{"timestamp":"2026-05-01","info":{"num_trials":1},"tasks":[{"id":"7"}],"simulations":[
    {"id":"s","task_id":"7","trial":0,"reward_info":{"reward":1.0},"termination_reason":"user_stop","messages":[
    {"role":"user","content":"cancel it"},
    {"role":"assistant","content":null,"tool_calls":[{"id":"c1","name":"cancel","arguments":{"n":1}},
        {"id":"c2","name":"tell","arguments":{}}]},
    {"role":"tool","tool_messages":[{"id":"c2","role":"tool","content":"told"},
        {"id":"c1","role":"tool","content":"done"}]},
    {"role":"assistant","content":"It is cancelled."}]}]}"#],
};

/// The requests of one batch.
pub(in crate::format) static REQUESTS: DatasetRow = DatasetRow {
    name: "messages",
    title: "Batch requests",
    about: "What is sent as one batch to Anthropic's or Gemini's API: one object whose `requests` are requests to a \
            model, a trajectory each. Everything else is as in the rows above.",
    framing: Framing::Items("requests"),
    detect: detect_requests,
    near: |_| None,
    samples: &[r#"{"requests":[{"custom_id":"a","params":{"model":"m","max_tokens":9,"system":"You help.",
    "messages":[{"role":"user","content":"2+2?"}]}},
    {"custom_id":"b","params":{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"3+3?"}]}}]}"#],
};

/// Whether most records are recognised by the signature of a format, and are no contexts of Agent/Data (A8).
fn detect_signed(name: &str, first: &[Value<'_>]) -> Option<Match> {
    let found = signature::detect(name, first)?;
    let is_chat = |row: &Value<'_>| Reading::of_row(row).shape == RecordShape::Chat || is_unanswered(row);
    let n = first.iter().filter(|row| is_chat(row)).count();
    let is_context = |row: &Value<'_>| row.get("context").is_some_and(|context| context.as_array().is_some());
    let are_contexts = first.iter().any(|row| is_context(row) && !is_conversation(row) && !has_answers(row))
        || Evidence::of_messages(Counts::messages(first));
    (n * 2 >= first.len() && !are_contexts).then_some(found)
}

fn detect_sharegpt(first: &[Value<'_>]) -> Option<Match> {
    detect_signed("sharegpt", first)
}

fn detect_rows(first: &[Value<'_>]) -> Option<Match> {
    let are_rows = first.iter().filter(|row| row.as_object().is_some() && row.get("role").is_none()).count();
    let rows = (are_rows * 2 >= first.len()).then(|| detect_signed("messages", first)).flatten();
    rows.or_else(|| detect_bare(first))
}

fn near_rows(first: &[Value<'_>]) -> Option<Near> {
    let n = first.iter().filter(|value| Reading::of_row(value).shape == RecordShape::Chat).count();
    (n > 0).then(|| Near::of(n, first.len(), "records hold a conversation"))
}

fn detect_bare(first: &[Value<'_>]) -> Option<Match> {
    most(first, bare(first), "arrays of messages with `role` or `from` and what was said")
}

fn near_bare(first: &[Value<'_>]) -> Option<Near> {
    let n = bare(first);
    (n > 0).then(|| Near::of(n, first.len(), "records are arrays of messages"))
}

/// How many are conversations, and no context of Agent/Data (A7, A8).
fn bare(first: &[Value<'_>]) -> usize {
    let is_context =
        |value: &Value<'_>| value.as_array().is_some_and(|messages| Evidence::of_messages(messages.iter()));
    first.iter().filter(|value| bare_pointer(value).is_some() && !is_context(value)).count()
}

fn detect_simulations(first: &[Value<'_>]) -> Option<Match> {
    let [file] = first else { return None };
    let simulation = file.get("simulations")?.as_array()?.first()?;
    let is_run = simulation.get("task_id").is_some() || simulation.get("reward_info").is_some();
    let reason = "`simulations` whose `messages` have a `role`";
    (is_run && Reading::of_row(simulation).shape == RecordShape::Chat).then(|| Match { reason: reason.to_owned() })
}

fn detect_requests(first: &[Value<'_>]) -> Option<Match> {
    let [file] = first else { return None };
    let request = file.get("requests")?.as_array()?.first()?;
    let is_named = ["params", "request"].iter().any(|name| request.get(name).is_some());
    let reason = "`requests` to a model";
    (is_named && Reading::of_row(request).shape == RecordShape::Chat).then(|| Match { reason: reason.to_owned() })
}
