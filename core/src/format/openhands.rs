//! OpenHands: events of version 0 and of the SDK (version 1), and rows of evaluations that hold them (`FORMATS.md` 9).

mod classic;
mod folder;
mod sdk;

use super::assembler::{missing_part_of, report_missing};
use super::log::{Adapter, Copies, Form, Log, LogRun, Node, SetRow, text};
use super::{Format, Framing, Layout, Match, Run, signature};
use crate::json::Value;
use crate::model::{StepNo, Surroundings, Turn, Usage};
use crate::rules::work::Dialect;
use crate::state::Op;
pub(super) use folder::Folder;
use std::collections::HashMap;

/// Events: an array, lines, or one event a file.
pub(super) struct OpenHands;

/// Rows of an evaluation, each with the history of a run.
static ROWS: SetRow = SetRow {
    name: NAME,
    agent: Some(NAME),
    title: TITLE,
    about: ABOUT,
    run,
    detect: Some(|first| signature::detect(NAME, first).filter(|_| first.first().is_some_and(is_row))),
    samples: &[ROW],
    ..SetRow::BASE
};

const NAME: &str = "openhands";
const TITLE: &str = "OpenHands run";
const ABOUT: &str = "Runs of OpenHands: events of version 0 (`action`, `observation`, `cause`) or of the SDK (`kind`), \
     as an array or JSON Lines, in a folder or zip archive with a file for each, or as `openhands --headless --json` \
     prints them; and `output.jsonl` of \
     evaluations, each row a run \
     with its `history`. State: the agent's state, what ConversationStateUpdateEvent says, forgotten events, and of a \
     row its instance, patch and error.";

/// Two events of version 0 and their answers.
const EVENTS: &str = r#"[{"id":0,"timestamp":"2026-05-01T10:00:00","source":"user",
    "action":"message","args":{"content":"list it"}},
{"id":1,"timestamp":"2026-05-01T10:00:01","source":"agent","action":"run","args":{"command":"ls","thought":"I look."}},
{"id":2,"timestamp":"2026-05-01T10:00:02","source":"agent","cause":1,"observation":"run","content":"a.txt",
    "extras":{"metadata":{"exit_code":0,"working_dir":"/w"}}},
{"id":3,"timestamp":"2026-05-01T10:00:03","source":"environment","observation":"agent_state_changed",
    "extras":{"agent_state":"awaiting_user_input"}}]"#;

/// Events of the SDK.
const SDK_EVENTS: &str = concat!(
    r#"{"kind":"MessageEvent","id":"a","timestamp":"2026-05-01T10:00:00","source":"user","#,
    r#""llm_message":{"role":"user","content":[{"type":"text","text":"list it"}]}}"#,
    "\n",
    r#"{"kind":"ActionEvent","id":"b","timestamp":"2026-05-01T10:00:01","source":"agent","thought":[],"#,
    r#""action":{"kind":"ExecuteBashAction","command":"ls"},"tool_name":"terminal","tool_call_id":"c1"}"#,
    "\n",
    r#"{"kind":"ObservationEvent","id":"c","timestamp":"2026-05-01T10:00:02","source":"environment","#,
    r#""observation":{"content":[{"type":"text","text":"a.txt"}],"exit_code":0},"tool_name":"terminal","#,
    r#""tool_call_id":"c1","action_id":"b"}"#,
);

/// What a run prints: events behind marks, and other text.
const PRINTED: &str = r#"Loading agent...
--JSON Event--
{
  "id": "a",
  "kind": "MessageEvent",
  "llm_message": {
    "content": [
      {
        "text": "list it",
        "type": "text"
      }
    ],
    "role": "user"
  },
  "source": "user",
  "timestamp": "2026-05-01T10:00:00"
}
--JSON Event--
{
  "id": "b",
  "kind": "PauseEvent",
  "source": "user",
  "timestamp": "2026-05-01T10:00:01"
}
Goodbye!
"#;

/// A row of an evaluation.
const ROW: &str = concat!(
    r#"{"instance_id":"i-1","test_result":{"git_patch":"diff"},"history":["#,
    r#"{"id":0,"source":"user","action":"message","args":{"content":"list it"}},"#,
    r#"{"id":1,"source":"agent","action":"run","args":{"command":"ls"}},"#,
    r#"{"id":2,"source":"agent","cause":1,"observation":"run","content":"a.txt","extras":{}}],"error":null}"#,
    "\n",
);

