//! The state history of a LangGraph thread as JSON: what `get_state_history` yields, and what the server answers at
//! `/threads/{id}/history` (`FORMATS.md` 4).
//!
//! The newest snapshot comes first in it; steps run from the oldest on. A snapshot has the values of the channels as
//! they are after its step, so a channel is written where its value differs from the one before.

use super::checkpoints::{KINDS, NODES_MAX, answer_usage, is_hidden};
use super::conversation;
use super::words::channel_words;
use crate::format::Framing;
use crate::format::log::{
    Adapter, Arrange, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Piece, PlacedPieces, Row, first, items,
    model_usage, show, text,
};
use crate::json::{self, Value};
use crate::model::{HEAD, ModelRequest, Severity, StepNo, StepRole, Turn, TurnPart, cast};
use crate::state::Op;
use std::collections::{BTreeSet, HashMap, HashSet};
use twox_hash::XxHash3_128;

/// State histories.
pub(in crate::format) static HISTORY: Row = Row {
    name: "langgraph",
    title: "LangGraph state history",
    about: "The history of a thread as JSON: a list of snapshots with `values`, `next`, `config` (or `checkpoint`) and \
            `metadata`, as `get_state_history` yields them and the server answers. Snapshots are steps, the oldest \
            first; each thread and namespace is a trajectory. State: the channels; who wrote them are the nodes of \
            `metadata.writes`, else those that came next before. Interrupts.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(History::default())),
    has_trajectories: true,
    samples: &[THREAD],
    ..Row::BASE
};

/// Two snapshots, the newest first: the node `ask` wrote `budget`.
const THREAD: &str = concat!(
    r#"[{"values":{"budget":2},"next":[],"tasks":[],"metadata":{"source":"loop","step":0,"#,
    r#""writes":{"ask":{"budget":2}}},"created_at":"2026-05-01T10:00:01Z","config":{"configurable":"#,
    r#"{"thread_id":"t1","checkpoint_ns":"","checkpoint_id":"2"}},"parent_config":{"configurable":"#,
    r#"{"thread_id":"t1","checkpoint_ns":"","checkpoint_id":"1"}}},"#,
    "\n",
    r#"{"values":{"budget":1},"next":["ask"],"tasks":[{"id":"x","name":"ask","interrupts":[]}],"#,
    r#""metadata":{"source":"input","step":-1,"writes":null},"created_at":"2026-05-01T10:00:00Z","#,
    r#""config":{"configurable":{"thread_id":"t1","checkpoint_ns":"","checkpoint_id":"1"}},"#,
    r#""parent_config":null}]"#,
);

/// A snapshot as a step.
const SNAPSHOT: Form = FIRST_ADAPTER_FORM;

/// Where a snapshot says which it is, and which the one before: in Python and JavaScript, and as the server answers.
const PLACES: [&str; 2] = ["config", "checkpoint"];
const PARENTS: [&str; 4] = ["parent_config", "parentConfig", "parent_checkpoint", "parentCheckpoint"];

/// A member of the place of a snapshot.
fn of_place<'v>(snapshot: &'v Value<'_>, places: &[&str], key: &str) -> Option<&'v str> {
    places.iter().find_map(|place| {
        let place = snapshot.get(place)?;
        text(place.get("configurable").unwrap_or(place), key)
    })
}

fn id<'v>(snapshot: &'v Value<'_>) -> Option<&'v str> {
    of_place(snapshot, &PLACES, "checkpoint_id").or_else(|| text(snapshot, "checkpoint_id"))
}

fn parent<'v>(snapshot: &'v Value<'_>) -> Option<&'v str> {
    of_place(snapshot, &PARENTS, "checkpoint_id").or_else(|| text(snapshot, "parent_checkpoint_id"))
}

/// The thread and the namespace: snapshots of one are a trajectory.
fn thread<'v>(snapshot: &'v Value<'_>) -> (&'v str, &'v str) {
    let of = |key| of_place(snapshot, &PLACES, key).unwrap_or_default();
    (of("thread_id"), of("checkpoint_ns"))
}

/// Puts the snapshots of each thread in order, the oldest first.
#[derive(Default)]
struct Order {
    threads: Vec<Thread>,
    places: HashMap<(Box<str>, Box<str>), usize>,
}

