//! Rollouts of verifiers and prime-rl: rows of `results.jsonl`, and episodes with traces (`FORMATS.md` 13).

use super::log::{Adapter, Blocks, Draft, Form, Kind, Log, LogRun, first, form, model_usage};
use super::run_survey::RunSurvey;
use super::{Format, Framing, Layout, Match, Purpose, Run, Survey, signature};
use crate::json::{self, Value};
use crate::model::{Severity, StepNo, StepRole, Surroundings, Turn, Usage};
use crate::state::Op;
use memchr::memmem;
use std::borrow::Cow;

/// The format.
pub(super) struct Verifiers;

/// A row of results.
const RESULT: &str = concat!(
    r#"{"id":0,"prompt":[{"role":"user","content":"2+2?"}],"completion":[{"role":"assistant","content":"","#,
    r#""tool_calls":["{\"id\":\"c\",\"function\":{\"name\":\"calc\",\"arguments\":\"{}\"}}"]},"#,
    r#"{"role":"tool","tool_call_id":"c","content":"4"},{"role":"assistant","content":"4"}],"task":"math","#,
    r#""reward":1.0,"judge_reward":0.5,"info":{"level":1}}"#,
    "\n",
);

/// An episode with one trace, whose second answer is another attempt.
const EPISODE: &str = concat!(
    r#"{"id":"e","task":{"key":"7"},"ok":true,"traces":[{"id":"t","agent":{"name":"solver","config":{"model":"m"}},"#,
    r#""nodes":[{"parent":null,"message":{"role":"user","content":"2+2?"},"sampled":false,"timestamp":10.5},"#,
    r#"{"parent":0,"message":{"role":"assistant","content":"4"},"sampled":true,"timestamp":11.5},"#,
    r#"{"parent":0,"message":{"role":"assistant","content":"5"},"sampled":true,"timestamp":12.5}],"#,
    r#""calls":[{"node":1,"model":"m","usage":{"prompt_tokens":10,"completion_tokens":5}}],"#,
    r#""rewards":{"correct":{"score":0.5,"weight":2.0}},"metrics":{"turns":2.0},"info":{}}]}"#,
    "\n",
);

/// A trace alone, as verifiers 0.2 wrote one a line.
const TRACE: &str = concat!(
    r#"{"id":"t","task":{"type":"Sums","data":{"idx":7,"prompt":"2+2?"}},"agent":{"model":"m"},"#,
    r#""nodes":[{"message":{"role":"user","content":"2+2?"},"sampled":false,"timestamp":10.5},"#,
    r#"{"parent":0,"message":{"role":"assistant","content":"4"},"sampled":true,"timestamp":11.5}],"#,
    r#""calls":[{"node":1,"model":"m","usage":{"prompt_tokens":10,"completion_tokens":5}}],"#,
    r#""rewards":{"correct":0.5,"short":0.25},"metrics":{"turns":2.0},"info":{},"errors":[]}"#,
    "\n",
);

impl Format for Verifiers {
    fn name(&self) -> &'static str {
        "verifiers"
    }

    fn title(&self) -> &'static str {
        "verifiers rollouts"
    }

    fn about(&self) -> &'static str {
        "Rollouts of verifiers and prime-rl: rows with `prompt`, `completion` and `reward`, one episode a line with \
         `traces` whose `nodes` are a tree of messages, or one such trace a line. Each row is a trajectory, and each \
         trace of an episode, which has the name of its agent; the way to the last leaf of a tree is its main line. \
         State: rewards, metrics, task, info, branches of the tree."
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

    fn has_trajectories(&self) -> bool {
        true
    }

    fn trajectories_in(&self, text: &[u8]) -> usize {
        if memmem::find(text, b"\"traces\"").is_none() {
            return 1;
        }
        let root = std::str::from_utf8(text).ok().and_then(|text| json::parse(text).ok());
        root.and_then(|root| Some(root.get("traces")?.as_array()?.len())).unwrap_or(1).max(1)
    }

    fn survey(&self, purpose: Purpose) -> Option<Box<dyn Survey>> {
        RunSurvey::of(purpose, self.name(), run)
    }

    fn run(&self) -> Box<dyn Run> {
        run()
    }

    fn samples(&self) -> &'static [&'static str] {
        &[RESULT, EPISODE, TRACE]
    }
}

fn run() -> Box<dyn Run> {
    Box::new(LogRun::new(Rollouts))
}

fn text<'v>(value: &'v Value<'v>, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// Members of a row that are its conversation, or written elsewhere.
const NO_SCORES: [&str; 4] = ["prompt", "completion", "id", "example_id"];

