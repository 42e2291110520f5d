//! The process in which an expression runs: reads records from standard input and answers on standard output.
//!
//! It may abort, at a stack or an allocation that fails, and it may run for ever: its parent knows what to do then.

use crate::json::{self, Data};
use crate::model::Problem;
use crate::shell::query::RecordAnswer;
use crate::shell::worker::{confine, frame};
use jaq_core::load::{Arena, File, Loader, lex, parse};
use jaq_core::{Ctx, Vars, compile, data, load};
use jaq_json::{Num, Rc, Val, read, write};
use serde::de::IgnoredAny;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{self, BufReader, BufWriter, Read, Write};

/// The number that is no other whole number.
const NEGATIVE_ZERO: &[u8] = b"-0";

/// Most memory that the process may ask for, in bytes.
const MEMORY_BYTES_MAX: u64 = 2 << 30;

/// Stack of the thread in which expressions run, in bytes: jq loops by recursion.
const STACK_BYTES: usize = 64 << 20;

/// Levels of nesting that a record may have: reading and dropping it takes stack.
const DEPTH_MAX: usize = 10_000;

/// Most text of the results for one record, in bytes.
const RESULTS_BYTES_MAX: usize = 256 << 20;

/// Longest message on a record, in characters.
const ERROR_CHARS_MAX: usize = 300;

type Filter = jaq_core::Filter<data::JustLut<Val>>;

/// An expression that can be asked.
struct RecordQuestion<'e> {
    /// All of it.
    whole: Filter,
    /// The members that it begins with, and what follows them.
    behind: Option<(Vec<&'e str>, Filter)>,
}

impl<'e> RecordQuestion<'e> {
    fn read(expression: &'e str, arenas: &'e [Arena; 2]) -> Result<Self, String> {
        let whole = compiled(expression, &arenas[0])?;
        let behind = leading_path(expression);
        let behind = behind.and_then(|(path, rest)| Some((path, compiled(rest, &arenas[1]).ok()?)));
        Ok(Self { whole, behind })
    }

    /// What to ask, and of which value: of a record whose members are named first that member alone is converted.
    fn of(&self, record: &[u8]) -> Result<(&Filter, Val), String> {
        if let Some((path, rest)) = &self.behind
            && let Some(found) = std::str::from_utf8(record).ok().and_then(|text| member(text, path))
        {
            return Ok((rest, found));
        }
        value(record).map(|value| (&self.whole, value))
    }
}

/// The names of the members that an expression begins with, and what it says of the last one: of `.a.b | f` these are
/// `a`, `b` and `f`. A pipe binds less than all else, so what follows it is an expression by itself. None: it begins
/// otherwise.
fn leading_path(expression: &str) -> Option<(Vec<&str>, &str)> {
    let (mut path, mut rest) = (Vec::new(), expression.trim());
    while let Some(name) = rest.strip_prefix('.').filter(|name| name.starts_with(|c| is_in_name(c) && !c.is_numeric()))
    {
        let (name, after) = name.split_at(name.find(|c| !is_in_name(c)).unwrap_or(name.len()));
        path.push(name);
        rest = after;
    }
    let rest = rest.trim_start();
    match rest.strip_prefix('|') {
        _ if path.is_empty() => None,
        Some(behind) if !behind.starts_with('=') => Some((path, behind)),
        None if rest.is_empty() => Some((path, ".")),
        _ => None,
    }
}

fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The value of a member of a record. None: the record is not one that has it, and the expression says what of it.
fn member(record: &str, path: &[&str]) -> Option<Val> {
    let root = json::parse(record).ok()?;
    let mut found = Some(&root);
    for name in path {
        // Of several members of a name the last one counts, and what is null has all members.
        found = match found.map(|value| &value.data) {
            Some(Data::Object(object)) => object.members.iter().rev().find(|m| m.key == *name).map(|m| &m.value),
            Some(Data::Null) | None => None,
            Some(_) => return None,
        };
    }
    // What was parsed is JSON: only its depth is to be looked at.
    let text = found.map_or("null", |found| found.text).as_bytes();
    bounded(text).ok()?;
    read::parse_single(text).ok().map(|value| with_texts(value, text))
}

