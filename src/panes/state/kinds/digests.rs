//! Texts of which the state has digests (D20, W5): the first line is shown, and how long they are.

use crate::format::Run;
use crate::model::{Bytes, StepNo};
use crate::panes::value::count_text;
use crate::panes::{Open, Piece};
use crate::state::{Leaf, NodeId};
use crate::text::{Role, SafeText, cut};
use std::cell::RefCell;
use std::collections::HashMap;

/// Most texts that are kept.
const CACHED_TEXTS_MAX: usize = 1_024;
/// Most cells of a first line.
const LINE_CELLS_MAX: usize = 200;
/// Most characters of it that are looked at.
const LINE_CHARS_MAX: usize = 1_000;

/// The beginning of a text, and how long it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::panes) struct DigestText {
    line: SafeText,
    chars: u64,
}

impl DigestText {
    /// As it is in a row.
    pub(in crate::panes) fn pieces(&self) -> Vec<Piece> {
        let chars = usize::try_from(self.chars).unwrap_or(usize::MAX);
        if chars == 0 {
            return vec![Piece::of(Role::Dim, "empty")];
        }
        let size = Piece::of(Role::Dim, &format!(" · {} chars", count_text(chars)));
        vec![Piece::safe(Role::JsonString, self.line.clone()), size]
    }
}

/// Generation, leaf and author of a digest.
type DigestKey = (u64, NodeId, StepNo);

/// The texts of digests that were shown.
#[derive(Debug, Default)]
pub(in crate::panes) struct DigestTexts {
    cache: RefCell<HashMap<DigestKey, Option<DigestText>>>,
}

impl DigestTexts {
    /// The text of a leaf that is a digest.
    pub(in crate::panes) fn text(&self, open: &Open<'_>, leaf: &Leaf) -> Option<DigestText> {
        if leaf.value.first_byte() != b'{' {
            return None;
        }
        let key = (open.session.content_version(), leaf.node, leaf.step);
        if let Some(found) = self.cache.borrow().get(&key) {
            return found.clone();
        }
        let digest = digest_text(open.run(), open.bytes(), leaf);
        let mut cache = self.cache.borrow_mut();
        if cache.len() >= CACHED_TEXTS_MAX {
            cache.clear();
        }
        cache.insert(key, digest.clone());
        digest
    }
}

/// The text of a leaf, if that is a digest of one.
pub(in crate::panes) fn digest_text(run: &dyn Run, bytes: &dyn Bytes, leaf: &Leaf) -> Option<DigestText> {
    let json = leaf.value.text(bytes).ok()?;
    let chars = chars_of(&json)?;
    if chars == 0 {
        return Some(DigestText { line: SafeText::default(), chars });
    }
    let line = match run.digested_text(&json, leaf.step, bytes) {
        Some(text) => first_line(&text),
        None => file_line(run, leaf)?,
    };
    Some(DigestText { line, chars })
}

/// How long the text of a digest is; None: it is no digest.
fn chars_of(json: &str) -> Option<u64> {
    let rest = json.strip_prefix("{\"sha256\":\"")?;
    let (hex, rest) = rest.split_once("\",\"chars\":")?;
    let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    rest.strip_suffix('}').filter(|_| is_hex)?.parse().ok()
}

/// W5: the known lines of a file: the first that says something.
fn file_line(run: &dyn Run, leaf: &Leaf) -> Option<SafeText> {
    let (id, _) = run.tree().path(leaf.node);
    let identity = run.tree().identity(id);
    let path = identity.instance.as_deref().filter(|_| identity.kind == "file")?;
    let work = run.work()?;
    let view = work.file_view(work.file_of_path(path, leaf.step)?, leaf.step)?;
    let mut lines = view.lines.iter().filter_map(|line| work.line(line.id)).map(|(text, _)| text);
    lines.find(|text| !text.trim().is_empty()).map(first_line)
}

/// The first line that says something.
fn first_line(text: &str) -> SafeText {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let line: String = line.trim().chars().take(LINE_CHARS_MAX).map(|c| if c == '\t' { ' ' } else { c }).collect();
    cut(&SafeText::of(&line), LINE_CELLS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_digests_are_looked_up() {
        assert_eq!(chars_of("{\"sha256\":\"7772f515c118\",\"chars\":629}"), Some(629));
        assert_eq!(chars_of("{\"sha256\":\"7772f515c118\",\"chars\":629,\"x\":1}"), None);
        assert_eq!(chars_of("{\"sha256\":\"no digest\",\"chars\":1}"), None);
        assert_eq!(chars_of("{}"), None);
    }

    #[test]
    fn the_first_line_is_one_with_words() {
        assert_eq!(first_line("\n  \n  one \u{1b}[31m\ntwo").as_str(), "one ␛[31m");
        assert_eq!(first_line("name\tsize\n").as_str(), "name size", "a tab is no sign of danger");
    }
}
