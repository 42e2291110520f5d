//! A row of the table of formats whose records are trajectories read by `FORMATS.md` 5 and 8: all that differs between
//! them, in one place.

use super::run::Trajectory;
use super::survey::Trajectories;
use crate::format::{Detect, Format, Framing, Layout, Match, Near, Purpose, Run, Survey};
use crate::json::Value;
use crate::rules::adp::stage;
use crate::rules::trajectory::{Way, track_count};
use memchr::memmem;

/// How far first records resemble a format ([`Format::near`]).
type NearFn = fn(&[Value<'_>]) -> Option<Near>;

/// A format of a dataset.
pub(in crate::format) struct DatasetRow {
    /// Name for `--format`.
    pub(super) name: &'static str,
    /// Name shown to people.
    pub(super) title: &'static str,
    /// What the format is and how its files are recognised.
    pub(super) about: &'static str,
    /// How its files are cut into records.
    pub(super) framing: Framing,
    /// Whether first records are of this format, and why.
    pub(super) detect: Detect,
    /// How many of the first records resemble this format.
    pub(super) near: NearFn,
    /// Small texts of this format, for tests.
    pub(super) samples: &'static [&'static str],
}

/// A record that holds several trajectories has at least one of these members.
const SEVERAL: [&str; 13] = [
    "\"subagent_trajectories\"",
    "\"rejected",
    "\"non_preferred_output\"",
    "\"trajectories\"",
    "\"scores\"",
    "\"choices\"",
    "\"candidates\"",
    "\"completions\"",
    "\"responses\"",
    "\"samples\"",
    "\"outputs\"",
    "\"generations\"",
    "\"parent_run_id\"",
];

impl Format for DatasetRow {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        (self.detect)(first)
    }

    fn near(&self, first: &[Value<'_>]) -> Option<Near> {
        (self.near)(first)
    }

    fn is_stage(&self) -> bool {
        true
    }

    fn framing(&self) -> Framing {
        self.framing
    }

    fn stage(&self, file: &str) -> Option<&'static str> {
        stage(file)
    }

    fn layout(&self) -> Layout {
        Layout::Set
    }

    fn has_trajectories(&self) -> bool {
        true
    }

    fn trajectories_in(&self, text: &[u8]) -> usize {
        let may_be_several = SEVERAL.iter().any(|name| memmem::find(text, name.as_bytes()).is_some());
        if may_be_several { track_count(text) } else { 1 }
    }

    fn survey(&self, purpose: Purpose) -> Option<Box<dyn Survey>> {
        Some(Box::new(Trajectories::new(Way::Formats, purpose)))
    }

    fn run(&self) -> Box<dyn Run> {
        Box::new(Trajectory::new(Way::Formats))
    }

    fn samples(&self) -> &'static [&'static str] {
        self.samples
    }
}

/// A match with this reason if `n`, the number of records that fit, is at least half of them.
pub(super) fn most(first: &[Value<'_>], n: usize, reason: &str) -> Option<Match> {
    (n > 0 && n * 2 >= first.len()).then(|| Match { reason: reason.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::FORMATS;

    #[test]
    fn trajectories_are_counted_as_they_are_read_in_every_shape() {
        let user = r#"{"role":"user","content":"q"}"#;
        let agent = r#"{"role":"assistant","content":"a"}"#;
        let rows = [
            format!(
                r#"{{"input":{{"messages":[{user}]}},"preferred_output":[{agent}],"non_preferred_output":[{agent}]}}"#
            ),
            format!(r#"{{"messages":[[{user},{agent}],[{user},{agent}]],"scores":[1,0]}}"#),
            format!(r#"{{"messages":[{user}],"choices":[{{"message":{agent}}},{{"message":{agent}}}]}}"#),
            format!(
                r#"{{"trajectories":[{{"messages_and_choices":[{user},{agent}]}},
                {{"messages_and_choices":[{user},{agent}]}}]}}"#
            ),
            r#"{"contents":[{"role":"user","parts":[{"text":"q"}]}],"candidates":[{"content":{"parts":[{"text":"a"}]}},
            {"content":{"parts":[{"text":"b"}]}}]}"#
                .to_owned(),
            format!(r#"{{"prompt":[{user}],"completions":[[{agent}],[{agent}]]}}"#),
            format!(r#"{{"messages":[{user},{agent}],"rejected_response":"b"}}"#),
        ];
        let format = FORMATS.iter().find(|format| format.name() == "messages").unwrap();
        for row in rows {
            assert_eq!((format.trajectories_in(row.as_bytes()), track_count(row.as_bytes())), (2, 2), "{row}");
        }
    }
}
