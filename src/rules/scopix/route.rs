//! Routing: which field of the conversation a slot fills (S20 to S22).

use super::collection::{CATEGORIZATION, FILE_IDS, ids};
use super::contract::Holding;
use super::slot::SlotState;
use crate::json::{self, Value};
use std::fmt::Write as _;

/// S22: the fields of the conversation in their order, each as JSON text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversation {
    image: Option<String>,
    document: Option<String>,
    link: Option<String>,
    categorization: Option<String>,
    content_type: Option<String>,
}

impl Conversation {
    /// As one JSON object; fields that are not set are absent.
    #[must_use]
    pub fn json(&self) -> String {
        let fields = [
            ("current_image_ids", &self.image),
            ("current_document_ids", &self.document),
            ("current_link_ids", &self.link),
            ("current_categorization", &self.categorization),
            ("content_type", &self.content_type),
        ];
        let mut out = String::from("{");
        for (name, text) in fields {
            if let Some(text) = text {
                let comma = if out.len() > 1 { "," } else { "" };
                let _ = write!(out, "{comma}\"{name}\":{text}");
            }
        }
        out.push('}');
        out
    }
}

/// S20: the field that a data type with a hint fills.
#[must_use]
pub fn route(data_type: &str, hint: Option<&str>) -> Option<&'static str> {
    match (data_type, hint) {
        (FILE_IDS, Some("images")) => Some("current_image_ids"),
        (FILE_IDS, Some("documents")) => Some("current_document_ids"),
        (FILE_IDS, Some("links")) => Some("current_link_ids"),
        (CATEGORIZATION, _) => Some("current_categorization"),
        _ => None,
    }
}

/// S21: the hint of a slot: of its output in the contract of its source, else the `content_type` of its value.
#[must_use]
pub fn hint(holding: &Holding<'_>, name: &str, slot: &SlotState) -> Option<String> {
    let contract = slot.meta.source.as_deref().and_then(|source| holding.contract(source));
    let declared = contract.and_then(|c| c.output(name)).and_then(|output| output.hint.clone());
    declared.or_else(|| slot.content_type.as_deref().map(str::to_owned))
}

impl Conversation {
    /// S22: takes one slot that fills `field`; slots come in the order of their steps.
    pub fn take(&mut self, field: &str, hint: Option<&str>, value: &Value<'_>) {
        let slot = match field {
            "current_image_ids" => &mut self.image,
            "current_document_ids" => &mut self.document,
            "current_link_ids" => &mut self.link,
            _ => {
                self.categorization = Some(json::compact(value));
                return;
            }
        };
        let Some(ids) = ids(value) else { return };
        let ids: Vec<String> = ids.into_iter().map(json::quote).collect();
        *slot = Some(format!("[{}]", ids.join(",")));
        self.content_type = hint.map(json::quote);
    }
}
