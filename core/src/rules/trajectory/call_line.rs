//! A call on one line, as one would write it: the tool's name, then what it is called with. Logs and datasets show
//! calls so.

use crate::json::{self, Data, Value, compact, quote};
use crate::text::{shorten, single_line};

/// Most scalars of an argument.
const ARGUMENT_MAX: usize = 160;
/// Most scalars of an argument that is no text from which its beginning is made.
const COMPACT_MAX: usize = 8 * ARGUMENT_MAX;
/// Up to this many arguments are written without their names if they speak for themselves: what a tool is to do, and
/// with what.
const BARE_MAX: usize = 2;
/// Names of such arguments.
const BARE: [&str; 18] = [
    "command",
    "cmd",
    "code",
    "script",
    "path",
    "file_path",
    "filename",
    "file",
    "dir",
    "query",
    "pattern",
    "url",
    "question",
    "thought",
    "text",
    "message",
    "content",
    "action",
];

/// A call with its arguments: an object, the JSON of one in a string, or something else. Empty texts say nothing.
pub(crate) fn call_line(name: &str, arguments: Option<&Value<'_>>) -> String {
    match arguments.map(|arguments| (&arguments.data, arguments)) {
        None | Some((Data::Null, _)) => name.to_owned(),
        Some((Data::Object(object), _)) => {
            let is_empty = |value: &Value<'_>| value.as_str().is_some_and(str::is_empty);
            let all: Vec<_> = object.entries().filter(|(_, value)| !is_empty(value)).collect();
            let written = |(i, (key, value)): (usize, &(&str, &Value<'_>))| match value.as_str() {
                Some(text) => argument((i, all.len()), key, text),
                None if is_bare(i, key) => short(value),
                None => format!("{key}={}", short(value)),
            };
            line(name, all.iter().enumerate().map(written))
        }
        Some((Data::String(text), _)) => match json::parse(text).ok().filter(|inner| inner.as_object().is_some()) {
            Some(inner) => call_line(name, Some(&inner)),
            None => line(name, [bare(text)]),
        },
        Some((_, other)) => line(name, [short(other)]),
    }
}

/// A call whose arguments are JSON, or other text.
pub(crate) fn call_line_of(name: &str, arguments: &str) -> String {
    match json::parse(arguments) {
        Ok(parsed) => call_line(name, Some(&parsed)),
        Err(_) => line(name, [bare(arguments)]),
    }
}

/// A call whose arguments are texts with their names.
pub(in crate::rules) fn call_line_of_texts(name: &str, arguments: &[(&str, &str)]) -> String {
    let written = |(i, (key, text)): (usize, &(&str, &str))| argument((i, arguments.len()), key, text.trim());
    line(name, arguments.iter().enumerate().map(written))
}

fn line(name: &str, arguments: impl IntoIterator<Item = String>) -> String {
    arguments.into_iter().filter(|a| !a.is_empty()).fold(name.to_owned(), |line, argument| line + " " + &argument)
}

/// A text as one of `count` arguments: one alone, and the first ones that speak for themselves, as they are; another
/// with its name, and quoted where it has blanks.
fn argument((place, count): (usize, usize), key: &str, text: &str) -> String {
    match place {
        _ if count == 1 || is_bare(place, key) => bare(text),
        _ if text.contains(char::is_whitespace) => format!("{key}={}", quote(&shorten(text, ARGUMENT_MAX))),
        _ => format!("{key}={}", shorten(text, ARGUMENT_MAX)),
    }
}

/// Whether an argument speaks for itself.
fn is_bare(place: usize, key: &str) -> bool {
    place < BARE_MAX && BARE.contains(&key)
}

fn bare(text: &str) -> String {
    single_line(&shorten(text.trim(), ARGUMENT_MAX))
}

/// The beginning of a value that is no text.
fn short(value: &Value<'_>) -> String {
    let text = match shorten(value.text, COMPACT_MAX) {
        whole if whole.len() == value.text.len() => compact(value),
        beginning => single_line(&beginning),
    };
    shorten(&text, ARGUMENT_MAX).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_speak_for_themselves_have_no_names() {
        for (name, arguments, expected) in [
            ("book", r#"{"from":"JFK","to":"SEA","seats":2}"#, "book from=JFK to=SEA seats=2"),
            ("book", r#""{\"from\":\"JFK\",\"to\":\"SEA\"}""#, "book from=JFK to=SEA"),
            ("book", r#"{"from":"New York","to":"SEA"}"#, r#"book from="New York" to=SEA"#),
            ("book", r#"{"to":"SEA","note":""}"#, "book SEA"),
            ("Bash", r#"{"command":"ls","description":"List"}"#, "Bash ls description=List"),
            ("Read", r#"{"file_path":"/w/a","offset":7,"limit":1.0}"#, "Read /w/a offset=7 limit=1.0"),
            ("wait", r#"{"seconds":5}"#, "wait seconds=5"),
            ("shell", r#"{"command":["ls","-a"],"timeout_ms":9}"#, r#"shell ["ls","-a"] timeout_ms=9"#),
            ("apply_patch", "*** Begin Patch\n*** End Patch", "apply_patch *** Begin Patch *** End Patch"),
            ("apply_patch", r#""*** Begin\n""#, "apply_patch *** Begin"),
            ("finish", "null", "finish"),
            ("finish", "{}", "finish"),
            ("pick", "[1, 2]", "pick [1,2]"),
        ] {
            assert_eq!(call_line_of(name, arguments), expected, "{arguments}");
        }
        let long = format!(r#"{{"all":[{}1]}}"#, "1, ".repeat(1_000_000));
        assert_eq!(call_line_of("sum", &long).chars().count(), "sum all=".len() + ARGUMENT_MAX + 1);
    }
}
