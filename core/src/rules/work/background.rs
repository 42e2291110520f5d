//! W10: sub-agents of Claude Code that go on after their call has its result, until a notification names that call.

use super::open_calls::OpenCall;
use crate::model::StepNo;
use std::collections::HashMap;

/// What the result of a call begins with that only launched an agent, also of Qwen Code.
const LAUNCHED: [&str; 2] = ["Async agent launched", "Background agent launched"];

/// Agents that were launched, by the ids of their calls: step and place of the call.
#[derive(Debug, Default)]
pub(super) struct BackgroundAgents {
    running: HashMap<Box<str>, (StepNo, usize)>,
}

impl BackgroundAgents {
    /// Whether a result says that the agent of its call was launched, and goes on.
    pub(super) fn launch(&mut self, open: &OpenCall, text: &str) -> bool {
        let is_launch = LAUNCHED.iter().any(|launched| text.trim_start().starts_with(launched));
        if let Some(id) = open.id.as_deref().filter(|_| is_launch) {
            self.running.insert(id.into(), (open.step, open.place));
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
            let (step, place) = self.running.remove(tagged(notification, "tool-use-id")?)?;
            Some((step, place, status != "completed"))
        };
        notifications.filter_map(end).collect()
    }
}

/// The text of an element.
fn tagged<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, inner) = text.split_once(&format!("<{name}>"))?;
    inner.split_once(&format!("</{name}>")).map(|(inner, _)| inner.trim())
}
