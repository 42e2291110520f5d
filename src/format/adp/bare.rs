//! Conversations with nothing around them: an array of messages is one trajectory; a file that is an array of such
//! arrays, or of records with a `traj`, has one trajectory in each element.

use super::run::Trajectory;
use super::survey::Trajectories;
use crate::format::acts::evidence::Evidence;
use crate::format::{Format, Framing, Layout, Match, Near, Purpose, Run, Survey};
use crate::json::Value;
use crate::rules::adp::{Reading, Shape, Way, bare_pointer, stage};

/// The format, for files that are one trajectory or lines of trajectories.
pub(in crate::format) struct Bare;

/// The format, for files that are one array of trajectories.
struct ArrayOfBare;

const NAME: &str = "messages";
const TITLE: &str = "Bare messages";
const ABOUT: &str = "Conversations with nothing around them: a file that is one array of messages with a `role` \
     (or `from`) and what was said, or lines or one array of such arrays, each array one trajectory; also records that \
     hold it as `traj`, as tau-bench publishes them. At least half of the first 20 records must be such. Everything \
     else is as in the Agent Data Protocol, which takes conversations that are a member of a record.";

impl Format for Bare {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn about(&self) -> &'static str {
        ABOUT
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        detect(first)
    }

    fn near(&self, first: &[Value<'_>]) -> Option<Near> {
        let n = bare(first);
        (n > 0).then(|| Near::of(n, first.len(), "records are arrays of messages"))
    }

    fn framing(&self) -> Framing {
        Framing::Text
    }

    fn alternative(&self) -> Option<&'static dyn Format> {
        Some(&ArrayOfBare)
    }

    fn stage(&self, file: &str) -> Option<&'static str> {
        stage(file)
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
            r#"[{"task_id":3,"reward":1.0,"traj":[{"role":"user","content":"hi"}]},
    {"task_id":4,"reward":0.0,"traj":[{"role":"user","content":"bye"}]}]"#,
            r#"[[{"role":"user","content":"hi"}],[{"role":"user","content":"bye"}]]"#,
        ]
    }
}

impl Format for ArrayOfBare {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn about(&self) -> &'static str {
        ABOUT
    }

    /// D2: an array of arrays of messages, and one of records with `traj`.
    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        detect(first)
    }

    /// Where the format is asked for by name, records with any conversation will do.
    fn near(&self, first: &[Value<'_>]) -> Option<Near> {
        let n = first.iter().filter(|value| Reading::of_bare(value).shape == Shape::Chat).count();
        (n > 0).then(|| Near::of(n, first.len(), "records hold a conversation"))
    }

    fn framing(&self) -> Framing {
        Framing::Values
    }

    fn stage(&self, file: &str) -> Option<&'static str> {
        stage(file)
    }

    fn layout(&self) -> Layout {
        Bare.layout()
    }

    fn survey(&self, purpose: Purpose) -> Option<Box<dyn Survey>> {
        Bare.survey(purpose)
    }

    fn run(&self) -> Box<dyn Run> {
        Bare.run()
    }

    fn samples(&self) -> &'static [&'static str] {
        &["[[{\"role\":\"user\",\"content\":\"hi\"}],[{\"role\":\"user\",\"content\":\"bye\"}]]"]
    }
}

fn detect(first: &[Value<'_>]) -> Option<Match> {
    let n = bare(first);
    let reason = "arrays of messages with `role` or `from` and what was said".to_owned();
    (n > 0 && n * 2 >= first.len()).then_some(Match { reason })
}

/// How many are conversations, and no context of Agent/Data (A7, A8).
fn bare(first: &[Value<'_>]) -> usize {
    let is_context =
        |value: &Value<'_>| value.as_array().is_some_and(|messages| Evidence::of_messages(messages.iter()));
    first.iter().filter(|value| bare_pointer(value).is_some() && !is_context(value)).count()
}
