//! What a run spent: beside the steps up to each, on the timeline in each part of the run.

use super::Open;
use crate::json::Key;
use crate::model::{Identity, StepNo};
use crate::state::NodeId;

/// Slots of `usage/main` that say what was spent, the first that is recorded counts (W10).
const COST: &str = "cost";
const TOKENS: [&str; 3] = ["output", "input", "cache_write"];

/// Where the state says what a run spent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spend {
    /// Its cost, in dollars.
    Cost(NodeId),
    /// Tokens that the model wrote, that it read outside of caches, that it wrote into caches.
    Tokens(Vec<NodeId>),
}

/// What is recorded of a run; None: nothing.
#[must_use]
pub fn recorded(open: &Open<'_>) -> Option<Spend> {
    let tree = open.tree();
    let usage = tree.find(&Identity::of("usage", "main"))?;
    let slot =
        |name: &&str| tree.node(usage, &[Key::name(name)]).filter(|node| tree.leaf(*node, open.last()).is_some());
    if let Some(cost) = slot(&COST) {
        return Some(Spend::Cost(cost));
    }
    let tokens: Vec<NodeId> = TOKENS.iter().filter_map(slot).collect();
    (!tokens.is_empty()).then_some(Spend::Tokens(tokens))
}

impl Spend {
    fn nodes(&self) -> &[NodeId] {
        match self {
            Self::Cost(node) => std::slice::from_ref(node),
            Self::Tokens(nodes) => nodes,
        }
    }

    /// What was spent up to a step: dollars, or tokens.
    #[must_use]
    pub fn at(&self, open: &Open<'_>, step: StepNo) -> f64 {
        let number = |node: &NodeId| open.tree().leaf(*node, step)?.value.short()?.parse::<f64>().ok();
        // The sum of nothing is -0.0.
        self.nodes().iter().filter_map(number).filter(|number| number.is_finite()).sum::<f64>() + 0.0
    }

    /// The steps at which it grew, each once, in order.
    #[must_use]
    pub fn steps(&self, open: &Open<'_>) -> Vec<StepNo> {
        let of_node = |node: &NodeId| open.tree().history(*node, open.last());
        let mut steps: Vec<StepNo> = self.nodes().iter().flat_map(of_node).map(|event| event.at).collect();
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    /// An amount in up to eight cells.
    #[must_use]
    pub fn text(&self, amount: f64) -> String {
        match self {
            Self::Cost(_) if amount >= 100.0 => format!("${amount:.0}"),
            Self::Cost(_) if amount >= 1.0 => format!("${amount:.2}"),
            Self::Cost(_) => format!("${amount:.3}"),
            Self::Tokens(_) if amount >= 1e9 => format!("{:.1}G tok", amount / 1e9),
            Self::Tokens(_) if amount >= 10_000_000.0 => format!("{:.0}M tok", amount / 1e6),
            Self::Tokens(_) if amount >= 1_000_000.0 => format!("{:.1}M tok", amount / 1e6),
            Self::Tokens(_) if amount >= 1_000.0 => format!("{:.0}k tok", amount / 1e3),
            Self::Tokens(_) => format!("{amount:.0} tok"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_take_eight_cells_at_most() {
        let (cost, tokens) = (Spend::Cost(NodeId(0)), Spend::Tokens(Vec::new()));
        let texts = [0.0, 0.1234, 3.456, 1234.5].map(|amount| cost.text(amount));
        assert_eq!(texts, ["$0.000", "$0.123", "$3.46", "$1234"]);
        let texts = [7.0, 1_500.0, 999_499.0, 1_500_000.0, 2e9].map(|amount| tokens.text(amount));
        assert_eq!(texts, ["7 tok", "2k tok", "999k tok", "1.5M tok", "2.0G tok"]);
    }
}
