//! Findings on records (D1 to D15), those of the items of std records among them.

use super::shape::{self, Item, Shape};
use super::state::{is_blank, number};
use super::{atif, chat};
use crate::reference::Finding;
use crate::reference::json::J;
use std::collections::BTreeSet;

pub(super) struct Check {
    record: usize,
    pub(super) step: Option<usize>,
    version: Option<u32>,
    found: BTreeSet<Finding>,
}

/// Strings and integers (D15).
fn is_id(value: &J) -> bool {
    value.str().is_some() || matches!(value, J::Num(n) if n.parse::<i64>().is_ok())
}

/// The languages of D9, as the rules list them.
pub(crate) fn languages() -> Vec<String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let rules = std::fs::read_to_string(root.join("docs/rules/adp.md")).unwrap();
    let list = rules.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    list.split_whitespace().map(str::to_owned).collect()
}

pub(crate) fn findings(records: &[Option<J>]) -> Vec<Finding> {
    let mut out = BTreeSet::new();
    let languages = languages();
    let (mut ids, mut bodies): (Vec<J>, Vec<J>) = (Vec::new(), Vec::new());
    for (record, value) in records.iter().enumerate() {
        let mut check = Check { record, step: None, version: None, found: BTreeSet::new() };
        match value {
            None => check.report("", "adp.json", "error"),
            Some(value) => match shape::shape(value) {
                Shape::Std => {
                    check.std(value, &languages);
                    check.repeats(value.get("id"), "id", value, "content", &mut ids, &mut bodies);
                }
                Shape::Chat => {
                    chat::check(&mut check, value);
                    let list = shape::messages(value).map_or("messages", |(key, _)| key);
                    check.repeats(value.get("id"), "id", value, list, &mut ids, &mut bodies);
                }
                Shape::Atif => {
                    atif::check(&mut check, value);
                    let key = if value.some("trajectory_id").is_some() { "trajectory_id" } else { "session_id" };
                    check.repeats(value.get(key), key, value, "steps", &mut ids, &mut bodies);
                }
                Shape::Other => {
                    check.report("", "adp.shape", "warning");
                }
            },
        }
        out.extend(check.found);
    }
    let mut all: Vec<Finding> = out.into_iter().collect();
    all.sort_by(|a, b| (a.record, a.step, &a.path, &a.rule).cmp(&(b.record, b.step, &b.path, &b.rule)));
    all
}

/// What a field may hold (D5).
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Object,
    Number,
    Source,
    Language,
    Annotations,
    Image,
    Viewport,
}

