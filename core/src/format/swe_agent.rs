//! Trajectories of SWE-agent: one document, whose items are thought, action and observation (`FORMATS.md` 10).

use super::log::{Adapter, Blocks, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, form};
use super::{Framing, signature};
use crate::json::{self, Value};
use crate::model::cast;
use crate::model::{StepRole, ToolCall, ToolResult, Turn, TurnPart, Usage};
use crate::rules::trajectory::scalar;
use crate::rules::work::Dialect;
use crate::state::Op;
use std::borrow::Cow;
use std::collections::VecDeque;

/// The format.
pub(super) static SWE_AGENT: Row = Row {
    name: "swe-agent",
    agent: Some("swe-agent"),
    title: "SWE-agent trajectory",
    about: "Trajectories of SWE-agent (`.traj`): one document with `trajectory`, whose items are thought, action and \
            observation, after the messages of `history` before the first answer; the model's reasoning, which only \
            `history` has, is in the step of its thought or action. State: the environment's `state` at each item, \
            exit status, submission, model figures.",
    framing: Framing::LogText,
    run: || Box::new(LogRun::new(Items)),
    detect: Some(|first| signature::detect("swe-agent", first)),
    samples: &[TRAJECTORY],
    ..Row::BASE
};

/// A trajectory with one command.
const TRAJECTORY: &str = r#"{"environment":"swe_main","trajectory":[
    {"thought":"I look.","action":"ls","observation":"a.py","execution_time":0.5,"state":{"working_dir":"/w"}},
    {"thought":"","action":"submit","observation":"diff","execution_time":0.25,"state":{"working_dir":"/w"}}],
"history":[{"role":"system","content":"You fix."},{"role":"user","content":"Fix it."},
    {"role":"assistant","content":"I look.","action":"ls"}],
"info":{"exit_status":"submitted","model_stats":{"instance_cost":0.25,"tokens_sent":10,"tokens_received":2}}}"#;

/// Forms: a command with the reasoning before it, an observation with the state and the time after it, and words with
/// the reasoning before them.
const COMMAND: Form = FIRST_ADAPTER_FORM;
const OBSERVATION: Form = FIRST_ADAPTER_FORM + 1;
const WORDS: Form = FIRST_ADAPTER_FORM + 2;

/// How many answers of the history are looked at for the one that an item is of.
const ANSWERS_LOOKED_AT: usize = 8;

/// Commands of SWE-agent itself; others are run by the shell.
const SWE_AGENT_COMMANDS: [&str; 16] = [
    "open",
    "goto",
    "scroll_up",
    "scroll_down",
    "create",
    "edit",
    "insert",
    "append",
    "undo_edit",
    "search_dir",
    "search_file",
    "find_file",
    "str_replace_editor",
    "submit",
    "exit_cost",
    "exit_forfeit",
];

fn text<'v>(value: &'v Value<'v>, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// Reads the document.
struct Items;

