//! The known path that is nearest to one that is not known.

use super::{Instances, Run};
use crate::json::Key;
use crate::model::Identity;
use crate::text::suggest;

/// Most known paths that are compared.
const PATHS_MAX: usize = 20_000;
/// Most characters of a path that are compared.
const CHARS_MAX: usize = 200;

/// The path, in the notation of the format, that differs least; else one that ends alike. None: all differ too much.
#[must_use]
pub(super) fn nearest(run: &dyn Run, typed: &str) -> Option<String> {
    let tree = run.tree();
    let wanted = PathQuery::of(typed);
    let (mut whole, mut end): (Option<(usize, String)>, Option<String>) = (None, None);
    for node in tree.known_nodes(PATHS_MAX) {
        let (id, path) = tree.path(node);
        let identity = tree.identity(id);
        let name = || run.reference(identity, &path);
        let text = chars(&wanted.comparable(run, identity, &path));
        if let Some(distance) = wanted.distance(&text, whole.as_ref().map(|(least, _)| *least)) {
            whole = Some((distance, name()));
        }
        let key = path.last().map_or_else(|| identity.kind.clone(), ToString::to_string);
        if end.is_none() && whole.is_none() && chars(&key) == wanted.end {
            end = Some(name());
        }
    }
    whole.map(|(_, name)| name).or(end)
}

/// What was typed, without what need not be typed.
struct PathQuery {
    text: Vec<char>,
    /// Its last key.
    end: Vec<char>,
    is_pointer: bool,
}

impl PathQuery {
    fn of(typed: &str) -> Self {
        let is_pointer = typed.starts_with('/');
        let bare = typed.trim_start_matches(['†', '/']);
        let text = match bare.split_once('#').filter(|_| !is_pointer) {
            Some((kind, rest)) => format!("{kind}{}", &rest[rest.find(['.', '[']).unwrap_or(rest.len())..]),
            None => bare.to_owned(),
        };
        let end = text.rsplit(if is_pointer { ['/', '/'] } else { ['.', ']'] }).next().unwrap_or_default();
        Self { end: chars(end), text: chars(&text), is_pointer }
    }

    /// A known path as it would have been typed.
    fn comparable(&self, run: &dyn Run, identity: &Identity, path: &[Key]) -> String {
        let instance = (run.instances() == Instances::InPath && !self.is_pointer).then_some(());
        match instance {
            Some(()) => path.iter().fold(identity.kind.clone(), |text, key| format!("{text}.{key}")),
            None => run.reference(identity, path).trim_start_matches(['†', '/']).to_owned(),
        }
    }

    /// How far it is, if that is near and less than before.
    fn distance(&self, known: &[char], least: Option<usize>) -> Option<usize> {
        let near = self.text.len() / 3 + 1;
        let most = least.map_or(Some(near), |least| least.min(near + 1).checked_sub(1))?;
        suggest::distance(&self.text, known, most)
    }
}

fn chars(text: &str) -> Vec<char> {
    text.chars().take(CHARS_MAX).collect()
}
