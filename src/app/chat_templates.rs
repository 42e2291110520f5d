//! The chat templates of the Loss tab: which there are, which is used.

use super::keys::Tab;
use super::menu::Menu;
use super::{App, Layer};
use crate::panes::loss::LossOptions;
use crate::review::{ChatTemplate, CountedTemplate, TEMPLATES, Template, Tokenizer};
use std::sync::{Arc, OnceLock};

/// A template of the list. Those known by name are compiled when they are first used: most sessions use none.
#[derive(Debug)]
struct ListedTemplate {
    name: String,
    compiled: OnceLock<Option<Arc<dyn ChatTemplate>>>,
}

impl ListedTemplate {
    fn get(&self) -> Option<Arc<dyn ChatTemplate>> {
        let compile = || Template::named(&self.name).map(|template| Arc::new(template) as _);
        self.compiled.get_or_init(compile).clone()
    }
}

/// The templates, and how conversations are looked at.
#[derive(Debug)]
pub struct Chat {
    /// Those known by name, then those from files.
    templates: Vec<ListedTemplate>,
    /// The one that is used, by its place in the list.
    pub front: usize,
    /// Tokens that the model sees, by estimate where none are counted.
    pub max_tokens: Option<usize>,
    /// What counts tokens.
    pub tokenizer: Option<Arc<dyn Tokenizer>>,
}

impl Default for Chat {
    fn default() -> Self {
        let listed = |name: &str| ListedTemplate { name: name.to_owned(), compiled: OnceLock::new() };
        let templates = TEMPLATES.iter().map(|(name, _)| listed(name)).collect();
        Self { templates, front: 0, max_tokens: None, tokenizer: None }
    }
}

impl Chat {
    /// Uses a template from now on, in the place of the one of its name, which may have other settings.
    pub fn choose(&mut self, template: Arc<dyn ChatTemplate>) {
        let known = self.templates.iter().position(|known| known.name == template.name());
        self.front = known.unwrap_or(self.templates.len());
        let listed = ListedTemplate { name: template.name().to_owned(), compiled: Some(template).into() };
        match self.templates.get_mut(self.front) {
            Some(known) => *known = listed,
            None => self.templates.push(listed),
        }
    }

    /// How conversations are looked at now.
    #[must_use]
    pub fn options(&self) -> Option<LossOptions> {
        let template = self.templates.get(self.front)?.get()?;
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
            return self.notify("only records for training (conversations, Agent Data Protocol) have parts that train");
        }
        let names = self.chat.templates.iter().map(|template| template.name.clone()).collect();
        self.layer = Some(Layer::Menu(Box::new(Menu::templates(names, self.chat.front))));
    }

    /// Takes a template, and shows what it makes of the conversation.
    pub(super) fn use_template(&mut self, number: usize) {
        self.chat.front = number;
        self.show_tab(Tab::Loss);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::Setting;

    #[test]
    fn a_template_with_settings_takes_the_place_of_the_one_of_its_name() {
        let mut chat = Chat::default();
        let (count, name) = (chat.templates.len(), TEMPLATES[1].0);
        let is_given = |chat: &Chat, given: &Arc<dyn ChatTemplate>| {
            chat.options().is_some_and(|options| Arc::ptr_eq(&options.template, given))
        };
        for settings in [vec![], vec![Setting::parse("enable_thinking=false").unwrap()]] {
            let given: Arc<dyn ChatTemplate> = Arc::new(Template::named_with(name, &settings).unwrap());
            chat.choose(Arc::clone(&given));
            assert!(chat.templates.len() == count && chat.front == 1 && is_given(&chat, &given));
        }
    }
}
