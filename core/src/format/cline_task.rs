//! Tasks of Cline and of what came of it, such as Roo Code: the conversation as it was sent to the model
//! (`api_conversation_history.json`), with calls as tags in a text or as blocks (`FORMATS.md` 17).

mod tags;

use super::Framing;
use super::log::{
    Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, count, form, items, result, role_of, show, text,
};
use crate::json::Value;
use crate::model::{StepNo, StepRole, Surroundings, ToolResult, Turn, TurnPart, Usage};
use crate::rules::trajectory::blocks::{attachment, files_of};
use std::borrow::Cow;

/// Conversations of tasks.
pub(super) static CLINE_TASK: Row = Row {
    name: "cline",
    title: "Cline task",
    about: "Tasks of Cline in an editor, and of Roo Code and Kilo Code (`tasks/ID/api_conversation_history.json`): one \
            array of messages, the first of which holds a `<task>` and `<environment_details>`. A call is a block, or \
            a tag in the text of the agent (`<read_file>`); what came back is a block, or a text behind \
            `[read_file for 'x'] Result:`. What the editor says of the surroundings is a step of its own, dimmed. \
            State: folder, mode, model, what messages report as used.",
    framing: Framing::LogText,
    run: || Box::new(LogRun::new(Tasks)),
    detect: Some(detect),
    samples: &[TAGS, BLOCKS],
    ..Row::BASE
};

/// A task with calls as tags.
const TAGS: &str = concat!(
    r#"[{"role":"user","content":[{"type":"text","text":"<task>\nlist it\n</task>"},{"type":"text","text":"#,
    r#""<environment_details>\n# Current Working Directory (/w) Files\na.txt\n\n# Current Mode\nACT MODE\n"#,
    r#"</environment_details>"}],"ts":1777629600000},"#,
    "\n",
    r#"{"role":"assistant","content":[{"type":"text","text":"I look.\n\n<execute_command>\n<command>ls</command>\n"#,
    r#"<requires_approval>false</requires_approval>\n</execute_command>"}],"ts":1777629601000},"#,
    "\n",
    r#"{"role":"user","content":[{"type":"text","text":"[execute_command for 'ls'] Result:"},{"type":"text","text":"#,
    r#""Command executed.\nOutput:\na.txt"},{"type":"text","text":"<environment_details>\n# Current Mode\n"#,
    r#"ACT MODE\n</environment_details>"}],"ts":1777629602000},"#,
    "\n",
    r#"{"role":"assistant","content":[{"type":"text","text":"<attempt_completion>\n<result>\none file\n</result>\n"#,
    r#"</attempt_completion>"}],"ts":1777629603000}]"#,
);

/// A task with calls as blocks; the tool failed.
const BLOCKS: &str = concat!(
    r#"[{"role":"user","content":[{"type":"text","text":"<task>\nlist it\n</task>"},{"type":"text","text":"#,
    r#""<environment_details>\n# Current Workspace Directory (/w) Files\na.txt\n</environment_details>"}],"#,
    r#""ts":1777629600000},"#,
    "\n",
    r#"{"role":"assistant","content":[{"type":"thinking","thinking":"ls will do"},{"type":"text","text":"I look."},"#,
    r#"{"type":"tool_use","id":"c1","name":"execute_command","input":{"command":"ls"}}],"modelInfo":{"modelId":"m","#,
    r#""providerId":"p","mode":"act"},"metrics":{"tokens":{"prompt":9,"completion":4,"cached":2},"cost":0.25},"#,
    r#""ts":1777629601000},"#,
    "\n",
    r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"#,
    r#""The tool execution failed with the following error:\n<error>\nno shell\n</error>"}]}],"ts":1777629602000}]"#,
);

/// Words, a call and what came back, of blocks that are texts.
const WORDS: Form = FIRST_ADAPTER_FORM;
const TAGGED: Form = FIRST_ADAPTER_FORM + 1;
const ANSWER: Form = FIRST_ADAPTER_FORM + 2;
const BLOCK_ANSWER: Form = FIRST_ADAPTER_FORM + 3;
const SPOKEN: Form = FIRST_ADAPTER_FORM + 4;

/// What the editor says of the surroundings.
const DETAILS: &str = "<environment_details>";
/// What begins the first message, and a message that says how the agent is to go on.
const TASKS: [&str; 2] = ["<task>", "<user_message>"];
const ERROR: &str = "[ERROR]";
/// What begins the result of a call that failed.
const FAILURES: [&str; 2] = ["The tool execution failed", "Error "];

