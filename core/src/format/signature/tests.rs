//! Each signature on small inputs, and inputs that are like them.

use super::*;
use crate::json::{Outliner, parse_lenient};

/// The name of the signature that a text has.
fn signature_of(text: &str) -> Option<&'static str> {
    let mut outliner = Outliner::default();
    outliner.feed(text.as_bytes());
    let outline = outliner.outline();
    let records: Vec<_> = outline.records.iter().filter_map(|text| parse_lenient(text).ok()).collect();
    recognize(&Head { layout: outline.layout, records: &records }).map(|(signature, _)| signature.format)
}

#[track_caller]
fn check(expect: &str, texts: &[&str]) {
    for text in texts {
        assert_eq!(signature_of(text), Some(expect), "{text}");
    }
}

#[track_caller]
fn check_none(texts: &[&str]) {
    for text in texts {
        assert_eq!(signature_of(text), None, "{text}");
    }
}

#[test]
fn sessions_of_claude_code_are_recognised_from_any_of_their_lines() {
    check(
        "claude-code",
        &[
            r#"{"type":"user","sessionId":"s","version":"2.1.0","isSidechain":false,"message":"hi"}"#,
            r#"{"type":"assistant","sessionId":"s","version":"1","isSidechain":true,"message":{"content":[]}}"#,
            "{\"type\":\"mode\"}\n{\"type\":\"system\",\"sessionId\":\"s\",\"version\":\"1\",\"isSidechain\":false}",
            r#"{"type":"summary","summary":"x","leafUuid":"u"}"#,
            r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{}}"#,
        ],
    );
    check_none(&[
        r#"{"type":"user","sessionId":"s","version":"1","message":{"content":"x"}}"#,
        r#"{"type":"user","sessionId":"s","version":"1","isSidechain":"no","message":"x"}"#,
        r#"{"type":"tool","sessionId":"s","version":"1","isSidechain":false}"#,
        r#"{"type":"summary","summary":"x"}"#,
        // iFlow writes no version into its answers.
        "{\"type\":\"user\",\"sessionId\":\"s\",\"version\":\"1\",\"isSidechain\":false,\"message\":{\"content\":\"x\"}}\n\
         {\"type\":\"assistant\",\"sessionId\":\"s\",\"isSidechain\":false,\"message\":{\"content\":[]}}",
    ]);
}

#[test]
fn a_claude_stream_needs_its_first_line_and_its_result() {
    let init = r#"{"type":"system","subtype":"init","session_id":"s","cwd":"/w","model":"m","tools":[]}"#;
    let result = r#"{"type":"result","subtype":"success","session_id":"s","num_turns":1}"#;
    let answer = r#"{"type":"assistant","session_id":"s","message":{"content":[]},"parent_tool_use_id":null}"#;
    check("claude-stream", &[&format!("{init}\n{result}"), &format!("{init}\n{answer}\n{result}")]);
    let droid = "{\"type\":\"system\",\"session_id\":\"s\",\"model\":\"m\",\"cwd\":\"/w\"}\n\
                 {\"type\":\"message\",\"session_id\":\"s\",\"role\":\"user\",\"text\":\"x\"}";
    check_none(&[init, result]);
    check("droid", &[droid]);
}

