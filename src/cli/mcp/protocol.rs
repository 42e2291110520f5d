//! JSON-RPC 2.0 in lines, as the Model Context Protocol has it: one message in, at most one out. Nothing is kept from
//! one message to the next.

use super::answer::{AnswerWindow, LINES, LINES_MAX};
use super::roots::Roots;
use super::tools::{Kind, PAGING, TOOLS, Tool};
use crate::cli::args::FileName;
use crate::cli::ask;
use crate::cli::inputs::Inputs;
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::io::{self, BufRead, Read};
use std::path::PathBuf;

/// Versions of the protocol that are spoken, the newest first. They differ in nothing that is used here.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// Longest message, in bytes.
const LINE_BYTES_MAX: u64 = 4 << 20;

/// Codes of JSON-RPC.
const PARSE_ERROR: i64 = -32_700;
const INVALID_REQUEST: i64 = -32_600;
const METHOD_NOT_FOUND: i64 = -32_601;
const INVALID_PARAMS: i64 = -32_602;

/// What a client reads about the tools together.
const INSTRUCTIONS: &str = "obelus reads recorded runs of agents: Claude Code, Codex and other sessions, datasets of \
    trajectories, logs of frameworks. `steps` lists a run, `step` reads one, `check` finds what is wrong, `blame` and \
    `history` say who wrote a value and when. Steps count from 0. Long answers come in lines: offset and limit.";

/// A line of the input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ProtocolLine {
    /// A message.
    Message(String),
    /// One that is not UTF-8 or too long, and why.
    Bad(String),
    /// There are no more.
    End,
}

/// Reads a line; of one that is too long the rest is skipped.
///
/// # Errors
/// The input cannot be read.
pub(super) fn read_line(input: &mut impl BufRead) -> io::Result<ProtocolLine> {
    let mut line = Vec::new();
    input.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(ProtocolLine::End);
    }
    if !line.ends_with(b"\n") && line.len() as u64 == LINE_BYTES_MAX {
        input.skip_until(b'\n')?;
        return Ok(ProtocolLine::Bad(format!("the message is longer than {LINE_BYTES_MAX} bytes")));
    }
    Ok(match String::from_utf8(line) {
        Ok(line) => ProtocolLine::Message(line),
        Err(_) => ProtocolLine::Bad("the message is not UTF-8".to_owned()),
    })
}

/// Why a request has no result.
struct Refused {
    code: i64,
    message: String,
}

impl Refused {
    fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// Answers messages.
#[derive(Debug)]
pub(super) struct Server {
    roots: Roots,
}

impl Server {
    /// A server whose tools read files in these folders.
    pub(super) fn new(roots: Roots) -> Self {
        Self { roots }
    }

    /// The answer to a line; None where there is none: a notification, a response, an empty line.
    pub(super) fn answer(&self, line: &ProtocolLine) -> Option<String> {
        let text = match line {
            ProtocolLine::Message(text) if text.trim().is_empty() => return None,
            ProtocolLine::Message(text) => text,
            ProtocolLine::Bad(why) => return Some(refused(&Value::Null, &Refused::new(PARSE_ERROR, why.as_str()))),
            ProtocolLine::End => return None,
        };
        let message: Value = match serde_json::from_str(text) {
            Ok(message) => message,
            Err(e) => return Some(refused(&Value::Null, &Refused::new(PARSE_ERROR, format!("no JSON: {e}")))),
        };
        let Value::Object(message) = message else {
            let why = "a message is one object; batches are not taken";
            return Some(refused(&Value::Null, &Refused::new(INVALID_REQUEST, why)));
        };
        let id = message.get("id").cloned();
        let Some(Value::String(method)) = message.get("method") else {
            // A response to something that was never asked.
            let is_response = message.contains_key("result") || message.contains_key("error");
            let why = Refused::new(INVALID_REQUEST, "there is no method");
            return (!is_response).then(|| refused(&id.unwrap_or(Value::Null), &why));
        };
        let id = match id {
            None => return None,
            Some(id) if id.is_string() || id.is_number() => id,
            Some(_) => {
                return Some(refused(&Value::Null, &Refused::new(INVALID_REQUEST, "an id is a string or a number")));
            }
        };
        Some(match self.result(method, message.get("params")) {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string(),
            Err(why) => refused(&id, &why),
        })
    }

    fn result(&self, method: &str, params: Option<&Value>) -> Result<Value, Refused> {
        match method {
            "initialize" => Ok(initialized(params)),
            "ping" => Ok(json!({})),
            "tools/list" => Ok(json!({"tools": TOOLS.iter().map(Tool::listed).collect::<Vec<_>>()})),
            "tools/call" => self.call(params),
            _ => Err(Refused::new(METHOD_NOT_FOUND, format!("there is no method {method}"))),
        }
    }

    fn call(&self, params: Option<&Value>) -> Result<Value, Refused> {
        let name = params.and_then(|params| params.get("name")).and_then(Value::as_str);
        let name = name.ok_or_else(|| Refused::new(INVALID_PARAMS, "a call names a tool"))?;
        let tool = Tool::named(name).ok_or_else(|| {
            let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            Refused::new(INVALID_PARAMS, format!("there is no tool {name}; there are: {}", names.join(", ")))
        })?;
        let none = Map::new();
        let arguments = match params.and_then(|params| params.get("arguments")) {
            None | Some(Value::Null) => &none,
            Some(Value::Object(arguments)) => arguments,
            Some(_) => return Err(Refused::new(INVALID_PARAMS, "arguments are an object")),
        };
        Ok(match self.asked(tool, arguments) {
            Ok((text, note)) => tool_result(&text, note.as_deref(), false),
            // What is wrong with arguments is for the model, which can ask again.
            Err(why) => tool_result(&why, None, true),
        })
    }

