//! What a person typed, out of what an agent's program puts around it.

use std::borrow::Cow;

/// What is between the context that an editor adds to a prompt and the prompt.
const REQUESTS: [&str; 1] = ["## My request for Codex:"];
/// How such a context begins.
const CONTEXTS: [&str; 1] = ["# Context from my IDE"];

/// A piece of a text in the place of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptPiece<'t> {
    /// Words that somebody typed.
    Words(&'t str),
    /// A command as it is typed: `/name arguments`, `! command` of the shell.
    Command(String),
    /// What a command printed.
    Output(Cow<'t, str>),
    /// What a command printed as an error.
    ErrorOutput(Cow<'t, str>),
    /// What the program put in: the name of its element, and its text.
    Injected(&'t str, &'t str),
}

/// Elements that a program puts in beside what is typed.
const REMINDER: &str = "system-reminder";
const INJECTED: [&str; 3] = [REMINDER, "local-command-caveat", "user-prompt-submit-hook"];
/// Elements that repeat the name of a command.
const COMMAND_LABELS: [&str; 2] = ["command-message", "skill-format"];

/// The pieces of a text: the elements with which it begins, words, and the reminders at its end. A text without such
/// elements is words.
#[must_use]
pub fn prompt_pieces(text: &str) -> Vec<PromptPiece<'_>> {
    let mut pieces = Vec::new();
    let (mut name, mut arguments, mut labels) = (None, "", Vec::new());
    let mut rest = text;
    while let Some(found) = element(rest.trim_start()) {
        let inner = found.inner.trim();
        match found.name {
            "command-name" => name = name.or(Some((pieces.len(), inner))),
            "command-args" => arguments = inner,
            label if COMMAND_LABELS.contains(&label) => labels.push((label, inner)),
            "bash-input" => pieces.push(PromptPiece::Command(format!("! {inner}"))),
            "local-command-stdout" | "bash-stdout" => pieces.push(PromptPiece::Output(found.inner.into())),
            "local-command-stderr" => pieces.push(PromptPiece::ErrorOutput(found.inner.into())),
            "bash-stderr" => pieces.push(PromptPiece::ErrorOutput(unescaped(found.inner))),
            injected if INJECTED.contains(&injected) || injected == "command-contents" => {
                pieces.push(PromptPiece::Injected(found.name, inner));
            }
            _ => break,
        }
        rest = found.behind;
    }
    match name.filter(|(_, name)| !name.is_empty()) {
        Some((place, name)) => {
            let command = format!("{name} {arguments}").trim().to_owned();
            pieces.insert(place, PromptPiece::Command(command));
        }
        None if !arguments.is_empty() || !labels.is_empty() => return vec![PromptPiece::Words(text)],
        None => {}
    }
    let (words, reminders) = before_reminders(rest);
    if !words.trim().is_empty() {
        pieces.push(PromptPiece::Words(words.trim()));
    }
    pieces.extend(reminders.into_iter().map(|inner| PromptPiece::Injected(REMINDER, inner)));
    match pieces.as_slice() {
        [] | [PromptPiece::Words(_)] => vec![PromptPiece::Words(text)],
        _ => pieces,
    }
}

/// The words of a prompt: `/name arguments` of a command, what a command printed, the text behind notices in angle
/// brackets and behind the context of an editor. Of a text that is nothing else all.
#[must_use]
pub fn asked(text: &str) -> Cow<'_, str> {
    let pieces = prompt_pieces(text);
    let typed = pieces.iter().filter_map(|piece| match piece {
        PromptPiece::Words(words) if pieces.len() > 1 => Some(behind_context(words).into()),
        PromptPiece::Command(command) => Some(Cow::Borrowed(command.as_str())),
        _ => None,
    });
    let typed: Vec<Cow<'_, str>> = typed.collect();
    if !typed.is_empty() {
        return Cow::Owned(typed.join(" "));
    }
    let printed = pieces.iter().filter_map(|piece| match piece {
        PromptPiece::Output(text) | PromptPiece::ErrorOutput(text) => Some(text.trim()),
        _ => None,
    });
    let printed: Vec<&str> = printed.filter(|text| !text.is_empty()).collect();
    if !printed.is_empty() {
        return Cow::Owned(printed.join("\n"));
    }
    Cow::Borrowed(behind_context(text))
}

/// The text behind notices and the context of an editor; of a text that is nothing else all.
fn behind_context(text: &str) -> &str {
    let mut rest = behind_notices(text);
    if CONTEXTS.iter().any(|context| rest.starts_with(context)) {
        let request = REQUESTS.iter().find_map(|request| rest.split_once(request));
        rest = request.map_or(rest, |(_, request)| request.trim_start());
    }
    if rest.is_empty() { text } else { rest }
}

/// Whether a text is notices in angle brackets and nothing else.
#[must_use]
pub fn is_notice(text: &str) -> bool {
    let is_command = |piece: &PromptPiece<'_>| matches!(piece, PromptPiece::Command(_));
    !text.trim().is_empty() && behind_notices(text).is_empty() && !prompt_pieces(text).iter().any(is_command)
}

