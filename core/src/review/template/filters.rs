//! Filters, tests and functions of templates: those of `transformers`, those of Jinja where this engine has them
//! otherwise, and three for the named templates.

use super::jinja::listed;
use super::methods::{self, Arguments};
use super::percent::percent;
use super::python::{self, is_space};
use super::source::{LOOP, PERCENT};
use super::to_json::{put_json, to_json};
use crate::json::{self, Data};
use crate::model::cast;
use crate::review::conversation::template_value;
use minijinja::value::{Kwargs, Rest, Value, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind};
use std::fmt::Write as _;

/// What `strftime_now` knows. There is no clock here: it is always the day that the Llama 3 templates name.
const TODAY: &[(char, &str)] = &[
    ('d', "26"),
    ('b', "Jul"),
    ('B', "July"),
    ('m', "07"),
    ('y', "24"),
    ('Y', "2024"),
    ('a', "Fri"),
    ('A', "Friday"),
    ('H', "00"),
    ('I', "12"),
    ('M', "00"),
    ('S', "00"),
    ('p', "AM"),
    ('j', "208"),
    ('e', "26"),
    ('F', "2024-07-26"),
    ('T', "00:00:00"),
    ('U', "29"),
    ('W', "30"),
    ('w', "5"),
    ('u', "5"),
    ('D', "07/26/24"),
    ('R', "00:00"),
    ('f', "000000"),
    ('Z', ""),
    ('z', ""),
    ('%', "%"),
];

/// Gives an environment all of them.
pub(super) fn add_to(environment: &mut Environment<'static>) {
    super::jinja::add_to(environment);
    super::text_filters::add_to(environment);
    environment.set_unknown_method_callback(methods::call);
    environment.set_formatter(|out, _, value| match value.as_str() {
        Some(text) => out.write_str(text).map_err(Error::from),
        None => out.write_str(&python::text(value)?).map_err(Error::from),
    });
    environment.add_filter("tojson", to_json);
    environment.add_filter("string", python::text);
    environment.add_filter("join", join);
    environment.add_filter("trim", trim);
    environment.add_filter("int", int);
    environment.add_filter("float", float);
    environment.add_filter("round", round);
    environment.add_filter("said", content_text);
    environment.add_filter("called", called);
    environment.add_filter("parsed", parsed);
    environment.add_filter(PERCENT, |template: String, value: Value| percent(&template, &value));
    environment.add_filter(LOOP, |value: Value| match value.kind() {
        ValueKind::None => Err(methods::wrong("None has no items")),
        _ => Ok(value),
    });
    environment.add_test("sequence", |value: &Value| {
        value.is_undefined() || matches!(value.kind(), ValueKind::Seq | ValueKind::Map | ValueKind::String)
    });
    environment.add_test("iterable", |value: &Value| !value.is_none() && value.try_iter().is_ok());
    environment.add_test("callable", |value: &Value| {
        let is_macro = value.to_string().starts_with("<macro ") && value.kind() == ValueKind::Map;
        value.kind() == ValueKind::Plain || is_macro
    });
    environment.add_function("raise_exception", |message: String| -> Result<Value, Error> {
        Err(Error::new(ErrorKind::InvalidOperation, message))
    });
    environment.add_function("strftime_now", |format: String| now(&format));
}

fn now(format: &str) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let (code, is_short) = behind.strip_prefix('-').map_or((behind, false), |code| (code, true));
        let known = TODAY.iter().find(|(known, _)| code.starts_with(*known));
        match known {
            Some((_, text)) if is_short && text.len() > 1 => out.push_str(text.strip_prefix('0').unwrap_or(text)),
            Some((_, text)) => out.push_str(text),
            None => out.push('%'),
        }
        rest = if known.is_some() { &code[1..] } else { behind };
    }
    out + rest
}

/// Filter `join`, of texts as Python writes them.
fn join(value: &Value, args: Rest<ValueOrKwargs>) -> Result<String, Error> {
    let args = args.into_values();
    let arguments = Arguments::of(&args);
    let separator = arguments.get(0, "d").as_ref().map_or(Ok(String::new()), python::text)?;
    let attribute = arguments.text(1, "attribute")?;
    let mut out = String::new();
    for (i, item) in listed(value)?.into_iter().enumerate() {
        let item = match &attribute {
            Some(path) => path.split('.').try_fold(item, |item, name| item.get_attr(name))?,
            None => item,
        };
        out.push_str(if i > 0 { &separator } else { "" });
        out.push_str(&python::text(&item)?);
    }
    Ok(out)
}

/// A value as a number, where Python makes one of it.
fn number(value: &Value) -> Option<f64> {
    match value.as_str() {
        Some(text) => text.trim_matches(is_space).replace('_', "").parse().ok(),
        None => f64::try_from(value.clone()).ok(),
    }
}

/// Filter `float`: what is no number is the default.
fn float(value: &Value, args: Rest<ValueOrKwargs>) -> Value {
    let of_bool = (value.kind() == ValueKind::Bool).then(|| f64::from(u8::from(value.is_true())));
    let args = args.into_values();
    let default = || Arguments::of(&args).get(0, "default").unwrap_or_else(|| Value::from(0.0));
    of_bool.or_else(|| number(value)).map_or_else(default, Value::from)
}

/// Filter `round`: up or down it divides, which makes a whole number of Python one with a point.
fn round(value: Value, precision: Option<i32>, method: Option<&str>, named: Kwargs) -> Result<Value, Error> {
    let method_name = method.map(str::to_owned).or(named.peek::<Option<String>>("method").ok().flatten());
    let is_directed = method_name.is_some_and(|name| name != "common");
    let is_whole = value.is_integer() && is_directed;
    let rounded = minijinja::filters::round(value, precision, method, named)?;
    Ok(if is_whole { f64::try_from(rounded.clone()).map_or(rounded, Value::from) } else { rounded })
}

