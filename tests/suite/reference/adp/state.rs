//! Steps and what they write (D19, D20): what all shapes share, and std records.

use super::shape::{self, Item, text};
use crate::reference::json::J;
use sha2::{Digest, Sha256};

/// Slot pointers in order of first writing, each with value and step.
pub(crate) type State = Vec<([String; 3], J, Option<usize>)>;

pub(crate) struct StepOf {
    pub(crate) members: Vec<(&'static str, J)>,
    pub(crate) state: State,
    /// What it counts as in statistics (D22).
    pub(crate) class: String,
    pub(crate) role: String,
    pub(crate) calls: Vec<String>,
    pub(crate) has_thought: bool,
    pub(crate) chars: usize,
    pub(crate) reward: Option<f64>,
}

/// The state before all steps, and the steps.
pub(crate) type Steps = (State, Vec<StepOf>);

pub(super) fn digest(value: &str) -> J {
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
pub(super) struct Writer {
    pub(super) state: State,
    pub(super) step: Option<usize>,
    pub(super) written: Vec<String>,
}

impl Writer {
    pub(super) fn set(&mut self, kind: &str, instance: &str, slot: &str, value: J) {
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

    pub(super) fn add(&mut self, kind: &str, instance: &str, slot: &str, by: f64) {
        let sum = self.number(kind, instance, slot) + by;
        self.set(kind, instance, slot, J::num(sum));
    }

    pub(super) fn turn(&mut self, role: &str, is_after_agent: bool) {
        self.add("conversation", "main", "steps", 1.0);
        if ["user", "agent", "environment", "system"].contains(&role) {
            self.add("conversation", "main", role, 1.0);
        }
        if role == "agent" && !is_after_agent {
            self.add("conversation", "main", "turns", 1.0);
        }
    }

    /// A call, and what it was given.
    pub(super) fn call(&mut self, tool: &str, last: Option<J>) {
        self.add("conversation", "main", "open_calls", 1.0);
        self.add("tool", tool, "calls", 1.0);
        if let Some(last) = last {
            self.set("tool", tool, "last", last);
        }
    }

    pub(super) fn answer(&mut self, tool: &str) {
        self.add("conversation", "main", "open_calls", -1.0);
        self.add("tool", tool, "answered", 1.0);
    }

    pub(super) fn reward(&mut self, reward: f64) {
        self.add("reward", "total", "sum", reward);
        self.add("reward", "total", "count", 1.0);
        self.set("reward", "total", "last", J::num(reward));
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

pub(super) fn chars(value: &J, without: &[&str]) -> usize {
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

pub(super) fn head(writer: &mut Writer, value: &J) {
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
pub(crate) fn std(value: &J) -> Steps {
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
        let thoughts = ["description", "reasoning_content"].into_iter().filter_map(|key| item.text(key));
        let said = Said {
            kind,
            class: class.map_or(J::Null, J::Str),
            role: item.role().to_owned(),
            calls: item.tool().into_iter().collect(),
            has_thought: thoughts.into_iter().any(|t| !is_blank(t)),
            answers: answers[i],
            chars: chars(&item.raw, &["class_", "class", "source", "tool_call_id"]),
            reward: item.get("reward").filter(|_| item.class.is_some()).and_then(number).map(|(n, _)| n),
        };
        let mut step = said.step(i, &mut writer);
        item.class.unwrap_or("unknown").clone_into(&mut step.class);
        out.push(step);
    }
    (before, out)
}

pub(super) fn is_blank(value: &str) -> bool {
    value.chars().all(char::is_whitespace)
}

/// What is said of a step.
pub(super) struct Said {
    pub(super) kind: &'static str,
    pub(super) class: J,
    pub(super) role: String,
    pub(super) calls: Vec<String>,
    pub(super) has_thought: bool,
    pub(super) answers: Option<usize>,
    pub(super) chars: usize,
    pub(super) reward: Option<f64>,
}

impl Said {
    /// With what the writer wrote in this step.
    pub(super) fn step(self, i: usize, writer: &mut Writer) -> StepOf {
        writer.written.sort();
        writer.written.dedup();
        let members = vec![
            ("step", J::num(i)),
            ("kind", J::string(self.kind)),
            ("class", self.class.clone()),
            ("role", J::string(&self.role)),
            ("tool", self.calls.first().map_or(J::Null, |tool| J::string(tool))),
            ("answers", self.answers.map_or(J::Null, J::num)),
            ("chars", J::num(self.chars)),
            ("reward", self.reward.map_or(J::Null, J::num)),
            ("writes", J::Arr(writer.written.iter().map(|p| J::string(p)).collect())),
        ];
        StepOf {
            members,
            state: writer.state.clone(),
            class: self.class.str().unwrap_or("unknown").to_owned(),
            role: self.role,
            calls: self.calls,
            has_thought: self.has_thought,
            chars: self.chars,
            reward: self.reward,
        }
    }
}

fn write_item(writer: &mut Writer, items: &[Item], i: usize, answered: Option<usize>) {
    let item = &items[i];
    if item.class.is_none() {
        return writer.add("conversation", "main", "steps", 1.0);
    }
    writer.turn(item.role(), i.checked_sub(1).is_some_and(|p| items[p].role() == "agent"));
    if item.is_tool() {
        let last = match (item.class, item.get("kwargs"), item.text("content")) {
            (Some("api_action"), Some(kwargs @ J::Obj(_)), _) => Some(kwargs.plain()),
            (Some("code_action"), _, Some(code)) => Some(digest(code)),
            _ => None,
        };
        writer.call(&item.tool().unwrap_or_else(|| "?".to_owned()), last);
    }
    if let Some(call) = answered {
        writer.answer(&items[call].tool().unwrap_or_else(|| "?".to_owned()));
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
        writer.reward(reward);
    }
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
