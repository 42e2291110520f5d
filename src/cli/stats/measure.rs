//! What `obelus stats` asks of each record: values that make groups, and numbers that spread.

use super::RecordSelection;
use crate::cli::Stop;
use crate::cli::columns::{self, Column};
use crate::cli::entries::{Pass, Passed};
use crate::cli::filter::WhereOption;
use crate::cli::task_groups::first_of_run;
use crate::ingest::{self, Loaded};
use crate::json;
use crate::model::{Problem, lossy};
use crate::review::{
    CellValue, CustomColumn, FilterField, Names, Numbers, RecordFacts, Scope, Subject as _, TaskGroups, Texts,
    values_of,
};
use crate::rules::trajectory::{RecordName, scalar};
use crate::text::suggest;

/// What is asked of each record.
#[derive(Debug)]
pub(super) enum Asked {
    /// A column of the table.
    Field(FilterField),
    /// A path of member names.
    Path(String),
    /// A jq expression, or a column of the configuration; and how it was written.
    Expression(Column, String),
}

impl Asked {
    /// Reads the name of a column, also of one of the configuration or of `--column`; a jq expression; or a path as
    /// `details.model`.
    ///
    /// # Errors
    /// An internal one alone.
    pub(super) fn read(text: &str, filter: &WhereOption) -> Result<Self, Problem> {
        let field = FilterField::of_records(text);
        if let Some(field) = field.filter(|field| !field.is_of_run()) {
            return Ok(Self::Field(field));
        }
        // A column may have the name of what logs say of their runs.
        if let Some(column) = filter.column(text) {
            return Ok(Self::Expression(column, text.to_owned()));
        }
        if let Some(field) = field {
            return Ok(Self::Field(field));
        }
        let is_path = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        if !text.starts_with('.') && text.chars().all(is_path) {
            return Ok(Self::Path(text.to_owned()));
        }
        let name = CustomColumn::new("value").map_err(Problem::usage)?;
        Ok(Self::Expression((name, text.to_owned()), text.to_owned()))
    }

    /// The same of what is to be a number.
    ///
    /// # Errors
    /// It is a column of words.
    pub(super) fn number(text: &str, filter: &WhereOption) -> Result<Self, Problem> {
        let asked = Self::read(text, filter)?;
        match &asked {
            Self::Field(FilterField::Number(_)) | Self::Path(_) | Self::Expression(..) => Ok(asked),
            Self::Field(_) => {
                let problem = Problem::usage(format!("{text} is no number of records"));
                Err(problem.hint(format!("these are: {}, paths and jq expressions", numbers().join(", "))))
            }
        }
    }

    /// As it was asked.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Field(field) => field.name(),
            Self::Path(text) | Self::Expression(_, text) => text,
        }
    }

    /// Whether it is what was decided.
    pub(super) fn is_mark(&self) -> bool {
        matches!(self.field(), Some(FilterField::Name(Names::Mark | Names::Tag)))
    }

    fn path(&self) -> Option<&str> {
        match self {
            Self::Path(path) => Some(path),
            Self::Field(_) | Self::Expression(..) => None,
        }
    }

    fn field(&self) -> Option<FilterField> {
        match self {
            Self::Field(field) => Some(*field),
            Self::Path(_) | Self::Expression(..) => None,
        }
    }
}

/// The columns that are numbers.
fn numbers() -> Vec<&'static str> {
    let known = Numbers::ALL.iter().filter(|(_, number)| Scope::Records.has(FilterField::Number(*number)));
    known.map(|(name, _)| *name).collect()
}

/// The number that was meant, where it is almost one of a column, else all of these.
pub(super) fn instead(text: &str) -> String {
    match suggest::nearest(text, numbers()).first() {
        Some(name) => format!("; is the column {name} meant?"),
        None => format!("; numbers are {}", numbers().join(", ")),
    }
}

/// The parts of a list: apart by commas that are in no brackets and no quotes.
pub(super) fn list(texts: &str) -> Vec<&str> {
    let (mut out, mut begin, mut depth, mut is_quoted, mut is_escaped) = (Vec::new(), 0, 0_usize, false, false);
    for (at, c) in texts.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = is_quoted,
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                out.push(texts[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    out.push(texts[begin..].trim());
    out.retain(|part| !part.is_empty());
    out
}

/// What an expression says of each record; None for what is none.
type Expressed = Option<Vec<CellValue>>;

/// The records of one file that are asked.
pub(super) struct RecordQuestion<'q> {
    pub(super) loaded: &'q Loaded,
    pub(super) wanted: &'q RecordSelection,
    /// The records that a filter lets through; None: all.
    pub(super) passing: Option<&'q [bool]>,
    /// The attempts at each task over all files, where these are one.
    pub(super) groups: Option<&'q TaskGroups>,
}

/// What one record answers.
pub(super) struct Answers<'a> {
    asked: &'a [&'a Asked],
    entry: RecordFacts<'a>,
    name: &'a RecordName,
    /// What its paths and expressions say; None where it is neither.
    cells: &'a [CellValue],
}

