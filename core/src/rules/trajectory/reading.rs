//! One record, read: its shape and its steps.

use super::answer_reward::group_reward;
use super::entry::TrajectoryStep;
use super::links;
use super::number;
use super::request::{instructions, requested_tools};
use super::rows::{self, RowTrack};
use super::several::is_lone_trace;
use super::shape::{RecordShape, Version, chat_pointer, shape};
use super::task::is_trial;
use super::track::Track;
use super::track_reader::TrackReader;
use crate::json::{self, Data, Value};
use crate::model::{Record, StepRole};
use std::borrow::Cow;

/// Members by which records are distinguished, the first that is there counts. Several attempts at one task share an
/// `instance_id` or a `task_id`, so that these are no ids of their own (D15).
const IDS: [&str; 8] =
    ["id", "trajectory_id", "session_id", "conversation_id", "uuid", "instance_id", "task_id", "custom_id"];

/// The id of a record, or what stands for one: a string or a whole number.
#[must_use]
pub fn record_id<'a>(root: &'a Value<'a>) -> Option<&'a Value<'a>> {
    IDS.iter().find_map(|key| root.get(key).filter(|value| is_id(value)))
}

fn is_id(value: &Value<'_>) -> bool {
    match &value.data {
        Data::String(_) => true,
        Data::Number => !value.text.contains(['.', 'e', 'E']),
        _ => false,
    }
}

/// Members that number the steps of a run, where each record is one of them.
const STEP_NUMBERS: [&str; 10] = [
    "step",
    "step_id",
    "step_idx",
    "step_index",
    "step_number",
    "turn",
    "turn_id",
    "turn_idx",
    "turn_index",
    "message_index",
];

/// Members of a conversation's record that hold its reward: as a number, and as true or false, which are 1 and 0.
const GRADES: [&str; 3] = ["reward", "score", "rewards"];
const OUTCOMES: [&str; 2] = ["resolved", "target"];

/// A way to read records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Way {
    /// D2, to the letter: [`Reading::of`].
    #[default]
    Protocol,
    /// `FORMATS.md` 5, 8: [`Reading::of_row`].
    Formats,
    /// The same, and a call that an agent writes in its text counts too: for what looks at how a run went, and for what
    /// converters take and make.
    Written,
}

impl Way {
    /// Reads a record so.
    #[must_use]
    pub fn read<'a>(self, root: &'a Value<'a>) -> Reading<'a> {
        match self {
            Self::Protocol => Reading::of(root),
            Self::Formats | Self::Written => Reading::row(root, self),
        }
    }

    /// The same way, in which calls count that are written in a text.
    #[must_use]
    pub fn with_written_calls(self) -> Self {
        if self == Self::Formats { Self::Written } else { self }
    }

    /// Reads a record so, whose text is this.
    #[must_use]
    pub fn read_record<'a>(self, record: &Record, root: &'a Value<'a>) -> Reading<'a> {
        Reading { is_row: record.is_row, ..self.read(root) }
    }

    /// Reads a message of a conversation so; a text alone is said by `role`.
    #[must_use]
    pub fn message<'a>(self, value: &'a Value<'a>, role: StepRole) -> TrajectoryStep<'a> {
        match self {
            Self::Protocol => TrajectoryStep::message(value),
            Self::Formats | Self::Written => TrajectoryStep::row_message(value, role, self),
        }
    }
}

/// The trajectories in the text of a record, read as a row; of one that cannot be read 1.
#[must_use]
pub fn track_count(text: &[u8]) -> usize {
    let root = std::str::from_utf8(text).ok().and_then(|text| json::parse(text).ok());
    root.map_or(1, |root| Reading::of_row(&root).tracks.len())
}

/// The reward of an episode of verifiers: of its first agent the sum of the scores by their weights. A trace that no
/// episode holds has its own; before there were weights, a reward was its number.
fn traced_reward(root: &Value<'_>) -> Option<f64> {
    let in_episode = root.get("traces").and_then(|traces| traces.as_array()?.first());
    let trace = in_episode.or_else(|| is_lone_trace(root).then_some(root))?;
    let rewards = trace.get("rewards")?.as_object()?;
    let number = |reward: &Value<'_>, key: &str| reward.get(key).and_then(number::number).map(|number| number.value);
    let weighted = |reward: &Value<'_>| Some(number(reward, "score")? * number(reward, "weight").unwrap_or(1.0));
    let alone = |reward: &Value<'_>| number::number(reward).map(|number| number.value);
    let part = |(_, reward): (&str, &Value<'_>)| weighted(reward).or_else(|| alone(reward));
    let parts: Vec<f64> = rewards.entries().filter_map(part).collect();
    Some(parts.iter().sum()).filter(|sum: &f64| !parts.is_empty() && sum.is_finite())
}

/// The number that Inspect takes the value of a score for.
#[must_use]
pub fn score_number<'v>(value: &'v Value<'v>) -> Option<&'v str> {
    match (value.as_number(), value.as_str(), value.as_bool()) {
        (Some(number), ..) => Some(number),
        (_, Some("C"), _) | (.., Some(true)) => Some("1"),
        (_, Some("P"), _) => Some("0.5"),
        (_, Some("I" | "N"), _) | (.., Some(false)) => Some("0"),
        _ => None,
    }
}

/// The reward of a rollout of SkyRL (`FORMATS.md` 13) whose `score` lists one of each token: their sum.
#[must_use]
pub fn token_rewards(root: &Value<'_>) -> Option<f64> {
    root.get("output_response")?;
    let rewards = root.get("score")?.as_array()?;
    let numbers: Option<Vec<f64>> = rewards.iter().map(|reward| reward.as_number()?.parse().ok()).collect();
    let sum: f64 = numbers.filter(|numbers| !numbers.is_empty())?.iter().sum();
    Some(sum).filter(|sum| sum.is_finite())
}

/// The reward of a sample of Inspect: its first score.
fn scored_reward(root: &Value<'_>) -> Option<f64> {
    let (_, score) = root.get("scores")?.as_object()?.entries().next()?;
    let number: f64 = score_number(score.get("value")?)?.parse().ok()?;
    Some(number).filter(|number| number.is_finite())
}

/// What is at a pointer of [`Reading::body`].
fn steps<'a>(root: &'a Value<'a>, pointer: &str) -> Option<&'a Value<'a>> {
    pointer.strip_prefix('/').map_or(Some(root), |key| root.get(key))
}

