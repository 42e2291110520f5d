//! What is found in execution contexts of Scopix (S29).

use super::Lint;
use crate::model::Severity::{Error, Info, Warning};

pub(super) static LINTS: &[Lint] = &[
    Lint {
        id: "scopix.invalid-json",
        severity: Error,
        or: None,
        help: "The record is not valid JSON: cut off, bad syntax, or bytes that are not UTF-8 (S1). It is a step that \
               writes nothing, so its slots are missing from it on. Look at the byte that the message names.",
        fires: r#"{"slots":{}}
{"slots":{"a":"#,
        silent: r#"{"slots":{}}"#,
    },
    Lint {
        id: "scopix.unknown-record",
        severity: Warning,
        or: None,
        help: "The record has none of the shapes of an execution context: no slots, no write, no result, no contract \
               (S9). It is a step that writes nothing. Keep other records in another file, or look for a misspelt key \
               such as `slot` for `slot_name`.",
        fires: r#"{"slots":{}}
{"slot":"note","value":"x"}"#,
        silent: r#"{"slots":{}}
{"slot_name":"note","value":"x","data_type":"TEXT","source_node":"writer"}"#,
    },
    Lint {
        id: "scopix.bad-slot",
        severity: Error,
        or: None,
        help: "The slot is not a typed slot: it has no `value` and is skipped, or its type or source is not a string \
               (S2). The agent that reads it gets nothing, or cannot be routed to. Give it `value`, `data_type` and \
               `source_node`.",
        fires: r#"{"slots":{"note":"x"}}"#,
        silent: r#"{"slots":{"note":{"value":"x","data_type":"TEXT","source_node":"writer"}}}"#,
    },
    Lint {
        id: "scopix.unknown-data-type",
        severity: Warning,
        or: None,
        help: "The data type is not in the registry (S14: FILE_IDS, CATEGORIZATION, FOLDER_RESULT, ANALYSIS_RESULT, \
               TEXT, CROSS_REF). Nothing is routed or merged by it. Mostly a misspelling; the path is the slot, or the \
               output of a contract. Register custom types with `--data-type NAME=SCHEMA` or in the table [data-types] \
               of obelus.toml.",
        fires: r#"{"slots":{"note":{"value":"x","data_type":"STRING","source_node":"writer"}}}"#,
        silent: r#"{"slots":{"note":{"value":"x","data_type":"TEXT","source_node":"writer"}}}"#,
    },
    Lint {
        id: "scopix.bad-value",
        severity: Warning,
        or: None,
        help: "A FILE_IDS value has neither `ids` of strings nor `refs` with string ids (S29). Agents that take files \
               find none in it, and it merges with nothing. Numbers as ids have to be written as strings. Also: the \
               value does not fit the schema with which its data type was registered.",
        fires: r#"{"slots":{"found":{"value":{"ids":[1,2]},"data_type":"FILE_IDS","source_node":"search"}}}"#,
        silent: r#"{"slots":{"found":{"value":{"ids":["1","2"]},"data_type":"FILE_IDS","source_node":"search"}}}"#,
    },
    Lint {
        id: "scopix.type-change",
        severity: Warning,
        or: None,
        help: "A slot is written with another data type than before (S10). Agents that were routed to it by its type \
               no longer find it. Two agents that use one slot name are the usual cause: give one of them another.",
        fires: r#"{"slot_name":"out","value":"x","data_type":"TEXT","source_node":"a"}
{"slot_name":"out","value":{"ids":["1"]},"data_type":"FILE_IDS","source_node":"b"}"#,
        silent: r#"{"slot_name":"out","value":"x","data_type":"TEXT","source_node":"a"}
{"slot_name":"found","value":{"ids":["1"]},"data_type":"FILE_IDS","source_node":"b"}"#,
    },
    Lint {
        id: "scopix.timestamp-order",
        severity: Warning,
        or: None,
        help: "A slot is written with an earlier timestamp than it had, compared as text (S29). Either the file is not \
               in the order of time, or clocks or formats of time differ between agents; the times do not show which \
               write came last. Write all times in one ISO 8601 form and zone.",
        fires: r#"{"slot_name":"n","value":"x","data_type":"TEXT","source_node":"a","timestamp":"2026-05-01T10:00:05Z"}
{"slot_name":"n","value":"y","data_type":"TEXT","source_node":"a","timestamp":"2026-05-01T10:00:01Z"}"#,
        silent: r#"{"slot_name":"n","value":"x","data_type":"TEXT","source_node":"a","timestamp":"2026-05-01T10:00:05Z"}
{"slot_name":"n","value":"y","data_type":"TEXT","source_node":"a","timestamp":"2026-05-01T10:00:09Z"}"#,
    },
    Lint {
        id: "scopix.slot-vanished",
        severity: Warning,
        or: None,
        help: "A slot of the checkpoint before is missing in this one (S11). The SDK cannot delete slots, so \
               checkpoints of two runs are mixed, or one was cut short. What stood in it is gone from the state here.",
        fires: r#"{"slots":{"note":{"value":"x","data_type":"TEXT","source_node":"a"}}}
{"slots":{}}"#,
        silent: r#"{"slots":{"note":{"value":"x","data_type":"TEXT","source_node":"a"}}}
{"slots":{"note":{"value":"y","data_type":"TEXT","source_node":"a"}}}"#,
    },
    Lint {
        id: "scopix.duplicate-key",
        severity: Warning,
        or: None,
        help: "An object of the record has the same key twice; the last value counts (A6). Other readers may take the \
               first, or refuse the text. The path names the key.",
        fires: r#"{"slots":{"n":{"value":1,"value":"x","data_type":"TEXT","source_node":"a"}}}"#,
        silent: r#"{"slots":{"n":{"value":"x","data_type":"TEXT","source_node":"a"}}}"#,
    },
    Lint {
        id: "scopix.no-op-write",
        severity: Info,
        or: None,
        help: "The slot is written again with the value that it has (S13). Nothing is wrong, but an agent ran for a \
               result that was there already.",
        fires: r#"{"slot_name":"n","value":"x","data_type":"TEXT","source_node":"a"}
{"slot_name":"n","value":"x","data_type":"TEXT","source_node":"b"}"#,
        silent: r#"{"slot_name":"n","value":"x","data_type":"TEXT","source_node":"a"}
{"slot_name":"n","value":"y","data_type":"TEXT","source_node":"b"}"#,
    },
    Lint {
        id: "scopix.agent-failed",
        severity: Info,
        or: None,
        help: "An agent, or the pipeline as a whole, reports that it failed (S5, S8). Its outputs are written all the \
               same, so what later agents read may be half a result.",
        fires: r#"{"agent_name":"search","success":false,"outputs":{"note":"timed out"}}"#,
        silent: r#"{"agent_name":"search","success":true,"outputs":{"note":"two files"}}"#,
    },
    Lint {
        id: "scopix.input-type",
        severity: Error,
        or: None,
        help: "A slot has the name of an agent's input, but another data type than its contract asks for (S28). \
               Reading it raises a TypeError in the SDK. Rename one of them, or mend the contract.",
        fires: r#"{"slot_name":"q","value":"x","data_type":"TEXT","source_node":"user"}
{"name":"search","capability":"c","inputs":[{"name":"q","data_type":"FILE_IDS"}],"outputs":[]}"#,
        silent: r#"{"slot_name":"q","value":"x","data_type":"TEXT","source_node":"user"}
{"name":"search","capability":"c","inputs":[{"name":"q","data_type":"TEXT"}],"outputs":[]}"#,
    },
    Lint {
        id: "scopix.required-input",
        severity: Error,
        or: None,
        help: "A required input of a contract that no slot and no output of another contract can supply (S28): the \
               agent cannot start. Add an agent that makes it, write the slot, or say `\"required\": false`. \
               Contracts in a file without any slot only declare: there it is not looked for.",
        fires: r#"{"slot_name":"n","value":1,"data_type":"TEXT","source_node":"user"}
{"name":"search","capability":"c","inputs":[{"name":"q","data_type":"FILE_IDS"}],"outputs":[]}"#,
        silent: r#"{"name":"search","capability":"c","outputs":[],
"inputs":[{"name":"q","data_type":"TEXT","required":false}]}"#,
    },
    Lint {
        id: "scopix.undeclared-output",
        severity: Warning,
        or: None,
        help: "An agent with a contract writes a slot that the contract does not declare (S28). Nothing is routed \
               from it and its type is only guessed. Declare the output, or rename the slot.",
        fires: r#"{"name":"search","capability":"c","inputs":[],"outputs":[{"name":"found","data_type":"TEXT"}]}
{"slot_name":"extra","value":"x","data_type":"TEXT","source_node":"search"}"#,
        silent: r#"{"name":"search","capability":"c","inputs":[],"outputs":[{"name":"found","data_type":"TEXT"}]}
{"slot_name":"found","value":"x","data_type":"TEXT","source_node":"search"}"#,
    },
    Lint {
        id: "scopix.output-type",
        severity: Error,
        or: None,
        help: "An agent writes an output with another data type than its contract declares (S28). Agents that were \
               planned by the contract read a value that they cannot take. Mend the contract or the agent.",
        fires: r#"{"name":"search","capability":"c","inputs":[],"outputs":[{"name":"found","data_type":"FILE_IDS"}]}
{"slot_name":"found","value":"x","data_type":"TEXT","source_node":"search"}"#,
        silent: r#"{"name":"search","capability":"c","inputs":[],"outputs":[{"name":"found","data_type":"TEXT"}]}
{"slot_name":"found","value":"x","data_type":"TEXT","source_node":"search"}"#,
    },
    Lint {
        id: "scopix.not-mergeable",
        severity: Warning,
        or: None,
        help: "A contract calls an output mergeable, but values of its data type do not merge: only FILE_IDS and \
               CATEGORIZATION do (S14, S29). Of two such outputs one is lost. Leave `mergeable` out, or use a type \
               that merges.",
        fires: r#"{"name":"a","capability":"c","inputs":[],
"outputs":[{"name":"t","data_type":"TEXT","mergeable":true}]}"#,
        silent: r#"{"name":"a","capability":"c","inputs":[],"outputs":[{"name":"t","data_type":"TEXT"}]}"#,
    },
    Lint {
        id: "scopix.chain-target",
        severity: Warning,
        or: None,
        help: "An entry of a contract's `can_chain_with` is no capability and no contract of the file has that name, \
               or no contract that it means takes any of the outputs (S24). A planner that follows it finds no agent, \
               or one that has nothing to work with. Mostly a misspelling, or an input that another contract lacks.",
        fires: r#"{"name":"a","capability":"search","inputs":[],"can_chain_with":["analysys"],
"outputs":[{"name":"t","data_type":"TEXT"}]}"#,
        silent: r#"{"name":"a","capability":"search","inputs":[],"can_chain_with":["analysis"],
"outputs":[{"name":"t","data_type":"TEXT"}]}"#,
    },
    Lint {
        id: "scopix.fan-in-conflict",
        severity: Error,
        or: None,
        help: "Two agents that do not depend on one another give a node the same data type with the same hint (S27). \
               Both fill the same field of the conversation, and which one wins is chance; the engine rejects such a \
               pipeline. Put a merging agent between, or make one depend on the other.",
        fires: r#"{"contracts":[
{"name":"a","capability":"c","inputs":[],
 "outputs":[{"name":"x","data_type":"FILE_IDS","content_type_hint":"images"}]},
{"name":"b","capability":"c","inputs":[],
 "outputs":[{"name":"y","data_type":"FILE_IDS","content_type_hint":"images"}]},
{"name":"sort","capability":"c","outputs":[],
 "inputs":[{"name":"files","data_type":"FILE_IDS","content_type_hint":"images"}]}]}"#,
        silent: r#"{"contracts":[
{"name":"a","capability":"c","inputs":[],
 "outputs":[{"name":"x","data_type":"FILE_IDS","content_type_hint":"images"}]},
{"name":"b","capability":"c","inputs":[],
 "outputs":[{"name":"y","data_type":"TEXT"}]},
{"name":"sort","capability":"c","outputs":[],
 "inputs":[{"name":"files","data_type":"FILE_IDS","content_type_hint":"images"}]}]}"#,
    },
    Lint {
        id: "scopix.contract-cycle",
        severity: Error,
        or: None,
        help: "Agents wait for one another in a circle (S26), so none of them can start. The path is the first node \
               of the circle, the message names all. Break it: one of them has to begin without the other's output.",
        fires: r#"{"contracts":[
{"name":"a","capability":"c","inputs":[{"name":"x","data_type":"TEXT"}],
 "outputs":[{"name":"y","data_type":"CROSS_REF"}]},
{"name":"b","capability":"c","inputs":[{"name":"y","data_type":"CROSS_REF"}],
 "outputs":[{"name":"x","data_type":"TEXT"}]}]}"#,
        silent: r#"{"contracts":[
{"name":"a","capability":"c","inputs":[],"outputs":[{"name":"y","data_type":"CROSS_REF"}]},
{"name":"b","capability":"c","inputs":[{"name":"y","data_type":"CROSS_REF"}],
 "outputs":[{"name":"x","data_type":"TEXT"}]}]}"#,
    },
];
