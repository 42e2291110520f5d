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

/// Private words of names, comments and messages, and the field's word for each (`docs/architecture.md`,
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

/// Private phrases of comments, in lower case, and what to say instead. Matched outside of backticks.
pub(super) const COMMENT_PHRASES: &[(&str, &str)] =
    &[("so many", "the name of the number: `count` records, at most `bytes` bytes")];

/// Private words that no identifier has as one of its words, in tests neither, and what to say instead.
const IDENTIFIER_WORDS: &[(&str, &str)] = &[
    ("told", "message, label, pieces, report, reported; describe_…"),
    ("tell", "notify, report, write_…, emit, add_…"),
    ("tells", "reports, shows, gives, distinguishes"),
    ("telling", "informative, distinctive"),
    ("tellings", "labels, messages"),
    ("teller", "notifier, sender"),
];

/// Everyday words that no identifier of the program has as one of its words (functions, types, fields, parameters and
/// local variables alike), and what to say instead.
const EVERYDAY_WORDS: &[(&str, &str)] = &[
    ("said", "…_text, …_message, add_message"),
    ("unsaid", "what is missing: untyped_call"),
    ("kept", "what is stored: CompactStep, SavedFolds, CACHED_…_MAX"),
    ("held", "what it holds: violations, non_empty_columns"),
    ("made", "build_…, derived, generated"),
    ("unmade", "missing"),
    ("remade", "rebuilt"),
    ("sift", "filter"),
    ("glance", "preview, overview"),
    ("glanced", "scanned"),
    ("meant", "nearest_…"),
    ("own", "custom, or whose: run_findings, is_obelus_file"),
    ("spent", "usage, cost"),
];

/// Names that say nothing of a type by themselves.
const VAGUE_TYPES: &[&str] = &[
    "Done", "Entry", "Found", "Given", "Known", "Line", "Look", "Looked", "Part", "Question", "Seen", "Shape", "Shown",
    "Target", "Wanted", "What", "Whole",
];

/// Keywords that the name of a type follows.
const DECLARING: &[&str] = &["struct", "enum", "trait", "type"];

/// The folders whose identifiers have no everyday words; names of tests are sentences, which may have them.
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

fn everyday_words(path: &str, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut is_test = false;
    for (i, line) in code::code(text).lines().enumerate() {
        let line = line.trim();
        for name in line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|_| !is_test) {
            let words = words_of(name);
            let found = EVERYDAY_WORDS.iter().find(|(word, _)| words.iter().any(|other| other == word));
            out.extend(found.map(|(word, instead)| {
                format!("{path}:{}: `{name}` has the everyday word {word:?}; say {instead}", i + 1)
            }));
        }
        is_test = line.starts_with("#[") && (is_test || line == "#[test]");
    }
    out
}

/// Types that are declared by a name that says nothing; not the types of a trait, which its implementations name.
fn vague_types(path: &str, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (i, line) in code::code(text).lines().enumerate() {
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        let keyword = words.find(|word| DECLARING.contains(word));
        let is_of_trait = keyword == Some("type") && line.starts_with(' ');
        let name = words.next().filter(|name| VAGUE_TYPES.contains(name) && !is_of_trait);
        out.extend(name.map(|name| format!("{path}:{}: `{name}` names no type by itself; say of what", i + 1)));
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
fn no_identifier_has_an_everyday_word() {
    let all = faults_below(DECLARED_FOLDERS, everyday_words);
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn no_type_has_a_vague_name() {
    let all = faults_below(DECLARED_FOLDERS, vague_types);
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn an_everyday_word_in_an_identifier_is_found() {
    for bad in [
        "fn said() {}",
        "pub(super) const fn is_held() {}",
        "struct DataKept;",
        "const OWN_LEN: u8 = 1;",
        "let kept = 1;",
        "let f = |own: u8| 1;",
        "fn f(made: u8) {}",
        "    pub spent: u64,",
        "Some(meant) => 1,",
    ] {
        assert_eq!(everyday_words("x.rs", bad).len(), 1, "{bad}");
    }
    for good in ["let owned = f.to_owned();", "#[test]\nfn what_is_kept() {}", "f(\"held\");", "// fn said"] {
        assert_eq!(everyday_words("x.rs", good), Vec::<String>::new(), "{good}");
    }
}

#[test]
fn a_vague_type_is_found() {
    for bad in ["enum Found {}", "pub struct Entry<'a> {", "    struct Line;", "pub(super) type Target = u8;"] {
        assert_eq!(vague_types("x.rs", bad).len(), 1, "{bad}");
    }
    for good in ["struct LineEntry;", "    type Target = [u8];", "// struct Line", "use x::Entry;"] {
        assert_eq!(vague_types("x.rs", good), Vec::<String>::new(), "{good}");
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