impl Format for OpenHands {
    fn name(&self) -> &'static str {
        NAME
    }

    fn agent(&self) -> Option<&'static str> {
        Some(NAME)
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn about(&self) -> &'static str {
        ABOUT
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        signature::detect(NAME, first).filter(|_| !first.first().is_some_and(is_row))
    }

    fn framing(&self) -> Framing {
        Framing::Elements
    }

    fn alternative(&self) -> Option<&'static dyn Format> {
        Some(&ROWS)
    }

    fn layout(&self) -> Layout {
        Layout::Run
    }

    fn run(&self) -> Box<dyn Run> {
        run()
    }

    fn samples(&self) -> &'static [&'static str] {
        &[EVENTS, SDK_EVENTS, PRINTED, ROW]
    }
}

fn run() -> Box<dyn Run> {
    Box::new(LogRun::new(Events::default()))
}

/// Reads events, or a row that holds them.
#[derive(Default)]
struct Events {
    /// What all answers so far cost; each event says the sum.
    total_usage: Usage,
    acp_calls: sdk::AcpCalls,
    copies: Copies,
    /// The steps of events, by their ids as written.
    steps: HashMap<Box<str>, StepNo>,
    /// The event from which the conversation goes on, as written; `null` of one that was emptied.
    leaf: Option<Box<str>>,
    /// The last event of the tree.
    last: Option<Box<str>>,
    /// Whether a change of the state said that it was emptied.
    is_emptied: bool,
}

/// The kind of event that reports a change of the state.
const STATE_UPDATE: &str = "ConversationStateUpdateEvent";
/// The parent of the first event of a conversation that was emptied.
const ROOT: &str = "__root__";

impl Adapter for Events {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let Some(history) = history(record) else {
            self.branch(record, log);
            self.event(record, log);
            return self.go_on_from(record, log);
        };
        row_head(record, log);
        for item in history {
            match item.as_array() {
                Some(pair) => pair.iter().for_each(|event| self.event(event, log)),
                None => self.event(item, log),
            }
        }
        row_end(record, log);
        if let Some(metrics) = record.get("metrics").filter(|metrics| metrics.as_object().is_some()) {
            self.account(&usage(metrics), log);
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match values.first() {
            // The last event of a call says the most about it.
            Some(event) if sdk::FORMS.contains(&form) => sdk::show(form, values.last().unwrap_or(event)),
            Some(event) if classic::FORMS.contains(&form) => classic::show(form, event),
            _ => super::log::show(form, values),
        }
    }

