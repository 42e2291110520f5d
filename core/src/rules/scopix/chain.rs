//! `can_chain_with` of contracts: which capabilities and agents can follow, and whether they can take what is given.

use super::contract::{ActiveContracts, Contract};
use super::plan::fits;

/// The capabilities that an agent can have (sdk: `AgentCapability`).
const CAPABILITIES: [&str; 13] = [
    "search",
    "filter",
    "analysis",
    "comparison",
    "export",
    "summarization",
    "recommendation",
    "visualization",
    "analytics",
    "cross_reference",
    "synthesis",
    "organization",
    "conversational",
];

/// What an entry of `can_chain_with` leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChainTarget<'h> {
    /// These agents take one of the outputs.
    Fits(Vec<&'h str>),
    /// A capability that no other contract of the file has.
    Undeclared,
    /// These agents are meant, and none of them takes any of the outputs.
    Unfit(Vec<&'h str>),
    /// Neither a capability nor the name of a contract.
    Unknown,
}

/// Looks up an entry of `can_chain_with`: the other contracts with that capability (in any case of letters) or of that
/// name. Whether one takes an output is S24. Where either side declares no typed ports there is nothing to compare, so
/// that fits.
#[must_use]
pub fn chain_target<'h>(holding: &ActiveContracts<'h>, contract: &Contract, entry: &str) -> ChainTarget<'h> {
    let is_match = |other: &&Contract| other.name == entry || other.capability.eq_ignore_ascii_case(entry);
    let is_known = holding.contracts.iter().any(is_match);
    let others: Vec<&'h Contract> =
        holding.contracts.iter().copied().filter(|other| is_match(other) && other.name != contract.name).collect();
    let is_capability = || CAPABILITIES.iter().any(|capability| capability.eq_ignore_ascii_case(entry));
    if others.is_empty() {
        return if is_known || is_capability() { ChainTarget::Undeclared } else { ChainTarget::Unknown };
    }
    let names = |contracts: &[&'h Contract]| contracts.iter().map(|other| other.name.as_str()).collect();
    let takers: Vec<&'h Contract> = others.iter().copied().filter(|other| takes(other, contract)).collect();
    if takers.is_empty() { ChainTarget::Unfit(names(&others)) } else { ChainTarget::Fits(names(&takers)) }
}

/// Whether an agent has an input that an output of another fits (S24).
fn takes(taker: &Contract, giver: &Contract) -> bool {
    let outputs: Vec<(&str, Option<&str>)> =
        giver.outputs.iter().filter_map(|o| Some((o.data_type.as_deref()?, o.hint.as_deref()))).collect();
    outputs.is_empty()
        || taker.inputs.is_empty()
        || taker.inputs.iter().any(|input| outputs.iter().any(|(data_type, hint)| fits(data_type, *hint, input)))
}