fn behind_notices(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(behind) = behind_notice(rest) {
        rest = behind.trim_start();
    }
    rest
}

/// An element in angle brackets with which a text begins.
struct Element<'t> {
    name: &'t str,
    inner: &'t str,
    behind: &'t str,
}

fn element(text: &str) -> Option<Element<'_>> {
    let (name, rest) = text.strip_prefix('<')?.split_once('>')?;
    let is_name = name.contains(['-', '_']) && name.bytes().all(|b| b.is_ascii_lowercase() || b"-_".contains(&b));
    let end = format!("</{name}>");
    // An output may hold anything, its end too.
    let is_output = name.ends_with("-stdout") || name.ends_with("-stderr");
    let split = if is_output { rest.rsplit_once(&*end) } else { rest.split_once(&*end) };
    let (inner, behind) = split.filter(|_| is_name)?;
    Some(Element { name, inner, behind })
}

/// What is behind an element with which a text begins.
fn behind_notice(text: &str) -> Option<&str> {
    Some(element(text)?.behind)
}

/// A text without the reminders at its end, and these.
fn before_reminders(text: &str) -> (&str, Vec<&str>) {
    let (begin, end) = (format!("<{REMINDER}>"), format!("</{REMINDER}>"));
    let (mut rest, mut found) = (text, Vec::new());
    while let Some((words, inner)) = rest.trim_end().strip_suffix(&*end).and_then(|body| body.rsplit_once(&*begin)) {
        // A sentence may end with the name of the element.
        if !words.is_empty() && !words.ends_with('\n') {
            break;
        }
        found.push(inner.trim());
        rest = words;
    }
    found.reverse();
    (rest, found)
}

/// A text with its characters in place of the names of XML.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let names = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    Cow::Owned(names.iter().fold(text.to_owned(), |text, (name, character)| text.replace(name, character)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_is_found() {
        for (text, expected) in [
            ("plain words", "plain words"),
            ("<system-reminder>\na < b\n</system-reminder>\n\nRun it", "Run it"),
            ("<environment_context>x</environment_context>", "<environment_context>x</environment_context>"),
            ("<div>x</div> centre this", "<div>x</div> centre this"),
            ("<system-reminder>never closed", "<system-reminder>never closed"),
            ("# Context from my IDE setup:\n\n## My request for Codex:\nfix it", "fix it"),
            ("# Context from my IDE setup: nothing asked", "# Context from my IDE setup: nothing asked"),
            (
                "<command-message>do is running…</command-message>\n<command-name>/do</command-name>\n\
                 <command-args>@A.md now</command-args>",
                "/do @A.md now",
            ),
            ("<command-name>/clear</command-name><command-args></command-args>", "/clear"),
            ("find <command-name>/x</command-name> in it", "find <command-name>/x</command-name> in it"),
            ("<bash-input>ls -l</bash-input>", "! ls -l"),
            ("<bash-stdout>a</bash-stdout><bash-stderr>1 &lt; 2</bash-stderr>", "a\n1 < 2"),
            (
                "<bash-stdout></bash-stdout><bash-stderr></bash-stderr>",
                "<bash-stdout></bash-stdout><bash-stderr></bash-stderr>",
            ),
            ("<local-command-stdout>Set model</local-command-stdout>", "Set model"),
            ("Do it\n<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>", "Do it"),
        ] {
            assert_eq!(asked(text), expected);
        }
        assert!(is_notice("<system-reminder>a</system-reminder>\n<user_info>b</user_info>"));
        assert!(!is_notice("<div>x</div>") && !is_notice(" ") && !is_notice("<command-name>/clear</command-name>"));
    }

    #[test]
    fn a_prompt_is_words_commands_outputs_and_what_was_put_in() {
        use PromptPiece::{Command, ErrorOutput, Injected, Output, Words};
        for (text, expected) in [
            ("plain words", vec![Words("plain words")]),
            (
                "<system-reminder>\nbe brief\n</system-reminder>\n\nRun it\n<system-reminder>now</system-reminder>",
                vec![Injected(REMINDER, "be brief"), Words("Run it"), Injected(REMINDER, "now")],
            ),
            (
                "<command-message>do</command-message>\n<command-name>/do</command-name>\n<command-args>a\nb</command-args>",
                vec![Command("/do a\nb".into())],
            ),
            ("<command-message>do</command-message>", vec![Words("<command-message>do</command-message>")]),
            (
                "<bash-stdout>x</bash-stdout>y</bash-stdout><bash-stderr>1 &amp;lt; 2</bash-stderr>",
                vec![Output("x</bash-stdout>y".into()), ErrorOutput("1 &lt; 2".into())],
            ),
            ("say <system-reminder>x</system-reminder>", vec![Words("say <system-reminder>x</system-reminder>")]),
            ("<user_info>u</user_info> hi", vec![Words("<user_info>u</user_info> hi")]),
            ("", vec![Words("")]),
        ] {
            assert_eq!(prompt_pieces(text), expected, "{text}");
        }
    }
}
