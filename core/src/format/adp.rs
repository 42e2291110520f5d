//! Agent Data Protocol: standardized, chat and ATIF trajectories for training agents, a record each.

mod atif;
mod conversations;
mod dataset_row;
mod run;
mod simulations_folder;
mod survey;
mod ticks;

use super::acts::evidence::Evidence;
use super::{Format, Framing, Layout, Match, Near, Purpose, Run, Survey};
use crate::json::{self, Value};
use crate::model::StepRole;
use crate::rules::acts::ActsMessage;
use crate::rules::adp::stage;
use crate::rules::trajectory::{ClassNote, Item, RecordShape, Way, shape};
pub(super) use atif::ATIF;
pub(super) use conversations::{ALPACA, BARE, MESSAGES, REQUESTS, SHAREGPT, SIMULATIONS};
pub(super) use simulations_folder::SimulationsFolder;

/// The format.
pub(super) struct Adp;

/// Two trajectories: a page, and a shell with linked calls.
const STANDARDIZED: &str = r#"
{"id":"shop-1","content":[
    {"class_":"text_observation","content":"buy socks","name":null,"source":"user"},
    {"class_":"api_action","function":"click","kwargs":{"bid":"7"},"description":"the cart"},
    {"class_":"web_observation","html":null,"axtree":"RootWebArea 'Cart'","url":"http://shop.test/cart",
        "image_observation":null,"viewport_size":[1280,720]},
    {"class_":"message_action","content":"<finish> bought </finish>","description":null}],"details":{}}
{"schema_version":"1.3.0","id":"shell-1","content":[
    {"class_":"text_observation","content":"list it","source":"user"},
    {"class_":"code_action","language":"bash","content":"ls","description":null,"tool_call_id":"c1"},
    {"class_":"text_observation","content":"a.txt","source":"environment","tool_call_id":"c1"}],
    "details":{"score":0.5}}
"#;

/// The spellings of the format's own documentation, in an array.
const DOCUMENTED: &str = r#"[{"id":"example","content":[
    {"class_":"TextObservation","text":"Hi","source":"user"},
    {"class_":"MessageAction","message":"Hello","thoughts":"greet"}],"details":{}}]"#;

/// A conversation under a name that only this format reads, with calls in its text.
const CHAT: &str = r#"{"id":"s","system":"You help.","trajectory":[
    {"role":"user","content":"list it"},
    {"role":"assistant","content":"I look.\n<function=execute_bash>\n<parameter=command>ls</parameter>\n</function>"},
    {"role":"user","content":"a.txt"},
    {"role":"assistant","content":"<function=finish>\n</function>"}]}"#;

/// Members of a standardized trajectory (D1).
const MEMBERS: [&str; 7] = [
    "id",
    "content",
    "details",
    "schema_version",
    "available_apis",
    "available_custom_tools",
    "available_code_languages",
];

fn has_foreign_members(record: &Value<'_>) -> bool {
    let mut names = record.as_object().into_iter().flat_map(json::Object::entries).map(|(name, _)| name);
    shape(record) == RecordShape::Std && names.any(|name| !MEMBERS.contains(&name))
}

impl Format for Adp {
    fn name(&self) -> &'static str {
        "adp"
    }

    fn title(&self) -> &'static str {
        "Agent Data Protocol"
    }

    fn about(&self) -> &'static str {
        "Trajectories for training agents: a file of records, each one run. Known by records whose `content` is an \
         array of actions and observations with a `class_`, or by conversations under `trajectory`; at least half of \
         the first 20 records must be such. With `--format adp` conversations of any kind (`conversations`, \
         `messages`) and ATIF files are read to the letter of the protocol: calls that an agent writes in its text \
         count. The state is derived: where the run stands, what the environment shows, \
         which tools were called, rewards."
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        let Counts { standardized, atif, chat } = Counts::of(first);
        let most = |n: usize| n > 0 && n * 2 >= first.len();
        let others: [&dyn Format; 3] = [&ATIF, &SHAREGPT, &MESSAGES];
        // What has no content anywhere, and members that the protocol does not know, is something else.
        let has_content = first.iter().any(|record| record.get("content").is_some());
        let is_foreign = !has_content && first.iter().any(has_foreign_members);
        let reason = if most(standardized) && !is_foreign {
            "`content` is an array of actions and observations"
        } else if others.iter().any(|other| other.detect(first).is_some()) {
            return None;
        } else if !is_foreign && most(standardized + chat + atif) {
            "a conversation: an array of messages with `from` or `role`"
        } else {
            return None;
        };
        Some(Match { reason: reason.to_owned() })
    }

    fn near(&self, first: &[Value<'_>]) -> Option<Near> {
        let n = first.iter().filter(|record| shape(record) != RecordShape::Other).count();
        (n > 0).then(|| Near::of(n, first.len(), "records have the shape of a trajectory"))
    }

    fn framing(&self) -> Framing {
        Framing::Values
    }

    fn way(&self) -> Way {
        Way::Protocol
    }

    fn is_stage(&self) -> bool {
        true
    }

    fn stage(&self, file: &str) -> Option<&'static str> {
        stage(file)
    }

    fn layout(&self) -> Layout {
        Layout::Set
    }

    fn survey(&self, purpose: Purpose) -> Option<Box<dyn Survey>> {
        Some(Box::new(survey::Trajectories::new(Way::Protocol, purpose)))
    }

    fn run(&self) -> Box<dyn Run> {
        Box::new(run::Trajectory::new(Way::Protocol))
    }

    fn samples(&self) -> &'static [&'static str] {
        &[STANDARDIZED, DOCUMENTED, CHAT]
    }
}

