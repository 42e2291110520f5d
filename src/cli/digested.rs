//! Texts for people where the state has digests of them (D20).

use super::open::Opened;
use crate::json;
use crate::model::StepNo;
use crate::text::{SafeText, cut, single_line};

/// Most cells of a text.
const TEXT_CELLS: usize = 100;

/// The value of a leaf for people: a text whose digest it is is in one line, followed by its length.
pub(super) fn shown(opened: &Opened, value: &str, author: StepNo) -> Option<String> {
    let text = opened.run.digested_text(value, author, opened.bytes())?;
    let line = single_line(&text);
    let line = cut(&SafeText::of(&line), TEXT_CELLS);
    Some(format!("{} ({} characters)", json::quote(line.as_str()), text.chars().count()))
}
