//! D4, D5, D8, D9: presence, types and closed sets of a standardized trajectory.

use super::report::{ItemPath, Report, below};
use crate::json::{Data, Value};
use crate::rules::trajectory::{
    Body, Class, ClassNote, Item, Reading, TrajectoryStep, Version, VersionFault, is_language,
    number::{integer, number},
};
use smallvec::SmallVec;
use std::fmt::Display;

/// D9: who an observation may come from.
fn is_source(source: &str) -> bool {
    matches!(source, "user" | "agent" | "environment")
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Text,
    Number,
    Object,
    /// One of the three of D9.
    Source,
    /// One of the list of D9.
    Language,
    /// An image observation.
    Image,
    /// Two integers.
    Viewport,
    Annotations,
    /// Array of strings.
    Names,
    /// Any array; its elements are looked at elsewhere.
    Items,
    /// Looked at elsewhere (D3).
    Version,
}

/// A row of the tables of D4 and D5.
struct Rule {
    name: &'static str,
    holds: Holds,
    is_required: bool,
    is_nullable: bool,
}

impl Rule {
    /// Whether the type of the value says that nothing is wrong with it, as of most: then no path need be made.
    fn is_plainly_met(&self, value: &Value<'_>) -> bool {
        match (self.holds, &value.data) {
            (_, Data::Null) => self.is_nullable,
            (Holds::Text, Data::String(_)) | (Holds::Object, Data::Object(_)) | (Holds::Items, Data::Array(_)) => true,
            (Holds::Source, Data::String(source)) => is_source(source),
            (Holds::Language, Data::String(language)) => is_language(language),
            (Holds::Number, Data::Number) => number(value).is_some(),
            (Holds::Viewport, Data::Array(sides)) => {
                sides.len() == 2 && sides.iter().all(|side| integer(side).is_some_and(|side| !side.is_coerced))
            }
            _ => false,
        }
    }
}

const fn required(name: &'static str, holds: Holds) -> Rule {
    Rule { name, holds, is_required: true, is_nullable: false }
}

const fn optional(name: &'static str, holds: Holds) -> Rule {
    Rule { name, holds, is_required: false, is_nullable: true }
}

/// The key must be there, the value may be null.
const fn stated(name: &'static str, holds: Holds) -> Rule {
    Rule { name, holds, is_required: true, is_nullable: true }
}

/// The key may be absent, the value is never null.
const fn non_null(name: &'static str, holds: Holds) -> Rule {
    Rule { name, holds, is_required: false, is_nullable: false }
}

/// D4.
const ROOT: &[Rule] = &[
    required("id", Holds::Text),
    required("content", Holds::Items),
    non_null("details", Holds::Object),
    non_null("schema_version", Holds::Version),
    optional("available_apis", Holds::Names),
    optional("available_custom_tools", Holds::Names),
    optional("available_code_languages", Holds::Names),
];

/// D5: fields of every action.
const ACTION: &[Rule] = &[
    optional("reasoning_content", Holds::Text),
    optional("reward", Holds::Number),
    optional("tool_call_id", Holds::Text),
];

/// D5: fields of every observation.
const OBSERVATION: &[Rule] = &[optional("reward", Holds::Number), optional("tool_call_id", Holds::Text)];

const API_ACTION: &[Rule] =
    &[required("function", Holds::Text), required("kwargs", Holds::Object), optional("description", Holds::Text)];

const CODE_ACTION: &[Rule] =
    &[required("language", Holds::Language), required("content", Holds::Text), stated("description", Holds::Text)];

const MESSAGE_ACTION: &[Rule] = &[required("content", Holds::Text), optional("description", Holds::Text)];

const TEXT_OBSERVATION: &[Rule] =
    &[required("content", Holds::Text), required("source", Holds::Source), optional("name", Holds::Text)];

const IMAGE_OBSERVATION: &[Rule] =
    &[required("content", Holds::Text), required("source", Holds::Source), optional("annotations", Holds::Annotations)];

const WEB_OBSERVATION: &[Rule] = &[
    stated("html", Holds::Text),
    stated("url", Holds::Text),
    stated("image_observation", Holds::Image),
    stated("viewport_size", Holds::Viewport),
    optional("axtree", Holds::Text),
];

const JSON_OBSERVATION: &[Rule] =
    &[required("content", Holds::Object), required("source", Holds::Source), optional("name", Holds::Text)];

/// D5: fields of one class.
fn rules(class: Class) -> &'static [Rule] {
    match class {
        Class::ApiAction => API_ACTION,
        Class::CodeAction => CODE_ACTION,
        Class::MessageAction => MESSAGE_ACTION,
        Class::TextObservation => TEXT_OBSERVATION,
        Class::ImageObservation => IMAGE_OBSERVATION,
        Class::WebObservation => WEB_OBSERVATION,
        Class::JsonObservation => JSON_OBSERVATION,
    }
}

/// As many fields as an item has, about.
const KNOWN_FIELDS: usize = 16;

