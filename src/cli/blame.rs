//! `obelus blame`: who wrote each leaf of the state.

use super::args::{InstanceOption, Question, parsed};
use super::blame_file::answer_file;
use super::digested;
use super::open::{Attributions, Opened};
use super::out::{Out, answer, at, exact, raw, step_member};
use super::{Command, Stop};
use crate::format::{Attribution, Instances};
use crate::json::Key;
use crate::model::{Problem, StepNo};
use crate::state::{IdentityId, NodeId};
use clap::{ArgMatches, Args};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

pub(super) const COMMAND: Command = Command { name: "blame", describe: Options::augment_args, run };

/// Print which step wrote each value of the state
#[derive(Debug, Args)]
struct Options {
    #[command(flatten)]
    question: Question,
    /// Reference to the values wanted, as †state.user [default: all]
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// File that the run knew, by its path or the end of it: print who wrote or first showed each of its lines
    #[arg(long = "file", value_name = "PATH", conflicts_with_all = ["path", "instance"])]
    known_file: Option<String>,
    #[command(flatten)]
    instance: InstanceOption,
}

/// One leaf and where it comes from (A28).
struct Entry {
    reference: String,
    /// None: the format knows no instances.
    instance: Option<Option<String>>,
    value: Box<RawValue>,
    step: StepNo,
    changed: StepNo,
    attribution: Attribution,
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("ref", &self.reference)?;
        if let Some(instance) = &self.instance {
            map.serialize_entry("instance", instance)?;
        }
        map.serialize_entry("value", &self.value)?;
        map.serialize_entry("step", &step_member(self.step))?;
        map.serialize_entry("changed", &step_member(self.changed))?;
        serialize_credit(&self.attribution, &mut map)?;
        map.end()
    }
}

/// The members of a credit, exactly as the format gave them.
pub(super) fn serialize_credit<M: SerializeMap>(attribution: &Attribution, map: &mut M) -> Result<(), M::Error> {
    for (name, value) in &attribution.fields {
        let value: &RawValue = serde_json::from_str(value).map_err(serde::ser::Error::custom)?;
        map.serialize_entry(name, value)?;
    }
    Ok(())
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let opened = options.question.open_state(out)?;
    if let Some(path) = &options.known_file {
        return answer_file(&opened, path, options.question.json, out);
    }
    let entries = entries(&opened, &options)?;
    if options.question.json {
        out.json(&answer(&opened.header(), &vec![("entries", raw(&entries)?)]))?;
    } else {
        out.table(&entries.iter().map(|entry| row(&opened, entry)).collect::<Vec<_>>())?;
        if let (true, Some(path)) = (entries.is_empty(), &options.path) {
            opened.tell_missing(path, options.instance.instance.as_deref())?;
        }
    }
    Ok(0)
}

fn entries(opened: &Opened, options: &Options) -> Result<Vec<Entry>, Problem> {
    let (run, tree) = (opened.run.as_ref(), opened.run.tree());
    let wanted = match &options.path {
        Some(path) => Some(run.locate(path, opened.step)?),
        None => None,
    };
    let (mut entries, mut attributions) = (Vec::new(), Attributions::new(opened));
    for view in tree.identities(opened.step) {
        let identity = tree.identity(view.id);
        let is_chosen = run.instances() != Instances::Chosen
            || options.instance.instance.as_ref().is_none_or(|i| identity.instance.as_ref() == Some(i));
        if !is_chosen {
            continue;
        }
        for node in nodes(opened, view.id, view.root, wanted.as_deref()) {
            for leaf in tree.leaves(node, opened.step) {
                entries.push(Entry {
                    reference: run.reference(identity, &leaf.path),
                    instance: (run.instances() != Instances::Absent).then(|| identity.instance.clone()),
                    value: exact(leaf.value.text(opened.bytes())?.into_owned())?,
                    step: leaf.step,
                    changed: leaf.changed,
                    attribution: attributions.get(view.id, leaf.step),
                });
            }
        }
    }
    Ok(entries)
}

/// The nodes of an identity that are asked for: its root, or those that a path can mean.
fn nodes(
    opened: &Opened,
    id: IdentityId,
    root: Option<NodeId>,
    wanted: Option<&[(IdentityId, Vec<Key>)]>,
) -> Vec<NodeId> {
    match wanted {
        None => root.into_iter().collect(),
        Some(wanted) => wanted
            .iter()
            .filter(|(found, _)| *found == id)
            .filter_map(|(_, path)| opened.run.tree().node(id, path))
            .collect(),
    }
}

/// Step, who, reference, value: as git blame has them.
fn row(opened: &Opened, entry: &Entry) -> Vec<String> {
    let instance = match &entry.instance {
        Some(Some(instance)) => format!(" ({instance})"),
        _ => String::new(),
    };
    vec![
        at(entry.step),
        entry.attribution.who.clone().unwrap_or_default(),
        entry.attribution.when.clone().unwrap_or_default(),
        format!("{}{instance}", entry.reference),
        digested::shown(opened, entry.value.get(), entry.step).unwrap_or_else(|| entry.value.get().to_owned()),
    ]
}
