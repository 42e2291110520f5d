//! Messages of libraries whose parts are under names of their own: the Agent Framework, Semantic Kernel, LlamaIndex
//! (`FORMATS.md` 14).

use super::Framing;
use super::log::{
    Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Lists, Log, LogRun, Row, call, count, first, first_text, form,
    items, model_usage, result, role_of, text, text_of,
};
use crate::json::Value;
use crate::model::{Attachment, StepRole, Surroundings, ToolResult, Turn, TurnPart, Usage};
use std::borrow::Cow;

/// Messages of the Microsoft Agent Framework.
pub(super) static AGENT_FRAMEWORK: Row = Row {
    name: "agent-framework",
    title: "Agent Framework messages",
    about: "Messages of the Microsoft Agent Framework, which have their parts in `contents`: an array or lines of them \
            as its history providers write them, a response, or a session with its `state`. Each thought, call and \
            result is a step, the words of a message together. State: model, usage.",
    ..row(&[FRAMEWORK, SESSION])
};

/// A chat history of Semantic Kernel.
pub(super) static SEMANTIC_KERNEL: Row = Row {
    name: "semantic-kernel",
    title: "Semantic Kernel history",
    about: "A `ChatHistory` of Semantic Kernel, as it is serialized in Python: an object whose `messages` have their \
            parts in `items`, or such messages. Steps and state as in messages of the Agent Framework.",
    ..row(&[KERNEL])
};

/// Chat messages of LlamaIndex.
pub(super) static LLAMA_INDEX: Row = Row {
    name: "llama-index",
    title: "LlamaIndex messages",
    about: "Chat messages of LlamaIndex, which have their parts in `blocks`: an array or lines of them, a chat store, \
            each list of which is a trajectory, or a memory with such a store. Steps and state as in messages of the \
            Agent Framework.",
    ..row(&[STORE])
};

const fn row(samples: &'static [&'static str]) -> Row {
    Row {
        framing: Framing::Elements,
        run: || Box::new(LogRun::new(Messages::default())),
        has_trajectories: true,
        samples,
        ..Row::BASE
    }
}

/// A call that failed.
const FRAMEWORK: &str = concat!(
    r#"{"type":"message","role":"user","contents":[{"type":"text","text":"list it"},"#,
    r#"{"type":"uri","uri":"http://x.test/a.png","media_type":"image/png"}]}"#,
    "\n",
    r#"{"type":"message","role":"assistant","contents":[{"type":"text_reasoning","text":"A look."},"#,
    r#"{"type":"text","text":"I look."},{"type":"function_call","call_id":"c","name":"ls","#,
    r#""arguments":"{\"path\":\"x\"}","id":"af-1"}],"author_name":"A"}"#,
    "\n",
    r#"{"type":"message","role":"tool","contents":[{"type":"function_result","call_id":"c","result":"no x","#,
    r#""exception":"FunctionInvocationError","items":[{"type":"text","text":"no x"}],"id":"af-1"}]}"#,
    "\n",
);

/// A session.
const SESSION: &str = concat!(
    r#"{"type":"session","session_id":"s1","state":{"in_memory":{"messages":["#,
    r#"{"role":"user","contents":[{"type":"text","text":"hi"}],"type":"message"},"#,
    r#"{"role":"assistant","contents":[{"type":"text","text":"hello"}],"type":"message"}]}}}"#,
);

/// A history.
const KERNEL: &str = concat!(
    r#"{"messages":[{"content_type":"message","role":"user","items":[{"content_type":"text","text":"list it"}]},"#,
    r#"{"ai_model_id":"m","metadata":{"usage":{"prompt_tokens":9,"completion_tokens":4}},"content_type":"message","#,
    r#""role":"assistant","items":[{"content_type":"function_call","id":"c","name":"fs-ls","function_name":"ls","#,
    r#""plugin_name":"fs","arguments":{"path":"x"}}]},{"content_type":"message","role":"tool","items":["#,
    r#"{"content_type":"function_result","id":"c","result":"a.txt","name":"fs-ls"}]}]}"#,
);

/// A chat store.
const STORE: &str = concat!(
    r#"{"store":{"ann":[{"role":"user","additional_kwargs":{},"blocks":[{"block_type":"text","text":"list it"}]},"#,
    r#"{"role":"assistant","additional_kwargs":{},"blocks":[{"block_type":"thinking","content":"A look."},"#,
    r#"{"block_type":"tool_call","tool_call_id":"c","tool_name":"ls","tool_kwargs":{"path":"x"}}]},"#,
    r#"{"role":"tool","additional_kwargs":{"tool_call_id":"c"},"blocks":[{"block_type":"text","text":"a.txt"}]}]},"#,
    r#""class_name":"SimpleChatStore"}"#,
);

