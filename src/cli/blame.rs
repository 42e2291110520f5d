//! `obelus blame` prints blame: who wrote each leaf of the state.

use super::args::{InstanceOption, StepQuery, parsed};
use super::blame_file::answer_file;
use super::digested;
use super::open::{Attributions, Opened};
use super::out::{Out, Tone, answer, at, exact, raw, step_member};
use super::paths::AskedPath;
use super::{Command, Stop, complain};
use crate::format::{Attribution, Instances, ValuePlace};
use crate::model::{Problem, StepNo};
use crate::state::{IdentityId, NodeId, Tree};
use clap::{ArgMatches, Args};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use std::collections::HashMap;

pub(super) const COMMAND: Command = Command { name: "blame", describe: Options::augment_args, run };

/// Print which step wrote each value of the state
#[derive(Debug, Args)]
struct Options {
    #[command(flatten)]
    question: StepQuery,
    /// Path of the values wanted, such as state.user, or state#2.user of an instance [default: all]
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// File that the run knew, by its path or the end of it: print who wrote or first showed each of its lines
    #[arg(long = "file", value_name = "PATH", conflicts_with_all = ["path", "instance"])]
    known_file: Option<String>,
    #[command(flatten)]
    instance: InstanceOption,
}

/// One leaf and where it comes from (A28).
struct BlameEntry {
    reference: String,
    /// None: the format knows no instances.
    instance: Option<Option<String>>,
    value: Box<RawValue>,
    step: StepNo,
    changed: StepNo,
    attribution: Attribution,
}

impl Serialize for BlameEntry {
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
    let asked = options.path.as_ref().map(|path| AskedPath::read(&opened, path, &options.instance)).transpose()?;
    let entries = entries(&opened, &options, asked.as_ref())?;
    if options.question.json {
        out.json(&answer(&opened.header(), &vec![("entries", raw(&entries)?)]))?;
    } else {
        let rows: Vec<Vec<String>> = entries.iter().map(|entry| row(&opened, entry)).collect();
        out.columns(&[Tone::Step, Tone::Who, Tone::Dim, Tone::Path], &rows)?;
        if let Some(asked) = asked.as_ref().filter(|asked| entries.is_empty() && !asked.is_unknown()) {
            complain(&format!("there is no value at {} at step {}", asked.path(), opened.step));
        }
    }
    Ok(asked.map_or(0, |asked| asked.status(options.question.json)))
}

fn entries(opened: &Opened, options: &Options, asked: Option<&AskedPath>) -> Result<Vec<BlameEntry>, Problem> {
    let (run, tree) = (opened.run.as_ref(), opened.run.tree());
    let (wanted, instance) = (asked.map(|asked| nodes(tree, &asked.places)), opened.instance(&options.instance));
    let (mut entries, mut attributions) = (Vec::new(), Attributions::new(opened));
    for view in tree.identities(opened.step) {
        let identity = tree.identity(view.id);
        // The places of a path are those of the instance that was named.
        let is_chosen = run.instances() != Instances::Chosen || instance.is_none() || identity.instance == instance;
        if !is_chosen && wanted.is_none() {
            continue;
        }
        let nodes = match &wanted {
            None => view.root.as_slice(),
            Some(wanted) => wanted.get(&view.id).map_or(&[][..], Vec::as_slice),
        };
        for &node in nodes {
            for leaf in tree.leaves(node, opened.step) {
                entries.push(BlameEntry {
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

/// The nodes that a path can mean, by identity.
fn nodes(tree: &Tree, places: &[ValuePlace]) -> HashMap<IdentityId, Vec<NodeId>> {
    let mut nodes: HashMap<IdentityId, Vec<NodeId>> = HashMap::new();
    for (id, path) in places {
        nodes.entry(*id).or_default().extend(tree.node(*id, path));
    }
    nodes
}

/// Step, who, reference, value: as git blame has them.
fn row(opened: &Opened, entry: &BlameEntry) -> Vec<String> {
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
