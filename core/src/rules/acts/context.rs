//! The context at every step, and how a later envelope is aligned with it (A4).

use super::digest::MessageDigest;
use crate::model::StepNo;
use crate::model::cast;
use std::collections::BTreeSet;

/// A list of steps that grows at its end and is rebuilt now and then; known at every step.
#[derive(Debug, Default)]
pub(super) struct Epochs {
    lists: Vec<(StepNo, Vec<StepNo>)>,
}

impl Epochs {
    /// A step joins at the end.
    pub(super) fn append(&mut self, step: StepNo) {
        match self.lists.last_mut() {
            Some((_, list)) => list.push(step),
            None => self.lists.push((step, vec![step])),
        }
    }

    /// From `at` on the list is this; steps in it that are greater than `at` join when they come.
    pub(super) fn renew(&mut self, at: StepNo, list: Vec<StepNo>) {
        if self.lists.last().is_none_or(|(_, old)| *old != list) {
            self.lists.push((at, list));
        }
    }

    /// The list at a step, in its order.
    pub(super) fn at(&self, step: StepNo) -> impl Iterator<Item = StepNo> + '_ {
        let end = self.lists.partition_point(|(from, _)| *from <= step);
        let list = end.checked_sub(1).map_or(&[][..], |i| self.lists[i].1.as_slice());
        list.iter().copied().filter(move |s| *s <= step)
    }

    /// Whether a list that was made between two steps has a step.
    pub(super) fn was_listed_between(&self, step: StepNo, from: StepNo, to: StepNo) -> bool {
        let lists = self.lists.iter().rev().skip_while(|(at, _)| *at > to).take_while(|(at, _)| *at >= from);
        lists.into_iter().any(|(_, list)| list.contains(&step))
    }

    /// The list as it is now.
    pub(super) fn now(&self) -> &[StepNo] {
        self.lists.last().map_or(&[], |(_, list)| list)
    }

    /// Whether it was ever rebuilt.
    pub(super) fn was_renewed(&self) -> bool {
        self.lists.len() > 1
    }
}

/// A4: how the messages of an envelope relate to the steps before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Alignment {
    /// For each message the step that it takes; None: it is new.
    pub taken: Vec<Option<StepNo>>,
    /// Steps of the context before that none takes, ascending.
    pub withdrawn: Vec<StepNo>,
    /// Steps that were in no context and are taken, ascending.
    pub restored: Vec<StepNo>,
}

impl Alignment {
    /// Whether all messages are new.
    pub(super) fn keeps_nothing(&self) -> bool {
        self.taken.iter().all(Option::is_none)
    }

    /// Whether the old context is first, as it was, and all after it is new.
    pub(super) fn is_append(&self, old: &[StepNo]) -> bool {
        let (head, tail) = self.taken.split_at(old.len().min(self.taken.len()));
        head.iter().flatten().eq(old) && tail.iter().all(Option::is_none)
    }
}

/// A4: the tables digest → steps, of the context and of the steps that are in none.
#[derive(Debug, Default)]
pub(super) struct Aligner {
    /// By step; zero for steps without message.
    digests: Vec<MessageDigest>,
    placed: BTreeSet<(MessageDigest, StepNo)>,
    aside: BTreeSet<(MessageDigest, StepNo)>,
}

impl Aligner {
    /// Takes note of the next step: its digest (None: it has no message), and whether it is in the context.
    pub(super) fn add(&mut self, digest: Option<MessageDigest>, is_placed: bool) {
        let step = cast::to_step(self.digests.len());
        self.digests.push(digest.unwrap_or_default());
        if let Some(digest) = digest {
            let table = if is_placed { &mut self.placed } else { &mut self.aside };
            table.insert((digest, step));
        }
    }

    /// A4: each message takes the earliest equal step not yet taken, of the context before it, else of those in none.
    pub(super) fn align(&mut self, context: &[StepNo], messages: &[MessageDigest]) -> Alignment {
        let mut taken = Vec::with_capacity(messages.len());
        let mut restored = Vec::new();
        let is_continued = self.is_continued(context, messages);
        let mut old = if is_continued { BTreeSet::new() } else { std::mem::take(&mut self.placed) };
        if is_continued {
            taken.extend(context.iter().copied().map(Some));
        }
        for digest in &messages[taken.len()..] {
            let step = take_first(&mut old, *digest).or_else(|| {
                let step = take_first(&mut self.aside, *digest)?;
                restored.push(step);
                Some(step)
            });
            self.placed.extend(step.map(|s| (*digest, s)));
            taken.push(step);
        }
        let mut withdrawn: Vec<_> = old.iter().map(|(_, step)| *step).collect();
        // One by one: `append` builds the whole table again, and it only grows.
        self.aside.extend(old);
        withdrawn.sort_unstable();
        restored.sort_unstable();
        Alignment { taken, withdrawn, restored }
    }

    /// The common case without a look-up: the whole context is sent again, in the order in which its steps came.
    fn is_continued(&self, context: &[StepNo], messages: &[MessageDigest]) -> bool {
        let equals =
            |(step, digest): (&StepNo, &MessageDigest)| self.digests.get(cast::to_usize(*step)) == Some(digest);
        context.len() <= messages.len() && context.is_sorted() && context.iter().zip(messages).all(equals)
    }
}

fn take_first(table: &mut BTreeSet<(MessageDigest, StepNo)>, digest: MessageDigest) -> Option<StepNo> {
    let found = *table.range((digest, StepNo::MIN)..=(digest, StepNo::MAX)).next()?;
    table.remove(&found);
    Some(found.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aligner(placed: &[MessageDigest]) -> Aligner {
        let mut aligner = Aligner::default();
        placed.iter().for_each(|d| aligner.add(Some(*d), true));
        aligner
    }

    #[test]
    fn each_message_takes_the_earliest_equal_step() {
        let mut a = aligner(&[7, 8, 7]);
        let alignment = a.align(&[0, 1, 2], &[8, 7, 9]);
        assert_eq!(alignment, Alignment { taken: vec![Some(1), Some(0), None], withdrawn: vec![2], restored: vec![] });
        a.add(Some(9), true);
        let alignment = a.align(&[1, 0, 3], &[7, 7]);
        assert_eq!(alignment.taken, [Some(0), Some(2)]);
        assert_eq!((alignment.withdrawn, alignment.restored), (vec![1, 3], vec![2]));
    }

    #[test]
    fn an_envelope_that_goes_on_takes_all() {
        let mut a = aligner(&[7, 7]);
        let alignment = a.align(&[0, 1], &[7, 7, 7]);
        assert!(alignment.is_append(&[0, 1]) && !alignment.keeps_nothing());
        assert_eq!(alignment.taken, [Some(0), Some(1), None]);
        a.add(Some(7), true);
        assert!(a.align(&[0, 1, 2], &[]).keeps_nothing());
    }

    #[test]
    fn lists_are_known_at_every_step() {
        let mut e = Epochs::default();
        (0..3).for_each(|s| e.append(s));
        e.renew(3, vec![2, 4, 0, 3]);
        e.append(5);
        let at = |s| e.at(s).collect::<Vec<_>>();
        assert_eq!((at(-1), at(1), at(3), at(4)), (vec![], vec![0, 1], vec![2, 0, 3], vec![2, 4, 0, 3]));
        assert_eq!(at(9), [2, 4, 0, 3, 5]);
    }
}
