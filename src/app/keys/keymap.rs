//! The keys that work: those of the table, with what the user has set in their place.

use super::{Action, Context, KEYS, KeyRow, Tab, sentences};
use crate::app::key::{KeyPress, MOUSE};
use crate::panes::key_names;
use std::sync::LazyLock;

/// A key or two that an action gets in place of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The context in which it is so; None: wherever the action has a row.
    pub context: Option<Context>,
    /// The action.
    pub action: Action,
    /// Names of its keys, as [`normalized`] has them; none takes the action's keys away.
    pub keys: Vec<String>,
}

/// The table of keys that is in force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Keymap {
    rows: &'static [KeyRow],
}

/// The table as it is without bindings of the user.
static DEFAULT: LazyLock<&'static [KeyRow]> = LazyLock::new(|| sentences::filled(KEYS.to_vec()));

impl Default for Keymap {
    fn default() -> Self {
        Self { rows: *DEFAULT }
    }
}

impl Keymap {
    /// The table with bindings of the user. It is kept as long as the program runs, so make it once.
    ///
    /// # Errors
    /// What is wrong with a binding, by its number: no such row, or a conflict with another row. None is in force then.
    #[expect(clippy::disallowed_methods, reason = "made once: rows are shared for as long as the program runs")]
    pub fn with(bindings: &[Binding]) -> Result<Self, Vec<(usize, String)>> {
        if bindings.is_empty() {
            return Ok(Self::default());
        }
        let mut faults = Vec::new();
        // The binding that each row has its keys from.
        let mut by: Vec<Option<usize>> = vec![None; KEYS.len()];
        for (number, binding) in bindings.iter().enumerate() {
            let is_match = |row: &KeyRow| {
                row.action == binding.action && binding.context.is_none_or(|context| context == row.context)
            };
            let matching: Vec<usize> = (0..KEYS.len()).filter(|at| is_match(&KEYS[*at])).collect();
            if matching.is_empty() {
                faults.push((number, no_row(binding)));
            }
            for at in matching {
                // What is said of one context goes before what is said of all.
                if binding.context.is_some() || by[at].is_none_or(|other| bindings[other].context.is_none()) {
                    by[at] = Some(number);
                }
            }
        }
        let keys = |at: usize| -> Vec<&str> {
            match by[at] {
                Some(number) => bindings[number].keys.iter().map(String::as_str).collect(),
                None => KEYS[at].keys.to_vec(),
            }
        };
        let all: Vec<Vec<&str>> = (0..KEYS.len()).map(keys).collect();
        faults.extend(conflicts(&all, &by));
        faults.extend(typed(&all, &by));
        if !faults.is_empty() {
            return Err(faults);
        }
        if !(0..KEYS.len()).any(|at| matches!(KEYS[at].action, Action::Quit | Action::Close) && !all[at].is_empty()) {
            let number = bindings.iter().position(|b| matches!(b.action, Action::Quit | Action::Close));
            return Err(vec![(number.unwrap_or(0), "no key would end the program".to_owned())]);
        }
        let rows = all.into_iter().zip(KEYS).map(|(keys, row)| {
            let leak = |key: &str| -> &'static str { Box::leak(key.to_owned().into_boxed_str()) };
            let keys: &'static [&'static str] = if keys == row.keys {
                row.keys
            } else {
                Box::leak(keys.into_iter().map(leak).collect::<Vec<_>>().into_boxed_slice())
            };
            KeyRow { keys, ..*row }
        });
        Ok(Self { rows: sentences::filled(rows.collect()) })
    }

    /// All rows.
    #[must_use]
    pub fn all(self) -> &'static [KeyRow] {
        self.rows
    }

    /// The row of a key in the innermost of some contexts that has it.
    #[must_use]
    pub fn find(self, contexts: &[Context], key: &str) -> Option<&'static KeyRow> {
        contexts.iter().find_map(|c| self.rows.iter().find(|r| r.context == *c && r.keys.contains(&key)))
    }

    /// Rows that work in some contexts (the innermost first), in table order; not those whose key means something else
    /// further in. Those without a key are among them: the palette runs them.
    pub fn rows(self, contexts: &[Context]) -> impl Iterator<Item = &'static KeyRow> {
        let is_found = move |r: &&KeyRow| match r.keys.first() {
            Some(key) => self.find(contexts, key).is_some_and(|found| std::ptr::eq(found, *r)),
            None => true,
        };
        self.rows.iter().filter(move |r| contexts.contains(&r.context)).filter(is_found)
    }

    /// A pane beside those of some contexts in which a key works, by name, and what goes there.
    #[must_use]
    pub fn elsewhere(self, contexts: &[Context], key: &str) -> Option<(&'static str, Action)> {
        use Context as C;
        let panes: &[(Context, &str, Action)] = match contexts {
            all if all.contains(&C::Trajectory) => &[
                (C::Steps, "Steps", Action::PaneNext),
                (C::State, "State", Action::PaneNext),
                (C::Inspector, "the tabs", Action::PaneNext),
                (C::File, "the File tab", Action::Tab(Tab::File)),
            ],
            all if all.contains(&C::Dataset) => {
                &[(C::Table, "the table", Action::TablePaneNext), (C::Facets, "the values of a column", Action::Facets)]
            }
            _ => &[],
        };
        let found = panes.iter().find(|(context, ..)| self.find(&[*context], key).is_some());
        found.map(|(_, name, action)| (*name, *action))
    }

    /// A view in which a key works, by name: one of those that the open trajectory has before others.
    #[must_use]
    pub fn view_with(self, contexts: &[Context], key: &str) -> Option<&'static str> {
        use Context as C;
        const OF_RUN: [(Context, &str); 3] = [
            (C::Instances, "instances side by side"),
            (C::Watches, "the strip of watched values"),
            (C::Replay, "a recording that plays"),
        ];
        const VIEWS: [(Context, &str); 10] = [
            (C::Trajectory, "an open trajectory"),
            (C::Steps, "the steps of a trajectory"),
            (C::State, "the state of a trajectory"),
            (C::Dataset, "the table of a dataset"),
            (C::Table, "the table of a dataset"),
            (C::Attempts, "the attempts at a task"),
            (C::TwoRuns, "two runs side by side"),
            (C::Files, "the list of files"),
            (C::Watches, "the strip of watched values"),
            (C::Replay, "a recording that plays"),
        ];
        let near = OF_RUN.iter().filter(|_| contexts.contains(&C::Trajectory));
        let mut all = near.chain(&VIEWS);
        all.find(|(context, _)| self.find(&[*context], key).is_some()).map(|(_, name)| *name)
    }

    /// Whether a key begins a sequence of two in some contexts.
    #[must_use]
    pub fn is_prefix(self, contexts: &[Context], key: &str) -> bool {
        self.rows(contexts).any(|r| r.keys.iter().any(|k| sequence(k).is_some_and(|(first, _)| first == key)))
    }

    /// What is done with the mouse, and sentences on it with the keys in force in some contexts.
    #[must_use]
    pub fn gestures(self, contexts: &[Context]) -> Vec<(&'static str, String)> {
        let key = |name: &str| {
            let here = contexts.iter().flat_map(|context| self.rows.iter().filter(move |row| row.context == *context));
            let found = here.chain(self.rows).find(|row| row.action.name() == name).map(KeyRow::key);
            debug_assert!(found.is_some(), "{name} is no action");
            found.filter(|key| !key.is_empty()).map_or_else(|| format!(":{name}"), str::to_owned)
        };
        MOUSE.iter().map(|(gesture, about)| (*gesture, key_names::filled(about, key))).collect()
    }

    /// The first key of an action, wherever it works; empty where it has none.
    #[must_use]
    pub fn key_of(self, action: Action) -> &'static str {
        self.rows.iter().find(|row| row.action == action).map_or("", KeyRow::key)
    }
}

