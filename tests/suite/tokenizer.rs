//! Tokens counted by a `tokenizer.json`, where they are estimated without.
#![cfg(feature = "tokenizer")]

use super::command::{file, obelus, obelus_at_home};
use serde_json::Value;
use std::path::Path;

/// Each word, each run of signs, and the two names of the template are one token.
const TOKENIZER: &str = r#"{"version":"1.0","truncation":null,"padding":null,"normalizer":null,"post_processor":null,"decoder":null,
"added_tokens":[{"id":1,"content":"<|im_start|>","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},
{"id":2,"content":"<|im_end|>","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],
"pre_tokenizer":{"type":"Whitespace"},
"model":{"type":"WordLevel","vocab":{"[UNK]":0,"<|im_start|>":1,"<|im_end|>":2},"unk_token":"[UNK]"}}"#;

const TALK: &str = concat!(
    r#"{"id":"a","messages":[{"role":"user","content":"one two"},{"role":"assistant","content":"three four five"}]}"#,
    "\n",
    r#"{"id":"b","messages":[{"role":"user","content":"internationalization"},{"role":"assistant","content":"ok"}]}"#,
    "\n",
);

fn written(folder: &Path) -> (String, String) {
    (file(folder, "talk.jsonl", TALK), file(folder, "tokenizer.json", TOKENIZER))
}

fn json(out: &str) -> Value {
    serde_json::from_str(out.lines().last().unwrap()).unwrap()
}

#[test]
fn loss_counts_the_tokens_of_the_template_too() {
    let folder = tempfile::tempdir().unwrap();
    let (talk, tokenizer) = written(folder.path());
    let (status, out, errors) = obelus(&["loss", &talk, "--tokenizer", &tokenizer, "--json"]);
    let report = json(&out);
    // Begin, role, words, end.
    assert_eq!((status, &report["tokens"], &report["tokens_counted"]), (0, &11.into(), &true.into()), "{errors}");
    let roles: Vec<_> = report["roles"].as_array().unwrap().iter().map(|role| role["tokens"].to_string()).collect();
    assert_eq!(roles, [r#"{"seen":5,"trained":0,"cut":0}"#, r#"{"seen":6,"trained":4,"cut":0}"#]);
    let (_, out, _) = obelus(&["loss", &talk, "--json"]);
    assert_eq!(json(&out)["tokens_counted"], false);
    let (_, out, _) = obelus(&["loss", &talk, "--tokenizer", &tokenizer]);
    assert!(!out.contains('≈'), "{out}");
}

#[test]
fn limits_are_those_of_counted_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let (talk, _) = written(folder.path());
    // A folder stands for the tokenizer in it.
    let tokenizer = folder.path().to_str().unwrap();
    let check = |most: &str| {
        let arguments = ["check", "--loss", "chatml", "--max-tokens", most, "--tokenizer", tokenizer, &talk];
        obelus(&arguments).1
    };
    assert!(!check("11").contains("loss.cut"));
    assert!(check("10").contains("1 of 4 tokens that train lie behind the limit"), "{}", check("10"));
    // By the estimate of four bytes even these are too many.
    let (_, out, _) = obelus(&["check", "--loss", "chatml", "--max-tokens", "11", &talk]);
    assert!(out.contains('≈'), "{out}");
    let arguments = ["query", "--where", "finding:loss.cut", "--loss", "chatml", "--max-tokens", "10"];
    let (_, out, errors) = obelus(&[&arguments[..], &["--tokenizer", tokenizer, "--count", &talk]].concat());
    assert_eq!(out.trim(), "1", "{errors}");
}

#[test]
fn filters_and_groups_count_the_texts_of_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let (talk, tokenizer) = written(folder.path());
    let count = |arguments: &[&str]| obelus(&[&["query", "--count", &talk, "--where"], arguments].concat()).1;
    assert_eq!(count(&["tokens>4", "--tokenizer", &tokenizer]).trim(), "1");
    assert_eq!(count(&["tokens>4"]).trim(), "2");
    let arguments = ["stats", "--by", "id", "--of", "tokens", "--tokenizer", &tokenizer, "--json", &talk];
    let (_, out, errors) = obelus(&arguments);
    let means: Vec<_> =
        out.lines().filter_map(|line| json(line)["group"]["numbers"]["tokens"]["mean"].as_f64()).collect();
    assert_eq!(means, [5.0, 2.0], "{errors}");
}

#[test]
fn what_is_no_tokenizer_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (talk, _) = written(folder.path());
    for (name, expected) in [("none.json", "No such file"), ("talk.jsonl", "is not a tokenizer")] {
        let path = folder.path().join(name);
        let (status, _, errors) = obelus(&["loss", &talk, "--tokenizer", path.to_str().unwrap()]);
        assert!(status == 2 && errors.contains(expected) && errors.contains("tokenizer.json"), "{errors}");
    }
    let config = folder.path().join("config/obelus");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "tokenizer = \"none.json\"\n").unwrap();
    let (status, out, errors) = obelus_at_home(folder.path(), &["config", "check"]);
    assert!(status == 1 && format!("{out}{errors}").contains("none.json"), "{out} {errors}");
}
