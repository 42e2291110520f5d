//! Where rows of datasets hold their conversations (`FORMATS.md` 8): under more names than D2 knows, in parts, and as
//! pairs of which one was preferred.

use super::blocks;
use super::exchange::{asked_alone, exchange};
use super::gemini::contents;
use super::sessions::session;
use super::several::{completions, ranked, scored, scored_answers, traces, trajectories};
use super::shape::{CHATS, bare_pointer, chat_pointer};
use crate::json::{Data, Value};
use crate::model::StepRole;
use std::borrow::Cow;

/// Messages that are together: a list, one message, or a text.
#[derive(Debug, Clone)]
pub(in crate::rules) struct Source<'a> {
    pub(in crate::rules) value: &'a Value<'a>,
    pub(in crate::rules) pointer: Cow<'static, str>,
    /// Who says what is a text alone.
    pub(in crate::rules) role: StepRole,
}

/// A trajectory of a row.
#[derive(Debug)]
pub(in crate::rules) struct RowTrack<'a> {
    /// Which of a pair it is, or of several attempts or agents.
    pub(in crate::rules) label: Option<Cow<'static, str>>,
    pub(in crate::rules) sources: Vec<Source<'a>>,
    /// Whether it is another agent's than that of the first.
    pub(in crate::rules) is_sub_agent: bool,
    /// Whether it is an attempt that was left for another one.
    pub(in crate::rules) is_left: bool,
    /// A source that goes on with what the one before says: both are one message.
    pub(in crate::rules) goes_on: Option<usize>,
    /// Of the last: how many attempts of the row are not read, since all together are too long.
    pub(in crate::rules) left_out: usize,
}

impl<'a> RowTrack<'a> {
    pub(super) fn of(sources: Vec<Source<'a>>) -> Self {
        Self { label: None, sources, is_sub_agent: false, is_left: false, goes_on: None, left_out: 0 }
    }
}

/// Names of what was preferred, and of what was not.
const PAIRS: [[(&str, &str); 2]; 2] = [
    [("/chosen_messages", "chosen"), ("/rejected_messages", "rejected")],
    [("/chosen", "chosen"), ("/rejected", "rejected")],
];

/// The trajectories of a row; None: it holds no conversation.
pub(in crate::rules) fn tracks<'a>(row: &'a Value<'a>) -> Option<Vec<RowTrack<'a>>> {
    let one = |sources: Vec<Source<'a>>| vec![RowTrack::of(sources)];
    pair(row)
        .or_else(|| preferred(row))
        .or_else(|| completions(row))
        .or_else(|| scored_answers(row))
        .or_else(|| ranked(row))
        .or_else(|| scored(row))
        .or_else(|| trajectories(row))
        .or_else(|| gym(row).map(one))
        .or_else(|| exchange(row))
        .or_else(|| session(row))
        .or_else(|| message_list(row).or_else(|| asked(row)).map(one))
        .or_else(|| contents(row))
        .or_else(|| traces(row))
        .or_else(|| asked_alone(row))
        .or_else(|| Some(vec![instruction(row)?]))
}

pub(super) fn source<'a>(row: &'a Value<'a>, pointer: &'static str, role: StepRole) -> Option<Source<'a>> {
    let value = if pointer.is_empty() { row } else { row.get(&pointer[1..])? };
    Some(Source { value, pointer: Cow::Borrowed(pointer), role })
}

pub(super) fn is_message(value: &Value<'_>) -> bool {
    ["from", "role"].iter().any(|key| value.get(key).is_some_and(|who| who.as_str().is_some()))
}

pub(super) fn are_messages(value: &Value<'_>) -> bool {
    value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(is_message))
}

/// Whether they are messages and items of the Responses interface.
pub(super) fn are_items(value: &Value<'_>) -> bool {
    are_answered(value) && value.as_array().unwrap_or_default().iter().any(is_message)
}

/// Whether they are what the Responses interface answers: an answer may be a call alone.
pub(super) fn are_answered(value: &Value<'_>) -> bool {
    let all = value.as_array().unwrap_or_default();
    !all.is_empty() && all.iter().all(|value| is_message(value) || blocks::item(value).is_some())
}

pub(super) fn is_text(value: &Value<'_>) -> bool {
    value.as_str().is_some()
}

