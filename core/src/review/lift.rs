//! Which phrases and tools go with high rewards: a look at what a policy may have learned to please its reward with.
//!
//! Two passes over the records, in memory that does not grow with them: the first counts in how many records each
//! phrase is, by a table of counters; the second adds up the rewards of those that are in enough. Rewards are reported
//! from the mean of their task, where it has several, so that an easy task is no merit of its words.

use super::rollout::{Rollout, answers_task};
use crate::json::Value;
use crate::model::cast;
use crate::model::{StepRole, TurnPart};
use crate::rules::trajectory::{Hint, Reading, Track, Way, answer_rewards, task_key, turn};
use std::collections::{HashMap, HashSet};

/// Words of a phrase.
const PHRASE_WORDS: usize = 3;
/// Counters of phrases: what falls on one of another phrase counts for both, which only lets one more be added up.
const COUNTERS: usize = 1 << 22;
/// Most phrases whose rewards are added up.
const PHRASES_MAX: usize = 200_000;
/// Most phrases of a record.
const RECORD_PHRASES_MAX: usize = 20_000;
/// Phrases that fewer records than this have, or a greater share of them than this, are ignored.
const RECORDS_MIN: u64 = 3;
const SHARE_MAX: f64 = 0.95;
/// Places that are kept of a phrase.
const PLACES_MAX: usize = 3;
/// Longest phrase, in bytes: words may be of any length.
const PHRASE_BYTES_MAX: usize = 120;

/// What an agent said and called in a record, once each, with the step at which it is first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordFeatures {
    /// The record.
    pub record: usize,
    /// The key of its task.
    task: Option<u64>,
    reward: Option<f64>,
    /// Phrases, and tools as `tool NAME`.
    features: Vec<(String, usize)>,
}

impl RecordFeatures {
    /// Reads a record: of one trajectory one, of a preference pair or several answers one an answer, rewarded by its
    /// score, else by which of the two it is. None for one without a reward.
    #[must_use]
    pub fn all_of(number: usize, record: &Value<'_>, by: Option<&str>, way: Way) -> Vec<Self> {
        let reading = way.with_written_calls().read(record);
        if let (Some(track), Some(Rollout { task, reward, .. })) = (reading.main(), Rollout::of_reading(&reading, by)) {
            let task = task.map(|task| task_key(&task));
            return reward.map(|reward| Self::of_track((number, &reading), track, task, reward)).into_iter().collect();
        }
        let task = answers_task(&reading, number, by).map(|task| task_key(&task));
        let finite = |reward: Option<f64>| reward.filter(|reward| reward.is_finite());
        let is_scored = answer_rewards(&reading).any(|(_, reward)| finite(reward).is_some());
        let rewarded = answer_rewards(&reading).filter_map(|(track, reward)| {
            let reward = if is_scored { finite(reward) } else { preference(track) };
            Some(Self::of_track((number, &reading), track, task, reward?))
        });
        rewarded.collect()
    }

    /// What the agent says in a trajectory.
    fn of_track((number, reading): (usize, &Reading<'_>), track: &Track, task: Option<u64>, reward: f64) -> Self {
        let mut out = Self { record: number, task, reward: Some(reward), features: Vec::new() };
        let mut seen = HashSet::new();
        for step in track.steps.clone() {
            let Some(entry) = reading.entries.get(step).filter(|entry| entry.role == StepRole::Agent) else { continue };
            for part in turn(entry, Hint::None).parts {
                let text = match &part {
                    TurnPart::Text(text) | TurnPart::Thought(text) => text,
                    TurnPart::Call(call) => {
                        out.take(format!("tool {}", call.name), step, &mut seen);
                        &call.arguments
                    }
                    TurnPart::Result(_) | TurnPart::Attachment(_) => continue,
                };
                if out.features.len() < RECORD_PHRASES_MAX {
                    phrases(text).for_each(|phrase| out.take(phrase, step, &mut seen));
                }
            }
        }
        out
    }

    fn take(&mut self, feature: String, step: usize, seen: &mut HashSet<String>) {
        if self.features.len() < RECORD_PHRASES_MAX && !seen.contains(&feature) {
            seen.insert(feature.clone());
            self.features.push((feature, step));
        }
    }
}

/// What an answer of a preference pair is worth where no score says it.
fn preference(track: &Track) -> Option<f64> {
    match track.label.as_deref()? {
        "chosen" => Some(1.0),
        "rejected" => Some(0.0),
        _ => None,
    }
}

/// Runs of words of a text: letters, digits and what names and paths are made of, without case.
fn phrases(text: &str) -> impl Iterator<Item = String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | '\'' | '(' | ')');
    let words: Vec<String> = text
        .split(|c: char| !is_part(c))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | ')' | '/')).to_lowercase())
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .collect();
    let runs: Vec<String> = words.windows(PHRASE_WORDS).map(|run| run.join(" ")).collect();
    runs.into_iter().filter(|phrase| phrase.len() <= PHRASE_BYTES_MAX)
}