#[test]
fn codex_rollouts_streams_and_debug_logs() {
    check(
        "codex",
        &[
            r#"{"timestamp":"t","type":"session_meta","payload":{"id":"i","cwd":"/w"}}"#,
            r#"{"timestamp":"t","ordinal":3,"type":"response_item","payload":{"type":"message","role":"user"}}"#,
            r#"{"timestamp":"t","type":"event_msg","payload":{"type":"token_count"}}"#,
            r#"{"timestamp":"t","type":"world_state","payload":{"full":true,"state":{}}}"#,
            "{\"id\":\"i\",\"timestamp\":\"t\",\"instructions\":null,\"git\":{}}\n\
             {\"type\":\"message\",\"role\":\"user\",\"content\":[]}",
            "{\"id\":\"i\",\"timestamp\":\"t\",\"instructions\":\"x\"}\n{\"record_type\":\"state\"}",
            "{\"id\":\"i\",\"timestamp\":\"t\"}\n{\"record_type\":\"state\"}",
        ],
    );
    check(
        "codex-exec",
        &[
            "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n",
            r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"x"}}"#,
        ],
    );
    check_none(&[
        r#"{"ts":"t","dir":"to_tui","kind":"app_event","variant":"RequestRedraw"}"#,
        r#"{"timestamp":"t","type":"event_msg","payload":"text"}"#,
        r#"{"timestamp":"t","type":"request","payload":{"type":"x"}}"#,
        r#"{"type":"turn.started","data":{}}"#,
        r#"{"type":"item.created","item":{"name":"a shop's item"}}"#,
    ]);
}

