//! Results in the order of the calls that they answer, for shapes that have no ids: what is paired by place alone is
//! paired with the call that its id names.

use super::message_text::ChatMessage;
use crate::model::StepRole;
use std::collections::HashMap;

/// Puts results of parallel calls that came in another order into that of the calls.
pub(super) fn order_results(turns: &mut [ChatMessage]) {
    let mut calls: HashMap<String, usize> = HashMap::new();
    let mut begin = 0;
    while begin < turns.len() {
        let is_result = |turn: &ChatMessage| turn.role == StepRole::Environment && turn.calls.is_empty();
        if is_result(&turns[begin]) {
            let end = begin + turns[begin..].iter().take_while(|&turn| is_result(turn)).count();
            order(&mut turns[begin..end], &calls);
            begin = end;
            continue;
        }
        // Calls of one side, in however many messages.
        let follows_agent = begin > 0 && turns[begin - 1].role == StepRole::Agent;
        if turns[begin].role != StepRole::Agent || !follows_agent {
            calls.clear();
        }
        for id in turns[begin].calls.iter().filter_map(|call| call.id.as_ref()) {
            let place = calls.len();
            calls.entry(id.text.clone()).or_insert(place);
        }
        begin += 1;
    }
}

/// Orders results by their calls, those of no known call behind them; they stay as they are if the others are in order.
fn order(results: &mut [ChatMessage], calls: &HashMap<String, usize>) {
    let call = |result: &ChatMessage| result.answers.as_ref().and_then(|id| calls.get(&id.text)).copied();
    if !results.iter().filter_map(call).is_sorted() {
        results.sort_by_key(|result| call(result).unwrap_or(usize::MAX));
    }
}
