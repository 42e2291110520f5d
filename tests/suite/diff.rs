//! Differences, stretches and causes: against plain folds of leaves, from the command line, and on the screen.

use super::command::{fed, file, obelus as ask, program, sample};
use super::stage::press;
use obelus::json::{Key, Value, parse};
use obelus::model::{Identity, StepNo};
use obelus::panes::Hit;
use obelus::shell::headless::Stage;
use obelus::source::Input;
use obelus::state::diff::{At, DiffPart, align, partner, states, steps};
use obelus::state::intervals::StepInterval;
use obelus::state::{NodeId, Op, Tree, Write};
use obelus::ui::Theme;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;
use std::fs;

/// Every leaf of a state: identity and path, with its text.
type Leaves = BTreeMap<(Identity, Vec<Key>), String>;

fn value() -> impl Strategy<Value = String> {
    let leaf = select(vec!["1", "1.0", "null", "\"a text that is rather long\"", "{}", "[]"]).prop_map(str::to_owned);
    leaf.prop_recursive(3, 12, 4, |inner| {
        let member = (select(vec!["a", "b", "0"]), inner.clone()).prop_map(|(k, v)| format!("\"{k}\":{v}"));
        let object = vec(member, 0..4).prop_map(|members| format!("{{{}}}", members.join(",")));
        let array = vec(inner, 0..4).prop_map(|elements| format!("[{}]", elements.join(",")));
        prop_oneof![2 => object, 1 => array]
    })
}

/// Kind, value, how it acts at the root.
fn write() -> impl Strategy<Value = (usize, String, Op)> {
    let op = select(vec![Op::Merge, Op::Merge, Op::Replace, Op::Push, Op::Remove, Op::Opaque]);
    (0..2_usize, value(), op)
}

fn tree(writes: &[(usize, String, Op)]) -> Tree {
    let mut tree = Tree::new();
    for (at, (kind, text, op)) in (0..).zip(writes) {
        let identity = tree.intern(&Identity::global(["k", "l"][*kind]));
        let value = parse(text).unwrap();
        let ops = [(Vec::new(), *op)];
        tree.write(&Write { at, author: at, identity, value: Some(&value), base: None, ops: &ops });
    }
    tree
}

fn leaves(tree: &Tree, step: StepNo) -> Leaves {
    let mut all = Leaves::new();
    for view in tree.identities(step) {
        for leaf in view.root.into_iter().flat_map(|root| tree.leaves(root, step)) {
            let text = leaf.value.text(&Vec::new()).unwrap().into_owned();
            all.insert((tree.identity(view.id).clone(), leaf.path), text);
        }
    }
    all
}

/// The old leaves with what differs taken away and put in.
fn applied(mut leaves: Leaves, parts: &[DiffPart], old: &Tree, new: &Tree) -> Leaves {
    let differences = || parts.iter().filter_map(|part| if let DiffPart::Differs(d) = part { Some(d) } else { None });
    for difference in differences() {
        if let Some(side) = &difference.old {
            let text = leaves.remove(&(old.identity(side.id).clone(), difference.path.clone()));
            assert_eq!(text.as_deref(), Some(&*side.value.text(&Vec::new()).unwrap()), "the old leaf was there");
        }
    }
    for difference in differences() {
        if let Some(side) = &difference.new {
            let text = side.value.text(&Vec::new()).unwrap().into_owned();
            let before = leaves.insert((new.identity(side.id).clone(), difference.path.clone()), text);
            assert_eq!(before, None, "no leaf stands twice");
        }
    }
    leaves
}

/// The stretches by asking at every step.
fn slow(last: StepNo, is_so: impl Fn(StepNo) -> bool) -> Vec<StepInterval> {
    let mut out: Vec<StepInterval> = Vec::new();
    for step in 0..=last {
        if is_so(step) && (step == 0 || !is_so(step - 1)) {
            out.push(StepInterval { from: step, to: None });
        } else if !is_so(step)
            && let Some(open) = out.last_mut().filter(|s| s.to.is_none())
        {
            open.to = Some(step - 1);
        }
    }
    out
}

