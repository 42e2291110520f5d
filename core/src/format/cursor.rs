//! Transcripts of Cursor's agent: messages without ids, times and usage (`FORMATS.md` 17).

use super::Framing;
use super::log::{Adapter, Blocks, Draft, Kind, Log, LogRun, Row, form, role_of, text};
use crate::json::Value;
use crate::model::StepRole;

/// Transcripts of Cursor.
pub(super) static CURSOR: Row = Row {
    name: "cursor",
    agent: Some("cursor"),
    title: "Cursor transcript",
    about: "Transcripts of Cursor's agent: JSON Lines of `role` and a `message` whose `content` is a list of blocks, \
            without ids, times and usage.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Messages)),
    samples: &[TRANSCRIPT],
    ..Row::BASE
};

/// A transcript with a call.
const TRANSCRIPT: &str = concat!(
    r#"{"role":"user","message":{"content":[{"type":"text","text":"list it"}]}}"#,
    "\n",
    r#"{"role":"assistant","message":{"content":[{"type":"text","text":"Sure."},{"type":"tool_use","#,
    r#""name":"Bash","input":{"command":"ls"}}]}}"#,
    "\n",
    r#"{"role":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"a.txt"}]}}"#,
);

/// Reads the messages of a transcript.
struct Messages;

impl Adapter for Messages {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let role = text(record, "role").map_or(StepRole::Unknown, role_of);
        match record.get("message") {
            Some(message) => {
                Blocks { role, class: text(record, "role"), ..Blocks::of(message) }.add_steps(log);
            }
            None => {
                let values = [record];
                let class = text(record, "type").or(Some("record"));
                log.step(&Draft { role: StepRole::System, class, ..Draft::of(Kind::State, form::STATE, &values) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::log::testing::{lines, steps};

    #[test]
    fn a_message_is_its_blocks() {
        let expected = [
            "message user: list it",
            "message agent: Sure.",
            "tool-call agent: Bash ls",
            "tool-result environment: a.txt",
        ];
        assert_eq!(steps(&lines(&CURSOR, TRANSCRIPT)), expected);
    }
}
