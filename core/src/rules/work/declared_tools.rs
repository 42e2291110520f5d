//! The tools that a run declares: what they are for, and what arguments they take.

use super::Work;
use crate::json::{self, Value};
use crate::model::{HEAD, StepNo};
use std::collections::HashMap;

/// Most bytes of declarations that a run has; what is more is not known.
const BYTES_MAX: usize = 4 << 20;

/// What was declared of each tool, by its name.
#[derive(Debug, Default)]
pub(super) struct DeclaredTools {
    by_name: HashMap<Box<str>, Vec<Declaration>>,
    /// Lists that were read, so that one that every request repeats is read once.
    last_list: Box<str>,
    bytes: usize,
}

#[derive(Debug)]
struct Declaration {
    at: StepNo,
    text: Box<str>,
}

impl Work {
    /// Tools that are there from a step on, as JSON: a list of objects that have a `name`, or one in their `function`,
    /// or such a list as JSON in a string. Others that are no longer in the list stay known.
    pub fn declare_tools(&mut self, at: StepNo, list: &str) {
        if *self.declared.last_list == *list {
            return;
        }
        self.declared.last_list = list.into();
        let Ok(parsed) = json::parse(list) else { return };
        match parsed.as_str().map(json::parse) {
            Some(Ok(inner)) => self.declared.add_all(at, &inner),
            Some(Err(_)) => {}
            None => self.declared.add_all(at, &parsed),
        }
    }

    /// What was declared of a tool last, up to a step, as JSON, and by which step.
    #[must_use]
    pub fn declaration(&self, tool: &str, step: StepNo) -> Option<(&str, StepNo)> {
        let all = self.declared.by_name.get(tool)?;
        let after = all.partition_point(|one| one.at <= step);
        // One that comes late is better than none: some logs write requests when their answers are there.
        let one = all.get(after.saturating_sub(1))?;
        Some((&one.text, one.at.max(HEAD)))
    }

    /// Whether any tool is declared.
    #[must_use]
    pub fn declares_tools(&self) -> bool {
        !self.declared.by_name.is_empty()
    }
}

impl DeclaredTools {
    fn add_all(&mut self, at: StepNo, list: &Value<'_>) {
        let one = [list];
        let items = list.as_array().map_or(one.as_slice().to_vec(), |items| items.iter().collect());
        for item in items {
            // A namespace holds tools, a tool of Gemini's API functions.
            let names = ["tools", "functionDeclarations", "function_declarations"];
            if let Some(tools) = names.iter().find_map(|name| item.get(name)).filter(|all| all.as_array().is_some()) {
                self.add_all(at, tools);
                continue;
            }
            let described = item.get("function").filter(|function| function.as_object().is_some()).unwrap_or(item);
            if let Some(name) = ["name", "title"].iter().find_map(|key| described.get(key)?.as_str()) {
                self.add(at, name, described.text);
            }
        }
    }

    fn add(&mut self, at: StepNo, name: &str, text: &str) {
        let known = self.by_name.get(name).and_then(|all| all.last());
        if known.is_some_and(|last| *last.text == *text) || self.bytes + text.len() > BYTES_MAX {
            return;
        }
        self.bytes += text.len();
        self.by_name.entry(name.into()).or_default().push(Declaration { at, text: text.into() });
    }
}

#[cfg(test)]
mod tests {
    use super::super::Dialect;
    use super::*;

    #[test]
    fn the_last_declaration_up_to_a_step_counts() {
        let mut work = Work::new(Dialect::Common);
        let mut declare = |at, text: &str| work.declare_tools(at, text);
        let first = r#"[{"name":"ls","parameters":{}},{"type":"function","function":{"name":"cat","n":1}},7]"#;
        declare(0, first);
        declare(1, first);
        declare(3, r#""[{\"name\":\"ls\",\"description\":\"lists\"}]""#);
        declare(4, r#"{"name":"one"}"#);
        declare(5, r#""no list""#);
        assert_eq!(work.declaration("ls", 2), Some((r#"{"name":"ls","parameters":{}}"#, 0)));
        assert_eq!(work.declaration("ls", 9), Some((r#"{"name":"ls","description":"lists"}"#, 3)));
        assert_eq!(work.declaration("cat", 9), Some((r#"{"name":"cat","n":1}"#, 0)));
        assert_eq!(work.declaration("one", 2), Some((r#"{"name":"one"}"#, 4)));
        assert_eq!(work.declaration("rm", 9), None);
    }

    #[test]
    fn declarations_are_bounded() {
        let mut work = Work::new(Dialect::Common);
        let long = "x".repeat(BYTES_MAX / 2);
        for name in ["a", "b", "c"] {
            work.declare_tools(0, &format!(r#"[{{"name":"{name}","d":"{long}"}}]"#));
        }
        assert!(work.declaration("a", 0).is_some() && work.declaration("c", 0).is_none());
    }
}
