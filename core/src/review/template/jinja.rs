//! Filters and functions of Jinja where this engine has them otherwise, or not at all: arguments with and without names
//! as Jinja takes them, and what Python refuses is refused.

use super::methods::{Arguments, wrong};
use super::python;
use minijinja::value::{Kwargs, Object, ObjectRepr, Rest, Tuple, Value, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, State};
use std::cmp::Ordering;
use std::sync::Arc;

/// Gives an environment all of them.
pub(super) fn add_to(environment: &mut Environment<'static>) {
    environment.add_filter("map", map);
    environment.add_filter("groupby", group_by);
    for name in ["default", "d"] {
        environment.add_filter(name, default);
    }
    for name in ["length", "count"] {
        environment.add_filter(name, length);
    }
    environment.add_filter("first", |value: &Value| item_at(value, false));
    environment.add_filter("last", |value: &Value| item_at(value, true));
    environment.add_filter("items", items);
    environment.add_filter("list", |value: &Value| listed(value).map(Value::from));
    environment.add_filter("reverse", reverse);
    environment.add_filter("sort", sort);
    environment.add_filter("min", |value: &Value, args: Rest<ValueOrKwargs>| extreme(value, args, Ordering::Less));
    environment.add_filter("max", |value: &Value, args: Rest<ValueOrKwargs>| extreme(value, args, Ordering::Greater));
    environment.add_filter("batch", batch);
    environment.add_filter("slice", slice);
    environment.add_filter("dictsort", dict_sort);
    environment.add_filter("replace", replace);
    environment.add_filter("indent", indent);
    environment.add_filter("attr", attr);
    environment.add_filter("center", center);
    environment.add_filter("wordcount", |value: &Value| Ok::<_, Error>(word_count(&python::text(value)?)));
    environment.add_filter("truncate", truncate);
    environment.add_filter("striptags", |text: String| minijinja_contrib::filters::striptags(text));
    for name in ["escape", "e", "forceescape"] {
        environment.add_filter(name, |value: &Value| python::text(value).map(|text| escaped(&text)));
    }
    environment.add_function("joiner", joiner);
    environment.add_function("cycler", |items: Rest<Value>| minijinja_contrib::globals::cycler(items.to_vec()));
    environment.add_function("dict", dict);
}

/// The items of what can be gone through; None cannot, and what is missing has none.
pub(super) fn listed(value: &Value) -> Result<Vec<Value>, Error> {
    if value.is_none() || matches!(value.kind(), ValueKind::Number | ValueKind::Bool) {
        return Err(wrong(format!("a {} has no items", value.kind())));
    }
    if value.is_undefined() { Ok(Vec::new()) } else { Ok(value.try_iter()?.collect()) }
}

/// The value at a path of members and places: `a.b` and `0.b`.
fn at_path(value: &Value, path: &Value) -> Result<Value, Error> {
    let Some(path) = path.as_str() else { return value.get_item(path) };
    path.split('.').try_fold(value.clone(), |value, part| match part.parse::<usize>() {
        Ok(place) => value.get_item(&Value::from(place)),
        Err(_) => value.get_attr(part),
    })
}

/// Filter `map`: a member of each, or each through a filter with all that follows its name.
fn map(state: &mut State<'_, '_>, value: &Value, args: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let args = args.into_values();
    let arguments = Arguments::of(&args);
    let all = listed(value)?;
    if let Some(path) = arguments.get(usize::MAX, "attribute") {
        let default = arguments.get(usize::MAX, "default");
        let of = |item: &Value| {
            let found = at_path(item, &path)?;
            Ok(default.clone().filter(|_| found.is_undefined()).unwrap_or(found))
        };
        return all.iter().map(of).collect::<Result<Vec<Value>, Error>>().map(Value::from);
    }
    let Some((name, rest)) = args.split_first() else { return Err(wrong("the name of a filter is missing")) };
    let name = name.as_str().ok_or_else(|| wrong("the name of a filter must be a text"))?;
    let mut out = Vec::with_capacity(all.len());
    for item in all {
        let given: Vec<Value> = std::iter::once(item).chain(rest.iter().cloned()).collect();
        out.push(state.apply_filter(name, &given)?);
    }
    Ok(Value::from(out))
}

