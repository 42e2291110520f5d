//! Runs that end badly: cut off by a limit, in the middle of a call or of code, or with a refusal.

use super::Report;
use super::texts::agent_text;
use crate::model::{Finding, StepRole};
use crate::rules::trajectory::{Reading, RecordShape, TrajectoryStep, is_finishing};

/// Reasons for the end of a message by which a log says that a limit stopped the model.
const LIMITS: [&str; 4] = ["length", "max_tokens", "max_output_tokens", "token_limit"];

/// Why a run is truncated whose last call nothing answers.
const OPEN: &str = "the run ends with a call that nothing answers";

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
        if last.role == StepRole::Agent && last.calls.is_empty() && agent_text(last).is_some_and(|text| refuses(&text))
        {
            let message = "the run ends with a refusal: look whether it should be learned from";
            report.warning(Some(step), track.path(step), last.value, "data.refusal", message);
        }
    }
}

/// Whether a finding says that a run ends with an open call.
pub(super) fn is_open(finding: &Finding) -> bool {
    finding.rule == "data.truncated" && *finding.message == *OPEN
}

/// The message where most samples of a file end in this way.
pub(super) const OPEN_BY_DESIGN: &str =
    "end with a call that nothing answers: right if they are to teach the next action, else all were cut off";

fn truncated(reading: &Reading<'_>, last: &TrajectoryStep<'_>) -> Option<&'static str> {
    let reasons = [reading.root, last.value];
    let mut reasons = reasons.iter().flat_map(|v| [v.get("finish_reason"), v.get("stop_reason")]).flatten();
    if reasons.any(|reason| reason.as_str().is_some_and(|text| LIMITS.contains(&text))) {
        return Some("the writer was stopped by a limit: the end is missing");
    }
    if last.role != StepRole::Agent {
        return None;
    }
    // For linked calls the rule of the format reports it (D10).
    let is_linked = reading.shape == RecordShape::Std && last.calls.iter().any(|call| call.id.is_some());
    let is_answered = last.calls.len() == last.answered().count() && last.has_answered();
    if !last.calls.is_empty() && !is_linked && !is_answered && !last.calls.iter().any(|c| is_finishing(&c.tool)) {
        return Some(OPEN);
    }
    let is_cut = agent_text(last).is_some_and(|text| open_block(&text).is_some_and(is_cut));
    is_cut.then_some("the last text ends in the middle of a block of code")
}

/// Marks that begin and end a block of code.
const FENCE: &str = "```";

/// The code of a block that a text begins at the start of a line and does not end. Marks in the middle of a line quote
/// something, and an odd number of them says nothing.
fn open_block(text: &str) -> Option<&str> {
    let mut open = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        let line = line.trim();
        if line.starts_with(FENCE) {
            open = match open {
                // A line with more than marks and a language is a quotation.
                None => (!line.trim_matches('`').contains(['`', ' '])).then_some(at),
                Some(_) => None,
            };
        }
    }
    open.map(|start| &text[start..])
}

/// Whether code ends in the middle: with an open bracket or string, or a sign that something follows. A block whose end
/// a stop sequence took is whole.
fn is_cut(code: &str) -> bool {
    let (mut open, mut quote) = (0_i32, None);
    let mut before = ' ';
    for c in code.chars() {
        match (quote, c) {
            (Some(q), _) if c == q && before != '\\' => quote = None,
            (Some(_), '\n') => quote = None,
            (Some(_), _) => {}
            (None, '"') => quote = Some(c),
            (None, '(' | '[' | '{') => open += 1,
            (None, ')' | ']' | '}') => open -= 1,
            (None, _) => {}
        }
        before = c;
    }
    open > 0 || quote.is_some() || code.trim_end().ends_with([',', '=', '\\', '|', '&', '+'])
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
    fn an_open_block_is_cut_where_its_code_is() {
        for text in ["so:\n```python\nprint(1", "```json\n{\"a\": 1,", "```sh\necho \"a", "```\nx =", "```sh\nls |"] {
            assert!(is_truncated(text), "{text}");
        }
        for text in [
            "so:\n```sh\nls",
            "so: ```sh\nls\n```\nand ```",
            "so: ```sh\nls\n```\n",
            "```python\nprint(1)\n```",
            "``` begins a block",
            "plain",
            "`a`",
            "```sh\necho 'it' (done)\n",
        ] {
            assert!(!is_truncated(text), "{text}");
        }
    }

    #[test]
    fn an_open_call_with_an_id_is_a_finding_of_the_format_alone() {
        let open = |id: &str| {
            let call = format!(r#"{{"class_":"api_action","function":"f","kwargs":{{}}{id}}}"#);
            let user = r#"{"class_":"text_observation","content":"q","source":"user"}"#;
            let text = format!(r#"{{"id":"t","content":[{user},{call}]}}"#);
            let root = parse(&text).unwrap();
            let reading = Reading::of(&root);
            truncated(&reading, reading.entries.last().unwrap())
        };
        assert_eq!(open(""), Some(OPEN));
        assert_eq!(open(r#","tool_call_id":"c""#), None);
    }

    #[test]
    fn refusals_are_known_by_their_beginning() {
        assert!(refuses(" I\u{2019}m sorry, but I can\u{2019}t do that") && refuses("I cannot assist with this"));
        assert!(!refuses("The user says: I cannot assist") && !refuses("I can't find the file; let me look again"));
    }
}
