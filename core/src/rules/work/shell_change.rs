//! W9 *Change*: commands that write, move and remove files.

use super::escapes::{Printer, printed};
use super::shell::{Effect, git_command};
use super::shell_read::split_flags;
use super::words::{Redirect, RedirectKind, Simple};

/// W9 *Change*: what a command does to files.
pub(super) fn change(command: &Simple, resolve: &dyn Fn(&str) -> String, folder: Option<&str>) -> Vec<Effect> {
    let output = command.output();
    let put = |redirect: &Redirect, text: String| {
        let path = resolve(&redirect.target.text);
        vec![if redirect.way == RedirectKind::Append {
            Effect::Append { path, text }
        } else {
            Effect::Write { path, text }
        }]
    };
    let is_file = |redirect: &&Redirect| !redirect.target.text.starts_with("/dev/");
    let texts: Vec<&str> = command.arguments().iter().map(|word| word.text.as_str()).collect();
    let body = heredoc_text(command);
    match (command.name(), output.filter(is_file)) {
        ("", Some(output)) if command.words.is_empty() && command.heredoc.is_none() => put(output, String::new()),
        // They print nothing, whatever they are given.
        (":" | "true", Some(output)) => put(output, String::new()),
        ("cat", Some(output)) if texts.is_empty() || texts == ["-"] => {
            body.map(|body| put(output, body)).unwrap_or_default()
        }
        ("echo", Some(output)) => echo(&texts).map(|text| put(output, text)).unwrap_or_default(),
        ("printf", Some(output)) => match texts[..] {
            [text] if !text.contains('%') => {
                printed(text, Printer::Printf).map(|(text, _)| put(output, text)).unwrap_or_default()
            }
            _ => Vec::new(),
        },
        ("tee", _) => tee(&texts, body, resolve),
        ("apply_patch" | "applypatch", _) => {
            let text = body.or_else(|| texts.first().map(|text| (*text).to_owned()));
            text.map(|text| Effect::Patch { text, folder: folder.map(str::to_owned) }).into_iter().collect()
        }
        ("git", _) => match git_command(command) {
            Some(name @ ("rm" | "mv")) => {
                let behind = texts.iter().position(|text| *text == name).map_or(0, |at| at + 1);
                file_command(name, texts.get(behind..).unwrap_or_default(), resolve)
            }
            _ => Vec::new(),
        },
        (name, _) => file_command(name, &texts, resolve),
    }
}

/// The here-document, if the shell replaces nothing in it.
fn heredoc_text(command: &Simple) -> Option<String> {
    let heredoc = command.heredoc.as_ref()?;
    let is_plain = heredoc.is_quoted || !heredoc.body.contains(['$', '`', '\\']);
    is_plain.then(|| heredoc.body.clone())
}

fn tee(texts: &[&str], body: Option<String>, resolve: &dyn Fn(&str) -> String) -> Vec<Effect> {
    let Some(text) = body else { return Vec::new() };
    match texts {
        ["-a", file] => vec![Effect::Append { path: resolve(file), text }],
        [file] if !file.starts_with('-') => vec![Effect::Write { path: resolve(file), text }],
        _ => Vec::new(),
    }
}

/// `rm`, `mv`, `cp`.
fn file_command(name: &str, texts: &[&str], resolve: &dyn Fn(&str) -> String) -> Vec<Effect> {
    let (flags, operands) = split_flags(texts);
    let fits = |allowed: &str| flags.iter().all(|flag| flag[1..].chars().all(|c| allowed.contains(c)));
    // A target that ends in a slash is a folder; the path itself does not show it any more.
    let target = |path: &str| if path.ends_with('/') { format!("{}/", resolve(path)) } else { resolve(path) };
    match (name, operands.as_slice()) {
        ("rm", files) if fits("rRfvdiq") || flags.iter().all(|flag| matches!(*flag, "--recursive" | "--force")) => {
            files.iter().map(|file| Effect::Delete { path: resolve(file) }).collect()
        }
        ("mv", [from, to]) if fits("fnviu") => vec![Effect::Move { from: resolve(from), to: target(to) }],
        ("cp", [from, to]) if fits("rRafnpvdiuL") => vec![Effect::Copy { from: resolve(from), to: target(to) }],
        _ => Vec::new(),
    }
}

/// What `echo` prints.
fn echo(texts: &[&str]) -> Option<String> {
    let is_flag =
        |text: &&&str| text.len() > 1 && text.starts_with('-') && text[1..].chars().all(|c| "neE".contains(c));
    let count = texts.iter().take_while(|text| is_flag(text)).count();
    let (flags, rest) = texts.split_at(count);
    let has = |c| flags.iter().any(|flag| flag.contains(c));
    let text = rest.join(" ");
    let (text, is_cut) = if has('e') { printed(&text, Printer::Echo)? } else { (text, false) };
    Some(if has('n') || is_cut { text } else { format!("{text}\n") })
}