/// The two keys of a name that means one after the other, as `]w`; None for the name of one key, as `F1`.
#[must_use]
pub fn sequence(name: &str) -> Option<(&str, &str)> {
    let is_key = |name: &str| name.parse::<KeyPress>().is_ok();
    if is_key(name) {
        return None;
    }
    let cuts = name.char_indices().map(|(at, _)| name.split_at(at));
    cuts.skip(1).find(|(first, second)| is_key(first) && is_key(second))
}

/// Names of keys in the way of other programs, and how they are named here.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("space", "Space"),
    ("ret", "Enter"),
    ("enter", "Enter"),
    ("tab", "Tab"),
    ("S-tab", "BackTab"),
    ("backtab", "BackTab"),
    ("esc", "Esc"),
    ("up", "Up"),
    ("down", "Down"),
    ("left", "Left"),
    ("right", "Right"),
    ("home", "Home"),
    ("end", "End"),
    ("pageup", "PageUp"),
    ("pagedown", "PageDown"),
    ("backspace", "Backspace"),
    ("del", "Delete"),
    ("minus", "-"),
    ("lt", "<"),
    ("gt", ">"),
];

/// Keys that terminals send as another key.
const SAME_KEYS: &[(&str, &str)] = &[("C-i", "Tab"), ("C-m", "Enter"), ("C-j", "Enter"), ("C-[", "Esc")];

