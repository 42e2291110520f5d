//! D20: which values of a record become state, and which do not.

use super::*;
use crate::json::parse;
use crate::rules::trajectory::Way;

/// A slot at a step, as JSON text; None if it is not there.
fn slot(text: &str, way: Way, step: StepNo, [kind, instance, name]: [&str; 3]) -> Option<String> {
    let value = parse(text).unwrap();
    let mut tree = Tree::new();
    write_state(&way.read(&value), 0, &mut tree);
    let node = tree.node(tree.find(&Identity::of(kind, instance))?, &[Key::name(name)])?;
    tree.text(node, step, &text.as_bytes().to_vec())
}

/// A slot after the last of these items of a standardized trajectory.
fn after(items: &str, path: [&str; 3]) -> Option<String> {
    slot(&format!(r#"{{"id":"t","content":[{items}],"details":{{}}}}"#), Way::Protocol, StepNo::MAX, path)
}

const USER: &str = r#"{"class_":"text_observation","content":"q","source":"user"}"#;
const AGENT: &str = r#"{"class_":"message_action","content":"a"}"#;
const RESULT: &str = r#"{"class_":"text_observation","content":"r","source":"environment"}"#;

#[test]
fn d20_members_of_the_head_that_have_another_type_or_are_null_are_left_out() {
    let head = |version: &str, apis: &str| {
        format!(r#"{{"id":"t","schema_version":{version},"available_apis":{apis},"content":[{USER}],"details":{{}}}}"#)
    };
    let of = |text: &str| {
        let paths = [["trajectory", "main", "schema_version"], ["available", "apis", "names"]];
        paths.map(|path| slot(text, Way::Protocol, HEAD, path))
    };
    assert_eq!(of(&head(r#""1""#, r#"["ls"]"#)), [Some(r#""1""#.to_owned()), Some(r#"["ls"]"#.to_owned())]);
    assert_eq!(of(&head("1", r#""ls""#)), [None, None]);
    let row = r#"{"messages":[{"role":"user","content":"q"}],"reward":null,"label":"good"}"#;
    let of_row = |name| slot(row, Way::Formats, HEAD, ["trajectory", "main", name]);
    assert_eq!((of_row("reward"), of_row("label")), (None, Some(r#""good""#.to_owned())));
}

#[test]
fn d20_a_turn_is_a_stretch_of_steps_of_the_agent_and_an_unknown_role_has_no_count() {
    let turns = |items: &[&str]| after(&items.join(","), ["conversation", "main", "turns"]);
    assert_eq!(turns(&[USER, AGENT, AGENT]).as_deref(), Some("1"));
    assert_eq!(turns(&[USER, AGENT, AGENT, RESULT, AGENT]).as_deref(), Some("2"));
    let unknown = after(r#"{"x":1}"#, ["conversation", "main", StepRole::Unknown.name()]);
    assert_eq!((unknown, after(r#"{"x":1}"#, ["conversation", "main", "steps"]).as_deref()), (None, Some("1")));
}

#[test]
fn d20_only_what_comes_from_the_environment_is_what_the_agent_sees() {
    let text = ["env", "text", "content"];
    assert_eq!(after(USER, text), None);
    assert!(after(RESULT, text).is_some());
    let json = |content: &str| {
        let item = format!(r#"{{"class_":"json_observation","content":{content},"source":"environment"}}"#);
        after(&item, ["env", "json", "content"])
    };
    assert_eq!((json(r#"{"a":1}"#).as_deref(), json("[1]")), (Some(r#"{"a":1}"#), None));
    let chat = r#"{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}"#;
    assert_eq!(slot(chat, Way::Formats, StepNo::MAX, text), None);
}

#[test]
fn d20_a_viewport_has_two_sides_and_an_image_as_long_as_a_path_is_an_address() {
    let viewport = |sides: &str| {
        let item = format!(r#"{{"class_":"web_observation","url":"u","html":"h","viewport_size":{sides}}}"#);
        after(&item, ["env", "web", "viewport"])
    };
    assert_eq!((viewport("[3,2]").as_deref(), viewport("[3,2,1]").as_deref()), (Some("[3,2]"), Some("null")));
    let image = |chars: usize| {
        let item =
            format!(r#"{{"class_":"image_observation","content":"{}","source":"environment"}}"#, "é".repeat(chars));
        after(&item, ["env", "screen", "image"]).unwrap()
    };
    assert!(image(IMAGE_PATH_MAX).starts_with('"') && image(IMAGE_PATH_MAX + 1).starts_with('{'));
}

#[test]
fn d20_only_actions_have_thoughts() {
    let thought = |item: &str| after(item, ["agent", "main", "thought"]).is_some();
    assert!(thought(r#"{"class_":"message_action","content":"a","description":"why"}"#));
    assert!(!thought(r#"{"class_":"text_observation","content":"r","description":"why","source":"environment"}"#));
}

/// A run with a call, and the run of a sub-agent behind it.
const WITH_SUB_AGENT: &str = r#"{"schema_version":"ATIF-v1.8","trajectory_id":"p","agent":{"name":"a","version":"1"},
    "steps":[
    {"step_id":1,"source":"user","message":"find it"},
    {"step_id":2,"source":"agent","message":"",
        "tool_calls":[{"tool_call_id":"c1","function_name":"delegate","arguments":{"task":"find"}}],
        "observation":{"results":[{"source_call_id":"c1","subagent_trajectory_ref":[{"trajectory_id":"c"}]}]}}],
    "subagent_trajectories":[{"schema_version":"ATIF-v1.8","trajectory_id":"c","agent":{"name":"b","version":"1"},
        "steps":[{"step_id":1,"source":"user","message":"find"},
        {"step_id":2,"source":"agent","message":"found"}]}]}"#;

#[test]
fn d20_a_further_trajectory_begins_with_nothing_that_steps_derived() {
    let value = parse(WITH_SUB_AGENT).unwrap();
    let reading = Way::Formats.read(&value);
    let first = reading.further_tracks().next().unwrap().steps.start;
    let at = |step: usize, path| slot(WITH_SUB_AGENT, Way::Formats, cast::to_step(step), path);
    let of = |step, path| at(step, path).is_some();
    let (calls, agent) = (["tool", "delegate", "calls"], ["conversation", "main", "agent"]);
    assert!(of(first - 1, calls) && of(first - 1, agent));
    assert!(!of(first, calls) && !of(first, agent));
    assert_eq!(at(first, ["conversation", "main", "steps"]).as_deref(), Some("1"));
    assert_eq!(at(first - 1, ["trajectory", "main", "id"]).as_deref(), Some(r#""p""#));
    assert_eq!(at(first, ["trajectory", "main", "id"]).as_deref(), Some(r#""c""#));
}

#[test]
fn d20_the_other_answer_of_a_pair_keeps_the_id_of_its_record() {
    let pair = r#"{"id":"p","chosen":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],
        "rejected":[{"role":"user","content":"q"},{"role":"assistant","content":"b"}]}"#;
    let id = slot(pair, Way::Formats, StepNo::MAX, ["trajectory", "main", "id"]);
    assert_eq!(id.as_deref(), Some(r#""p""#));
}
