//! Goes through a JSON text from left to right and makes values only of what it is asked for. What it passes over is
//! checked all the same: a text that is skimmed to its [`end`](Skim::end) is one that [`parse`](super::parse) reads, no
//! deeper than [`DEPTH_MAX`].

use super::parse::DEPTH_MAX;
use super::read::Reading;
use std::borrow::Cow;

/// A place in a JSON text, before a value. Once a method gave None, the text is not valid JSON, or not what was asked
/// for.
#[derive(Debug)]
pub struct Skim<'a> {
    reading: Reading<'a>,
    depth: usize,
}

impl<'a> Skim<'a> {
    /// Before the one value of a text.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self { reading: Reading::new(text), depth: 0 }
    }

    /// Goes through the object that comes next: `each` gets a key and takes its value.
    pub fn object(&mut self, mut each: impl FnMut(&mut Self, Cow<'a, str>) -> Option<()>) -> Option<()> {
        self.container(b'{', b'}', |skim| {
            let key = skim.reading.key(Reading::string)?;
            each(skim, key)
        })
    }

    /// Goes through the array that comes next: `each` takes an element.
    pub fn array(&mut self, each: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.container(b'[', b']', each)
    }

    /// Passes over a value: its text.
    pub fn pass(&mut self) -> Option<&'a str> {
        let first = self.reading.skip_space()?;
        let start = self.reading.at();
        match first {
            b'{' => self.container(b'{', b'}', |skim| {
                skim.reading.key(Reading::pass_string)?;
                skim.pass().map(drop)
            })?,
            b'[' => self.container(b'[', b']', |skim| skim.pass().map(drop))?,
            b'"' => self.reading.pass_string()?,
            _ => self.reading.scalar(first).map(drop)?,
        }
        Some(self.reading.since(start))
    }

    /// Whether this was the whole text. What it says is void without this.
    #[must_use]
    pub fn end(mut self) -> Option<()> {
        self.reading.is_whole().then_some(())
    }

    fn container(&mut self, open: u8, close: u8, mut each: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if self.depth == DEPTH_MAX || self.reading.skip_space()? != open {
            return None;
        }
        if self.reading.opens_empty(close)? {
            return Some(());
        }
        self.depth += 1;
        loop {
            each(self)?;
            if self.reading.ends(close)? {
                self.depth -= 1;
                return Some(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Data, Value, parse};
    use proptest::prelude::*;

    fn passes(text: &str) -> bool {
        let mut skim = Skim::new(text);
        skim.pass().is_some() && skim.end().is_some()
    }

    fn is_deep(value: &Value<'_>) -> bool {
        match &value.data {
            Data::Deep => true,
            Data::Array(items) => items.iter().any(is_deep),
            Data::Object(object) => object.members.iter().any(|m| is_deep(&m.value)),
            _ => false,
        }
    }

    fn is_read(text: &str) -> bool {
        parse(text).is_ok_and(|value| !is_deep(&value))
    }

    #[test]
    fn reads_what_it_is_asked_for_and_passes_over_the_rest() {
        let mut skim = Skim::new(r#" {"a\u0062" : [1, {"x":"]\""}, []] , "c":{}, "d" : "\ud83d\ude00" } "#);
        let mut members = Vec::new();
        skim.object(|skim, key| {
            let mut parts = Vec::new();
            match &*key {
                "ab" => skim.array(|skim| skim.pass().map(|text| parts.push(text)))?,
                _ => parts.push(skim.pass()?),
            }
            members.push((key.into_owned(), parts));
            Some(())
        })
        .unwrap();
        let row = |key: &str, parts: &[&'static str]| (key.to_owned(), parts.to_vec());
        assert_eq!(
            members,
            [row("ab", &["1", r#"{"x":"]\""}"#, "[]"]), row("c", &["{}"]), row("d", &[r#""\ud83d\ude00""#])]
        );
        assert_eq!(skim.end(), Some(()));
        assert_eq!(Skim::new("[]").object(|_, _| Some(())), None);
    }

    #[test]
    fn goes_as_deep_as_a_reader_and_no_deeper() {
        for depth in [DEPTH_MAX - 1, DEPTH_MAX, DEPTH_MAX + 1, 100_000] {
            let texts = [("[", "]"), ("{\"a\":", "}")].map(|(open, close)| {
                let inner = if open == "[" { "" } else { "1" };
                format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
            });
            assert_eq!(texts.map(|text| passes(&text)), [depth <= DEPTH_MAX; 2], "{depth}");
        }
    }

    proptest! {
        #[test]
        fn passes_what_is_read(text in r#"[\[\]{}:, a-c0-2."\\nuxdD8t\n-]{0,12}"#) {
            prop_assert_eq!(passes(&text), is_read(&text));
        }

        #[test]
        fn passes_strings_that_are_read(
            inside in proptest::collection::vec(
                prop_oneof![
                    "[ -~]{0,40}",
                    Just("\\".repeat(7)),
                    Just("\\".repeat(8)),
                    Just("\\n\\t\\\"\\/\\b\\f\\r".to_owned()),
                    Just("\\ud83d\\ude00".to_owned()),
                    Just("\\ud83d".to_owned()),
                    Just("\\x".to_owned()),
                    Just("\u{e9}\u{1f600}\u{7f}".to_owned()),
                    Just("\t".to_owned()),
                ],
                0..6,
            )
        ) {
            let text = format!("[\"{}\",0]", inside.concat());
            prop_assert_eq!(passes(&text), is_read(&text), "{}", text);
        }
    }
}
