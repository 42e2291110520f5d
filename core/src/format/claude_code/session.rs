//! What the lines of a session contain besides the conversation: state of the kinds `session` and `file-history`, and
//! the title.

use super::entries::origin_of;
use super::text;
use crate::format::log::{Log, count};
use crate::json::Value;
use crate::model::PartRole;
use crate::state::Op;
use std::collections::{HashMap, HashSet};

/// Members of any line that are state, and the slots that they are written to when they change.
const MEMBERS: [(&str, &str); 8] = [
    ("sessionId", "id"),
    ("cwd", "cwd"),
    ("gitBranch", "gitBranch"),
    ("version", "version"),
    ("permissionMode", "permissionMode"),
    ("mode", "mode"),
    ("slug", "slug"),
    ("sessionKind", "sessionKind"),
];

/// Lines of which one member is state, and the slot that it is written to.
const LINES: [(&str, &str, &str); 10] = [
    ("custom-title", "customTitle", "title"),
    ("ai-title", "aiTitle", "title"),
    ("agent-name", "agentName", "agentName"),
    ("relocated", "relocatedCwd", "cwd"),
    ("worktree-state", "worktreeSession", "worktree"),
    ("pr-link", "prUrl", "pullRequest"),
    ("agent-setting", "agentSetting", "agentSetting"),
    ("tag", "tag", "tag"),
    ("continued-in", "continuedInSessionId", "continuedIn"),
    ("cost-state", "modelUsage", "modelUsage"),
];

/// The priority of a title, from a summary of the model up to a title of the user.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TitleRank {
    #[default]
    None,
    Summary,
    Model,
    User,
}

/// The session as its lines reported it so far.
#[derive(Debug, Default)]
pub(super) struct Session {
    members: HashMap<&'static str, Box<str>>,
    rank: TitleRank,
    /// Summaries of records that were not read yet.
    waiting: HashMap<u64, Box<str>>,
    /// Searches of each answer that made some, and of all.
    searches: HashMap<u64, u64>,
    searched: u64,
    /// Messages of the snapshots of files, by 64 bits, and the newest of them.
    snapshots: HashSet<u64>,
    newest_snapshot: Option<Box<str>>,
    /// What all answers of the session cost, as a line said last.
    cost: f64,
}

impl Session {
    /// Writes what a record says; its steps are reported. `is_known`: whether a record of an id came before.
    pub(super) fn read(&mut self, record: &Value<'_>, class: &str, is_known: &dyn Fn(&str) -> bool, log: &mut Log<'_>) {
        for (member, slot) in MEMBERS {
            self.member(record.get(member), slot, log);
        }
        self.member(origin_of(record), "forkedFrom", log);
        if let Some((_, member, slot)) = LINES.iter().find(|(name, ..)| *name == class) {
            self.member(record.get(member), slot, log);
        }
        self.title(record, class, is_known, log);
        match class {
            "file-history-snapshot" => self.snapshot(record, log),
            "file-history-delta" => self.delta(record, log),
            "cost-state" => self.cost(record, log),
            "continued-in" => continued(record, log),
            // The session left the worktree.
            "worktree-state"
                if record.get("worktreeSession").is_some_and(Value::is_null)
                    && self.members.remove("worktree").is_some() =>
            {
                log.remove("session", "main", &["worktree"]);
            }
            _ => {}
        }
    }

    /// What the session cost so far, with answers that no line of it reports.
    fn cost(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let cost = record.get("totalCostUSD").and_then(Value::as_number).and_then(|n| n.parse::<f64>().ok());
        // A fork counts on from the total of the session from which it was copied, which its file does not have.
        let is_fork = self.members.contains_key("forkedFrom");
        if let Some(cost) = cost.filter(|cost| *cost > self.cost && !is_fork) {
            let more = cost - std::mem::replace(&mut self.cost, cost);
            log.cost(more);
        }
    }

    fn member(&mut self, value: Option<&Value<'_>>, slot: &'static str, log: &mut Log<'_>) {
        let Some(value) = value.filter(|value| !value.is_null()) else { return };
        if self.members.get(slot).is_some_and(|known| **known == *value.text) {
            return;
        }
        self.members.insert(slot, value.text.into());
        log.write("session", "main", &[slot], Op::Update, value);
    }

