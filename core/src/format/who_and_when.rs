//! Who&When: conversations of teams of agents that failed, each with the agent and the step that people hold to blame.

#[cfg(test)]
mod tests;

use super::log::{
    Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, SetRow, first, first_text, form, items, role_of, show,
    text, text_of, write_slots, write_title,
};
use crate::json::Value;
use crate::model::{StepRole, Turn, TurnPart};
use crate::state::Op;
use std::borrow::Cow;

/// Failures of teams of agents.
pub(super) static WHO_AND_WHEN: SetRow = SetRow {
    name: "who-and-when",
    title: "Who&When failure",
    about: "Failed runs of teams of agents with what people found at fault (Who&When and datasets of its form): \
            records with `history`, `mistake_agent`, `mistake_step` and `mistake_reason`. The step at fault is shown \
            as one that failed, and writes what is said of it. State: the question, the fault.",
    run: || Box::new(LogRun::new(Failure)),
    samples: &[FAILURE],
    ..SetRow::BASE
};

/// A run in which the code of an expert was at fault.
const FAILURE: &str = r#"{"is_correct":false,"question":"How many are even?","question_ID":"q1","level":"1",
    "ground_truth":"8","history":[
    {"content":"How many are even?","role":"human"},
    {"content":"Plan: count them.","role":"Orchestrator (thought)"},
    {"content":"I count 4.","role":"assistant","name":"Excel_Expert"},
    {"content":"exitcode: 0\nOutput: 4","role":"user","name":"Computer_terminal"},
    {"content":"The answer is 4.","role":"user","name":"Verifier"}],
    "mistake_agent":"Excel_Expert","mistake_step":"2","mistake_reason":"It stops at row 9.",
    "system_prompt":{"Excel_Expert":"You know tables."}}"#;

/// A message of somebody, and the same as a thought.
const WORDS: Form = FIRST_ADAPTER_FORM;
const THOUGHT: Form = FIRST_ADAPTER_FORM + 1;

/// Members of a record that are about its task.
const TASK: [&str; 8] =
    ["question", "question_ID", "level", "ground_truth", "groundtruth", "is_correct", "is_corrected", "system_prompt"];

/// What is said of the fault.
const FAULT: [&str; 3] = ["mistake_agent", "mistake_step", "mistake_reason"];

/// Reads a run.
struct Failure;

impl Adapter for Failure {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        write_title(log, record, &["question_ID", "question"]);
        write_slots(log, "task", "main", record, &TASK);
        let number = record.get("mistake_step").map(text_of).and_then(|number| number.trim().parse::<usize>().ok());
        let mut has_fault = false;
        for (at, message) in items(record, "history").iter().enumerate() {
            let is_fault = number == Some(at);
            add_step(message, is_fault, log);
            if is_fault {
                has_fault = true;
                write_fault(record, log);
            }
        }
        // Of a step that is not there it is said of the end.
        if !has_fault && log.next_step() > 0 {
            write_fault(record, log);
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&message) = values.first() else { return Turn::default() };
        let words = || first(message, &["content"]).map(text_of).unwrap_or_default();
        let speaker = first_text(message, &["name", "role"]).map(Cow::Borrowed);
        match form {
            WORDS => Turn { speaker, ..Turn::of(StepRole::Unknown, vec![TurnPart::Text(words())]) },
            THOUGHT => Turn { speaker, ..Turn::of(StepRole::Agent, vec![TurnPart::Thought(words())]) },
            _ => show(form, values),
        }
    }
}

fn write_fault(record: &Value<'_>, log: &mut Log<'_>) {
    for name in FAULT {
        if let Some(value) = record.get(name) {
            log.write("fault", "main", &[name], Op::Update, value);
        }
    }
}

/// Who speaks: a person, a terminal, or one of the agents, whatever role the service of its model gives it.
fn speaker_of(message: &Value<'_>) -> StepRole {
    let name = text(message, "name").unwrap_or_default().to_lowercase();
    match text(message, "role").unwrap_or_default() {
        _ if name.contains("terminal") || name.contains("executor") => StepRole::Environment,
        _ if !name.is_empty() && name != "user" => StepRole::Agent,
        "human" => StepRole::User,
        role => match role_of(role) {
            StepRole::Unknown => StepRole::Agent,
            known => known,
        },
    }
}

fn add_step(message: &Value<'_>, is_failed: bool, log: &mut Log<'_>) {
    if message.as_object().is_none() {
        let values = [message];
        log.step(&Draft { is_failed, ..Draft::of(Kind::State, form::STATE, &values) });
        return;
    }
    let is_thought = text(message, "role").is_some_and(|role| role.ends_with("(thought)"));
    let (kind, form) = if is_thought { (Kind::Thought, THOUGHT) } else { (Kind::Message, WORDS) };
    let (values, class) = ([message], first_text(message, &["name", "role"]));
    log.step(&Draft { role: speaker_of(message), class, is_failed, ..Draft::of(kind, form, &values) });
}
