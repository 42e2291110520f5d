//! What stands for the input of a contract at a step (S28).

use super::contract::{ActiveContracts, Contract, ContractPort};
use super::log::Log;
use super::plan::fits;
use super::route::hint;
use crate::model::StepNo;

/// A slot as it is at a step.
pub struct SlotSnapshot {
    /// Its name.
    pub name: String,
    /// Its data type.
    pub data_type: Option<String>,
    /// Its hint (S21).
    pub hint: Option<String>,
}

/// S28: what stands for an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputSupply<'p> {
    /// The slot of its name.
    Named,
    /// The slot of its name, which has this other type.
    WrongType(&'p str),
    /// A slot of another name that fits.
    Fits(&'p str),
    /// No slot yet; an output of this agent fits.
    Output(&'p str),
    /// Nothing.
    Nothing,
}

impl Log {
    /// The slots at a step with their hints (S21).
    #[must_use]
    pub fn present(&self, holding: &ActiveContracts<'_>, step: StepNo) -> Vec<SlotSnapshot> {
        let present = |id| {
            let (name, slot) = (&self.tree().identity(id).kind, self.slot(id, step)?);
            let data_type = slot.meta.data_type.as_deref().map(str::to_owned);
            Some(SlotSnapshot { name: name.clone(), data_type, hint: hint(holding, name, slot) })
        };
        self.tree().identities(step).into_iter().filter_map(|view| present(view.id)).collect()
    }
}

/// S28: what stands for an input of a contract: the slot of its name, a slot that fits, an output that fits.
#[must_use]
pub fn supply<'p>(
    holding: &ActiveContracts<'p>,
    present: &'p [SlotSnapshot],
    contract: &Contract,
    input: &ContractPort,
) -> InputSupply<'p> {
    let named = input.name.as_ref().and_then(|name| present.iter().find(|slot| slot.name == *name));
    if let Some(slot) = named {
        return match (&slot.data_type, &input.data_type) {
            (Some(has), Some(wants)) if has != wants => InputSupply::WrongType(has),
            (None, Some(_)) => InputSupply::WrongType("of no type"),
            _ => InputSupply::Named,
        };
    }
    let is_fitting =
        |slot: &&SlotSnapshot| slot.data_type.as_deref().is_some_and(|t| fits(t, slot.hint.as_deref(), input));
    if let Some(slot) = present.iter().find(is_fitting) {
        return InputSupply::Fits(&slot.name);
    }
    let gives = |other: &Contract| {
        let typed = other.outputs.iter().filter_map(|o| Some((o.data_type.as_deref()?, o.hint.as_deref())));
        typed.into_iter().any(|(data_type, hint)| fits(data_type, hint, input))
    };
    let giver = holding.contracts.iter().find(|other| other.name != contract.name && gives(other));
    giver.map_or(InputSupply::Nothing, |giver| InputSupply::Output(&giver.name))
}
