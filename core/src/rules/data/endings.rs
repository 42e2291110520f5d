//! Runs that end badly: cut off by a limit, in the middle of a call or of code, or with a refusal.

use super::Report;
use crate::json::Value;
use crate::model::{Finding, Found, Remark, Role};
use crate::rules::trajectory::{Body, Entry, Reading, Shape, is_finishing, joined};
use std::borrow::Cow;
use std::sync::Arc;

/// How a writer says that it was stopped by a limit.
const LIMITS: [&str; 4] = ["length", "max_tokens", "max_output_tokens", "token_limit"];

/// Why a run is truncated whose last call nothing answers.
const OPEN: &str = "the run ends with a call that nothing answers";

/// So many samples of a file that end with an open call, and more than half of all, are next actions by design.
const NEXT_ACTIONS_MIN: usize = 3;

/// How refusals begin, in lower case and with straight apostrophes.
const REFUSALS: &[&str] = &[
    "i'm sorry, but i can't",
    "i'm sorry, but i cannot",
    "i'm sorry, i can't",
    "sorry, but i can't",
    "i am sorry, but i cannot",
    "i can't assist",
    "i cannot assist",
    "i can't help with",
    "i cannot help with",
    "i cannot fulfill",
    "i can't fulfill",
    "i am unable to assist",
    "i'm unable to assist",
    "i'm not able to help with",
    "i must decline",
    "as an ai language model, i can",
];

/// All rules on ends: of each trajectory by itself.
pub(super) fn check(reading: &Reading<'_>, report: &mut Report<'_>) {
    for track in &reading.tracks {
        let last = track.steps.clone().next_back();
        let Some((step, last)) = last.and_then(|step| Some((step, reading.entries.get(step)?))) else { continue };
        if let Some(why) = truncated(reading, last) {
            report.warning(Some(step), track.path(step), last.value, "data.truncated", why);
        }
        if last.role == Role::Agent && last.calls.is_empty() && said(last).is_some_and(|text| refuses(&text)) {
            let message = "the run ends with a refusal: look whether it should be learned from";
            report.warning(Some(step), track.path(step), last.value, "data.refusal", message);
        }
    }
}

/// Whether a finding says that a run ends with an open call.
pub(super) fn is_open(finding: &Finding) -> bool {
    finding.rule == "data.truncated" && *finding.message == *OPEN
}

/// Where most samples of a file end with an open call that is reported once, at the first.
pub(super) fn settle(open: &mut Vec<Found>, samples: usize) {
    let count = open.len();
    if count < NEXT_ACTIONS_MIN || count * 2 <= samples {
        return;
    }
    open.truncate(1);
    if let Some(first) = open.first_mut() {
        let message = format!(
            "{count} of {samples} samples of this file end with a call that nothing answers: right if they are to \
             teach the next action, else all were cut off"
        );
        first.finding.remark = Arc::new(Remark { message: message.into(), ..first.finding.remark.as_ref().clone() });
    }
}

fn truncated(reading: &Reading<'_>, last: &Entry<'_>) -> Option<&'static str> {
    let reasons = [reading.root, last.value];
    let mut reasons = reasons.iter().flat_map(|v| [v.get("finish_reason"), v.get("stop_reason")]).flatten();
    if reasons.any(|reason| reason.as_str().is_some_and(|text| LIMITS.contains(&text))) {
        return Some("the writer was stopped by a limit: the end is missing");
    }
    if last.role != Role::Agent {
        return None;
    }
    // Of linked calls the format's own rule says it (D10).
    let is_linked = reading.shape == Shape::Std && last.calls.iter().any(|call| call.id.is_some());
    let is_answered = last.calls.len() == last.answered.len() && !last.answered.is_empty();
    if !last.calls.is_empty() && !is_linked && !is_answered && !last.calls.iter().any(|c| is_finishing(&c.tool)) {
        return Some(OPEN);
    }
    // Wherever they are: agents begin blocks in the middle of a line.
    let fences = said(last).map_or(0, |text| text.matches("```").count());
    (fences % 2 == 1).then_some("the last text ends inside a block of code")
}

/// What the agent says in a step.
fn said<'v>(entry: &'v Entry<'_>) -> Option<Cow<'v, str>> {
    match &entry.body {
        Body::Item(item) => item.text("content").map(Cow::Borrowed),
        Body::Message(message) => message.text.as_deref().map(Cow::Borrowed),
        Body::Turn => entry.value.get("message").and_then(joined),
        Body::Record => entry.value.get("text").and_then(Value::as_str).map(Cow::Borrowed),
    }
}

fn refuses(text: &str) -> bool {
    let head: String = text.trim_start().chars().take(60).collect();
    let head = head.replace('’', "'").to_lowercase();
    REFUSALS.iter().any(|refusal| head.starts_with(refusal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{parse, quote};

    fn is_truncated(text: &str) -> bool {
        let record = format!("{{\"messages\":[{{\"role\":\"assistant\",\"content\":{}}}]}}", quote(text));
        let root = parse(&record).unwrap();
        let reading = Reading::of(&root);
        truncated(&reading, &reading.entries[0]).is_some()
    }

    #[test]
    fn a_block_may_begin_anywhere_and_must_end() {
        assert!(is_truncated("so:\n```sh\nls") && is_truncated("so: ```sh\nls\n```\nand ```"));
        assert!(!is_truncated("so: ```sh\nls\n```\n") && !is_truncated("plain") && !is_truncated("`a`"));
    }

    #[test]
    fn refusals_are_known_by_their_beginning() {
        assert!(refuses(" I\u{2019}m sorry, but I can\u{2019}t do that") && refuses("I cannot assist with this"));
        assert!(!refuses("The user says: I cannot assist") && !refuses("I can't find the file; let me look again"));
    }
}
