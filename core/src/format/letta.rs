//! Agent files of Letta: agents with their messages, and blocks of memory (`FORMATS.md` 14).

use super::Framing;
use super::log::{
    Adapter, Blocks, Copies, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, items, text, write_slots,
};
use crate::json::{self, Value};
use crate::model::{StepRole, Surroundings, ToolResult, Turn, TurnPart};
use std::borrow::Cow;
use std::collections::HashSet;

/// Files of agents.
pub(super) static LETTA: Row = Row {
    name: "letta",
    title: "Letta agent file",
    about: "Agent files of Letta (`.af`): an object with `agents`, `blocks` and `tools`; or, of the first kind, one \
            agent with its `core_memory`. An agent's messages are a \
            trajectory. State: the blocks of memory and the agents, as they are; the file has no history of them.",
    framing: Framing::LogText,
    run: || Box::new(LogRun::new(Agents)),
    has_trajectories: true,
    samples: &[FILE, OLD_FILE],
    ..Row::BASE
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

/// A file of the first kind.
const OLD_FILE: &str = concat!(
    r#"{"agent_type":"memgpt_agent","name":"Evie","system":"You help.","llm_config":{"model":"m"},"#,
    r#""core_memory":[{"label":"persona","value":"I am Evie.","limit":2000}],"in_context_message_indices":[0,2],"#,
    r#""messages":["#,
    "\n",
    r#"{"role":"system","content":[{"type":"text","text":"You help."}],"created_at":"2025-05-01T10:00:00"},"#,
    "\n",
    r#"{"role":"user","content":[{"type":"text","text":"hi"}],"created_at":"2025-05-01T10:00:01"},"#,
    "\n",
    r#"{"role":"user","content":[{"type":"text","text":"hello"}],"created_at":"2025-05-01T10:00:02"}],"#,
    "\n",
    r#""tools":[],"version":"0.6.0"}"#,
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
        log.declare_tools(record.get("tools"));
        // The first such files are one agent, whose blocks have no ids.
        for block in items(record, CORE_MEMORY) {
            let label = text(block, "label").unwrap_or("block");
            write_slots(log, "block", label, block, &["label", "value", "limit", "description", "read_only"]);
        }
        let of_old = std::slice::from_ref(record);
        let agents = if record.get(CORE_MEMORY).is_some() { of_old } else { items(record, "agents") };
        log.trajectories(agents.len());
        for (number, agent) in agents.iter().enumerate() {
            log.trajectory(number);
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
            let context = Context::of(agent);
            let mut gone = Vec::new();
            for message in messages {
                let first = log.next_step();
                add_steps(message, log);
                if !context.has(message) {
                    gone.extend(first..log.next_step());
                }
            }
            log.drop_steps(&gone);
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match (form, values.first()) {
            (RETURNS, Some(message)) => {
                let returns = items(message, "tool_returns").iter().map(returned);
                Turn::of(StepRole::Environment, returns.map(TurnPart::Result).collect())
            }
            (DECISION, Some(message)) => {
                let decisions: Vec<Cow<'_, str>> = items(message, "approvals").iter().map(decision).collect();
                Turn::of(StepRole::User, vec![TurnPart::Text(decisions.join("\n").into())])
            }
            _ => super::log::show(form, values),
        }
    }
}

/// What the first agent files have in place of `blocks`.
const CORE_MEMORY: &str = "core_memory";

/// The messages that the model sees, by their ids, or by where they begin: the first agent files name their places.
struct Context<'v> {
    ids: HashSet<&'v str>,
    starts: HashSet<usize>,
}

impl<'v> Context<'v> {
    fn of(agent: &'v Value<'v>) -> Self {
        let message = |place: &Value<'_>| {
            let place: usize = place.as_number()?.parse().ok()?;
            Some(items(agent, "messages").get(place)?.start)
        };
        Self {
            ids: items(agent, "in_context_message_ids").iter().filter_map(Value::as_str).collect(),
            starts: items(agent, "in_context_message_indices").iter().filter_map(message).collect(),
        }
    }

    /// Whether a message of the agent is in it; of a file that does not say, all are.
    fn has(&self, message: &Value<'_>) -> bool {
        (self.ids.is_empty() && self.starts.is_empty())
            || text(message, "id").is_some_and(|id| self.ids.contains(id))
            || self.starts.contains(&message.start)
    }
}

/// A message of results that are not in its content, and one that says whether calls may run.
const RETURNS: Form = FIRST_ADAPTER_FORM;
const DECISION: Form = FIRST_ADAPTER_FORM + 1;

fn add_steps(message: &Value<'_>, log: &mut Log<'_>) {
    let model = text(message, "model").map(Cow::Borrowed);
    log.surroundings(&Surroundings { model, ..Surroundings::default() });
    let (role, time, values) = (text(message, "role").unwrap_or_default(), message.get("created_at"), [message]);
    let has_returns = items(message, "tool_returns").iter().any(|one| one.get("func_response").is_some());
    let step = match role {
        "tool" if has_returns => Some((Kind::Result, RETURNS, StepRole::Environment)),
        "approval" if !items(message, "approvals").is_empty() => Some((Kind::Message, DECISION, StepRole::User)),
        _ => None,
    };
    if let Some((kind, form, role)) = step {
        log.step(&Draft { role, class: text(message, "type"), time, ..Draft::of(kind, form, &values) });
        if form == DECISION {
            log.aside();
        }
        return;
    }
    // An agent asks for the approval of its calls.
    let asks = Blocks { class: text(message, "type"), time, ..Blocks::of(message) };
    let role = match role {
        "approval" => StepRole::Agent,
        // What stands for messages that left the context.
        "summary" => StepRole::System,
        _ => asks.role,
    };
    Blocks { role, ..asks }.add_steps(log);
}

