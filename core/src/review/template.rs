//! Chat templates: how a conversation becomes the text that a model sees.
//!
//! Five are known by name, written from the published token formats; any other is read from a Jinja file, or from a
//! `tokenizer_config.json`, as the `transformers` library would render it. A template is foreign code: it gets fuel
//! and room for its output, no files and no clock.

use super::conversation::Conversation;
use crate::json::{self, Data};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, context};
use minijinja_contrib::pycompat::unknown_method_callback;
use regex::Regex;
use std::io::{self, Write};

/// The templates known by name.
pub const TEMPLATES: &[(&str, &str)] = &[
    ("chatml", include_str!("templates/chatml.jinja")),
    ("llama-3", include_str!("templates/llama-3.jinja")),
    ("mistral", include_str!("templates/mistral.jinja")),
    ("qwen", include_str!("templates/qwen.jinja")),
    ("zephyr", include_str!("templates/zephyr.jinja")),
];

/// Most instructions of one rendering.
const FUEL_MAX: u64 = 50_000_000;
/// Longest text that a template may make, in bytes.
const OUTPUT_BYTES_MAX: usize = 256 << 20;
/// Deepest JSON that a template may print, in levels.
const JSON_DEPTH_MAX: usize = 250;
/// What a `{% generation %}` block begins and ends with in the output: code points that no text holds, see
/// [`Conversation`].
const GENERATED: char = super::conversation::RESERVED[0];
const GENERATED_END: char = super::conversation::RESERVED[1];
/// What `strftime_now` knows. There is no clock here: it is always the day that the Llama 3 templates name.
const TODAY: &[(&str, &str)] = &[
    ("%d", "26"),
    ("%b", "Jul"),
    ("%B", "July"),
    ("%m", "07"),
    ("%y", "24"),
    ("%Y", "2024"),
    ("%a", "Fri"),
    ("%A", "Friday"),
    ("%H", "00"),
    ("%M", "00"),
    ("%S", "00"),
];

/// A template, ready to render.
#[derive(Debug)]
pub struct Template {
    name: String,
    environment: Environment<'static>,
    bos: String,
    eos: String,
    has_generation: bool,
}

/// What is wrong with a template, or what it rejects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFault {
    /// Line of the template, from 1.
    pub line: Option<usize>,
    /// What, as a sentence without its end.
    pub message: String,
}

impl std::fmt::Display for TemplateFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.line.map_or(Ok(()), |line| write!(f, "line {line}: "))?;
        f.write_str(&self.message)
    }
}

impl From<Error> for TemplateFault {
    fn from(error: Error) -> Self {
        let mut inner = &error;
        while let Some(next) = std::error::Error::source(inner).and_then(|source| source.downcast_ref::<Error>()) {
            inner = next;
        }
        let message = match (inner.kind(), inner.detail()) {
            (ErrorKind::OutOfFuel, _) => format!("it runs for more than {FUEL_MAX} instructions"),
            (ErrorKind::InvalidOperation, Some(detail)) => detail.to_owned(),
            (kind, Some(detail)) => format!("{kind}: {detail}"),
            (kind, None) => kind.to_string(),
        };
        Self { line: inner.line().or_else(|| error.line()), message }
    }
}

/// A text and the parts of it that stand in `{% generation %}` blocks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// What a `{% generation %}` block made, in bytes, in order.
    pub generated: Vec<std::ops::Range<usize>>,
}

