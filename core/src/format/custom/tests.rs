//! Format files: what they read, what is wrong with them, and drafts of them.

use super::*;
use crate::framing::Framer;
use crate::json::{self, parse};
use crate::model::{Record, RecordIndex, StepNo};

const RELAY: &str = include_str!("../../../../samples/relay-format.toml");
const LOG: &str = include_str!("../../../../samples/relay-run.jsonl");

fn format(text: &str) -> CustomFormat {
    CustomFormat::parse("f.toml", text).unwrap_or_else(|problem| panic!("{problem}\n{text}"))
}

fn fault(text: &str) -> String {
    CustomFormat::parse("f.toml", text).err().map(|problem| problem.to_string()).unwrap_or_default()
}

/// The records of a text as the format cuts them.
fn records(text: &str) -> Vec<Record> {
    let (mut framer, mut index) = (Framer::new(Framing::Elements), RecordIndex::default());
    loop {
        let piece = &text.as_bytes()[framer.position() as usize..];
        if !piece.is_empty() {
            framer.feed(piece, &mut index);
        } else if framer.finish(&mut index) {
            return index.iter().collect();
        }
    }
}

fn text_of<'t>(record: &Record, text: &'t str) -> &'t str {
    &text[record.place.span.offset as usize..record.place.span.end() as usize]
}

/// Each step as `kind role: summary`, with the step that it answers, of one record or of all.
fn steps(format: &CustomFormat, text: &str) -> (Vec<String>, Box<dyn Run>) {
    let bytes = text.as_bytes().to_vec();
    let mut run = format.run();
    for record in records(text) {
        run.push(&record, text_of(&record, text).as_bytes(), &bytes);
    }
    run.finish(&bytes);
    let of = |number: usize| {
        let step = run.step(StepNo::try_from(number).unwrap(), &bytes);
        let answers = step.answers.map(|call| format!(" (of {call})")).unwrap_or_default();
        format!("{} {}: {}{answers}", step.kind, step.role.name(), step.summary)
    };
    ((0..run.step_count()).map(of).collect(), run)
}

fn value(run: &dyn Run, pointer: &str, text: &str) -> String {
    let last = StepNo::try_from(run.step_count()).unwrap() - 1;
    let resolved = run.resolve(pointer, last, None, None, &text.as_bytes().to_vec());
    let value = resolved.fields.iter().find(|(name, _)| *name == "value");
    value.map(|(_, value)| json::compact(&parse(value.get()).unwrap())).unwrap_or_default()
}

