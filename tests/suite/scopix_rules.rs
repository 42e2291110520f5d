//! Scopix by the letter of its rules (S1 to S30), where the vectors say nothing.

use super::command::{file, obelus, obelus_in};
use obelus::json::{Value, compact, parse};

/// What a command prints of an input as Scopix.
fn answer(input: &str, words: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    file(folder.path(), "in.json", input);
    let (_, stdout, stderr) = obelus_in(folder.path(), &words.split(' ').collect::<Vec<_>>());
    assert_eq!(stderr, "", "{words}");
    stdout
}

/// The findings of an input, each as `step path rule`.
fn findings(input: &str) -> Vec<String> {
    let output = answer(input, "check in.json --format scopix --json");
    let line = |line: &str| {
        let value = parse(line).unwrap();
        let text = |key| value.get(key).and_then(Value::as_str).unwrap_or("-").to_owned();
        format!("{} {} {}", value.get("step").unwrap().text, text("path"), text("rule").replace("scopix.", ""))
    };
    output.lines().map(line).collect()
}

/// One member of a JSON answer, compact.
fn member(input: &str, words: &str, key: &str) -> String {
    let text = answer(input, words);
    let value = parse(text.trim()).unwrap();
    compact(value.get(key).unwrap())
}

fn contract(name: &str, inputs: &str, outputs: &str) -> String {
    format!(r#"{{"name":"{name}","capability":"c","inputs":[{inputs}],"outputs":[{outputs}]}}"#)
}

const REQUEST: &str = r#"{"steps":[{"agent":"a","intent":"i"},{"agent":"b","intent":"j"}]}"#;
const RESPONSE: &str =
    r#"{"success":true,"nodes":[{"agent":"a","status":"completed"},{"agent":"b","status":"skipped"}]}"#;

#[test]
fn further_collections_of_one_result_get_slots_of_their_own() {
    let (one, two) = (r#"{"ids":["1","2"],"content_type":"images"}"#, r#"{"ids":["2","3"],"content_type":"links"}"#);
    for input in [format!("{one}\n{two}\n"), format!("[{one},{two}]")] {
        let slots = member(&input, "state in.json --json", "slots");
        assert!(
            slots.contains(r#"{"name":"collection","#) && slots.contains(r#"{"name":"collection2","#),
            "S7: {slots}"
        );
        let merged = member(&input, "merge in.json --json", "merged");
        assert!(merged.contains(r#""slots":["collection","collection2"]"#), "S14: {merged}");
        assert!(merged.contains(r#""value":{"ids":["1","2","3"],"content_type":"mixed"}"#), "S15, S17: {merged}");
    }
    // Another record ends the result: the next collection replaces the first.
    let write = r#"{"slot_name":"n","value":1,"data_type":"TEXT","source_node":"s"}"#;
    let slots = member(&format!("{one}\n{write}\n{two}\n"), "state in.json --json", "slots");
    assert!(!slots.contains("collection2") && slots.contains(r#"["2","3"]"#), "S7: {slots}");
}

#[test]
fn contracts_without_steps_leave_the_pipeline_as_it_is() {
    let plain = contract("a", "", "");
    for more in [
        r#"{"contracts":[]}"#.to_owned(),
        format!(r#"{{"contracts":[{plain}],"steps":[]}}"#),
        format!(r#"{{"slots":{{}},"contracts":[{plain}]}}"#),
    ] {
        let input = format!("{REQUEST}\n{RESPONSE}\n{more}\n");
        assert_eq!(member(&input, "plan in.json --json", "source"), r#""pipeline""#, "S8: {more}");
        let nodes = member(&input, "plan in.json --json", "nodes");
        assert!(nodes.contains(r#""agent":"b","status":"skipped""#), "S25: {nodes}");
    }
    let input = format!("{REQUEST}\n{RESPONSE}\n{REQUEST}\n");
    assert!(!member(&input, "plan in.json --json", "nodes").contains("status"), "S8: the last pipeline counts");
}

#[test]
fn of_several_ports_of_one_name_the_first_counts() {
    let outputs =
        r#"{"name":"o","data_type":"TEXT"},{"name":"o","data_type":"FILE_IDS"},{"name":"o","data_type":"ODD"}"#;
    let inputs = r#"{"name":"i","data_type":"TEXT","required":false},{"name":"i","data_type":"CROSS_REF"}"#;
    let result = r#"{"agent_name":"A","success":true,"outputs":{"o":{"ids":["1"]}}}"#;
    let input = format!(
        "{}\n{result}\n{}\n",
        contract("A", inputs, outputs),
        contract("B", r#"{"name":"f","data_type":"FILE_IDS","required":false}"#, "")
    );
    assert!(member(&input, "state in.json --json", "slots").contains(r#""data_type":"TEXT""#), "S5, S8");
    assert_eq!(findings(&input), [""; 0], "S8, S28, S29");
    assert_eq!(member(&input, "plan in.json --json", "edges"), "[]", "S8, S25");
}

#[test]
fn lists_of_categories_are_unions_and_null_counts_as_absent() {
    let slot = |value: &str| format!(r#"{{"value":{value},"data_type":"CATEGORIZATION","source_node":"s"}}"#);
    let one = r#"{"categories":[{"top_tags":["t","t"],"name":"A","file_ids":null,"description":null,"confidence":null},
        {"name":"B","description":null}]}"#;
    let two = r#"{"categories":[{"name":"a","confidence":0.5,"file_ids":["1","1"],"document_ids":["1"]}]}"#;
    let input = format!(r#"{{"slots":{{"x":{},"y":{}}}}}"#, slot(one), slot(two));
    let merged = member(&input, "merge in.json --json", "merged");
    let value = concat!(
        r#""value":{"categories":[{"top_tags":["t"],"name":"A","file_ids":["1"],"document_ids":["1"],"#,
        r#""confidence":0.5},{"name":"B"}],"total_files":1,"status":"success"}"#
    );
    assert!(merged.contains(value), "S19: {merged}");
}

#[test]
fn an_index_of_the_step_itself_is_a_circle_and_one_out_of_range_is_no_edge() {
    let steps = r#"{"steps":[{"agent":"a","intent":"i","depends_on":[7]},{"agent":"b","intent":"i","depends_on":[1]},
        {"agent":"c","intent":"i","depends_on":[1,0]}]}"#;
    let plan = answer(steps, "plan in.json --json");
    for part in [r#""waves":[[0]]"#, r#""cycles":[[1]]"#, r#""blocked":[2]"#] {
        assert!(plan.contains(part), "S25: {plan}");
    }
    assert_eq!(findings(steps), ["0 nodes[1] contract-cycle"], "S25, S29");
}

#[test]
fn a_required_input_is_looked_for_only_in_a_file_that_has_a_slot() {
    let alone = contract("Search", r#"{"name":"query","data_type":"TEXT"}"#, "");
    assert_eq!(findings(&alone), [""; 0], "S28");
    assert_eq!(findings(&format!("{alone}\n{{\"slots\":{{}}}}\n")), [""; 0], "S28");
    let slot = r#"{"slot_name":"n","value":{},"data_type":"CROSS_REF","source_node":"s"}"#;
    assert_eq!(findings(&format!("{alone}\n{slot}\n")), ["1 Search.inputs.query required-input"], "S28");
    // A slot that vanished was one.
    let vanished = r#"{"slots":{"n":{"value":1,"data_type":"CROSS_REF","source_node":"s"}}}"#;
    let found = findings(&format!("{vanished}\n{{\"slots\":{{}}}}\n{alone}\n"));
    assert!(found.contains(&"2 Search.inputs.query required-input".to_owned()), "S28: {found:?}");
}

#[test]
fn paths_of_contracts_are_canonical() {
    let input = format!(
        "{}\n{}\n",
        contract("my agent", r#"{"name":"d.e","data_type":"TEXT"}"#, r#"{"name":"0","data_type":"ODD"}"#),
        r#"{"slot_name":"n","value":{},"data_type":"CROSS_REF","source_node":"s"}"#
    );
    assert_eq!(
        findings(&input),
        [r#"1 ["my agent"].inputs["d.e"] required-input"#, r#"1 ["my agent"].outputs["0"] unknown-data-type"#,],
        "S29"
    );
}

#[test]
fn a_slot_is_judged_when_it_is_written_and_not_at_each_checkpoint() {
    let slot = |more: &str| format!(r#"{{"slots":{{"a":{{"value":{{"ids":[1]}},"data_type":"FILE_IDS"{more}}}}}}}"#);
    let input = format!("{}\n{}\n{}\n", slot(""), slot(""), slot(r#","timestamp":"1""#));
    assert_eq!(
        findings(&input),
        ["0 a bad-slot", "0 a bad-value", "2 a bad-slot", "2 a bad-value", "2 a no-op-write"],
        "S29"
    );
}

#[test]
fn times_and_types_are_compared_with_what_the_slot_had() {
    let write = |data_type: &str, time: &str| {
        format!(
            r#"{{"slot_name":"a","value":{time:?},"data_type":{data_type},"source_node":"s"{}}}"#,
            match time {
                "" => String::new(),
                time => format!(r#","timestamp":"{time}""#),
            }
        )
    };
    // A write without a time does not make the slot forget the one before it.
    let input = [write("\"TEXT\"", "5"), write("\"TEXT\"", ""), write("\"TEXT\"", "3"), write("\"TEXT\"", "4")];
    assert_eq!(findings(&input.join("\n")), ["2 a timestamp-order"], "S29");
    let input = [write("\"TEXT\"", "1"), write("null", "2"), write("\"CROSS_REF\"", "3")];
    assert_eq!(findings(&input.join("\n")), ["1 a bad-slot"], "S29: null is exempt");
}

#[test]
fn nothing_is_reported_of_a_value_that_a_later_duplicate_replaces() {
    let input = r#"{"slots":{"a":{"value":{"x":1,"x":2},"value":{"y":1},"data_type":"TEXT","source_node":"s"}}}"#;
    assert_eq!(findings(input), ["0 slots.a.value duplicate-key"], "A6, S29");
}

#[test]
fn a_failed_agent_says_why_in_the_finding_and_in_its_row() {
    let input = r#"{"agent_name":"s","success":false,"outputs":{"n":1},"error":"timed\nout","summary":"Found 0 files"}
{"success":false,"error":"no plan","nodes":[{"agent":"a","status":"completed"}]}
{"success":false,"nodes":[{"agent":"a","status":"failed","error":{"code":7},"summary":"x"}]}
{"agent_name":"t","success":true,"outputs":{},"error":null,"summary":"All done"}
"#;
    let output = answer(input, "check in.json --format scopix");
    for message in [
        "the agent s failed: timed out (summary: Found 0 files)",
        "the pipeline failed: no plan",
        r#"the agent a failed: {"code":7} (summary: x)"#,
    ] {
        assert!(output.contains(message), "S5, S8: {output}");
    }
    let steps = answer(input, "steps in.json --format scopix");
    for row in ["failed: timed out · +n · Found 0 files", "failed: no plan", "a failed: {\"code\":7}", "All done"] {
        assert!(steps.contains(row), "{row}: {steps}");
    }
}

#[test]
fn files_of_a_pipeline_become_current_and_slots_go_over_them() {
    let request = r#"{"steps":[{"agent":"a","intent":"i"}],"image_ids":["1","2"],"document_ids":["9"]}"#;
    let conversation = |input: &str| member(input, "state in.json --json", "conversation");
    assert_eq!(
        conversation(request),
        r#"{"current_image_ids":["1","2"],"current_document_ids":["9"],"content_type":"documents"}"#
    );
    let slot = r#"{"ids":["3"],"content_type":"images"}"#;
    assert_eq!(
        conversation(&format!("{request}\n{slot}\n")),
        r#"{"current_image_ids":["3"],"current_document_ids":["9"],"content_type":"images"}"#,
        "S22: in the order of steps"
    );
    assert!(conversation(&format!("{slot}\n{request}\n")).contains(r#"["1","2"]"#), "S22: in the order of steps");
    assert_eq!(conversation(r#"{"steps":[{"agent":"a","intent":"i"}],"image_ids":null}"#), "{}");
    let text = answer(&format!("{request}\n{slot}\n"), "state in.json");
    for line in [
        "route: collection → current_image_ids\n",
        "current_image_ids: [\"3\"]  (collection @1)\n",
        "current_document_ids: [\"9\"]  (route: document_ids of the pipeline @0 → current_document_ids)\n",
    ] {
        assert!(text.contains(line), "S20, S22: {text}");
    }
}

#[test]
fn a_merged_value_says_which_slots_its_parts_came_from() {
    let slot = |value: &str| format!(r#"{{"value":{value},"data_type":"FILE_IDS","source_node":"s"}}"#);
    let input = format!(
        r#"{{"slots":{{"a":{},"b":{},"c":{}}}}}"#,
        slot(r#"{"ids":["1","2"],"content_type":"images"}"#),
        slot(r#"{"refs":[{"id":"2","filename":"f"}],"content_type":"images"}"#),
        slot(r#"{"ids":["3"],"content_type":"links"}"#)
    );
    let parts = |words: &str| {
        let merged = member(&input, words, "merged");
        let merged = parse(&merged).unwrap();
        compact(merged.as_array().unwrap()[0].get("parts").unwrap())
    };
    assert_eq!(
        parts("merge in.json --json --slot a --slot b"),
        concat!(
            r#"[{"path":"ids[0]","slots":["a"]},{"path":"ids[1]","slots":["a","b"]},"#,
            r#"{"path":"content_type","slots":["a","b"]},{"path":"refs[0]","slots":["a"]},"#,
            r#"{"path":"refs[1]","slots":["b"]}]"#
        ),
        "S15, S16"
    );
    assert!(parts("merge in.json --json").contains(r#"{"path":"content_type","slots":["a","b","c"]}"#), "S17");
    let text = answer(&input, "merge in.json --slot a --slot c");
    assert!(text.starts_with("FILE_IDS  merged from a, c\n{\n  \"ids\""), "{text}");
    assert_eq!(answer(&input, "merge in.json --slot a"), "no two slots of one type merge at this step\n");
    let folder = tempfile::tempdir().unwrap();
    file(folder.path(), "in.json", &input);
    let run_with = |words: &str| obelus_in(folder.path(), &words.split(' ').collect::<Vec<_>>());
    let (status, text, _) = run_with("merge in.json --slot a --slot nosuch");
    let expected = "there is no slot nosuch at step 0; the slots are a, b, c\n";
    assert_eq!((status, text.as_str()), (1, expected), "every name is looked up");
    let (status, text, _) = run_with("merge in.json --slot nosuch --json");
    assert!(status == 1 && text.contains(r#""missing":["nosuch"],"slots":["a","b","c"]"#), "{text}");
}

#[test]
fn what_can_follow_an_agent_is_looked_up() {
    let giver = |chains: &str| {
        format!(
            r#"{{"name":"A","capability":"search","inputs":[],"outputs":[{{"name":"t","data_type":"TEXT"}}],
            "can_chain_with":[{chains}]}}"#
        )
        .replace('\n', "")
    };
    let taker = |data_type: &str| {
        contract("B", &format!(r#"{{"name":"i","data_type":"{data_type}","required":false}}"#), "")
            .replace("\"c\"", "\"analysis\"")
    };
    assert_eq!(findings(&giver(r#""analysis","ORGANIZATION","search""#)), [""; 0], "capabilities that nobody has here");
    assert_eq!(findings(&giver(r#""B","anlysis""#)).len(), 2, "neither is known");
    assert_eq!(findings(&format!("{}\n{}\n", giver(r#""analysis","B""#), taker("TEXT"))), [""; 0], "S24");
    assert_eq!(
        findings(&format!("{}\n{}\n", giver(r#""export","analysis""#), taker("FILE_IDS"))),
        ["1 A.can_chain_with[1] chain-target"],
        "S24"
    );
    let nodes = member(&giver(r#""analysis""#), "plan in.json --json", "nodes");
    assert_eq!(nodes, r#"[{"id":0,"agent":"A","can_chain_with":["analysis"]}]"#);
}

#[test]
fn data_types_are_registered_by_option_and_by_the_project() {
    let folder = tempfile::tempdir().unwrap();
    let input = concat!(
        r#"{"slots":{"good":{"value":{"dim":3},"data_type":"EMBEDDING","source_node":"s"},"#,
        r#""bad":{"value":{"dim":"x"},"data_type":"EMBEDDING","source_node":"s"},"#,
        r#""other":{"value":1,"data_type":"OTHER","source_node":"s"}}}"#
    );
    file(folder.path(), "in.json", input);
    let schema = r#"{"type":"object","properties":{"dim":{"type":"integer"}}}"#;
    let rules = |words: &[&str]| {
        let (_, stdout, stderr) = obelus_in(folder.path(), &[&["check", "in.json", "--json"], words].concat());
        assert_eq!(stderr, "");
        let rule = |line: &str| {
            let value = parse(line).unwrap();
            let text = |key| value.get(key).and_then(Value::as_str).unwrap().to_owned();
            format!("{} {} {}", text("path"), text("rule"), text("message"))
        };
        stdout.lines().map(rule).collect::<Vec<_>>()
    };
    assert_eq!(rules(&[]).iter().filter(|finding| finding.contains("unknown-data-type")).count(), 3, "S14");
    let inline = format!("EMBEDDING={schema}");
    let registered = |words: &[&str]| {
        let found = rules(words);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("bad scopix.bad-value") && found[0].contains("dim: "), "{found:?}");
        assert!(found[1].starts_with("other scopix.unknown-data-type"), "{found:?}");
    };
    registered(&["--data-type", &inline]);
    file(folder.path(), "embedding.json", schema);
    registered(&["--data-type", "EMBEDDING=embedding.json"]);
    assert_eq!(rules(&["--data-type", &inline, "--data-type", "OTHER=true"]).len(), 1);
    file(folder.path(), "obelus.toml", "[data-types]\nEMBEDDING = \"embedding.json\"\n");
    registered(&[]);
    for (words, expected) in [
        ("EMBEDDING", "NAME=SCHEMA"),
        ("E=none.json", "none.json"),
        ("E={\"type\":5}", "not valid JSON Schema"),
        ("E={\"type\":", "it is not JSON: "),
        ("={}", "NAME=SCHEMA"),
    ] {
        let path = folder.path().join("in.json");
        let (status, _, stderr) = obelus(&["check", path.to_str().unwrap(), "--data-type", words]);
        assert_eq!(status, 2, "{words}");
        assert!(stderr.contains(expected), "{words}: {stderr}");
    }
}

#[test]
fn each_record_of_a_sequence_is_a_step_that_is_listed() {
    let context =
        |value: u8| format!(r#"{{"slots":{{"a":{{"value":{value},"data_type":"TEXT","source_node":"x"}}}}}}"#);
    let sequence = format!("[{},{}]", context(1), context(2));
    for (input, count) in [(sequence.clone(), 2), (format!("{sequence}\n{}\n{sequence}", context(3)), 5)] {
        assert_eq!(member(&input, "state in.json --format scopix --json", "steps"), count.to_string());
        let listed = answer(&input, "steps in.json --format scopix --json");
        let steps: Vec<String> =
            listed.lines().map(|line| parse(line).unwrap().get("step").unwrap().text.to_string()).collect();
        assert_eq!(steps, (0..count).map(|step| step.to_string()).collect::<Vec<_>>(), "{listed}");
    }
}
