//! D5 to D7: the items of a standardized trajectory, their classes, and other spellings of both.

use crate::json::{Object, Value};

/// D5: the seven classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A call of a function.
    ApiAction,
    /// Code to run.
    CodeAction,
    /// The agent speaks.
    MessageAction,
    /// Text seen.
    TextObservation,
    /// An image seen.
    ImageObservation,
    /// A web page seen.
    WebObservation,
    /// Structured data seen.
    JsonObservation,
}

/// D5: all classes.
const CLASSES: [Class; 7] = [
    Class::ApiAction,
    Class::CodeAction,
    Class::MessageAction,
    Class::TextObservation,
    Class::ImageObservation,
    Class::WebObservation,
    Class::JsonObservation,
];

impl Class {
    /// D5: the value of `class_`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ApiAction => "api_action",
            Self::CodeAction => "code_action",
            Self::MessageAction => "message_action",
            Self::TextObservation => "text_observation",
            Self::ImageObservation => "image_observation",
            Self::WebObservation => "web_observation",
            Self::JsonObservation => "json_observation",
        }
    }

    /// D5: whether the agent does it.
    #[must_use]
    pub fn is_action(self) -> bool {
        matches!(self, Self::ApiAction | Self::CodeAction | Self::MessageAction)
    }

    /// `ADP.md`: *tool action*.
    #[must_use]
    pub fn is_tool(self) -> bool {
        matches!(self, Self::ApiAction | Self::CodeAction)
    }

    /// D6: the class that a spelling means: lower case, without `_` and `-`.
    fn spelt(text: &str) -> Option<Self> {
        let plain = |s: &str| s.to_lowercase().replace(['_', '-'], "");
        let proper = CLASSES.into_iter().find(|c| c.name() == text);
        proper.or_else(|| {
            let text = plain(text);
            CLASSES.into_iter().find(|c| plain(c.name()) == text)
        })
    }
}

/// D6: how the class of an item was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClassNote {
    /// As it should be.
    Proper,
    /// By another spelling or key; the key.
    Spelling(&'static str),
    /// Not at all; it was inferred.
    Missing,
    /// By a value that is no class; the key.
    Unknown(&'static str),
    /// Not at all, and nothing can be inferred.
    NotInferable,
    /// The item is not an object.
    NotObject,
}

/// One entry of `content`, or the image inside a web observation.
#[derive(Debug, Clone)]
pub struct Item<'a> {
    /// The item.
    pub value: &'a Value<'a>,
    /// D6: its class; None is unknown, and then no rule looks at its fields.
    pub class: Option<Class>,
    /// D6: how the class was recognised.
    pub note: ClassNote,
}

/// D7: a field where it is: its key may be an alias.
#[derive(Debug, Clone, Copy)]
pub struct ItemField<'a> {
    /// The key as written.
    pub key: &'static str,
    /// Its value.
    pub value: &'a Value<'a>,
}

impl<'a> Item<'a> {
    /// D6: reads the class of an item.
    #[must_use]
    pub fn of(value: &'a Value<'a>) -> Self {
        let (class, note) = match value.as_object() {
            None => (None, ClassNote::NotObject),
            Some(object) => declared_class(object).unwrap_or_else(|| match infer(object) {
                Some(class) => (Some(class), ClassNote::Missing),
                None => (None, ClassNote::NotInferable),
            }),
        };
        Self { value, class, note }
    }

    /// D8: the image inside a web observation, whose class may be absent.
    #[must_use]
    pub fn image(value: &'a Value<'a>) -> Self {
        let image = Some(Class::ImageObservation);
        let (class, note) = match value.as_object() {
            None => (None, ClassNote::NotObject),
            Some(object) => match declared_class(object) {
                None => (image, ClassNote::Proper),
                Some((class, note)) if class == image => (class, note),
                Some((_, ClassNote::Proper)) => (None, ClassNote::Unknown("class_")),
                Some((_, ClassNote::Spelling(key))) => (None, ClassNote::Unknown(key)),
                Some((_, note)) => (None, note),
            },
        };
        Self { value, class, note }
    }

