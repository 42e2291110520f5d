//! Records that must stay together when a dataset is split: attempts at one task, copies, near copies, the same
//! question.

use super::identity;
use super::near_duplicates::Sketch;
use super::questions::{self, COMMON_RECORDS_MIN, QUESTION_WORDS, QuestionRuns, Questions};
use super::targets::{self, Label};
use crate::json::Value;
use crate::model::cast;
use crate::rules::digest;
use crate::rules::trajectory::Way;
use std::collections::HashMap;

/// Most records that are remembered of a band: what is like one of them is like the others, too.
const BAND_RECORDS_MAX: usize = 8;

/// Most runs of words of a question that are kept, and by how much the share of them that a record has may be wrong.
const QUESTION_RUNS_MAX: usize = 128;
const QUESTION_MARGIN: f64 = 0.1;

/// What of a record is compared with others.
#[derive(Debug, Clone)]
pub struct Likeness {
    /// None of a record without steps, which is like all others of the kind.
    digest: Option<u128>,
    sketch: Option<Sketch>,
    /// None of one that is too short to be a question of its own.
    question: Option<u128>,
    /// What it says of how good it is.
    label: Option<Label>,
}

impl Likeness {
    /// Of a record, read in that way: its steps, of what is not a trajectory all of it.
    #[must_use]
    pub fn of(record: &Value<'_>, way: Way) -> Self {
        let reading = way.with_written_calls().read(record);
        let is_empty = reading.body.is_some() && reading.entries.is_empty();
        let (digest, sketch) = identity(&reading, digest::of);
        let (question, label) = (questions::digest(&reading), targets::label(reading.root));
        Self { digest: (!is_empty).then_some(digest), sketch, question, label }
    }
}

/// How many tasks, copies and near copies have records in several parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Crossing {
    /// Tasks.
    pub tasks: usize,
    /// Records of which an equal one is in another part.
    pub copies: usize,
    /// Records of which a near copy is in another part.
    pub near_copies: usize,
    /// Records of which another part has the question, as it is or inside of a text.
    pub questions: usize,
}

/// What a record is to the earlier ones of its family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyKind {
    /// The first of its family.
    First,
    /// A copy or near copy of one of them.
    Copy,
    /// The content of one of them under another label: the number of that record, and the member that says so.
    OtherLabel(u32, &'static str),
}

/// The questions of records, to be looked for inside of all of them.
#[derive(Debug)]
pub struct AskedQuestions {
    questions: Questions,
    /// The first record of each.
    records: Vec<u32>,
}

impl Default for AskedQuestions {
    fn default() -> Self {
        let questions = Questions::estimating(QUESTION_WORDS, QUESTION_RUNS_MAX, QUESTION_MARGIN);
        Self { questions, records: Vec::new() }
    }
}

impl AskedQuestions {
    /// Takes the question of the record of that number.
    pub fn add(&mut self, number: usize, record: &Value<'_>, way: Way) {
        let runs: QuestionRuns = questions::runs(&way.read(record), QUESTION_WORDS);
        if self.questions.add(runs) {
            self.records.push(cast::to_u32(number));
        }
    }

    /// To be called when all are there.
    pub fn settle(&mut self) {
        self.questions.settle();
    }

    /// The first records of the questions that a record holds.
    #[must_use]
    pub fn inside(&self, record: &Value<'_>, way: Way) -> Vec<u32> {
        let found = self.questions.find_all(&way.read(record)).into_iter();
        found.filter_map(|contained| self.records.get(contained.question).copied()).collect()
    }
}

/// Records sorted into families: whose task, content or runs of words are those of another of the family. About 700
/// bytes a record.
#[derive(Debug, Default)]
pub struct Families {
    near: f64,
    /// The bytes by which each task falls to a part, and its first record.
    tasks: Vec<(Box<[u8]>, u32)>,
    numbers: HashMap<Box<[u8]>, u32>,
    bodies: HashMap<u128, u32>,
    bands: HashMap<u64, Vec<u32>>,
    /// The first record of each question, and how many have it.
    questions: HashMap<u128, (u32, u32)>,
    /// Records, each with another of which it holds the question.
    quotes: Vec<(u32, u32)>,
    records: Vec<Member>,
    /// Of each record one of its family, of one of them itself.
    parents: Vec<u32>,
}

#[derive(Debug)]
struct Member {
    task: u32,
    /// The first record of the same content; itself, if it is that.
    first: u32,
    sketch: Option<Sketch>,
    question: Option<u128>,
    label: Option<Label>,
}

impl Families {
    /// Records that share at least `near` (0 to 1) of their runs of five words belong together; above 1 only copies do.
    #[must_use]
    pub fn new(near: f64) -> Self {
        Self { near, ..Self::default() }
    }

