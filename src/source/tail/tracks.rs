//! The followed paths, and which of them need attention: of a hundred thousand files a turn visits only those that are
//! open, due or restless (T18, R15).

use super::track::Track;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::ops::Bound;

/// All paths, by the path below the folder; of a file or stream the only one is nameless.
#[derive(Default)]
pub(super) struct Tracks {
    all: BTreeMap<OsString, Box<Track>>,
    /// Those that there may be something to read of.
    due: BTreeSet<OsString>,
    /// Those that hold a handle.
    open: BTreeSet<OsString>,
    /// Those that want a look even if nobody names them.
    restless: BTreeSet<OsString>,
    handles: usize,
}

impl Tracks {
    /// One path alone.
    pub(super) fn one(track: Track) -> Self {
        let mut tracks = Self::default();
        tracks.add(OsString::new(), || track);
        tracks
    }

    /// Adds a path, of which nothing is open yet, if it is not there.
    pub(super) fn add(&mut self, name: OsString, track: impl FnOnce() -> Track) {
        if !self.all.contains_key(&name) {
            self.all.insert(name.clone(), Box::new(track()));
            self.with(&name, |_| ());
        }
    }

    /// Works on one path, and notes what it needs from then on.
    pub(super) fn with<R>(&mut self, name: &OsStr, work: impl FnOnce(&mut Track) -> R) -> Option<R> {
        let track = self.all.get_mut(name)?;
        let before = track.handles();
        let result = work(track);
        self.handles = self.handles + track.handles() - before;
        for (set, is_in) in [
            (&mut self.due, track.is_due),
            (&mut self.open, track.handles() > 0),
            (&mut self.restless, track.is_restless()),
        ] {
            if !is_in {
                set.remove(name);
            } else if !set.contains(name) {
                set.insert(name.to_owned());
            }
        }
        Some(result)
    }

    pub(super) fn get(&self, name: &OsStr) -> Option<&Track> {
        self.all.get(name).map(Box::as_ref)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Track> {
        self.all.values().map(Box::as_ref)
    }

    /// All names, in order.
    pub(super) fn names(&self) -> Vec<OsString> {
        self.all.keys().cloned().collect()
    }

    /// Those that want a look even if nobody names them.
    pub(super) fn restless(&self) -> impl Iterator<Item = (&OsString, &Track)> {
        self.restless.iter().filter_map(|name| Some((name, self.get(name)?)))
    }

    /// The next after a name, around the end, of which there may be something to read.
    pub(super) fn next_due(&self, after: &OsStr) -> Option<OsString> {
        let later = self.due.range::<OsStr, _>((Bound::Excluded(after), Bound::Unbounded)).next();
        later.or_else(|| self.due.first()).cloned()
    }

    pub(super) fn has_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// How many handles they hold.
    pub(super) fn handles(&self) -> usize {
        self.handles
    }

    /// Closes the files that rested longest, until `left` handles are left.
    pub(super) fn close_resting(&mut self, left: usize) {
        let excess = self.handles.saturating_sub(left);
        let open = self.open.iter().filter_map(|name| Some((name, self.get(name)?)));
        let mut resting: Vec<_> = open
            .filter(|(_, track)| track.can_rest())
            .map(|(name, track)| (track.last_growth(), name.clone()))
            .collect();
        resting.sort();
        for (_, name) in resting.into_iter().take(excess) {
            self.with(&name, Track::close);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Input;
    use std::time::Instant;

    /// R15: which paths need a visit is known without a look at the others.
    #[test]
    fn paths_take_turns_until_nothing_is_due() {
        let mut tracks = Tracks::default();
        for name in ["a", "b", "c"] {
            tracks.add(name.into(), || Track::stream(Input::memory(name, "{}\n")));
            tracks.add(name.into(), || panic!("it is there"));
        }
        let next = |tracks: &Tracks, after: &str| tracks.next_due(OsStr::new(after)).map(|n| n.into_string().unwrap());
        assert_eq!((next(&tracks, ""), next(&tracks, "b")), (Some("a".into()), Some("c".into())));
        assert_eq!(next(&tracks, "c").as_deref(), Some("a"), "around the end");
        let mut ended = 0;
        while let Some(name) = tracks.next_due(OsStr::new("")) {
            tracks.with(&name, |track| track.read(Instant::now(), &mut |_, _| ended += 1));
        }
        assert!(!tracks.has_due() && ended == 3);
        assert_eq!((tracks.handles(), tracks.restless().count(), tracks.names().len()), (0, 0, 3));
    }
}
