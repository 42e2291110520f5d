//! The lines of a session as steps.

use super::attachment::{self, SystemPrompt};
use super::collapse::{self, Collapses};
use super::session::Session;
use super::usage::{AnswerSpend, Spend, message_id, tokens_of};
use super::{flag, text};
use crate::format::describe;
use crate::format::log::{
    self, Adapter, Blocks, Copies, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, Node, Preserved, PreservedRecords, form,
};
use crate::json::{self, Data, Value};
use crate::model::cast;
use crate::model::{PartRole, Severity, StepNo, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart};
use crate::rules::work::Dialect;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use twox_hash::XxHash3_128;

/// A line about the session.
const NOTE: Form = FIRST_ADAPTER_FORM;
/// A prompt that was typed while the agent worked.
const QUEUED: Form = FIRST_ADAPTER_FORM + 1;

/// Tools that start a sub-agent.
const SUB_AGENTS: [&str; 2] = ["Task", "Agent"];

/// The model of lines that the harness wrote itself.
const SYNTHETIC: &str = "<synthetic>";

/// The element that replaces a long output, and the words before the path of the file that holds it.
const OUTPUTS: &str = "tool-results";
const NOTICE: &str = "<persisted-output>";
const SAVED_TO: &str = "saved to: ";

/// Reads the lines of a session.
#[derive(Debug, Default)]
pub(super) struct Entries {
    session: Session,
    spend: Spend,
    copies: Copies,
    /// Calls of sub-agents by the digest of their prompts.
    prompts: HashMap<u64, StepNo>,
    inside: SubAgents,
    /// Whether this is the file of a sub-agent; None before a record says it.
    is_sub_agent: Option<bool>,
    /// Whether the last message was a result.
    last_was_result: bool,
    /// A command that the user ran, until its output comes.
    typed: Option<String>,
    system_prompt: SystemPrompt,
    collapses: Collapses,
}

/// Sub-agents whose lines are in the file of the session; ids by 64 bits.
#[derive(Debug, Default)]
struct SubAgents {
    /// Calls by their ids.
    calls: HashMap<u64, StepNo>,
    /// The first steps by the ids of the agents.
    roots: HashMap<u64, StepNo>,
    /// First steps without a call so far, by the digests of their words: a call may be logged after its agent began.
    waiting: HashMap<u64, StepNo>,
    /// Calls of which the first step is known.
    begun: HashSet<StepNo>,
}

impl SubAgents {
    /// The first step of an agent is of a call.
    fn begin(&mut self, root: StepNo, call: StepNo, log: &mut Log<'_>) {
        log.called_by(root, call);
        self.begun.insert(call);
    }

    /// Whether the lines of an agent are in this file: as those of the call that a result answers, or of its id.
    fn has(&mut self, agent: &str, result: &Value<'_>, log: &mut Log<'_>) -> bool {
        let call = text(result, "tool_use_id").and_then(|id| self.calls.get(&hash(id))).copied();
        if call.is_some_and(|call| self.begun.contains(&call)) {
            return true;
        }
        let root = self.roots.get(&hash(agent)).copied();
        if let (Some(root), Some(call)) = (root, call) {
            self.begin(root, call, log);
        }
        root.is_some()
    }
}

/// Ids by 64 bits.
pub(super) fn hash(text: &str) -> u64 {
    cast::low_u64(XxHash3_128::oneshot(text.as_bytes()))
}