    /// Takes the next record; `lot` are the bytes by which it falls to a part: its task, its id, or its content.
    pub fn add(&mut self, likeness: Likeness, lot: &[u8]) {
        let number = cast::to_u32(self.parents.len());
        self.parents.push(number);
        let task = match self.numbers.get(lot) {
            Some(task) => *task,
            None => {
                let task = cast::to_u32(self.tasks.len());
                self.tasks.push((lot.into(), number));
                self.numbers.insert(lot.into(), task);
                task
            }
        };
        self.unite(self.tasks[task as usize].1, number);
        let first = likeness.digest.map_or(number, |digest| *self.bodies.entry(digest).or_insert(number));
        self.unite(first, number);
        if let Some(sketch) = &likeness.sketch {
            for other in self.like(sketch) {
                self.unite(other, number);
            }
            for band in sketch.bands() {
                let known = self.bands.entry(band).or_default();
                if known.len() < BAND_RECORDS_MAX {
                    known.push(number);
                }
            }
        }
        if let Some(question) = likeness.question {
            self.questions.entry(question).or_insert((number, 0)).1 += 1;
        }
        let Likeness { sketch, question, label, .. } = likeness;
        self.records.push(Member { task, first, sketch, question, label });
    }

    /// Puts records of one question together, when all are there. What most records ask is how the dataset asks, not
    /// what.
    pub fn unite_questions(&mut self) {
        for number in 0..cast::to_u32(self.records.len()) {
            if let Some(first) = self.first_of_question(number) {
                self.unite(first, number);
            }
        }
    }

    /// Puts a record and those of which it holds the question together.
    pub fn unite_quoted(&mut self, number: usize, asking: &[u32]) {
        let number = cast::to_u32(number);
        for &asked in asking.iter().filter(|asked| **asked != number) {
            self.unite(asked, number);
            self.quotes.push((number, asked));
        }
    }

    fn first_of_question(&self, number: u32) -> Option<u32> {
        let (first, count) = *self.questions.get(&self.records.get(number as usize)?.question?)?;
        (count as usize * 2 <= self.records.len() || count < COMMON_RECORDS_MIN).then_some(first)
    }

    /// The records that are nearly the same.
    fn like(&self, sketch: &Sketch) -> Vec<u32> {
        let mut all: Vec<u32> = sketch.bands().filter_map(|band| self.bands.get(&band)).flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        let is_like = |other: &u32| {
            let other = self.records.get(*other as usize).and_then(|member| member.sketch.as_ref());
            other.is_some_and(|other| sketch.share(other) >= self.near)
        };
        all.retain(is_like);
        all
    }

    fn root(&self, mut record: u32) -> u32 {
        while self.parents[record as usize] != record {
            record = self.parents[record as usize];
        }
        record
    }

