//! References in rows of any pane: coloured, marked where they lead nowhere at this step, and found again by Enter.

use super::{Open, Piece, Row, Window};
use crate::format::plan::RefState;
use crate::text::{Role, SafeText};
use std::ops::Range;

/// What begins every reference.
const DAGGER: char = '†';

/// A reference in a piece: its bytes there, the reference itself, and whether it leads somewhere.
struct PieceReference {
    range: Range<usize>,
    text: String,
    state: RefState,
}

/// Colours the references in the rows of a window; where `is_judging`, those that lead nowhere are marked `✗`.
pub fn light(open: &Open<'_>, window: &mut Window, is_judging: bool) {
    for row in &mut window.rows {
        let has_one = |pieces: &[Piece]| pieces.iter().any(|p| p.text.as_str().contains(DAGGER));
        if has_one(&row.left) {
            row.left = std::mem::take(&mut row.left).into_iter().flat_map(|p| lit(open, p, is_judging)).collect();
        }
    }
}

/// The first reference in a row.
#[must_use]
pub fn first(open: &Open<'_>, row: &Row) -> Option<String> {
    row.left
        .iter()
        .filter(|p| !is_settled(p))
        .find_map(|piece| references_of(open, piece).into_iter().next().map(|f| f.text))
}

/// What is already said of a reference, and values that are no more, refer to nothing now.
fn is_settled(piece: &Piece) -> bool {
    matches!(piece.role, Role::Error | Role::Warning | Role::Old)
}

fn lit(open: &Open<'_>, piece: Piece, is_judging: bool) -> Vec<Piece> {
    if is_settled(&piece) || !piece.text.as_str().contains(DAGGER) {
        return vec![piece];
    }
    let text = piece.text.as_str();
    // A whole string that is a reference came coloured; now its quotes are those of a string.
    let role = if piece.role == Role::Reference { Role::JsonString } else { piece.role };
    let mut out = Vec::new();
    let mut at = 0;
    for PieceReference { range, state, .. } in references_of(open, &piece) {
        // A row may end in the middle of a reference: what is cut is not judged.
        let is_dangling = is_judging && state == RefState::Dangling && range.end < text.len();
        out.push(Piece::of(role, &text[at..range.start]));
        out.push(Piece::of(if is_dangling { Role::Error } else { Role::Reference }, &text[range.clone()]));
        if is_dangling {
            out.push(Piece::safe(Role::Error, SafeText::literal("✗")));
        }
        at = range.end;
    }
    out.push(Piece::of(role, &text[at..]));
    out.retain(|piece| !piece.text.as_str().is_empty());
    out
}

/// The references of a piece. One that is a JSON text is read as what it means: `\"` in it is a quote.
fn references_of(open: &Open<'_>, piece: &Piece) -> Vec<PieceReference> {
    let text = piece.text.as_str();
    if !text.contains(DAGGER) {
        return Vec::new();
    }
    let (decoded, places) = unescaped(text);
    let plan = || open.plan();
    let references = open.run().references(&decoded, open.step(), &plan);
    let place = |at: usize| places.get(at).copied().unwrap_or(text.len());
    let found = |(range, state): (Range<usize>, RefState)| PieceReference {
        text: decoded[range.clone()].to_owned(),
        range: place(range.start)..place(range.end),
        state,
    };
    references.into_iter().map(found).collect()
}

/// What a JSON string of one line means, its quotes left out, and for each byte of it its place in the text. Other text
/// means itself.
fn unescaped(text: &str) -> (String, Vec<usize>) {
    let Some(body) = text.strip_prefix('"') else { return (text.to_owned(), (0..text.len()).collect()) };
    let (mut decoded, mut places) = (String::new(), Vec::new());
    let mut chars = body.char_indices();
    while let Some((at, c)) = chars.next() {
        let c = match c {
            '"' => {
                places.push(at + 1);
                break;
            }
            '\\' if body[at + 1..].starts_with(['"', '\\']) => chars.next().map_or(c, |(_, next)| next),
            c => c,
        };
        decoded.push(c);
        places.extend(std::iter::repeat_n(at + 1, c.len_utf8()));
    }
    (decoded, places)
}
