//! The titles of the inspector's tabs: as wide as there is room, the one in front never cut.

use super::pane::{Tab, Title};
use super::{App, Pane};
use crate::panes::Piece;
use crate::text::Role;

/// The titles, as they fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Titles {
    /// The tabs in order, each with what it is called.
    pub tabs: Vec<(Tab, &'static str)>,
    /// Spaces after each title.
    pub space: usize,
    /// Whether a space is between the key of a tab and its title.
    pub has_gap: bool,
}

impl Titles {
    /// Cells of a title, with the space before and after it.
    #[must_use]
    pub fn cells(&self, at: usize) -> usize {
        let (lead, gap) = self.spaces(at);
        lead + 1 + gap + self.tabs[at].1.len() + self.space
    }

    /// Spaces before the key of a tab, and between it and the title. Where there is no room for words, the key is all
    /// that is shown of a tab.
    fn spaces(&self, at: usize) -> (usize, usize) {
        let gap = usize::from(self.has_gap && !self.tabs[at].1.is_empty());
        (usize::from(self.has_gap || at > 0), gap)
    }

    fn width(&self) -> usize {
        (0..self.tabs.len()).map(|at| self.cells(at)).sum()
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
    let pieces = titles.tabs.iter().enumerate().flat_map(|(at, (tab, name))| {
        let (lead, gap) = titles.spaces(at);
        let before = format!("{}{}{}", " ".repeat(lead), key(app, *tab), " ".repeat(gap));
        let role = if *tab == app.inspector.tab { role } else { Role::Dim };
        [Piece::of(Role::Dim, &before), Piece::of(role, name), Piece::of(Role::Text, &space)]
    });
    pieces.collect()
}

/// The key of a tab.
#[must_use]
pub fn key(app: &App, tab: Tab) -> &'static str {
    app.keymap.key_of(super::keys::Action::Tab(tab))
}

fn fitted(cells: usize, front: Tab, all: Vec<(Tab, Title)>) -> Titles {
    let cut = |shorten: fn(Tab, Title) -> &'static str| -> Vec<(Tab, &'static str)> {
        all.iter().map(|&(tab, name)| (tab, if tab == front { name.0 } else { shorten(tab, name) })).collect()
    };
    let whole = cut(|_, (whole, _)| whole);
    let short = cut(|_, (_, short)| short);
    let three = cut(|_, title| letters(title, 3));
    // Three letters of all say more than two of all but one; a title of two words says how its tab shows things.
    let of_front = |(whole, short): Title| if whole.contains(' ') { whole } else { short };
    let front_short =
        all.iter().map(|&(tab, name)| (tab, if tab == front { of_front(name) } else { letters(name, 3) }));
    let front_short = front_short.collect::<Vec<_>>();
    let two = cut(|_, title| letters(title, 2));
    let ways = [
        (&whole, 1, true),
        (&whole, 0, true),
        (&short, 0, true),
        (&three, 0, true),
        (&three, 0, false),
        (&front_short, 0, false),
        (&two, 0, false),
    ];
    let ways = ways.map(|(tabs, space, has_gap)| Titles { tabs: tabs.clone(), space, has_gap });
    let found = ways.into_iter().find(|titles| titles.width() <= cells);
    found.unwrap_or_else(|| Titles { tabs: cut(|_, _| ""), space: 0, has_gap: true })
}

/// The few letters by which a title is still known.
fn letters((whole, short): Title, most: usize) -> &'static str {
    if short.len() <= most { short } else { whole.get(..most).unwrap_or(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tab_in_front_is_not_cut_at_any_width() {
        // File and Merge have one key: they are never beside each other.
        let shown = || Tab::ALL.iter().filter(|tab| **tab != Tab::Merge);
        let all = || shown().map(|tab| (*tab, tab.row().title)).collect::<Vec<_>>();
        let text = |cells, front| fitted(cells, front, all()).tabs.iter().map(|(_, name)| *name).collect::<Vec<_>>();
        for (tab, (name, short)) in all() {
            for cells in 20..80 {
                let titles = text(cells, tab);
                assert!(titles.contains(&name) || titles.contains(&short), "{titles:?}");
                let width = fitted(cells, tab, all()).width();
                assert!(width <= cells || titles.iter().all(|t| t.is_empty() || *t == name), "{cells}: {titles:?}");
            }
        }
        assert_eq!(text(80, Tab::Diff)[0], "Message");
        assert_eq!(text(56, Tab::Diff)[0], "Msg");
        assert_eq!(text(44, Tab::Message)[..3], ["Msg", "LLM", "Sch"]);
        assert_eq!((text(38, Tab::Diff)[0], text(28, Tab::Diff)[0]), ("Me", ""), "the keys stay");
    }
}
