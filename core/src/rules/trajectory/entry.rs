//! D19: one step of a trajectory, whatever the shape of its record.

use super::item::{Class, Item};
use super::message::Message;
use super::number::Number;
use super::reading::Way;
use super::{atif, blocks, message_calls, number, text};
use crate::json::Value;
use crate::model::StepRole;
use smallvec::{SmallVec, smallvec};
use std::borrow::Cow;

/// D19: `kind` of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TrajectoryStepKind {
    /// What the agent does.
    Action,
    /// What comes back, or what somebody says.
    Observation,
    /// A message of a conversation.
    Message,
    /// A turn of an ATIF trajectory.
    Turn,
    /// An item of unknown class, or a record of no known shape.
    Unknown,
}

impl TrajectoryStepKind {
    /// The word for it in `steps --json`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Action => "action",
            Self::Observation => "observation",
            Self::Message => "message",
            Self::Turn => "turn",
            Self::Unknown => "unknown",
        }
    }
}

/// What a step is in its own shape.
#[derive(Debug, Clone)]
pub enum Body<'a> {
    /// An item of a standardized trajectory.
    Item(Item<'a>),
    /// A message of a conversation.
    Message(Message<'a>),
    /// A turn of an ATIF trajectory.
    Turn,
    /// A record of no known shape.
    Record,
}

/// A call that a step makes.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    /// The tool's name (`code:<language>` for code, `?` for what cannot be read).
    pub tool: Cow<'a, str>,
    /// The id that answers name.
    pub id: Option<Cow<'a, str>>,
    /// D20: its arguments, if they are an object.
    pub arguments: Option<&'a Value<'a>>,
    /// D20: its code.
    pub code: Option<&'a str>,
}

