//! Settings of templates: values for the variables that a template knows beside its messages.

use super::source::PROGRESS;
use crate::json;

/// Variables that are not for a setting.
const TAKEN: [&str; 3] = ["messages", "add_generation_prompt", PROGRESS];

/// A value for a variable of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The variable.
    pub name: String,
    /// Its value, as JSON.
    pub value: String,
}

impl Setting {
    /// Reads `KEY=VALUE`; a value that is not valid JSON is a text.
    ///
    /// # Errors
    /// It is not one: what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("a setting is KEY=VALUE, as in enable_thinking=false")?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_word) || name.starts_with(|c: char| c.is_numeric()) {
            return Err(format!("'{name}' is not a name of a variable"));
        }
        if TAKEN.contains(&name) {
            return Err(format!("`{name}` comes from the conversation"));
        }
        let value = if json::parse(value).is_ok() { value.to_owned() } else { json::quote(value) };
        Ok(Self { name: name.to_owned(), value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_json_or_text() {
        for (text, expect) in [
            ("a=false", "false"),
            ("a=False", "\"False\""),
            ("a=26 Jul = 2024", "\"26 Jul = 2024\""),
            ("a=", "\"\""),
            ("a=\"1\"", "\"1\""),
            ("a=[{\"b\": 1}]", "[{\"b\": 1}]"),
        ] {
            assert_eq!(Setting::parse(text), Ok(Setting { name: "a".to_owned(), value: expect.to_owned() }));
        }
        for wrong in ["a", "=1", "1a=1", "a b=1", "messages=[]"] {
            assert!(Setting::parse(wrong).is_err(), "{wrong}");
        }
    }
}
