//! R15: ten times the keys, kinds, instances, messages, calls or bytes cost at most twelve times the work.
//!
//! Work is counted in a process that runs one command and nothing else: allocations, and their bytes. A loop that
//! allocates nothing shows only in the CPU time of that process; of it a ratio is asserted that a quadratic path
//! exceeds by far and a busy machine does not (decision 13).

use super::command::file;
use super::shapes::{LONG_SHAPES, SHAPES, Shape};
use obelus::panes::json_outline::Doc;
use obelus::shell::headless::Stage;
use obelus::source::Input;
use obelus::ui::Theme;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::ffi::OsString;
use std::process::{Command, Stdio};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Names the arguments of the command, one a line, for a process of its own.
const ARGUMENTS: &str = "OBELUS_SCALING_ARGUMENTS";
/// Most work of ten times as much, as a multiple.
const WORK_MAX: usize = 12;
/// The same of CPU time, in which a quadratic path takes a hundred times as much, from this many ticks on (of 10 ms).
const TICKS_MAX: usize = 40;
const TICKS_MIN: usize = 3;

/// Every command that answers about a file. `FILE`, `OTHER` and `OUT` stand for paths. A query is left out: it runs in
/// a child that knows one record at a time.
const COMMANDS: &[&str] = &[
    "check FILE --json",
    "steps FILE --json",
    "state FILE --json",
    "blame FILE --json",
    "history FILE †state --json",
    "plan FILE --json",
    "plan FILE",
    "resolve FILE †state.l --json",
    "render FILE",
    "context FILE --json",
    "stats FILE --json",
    "diff FILE OTHER --json",
    "when FILE †state.l --changes --json",
    "cause FILE †state.l --json",
    "blame FILE state.l",
    "history FILE state.l",
    "blame FILE state.nowhere.l",
    "export FILE --force -o OUT",
    "export FILE --to atif --force -o OUT",
    "tail --once FILE --json",
    "tree FILE --json",
    "loss FILE --json",
    "SCREEN FILE",
];

/// What is asked for a list of the square of what it is given.
const LISTS_ALL: &[(&str, &str)] = &[("product", "plan FILE --json")];

/// What a command did.
#[derive(Debug)]
struct Work {
    allocations: usize,
    bytes: usize,
    ticks: usize,
}

/// Runs one command in this process; the tests below run it in another.
#[test]
#[ignore = "it is run by the tests of this file, in a process of its own"]
fn one_command() {
    let Ok(arguments) = std::env::var(ARGUMENTS) else { return };
    let arguments: Vec<&str> = arguments.lines().collect();
    let region = Region::new(ALLOCATOR);
    match arguments[..] {
        ["SCREEN", path] => screen(path),
        ["TWO", path] => two_runs(path),
        ["LAYOUT", path] => layout(path),
        _ => {
            let _status = obelus::cli::run(std::iter::once("obelus").chain(arguments).map(OsString::from));
        }
    }
    let change = region.change();
    let grown = usize::try_from(change.bytes_reallocated).unwrap_or(0);
    eprintln!(
        "work {} {} {}",
        change.allocations + change.reallocations,
        change.bytes_allocated + grown,
        ticks().unwrap_or(0)
    );
}

/// Opens a file on the stage and goes through its panes.
fn screen(path: &str) {
    played(path, "$ j j G g , . h l Tab j G 7 j ?");
}

/// Opens the two records of a dataset side by side and goes from difference to difference.
fn two_runs(path: &str) {
    let stage = played(path, "D j D ]d ]d [d . , j G g ]d");
    assert!(stage.app.two_runs.runs.is_some());
}

/// Opens a file on the stage and presses keys.
fn played(path: &str, keys: &str) -> Stage {
    let input = Input::open(path.as_ref()).unwrap();
    assert!(!input.is_empty());
    let mut stage = Stage::open(input, None, (120, 40), Theme::built_in("dark").unwrap()).unwrap();
    for key in keys.split(' ') {
        stage.press(key).unwrap();
        assert!(stage.buffer().area.width > 0);
    }
    stage
}

/// Lays a text out as the tab of the message does.
fn layout(path: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(Doc::of(&text).nodes().len() > 100);
}

/// R14: an object of many members is laid out in a small multiple of its text.
#[test]
fn laying_out_costs_a_small_multiple_of_the_text() {
    const COUNT: usize = 100_000;
    fn make(count: usize) -> String {
        format!("{{{}}}", (0..count).map(|i| format!("\"a{i}\":{i}")).collect::<Vec<_>>().join(","))
    }
    let size = make(COUNT).len();
    let work = work("LAYOUT FILE", &Shape { name: "members", count: COUNT, make }, COUNT);
    assert!(work.bytes < 9 * size, "{} bytes for a text of {size}", work.bytes);
    assert!(work.allocations < 1_000, "{work:?}");
}

