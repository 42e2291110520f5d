//! Steps and what they write (D19, D20), for std and chat records.

use super::shape::{self, Item, text};
use crate::reference::json::J;
use sha2::{Digest, Sha256};

/// Slot pointers in order of first writing, each with value and step.
pub(crate) type State = Vec<([String; 3], J, Option<usize>)>;

pub(crate) struct StepOf {
    pub(crate) members: Vec<(&'static str, J)>,
    pub(crate) state: State,
}

fn digest(value: &str) -> J {
    let hash = Sha256::digest(value.as_bytes());
    let hex: String = hash.iter().take(6).map(|b| format!("{b:02x}")).collect();
    J::object(vec![("sha256", J::Str(hex)), ("chars", J::num(value.chars().count()))])
}

fn image(value: &str) -> J {
    if value.chars().count() > 512 { digest(value) } else { J::string(value) }
}

fn escape(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}

pub(crate) fn pointer(slot: &[String; 3]) -> String {
    slot.iter().map(|part| format!("/{}", escape(part))).collect()
}

#[derive(Default)]
struct Writer {
    state: State,
    step: Option<usize>,
    written: Vec<String>,
}

impl Writer {
    fn set(&mut self, kind: &str, instance: &str, slot: &str, value: J) {
        let key = [kind.to_owned(), instance.to_owned(), slot.to_owned()];
        if self.step.is_some() {
            self.written.push(pointer(&key));
        }
        match self.state.iter_mut().find(|(k, ..)| *k == key) {
            Some(old) => (old.1, old.2) = (value, self.step),
            None => self.state.push((key, value, self.step)),
        }
    }

    fn number(&self, kind: &str, instance: &str, slot: &str) -> f64 {
        let key = [kind, instance, slot];
        let found = self.state.iter().find(|(k, ..)| k.iter().zip(key).all(|(a, b)| a == b));
        found.and_then(|(_, v, _)| if let J::Num(n) = v { n.parse().ok() } else { None }).unwrap_or(0.0)
    }

    fn add(&mut self, kind: &str, instance: &str, slot: &str, by: f64) {
        let sum = self.number(kind, instance, slot) + by;
        self.set(kind, instance, slot, J::num(sum));
    }

