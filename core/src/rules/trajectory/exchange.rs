//! Exchanges with the interface of a model as programs log them and batches hold them: a request with what came back,
//! in one of several wrappings (`FORMATS.md` 8).

use super::rows::{RowTrack, Source, are_answered, are_items, are_messages, is_message, is_text};
use super::several::bounded;
use crate::json::Value;
use crate::model::StepRole;
use std::borrow::Cow;

/// Where a row may have a request, as pointers: as itself, in logs of proxies, in batches of OpenAI (`body`) and of
/// Anthropic (`params`) and Bedrock (`modelInput`), in sets of Langfuse and LangSmith, in invocation logs of Bedrock,
/// in rows of Helicone (`request_body`).
const REQUESTS: [&str; 10] = [
    "",
    "/request",
    "/request/body",
    "/body",
    "/params",
    "/inputs",
    "/input",
    "/input/inputBodyJson",
    "/modelInput",
    "/request_body",
];

/// Where it may have what came back.
const RESPONSES: [&str; 9] = [
    "",
    "/response",
    "/response/body",
    "/result/message",
    "/outputs",
    "/output",
    "/output/outputBodyJson",
    "/modelOutput",
    "/response_body",
];

/// Members that say of an object that it is what a model's interface answered, and no message of a chat.
const ANSWER_MARKS: [&str; 3] = ["stop_reason", "finish_reason", "done_reason"];

/// The value at a pointer of names.
fn at<'a>(row: &'a Value<'a>, pointer: &str) -> Option<&'a Value<'a>> {
    pointer.split('/').skip(1).try_fold(row, |value, name| value.get(name))
}

fn joined(pointer: &'static str, name: &str) -> Cow<'static, str> {
    Cow::Owned(format!("{pointer}{name}"))
}

/// The request of a row, and what is asked in it.
fn request<'a>(row: &'a Value<'a>) -> Option<(&'a Value<'a>, Source<'a>)> {
    REQUESTS.into_iter().find_map(|pointer| {
        let request = at(row, pointer)?;
        Some((request, asked(request, pointer)?))
    })
}

/// What is asked in a request: messages, or the input of the Responses interface.
fn asked<'a>(request: &'a Value<'a>, pointer: &'static str) -> Option<Source<'a>> {
    let has_words = |message: &Value<'_>| ["content", "tool_calls"].iter().any(|name| message.get(name).is_some());
    let is_spoken =
        |messages: &Value<'_>| pointer.is_empty() || messages.as_array().is_some_and(|all| all.iter().any(has_words));
    if let Some(value) = request.get("messages").filter(|messages| are_messages(messages) && is_spoken(messages)) {
        return Some(Source { value, pointer: joined(pointer, "/messages"), role: StepRole::Unknown });
    }
    if pointer == "/input" && are_messages(request) {
        return Some(Source { value: request, pointer: pointer.into(), role: StepRole::Unknown });
    }
    let has_model = request.get("model").is_some_and(is_text);
    // A text alone may be that of an embedding.
    let is_wrapped = !pointer.is_empty() || request.get("output").is_some_and(are_answered);
    let is_asked = |input: &&Value<'_>| are_items(input) || (is_text(input) && is_wrapped);
    let value = request.get("input").filter(|_| has_model).filter(is_asked)?;
    Some(Source { value, pointer: joined(pointer, "/input"), role: StepRole::User })
}

/// What came back: an answer for each choice, with the list of them.
struct Answers<'a> {
    list: &'a Value<'a>,
    sources: Vec<(usize, Source<'a>)>,
}

impl<'a> Answers<'a> {
    fn one(value: &'a Value<'a>, pointer: Cow<'static, str>) -> Self {
        Self { list: value, sources: vec![(0, Source { value, pointer, role: StepRole::Agent })] }
    }

    /// Those of a row. Where nothing is asked, an object must say that it is an answer.
    fn of(row: &'a Value<'a>, is_asked: bool) -> Option<Self> {
        RESPONSES.into_iter().find_map(|pointer| Self::at(at(row, pointer)?, pointer, is_asked))
    }

