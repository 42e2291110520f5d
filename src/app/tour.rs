//! The guided tour of the demo: five things to try, one after the other, in the footer. Doing one shows the next; Esc
//! ends it.

use super::keys::{Action, Keymap};
use super::pane::Tab;
use crate::panes::Piece;
use crate::text::Role;

/// A thing to try.
struct Stop {
    /// What there is to see, before the key.
    before: &'static str,
    /// What to do, by the key that does it.
    action: Action,
    /// What the key does.
    after: &'static str,
    /// Whether an action is what was to be tried.
    is_done: fn(Action) -> bool,
}

static STOPS: [Stop; 5] = [
    Stop {
        before: "She asks who set her budget to nothing.",
        action: Action::WritePrevious,
        after: "goes to the step that wrote it",
        is_done: |action| matches!(action, Action::WritePrevious | Action::Follow),
    },
    Stop {
        before: "Step 41: quoteHotel wrote null.",
        action: Action::Tab(Tab::History),
        after: "lists every write of the value",
        is_done: |action| action == Action::Tab(Tab::History),
    },
    Stop {
        before: "Three times 1500, then null. Why?",
        action: Action::ErrorPrevious,
        after: "goes back to the failure before",
        is_done: |action| action == Action::ErrorPrevious,
    },
    Stop {
        before: "The exchange rate had timed out.",
        action: Action::StepNext,
        after: "and , step forward and back",
        is_done: |action| matches!(action, Action::StepNext | Action::StepPrevious),
    },
    Stop {
        before: "That is all it takes.",
        action: Action::Help,
        after: "shows every key, / searches, q quits",
        is_done: |action| matches!(action, Action::Help | Action::Search),
    },
];

/// Where a tour is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tour {
    at: usize,
}

impl Tour {
    /// Hears of an action, and whether it led to another step; the tour that goes on, if it does.
    #[must_use]
    pub(super) fn after(self, action: Action, has_moved: bool) -> Option<Self> {
        if action == Action::Follow && !has_moved {
            return Some(self);
        }
        let at = match STOPS.get(self.at) {
            // What the current thing does, or the next one. Later ones are keys that are pressed for other reasons.
            Some(_) => {
                STOPS.iter().skip(self.at).take(2).position(|stop| (stop.is_done)(action)).map(|by| self.at + by + 1)
            }
            None => None,
        };
        match (action, at) {
            (Action::Cancel, _) => None,
            (_, Some(at)) => (at < STOPS.len()).then_some(Self { at }),
            (_, None) => Some(self),
        }
    }

    /// The line of the footer.
    #[must_use]
    pub(super) fn pieces(self, keymap: Keymap) -> Vec<Piece> {
        let Some(stop) = STOPS.get(self.at) else { return Vec::new() };
        vec![
            Piece::of(Role::Accent, &format!(" {}/{} ", self.at + 1, STOPS.len())),
            Piece::of(Role::Text, &format!("{} ", stop.before)),
            Piece::of(Role::KeyName, keymap.key_of(stop.action)),
            Piece::of(Role::Text, &format!(" {}", stop.after)),
            Piece::of(Role::Dim, &format!("  {} ends the tour", keymap.key_of(Action::Cancel))),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panes::row::pieces_width;

    #[test]
    fn each_step_leads_to_the_next_and_esc_ends_it() {
        let mut tour = Tour::default();
        for action in [Action::WritePrevious, Action::Tab(Tab::History), Action::ErrorPrevious, Action::StepPrevious] {
            assert_eq!(tour.after(Action::Down, true), Some(tour), "what is not asked for changes nothing");
            assert_eq!(tour.after(Action::Cancel, false), None);
            let next = tour.after(action, true).unwrap();
            assert_eq!(next.at, tour.at + 1);
            tour = next;
        }
        assert_eq!(tour.after(Action::Help, false), None, "the last ends it");
        assert_eq!(Tour::default().after(Action::Tab(Tab::History), false), Some(Tour { at: 2 }));
        assert_eq!(
            Tour::default().after(Action::StepNext, true),
            Some(Tour::default()),
            "a step on is not the fourth thing"
        );
    }

    #[test]
    fn a_step_fits_a_terminal_of_100_columns_and_its_keys_exist() {
        for (at, stop) in STOPS.iter().enumerate() {
            assert!(pieces_width(&Tour { at }.pieces(Keymap::default())) <= 100, "{at}");
            assert!((stop.is_done)(stop.action) && !Keymap::default().key_of(stop.action).is_empty());
        }
    }
}
