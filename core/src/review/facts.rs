//! Facts on every record of a dataset in a few bytes each: packed rows, names interned, texts cut and end to end.
//!
//! Texts are held up to a bound; those of further records are read from the input again where they are asked for.
//!
//! A chunk is made once from a stretch of records and never changes, so jobs look at a table while it grows.

mod answers;
mod rows;
mod subject;

use self::answers::Answers;
use self::rows::{At, Row, Rows, RunRow};
pub(super) use self::subject::action;
use super::column::Column;
use super::custom_columns::{CellValue, CustomColumn, CustomColumnTable};
use super::field::{Names, Texts};
use super::marks::Mark;
use super::non_empty_columns::NonEmptyColumns;
use super::rollouts::TaskGroups;
use super::step_subject::FLAG;
use crate::format::{Counted, Facts};
use crate::model::{RunFacts, Usage, cast};
use crate::rules::trajectory::RecordName;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// Most bytes of an id and of first words that are kept of a record.
const TITLE_BYTES_MAX: usize = 64;
const WORDS_BYTES_MAX: usize = 96;
/// Most bytes of texts that a table holds.
const TEXTS_BYTES_MAX: usize = 24 << 20;
/// Most different names that are kept of a record, for tools, classes and rules each.
const NAMES_MAX: usize = 64;

/// Facts on the records from a number on.
#[derive(Debug, Default)]
pub struct Chunk {
    from: usize,
    rows: Rows,
    /// The key of the task of each; 0 without. Empty where none has one.
    tasks: Vec<u64>,
    texts: String,
    /// Whether the texts were too many to be held.
    is_bare: bool,
    non_empty: NonEmptyColumns,
    /// Names by number: end to end, and where each ends.
    names: String,
    ends: Vec<u32>,
    /// Rewards and costs by number, from 1.
    amounts: Vec<f64>,
    answers: Answers,
    /// The file that they are in, and its format; empty where that was not said.
    file: [Box<str>; 2],
}

impl Chunk {
    /// Number of its first record.
    #[must_use]
    pub fn from(&self) -> usize {
        self.from
    }

    /// Number of its records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 0
    }

    /// Its facts in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = RecordFacts<'_>> {
        let entry = move |(i, at)| RecordFacts {
            chunk: self,
            at,
            record: self.from + i,
            mark: None,
            custom_columns: &[],
            reader: None,
            groups: None,
        };
        self.rows.iter().enumerate().map(entry)
    }

    fn name(&self, number: u64) -> &str {
        let end = |number: usize| self.ends.get(number).map(|end| *end as usize);
        let number = cast::to_usize(number);
        let begin = number.checked_sub(1).and_then(end).unwrap_or(0);
        end(number).and_then(|end| self.names.get(begin..end)).unwrap_or_default()
    }
}

/// Makes a chunk, record by record.
#[derive(Debug, Default)]
pub struct ChunkBuilder {
    chunk: Chunk,
    numbers: HashMap<Box<str>, u64>,
    /// Rewards and costs by their bits.
    amounts: HashMap<u64, u64>,
}

impl ChunkBuilder {
    /// Begins with the record of that number.
    #[must_use]
    pub fn new(from: usize) -> Self {
        Self { chunk: Chunk { from, ..Chunk::default() }, ..Self::default() }
    }

    /// The same of a file of that name and format.
    #[must_use]
    pub fn of_file(from: usize, (file, format): (&str, &str)) -> Self {
        let file = [file, format].map(Box::from);
        Self { chunk: Chunk { from, file, ..Chunk::default() }, ..Self::default() }
    }

    /// Takes the facts on the next record, and its size.
    pub fn push(&mut self, facts: &Facts, bytes: u64) {
        let nothing = Counted::default();
        let counted = facts.counted.as_ref().unwrap_or(&nothing);
        let title = head(&facts.title, TITLE_BYTES_MAX);
        let words = head(&facts.words, WORDS_BYTES_MAX);
        self.chunk.texts.push_str(title);
        self.chunk.texts.push_str(words);
        let mut names = Vec::new();
        let row = Row {
            bytes,
            is_read: facts.counted.is_some(),
            steps: counted.steps,
            chars: counted.chars,
            tokens: counted.tokens,
            reward: counted.reward.map_or(0, |reward| self.amount(reward)),
            finish: self.number(&counted.finish),
            errors: facts.errors,
            warnings: facts.warnings,
            failed: counted.failed,
            suspect: counted.suspect,
            run: self.run(&facts.run),
            texts: [title.len() as u64, words.len() as u64],
            names: [&counted.tools, &counted.classes, &facts.rules].map(|all| self.names(all, &mut names)),
        };
        self.chunk.rows.push(&row, &names);
        self.chunk.answers.push(&counted.answers);
        self.chunk.non_empty.take(facts);
        self.chunk.tasks.push(facts.task.unwrap_or_default());
    }

