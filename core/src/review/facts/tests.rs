//! Tests of facts, and the tables that other tests look at.

use super::*;
use crate::review::{Filter, Numbers, Scope, Subject};

/// Facts as a test writes them: id, steps, tools, reward, finish, rules, words.
pub(crate) fn facts_of(id: &str, steps: u64, tools: &[(&str, u64)], reward: Option<f64>, finish: &str) -> Facts {
    let tools = tools.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
    let counted = Counted {
        steps,
        tools,
        reward,
        finish: finish.to_owned(),
        chars: steps * 100,
        tokens: steps * 25,
        ..Counted::default()
    };
    Facts { title: id.to_owned(), words: format!("do {id}"), counted: Some(counted), ..Facts::default() }
}

/// A table of these, two records a chunk.
pub(crate) fn table(all: &[Facts]) -> FactTable {
    let mut table = FactTable::default();
    for (i, pair) in all.chunks(2).enumerate() {
        let mut maker = ChunkBuilder::new(i * 2);
        pair.iter().for_each(|facts| maker.push(facts, 10));
        table.push(Arc::new(maker.finish()));
    }
    table
}

/// A table that holds no texts.
pub(crate) fn bare(all: &[Facts]) -> FactTable {
    let mut table = FactTable { holds_none: true, ..FactTable::default() };
    let mut maker = ChunkBuilder::new(0);
    all.iter().for_each(|facts| maker.push(facts, 10));
    table.push(Arc::new(maker.finish()));
    table
}

/// Reads texts as [`facts_of`] writes them.
#[derive(Debug, Default)]
pub(crate) struct Again(pub(crate) std::cell::Cell<usize>);

impl Reread for Again {
    fn texts(&self, record: usize) -> (String, String) {
        self.0.set(self.0.get() + 1);
        (format!("r{record}"), format!("do r{record}"))
    }

    fn whole_texts(&self, record: usize) -> (String, String) {
        self.texts(record)
    }

    fn task(&self, record: usize) -> String {
        format!("t{}", record / 2)
    }
}

#[test]
fn texts_beyond_the_bound_are_not_held() {
    let words = "w".repeat(90);
    let facts: Vec<Facts> =
        (0..4096).map(|i| Facts { words: words.clone(), ..facts_of(&format!("r{i}"), 1, &[], None, "") }).collect();
    let mut table = FactTable::default();
    for number in 0..80 {
        let mut maker = ChunkBuilder::new(number * facts.len());
        facts.iter().for_each(|facts| maker.push(facts, 1));
        table.push(Arc::new(maker.finish()));
    }
    assert_eq!(table.len(), 80 * 4096);
    let bytes: usize = table.chunks.iter().map(|chunk| chunk.texts.len()).sum();
    assert!(bytes <= TEXTS_BYTES_MAX && bytes > TEXTS_BYTES_MAX - (1 << 20), "{bytes}");
    assert!(
        !table.has_texts() && table.get(0).unwrap().has_texts() && !table.get(table.len() - 1).unwrap().has_texts()
    );
}

/// Reads texts that are longer than what a table holds.
#[derive(Debug)]
struct WholeTexts;

impl Reread for WholeTexts {
    fn texts(&self, _record: usize) -> (String, String) {
        unreachable!("the texts are held")
    }

    fn whole_texts(&self, _record: usize) -> (String, String) {
        (format!("{}/end", "i".repeat(80)), format!("{} zebra", "x".repeat(200)))
    }

    fn task(&self, _record: usize) -> String {
        String::new()
    }
}

#[test]
fn filters_ask_for_the_task_that_a_record_names() {
    let facts: Vec<Facts> = (0..3).map(|i| facts_of(&format!("r{i}"), 1, &[], None, "")).collect();
    let table = table(&facts);
    let passing = |filter: &str| {
        let filter = Filter::parse(filter, Scope::Records).unwrap();
        let reader = Again::default();
        table
            .iter()
            .filter(|entry| filter.holds(&entry.with_reader(&reader)))
            .map(RecordFacts::record)
            .collect::<Vec<_>>()
    };
    assert_eq!(passing("task=t0"), [0, 1]);
    assert_eq!(passing("!task=t0"), [2]);
    assert_eq!(passing("task:^t[1-9]"), [2]);
    assert_eq!(passing("task:none"), [0_usize; 0]);
}

