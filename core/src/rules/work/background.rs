//! W10: sub-agents and workflows of Claude Code that go on after their call has its result, until a notification names
//! that call, the agent's output is asked for, or an agent of a team says that it ends.

use super::Dialect;
use super::arguments::Arguments;
use super::call::Action;
use super::open_calls::OpenCall;
use crate::json::{self, Value};
use crate::model::StepNo;
use std::collections::HashMap;

/// What the result of a call begins with that only launched an agent, also one of a team, and of Qwen Code; or a script
/// that runs agents.
const LAUNCHED: [&str; 4] =
    ["Async agent launched", "Spawned successfully", "Background agent launched", "Workflow launched in background"];

/// How a launch names its agent or its task, the first that is there; the last names an agent of a team.
const AGENT_IDS: [&str; 3] = ["agentId:", "Task ID:", "\nname:"];

/// Bare names of tools that ask for the output of what runs in the background.
const OUTPUT_TOOLS: [&str; 2] = ["taskoutput", "agentoutputtool"];

/// The tool of Claude Code that runs a script which calls agents: a sub-agent as far as the run sees it.
pub(super) fn workflow(name: &str, given: &Arguments<'_>, dialect: Dialect) -> Option<Action> {
    if name != "workflow" || dialect != Dialect::ClaudeCode {
        return None;
    }
    let task = ["description", "name"].iter().find_map(|key| given.string(key)).map(str::to_owned);
    Some(Action::Sub { task, kind: Some("workflow".to_owned()) })
}

/// An agent that was launched: step and place of its call, and the id that its output is asked for by.
#[derive(Debug)]
struct Launched {
    step: StepNo,
    place: usize,
    agent: Option<Box<str>>,
}

/// Agents that were launched, by the ids of their calls.
#[derive(Debug, Default)]
pub(super) struct BackgroundAgents {
    running: HashMap<Box<str>, Launched>,
}

impl BackgroundAgents {
    /// Whether a result says that the agent of its call was launched, and goes on.
    pub(super) fn launch(&mut self, open: &OpenCall, text: &str) -> bool {
        let is_launch = LAUNCHED.iter().any(|launched| text.trim_start().starts_with(launched));
        if let Some(id) = open.id.as_deref().filter(|_| is_launch) {
            let named = AGENT_IDS.iter().find_map(|word| text.split_once(word));
            let agent = named.and_then(|(_, rest)| rest.split_whitespace().next());
            let launched = Launched { step: open.step, place: open.place, agent: agent.map(Into::into) };
            self.running.insert(id.into(), launched);
        }
        is_launch
    }

    /// The agents that a text reports as ended: step and place of the call, and whether they failed.
    pub(super) fn ended(&mut self, text: &str) -> Vec<(StepNo, usize, bool)> {
        if self.running.is_empty() {
            return Vec::new();
        }
        let notifications = text.split("<task-notification>").skip(1);
        let mut ended: Vec<(StepNo, usize, bool)> = Vec::new();
        for notification in notifications {
            let Some(status) = tagged(notification, "status") else { continue };
            let launched = match tagged(notification, "tool-use-id") {
                Some(call) => self.running.remove(call),
                None => tagged(notification, "task-id").and_then(|task| self.end(task)),
            };
            ended.extend(launched.map(|launched| (launched.step, launched.place, status != "completed")));
        }
        for message in text.split("<teammate-message ").skip(1) {
            let launched = left_team(message).and_then(|agent| self.end(&agent));
            ended.extend(launched.map(|launched| (launched.step, launched.place, false)));
        }
        ended
    }

    /// The first agent of this name that runs, which runs no more.
    fn end(&mut self, agent: &str) -> Option<Launched> {
        let of_name = self.running.iter().filter(|(_, launched)| launched.agent.as_deref() == Some(agent));
        let id = of_name.min_by_key(|(_, launched)| (launched.step, launched.place))?.0.clone();
        self.running.remove(&id)
    }

    /// The agent whose output a result is, if it has ended: step and place of the call, and whether it failed.
    pub(super) fn ended_by_output(&mut self, tool: &str, text: &str) -> Option<(StepNo, usize, bool)> {
        if self.running.is_empty() || !OUTPUT_TOOLS.contains(&tool) {
            return None;
        }
        let is_failed = match tagged(text, "status")? {
            "completed" => false,
            "failed" | "killed" => true,
            _ => return None,
        };
        let agent = tagged(text, "task_id").or_else(|| tagged(text, "agentId"))?;
        self.end(agent).map(|launched| (launched.step, launched.place, is_failed))
    }
}

/// The agent of a team that says in a message that it ends, or of which the program says that it has ended.
fn left_team(message: &str) -> Option<String> {
    let (_, body) = message.split_once('>')?;
    let body = json::try_parse(body.split("</teammate-message>").next()?.trim())?;
    let text = |key| body.get(key).and_then(Value::as_str);
    let name = match text("type")? {
        "shutdown_approved" => text("from"),
        "teammate_terminated" => text("message")?.strip_suffix(" has shut down."),
        _ => None,
    };
    name.map(str::to_owned)
}

/// The text of an element.
fn tagged<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, inner) = text.split_once(&format!("<{name}>"))?;
    inner.split_once(&format!("</{name}>")).map(|(inner, _)| inner.trim())
}
