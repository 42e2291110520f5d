//! What is found in texts, wherever they are: damage, secrets, personal data, special tokens, circles.

use super::personal::PERSONAL;
use super::{Report, encoding, generated, secrets};
use crate::json::{Data, Value, pointer_escape};
use crate::model::StepRole;
use crate::rules::digest;
use crate::rules::trajectory::{Body, Reading, RecordShape, TrajectoryStep, joined};
use std::borrow::Cow;

/// The texts of a record: of each step by itself, and of what is beside the steps.
pub(super) fn check(reading: &Reading<'_>, report: &mut Report<'_>) {
    if reading.shape == RecordShape::Other {
        return text_rules(reading.root, None, "", &[], report);
    }
    let rendered = rendered(reading.root);
    let beside = reading.root.as_object().into_iter().flat_map(|object| object.entries());
    for (name, value) in beside.filter(|(name, _)| !reading.tracks.iter().any(|track| track.is_in(name))) {
        text_rules(value, None, &format!("/{}", pointer_escape(name)), rendered, report);
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
        let thought = ["reasoning_content", "reasoning"].iter().find_map(|key| entry.value.get(key)?.as_str());
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
    let of_text: [(&'static str, Find<'_>); 3] = [
        ("data.mojibake", &encoding::mojibake),
        ("data.replacement-char", &encoding::replacement),
        ("data.secret", &secrets::secret),
    ];
    let special: (&'static str, Find<'_>) = ("data.special-token", &generated::special_token);
    let of_persons = personal.iter().map(|find| ("data.personal", find as Find<'_>));
    let rules = of_text.into_iter().chain(of_persons).chain([special]);
    // What a trainer kept is what its template wrote.
    let is_rendered = rendered.contains(&path);
    for (rule, find) in rules.filter(|(rule, _)| !(is_rendered && *rule == "data.special-token")) {
        if let Some((rest, at, message)) = first(value, find) {
            // Two kinds of one rule in a text are two findings.
            let found_text = format!("{rule} {message}");
            report.warning(step, format!("{path}{rest}"), at, rule, message);
            // A prompt that all samples share holds one address and not thousands.
            let is_once = matches!(rule, "data.secret" | "data.personal");
            if let Some(last_finding) = report.findings.last_mut().filter(|_| is_once) {
                last_finding.text = Some(digest::of_pair("rule", &found_text, "text", at));
            }
        }
    }
}

/// The first string below a value in which something is found: its path, the string, what is found.
fn first<'v, 'a>(
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
