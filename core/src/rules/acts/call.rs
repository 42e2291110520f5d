//! One call of a plan, a solution or by itself: what it reads and writes (A37, A38).

use super::expression::{self, Expression};
use super::identity::instance_name;
use super::message::{ActsMessage, MessageType};
use super::reference::Reference;
use super::write::output_expression;
use crate::json::{Data, Value};

/// A call as written, its references read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    /// `_tool`.
    pub tool: Option<String>,
    /// `_instance` (A14).
    pub instance: Option<String>,
    /// Every string in its parameters, and in `_when`, that is an expression or should be one.
    pub inputs: Vec<Input>,
    /// `_when`, if there is one.
    pub when: Option<When>,
    /// A38: what it writes; None without a readable `_outputPath`.
    pub output: Option<Expression>,
    /// Whether there is an `_outputPath`, readable or not.
    pub has_output_path: bool,
    /// Whether `_output` is there and not null.
    pub has_output: bool,
}

/// A string that a call reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Input {
    /// As written.
    pub text: String,
    /// What it says.
    pub expression: Expression,
}

/// The condition of a call (A41).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum When {
    /// The value of an expression decides.
    Expression(Expression),
    /// It is written out.
    Constant(bool),
}

/// A37: the calls that a message lists; None for a message of another type or without a list.
pub(super) fn listed<'v>(message: &ActsMessage<'v>) -> Option<Vec<&'v Value<'v>>> {
    let list = match message.kind {
        MessageType::Plan => {
            let plan = message.get("plan");
            plan.and_then(Value::as_array)
                .or_else(|| plan?.get("calls")?.as_array())
                .or_else(|| message.get("calls")?.as_array())
        }
        kind if kind.is_solution() => message.get("solution").and_then(|s| s.get("calls")?.as_array()),
        _ => None,
    }?;
    Some(list.iter().filter(|v| v.as_object().is_some()).collect())
}

/// A37, A43: the calls of a message, read. A call message is one call.
pub(super) fn of(message: &ActsMessage<'_>) -> Vec<Call> {
    if message.kind == MessageType::Call {
        return vec![Call::of_message(message)];
    }
    listed(message).unwrap_or_default().into_iter().map(Call::of_value).collect()
}

impl Call {
    /// A37: a call as it is in a list, or as the `_call` of its result.
    pub(super) fn of_value(value: &Value<'_>) -> Self {
        let members: Vec<_> = value.as_object().into_iter().flat_map(|o| o.entries()).collect();
        Self::new(|key| value.get(key), &members)
    }

    /// A call message carries its parameters itself or in `call`.
    fn of_message(message: &ActsMessage<'_>) -> Self {
        let inner = message.get("call").and_then(Value::as_object);
        let members: Vec<_> = match inner {
            Some(inner) => inner.entries().collect(),
            None => message.entries().into_iter().filter(|(key, _)| !matches!(*key, "type" | "role")).collect(),
        };
        Self::new(|key| message.get(key).or_else(|| inner?.get(key)), &members)
    }

    fn new<'v>(get: impl Fn(&str) -> Option<&'v Value<'v>>, members: &[(&str, &Value<'_>)]) -> Self {
        let mut inputs = Vec::new();
        put_parameters(members.iter().copied(), &mut inputs);
        let is_there = |v: &&Value<'_>| !v.is_null();
        let when = get("_when");
        when.into_iter().for_each(|w| put_inputs(w, &mut inputs));
        let output_path = get("_outputPath").filter(is_there);
        Self {
            tool: get("_tool").and_then(Value::as_str).map(str::to_owned),
            instance: get("_instance").and_then(instance_name),
            inputs,
            when: when.map(condition),
            output: output_path.and_then(output_expression),
            has_output_path: output_path.is_some(),
            has_output: get("_output").is_some_and(|o| !o.is_null()),
        }
    }

    /// A38: the references that it reads, each once, in order.
    #[must_use]
    pub(super) fn reads(&self) -> Vec<&Reference> {
        distinct(self.inputs.iter().flat_map(|input| input.expression.references()))
    }

    /// A38: the references that it writes, each once, in order.
    #[must_use]
    pub(super) fn writes(&self) -> Vec<&Reference> {
        distinct(self.output.iter().flat_map(Expression::references))
    }
}

fn distinct<'r>(references: impl Iterator<Item = &'r Reference>) -> Vec<&'r Reference> {
    let mut seen = std::collections::HashSet::new();
    references.filter(|r| seen.insert(r.meaning())).collect()
}

/// A38: keys with a leading `_` are no parameters, at any depth.
fn put_parameters<'v>(members: impl Iterator<Item = (&'v str, &'v Value<'v>)>, inputs: &mut Vec<Input>) {
    for (_, value) in members.filter(|(key, _)| !key.starts_with('_')) {
        put_inputs(value, inputs);
    }
}

fn put_inputs(value: &Value<'_>, inputs: &mut Vec<Input>) {
    match &value.data {
        Data::String(text) => match expression::parse(text) {
            Expression::Text => {}
            expression => inputs.push(Input { text: text.to_string(), expression }),
        },
        Data::Array(items) => items.iter().for_each(|item| put_inputs(item, inputs)),
        Data::Object(object) => put_parameters(object.entries(), inputs),
        _ => {}
    }
}

/// A41: what is true: not false, null, a zero or the empty string.
fn condition(value: &Value<'_>) -> When {
    match value.as_str().map(|text| (text, expression::parse(text))) {
        Some((text, Expression::Text)) => When::Constant(!text.is_empty()),
        Some((_, expression)) => When::Expression(expression),
        None => When::Constant(is_true(value.text)),
    }
}

/// A41: whether a value, as compact JSON text, is true.
pub(super) fn is_true(text: &str) -> bool {
    let is_zero = || {
        let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
        !mantissa.is_empty() && mantissa.bytes().all(|b| matches!(b, b'0' | b'.' | b'-'))
    };
    !matches!(text, "false" | "null" | "\"\"") && !is_zero()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn reads_parameters_at_any_depth_and_the_condition() {
        let text = r#"{"type":"plan","plan":[5,{"_tool":"t","_x":"†no","a":["†a",{"b":"†b && †a","_outputPath":"†no"}],
            "c":"see †c","_when":"!†w","_outputPath":"†o || †p","_instance":1}]}"#;
        let v = parse(text).unwrap();
        let calls = of(&ActsMessage::of(&v));
        let names = |r: Vec<&Reference>| r.iter().map(|r| r.canonical()).collect::<Vec<_>>();
        assert_eq!(calls.len(), 1);
        assert_eq!(names(calls[0].reads()), ["†a", "†b", "†w"]);
        assert_eq!(names(calls[0].writes()), ["†o", "†p"]);
        assert_eq!(calls[0].instance.as_deref(), Some("1"));
    }

    #[test]
    fn zeros_and_empty_text_are_not_true() {
        for text in ["false", "null", "\"\"", "0", "-0", "0.00", "0e9"] {
            assert!(!is_true(text), "{text}");
        }
        for text in ["true", "\"0\"", "10", "0.1e0", "{}", "[]"] {
            assert!(is_true(text), "{text}");
        }
    }
}
