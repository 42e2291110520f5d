//! W4: what tools put around their output: exit status, folder, time.

use super::needed;
use super::tables::{CLAUDE_EXIT, CODEX_HEAD, GEMINI, HEADS, NOTICES, RETURNCODE, TRAILERS};
use super::text::with_line_feeds;
use crate::json::{self, Value};
use crate::model::ToolResult;
use crate::model::cast;
use crate::text::width;
use memchr::memmem;
use std::borrow::Cow;

/// Longest trailer, in bytes: what precedes is not searched.
const TRAILER_BYTES_MAX: usize = 8 << 10;

/// A result without its wrapping.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Body<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) exit: Option<i64>,
    pub(super) ms: Option<u64>,
    pub(super) cwd: Option<String>,
    /// SWE-agent's open file; `n/a` for none.
    pub(super) open: Option<String>,
    /// Whether a field says that the call was not permitted.
    pub(super) is_rejected: bool,
}

/// W4: takes the wrapping off a result; fields of the format win.
pub(super) fn unwrap<'t>(result: &'t ToolResult<'_>, is_shell: bool) -> Body<'t> {
    let mut body = of_text(&result.text, is_shell);
    body.exit = result.exit.or(body.exit);
    body.ms = result.ms.or(body.ms);
    let non_empty = |text: &Option<Cow<'_, str>>| text.as_deref().filter(|text| !text.is_empty()).map(str::to_owned);
    body.cwd = non_empty(&result.cwd).or(body.cwd);
    body.open = non_empty(&result.open_file).or(body.open);
    body.is_rejected = result.details.as_deref().is_some_and(is_denial);
    body
}

/// What Claude Code notes of a call that was not permitted, and who decided that: a tool may use such words of its own.
fn is_denial(details: &str) -> bool {
    let is_it = |value: Value<'_>| {
        let of = |key: &str| value.get(key).and_then(Value::as_str);
        of("decision") == Some("reject") && of("source").is_some()
    };
    memmem::find(details.as_bytes(), b"\"decision\"").is_some() && json::parse(details).is_ok_and(is_it)
}

/// W4: the same of a text alone, also one that a user says.
pub(super) fn of_text(text: &str, is_shell: bool) -> Body<'_> {
    let mut body = Body::default();
    let text = match with_line_feeds(text) {
        Cow::Borrowed(text) => inner(text, is_shell, &mut body),
        Cow::Owned(text) => Cow::Owned(inner(&text, is_shell, &mut body).into_owned()),
    };
    body.text = match text {
        Cow::Borrowed(text) => Cow::Borrowed(without_trailers(text, &mut body)),
        Cow::Owned(text) => Cow::Owned(without_trailers(&text, &mut body).to_owned()),
    };
    body
}

/// What a command printed, where its result is an object that holds it (W4); None: it is reported as it was printed.
#[must_use]
pub fn printed(text: &str) -> Option<String> {
    codex_json(text, &mut Body::default())
}

/// How many lines a tool gave back, without what its harness puts around them.
#[must_use]
pub fn line_count(text: &str) -> usize {
    of_text(text, true).text.trim_end().lines().count()
}

/// What a tool gave back, without what its harness puts around it; where that is nothing, all of it.
#[must_use]
pub fn unwrapped(text: &str) -> Cow<'_, str> {
    let inner = of_text(text, true).text;
    if inner.trim().is_empty() { Cow::Borrowed(text) } else { inner }
}