#[test]
fn filters_look_at_whole_texts() {
    let (id, words) = WholeTexts.whole_texts(0);
    let facts = Facts { words, ..facts_of(&id, 1, &[], None, "") };
    let mut maker = ChunkBuilder::new(0);
    maker.push(&facts, 1);
    let chunk = maker.finish();
    let entry = chunk.iter().next().unwrap();
    let is_match = |filter: &str| Filter::parse(filter, Scope::Records).unwrap().holds(&entry.with_reader(&WholeTexts));
    for filter in ["zebra", "words:zebra$", "id:/end$"] {
        assert!(is_match(filter), "{filter}");
    }
    assert!(!is_match("!zebra") && !is_match("words:x$") && !is_match("id=iiii"));
    assert!(entry.text(Texts::Words).len() <= WORDS_BYTES_MAX, "what is shown is short");
}

#[test]
fn a_record_takes_few_bytes() {
    let tools = ["bash", "str_replace_editor", "python", "finish", "browser"].map(|name| (name, 12));
    let mut maker = ChunkBuilder::new(0);
    for i in 0..4096 {
        let mut facts = facts_of(&format!("r{i}"), 40 + i % 90, &tools, Some(i as f64 / 4.0), "finish");
        facts.counted.as_mut().unwrap().classes = vec![("api_action".into(), 33), ("text_observation".into(), 44)];
        maker.push(&facts, 19_000 + i);
    }
    let chunk = maker.finish();
    assert!(chunk.rows.size() < 4096 * 38, "{}", chunk.rows.size());
    let of = |facts: Facts| {
        let mut maker = ChunkBuilder::new(0);
        maker.push(&facts, 1);
        maker.finish().tasks.len()
    };
    assert_eq!((of(Facts::default()), of(Facts { task: Some(1), ..Facts::default() })), (0, 1), "none of no task");
}

#[test]
fn facts_come_back_as_they_were_taken() {
    let mut broken = Facts { words: "this is not valid JSON".into(), errors: 1, ..Facts::default() };
    broken.rules.push(("adp.json".into(), 1));
    broken.task = Some(7);
    let mut long = facts_of("größe-1", 3, &[("bash", 2), ("python", 1)], Some(0.5), "finish");
    long.counted.as_mut().unwrap().classes = vec![("api_action".into(), 2), ("web_observation".into(), 1)];
    let all = [long, broken, facts_of("e", 0, &[], None, "empty")];
    let table = table(&all);
    assert_eq!(table.iter().map(RecordFacts::facts).collect::<Vec<_>>(), all);
    assert_eq!((0..3).map(|n| table.get(n).unwrap().facts()).collect::<Vec<_>>(), all);
    assert!(table.get(3).is_none() && FactTable::default().get(0).is_none());
    let numbers = |n| Numbers::ALL.map(|(_, field)| table.get(n).unwrap().number(field));
    assert_eq!(numbers(1)[1], None, "what cannot be read has no steps");
    assert_eq!(table.get(0).unwrap().number(Numbers::Actions), Some(2.0));
}

#[test]
fn long_texts_are_cut_between_characters() {
    let table = table(&[facts_of(&"ä".repeat(200), 1, &[], None, "")]);
    let entry = table.get(0).unwrap();
    assert_eq!(entry.text(Texts::Id), "ä".repeat(32));
    assert!(entry.text(Texts::Words).len() <= WORDS_BYTES_MAX);
}

#[test]
fn only_the_records_that_come_next_are_taken() {
    let mut table = FactTable::default();
    let chunk = |from| {
        let mut maker = ChunkBuilder::new(from);
        maker.push(&Facts::default(), 1);
        Arc::new(maker.finish())
    };
    for from in [1, 0, 0, 1, 3] {
        table.push(chunk(from));
    }
    assert_eq!(table.len(), 2);
}
