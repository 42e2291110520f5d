//! Tokens of what a model would see: counted by a tokenizer, or estimated.

use super::{Conversation, Loss, Total, by_limit, cut, tokens, totals};
use std::ops::Range;

/// The tokens of a text, counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Counted {
    /// Where each begins, in bytes, in order.
    starts: Vec<usize>,
    /// Totals of each role, in tokens.
    totals: Vec<(String, Total)>,
}

impl Loss {
    /// The same with its tokens counted: they begin at these bytes of the text, in order. Only `max_tokens` are seen.
    #[must_use]
    pub fn counted(mut self, conversation: &Conversation, starts: Vec<usize>, max_tokens: Option<usize>) -> Self {
        let limit = max_tokens.and_then(|max| starts.get(max)).copied().unwrap_or(self.text.len());
        // Several tokens of one character all begin where it does.
        let limit = (0..=limit).rev().find(|byte| self.text.is_char_boundary(*byte)).unwrap_or(0);
        self.segments = cut(self.segments, limit);
        self.totals = totals(conversation, &self.segments, &Range::len);
        let tokens = |span: &Range<usize>| tokens_in(&starts, span);
        let counted = totals(conversation, &self.segments, &tokens);
        let limits = by_limit(&self.segments, &tokens, &|tokens| tokens.to_string());
        let others = self.findings.drain(..).filter(|found| !limits.iter().any(|limit| limit.rule == found.rule));
        let others: Vec<_> = others.collect();
        self.findings = limits.into_iter().chain(others).collect();
        self.counted = Some(Counted { starts, totals: counted });
        self
    }

    /// Whether tokens are counted; else they are estimated.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        self.counted.is_some()
    }

    /// Tokens of all of the text.
    #[must_use]
    pub fn token_count(&self) -> usize {
        self.counted.as_ref().map_or_else(|| tokens(self.text.len()), |counted| counted.starts.len())
    }

    /// Totals of each role in tokens, in the order of [`totals`](Self::totals).
    #[must_use]
    pub fn token_totals(&self) -> Vec<(String, Total)> {
        let estimated = |total: &Total| Total {
            seen: tokens(total.seen),
            trained: tokens(total.trained),
            cut: tokens(total.cut),
            ..*total
        };
        match &self.counted {
            Some(counted) => counted.totals.clone(),
            None => self.totals.iter().map(|(role, total)| (role.clone(), estimated(total))).collect(),
        }
    }
}

/// Tokens that begin in a stretch of the text.
fn tokens_in(starts: &[usize], span: &Range<usize>) -> usize {
    starts.partition_point(|start| *start < span.end) - starts.partition_point(|start| *start < span.start)
}