/// A list of messages under a name of D2, as `traj`, or as the row itself.
fn message_list<'a>(row: &'a Value<'a>) -> Option<Vec<Source<'a>>> {
    let items = || CHATS.into_iter().find(|pointer| row.get(&pointer[1..]).is_some_and(are_items));
    let is_response = || row.get("object")?.as_str().filter(|object| *object == "response");
    let answer = || is_response().and_then(|_| row.get("output")).filter(|all| are_answered(all)).map(|_| "/output");
    let found = chat_pointer(row).or_else(|| bare_pointer(row)).or_else(items);
    let pointer = found.or_else(|| failed_run(row)).or_else(answer)?;
    Some(vec![source(row, pointer, StepRole::Unknown)?])
}

/// A run of tau-bench that failed before it began: its reward counts.
fn failed_run(row: &Value<'_>) -> Option<&'static str> {
    let is_empty = row.get("traj")?.as_array()?.is_empty();
    (is_empty && row.get("reward").is_some()).then_some("/traj")
}

/// Names of a prompt and of what was answered: TRL and verifiers, SkyRL, verl. A row of verl has a score; without one
/// `input` and `output` may be anything.
const ASKED: [(&str, &[&str]); 3] = [
    ("/prompt", &["/completion", "/completions", "/response"]),
    ("/input_prompt", &["/output_response"]),
    ("/input", &["/output"]),
];

/// A prompt and what was answered: lists, or texts.
fn asked<'a>(row: &'a Value<'a>) -> Option<Vec<Source<'a>>> {
    let is_scored = || row.get("score").is_some_and(|score| matches!(score.data, Data::Number));
    // A request of the Responses interface, and what came back.
    let is_response = || row.get("output").is_some_and(are_answered);
    let named = |(prompt, answers): &(&'static str, &'static [&'static str])| {
        let is_known = *prompt != "/input" || is_scored() || is_response();
        let prompt = source(row, prompt, StepRole::User).filter(|_| is_known)?;
        Some((prompt, answers.iter().find_map(|name| source(row, name, StepRole::Agent))))
    };
    let (prompt, answers) = ASKED.iter().find_map(named)?;
    let has_text = |content: &Value<'_>| match &content.data {
        Data::String(_) => true,
        Data::Array(items) => items.iter().all(|item| is_message(item) || is_text(item)) || are_answered(content),
        _ => is_message(content),
    };
    match answers.filter(|answer| has_text(answer.value)) {
        Some(answer) => (are_messages(prompt.value) || is_text(prompt.value) || are_items(prompt.value))
            .then(|| vec![prompt, answer]),
        None => (are_messages(prompt.value) && prompt.pointer != "/input").then(|| vec![prompt]),
    }
}

/// A rollout of NeMo Gym: a request of the Responses interface and what came back; a task of it is a request alone.
fn gym<'a>(row: &'a Value<'a>) -> Option<Vec<Source<'a>>> {
    let (request, answer) = ("responses_create_params", "response");
    let asked = row.get(request)?.get("input").filter(|asked| is_text(asked) || are_items(asked))?;
    let is_known = |item: &Value<'_>| is_message(item) || blocks::item(item).is_some();
    let output = row.get(answer).and_then(|response| response.get("output"));
    let output = output.filter(|output| output.as_array().is_some_and(|all| all.iter().any(is_known)));
    let source = |value, name: &str, list: &str, role| {
        let pointer = Cow::Owned(format!("/{name}/{list}"));
        Source { value, pointer, role }
    };
    let answer = output.map(|output| source(output, answer, "output", StepRole::Agent));
    Some([source(asked, request, "input", StepRole::User)].into_iter().chain(answer).collect())
}

/// A text at a pointer of a row, if it says something.
fn text_source<'a>(row: &'a Value<'a>, pointer: &'static str, role: StepRole) -> Option<Source<'a>> {
    source(row, pointer, role).filter(|source| source.value.as_str().is_some_and(|text| !text.trim().is_empty()))
}

/// An instruction, what it is about, and the answer (Alpaca), behind earlier turns (LLaMA-Factory).
fn instruction<'a>(row: &'a Value<'a>) -> Option<RowTrack<'a>> {
    let answer = source(row, "/output", StepRole::Agent).filter(|answer| is_text(answer.value))?;
    let mut track = instructed(row)?;
    track.sources.push(answer);
    Some(track)
}

