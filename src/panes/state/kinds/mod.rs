//! The looks of kinds that rules derive of what a run did (W5, W10, D20): a file, the shell, the list of things to do,
//! counters are in one line each, folded over the values that are below.
//!
//! Whether a kind has a look depends on its name and on the slots that it has, in runs with calls and results.

mod digests;
mod slots;
mod words;

pub(in crate::panes) use digests::{DigestTexts, digest_text};

use super::columns::indent_of;
use super::{Outline, StateLine, StatePane, StateRowTarget};
use crate::format::Run;
use crate::model::Identity;
use crate::panes::row::pieces_width;
use crate::panes::{Open, Piece, Row};
use crate::state::{EventOp, IdentityId, IdentityView, NodeId};
use crate::text::{Role, SafeText, cut, cut_path, pad, width};
use slots::Slots;
use std::rc::Rc;

/// What a row has room for, and says.
type Words = Vec<Piece>;

/// How a kind is shown.
struct KindLook {
    kind: &'static str,
    /// Its place among kinds: what the run made of the world first, what counts it last (W13).
    rank: u8,
    /// One of these slots makes it the kind that rules know.
    slots: &'static [&'static str],
    /// An instance in a line.
    one: fn(&Slots<'_>, usize) -> Words,
    /// All its instances in a line, if they are best reported together.
    all: fn(&[Slots<'_>], usize) -> Words,
    /// The step that is reported at the right of an instance.
    step: fn(&Slots<'_>) -> Option<Piece>,
    /// Whether several instances begin folded.
    is_group_folded: bool,
}

/// The rank of kinds without a look.
const OTHERS: u8 = 6;

/// The kinds with a look.
static LOOKS: &[KindLook] = &[
    KindLook {
        step: words::file_step,
        is_group_folded: false,
        ..look("file", 0, &["last", "known", "failed", "doubt"], words::file, words::files)
    },
    look("shell", 1, &["command", "cwd", "exit"], words::shell, words::count),
    look("todo", 2, &["status"], words::todo, words::todos),
    look("page", 3, &["url"], words::scalars, words::count),
    KindLook { is_group_folded: false, ..look("sub", 4, &["task", "status"], words::sub, words::count) },
    look("env", 5, &["content", "url", "image"], words::scalars, words::count),
    look("agent", 5, &["thought", "reasoning"], words::scalars, words::count),
    look("run", 7, &["model", "branch", "mode", "effort", "compactions"], words::scalars, words::count),
    look("usage", 8, &["input", "output"], words::usage, words::count),
    look("call", 9, &["open"], words::calls, words::count),
    look("conversation", 10, &["steps", "turns"], words::conversation, words::count),
    look("tool", 11, &["calls"], words::tool, words::tools),
    look("trajectory", 12, &["id", "schema_version"], words::scalars, words::count),
    look("details", 13, &[], words::scalars, words::count),
    look("available", 14, &["names"], words::scalars, words::count),
];

const fn look(
    kind: &'static str,
    rank: u8,
    slots: &'static [&'static str],
    one: fn(&Slots<'_>, usize) -> Words,
    all: fn(&[Slots<'_>], usize) -> Words,
) -> KindLook {
    KindLook { kind, rank, slots, one, all, step: words::slots_step, is_group_folded: true }
}

/// Most instances that are reported in one line.
const TOGETHER_MAX: usize = 200;
/// Cells of the name of an instance in its column.
const NAME_CELLS_MAX: usize = 48;

/// The look of a kind in a run with calls and results.
fn look_of(open: &Open<'_>, kind: &str) -> Option<&'static KindLook> {
    open.run().work()?;
    LOOKS.iter().find(|look| look.kind == kind)
}

/// The look of an identity, if its slots are those of the kind.
fn look_of_identity(open: &Open<'_>, id: IdentityId) -> Option<&'static KindLook> {
    let look = look_of(open, &open.tree().identity(id).kind)?;
    let slots = Slots::of(open, id);
    (look.slots.is_empty() || look.slots.iter().any(|slot| slots.has(slot))).then_some(look)
}

/// Whether an identity is a file of which words say what was done to it.
pub(super) fn has_file_words(open: &Open<'_>, id: IdentityId) -> bool {
    look_of_identity(open, id).is_some_and(|look| look.kind == "file")
}

/// Lines that came and went, what was done to a file last, and the step of that.
pub(super) fn file_words(open: &Open<'_>, id: IdentityId, cells: usize) -> Vec<Piece> {
    words::file(&Slots::of(open, id), cells)
}

/// What counters say in a line; None: they are others than the rules know.
pub(super) fn counter_words(open: &Open<'_>, id: IdentityId, cells: usize) -> Option<Vec<Piece>> {
    let look = look_of_identity(open, id)?;
    Some((look.one)(&Slots::of(open, id), cells))
}

/// Whether an identity is derived from calls and results: one that is gone is not there, as a todo that left the list.
pub(super) fn is_derived(open: &Open<'_>, id: IdentityId) -> bool {
    look_of(open, &open.tree().identity(id).kind).is_some()
}

/// Puts the identities of a run with calls and results in the order of their looks.
pub(super) fn arrange(open: &Open<'_>, identities: &mut [IdentityView]) {
    if open.run().work().is_none() {
        return;
    }
    let rank =
        |view: &IdentityView| look_of(open, &open.tree().identity(view.id).kind).map_or(OTHERS, |look| look.rank);
    identities.sort_by_cached_key(rank);
}

/// The place of a kind among those of a run: what the run made of the world first, what counts it last (W13).
pub(in crate::panes) fn rank(run: &dyn Run, kind: &str) -> u8 {
    let look = run.work().and_then(|_| LOOKS.iter().find(|look| look.kind == kind));
    look.map_or(OTHERS, |look| look.rank)
}

/// Whether a row that nobody folded or unfolded begins folded.
pub(super) fn starts_folded(open: &Open<'_>, place: &StateRowTarget) -> bool {
    match place {
        StateRowTarget::Identity(id) => look_of_identity(open, *id).is_some(),
        StateRowTarget::Group(kind) => look_of(open, kind).is_some_and(|look| look.is_group_folded),
        _ => false,
    }
}

/// Where the words of instances begin, so that they are in one column: after the widest visible name.
pub(super) fn name_column(open: &Open<'_>, lines: &[StateLine], cells: usize) -> usize {
    let name = |line: &StateLine| match &line.place {
        StateRowTarget::Identity(id) if line.depth > 0 => instance_name(open, open.tree().identity(*id)),
        _ => None,
    };
    let most = (cells / 2).min(NAME_CELLS_MAX);
    lines.iter().filter_map(name).map(|name| width(name.as_str())).max().unwrap_or(0).min(most)
}

impl StatePane {
    /// The row of an identity or a group whose kind has a special row; `names` is the width of the names of instances.
    pub(super) fn kind_row(
        &self,
        open: &Open<'_>,
        outline: &Outline,
        line: &StateLine,
        (names, cells): (usize, usize),
    ) -> Option<Row> {
        let (look, ids) = match &line.place {
            StateRowTarget::Identity(id) => (look_of_identity(open, *id)?, Rc::from([*id])),
            StateRowTarget::Group(kind) => (look_of(open, kind)?, outline.groups.get(kind).map(Rc::clone)?),
            _ => return None,
        };
        let is_group = matches!(line.place, StateRowTarget::Group(_));
        let slots: Vec<Slots<'_>> =
            ids.iter().take(TOGETHER_MAX).map(|id| Slots::of(open, *id).with(&self.digests)).collect();
        let step = slots.first().filter(|_| !is_group).and_then(|slots| (look.step)(slots));
        let right: Words = step.into_iter().flat_map(|step| [Piece::of(Role::Text, " "), step]).collect();
        let indent = " ".repeat(indent_of(line.depth, cells));
        let fold = match line.is_open {
            Some(true) => "▾ ",
            Some(false) => "▸ ",
            None => "  ",
        };
        let mut left =
            vec![sign(open, outline, line, &ids), Piece::of(Role::Text, &indent), Piece::of(Role::Punct, fold)];
        left.extend(self.kind_name(open, look, line, &ids, names));
        let room = cells.saturating_sub(pieces_width(&left) + pieces_width(&right));
        let words = match slots.first() {
            _ if is_group && ids.len() > TOGETHER_MAX => words::count_of_all(ids.len()),
            _ if is_group => (look.all)(&slots, room),
            Some(slots) => (look.one)(slots, room),
            None => Vec::new(),
        };
        left.extend(fitted(words, room));
        Some(Row::new(left).fixed(1).right(right))
    }

    /// The name of a kind or an instance, padded where it is one of several.
    fn kind_name(&self, open: &Open<'_>, look: &KindLook, line: &StateLine, ids: &[IdentityId], names: usize) -> Words {
        let is_group = matches!(line.place, StateRowTarget::Group(_));
        let mut out = Vec::new();
        if line.depth == 0 {
            out.push(Piece::of(Role::Kind, &format!("¶{}", look.kind)));
            if self.chosen.contains(look.kind) {
                out.push(Piece::of(Role::Accent, " ✓"));
            }
            out.push(Piece::of(Role::Text, "  "));
        }
        let identity = ids.first().filter(|_| !is_group).map(|id| open.tree().identity(*id));
        if let Some(name) = identity.and_then(|identity| instance_name(open, identity)) {
            let name =
                if line.depth > 0 { pad(&cut_path(&name, names), names) } else { cut_path(&name, NAME_CELLS_MAX) };
            out.push(Piece::safe(Role::Instance, name));
            out.push(Piece::of(Role::Text, "  "));
        }
        out
    }
}

/// What an instance is called in its row; nothing where it is the only one there can be.
fn instance_name(open: &Open<'_>, identity: &Identity) -> Option<SafeText> {
    let name = identity.instance.as_deref().filter(|name| *name != "main")?;
    let folder = open.folder();
    let short = name.strip_prefix(&*folder).filter(|rest| identity.kind == "file" && !rest.is_empty());
    Some(SafeText::of(short.unwrap_or(name)))
}

/// What the step did below a row that is folded.
fn sign(open: &Open<'_>, outline: &Outline, line: &StateLine, ids: &[IdentityId]) -> Piece {
    let step = outline.step;
    let root = |id: &IdentityId| open.tree().view(*id, step).and_then(|view| view.root);
    let is_changed = |root: &NodeId| outline.changes.below.contains_key(root);
    let mut changed = ids.iter().take(TOGETHER_MAX).filter_map(root).filter(is_changed).peekable();
    if line.is_open == Some(true) || changed.peek().is_none() {
        return Piece::of(Role::Dim, "  ");
    }
    let is_new = changed.all(|root| open.tree().last_at(root, step) == Some(EventOp::Add));
    if is_new { Piece::of(Role::Added, "+ ") } else { Piece::of(Role::Changed, "~ ") }
}

/// The first of some pieces, as far as there is room.
fn fitted(pieces: Words, room: usize) -> Words {
    let mut left = room;
    let fit = |piece: Piece| {
        let text = cut(&piece.text, left);
        let piece = Piece::safe(piece.role, text);
        left = left.saturating_sub(piece.width());
        piece
    };
    pieces.into_iter().map(fit).filter(|piece| piece.width() > 0).collect()
}