    fn names(&mut self, names: &[(String, u64)], out: &mut Vec<(u64, u64)>) -> u64 {
        let taken = names.iter().take(NAMES_MAX);
        out.extend(taken.map(|(name, n)| (self.number(name), *n)));
        names.len().min(NAMES_MAX) as u64
    }

    fn number(&mut self, name: &str) -> u64 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.chunk.ends.len() as u64;
        self.chunk.names.push_str(name);
        // A chunk is made of records of a few megabytes: their names are far below 4 GiB.
        self.chunk.ends.push(cast::to_u32(self.chunk.names.len()));
        self.numbers.insert(name.into(), number);
        number
    }

    fn amount(&mut self, amount: f64) -> u64 {
        let next = self.amounts.len() as u64 + 1;
        let number = *self.amounts.entry(amount.to_bits()).or_insert(next);
        if number == next {
            self.chunk.amounts.push(amount);
        }
        number
    }

    /// What the record reports of its run; None: nothing.
    fn run(&mut self, run: &RunFacts) -> Option<RunRow> {
        let RunFacts { agent, model, micros, usage, .. } = run;
        let is_known = agent.is_some() || model.is_some() || micros.is_some() || *usage != Usage::default();
        is_known.then(|| {
            let mut name = |name: &Option<String>| name.as_deref().map_or(0, |name| self.number(name) + 1);
            let (agent, model) = (name(agent), name(model));
            let cost = usage.cost.map_or(0, |cost| self.amount(cost));
            let counts = [*micros, usage.input, usage.output, usage.cache_read, usage.cache_write];
            RunRow { agent, model, cost, counts: counts.map(|count| count.map_or(0, |count| count.saturating_add(1))) }
        })
    }

    /// The chunk.
    #[must_use]
    pub fn finish(mut self) -> Chunk {
        self.chunk.rows.shrink_to_fit();
        if self.chunk.tasks.iter().all(|task| *task == 0) {
            self.chunk.tasks = Vec::new();
        }
        self.chunk.tasks.shrink_to_fit();
        self.chunk.texts.shrink_to_fit();
        self.chunk.names.shrink_to_fit();
        self.chunk.ends.shrink_to_fit();
        self.chunk.amounts.shrink_to_fit();
        self.chunk.answers.shrink_to_fit();
        self.chunk
    }
}

/// The beginning of a text, on one line, at most `bytes` bytes.
fn head(text: &str, bytes: usize) -> &str {
    let text = text.trim();
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The facts on a dataset, as far as its records were looked at: the first ones, without gaps.
#[derive(Debug, Clone, Default)]
pub struct FactTable {
    chunks: Arc<Vec<Arc<Chunk>>>,
    count: usize,
    /// Bytes of texts that are held.
    text_bytes: usize,
    is_bare: bool,
    columns: NonEmptyColumns,
    #[cfg(test)]
    pub(super) holds_none: bool,
}

/// Reads the texts of records that a table does not hold.
pub trait Reread: std::fmt::Debug {
    /// The id of a record and its first words.
    fn texts(&self, record: usize) -> (String, String);
    /// The same, whole.
    fn whole_texts(&self, record: usize) -> (String, String);
    /// The task that a record names; empty without one.
    fn task(&self, record: usize) -> String;
}

impl FactTable {
    /// Takes the facts on the records that come next; others are left out.
    pub fn push(&mut self, mut chunk: Arc<Chunk>) {
        if chunk.from == self.count && !chunk.is_empty() {
            self.count += chunk.len();
            let has_room = self.text_bytes + chunk.texts.len() <= TEXTS_BYTES_MAX;
            #[cfg(test)]
            let has_room = has_room && !self.holds_none;
            // Nobody else has a chunk that is new.
            if let Some(chunk) = Arc::get_mut(&mut chunk).filter(|_| !has_room) {
                (chunk.texts, chunk.is_bare) = (String::new(), true);
            }
            self.text_bytes += chunk.texts.len();
            self.is_bare |= chunk.is_bare;
            self.columns.join(chunk.non_empty);
            Arc::make_mut(&mut self.chunks).push(chunk);
        }
    }

    /// Number of records that were looked at.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the texts of all of them are held.
    #[must_use]
    pub fn has_texts(&self) -> bool {
        !self.is_bare
    }

    /// Whether none was looked at.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Which columns hold something in them.
    #[must_use]
    pub fn columns(&self) -> NonEmptyColumns {
        self.columns
    }

    /// The facts on a record.
    #[must_use]
    pub fn get(&self, record: usize) -> Option<RecordFacts<'_>> {
        let after = self.chunks.partition_point(|chunk| chunk.from <= record);
        let chunk = self.chunks.get(after.checked_sub(1)?)?;
        let at = chunk.rows.get(record - chunk.from)?;
        Some(RecordFacts { chunk, at, record, mark: None, custom_columns: &[], reader: None, groups: None })
    }

    /// All facts in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = RecordFacts<'_>> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }
}

