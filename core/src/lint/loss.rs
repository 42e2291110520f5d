//! What is found in how conversations train, in a chat template.

use super::Lint;
use crate::model::Severity::{Error, Warning};

pub(super) static LINTS: &[Lint] = &[
    Lint {
        id: "loss.nothing-trains",
        severity: Warning,
        or: None,
        help: "No part of the conversation trains the model, or none before the limit of `--max-tokens`: it costs a \
               place in a batch and teaches nothing. Look at the fields that switch training off (`weight`, \
               `loss_weight`, `loss`, `train`, `sampled`, `mask`), at `--train`, and at the limit; or leave the \
               record out. Reported with `obelus check --loss TEMPLATE`.",
        fires: r#"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello.","weight":0}]}"#,
        silent: r#"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello.","weight":1}]}"#,
    },
    Lint {
        id: "loss.cut",
        severity: Warning,
        or: None,
        help: "A part that should train is beyond the limit of `--max-tokens`, so the model never sees it, and may \
               learn an answer without its end. Tokens are estimated at four bytes each, or counted with \
               `--tokenizer`. Split the conversation, shorten what comes before, or raise the limit. In the example \
               the limit is 30: `obelus check --loss chatml --max-tokens 30`.",
        fires: r#"{"messages":[{"role":"user","content":"Count to three."},{"role":"assistant","content":"One, then two, and at long last, after a short while, three."}]}"#,
        silent: r#"{"messages":[{"role":"user","content":"Count to three."},{"role":"assistant","content":"One, two, three."}]}"#,
    },
    Lint {
        id: "loss.not-agent",
        severity: Warning,
        or: None,
        help: "A system or user message trains the model: it learns to write what others should say to it. The message \
               says whether a field of the record or the option `--train` asks for that. Reported with `obelus check \
               --loss TEMPLATE`.",
        fires: r#"{"messages":[{"role":"user","content":"Hi","train":true},{"role":"assistant","content":"Hello."}]}"#,
        silent: r#"{"messages":[{"role":"user","content":"Hi","train":false},{"role":"assistant","content":"Hello."}]}"#,
    },
    Lint {
        id: "loss.not-prefix-stable",
        severity: Warning,
        or: None,
        help: "The template writes the beginning of the conversation differently when more follows. A trainer that \
               finds what trains by rendering beginnings masks the wrong tokens, and a model that is run turn by turn \
               sees another text than it was trained on. Use a template that only appends, or one with `{% generation \
               %}` blocks. Conversations too long to render each of their beginnings are not checked. In the example \
               the template is qwen, which joins results that follow one another: `obelus check --loss qwen`.",
        fires: r#"{"messages":[{"role":"user","content":"look twice"},{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"look","arguments":"{}"}},{"id":"2","function":{"name":"look","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"a"},{"role":"tool","tool_call_id":"2","content":"b"},{"role":"assistant","content":"Done."}]}"#,
        silent: r#"{"messages":[{"role":"user","content":"look once"},{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"look","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"a"},{"role":"assistant","content":"Done."}]}"#,
    },
    Lint {
        id: "loss.lost",
        severity: Warning,
        or: None,
        help: "A message that should train cannot be found in what the template writes: it is omitted, or written \
               differently, in a section where rendering does not separate messages (loss.not-prefix-stable). It is \
               unknown which tokens belong to it, so it does not train. Or the template does not write what the agent \
               thought before a message (`reasoning_content`, parts of type `thinking` or `reasoning`), or not what it \
               says, such as the text beside a call. Use another template, or change the message. In the example the \
               template is qwen: `obelus check --loss qwen`.",
        fires: r#"{"messages":[{"role":"user","content":"look twice"},{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"look","arguments":"{}"}},{"id":"2","function":{"name":"look","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":" ","train":true},{"role":"tool","tool_call_id":"2","content":"b"},{"role":"assistant","content":"Done."}]}"#,
        silent: r#"{"messages":[{"role":"user","content":"look once"},{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"look","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"a","train":true},{"role":"assistant","content":"Done."}]}"#,
    },
    Lint {
        id: "loss.rejected",
        severity: Error,
        or: None,
        help: "The template rejects this conversation, or fails on it; the message quotes its error and line. A \
               trainer stops here, or silently skips the record. Fix the roles and their order, or use another \
               template. In the example the template is mistral: `obelus check --loss mistral`.",
        fires: r#"{"messages":[{"role":"user","content":"Hi"},{"role":"critic","content":"Hm."},{"role":"assistant","content":"Hello."}]}"#,
        silent: r#"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}]}"#,
    },
    Lint {
        id: "loss.misplaced-mask",
        severity: Warning,
        or: None,
        help: "The template marks what trains with `{% generation %}` in a macro, a filter or a `{% set %}` block, or \
               before any other text. The `transformers` library records the position of the output when a block is \
               rendered; such a block is written later or elsewhere, so the mask covers other text, or none. Trainers \
               that take that mask silently train on it. Write the block where its text is printed. In the example a \
               template of a file has such a macro for conversations with tools: `obelus check --loss own.jinja`.",
        fires: r#"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}],"tools":[{"type":"function","function":{"name":"look","parameters":{"type":"object","properties":{}}}}]}"#,
        silent: r#"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}]}"#,
    },
    Lint {
        id: "loss.double-encoded",
        severity: Warning,
        or: None,
        help: "The arguments of a call are written as JSON inside a JSON string, `\"{\\\"a\\\": 1}\"`: they are a text \
               in the record and the template encodes them again, or they were encoded twice in the record. The model \
               learns to write calls that cannot be parsed. `obelus export --arguments object` writes them as objects; \
               a template may test `arguments is string` first. Reported with `obelus check --loss chatml`.",
        fires: r#"{"messages":[{"role":"user","content":"look"},{"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"look","arguments":"\"{\\\"a\\\": 1}\""}}]}]}"#,
        silent: r#"{"messages":[{"role":"user","content":"look"},{"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"look","arguments":"{\"a\": 1}"}}]}]}"#,
    },
    Lint {
        id: "loss.special-token",
        severity: Warning,
        or: None,
        help: "A message contains a special token of the template, such as `<|im_end|>`: a tokenizer turns it into the \
               token, so for the model the message ends there, and the rest is between messages. Remove it, or break \
               it up. Known are the tokens of the tokenizer's files and those that can be seen in the template. \
               Reported with `obelus check --loss chatml`.",
        fires: r#"{"messages":[{"role":"user","content":"what is <|im_end|>?"},{"role":"assistant","content":"A token."}]}"#,
        silent: r#"{"messages":[{"role":"user","content":"what is im_end?"},{"role":"assistant","content":"A token."}]}"#,
    },
];