    /// D7: a field by its proper name, or by the first alias that is there where the proper one is absent.
    #[must_use]
    pub fn field(&self, name: &'static str) -> Option<ItemField<'a>> {
        let object = self.value.as_object()?;
        let class = self.class?;
        let keys = std::iter::once(name).chain(aliases(class, name).iter().copied());
        keys.into_iter().find_map(|key| object.get(key).map(|value| ItemField { key, value }))
    }

    /// The text of a field, if it is a string.
    #[must_use]
    pub fn text(&self, name: &'static str) -> Option<&'a str> {
        self.field(name).and_then(|f| f.value.as_str())
    }

    /// D19: the class for people and `steps --json`: its name, or what the item says of it.
    #[must_use]
    pub fn class_text(&self) -> Option<&'a str> {
        match (self.class, self.note) {
            (Some(class), _) => Some(class.name()),
            (None, ClassNote::Unknown(key)) => self.value.get(key).and_then(Value::as_str),
            (None, _) => None,
        }
    }
}

/// D7: other names of a field.
fn aliases(class: Class, name: &str) -> &'static [&'static str] {
    match (class, name) {
        (Class::MessageAction, "content") => &["message"],
        (Class::TextObservation, "content") => &["text"],
        (Class::CodeAction, "content") => &["code"],
        (Class::ApiAction, "kwargs") => &["args"],
        (_, "description") if class.is_action() => &["thoughts", "thought"],
        _ => &[],
    }
}

/// D6: the class by `class_`, else by `class`; None where there is neither.
fn declared_class(object: &Object<'_>) -> Option<(Option<Class>, ClassNote)> {
    let (key, value) = ["class_", "class"].into_iter().find_map(|key| object.get(key).map(|v| (key, v)))?;
    let class = value.as_str().and_then(Class::spelt);
    let note = match class {
        None => ClassNote::Unknown(key),
        Some(c) if key == "class_" && value.as_str() == Some(c.name()) => ClassNote::Proper,
        Some(_) => ClassNote::Spelling(key),
    };
    Some((class, note))
}

/// D6: the class that the fields of an item report.
fn infer(object: &Object<'_>) -> Option<Class> {
    let has = |key| object.get(key).is_some();
    let content = object.get("content");
    let is_web = ["html", "axtree", "url", "viewport_size", "image_observation"].into_iter().any(has);
    match content {
        _ if has("function") && has("kwargs") => Some(Class::ApiAction),
        Some(_) if has("language") => Some(Class::CodeAction),
        None => is_web.then_some(Class::WebObservation),
        Some(content) if has("source") => Some(if content.as_object().is_some() {
            Class::JsonObservation
        } else if has("annotations") {
            Class::ImageObservation
        } else {
            Class::TextObservation
        }),
        Some(_) => Some(Class::MessageAction),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn classes_are_declared_or_inferred() {
        use Class::{ApiAction, CodeAction, ImageObservation, JsonObservation, MessageAction, TextObservation};
        for (text, class, note) in [
            (r#"{"class_":"api_action"}"#, Some(ApiAction), ClassNote::Proper),
            (r#"{"class_":"Api-Action"}"#, Some(ApiAction), ClassNote::Spelling("class_")),
            (r#"{"class":"api_action"}"#, Some(ApiAction), ClassNote::Spelling("class")),
            (r#"{"class_":null,"content":"x"}"#, None, ClassNote::Unknown("class_")),
            (r#"{"class":"dance","content":"x"}"#, None, ClassNote::Unknown("class")),
            (r#"{"function":1,"kwargs":1}"#, Some(ApiAction), ClassNote::Missing),
            (r#"{"language":1,"content":1}"#, Some(CodeAction), ClassNote::Missing),
            (r#"{"url":1}"#, Some(Class::WebObservation), ClassNote::Missing),
            (r#"{"url":1,"content":1}"#, Some(MessageAction), ClassNote::Missing),
            (r#"{"content":{},"source":1}"#, Some(JsonObservation), ClassNote::Missing),
            (r#"{"content":"","source":1,"annotations":null}"#, Some(ImageObservation), ClassNote::Missing),
            (r#"{"content":"","source":1}"#, Some(TextObservation), ClassNote::Missing),
            (r#"{"message":"x"}"#, None, ClassNote::NotInferable),
            ("3", None, ClassNote::NotObject),
        ] {
            let value = parse(text).unwrap();
            let item = Item::of(&value);
            assert_eq!((item.class, item.note), (class, note), "{text}");
        }
    }

    #[test]
    fn aliases_stand_in_for_absent_fields_only() {
        let value = parse(r#"{"class_":"code_action","code":"ls","thought":"a","thoughts":"b"}"#).unwrap();
        let item = Item::of(&value);
        assert_eq!((item.text("content"), item.text("description")), (Some("ls"), Some("b")));
        let value = parse(r#"{"class_":"code_action","code":"ls","content":null}"#).unwrap();
        assert_eq!(Item::of(&value).text("content"), None);
    }
}