/// Key, kind, whether it must be there, whether it may be null.
type Field = (&'static str, Kind, bool, bool);

fn fields(class: &str) -> Vec<Field> {
    use Kind::{Annotations, Image, Language, Number, Object, Source, Text, Viewport};
    let mut out = match class {
        "api_action" => {
            vec![("function", Text, true, false), ("kwargs", Object, true, false), ("description", Text, false, true)]
        }
        "code_action" => {
            vec![("language", Language, true, false), ("content", Text, true, false), ("description", Text, true, true)]
        }
        "message_action" => vec![("content", Text, true, false), ("description", Text, false, true)],
        "text_observation" => {
            vec![("content", Text, true, false), ("source", Source, true, false), ("name", Text, false, true)]
        }
        "image_observation" => {
            vec![
                ("content", Text, true, false),
                ("source", Source, true, false),
                ("annotations", Annotations, false, true),
            ]
        }
        "web_observation" => vec![
            ("html", Text, true, true),
            ("url", Text, true, true),
            ("image_observation", Image, true, true),
            ("viewport_size", Viewport, true, true),
            ("axtree", Text, false, true),
        ],
        _ => vec![("content", Object, true, false), ("source", Source, true, false), ("name", Text, false, true)],
    };
    if class.ends_with("_action") {
        out.push(("reasoning_content", Text, false, true));
    }
    out.extend([("reward", Number, false, true), ("tool_call_id", Text, false, true)]);
    out
}

fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// `<think` or `</think` with no word character after it, in any case.
pub(super) fn thinks(value: &str) -> bool {
    let low = value.to_lowercase();
    let ends = |rest: &str| !rest.chars().next().is_some_and(|c| c.is_alphanumeric() || c == '_');
    ["<think", "</think"].iter().any(|token| low.match_indices(token).any(|(i, _)| ends(&low[i + token.len()..])))
}

fn is_control(value: &str) -> bool {
    let chars: Vec<char> = value.chars().collect();
    chars.iter().enumerate().any(|(i, c)| match *c as u32 {
        0..=8 | 0xb | 0xc | 0xe..=0x1f | 0x7f..=0x9f => true,
        0xd => chars.get(i + 1) != Some(&'\n'),
        _ => false,
    })
}

/// The first string with a control character, in document order.
pub(super) fn control(value: &J, at: &str) -> Option<String> {
    match value {
        J::Str(s) => is_control(s).then(|| at.to_owned()),
        J::Arr(a) => a.iter().enumerate().find_map(|(i, v)| control(v, &format!("{at}/{i}"))),
        J::Obj(o) => o.members.iter().find_map(|(k, v)| control(v, &format!("{at}/{}", escape(k)))),
        _ => None,
    }
}

impl Check {
    pub(super) fn report(&mut self, path: &str, rule: &str, severity: &'static str) {
        let (record, step) = (self.record, self.step);
        self.found.insert(Finding { record, step, path: Some(path.to_owned()), rule: rule.to_owned(), severity });
    }

    fn extra(&mut self, path: &str) {
        let is_strict = self.version.is_some_and(|v| v >= 2);
        self.report(path, "adp.extra-field", if is_strict { "error" } else { "warning" });
    }

    fn repeats(&mut self, id: Option<&J>, id_key: &str, value: &J, key: &str, ids: &mut Vec<J>, bodies: &mut Vec<J>) {
        self.step = None;
        if let Some(id) = id.filter(|id| is_id(id)) {
            if ids.contains(id) {
                self.report(&format!("/{id_key}"), "adp.duplicate-id", "warning");
            }
            ids.push(id.clone());
        }
        if let Some(body) = value.get(key).filter(|c| c.arr().is_some_and(|a| !a.is_empty())) {
            if bodies.iter().any(|b| b.same(body)) {
                self.report(&format!("/{key}"), "adp.duplicate-content", "warning");
            }
            bodies.push(body.clone());
        }
    }

    fn std(&mut self, value: &J, languages: &[String]) {
        let (version, fault) = shape::version(value);
        self.version = version;
        if let Some((rule, severity)) = fault {
            self.report("/schema_version", rule, severity);
        }
        self.root(value);
        let items: Vec<Item> = value.get("content").and_then(J::arr).into_iter().flatten().map(Item::of).collect();
        for (i, item) in items.iter().enumerate() {
            self.step = Some(i);
            self.item(i, item, languages);
        }
        self.links(&items);
        self.available(value, &items, languages);
        self.order(&items);
    }

    fn root(&mut self, value: &J) {
        const KNOWN: [&str; 7] = [
            "id",
            "content",
            "details",
            "schema_version",
            "available_apis",
            "available_custom_tools",
            "available_code_languages",
        ];
        for (key, _) in value.obj().map_or(&[][..], |o| &o.members) {
            if !KNOWN.contains(&key.as_str()) {
                self.extra(&format!("/{}", escape(key)));
            }
        }
        match value.get("id") {
            None => self.report("/id", "adp.required", "error"),
            Some(J::Str(id)) if is_blank(id) => self.report("/id", "adp.empty", "warning"),
            Some(J::Str(_)) => {}
            Some(_) => self.report("/id", "adp.type", "error"),
        }
        match value.get("content") {
            None => self.report("/content", "adp.required", "error"),
            Some(J::Arr(all)) if all.is_empty() => self.report("/content", "adp.empty", "warning"),
            Some(J::Arr(_)) => {}
            Some(_) => self.report("/content", "adp.type", "error"),
        }
        for key in ["available_apis", "available_custom_tools", "available_code_languages"] {
            match value.get(key) {
                None | Some(J::Null) => {}
                Some(J::Arr(all)) => {
                    let odd = all.iter().enumerate().filter(|(_, v)| v.str().is_none()).map(|(i, _)| i);
                    odd.for_each(|i| self.report(&format!("/{key}/{i}"), "adp.type", "error"));
                }
                Some(_) => self.report(&format!("/{key}"), "adp.type", "error"),
            }
        }
        match value.get("details") {
            None => {}
            Some(J::Obj(details)) => details.members.iter().for_each(|(k, v)| self.detail(k, v)),
            Some(_) => self.report("/details", "adp.type", "error"),
        }
    }

    /// D12.
    fn detail(&mut self, key: &str, value: &J) {
        let path = format!("/details/{}", escape(key));
        let low = key.to_lowercase();
        let ends = [
            "_correct",
            "_count",
            "_index",
            "_number",
            "_percentage",
            "_percent",
            "_rate",
            "_reward",
            "_score",
            "_success",
        ];
        let is_number = ["reward", "score", "step"].contains(&low.as_str())
            || low.starts_with("pred_passes_")
            || ends.iter().any(|e| low.ends_with(e));
        if self.version.is_none() && value.str().is_none() {
            self.report(&path, "adp.details-type", "warning");
        }
        if self.version.is_some() && is_number && value.str().is_some() {
            self.report(&path, "adp.numeric-detail", "warning");
        }
        if ["available_apis", "system_prompt"].contains(&key) {
            self.report(&path, "adp.details-misplaced", "warning");
        }
    }

    fn item(&mut self, i: usize, item: &Item, languages: &[String]) {
        let at = format!("/content/{i}");
        if let Some((rule, severity, key)) = item.fault {
            self.report(&key.map_or(at.clone(), |key| format!("{at}/{key}")), rule, severity);
        }
        if let Some(path) = control(&item.raw, &at) {
            self.report(&path, "adp.control-chars", "warning");
        }
        let Some(class) = item.class else { return };
        item.aliases.iter().for_each(|(_, alias)| self.report(&format!("{at}/{alias}"), "adp.field-alias", "warning"));
        let fields = fields(class);
        for (key, _) in &item.fields.members {
            let is_known = fields.iter().any(|f| f.0 == key) || item.class_key == Some(key.as_str());
            if !is_known {
                self.extra(&format!("{at}/{}", escape(key)));
            }
        }
        for (key, kind, is_required, may_be_null) in fields {
            let path = format!("{at}/{}", item.written(key));
            match item.get(key) {
                None if is_required => self.report(&path, "adp.required", "error"),
                None => {}
                Some(J::Null) if may_be_null => {}
                Some(value) => self.field(&path, value, kind, languages),
            }
        }
        self.texts(&at, item);
    }

    fn field(&mut self, path: &str, value: &J, kind: Kind, languages: &[String]) {
        let is_fine = match kind {
            Kind::Text | Kind::Source | Kind::Language => value.str().is_some(),
            Kind::Object | Kind::Image => value.obj().is_some(),
            Kind::Annotations | Kind::Viewport => value.arr().is_some(),
            Kind::Number => return self.number(path, value),
        };
        if !is_fine {
            return self.report(path, "adp.type", "error");
        }
        match (kind, value) {
            (Kind::Source, J::Str(s)) if !["user", "agent", "environment"].contains(&s.as_str()) => {
                self.report(path, "adp.source", "error");
            }
            (Kind::Language, J::Str(s)) if !languages.contains(s) => self.report(path, "adp.language", "error"),
            (Kind::Viewport, J::Arr(all)) if all.len() != 2 => self.report(path, "adp.type", "error"),
            (Kind::Viewport, J::Arr(all)) => {
                for (i, value) in all.iter().enumerate() {
                    self.integer(&format!("{path}/{i}"), value);
                }
            }
            _ => {}
        }
    }

    fn number(&mut self, path: &str, value: &J) {
        match number(value) {
            None => self.report(path, "adp.type", "error"),
            Some((_, true)) => self.report(path, "adp.coerced", "warning"),
            Some(_) => {}
        }
    }

    fn integer(&mut self, path: &str, value: &J) {
        let is_whole = |t: &str| {
            let digits = t.strip_prefix(['+', '-']).unwrap_or(t);
            !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
        };
        match value {
            J::Num(n) if is_whole(n) => {}
            J::Num(n) if n.parse::<f64>().is_ok_and(|n| n.fract() == 0.0 && n.is_finite()) => {
                self.report(path, "adp.coerced", "warning");
            }
            J::Bool(_) => self.report(path, "adp.coerced", "warning"),
            J::Str(s) if is_whole(s) => self.report(path, "adp.coerced", "warning"),
            _ => self.report(path, "adp.type", "error"),
        }
    }

    /// D13.
    fn texts(&mut self, at: &str, item: &Item) {
        let class = item.class.unwrap_or("");
        let blank = |key: &str| item.text(key).is_some_and(is_blank);
        let has_text = ["text_observation", "image_observation", "message_action", "code_action"].contains(&class);
        if has_text && blank("content") {
            self.report(&format!("{at}/{}", item.written("content")), "adp.empty", "warning");
        }
        if class == "api_action" && blank("function") {
            self.report(&format!("{at}/function"), "adp.empty", "warning");
        }
        let is_nothing = |key: &str| item.get(key).is_none_or(|v| *v == J::Null || v.str().is_some_and(is_blank));
        let has_image = item.get("image_observation").is_some_and(|v| *v != J::Null);
        if class == "web_observation" && ["html", "axtree", "url"].iter().all(|k| is_nothing(k)) && !has_image {
            self.report(at, "adp.empty", "warning");
        }
        let mut thoughts: Vec<&str> = Vec::new();
        if item.is_action() {
            thoughts.extend(["description", "reasoning_content"]);
        }
        if class == "message_action" {
            thoughts.push("content");
        }
        for key in thoughts {
            if item.text(key).is_some_and(thinks) {
                self.report(&format!("{at}/{}", item.written(key)), "adp.think-token", "warning");
            }
        }
        if class == "image_observation" && item.text("content").is_some_and(is_local) {
            self.report(&format!("{at}/content"), "adp.image-path", "warning");
        }
    }

    /// D10.
    fn links(&mut self, items: &[Item]) {
        let is_late = self.version.is_some_and(|v| v >= 3);
        let is_on = is_late || items.iter().any(|item| item.call_id().is_some());
        let answers = shape::answers(items);
        for (i, item) in items.iter().enumerate() {
            self.step = Some(i);
            let at = format!("/content/{i}");
            let next = items.get(i + 1);
            if !is_on {
                let name = item.text("function").unwrap_or("").to_lowercase();
                let finishing = ["final_answer", "finish", "stop", "submit", "end", "localization_finish"];
                let is_end = item.class == Some("api_action") && finishing.contains(&name.as_str());
                if item.is_tool() && !is_end && next.is_some_and(Item::is_action) {
                    self.report(&at, "adp.unanswered-call", "warning");
                }
                continue;
            }
            let key = format!("{at}/tool_call_id");
            let has = |other: &Item| other.call_id() == item.call_id();
            match item.call_id() {
                None => {
                    if is_late && item.is_tool() && next.is_some_and(Item::is_observation) {
                        self.report(&at, "adp.call-id", "error");
                    }
                }
                Some(_) if item.is_observation() => {
                    let is_known = items[..i].iter().any(|c| c.is_tool() && has(c));
                    // An observation that came before its call answers nothing, and is not the first of its id.
                    let mut earlier = items[..i].iter().zip(&answers);
                    let is_again = earlier.any(|(o, answer)| o.is_observation() && has(o) && answer.is_some());
                    if !is_known || is_again || answers[i].is_none() {
                        self.report(&key, "adp.call-id", "error");
                    }
                }
                Some(_) if item.is_tool() => {
                    if items[..i].iter().any(|c| c.is_tool() && has(c)) {
                        self.report(&key, "adp.call-id", "error");
                    }
                    if !items[i..].iter().any(|o| o.is_observation() && has(o)) {
                        self.report(&key, "adp.unanswered-call", "error");
                    }
                }
                Some(_) => self.report(&key, "adp.call-id", "error"),
            }
        }
    }

    /// D11.
    fn available(&mut self, value: &J, items: &[Item], languages: &[String]) {
        let list = |key: &str| {
            let all = value.get(key)?.arr()?;
            Some(all.iter().map(|v| v.str().unwrap_or("").to_owned()).collect::<Vec<String>>())
        };
        let (apis, allowed) = (list("available_apis"), list("available_code_languages"));
        for (i, item) in items.iter().enumerate() {
            self.step = Some(i);
            let is_out = |list: &Option<Vec<String>>, name: Option<&str>| {
                list.as_ref().zip(name).is_some_and(|(list, name)| !list.iter().any(|n| n == name))
            };
            if item.class == Some("api_action") && is_out(&apis, item.text("function")) {
                self.report(&format!("/content/{i}/function"), "adp.available", "error");
            }
            if item.class == Some("code_action") && is_out(&allowed, item.text("language")) {
                self.report(&format!("/content/{i}/language"), "adp.available", "error");
            }
        }
        self.step = None;
        let entries = value.get("available_code_languages").and_then(J::arr).into_iter().flatten().enumerate();
        for (i, entry) in entries.filter_map(|(i, v)| Some((i, v.str()?))) {
            let is_used =
                items.iter().any(|item| item.class == Some("code_action") && item.text("language") == Some(entry));
            if !is_used || !languages.iter().any(|l| l == entry) {
                self.report(&format!("/available_code_languages/{i}"), "adp.available", "error");
            }
        }
    }

    /// D14.
    fn order(&mut self, items: &[Item]) {
        if items.is_empty() {
            return;
        }
        let is_lead = |item: &Item| {
            item.class == Some("web_observation")
                || (item.is_observation() && item.text("source") == Some("environment"))
        };
        let first = items.iter().position(|item| !is_lead(item));
        let item = &items[first.unwrap_or(0)];
        let is_user = first.is_some() && item.is_observation() && item.text("source") == Some("user");
        if !is_user && item.class.is_some() {
            self.step = Some(first.unwrap_or(0));
            self.report(&format!("/content/{}", first.unwrap_or(0)), "adp.first-not-user", "warning");
        }
        let last = &items[items.len() - 1];
        let is_agents = last.class == Some("text_observation") && last.text("source") == Some("agent");
        self.step = Some(items.len() - 1);
        if last.is_observation() && !is_agents {
            self.report(&format!("/content/{}", items.len() - 1), "adp.last-not-agent", "warning");
        }
        for (i, pair) in items.windows(2).enumerate() {
            let both = |fits: &dyn Fn(&Item) -> bool| pair.iter().all(fits);
            let is_message = |item: &Item| item.class == Some("message_action");
            let is_user = |item: &Item| {
                item.class == Some("text_observation")
                    && item.text("source") == Some("user")
                    && item.call_id().is_none()
            };
            if both(&is_message) || both(&is_user) {
                self.step = Some(i + 1);
                self.report(&format!("/content/{}", i + 1), "adp.consecutive", "warning");
            }
        }
    }
}

fn is_local(content: &str) -> bool {
    let mut chars = content.chars();
    let is_drive = chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':');
    let is_bare = !content.contains("://") && !content.starts_with("data:");
    let is_path = content.starts_with(['/', '\\']) || is_drive;
    content.chars().count() <= 512 && (content.starts_with("file://") || (is_bare && is_path))
}