impl Adapter for Items {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let items = record.get("trajectory").and_then(Value::as_array).unwrap_or_default();
        if let Some(title) = text(record, "environment") {
            log.title(title);
        }
        match record.get("replay_config").map(|config| (config, config.as_str())) {
            Some((_, Some(config))) => json::parse(config.trim()).iter().for_each(|config| configured(config, log)),
            Some((config, None)) => configured(config, log),
            None => {}
        }
        // Of a benchmark the environment is the instance.
        let instance = || text(record, "environment").filter(|name| name.contains("__"));
        if let Some(instance) = instance().filter(|_| log.facts().task.is_none()) {
            log.facts().task = Some(instance.to_owned());
        }
        history(record, items.is_empty(), log);
        let mut answers = answers(record);
        for item in items {
            let reasoning = take_answer(&mut answers, item).map(reasoning).unwrap_or_default();
            read_item(item, &reasoning, log);
        }
        if let Some(info) = record.get("info") {
            end(info, log);
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match (form, values) {
            (COMMAND, [action, rest @ ..]) => {
                let call = ToolCall { id: None, name: tool(action).into(), arguments: Cow::Borrowed(action.text) };
                Turn::of(StepRole::Agent, thoughts(rest).chain([TurnPart::Call(call)]).collect())
            }
            (WORDS, [words, rest @ ..]) => {
                let shown = super::log::show(form::MESSAGE, &[*words]);
                Turn::of(StepRole::Agent, thoughts(rest).chain(shown.parts).collect())
            }
            (OBSERVATION, [observation, rest @ ..]) => {
                Turn::of(StepRole::Environment, vec![TurnPart::Result(result(observation, rest))])
            }
            _ => super::log::show(form, values),
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect::SweAgent
    }
}

/// The messages before the first answer; of a demonstration, which has no items, all.
fn history(record: &Value<'_>, is_all: bool, log: &mut Log<'_>) {
    for item in record.get("history").and_then(Value::as_array).unwrap_or_default() {
        let is_demo = item.get("is_demo").and_then(Value::as_bool) == Some(true);
        if is_all {
            Blocks { is_injected: is_demo, ..Blocks::of(item) }.add_steps(log);
            continue;
        }
        if text(item, "role") == Some("assistant") && !is_demo {
            return;
        }
        let values = [item];
        let class = text(item, "role");
        log.step(&Draft { class, is_injected: is_demo, ..Draft::of(Kind::Message, form::MESSAGE, &values) });
    }
}

/// The model's answers in the history, from the first that no item took.
fn answers<'v, 'a>(record: &'v Value<'a>) -> VecDeque<&'v Value<'a>> {
    let is_demo = |item: &Value<'_>| item.get("is_demo").and_then(Value::as_bool) == Some(true);
    let history = record.get("history").and_then(Value::as_array).unwrap_or_default();
    history.iter().filter(|item| text(item, "role") == Some("assistant") && !is_demo(item)).collect()
}

/// The answer that an item is of: items and answers are in one order, and say the same action.
fn take_answer<'v, 'a>(answers: &mut VecDeque<&'v Value<'a>>, item: &Value<'_>) -> Option<&'v Value<'a>> {
    let is_same =
        |answer: &&Value<'_>| text(answer, "action").is_some_and(|action| text(item, "action") == Some(action));
    let place = answers.iter().take(ANSWERS_LOOKED_AT).position(is_same)?;
    answers.drain(..=place).next_back()
}

/// The model's reasoning before an answer, which items do not have: blocks, else a text.
fn reasoning<'v, 'a>(answer: &'v Value<'a>) -> Vec<&'v Value<'a>> {
    let blocks = answer.get("thinking_blocks").and_then(Value::as_array).unwrap_or_default();
    let text = || answer.get("reasoning_content").filter(|text| text.as_str().is_some_and(|text| !text.is_empty()));
    if blocks.is_empty() { text().into_iter().collect() } else { blocks.iter().collect() }
}

/// Reasoning as parts of a turn; encrypted blocks say nothing.
fn thoughts<'v>(values: &[&'v Value<'v>]) -> impl Iterator<Item = TurnPart<'v>> {
    let is_readable = |value: &&&Value<'_>| text(value, "type") != Some("redacted_thinking");
    values.iter().filter(is_readable).flat_map(|value| super::log::show(form::THOUGHT, &[*value]).parts)
}

/// Thought, action and observation, the first with the reasoning before it; an item without the first two is an empty
/// thought.
fn read_item(item: &Value<'_>, reasoning: &[&Value<'_>], log: &mut Log<'_>) {
    let filled = |key: &str| item.get(key).filter(|v| v.as_str().is_some_and(|text| !text.trim().is_empty()));
    let (thought, action) = (filled("thought"), filled("action"));
    let empty = ["thought", "response", "action"].iter().find_map(|key| item.get(key)).filter(|_| action.is_none());
    let words = thought.or(empty);
    if let Some(words) = words {
        let values: Vec<&Value<'_>> = std::iter::once(words).chain(reasoning.iter().copied()).collect();
        let form = if reasoning.is_empty() { form::MESSAGE } else { WORDS };
        log.step(&Draft { role: StepRole::Agent, ..Draft::of(Kind::Message, form, &values) });
    }
    let observation = item.get("observation").filter(|v| v.as_str().is_some());
    if let Some(action) = action {
        let before = reasoning.iter().copied().filter(|_| words.is_none());
        let values: Vec<&Value<'_>> = std::iter::once(action).chain(before).collect();
        let call = log.step(&Draft { role: StepRole::Agent, ..Draft::of(Kind::Call, COMMAND, &values) });
        if observation.is_none() {
            log.no_result(call);
        }
    }
    if let Some(observation) = observation.filter(|_| action.is_some() || filled("observation").is_some()) {
        let beside = ["state", "execution_time"].iter().filter_map(|key| item.get(key)).filter(|v| !v.is_null());
        let values: Vec<&Value<'_>> = std::iter::once(observation).chain(beside).collect();
        log.step(&Draft { role: StepRole::Environment, ..Draft::of(Kind::Result, OBSERVATION, &values) });
    }
    if let Some(state) = item.get("state") {
        write_state(state, log);
    }
}