/// R14: of a record with one long string a command holds the text, and what its escapes stand for.
#[test]
fn a_long_string_is_held_twice_at_most() {
    const COUNT: usize = 500_000;
    fn make(count: usize) -> String {
        format!("{{\"type\":\"text\",\"text\":\"{}\"}}\n", "ab\\n\\u00e9cd".repeat(count))
    }
    let size = make(COUNT).len();
    let work = work("check FILE --json --format acts", &Shape { name: "escapes", count: COUNT, make }, COUNT);
    // All that was ever asked for, buffers that grew and were given back among it.
    assert!(work.bytes < 4 * size, "{} bytes for a text of {size}", work.bytes);
}

/// User and system time of this process, in ticks of the clock.
fn ticks() -> Option<usize> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(fields.get(11)?.parse::<usize>().ok()? + fields.get(12)?.parse::<usize>().ok()?)
}

/// The work of a command on a shape of a size.
fn work(command: &str, shape: &Shape, count: usize) -> Work {
    let folder = tempfile::tempdir().unwrap();
    let text = (shape.make)(count);
    let path = file(folder.path(), "a.jsonl", &text);
    let other = file(folder.path(), "b.jsonl", &text.replace("value 1", "value 7"));
    let out = folder.path().join("out.jsonl");
    let placed = |word: &str| match word {
        "FILE" => path.clone(),
        "OTHER" => other.clone(),
        "OUT" => out.display().to_string(),
        _ => word.to_owned(),
    };
    let arguments: Vec<String> = command.split(' ').map(placed).collect();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["scaling::one_command", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env(ARGUMENTS, arguments.join("\n"))
        .env("HOME", folder.path())
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let counts = stderr.lines().find_map(|line| line.strip_prefix("work ")).map(|line| line.split(' '));
    let Some(mut counts) = counts else { panic!("{command} on {}: {stderr}", shape.name) };
    let mut next = || counts.next().unwrap().parse().unwrap();
    Work { allocations: next(), bytes: next(), ticks: next() }
}

/// What costs too much, in words.
fn excess(command: &str, shape: &Shape) -> Option<String> {
    let one = work(command, shape, shape.count);
    let mut ten = work(command, shape, 10 * shape.count);
    let is_slow = |ten: &Work| ten.ticks > TICKS_MAX * one.ticks.max(TICKS_MIN);
    // Something else may have taken the machine's caches: only what is slow each time counts.
    for _ in 0..2 {
        if is_slow(&ten) {
            ten.ticks = work(command, shape, 10 * shape.count).ticks;
        }
    }
    let is_much = ten.allocations > WORK_MAX * one.allocations || ten.bytes > WORK_MAX * one.bytes;
    (is_much || is_slow(&ten)).then(|| format!("{command} on {}: {one:?}, of ten times as much {ten:?}", shape.name))
}

fn scales(name: &str) {
    let shape = SHAPES.iter().find(|shape| shape.name == name).unwrap();
    let commands = COMMANDS.iter().filter(|command| !LISTS_ALL.contains(&(name, command)));
    let found: Vec<String> = commands.filter_map(|command| excess(command, shape)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Two runs of `count` calls, of which some differ, and one has some that the other has not.
fn runs(count: usize) -> String {
    let call = |run: usize, i: usize| {
        let (command, said) =
            (if i % 9 == run { format!("only {i}") } else { format!("ls {}", i % 50) }, i * (run + 1) % 7);
        let call = format!(r#"{{"class_":"code_action","language":"bash","content":"{command}","description":null}}"#);
        format!(r#"{call},{{"class_":"text_observation","content":"value {said}","source":"environment"}}"#)
    };
    let run = |run: usize| {
        let items: Vec<String> = (0..count).map(|i| call(run, i)).collect();
        format!("{{\"id\":\"r{run}\",\"content\":[{}]}}\n", items.join(","))
    };
    run(0) + &run(1)
}

#[test]
fn two_runs_side_by_side() {
    let shape = Shape { name: "runs", count: 60, make: runs };
    let found: Vec<String> = ["TWO FILE", "diff FILE OTHER"].iter().filter_map(|words| excess(words, &shape)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn long_inputs() {
    let commands = ["check FILE --json", "steps FILE --json"];
    let asked = LONG_SHAPES.iter().flat_map(|shape| commands.map(|command| (command, shape)));
    let found: Vec<String> = asked.filter_map(|(command, shape)| excess(command, shape)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

macro_rules! scaling {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                scales(stringify!($name));
            }
        )*

        #[test]
        fn every_shape_is_tried() {
            let tried = [$(stringify!($name)),*];
            assert!(SHAPES.iter().map(|shape| shape.name).eq(tried), "{tried:?}");
        }
    };
}

scaling!(
    keys,
    kinds,
    instances,
    messages,
    same,
    line,
    string,
    deep,
    errors,
    fan_in,
    fan_out,
    product,
    chain,
    dangling,
    calls,
    replaced,
    appended,
    results,
    envelopes,
    inserted,
    inserted_kinds,
    inserted_between,
    output_paths,
    erased,
    schema,
    broken,
    chats,
    attempts,
    chat_calls,
    outputs,
    slots,
    contracts,
    answers,
    collapses,
    chunks,
);
