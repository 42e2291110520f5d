//! `obelus plan`: the calls to come, or the agents of a pipeline, as a graph.

use super::args::{StepQuery, parsed};
use super::out::{Out, answer_begin};
use super::{Command, Stop};
use crate::format::plan::{End, PlanView};
use crate::ingest;
use clap::{ArgMatches, Args};

/// Most sources of one node that are listed for people.
const SOURCES_MAX: usize = 20;

pub(super) const COMMAND: Command = Command { name: "plan", describe: Options::augment_args, run };

/// Print the plan in force at a step: calls, edges, waves
#[derive(Debug, Args)]
struct Options {
    #[command(flatten)]
    question: StepQuery,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let opened = options.question.open(out)?;
    if opened.has_no_plans() {
        let others = ingest::format_names(&|format| format.plan_title().is_some()).join(", ");
        let hint = format!("`--format NAME` reads it as one that has: {others}");
        return Err(opened.no_answer("has no plans").hint(hint).into());
    }
    if options.question.json {
        if let Some(plan) = opened.run.plan(opened.step, opened.bytes()) {
            out.listing(&answer_begin(&opened.header(), &plan.head), "edges", plan.edges, &plan.tail)?;
        }
    } else {
        show(opened.run.plan_view(opened.step, opened.bytes()), out)?;
    }
    Ok(0)
}

/// The nodes in the order in which they can run, each with its wave, its state and what it waits for.
fn show(plan: Option<PlanView>, out: &mut Out) -> Result<(), Stop> {
    let Some(plan) = plan.filter(|plan| !plan.nodes.is_empty()) else {
        return Ok(out.line("no plan holds at this step")?);
    };
    let waves = plan.order.waves.iter().enumerate();
    let mut order: Vec<(String, usize)> =
        waves.flat_map(|(w, nodes)| nodes.iter().map(move |&node| (format!("wave {w}"), node))).collect();
    let mut is_ordered = vec![false; plan.nodes.len()];
    order.iter().for_each(|(_, node)| is_ordered[*node] = true);
    let others = (0..plan.nodes.len()).filter(|&node| !is_ordered[node]);
    order.extend(others.map(|node| ("on or behind a cycle".to_owned(), node)));
    let row = |(wave, id): (String, usize)| {
        let node = &plan.nodes[id];
        let word = |text: &Option<String>| text.clone().unwrap_or_default();
        vec![wave, id.to_string(), word(&node.name), word(&node.instance), word(&node.status), sources(&plan, id)]
    };
    Ok(out.table(&order.into_iter().map(row).collect::<Vec<_>>())?)
}

/// What a node takes from which others.
fn sources(plan: &PlanView, node: usize) -> String {
    let ends = plan.edges.to(node, SOURCES_MAX + 1);
    let from = |end: &End<'_>| format!("{} from {}", end.label, end.node).trim_start().to_owned();
    let mut shown: Vec<String> = ends.iter().take(SOURCES_MAX).map(from).collect();
    if ends.len() > shown.len() {
        shown.push("and more".to_owned());
    }
    shown.join(", ")
}
