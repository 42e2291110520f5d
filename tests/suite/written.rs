//! Files that commands write: what they may take the place of, and what of it they keep.

use super::command::{file, obelus_at_home as obelus};
use std::fs;

const RECORD: &str =
    "{\"id\":\"a\",\"content\":[{\"class_\":\"text_observation\",\"content\":\"x\",\"source\":\"user\"}]}\n";

#[test]
fn marks_are_never_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    file(at, "d.jsonl", RECORD);
    assert_eq!(obelus(at, &["mark", "d.jsonl", "--as", "bad"]).0, 0);
    for journal in ["j.jsonl", "old.jsonl"] {
        assert_eq!(obelus(at, &["mark", "d.jsonl", "--as", "good", "--marks", journal]).0, 0);
    }
    let own = "data/obelus/marks.jsonl";
    let before = [own, "j.jsonl", "old.jsonl"].map(|name| fs::read(at.join(name)).unwrap());
    for words in [
        &["export", "d.jsonl", "--marks", "j.jsonl", "--out", own, "--force"][..],
        &["export", "d.jsonl", "--marks", "j.jsonl", "--out", "old.jsonl", "--force"],
        &["marks", "merge", "j.jsonl", "--out", own, "--force"],
        &["picture", "d.jsonl", "--out", own, "--force"],
        &["picture", "d.jsonl", "--out", "j.jsonl", "--force"],
    ] {
        let (status, stdout, stderr) = obelus(at, words);
        assert!(status == 2 && stdout.is_empty() && stderr.contains("journal of marks"), "{words:?}: {stderr}");
    }
    let after = [own, "j.jsonl", "old.jsonl"].map(|name| fs::read(at.join(name)).unwrap());
    assert_eq!(after, before);
    assert_eq!(obelus(at, &["marks", "merge", "j.jsonl", "--out", "old.jsonl", "--force"]).0, 0, "a merge made anew");
}