/// Members of a row that its state has as they are.
const RESULT_SLOTS: [&str; 7] = ["task", "info", "answer", "id", "example_id", "stop_condition", "is_truncated"];

/// Reads a row or an episode.
struct Rollouts;

impl Adapter for Rollouts {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        match record.get("traces").and_then(Value::as_array) {
            Some(traces) => episode(record, traces, log),
            // A row may have a column of that name.
            None if record.get("completion").is_none() && record.get("nodes").is_some_and(is_list) => {
                lone_trace(record, log);
            }
            None => row(record, log),
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        super::log::show(form, values)
    }
}

fn row(row: &Value<'_>, log: &mut Log<'_>) {
    title(row, log);
    write_members(row, ["session", "main"], &RESULT_SLOTS, log);
    log.declare_tools(first(row, &["tool_defs", "oai_tools"]));
    for (name, role) in [("prompt", StepRole::User), ("completion", StepRole::Agent)] {
        add_messages(row.get(name), role, log);
    }
    let reward = row.get("reward").and_then(|reward| reward.as_number().or_else(|| reward.as_str()));
    if let Some(reward) = reward.filter(|reward| reward.parse::<f64>().is_ok()) {
        reward_of_last(reward, log);
    }
    if let Some(tokens) = row.get("token_usage") {
        log.beyond(&row_usage(tokens));
    }
    if let Some(message) = row.get("error").and_then(error_text) {
        log.finding(None, "run.error", Severity::Warning, message);
    }
    for (name, value) in row.as_object().into_iter().flat_map(|row| row.entries()) {
        let is_score = value.as_number().is_some() && !NO_SCORES.contains(&name) && !name.ends_with("_ms");
        if is_score {
            log.write("reward", "main", &[name], Op::Update, value);
        }
    }
}

/// The tokens of a row, of all its answers together; the counts are written with a point (`20.0`).
fn row_usage(tokens: &Value<'_>) -> Usage {
    let whole = |number: &str| number.split('.').next().and_then(|digits| digits.parse().ok());
    let count = |key: &str| tokens.get(key).and_then(Value::as_number).and_then(whole);
    Usage { input: count("input_tokens"), output: count("output_tokens"), ..Usage::default() }
}

/// What ended a rollout that its environment did not end: its words, or the chain of what failed. Its reward says
/// nothing of the model.
fn error_text(error: &Value<'_>) -> Option<String> {
    let named = ["error_chain_str", "error"].iter().find_map(|name| text(error, name));
    let message = named.or_else(|| error.as_str()).map(str::to_owned);
    let message = message.or_else(|| error.as_object().map(|_| json::compact(error)))?;
    Some(message).filter(|message| !message.trim().is_empty())
}

fn title(row: &Value<'_>, log: &mut Log<'_>) {
    let id = ["example_id", "id"].iter().find_map(|key| row.get(key)).map(|id| id.as_str().unwrap_or(id.text));
    let words: Vec<&str> = [text(row, "task"), id].into_iter().flatten().collect();
    if !words.is_empty() {
        log.title(&words.join(" "));
    }
}

/// Messages, or one as text.
fn add_messages(value: Option<&Value<'_>>, role: StepRole, log: &mut Log<'_>) {
    let Some(value) = value else { return };
    match value.as_array() {
        Some(messages) => messages.iter().for_each(|message| {
            Blocks { class: text(message, "role"), ..Blocks::of(message) }.add_steps(log);
        }),
        None if value.as_str().is_some() => {
            let values = [value];
            log.step(&Draft { role, ..Draft::of(Kind::Message, form::MESSAGE, &values) });
        }
        None => {}
    }
}

fn reward_of_last(number: &str, log: &mut Log<'_>) {
    let last = log.next_step() - 1;
    if last >= 0 {
        log.reward(last, number);
    }
}

/// Writes the members that say something.
fn write_members(holder: &Value<'_>, [kind, instance]: [&str; 2], slots: &[&str], log: &mut Log<'_>) {
    for slot in slots {
        if let Some(value) = holder.get(slot).filter(|value| !value.is_null()) {
            log.write(kind, instance, &[*slot], Op::Update, value);
        }
    }
}

/// One episode: a trace for each agent.
fn episode(episode: &Value<'_>, traces: &[Value<'_>], log: &mut Log<'_>) {
    title(episode, log);
    if let Some(key) = episode.get("task").and_then(|task| text(task, "key")) {
        log.title(key);
    }
    write_members(episode, ["session", "main"], &["task", "env", "ok", "group"], log);
    for (place, trace) in traces.iter().enumerate() {
        let agent = agent_of(trace);
        let number = place.to_string();
        let name = agent.or_else(|| text(trace, "id")).filter(|_| traces.len() > 1).unwrap_or(&number);
        if traces.len() > 1 {
            log.trajectory(place);
            log.begin_agent(name);
        }
        read_trace(trace, if traces.len() > 1 { name } else { agent.unwrap_or("main") }, log);
    }
    report_errors(episode, None, log);
}

