//! `obelus render`: what the model sees at a step.

use super::args::{StepQuery, parsed};
use super::out::{Out, answer, exact, raw};
use super::{Command, Stop};
use crate::format::ViewEntry;
use crate::model::{Problem, StepNo};
use clap::{ArgMatches, Args};
use serde::Serialize;
use serde_json::value::RawValue;

pub(super) const COMMAND: Command = Command { name: "render", describe: Options::augment_args, run };

/// Print what the model sees after a step
#[derive(Debug, Args)]
struct Options {
    #[command(flatten)]
    question: StepQuery,
    /// The messages of the context one by one as they are written, instead of merged by identity (Agent/Data)
    #[arg(long)]
    raw_messages: bool,
}

/// One message of the view (A26).
#[derive(Serialize)]
struct Message {
    /// With `--raw-messages`: the step of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<StepNo>,
    role: Option<String>,
    content: Box<RawValue>,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let opened = options.question.open(out)?;
    let view = if options.raw_messages {
        opened.run.raw_view(opened.step, opened.bytes()).ok_or_else(|| {
            let name = opened.format();
            Problem::usage(format!("--raw-messages: the format {name} merges no messages"))
                .hint("without it all are printed")
        })?
    } else {
        opened.run.view(opened.step, opened.bytes())
    };
    if options.question.json {
        let message = |entry| message(entry, options.raw_messages);
        let messages = view.into_iter().map(message).collect::<Result<Vec<_>, _>>()?;
        out.json(&answer(&opened.header(), &vec![("messages", raw(&messages)?)]))?;
    } else {
        out.exact(&joined(&view))?;
    }
    Ok(0)
}

fn message(entry: ViewEntry, has_step: bool) -> Result<Message, Problem> {
    let content = match entry.content {
        Some(content) => exact(content)?,
        None => raw(&entry.text)?,
    };
    Ok(Message { step: has_step.then_some(entry.step), role: entry.role, content })
}

/// A27: entries joined by an empty line, a final newline; of no entry nothing.
fn joined(view: &[ViewEntry]) -> String {
    if view.is_empty() {
        return String::new();
    }
    let texts: Vec<&str> = view.iter().map(|entry| entry.text.as_str()).collect();
    format!("{}\n", texts.join("\n\n"))
}
