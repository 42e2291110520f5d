//! `obelus report`: what stands on the page, what does not, and that its commands lead back.

use crate::command::{file, obelus, obelus_in, sample};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn page_of(input: &str, more: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let out = file(folder.path(), "gone.html", "");
    fs::remove_file(&out).unwrap();
    let (status, _, said) = obelus(&[&["report", input, "--out", &out], more].concat());
    assert_eq!(status, 0, "{said}");
    let page = fs::read_to_string(&out).unwrap();
    well_formed(&page);
    page
}

/// Fails on a tag that is not closed, closed twice, or not one that the page is made of.
fn well_formed(page: &str) {
    let (mut open, mut rest) = (Vec::new(), page);
    while let Some(at) = rest.find('<') {
        let end = at + rest[at..].find('>').expect("a tag ends");
        let tag = &rest[at + 1..end];
        let name = tag.split(' ').next().unwrap();
        match name.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed), "{}", &rest[..end.min(200)]),
            None if matches!(name, "!doctype" | "meta") => {}
            None => {
                let known = "html head title style body header h1 h2 h3 p span code div nav b a main section details \
                             summary small footer";
                assert!(known.split_whitespace().any(|known| known == name), "<{tag}>");
                open.push(name);
            }
        }
        rest = &rest[end + 1..];
        if name == "style" {
            rest = &rest[rest.find("</style>").unwrap()..];
        }
    }
    assert_eq!(open, Vec::<&str>::new());
}

/// The values of an attribute.
fn attributes<'p>(page: &'p str, name: &str) -> Vec<&'p str> {
    let begin = format!(" {name}=");
    page.match_indices(&begin)
        .map(|(at, _)| page[at + begin.len()..].trim_start_matches('"').split(['"', ' ', '>']).next().unwrap())
        .collect()
}

/// The text of a page, unescaped.
fn text(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page.split_once("</style>").unwrap().1;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at + rest[at..].find('>').unwrap() + 1..];
    }
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    entities.into_iter().fold(out, |text, (entity, c)| text.replace(entity, c))
}

#[test]
fn a_page_has_steps_changes_state_and_findings() {
    let page = page_of(&sample("trip-run.jsonl"), &[]);
    let text = text(&page);
    for words in ["trip-run.jsonl", "Agent/Data", "66 steps", "quoteHotel", "changed here", "state after @41", "1500"] {
        assert!(text.contains(words), "{words}");
    }
    let ids: BTreeSet<&str> = attributes(&page, "id").into_iter().collect();
    assert_eq!(ids.len(), attributes(&page, "id").len(), "no id twice");
    for link in attributes(&page, "href") {
        assert!(link.strip_prefix('#').is_some_and(|id| ids.contains(id)), "{link}");
    }
    assert!((0..66).all(|step| ids.contains(format!("s{step}").as_str())), "each step has its place");
    assert!(attributes(&page, "href").contains(&"#s41"));
    // The budget is written by @41, and the page says so beside the value.
    let row = page.lines().find(|line| line.contains(">budget") && line.contains("href=\"#s41\"")).unwrap();
    assert!(row.contains("quoteHotel"), "{row}");
}

#[test]
fn a_page_has_the_files_of_a_coding_agent_with_who_wrote_each_line() {
    let page = page_of(&sample("fix-session.jsonl"), &[]);
    assert!(page.contains("<h2 id=files>"));
    // The line that step 17 wrote, by its number.
    let is_edited = |line: &&str| line.contains("class=blame href=\"#s17\"") && line.contains("   8</span>");
    let edited = page.lines().find(is_edited).unwrap();
    assert!(edited.contains("discount"), "{edited}");
    assert!(text(&page).contains("test_totals.py"));
    let findings = obelus(&["check", &sample("faults.jsonl")]).1;
    let page = text(&page_of(&sample("faults.jsonl"), &[]));
    let rule = findings.split_whitespace().find_map(|word| word.strip_prefix("[acts.")?.strip_suffix(']')).unwrap();
    assert!(page.contains(rule), "{rule}");
}

#[test]
fn nothing_of_a_page_comes_from_elsewhere_or_runs() {
    for name in ["trip-run.jsonl", "fix-session.jsonl", "support-run.jsonl", "tickets-std.jsonl", "pole-survey.jsonl"] {
        let page = page_of(&sample(name), &[]);
        for word in ["<script", "<img", "<link", "<iframe", "url(", "@import", "http-equiv=refresh"] {
            assert!(!page.contains(word), "{name}: {word}");
        }
        assert_eq!(attributes(&page, "src"), [""; 0], "{name}");
        assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'"));
        assert!(page.contains("prefers-color-scheme:dark"));
    }
}