/// What follows heads and inside envelopes.
fn inner<'t>(text: &'t str, is_shell: bool, body: &mut Body<'_>) -> Cow<'t, str> {
    let head = HEADS.iter().find_map(|head| head.find(text)).map_or(0, |found| found.end());
    let text = untrusted(text.get(head..).unwrap_or_default());
    if let Some(output) = codex_json(text, body) {
        return Cow::Owned(with_silent_cut(output));
    }
    if let Some(output) = returncode_json(text, body) {
        return Cow::Owned(output);
    }
    if let Some(inner) = gemini(text, body).or_else(|| codex_head(text, body)).or_else(|| returncode(text, body)) {
        return inner;
    }
    if is_shell && let Some(found) = CLAUDE_EXIT.captures(text) {
        body.exit = found.get(1).and_then(|exit| exit.as_str().parse().ok());
        return Cow::Borrowed(text.get(found.get(0).map_or(0, |all| all.end())..).unwrap_or_default());
    }
    Cow::Borrowed(text)
}

/// Gemini CLI marks what comes from outside: the text within.
fn untrusted(text: &str) -> &str {
    let inner = text.strip_prefix("<untrusted_context>\n");
    inner.and_then(|inner| inner.trim_end().strip_suffix("\n</untrusted_context>")).unwrap_or(text)
}

/// Codex: an object with `output`, and its exit status and time in `metadata` or beside it.
fn codex_json(text: &str, body: &mut Body<'_>) -> Option<String> {
    if !text.starts_with('{') || !text.contains("\"output\"") {
        return None;
    }
    let value = json::parse(text).ok()?;
    // Newer ones have no object for what is said of the output.
    let (output, metadata) = (value.get("output")?.as_str()?, value.get("metadata").unwrap_or(&value));
    let number = |key| metadata.get(key).and_then(Value::as_number);
    let (exit, seconds) = (number("exit_code"), number("duration_seconds").or_else(|| number("wall_time_seconds")));
    if exit.is_none() && seconds.is_none() {
        return None;
    }
    body.exit = exit.and_then(|exit| exit.parse().ok());
    body.ms = seconds.and_then(milliseconds);
    Some(with_line_feeds(without_warning(output)).into_owned())
}

/// Codex before 0.27 stores at most `LINES` lines and `BYTES` bytes of an output, and does not say that it cuts the
/// rest: an output that reaches one of these limits gets a notice.
fn with_silent_cut(mut output: String) -> String {
    const LINES: usize = 256;
    const BYTES: usize = 10 << 10;
    let is_full = || output.ends_with('\n') && memchr::memchr_iter(b'\n', output.as_bytes()).count() == LINES;
    if (output.len() == BYTES || is_full()) && NOTICES.find(&output).is_none() {
        output.push_str(CUT);
    }
    output
}

/// mini-swe-agent: an object with `returncode` and `output`, or the beginning and the end of that.
fn returncode_json(text: &str, body: &mut Body<'_>) -> Option<String> {
    if !text.starts_with('{') || !text.contains("\"returncode\"") {
        return None;
    }
    let value = json::parse(text).ok()?;
    let exit = value.get("returncode")?.as_number()?.parse().ok()?;
    let of = |key: &str| value.get(key).and_then(Value::as_str);
    let parts = || Some(format!("{}\n<response clipped>\n{}", of("output_head")?, of("output_tail")?));
    let output = of("output").map(str::to_owned).or_else(parts)?;
    body.exit = Some(exit);
    Some(with_line_feeds(&output).into_owned())
}

fn milliseconds(seconds: &str) -> Option<u64> {
    let ms = seconds.parse::<f64>().ok()? * 1000.0;
    (0.0..1e15).contains(&ms).then(|| cast::f64_to_u64(ms.round()))
}

/// Codex 0.118 repeats the command before its head.
fn without_command(text: &str) -> &str {
    let rest = text.strip_prefix("Command: ").and_then(|rest| rest.get(rest.find("\nChunk ID: ")? + 1..));
    rest.unwrap_or(text)
}

fn codex_head<'t>(text: &'t str, body: &mut Body<'_>) -> Option<Cow<'t, str>> {
    let text = without_command(text);
    let found = CODEX_HEAD.captures(text)?;
    let all = found.get(0)?;
    // A text that only begins with `Output:` has no head.
    if all.as_str().starts_with("Output:") {
        return None;
    }
    let exit = found.name("b").or_else(|| found.name("a"));
    body.exit = exit.and_then(|exit| exit.as_str().parse().ok());
    body.ms = found.name("s").and_then(|seconds| milliseconds(seconds.as_str()));
    Some(Cow::Borrowed(without_warning(text.get(all.end()..).unwrap_or_default())))
}

