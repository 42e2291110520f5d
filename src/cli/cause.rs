//! `obelus cause`: where a value came from, hop by hop.

use super::args::{PathQuestion, parsed};
use super::blame::serialize_credit;
use super::open::{Attributions, Opened};
use super::out::{Out, Tone, answer, at, exact, raw, step_member};
use super::paths::AskedPath;
use super::{Command, Stop};
use crate::format::cause::{Hop, Trail, ValueWrite};
use crate::format::{Answer, Attribution, Instances};
use crate::model::{Problem, StepNo};
use crate::state::copy_origin::Copies;
use crate::state::{IdentityId, Leaf};
use clap::{ArgMatches, Args};
use serde::ser::{Serialize, SerializeMap, Serializer};

pub(super) const COMMAND: Command = Command { name: "cause", describe, run };

fn describe(command: clap::Command) -> clap::Command {
    PathQuestion::augment_args(command)
        .about("Print where a value came from, copy by copy; status 1 if the path has no value at the step")
}

/// A hop back, for `--json` (also a member of the events of `history`).
pub(super) struct HopMember {
    name: &'static str,
    reference: Option<String>,
    /// None: the format knows no instances, or the hop has none.
    instance: Option<Option<String>>,
    step: StepNo,
    call: Option<StepNo>,
    attribution: Attribution,
}

impl HopMember {
    /// A hop of a trajectory.
    pub(super) fn of(hop: &Hop, opened: &Opened, attributions: &mut Attributions<'_>) -> Self {
        let run = opened.run.as_ref();
        match hop {
            Hop::Value { id, path, step, .. } => {
                let identity = run.tree().identity(*id);
                Self {
                    name: "value",
                    reference: Some(run.reference(identity, path)),
                    instance: (run.instances() != Instances::Absent).then(|| identity.instance.clone()),
                    step: *step,
                    call: None,
                    attribution: attributions.get(*id, *step),
                }
            }
            Hop::Result { step, call } => Self {
                name: "result",
                reference: None,
                instance: None,
                step: *step,
                call: *call,
                attribution: Attribution::default(),
            },
        }
    }
}

impl Serialize for HopMember {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("from", self.name)?;
        if let Some(reference) = &self.reference {
            map.serialize_entry("ref", reference)?;
        }
        if let Some(instance) = &self.instance {
            map.serialize_entry("instance", instance)?;
        }
        map.serialize_entry("step", &step_member(self.step))?;
        if let Some(call) = self.call {
            map.serialize_entry("call", &call)?;
        }
        serialize_credit(&self.attribution, &mut map)?;
        map.end()
    }
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: PathQuestion = parsed(matches)?;
    let opened = options.question.open_state(out)?;
    let asked = AskedPath::read(&opened, &options.path, &options.instance)?;
    let found = trace_values(&opened, &asked);
    if options.question.json {
        out.json(&answer(&opened.header(), &members(&opened, &asked, &found)?))?;
    } else {
        found.iter().try_for_each(|found| show(&opened, found, &asked, out))?;
        if found.is_empty() && !asked.is_unknown() {
            out.line(&nothing(&opened, &asked))?;
        }
    }
    Ok(u8::from(found.is_empty()))
}

/// A value that was asked for, and where it came from.
struct TracedValue {
    id: IdentityId,
    leaf: Leaf,
    hops: Vec<Hop>,
}

/// The values that are asked for at the step: the first of each identity, the global one first.
fn trace_values(opened: &Opened, asked: &AskedPath) -> Vec<TracedValue> {
    let (run, tree) = (opened.run.as_ref(), opened.run.tree());
    let mut leaves: Vec<(IdentityId, Leaf)> = Vec::new();
    for (id, path) in &asked.places {
        let leaf = tree.node(*id, path).and_then(|node| tree.leaf(node, opened.step));
        leaves.extend(leaf.filter(|_| leaves.last().is_none_or(|(other, _)| other != id)).map(|leaf| (*id, leaf)));
    }
    // One look through all versions serves all values.
    let copies = Copies::of(tree, leaves.iter().map(|(_, leaf)| leaf.value.clone()));
    let mut trail = Trail::new(run, &copies, opened.bytes());
    let found = leaves.into_iter().map(|(id, leaf)| {
        let hops = trail.chain(ValueWrite { node: leaf.node, author: leaf.step, value: &leaf.value });
        TracedValue { id, leaf, hops }
    });
    found.collect()
}

