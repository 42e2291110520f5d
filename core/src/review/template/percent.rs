//! `"text" % value` as Python does it: what this engine's formatting lacks is put in its words.

use super::methods::wrong;
use super::python;
use crate::model::cast;
use minijinja::Error;
use minijinja::formatting::{FormatStyle, format};
use minijinja::value::{Value, ValueKind};

/// A text with values in the places of its conversions.
pub(super) fn percent(template: &str, value: &Value) -> Result<String, Error> {
    let values = if value.is_tuple() { value.try_iter()?.collect() } else { vec![value.clone()] };
    let mut values = values.into_iter();
    let (mut text, mut given) = (String::with_capacity(template.len()), Vec::new());
    let mut rest = template;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        let mut spec = &rest[at..];
        let mut named = None;
        if let Some((name, behind)) = spec.strip_prefix("%(").and_then(|spec| spec.split_once(')')) {
            named = Some(value.get_item(&Value::from(name)).ok().filter(|value| !value.is_undefined()));
            spec = behind;
            text.push('%');
        }
        // Behind a name the percent sign is there already.
        let begin = usize::from(named.is_none());
        let length =
            begin + spec[begin..].find(|c: char| !"-+ #0123456789.*".contains(c)).unwrap_or(spec.len() - begin);
        let Some(sign) = spec[length..].chars().next() else { return Err(wrong("incomplete format")) };
        rest = &spec[length + sign.len_utf8()..];
        if sign == '%' {
            text.push_str(if named.is_none() { "%%" } else { "%" });
            continue;
        }
        // A width or a precision may be a value too.
        for (i, part) in spec[..length].split('*').enumerate() {
            if i > 0 {
                let size = values.next().and_then(|size| size.as_i64());
                text.push_str(&size.ok_or_else(|| wrong("* wants a number"))?.to_string());
            }
            text.push_str(part);
        }
        let next = named.unwrap_or_else(|| values.next());
        let value = next.ok_or_else(|| wrong("not enough values for the format"))?;
        let (sign, value) = converted(sign, value)?;
        text.push(sign);
        given.push(value);
    }
    text.push_str(rest);
    // A mapping may be there for names that the text does not ask for.
    if value.kind() != ValueKind::Map && values.next().is_some() {
        return Err(wrong("not all values are in the format"));
    }
    format(FormatStyle::Printf, &text, &given)
}

/// A conversion and its value in words that the engine knows.
fn converted(sign: char, value: Value) -> Result<(char, Value), Error> {
    Ok(match sign {
        's' => ('s', Value::from(python::text(&value)?)),
        'r' => ('s', Value::from(python::repr(&value)?)),
        'a' => ('s', Value::from(python::ascii(&python::repr(&value)?))),
        'd' | 'i' | 'u' => match python::as_float(&value) {
            Some(number) if number.is_finite() => ('d', Value::from(cast::f64_to_i64(number))),
            _ => ('d', value),
        },
        sign => (sign, value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use minijinja::value::Tuple;

    #[test]
    fn conversions_are_those_of_python() {
        let of = |template: &str, values: &[Value]| {
            let value = if let [only] = values { only.clone() } else { Value::from(Tuple::new(values.to_vec())) };
            percent(template, &value).map_err(|_| ())
        };
        let (text, number) = (Value::from("é'"), Value::from(5.9));
        assert_eq!(of("%r|%a", &[text.clone(), text.clone()]), Ok("\"é'\"|\"\\xe9'\"".to_owned()));
        assert_eq!(of("%i|%d|%5.1f%%", &[number.clone(), number.clone(), number.clone()]), Ok("5|5|  5.9%".to_owned()));
        assert_eq!(of("%*d", &[Value::from(4), Value::from(7)]), Ok("   7".to_owned()));
        assert_eq!(of("%s", &[Value::from(()), text.clone()]), Err(()), "one is left");
        assert_eq!(of("%s%s", &[text]), Err(()), "one is missing");
        assert_eq!(of("%s", &[Value::from(())]), Ok("None".to_owned()));
        let members = [("a", Value::from("q")), ("b", Value::from(7))];
        let mapping = Value::from(std::collections::BTreeMap::from(members));
        assert_eq!(of("%(a)r %(b)03d %(a)s", std::slice::from_ref(&mapping)), Ok("'q' 007 q".to_owned()));
        assert_eq!(of("%(c)s", &[mapping]), Err(()), "there is no such member");
    }
}