/// The facts on one record.
#[derive(Debug, Clone, Copy)]
pub struct RecordFacts<'t> {
    chunk: &'t Chunk,
    at: At<'t>,
    record: usize,
    mark: Option<&'t Mark>,
    custom_columns: &'t [(CustomColumn, CustomColumnTable)],
    reader: Option<&'t dyn Reread>,
    groups: Option<&'t TaskGroups>,
}

impl<'t> RecordFacts<'t> {
    /// Number of the record.
    #[must_use]
    pub fn record(self) -> usize {
        self.record
    }

    /// The entry with what was decided on its record.
    #[must_use]
    pub fn with_mark(self, mark: Option<&'t Mark>) -> Self {
        Self { mark, ..self }
    }

    /// The entry with what custom columns say of its record.
    #[must_use]
    pub fn with_custom_columns(self, columns: &'t [(CustomColumn, CustomColumnTable)]) -> Self {
        Self { custom_columns: columns, ..self }
    }

    /// The entry with the attempts at all tasks, where they are asked for.
    #[must_use]
    pub fn with_groups(self, groups: Option<&'t TaskGroups>) -> Self {
        Self { groups, ..self }
    }

    /// The entry with the reader of its texts, where they are not held.
    #[must_use]
    pub fn with_reader(self, reader: &'t dyn Reread) -> Self {
        Self { reader: Some(reader), ..self }
    }

    /// Whether its texts are held.
    #[must_use]
    pub fn has_texts(self) -> bool {
        !self.chunk.is_bare
    }

