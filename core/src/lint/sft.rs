//! What is found in conversations for fine-tuning, and in raw chat data (D17).

use super::Lint;
use crate::model::Severity::{Error, Warning};

pub(super) static LINTS: &[Lint] = &[
    Lint {
        id: "sft.role",
        severity: Error,
        or: None,
        help: "The speaker is unknown (D17), so it is not clear whether the model should learn this message or answer \
               it. Write `human`, `gpt`, `observation`, `function_call` or `system`, or the roles `user`, `assistant`, \
               `tool` and `system`.",
        fires: r#"{"conversations":[{"from":"human","value":"hi"},{"from":"robot","value":"hello"}]}"#,
        silent: r#"{"conversations":[{"from":"human","value":"hi"},{"from":"gpt","value":"hello"}]}"#,
    },
    Lint {
        id: "sft.type",
        severity: Error,
        or: None,
        help: "A message has neither a text (`value`, `content`, `text`) nor calls, or its text is neither a string \
               nor an array of parts (D17). A trainer fails on it or trains on nothing.",
        fires: r#"{"conversations":[{"from":"human","value":"hi"},{"from":"gpt","value":7}]}"#,
        silent: r#"{"conversations":[{"from":"human","value":"hi"},{"from":"gpt","value":"7"}]}"#,
    },
    Lint {
        id: "sft.empty",
        severity: Warning,
        or: None,
        help: "A message is blank and has no calls, or the conversation has no message (D17). A message with a part \
               that is not text, such as an image, is not blank. Calls are counted in `tool_calls`, `function_call`, \
               the JSON of `function_call` turns and `<function=NAME>`; those in other spellings a trainer may not \
               know. From a blank message of the agent a model would learn to say nothing; a blank observation trains \
               nothing, and is correct for a tool without output; it is not reported after a tool that only notes a \
               thought, such as `think`. Remove the message or the record, or find what the converter lost.",
        fires: r#"{"conversations":[{"from":"human","value":"hi"},{"from":"gpt","value":" "}]}"#,
        silent: r#"{"conversations":[{"from":"human","value":"hi"},{"from":"gpt","value":"hello"}]}"#,
    },
    Lint {
        id: "sft.alternate",
        severity: Warning,
        or: None,
        help: "After the leading system messages, speakers must take turns: someone who is not the agent, then the \
               agent, and so on (D17). Most chat templates reject or garble anything else; some take several answers \
               to calls made at once, and the message says where this is so. Reported once, at the first message that \
               breaks the order; join adjacent messages that belong together.",
        fires: r#"{"conversations":[{"from":"human","value":"hi"},{"from":"human","value":"there?"},
{"from":"gpt","value":"yes"}]}"#,
        silent: r#"{"conversations":[{"from":"human","value":"hi, there?"},{"from":"gpt","value":"yes"}]}"#,
    },
    Lint {
        id: "sft.last-not-agent",
        severity: Warning,
        or: None,
        help: "The conversation does not end with the agent (D17): nothing is learned from its last message. Cut it \
               off there, or find the answer that is missing. Prompts alone, and conversations whose answers are in \
               `chosen` and `rejected` beside them, are not reported.",
        fires: r#"{"conversations":[{"from":"human","value":"hi"},{"from":"gpt","value":"hello"},
{"from":"human","value":"bye"}]}"#,
        silent: r#"{"conversations":[{"from":"human","value":"hi"},{"from":"gpt","value":"hello"}]}"#,
    },
    Lint {
        id: "sft.call-syntax",
        severity: Warning,
        or: None,
        help: "The agent begins a call with `<function=` but no `<function=NAME>` up to `</function>` is whole (D17). \
               The model would learn calls that no runtime can parse; most often the text was cut at a length limit.",
        fires: r#"{"conversations":[{"from":"human","value":"list it"},
{"from":"gpt","value":"<function=run><parameter=cmd>ls"}]}"#,
        silent: r#"{"conversations":[{"from":"human","value":"list it"},
{"from":"gpt","value":"<function=run><parameter=cmd>ls</parameter></function>"}]}"#,
    },
    Lint {
        id: "sft.think-token",
        severity: Warning,
        or: None,
        help: "The agent's text holds a `<think` or `</think` tag (D17, D13). Models that reason put these in \
               themselves; trained on them as text, a model writes them twice or in the wrong place. Remove the tags. \
               Some templates, such as that of Qwen 3, read thoughts from such tags: with `--loss TEMPLATE` this is \
               reported only if one of the templates does not know the tag.",
        fires: r#"{"conversations":[{"from":"human","value":"hi"},
{"from":"gpt","value":"<think>greet</think> hello"}]}"#,
        silent: r#"{"conversations":[{"from":"human","value":"hi"},{"from":"gpt","value":"hello"}]}"#,
    },
];
