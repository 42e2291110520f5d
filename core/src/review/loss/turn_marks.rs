//! What a template writes around what the agent says, by which a message that is known by its content alone has the
//! same part of the text as one that is known by rendering: all from behind what asks for an answer to its end.

use super::super::conversation::Conversation;
use super::super::template::Template;
use crate::json;
use crate::rules::trajectory::Way;
use std::ops::Range;

/// An answer that is found again in a text.
const ANSWER: &str = "Qx7";
/// A conversation with it.
const CONVERSATION: &str = r#"{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"Qx7"}]}"#;
/// Where some templates begin the thoughts of an answer that they ask for.
const THOUGHTS: &str = "<think>";

/// The signs of a turn of the agent.
#[derive(Debug)]
pub(super) struct TurnMarks {
    /// What asks for an answer.
    ask: String,
    /// What ends it, if anything does.
    end: Option<String>,
}

impl TurnMarks {
    /// Those of a template for a conversation; None where nothing asks for an answer.
    pub(super) fn of(conversation: &Conversation, template: &Template) -> Option<Self> {
        let mut short = Conversation::of(&json::parse(CONVERSATION).ok()?, Way::Formats)?;
        short.tools.clone_from(&conversation.tools);
        let render = |count, is_asking| Some(template.render(&short, count, is_asking).ok()?.text);
        let (question, asking) = (render(1, false)?, render(1, true)?);
        let ask = asking.strip_prefix(question.as_str()).filter(|ask| !ask.trim().is_empty())?;
        // Behind an answer something may end it and something ask for the next.
        let end = render(2, true).and_then(|text| Some(text.rsplit_once(ANSWER)?.1.strip_suffix(ask)?.to_owned()));
        let end = end.filter(|end| !end.trim().is_empty());
        Some(Self { ask: ask.split(THOUGHTS).next().unwrap_or_default().to_owned(), end })
    }

    /// Where the agent says a text in a stretch: behind what asks for it, and where its turn ends behind it. A short
    /// answer may be a part of the words of the template.
    pub(super) fn find(&self, content: &str, within: Range<usize>, text: &str, has_calls: bool) -> Option<usize> {
        let asked = text[within.clone()].find(&self.ask).map(|at| within.start + at + self.ask.len());
        let from = asked.unwrap_or(within.start);
        let stretch = &text[from..within.end];
        let end = self.end.as_ref().filter(|_| !has_calls);
        let ended = end.and_then(|end| stretch.find(&format!("{content}{end}")));
        ended.or_else(|| stretch.find(content)).map(|at| from + at)
    }

    /// The part of a message of the agent, given where some of it is in a stretch of the text; behind calls the
    /// template may close what it opened.
    pub(super) fn widened(
        &self,
        found: Range<usize>,
        within: Range<usize>,
        text: &str,
        has_calls: bool,
    ) -> Range<usize> {
        let asked = text[within.start..found.start].rfind(&self.ask).map(|at| within.start + at + self.ask.len());
        let has_end = |text: &str| self.end.as_ref().is_some_and(|end| text.contains(end));
        let start = asked.filter(|start| !has_end(&text[*start..found.start])).unwrap_or(found.start);
        let behind = &text[found.end..within.end];
        let ended = self.end.as_ref().and_then(|end| {
            let between = &behind[..behind.find(end)?];
            let is_of_turn = between.trim().is_empty() || (has_calls && !between.contains(&self.ask));
            is_of_turn.then_some(found.end + between.len() + end.len())
        });
        start..ended.unwrap_or(found.end)
    }
}