/// The state of the environment, as an object or as JSON in a string: its whole value.
fn write_state(state: &Value<'_>, log: &mut Log<'_>) {
    match state.as_str() {
        Some(text) => log.derive("environment", "main", &[], Op::Update, text.trim()),
        None if state.as_object().is_some() => log.write("environment", "main", &[], Op::Update, state),
        None => {}
    }
}

/// What the configuration of a run names: the instance of a benchmark, the model.
fn configured(config: &Value<'_>, log: &mut Log<'_>) {
    if let Some(task) = scalar(config, "problem_statement.id") {
        log.facts().task = Some(task);
    }
    // Actions of an earlier run, which no model chose.
    log.facts().model = scalar(config, "agent.model.name").filter(|name| name != "replay");
}

/// How the run ended.
fn end(info: &Value<'_>, log: &mut Log<'_>) {
    for slot in ["exit_status", "submission", "model_stats", "swe_agent_version"] {
        if let Some(value) = info.get(slot).filter(|value| !value.is_null()) {
            log.write("session", "main", &[slot], Op::Update, value);
        }
    }
    log.facts().finish = text(info, "exit_status").map(str::to_owned);
    let Some(stats) = info.get("model_stats") else { return };
    let number = |key: &str| stats.get(key).and_then(Value::as_number);
    let usage = Usage {
        input: number("tokens_sent").and_then(|n| n.parse().ok()),
        output: number("tokens_received").and_then(|n| n.parse().ok()),
        cost: number("instance_cost").and_then(|n| n.parse().ok()),
        ..Usage::default()
    };
    // Sums of the run: no turn.
    log.beyond(&usage);
}

