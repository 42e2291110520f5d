//! Which paths records have, and what is there: counts over a sample.

use crate::format::custom::path::is_bare;
use crate::json::{Data, Value};
use std::collections::{BTreeMap, HashMap};

/// How deep members are looked at, elements of a list that are, and paths that are counted.
const DEPTH_MAX: usize = 4;
const ELEMENTS_MAX: usize = 8;
const PATHS_MAX: usize = 600;
/// Longest path that is looked at.
const PATH_BYTES_MAX: usize = 400;
/// Different texts that are kept of a path, and their characters.
const DISTINCT_MAX: usize = 32;
const WORD_CHARS: usize = 48;

/// What is at one path.
#[derive(Debug, Default)]
pub(super) struct Field {
    /// As a format file writes it.
    pub(super) path: String,
    /// The path of what it is a member of.
    pub(super) parent: String,
    /// Its last name in lower case, letters and digits alone.
    pub(super) name: String,
    /// Names on the way.
    pub(super) depth: usize,
    /// Whether it is below a list.
    pub(super) is_listed: bool,
    /// Values that have it, null not counted.
    pub(super) count: usize,
    pub(super) texts: usize,
    pub(super) numbers: usize,
    pub(super) flags: usize,
    pub(super) objects: usize,
    pub(super) lists: usize,
    /// Bytes of all texts.
    pub(super) bytes: usize,
    /// Short texts and how often each is there; none where there are too many.
    pub(super) words: BTreeMap<String, usize>,
    /// Whether there are more different texts than are kept, or long ones.
    pub(super) is_open: bool,
}

impl Field {
    /// Whether its values are texts or numbers.
    pub(super) fn is_scalar(&self) -> bool {
        self.count > 0 && self.texts + self.numbers == self.count
    }

    /// Whether it has one of few short texts.
    pub(super) fn is_word(&self, most: usize) -> bool {
        self.texts > 0 && self.texts == self.count && !self.is_open && self.words.len() <= most
    }
}

/// The paths of a sample.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) all: Vec<Field>,
    /// How many values there are.
    pub(super) count: usize,
    numbers: HashMap<String, usize>,
}

impl Fields {
    /// Counts the paths of values.
    pub(super) fn of<'v, 'a: 'v>(values: impl IntoIterator<Item = &'v Value<'a>>) -> Self {
        let mut fields = Self::default();
        for value in values {
            fields.count += 1;
            fields.members(value, "", 0, false);
        }
        fields
    }

    /// The field of a path.
    pub(super) fn get(&self, path: &str) -> Option<&Field> {
        self.all.get(*self.numbers.get(path)?)
    }

    /// The first field with one of the names, the first name first, the one nearest to the root first.
    pub(super) fn named(&self, names: &[&str], is_such: impl Fn(&Field) -> bool) -> Option<&Field> {
        names.iter().find_map(|name| {
            let of_name = self.all.iter().filter(|field| field.name == *name && !field.is_listed && is_such(field));
            of_name.min_by_key(|field| field.depth)
        })
    }

    /// The member of a value at a path that has one of the names.
    pub(super) fn member(&self, parent: &str, names: &[&str], is_such: impl Fn(&Field) -> bool) -> Option<&Field> {
        names.iter().find_map(|name| {
            self.all.iter().find(|field| field.parent == parent && field.name == *name && is_such(field))
        })
    }

    fn members(&mut self, value: &Value<'_>, parent: &str, depth: usize, is_listed: bool) {
        if depth == DEPTH_MAX {
            return;
        }
        for (key, inner) in value.as_object().into_iter().flat_map(|object| object.entries()) {
            let Some(path) = joined(parent, key) else { continue };
            let place = Place { path, parent, key, depth: depth + 1, is_listed };
            self.add(&place, inner);
            match &inner.data {
                Data::Object(_) => self.members(inner, &place.path, depth + 1, is_listed),
                Data::Array(items) => {
                    let listed = format!("{}[]", place.path);
                    for item in items.iter().take(ELEMENTS_MAX) {
                        self.members(item, &listed, depth + 1, true);
                    }
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, place: &Place<'_>, value: &Value<'_>) {
        let number = match self.numbers.get(&place.path) {
            Some(number) => *number,
            None if self.all.len() == PATHS_MAX || value.is_null() => return,
            None => {
                self.numbers.insert(place.path.clone(), self.all.len());
                self.all.push(place.field());
                self.all.len() - 1
            }
        };
        let Some(field) = self.all.get_mut(number) else { return };
        let kind = match &value.data {
            Data::Null => return,
            Data::String(text) => {
                field.bytes += text.len();
                count_word(field, text);
                &mut field.texts
            }
            Data::Number => &mut field.numbers,
            Data::Bool(_) => &mut field.flags,
            Data::Array(_) => &mut field.lists,
            Data::Object(_) | Data::Deep => &mut field.objects,
        };
        *kind += 1;
        field.count += 1;
    }
}

/// Where a member is.
struct Place<'p> {
    path: String,
    parent: &'p str,
    key: &'p str,
    depth: usize,
    is_listed: bool,
}

impl Place<'_> {
    fn field(&self) -> Field {
        Field {
            path: self.path.clone(),
            parent: self.parent.to_owned(),
            name: normal(self.key),
            depth: self.depth,
            is_listed: self.is_listed,
            ..Field::default()
        }
    }
}

fn count_word(field: &mut Field, text: &str) {
    if let Some(n) = field.words.get_mut(text) {
        *n += 1;
    } else if field.words.len() < DISTINCT_MAX && text.chars().count() <= WORD_CHARS {
        field.words.insert(text.to_owned(), 1);
    } else {
        field.is_open = true;
    }
}

/// A name without what differs between spellings: `toolCallId`, `tool_call_id`.
pub(super) fn normal(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The path of a member; None: no path can name it.
pub(super) fn joined(parent: &str, key: &str) -> Option<String> {
    let name = match is_bare(key) {
        true => key.to_owned(),
        false if key.contains('"') => return None,
        false => format!("\"{key}\""),
    };
    let path = if parent.is_empty() { name } else { format!("{parent}.{name}") };
    (path.len() <= PATH_BYTES_MAX).then_some(path)
}