/// What ended an episode, a trace or an attempt at one.
fn report_errors(holder: &Value<'_>, step: Option<StepNo>, log: &mut Log<'_>) {
    for error in holder.get("errors").and_then(Value::as_array).unwrap_or_default() {
        let message = error.as_str().map_or_else(|| json::compact(error), str::to_owned);
        log.finding(step, "run.error", Severity::Warning, message);
    }
}

fn is_list(value: &Value<'_>) -> bool {
    value.as_array().is_some()
}

/// A trace that no episode holds.
fn lone_trace(trace: &Value<'_>, log: &mut Log<'_>) {
    title(trace, log);
    let task = trace.get("task");
    if let Some(key) = task.and_then(|task| text(task, "key").or_else(|| text(task.get("data")?, "name"))) {
        log.title(key);
    }
    write_members(trace, ["session", "main"], &["task", "run", "stop_condition"], log);
    read_trace(trace, agent_of(trace).unwrap_or("main"), log);
}

/// The name of the agent that a trace is of.
fn agent_of<'v>(trace: &'v Value<'v>) -> Option<&'v str> {
    let agent = trace.get("agent")?;
    text(agent, "name").or_else(|| agent.as_str())
}

fn read_trace(trace: &Value<'_>, name: &str, log: &mut Log<'_>) {
    let agent = trace.get("agent");
    let model = agent
        .and_then(|agent| text(agent.get("config").filter(|config| !config.is_null()).unwrap_or(agent), "model"))
        .map(Cow::Borrowed);
    log.surroundings(&Surroundings { model, ..Surroundings::default() });
    log.declare_tools(trace.get("tools"));
    let calls = trace.get("calls").and_then(Value::as_array).unwrap_or_default();
    let nodes = trace.get("nodes").and_then(Value::as_array).unwrap_or_default();
    let node_of = |call: &Value<'_>| call.get("node")?.as_number()?.parse::<usize>().ok();
    let main = main_line(nodes);
    for (number, node) in nodes.iter().enumerate() {
        let first = log.next_step();
        read_node(number, name, node, log);
        if main.get(number) == Some(&false) {
            (first..log.next_step()).for_each(|step| log.leave(step));
        }
        let usages = calls.iter().filter(|call| node_of(call) == Some(number)).filter_map(|call| call.get("usage"));
        usages.for_each(|usage| log.usage(None, &model_usage(usage)));
    }
    let elsewhere = |call: &&Value<'_>| node_of(call).is_none_or(|node| node >= nodes.len());
    for usage in calls.iter().filter(elsewhere).filter_map(|call| call.get("usage")) {
        log.usage(None, &model_usage(usage));
    }
    trace.get("extra_usage").into_iter().for_each(|extra| add_extra_usage(extra, log));
    end(trace, name, log);
}

/// What others than the agent cost, as judges: of one, of several, or of each by its name.
fn add_extra_usage(extra: &Value<'_>, log: &mut Log<'_>) {
    let usage = model_usage(extra.get("usage").unwrap_or(extra));
    if usage != Usage::default() {
        return log.usage(None, &usage);
    }
    let named = extra.as_object().into_iter().flat_map(|all| all.entries()).map(|(_, value)| value);
    named.chain(extra.as_array().unwrap_or_default()).for_each(|value| add_extra_usage(value, log));
}

/// The node that a node follows. A parent that is not before it is none.
fn parent_of(number: usize, node: &Value<'_>) -> Option<usize> {
    node.get("parent")?.as_number()?.parse::<usize>().ok().filter(|parent| *parent < number)
}

