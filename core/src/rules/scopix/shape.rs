//! What a record is (S2 to S9).

use crate::json::Value;

/// S9: the shapes of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopixShape {
    /// S6: slots without values.
    SlotList,
    /// S2: an execution context, a checkpoint.
    Context,
    /// S4: the arguments of one write.
    Write,
    /// S5: what an agent gave.
    AgentResult,
    /// S8: what a pipeline gave.
    Response,
    /// S8: contracts, steps, or a request.
    Pipeline,
    /// S8: what an agent takes and gives.
    Contract,
    /// S7: files.
    FileCollection,
    /// S3: slots without a frame.
    BareMap,
    /// None of these.
    Unknown,
    /// No JSON.
    Broken,
}

impl ScopixShape {
    /// S9: the first shape that fits; None for anything else.
    #[must_use]
    pub fn of(value: &Value<'_>) -> Option<Self> {
        type Test = fn(&Value<'_>) -> bool;
        const TESTS: [(ScopixShape, Test); 9] = [
            (ScopixShape::SlotList, is_slot_list),
            (ScopixShape::Context, is_context),
            (ScopixShape::Write, is_write),
            (ScopixShape::AgentResult, is_agent_result),
            (ScopixShape::Response, is_response),
            (ScopixShape::Pipeline, is_pipeline),
            (ScopixShape::Contract, is_contract),
            (ScopixShape::FileCollection, is_file_collection),
            (ScopixShape::BareMap, is_bare_map),
        ];
        TESTS.iter().find(|(_, is_it)| is_it(value)).map(|(shape, _)| *shape)
    }

    /// S9: the shape of a first record, which says what the file is. `slots` count if they are empty or one of them is
    /// a `TypedSlot` (S2): dialogues and intents of other programs have some too.
    #[must_use]
    pub fn of_first(value: &Value<'_>) -> Option<Self> {
        let is_slot = |slot: &Value<'_>| {
            slot.get("value").is_some() && ["data_type", "source_node"].iter().any(|key| slot.get(key).is_some())
        };
        let slots = || value.get("slots").and_then(Value::as_object);
        let has_slots = || slots().is_some_and(|o| o.is_empty() || o.entries().any(|(_, slot)| is_slot(slot)));
        Self::of(value).filter(|shape| *shape != Self::Context || has_slots())
    }

    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SlotList => "list_slots",
            Self::Context => "context",
            Self::Write => "write",
            Self::AgentResult => "result",
            Self::Response => "response",
            Self::Pipeline => "pipeline",
            Self::Contract => "contract",
            Self::FileCollection => "collection",
            Self::BareMap => "slots",
            Self::Unknown => "unknown",
            Self::Broken => "broken",
        }
    }
}

/// The member if it is a string.
pub(super) fn string<'v>(value: &'v Value<'_>, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// The elements of a member that is an array with at least one.
fn some<'v, 'a>(value: &'v Value<'a>, key: &str) -> Option<&'v [Value<'a>]> {
    value.get(key).and_then(Value::as_array).filter(|items| !items.is_empty())
}

fn all_have(items: &[Value<'_>], keys: [&str; 2]) -> bool {
    items.iter().all(|item| keys.iter().all(|key| string(item, key).is_some()))
}

/// S6: a non-empty array of objects with exactly `name`, `type`, `source`.
pub(super) fn is_slot_list(value: &Value<'_>) -> bool {
    let is_entry = |item: &Value<'_>| {
        item.as_object().is_some_and(|o| o.len() == 3)
            && string(item, "name").is_some()
            && item.get("type").is_some()
            && item.get("source").is_some()
    };
    value.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(is_entry))
}

/// S2: an object whose `slots` is an object.
fn is_context(value: &Value<'_>) -> bool {
    value.get("slots").is_some_and(|slots| slots.as_object().is_some())
}

/// S4: a string `slot_name` and a `value`.
fn is_write(value: &Value<'_>) -> bool {
    string(value, "slot_name").is_some() && value.get("value").is_some()
}

/// S5: a string `agent_name` and a boolean `success`.
fn is_agent_result(value: &Value<'_>) -> bool {
    string(value, "agent_name").is_some() && value.get("success").is_some_and(|v| v.as_bool().is_some())
}

/// S8: a boolean `success` and [`response_nodes`].
fn is_response(value: &Value<'_>) -> bool {
    value.get("success").is_some_and(|v| v.as_bool().is_some()) && response_nodes(value).is_some()
}

