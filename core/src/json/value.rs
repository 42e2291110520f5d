//! The value: what a JSON text says, and where it says it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// One JSON value, borrowed from the text it was read from.
#[derive(Debug, Clone, PartialEq)]
pub struct Value<'a> {
    /// Byte at which the value begins in the text that was parsed.
    pub start: usize,
    /// The value as written, without white space around it.
    pub text: &'a str,
    /// What it says.
    pub data: Data<'a>,
}

/// What a [`Value`] says.
#[derive(Debug, Clone, PartialEq)]
pub enum Data<'a> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number; its text is the value's own.
    Number,
    /// A string, decoded.
    String(Cow<'a, str>),
    /// An array.
    Array(Vec<Value<'a>>),
    /// An object, duplicates included.
    Object(Object<'a>),
    /// A container nested deeper than [`DEPTH_MAX`](super::DEPTH_MAX): a leaf that opens as text.
    Deep,
}

/// The members of an object as written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Object<'a> {
    /// All members in source order, duplicates included.
    pub members: Vec<Member<'a>>,
    /// Whether some key occurs twice.
    pub has_duplicates: bool,
}

/// One member of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member<'a> {
    /// The key, decoded.
    pub key: Cow<'a, str>,
    /// Byte at which the key's opening quote is.
    pub key_start: usize,
    /// Its value.
    pub value: Value<'a>,
}

impl<'a> Object<'a> {
    /// Makes an object and looks for duplicate keys.
    #[must_use]
    pub fn new(members: Vec<Member<'a>>) -> Self {
        let has_duplicates = if members.len() <= 8 {
            (1..members.len()).any(|i| members[..i].iter().any(|m| m.key == members[i].key))
        } else {
            let mut seen = HashSet::with_capacity(members.len());
            members.iter().any(|m| !seen.insert(m.key.as_ref()))
        };
        Self { members, has_duplicates }
    }

    /// The value of a key; of duplicates the last (A6).
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.members.iter().rev().find(|m| m.key == key).map(|m| &m.value)
    }

    /// Key and value of each distinct key: the last value of duplicates, at the place of the first (A6).
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value<'a>)> {
        let (distinct, plain): (Vec<_>, &[Member<'a>]) =
            if self.has_duplicates { (self.distinct(), &[]) } else { (Vec::new(), &self.members) };
        plain.iter().map(|m| (m.key.as_ref(), &m.value)).chain(distinct)
    }

    fn distinct(&self) -> Vec<(&str, &Value<'a>)> {
        let mut order: Vec<(&str, &Value<'a>)> = Vec::with_capacity(self.members.len());
        let mut place = HashMap::new();
        for m in &self.members {
            match place.get(m.key.as_ref()) {
                Some(&i) => {
                    let slot: &mut (&str, &Value<'a>) = &mut order[i];
                    slot.1 = &m.value;
                }
                None => {
                    place.insert(m.key.as_ref(), order.len());
                    order.push((m.key.as_ref(), &m.value));
                }
            }
        }
        order
    }

    /// Number of distinct keys.
    #[must_use]
    pub fn len(&self) -> usize {
        if self.has_duplicates { self.entries().count() } else { self.members.len() }
    }

    /// Whether there is no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

impl<'a> Value<'a> {
    /// The object, if it is one.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object<'a>> {
        match &self.data {
            Data::Object(o) => Some(o),
            _ => None,
        }
    }

    /// The elements, if it is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Value<'a>]> {
        match &self.data {
            Data::Array(a) => Some(a),
            _ => None,
        }
    }

    /// The decoded string, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::String(s) => Some(s),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.data {
            Data::Bool(b) => Some(b),
            _ => None,
        }
    }

    /// The source text of a number, if it is one.
    #[must_use]
    pub fn as_number(&self) -> Option<&'a str> {
        matches!(self.data, Data::Number).then_some(self.text)
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.data, Data::Null)
    }

    /// Member of an object by key; the last of duplicates. None for what is not an object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.as_object().and_then(|o| o.get(key))
    }

    /// Whether it is a scalar or an empty container (A28).
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        match &self.data {
            Data::Array(a) => a.is_empty(),
            Data::Object(o) => o.is_empty(),
            _ => true,
        }
    }

    /// JSON type name: object, array, string, number, boolean, null.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match &self.data {
            Data::Null => "null",
            Data::Bool(_) => "boolean",
            Data::Number => "number",
            Data::String(_) => "string",
            Data::Array(_) => "array",
            Data::Object(_) => "object",
            Data::Deep => {
                if self.text.starts_with('[') {
                    "array"
                } else {
                    "object"
                }
            }
        }
    }
}
