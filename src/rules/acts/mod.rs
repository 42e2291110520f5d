//! Rules of `acts`: to come.