/// What a tool gave back: mostly JSON text of an object with the output and how it came out.
fn returned<'v>(one: &'v Value<'v>) -> ToolResult<'v> {
    let response = text(one, "func_response").unwrap_or_default();
    let inner = json::parse_lenient(response).ok().filter(|inner| inner.get("status").is_some());
    let message = inner.as_ref().and_then(|inner| text(inner, "message")).map(|words| Cow::Owned(words.to_owned()));
    ToolResult {
        id: text(one, "tool_call_id").map(Cow::Borrowed),
        text: message.unwrap_or(Cow::Borrowed(response)),
        is_error: text(one, "status").map(|status| status == "error"),
        ..ToolResult::default()
    }
}

/// What the user decided of a call. What a call gave back that ran on the user's side is in the next message too.
fn decision<'v>(one: &'v Value<'v>) -> Cow<'v, str> {
    let Some(is_approved) = one.get("approve").and_then(Value::as_bool) else { return "ran the call".into() };
    let word = if is_approved { "approved" } else { "denied" };
    match text(one, "reason").map(str::trim).filter(|reason| !reason.is_empty()) {
        Some(reason) => format!("{word}: {reason}").into(),
        None => word.into(),
    }
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
    fn a_file_of_the_first_kind_is_one_agent() {
        let parsed = run_of_record(&LETTA, OLD_FILE);
        assert_eq!(steps(&parsed), ["message system: You help.", "message user: hi", "message user: hello"]);
        assert_eq!((parsed.0.title().as_deref(), parsed.0.context_steps(2)), (Some("Evie"), Some(vec![0, 2])));
        let block = r#"{"persona":{"label":"persona","value":"I am Evie.","limit":2000}}"#;
        assert_eq!(state(&parsed, "block", -1), block);
        assert!(state(&parsed, "agent", 0).contains(r#""agent_type":"memgpt_agent""#));
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
        let summed_up = FILE.replace(r#""role":"user""#, r#""role":"summary""#);
        assert_eq!(super::tests::steps(&run_of_record(&LETTA, &summed_up))[1], "message system: hello");
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

    #[test]
    fn results_are_in_the_returns_and_a_user_decides() {
        let ids = ["m0", "m1", "m2", "m3"];
        let call = |id: &str| format!(r#"{{"id":"{id}","function":{{"name":"Read","arguments":"{{}}"}}}}"#);
        let response = |words: &str| format!(r#""{{\"status\":\"OK\",\"message\":\"{words}\"}}""#);
        let returned = |id: &str, status: &str, words: &str| {
            format!(r#"{{"tool_call_id":"{id}","status":"{status}","func_response":{}}}"#, response(words))
        };
        let messages = [
            format!(r#"{{"id":"m0","role":"approval","content":[],"tool_calls":[{},{}]}}"#, call("a"), call("b")),
            concat!(
                r#"{"id":"m1","role":"approval","content":[],"#,
                r#""approvals":[{"type":"approval","approve":false,"reason":"stop"}]}"#
            )
            .to_owned(),
            format!(
                r#"{{"id":"m2","role":"tool","content":[],"tool_call_id":"a","tool_returns":[{},{}]}}"#,
                returned("a", "success", "one"),
                returned("b", "error", "Error: request to call tool denied. User reason: stop")
            ),
            r#"{"id":"m3","role":"user","content":"go on"}"#.to_owned(),
        ];
        let file = |seen: &[&str]| {
            let seen: Vec<String> = seen.iter().map(|id| format!("\"{id}\"")).collect();
            format!(
                r#"{{"agents":[{{"id":"a","name":"n","in_context_message_ids":[{}],"messages":[{}]}}],
                "blocks":[],"tools":[]}}"#,
                seen.join(","),
                messages.join(",")
            )
        };
        let parsed = run_of_record(&LETTA, &file(&ids));
        let steps = steps(&parsed);
        assert!(steps[0].starts_with("tool-call agent: Read") && steps[1].starts_with("tool-call agent"), "{steps:?}");
        assert_eq!((steps[2].as_str(), steps.len()), ("message user: denied: stop", 5));
        assert_eq!(parsed.0.context_steps(4), Some(vec![0, 1, 3, 4]), "the model sees what became of the call");
        assert!(parsed.0.exclusion(2).is_some() && parsed.0.exclusion(4).is_none());
        let turn = parsed.0.turn(3, &parsed.1).unwrap();
        let texts: Vec<_> = turn.results().map(|result| (&*result.text, result.is_error)).collect();
        assert_eq!(texts[0], ("one", Some(false)));
        assert_eq!((texts.len(), texts[1].1), (2, Some(true)));
        assert_eq!(parsed.0.outcome(3).unwrap().reason, Some("rejected"));
        assert!(state(&parsed, "call", 3).is_empty() || !state(&parsed, "call", 3).contains('0'), "both are answered");
        assert_eq!(run_of_record(&LETTA, &file(&["m3"])).0.context_steps(4), Some(vec![4]), "what left the context");
    }
}
