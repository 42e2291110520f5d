//! What is kept of a step, in 64 bytes: a long run has as many of these as steps.

use super::Form;
use super::kind::Kind;
use super::sink::Draft;
use crate::model::{Place, Span, StepNo, StepRole};
use std::collections::HashMap;
use std::sync::Arc;

/// Names of types and tools, each kept once.
#[derive(Debug, Default)]
pub(super) struct Names {
    all: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, Name>,
}

/// The number of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name(u16);

impl Name {
    /// No name.
    const NONE: Self = Self(u16::MAX);
}

impl Names {
    /// The number of a name. Of more than 65,535 names in one run the further ones are not kept.
    pub(super) fn number(&mut self, text: &str) -> Option<Name> {
        if let Some(known) = self.numbers.get(text) {
            return Some(*known);
        }
        let number = u16::try_from(self.all.len()).ok().map(Name).filter(|number| *number != Name::NONE)?;
        let name: Arc<str> = text.into();
        self.all.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        Some(number)
    }

    /// A name by its number.
    pub(super) fn get(&self, number: Option<Name>) -> Option<&str> {
        self.all.get(usize::from(number?.0)).map(|name| &**name)
    }
}

/// What is kept of a step; the rest is read again on demand. Places are counted from its first value.
#[derive(Debug)]
pub(super) struct CompactStep {
    /// Where its first value is, and how long that is.
    offset: u64,
    len: u32,
    /// The line on which that begins.
    line: u32,
    record: u32,
    /// Its second value.
    second: Near,
    /// Where its time is.
    time: Near16,
    /// The step that it answers; [`NO_STEP`]: none.
    answers: StepNo,
    pub(super) chars: u32,
    /// Tokens that were recorded; [`NO_TOKENS`]: none.
    tokens: u32,
    class: Name,
    tool: Name,
    pub(super) form: Form,
    pub(super) kind: Kind,
    pub(super) role: StepRole,
    flags: u8,
    /// All values beside the first, where there are more than one, or far ones.
    #[expect(clippy::box_collection, reason = "few steps have any: a pointer takes a third of a vector")]
    more: Option<Box<Vec<Span>>>,
}

/// A span by its distance from a place; of no bytes: there is none.
#[derive(Debug, Clone, Copy, Default)]
struct Near {
    distance: i32,
    len: u32,
}

/// The same of a short one.
#[derive(Debug, Clone, Copy, Default)]
struct Near16 {
    distance: i32,
    len: u16,
}

const NO_STEP: StepNo = StepNo::MIN;
const NO_TOKENS: u32 = u32::MAX;
const INJECTED: u8 = 1;
const FAILED: u8 = 2;

impl Near {
    /// None where it is too far or too long.
    fn of(span: Span, from: u64) -> Option<Self> {
        let distance = i64::try_from(i128::from(span.offset) - i128::from(from)).ok()?;
        Some(Self { distance: i32::try_from(distance).ok()?, len: u32::try_from(span.len).ok()? })
    }

    fn span(self, from: u64) -> Option<Span> {
        let offset = from.checked_add_signed(i64::from(self.distance))?;
        (self.len > 0).then_some(Span { offset, len: u64::from(self.len) })
    }
}

impl CompactStep {
    /// A step of these values, the first of which is where it is, on this line.
    pub(super) fn new(draft: &Draft<'_, '_>, record: usize, line: u64, values: &[Span], time: Option<Span>) -> Self {
        let first = values.first().copied().unwrap_or_default();
        let time = time.and_then(|time| Near::of(time, first.offset));
        let time = time.and_then(|near| Some(Near16 { distance: near.distance, len: u16::try_from(near.len).ok()? }));
        let mut compact = Self {
            offset: first.offset,
            len: u32::try_from(first.len).unwrap_or(u32::MAX),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            record: u32::try_from(record).unwrap_or(u32::MAX),
            second: Near::default(),
            time: time.unwrap_or_default(),
            answers: NO_STEP,
            chars: 0,
            tokens: NO_TOKENS,
            class: Name::NONE,
            tool: Name::NONE,
            form: draft.form,
            kind: draft.kind,
            role: draft.role,
            flags: if draft.is_injected { INJECTED } else { 0 } | if draft.is_failed { FAILED } else { 0 },
            more: None,
        };
        compact.set_tokens(draft.tokens);
        values.iter().skip(1).for_each(|span| compact.extend(*span));
        compact
    }

    /// The record that it is in.
    pub(super) fn record(&self) -> usize {
        self.record as usize
    }

    /// Where it is.
    pub(super) fn place(&self) -> Place {
        Place { span: Span { offset: self.offset, len: u64::from(self.len) }, line: u64::from(self.line) }
    }

    /// Where its time is.
    pub(super) fn time(&self) -> Option<Span> {
        Near { distance: self.time.distance, len: u32::from(self.time.len) }.span(self.offset)
    }

