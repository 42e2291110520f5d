//! What is whole of a text that ends in the middle of a value, or is damaged there.

use super::read::Reading;
use super::value::{Data, Member, Object, Value};

/// Objects within one another that are looked into for what is whole of them.
const DEPTH_MAX: usize = 3;

/// The object of a text that is no JSON, with what is whole before the place where the text ends or is damaged: members
/// of objects and elements of arrays. An array has no element of which a part is missing. The text of a container that
/// is not whole ends where its last whole part does. None: not one member is whole, or the text is no object.
#[must_use]
pub fn parse_cut(text: &str) -> Option<Value<'_>> {
    let mut reading = Reading::new(text);
    reading.skip_space().filter(|first| *first == b'{')?;
    let value = cut_value(&mut reading, 0)?;
    value.as_object().is_some_and(|object| !object.members.is_empty()).then_some(value)
}

/// What is whole of a container that begins here.
fn cut_value<'a>(reading: &mut Reading<'a>, depth: usize) -> Option<Value<'a>> {
    let start = reading.at();
    let data = match reading.skip_space()? {
        b'{' => Data::Object(Object::new(whole_members(reading, depth))),
        b'[' => Data::Array(whole_items(reading, depth)),
        _ => return None,
    };
    Some(Value { start, text: reading.since(start), data })
}

/// A value, but for a number at the end of the text, which may be the beginning of another.
fn whole_value<'a>(reading: &mut Reading<'a>, depth: usize) -> Option<Value<'a>> {
    let value = reading.value(depth)?;
    let is_open = matches!(value.data, Data::Number) && reading.is_at_end();
    (!is_open).then_some(value)
}

fn whole_members<'a>(reading: &mut Reading<'a>, depth: usize) -> Vec<Member<'a>> {
    let mut members = Vec::new();
    let mut begun = reading.opens_empty(b'}') == Some(false);
    while begun {
        reading.skip_space();
        let key_start = reading.at();
        let Some(key) = reading.key(Reading::string) else { break };
        reading.skip_space();
        let value_start = reading.at();
        if let Some(value) = whole_value(reading, depth + 1) {
            members.push(Member { key, key_start, value });
            begun = reading.ends(b'}') == Some(false);
            continue;
        }
        reading.go_back(value_start);
        let inner = if depth < DEPTH_MAX { cut_value(reading, depth + 1) } else { None };
        members.extend(inner.map(|value| Member { key, key_start, value }));
        break;
    }
    members
}

fn whole_items<'a>(reading: &mut Reading<'a>, depth: usize) -> Vec<Value<'a>> {
    let mut items = Vec::new();
    let mut begun = reading.opens_empty(b']') == Some(false);
    while begun {
        let end = reading.at();
        let Some(item) = whole_value(reading, depth + 1) else {
            reading.go_back(end);
            break;
        };
        items.push(item);
        begun = reading.ends(b']') == Some(false);
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{compact, parse};

    #[test]
    fn what_is_before_a_cut_is_read() {
        for (text, whole) in [
            (r#"{"a":1,"b":[{"c":2},{"d":"#, r#"{"a":1,"b":[{"c":2}]}"#),
            (r#" {"a":{"b":{"c":[1,2"#, r#"{"a":{"b":{"c":[1]}}}"#),
            (r#"{"a":"x","b":"y"#, r#"{"a":"x"}"#),
            (r#"{"a":[1] ,"#, r#"{"a":[1]}"#),
            (r#"{"a":[1,NaN,3],"b":2}"#, r#"{"a":[1]}"#),
            (r#"{"a":[]"#, r#"{"a":[]}"#),
            (r#"{"a":{"b":[1]é}"#, r#"{"a":{"b":[1]}}"#),
        ] {
            assert_eq!(parse_cut(text).map(|value| compact(&value)).as_deref(), Some(whole), "{text}");
        }
        for text in ["", "[1,2", "{", r#"{"a"#, r#"{"a":"x"#, "5"] {
            assert_eq!(parse_cut(text), None, "{text}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        assert!(parse_cut(&r#"{"a":"#.repeat(100_000)).is_none_or(|value| compact(&value).len() < 100));
        assert!(parse_cut(&"[".repeat(100_000)).is_none());
    }

    proptest::proptest! {
        #[test]
        fn each_beginning_gives_what_is_whole(at in 0_usize..90) {
            let text = r#"{"a":{"x":[1,{"y":"é"},[2,3]],"z":null},"list":[{"k":"v"},{"k":"w","n":[1.5,-2]}],"t":true}"#;
            let cut = text.get(..at).and_then(parse_cut);
            for list in cut.iter().filter_map(|value| value.get("list")?.as_array()) {
                let all = parse(text).unwrap();
                let expected = all.get("list").and_then(Value::as_array).unwrap();
                proptest::prop_assert!(list.iter().zip(expected).all(|(a, b)| a.text == b.text && a.start == b.start));
            }
        }
    }
}
