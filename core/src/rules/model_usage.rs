//! Tokens of an answer as the interfaces of models and the libraries around them count them.

use crate::json::{Data, Value};
use crate::model::Usage;

/// The tokens of an answer in the members of Chat Completions, Responses, Messages, LangChain and the AI SDK. All but
/// Messages, and gptme, count those of a cache among the input; they are taken off it.
pub(crate) fn model_usage(usage: &Value<'_>) -> Usage {
    let input = first(usage, &["input_tokens", "prompt_tokens", "inputTokens", "promptTokens"]);
    let output = first(usage, &["output_tokens", "completion_tokens", "outputTokens", "completionTokens"]);
    let details = first(usage, &DETAILS).and_then(single).or(input.filter(|input| input.as_object().is_some()));
    let of_details = |keys: &[&str]| details.and_then(|details| number(first(details, keys)?));
    let beside = |keys: &[&str]| number(first(usage, keys)?);
    let cache_read = of_details(&["cached_tokens", "cache_read", "cacheReadTokens", "cacheRead"]);
    let cache_read = cache_read.or_else(|| {
        beside(&["cachedInputTokens", "cacheReadTokens", "prompt_cache_hit_tokens", "cached_input_tokens"])
    });
    let cache_write = of_details(&["cache_creation", "cacheWriteTokens", "cacheWrite", "cache_write_tokens"])
        .or_else(|| beside(&["cacheWriteTokens"]));
    // Members of Messages, which other interfaces give along with their own, of Converse and of gptme.
    let read = beside(&["cache_read_input_tokens", "cacheReadInputTokens", "cache_read_tokens"]);
    let write = beside(&["cache_creation_input_tokens", "cacheWriteInputTokens", "cache_creation_tokens"]);
    let has_prompt = usage.get("prompt_tokens").is_some();
    let is_messages = details.is_none() && !has_prompt && (read.is_some() || write.is_some());
    // Prompt tokens of verifiers are those outside of the cache.
    let is_verifiers = has_prompt && usage.get("cached_input_tokens").is_some();
    let (cache_read, cache_write) = (cache_read.or(read), cache_write.or(write));
    let among =
        if is_messages || is_verifiers { 0 } else { cache_read.unwrap_or(0).saturating_add(cache_write.unwrap_or(0)) };
    Usage {
        input: input.and_then(total).map(|all| all.saturating_sub(among)),
        output: output.and_then(total),
        cache_read,
        cache_write,
        cost: first(usage, &["cost"]).and_then(Value::as_number).and_then(|n| n.parse().ok()),
    }
}

/// Members that split the input.
const DETAILS: [&str; 7] = [
    "prompt_tokens_details",
    "prompt_token_details",
    "input_tokens_details",
    "input_token_details",
    "inputTokensDetails",
    "inputTokenDetails",
    "promptTokensDetails",
];

/// Details, where a library lists those of each request the first ones.
fn single<'v, 'a>(details: &'v Value<'a>) -> Option<&'v Value<'a>> {
    match &details.data {
        Data::Array(all) => all.first(),
        _ => Some(details),
    }
}

fn number(value: &Value<'_>) -> Option<u64> {
    value.as_number()?.parse().ok()
}

/// A count, or the total of an object of counts.
fn total(value: &Value<'_>) -> Option<u64> {
    number(value).or_else(|| number(value.get("total")?))
}

/// The first member that is there and not null.
fn first<'v, 'a>(value: &'v Value<'a>, keys: &[&str]) -> Option<&'v Value<'a>> {
    keys.iter().find_map(|key| value.get(key).filter(|found| !found.is_null()))
}

fn count(value: &Value<'_>, key: &str) -> Option<u64> {
    value.get(key).and_then(number)
}

