//! The titles of the inspector's tabs: as wide as there is room, the one in front always whole.

use super::pane::{Tab, Title};
use super::{App, Pane};
use crate::panes::Piece;
use crate::text::Role;

/// The titles, as they fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Titles {
    /// The tabs in order, each with what it is called.
    pub tabs: Vec<(Tab, &'static str)>,
    /// Spaces behind each title.
    pub space: usize,
    /// Whether the key of each tab stands before its title.
    pub has_keys: bool,
}

impl Titles {
    /// Cells of a title, with the space before and behind it.
    #[must_use]
    pub fn cells(&self, title: &str) -> usize {
        1 + if self.has_keys { 2 } else { 0 } + title.len() + self.space
    }

    fn width(&self) -> usize {
        self.tabs.iter().map(|(_, title)| self.cells(title)).sum()
    }
}

/// The titles of the tabs for what is open.
#[must_use]
pub fn titles(app: &App) -> Titles {
    let front = app.inspector.tab;
    let is_shown = |tab: &Tab| *tab == front || tab.row().content.is_offered(app);
    let shown = Tab::ALL.iter().copied().filter(is_shown);
    let title = |tab: Tab| (tab, tab.row().content.name(app, tab == front).unwrap_or(tab.row().title));
    fitted(app.pane_extent(Pane::Inspector).width, front, shown.map(title).collect())
}

/// The titles as they are painted; `role` is that of the one in front.
#[must_use]
pub fn line(app: &App, role: Role) -> Vec<Piece> {
    let titles = titles(app);
    let space = " ".repeat(titles.space);
    let pieces = titles.tabs.iter().flat_map(|(tab, name)| {
        let before = if titles.has_keys { format!(" {} ", key(*tab)) } else { " ".to_owned() };
        let role = if *tab == app.inspector.tab { role } else { Role::Dim };
        [Piece::of(Role::Dim, &before), Piece::of(role, name), Piece::of(Role::Text, &space)]
    });
    pieces.collect()
}

/// The key of a tab.
#[must_use]
pub fn key(tab: Tab) -> &'static str {
    let row = super::keys::KEYS.iter().find(|row| row.action == super::keys::Action::Tab(tab));
    row.and_then(|row| row.keys.first()).copied().unwrap_or("")
}

fn fitted(cells: usize, front: Tab, all: Vec<(Tab, Title)>) -> Titles {
    let cut = |shorten: fn(Tab, Title) -> &'static str| -> Vec<(Tab, &'static str)> {
        all.iter().map(|&(tab, name)| (tab, if tab == front { name.0 } else { shorten(tab, name) })).collect()
    };
    let whole = cut(|_, (whole, _)| whole);
    let short = cut(|_, (_, short)| short);
    let shortest = cut(|_, title| shortest(title));
    let ways = [
        (&whole, 1, true),
        (&whole, 0, true),
        (&short, 0, true),
        (&shortest, 0, true),
        (&whole, 0, false),
        (&short, 0, false),
        (&shortest, 0, false),
    ];
    let ways = ways.map(|(tabs, space, has_keys)| Titles { tabs: tabs.clone(), space, has_keys });
    let found = ways.into_iter().find(|titles| titles.width() <= cells);
    found.unwrap_or_else(|| Titles { tabs: cut(|tab, _| key(tab)), space: 0, has_keys: false })
}

/// Cells of the shortest titles.
const SHORTEST: usize = 3;

/// The three letters by which a title is still known.
fn shortest((whole, short): Title) -> &'static str {
    if short.len() <= SHORTEST { short } else { whole.get(..SHORTEST).unwrap_or(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tab_in_front_is_whole_at_every_width() {
        // File and Merge have one key: they never stand beside each other.
        let shown = || Tab::ALL.iter().filter(|tab| **tab != Tab::Merge);
        let all = || shown().map(|tab| (*tab, tab.row().title)).collect::<Vec<_>>();
        let text = |cells, front| fitted(cells, front, all()).tabs.iter().map(|(_, name)| *name).collect::<Vec<_>>();
        for (tab, (name, _)) in all() {
            for cells in 20..80 {
                let titles = text(cells, tab);
                assert!(titles.contains(&name), "{titles:?}");
                let width: usize = titles.iter().map(|name| name.len() + 1).sum();
                assert!(width <= cells || titles.iter().all(|t| t.len() == 1 || *t == name), "{cells}: {titles:?}");
            }
        }
        assert_eq!(text(80, Tab::Diff)[0], "Message");
        assert_eq!(text(44, Tab::Diff)[0], "Msg");
    }
}
