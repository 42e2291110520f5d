//! `obelus diff`: how the state differs between two steps, two runs or two instances, or two datasets by their records.
//! Status 1 if it does.

mod runs;
mod sets;
mod show;
mod stages;

use super::args::{FileName, FormatOption, ScreenLook, StepQuery, parsed, step};
use super::open::Opened;
use super::out::{Out, answer, raw};
use super::{Command, Stop, report_trouble, screen};
use crate::format::{Answer, Layout, instance_named};
use crate::ingest::{self, Loaded};
use crate::model::{Problem, StepNo};
use crate::state::IdentityId;
use crate::state::diff::{self, At, DiffPart};
use clap::{ArgMatches, Args};
use show::{Sides, differences, differs};

pub(super) const COMMAND: Command = Command { name: "diff", describe: Options::augment_args, run };

/// Options that ask about one file.
const ONE_FILE: [&str; 3] = ["from", "to", "instances"];
/// Options that do not go with two steps.
const NO_STEPS: [&str; 2] = ["step", "instances"];

/// Print how two runs, datasets, steps of a run or instances differ; status 1 if they do
#[derive(Debug, Args)]
struct Options {
    /// File to compare, or the only one; `-` is standard input
    #[arg(value_name = "A")]
    a: FileName,
    /// File to compare it with: steps are aligned by content, records of datasets paired by content and id
    #[arg(value_name = "B", conflicts_with_all = ONE_FILE, required_unless_present_any = ONE_FILE)]
    b: Option<FileName>,
    #[command(flatten)]
    format: FormatOption,
    /// Step to compare from, -1 is before any step [default: the one before --to]
    #[arg(long, value_name = "N", value_parser = step, conflicts_with_all = NO_STEPS)]
    from: Option<StepNo>,
    /// Step to compare with [default: the last]
    #[arg(long, value_name = "M", value_parser = step, conflicts_with_all = NO_STEPS)]
    to: Option<StepNo>,
    /// Two instances of a kind to compare
    #[arg(long, value_names = ["I", "J"], num_args = 2, requires = "kind")]
    instances: Option<Vec<String>>,
    /// Kind of the instances
    #[arg(long, value_name = "KIND", requires = "instances")]
    kind: Option<String>,
    /// With two runs, compare up to this step of A; with instances, compare at this step [default: the last]
    #[arg(long, value_name = "N", value_parser = step)]
    step: Option<StepNo>,
    /// Trajectory of a file that holds several, from 0 [default: 0; of two datasets all records]
    #[arg(long, value_name = "R")]
    record: Option<usize>,
    /// Trajectory of B [default: that of A]
    #[arg(long, value_name = "R", requires = "b")]
    other_record: Option<usize>,
    /// With two datasets, print which values changed in each record
    #[arg(long, requires = "b", conflicts_with_all = ["record", "other_record", "step"])]
    changes: bool,
    /// Show the two runs side by side on the screen
    #[arg(long, requires = "b", conflicts_with_all = ["json", "changes", "step"])]
    screen: bool,
    /// Print JSON: one value
    #[arg(long)]
    json: bool,
}

impl Options {
    fn question(&self, file: &FileName, record: usize, step: Option<StepNo>) -> StepQuery {
        StepQuery { file: file.to_owned(), format: self.format.clone(), step, record, json: self.json }
    }
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    if let (Some(b), true) = (&options.b, options.screen) {
        let record = options.record.unwrap_or(0);
        let runs = [(&options.a, record), (b, options.other_record.unwrap_or(record))];
        return screen::two_runs(runs, options.format.forced(), ScreenLook::default(), None);
    }
    let is_different = match (&options.b, &options.instances) {
        (Some(b), _) => {
            if options.a.is_stdin() && b.is_stdin() {
                return Err(Problem::usage("standard input can be only one of the two files").into());
            }
            let open = |file: &FileName| ingest::open(file, options.format.forced());
            let (old, new) = (open(&options.a)?, open(b)?);
            if let Some(is_different) = datasets(&options, (&old, &new), b, out)? {
                return Ok(u8::from(is_different));
            }
            let record = options.record.unwrap_or(0);
            let other = options.other_record.unwrap_or(record);
            let count = old.trajectories()?.max(new.trajectories()?);
            let asked = (options.question(&options.a, record, options.step), options.question(b, other, None));
            runs::compare((&asked.0, old), (&asked.1, new), options.record.is_none().then_some(count), out)?
        }
        (None, Some(names)) => instances(&options, names, out)?,
        (None, None) => steps(&options, out)?,
    };
    Ok(u8::from(is_different))
}