impl Adapter for Entries {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        if record.as_object().is_none() {
            let why = format!("the record is not a JSON object: it is {}", record.type_name());
            return log.finding(None, "data.invalid-json", Severity::Error, why);
        }
        let id = text(record, "uuid");
        if id.is_some_and(|id| self.copies.has(id, record.text)) {
            return;
        }
        self.look_for_agent(record, log);
        let class = text(record, "type").unwrap_or("record");
        let is_side = flag(record, "isSidechain") && self.is_sub_agent != Some(true);
        surroundings(record, is_side, log);
        let is_turn = match record.get("message").filter(|_| matches!(class, "user" | "assistant")) {
            Some(message) => self.add_message(record, message, (class, is_side), log),
            None => note(record, class, &mut self.system_prompt, log),
        };
        self.collapses.read(record, class, log);
        if id.is_some() {
            log.thread(&Node {
                id,
                parent: text(record, "parentUuid").or_else(|| text(record, "logicalParentUuid")),
                is_side,
                is_turn,
                is_boundary: text(record, "subtype") == Some("compact_boundary"),
                preserved: preserved(record),
                ..Node::default()
            });
        }
        // The todo list of a sub-agent inside the file is not that of the session.
        if let Some(list) = record.get("todos").filter(|_| !is_side) {
            log.todo_list(list);
        }
        // The list in a result is better evidence than the one that the call requested.
        if let Some(list) = record.get("toolUseResult").and_then(|result| result.get("newTodos")) {
            log.todo_list(list);
        }
        let copies = &self.copies;
        self.session.read(record, class, &|leaf| Some(leaf) != id && copies.knows(leaf), log);
        if let Some(id) = id {
            self.session.saw(hash(id), log);
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match (form, values.first()) {
            (NOTE, Some(record)) => Turn::of(StepRole::System, vec![TurnPart::Text(note_text(record))]),
            (QUEUED, Some(prompt)) => Turn { role: StepRole::Unknown, ..log::show(form::MESSAGE, &[*prompt]) },
            _ => log::show(form, values),
        }
    }

