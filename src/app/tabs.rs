//! The titles of the inspector's tabs: that of the one in front whole, those beside it as far as there is room, of the
//! others the key.

use super::pane::{Tab, Title};
use super::{App, Pane};
use crate::panes::Piece;
use crate::text::Role;
use std::ops::Range;

/// The titles, as they fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Titles {
    /// The tabs in order, each with its title; of one with an empty title only the key is shown.
    pub tabs: Vec<(Tab, &'static str)>,
    /// Spaces after each title.
    pub space: usize,
    /// Whether tabs before the first and after the last one have no room.
    pub is_cut: (bool, bool),
}

impl Titles {
    /// Cells before the first title.
    #[must_use]
    pub fn lead(&self) -> usize {
        usize::from(self.is_cut.0)
    }

    /// Cells of a title with its key, the space before and after it.
    #[must_use]
    pub fn cells(&self, at: usize) -> usize {
        2 + self.gap(at) + self.tabs[at].1.len() + self.space
    }

    /// Spaces between the key of a tab and its title.
    fn gap(&self, at: usize) -> usize {
        usize::from(!self.tabs[at].1.is_empty())
    }

    fn width(&self) -> usize {
        let cells = (0..self.tabs.len()).map(|at| self.cells(at)).sum::<usize>();
        cells + self.lead() + 2 * usize::from(self.is_cut.1)
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
    let titled = titles.tabs.iter().enumerate().flat_map(|(at, (tab, name))| {
        let before = format!(" {}{}", key(app, *tab), " ".repeat(titles.gap(at)));
        let role = if *tab == app.inspector.tab { role } else { Role::Dim };
        [Piece::of(Role::Dim, &before), Piece::of(role, name), Piece::of(Role::Text, &space)]
    });
    let before = titles.is_cut.0.then(|| Piece::of(Role::Dim, "‹"));
    let after = titles.is_cut.1.then(|| Piece::of(Role::Dim, " ›"));
    before.into_iter().chain(titled).chain(after).collect()
}

/// The key of a tab.
#[must_use]
pub fn key(app: &App, tab: Tab) -> &'static str {
    app.keymap.key_of(super::keys::Action::Tab(tab))
}

fn fitted(cells: usize, front: Tab, all: Vec<(Tab, Title)>) -> Titles {
    let titled = |title: fn(Title) -> &'static str, space| {
        let tabs = all.iter().map(|&(tab, name)| (tab, if tab == front { name.0 } else { title(name) })).collect();
        Titles { tabs, space, is_cut: (false, false) }
    };
    let ways = [titled(|(whole, _)| whole, 1), titled(|(whole, _)| whole, 0), titled(|(_, short)| short, 0)];
    if let Some(titles) = ways.into_iter().find(|titles| titles.width() <= cells) {
        return titles;
    }
    let mut titles = titled(|_| "", 0);
    let at = all.iter().position(|(tab, _)| *tab == front).unwrap_or(0);
    // A title of two words says how its tab shows things.
    if titles.width() > cells && !titles.tabs[at].1.contains(' ') {
        titles.tabs[at].1 = all[at].1.1;
    }
    if titles.width() > cells {
        return around(cells, at, titles);
    }
    // The nearest ones first, the right one of two.
    let mut others: Vec<usize> = (0..all.len()).filter(|other| *other != at).collect();
    others.sort_by_key(|other| (other.abs_diff(at), *other < at));
    for other in others {
        titles.tabs[other].1 = all[other].1.1;
        if titles.width() > cells {
            titles.tabs[other].1 = "";
            break;
        }
    }
    titles
}

/// The tab in front and the keys of as many beside it as have room, with a sign where there are more.
fn around(cells: usize, at: usize, all: Titles) -> Titles {
    let part = |tabs: Range<usize>| Titles {
        is_cut: (tabs.start > 0, tabs.end < all.tabs.len()),
        tabs: all.tabs[tabs].to_vec(),
        ..all.clone()
    };
    let mut shown = at..at + 1;
    loop {
        let after = shown.start..(shown.end + 1).min(all.tabs.len());
        let before = shown.start.saturating_sub(1)..shown.end;
        let has_more_before = at - shown.start >= shown.end - at;
        let sides = if has_more_before { [after, before] } else { [before, after] };
        let wider = sides.into_iter().find(|more| *more != shown && part(more.clone()).width() <= cells);
        match wider {
            Some(more) => shown = more,
            None => return part(shown),
        }
    }
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
                let titles = fitted(cells, tab, all());
                let named = titles.tabs.iter().filter(|(_, title)| !title.is_empty());
                assert!(titles.width() <= cells, "{cells}: {titles:?}");
                assert!(titles.tabs.iter().any(|(at, title)| *at == tab && [name, short].contains(title)));
                // No word is cut: a title is whole, is short, or is not there.
                assert!(named.clone().all(|(tab, title)| [tab.row().title.0, tab.row().title.1].contains(title)));
            }
        }
        assert_eq!(text(80, Tab::Diff)[0], "Message");
        assert_eq!(text(38, Tab::Diff), ["", "", "", "Hist", "Diff", "Find", "Plan", "", ""]);
        assert_eq!(text(28, Tab::Diff), ["", "", "", "", "Diff", "Find", "", "", ""], "the keys stay");
        let narrow = fitted(18, Tab::Diff, all());
        assert_eq!((narrow.tabs.len(), narrow.is_cut), (5, (true, true)), "{narrow:?}");
    }
}
