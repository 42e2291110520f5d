//! Routing: which field of the conversation a slot fills (S20 to S22).

use super::collection::{CATEGORIZATION, FILE_IDS, ids};
use super::contract::{ActiveContracts, Pipeline};
use super::slot::SlotState;
use crate::json::{self, Value};
use crate::model::StepNo;
use std::fmt::Write as _;

const IMAGES: &str = "current_image_ids";
const DOCUMENTS: &str = "current_document_ids";
const LINKS: &str = "current_link_ids";
const CATEGORIES: &str = "current_categorization";
const CONTENT_TYPE: &str = "content_type";

/// S22: the fields of the conversation in their order.
const FIELDS: [&str; 5] = [IMAGES, DOCUMENTS, LINKS, CATEGORIES, CONTENT_TYPE];

/// S22: what fills a field of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filler {
    /// The slot of a name.
    Slot(String),
    /// A member of the request of a pipeline: `image_ids`, `document_ids`.
    Request(&'static str),
}

impl Filler {
    /// The name of the slot or of the member.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Slot(name) => name,
            Self::Request(member) => member,
        }
    }
}

/// S22: one field of the conversation that is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationField {
    /// Its name.
    pub name: &'static str,
    /// Its value as JSON text.
    pub value: String,
    /// What filled it.
    pub filler: Filler,
    /// The step that wrote that.
    pub step: StepNo,
}

/// S22: the conversation that slots and the request of a pipeline make.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PipelineConversation {
    fields: [Option<ConversationField>; FIELDS.len()],
}

/// S20: the field that a data type with a hint fills.
#[must_use]
pub fn route(data_type: &str, hint: Option<&str>) -> Option<&'static str> {
    match (data_type, hint) {
        (FILE_IDS, Some("images")) => Some(IMAGES),
        (FILE_IDS, Some("documents")) => Some(DOCUMENTS),
        (FILE_IDS, Some("links")) => Some(LINKS),
        (CATEGORIZATION, _) => Some(CATEGORIES),
        _ => None,
    }
}

/// S21: the hint of a slot: of its output in the contract of its source, else the `content_type` of its value.
#[must_use]
pub fn hint(holding: &ActiveContracts<'_>, name: &str, slot: &SlotState) -> Option<String> {
    let contract = slot.meta.source.as_deref().and_then(|source| holding.contract(source));
    let declared = contract.and_then(|c| c.output(name)).and_then(|output| output.hint.clone());
    declared.or_else(|| slot.content_type.as_deref().map(str::to_owned))
}

impl PipelineConversation {
    /// The fields that are set, in the order of S22.
    pub fn fields(&self) -> impl Iterator<Item = &ConversationField> {
        self.fields.iter().flatten()
    }

    /// As one JSON object; fields that are not set are absent.
    #[must_use]
    pub fn json(&self) -> String {
        let mut out = String::from("{");
        for field in self.fields() {
            let comma = if out.len() > 1 { "," } else { "" };
            let _ = write!(out, "{comma}\"{}\":{}", field.name, field.value);
        }
        out.push('}');
        out
    }

    /// Takes what the request of a pipeline names: its `image_ids` become `current_image_ids`, its `document_ids`
    /// `current_document_ids`. S22 fills the conversation from slots alone, but the Agents API begins a pipeline with
    /// these files in its state; they count as written at the step that declared the pipeline.
    pub fn take_request(&mut self, step: StepNo, pipeline: &Pipeline) {
        let members = [
            ("image_ids", IMAGES, "images", &pipeline.image_ids),
            ("document_ids", DOCUMENTS, "documents", &pipeline.document_ids),
        ];
        for (member, field, hint, ids) in members {
            if let Some(ids) = ids {
                self.set_ids(field, Some(hint), ids.iter().map(String::as_str), (&Filler::Request(member), step));
            }
        }
    }

    /// S22: takes one slot that fills `field`; slots come in the order of their steps.
    pub fn take_slot(&mut self, name: &str, field: &'static str, hint: Option<&str>, value: &Value<'_>, step: StepNo) {
        let filler = Filler::Slot(name.to_owned());
        if field == CATEGORIES {
            self.set(CATEGORIES, json::compact(value), (&filler, step));
        } else if let Some(ids) = ids(value) {
            self.set_ids(field, hint, ids.into_iter(), (&filler, step));
        }
    }

    fn set_ids<'i>(
        &mut self,
        field: &'static str,
        hint: Option<&str>,
        ids: impl Iterator<Item = &'i str>,
        by: (&Filler, StepNo),
    ) {
        let ids: Vec<String> = ids.map(json::quote).collect();
        self.set(field, format!("[{}]", ids.join(",")), by);
        if let Some(hint) = hint {
            self.set(CONTENT_TYPE, json::quote(hint), by);
        }
    }

    fn set(&mut self, name: &'static str, value: String, (filler, step): (&Filler, StepNo)) {
        if let Some(at) = FIELDS.iter().position(|field| *field == name) {
            self.fields[at] = Some(ConversationField { name, value, filler: filler.clone(), step });
        }
    }
}
