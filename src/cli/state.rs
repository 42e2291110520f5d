//! `obelus state`: what holds after a step.

use super::args::{StepQuery, parsed};
use super::digested;
use super::open::Opened;
use super::out::{Out, Tone, answer};
use super::{Command, Stop};
use crate::format::{Filler, Instances};
use crate::json;
use crate::model::{Identity, Problem};
use crate::panes::properties;
use crate::state::{IdentityView, NodeId};
use clap::{ArgMatches, Args};

pub(super) const COMMAND: Command = Command { name: "state", describe: Options::augment_args, run };

/// Print the merged state after a step
#[derive(Debug, Args)]
struct Options {
    #[command(flatten)]
    question: StepQuery,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let opened = options.question.open_state(out)?;
    if options.question.json {
        out.json(&answer(&opened.header(), &opened.run.state(opened.step, opened.bytes())))?;
    } else {
        show(&opened, out)?;
    }
    Ok(0)
}

/// Each identity under a heading of its own, as JSON of two spaces a level.
fn show(opened: &Opened, out: &mut Out) -> Result<(), Stop> {
    let tree = opened.run.tree();
    let config = opened.run.config(opened.step, opened.bytes());
    if let Some((at, text)) = &config {
        out.line(&format!("config of the request @{at}"))?;
        put_json(text, out)?;
    }
    // What a run with calls removed is not there any more; a runtime's identities stay, without a value.
    let has_value = |view: &IdentityView| view.shape.is_some() || opened.run.work().is_none();
    for (i, view) in tree.identities(opened.step).into_iter().filter(has_value).enumerate() {
        if i > 0 || config.is_some() {
            out.line("")?;
        }
        let description = opened.run.description(view.id, opened.step, opened.bytes());
        let description = description.map_or_else(String::new, |text| format!("  {text}"));
        let heading = heading(tree.identity(view.id), opened.run.instances());
        out.styled(&[(Tone::Path, &heading), (Tone::Dim, &description)])?;
        if let Some(field) = opened.run.route(view.id, opened.step) {
            out.line(&format!("route: {} → {field}", tree.identity(view.id).kind))?;
        }
        let with_texts = view.root.map(|root| with_texts(opened, root)).transpose()?.flatten();
        if let Some(text) = with_texts {
            out.text(&text)?;
        } else if let Some(text) = view.root.and_then(|root| tree.text(root, opened.step, opened.bytes())) {
            put_json(&text, out)?;
        }
        for line in properties::missing_lines(opened.run.as_ref(), &view, opened.step, opened.bytes()) {
            out.line(&line)?;
        }
    }
    show_conversation(opened, out)
}

/// S22: the fields of the conversation, each with what fills it.
fn show_conversation(opened: &Opened, out: &mut Out) -> Result<(), Stop> {
    let fields = opened.run.conversation(opened.step, opened.bytes());
    if fields.is_empty() {
        return Ok(());
    }
    if !opened.run.tree().identities(opened.step).is_empty() {
        out.line("")?;
    }
    out.line("conversation")?;
    for field in fields {
        let from = match &field.filler {
            Filler::Slot(name) => format!("{name} @{}", field.step),
            Filler::Request(member) => format!("route: {member} of the pipeline @{} → {}", field.step, field.name),
        };
        out.line(&format!("{}: {}  ({from})", field.name, field.value))?;
    }
    Ok(())
}

/// A JSON text with two spaces a level.
fn put_json(text: &str, out: &mut Out) -> Result<(), Stop> {
    let value = json::parse(text).map_err(|e| Problem::unreadable(e.to_string()))?;
    Ok(out.text(&format!("{}\n", json::pretty(&value)))?)
}

/// The slots of an identity of which some are digests, each with the text in its place; None: none is a digest.
fn with_texts(opened: &Opened, root: NodeId) -> Result<Option<String>, Problem> {
    let mut has_text = false;
    let mut slots = Vec::new();
    for leaf in opened.run.tree().leaves(root, opened.step) {
        let value = leaf.value.text(opened.bytes())?;
        let text = digested::shown(opened, &value, leaf.step);
        has_text |= text.is_some();
        let name: Vec<String> = leaf.path.iter().map(ToString::to_string).collect();
        slots.push(format!("  {}: {}", json::quote(&name.join(".")), text.unwrap_or_else(|| value.into_owned())));
    }
    Ok(has_text.then(|| format!("{{\n{}\n}}\n", slots.join(",\n"))))
}

/// `¶kind (instance)`; a slot name is alone.
fn heading(identity: &Identity, instances: Instances) -> String {
    match (&identity.instance, instances) {
        (_, Instances::Absent) => identity.kind.clone(),
        (Some(instance), _) => format!("¶{} ({instance})", identity.kind),
        (None, _) => format!("¶{}", identity.kind),
    }
}