/// S8: the nodes of a response: a non-empty array `nodes`, else `steps`, of objects with string `agent` and `status`.
pub(super) fn response_nodes<'v, 'a>(value: &'v Value<'a>) -> Option<&'v [Value<'a>]> {
    let nodes = some(value, "nodes").or_else(|| some(value, "steps"))?;
    all_have(nodes, ["agent", "status"]).then_some(nodes)
}

/// S8: an object with an array `contracts`, or a request: a non-empty array `steps` of string `agent` and `intent`.
pub(super) fn is_pipeline(value: &Value<'_>) -> bool {
    value.get("contracts").is_some_and(|v| v.as_array().is_some())
        || some(value, "steps").is_some_and(|steps| all_have(steps, ["agent", "intent"]))
}

/// S8: string `name` and `capability`, and `inputs` or `outputs`.
pub(super) fn is_contract(value: &Value<'_>) -> bool {
    string(value, "name").is_some()
        && string(value, "capability").is_some()
        && (value.get("inputs").is_some() || value.get("outputs").is_some())
}

/// S7: `ids` of strings or `refs` of objects with `id`, and a string `content_type`.
fn is_file_collection(value: &Value<'_>) -> bool {
    let all = |key: &str, is_it: fn(&Value<'_>) -> bool| {
        value.get(key).and_then(Value::as_array).is_some_and(|items| items.iter().all(is_it))
    };
    string(value, "content_type").is_some()
        && (all("ids", |id| id.as_str().is_some()) || all("refs", |r| r.get("id").is_some()))
}

/// S3: a non-empty object whose values all have `value` and a string `data_type`.
fn is_bare_map(value: &Value<'_>) -> bool {
    let is_slot = |slot: &Value<'_>| slot.get("value").is_some() && string(slot, "data_type").is_some();
    value.as_object().is_some_and(|o| !o.is_empty() && o.entries().all(|(_, slot)| is_slot(slot)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn the_first_shape_that_fits() {
        for (text, shape) in [
            (r#"[{"name":"a","type":"TEXT","source":"s"}]"#, Some(ScopixShape::SlotList)),
            (r#"[{"name":"a","type":"TEXT","source":"s","x":1}]"#, None),
            ("[]", None),
            (r#"{"slots":{}}"#, Some(ScopixShape::Context)),
            (r#"{"slots":[]}"#, None),
            (r#"{"slot_name":"a","value":null}"#, Some(ScopixShape::Write)),
            (r#"{"agent_name":"a","success":false}"#, Some(ScopixShape::AgentResult)),
            (r#"{"success":true,"nodes":[],"steps":[{"agent":"a","status":"x"}]}"#, Some(ScopixShape::Response)),
            (r#"{"success":true,"nodes":[{"agent":"a"}],"steps":[{"agent":"a","status":"x"}]}"#, None),
            (r#"{"contracts":[]}"#, Some(ScopixShape::Pipeline)),
            (r#"{"steps":[{"agent":"a","intent":"i"}],"image_ids":null}"#, Some(ScopixShape::Pipeline)),
            (r#"{"steps":[{"agent":"a"}]}"#, None),
            (r#"{"name":"n","capability":"c","inputs":[]}"#, Some(ScopixShape::Contract)),
            (r#"{"refs":[{"id":"1"}],"content_type":"images"}"#, Some(ScopixShape::FileCollection)),
            (r#"{"ids":[1],"content_type":"images"}"#, None),
            (r#"{"a":{"value":1,"data_type":"TEXT"}}"#, Some(ScopixShape::BareMap)),
            ("{}", None),
            ("5", None),
        ] {
            assert_eq!(ScopixShape::of(&parse(text).unwrap()), shape, "{text}");
        }
    }
    #[test]
    fn slots_of_others_give_no_file() {
        for (text, has_file) in [
            (r#"{"slots":{}}"#, true),
            (r#"{"slots":{"a":5,"b":{"value":1,"source_node":"n"}}}"#, true),
            (r#"{"sender_id":"u","slots":{"name":"Ann","city":null},"events":[{"event":"action"}]}"#, false),
            (r#"{"slots":{"city":{"name":"city","value":"Lyon","confirmationStatus":"NONE"}}}"#, false),
            (r#"{"slots":{"a":5},"contracts":[]}"#, false),
        ] {
            assert_eq!(ScopixShape::of_first(&parse(text).unwrap()).is_some(), has_file, "{text}");
        }
    }
}
