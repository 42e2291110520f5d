//! Records, shapes, versions, classes (D1 to D7).

use crate::reference::json::{self, J, Object};

/// What a record is (D2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Std,
    Chat,
    Atif,
    Other,
}

pub(crate) fn text<'a>(value: &'a J, key: &str) -> Option<&'a str> {
    value.get(key).and_then(J::str)
}

/// The values of a file, None for one that cannot be read.
pub(crate) fn records(text: &str) -> Vec<Option<J>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match json::parse(text) {
        Some(J::Arr(all)) => all.into_iter().map(Some).collect(),
        _ => json::cut_array(text).unwrap_or_else(|| json::values(text)),
    }
}

/// The messages of a chat record.
pub(crate) fn messages(value: &J) -> Option<(&'static str, &Vec<J>)> {
    let is_message = |m: &J| text(m, "from").is_some() || text(m, "role").is_some();
    ["conversations", "messages", "trajectory"].into_iter().find_map(|key| {
        let all = value.get(key)?.arr()?;
        all.iter().all(is_message).then_some((key, all))
    })
}

pub(crate) fn shape(value: &J) -> Shape {
    let steps = value.get("steps").and_then(J::arr);
    let is_named = text(value, "schema_version").is_some_and(|v| v.starts_with("ATIF"));
    let has = |key: &str| value.get(key).is_some();
    let is_std = has("schema_version") && has("id") && messages(value).is_none();
    match () {
        () if value.obj().is_none() => Shape::Other,
        () if steps.is_some_and(|s| is_named || s.first().is_some_and(|s| s.get("step_id").is_some())) => Shape::Atif,
        () if !has("role") && (value.get("content").is_some_and(|c| c.arr().is_some()) || is_std) => Shape::Std,
        () if messages(value).is_some() => Shape::Chat,
        () => Shape::Other,
    }
}

/// The version as minor number; None: none (D3). With the finding.
pub(crate) fn version(value: &J) -> (Option<u32>, Option<(&'static str, &'static str)>) {
    const KNOWN: [&str; 6] = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0", "1.5.0"];
    let Some(version) = value.get("schema_version") else { return (None, None) };
    let Some(version) = version.str() else { return (None, Some(("adp.type", "error"))) };
    if let Some(minor) = KNOWN.iter().position(|k| *k == version) {
        return (u32::try_from(minor).ok(), None);
    }
    let numbers: Vec<Option<u32>> = version.split('.').map(|n| n.parse().ok()).collect();
    let is_newer = matches!(numbers[..], [Some(1), Some(minor), Some(patch)] if (minor, patch) > (5, 0));
    (Some(5), Some(("adp.version", if is_newer { "warning" } else { "error" })))
}

pub(crate) const CLASSES: [&str; 7] = [
    "api_action",
    "code_action",
    "message_action",
    "text_observation",
    "image_observation",
    "web_observation",
    "json_observation",
];

/// An item of `content` with its class, its fields under their proper names, and what its class is found to be.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) raw: J,
    pub(crate) class: Option<&'static str>,
    /// The text of `class_` where the class is unknown.
    pub(crate) class_text: Option<String>,
    pub(crate) fields: Object,
    /// Key and alias, where an alias stands for it (D7).
    pub(crate) aliases: Vec<(&'static str, &'static str)>,
    /// Rule, severity, key (None: the item) of what is wrong with the class.
    pub(crate) fault: Option<(&'static str, &'static str, Option<&'static str>)>,
    /// The key that holds the class.
    pub(crate) class_key: Option<&'static str>,
}

fn infer(item: &J) -> Option<&'static str> {
    let has = |key: &str| item.get(key).is_some();
    let web = ["html", "axtree", "url", "viewport_size", "image_observation"];
    match () {
        () if has("function") && has("kwargs") => Some("api_action"),
        () if has("language") && has("content") => Some("code_action"),
        () if web.iter().any(|k| has(k)) && !has("content") => Some("web_observation"),
        () if has("content") && has("source") => Some(match item.get("content") {
            Some(J::Obj(_)) => "json_observation",
            _ if has("annotations") => "image_observation",
            _ => "text_observation",
        }),
        () if has("content") => Some("message_action"),
        () => None,
    }
}