/// The snapshots of a thread as they are in the file.
#[derive(Default)]
struct Thread {
    pieces: Vec<Piece>,
    /// Of each its id and its parent.
    links: Vec<[Option<Box<str>>; 2]>,
    /// Id, parent, and when, of the snapshot before.
    before: Option<[Option<Box<str>>; 3]>,
    /// How many snapshots come right after a newer one, and after an older one.
    newest_first: usize,
    oldest_first: usize,
}

impl Thread {
    fn add(&mut self, record: usize, snapshot: &Value<'_>) {
        let created = first(snapshot, &["created_at", "createdAt"]).and_then(Value::as_str);
        let this = [id(snapshot), parent(snapshot), created];
        if let Some([id, parent, created]) = &self.before {
            let leads_to = |parent: Option<&str>, id: Option<&str>| parent.is_some() && parent == id;
            let is_later = |a: Option<&str>, b: Option<&str>| matches!((a, b), (Some(a), Some(b)) if a > b);
            let (newer, older) = (leads_to(parent.as_deref(), this[0]), leads_to(this[1], id.as_deref()));
            self.newest_first += usize::from(newer || (!older && is_later(created.as_deref(), this[2])));
            self.oldest_first += usize::from(older || (!newer && is_later(this[2], created.as_deref())));
        }
        self.before = Some(this.map(|text| text.map(Into::into)));
        self.links.push([this[0].map(Into::into), this[1].map(Into::into)]);
        self.pieces.push(Piece::of(record, snapshot));
    }

    /// The snapshots, the oldest first: as they are in the file or the other way round, and none before its parent.
    fn in_order(&self) -> Vec<Piece> {
        let count = self.pieces.len();
        let ids = (0..).zip(&self.links).filter_map(|(place, [id, _])| Some((id.as_deref()?, place)));
        let places: HashMap<&str, usize> = ids.collect();
        let parent = |place: usize| places.get(self.links.get(place)?[1].as_deref()?).copied();
        // A history that says nothing of its order has the newest first, as LangGraph yields it.
        let is_newest_first = self.newest_first >= self.oldest_first;
        let (mut is_placed, mut order) = (vec![false; count], Vec::with_capacity(count));
        for turn in 0..count {
            let mut next = Some(if is_newest_first { count - 1 - turn } else { turn });
            let first = order.len();
            while let Some(place) = next.filter(|place| !is_placed[*place]) {
                is_placed[place] = true;
                order.extend(self.pieces.get(place));
                next = parent(place);
            }
            order[first..].reverse();
        }
        order
    }
}

impl Arrange for Order {
    fn look(&mut self, record: usize, value: &Value<'_>) -> PlacedPieces {
        let (thread, namespace) = thread(value);
        let place = *self.places.entry((thread.into(), namespace.into())).or_insert(self.threads.len());
        if place == self.threads.len() {
            self.threads.push(Thread::default());
        }
        if let Some(thread) = self.threads.get_mut(place) {
            thread.add(record, value);
        }
        PlacedPieces::Rearranged
    }

    fn order(&mut self) -> Vec<Piece> {
        self.threads.iter().flat_map(Thread::in_order).collect()
    }
}

/// Reads the snapshots in order.
#[derive(Default)]
struct History {
    threads: Vec<(Box<str>, Box<str>)>,
    /// The channels as the snapshot before has them, by the digests of their values.
    known: HashMap<Box<str>, u64>,
    /// Of each snapshot its step, and which nodes came next.
    next: HashMap<Box<str>, (StepNo, Vec<Box<str>>)>,
    /// Messages whose tokens are counted.
    seen: HashSet<Box<str>>,
}

impl Adapter for History {
    fn arrange(&self) -> Option<Box<dyn Arrange>> {
        Some(Box::new(Order::default()))
    }

