//! What is found in contexts and logs of Agent/Data (A44).

use super::Lint;
use crate::model::Severity::{Error, Info, Warning};

pub(super) static LINTS: &[Lint] = &[
    Lint {
        id: "acts.invalid-json",
        severity: Error,
        or: None,
        help: "The record is not valid JSON: cut off, bad syntax, `NaN`, a lone surrogate escape, or bytes that are \
               not UTF-8 (A1). It counts as a step that writes nothing, so whatever it would have written is missing \
               from the state of all later steps. Look at the byte that the message names; a line without end means \
               that the writer was stopped while it wrote.",
        fires: r#"{"type":"state","state":{"n":1}}
{"type":"state","state":{"n":"#,
        silent: r#"{"type":"state","state":{"n":1}}
{"type":"state","state":{"n":2}}"#,
    },
    Lint {
        id: "acts.not-a-message",
        severity: Error,
        or: None,
        help: "This is JSON, but no message: no object, or one without `type`, `role`, `content` and `text` (A8). An \
               engine drops it, so its content reaches neither the model nor the state. Give it a type, or keep \
               records of another kind in another file.",
        fires: r#"{"type":"text","text":"hi"}
{"cpu":0.3}"#,
        silent: r#"{"type":"text","text":"hi"}
{"type":"meta","cpu":0.3}"#,
    },
    Lint {
        id: "acts.bad-reference",
        severity: Error,
        or: None,
        help: "A parameter begins with † but does not parse as a reference (A32), so the call gets the text itself or \
               fails. The path names the call, the message the text. Write `†kind.key`, `[0]` for an index and \
               `[\"any key\"]` for a key with dots, spaces or brackets in it.",
        fires: r#"[{"type":"state","state":{"city":"Lyon"}},
{"type":"plan","plan":[{"_tool":"book","city":"†state..city"}]}]"#,
        silent: r#"[{"type":"state","state":{"city":"Lyon"}},
{"type":"plan","plan":[{"_tool":"book","city":"†state.city"}]}]"#,
    },
    Lint {
        id: "acts.bad-output-path",
        severity: Error,
        or: None,
        help: "`_outputPath` is not a reference (A19, A32), or text of the wider language such as \
               `†state.list.map(f)`, which names no place (A36). It is undefined where the result of the call belongs: \
               it is lost, or merges as a plain message. It begins with † and the kind, as `†state.hotel`.",
        fires: r#"{"type":"plan","plan":[{"_tool":"book","_outputPath":"state.hotel"}]}"#,
        silent: r#"{"type":"plan","plan":[{"_tool":"book","_outputPath":"†state.hotel"}]}"#,
    },
    Lint {
        id: "acts.dangling-reference",
        severity: Error,
        or: None,
        help: "A call reads something that is not there at the end of its tick, and no other call of the plan can \
               write it (A43): the call can never run. Mostly a misspelt path, an input that was not given, or a \
               writer that was taken out of the plan.",
        fires: r#"[{"type":"state","state":{"town":"Lyon"}},
{"type":"plan","plan":[{"_tool":"book","city":"†state.city"}]}]"#,
        silent: r#"[{"type":"state","state":{"city":"Lyon"}},
{"type":"plan","plan":[{"_tool":"book","city":"†state.city"}]}]"#,
    },
    Lint {
        id: "acts.plan-cycle",
        severity: Error,
        or: None,
        help: "Calls of the plan wait for one another in a circle (A40), so none of them and nothing after them can \
               run. The path is the first call of the circle. Break it: let one of them read its value from elsewhere.",
        fires: r#"{"type":"plan","plan":[{"_tool":"quote","stay":"†state.stay","_outputPath":"†state.price"},
{"_tool":"plan","price":"†state.price","_outputPath":"†state.stay"}]}"#,
        silent: r#"{"type":"plan","plan":[{"_tool":"quote","_outputPath":"†state.price"},
{"_tool":"plan","price":"†state.price","_outputPath":"†state.stay"}]}"#,
    },
    Lint {
        id: "acts.unknown-type",
        severity: Warning,
        or: None,
        help: "The protocol has no message of this type, or the message has a role but no type (A8). It is passed \
               through: it writes no state. If it should, its type is misspelt; otherwise the type `meta` marks that \
               it is not meant to be read.",
        fires: r#"{"type":"telemetry","cpu":0.3}"#,
        silent: r#"{"type":"meta","cpu":0.3}"#,
    },
    Lint {
        id: "acts.bad-kind",
        severity: Warning,
        or: None,
        help: "The `kind` is not a non-empty string and counts as absent (A13): the value merges into the data \
               without kind, together with that of all other messages without one. Name the kind with a string.",
        fires: r#"{"type":"data","kind":7,"data":{"n":1}}"#,
        silent: r#"{"type":"data","kind":"count","data":{"n":1}}"#,
    },
    Lint {
        id: "acts.bad-instance",
        severity: Warning,
        or: None,
        help: "The `_instance` is neither a non-empty string nor a number, and is skipped (A14): the write goes to \
               the global identity, where every instance reads it. Name the instance with a string or number, or \
               leave it out.",
        fires: r#"{"type":"state","_instance":true,"state":{"n":1}}"#,
        silent: r#"{"type":"state","_instance":"①","state":{"n":1}}"#,
    },
    Lint {
        id: "acts.bad-schema",
        severity: Warning,
        or: None,
        help: "The `schema` is not valid JSON Schema: neither an object nor a boolean (it is ignored), or an object \
               that JSON Schema 2020-12 does not allow (it is shown, not enforced) (A20). Nothing is checked against \
               it, so values of any shape pass.",
        fires: r#"{"type":"state","state":{"n":1},"schema":"number"}"#,
        silent: r#"{"type":"state","state":{"n":1},"schema":{"type":"object"}}"#,
    },
    Lint {
        id: "acts.unchecked-schema",
        severity: Warning,
        or: None,
        help: "A value is not checked against its schema, or not all of it, because that could take more work, stack \
               or memory than a check is given. It was not checked, so whether it breaks the schema is unknown. \
               Schemas that apply themselves to the same value, name the next level twice at each of many levels, or \
               refer to each other in a long chain ask for that, and so do values with very many violations. Make the \
               schema simpler.",
        fires: r##"{"type":"state","state":{"n":1},"schema":{"allOf":[{"$ref":"#"}]}}"##,
        silent: r#"{"type":"state","state":{"n":1},"schema":{"properties":{"n":{"type":"number"}}}}"#,
    },
    Lint {
        id: "acts.output-path-missing",
        severity: Warning,
        or: None,
        help: "The message names an `_outputPath`, but its data has no value there (A19). It merges as a plain \
               message, so a method such as `push` is not applied and what was at the path stays. The tool answered \
               with another shape than its call promised.",
        fires: r#"{"type":"data","kind":"state","data":{"rooms":2},
"_call":{"_tool":"find","_outputPath":"†state.hotels"}}"#,
        silent: r#"{"type":"data","kind":"state","data":{"hotels":[]},
