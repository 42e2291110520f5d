//! The expressions of a mapping, asked of each record in the processes of queries.

use super::{MESSAGES, record_expression};
use crate::cli::Stop;
use crate::cli::query::run;
use crate::ingest::{self, Loaded, Mapping};
use crate::model::{Problem, Sink};
use crate::shell::custom_columns::LIMIT;
use crate::shell::query::RecordQuery;
use crate::source::RecordReader;
use std::collections::BTreeMap;

/// Records made by expressions.
struct ByExpressions {
    question: RecordQuery,
    has_messages: bool,
}

pub(super) fn register(maps: &BTreeMap<String, String>) -> Result<(), Problem> {
    let question = question(record_expression(maps));
    ingest::use_mapping(Box::new(ByExpressions { question, has_messages: maps.contains_key(MESSAGES) }));
    Ok(())
}

fn question(expression: String) -> RecordQuery {
    RecordQuery { expression, wants_results: true, limit: LIMIT }
}

pub(super) fn checked(name: &str, expression: &str) -> Result<(), Problem> {
    let asked = question(expression.to_owned()).child().map(drop);
    asked.map_err(|problem| Problem {
        message: problem.message.replacen("EXPR", &format!("the expression of {name}, {expression},"), 1),
        ..problem
    })
}

impl Mapping for ByExpressions {
    fn format(&self) -> Option<&'static str> {
        self.has_messages.then_some("messages")
    }

    fn write(&self, loaded: &Loaded, out: &mut Sink<'_>) -> Result<(), Problem> {
        let (mut reader, records) = (RecordReader::new(&loaded.input), loaded.records()?);
        let (mut first, mut failed) = (None, 0_u64);
        let done = run::records(loaded, &self.question, "", None, |answered| {
            let answer = answered.answer;
            if let Some(line) = answer.results.lines().next().filter(|_| answer.failure.is_none()) {
                return Ok(out(format!("{line}\n").as_bytes())?);
            }
            failed += 1;
            first.get_or_insert((answered.number, answer.failure.unwrap_or_default()));
            let Some(record) = records.get(answered.number) else { return Ok(()) };
            let mut text = reader.text(&record)?.to_vec();
            ingest::one_line(&mut text);
            Ok(out(&text)?)
        });
        match done {
            Err(Stop::Problem(problem)) => return Err(problem),
            Err(Stop::Enough) => {}
            Err(Stop::Output(e)) => return Err(Problem::unreadable(format!("the records cannot be kept: {e}"))),
            Ok(()) => {}
        }
        let Some((record, why)) = first else { return Ok(()) };
        let more = if failed > 1 { format!(", and for {} more", failed - 1) } else { String::new() };
        let message = format!("{}: record {record}: --map failed{more}: {why}", loaded.input.name());
        Err(Problem::unreadable(message).hint("such records are read as they are; `?` and `//` of jq mend what lacks"))
    }
}
