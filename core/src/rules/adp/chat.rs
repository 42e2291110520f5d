//! D17: what is wrong with conversations of messages.

use super::report::Report;
use crate::model::StepRole;
use crate::rules::trajectory::{Body, Message, Reading, Track, TrajectoryStep, blocks, text};

/// D17: what is wrong with the conversations of a record.
pub(super) fn check(reading: &Reading<'_>, report: &mut Report) {
    let ends_open = is_answered_elsewhere(reading);
    reading.tracks.iter().for_each(|track| check_track(&reading.entries, (track, ends_open), report));
}

/// Whether the answers of a record are elsewhere than in its conversation: those of a preference pair, or of a prompt
/// that is yet to be answered.
fn is_answered_elsewhere(reading: &Reading<'_>) -> bool {
    let has = |name: &str| reading.root.get(name).is_some();
    let is_pair = (has("chosen") && has("rejected")) || (has("chosen_messages") && has("rejected_messages"));
    let is_task = || has("responses_create_params") && !reading.tracks.iter().any(|track| track.is_in("response"));
    let is_prompt = reading.body == Some("/prompt") || is_task();
    // What was chosen and rejected is read as trajectories of its own, which must end with the agent.
    is_prompt || (is_pair && reading.tracks.iter().all(|track| track.label.is_none()))
}

fn check_track(entries: &[TrajectoryStep<'_>], (track, ends_open): (&Track, bool), report: &mut Report) {
    if track.steps.is_empty() {
        report.warning(None, track.list(), "sft.empty", "the conversation has no message");
    }
    let mut roles = Vec::with_capacity(track.steps.len());
    for step in track.steps.clone() {
        let Some(entry) = entries.get(step) else { continue };
        let Body::Message(message) = &entry.body else { continue };
        // Items of the Responses interface are parts of one turn.
        let goes_on = is_item(entry) && roles.last().is_some_and(|(_, role)| *role == message.role);
        // It is the message before that goes on.
        if track.goes_on != Some(step) && !goes_on {
            roles.push((step, message.role));
        }
        check_message((entries, step), message, &track.path(step), report);
    }
    // An answer of a pair may have its prompt inside, that of a batch has it elsewhere, and stepwise answers are
    // several by themselves.
    let is_answer_alone = (track.label.is_some() || track.is_one_value()) && roles.len() == 1;
    let is_stepwise = roles.last().is_some_and(|(step, _)| track.path(*step).starts_with("/completions/"));
    let known: Vec<StepRole> = roles.iter().map(|(_, role)| *role).collect();
    let out_of_turn = first_out_of_turn(&known).filter(|_| !is_answer_alone && !is_stepwise);
    if let Some((step, _)) = out_of_turn.and_then(|place| roles.get(place).copied()) {
        let asked = |step: usize| entries[step].answers(step);
        let message = match step.checked_sub(1).and_then(asked).filter(|asking| asked(step) == Some(*asking)) {
            Some(_) => "a second answer to calls made at once: right for templates that know such, others want turns",
            None => "the roles do not alternate here; not-agent and agent should take turns",
        };
        report.warning(Some(step), track.path(step), "sft.alternate", message);
    }
    if let Some((step, _)) = roles.last().copied().filter(|&(_, role)| role != StepRole::Agent && !ends_open) {
        let message = "the last message is not the agent's, so nothing is learned from it";
        report.warning(Some(step), track.path(step), "sft.last-not-agent", message);
    }
}

/// Whether an entry is an item among the messages: a call, a result or a thought by itself.
fn is_item(entry: &TrajectoryStep<'_>) -> bool {
    blocks::item(entry.value).is_some()
}

/// D17, D13: one message.
fn check_message(
    (entries, step): (&[TrajectoryStep<'_>], usize),
    message: &Message<'_>,
    path: &str,
    report: &mut Report,
) {
    let Some(entry) = entries.get(step) else { return };
    let at = Some(step);
    let check_text = |text: &str, path: &str, report: &mut Report| {
        // What an agent notes for itself says nothing.
        if !(text::is_blank(text) && super::lint::is_noted(entries, entry)) {
            check_text(entry, text, step, path, report);
        }
    };
    if message.role == StepRole::Unknown {
        let text = format!("the speaker {:?} is none of the known ones", message.speaker);
        report.error(at, format!("{path}/{}", message.speaker_key), "sft.role", text);
    }
    match (message.text_key, &message.text) {
        (None, _) if entry.calls.is_empty() => {
            report.error(
                at,
                path.to_owned(),
                "sft.type",
                "the message has neither a text nor a call in `tool_calls` or `function_call`",
            );
        }
        (Some(key), content) if message.is_null => {
            let path = format!("{path}/{key}");
            match content {
                None => check_text("", &path, report),
                Some(_) => {
                    let text = "the text is null; its words are in `system_prompt`, where most trainers do not look";
                    report.warning(at, path, "sft.empty", text);
                }
            }
        }
        (Some(_), None) if is_item(entry) => {}
        (Some(key), None) => {
            let text = "the text is neither a string nor an array of parts";
            report.error(at, format!("{path}/{key}"), "sft.type", text);
        }
        (Some(""), Some(text)) => check_text(text, path, report),
        (Some(key), Some(text)) => check_text(text, &format!("{path}/{key}"), report),
        (None, _) => {}
    }
    report.control_chars(step, path, entry.value, message.way);
}

/// D17: the text of one message.
fn check_text(entry: &TrajectoryStep<'_>, text: &str, step: usize, path: &str, report: &mut Report) {
    let mut warn = |rule, message| report.warning(Some(step), path.to_owned(), rule, message);
    if text::is_blank(text) && entry.calls.is_empty() && !has_other_parts(entry) {
        warn(
            "sft.empty",
            match entry.role {
                StepRole::Agent => {
                    "the agent's text is blank, and there is no call in `tool_calls` or `function_call`: a \
                     trainer that reads only those teaches to say nothing"
                }
                StepRole::Environment => {
                    "nothing came back: right for a tool that says nothing, else its output was lost"
                }
                _ => "the text is blank, and there is no call in `tool_calls` or `function_call`",
            },
        );
    }
    if entry.role == StepRole::Agent {
        if text::has_broken_call(text) {
            warn("sft.call-syntax", "a call begins with <function= but none is whole up to </function>");
        }
        if text::has_think_token(text) {
            warn("sft.think-token", "the text holds a think tag, which trains the model to write it");
        }
    }
}

/// D17: whether a part of the message is not text: then it is not empty.
fn has_other_parts(entry: &TrajectoryStep<'_>) -> bool {
    matches!(&entry.body, Body::Message(message) if message.has_other_parts)
}

/// D17: after the leading system messages not-agent and agent take turns; an unknown role ends the search.
fn first_out_of_turn(roles: &[StepRole]) -> Option<usize> {
    let start = roles.iter().take_while(|&&r| r == StepRole::System).count();
    let known = roles[start..].iter().take_while(|&&r| r != StepRole::Unknown);
    known.enumerate().find(|&(i, &r)| (r == StepRole::Agent) != (i % 2 == 1)).map(|(i, _)| start + i)
}
