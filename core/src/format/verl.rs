//! Rollouts of verl and SkyRL: a prompt and an answer as text, with a score (`FORMATS.md` 13).

use super::log::{Adapter, Blocks, Draft, Kind, Log, LogRun, form};
use super::run_survey::RunSurvey;
use super::{Format, Framing, Layout, Match, Purpose, Run, Survey, signature};
use crate::json::Value;
use crate::model::StepRole;
use crate::rules::trajectory::token_rewards;
use crate::state::Op;

/// The format.
pub(super) struct Verl;

/// A row of verl.
const ROW: &str = "{\"input\":\"2+2?\",\"output\":\"4\",\"score\":1.0,\"step\":3,\"gts\":\"4\"}\n";

/// A row of SkyRL.
const SKY_ROW: &str = "{\"input_prompt\":[{\"role\":\"user\",\"content\":\"2+2?\"}],\"output_response\":\"4\",\
     \"score\":0.5,\"stop_reason\":\"stop\",\"env_extras\":{\"n\":1}}\n";

impl Format for Verl {
    fn name(&self) -> &'static str {
        "verl"
    }

    fn title(&self) -> &'static str {
        "verl rollouts"
    }

    fn about(&self) -> &'static str {
        "Rollouts of verl (`input`, `output`, `score`, `step`) and SkyRL (`input_prompt`, `output_response`, `score`): \
         each row is a trajectory of a prompt and an answer. State: score, step, what is expected, extras of the \
         environment."
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        signature::detect(self.name(), first)
    }

    fn framing(&self) -> Framing {
        Framing::LogValues
    }

    fn layout(&self) -> Layout {
        Layout::Set
    }

    fn survey(&self, purpose: Purpose) -> Option<Box<dyn Survey>> {
        RunSurvey::of(purpose, self.name(), run)
    }

    fn run(&self) -> Box<dyn Run> {
        run()
    }

    fn samples(&self) -> &'static [&'static str] {
        &[ROW, SKY_ROW]
    }
}

fn run() -> Box<dyn Run> {
    Box::new(LogRun::new(Rows))
}

/// Members of a row that are its conversation.
const CONVERSATION_KEYS: [(&str, StepRole); 4] = [
    ("input", StepRole::User),
    ("input_prompt", StepRole::User),
    ("output", StepRole::Agent),
    ("output_response", StepRole::Agent),
];

/// Members that score it.
const SCORES: [&str; 2] = ["score", "acc"];

/// Reads a row.
struct Rows;

impl Adapter for Rows {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        for (name, role) in CONVERSATION_KEYS {
            let Some(value) = record.get(name) else { continue };
            match value.as_array() {
                Some(messages) => messages.iter().for_each(|message| {
                    Blocks::of(message).add_steps(log);
                }),
                None => {
                    let values = [value];
                    log.step(&Draft { role, ..Draft::of(Kind::Message, form::MESSAGE, &values) });
                }
            }
        }
        let last = log.next_step() - 1;
        if let Some(score) = record.get("score").and_then(Value::as_number).filter(|_| last >= 0) {
            log.reward(last, score);
        } else if let Some(sum) = token_rewards(record).filter(|_| last >= 0) {
            log.reward(last, &sum.to_string());
        }
        for (name, value) in record.as_object().into_iter().flat_map(|record| record.entries()) {
            let kind = if SCORES.contains(&name) { "reward" } else { "session" };
            if !CONVERSATION_KEYS.iter().any(|(conversation_key, _)| *conversation_key == name) && !value.is_null() {
                log.write(kind, "main", &[name], Op::Update, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::log::tests::{damage, report_of};
    use super::*;

    #[test]
    fn a_row_is_a_prompt_and_an_answer() {
        for (row, reward, slot) in [(ROW, "1.0", "/session/main/gts"), (SKY_ROW, "0.5", "/session/main/env_extras/n")] {
            let report = report_of(run(), &Verl, row);
            assert_eq!(report.roles, ["user", "agent"]);
            assert_eq!(report.rewards[1].as_deref(), Some(reward));
            assert!(!report.value(slot).is_empty(), "{slot}");
        }
        let of_tokens = SKY_ROW.replace("0.5", "[0.0,0.25,1]");
        assert_eq!(report_of(run(), &Verl, &of_tokens).rewards[1].as_deref(), Some("1.25"));
    }

    #[test]
    fn damaged_rows_never_panic() {
        damage(&Verl, &[ROW, SKY_ROW]);
    }
}
