//! The sentences of the help, with the keys in force in place of the actions that they name.

use super::{Context, KeyRow};
use crate::panes::KeyNames;

/// Rows whose sentences have the keys of these rows. They are shared as long as the program runs, so fill a table once.
#[expect(clippy::disallowed_methods, reason = "made once: rows are shared for as long as the program runs")]
pub(super) fn filled(mut rows: Vec<KeyRow>) -> &'static [KeyRow] {
    let named: Vec<(usize, String)> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.help.contains('{'))
        .map(|(at, row)| (at, names(&rows, row.context).fill(row.help)))
        .collect();
    for (at, help) in named {
        rows[at].help = Box::leak(help.into_boxed_str());
    }
    Box::leak(rows.into_boxed_slice())
}

/// The keys of all actions as a sentence on a context names them: those of that context, those that work everywhere,
/// the others; and each by its context too, where no command stands for a key that was taken away.
fn names(rows: &[KeyRow], context: Context) -> KeyNames {
    let of = move |wanted: Context| rows.iter().filter(move |row| row.context == wanted);
    let short = of(context).chain(of(Context::Global)).chain(rows).map(|row| (row.action.name(), row.key()));
    let key_of = |row: &KeyRow| Some(row.key()).filter(|key| !key.is_empty()).unwrap_or("no key");
    let long = rows.iter().map(move |row| (format!("{}.{}", row.context.name(), row.action.name()), key_of(row)));
    KeyNames::new(short.chain(long))
}
