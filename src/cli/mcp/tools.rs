//! The tools: one row each, which gives the schema of its arguments and the command that answers.

use super::answer::{LINES, LINES_MAX};
use serde_json::{Map, Value, json};

/// One tool.
pub(super) struct Tool {
    /// Its name.
    pub(super) name: &'static str,
    /// What it answers, for the model that chooses it.
    pub(super) about: &'static str,
    /// The command that answers.
    pub(super) command: &'static str,
    /// Its arguments, in the order in which the command takes those without a name.
    pub(super) arguments: &'static [Argument],
}

/// One argument of a tool.
pub(super) struct Argument {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) about: &'static str,
    pub(super) is_required: bool,
    /// How the command takes it: an option by name, or, without one, by place.
    pub(super) option: Option<&'static str>,
}

/// The type of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A text.
    Text,
    /// The path of a file or folder.
    File,
    /// One or more of them.
    Files,
    /// A number from so much on.
    Number(i64),
    /// True or false.
    Flag,
}

const fn required(name: &'static str, kind: Kind, about: &'static str) -> Argument {
    Argument { name, kind, about, is_required: true, option: None }
}

const fn placed(name: &'static str, kind: Kind, about: &'static str) -> Argument {
    Argument { name, kind, about, is_required: false, option: None }
}

const fn option(name: &'static str, option: &'static str, kind: Kind, about: &'static str) -> Argument {
    Argument { name, kind, about, is_required: false, option: Some(option) }
}

const FILE: Argument = required("file", Kind::File, "File of a run or dataset: JSON, JSON Lines, an archive of a log.");
const RECORD: Argument =
    option("record", "--record", Kind::Number(0), "Trajectory of a file that holds several, from 0.");
const STEP: Argument = option(
    "step",
    "--step",
    Kind::Number(-1),
    "Step after which it is asked, from 0; -1 is before any. Default: the last.",
);
const INSTANCE: Argument =
    option("instance", "--instance", Kind::Text, "Instance of the kind, as 2 or ②. Default: all.");
const JSON: Argument =
    option("json", "--json", Kind::Flag, "Answer as JSON in the shapes of docs/cli.md instead of text.");

/// All tools.
pub(super) static TOOLS: &[Tool] = &[
    Tool {
        name: "steps",
        about: "List the steps of a run, one line each: number, what it is, what it says or does. Begin here.",
        command: "steps",
        arguments: &[
            FILE,
            option(
                "where",
                "--where",
                Kind::Text,
                "Only steps that this filter lets through: tool:bash, kind:action, role:user, writes:*, finding:*, size>2k, words; ! negates.",
            ),
            RECORD,
            JSON,
        ],
    },
    Tool {
        name: "search",
        about: "Find the steps whose text has some words, one line each.",
        command: "steps",
        arguments: &[
            FILE,
            Argument {
                name: "query",
                kind: Kind::Text,
                about: "Words, or terms of a filter such as tool:bash or role:user; /a regular expression/.",
                is_required: true,
                option: Some("--where"),
            },
            RECORD,
            JSON,
        ],
    },
    Tool {
        name: "step",
        about: "Read one step whole: what was said or done, its results, what it changed in the state, its findings.",
        command: "step",
        arguments: &[
            FILE,
            Argument {
                name: "step",
                kind: Kind::Number(0),
                about: "The step, from 0.",
                is_required: true,
                option: Some("--step"),
            },
            RECORD,
        ],
    },
    Tool {
        name: "state",
        about: "Print the state after a step: what the agent knew. Large states are better asked by path: blame.",
        command: "state",
        arguments: &[FILE, STEP, RECORD, JSON],
    },
    Tool {
        name: "blame",
        about: "Say which step wrote each value of the state; with `lines_of` each line of a file of the agent.",
        command: "blame",
        arguments: &[
            FILE,
            placed("path", Kind::Text, "Path of the values, as state.budget. Default: all."),
            option(
                "lines_of",
                "--file",
                Kind::Text,
                "Path of a file that the agent saw or changed, or the end of it: blame its lines.",
            ),
            INSTANCE,
            STEP,
            RECORD,
            JSON,
        ],
    },
    Tool {
        name: "history",
        about: "List every write to the values at a path, up to a step.",
        command: "history",
        arguments: &[
            FILE,
            required("path", Kind::Text, "Path of the value, as state.budget."),
            INSTANCE,
            STEP,
            RECORD,
            JSON,
        ],
    },
    Tool {
        name: "files",
        about: "List the files that a coding agent saw and changed, and at which steps.",
        command: "files",
        arguments: &[FILE, STEP, RECORD, JSON],
    },
    Tool {
        name: "check",
        about: "Find what is wrong: broken schemas, lost values, unanswered calls; with `data` copies, loops, secrets.",
        command: "check",
        arguments: &[
            required("files", Kind::Files, "Files or folders."),
            option("data", "--data", Kind::Flag, "Check as a dataset too."),
            JSON,
        ],
    },
    Tool {
        name: "diff",
        about: "Say how two runs differ, their steps aligned; with `from` and `to` how two states of one run differ.",
        command: "diff",
        arguments: &[
            FILE,
            placed("other", Kind::File, "The run to compare it with."),
            option("from", "--from", Kind::Number(-1), "Of one run: the step to compare from."),
            option("to", "--to", Kind::Number(-1), "Of one run: the step to compare with. Default: the last."),
            RECORD,
            JSON,
        ],
    },
];

/// The arguments that say which lines of an answer are wanted.
pub(super) const PAGING: [(&str, &str); 2] =
    [("offset", "First line of the answer, from 0."), ("limit", "Most lines of the answer.")];

impl Tool {
    /// A tool by its name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// What `tools/list` says of it.
    pub(super) fn listed(&self) -> Value {
        let mut properties = Map::new();
        for argument in self.arguments {
            properties.insert(argument.name.to_owned(), argument.schema());
        }
        for (name, about) in PAGING {
            let mut schema = json!({"type": "integer", "minimum": 0, "description": about});
            if name == "limit" {
                schema["maximum"] = LINES_MAX.into();
                schema["default"] = LINES.into();
            }
            properties.insert(name.to_owned(), schema);
        }
        let required: Vec<&str> = self.arguments.iter().filter(|a| a.is_required).map(|a| a.name).collect();
        json!({
            "name": self.name,
            "description": self.about,
            "inputSchema": {
                "type": "object", "properties": properties, "required": required, "additionalProperties": false
            },
            "annotations": {"readOnlyHint": true, "idempotentHint": true, "openWorldHint": false},
        })
    }
}

impl Argument {
    fn schema(&self) -> Value {
        match self.kind {
            Kind::Text | Kind::File => json!({"type": "string", "description": self.about}),
            Kind::Files => {
                json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "description": self.about})
            }
            Kind::Number(from) => json!({"type": "integer", "minimum": from, "description": self.about}),
            Kind::Flag => json!({"type": "boolean", "description": self.about}),
        }
    }
}