#[test]
fn the_first_streams_of_codex_name_the_type_of_an_item_otherwise() {
    let item = r#"{"type":"item.completed","item":{"id":"item_0","item_type":"assistant_message","text":"x"}}"#;
    check("codex-exec", &[item, &format!("{}\n{item}", r#"{"type":"session.created","session_id":"s"}"#)]);
}

#[test]
fn headers_of_pi_traces_and_copilot_are_distinguished() {
    check("pi", &["{\"type\":\"session\",\"id\":\"i\",\"timestamp\":\"t\",\"cwd\":\"/w\"}\n{\"type\":\"message\"}"]);
    let title = r#"{"type":"title","v":1,"title":"t"}"#;
    check("pi", &[&format!("{title}\n{}", r#"{"type":"session","id":"i","timestamp":"t","cwd":"/w"}"#)]);
    check_none(&[title]);
    check("sts", &[r#"{"type":"session","id":"i","harness":"mine"}"#]);
    check("pi", &[r#"{"type":"session","id":"i","timestamp":"t","harness":"x","cwd":"/w"}"#]);
    let start = r#"{"type":"session.start","data":{"sessionId":"s"},"id":"1","timestamp":"t","parentId":null}"#;
    let message = r#"{"type":"user.message","data":{"content":"x"},"id":"2","timestamp":"t","parentId":"1"}"#;
    check("copilot-cli", &[start, &format!("{start}\n{message}\n")]);
    check_none(&[
        r#"{"type":"session_start","id":"i","timestamp":"t"}"#,
        "{\"type\":\"message\"}\n{\"type\":\"session\",\"id\":\"i\",\"timestamp\":\"t\"}",
        r#"{"type":"order.created","data":{},"id":"1","timestamp":"t","parentId":null}"#,
        r#"{"type":"user.message","data":{},"id":"1","timestamp":"t"}"#,
    ]);
}

#[test]
fn sessions_of_gemini_qwen_and_cursor_are_distinguished() {
    check(
        "gemini-cli",
        &[
            r#"{"sessionId":"s","projectHash":"h","messages":[{"id":"1","type":"user","content":"x"}]}"#,
            "{\"sessionId\":\"s\",\"projectHash\":\"h\",\"startTime\":\"t\",\"kind\":\"main\"}\n{\"$set\":{}}",
            "{\"id\":\"1\",\"type\":\"user\",\"content\":\"x\"}\n{\"sessionId\":\"s\",\"projectHash\":\"h\",\"kind\":\"main\"}",
        ],
    );
    check(
        "qwen-code",
        &[
            r#"{"uuid":"u","sessionId":"s","type":"user","version":"0","message":{"role":"user","parts":[]}}"#,
            r#"{"uuid":"u","sessionId":"s","type":"system","subtype":"rewind","systemPayload":{}}"#,
            "{\"uuid\":\"u\",\"sessionId\":\"s\",\"type\":\"user\",\"message\":{\"role\":\"user\",\"parts\":[]}}{\"uuid\":\"v\"}\n",
        ],
    );
    check(
        "cursor",
        &["{\"role\":\"user\",\"message\":{\"content\":[]}}\n{\"role\":\"assistant\",\"message\":{\"content\":[]}}"],
    );
    check_none(&[
        r#"{"sessionId":"s","projectHash":"h"}"#,
        r#"{"history":[{"role":"user","parts":[]}],"meta":{}}"#,
        r#"{"id":1,"message":{"role":"user","content":"x"}}"#,
        r#"{"role":"user","timestamp":"t","message":{"content":[]}}"#,
        r#"{"uuid":"u","sessionId":"s","type":"system","systemPayload":{},"message":{"role":"user","content":"x"}}"#,
        r#"{"id":"a","trace_id":"a","name":"epoch","run_type":"train","start_time":"t"}"#,
    ]);
}

#[test]
fn opencode_sessions_messages_parts_and_streams() {
    check(
        "opencode",
        &[
            r#"{"id":"ses","projectID":"p","directory":"/w","time":{}}"#,
            r#"{"id":"msg","sessionID":"ses","role":"user","time":{"created":1}}"#,
            r#"{"id":"prt","sessionID":"ses","messageID":"msg","type":"text","text":"x"}"#,
            r#"{"type":"text","timestamp":1,"sessionID":"s","part":{"messageID":"m","type":"text"}}"#,
            r#"{"info":{"id":"ses"},"messages":[{"info":{"role":"user"},"parts":[]}]}"#,
        ],
    );
    check_none(&[
        r#"{"id":"prt","type":"text","text":"x","time":{"start":1}}"#,
        r#"{"type":"text","timestamp":1,"sessionID":"s","part":"head"}"#,
        r#"{"info":{},"messages":[]}"#,
    ]);
}

#[test]
fn ag_ui_lines_arrays_event_streams_and_named_runs() {
    check(
        "ag-ui",
        &[
            "{\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n",
            r#"[{"type":"STATE_SNAPSHOT","snapshot":{}},{"type":"STATE_DELTA","delta":[]}]"#,
            "# A stream\n\n: comment\nevent: message\ndata: {\"type\":\"TEXT_MESSAGE_START\",\"message_id\":\"m\"}\n\n",
            r#"{"one":[{"type":"RUN_STARTED","threadId":"t"}],"two":[{"type":"RUN_STARTED","threadId":"t"}]}"#,
        ],
    );
    check_none(&[
        r#"{"type":"USER_INPUT","source":"USER","content":"x"}"#,
        r#"{"type":"CUSTOM"}"#,
        "data: {\"choices\":[]}\n",
        r#"{"events":[{"type":"click"}]}"#,
    ]);
}

#[test]
fn events_of_openhands_and_adk_are_distinguished() {
    check(
        "openhands",
        &[
            r#"[{"id":0,"source":"user","action":"message","args":{}}]"#,
            r#"[{"id":0,"source":"environment","observation":"agent_state_changed","extras":{}}]"#,
            r#"{"instance_id":"i","history":[{"id":0,"source":"user","action":"message"}]}"#,
            r#"{"instance_id":"i","history":[[{"action":"message"},{"observation":"null"}]]}"#,
            r#"{"instance_id":"i","test_result":{},"metadata":{},"history":[],"error":"x"}"#,
            r#"{"instance_id":"i","test_result":{},"instruction":"x","history":null,"error":"x"}"#,
            r#"{"id":"u","timestamp":"t","source":"agent","kind":"ActionEvent","action":{}}"#,
        ],
    );
    check(
        "adk",
        &[
            r#"{"app_name":"a","user_id":"u","id":"s","events":[{"author":"user","content":{}}]}"#,
            r#"{"appName":"a","userId":"u","id":"s","events":[]}"#,
            r#"{"id":"s","context":{},"events":[{"author":"m","content":null}],"past_events":[]}"#,
            r#"[{"author":"a","invocationId":"i","content":{"parts":[]}},{"author":"a","invocationId":"i","actions":{}}]"#,
            "data: {\"author\":\"a\",\"invocation_id\":\"i\",\"content\":{}}\n\n",
        ],
    );
    check_none(&[
        r#"{"source":"shop","action":"buy"}"#,
        r#"{"id":1,"source":"web","action":"buy"}"#,
        r#"{"kind":"MouseEvent","source":"web","timestamp":"t"}"#,
        r#"{"kind":"MouseEvent","source":"web"}"#,
        r#"{"conversation_id":"c","history":[{"user":{},"assistant":{}}]}"#,
        r#"{"app_name":"a","id":"s","events":[{"type":"click"}]}"#,
        r#"[{"author":"ann","content":{"text":"x"}}]"#,
    ]);
}

#[test]
fn a_document_with_a_trajectory_is_recognised_by_its_members() {
    check(
        "atif",
        &[
            r#"{"schema_version":"ATIF-v1.8","steps":[]}"#,
            r#"{"schema_version":"1.5","steps":[{"step_id":1,"source":"user","message":"x"}]}"#,
            r#"{"parent":{"steps":[{"step_id":1,"source":"user"}]},"child":{"steps":[{"step_id":1,"source":"user"}]}}"#,
        ],
    );
    check(
        "swe-agent",
        &[
            r#"{"environment":"e","trajectory":[{"action":"ls","observation":"a"}],"history":[]}"#,
            r#"{"history":[{"role":"system","content":"x"}],"info":{}}"#,
            r#"{"trajectory":[],"history":[],"info":{"exit_status":"exit_error"},"environment":"main"}"#,
        ],
    );
    check(
        "mini-swe-agent",
        &[
            r#"{"messages":[{"role":"system","content":"x"}],"trajectory_format":"mini-swe-agent-1.1"}"#,
            r#"{"info":{"mini_version":"2.4"},"messages":[{"type":"function_call"}]}"#,
            r#"{"info":{"exit_status":"RuntimeError"},"messages":[],"trajectory_format":"mini-swe-agent-1"}"#,
        ],
    );
    check("messages", &[r#"[{"role":"system","content":"x"},{"role":"user","content":"y"}]"#]);
    check_none(&[
        r#"{"name":"deploy","steps":[{"step_id":"build","run":"make"}]}"#,
        r#"{"trajectory":[[1,2],[3,4]]}"#,
        r#"{"history":[{"role":"user","parts":[]}]}"#,
    ]);
}

#[test]
fn the_first_item_of_the_deciding_array_may_lie_behind_megabytes() {
    let history = format!(r#"{{"role":"system","content":"{}"}},"#, "x".repeat(2000)).repeat(1000);
    let text = format!(
        r#"{{"replay_config":"{}","history":[{history}{{"role":"user","content":"x"}}],"trajectory":[{{"query":[{}],
        "action":"ls","observation":"a"}}]}}"#,
        "é".repeat(500_000),
        "{\"role\":\"user\"},".repeat(1000) + "1",
    );
    check("swe-agent", &[&text]);
}

#[test]
fn evaluation_logs_and_traces_are_distinguished() {
    check("inspect", &[r#"{"version":2,"status":"success","eval":{"task":"t"},"samples":[]}"#]);
    check(
        "otel",
        &[
            r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"s","traceId":"t"}]}]}]}"#,
            r#"{"resource_spans":[{},{"scope_spans":[{"spans":[]},{"spans":[{"span_id":"s","trace_id":"t"}]}]}]}"#,
            r#"[{"name":"n","spanContext":{"traceId":"t","spanId":"s"},"attributes":{}}]"#,
            r#"[{"name":"n","context":{"trace_id":"t","span_id":"s"},"start_time":"t"}]"#,
            r#"{"name":"n","trace_id":"t","span_id":"s","start_time":"t","attributes":{"gen_ai.tool.name":"ls"}}"#,
            r#"[{"name":"n","traceId":"t","spanId":"s","startTime":1,"attributes":[{"key":"llm.model_name"}]}]"#,
            r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{}},{"eventName":"gen_ai.choice"}]}]}]}"#,
            r#"{"resource_logs":[{"scope_logs":[{"log_records":[{"event_name":"gen_ai.choice"}]}]}]}"#,
            concat!(
                r#"{"resourceMetrics":[{}]}"#,
                "\n",
                r#"{"resourceMetrics":[{}]}"#,
                "\n",
                r#"{"resourceLogs":[{}]}"#,
                "\n",
                r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"s","traceId":"t"}]}]}]}"#,
            ),
        ],
    );
    check(
        "langsmith",
        &[
            r#"{"id":"r","run_type":"llm","trace_id":"t","inputs":{}}"#,
            r#"{"run_id":"r","run_type":"llm","trace_id":"t","start_time":"2026"}"#,
            r#"{"trace_id":"t","runs":[{"run_id":"r","run_type":"chain","trace_id":"t","start_time":"2026"}]}"#,
            r#"{"post":[{"id":"r","trace_id":"t","dotted_order":"d"}],"patch":[]}"#,
        ],
    );
    check_none(&[
        r#"{"version":2,"status":"success","eval":"t"}"#,
        r#"{"resourceSpans":[]}"#,
        r#"{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"gen_ai.client.token.usage"}]}]}]}"#,
        r#"{"name":"n","trace_id":"t","span_id":"s","start_time":"t","attributes":{"http.method":"GET"}}"#,
        r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"gen_ai.choice"}}]}]}]}"#,
        r#"{"post":[{"title":"a blog"}]}"#,
        r#"{"kind":"scope","scope_category":"start","uuid":"u","name":"n","atof_version":"0.1"}"#,
    ]);
}