/// Of each node whether it is on the way to the last leaf of its tree. A trace has several trees where its history was
/// rewritten.
fn main_line(nodes: &[Value<'_>]) -> Vec<bool> {
    let parents: Vec<Option<usize>> = nodes.iter().enumerate().map(|(number, node)| parent_of(number, node)).collect();
    let (mut main, mut roots) = (vec![false; nodes.len()], vec![0; nodes.len()]);
    for (number, parent) in parents.iter().enumerate() {
        roots[number] = parent.map_or(number, |parent| roots[parent]);
    }
    let mut has_line = vec![false; nodes.len()];
    for last in (0..nodes.len()).rev() {
        if !std::mem::replace(&mut has_line[roots[last]], true) {
            std::iter::successors(Some(last), |number| parents[*number]).for_each(|number| main[number] = true);
        }
    }
    main
}

/// A message of the tree. One whose parent is not the node before begins another attempt.
fn read_node(number: usize, trace: &str, node: &Value<'_>, log: &mut Log<'_>) {
    let Some(message) = node.get("message") else { return };
    let parent = parent_of(number, node);
    let first = log.next_step();
    Blocks { class: text(message, "role"), time: node.get("timestamp"), ..Blocks::of(message) }.add_steps(log);
    let is_branch = number > 0 && parent.is_none_or(|parent| parent + 1 != number);
    if is_branch && log.next_step() > first {
        let parent = node.get("parent").map_or("null", |parent| parent.text);
        let instance = if log.has_trajectories() { format!("{trace}.{number}") } else { number.to_string() };
        log.derive("branch", &instance, &["parent"], Op::Update, parent);
    }
}

/// What a trace was worth.
fn end(trace: &Value<'_>, agent: &str, log: &mut Log<'_>) {
    let rewards = trace.get("rewards").and_then(Value::as_object);
    let part = |reward: &Value<'_>| {
        let number = |key: &str| reward.get(key).and_then(Value::as_number).and_then(|n| n.parse::<f64>().ok());
        // Before there were weights, a reward was its number.
        let alone = || reward.as_number().and_then(|n| n.parse::<f64>().ok());
        number("score").map(|score| score * number("weight").unwrap_or(1.0)).or_else(alone)
    };
    let parts: Vec<f64> =
        rewards.into_iter().flat_map(|all| all.entries()).filter_map(|(_, reward)| part(reward)).collect();
    let sum: f64 = parts.iter().sum();
    if !parts.is_empty() && sum.is_finite() {
        reward_of_last(&sum.to_string(), log);
    }
    for slot in ["rewards", "metrics", "info"] {
        if let Some(value) = trace.get(slot).filter(|value| value.as_object().is_some()) {
            log.write("reward", agent, &[slot], Op::Update, value);
        }
    }
    write_members(trace, ["reward", agent], &["advantage", "advantages"], log);
    report_errors(trace, log.next_step().checked_sub(1).filter(|step| *step >= 0), log);
}

#[cfg(test)]
mod tests {
    use super::super::log::tests::{damage, report_of};
    use super::*;

    #[test]
    fn a_row_is_prompt_and_completion_with_its_rewards() {
        let report = report_of(run(), &Verifiers, RESULT);
        assert_eq!(report.kinds, ["message", "tool-call", "tool-result", "message"]);
        assert_eq!((report.tools[1].as_str(), report.answers[2]), ("calc", Some(1)));
        assert_eq!(report.rewards[3].as_deref(), Some("1.0"));
        assert_eq!(report.value("/reward/main/judge_reward"), "0.5");
        assert_eq!(report.value("/session/main/info"), "{\"level\":1}");
        assert_eq!(report.title.as_deref(), Some("math 0"));
    }

    #[test]
    fn a_row_says_what_all_its_answers_cost() {
        let more = r#"{"tool_defs":[{"name":"calc","parameters":{"type":"object"}}],"stop_condition":"done",
            "token_usage":{"input_tokens":20.0,"output_tokens":6.0,"final_input_tokens":7},"#;
        let text = RESULT.replacen('{', &more.replace('\n', ""), 1);
        let report = report_of(run(), &Verifiers, &text);
        assert_eq!(["input", "output"].map(|slot| report.value(&format!("/usage/main/{slot}"))), ["20", "6"]);
        assert_eq!(report.value("/session/main/stop_condition"), "\"done\"");
    }