    /// The value that it shows in place of those after its first.
    pub(super) fn supersede(&mut self, span: Span) {
        (self.second, self.more) = (Near::default(), None);
        self.extend(span);
    }

    /// It shows one more value.
    pub(super) fn extend(&mut self, span: Span) {
        let second = self.second.span(self.offset);
        match (&mut self.more, second, Near::of(span, self.offset)) {
            (Some(more), ..) => more.push(span),
            (None, None, Some(near)) if near.len > 0 => self.second = near,
            (None, second, _) => {
                self.more = Some(Box::new(second.into_iter().chain([span]).collect()));
                self.second = Near::default();
            }
        }
    }

    /// Its values in order.
    pub(super) fn spans(&self) -> impl Iterator<Item = Span> + '_ {
        let more = self.more.as_deref().map(Vec::as_slice).unwrap_or_default();
        std::iter::once(self.place().span).chain(self.second.span(self.offset)).chain(more.iter().copied())
    }

    /// The step that it answers.
    pub(super) fn answers(&self) -> Option<StepNo> {
        Some(self.answers).filter(|step| *step != NO_STEP)
    }

    pub(super) fn set_answers(&mut self, step: Option<StepNo>) {
        self.answers = step.unwrap_or(NO_STEP);
    }

    /// Tokens that the model wrote for it, where they are recorded.
    pub(super) fn tokens(&self) -> Option<u32> {
        Some(self.tokens).filter(|tokens| *tokens != NO_TOKENS)
    }

    pub(super) fn set_tokens(&mut self, tokens: Option<u64>) {
        self.tokens = tokens.and_then(|tokens| u32::try_from(tokens).ok()).unwrap_or(NO_TOKENS);
    }

    /// The record's type as written.
    pub(super) fn class(&self) -> Option<Name> {
        Some(self.class).filter(|name| *name != Name::NONE)
    }

    pub(super) fn set_class(&mut self, name: Option<Name>) {
        self.class = name.unwrap_or(Name::NONE);
    }

    /// The tool that it calls or that answers with it.
    pub(super) fn tool(&self) -> Option<Name> {
        Some(self.tool).filter(|name| *name != Name::NONE)
    }

    pub(super) fn set_tool(&mut self, name: Option<Name>) {
        self.tool = name.unwrap_or(Name::NONE);
    }

    /// Whether the harness put it in, so that nobody said it.
    pub(super) fn is_injected(&self) -> bool {
        self.flags & INJECTED != 0
    }

    /// Whether it says itself that it failed.
    pub(super) fn is_failed(&self) -> bool {
        self.flags & FAILED != 0
    }

    pub(super) fn set_failed(&mut self) {
        self.flags |= FAILED;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_takes_64_bytes_and_gives_back_what_it_was_made_of() {
        assert_eq!(size_of::<CompactStep>(), 64);
        let span = |offset, len| Span { offset, len };
        let draft = Draft::of(Kind::Call, 3, &[]);
        let far = 1 << 40;
        for spans in [
            vec![],
            vec![span(far, 9)],
            vec![span(far, 9), span(far - 7, 3)],
            vec![span(far, 9), span(3, 3)],
            vec![span(far, 9), span(far, 0)],
            vec![span(far, 9), span(far + 4, 1), span(0, 1), span(far, 2)],
        ] {
            let mut compact = CompactStep::new(&draft, 5, 7, &spans, Some(span(far + 20, 24)));
            let expected = if spans.is_empty() { vec![Span::default()] } else { spans.clone() };
            assert_eq!(compact.spans().collect::<Vec<_>>(), expected);
            assert_eq!(compact.time(), Some(span(far + 20, 24)).filter(|_| !spans.is_empty()));
            compact.supersede(span(far + 2, 2));
            assert_eq!(compact.spans().collect::<Vec<_>>(), [expected[0], span(far + 2, 2)]);
        }
        let mut compact = CompactStep::new(&draft, 5, 7, &[span(far, 9)], None);
        assert_eq!(
            (compact.time(), compact.answers(), compact.tokens(), compact.class(), compact.is_failed()),
            (None, None, None, None, false)
        );
        compact.set_answers(Some(0));
        compact.set_tokens(Some(0));
        compact.set_failed();
        assert_eq!(
            (compact.answers(), compact.tokens(), compact.is_failed(), compact.is_injected()),
            (Some(0), Some(0), true, false)
        );
        assert_eq!((compact.record(), compact.place().line, compact.place().span), (5, 7, span(far, 9)));
    }

    #[test]
    fn names_are_kept_once() {
        let mut names = Names::default();
        let (a, b) = (names.number("a"), names.number("b"));
        assert_eq!((names.number("a"), names.get(a), names.get(b), names.get(None)), (a, Some("a"), Some("b"), None));
        (0..70_000).for_each(|n| {
            names.number(&n.to_string());
        });
        assert_eq!((names.number("c"), names.get(b)), (None, Some("b")));
    }
}