/// How a step names the call that it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask<'a> {
    /// By the call's id.
    Id(&'a str),
    /// D10: the call of the step before, if that has no id.
    BeforeWithoutId,
    /// D19 (chat): an open call of the message before.
    Before,
    /// `FORMATS.md` 8: by the call's id where a call has it, else an open call of the message before.
    IdOrBefore(&'a str),
    /// `FORMATS.md` 0.3: the nearest open call of this name, else the first open one of the message whose results come.
    Name(Option<&'a str>),
}

/// D19: members of a step that are not text of it.
const ITEM_NAMES: &[&str] = &["class_", "class", "source", "tool_call_id"];
const MESSAGE_NAMES: &[&str] = &["from", "role", "tool_call_id"];
const TURN_NAMES: &[&str] = &["source", "timestamp", "model_name"];

/// One step.
#[derive(Debug, Clone)]
pub struct TrajectoryStep<'a> {
    /// The item, message or turn.
    pub value: &'a Value<'a>,
    /// What it is in its shape.
    pub body: Body<'a>,
    /// D19: what kind.
    pub kind: TrajectoryStepKind,
    /// D19: who.
    pub role: StepRole,
    /// Its calls.
    pub calls: Vec<Call<'a>>,
    /// The answers it gives.
    pub asks: SmallVec<[Ask<'a>; 1]>,
    /// The call that each of [`TrajectoryStep::asks`] answers: its step and its place among that step's calls; None: no
    /// call. Filled in when all steps are read.
    pub links: Links,
    /// D20: its reward, as read.
    pub reward: Option<Number<'a>>,
    /// D22: whether its calls come with a thought.
    pub has_thought: bool,
    /// Results among the parts of a message (`FORMATS.md` 8).
    pub results: usize,
}

/// Calls by their steps and places, one for each answer of a step; None: it answers no call.
pub(super) type Links = SmallVec<[Option<(usize, usize)>; 1]>;

impl<'a> TrajectoryStep<'a> {
    /// D19: an item of a standardized trajectory.
    #[must_use]
    pub fn item(value: &'a Value<'a>) -> Self {
        let item = Item::of(value);
        let has_text = |name| item.text(name).is_some_and(|t| !text::is_blank(t));
        let kind = match item.class {
            None => TrajectoryStepKind::Unknown,
            Some(class) if class.is_action() => TrajectoryStepKind::Action,
            Some(_) => TrajectoryStepKind::Observation,
        };
        let ask = (kind == TrajectoryStepKind::Observation)
            .then(|| item.text("tool_call_id").map_or(Ask::BeforeWithoutId, Ask::Id));
        Self {
            value,
            kind,
            role: item_role(&item),
            calls: item_call(&item).into_iter().collect(),
            asks: ask.into_iter().collect(),
            links: SmallVec::new(),
            reward: item.field("reward").and_then(|f| number::number(f.value)),
            has_thought: kind == TrajectoryStepKind::Action
                && (has_text("description") || has_text("reasoning_content")),
            results: 0,
            body: Body::Item(item),
        }
    }

    /// D17, D19: a message of a conversation.
    #[must_use]
    pub fn message(value: &'a Value<'a>) -> Self {
        Self::spoken(value, Message::of(value))
    }

    /// `FORMATS.md` 8: a message of a row; a text alone is said by `role`.
    #[must_use]
    pub fn row_message(value: &'a Value<'a>, role: StepRole, way: Way) -> Self {
        let entry = Self::spoken(value, Message::of_row(value, role, way));
        let id = value.get("id").and_then(Value::as_str).filter(|_| entry.role == StepRole::Environment);
        let name = blocks::result_name(value);
        if let ([Ask::Before], Some(id)) = (entry.asks.as_slice(), blocks::result_id(value)) {
            return Self { asks: smallvec![Ask::Id(id)], ..entry };
        }
        match (entry.asks.as_slice(), id) {
            ([Ask::Before], Some(id)) => Self { asks: smallvec![Ask::IdOrBefore(id)], ..entry },
            ([Ask::Before], None) if entry.role == StepRole::Environment => {
                Self { asks: smallvec![Ask::Name(name)], ..entry }
            }
            _ => entry,
        }
    }

    fn spoken(value: &'a Value<'a>, message: Message<'a>) -> Self {
        let calls = message_calls::calls(value, &message);
        let can_answer = calls.is_empty() && matches!(message.role, StepRole::User | StepRole::Environment);
        let id = value.get("tool_call_id").and_then(Value::as_str);
        let answered: SmallVec<_> = blocks::results(value).collect();
        let unmarked = message.text.as_deref().map(text::before_call);
        Self {
            value,
            kind: TrajectoryStepKind::Message,
            role: message.role,
            results: answered.len(),
            asks: if answered.is_empty() {
                can_answer.then(|| id.map_or(Ask::Before, Ask::Id)).into_iter().collect()
            } else {
                answered
            },
            calls,
            links: SmallVec::new(),
            reward: value.get("reward").and_then(number::number),
            has_thought: unmarked.is_some_and(|t| !text::is_blank(t)),
            body: Body::Message(message),
        }
    }

    /// D18, D19: a turn of an ATIF trajectory.
    #[must_use]
    pub fn turn(value: &'a Value<'a>) -> Self {
        let thoughts = ["message", "reasoning_content"].into_iter().filter_map(|key| value.get(key));
        let ids = atif::results(value).filter_map(|r| r.get("source_call_id").and_then(Value::as_str));
        Self {
            value,
            kind: TrajectoryStepKind::Turn,
            role: atif::role(value),
            calls: atif::calls(value),
            asks: ids.map(Ask::Id).collect(),
            links: SmallVec::new(),
            reward: value.get("extra").and_then(|e| e.get("reward")).and_then(number::number),
            has_thought: thoughts.filter_map(text::joined).any(|t| !text::is_blank(&t)),
            results: 0,
            body: Body::Turn,
        }
    }

    /// D2, D19: a record of no known shape, as one step.
    #[must_use]
    pub fn record(value: &'a Value<'a>) -> Self {
        Self {
            value,
            body: Body::Record,
            kind: TrajectoryStepKind::Unknown,
            role: StepRole::Unknown,
            calls: Vec::new(),
            asks: SmallVec::new(),
            links: SmallVec::new(),
            reward: None,
            has_thought: false,
            results: 0,
        }
    }

    /// Whether it is a system prompt, which an export to standardized trajectories writes as an observation of that
    /// name: they have no such source.
    #[must_use]
    pub fn is_prompt(&self) -> bool {
        let Body::Item(item) = &self.body else { return false };
        let is_words = item.class == Some(Class::TextObservation) && self.role == StepRole::Environment;
        is_words && item.text("name") == Some("system") && item.text("tool_call_id").is_none() && !self.has_answered()
    }

    /// Whether it is a whole message or turn, and not an item that is a part of one.
    #[must_use]
    pub fn is_whole_message(&self) -> bool {
        match self.body {
            Body::Message(_) => blocks::item(self.value).is_none(),
            Body::Turn => true,
            Body::Item(_) | Body::Record => false,
        }
    }

    /// D19: the texts whose characters are counted.
    pub fn texts(&self, each: &mut dyn FnMut(&str)) {
        let excluded = match &self.body {
            Body::Item(_) => ITEM_NAMES,
            Body::Message(_) => MESSAGE_NAMES,
            Body::Turn => TURN_NAMES,
            Body::Record => &[],
        };
        text::each(self.value, excluded, each);
    }

    /// D19: Unicode scalars of its strings.
    #[must_use]
    pub fn chars(&self) -> usize {
        let mut chars = 0;
        self.texts(&mut |text| chars += text.chars().count());
        chars
    }

    /// D19: `class` of `steps --json`; None is null.
    #[must_use]
    pub fn class(&self) -> Option<&'a str> {
        match &self.body {
            Body::Item(item) => item.class_text(),
            Body::Message(_) => Some("chat_message"),
            Body::Turn => Some("atif_step"),
            Body::Record => Some("record"),
        }
    }

    /// The calls it answers: step and place among that step's calls.
    pub fn answered(&self) -> impl Iterator<Item = (usize, usize)> {
        self.links.iter().copied().flatten()
    }

    /// Whether it answers a call.
    #[must_use]
    pub fn has_answered(&self) -> bool {
        self.answered().next().is_some()
    }

    /// D19: the step that this one, number `step`, answers.
    #[must_use]
    pub fn answers(&self, step: usize) -> Option<usize> {
        self.answered().map(|(asked, _)| asked).find(|&asked| asked != step)
    }

    /// The item, if it is one of known class.
    #[must_use]
    pub fn known_item(&self) -> Option<(&Item<'a>, Class)> {
        match &self.body {
            Body::Item(item) => item.class.map(|class| (item, class)),
            _ => None,
        }
    }

    /// D19: the tool of its first call.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.calls.first().map(|c| c.tool.as_ref())
    }
}

/// D19: actions are the agent's, a page is the environment's, another observation its source's.
fn item_role(item: &Item<'_>) -> StepRole {
    match item.class {
        None => StepRole::Unknown,
        Some(class) if class.is_action() => StepRole::Agent,
        Some(Class::WebObservation) => StepRole::Environment,
        Some(_) => match item.text("source") {
            Some("user") => StepRole::User,
            Some("agent") => StepRole::Agent,
            Some("environment") => StepRole::Environment,
            _ => StepRole::Unknown,
        },
    }
}

/// D19, D20: the call of a tool action.
fn item_call<'a>(item: &Item<'a>) -> Option<Call<'a>> {
    let id = item.text("tool_call_id").map(Cow::Borrowed);
    match item.class? {
        Class::ApiAction => Some(Call {
            tool: item.text("function").unwrap_or("?").into(),
            id,
            arguments: item.field("kwargs").map(|f| f.value).filter(|v| v.as_object().is_some()),
            code: None,
        }),
        Class::CodeAction => Some(Call {
            tool: format!("code:{}", item.text("language").unwrap_or("?")).into(),
            id,
            arguments: None,
            code: item.text("content"),
        }),
        _ => None,
    }
}