    fn read(&mut self, snapshot: &Value<'_>, log: &mut Log<'_>) {
        let is_other_thread = self.begin(thread(snapshot), log);
        let before = parent(snapshot).map(|parent| self.next.get(parent));
        let back_to = before.flatten().map(|(step, _)| *step);
        let source = snapshot.get("metadata").and_then(|metadata| text(metadata, "source"));
        let is_given = matches!(source, Some("input" | "update" | "fork"));
        let mut nodes = writers(snapshot);
        if nodes.is_empty() && !is_given {
            nodes = before.flatten().map(|(_, next)| next.iter().map(|node| &**node).collect()).unwrap_or_default();
        }
        let class = if nodes.is_empty() { source.unwrap_or("snapshot").to_owned() } else { nodes.join(", ") };
        let values = [snapshot];
        let time = first(snapshot, &["created_at", "createdAt"]);
        let role = if is_given { StepRole::User } else { StepRole::Unknown };
        let is_failed = items(snapshot, "tasks").iter().any(|task| first(task, &["error"]).is_some());
        let draft = Draft { role, class: Some(&class), time, is_failed, ..Draft::of(Kind::State, SNAPSHOT, &values) };
        let step = log.step(&draft);
        if let (Some(parent), Some(None)) = (parent(snapshot), before) {
            let message = format!("the snapshot before it, `{parent}`, is missing");
            log.finding(Some(step), "run.part-missing", Severity::Warning, message);
        }
        if let Some(id) = id(snapshot) {
            let next = items(snapshot, "next").iter().filter_map(Value::as_str).filter(|node| !node.starts_with("__"));
            self.next.insert(id.into(), (step, next.take(NODES_MAX).map(Into::into).collect()));
        }
        // One whose parent is missing, or not said, comes after what was known last.
        let before = if is_other_thread { HEAD } else { back_to.unwrap_or(step - 1) };
        if before + 1 != step {
            log.go_back(&KINDS, before);
            self.known.clear();
        }
        self.write_channels(snapshot, log);
        write_interrupts(snapshot, log);
        self.add_usage(snapshot, log);
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match (form, values.first()) {
            (SNAPSHOT, Some(it)) => Turn::of(StepRole::Unknown, vec![TurnPart::Text(summary(it).into())]),
            _ => show(form, values),
        }
    }

    fn request(form: Form, values: &[&Value<'_>]) -> Option<ModelRequest> {
        let snapshot = values.first().filter(|_| form == SNAPSHOT)?;
        let (thread, namespace) = thread(snapshot);
        conversation::request(format!("{thread} {namespace}").trim().to_owned(), snapshot.get("values"))
    }

    fn has_requests(&self) -> bool {
        true
    }

    fn restart(&mut self) {
        *self = Self::default();
    }
}

impl History {
    /// The snapshot's thread begins here, if it is another than before.
    fn begin(&mut self, (thread, namespace): (&str, &str), log: &mut Log<'_>) -> bool {
        if self.threads.last().is_some_and(|(known, ns)| (&**known, &**ns) == (thread, namespace)) {
            return false;
        }
        let name = format!("{thread} {namespace}");
        if self.threads.is_empty() {
            log.title(name.trim());
        }
        self.threads.push((thread.into(), namespace.into()));
        log.trajectory(self.threads.len() - 1);
        log.begin_trajectory(name.trim());
        true
    }

    /// Writes the channels that differ from those before.
    fn write_channels(&mut self, snapshot: &Value<'_>, log: &mut Log<'_>) {
        let whole = snapshot.get("values").filter(|values| values.as_object().is_none() && !values.is_null());
        if let Some(whole) = whole {
            return log.write("state", "main", &[], Op::Update, whole);
        }
        let mut gone: BTreeSet<String> = log.members("state", "main").into_iter().collect();
        for (channel, value) in snapshot.get("values").and_then(Value::as_object).into_iter().flat_map(|v| v.entries())
        {
            if is_hidden(channel, None) {
                continue;
            }
            gone.remove(channel);
            let digest = cast::low_u64(XxHash3_128::oneshot(json::compact(value).as_bytes()));
            if self.known.insert(channel.into(), digest) != Some(digest) {
                log.write("state", "main", &[channel], Op::Update, value);
            }
        }
        for channel in gone {
            self.known.remove(channel.as_str());
            log.remove("state", "main", &[&channel]);
        }
    }

