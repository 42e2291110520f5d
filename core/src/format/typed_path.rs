//! Paths of the state as people type them: `state.budget`, `†state.budget`, `state#2.budget`, in any format.
//!
//! What a format writes itself comes first ([`Run::locate`]); what is typed with less is read the same way, with the
//! instance after `#` or beside the path. A path is known if a value ever was there, at whatever step.

use super::{Instances, Run, nearest_path};
use crate::json::Key;
use crate::model::{Problem, StepNo};
use crate::rules::acts::{PathSegment, parse_reference};
use crate::state::{IdentityId, Tree};

/// An identity, and a path below it.
pub type ValuePlace = (IdentityId, Vec<Key>);

/// What begins a reference, which need not be typed.
const DAGGER: char = '†';
/// What is between a kind and its instance.
const HASH: char = '#';

/// A path that was typed, as a run reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedPath {
    /// The path in the notation of the format; as it was typed, where it means several.
    pub path: String,
    /// The instance that was named, with the name that the run has for it.
    pub instance: Option<String>,
    /// Where it is known, whatever the instance: the global identity first.
    everywhere: Vec<ValuePlace>,
    /// Whether an instance was named that counts.
    is_bound: bool,
    /// Whether it was typed as the format writes paths: `†kind.slot`, `slot.path`, `/kind/instance/slot`.
    pub is_exact: bool,
}

impl TypedPath {
    /// Reads a path and the instance that was named beside it; `.0` is read as the state at `step` has it (A33).
    ///
    /// # Errors
    /// It does not parse in any way.
    pub fn read(run: &dyn Run, path: &str, instance: Option<&str>, step: StepNo) -> Result<Self, Problem> {
        let mut fault = None;
        let mut first = None;
        for reading in readings(run, path) {
            let typed = match reading.find(run, step) {
                Ok(everywhere) => Self::of(run, reading, everywhere, instance),
                Err(problem) => {
                    fault.get_or_insert(problem);
                    continue;
                }
            };
            if !typed.everywhere.is_empty() {
                return Ok(typed);
            }
            first.get_or_insert(typed);
        }
        match (first, fault) {
            (Some(typed), _) => Ok(Self { path: path.to_owned(), ..typed }),
            (None, Some(problem)) => Err(problem),
            (None, None) => Err(Problem::usage(format!("{path:?} is not a path"))),
        }
    }

    fn of(run: &dyn Run, reading: Reading, everywhere: Vec<ValuePlace>, beside: Option<&str>) -> Self {
        let tree = run.tree();
        let beside = beside.filter(|_| run.instances() == Instances::Chosen || reading.spans_instances);
        let asked = reading.instance.as_deref().or(beside);
        let here = everywhere.iter().filter_map(|(id, _)| tree.identity(*id).instance.as_deref());
        let known = here.chain(instances(tree));
        let instance = asked.map(|asked| instance_named(asked, known).map_or_else(|| asked.to_owned(), str::to_owned));
        let path = match everywhere.as_slice() {
            [(id, keys)] if reading.spans_instances => run.reference(tree.identity(*id), keys),
            _ => reading.path,
        };
        let is_exact = reading.is_exact;
        Self { path, is_bound: instance.is_some(), instance, everywhere, is_exact }
    }

    /// Where it is known, in the instance that was named; without one, in every instance.
    #[must_use]
    pub fn places(&self, tree: &Tree) -> Vec<ValuePlace> {
        let is_candidate = |id: IdentityId| !self.is_bound || tree.identity(id).instance == self.instance;
        self.everywhere.iter().filter(|(id, _)| is_candidate(*id)).cloned().collect()
    }

    /// Where it is known, whatever the instance.
    #[must_use]
    pub fn everywhere(&self) -> &[ValuePlace] {
        &self.everywhere
    }

    /// The place in the global identity, if it was not asked for an instance.
    #[must_use]
    pub fn global(&self, tree: &Tree) -> Option<ValuePlace> {
        self.places(tree).into_iter().find(|(id, _)| tree.identity(*id).instance.is_none())
    }

    /// What to say of a path that no value ever was at, with the nearest one that is known.
    #[must_use]
    pub fn unknown(&self, run: &dyn Run) -> Problem {
        let tree = run.tree();
        if let (Some(asked), false) = (&self.instance, self.everywhere.is_empty()) {
            let named =
                |(id, _): &ValuePlace| tree.identity(*id).instance.clone().unwrap_or_else(|| "no instance".into());
            let mut names: Vec<String> = self.everywhere.iter().map(named).collect();
            names.dedup();
            let problem = Problem::usage(format!("instance {asked} has no {} at any step", self.path));
            return problem.hint(format!("it is there in {}", names.join(", ")));
        }
        let problem = Problem::usage(format!("the state has no {} at any step", self.path));
        match nearest_path::nearest(run, &self.path) {
            Some(near) => problem.hint(format!("did you mean {near}?")),
            None => problem,
        }
    }
}

/// The name that a run has for an instance: the one that was typed, or the one of the same number (`2` for `②`).
#[must_use]
pub fn instance_named<'n>(asked: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let number = number_of(asked);
    let mut alike = None;
    for name in known {
        if name == asked {
            return Some(name);
        }
        if alike.is_none() && number.is_some() && number_of(name) == number {
            alike = Some(name);
        }
    }
    alike
}

/// The number that a name of digits, or one circled number, stands for.
fn number_of(name: &str) -> Option<u32> {
    if !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()) {
        return name.parse().ok();
    }
    let mut chars = name.chars();
    let (sign, None) = (u32::from(chars.next()?), chars.next()) else { return None };
    let ranges = [(0x2460..=0x2473, 1), (0x24EA..=0x24EA, 0), (0x3251..=0x325F, 21), (0x32B1..=0x32BF, 36)];
    ranges.into_iter().find(|(range, _)| range.contains(&sign)).map(|(range, first)| sign - range.start() + first)
}