/// A group: what its items have in common, and they.
#[derive(Debug)]
struct Group {
    key: Value,
    items: Value,
}

impl Object for Group {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match (key.as_usize(), key.as_str()) {
            (Some(0), _) | (_, Some("grouper")) => Some(self.key.clone()),
            (Some(1), _) | (_, Some("list")) => Some(self.items.clone()),
            _ => None,
        }
    }

    fn enumerate(self: &Arc<Self>) -> minijinja::value::Enumerator {
        minijinja::value::Enumerator::Seq(2)
    }
}

/// The two values of a group, which Python writes as a tuple.
pub(super) fn group_tuple(value: &Value) -> Option<Value> {
    let group = value.downcast_object_ref::<Group>()?;
    Some(Value::from(Tuple::from([group.key.clone(), group.items.clone()])))
}

/// Filter `groupby`: capitals do not count unless it is asked.
fn group_by(value: &Value, args: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let args = args.into_values();
    let arguments = Arguments::of(&args);
    let path = arguments.get(0, "attribute").ok_or_else(|| wrong("`attribute` is missing"))?;
    let default = arguments.get(1, "default");
    let is_exact = arguments.get(2, "case_sensitive").is_some_and(|exact| exact.is_true());
    let mut keyed = Vec::new();
    for item in listed(value)? {
        let found = at_path(&item, &path)?;
        let key = default.clone().filter(|_| found.is_undefined()).unwrap_or(found);
        keyed.push((folded(&key, is_exact), key, item));
    }
    sort_by_key(&mut keyed)?;
    let mut groups: Vec<(Value, Value, Vec<Value>)> = Vec::new();
    for (folded, key, item) in keyed {
        match groups.last_mut().filter(|(last, ..)| *last == folded) {
            Some((_, _, items)) => items.push(item),
            None => groups.push((folded, key, vec![item])),
        }
    }
    let groups = groups.into_iter().map(|(_, key, items)| Value::from_object(Group { key, items: Value::from(items) }));
    Ok(groups.collect())
}

/// A value by which is sorted: of texts capitals do not count.
fn folded(value: &Value, is_exact: bool) -> Value {
    value.as_str().filter(|_| !is_exact).map_or_else(|| value.clone(), |text| Value::from(text.to_lowercase()))
}

/// How two values are in order; Python has no order between kinds.
fn ordered(a: &Value, b: &Value) -> Result<Ordering, Error> {
    let kind = |value: &Value| match value.kind() {
        ValueKind::Bool => ValueKind::Number,
        kind => kind,
    };
    let is_known = matches!(kind(a), ValueKind::Number | ValueKind::String | ValueKind::Seq);
    if kind(a) != kind(b) || !is_known {
        return Err(wrong(format!("there is no order between a {} and a {}", a.kind(), b.kind())));
    }
    let number = |value: &Value| if value.is_true() { Value::from(1) } else { Value::from(0) };
    let plain = |value: &Value| if value.kind() == ValueKind::Bool { number(value) } else { value.clone() };
    Ok(plain(a).cmp(&plain(b)))
}

/// Sorts by the first of each; equal ones stay in order.
fn sort_by_key<T>(all: &mut [T]) -> Result<(), Error>
where
    T: Keyed,
{
    for pair in all.windows(2) {
        ordered(pair[0].key(), pair[1].key())?;
    }
    all.sort_by(|a, b| ordered(a.key(), b.key()).unwrap_or(Ordering::Equal));
    Ok(())
}

/// The values in the order of their keys; equal keys stay in order in both directions.
fn in_order(mut keyed: Vec<(Value, Value)>, is_reversed: bool) -> Result<Vec<Value>, Error> {
    if is_reversed {
        keyed.reverse();
    }
    sort_by_key(&mut keyed)?;
    if is_reversed {
        keyed.reverse();
    }
    Ok(keyed.into_iter().map(|(_, value)| value).collect())
}