    /// What the answers cost that came with this snapshot.
    fn add_usage(&mut self, snapshot: &Value<'_>, log: &mut Log<'_>) {
        let messages = snapshot.get("values").map(|values| items(values, "messages")).unwrap_or_default();
        for message in messages {
            let message = message.get("kwargs").unwrap_or(message);
            let (Some(id), Some(metadata)) = (text(message, "id"), answer_usage(message)) else {
                continue;
            };
            if self.seen.insert(id.into()) {
                log.usage(Some(id), &model_usage(metadata));
            }
        }
    }
}

/// The nodes that a snapshot names as its writers.
fn writers<'v>(snapshot: &'v Value<'_>) -> Vec<&'v str> {
    let writes = snapshot.get("metadata").and_then(|metadata| metadata.get("writes"));
    let nodes = writes.and_then(Value::as_object).into_iter().flat_map(|writes| writes.entries());
    nodes.map(|(node, _)| node).filter(|node| !node.starts_with("__")).take(NODES_MAX).collect()
}

/// What the graph asked and waits for.
fn write_interrupts(snapshot: &Value<'_>, log: &mut Log<'_>) {
    for task in items(snapshot, "tasks") {
        let name = text(task, "id").or_else(|| text(task, "name")).unwrap_or("main");
        if let Some(asked) = task.get("interrupts").filter(|_| !items(task, "interrupts").is_empty()) {
            log.write("interrupt", name, &["value"], Op::Update, asked);
        }
    }
    // The same beside the tasks, which may be left out.
    let is_of_task = items(snapshot, "tasks").iter().any(|task| !items(task, "interrupts").is_empty());
    if let Some(asked) = snapshot.get("interrupts").filter(|_| !is_of_task && !items(snapshot, "interrupts").is_empty())
    {
        log.write("interrupt", "main", &["value"], Op::Update, asked);
    }
}

/// Which step of the graph it is, and which channels it wrote, where it says that, else which there are.
fn summary<'v>(snapshot: &'v Value<'v>) -> String {
    let metadata = snapshot.get("metadata");
    let of = |key: &str| metadata.and_then(|metadata| metadata.get(key));
    let step = of("step").map_or_else(String::new, |step| format!("step {}: ", step.text));
    let members = |value: &'v Value<'v>| value.as_object().into_iter().flat_map(|members| members.entries());
    let is_shown = |(name, _): &(&str, Option<&Value<'_>>)| !is_hidden(name, None);
    let writes = of("writes").into_iter().flat_map(members).flat_map(|(_, written)| members(written));
    let written = channel_words(writes.map(|(name, value)| (name, Some(value))).filter(is_shown));
    let values = || snapshot.get("values").into_iter().flat_map(members).map(|(name, value)| (name, Some(value)));
    let words = if written.is_empty() { channel_words(values().filter(is_shown)) } else { written };
    format!("{step}{words}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::log::testing::{author, lines, state, steps, writes};
    use crate::format::log::tests::damage;

    fn records(text: &str) -> String {
        text.trim_matches(['[', ']']).replace("},\n{", "}\n{")
    }

    #[test]
    fn snapshots_are_steps_from_the_oldest_on_and_nodes_write() {
        let parsed = lines(&HISTORY, &records(THREAD));
        assert_eq!(steps(&parsed), ["state user: step -1: budget = 1", "state unknown: step 0: budget = 2"]);
        assert_eq!(parsed.0.step(1, &parsed.1).class.as_deref(), Some("ask"));
        assert_eq!(
            [0, 1].map(|step| state(&parsed, "state", step)),
            [1, 2].map(|n| format!(r#"{{"main":{{"budget":{n}}}}}"#))
        );
        assert_eq!(parsed.0.findings().len(), 0);
    }

    /// A snapshot as the server answers it: no `writes`, and `checkpoint` in place of `config`.
    fn answered(id: &str, parent: Option<&str>, values: &str, next: &str, more: &str) -> String {
        let place = |id: &str| format!(r#"{{"thread_id":"t","checkpoint_ns":"","checkpoint_id":"{id}"}}"#);
        let parent = parent.map_or("null".to_owned(), place);
        format!(
            r#"{{"values":{values},"next":[{next}],"checkpoint":{},"parent_checkpoint":{parent},
            "metadata":{{"source":"loop","step":1}}{more}}}"#,
            place(id)
        )
        .replace('\n', "")
    }

    #[test]
    fn no_snapshot_comes_before_its_parent() {
        let of = |id: &str, parent: Option<&str>| answered(id, parent, &format!(r#"{{"n":{id}}}"#), "", "");
        let (root, left, right, end) = (of("1", None), of("2", Some("1")), of("3", Some("1")), of("4", Some("2")));
        let text = [end, root, right, left].join("\n");
        let parsed = lines(&HISTORY, &text);
        let numbers: Vec<String> = (0..4).map(|step| state(&parsed, "state", step)).collect();
        assert_eq!(numbers, [1, 2, 4, 3].map(|n| format!(r#"{{"main":{{"n":{n}}}}}"#)));
    }

    #[test]
    fn what_is_asked_may_be_beside_the_tasks() {
        let beside = r#","tasks":[],"interrupts":[{"value":"Go on?","id":"i"}]"#;
        let parsed = lines(&HISTORY, &answered("1", None, r#"{"a":1}"#, "", beside));
        assert_eq!(state(&parsed, "interrupt", 0), r#"{"main":{"value":[{"value":"Go on?","id":"i"}]}}"#);
    }

    #[test]
    fn a_fork_goes_on_from_its_parent() {
        let asks = r#","tasks":[{"id":"w","name":"act","interrupts":[{"value":"Go on?"}]}]"#;
        let all = [
            answered("1", None, r#"{"a":1,"b":[1]}"#, "", ""),
            answered("2", Some("1"), r#"{"a":2,"b":[1],"c":2}"#, "", asks),
            answered("3", Some("1"), r#"{"a":1,"b":[1,2]}"#, "", ""),
        ];
        let parsed = lines(&HISTORY, &all.join("\n"));
        assert_eq!(state(&parsed, "state", 2), r#"{"main":{"a":1,"b":[1,2]}}"#);
        assert_eq!(state(&parsed, "interrupt", 2), "");
        assert_eq!(author(&parsed, "/state/main/a", 2), Some(0));
        assert_eq!(author(&parsed, "/state/main/b/1", 2), Some(2));
    }

    #[test]
    fn the_nodes_that_came_next_wrote_what_a_snapshot_does_not_say() {
        let oldest = answered("1", Some("0"), r#"{"a":1,"b":1}"#, r#""plan""#, "");
        let started = answered("0", None, r#"{"a":1}"#, r#""__start__""#, "");
        let parsed = lines(&HISTORY, &[oldest.clone(), started].join("\n"));
        assert_eq!(parsed.0.step(1, &parsed.1).class.as_deref(), Some("loop"), "the start is not a node");
        let asks = r#","tasks":[{"id":"w","name":"act","interrupts":[{"value":"Go on?"}],"error":"stopped"}]"#;
        let newest = answered("2", Some("1"), r#"{"a":1,"c":{"d":2}}"#, r#""act""#, asks);
        for text in [[newest.clone(), oldest.clone()].join("\n"), [oldest, newest].join("\n")] {
            let parsed = lines(&HISTORY, &text);
            assert_eq!(parsed.0.step(1, &parsed.1).class.as_deref(), Some("plan"));
            let mut written = writes(&parsed, 1);
            written.sort();
            assert_eq!(written, ["+/interrupt/w/value/0/value", "+/state/main/c/d", "-/state/main/b"]);
            assert_eq!(parsed.0.error_steps(), [1]);
            let rules: Vec<_> = parsed.0.findings().iter().map(|found| (found.step, found.rule)).collect();
            assert_eq!(rules, [(Some(0), "run.part-missing")], "a history may begin in the middle");
        }
    }

    #[test]
    fn values_may_be_no_object() {
        let text = [answered("1", None, "[1,2]", "", ""), answered("2", Some("1"), "[1,3]", "", "")].join("\n");
        assert_eq!(state(&lines(&HISTORY, &text), "state", 1), r#"{"main":[1,3]}"#);
    }

    #[test]
    fn threads_and_namespaces_are_trajectories() {
        let one = answered("1", None, r#"{"a":1}"#, "", "");
        let other = one.replace(r#""thread_id":"t""#, r#""thread_id":"u""#);
        let parsed = lines(&HISTORY, &[one.as_str(), &other].join("\n"));
        assert_eq!(parsed.0.trajectory_count(), 2);
        assert_eq!(parsed.0.step(1, &parsed.1).trajectory.as_deref(), Some("u"));
        assert_eq!(author(&parsed, "/state/main/a", 1), Some(1), "the other one does not write its state");
    }

    #[test]
    fn damaged_histories_never_panic() {
        damage(&HISTORY, HISTORY.samples);
    }
}