/// One way to read what was typed.
struct Reading {
    /// In the notation of the format, or as typed where that names an instance and this does not.
    path: String,
    instance: Option<String>,
    /// Whether the notation of the format would name an instance, and this does not.
    spans_instances: bool,
    /// Whether it was typed in the notation of the format.
    is_exact: bool,
}

impl Reading {
    /// In the notation of the format, if it was typed as `typed`, or with less.
    fn exact(path: String, typed: &str) -> Self {
        Self { is_exact: path == typed, path, instance: None, spans_instances: false }
    }

    /// Where it is known.
    fn find(&self, run: &dyn Run, step: StepNo) -> Result<Vec<ValuePlace>, Problem> {
        let tree = run.tree();
        let mut places = if self.spans_instances {
            self.find_below_kind(tree)?
        } else {
            let last = StepNo::try_from(run.step_count()).unwrap_or(StepNo::MAX) - 1;
            let found = run.locate(&self.path, step)?;
            if found.is_empty() && step < last { run.locate(&self.path, last)? } else { found }
        };
        places.retain(|(id, keys)| keys.is_empty() || tree.node(*id, keys).is_some());
        Ok(places)
    }

    /// Of each instance of the kind.
    fn find_below_kind(&self, tree: &Tree) -> Result<Vec<ValuePlace>, Problem> {
        let Some(reference) = parse_reference(&daggered(&self.path)) else {
            return Err(Problem::usage(format!("{:?} is not a path", self.path))
                .hint("write kind.slot, kind#instance.slot or /kind/instance/slot"));
        };
        let of_kind = identities(tree).filter(|id| tree.identity(*id).kind == reference.kind);
        Ok(of_kind.filter_map(|id| Some((id, walk(tree, id, &reference.path)?))).collect())
    }
}

/// The ways to read what was typed, the notation of the format first.
fn readings(run: &dyn Run, typed: &str) -> Vec<Reading> {
    let (bare, tree) = (typed.strip_prefix(DAGGER).unwrap_or(typed), run.tree());
    match run.instances() {
        Instances::Absent => vec![Reading::exact(bare.to_owned(), typed)],
        Instances::InPath if typed.is_empty() || typed.starts_with('/') => {
            vec![Reading::exact(typed.to_owned(), typed)]
        }
        Instances::InPath => match split_instance(tree, bare) {
            Some((path, instance)) => {
                vec![Reading { path, instance: Some(instance), spans_instances: true, is_exact: false }]
            }
            None => vec![Reading { path: bare.to_owned(), instance: None, spans_instances: true, is_exact: false }],
        },
        Instances::Chosen => {
            let exact = Reading::exact(daggered(bare), typed);
            let within = split_instance(tree, bare).map(|(path, instance)| Reading {
                path: daggered(&path),
                instance: Some(instance),
                spans_instances: false,
                is_exact: false,
            });
            [exact].into_iter().chain(within).collect()
        }
    }
}

/// Of `kind#instance.rest`: `kind.rest`, and the instance. A known instance may hold any signs; of others all up to
/// the path belongs to it.
fn split_instance(tree: &Tree, bare: &str) -> Option<(String, String)> {
    let (kind, rest) = bare.split_once(HASH)?;
    let reference = parse_reference(&daggered(kind)).filter(|reference| reference.path.is_empty())?;
    let of_kind = identities(tree).map(|id| tree.identity(id)).filter(|identity| identity.kind == reference.kind);
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with(['.', '[']);
    let named = of_kind.filter_map(|identity| identity.instance.as_deref());
    let known = named.filter(|name| rest.strip_prefix(name).is_some_and(is_end)).max_by_key(|name| name.len());
    let at = known.map_or_else(|| rest.find(['.', '[']).unwrap_or(rest.len()), str::len);
    (at > 0).then(|| (format!("{kind}{}", &rest[at..]), rest[..at].to_owned()))
}

fn daggered(bare: &str) -> String {
    format!("{DAGGER}{bare}")
}

/// The instances of a run, at whatever step.
pub fn instances(tree: &Tree) -> impl Iterator<Item = &str> {
    identities(tree).filter_map(|id| tree.identity(id).instance.as_deref())
}

fn identities(tree: &Tree) -> impl Iterator<Item = IdentityId> {
    (0..u32::try_from(tree.identity_count()).unwrap_or(u32::MAX)).map(IdentityId)
}

/// The keys that segments mean below an identity; None where nothing ever was.
fn walk(tree: &Tree, id: IdentityId, segments: &[PathSegment]) -> Option<Vec<Key>> {
    let mut path: Vec<Key> = Vec::with_capacity(segments.len());
    for segment in segments {
        let keys = [segment.on_object().map(Key::name), segment.on_array().map(Key::Index)];
        let is_known = |key: &Key| tree.node(id, &[path.as_slice(), std::slice::from_ref(key)].concat()).is_some();
        let key = keys.into_iter().flatten().find(is_known)?;
        path.push(key);
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_names_the_instance_of_that_number() {
        let known = ["①", "②", "b", "7"];
        let named = |asked| instance_named(asked, known.into_iter());
        assert_eq!((named("2"), named("②"), named("b")), (Some("②"), Some("②"), Some("b")));
        assert_eq!((named("⑦"), named("3"), named(""), named("x")), (Some("7"), None, None, None));
        assert_eq!(instance_named("2", ["②", "2"].into_iter()), Some("2"));
        assert_eq!(
            ["⓪", "⑳", "㉑", "㊱", "㊿", "①①"].map(number_of),
            [Some(0), Some(20), Some(21), Some(36), Some(50), None]
        );
    }
}
