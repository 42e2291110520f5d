//! Rows that hold several attempts at one prompt: lists of answers, and trees of messages (`FORMATS.md` 8, 13).

use super::answer_reward::score_list;
use super::rows::{RowTrack, Source, are_messages, is_message, is_text, source};
use super::shape::chat_pointer;
use crate::json::Value;
use crate::model::StepRole;
use std::borrow::Cow;
use std::collections::HashSet;

/// Messages that the attempts of one row may have together, since each repeats the prompt.
const MESSAGES_MAX: usize = 1 << 16;

/// Bytes of what else the row says that its attempts may have together, since each repeats that too.
const BESIDE_BYTES_MAX: usize = 64 << 20;

/// Attempts of a row that are read however long they are.
const ATTEMPTS_MIN: usize = 64;

/// Names of several answers to a prompt, and what one of them is called.
const ANSWERS: [(&str, &str); 2] = [("completions", "completion"), ("responses", "response")];

/// More of them, which count only beside a list of scores.
const SCORED_ANSWERS: [(&str, &str); 5] = [
    ("completions", "completion"),
    ("responses", "response"),
    ("samples", "sample"),
    ("outputs", "output"),
    ("generations", "generation"),
];

/// Names of a prompt beside them.
const PROMPTS: [&str; 4] = ["/prompt", "/question", "/problem", "/input"];

/// A prompt and several answers to it, each a list of messages, or of `responses` a text: an attempt each.
pub(super) fn completions<'a>(row: &'a Value<'a>) -> Option<Vec<RowTrack<'a>>> {
    let prompt = source(row, "/prompt", StepRole::User).filter(|p| are_messages(p.value) || is_text(p.value))?;
    let found = ANSWERS.into_iter().find_map(|(name, one)| {
        let is_answer = |answer: &Value<'_>| are_messages(answer) || (one == "response" && is_text(answer));
        let list = row.get(name)?;
        let all = list.as_array().filter(|all| !all.is_empty() && all.iter().all(is_answer))?;
        Some(AnswerList { name, one, list, all })
    });
    Some(attempts(row, Some(&prompt), &found?))
}

/// A list of answers of a row.
struct AnswerList<'a> {
    name: &'static str,
    /// What one of them is called.
    one: &'static str,
    list: &'a Value<'a>,
    all: &'a [Value<'a>],
}

/// Answers, as texts or lists of messages, beside a score for each, as frameworks for reinforcement learning write
/// them: an attempt each. The prompt may be missing.
pub(super) fn scored_answers<'a>(row: &'a Value<'a>) -> Option<Vec<RowTrack<'a>>> {
    if chat_pointer(row).is_some() {
        return None;
    }
    let answers = scored_texts(row)?;
    let prompt = PROMPTS.into_iter().find_map(|name| source(row, name, StepRole::User));
    let prompt = prompt.filter(|prompt| are_messages(prompt.value) || is_text(prompt.value));
    Some(attempts(row, prompt.as_ref(), &answers))
}

/// The answers of such a row.
fn scored_texts<'a>(row: &'a Value<'a>) -> Option<AnswerList<'a>> {
    let is_answer = |answer: &Value<'_>| is_text(answer) || are_messages(answer);
    SCORED_ANSWERS.into_iter().find_map(|(name, one)| {
        let list = row.get(name)?;
        let all = list.as_array().filter(|all| !all.is_empty() && all.iter().all(is_answer))?;
        score_list(row, all.len()).map(|_| AnswerList { name, one, list, all })
    })
}

/// Whether a row holds answers beside a score for each.
#[must_use]
pub fn has_scored_answers(row: &Value<'_>) -> bool {
    scored_texts(row).is_some()
}

/// An attempt of each answer.
fn attempts<'a>(row: &'a Value<'a>, prompt: Option<&Source<'a>>, answers: &AnswerList<'a>) -> Vec<RowTrack<'a>> {
    let AnswerList { name, one, list, all } = *answers;
    let attempt = |(number, value): (usize, &'a Value<'a>)| {
        let pointer = Cow::Owned(format!("/{name}/{number}"));
        let answer = Source { value, pointer, role: StepRole::Agent };
        let label = Some(Cow::Owned(format!("{one} {number}")));
        RowTrack { label, ..RowTrack::of(prompt.cloned().into_iter().chain([answer]).collect()) }
    };
    bounded((row, list), all.iter().enumerate().map(attempt), all.len())
}

