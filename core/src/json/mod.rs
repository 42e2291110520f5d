//! Lossless JSON: number text, key order, duplicate keys, byte places.
//!
//! A debugging tool that shows `1` where the file has `1.0`, or drops the first of two equal keys, hides the bug it
//! should show. So a [`Value`] borrows the text it was read from and keeps all of it. This room knows nothing of agents
//! and nothing of files.

mod cut;
mod document;
mod head;
mod msgpack;
mod number;
mod one_line;
mod outline;
mod parse;
mod path;
mod pickle;
mod print;
mod read;
mod scan;
mod skim;
mod strings;
mod typed_text;
mod value;
mod walk;

pub use cut::parse_cut;
pub use document::{Document, DocumentChange};
pub use head::head;
pub use msgpack::{bytes_text, msgpack_to_json};
pub use number::{compare_numbers, same};
pub use one_line::OneLine;
pub use outline::{Outline, OutlineLayout, Outliner};
pub use parse::{DEPTH_MAX, SyntaxError, parse, parse_lenient, parse_without_nulls, try_parse, unescape};
pub use path::{Key, nearest, pointer, pointer_escape, pointer_unescape};
pub use pickle::{Pickle, PickleId};
pub use print::{compact, pretty, quote, schema_text, write_quoted};
pub use scan::{SCAN_DEPTH_MAX, Scan, Scanner, TOO_DEEP, closed};
pub use skim::Skim;
pub use typed_text::{SecondPart, write_date, write_decimal, write_text, write_time, write_timestamp};
pub use value::{Data, Member, Object, Value};
pub use walk::{Visitor, Walked, walk};