/// Something that is sorted by a value.
trait Keyed {
    fn key(&self) -> &Value;
}

impl Keyed for (Value, Value) {
    fn key(&self) -> &Value {
        &self.0
    }
}

impl Keyed for (Value, Value, Value) {
    fn key(&self) -> &Value {
        &self.0
    }
}

/// Filter `sort`.
fn sort(value: &Value, args: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let args = args.into_values();
    let arguments = Arguments::of(&args);
    let is_true = |at, name| arguments.get(at, name).is_some_and(|value| value.is_true());
    let (is_reversed, is_exact) = (is_true(0, "reverse"), is_true(1, "case_sensitive"));
    let paths = arguments.text(2, "attribute")?;
    let mut keyed = Vec::new();
    for item in listed(value)? {
        let key = match paths.as_deref().map(|paths| paths.split(',').map(str::trim).collect::<Vec<_>>()) {
            None => folded(&item, is_exact),
            Some(paths) => {
                let keys = paths.iter().map(|path| Ok(folded(&at_path(&item, &Value::from(*path))?, is_exact)));
                let mut keys = keys.collect::<Result<Vec<Value>, Error>>()?;
                if keys.len() == 1 { keys.remove(0) } else { Value::from(keys) }
            }
        };
        keyed.push((key, item));
    }
    in_order(keyed, is_reversed).map(Value::from)
}

/// Filters `min` and `max`: the first of equal ones.
fn extreme(value: &Value, args: Rest<ValueOrKwargs>, wanted: Ordering) -> Result<Value, Error> {
    let args = args.into_values();
    let arguments = Arguments::of(&args);
    let is_exact = arguments.get(0, "case_sensitive").is_some_and(|value| value.is_true());
    let path = arguments.get(1, "attribute");
    let mut best: Option<(Value, Value)> = None;
    for item in listed(value)? {
        let key = path.as_ref().map_or_else(|| Ok(item.clone()), |path| at_path(&item, path))?;
        let key = folded(&key, is_exact);
        let is_better = match &best {
            Some((known, _)) => ordered(&key, known)? == wanted,
            None => true,
        };
        if is_better {
            best = Some((key, item));
        }
    }
    Ok(best.map_or(Value::UNDEFINED, |(_, item)| item))
}

/// Filter `default`.
fn default(value: &Value, args: Rest<ValueOrKwargs>) -> Value {
    let args = args.into_values();
    let (named, values) = match args.split_last().map(|(last, rest)| (super::methods::named(last), rest)) {
        Some((Some(named), rest)) => (Some(named), rest),
        _ => (None, &args[..]),
    };
    let of_name = |name: &str| named.as_ref().filter(|named| named.has(name)).and_then(|named| named.get(name).ok());
    let other = values.first().cloned().or_else(|| of_name("default_value")).unwrap_or_else(|| Value::from(""));
    let is_lax = values.get(1).cloned().or_else(|| of_name("boolean")).is_some_and(|lax: Value| lax.is_true());
    if value.is_undefined() || (is_lax && !value.is_true()) { other } else { value.clone() }
}

/// Filter `length`: what is missing has no items.
fn length(value: &Value) -> Result<usize, Error> {
    match value.as_str() {
        Some(text) => Ok(text.chars().count()),
        None if value.is_undefined() => Ok(0),
        None => value.len().ok_or_else(|| wrong(format!("a {} has no length", value.kind()))),
    }
}

/// Filters `first` and `last`.
fn item_at(value: &Value, is_last: bool) -> Result<Value, Error> {
    if let Some(text) = value.as_str() {
        let found = if is_last { text.chars().next_back() } else { text.chars().next() };
        return Ok(found.map_or(Value::UNDEFINED, |c| Value::from(c.to_string())));
    }
    let all = listed(value)?;
    let found = if is_last { all.last() } else { all.first() };
    Ok(found.cloned().unwrap_or(Value::UNDEFINED))
}

