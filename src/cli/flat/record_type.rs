//! What the values of records are, place by place, so that they fit into columns.

use crate::json::{Data, Value};

/// Deepest lists and groups that are columns; what is below is JSON in a text.
const DEPTH_MAX: usize = 24;
/// Most members of a group: an object with more is a dictionary, whose names are values.
const MEMBERS_MAX: usize = 200;
/// The greatest whole number that a number with a fraction holds.
const WHOLE_MAX: u64 = 1 << 53;

/// What all values at a place of records are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum RecordType {
    /// None was there, or null.
    Nothing,
    Bool,
    /// Whole numbers of 64 bits; whether one of them is too great for a number with a fraction.
    Int(bool),
    Float,
    Text,
    List(Box<RecordType>),
    /// Members in the order of their appearance.
    Group(Vec<(String, RecordType)>),
    /// Of several kinds: texts as they are, all else as JSON.
    Mixed,
}

impl RecordType {
    /// Adds a value.
    pub(in crate::cli) fn add(&mut self, value: &Value<'_>) {
        self.add_at(value, 0);
    }

    fn add_at(&mut self, value: &Value<'_>, depth: usize) {
        match (&mut *self, &value.data) {
            (Self::Mixed, _) | (_, Data::Null) => {}
            (_, Data::Array(_) | Data::Object(_)) if depth == DEPTH_MAX => *self = Self::Mixed,
            (Self::List(inner), Data::Array(items)) => items.iter().for_each(|item| inner.add_at(item, depth + 1)),
            (Self::Group(members), Data::Object(object)) => {
                for (name, member) in object.entries() {
                    let place = members.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
                        members.push((name.to_owned(), Self::Nothing));
                        members.len() - 1
                    });
                    members[place].1.add_at(member, depth + 1);
                }
                if members.len() > MEMBERS_MAX {
                    *self = Self::Mixed;
                }
            }
            (Self::Nothing, Data::Array(_)) => {
                *self = Self::List(Box::new(Self::Nothing));
                self.add_at(value, depth);
            }
            (Self::Nothing, Data::Object(_)) => {
                *self = Self::Group(Vec::new());
                self.add_at(value, depth);
            }
            _ => *self = self.with_scalar(value),
        }
    }

    /// With a value that is no list and no object, or of another kind than those before.
    fn with_scalar(&self, value: &Value<'_>) -> Self {
        let kind = match &value.data {
            Data::Bool(_) => Self::Bool,
            Data::String(_) => Self::Text,
            Data::Number => match value.text.parse::<i64>() {
                Ok(whole) => Self::Int(whole.unsigned_abs() > WHOLE_MAX),
                Err(_) if value.text.contains(['.', 'e', 'E']) => Self::Float,
                Err(_) => Self::Mixed,
            },
            _ => Self::Mixed,
        };
        match (self, kind) {
            (Self::Nothing, kind) => kind,
            (Self::Int(a), Self::Int(b)) => Self::Int(*a || b),
            (Self::Int(false), Self::Float) | (Self::Float, Self::Int(false)) => Self::Float,
            (known, kind) if *known == kind => kind,
            _ => Self::Mixed,
        }
    }

    /// What a column can be: a place with nothing is one of texts, an object without members JSON.
    pub(in crate::cli) fn settled(self) -> Self {
        match self {
            Self::Nothing => Self::Text,
            Self::Group(members) if members.is_empty() => Self::Mixed,
            Self::Group(members) => {
                Self::Group(members.into_iter().map(|(name, inner)| (name, inner.settled())).collect())
            }
            Self::List(inner) => Self::List(Box::new(inner.settled())),
            other => other,
        }
    }

    /// The names of the places whose values are of several kinds.
    pub(in crate::cli) fn mixed(&self, name: &str, out: &mut Vec<String>) {
        match self {
            Self::Mixed => out.push(name.to_owned()),
            Self::List(inner) => inner.mixed(&format!("{name}[]"), out),
            Self::Group(members) => {
                let dot = if name.is_empty() { "" } else { "." };
                members.iter().for_each(|(member, inner)| inner.mixed(&format!("{name}{dot}{member}"), out));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn of(values: &[&str]) -> String {
        let mut all = RecordType::Nothing;
        values.iter().for_each(|value| all.add(&parse(value).unwrap()));
        format!("{:?}", all.settled())
    }

    #[test]
    fn values_of_a_place_have_one_type_or_are_mixed() {
        for (values, expect) in [
            (&["null"][..], "Text"),
            (&["1", "null", "-2"], "Int(false)"),
            (&["1", "2.5"], "Float"),
            (&["9007199254740993", "2.5"], "Mixed"),
            (&["99999999999999999999"], "Mixed"),
            (&["1", "true"], "Mixed"),
            (&["\"a\"", "[1]"], "Mixed"),
            (&["[]", "[1]", "[null]"], "List(Int(false))"),
            (&["{}"], "Mixed"),
            (
                &[r#"{"a":1}"#, r#"{"b":[{"c":"x"}]}"#],
                r#"Group([("a", Int(false)), ("b", List(Group([("c", Text)])))])"#,
            ),
        ] {
            assert_eq!(of(values), expect, "{values:?}");
        }
        let deep = format!("{}{}", "[".repeat(40), "]".repeat(40));
        assert!(of(&[&deep]).contains("Mixed"));
        let names: Vec<String> = (0..300).map(|n| format!("\"k{n}\":1")).collect();
        assert_eq!(of(&[&format!("{{{}}}", names.join(","))]), "Mixed");
    }
}
