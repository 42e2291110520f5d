//! The titles of the inspector's tabs: as wide as there is room, the one in front always whole.

use super::keys::Tab;

/// Title of each tab in order, without the space before and behind it; the second is how much space stands behind.
#[must_use]
pub fn titles(cells: usize, front: Tab, is_raw: bool) -> (Vec<(Tab, &'static str)>, usize) {
    let whole = |tab: Tab, name: &'static str| match tab {
        Tab::Message if tab == front && is_raw => "Raw    ",
        _ => name,
    };
    let all: Vec<(Tab, &'static str)> = Tab::ALL.iter().map(|&(tab, name)| (tab, whole(tab, name))).collect();
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
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tab_in_front_is_whole_at_every_width() {
        let text = |cells, front| titles(cells, front, false).0.iter().map(|(_, name)| *name).collect::<Vec<_>>();
        for (tab, name) in Tab::ALL {
            for cells in 20..80 {
                let titles = text(cells, tab);
                assert!(titles.contains(&name), "{titles:?}");
                let width: usize = titles.iter().map(|name| name.len() + 1).sum();
                assert!(width <= cells || titles.iter().all(|t| t.len() == 1 || *t == name), "{cells}: {titles:?}");
            }
        }
        assert_eq!(text(80, Tab::Diff)[0], "Message");
        assert_eq!(text(38, Tab::Diff)[0], "Msg");
    }
}
