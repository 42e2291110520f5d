//! Hits of the search in rows that are about to be painted. Only what is visible is looked at.

use super::{Piece, Row, Window};
use crate::text::{Pattern, Role};
use std::ops::Range;

/// Marks what matches in the rows of a window.
pub fn mark(pattern: &Pattern, window: &mut Window) {
    window.rows.iter_mut().filter(|row| !row.is_remark).for_each(|row| mark_row(pattern, row));
}

/// Marks what matches in a row; in a part of a wrapped line also the parts of what is in several rows.
fn mark_row(pattern: &Pattern, row: &mut Row) {
    let Some(around) = &row.around else { return mark_pieces(pattern, &mut row.left) };
    let mut part = row.left.split_off(around.first.min(row.left.len()));
    mark_pieces(pattern, &mut row.left);
    mark_within(pattern, &mut part, (around.before.as_str(), around.after.as_str()));
    row.left.append(&mut part);
}

/// Marks what matches in pieces that are beside each other, across their borders too.
pub fn mark_pieces(pattern: &Pattern, pieces: &mut Vec<Piece>) {
    mark_within(pattern, pieces, ("", ""));
}

/// The same in pieces that are between two other texts, across the borders to these too.
fn mark_within(pattern: &Pattern, pieces: &mut Vec<Piece>, (before, after): (&str, &str)) {
    let row_text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
    let (start, end) = (before.len(), before.len() + row_text.len());
    let hits = pattern.marked(&[before, &row_text, after].concat());
    let hits = hits.into_iter().filter(|hit| hit.start < end && hit.end > start);
    let hits: Vec<Range<usize>> = hits.map(|hit| hit.start.max(start) - start..hit.end.min(end) - start).collect();
    if hits.is_empty() {
        return;
    }
    let mut out = Vec::with_capacity(pieces.len() + 2 * hits.len());
    let mut from = 0;
    for piece in pieces.drain(..) {
        let end = from + piece.text.as_str().len();
        split(piece, from, &hits, &mut out);
        from = end;
    }
    *pieces = out;
}

/// A piece that begins at a byte of its row, cut where hits begin and end.
fn split(piece: Piece, from: usize, hits: &[Range<usize>], out: &mut Vec<Piece>) {
    let text = piece.text.as_str();
    let mut at = 0;
    let mut put = |role: Role, end: usize| {
        if end > at {
            out.push(Piece::of(role, &text[at..end]));
            at = end;
        }
    };
    let first = hits.partition_point(|hit| hit.end <= from);
    for hit in &hits[first..] {
        let place = |byte: usize| byte.saturating_sub(from).min(text.len());
        if place(hit.start) == text.len() {
            break;
        }
        put(piece.role, place(hit.start));
        put(Role::Match, place(hit.end));
    }
    put(piece.role, text.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(pieces: &[&str], typed: &str) -> Vec<(String, bool)> {
        let mut pieces: Vec<Piece> = pieces.iter().map(|text| Piece::of(Role::JsonKey, text)).collect();
        let before: String = pieces.iter().map(|p| p.text.as_str()).collect();
        mark_pieces(&Pattern::new(typed).unwrap(), &mut pieces);
        assert_eq!(pieces.iter().map(|p| p.text.as_str()).collect::<String>(), before);
        pieces.iter().map(|p| (p.text.as_str().to_owned(), p.role == Role::Match)).collect()
    }

    fn hits(pieces: &[&str], typed: &str) -> Vec<String> {
        marked(pieces, typed).into_iter().filter(|(_, is_hit)| *is_hit).map(|(text, _)| text).collect()
    }

    #[test]
    fn hits_are_marked_in_every_row_that_they_stand_in() {
        let line = "say\u{1b} the quick brown fox now";
        let hits = |part: Range<usize>, typed: &str| {
            let pieces = vec![Piece::of(Role::Punct, "fox "), Piece::of(Role::Text, &line[part.clone()])];
            let row = Row::new(pieces).part_of(line, &part, 1);
            let mut window = Window { rows: vec![row], ..Window::default() };
            mark(&Pattern::new(typed).unwrap(), &mut window);
            let pieces = window.rows.remove(0).left.into_iter().filter(|piece| piece.role == Role::Match);
            pieces.map(|piece| piece.text.as_str().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(hits(0..11, "quick brown fox"), ["qu"]);
        assert_eq!(hits(11..20, "quick brown fox"), ["ick brown"]);
        // The blank at which the line is broken belongs to the hit and to no row.
        assert_eq!(hits(21..28, "quick brown fox"), ["fox"]);
        assert_eq!(hits(21..28, "brown"), [""; 0]);
        assert_eq!(hits(21..28, "fox"), ["fox", "fox"], "what stands before the line is marked by itself");
    }

    #[test]
    fn hits_are_marked_across_pieces_and_no_text_changes() {
        assert_eq!(hits(&["a budget: ", "null"], "budget: null"), ["budget: ", "null"]);
        assert_eq!(hits(&["xx", "x"], "x"), ["x", "x", "x"]);
        assert_eq!(hits(&["Größe", " größe"], "größe"), ["Größe", "größe"]);
        assert_eq!(hits(&["plain"], "x*"), [""; 0], "what matches nothing is not a hit");
        assert_eq!(hits(&["say \\\"hi\\\""], "\"hi\""), ["\\\"hi\\\""], "as JSON spells it");
        // A mark on a letter stays on it.
        assert_eq!(hits(&["cafe\u{301} e"], "e"), ["e\u{301}", "e"]);
        assert_eq!(hits(&["\u{1b}[31m"], "31"), ["31"]);
    }
}
