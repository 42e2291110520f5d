//! `obelus when`: since when a value is so, and when it was so before.

use super::args::{InstanceOption, StepQuery, parsed};
use super::blame::serialize_credit;
use super::open::{Attributions, Opened};
use super::out::{Out, Tone, answer, at, exact, raw, step_member};
use super::paths::{AskedPath, with_instance};
use super::{Command, Stop};
use crate::format::{Answer, Attribution, Instances};
use crate::ingest::violations_of;
use crate::json::{self, Data, Key};
use crate::model::{Problem, StepNo};
use crate::state::intervals::StepInterval;
use crate::state::{IS_CHECKED, IdentityId, NodeId, Violations};
use crate::text::RegularExpression;
use clap::{ArgGroup, ArgMatches, Args};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use std::collections::HashSet;

pub(super) const COMMAND: Command = Command { name: "when", describe: Options::augment_args, run };

/// Print the steps at which a value meets a condition; status 1 if there are none
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("so").required(true)))]
struct Options {
    #[command(flatten)]
    question: StepQuery,
    /// Path of the value, such as state.user, or state#2.user of an instance
    #[arg(value_name = "PATH")]
    path: String,
    /// It equals this JSON value
    #[arg(long, value_name = "JSON", group = "so", allow_hyphen_values = true)]
    equals: Option<String>,
    /// It matches this regular expression: a string by its text, any other value by its JSON text
    #[arg(long, value_name = "REGEX", group = "so", allow_hyphen_values = true)]
    matches: Option<String>,
    /// It breaks its schema, at the path or below
    #[arg(long, group = "so")]
    invalid: bool,
    /// It changes: each stretch in which it stays the same
    #[arg(long, group = "so")]
    changes: bool,
    #[command(flatten)]
    instance: InstanceOption,
}

/// One stretch of steps, with the value at its beginning and who supplied it.
struct IntervalEntry {
    stretch: StepInterval,
    reference: String,
    instance: Option<Option<String>>,
    /// Whether the reference does not say it.
    names_instance: bool,
    value: Option<Box<RawValue>>,
    step: StepNo,
    attribution: Attribution,
    /// What the schema wants, where that was asked.
    message: Option<String>,
}

impl Serialize for IntervalEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("from", &self.stretch.from)?;
        map.serialize_entry("to", &self.stretch.to)?;
        map.serialize_entry("ref", &self.reference)?;
        if let Some(instance) = &self.instance {
            map.serialize_entry("instance", instance)?;
        }
        if let Some(value) = &self.value {
            map.serialize_entry("value", value)?;
        }
        map.serialize_entry("step", &step_member(self.step))?;
        serialize_credit(&self.attribution, &mut map)?;
        if let Some(message) = &self.message {
            map.serialize_entry("message", message)?;
        }
        map.end()
    }
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let mut wanted = ValueCondition::of(&options)?;
    let opened = options.question.open_state(out)?;
    if options.invalid {
        wanted = ValueCondition::Invalid(Box::new(violations(&opened)?));
    }
    let asked = AskedPath::read(&opened, &options.path, &options.instance)?;
    let entries = entries(&opened, &asked, &wanted)?;
    if options.question.json {
        let mut members: Answer = vec![("ref", raw(asked.path())?)];
        if opened.run.instances() == Instances::Chosen {
            members.push(("instance", raw(&asked.instance())?));
        }
        members.extend([("first", raw(&entries.first())?), ("intervals", raw(&entries)?)]);
        out.json(&answer(&opened.header(), &members))?;
    } else if !entries.is_empty() {
        show(&entries, &asked, out)?;
    } else if !asked.is_unknown() {
        out.line("never")?;
    }
    Ok(u8::from(entries.is_empty()))
}

/// What is asked of the value.
enum ValueCondition {
    Equals(String),
    Matches(Box<RegularExpression>),
    Invalid(Box<Violations>),
    Changes,
}

/// What broke its schema, and when.
fn violations(opened: &Opened) -> Result<Violations, Problem> {
    if !IS_CHECKED {
        return Err(Problem::usage("this build has no feature `schema`: values are not checked against their schemas"));
    }
    if !opened.run.has_schemas() {
        return Err(Problem::usage(format!("no value of this file has a schema (format {})", opened.format())));
    }
    violations_of(opened.run.as_ref(), opened.bytes())
}

impl ValueCondition {
    fn of(options: &Options) -> Result<Self, Problem> {
        match (&options.equals, &options.matches) {
            (Some(text), _) => match json::parse(text) {
                Ok(_) => Ok(Self::Equals(text.clone())),
                Err(error) => {
                    let message = format!("--equals {text} is not valid JSON: {error}");
                    Err(Problem::usage(message).hint("a string wants quotes of its own: --equals '\"done\"'"))
                }
            },
            (_, Some(pattern)) => match RegularExpression::new(pattern) {
                Ok(expression) => Ok(Self::Matches(Box::new(expression))),
                Err(reason) => Err(Problem::usage(format!("--matches is not a regular expression: {reason}"))),
            },
            (None, None) => Ok(Self::Changes),
        }
    }

