//! A run as a conversation in the words of another format: what its steps say, call and answer, whatever the log that
//! it comes from.
//!
//! Logs have thoughts, words and calls of one answer as steps of their own, other formats have them together. A
//! transcript is what both have in common; [`messages`], [`standard`] and [`atif`] write it. What a format has no place
//! for is counted by what it is ([`Left`]), and nothing is made up but ids of calls, where results need them.

mod atif;
mod messages;
mod noted;
mod record_head;
mod requests;
mod standard;

use super::chat::{Left, Member};
use crate::format::{Exclusion, Run, model_of, usage_at};
use crate::json;
use crate::model::{Attachment, Bytes, Standing, Step, StepNo, StepRole, ToolCall, ToolResult, Turn, TurnPart, Usage};
use crate::rules::trajectory::is_language;
pub use record_head::RecordHead;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

/// The format that a transcript is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranscriptFormat {
    /// `{"id", "messages"}`.
    Messages,
    /// A standardized trajectory of the Agent Data Protocol.
    Standard,
    /// An ATIF trajectory.
    Atif,
}

/// One trajectory of a run, as its conversation.
#[derive(Debug, Default)]
pub struct Transcript {
    id: String,
    /// Which of several trajectories of a record it is, as `chosen`.
    label: Option<String>,
    /// The format that it was read from.
    source: &'static str,
    /// The model that it used last.
    model: Option<String>,
    messages: Vec<Message>,
    /// What its record has beside the messages.
    others: Vec<Member>,
    /// What the record gives for the run as a whole.
    reward: Option<String>,
    /// The same as only the notes of its record say it.
    noted: Option<String>,
    /// The task that it is an attempt at.
    task: Option<String>,
    /// Whether its id is of its record, and not made of what stands for one.
    has_id: bool,
    left: Left,
    /// Of each call where it is: its message, and its place in that. Calls of a step are in order.
    calls: HashMap<StepNo, VecDeque<CallPlace>>,
    by_id: HashMap<String, CallPlace>,
    ids: HashMap<String, usize>,
    answered: HashSet<CallPlace>,
    /// Calls that the words of a message hold.
    in_words: HashSet<StepNo>,
    /// The message that is added to.
    current: usize,
    /// Whether the next part goes on with the last answer of the agent, behind which there are results.
    continued: bool,
    /// Whether the next part begins a message that no other joins.
    is_apart: bool,
}

/// Open calls of a step among which one is looked for by its name.
const NAMED_MAX: usize = 256;

type CallPlace = (usize, usize);

/// What one speaker says at once.
#[derive(Debug, Default)]
struct Message {
    role: StepRole,
    thoughts: Vec<String>,
    texts: Vec<String>,
    files: Vec<Attachment<'static>>,
    calls: Vec<Call>,
    result: Option<Answer>,
    time: Option<String>,
    tokens: Option<u64>,
    /// What was recorded of the answer: tokens of the prompt, of caches, of the answer, and cost.
    usage: Usage,
    reward: Option<String>,
}

#[derive(Debug)]
struct Call {
    id: String,
    name: String,
    /// JSON text.
    arguments: String,
}

#[derive(Debug)]
struct Answer {
    call: Option<CallPlace>,
    name: Option<String>,
    text: String,
}

impl Transcript {
    /// Which of several trajectories of its record it is, as `chosen`; None where there is one.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// Its id, where that is not its record's: what stands for one may stand for several attempts.
    #[must_use]
    pub fn id_of_several(&self) -> Option<&str> {
        (!self.has_id).then_some(self.id.as_str())
    }

    /// Gives it another id.
    pub fn rename(&mut self, id: String) {
        self.id = id;
    }

