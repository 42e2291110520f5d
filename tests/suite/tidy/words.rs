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

#[test]
fn no_identifier_has_a_private_word() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = |folder: &&str| {
        let sources = sources_below(&root.join(folder)).into_iter();
        let faults = sources.flat_map(|source| identifier_words(&format!("{folder}/{}", source.path), &source.text));
        faults.collect::<Vec<_>>()
    };
    let all: Vec<String> =
        IDENTIFIER_FOLDERS.iter().filter(|folder| root.join(folder).is_dir()).flat_map(found).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
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
