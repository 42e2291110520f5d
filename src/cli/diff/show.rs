//! Differences as lines for people and as members for programs.

use super::super::blame::serialize_credit;
use super::super::open::{Attributions, Opened};
use super::super::out::{Out, at, exact, step_member};
use crate::format::{Attribution, Instances};
use crate::model::Problem;
use crate::state::diff::{DiffPart, Difference, Side};
use crate::text::counted;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use std::io;

/// The runs that the old and the new state are of; the same one twice where there is only one.
pub(super) struct Sides<'o> {
    pub(super) old: &'o Opened,
    pub(super) new: &'o Opened,
}

impl<'o> Sides<'o> {
    /// Both states are of one run.
    pub(super) fn of_one(opened: &'o Opened) -> Self {
        Self { old: opened, new: opened }
    }
}

/// Whether anything differs.
pub(super) fn differs(parts: &[DiffPart]) -> bool {
    parts.iter().any(|part| matches!(part, DiffPart::Differs(_)))
}

/// One leaf that differs, for `--json`.
pub(super) struct DiffEntry {
    reference: String,
    /// None: the format knows no instances.
    instance: Option<Option<String>>,
    old: Option<Value>,
    new: Option<Value>,
}

/// One of its values, and who supplied it.
struct Value {
    text: Box<RawValue>,
    step: Option<i32>,
    attribution: Attribution,
}

impl Serialize for DiffEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("ref", &self.reference)?;
        if let Some(instance) = &self.instance {
            map.serialize_entry("instance", instance)?;
        }
        for (name, value) in [("old", &self.old), ("new", &self.new)] {
            if let Some(value) = value {
                map.serialize_entry(name, value)?;
            }
        }
        map.end()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("value", &self.text)?;
        map.serialize_entry("step", &self.step)?;
        serialize_credit(&self.attribution, &mut map)?;
        map.end()
    }
}

/// What differs, for `--json`.
pub(super) fn differences(parts: &[DiffPart], sides: &Sides<'_>) -> Result<Vec<DiffEntry>, Problem> {
    let (mut old, mut new) = (Attributions::new(sides.old), Attributions::new(sides.new));
    let mut entries = Vec::new();
    for part in parts {
        if let DiffPart::Differs(difference) = part {
            let (reference, instance) = name(difference, sides);
            entries.push(DiffEntry {
                reference,
                instance,
                old: value(difference.old.as_ref(), sides.old, &mut old)?,
                new: value(difference.new.as_ref(), sides.new, &mut new)?,
            });
        }
    }
    Ok(entries)
}

fn value(side: Option<&Side>, opened: &Opened, attributions: &mut Attributions<'_>) -> Result<Option<Value>, Problem> {
    let Some(side) = side else { return Ok(None) };
    Ok(Some(Value {
        text: exact(side.value.text(opened.bytes())?.into_owned())?,
        step: step_member(side.step),
        attribution: attributions.get(side.id, side.step),
    }))
}

/// Reference and instance of a leaf: as the new state has it, else the old.
fn name(difference: &Difference, sides: &Sides<'_>) -> (String, Option<Option<String>>) {
    let Some((side, is_new)) = difference.side() else { return (String::new(), None) };
    let run = if is_new { &sides.new.run } else { &sides.old.run };
    let identity = run.tree().identity(side.id);
    let instance = (run.instances() != Instances::Absent).then(|| identity.instance.clone());
    (run.reference(identity, &difference.path), instance)
}

/// One line a value: sign, step, who, reference, value; what is alike as a count.
pub(super) fn show(parts: &[DiffPart], sides: &Sides<'_>, out: &mut Out) -> Result<(), super::Stop> {
    let (mut old, mut new) = (Attributions::new(sides.old), Attributions::new(sides.new));
    let mut rows = Vec::new();
    for part in parts {
        match part {
            DiffPart::Same(count) => {
                let row =
                    [String::new(), String::new(), String::new(), format!("… {} alike", counted(*count, "value"))];
                rows.push(row.to_vec());
            }
            DiffPart::Differs(difference) => {
                for (sign, side, opened, attributions) in
                    [("-", &difference.old, sides.old, &mut old), ("+", &difference.new, sides.new, &mut new)]
                {
                    rows.extend(row(sign, difference, side.as_ref(), opened, attributions)?);
                }
            }
        }
    }
    put(&rows, out)?;
    Ok(())
}

fn put(rows: &[Vec<String>], out: &mut Out) -> io::Result<()> {
    out.table(rows)
}

fn row(
    sign: &str,
    difference: &Difference,
    side: Option<&Side>,
    opened: &Opened,
    attributions: &mut Attributions<'_>,
) -> Result<Option<Vec<String>>, Problem> {
    let Some(side) = side else { return Ok(None) };
    let identity = opened.run.tree().identity(side.id);
    let instance = match (&identity.instance, opened.run.instances()) {
        (Some(instance), Instances::Chosen) => format!(" ({instance})"),
        _ => String::new(),
    };
    Ok(Some(vec![
        sign.to_owned(),
        at(side.step),
        attributions.get(side.id, side.step).who.unwrap_or_default(),
        format!("{}{instance}", opened.run.reference(identity, &difference.path)),
        side.value.text(opened.bytes())?.into_owned(),
    ]))
}