    /// What a custom column says.
    #[must_use]
    pub fn custom_value(self, name: CustomColumn) -> &'t CellValue {
        let table = self.custom_columns.iter().find(|(column, _)| *column == name);
        table.and_then(|(_, table)| table.get(self.record)).unwrap_or(&CellValue::Nothing)
    }

    /// The key of the task that it is an attempt at.
    #[must_use]
    pub fn task(self) -> Option<u64> {
        self.chunk.tasks.get(self.record - self.chunk.from).copied().filter(|task| *task != 0)
    }

    /// The names of a column with how often each occurs.
    pub fn names(self, names: Names) -> impl Iterator<Item = (&'t str, u64)> {
        let row = self.at.row();
        let [tools, classes, rules] = row.names;
        let (skipped, taken) = match names {
            Names::Tool => (0, tools),
            Names::Class => (tools, classes),
            Names::Finding => (tools + classes, rules),
            _ => (0, 0),
        };
        let counts = self.at.names(skipped, taken);
        let finish = (names == Names::Finish && row.is_read).then(|| (self.chunk.name(row.finish), 1));
        let of_run = self.run_name(names, &row).map(|name| (name, 1));
        let mark = self.mark.filter(|_| names == Names::Mark);
        let verdict = mark.and_then(|mark| mark.verdict).map(|verdict| (verdict.name(), 1));
        let flag = mark.filter(|mark| mark.is_flagged).map(|_| (FLAG, 1));
        let tags = self.mark.filter(|_| names == Names::Tag).into_iter().flat_map(|mark| &mark.tags);
        let tags = tags.map(|tag| (tag.as_str(), 1));
        let counts = counts.map(move |(name, n)| (self.chunk.name(name), n));
        let format = Some(&*self.chunk.file[1]).filter(|format| names == Names::Format && !format.is_empty());
        counts.chain(finish).chain(of_run).chain(verdict).chain(flag).chain(tags).chain(format.map(|name| (name, 1)))
    }

    /// The text of a column.
    #[must_use]
    pub fn text(self, text: Texts) -> Cow<'t, str> {
        if text == Texts::File {
            return Cow::Borrowed(&self.chunk.file[0]);
        }
        if text == Texts::Task {
            return Cow::Owned(self.reader.map(|reader| reader.task(self.record)).unwrap_or_default());
        }
        if self.chunk.is_bare {
            let (id, words) = self.reader.map(|reader| reader.texts(self.record)).unwrap_or_default();
            let (text, most) = if text == Texts::Id { (id, TITLE_BYTES_MAX) } else { (words, WORDS_BYTES_MAX) };
            return Cow::Owned(head(&text, most).to_owned());
        }
        let [id, words] = self.at.row().texts.map(cast::to_usize);
        let middle = self.at.text + id;
        let range = if text == Texts::Id { self.at.text..middle } else { middle..middle + words };
        Cow::Borrowed(self.chunk.texts.get(range).unwrap_or_default())
    }

    /// The text of a column, whole: what is held may be its beginning, then the record is read again.
    fn whole_text(self, text: Texts) -> Cow<'t, str> {
        let (shown, most) = match text {
            Texts::Id => (self.text(text), TITLE_BYTES_MAX),
            Texts::Words => (self.text(text), WORDS_BYTES_MAX),
            Texts::Task | Texts::File => return self.text(text),
        };
        // A cut is at the end of a character.
        let may_be_cut = shown.len() + char::MAX.len_utf8() > most;
        match (self.reader.filter(|_| may_be_cut), text) {
            (Some(reader), Texts::Id) => Cow::Owned(reader.whole_texts(self.record).0),
            (Some(reader), Texts::Words | Texts::Task | Texts::File) => Cow::Owned(reader.whole_texts(self.record).1),
            (None, _) => shown,
        }
    }

    /// The text that the column is sorted by, if it is a column of words.
    #[must_use]
    pub fn word(self, column: Column) -> Option<Cow<'t, str>> {
        let word = match (column.text(), column.names()) {
            (Some(text), _) => self.text(text),
            (None, Some(names)) => Cow::Borrowed(self.names(names).next()?.0),
            (None, None) => return None,
        };
        Some(word).filter(|word| !word.is_empty())
    }

    fn amount(self, number: u64) -> Option<f64> {
        self.chunk.amounts.get(cast::to_usize(number).checked_sub(1)?).copied()
    }

    fn run_name(self, names: Names, row: &Row) -> Option<&'t str> {
        let number = match names {
            Names::Agent => row.run?.agent,
            Names::Model => row.run?.model,
            _ => return None,
        };
        Some(self.chunk.name(number.checked_sub(1)?))
    }

    /// What the record reports of its run.
    fn run(self, row: &Row) -> RunFacts {
        let name = |names| self.run_name(names, row).map(str::to_owned);
        let known = row.run.unwrap_or_default();
        let [micros, input, output, cache_read, cache_write] = known.counts.map(|count| count.checked_sub(1));
        let usage = Usage { input, output, cache_read, cache_write, cost: self.amount(known.cost) };
        RunFacts { agent: name(Names::Agent), model: name(Names::Model), micros, usage, ..RunFacts::default() }
    }

    /// The facts, to be shown.
    #[must_use]
    pub fn facts(self) -> Facts {
        let row = self.at.row();
        let names = |names| self.names(names).map(|(name, n)| (name.to_owned(), n)).collect();
        let counted = row.is_read.then(|| Counted {
            steps: row.steps,
            classes: names(Names::Class),
            tools: names(Names::Tool),
            chars: row.chars,
            tokens: row.tokens,
            reward: self.amount(row.reward),
            answers: self.answers().to_vec(),
            finish: self.chunk.name(row.finish).to_owned(),
            failed: row.failed,
            suspect: row.suspect,
            ..Counted::default()
        });
        Facts {
            title: self.text(Texts::Id).into_owned(),
            name: RecordName::default(),
            words: self.text(Texts::Words).into_owned(),
            counted,
            task: self.task(),
            run: self.run(&row),
            rules: names(Names::Finding),
            errors: row.errors,
            warnings: row.warnings,
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
