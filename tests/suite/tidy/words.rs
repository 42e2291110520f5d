//! Words that have no place in the program, and what to say instead.

use super::{code, sources_below};
use std::path::Path;

/// Words that have no place outside tests, and what to do instead.
pub(super) const BANNED: &[(&str, &str)] = &[
    ("todo!(", "write it"),
    ("dbg!(", "take it out"),
    ("unimplemented!(", "write it"),
    (".unwrap()", "handle the case or return a Problem"),
    (".expect(", "handle the case or return a Problem"),
    ("panic!(", "return a Problem"),
];

/// Private words that names, comments and messages had once, and the field's word for each (`docs/architecture.md`,
/// Glossary). Matched as parts of words, without regard to case.
pub(super) const PRIVATE_WORDS: &[(&str, &str)] = &[
    ("sieve", "step filter"),
    ("one's own", "custom"),
    ("ownname", "CustomColumn"),
    ("stand_back", "lower_priority"),
    ("stands_back", "dimmed"),
    ("verdicts", "violations"),
    ("keeper", "mark journal"),
    ("enum tale", "TailItem"),
    ("struct exam ", "SchemaChecker"),
    ("struct held", "what it holds: NonEmptyColumns, DragState, CheckedIdentity"),
    ("struct told", "what is reported: TailReport, ReportedCounts, CellValue"),
    ("struct credit", "Attribution"),
    ("struct rooms", "Arena"),
    ("struct spell", "ViolationInterval"),
];

/// Private words of comments, each with the words that it may precede, and what to say instead. Matched as whole words
/// outside of backticks.
pub(super) const COMMENT_WORDS: &[(&str, &[&str], &str)] = &[
    ("told", &[], "reported, said, recognised by"),
    ("tell", &[], "report, say, distinguish"),
    ("tells", &[], "reports, says, distinguishes"),
    ("stands", &["for", "out", "still", "back"], "is"),
    ("stood", &["still"], "was"),
    ("anew", &[], "again"),
];

/// Private words that no identifier has as one of its words, in tests neither, and what to say instead.
const IDENTIFIER_WORDS: &[(&str, &str)] = &[
    ("told", "message, label, pieces, report, reported; describe_…"),
    ("tell", "notify, report, write_…, emit, add_…"),
    ("tells", "reports, shows, gives, distinguishes"),
    ("telling", "informative, distinctive"),
    ("tellings", "labels, messages"),
    ("teller", "notifier, sender"),
];

/// Everyday words that no name of a function, type, constant or module has as one of its words, and what to say instead.
const DECLARED_WORDS: &[(&str, &str)] = &[
    ("said", "…_text, …_message, add_message"),
    ("unsaid", "what is missing: untyped_call"),
    ("kept", "what is stored: CompactStep, SavedFolds, CACHED_…_MAX"),
    ("held", "what it holds: violations, non_empty_columns"),
    ("made", "build_…, derived, generated"),
    ("unmade", "missing"),
    ("remade", "rebuilt"),
    ("sift", "filter"),
    ("glance", "preview, overview"),
    ("glanced", "ScannedRecord"),
    ("meant", "nearest_…"),
    ("own", "custom, or whose: run_findings, is_obelus_file"),
    ("spent", "usage, cost"),
];

/// Names that say nothing of a type by themselves.
const VAGUE_TYPES: &[&str] = &["Done", "Found", "Known", "Seen", "Shown", "Wanted", "Whole"];

/// Keywords that a declared name follows.
const DECLARING: &[&str] = &["fn", "struct", "enum", "trait", "type", "const", "static", "mod"];

/// The folders whose declared names are checked; names of tests are sentences, which may have these words.
const DECLARED_FOLDERS: &[&str] = &["src", "core/src"];

/// The folders whose identifiers are checked.
const IDENTIFIER_FOLDERS: &[&str] = &["src", "core/src", "tests", "benches", "fuzz/fuzz_targets", "python/src"];