/// Checks values of one step (or of the root) against the tables.
struct Checker<'r> {
    report: &'r mut Report,
    version: Version,
    /// Whether members that are null are none.
    is_row: bool,
    step: Option<usize>,
}

/// D4, D8: the root of a trajectory.
pub(super) fn check_root(reading: &Reading<'_>, report: &mut Report) {
    let Some(object) = reading.root.as_object() else { return };
    let (version, is_row) = (reading.version, reading.is_row);
    let mut checker = Checker { report, version, is_row, step: None };
    for rule in ROOT {
        match object.get(rule.name) {
            Some(value) if rule.is_plainly_met(value) => {}
            Some(value) => checker.value(value, rule, &format!("/{}", rule.name)),
            None if checker.is_missed(rule) => checker.missing(&format!("/{}", rule.name)),
            None => {}
        }
    }
    for (key, _) in object.entries().filter(|(key, _)| ROOT.iter().all(|r| r.name != *key)) {
        checker.extra(&"", key);
    }
    check_version(version, checker.report);
}

/// D3: a version that is newer, unsupported or no text.
fn check_version(version: Version, report: &mut Report) {
    let path = "/schema_version".to_owned();
    match version.fault {
        None => {}
        Some(VersionFault::Newer) => {
            report.warning(None, path, "adp.version", "the version is newer than 1.5.0; it is read as 1.5.0");
        }
        Some(VersionFault::Unsupported) => {
            report.error(None, path, "adp.version", "the version is none of 1.0.0 to 1.5.0; it is read as 1.5.0");
        }
        Some(VersionFault::NotText) => report.error(None, path, "adp.type", "the version is not a string"),
    }
}

/// D5 to D9: one item of `content`.
pub(super) fn check_item(entry: &TrajectoryStep<'_>, step: usize, reading: &Reading<'_>, report: &mut Report) {
    let Body::Item(item) = &entry.body else { return };
    let (version, is_row) = (reading.version, reading.is_row);
    Checker { report, version, is_row, step: Some(step) }.item(item, &ItemPath(step));
}

