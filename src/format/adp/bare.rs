//! Conversations with nothing around them: an array of messages is one trajectory.

use super::run::Trajectory;
use super::survey::Trajectories;
use crate::format::{Format, Framing, Layout, Match, Near, Purpose, Run, Survey};
use crate::json::Value;
use crate::rules::acts::Message;
use crate::rules::adp::{Way, bare_pointer};

/// The format.
pub(in crate::format) struct Bare;

impl Format for Bare {
    fn name(&self) -> &'static str {
        "messages"
    }

    fn title(&self) -> &'static str {
        "Bare messages"
    }

    fn about(&self) -> &'static str {
        "Conversations with nothing around them: a file that is one array of messages with a `role` (or `from`) and \
         what was said, or lines of such arrays, each array one trajectory; also records that hold it as `traj`. At \
         least half of the first 20 records must be such. Everything else is as in the Agent Data Protocol, which \
         takes conversations that are a member of a record."
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        let n = bare(first);
        let reason = "arrays of messages with `role` or `from` and what was said".to_owned();
        (n > 0 && n * 2 >= first.len()).then_some(Match { reason })
    }

    fn near(&self, first: &[Value<'_>]) -> Option<Near> {
        let n = bare(first);
        (n > 0).then(|| Near::of(n, first.len(), "records are arrays of messages"))
    }

    fn framing(&self) -> Framing {
        Framing::Text
    }

    fn layout(&self) -> Layout {
        Layout::Set
    }

    fn survey(&self, purpose: Purpose) -> Option<Box<dyn Survey>> {
        Some(Box::new(Trajectories::new(Way::Bare, purpose)))
    }

    fn run(&self) -> Box<dyn Run> {
        Box::new(Trajectory::new(Way::Bare))
    }

    fn samples(&self) -> &'static [&'static str] {
        &[
            r#"[{"role":"system","content":"You help."},{"role":"user","content":"list it"},
    {"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"ls","arguments":"{}"}}]},
    {"role":"tool","tool_call_id":"c1","content":"a.txt"},{"role":"assistant","content":"a.txt"}]"#,
            "[{\"from\":\"human\",\"value\":\"hi\"},{\"from\":\"gpt\",\"value\":\"hello\"}]\n\
             [{\"from\":\"human\",\"value\":\"bye\"},{\"from\":\"gpt\",\"value\":\"bye\"}]\n",
            "{\"task_id\":3,\"reward\":1.0,\"traj\":[{\"role\":\"user\",\"content\":\"hi\"}]}\n",
        ]
    }
}

/// How many are conversations, and no context of Agent/Data (A7, A8).
fn bare(first: &[Value<'_>]) -> usize {
    let is_context = |value: &Value<'_>| {
        let Some(messages) = value.as_array() else { return false };
        messages.iter().filter(|message| Message::of(message).is_typed()).count() * 2 >= messages.len()
    };
    first.iter().filter(|value| bare_pointer(value).is_some() && !is_context(value)).count()
}
