//! Lines that are chat messages themselves: a file is one conversation, each message a step (`FORMATS.md` 8).

use super::log::{
    Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, call, form, model_usage, result, role_of,
};
use super::{Format, Framing, Layout, Match, Run, signature};
use crate::json::Value;
use crate::model::{StepRole, Surroundings, Turn, TurnPart, Usage};
use crate::rules::trajectory::blocks::{Block, REASONING, block, item, turn_parts};
use crate::rules::trajectory::is_exchange;
use std::borrow::Cow;

/// The format, as a row of `messages`.
pub(super) struct MessageLines;

/// A conversation with a call.
const LINES: &str = concat!(
    r#"{"role":"user","content":"list it","timestamp":"2026-05-01T10:00:00"}"#,
    "\n",
    r#"{"role":"assistant","content":"I look.","tool_calls":[{"id":"c1","function":{"name":"ls","arguments":"{}"}}]}"#,
    "\n",
    r#"{"role":"tool","tool_call_id":"c1","content":"a.txt"}"#,
    "\n",
);

impl Format for MessageLines {
    fn name(&self) -> &'static str {
        "messages"
    }

    fn title(&self) -> &'static str {
        "Message lines"
    }

    fn about(&self) -> &'static str {
        "JSON Lines that are chat messages themselves, as gptme and Vibe write them: a file is one conversation, each \
         message a step with its calls and results. Most of the first lines must be messages with a `role`, or the \
         first, if items of OpenAI's Responses interface follow."
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        let has_role = |record: &Value<'_>| record.get("role").is_some_and(|role| role.as_str().is_some());
        let is_message = |record: &&Value<'_>| has_role(record) || item(record).is_some();
        // What the Messages interface answers is a message that may be alone.
        let is_alone = matches!(first, [only] if has_role(only) && is_exchange(only));
        let are_messages = first.len() > 1 && first.iter().filter(is_message).count() * 2 >= first.len();
        signature::detect(self.name(), first).filter(|_| are_messages || is_alone)
    }

    fn framing(&self) -> Framing {
        Framing::LogText
    }

    fn layout(&self) -> Layout {
        Layout::Run
    }

    fn run(&self) -> Box<dyn Run> {
        Box::new(LogRun::new(Lines))
    }

    fn samples(&self) -> &'static [&'static str] {
        &[LINES]
    }
}

/// Form: a whole message, its calls and results with it.
const WHOLE_MESSAGE: Form = FIRST_ADAPTER_FORM;

fn text<'v>(value: &'v Value<'v>, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// Reads the messages.
struct Lines;

impl Adapter for Lines {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let metadata = record.get("metadata");
        let member = |key: &str| record.get(key).or_else(|| metadata?.get(key));
        let model = member("model").and_then(Value::as_str).map(Cow::Borrowed);
        log.surroundings(&Surroundings { model, ..Surroundings::default() });
        // gptme has the cost beside the tokens.
        let cost = metadata.and_then(|data| data.get("cost")?.as_number()?.parse().ok());
        let usage = member("usage").map(model_usage).map(|usage| Usage { cost: usage.cost.or(cost), ..usage });
        let time = ["timestamp", "created_at", "time"].iter().find_map(|key| record.get(key));
        let values = [record];
        let is_injected = record.get("hide").and_then(Value::as_bool) == Some(true);
        log.step(&Draft {
            class: text(record, "role").or_else(|| text(record, "type")),
            time,
            tokens: usage.as_ref().and_then(|usage| usage.output),
            is_injected,
            ..Draft::of(Kind::Message, WHOLE_MESSAGE, &values)
        });
        if let Some(usage) = usage {
            log.usage(None, &usage);
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match (form, values.first()) {
            (WHOLE_MESSAGE, Some(message)) => message_turn(message),
            _ => super::log::show(form, values),
        }
    }
}

/// All that a message says: thoughts, words, calls, results.
fn message_turn<'v>(message: &'v Value<'v>) -> Turn<'v> {
    if let Some(found) = item(message) {
        let role = if found == Block::Result { StepRole::Environment } else { StepRole::Agent };
        return Turn::of(role, turn_parts(message).unwrap_or_default());
    }
    let role = text(message, "role").map_or(StepRole::Unknown, role_of);
    if role == StepRole::Environment {
        return Turn::of(role, vec![TurnPart::Result(result(message))]);
    }
    let thought = REASONING.iter().find_map(|key| text(message, key));
    let thought = thought.filter(|thought| !thought.is_empty()).map(|thought| TurnPart::Thought(thought.into()));
    let blocks = message.get("content").and_then(Value::as_array).unwrap_or_default();
    let of_blocks = blocks.iter().filter_map(|part| match block(part) {
        Block::Call => Some(TurnPart::Call(call(part))),
        Block::Result => Some(TurnPart::Result(result(part))),
        Block::Text | Block::Thought | Block::Tools | Block::File => None,
    });
    let listed = message.get("tool_calls").and_then(Value::as_array).unwrap_or_default();
    let single = message.get("function_call").filter(|call| call.as_object().is_some());
    let calls = listed.iter().chain(single).map(|value| TurnPart::Call(call(value)));
    let shown_parts = super::log::show(form::MESSAGE, &[message]).parts;
    Turn::of(role, thought.into_iter().chain(shown_parts).chain(of_blocks).chain(calls).collect())
}

#[cfg(test)]
mod tests {
    use super::super::log::testing::adapted;
    use super::super::log::tests::{damage, report_of};
    use super::*;
    use crate::json::parse;

    #[test]
    fn each_message_is_a_step_with_its_calls_and_results() {
        let report = report_of(MessageLines.run(), &MessageLines, LINES);
        assert_eq!(report.kinds, ["message"; 3]);
        assert_eq!(report.roles, ["user", "agent", "environment"]);
        assert_eq!((report.answers[2], report.tools[1].as_str()), (Some(1), "ls"));
        assert!(report.summaries[1].starts_with("I look."), "{:?}", report.summaries);
    }

    #[test]
    fn the_cost_of_an_answer_may_be_beside_its_tokens() {
        let usage = r#""metadata":{"usage":{"input_tokens":3,"output_tokens":2,"cache_read_tokens":7},"cost":0.25}"#;
        let line = format!(r#"{{"role":"assistant","content":"hi",{usage}}}"#);
        let run = adapted(Lines, &line);
        let total = run.work().map(|work| work.total_usage()).unwrap_or_default();
        assert_eq!((total.input, total.cache_read, total.cost), (Some(3), Some(7), Some(0.25)));
    }

    #[test]
    fn items_between_messages_are_steps() {
        let lines = r#"{"role":"user","content":"list it"}
{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"hm"}]}
{"type":"function_call","call_id":"c","name":"ls","arguments":"{}"}
{"type":"function_call_output","call_id":"c","output":"a.txt"}
{"type":"web_search_call","id":"w","action":{"type":"search","query":"q"}}
"#;
        let report = report_of(MessageLines.run(), &MessageLines, lines);
        assert_eq!(report.roles, ["user", "agent", "agent", "environment", "agent"]);
        assert_eq!((report.answers[3], report.tools[4].as_str()), (Some(2), "web_search"));
        let values: Vec<_> = lines.lines().map(|line| parse(line).unwrap()).collect();
        assert!(MessageLines.detect(&values).is_some() && MessageLines.detect(&values[1..]).is_none());
    }

    #[test]
    fn damaged_lines_never_panic() {
        damage(&MessageLines, &[LINES]);
    }
}