/// A value whose numbers print as they are written. The parser of the engine takes `-0` for the whole number 0.
fn with_texts(mut value: Val, text: &[u8]) -> Val {
    let is_number = |at: usize| {
        let (before, after) = (text[..at].last(), text.get(at + 2));
        before.is_none_or(|b| b" \t\r\n:,[".contains(b)) && after.is_none_or(|b| b" \t\r\n,]}".contains(b))
    };
    if memchr::memmem::find_iter(text, NEGATIVE_ZERO).any(is_number)
        && let Some(source) = std::str::from_utf8(text).ok().and_then(|text| json::parse(text).ok())
    {
        put_negative_zeros(&mut value, &source);
    }
    value
}

fn put_negative_zeros(value: &mut Val, source: &json::Value<'_>) {
    match (value, &source.data) {
        (Val::Num(number), Data::Number) if source.text.as_bytes() == NEGATIVE_ZERO => {
            *number = Num::Dec(source.text.to_owned().into());
        }
        (Val::Arr(elements), Data::Array(sources)) => {
            for (element, source) in Rc::make_mut(elements).iter_mut().zip(sources) {
                put_negative_zeros(element, source);
            }
        }
        (Val::Obj(members), Data::Object(sources)) => {
            let members = Rc::make_mut(members);
            let mut later = HashSet::new();
            for source in sources.members.iter().rev() {
                if sources.has_duplicates && !later.insert(&source.key) {
                    continue;
                }
                if let Some(member) = members.get_mut(&Val::from(source.key.to_string())) {
                    put_negative_zeros(member, &source.value);
                }
            }
        }
        _ => {}
    }
}

/// Answers until its input ends; the exit status.
///
/// # Errors
/// There is no thread to run in.
pub(super) fn work() -> Result<u8, Problem> {
    let no_thread = |e| Problem::unreadable(format!("no thread to run in: {e}"));
    confine(MEMORY_BYTES_MAX).map_err(no_thread)?;
    let work = || serve(BufReader::new(io::stdin()), BufWriter::new(io::stdout()));
    let thread = std::thread::Builder::new().name("query".to_owned()).stack_size(STACK_BYTES).spawn(work);
    let thread = thread.map_err(no_thread)?;
    // A parent that is gone or a fault in the expression: either way nobody reads a message.
    Ok(u8::from(!matches!(thread.join(), Ok(Ok(())))))
}

/// The expression and what is wanted of it, the word whether it is one, then batch by batch records and answers.
fn serve(mut from: impl Read, mut to: impl Write) -> io::Result<()> {
    let expression = frame::text(&mut from)?;
    let wants_results = frame::number(&mut from)? != 0;
    let arenas = <[Arena; 2]>::default();
    let question = match RecordQuestion::read(&expression, &arenas) {
        Ok(question) => question,
        Err(why) => {
            frame::put(why.as_bytes(), &mut to)?;
            return to.flush();
        }
    };
    frame::put(b"", &mut to)?;
    to.flush()?;
    while let Some(count) = frame::number_or_end(&mut from)? {
        // All of a batch is read before anything is answered: neither side ever waits for the other to read.
        let records = (0..count).map(|_| frame::get(&mut from)).collect::<io::Result<Vec<_>>>()?;
        for (i, record) in records.iter().enumerate() {
            answer(&question, record, wants_results).put(&mut to)?;
            // The parent learns at once whether any record is answered.
            if i == 0 {
                to.flush()?;
            }
        }
        to.flush()?;
    }
    Ok(())
}

fn answer(question: &RecordQuestion<'_>, record: &[u8], wants_results: bool) -> RecordAnswer {
    let mut answer = RecordAnswer::default();
    let (filter, value) = match question.of(record) {
        Ok(asked) => asked,
        Err(why) => return RecordAnswer { failure: Some(why), ..answer },
    };
    let context = Ctx::<data::JustLut<Val>>::new(&filter.lut, Vars::new([]));
    for result in filter.id.run((context, value)) {
        let result = match result {
            Ok(result) => result,
            Err(exception) => {
                answer.failure = Some(match exception.get_err() {
                    Ok(error) => error_text(&error.to_string()),
                    Err(_) => "EXPR halted".to_owned(),
                });
                break;
            }
        };
        answer.is_true |= !matches!(result, Val::Null | Val::Bool(false));
        if wants_results {
            answer.failure = put_result(&result, &mut answer.results).err();
        }
        if answer.failure.is_some() || (answer.is_true && !wants_results) {
            break;
        }
    }
    answer
}

