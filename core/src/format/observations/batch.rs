//! Events as they are sent to Langfuse: an observation is created and updated, a part of it at a time.

use super::{SLOTS, SPAN, id, kind_of, members, parent, request, show, trace_of, usage};
use crate::format::Match;
use crate::format::log::{
    Adapter, Arrange, Draft, Earlier, Form, Log, Piece, PlacedPieces, first, items, text, write_slots,
};
use crate::json::Value;
use crate::model::{ModelRequest, StepNo, StepRole, Surroundings, Turn};
use crate::state::Op;
use std::borrow::Cow;
use std::collections::HashMap;

/// A trace, an answer in two parts, and a tool.
pub(super) const BATCH: &str = r#"{"batch":[
    {"id":"1","timestamp":"2026-05-01T10:00:00.000Z","type":"trace-create","body":{"id":"t","name":"help",
        "timestamp":"2026-05-01T10:00:00.000Z","sessionId":"s","input":"list it"}},
    {"id":"2","timestamp":"2026-05-01T10:00:01.000Z","type":"generation-create","body":{"id":"o1","traceId":"t",
        "name":"chat","startTime":"2026-05-01T10:00:01.000Z","model":"m",
        "input":[{"role":"user","content":"list it"}]}},
    {"id":"3","timestamp":"2026-05-01T10:00:02.000Z","type":"observation-create","body":{"id":"o2","traceId":"t",
        "type":"TOOL","name":"ls","startTime":"2026-05-01T10:00:02.000Z","endTime":"2026-05-01T10:00:02.250Z",
        "parentObservationId":"o1","input":{"path":"x"},"output":"a.txt"}},
    {"id":"4","timestamp":"2026-05-01T10:00:03.000Z","type":"generation-update","body":{"id":"o1","traceId":"t",
        "endTime":"2026-05-01T10:00:03.000Z","output":{"role":"assistant","content":"I look."},
        "usage":{"input":9,"output":4}}},
    {"id":"5","timestamp":"2026-05-01T10:00:04.000Z","type":"score-create","body":{"id":"c","traceId":"t",
        "name":"right","value":1}}],"metadata":{"batch_size":5}}"#;

/// What an event says happened, behind what it happened to.
const ACTS: [&str; 2] = ["-create", "-update"];

pub(super) fn is_event(record: &Value<'_>) -> bool {
    let is_act = |kind: &str| ACTS.iter().any(|act| kind.ends_with(act));
    text(record, "type").is_some_and(is_act) && record.get("body").is_some_and(|body| text(body, "id").is_some())
}

pub(super) fn detect(head: &[Value<'_>]) -> Option<Match> {
    let is_of = |record: &Value<'_>| {
        let is_known = |event: &Value<'_>| is_event(event) || text(event, "type") == Some("sdk-log");
        is_known(record) || items(record, "batch").first().is_some_and(is_known)
    };
    let are_all = !head.is_empty() && head.iter().all(is_of);
    are_all.then(|| Match { reason: "events with `type` and `body`, as they are sent to Langfuse".to_owned() })
}

fn is_score(event: &Value<'_>) -> bool {
    text(event, "type").is_some_and(|kind| kind.starts_with("score"))
}

/// The events so far, to be put in order: trace by trace, in each as observations began, and all of one together.
#[derive(Default)]
struct Together {
    events: Vec<Event>,
    traces: HashMap<Box<str>, usize>,
    /// The number of the first event of each observation, by trace and id.
    known: HashMap<(usize, Box<str>), usize>,
}

struct Event {
    trace: usize,
    began: Box<str>,
    first: usize,
    piece: Piece,
}

impl Together {
    fn put(&mut self, record: usize, event: &Value<'_>) {
        let next = self.traces.len();
        let trace = trace_of(event).or_else(|| id(event)).unwrap_or_default();
        let trace = *self.traces.entry(trace.into()).or_insert(next);
        let number = self.events.len();
        let first = *self.known.entry((trace, id(event).unwrap_or_default().into())).or_insert(number);
        let of_first = self.events.get(first).map(|first| first.began.clone());
        let time = || members::began(event).map(|time| time.text).unwrap_or_default();
        // A trace comes before what is in it, a score behind it.
        let began = of_first.unwrap_or_else(|| match () {
            () if is_score(event) => "~".into(),
            () if trace_of(event).is_none() => "".into(),
            () => time().into(),
        });
        self.events.push(Event { trace, began, first, piece: Piece::of(record, event) });
    }
}

impl Arrange for Together {
    fn look(&mut self, record: usize, value: &Value<'_>) -> PlacedPieces {
        let batch = items(value, "batch");
        let all = if batch.is_empty() { std::slice::from_ref(value) } else { batch };
        all.iter().filter(|event| is_event(event)).for_each(|event| self.put(record, event));
        PlacedPieces::Rearranged
    }

    fn order(&mut self) -> Vec<Piece> {
        let mut order: Vec<usize> = (0..self.events.len()).collect();
        let key = |number: usize| {
            let event = &self.events[number];
            (event.trace, &event.began, event.first, number)
        };
        order.sort_by(|a, b| key(*a).cmp(&key(*b)));
        order.into_iter().map(|number| self.events[number].piece).collect()
    }
}

/// Reads the events in order.
#[derive(Default)]
pub(super) struct Events {
    /// Trajectories of traces and sessions, by their names.
    trajectories: HashMap<Box<str>, usize>,
    /// How deep the observations so far are nested.
    depths: HashMap<Box<str>, usize>,
    /// The observation whose parts come.
    open: Option<Open>,
}

struct Open {
    id: Box<str>,
    trace: Box<str>,
    step: StepNo,
    form: Form,
    parts: Vec<Earlier>,
}

