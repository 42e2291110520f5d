//! JSON objects as they are written, member by member, no name twice.

use super::said::{Left, Member, is_nothing, lose};
use crate::json;

/// An object that is being written.
#[derive(Default)]
pub(super) struct Object {
    text: String,
    names: Vec<&'static str>,
}

impl Object {
    /// Adds a member; its value is JSON.
    pub(super) fn put(&mut self, name: &'static str, value: &str) {
        self.add(name, value);
        self.names.push(name);
    }

    /// Adds members of the record that are left; one whose name is taken is counted, if it says something.
    pub(super) fn put_rest(&mut self, what: &str, members: &[Member], left: &mut Left) {
        for (name, value) in members {
            match self.names.contains(&name.as_str()) {
                false => self.add(name, value),
                true if is_nothing(value) => {}
                true => lose(left, what, name),
            }
        }
    }

    /// The object.
    pub(super) fn end(self) -> String {
        format!("{{{}}}", self.text)
    }

    fn add(&mut self, name: &str, value: &str) {
        let comma = if self.text.is_empty() { "" } else { "," };
        self.text += &format!("{comma}{}:{value}", json::quote(name));
    }
}
