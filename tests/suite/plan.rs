//! Plans, instances side by side, references and files of ids, as they stand on screen.

use super::stage::{press, screen, shows};
use obelus::app::Pane;
use obelus::shell::headless::Stage;
use obelus::source::Input;
use obelus::ui::Theme;
use std::path::Path;

fn stage_of(input: std::sync::Arc<Input>, size: (u16, u16), keys: &str) -> Stage {
    let mut stage = Stage::open(input, None, size, Theme::built_in("dark").unwrap()).unwrap();
    press(&mut stage, keys);
    stage
}

fn sample(name: &str, size: (u16, u16), keys: &str) -> Stage {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/samples")).join(name);
    stage_of(Input::open(&path).unwrap(), size, keys)
}

/// The screen as text, a line a row.

#[test]
fn a_plan_stands_wave_by_wave_with_what_each_call_takes_and_gives() {
    let stage = sample("report-plan.json", (160, 45), ". 7");
    shows(&stage, &["plan @1 · 5 nodes, 5 edges, 4 waves", " wave 3", "✗ nothing", "▶ search  #0  ready"][..2]);
    shows(
        &stage,
        &["▶ search  #0  ready", "takes ✓ †input.topic", "gives   †state.hits", "├→ fetchTexts  †state.hits"],
    );
    shows(&stage, &["… draft  #3  waiting", "└→ publish  †state.draft", "takes … †state.approvals.publish"]);
    let later = sample("report-plan.json", (160, 45), ". . 7");
    shows(&later, &["✓ search  #0  done", "▶ fetchTexts  #1  ready", "gives ✓ †state.hits"]);
}

#[test]
fn enter_goes_from_a_node_to_its_step_and_from_a_port_to_its_value() {
    let mut stage = sample("report-plan.json", (160, 45), ". . 7");
    press(&mut stage, "j Enter");
    let focus = &stage.app.session.focus;
    assert_eq!(focus.path.as_ref().map(|(i, p)| (i.kind.as_str(), p.len())), Some(("input", 1)));
    assert_eq!(stage.app.pane, Pane::State);
    press(&mut stage, "7 k Enter");
    assert_eq!(stage.app.session.focus.step, 2, "the data message that the output path wrote");
    press(&mut stage, ", 7 Enter");
    assert_eq!(stage.app.session.focus.step, 1, "a call that did not run leads to its plan");
    press(&mut stage, "7 j j j Enter");
    shows(&stage, &["fetchTexts  #1"]);
}

#[test]
fn contracts_show_what_fits_and_what_is_missing() {
    let stage = sample("pole-survey.jsonl", (160, 45), ". . 7");
    shows(&stage, &["Contracts", "contracts @0 · 3 nodes, 2 edges, 3 waves", "✓ ImageSearchAgent  #0  done"]);
    shows(&stage, &["▶ AnalysisAgent  #1  ready", "… FolderAgent  #2  waiting", "takes ✓ results  FILE_IDS images"]);
    let text = concat!(
        r#"{"contracts":[{"name":"A","capability":"c","inputs":[{"name":"q","data_type":"TEXT"}],"#,
        r#""outputs":[{"name":"f","data_type":"FILE_IDS","content_type_hint":"images"}]},"#,
        r#"{"name":"B","capability":"c","inputs":[],"#,
        r#""outputs":[{"name":"g","data_type":"FILE_IDS","content_type_hint":"images"}]},"#,
        r#"{"name":"C","capability":"c","inputs":[{"name":"x","data_type":"FILE_IDS"}],"outputs":[]}]}"#
    );
    let stage = stage_of(Input::memory("x", text), (160, 45), "7");
    shows(&stage, &["✗ 1 conflict", "✗ conflict  A #0 and B #1 give FILE_IDS images", "✗ A  #0  dangling"]);
    shows(&stage, &["takes ✗ q  TEXT  nothing supplies it", "takes … x  FILE_IDS  A gives it"]);
}

#[test]
fn cycles_and_what_waits_behind_them_are_marked() {
    let text = r#"{"type":"plan","plan":[{"_tool":"a","x":"†k.b","_outputPath":"†k.a"},
        {"_tool":"b","x":"†k.a","_outputPath":"†k.b"},{"_tool":"c","x":"†k.a"}]}"#;
    let stage = stage_of(Input::memory("x", text), (160, 45), "7");
    shows(&stage, &["✗ 1 cycle", "✗ cycle  a, b wait for one another", "… blocked  behind a cycle"]);
}

