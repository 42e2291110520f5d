//! `obelus loss`: what a model would see of a conversation, and which parts of that would train it. Status 1 if there
//! is something to look at.

use super::args::{FileName, FormatOption, parsed};
use super::chat_template::template;
use super::out::{Out, Tone, plain, raw};
use super::tokenizer::TokenizerOption;
use super::{Command, Stop, load};
use crate::format::Layout;
use crate::json;
use crate::model::{Problem, Severity, lossy};
use crate::review::{Conversation, Loss, LossFinding, LossSegment, Setting, Total, Train};
use crate::shell::chat;
use crate::source::RecordReader;
use clap::{ArgMatches, Args};
use serde::Serialize;

pub(super) const COMMAND: Command = Command { name: "loss", describe: Options::augment_args, run };

/// Print a conversation as the model would see it, and which parts train; status 1 if there is something to look at
#[derive(Debug, Args)]
struct Options {
    /// File to read; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    file: Option<FileName>,
    #[command(flatten)]
    format: FormatOption,
    /// Trajectory of a file that holds several, from 0
    #[arg(long, value_name = "R", default_value_t = 0)]
    record: usize,
    /// Which conversation of a record that holds several: chosen or rejected of a preference pair, or such as
    /// `completion 1`
    #[arg(long, value_name = "NAME")]
    answer: Option<String>,
    /// Chat template: chatml, deepseek-v3, gemma, glm-4.5, gpt-oss, llama-3, llama-3.1, mistral, mistral-v13, qwen,
    /// qwen3, zephyr, a Jinja file, a tokenizer_config.json, or the folder of a tokenizer; FILE#NAME is one of a list
    /// of templates
    #[arg(long, value_name = "NAME|FILE", default_value = "chatml")]
    template: String,
    /// Value of a variable of the template, such as enable_thinking=false: JSON, else text; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = Setting::parse)]
    settings: Vec<Setting>,
    /// Messages that train, if no field of theirs decides it: marked (by `{% generation %}` blocks of
    /// the template; by one without such blocks the agent's), agent, last, all, or none-of:ROLE
    #[arg(long, value_name = "WHICH", default_value = "marked", value_parser = train)]
    train: Train,
    /// Tokens that the model sees, by estimate of four bytes each or by --tokenizer; what follows is cut
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,
    #[command(flatten)]
    tokenizer: TokenizerOption,
    /// Print JSON: one value
    #[arg(long)]
    json: bool,
    /// Be the process in which a template renders
    #[arg(long, hide = true, exclusive = true)]
    worker: bool,
}

#[derive(Serialize)]
struct RoleMember<'a> {
    role: &'a str,
    messages: usize,
    seen: usize,
    trained: usize,
    cut: usize,
    tokens: TokensMember,
}

#[derive(Serialize)]
struct TokensMember {
    seen: usize,
    trained: usize,
    cut: usize,
}

#[derive(Serialize)]
struct SegmentMember<'a> {
    message: Option<usize>,
    role: Option<&'a str>,
    offset: usize,
    bytes: usize,
    trained: bool,
    cut: bool,
    by: Option<&'static str>,
    text: &'a str,
}

#[derive(Serialize)]
struct FindingMember<'a> {
    rule: &'static str,
    severity: Severity,
    message: Option<usize>,
    text: &'a str,
}

pub(super) fn train(text: &str) -> Result<Train, String> {
    Train::parse(text).ok_or_else(|| "marked, agent, last, all, or none-of:ROLE".to_owned())
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let (Some(file), false) = (&options.file, options.worker) else {
        return Ok(chat::work().map_err(|e| Problem::unreadable(format!("no thread to run in: {e}")))?);
    };
    let template = options.tokenizer.counting(template(&options.template, &options.settings)?)?;
    let (text, conversation) = conversation(&options, file, out)?;
    let answer = template.loss(&text, &conversation, &options.train, options.max_tokens).map_err(|fault| {
        let message = format!("record {} of {file} with template {}: {fault}", options.record, template.name());
        Problem::usage(message).hint("try another template with --template")
    })?;
    if options.json {
        write_json((&options, file), template.name(), &conversation, &answer, out)?;
    } else {
        write_report(template.name(), (&options, file), (&conversation, &answer), out)?;
    }
    Ok(u8::from(!answer.findings.is_empty()))
}

/// The text of the record that was asked for, and the conversation.
fn conversation(options: &Options, file: &FileName, out: &mut Out) -> Result<(String, Conversation), Problem> {
    let loaded = load(file, options.format.forced(), out)?;
    let Some(record) = loaded.records()?.get(options.record) else {
        let message = format!("{file} has no record {}", options.record);
        return Err(Problem::usage(message).hint(format!("it has {}, counted from 0", loaded.records()?.len())));
    };
    let mut reader = RecordReader::new(&loaded.input);
    let text = lossy(reader.text(&record)?).into_owned();
    let at = format!("record {} of {file}", options.record);
    let value = json::parse(&text)
        .map_err(|e| Problem::usage(format!("{at} is not valid JSON: {} at byte {} of it", e.message, e.byte)))?;
    let all = Conversation::all(&value, loaded.detected.format.way());
    drop(value);
    if all.is_empty() && loaded.detected.format.layout() == Layout::Run {
        let hint = format!("`obelus export {file} --to messages --out train.jsonl` makes records of a log that are");
        return Err(Problem::usage(format!("{at} is not a conversation")).hint(hint));
    }
    let conversation = answer(all, options.answer.as_deref(), &at)?;
    Ok((text, conversation))
}

