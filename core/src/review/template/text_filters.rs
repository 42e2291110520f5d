//! Filters of Jinja that make texts: sizes, addresses, attributes, formats.

use super::jinja::escaped;
use super::methods::{Arguments, named, wrong};
use super::percent::percent;
use super::python;
use minijinja::value::{Rest, Tuple, Value, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error};
use std::fmt::Write as _;

/// Prefixes of units from the second power of the base on.
const PREFIXES: &str = "kMGTPEZY";

/// Gives an environment all of them.
pub(super) fn add_to(environment: &mut Environment<'static>) {
    environment.add_filter("filesizeformat", file_size);
    environment.add_filter("urlencode", url_encode);
    environment.add_filter("xmlattr", attributes);
    environment.add_filter("format", format);
}

/// Filter `filesizeformat`: bytes in units of 1,000, or of 1,024.
fn file_size(value: &Value, args: Rest<ValueOrKwargs>) -> Result<String, Error> {
    let args = args.into_values();
    let is_binary = Arguments::of(&args).get(0, "binary").is_some_and(|binary| binary.is_true());
    let number = value.as_str().map_or_else(|| f64::try_from(value.clone()).ok(), |text| text.trim().parse().ok());
    let bytes = number.ok_or_else(|| wrong("what is no number is no size of a file"))?;
    let base: f64 = if is_binary { 1024.0 } else { 1000.0 };
    if (bytes - 1.0).abs() < f64::EPSILON {
        return Ok("1 Byte".to_owned());
    }
    if bytes < base {
        return Ok(format!("{} Bytes", bytes.trunc()));
    }
    let (mut unit, mut prefix) = (base, ' ');
    for next in PREFIXES.chars() {
        prefix = next;
        if bytes < unit * base || next == 'Y' {
            break;
        }
        unit *= base;
    }
    let (prefix, end) = if is_binary { (prefix.to_ascii_uppercase(), "iB") } else { (prefix, "B") };
    Ok(format!("{:.1} {prefix}{end}", bytes / unit))
}

/// Filter `urlencode`: a text, or pairs as the query of an address.
fn url_encode(value: &Value) -> Result<String, Error> {
    let pairs: Vec<(Value, Value)> = match value.kind() {
        ValueKind::Map => {
            value.try_iter()?.map(|key| Ok((key.clone(), value.get_item(&key)?))).collect::<Result<_, Error>>()?
        }
        ValueKind::Seq | ValueKind::Iterable => {
            let pair = |pair: Value| Ok((pair.get_item(&Value::from(0))?, pair.get_item(&Value::from(1))?));
            value.try_iter()?.map(pair).collect::<Result<_, Error>>()?
        }
        _ => return Ok(quoted(&python::text(value)?, false)),
    };
    let member = |(key, value): &(Value, Value)| {
        Ok(format!("{}={}", quoted(&python::text(key)?, true), quoted(&python::text(value)?, true)))
    };
    Ok(pairs.iter().map(member).collect::<Result<Vec<_>, Error>>()?.join("&"))
}

/// A text with the bytes that an address cannot hold as `%` and two digits; in a query a space is `+`.
fn quoted(text: &str, is_query: bool) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'/' if !is_query => out.push('/'),
            b' ' if is_query => out.push('+'),
            b'_' | b'.' | b'-' | b'~' => out.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// Filter `xmlattr`: the members of a mapping as attributes, without those that are none.
fn attributes(value: &Value, args: Rest<ValueOrKwargs>) -> Result<String, Error> {
    let args = args.into_values();
    let has_space = Arguments::of(&args).get(0, "autospace").is_none_or(|is| is.is_true());
    let mut out = Vec::new();
    for key in value.try_iter()? {
        let item = value.get_item(&key)?;
        if item.is_none() || item.is_undefined() {
            continue;
        }
        let name = python::text(&key)?;
        if name.contains(|c: char| c.is_whitespace() || matches!(c, '/' | '>' | '=')) {
            return Err(wrong(format!("an attribute cannot be called {name:?}")));
        }
        out.push(format!("{}=\"{}\"", escaped(&name), escaped(&python::text(&item)?)));
    }
    let space = if has_space && !out.is_empty() { " " } else { "" };
    Ok(format!("{space}{}", out.join(" ")))
}

/// Filter `format`: `%` with values, or with a mapping of names.
fn format(template: &Value, args: Rest<ValueOrKwargs>) -> Result<String, Error> {
    let template = python::text(template)?;
    let mut args = args.into_values();
    match args.last().and_then(named) {
        Some(_) if args.len() == 1 => percent(&template, &args.remove(0)),
        Some(_) => Err(wrong("a format has values or names, not both")),
        None => percent(&template, &Value::from(Tuple::new(args))),
    }
}
