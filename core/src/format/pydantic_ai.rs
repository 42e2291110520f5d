//! Messages of Pydantic AI as `all_messages_json()` writes them: requests and responses with parts (`FORMATS.md` 14).

use super::Framing;
use super::log::{
    Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Lists, Log, LogRun, Row, call, count, first, first_text, items,
    text, text_of,
};
use crate::json::{self, Data, Value};
use crate::model::{Attachment, StepRole, Surroundings, ToolResult, Turn, TurnPart, Usage};
use std::borrow::Cow;

/// Messages of Pydantic AI.
pub(super) static PYDANTIC_AI: Row = Row {
    name: "pydantic-ai",
    title: "Pydantic AI messages",
    about: "Messages of Pydantic AI (`all_messages_json`, `ModelMessagesTypeAdapter`): an array or lines of requests \
            and responses with a `kind` and `parts`, or lines of such arrays and objects with one, each a trajectory. \
            Each prompt, thought, call and result is a step, the words of a response together; a request for a retry \
            is a failed result. State: model, usage.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Messages::default())),
    has_trajectories: true,
    samples: &[CHAT],
    ..Row::BASE
};

/// A question, a call that must be tried again, an answer.
const CHAT: &str = concat!(
    r#"[{"parts":[{"content":"You help.","timestamp":"2026-05-01T10:00:00Z","part_kind":"system-prompt"},"#,
    r#"{"content":["list it",{"url":"http://x.test/a.png","kind":"image-url","media_type":"image/png"}],"#,
    r#""timestamp":"2026-05-01T10:00:01Z","part_kind":"user-prompt"}],"instructions":"Be brief.","kind":"request"},"#,
    "\n",
    r#"{"parts":[{"content":"A look.","part_kind":"thinking"},{"content":"I look.","part_kind":"text"},"#,
    r#"{"tool_name":"ls","args":{"path":"x"},"tool_call_id":"a","part_kind":"tool-call"},"#,
    r#"{"tool_name":"cat","args":"{\"path\":7}","tool_call_id":"b","part_kind":"tool-call"}],"#,
    r#""usage":{"input_tokens":9,"output_tokens":4,"cache_read_tokens":3},"model_name":"m","#,
    r#""timestamp":"2026-05-01T10:00:02Z","kind":"response"},"#,
    "\n",
    r#"{"parts":[{"tool_name":"ls","content":{"names":["a.txt"]},"tool_call_id":"a","part_kind":"tool-return"},"#,
    r#"{"content":"no such file","tool_name":"cat","tool_call_id":"b","part_kind":"retry-prompt"}],"#,
    r#""instructions":"Be brief.","kind":"request"},"#,
    "\n",
    r#"{"parts":[{"content":"There is a.txt.","part_kind":"text"}],"usage":{"input_tokens":20,"output_tokens":5},"#,
    r#""model_name":"m","timestamp":"2026-05-01T10:00:04Z","kind":"response"}]"#,
);

/// Where an object has its messages.
const LISTS: [&str; 4] = ["messages", "all_messages", "new_messages", "message_history"];

/// A part of a request; the words and files of a response.
const PROMPT: Form = FIRST_ADAPTER_FORM;
const CONTENT: Form = FIRST_ADAPTER_FORM + 1;
/// A part of a response that is a thought or a call, and one that is a result.
const THOUGHT: Form = FIRST_ADAPTER_FORM + 2;
const CALL: Form = FIRST_ADAPTER_FORM + 3;
const RESULT: Form = FIRST_ADAPTER_FORM + 4;
/// Instructions, which are a text.
const INSTRUCTIONS: Form = FIRST_ADAPTER_FORM + 5;

/// Reads messages, and lists of them.
#[derive(Default)]
struct Messages {
    lists: Lists,
    /// The instructions of the request before.
    instructions: Option<String>,
}

