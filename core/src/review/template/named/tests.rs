//! What the named templates make of a conversation and of calls, with what trains in brackets.

use crate::json;
use crate::review::conversation::Conversation;
use crate::review::loss::{Train, loss};
use crate::review::template::Template;
use crate::rules::trajectory::Way;

const TALK: &str = r#"{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."},{"role":"user","content":"Bye"},{"role":"assistant","content":"See you.","reasoning_content":"Done?"}]}"#;

const CALLS: &str = r#"{"messages":[{"role":"user","content":"ls"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"run","arguments":"{\"cmd\": \"ls\"}"}}]},{"role":"tool","tool_call_id":"c1","content":"a.txt"},{"role":"assistant","content":"One file."}],"tools":[{"type":"function","function":{"name":"run","description":"Runs.","parameters":{"type":"object","properties":{"cmd":{"type":"string"}},"required":["cmd"]}}}]}"#;

fn shaded(name: &str, record: &str) -> String {
    let conversation = Conversation::of(&json::parse(record).unwrap(), Way::Formats).unwrap();
    let loss = loss(&conversation, &Template::named(name).unwrap(), &Train::Agent, None).unwrap();
    let part = |text: &str, is_trained: bool| if is_trained { format!("«{text}»") } else { text.to_owned() };
    loss.segments.iter().map(|segment| part(&loss.text[segment.span.clone()], segment.is_trained)).collect()
}

const TALKS: &[(&str, &str)] = &[
    (
        "qwen3",
        r"<|im_start|>system
Be brief.<|im_end|>
<|im_start|>user
Hi<|im_end|>
<|im_start|>assistant
«Hello.<|im_end|>
»<|im_start|>user
Bye<|im_end|>
<|im_start|>assistant
«<think>
Done?
</think>

See you.<|im_end|>
»",
    ),
    (
        "llama-3.1",
        r"<|begin_of_text|><|start_header_id|>system<|end_header_id|>

Cutting Knowledge Date: December 2023
Today Date: 26 Jul 2024

Be brief.<|eot_id|><|start_header_id|>user<|end_header_id|>

Hi<|eot_id|><|start_header_id|>assistant<|end_header_id|>

«Hello.<|eot_id|>»<|start_header_id|>user<|end_header_id|>

Bye<|eot_id|><|start_header_id|>assistant<|end_header_id|>

«See you.<|eot_id|>»",
    ),
    (
        "gemma",
        r"<bos><start_of_turn>user
Be brief.

Hi<end_of_turn>
<start_of_turn>model
«Hello.<end_of_turn>
»<start_of_turn>user
Bye<end_of_turn>
<start_of_turn>model
«See you.<end_of_turn>
»",
    ),
    (
        "deepseek-v3",
        r"<｜begin▁of▁sentence｜>Be brief.<｜User｜>Hi<｜Assistant｜>«Hello.<｜end▁of▁sentence｜>»<｜User｜>Bye<｜Assistant｜>«See you.<｜end▁of▁sentence｜>»",
    ),
    (
        "glm-4.5",
        r"[gMASK]<sop><|system|>
Be brief.<|user|>
Hi<|assistant|>«
<think></think>
Hello.»<|user|>
Bye<|assistant|>«
<think>Done?</think>
See you.»",
    ),
    (
        "gpt-oss",
        r"<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.
Knowledge cutoff: 2024-06
Current date: 2024-07-26

Reasoning: medium

# Valid channels: analysis, commentary, final. Channel must be included for every message.<|end|><|start|>developer<|message|># Instructions

Be brief.

<|end|><|start|>user<|message|>Hi<|end|><|start|>assistant«<|channel|>final<|message|>Hello.<|end|>»<|start|>user<|message|>Bye<|end|><|start|>assistant«<|channel|>analysis<|message|>Done?<|end|><|start|>assistant<|channel|>final<|message|>See you.<|return|>»",
    ),
    (
        "mistral-v13",
        r"<s>[SYSTEM_PROMPT]Be brief.[/SYSTEM_PROMPT][INST]Hi[/INST]«Hello.</s>»[INST]Bye[/INST]«[THINK]Done?[/THINK]See you.</s>»",
    ),
];

#[test]
fn a_conversation_is_written_in_each_format() {
    for (name, expect) in TALKS {
        assert_eq!(shaded(name, TALK), *expect, "{name}");
    }
}

