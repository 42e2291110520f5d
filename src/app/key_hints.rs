//! The keys that panes and messages speak of: those in force where the cursor is.

use super::App;
use super::keys::{Context, Keymap};
use crate::panes::KeyNames;

/// The keys of actions, and where they were looked up.
#[derive(Debug, Default)]
pub(super) struct KeyHints {
    names: KeyNames,
    of: Option<(Keymap, Vec<Context>)>,
}

impl App {
    /// A text of the program with the keys of the actions that it names in braces.
    pub(in crate::app) fn hint(&self, text: &str) -> String {
        self.session.key_names.fill(text)
    }

    /// Gives the keys in force to what speaks of them.
    pub(super) fn settle_key_names(&mut self) {
        let of = Some((self.keymap, self.place()));
        if self.key_hints.of != of {
            self.key_hints = KeyHints { names: names(self.keymap, &self.place()), of };
        }
        let names = &self.key_hints.names;
        self.session.key_names = names.clone();
        self.inspector.message.reading.key_names = names.clone();
        self.inspector.message.view.key_names = names.clone();
        self.inspector.schema.view.key_names = names.clone();
        self.two_runs.messages.set_key_names(names);
    }
}

/// The keys of all actions; of one that has others in some contexts those of the innermost of these.
fn names(keymap: Keymap, contexts: &[Context]) -> KeyNames {
    let here = contexts.iter().flat_map(|context| keymap.all().iter().filter(move |row| row.context == *context));
    let all = here.chain(keymap.all());
    KeyNames::new(all.map(|row| (row.action.name(), row.key())))
}