impl Adapter for Messages {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let list = record.as_array().or_else(|| first(record, &LISTS)?.as_array());
        let Some(messages) = list.filter(|_| record.get("kind").is_none()) else {
            return self.message(record, log);
        };
        self.instructions = None;
        self.lists.begin(first_text(record, &["id", "run_id", "conversation_id"]), log);
        messages.iter().for_each(|message| self.message(message, log));
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        let words = || value.get("content").map(text_of).unwrap_or_default();
        match form {
            PROMPT => Turn::of(StepRole::Unknown, content_parts(value.get("content").unwrap_or(value))),
            CONTENT => Turn::of(StepRole::Agent, items(value, "parts").iter().flat_map(spoken).collect()),
            THOUGHT => Turn::of(StepRole::Agent, vec![TurnPart::Thought(words())]),
            CALL => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(value))]),
            RESULT => result(value),
            INSTRUCTIONS => Turn::of(StepRole::System, vec![TurnPart::Text(text_of(value))]),
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

impl Messages {
    fn message(&mut self, message: &Value<'_>, log: &mut Log<'_>) {
        let begin = log.next_step();
        if text(message, "kind") == Some("response") {
            respond(message, log);
        } else {
            self.request(message, log);
        }
        if log.next_step() == begin {
            let role = if text(message, "kind") == Some("response") { StepRole::Agent } else { StepRole::Unknown };
            let draft = Draft::of(Kind::Message, CONTENT, &[]);
            log.step(&Draft { values: &[message], role, class: text(message, "kind"), ..draft });
        }
    }

    /// The steps of a request: the instructions where they are new, and a step for each part.
    fn request(&mut self, request: &Value<'_>, log: &mut Log<'_>) {
        let time = first(request, &["timestamp"]);
        let instructions = first(request, &["instructions"]).filter(|value| value.as_str().is_some());
        if let Some(value) = instructions.filter(|value| value.as_str() != self.instructions.as_deref()) {
            self.instructions = value.as_str().map(str::to_owned);
            let draft = Draft::of(Kind::Message, INSTRUCTIONS, &[]);
            log.step(&Draft { values: &[value], role: StepRole::System, class: Some("instructions"), time, ..draft });
        }
        for part in items(request, "parts") {
            let (kind, form, role) = match class(part) {
                "system-prompt" => (Kind::Message, PROMPT, StepRole::System),
                class if is_result(class, part) => (Kind::Result, RESULT, StepRole::Environment),
                _ => (Kind::Message, PROMPT, StepRole::User),
            };
            log.step(&Draft {
                values: &[part],
                role,
                class: text(part, "part_kind"),
                time: first(part, &["timestamp"]).or(time),
                // Nobody asked for it: the answer did not fit.
                is_injected: class(part) == "retry-prompt" && kind == Kind::Message,
                ..Draft::of(kind, form, &[])
            });
        }
    }
}

fn class<'v>(part: &'v Value<'_>) -> &'v str {
    text(part, "part_kind").unwrap_or_default()
}

/// Whether a part is the result of a call: a retry is asked for of a tool, or of the answer itself.
fn is_result(class: &str, part: &Value<'_>) -> bool {
    class.ends_with("tool-return") || (class == "retry-prompt" && text(part, "tool_name").is_some())
}

/// The steps of a response (0.1.2): its parts in order, its words together where the first of them is.
fn respond(response: &Value<'_>, log: &mut Log<'_>) {
    let usage = first(response, &["usage"]).map(usage);
    let model = text(response, "model_name").map(Cow::Borrowed);
    log.surroundings(&Surroundings { model, ..Surroundings::default() });
    let (time, mut has_words) = (first(response, &["timestamp"]), false);
    let mut tokens = usage.as_ref().and_then(|usage| usage.output);
    for part in items(response, "parts") {
        let (kind, form, value) = match class(part) {
            "thinking" => (Kind::Thought, THOUGHT, part),
            class if class.ends_with("tool-call") => (Kind::Call, CALL, part),
            class if is_result(class, part) => (Kind::Result, RESULT, part),
            _ if has_words || spoken(part).is_empty() => continue,
            _ => {
                has_words = true;
                (Kind::Message, CONTENT, response)
            }
        };
        let role = if kind == Kind::Result { StepRole::Environment } else { StepRole::Agent };
        let class = text(part, "part_kind");
        log.step(&Draft { values: &[value], role, class, time, tokens: tokens.take(), ..Draft::of(kind, form, &[]) });
    }
    if let Some(usage) = usage {
        log.usage(None, &usage);
    }
}