#[test]
fn rollouts_preferences_and_messages_are_distinguished() {
    check(
        "verifiers",
        &[
            r#"{"id":0,"prompt":[{"role":"user","content":"x"}],"completion":[],"reward":1.0}"#,
            r#"{"prompt":"x","completion":"y","reward":0}"#,
            r#"{"prompt":"x","completion":"y","reward":"0.5"}"#,
            r#"{"id":"e","traces":[{"id":"t","nodes":[{"parent":null,"message":{"role":"user"}}]}]}"#,
            r#"{"id":"e","env":{"id":"x"},"task":{"type":"T"},"ok":false,"errors":[{"type":"E"}],"traces":[]}"#,
            r#"{"id":"t","task":{"type":"T","data":{}},"nodes":[{"message":{"role":"user"}}],"rewards":{"a":1.0}}"#,
            r#"{"id":"t","task":{"type":"T","data":{}},"nodes":[],"rewards":{},"errors":[{"type":"E"}]}"#,
        ],
    );
    check(
        "verl",
        &[
            r#"{"input":"x","output":"y","score":1,"step":3,"gts":"z"}"#,
            r#"{"input_prompt":"x","output_response":"y","score":1,"stop_reason":"stop"}"#,
        ],
    );
    check(
        "messages",
        &[
            r#"{"prompt":[{"role":"user","content":"x"}],"completion":[{"role":"assistant","content":"y"}]}"#,
            r#"{"prompt":"x","chosen":"y","rejected":"z"}"#,
            r#"{"prompt":"x","completion":"y","label":true}"#,
            r#"{"prompt":"x","responses":["y","z"]}"#,
            r#"{"chosen":[{"role":"user","content":"x"}],"rejected":[{"role":"user","content":"x"}]}"#,
            r#"{"task_id":0,"traj":[{"role":"user","content":"x"}],"reward":0.0,"info":{}}"#,
            r#"[{"task_id":0,"traj":[],"reward":0.0,"info":{"error":"x"},"trial":0}]"#,
            r#"{"info":{},"tasks":[],"simulations":[{"messages":[{"role":"user","content":"x"}]}]}"#,
            r#"{"messages":[{"role":"assistant","tool_calls":[]}]}"#,
            r#"[{"role":"user","content":"x"}]"#,
            "{\"role\":\"user\",\"content\":\"x\"}\n{\"role\":\"assistant\",\"content\":\"y\"}",
        ],
    );
    check(
        "sharegpt",
        &[
            r#"{"conversations":[{"from":"human","value":"x"}],"tools":"[]"}"#,
            r#"{"id":"a","conversations":[{"role":"user","loss":null,"content":"x"}]}"#,
        ],
    );
    check_none(&[
        r#"{"conversations":[{"id":"1","title":"x"}]}"#,
        r#"{"prompt":"x","reward":1}"#,
        r#"{"input":"x","output":"y"}"#,
        r#"{"messages":["x"]}"#,
        r#"{"role":"user","content":"x"}"#,
        r#"{"env":"arc","model":"m","num_examples":1,"avg_reward":0.0}"#,
        r#"{"type":"error","message":"disk full"}"#,
    ]);
}

