//! `obelus plan`: the calls to come, or the agents of a pipeline, as a graph.

use super::args::{Question, parsed};
use super::out::{Out, answer};
use super::{Command, Stop};
use crate::format::Answer;
use crate::json::{self, Value};
use crate::model::Problem;
use clap::{ArgMatches, Args};

pub(super) const COMMAND: Command = Command { name: "plan", describe: Options::augment_args, run };

/// Print the plan that holds at a step: calls, edges, waves
#[derive(Debug, Args)]
struct Options {
    #[command(flatten)]
    question: Question,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let opened = options.question.open(out)?;
    let Some(members) = opened.run.plan(opened.step, opened.bytes()) else {
        return Err(Problem::usage(format!("the format {} has no plans", opened.format())).into());
    };
    if options.question.json {
        out.json(&answer(&opened.header(), &members))?;
    } else {
        show(&members, out)?;
    }
    Ok(0)
}

/// The nodes in the order in which they can run, each with its wave, its state and what it waits for.
fn show(members: &Answer, out: &mut Out) -> Result<(), Stop> {
    let member = |name: &str| members.iter().find(|(n, _)| *n == name).and_then(|(_, v)| json::parse(v.get()).ok());
    let (Some(nodes), Some(edges)) = (member("nodes"), member("edges")) else { return Ok(()) };
    let (nodes, edges) = (nodes.as_array().unwrap_or_default(), edges.as_array().unwrap_or_default());
    if nodes.is_empty() {
        return Ok(out.line("no plan holds at this step")?);
    }
    let waves = member("waves");
    let waves = waves.as_ref().and_then(Value::as_array).unwrap_or_default();
    let wave_of = |id: &str| waves.iter().position(|w| w.as_array().is_some_and(|w| w.iter().any(|i| i.text == id)));
    let mut order: Vec<(usize, Vec<String>)> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let id = text(node, "id");
        let wave = wave_of(&id);
        let row = vec![
            wave.map_or("on or behind a cycle".to_owned(), |w| format!("wave {w}")),
            id.clone(),
            format!("{}{}", text(node, "tool"), text(node, "agent")),
            text(node, "instance"),
            text(node, "status"),
            sources(edges, &id),
        ];
        order.push((wave.unwrap_or(usize::MAX), row));
    }
    order.sort_by_key(|(wave, _)| *wave);
    Ok(out.table(&order.into_iter().map(|(_, row)| row).collect::<Vec<_>>())?)
}

/// What a node takes from which others.
fn sources(edges: &[Value<'_>], id: &str) -> String {
    let from: Vec<String> = edges
        .iter()
        .filter(|edge| text(edge, "to") == id)
        .map(|edge| format!("{} from {}", text(edge, "ref") + &text(edge, "data_type"), text(edge, "from")))
        .collect();
    from.join(", ")
}

/// A member as text for people: nothing for what is absent or null.
fn text(value: &Value<'_>, key: &str) -> String {
    match value.get(key) {
        Some(v) if !v.is_null() => v.as_str().unwrap_or(v.text).to_owned(),
        _ => String::new(),
    }
}
