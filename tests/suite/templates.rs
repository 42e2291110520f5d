//! Chat templates against what Python's Jinja makes of them. `tests/templates/compare.py` writes `expected.jsonl`.

use super::command::{file, obelus};
use obelus::json;
use obelus::review::{Conversation, Setting, Template, TemplateFiles};
use obelus::rules::trajectory::Way;
use serde_json::Value;
use std::fs;
use std::path::Path;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/templates");

/// Spans of bytes as spans of characters, those that touch as one.
fn chars(text: &str, spans: &[std::ops::Range<usize>]) -> Vec<[usize; 2]> {
    let at = |byte: usize| text[..byte].chars().count();
    let mut out: Vec<[usize; 2]> = Vec::new();
    for span in spans {
        match out.last_mut().filter(|last| last[1] >= at(span.start)) {
            Some(last) => last[1] = at(span.end),
            None => out.push([at(span.start), at(span.end)]),
        }
    }
    out
}

#[test]
fn templates_make_the_texts_and_masks_that_python_makes() {
    let read = |name: &str| fs::read_to_string(Path::new(FOLDER).join(name)).unwrap();
    let records: Vec<String> = read("conversations.jsonl").lines().map(str::to_owned).collect();
    let settings = ["bos_token=<bos>", "eos_token=<eos>", r#"custom={"a": [1, 2.0]}"#];
    let settings = settings.map(|text| Setting::parse(text).unwrap());
    let (mut rendered, mut wrong) = (0, Vec::new());
    for line in read("expected.jsonl").lines() {
        let expect: Value = serde_json::from_str(line).unwrap();
        let name = expect["template"].as_str().unwrap();
        let record = &records[usize::try_from(expect["record"].as_u64().unwrap()).unwrap()];
        let conversation = Conversation::of(&json::parse(record).unwrap(), Way::Formats).unwrap();
        let files = TemplateFiles { file: Some(read(&format!("jinja/{name}"))), ..TemplateFiles::default() };
        let source = files.source(None).unwrap().with(&settings);
        let made = Template::new(name, &source).and_then(|template| template.render(&conversation, usize::MAX, false));
        let is_same = match &made {
            Err(_) => expect.get("error").is_some(),
            Ok(out) => {
                rendered += 1;
                let mask = serde_json::to_value(chars(&out.text, &out.generated)).unwrap();
                expect["text"] == out.text.as_str() && (expect["mask"].is_null() || expect["mask"] == mask)
            }
        };
        if !is_same {
            wrong.push(format!("{name} {}:\n  python {expect}\n  obelus {made:?}", expect["record"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rendered > 120, "{rendered}");
}

const CALLS: &str = concat!(
    r#"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Yo <|im_end|>","tool_calls":"#,
    r#"[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]},"#,
    r#"{"role":"tool","content":"x","tool_call_id":"1"},{"role":"assistant","content":"Done."}]}"#,
    "\n",
    r#"{"messages":[{"role":"assistant","content":"I begin."}]}"#,
    "\n",
);

#[test]
fn the_files_of_a_tokenizer_make_a_template() {
    let folder = tempfile::tempdir().unwrap();
    let talk = file(folder.path(), "t.jsonl", CALLS);
    let text = |arguments: &[&str]| {
        let (_, text, _) = obelus(&[&["loss", &talk, "--record", "1", "--json"], arguments].concat());
        let answer: Value = serde_json::from_str(&text).unwrap();
        let texts = answer["segments"].as_array().unwrap().iter().map(|segment| segment["text"].as_str().unwrap());
        texts.collect::<String>()
    };
    let jinja = file(folder.path(), "own.jinja", "{{ bos_token }}{{ messages[0].content }}{{ date_string }}");
    let (_, _, stderr) = obelus(&["loss", &talk, "--record", "1", "--template", &jinja]);
    assert!(stderr.contains("names bos_token, and no tokenizer_config.json"), "{stderr}");
    assert_eq!(
        text(&["--template", &jinja, "--set", "bos_token=<b>", "--set", "date_string=5 May"]),
        "<b>I begin.5 May"
    );
    let config =
        r#"{"bos_token":"<B>","chat_template":[{"name":"default","template":"d"},{"name":"x","template":"y"}]}"#;
    let config = file(folder.path(), "tokenizer_config.json", config);
    assert_eq!(text(&["--template", &jinja]), "<B>I begin.");
    assert_eq!(text(&["--template", &format!("{config}#x")]), "y");
    assert_eq!(text(&["--template", &config]), "d");
    file(folder.path(), "chat_template.jinja", "beside {{ bos_token }}");
    for asked in [config.as_str(), folder.path().to_str().unwrap()] {
        assert_eq!(text(&["--template", asked]), "beside <B>");
    }
    let (status, _, stderr) = obelus(&["loss", &talk, "--template", &format!("{config}#none")]);
    assert!(status == 2 && stderr.contains("it has no template `none`; it has default"), "{stderr}");
    for wrong in ["messages=[]", "nothing"] {
        assert_eq!(obelus(&["loss", &talk, "--set", wrong]).0, 2);
    }
}

#[test]
fn a_template_on_which_the_engine_fails_costs_one_answer() {
    let folder = tempfile::tempdir().unwrap();
    let talk = file(folder.path(), "t.jsonl", &CALLS.repeat(3));
    let odd = file(folder.path(), "odd.jinja", "{{ [][::-1] | list }}{{ messages[0].content }}");
    let (_, text, _) = obelus(&["check", &talk, "--loss", &odd, "--json"]);
    assert_eq!(text.matches("the template engine of this program fails on it").count(), 6, "{text}");
}

#[test]
fn check_reports_templates_beside_one_another() {
    let folder = tempfile::tempdir().unwrap();
    let talk = file(folder.path(), "t.jsonl", CALLS);
    let own = "{% for m in messages %}{{ m.content }}{{ m.tool_calls[0].function.arguments | tojson if m.tool_calls }}{% endfor %}";
    let own = file(folder.path(), "own.jinja", own);
    let (_, text, _) = obelus(&["check", &talk, "--loss", &format!("chatml,gemma,{own}")]);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let row = |name: &str| {
        rows.iter().find(|row| row.first() == Some(&name)).unwrap_or_else(|| panic!("{text}"))[1..].to_vec()
    };
    assert_eq!(row("chatml"), ["2", "0", "≈64", "≈31", "0", "0", "0", "1"]);
    assert_eq!(row("gemma"), ["2", "2", "≈0", "≈0", "0", "0", "0", "0"]);
    assert_eq!(row(&own)[6..], ["1", "0"]);
    assert!(text.contains("gemma: the template gemma rejects"), "{text}");
    let (_, text, _) = obelus(&["check", &talk, "--loss", "chatml,gemma", "--json"]);
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last["templates"][1]["rejected"], 2);
    assert_eq!(last["templates"][0]["special_token"], 1);
    let (_, text, _) = obelus(&["check", &talk, "--loss", "chatml", "--json"]);
    assert!(!text.contains("\"templates\"") && text.contains("loss.special-token"), "{text}");
}

#[test]
fn export_writes_arguments_as_objects() {
    let folder = tempfile::tempdir().unwrap();
    let talk = file(folder.path(), "t.jsonl", CALLS);
    let out = folder.path().join("out.jsonl");
    let export = |arguments: &[&str]| {
        let (status, _, stderr) =
            obelus(&[&["export", &talk, "--force", "--out", out.to_str().unwrap()], arguments].concat());
        (status, stderr, fs::read_to_string(&out).unwrap_or_default())
    };
    let (status, _, text) = export(&["--to", "messages", "--arguments", "object"]);
    assert!(status == 0 && text.contains(r#""arguments":{"a":1}"#), "{text}");
    let (_, _, text) = export(&["--to", "messages", "--arguments", "string"]);
    assert!(text.contains(r#""arguments":"{\"a\": 1}""#), "{text}");
    let (status, stdout, _) = export(&["--to", "sharegpt", "--arguments", "object"]);
    assert!(status == 2 && stdout.contains("--arguments is for --to messages"), "{stdout}");
}