impl Answers<'_> {
    /// The values of what was asked at a place.
    pub(super) fn values(&self, place: usize) -> Vec<String> {
        match self.asked[place].field() {
            Some(FilterField::Text(Texts::Task)) => self.name.task.clone().into_iter().collect(),
            Some(field) => values_of(&self.entry, field),
            None => self.cells[place].shown().into_iter().collect(),
        }
    }

    /// Its number; true is 1 and false 0, as for rewards.
    pub(super) fn number(&self, place: usize) -> Option<f64> {
        match (self.asked[place].field(), &self.cells[place]) {
            (Some(FilterField::Number(number)), _) => self.entry.number(number),
            (_, CellValue::Number(number)) => Some(*number),
            (_, CellValue::Text(text)) => match text.as_ref() {
                "true" => Some(1.0),
                "false" => Some(0.0),
                text => text.parse().ok(),
            }
            .filter(|number: &f64| number.is_finite()),
            _ => None,
        }
    }
}

impl RecordQuestion<'_> {
    /// Gives what each record answers; for how many an expression failed.
    ///
    /// # Errors
    /// The records are not trajectories and no run, the input can no longer be read, or an expression fails for good.
    pub(super) fn ask(&self, asked: &[&Asked], mut each: impl FnMut(&Answers<'_>)) -> Result<u64, Stop> {
        if self.loaded.detected.format.is_any() {
            let message =
                format!("the records of {} are not trajectories, which alone have numbers", self.loaded.input.name());
            return Err(Problem::usage(message).hint("`obelus query` asks any record").into());
        }
        let of_run = if ingest::is_run(self.loaded) { Some(self.cells_of_run(asked)?) } else { None };
        let (expressed, failed) = self.expressed(asked)?;
        let fields: Vec<Option<FilterField>> = asked.iter().filter_map(|asked| asked.field()).map(Some).collect();
        let wants_marks = asked.iter().any(|asked| asked.is_mark());
        let pass = Pass {
            fields: &fields,
            marks: wants_marks.then_some(&self.wanted.marks),
            tokenizer: self.wanted.tokenizer.as_deref(),
            passing: self.passing,
            policy: &self.wanted.policy,
        };
        let has_paths = of_run.is_none() && asked.iter().any(|asked| matches!(asked, Asked::Path(_)));
        let read = |text: &[u8]| {
            let text = lossy(text);
            let value = json::parse(&text).ok().filter(|_| has_paths);
            let scalar_of = |asked: &&Asked| match asked {
                Asked::Path(path) => value.as_ref().and_then(|value| scalar(value, path)),
                Asked::Field(_) | Asked::Expression(..) => None,
            };
            let cell = |text: Option<String>| text.map_or(CellValue::Nothing, |text| CellValue::Text(text.into()));
            asked.iter().map(scalar_of).map(cell).collect::<Vec<_>>()
        };
        pass.each(
            self.loaded,
            |_, text| if has_paths { read(text) } else { vec![CellValue::Nothing; asked.len()] },
            |Passed { entry, name, also: mut cells, .. }| {
                if let Some(of_run) = &of_run {
                    cells.clone_from(of_run);
                }
                for (cell, expressed) in cells.iter_mut().zip(&expressed) {
                    let place = if of_run.is_some() { 0 } else { entry.record() };
                    if let Some(value) = expressed.as_ref().and_then(|all| all.get(place)) {
                        *cell = value.clone();
                    }
                }
                let entry = if self.groups.is_some() { entry.with_groups(self.groups) } else { entry };
                each(&Answers { asked, entry, name: &name, cells: &cells });
                Ok(())
            },
        )?;
        Ok(failed)
    }

    /// What the paths say of the run that the file is.
    fn cells_of_run(&self, asked: &[&Asked]) -> Result<Vec<CellValue>, Problem> {
        let paths: Vec<&str> = asked.iter().filter_map(|asked| asked.path()).collect();
        let mut found = if paths.is_empty() { Vec::new() } else { first_of_run(self.loaded, &paths)? }.into_iter();
        let cell = |asked: &&Asked| match asked {
            Asked::Path(_) => found.next().flatten().map_or(CellValue::Nothing, |text| CellValue::Text(text.into())),
            Asked::Field(_) | Asked::Expression(..) => CellValue::Nothing,
        };
        Ok(asked.iter().map(cell).collect())
    }

    /// What the expressions say of each record, and how often one failed.
    fn expressed(&self, asked: &[&Asked]) -> Result<(Vec<Expressed>, u64), Problem> {
        let (mut out, mut failures) = (Vec::new(), 0);
        for asked in asked {
            let Asked::Expression(column, _) = asked else {
                out.push(None);
                continue;
            };
            if ingest::is_run(self.loaded) {
                let (value, failed) = columns::evaluate_run(self.loaded, column)?;
                out.push(Some(vec![value]));
                failures += failed;
                continue;
            }
            let all = || Ok::<_, Problem>(vec![true; self.loaded.records()?.len()]);
            let wanted = self.passing.map_or_else(all, |passing| Ok(passing.to_vec()))?;
            let (values, failed) = columns::evaluate(self.loaded, column, &wanted)?;
            out.push(Some(values));
            failures += failed;
        }
        Ok((out, failures))
    }
}

#[cfg(test)]
mod tests {
    use super::list;

    #[test]
    fn a_list_is_apart_at_commas_outside_of_expressions() {
        assert_eq!(list("tokens,failed"), ["tokens", "failed"]);
        assert_eq!(list(r#"[.a,.b]|length, .c[","] ,steps"#), ["[.a,.b]|length", r#".c[","]"#, "steps"]);
        assert_eq!(list(r#".a["\",("]"#), [r#".a["\",("]"#]);
        assert!(list(" , ").is_empty());
    }
}
