//! Steps of agents of smolagents: what `agent.memory.get_full_steps()` gives, and results of runs (`FORMATS.md` 14).

use super::Framing;
use super::log::{
    Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Lists, Log, LogRun, Row, first, form, items, model_usage, text,
    text_of,
};
use crate::json::Value;
use crate::model::{Attachment, StepRole, ToolResult, Turn, TurnPart};
use std::borrow::Cow;

/// Steps of smolagents.
pub(super) static SMOLAGENTS: Row = Row {
    name: "smolagents",
    title: "smolagents steps",
    about: "The memory of an agent of smolagents as JSON (`memory.get_full_steps()`, `get_succinct_steps()`): an \
            array or lines of tasks, plans and steps with a `step_number`; or the results of runs, whose `steps` they \
            are, each a trajectory. What the model wrote, each call and what was observed are steps; a step that \
            failed says so, with the calls that the model wrote. State: usage.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Steps::default())),
    has_trajectories: true,
    samples: &[MEMORY],
    ..Row::BASE
};

/// A task, a call and the end.
const MEMORY: &str = concat!(
    r#"[{"task":"list it","task_images":null},"#,
    "\n",
    r#"{"step_number":1,"timing":{"start_time":10.5,"end_time":11.5,"duration":1.0},"#,
    r#""model_input_messages":[{"role":"system","content":[{"type":"text","text":"You help."}]}],"#,
    r#""tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":{"path":"x"}}}],"error":null,"#,
    r#""model_output":"I look.","code_action":null,"observations":"a.txt","action_output":null,"#,
    r#""token_usage":{"input_tokens":9,"output_tokens":4},"is_final_answer":false},"#,
    "\n",
    r#"{"step_number":2,"timing":{"start_time":12.5,"end_time":13.5,"duration":1.0},"tool_calls":[],"#,
    r#""error":{"type":"AgentToolExecutionError","message":"no such file"},"#,
    r#""model_output_message":{"role":"assistant","content":"So.","tool_calls":[{"id":"b","type":"function","#,
    r#""function":{"name":"cat","arguments":{"path":"b"}}}]},"model_output":"So.","observations":null,"#,
    r#""action_output":null,"token_usage":{"input_tokens":20,"output_tokens":5},"is_final_answer":false}]"#,
);

/// A task with its pictures, and a text.
const TASK: Form = FIRST_ADAPTER_FORM;
const WORDS: Form = FIRST_ADAPTER_FORM + 1;
/// What was observed, of a step, and the call that it answers.
const OBSERVED: Form = FIRST_ADAPTER_FORM + 2;

/// Reads steps, and results of runs.
#[derive(Default)]
struct Steps {
    runs: Lists,
    /// Whether the system prompt was given.
    has_prompt: bool,
}

impl Adapter for Steps {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let list = record.as_array().or_else(|| record.get("steps")?.as_array());
        let Some(steps) = list.filter(|_| record.get("step_number").is_none()) else {
            return self.step(record, log);
        };
        self.has_prompt = false;
        self.runs.begin(text(record, "id"), log);
        steps.iter().for_each(|step| self.step(step, log));
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        match form {
            TASK => {
                let pictures = items(value, "task_images").iter().map(|picture| {
                    let bytes = picture.text.len() as u64;
                    TurnPart::Attachment(Attachment { media_type: "image".into(), location: None, bytes })
                });
                let words = value.get("task").map(text_of).unwrap_or_default();
                Turn::of(StepRole::User, std::iter::once(TurnPart::Text(words)).chain(pictures).collect())
            }
            WORDS => Turn::of(StepRole::Unknown, vec![TurnPart::Text(text_of(value))]),
            OBSERVED => Turn::answer(observed(value, values.get(1).copied()), None),
            _ => super::log::show(form, values),
        }
    }

    fn takes_lists(&self) -> bool {
        true
    }

    fn restart(&mut self) {
        *self = Self::default();
    }
}

impl Steps {
    fn step(&mut self, step: &Value<'_>, log: &mut Log<'_>) {
        let words = |role, class| Draft { role, class: Some(class), ..Draft::of(Kind::Message, WORDS, &[]) };
        if step.get("task").is_some_and(|task| task.as_str().is_some()) {
            log.step(&Draft { values: &[step], form: TASK, ..words(StepRole::User, "task") });
            return;
        }
        let prompt = first(step, &["system_prompt"]).or_else(|| {
            let first = items(step, "model_input_messages").first()?;
            first.get("content").filter(|_| text(first, "role") == Some("system"))
        });
        if let Some(prompt) = prompt.filter(|_| !self.has_prompt) {
            self.has_prompt = true;
            log.step(&Draft { values: &[prompt], ..words(StepRole::System, "system_prompt") });
        }
        if step.get("step_number").is_some() {
            return act(step, log);
        }
        let usage = first(step, &["token_usage"]).map(model_usage);
        if let Some(plan) = first(step, &["plan"]) {
            let time = first(step, &["timing"]).and_then(|timing| timing.get("start_time"));
            let tokens = usage.as_ref().and_then(|usage| usage.output);
            log.step(&Draft { values: &[plan], time, tokens, ..words(StepRole::Agent, "plan") });
        } else if prompt.is_none() {
            let draft = Draft::of(Kind::State, form::STATE, &[]);
            log.step(&Draft { values: &[step], ..draft });
        }
        if let Some(usage) = usage {
            log.usage(None, &usage);
        }
    }
}

