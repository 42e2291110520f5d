//! What a person typed, out of what an agent's program puts around it.

use std::borrow::Cow;

/// What is between the context that an editor adds to a prompt and the prompt.
const REQUESTS: [&str; 1] = ["## My request for Codex:"];
/// How such a context begins.
const CONTEXTS: [&str; 1] = ["# Context from my IDE"];

/// The words of a prompt: `/name arguments` of a command, the text behind notices in angle brackets and behind the
/// context of an editor. Of a text that is nothing else all.
#[must_use]
pub fn asked(text: &str) -> Cow<'_, str> {
    if let Some(name) = inside(text, "command-name") {
        let arguments = inside(text, "command-args").unwrap_or_default();
        return Cow::Owned(format!("{name} {arguments}").trim().to_owned());
    }
    let mut rest = behind_notices(text);
    if CONTEXTS.iter().any(|context| rest.starts_with(context)) {
        let request = REQUESTS.iter().find_map(|request| rest.split_once(request));
        rest = request.map_or(rest, |(_, request)| request.trim_start());
    }
    Cow::Borrowed(if rest.is_empty() { text } else { rest })
}

/// Whether a text is notices in angle brackets and nothing else.
#[must_use]
pub fn is_notice(text: &str) -> bool {
    !text.trim().is_empty() && inside(text, "command-name").is_none() && behind_notices(text).is_empty()
}

fn behind_notices(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(behind) = behind_notice(rest) {
        rest = behind.trim_start();
    }
    rest
}

/// The text of the first element of this name.
fn inside<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    let (inner, _) = rest.split_once(&format!("</{name}>"))?;
    Some(inner.trim()).filter(|inner| !inner.is_empty())
}

/// What is behind an element with which a text begins.
fn behind_notice(text: &str) -> Option<&str> {
    let (name, rest) = text.strip_prefix('<')?.split_once('>')?;
    let is_name = name.contains(['-', '_']) && name.bytes().all(|b| b.is_ascii_lowercase() || b"-_".contains(&b));
    let (_, behind) = rest.split_once(&format!("</{name}>")).filter(|_| is_name)?;
    Some(behind)
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
        ] {
            assert_eq!(asked(text), expected);
        }
        assert!(is_notice("<system-reminder>a</system-reminder>\n<user_info>b</user_info>"));
        assert!(!is_notice("<div>x</div>") && !is_notice(" ") && !is_notice("<command-name>/clear</command-name>"));
    }
}