fn spelled(value: &str) -> Option<&'static str> {
    let plain = |t: &str| t.to_lowercase().replace(['_', '-'], "");
    CLASSES.into_iter().find(|class| plain(class) == plain(value))
}

impl Item {
    pub(crate) fn of(raw: &J) -> Self {
        let mut item = Self {
            raw: raw.clone(),
            class: None,
            class_text: None,
            fields: raw.obj().cloned().unwrap_or_default(),
            aliases: Vec::new(),
            fault: None,
            class_key: None,
        };
        if raw.obj().is_none() {
            item.fault = Some(("adp.type", "error", None));
            return item;
        }
        let key = ["class_", "class"].into_iter().find(|key| raw.get(key).is_some());
        item.class_key = key;
        match key.map(|key| (key, raw.get(key).and_then(J::str))) {
            None => {
                item.class = infer(raw);
                let found = item.class.map_or(("adp.class", "error"), |_| ("adp.class-missing", "warning"));
                item.fault = Some((found.0, found.1, None));
            }
            Some((key, name)) => {
                item.class = name.and_then(spelled);
                let is_exact = key == "class_" && item.class == name;
                match item.class {
                    None => item.fault = Some(("adp.class", "error", Some(key))),
                    Some(_) if !is_exact => item.fault = Some(("adp.class-spelling", "warning", Some(key))),
                    Some(_) => {}
                }
                item.class_text = name.map(str::to_owned);
            }
        }
        item.alias();
        item
    }

    fn alias(&mut self) {
        let Some(class) = self.class else { return };
        let is_action = class.ends_with("_action");
        let all: [(&str, &str, bool); 6] = [
            ("content", "message", class == "message_action"),
            ("content", "text", class == "text_observation"),
            ("content", "code", class == "code_action"),
            ("description", "thoughts", is_action),
            ("description", "thought", is_action),
            ("kwargs", "args", class == "api_action"),
        ];
        for (key, alias, fits) in all {
            if fits
                && self.fields.get(key).is_none()
                && let Some(value) = self.fields.get(alias).cloned()
            {
                self.fields.members.retain(|(k, _)| k != alias);
                self.fields.put(key, value);
                self.aliases.push((key, alias));
            }
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&J> {
        self.fields.get(key)
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(J::str)
    }

    /// The key as it is written.
    pub(crate) fn written<'k>(&self, key: &'k str) -> &'k str {
        self.aliases.iter().find(|(k, _)| *k == key).map_or(key, |(_, alias)| alias)
    }

    pub(crate) fn is_tool(&self) -> bool {
        matches!(self.class, Some("api_action" | "code_action"))
    }

    pub(crate) fn is_action(&self) -> bool {
        self.class.is_some_and(|c| c.ends_with("_action"))
    }

    pub(crate) fn is_observation(&self) -> bool {
        self.class.is_some_and(|c| c.ends_with("_observation"))
    }

    pub(crate) fn call_id(&self) -> Option<&str> {
        self.text("tool_call_id").filter(|_| self.class.is_some())
    }

    /// D19.
    pub(crate) fn role(&self) -> &str {
        match self.class {
            None => "unknown",
            Some(c) if c.ends_with("_action") => "agent",
            Some("web_observation") => "environment",
            Some(_) => {
                self.text("source").filter(|s| ["user", "agent", "environment"].contains(s)).unwrap_or("unknown")
            }
        }
    }

    /// The name of a tool action: its function, or `code:<language>`.
    pub(crate) fn tool(&self) -> Option<String> {
        match self.class {
            Some("api_action") => Some(self.text("function").unwrap_or("?").to_owned()),
            Some("code_action") => Some(format!("code:{}", self.text("language").unwrap_or("?"))),
            _ => None,
        }
    }
}

/// For each item the item that it answers (D10).
pub(crate) fn answers(items: &[Item]) -> Vec<Option<usize>> {
    let mut out: Vec<Option<usize>> = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let is_open = |call: &usize| !out.contains(&Some(*call));
        let found = match item.call_id() {
            _ if !item.is_observation() => None,
            Some(id) => (0..i).rev().find(|c| items[*c].is_tool() && items[*c].call_id() == Some(id)).filter(is_open),
            None => i.checked_sub(1).filter(|c| items[*c].is_tool() && items[*c].call_id().is_none()).filter(is_open),
        };
        out.push(found);
    }
    out
}