fn detect(head: &[Value<'_>]) -> Option<super::Match> {
    let messages = head.first()?.as_array().filter(|_| head.len() == 1)?;
    let first = messages.first().filter(|first| text(first, "role") == Some("user"))?;
    let begins = |text: &str| TASKS.iter().any(|task| text.trim_start().starts_with(task));
    let mut texts = texts(first);
    let is_task = texts.next().is_some_and(begins);
    let is_one = is_task && messages.iter().take(3).any(|message| message.text.contains(DETAILS));
    let reason = "messages of a task with `<environment_details>`".to_owned();
    is_one.then_some(super::Match { reason })
}

/// The texts of a message.
fn texts<'v>(message: &'v Value<'_>) -> impl Iterator<Item = &'v str> {
    let whole = text(message, "content");
    whole.into_iter().chain(items(message, "content").iter().filter_map(|block| text(block, "text")))
}

/// Reads a task.
struct Tasks;

impl Adapter for Tasks {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let mut left = Vec::new();
        for message in record.as_array().unwrap_or_default() {
            let first = log.next_step();
            add_steps(message, log);
            // Roo Code marks what a summary or a cut took out of what is sent.
            if ["condenseParent", "truncationParent"].iter().any(|key| text(message, key).is_some()) {
                left.extend(first..log.next_step());
            }
        }
        log.drop_steps(&left);
    }

    fn takes_lists(&self) -> bool {
        true
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match (form, values) {
            (WORDS, _) => Turn::of(StepRole::Agent, words(values, |text| tags::before_call(text).trim())),
            (SPOKEN, _) => Turn::of(StepRole::User, words(values, unmarked)),
            (TAGGED, [block, ..]) => {
                let call = block_text(block).and_then(tags::call);
                Turn::of(StepRole::Agent, call.into_iter().map(TurnPart::Call).collect())
            }
            (ANSWER, [header, rest @ ..]) => {
                let (name, begin) = block_text(header).and_then(tags::header).unwrap_or_default();
                let rest = rest.iter().filter_map(|block| block_text(block));
                let words: Vec<&str> = Some(begin).filter(|text| !text.is_empty()).into_iter().chain(rest).collect();
                let text = words.join("\n");
                let (name, is_error) = (Some(Cow::Borrowed(name)), has_failed(&text));
                Turn::answer(ToolResult { name, text: text.into(), is_error, ..ToolResult::default() }, [])
            }
            (BLOCK_ANSWER, [block, ..]) => {
                let given = result(block);
                let is_error = given.is_error.or_else(|| has_failed(&given.text));
                let files = block.get("content").into_iter().flat_map(files_of);
                Turn::answer(ToolResult { is_error, ..given }, files)
            }
            _ => show(form, values),
        }
    }
}

/// What blocks say, each read so; of a picture the place.
fn words<'v>(blocks: &[&'v Value<'v>], read: impl Fn(&'v str) -> &'v str) -> Vec<TurnPart<'v>> {
    let part = |block: &&'v Value<'v>| match block_text(block) {
        Some(text) => Some(read(text)).filter(|words| !words.is_empty()).map(|words| TurnPart::Text(words.into())),
        None => Some(TurnPart::Attachment(attachment(block))),
    };
    blocks.iter().filter_map(part).collect()
}

fn role(role: &Value<'_>) -> StepRole {
    role.as_str().map_or(StepRole::Unknown, role_of)
}

/// The text of a block, or of a message that is one.
fn block_text<'v>(block: &'v Value<'_>) -> Option<&'v str> {
    text(block, "text").or_else(|| text(block, "content")).or_else(|| block.as_str())
}

fn has_failed(text: &str) -> Option<bool> {
    FAILURES.iter().any(|failure| text.starts_with(failure)).then_some(true)
}

/// What somebody says without the tags around it.
fn unmarked(text: &str) -> &str {
    let text = text.trim();
    let inner = ["task", "user_message", "feedback", "answer"].iter().find_map(|tag| {
        let rest = text.strip_prefix('<')?.strip_prefix(tag)?.strip_prefix('>')?;
        rest.strip_suffix('>')?.strip_suffix(tag)?.strip_suffix("</")
    });
    inner.map_or(text, str::trim)
}

/// What the blocks of a message are, as steps: several of one kind are one.
struct Steps<'l, 'r, 'v> {
    log: &'l mut Log<'r>,
    role: StepRole,
    time: Option<&'v Value<'v>>,
    tokens: Option<u64>,
}