    /// The trajectories of a run, each as its conversation; `name` is what one without a title is called, `head` what a
    /// record says beside its run.
    #[must_use]
    pub fn of(
        run: &dyn Run,
        source: &'static str,
        name: &str,
        head: Option<&RecordHead>,
        bytes: &dyn Bytes,
    ) -> Vec<Self> {
        let id = run.title().filter(|title| !title.trim().is_empty()).unwrap_or_else(|| name.to_owned());
        if run.has_model_requests() {
            let all = requests::transcripts(run, source, name, bytes);
            if !all.is_empty() {
                return all;
            }
        }
        let mut all: Vec<(Option<String>, Self)> = Vec::new();
        for number in 0..run.step_count() {
            let number = StepNo::try_from(number).unwrap_or(StepNo::MAX);
            let step = run.step(number, bytes);
            if all.last().is_none_or(|(label, _)| *label != step.trajectory) {
                let id = step.trajectory.as_ref().map_or_else(|| id.clone(), |label| format!("{id}/{label}"));
                // What messages lack is counted once, however many trajectories have them.
                let label = step.trajectory.clone();
                let head = match head {
                    Some(head) => Self::begun(head, label.as_deref(), all.is_empty()),
                    None => Self { has_id: true, ..Self::default() },
                };
                all.push((label.clone(), Self { id, label, source, model: model_of(run), ..head }));
            }
            if let Some((_, transcript)) = all.last_mut() {
                match run.prompt(number, bytes) {
                    Some(turn) => transcript.prompt(&step, turn),
                    None if run.exclusion(number).is_some() => transcript.exclude(number, run.exclusion(number)),
                    None => {
                        transcript.continued = run.goes_on(number);
                        transcript.is_apart = run.is_message(number);
                        transcript.step(&step, run.written_turn(number, bytes));
                    }
                }
                if let Some(usage) = usage_at(run, number).filter(|_| step.standing == Standing::Main) {
                    transcript.spend(&usage);
                }
            }
        }
        // Several answers are attempts at one task, also where their record names none.
        if all.len() > 1 && head.is_some() {
            all.iter_mut().for_each(|(_, transcript)| transcript.task = transcript.task.take().or(Some(id.clone())));
        }
        all.into_iter().map(|(_, transcript)| transcript).filter(|transcript| !transcript.messages.is_empty()).collect()
    }

    /// A trajectory that begins with what its record says.
    fn begun(head: &RecordHead, label: Option<&str>, is_first: bool) -> Self {
        let prompt =
            |text: &String| Message { role: StepRole::System, texts: vec![text.clone()], ..Message::default() };
        let beside = label.and_then(|label| head.beside.get(label)).into_iter().flatten();
        let of_answer = || label.and_then(|label| head.rewards.get(label)).cloned();
        Self {
            messages: head.system.iter().map(prompt).collect(),
            others: beside.chain(&head.others).cloned().collect(),
            reward: of_answer().or_else(|| head.reward.clone()),
            noted: head.noted.clone(),
            task: head.task.clone(),
            has_id: head.has_id,
            left: if is_first { head.left.clone() } else { Left::new() },
            ..Self::default()
        }
    }

    /// The other members of its record as those of an object, without some.
    fn other_members(&self, without: &[&str]) -> String {
        let others = self.others.iter().filter(|(name, _)| !without.contains(&name.as_str()));
        others.map(|(name, value)| format!("{}:{value}", json::quote(name))).collect::<Vec<_>>().join(",")
    }

    /// The same as one line of that format, and what of the run it does not carry.
    #[must_use]
    pub fn write(mut self, format: TranscriptFormat) -> (String, Left) {
        self.spread_notes(format);
        self.keep_reward(format);
        self.keep_task(format);
        let text = match format {
            TranscriptFormat::Messages => messages::write(&mut self),
            TranscriptFormat::Standard => standard::write(&mut self),
            TranscriptFormat::Atif => atif::write(&mut self),
        };
        (text, self.left)
    }

    /// Where arguments are objects, others get a name that nobody gave them.
    fn count_bare_arguments(&mut self) {
        let calls = self.messages.iter().flat_map(|message| &message.calls);
        let is_bare = |call: &&Call| language(call).is_none() && !call.arguments.starts_with('{');
        let bare = calls.filter(is_bare).count();
        (0..bare).for_each(|_| self.lose("arguments that are no object, under `input` now"));
    }

