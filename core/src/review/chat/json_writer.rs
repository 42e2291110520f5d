//! JSON objects as they are written, member by member, no name twice.

use super::message_text::{Left, Member, is_nothing, lose};
use crate::json;
use std::collections::HashSet;
use std::ops::Range;

/// An object that is being written.
#[derive(Default)]
pub(super) struct Object {
    text: String,
    names: HashSet<String>,
    /// Where its members are in the text.
    places: Vec<Range<usize>>,
}

impl Object {
    /// Adds a member; its value is JSON.
    pub(super) fn put(&mut self, name: &str, value: &str) {
        if !self.text.is_empty() {
            self.text.push(',');
        }
        let start = self.text.len();
        self.text.extend([&json::quote(name), ":", value]);
        self.places.push(start..self.text.len());
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
        format!("{{{}}}", self.text)
    }

    /// The object with its members in this order; those that are not named come last.
    pub(super) fn end_in_order(self, names: &[Box<str>]) -> String {
        let beginnings: Vec<String> = names.iter().map(|name| format!("{}:", json::quote(name))).collect();
        let mut members: Vec<&str> = self.places.iter().map(|place| &self.text[place.clone()]).collect();
        members
            .sort_by_key(|member| beginnings.iter().position(|begin| member.starts_with(begin)).unwrap_or(usize::MAX));
        format!("{{{}}}", members.join(","))
    }
}
