//! D22: the calls of a record by tool, or an outline of its steps, and nothing else of it.
//!
//! Most records are standardized trajectories that spell everything as they should: of those only the three members of
//! an item that name its tool are read, and all else is passed over. Whatever could be meant otherwise is read in full.

use super::examine::{Examined, RecordOverview, measure};
use crate::json::{self, Skim, unescape};
use crate::model::{Record, RecordBody};
use crate::rules::statistics::{RepeatKeys, TrajectoryStats, count, is_marked_finished, reward_sum};
use crate::rules::trajectory::{Way, is_finishing, read_text, reward_of_notes};
use std::borrow::Cow;

/// D22: the calls of one record by tool, and nothing else of it.
#[must_use]
pub fn tally(record: &Record, text: &[u8], way: Way) -> Examined {
    let items = if record.body == RecordBody::Text { plain(text) } else { None };
    let tools = match items {
        Some(Plain { items, .. }) => count(items.iter().filter_map(|step| step.tool.as_deref())),
        None => match read_text(record, text) {
            Ok(root) => {
                let reading = way.read(&root);
                count(reading.entries.iter().flat_map(|entry| &entry.calls).map(|call| call.tool.as_ref()))
            }
            Err(_) => return unreadable(record),
        },
    };
    only(record, TrajectoryStats { record: record.number, tools, ..TrajectoryStats::default() })
}

fn unreadable(record: &Record) -> Examined {
    Examined { is_read: false, stats: None, overview: None, ..only(record, TrajectoryStats::default()) }
}

/// A record of which these statistics are asked alone.
fn only(record: &Record, stats: TrajectoryStats) -> Examined {
    let (found, keys, empty, parts) = (Vec::new(), RepeatKeys::default(), Some(RecordOverview::default()), Vec::new());
    Examined { record: record.number, is_read: true, findings: found, stats: Some(stats), keys, overview: empty, parts }
}

/// D22: the steps of a record, their classes, tools and rewards, and how it ends; of a record that needs a closer look
/// all that [`measure`] reports.
#[must_use]
pub fn outline(record: &Record, text: &[u8], way: Way) -> Examined {
    let items = if record.body == RecordBody::Text { plain(text) } else { None };
    let Some((Plain { items, notes }, finish)) = items.and_then(|plain| finish(&plain.items).map(|end| (plain, end)))
    else {
        return measure(record, text, way);
    };
    let rewards: Vec<f64> = items.iter().filter_map(|step| step.reward).collect();
    let stats = TrajectoryStats {
        record: record.number,
        steps: items.len() as u64,
        classes: count(items.iter().map(|step| step.class)),
        tools: count(items.iter().filter_map(|step| step.tool.as_deref())),
        reward: reward_sum(&rewards),
        rewarded_steps: rewards.len() as u64,
        finish,
        ..TrajectoryStats::default()
    };
    let noted = || reward_of_notes(&json::parse(notes?).ok()?);
    let overview = RecordOverview { reward: stats.reward.or_else(noted), ..RecordOverview::default() };
    Examined { overview: Some(overview), ..only(record, stats) }
}

/// How a trajectory of these items ends; None where that needs a closer look.
fn finish(items: &[Step<'_>]) -> Option<&'static str> {
    let Some(last) = items.last() else { return Some("empty") };
    Some(match (last.class, &last.tool) {
        (_, Some(tool)) if is_finishing(tool) => "finish",
        (_, Some(_)) => "open-call",
        ("message_action", _) if is_marked_finished(&string(last.content?)?) => "finish",
        ("message_action", _) => "message",
        ("text_observation", _) if string(last.source?)? == "agent" => "message",
        _ => "observation",
    })
}

/// An item.
struct Step<'a> {
    class: &'static str,
    /// The tool that it calls.
    tool: Option<Cow<'a, str>>,
    reward: Option<f64>,
    /// Its texts that say how a trajectory ends with it, as JSON.
    content: Option<&'a str>,
    source: Option<&'a str>,
}

/// A record that is plainly a standardized trajectory.
struct Plain<'a> {
    items: Vec<Step<'a>>,
    /// Its `details`, as JSON.
    notes: Option<&'a str>,
}

