//! Journals of workflows that a Claude Code session runs: `subagents/workflows/<run>/journal.jsonl`, which names the
//! agents of a workflow, each in a file of its own (`FORMATS.md` 0.4).

use super::log::{Adapter, Draft, Earlier, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, form, text};
use super::{Framing, Match};
use crate::json::{Value, quote};
use crate::model::{PartRole, StepRole, ToolCall, ToolResult, Turn, TurnPart};
use std::borrow::Cow;
use std::collections::HashMap;

/// Journals of workflows.
pub(super) static WORKFLOW: Row = Row {
    name: "claude-workflow",
    agent: Some("claude-code"),
    title: "Claude Code workflow",
    about: "The journal of a workflow of Claude Code, `subagents/workflows/RUN/journal.jsonl` of a session: JSON \
            Lines of `type` (`launched`, `started`, `result`, `failed`), `key` and `agentId`. Each agent is a call \
            with what it returned, and refers to its file beside the journal. State: the agents by the rules for \
            tool-using runs.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Journal::default())),
    detect: Some(detect),
    samples: &[JOURNAL],
    ..Row::BASE
};

/// A journal of two agents, of which one failed.
const JOURNAL: &str = concat!(
    r#"{"type":"launched"}"#,
    "\n",
    r#"{"type":"started","key":"v2:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","#,
    r#""agentId":"a1","label":"find the cause","phase":"Look"}"#,
    "\n",
    r#"{"type":"started","key":"v2:1123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","#,
    r#""agentId":"a2","label":"write the test","phase":"Look"}"#,
    "\n",
    r#"{"type":"failed","key":"v2:1123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","agentId":"a2"}"#,
    "\n",
    r#"{"type":"result","key":"v2:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","#,
    r#""agentId":"a1","result":{"cause":"an off-by-one"},"toolsUsed":["Read"],"sessionId":"s1"}"#,
);

const STARTED: Form = FIRST_ADAPTER_FORM;
const RETURNED: Form = FIRST_ADAPTER_FORM + 1;

/// Hexadecimal digits of the digest in a key.
const DIGEST_DIGITS: usize = 64;

