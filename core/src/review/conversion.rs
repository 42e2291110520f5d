//! What a conversion from one stage of a dataset to the next lost of a record: its task, calls, thoughts and texts.
//!
//! Converters wrap, rename and reorder texts, so a text counts as lost if less than half of its runs of words are
//! anywhere in the new record. One pass over each record, whatever their sizes.

use crate::json::{self, Data, Value};
use crate::model::{StepRole, ToolCall, Turn, TurnPart};
use crate::rules::trajectory::{Body, Class, Item, Reading, TrajectoryStep, Way, hints, turn};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Words of a run. Of a text with fewer words all are one run.
const RUN_WORDS: usize = 4;

/// What of a record the new one does not have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConversionLoss {
    /// The step that sets the task, if its text is lost.
    pub task: Option<usize>,
    /// Number of calls of both.
    pub calls: (usize, usize),
    /// Calls whose code or arguments (without any: whose tool) are lost: their steps and tools.
    pub lost_calls: Vec<(usize, String)>,
    /// Steps whose thought is lost.
    pub thoughts: Vec<usize>,
    /// Steps of which another text is lost; None is the system prompt.
    pub texts: Vec<Option<usize>>,
}

impl ConversionLoss {
    /// Whether nothing is lost.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let lists_are_empty = self.lost_calls.is_empty() && self.thoughts.is_empty() && self.texts.is_empty();
        self.task.is_none() && lists_are_empty && self.calls.1 >= self.calls.0
    }
}

/// What the new record lost of the old one.
#[must_use]
pub fn conversion_loss(old: &Value<'_>, new: &Value<'_>) -> ConversionLoss {
    let (old, new) = (Way::Written.read(old), Way::Written.read(new));
    let known = Words::of(&new);
    let count = |reading: &Reading<'_>| reading.entries.iter().map(|entry| entry.calls.len()).sum();
    let mut out = ConversionLoss { calls: (count(&old), count(&new)), ..ConversionLoss::default() };
    if old.system_prompt().and_then(Value::as_str).is_some_and(|prompt| !known.has(prompt)) {
        out.texts.push(None);
    }
    let task = old.entries.iter().position(|entry| entry.role == StepRole::User);
    for ((step, entry), hint) in old.entries.iter().enumerate().zip(hints(&old)) {
        let turn = turn(entry, hint);
        let step_text = StepText::of(entry, &turn);
        if step_text.thoughts.iter().any(|text| !known.has(text)) {
            out.thoughts.push(step);
        }
        let is_lost = !step_text.texts.is_empty() && !step_text.texts.iter().any(|text| known.has(text));
        match is_lost {
            true if task == Some(step) => out.task = Some(step),
            true => out.texts.push(Some(step)),
            false => {}
        }
        let lost = turn.calls().filter(|call| !known.has_call(call));
        out.lost_calls.extend(lost.map(|call| (step, call.name.to_string())));
    }
    out
}

/// What a step says, without its calls.
#[derive(Default)]
struct StepText {
    thoughts: Vec<String>,
    /// The text in any of its forms: a page has several, of which one is enough.
    texts: Vec<String>,
}

impl StepText {
    fn of(entry: &TrajectoryStep<'_>, turn: &Turn<'_>) -> Self {
        let mut out = Self::default();
        match &entry.body {
            Body::Item(item) => out.item(item, entry),
            Body::Message(_) => out.spoken(turn),
            // A conversation has the words of a turn beside its calls, and its results after them.
            Body::Turn => {
                let texts = turn.parts.iter().filter(|part| matches!(part, TurnPart::Text(_) | TurnPart::Thought(_)));
                out.spoken(&Turn::of(turn.role, texts.cloned().collect()));
            }
            Body::Record => {
                let mut words = String::new();
                strings(entry.value, &mut |text| words.extend([text, "\n"]));
                out.texts.push(words);
            }
        }
        out.thoughts.retain(|text| has_words(text));
        out.texts.retain(|text| has_words(text));
        out
    }

    fn item(&mut self, item: &Item<'_>, entry: &TrajectoryStep<'_>) {
        let text = |name| item.text(name).map(str::to_owned);
        if item.class.is_some_and(Class::is_action) {
            self.thoughts.extend(["description", "reasoning_content"].into_iter().filter_map(text));
        }
        match item.class {
            Some(Class::WebObservation) => self.texts.extend(["axtree", "html", "url"].into_iter().filter_map(text)),
            Some(class) if entry.calls.is_empty() && !class.is_tool() => {
                let mut words = String::new();
                item.field("content").into_iter().for_each(|field| strings(field.value, &mut |t| words.push_str(t)));
                // Converters write these marks as a call of a tool that finishes.
                let words = words.replace("<finish>", "").replace("</finish>", "");
                self.texts.push(words);
            }
            _ => {}
        }
    }

    /// The words beside a call are the thought before it.
    fn spoken(&mut self, turn: &Turn<'_>) {
        let calls = turn.calls().next().is_some();
        let mut words: Vec<&str> = Vec::new();
        for part in &turn.parts {
            match part {
                TurnPart::Thought(text) => self.thoughts.push(text.to_string()),
                TurnPart::Text(text) if calls => self.thoughts.push(text.to_string()),
                TurnPart::Text(text) => words.push(text),
                TurnPart::Result(result) => words.push(&result.text),
                TurnPart::Call(_) | TurnPart::Attachment(_) => {}
            }
        }
        self.texts.push(words.join("\n"));
    }
}

/// The runs of words of a record, and its tools.
struct Words {
    runs: HashSet<u64>,
    tools: HashSet<String>,
}

