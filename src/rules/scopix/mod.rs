//! Rules of `scopix`: to come.
