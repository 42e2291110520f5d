//! The chat templates of the Loss tab: which there are, which is used.

use super::keys::Tab;
use super::menu::Menu;
use super::{App, Layer};
use crate::panes::loss::LossOptions;
use crate::review::{ChatTemplate, CountedTemplate, TEMPLATES, Template, Tokenizer};
use std::sync::Arc;

/// The templates, and how conversations are looked at.
#[derive(Debug)]
pub struct Chat {
    /// Those known by name, then those from files.
    pub templates: Vec<Arc<dyn ChatTemplate>>,
    /// The one that is used, by its place in the list.
    pub front: usize,
    /// Tokens that the model sees, by estimate where none are counted.
    pub max_tokens: Option<usize>,
    /// What counts tokens.
    pub tokenizer: Option<Arc<dyn Tokenizer>>,
}

impl Default for Chat {
    fn default() -> Self {
        let named = TEMPLATES.iter().filter_map(|(name, _)| Template::named(name));
        Self {
            templates: named.map(|template| Arc::new(template) as _).collect(),
            front: 0,
            max_tokens: None,
            tokenizer: None,
        }
    }
}

impl Chat {
    /// Uses a template from now on, which joins the list if there is none of its name.
    pub fn choose(&mut self, template: Arc<dyn ChatTemplate>) {
        let known = self.templates.iter().position(|known| known.name() == template.name());
        self.front = known.unwrap_or_else(|| {
            self.templates.push(template);
            self.templates.len() - 1
        });
    }

    /// How conversations are looked at now.
    #[must_use]
    pub fn options(&self) -> Option<LossOptions> {
        let template = Arc::clone(self.templates.get(self.front)?);
        let template = match &self.tokenizer {
            Some(tokenizer) => Arc::new(CountedTemplate { template, tokenizer: Arc::clone(tokenizer) }),
            None => template,
        };
        Some(LossOptions { template, max_tokens: self.max_tokens })
    }
}

impl App {
    /// Asks for the template.
    pub(super) fn ask_template(&mut self) {
        if !self.session.format.has_conversations() {
            return self
                .notify("only conversations and Agent Data Protocol records have parts that train; this is neither");
        }
        let names = self.chat.templates.iter().map(|template| template.name().to_owned()).collect();
        self.layer = Some(Layer::Menu(Menu::templates(names, self.chat.front)));
    }

    /// Takes a template, and shows what it makes of the conversation.
    pub(super) fn use_template(&mut self, number: usize) {
        self.chat.front = number;
        self.show_tab(Tab::Loss);
    }
}
