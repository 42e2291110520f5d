//! Chat templates: how a conversation becomes the text that a model sees.
//!
//! Some are known by name, written from the published token formats; any other is read from a Jinja file, or from the
//! files of a tokenizer, and rendered as the `transformers` library would render it. A template is foreign code: it
//! gets fuel and room for its output, no files and no clock.

mod filters;
mod jinja;
mod mask;
mod methods;
mod named;
mod origin;
mod percent;
mod python;
mod setting;
mod source;
mod text_filters;
mod to_json;

pub use mask::Rendered;
pub use named::TEMPLATES;
pub use origin::{TemplateFiles, TemplateSource};
pub use setting::Setting;

pub(super) use to_json::json_text;

use super::conversation::{Conversation, template_value};
use crate::json;
use mask::{OUTPUT_BYTES_MAX, Output, Progress};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior};
use origin::DEFAULT;
use source::PROGRESS;
use std::ops::Range;
use std::sync::Arc;

/// Most instructions of one rendering.
const FUEL_MAX: u64 = 50_000_000;
/// The template of a list that is used where there are tools.
const TOOL_USE: &str = "tool_use";

/// A template, ready to render.
#[derive(Debug)]
pub struct Template {
    name: String,
    environment: Environment<'static>,
    variables: Vec<(String, Value)>,
    /// The names of those that a setting gives, which a record does not change.
    set: Vec<String>,
    /// What divides its messages, as far as that can be seen.
    special: Vec<String>,
    /// The names of its templates, and whether each has `{% generation %}` blocks.
    parts: Vec<(String, bool)>,
    knows_think_tags: bool,
    /// Whether it is one of this program, which knows the roles of `messages` alone.
    is_named: bool,
}

/// What is wrong with a template, or what it rejects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFault {
    /// Line of the template, from 1.
    pub line: Option<usize>,
    /// What, as a sentence without its end.
    pub message: String,
}

impl TemplateFault {
    fn new(message: impl Into<String>) -> Self {
        Self { line: None, message: message.into() }
    }
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

impl Template {
    /// A template known by name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::named_with(name, &[])
    }

    /// The same with settings.
    #[must_use]
    pub fn named_with(name: &str, settings: &[Setting]) -> Option<Self> {
        let (name, text) = TEMPLATES.iter().find(|(known, _)| *known == name)?;
        let template = Self::new(name, &TemplateSource::one(text).with(settings)).ok()?;
        Some(Self { is_named: true, ..template })
    }

    /// A template from the content of one file: Jinja, or the JSON of a `tokenizer_config.json`.
    ///
    /// # Errors
    /// It is not a template.
    pub fn of_file(name: &str, text: &str) -> Result<Self, TemplateFault> {
        let files = TemplateFiles { file: Some(text.to_owned()), ..TemplateFiles::default() };
        Self::new(name, &files.source(None)?)
    }

