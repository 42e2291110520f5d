//! Chat templates from files, which are foreign code: they render in a process of their own, so one that fills the
//! memory, overflows the stack or never ends costs its answer and nothing else. The templates known by name are this
//! program's and render where they are asked.

use super::worker::{Ended, Worker, confine, frame};
use crate::json;
use crate::review::{
    ChatTemplate, Conversation, Loss, LossFinding, LossSegment, Template, TemplateFault, TemplateSource, Total, Train,
    loss,
};
use serde::{Deserialize, Serialize};
use std::io::{self, BufReader, BufWriter, ErrorKind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Longest time for one conversation.
const LIMIT: Duration = Duration::from_secs(10);
/// Most memory of a process, in bytes.
const MEMORY_BYTES_MAX: u64 = 1 << 30;
/// Stack of the thread in which templates render, in bytes.
const STACK_BYTES: usize = 64 << 20;
/// Conversations that may end their process before no more are rendered.
const ENDED_MAX: usize = 3;
/// Stands for no limit of tokens.
const NO_LIMIT: u64 = u64::MAX;

/// A template, and the processes that know it.
#[derive(Debug)]
pub(crate) struct TemplateProcess {
    name: String,
    source: TemplateSource,
    idle: Mutex<Vec<Worker>>,
    ended: AtomicUsize,
}

/// An answer as it goes over the pipe.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Answer {
    fault: Option<(Option<usize>, String)>,
    text: String,
    /// Start, end, message, whether it trains, whether it is cut.
    segments: Vec<(usize, usize, Option<usize>, bool, bool)>,
    /// Messages, seen, trained, cut.
    totals: Vec<(String, [usize; 4])>,
    findings: Vec<(String, Option<usize>, String)>,
}

impl TemplateProcess {
    /// A template by its name and what its files have, which is compiled there too: constants are calculated then.
    ///
    /// # Errors
    /// It is not a template, or there is no process.
    pub(crate) fn start(name: &str, source: TemplateSource) -> Result<Self, TemplateFault> {
        let process = Self { name: name.to_owned(), source, idle: Mutex::default(), ended: AtomicUsize::new(0) };
        let worker = process.worker()?;
        process.put_back(worker);
        Ok(process)
    }

    fn put_back(&self, worker: Worker) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
    }

    fn ask(
        worker: &mut Worker,
        (record, number): (&str, u64),
        train: &Train,
        max_tokens: Option<usize>,
    ) -> io::Result<Answer> {
        frame::put_number(max_tokens.map_or(NO_LIMIT, |max| max as u64), &mut worker.to)?;
        frame::put_number(number, &mut worker.to)?;
        frame::put(train.to_string().as_bytes(), &mut worker.to)?;
        frame::put(record.as_bytes(), &mut worker.to)?;
        answer(worker)
    }

    /// A process that knows the template.
    fn worker(&self) -> Result<Worker, TemplateFault> {
        if let Some(worker) = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(worker);
        }
        let none = |e: io::Error| fault(format!("there is no process to render it in: {e}"));
        let mut worker = Worker::start(&["loss", "--worker"]).map_err(none)?;
        let source = serde_json::to_vec(&self.source).map_err(|e| none(e.into()))?;
        let compiled = frame::put(&source, &mut worker.to).and_then(|()| answer(&mut worker));
        match compiled.map_err(|error| ended(error.into()))?.fault {
            None => Ok(worker),
            Some((line, message)) => Err(TemplateFault { line, message }),
        }
    }
}

impl ChatTemplate for TemplateProcess {
    fn name(&self) -> &str {
        &self.name
    }

    fn unknown_tokens(&self) -> Vec<&'static str> {
        self.source.unknown_tokens()
    }

    fn knows_think_tags(&self) -> bool {
        self.source.knows_think_tags()
    }

    fn loss(
        &self,
        record: &str,
        conversation: &Conversation,
        train: &Train,
        max_tokens: Option<usize>,
    ) -> Result<Loss, TemplateFault> {
        if self.ended.load(Ordering::Relaxed) >= ENDED_MAX {
            let message = format!("it was ended for {ENDED_MAX} conversations; no more are rendered");
            return Err(fault(message));
        }
        let mut worker = self.worker()?;
        match Self::ask(&mut worker, (record, conversation.number()), train, max_tokens) {
            Ok(answer) => {
                self.put_back(worker);
                answer.into_loss()
            }
            Err(error) => {
                self.ended.fetch_add(1, Ordering::Relaxed);
                Err(ended(error.into()))
            }
        }
    }
}

fn fault(message: String) -> TemplateFault {
    TemplateFault { line: None, message }
}

fn failed() -> TemplateFault {
    fault("the template engine of this program fails on it".to_owned())
}

/// Why there is no answer.
fn ended(ended: Ended) -> TemplateFault {
    fault(match ended {
        Ended::TimedOut => format!("it took longer than {} s and was ended", LIMIT.as_secs()),
        Ended::Died => "it ended its process: it ran out of memory (1 GiB) or stack".to_owned(),
    })
}

/// Sends what was written, and waits for the answer.
fn answer(worker: &mut Worker) -> io::Result<Answer> {
    worker.to.flush()?;
    worker.wait_for(LIMIT);
    serde_json::from_slice(&frame::get(&mut worker.from)?).map_err(|_| ErrorKind::InvalidData.into())
}

