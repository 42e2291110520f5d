//! Sessions of Agno, which are runs of an agent or of a team with their messages (`FORMATS.md` 8).

use super::rows::{RowTrack, Source, are_messages, is_message};
use crate::json::Value;
use crate::model::StepRole;
use std::borrow::Cow;

/// Members that say of a row which agent, team or workflow it is of.
const OWNERS: [&str; 3] = ["agent_id", "team_id", "workflow_id"];

/// The runs of a session, each with the pointer to it. From version 3 a run is a row by itself.
fn runs<'a>(row: &'a Value<'a>) -> Option<Vec<(String, &'a Value<'a>)>> {
    row.get("session_id").filter(|id| id.as_str().is_some())?;
    if let Some(run) = row.get("run_data") {
        return Some(vec![("/run_data".to_owned(), run)]);
    }
    OWNERS.iter().find(|owner| row.get(owner).is_some())?;
    let all = row.get("runs")?.as_array()?.iter().enumerate();
    Some(all.map(|(number, run)| (format!("/runs/{number}"), run)).collect())
}

/// Whether a row is a session of Agno, or a run of one.
#[must_use]
pub fn is_session(row: &Value<'_>) -> bool {
    let messages = |run: &Value<'_>| run.get("messages").is_some_and(are_messages);
    runs(row).is_some_and(|runs| runs.iter().any(|(_, run)| messages(run)))
}

/// The trajectory of a session: the messages of its runs without those that a run repeats of the ones before, and
/// without a system prompt that says the same again. Runs of the members of a team are those of sub-agents.
pub(super) fn session<'a>(row: &'a Value<'a>) -> Option<Vec<RowTrack<'a>>> {
    let runs = runs(row)?;
    let (mut main, mut members, mut prompt) = (Vec::new(), Vec::new(), None);
    for (pointer, run) in &runs {
        let Some(messages) = run.get("messages").filter(|messages| are_messages(messages)) else { continue };
        let is_member = run.get("parent_run_id").is_some_and(|parent| parent.as_str().is_some());
        let mut member_prompt = None;
        let known = if is_member { &mut member_prompt } else { &mut prompt };
        let sources = messages.as_array().unwrap_or_default().iter().enumerate().filter_map(|(place, value)| {
            let is_new = is_message(value) && !is_repeated(value, known);
            let pointer = Cow::Owned(format!("{pointer}/messages/{place}"));
            is_new.then_some(Source { value, pointer, role: StepRole::Unknown })
        });
        if is_member {
            let name = ["agent_name", "team_name", "agent_id", "team_id"];
            let name = name.iter().find_map(|name| run.get(name)?.as_str()).unwrap_or("member").to_owned();
            let sources = sources.collect();
            members.push(RowTrack { label: Some(name.into()), is_sub_agent: true, ..RowTrack::of(sources) });
        } else {
            main.extend(sources);
        }
    }
    let main = (!main.is_empty()).then(|| RowTrack::of(main));
    let all: Vec<_> = main.into_iter().chain(members.into_iter().filter(|track| !track.sources.is_empty())).collect();
    (!all.is_empty()).then_some(all)
}

/// Whether a run has a message from the runs before it.
fn is_repeated<'a>(message: &'a Value<'a>, prompt: &mut Option<&'a str>) -> bool {
    let is_prompt = message.get("role").and_then(Value::as_str) == Some("system");
    let words = message.get("content").map_or("", |content| content.text);
    let is_known = is_prompt && *prompt == Some(words);
    if is_prompt {
        *prompt = Some(words);
    }
    is_known || message.get("from_history").and_then(Value::as_bool) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use crate::rules::trajectory::{Hint, Reading, Track, track_count, turn};

    /// What each trajectory of a row says, with its label.
    fn of(row: &str) -> Vec<String> {
        let row = parse(row).unwrap();
        let reading = Reading::of_row(&row);
        let says = |step: usize| {
            let turn = turn(&reading.entries[step], Hint::None);
            turn.parts.iter().map(|part| part.text().to_owned()).collect::<String>()
        };
        let track = |track: &Track| {
            let words: Vec<String> = track.steps.clone().map(says).collect();
            format!("{}:{}", track.label.as_deref().unwrap_or("-"), words.join("+"))
        };
        reading.tracks.iter().map(track).collect()
    }

    const RUN: &str = r#"{"run_id":"r","messages":[{"role":"system","content":"S"},{"role":"user","content":"q"},
        {"role":"assistant","content":"a"}]}"#;

    #[test]
    fn runs_of_a_session_go_on_with_each_other() {
        let next = r#"{"run_id":"s","messages":[{"role":"system","content":"S"},
            {"role":"user","content":"q","from_history":true},{"role":"user","content":"r"}]}"#;
        let session = |runs: &str| format!(r#"{{"session_id":"s","agent_id":"a","runs":[{runs}]}}"#);
        assert_eq!(of(&session(&format!("{RUN},{next}"))), ["-:S+q+a+r"]);
        let row = session(&format!("{RUN},{next}"));
        let row = parse(&row).unwrap();
        let reading = Reading::of_row(&row);
        assert_eq!(reading.path(3), "/runs/1/messages/2");
        assert!(is_session(&row));
        assert_eq!(of(&format!(r#"{{"run_id":"r","session_id":"s","run_data":{RUN}}}"#)), ["-:S+q+a"]);
        for other in [
            format!(r#"{{"session_id":"s","runs":[{RUN}]}}"#),
            r#"{"session_id":"s","agent_id":"a","runs":[{"messages":[1]}]}"#.to_owned(),
            r#"{"session_id":"s","agent_id":"a","runs":null}"#.to_owned(),
            format!(r#"{{"agent_id":"a","runs":[{RUN}]}}"#),
        ] {
            assert!(!is_session(&parse(&other).unwrap()), "{other}");
        }
    }

    #[test]
    fn runs_of_members_of_a_team_are_sub_agents() {
        let member = RUN.replacen('{', r#"{"parent_run_id":"r","agent_name":"clerk","#, 1);
        let row = format!(r#"{{"session_id":"s","team_id":"t","runs":[{member},{RUN}]}}"#);
        assert_eq!(of(&row), ["-:S+q+a", "clerk:S+q+a"]);
        assert_eq!(track_count(row.as_bytes()), 2);
    }
}
