//! Equality of values as JSON by one digest.

use crate::json::{self, Data, Value};
use crate::model::{Turn, TurnPart};
use sha2::{Digest, Sha256};
use smallvec::SmallVec;
use twox_hash::XxHash3_128;

/// 128 bits that are equal where two values are equal as JSON: members in any order, of duplicates the last, strings
/// decoded, numbers by source text.
#[must_use]
pub fn of(value: &Value<'_>) -> u128 {
    let mut hash = Sha256::new();
    put(value, &mut hash);
    finish(hash)
}

/// As [`of`], many times as fast, but easy to make equal on purpose: where two are equal, the values are compared.
#[must_use]
pub fn quick(value: &Value<'_>) -> u128 {
    let mut hash = BufferedHash::new();
    put(value, &mut hash);
    hash.finish()
}

/// Items of an array that [`quick_key`] looks at.
const KEY_ITEMS: usize = 4;

/// As [`quick`], but of a long array only its length and some of its items: values that are equal have equal keys,
/// others mostly not.
#[must_use]
pub fn quick_key(value: &Value<'_>) -> u128 {
    let items = value.as_array().filter(|items| items.len() > KEY_ITEMS);
    let Some(items) = items else { return quick(value) };
    let mut hash = BufferedHash::new();
    hash.put(&(items.len() as u64).to_be_bytes());
    // The first is often shared by many, as an instruction is.
    let last = items.len() - 1;
    for at in [1, items.len() / 2, last - 1, last] {
        put(&items[at], &mut hash);
    }
    hash.finish()
}

