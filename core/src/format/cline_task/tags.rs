//! Calls that an agent writes as tags in its text, and the lines before what came back.

use crate::json::quote;
use crate::model::ToolCall;
use std::borrow::Cow;

/// Tools of Cline, Roo Code and Kilo Code: other tags are what somebody says.
const TOOLS: [&str; 32] = [
    "access_mcp_resource",
    "apply_diff",
    "apply_patch",
    "ask_followup_question",
    "attempt_completion",
    "browser_action",
    "codebase_search",
    "condense",
    "edit_file",
    "execute_command",
    "fetch_instructions",
    "generate_image",
    "insert_content",
    "list_code_definition_names",
    "list_files",
    "load_mcp_documentation",
    "new_rule",
    "new_task",
    "plan_mode_respond",
    "plan_mode_response",
    "read_file",
    "replace_in_file",
    "report_bug",
    "search_and_replace",
    "search_files",
    "switch_mode",
    "update_todo_list",
    "use_mcp_tool",
    "use_subagents",
    "web_fetch",
    "web_search",
    "write_to_file",
];

/// The longest name of a tag.
const NAME_BYTES_MAX: usize = 40;

/// The name of the tag that a text begins with, and what is behind it.
fn open_tag(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('<')?;
    let end =
        rest.bytes().take(NAME_BYTES_MAX).position(|b| !b.is_ascii_lowercase() && b != b'_' && !b.is_ascii_digit())?;
    let behind = rest[end..].strip_prefix('>')?;
    (end > 0).then(|| (&rest[..end], behind))
}

/// Where the first call of a text begins.
fn begin(text: &str) -> Option<usize> {
    let is_call = |at: &usize| open_tag(&text[*at..]).is_some_and(|(name, _)| TOOLS.contains(&name));
    memchr::memchr_iter(b'<', text.as_bytes()).find(is_call)
}

/// What a text says before its call.
pub(super) fn before_call(text: &str) -> &str {
    begin(text).map_or(text, |at| &text[..at])
}

/// The call that a text ends with; the tags in it are arguments.
pub(super) fn call(text: &str) -> Option<ToolCall<'_>> {
    let (name, behind) = open_tag(&text[begin(text)?..])?;
    let inner = behind.rfind(&format!("</{name}>")).map_or(behind, |end| &behind[..end]);
    let mut members: Vec<String> = Vec::new();
    let mut rest = inner;
    while let Some(at) = memchr::memchr(b'<', rest.as_bytes()) {
        rest = &rest[at..];
        let Some((argument, behind)) = open_tag(rest) else {
            rest = &rest[1..];
            continue;
        };
        let end = format!("</{argument}>");
        // The text of a file may have the tag itself in it.
        let close = if is_long(argument) { behind.rfind(&end) } else { behind.find(&end) };
        let (value, after) = close.map_or((behind, ""), |at| (&behind[..at], &behind[at + end.len()..]));
        members.extend(member(argument, value));
        rest = after;
    }
    let arguments = format!("{{{}}}", members.join(","));
    Some(ToolCall { id: None, name: Cow::Borrowed(name), arguments: arguments.into() })
}

/// Whether an argument is a text in which tags may be.
fn is_long(argument: &str) -> bool {
    matches!(argument, "content" | "diff" | "result" | "args" | "arguments" | "response" | "question")
}

/// An argument as a member of an object. Roo Code names the files that it reads in tags of their own.
fn member(argument: &str, value: &str) -> Option<String> {
    let mut paths = value.split("<path>").skip(1).filter_map(|rest| Some(rest.split_once("</path>")?.0.trim()));
    if argument == "args"
        && let Some(path) = paths.next()
    {
        let more: Vec<String> = paths.map(quote).collect();
        let further = (!more.is_empty()).then(|| format!(",\"more_paths\":[{}]", more.join(",")));
        return Some(format!("\"path\":{}{}", quote(path), further.unwrap_or_default()));
    }
    let without = value.strip_prefix("\r\n").or_else(|| value.strip_prefix('\n')).unwrap_or(value);
    let is_file = argument == "content";
    let without = if is_file { without } else { without.trim() };
    Some(format!("{}:{}", quote(argument), quote(without)))
}

/// The tool that a result is of, and what is said behind the header in the same text.
pub(super) fn header(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('[')?;
    let (head, behind) = rest.split_once("] Result:")?;
    let name = head.split(' ').next()?;
    (!head.contains('\n') && TOOLS.contains(&name)).then(|| (name, behind.trim_start_matches(['\r', '\n'])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<(String, String)> {
        call(text).map(|call| (call.name.into_owned(), call.arguments.into_owned()))
    }

    #[test]
    fn tags_of_tools_are_calls_and_others_are_words() {
        let some = |name: &str, arguments: &str| Some((name.to_owned(), arguments.to_owned()));
        for (text, expected) in [
            ("<read_file>\n<path>a</path>\n</read_file>", some("read_file", r#"{"path":"a"}"#)),
            ("I look.\n<read_file>\n<path>a</path>", some("read_file", r#"{"path":"a"}"#)),
            (
                "<read_file><args><file><path>a</path></file><file><path>b</path></file></args></read_file>",
                some("read_file", r#"{"path":"a","more_paths":["b"]}"#),
            ),
            (
                "<write_to_file>\n<path>a</path>\n<content>\n<p>x</p>\n</content>\n</write_to_file>",
                some("write_to_file", r#"{"path":"a","content":"<p>x</p>\n"}"#),
            ),
            ("<list_files>\n</list_files>", some("list_files", "{}")),
            ("a < b and <div>x</div>", None),
            ("<read_file", None),
            ("<", None),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
        assert_eq!(before_call("I look.\n<read_file>\n<path>a</path>"), "I look.\n");
        assert_eq!(header("[read_file for 'a'] Result:\nx"), Some(("read_file", "x")));
        assert_eq!((header("[note] Result: x"), header("x")), (None, None));
    }
}
