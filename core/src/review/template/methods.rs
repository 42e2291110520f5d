//! Methods of Python's texts, lists and mappings that templates call. What is here not, `minijinja-contrib` has.

use super::python::is_space;
use minijinja::value::{Kwargs, Tuple, Value, ValueKind};
use minijinja::{Error, ErrorKind, State};
use minijinja_contrib::pycompat::unknown_method_callback;

/// Widest text that a method may pad to, in characters.
pub(super) const WIDTH_MAX: usize = 1 << 20;

/// A method of a value.
pub(super) fn call(state: &mut State<'_, '_>, value: &Value, method: &str, args: &[Value]) -> Result<Value, Error> {
    let known = match value.kind() {
        ValueKind::String => Arguments::of(args).text_method(value.as_str().unwrap_or_default(), method)?,
        ValueKind::Seq | ValueKind::Iterable => list_method(value, method, args)?,
        ValueKind::Map if method == "copy" && args.is_empty() => Some(value.clone()),
        _ => None,
    };
    known.map_or_else(|| unknown_method_callback(state, value, method, args), Ok)
}

pub(super) fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, message.into())
}

fn list_method(value: &Value, method: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    match (method, args) {
        ("copy", []) => Ok(Some(value.try_iter()?.collect())),
        ("index", [item]) => {
            let at = value.try_iter()?.position(|other| other == *item);
            at.map(|at| Some(Value::from(at))).ok_or_else(|| wrong("the value is not in the list"))
        }
        _ => Ok(None),
    }
}

/// Arguments with names, which are as the last value.
pub(super) fn named(value: &Value) -> Option<Kwargs> {
    if value.is_kwargs() { Kwargs::try_from(value.clone()).ok() } else { None }
}

/// The arguments of a method, with and without names.
pub(super) struct Arguments<'a> {
    values: &'a [Value],
    named: Option<Kwargs>,
}

impl<'a> Arguments<'a> {
    pub(super) fn of(args: &'a [Value]) -> Self {
        match args.split_last().map(|(last, rest)| (named(last), rest)) {
            Some((Some(named), rest)) => Self { values: rest, named: Some(named) },
            _ => Self { values: args, named: None },
        }
    }

    /// An argument by its place or name; None where it is not given or None.
    pub(super) fn get(&self, at: usize, name: &str) -> Option<Value> {
        let named = || self.named.as_ref().and_then(|named| named.get::<Option<Value>>(name).ok().flatten());
        self.values.get(at).cloned().or_else(named).filter(|value| !value.is_none() && !value.is_undefined())
    }

    pub(super) fn text(&self, at: usize, name: &str) -> Result<Option<String>, Error> {
        let Some(value) = self.get(at, name) else { return Ok(None) };
        value.as_str().map(|text| Some(text.to_owned())).ok_or_else(|| wrong(format!("`{name}` must be a text")))
    }

    fn needed(&self, at: usize, name: &str) -> Result<String, Error> {
        self.text(at, name)?.ok_or_else(|| wrong(format!("`{name}` is missing")))
    }

    pub(super) fn number(&self, at: usize, name: &str) -> Result<Option<i64>, Error> {
        let Some(value) = self.get(at, name) else { return Ok(None) };
        value.as_i64().map(Some).ok_or_else(|| wrong(format!("`{name}` must be a whole number")))
    }

    /// A count that is not 0.
    pub(super) fn size(&self, at: usize, name: &str) -> Result<usize, Error> {
        let size = self.number(at, name)?.and_then(|size| usize::try_from(size).ok());
        size.filter(|size| *size > 0).ok_or_else(|| wrong(format!("`{name}` must be a number from 1 on")))
    }