/// What takes bytes for a digest.
trait Sink {
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Sha256 {
    fn put(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
}

/// Bytes that are given to the quick hash at a time, at most, of short texts.
const BUFFER_BYTES: usize = 1 << 10;
/// From this length on a text is given to the quick hash as it is: what a copy costs is more than a call.
const DIRECT_BYTES: usize = 1 << 8;

/// Members of an object that are sorted without an allocation.
const MEMBERS_INLINE: usize = 16;

/// The quick hash, which takes many bytes at once far more cheaply than a few many times.
struct BufferedHash {
    hash: XxHash3_128,
    bytes: [u8; BUFFER_BYTES],
    len: usize,
}

impl BufferedHash {
    fn new() -> Self {
        Self { hash: XxHash3_128::new(), bytes: [0; BUFFER_BYTES], len: 0 }
    }

    fn finish(mut self) -> u128 {
        self.flush();
        self.hash.finish_128()
    }

    fn flush(&mut self) {
        self.hash.write(&self.bytes[..self.len]);
        self.len = 0;
    }
}

impl Sink for BufferedHash {
    fn put(&mut self, bytes: &[u8]) {
        let is_direct = bytes.len() >= DIRECT_BYTES;
        if is_direct || self.len + bytes.len() > BUFFER_BYTES {
            self.flush();
        }
        match self.bytes.get_mut(self.len..self.len + bytes.len()).filter(|_| !is_direct) {
            Some(room) => {
                room.copy_from_slice(bytes);
                self.len += bytes.len();
            }
            None => self.hash.write(bytes),
        }
    }
}

/// The digest of an object with one member of this string and one of this value, `text_key` before or after `key`.
#[must_use]
pub fn of_pair(text_key: &str, text: &str, key: &str, value: &Value<'_>) -> u128 {
    let mut hash = Sha256::new();
    hash.update(b"{");
    let put_string = |hash: &mut Sha256| {
        put_text(text_key, hash);
        put_text(text, hash);
    };
    if text_key < key {
        put_string(&mut hash);
    }
    put_text(key, &mut hash);
    put(value, &mut hash);
    if text_key > key {
        put_string(&mut hash);
    }
    hash.update(b"}");
    finish(hash)
}

/// The digest of a text, in a domain of its own.
#[must_use]
pub fn of_text(domain: &str, text: &str) -> u128 {
    let mut hash = Sha256::new();
    put_text(domain, &mut hash);
    put_text(text, &mut hash);
    finish(hash)
}

fn finish(hash: Sha256) -> u128 {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    u128::from_be_bytes(bytes)
}

fn put(value: &Value<'_>, hash: &mut impl Sink) {
    match &value.data {
        Data::String(s) => put_text(s, hash),
        Data::Array(items) => {
            hash.put(b"[");
            items.iter().for_each(|item| put(item, hash));
            hash.put(b"]");
        }
        Data::Object(object) => {
            let mut members: SmallVec<[_; MEMBERS_INLINE]> = object.entries().collect();
            members.sort_unstable_by_key(|(key, _)| *key);
            hash.put(b"{");
            for (key, item) in members {
                put_text(key, hash);
                put(item, hash);
            }
            hash.put(b"}");
        }
        _ => {
            hash.put(b"#");
            hash.put(value.text.as_bytes());
            hash.put(b";");
        }
    }
}

/// The length before the text keeps `["a","b"]` and `["ab"]` apart.
fn put_text(text: &str, hash: &mut impl Sink) {
    let mut head = [b'"'; 9];
    head[1..].copy_from_slice(&(text.len() as u64).to_be_bytes());
    hash.put(&head);
    hash.put(text.as_bytes());
}

/// The digest of what a message says, without what is not always sent again: thoughts, ids, the content of files.
#[must_use]
pub fn of_turn(turn: &Turn<'_>) -> u128 {
    let mut hash = Sha256::new();
    put_text(turn.role.name(), &mut hash);
    for part in &turn.parts {
        match part {
            TurnPart::Text(text) => put_text(&format!("text {}", text.trim()), &mut hash),
            TurnPart::Call(call) => {
                put_text(&format!("call {}", call.name), &mut hash);
                match json::parse(&call.arguments) {
                    Ok(arguments) => put(&arguments, &mut hash),
                    Err(_) => put_text(&call.arguments, &mut hash),
                }
            }
            TurnPart::Result(result) => put_text(&format!("result {}", result.text.trim()), &mut hash),
            TurnPart::Attachment(file) => {
                put_text(&format!("file {} {}", file.media_type, file.bytes), &mut hash);
                put_text(file.location.as_deref().unwrap_or_default(), &mut hash);
            }
            TurnPart::Thought(_) => {}
        }
    }
    finish(hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn equal_arrays_have_equal_keys() {
        let key = |text: &str| quick_key(&parse(text).unwrap());
        assert_eq!(key(r#"[0,{"a":1,"b":2},3,4,"\u0041",6]"#), key(r#"[0, {"b":2,"a":1}, 3, 4, "A", 6]"#));
        assert_ne!(key("[0,1,2,3,4,5]"), key("[0,1,2,3,4,6]"));
        assert_ne!(key("[0,1,2,3,4,5]"), key("[0,1,2,3,4,4,5]"));
        assert_ne!(key("[0,1,2,3]"), key("[9,1,2,3]"));
    }

    #[test]
    fn equal_as_json_is_equal() {
        let digest = |text: &str| {
            let value = parse(text).unwrap();
            (of(&value), quick(&value))
        };
        assert_eq!(digest(r#"{"a":1,"b":"\u0041"}"#), digest(r#"{ "b":"A", "a":0, "a":1 }"#));
        assert_ne!(digest(r#"{"a":1}"#), digest(r#"{"a":1.0}"#));
        assert_ne!(digest(r#"["a","b"]"#), digest(r#"["ab"]"#));
        assert_ne!(digest(r#"["1"]"#), digest("[1]"));
        assert_ne!(digest("[[1],2]"), digest("[[1,2]]"));
        for key in ["a", "z"] {
            let pair = of_pair("type", "t", key, &parse("[1]").unwrap());
            assert_eq!(pair, digest(&format!(r#"{{"{key}":[1],"type":"t"}}"#)).0);
        }
    }
}