    fn turn(&mut self, role: &str, is_after_agent: bool) {
        self.add("conversation", "main", "steps", 1.0);
        if ["user", "agent", "environment", "system"].contains(&role) {
            self.add("conversation", "main", role, 1.0);
        }
        if role == "agent" && !is_after_agent {
            self.add("conversation", "main", "turns", 1.0);
        }
    }
}

fn scalars(value: &J) -> usize {
    match value {
        J::Str(s) => s.chars().count(),
        J::Arr(a) => a.iter().map(scalars).sum(),
        J::Obj(o) => o.members.iter().map(|(_, v)| scalars(v)).sum(),
        _ => 0,
    }
}

fn chars(value: &J, without: &[&str]) -> usize {
    let Some(object) = value.obj() else { return scalars(value) };
    object.members.iter().filter(|(k, _)| !without.contains(&k.as_str())).map(|(_, v)| scalars(v)).sum()
}

/// A number as D8 reads it; None: it is none.
pub(crate) fn number(value: &J) -> Option<(f64, bool)> {
    let is_text = |t: &str| {
        let (mantissa, exponent) = t.split_once(['e', 'E']).map_or((t, None), |(m, e)| (m, Some(e)));
        let digits = |d: &str| d.bytes().all(|b| b.is_ascii_digit());
        let unsigned = |d: &str| d.strip_prefix(['+', '-']).unwrap_or(d).to_owned();
        let body = unsigned(mantissa);
        let (whole, part) = body.split_once('.').unwrap_or((&body, ""));
        let has = !whole.is_empty() || !part.is_empty();
        has && digits(whole) && digits(part) && exponent.is_none_or(|e| !unsigned(e).is_empty() && digits(&unsigned(e)))
    };
    let parse = |t: &str| t.parse::<f64>().ok().filter(|n| n.is_finite());
    match value {
        J::Num(n) => Some((parse(n)?, false)),
        J::Bool(b) => Some((f64::from(u8::from(*b)), true)),
        J::Str(s) if is_text(s) => Some((parse(s)?, true)),
        _ => None,
    }
}

fn head(writer: &mut Writer, value: &J) {
    for key in ["id", "schema_version"] {
        if let Some(found) = text(value, key) {
            writer.set("trajectory", "main", key, J::string(found));
        }
    }
    for (key, details) in value.get("details").and_then(J::obj).map_or(&[][..], |o| &o.members) {
        writer.set("details", "main", key, details.plain());
    }
    for (instance, key) in
        [("apis", "available_apis"), ("tools", "available_custom_tools"), ("languages", "available_code_languages")]
    {
        if let Some(names) = value.get(key).filter(|v| v.arr().is_some()) {
            writer.set("available", instance, "names", names.plain());
        }
    }
}

/// All steps of a std record, and the state before them.
pub(crate) fn std(value: &J) -> (State, Vec<StepOf>) {
    let mut writer = Writer::default();
    head(&mut writer, value);
    let before = writer.state.clone();
    let items: Vec<Item> = value.get("content").and_then(J::arr).into_iter().flatten().map(Item::of).collect();
    let answers = shape::answers(&items);
    let mut out = Vec::new();
    for (i, item) in items.iter().enumerate() {
        (writer.step, writer.written) = (Some(i), Vec::new());
        write_item(&mut writer, &items, i, answers[i]);
        let kind = match item.class {
            Some(c) if c.ends_with("_action") => "action",
            Some(_) => "observation",
            None => "unknown",
        };
        let class = item.class.map(str::to_owned).or_else(|| item.class_text.clone());
        let members = vec![
            ("step", J::num(i)),
            ("kind", J::string(kind)),
            ("class", class.map_or(J::Null, J::Str)),
            ("role", J::string(item.role())),
            ("tool", item.tool().map_or(J::Null, J::Str)),
            ("answers", answers[i].map_or(J::Null, J::num)),
            ("chars", J::num(chars(&item.raw, &["class_", "class", "source", "tool_call_id"]))),
        ];
        out.push(finished(&mut writer, members));
    }
    (before, out)
}

fn finished(writer: &mut Writer, mut members: Vec<(&'static str, J)>) -> StepOf {
    writer.written.sort();
    writer.written.dedup();
    members.push(("writes", J::Arr(writer.written.iter().map(|p| J::string(p)).collect())));
    StepOf { members, state: writer.state.clone() }
}

fn write_item(writer: &mut Writer, items: &[Item], i: usize, answered: Option<usize>) {
    let item = &items[i];
    if item.class.is_none() {
        return writer.add("conversation", "main", "steps", 1.0);
    }
    writer.turn(item.role(), i.checked_sub(1).is_some_and(|p| items[p].role() == "agent"));
    if item.is_tool() {
        let name = item.tool().unwrap_or_else(|| "?".to_owned());
        writer.add("conversation", "main", "open_calls", 1.0);
        writer.add("tool", &name, "calls", 1.0);
        match (item.class, item.get("kwargs"), item.text("content")) {
            (Some("api_action"), Some(kwargs @ J::Obj(_)), _) => writer.set("tool", &name, "last", kwargs.plain()),
            (Some("code_action"), _, Some(code)) => writer.set("tool", &name, "last", digest(code)),
            _ => {}
        }
    }
    if let Some(call) = answered {
        let name = items[call].tool().unwrap_or_else(|| "?".to_owned());
        writer.add("conversation", "main", "open_calls", -1.0);
        writer.add("tool", &name, "answered", 1.0);
    }
    for (key, slot) in [("description", "thought"), ("reasoning_content", "reasoning")] {
        if let Some(thought) = item.text(key).filter(|_| item.is_action()) {
            writer.set("agent", "main", slot, digest(thought));
        }
    }
    let text = |key: &str| item.text(key).map_or(J::Null, J::string);
    match item.class {
        Some("text_observation") => {
            let fits = item.role() == "environment" || answered.is_some();
            if let Some(content) = item.text("content").filter(|_| fits) {
                writer.set("env", "text", "content", digest(content));
                writer.set("env", "text", "name", text("name"));
            }
        }
        Some("image_observation") => {
            writer.set("env", "screen", "image", item.text("content").map_or(J::Null, image));
            let count = item.get("annotations").and_then(J::arr).map_or(0, Vec::len);
            writer.set("env", "screen", "annotations", J::num(count));
        }
        Some("json_observation") => {
            if let Some(content) = item.get("content").filter(|c| c.obj().is_some()) {
                writer.set("env", "json", "content", content.plain());
            }
        }
        Some("web_observation") => {
            let long = |key: &str| item.text(key).map_or(J::Null, digest);
            let inner = item.get("image_observation").and_then(|o| o.get("content")?.str()).map_or(J::Null, image);
            let sizes = item.get("viewport_size").and_then(J::arr).filter(|a| a.len() == 2);
            let sizes: Option<Vec<J>> = sizes.and_then(|a| a.iter().map(integer).collect());
            for (slot, value) in [
                ("url", text("url")),
                ("axtree", long("axtree")),
                ("html", long("html")),
                ("image", inner),
                ("viewport", sizes.map_or(J::Null, J::Arr)),
            ] {
                writer.set("env", "web", slot, value);
            }
        }
        _ => {}
    }
    if let Some((reward, _)) = item.get("reward").and_then(number) {
        reward_of(writer, reward);
    }
}

fn reward_of(writer: &mut Writer, reward: f64) {
    writer.add("reward", "total", "sum", reward);
    writer.add("reward", "total", "count", 1.0);
    writer.set("reward", "total", "last", J::num(reward));
}

fn integer(value: &J) -> Option<J> {
    number(value).filter(|(n, _)| n.fract() == 0.0).map(|(n, _)| J::num(n))
}

/// The state as `state --json` has it.
pub(crate) fn shown(state: &State) -> (J, J) {
    let mut kinds = crate::reference::json::Object::default();
    let mut blame = Vec::new();
    for (key, value, step) in state {
        let mut kind = kinds.get(&key[0]).and_then(J::obj).cloned().unwrap_or_default();
        let mut instance = kind.get(&key[1]).and_then(J::obj).cloned().unwrap_or_default();
        instance.put(&key[2], value.clone());
        kind.put(&key[1], J::Obj(instance));
        kinds.put(&key[0], J::Obj(kind));
        blame.push((pointer(key), step.map_or(J::Null, J::num)));
    }
    let blame = crate::reference::json::Object { members: blame, twice: Vec::new() };
    (J::Obj(kinds), J::Obj(blame))
}
