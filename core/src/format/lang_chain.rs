//! Messages of LangChain by themselves: as `messages_to_dict` and a chat history store them, as `dumpd` writes their
//! constructors, or with their members alone (`FORMATS.md` 14).

use super::Framing;
use super::log::{
    Adapter, Blocks, Draft, Form, Kind, Lists, Log, LogRun, Row, first, first_text, form, items, lang_chain_message,
    model_usage, text,
};
use crate::json::Value;
use crate::model::{StepRole, Surroundings, Turn};
use std::borrow::Cow;

/// Messages of LangChain.
pub(super) static LANG_CHAIN: Row = Row {
    name: "langchain",
    title: "LangChain messages",
    about: "Messages of LangChain: an array or lines of them as `messages_to_dict` and its chat histories store them \
            (`type`, `data`), as `dumpd` and `dumps` write their constructors (`lc`, `id`, `kwargs`), or with their \
            members alone (`model_dump`); or lines of such arrays and objects whose `messages` they are, such as the \
            answer of a graph, each a trajectory. State: model, usage.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Messages::default())),
    has_trajectories: true,
    samples: &[STORED, WRITTEN],
    ..Row::BASE
};

/// Messages as they are stored.
const STORED: &str = concat!(
    r#"[{"type":"human","data":{"content":"list it","type":"human","additional_kwargs":{}}},"#,
    "\n",
    r#"{"type":"ai","data":{"content":"I look.","type":"ai","additional_kwargs":{"reasoning_content":"A look."},"#,
    r#""response_metadata":{"model_name":"m"},"tool_calls":[{"name":"ls","args":{"path":"x"},"id":"c"}],"#,
    r#""usage_metadata":{"input_tokens":9,"output_tokens":4,"input_token_details":{"cache_read":3}}}},"#,
    "\n",
    r#"{"type":"tool","data":{"content":"no x","type":"tool","name":"ls","tool_call_id":"c","status":"error"}}]"#,
);

/// The same as constructors.
const WRITTEN: &str = concat!(
    r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"#,
    r#""kwargs":{"content":"list it","type":"human"}}"#,
    "\n",
    r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"#,
    r#""kwargs":{"content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"c","name":"ls","input":{}}],"#,
    r#""type":"ai","tool_calls":[{"name":"ls","args":{},"id":"c","type":"tool_call"}]}}"#,
    "\n",
    r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","ToolMessage"],"#,
    r#""kwargs":{"content":"a.txt","type":"tool","tool_call_id":"c","status":"success"}}"#,
    "\n",
);

/// Reads messages, and lists of them.
#[derive(Default)]
struct Messages {
    lists: Lists,
}

impl Adapter for Messages {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let holder = record.get("kwargs").filter(|kwargs| kwargs.get("messages").is_some()).unwrap_or(record);
        let list = record.as_array().or_else(|| holder.get("messages")?.as_array());
        let Some(messages) = list else { return message(record, log) };
        self.lists.begin(first_text(holder, &["id", "thread_id", "session_id"]), log);
        messages.iter().for_each(|one| message(one, log));
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        super::log::show(form, values)
    }

    fn takes_lists(&self) -> bool {
        true
    }

    fn restart(&mut self) {
        *self = Self::default();
    }
}

/// The steps of a message.
fn message(record: &Value<'_>, log: &mut Log<'_>) {
    let Some((role, message)) = lang_chain_message(record) else {
        let draft = Draft::of(Kind::State, form::STATE, &[]);
        log.step(&Draft { values: &[record], class: text(record, "type"), ..draft });
        return;
    };
    let more = first(message, &["additional_kwargs"]).unwrap_or(message);
    let metadata = first(message, &["response_metadata"]);
    let class = text(message, "type");
    let time = first(more, &["timestamp", "created_at"]).or_else(|| first(metadata?, &["created_at"]));
    if role == StepRole::Environment {
        let draft = Draft::of(Kind::Result, form::RESULT, &[]);
        log.step(&Draft { values: &[message], role, class, time, ..draft });
        return;
    }
    let usage = first(message, &["usage_metadata"]).or_else(|| first(metadata?, &["token_usage", "usage"]));
    let usage = usage.map(model_usage);
    let model = metadata.and_then(|metadata| first_text(metadata, &["model_name", "model", "model_id"]));
    log.surroundings(&Surroundings { model: model.map(Cow::Borrowed), ..Surroundings::default() });
    let draft = |kind, form| Draft { role, class, time, ..Draft::of(kind, form, &[]) };
    if let Some(thought) = first(more, &["reasoning_content"]).filter(|thought| thought.text.len() > 2) {
        log.step(&Draft { values: &[thought], ..draft(Kind::Thought, form::THOUGHT) });
    }
    let tokens = usage.as_ref().and_then(|usage| usage.output);
    let calls = other_calls(message, more);
    // A message that has nothing but such a call says nothing by itself.
    let is_empty = first(message, &["content"]).is_none_or(|content| content.text.len() <= 2);
    let says_nothing = is_empty && items(message, "tool_calls").is_empty() && !calls.is_empty();
    if !says_nothing {
        Blocks { role, class, time, tokens, ..Blocks::of(message) }.add_steps(log);
    }
    for (place, call) in calls.into_iter().enumerate() {
        let tokens = tokens.filter(|_| says_nothing && place == 0);
        log.step(&Draft { values: &[call], tokens, ..draft(Kind::Call, form::CALL) });
    }
    if let Some(usage) = usage {
        log.usage(None, &usage);
    }
}