/// The items and notes of a record that is plainly a standardized trajectory. What comes twice is read in full.
fn plain(text: &[u8]) -> Option<Plain<'_>> {
    let mut skim = Skim::new(std::str::from_utf8(text).ok()?);
    let (mut items, mut notes) = (None, None);
    skim.object(|skim, key| match &*key {
        "content" if items.is_none() => {
            let items = items.insert(Vec::new());
            skim.array(|skim| step(skim).map(|step| items.push(step)))
        }
        "content" | "role" | "steps" | "conversations" | "messages" | "trajectory" | "extra" => None,
        "details" => notes.replace(skim.pass()?).is_none().then_some(()),
        _ => skim.pass().map(drop),
    })?;
    skim.end()?;
    Some(Plain { items: items?, notes })
}

/// An item as a step; None where that needs a closer look.
fn step<'a>(skim: &mut Skim<'a>) -> Option<Step<'a>> {
    const MEMBERS: [&str; 6] = ["class_", "function", "language", "reward", "content", "source"];
    let mut members = [None; MEMBERS.len()];
    skim.object(|skim, key| {
        let value = skim.pass()?;
        let Some(member) = MEMBERS.iter().position(|member| *member == key) else { return Some(()) };
        members[member].replace(value).is_none().then_some(())
    })?;
    let [class, function, language, reward, content, source] = members;
    let reward = match reward {
        None | Some("null") => None,
        Some(number) if number.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
            Some(number.parse().ok().filter(|reward: &f64| reward.is_finite())?)
        }
        Some(_) => return None,
    };
    let (class, tool) = match &*string(class?)? {
        "api_action" => ("api_action", Some(string(function?)?)),
        "code_action" => ("code_action", Some(format!("code:{}", string(language?)?).into())),
        "message_action" => ("message_action", None),
        "text_observation" => ("text_observation", None),
        "image_observation" => ("image_observation", None),
        "web_observation" => ("web_observation", None),
        "json_observation" => ("json_observation", None),
        _ => return None,
    };
    Some(Step { class, tool, reward, content, source })
}

