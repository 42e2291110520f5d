//! What the program begins with of what the configuration offers.

use super::config::Config;
use super::run::Settings;
use crate::app::App;

/// What the configuration offers, and what the command line chooses of it.
pub(super) fn configure(app: &mut App, config: &mut Config, settings: &mut Settings) {
    app.input_options = std::mem::take(&mut settings.input_options);
    app.filters.clone_from(&config.filters);
    app.next_undecided = config.next_undecided;
    app.keymap = config.keymap;
    app.chat.max_tokens = settings.max_tokens;
    app.chat.tokenizer = settings.tokenizer.take().or_else(|| config.take_tokenizer());
    app.table.counts_tokens = app.chat.tokenizer.is_some();
    // What the command line asks for is used; what the configuration names is in the list all the same.
    for template in config.take_template().into_iter().chain(settings.template.take()) {
        app.chat.choose(template);
    }
    for (name, expression) in &config.columns {
        // The configuration was checked for what names may be.
        let _is_a_name = app.offer_column(name, expression);
    }
}