/// Why there is no value of which a cause could be reported.
fn nothing(opened: &Opened, asked: &AskedPath) -> String {
    let (run, tree) = (opened.run.as_ref(), opened.run.tree());
    let first = asked.places.iter().find_map(|(id, path)| {
        let leaf = tree.leaves(tree.node(*id, path)?, opened.step).into_iter().next()?;
        Some(run.reference(tree.identity(*id), &leaf.path))
    });
    match first {
        Some(first) => format!("there are several values at this step; name one, as {first}"),
        None => "no value there at this step".to_owned(),
    }
}

/// The first value that was found; those of further instances are in `also`.
fn members(opened: &Opened, asked: &AskedPath, found: &[TracedValue]) -> Result<Answer, Problem> {
    let mut members = vec![("ref", raw(asked.path())?)];
    if opened.run.instances() == Instances::Chosen {
        let instance = found.first().and_then(|found| opened.run.tree().identity(found.id).instance.as_deref());
        members.push(("instance", raw(&asked.instance().or(instance))?));
    }
    let Some((first, others)) = found.split_first() else { return Ok(members) };
    let mut attributions = Attributions::new(opened);
    members.extend(value_members(opened, first, &mut attributions)?);
    if !others.is_empty() {
        let also: Vec<String> = others
            .iter()
            .map(|found| {
                let identity = opened.run.tree().identity(found.id);
                let mut members = vec![("ref", raw(&opened.run.reference(identity, &found.leaf.path))?)];
                members.push(("instance", raw(&identity.instance)?));
                members.extend(value_members(opened, found, &mut attributions)?);
                let members = members.iter().map(|(name, value)| format!("\"{name}\":{}", value.get()));
                Ok(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
            })
            .collect::<Result<_, Problem>>()?;
        members.push(("also", exact(format!("[{}]", also.join(",")))?));
    }
    Ok(members)
}

fn value_members(opened: &Opened, found: &TracedValue, attributions: &mut Attributions<'_>) -> Result<Answer, Problem> {
    let chain: Vec<HopMember> = found.hops.iter().map(|hop| HopMember::of(hop, opened, attributions)).collect();
    Ok(vec![
        ("value", exact(found.leaf.value.text(opened.bytes())?.into_owned())?),
        ("wrote", raw(&step_member(found.leaf.step))?),
        ("chain", raw(&chain)?),
    ])
}

/// The value and who wrote it, then each hop on a line of its own.
fn show(opened: &Opened, found: &TracedValue, asked: &AskedPath, out: &mut Out) -> Result<(), Stop> {
    let (run, TracedValue { id, leaf, hops }) = (opened.run.as_ref(), found);
    let mut attributions = Attributions::new(opened);
    let by = |attribution: Attribution| attribution.who.map_or_else(String::new, |who| format!(" by {who}"));
    let identity = run.tree().identity(*id);
    let name = if asked.has_instance {
        run.reference(identity, &leaf.path)
    } else {
        run.qualified_reference(identity, &leaf.path)
    };
    let value = leaf.value.text(opened.bytes())?;
    let who = by(attributions.get(*id, leaf.step));
    out.styled(&[
        (Tone::Path, &name),
        (Tone::Plain, &format!("  {value}  ")),
        (Tone::Step, &at(leaf.step)),
        (Tone::Who, &who),
    ])?;
    for hop in hops {
        let who = match hop {
            Hop::Value { id, step, .. } => by(attributions.get(*id, *step)),
            Hop::Result { .. } => String::new(),
        };
        out.line(&format!("  = {}{who}", hop.describe(run)))?;
    }
    if hops.is_empty() {
        out.line("  no earlier copy found: the value first appears here")?;
    }
    Ok(())
}