/// A context and completions of which the lower rank is the better one (NeMo RL): two are a pair.
pub(super) fn ranked<'a>(row: &'a Value<'a>) -> Option<Vec<RowTrack<'a>>> {
    let context = source(row, "/context", StepRole::User).filter(|context| are_messages(context.value))?;
    let list = row.get("completions")?;
    let all = list.as_array().filter(|all| !all.is_empty())?;
    let rank = |completion: &Value<'_>| completion.get("rank")?.as_number()?.parse::<i64>().ok();
    let name = |place: usize| match all {
        [first, second] if rank(first) != rank(second) => {
            let is_first = rank(first) < rank(second);
            if is_first == (place == 0) { "chosen".into() } else { "rejected".into() }
        }
        _ => Cow::Owned(format!("completion {place}")),
    };
    let is_answer = |completion: &Value<'_>| completion.get("completion").is_some_and(|answer| are_messages(answer));
    let answers = all.iter().enumerate().filter_map(|(place, completion)| {
        let value = completion.get("completion")?;
        let pointer = Cow::Owned(format!("/completions/{place}/completion"));
        let answer = Source { value, pointer, role: StepRole::Agent };
        Some(RowTrack { label: Some(name(place)), ..RowTrack::of(vec![context.clone(), answer]) })
    });
    all.iter().all(is_answer).then(|| bounded((row, list), answers, all.len()))
}

/// The first attempts of a row, of those in a list, that are not too long together.
pub(super) fn bounded<'a>(
    (row, list): (&Value<'_>, &Value<'_>),
    attempts: impl Iterator<Item = RowTrack<'a>>,
    count: usize,
) -> Vec<RowTrack<'a>> {
    let beside_bytes = row.text.len().saturating_sub(list.text.len()).max(1);
    let (mut messages, most) = (0, ATTEMPTS_MIN.max(BESIDE_BYTES_MAX / beside_bytes));
    let of_source = |source: &Source<'_>| source.value.as_array().map_or(1, <[Value<'_>]>::len);
    let fits = |(number, track): &(usize, RowTrack<'a>)| {
        messages += track.sources.iter().map(of_source).sum::<usize>();
        *number < ATTEMPTS_MIN || messages <= MESSAGES_MAX
    };
    let mut read: Vec<RowTrack<'a>> =
        attempts.take(most).enumerate().take_while(fits).map(|(_, track)| track).collect();
    let left_out = count.saturating_sub(read.len());
    read.iter_mut().next_back().into_iter().for_each(|last| last.left_out = left_out);
    read
}

/// A group of Atropos: lists of messages, each with its place in `scores`.
pub(super) fn scored<'a>(row: &'a Value<'a>) -> Option<Vec<RowTrack<'a>>> {
    let list = row.get("messages")?;
    let all = list.as_array().filter(|all| !all.is_empty() && all.iter().all(are_messages))?;
    row.get("scores")?.as_array().filter(|scores| scores.len() == all.len())?;
    let attempt = |(number, value): (usize, &'a Value<'a>)| {
        let source = Source { value, pointer: Cow::Owned(format!("/messages/{number}")), role: StepRole::Unknown };
        RowTrack { label: Some(Cow::Owned(format!("attempt {number}"))), ..RowTrack::of(vec![source]) }
    };
    Some(bounded((row, list), all.iter().enumerate().map(attempt), all.len()))
}

/// The choice of a completion among messages, as ART keeps it: its message.
pub(super) fn chosen_message<'a>(value: &'a Value<'a>) -> Option<&'a Value<'a>> {
    let is_choice =
        value.get("role").is_none() && (value.get("finish_reason").is_some() || value.get("index").is_some());
    value.get("message").filter(|message| is_choice && is_message(message))
}

/// The messages of a trajectory of a group: of ART all of them, of rLLM those of its last step, if each step goes on
/// with the ones before.
fn grouped<'a>(trajectory: &'a Value<'a>) -> Option<(String, &'a Value<'a>)> {
    let is_turn = |value: &Value<'_>| is_message(value) || chosen_message(value).is_some();
    let are_turns = |list: &&Value<'_>| list.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(is_turn));
    let of_art = trajectory.get("messages_and_choices").filter(are_turns);
    if let Some(messages) = of_art {
        return Some(("messages_and_choices".to_owned(), messages));
    }
    let steps = trajectory.get("steps")?.as_array()?;
    let lists: Option<Vec<&Value<'_>>> =
        steps.iter().map(|step| step.get("chat_completions").filter(|list| are_messages(list))).collect();
    let lists = lists.filter(|lists| !lists.is_empty())?;
    let begins = |pair: &[&Value<'_>]| match (pair[0].as_array(), pair[1].as_array()) {
        (Some(before), Some(after)) => {
            before.len() <= after.len() && before.iter().zip(after).all(|(one, other)| one.text == other.text)
        }
        _ => false,
    };
    let last = lists.len() - 1;
    lists.windows(2).all(begins).then(|| (format!("steps/{last}/chat_completions"), lists[last]))
}

