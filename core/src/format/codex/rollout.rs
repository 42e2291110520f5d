//! The records of a rollout.

use super::payload::{
    compacted_text, flag_of, instructions, is_added, is_injected, is_reasoning, replacement, surround, tokens,
};
use super::show;
use super::totals::{Start, Totals};
use super::world_state::WorldState;
use crate::format::log::{
    Adapter, Blocks, Copies, Draft, Earlier, Form, Kind, Log, count, first, first_text, form, text, text_of,
    write_slots,
};
use crate::json::{self, Value};
use crate::model::{PartRole, StepNo, StepRole, Surroundings, Turn, TurnPart};
use crate::rules::work::Dialect;
use crate::state::Op;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Most items that wait for the result of their call, with their texts.
const WAITING_MAX: usize = 256;

/// How many times a call that follows an item of its id may cause the file to be read again: writers put the call
/// first.
const LATE_CALLS_MAX: usize = 3;

/// Reads a rollout.
#[derive(Default)]
pub(super) struct Rollout {
    known: RolloutFacts,
    /// Whether messages or reasoning were shown that a later item repeats.
    has_unfolded_messages: bool,
    has_unfolded_thoughts: bool,
    /// The id of the session that the file belongs to.
    session_id: Option<Box<str>>,
    /// Where its own records begin, if it starts with a copy of those of another session.
    start: Start,
    world: WorldState,
    /// Steps of the calls by each of their ids.
    calls: HashMap<Box<str>, StepNo>,
    /// Ids of items that were shown as call and result, since no call of their id came before.
    nested: HashSet<Box<str>>,
    waiting: HashMap<Box<str>, Earlier>,
    /// Answers whose tokens were counted.
    responses: HashSet<Box<str>>,
    totals: Totals,
    spend: Option<Spend>,
    /// First step of the model's answer that no count of tokens reported yet.
    answer: Option<StepNo>,
    /// Calls that begin threads of sub-agents, by their ids, and the threads that were named.
    spawns: HashMap<Box<str>, StepNo>,
    threads: HashSet<Box<str>>,
    /// The prompts of the user that were not taken back.
    turns: Vec<StepNo>,
    /// Records by their ordinals.
    copies: Copies,
}

/// What is known of the file as a whole, and remains when it is read again.
#[derive(Default, Clone)]
struct RolloutFacts {
    has_messages: bool,
    has_reasoning: bool,
    /// Calls that come after an item of their id.
    late_calls: HashSet<Box<str>>,
}

/// Which records give the tokens: those of the first kind that comes, since both report the same.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spend {
    Counts,
    Records,
}

/// The folder in which sessions are, each a file named by its id.
const SESSIONS: &str = "sessions";

/// Where the output of a call that began a thread says which.
const AGENT_ID: [&str; 2] = ["agent_id", "thread_id"];

