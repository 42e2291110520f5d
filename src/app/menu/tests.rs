//! Typing in a list.

use super::*;
use crate::app::{Pane, pane_contexts};

#[test]
fn typing_filters_and_numbers_go_to_steps() {
    let contexts = [Context::Steps, Context::Trajectory, Context::Global];
    let mut menu = Menu::new(MenuKind::Palette, Keymap::default(), &contexts);
    let all = menu.len();
    menu.prompt.insert("theme");
    menu.refresh(&contexts);
    assert!(menu.len() < all);
    assert!(matches!(menu.chosen().and_then(action_of), Some(Action::Theme)));
    menu.prompt.edit("C-u");
    menu.prompt.insert("12");
    menu.refresh(&contexts);
    assert!(matches!(menu.chosen(), Some(MenuItem::GoTo(12))));
}

#[test]
fn every_key_can_be_read_on_a_small_screen() {
    // The inside of the list at 40x12, below the line that is typed.
    let (width, height) = (38, 7);
    for pane in [Pane::Files, Pane::Table, Pane::Facets, Pane::Plot, Pane::Attempts, Pane::State, Pane::Watches] {
        let mut menu = Menu::help(Keymap::default(), &pane_contexts(pane), Vec::new());
        for at in 0..menu.len() {
            menu.choose(at);
            menu.settle(width, height);
            let window = menu.window(width, height);
            assert!(window.rows.len() <= height && window.rows.iter().any(|row| row.is_cursor));
            let text = |row: &crate::panes::Row| row.plain().trim().trim_start_matches("┊ ").to_owned();
            let row_texts: Vec<String> = window.rows.iter().map(text).collect();
            let cut = window.rows.iter().find(|row| row.overhang(width) > 0);
            assert!(cut.is_none(), "{:?}", cut.map(Row::plain));
            let whole = match menu.chosen() {
                Some(MenuItem::Key(row)) => row.help,
                Some(MenuItem::Mouse(number)) => menu.gesture(number).1,
                _ => continue,
            };
            assert!(row_texts.join(" ").contains(whole), "{whole}: {row_texts:?}");
        }
    }
}