fn texts(tree: &Tree, node: NodeId, last: StepNo) -> Vec<Option<String>> {
    (0..=last).map(|step| tree.text(node, step, &Vec::new())).collect()
}

/// A JSON text with its members in order, so that texts are equal where values are.
fn sorted(value: &Value<'_>) -> String {
    let Some(object) = value.as_object() else {
        let Some(items) = value.as_array() else { return obelus::json::compact(value) };
        return format!("[{}]", items.iter().map(sorted).collect::<Vec<_>>().join(","));
    };
    let mut members: Vec<_> = object.entries().map(|(key, value)| format!("{key:?}:{}", sorted(value))).collect();
    members.sort();
    format!("{{{}}}", members.join(","))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_difference_makes_the_old_state_the_new(a in vec(write(), 1..10), b in vec(write(), 0..6), cut in 0..10_usize) {
        let one = tree(&a);
        let last = a.len() as StepNo - 1;
        for from in -1..=last {
            for to in -1..=last {
                let parts = steps(&one, from, to);
                prop_assert_eq!(applied(leaves(&one, from), &parts, &one, &one), leaves(&one, to));
                prop_assert_eq!(&parts, &states(At { tree: &one, step: from }, At { tree: &one, step: to }));
            }
        }
        let mut other = a[..cut.min(a.len())].to_vec();
        other.extend(b);
        let two = tree(&other);
        let parts = states(At { tree: &one, step: last }, At { tree: &two, step: 99 });
        prop_assert_eq!(applied(leaves(&one, last), &parts, &one, &two), leaves(&two, 99));
    }

    #[test]
    fn what_is_aligned_is_alike(a in vec(0..6_u128, 0..30), b in vec(0..6_u128, 0..30)) {
        let hunks = align(&a, &b);
        let (mut at, mut made) = (0, Vec::new());
        for hunk in &hunks {
            prop_assert!(!hunk.old.is_empty() || !hunk.new.is_empty());
            made.extend_from_slice(&a[at..hunk.old.start]);
            prop_assert_eq!(made.len(), hunk.new.start);
            made.extend_from_slice(&b[hunk.new.clone()]);
            at = hunk.old.end;
        }
        made.extend_from_slice(&a[at..]);
        prop_assert_eq!(&made, &b);
        for (old, said) in a.iter().enumerate() {
            let is_in_hunk = hunks.iter().any(|hunk| hunk.old.contains(&old));
            let other = partner(&hunks, old);
            prop_assert!(is_in_hunk || other.is_some_and(|new| *said == b[new]), "{} {:?}", old, other);
        }
    }

    #[test]
    fn stretches_are_those_of_every_step(a in vec(write(), 1..12), wanted in value()) {
        let one = tree(&a);
        let last = a.len() as StepNo - 1;
        for view in one.identities(last) {
            let id = view.id;
            for path in [vec![], vec![Key::name("a")], vec![Key::Index(0)]] {
                let Some(node) = one.node(id, &path) else { continue };
                let texts = texts(&one, node, last);
                let at = |step: StepNo| texts[usize::try_from(step).unwrap()].as_deref();
                let wants = texts.iter().flatten().cloned().chain([wanted.clone()]);
                let is_opaque = a.iter().any(|(_, _, op)| *op == Op::Opaque);
                for wanted in wants.filter(|_| !is_opaque) {
                    let value = parse(&wanted).unwrap();
                    let same = |text: &str| sorted(&parse(text).unwrap()) == sorted(&value);
                    prop_assert_eq!(
                        one.when_equal(node, &value, last),
                        slow(last, |step| at(step).is_some_and(same)),
                        "{} in {:?}", wanted, texts
                    );
                }
                let has_a = |text: &str| text.contains('a');
                let slowly = slow(last, |step| at(step).is_some_and(has_a));
                prop_assert_eq!(one.when_text(node, last, &Vec::new(), has_a), slowly);
                let covered: Vec<bool> = (0..=last)
                    .map(|s| one.when_changed(node, last).iter().any(|x| x.from <= s && x.to.is_none_or(|to| s <= to)))
                    .collect();
                prop_assert_eq!(covered, texts.iter().map(Option::is_some).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn an_inserted_step_does_not_make_the_rest_differ() {
    let folder = tempfile::tempdir().unwrap();
    let a = sample("trip-run.jsonl");
    let text = fs::read_to_string(&a).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let later = lines.iter().position(|l| l.contains("1650.00")).unwrap();
    lines[later] = lines[later].replace("1650.00", "1660.00");
    lines.insert(20, r#"{"type":"text","role":"user","text":"Wait."}"#.to_owned());
    let b = file(folder.path(), "b.jsonl", &lines.join("\n"));
    let (status, stdout, stderr) = ask(&["diff", &a, &b, "--json"]);
    assert_eq!(status, 1, "{stderr}");
    let (at, behind) = (later, later + 1);
    let hunks =
        format!(r#""hunks":[{{"a":[20,20],"b":[20,21]}},{{"a":[{at},{behind}],"b":[{behind},{}]}}]"#, later + 2);
    assert!(stdout.starts_with("{\"obelus\":1,\"format\":\"acts\"") && stdout.contains(&hunks), "{stdout}");
    assert!(stdout.contains(r#""aligned":{"a":20,"b":21,"differences":[]}"#), "{stdout}");
    assert!(stdout.contains(r#""end":{"a":65,"b":66,"differences":[{"ref":"#), "{stdout}");
    let (status, stdout, _) = ask(&["diff", &a, &b, "--step", "19"]);
    assert_eq!(status, 0, "{stdout}");
    let (_, stdout, _) = ask(&["diff", &a, &b]);
    assert!(stdout.contains("\n  … 20 steps alike\n+ @20  user Wait.\n"), "{stdout}");
    assert_eq!(ask(&["diff", &a, &a]).0, 0);
    let long =
        |end: &str| format!("{{\"type\":\"text\",\"role\":\"user\",\"text\":\"{}{end}\"}}\n", "again ".repeat(40));
    let (a, b) = (file(folder.path(), "x.jsonl", &long("one")), file(folder.path(), "y.jsonl", &long("two")));
    let (_, stdout, _) = ask(&["diff", &a, &b]);
    assert!(stdout.contains("again one") && stdout.contains("again two"), "what differs is shown: {stdout}");
}

#[test]
fn order_of_members_and_white_space_are_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let a = file(folder.path(), "a.jsonl", "{\"level\":\"info\",\"n\":1.0}\n{\"x\":1}\n");
    let b = file(folder.path(), "b.jsonl", "{ \"n\": 1.0, \"level\": \"inf\\u006f\" }\n{\"x\":1}\n");
    let c = file(folder.path(), "c.jsonl", "{\"level\":\"info\",\"n\":1}\n{\"x\":1\n");
    assert_eq!(ask(&["diff", &a, &b]).0, 0);
    let (status, stdout, _) = ask(&["diff", &a, &c, "--json"]);
    assert_eq!(status, 1);
    assert!(stdout.contains(r#""hunks":[{"a":[0,2],"b":[0,2]}]"#), "{stdout}");
}

#[test]
fn steps_and_instances_of_one_run_differ_by_path() {
    let run = sample("trip-run.jsonl");
    let (status, stdout, _) = ask(&["diff", &run, "--from", "40", "--to", "41", "--json"]);
    assert_eq!(status, 1);
    assert!(stdout.starts_with(r#"{"obelus":1,"format":"acts","step":41,"steps":66,"from":40,"to":41,"#), "{stdout}");
    let budget = r#"{"ref":"†state.budget","instance":"②","old":{"value":1500,"step":28,"tool":"quoteHotel","#;
    assert!(stdout.contains(budget), "{stdout}");
    assert_eq!(ask(&["diff", &run, "--from", "1", "--to", "0"]).0, 0, "nothing was written");
    let (status, stdout, _) = ask(&["diff", &run, "--instances", "①", "②", "--kind", "input", "--step", "5"]);
    assert_eq!(status, 1);
    let budgets: Vec<&str> = stdout.lines().filter(|line| line.contains("†input.budget")).collect();
    assert!(budgets[0].starts_with("-  @3  †input.budget (①) ") && budgets[0].ends_with(" 1800"), "{stdout}");
    assert!(budgets[1].starts_with("+  @4  †input.budget (②) ") && budgets[1].ends_with(" 1500"), "{stdout}");
}

#[test]
fn a_question_that_fits_nothing_is_trouble() {
    let run = sample("trip-run.jsonl");
    for arguments in [
        vec!["diff", &run],
        vec!["diff", &run, &sample("pole-survey.jsonl")],
        vec!["diff", "-", "-"],
        vec!["diff", &run, "--instances", "①", "⑨", "--kind", "state"],
        vec!["diff", &run, "--instances", "①", "②"],
        vec!["diff", &run, &run, "--from", "3"],
        vec!["when", &run, "†state.status"],
        vec!["when", &run, "†state.status", "--equals", "done"],
        vec!["when", &run, "†state.status", "--matches", "("],
        vec!["when", &run, "state..x", "--changes"],
        vec!["cause", &run, "]"],
    ] {
        let (status, stdout, stderr) = ask(&arguments);
        assert_eq!((status, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
        assert!(!stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn when_reports_first_and_later_stretches() {
    let run = sample("trip-run.jsonl");
    let (status, stdout, _) = ask(&["when", &run, "†state.budget", "--instance", "②", "--equals", "1500", "--json"]);
    assert_eq!(status, 0);
    let first = r#""first":{"from":7,"to":40,"ref":"†state.budget","instance":"②","value":1500,"step":7,"#;
    assert!(stdout.contains(first), "{stdout}");
    let (status, stdout, _) = ask(&["when", &run, "†state.budget", "--instance", "②", "--equals", "7", "--json"]);
    assert_eq!(status, 1);
    assert!(stdout.ends_with("\"first\":null,\"intervals\":[]}\n"), "{stdout}");
    let (_, stdout, _) = ask(&["when", &run, "†state.status", "--matches", "^b.*g$"]);
    assert!(stdout.starts_with("@35") && stdout.contains("\"booking\""), "{stdout}");
    if obelus::state::IS_CHECKED {
        let (status, stdout, _) = ask(&["when", &run, "†state.budget", "--instance", "②", "--invalid", "--json"]);
        assert_eq!(status, 0);
        assert!(stdout.contains(r#""first":{"from":41,"to":null,"#) && stdout.contains("\"message\":\""), "{stdout}");
        assert_eq!(ask(&["when", &run, "†state.budget", "--instance", "①", "--invalid"]).0, 1);
    }
    let (_, stdout, _) = ask(&["when", &run, "†state.budget", "--instance", "②", "--changes"]);
    assert_eq!(stdout.lines().map(|l| l.split_whitespace().next().unwrap()).collect::<Vec<_>>(), ["@7", "@41"]);
}

#[test]
fn a_value_is_followed_to_where_it_first_came_in() {
    let run = sample("trip-run.jsonl");
    let (status, stdout, _) = ask(&["cause", &run, "†state.booked[0].amount", "--instance", "①"]);
    assert_eq!(status, 0);
    let expected = "†state.booked[0].amount  387.00  @34 by bookHotel\n  = †state.hotel.total ① @26 by quoteHotel\n  \
                = result of call 25\n";
    assert_eq!(stdout, expected);
    let (status, stdout, _) = ask(&["cause", &run, "†state.budget", "--step", "0"]);
    assert_eq!((status, stdout.as_str()), (1, "no value there at this step\n"));
    let (status, stdout, _) = ask(&["cause", &run, "†state.booked[0]", "--instance", "①"]);
    let (line, name) = stdout.trim_end().rsplit_once(' ').unwrap();
    assert_eq!((status, line), (1, "there are several values at this step; name one, as"));
    assert_eq!(ask(&["cause", &run, name, "--instance", "①"]).0, 0, "{name}");
    let (_, stdout, _) = ask(&["history", &run, "†state.budget", "--instance", "②", "--json"]);
    let cause = r#""cause":{"from":"value","ref":"†input.budget","instance":"②","step":4,"#;
    assert_eq!(stdout.matches(cause).count(), 3, "{stdout}");
    let (_, stdout, _) = ask(&["cause", &run, "†state.booked[0].amount", "--instance", "①", "--json"]);
    assert!(stdout.ends_with("},{\"from\":\"result\",\"step\":26,\"call\":25}]}\n"), "{stdout}");
    let (_, stdout, _) = ask(&["history", &run, "†state.budget", "--instance", "①"]);
    assert!(stdout.contains("unchanged  1800  = †input.budget ① @3"), "{stdout}");
}

fn stage() -> Stage {
    let text = fs::read(sample("trip-run.jsonl")).unwrap();
    let input = Input::memory("trip-run.jsonl", text);
    Stage::open(input, None, (130, 32), Theme::built_in("dark").unwrap()).unwrap()
}

fn screen(stage: &Stage) -> String {
    let buffer = stage.buffer();
    let row = |y: u16| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..buffer.area.height).map(row).collect::<Vec<_>>().join("\n")
}

fn focus(stage: &Stage) -> (StepNo, String) {
    let open = stage.app.session.open().unwrap();
    let (reference, instance) = open.focus_reference().unwrap_or_default();
    (open.step(), instance.map_or(reference.clone(), |i| format!("{reference} {i}")))
}

#[test]
fn a_line_of_the_diff_leads_to_its_value_and_writer() {
    let mut stage = stage();
    press(&mut stage, ": type:41 Enter 5");
    assert!(screen(&stage).contains("state @40 → @41"), "{}", screen(&stage));
    let line = stage.app.inspector.diff.text.lines().iter().position(|l| l.text.contains("− 1500")).unwrap();
    stage.app.inspector.diff.text.scroll.cursor = line;
    press(&mut stage, "Enter");
    assert_eq!(focus(&stage), (28, "†state.budget ②".to_owned()));
    press(&mut stage, "Backspace");
    assert_eq!(focus(&stage).0, 41);
}

#[test]
fn instances_are_compared_pair_by_pair() {
    let mut stage = stage();
    press(&mut stage, ": type:41 Enter ]c J");
    let first = stage.app.inspector.diff.text.lines()[0].text.clone();
    assert!(first.starts_with('¶') && first.contains(" ① → ② "), "{first}");
    press(&mut stage, "J J J");
    assert!(
        stage.app.inspector.diff.text.lines()[0].text.starts_with("state @"),
        "behind the last pair come steps again"
    );
}

#[test]
fn changes_of_a_step_and_the_beginning_of_a_value_are_found() {
    let mut stage = stage();
    press(&mut stage, ": type:41 Enter ]c");
    let (step, first) = focus(&stage);
    assert!(step == 41 && first.starts_with("†state.hotel"), "{first}");
    press(&mut stage, "[c");
    assert_eq!(focus(&stage).1, "†state.budget ②");
    press(&mut stage, ": type:60 Enter ^");
    assert_eq!(focus(&stage), (41, "†state.budget ②".to_owned()));
    press(&mut stage, "^");
    assert_eq!(stage.app.notice.as_ref().map(|n| n.text.as_str()), Some("it became so at this step"));
}

#[test]
fn the_history_says_where_values_were_copied_from() {
    let mut stage = stage();
    press(&mut stage, ": type:28 Enter [c");
    for _ in 0..10 {
        if focus(&stage).1 == "†state.budget ②" {
            break;
        }
        press(&mut stage, "[c");
    }
    press(&mut stage, "4 z");
    let shown = screen(&stage);
    assert!(shown.contains("1500   = †input.budget ② @4"), "{shown}");
    let window = stage.app.pane_window(obelus::app::Pane::Inspector);
    assert!(window.rows.iter().any(|row| row.hit == Hit::Row(0)), "rows can still be clicked");
}

#[test]
fn a_long_list_is_folded_until_it_is_asked_for() {
    let many: Vec<String> = (0..40).map(|i| format!("\"entry number {i}\"")).collect();
    let text = format!(
        "{{\"type\":\"state\",\"state\":{{\"a\":1}}}}\n{{\"type\":\"state\",\"state\":{{\"l\":[{}]}}}}\n",
        many.join(",")
    );
    let input = Input::memory("list.jsonl", text.into_bytes());
    let mut stage = Stage::open(input, None, (130, 32), Theme::built_in("dark").unwrap()).unwrap();
    press(&mut stage, "$ 5");
    let folded = |stage: &Stage| stage.app.inspector.diff.text.lines().iter().position(|l| l.fold.is_some());
    let line = folded(&stage).unwrap();
    assert_eq!(stage.app.inspector.diff.text.lines()[line].text, "▸ 34 more in †state.l");
    stage.app.inspector.diff.text.scroll.cursor = line;
    press(&mut stage, "Enter");
    assert_eq!(folded(&stage), None);
    assert!(stage.app.inspector.diff.text.lines().iter().any(|l| l.text.contains("entry number 39")));
}

#[test]
fn a_dataset_may_come_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let record = |id: &str| format!("{{\"id\":\"{id}\",\"content\":[]}}\n");
    let (old, new) = (record("a") + &record("b"), record("a") + &record("c"));
    file(folder.path(), "a.jsonl", &old);
    let (status, stdout, stderr) = fed(folder.path(), &["diff", "a.jsonl", "-"], &new);
    assert_eq!((status, stderr.as_str()), (1, ""));
    assert!(stdout.contains("- 1  b\n+ 1  c\n"), "{stdout}");
    let (status, stdout, _) = fed(folder.path(), &["diff", "-", "a.jsonl", "--changes", "--json"], &old);
    assert!(status == 0 && stdout.contains("\"same\":2"), "{stdout}");
    let (status, _, stderr) = fed(folder.path(), &["diff", "-", "-"], &old);
    assert!(status == 2 && stderr.contains("only one of the two"), "{stderr}");
    let (status, stdout, _) = fed(folder.path(), &["diff", "a.jsonl", "-", "--record", "0"], &new);
    assert!(status == 0 && stdout.starts_with("--- a.jsonl"), "one run as before: {stdout}");
}

#[test]
fn of_a_log_with_several_trajectories_the_first_is_compared() {
    let folder = tempfile::tempdir().unwrap();
    let agent = |name: &str| {
        let messages = format!("{{\"role\":\"user\",\"content\":[{{\"type\":\"text\",\"text\":\"{name}\"}}]}}");
        format!("{{\"name\":\"{name}\",\"agent_type\":\"x\",\"messages\":[{messages},{messages}]}}")
    };
    let agents = |agents: &[String]| format!("{{\"agents\":[{}],\"blocks\":[],\"tools\":[]}}", agents.join(","));
    file(folder.path(), "one.af", &agents(&[agent("ann")]));
    file(folder.path(), "two.af", &agents(&[agent("ann"), agent("bob")]));
    for (a, b) in [("one.af", "two.af"), ("two.af", "one.af")] {
        let (status, stdout, stderr) = fed(folder.path(), &["diff", a, b], "");
        let heads: Vec<&str> = stdout.lines().take(2).collect();
        assert_eq!(heads, [format!("--- {a}  2 steps"), format!("+++ {b}  2 steps")], "{stdout}");
        assert!(stdout.contains("2 steps alike"), "{status}: {stdout}");
        assert!(stderr.contains("only the first of 2 trajectories is compared; --record R"), "{stderr}");
    }
    file(folder.path(), "other.af", &agents(&[agent("ann"), agent("bib")]));
    let (_, stdout, stderr) = fed(folder.path(), &["diff", "two.af", "two.af", "--record", "1"], "");
    assert!(stderr.is_empty() && stdout.contains("two.af  2 steps") && stdout.contains("2 steps alike"), "{stdout}");
    let (status, stdout, _) = fed(folder.path(), &["diff", "two.af", "other.af", "--record", "1"], "");
    assert!(status == 1 && stdout.contains("- @2  user") && stdout.contains("+ @2  user"), "{stdout}");
    let (status, stdout, _) = fed(folder.path(), &["diff", "two.af", "other.af", "--record", "1", "--json"], "");
    assert!(status == 1 && stdout.contains("\"hunks\":[{\"a\":[2,4],\"b\":[2,4]}]"), "{stdout}");
}

/// Bytes that a command and what it started read, as the system counts them; None where it does not.
fn bytes_read(folder: &std::path::Path, words: &str) -> Option<u64> {
    let script = format!("\"$0\" {words} > out; cat /proc/$$/io");
    let mut shell = std::process::Command::new("sh");
    let output = shell.args(["-c", &script]).arg(program().get_program()).current_dir(folder).output().unwrap();
    let output_text = String::from_utf8(output.stdout).unwrap();
    output_text.lines().find_map(|line| line.strip_prefix("rchar: "))?.parse().ok()
}

#[test]
fn records_of_datasets_are_read_alone_not_with_what_stands_around_them() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = |text: &str| {
        (0..2_000).map(|i| format!("{{\"id\":\"{i}\",\"content\":[],\"x\":\"{text}\"}}\n")).collect::<String>()
    };
    file(folder.path(), "a.jsonl", &dataset("old"));
    file(folder.path(), "b.jsonl", &dataset("new"));
    let size = dataset("old").len() as u64;
    for words in ["diff a.jsonl b.jsonl --json", "diff a.jsonl b.jsonl --json --changes"] {
        let Some(read) = bytes_read(folder.path(), words) else { continue };
        assert!(read > 2 * size && read < 100 * size, "{words}: {read} bytes of {size}");
        let out = fs::read_to_string(folder.path().join("out")).unwrap();
        assert_eq!(out.matches("{\"id\":\"").count(), 2_000);
    }
}

#[test]
fn records_that_changed_say_what_became_of_their_reward() {
    let folder = tempfile::tempdir().unwrap();
    let record = |id: &str, say: &str, reward: &str| {
        format!("{{\"id\":\"{id}\",\"reward\":{reward},\"messages\":[{{\"role\":\"user\",\"content\":\"{say}\"}}]}}\n")
    };
    let a =
        record("up", "x", "0") + &record("down", "x", "1.0") + &record("same", "x", "1") + &record("none", "x", "null");
    let b =
        record("up", "y", "0.5") + &record("down", "y", "0") + &record("same", "y", "1") + &record("none", "y", "null");
    let (a, b) = (file(folder.path(), "a.jsonl", &a), file(folder.path(), "b.jsonl", &b));
    let (status, stdout, _) = ask(&["diff", &a, &b]);
    let pairs: Vec<&str> = stdout.lines().filter(|line| line.starts_with('~')).collect();
    let expected =
        ["~ 0 → 0  up  reward 0 → 0.5", "~ 1 → 1  down  reward 1 → 0", "~ 2 → 2  same  reward 1", "~ 3 → 3  none"];
    assert_eq!((status, pairs.as_slice()), (1, &expected[..]));
    let json = ask(&["diff", &a, &b, "--json"]).1;
    assert!(json.contains(r#"{"id":"up","a":0,"b":0,"reward":{"a":0.0,"b":0.5}}"#), "{json}");
    assert!(json.contains(r#"{"id":"none","a":3,"b":3}"#), "{json}");
}
