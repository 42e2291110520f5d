//! Rules of `adp`: to come.