/// The first pass: in how many records phrases are, and the rewards of the tasks.
#[derive(Debug)]
pub struct PhraseCounts {
    counters: Vec<u32>,
    tasks: HashMap<u64, (u64, f64)>,
    rewards: Sum,
}

/// The counter of a phrase.
fn place(feature: &str) -> usize {
    cast::to_usize(task_key(feature) % COUNTERS as u64)
}

/// Numbers by their sum and squares.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Sum {
    count: u64,
    sum: f64,
    squares: f64,
}

impl Sum {
    fn add(&mut self, x: f64) {
        self.count += 1;
        self.sum += x;
        self.squares += x * x;
    }

    fn mean(self) -> f64 {
        self.sum / self.count.max(1) as f64
    }
}

impl Default for PhraseCounts {
    fn default() -> Self {
        Self { counters: vec![0; COUNTERS], tasks: HashMap::new(), rewards: Sum::default() }
    }
}

impl PhraseCounts {
    /// Counts a record.
    pub fn add(&mut self, features: &RecordFeatures) {
        let Some(reward) = features.reward else { return };
        self.rewards.add(reward);
        if let Some(task) = features.task {
            let of = self.tasks.entry(task).or_default();
            *of = (of.0 + 1, of.1 + reward);
        }
        for (feature, _) in &features.features {
            let counter = &mut self.counters[place(feature)];
            *counter = counter.saturating_add(1);
        }
    }

    fn is_wanted(&self, feature: &str) -> bool {
        let n = u64::from(self.counters[place(feature)]);
        let most = cast::f64_to_u64(self.rewards.count as f64 * SHARE_MAX);
        (RECORDS_MIN..=most.max(RECORDS_MIN)).contains(&n)
    }

    /// A reward from the mean of its task, or of all where the task has no other.
    fn centred(&self, features: &RecordFeatures, reward: f64) -> f64 {
        let of = features.task.and_then(|task| self.tasks.get(&task)).filter(|(n, _)| *n > 1);
        reward - of.map_or_else(|| self.rewards.mean(), |(n, sum)| sum / *n as f64)
    }
}

/// The second pass: the rewards of the records that have a phrase.
#[derive(Debug)]
pub struct Lifts {
    counts: PhraseCounts,
    with: HashMap<String, With>,
    /// Of all records, counted from the means of their tasks.
    centred: Sum,
    /// Whether there were more phrases than are added up.
    pub is_cut: bool,
}

#[derive(Debug, Default)]
struct With {
    rewards: Sum,
    centred: Sum,
    places: Vec<(usize, usize)>,
}

/// How the records with a phrase or tool differ from those without.
#[derive(Debug, Clone, PartialEq)]
pub struct Lift {
    /// The phrase, or `tool NAME`.
    pub feature: String,
    /// Records that have it.
    pub records: u64,
    /// Their mean reward, and that of the others.
    pub mean: f64,
    /// The mean reward of the records without it.
    pub mean_without: f64,
    /// The mean with it by the mean of all, where both are counted from the means of their tasks: what is common in
    /// easy tasks lifts nothing. None where the mean of all is not positive.
    pub lift: Option<f64>,
    /// By how many standard errors the two differ, rewards counted from the means of their tasks.
    pub z: f64,
    /// Some of the records that have it, each with the step at which it is first.
    pub places: Vec<(usize, usize)>,
}

impl Lifts {
    /// Begins the second pass.
    #[must_use]
    pub fn new(counts: PhraseCounts) -> Self {
        Self { counts, with: HashMap::new(), centred: Sum::default(), is_cut: false }
    }

    /// Takes a record again.
    pub fn add(&mut self, features: RecordFeatures) {
        let Some(reward) = features.reward else { return };
        let centred = self.counts.centred(&features, reward);
        self.centred.add(centred);
        for (feature, step) in features.features {
            if !self.counts.is_wanted(&feature) {
                continue;
            }
            if !self.with.contains_key(&feature) && self.with.len() >= PHRASES_MAX {
                self.is_cut = true;
                continue;
            }
            let with = self.with.entry(feature).or_default();
            with.rewards.add(reward);
            with.centred.add(centred);
            if with.places.len() < PLACES_MAX {
                with.places.push((features.record, step));
            }
        }
    }

    /// Records with a reward, and their mean.
    #[must_use]
    pub fn all(&self) -> (u64, f64) {
        (self.counts.rewards.count, self.counts.rewards.mean())
    }

    /// The phrases and tools by how clearly their records are rewarded otherwise, the best first. Of phrases that are
    /// in the same records one is reported.
    #[must_use]
    pub fn finish(self) -> Vec<Lift> {
        let (all, centred) = (self.counts.rewards, self.centred);
        let mut out: Vec<Lift> =
            self.with.into_iter().filter_map(|(feature, with)| lift(feature, with, all, centred)).collect();
        out.sort_by(|a, b| b.z.total_cmp(&a.z).then_with(|| a.feature.cmp(&b.feature)));
        let mut known = HashSet::new();
        out.retain(|lift| {
            let is_tool = lift.feature.starts_with("tool ");
            known.insert((
                is_tool,
                lift.records,
                lift.mean.to_bits(),
                lift.places.iter().map(|p| p.0).collect::<Vec<_>>(),
            ))
        });
        out
    }
}

