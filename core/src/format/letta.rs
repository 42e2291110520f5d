//! Agent files of Letta: agents with their messages, and blocks of memory (`FORMATS.md` 14).

use super::Framing;
use super::log::{Adapter, Blocks, Copies, Log, LogRun, Row, items, text, write_slots};
use crate::json::Value;
use crate::model::Surroundings;
use std::borrow::Cow;

/// Files of agents.
pub(super) static LETTA: Row = Row {
    name: "letta",
    title: "Letta agent file",
    about: "Agent files of Letta (`.af`): an object with `agents`, `blocks` and `tools`. An agent's messages are a \
            trajectory. State: the blocks of memory and the agents, as they are; the file has no history of them.",
    framing: Framing::LogText,
    run: || Box::new(LogRun::new(Agents)),
    detect: None,
    has_trajectories: true,
    samples: &[FILE],
};

/// A file with an agent.
const FILE: &str = concat!(
    r#"{"agents":[{"id":"agent-0","name":"Evie","system":"You help.","block_ids":["block-0"],"#,
    r#""llm_config":{"model":"m"},"messages":["#,
    "\n",
    r#"{"type":"message","id":"message-0","role":"system","content":[{"type":"text","text":"You help."}],"#,
    r#""created_at":"2026-05-01T10:00:00Z","tool_calls":null},"#,
    "\n",
    r#"{"type":"message","id":"message-1","role":"user","content":[{"type":"text","text":"hello"}],"#,
    r#""created_at":"2026-05-01T10:00:01Z","tool_calls":null}]}],"#,
    "\n",
    r#""blocks":[{"id":"block-0","label":"persona","value":"I am Evie.","limit":2000}],"tools":[]}"#,
);

/// Reads an agent file.
struct Agents;

impl Adapter for Agents {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        for (number, block) in items(record, "blocks").iter().enumerate() {
            // Agents may have blocks of one label each.
            let id = text(block, "id").map_or_else(|| number.to_string(), str::to_owned);
            write_slots(log, "block", &id, block, &["label", "value", "limit", "description", "read_only"]);
        }
        let agents = items(record, "agents");
        log.trajectories(agents.len());
        for agent in agents {
            let id = text(agent, "id").or_else(|| text(agent, "name")).unwrap_or("agent");
            let slots =
                ["name", "agent_type", "description", "block_ids", "tool_ids", "in_context_message_ids", "llm_config"];
            write_slots(log, "agent", id, agent, &slots);
            if log.next_step() == 0
                && let Some(name) = text(agent, "name")
            {
                log.title(name);
            }
            if agents.len() > 1 {
                log.begin_trajectory(text(agent, "name").unwrap_or(id));
            }
            let mut copies = Copies::default();
            let mut is_copy = |message: &Value<'_>| text(message, "id").is_some_and(|id| copies.has(id, message.text));
            let messages = items(agent, "messages").iter().filter(|message| !is_copy(message));
            messages.for_each(|message| add_steps(message, log));
        }
    }
}

fn add_steps(message: &Value<'_>, log: &mut Log<'_>) {
    let model = text(message, "model").map(Cow::Borrowed);
    log.surroundings(&Surroundings { model, ..Surroundings::default() });
    let blocks = Blocks { class: text(message, "type"), time: message.get("created_at"), ..Blocks::of(message) };
    blocks.add_steps(log);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::log::testing::{run_of_record, state, steps};

    #[test]
    fn agents_are_trajectories_and_blocks_stand_before_them() {
        let parsed = run_of_record(&LETTA, FILE);
        assert_eq!(steps(&parsed), ["message system: You help.", "message user: hello"]);
        assert_eq!((parsed.0.trajectory_count(), parsed.0.title().as_deref()), (1, Some("Evie")));
        let message = &FILE[FILE.find(r#"{"type":"message","id":"message-1""#).unwrap()..FILE.find("}]}],").unwrap()];
        let twice = FILE.replace(message, &format!("{message}}},{message}"));
        assert_eq!(steps(&run_of_record(&LETTA, &twice)).len(), 2, "an exact copy counts once");
        let block = r#"{"block-0":{"label":"persona","value":"I am Evie.","limit":2000}}"#;
        assert_eq!(state(&parsed, "block", -1), block);
    }

    #[test]
    fn each_agent_has_its_conversation_and_its_calls() {
        let call = r#"{"role":"assistant","content":[{"type":"reasoning","reasoning":"think"}],
            "tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}"#;
        let result = r#"{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"x"}]}"#;
        let file = format!(
            r#"{{"agents":[{{"id":"a","name":"one","messages":[{call}]}},
            {{"id":"b","name":"two","messages":[{result}]}}],"blocks":[],"tools":[]}}"#
        );
        let failed = file.replace(r#""tool_call_id":"c""#, r#""tool_call_id":"c","tool_returns":[{"status":"error"}]"#);
        assert_eq!(run_of_record(&LETTA, &failed).0.error_steps(), [2]);
        let parsed = run_of_record(&LETTA, &file);
        assert_eq!(parsed.0.error_steps(), [0; 0]);
        assert_eq!(steps(&parsed)[0], "thought agent: think");
        let of = |step| parsed.0.step(step, &parsed.1);
        assert_eq!((of(1).trajectory.as_deref(), of(2).trajectory.as_deref()), (Some("one"), Some("two")));
        assert_eq!(of(2).answers, None);
        assert_eq!(parsed.0.context_steps(2), Some(vec![2]));
        assert!(state(&parsed, "call", 1).contains(r#""open":[1]"#), "{}", state(&parsed, "call", 1));
        assert_eq!(state(&parsed, "call", 2), "{}", "the other agent has no open call");
    }
}