/// Filter `items`: pairs of a mapping; what is missing has none.
fn items(value: &Value) -> Result<Value, Error> {
    if value.is_undefined() {
        return Ok(Value::from(Vec::<Value>::new()));
    }
    if value.kind() != ValueKind::Map {
        return Err(wrong(format!("items are of a mapping, not of a {}", value.kind())));
    }
    let pair = |key: Value| Ok(Value::from(Tuple::from([key.clone(), value.get_item(&key)?])));
    value.try_iter()?.map(pair).collect::<Result<Vec<Value>, Error>>().map(Value::from)
}

fn reverse(value: &Value) -> Result<Value, Error> {
    if let Some(text) = value.as_str() {
        return Ok(Value::from(text.chars().rev().collect::<String>()));
    }
    Ok(listed(value)?.into_iter().rev().collect())
}

/// Filter `batch`: rows of a given length.
fn batch(value: &Value, args: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let args = args.into_values();
    let arguments = Arguments::of(&args);
    let count = arguments.size(0, "linecount")?;
    let fill = arguments.get(1, "fill_with");
    let rows = listed(value)?;
    let rows = rows.chunks(count).map(|row| {
        let missing = fill.iter().flat_map(|fill| std::iter::repeat_n(fill, count - row.len()));
        row.iter().chain(missing).cloned().collect::<Value>()
    });
    Ok(rows.collect())
}

/// Filter `slice`: a given number of columns.
fn slice(value: &Value, args: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let args = args.into_values();
    let arguments = Arguments::of(&args);
    let count = arguments.size(0, "slices")?;
    let fill = arguments.get(1, "fill_with");
    let all = listed(value)?;
    let (each, more) = (all.len() / count, all.len() % count);
    let mut rest = all.as_slice();
    let columns = (0..count).map(|column| {
        let (here, behind) = rest.split_at((each + usize::from(column < more)).min(rest.len()));
        rest = behind;
        let fill = fill.iter().filter(|_| column >= more);
        here.iter().chain(fill).cloned().collect::<Value>()
    });
    Ok(columns.collect())
}

/// Filter `dictsort`.
fn dict_sort(value: &Value, args: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let args = args.into_values();
    let arguments = Arguments::of(&args);
    let is_true = |at, name| arguments.get(at, name).is_some_and(|value| value.is_true());
    let (is_exact, is_reversed) = (is_true(0, "case_sensitive"), is_true(2, "reverse"));
    let by = arguments.text(1, "by")?.unwrap_or_else(|| "key".to_owned());
    let place = match by.as_str() {
        "key" => 0,
        "value" => 1,
        _ => return Err(wrong("`by` must be key or value")),
    };
    let mut keyed = Vec::new();
    for pair in items(value)?.try_iter()? {
        keyed.push((folded(&pair.get_item(&Value::from(place))?, is_exact), pair));
    }
    in_order(keyed, is_reversed).map(Value::from)
}

/// Filter `replace`: all occurrences, or the first `count`.
fn replace(value: &Value, args: Rest<ValueOrKwargs>) -> Result<String, Error> {
    let args = args.into_values();
    let arguments = Arguments::of(&args);
    let text = python::text(value)?;
    let as_text = |at, name: &str| {
        let value = arguments.get(at, name).ok_or_else(|| wrong(format!("`{name}` is missing")))?;
        python::text(&value)
    };
    let (old, new) = (as_text(0, "old")?, as_text(1, "new")?);
    let count = arguments.number(2, "count")?.and_then(|count| usize::try_from(count).ok());
    Ok(count.map_or_else(|| text.replace(&old, &new), |count| text.replacen(&old, &new, count)))
}

