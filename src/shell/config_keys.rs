//! The table `[keys]` of the configuration: keys by the name of what they do.

use crate::app::keys::{Action, Binding, Context, KEYS, Keymap, normalized};
use crate::text::suggest;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;
use toml::Spanned;

/// The table as it is written.
pub(super) type Written = BTreeMap<Spanned<String>, KeysEntry>;

/// One key or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Names {
    One(String),
    Several(Vec<String>),
}

impl Names {
    fn all(&self) -> &[String] {
        match self {
            Self::One(key) => std::slice::from_ref(key),
            Self::Several(keys) => keys,
        }
    }
}

/// What follows a name: the keys of an action, or the table of a context.
#[derive(Debug)]
pub(super) enum KeysEntry {
    Action(Names),
    Context(BTreeMap<Spanned<String>, Names>),
}

/// Not derived: what distinguishes the variants by trying forgets where their members are.
impl<'de> Deserialize<'de> for KeysEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = KeysEntry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key, a list of keys, or a table of a context")
            }

            fn visit_str<E>(self, key: &str) -> Result<KeysEntry, E> {
                Ok(KeysEntry::Action(Names::One(key.to_owned())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, keys: A) -> Result<KeysEntry, A::Error> {
                let keys = Vec::deserialize(SeqAccessDeserializer::new(keys))?;
                Ok(KeysEntry::Action(Names::Several(keys)))
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<KeysEntry, A::Error> {
                BTreeMap::deserialize(MapAccessDeserializer::new(table)).map(KeysEntry::Context)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// The keys that are in force by the table, and what is wrong with it, each with the byte at which it is. Where
/// anything is wrong the default keys are in force.
pub(super) fn read(written: Written) -> (Keymap, Vec<(usize, String)>) {
    let (mut bindings, mut places, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    let mut take = |context: Option<Context>, name: &Spanned<String>, names: &Names| {
        let at = name.span().start;
        match binding(context, name.get_ref(), names) {
            Ok(binding) => {
                bindings.push(binding);
                places.push(at);
            }
            Err(fault) => faults.push((at, fault)),
        }
    };
    let mut unknown = Vec::new();
    for (name, entry) in &written {
        match (entry, Context::named(name.get_ref())) {
            (KeysEntry::Action(names), _) => take(None, name, names),
            (KeysEntry::Context(table), Some(context)) => table.iter().for_each(|(name, names)| {
                take(Some(context), name, names);
            }),
            (KeysEntry::Context(_), None) => {
                let contexts: Vec<&str> = Context::all().map(Context::name).collect();
                let message = format!("there is no context `{}`; there are: {}", name.get_ref(), contexts.join(", "));
                unknown.push((name.span().start, message));
            }
        }
    }
    faults.append(&mut unknown);
    let keymap = match Keymap::with(&bindings) {
        Ok(keymap) => keymap,
        Err(wrong) => {
            faults.extend(wrong.into_iter().map(|(number, fault)| (places[number], fault)));
            Keymap::default()
        }
    };
    faults.sort();
    faults.dedup();
    if faults.is_empty() { (keymap, faults) } else { (Keymap::default(), faults) }
}

fn binding(context: Option<Context>, name: &str, names: &Names) -> Result<Binding, String> {
    let action = Action::named(name).ok_or_else(|| {
        let all: Vec<String> = KEYS.iter().map(|row| row.action.name()).collect();
        let near = suggest::did_you_mean(name, all.iter().map(String::as_str));
        let near = near.map_or_else(String::new, |near| format!("; {near}"));
        format!("there is no action `{name}`{near}; `obelus keys` lists them")
    })?;
    let keys = names.all().iter().map(|key| normalized(key)).collect::<Result<_, _>>()?;
    Ok(Binding { context, action, keys })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct File {
        keys: Written,
    }

    fn keymap(text: &str) -> (Keymap, Vec<String>) {
        let file: File = toml::from_str(&format!("[keys]\n{text}")).unwrap();
        let (keymap, faults) = read(file.keys);
        (keymap, faults.into_iter().map(|(_, fault)| fault).collect())
    }

    #[test]
    fn keys_are_set_for_an_action_everywhere_or_in_one_context() {
        let (keys, faults) = keymap("step-next = [\"A-n\", \"space\"]\n[keys.replay]\nreplay-pause = []\n");
        assert_eq!(faults, ["Space is the key of step-next (trajectory)"; 0]);
        let at = [Context::Replay, Context::Steps, Context::Trajectory, Context::Global];
        assert_eq!(keys.find(&at, "M-n").map(|row| row.action), Some(Action::StepNext));
        assert_eq!(keys.find(&at, "Space").map(|row| row.action), Some(Action::StepNext));
        assert_eq!(keys.find(&at, ".").map(|row| row.action), None);
        assert_eq!(keys.find(&[Context::TwoRuns], "M-n").map(|row| row.action), Some(Action::StepNext));
        assert_eq!(keys.key_of(Action::StepNext), "M-n");
        assert!(keys.rows(&at).any(|row| row.action == Action::ReplayPause && row.key().is_empty()));
        let (keys, faults) = keymap("filter = \"C-g\"\n[keys.table]\ngood = \"g g\"\n[keys.global]\ntop = \"home\"\n");
        assert!(faults.is_empty(), "{faults:?}");
        assert!(keys.is_prefix(&[Context::Table], "g") && !keys.is_prefix(&[Context::Table], "gg"));
        assert_eq!(keys.find(&[Context::Table, Context::Dataset], "gg").map(|row| row.action), Some(Action::Good));
        assert_eq!(keys.find(&[Context::Attempts], "+").map(|row| row.action), Some(Action::Good), "only in the table");
    }

    #[test]
    fn what_is_wrong_is_reported_with_both_rows_and_the_default_keys_stay() {
        for (text, expected) in [
            ("search = \"n\"", "n is the key of search (global) and search-next (global)"),
            ("search = \"g s\"", "gs of search (global) and g of top (global) begin alike"),
            ("serch = \"/\"", "did you mean `search`?"),
            ("search = \"ctrl-x\"", "`ctrl-x` is not a key"),
            ("search = \"C-i\"", "terminals send C-i as Tab"),
            ("search = \"a b c\"", "two with a space between"),
            ("search = \"F 1\"", "cannot be told from the key F1"),
            ("[keys.stps]\nsearch = \"x\"", "there is no context `stps`"),
            ("[keys.steps]\nsearch = \"A-x\"", "search has no key there; it has in: global"),
            ("prompt-submit = \"x\"", "x is typed in a prompt"),
            ("quit = []\nclose = []", "no key would end the program"),
            ("search = \"A-x\"\nedit = \"A-x\"", "M-x is the key of"),
        ] {
            let (keys, faults) = keymap(text);
            assert!(faults.iter().any(|fault| fault.contains(expected)), "{text}: {faults:?}");
            assert_eq!(keys.key_of(Action::Search), "/");
        }
    }
}