    /// A title of the user counts before one of the model, and that before a summary. A summary belongs to the session
    /// only if the record that it names does: others of the project are at the beginning of a file.
    fn title(&mut self, record: &Value<'_>, class: &str, is_known: &dyn Fn(&str) -> bool, log: &mut Log<'_>) {
        match class {
            "custom-title" => self.put_title(text(record, "customTitle"), TitleRank::User, log),
            "ai-title" => self.put_title(text(record, "aiTitle"), TitleRank::Model, log),
            "summary" => {
                let (Some(summary), Some(leaf)) = (text(record, "summary"), text(record, "leafUuid")) else { return };
                if is_known(leaf) {
                    self.put_title(Some(summary), TitleRank::Summary, log);
                    self.member(record.get("summary"), "summary", log);
                } else {
                    self.waiting.insert(super::entries::hash(leaf), summary.into());
                }
            }
            _ => {}
        }
    }

    fn put_title(&mut self, title: Option<&str>, rank: TitleRank, log: &mut Log<'_>) {
        if let Some(title) = title.filter(|title| rank >= self.rank && !title.trim().is_empty()) {
            self.rank = rank;
            log.title(title);
        }
    }

    /// Searches on the web: of one answer's records the greatest count, and those that a result reports.
    pub(super) fn count_searches(&mut self, record: &Value<'_>, message: &Value<'_>, log: &mut Log<'_>) {
        let of_answer = message.get("usage").and_then(|usage| usage.get("server_tool_use"));
        let of_answer = of_answer.and_then(|uses| count(uses, "web_search_requests")).unwrap_or(0);
        let of_result = record.get("toolUseResult").and_then(|result| count(result, "searchCount")).unwrap_or(0);
        let mut more = of_result;
        if of_answer > 0 {
            let id = text(message, "id").or_else(|| text(record, "requestId")).unwrap_or_default();
            let known = self.searches.entry(super::entries::hash(id)).or_default();
            more = more.saturating_add(of_answer.saturating_sub(*known));
            *known = of_answer.max(*known);
        }
        if more > 0 {
            self.searched = self.searched.saturating_add(more);
            log.derive("session", "main", &["searches"], Op::Update, &self.searched.to_string());
        }
    }

    /// A record of this id is part of the session.
    pub(super) fn saw(&mut self, id: u64, log: &mut Log<'_>) {
        if let Some(summary) = self.waiting.remove(&id) {
            self.put_title(Some(&summary), TitleRank::Summary, log);
        }
    }

    /// A file of a sub-agent has no title of its own.
    pub(super) fn of_sub_agent(&mut self, agent: &str, log: &mut Log<'_>) {
        if self.rank == TitleRank::None {
            log.title(&format!("sub-agent {agent}"));
        }
    }
}

/// The session goes on in another one, whose file is beside its own.
fn continued(record: &Value<'_>, log: &mut Log<'_>) {
    let id = text(record, "continuedInSessionId").filter(|id| !id.is_empty());
    if let Some(id) = id.filter(|id| id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')) {
        let step = log.next_step() - 1;
        log.part(PartRole::Continuation, "", &format!("{id}.jsonl"), None, Some(step));
    }
}

impl Session {
    /// A snapshot replaces the one of its message.
    fn snapshot(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let Some(snapshot) = record.get("snapshot") else { return };
        let id = text(snapshot, "messageId").or_else(|| text(record, "messageId"));
        if let (Some(id), Some(backups)) = (id, snapshot.get("trackedFileBackups")) {
            log.write("file-history", id, &[], Op::Update, backups);
            self.snapshots.insert(super::entries::hash(id));
            self.newest_snapshot = Some(id.into());
        }
    }

    /// A delta adds the backup of one file to a snapshot: the one that it names, else the newest.
    fn delta(&self, record: &Value<'_>, log: &mut Log<'_>) {
        let is_snapshot = |id: &&str| self.snapshots.contains(&super::entries::hash(id));
        let of_message = || text(record, "messageId").filter(is_snapshot);
        let id = text(record, "snapshotMessageId").or_else(of_message).or(self.newest_snapshot.as_deref());
        let id = id.or_else(|| text(record, "messageId")).unwrap_or("main");
        if let (Some(path), Some(backup)) = (text(record, "trackingPath"), record.get("backup")) {
            log.write("file-history", id, &[path], Op::Update, backup);
        }
    }
}
