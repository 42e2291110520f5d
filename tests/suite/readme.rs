//! The commands that README and the pages of docs show answer: each page's in order, in a folder with the samples.

use crate::command::{self, CommandResult};
use std::fs;
use std::path::{Path, PathBuf};

/// Files that pages name for the reader's own, each a copy of a sample.
const STAND_INS: &[(&str, &str)] = &[
    ("run.jsonl", "trip-run.jsonl"),
    ("runs/a.jsonl", "trip-run.jsonl"),
    ("trajectories.jsonl", "tickets-std.jsonl"),
    ("data.jsonl", "tickets-std.jsonl"),
    ("shards/a.jsonl", "tickets-std.jsonl"),
    ("test.jsonl", "desk-rollouts.jsonl"),
    ("good.jsonl", "trip-run.jsonl"),
    ("bad.jsonl", "support-run.jsonl"),
    ("dataset-v1.jsonl", "desk-rollouts.jsonl"),
    ("dataset-v2.jsonl", "tickets-std.jsonl"),
    ("a.jsonl", "tickets-std.jsonl"),
    ("b.jsonl", "desk-rollouts.jsonl"),
];

/// Commands that end only when they are told to, or that need what no test has: not run, but their arguments are
/// checked by `docs.rs`.
fn waits(words: &[String]) -> bool {
    let has = |word: &str| words.iter().any(|w| w == word);
    let command = words.get(1).map_or("", String::as_str);
    // A folder on the screen is a list, of which there are no pictures; `~` is a home that no test has.
    let is_list = is_screen(words) && (command.ends_with('/') || words.get(2).is_some_and(|w| !w.starts_with('-')));
    match command {
        "tail" => !has("--once"),
        // `docs.rs` draws the pictures.
        "replay" | "demo" | "mcp" | "picture" => true,
        "" | "-" => true,
        _ if is_list || words.iter().any(|word| word.starts_with('~')) => true,
        _ => has("--follow") || has("--latest") || has("--diff") || has("--screen"),
    }
}

/// Whether it opens the screen: what is named first is no command.
fn is_screen(words: &[String]) -> bool {
    words.get(1).is_some_and(|first| first.contains(['.', '/']))
}

/// The pages whose commands are run.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let is_run = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        // These show what a command is like, with files that nobody has; `spark.rs` tries scale.md.
        name.ends_with(".md") && !["install.md", "performance.md", "platforms.md", "scale.md"].contains(&name)
    };
    let mut out: Vec<PathBuf> = docs.filter(is_run).collect();
    out.extend(["README.md", "samples/README.md"].map(|name| root.join(name)));
    out.sort();
    out
}

/// The lines of shell in a page that begin with `obelus`.
fn lines(page: &str) -> Vec<&str> {
    let mut language = None;
    let mut out = Vec::new();
    for line in page.lines() {
        match (line.strip_prefix("```"), language) {
            (Some(_), Some(_)) => language = None,
            (Some(name), None) => language = Some(name),
            (None, Some("sh")) => out.push(line),
            (None, None) if line.starts_with("    obelus") => out.push(line.trim()),
            (None, _) => {}
        }
    }
    out.retain(|line| line.starts_with("obelus"));
    out
}

/// The words of a line; quotes hold one together. What follows `|` and `#` is not of the command; what it is to be
/// written to stands apart.
pub(crate) fn words(line: &str) -> (Vec<String>, Option<String>) {
    let (mut out, mut word, mut quote, mut is_word) = (Vec::new(), String::new(), None, false);
    for c in line.chars().chain(Some(' ')) {
        match (quote, c) {
            (None, '\'' | '"') => (quote, is_word) = (Some(c), true),
            (Some(end), c) if c == end => quote = None,
            (None, ' ') if is_word => {
                if ["#", "|", "||", "&&", ";", "&"].contains(&word.as_str()) {
                    is_word = false;
                    break;
                }
                out.push(std::mem::take(&mut word));
                is_word = false;
            }
            (None, ' ') => {}
            (_, c) => {
                word.push(c);
                is_word = true;
            }
        }
    }
    // A quote that ends behind a `|` where the line was cut.
    if is_word {
        out.push(word);
    }
    let to = out.iter().position(|word| word == ">").map(|at| (out.get(at + 1).cloned(), at));
    let target = to.and_then(|(target, at)| {
        out.truncate(at);
        target
    });
    (out, target)
}

/// A folder with the samples and what stands for files of the reader.
fn folder() -> tempfile::TempDir {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let folder = tempfile::tempdir().unwrap();
    for name in ["samples", "runs", "shards", "data", "config"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    for entry in fs::read_dir(&samples).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path().join("samples").join(path.file_name().unwrap())).unwrap();
    }
    for (name, sample) in STAND_INS {
        fs::copy(samples.join(sample), folder.path().join(name)).unwrap();
    }
    let talk = "{\"key\":\"a\",\"grade\":1,\"dialog\":[{\"speaker\":\"human\",\"utterance\":\"hello\"}]}\n";
    fs::write(folder.path().join("talks.jsonl"), talk).unwrap();
    let rollout = "{\"transcript\":[{\"role\":\"user\",\"content\":\"hello\"}],\"problem\":{\"id\":\"p\"},\"scores\":{\"total\":1}}\n";
    fs::write(folder.path().join("rollouts.jsonl"), rollout).unwrap();
    let template = "{\"chat_template\":\"{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}\"}";
    fs::write(folder.path().join("tokenizer_config.json"), template).unwrap();
    // The filter that a page defines for the configuration.
    fs::create_dir(folder.path().join("config/obelus")).unwrap();
    fs::write(folder.path().join("config/obelus/config.toml"), "[filters]\n\"long and failed\" = \"steps>2\"\n")
        .unwrap();
    folder
}

/// Runs a command; one that opens the screen draws it instead.
fn run(folder: &Path, words: &[String]) -> CommandResult {
    let mut arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    if is_screen(words) {
        arguments.insert(0, "picture");
    }
    command::obelus_at_home(folder, &arguments)
}

#[test]
fn commands_of_the_pages_answer() {
    let (mut faults, mut ran) = (Vec::new(), 0);
    for page in pages() {
        let (folder, name) = (folder(), page.file_name().unwrap().to_str().unwrap().to_owned());
        for line in lines(&fs::read_to_string(&page).unwrap()) {
            let (words, to) = words(line);
            if waits(&words) {
                continue;
            }
            let (status, answer, said) = run(folder.path(), &words);
            if let Some(to) = to {
                fs::write(folder.path().join(to), &answer).unwrap();
            }
            ran += 1;
            // Status 1 is an answer: a difference, a finding.
            let is_silent = ["--write-baseline", "--out", "mark"].iter().any(|word| words.iter().any(|w| w == word));
            if !(0..2).contains(&status) || (answer.is_empty() && !is_silent) {
                faults.push(format!("{name}: {line}: status {status}: {said}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(ran > 60, "{ran} commands were run");
}

#[test]
fn lines_of_shell_are_read_as_a_shell_reads_them() {
    let page = "x\n```sh\nobelus a 'b c' > d  # e\nls\n```\n```json\nobelus no\n```\n    obelus e | jq .\n";
    let read: Vec<_> = lines(page).into_iter().map(words).collect();
    let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    assert_eq!(read, [(own(&["obelus", "a", "b c"]), Some("d".to_owned())), (own(&["obelus", "e"]), None)]);
    assert_eq!(words("obelus x \"it's\" || test").0, own(&["obelus", "x", "it's"]));
    assert!(waits(&own(&["obelus", "tail", "x"])) && !waits(&own(&["obelus", "tail", "x", "--once"])));
}
