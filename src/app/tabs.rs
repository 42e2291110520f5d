//! The titles of the inspector's tabs: as wide as there is room, the one in front always whole.

use super::keys::Tab;
use super::{App, Pane};

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
    let has_plans = app.session.format.plan_title().is_some();
    let front = app.inspector.tab;
    let is_shown = |tab: Tab| match tab {
        Tab::Plan => has_plans,
        Tab::Loss => has_loss(app),
        Tab::Merge => app.session.format.merges(),
        _ => true,
    };
    let shown = Tab::ALL.iter().map(|(tab, _)| *tab).filter(|tab| *tab == front || is_shown(*tab));
    fitted(app.pane_extent(Pane::Inspector).width, front, shown.map(|tab| (tab, name(app, tab))).collect())
}

/// The key of a tab.
#[must_use]
pub fn key(tab: Tab) -> &'static str {
    let row = super::keys::KEYS.iter().find(|row| row.action == super::keys::Action::Tab(tab));
    row.and_then(|row| row.keys.first()).copied().unwrap_or("")
}

/// Whether the records that are open can be conversations.
#[must_use]
pub fn has_loss(app: &App) -> bool {
    app.session.format.has_conversations()
}

/// What a tab is called for what is open.
#[must_use]
pub fn name(app: &App, tab: Tab) -> &'static str {
    match tab {
        Tab::Message if tab == app.inspector.tab && app.inspector.file.is_some() => "File   ",
        Tab::Message if tab == app.inspector.tab && app.inspector.is_raw => "Raw    ",
        Tab::Llm if tab == app.inspector.tab && app.inspector.has_raw_messages => "LLM unmerged",
        Tab::Plan => app.session.format.plan_title().unwrap_or("Plan"),
        _ => Tab::ALL.iter().find(|(t, _)| *t == tab).map_or("", |(_, name)| name),
    }
}

fn fitted(cells: usize, front: Tab, all: Vec<(Tab, &'static str)>) -> Titles {
    let cut = |shorten: fn(Tab, &'static str) -> &'static str| -> Vec<(Tab, &'static str)> {
        all.iter().map(|&(tab, name)| (tab, if tab == front { name } else { shorten(tab, name) })).collect()
    };
    let short = cut(|_, name| short(name));
    let shortest = cut(|_, name| shortest(name));
    let ways = [
        (&all, 1, true),
        (&all, 0, true),
        (&short, 0, true),
        (&all, 0, false),
        (&shortest, 0, true),
        (&short, 0, false),
        (&shortest, 0, false),
    ];
    let ways = ways.map(|(tabs, space, has_keys)| Titles { tabs: tabs.clone(), space, has_keys });
    let found = ways.into_iter().find(|titles| titles.width() <= cells);
    found.unwrap_or_else(|| Titles { tabs: cut(|tab, _| key(tab)), space: 0, has_keys: false })
}

/// A title where not all have room.
fn short(name: &'static str) -> &'static str {
    match name {
        "Message" => "Msg",
        "Schema" => "Sch",
        "History" => "Hist",
        "Findings" => "Find",
        "Contracts" => "Contr",
        name => name,
    }
}

/// The three letters by which a title is still known.
fn shortest(name: &'static str) -> &'static str {
    name.get(..3).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tab_in_front_is_whole_at_every_width() {
        let text = |cells, front| {
            fitted(cells, front, Tab::ALL.to_vec()).tabs.iter().map(|(_, name)| *name).collect::<Vec<_>>()
        };
        for (tab, name) in Tab::ALL {
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
