//! The validator of the feature `schema`: compiles, checks, and says in few words what a schema wants and where.

use super::last_segment;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{Draft, Retrieve, Uri, ValidationError};
use serde_json::Value as Plain;

/// A compiled schema, and the address that it gives itself, or none.
#[derive(Debug)]
pub(super) struct Validator {
    compiled: jsonschema::Validator,
    root: String,
}

/// Answers every address with the schema that accepts everything.
struct Anything;

impl Retrieve for Anything {
    fn retrieve(&self, _uri: &Uri<String>) -> Result<Plain, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Plain::Bool(true))
    }
}

/// Most schemas of a choice that are reported.
const ALTERNATIVES_MAX: usize = 4;

pub(super) fn compile(schema: &Plain) -> Result<Validator, String> {
    let options = jsonschema::options().with_draft(Draft::Draft202012).with_retriever(Anything);
    let root = schema.get("$id").and_then(Plain::as_str).unwrap_or_default().to_owned();
    let compiled = options.should_validate_formats(false).build(schema);
    compiled.map(|compiled| Validator { compiled, root }).map_err(|error| {
        let at = error.instance_path().to_string();
        format!("{}{}{}", error.masked_with("the value"), if at.is_empty() { "" } else { " at " }, at)
    })
}

pub(super) fn is_valid(schema: &Validator, value: &Plain) -> bool {
    schema.compiled.is_valid(value)
}

/// Path in the value, sentence, path in the schema. What could not be decided is no violation.
pub(super) fn errors(schema: &Validator, value: &Plain) -> Vec<(String, String, String)> {
    schema.compiled.iter_errors(value).filter_map(|error| named(schema, &error)).collect()
}

fn named(schema: &Validator, error: &ValidationError<'_>) -> Option<(String, String, String)> {
    let is_undecided = matches!(
        error.kind(),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } | Kind::Referencing(_)
    );
    (!is_undecided).then(|| (error.instance_path().to_string(), message(error), place(error, &schema.root)))
}

/// The JSON Pointer of a keyword; in a part of the schema that has an address of its own, after that, since the pointer
/// begins there.
fn place(error: &ValidationError<'_>, root: &str) -> String {
    let pointer = error.schema_path().to_string();
    let base = error.absolute_keyword_location().and_then(|uri| uri.as_str().split('#').next());
    match base.filter(|base| last_segment(base) != last_segment(root)) {
        Some(base) => format!("{base}#{pointer}"),
        None => pointer,
    }
}

/// What the schema wants, in few words; the value itself is on screen.
fn message(error: &ValidationError<'_>) -> String {
    match error.kind() {
        Kind::Type { kind: TypeKind::Single(one) } => format!("{one} required"),
        Kind::Type { kind: TypeKind::Multiple(several) } => {
            format!("{} required", several.iter().map(|t| t.to_string()).collect::<Vec<_>>().join(" or "))
        }
        Kind::Required { property } => format!("{property} is missing"),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!("no place for {}", unexpected.join(", "))
        }
        Kind::Enum { options } => format!("one of {options} required"),
        Kind::Constant { expected_value } => format!("{expected_value} required"),
        Kind::Minimum { limit } => format!("at least {limit} required"),
        Kind::Maximum { limit } => format!("at most {limit} required"),
        Kind::ExclusiveMinimum { limit } => format!("more than {limit} required"),
        Kind::ExclusiveMaximum { limit } => format!("less than {limit} required"),
        Kind::MinLength { limit } => format!("at least {limit} characters required"),
        Kind::MaxLength { limit } => format!("at most {limit} characters allowed"),
        Kind::MinItems { limit } => format!("at least {limit} elements required"),
        Kind::MaxItems { limit } => format!("at most {limit} elements allowed"),
        Kind::FalseSchema => "nothing is allowed here".to_owned(),
        Kind::MinProperties { limit } => format!("at least {limit} members required"),
        Kind::MaxProperties { limit } => format!("at most {limit} members allowed"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of} required"),
        Kind::Pattern { pattern } => format!("a text that matches {pattern} required"),
        Kind::UniqueItems => "elements that differ required".to_owned(),
        Kind::Not { schema } => format!("what keeps to {schema} is forbidden"),
        Kind::PropertyNames { error } => format!("as a name of a member: {}", alone(error)),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => none_of(context, error.instance_path().as_str()),
        Kind::OneOfMultipleValid { .. } => "only one of the schemas of oneOf may fit".to_owned(),
        _ => error.masked_with("the value").to_string(),
    }
}

/// What each of some schemas wants, of which none fits.
fn none_of(schemas: &[Vec<ValidationError<'_>>], path: &str) -> String {
    let mut messages: Vec<String> = Vec::new();
    for error in schemas.iter().take(ALTERNATIVES_MAX).filter_map(|errors| errors.first()) {
        let at = error.instance_path().as_str();
        let at = at.strip_prefix(path).unwrap_or(at);
        let message = if at.is_empty() { alone(error) } else { format!("{} at {at}", alone(error)) };
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
    if schemas.len() > ALTERNATIVES_MAX {
        messages.push("…".to_owned());
    }
    messages.join(", or ")
}

/// The same of a schema in another, without those that are in it in turn.
fn alone(error: &ValidationError<'_>) -> String {
    match error.kind() {
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => "one of several schemas kept to".to_owned(),
        Kind::PropertyNames { .. } => "other names of members required".to_owned(),
        _ => message(error),
    }
}
