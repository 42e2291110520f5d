//! W10: sub-agents of Claude Code that go on after their call has its result, until a notification names that call, or
//! the agent's output is asked for.

use super::open_calls::OpenCall;
use crate::model::StepNo;
use std::collections::HashMap;

/// What the result of a call begins with that only launched an agent, also one of a team, and of Qwen Code.
const LAUNCHED: [&str; 3] = ["Async agent launched", "Spawned successfully", "Background agent launched"];

/// How a launch names its agent.
const AGENT_ID: &str = "agentId:";

/// Bare names of tools that ask for the output of what runs in the background.
const OUTPUT_TOOLS: [&str; 2] = ["taskoutput", "agentoutputtool"];

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
            let agent = text.split_once(AGENT_ID).and_then(|(_, rest)| rest.split_whitespace().next());
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
        let end = |notification: &str| {
            let status = tagged(notification, "status")?;
            let launched = self.running.remove(tagged(notification, "tool-use-id")?)?;
            Some((launched.step, launched.place, status != "completed"))
        };
        notifications.filter_map(end).collect()
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
        let id = self.running.iter().find(|(_, launched)| launched.agent.as_deref() == Some(agent))?.0.clone();
        self.running.remove(&id).map(|launched| (launched.step, launched.place, is_failed))
    }
}

/// The text of an element.
fn tagged<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, inner) = text.split_once(&format!("<{name}>"))?;
    inner.split_once(&format!("</{name}>")).map(|(inner, _)| inner.trim())
}
