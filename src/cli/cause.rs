//! `obelus cause`: where a value came from, hop by hop.

use super::args::{PathQuestion, parsed};
use super::blame::serialize_credit;
use super::open::{Attributions, Opened};
use super::out::{Out, answer, at, exact, raw, step_member};
use super::{Command, Stop};
use crate::format::cause::{Hop, Trail, Written};
use crate::format::{Answer, Attribution, Instances};
use crate::model::{Problem, StepNo};
use crate::state::copy_origin::Copies;
use crate::state::{IdentityId, Leaf};
use clap::{ArgMatches, Args};
use serde::ser::{Serialize, SerializeMap, Serializer};

pub(super) const COMMAND: Command = Command { name: "cause", describe, run };

fn describe(command: clap::Command) -> clap::Command {
    PathQuestion::augment_args(command)
        .about("Print where a value came from, copy by copy; status 1 if it is no value at the step")
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
    let found = leaf(&opened, &options)?;
    let hops = found.as_ref().map_or_else(Vec::new, |(_, leaf)| {
        let written = Written { node: leaf.node, author: leaf.step, value: &leaf.value };
        let copies = Copies::of(opened.run.tree(), [leaf.value.clone()]);
        Trail::new(opened.run.as_ref(), &copies, opened.bytes()).chain(written)
    });
    if options.question.json {
        out.json(&answer(&opened.header(), &members(&opened, &options, found.as_ref(), &hops)?))?;
    } else if let Some((id, leaf)) = &found {
        show(&opened, *id, leaf, &hops, out)?;
    } else {
        out.line(&nothing(&opened, &options)?)?;
    }
    Ok(u8::from(found.is_none()))
}

/// The leaf that is asked for, at the step.
fn leaf(opened: &Opened, options: &PathQuestion) -> Result<Option<(IdentityId, Leaf)>, Problem> {
    let (run, tree) = (opened.run.as_ref(), opened.run.tree());
    let located = run.locate(&options.path, opened.step)?;
    let leaf = |(id, path): &(IdentityId, Vec<_>)| Some((*id, tree.leaf(tree.node(*id, path)?, opened.step)?));
    let is_meant = |id| opened.is_meant(id, options.instance.instance.as_deref());
    Ok(located.iter().filter(|(id, _)| is_meant(*id)).find_map(leaf))
}

/// Why there is no value of which a cause could be told.
fn nothing(opened: &Opened, options: &PathQuestion) -> Result<String, Problem> {
    let (run, tree) = (opened.run.as_ref(), opened.run.tree());
    let located = run.locate(&options.path, opened.step)?;
    let is_meant = |id| opened.is_meant(id, options.instance.instance.as_deref());
    let first = located.iter().filter(|(id, _)| is_meant(*id)).find_map(|(id, path)| {
        let leaf = tree.leaves(tree.node(*id, path)?, opened.step).into_iter().next()?;
        Some(run.reference(tree.identity(*id), &leaf.path))
    });
    Ok(match first {
        Some(first) => format!("there are several values at this step; name one, as {first}"),
        None => "no value there at this step".to_owned(),
    })
}

fn members(
    opened: &Opened,
    options: &PathQuestion,
    found: Option<&(IdentityId, Leaf)>,
    hops: &[Hop],
) -> Result<Answer, Problem> {
    let mut members = vec![("ref", raw(&options.path)?)];
    if opened.run.instances() == Instances::Chosen {
        members.push(("instance", raw(&options.instance.instance)?));
    }
    if let Some((_, leaf)) = found {
        let mut attributions = Attributions::new(opened);
        let chain: Vec<HopMember> = hops.iter().map(|hop| HopMember::of(hop, opened, &mut attributions)).collect();
        members.extend([
            ("value", exact(leaf.value.text(opened.bytes())?.into_owned())?),
            ("wrote", raw(&step_member(leaf.step))?),
            ("chain", raw(&chain)?),
        ]);
    }
    Ok(members)
}

/// The value and who wrote it, then each hop on a line of its own.
fn show(opened: &Opened, id: IdentityId, leaf: &Leaf, hops: &[Hop], out: &mut Out) -> Result<(), Stop> {
    let run = opened.run.as_ref();
    let mut attributions = Attributions::new(opened);
    let by = |attribution: Attribution| attribution.who.map_or_else(String::new, |who| format!(" by {who}"));
    let name = run.reference(run.tree().identity(id), &leaf.path);
    let value = leaf.value.text(opened.bytes())?;
    out.line(&format!("{name}  {value}  {}{}", at(leaf.step), by(attributions.get(id, leaf.step))))?;
    for hop in hops {
        let who = match hop {
            Hop::Value { id, step, .. } => by(attributions.get(*id, *step)),
            Hop::Result { .. } => String::new(),
        };
        out.line(&format!("  = {}{who}", hop.told(run)))?;
    }
    if hops.is_empty() {
        out.line("  first came in here, as far as the run tells")?;
    }
    Ok(())
}