/// The same without the answer.
fn instructed<'a>(row: &'a Value<'a>) -> Option<RowTrack<'a>> {
    let asked = source(row, "/instruction", StepRole::User).filter(|asked| is_text(asked.value))?;
    let mut sources = Vec::new();
    for (number, turn) in row.get("history").and_then(Value::as_array).into_iter().flatten().enumerate() {
        for (side, (value, role)) in turn.as_array()?.iter().zip([StepRole::User, StepRole::Agent]).enumerate() {
            let pointer = Cow::Owned(format!("/history/{number}/{side}"));
            sources.push(Source { value, pointer, role });
        }
    }
    sources.push(asked);
    let about = text_source(row, "/input", StepRole::User);
    let goes_on = about.as_ref().map(|_| sources.len());
    sources.extend(about);
    Some(RowTrack { goes_on, ..RowTrack::of(sources) })
}

/// Both trajectories of a preference pair; a head that they share is in both.
fn pair<'a>(row: &'a Value<'a>) -> Option<Vec<RowTrack<'a>>> {
    let is_asked = |pointer: &str| matches!(pointer, "/prompt" | "/question");
    let head = ["/prompt", "/conversations", "/messages", "/question"].into_iter().find_map(|name| {
        let head = source(row, name, StepRole::User)?;
        (are_messages(head.value) || (is_asked(name) && is_text(head.value))).then_some(head)
    });
    // A word beside a conversation says which was preferred, and is no answer.
    let is_answer = |value: &Value<'_>| {
        are_messages(value)
            || is_message(value)
            || (is_text(value) && head.as_ref().is_none_or(|head| is_asked(&head.pointer)))
    };
    let tracks = |names: [(&'static str, &'static str); 2]| -> Option<Vec<RowTrack<'a>>> {
        let both = names.map(|(name, label)| {
            let answer = source(row, name, StepRole::Agent).filter(|answer| is_answer(answer.value))?;
            let is_asked = begins_with_prompt(answer.value);
            let head = head.clone().map(|head| RowTrack::of(vec![head])).or_else(|| instructed(row));
            let mut track = head.filter(|_| !is_asked).unwrap_or_else(|| RowTrack::of(Vec::new()));
            track.sources.push(answer);
            Some(RowTrack { label: Some(Cow::Borrowed(label)), ..track })
        });
        both.into_iter().collect()
    };
    PAIRS.into_iter().find_map(tracks).or_else(|| rejected_end(row))
}

/// A request and two outputs of which one was preferred (fine-tuning by OpenAI).
fn preferred<'a>(row: &'a Value<'a>) -> Option<Vec<RowTrack<'a>>> {
    let asked = row.get("input")?.get("messages").filter(|asked| are_messages(asked))?;
    let outputs = [("/preferred_output", "chosen"), ("/non_preferred_output", "rejected")];
    let both = outputs.map(|(name, label)| {
        let output = source(row, name, StepRole::Agent).filter(|output| are_messages(output.value))?;
        let asked = Source { value: asked, pointer: "/input/messages".into(), role: StepRole::User };
        Some(RowTrack { label: Some(label.into()), ..RowTrack::of(vec![asked, output]) })
    });
    both.into_iter().collect()
}

/// A conversation beside another one that was rejected, or beside another last answer (ms-swift).
fn rejected_end<'a>(row: &'a Value<'a>) -> Option<Vec<RowTrack<'a>>> {
    let chosen = source(row, "/messages", StepRole::Unknown).filter(|chosen| are_messages(chosen.value))?;
    let whole = source(row, "/rejected_messages", StepRole::Unknown).filter(|other| are_messages(other.value));
    let rejected = match whole {
        Some(rejected) => vec![rejected],
        None => {
            let answer = text_source(row, "/rejected_response", StepRole::Agent)?;
            let messages = chosen.value.as_array()?;
            let is_answer = |message: &Value<'_>| speaker(message).is_some_and(|who| who == "assistant");
            let head = messages.len() - usize::from(messages.last().is_some_and(is_answer));
            let source = |(place, value)| {
                let pointer = Cow::Owned(format!("/messages/{place}"));
                Source { value, pointer, role: StepRole::Unknown }
            };
            messages.iter().take(head).enumerate().map(|(n, value)| source((n, value))).chain([answer]).collect()
        }
    };
    let labelled = |sources, label: &'static str| RowTrack { label: Some(label.into()), ..RowTrack::of(sources) };
    Some(vec![labelled(vec![chosen], "chosen"), labelled(rejected, "rejected")])
}

