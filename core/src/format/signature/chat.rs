//! Conversations that people have with a model or an agent, each one object: exports of ChatGPT, Claude.ai, Open WebUI
//! and LibreChat, prompts of AI Studio, threads of Zed, sessions of Continue, Kiro and Goose, chats of Cursor, failures
//! of Who&When.

use super::members::{first, has_any, is_array, is_number, is_object, is_text, matched, most};
use super::{Head, Signature};
use crate::format::Match;
use crate::json::Value;

pub(super) const ZED: Signature = Signature {
    format: "zed",
    what: "a Zed agent thread",
    detect: |head| matched(most(head, is_zed_thread), "a thread of Zed: `updated_at`, messages of `User` and `Agent`"),
    members: &["/messages/0/User", "/updated_at", "/cumulative_token_usage", "/initial_project_snapshot"],
};

pub(super) const CONTINUE: Signature = Signature {
    format: "continue",
    what: "a Continue session",
    detect: continue_session,
    members: &["/sessionId", "/workspaceDirectory", "/history/0/message", "/history/0/contextItems"],
};

pub(super) const KIRO: Signature = Signature {
    format: "kiro",
    what: "a conversation of Kiro or Amazon Q",
    detect: |head| matched(most(head, is_kiro_conversation), "`conversation_id`, and a `history` of turns"),
    members: &["/conversation_id", "/history/0/user", "/history/0/assistant", "/valid_history_range"],
};

pub(super) const GOOSE: Signature = Signature {
    format: "goose",
    what: "a Goose session",
    detect: |head| matched(most(head, is_goose_session), "`working_dir`, and a `conversation` with `created`"),
    members: &["/working_dir", "/conversation/0/created", "/extension_data", "/accumulated_total_tokens"],
};

pub(super) const CHATGPT: Signature = Signature {
    format: "chatgpt",
    what: "a ChatGPT conversation",
    detect: |head| matched(most(head, is_chatgpt_conversation), "a `mapping` of messages with their `parent`"),
    members: &["/mapping", "/current_node", "/title", "/create_time"],
};

pub(super) const CLAUDE_AI: Signature = Signature {
    format: "claude-ai",
    what: "a Claude.ai conversation",
    detect: |head| matched(most(head, is_claude_ai_conversation), "`chat_messages`, each with its `sender`"),
    members: &["/uuid", "/name", "/chat_messages/0/sender", "/chat_messages/0/text"],
};

pub(super) const OPEN_WEBUI: Signature = Signature {
    format: "open-webui",
    what: "an Open WebUI chat",
    detect: |head| matched(most(head, is_open_webui_chat), "a `chat` whose `history` has messages with a `parentId`"),
    members: &["/title", "/chat/history", "/user_id"],
};

pub(super) const LIBRE_CHAT: Signature = Signature {
    format: "librechat",
    what: "a LibreChat conversation",
    detect: |head| matched(most(head, is_libre_chat_conversation), "`messages` with `messageId` and `parentMessageId`"),
    members: &["/conversationId", "/messages/0/messageId", "/messages/0/parentMessageId"],
};

pub(super) const CURSOR_CHAT: Signature = Signature {
    format: "cursor-chat",
    what: "a Cursor chat",
    detect: |head| matched(most(head, is_cursor_chat), "a `composerId` and its `bubbles`"),
    members: &["/composerId", "/bubbles/0/bubbleId", "/bubbles/0/type"],
};

pub(super) const AI_STUDIO: Signature = Signature {
    format: "ai-studio",
    what: "an AI Studio prompt",
    detect: ai_studio,
    members: &["/runSettings", "/systemInstruction", "/chunkedPrompt"],
};

pub(super) const WHO_AND_WHEN: Signature = Signature {
    format: "who-and-when",
    what: "a failed run of Who&When",
    detect: |head| matched(most(head, is_who_and_when), "a `history` with its `mistake_agent` and `mistake_step`"),
    members: &["/history", "/mistake_agent", "/mistake_step", "/mistake_reason"],
};

/// A tree of messages by their ids.
fn is_chatgpt_conversation(record: &Value<'_>) -> bool {
    let is_node = |node: &Value<'_>| {
        let is_message = |message: &Value<'_>| message.is_null() || is_object(message, "author");
        node.get("message").is_none_or(is_message)
            && node.get("parent").is_some_and(|p| p.is_null() || p.as_str().is_some())
            && (is_array(node, "children") || is_object(node, "message"))
    };
    let nodes = record.get("mapping").and_then(Value::as_object);
    // The root may have nothing but its children.
    let are_nodes = nodes.is_some_and(|nodes| nodes.entries().take(2).any(|(_, node)| is_node(node)));
    let is_empty = nodes.is_some_and(|nodes| nodes.entries().next().is_none());
    are_nodes || is_empty && is_text(record, "title") && record.get("current_node").is_some()
}

/// Messages with a sender.
fn is_claude_ai_conversation(record: &Value<'_>) -> bool {
    let messages = record.get("chat_messages").and_then(Value::as_array);
    let is_message = |message: &Value<'_>| is_text(message, "sender") && is_text(message, "uuid");
    is_text(record, "uuid") && messages.is_some_and(|all| all.first().is_none_or(is_message))
}

