//! The events of `codex exec --json`.

use super::{item, payload, rollout, show};
use crate::format::log::{Adapter, Draft, Form, Kind, Log, first, items, text, write_slots};
use crate::json::{self, Value};
use crate::model::{StepNo, StepRole, Turn};
use crate::rules::work::Dialect;
use crate::state::Op;
use std::collections::HashMap;

/// Reads the events of a stream.
#[derive(Default)]
pub(super) struct Exec {
    items: HashMap<Box<str>, ReportedItem>,
    threads: Vec<Box<str>>,
}

/// An item that was reported.
struct ReportedItem {
    step: StepNo,
    form: Form,
    is_over: bool,
}

impl Adapter for Exec {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        match record.get("item").filter(|item| item.as_object().is_some()) {
            Some(item) => self.item(record, item, log),
            None => self.event(record, log),
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect::Codex
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        show::show(form, values)
    }

    fn restart(&mut self) {
        *self = Self::default();
    }
}

impl Exec {
    /// An event of the thread or of a turn.
    fn event(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let class = text(record, "type").unwrap_or("event");
        if class == "thread.started" {
            self.start(text(record, "thread_id").unwrap_or(class), log);
        }
        rollout::state(record, record, class, log);
        if let Some(usage) = record.get("usage").filter(|usage| usage.as_object().is_some()) {
            log.usage(None, &payload::tokens(usage));
        }
    }

    /// A process begins or resumes a thread. The ids of its items start again from the first.
    fn start(&mut self, thread: &str, log: &mut Log<'_>) {
        self.items.clear();
        if self.threads.is_empty() {
            log.title(thread);
        } else if self.threads.last().is_some_and(|last| **last != *thread) {
            log.begin_trajectory(thread);
        }
        let known = self.threads.iter().position(|known| **known == *thread);
        log.trajectory(known.unwrap_or_else(|| {
            self.threads.push(thread.into());
            self.threads.len() - 1
        }));
    }

    fn item(&mut self, record: &Value<'_>, item: &Value<'_>, log: &mut Log<'_>) {
        let class = first(item, &["type", "item_type"]).and_then(Value::as_str).unwrap_or("item");
        let (kind, form, role) = match class {
            "agent_message" | "assistant_message" => (Kind::Message, show::TEXT_ITEM, StepRole::Agent),
            "reasoning" => (Kind::Thought, show::THOUGHT, StepRole::Agent),
            class if item::is_call(class) => (Kind::Call, show::ITEM, StepRole::Agent),
            _ => (Kind::State, show::LAST, StepRole::System),
        };
        let values = [item];
        let time = record.get("timestamp");
        let is_failed = class == "error";
        let draft = Draft { role, class: Some(class), time, is_failed, ..Draft::of(kind, form, &values) };
        let id = text(item, "id");
        // Items without a status are complete when their event says so.
        let is_completed = text(record, "type") == Some("item.completed") && text(item, "status").is_none();
        let is_over = kind == Kind::Call && (is_completed || item::is_over(item));
        let begins = text(record, "type") == Some("item.started");
        let known = id.and_then(|id| self.items.get_mut(id));
        // An item that begins after it was over is another one, of a process whose start is not in the file.
        let was_over = match known.filter(|shown| !(begins && shown.is_over)) {
            Some(shown) => {
                log.supersede(shown.step, shown.form, item);
                let was_over = shown.is_over;
                shown.is_over |= is_over;
                was_over
            }
            None => {
                let step = log.step(&draft);
                if let Some(id) = id {
                    self.items.insert(id.into(), ReportedItem { step, form, is_over });
                }
                false
            }
        };
        if is_over && !was_over {
            let of_result = Draft { kind: Kind::Result, form: show::ITEM_OUTPUT, role: StepRole::Environment, ..draft };
            log.step(&of_result);
        }
        if class == "todo_list" {
            todos(item, log);
        }
    }
}

/// The whole todo list of an item.
fn todos(item: &Value<'_>, log: &mut Log<'_>) {
    let entries = items(item, "items");
    if entries.is_empty() {
        return write_slots(log, "plan", "main", item, &["content"]);
    }
    if let Some(list) = item.get("items") {
        log.write("plan", "main", &["items"], Op::Update, list);
    }
    // Entries have no status, they are completed or not.
    let todo = |entry: &Value<'_>| {
        let is_completed = entry.get("completed").and_then(Value::as_bool) == Some(true);
        let status = if is_completed { "completed" } else { "pending" };
        Some(format!("{{\"text\":{},\"status\":\"{status}\"}}", json::quote(text(entry, "text")?)))
    };
    let todos: Vec<String> = entries.iter().filter_map(todo).collect();
    if let Ok(list) = json::parse(&format!("[{}]", todos.join(","))) {
        log.todo_list(&list);
    }
}
