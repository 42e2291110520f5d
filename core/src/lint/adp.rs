//! What is found in standardized trajectories (D1 to D16).

use super::Lint;
use crate::model::Severity::{Error, Warning};

pub(super) static LINTS: &[Lint] = &[
    Lint {
        id: "adp.json",
        severity: Error,
        or: None,
        help: "The record cannot be read: cut off, bad syntax, `NaN` or `Infinity` (which Python writes), a lone \
               surrogate escape, bytes that are not UTF-8, or nesting of 200 levels and more (D1). A trainer stops at \
               it or silently skips it. The message says at which byte; the other records are read.",
        fires: r#"{"id":"t","content":[],"details":{"score":NaN}}"#,
        silent: r#"{"id":"t","details":{"score":"0.5"},"content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.shape",
        severity: Warning,
        or: None,
        help: "The record is not a trajectory: neither items in `content`, nor a conversation, nor ATIF steps (D2). It \
               is shown as JSON and counted, but nothing else can be checked. Metadata between trajectories belongs \
               into another file. Or it holds so many attempts at one prompt that not all of them are read: 64 are \
               always, more as long as they have 65,536 messages together, the prompt in each, and 64 MiB of what \
               else the record says, which each repeats.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}
{"dataset":"demo"}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.version",
        severity: Error,
        or: Some(Warning),
        help: "The `schema_version` is not one of 1.0.0 to 1.5.0 and is read as 1.5.0 (D3): an error, because a strict \
               reader rejects it; a warning where it is a newer 1.x, which may only have fields that are not known \
               here.",
        fires: r#"{"id":"t","schema_version":"2.0","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
        silent: r#"{"id":"t","schema_version":"1.2.0","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.required",
        severity: Error,
        or: None,
        help: "A field that the format requires is missing (D4, D5, D8); the path is where it should be. A strict \
               reader rejects the whole record. Note that `description` of a code_action must be there even if it is \
               null.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"code_action","language":"bash","content":"ls"}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"code_action","language":"bash","content":"ls","description":null}]}"#,
    },
    Lint {
        id: "adp.type",
        severity: Error,
        or: None,
        help: "A value has the wrong JSON type, is null where null is not allowed, or an item is not an object (D4, \
               D5, D8). A strict reader rejects the whole record.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"api_action","function":"ls","kwargs":"-l"}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"api_action","function":"ls","kwargs":{"flags":"-l"}}]}"#,
    },
    Lint {
        id: "adp.coerced",
        severity: Warning,
        or: None,
        help: "A number is written as a text or a boolean (D8). Readers with lax types convert it, others reject it \
               or sort it as text. Write it as a number.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","reward":"0.5"}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","reward":0.5}]}"#,
    },
    Lint {
        id: "adp.extra-field",
        severity: Error,
        or: Some(Warning),
        help: "The format has no such field here (D8). From version 1.2.0 on a strict reader rejects the record (an \
               error); before, readers drop the field without a word, so its data is lost (a warning). What is your \
               own goes into `details`.",
        fires: r#"{"id":"t","schema_version":"1.2.0","split":"train","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
        silent: r#"{"id":"t","schema_version":"1.2.0","details":{"split":"train"},"content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.class",
        severity: Error,
        or: None,
        help: "The class of the item is not one of the seven and cannot be derived from its fields (D6). No rule can \
               look at its fields, it counts as unknown in statistics, and a strict reader rejects the record.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"dance","content":"waltz"}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.class-missing",
        severity: Warning,
        or: None,
        help: "The item has no `class_`; it is read by its fields (D6). Readers of the format need the class to \
               choose a model, and fail or guess differently. Write it out.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"content":"a.txt"}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.class-spelling",
        severity: Warning,
        or: None,
        help: "The class is given by another key or spelling, such as `class` or `MessageAction` (D6). It is \
               understood here, but the models of the format reject it.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"MessageAction","content":"a.txt"}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.field-alias",
        severity: Warning,
        or: None,
        help: "A field has another name: `message`, `text` or `code` for `content`, `thought` or `thoughts` for \
               `description`, `args` for `kwargs` (D7). Older documentation uses these; the models of the format \
               reject or drop them. Rename it.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","message":"a.txt"}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.source",
        severity: Error,
        or: None,
        help: "The `source` of an observation is not `user`, `agent` or `environment` (D9). Roles of the training text \
               are made from it, so a strict reader rejects the record.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"system"},
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.language",
        severity: Error,
        or: None,
        help: "The `language` of a code_action is not on the format's list (D9), so a strict reader rejects the \
               record. Most misspellings and dialects have an entry: `bash`, `python`, `javascript`, `sql`.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"code_action","language":"bash5","content":"ls","description":null}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"code_action","language":"bash","content":"ls","description":null}]}"#,
    },
    Lint {
        id: "adp.call-id",
        severity: Error,
        or: None,
        help: "The `tool_call_id` that links calls and results is missing, double, or leads nowhere (D10). A converter \
               cannot know which result belongs to which call, and rejects the record or pairs them wrongly. Give \
               every call a unique id, and its result the same id.",
        fires: r#"{"id":"t","schema_version":"1.3.0","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"api_action","function":"ls","kwargs":{}},
{"class_":"text_observation","content":"a.txt","source":"environment"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
        silent: r#"{"id":"t","schema_version":"1.3.0","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"api_action","function":"ls","kwargs":{},"tool_call_id":"c1"},
{"class_":"text_observation","content":"a.txt","source":"environment","tool_call_id":"c1"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.unanswered-call",
        severity: Error,
        or: Some(Warning),
        help: "Nothing answers this call (D10). Where calls have ids, no later observation has this one: an error, \
               because a strict reader rejects it. Without ids the call is directly followed by another action: a \
               warning, since a model trained on it learns not to wait for results. A call that ends the run, as \
               `finish`, needs no answer.",
        fires: r#"{"id":"t","schema_version":"1.3.0","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"api_action","function":"ls","kwargs":{},"tool_call_id":"c1"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
        silent: r#"{"id":"t","schema_version":"1.3.0","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"api_action","function":"ls","kwargs":{},"tool_call_id":"c1"},
{"class_":"text_observation","content":"a.txt","source":"environment","tool_call_id":"c1"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.available",
        severity: Error,
        or: None,
        help: "The trajectory calls a function, or uses a language, that it does not list as available; or it lists a \
               language that is unknown or not used (D11). The system prompt made from these lists would not fit what \
               the agent does.",
        fires: r#"{"id":"t","available_apis":["find"],"content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"api_action","function":"ls","kwargs":{}},
{"class_":"text_observation","content":"a.txt","source":"environment"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
        silent: r#"{"id":"t","available_apis":["find","ls"],"content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"api_action","function":"ls","kwargs":{}},
{"class_":"text_observation","content":"a.txt","source":"environment"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.details-type",
        severity: Warning,
        or: None,
        help: "Before there were versions, all `details` are strings (D12). Readers of that time reject other values. \
               Write them as strings, or give the record a `schema_version`.",
        fires: r#"{"id":"t","details":{"score":0.5},"content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
        silent: r#"{"id":"t","details":{"score":"0.5"},"content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.numeric-detail",
        severity: Warning,
        or: None,
        help: "By its name the detail is a number (`reward`, `…_score`, `…_count`), but it is a string (D12). Who \
               filters or averages by it gets nothing, or the order of text. Write it as a number.",
        fires: r#"{"id":"t","schema_version":"1.2.0","details":{"score":"0.5"},"content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
        silent: r#"{"id":"t","schema_version":"1.2.0","details":{"score":0.5},"content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.details-misplaced",
        severity: Warning,
        or: None,
        help: "`available_apis` and `system_prompt` do not belong into `details` (D12): converters look for them \
               elsewhere and do not find them. The list belongs into its field at the root.",
        fires: r#"{"id":"t","schema_version":"1.2.0","details":{"available_apis":["ls"]},"content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"api_action","function":"ls","kwargs":{}},
{"class_":"text_observation","content":"a.txt","source":"environment"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
        silent: r#"{"id":"t","schema_version":"1.2.0","available_apis":["ls"],"content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"api_action","function":"ls","kwargs":{}},
{"class_":"text_observation","content":"a.txt","source":"environment"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.empty",
        severity: Warning,
        or: None,
        help: "Something is there but blank: a trajectory without items, an id, a text, a function name, a page with \
               neither html, axtree, url nor image (D13). Mostly a converter lost it; a model trained on blank texts \
               of the agent learns to answer nothing. A blank observation trains nothing, and is correct for a tool \
               without output.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":" \n"}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.think-token",
        severity: Warning,
        or: None,
        help: "The agent's text holds a `<think` or `</think` tag (D13). Reasoning models put these in themselves; in \
               training text they come twice or in the wrong place. Reasoning belongs into `reasoning_content`, \
               without tags.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"<think>look</think> a.txt"}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","reasoning_content":"look"}]}"#,
    },
    Lint {
        id: "adp.control-chars",
        severity: Warning,
        or: None,
        help: "A text holds control characters: terminal colours, bells, lone carriage returns (D13). They cost \
               tokens, and a model learns to write them. In data of other formats a lone carriage return is \
               none. The path is the first such text of the item; strip them when \
               the data is made.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"api_action","function":"ls","kwargs":{}},
{"class_":"text_observation","content":"\u001b[34ma.txt\u001b[0m","source":"environment"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"api_action","function":"ls","kwargs":{}},
{"class_":"text_observation","content":"a.txt","source":"environment"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.image-path",
        severity: Warning,
        or: None,
        help: "An image is named by a path of one machine (`file://`, `/…`, `C:…`) (D13): it cannot be opened \
               elsewhere. Use a path relative to the dataset, an address, or the image itself.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"image_observation","content":"/tmp/shot.png","source":"environment"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"image_observation","content":"images/shot.png","source":"environment"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.first-not-user",
        severity: Warning,
        or: None,
        help: "The first item that is not the environment's is not an observation of the user (D14): there is no task \
               that the agent could be answering. The instruction was lost, or has another source.",
        fires: r#"{"id":"t","content":[
{"class_":"message_action","content":"a.txt","description":null},
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.last-not-agent",
        severity: Warning,
        or: None,
        help: "The trajectory ends with an observation (D14): the agent never answers it. Nothing is learned from \
               this last item, and the run was probably cut off. Cut it off before, or find the end.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"api_action","function":"ls","kwargs":{}},
{"class_":"text_observation","content":"a.txt","source":"environment"}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"api_action","function":"ls","kwargs":{}},
{"class_":"text_observation","content":"a.txt","source":"environment"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.consecutive",
        severity: Warning,
        or: None,
        help: "The agent speaks twice in a row, or the user does (D14). Chat templates want speakers to take turns, \
               so a converter joins or drops one. The path is the second; join them if they belong together.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null},
{"class_":"message_action","content":"That is all.","description":null}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt. That is all.","description":null}]}"#,
    },
    Lint {
        id: "adp.duplicate-id",
        severity: Warning,
        or: None,
        help: "An earlier record of the file has the same id (D15). Whatever is joined by id, such as rewards or \
               splits, then hits the wrong one. Either the record is there twice, or ids were counted per shard. \
               Records that are steps of a run, by a number such as `step` or `turn_index`, have its id by right.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}
{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"b.txt","description":null}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}
{"id":"u","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"b.txt","description":null}]}"#,
    },
    Lint {
        id: "adp.duplicate-content",
        severity: Warning,
        or: None,
        help: "An earlier record of the file has the same content (D15). It counts twice in training, and if the \
               copies fall into different splits, the test data has been seen. Keep one.",
        fires: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}
{"id":"u","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}"#,
        silent: r#"{"id":"t","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"a.txt","description":null}]}
{"id":"u","content":[
{"class_":"text_observation","content":"list it","source":"user"},
{"class_":"message_action","content":"b.txt","description":null}]}"#,
    },
];