    fn lose(&mut self, what: &str) {
        *self.left.entry(what.to_owned()).or_default() += 1;
    }

    /// What a step says to the model that is no message of its kind.
    fn prompt(&mut self, step: &Step, turn: Turn<'static>) {
        if step.standing == Standing::Main {
            self.turn(step, turn);
        } else {
            self.lose(&format!("steps of {} branches", step.standing.name()));
        }
    }

    /// Tokens and cost belong to the last answer of the agent.
    fn spend(&mut self, usage: &Usage) {
        if let Some(answer) = self.messages.iter_mut().rfind(|message| message.role == StepRole::Agent) {
            answer.usage = answer.usage.plus(usage);
        }
    }

    /// Leaves a step out.
    fn exclude(&mut self, step: StepNo, why: Option<Exclusion>) {
        match why {
            Some(Exclusion::Aside) => self.lose("messages that are not for the model"),
            Some(Exclusion::Removed) => self.lose("messages that an edit of the context took out"),
            Some(Exclusion::InWords) => drop(self.in_words.insert(step)),
            None => {}
        }
    }

    fn step(&mut self, step: &Step, turn: Option<Turn<'static>>) {
        // A trajectory of its own has its name.
        let is_sub_agent = step.trajectory.is_some() && step.standing == Standing::SubAgent;
        if step.standing != Standing::Main && !is_sub_agent {
            return self.lose(&format!("steps of {} branches", step.standing.name()));
        }
        if matches!(step.kind.as_str(), "state" | "span") {
            return self.lose(&format!("{} {}", step.kind, step.class.as_deref().unwrap_or("record")));
        }
        match turn {
            Some(turn) => self.turn(step, turn),
            None => self.lose("steps without words"),
        }
    }

    /// What a step says.
    fn turn(&mut self, step: &Step, turn: Turn<'static>) {
        if turn.parts.is_empty() && std::mem::take(&mut self.is_apart) {
            self.lose("messages without words");
        }
        let (mut extras, mut role) = (Extras::of(step, &turn), turn.role);
        let (mut is_begun, mut has_result, mut has_call) = (false, false, false);
        for part in turn.parts {
            let part = match part {
                // What answers a call that is in the words is said to the agent by the user.
                TurnPart::Result(result) if step.answers.is_some_and(|call| self.in_words.contains(&call)) => {
                    role = StepRole::User;
                    TurnPart::Text(result.text)
                }
                part => part,
            };
            let is_result = matches!(part, TurnPart::Result(_));
            // What came back with a result is beside it.
            let is_beside = has_result && matches!(part, TurnPart::Attachment(_));
            if (is_result || !is_begun) && !is_beside {
                self.begin(role, &part, &mut extras);
            }
            has_result = is_result || is_beside;
            is_begun = !has_result;
            has_call |= matches!(part, TurnPart::Call(_));
            if has_call && matches!(&part, TurnPart::Text(text) if !text.trim().is_empty()) {
                self.lose("place of a text behind a call");
            }
            self.part(part, step);
        }
    }