    /// A method of a text; None: not one of these.
    fn text_method(&self, text: &str, method: &str) -> Result<Option<Value>, Error> {
        Ok(Some(match method {
            "strip" | "lstrip" | "rstrip" => Value::from(self.strip(text, method)?),
            "split" | "rsplit" => self.split(text, method == "rsplit")?,
            "splitlines" => lines(text, self.get(0, "keepends").is_some_and(|keeps| keeps.is_true())),
            "partition" | "rpartition" => self.partition(text, method == "rpartition")?,
            "removeprefix" => Value::from(text.strip_prefix(&self.needed(0, "prefix")?).unwrap_or(text)),
            "removesuffix" => Value::from(text.strip_suffix(&self.needed(0, "suffix")?).unwrap_or(text)),
            "find" | "rfind" | "index" | "rindex" => self.find(text, method)?,
            "count" => Value::from(count(self.part(text, 1)?.1, &self.needed(0, "sub")?)),
            "startswith" | "endswith" => self.has_end(text, method == "startswith")?,
            "replace" => self.replace(text)?,
            "title" => Value::from(title(text)),
            "capitalize" => Value::from(capitalized(text)),
            "swapcase" => Value::from(text.chars().flat_map(swapped).collect::<String>()),
            "casefold" => Value::from(text.to_lowercase()),
            "isspace" => Value::from(!text.is_empty() && text.chars().all(is_space)),
            "isdecimal" => Value::from(!text.is_empty() && text.chars().all(|c| c.is_ascii_digit())),
            "zfill" | "ljust" | "rjust" | "center" => Value::from(self.pad(text, method)?),
            "join" => self.join(text)?,
            _ => return Ok(None),
        }))
    }

    fn strip(&self, text: &str, method: &str) -> Result<String, Error> {
        let chars = self.text(0, "chars")?;
        let is_cut = |c: char| chars.as_ref().map_or_else(|| is_space(c), |chars| chars.contains(c));
        let text = if method == "rstrip" { text } else { text.trim_start_matches(is_cut) };
        let text = if method == "lstrip" { text } else { text.trim_end_matches(is_cut) };
        Ok(text.to_owned())
    }

    fn split(&self, text: &str, is_from_end: bool) -> Result<Value, Error> {
        let most = self.number(1, "maxsplit")?.and_then(|most| usize::try_from(most).ok());
        let most = most.map_or(usize::MAX, |most| most.saturating_add(1));
        let parts: Vec<String> = match self.text(0, "sep")? {
            Some(separator) if separator.is_empty() => return Err(wrong("the separator is empty")),
            Some(separator) if is_from_end => {
                let mut parts: Vec<String> = text.rsplitn(most, &separator).map(str::to_owned).collect();
                parts.reverse();
                parts
            }
            Some(separator) => text.splitn(most, &separator).map(str::to_owned).collect(),
            None => words(text, most, is_from_end),
        };
        Ok(Value::from(parts))
    }

    fn partition(&self, text: &str, is_last: bool) -> Result<Value, Error> {
        let separator = self.needed(0, "sep")?;
        if separator.is_empty() {
            return Err(wrong("the separator is empty"));
        }
        let found = if is_last { text.rsplit_once(&separator) } else { text.split_once(&separator) };
        let parts = match found {
            Some((before, behind)) => [before, &separator, behind],
            None if is_last => ["", "", text],
            None => [text, "", ""],
        };
        Ok(Value::from(Tuple::from(parts.map(Value::from))))
    }