    fn prompt(values: &[&Value<'_>]) -> Option<Turn<'static>> {
        sdk::prompt(values.first()?)
    }

    fn dialect(&self) -> Dialect {
        Dialect::OpenHands
    }

    fn restart(&mut self) {
        *self = Self::default();
    }
}

impl Events {
    fn event(&mut self, event: &Value<'_>, log: &mut Log<'_>) {
        // A record that says this says nothing else.
        if let Some(what) = missing_part_of(event).filter(|_| event.as_object().is_some_and(|it| it.len() == 1)) {
            let before = log.next_step().checked_sub(1).filter(|step| *step >= 0);
            return report_missing(what, before, log);
        }
        if let Some(base) = event.get(folder::BASE_STATE).filter(|_| event.get("kind").is_none()) {
            return self.base(base, log);
        }
        if event.get("id").is_some_and(|id| self.copies.has(id.text, event.text)) {
            return;
        }
        let first = log.next_step();
        if event.get("kind").and_then(Value::as_str).is_some() {
            sdk::read(event, &mut self.acp_calls, log);
        } else {
            classic::read(event, log);
        }
        if let Some(id) = event.get("id").filter(|_| log.next_step() > first) {
            self.steps.insert(id.text.into(), first);
        }
        self.condense(event, log);
        if let Some(sum) = total_usage(event) {
            self.account(&sum, log);
        }
    }

    /// The state beside the events of a folder: it has the model and what all answers cost.
    fn base(&mut self, base: &Value<'_>, log: &mut Log<'_>) {
        self.set_head(base, log);
        let model = base.get("model").and_then(Value::as_str).map(Into::into);
        log.surroundings_ahead(&Surroundings { model, ..Surroundings::default() });
        if let Some(sum) = base.get("stats").and_then(all_usage) {
            self.account(&sum, log);
        }
    }

    /// Where an event of the SDK is in the tree of its conversation: one that goes on from an earlier event leaves what
    /// came after that. Events of older versions name no parent and follow the one before. Changes of the state are no
    /// part of the tree.
    fn branch(&mut self, event: &Value<'_>, log: &mut Log<'_>) {
        let (Some(id), Some(kind)) = (event.get("id"), text(event, "kind")) else { return };
        let Some(name) = id.as_str().filter(|_| kind != STATE_UPDATE) else { return };
        let (parent, is_anew) = match text(event, "parent_id") {
            // The change of the state that emptied it begins the tree.
            Some(ROOT) if self.is_emptied => (Some(ROOT), false),
            Some(ROOT) => (None, true),
            Some(parent) => (Some(parent), false),
            None => (self.last.as_deref(), false),
        };
        log.thread(&Node { id: Some(name), parent, is_turn: true, is_anew, ..Node::default() });
        self.last = Some(name.into());
        self.leaf = Some(id.text.into());
    }

    /// A change of the state says from which event the conversation goes on.
    fn go_on_from(&mut self, event: &Value<'_>, log: &mut Log<'_>) {
        if text(event, "kind") != Some(STATE_UPDATE) {
            return;
        }
        match (text(event, "key"), event.get("value")) {
            (Some(folder::LEAF), Some(leaf)) => self.set_leaf(leaf, log),
            (Some("full_state"), Some(state)) => self.set_head(state, log),
            _ => {}
        }
    }

    /// The state of a conversation says which event is its last one, or that it was emptied.
    fn set_head(&mut self, state: &Value<'_>, log: &mut Log<'_>) {
        if let Some(leaf) = state.get(folder::LEAF) {
            self.set_leaf(leaf, log);
        }
        let is_emptied = state.get(folder::IS_EMPTY).and_then(Value::as_bool) == Some(true);
        if is_emptied && self.leaf.as_deref().is_some_and(|leaf| leaf != "null") {
            log.thread(&Node { id: Some(ROOT), is_turn: true, is_anew: true, ..Node::default() });
            (self.leaf, self.is_emptied) = (Some("null".into()), true);
        }
    }

    /// The conversation goes on from this event: what came after it is left, although nothing came instead so far.
    fn set_leaf(&mut self, leaf: &Value<'_>, log: &mut Log<'_>) {
        let is_known = self.steps.contains_key(leaf.text) && self.leaf.is_some();
        let Some(id) = leaf.as_str().filter(|_| is_known && self.leaf.as_deref() != Some(leaf.text)) else { return };
        // What follows the event from here on follows this record.
        log.thread(&Node { id: Some(id), parent: Some(id), is_turn: true, ..Node::default() });
        self.leaf = Some(leaf.text.into());
    }

    /// What a condensation takes from the model's window, by a list of events or a range of their numbers, and the
    /// summary that it puts there.
    fn condense(&self, event: &Value<'_>, log: &mut Log<'_>) {
        let of = |key: &str| event.get(key).or_else(|| event.get("args")?.get(key));
        let number = |key: &str| of(key).and_then(Value::as_number).and_then(|n| n.parse::<u64>().ok());
        let listed = of("forgotten_event_ids").and_then(Value::as_array);
        let range = number("forgotten_events_start_id").zip(number("forgotten_events_end_id"));
        let mut gone: Vec<StepNo> = match (listed, range) {
            (Some(ids), _) => ids.iter().filter_map(|id| self.steps.get(id.text).copied()).collect(),
            (None, Some((first, last))) => {
                let is_forgotten = |id: &str| id.parse::<u64>().is_ok_and(|id| (first..=last).contains(&id));
                self.steps.iter().filter(|(id, _)| is_forgotten(id)).map(|(_, step)| *step).collect()
            }
            (None, None) => return,
        };
        gone.sort_unstable();
        log.drop_steps(&gone);
        log.summarize(of("summary").and_then(Value::as_str).unwrap_or_default());
    }

    /// Reports what an event cost beyond those before it.
    fn account(&mut self, sum: &Usage, log: &mut Log<'_>) {
        let beyond = |now: Option<u64>, before: Option<u64>| now.map(|now| now.saturating_sub(before.unwrap_or(0)));
        let usage = Usage {
            input: beyond(sum.input, self.total_usage.input),
            output: beyond(sum.output, self.total_usage.output),
            cache_read: beyond(sum.cache_read, self.total_usage.cache_read),
            cache_write: beyond(sum.cache_write, self.total_usage.cache_write),
            cost: sum.cost.map(|now| (now - self.total_usage.cost.unwrap_or(0.0)).max(0.0)),
        };
        if usage != Usage::default() {
            log.usage(None, &usage);
        }
        self.total_usage = *sum;
    }
}

/// The cumulative figures of an event: `llm_metrics`, or the `stats` of a state update.
fn total_usage(event: &Value<'_>) -> Option<Usage> {
    if let Some(metrics) = event.get("llm_metrics") {
        return Some(usage(metrics));
    }
    let value = event.get("value")?;
    let stats = match event.get("key")?.as_str()? {
        "stats" => value,
        "full_state" => value.get("stats")?,
        _ => return None,
    };
    all_usage(stats)
}

/// The sum of what the models of a run cost.
fn all_usage(stats: &Value<'_>) -> Option<Usage> {
    let all = stats.get("usage_to_metrics")?.as_object()?.entries().map(|(_, metrics)| usage(metrics));
    let add = |a: Option<u64>, b: Option<u64>| a.map_or(b, |a| Some(a.saturating_add(b.unwrap_or(0))));
    all.reduce(|sum, one| Usage {
        input: add(sum.input, one.input),
        output: add(sum.output, one.output),
        cache_read: add(sum.cache_read, one.cache_read),
        cache_write: add(sum.cache_write, one.cache_write),
        cost: sum.cost.map_or(one.cost, |cost| Some(cost + one.cost.unwrap_or(0.0))),
    })
}

fn usage(metrics: &Value<'_>) -> Usage {
    let tokens = metrics.get("accumulated_token_usage");
    let count = |key: &str| tokens.and_then(|tokens| tokens.get(key)?.as_number()?.parse().ok());
    let (read, written) = (count("cache_read_tokens"), count("cache_write_tokens"));
    // The prompt's tokens count those of the cache.
    let cached = read.unwrap_or(0_u64).saturating_add(written.unwrap_or(0));
    Usage {
        input: count("prompt_tokens").map(|all: u64| all.saturating_sub(cached)),
        output: count("completion_tokens"),
        cache_read: read,
        cache_write: written,
        cost: metrics.get("accumulated_cost").and_then(Value::as_number).and_then(|n| n.parse().ok()),
    }
}

/// Whether a record is a row of an evaluation, not an event.
fn is_row(record: &Value<'_>) -> bool {
    history(record).is_some()
}

/// The events of a row; None: the record is none. A run that failed before it began may have null in their place.
fn history<'v, 'a>(record: &'v Value<'a>) -> Option<&'v [Value<'a>]> {
    match record.get("history").filter(|history| !history.is_null()) {
        Some(history) => history.as_array(),
        None => (record.get("instance_id").is_some() && record.get("test_result").is_some()).then_some(&[]),
    }
}

/// What a row says of its run before it begins.
fn row_head(row: &Value<'_>, log: &mut Log<'_>) {
    if let Some(id) = row.get("instance_id").and_then(Value::as_str) {
        log.title(id);
    }
    let metadata = row.get("metadata");
    let model = metadata.and_then(|m| m.get("llm_config")?.get("model")).or_else(|| metadata?.get("model"));
    let model = model.and_then(Value::as_str).map(Into::into);
    log.surroundings_ahead(&Surroundings { model, ..Surroundings::default() });
    for slot in ["instance_id", "instruction"] {
        if let Some(value) = row.get(slot) {
            log.write("session", "main", &[slot], Op::Update, value);
        }
    }
}

/// What a row says of how its run ended, which its last step accounts for.
fn row_end(row: &Value<'_>, log: &mut Log<'_>) {
    let resolved = |holder: &Value<'_>| holder.get("report")?.get("resolved")?.as_bool();
    let resolved = resolved(row).or_else(|| resolved(row.get("test_result")?));
    let facts = log.facts();
    facts.agent = row.get("metadata").and_then(|metadata| text(metadata, "agent_class")).map(str::to_owned);
    facts.finish = row.get("error").filter(|error| !error.is_null()).map(|_| "error".to_owned());
    facts.reward = resolved.map(|is_resolved| f64::from(u8::from(is_resolved)));
    for slot in ["test_result", "error"] {
        if let Some(value) = row.get(slot).filter(|value| !value.is_null()) {
            log.write("session", "main", &[slot], Op::Update, value);
        }
    }
}

#[cfg(test)]
mod tests;