    /// Makes room for a part: what an agent says joins what it said just before, up to its calls, and the calls of
    /// another what that one said. Who nobody names and calls or thinks is the agent.
    fn begin(&mut self, role: StepRole, part: &TurnPart<'_>, extras: &mut Extras) {
        let is_call = matches!(part, TurnPart::Call(_));
        let role = match (part, role) {
            (TurnPart::Result(_), _) => StepRole::Environment,
            (TurnPart::Call(_) | TurnPart::Thought(_), StepRole::Unknown) => StepRole::Agent,
            (_, role) => role,
        };
        let is_apart = std::mem::take(&mut self.is_apart);
        let joins = |last: &Message| {
            let may_join = is_call || (role == StepRole::Agent && last.calls.is_empty());
            !is_apart && last.role == role && last.result.is_none() && may_join
        };
        let last = self.messages.len().checked_sub(1);
        let is_joined = |at: &usize| self.messages.get(*at).is_some_and(joins);
        let answer = || self.messages.iter().rposition(|message| message.role == StepRole::Agent);
        let joined = if std::mem::take(&mut self.continued) && is_call { answer() } else { last.filter(is_joined) };
        self.current = joined.unwrap_or_else(|| {
            self.messages.push(Message { role, ..Message::default() });
            self.messages.len() - 1
        });
        if let Some(message) = self.messages.get_mut(self.current) {
            message.time = message.time.take().or_else(|| extras.time.take());
            message.reward = message.reward.take().or_else(|| extras.reward.take());
            message.tokens = match (message.tokens, extras.tokens.take()) {
                (Some(known), Some(more)) => Some(known.saturating_add(more)),
                (known, more) => known.or(more),
            };
        }
    }

    fn part(&mut self, part: TurnPart<'static>, step: &Step) {
        match part {
            TurnPart::Text(text) => self.say(text.into_owned()),
            TurnPart::Thought(text) => {
                if let Some(message) = self.messages.get_mut(self.current).filter(|_| !text.trim().is_empty()) {
                    message.thoughts.push(text.into_owned());
                }
            }
            TurnPart::Call(call) => self.call(&call, step.number),
            TurnPart::Result(result) => self.result(result, step),
            TurnPart::Attachment(file) => {
                if let Some(message) = self.messages.get_mut(self.current) {
                    message.files.push(file);
                }
            }
        }
    }

    fn say(&mut self, text: String) {
        if let Some(message) = self.messages.get_mut(self.current).filter(|_| !text.is_empty()) {
            message.texts.push(text);
        }
    }

    fn call(&mut self, call: &ToolCall<'_>, step: StepNo) {
        let at = self.current;
        let generated = || format!("call_{}", self.ids.len());
        let id = call.id.as_deref().filter(|id| !id.is_empty()).map_or_else(generated, str::to_owned);
        let id = self.unique(id);
        let place = (at, self.messages.get(at).map_or(0, |message| message.calls.len()));
        self.calls.entry(step).or_default().push_back(place);
        if let Some(recorded) = &call.id {
            self.by_id.insert(recorded.to_string(), place);
        }
        if let Some(message) = self.messages.get_mut(at) {
            let (name, arguments) = (call.name.to_string(), arguments(&call.arguments));
            message.calls.push(Call { id, name, arguments });
        }
    }

    /// An id that no call before has: further ones of an id have a number after it.
    fn unique(&mut self, id: String) -> String {
        let count = self.ids.entry(id.clone()).or_default();
        *count += 1;
        match *count {
            1 => id,
            count => self.unique(format!("{id}-{count}")),
        }
    }

    /// A result goes to the call of its id, else to the first open call of the step that it answers, of its name if it
    /// has one.
    fn result(&mut self, result: ToolResult<'static>, step: &Step) {
        let of_id = result.id.as_deref().and_then(|id| self.by_id.get(id)).copied();
        let of_id = of_id.filter(|place| !self.answered.contains(place));
        let asked = step.answers.unwrap_or(step.number);
        let call = of_id.or_else(|| self.first_open(asked, result.name.as_deref()));
        self.answered.extend(call);
        if result.is_error == Some(true) {
            self.lose("flags of failed results");
        }
        let name = result.name.map(Cow::into_owned);
        if let Some(message) = self.messages.get_mut(self.current) {
            message.result = Some(Answer { call, name, text: result.text.into_owned() });
        }
    }

