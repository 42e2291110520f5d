//! Which span is in which: also where a parent began behind its child, as the clocks of two machines may have it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// The spans so far, as their order and their reader share them.
#[derive(Clone, Default)]
pub(in crate::format) struct Nesting(Arc<Mutex<Spans>>);

#[derive(Default)]
struct Spans {
    /// Numbers of spans that came or that others name as their parents, by trace and id.
    numbers: HashMap<Box<str>, usize>,
    spans: Vec<Span>,
    /// How deep spans are, as far as it was asked since a parent came behind its children.
    depths: HashMap<usize, usize>,
}

#[derive(Clone, Default)]
struct Span {
    has_come: bool,
    parent: Option<usize>,
}

/// The name of a span among those of all traces.
fn name(trace: &str, id: &str) -> Box<str> {
    format!("{trace} {id}").into()
}

impl Nesting {
    /// Takes a span; whether one that came before it is in it, and so deeper than it was. Of several spans with one id
    /// the first says what it is in.
    pub(in crate::format) fn put(&self, trace: &str, id: Option<&str>, parent: Option<&str>) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let parent = parent.map(|parent| all.number(trace, parent));
        let Some(id) = id else { return false };
        let is_named = all.numbers.contains_key(&name(trace, id));
        let number = all.number(trace, id);
        let Some(span) = all.spans.get_mut(number).filter(|span| !span.has_come) else { return false };
        *span = Span { has_come: true, parent };
        if is_named {
            all.depths.clear();
        }
        is_named
    }

    /// How many spans a span of this parent is in, as far as they came.
    pub(in crate::format) fn depth(&self, trace: &str, parent: Option<&str>) -> usize {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let parent = parent.and_then(|parent| all.numbers.get(&name(trace, parent)).copied());
        parent.map_or(0, |parent| all.inside(parent))
    }
}

impl Spans {
    fn number(&mut self, trace: &str, id: &str) -> usize {
        let next = self.spans.len();
        let number = *self.numbers.entry(name(trace, id)).or_insert(next);
        if number == next {
            self.spans.push(Span::default());
        }
        number
    }

    /// The depth of what is in a span; spans in a circle are not in each other.
    fn inside(&mut self, span: usize) -> usize {
        let (mut path, mut seen, mut next) = (Vec::new(), HashSet::new(), Some(span));
        while let Some(at) = next.filter(|at| !self.depths.contains_key(at) && seen.insert(*at)) {
            let Some(span) = self.spans.get(at).filter(|span| span.has_come) else { break };
            path.push(at);
            next = span.parent;
        }
        let known = next.and_then(|at| self.depths.get(&at)).copied();
        let mut depth = known.unwrap_or_default();
        for at in path.into_iter().rev() {
            depth += 1;
            self.depths.insert(at, depth);
        }
        depth
    }
}

#[cfg(test)]
mod tests {
    use super::super::OTEL;
    use crate::format::Run;
    use crate::format::log::testing::{growing, lines, state, steps};
    use crate::model::{StepKind, StepNo};

    fn span(id: &str, parent: &str, began: u32, more: &str) -> String {
        let context = format!(r#"{{"trace_id":"t","span_id":"{id}"}}"#);
        let rest = format!(r#""parent_id":"{parent}","start_time":{began},"attributes":{{{more}}}"#);
        format!(r#"{{"name":"{id}","context":{context},{rest}}}"#)
    }

    fn depths((run, bytes): &(Box<dyn Run>, Vec<u8>)) -> Vec<u8> {
        (0..).take(run.step_count()).map(|number: StepNo| run.step(number, bytes).depth).collect()
    }

    #[test]
    fn a_span_that_begins_before_its_parent_is_as_deep_as_its_parents_say() {
        // The clock of the tool is behind that of the agent, and the leaf's between them.
        let spans = [span("agent", "", 5, ""), span("tool", "agent", 1, ""), span("leaf", "tool", 3, "")];
        for turned in 0..spans.len() {
            let mut order = spans.to_vec();
            order.rotate_left(turned);
            for parsed in [lines(&OTEL, &order.join("\n")), growing(&OTEL, &order.join("\n"))] {
                assert_eq!(steps(&parsed), ["span agent: tool", "span agent: leaf", "span agent: agent"], "{turned}");
                assert_eq!(depths(&parsed), [1, 2, 0], "{turned}");
            }
        }
    }

    #[test]
    fn spans_in_a_circle_or_without_their_parents_are_not_lost() {
        let spans = [span("a", "b", 1, ""), span("b", "a", 2, ""), span("c", "c", 3, ""), span("d", "gone", 4, "")];
        let parsed = lines(&OTEL, &spans.join("\n"));
        assert_eq!((depths(&parsed).len(), depths(&parsed)[3]), (4, 0));
        assert_eq!(depths(&growing(&OTEL, &spans.join("\n"))), depths(&parsed));
    }

    #[test]
    fn what_an_answer_cost_counts_once_however_its_spans_began() {
        let cost = r#""gen_ai.operation.name":"chat","gen_ai.usage.input_tokens":5,"gen_ai.usage.output_tokens":2"#;
        for began in [1, 3] {
            let spans = [span("library", "", 2, cost), span("client", "library", began, cost)];
            let parsed = lines(&OTEL, &spans.join("\n"));
            assert_eq!(state(&parsed, "usage", 1), r#"{"main":{"input":5,"output":2,"turns":1}}"#, "{began}");
        }
    }

    #[test]
    fn a_span_in_which_a_model_answers_is_something_that_the_agent_says() {
        let spans = [span("turn", "", 1, ""), span("gpt", "turn", 2, r#""gen_ai.operation.name":"chat""#)];
        let (run, bytes) = lines(&OTEL, &spans.join("\n"));
        let shown = |number| {
            let step = run.step(number, &bytes);
            (step.kind, step.label, step.sign)
        };
        assert_eq!(shown(0), ("span".to_owned(), "turn".to_owned(), StepKind::Meta));
        assert_eq!(shown(1), ("span".to_owned(), "agent".to_owned(), StepKind::Message));
    }
}