/// A record as the rules see it.
#[derive(Debug)]
pub struct Reading<'a> {
    /// The record.
    pub root: &'a Value<'a>,
    /// How it is read.
    pub way: Way,
    /// D8: whether it is a row of columns, without the members that are null in it.
    pub is_row: bool,
    /// D2: its shape.
    pub shape: RecordShape,
    /// D3: its version, as a standardized trajectory.
    pub version: Version,
    /// The pointer to the array of its steps, `""` where the record is that; None for a record of no known shape.
    pub body: Option<&'static str>,
    /// D19: its steps.
    pub entries: Vec<TrajectoryStep<'a>>,
    /// The trajectories that they are, in order: one, but for pairs and sub-agents (`FORMATS.md` 5, 8).
    pub tracks: Vec<Track>,
    /// Attempts of a row that are not read, since all together are too long.
    pub left_out: usize,
}

impl<'a> Reading<'a> {
    /// D2, D19: reads a record.
    #[must_use]
    pub fn of(root: &'a Value<'a>) -> Self {
        let shape = shape(root);
        let body = match shape {
            RecordShape::Std => Some("/content"),
            RecordShape::Chat => chat_pointer(root),
            RecordShape::Atif => Some("/steps"),
            RecordShape::Other => None,
        };
        Self::with(root, shape, body)
    }

    /// `FORMATS.md` 5, 8: the same, and rows of datasets under more names; of an ATIF file the trajectories of its
    /// sub-agents too. A call that is written in a text does not count as one.
    #[must_use]
    pub fn of_row(root: &'a Value<'a>) -> Self {
        Self::row(root, Way::Formats)
    }

    fn row(root: &'a Value<'a>, way: Way) -> Self {
        let (shape, mut left_out) = (shape(root), 0);
        let read = match shape {
            RecordShape::Atif => {
                let mut read = TrackReader::new(way);
                read.turns(root);
                Some((read, Some("/steps")))
            }
            RecordShape::Std => None,
            RecordShape::Chat | RecordShape::Other => rows::tracks(root).and_then(|tracks| {
                let body = match tracks.as_slice() {
                    [RowTrack { sources, .. }] if sources.len() == 1 => match sources.first()?.pointer {
                        Cow::Borrowed(pointer) => Some(pointer),
                        Cow::Owned(_) => None,
                    },
                    _ => None,
                };
                let mut read = TrackReader::new(way);
                tracks.iter().for_each(|track| read.row(track));
                read.reward_steps(root);
                left_out = tracks.iter().map(|track| track.left_out).sum();
                Some((read, body))
            }),
        };
        let Some((TrackReader { mut entries, tracks, .. }, body)) = read else { return Self::of(root) };
        for track in &tracks {
            if let Some(track_steps) = entries.get_mut(track.steps.clone()) {
                links::settle_from(track.steps.start, track_steps);
            }
        }
        let shape = if shape == RecordShape::Atif { shape } else { RecordShape::Chat };
        Self { root, way, is_row: false, shape, version: Version::of(root), body, entries, tracks, left_out }
    }