/// A thread of either time.
fn is_zed_thread(record: &Value<'_>) -> bool {
    let is_earlier = |message: &Value<'_>| {
        let has_parts = is_array(message, "segments") || is_text(message, "text") && is_array(message, "tool_uses");
        is_number(message, "id") && is_text(message, "role") && has_parts
    };
    let is_message = |message: &Value<'_>| {
        let of = |name: &str| message.get(name).is_some_and(|inner| is_array(inner, "content"));
        of("User") || of("Agent") || is_earlier(message)
    };
    let messages = record.get("messages").and_then(Value::as_array).unwrap_or_default();
    let is_thread = is_text(record, "updated_at") && (is_text(record, "title") || is_text(record, "summary"));
    let has_marks = || has_any(record, &["cumulative_token_usage", "initial_project_snapshot"]);
    is_thread
        && if messages.is_empty() {
            is_array(record, "messages") && has_marks()
        } else {
            messages.iter().any(is_message)
        }
}

fn continue_session(head: &Head<'_, '_>) -> Option<Match> {
    let is_item = |item: &Value<'_>| {
        let is_message = |message: &Value<'_>| is_text(message, "role") && message.get("content").is_some();
        item.get("message").is_some_and(is_message)
            && has_any(item, &["contextItems", "toolCallStates", "editorState", "promptLogs"])
    };
    let is_session = |record: &Value<'_>| {
        let history = record.get("history").and_then(Value::as_array);
        is_text(record, "sessionId")
            && is_text(record, "workspaceDirectory")
            && history.is_some_and(|all| all.first().is_none_or(is_item))
    };
    let is_one = head.records.len() == 1 && head.records.first().is_some_and(is_session);
    matched(is_one, "`sessionId`, `workspaceDirectory` and a `history` of items with a `message`")
}

/// A history of turns, each what the user said and what the assistant did.
fn is_kiro_conversation(record: &Value<'_>) -> bool {
    let is_user = |user: &Value<'_>| {
        let named = ["Prompt", "CancelledToolUses", "ToolUseResults"];
        user.get("content").is_some_and(|content| has_any(content, &named))
    };
    let is_turn = |entry: &Value<'_>| match entry.as_array() {
        Some(both) => both.first().is_some_and(is_user),
        None => entry.get("user").is_some_and(is_user),
    };
    let history = record.get("history").and_then(Value::as_array);
    let is_begun = || is_array(record, "valid_history_range") && is_array(record, "transcript");
    is_text(record, "conversation_id") && history.is_some_and(|all| all.first().map_or_else(is_begun, is_turn))
}

/// A conversation in a folder.
fn is_goose_session(record: &Value<'_>) -> bool {
    let is_message =
        |message: &Value<'_>| is_text(message, "role") && is_number(message, "created") && is_array(message, "content");
    is_text(record, "id")
        && is_text(record, "working_dir")
        && is_array(record, "conversation")
        && first(record, "conversation").is_none_or(is_message)
}

/// A chat with its messages.
fn is_cursor_chat(record: &Value<'_>) -> bool {
    is_text(record, "composerId")
        && is_array(record, "bubbles")
        && first(record, "bubbles").is_none_or(|bubble| bubble.as_object().is_some())
}

fn ai_studio(head: &Head<'_, '_>) -> Option<Match> {
    let is_prompt = |record: &Value<'_>| {
        let chunked = record.get("chunkedPrompt");
        is_object(record, "runSettings")
            && chunked.is_some_and(|chunked| is_array(chunked, "chunks"))
            && chunked.and_then(|chunked| first(chunked, "chunks")).is_none_or(|chunk| is_text(chunk, "role"))
    };
    let is_one = head.records.len() == 1 && head.records.first().is_some_and(is_prompt);
    matched(is_one, "`runSettings`, and the chunks of a `chunkedPrompt`")
}

/// A history, and who was at fault where.
fn is_who_and_when(record: &Value<'_>) -> bool {
    let is_message = |message: &Value<'_>| is_text(message, "role") && message.get("content").is_some();
    is_array(record, "history")
        && first(record, "history").is_none_or(is_message)
        && is_text(record, "mistake_agent")
        && has_any(record, &["mistake_step"])
}

/// A chat with a tree of messages.
fn is_open_webui_chat(record: &Value<'_>) -> bool {
    let is_message = |message: &Value<'_>| is_text(message, "role") && has_any(message, &["parentId", "childrenIds"]);
    let history = record.get("chat").and_then(|chat| chat.get("history"));
    let messages = history.and_then(|history| history.get("messages")?.as_object());
    is_text(record, "title") && messages.is_some_and(|all| all.entries().next().is_none_or(|(_, one)| is_message(one)))
}

/// Messages that name those that they follow.
fn is_libre_chat_conversation(record: &Value<'_>) -> bool {
    let is_message = |message: &Value<'_>| {
        is_text(message, "messageId") && has_any(message, &["isCreatedByUser", "parentMessageId"])
    };
    is_text(record, "conversationId")
        && is_array(record, "messages")
        && first(record, "messages").is_none_or(is_message)
}