/// Calls that a message does not list as its own: those whose arguments were no JSON, and those of old versions, which
/// are as the model's interface gave them.
fn other_calls<'v, 'a>(message: &'v Value<'a>, more: &'v Value<'a>) -> Vec<&'v Value<'a>> {
    let invalid = items(message, "invalid_tool_calls").iter();
    let is_listed = !items(message, "tool_calls").is_empty() || invalid.len() > 0;
    let given = items(more, "tool_calls").iter().chain(first(more, &["function_call"]));
    invalid.chain(given.filter(|_| !is_listed)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::log::testing::{lines, run_of_record, state, steps};
    use crate::format::log::tests::damage;

    #[test]
    fn stored_messages_are_thoughts_words_calls_and_results() {
        let parsed = lines(&LANG_CHAIN, &STORED.trim_matches(['[', ']']).replace("},\n{", "}\n{"));
        let expected = [
            "message user: list it",
            "thought agent: A look.",
            "message agent: I look.",
            "tool-call agent: ls x",
            "tool-result environment: no x (of 3)",
        ];
        assert_eq!(steps(&parsed), expected);
        assert_eq!(parsed.0.error_steps(), [4]);
        assert_eq!(state(&parsed, "usage", 4), r#"{"main":{"input":6,"output":4,"cache_read":3,"turns":1}}"#);
    }

    #[test]
    fn constructors_are_the_same_messages_and_a_call_in_two_spellings_is_one() {
        let expected = [
            "message user: list it",
            "message agent: I look.",
            "tool-call agent: ls",
            "tool-result environment: a.txt (of 2)",
        ];
        assert_eq!(steps(&lines(&LANG_CHAIN, WRITTEN.trim_end())), expected);
        let list = WRITTEN.trim_end().replace('\n', ",");
        let state = format!(r#"{{"id":"run","messages":[{list}]}}"#);
        let parsed = lines(&LANG_CHAIN, &format!("{state}\n[{list}]"));
        assert_eq!((parsed.0.trajectory_count(), steps(&parsed).len()), (2, 8));
        assert_eq!(parsed.0.step(0, &parsed.1).trajectory.as_deref(), Some("run"));
    }

    #[test]
    fn calls_that_a_message_does_not_list_as_its_own_are_calls() {
        let steps_of = |members: &str| {
            steps(&run_of_record(
                &LANG_CHAIN,
                &format!(r#"{{"type":"ai","content":"","additional_kwargs":{members}}}"#),
            ))
        };
        let old = r#"{"tool_calls":[{"id":"c","type":"function","function":{"name":"ls","arguments":"{}"}}]}"#;
        assert_eq!(steps_of(old), ["tool-call agent: ls"]);
        assert_eq!(steps_of(r#"{"function_call":{"name":"ls","arguments":"{}"}}"#), ["tool-call agent: ls"]);
        let invalid = r#"{},"tool_calls":[],"invalid_tool_calls":[{"name":"ls","args":"{x","id":"c","error":"e"}]"#;
        assert_eq!(steps_of(invalid), ["tool-call agent: ls {x"]);
        let both = format!(r#"{old},"tool_calls":[{{"name":"ls","args":{{}},"id":"c"}}]"#);
        assert_eq!(steps_of(&both), ["tool-call agent: ls"]);
        assert_eq!(steps_of("{}").len(), 1, "an empty message is a step");
    }

    #[test]
    fn damaged_messages_never_panic() {
        damage(&LANG_CHAIN, &[STORED, WRITTEN]);
    }
}
