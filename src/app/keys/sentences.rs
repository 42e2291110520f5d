//! The sentences of the help, with the keys in force in place of the actions that they name.

use super::{Context, KeyRow};
use crate::panes::key_names;

/// Rows whose sentences have the keys of these rows. They are shared as long as the program runs, so fill a table once.
#[expect(clippy::disallowed_methods, reason = "made once: rows are shared for as long as the program runs")]
pub(super) fn filled(mut rows: Vec<KeyRow>) -> &'static [KeyRow] {
    let names: Vec<String> = rows.iter().map(|row| row.action.name()).collect();
    let sentence = |row: &KeyRow| key_names::filled(row.help, |action| key(&rows, &names, row.context, action));
    let named = rows.iter().enumerate().filter(|(_, row)| row.help.contains('{'));
    let named: Vec<(usize, String)> = named.map(|(at, row)| (at, sentence(row))).collect();
    for (at, help) in named {
        rows[at].help = Box::leak(help.into_boxed_str());
    }
    Box::leak(rows.into_boxed_slice())
}

/// The key of an action, as a sentence on a context names it: that of the context, else one that works everywhere,
/// else any. One that is named with its context (`list.menu-run`) is of that alone, and no command stands for it.
fn key(rows: &[KeyRow], names: &[String], context: Context, action: &str) -> String {
    let of = |place: &str, name: &str| {
        let mut all = rows.iter().zip(names);
        all.find(|(row, known)| row.context.name() == place && *known == name).map(|(row, _)| row.key())
    };
    let any = |name: &str| rows.iter().zip(names).find(|(_, known)| *known == name).map(|(row, _)| row.key());
    let (found, otherwise) = match action.split_once('.') {
        Some((place, name)) => (of(place, name), "no key".to_owned()),
        None => {
            let found = of(context.name(), action).or_else(|| of(Context::Global.name(), action));
            (found.or_else(|| any(action)), format!(":{action}"))
        }
    };
    debug_assert!(found.is_some(), "{action} is no action");
    found.filter(|key| !key.is_empty()).map_or(otherwise, str::to_owned)
}