    /// A template from what its files say.
    ///
    /// # Errors
    /// It is not a template.
    pub fn new(name: &str, source: &TemplateSource) -> Result<Self, TemplateFault> {
        let mut environment = Environment::new();
        environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
        environment.set_undefined_behavior(UndefinedBehavior::Lenient);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_fuel(Some(FUEL_MAX));
        filters::add_to(&mut environment);
        let mut parts = Vec::new();
        for (part, text) in &source.templates {
            let adapted = source::adapt(text);
            environment.add_template_owned(part.clone(), adapted.text)?;
            parts.push((part.clone(), adapted.has_generation));
        }
        let value = |(name, text): &(String, String)| Some((name.clone(), template_value(&json::parse(text).ok()?)));
        let variables = source.variables.iter().filter_map(value).collect();
        let special = source.special_tokens();
        let knows_think_tags = source.knows_think_tags();
        let (name, set) = (name.to_owned(), source.set.clone());
        Ok(Self { name, environment, variables, set, special, parts, knows_think_tags, is_named: false })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is one of [`Template::named`].
    pub(super) fn is_named(&self) -> bool {
        self.is_named
    }

    /// Whether it takes thoughts out of think tags, or writes them in such.
    #[must_use]
    pub fn knows_think_tags(&self) -> bool {
        self.knows_think_tags
    }

    /// The special tokens that it knows: those of its files, and those that can be seen in its text.
    #[must_use]
    pub fn special_tokens(&self) -> &[String] {
        &self.special
    }

    /// Whether it says itself which parts of a conversation the model is to learn, by `{% generation %}` blocks.
    ///
    /// # Errors
    /// It has no template for that conversation.
    pub fn has_generation(&self, conversation: &Conversation) -> Result<bool, TemplateFault> {
        self.part(conversation).map(|(_, has_generation)| *has_generation)
    }

    /// The template of a list that is used for a conversation, as `transformers` chooses.
    fn part(&self, conversation: &Conversation) -> Result<&(String, bool), TemplateFault> {
        let find = |name: &str| self.parts.iter().find(|(part, _)| part == name);
        let for_tools = find(TOOL_USE).filter(|_| !self.tools(conversation).is_none());
        let only = self.parts.first().filter(|_| self.parts.len() == 1);
        for_tools.or_else(|| find(DEFAULT)).or(only).ok_or_else(|| {
            let names: Vec<&str> = self.parts.iter().map(|(part, _)| part.as_str()).collect();
            TemplateFault::new(format!(
                "it is a list of templates ({}), none of them `{DEFAULT}`: name one as FILE#NAME",
                names.join(", ")
            ))
        })
    }

    /// The tools of a conversation, else those that a setting names; None if there are none.
    fn tools(&self, conversation: &Conversation) -> Value {
        let set = || self.variables.iter().find(|(name, _)| name == "tools").map(|(_, value)| value.clone());
        let recorded = Some(conversation.tools.clone()).filter(|tools| !tools.is_undefined());
        recorded.or_else(set).unwrap_or_else(|| Value::from(()))
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
        let messages =
            conversation.messages.iter().take(count).map(|message| self.message(&message.role, &message.value));
        self.render_messages(conversation, messages.collect(), is_asking)
    }

    /// Renders some stretches of a conversation as if there were no others.
    ///
    /// # Errors
    /// As for [`Self::render`].
    pub(super) fn render_parts(
        &self,
        conversation: &Conversation,
        parts: &[Range<usize>],
        is_asking: bool,
    ) -> Result<Rendered, TemplateFault> {
        let messages = parts.iter().filter_map(|part| conversation.messages.get(part.clone())).flatten();
        let messages = messages.map(|message| self.message(&message.role, &message.value));
        self.render_messages(conversation, messages.collect(), is_asking)
    }

    /// Renders a conversation of which one message is another.
    ///
    /// # Errors
    /// As for [`Self::render`].
    pub(super) fn render_changed(
        &self,
        conversation: &Conversation,
        message: usize,
        changed: &Value,
    ) -> Result<Rendered, TemplateFault> {
        let numbered = conversation.messages.iter().enumerate();
        let messages =
            numbered.map(|(i, turn)| self.message(&turn.role, if i == message { changed } else { &turn.value }));
        self.render_messages(conversation, messages.collect(), false)
    }

    /// A message as the template gets it.
    fn message(&self, role: &str, message: &Value) -> Value {
        if !self.is_named || message.get_attr("role").is_ok_and(|written| written.as_str() == Some(role)) {
            return message.clone();
        }
        let member = |key: Value| {
            let value = if key.as_str() == Some("role") { Ok(Value::from(role)) } else { message.get_item(&key) };
            Some((key, value.ok()?))
        };
        Value::from_pairs(message.try_iter().into_iter().flatten().filter_map(member))
    }

    fn render_messages(
        &self,
        conversation: &Conversation,
        messages: Value,
        is_asking: bool,
    ) -> Result<Rendered, TemplateFault> {
        let progress = Arc::new(Progress::default());
        // What is not reported is None, as the library hands it over.
        let mut context = vec![("documents".to_owned(), Value::from(()))];
        context.extend(self.variables.iter().cloned());
        let is_free = |(name, _): &&(String, Value)| !self.set.contains(name);
        context.extend(conversation.variables.iter().filter(is_free).cloned());
        context.extend([
            ("messages".to_owned(), messages),
            ("tools".to_owned(), self.tools(conversation)),
            ("add_generation_prompt".to_owned(), Value::from(is_asking)),
            (PROGRESS.to_owned(), Value::from_dyn_object(Arc::clone(&progress))),
        ]);
        let mut out = Output::new(&progress);
        let (part, _) = self.part(conversation)?;
        let done = self.environment.get_template(part)?.render_captured_to(Value::from_pairs(context), &mut out);
        if out.is_full() {
            return Err(TemplateFault::new(format!("it makes a text of more than {OUTPUT_BYTES_MAX} bytes")));
        }
        done?;
        Ok(progress.rendered(out.into_text()))
    }
}

#[cfg(test)]
mod tests;