impl Adapter for Events {
    fn arrange(&self) -> Option<Box<dyn Arrange>> {
        Some(Box::new(Together::default()))
    }

    fn read(&mut self, event: &Value<'_>, log: &mut Log<'_>) {
        if is_score(event) {
            self.close(log);
            let (body, trace) = (members::data(event), trace_of(event).unwrap_or_default());
            let name = text(body, "name").unwrap_or("score");
            first(body, &["value"]).into_iter().for_each(|value| {
                log.write("trace", trace, &["scores", name], Op::Update, value);
            });
            return;
        }
        let trace: Box<str> = trace_of(event).or_else(|| id(event)).unwrap_or_default().into();
        let known = id(event).unwrap_or_default();
        match &mut self.open {
            Some(open) if *open.id == *known && open.trace == trace => {
                log.extend(open.step, event);
                open.parts.push(log.keep(event));
            }
            _ => self.begin(event, known, trace, log),
        }
    }

    fn finish(&mut self, log: &mut Log<'_>) {
        self.close(log);
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        show(form, values)
    }

    fn request(form: Form, values: &[&Value<'_>]) -> Option<ModelRequest> {
        request(form, values)
    }

    fn has_requests(&self) -> bool {
        true
    }

    fn restart(&mut self) {
        *self = Self::default();
    }
}

impl Events {
    fn begin(&mut self, event: &Value<'_>, id: &str, trace: Box<str>, log: &mut Log<'_>) {
        self.close(log);
        let parts = [event];
        let next = self.trajectories.len();
        if !self.trajectories.contains_key(&trace) {
            self.trajectories.insert(trace.clone(), next);
            log.trajectory(next);
            let name = members::name(&parts).filter(|_| trace_of(event).is_none()).unwrap_or(&trace);
            if next == 0 {
                log.title(name);
            } else {
                log.begin_trajectory(name);
            }
        }
        let depth = parent(event).and_then(|parent| self.depths.get(parent)).map_or(0, |depth| depth + 1);
        self.depths.insert(id.into(), depth);
        log.enter_depth(depth);
        let (kind, form) = kind_of(&parts);
        let (class, time) = (Some(members::class(&parts)), members::began(event));
        let step = log.open(&Draft { role: StepRole::Agent, class, time, ..Draft::of(kind, form, &parts) });
        if trace_of(event).is_none() {
            write_slots(log, "trace", &trace, members::data(event), &SLOTS);
        }
        self.open = Some(Open { id: id.into(), trace, step, form, parts: vec![log.keep(event)] });
    }

    /// All parts of an observation are there.
    fn close(&mut self, log: &mut Log<'_>) {
        let Some(open) = self.open.take() else { return };
        let (usage, model, has_failed) = log.close_with(open.step, open.form, &open.parts, |parts| {
            let usage = if members::is_answer(parts) { usage(parts) } else { None };
            let has_failed = open.form == SPAN && members::fault(parts).is_some();
            (usage, members::model(parts).map(str::to_owned), has_failed)
        });
        if has_failed {
            log.fail(open.step);
        }
        log.surroundings_ahead(&Surroundings { model: model.map(Cow::Owned), ..Surroundings::default() });
        if let Some(usage) = usage {
            usage.output.into_iter().for_each(|output| log.tokens(open.step, output));
            log.usage(None, &usage);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::LANGFUSE_BATCH;
    use super::*;
    use crate::format::Format;
    use crate::format::log::testing::{growing, lines, run_of_record, state, steps};
    use crate::json;

    #[test]
    fn an_observation_is_all_that_was_sent_of_it() {
        let compact = json::compact(&json::parse(BATCH).unwrap());
        let events = &compact[r#"{"batch":["#.len()..compact.find("],\"metadata\"").unwrap()];
        let single = events.replace(r#"},{"id":"#, "}\n{\"id\":");
        for parsed in [run_of_record(&LANGFUSE_BATCH, BATCH), lines(&LANGFUSE_BATCH, &single)] {
            assert_eq!(steps(&parsed), ["span agent: list it", "span agent: I look.", "tool-call agent: ls x · a.txt"]);
            let depth = |step| parsed.0.step(step, &parsed.1).depth;
            assert_eq!([0, 1, 2].map(depth), [0, 1, 2]);
            assert_eq!(parsed.0.title().as_deref(), Some("help"));
            assert_eq!(state(&parsed, "usage", 2), r#"{"main":{"input":9,"output":4,"turns":1}}"#);
            assert!(state(&parsed, "trace", 2).contains(r#""scores":{"right":1}"#));
            assert_eq!(parsed.0.model_request(1, &parsed.1).unwrap().messages.len(), 2);
            assert_eq!(parsed.0.work().and_then(|work| work.took_ms(2)), Some(250));
        }
        assert_eq!(steps(&growing(&LANGFUSE_BATCH, &single)), steps(&lines(&LANGFUSE_BATCH, &single)));
    }

    #[test]
    fn a_part_that_failed_says_so() {
        let failed =
            BATCH.replace(r#""output":{"role""#, r#""level":"ERROR","statusMessage":"no quota","output":{"role""#);
        let parsed = run_of_record(&LANGFUSE_BATCH, &failed);
        assert_eq!((steps(&parsed)[1].as_str(), parsed.0.error_steps()), ("span agent: no quota", vec![1]));
        let is_one = |text: &str| LANGFUSE_BATCH.detect(&[json::parse(text).unwrap()]).is_some();
        assert!(is_one(BATCH));
        assert!(!is_one(r#"{"batch":[{"type":"track","event":"x"}]}"#));
        assert!(!is_one(r#"{"type":"user-create","payload":{"id":"u"}}"#));
    }
}