/// The words of an identifier: between underscores, and each from a capital letter on.
fn words_of(identifier: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let letters: Vec<char> = identifier.chars().collect();
    for (i, letter) in letters.iter().enumerate() {
        let is_before = i > 0 && letters[i - 1].is_lowercase();
        let is_behind = letters.get(i + 1).is_some_and(|next| next.is_lowercase());
        if *letter == '_' || (letter.is_uppercase() && (is_before || is_behind)) {
            words.push(String::new());
        }
        words.last_mut().unwrap().extend(letter.to_lowercase().filter(|c| *c != '_'));
    }
    words
}

fn identifier_words(path: &str, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (i, line) in code::code(text).lines().enumerate() {
        for name in line.split(|c: char| !c.is_alphanumeric() && c != '_') {
            let words = words_of(name);
            let found = IDENTIFIER_WORDS.iter().find(|(word, _)| words.iter().any(|other| other == word));
            out.extend(found.map(|(word, instead)| {
                format!("{path}:{}: `{name}` has the private word {word:?}; say {instead}", i + 1)
            }));
        }
    }
    out
}

fn declared_words(path: &str, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut is_test = false;
    for (i, line) in code::code(text).lines().enumerate() {
        let line = line.trim();
        let mut parts = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|part| !part.is_empty());
        while let Some(part) = parts.next() {
            // `const fn name`: the name follows the second keyword.
            if !DECLARING.contains(&part) || parts.clone().next().is_some_and(|next| DECLARING.contains(&next)) {
                continue;
            }
            let Some(name) = parts.next().filter(|_| !is_test) else { break };
            let words = words_of(name);
            let found = DECLARED_WORDS.iter().find(|(word, _)| words.iter().any(|other| other == word));
            out.extend(found.map(|(word, instead)| {
                format!("{path}:{}: `{name}` is declared with the everyday word {word:?}; say {instead}", i + 1)
            }));
            if VAGUE_TYPES.contains(&name) {
                out.push(format!("{path}:{}: `{name}` names no type by itself; say of what", i + 1));
            }
        }
        is_test = line.starts_with("#[") && (is_test || line == "#[test]");
    }
    out
}

/// What a check reports of all sources below these folders.
fn faults_below(folders: &[&str], check: fn(&str, &str) -> Vec<String>) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let faults = |folder: &&str| {
        let sources = sources_below(&root.join(folder)).into_iter();
        let faults = sources.flat_map(|source| check(&format!("{folder}/{}", source.path), &source.text));
        faults.collect::<Vec<_>>()
    };
    folders.iter().filter(|folder| root.join(folder).is_dir()).flat_map(faults).collect()
}

#[test]
fn no_identifier_has_a_private_word() {
    let all = faults_below(IDENTIFIER_FOLDERS, identifier_words);
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn no_declared_name_has_an_everyday_word() {
    let all = faults_below(DECLARED_FOLDERS, declared_words);
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn an_everyday_word_in_a_declared_name_is_found() {
    for bad in [
        "fn said() {}",
        "pub(super) const fn is_held() {}",
        "struct DataKept;",
        "const OWN_LEN: u8 = 1;",
        "enum Found {}",
    ] {
        assert_eq!(declared_words("x.rs", bad).len(), 1, "{bad}");
    }
    for good in ["let kept = 1;", "#[test]\nfn what_is_kept() {}", "fn owner(held: u8) {}", "// fn said"] {
        assert_eq!(declared_words("x.rs", good), Vec::<String>::new(), "{good}");
    }
}

#[test]
fn a_private_word_in_an_identifier_is_found() {
    for bad in
        ["let told = 1;", "fn tell_all() {}", "struct ATeller;", "type TailTell = ();", "const TOLD_MAX: u8 = 1;"]
    {
        assert_eq!(identifier_words("x.rs", bad).len(), 1, "{bad}");
    }
    for good in ["let retold = 1;", "fn f() { \"told\" } // tell", "struct Intelligent;", "let tellurium = 'x';"] {
        assert_eq!(identifier_words("x.rs", good), Vec::<String>::new(), "{good}");
    }
}