    fn at(response: &'a Value<'a>, pointer: &'static str, is_asked: bool) -> Option<Self> {
        let is_wrapped = !pointer.is_empty();
        if let Some(list) = response.get("choices") {
            let message = |choice: &'a Value<'a>| choice.get("message").filter(|message| is_message(message));
            let found = list.as_array()?.iter().enumerate().filter_map(|(n, choice)| Some((n, message(choice)?)));
            let source = |(number, value)| {
                let pointer = joined(pointer, &format!("/choices/{number}/message"));
                (number, Source { value, pointer, role: StepRole::Agent })
            };
            let sources: Vec<_> = found.map(source).collect();
            return (!sources.is_empty()).then_some(Self { list, sources });
        }
        let is_marked = ANSWER_MARKS.iter().any(|mark| response.get(mark).is_some());
        let is_response = response.get("object").and_then(Value::as_str) == Some("response");
        let output = response.get("output");
        if let Some(output) = output.filter(|all| (is_response || is_wrapped) && are_answered(all)) {
            return Some(Self::one(output, joined(pointer, "/output")));
        }
        // Converse.
        let message = output.and_then(|output| output.get("message")).filter(|message| is_message(message));
        if let Some(message) = message.filter(|_| response.get("stopReason").is_some()) {
            return Some(Self::one(message, joined(pointer, "/output/message")));
        }
        // Ollama, Cohere; a message alone may be that of any log.
        let message = response.get("message").filter(|message| is_message(message));
        if let Some(message) = message.filter(|_| is_marked || (is_asked && is_wrapped)) {
            return Some(Self::one(message, joined(pointer, "/message")));
        }
        // The Messages interface, or the message alone.
        let is_answer = is_message(response) && (is_marked || (is_asked && is_wrapped));
        is_answer.then(|| Self::one(response, pointer.into()))
    }
}

/// An answer beside messages, as a text.
fn text_answer<'a>(row: &'a Value<'a>, asked: &Source<'a>) -> Option<Answers<'a>> {
    let last = asked.value.as_array()?.last()?;
    let is_open = last.get("role").and_then(Value::as_str).is_some_and(|role| matches!(role, "user" | "tool"));
    let pointer = ["/response", "/completion"].into_iter().find(|pointer| {
        at(row, pointer).and_then(Value::as_str).is_some_and(|text| is_open && !text.trim().is_empty())
    })?;
    Some(Answers::one(at(row, pointer)?, pointer.into()))
}

/// The trajectories of a row that has what a model answered, with what was asked where the row has that too: one for
/// each choice. None: it has no answer, or its messages end with it.
pub(super) fn exchange<'a>(row: &'a Value<'a>) -> Option<Vec<RowTrack<'a>>> {
    let asked = request(row).map(|(_, asked)| asked);
    let found = Answers::of(row, asked.is_some());
    let found = found.or_else(|| text_answer(row, asked.as_ref()?));
    let last = asked.as_ref().and_then(|asked| asked.value.as_array()?.last());
    let is_last = |answer: &Value<'_>| {
        let is_same =
            |key: &&str| answer.get(key).map(|of| of.text) == last.and_then(|last| last.get(key)).map(|of| of.text);
        last.is_some() && answer.as_object().is_some() && ["role", "content", "tool_calls"].iter().all(is_same)
    };
    let Answers { list, sources } = found?;
    if sources.iter().any(|(_, source)| is_last(source.value)) {
        return asked.filter(|asked| asked.pointer != "/messages").map(|asked| vec![RowTrack::of(vec![asked])]);
    }
    let label = |number: &usize| (sources.len() > 1).then(|| Cow::Owned(format!("choice {number}")));
    let track = |(number, answer): &(usize, Source<'a>)| RowTrack {
        label: label(number),
        ..RowTrack::of(asked.clone().into_iter().chain([answer.clone()]).collect())
    };
    Some(bounded((row, list), sources.iter().map(track), sources.len()))
}

/// A row that is a request of the Responses interface alone, or holds one of any interface.
pub(super) fn asked_alone<'a>(row: &'a Value<'a>) -> Option<Vec<RowTrack<'a>>> {
    let is_other = |pointer: &str| pointer == "/messages" || (pointer.starts_with("/input") && pointer != "/input");
    let (_, asked) = request(row).filter(|(_, asked)| !is_other(&asked.pointer))?;
    Some(vec![RowTrack::of(vec![asked])])
}

/// Whether a row of a batch says that nothing was answered: of OpenAI why, of Anthropic how it ended.
#[must_use]
pub fn is_unanswered(row: &Value<'_>) -> bool {
    const ENDS: [&str; 3] = ["errored", "canceled", "expired"];
    let is_named = ["custom_id", "recordId", "key"].iter().any(|name| row.get(name).is_some_and(is_text));
    let result = row.get("result").and_then(|result| result.get("type")?.as_str());
    let is_ended = result.is_some_and(|end| ENDS.contains(&end));
    let has_failed = || row.get("error").is_some_and(|error| error.as_object().is_some());
    is_named && exchange(row).is_none() && (is_ended || has_failed())
}

/// Whether a row is a request to a model in a wrapping, or has what a model answered.
#[must_use]
pub fn is_exchange(row: &Value<'_>) -> bool {
    exchange(row).or_else(|| asked_alone(row)).is_some()
}

