//! What is found in texts, wherever they are: damage, secrets, personal data, special tokens, circles.

use super::personal::PERSONAL;
use super::{Report, encoding, generated, secrets};
use crate::json::{Data, Member, Value, pointer_escape};
use crate::model::StepRole;
use crate::rules::digest;
use crate::rules::trajectory::{Body, Reading, RecordShape, TrajectoryStep, blocks, joined};
use std::borrow::Cow;

/// The texts of a record: of each step by itself, and of what is beside the steps.
pub(super) fn check(reading: &Reading<'_>, report: &mut Report<'_>) {
    if reading.shape == RecordShape::Other {
        return text_rules(reading.root, None, "", &[], report);
    }
    let rendered = rendered(reading.root);
    let beside = reading.root.as_object().into_iter().flat_map(|object| object.entries());
    for (name, value) in beside.filter(|(name, _)| !reading.tracks.iter().any(|track| track.is_in(name))) {
        let path = format!("/{}", pointer_escape(name));
        // Of a text that a template wrote, what trains is the conversation beside it.
        let is_rendered = value.as_str().is_some_and(generated::is_rendered);
        let as_written = [path.as_str()];
        text_rules(value, None, &path, if is_rendered { &as_written[..] } else { rendered }, report);
    }
    for (step, entry) in reading.entries.iter().enumerate() {
        text_rules(entry.value, Some(step), &reading.path(step), rendered, report);
    }
}

/// Members of rollouts that hold texts as a chat template wrote them. The last two are those of rollouts only beside a
/// score; other rows name their texts so too.
const RENDERED: [&str; 4] = ["/input_prompt", "/output_response", "/input", "/output"];

fn rendered(root: &Value<'_>) -> &'static [&'static str] {
    if root.get("score").is_some() { &RENDERED } else { &RENDERED[..2] }
}

/// What the agent says in circles, in words or thoughts.
pub(super) fn circles(reading: &Reading<'_>, report: &mut Report<'_>) {
    for (step, entry) in reading.entries.iter().enumerate().filter(|(_, entry)| entry.role == StepRole::Agent) {
        let text = agent_text(entry);
        let thought = blocks::REASONING.iter().find_map(|key| entry.value.get(key)?.as_str());
        let found = text.as_deref().into_iter().chain(thought).find_map(generated::repetition);
        if let Some(message) = found {
            report.warning(Some(step), reading.path(step), entry.value, "data.repetition", message);
        }
    }
}

/// What the agent says in a step.
pub(super) fn agent_text<'v>(entry: &'v TrajectoryStep<'_>) -> Option<Cow<'v, str>> {
    match &entry.body {
        Body::Item(item) => item.text("content").map(Cow::Borrowed),
        Body::Message(message) => message.text.as_deref().map(Cow::Borrowed),
        Body::Turn => entry.value.get("message").and_then(joined),
        Body::Record => entry.value.get("text").and_then(Value::as_str).map(Cow::Borrowed),
    }
}

/// What a rule finds in a text: the message.
type Find<'f> = &'f dyn Fn(&str) -> Option<String>;

fn text_rules(value: &Value<'_>, step: Option<usize>, path: &str, rendered: &[&str], report: &mut Report<'_>) {
    let personal = PERSONAL.map(|kind| move |text: &str| kind.message(text));
    let of_text: [(&'static str, Find<'_>); 2] =
        [("data.mojibake", &encoding::mojibake), ("data.replacement-char", &encoding::replacement)];
    let special: (&'static str, Find<'_>) = ("data.special-token", &generated::special_token);
    let of_persons = personal.iter().map(|find| ("data.personal", find as Find<'_>));
    let rules = of_text.into_iter().chain(of_persons).chain([special]);
    // What a trainer kept is what its template wrote.
    let is_rendered = rendered.contains(&path);
    for (rule, find) in rules.filter(|(rule, _)| !(is_rendered && *rule == "data.special-token")) {
        if let Some((rest, at, message)) = first(value, find) {
            let shared = (rule == "data.personal").then(|| digest_of(rule, &message, at));
            report.warning(step, format!("{path}{rest}"), at, rule, message);
            mark_shared(report, shared);
        }
    }
    secret_rule(value, step, path, report);
}

/// The secrets of the strings below a value, each kind where it is first.
fn secret_rule(value: &Value<'_>, step: Option<usize>, path: &str, report: &mut Report<'_>) {
    const RULE: &str = "data.secret";
    let mut known: Vec<String> = Vec::new();
    for (rest, at, message) in every_secret(value) {
        if !known.contains(&message) {
            let shared = digest_of(RULE, &message, at);
            known.push(message.clone());
            report.warning(step, format!("{path}{rest}"), at, RULE, message);
            mark_shared(report, Some(shared));
        }
    }
}

/// The secrets of all strings below a value: the path, the string, what is found. Paths are written only where
/// something is found, since nearly nowhere is.
pub(super) fn every_secret<'v, 'a>(value: &'v Value<'a>) -> Vec<(String, &'v Value<'a>, String)> {
    match &value.data {
        Data::String(text) => {
            secrets::secrets(text).into_iter().map(|message| (String::new(), value, message)).collect()
        }
        Data::Array(items) => {
            let below = |(i, item): (usize, &'v Value<'a>)| {
                every_secret(item).into_iter().map(move |(rest, at, message)| (format!("/{i}{rest}"), at, message))
            };
            items.iter().enumerate().flat_map(below).collect()
        }
        Data::Object(object) => {
            let below = |member: &'v Member<'a>| {
                let path = |rest: String| format!("/{}{rest}", pointer_escape(&member.key));
                every_secret(&member.value).into_iter().map(move |(rest, at, message)| (path(rest), at, message))
            };
            object.members.iter().flat_map(below).collect()
        }
        _ => Vec::new(),
    }
}

/// What is found in a text: two kinds of one rule in it are two findings.
fn digest_of(rule: &str, message: &str, text: &Value<'_>) -> u128 {
    digest::of_pair("rule", &format!("{rule} {message}"), "text", text)
}

/// A prompt that all samples share holds one address and not thousands: the last finding is known by its text.
fn mark_shared(report: &mut Report<'_>, shared: Option<u128>) {
    if let Some(last_finding) = report.findings.last_mut().filter(|_| shared.is_some()) {
        last_finding.text = shared;
    }
}

/// The first string below a value in which something is found: its path, the string, what is found.
pub(super) fn first<'v, 'a>(
    value: &'v Value<'a>,
    find: &dyn Fn(&str) -> Option<String>,
) -> Option<(String, &'v Value<'a>, String)> {
    match &value.data {
        Data::String(text) => find(text).map(|message| (String::new(), value, message)),
        Data::Array(items) => items.iter().enumerate().find_map(|(i, item)| {
            let (rest, at, message) = first(item, find)?;
            Some((format!("/{i}{rest}"), at, message))
        }),
        Data::Object(object) => object.members.iter().find_map(|member| {
            let (rest, at, message) = first(&member.value, find)?;
            Some((format!("/{}{rest}", pointer_escape(&member.key)), at, message))
        }),
        _ => None,
    }
}