/// The tool of a command: one of SWE-agent's own, else the shell.
fn tool(action: &Value<'_>) -> &'static str {
    let first = action.as_str().and_then(|text| text.split_whitespace().next()).unwrap_or_default();
    SWE_AGENT_COMMANDS.iter().find(|command| **command == first).copied().unwrap_or("bash")
}

fn result<'v>(observation: &'v Value<'v>, beside: &[&'v Value<'v>]) -> ToolResult<'v> {
    let seconds = beside.iter().find_map(|value| value.as_number()?.parse::<f64>().ok());
    let state = beside.iter().find(|value| value.as_number().is_none());
    let member = |key: &str| match state?.as_str() {
        Some(text) => {
            json::parse(text.trim()).ok()?.get(key)?.as_str().map(|found_text| Cow::Owned(found_text.to_owned()))
        }
        None => state?.get(key)?.as_str().map(Cow::Borrowed),
    };
    ToolResult {
        text: observation.as_str().map(Cow::Borrowed).unwrap_or_default(),
        ms: seconds.filter(|s| s.is_finite() && *s >= 0.0).map(|s| cast::f64_to_u64((s * 1000.0).round())),
        cwd: member("working_dir"),
        open_file: member("open_file"),
        ..ToolResult::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::log::tests::{damage, report_of};
    use super::*;
    use crate::format::Format;
    use crate::model::RunFacts;

    fn facts_of(text: &str) -> RunFacts {
        report_of(SWE_AGENT.run(), &SWE_AGENT, text).facts()
    }

    #[test]
    fn messages_then_thought_action_and_observation_of_each_item() {
        let report = report_of(SWE_AGENT.run(), &SWE_AGENT, TRAJECTORY);
        let kinds = ["message", "message", "message", "tool-call", "tool-result", "tool-call", "tool-result"];
        assert_eq!(report.kinds, kinds);
        assert_eq!(report.roles[..4], ["system", "user", "agent", "agent"]);
        assert_eq!(report.tools[3..], ["bash", "bash", "submit", "submit"]);
        assert_eq!(report.answers[4..], [Some(3), None, Some(5)]);
        assert_eq!(report.value("/environment/main/working_dir"), "\"/w\"");
        assert_eq!(report.value("/session/main/exit_status"), "\"submitted\"");
        assert_eq!(report.value("/shell/main/ms"), "250");
        assert_eq!(report.value("/usage/main/cost"), "0.25");
    }

    #[test]
    fn the_run_is_of_the_instance_and_the_model_that_its_configuration_names() {
        let config = r#"{"problem_statement":{"id":"a__b-1"},"agent":{"model":{"name":"m"}}}"#;
        let facts = |config: &str| {
            let text = TRAJECTORY.replacen('{', &format!("{{\"replay_config\":{config},"), 1);
            let facts = facts_of(&text);
            (facts.task, facts.model, facts.finish, facts.agent)
        };
        let name = |name: &str| Some(name.to_owned());
        for config in [config.to_owned(), json::quote(config)] {
            assert_eq!(facts(&config), (name("a__b-1"), name("m"), name("submitted"), None));
        }
        let replayed = config.replace("\"m\"", "\"replay\"");
        assert_eq!(facts(&replayed).1, None);
        let named = TRAJECTORY.replace("swe_main", "a__b-2");
        assert_eq!(facts_of(&named).task, name("a__b-2"));
        assert_eq!(facts_of(TRAJECTORY).task, None);
    }

    #[test]
    fn states_as_text_demonstrations_and_empty_items() {
        let old =
            r#"{"trajectory":[{"thought":"","action":"","observation":"","state":"{\"working_dir\":\"/x\"}\n"}]}"#;
        let seen = report_of(SWE_AGENT.run(), &SWE_AGENT, old);
        assert_eq!(seen.kinds, ["message"]);
        assert_eq!(seen.value("/environment/main/working_dir"), "\"/x\"");
        let demo = r#"{"history":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}"#;
        assert_eq!(report_of(SWE_AGENT.run(), &SWE_AGENT, demo).roles, ["user", "agent"]);
    }

    #[test]
    fn a_command_without_observation_takes_no_other_ones_result() {
        let text = r#"{"environment":"swe_main","trajectory":[
            {"thought":"","action":"ls","observation":null,"state":{}},
            {"thought":"","action":"cat a.py","observation":"x = 1","state":{}},
            {"thought":"","action":"pwd","state":{}},
            {"thought":"","action":"cat b.py","observation":"y = 2","state":{}}]}"#;
        let report = report_of(SWE_AGENT.run(), &SWE_AGENT, text);
        let kinds = ["tool-call", "tool-call", "tool-result", "tool-call", "tool-call", "tool-result"];
        assert_eq!(report.kinds, kinds);
        assert_eq!((report.answers[2], report.answers[5]), (Some(1), Some(4)));
        assert_eq!(report.value("/shell/main/command"), "\"cat b.py\"");
        assert_eq!(report.value("/call/main/open"), "[0,3]");
    }

    #[test]
    fn reasoning_of_the_history_is_with_the_thought_or_the_action() {
        let text = r#"{"trajectory":[
            {"thought":"I look.","action":"ls","observation":"a.py","state":{}},
            {"thought":"","action":"pwd","observation":"/w","state":{}},
            {"thought":"","action":"submit","observation":"","state":{}}],
            "history":[{"role":"user","content":"Fix it."},
            {"role":"assistant","content":"I look.","action":"ls",
                "thinking_blocks":[{"type":"thinking","thinking":"What is there?","signature":"s"},
                {"type":"redacted_thinking","data":"x"}]},
            {"role":"assistant","content":"again","action":"lost"},
            {"role":"assistant","content":"","action":"pwd","reasoning_content":"Where am I?"},
            {"role":"assistant","content":"","action":"submit","thinking_blocks":null}]}"#;
        let report = report_of(SWE_AGENT.run(), &SWE_AGENT, text);
        let kinds =
            ["message", "message", "tool-call", "tool-result", "tool-call", "tool-result", "tool-call", "tool-result"];
        assert_eq!(report.kinds, kinds);
        assert_eq!(report.summaries[1], "What is there? · I look.");
        assert_eq!(report.summaries[2], "bash ls");
        assert_eq!(report.summaries[4], "Where am I? · bash pwd");
        assert_eq!(report.summaries[6], "submit submit");
    }

    #[test]
    fn an_item_of_nothing_is_a_step() {
        let text = r#"{"trajectory":[{"action":"","observation":"","state":{}},
            {"thought":" ","action":"","observation":"Timed out.","state":{}}]}"#;
        assert_eq!(report_of(SWE_AGENT.run(), &SWE_AGENT, text).kinds, ["message", "message", "tool-result"]);
    }

    #[test]
    fn damaged_trajectories_never_panic() {
        damage(&SWE_AGENT, &[TRAJECTORY]);
    }
}
