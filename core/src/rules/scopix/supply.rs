//! What stands for the input of a contract at a step (S28).

use super::contract::{ActiveContracts, Contract, ContractPort};
use super::log::Log;
use super::plan::ANY_HINT;
use super::route::hint;
use crate::model::StepNo;
use std::collections::HashMap;

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

/// S28: what can stand for inputs at a step, found without a look at every slot and contract.
pub struct Supplies<'p> {
    holding: &'p ActiveContracts<'p>,
    present: &'p [SlotSnapshot],
    named: HashMap<&'p str, &'p SlotSnapshot>,
    slots: Offers<'p>,
    outputs: Offers<'p>,
}

impl<'p> Supplies<'p> {
    /// Of the slots and contracts at a step.
    #[must_use]
    pub fn of(holding: &'p ActiveContracts<'p>, present: &'p [SlotSnapshot]) -> Self {
        let (mut slots, mut outputs) = (Offers::default(), Offers::default());
        for (place, slot) in present.iter().enumerate() {
            slots.add(slot.data_type.as_deref(), slot.hint.as_deref(), place);
        }
        for (place, contract) in holding.contracts.iter().enumerate() {
            for output in &contract.outputs {
                outputs.add(output.data_type.as_deref(), output.hint.as_deref(), place);
            }
        }
        let named = present.iter().map(|slot| (slot.name.as_str(), slot)).collect();
        Self { holding, present, named, slots, outputs }
    }

    /// For an input of a contract: the slot of its name, the first slot that fits, the first other contract with an
    /// output that fits.
    #[must_use]
    pub fn supply(&self, contract: &Contract, input: &ContractPort) -> InputSupply<'p> {
        if let Some(slot) = input.name.as_deref().and_then(|name| self.named.get(name)) {
            return match (&slot.data_type, &input.data_type) {
                (Some(has), Some(wants)) if has != wants => InputSupply::WrongType(has),
                (None, Some(_)) => InputSupply::WrongType("of no type"),
                _ => InputSupply::Named,
            };
        }
        if let Some(place) = self.slots.first(input, |_| true) {
            return InputSupply::Fits(&self.present[place].name);
        }
        let contracts = &self.holding.contracts;
        let giver = self.outputs.first(input, |place| contracts[place].name != contract.name);
        giver.map_or(InputSupply::Nothing, |place| InputSupply::Output(&contracts[place].name))
    }
}

/// Who gives something of a data type and hint.
#[derive(Default)]
struct Offers<'p> {
    by_type: HashMap<&'p str, TypeOffers<'p>>,
}

#[derive(Default)]
struct TypeOffers<'p> {
    of_any: FirstTwo,
    by_hint: HashMap<Option<&'p str>, FirstTwo>,
}

/// The first two that give it: one of them is another than the one that asks.
#[derive(Debug, Clone, Copy, Default)]
struct FirstTwo([Option<usize>; 2]);

impl<'p> Offers<'p> {
    fn add(&mut self, data_type: Option<&'p str>, hint: Option<&'p str>, place: usize) {
        let Some(data_type) = data_type else { return };
        let offers = self.by_type.entry(data_type).or_default();
        offers.of_any.add(place);
        offers.by_hint.entry(hint).or_default().add(place);
    }

    /// The first that fits an input (S24).
    fn first(&self, input: &ContractPort, is_allowed: impl Fn(usize) -> bool) -> Option<usize> {
        let offers = self.by_type.get(input.data_type.as_deref()?)?;
        let first = |two: FirstTwo| two.0.into_iter().flatten().find(|place| is_allowed(*place));
        match input.hint.as_deref() {
            None | Some(ANY_HINT) => first(offers.of_any),
            hint => [hint, None].into_iter().filter_map(|hint| first(*offers.by_hint.get(&hint)?)).min(),
        }
    }
}

impl FirstTwo {
    fn add(&mut self, place: usize) {
        match self.0 {
            [None, _] => self.0[0] = Some(place),
            [Some(first), None] if first != place => self.0[1] = Some(place),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::scopix::plan::fits;

    #[test]
    fn what_is_found_is_the_first_that_fits() {
        const HINTS: [Option<&str>; 4] = [None, Some("images"), Some("links"), Some(ANY_HINT)];
        let outputs: Vec<_> = (0..7).map(|n| (["A", "B"][n % 2], HINTS[(n * 3 + n / 4) % 4])).collect();
        let mut offers = Offers::default();
        for (place, (data_type, hint)) in outputs.iter().enumerate() {
            offers.add(Some(data_type), *hint, place);
            offers.add(Some(data_type), *hint, place);
        }
        for hint in HINTS {
            for (data_type, but) in ["A", "B", "C"].into_iter().flat_map(|t| (0..8).map(move |but| (t, but))) {
                let input = ContractPort {
                    name: None,
                    data_type: Some(data_type.to_owned()),
                    hint: hint.map(str::to_owned),
                    is_required: true,
                    is_mergeable: false,
                };
                let is_fitting = |place: &usize| *place != but && fits(outputs[*place].0, outputs[*place].1, &input);
                let found = offers.first(&input, |place| place != but);
                assert_eq!(found, (0..outputs.len()).find(is_fitting), "{data_type} {hint:?} but {but}");
            }
        }
    }
}
