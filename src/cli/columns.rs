//! Columns of the configuration in `--where`: what their expressions say of the records of a file.
//!
//! As on the screen, they run in a process of their own, with so much time and memory for a record.

use crate::ingest::Loaded;
use crate::model::Problem;
use crate::review::{CellValue, CustomColumn, Filter, Names, Numbers, Subject, Texts};
use std::borrow::Cow;
#[cfg(feature = "query")]
use {
    super::query::run,
    super::{Stop, complain},
    crate::model::RecordBody,
    crate::shell::custom_columns::LIMIT,
    crate::shell::query::RecordQuery,
};

/// A column of the configuration: its name and its expression.
pub(super) type Column = (CustomColumn, String);

/// What some columns say of the records of a file.
pub(super) struct Columns {
    values: Vec<(CustomColumn, Vec<CellValue>)>,
    /// How often an expression failed for a record.
    pub(super) failed: u64,
}

impl Columns {
    /// Asks those that a filter asks for, of the records that are `wanted`.
    ///
    /// # Errors
    /// An expression is invalid, or comes to a bad end again and again; the input can no longer be read.
    pub(super) fn of(loaded: &Loaded, filter: &Filter, columns: &[Column], wanted: &[bool]) -> Result<Self, Problem> {
        let asked = columns.iter().filter(|(name, _)| filter.custom_columns().any(|column_name| column_name == *name));
        let mut out = Self { values: Vec::new(), failed: 0 };
        for column in asked {
            let (column_values, failed) = evaluate(loaded, column, wanted)?;
            out.values.push((column.0, column_values));
            out.failed += failed;
        }
        Ok(out)
    }

    /// The same of the run that a file is, whose rows have one value: that of the first record that has any.
    ///
    /// # Errors
    /// As [`Columns::of`].
    pub(super) fn of_run(loaded: &Loaded, filter: &Filter, columns: &[Column], rows: usize) -> Result<Self, Problem> {
        let asked = columns.iter().filter(|(name, _)| filter.custom_columns().any(|column_name| column_name == *name));
        let mut out = Self { values: Vec::new(), failed: 0 };
        for column in asked {
            let (value, failed) = evaluate_run(loaded, column)?;
            out.values.push((column.0, vec![value; rows]));
            out.failed += failed;
        }
        Ok(out)
    }

    /// Whether a filter that asks for columns alone lets a record through.
    pub(super) fn pass(&self, filter: &Filter, record: usize) -> bool {
        filter.holds(&Answers { columns: self, record })
    }
}

/// What an expression says of each record; of one that is not wanted, nothing. And for how many it fails: the first is
/// reported.
#[cfg(feature = "query")]
pub(super) fn evaluate(loaded: &Loaded, column: &Column, wanted: &[bool]) -> Result<(Vec<CellValue>, u64), Problem> {
    let (name, expression) = column;
    let named = |text: String| format!("column {} = {expression}: {text}", name.as_str());
    let question = RecordQuery { expression: expression.clone(), wants_results: true, limit: LIMIT };
    let records = loaded.records()?;
    let mut values = vec![CellValue::Nothing; records.len()];
    let (mut first, mut failed) = (None, 0_u64);
    let asked = run::records(loaded, &question, "", Some(wanted), |answered| {
        let answer = answered.answer;
        let is_broken = || records.get(answered.number).is_none_or(|r| r.body != RecordBody::Text);
        if let Some(why) = answer.failure.as_ref().filter(|_| !is_broken()) {
            failed += 1;
            first.get_or_insert_with(|| (answered.place.line, why.clone()));
        }
        if let Some(value) = values.get_mut(answered.number) {
            *value = CellValue::of(answer.results.lines().next(), answer.failure.is_some());
        }
        Ok(())
    });
    if let Err(Stop::Problem(problem)) = asked {
        let message = named(problem.message);
        let hint = "it is a jq expression of the command line, or of [columns] in config.toml".to_owned();
        return Err(Problem { message, hint: Some(hint), ..problem });
    }
    if let Some((line, why)) = first {
        let more = if failed > 1 { format!(" (and for {} more)", failed - 1) } else { String::new() };
        complain(&format!("{}:{line}: {}{more}", loaded.input.name(), named(why)));
    }
    Ok((values, failed))
}

#[cfg(not(feature = "query"))]
pub(super) fn evaluate(_loaded: &Loaded, column: &Column, _wanted: &[bool]) -> Result<(Vec<CellValue>, u64), Problem> {
    let message = format!("the column {} needs the feature `query`, which this build has not", column.0.as_str());
    Err(Problem::usage(message))
}

/// What an expression says of the run that a file is: of its first record of which it says anything.
pub(super) fn evaluate_run(loaded: &Loaded, column: &Column) -> Result<(CellValue, u64), Problem> {
    let wanted = vec![true; loaded.records()?.len()];
    let (values, failed) = evaluate(loaded, column, &wanted)?;
    Ok((values.into_iter().find(|value| *value != CellValue::Nothing).unwrap_or(CellValue::Nothing), failed))
}

/// What the columns say of one record.
struct Answers<'c> {
    columns: &'c Columns,
    record: usize,
}

impl Subject for Answers<'_> {
    fn number(&self, _numbers: Numbers) -> Option<f64> {
        None
    }

    fn any_name(&self, _names: Names, _test: &dyn Fn(&str) -> bool) -> bool {
        false
    }

    fn text(&self, _text: Texts) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn custom_cell(&self, name: CustomColumn) -> &CellValue {
        let column = self.columns.values.iter().find(|(column_name, _)| *column_name == name);
        column.and_then(|(_, values)| values.get(self.record)).unwrap_or(&CellValue::Nothing)
    }
}
