//! Questions of a dataset that others must not hold: looked for by their runs of words inside records of any length.
//!
//! A copy of a test's question in the middle of a long run makes the two samples no more alike; it is found because
//! most runs of N words of the question are in the one record. Runs that many questions share are how the dataset asks,
//! not what, and are not counted; nor is a question that most records ask. Attempts at one task ask one question.

use super::near_duplicates::mix;
use crate::json::{Data, Value};
use crate::model::StepRole;
use crate::model::cast;
use crate::rules::trajectory::Reading;
use std::collections::{HashMap, HashSet};

/// Words of a run, where nothing else is said.
pub const QUESTION_WORDS: usize = 8;
/// Fewest and most words of a run.
pub const QUESTION_WORDS_RANGE: std::ops::RangeInclusive<usize> = 4..=50;
/// Share of the runs of a question that a record holds which holds the question.
const SHARE_MIN: f64 = 0.7;
/// Runs of its own that a question needs to be looked for: a shorter one is anywhere by chance.
const RUNS_MIN: usize = 4;
/// Most questions that have a run: what more of them have is how they ask.
const SHARED_MAX: usize = 4;
/// In fewer records a question is one, however large a share of the dataset they are.
pub(super) const COMMON_RECORDS_MIN: u32 = 10;
/// Members of a record that are its question, the first that is there counts.
const MEMBERS: &[&str] =
    &["question", "problem_statement", "problem", "prompt", "instruction", "query", "goal", "task", "input"];
/// Multiplier of the rolling hash; odd, so that no bit of a word is lost.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The questions of a dataset. About 40 bytes a word of them.
#[derive(Debug)]
pub struct Questions {
    words: usize,
    /// Most runs of a question that are kept, and the share of these that a record has which holds it.
    runs_max: usize,
    share_min: f64,
    /// Whether the questions are those of the records in which they are looked for.
    is_of_itself: bool,
    /// The questions that have a run.
    runs: HashMap<u64, Askers>,
    /// The number of each question by a digest of its runs.
    numbers: HashMap<u64, u32>,
    /// Of each question how many records ask it, and how many runs are its own.
    records: Vec<u32>,
    sizes: Vec<u32>,
}

/// The questions that have a run; of more than [`SHARED_MAX`] it is nobody's.
#[derive(Debug, Clone, Copy, Default)]
struct Askers {
    count: u8,
    first: [u32; SHARED_MAX],
}

impl Askers {
    fn add(&mut self, question: u32) {
        if let Some(place) = self.first.get_mut(usize::from(self.count)) {
            *place = question;
        }
        self.count = self.count.saturating_add(1);
    }

    fn all(&self) -> &[u32] {
        self.first.get(..usize::from(self.count)).unwrap_or_default()
    }
}

/// A question that a record holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Contained {
    /// Its number among the questions.
    pub(super) question: usize,
    /// How much of it, 0 to 1.
    pub(super) share: f64,
    /// The first step that has some of it.
    pub(super) step: Option<usize>,
    /// Words of a run.
    pub(super) words: usize,
}

/// Digests of the runs of words of a question.
#[derive(Debug, Default)]
pub struct QuestionRuns(HashSet<u64>);

impl Questions {
    /// No questions yet; runs of `words` words are compared.
    #[must_use]
    pub fn new(words: usize) -> Self {
        let (runs, numbers) = (HashMap::new(), HashMap::new());
        let (runs_max, share_min, is_of_itself) = (usize::MAX, SHARE_MIN, false);
        Self { words, runs_max, share_min, is_of_itself, runs, numbers, records: vec![], sizes: vec![] }
    }

    /// The same for the questions of the very records in which they are looked for, which are many: at most `runs_max`
    /// runs of a long question are stored, so that shares are estimated, and a share lower by `margin` is enough.
    #[must_use]
    pub fn estimating(words: usize, runs_max: usize, margin: f64) -> Self {
        Self { runs_max, share_min: SHARE_MIN - margin, is_of_itself: true, ..Self::new(words) }
    }

    /// Words of a run.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// Takes the question of the next record; whether no record before asks it.
    pub(super) fn add(&mut self, runs: QuestionRuns) -> bool {
        let key = runs.0.iter().fold(runs.0.len() as u64, |sum, run| sum.wrapping_add(mix(*run)));
        let next = cast::to_u32(self.sizes.len());
        let number = *self.numbers.entry(key).or_insert(next);
        if let Some(records) = self.records.get_mut(number as usize) {
            *records += 1;
            return false;
        }
        let mut all: Vec<u64> = runs.0.into_iter().collect();
        if all.len() > self.runs_max {
            all.sort_unstable();
            all.truncate(self.runs_max);
        }
        for run in all {
            self.runs.entry(run).or_default().add(number);
        }
        self.records.push(1);
        self.sizes.push(0);
        true
    }