#[test]
fn hostile_text_stays_text() {
    let folder = tempfile::tempdir().unwrap();
    let hostile = "</div><script>alert(1)</script><img src=x onerror=y> \u{1b}[31m \u{202e}txt\u{0} &lt; \"q\" 'a' \
                   javascript:x";
    let message = |role: &str| json!({"role": role, "content": hostile}).to_string();
    let call = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": hostile, "type": "function", "function": {"name": hostile, "arguments": json!({hostile: hostile}).to_string()}}
    ]});
    let chat = format!("{{\"id\":{},\"messages\":[{},{call},{}]}}\n", json!(hostile), message("user"), message("tool"));
    let act = json!({"kind": hostile, "instance": hostile, "content": {hostile: hostile}, "role": "data"});
    let name = "a&b<i>'.jsonl";
    for input in [file(folder.path(), name, &chat), file(folder.path(), "acts.jsonl", &format!("{act}\n"))] {
        let page = page_of(&input, &["--force"]);
        let raw = ["<script", "<img", "<i>", "\u{1b}", "\u{202e}", "\u{0}"];
        let found: Vec<_> = raw.iter().filter(|raw| page.contains(**raw)).collect();
        assert!(found.is_empty(), "{input}: {found:?}");
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && page.contains("U+202E"), "{input}");
        assert!(page.contains("&amp;lt;"), "what looks like an entity is no entity");
    }
}

#[test]
fn secrets_are_replaced_before_the_page_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let (key, mail) = ("sk-proj-abcdefghijklmnopqrstuvwx0123456789", "ann@example.org");
    let said = |role: &str, content: &str| json!({"role": role, "content": content});
    let record = json!({"id": "a", "messages": [said("user", &format!("my key is {key}")), said("assistant", mail)]});
    let input = file(folder.path(), "chat.jsonl", &format!("{record}\n{record}\n"));
    let open = page_of(&input, &["--record", "1"]);
    assert!(open.contains(key) && text(&open).contains("Secrets were not looked for"));
    let page = page_of(&input, &["--record", "1", "--redact"]);
    assert!(!page.contains(key) && !page.contains(mail) && !page.contains("abcdefghijklmnop"));
    let text = text(&page);
    assert!(text.contains("[REDACTED:api-key]") && text.contains("[REDACTED:email]"), "{text}");
    assert!(text.contains("2 secrets replaced") && text.contains("--record 1 --step 0"), "{text}");
    let run = fs::read_to_string(sample("fix-session.jsonl")).unwrap().replace("in percent", mail);
    let page = page_of(&file(folder.path(), "run.jsonl", &run), &["--redact"]);
    assert!(!page.contains(mail) && page.contains("[REDACTED:email]") && page.contains("<h2 id=files>"));
}

#[test]
fn a_long_run_is_cut_in_the_middle_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let words = "word ".repeat(500);
    let step = |number: usize| json!({"class_": "text_observation", "content": format!("n{number} {words}"), "source": "user"});
    let content: Vec<_> = (0..2_900).map(step).collect();
    let record = json!({"id": "a", "content": content});
    let input = file(folder.path(), "long.jsonl", &format!("{record}\n"));
    let page = page_of(&input, &[]);
    assert!(page.len() < 14 << 20, "{}", page.len());
    let text = text(&page);
    assert!(text.contains("are left out: a page has at most 5"), "it says so");
    assert!(text.contains("n0 word") && text.contains("n2899 word") && !text.contains("n1450 word"));
    let ids: BTreeSet<&str> = attributes(&page, "id").into_iter().collect();
    let links = attributes(&page, "href");
    assert!(links.iter().all(|link| ids.contains(&link[1..])), "no link to what is left out");
}

#[test]
fn a_page_is_not_written_over_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(folder.path(), "run.jsonl", &fs::read_to_string(sample("trip-run.jsonl")).unwrap());
    let there = file(folder.path(), "there.html", "mine");
    for (arguments, is_written) in [
        (vec!["report", &input, "--out", &there], false),
        (vec!["report", &input, "--out", &there, "--force"], true),
        (vec!["report", &input, "--out", &input, "--force"], false),
        (vec!["report", &input, "--record", "1", "--out", "x.html"], false),
    ] {
        let (status, _, said) = obelus_in(folder.path(), &arguments);
        assert_eq!(status == 0, is_written, "{arguments:?}: {said}");
    }
    assert!(fs::read_to_string(&there).unwrap().starts_with("<!doctype html>"));
    assert!(!Path::new(&folder.path().join("x.html")).exists());
}