/// What a part of a response says, of those that are words or files.
fn spoken<'v>(part: &'v Value<'v>) -> Vec<TurnPart<'v>> {
    match class(part) {
        "text" | "file" | "compaction" => part.get("content").map(content_parts).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// A content: a text, a file, or a list of both.
fn content_parts<'v>(content: &'v Value<'v>) -> Vec<TurnPart<'v>> {
    match &content.data {
        Data::Array(all) => all.iter().flat_map(content_parts).collect(),
        Data::String(words) if words.is_empty() => Vec::new(),
        Data::String(words) => vec![TurnPart::Text(Cow::Borrowed(words))],
        Data::Object(_) => match file(content) {
            Some(file) => vec![TurnPart::Attachment(file)],
            None => vec![TurnPart::Text(first(content, &["content"]).map_or_else(|| text_of(content), text_of))],
        },
        _ => Vec::new(),
    }
}

/// The file that an element of a content is: bytes in the log, or an address.
fn file<'v>(value: &'v Value<'v>) -> Option<Attachment<'v>> {
    let kind =
        text(value, "kind").filter(|kind| *kind == "binary" || kind.ends_with("-url") || *kind == "uploaded-file")?;
    Some(Attachment {
        media_type: text(value, "media_type").unwrap_or(kind).into(),
        location: first_text(value, &["url", "file_id"]).filter(|url| !url.starts_with("data:")).map(Cow::Borrowed),
        bytes: value.text.len() as u64,
    })
}

/// What came back of a call, and files in it. A request to try again says why.
fn result<'v>(part: &'v Value<'v>) -> Turn<'v> {
    let content = part.get("content");
    let all = content.map(|content| content.as_array().unwrap_or(std::slice::from_ref(content))).unwrap_or_default();
    let files: Vec<Attachment<'_>> = all.iter().filter_map(file).collect();
    let (is_retry, outcome) = (class(part) == "retry-prompt", text(part, "outcome"));
    let words = || match content.and_then(Value::as_array) {
        Some(parts) if !files.is_empty() => {
            let texts = parts.iter().filter(|part| file(part).is_none()).map(text_of);
            Cow::Owned(texts.collect::<Vec<_>>().join("\n"))
        }
        // Why arguments do not fit their schema is a list of objects with a type.
        Some(_) => content.map(json::compact).unwrap_or_default().into(),
        None => content.map(text_of).unwrap_or_default(),
    };
    let text_part = if content.is_some_and(|content| file(content).is_some()) { Cow::Borrowed("") } else { words() };
    let result = ToolResult {
        id: text(part, "tool_call_id").map(Cow::Borrowed),
        name: text(part, "tool_name").map(Cow::Borrowed),
        text: text_part,
        is_error: outcome.map(|outcome| outcome != "success").or(is_retry.then_some(true)),
        ..ToolResult::default()
    };
    Turn::answer(result, files.into_iter().map(TurnPart::Attachment))
}

/// Tokens of a response: those of a cache are counted among the input.
fn usage(usage: &Value<'_>) -> Usage {
    let of = |keys: [&str; 2]| keys.iter().find_map(|key| count(usage, key));
    let (read, write) = (count(usage, "cache_read_tokens"), count(usage, "cache_write_tokens"));
    let among = read.unwrap_or(0).saturating_add(write.unwrap_or(0));
    Usage {
        input: of(["input_tokens", "request_tokens"]).map(|all| all.saturating_sub(among)),
        output: of(["output_tokens", "response_tokens"]),
        cache_read: read.filter(|n| *n > 0),
        cache_write: write.filter(|n| *n > 0),
        cost: first(usage, &["cost"]).and_then(Value::as_number).and_then(|cost| cost.parse().ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::log::testing::{lines, run_of_record, state, steps};
    use crate::format::log::tests::damage;

    const STEPS: [&str; 9] = [
        "message system: Be brief.",
        "message system: You help.",
        "message user: list it · [image/png of 73 bytes]",
        "thought agent: A look.",
        "message agent: I look.",
        "tool-call agent: ls x",
        "tool-call agent: cat 7",
        r#"tool-result environment: {"names":["a.txt"]} (of 5)"#,
        "tool-result environment: no such file (of 6)",
    ];

    #[test]
    fn parts_are_prompts_thoughts_words_calls_and_results() {
        let parsed = lines(&PYDANTIC_AI, &CHAT.trim_matches(['[', ']']).replace("},\n{", "}\n{"));
        let all = steps(&parsed);
        assert_eq!(all[..9], STEPS);
        assert_eq!(all[9..], ["message agent: There is a.txt."]);
        assert_eq!(parsed.0.error_steps(), [8]);
        assert_eq!(
            state(&parsed, "usage", 9),
            r#"{"main":{"input":26,"output":9,"cache_read":3,"turns":2}}"#,
            "the cached ones are counted among the input"
        );
        let step = parsed.0.step(3, &parsed.1);
        assert_eq!((step.time.as_deref(), step.tokens), (Some("2026-05-01T10:00:02Z"), Some(4)));
        assert_eq!(parsed.0.step(2, &parsed.1).time.as_deref(), Some("2026-05-01T10:00:01Z"));
    }

    #[test]
    fn a_list_is_a_trajectory_and_an_object_may_hold_it() {
        let list = CHAT.replace('\n', "");
        let parsed = lines(&PYDANTIC_AI, &format!("{list}\n{{\"id\":\"b\",\"messages\":{list}}}"));
        assert_eq!((parsed.0.trajectory_count(), steps(&parsed).len()), (2, 20));
        assert_eq!(parsed.0.step(19, &parsed.1).trajectory.as_deref(), Some("b"));
        assert_eq!(parsed.0.error_steps(), [8, 18]);
    }

    #[test]
    fn a_retry_without_a_tool_is_nobodys_and_tools_of_the_provider_answer_in_the_response() {
        let response = r#"{"kind":"response","parts":[
            {"tool_name":"web_search","args":{"q":"x"},"tool_call_id":"a","part_kind":"builtin-tool-call"},
            {"tool_name":"web_search","content":{"hits":1},"tool_call_id":"a","part_kind":"builtin-tool-return",
            "outcome":"success"},
            {"content":{"data":"YQ==","media_type":"image/png","kind":"binary"},"part_kind":"file"},
            {"content":"here","part_kind":"text"}]}"#;
        let parsed = run_of_record(&PYDANTIC_AI, response);
        let expected = [
            "tool-call agent: web_search x",
            r#"tool-result environment: {"hits":1} (of 0)"#,
            "message agent: [image/png of 56 bytes] · here",
        ];
        assert_eq!(steps(&parsed), expected);
        let request = r#"{"kind":"request","parts":[{"content":"give JSON","part_kind":"retry-prompt"},
            {"tool_name":"shot","content":{"data":"YQ==","media_type":"image/png","kind":"binary"},
            "tool_call_id":"c","part_kind":"tool-return","outcome":"denied"}]}"#;
        let parsed = run_of_record(&PYDANTIC_AI, request);
        assert_eq!(steps(&parsed)[0], "message user: give JSON");
        assert_eq!(parsed.0.error_steps(), [1]);
        let fault = r#"{"kind":"request","parts":[{"content":[{"type":"missing","loc":["city"],"msg":"required"}],
            "tool_name":"go","tool_call_id":"c","part_kind":"retry-prompt"}]}"#;
        let expected = r#"tool-result environment: [{"type":"missing","loc":["city"],"msg":"required"}]"#;
        assert_eq!(steps(&run_of_record(&PYDANTIC_AI, fault)), [expected]);
        let empty = run_of_record(&PYDANTIC_AI, r#"{"kind":"response","parts":[]}"#);
        assert_eq!(steps(&empty).len(), 1);
    }

    #[test]
    fn damaged_messages_never_panic() {
        damage(&PYDANTIC_AI, &[CHAT]);
    }
}