impl Answer {
    fn of(answer: Result<Loss, TemplateFault>) -> Self {
        match answer {
            Err(TemplateFault { line, message }) => Self { fault: Some((line, message)), ..Self::default() },
            Ok(loss) => Self {
                fault: None,
                text: loss.text,
                segments: loss
                    .segments
                    .into_iter()
                    .map(|s| (s.span.start, s.span.end, s.message, s.is_trained, s.is_cut))
                    .collect(),
                totals: loss
                    .totals
                    .into_iter()
                    .map(|(role, t)| (role, [t.messages, t.seen, t.trained, t.cut]))
                    .collect(),
                findings: loss.findings.into_iter().map(|f| (f.rule.to_owned(), f.message, f.text)).collect(),
            },
        }
    }

    /// The answer as it was. A process of foreign code may write anything: its places are looked at first.
    fn into_loss(self) -> Result<Loss, TemplateFault> {
        if let Some((line, message)) = self.fault {
            return Err(TemplateFault { line, message });
        }
        let is_place = |at: &usize| self.text.is_char_boundary(*at);
        if !self.segments.iter().all(|(start, end, ..)| start <= end && is_place(start) && is_place(end)) {
            return Err(TemplateFault {
                line: None,
                message: "its process gave no answer that can be read".to_owned(),
            });
        }
        let segment = |(start, end, message, is_trained, is_cut): (usize, usize, _, _, _)| LossSegment {
            span: start..end,
            message,
            is_trained,
            is_cut,
        };
        let total = |(role, [messages, seen, trained, cut]): (String, [usize; 4])| {
            (role, Total { messages, seen, trained, cut })
        };
        let finding = |(rule, message, text): (String, Option<usize>, String)| {
            Some(LossFinding { rule: LossFinding::rule_of(&rule)?, message, text })
        };
        let segments = self.segments.into_iter().map(segment).collect();
        let totals = self.totals.into_iter().map(total).collect();
        let findings = self.findings.into_iter().filter_map(finding).collect();
        Ok(Loss::new(self.text, segments, totals, findings))
    }
}

/// Answers until the input ends: the work of the process itself; the exit status.
///
/// # Errors
/// There is no thread to run in.
pub(crate) fn work() -> io::Result<u8> {
    confine(MEMORY_BYTES_MAX)?;
    let thread = std::thread::Builder::new().name("template".to_owned()).stack_size(STACK_BYTES).spawn(serve)?;
    Ok(u8::from(!matches!(thread.join(), Ok(Ok(())))))
}

/// The template, then conversation by conversation what to do with it, and the answer.
fn serve() -> io::Result<()> {
    let (mut from, mut to) = (BufReader::new(io::stdin()), BufWriter::new(io::stdout()));
    let source: TemplateSource = serde_json::from_slice(&frame::get(&mut from)?)?;
    let template = Template::new("", &source);
    let fault = template.as_ref().err().map(|fault| (fault.line, fault.message.clone()));
    let compiled = Answer { fault, ..Answer::default() };
    frame::put(&serde_json::to_vec(&compiled)?, &mut to)?;
    to.flush()?;
    while let Some(max_tokens) = frame::number_or_end(&mut from)? {
        let number = frame::number(&mut from)?;
        let (train, record) = (frame::text(&mut from)?, frame::text(&mut from)?);
        let conversation = json::parse(&record).ok().and_then(|record| Conversation::of_number(&record, number));
        let answer = match (&template, conversation) {
            (Err(fault), _) => Err(fault.clone()),
            (_, None) => Err(TemplateFault { line: None, message: "the record is not a conversation".to_owned() }),
            (Ok(template), Some(conversation)) => {
                let max_tokens = usize::try_from(max_tokens).ok().filter(|_| max_tokens != NO_LIMIT);
                let train = Train::parse(&train).unwrap_or_default();
                let rendered = || loss(&conversation, template, &train, max_tokens);
                // The engine has places where odd templates make it panic.
                catch_unwind(AssertUnwindSafe(rendered)).unwrap_or_else(|_| Err(failed()))
            }
        };
        let answer = serde_json::to_vec(&Answer::of(answer))?;
        frame::put(&answer, &mut to)?;
        to.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_goes_over_the_pipe_as_it_is() {
        let record = r#"{"messages":[{"role":"user","content":"é"},{"role":"assistant","content":"b"}]}"#;
        let conversation = Conversation::of_number(&json::parse(record).unwrap(), 0).unwrap();
        let template = Template::named("chatml").unwrap();
        for train in [Train::Marked, Train::Agent, Train::NoneOf("assistant".to_owned())] {
            assert_eq!(Train::parse(&train.to_string()), Some(train.clone()));
            let expect = loss(&conversation, &template, &train, Some(3)).unwrap();
            let bytes = serde_json::to_vec(&Answer::of(Ok(expect.clone()))).unwrap();
            let read: Answer = serde_json::from_slice(&bytes).unwrap();
            assert_eq!(read.into_loss().unwrap(), expect);
        }
        let wrong = Answer { text: "é".to_owned(), segments: vec![(0, 1, None, false, false)], ..Answer::default() };
        assert!(wrong.into_loss().is_err());
    }
}