    /// What the model is given with an attachment.
    fn prompt(values: &[&Value<'_>]) -> Option<Turn<'static>> {
        let record = values.first()?;
        collapse::shown(record).or_else(|| attachment::shown(record))
    }

    fn dialect(&self) -> Dialect {
        Dialect::ClaudeCode
    }

    fn restart(&mut self) {
        *self = Self::default();
    }
}

impl Entries {
    /// The first record that has the flag of sub-agents decides for the file.
    fn look_for_agent(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let Some(is_side) = record.get("isSidechain").and_then(Value::as_bool) else { return };
        if self.is_sub_agent.is_none() {
            let agent = text(record, "agentId").filter(|_| is_side);
            self.is_sub_agent = Some(agent.is_some());
            if let Some(agent) = agent {
                self.session.of_sub_agent(agent, log);
            }
        }
    }

    /// Adds a message. Returns whether it begins a turn.
    fn add_message(&mut self, record: &Value<'_>, message: &Value<'_>, of: (&str, bool), log: &mut Log<'_>) -> bool {
        let (class, is_side) = of;
        // A text that the program writes in place of an answer is not the model's and cost nothing.
        let is_synthetic = text(message, "model") == Some(SYNTHETIC);
        let usage = message.get("usage").filter(|_| !is_synthetic);
        let usage = usage.map(|usage| tokens_of(usage, record.get("costUSD")));
        let answer_spend = message_id(message).filter(|_| class == "assistant" && !is_synthetic).map(|id| {
            self.spend.add_record(id, text(record, "requestId"), usage.as_ref().and_then(|usage| usage.output))
        });
        let origin = record.get("origin").and_then(|origin| text(origin, "kind"));
        let is_notification = class == "user" && origin == Some("task-notification");
        // Another agent of the team; a sub-agent has its task in the same form.
        let is_of_team = !flag(record, "isSidechain") && first_text(message).is_some_and(is_of_team);
        let is_marked = flag(record, "isMeta") || flag(record, "isCompactSummary");
        let is_injected = is_marked || is_notification || (class == "user" && is_of_team);
        let results = blocks_of(message).filter(|block| is_result(block)).count();
        let details = details_of(record).filter(|_| results == 1);
        let blocks = Blocks {
            role: match class {
                "assistant" => StepRole::Agent,
                _ if is_notification => StepRole::System,
                _ => StepRole::User,
            },
            class: Some(class),
            time: record.get("timestamp"),
            tokens: answer_spend.as_ref().and_then(|answer_spend| answer_spend.more),
            is_injected,
            is_failed: flag(record, "isApiErrorMessage"),
            details,
            ..Blocks::of(message)
        };
        let steps = blocks.add_steps(log);
        self.run_by_user(message, log);
        if is_synthetic && !steps.is_empty() {
            log.aside();
        }
        // Calls of one answer are lines of their own; the result of one may come before the next.
        let is_more = answer_spend.as_ref().is_some_and(|answer_spend| !answer_spend.is_first);
        if is_more && self.last_was_result {
            steps.iter().filter(|(kind, _)| *kind == Kind::Call).for_each(|(_, step)| log.go_on(*step));
        }
        if !is_side {
            self.last_was_result = results > 0;
        }
        // A fork begins with copies of another session's records, which that session accounts for.
        match (&answer_spend, usage.as_ref().filter(|_| origin_of(record).is_none())) {
            (Some(answer_spend), Some(usage)) => log.usage(Some(&answer_spend.key), usage),
            (None, Some(usage)) => log.usage(None, usage),
            _ => {}
        }
        self.session.count_searches(record, message, log);
        self.link(record, message, &steps, is_side, log);
        match (class, answer_spend) {
            ("assistant", Some(AnswerSpend { is_first, .. })) => is_first,
            ("assistant", None) => true,
            _ => results == 0 && !is_injected,
        }
    }

    /// A command that the user ran with `!`. It has the effects of a call and is not counted as one.
    fn run_by_user(&mut self, message: &Value<'_>, log: &mut Log<'_>) {
        let Some(words) = first_text(message) else { return };
        if let Some(command) = between(words, "<bash-input>", "</bash-input>") {
            self.typed = Some(command.to_owned());
        } else if let Some(printed) = between(words, "<bash-stdout>", "</bash-stdout>")
            && let Some(command) = self.typed.take()
        {
            let arguments = format!("{{\"command\":{}}}", json::quote(&command));
            effects_beside("Bash", &arguments, (None, printed), log);
        }
    }

    /// Sub-agents: calls that start them, their first words inside the file, their files; outputs in other files.
    fn link(
        &mut self,
        record: &Value<'_>,
        message: &Value<'_>,
        steps: &[(Kind, StepNo)],
        is_side: bool,
        log: &mut Log<'_>,
    ) {
        let of_kind = |wanted: Kind| steps.iter().filter(move |(kind, _)| *kind == wanted).map(|(_, step)| *step);
        let calls = blocks_of(message).filter(|block| text(block, "type") == Some("tool_use"));
        for (call, step) in calls.zip(of_kind(Kind::Call)) {
            let prompt = call.get("input").and_then(|input| text(input, "prompt"));
            if let Some(prompt) = prompt.filter(|_| text(call, "name").is_some_and(|name| SUB_AGENTS.contains(&name))) {
                self.prompts.insert(hash(prompt), step);
                self.inside.calls.extend(text(call, "id").map(|id| (hash(id), step)));
                if let Some(root) = self.inside.waiting.remove(&hash(prompt)) {
                    self.inside.begin(root, step, log);
                }
            }
        }
        let is_root = is_side && text(record, "parentUuid").is_none();
        if let (true, Some(words), Some(step)) = (is_root, first_text(message), of_kind(Kind::Message).next()) {
            self.inside.roots.extend(text(record, "agentId").map(|agent| (hash(agent), step)));
            match self.prompts.get(&hash(words)) {
                Some(call) => self.inside.begin(step, *call, log),
                None => {
                    self.inside.waiting.insert(hash(words), step);
                }
            }
        }
        let details = record.get("toolUseResult");
        let results = blocks_of(message).filter(|block| is_result(block));
        for (result, step) in results.zip(of_kind(Kind::Result)) {
            let agent = details.and_then(|details| text(details, "agentId"));
            if let Some(agent) = agent.filter(|agent| !self.inside.has(agent, result, log)) {
                let file = format!("agent-{agent}.jsonl");
                let identity = agent_identity(record, agent).unwrap_or_else(|| format!("/{agent}"));
                log.part(PartRole::SubAgent, "subagents", &file, Some(&identity), Some(step));
            }
            if let Some(file) = details.and_then(workflow_journal) {
                log.part(PartRole::SubAgent, "subagents", &file, None, Some(step));
            }
            let path = details.and_then(|details| text(details, "persistedOutputPath")).map(Cow::Borrowed);
            if let Some(path) = path.or_else(|| persisted(result)) {
                let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
                log.part(PartRole::Output, OUTPUTS, file, None, Some(step));
            }
        }
    }
}

/// The file that names the agents of a workflow, below the sub-agents of the session.
fn workflow_journal(details: &Value<'_>) -> Option<String> {
    let folder = text(details, "transcriptDir").filter(|_| details.get("runId").is_some())?;
    Some(format!("workflows/{}/journal.jsonl", folder.rsplit(['/', '\\']).next()?))
}

/// What the file of a sub-agent is (0.4): the session of a record, and the agent. A fork of the session names it first.
pub(super) fn agent_identity(record: &Value<'_>, agent: &str) -> Option<String> {
    let session = text(record, "sessionId").or_else(|| text(record, "parentSessionId"))?;
    Some(format!("{session}/{agent}"))
}

/// What a result holds beside its text; of a call that was not permitted, that it was not.
fn details_of<'v>(record: &'v Value<'v>) -> Option<&'v Value<'v>> {
    let of = |key: &str| record.get(key).filter(|value| value.as_object().is_some());
    let denied = of("permissionDecision").filter(|decision| text(decision, "decision") == Some("reject"));
    denied.or_else(|| of("toolUseResult"))
}

/// The session from which a fork copied a record. From version 2.1.332 on, answers alone name it.
pub(super) fn origin_of<'v>(record: &'v Value<'v>) -> Option<&'v Value<'v>> {
    let asked_by = record.get("requestSessionId").filter(|id| id.as_str().is_some());
    let is_other = |id: &&Value<'_>| id.as_str() != text(record, "sessionId");
    record.get("forkedFrom").and_then(|origin| origin.get("sessionId")).or(asked_by.filter(is_other))
}