/// Codex says before an output that it is cut, and how many lines it had; without a warning, the notice in the output
/// shows that it is cut.
fn without_warning(text: &str) -> &str {
    let Some((head, rest)) = text.split_once("\n\n") else { return text };
    let is_warning = head.starts_with("Warning: truncated output (original token count: ");
    let is_count = |line: &str| line.bytes().all(|byte| byte.is_ascii_digit());
    let is_head = match head.strip_prefix("Total output lines: ") {
        Some(count) => is_count(count) && NOTICES.find(rest).is_some(),
        None => is_warning && head.contains("\nTotal output lines: "),
    };
    if is_head { rest } else { text }
}

fn gemini<'t>(text: &'t str, body: &mut Body<'_>) -> Option<Cow<'t, str>> {
    let starts = ["Command: ", "Directory: ", "Output: ", "Stdout: "];
    if !starts.iter().any(|start| text.starts_with(start)) || !text.contains("\nProcess Group PGID: ") {
        return None;
    }
    let found = GEMINI.captures(text)?;
    let group = |name| found.name(name).map(|group| group.as_str());
    body.exit = group("exit").and_then(|exit| exit.parse().ok());
    let folder = group("cwd").filter(|cwd| !matches!(*cwd, "" | "(root)"));
    body.cwd = folder.map(str::to_owned);
    let group_text = |name| group(name).filter(|text| !matches!(*text, "(empty)" | "(none)" | ""));
    let parts: Vec<&str> = ["body", "stderr", "err"].into_iter().filter_map(group_text).collect();
    Some(match parts[..] {
        [] => Cow::Borrowed(""),
        [one] => without_padding(one),
        _ => Cow::Owned(parts.join("\n")),
    })
}

/// Gemini CLI 0.8 to 0.17 gives the rows of a terminal, padded to its width but for the last: the lines. A full row may
/// go on in the next one, so what follows it is not known.
fn without_padding(text: &str) -> Cow<'_, str> {
    const COLUMNS_MIN: usize = 40;
    let mut rows: Vec<&str> = text.split('\n').collect();
    let last = rows.pop().unwrap_or_default();
    let Some(columns) = rows.first().filter(|row| row.ends_with(' ')).map(|row| width(row)) else {
        return Cow::Borrowed(text);
    };
    if columns < COLUMNS_MIN || rows.iter().any(|row| width(row) != columns) {
        return Cow::Borrowed(text);
    }
    let is_full = |row: &&str| !row.ends_with(' ');
    let known = rows.iter().position(is_full).unwrap_or(rows.len());
    let lines = rows[..known].iter().map(|row| row.trim_end()).chain([rows.get(known).map_or(last, |_| CUT)]);
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

fn returncode<'t>(text: &'t str, body: &mut Body<'_>) -> Option<Cow<'t, str>> {
    if !text.trim_start().starts_with("<returncode>") {
        return None;
    }
    let found = RETURNCODE.captures(text)?;
    body.exit = found.get(1).and_then(|exit| exit.as_str().parse().ok());
    let inner = found.get(2).or_else(|| found.get(3)).map_or("", |inner| inner.as_str());
    Some(head_of_long(inner).map_or(Cow::Borrowed(inner), Cow::Owned))
}

/// mini-swe-agent gives of a long output its head and its tail, each in tags: the head, with a notice that it is cut.
fn head_of_long(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("<output_head>")?;
    let (head, rest) = rest.split_once("</output_head>")?;
    rest.contains("<output_tail>").then(|| format!("{}{CUT}", head.strip_prefix('\n').unwrap_or(head)))
}