    /// Counts the runs of each question, when all are there.
    pub fn settle(&mut self) {
        let all: u32 = self.records.iter().sum();
        let is_common = |question: &u32| {
            let records = self.records.get(*question as usize).copied().unwrap_or_default();
            records >= COMMON_RECORDS_MIN && records > all / 2
        };
        // Of a few tasks what most share is how they ask, too.
        let shared_max = if self.is_of_itself { (self.sizes.len() / 2).clamp(1, SHARED_MAX) } else { SHARED_MAX };
        self.runs.retain(|_, askers| usize::from(askers.count) <= shared_max && !askers.all().iter().any(is_common));
        self.sizes.fill(0);
        for question in self.runs.values().flat_map(Askers::all) {
            self.sizes[*question as usize] += 1;
        }
    }

    /// How many questions are too short to be looked for, of how many; what all ask alike does not count.
    #[must_use]
    pub fn too_short(&self) -> (usize, usize) {
        let short = self.sizes.iter().filter(|size| (**size as usize) < RUNS_MIN).count();
        (short, self.sizes.len())
    }

    /// The fewest words of a question that is looked for.
    #[must_use]
    pub fn words_min(&self) -> usize {
        self.words + RUNS_MIN - 1
    }

    /// The question that a record holds most of, the first of several, if it holds one.
    pub(super) fn find(&self, reading: &Reading<'_>) -> Option<Contained> {
        let all = self.find_all(reading).into_iter();
        all.max_by(|a, b| a.share.total_cmp(&b.share).then(b.question.cmp(&a.question)))
    }

    /// The questions that a record holds.
    pub(super) fn find_all(&self, reading: &Reading<'_>) -> Vec<Contained> {
        if self.runs.is_empty() {
            return Vec::new();
        }
        let mut shared: HashMap<u32, (HashSet<u64>, Option<usize>)> = HashMap::new();
        let mut look = |step: Option<usize>, text: &str| {
            each_run(text, self.words, &mut |run| {
                for question in self.runs.get(&run).into_iter().flat_map(Askers::all) {
                    shared.entry(*question).or_insert_with(|| (HashSet::new(), step)).0.insert(run);
                }
            });
        };
        for (step, entry) in reading.entries.iter().enumerate() {
            entry.texts(&mut |text| look(Some(step), text));
        }
        if reading.entries.is_empty() {
            each_text(reading.root, &mut |text| look(None, text));
        }
        let contained = |(question, (runs, step)): (u32, (HashSet<u64>, Option<usize>))| {
            let (all, question) = (self.sizes[question as usize] as usize, question as usize);
            let share = runs.len() as f64 / all as f64;
            let is_contained = all >= RUNS_MIN && share >= self.share_min;
            is_contained.then_some(Contained { question, share, step, words: self.words })
        };
        shared.into_iter().filter_map(contained).collect()
    }
}

/// The runs of the question of a record.
pub(super) fn runs(reading: &Reading<'_>, words: usize) -> QuestionRuns {
    let mut runs = HashSet::new();
    each_question_text(reading, &mut |text: &str| {
        each_run(text, words, &mut |run| {
            runs.insert(run);
        });
    });
    QuestionRuns(runs)
}

/// A digest of the words of a record's question; None where these are too few to look for.
pub(super) fn digest(reading: &Reading<'_>) -> Option<u128> {
    let (mut count, mut low, mut high) = (0, 0_u64, 1_u64);
    let mut add = |text: &str| {
        super::words::each_word(text, |hash| {
            count += 1;
            low = low.wrapping_mul(FACTOR).wrapping_add(hash);
            high = high.rotate_left(17) ^ mix(hash);
        });
    };
    each_question_text(reading, &mut add);
    (count >= QUESTION_WORDS + RUNS_MIN - 1).then(|| u128::from(mix(low)) << 64 | u128::from(mix(high)))
}

/// The texts of the question of a record: what the user says first, else the member that is called so.
fn each_question_text(reading: &Reading<'_>, each: &mut dyn FnMut(&str)) {
    match reading.entries.iter().find(|entry| entry.role == StepRole::User) {
        Some(entry) => entry.texts(each),
        None => {
            let member = |name: &&str| reading.root.get(name).filter(|value| value.as_str().is_some());
            if let Some(value) = MEMBERS.iter().find_map(member) {
                each_text(value, each);
            }
        }
    }
}

