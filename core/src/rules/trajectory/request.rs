//! Requests to a model that a row has as they were sent: their tools and instructions are those of the conversation.

use super::exchange::wrapped_request;
use super::{blocks, gemini, text};
use crate::json::Value;

/// Where a row has its request: NeMo Gym, OpenAI's preferences.
const REQUESTS: [&str; 2] = ["responses_create_params", "input"];

fn request<'a>(row: &'a Value<'a>) -> Option<&'a Value<'a>> {
    let named = REQUESTS.iter().find_map(|name| row.get(name).filter(|request| request.as_object().is_some()));
    named.or_else(|| wrapped_request(row))
}

/// The tools that the request of a row declares.
#[must_use]
pub(crate) fn requested_tools<'a>(row: &'a Value<'a>) -> Option<&'a Value<'a>> {
    // Converse has them in its settings for them.
    let set = |of: &'a Value<'a>| of.get("toolConfig")?.get("tools");
    let tools = request(row).and_then(|request| request.get("tools").or_else(|| set(request))).or_else(|| set(row));
    let tools = tools.filter(|tools| !tools.is_null());
    tools.or_else(|| gemini::tools(row))
}

/// The instructions of a request, which are its system prompt: of one that a row has, or that the row is with what came
/// back (OpenAI's Responses interface), a text; of a request of the Messages interface, of Converse and of Gemini's API
/// also parts.
#[must_use]
pub(crate) fn instructions<'a>(row: &'a Value<'a>) -> Option<&'a Value<'a>> {
    let is_text = |text: &&Value<'_>| text.as_str().is_some_and(|text| !text.trim().is_empty());
    let is_item = |item: &Value<'_>| blocks::item(item).is_some() || item.get("role").is_some();
    let has_items = || row.get("output").and_then(Value::as_array).is_some_and(|all| all.first().is_some_and(is_item));
    let found = match request(row) {
        Some(request) => request.get("instructions").filter(is_text).or_else(|| system(request)),
        None => row.get("instructions").filter(is_text).filter(|_| has_items()),
    };
    found.or_else(|| system(row)).or_else(|| gemini::system_prompt(row))
}

/// The system prompt of a request of the Messages interface or of Converse: a text, or parts.
fn system<'a>(request: &'a Value<'a>) -> Option<&'a Value<'a>> {
    let found = request.get("system")?;
    text::joined(found).is_some_and(|text| !text.trim().is_empty()).then_some(found)
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
