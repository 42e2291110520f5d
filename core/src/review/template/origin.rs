//! The files of a tokenizer as a template: which of them has it, and what they say of special tokens.

use super::TemplateFault;
use super::setting::Setting;
use crate::json::{self, Data, Value};
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// The name of the template of a list that is used where nothing else is asked for.
pub(super) const DEFAULT: &str = "default";
/// The special tokens that have names of their own.
const TOKENS: [&str; 7] = ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"];
/// Special tokens without names.
const MORE_TOKENS: &str = "additional_special_tokens";
/// Special tokens with names that the tokenizer made up.
const EXTRA_TOKENS: &str = "extra_special_tokens";

/// What special tokens look like.
const SPECIAL: &str = r"(?x) <\|[\w\ :-]{1,40}\|> | <｜[^｜<>]{1,40}｜> | \[/?[A-Z][A-Z_]{2,30}\] | \[gMASK\]
    | </?s> | <(?:bos|eos|sop|eop)> | <(?:start|end)_of_turn>";
/// That pattern, compiled once for all templates.
static SPECIAL_PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(SPECIAL).ok());
/// Most special tokens that are looked for.
const SPECIAL_MAX: usize = 100;

/// The contents of files that make a template.
#[derive(Debug, Default)]
pub struct TemplateFiles {
    /// The file that was asked for, unless that was a folder.
    pub file: Option<String>,
    /// Whether that is a `tokenizer_config.json`, beside which a `chat_template.jinja` has precedence.
    pub is_config: bool,
    /// `chat_template.jinja` beside it.
    pub jinja: Option<String>,
    /// `tokenizer_config.json` beside it.
    pub config: Option<String>,
    /// `special_tokens_map.json` beside it.
    pub tokens: Option<String>,
    /// The files of `additional_chat_templates` beside it, by their names.
    pub additional: Vec<(String, String)>,
}

/// Templates and the values that they know, as their files have them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateSource {
    /// Jinja by name.
    pub(super) templates: Vec<(String, String)>,
    /// Variables by name, as JSON.
    pub(super) variables: Vec<(String, String)>,
    /// The names of those that are settings.
    #[serde(default)]
    pub(super) set: Vec<String>,
}

impl TemplateSource {
    /// A template that knows no tokens.
    pub(super) fn one(text: &str) -> Self {
        Self { templates: vec![(DEFAULT.to_owned(), text.to_owned())], variables: Vec::new(), set: Vec::new() }
    }

    /// The same with settings, which have precedence.
    #[must_use]
    pub fn with(mut self, settings: &[Setting]) -> Self {
        for setting in settings {
            self.variables.retain(|(name, _)| *name != setting.name);
            self.variables.push((setting.name.clone(), setting.value.clone()));
            self.set.push(setting.name.clone());
        }
        self
    }

    /// The special tokens: those that files name, and what looks like one in the templates.
    pub(super) fn special_tokens(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        let is_token = |name: &str| name.ends_with("_token") || name.ends_with("_special_tokens");
        for (_, value) in self.variables.iter().filter(|(name, _)| is_token(name)) {
            let Ok(value) = json::parse(value) else { continue };
            match &value.data {
                Data::Array(items) => out.extend(items.iter().filter_map(|item| item.as_str().map(str::to_owned))),
                _ => out.extend(value.as_str().map(str::to_owned)),
            }
        }
        if let Some(seen) = &*SPECIAL_PATTERN {
            let all = self.templates.iter().flat_map(|(_, text)| seen.find_iter(text));
            out.extend(all.map(|token| token.as_str().to_owned()));
        }
        out.retain(|token| token.chars().count() > 2);
        out.sort();
        out.dedup();
        out.truncate(SPECIAL_MAX);
        out
    }

    /// The begin and end token, as far as the templates name them and nothing says what they are.
    #[must_use]
    pub fn unknown_tokens(&self) -> Vec<&'static str> {
        let is_named = |token: &str| self.templates.iter().any(|(_, text)| text.contains(token));
        let is_known = |token: &str| self.variables.iter().any(|(name, _)| name == token);
        TOKENS[..2].iter().copied().filter(|token| is_named(token) && !is_known(token)).collect()
    }

    /// Whether a template takes thoughts out of think tags, or writes them in such.
    #[must_use]
    pub fn knows_think_tags(&self) -> bool {
        self.templates.iter().any(|(_, text)| text.contains("<think>") || text.contains("</think>"))
    }
}

