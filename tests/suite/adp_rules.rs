//! The rules of the Agent Data Protocol, case by case.
use obelus::format::{Run, by_name};
use obelus::ingest::{Loaded, load};
use obelus::json::{Key, parse};
use obelus::model::{HEAD, Identity, Place, Record, RecordBody, Span, StepNo};
use obelus::rules::adp::{AdpSurvey, examine, findings, write_state};
use obelus::rules::statistics::DatasetStats;
use obelus::rules::trajectory::{Reading, Way};
use obelus::source::Input;
use obelus::state::Tree;

/// The findings of a record as `step path rule`, step `-` for the whole record.
pub(crate) fn findings_of(text: &str) -> Vec<String> {
    let value = parse(text).unwrap();
    let findings = findings(&Reading::of(&value), 0);
    let step = |s: Option<StepNo>| s.map_or("-".to_owned(), |s| s.to_string());
    findings.iter().map(|f| format!("{} {} {}", step(f.step), f.path.as_deref().unwrap_or("?"), f.rule)).collect()
}

/// A trajectory without version and without other findings: a question, these items, something seen, an answer.
pub(crate) fn with_items(items: &str) -> String {
    format!(
        r#"{{"id":"t","content":[{{"class_":"text_observation","content":"q","source":"user"}},{items},
        {{"class_":"text_observation","content":"r","source":"environment"}},
        {{"class_":"message_action","content":"done"}}]}}"#
    )
}