fn detect(first: &[Value<'_>]) -> Option<Match> {
    let is_known = |record: &Value<'_>| text(record, "type") == Some("launched") || agent_of(record).is_some();
    let fits = first.iter().all(is_known) && first.iter().any(|record| agent_of(record).is_some());
    fits.then(|| Match { reason: "all records are of a journal of agents: `type`, `key`, `agentId`".to_owned() })
}

/// The agent of a record. A key is the version of its form and a digest of what the agent was asked.
fn agent_of<'v>(record: &'v Value<'v>) -> Option<&'v str> {
    let is_class = matches!(text(record, "type"), Some("started" | "result" | "failed"));
    let (version, digest) = text(record, "key")?.strip_prefix('v')?.split_once(':')?;
    let is_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
    let is_digest = digest.len() == DIGEST_DIGITS && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    text(record, "agentId").filter(|_| is_class && is_version && is_digest)
}

/// Reads the records of a journal.
#[derive(Default)]
struct Journal {
    /// The start of the last agent of each key.
    started: HashMap<Box<str>, Earlier>,
}

impl Journal {
    fn start(&mut self, record: &Value<'_>, agent: &str, log: &mut Log<'_>) {
        let step = log.step(&of(Kind::Call, STARTED, StepRole::Agent, &[record]));
        log.part(PartRole::SubAgent, "subagents", &format!("agent-{agent}.jsonl"), None, Some(step));
        self.started.insert(text(record, "key").unwrap_or_default().into(), log.keep(record));
    }

    fn end(&self, record: &Value<'_>, agent: &str, log: &mut Log<'_>) {
        let started = text(record, "key").and_then(|key| self.started.get(key));
        let values = [record];
        let returned = of(Kind::Result, RETURNED, StepRole::Environment, &values);
        match started {
            // A failure may leave out the name of the agent.
            Some(started) if agent.is_empty() => log.step_with(&returned, std::slice::from_ref(started)),
            Some(_) => log.step(&returned),
            // An agent that was never started: its end answers no call.
            None => log.step(&Draft { is_failed: is_failure(record), ..as_it_is(&values) }),
        };
    }
}

/// A step that shows a record.
fn of<'d, 'v>(kind: Kind, form: Form, role: StepRole, values: &'d [&'d Value<'v>]) -> Draft<'d, 'v> {
    Draft { role, class: values.first().and_then(|record| text(record, "type")), ..Draft::of(kind, form, values) }
}

/// A step that shows a record as it is.
fn as_it_is<'d, 'v>(values: &'d [&'d Value<'v>]) -> Draft<'d, 'v> {
    of(Kind::State, form::STATE, StepRole::System, values)
}

fn is_failure(record: &Value<'_>) -> bool {
    text(record, "type") == Some("failed")
}

/// The name of an agent as the id of its call.
fn id<'v>(record: &'v Value<'v>) -> Option<Cow<'v, str>> {
    text(record, "agentId").map(Cow::Borrowed)
}

/// The start of an agent: what the workflow calls it, and the phase that it is in.
fn call<'v>(record: &'v Value<'v>) -> ToolCall<'v> {
    let slots = [("description", "label"), ("phase", "phase")];
    let named = slots.into_iter().filter_map(|(name, key)| Some((name, text(record, key)?)));
    let members: Vec<_> = named.map(|(name, value)| format!("\"{name}\":{}", quote(value))).collect();
    ToolCall { id: id(record), name: "Agent".into(), arguments: Cow::Owned(format!("{{{}}}", members.join(","))) }
}

/// What an agent returned: a text, or a value of the workflow's own shape.
fn result<'v>(record: &'v Value<'v>, named: &'v Value<'v>) -> ToolResult<'v> {
    let returned = record.get("result").map(|value| value.as_str().unwrap_or(value.text));
    let is_error = Some(is_failure(record));
    ToolResult {
        id: id(named),
        text: Cow::Borrowed(returned.unwrap_or("the agent failed")),
        is_error,
        ..ToolResult::default()
    }
}

impl Adapter for Journal {
    fn restart(&mut self) {
        *self = Self::default();
    }

    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        match (agent_of(record), text(record, "type")) {
            (Some(agent), Some("started")) => self.start(record, agent, log),
            (Some(agent), _) => self.end(record, agent, log),
            (None, _) => {
                log.step(&as_it_is(&[record]));
            }
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let [record, named @ ..] = values else { return Turn::default() };
        let part = match form {
            STARTED => TurnPart::Call(call(record)),
            RETURNED => TurnPart::Result(result(record, named.first().unwrap_or(record))),
            _ => return super::log::show(form, values),
        };
        Turn::of(StepRole::Unknown, vec![part])
    }
}

#[cfg(test)]
mod tests {
    use super::super::log::testing::{lines, state, steps};
    use super::super::log::tests::damage;
    use super::*;

    #[test]
    fn each_agent_is_a_call_and_refers_to_its_file() {
        let parsed = lines(&WORKFLOW, JOURNAL);
        let expected = [
            "state system: ",
            "tool-call agent: Agent description=\"find the cause\" phase=Look",
            "tool-call agent: Agent description=\"write the test\" phase=Look",
            "tool-result environment: the agent failed (of 2)",
            "tool-result environment: {\"cause\":\"an off-by-one\"} (of 1)",
        ];
        assert_eq!(steps(&parsed), expected);
        let parts: Vec<_> = parsed.0.parts().iter().map(|part| (part.file.as_str(), part.step)).collect();
        assert_eq!(parts, [("agent-a1.jsonl", Some(1)), ("agent-a2.jsonl", Some(2))]);
        assert!(state(&parsed, "sub", 4).contains("failed"), "{}", state(&parsed, "sub", 4));
    }

    #[test]
    fn an_end_without_a_name_is_that_of_the_last_agent_of_its_key() {
        let again = JOURNAL.lines().nth(2).unwrap().replace("a2", "a3");
        let nameless = JOURNAL.lines().nth(3).unwrap().replace("a2", "");
        let text = [JOURNAL.lines().nth(2).unwrap(), &again, &nameless].join("\n");
        assert_eq!(steps(&lines(&WORKFLOW, &text))[2], "tool-result environment: the agent failed (of 1)");
        let alone = steps(&lines(&WORKFLOW, &nameless));
        assert!(alone[0].starts_with("state system"), "{alone:?}");
    }

    #[test]
    fn other_records_with_a_key_are_not_a_journal() {
        let is_journal = |text: &str| {
            let records: Vec<_> = text.lines().map(|line| crate::json::parse(line).unwrap()).collect();
            detect(&records).is_some()
        };
        assert!(is_journal(JOURNAL));
        assert!(!is_journal(r#"{"type":"launched"}"#));
        assert!(!is_journal(&JOURNAL.replace("v2:", "")));
        assert!(!is_journal(&format!("{JOURNAL}\n{{\"type\":\"user\"}}")));
    }

    #[test]
    fn damaged_journals_never_panic() {
        damage(&WORKFLOW, WORKFLOW.samples);
    }
}
