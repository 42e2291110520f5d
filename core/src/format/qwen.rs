//! Sessions of Qwen Code: records with Gemini's parts, one a line or glued (`FORMATS.md` 17).

use super::Framing;
use super::log::{
    Adapter, Copies, Draft, Kind, Log, LogRun, Node, Parts, Row, count, form, part_usage, text, write_slots,
};
use crate::json::Value;
use crate::model::{StepRole, Surroundings, Usage};
use crate::state::Op;
use std::borrow::Cow;

/// Sessions of Qwen Code.
pub(super) static QWEN: Row = Row {
    name: "qwen-code",
    agent: Some("qwen-code"),
    title: "Qwen Code session",
    about: "Sessions of Qwen Code: records of `uuid`, `sessionId`, `type` and a `message` of Gemini's parts, one a \
            line or several on one. State: the session, and the one from which it was forked: what was copied from \
            there costs nothing here.",
    framing: Framing::LogValues,
    run: || Box::new(LogRun::new(Records::default())),
    samples: &[SESSION],
    ..Row::BASE
};

/// A session; its last two records stand on one line.
const SESSION: &str = concat!(
    r#"{"uuid":"a","parentUuid":null,"sessionId":"s","timestamp":"2026-05-01T10:00:00Z","type":"user","#,
    r#""cwd":"/w","version":"0.21","message":{"role":"user","parts":[{"text":"read it"}]}}"#,
    "\n",
    r#"{"uuid":"b","parentUuid":"a","sessionId":"s","timestamp":"2026-05-01T10:00:01Z","type":"assistant","#,
    r#""cwd":"/w","version":"0.21","model":"m","message":{"role":"model","parts":[{"text":"Open it.","#,
    r#""thought":true},{"functionCall":{"id":"c","name":"read_file","args":{"path":"a.txt"}}}]},"#,
    r#""usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3,"cachedContentTokenCount":4,"#,
    r#""thoughtsTokenCount":2}}"#,
    "\n",
    r#"{"uuid":"d","parentUuid":"b","sessionId":"s","type":"tool_result","cwd":"/w","version":"0.21","#,
    r#""message":{"role":"user","parts":[{"functionResponse":{"id":"c","name":"read_file","#,
    r#""response":{"output":"one"}}}]},"toolCallResult":{"callId":"c","status":"success","#,
    r#""resultDisplay":"one"}}"#,
    r#"{"uuid":"e","parentUuid":"d","sessionId":"s","type":"assistant","cwd":"/w","version":"0.21","#,
    r#""model":"m","message":{"role":"model","parts":[{"text":"It says one."}]}}"#,
);

/// Reads the records of a session.
#[derive(Default)]
struct Records {
    copies: Copies,
    /// Whether the user gave the session its title.
    is_named: bool,
    /// Whether this is the file of a sub-agent; None before a record says it.
    is_sub_agent: Option<bool>,
    /// The session from which records were copied, as written.
    origin: Option<Box<str>>,
}

/// Records in the place of a user's message that nobody typed.
const NOTIFICATIONS: [&str; 3] = ["notification", "background_task_completed", "cron"];