const WRITTEN_CALLS: &[(&str, &str)] = &[
    (
        "qwen3",
        r#"<|im_start|>system
# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{"type": "function", "function": {"name": "run", "description": "Runs.", "parameters": {"type": "object", "properties": {"cmd": {"type": "string"}}, "required": ["cmd"]}}}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call><|im_end|>
<|im_start|>user
ls<|im_end|>
<|im_start|>assistant
«<tool_call>
{"name": "run", "arguments": {"cmd": "ls"}}
</tool_call><|im_end|>
»<|im_start|>user
<tool_response>
a.txt
</tool_response><|im_end|>
<|im_start|>assistant
«<think>

</think>

One file.<|im_end|>
»"#,
    ),
    (
        "llama-3.1",
        r#"<|begin_of_text|><|start_header_id|>system<|end_header_id|>

Environment: ipython
Cutting Knowledge Date: December 2023
Today Date: 26 Jul 2024

<|eot_id|><|start_header_id|>user<|end_header_id|>

Given the following functions, please respond with a JSON for a function call with its proper arguments that best answers the given prompt.

Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.Do not use variables.

{
    "type": "function",
    "function": {
        "name": "run",
        "description": "Runs.",
        "parameters": {
            "type": "object",
            "properties": {
                "cmd": {
                    "type": "string"
                }
            },
            "required": [
                "cmd"
            ]
        }
    }
}

ls<|eot_id|><|start_header_id|>assistant<|end_header_id|>

«{"name": "run", "parameters": {"cmd": "ls"}}<|eot_id|>»<|start_header_id|>ipython<|end_header_id|>

"a.txt"<|eot_id|><|start_header_id|>assistant<|end_header_id|>

«One file.<|eot_id|>»"#,
    ),
    (
        "deepseek-v3",
        r#"<｜begin▁of▁sentence｜><｜User｜>ls<｜Assistant｜>«<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>run
```json
{"cmd": "ls"}
```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>»<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>a.txt<｜tool▁output▁end｜><｜tool▁outputs▁end｜>«One file.<｜end▁of▁sentence｜>»"#,
    ),
    (
        "glm-4.5",
        r#"[gMASK]<sop><|system|>
# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{"type": "function", "function": {"name": "run", "description": "Runs.", "parameters": {"type": "object", "properties": {"cmd": {"type": "string"}}, "required": ["cmd"]}}}
</tools>

For each function call, output the function name and arguments within the following XML format:
<tool_call>{function-name}
<arg_key>{arg-key-1}</arg_key>
<arg_value>{arg-value-1}</arg_value>
<arg_key>{arg-key-2}</arg_key>
<arg_value>{arg-value-2}</arg_value>
...
</tool_call><|user|>
ls<|assistant|>«
<think></think>
<tool_call>run
<arg_key>cmd</arg_key>
<arg_value>ls</arg_value>
</tool_call>»<|observation|>
<tool_response>
a.txt
</tool_response><|assistant|>«
<think></think>
One file.»"#,
    ),
    (
        "gpt-oss",
        r#"<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.
Knowledge cutoff: 2024-06
Current date: 2024-07-26

Reasoning: medium

# Valid channels: analysis, commentary, final. Channel must be included for every message.
Calls to these tools must go to the commentary channel: 'functions'.<|end|><|start|>developer<|message|># Tools

## functions

namespace functions {

// Runs.
type run = (_: {
cmd: string,
}) => any;

} // namespace functions<|end|><|start|>user<|message|>ls<|end|><|start|>assistant«<|channel|>commentary to=functions.run <|constrain|>json<|message|>{"cmd": "ls"}<|call|>»<|start|>functions.run to=assistant<|channel|>commentary<|message|>a.txt<|end|><|start|>assistant«<|channel|>final<|message|>One file.<|return|>»"#,
    ),
    (
        "mistral-v13",
        r#"<s>[AVAILABLE_TOOLS][{"type": "function", "function": {"name": "run", "description": "Runs.", "parameters": {"type": "object", "properties": {"cmd": {"type": "string"}}, "required": ["cmd"]}}}][/AVAILABLE_TOOLS][INST]ls[/INST]«[TOOL_CALLS]run[ARGS]{"cmd": "ls"}</s>»[TOOL_RESULTS]a.txt[/TOOL_RESULTS]«One file.</s>»"#,
    ),
];

#[test]
fn a_call_is_written_in_each_format() {
    for (name, expect) in WRITTEN_CALLS {
        assert_eq!(shaded(name, CALLS), *expect, "{name}");
    }
}