impl TemplateFiles {
    /// The template that the files make; of a list the one of that name.
    ///
    /// # Errors
    /// There is none: what is missing.
    pub fn source(&self, name: Option<&str>) -> Result<TemplateSource, TemplateFault> {
        let file_object = object(self.file.as_deref());
        let beside = object(self.config.as_deref());
        let config = file_object.as_ref().or(beside.as_ref());
        let mut templates = match (&self.file, &file_object) {
            (Some(text), None) => TemplateSource::one(text).templates,
            _ => {
                let jinja = self.jinja.as_deref().map(|text| TemplateSource::one(text).templates);
                let listed = config.map_or(Ok(Vec::new()), listed)?;
                match jinja {
                    Some(jinja) if listed.is_empty() || self.is_config || file_object.is_none() => jinja,
                    _ => listed,
                }
            }
        };
        templates.extend(self.additional.iter().filter(|_| self.file.is_none() || file_object.is_some()).cloned());
        if let Some(name) = name {
            let names: Vec<&str> = templates.iter().map(|(name, _)| name.as_str()).collect();
            let missing = format!("it has no template `{name}`; it has {}", names.join(", "));
            templates.retain(|(known, _)| known == name);
            if templates.is_empty() {
                return Err(TemplateFault::new(missing));
            }
        }
        if templates.is_empty() {
            let missing = "there is no `chat_template` in it and no chat_template.jinja beside it; name a Jinja file, \
                           a tokenizer_config.json, or the folder of a tokenizer";
            return Err(TemplateFault::new(missing));
        }
        let mut variables = Vec::new();
        for file in
            [file_object.as_ref(), beside.as_ref(), object(self.tokens.as_deref()).as_ref()].into_iter().flatten()
        {
            tokens(file, &mut variables);
        }
        Ok(TemplateSource { templates, variables, set: Vec::new() })
    }
}

fn object(text: Option<&str>) -> Option<Value<'_>> {
    json::parse(text?).ok().filter(|value| value.as_object().is_some())
}

/// The templates of a `tokenizer_config.json`: one, or a list of them with names.
fn listed(config: &Value<'_>) -> Result<Vec<(String, String)>, TemplateFault> {
    let wrong = || TemplateFault::new("its `chat_template` is neither a text nor a list of {name, template}");
    let Some(written) = config.get("chat_template").filter(|written| !matches!(written.data, Data::Null)) else {
        return Ok(Vec::new());
    };
    if let Some(text) = written.as_str() {
        return Ok(TemplateSource::one(text).templates);
    }
    let member = |item: &Value<'_>, name: &str| Some(item.get(name)?.as_str()?.to_owned());
    match &written.data {
        Data::Array(items) => {
            let pair = |item: &Value<'_>| Some((member(item, "name")?, member(item, "template")?));
            items.iter().map(pair).collect::<Option<_>>().ok_or_else(wrong)
        }
        Data::Object(named) => {
            let pair = |(name, text): (&str, &Value<'_>)| Some((name.to_owned(), text.as_str()?.to_owned()));
            named.entries().map(|(name, text)| pair((name, text))).collect::<Option<_>>().ok_or_else(wrong)
        }
        _ => Err(wrong()),
    }
}

/// Adds the special tokens of a file that are not known yet.
fn tokens(file: &Value<'_>, known: &mut Vec<(String, String)>) {
    let mut add = |name: &str, value: String| {
        if known.iter().all(|(known, _)| known != name) {
            known.push((name.to_owned(), value));
        }
    };
    for name in TOKENS {
        if let Some(token) = file.get(name).and_then(token) {
            add(name, json::quote(token));
        }
    }
    if let Some(Data::Array(items)) = file.get(MORE_TOKENS).map(|more| &more.data) {
        let all: Vec<String> = items.iter().filter_map(|item| Some(json::quote(token(item)?))).collect();
        add(MORE_TOKENS, format!("[{}]", all.join(",")));
    }
    if let Some(Data::Object(extra)) = file.get(EXTRA_TOKENS).map(|extra| &extra.data) {
        for (name, value) in extra.entries() {
            if let Some(token) = token(value) {
                add(name, json::quote(token));
            }
        }
    }
}

/// A token: a text, or an object that has it as `content`.
fn token<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    value.as_str().or_else(|| value.get("content")?.as_str())
}