impl Template {
    /// A template known by name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let (name, source) = TEMPLATES.iter().find(|(known, _)| *known == name)?;
        Self::new(name, source, ["<s>", "</s>"]).ok()
    }

    /// A template from the content of a file: Jinja, or the JSON of a `tokenizer_config.json`.
    ///
    /// # Errors
    /// It is no template.
    pub fn of_file(name: &str, text: &str) -> Result<Self, TemplateFault> {
        let config = json::parse(text).ok().filter(|value| value.as_object().is_some());
        let Some(config) = config else { return Self::new(name, text, ["<s>", "</s>"]) };
        let missing = "the file is JSON but has no `chat_template`; name a Jinja file or a tokenizer_config.json";
        let Some(source) = config.get("chat_template").and_then(json::Value::as_str) else {
            return Err(TemplateFault { line: None, message: missing.to_owned() });
        };
        let token = |key| {
            let token = config.get(key)?;
            token.as_str().or_else(|| token.get("content")?.as_str())
        };
        Self::new(name, source, ["bos_token", "eos_token"].map(|key| token(key).unwrap_or_default()))
    }

    fn new(name: &str, source: &str, [bos, eos]: [&str; 2]) -> Result<Self, TemplateFault> {
        let mut environment = Environment::new();
        environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
        environment.set_undefined_behavior(UndefinedBehavior::Lenient);
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment.set_fuel(Some(FUEL_MAX));
        environment.set_unknown_method_callback(unknown_method_callback);
        environment.add_filter("tojson", to_json);
        environment.add_filter("said", said);
        environment.add_filter("called", called);
        environment.add_function("raise_exception", |message: String| -> Result<Value, Error> {
            Err(Error::new(ErrorKind::InvalidOperation, message))
        });
        environment.add_function("strftime_now", |format: String| {
            TODAY.iter().fold(format.replace("%-", "%"), |text, (code, value)| text.replace(code, value))
        });
        let (source, has_generation) = marked(source);
        environment.add_template_owned("chat", source)?;
        Ok(Self { name: name.to_owned(), environment, bos: bos.to_owned(), eos: eos.to_owned(), has_generation })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it says itself which parts the model is to learn, by `{% generation %}` blocks.
    #[must_use]
    pub fn has_generation(&self) -> bool {
        self.has_generation
    }

    /// Renders the first `count` messages of a conversation; `is_asking`: with the beginning of an answer after them.
    ///
    /// # Errors
    /// The template rejects the conversation, or fails on it.
    pub fn render(
        &self,
        conversation: &Conversation,
        count: usize,
        is_asking: bool,
    ) -> Result<Rendered, TemplateFault> {
        let messages = &conversation.messages;
        let messages: Value =
            messages[..count.min(messages.len())].iter().map(|message| message.value.clone()).collect();
        let context = context! {
            messages,
            tools => conversation.tools.clone(),
            add_generation_prompt => is_asking,
            bos_token => self.bos.as_str(),
            eos_token => self.eos.as_str(),
        };
        let mut out = Bounded(Vec::new());
        let done = self.environment.get_template("chat")?.render_captured_to(context, &mut out);
        if out.0.len() >= OUTPUT_BYTES_MAX {
            let message = format!("it makes a text of more than {OUTPUT_BYTES_MAX} bytes");
            return Err(TemplateFault { line: None, message });
        }
        done?;
        Ok(unmarked(&String::from_utf8_lossy(&out.0)))
    }
}

/// Takes so many bytes and no more.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(OUTPUT_BYTES_MAX - self.0.len());
        self.0.extend_from_slice(&bytes[..taken]);
        if taken < bytes.len() { Err(io::ErrorKind::OutOfMemory.into()) } else { Ok(taken) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Puts marks in the place of the tags `generation` and `endgeneration`, which this Jinja does not know. What they say
/// of white space, and the number of lines, stays.
fn marked(source: &str) -> (String, bool) {
    let Ok(tag) = Regex::new(r"\{%([-+]?)(\s*)(end)?generation(\s*)([-+]?)%\}") else {
        return (source.to_owned(), false);
    };
    let mark = |found: &regex::Captures<'_>| {
        let mark = if found.get(3).is_some() { GENERATED_END } else { GENERATED };
        format!("{{%{}{} if true %}}{mark}{{% endif {}{}%}}", &found[1], &found[2], &found[4], &found[5])
    };
    (tag.replace_all(source, mark).into_owned(), tag.is_match(source))
}

/// Takes the marks out again.
fn unmarked(marked: &str) -> Rendered {
    let mut out = Rendered { text: String::with_capacity(marked.len()), generated: Vec::new() };
    let mut begin = None;
    for part in marked.split_inclusive([GENERATED, GENERATED_END]) {
        let last = part.chars().next_back().filter(|c| [GENERATED, GENERATED_END].contains(c));
        out.text.push_str(&part[..part.len() - last.map_or(0, char::len_utf8)]);
        match last {
            Some(GENERATED) => begin = begin.or(Some(out.text.len())),
            Some(_) => out.generated.extend(begin.take().map(|begin| begin..out.text.len())),
            None => {}
        }
    }
    out
}