/// D2 `std`, and something in it that only this format has: a class, or an id beside items that give their class.
fn is_standardized(root: &Value<'_>) -> bool {
    if shape(root) != RecordShape::Std {
        return false;
    }
    let items = root.get("content").and_then(Value::as_array).unwrap_or_default();
    let is_record = root.get("id").is_some() && root.get("type").is_none();
    let is_item = |value: &Value<'_>| match Item::of(value).note {
        ClassNote::Proper | ClassNote::Spelling(_) => Item::of(value).class.is_some(),
        ClassNote::Missing => is_record,
        ClassNote::Unknown(_) | ClassNote::NotInferable | ClassNote::NotObject => false,
    };
    items.iter().any(is_item) || (items.is_empty() && is_record)
}

/// How many records are trajectories of which shape.
struct Counts {
    standardized: usize,
    atif: usize,
    chat: usize,
}

impl Counts {
    fn of(first: &[Value<'_>]) -> Self {
        let count = |fits: fn(&Value<'_>) -> bool| first.iter().filter(|value| fits(value)).count();
        let chats: Vec<_> = first.iter().filter(|value| is_conversation(value) && is_spoken(value)).collect();
        Self {
            standardized: count(is_standardized),
            atif: count(is_atif),
            chat: if are_contexts(&chats) { 0 } else { chats.len() },
        }
    }

    /// The messages of all conversations among the records.
    fn messages<'v, 'a>(first: &'v [Value<'a>]) -> impl Iterator<Item = &'v Value<'a>> {
        first.iter().flat_map(messages)
    }
}

/// D2 `atif`, and what the format's own reader wants of a file without its name: steps with `step_id` and `source`. A
/// workflow has `steps` with ids too.
fn is_atif(root: &Value<'_>) -> bool {
    let is_named = root.get("schema_version").and_then(Value::as_str).is_some_and(|v| v.starts_with("ATIF"));
    let is_step = |step: &Value<'_>| step.get("step_id").is_some() && step.get("source").is_some();
    let steps = || root.get("steps").and_then(Value::as_array).unwrap_or_default();
    shape(root) == RecordShape::Atif && (is_named || steps().iter().any(is_step))
}

/// D2 `chat`, and no request of Agent/Data: its `context` would hold messages (A8). What a conversation has looked up
/// is in such a member too.
fn is_conversation(root: &Value<'_>) -> bool {
    let context = root.get("context").and_then(Value::as_array);
    let is_request = |context: &[Value<'_>]| {
        messages(root).next().is_none() || context.iter().any(|value| ActsMessage::of(value).is_message())
    };
    shape(root) == RecordShape::Chat && !context.is_some_and(is_request)
}

/// Where a message says something (D17).
const WORDS: [&str; 5] = ["content", "value", "text", "tool_calls", "function_call"];

/// Whether one of the speakers is known, since people write to one another `from` a name, and a message says something
/// where the protocol has it: those of libraries have their parts under other names.
fn is_spoken(root: &Value<'_>) -> bool {
    let is_known = |message: &Value<'_>| crate::rules::trajectory::Message::of(message).role != StepRole::Unknown;
    let says = |message: &Value<'_>| WORDS.iter().any(|name| message.get(name).is_some());
    messages(root).any(is_known) && messages(root).any(says)
}

/// The messages of a conversation, under any of its names.
fn messages<'v, 'a>(root: &'v Value<'a>) -> impl Iterator<Item = &'v Value<'a>> {
    let arrays = ["conversations", "messages", "trajectory"].into_iter().filter_map(|key| root.get(key));
    arrays.filter_map(Value::as_array).flatten()
}

/// Whether conversations are contexts of Agent/Data instead (A8).
fn are_contexts(chats: &[&Value<'_>]) -> bool {
    Evidence::of_messages(chats.iter().flat_map(|chat| messages(chat)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    /// The formats of trajectories for training.
    const ALL: [&dyn Format; 4] = [&Adp, &ATIF, &SHAREGPT, &MESSAGES];

    fn of(first: &[Value<'_>]) -> Vec<&'static str> {
        ALL.iter().filter(|format| format.detect(first).is_some()).map(|format| format.name()).collect()
    }

    fn is_detected(text: &str) -> bool {
        !of(&[parse(text).unwrap()]).is_empty()
    }

    #[test]
    fn each_shape_has_its_format() {
        let chat = r#"{"messages":[{"role":"user","content":"x"}]}"#;
        for (text, name) in [
            (r#"{"id":"a","content":[]}"#, "adp"),
            (r#"{"id":"a","content":[{"content":"x","source":"user"}]}"#, "adp"),
            (CHAT, "adp"),
            (chat, "messages"),
            (r#"{"conversations":[{"from":"human","value":"x"}]}"#, "sharegpt"),
            (ATIF.samples()[0], "atif"),
        ] {
            assert_eq!(of(&[parse(text).unwrap()]), [name], "{text}");
        }
        let mixed = [STANDARDIZED.trim().split_once("\n{").unwrap().0, chat, ATIF.samples()[0]];
        let mixed: Vec<_> = mixed.iter().map(|text| parse(text).unwrap()).collect();
        assert_eq!(of(&mixed), ["adp"], "D2: shapes may differ");
    }

    #[test]
    fn half_of_the_first_records_decide() {
        let (trajectory, other) = (r#"{"id":"a","content":[{"content":"x","source":"user"}]}"#, r#"{"a":1}"#);
        let formats = |texts: &[&str]| of(&texts.iter().map(|text| parse(text).unwrap()).collect::<Vec<_>>());
        assert_eq!(formats(&[trajectory, other]), ["adp"]);
        assert_eq!(formats(&[trajectory, other, other]), [""; 0]);
    }

    #[test]
    fn what_a_conversation_has_beside_it_does_not_hide_it() {
        for text in [
            r#"{"messages":[{"role":"system","content":"s","type":"system"},{"role":"user","content":"x"},
                {"role":"assistant","content":"y"}]}"#,
            r#"{"messages":[{"role":"user","content":"x"}],"context":["doc1","doc2"]}"#,
            r#"{"conversations":[{"from":"human","value":"x"}],"context":[]}"#,
            r#"{"messages":[{"role":"user","content":"x"}],"context":[{"title":"t","passage":"p"}]}"#,
        ] {
            assert!(is_detected(text), "{text}");
        }
        let rows = [r#"{"messages":[{"role":"user","content":"a","type":"state","state":{}}]}"#, CHAT];
        let rows: Vec<_> = rows.iter().map(|row| parse(row).unwrap()).collect();
        assert!(!of(&rows).is_empty() && of(&rows[..1]).is_empty(), "messages count over all records");
    }

    #[test]
    fn records_of_other_programs_are_not_trajectories() {
        for text in [
            r#"{"messages":[{"role":"user","content":{"type":"state","state":{}}}]}"#,
            r#"{"messages":[{"role":"user","content":"x"}],"context":[{"type":"state","state":{}}]}"#,
            r#"{"messages":[],"context":[]}"#,
            r#"{"name":"deploy","steps":[{"step_id":"build","run":"make"}]}"#,
            r#"{"context":[{"type":"text","role":"user","text":"x"}]}"#,
            r#"{"messages":[{"type":"text","role":"user","text":"x"},{"type":"state","role":"user","state":{}}]}"#,
            r#"{"type":"assistant","id":"m","content":[{"type":"text","content":"x"}]}"#,
            r#"{"type":"text","content":[{"type":"text","text":"x"}]}"#,
            r#"{"id":"a","role":"user","content":[]}"#,
            r#"{"timestamp":1,"type":"event"}"#,
            r#"{"name":"Ann","id":7,"messages":[{"id":1,"type":"message","from":"Ann","text":"hi"}]}"#,
            r#"{"messages":[]}"#,
            r#"{"type":"agent_response","messages":[{"role":"assistant","parts_of_it":[{"text":"x"}]}]}"#,
            "[]",
        ] {
            assert!(!is_detected(text), "{text}");
        }
    }
}