fn lift(feature: String, with: With, all: Sum, centred: Sum) -> Option<Lift> {
    let n = with.rewards.count;
    let others = all.count.checked_sub(n).filter(|others| *others > 0 && n >= RECORDS_MIN)?;
    let mean_without = (all.sum - with.rewards.sum) / others as f64;
    let (mean_with, other) = (with.centred.mean(), (centred.sum - with.centred.sum) / others as f64);
    // The variance of all, once for both sides: a side of few records has none of its own to trust.
    let count = centred.count as f64;
    let variance = (centred.squares / count - centred.mean().powi(2)).max(0.0);
    let error = (variance * (1.0 / n as f64 + 1.0 / others as f64)).sqrt();
    let z = if error > 0.0 { (mean_with - other) / error } else { 0.0 };
    let lift = Some(1.0 + (mean_with - centred.mean()) / all.mean()).filter(|_| all.mean() > 0.0);
    Some(Lift { feature, records: n, mean: with.rewards.mean(), mean_without, lift, z, places: with.places })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn features_of(number: usize, text: &str, reward: f64) -> RecordFeatures {
        let turns = format!(r#"{{"role":"user","content":"go"}},{{"role":"assistant","content":"{text}"}}"#);
        let id = format!("t{}-run{number}", number % 2);
        let row = format!(r#"{{"id":"{id}","reward":{reward},"messages":[{turns}]}}"#);
        RecordFeatures::all_of(number, &parse(&row).unwrap(), None, Way::Formats).remove(0)
    }

    fn lifts(all: &[RecordFeatures]) -> Vec<Lift> {
        let mut counts = PhraseCounts::default();
        all.iter().for_each(|features| counts.add(features));
        let mut lifts = Lifts::new(counts);
        all.iter().cloned().for_each(|features| lifts.add(features));
        lifts.finish()
    }

    #[test]
    fn a_phrase_of_the_rewarded_is_reported_with_its_places() {
        let mut all: Vec<RecordFeatures> =
            (0..8).map(|n| features_of(n, &format!("I skip the test now, number {n}"), 1.0)).collect();
        all.extend((8..16).map(|n| features_of(n, &format!("I mend the code, number {n}"), 0.0)));
        let lifts = lifts(&all);
        let first = &lifts[0];
        assert_eq!((first.records, first.mean, first.mean_without, first.lift), (8, 1.0, 0.0, Some(2.0)));
        assert!(first.z > 3.0 && first.feature.contains("skip the"), "{first:?}");
        assert_eq!(first.places, [(0, 1), (1, 1), (2, 1)]);
        assert!(lifts.last().is_some_and(|last| last.z < -3.0 && last.feature.contains("mend the")), "{lifts:?}");
        assert_eq!(lifts.len(), 2, "phrases of the same records are one");
    }

    #[test]
    fn the_words_of_an_easy_task_are_no_merit() {
        // All attempts at one task say so, and all of them succeed.
        let all: Vec<RecordFeatures> = (0..12)
            .map(|n| {
                features_of(
                    n,
                    if n % 2 == 0 { "the easy one here" } else { "the hard one there" },
                    f64::from(n % 2 == 0),
                )
            })
            .collect();
        assert!(lifts(&all).iter().all(|lift| lift.z.abs() < 1e-9), "{:?}", lifts(&all));
    }

    #[test]
    fn what_hurts_in_each_task_lifts_nothing_however_often_the_easy_one_has_it() {
        // The easy task has the phrase often, the hard one seldom; in both it is rewarded less.
        let attempt = |n: usize, has_it: bool, reward: f64| {
            features_of(n, if has_it { "look carefully at code" } else { "go on with work" }, reward)
        };
        let easy = (0..9).map(|i| attempt(2 * i, i < 7, if i < 7 { 0.9 } else { 1.0 }));
        let hard = (0..9).map(|i| attempt(2 * i + 1, i < 2, if i < 2 { 0.0 } else { 0.1 }));
        let lifts = lifts(&easy.chain(hard).collect::<Vec<_>>());
        let phrase = lifts.iter().find(|lift| lift.feature.contains("carefully")).unwrap();
        assert!(phrase.mean > phrase.mean_without, "in all of them: {phrase:?}");
        assert!(phrase.z < 0.0 && phrase.lift.unwrap() < 1.0, "within the tasks: {phrase:?}");
    }

    #[test]
    fn phrases_are_words_in_a_row() {
        let all: Vec<String> = phrases("Run `sys.exit(0)` now -- OK?").collect();
        assert_eq!(all, ["run sys.exit(0) now", "sys.exit(0) now ok"]);
    }
}
