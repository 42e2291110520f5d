//! What is known of a file that something still writes: whether the view stays at its newest step, what came lately,
//! what is unfinished at its end. Times are texts of the clock that come with messages: nothing here ticks.

use crate::model::{HEAD, Place, StepNo};

/// What [`LiveTail::stale`] says of a file that is not there yet.
pub const AWAITED: &str = "waiting for the file";

/// Whether the view stays at the newest step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Follow {
    /// Nobody asked for it. It turns on when steps arrive while the cursor is on the last one.
    #[default]
    Off,
    /// The view stays there.
    On,
    /// The view stayed there until the cursor moved or a watch stopped it.
    Paused {
        /// Number of steps at the time of the pause.
        count: usize,
        /// Whether a watch stopped it; going on then stops at the next hit.
        is_stop: bool,
    },
}

/// A line without its end, or a document that goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// Where it is.
    pub place: Place,
    /// Time of the day at which it was first seen.
    pub since: String,
}

impl Pending {
    /// How much there is so far, and since when (T11).
    #[must_use]
    pub fn describe(&self) -> String {
        let size = super::value::size_text(self.place.span.len);
        let (number, unit) = size.split_once(' ').unwrap_or((&size, ""));
        // Tenths matter to nobody who waits, and would be cut off in a narrow list.
        let whole = number.split_once('.').map_or(number, |(whole, _)| whole);
        format!("receiving {whole} {unit} since {}", self.since)
    }
}

/// The newest end of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveTail {
    /// Whether the view stays at the newest step.
    pub follow: Follow,
    /// Watches stop the view at what happens after this step.
    pub after: StepNo,
    /// The first of the steps that are highlighted as new.
    pub fresh: Option<StepNo>,
    /// The first of the steps that arrived while others were highlighted, since the last [`LiveTail::fade`].
    newer: Option<StepNo>,
    /// What is at the end and is not a record yet.
    pub pending: Option<Pending>,
    /// Whether the view was put on the last step, as the one before is no more: a cursor that did not go there does not
    /// follow.
    pub is_put: bool,
    /// Time of the day at which the input was last heard of.
    pub heard: Option<String>,
    /// Whether nothing came for a moment.
    pub is_quiet: bool,
    /// Why what is shown is not simply the file: `gone`, `truncated`.
    pub stale: Option<&'static str>,
    /// Time of the day since which the file is gone or cannot be read (R22).
    pub stale_since: Option<String>,
    /// Whether the file is looked at again and again, as the file system reports no changes (R20).
    pub is_polling: bool,
    /// Steps known when this was last looked at; None until all that was in the input is there.
    pub known: Option<usize>,
}

impl Default for LiveTail {
    fn default() -> Self {
        Self {
            follow: Follow::Off,
            after: HEAD - 1,
            fresh: None,
            newer: None,
            pending: None,
            is_put: false,
            heard: None,
            is_quiet: false,
            stale: None,
            stale_since: None,
            is_polling: false,
            known: None,
        }
    }
}

impl LiveTail {
    /// Another trajectory is shown: what belongs to the input stays.
    pub fn reset(&mut self) {
        let follow = if self.follow == Follow::On { Follow::On } else { Follow::Off };
        let (stale, stale_since, is_polling) = (self.stale, self.stale_since.take(), self.is_polling);
        *self = Self { follow, after: self.after, stale, stale_since, is_polling, ..Self::default() };
    }

    /// Takes that the file is gone or cannot be read; the time counts from when that began.
    pub fn set_stale(&mut self, word: &'static str, clock: String) {
        if self.stale != Some(word) || self.stale_since.is_none() {
            self.stale_since = Some(clock);
        }
        self.stale = Some(word);
    }

    /// The input is read again from its start. `is_other`: it has other content, so counts of earlier steps are void.
    pub fn renew(&mut self, is_other: bool) {
        (self.fresh, self.newer) = (None, None);
        if is_other {
            self.known = None;
            // All of it is new to a reader of the old one.
            if let Follow::Paused { is_stop, .. } = self.follow {
                self.follow = Follow::Paused { count: 0, is_stop };
            }
            self.after = HEAD;
        }
    }

    /// Called when the view moved to a step: leaving the last step pauses, reaching it goes on.
    pub fn moved(&mut self, step: StepNo, last: StepNo, count: usize) {
        self.is_put = false;
        match self.follow {
            Follow::On if step < last => self.follow = Follow::Paused { count, is_stop: false },
            Follow::Paused { .. } if step >= last => (self.follow, self.after) = (Follow::On, last),
            _ => {}
        }
    }

    /// Pauses or goes on, as a key asks. Returns whether the view follows now.
    pub fn toggle(&mut self, last: StepNo, count: usize) -> bool {
        match self.follow {
            Follow::On => self.follow = Follow::Paused { count, is_stop: false },
            // What a watch stopped goes on after that stop, so that no further one is jumped over.
            Follow::Paused { is_stop: true, .. } => self.follow = Follow::On,
            _ => (self.follow, self.after) = (Follow::On, last),
        }
        self.follow == Follow::On
    }

    /// A watch stops the view at a step.
    pub fn stop_at(&mut self, step: StepNo, count: usize) {
        self.after = step;
        self.follow = Follow::Paused { count, is_stop: true };
    }