/// D18: the steps copied from another file may have had more metrics there.
#[test]
fn totals_that_count_copied_steps_may_be_higher() {
    let trajectory = |source: &str| {
        let step = |id: u8, more: &str| {
            format!(r#"{{"step_id":{id},"source":"agent","message":"x","metrics":{{"prompt_tokens":5}}{more}}}"#)
        };
        let user = format!(r#"{{"step_id":1,"source":"user","message":"q"{source}}}"#);
        let totals = r#""final_metrics":{"total_prompt_tokens":7}"#;
        let head = r#""schema_version":"ATIF-v1.7","session_id":"s","agent":{"name":"a","version":"1"}"#;
        format!("{{{head},\"steps\":[{user},{}],{totals}}}", step(2, ""))
    };
    let is_found = |text: &str| findings_of(text).iter().any(|finding| finding.ends_with("atif.final-metrics"));
    assert!(is_found(&trajectory("")));
    assert!(!is_found(&trajectory(r#","is_copied_context":true"#)));
}

pub(crate) fn answers(text: &str) -> Vec<Option<usize>> {
    let value = parse(text).unwrap();
    Reading::of(&value).entries.iter().enumerate().map(|(i, e)| e.answers(i)).collect()
}

/// A slot at the last step, as JSON text.
pub(crate) fn slot(text: &str, kind: &str, instance: &str, name: &str) -> Option<String> {
    let value = parse(text).unwrap();
    let mut tree = Tree::new();
    write_state(&Reading::of(&value), 0, &mut tree);
    let node = tree.node(tree.find(&Identity::of(kind, instance))?, &[Key::name(name)])?;
    tree.text(node, StepNo::MAX, &text.as_bytes().to_vec())
}

#[test]
fn fields_are_checked_as_the_tables_say() {
    for (items, expect) in [
        (r#"{"class_":"api_action","function":"f","kwargs":{}}"#, vec![]),
        (
            r#"{"class_":"api_action","function":null}"#,
            vec!["1 /content/1/function adp.type", "1 /content/1/kwargs adp.required"],
        ),
        (
            r#"{"class_":"code_action","language":"Bash","code":" ","description":null,"class":1}"#,
            vec![
                "1 /content/1/class adp.extra-field",
                "1 /content/1/code adp.empty",
                "1 /content/1/code adp.field-alias",
                "1 /content/1/language adp.language",
            ],
        ),
        (
            r#"{"class_":"message_action","message":"x",
                "content":null,"thought":"a","thoughts":"<think>"},{"x":"\u0007"}"#,
            vec![
                "1 /content/1/content adp.type",
                "1 /content/1/message adp.extra-field",
                "1 /content/1/thought adp.extra-field",
                "1 /content/1/thoughts adp.field-alias",
                "1 /content/1/thoughts adp.think-token",
                "2 /content/2 adp.class",
                "2 /content/2/x adp.control-chars",
            ],
        ),
        (r#""text""#, vec!["1 /content/1 adp.type"]),
        (
            r#"{"class_":"image_observation","content":"/a","source":"robot",
                "annotations":[1,{"element_type":"b",
                "text":null,"extra":1,"bounding_box":{"x":"1","y":null,"width":1,"height":[]}}]}"#,
            vec![
                "1 /content/1/annotations/0 adp.type",
                "1 /content/1/annotations/1/bounding_box/height adp.type",
                "1 /content/1/annotations/1/bounding_box/x adp.coerced",
                "1 /content/1/annotations/1/bounding_box/y adp.type",
                "1 /content/1/content adp.image-path",
                "1 /content/1/source adp.source",
            ],
        ),
        (
            r#"{"class_":"web_observation","html":null,"url":null,
                "image_observation":{"class_":"text_observation"},"viewport_size":[1.5,true]}"#,
            vec![
                "1 /content/1/image_observation/class_ adp.class",
                "1 /content/1/viewport_size/0 adp.type",
                "1 /content/1/viewport_size/1 adp.coerced",
            ],
        ),
        (
            r#"{"class_":"web_observation","html":null,"url":null,
                "image_observation":{"content":"file://x","source":"environment",
                "mood":1},"viewport_size":null}"#,
            vec![
                "1 /content/1/image_observation/content adp.image-path",
                "1 /content/1/image_observation/mood adp.extra-field",
            ],
        ),
    ] {
        let mut expect = expect;
        let mut findings = findings_of(&with_items(items));
        expect.sort_unstable();
        findings.sort_unstable();
        assert_eq!(findings, expect, "{items}");
    }
}

#[test]
fn a_call_is_answered_once_and_the_last_of_its_id() {
    let call = |id: &str| format!(r#"{{"class_":"api_action","function":"f","kwargs":{{}},"tool_call_id":{id}}}"#);
    let result =
        |id: &str| format!(r#"{{"class_":"text_observation","content":"r","source":"user","tool_call_id":{id}}}"#);
    for (items, expect) in [
        (vec![call("null"), result("null"), result("null")], vec![None, Some(0), None]),
        (vec![call("\"a\""), result("null"), result("\"a\""), result("\"a\"")], vec![None, None, Some(0), None]),
        (vec![call("\"a\""), call("\"b\""), result("\"a\""), result("\"b\"")], vec![None, None, Some(0), Some(1)]),
        (vec![call("\"a\""), call("\"a\""), result("\"a\""), result("\"a\"")], vec![None, None, Some(1), None]),
        (vec![result("\"a\""), call("\"a\""), call("null"), call("7")], vec![None, None, None, None]),
    ] {
        let text = format!(r#"{{"content":[{}]}}"#, items.join(","));
        assert_eq!(answers(&text), expect, "{text}");
    }
}

#[test]
fn chat_answers_by_id_or_by_order() {
    let calls =
        r#"{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}},{"id":"b","function":{"name":"g"}}]}"#;
    let text = |rest: &str| format!(r#"{{"messages":[{{"role":"user","content":"q"}},{calls},{rest}]}}"#);
    let tool = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"r"}}"#);
    let by_id = text(&[tool("b"), tool("a"), tool("a"), tool("z")].join(","));
    assert_eq!(answers(&by_id), [None, None, Some(1), Some(1), None, None]);
    assert_eq!(slot(&by_id, "conversation", "main", "open_calls").as_deref(), Some("0"));
    assert_eq!(slot(&by_id, "tool", "g", "answered").as_deref(), Some("1"));
    let by_order = text(r#"{"role":"user","content":"r"},{"role":"user","content":"s"}"#);
    assert_eq!(answers(&by_order), [None, None, Some(1), None]);
    assert_eq!(slot(&by_order, "conversation", "main", "open_calls").as_deref(), Some("1"));
    let system = text(r#"{"role":"system","content":"r"}"#);
    assert_eq!(answers(&system), [None, None, None]);
}

#[test]
fn chat_findings_stand_where_they_belong() {
    for (messages, expect) in [
        ("", vec!["- /messages sft.empty"]),
        (
            r#"{"role":"user"},{"role":"assistant","content":5}"#,
            vec!["0 /messages/0 sft.type", "1 /messages/1/content sft.type"],
        ),
        (
            r#"{"role":"user","content":null,"text":"x"},{"role":"assistant","content":[{"text":"<think>"}]}"#,
            vec!["1 /messages/1/content sft.think-token"],
        ),
        (
            r#"{"role":"user","content":null},{"role":"assistant","content":null,"function_call":{"name":"f"}}"#,
            vec!["0 /messages/0/content sft.empty"],
        ),
        (r#"{"from":"USER","role":"judge","value":"x"},{"from":"Ai","value":"y"}"#, vec![]),
        (
            r#"{"role":"judge","content":"x"},{"role":"user","content":"y"}"#,
            vec!["0 /messages/0/role sft.role", "1 /messages/1 sft.last-not-agent"],
        ),
    ] {
        let text = format!(r#"{{"messages":[{messages}]}}"#);
        assert_eq!(findings_of(&text), expect, "{text}");
    }
}

#[test]
fn slots_hold_what_can_be_read() {
    let text = with_items(
        r#"{"class_":"api_action","function":5,"kwargs":[],"reward":"0.5","reasoning_content":7},
        {"class_":"web_observation","html":5,"url":null,"image_observation":null,"viewport_size":["800",600.0]}"#,
    );
    for (kind, instance, name, expect) in [
        ("tool", "?", "calls", Some("1")),
        ("tool", "?", "last", None),
        ("tool", "?", "answered", Some("1")),
        ("agent", "main", "reasoning", None),
        ("env", "web", "html", Some("null")),
        ("env", "web", "viewport", Some("[800,600]")),
        ("reward", "total", "last", Some("0.5")),
        ("conversation", "main", "turns", Some("2")),
        ("trajectory", "main", "id", Some("\"t\"")),
    ] {
        assert_eq!(slot(&text, kind, instance, name).as_deref(), expect, "{kind} {instance} {name}");
    }
    let value = parse(&text).unwrap();
    let mut tree = Tree::new();
    write_state(&Reading::of(&value), 0, &mut tree);
    assert_eq!(tree.identities(HEAD).len(), 1);
}

#[test]
fn atif_results_answer_calls_of_their_own_step_or_earlier() {
    let text = r#"{"schema_version":"ATIF-v1.7","steps":[
        {"step_id":1,"source":"agent","message":"","tool_calls":[
                {"tool_call_id":"a","function_name":"f","arguments":{}},
            {"tool_call_id":"b","function_name":"g","arguments":{}}],
         "observation":{"results":[{"source_call_id":"a","content":[{"type":"text","text":"x"}]}]}},
        {"step_id":2.0,"source":"system",
                "observation":{"results":[{"source_call_id":"b","content":"y"},{"source_call_id":"c"}]}}]}"#;
    assert_eq!(answers(text), [None, Some(0)]);
    assert_eq!(slot(text, "conversation", "main", "open_calls").as_deref(), Some("0"));
    assert_eq!(findings_of(text), ["1 /steps/1/observation/results/1/source_call_id atif.link"]);
}

/// Detects, frames and reads a text as a file.
fn open(text: &[u8]) -> Loaded {
    load(Input::memory("x", text), None).unwrap()
}

#[test]
fn samples_are_detected_and_read() {
    let adp = by_name("adp").unwrap();
    for sample in adp.samples() {
        let loaded = open(sample.as_bytes());
        assert_eq!(loaded.detected.format.name(), "adp", "{sample}");
        for record in 0..loaded.trajectories().unwrap() {
            let run = loaded.run(record).unwrap();
            assert!(
                run.step_count() > 1 && run.title().is_some() && !run.findings().iter().any(|f| f.rule == "adp.json")
            );
            let view = run.view(StepNo::MAX, loaded.input.as_ref());
            assert!(view.len() >= run.step_count() && view.iter().all(|entry| entry.text.len() > 6), "{view:?}");
        }
    }
}

#[test]
fn a_fault_costs_one_record() {
    let good = r#"{"id":"a","content":[{"class_":"message_action","content":"x"}]}"#;
    let deep = |n: usize| format!(r#"{{"content":[{}{}]}}"#, "[".repeat(n), "]".repeat(n));
    let faults = |text: &[u8]| -> Vec<usize> {
        let loaded = load(Input::memory("x", text), Some("adp")).unwrap();
        let runs = (0..loaded.trajectories().unwrap()).map(|r| loaded.run(r).unwrap());
        let fault = |(r, run): (usize, Box<dyn Run>)| run.findings().iter().any(|f| f.rule == "adp.json").then_some(r);
        let mut found: Vec<usize> = runs.enumerate().filter_map(fault).collect();
        found.push(loaded.trajectories().unwrap());
        found
    };
    for (text, expect) in [
        (format!("{good} {good}\n{good}"), vec![3]),
        (format!("\u{feff}[{good},\n{good}]\r\n"), vec![2]),
        (format!("{good}\n{{\"a\":\"\\ud800\"}} {good}\n{good}"), vec![1, 3]),
        (format!("[{good},{{\"a\":Infinity}},{good}]"), vec![1, 2]),
        (format!("[{good},{{\"a\":\"\\udc00\"}},{good}]"), vec![1, 2]),
        (format!("{}\n{}\n{good}", deep(96), deep(198)), vec![1, 3]),
        (format!("{good}\nnull\n7 \"x\"\n[1]"), vec![5]),
    ] {
        assert_eq!(faults(text.as_bytes()), expect, "{text}");
    }
    assert_eq!(faults(b"{\"id\":\"\xff\"}\n{\"id\":\"a\"}"), [0, 2]);
}

#[test]
fn pointers_name_slots_and_all_below() {
    let text = with_items(r#"{"class_":"api_action","function":"a/b","kwargs":{"k":[1]}}"#);
    let loaded = open(text.as_bytes());
    let run = loaded.run(0).unwrap();
    let bytes = loaded.input.as_ref();
    for (pointer, step, expect) in [
        ("/tool/a~1b/last", 9, r#"ok {"k":[1]} "a/b" 1 1"#),
        ("/tool/a~1b/last", 0, "missing kind"),
        ("/tool/a~1b/last/k", 9, "missing path"),
        ("/tool/a~1b", 1, r#"ok {"calls":1,"last":{"k":[1]}} "a/b" 1 1"#),
        ("/tool", 1, r#"ok {"a/b":{"calls":1,"last":{"k":[1]}}} null 1 1"#),
        ("/trajectory/main/id", 3, r#"ok "t" "main" null null"#),
        ("", -1, r#"ok {"trajectory":{"main":{"id":"t"}}} null null null"#),
        ("tool", 9, "invalid"),
        ("/tool/a~b", 9, "invalid"),
    ] {
        let resolved = run.resolve(pointer, step, None, None, bytes);
        let rest = resolved.fields.iter().filter(|(name, _)| !matches!(*name, "ref" | "status" | "from"));
        let values: Vec<&str> = rest.map(|(_, v)| v.get()).collect();
        let message =
            format!("{} {}", resolved.status, values.join(" ")).replace("\"kind\"", "kind").replace("\"path\"", "path");
        assert_eq!(message.trim_end(), expect, "{pointer} @{step}");
    }
    assert!(run.locate("tool", 9).is_err());
    assert_eq!(run.locate("/tool", 9).unwrap().len(), 1);
    assert_eq!(run.locate("/tool", 0).unwrap().len(), 0);
}

fn record(number: usize, len: usize) -> Record {
    let place = Place { span: Span { offset: 0, len: len as u64 }, line: 1 };
    Record { number, place, body: RecordBody::Text, is_row: false }
}

#[test]
fn statistics_merge_in_any_order() {
    let texts: Vec<String> = [0.1, 0.2, 0.3, 1e16, -1e16, 7.0]
        .iter()
        .map(|r| with_items(&format!(r#"{{"class_":"message_action","content":"{r}","reward":{r}}}"#)))
        .chain(["{broken".to_owned(), "7".to_owned()])
        .collect();
    let parts: Vec<DatasetStats> = texts
        .iter()
        .enumerate()
        .map(|(i, text)| {
            let examined = examine(&record(i, text.len()), text.as_bytes(), Way::Protocol);
            let mut part = DatasetStats::default();
            part.add(examined.stats.as_ref(), &examined.findings);
            part
        })
        .collect();
    let findings_in = |order: &[usize]| {
        let mut all = DatasetStats::default();
        order.iter().for_each(|&i| all.merge(&parts[i]));
        serde_json::to_string(&all.summary()).unwrap()
    };
    let expect = findings_in(&[0, 1, 2, 3, 4, 5, 6, 7]);
    assert!(expect.contains(r#""records":8,"unreadable":1"#) && expect.contains(r#""sum":7.6"#), "{expect}");
    assert_eq!(findings_in(&[7, 3, 5, 1, 6, 0, 4, 2]), expect);
    assert_eq!(findings_in(&[4, 0, 1, 2, 5, 3, 7, 6]), expect);
}

#[test]
fn repeats_are_reported_at_the_later_record() {
    let texts = [
        r#"{"id":"a","content":["x"]}"#,
        r#"{"content":["x"],"id":7}"#,
        r#"{"id":"7","content":[]}"#,
        r#"{"id":"a","messages":[]}"#,
    ];
    let repeats = |file: &Vec<u8>| {
        let (mut survey, mut findings, mut offset) = (AdpSurvey::default(), Vec::new(), 0);
        for (i, text) in texts.iter().enumerate() {
            let mut record = record(i, text.len());
            record.place.span.offset = offset;
            offset += text.len() as u64;
            let taken = survey.take(examine(&record, text.as_bytes(), Way::Protocol), file, &Some);
            let repeats = taken.findings.into_iter().map(|f| f.finding).filter(|f| f.rule.starts_with("adp.duplicate"));
            findings.extend(repeats.map(|f| format!("{} {} {}", f.record, f.path.as_deref().unwrap_or(""), f.rule)));
        }
        findings
    };
    let file = texts.concat().into_bytes();
    assert_eq!(repeats(&file), ["1 /content adp.duplicate-content", "3 /id adp.duplicate-id"]);
    assert!(repeats(&Vec::new()).is_empty(), "what can be read no more is equal to nothing");
}

/// The messages of the findings of one rule.
fn messages(text: &str, rule: &str) -> Vec<String> {
    let value = parse(text).unwrap();
    let findings = findings(&Reading::of(&value), 0);
    findings.into_iter().filter(|f| f.rule == rule).map(|f| f.message.to_string()).collect()
}

#[test]
fn a_prompt_beside_a_null_text_is_what_the_system_says() {
    let text = r#"{"trajectory":[{"role":"system","text":null,"system_prompt":"You mend code.","mask":false},
        {"role":"user","text":"mend"},{"role":"ai","text":null,"system_prompt":"no"}]}"#;
    let value = parse(text).unwrap();
    let reading = Reading::of(&value);
    let said: Vec<String> = reading.entries.iter().map(obelus::rules::adp::entry_text).collect();
    assert_eq!(said, ["You mend code.", "mend", ""]);
    let messages_found = messages(text, "sft.empty");
    assert!(
        messages_found.len() == 2
            && messages_found[0].contains("`system_prompt`")
            && messages_found[1].contains("say nothing"),
        "{messages_found:?}"
    );
    let conversation = obelus::review::Conversation::of(&value, Way::Protocol).unwrap();
    assert_eq!(conversation.messages[0].text, "You mend code.");
    let chatml = obelus::review::Template::named("chatml").unwrap().render(&conversation, 3, false).unwrap();
    assert!(chatml.text.starts_with("<|im_start|>system\nYou mend code.<|im_end|>"), "{}", chatml.text);
}

#[test]
fn what_is_blank_or_out_of_turn_is_reported_by_who_says_it() {
    let blank = |role: &str| format!(r#"{{"messages":[{{"role":"{role}","content":" "}}]}}"#);
    for (role, words) in [("assistant", "say nothing"), ("tool", "nothing came back"), ("user", "is blank")] {
        assert!(messages(&blank(role), "sft.empty")[0].contains(words), "{role}");
    }
    let flat = |call: &str| {
        format!(
            r#"{{"messages":[{{"role":"user","content":"q"}},{{"role":"assistant","content":"","tool_calls":[{call}]}}]}}"#
        )
    };
    assert_eq!(messages(&flat(r#"{"name":"f"}"#), "sft.empty"), [""; 0]);
    // Calls that these rules do not count are not denied.
    let other = flat(r#"{"tool":{"title":"f"}}"#);
    assert!(messages(&other, "sft.empty")[0].contains("no call in `tool_calls` or `function_call`"));
    let item =
        |source: &str| with_items(&format!(r#"{{"class_":"text_observation","content":"","source":"{source}"}}"#));
    assert!(messages(&item("environment"), "adp.empty")[0].contains("nothing came back"));
    assert!(messages(&item("user"), "adp.empty")[0].contains("is blank"));
    let call = |id: u8| format!(r#"{{"id":"c{id}","function":{{"name":"f","arguments":"{{}}"}}}}"#);
    let answer = |id: u8| format!(r#"{{"role":"tool","tool_call_id":"c{id}","content":"r"}}"#);
    let chat = |second: &str| {
        format!(
            r#"{{"messages":[{{"role":"user","content":"q"}},{{"role":"assistant","content":"","tool_calls":[{},{}]}},{},{second},
        {{"role":"assistant","content":"a"}}]}}"#,
            call(1),
            call(2),
            answer(1)
        )
    };
    assert!(messages(&chat(&answer(2)), "sft.alternate")[0].contains("calls made at once"));
    let other = messages(&chat(r#"{"role":"user","content":"?"}"#), "sft.alternate");
    assert!(other[0].contains("should take turns"), "{other:?}");
}