impl Checker<'_> {
    /// D6 to D8: class and fields of an item, or of the image inside a web observation.
    fn item(&mut self, item: &Item<'_>, path: &dyn Display) {
        self.class(item, path);
        let Some(class) = item.class else { return };
        let common = if class.is_action() { ACTION } else { OBSERVATION };
        let mut known: SmallVec<[&str; KNOWN_FIELDS]> = SmallVec::new();
        known.push("class_");
        if let ClassNote::Spelling(key) = item.note {
            known.push(key);
        }
        for rule in rules(class).iter().chain(common) {
            let field = item.field(rule.name);
            known.push(field.map_or(rule.name, |f| f.key));
            match field {
                None if self.is_missed(rule) => self.missing(&below(path, rule.name)),
                None => {}
                Some(field) => {
                    let is_alias = field.key != rule.name;
                    if !is_alias && rule.is_plainly_met(field.value) {
                        continue;
                    }
                    let path = below(path, field.key);
                    if is_alias {
                        let message = format!("the format calls this field {:?}", rule.name);
                        self.report.warning(self.step, path.clone(), "adp.field-alias", message);
                    }
                    self.value(field.value, rule, &path);
                }
            }
        }
        for (key, _) in item.value.as_object().into_iter().flat_map(|o| o.entries()) {
            if !known.contains(&key) {
                self.extra(path, key);
            }
        }
    }

    /// D6: how the class was recognised.
    fn class(&mut self, item: &Item<'_>, path: &dyn Display) {
        let name = item.class.map_or("", Class::name);
        match item.note {
            ClassNote::Proper => {}
            ClassNote::Spelling(key) => {
                let message = format!("the class is read as {name}; write it as \"class_\": \"{name}\"");
                self.report.warning(self.step, below(path, key), "adp.class-spelling", message);
            }
            ClassNote::Missing => {
                let message = format!("the item has no class_; from its fields it is read as {name}");
                self.report.warning(self.step, path.to_string(), "adp.class-missing", message);
            }
            ClassNote::Unknown(key) => {
                let message = "the class is none of the seven of the format, so the item cannot be read";
                self.report.error(self.step, below(path, key), "adp.class", message);
            }
            ClassNote::NotInferable => {
                let message = "the item has no class_, and its fields do not imply one";
                self.report.error(self.step, path.to_string(), "adp.class", message);
            }
            ClassNote::NotObject => self.wrong_type(path, "an object"),
        }
    }

    /// D8, D9: one value.
    fn value(&mut self, value: &Value<'_>, rule: &Rule, path: &dyn Display) {
        if value.is_null() && rule.is_nullable {
            return;
        }
        match (rule.holds, &value.data) {
            (Holds::Version, _) => {}
            (Holds::Text, Data::String(_)) | (Holds::Object, Data::Object(_)) | (Holds::Items, Data::Array(_)) => {}
            (Holds::Source, Data::String(source)) => self.source(source, path),
            (Holds::Language, Data::String(language)) if !is_language(language) => {
                let message = format!("{language:?} is not a language of the format");
                self.report.error(self.step, path.to_string(), "adp.language", message);
            }
            (Holds::Language, Data::String(_)) => {}
            (Holds::Number, _) => self.number(value, path),
            (Holds::Image, _) => self.item(&Item::image(value), path),
            (Holds::Viewport, Data::Array(sides)) => self.viewport(sides, path),
            (Holds::Annotations, Data::Array(marks)) => self.annotations(marks, path),
            (Holds::Names, Data::Array(names)) => {
                for (i, _) in names.iter().enumerate().filter(|(_, name)| name.as_str().is_none()) {
                    self.wrong_type(&format!("{path}/{i}"), "a string");
                }
            }
            (holds, _) => self.wrong_type(path, holds.name()),
        }
    }

    /// D9: who an observation comes from.
    fn source(&mut self, source: &str, path: &dyn Display) {
        if !is_source(source) {
            let hint = match source {
                "system" => "; write environment",
                "assistant" => "; write agent",
                "user_msg" => "; write user",
                _ => "",
            };
            let message = format!("the source {source:?} is none of user, agent, environment{hint}");
            self.report.error(self.step, path.to_string(), "adp.source", message);
        }
    }

    /// D8: a number, perhaps given as something else.
    fn number(&mut self, value: &Value<'_>, path: &dyn Display) {
        match number(value) {
            None => self.wrong_type(path, "a number"),
            Some(n) => self.coerced(n.is_coerced, &n.text, path),
        }
    }

    fn coerced(&mut self, is_coerced: bool, text: &str, path: &dyn Display) {
        if is_coerced {
            let message = format!("this is read as the number {text}; write it as one");
            self.report.warning(self.step, path.to_string(), "adp.coerced", message);
        }
    }

    /// D5: exactly two integers.
    fn viewport(&mut self, sides: &[Value<'_>], path: &dyn Display) {
        if sides.len() != 2 {
            return self.wrong_type(path, Holds::Viewport.name());
        }
        for (i, side) in sides.iter().enumerate() {
            let path = format!("{path}/{i}");
            match integer(side) {
                None => self.wrong_type(&path, "an integer"),
                Some(n) => self.coerced(n.is_coerced, &n.text, &path),
            }
        }
    }

    /// D5: marks on an image; fields that are not named are nothing.
    fn annotations(&mut self, marks: &[Value<'_>], path: &dyn Display) {
        for (i, mark) in marks.iter().enumerate() {
            let path = format!("{path}/{i}");
            if mark.as_object().is_none() {
                self.wrong_type(&path, "an object");
                continue;
            }
            for rule in [required("element_type", Holds::Text), stated("text", Holds::Text)] {
                self.member(mark, &rule, &path);
            }
            let box_rule = required("bounding_box", Holds::Object);
            self.member(mark, &box_rule, &path);
            if let Some(bounds) = mark.get("bounding_box").filter(|b| b.as_object().is_some()) {
                for side in ["x", "y", "width", "height"] {
                    self.member(bounds, &required(side, Holds::Number), &format!("{path}/bounding_box"));
                }
            }
        }
    }

    fn member(&mut self, object: &Value<'_>, rule: &Rule, path: &dyn Display) {
        let at = below(path, rule.name);
        match object.get(rule.name) {
            Some(value) => self.value(value, rule, &at),
            None if self.is_missed(rule) => self.missing(&at),
            None => {}
        }
    }

    /// D8: whether a field that is not there must be: in a row of columns it may be there and null.
    fn is_missed(&self, rule: &Rule) -> bool {
        rule.is_required && !(self.is_row && rule.is_nullable)
    }

    fn missing(&mut self, path: &dyn Display) {
        self.report.error(self.step, path.to_string(), "adp.required", "the field is required and missing");
    }

    fn wrong_type(&mut self, path: &dyn Display, expect: &str) {
        self.report.error(self.step, path.to_string(), "adp.type", format!("this should be {expect}"));
    }

    /// D8: a field that the format does not have; since 1.2.0 strict readers reject it.
    fn extra(&mut self, path: &dyn Display, key: &str) {
        let path = below(path, key);
        if self.version.forbids_extra() {
            let message = "the format has no such field here; a strict reader rejects the record";
            self.report.error(self.step, path, "adp.extra-field", message);
        } else {
            let message = "the format has no such field here; readers drop it";
            self.report.warning(self.step, path, "adp.extra-field", message);
        }
    }
}

impl Holds {
    fn name(self) -> &'static str {
        match self {
            Self::Text | Self::Source | Self::Language | Self::Version => "a string",
            Self::Number => "a number",
            Self::Object | Self::Image => "an object",
            Self::Viewport => "an array of two integers",
            Self::Annotations | Self::Items => "an array",
            Self::Names => "an array of strings",
        }
    }
}
