//! The tools that a span declares: as one attribute, or as one attribute a tool.

use super::attributes::{attribute, plain};
use crate::json::{self, Value};

/// Attributes that list all tools.
const LISTS: [&str; 4] = ["gen_ai.tool.definitions", "ai.prompt.tools", "gen_ai.request.tools", "mlflow.chat.tools"];
/// Most tools of a span that are looked for by number.
const TOOLS_MAX: usize = 1_000;

/// The tools that a span declares, as a JSON array.
pub(super) fn tools(span: &Value<'_>) -> Option<String> {
    if let Some(list) = attribute(span, &LISTS) {
        let text = list.as_str().map(str::to_owned).or_else(|| plain(list));
        let text = text.unwrap_or_else(|| list.text.to_owned());
        // The AI SDK writes each of them as JSON in a string.
        let parsed = json::parse(&text).ok()?;
        let items = parsed.as_array()?.iter().map(|item| item.as_str().unwrap_or(item.text));
        return Some(array(items.filter(|item| json::parse(item).is_ok())));
    }
    let schema = |number: usize| attribute(span, &[&format!("llm.tools.{number}.tool.json_schema")]);
    let schemas: Vec<&Value<'_>> = (0..TOOLS_MAX).map_while(schema).collect();
    let texts = schemas.iter().map(|schema| schema.as_str().unwrap_or(schema.text));
    (!schemas.is_empty()).then(|| array(texts.filter(|text| json::parse(text).is_ok())))
}

fn array<'v>(items: impl Iterator<Item = &'v str>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_found_in_all_spellings() {
        let of = |attributes: &str| tools(&json::parse(&format!(r#"{{"attributes":{attributes}}}"#)).unwrap());
        let expect = Some(r#"[{"name":"ls"}]"#.to_owned());
        assert_eq!(of(r#"{"gen_ai.tool.definitions":"[{\"name\":\"ls\"}]"}"#), expect);
        assert_eq!(of(r#"{"gen_ai.tool.definitions":[{"name":"ls"}]}"#), expect);
        assert_eq!(of(r#"{"ai.prompt.tools":["{\"name\":\"ls\"}","no JSON"]}"#), expect);
        assert_eq!(of(r#"{"llm.tools.0.tool.json_schema":"{\"name\":\"ls\"}"}"#), expect);
        assert_eq!(of(r#"{"llm":{"tools":[{"tool":{"json_schema":"{\"name\":\"ls\"}"}}]}}"#), expect);
        let typed = r#"[{"key":"gen_ai.tool.definitions","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[
            {"key":"name","value":{"stringValue":"ls"}}]}}]}}}]"#;
        assert_eq!(of(typed), expect);
        assert_eq!((of("{}"), of(r#"{"gen_ai.tool.definitions":"none"}"#)), (None, None));
    }
}