/// The attempts of a group of ART, or the agents of an episode of rLLM.
pub(super) fn trajectories<'a>(row: &'a Value<'a>) -> Option<Vec<RowTrack<'a>>> {
    let list = row.get("trajectories")?;
    let all = list.as_array().filter(|all| !all.is_empty())?;
    let found: Option<Vec<_>> = all.iter().map(|one| Some((one, grouped(one)?))).collect();
    let found = found?;
    let attempt = |(number, (one, (at, value))): (usize, &(&'a Value<'a>, (String, &'a Value<'a>)))| {
        let pointer = Cow::Owned(format!("/trajectories/{number}/{at}"));
        let name = one.get("name").and_then(Value::as_str).unwrap_or("attempt");
        let label = (all.len() > 1).then(|| Cow::Owned(format!("{name} {number}")));
        RowTrack { label, ..RowTrack::of(vec![Source { value, pointer, role: StepRole::Unknown }]) }
    };
    Some(bounded((row, list), found.iter().enumerate().map(attempt), found.len()))
}

/// The attempts of an episode of verifiers: each trace is an agent's tree of messages, each leaf the end of an attempt.
/// The last one counts (`FORMATS.md` 13). A row may also be one such trace.
pub(super) fn traces<'a>(row: &'a Value<'a>) -> Option<Vec<RowTrack<'a>>> {
    let in_episode = row.get("traces").and_then(Value::as_array);
    let traces = in_episode.or_else(|| is_lone_trace(row).then(|| std::slice::from_ref(row)))?;
    let mut out = Vec::new();
    for (number, trace) in traces.iter().enumerate() {
        let nodes = trace.get("nodes")?.as_array()?;
        let parents: Vec<Option<usize>> =
            nodes.iter().map(|node| node.get("parent")?.as_number()?.parse().ok()).collect();
        let inner: HashSet<usize> = parents.iter().copied().flatten().collect();
        let name = trace.get("agent").and_then(|agent| agent.get("name")?.as_str()).unwrap_or("agent");
        let holder = if in_episode.is_some() { format!("/traces/{number}") } else { String::new() };
        let leaves: Vec<usize> = (0..nodes.len()).filter(|node| !inner.contains(node)).collect();
        let paths = last_paths(&parents, &leaves);
        let left_out = leaves.len() - paths.len();
        let begin = out.len();
        for (attempt, path) in (left_out..).zip(paths) {
            let source = |node: &usize| {
                let pointer = Cow::Owned(format!("{holder}/nodes/{node}/message"));
                Some(Source { value: nodes[*node].get("message")?, pointer, role: StepRole::Unknown })
            };
            let label = if leaves.len() > 1 { format!("{name} attempt {attempt}") } else { name.to_owned() };
            let sources: Vec<Source<'a>> = path.iter().rev().filter_map(source).collect();
            let track = RowTrack::of(sources);
            let is_left = attempt + 1 < leaves.len();
            out.push(RowTrack { label: Some(label.into()), is_sub_agent: number > 0, is_left, ..track });
        }
        out.get_mut(begin).into_iter().for_each(|first| first.left_out = left_out);
    }
    if let [only] = out.as_mut_slice() {
        only.label = None;
    }
    (!out.is_empty()).then_some(out)
}

/// Whether a row is a trace of verifiers that no episode holds: its nodes are messages, and it has its rewards.
pub(super) fn is_lone_trace(row: &Value<'_>) -> bool {
    let first = row.get("nodes").and_then(|nodes| nodes.as_array()?.first()?.get("message"));
    first.is_some_and(is_message) && row.get("rewards").is_some_and(|rewards| rewards.as_object().is_some())
}