/// What Claude Code writes behind an output where a command left the folders of the session.
const FOLDER_RESET: &str = "Shell cwd was reset to ";

/// A notice that what precedes it in its line, and all behind it, is not there.
const CUT: &str = "<response clipped>";

/// Trailers and reminders, again and again.
fn without_trailers<'t>(mut text: &'t str, body: &mut Body<'_>) -> &'t str {
    while let Some(shorter) = reminder(text).or_else(|| trailer(text, body)) {
        text = shorter;
    }
    text
}

fn reminder(text: &str) -> Option<&str> {
    let inner = text.trim_end();
    inner.ends_with("</system-reminder>").then(|| inner.rfind("<system-reminder>")).flatten().map(|at| &inner[..at])
}

fn trailer<'t>(text: &'t str, body: &mut Body<'_>) -> Option<&'t str> {
    // White space at the end belongs to the trailer; without it the end of the text is near.
    let trimmed = text.trim_end();
    let is_folder = || trimmed.rsplit('\n').next().is_some_and(|line| line.starts_with(FOLDER_RESET));
    if !trimmed.ends_with([']', ')', '$', '>', '#']) && !trimmed.ends_with(|c: char| c.is_ascii_digit()) && !is_folder()
    {
        return None;
    }
    let mut from = trimmed.len().saturating_sub(TRAILER_BYTES_MAX);
    while !trimmed.is_char_boundary(from) {
        from += 1;
    }
    let tail = trimmed.get(from..).filter(|tail| needed::may_have_trailer(tail))?;
    let (what, found) = TRAILERS.iter().find_map(|(what, pattern)| Some((*what, pattern.captures(tail)?)))?;
    let captured = found.get(1).map(|group| group.as_str());
    match what {
        "exit" if body.exit.is_none() => body.exit = captured.and_then(|exit| exit.parse().ok()),
        "cwd" if body.cwd.is_none() => body.cwd = captured.map(str::to_owned),
        "open" if body.open.is_none() => body.open = captured.map(str::to_owned),
        _ => {}
    }
    text.get(..from + found.get(0)?.start())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exit, milliseconds, folder, open file and text.
    fn of(text: &str) -> String {
        let body = of_text(text, true);
        let number = |n: Option<i64>| n.map_or("-".to_owned(), |n| n.to_string());
        let (cwd, open) = (body.cwd.as_deref().unwrap_or("-"), body.open.as_deref().unwrap_or("-"));
        format!("{} {} {cwd} {open} {:?}", number(body.exit), number(body.ms.map(|ms| ms as i64)), body.text)
    }

    #[test]
    fn w4_wrappings_are_taken_off() {
        for (text, expected) in [
            (
                "x\n[The command completed with exit code 2.]\n[Current working directory: /w]\n[Python interpreter: /p]\n[Command finished with exit code 2]",
                "2 - /w - \"x\"",
            ),
            ("x\n\n(Open file: /r/a.py)\n(Current directory: /r)\nbash-$", "- - /r /r/a.py \"x\\n\""),
            (r#"{"output":"one\n","metadata":{"exit_code":0,"duration_seconds":0.1}}"#, "0 100 - - \"one\\n\""),
            (r#"{"output":"1 failed\n","exit_code":1,"wall_time_seconds":0.2}"#, "1 200 - - \"1 failed\\n\""),
            ("Chunk ID: 1\nWall time: 0.5 seconds\nProcess exited with code 0\nOutput:\nl1\n", "0 500 - - \"l1\\n\""),
            (
                "Command: sh -lc 'a\nb'\nChunk ID: 1\nWall time: 0.5 seconds\nProcess exited with code 2\nOutput:\nl1\n",
                "2 500 - - \"l1\\n\"",
            ),
            ("Command: sh\nOutput:\nl1\n", "- - - - \"Command: sh\\nOutput:\\nl1\\n\""),
            ("Exit code: 1\nWall time: 0 seconds\nOutput:\n", "1 0 - - \"\""),
            (
                "Wall time: 0 seconds\nOutput:\nTotal output lines: 9\n\na\nb…7 tokens truncated…c\n",
                "- 0 - - \"a\\nb…7 tokens truncated…c\\n\"",
            ),
            (
                "Wall time: 0 seconds\nOutput:\nTotal output lines: 9\n\nis what it printed\n",
                "- 0 - - \"Total output lines: 9\\n\\nis what it printed\\n\"",
            ),
            (
                r#"{"output":"Total output lines: 9\n\na\n[... omitted 8 of 9 lines ...]","metadata":{"exit_code":0}}"#,
                "0 - - - \"a\\n[... omitted 8 of 9 lines ...]\"",
            ),
            ("Output: not a head", "- - - - \"Output: not a head\""),
            (
                "Command: ls x\nDirectory: /p\nOutput: no\nError: (none)\nExit Code: 1\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 9",
                "1 - /p - \"no\"",
            ),
            (
                "<untrusted_context>\nOutput: no\nExit Code: 3\nProcess Group PGID: 9\n</untrusted_context>",
                "3 - - - \"no\"",
            ),
            ("{\n  \"returncode\": 1,\n  \"output\": \"a\\n\"\n}", "1 - - - \"a\\n\""),
            ("<returncode>0</returncode>\n<output>\nhi\n</output>", "0 - - - \"hi\""),
            ("Exit code 1\n2 failed", "1 - - - \"2 failed\""),
            ("a\n<system-reminder>x</system-reminder>\n<system-reminder>y</system-reminder>", "- - - - \"a\\n\""),
            ("boom\n\nCommand exited with code 2", "2 - - - \"boom\""),
            ("EXECUTION RESULT of [execute_bash]:\nx", "- - - - \"x\""),
            ("OBSERVATION:\r\nx\r\ny", "- - - - \"x\\ny\""),
            (
                "x\nShell cwd was reset to /w\n[This command modified 2 files you've previously read: a, b.]",
                "- - /w - \"x\"",
            ),
            ("Shell cwd was reset to /w/my folder", "- - /w/my folder - \"\""),
            ("no Shell cwd was reset to /w", "- - - - \"no Shell cwd was reset to /w\""),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }

    #[test]
    fn an_output_that_fills_what_is_stored_of_it_is_cut() {
        let is_cut = |output: &str| {
            let text = format!(r#"{{"output":{},"metadata":{{"exit_code":0}}}}"#, json::quote(output));
            of_text(&text, true).text.ends_with(CUT)
        };
        assert!(is_cut(&"line\n".repeat(256)) && is_cut(&"a word ".repeat(1463)[..10_240]));
        assert!(!is_cut(&"line\n".repeat(255)) && !is_cut(&"line\n".repeat(257)));
        assert!(!is_cut(&format!("{}[... omitted 9 of 265 lines ...]\n", "line\n".repeat(255))));
    }

    #[test]
    fn rows_of_a_terminal_are_lines_without_their_padding() {
        let rows = |lines: &[&str]| {
            let padded = |line: &&str| format!("{line}{}", " ".repeat(80 - width(line)));
            let (last, rows) = lines.split_last().unwrap();
            let all: Vec<String> = rows.iter().map(padded).chain([(*last).to_owned()]).collect();
            let text = format!("Command: x\nDirectory: /w\nOutput: {}\nProcess Group PGID: 9", all.join("\n"));
            of_text(&text, true).text.into_owned()
        };
        assert_eq!(rows(&["d one", "", "  世界", "d three"]), "d one\n\n  世界\nd three");
        let full = "f".repeat(80);
        assert_eq!(rows(&["a", &full, "b", "c"]), format!("a\n{CUT}"));
        assert_eq!(rows(&["alone"]), "alone");
        let text = "Output: short \nnext\nProcess Group PGID: 9";
        assert_eq!(of_text(text, true).text, "short \nnext");
    }
}