impl Adapter for Records {
    fn restart(&mut self) {
        *self = Self::default();
    }

    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        if text(record, "uuid").is_some_and(|id| self.copies.has(id, record.text)) {
            return;
        }
        if log.next_step() == 0
            && let Some(id) = text(record, "sessionId")
        {
            log.title(id);
        }
        let is_marked = record.get("isSidechain").and_then(Value::as_bool);
        let is_side = is_marked == Some(true) && self.is_sub_agent == Some(false);
        self.is_sub_agent = self.is_sub_agent.or(is_marked).or(Some(false));
        let of = |key: &str| text(record, key).map(Cow::Borrowed);
        // A sub-agent's model is not the run's.
        let (cwd, model, branch) = (of("cwd"), of("model").filter(|_| !is_side), of("gitBranch"));
        let subtype = text(record, "subtype");
        let is_compaction = subtype == Some("chat_compression");
        let payload = |key: &str| record.get("systemPayload").and_then(|payload| text(payload, key));
        let mode = payload("mode").filter(|_| subtype == Some("session_approval_mode")).map(Cow::Borrowed);
        log.surroundings(&Surroundings { cwd, model, mode, branch, is_compaction, ..Surroundings::default() });
        // A title without a source is of a version in which only users gave titles.
        let is_automatic = payload("titleSource") == Some("auto");
        if let Some(title) = payload("customTitle").filter(|_| !(is_automatic && self.is_named)) {
            self.is_named = !is_automatic;
            log.title(title);
        }
        let class = text(record, "type").unwrap_or("record");
        // What the user wrote while the agent worked is the user's all the same.
        let is_injected = class == "user" && subtype.is_some_and(|subtype| subtype != "mid_turn_user_message");
        let role = match class {
            "user" if subtype.is_some_and(|subtype| NOTIFICATIONS.contains(&subtype)) => StepRole::System,
            "user" => StepRole::User,
            "assistant" => StepRole::Agent,
            "tool_result" => StepRole::Environment,
            _ => StepRole::System,
        };
        if let Some(id) = text(record, "uuid") {
            let is_turn = matches!(class, "user" | "assistant") && !is_injected;
            let parent = text(record, "parentUuid");
            log.thread(&Node { id: Some(id), parent, is_turn, is_side, ..Node::default() });
        }
        let usage = record.get("usageMetadata").map(part_usage);
        // What a record of another type has is no part of the conversation.
        let message = record.get("message").filter(|_| role != StepRole::System || class == "user").unwrap_or(record);
        let steps = Parts {
            class: subtype.filter(|_| is_injected).or(Some(class)),
            time: record.get("timestamp"),
            tokens: usage.as_ref().and_then(|usage| usage.output),
            is_injected,
            details: record.get("toolCallResult"),
            ..Parts::of(message, role)
        }
        .add_steps(log);
        if steps.is_empty() {
            // Around what it says is what every record repeats.
            let payload = record.get("systemPayload").filter(|payload| payload.as_object().is_some());
            let command = payload.filter(|_| subtype == Some("slash_command")).and_then(typed_command);
            let form = if command.is_some() { form::MESSAGE } else { form::STATE };
            let (values, time) = ([command.or(payload).unwrap_or(record)], record.get("timestamp"));
            let class = subtype.or(Some(class));
            log.step(&Draft { role, class, time, ..Draft::of(Kind::State, form, &values) });
        }
        if is_compaction {
            log.drop_before(log.next_step() - 1);
            log.summarize(&compressed_text(record));
        }
        let of_session = ["sessionId", "version", "cwd", "gitBranch", "model"];
        write_slots(log, "session", "main", record, if is_side { &of_session[..4] } else { &of_session });
        self.account(record, usage, log);
    }
}

impl Records {
    /// Where a record was copied from, and what it cost.
    fn account(&mut self, record: &Value<'_>, usage: Option<Usage>, log: &mut Log<'_>) {
        let origin = record.get("forkedFrom").and_then(|origin| origin.get("sessionId"));
        if let Some(origin) = origin.filter(|origin| self.origin.as_deref() != Some(origin.text)) {
            self.origin = Some(origin.text.into());
            log.write("session", "main", &["forkedFrom"], Op::Update, origin);
        }
        // A fork begins with copies of another session's records, which that session accounts for.
        if let Some(usage) = usage.or_else(|| compression_usage(record)).filter(|_| origin.is_none()) {
            log.usage(None, &usage);
        }
    }
}

/// The command that a user typed, of a record that reports it; what it printed is reported by another one.
fn typed_command<'v, 'a>(payload: &'v Value<'a>) -> Option<&'v Value<'a>> {
    let command = payload.get("rawCommand").filter(|command| command.as_str().is_some());
    command.filter(|_| text(payload, "phase") == Some("invocation"))
}

/// What a compression cost: only the telemetry has it. What turns and sub-agents cost is in their records too.
fn compression_usage(record: &Value<'_>) -> Option<Usage> {
    let event = record.get("systemPayload")?.get("uiEvent")?;
    let is_response = text(event, "event.name").is_some_and(|name| name.ends_with(".api_response"));
    let is_compression = text(event, "prompt_id").is_some_and(|id| id.starts_with("compress"));
    if !is_response || !is_compression || event.get("subagent_id").is_some() {
        return None;
    }
    let cached = count(event, "cached_content_token_count");
    let input = count(event, "input_token_count")?;
    Some(Usage {
        input: Some(input.saturating_sub(cached.unwrap_or(0))),
        output: count(event, "output_token_count"),
        cache_read: cached,
        ..Usage::default()
    })
}