    #[test]
    fn texts_are_messages_too() {
        let report = report_of(run(), &Verifiers, r#"{"prompt":"2+2?","completion":"4","reward":0}"#);
        assert_eq!((report.kinds.len(), report.roles.as_slice()), (2, &["user", "agent"][..]));
        let quoted = report_of(run(), &Verifiers, r#"{"prompt":"2+2?","completion":"4","reward":"0.5"}"#);
        assert_eq!(quoted.rewards[1].as_deref(), Some("0.5"));
    }

    #[test]
    fn an_episode_is_its_traces_and_their_attempts() {
        let report = report_of(run(), &Verifiers, EPISODE);
        assert_eq!(report.roles, ["user", "agent", "agent"]);
        assert_eq!(report.rewards[2].as_deref(), Some("1"));
        assert_eq!(report.value("/branch/2/parent"), "0");
        assert_eq!(report.value("/reward/solver/metrics/turns"), "2.0");
        assert_eq!(report.value("/usage/main/output"), "5");
    }

    #[test]
    fn a_row_with_a_column_of_nodes_is_a_row() {
        let report = report_of(run(), &Verifiers, &RESULT.replacen('{', r#"{"nodes":[],"#, 1));
        assert_eq!(report.roles, report_of(run(), &Verifiers, RESULT).roles);
    }

    #[test]
    fn a_trace_alone_is_a_rollout_and_says_what_ended_it() {
        let report = report_of(run(), &Verifiers, TRACE);
        assert_eq!(report.roles, ["user", "agent"]);
        assert_eq!(report.rewards[1].as_deref(), Some("0.75"));
        assert_eq!(report.value("/reward/main/rewards/correct"), "0.5");
        assert_eq!([report.value("/run/main/model"), report.value("/usage/main/output")], ["\"m\"", "5"]);
        assert!(report.rules().is_empty());
        let failed = TRACE.replace(r#""errors":[]"#, r#""errors":[{"type":"SandboxError","message":"gone"}]"#);
        assert_eq!(report_of(run(), &Verifiers, &failed).rules(), ["run.error"]);
        let in_episode = format!(r#"{{"id":"e","traces":[{failed}]}}"#);
        assert_eq!(report_of(run(), &Verifiers, &in_episode).rules(), ["run.error"]);
    }

    #[test]
    fn each_trace_is_a_trajectory_and_what_is_beside_the_last_leaf_was_left() {
        let trace = |agent: &str, reward: &str, nodes: &str| {
            format!(
                r#"{{"id":"t","agent":"{agent}","nodes":[{nodes}],"rewards":{{"win":{{"score":{reward},"weight":1}}}},
                "calls":[{{"usage":{{"prompt_tokens":5,"completion_tokens":2}}}}]}}"#
            )
        };
        let node = |parent: &str, role: &str, text: &str| {
            format!(r#"{{"parent":{parent},"message":{{"role":"{role}","content":"{text}"}}}}"#)
        };
        let duel = [
            trace(
                "ann",
                "1.0",
                &[node("null", "user", "a"), node("0", "assistant", "b"), node("0", "assistant", "c")].join(","),
            ),
            trace("bob", "0.0", &node("null", "user", "d")),
        ];
        let text = format!(r#"{{"id":"e","traces":[{}]}}"#, duel.join(","));
        let report = report_of(run(), &Verifiers, &text);
        assert_eq!(report.standings(), ["main", "abandoned", "main", "main"]);
        assert_eq!(report.trajectories(), ["ann", "ann", "ann", "bob"].map(|name| Some(name.to_owned())));
        assert_eq!(report.value("/reward/ann/rewards/win/score"), "1.0");
        let models = text.replace(r#""agent":"ann""#, r#""agent":{"name":"ann","config":{"model":"m"}}"#);
        let models =
            models.replace(r#""agent":"bob""#, r#""agent":{"name":"bob","config":{"model":"n"}},"advantage":0.5"#);
        let of_models = report_of(run(), &Verifiers, &models);
        assert_eq!(of_models.value("/run/main/model"), "\"n\"");
        assert_eq!(of_models.author("/run/main/model"), Some(3), "the first step of the second trace");
        assert_eq!(of_models.value("/reward/bob/advantage"), "0.5");
        assert_eq!(report.value("/usage/main/input"), "10");
        assert_eq!((Verifiers.trajectories_in(text.as_bytes()), Verifiers.trajectories_in(b"{}")), (2, 1));
        assert_eq!((report.visible_steps(3), report.visible_steps(2)), (vec![3], vec![0, 2]));
    }

    #[test]
    fn what_judges_cost_comes_in_several_shapes() {
        let used = r#"{"prompt_tokens":10,"completion_tokens":3}"#;
        let shapes = [used.to_owned(), format!("[{used}]"), format!(r#"{{"judge":{{"usage":{used}}}}}"#)];
        for extra in shapes.iter().chain([&format!(r#"{{"judge":{used}}}"#)]) {
            let nodes = r#"{"parent":null,"message":{"role":"user","content":"a"}}"#;
            let text = format!(r#"{{"traces":[{{"nodes":[{nodes}],"extra_usage":{extra}}}]}}"#);
            let report = report_of(run(), &Verifiers, &text);
            assert_eq!(report.value("/usage/main/input"), "10", "{extra}");
            assert_eq!(report.value("/usage/main/output"), "3", "{extra}");
        }
    }

    #[test]
    fn damaged_rollouts_never_panic() {
        damage(&Verifiers, &[RESULT, EPISODE, TRACE]);
    }
}