/// An error as text: what `error("…")` says is a string of JSON.
fn error_text(error: &str) -> String {
    let message: String = serde_json::from_str(error).unwrap_or_else(|_| error.to_owned());
    // It quotes the value, which may be the whole record.
    match message.char_indices().nth(ERROR_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message,
    }
}

/// Adds a result to those before it, one line each.
fn put_result(result: &Val, results: &mut String) -> Result<(), String> {
    let mut bytes = Vec::new();
    write::write(&mut bytes, &write::Pp::default(), 0, result).map_err(|e| e.to_string())?;
    // Values that jq has and JSON has not: NaN, infinities, strings of bytes, keys that are no strings.
    let text = String::from_utf8(bytes).ok().filter(|text| serde_json::from_str::<IgnoredAny>(text).is_ok());
    let text = text.ok_or_else(|| format!("the result is not valid JSON: {}", shortened(&result.to_string())))?;
    if results.len() + text.len() > RESULTS_BYTES_MAX {
        return Err("there are more than 256 MiB of results".to_owned());
    }
    results.push_str(&text);
    results.push('\n');
    Ok(())
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

/// What precedes the reason why a record is not valid JSON.
pub(super) const NO_JSON: &str = "the record is not valid JSON: ";

/// A record as jq has it. Only what is JSON is read: the parser of the engine takes more.
fn value(record: &[u8]) -> Result<Val, String> {
    let text = std::str::from_utf8(record).map_err(|e| format!("{NO_JSON}{e}"))?;
    bounded(record)?;
    let mut check = serde_json::Deserializer::from_str(text);
    serde::de::Deserialize::deserialize(&mut check)
        .and_then(|_: IgnoredAny| check.end())
        .map_err(|e| format!("{NO_JSON}{e}"))?;
    read::parse_single(record).map(|value| with_texts(value, record)).map_err(|e| format!("{NO_JSON}{e}"))
}

fn bounded(text: &[u8]) -> Result<(), String> {
    if depth(text) > DEPTH_MAX {
        return Err(format!("the record is nested more than {DEPTH_MAX} levels deep"));
    }
    Ok(())
}

/// Levels of nesting of a JSON text.
fn depth(text: &[u8]) -> usize {
    let (mut depth, mut deepest, mut is_in_string, mut is_escaped) = (0_usize, 0, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_in_string => is_escaped = true,
            b'"' => is_in_string = !is_in_string,
            b'[' | b'{' if !is_in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !is_in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

fn compiled<'a>(expression: &'a str, arena: &'a Arena) -> Result<Filter, String> {
    let definitions = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    let functions = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    let modules = Loader::new(definitions).load(arena, File { code: expression, path: () });
    let modules = modules.map_err(|all| not_read(expression, all))?;
    let compiler = jaq_core::Compiler::default().with_funs(functions);
    compiler.compile(modules).map_err(|all| not_compiled(expression, all))
}

fn at(expression: &str, part: &str) -> usize {
    load::span(expression, part).start + 1
}

fn not_read(expression: &str, all: load::Errors<&str, ()>) -> String {
    let mut out = String::new();
    for (_, error) in all {
        let why = match error {
            load::Error::Io(all) => all.first().map(|(_, why)| why.clone()),
            load::Error::Lex(all) => all.first().map(|(expected, found): &lex::Error<&str>| {
                format!("at character {}: {} is expected", at(expression, found), expected.as_str())
            }),
            load::Error::Parse(all) => all.first().map(|(expected, found): &parse::Error<&str>| {
                format!("at character {}: {} is expected", at(expression, found), expected.as_str())
            }),
        };
        let _ = write!(out, "{}", why.unwrap_or_default());
    }
    out
}

fn not_compiled(expression: &str, all: compile::Errors<&str, ()>) -> String {
    let first = all.into_iter().flat_map(|(_, errors)| errors).next();
    first.map_or_else(String::new, |(name, what)| {
        format!("at character {}: there is no {} `{name}`", at(expression, name), what.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(expression: &str, record: &str) -> RecordAnswer {
        let arenas = <[Arena; 2]>::default();
        answer(&RecordQuestion::read(expression, &arenas).unwrap(), record.as_bytes(), true)
    }

    #[test]
    fn numbers_keep_their_text() {
        let text = "[1.10,1E400,1e5,123456789012345678901234567890,0.1,-7]";
        assert_eq!(asked(".", text).results, format!("{text}\n"));
        assert_eq!(asked(".[0]+1", text).results, "2.1\n");
        let zeros = r#"{"a":[-0,-0.0,{"b":-0,"c":"[-0,"}],"-0":0,"d":0}"#;
        assert_eq!(asked(".", zeros).results, format!("{zeros}\n"));
        assert_eq!(asked(".a[2].b", zeros).results, "-0\n");
        assert_eq!(asked(".a[2] | .b == 0, .b + 1, .c", zeros).results, "true\n1.0\n\"[-0,\"\n");
        assert_eq!(asked(".", r#"{"a":-0,"a":0}"#).results, "{\"a\":0}\n");
        assert_eq!(asked(".", "-0").results, "-0\n");
    }

    #[test]
    fn an_expression_that_begins_with_members_is_asked_of_the_last_one() {
        let path = |text: &'static str| leading_path(text).map(|(path, rest)| (path.join("."), rest));
        assert_eq!(path(".a.b_1 | f"), Some(("a.b_1".to_owned(), " f")));
        assert_eq!(path(" .a "), Some(("a".to_owned(), ".")));
        for other in
            [".", "..", ".a[0]", ".a?", ".a |= 1", ".a + 1", ".a as $x | $x", ".a // 1 | f", ".a, .b", ".1", "f"]
        {
            assert_eq!(path(other), None, "{other}");
        }
        let records = [
            r#"{"a":{"b":[1,2]},"c":1}"#,
            r#"{"a":{"b":1},"a":{"b":2}}"#,
            r#"{"a":null}"#,
            r#"{"a":3}"#,
            r#"{"a":{}}"#,
            "{}",
            "[]",
            "null",
            "{\"a\":{\"b\":1}",
            r#"{"a":{"b":"\ud800"}}"#,
        ];
        for record in records {
            for rest in [".", "length", "., 1", "tojson", "error", "path(..)", "first // 7"] {
                // The parentheses make it one that is asked of the whole record.
                let (at_once, whole) =
                    (asked(&format!(".a.b | {rest}"), record), asked(&format!("(.a.b) | {rest}"), record));
                assert_eq!((at_once.results, at_once.failure), (whole.results, whole.failure), "{rest} of {record}");
            }
        }
    }

    #[test]
    fn only_json_goes_in_and_comes_out() {
        for record in ["NaN", "# x\n1", "b\"x\"", "\"\\ud800\"", "[1,]", "", "1 2"] {
            assert!(asked(".", record).failure.is_some(), "{record}");
        }
        for expression in ["nan", "infinite", "{(1,2):3}", "halt"] {
            assert!(asked(expression, "1").failure.is_some(), "{expression}");
        }
        let partly = asked("1,error(\"no\"),2", "{}");
        assert_eq!((partly.results.as_str(), partly.failure.as_deref()), ("1\n", Some("no")));
        assert!(asked(".", &"[".repeat(20_000)).failure.unwrap().contains("nested"));
    }

    #[test]
    fn what_is_no_expression_is_reported_with_its_place() {
        let why = |text: &str| {
            let arena = Arena::default();
            compiled(text, &arena).err().unwrap()
        };
        assert!(why(".a | nonsense").contains("at character 6") && why(".a | nonsense").contains("`nonsense`"));
        assert!(why(".a[").contains("character 4"), "{}", why(".a["));
        assert!(why(".a .. ").contains("character"), "{}", why(".a .. "));
        assert!(why("$ENV").contains("ENV"));
        assert!(!why("import \"x\" as x; .").is_empty());
    }
}