fn each_text(value: &Value<'_>, each: &mut dyn FnMut(&str)) {
    match &value.data {
        Data::String(text) => each(text),
        Data::Array(items) => items.iter().for_each(|item| each_text(item, each)),
        Data::Object(object) => object.members.iter().for_each(|member| each_text(&member.value, each)),
        _ => {}
    }
}

/// Hashes of the runs of `words` words of a text, by letters and digits alone and without case.
fn each_run(text: &str, words: usize, each: &mut dyn FnMut(u64)) {
    let mut last = std::collections::VecDeque::with_capacity(words + 1);
    let leaving = (0..words).fold(1_u64, |power, _| power.wrapping_mul(FACTOR));
    let mut rolling = 0_u64;
    super::words::each_word(text, |hash| {
        rolling = rolling.wrapping_mul(FACTOR).wrapping_add(hash);
        last.push_back(hash);
        if last.len() > words {
            let first = last.pop_front().unwrap_or_default();
            rolling = rolling.wrapping_sub(first.wrapping_mul(leaving));
        }
        if last.len() == words {
            each(mix(rolling));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use serde_json::json;

    fn questions(words: usize, texts: &[&str]) -> Questions {
        let mut questions = Questions::new(words);
        for text in texts {
            let record = json!({"question": text}).to_string();
            let root = parse(&record).unwrap();
            questions.add(runs(&Reading::of(&root), words));
        }
        questions.settle();
        questions
    }

    fn contained_question(questions: &Questions, steps: &[&str]) -> Option<(usize, f64, Option<usize>)> {
        let steps: Vec<_> = steps.iter().map(|text| json!({"role":"user","content":text})).collect();
        let record = json!({"messages":steps}).to_string();
        let root = parse(&record).unwrap();
        questions.find(&Reading::of(&root)).map(|found| (found.question, found.share, found.step))
    }

    const TRAINS: &str = "A train leaves the harbour at seven with forty crates of oranges and meets another at noon";
    const WELLS: &str = "How deep is the well in the garden when a stone needs three seconds until somebody hears it";

    #[test]
    fn a_question_is_found_inside_a_long_record_whatever_its_signs() {
        let all = questions(8, &[TRAINS, WELLS]);
        let long = format!("{} {} {}", "word ".repeat(500), WELLS.to_uppercase().replace(' ', ", "), "end ".repeat(99));
        assert_eq!(contained_question(&all, &["hello", &long, TRAINS]), Some((0, 1.0, Some(2))));
        assert_eq!(contained_question(&all, &["hello", &long]), Some((1, 1.0, Some(1))));
        assert_eq!(contained_question(&all, &["hello", &WELLS[..WELLS.len() / 2]]), None);
        let changed = WELLS.replace("three", "four");
        assert_eq!(contained_question(&all, &[&changed]), None);
        assert!(
            contained_question(&questions(4, &[TRAINS, WELLS]), &[&changed])
                .is_some_and(|(number, share, _)| number == 1 && share < 1.0)
        );
    }

    #[test]
    fn attempts_at_one_task_ask_one_question() {
        let attempts = [[TRAINS; 8], [WELLS; 8]].concat();
        let all = questions(8, &attempts);
        assert_eq!(all.too_short(), (0, 2));
        assert_eq!(contained_question(&all, &["hello", WELLS]), Some((1, 1.0, Some(1))));
        assert_eq!(contained_question(&questions(8, &[WELLS; 30]), &[WELLS]), None, "how all ask");
        let mut few = Questions::estimating(8, 6, 0.1);
        few.add(runs(&Reading::of(&parse(&json!({"question": WELLS}).to_string()).unwrap()), 8));
        few.settle();
        assert_eq!(contained_question(&few, &[WELLS]), Some((0, 1.0, Some(0))));
        assert_eq!(few.runs.len(), 6);
    }

    #[test]
    fn what_all_questions_say_and_short_ones_are_in_nobody() {
        let begin = "You are given a problem of mathematics and you should write only the number that answers it";
        let asked: Vec<String> = (0..9).map(|i| format!("{begin} {i}")).collect();
        let all = questions(8, &asked.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(contained_question(&all, &[begin]), None);
        assert_eq!(
            contained_question(
                &questions(8, &["what is two and two please now then"]),
                &["what is two and two please now then"]
            ),
            None
        );
    }
}
