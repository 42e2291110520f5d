//! A value that is made for a key: for which key it is shown, and for which one it was asked.

use std::ops::{Deref, DerefMut};

/// A value, the key that it was made for, and the key that another one is awaited for.
///
/// The value stays on the screen until the awaited one comes; an answer that nobody waits for any more is dropped.
#[derive(Debug)]
pub struct Cached<K, V> {
    value: V,
    shown: Option<K>,
    asked: Option<K>,
}

impl<K, V: Default> Default for Cached<K, V> {
    fn default() -> Self {
        Self { value: V::default(), shown: None, asked: None }
    }
}

impl<K: PartialEq, V> Cached<K, V> {
    /// Whether the value of a key must be asked for: it is neither shown nor awaited. From now on it is awaited.
    pub fn ask(&mut self, key: K) -> bool {
        if self.shown.as_ref() == Some(&key) {
            self.asked = None;
            return false;
        }
        if self.asked.as_ref() == Some(&key) {
            return false;
        }
        self.asked = Some(key);
        true
    }

    /// Whether the value of a key is awaited. If so, it is the one that is shown from now on.
    pub fn answer(&mut self, key: &K) -> bool {
        let is_awaited = self.asked.as_ref() == Some(key);
        if is_awaited {
            self.shown = self.asked.take();
        }
        is_awaited
    }

    /// Whether a value is awaited.
    pub fn is_awaited(&self) -> bool {
        self.asked.is_some()
    }

    /// Shows the value of a key, which is made at once; the key before.
    pub fn show(&mut self, key: K) -> Option<K> {
        self.asked = None;
        self.shown.replace(key)
    }

    /// The key of the value that is shown.
    #[must_use]
    pub fn shown(&self) -> Option<&K> {
        self.shown.as_ref()
    }

    /// The same, to give what is shown another key.
    pub fn shown_mut(&mut self) -> Option<&mut K> {
        self.shown.as_mut()
    }

    /// What is shown is of no key any more, so it is asked for again.
    pub fn forget(&mut self) {
        (self.shown, self.asked) = (None, None);
    }
}

impl<K, V> Deref for Cached<K, V> {
    type Target = V;

    fn deref(&self) -> &V {
        &self.value
    }
}

impl<K, V> DerefMut for Cached<K, V> {
    fn deref_mut(&mut self) -> &mut V {
        &mut self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_awaited_answer_is_taken_and_each_is_asked_for_once() {
        let mut cached: Cached<u8, ()> = Cached::default();
        assert!(cached.ask(1) && !cached.ask(1), "awaited");
        assert!(cached.answer(&1) && !cached.answer(&1));
        assert!(!cached.ask(1), "shown");
        assert!(cached.ask(2) && cached.ask(3));
        assert!(!cached.answer(&2) && cached.shown() == Some(&1), "late");
        assert!(!cached.ask(1) && !cached.answer(&3), "back at what is shown, nothing is awaited");
        cached.forget();
        assert!(cached.ask(1));
    }
}
