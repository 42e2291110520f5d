//! A step with the calls and results that belong to it, as a reading.

use super::builder::Builder;
use super::call::{self, Ground, language_of};
use super::line::{CODE_TABS, Lead, ReadingLine};
use super::output::{self, Expected};
use super::{Reading, markdown};
use crate::format::Run;
use crate::json;
use crate::model::{ActionLine, Attachment, Bytes, StepNo, StepRole, ToolCall, ToolResult, Turn, TurnPart};
use crate::panes::call_rows::results_of;
use crate::panes::step_row;
use crate::rules::work::{Dialect, Outcome, action_line, printed};
use crate::text::{PromptPiece, Role, SafeText, cut, prompt_pieces, size_text};

/// Most cells of what a call is about in a heading above the call, which is whole.
const HEADING_CELLS: usize = 60;

/// A step, and the steps shown below it: the results of its calls, or the call of its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The step.
    pub step: StepNo,
    /// The results of its calls.
    pub results: Vec<StepNo>,
    /// The call that it answers.
    pub call: Option<StepNo>,
}

impl Step {
    /// What belongs to a step; nothing is read.
    #[must_use]
    pub fn of(run: &dyn Run, step: StepNo) -> Self {
        let results: Vec<StepNo> = results_of(run, step).collect();
        let call = run.answers(step).filter(|call| *call < step);
        Self { step, results, call }
    }

    /// Bytes that a reading of it reads.
    #[must_use]
    pub fn size(&self, run: &dyn Run) -> u64 {
        let all = self.results.iter().chain(&self.call).chain([&self.step]);
        all.filter_map(|step| run.place(*step)).map(|place| place.place.span.len).sum()
    }