impl Steps<'_, '_, '_> {
    fn add(&mut self, kind: Kind, form: Form, values: &[&Value<'_>]) -> StepNo {
        let role = if kind == Kind::Result { StepRole::Environment } else { self.role };
        let draft = Draft::of(kind, form, values);
        let begins =
            |mark: &str| values.first().and_then(|block| block_text(block)).is_some_and(|t| t.starts_with(mark));
        let is_injected = role == StepRole::User && (begins(DETAILS) || begins(ERROR));
        self.log.step(&Draft { role, time: self.time, tokens: self.tokens.take(), is_injected, ..draft })
    }

    /// Blocks of texts that are said together.
    fn say(&mut self, spoken: &mut Vec<&Value<'_>>) {
        if !spoken.is_empty() {
            let form = if self.role == StepRole::Agent { WORDS } else { SPOKEN };
            self.add(Kind::Message, form, spoken);
            spoken.clear();
        }
    }

    /// The blocks of what the agent said, or one text.
    fn agent(&mut self, blocks: &[&Value<'_>]) {
        let mut spoken = Vec::new();
        for block in blocks {
            match text(block, "type").unwrap_or("text") {
                "thinking" | "redacted_thinking" | "reasoning" => {
                    self.say(&mut spoken);
                    self.add(Kind::Thought, form::THOUGHT, &[block]);
                }
                "tool_use" => {
                    self.say(&mut spoken);
                    self.add(Kind::Call, form::CALL, &[block]);
                }
                _ => {
                    let words = block_text(block);
                    if words.is_none_or(|words| !tags::before_call(words).trim().is_empty()) {
                        spoken.push(*block);
                    }
                    if words.and_then(tags::call).is_some() {
                        self.say(&mut spoken);
                        self.add(Kind::Call, TAGGED, &[block]);
                    }
                }
            }
        }
        self.say(&mut spoken);
    }

    /// The blocks of what the user or the editor said.
    fn user(&mut self, blocks: &[&Value<'_>]) {
        let (mut spoken, mut answer): (Vec<&Value<'_>>, Vec<&Value<'_>>) = (Vec::new(), Vec::new());
        for block in blocks {
            let words = block_text(block).unwrap_or_default();
            let is_answer = tags::header(words).is_some();
            let is_aside = words.starts_with(DETAILS) || words.starts_with(ERROR);
            let is_spoken =
                is_aside || words.starts_with("<feedback>") || TASKS.iter().any(|task| words.starts_with(task));
            if text(block, "type") == Some("tool_result") || is_answer || is_spoken {
                self.answer(&mut answer);
            }
            match () {
                () if text(block, "type") == Some("tool_result") => {
                    self.say(&mut spoken);
                    self.add(Kind::Result, BLOCK_ANSWER, &[block]);
                }
                () if is_answer || !(answer.is_empty() || is_spoken) => {
                    self.say(&mut spoken);
                    answer.push(*block);
                }
                () if is_aside => {
                    self.say(&mut spoken);
                    self.add(Kind::Message, SPOKEN, &[block]);
                }
                () => spoken.push(*block),
            }
        }
        self.answer(&mut answer);
        self.say(&mut spoken);
    }

    fn answer(&mut self, answer: &mut Vec<&Value<'_>>) {
        if !answer.is_empty() {
            self.add(Kind::Result, ANSWER, answer);
            answer.clear();
        }
    }
}

fn add_steps(message: &Value<'_>, log: &mut Log<'_>) {
    let details = texts(message).find(|text| text.starts_with(DETAILS)).unwrap_or_default();
    let info = message.get("modelInfo");
    let model = info.and_then(|info| text(info, "modelId")).or_else(|| between(details, "<model>", "</model>"));
    let mode = info.and_then(|info| text(info, "mode")).or_else(|| mode_of(details));
    let cwd = ["# Current Working Directory (", "# Current Workspace Directory ("];
    let cwd = cwd.iter().find_map(|before| between(details, before, ")"));
    let (model, mode, cwd) = (model.map(Cow::Borrowed), mode.map(Cow::Borrowed), cwd.map(Cow::Borrowed));
    log.surroundings(&Surroundings { cwd, model, mode, ..Surroundings::default() });
    let usage = message.get("metrics").and_then(usage);
    let role = message.get("role").map_or(StepRole::Unknown, role);
    let tokens = usage.as_ref().and_then(|usage| usage.output);
    let content = message.get("content").filter(|content| content.as_str().is_some());
    let listed = items(message, "content").iter();
    let blocks: Vec<&Value<'_>> = content.map(|_| message).into_iter().chain(listed).collect();
    let mut steps = Steps { log, role, time: message.get("ts"), tokens };
    match role {
        StepRole::Agent => steps.agent(&blocks),
        _ => steps.user(&blocks),
    }
    if let Some(usage) = usage {
        log.usage(None, &usage);
    }
}

/// The mode in which the agent is, as the editor says it.
fn mode_of(details: &str) -> Option<&str> {
    let (_, rest) = details.split_once("# Current Mode\n")?;
    let line = rest.lines().next()?.trim();
    Some(between(line, "<slug>", "</slug>").unwrap_or(line)).filter(|mode| !mode.is_empty())
}

fn between<'t>(text: &'t str, before: &str, behind: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    Some(rest.split_once(behind)?.0).filter(|found| !found.is_empty() && !found.contains('\n'))
}

/// What an answer took; what a cache had is beside the prompt.
fn usage(metrics: &Value<'_>) -> Option<Usage> {
    let tokens = metrics.get("tokens")?;
    Some(Usage {
        input: count(tokens, "prompt"),
        output: count(tokens, "completion"),
        cache_read: count(tokens, "cached"),
        cache_write: None,
        cost: metrics.get("cost").and_then(|cost| cost.as_number()?.parse().ok()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use crate::format::log::testing::{run_of_record, state, steps};
    use crate::json;

    #[test]
    fn calls_are_tags_and_what_came_back_is_behind_a_header() {
        let parsed = run_of_record(&CLINE_TASK, TAGS);
        let found = steps(&parsed);
        assert_eq!(found[0], "message user: list it");
        assert!(found[1].starts_with("message user: <environment_details>"), "{found:?}");
        assert!(parsed.0.turn(1, &parsed.1).unwrap().is_injected);
        assert_eq!(found[2], "message agent: I look.");
        assert!(found[3].starts_with("tool-call agent: execute_command ls"), "{found:?}");
        assert_eq!(found[4], "tool-result environment: Command executed.\nOutput:\na.txt (of 3)");
        assert_eq!(parsed.0.step(4, &parsed.1).answers, Some(3));
        assert!(found[6].starts_with("tool-call agent: attempt_completion"), "{found:?}");
        assert_eq!(found.len(), 7);
        assert!(state(&parsed, "shell", 4).contains(r#""command":"ls""#));
        assert!(state(&parsed, "run", 0).contains(r#""mode":"ACT MODE""#), "{}", state(&parsed, "run", 0));
    }

    #[test]
    fn calls_are_blocks_too_and_answers_say_what_they_took() {
        let parsed = run_of_record(&CLINE_TASK, BLOCKS);
        let found = steps(&parsed);
        assert_eq!(found[2..4], ["thought agent: ls will do", "message agent: I look."]);
        assert!(found[4].starts_with("tool-call agent: execute_command ls"), "{found:?}");
        assert_eq!((parsed.0.step(5, &parsed.1).answers, parsed.0.error_steps()), (Some(4), vec![5]));
        let used = r#"{"main":{"input":9,"output":4,"cache_read":2,"turns":1,"cost":0.25}}"#;
        assert_eq!(state(&parsed, "usage", 5), used);
        assert!(state(&parsed, "run", 5).contains(r#""model":"m""#));
    }

    #[test]
    fn a_written_file_is_known() {
        let written = TAGS
            .replace("<execute_command>", "<write_to_file>")
            .replace("</execute_command>", "</write_to_file>")
            .replace(r"<command>ls</command>", r"<path>b.txt</path>\n<content>\none\ntwo\n</content>")
            .replace("Command executed.", "The content was successfully saved to b.txt.");
        let parsed = run_of_record(&CLINE_TASK, &written);
        let files = parsed.0.work().unwrap().files(4);
        let rows: Vec<_> = files.iter().map(|file| (file.path, file.lines)).collect();
        assert_eq!(rows, [("/w/b.txt", Some(2))]);
    }

    #[test]
    fn what_a_summary_took_out_is_not_seen() {
        let text = BLOCKS.replacen(r#""ts":1777629601000"#, r#""ts":1,"condenseParent":"x""#, 1);
        let parsed = run_of_record(&CLINE_TASK, &text);
        assert_eq!(parsed.0.context_steps(5), Some(vec![0, 1, 5]));
    }

    #[test]
    fn other_conversations_are_no_tasks() {
        let is_one = |text: &str| CLINE_TASK.detect(&[json::parse(text).unwrap()]).is_some();
        assert!(is_one(TAGS) && is_one(BLOCKS));
        assert!(!is_one(r#"[{"role":"user","content":"<task>\nlist it\n</task>"}]"#));
        assert!(!is_one(r#"[{"role":"user","content":"<environment_details>"}]"#));
    }
}