#[test]
fn an_empty_plan_says_why() {
    shows(&sample("report-plan.json", (160, 45), "7"), &["No plan yet."]);
    shows(&sample("pole-context.json", (160, 45), "7"), &["No contracts yet."]);
    shows(&sample("tickets-std.jsonl", (160, 45), "Enter 7"), &["No plans in this format."]);
}

#[test]
fn a_plan_of_a_thousand_calls_is_a_list_of_folded_nodes() {
    let calls: Vec<String> = (0..1_000)
        .map(|i| format!(r#"{{"_tool":"t{i}","x":"†state.v{i}","_outputPath":"†state.v{}"}}"#, i + 1))
        .collect();
    let text = format!(r#"{{"type":"plan","plan":[{}]}}"#, calls.join(","));
    let mut stage = stage_of(Input::memory("x", text), (120, 30), "7");
    shows(&stage, &["1,000 nodes, 999 edges", "▸ ✗ t0  #0  dangling"]);
    press(&mut stage, "G");
    shows(&stage, &["t999"]);
    press(&mut stage, "l");
    shows(&stage, &["takes … †state.v999"]);
}

#[test]
fn instances_stand_side_by_side_and_what_differs_is_marked() {
    let mut stage = sample("moderation-instances.jsonl", (160, 45), "$ I");
    shows(&stage, &["¶input  instance 1 of 4  ≠ 2", "global", "①", "≠ tone", "≠ comment", "\"mild\""]);
    press(&mut stage, "l l l");
    assert_eq!(stage.app.session.focus.path.as_ref().and_then(|(i, _)| i.instance.clone()).as_deref(), Some("③"));
    shows(&stage, &["instance 4 of 4", "\"Buy cheap"]);
    press(&mut stage, "j j j");
    shows(&stage, &["¶state", "sentiment.label"]);
    press(&mut stage, "I");
    shows(&stage, &[" State @8"]);
    let narrow = sample("moderation-instances.jsonl", (40, 12), "$ I");
    shows(&narrow, &["global", "› ①"]);
    assert!(!screen(&narrow).contains('②'), "two columns at most");
    let trip = sample("trip-run.jsonl", (160, 45), "$ I");
    shows(&trip, &[" Instances ", "≠"]);
}

#[test]
fn references_are_marked_and_followed_and_their_readers_are_listed() {
    let text = concat!(
        r#"{"type":"state","state":{"a":{"b":1}}}"#,
        "\n",
        r#"{"type":"text","text":"see †state.a.b and †state.none, so"}"#,
        "\n",
        r#"{"type":"plan","plan":[{"_tool":"use","x":"†state.a","y":"†state.later"},{"_tool":"make","_outputPath":"†state.later"}]}"#,
    );
    let mut stage = stage_of(Input::memory("x", text), (160, 45), ". 1");
    shows(&stage, &["see †state.a.b and †state.none✗, so"]);
    press(&mut stage, "j j Enter");
    let name = |stage: &Stage| stage.app.session.focus.path.as_ref().map(|(i, p)| format!("{} {p:?}", i.kind));
    assert!(name(&stage).is_some_and(|n| n.contains("\"b\"")), "{:?}", name(&stage));
    press(&mut stage, "r");
    shows(&stage, &["Who reads †state.a.b · 1", "@2", "use", "reads †state.a"]);
    press(&mut stage, "Enter");
    assert_eq!(stage.app.session.focus.step, 2);
    press(&mut stage, "1");
    assert!(!screen(&stage).contains('✗'), "what the plan itself will write is awaited, not dangling");
}

#[test]
fn slots_show_type_source_and_time_and_ids_open_their_files_on_demand() {
    let mut stage = sample("pole-context.json", (260, 45), "Tab g");
    shows(&stage, &["FILE_IDS from north_search → current_image_ids 10:00:04", "TEXT from summary_agent"]);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("img-1.txt"), "a wooden pole\n").unwrap();
    stage.app.session.files = Some(folder.path().to_owned());
    press(&mut stage, "j j");
    shows(&stage, &["north_results.ids[0]"]);
    press(&mut stage, "Enter");
    shows(&stage, &[" File ", "img-1.txt", "a wooden pole"]);
    press(&mut stage, "Esc");
    assert!(!screen(&stage).contains("a wooden pole"));
    press(&mut stage, "j Enter");
    shows(&stage, &["no file in the folder of --files is named img-2"]);
}
