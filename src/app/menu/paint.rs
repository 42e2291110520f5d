//! The rows of the lists.

use super::MenuItem;
use crate::app::keys::KeyRow;
use crate::format::plan::ValueReader;
use crate::panes::openables::Openable;
use crate::panes::{Piece, Row};
use crate::review::Column;
use crate::text::{Role, SafeText, cut, pad, size_text, width};

/// From this width on a row has the sentence on its key, else the few words of the footer.
pub(super) const HELP_CELLS: usize = 50;
/// From this width on it has both.
const BOTH_CELLS: usize = 80;
/// Cells of a key in a narrow list; longer ones take more.
const NARROW_KEY_CELLS: usize = 7;
/// Cells of signs, where there is room for a key with all its names, and where there is not.
const SIGN_CELLS: usize = 18;
const NARROW_SIGN_CELLS: usize = 13;

pub(super) fn reader_row(reader: &ValueReader) -> Row {
    Row::new(vec![
        Piece::safe(Role::Blame, pad(&SafeText::of(&format!(" @{}", reader.step)), 9)),
        Piece::safe(Role::Call, pad(&SafeText::of(&reader.who), 24)),
        Piece::of(Role::Dim, "  reads "),
        Piece::of(Role::Reference, &reader.reference),
    ])
}

pub(super) fn openable_row(openable: &Openable) -> Row {
    let (sort, text, role) = match openable {
        Openable::Link(address) => ("link", address.clone(), Role::Reference),
        Openable::Image(image) => {
            ("image", format!("{}  {}", image.kind.media_type, size_text(image.size())), Role::Text)
        }
    };
    Row::new(vec![Piece::of(Role::Dim, &format!(" {sort:<7}")), Piece::of(role, &text)])
}

pub(super) fn column_row(column: Column, about: &str, is_shown: bool) -> Row {
    Row::new(vec![
        Piece::of(Role::Accent, if is_shown { " ✓ " } else { "   " }),
        Piece::safe(Role::Text, pad(&SafeText::of(column.title()), 14)),
        Piece::of(Role::Dim, about),
    ])
}

pub(super) fn filter_row((name, text): &(String, String)) -> Row {
    Row::new(vec![
        Piece::safe(Role::KeyName, pad(&SafeText::of(&format!("  & {name}")), 21)),
        Piece::of(Role::Text, text),
    ])
}

/// A key with its other names.
pub(super) fn key_help(key: &KeyRow) -> String {
    format!("{}: {}", key.keys.join(" "), key.help)
}

/// A line below the list on what the cursor is on.
pub(super) fn help_row(text: &str) -> Row {
    Row::new(vec![Piece::of(Role::Border, " ┊ "), Piece::of(Role::Text, text)])
}

/// The row of a place that the prompt names.
pub(super) fn go_to_row(typed: &str, help: &str) -> Row {
    Row::new(vec![Piece::of(Role::KeyName, &format!(" {:<14}", typed.trim())), Piece::of(Role::Text, help)])
}

/// The row of what is not a list of its own: headings, keys, steps to go to.
pub(super) fn row(item: MenuItem, width: usize) -> Row {
    match item {
        MenuItem::Section(name) => Row::text(Role::Title, &format!(" {name}")),
        MenuItem::Reader(_) | MenuItem::GoToTime(_) | MenuItem::GoToPath | MenuItem::Filter(_) => Row::default(),
        MenuItem::Mouse(_) | MenuItem::Openable(_) => Row::default(),
        MenuItem::Column(_) | MenuItem::NewColumn | MenuItem::Template(_) | MenuItem::Field(_) => Row::default(),
        MenuItem::GoTo(step) => Row::new(vec![
            Piece::of(Role::Text, " "),
            Piece::of(Role::KeyName, &format!("{step:<14}")),
            Piece::of(Role::Text, &format!("Go to step {step}.")),
        ]),
        MenuItem::Key(row) => key_row(row, width),
        MenuItem::Sign(sign) => {
            let (indent, cells) = match width {
                BOTH_CELLS.. => ("  ", SIGN_CELLS),
                HELP_CELLS.. => ("  ", NARROW_SIGN_CELLS),
                _ => (" ", NARROW_KEY_CELLS),
            };
            let text = Piece::of(sign.role, sign.text);
            let cells = cells.max(text.width()) + 1;
            let gap = Piece::of(Role::Text, &" ".repeat(cells - text.width()));
            // In a narrow list the sentence is below, as those of keys do.
            let room = if width < HELP_CELLS { width.saturating_sub(indent.len() + cells) } else { usize::MAX };
            let about = cut(&SafeText::literal(sign.about), room);
            let about = Piece::safe(Role::Dim, about);
            Row::new(vec![Piece::of(Role::Text, indent), text, gap, about])
        }
    }
}

/// What is done with the mouse; in a narrow list the sentence on it is below.
pub(super) fn gesture_row((gesture, about): (&str, &str), width: usize) -> Row {
    let gesture = Piece::safe(Role::KeyName, pad(&SafeText::of(gesture), 18));
    let about = Piece::of(Role::Dim, if width >= HELP_CELLS { about } else { "" });
    Row::new(vec![Piece::of(Role::Text, "  "), gesture, Piece::of(Role::Text, " "), about])
}

/// A key: all its names with the sentence; where that would be cut to nothing, the first name and the few words of the
/// footer say more.
fn key_row(row: &KeyRow, cells: usize) -> Row {
    if cells < HELP_CELLS {
        let key = SafeText::of(row.key());
        let key = pad(&key, width(key.as_str()).max(NARROW_KEY_CELLS));
        return Row::new(vec![
            Piece::of(Role::Text, " "),
            Piece::safe(Role::KeyName, key),
            Piece::of(Role::Text, &format!(" {}", row.label)),
        ]);
    }
    let key = pad(&SafeText::of(&row.keys.join(" ")), if cells >= BOTH_CELLS { 18 } else { 13 });
    let mut left = vec![Piece::of(Role::Text, "  "), Piece::safe(Role::KeyName, key), Piece::of(Role::Text, " ")];
    if cells >= BOTH_CELLS {
        left.push(Piece::safe(Role::Text, pad(&SafeText::literal(row.label), 30)));
    }
    left.push(Piece::of(if cells >= BOTH_CELLS { Role::Dim } else { Role::Text }, row.help));
    Row::new(left)
}
