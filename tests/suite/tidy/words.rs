//! Words that have no place in the program, and what to say instead.

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