/// The nodes from each leaf of a tree to its root; of the last leaves, if all are too long together.
fn last_paths(parents: &[Option<usize>], leaves: &[usize]) -> Vec<Vec<usize>> {
    let mut messages = 0;
    let path = |leaf: &usize| {
        let mut path = vec![*leaf];
        // A parent comes before its children; otherwise it is no tree.
        while let Some(parent) = path.last().and_then(|node| parents[*node].filter(|parent| parent < node)) {
            path.push(parent);
        }
        path
    };
    let fits = |(number, path): &(usize, Vec<usize>)| {
        messages += path.len();
        *number < ATTEMPTS_MIN || messages <= MESSAGES_MAX
    };
    let last = leaves.iter().rev().map(path).enumerate().take_while(fits);
    let mut paths: Vec<Vec<usize>> = last.map(|(_, path)| path).collect();
    paths.reverse();
    paths
}

#[cfg(test)]
mod tests {
    use crate::json::parse;
    use crate::rules::trajectory::rows::tracks;

    /// How many attempts of a row are read, and how many are not.
    fn counts(row: &str) -> (usize, usize) {
        let row = parse(row).unwrap();
        let all = tracks(&row).unwrap();
        (all.len(), all.iter().map(|track| track.left_out).sum())
    }

    fn list(count: usize, item: &str) -> String {
        format!("[{}]", vec![item; count].join(","))
    }

    #[test]
    fn all_attempts_are_read_unless_they_are_too_long_together() {
        let message = r#"{"role":"user","content":"q"}"#;
        let answers = |count| list(count, &format!("[{message}]"));
        let row = |prompt: usize, count: usize| {
            format!(r#"{{"prompt":{},"completions":{}}}"#, list(prompt, message), answers(count))
        };
        assert_eq!(counts(&row(1, 300)), (300, 0));
        assert_eq!(counts(&row(1023, 64)), (64, 0));
        assert_eq!(counts(&row(1023, 65)), (64, 1));
        assert_eq!(counts(&row(2000, 64)), (64, 0));
        let choices = list(100, r#"{"message":{"role":"assistant","content":"a"}}"#);
        let stored = |prompt| format!(r#"{{"messages":{},"choices":{choices}}}"#, list(prompt, message));
        assert_eq!(counts(&stored(1)), (100, 0));
        assert_eq!(counts(&stored(1023)), (64, 36));
        let ranked = list(70, &format!(r#"{{"rank":0,"completion":[{message}]}}"#));
        assert_eq!(counts(&format!(r#"{{"context":[{message}],"completions":{ranked}}}"#)), (70, 0));
    }

    #[test]
    fn what_each_attempt_repeats_of_the_row_is_bounded() {
        let answers = list(70, r#"[{"role":"user","content":"q"}]"#);
        let row = |bytes: usize| {
            format!(r#"{{"tokens":"{}","scores":{},"messages":{answers}}}"#, "x".repeat(bytes), list(70, "1"))
        };
        assert_eq!((counts(&row(900_000)), counts(&row(1_000_000))), ((70, 0), (67, 3)));
        let content = r#"{"role":"user","parts":[{"text":"q"}]}"#;
        let candidates = list(70, &format!(r#"{{"content":{content}}}"#));
        let asked = |count| format!(r#"{{"contents":{},"candidates":{candidates}}}"#, list(count, content));
        assert_eq!((counts(&asked(900)), counts(&asked(1023))), ((70, 0), (64, 6)));
    }

    #[test]
    fn of_a_tree_that_is_too_long_the_last_attempts_are_read() {
        let node = |parent: String| format!(r#"{{"parent":{parent},"message":{{"role":"user","content":"x"}}}}"#);
        let stem = (0..2000).map(|n: usize| node(n.checked_sub(1).map_or("null".to_owned(), |n| n.to_string())));
        let all: Vec<String> = stem.chain((0..70).map(|_| node("1999".to_owned()))).collect();
        let row = format!(r#"{{"traces":[{{"nodes":[{}]}}]}}"#, all.join(","));
        assert_eq!(counts(&row), (64, 6));
        let row = parse(&row).unwrap();
        let all = tracks(&row).unwrap();
        let last = |place: usize| all[place].sources.last().unwrap().pointer.clone();
        assert_eq!(
            (last(0).as_ref(), last(63).as_ref()),
            ("/traces/0/nodes/2006/message", "/traces/0/nodes/2069/message")
        );
        assert_eq!((all[0].label.as_deref(), all[63].is_left), (Some("agent attempt 6"), false));
    }
}
