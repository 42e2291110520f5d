//! What one message is and writes, whatever the state (A7 to A20).

use crate::reference::json::J;
use crate::reference::path::{self, Expr, Key, Ref, Segment};

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Of a type of A8.
    Known,
    /// Passed through.
    Unknown,
    NotAMessage,
}

const TYPES: [&str; 14] = [
    "text",
    "data",
    "input",
    "state",
    "error",
    "plan",
    "tool",
    "meta",
    "system",
    "call",
    "solution",
    "advisor",
    "question",
    "expressions",
];
const ROLES: [&str; 5] = ["system", "user", "assistant", "developer", "tool"];

/// The chat role of a message (A26).
pub(crate) fn chat_role(message: &J) -> Option<&str> {
    message.get("role").and_then(J::str).filter(|r| ROLES.contains(r))
}

/// A message without its wrapper, and what it is (A7, A8).
pub(crate) fn unwrap(raw: &J) -> (J, Class) {
    let Some(object) = raw.obj() else { return (raw.clone(), Class::NotAMessage) };
    let class = |kind: &str| if TYPES.contains(&kind) { Class::Known } else { Class::Unknown };
    match raw.some("type") {
        Some(J::Str(kind)) => return (raw.clone(), class(kind)),
        Some(_) => return (raw.clone(), Class::Unknown),
        None => {}
    }
    let has_role = raw.some("role").is_some();
    if let Some(J::Obj(content)) = raw.get("content").filter(|c| c.some("type").is_some()) {
        let mut content = content.clone();
        for (key, value) in &object.members {
            if (key == "role" || key.starts_with('_')) && content.get(key).is_none() {
                content.put(key, value.clone());
            }
        }
        let message = J::Obj(content);
        let class = message.get("type").and_then(J::str).map_or(Class::Unknown, class);
        return (message, class);
    }
    let is_text =
        matches!(raw.get("content"), Some(J::Str(_) | J::Arr(_))) || raw.get("text").and_then(J::str).is_some();
    match (is_text, has_role) {
        (true, _) => (raw.clone(), Class::Known),
        (false, true) => (raw.clone(), Class::Unknown),
        (false, false) => (raw.clone(), Class::NotAMessage),
    }
}

fn is_text(message: &J) -> bool {
    matches!(message.get("content"), Some(J::Str(_) | J::Arr(_))) || message.get("text").and_then(J::str).is_some()
}

/// The type of an unwrapped message.
pub(crate) fn type_of(message: &J) -> &str {
    match message.some("type") {
        Some(kind) => kind.str().unwrap_or(""),
        None if is_text(message) => "text",
        None => "",
    }
}

/// How a value is written at its targets (A18).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Set,
    Merge,
    Assign,
    Push,
    Concat,
    Erase,
}

/// What a data message (A9 to A11) does.
#[derive(Debug, Clone)]
pub(crate) struct Data {
    pub(crate) kind: String,
    pub(crate) instance: Option<String>,
    pub(crate) value: Option<J>,
    pub(crate) schema: Option<J>,
    pub(crate) description: Option<String>,
    pub(crate) method: Method,
    /// Where the method applies, from the root.
    pub(crate) targets: Vec<Vec<String>>,
    /// Rules without path that it breaks.
    pub(crate) faults: Vec<&'static str>,
}

fn text(value: Option<&J>) -> Option<&str> {
    value.and_then(J::str)
}

/// The value of an input, state or error message (A10, A11).
fn form(message: &J, own: Option<&str>) -> Option<J> {
    if let Some(value) = own.and_then(|name| message.get(name)).or_else(|| message.get("data")) {
        return Some(value.clone());
    }
    let mut rest = message.obj()?.clone();
    rest.members.retain(|(key, _)| {
        let is_role = key == "role" && chat_role(message).is_some();
        !["type", "kind", "schema", "description"].contains(&key.as_str()) && !is_role && !key.starts_with('_')
    });
    (!rest.members.is_empty()).then(|| J::Obj(rest).plain())
}

/// The instance of a message (A14): of itself, its call, its value.
fn instance(message: &J, value: Option<&J>, faults: &mut Vec<&'static str>) -> Option<String> {
    let places = [
        message.get("_instance"),
        message.get("_call").and_then(|c| c.get("_instance")),
        value.and_then(|v| v.get("_instance")),
    ];
    for found in places.into_iter().flatten() {
        match found {
            J::Str(s) if !s.is_empty() => return Some(s.clone()),
            J::Num(n) => return Some(n.clone()),
            J::Null => {}
            _ => faults.push("bad-instance"),
        }
    }
    None
}

/// The keys of a path that leads through objects only; None: it has an index.
fn names(path: &[Segment]) -> Option<Vec<String>> {
    let name = |segment: &Segment| match segment {
        Segment::Name(name) | Segment::Dot(name) => Some(name.clone()),
        Segment::Index(_) => None,
    };
    path.iter().map(name).collect()
}

fn holds(value: &J, path: &[String]) -> bool {
    path.iter().try_fold(value, |value, key| value.get(key)).is_some()
}