/// What the model wrote in a step, its calls, and what was observed.
fn act(step: &Value<'_>, log: &mut Log<'_>) {
    let usage = first(step, &["token_usage"]).map(model_usage);
    let timing = step.get("timing");
    let time = |name: &str| timing.and_then(|timing| first(timing, &[name]));
    let mut tokens = usage.as_ref().and_then(|usage| usage.output);
    let written = first(step, &["model_output"]).filter(|words| words.text.len() > 2);
    if let Some(words) = written {
        log.step(&Draft {
            values: &[words],
            role: StepRole::Agent,
            time: time("start_time"),
            tokens: tokens.take(),
            ..Draft::of(Kind::Message, WORDS, &[])
        });
    }
    let calls = calls(step);
    for call in calls {
        log.step(&Draft {
            values: &[call],
            role: StepRole::Agent,
            time: time("start_time"),
            tokens: tokens.take(),
            ..Draft::of(Kind::Call, form::CALL, &[])
        });
    }
    if first(step, &["observations", "error", "action_output"]).is_some() || written.is_none() {
        // What several calls gave is one text.
        let values = [Some(step), calls.first().filter(|_| calls.len() == 1)];
        let values: Vec<&Value<'_>> = values.into_iter().flatten().collect();
        log.step(&Draft {
            values: &values,
            role: StepRole::Environment,
            time: time("end_time"),
            ..Draft::of(Kind::Result, OBSERVED, &[])
        });
    }
    if let Some(usage) = usage {
        log.usage(None, &usage);
    }
}

/// The calls of a step; of one that failed those that the model wrote.
fn calls<'v, 'a>(step: &'v Value<'a>) -> &'v [Value<'a>] {
    let listed = items(step, "tool_calls");
    let written = || first(step, &["model_output_message"]).map(|message| items(message, "tool_calls"));
    if listed.is_empty() { written().unwrap_or_default() } else { listed }
}

/// What was observed in a step, or why it failed.
fn observed<'v>(step: &'v Value<'v>, call: Option<&'v Value<'v>>) -> ToolResult<'v> {
    let error = first(step, &["error"]);
    let why = error.map(|error| first(error, &["message"]).map_or_else(|| text_of(error), text_of));
    let seen = first(step, &["observations"]).map(text_of).filter(|seen| !seen.is_empty());
    let output = || first(step, &["action_output"]).map(text_of);
    let words = match (seen, why) {
        (Some(seen), Some(why)) => Cow::Owned(format!("{seen}\n{why}")),
        (seen, why) => seen.or(why).or_else(output).unwrap_or_default(),
    };
    ToolResult {
        id: call.and_then(|call| text(call, "id")).map(Cow::Borrowed),
        text: words,
        is_error: Some(error.is_some()),
        ..ToolResult::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::log::testing::{lines, run_of_record, state, steps};
    use crate::format::log::tests::damage;

    const STEPS: [&str; 8] = [
        "message user: list it",
        "message system: You help.",
        "message agent: I look.",
        "tool-call agent: ls x",
        "tool-result environment: a.txt (of 3)",
        "message agent: So.",
        "tool-call agent: cat b",
        "tool-result environment: no such file (of 6)",
    ];

    #[test]
    fn steps_are_words_calls_and_observations_and_a_failed_one_keeps_its_call() {
        let parsed = lines(&SMOLAGENTS, &MEMORY.trim_matches(['[', ']']).replace("},\n{", "}\n{"));
        assert_eq!(steps(&parsed), STEPS);
        assert_eq!(parsed.0.error_steps(), [7]);
        assert_eq!(state(&parsed, "usage", 7), r#"{"main":{"input":29,"output":9,"turns":2}}"#);
        assert_eq!(parsed.0.step(4, &parsed.1).time.as_deref(), Some("11.5"));
    }

    #[test]
    fn the_result_of_a_run_has_its_steps_and_its_tokens_once() {
        let result = format!(
            r#"{{"output":"x","state":"success","steps":{},"token_usage":{{"input_tokens":29,"output_tokens":9}}}}"#,
            MEMORY.replace('\n', "")
        );
        let parsed = lines(&SMOLAGENTS, &format!("{result}\n{result}"));
        assert_eq!((parsed.0.trajectory_count(), steps(&parsed).len()), (2, 16));
        assert_eq!(state(&parsed, "usage", 7), r#"{"main":{"input":29,"output":9,"turns":2}}"#);
    }

    #[test]
    fn plans_are_words_of_the_agent_and_what_several_calls_gave_is_one_result() {
        let call = |id: &str| format!(r#"{{"id":"{id}","function":{{"name":"ls","arguments":"{id}"}}}}"#);
        let both = [call("a"), call("b")].join(",");
        let list = format!(
            r#"[{{"plan":"first look","timing":{{"start_time":1.5}},
            "token_usage":{{"input_tokens":1,"output_tokens":2}}}},
            {{"step_number":1,"timing":{{}},"tool_calls":[{both}],"observations":"1\n2","action_output":null}},
            {{"x":1}}]"#
        );
        let parsed = run_of_record(&SMOLAGENTS, &list);
        let expected = [
            "message agent: first look",
            "tool-call agent: ls a",
            "tool-call agent: ls b",
            "tool-result environment: 1\n2 (of 1)",
        ];
        assert_eq!(steps(&parsed)[..4], expected);
        assert_eq!(steps(&parsed).len(), 5);
    }

    #[test]
    fn damaged_steps_never_panic() {
        damage(&SMOLAGENTS, &[MEMORY]);
    }
}