/// The conversation of that name, else the first.
fn answer(all: Vec<Conversation>, wanted: Option<&str>, at: &str) -> Result<Conversation, Problem> {
    if all.is_empty() {
        let hint = "it needs `messages` or `conversations` of at least one message, or Agent Data Protocol items";
        return Err(Problem::usage(format!("{at} is not a conversation")).hint(hint));
    }
    let names: Vec<String> = all.iter().filter_map(|conversation| conversation.label.clone()).collect();
    let is_wanted = |conversation: &Conversation| wanted.is_none_or(|name| conversation.label.as_deref() == Some(name));
    all.into_iter().find(is_wanted).ok_or_else(|| {
        let problem = Problem::usage(format!("{at} has no conversation `{}`", wanted.unwrap_or_default()));
        problem.hint(match names.as_slice() {
            [] => "it is one conversation, which has no name".to_owned(),
            names => format!("it has: {}", names.join(", ")),
        })
    })
}

fn write_json(
    (options, file): (&Options, &FileName),
    template: &str,
    conversation: &Conversation,
    answer: &Loss,
    out: &mut Out,
) -> Result<(), Stop> {
    let role = |((role, total), (_, tokens)): (&(String, Total), &(String, Total))| {
        let tokens = TokensMember { seen: tokens.seen, trained: tokens.trained, cut: tokens.cut };
        let Total { messages, seen, trained, cut } = *total;
        raw(&RoleMember { role, messages, seen, trained, cut, tokens })
    };
    let counted = answer.token_totals();
    let roles = answer.totals.iter().zip(&counted).map(role).collect::<Result<Vec<_>, _>>()?;
    let segment = |segment: &LossSegment| {
        let message = segment.message.and_then(|i| conversation.messages.get(i));
        SegmentMember {
            message: segment.message,
            role: message.map(|message| message.role.as_str()),
            offset: segment.span.start,
            bytes: segment.span.len(),
            trained: segment.is_trained,
            cut: segment.is_cut,
            by: message.and_then(|message| message.field).map(|(name, _)| name),
            text: &answer.text[segment.span.clone()],
        }
    };
    let finding = |f: &LossFinding| {
        raw(&FindingMember { rule: f.rule, severity: f.severity(), message: f.message, text: &f.text })
    };
    let segments: Vec<SegmentMember<'_>> = answer.segments.iter().map(segment).collect();
    let findings = answer.findings.iter().map(finding).collect::<Result<Vec<_>, _>>()?;
    let members = vec![
        ("file", raw(&file.text())?),
        ("record", raw(&options.record)?),
        ("answer", raw(&conversation.label)?),
        ("template", raw(template)?),
        ("bytes", raw(&answer.text.len())?),
        ("tokens", raw(&answer.token_count())?),
        ("tokens_counted", raw(&answer.is_counted())?),
        ("max_tokens", raw(&options.max_tokens)?),
        ("roles", raw(&roles)?),
        ("segments", raw(&segments)?),
        ("findings", raw(&findings)?),
    ];
    Ok(out.json(&plain(&members))?)
}

fn write_report(
    template: &str,
    (options, file): (&Options, &FileName),
    (conversation, answer): (&Conversation, &Loss),
    out: &mut Out,
) -> Result<(), Stop> {
    let of = conversation.label.as_ref().map_or_else(String::new, |label| format!(" ({label})"));
    let head = format!("{file} record {}{of} with template {template}", options.record);
    out.styled(&[(Tone::Strong, &head)])?;
    for line in answer.lines() {
        if out.is_coloured() {
            let pieces: Vec<(Tone, &str)> = line.iter().map(|(segment, text)| (tone(segment), *text)).collect();
            out.styled(&pieces)?;
        } else {
            signed(&line, out)?;
        }
    }
    out.line("")?;
    let about = if answer.is_counted() { "" } else { "≈" };
    let tokens = |count: usize| format!("{about}{count}");
    let mut rows = vec![["role", "messages", "seen", "trained", "cut"].map(str::to_owned).to_vec()];
    rows.extend(answer.token_totals().iter().map(|(role, total)| {
        let numbers = [total.seen, total.trained, total.cut].map(tokens);
        [vec![role.clone(), total.messages.to_string()], numbers.to_vec()].concat()
    }));
    out.table(&rows)?;
    for finding in &answer.findings {
        let at = finding.message.map_or(String::new(), |message| format!("message {message}: "));
        out.styled(&[(Tone::Warning, finding.rule), (Tone::Plain, &format!("  {at}{}", finding.text))])?;
    }
    Ok(())
}

fn tone(segment: &LossSegment) -> Tone {
    match (segment.is_cut, segment.is_trained) {
        (true, _) => Tone::Error,
        (_, true) => Tone::Good,
        _ => Tone::Dim,
    }
}

/// A line without colours: a row for each part of it, with a sign: `+` trains, `|` is seen only, `x` is cut; `>` after
/// it goes on with the line.
fn signed(line: &[(&LossSegment, &str)], out: &mut Out) -> Result<(), Stop> {
    for (i, (segment, text)) in line.iter().enumerate().filter(|(i, (_, text))| *i == 0 || !text.is_empty()) {
        let sign = match (segment.is_cut, segment.is_trained) {
            (true, _) => 'x',
            (_, true) => '+',
            _ => '|',
        };
        out.line(&format!("{sign}{} {text}", if i > 0 { '>' } else { ' ' }))?;
    }
    Ok(())
}