/// Two files of records as sets of them, unless a record was asked for, or each has one only, or one is a run.
fn datasets(
    options: &Options,
    (old, new): (&Loaded, &Loaded),
    b: &FileName,
    out: &mut Out,
) -> Result<Option<bool>, Stop> {
    let is_asked = options.record.is_some() || options.other_record.is_some() || options.step.is_some();
    if is_asked {
        return Ok(None);
    }
    let is_set = [old, new].iter().all(|loaded| loaded.detected.format.layout() == Layout::Set);
    let has_one = old.records()?.len() == 1 && new.records()?.len() == 1;
    match (is_set, options.changes) {
        (true, has_changes) if has_changes || !has_one => {
            [old, new].iter().for_each(|loaded| report_trouble(loaded, out));
            let sides = (sets::Side { file: &options.a, loaded: old }, sets::Side { file: b, loaded: new });
            sets::show(&sides.0, &sides.1, has_changes, options.json, out).map(Some)
        }
        (false, true) => Err(Problem::usage("--changes is for two files of records; these are not").into()),
        _ => Ok(None),
    }
}

/// Two steps of one run.
fn steps(options: &Options, out: &mut Out) -> Result<bool, Stop> {
    let opened = options.question(&options.a, options.record.unwrap_or(0), options.to).open(out)?;
    let to = opened.step;
    let from = options.from.unwrap_or(to - 1).clamp(-1, opened.last());
    let parts = diff::steps(opened.run.tree(), from, to);
    let sides = Sides::of_one(&opened);
    if options.json {
        let members =
            vec![("from", raw(&from)?), ("to", raw(&to)?), ("differences", raw(&differences(&parts, &sides)?)?)];
        out.json(&answer(&opened.header(), &members))?;
    } else {
        out.line(&format!("--- {} @{from}", options.a))?;
        out.line(&format!("+++ {} @{to}", options.a))?;
        show::show(&parts, &sides, out)?;
    }
    Ok(differs(&parts))
}

/// Two instances of one kind at a step.
fn instances(options: &Options, names: &[String], out: &mut Out) -> Result<bool, Stop> {
    let opened = options.question(&options.a, options.record.unwrap_or(0), options.step).open(out)?;
    let kind = options.kind.as_deref().unwrap_or_default();
    let (old, new) = (instance(&opened, kind, &names[0])?, instance(&opened, kind, &names[1])?);
    let at = At { tree: opened.run.tree(), step: opened.step };
    let parts: Vec<DiffPart> = diff::identities(at, old, new);
    let sides = Sides::of_one(&opened);
    if options.json {
        let members: Answer = vec![
            ("kind", raw(kind)?),
            ("instances", raw(names)?),
            ("differences", raw(&differences(&parts, &sides)?)?),
        ];
        out.json(&answer(&opened.header(), &members))?;
    } else {
        for (sign, name) in ["---", "+++"].into_iter().zip(names) {
            out.line(&format!("{sign} {} @{} ¶{kind} ({name})", options.a, opened.step))?;
        }
        show::show(&parts, &sides, out)?;
    }
    Ok(differs(&parts))
}

/// An instance that is at the step.
fn instance(opened: &Opened, kind: &str, name: &str) -> Result<IdentityId, Problem> {
    let tree = opened.run.tree();
    let standing = tree.identities(opened.step);
    let of_kind = || standing.iter().filter(|view| tree.identity(view.id).kind == kind);
    let names = of_kind().filter_map(|view| tree.identity(view.id).instance.as_deref());
    let name = instance_named(name, names).unwrap_or(name);
    let found = of_kind().find(|view| tree.identity(view.id).instance.as_deref() == Some(name));
    found.map(|view| view.id).ok_or_else(|| {
        let all: Vec<&str> = standing
            .iter()
            .map(|view| tree.identity(view.id))
            .filter(|identity| identity.kind == kind)
            .filter_map(|identity| identity.instance.as_deref())
            .collect();
        let known = if all.is_empty() { "it has none".to_owned() } else { format!("it has {}", all.join(", ")) };
        Problem::usage(format!("¶{kind} has no instance {name} at step {}", opened.step)).hint(known)
    })
}