    /// Called when the input has grown to `count` steps; `step` is the one in focus. Returns whether steps begin to be
    /// highlighted, so that the caller has to schedule [`LiveTail::fade`].
    pub fn grow(&mut self, count: usize, step: StepNo, (is_complete, is_live): (bool, bool)) -> bool {
        let Some(known) = self.known else {
            self.known = is_complete.then_some(count);
            return false;
        };
        if count < known && !is_complete {
            // The input is being read again and has not reached the steps known before.
            return false;
        }
        self.known = Some(count);
        if count <= known {
            return false;
        }
        let last = StepNo::try_from(known).unwrap_or(StepNo::MAX) - 1;
        if self.follow == Follow::Off && !self.is_put && is_live && step == last.max(0) {
            (self.follow, self.after) = (Follow::On, last);
        }
        self.is_quiet = false;
        if self.fresh.is_some() {
            self.newer.get_or_insert(last + 1);
            return false;
        }
        self.fresh = Some(last + 1);
        true
    }

    /// Ends the highlight of new steps; those that arrived during it are highlighted next. Returns whether there are
    /// any.
    pub fn fade(&mut self) -> bool {
        self.fresh = self.newer.take();
        self.is_quiet = self.fresh.is_none();
        !self.is_quiet
    }

    /// Sets the unfinished record at the end of the input; `clock` is the time of the day.
    pub fn ends(&mut self, pending: Option<Place>, clock: &str) {
        let before = self.pending.take();
        self.pending = pending.filter(|place| place.span.len > 0).map(|place| {
            let same = before.filter(|before| before.place.span.offset == place.span.offset);
            Pending { place, since: same.map_or_else(|| clock.to_owned(), |before| before.since) }
        });
        self.heard = Some(clock.to_owned());
    }

    /// Steps that came since the view was paused.
    #[must_use]
    pub fn waiting(&self, count: usize) -> Option<usize> {
        match self.follow {
            Follow::Paused { count: then, .. } => Some(count.saturating_sub(then)),
            _ => None,
        }
    }

    /// Whether a step came a moment ago.
    #[must_use]
    pub fn is_fresh(&self, step: StepNo) -> bool {
        self.fresh.is_some_and(|first| step >= first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Span;

    fn live(count: usize) -> LiveTail {
        LiveTail { known: Some(count), ..LiveTail::default() }
    }

    #[test]
    fn who_stands_on_the_last_step_follows() {
        let mut there = live(4);
        assert!(there.grow(6, 3, (true, true)));
        assert_eq!((there.follow, there.after, there.fresh), (Follow::On, 3, Some(4)));
        let mut elsewhere = live(4);
        elsewhere.grow(6, 2, (true, true));
        assert_eq!((elsewhere.follow, elsewhere.fresh), (Follow::Off, Some(4)));
        let mut empty = live(0);
        empty.grow(1, 0, (true, true));
        assert_eq!(empty.follow, Follow::On);
        let mut opening = LiveTail::default();
        assert!(!opening.grow(10, 9, (false, true)) && !opening.grow(12, 9, (true, true)));
        assert_eq!((opening.follow, opening.known), (Follow::Off, Some(12)));
    }

    #[test]
    fn what_is_read_anew_is_not_new() {
        let mut again = live(4);
        again.renew(false);
        assert!(!again.grow(2, 0, (false, true)) && !again.grow(4, 0, (true, true)));
        assert!(again.grow(5, 0, (true, true)));
        let mut rewritten = live(1);
        rewritten.renew(false);
        rewritten.grow(2, 0, (true, true));
        assert_eq!((rewritten.follow, rewritten.fresh), (Follow::On, Some(1)));
        rewritten.renew(true);
        assert!(!rewritten.grow(9, 1, (true, true)));
    }

    #[test]
    fn moving_away_pauses_and_counts() {
        let mut live = live(4);
        live.grow(5, 3, (true, true));
        live.moved(2, 4, 5);
        assert_eq!(live.waiting(5), Some(0));
        live.grow(42, 2, (true, true));
        assert_eq!(live.waiting(42), Some(37));
        live.moved(40, 41, 42);
        assert_eq!(live.waiting(42), Some(37));
        live.moved(41, 41, 42);
        assert_eq!((live.follow, live.waiting(42)), (Follow::On, None));
        assert!(!live.toggle(41, 42));
        live.grow(43, 41, (true, true));
        assert_eq!(live.waiting(43), Some(1), "asked for a pause on the last step, it is one");
        assert!(live.toggle(42, 43));
    }

    #[test]
    fn what_a_watch_stopped_goes_on_behind_it() {
        let mut live = live(4);
        live.grow(10, 3, (true, true));
        live.stop_at(5, 10);
        assert!(live.toggle(9, 10));
        assert_eq!(live.after, 5);
        live.moved(3, 9, 10);
        live.toggle(9, 10);
        assert_eq!(live.after, 9);
    }

    #[test]
    fn under_a_steady_stream_only_the_last_moments_stand_out() {
        let mut live = live(4);
        assert!(live.grow(6, 0, (true, true)) && !live.grow(7, 0, (true, true)) && !live.grow(8, 0, (true, true)));
        assert!(live.fade() && !live.is_quiet);
        assert_eq!(live.fresh, Some(6));
        assert!(!live.fade() && live.is_quiet);
        assert_eq!(live.fresh, None);
        assert!(live.grow(9, 0, (true, true)));
    }

    #[test]
    fn an_unfinished_line_keeps_its_time() {
        let at = |offset, len| Some(Place { span: Span { offset, len }, line: 1 });
        let mut live = live(1);
        live.ends(at(10, 5), "14:32:05");
        live.ends(at(10, 900), "14:33:00");
        assert_eq!(live.pending.as_ref().map(|p| (p.place.span.len, p.since.as_str())), Some((900, "14:32:05")));
        live.ends(at(910, 1), "14:34:00");
        assert_eq!(live.pending.as_ref().map(|p| p.since.as_str()), Some("14:34:00"));
        live.ends(at(911, 0), "14:35:00");
        assert_eq!((live.pending, live.heard.as_deref()), (None, Some("14:35:00")));
    }
}