#[test]
fn the_sample_has_steps_links_state_and_what_its_tools_did() {
    let relay = format(RELAY);
    let (step_lines, run) = steps(&relay, LOG);
    assert_eq!(step_lines[1], "message user: Please raise the version of parcel to 1.3.0 and run the tests.");
    assert_eq!(step_lines[2], "thought agent: The version stands in a file. I read it first.");
    assert_eq!(step_lines[3], "tool-call agent: read_file VERSION");
    assert_eq!(step_lines[4], "tool-result environment: 1.2.9 (of 3)");
    assert!(step_lines[10].ends_with("(of 9)") && run.error_steps() == [10], "{step_lines:#?}");
    assert_eq!((step_lines.len(), run.title().as_deref()), (14, Some("relay-17")));
    assert_eq!(value(run.as_ref(), "/memory/facts", LOG), r#"{"version":"1.3.0","tests":{"passed":1,"failed":1}}"#);
    let tree = run.tree();
    let (id, keys) = run.locate("/memory/facts/version", 13).unwrap().remove(0);
    let version = tree.node(id, &keys).unwrap();
    let mut writers: Vec<StepNo> = tree.history(version, 13).iter().map(|event| event.at).collect();
    writers.sort_unstable();
    assert_eq!(writers, [5, 8]);
    let files = value(run.as_ref(), "/file", LOG);
    assert!(files.contains("VERSION"), "{files}");
    let usage = value(run.as_ref(), "/usage", LOG);
    assert!(usage.contains("2121") && usage.contains("135"), "{usage}");
    assert!(value(run.as_ref(), "/run", LOG).contains("small-coder"));
}

#[test]
fn half_of_the_first_records_must_have_the_signature() {
    let relay = format(RELAY);
    let of = |text: &str| {
        let values: Vec<_> = text.lines().map(|line| parse(line).unwrap()).collect();
        relay.detect(&values).map(|found| found.reason)
    };
    let line = LOG.lines().next().unwrap();
    assert_eq!(
        of(&format!("{line}\n{{}}")).unwrap(),
        "1 of 2 records have `at`, `run`, `event`, `data`, as f.toml says"
    );
    assert_eq!((of(&format!("{line}\n{{}}\n{{}}")), of("")), (None, None));
    let near = relay.near(&[parse(r#"{"at":1,"run":2,"event":3}"#).unwrap()]).unwrap();
    assert_eq!(near.description, "3 of 4 members of its records");
}

const DOCUMENT: &str = r#"
name = "doc"
[records]
steps = "session.turns[]"
[signature]
has = ["session.id"]
when = { "session.schema" = ["doc-1", "doc-2"], "session.n" = 7 }
[session]
title = "$.session.id"
model = "engine"
[[steps]]
without = ["tools", "parts"]
role = "who"
text = "said"
[[steps]]
has = ["tools"]
speaker = "agent"
text = "said"
thought = "why[]"
[steps.calls]
at = "tools[]"
name = "name"
arguments = "with"
id = "n"
[steps.results]
at = "tools[].back"
text = "out"
ok = "fine"
[[steps]]
message = "."
[[writes]]
value = "$.session.settings"
kind = "settings"
[[writes]]
at = "notes[]"
value = "text"
kind = "note"
instance-at = "by"
slot = "all"
op = "append"
[[writes]]
value = "patch"
kind = "plan"
op = "merge"
[[writes]]
has = ["forget"]
op = "remove"
kind = "plan"
slot-at = "forget"
"#;

#[test]
fn a_document_has_its_steps_in_a_list() {
    let text = r#"{"session":{"id":"s1","schema":"doc-2","n":7.0,"settings":{"tone":"dry"},"turns":[
        {"who":"human","said":"hello","notes":[{"by":"a","text":"x"},{"by":"b","text":"y"}],"engine":"m1"},
        {"said":"on it","why":["first","then",""],"tools":[{"name":"ls","with":{"d":"."},"n":1,"back":{"out":"a\nb","fine":true}},
            {"name":"rm","with":"x","n":2,"back":{"out":"no","fine":false}}],"patch":{"a":1,"b":{"c":2}}},
        {"role":"assistant","content":[{"type":"text","text":"done"}],"parts":1,"patch":{"b":{"c":null,"d":3}}},
        {"who":"bot","said":"","notes":[{"by":"a","text":"z"}],"forget":"a"}, 17]}}"#;
    let doc = format(DOCUMENT);
    assert!(doc.detect(&[parse(text).unwrap()]).is_some());
    let (step_lines, run) = steps(&doc, text);
    let expected = [
        "message user: hello",
        "thought agent: first",
        "thought agent: then",
        "message agent: on it",
        "tool-call agent: ls .",
        "tool-call agent: rm x",
        "tool-result environment: a\nb (of 4)",
        "tool-result environment: no (of 5)",
        "message agent: done",
        "message agent: ",
        "state unknown: 17",
    ];
    // Results without an id answer the calls in order, of which each has one.
    assert_eq!(
        step_lines.iter().map(|step| step.split(" (of").next().unwrap()).collect::<Vec<_>>().len(),
        expected.len()
    );
    for (line, expected) in step_lines.iter().zip(expected) {
        assert_eq!(line.split(" (of").next(), expected.split(" (of").next());
    }
    assert_eq!(run.error_steps(), [7]);
    assert_eq!(value(run.as_ref(), "/note", text), r#"{"a":{"all":["x","z"]},"b":{"all":["y"]}}"#);
    assert_eq!(value(run.as_ref(), "/plan/main", text), r#"{"b":{"d":3}}"#);
    assert_eq!(value(run.as_ref(), "/settings/main", text), r#"{"tone":"dry"}"#);
    assert_eq!(run.title().as_deref(), Some("s1"));
}

#[test]
fn branches_are_recognised_by_parents_and_json_in_strings_is_written() {
    let tree = r#"
name = "tree"
[signature]
has = ["id", "say"]
[tree]
id = "id"
parent = "after"
sub-agent = "side"
[[steps]]
role = "who"
text = "say"
[[writes]]
value = "state"
kind = "memory"
json = true
"#;
    let log = r#"{"id":"a","after":null,"who":"user","say":"x","state":"{\"n\":1,\"s\":\"\\u00e9\"}"}
{"id":"b","after":"a","who":"agent","say":"left"}
{"id":"c","after":"a","who":"agent","say":"kept"}
{"id":"d","after":"c","who":"agent","say":"of another","side":true}"#;
    let (step_lines, run) = steps(&format(tree), log);
    assert_eq!(step_lines.len(), 4);
    let bytes = log.as_bytes().to_vec();
    let standings: Vec<&str> = (0..4).map(|step| run.step(step, &bytes).standing.name()).collect();
    assert_eq!(standings, ["main", "abandoned", "main", "sub-agent"]);
    assert_eq!(value(run.as_ref(), "/memory/main", log), "{\"n\":1,\"s\":\"é\"}");
    let merged = tree.replace("json = true", "json = true\nop = \"merge\"");
    assert!(fault(&merged).contains("JSON in a string"), "{}", fault(&merged));
    let rows = tree.replace("[tree]", "[records]\nare = \"trajectories\"\n[tree]");
    assert!(fault(&rows).contains("form a tree"), "{}", fault(&rows));
}

#[test]
fn records_may_be_runs_of_their_own() {
    let rows = format(
        "name = \"rows\"\n[records]\nare = \"trajectories\"\nsteps = \"turns[]\"\n[signature]\nhas = [\"turns\"]\n\
                       [session]\ntitle = \"$.id\"\n[[steps]]\nrole = \"who\"\ntext = \"said\"\n",
    );
    assert_eq!(rows.layout(), Layout::Set);
    let text = r#"{"id":"r","turns":[{"who":"user","said":"a  b"},{"who":"bot","said":"c"}]}"#;
    let mut survey = rows.survey(Purpose::Table).unwrap();
    let record = records(text).remove(0);
    let looked = survey.look()(&record, text.as_bytes());
    let facts = survey.take(looked, &text.as_bytes().to_vec()).facts.unwrap();
    assert_eq!((facts.title.as_str(), facts.words.as_str()), ("r", "a b"));
    assert_eq!(facts.counted.unwrap().steps, 2);
    assert!(format(RELAY).survey(Purpose::Table).is_none());
}

#[test]
fn faults_are_reported_with_their_line_and_what_to_do() {
    let good = "name = \"x\"\n[signature]\nhas = [\"a\"]\n[[steps]]\ntext = \"t\"\n";
    assert_eq!(fault(good), "");
    for (text, line, what) in [
        (good.replace("text =", "txet ="), 5, "did you mean `text`?"),
        (good.replace("\"t\"", "7"), 5, "invalid type"),
        (good.replace("\"t\"", "\"a..b\""), 5, "empty name"),
        (good.replace("has = [\"a\"]", "has = [\"a[\"]"), 3, "`[` without `]`"),
        (good.replace("has = [\"a\"]", ""), 2, "would fit any record"),
        (good.replace("\"x\"", "\"Big Name\""), 1, "lower-case letters"),
        (good.replace("\"x\"", "\"codex\""), 1, "has a format `codex` already"),
        (good.replace("\"x\"", "\"\""), 1, "lower-case"),
        (good.replace("name = \"x\"", ""), 1, "missing field `name`"),
        (good.replace("[[steps]]\ntext = \"t\"\n", ""), 1, "there are no [[steps]]"),
        (format!("{good}message = \".\"\n"), 4, "a message is read whole"),
        (format!("{good}skip = true\n"), 4, "skipped and read"),
        (format!("{good}role = \"r\"\nspeaker = \"user\"\n"), 4, "leave one out"),
        (format!("{good}speaker = \"robot\"\n"), 6, "user, agent, environment, system"),
        (format!("{good}[roles]\nx = \"king\"\n"), 7, "not a role"),
        (format!("{good}[[writes]]\nkind = \"k\"\n"), 6, "value = \"path\""),
        (format!("{good}[[writes]]\nkind = \"\"\nvalue = \"v\"\n"), 6, "empty `kind`"),
        (format!("{good}[[writes]]\nkind = \"k\"\nvalue = \"v\"\nslot = \"a\"\nslot-at = \"b\"\n"), 6, "leave one out"),
        (format!("{good}[[writes]]\nkind = \"k\"\nvalue = \"v\"\nop = \"append\"\n"), 6, "no slot"),
        (format!("{good}[[writes]]\nkind = \"k\"\nvalue = \"v\"\nop = \"apend\"\n"), 9, "did you mean `append`?"),
        (format!("{good}when = {{ a = nan }}\n"), 6, "no such number"),
        (format!("{good}when = {{ a = 2026-01-01 }}\n"), 6, "a text, a number"),
        (format!("{good}when = {{ \"a b\" = 1 }}\n"), 6, "needs quotes"),
        (format!("{good}{}", "[[steps]]\n".repeat(200)), 1, "at most 100"),
        ("name = \"x".to_owned(), 1, ""),
        ("\u{1}".to_owned(), 1, ""),
    ] {
        let message = fault(&text);
        assert!(
            message.starts_with(&format!("f.toml: line {line}: ")) && message.contains(what),
            "{what}: {message}\n{text}"
        );
    }
}

/// No cut and no spoilt byte of a format file ends the program, and what loads reads the log.
#[test]
fn a_format_file_that_is_damaged_is_reported_or_read() {
    for at in (0..RELAY.len()).step_by(3).filter(|at| RELAY.is_char_boundary(*at)) {
        for text in [RELAY[..at].to_owned(), format!("{}\"{}", &RELAY[..at], &RELAY[at..])] {
            match CustomFormat::parse("f.toml", &text) {
                Ok(format) => assert!(steps(&format, LOG).0.len() >= 10, "{text}"),
                Err(problem) => assert!(problem.hint.is_some(), "{problem}"),
            }
        }
    }
}

/// The sample and records that are cut, of other types, nested: steps or findings.
#[test]
fn what_is_no_such_record_is_a_step_or_a_finding() {
    for format in [format(RELAY), format(DOCUMENT)] {
        let texts =
            ["[]", "null", "{}", "{\"data\":[]}", r#"{"session":{"turns":{}}}"#, r#"{"session":{"turns":[[1],[]]}}"#];
        for text in texts {
            let (step_lines, run) = steps(&format, text);
            assert!(step_lines.len() + run.findings().len() > 0 || text == "[]", "{text}");
        }
        super::super::log::tests::damage(&format, &[&LOG[..900]]);
    }
}

fn drafted(name: &str, text: &str) -> (String, CustomFormat, Vec<String>) {
    let records = records(text);
    let values: Vec<_> = records.iter().filter_map(|record| json::parse_lenient(text_of(record, text)).ok()).collect();
    let draft = draft(name, &values).unwrap();
    let format = CustomFormat::parse("draft.toml", &draft).unwrap_or_else(|problem| panic!("{problem}\n{draft}"));
    let first = &values[..values.len().min(20)];
    assert!(format.detect(first).is_some(), "{draft}");
    let (step_lines, _) = steps(&format, text);
    (draft, format, step_lines)
}

#[test]
fn a_draft_of_the_sample_reads_it() {
    let (draft, format, step_lines) = drafted("samples/relay-run.jsonl", LOG);
    assert_eq!(format.name(), "relay-run");
    let expected = [
        "message unknown: Please raise the version of parcel to 1.3.0 and run the tests.",
        "tool-call agent: read_file VERSION",
        "tool-result environment: 1.2.9 (of 3)",
    ];
    for step in expected {
        assert!(step_lines.iter().any(|other| other == step), "{step}\n{step_lines:#?}\n{draft}");
    }
    assert!(draft.contains("# \"ines\" = \"agent\"") && draft.contains("id = \"call\""), "{draft}");
    assert!(draft.contains("slot-at = \"data.key\""), "{draft}");
    assert_eq!(step_lines.iter().filter(|step| step.starts_with("message")).count(), 4, "{step_lines:#?}");
}

#[test]
fn a_draft_lists_the_members_that_it_leaves_unused() {
    let lines = r#"{"ev":"prompt","who":"human","body":"list files","trace":"a1"}
{"ev":"invoke","tool_name":"ls","tool_args":{"path":"."},"call":"c1","extra":{"node":"n1","retry":0}}
{"ev":"reply","who":"bot","body":"There is a.txt","trace":"a4"}"#;
    let (draft, ..) = drafted("odd.jsonl", lines);
    let unused = draft.split("# Members that nothing above reads").nth(1).unwrap_or_default();
    for path in ["# \"ev\"", "# \"trace\"", "# \"extra\""] {
        assert!(unused.contains(path), "{path}: {draft}");
    }
    for path in ["\"body\"", "\"who\"", "\"tool_args", "\"extra.node\""] {
        assert!(!unused.contains(path), "{path}: {draft}");
    }
    let list = r#"{"host":{"os":"x"},"turns":[{"speaker":"human","utterance":"hi"},
        {"speaker":"bot","utterance":"yo","latency":3}]}"#;
    let (draft, ..) = drafted("a.json", list);
    let unused = draft.split("# Members that nothing above reads").nth(1).unwrap_or_default();
    assert!(unused.contains("# \"latency\"") && unused.contains("# \"$.host\""), "{draft}");
    assert!(!unused.contains("turns"), "{draft}");
}

#[test]
fn drafts_know_lists_messages_flat_calls_and_rows() {
    let list = r#"{"conversationId":"c","state":{"n":1},"turns":[{"speaker":"human","utterance":"hi"},
        {"speaker":"bot","utterance":"yo","toolCalls":[{"id":"1","function":{"name":"ls","arguments":"{}"}}],
         "toolResults":[{"id":"1","output":"x"}]}]}"#;
    let (draft, _, step_lines) = drafted("a b.json", list);
    let expected =
        ["message user: hi", "message agent: yo", "tool-call agent: ls", "tool-result environment: x (of 2)"];
    assert_eq!(step_lines, expected, "{draft}");
    assert!(draft.contains("value = \"$.state\"") && draft.contains("title = \"$.conversationId\""), "{draft}");

    let chat = "{\"seq\":1,\"payload\":{\"role\":\"user\",\"content\":\"go\"},\"ts\":5}\n\
                {\"seq\":2,\"payload\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"ls\",\"arguments\":\"{}\"}}]},\"ts\":6}\n";
    let (draft, _, step_lines) = drafted("chat.jsonl", chat);
    assert_eq!(step_lines, ["message user: go", "tool-call agent: ls"], "{draft}");
    assert!(draft.contains("message = \"payload\"") && draft.contains("time = \"ts\""), "{draft}");

    let flat = "{\"step\":1,\"tool\":\"grep\",\"args\":{\"q\":\"x\"},\"result\":\"found it\",\"success\":false}\n";
    let (draft, _, step_lines) = drafted("codex.jsonl", flat);
    assert_eq!(step_lines, ["tool-call agent: grep x", "tool-result environment: found it (of 0)"], "{draft}");
    assert!(draft.contains("name = \"my-codex\"") && draft.contains("ok = \"success\""), "{draft}");

    let row =
        r#"{"task":"t","log":[{"who":"user","what":"a long enough text to be found"},{"who":"agent","what":"b"}]}"#;
    let (draft, format, _) = drafted("rows.jsonl", &format!("{row}\n{row}\n"));
    assert_eq!(format.layout(), Layout::Set, "{draft}");
}

#[test]
fn a_draft_of_hostile_records_loads() {
    let long = "k".repeat(5000);
    for text in [
        r#"{"a\u001b[31m\"x":"\u202e\n# name = \"evil\"","\\":{"]]":1},"":{"":2},"$":3,"a.b":"c","type":"\u0007"}"#
            .to_owned(),
        format!("{{\"{long}\":1,\"x\":2}}"),
        format!("{{\"{}", "a\":{\"".repeat(50)) + &format!("b\":1{}", "}".repeat(51)),
        (0..900).map(|n| format!("{{\"m{n}\":{n},\"type\":\"t{}\"}}\n", n % 3)).collect(),
        "{}\n{}\n".to_owned() + r#"{"x":1}"#,
        "{\"type\":\"\"}\n{\"type\":\"a\"}\n".to_owned(),
    ] {
        let records = records(&text);
        let values: Vec<_> = records.iter().filter_map(|record| parse(text_of(record, &text)).ok()).collect();
        let draft = draft("\u{202e}x\n.jsonl", &values).unwrap();
        assert!(!draft.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{draft:?}");
        let parsed = CustomFormat::parse("draft.toml", &draft);
        assert!(
            parsed.is_ok() || values.iter().all(|value| value.as_object().is_some_and(|o| o.is_empty())),
            "{draft}"
        );
    }
    assert!(draft("x", &[parse("[1]").unwrap()]).is_err() && draft("x", &[]).is_err());
}