#[test]
fn files_of_letta_and_states_of_openai_agents_have_their_signatures() {
    check("letta", &[r#"{"agents":[{"name":"e","agent_type":"x"}],"blocks":[],"tools":[],"groups":[]}"#]);
    check(
        "openai-agents",
        &[
            r#"{"$schemaVersion":"1.13","generated_items":[],"current_turn":1}"#,
            r#"{"$schemaVersion":"1.0","generatedItems":[],"currentTurn":1}"#,
        ],
    );
    check(
        "ai-sdk",
        &[
            r#"[{"id":"m","role":"user","parts":[{"type":"text","text":"x"}]}]"#,
            r#"{"id":"c","messages":[{"role":"user","content":"","parts":[{"type":"text","text":"x"}]}]}"#,
        ],
    );
    check(
        "langgraph",
        &[
            r#"[{"values":{},"next":[],"config":{"configurable":{"thread_id":"t"}},"metadata":{"step":1}}]"#,
            r#"{"values":{},"next":["a"],"checkpoint":{"checkpoint_id":"c"},"metadata":null}"#,
        ],
    );
    check(
        "autogen",
        &[
            r#"[{"mode":"create","messages":[],"response":{}}]"#,
            r#"{"type":"TeamState","agent_states":{}}"#,
            r#"{"type":"AssistantAgentState","version":"1.0.0","llm_context":{"messages":[]}}"#,
            r#"{"type":"RoundRobinManagerState","message_thread":[],"current_turn":0}"#,
            r#"{"messages":[{"source":"user","models_usage":null,"content":"x","type":"TextMessage"}]}"#,
            r#"[{"source":"a","models_usage":null,"metadata":{},"content":[],"type":"ToolCallRequestEvent"}]"#,
        ],
    );
    check_none(&[
        r#"{"agents":["x"],"tools":[]}"#,
        r#"{"$schemaVersion":"3","root":{}}"#,
        r#"{"mode":"x","messages":[]}"#,
        r#"{"source":"web","type":"TextMessage","content":"x"}"#,
        r#"{"type":"FormState","message_thread":"closed"}"#,
        r#"{"role":"user","parts":[{"text":"x"}]}"#,
        r#"{"role":"engine","parts":[{"type":"tool-box","sku":"1"}]}"#,
        r#"{"type":"Ticket","message_thread":[]}"#,
        r#"{"values":[1,2],"next":"/page/2","config":{"page":1},"metadata":{}}"#,
        r#"{"values":{},"next":[],"config":{"thread_id":"t"}}"#,
    ]);
}

#[test]
fn messages_that_libraries_write_have_their_signatures() {
    check("pydantic-ai", &[r#"[{"kind":"request","parts":[{"content":"x","part_kind":"user-prompt"}]}]"#]);
    check(
        "langchain",
        &[
            r#"[{"type":"human","data":{"content":"x"}}]"#,
            r#"{"messages":[{"type":"ai","content":"","additional_kwargs":{}}]}"#,
        ],
    );
    check("agent-framework", &[r#"{"role":"user","contents":[{"$type":"text","text":"x"}]}"#]);
    check("semantic-kernel", &[r#"{"messages":[{"role":"user","items":[{"content_type":"text","text":"x"}]}]}"#]);
    check("llama-index", &[r#"[{"role":"user","blocks":[{"block_type":"text","text":"x"}]}]"#]);
    check("smolagents", &[r#"[{"task":"x","task_images":null},{"step_number":1,"timing":{},"action_output":null}]"#]);
    check_none(&[
        r#"{"kind":"request","parts":[{"sku":"1"}]}"#,
        r#"{"type":"system","data":{"load":1}}"#,
        r#"{"type":"tool","content":"x"}"#,
        r#"{"role":"editor","items":[{"name":"x"}]}"#,
        r#"{"role":"page","blocks":[{"text":"x"}]}"#,
        r#"{"task":"x","task_images":null}"#,
        r#"{"step_number":1,"timing":{"ms":1}}"#,
        r#"{"request":{"path":"/"},"response":{"message":"fine"}}"#,
    ]);
}

#[test]
fn names_are_of_one_signature_each_and_order_is_fixed() {
    let names: Vec<_> = SIGNATURES.iter().map(|signature| signature.format).collect();
    let unique: std::collections::HashSet<_> = names.iter().collect();
    assert_eq!(unique.len(), names.len());
    assert_eq!(names.iter().filter(|name| LAST.contains(name)).count(), LAST.len());
    assert!(SIGNATURES[names.len() - LAST.len()..].iter().all(Signature::is_last));
}

#[test]
fn the_nearest_says_what_is_absent() {
    let nearest_of = |text: &str| {
        let record = parse_lenient(text).unwrap();
        let head = Head { layout: OutlineLayout::Values, records: std::slice::from_ref(&record) };
        nearest(&head).map(|(signature, near)| (signature.format, near.description))
    };
    let session = r#"{"type":"user","sessionId":"s","version":"1","uuid":"u","message":{"content":"x"}}"#;
    let description = "5 of 6 members of its records, not `isSidechain`".to_owned();
    assert_eq!(nearest_of(session), Some(("claude-code", description)));
    assert_eq!(nearest_of(r#"{"timestamp":"t","type":"x"}"#), None);
}

#[test]
fn logs_that_only_share_the_names_of_members_are_not_taken() {
    check_none(&[
        // Events of a page, an audit, a queue.
        r#"{"kind":"ClickEvent","source":"user","timestamp":"2026-01-01T00:00:00Z","id":"e1","target":"button"}"#,
        r#"{"kind":"MessageEvent","source":"user","timestamp":"2026-01-01T00:00:00Z","text":"hi"}"#,
        r#"{"id":1,"source":"user","action":"login","timestamp":"2026-01-01T00:00:00Z"}"#,
        "{\"type\":\"turn.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.completed\",\"thread_id\":\"t\"}",
        // A visit to a site and what happened in it.
        "{\"type\":\"session\",\"id\":\"s\",\"timestamp\":\"t\"}\n{\"type\":\"page_view\",\"url\":\"/\"}",
        // A graph of a page, whose nodes have messages.
        r#"{"nodes":[{"id":1,"message":{"text":"x"}}],"edges":[],"task":{"a":1},"rewards":{}}"#,
        // A pipeline, an environment of reinforcement learning, a chat with its history, a log of a model's interface.
        r#"{"steps":[{"step_id":"load","source":"s3://data/in"},{"step_id":"join","source":"load"}]}"#,
        r#"{"trajectory":[{"action":"left","observation":"wall","reward":0.5,"done":false}]}"#,
        r#"{"history":[{"role":"user","content":"hi"}],"model":"m","temperature":1}"#,
        r#"{"mode":"chat","messages":[],"response":"hi"}"#,
        // The events of another agent, some of which are messages.
        "{\"type\":\"session_start\",\"model\":\"m\"}\n{\"type\":\"message\",\"role\":\"user\",\"content\":\"hi\"}",
    ]);
    check("openhands", &[r#"{"kind":"PauseEvent","source":"user","timestamp":"2026-01-01T00:00:00Z"}"#]);
    check("swe-agent", &[r#"{"trajectory":[{"action":"ls","observation":"a"}]}"#]);
    check("pi", &[r#"{"type":"session","id":"s","timestamp":"t"}"#]);
}