    /// The part of a text from `start` to `end`, which are characters, and the character at which it begins.
    fn part<'t>(&self, text: &'t str, at: usize) -> Result<(usize, &'t str), Error> {
        let (start, end) = (self.number(at, "start")?, self.number(at + 1, "end")?);
        if start.is_none() && end.is_none() {
            return Ok((0, text));
        }
        let count = text.chars().count();
        let place = |at: i64| match usize::try_from(at) {
            Ok(at) => at.min(count),
            Err(_) => count.saturating_sub(usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX)),
        };
        let (start, end) = (start.map_or(0, place), end.map_or(count, place));
        let byte = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
        Ok((start, text.get(byte(start)..byte(end)).unwrap_or_default()))
    }

    fn find(&self, text: &str, method: &str) -> Result<Value, Error> {
        let what = self.needed(0, "sub")?;
        let (start, part) = self.part(text, 1)?;
        let found = if method.starts_with('r') { part.rfind(&what) } else { part.find(&what) };
        match found {
            Some(byte) => Ok(Value::from(start + part[..byte].chars().count())),
            None if method.ends_with("find") => Ok(Value::from(-1)),
            None => Err(wrong("the text does not hold what is looked for")),
        }
    }

    fn has_end(&self, text: &str, is_start: bool) -> Result<Value, Error> {
        let asked = self.get(0, "prefix").ok_or_else(|| wrong("a text is missing"))?;
        let (_, text) = self.part(text, 1)?;
        let has = |end: &Value| {
            let end = end.as_str().ok_or_else(|| wrong("it begins or ends with texts only"))?;
            Ok::<_, Error>(if is_start { text.starts_with(end) } else { text.ends_with(end) })
        };
        if asked.is_tuple() {
            for end in asked.try_iter()? {
                if has(&end)? {
                    return Ok(Value::from(true));
                }
            }
            return Ok(Value::from(false));
        }
        has(&asked).map(Value::from)
    }

    fn replace(&self, text: &str) -> Result<Value, Error> {
        let (old, new) = (self.needed(0, "old")?, self.needed(1, "new")?);
        let count = self.number(2, "count")?.and_then(|count| usize::try_from(count).ok());
        Ok(Value::from(count.map_or_else(|| text.replace(&old, &new), |count| text.replacen(&old, &new, count))))
    }

    pub(super) fn pad(&self, text: &str, method: &str) -> Result<String, Error> {
        let width = self.number(0, "width")?.ok_or_else(|| wrong("`width` is missing"))?;
        let width = usize::try_from(width).unwrap_or(0).min(WIDTH_MAX);
        let fill = self.text(1, "fillchar")?.and_then(|fill| fill.chars().next()).unwrap_or(' ');
        let missing = width.saturating_sub(text.chars().count());
        let fill = |count: usize| String::from(fill).repeat(count);
        Ok(match method {
            "ljust" => text.to_owned() + &fill(missing),
            "rjust" => fill(missing) + text,
            "center" => {
                // Python puts the odd one to the left where the width is odd.
                let left = missing / 2 + (missing & width & 1);
                fill(left) + text + &fill(missing - left)
            }
            _ => {
                let (sign, digits) = text.split_at(usize::from(text.starts_with(['-', '+'])));
                format!("{sign}{}{digits}", "0".repeat(missing))
            }
        })
    }

    fn join(&self, separator: &str) -> Result<Value, Error> {
        let items = self.get(0, "iterable").ok_or_else(|| wrong("what to join is missing"))?;
        let mut texts = Vec::new();
        for item in items.try_iter()? {
            let text = item.as_str().map(str::to_owned);
            texts.push(text.ok_or_else(|| wrong(format!("join takes texts, not a {}", item.kind())))?);
        }
        Ok(Value::from(texts.join(separator)))
    }
}

/// Words between white space, at most `most`; the last, or the first, is the rest of the text.
fn words<'t>(text: &'t str, most: usize, is_from_end: bool) -> Vec<String> {
    let mut out = Vec::new();
    let trim =
        |text: &'t str| if is_from_end { text.trim_end_matches(is_space) } else { text.trim_start_matches(is_space) };
    let mut rest = trim(text);
    while !rest.is_empty() {
        let cut = match (out.len() + 1 >= most, is_from_end) {
            (true, _) => None,
            (false, true) => rest.rfind(is_space).map(|at| {
                let length = rest[at..].chars().next().map_or(1, char::len_utf8);
                (&rest[at + length..], &rest[..at])
            }),
            (false, false) => rest.find(is_space).map(|at| (&rest[..at], &rest[at..])),
        };
        let (word, left) = cut.unwrap_or((rest, ""));
        out.push(word.to_owned());
        rest = trim(left);
    }
    if is_from_end {
        out.reverse();
    }
    out
}

/// Lines as Python cuts them: it knows more ends of lines than the newline.
fn lines(text: &str, keeps_ends: bool) -> Value {
    let is_end = |c: char| matches!(c, '\n'..='\r' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let mut out = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(is_end).unwrap_or(rest.len());
        let sign = match &rest[end..] {
            behind if behind.starts_with("\r\n") => 2,
            behind => behind.chars().next().map_or(0, char::len_utf8),
        };
        out.push(Value::from(&rest[..if keeps_ends { end + sign } else { end }]));
        rest = &rest[end + sign..];
    }
    Value::from(out)
}

fn count(text: &str, what: &str) -> usize {
    if what.is_empty() { text.chars().count() + 1 } else { text.matches(what).count() }
}

fn title(text: &str) -> String {
    let mut is_inside = false;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_inside {
            out.extend(c.to_lowercase());
        } else {
            out.extend(c.to_uppercase());
        }
        is_inside = c.is_alphabetic();
    }
    out
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    first + &chars.as_str().to_lowercase()
}

fn swapped(c: char) -> Vec<char> {
    if c.is_uppercase() { c.to_lowercase().collect() } else { c.to_uppercase().collect() }
}
