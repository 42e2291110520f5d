//! The titles of the inspector's tabs: as wide as there is room, the one in front always whole.

use super::keys::Tab;
use super::{App, Pane};

/// Title of each tab in order, without the space before and behind it; the second is how much space stands behind.
#[must_use]
pub fn titles(app: &App) -> (Vec<(Tab, &'static str)>, usize) {
    let has_plans = app.session.format.plan_title().is_some();
    let front = app.inspector.tab;
    let is_shown = |tab: Tab| match tab {
        Tab::Plan => has_plans,
        Tab::Loss => has_loss(app),
        _ => true,
    };
    let shown = Tab::ALL.iter().map(|(tab, _)| *tab).filter(|tab| *tab == front || is_shown(*tab));
    fitted(app.pane_extent(Pane::Inspector).width, front, shown.map(|tab| (tab, name(app, tab))).collect())
}

/// Whether the records that are open can be conversations.
#[must_use]
pub fn has_loss(app: &App) -> bool {
    app.session.format.name() == "adp"
}

/// What a tab is called for what is open.
#[must_use]
pub fn name(app: &App, tab: Tab) -> &'static str {
    match tab {
        Tab::Message if tab == app.inspector.tab && app.inspector.file.is_some() => "File   ",
        Tab::Message if tab == app.inspector.tab && app.inspector.is_raw => "Raw    ",
        Tab::Plan => app.session.format.plan_title().unwrap_or("Plan"),
        _ => Tab::ALL.iter().find(|(t, _)| *t == tab).map_or("", |(_, name)| name),
    }
}

fn fitted(cells: usize, front: Tab, all: Vec<(Tab, &'static str)>) -> (Vec<(Tab, &'static str)>, usize) {
    let width = |titles: &[(Tab, &str)]| titles.iter().map(|(_, name)| name.len() + 1).sum::<usize>();
    if width(&all) + all.len() <= cells {
        return (all, 1);
    }
    if width(&all) <= cells {
        return (all, 0);
    }
    let cut = |shorten: fn(usize, &'static str) -> &'static str| -> Vec<(Tab, &'static str)> {
        let title = |(i, (tab, name)): (usize, &(Tab, &'static str))| {
            if *tab == front { (*tab, *name) } else { (*tab, shorten(i, name)) }
        };
        all.iter().enumerate().map(title).collect()
    };
    let short = cut(|_, name| short(name));
    if width(&short) <= cells { (short, 0) } else { (cut(|i, _| KEYS.get(i).copied().unwrap_or("")), 0) }
}

/// The keys of the tabs.
const KEYS: [&str; 9] = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tab_in_front_is_whole_at_every_width() {
        let text =
            |cells, front| fitted(cells, front, Tab::ALL.to_vec()).0.iter().map(|(_, name)| *name).collect::<Vec<_>>();
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