    /// The first call of a step that has no result: of that name, if one of the first has it.
    fn first_open(&mut self, step: StepNo, name: Option<&str>) -> Option<CallPlace> {
        let calls = self.calls.get_mut(&step)?;
        while calls.front().is_some_and(|place| self.answered.contains(place)) {
            calls.pop_front();
        }
        let is_of_name = |&&(at, place): &&CallPlace| {
            let call = self.messages.get(at).and_then(|message| message.calls.get(place));
            call.is_some_and(|call| name == Some(&call.name)) && !self.answered.contains(&(at, place))
        };
        calls.iter().take(NAMED_MAX).find(is_of_name).or(calls.front()).copied()
    }

    /// Where only the agent has calls and thoughts: those of others are left out, and their results answer none.
    fn leave_calls_of_others(&mut self) {
        let is_agents = |message: &Message| message.role == StepRole::Agent;
        let agents: Vec<bool> = self.messages.iter().map(is_agents).collect();
        let (mut calls, mut thoughts) = (0, 0);
        for message in &mut self.messages {
            if !is_agents(message) {
                calls += std::mem::take(&mut message.calls).len();
                thoughts += std::mem::take(&mut message.thoughts).len();
            }
            if let Some(answer) = &mut message.result {
                answer.call = answer.call.filter(|(asked, _)| agents.get(*asked) == Some(&true));
            }
        }
        (0..calls).for_each(|_| self.lose("calls of others than the agent"));
        (0..thoughts).for_each(|_| self.lose("thoughts of others than the agent"));
    }

    /// The call that a result answers.
    fn answered(&self, answer: &Answer) -> Option<&Call> {
        let (message, place) = answer.call?;
        self.messages.get(message)?.calls.get(place)
    }
}

/// What a step says beside its words: it goes to the first message that is made of it.
struct Extras {
    time: Option<String>,
    tokens: Option<u64>,
    reward: Option<String>,
}

impl Extras {
    fn of(step: &Step, turn: &Turn<'_>) -> Self {
        let time = step.time.clone().or_else(|| turn.time.as_deref().map(str::to_owned));
        Self { time, tokens: step.tokens, reward: step.reward.clone() }
    }
}

/// Arguments as JSON: JSON in a string is what it holds.
fn arguments(text: &str) -> String {
    let Ok(value) = json::parse(text) else { return json::quote(text) };
    let inner = value.as_str().and_then(|inner| json::parse(inner).ok());
    inner
        .filter(|inner| inner.as_object().is_some())
        .map_or_else(|| json::compact(&value), |inner| json::compact(&inner))
}

/// The language of a call that is code (D9), which its arguments are then.
fn language(call: &Call) -> Option<&str> {
    let language = call.name.strip_prefix("code:").filter(|language| is_language(language))?;
    json::parse(&call.arguments).ok().filter(|code| code.as_str().is_some()).map(|_| language)
}

/// The name and arguments of a call of a function: code is that of a function with the name of its language.
fn function(call: &Call) -> (&str, Cow<'_, str>) {
    match language(call) {
        Some(language) => (language, format!("{{\"code\":{}}}", call.arguments).into()),
        None => (&call.name, Cow::Borrowed(&call.arguments)),
    }
}

/// Arguments as a JSON object: others are under a name.
fn object(arguments: &str) -> String {
    if arguments.starts_with('{') { arguments.to_owned() } else { format!("{{\"input\":{arguments}}}") }
}

/// The picture that a file is, where it says where it is.
fn picture<'f>(file: &'f Attachment<'_>) -> Option<&'f str> {
    file.location.as_deref().filter(|_| file.media_type.contains("image"))
}

/// A text, or a list of parts where there are pictures; `image` writes one of those.
fn content(text: &str, files: &[Attachment<'_>], image: fn(&Attachment<'_>, &str) -> String) -> String {
    let pictures: Vec<String> = files.iter().filter_map(|file| Some(image(file, picture(file)?))).collect();
    if pictures.is_empty() {
        return json::quote(text);
    }
    let text = (!text.is_empty()).then(|| format!("{{\"type\":\"text\",\"text\":{}}}", json::quote(text)));
    format!("[{}]", text.into_iter().chain(pictures).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests;