/// The request of a row that is an object of its own.
pub(super) fn wrapped_request<'a>(row: &'a Value<'a>) -> Option<&'a Value<'a>> {
    request(row).filter(|(_, asked)| asked.pointer != "/messages" && asked.pointer != "/input").map(|(of, _)| of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use crate::rules::trajectory::rows::tracks;

    /// The trajectories of a row, each as its label and the pointers of its parts.
    fn of(row: &str) -> String {
        let row = parse(row).unwrap();
        let describe = |track: RowTrack<'_>| {
            let names: Vec<&str> = track.sources.iter().map(|source| source.pointer.as_ref()).collect();
            format!("{}:{}", track.label.as_deref().unwrap_or("-"), names.join("+"))
        };
        tracks(&row).unwrap_or_default().into_iter().map(describe).collect::<Vec<_>>().join(" ")
    }

    const ASKED: &str = r#"{"model":"m","messages":[{"role":"user","content":"q"}]}"#;
    const CHOICES: &str = r#"{"choices":[{"message":{"role":"assistant","content":"a"}}]}"#;
    const MESSAGE: &str = r#"{"type":"message","role":"assistant","content":[],"stop_reason":"end_turn"}"#;
    const ITEMS: &str = r#"[{"type":"message","role":"assistant","content":[]}]"#;

    #[test]
    fn a_request_and_what_came_back_are_found_in_every_wrapping() {
        for (row, expected) in [
            (
                format!(r#"{{"request":{ASKED},"response":{CHOICES}}}"#),
                "-:/request/messages+/response/choices/0/message",
            ),
            (format!(r#"{{"request":{ASKED},"response":{MESSAGE}}}"#), "-:/request/messages+/response"),
            (
                format!(r#"{{"request":{{"body":{ASKED}}},"response":{{"status":200,"body":{CHOICES}}}}}"#),
                "-:/request/body/messages+/response/body/choices/0/message",
            ),
            (format!(r#"{{"custom_id":"c","body":{ASKED}}}"#), "-:/body/messages"),
            (format!(r#"{{"custom_id":"c","params":{ASKED}}}"#), "-:/params/messages"),
            (format!(r#"{{"custom_id":"c","response":{{"body":{CHOICES}}}}}"#), "-:/response/body/choices/0/message"),
            (format!(r#"{{"custom_id":"c","result":{{"message":{MESSAGE}}}}}"#), "-:/result/message"),
            (r#"{"custom_id":"c","response":null,"error":{"code":"expired"}}"#.to_owned(), ""),
            (
                format!(r#"{{"recordId":"c","modelInput":{ASKED},"modelOutput":{MESSAGE}}}"#),
                "-:/modelInput/messages+/modelOutput",
            ),
            (
                format!(r#"{{"request_body":{ASKED},"response_body":{CHOICES}}}"#),
                "-:/request_body/messages+/response_body/choices/0/message",
            ),
            (
                format!(r#"{{"request":{{"model":"m","input":"q"}},"response":{{"output":{ITEMS}}}}}"#),
                "-:/request/input+/response/output",
            ),
            (format!(r#"{{"response":{{"body":{{"output":{ITEMS}}}}}}}"#), "-:/response/body/output"),
            (
                format!(
                    r#"{{"request":{ASKED},"response":{{"output":{{"message":{MESSAGE}}},"stopReason":"end_turn"}}}}"#
                ),
                "-:/request/messages+/response/output/message",
            ),
            (
                format!(r#"{{"request":{ASKED},"response":{{"message":{MESSAGE}}}}}"#),
                "-:/request/messages+/response/message",
            ),
            (r#"{"model":"m","input":[{"role":"user","content":"q"}]}"#.to_owned(), "-:/input"),
            (r#"{"model":"m","input":"embed it"}"#.to_owned(), ""),
            (CHOICES.to_owned(), "-:/choices/0/message"),
            (MESSAGE.to_owned(), "-:"),
            (r#"{"messages":[{"role":"user","content":"q"}],"response":"a"}"#.to_owned(), "-:/messages+/response"),
            (r#"{"messages":[{"role":"assistant","content":"q"}],"response":"a"}"#.to_owned(), "-:/messages"),
            (
                r#"{"input":[{"role":"user","content":"q"}],"output":{"role":"assistant","content":"a"}}"#.to_owned(),
                "-:/input+/output",
            ),
            (
                format!(r#"{{"inputs":{ASKED},"outputs":{{"message":{MESSAGE}}}}}"#),
                "-:/inputs/messages+/outputs/message",
            ),
            (
                r#"{"request":{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]},
                    "response":{"choices":[{"message":{"role":"assistant","content":"a"}}]}}"#
                    .to_owned(),
                "-:/request/messages",
            ),
        ] {
            assert_eq!(of(&row), expected, "{row}");
        }
    }

    #[test]
    fn a_message_of_any_log_is_no_answer_of_an_interface() {
        for row in [
            r#"{"role":"assistant","content":"a"}"#,
            r#"{"type":"assistant","message":{"role":"assistant","content":"a"}}"#,
            r#"{"response":{"message":"fine"},"request":{"path":"/"}}"#,
            r#"{"output":{"role":"assistant","content":"a"}}"#,
            r#"{"request":{"messages":["a"]},"response":{"choices":["a"]}}"#,
        ] {
            assert_eq!(of(row), "", "{row}");
        }
    }
}