/// The blocks of a message.
fn blocks_of<'v>(message: &'v Value<'v>) -> impl Iterator<Item = &'v Value<'v>> {
    message.get("content").and_then(Value::as_array).into_iter().flatten()
}

fn is_result(block: &Value<'_>) -> bool {
    text(block, "type").is_some_and(|class| class.ends_with("tool_result"))
}

fn first_text<'v>(message: &'v Value<'v>) -> Option<&'v str> {
    let content = message.get("content")?;
    content.as_str().or_else(|| blocks_of(message).find_map(|block| text(block, "text")))
}

/// Whether a message of the role user is from another agent of the team.
fn is_of_team(text: &str) -> bool {
    text.trim_start().starts_with("<teammate-message ")
}

/// The path in the notice that replaces a long output.
fn persisted<'v>(result: &'v Value<'v>) -> Option<Cow<'v, str>> {
    let content = result.get("content")?;
    let text = content.as_str().or_else(|| content.as_array()?.iter().find_map(|part| text(part, "text")))?;
    let notice = text.trim_start().strip_prefix(NOTICE)?;
    let path = notice.split_once(SAVED_TO)?.1.lines().next()?.trim();
    (!path.is_empty()).then_some(Cow::Borrowed(path))
}

/// The records that a compaction leaves in the context as they are.
fn preserved<'v>(record: &'v Value<'v>) -> Option<Preserved<'v>> {
    let metadata = record.get("compactMetadata")?;
    if let Some(messages) = metadata.get("preservedMessages")
        && let Some(ids) = messages.get("uuids").and_then(Value::as_array)
    {
        return Some(Preserved { records: PreservedRecords::Listed(ids), anchor: text(messages, "anchorUuid") });
    }
    let segment = metadata.get("preservedSegment")?;
    let records = PreservedRecords::Line(text(segment, "headUuid")?, text(segment, "tailUuid")?);
    Some(Preserved { records, anchor: text(segment, "anchorUuid") })
}

/// What holds around a record. A sub-agent's model is not the run's.
fn surroundings(record: &Value<'_>, is_side: bool, log: &mut Log<'_>) {
    let session_text = |key: &str| text(record, key).filter(|_| !is_side).map(Cow::Borrowed);
    let model = record.get("message").and_then(|message| text(message, "model"));
    let model = model.filter(|model| !is_side && *model != SYNTHETIC);
    log.surroundings(&Surroundings {
        cwd: session_text("cwd"),
        model: model.map(Cow::Borrowed),
        mode: session_text("permissionMode"),
        effort: session_text("effort"),
        branch: session_text("gitBranch").filter(|branch| !branch.is_empty()),
        is_compaction: text(record, "subtype") == Some("compact_boundary"),
    });
}

