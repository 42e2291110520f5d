//! The database of the editor Cursor as a line for each chat. Chats have keys of their encryption among their members,
//! so that only members that are known are taken.

use crate::format::Assembler;
use crate::format::log::{items, text};
use crate::format::rows::Trouble;
use crate::json::{self, Value};
use crate::model::{ContainerValue, Contents, Problem, Sink, Tables};
use std::collections::HashMap;

/// How its database is read.
pub(in crate::format) struct Database;

const TABLE: &str = "cursorDiskKV";
const CHAT_KEY: &str = "composerData:";
const BUBBLE_KEY: &str = "bubbleId:";

/// What is taken of a chat.
const CHAT: [&str; 12] = [
    "composerId",
    "name",
    "subtitle",
    "createdAt",
    "lastUpdatedAt",
    "status",
    "unifiedMode",
    "isAgentic",
    "modelConfig",
    "workspaceIdentifier",
    "contextTokensUsed",
    "subagentComposerIds",
];

/// What is taken of a message.
const BUBBLE: [&str; 12] = [
    "bubbleId",
    "type",
    "text",
    "thinking",
    "allThinkingBlocks",
    "toolFormerData",
    "tokenCount",
    "modelInfo",
    "images",
    "createdAt",
    "errorDetails",
    "isSummary",
];

impl Assembler for Database {
    fn claims(&self, contents: &mut Contents<'_>) -> bool {
        let Contents::Tables(tables) = contents else { return false };
        tables.has(TABLE, &["key", "value"])
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let Contents::Tables(tables) = contents else { return Ok(()) };
        let (mut chats, mut bubbles, mut trouble) = (Vec::new(), HashMap::new(), Trouble::default());
        trouble.pass(tables.rows(TABLE, &["key"], &mut |number, cells| {
            let key = cells.first().and_then(ContainerValue::bytes).and_then(|key| std::str::from_utf8(key).ok());
            if let Some(id) = key.and_then(|key| key.strip_prefix(CHAT_KEY)) {
                chats.push((number, id.to_owned()));
            } else if let Some(name) = key.and_then(|key| key.strip_prefix(BUBBLE_KEY)) {
                bubbles.insert(name.to_owned(), number);
            }
            Ok(())
        }));
        for (number, id) in chats {
            let Some(text) = value_of(number, tables, &mut trouble) else { continue };
            let Ok(chat) = json::parse_lenient(&text) else { continue };
            if let Some(places) = messages_of(&chat, &id, &bubbles) {
                write_chat(&chat, &id, &places, tables, &mut trouble, out)?;
            }
        }
        trouble.end()
    }
}

/// A message of a chat: in a row of its own, or in the chat itself, as in its first versions.
enum BubblePlace<'v, 'a> {
    Row(i64),
    Inside(&'v Value<'a>),
}

/// The messages of a chat in order; None: it has none, as the one that waits for a question.
fn messages_of<'v, 'a>(
    chat: &'v Value<'a>,
    id: &str,
    bubbles: &HashMap<String, i64>,
) -> Option<Vec<BubblePlace<'v, 'a>>> {
    let listed = items(chat, "fullConversationHeadersOnly").iter().filter_map(|header| text(header, "bubbleId"));
    let rows = listed.filter_map(|bubble| bubbles.get(&format!("{id}:{bubble}")).copied().map(BubblePlace::Row));
    let places: Vec<BubblePlace<'v, 'a>> =
        rows.chain(items(chat, "conversation").iter().map(BubblePlace::Inside)).collect();
    (!places.is_empty()).then_some(places)
}

fn value_of(number: i64, tables: &mut dyn Tables, trouble: &mut Trouble) -> Option<String> {
    let cells = trouble.pass(tables.row(TABLE, number, &["value"]))??;
    let bytes = cells.first().and_then(ContainerValue::bytes)?;
    Some(String::from_utf8_lossy(bytes).into_owned())
}

fn write_chat(
    chat: &Value<'_>,
    id: &str,
    places: &[BubblePlace<'_, '_>],
    tables: &mut dyn Tables,
    trouble: &mut Trouble,
    out: &mut Sink<'_>,
) -> Result<(), Problem> {
    let named =
        if chat.get("composerId").is_none() { format!("\"composerId\":{},", json::quote(id)) } else { String::new() };
    let head = taken(chat, &CHAT);
    let between = if head.is_empty() { "" } else { "," };
    out(format!("{{{named}{head}{between}\"bubbles\":[").as_bytes())?;
    let mut is_first = true;
    for place in places {
        let bubble = match place {
            BubblePlace::Inside(bubble) => format!("{{{}}}", taken(bubble, &BUBBLE)),
            BubblePlace::Row(number) => {
                let Some(text) = value_of(*number, tables, trouble) else { continue };
                let Ok(bubble) = json::parse_lenient(&text) else { continue };
                format!("{{{}}}", taken(&bubble, &BUBBLE))
            }
        };
        out(if std::mem::take(&mut is_first) { b"" } else { b"," })?;
        out(bubble.as_bytes())?;
    }
    out(b"]}\n")
}

/// These members of an object on one line, those that are null left out.
fn taken(value: &Value<'_>, names: &[&str]) -> String {
    let members = names.iter().filter_map(|name| {
        let member = value.get(name).filter(|member| !member.is_null())?;
        Some(format!("\"{name}\":{}", json::compact(member)))
    });
    members.collect::<Vec<_>>().join(",")
}
