//! Typing in a list.

use super::*;

#[test]
fn typing_filters_and_numbers_go_to_steps() {
    let contexts = [Context::Steps, Context::Trajectory, Context::Global];
    let mut menu = Menu::new(MenuKind::Palette, &contexts);
    let all = menu.len();
    menu.prompt.insert("theme");
    menu.refresh(&contexts);
    assert!(menu.len() < all);
    assert!(matches!(menu.chosen().and_then(action_of), Some(Action::Theme)));
    menu.prompt.edit("C-u");
    menu.prompt.insert("12");
    menu.refresh(&contexts);
    assert!(matches!(menu.chosen(), Some(Item::GoTo(12))));
}