/// What a string says, borrowed where it has no escapes; None: it is not one.
fn string(text: &str) -> Option<Cow<'_, str>> {
    unescape(text.strip_prefix('"')?.strip_suffix('"')?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Place;
    use crate::rules::statistics::Counts;
    use crate::rules::trajectory::Reading;

    fn both(text: &str) -> (Option<Counts>, Option<Counts>) {
        let record = Record { number: 0, place: Place::default(), body: RecordBody::Text, is_row: false };
        let fast = tally(&record, text.as_bytes(), Way::Protocol).stats.map(|stats| stats.tools);
        let full = read_text(&record, text.as_bytes()).ok().map(|root| {
            let reading = Reading::of(&root);
            count(reading.entries.iter().flat_map(|e| &e.calls).map(|c| c.tool.as_ref()))
        });
        (fast, full)
    }

    fn assert_outlines_agree(text: &str) {
        let compared = |examined: Examined| {
            let rewards = |stats: &TrajectoryStats| (stats.reward.map(f64::to_bits), stats.rewarded_steps);
            let whole = examined.overview.and_then(|overview| overview.reward).map(f64::to_bits);
            examined.stats.map(|stats| (whole, rewards(&stats), stats.finish, stats.steps, stats.classes, stats.tools))
        };
        let record = Record { number: 0, place: Place::default(), body: RecordBody::Text, is_row: false };
        let looks = [outline, measure].map(|look| compared(look(&record, text.as_bytes(), Way::Protocol)));
        assert_eq!(looks[0], looks[1], "{text}");
    }

    #[test]
    fn rewards_in_notes_agree_with_the_full_reading() {
        let call = r#"{"class_":"api_action","function":"f","kwargs":{}}"#;
        for notes in [
            r#""details":{"reward":0.5}"#,
            r#""details":{"resolved":"True"}"#,
            r#""details":{"reward":1},"details":{"reward":0}"#,
            r#""extra":{"reward":1}"#,
            r#""details":{"reward":[1]}"#,
        ] {
            assert_outlines_agree(&format!("{{{notes},\"content\":[{call}]}}"));
        }
    }

    #[test]
    fn agrees_with_the_full_reading() {
        let item = |item: &str| format!("{{\"id\":\"a\",\"content\":[{item}]}}");
        let call = r#"{"class_":"api_action","function":"f","kwargs":{}}"#;
        let odd = [
            r#"{"class_":"api_action","function":"f\u0041","kwargs":{"x":"\ud83d\ude00"}}"#,
            r#"{"class_":"api_action","function":"f","kwargs":{"x":"\ud83d"}}"#,
            r#"{"class_":"api_action","function":7,"kwargs":{}}"#,
            r#"{"class_":"api_action","function":null,"kwargs":{}}"#,
            r#"{"class_":"api_action","kwargs":{}}"#,
            r#"{"class_":"ApiAction","function":"f","args":{}}"#,
            r#"{"class":"api_action","function":"f","kwargs":{}}"#,
            r#"{"function":"f","kwargs":{}}"#,
            r#"{"class_":"api_action","class_":"message_action","function":"f","content":"x"}"#,
            r#"{"class_":"api_action","function":"f","function":"g","kwargs":{}}"#,
            r#"{"class_":"code_action","language":"py\"thon","content":"x"}"#,
            r#"{"class_":"code_action","content":"x"}"#,
            r#"{"class_":"message_action","content":"x","function":"f"}"#,
            r#"{"class_":"api_action","function":"f","kwargs":{},"reward":0.1}"#,
            r#"{"class_":"api_action","function":"f","kwargs":{},"reward":-12345678901234567890.123}"#,
            r#"{"class_":"api_action","function":"f","kwargs":{},"reward":"0.5"}"#,
            r#"{"class_":"api_action","function":"f","kwargs":{},"reward":true}"#,
            r#"{"class_":"api_action","function":"f","kwargs":{},"reward":null}"#,
            r#"{"class_":"api_action","function":"f","kwargs":{},"reward":{}}"#,
            r#"{"class_":"message_action","content":"x","reward":1e999}"#,
            r#"{"class_":"api_action","function":"Submit","kwargs":{}}"#,
            r#"{"class_":"message_action","content":"\u003cfinish> so <\/finish>"}"#,
            r#"{"class_":"message_action","content":"<finish> so"}"#,
            r#"{"class_":"message_action","content":7}"#,
            r#"{"class_":"message_action"}"#,
            r#"{"class_":"text_observation","content":"x","source":"agent"}"#,
            r#"{"class_":"text_observation","content":"x","source":"\u0061gent"}"#,
            r#"{"class_":"text_observation","content":"x","source":"user"}"#,
            r#"{"class_":"text_observation","content":"x"}"#,
            r#"{"class_":"web_observation","content":"x","source":"agent"}"#,
            r#"{"class_":"nonsense"}"#,
            r#"{"class_":7}"#,
            "7",
            "[",
            "",
        ];
        let items = odd.iter().map(|odd| item(odd)).chain(odd.iter().map(|odd| item(&format!("{call},{odd}"))));
        let roots = [
            format!(r#"{{"content":[{call}],"role":"user"}}"#),
            format!(r#"{{"content":[{call}],"steps":[{{"step_id":1}}]}}"#),
            format!(r#"{{"content":[{call}],"content":[]}}"#),
            format!(r#"{{"content":{call}}}"#),
            r#"{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f"}}]}]}"#.to_owned(),
            format!("[{call}]"),
            "{}".to_owned(),
            "NaN".to_owned(),
        ];
        let mut calls = 0;
        for text in items.chain(roots) {
            let (fast, full) = both(&text);
            assert_eq!(fast, full, "{text}");
            assert_outlines_agree(&text);
            calls += full.map_or(0, |tools| tools.values().sum());
        }
        assert!(calls > 24);
    }
}
