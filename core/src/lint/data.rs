//! What is found in files of no known format, and in datasets of any.

use super::Lint;
use crate::model::Severity;

pub(super) static LINTS: &[Lint] = &[
    Lint {
        id: "data.invalid-json",
        severity: Severity::Error,
        or: None,
        help: "The record is not valid JSON: cut off, bad syntax, `NaN`, a lone surrogate escape, or bytes that are \
               not UTF-8. It is shown as text, and the other records are read as usual. In logs of agents a record \
               whose only fault is a lone surrogate escape is read with U+FFFD in its place. Look at the byte that the \
               message names; where the end is missing, the writer was stopped in the middle of a line.",
        fires: r#"{"level":"info","msg":"started"}
{"level":"info","msg":"sto"#,
        silent: r#"{"level":"info","msg":"started"}
{"level":"info","msg":"stopped"}"#,
    },
    Lint {
        id: "data.no-records",
        severity: Severity::Warning,
        or: None,
        help: "The file is empty, or holds an empty array. A reader of the folder silently gets fewer samples than it \
               has files. Write the records, or remove the file. Reported with `obelus check --data`.",
        fires: "[]",
        silent: r#"[{"prompt":"2+2","completion":"4"}]"#,
    },
    Lint {
        id: "data.duplicate",
        severity: Severity::Warning,
        or: None,
        help: "The same sample was read before, in another file or, for records of no known shape, in the same one. A \
               model sees it twice and a test set counts it twice. Remove one. The message names the record that came \
               first; events of a log (a time and a kind, no conversation) are not compared, and within one file the \
               rule of the format reports copies of trajectories (adp.duplicate-content). Reported with `obelus check \
               --data`.",
        fires: r#"{"prompt":"2+2","completion":"4"}
{"completion":"4","prompt":"2+2"}"#,
        silent: r#"{"prompt":"2+2","completion":"4"}
{"prompt":"2+3","completion":"5"}"#,
    },
    Lint {
        id: "data.near-duplicate",
        severity: Severity::Warning,
        or: None,
        help: "An earlier sample is nearly the same: of all runs of five words that the two have, at least the share \
               of `--near` (0.85 without it) occurs in both. Types and ids do not count, so a conversation is the \
               same as `messages` and as ShareGPT. The share is estimated from sketches of 64 hashes, and can be off \
               by a tenth; instructions of the system do not count, and samples of fewer than 20 words are not \
               compared. Keep one of them, or both if the difference is what should be learned. Two files with \
               records of the same ids, such as stages of one dataset, are reported once. Reported with `obelus \
               check --data`.",
        fires: r#"{"id":"a","messages":[{"role":"user","content":"the ship left the harbour at noon with nine sailors and a cat that slept on the warm engine while gulls cried over the grey water all day long"},{"role":"assistant","content":"yes"}]}
{"id":"b","messages":[{"role":"user","content":"the ship left the harbour at noon with nine sailors and a cat that slept on the warm engine while gulls cried over the grey water all day long"},{"role":"assistant","content":"no"}]}"#,
        silent: r#"{"id":"a","messages":[{"role":"user","content":"the ship left the harbour at noon with nine sailors and a cat that slept on the warm engine while gulls cried over the grey water all day long"},{"role":"assistant","content":"yes"}]}
{"id":"b","messages":[{"role":"user","content":"what is the highest mountain of the country and how long did the first people who climbed it need to come down again in the snow"},{"role":"assistant","content":"no"}]}"#,
    },
    Lint {
        id: "data.contaminated",
        severity: Severity::Error,
        or: None,
        help: "The dataset of `--against` has the same sample, or nearly (by `--near`), or its question occurs in the \
               record: a model that is trained on one must not be measured on the other. Remove it from one of them. A \
               question is what the user says first, or a member such as `question` or `prompt`; it occurs in a record \
               that has 70 % of its runs of eight words (`--ngram`), letters and digits without case. Attempts at one \
               task ask one question. Runs that more than four questions share do not count, nor does a question that \
               more than half of ten records or more ask, and one with fewer than four unique runs is not searched \
               for. In the example the first record is in the file of `--against`, and the second is checked: `obelus \
               check train.jsonl --against test.jsonl`.",
        fires: r#"{"id":"a","messages":[{"role":"user","content":"what is 2+2?"},{"role":"assistant","content":"4"}]}
{"id":"b","messages":[{"role":"user","content":"what is 2+2?"},{"role":"assistant","content":"4"}]}"#,
        silent: r#"{"id":"a","messages":[{"role":"user","content":"what is 2+2?"},{"role":"assistant","content":"4"}]}
{"id":"b","messages":[{"role":"user","content":"what is 2+3?"},{"role":"assistant","content":"5"}]}"#,
    },
    Lint {
        id: "data.outlier",
        severity: Severity::Warning,
        or: None,
        help: "The sample is far longer or shorter than the others of its file, by steps, by turns of the agent or by \
               characters: more than five deviations from the median, of the logarithms, where at least half a power \
               of two is a deviation. Odd samples do not hide one another, as they do with means. Check whether the \
               run got out of control or was cut off; a file needs eight samples to have a usual length. These \
               findings follow all others of the file. Reported with `obelus check --data`.",
        fires: r#"{"id":"0","messages":[{"role":"user","content":"how are you, no. 0?"},{"role":"assistant","content":"fine"}]}
{"id":"1","messages":[{"role":"user","content":"how are you, no. 1?"},{"role":"assistant","content":"fine"}]}
{"id":"2","messages":[{"role":"user","content":"how are you, no. 2?"},{"role":"assistant","content":"fine"}]}
{"id":"3","messages":[{"role":"user","content":"how are you, no. 3?"},{"role":"assistant","content":"fine"}]}
{"id":"4","messages":[{"role":"user","content":"how are you, no. 4?"},{"role":"assistant","content":"fine"}]}
{"id":"5","messages":[{"role":"user","content":"how are you, no. 5?"},{"role":"assistant","content":"fine"}]}
{"id":"6","messages":[{"role":"user","content":"how are you, no. 6?"},{"role":"assistant","content":"fine"}]}
{"id":"7","messages":[{"role":"user","content":"how are you, no. 7?"},{"role":"assistant","content":"fine"}]}
{"id":"long","messages":[{"role":"user","content":"and you?"},{"role":"assistant","content":"weeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}]}"#,
        silent: r#"{"id":"0","messages":[{"role":"user","content":"how are you, no. 0?"},{"role":"assistant","content":"fine"}]}
{"id":"1","messages":[{"role":"user","content":"how are you, no. 1?"},{"role":"assistant","content":"fine"}]}
{"id":"2","messages":[{"role":"user","content":"how are you, no. 2?"},{"role":"assistant","content":"fine"}]}
{"id":"3","messages":[{"role":"user","content":"how are you, no. 3?"},{"role":"assistant","content":"fine"}]}
{"id":"4","messages":[{"role":"user","content":"how are you, no. 4?"},{"role":"assistant","content":"fine"}]}
{"id":"5","messages":[{"role":"user","content":"how are you, no. 5?"},{"role":"assistant","content":"fine"}]}
{"id":"6","messages":[{"role":"user","content":"how are you, no. 6?"},{"role":"assistant","content":"fine"}]}
{"id":"7","messages":[{"role":"user","content":"how are you, no. 7?"},{"role":"assistant","content":"fine"}]}
{"id":"long","messages":[{"role":"user","content":"and you?"},{"role":"assistant","content":"fine too"}]}"#,
    },
    Lint {
        id: "data.unanswered-call",
        severity: Severity::Warning,
        or: None,
        help: "A call has no result, yet the agent continues: a model learns to call a tool and to ignore its result. \
               This rule checks conversations and ATIF; adp.unanswered-call checks standardized trajectories. Add the \
               result after the call, under its id, or remove the call. Reported with `obelus check --data`.",
        fires: r#"{"id":"a","messages":[{"role":"user","content":"find it"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"search","arguments":"{}"}}]},{"role":"assistant","content":"found it"}]}"#,
        silent: r#"{"id":"a","messages":[{"role":"user","content":"find it"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"search","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"here"},{"role":"assistant","content":"found it"}]}"#,
    },
    Lint {
        id: "data.answer-without-call",
        severity: Severity::Warning,
        or: None,
        help: "A message names the call that it answers (`tool_call_id`), but no open call before it has that id. \
               Something was removed or reordered. This rule checks conversations; adp.call-id checks standardized \
               trajectories, atif.link ATIF. Reported with `obelus check --data`.",
        fires: r#"{"id":"a","messages":[{"role":"user","content":"find it"},{"role":"tool","tool_call_id":"1","content":"here"},{"role":"assistant","content":"found it"}]}"#,
        silent: r#"{"id":"a","messages":[{"role":"user","content":"find it"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"search","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"here"},{"role":"assistant","content":"found it"}]}"#,
    },
    Lint {
        id: "data.unread-call",
        severity: Severity::Warning,
        or: None,
        help: "A message is meant as a call, but no call can be read from it: a message of the speaker `function_call` \
               has neither `<function=NAME>` nor another known form of a call, or the text of a message_action holds \
               `<function=NAME>`. No runtime will run it, and statistics count no call; most often a converter knows \
               some tools and not others. Reported once for each record, at the first such message. Write the call as \
               the others of the dataset. Reported with `obelus check --data`.",
        fires: r#"{"id":"a","conversations":[{"from":"human","value":"list it"},{"from":"function_call","value":"```bash\nls\n```"}]}"#,
        silent: r#"{"id":"a","conversations":[{"from":"human","value":"list it"},{"from":"gpt","value":"```bash\nls\n```"}]}"#,
    },
    Lint {
        id: "data.undeclared-tool",
        severity: Severity::Warning,
        or: None,
        help: "A tool is called that the record does not declare, in `tools`, `functions` or `agent.tool_definitions`, \
               as a list or as JSON in a string. A model that is shown only the declared tools should not learn to \
               call others. Declare it, or correct its name. Records that declare no tools are not checked. Reported \
               with `obelus check --data`.",
        fires: r#"{"id":"a","tools":[{"type":"function","function":{"name":"search","parameters":{"type":"object","required":["q"],"properties":{"q":{"type":"string"}}}}}],"messages":[{"role":"user","content":"find it"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"serch","arguments":"{\"q\":\"it\"}"}}]},{"role":"tool","tool_call_id":"1","content":"here"},{"role":"assistant","content":"found it"}]}"#,
        silent: r#"{"id":"a","tools":[{"type":"function","function":{"name":"search","parameters":{"type":"object","required":["q"],"properties":{"q":{"type":"string"}}}}}],"messages":[{"role":"user","content":"find it"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"search","arguments":"{\"q\":\"it\"}"}}]},{"role":"tool","tool_call_id":"1","content":"here"},{"role":"assistant","content":"found it"}]}"#,
    },
    Lint {
        id: "data.arguments",
        severity: Severity::Warning,
        or: None,
        help: "The arguments of a call are not valid JSON, or break the schema that the record declares for the tool: \
               a required one is missing, a type is wrong, a value is not listed, a property does not exist. Checked \
               are `type`, `enum`, `required`, `properties`, `items` and `additionalProperties: false`. Correct the \
               call, or the schema if it is out of date. Reported with `obelus check --data`.",
        fires: r#"{"id":"a","tools":[{"type":"function","function":{"name":"search","parameters":{"type":"object","required":["q"],"properties":{"q":{"type":"string"}}}}}],"messages":[{"role":"user","content":"find it"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"search","arguments":"{\"q\":7}"}}]},{"role":"tool","tool_call_id":"1","content":"here"},{"role":"assistant","content":"found it"}]}"#,
        silent: r#"{"id":"a","tools":[{"type":"function","function":{"name":"search","parameters":{"type":"object","required":["q"],"properties":{"q":{"type":"string"}}}}}],"messages":[{"role":"user","content":"find it"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"search","arguments":"{\"q\":\"it\"}"}}]},{"role":"tool","tool_call_id":"1","content":"here"},{"role":"assistant","content":"found it"}]}"#,
    },
    Lint {
        id: "data.truncated",
        severity: Severity::Warning,
        or: None,
        help: "The run has no proper end: the writer says that it was stopped by a limit (`finish_reason` or \
               `stop_reason`), the last step is a call that nothing answers and that does not finish, or the last text \
               ends in a block of code with an open bracket or string. A block that lacks only its closing fence \
               counts as complete, since a stop sequence removes the fence. A model learns to stop there. Remove the \
               sample, or the last step. Where more than half of the samples of a file end with a call, three at \
               least, this is reported once: datasets of next actions end that way by design. Reported with `obelus \
               check --data`.",
        fires: r#"{"id":"a","messages":[{"role":"user","content":"write it"},{"role":"assistant","content":"Here:\n```python\nprint(1"}]}"#,
        silent: r#"{"id":"a","messages":[{"role":"user","content":"write it"},{"role":"assistant","content":"Here:\n```python\nprint(1)\n```"}]}"#,
    },
    Lint {
        id: "data.refusal",
        severity: Severity::Warning,
        or: None,
        help: "The run ends with the agent refusing in one of the usual phrases. That may be right, but refusals that \
               were scraped by accident teach a model to refuse. Empty answers are reported by adp.empty and \
               sft.empty. Reported with `obelus check --data`.",
        fires: r#"{"id":"a","messages":[{"role":"user","content":"sort my list"},{"role":"assistant","content":"I'm sorry, but I can't help with that."}]}"#,
        silent: r#"{"id":"a","messages":[{"role":"user","content":"sort my list"},{"role":"assistant","content":"1, 2, 3"}]}"#,
    },
    Lint {
        id: "data.loop",
        severity: Severity::Warning,
        or: None,
        help: "The agent makes the same call with the same arguments four times in a row or more, or two or three \
               calls in turn three times or more. If the results are equal, the agent was stuck; if they differ, it \
               may have had a reason, such as reading page after page: the message says which. Text before a call is \
               ignored. The finding is at the fourth call, or at the end of the third round. Remove the repetition, or \
               the sample. Reported with `obelus check --data`.",
        fires: r#"{"id":"a","messages":[{"role":"user","content":"wait"},{"role":"assistant","content":null,"tool_calls":[{"id":"0","function":{"name":"poll","arguments":"{\"job\":1}"}}]},{"role":"tool","tool_call_id":"0","content":"busy"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"poll","arguments":"{\"job\":1}"}}]},{"role":"tool","tool_call_id":"1","content":"busy"},{"role":"assistant","content":null,"tool_calls":[{"id":"2","function":{"name":"poll","arguments":"{\"job\":1}"}}]},{"role":"tool","tool_call_id":"2","content":"busy"},{"role":"assistant","content":null,"tool_calls":[{"id":"3","function":{"name":"poll","arguments":"{\"job\":1}"}}]},{"role":"tool","tool_call_id":"3","content":"busy"},{"role":"assistant","content":"done"}]}"#,
        silent: r#"{"id":"a","messages":[{"role":"user","content":"wait"},{"role":"assistant","content":null,"tool_calls":[{"id":"0","function":{"name":"poll","arguments":"{\"job\":1}"}}]},{"role":"tool","tool_call_id":"0","content":"busy"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"poll","arguments":"{\"job\":1}"}}]},{"role":"tool","tool_call_id":"1","content":"busy"},{"role":"assistant","content":null,"tool_calls":[{"id":"2","function":{"name":"poll","arguments":"{\"job\":1}"}}]},{"role":"tool","tool_call_id":"2","content":"busy"},{"role":"assistant","content":"done"}]}"#,
    },
    Lint {
        id: "data.double-encoded",
        severity: Severity::Warning,
        or: None,
        help: "The arguments of a call are JSON in a JSON string in a string: they were encoded twice. A reader gets a \
               string instead of an object, and a model learns to write such calls. Decode them once in the program \
               that writes the data; `obelus export --arguments object` writes them as objects. For arguments that are \
               correct in the record but encoded twice by a template, see loss.double-encoded. Reported with `obelus \
               check --data`.",
        fires: r#"{"id":"a","messages":[{"role":"user","content":"find it"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"search","arguments":"\"{\\\"q\\\": \\\"it\\\"}\""}}]},{"role":"tool","tool_call_id":"1","content":"ok"},{"role":"assistant","content":"done"}]}"#,
        silent: r#"{"id":"a","messages":[{"role":"user","content":"find it"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"search","arguments":"{\"q\": \"it\"}"}}]},{"role":"tool","tool_call_id":"1","content":"ok"},{"role":"assistant","content":"done"}]}"#,
    },
    Lint {
        id: "data.special-token",
        severity: Severity::Warning,
        or: None,
        help: "A text holds a token with which chat templates divide messages, such as `<|im_end|>`, `<start_of_turn>` \
               or `[INST]`. A tokenizer turns it into the token, so for the model the message ends there, and what \
               follows belongs to another speaker. Most often it is a remnant of a text that was already rendered. \
               Remove it, or break it up. Texts that rollouts store as rendered (`input` and `output` of verl), and \
               texts beside a conversation that begin or end with such a token, are not checked; for the tokens of one \
               template see loss.special-token. Reported with `obelus check --data`.",
        fires: r#"{"id":"a","messages":[{"role":"user","content":"what is 2+2?"},{"role":"assistant","content":"4<|im_end|>"}]}"#,
        silent: r#"{"id":"a","messages":[{"role":"user","content":"what is 2+2?"},{"role":"assistant","content":"4"}]}"#,
    },
    Lint {
        id: "data.repetition",
        severity: Severity::Warning,
        or: None,
        help: "The agent's text repeats itself: its end repeats up to 400 bytes eight times or more, at least 120 \
               bytes in all, or a line occurs ten times in a row. Generation was stuck in a loop, most often until a \
               limit stopped it, and a model that learns from it does the same. Table rules and rows of equal digits \
               are not reported. Remove the sample, or cut it off before the repetition. Reported with `obelus check \
               --data`.",
        fires: r#"{"id":"a","messages":[{"role":"user","content":"where is it?"},{"role":"assistant","content":"I look for it. It is not in this folder. It is not in this folder. It is not in this folder. It is not in this folder. It is not in this folder. It is not in this folder. It is not in this folder. It is not in this folder. It is not in this folder. It is not in this folder. It is not in this folder. It is not in this folder. "}]}"#,
        silent: r#"{"id":"a","messages":[{"role":"user","content":"where is it?"},{"role":"assistant","content":"I look for it. It is not in this folder. It is not in this folder. "}]}"#,
    },
    Lint {
        id: "data.other-target",
        severity: Severity::Warning,
        or: None,
        help: "An earlier sample has the same prompt (all before the first answer, with system prompt and tools) and \
               another answer. Where one answer is right, one of the two is wrong, or the prompt lacks what \
               distinguishes them. Records that say which attempt they are, or how good (`task_id`, `instance_id`, \
               `trial`, `reward`, `label` and the like), are not checked, since several answers are intended there. \
               Where more than half of the samples of a file do so, three at least, it is reported once. These \
               findings follow the others of the file. Reported with `obelus check --data`.",
        fires: r#"{"id":"a","messages":[{"role":"user","content":"which file has it?"},{"role":"assistant","content":"a.txt"}]}
{"id":"b","messages":[{"role":"user","content":"which file has it?"},{"role":"assistant","content":"b.txt"}]}"#,
        silent: r#"{"id":"a","messages":[{"role":"user","content":"which file has it?"},{"role":"assistant","content":"a.txt"}]}
{"id":"b","messages":[{"role":"user","content":"which folder has it?"},{"role":"assistant","content":"b"}]}"#,
    },
    Lint {
        id: "data.conflicting-label",
        severity: Severity::Warning,
        or: None,
        help: "Two records of the same content have different labels: an earlier one has another `label`, `reward`, \
               `score`, `resolved` or `correct`; or the chosen and the rejected answer of a preference pair are equal. \
               A reward model learns noise from it. Find out which is right, and remove the other. Records without a \
               message are not compared. Reported with `obelus check --data`.",
        fires: r#"{"id":"a","reward":1,"messages":[{"role":"user","content":"2+2?"},{"role":"assistant","content":"4"}]}
{"id":"b","reward":0,"messages":[{"role":"user","content":"2+2?"},{"role":"assistant","content":"4"}]}"#,
        silent: r#"{"id":"a","reward":1,"messages":[{"role":"user","content":"2+2?"},{"role":"assistant","content":"4"}]}
{"id":"b","reward":0,"messages":[{"role":"user","content":"2+2?"},{"role":"assistant","content":"5"}]}"#,
    },
    Lint {
        id: "data.mojibake",
        severity: Severity::Warning,
        or: None,
        help: "A text contains pairs of characters that result from reading UTF-8 as Latin-1 or Windows-1252, such as \
               Ã© for é and â€™ for an apostrophe. Fix it in the program that writes the data: it can be undone as \
               long as no character was lost. Only the most certain pairs are reported, the first of each step. \
               Reported with `obelus check --data`.",
        fires: r#"{"id":"a","messages":[{"role":"user","content":"where is the cafÃ©?"},{"role":"assistant","content":"there"}]}"#,
        silent: r#"{"id":"a","messages":[{"role":"user","content":"where is the café?"},{"role":"assistant","content":"there"}]}"#,
    },
    Lint {
        id: "data.replacement-char",
        severity: Severity::Warning,
        or: None,
        help: "A text holds the replacement character U+FFFD: bytes were lost in an encoding and cannot be brought \
               back from here. Read the source again in its right encoding. Reported with `obelus check --data`.",
        fires: r#"{"id":"a","messages":[{"role":"user","content":"where is the caf�?"},{"role":"assistant","content":"there"}]}"#,
        silent: r#"{"id":"a","messages":[{"role":"user","content":"where is the café?"},{"role":"assistant","content":"there"}]}"#,
    },
    Lint {
        id: "data.secret",
        severity: Severity::Warning,
        or: None,
        help: "A text holds what looks like a secret: a key or token of a well-known service by its shape, a JSON Web \
               Token, a private key, an address with a user and a password in it, or a long random value behind a name \
               such as `password`. Models repeat what they learn: remove it, and revoke it, since everybody with \
               access to the data could read it. The message does not repeat it. Placeholders are not reported, and a \
               text that many records have is printed once, at the first; filters, exports and `--json` find it in \
               each. Texts of every format are looked at, those that a stream has in pieces as a whole too. Reported \
               with `obelus check --data`.",
        fires: r#"{"id":"a","messages":[{"role":"user","content":"my client_secret=aB3dE5gH7jK9mN1pQ2sT4vW6 fails"},{"role":"assistant","content":"renew it"}]}"#,
        silent: r#"{"id":"a","messages":[{"role":"user","content":"my client_secret=$SECRET fails"},{"role":"assistant","content":"renew it"}]}"#,
    },
    Lint {
        id: "data.personal",
        severity: Severity::Warning,
        or: None,
        help: "A text holds what looks like an e-mail address, a telephone number with the code of its country, the \
               number of a payment card whose check digit is right, an IBAN or a United States social security \
               number behind its name. The message shows it masked. Replace it by a placeholder. Addresses at \
               domains that are reserved or made up for examples (example.com, yourcompany.com), of programs and of \
               machines are not reported, and a text that many records have is printed once, at the first; filters, \
               exports and `--json` find it in each. Texts of every format are checked, those that a stream has in \
               pieces as a whole too. Reported with \
               `obelus check --data`.",
        fires: r#"{"id":"a","messages":[{"role":"user","content":"write to jo.doe@mail.uni-x.de"},{"role":"assistant","content":"done"}]}"#,
        silent: r#"{"id":"a","messages":[{"role":"user","content":"write to user@example.com"},{"role":"assistant","content":"done"}]}"#,
    },
];