    /// The reading; None where the format does not know its messages so. `folder` is what all paths of the run begin
    /// with.
    #[must_use]
    pub fn read(&self, run: &dyn Run, bytes: &dyn Bytes, folder: &str) -> Option<Reading> {
        let turn = run.turn(self.step, bytes)?;
        let turn = whole_record(run, bytes, self.step, &turn).unwrap_or(turn);
        let results: Vec<(StepNo, Turn<'static>)> =
            self.results.iter().filter_map(|step| Some((*step, run.turn(*step, bytes)?))).collect();
        let mut writer = Writer { out: Builder::default(), run, folder, dialect: Dialect::default(), tail: Vec::new() };
        writer.dialect = run.work().map(|work| work.dialect()).unwrap_or_default();
        let call = self.call.and_then(|step| Some((step, run.turn(step, bytes)?)));
        let called = call.as_ref().and_then(|(_, turn)| turn.calls().next());
        writer.turn(self.step, &turn, &results, called);
        if let Some((step, turn)) = &call {
            writer.asked(*step, turn);
        }
        Some(writer.out.reading)
    }
}

/// A record that is not a message, whose members are named in its row as far as there is room, or not at all: all of
/// it, as JSON.
fn whole_record(run: &dyn Run, bytes: &dyn Bytes, step: StepNo, turn: &Turn<'_>) -> Option<Turn<'static>> {
    let text = match turn.parts.as_slice() {
        [] => "",
        [TurnPart::Text(text)] => text.trim_end(),
        _ => return None,
    };
    // Of members in brackets the end is cut, too.
    let is_cut = text.is_empty() || text.trim_end_matches(')').ends_with('…');
    if !is_cut || run.step(step, bytes).kind != "state" {
        return None;
    }
    let span = run.place(step)?.place.span;
    let text = String::from_utf8(bytes.read(span).ok()?).ok().filter(|text| json::parse(text).is_ok())?;
    Some(Turn::of(turn.role, vec![TurnPart::Text(text.into())]))
}

fn is_blank(part: &TurnPart<'_>) -> bool {
    matches!(part, TurnPart::Text(text) if text.trim().is_empty())
}

/// Whether the text of a turn begins with what the program put in, which has a heading that says so.
fn reports_injection(turn: &Turn<'_>) -> bool {
    let Some(TurnPart::Text(text)) = turn.parts.first() else { return false };
    let has_prompt = matches!(turn.role, StepRole::User | StepRole::System);
    has_prompt && matches!(prompt_pieces(text).first(), Some(PromptPiece::Injected(..)))
}

struct Writer<'w> {
    out: Builder,
    run: &'w dyn Run,
    folder: &'w str,
    dialect: Dialect,
    /// Results that were shown.
    tail: Vec<(StepNo, usize)>,
}

impl Writer<'_> {
    fn turn(
        &mut self,
        step: StepNo,
        turn: &Turn<'_>,
        results: &[(StepNo, Turn<'static>)],
        called: Option<&ToolCall<'static>>,
    ) {
        let calls = turn.calls().count();
        if turn.is_injected && !reports_injection(turn) {
            self.out.line(ReadingLine::of(Role::Dim, "put in by the harness"));
        }
        if turn.parts.iter().all(is_blank) && results.is_empty() {
            self.out.remark("The log has no text of this message; {raw} shows its record.");
        }
        for part in &turn.parts {
            match part {
                TurnPart::Text(text) => self.text(turn.role, text, called),
                // Encrypted, or left out by the provider.
                TurnPart::Thought(text) if text.trim().is_empty() && turn.parts.len() == 1 => {
                    self.out.remark("The log has no text of this thought; {raw} shows its record.");
                }
                TurnPart::Thought(text) => self.thought(text),
                TurnPart::Call(call) => {
                    let answer = self.answer(results, call, calls);
                    self.call(step, call, calls > 1, answer.map(|(_, result)| &*result.text));
                    if let Some((step, result)) = answer {
                        self.result(step, result, Some(call));
                    }
                }
                TurnPart::Result(result) => self.output(result, called),
                TurnPart::Attachment(file) => self.attachment(file),
            }
        }
        // Results whose calls are not reported.
        for (step, turn) in results {
            for (number, result) in turn.results().enumerate() {
                if !self.tail.contains(&(*step, number)) {
                    self.result(*step, result, None);
                }
            }
            self.others(*step, turn);
        }
    }

    /// What is in the step of a result beside it.
    fn others(&mut self, step: StepNo, turn: &Turn<'_>) {
        let has_result = turn.results().next().is_some();
        if !has_result {
            self.result_heading(step, None);
        }
        for part in &turn.parts {
            match part {
                TurnPart::Text(text) => self.text(turn.role, text, None),
                TurnPart::Attachment(file) => self.attachment(file),
                TurnPart::Thought(text) => self.thought(text),
                TurnPart::Call(_) | TurnPart::Result(_) => {}
            }
        }
    }

    /// The result of a call: the one that names it, or the only one of the only call.
    fn answer<'r>(
        &mut self,
        results: &'r [(StepNo, Turn<'static>)],
        call: &ToolCall<'_>,
        calls: usize,
    ) -> Option<(StepNo, &'r ToolResult<'static>)> {
        let all = results
            .iter()
            .flat_map(|(step, turn)| turn.results().enumerate().map(|(number, result)| (*step, number, result)));
        let left = all.filter(|(step, number, _)| !self.tail.contains(&(*step, *number)));
        let mut left = left.filter(|(_, _, result)| match (&result.id, &call.id) {
            (Some(answered), Some(id)) => answered == id,
            _ => calls == 1,
        });
        let (step, number, result) = left.next()?;
        self.tail.push((step, number));
        Some((step, result))
    }

    fn text(&mut self, who: StepRole, text: &str, called: Option<&ToolCall<'_>>) {
        if text.trim().is_empty() {
            return;
        }
        let is_output = who == StepRole::Environment;
        if matches!(who, StepRole::User | StepRole::System) {
            let pieces = prompt_pieces(text);
            if !matches!(pieces.as_slice(), [PromptPiece::Words(_)]) {
                return self.prompt(pieces);
            }
        }
        let expected = if is_output { self.expected(called) } else { Expected::default() };
        self.out.block("text", text, is_output, |out| match is_output {
            true => output::put(out, text, &expected),
            false if output::put_json(out, text) => {}
            false => markdown::put(out, text.trim_end(), Role::Text),
        });
    }

    /// A prompt of commands, their outputs and what the program put in.
    fn prompt(&mut self, pieces: Vec<PromptPiece<'_>>) {
        let has_output = |piece: &PromptPiece<'_>| match piece {
            PromptPiece::Output(text) | PromptPiece::ErrorOutput(text) => !text.trim().is_empty(),
            _ => true,
        };
        if !pieces.iter().any(has_output) {
            return self.out.line(ReadingLine::of(Role::Dim, "no output"));
        }
        for piece in pieces.into_iter().filter(has_output) {
            match piece {
                PromptPiece::Words(words) => {
                    self.out.block("text", words, false, |out| markdown::put(out, words, Role::Text));
                }
                PromptPiece::Command(command) => {
                    self.out.block("text", &command, false, |out| out.plain(Role::Strong, &command, CODE_TABS));
                }
                PromptPiece::Output(text) => {
                    self.out.block("result", &text, true, |out| output::put(out, &text, &Expected::default()));
                }
                PromptPiece::ErrorOutput(text) => {
                    self.out.heading(vec![(Role::Dim, "error output".to_owned())]);
                    self.out.block("result", &text, true, |out| output::put(out, &text, &Expected::default()));
                }
                PromptPiece::Injected(name, text) => {
                    self.out.heading(vec![(Role::Dim, format!("put in by the harness: {name}"))]);
                    self.aside("notice", text);
                }
            }
        }
    }

    fn thought(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        self.aside("thought", text);
    }

    /// A text that is no word of the conversation.
    fn aside(&mut self, name: &str, text: &str) {
        self.out.block(name, text, true, |out| {
            out.leads.push(Lead::each(Role::Dim, "┊ "));
            markdown::put(out, text.trim_end(), Role::Dim);
            out.leads.pop();
        });
    }

    fn call(&mut self, step: StepNo, call: &ToolCall<'_>, has_heading: bool, result: Option<&str>) {
        if has_heading {
            let spans = self.action(call, "▸ ");
            self.out.heading(spans);
        }
        let ground = Ground { work: self.run.work(), dialect: self.dialect, step };
        call::put(&mut self.out, call, &ground, result);
    }

    fn action(&self, call: &ToolCall<'_>, sign: &str) -> Vec<(Role, String)> {
        let action: ActionLine = action_line(call, self.dialect);
        let mut spans = vec![(Role::Call, sign.to_owned())];
        spans.extend(call::spans(&action, self.folder));
        spans
    }

    /// A result below its call.
    fn result(&mut self, step: StepNo, result: &ToolResult<'_>, call: Option<&ToolCall<'_>>) {
        self.result_heading(step, Some(result));
        self.output(result, call);
    }

    fn result_heading(&mut self, step: StepNo, result: Option<&ToolResult<'_>>) {
        let mut spans = vec![(Role::Result, "◂ result".to_owned()), (Role::Dim, format!(" @{step}"))];
        spans.extend(outcome(self.run.outcome(step)));
        if let Some(ms) = result.and_then(|result| result.ms) {
            spans.push((Role::Dim, format!("  {}.{} s", ms / 1000, ms % 1000 / 100)));
        }
        self.out.heading(spans);
    }

    fn output(&mut self, result: &ToolResult<'_>, call: Option<&ToolCall<'_>>) {
        if result.text.trim().is_empty() {
            return self.out.line(ReadingLine::of(Role::Dim, "no output"));
        }
        let expected = self.expected(call);
        let printed = printed(&result.text);
        let text = printed.as_deref().unwrap_or(&result.text);
        self.out.block("result", text, true, |out| output::put(out, text, &expected));
    }

    /// What the answer of a call may be.
    fn expected(&self, call: Option<&ToolCall<'_>>) -> Expected {
        let Some(call) = call else { return Expected::default() };
        let action = action_line(call, self.dialect);
        let language = if action.is_path { language_of(&action.object) } else { String::new() };
        Expected { language, is_file: action.is_path }
    }

    fn attachment(&mut self, file: &Attachment<'_>) {
        let mut spans = vec![(Role::Strong, format!("▣ {}", file.media_type))];
        if file.bytes > 0 {
            spans.push((Role::Dim, format!("  {}", size_text(file.bytes))));
        }
        spans.extend(file.location.as_ref().map(|place| (Role::Reference, format!("  {place}"))));
        self.out.heading(spans);
    }

    /// The call of a result, below it.
    fn asked(&mut self, step: StepNo, turn: &Turn<'_>) {
        let has_one = turn.calls().count() == 1;
        for call in turn.calls() {
            let mut spans = self.action(call, "▸ ");
            for (_, text) in spans.iter_mut().filter(|(role, _)| *role == Role::Text) {
                let short = cut(&SafeText::of(text), HEADING_CELLS);
                short.as_str().clone_into(text);
            }
            if has_one {
                spans.insert(1, (Role::Dim, format!("@{step} ")));
            }
            self.out.heading(spans);
            self.call(step, call, false, None);
        }
    }
}

/// How a result came out, after its heading.
fn outcome(outcome: Option<Outcome>) -> Vec<(Role, String)> {
    let pieces = step_row::of_result(outcome, None);
    pieces.into_iter().map(|piece| (piece.role, format!(" {}", piece.text))).collect()
}