fn method_of(message: &J, faults: &mut Vec<&'static str>) -> Option<Method> {
    let found = message.some("_outputMethod").or_else(|| message.get("_call")?.some("_outputMethod"))?;
    let known = ["set", "merge", "assign", "push", "concat", "erase"].iter().position(|m| Some(*m) == found.str());
    let all = [Method::Set, Method::Merge, Method::Assign, Method::Push, Method::Concat, Method::Erase];
    if known.is_none() {
        faults.push("unknown-output-method");
    }
    Some(known.map_or(Method::Set, |i| all[i]))
}

/// The references of an `_outputPath`; None: it is no place.
pub(crate) fn places(path: &J) -> Option<Vec<Ref>> {
    match path.str().map(path::parse) {
        Some(expr @ Expr::Gates(_)) => Some(path::references(&expr)),
        _ => None,
    }
}

/// What a message writes, if it is a data message.
pub(crate) fn data(message: &J) -> Option<Data> {
    let kind = type_of(message);
    let mut faults = Vec::new();
    let (mut identity, value) = match kind {
        "data" => {
            let kind = match message.some("kind") {
                Some(J::Str(kind)) if !kind.is_empty() => Some(kind.clone()),
                Some(_) => {
                    faults.push("bad-kind");
                    None
                }
                None => None,
            };
            (kind, message.get("data").cloned())
        }
        "input" | "state" => (Some(kind.to_owned()), form(message, Some(kind))),
        "error" => (Some(kind.to_owned()), form(message, None)),
        _ => return None,
    };
    let instance = instance(message, value.as_ref(), &mut faults);
    let (mut method, mut targets) = (Method::Merge, Vec::new());
    if identity.as_deref() != Some("error") {
        let mut more = Vec::new();
        (method, targets) = aim(message, value.as_ref(), &mut identity, &mut more);
        if identity.as_deref() != Some("error") {
            faults.extend(more);
        }
    }
    let schema = message.some("schema").filter(|s| {
        let is_schema = matches!(s, J::Obj(_) | J::Bool(_));
        if !is_schema || !super::schema::is_valid(s) {
            faults.push("bad-schema");
        }
        is_schema
    });
    let description = text(message.get("description")).filter(|d| !d.is_empty()).map(str::to_owned);
    let kind = identity.unwrap_or_else(|| "data".to_owned());
    Some(Data { kind, instance, value, schema: schema.cloned(), description, method, targets, faults })
}

/// How and where the value is written (A17 to A19).
fn aim(
    message: &J,
    value: Option<&J>,
    identity: &mut Option<String>,
    faults: &mut Vec<&'static str>,
) -> (Method, Vec<Vec<String>>) {
    let method = method_of(message, faults);
    let is_erase = method == Some(Method::Erase);
    let Some(output_path) = message.get("_call").and_then(|c| c.some("_outputPath")) else {
        return (method.unwrap_or(Method::Merge), if method.is_some() { vec![Vec::new()] } else { Vec::new() });
    };
    let Some(places) = places(output_path) else {
        faults.push("bad-output-path");
        return (method.filter(|_| is_erase).unwrap_or(Method::Set), Vec::new());
    };
    let fits = |place: &&Ref| {
        let names = names(&place.path);
        names.is_some_and(|names| is_erase || value.is_some_and(|value| holds(value, &names)))
    };
    let fitting: Vec<&Ref> = places.iter().filter(fits).collect();
    if identity.is_none() && !fitting.iter().any(|place| place.kind == "data") {
        *identity = fitting.first().map(|place| place.kind.clone());
    }
    let kind = identity.clone().unwrap_or_else(|| "data".to_owned());
    let mine = fitting.iter().filter(|place| place.kind == kind);
    let targets: Vec<Vec<String>> = mine.filter_map(|place| names(&place.path)).collect();
    let has_own = is_erase && places.iter().any(|place| place.kind == kind);
    if targets.is_empty() && !has_own {
        faults.push("output-path-missing");
    }
    (method.unwrap_or(Method::Set), targets)
}

/// A string member of the message's call.
pub(crate) fn tool(message: &J) -> Option<String> {
    text(message.get("_call").and_then(|c| c.get("_tool"))).map(str::to_owned)
}

pub(crate) fn date(message: &J) -> Option<String> {
    text(message.get("_date")).map(str::to_owned)
}

/// Paths of the keys that stand twice (A6, A44).
pub(crate) fn twice(value: &J, at: &mut Vec<Key>, out: &mut Vec<String>) {
    match value {
        J::Obj(object) => {
            for (key, value) in &object.members {
                at.push(Key::Name(key.clone()));
                if object.twice.contains(key) {
                    out.push(path::inner_path(at));
                }
                twice(value, at, out);
                at.pop();
            }
        }
        J::Arr(all) => {
            for (i, value) in all.iter().enumerate() {
                at.push(Key::Index(i));
                twice(value, at, out);
                at.pop();
            }
        }
        _ => {}
    }
}