impl Words {
    fn of(reading: &Reading<'_>) -> Self {
        let mut runs = HashSet::new();
        scalars(reading.root, &mut |text| {
            each_run(text, RUN_WORDS, &mut |run| {
                runs.insert(run);
            });
        });
        let tools = reading.entries.iter().flat_map(|entry| &entry.calls).map(|call| call.tool.to_string());
        Self { tools: tools.collect(), runs }
    }

    /// Whether at least half of a text is there; one without words is nothing.
    fn has(&self, text: &str) -> bool {
        let (mut all, mut there) = (0_u64, 0_u64);
        let longest = words(text).take(RUN_WORDS).count();
        last_runs(text, longest, &mut |run| {
            all += 1;
            there += u64::from(self.runs.contains(&run));
        });
        there * 2 >= all
    }

    /// Whether a call is there: by its code or arguments, without any by its tool.
    fn has_call(&self, call: &ToolCall<'_>) -> bool {
        let mut generated = String::new();
        match json::parse(&call.arguments) {
            Ok(arguments) => strings(&arguments, &mut |text| generated.extend([text, "\n"])),
            Err(_) => generated.push_str(&call.arguments),
        }
        let is_there = || self.tools.contains(call.name.as_ref()) || self.has(call.name.trim_start_matches("code:"));
        if has_words(&generated) { self.has(&generated) || self.has_each_line(&generated) } else { is_there() }
    }

    /// Whether each line of a text is there: short arguments are apart from one another.
    fn has_each_line(&self, text: &str) -> bool {
        text.lines().all(|line| self.has(line))
    }
}

fn has_words(text: &str) -> bool {
    words(text).next().is_some()
}

/// The words of a text: runs of letters and digits.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Every run of 1 up to `most` words.
fn each_run(text: &str, most: usize, take: &mut dyn FnMut(u64)) {
    let mut window: Vec<&str> = Vec::with_capacity(most);
    for word in words(text) {
        if window.len() == most {
            window.remove(0);
        }
        window.push(word);
        (0..window.len()).for_each(|from| take(hash(&window[from..])));
    }
}

/// Every run of exactly `len` words.
fn last_runs(text: &str, len: usize, take: &mut dyn FnMut(u64)) {
    let mut window: Vec<&str> = Vec::with_capacity(len);
    for word in words(text) {
        if window.len() == len {
            window.remove(0);
        }
        window.push(word);
        if window.len() == len {
            take(hash(&window));
        }
    }
}

fn hash(words: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

/// Every string below a value.
fn strings(value: &Value<'_>, take: &mut dyn FnMut(&str)) {
    match &value.data {
        Data::String(text) => take(text),
        Data::Array(items) => items.iter().for_each(|item| strings(item, take)),
        Data::Object(object) => object.entries().for_each(|(_, member)| strings(member, take)),
        _ => {}
    }
}

/// Every string, number and name below a value.
fn scalars(value: &Value<'_>, take: &mut dyn FnMut(&str)) {
    match &value.data {
        Data::String(text) => take(text),
        Data::Array(items) => items.iter().for_each(|item| scalars(item, take)),
        Data::Object(object) => object.entries().for_each(|(name, member)| {
            take(name);
            scalars(member, take);
        }),
        _ => take(value.text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn lost(old: &str, new: &str) -> ConversionLoss {
        conversion_loss(&parse(old).unwrap(), &parse(new).unwrap())
    }

    const STD: &str = r#"{"id":"a","content":[
        {"class_":"text_observation","content":"List the files of the folder please","source":"user"},
        {"class_":"code_action","language":"bash","content":"ls -la /tmp/work","description":"I look at all of them"},
        {"class_":"text_observation","content":"a.txt b.txt and nothing else","source":"environment"},
        {"class_":"api_action","function":"click","kwargs":{"bid":"12"},"description":null},
        {"class_":"message_action","content":"<finish> two files </finish>","description":null}]}"#;

    #[test]
    fn a_conversion_that_keeps_all_loses_nothing() {
        let sft = r#"{"id":"a","conversations":[
            {"from":"human","value":"List the files of the folder please"},
            {"from":"function_call",
                "value":"I look at all of them\n<function=bash>\n<parameter=command>ls -la /tmp/work</parameter>"},
            {"from":"observation","value":"OBSERVATION:\na.txt b.txt and nothing else"},
            {"from":"function_call",
                "value":"<function=browser><parameter=code>click(bid=\"12\")</parameter></function>"},
            {"from":"gpt","value":"two files"}]}"#;
        let loss = lost(STD, sft);
        assert!(loss.is_empty(), "{loss:?}");
        assert_eq!(loss.calls, (2, 2));
    }

    #[test]
    fn a_conversion_that_drops_something_says_what() {
        let sft = r#"{"id":"a","conversations":[
            {"from":"human","value":"Do it"},
            {"from":"function_call","value":"<function=execute_bash><parameter=command>pwd</parameter></function>"},
            {"from":"gpt","value":"two files"}]}"#;
        let loss = lost(STD, sft);
        assert_eq!(loss.task, Some(0));
        assert_eq!(loss.calls, (2, 1));
        assert_eq!(loss.lost_calls, [(1, "code:bash".to_owned()), (3, "click".to_owned())]);
        assert_eq!((loss.thoughts, loss.texts), (vec![1], vec![Some(2)]));
    }

    #[test]
    fn a_prompt_and_reasoning_can_be_lost() {
        let old = r#"{"system":"You are a helpful agent","messages":[{"role":"user","content":"hello to you"},
            {"role":"assistant","content":"hi","reasoning_content":"I greet them back now"}]}"#;
        let new = r#"{"messages":[{"role":"user","content":"hello to you"},{"role":"assistant","content":"hi"}]}"#;
        let loss = lost(old, new);
        assert_eq!((loss.texts, loss.thoughts, loss.task), (vec![None], vec![1], None));
        assert!(lost(old, old).is_empty());
    }
}