/// Who speaks, in lower case.
fn speaker(message: &Value<'_>) -> Option<String> {
    let who = ["from", "role"].iter().find_map(|key| message.get(key)?.as_str());
    who.map(str::to_lowercase)
}

/// Whether an answer begins with what was asked.
fn begins_with_prompt(answer: &Value<'_>) -> bool {
    let first = answer.as_array().and_then(<[Value<'_>]>::first).and_then(speaker);
    first.is_some_and(|who| matches!(who.as_str(), "user" | "human" | "system" | "developer"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    /// Each trajectory as its label and the pointers of its parts.
    fn of(row: &str) -> Vec<String> {
        let row = parse(row).unwrap();
        let describe = |track: RowTrack<'_>| {
            let names: Vec<&str> = track.sources.iter().map(|source| source.pointer.as_ref()).collect();
            format!("{}:{}", track.label.as_deref().unwrap_or("-"), names.join("+"))
        };
        tracks(&row).unwrap_or_default().into_iter().map(describe).collect()
    }

    const QUESTION: &str = r#"[{"role":"user","content":"q"}]"#;
    const ANSWER: &str = r#"[{"role":"assistant","content":"a"}]"#;
    const CHOICES: &str = r#""choices":[{"message":{"role":"assistant","content":"a"}}]"#;
    /// An answer that is a call alone, with the members of other items as a row of Parquet has them.
    const CALL: &str = r#"[{"type":"reasoning","summary":[],"role":null},
        {"type":"function_call","role":null,"content":null,"call_id":"c","name":"f","arguments":"{}"}]"#;
    const ITEMS: &str = r#"[{"type":"reasoning","summary":[]},{"type":"message","role":"assistant","content":[]}]"#;

    #[test]
    fn rows_say_where_their_conversations_are() {
        for (row, expected) in [
            (format!(r#"{{"messages":{QUESTION}}}"#), "-:/messages"),
            (format!(r#"{{"prompt":"p","messages":{QUESTION}}}"#), "-:/messages"),
            (format!(r#"{{"traj":{QUESTION},"reward":1}}"#), "-:/traj"),
            (QUESTION.to_owned(), "-:"),
            (format!(r#"{{"prompt":{QUESTION},"completion":{ANSWER}}}"#), "-:/prompt+/completion"),
            (r#"{"prompt":"q","completion":"a","label":true}"#.to_owned(), "-:/prompt+/completion"),
            (r#"{"prompt":"q","completions":["a","b"],"labels":[true,false]}"#.to_owned(), "-:/prompt+/completions"),
            (format!(r#"{{"prompt":{QUESTION}}}"#), "-:/prompt"),
            (r#"{"prompt":"q"}"#.to_owned(), ""),
            (
                r#"{"prompt":"q","completions":["a","b"],"rewards":[1,0.5]}"#.to_owned(),
                "completion 0:/prompt+/completions/0 completion 1:/prompt+/completions/1",
            ),
            (r#"{"samples":["a","b"],"scores":[true,null]}"#.to_owned(), "sample 0:/samples/0 sample 1:/samples/1"),
            (
                r#"{"question":"q","generations":["a"],"rewards":[1]}"#.to_owned(),
                "generation 0:/question+/generations/0",
            ),
            (format!(r#"{{"prompt":{QUESTION},"outputs":["a"],"rewards":[1]}}"#), "output 0:/prompt+/outputs/0"),
            (r#"{"samples":["a","b"],"scores":[1]}"#.to_owned(), ""),
            (r#"{"samples":["a","b"],"scores":["x","y"]}"#.to_owned(), ""),
            (r#"{"samples":["a","b"]}"#.to_owned(), ""),
            (format!(r#"{{"messages":{QUESTION},"samples":["a"],"scores":[1]}}"#), "-:/messages"),
            (r#"{"prompt":"q","completion":7}"#.to_owned(), ""),
            (r#"{"prompt":7,"completion":"a"}"#.to_owned(), ""),
            (r#"{"input":"q","output":"a","score":1,"step":3}"#.to_owned(), "-:/input+/output"),
            (r#"{"input":"q","output":"a"}"#.to_owned(), ""),
            (format!(r#"{{"input":"q","output":{ITEMS}}}"#), "-:/input+/output"),
            (format!(r#"{{"input":{QUESTION},"output":{ITEMS}}}"#), "-:/input+/output"),
            (format!(r#"{{"input":{QUESTION},"output":{CALL}}}"#), "-:/input+/output"),
            (format!(r#"{{"input":"q","output":{CALL}}}"#), "-:/input+/output"),
            (format!(r#"{{"object":"response","output":{CALL}}}"#), "-:/output"),
            (format!(r#"{{"output":{CALL}}}"#), ""),
            (r#"{"input":"q","output":[]}"#.to_owned(), ""),
            (r#"{"input":"q","output":[{"type":"tree"}]}"#.to_owned(), ""),
            (format!(r#"{{"object":"response","output":{ITEMS}}}"#), "-:/output"),
            (format!(r#"{{"output":{ITEMS}}}"#), ""),
            (
                format!(r#"{{"responses_create_params":{{"input":"q"}},"response":{{"output":{ITEMS}}}}}"#),
                "-:/responses_create_params/input+/response/output",
            ),
            (
                format!(r#"{{"responses_create_params":{{"input":{QUESTION}}},"response":null}}"#),
                "-:/responses_create_params/input",
            ),
            (r#"{"responses_create_params":{"model":"m"}}"#.to_owned(), ""),
            (format!(r#"{{"messages":{QUESTION},{CHOICES}}}"#), "-:/messages+/choices/0/message"),
            (
                format!(r#"{{"messages":{QUESTION},"response":{{{CHOICES}}}}}"#),
                "-:/messages+/response/choices/0/message",
            ),
            (format!(r#"{{"messages":{ANSWER},{CHOICES}}}"#), "-:/messages"),
            (format!(r#"{{"messages":{QUESTION},"choices":["A","B"]}}"#), "-:/messages"),
            (ITEMS.to_owned(), "-:"),
            (format!(r#"{{"input_prompt":{QUESTION},"output_response":"a"}}"#), "-:/input_prompt+/output_response"),
            (r#"{"instruction":"q","input":"","output":"a"}"#.to_owned(), "-:/instruction+/output"),
            (r#"{"instruction":"q","input":"x","output":"a"}"#.to_owned(), "-:/instruction+/input+/output"),
            (
                r#"{"instruction":"q","output":"a","history":[["p","b"]]}"#.to_owned(),
                "-:/history/0/0+/history/0/1+/instruction+/output",
            ),
            (r#"{"instruction":"q"}"#.to_owned(), ""),
            (r#"{"messages":[{"id":1,"title":"t"}]}"#.to_owned(), ""),
        ] {
            assert_eq!(of(&row).join(" "), expected, "{row}");
        }
    }

    #[test]
    fn an_episode_is_an_attempt_for_each_leaf_and_a_track_for_each_agent() {
        let node =
            |parent: &str, role: &str| format!(r#"{{"parent":{parent},"message":{{"role":"{role}","content":"x"}}}}"#);
        let nodes = [node("null", "user"), node("0", "assistant"), node("0", "assistant")].join(",");
        let judge = node("null", "user");
        let trace = |name: &str, nodes: &str| format!(r#"{{"agent":{{"name":"{name}"}},"nodes":[{nodes}]}}"#);
        let row = format!(r#"{{"traces":[{},{}]}}"#, trace("solver", &nodes), trace("judge", &judge));
        let path = |trace: usize, node: usize| format!("/traces/{trace}/nodes/{node}/message");
        assert_eq!(
            of(&row),
            [
                format!("solver attempt 0:{}+{}", path(0, 0), path(0, 1)),
                format!("solver attempt 1:{}+{}", path(0, 0), path(0, 2)),
                format!("judge:{}", path(1, 0)),
            ]
        );
        let lone = format!(r#"{{"rewards":{{"right":1.0}},{}"#, &trace("solver", &nodes)[1..]);
        let path = |node: usize| format!("/nodes/{node}/message");
        let attempts = [format!("{}+{}", path(0), path(1)), format!("{}+{}", path(0), path(2))];
        assert_eq!(of(&lone), [0, 1].map(|n| format!("solver attempt {n}:{}", attempts[n])));
        assert!(of(&trace("solver", &nodes)).is_empty(), "nodes alone are those of any graph");
        assert!(of(r#"{"traces":[{"nodes":[]}]}"#).is_empty());
        let circle =
            r#"{"traces":[{"nodes":[{"parent":1,"message":{"role":"user"}},{"parent":1,"message":{"role":"user"}}]}]}"#;
        assert_eq!(of(circle), ["-:/traces/0/nodes/0/message"], "no tree, and no endless path");
    }

    #[test]
    fn what_was_rejected_may_be_beside_a_conversation() {
        let messages = r#"[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]"#;
        assert_eq!(
            of(&format!(r#"{{"messages":{messages},"rejected_response":"no"}}"#)),
            ["chosen:/messages", "rejected:/messages/0+/rejected_response"]
        );
        assert_eq!(
            of(&format!(r#"{{"messages":{messages},"rejected_messages":{messages}}}"#)),
            ["chosen:/messages", "rejected:/rejected_messages"]
        );
        assert_eq!(of(&format!(r#"{{"messages":{messages},"rejected_response":null}}"#)), ["-:/messages"]);
    }

    #[test]
    fn a_request_has_an_output_that_was_preferred_and_one_that_was_not() {
        let row = |bad: &str| {
            let input = format!(r#"{{"messages":{QUESTION},"tools":[]}}"#);
            format!(r#"{{"input":{input},"preferred_output":{ANSWER},"non_preferred_output":{bad}}}"#)
        };
        let expected = ["chosen:/input/messages+/preferred_output", "rejected:/input/messages+/non_preferred_output"];
        assert_eq!(of(&row(ANSWER)), expected);
        assert!(of(&row("7")).is_empty());
    }

    #[test]
    fn a_pair_is_two_trajectories_in_every_shape() {
        let both = |head: &str, name: &str| {
            let parts = |label: &str| format!("{label}:{head}/{label}{name}");
            vec![parts("chosen"), parts("rejected")]
        };
        let turn = r#"{"from":"gpt","value":"a"}"#;
        let asked = r#"[{"from":"human","value":"q"}]"#;
        for (row, expected) in [
            (r#"{"chosen":"a","rejected":"b"}"#.to_owned(), both("", "")),
            (r#"{"prompt":"q","chosen":"a","rejected":"b"}"#.to_owned(), both("/prompt+", "")),
            (format!(r#"{{"prompt":{QUESTION},"chosen":{ANSWER},"rejected":{ANSWER}}}"#), both("/prompt+", "")),
            (r#"{"instruction":"q","chosen":"a","rejected":"b"}"#.to_owned(), both("/instruction+", "")),
            (
                r#"{"instruction":"q","input":"x","chosen":"a","rejected":"b"}"#.to_owned(),
                both("/instruction+/input+", ""),
            ),
            (format!(r#"{{"prompt":"q","chosen":{QUESTION},"rejected":{QUESTION}}}"#), both("", "")),
            (format!(r#"{{"chosen_messages":{QUESTION},"rejected_messages":{QUESTION}}}"#), both("", "_messages")),
            (format!(r#"{{"conversations":{asked},"chosen":{turn},"rejected":{turn}}}"#), both("/conversations+", "")),
            (format!(r#"{{"conversations":{asked},"chosen":"a","rejected":"b"}}"#), vec!["-:/conversations".into()]),
            (format!(r#"{{"messages":{QUESTION},"chosen":{ANSWER}}}"#), vec!["-:/messages".into()]),
        ] {
            assert_eq!(of(&row), expected, "{row}");
        }
    }

    #[test]
    fn of_two_completions_to_a_context_the_lower_rank_was_chosen() {
        let row = |ranks: [&str; 2]| {
            let completion = |rank: &str| format!(r#"{{"rank":{rank},"completion":{ANSWER}}}"#);
            let [first, second] = ranks.map(completion);
            of(&format!(r#"{{"context":{QUESTION},"completions":[{first},{second}]}}"#))
        };
        let labels =
            |ranks| row(ranks).iter().map(|track| track.split(':').next().unwrap().to_owned()).collect::<Vec<_>>();
        assert_eq!(labels(["0", "1"]), ["chosen", "rejected"]);
        assert_eq!(labels(["1", "0"]), ["rejected", "chosen"]);
        assert_eq!(labels(["0", "0"]), ["completion 0", "completion 1"]);
        assert_eq!(row(["0", "1"])[1], "rejected:/context+/completions/1/completion");
        assert_eq!(of(r#"{"system":"s","question":"q","chosen":"a","rejected":"b"}"#)[0], "chosen:/question+/chosen");
    }
}