/// Adds a line that is not a message. Returns whether it begins a turn.
fn note(record: &Value<'_>, class: &str, prompt: &mut SystemPrompt, log: &mut Log<'_>) -> bool {
    let attachment = record.get("attachment").filter(|_| class == "attachment");
    let kind = attachment.and_then(|attachment| text(attachment, "type"));
    let queued = attachment.and_then(|attachment| attachment.get("prompt"));
    if let (Some("queued_command"), Some(queued), Some(attachment)) = (kind, queued, attachment) {
        let values = [queued];
        // A text that the program puts into the queue is not the user's.
        let is_notification = text(attachment, "commandMode").is_some_and(|mode| mode != "prompt");
        let is_injected = flag(record, "isMeta") || flag(attachment, "isMeta") || is_notification;
        let draft = Draft {
            role: if is_notification { StepRole::System } else { StepRole::User },
            class: kind,
            time: record.get("timestamp"),
            is_injected,
            ..Draft::of(Kind::Message, QUEUED, &values)
        };
        log.step(&draft);
        return !is_injected;
    }
    let values = [record];
    let class = kind.or_else(|| text(record, "subtype").filter(|_| class == "system")).unwrap_or(class);
    log.step(&Draft {
        role: StepRole::System,
        class: Some(class),
        time: record.get("timestamp"),
        is_failed: matches!(class, "api_error" | "error"),
        is_injected: flag(record, "isMeta"),
        ..Draft::of(Kind::State, NOTE, &values)
    });
    if let (Some(kind), Some(attachment)) = (kind, attachment) {
        attachment::read(record, kind, attachment, prompt, log);
    }
    false
}

/// The effects of a read that no call asked for.
pub(super) fn read_beside(path: &str, range: &str, details: Option<&str>, shown: &str, log: &mut Log<'_>) {
    effects_beside("Read", &format!("{{\"file_path\":{}{range}}}", json::quote(path)), (details, shown), log);
}

/// The effects of a call that the model did not make, and of its result.
fn effects_beside(name: &'static str, arguments: &str, (details, text): (Option<&str>, &str), log: &mut Log<'_>) {
    let id = Some(Cow::Borrowed("beside"));
    let call = ToolCall { id: id.clone(), name: name.into(), arguments: arguments.into() };
    log.effects_beside(&Turn::of(StepRole::Agent, vec![TurnPart::Call(call)]));
    let result = ToolResult { id, text: text.into(), details: details.map(Cow::Borrowed), ..ToolResult::default() };
    log.effects_beside(&Turn::of(StepRole::Environment, vec![TurnPart::Result(result)]));
}

/// The text between two marks, if it begins with the first.
fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    Some(text.strip_prefix(start)?.split_once(end)?.0)
}

/// Members whose text says what a line is about.
const TEXTS: [&str; 14] = [
    "summary",
    "customTitle",
    "aiTitle",
    "agentName",
    "lastPrompt",
    "content",
    "text",
    "permissionMode",
    "mode",
    "prUrl",
    "worktreePath",
    "relocatedCwd",
    "continuedInSessionId",
    "filename",
];

/// Members that lines have whatever they are about.
const ENVELOPE: [&str; 10] =
    ["isSidechain", "userType", "entrypoint", "cwd", "version", "gitBranch", "subtype", "slug", "isMeta", "level"];

/// The turn of a line that is not a message.
fn note_text<'v>(record: &'v Value<'v>) -> Cow<'v, str> {
    let places = [Some(record), record.get("attachment"), record.get("worktreeSession"), record.get("data")];
    let text = places.into_iter().flatten().find_map(|place| TEXTS.iter().find_map(|key| text(place, key)));
    if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
        return Cow::Borrowed(text);
    }
    if let Some(error) = record.get("error").and_then(error_parts) {
        return Cow::Borrowed(error);
    }
    if let Some(text) = attachment::text_for_model(record) {
        return Cow::Owned(text);
    }
    match record.get("attachment").or_else(|| record.get("snapshot")).or_else(|| record.get("data")) {
        Some(inner) => Cow::Owned(describe::note(inner)),
        None => Cow::Owned(describe::note_without(record, &ENVELOPE)),
    }
}

/// The words of an error.
pub(in crate::format) fn error_parts<'v>(error: &'v Value<'v>) -> Option<&'v str> {
    match &error.data {
        Data::String(text) => Some(text),
        _ => ["formatted", "message"].iter().find_map(|key| text(error, key)).filter(|text| !text.is_empty()),
    }
}