"_call":{"_tool":"find","_outputPath":"†state.hotels"}}"#,
    },
    Lint {
        id: "acts.unknown-output-method",
        severity: Warning,
        or: None,
        help: "The `_outputMethod` is not `set`, `merge`, `assign`, `push`, `concat` or `erase`, and acts as `set` \
               (A19): what was at the path is replaced. If it should have been kept, data is lost here.",
        fires: r#"{"type":"data","kind":"state","data":{"log":"up"},"_outputMethod":"append",
"_call":{"_outputPath":"†state.log"}}"#,
        silent: r#"{"type":"data","kind":"state","data":{"log":"up"},"_outputMethod":"push",
"_call":{"_outputPath":"†state.log"}}"#,
    },
    Lint {
        id: "acts.duplicate-key",
        severity: Warning,
        or: None,
        help: "An object has the same key twice; the last value counts, at the place of the first (A6). Other readers \
               may take the first, or refuse the text. Of two `context` keys in one request the first context is lost. \
               The path names the key; the writer should write each key once.",
        fires: r#"{"type":"state","state":{"n":1,"n":2}}"#,
        silent: r#"{"type":"state","state":{"n":2}}"#,
    },
    Lint {
        id: "acts.type-change",
        severity: Warning,
        or: None,
        help: "A value changes its JSON type: an object becomes a string, a number becomes a string, and so on (A16, \
               A44; to and from null is no change). The old value is replaced, and readers of the path get what they \
               do not expect. Often a tool that answers with an error text instead of its result.",
        fires: r#"{"type":"state","state":{"price":412}}
{"type":"state","state":{"price":"412 EUR"}}"#,
        silent: r#"{"type":"state","state":{"price":412}}
{"type":"state","state":{"price":398}}"#,
    },
    Lint {
        id: "acts.schema-violation",
        severity: Warning,
        or: None,
        help: "The merged value breaks the schema of its identity (A42). It is reported once, at the step that broke \
               it; the path is the value's, for missing and unknown members that of their object. The protocol does \
               not enforce schemas, so the value stays: fix the tool that wrote it, or the schema.",
        fires: r#"{"type":"state","state":{"price":"high"},
"schema":{"type":"object","properties":{"price":{"type":"number"}}}}"#,
        silent: r#"{"type":"state","state":{"price":412},