/// Whether a text is the id of a thread, and no placeholder.
fn is_thread(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Whether an item is a call: that of no class is none, as its result is none.
fn is_call(class: &str) -> bool {
    class.ends_with("_call") && class != "tool_call"
}

fn is_result(class: &str) -> bool {
    class.ends_with("_output")
}

impl Adapter for Rollout {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let Some(payload) = record.get("payload").filter(|payload| payload.as_object().is_some()) else {
            return self.bare(record, log);
        };
        let ordinal = record.get("ordinal").and_then(Value::as_number);
        if ordinal.is_some_and(|ordinal| self.copies.has(ordinal, record.text)) {
            return;
        }
        match text(record, "type").unwrap_or("record") {
            "response_item" => self.item(record, payload, log),
            "event_msg" => self.event(record, payload, log),
            "token_usage_record" => {
                let response = text(payload, "response_id");
                if response.is_none_or(|id| self.responses.insert(id.into())) && !self.start.is_after(record) {
                    self.spend(Spend::Records, payload.get("usage"), log);
                }
            }
            "session_meta" => self.meta(record, payload, log),
            "history_mutation" => self.mutate(record, payload, log),
            class => self.other(record, payload, class, log),
        }
    }

    /// What another agent says, and what the program adds to the context.
    fn prompt(values: &[&Value<'_>]) -> Option<Turn<'static>> {
        let value = values.first()?;
        if let Some(turn) = replacement(value) {
            return Some(turn);
        }
        if let Some(text) = instructions(value) {
            return Some(Turn::of(StepRole::System, vec![TurnPart::Text(Cow::Owned(text.to_owned()))]));
        }
        let text = first(value, &["content", "output"]).map(text_of).filter(|text| !text.is_empty())?;
        Some(Turn::of(StepRole::User, vec![TurnPart::Text(Cow::Owned(text.into_owned()))]))
    }

    fn dialect(&self) -> Dialect {
        Dialect::Codex
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        show::show(form, values)
    }

    fn restart(&mut self) {
        *self = Self { known: std::mem::take(&mut self.known), ..Self::default() };
    }
}

/// A state step of a record.
pub(super) fn state(record: &Value<'_>, shown: &Value<'_>, class: &str, log: &mut Log<'_>) -> StepNo {
    let (values, time) = ([shown], record.get("timestamp"));
    let is_failed = matches!(class, "error" | "stream_error" | "turn.failed");
    // Without the items that these mirror they are all that is said of the conversation.
    let role = match class {
        "user_message" => StepRole::User,
        "agent_message" | "agent_reasoning" => StepRole::Agent,
        _ => StepRole::System,
    };
    log.step(&Draft { role, class: Some(class), time, is_failed, ..Draft::of(Kind::State, form::STATE, &values) })
}

impl Rollout {
    /// A record without envelope, as rollouts had them at first.
    fn bare(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        match text(record, "type") {
            Some(_) => self.item(record, record, log),
            None if text(record, "record_type") == Some("state") => {}
            None => self.meta(record, record, log),
        }
    }

    fn meta(&mut self, record: &Value<'_>, meta: &Value<'_>, log: &mut Log<'_>) {
        let id = text(meta, "id").unwrap_or_default();
        let is_this_session = self.session_id.is_none();
        if is_this_session {
            self.session_id = Some(id.into());
            self.start = Start::of(meta);
            log.title(id);
            let branch = meta.get("git").and_then(|git| text(git, "branch")).map(Cow::Borrowed);
            let cwd = text(meta, "cwd").map(Cow::Borrowed);
            log.surroundings(&Surroundings { cwd, branch, ..Surroundings::default() });
        }
        let step = state(record, meta, "session_meta", log);
        if is_this_session && instructions(meta).is_some() {
            log.prompt();
            log.fix();
        }
        log.declare_tools(meta.get("dynamic_tools"));
        let base = meta.get("history_base").and_then(|base| text(base, "thread_id"));
        if let Some(base) = base.filter(|base| is_this_session && is_thread(base)) {
            log.part(PartRole::Prefix, SESSIONS, base, Some(base), Some(step));
        }
        // After the file's own are those of the records that a fork copied.
        let is_this_session = is_this_session || self.session_id.as_deref() == Some(id);
        let instance = if is_this_session { "main" } else { id };
        const SLOTS: [&str; 15] = [
            "id",
            "cwd",
            "originator",
            "cli_version",
            "source",
            "model_provider",
            "git",
            "forked_from_id",
            "parent_thread_id",
            "history_base",
            "thread_source",
            "agent_nickname",
            "agent_role",
            "agent_path",
            "dynamic_tools",
        ];
        write_slots(log, "session", instance, meta, &SLOTS);
    }

    pub(super) fn item(&mut self, record: &Value<'_>, payload: &Value<'_>, log: &mut Log<'_>) {
        let class = text(payload, "type").unwrap_or("response_item");
        let time = record.get("timestamp");
        let of = |kind, form, role| Draft { role, class: Some(class), time, ..Draft::of(kind, form, &[]) };
        match class {
            "message" if !is_reasoning(payload) => {
                self.message(payload, time, log);
                // The answer to the request for a summary is in no window; what was compacted has it.
                if flag_of(record, payload, "compaction_output") {
                    log.aside();
                }
            }
            "reasoning" | "message" => {
                self.learn(|known| &mut known.has_reasoning, self.has_unfolded_thoughts, log);
                let step =
                    log.step(&Draft { values: &[payload], ..of(Kind::Thought, show::REASONING, StepRole::Agent) });
                self.answer.get_or_insert(step);
            }
            class if is_call(class) => {
                let step = log.step(&Draft { values: &[payload], ..of(Kind::Call, show::CALL, StepRole::Agent) });
                self.answer.get_or_insert(step);
                self.call(step, payload, log);
            }
            // What the program adds to the context has the form of an output, of no call.
            class if is_result(class) && text(payload, "call_id").is_none() && is_added(record, payload) => {
                state(record, payload, class, log);
                log.prompt();
            }
            class if is_result(class) => {
                let id = text(payload, "call_id").unwrap_or_default();
                let item: Vec<Earlier> = self.waiting.remove(id).into_iter().collect();
                let draft = of(Kind::Result, show::OUTPUT, StepRole::Environment);
                log.step_with(&Draft { values: &[payload], ..draft }, &item);
                if let Some(call) = self.spawns.remove(id) {
                    let output = payload.get("output").and_then(Value::as_str).and_then(|text| json::parse(text).ok());
                    self.spawned(output.as_ref().and_then(|output| first_text(output, &AGENT_ID)), Some(call), log);
                }
            }
            _ => {
                state(record, payload, class, log);
                match class {
                    "agent_message" => log.prompt(),
                    "additional_tools" => log.declare_tools(payload.get("tools")),
                    _ => {}
                }
            }
        }
    }

    fn message(&mut self, message: &Value<'_>, time: Option<&Value<'_>>, log: &mut Log<'_>) {
        self.learn(|known| &mut known.has_messages, self.has_unfolded_messages, log);
        let is_user = text(message, "role") == Some("user");
        let is_injected = is_user && is_injected(message);
        let added = Blocks { class: Some("message"), time, is_injected, ..Blocks::of(message) }.add_steps(log);
        if is_user && !is_injected {
            self.turns.extend(added.first().map(|(_, step)| *step));
        }
        if text(message, "role") == Some("assistant") {
            self.answer = self.answer.or(added.first().map(|(_, step)| *step));
        }
    }

    /// The file has messages or reasoning; if mirrors of them were shown, it is read again.
    fn learn(&mut self, flag: impl Fn(&mut RolloutFacts) -> &mut bool, is_late: bool, log: &mut Log<'_>) {
        let known = flag(&mut self.known);
        if !std::mem::replace(known, true) && is_late {
            log.read_again();
        }
    }

    /// A call is known by both its ids.
    fn call(&mut self, step: StepNo, payload: &Value<'_>, log: &mut Log<'_>) {
        if text(payload, "name") == Some("spawn_agent") {
            self.spawns.extend(text(payload, "call_id").map(|id| (id.into(), step)));
        }
        for id in ["call_id", "id"].iter().filter_map(|key| text(payload, key)) {
            let is_late = self.nested.contains(id) && self.known.late_calls.len() < LATE_CALLS_MAX;
            if is_late && self.known.late_calls.insert(id.into()) {
                log.read_again();
            }
            self.calls.insert(id.into(), step);
        }
    }

    fn event(&mut self, record: &Value<'_>, payload: &Value<'_>, log: &mut Log<'_>) {
        let class = text(payload, "type").unwrap_or("event_msg");
        match class {
            "token_count" => return self.token_count(record, payload, log),
            "item_completed" => {
                if let Some(item) = payload.get("item") {
                    return self.completed(record, payload, item, log);
                }
            }
            _ if self.is_mirror(class) => return,
            _ => {}
        }
        if class == "thread_settings_applied"
            && let Some(settings) = payload.get("thread_settings")
        {
            surround(settings, log);
        }
        state(record, payload, class, log);
        match class {
            "thread_settings_applied" => replace_value(log, "thread_settings", payload.get("thread_settings")),
            "thread_goal_updated" => replace_value(log, "thread_goal", payload.get("goal")),
            // What it says of the call is beside the result, which comes after it. One that no call asked for by its
            // id was made by a script of the model.
            "patch_apply_end" | "mcp_tool_call_end" | "dynamic_tool_call_response" => {
                match text(payload, "call_id").filter(|id| self.calls.contains_key(*id)) {
                    Some(id) => self.wait(id, payload, log),
                    None => super::item::patched(payload, log),
                }
            }
            "thread_rolled_back" => self.roll_back(payload, log),
            "collab_agent_spawn_end" => {
                let call = text(payload, "call_id").and_then(|id| self.calls.get(id)).copied();
                self.spawned(text(payload, "new_thread_id"), call, log);
            }
            "thread_name_updated" => {
                if let Some(name) = text(payload, "thread_name") {
                    log.title(name);
                }
                write_slots(log, "session", "main", payload, &["thread_name"]);
            }
            _ => {}
        }
    }

    /// A call began the thread of a sub-agent, whose file is named once.
    fn spawned(&mut self, thread: Option<&str>, call: Option<StepNo>, log: &mut Log<'_>) {
        let Some(id) = thread.filter(|id| is_thread(id)) else { return };
        if self.threads.insert(id.into()) {
            log.part(PartRole::SubAgent, SESSIONS, id, Some(id), call);
        }
    }

    /// The last turns of the user were undone, with everything that followed.
    fn roll_back(&mut self, payload: &Value<'_>, log: &mut Log<'_>) {
        let count = count(payload, "num_turns").and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        let remaining = self.turns.len().saturating_sub(count);
        let end = log.next_step() - 1;
        if let Some(first) = self.turns.get(remaining).copied() {
            (first..end).for_each(|step| log.leave(step));
            self.turns.truncate(remaining);
        }
    }

    /// Whether an event says again what an item of the file says.
    fn is_mirror(&mut self, class: &str) -> bool {
        match class {
            "user_message" | "agent_message" => {
                self.has_unfolded_messages |= !self.known.has_messages;
                self.known.has_messages
            }
            class if class.starts_with("agent_reasoning") => {
                self.has_unfolded_thoughts |= !self.known.has_reasoning;
                self.known.has_reasoning
            }
            _ => false,
        }
    }

    /// An item of a paginated file: a mirror, a detail of a call, or a call within another.
    fn completed(&mut self, record: &Value<'_>, payload: &Value<'_>, item: &Value<'_>, log: &mut Log<'_>) {
        let class = text(item, "type").unwrap_or("item");
        let mirrored = match class {
            "UserMessage" | "AgentMessage" => "agent_message",
            "Reasoning" => "agent_reasoning",
            _ => "",
        };
        if self.is_mirror(mirrored) {
            return;
        }
        if !super::item::is_call(class) {
            state(record, payload, class, log);
            match class {
                "Plan" => write_slots(log, "plan", "main", item, &["text"]),
                "SubAgentActivity" => {
                    let call = text(item, "id").and_then(|id| self.calls.get(id)).copied();
                    self.spawned(text(item, "agent_thread_id"), call, log);
                }
                _ => {}
            }
            return;
        }
        let id = text(item, "id").unwrap_or_default();
        if self.calls.contains_key(id) || self.known.late_calls.contains(id) {
            return self.wait(id, item, log);
        }
        self.nested.insert(id.into());
        let is_users = text(item, "source") == Some("user_shell");
        let caller = if is_users { StepRole::User } else { StepRole::Agent };
        let (values, time) = ([item], record.get("timestamp"));
        let forms = [(Kind::Call, show::ITEM, caller), (Kind::Result, show::ITEM_OUTPUT, StepRole::Environment)];
        for (kind, form, role) in forms {
            log.step(&Draft { role, class: Some(class), time, ..Draft::of(kind, form, &values) });
            // What a script of the model ran, of which it saw what the script printed, or what the user ran, which a
            // message reports.
            if is_users || !self.calls.is_empty() {
                log.aside();
            }
        }
    }

    /// Stores the details of a call for the step of its result.
    fn wait(&mut self, id: &str, item: &Value<'_>, log: &mut Log<'_>) {
        if self.waiting.len() >= WAITING_MAX {
            self.waiting.clear();
        }
        self.waiting.insert(id.into(), log.keep(item));
    }

    fn token_count(&mut self, record: &Value<'_>, payload: &Value<'_>, log: &mut Log<'_>) {
        let Some(info) = payload.get("info").filter(|info| info.as_object().is_some()) else { return };
        if self.totals.is_new(info.get("total_token_usage")) {
            self.totals.check(info, log);
            if self.start.is_after(record) {
                return;
            }
            match info.get("last_token_usage").filter(|last| !last.is_null()) {
                Some(last) => self.spend(Spend::Counts, Some(last), log),
                None => self.spend_in_all(info.get("total_token_usage"), log),
            }
        }
    }

    /// A count that has only the total.
    fn spend_in_all(&mut self, total: Option<&Value<'_>>, log: &mut Log<'_>) {
        let Some(total) = total.filter(|total| total.as_object().is_some()) else { return };
        if *self.spend.get_or_insert(Spend::Counts) == Spend::Counts {
            log.usage_totals(&tokens(total), true);
        }
    }

    fn spend(&mut self, source: Spend, usage: Option<&Value<'_>>, log: &mut Log<'_>) {
        let Some(usage) = usage.filter(|usage| usage.as_object().is_some()) else { return };
        if *self.spend.get_or_insert(source) != source {
            return;
        }
        let usage = tokens(usage);
        log.usage(None, &usage);
        if let (Some(step), Some(output)) = (self.answer.take(), usage.output) {
            log.tokens(step, output);
        }
    }

    /// A record that is neither item nor event, and what it writes.
    fn other(&mut self, record: &Value<'_>, payload: &Value<'_>, class: &str, log: &mut Log<'_>) {
        match class {
            "turn_context" => surround(payload, log),
            "compacted" => log.surroundings(&Surroundings { is_compaction: true, ..Surroundings::default() }),
            _ => {}
        }
        state(record, payload, class, log);
        match class {
            "turn_context" => replace_value(log, "turn_context", Some(payload)),
            "world_state" => self.world.read(payload, log),
            "compacted" => {
                self.world.clear(log);
                log.drop_before(log.next_step() - 1);
                log.summarize(&compacted_text(payload));
                if replacement(payload).is_some() {
                    log.prompt();
                }
            }
            _ => {}
        }
    }
}

fn replace_value(log: &mut Log<'_>, kind: &str, value: Option<&Value<'_>>) {
    if let Some(value) = value {
        log.write(kind, "main", &[], Op::Update, value);
    }
}