/// Tokens of an answer of Gemini's API: cached ones are counted among the prompt, thoughts apart from the answer.
pub(crate) fn part_usage(usage: &Value<'_>) -> Usage {
    let of = |keys: [&str; 2]| keys.iter().find_map(|key| count(usage, key));
    let cached = of(["cachedContentTokenCount", "cached_content_token_count"]);
    let more = |keys| of(keys).unwrap_or_default();
    let tools = more(["toolUsePromptTokenCount", "tool_use_prompt_token_count"]);
    let thoughts = more(["thoughtsTokenCount", "thoughts_token_count"]);
    let prompt = of(["promptTokenCount", "prompt_token_count"]);
    let answered = of(["candidatesTokenCount", "candidates_token_count"]);
    // Other services than Google's count thoughts among the answer, as the total shows.
    let total = of(["totalTokenCount", "total_token_count"]);
    let are_among = total.is_some() && total == prompt.zip(answered).map(|(prompt, answered)| prompt + answered);
    let thoughts = if are_among { 0 } else { thoughts };
    Usage {
        input: prompt.map(|n| n.saturating_sub(cached.unwrap_or_default()).saturating_add(tools)),
        output: answered.map(|n| n.saturating_add(thoughts)),
        cache_read: cached,
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn what_a_cache_had_is_counted_once() {
        for (text, expected) in [
            // Chat Completions, and DeepSeek's.
            (r#"{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":7}}"#, [3, 2, 7, 0]),
            (r#"{"prompt_tokens":10,"completion_tokens":2,"prompt_cache_hit_tokens":7}"#, [3, 2, 7, 0]),
            (r#"{"prompt_tokens":10,"completion_tokens":2}"#, [10, 2, 0, 0]),
            // Responses, and what the Agents SDK makes of it.
            (r#"{"input_tokens":10,"output_tokens":2,"input_tokens_details":{"cached_tokens":7}}"#, [3, 2, 7, 0]),
            (
                r#"{"input_tokens":11,"output_tokens":2,
                "input_tokens_details":[{"cached_tokens":7,"cache_write_tokens":1}]}"#,
                [3, 2, 7, 1],
            ),
            (r#"{"inputTokens":10,"outputTokens":2,"inputTokensDetails":[{"cached_tokens":7}]}"#, [3, 2, 7, 0]),
            // Messages, by itself and through LiteLLM.
            (
                r#"{"input_tokens":3,"output_tokens":2,"cache_read_input_tokens":7,"cache_creation_input_tokens":1}"#,
                [3, 2, 7, 1],
            ),
            (
                r#"{"prompt_tokens":11,"completion_tokens":2,"cache_read_input_tokens":7,
                "cache_creation_input_tokens":1}"#,
                [3, 2, 7, 1],
            ),
            (r#"{"prompt_tokens":3,"completion_tokens":2,"cached_input_tokens":7}"#, [3, 2, 7, 0]),
            // Converse.
            (r#"{"inputTokens":3,"outputTokens":2,"cacheReadInputTokens":7,"cacheWriteInputTokens":1}"#, [3, 2, 7, 1]),
            // What gptme makes of each.
            (r#"{"input_tokens":3,"output_tokens":2,"cache_read_tokens":7,"cache_creation_tokens":1}"#, [3, 2, 7, 1]),
            // Copilot CLI and Cline.
            (r#"{"inputTokens":11,"outputTokens":2,"cacheReadTokens":7,"cacheWriteTokens":1}"#, [3, 2, 7, 1]),
            // LangChain.
            (
                r#"{"input_tokens":11,"output_tokens":2,"input_token_details":{"cache_read":7,"cache_creation":1}}"#,
                [3, 2, 7, 1],
            ),
            // The AI SDK, version 4, 5 and 6, and its providers.
            (r#"{"promptTokens":10,"completionTokens":2}"#, [10, 2, 0, 0]),
            (r#"{"inputTokens":10,"outputTokens":2,"cachedInputTokens":7}"#, [3, 2, 7, 0]),
            (
                r#"{"inputTokens":11,"outputTokens":2,
                "inputTokenDetails":{"noCacheTokens":3,"cacheReadTokens":7,"cacheWriteTokens":1}}"#,
                [3, 2, 7, 1],
            ),
            (
                r#"{"inputTokens":{"total":11,"noCache":3,"cacheRead":7,"cacheWrite":1},"outputTokens":{"total":2}}"#,
                [3, 2, 7, 1],
            ),
        ] {
            let usage = model_usage(&json::parse(text).unwrap());
            let counts = [usage.input, usage.output, usage.cache_read, usage.cache_write];
            assert_eq!(counts.map(Option::unwrap_or_default), expected, "{text}");
        }
    }
}
