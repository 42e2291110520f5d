//! The Agent/Data protocol: references, until the rest is here.
#![allow(dead_code)]

mod reference;

pub use reference::{Reference, Segment, canonical, parse as parse_reference};
