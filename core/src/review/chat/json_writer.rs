//! JSON objects as they are written, member by member, no name twice.

use super::message_text::{Left, Member, is_nothing, lose};
use crate::json;
use std::collections::HashSet;

/// An object that is being written.
#[derive(Default)]
pub(super) struct Object {
    members: Vec<(String, String)>,
    names: HashSet<String>,
}

impl Object {
    /// Adds a member; its value is JSON.
    pub(super) fn put(&mut self, name: &str, value: &str) {
        self.members.push((name.to_owned(), value.to_owned()));
        self.names.insert(name.to_owned());
    }

    /// Adds members of the record that are left; one whose name is taken is counted, if it says something.
    pub(super) fn put_rest(&mut self, what: &str, members: &[Member], left: &mut Left) {
        for (name, value) in members {
            match self.names.contains(name) {
                false => self.put(name, value),
                true if is_nothing(value) => {}
                true => lose(left, what, name),
            }
        }
    }

    /// The object.
    pub(super) fn end(self) -> String {
        let members: Vec<String> =
            self.members.iter().map(|(name, value)| format!("{}:{value}", json::quote(name))).collect();
        format!("{{{}}}", members.join(","))
    }

    /// The object with its members in this order; those that are not named come last.
    pub(super) fn end_in_order(mut self, names: &[Box<str>]) -> String {
        let place = |name: &str| names.iter().position(|known| &**known == name).unwrap_or(usize::MAX);
        self.members.sort_by_key(|(name, _)| place(name));
        self.end()
    }
}