    /// The stretches, with what the schema says of each where that is asked.
    fn stretches(&self, opened: &Opened, (id, node): (IdentityId, NodeId)) -> Vec<(StepInterval, Option<String>)> {
        let tree = opened.run.tree();
        let stretches = match self {
            Self::Invalid(violations) => return invalid(violations, id, &tree.path(node).1, opened.step),
            Self::Equals(text) => match json::parse(text) {
                Ok(value) => tree.when_equal(node, &value, opened.step),
                Err(_) => Vec::new(),
            },
            Self::Matches(expression) => {
                tree.when_text(node, opened.step, opened.bytes(), |text| is_match(expression, text))
            }
            Self::Changes => tree.when_changed(node, opened.step),
        };
        stretches.into_iter().map(|stretch| (stretch, None)).collect()
    }
}

/// The stretches in which something is wrong at or below a path, each with the first thing that is.
fn invalid(violations: &Violations, id: IdentityId, path: &[Key], last: StepNo) -> Vec<(StepInterval, Option<String>)> {
    let mut out: Vec<(StepInterval, Option<String>)> = Vec::new();
    for one in violations.of(id).iter().filter(|one| one.violation.path.starts_with(path) && one.from <= last) {
        let to = one.until.map(|until| until - 1).filter(|to| *to < last);
        match out.last_mut() {
            // They come in the order of their first steps.
            Some((open, _)) if open.to.is_none_or(|end| one.from <= end + 1) => {
                open.to = open.to.zip(to).map(|(a, b)| a.max(b));
            }
            _ => out.push((StepInterval { from: one.from, to }, Some(one.violation.message.clone()))),
        }
    }
    out
}

fn is_match(expression: &RegularExpression, text: &str) -> bool {
    match json::parse(text).map(|value| value.data) {
        Ok(Data::String(string)) => expression.is_match(&string),
        _ => expression.is_match(text),
    }
}

fn entries(opened: &Opened, asked: &AskedPath, wanted: &ValueCondition) -> Result<Vec<IntervalEntry>, Problem> {
    let tree = opened.run.tree();
    let mut attributions = Attributions::new(opened);
    let (mut entries, mut seen) = (Vec::new(), HashSet::new());
    for (id, path) in &asked.places {
        let Some(node) = tree.node(*id, path).filter(|node| seen.insert(*node)) else { continue };
        for (stretch, message) in wanted.stretches(opened, (*id, node)) {
            entries.push(IntervalEntry { message, ..entry(opened, (*id, node), stretch, &mut attributions)? });
        }
    }
    entries.sort_by_key(|entry| entry.stretch.from);
    Ok(entries)
}

fn entry(
    opened: &Opened,
    (id, node): (IdentityId, NodeId),
    stretch: StepInterval,
    attributions: &mut Attributions<'_>,
) -> Result<IntervalEntry, Problem> {
    let (run, tree) = (opened.run.as_ref(), opened.run.tree());
    let identity = tree.identity(id);
    let step = tree.newest(node, stretch.from).map_or(stretch.from, |(step, _)| step);
    let value = tree.text(node, stretch.from, opened.bytes()).map(exact).transpose()?;
    Ok(IntervalEntry {
        stretch,
        reference: run.reference(identity, &tree.path(node).1),
        instance: (run.instances() != Instances::Absent).then(|| identity.instance.clone()),
        names_instance: run.instances() == Instances::Chosen,
        value,
        step,
        attribution: attributions.get(id, step),
        message: None,
    })
}

/// From, to, who, value; and the reference where there are several, or its instance was not asked for.
fn show(entries: &[IntervalEntry], asked: &AskedPath, out: &mut Out) -> Result<(), Stop> {
    let unasked = |e: &IntervalEntry| e.instance.clone().flatten().filter(|_| !asked.has_instance && e.names_instance);
    let is_other = |e: &IntervalEntry| e.reference != entries[0].reference || e.instance != entries[0].instance;
    let is_named = entries.iter().any(|e| unasked(e).is_some() || is_other(e));
    let rows = entries.iter().map(|entry| {
        let to = match entry.stretch.to {
            Some(to) if to == entry.stretch.from => String::new(),
            Some(to) => format!("to {}", at(to)),
            None => "to the end".to_owned(),
        };
        let who = entry.attribution.who.clone().unwrap_or_default();
        let mut row = vec![(Tone::Step, at(entry.stretch.from)), (Tone::Dim, to), (Tone::Who, who)];
        if is_named {
            row.push((Tone::Path, with_instance(&entry.reference, unasked(entry).as_deref())));
        }
        let why = entry.message.as_ref().map_or(String::new(), |message| format!("  {message}"));
        let value = entry.value.as_ref().map_or(String::new(), |value| format!("{}{why}", value.get()));
        row.push((Tone::Plain, value));
        row
    });
    Ok(out.cells(&rows.collect::<Vec<_>>())?)
}