/// Filter `int`: what is no number is the default; texts may be of another base than ten.
fn int(value: &Value, args: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    if value.is_undefined() {
        return Err(methods::wrong("what is missing is no number"));
    }
    let args = args.into_values();
    let arguments = Arguments::of(&args);
    let base = arguments.number(1, "base")?.unwrap_or(10);
    let default = || arguments.get(0, "default").unwrap_or_else(|| Value::from(0));
    let whole = value.as_str().and_then(|text| parse_int(&text.trim_matches(is_space).replace('_', ""), base));
    Ok(match (whole, number(value)) {
        (Some(whole), _) => Value::from(whole),
        _ if value.kind() == ValueKind::Bool => Value::from(i64::from(value.is_true())),
        _ if value.is_integer() => value.clone(),
        // A cast stops at the ends of the type; Python goes on.
        (None, Some(number)) if number.is_finite() => Value::from(cast::f64_to_i64(number)),
        _ => default(),
    })
}

/// A whole number of a base, with the sign of the base before it where Python takes one.
fn parse_int(text: &str, base: i64) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.to_lowercase();
    let prefixed = [("0x", 16), ("0o", 8), ("0b", 2)].into_iter().find(|(prefix, _)| lower.starts_with(prefix));
    let (digits, base) = match prefixed {
        Some((_, of_prefix)) if base == of_prefix || base == 0 => (&lower[2..], of_prefix),
        _ => (lower.as_str(), if base == 0 { 10 } else { base }),
    };
    let base = u32::try_from(base).ok().filter(|base| (2..=36).contains(base))?;
    let number = i64::from_str_radix(digits, base).ok();
    number.filter(|_| !digits.starts_with(['+', '-'])).map(|number| sign * number)
}

/// Filter `trim`: `strip` of Python.
fn trim(value: &Value, args: Rest<ValueOrKwargs>) -> Result<String, Error> {
    let text = python::text(value)?;
    Ok(match Arguments::of(&args.into_values()).text(0, "chars")? {
        Some(chars) => text.trim_matches(|c| chars.contains(c)).to_owned(),
        None => text.trim_matches(is_space).to_owned(),
    })
}

/// Filter `said` of the named templates: a content as text; of parts their texts, and a sign for each picture, joined
/// by a newline (D17).
fn content_text(content: &Value) -> Result<String, Error> {
    match content.kind() {
        ValueKind::None | ValueKind::Undefined => Ok(String::new()),
        ValueKind::Seq => {
            let mut texts = Vec::new();
            for part in content.try_iter()? {
                let text = part.get_attr("text").unwrap_or_default();
                let kind = part.get_attr("type").unwrap_or_default();
                let mut out = String::new();
                match (text.as_str().or(part.as_str()), kind.as_str()) {
                    (Some(text), _) => out.push_str(text),
                    (None, Some("image" | "image_url")) => out.push_str("<image>"),
                    (None, _) => put_json(&part, &mut out)?,
                }
                texts.push(out);
            }
            Ok(texts.join("\n"))
        }
        _ => python::text(content),
    }
}

/// Filter `called` of the named templates: a call as JSON; `key` names its arguments, `has_id`: with its id. What
/// nobody can read as a call is as it is.
fn called(call: &Value, key: Option<String>, has_id: Option<bool>) -> Result<String, Error> {
    let function = call.get_attr("function").ok().filter(|function| function.kind() == ValueKind::Map);
    let function = function.as_ref().unwrap_or(call);
    let mut out = String::new();
    let name = function.get_attr("name").unwrap_or_default();
    if name.as_str().is_none() {
        put_json(call, &mut out)?;
        return Ok(out);
    }
    out.push_str("{\"name\": ");
    put_json(&name, &mut out)?;
    let _ = write!(out, ", {}: ", json::quote(key.as_deref().unwrap_or("arguments")));
    put_arguments(&function.get_attr("arguments").unwrap_or_default(), &mut out)?;
    if has_id == Some(true) {
        let id = call.get_attr("id").unwrap_or_default();
        out.push_str(", \"id\": ");
        put_json(&if id.is_undefined() { Value::from(()) } else { id }, &mut out)?;
    }
    out.push('}');
    Ok(out)
}

/// Arguments as OpenAI writes them are JSON in a string; the formats have them as an object.
fn put_arguments(arguments: &Value, out: &mut String) -> Result<(), Error> {
    match arguments.as_str().filter(|text| is_object(text)) {
        Some(text) => out.push_str(text),
        None if arguments.is_undefined() => out.push_str("{}"),
        None => put_json(arguments, out)?,
    }
    Ok(())
}

/// Filter `parsed` of the named templates: arguments that are JSON in a string as what they mean.
fn parsed(arguments: &Value) -> Value {
    let text = arguments.as_str().filter(|text| is_object(text));
    text.and_then(|text| json::parse(text).ok()).map_or_else(|| arguments.clone(), |value| template_value(&value))
}

fn is_object(text: &str) -> bool {
    json::parse(text).is_ok_and(|value| matches!(value.data, Data::Object(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_sign() {
        let all = ["-5", "+5", "--5", "+-5", "", "-0x1f", "0x-5"].map(|text| parse_int(text, 0));
        assert_eq!(all, [Some(-5), Some(5), None, None, None, Some(-31), None]);
    }
}
