//! The registry of data types: those of S14, and those that the user registers.

use super::collection::DATA_TYPES;
use crate::json::Value;
use crate::state::Schema;
use std::sync::Arc;

/// S14: the data types that are known. One that the user registers has a schema for its values.
#[derive(Debug, Clone, Default)]
pub struct DataTypes {
    registered: Vec<(String, Arc<Schema>)>,
}

impl DataTypes {
    /// Registers a data type, in place of one of that name.
    ///
    /// # Errors
    /// Its schema is not valid JSON Schema 2020-12, or asks too much of a check: why, as a sentence.
    pub fn register(&mut self, name: &str, schema: &str) -> Result<(), String> {
        let schema = Arc::new(Schema::compile(schema).map_err(|fault| fault.to_string())?);
        self.registered.retain(|(known, _)| known != name);
        self.registered.push((name.to_owned(), schema));
        Ok(())
    }

    /// Whether the user registered none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.registered.is_empty()
    }

    /// Whether a data type is in the registry.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        DATA_TYPES.contains(&name) || self.registered.iter().any(|(known, _)| known == name)
    }

    /// Why a value does not fit the schema of a registered type, or cannot be checked; None where it fits or the type
    /// has none.
    pub(super) fn misfit(&self, name: &str, value: &Value<'_>) -> Option<String> {
        let (_, schema) = self.registered.iter().find(|(known, _)| known == name)?;
        let violations = match schema.check_parsed(value) {
            Ok(violations) => violations,
            Err(why) => return Some(format!("the value is not checked against the schema of {name}: {why}")),
        };
        let first = violations.first()?;
        let place = super::path::text(&first.path);
        let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
        let more = match violations.len() - 1 {
            0 => String::new(),
            n => format!(" (and {n} more)"),
        };
        Some(format!("the value does not fit the schema of {name}: {place}{}{more}", first.message))
    }
}