/// Filter `tojson`: as Python prints JSON, with a space after `:` and `,` and no escape that JSON does not need.
fn to_json(value: &Value, options: minijinja::value::Kwargs) -> Result<Value, Error> {
    let indent: Option<usize> = options.get("indent")?;
    for unused in ["ensure_ascii", "separators", "sort_keys"] {
        let _: Option<Value> = options.get(unused)?;
    }
    options.assert_all_used()?;
    let mut out = String::new();
    put_json(value, 0, &mut out)?;
    Ok(Value::from(match indent {
        Some(_) => json::parse(&out).map_or(out.clone(), |value| json::pretty(&value)),
        None => out,
    }))
}

fn put_json(value: &Value, depth: usize, out: &mut String) -> Result<(), Error> {
    if depth > JSON_DEPTH_MAX {
        return Err(Error::new(ErrorKind::InvalidOperation, "a value is nested too deep for JSON"));
    }
    match value.kind() {
        ValueKind::None | ValueKind::Undefined => out.push_str("null"),
        ValueKind::Bool => out.push_str(if value.is_true() { "true" } else { "false" }),
        ValueKind::Number => out.push_str(&value.to_string()),
        ValueKind::Map => {
            out.push('{');
            for (i, key) in value.try_iter()?.enumerate() {
                let separator = if i > 0 { ", " } else { "" };
                out.push_str(&format!("{separator}{}: ", json::quote(&key.to_string())));
                put_json(&value.get_item(&key)?, depth + 1, out)?;
            }
            out.push('}');
        }
        ValueKind::Seq | ValueKind::Iterable => {
            out.push('[');
            for (i, item) in value.try_iter()?.enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                put_json(&item, depth + 1, out)?;
            }
            out.push(']');
        }
        _ => out.push_str(&json::quote(&value.to_string())),
    }
    Ok(())
}

/// Filter `said` of the named templates: a content as text; of parts their texts, and a sign for each picture, joined
/// by a newline (D17).
fn said(content: &Value) -> Result<String, Error> {
    match content.kind() {
        ValueKind::None | ValueKind::Undefined => Ok(String::new()),
        ValueKind::Seq => {
            let mut texts = Vec::new();
            for part in content.try_iter()? {
                let text = part.get_attr("text").unwrap_or_default();
                let kind = part.get_attr("type").unwrap_or_default();
                let mut out = String::new();
                match (text.as_str().or(part.as_str()), kind.as_str()) {
                    (Some(text), _) => out.push_str(text),
                    (None, Some("image" | "image_url")) => out.push_str("<image>"),
                    (None, _) => put_json(&part, 0, &mut out)?,
                }
                texts.push(out);
            }
            Ok(texts.join("\n"))
        }
        _ => Ok(content.to_string()),
    }
}

/// Filter `called` of the named templates: a call as JSON; `key` names its arguments, `has_id`: with its id. What
/// nobody can read as a call stands as it is.
fn called(call: &Value, key: Option<String>, has_id: Option<bool>) -> Result<String, Error> {
    let function = call.get_attr("function").ok().filter(|function| function.kind() == ValueKind::Map);
    let function = function.as_ref().unwrap_or(call);
    let mut out = String::new();
    let name = function.get_attr("name").unwrap_or_default();
    if name.as_str().is_none() {
        put_json(call, 0, &mut out)?;
        return Ok(out);
    }
    out.push_str("{\"name\": ");
    put_json(&name, 0, &mut out)?;
    out.push_str(&format!(", {}: ", json::quote(key.as_deref().unwrap_or("arguments"))));
    let arguments = function.get_attr("arguments").unwrap_or_default();
    // Arguments as OpenAI writes them are JSON in a string; the formats have them as an object.
    match arguments.as_str().filter(|text| is_object(text)) {
        Some(text) => out.push_str(text),
        None if arguments.is_undefined() => out.push_str("{}"),
        None => put_json(&arguments, 0, &mut out)?,
    }
    if has_id == Some(true) {
        out.push_str(", \"id\": ");
        put_json(&call.get_attr("id").unwrap_or_default(), 0, &mut out)?;
    }
    out.push('}');
    Ok(out)
}

fn is_object(text: &str) -> bool {
    json::parse(text).is_ok_and(|value| matches!(value.data, Data::Object(_)))
}