/// Where a message has its parts.
const PARTS: [&str; 3] = ["contents", "items", "blocks"];
/// Where a part has its type.
const TYPES: [&str; 4] = ["type", "$type", "content_type", "block_type"];
/// Where an object has its messages.
const LISTS: [&str; 2] = ["messages", "chat_history"];

/// The words and files of a message.
const CONTENT: Form = FIRST_ADAPTER_FORM;
/// A part that is a thought, a call or a result; a message that is a result.
const THOUGHT: Form = FIRST_ADAPTER_FORM + 1;
const RESULT: Form = FIRST_ADAPTER_FORM + 2;
const ANSWER: Form = FIRST_ADAPTER_FORM + 3;

/// Reads messages, and lists of them.
#[derive(Default)]
struct Messages {
    lists: Lists,
}

impl Adapter for Messages {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        if parts(record).is_some() && record.get("role").is_some() {
            return message(record, log);
        }
        let found = lists(record);
        if found.is_empty() {
            let draft = Draft::of(Kind::State, form::STATE, &[]);
            log.step(&Draft { values: &[record], class: text(record, "type"), ..draft });
        }
        for (name, messages) in found {
            self.lists.begin(name, log);
            messages.iter().for_each(|one| message(one, log));
        }
        // Those of all requests of a response.
        if let Some(usage) = first(record, &["usage_details"]) {
            let model = first_text(record, &["model", "model_id"]).map(Cow::Borrowed);
            log.surroundings(&Surroundings { model, ..Surroundings::default() });
            log.usage(None, &usage_details(usage));
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        match form {
            CONTENT => {
                let parts = parts(value).unwrap_or_default().iter().filter_map(spoken);
                Turn::of(StepRole::Unknown, parts.collect())
            }
            THOUGHT => {
                let words = first(value, &["text", "content"]).map(text_of).unwrap_or_default();
                Turn::of(StepRole::Agent, vec![TurnPart::Thought(words)])
            }
            RESULT => Turn::answer(returned(value), None),
            ANSWER => answer(value),
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

/// The lists of messages of a record, each with its name: of a response or a history one, of a store one for each user.
fn lists<'v, 'a>(record: &'v Value<'a>) -> Vec<(Option<&'v str>, &'v [Value<'a>])> {
    let list = |holder: &'v Value<'a>| holder.as_array().or_else(|| first(holder, &LISTS)?.as_array());
    let name = first_text(record, &["session_id", "response_id", "id"]);
    if let Some(messages) = list(record) {
        return vec![(name, messages)];
    }
    let store = record.get("chat_store").unwrap_or(record).get("store");
    let state = || first(record, &["state", "storeState"]);
    let (holder, is_store) = match store {
        Some(store) => (Some(store), true),
        None => (state(), false),
    };
    if let Some(messages) = holder.and_then(list) {
        return vec![(name, messages)];
    }
    let members = holder.and_then(Value::as_object).into_iter().flat_map(|holder| holder.entries());
    let found = members.filter_map(|(key, member)| Some((if is_store { Some(key) } else { name }, list(member)?)));
    found.collect()
}

fn parts<'v, 'a>(message: &'v Value<'a>) -> Option<&'v [Value<'a>]> {
    PARTS.iter().find_map(|name| message.get(name)?.as_array())
}

/// What a part is: the kind of its step, and how it is shown; None: words, a file, or nothing.
fn part_kind(part: &Value<'_>) -> Option<(Kind, Form)> {
    match first_text(part, &TYPES)? {
        "text_reasoning" | "reasoning" | "thinking" => Some((Kind::Thought, THOUGHT)),
        "function_call" | "functionCall" | "tool_call" | "mcp_server_tool_call" => Some((Kind::Call, form::CALL)),
        "function_result" | "functionResult" | "mcp_server_tool_result" => Some((Kind::Result, RESULT)),
        _ => None,
    }
}

/// What a part says that is words or a file.
fn spoken<'v>(part: &'v Value<'v>) -> Option<TurnPart<'v>> {
    if part_kind(part).is_some() {
        return None;
    }
    let kind = first_text(part, &TYPES)?;
    // Tokens are no words.
    if kind == "usage" {
        return None;
    }
    if let Some(words) = first_text(part, &["text", "message"]) {
        return (!words.is_empty()).then_some(TurnPart::Text(Cow::Borrowed(words)));
    }
    let place = first_text(part, &["uri", "url", "path", "file_id", "document_url"]);
    Some(TurnPart::Attachment(Attachment {
        media_type: first_text(part, &["media_type", "mediaType", "mime_type", "image_mimetype"])
            .unwrap_or(kind)
            .into(),
        location: place.filter(|place| !place.starts_with("data:")).map(Cow::Borrowed),
        bytes: part.text.len() as u64,
    }))
}

/// The steps of a message (0.1.2): its parts in order, its words together where the first of them is.
fn message(message: &Value<'_>, log: &mut Log<'_>) {
    let role = text(message, "role").map_or(StepRole::Unknown, role_of);
    let metadata = first(message, &["metadata", "additional_kwargs", "additional_properties"]);
    let usage = metadata.and_then(|metadata| first(metadata, &["usage"])).filter(|_| role == StepRole::Agent);
    let usage = usage.map(model_usage);
    let model = first_text(message, &["ai_model_id", "model"]).map(Cow::Borrowed);
    log.surroundings(&Surroundings { model, ..Surroundings::default() });
    let time = first(message, &["created_at", "createdAt", "timestamp"]);
    let mut tokens = usage.as_ref().and_then(|usage| usage.output);
    let class = text(message, "role");
    let (begin, mut has_words) = (log.next_step(), false);
    let all = parts(message).unwrap_or_default();
    let is_answer = role == StepRole::Environment && !all.iter().any(|part| part_kind(part).is_some());
    for part in all.iter().filter(|_| !is_answer) {
        let (kind, form, value) = match part_kind(part) {
            Some((kind, form)) => (kind, form, part),
            None if has_words || spoken(part).is_none() => continue,
            None => {
                has_words = true;
                (Kind::Message, CONTENT, message)
            }
        };
        let role = if kind == Kind::Result { StepRole::Environment } else { role };
        log.step(&Draft { values: &[value], role, class, time, tokens: tokens.take(), ..Draft::of(kind, form, &[]) });
    }
    // LlamaIndex has calls of OpenAI's chat beside the blocks.
    let listed = metadata.map(|metadata| items(metadata, "tool_calls")).unwrap_or_default();
    let id = |value: &Value<'_>| call(value).id.map(Cow::into_owned);
    let is_call = |part: &&Value<'_>| part_kind(part).is_some_and(|(kind, _)| kind == Kind::Call);
    let known: Vec<Option<String>> = all.iter().filter(is_call).map(id).collect();
    for listed in listed.iter().filter(|listed| id(listed).is_none() || !known.contains(&id(listed))) {
        let draft = Draft::of(Kind::Call, form::CALL, &[]);
        log.step(&Draft { values: &[listed], role, class, time, tokens: tokens.take(), ..draft });
    }
    if log.next_step() == begin {
        let (kind, form) = if is_answer { (Kind::Result, ANSWER) } else { (Kind::Message, CONTENT) };
        log.step(&Draft { values: &[message], role, class, time, tokens, ..Draft::of(kind, form, &[]) });
    }
    if let Some(usage) = usage {
        log.usage(None, &usage);
    }
}

/// What came back of a call: of the Agent Framework with the exception that it raised.
fn returned<'v>(part: &'v Value<'v>) -> ToolResult<'v> {
    let is_failed = first(part, &["exception"]).is_some();
    let result = result(part);
    ToolResult { is_error: is_failed.then_some(true).or(result.is_error), ..result }
}

/// A message of a tool: of LlamaIndex, which names the call beside the words.
fn answer<'v>(message: &'v Value<'v>) -> Turn<'v> {
    let shown: Vec<TurnPart<'v>> = parts(message).unwrap_or_default().iter().filter_map(spoken).collect();
    let beside = message.get("additional_kwargs").unwrap_or(message);
    let words = |part: &TurnPart<'v>| match part {
        TurnPart::Text(words) => Some(words.clone()),
        _ => None,
    };
    let texts: Vec<Cow<'v, str>> = shown.iter().filter_map(words).collect();
    let result = ToolResult {
        id: first_text(beside, &["tool_call_id", "call_id"]).map(Cow::Borrowed),
        name: text(beside, "name").map(Cow::Borrowed),
        text: texts.join("\n").into(),
        is_error: beside.get("is_error").and_then(Value::as_bool),
        ..ToolResult::default()
    };
    Turn::answer(result, shown.into_iter().filter(|part| matches!(part, TurnPart::Attachment(_))))
}

/// Tokens of a response of the Agent Framework: those of a cache are counted among the input.
fn usage_details(usage: &Value<'_>) -> Usage {
    let of = |keys: [&str; 2]| keys.iter().find_map(|key| count(usage, key));
    let cache_read = of(["cache_read_input_token_count", "cachedInputTokenCount"]);
    let input = of(["input_token_count", "inputTokenCount"]);
    Usage {
        input: input.map(|all| all.saturating_sub(cache_read.unwrap_or(0))),
        output: of(["output_token_count", "outputTokenCount"]),
        cache_read,
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::log::testing::{lines, run_of_record, state, steps};
    use crate::format::log::tests::damage;

    #[test]
    fn contents_of_the_agent_framework_are_words_files_thoughts_calls_and_results() {
        let parsed = lines(&AGENT_FRAMEWORK, FRAMEWORK.trim_end());
        let expected = [
            "message user: list it · [image/png of 67 bytes]",
            "thought agent: A look.",
            "message agent: I look.",
            "tool-call agent: ls x",
            "tool-result environment: no x (of 3)",
        ];
        assert_eq!(steps(&parsed), expected);
        assert_eq!(parsed.0.error_steps(), [4]);
        let messages = FRAMEWORK.trim_end().replace('\n', ",");
        let response = format!(
            r#"{{"type":"agent_response","messages":[{messages}],
                "usage_details":{{"input_token_count":9,"output_token_count":4}}}}"#
        );
        let parsed = run_of_record(&AGENT_FRAMEWORK, &response);
        assert_eq!(steps(&parsed), expected);
        assert_eq!(state(&parsed, "usage", 4), r#"{"main":{"input":9,"output":4,"turns":1}}"#);
        let parsed = run_of_record(&AGENT_FRAMEWORK, SESSION);
        assert_eq!(steps(&parsed), ["message user: hi", "message agent: hello"]);
        assert_eq!(parsed.0.step(1, &parsed.1).trajectory.as_deref(), Some("s1"));
    }

    #[test]
    fn items_of_semantic_kernel_have_calls_by_their_whole_names_and_usage() {
        let parsed = run_of_record(&SEMANTIC_KERNEL, KERNEL);
        let expected = ["message user: list it", "tool-call agent: fs-ls x", "tool-result environment: a.txt (of 1)"];
        assert_eq!(steps(&parsed), expected);
        assert_eq!(state(&parsed, "usage", 2), r#"{"main":{"input":9,"output":4,"turns":1}}"#);
    }

    #[test]
    fn blocks_of_llama_index_have_calls_and_a_tool_names_its_call_beside_them() {
        let parsed = run_of_record(&LLAMA_INDEX, STORE);
        let expected = [
            "message user: list it",
            "thought agent: A look.",
            "tool-call agent: ls x",
            "tool-result environment: a.txt (of 2)",
        ];
        assert_eq!(steps(&parsed), expected);
        let two = STORE.replacen("\"store\":{", "\"store\":{\"bob\":[{\"role\":\"user\",\"blocks\":[]}],", 1);
        let parsed = run_of_record(&LLAMA_INDEX, &two);
        assert_eq!((parsed.0.trajectory_count(), steps(&parsed).len()), (2, 5));
        assert_eq!(parsed.0.step(1, &parsed.1).trajectory.as_deref(), Some("ann"));
        let beside = r#"{"role":"assistant","blocks":[{"block_type":"text","text":"so"},
            {"block_type":"tool_call","tool_call_id":"c","tool_name":"ls","tool_kwargs":{}}],"additional_kwargs":
            {"tool_calls":[{"id":"c","function":{"name":"ls","arguments":"{}"}},
            {"id":"d","function":{"name":"cat","arguments":"{}"}}]}}"#;
        let parsed = run_of_record(&LLAMA_INDEX, beside);
        assert_eq!(steps(&parsed), ["message agent: so", "tool-call agent: ls", "tool-call agent: cat"]);
    }

    #[test]
    fn damaged_messages_never_panic() {
        damage(&AGENT_FRAMEWORK, &[FRAMEWORK, SESSION]);
        damage(&SEMANTIC_KERNEL, &[KERNEL]);
        damage(&LLAMA_INDEX, &[STORE]);
    }
}