    /// What a tool answers, and what is to be said of the answer.
    fn asked(&self, tool: &Tool, arguments: &Map<String, Value>) -> Result<(String, Option<String>), String> {
        let [offset, limit] = PAGING.map(|(name, _)| number(arguments, name));
        let limit = limit?.map_or(LINES, |limit| limit.clamp(1, LINES_MAX));
        let mut window = AnswerWindow::lines(offset?.unwrap_or(0), limit);
        let words = self.words(tool, arguments)?;
        let (status, errors) = ask(words, &mut window);
        let (text, note) = window.end();
        match (text.is_empty(), errors.trim()) {
            (true, "") => Ok(("(nothing)".to_owned(), note)),
            (true, message) if status > 0 => Err(message.to_owned()),
            (true, message) => Ok((message.to_owned(), note)),
            (false, "") => Ok((text, note)),
            (false, message) => Ok((text, Some(note.map_or(message.to_owned(), |note| format!("{message}\n{note}"))))),
        }
    }

    /// A file, or the files of a folder; those that a link leads out of the folders to are left out.
    fn files(&self, asked: &str) -> Result<Vec<OsString>, String> {
        let path = self.roots.file(asked)?;
        if !path.is_dir() {
            return Ok(vec![path.into()]);
        }
        let inputs = Inputs::of(&[FileName::from(path)]).names.into_iter();
        let inside = inputs.filter(|name| self.roots.file(&name.text()).is_ok());
        let inside: Vec<OsString> = inside.map(|name| PathBuf::from(name).into()).collect();
        if inside.is_empty() { Err(format!("{asked}: there is no file of records in this folder")) } else { Ok(inside) }
    }

    /// The arguments of the command line that answer a tool.
    fn words(&self, tool: &Tool, arguments: &Map<String, Value>) -> Result<Vec<OsString>, String> {
        let is_known = |name: &String| {
            tool.arguments.iter().any(|argument| argument.name == name) || PAGING.iter().any(|(known, _)| known == name)
        };
        if let Some(unknown) = arguments.keys().find(|name| !is_known(name)) {
            let paging = PAGING.iter().map(|(name, _)| *name);
            let names: Vec<&str> = tool.arguments.iter().map(|argument| argument.name).chain(paging).collect();
            return Err(format!("{} has no argument {unknown}; it has {}", tool.name, names.join(", ")));
        }
        let (mut options, mut places) = (Vec::new(), Vec::new());
        for argument in tool.arguments {
            let value = match arguments.get(argument.name) {
                None | Some(Value::Null) if argument.is_required => {
                    return Err(format!("{} needs the argument {}: {}", tool.name, argument.name, argument.about));
                }
                None | Some(Value::Null) => continue,
                Some(value) => value,
            };
            let wrong = |kind: &str| format!("{} must be {kind}", argument.name);
            let text = || value.as_str().ok_or_else(|| wrong("a text"));
            let words: Vec<OsString> = match argument.kind {
                Kind::Text => vec![text()?.into()],
                Kind::File => vec![self.roots.file(text()?)?.into()],
                Kind::Files => {
                    let paths = || wrong("a path or a list of paths");
                    // One path may come without a list around it.
                    let names = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                    let name = |name: &Value| self.files(name.as_str().ok_or_else(paths)?);
                    if names.is_empty() {
                        return Err(paths());
                    }
                    names.iter().map(name).collect::<Result<Vec<_>, _>>()?.concat()
                }
                Kind::Number(from) => {
                    let number = value.as_i64().filter(|number| *number >= from);
                    vec![number.ok_or_else(|| wrong(&format!("a whole number from {from} on")))?.to_string().into()]
                }
                Kind::Flag => {
                    if !value.as_bool().ok_or_else(|| wrong("true or false"))? {
                        continue;
                    }
                    Vec::new()
                }
            };
            match (argument.option, argument.kind) {
                (Some(option), Kind::Flag) => options.push(option.into()),
                // Joined, so that no value is taken for an option.
                (Some(option), _) => options.extend(words.iter().map(|word| joined(option, word))),
                (None, _) => places.extend(words),
            }
        }
        let begin = [OsString::from("obelus"), OsString::from(tool.command)].into_iter().chain(options);
        Ok(begin.chain(std::iter::once(OsString::from("--"))).chain(places).collect())
    }
}

fn joined(option: &str, word: &OsString) -> OsString {
    let mut out = OsString::from(option);
    out.push("=");
    out.push(word);
    out
}

fn number(arguments: &Map<String, Value>, name: &str) -> Result<Option<usize>, String> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
            number.map(Some).ok_or_else(|| format!("{name} must be a whole number from 0 on"))
        }
    }
}

fn initialized(params: Option<&Value>) -> Value {
    let asked = params.and_then(|params| params.get("protocolVersion")).and_then(Value::as_str);
    let version = VERSIONS.iter().find(|version| Some(**version) == asked).unwrap_or(&VERSIONS[0]);
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "obelus", "version": env!("CARGO_PKG_VERSION")},
        "instructions": INSTRUCTIONS,
    })
}

fn tool_result(text: &str, note: Option<&str>, is_error: bool) -> Value {
    let block = |text: &str| json!({"type": "text", "text": text});
    let content: Vec<Value> = std::iter::once(text).chain(note).map(block).collect();
    json!({"content": content, "isError": is_error})
}

fn refused(id: &Value, why: &Refused) -> String {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": why.code, "message": why.message}}).to_string()
}