/// A key as the user writes it (`C-x`, `A-j`, `M-j`, `space`, `ret`, `G`; two with a space between: `g s`), as the
/// table names it.
///
/// # Errors
/// It is not a key, more than two, or one that no terminal distinguishes from another.
pub fn normalized(written: &str) -> Result<String, String> {
    let names: Vec<String> = written.split_whitespace().map(one).collect::<Result<_, _>>()?;
    match names.as_slice() {
        [key] => Ok(key.clone()),
        [first, second] => {
            let both = format!("{first}{second}");
            if sequence(&both) == Some((first, second)) {
                Ok(both)
            } else {
                Err(format!("`{written}` cannot be told from the key {both}"))
            }
        }
        _ => Err(format!("`{written}` is not a key; one key, or two with a space between, as `g s`")),
    }
}

fn one(written: &str) -> Result<String, String> {
    let (mut modifiers, mut name) = (String::new(), written);
    loop {
        let with = [("C-", "C-"), ("A-", "M-"), ("M-", "M-")];
        let found = with.into_iter().find_map(|(prefix, modifier)| {
            Some((modifier, name.strip_prefix(prefix).filter(|rest| !rest.is_empty())?))
        });
        let Some((modifier, rest)) = found else { break };
        modifiers.push_str(modifier);
        name = rest;
    }
    let name = OTHER_NAMES.iter().find(|(other, _)| *other == name).map_or(name, |(_, canonical)| *canonical);
    let key: KeyPress = format!("{modifiers}{name}").parse().map_err(|_| {
        format!("`{written}` is not a key; keys are named like j, G, C-d, A-x, space, ret, tab, pagedown, F5")
    })?;
    let key = key.to_string();
    match SAME_KEYS.iter().find(|(same, _)| *same == key) {
        Some((_, as_key)) => Err(format!("terminals send {key} as {as_key}")),
        None => Ok(key),
    }
}

fn no_row(binding: &Binding) -> String {
    let name = binding.action.name();
    let contexts = KEYS.iter().filter(|row| row.action == binding.action).map(|row| row.context.name());
    format!("{name} has no key there; it has in: {}", contexts.collect::<Vec<_>>().join(", "))
}

/// Whether keys of two contexts may be asked for at the same time.
fn meet(one: Context, other: Context) -> bool {
    let groups = [one, other].map(Context::group);
    one == other
        || (groups[0] == groups[1] && [one, other].iter().any(|context| !context.is_of_one_pane()))
        || (one == Context::Global && other.group() != Context::Prompt.group())
        || (other == Context::Global && one.group() != Context::Prompt.group())
}

/// Keys that mean two things in one context, or a key that begins a sequence and means something alone; of rows of
/// which at least one is the user's.
fn conflicts(all: &[Vec<&str>], by: &[Option<usize>]) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    for (a, b) in (0..all.len()).flat_map(|a| (0..all.len()).map(move |b| (a, b))) {
        let Some(number) = by[a] else { continue };
        if by[b].is_some() && b < a {
            continue;
        }
        let (row, other) = (&KEYS[a], &KEYS[b]);
        let name = |row: &KeyRow| format!("{} ({})", row.action.name(), row.context.name());
        for key in &all[a] {
            if row.context == other.context && row.action != other.action && all[b].contains(key) {
                let both = format!("{} and {}", name(row), name(other));
                out.push((number, format!("{key} is the key of {both}; give one of them another")));
            }
            let begins = |long: &str, short: &str| sequence(long).is_some_and(|(first, _)| first == short);
            let is_begun = all[b].iter().find(|k| begins(k, key) || begins(key, k));
            if let Some(long) = is_begun.filter(|_| meet(row.context, other.context)) {
                let message = format!("{key} of {} and {long} of {} begin alike", name(row), name(other));
                out.push((number, format!("{message}, so that the shorter could not be pressed")));
            }
        }
    }
    out
}

/// Keys that type a character where text is typed.
fn typed(all: &[Vec<&str>], by: &[Option<usize>]) -> Vec<(usize, String)> {
    let types = |key: &str| sequence(key).is_some() || key.parse::<KeyPress>().is_ok_and(|key| key.typed().is_some());
    let mut out = Vec::new();
    for (at, row) in KEYS.iter().enumerate().filter(|(_, row)| row.context.group() == Context::Prompt.group()) {
        let found = all[at].iter().find(|key| types(key));
        if let (Some(number), Some(key)) = (by[at], found) {
            let (action, context) = (row.action.name(), row.context.name());
            out.push((number, format!("{key} is typed in a {context}, so it cannot be the key of {action} there")));
        }
    }
    out
}