    fn with(root: &'a Value<'a>, shape: RecordShape, body: Option<&'static str>) -> Self {
        let read: fn(&'a Value<'a>) -> TrajectoryStep<'a> = match shape {
            RecordShape::Std => TrajectoryStep::item,
            RecordShape::Chat => TrajectoryStep::message,
            RecordShape::Atif => TrajectoryStep::turn,
            RecordShape::Other => TrajectoryStep::record,
        };
        let mut entries: Vec<TrajectoryStep<'a>> = match body {
            Some(pointer) => {
                steps(root, pointer).and_then(Value::as_array).unwrap_or_default().iter().map(read).collect()
            }
            None => vec![read(root)],
        };
        links::settle(&mut entries);
        let tracks = vec![Track::of_list(body.unwrap_or_default(), entries.len())];
        let (way, is_row, left_out) = (Way::Protocol, false, 0);
        Self { root, way, is_row, shape, version: Version::of(root), body, entries, tracks, left_out }
    }

    /// The trajectories after the first that have steps.
    pub(in crate::rules) fn further_tracks(&self) -> impl Iterator<Item = &Track> + '_ {
        self.tracks.iter().filter(|track| !track.steps.is_empty()).skip(1)
    }

    /// The trajectory that it is, its sub-agents and attempts that were left aside; None: it is not a trajectory, or a
    /// pair of them.
    #[must_use]
    pub fn main(&self) -> Option<&Track> {
        let mut all = self.answers();
        all.next().filter(|_| all.next().is_none())
    }

    /// The trajectories that it is, its sub-agents and attempts that were left aside: one, but for a pair, and a prompt
    /// with several answers. None of a record that is not a trajectory.
    pub fn answers(&self) -> impl Iterator<Item = &Track> + '_ {
        let is_known = self.shape != RecordShape::Other;
        self.tracks.iter().filter(move |track| is_known && track.is_answer())
    }

    /// The trajectory that a step is of. They are in the order of their steps.
    pub(in crate::rules) fn track_of(&self, step: usize) -> Option<&Track> {
        let after = self.tracks.partition_point(|track| track.steps.start <= step);
        self.tracks.get(after.checked_sub(1)?).filter(|track| track.steps.contains(&step))
    }

    /// The path of a step.
    pub(crate) fn path(&self, step: usize) -> String {
        self.track_of(step).map(|track| track.path(step)).unwrap_or_default()
    }

    /// The array of its steps.
    #[must_use]
    pub fn steps(&self) -> Option<&'a Value<'a>> {
        steps(self.root, self.body?)
    }

    /// D15, D22: the record's own id and its key: strings and integers.
    #[must_use]
    pub fn id(&self) -> Option<(&'static str, &'a Value<'a>)> {
        let keys: &[&'static str] = match self.shape {
            RecordShape::Atif => &["trajectory_id", "session_id"],
            _ => &["id"],
        };
        keys.iter().find_map(|&key| self.root.get(key).filter(|v| is_id(v)).map(|v| (key, v)))
    }

    /// Whether the record is one step of a run, by a number of it, so that its id is that of the run and repeats.
    #[must_use]
    pub fn is_step_of_run(&self) -> bool {
        let is_number = |name: &&str| self.root.get(name).is_some_and(|value| matches!(value.data, Data::Number));
        STEP_NUMBERS.iter().any(is_number)
    }

    /// What the record is called: its own id, else the first name of [`record_id`].
    #[must_use]
    pub fn name(&self) -> Option<&'a Value<'a>> {
        self.id().map(|(_, id)| id).or_else(|| record_id(self.root))
    }

    /// The reward of a conversation as a whole, where its messages have none: what the record says of how it went.
    #[must_use]
    pub fn outcome(&self) -> Option<f64> {
        // Tables of some sets have 0 and 1 in place of truth values.
        let is_outcome = |key: &str, value: &Value<'_>| {
            matches!(value.data, Data::Bool(_)) || (key == "resolved" && matches!(value.text, "0" | "1"))
        };
        let graded = || GRADES.iter().find_map(|key| self.root.get(key).and_then(number::number));
        let judged = || {
            let judgement = |key: &&str| self.root.get(key).filter(|value| is_outcome(key, value));
            OUTCOMES.iter().find_map(judgement).and_then(number::number)
        };
        let info = || self.root.get("reward_info")?.get("reward").and_then(number::number);
        // Harbor: the bucket of its reward, or the name of what failed.
        let of_trial = || self.root.get("result").filter(|_| is_trial(self.root)).and_then(number::number);
        let found = || graded().or_else(info).or_else(judged).or_else(of_trial).map(|found| found.value);
        let of_tokens = || token_rewards(self.root);
        let of_group = || group_reward(self.root, self.main()?);
        (self.shape == RecordShape::Chat).then(|| {
            found()
                .or_else(of_tokens)
                .or_else(of_group)
                .or_else(|| traced_reward(self.root))
                .or_else(|| scored_reward(self.root))
        })?
    }

    /// The lists of tools that the record declares; in tables that hold no lists of any shape, JSON in a string.
    pub fn tool_lists(&self) -> impl Iterator<Item = &'a Value<'a>> {
        let of_agent = || self.root.get("agent")?.get("tool_definitions");
        let named = ["tools", "functions", "tool_definitions"].map(|name| self.root.get(name));
        let lists = named.into_iter().chain([of_agent(), requested_tools(self.root)]);
        lists.flatten()
    }

    /// D17: the system prompt of a conversation, which is no step.
    #[must_use]
    pub fn system_prompt(&self) -> Option<&'a Value<'a>> {
        let prompt = self.root.get("system").filter(|v| v.as_str().is_some());
        let prompt = prompt.or_else(|| instructions(self.root));
        prompt.filter(|_| self.shape == RecordShape::Chat)
    }
}