/// What the model sees in place of the history that was compressed.
fn compressed_text(record: &Value<'_>) -> String {
    let history = record.get("systemPayload").and_then(|payload| payload.get("compressedHistory")?.as_array());
    let parts = history.unwrap_or_default().iter().filter_map(|content| content.get("parts")?.as_array()).flatten();
    parts.filter_map(|part| text(part, "text")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::log::testing::{lines, state, steps};
    use crate::model::{Standing, StepNo};

    #[test]
    fn parts_become_steps_and_a_system_record_is_shown_as_it_is() {
        let rewind =
            r#"{"uuid":"r","sessionId":"s","type":"system","subtype":"rewind","systemPayload":{"targetUuid":"a"}}"#;
        let text = SESSION.replace(r#"}}{"uuid""#, "}}\n{\"uuid\"");
        let parsed = lines(&QWEN, &format!("{text}\n{rewind}"));
        let expected = [
            "message user: read it",
            "thought agent: Open it.",
            "tool-call agent: read_file a.txt",
            "tool-result environment: one (of 2)",
            "message agent: It says one.",
        ];
        assert_eq!(steps(&parsed)[..5], expected);
        assert!(steps(&parsed)[5].starts_with("state system"), "{:?}", steps(&parsed));
        assert_eq!(parsed.0.step(5, &parsed.1).class.as_deref(), Some("rewind"));
        let message = r#""message":{"role":"user","parts":[{"text":"x"}]}"#;
        let other = format!(r#"{{"uuid":"o","sessionId":"s","type":"session_checkpoint",{message}}}"#);
        let parsed = lines(&QWEN, &format!("{text}\n{other}"));
        assert!(steps(&parsed)[5].starts_with("state system"), "{:?}", steps(&parsed));
        assert_eq!(parsed.0.step(1, &parsed.1).tokens, Some(5));
    }

    #[test]
    fn a_title_of_the_user_stays_and_what_the_user_adds_to_a_turn_is_the_users() {
        let record = |id: &str, rest: &str| format!("{{\"uuid\":\"{id}\",\"sessionId\":\"s\",{rest}}}");
        let title = |id: &str, title: &str, source: &str| {
            let payload = format!("{{\"customTitle\":\"{title}\"{source}}}");
            record(id, &format!(r#""type":"system","subtype":"custom_title","systemPayload":{payload}"#))
        };
        let auto = r#","titleSource":"auto""#;
        let user = |id: &str, subtype: &str| {
            let message = r#""message":{"role":"user","parts":[{"text":"and b"}]}"#;
            record(id, &format!(r#""type":"user","subtype":"{subtype}",{message}"#))
        };
        let mode = r#""type":"system","subtype":"session_approval_mode","systemPayload":{"mode":"yolo"}"#;
        let first = SESSION.replace(r#"}}{"uuid""#, "}}\n{\"uuid\"");
        let mut all = vec![first, title("t1", "drafts", auto)];
        let named = |all: &[String]| lines(&QWEN, &all.join("\n")).0.title();
        assert_eq!(named(&all).as_deref(), Some("drafts"));
        let shown = lines(&QWEN, &all.join("\n"));
        assert_eq!(steps(&shown)[5], "state system: customTitle drafts · titleSource auto");
        all.extend([title("t2", "mine", ""), title("t3", "later", auto), record("m", mode)]);
        assert_eq!(named(&all).as_deref(), Some("mine"));
        all.extend([user("u", "mid_turn_user_message"), user("n", "notification")]);
        let parsed = lines(&QWEN, &all.join("\n"));
        let injected = [9, 10].map(|step| parsed.0.turn(step, &parsed.1).unwrap().is_injected);
        assert_eq!(injected, [false, true], "{:?}", steps(&parsed));
    }

    #[test]
    fn a_sub_agent_inside_the_file_is_beside_the_session() {
        let record = |id: &str, parent: &str, side: bool| {
            format!(
                r#"{{"uuid":"{id}","parentUuid":{parent},"sessionId":"s","version":"1","type":"assistant",
                "model":"{id}","isSidechain":{side},"message":{{"role":"model","parts":[{{"text":"{id}"}}]}}}}"#
            )
            .replace('\n', "")
        };
        let whole = [record("a", "null", false), record("b", "null", true), record("c", "\"a\"", false)];
        let standing = |all: &[String]| {
            let parsed = lines(&QWEN, &all.join("\n"));
            (0..parsed.0.step_count()).map(|step| parsed.0.step(step as StepNo, &parsed.1).standing).collect::<Vec<_>>()
        };
        assert_eq!(standing(&whole), [Standing::Main, Standing::SubAgent, Standing::Main]);
        assert_eq!(standing(&whole[1..2]), [Standing::Main], "the file of a sub-agent is all its run");
        let parsed = lines(&QWEN, &whole[..2].join("\n"));
        assert_eq!(state(&parsed, "run", 1), r#"{"main":{"model":"a"}}"#);
    }

    #[test]
    fn an_answer_in_two_records_of_one_id_is_all_on_the_main_line() {
        let record = |id: &str, parent: &str, class: &str, parts: &str| {
            let message = format!(r#""message":{{"role":"x","parts":[{parts}]}}"#);
            format!(
                r#"{{"uuid":"{id}","parentUuid":{parent},"sessionId":"s","version":"1","type":"{class}",{message}}}"#
            )
        };
        let all = [
            record("a", "null", "user", r#"{"text":"go"}"#),
            record("b", "\"a\"", "assistant", r#"{"text":"hm","thought":true}"#),
            record("b", "\"a\"", "assistant", r#"{"text":"left"}"#),
            record("c", "\"a\"", "assistant", r#"{"text":"again","thought":true}"#),
            record("c", "\"a\"", "assistant", r#"{"text":"done"}"#),
        ];
        let parsed = lines(&QWEN, &all.join("\n"));
        let standing = [0, 1, 2, 3, 4].map(|step| parsed.0.step(step, &parsed.1).standing == Standing::Main);
        assert_eq!(standing, [true, false, false, true, true]);
    }

    #[test]
    fn copies_of_a_fork_cost_nothing_and_notifications_are_not_the_users() {
        let record = |id: &str, class: &str, rest: &str| {
            format!(r#"{{"uuid":"{id}","parentUuid":null,"sessionId":"s","version":"1","type":"{class}",{rest}}}"#)
        };
        let answer = |text: &str, more: &str| {
            let usage = r#"{"promptTokenCount":9,"candidatesTokenCount":3}"#;
            format!(r#""message":{{"role":"model","parts":[{{"text":"{text}"}}]}},"usageMetadata":{usage}{more}"#)
        };
        let fork = |id: &str| format!(r#","forkedFrom":{{"sessionId":"old","messageUuid":"{id}"}}"#);
        let notice = concat!(
            r#""subtype":"notification","message":{"role":"user","parts":[{"text":"#,
            r#""<task-notification>done</task-notification>"}]},"systemPayload":{"displayText":"Done.","#,
            r#""backgroundTask":{"taskId":"t","status":"completed","kind":"agent"}}"#,
        );
        let command = |phase: &str| {
            let payload = format!(r#"{{"phase":"{phase}","rawCommand":"/model m","outputHistoryItems":[]}}"#);
            format!(r#""subtype":"slash_command","systemPayload":{payload}"#)
        };
        let lines_of = [
            record("a", "assistant", &answer("one", &fork("a"))),
            record("b", "assistant", &answer("two", &fork("b"))),
            record("c", "assistant", &answer("three", "")),
            record("d", "user", notice),
            record("e", "system", &command("invocation")),
            record("f", "system", &command("result")),
        ];
        let parsed = lines(&QWEN, &lines_of.join("\n"));
        assert_eq!(
            steps(&parsed)[3..5],
            ["message system: <task-notification>done</task-notification>", "state system: /model m"]
        );
        assert!(steps(&parsed)[5].starts_with("state system: "), "{:?}", steps(&parsed));
        assert_eq!(parsed.0.step(3, &parsed.1).class.as_deref(), Some("notification"));
        assert!(state(&parsed, "session", 0).contains(r#""forkedFrom":"old""#), "{}", state(&parsed, "session", 0));
        let usage = state(&parsed, "usage", 5);
        assert!(usage.contains(r#""input":9"#) && usage.contains(r#""output":3"#), "{usage}");
    }

    #[test]
    fn what_is_said_of_a_call_is_said_of_its_result_alone() {
        let record = r#"{"uuid":"d","sessionId":"s","version":"1","type":"tool_result",
            "message":{"role":"user","parts":[
            {"functionResponse":{"name":"run_shell_command","response":{"output":"a.txt"}}},
            {"functionResponse":{"id":"c","name":"read_file","response":{"output":"gone"}}}]},
            "toolCallResult":{"callId":"c","status":"error"}}"#;
        let parsed = lines(&QWEN, &record.replace('\n', ""));
        assert_eq!(parsed.0.error_steps(), [1]);
    }
}
