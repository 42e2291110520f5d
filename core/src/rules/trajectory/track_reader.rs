//! Steps of a record that is several trajectories, or one in several parts (`FORMATS.md` 5, 8).

use super::atif;
use super::entry::TrajectoryStep;
use super::number;
use super::reading::Way;
use super::rows::{RowTrack, Source};
use super::several::chosen_message;
use super::track::Track;
use crate::json::{Data, Value};
use std::borrow::Cow;

/// Takes trajectories one after the other.
pub(in crate::rules) struct TrackReader<'a> {
    way: Way,
    pub(in crate::rules) entries: Vec<TrajectoryStep<'a>>,
    pub(in crate::rules) tracks: Vec<Track>,
}

impl<'a> TrackReader<'a> {
    /// Reads messages in that way.
    pub(in crate::rules) fn new(way: Way) -> Self {
        Self { way, entries: Vec::new(), tracks: Vec::new() }
    }

    /// A trajectory of a row.
    pub(in crate::rules) fn row(&mut self, row: &RowTrack<'a>) {
        let mut track = Track::begin(self.entries.len(), row.label.as_deref().map(str::to_owned));
        track.is_sub_agent = row.is_sub_agent;
        track.is_left = row.is_left;
        for (number, source) in row.sources.iter().enumerate() {
            track.goes_on = track.goes_on.or((row.goes_on == Some(number)).then_some(self.entries.len()));
            self.source(source, &mut track);
        }
        self.tracks.push(track);
    }

    fn source(&mut self, source: &Source<'a>, track: &mut Track) {
        let Source { value, pointer, role } = source.clone();
        let Data::Array(messages) = &value.data else {
            track.stretch(pointer, None);
            return self.add(TrajectoryStep::row_message(value, role, self.way), track);
        };
        track.stretch(pointer.clone(), Some(0));
        for (place, message) in messages.iter().enumerate() {
            match message.get("tool_messages").and_then(Value::as_array) {
                // tau2: one message that holds several.
                Some(several) => {
                    track.stretch(Cow::Owned(format!("{pointer}/{place}/tool_messages")), Some(0));
                    several
                        .iter()
                        .for_each(|message| self.add(TrajectoryStep::row_message(message, role, self.way), track));
                    track.stretch(pointer.clone(), Some(place + 1));
                }
                None => match chosen_message(message) {
                    Some(message) => {
                        track.stretch(Cow::Owned(format!("{pointer}/{place}/message")), None);
                        self.add(TrajectoryStep::row_message(message, role, self.way), track);
                        track.stretch(pointer.clone(), Some(place + 1));
                    }
                    None => self.add(TrajectoryStep::row_message(message, role, self.way), track),
                },
            }
        }
    }

    fn add(&mut self, entry: TrajectoryStep<'a>, track: &mut Track) {
        self.entries.push(entry);
        track.steps.end = self.entries.len();
    }

    /// TRL: each step of a stepwise answer has its label.
    pub(in crate::rules) fn reward_steps(&mut self, row: &'a Value<'a>) {
        let (Some(answers), Some(labels)) = (list(row, "completions"), list(row, "labels")) else { return };
        let first = self.entries.len().saturating_sub(answers.len());
        for (entry, label) in self.entries[first..].iter_mut().zip(labels) {
            entry.reward = entry.reward.take().or_else(|| number::number(label));
        }
    }

    /// An ATIF trajectory, and after it those of its sub-agents.
    pub(in crate::rules) fn turns(&mut self, root: &'a Value<'a>) {
        for (number, (pointer, trajectory)) in atif::trajectories(root).into_iter().enumerate() {
            let mut track = Track::begin(self.entries.len(), atif::name(trajectory).map(str::to_owned));
            track.is_sub_agent = number > 0;
            track.stretch(Cow::Owned(format!("{pointer}/steps")), Some(0));
            for turn in list(trajectory, "steps").unwrap_or_default() {
                self.add(TrajectoryStep::turn(turn), &mut track);
            }
            self.tracks.push(track);
        }
        if let [only] = self.tracks.as_mut_slice() {
            only.label = None;
        }
    }
}

fn list<'a>(value: &'a Value<'a>, name: &str) -> Option<&'a [Value<'a>]> {
    value.get(name)?.as_array()
}