    /// The same, and the way there becomes shorter.
    fn shorten(&mut self, mut record: u32) -> u32 {
        let root = self.root(record);
        while record != root {
            record = std::mem::replace(&mut self.parents[record as usize], root);
        }
        root
    }

    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.shorten(a), self.shorten(b));
        let (least, other) = (a.min(b), a.max(b));
        self.parents[other as usize] = least;
    }

    /// Of each record the bytes by which its family falls to a part: the least of those of its records, so that the
    /// order in which they came decides nothing.
    #[must_use]
    pub fn lots(&self) -> Vec<&[u8]> {
        let mut least: HashMap<u32, &[u8]> = HashMap::new();
        for (number, member) in (0..).zip(&self.records) {
            let lot = &*self.tasks[member.task as usize].0;
            least.entry(self.root(number)).and_modify(|known| *known = lot.min(known)).or_insert(lot);
        }
        let lot = |number: u32| least.get(&self.root(number)).copied().unwrap_or_default();
        (0..cast::to_u32(self.records.len())).map(lot).collect()
    }

    /// What each record is to the earlier ones of its family. One whose content is that of a record that stays, and
    /// whose label none of these has, is no copy: one of the labels is wrong, and which is not known.
    #[must_use]
    pub fn copies(&self) -> Vec<CopyKind> {
        let mut staying: HashMap<u32, Vec<Label>> = HashMap::new();
        let mut out = Vec::new();
        for (number, member) in (0..).zip(&self.records) {
            let labels = staying.get(&member.first).map(Vec::as_slice).unwrap_or_default();
            let other = member.label.filter(|label| !labels.contains(label));
            let other = other.and_then(|label| labels.iter().find(|known| known.name == label.name));
            let kind = match other {
                _ if self.root(number) == number => CopyKind::First,
                Some(other) => CopyKind::OtherLabel(member.first, other.name),
                None => CopyKind::Copy,
            };
            if kind != CopyKind::Copy {
                staying.entry(member.first).or_default().extend(member.label);
            }
            out.push(kind);
        }
        out
    }

    /// The number of families, and of the records of the largest.
    #[must_use]
    pub fn sizes(&self) -> (usize, usize) {
        let mut sizes: HashMap<u32, usize> = HashMap::new();
        (0..cast::to_u32(self.records.len())).for_each(|number| *sizes.entry(self.root(number)).or_default() += 1);
        (sizes.len(), sizes.values().copied().max().unwrap_or(0))
    }

    /// Number of tasks, or of what stands for one.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.tasks.len()
    }

    /// Looks at all records again: what has records in several parts, given the part of each record.
    #[must_use]
    pub fn crossing(&self, parts: &[usize]) -> Crossing {
        let part = |number: u32| parts.get(number as usize);
        let mut split_tasks = vec![false; self.tasks.len()];
        let mut out = Crossing::default();
        for (number, member) in (0..).zip(&self.records) {
            let this_part = part(number);
            split_tasks[member.task as usize] |= part(self.tasks[member.task as usize].1) != this_part;
            out.copies += usize::from(part(member.first) != this_part);
            let near = member.sketch.as_ref().map(|sketch| self.like(sketch)).unwrap_or_default();
            out.near_copies += usize::from(near.into_iter().any(|other| part(other) != this_part));
            let of_question = self.first_of_question(number);
            out.questions += usize::from(of_question.is_some_and(|first| part(first) != this_part));
        }
        out.questions += self.quotes.iter().filter(|(record, asked)| part(*record) != part(*asked)).count();
        out.tasks = split_tasks.into_iter().filter(|is| *is).count();
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn words(from: usize, changed: usize) -> String {
        (0..300).map(|i| format!("w{} ", if i < changed { i + 9_000 } else { i + from })).collect()
    }

    fn families(records: &[(&str, String)]) -> Families {
        let mut families = Families::new(0.85);
        for (task, text) in records {
            let record = format!(r#"{{"messages":[{{"role":"user","content":"{text}"}}]}}"#);
            families.add(Likeness::of(&parse(&record).unwrap(), Way::Formats), task.as_bytes());
        }
        families
    }

    #[test]
    fn tasks_copies_and_near_copies_are_one_family() {
        let all = families(&[
            ("c", words(0, 0)),
            ("d", words(1_000, 0)),
            // An attempt at the first task, which is like nothing.
            ("c", words(2_000, 0)),
            // A near copy of that, of another task.
            ("b", words(2_000, 3)),
            // A copy of the second.
            ("e", words(1_000, 0)),
            ("f", words(3_000, 0)),
        ]);
        let lots: Vec<&str> = all.lots().into_iter().map(|lot| std::str::from_utf8(lot).unwrap()).collect();
        assert_eq!(lots, ["b", "d", "b", "b", "d", "f"]);
        assert_eq!((all.sizes(), all.tasks()), ((3, 3), 5));
        assert_eq!(all.crossing(&[0, 1, 0, 0, 1, 2]), Crossing::default());
    }

    #[test]
    fn what_crosses_is_counted() {
        let all = families(&[("a", words(0, 0)), ("a", words(1_000, 0)), ("b", words(0, 0)), ("c", words(0, 3))]);
        assert_eq!(all.crossing(&[0, 1, 0, 0]), Crossing { tasks: 1, ..Crossing::default() });
        let all = all.crossing(&[0, 0, 1, 0]);
        assert_eq!((all.tasks, all.copies), (0, 1));
        assert_eq!(all.near_copies, 3, "each of the three is like one in another part");
    }

    #[test]
    fn the_same_question_under_two_ids_is_one_family_and_what_all_ask_is_none() {
        let of = |records: &[(&str, String)]| {
            let mut all = families(&[]);
            for (answer, question) in records {
                let user = format!(r#"{{"role":"user","content":"{question}"}}"#);
                let agent =
                    format!(r#"{{"role":"assistant","content":"{answer} {}"}}"#, words(answer.len() * 1_000, 0));
                let record = format!(r#"{{"messages":[{user},{agent}]}}"#);
                all.add(Likeness::of(&parse(&record).unwrap(), Way::Formats), answer.as_bytes());
            }
            let parts: Vec<usize> = (0..records.len()).map(|at| at % 2).collect();
            let crossing = all.crossing(&parts).questions;
            all.unite_questions();
            (all.sizes().0, crossing)
        };
        let question = |n: usize| format!("how many of the {n} stones that lie in the old river are white or grey");
        let (a, b) = ("a", "bb");
        assert_eq!(of(&[(a, question(1)), (b, question(1).to_uppercase()), ("ccc", question(2))]), (2, 1));
        assert_eq!(of(&[(a, "go on".to_owned()), (b, "go on".to_owned())]), (2, 0), "too short to be a question");
        let names: Vec<String> = (1..=20).map(|n| "x".repeat(n)).collect();
        let same: Vec<(&str, String)> = names.iter().map(|name| (name.as_str(), question(1))).collect();
        assert_eq!(of(&same), (20, 0));
    }

    #[test]
    fn the_order_of_the_records_decides_nothing() {
        let mut records = vec![("c", words(0, 0)), ("b", words(0, 3)), ("a", words(0, 0)), ("z", words(5_000, 0))];
        let lots = |records: &[(&str, String)]| {
            let all = families(records);
            let mut lots: Vec<(String, Vec<u8>)> =
                records.iter().zip(all.lots()).map(|((task, _), lot)| ((*task).to_owned(), lot.to_vec())).collect();
            lots.sort();
            lots
        };
        let expected = lots(&records);
        records.reverse();
        assert_eq!(lots(&records), expected);
        assert_eq!(expected[2].1, b"a");
    }
}