/// Filter `indent`: by blanks or by a text.
fn indent(value: &Value, args: Rest<ValueOrKwargs>) -> Result<String, Error> {
    let args = args.into_values();
    let arguments = Arguments::of(&args);
    let text = value.as_str().map(str::to_owned).or_else(|| value.is_undefined().then(String::new));
    let text = text.ok_or_else(|| wrong(format!("a {} cannot be indented", value.kind())))?;
    let width = arguments.get(0, "width");
    let margin = match width.as_ref().map(|width| (width.as_str(), width.as_usize())) {
        None => " ".repeat(4),
        Some((Some(margin), _)) => margin.to_owned(),
        Some((_, Some(width))) => " ".repeat(width.min(super::methods::WIDTH_MAX)),
        Some(_) => return Err(wrong("`width` must be a number or a text")),
    };
    let is_true = |at, name| arguments.get(at, name).is_some_and(|value| value.is_true());
    let (is_first, is_blank) = (is_true(1, "first"), is_true(2, "blank"));
    let mut out = String::with_capacity(text.len());
    for (number, line) in text.split('\n').enumerate() {
        out.push_str(if number > 0 { "\n" } else { "" });
        let has_margin = if number == 0 { is_first } else { is_blank || !line.is_empty() };
        out.push_str(if has_margin { &margin } else { "" });
        out.push_str(line);
    }
    Ok(out)
}

/// Filter `attr`: a mapping has members, no attributes.
fn attr(value: &Value, name: &str) -> Result<Value, Error> {
    let is_object = matches!(value.kind(), ValueKind::Plain) || value.downcast_object_ref::<Group>().is_some();
    if is_object { value.get_attr(name) } else { Ok(Value::UNDEFINED) }
}

fn center(value: &Value, width: Option<usize>) -> Result<String, Error> {
    Arguments::of(&[Value::from(width.unwrap_or(80))]).pad(&python::text(value)?, "center")
}

/// Words as Python's `\w+` finds them.
fn word_count(text: &str) -> usize {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).count()
}

/// Filter `truncate`: what is longer by more than the leeway is cut, at the end of a word.
fn truncate(value: &Value, args: Rest<ValueOrKwargs>) -> Result<String, Error> {
    let args = args.into_values();
    let arguments = Arguments::of(&args);
    let text = python::text(value)?;
    let size = |at, name, default: usize| {
        Ok::<_, Error>(arguments.number(at, name)?.map_or(default, |size| usize::try_from(size).unwrap_or(0)))
    };
    let length = size(0, "length", 255)?;
    let is_hard = arguments.get(1, "killwords").is_some_and(|kills| kills.is_true());
    let end = arguments.text(2, "end")?.unwrap_or_else(|| "...".to_owned());
    let leeway = size(3, "leeway", 5)?;
    if text.chars().count() <= length.saturating_add(leeway) {
        return Ok(text);
    }
    let cut: String = text.chars().take(length.saturating_sub(end.chars().count())).collect();
    let cut = if is_hard { cut.as_str() } else { cut.rsplit_once(' ').map_or(cut.as_str(), |(before, _)| before) };
    Ok(format!("{cut}{end}"))
}

/// As markupsafe writes it.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\'' => out.push_str("&#39;"),
            '"' => out.push_str("&#34;"),
            c => out.push(c),
        }
    }
    out
}

/// Function `joiner`.
fn joiner(separator: Option<Value>) -> Value {
    minijinja_contrib::globals::joiner(Some(separator.unwrap_or_else(|| Value::from(", "))))
}

/// Function `dict`: of a mapping or of pairs, with members by name.
fn dict(value: Option<Value>, named: Kwargs) -> Result<Value, Error> {
    let mut pairs = Vec::new();
    for item in value.iter().filter(|value| !value.is_undefined()) {
        let all = if item.kind() == ValueKind::Map { items(item)? } else { item.clone() };
        for pair in all.try_iter()? {
            let two: Vec<Value> = pair.try_iter()?.collect();
            let [key, value] = <[Value; 2]>::try_from(two).map_err(|_| wrong("a mapping is made of pairs"))?;
            pairs.push((key, value));
        }
    }
    for name in named.args() {
        pairs.push((Value::from(name), named.get::<Value>(name)?));
    }
    Ok(Value::from_pairs(pairs))
}
