//! Traces of one conversation: an agent that begins a trace with each turn names the conversation in some of its spans.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The traces so far and which of them belong together, as the order of spans and their reader share them.
#[derive(Clone, Default)]
pub(in crate::format) struct Groups(Arc<Mutex<Traces>>);

#[derive(Default)]
struct Traces {
    /// Numbers of traces in the order in which they came.
    numbers: HashMap<Box<str>, usize>,
    /// Of each trace an earlier one of its group, or itself.
    earlier: Vec<usize>,
    /// The first trace that named each conversation.
    conversations: HashMap<Box<str>, usize>,
    /// Names of groups of several traces, by their first trace.
    names: HashMap<usize, Box<str>>,
}

/// What a span did to the groups.
pub(in crate::format) struct Joined {
    /// The trace of the span, by its number.
    pub(in crate::format) trace: usize,
    /// Whether the trace came with this span.
    pub(in crate::format) is_new: bool,
    /// Whether traces belong together that did not before.
    pub(in crate::format) is_joined: bool,
}

impl Groups {
    fn traces(&self) -> MutexGuard<'_, Traces> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the trace of a span and the conversation that it names, if any.
    pub(in crate::format) fn put(&self, trace: &str, conversation: &str) -> Joined {
        let mut traces = self.traces();
        let known = traces.numbers.get(trace).copied();
        let number = known.unwrap_or(traces.earlier.len());
        if known.is_none() {
            traces.numbers.insert(trace.into(), number);
            traces.earlier.push(number);
        }
        let is_joined = !conversation.is_empty() && traces.join(number, conversation);
        Joined { trace: number, is_new: known.is_none(), is_joined }
    }

    /// The group of each trace: the number of its first trace.
    pub(super) fn all(&self) -> Vec<usize> {
        let earlier = &mut self.traces().earlier;
        // What is before a trace is at its first one already.
        (0..earlier.len()).for_each(|trace| earlier[trace] = earlier[earlier[trace]]);
        earlier.clone()
    }

    /// The group of a trace, and its name: of several traces the conversation.
    pub(in crate::format) fn group(&self, trace: &str) -> (usize, Box<str>) {
        let traces = self.traces();
        let group = traces.numbers.get(trace).map_or(usize::MAX, |number| traces.first(*number));
        (group, traces.names.get(&group).cloned().unwrap_or_else(|| trace.into()))
    }
}

impl Traces {
    /// The first trace of the group of a trace.
    fn first(&self, trace: usize) -> usize {
        let mut at = trace;
        while let Some(earlier) = self.earlier.get(at).copied().filter(|earlier| *earlier != at) {
            at = earlier;
        }
        at
    }

    /// A trace is of a conversation; whether it came to others by that.
    fn join(&mut self, trace: usize, conversation: &str) -> bool {
        let named = *self.conversations.entry(conversation.into()).or_insert(trace);
        let (a, b) = (self.first(named), self.first(trace));
        (self.earlier[named], self.earlier[trace]) = (a, b);
        if a == b {
            return false;
        }
        let (first, second) = (a.min(b), a.max(b));
        self.earlier[second] = first;
        let name = [first, second].iter().find_map(|group| self.names.remove(group));
        self.names.insert(first, name.unwrap_or_else(|| conversation.into()));
        self.names.remove(&second);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::OTEL;
    use crate::format::Run;
    use crate::format::log::testing::{growing, lines, steps};

    #[test]
    fn traces_of_one_conversation_are_one_trajectory_however_they_come() {
        let span = |trace: &str, id: &str, at: u32, attributes: &str| {
            let context = format!(r#"{{"traceId":"{trace}","spanId":"{id}"}}"#);
            format!(r#"{{"name":"{id}","spanContext":{context},"startTime":{at},"attributes":{{{attributes}}}}}"#)
        };
        let of = |name: &str| format!(r#""gen_ai.conversation.id":"{name}""#);
        let all = [
            span("t1", "a", 1, &of("talk")),
            span("t1", "b", 2, ""),
            span("t2", "other", 3, &of("more")),
            span("t4", "alone", 4, ""),
            // The child of the second turn comes before the span that names the conversation.
            span("t3", "d", 6, ""),
            span("t3", "c", 5, r#""session.id":"talk""#),
        ];
        let parsed = lines(&OTEL, &all.join("\n"));
        let names = ["a", "b", "c", "d", "other", "alone"].map(|name| format!("span agent: {name}"));
        assert_eq!((steps(&parsed), parsed.0.trajectory_count()), (names.to_vec(), 3));
        let trajectory = |step| parsed.0.step(step, &parsed.1).trajectory;
        assert_eq!((parsed.0.title().as_deref(), trajectory(4).as_deref()), (Some("talk"), Some("t2")));
        for turned in 0..all.len() {
            let mut order = all.to_vec();
            order.rotate_left(turned);
            for count in 1..=order.len() {
                let text = order[..count].join("\n");
                let (whole, growing) = (lines(&OTEL, &text), growing(&OTEL, &text));
                assert_eq!(steps(&growing), steps(&whole), "{turned} {count}");
                let names = |(run, bytes): &(Box<dyn Run>, Vec<u8>)| -> Vec<Option<String>> {
                    (0..).take(count).map(|step| run.step(step, bytes).trajectory).collect()
                };
                assert_eq!(names(&growing), names(&whole), "{turned} {count}");
                assert_eq!(growing.0.title(), whole.0.title());
                assert_eq!(growing.0.trajectory_count(), whole.0.trajectory_count());
            }
        }
    }
}