"schema":{"type":"object","properties":{"price":{"type":"number"}}}}"#,
    },
    Lint {
        id: "acts.method-type",
        severity: Warning,
        or: None,
        help: "The method does not fit the value at the path (A19): `push` and `concat` need an array and replace \
               anything else by a new one, `assign` and `merge` need an object. The old value is lost. Start the path \
               with a value of the right type.",
        fires: r#"[{"type":"state","state":{"log":"none"}},
{"type":"data","kind":"state","data":{"log":"up"},
"_outputMethod":"push","_call":{"_outputPath":"†state.log"}}]"#,
        silent: r#"[{"type":"state","state":{"log":[]}},
{"type":"data","kind":"state","data":{"log":"up"},
"_outputMethod":"push","_call":{"_outputPath":"†state.log"}}]"#,
    },
    Lint {
        id: "acts.context-rebuilt",
        severity: Info,
        or: None,
        help: "This request leaves out messages of the one before (A4): the context was compacted, or another agent's \
               request comes between. Values that only those messages supplied are gone from the state here: the \
               message names the first of them. Expected after a compaction; otherwise the loop forgot something.",
        fires: r#"{"context":[{"type":"text","text":"go"},{"type":"state","state":{"n":1}}]}
{"context":[{"type":"text","text":"go"},{"type":"state","state":{"m":2}}]}"#,
        silent: r#"{"context":[{"type":"text","text":"go"},{"type":"state","state":{"n":1}}]}
{"context":[{"type":"text","text":"go"},{"type":"state","state":{"n":1}},{"type":"state","state":{"m":2}}]}"#,
    },
    Lint {
        id: "acts.output-schema",
        severity: Warning,
        or: None,
        help: "The `output` of a solution breaks the `schema` of its request (A2, A37): the sender of the request gets \
               an answer of another shape than was agreed. The path is that of the value in the message, the sentence \
               is what the schema wants there. A request whose schema is not valid JSON Schema 2020-12 is not judged.",
        fires: r#"{"schema":{"required":["report"]},"context":[{"type":"state","state":{"n":1}}],
"solution":{"calls":[],"output":{"text":"done"}}}"#,
        silent: r#"{"schema":{"required":["report"]},"context":[{"type":"state","state":{"n":1}}],
"solution":{"calls":[],"output":{"report":"done"}}}"#,
    },
    Lint {
        id: "acts.no-op-write",
        severity: Info,
        or: None,
        help: "The message writes only values that are there already (A44). The state is unaffected, but a call was \
               wasted on known values: a loop that repeats itself looks like this.",
        fires: r#"{"type":"state","state":{"n":1}}
{"type":"state","state":{"n":1}}"#,
        silent: r#"{"type":"state","state":{"n":1}}
{"type":"state","state":{"n":2}}"#,
    },
    Lint {
        id: "acts.unused-write",
        severity: Info,
        or: None,
        help: "A call of the plan writes what no other call of it can read (A44). Fine for a result that the next \
               turn or the user needs; otherwise a misspelt path, or a call that is not needed.",
        fires: r#"{"type":"plan","plan":[{"_tool":"look","_outputPath":"†state.sky"}]}"#,
        silent: r#"{"type":"plan","plan":[{"_tool":"look","_outputPath":"†state.sky"},
{"_tool":"tell","sky":"†state.sky"}]}"#,
    },
];
