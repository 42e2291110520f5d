//! Requests to a model that a row has as they were sent: their tools and instructions are those of the conversation.

use super::rows::{RowTrack, Source, are_messages, is_message};
use super::several::bounded;
use super::{blocks, gemini};
use crate::json::Value;
use crate::model::StepRole;
use std::borrow::Cow;

/// Where a row has its request: NeMo Gym, OpenAI's preferences.
const REQUESTS: [&str; 2] = ["responses_create_params", "input"];

fn request<'a>(row: &'a Value<'a>) -> Option<&'a Value<'a>> {
    REQUESTS.iter().find_map(|name| row.get(name).filter(|request| request.as_object().is_some()))
}

/// The tools that the request of a row declares.
#[must_use]
pub(crate) fn requested_tools<'a>(row: &'a Value<'a>) -> Option<&'a Value<'a>> {
    let tools = request(row).and_then(|request| request.get("tools")).filter(|tools| !tools.is_null());
    tools.or_else(|| gemini::tools(row))
}

/// The instructions of a request, which are its system prompt: of one that a row has, or that the row is with what came
/// back (OpenAI's Responses interface), a text; of a request of Gemini's API also parts.
#[must_use]
pub(crate) fn instructions<'a>(row: &'a Value<'a>) -> Option<&'a Value<'a>> {
    let is_text = |text: &&Value<'_>| text.as_str().is_some_and(|text| !text.trim().is_empty());
    let is_item = |item: &Value<'_>| blocks::item(item).is_some() || item.get("role").is_some();
    let has_items = || row.get("output").and_then(Value::as_array).is_some_and(|all| all.first().is_some_and(is_item));
    let found = match request(row) {
        Some(request) => request.get("instructions").filter(is_text),
        None => row.get("instructions").filter(is_text).filter(|_| has_items()),
    };
    found.or_else(|| gemini::system_prompt(row))
}

/// The trajectories of a request of `messages` with what came back, as OpenAI stores completions and proxies log them:
/// one for each choice. None: the row has no choices, or its messages end with one.
pub(super) fn stored_completion<'a>(row: &'a Value<'a>) -> Option<Vec<RowTrack<'a>>> {
    let messages = row.get("messages").filter(|messages| are_messages(messages))?;
    let places = [("/choices", Some(row)), ("/response/choices", row.get("response"))];
    let (at, list) = places.into_iter().find_map(|(at, of)| Some((at, of?.get("choices")?)))?;
    let choices = list.as_array()?;
    let answer = |choice: &'a Value<'a>| choice.get("message").filter(|message| is_message(message));
    let numbered = choices.iter().enumerate().filter_map(|(number, choice)| Some((number, answer(choice)?)));
    let answers: Vec<_> = numbered.collect();
    let last = messages.as_array()?.last()?;
    let is_last = |answer: &Value<'_>| {
        let is_same = |key: &&str| answer.get(key).map(|of| of.text) == last.get(key).map(|of| of.text);
        ["role", "content", "tool_calls"].iter().all(is_same)
    };
    if answers.is_empty() || answers.iter().any(|(_, answer)| is_last(answer)) {
        return None;
    }
    let label = |number| (answers.len() > 1).then(|| Cow::Owned(format!("choice {number}")));
    let track = |&(number, answer): &(usize, &'a Value<'a>)| {
        let prompt = Source { value: messages, pointer: "/messages".into(), role: StepRole::Unknown };
        let pointer = Cow::Owned(format!("{at}/{number}/message"));
        let answer = Source { value: answer, pointer, role: StepRole::Agent };
        RowTrack { label: label(number), ..RowTrack::of(vec![prompt, answer]) }
    };
    Some(bounded((row, list), answers.iter().map(track), answers.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn requests_have_tools_and_instructions() {
        let of = |row: &str| {
            let row = parse(row).unwrap();
            let text = |value: Option<&Value<'_>>| value.map(|value| value.text.to_owned());
            (text(requested_tools(&row)), text(instructions(&row)))
        };
        let some = |text: &str| Some(text.to_owned());
        let gym =
            r#"{"responses_create_params":{"input":"q","tools":[1],"instructions":"i"},"instructions":"of people"}"#;
        assert_eq!(of(gym), (some("[1]"), some("\"i\"")));
        assert_eq!(of(r#"{"input":{"messages":[],"tools":null},"preferred_output":[]}"#), (None, None));
        let response = r#"{"input":"q","instructions":"i","output":[{"type":"reasoning","summary":[]}]}"#;
        assert_eq!(of(response), (None, some("\"i\"")));
        assert_eq!(of(r#"{"input":"q","instructions":"i","output":"a"}"#), (None, None), "words of another row");
    }
}
