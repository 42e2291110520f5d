//! Texts that patterns of the tables need: one pass for them is cheaper than the patterns, which mostly match nothing.

use super::tables::{self, At};
use aho_corasick::{AhoCorasick, MatchKind};
use std::sync::LazyLock;

/// Texts that are searched for together. Their search is cheaper than that of a pattern, and needs no lock, while a
/// pattern takes its buffers from a pool that threads share.
#[derive(Debug)]
pub(super) struct Literals(AhoCorasick);

impl Literals {
    pub(super) fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> Option<Self> {
        // Only this kind looks at many bytes at a time.
        AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(texts).ok().map(Self)
    }

    pub(super) fn are_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

/// Of rows, by their reasons, texts of which one is in all that their patterns match: of those that look at whole
/// lines, and of those that begin with any text.
const NEEDED: &[(&str, &[&str])] = &[
    ("command-not-found", &["not found"]),
    ("traceback", &["Traceback (most recent call last):"]),
    ("tests-failed", &["fail", "FAIL"]),
    (
        "build-failed",
        &[
            "*** ",
            "could not compile",
            "BUILD FAILED",
            "npm ERR!",
            "npm error ",
            "error[E",
            "error TS",
            "build stopped",
        ],
    ),
    (
        "file-error",
        &[
            "No such file or directory",
            "Permission denied",
            "Is a directory",
            "Not a directory",
            "cannot access",
            "cannot stat",
            "cannot open",
            "cannot remove",
            "cannot create",
            "can't open file",
        ],
    ),
    ("git-error", &["fatal: ", "error: "]),
    ("crash", &["Segmentation", "panicked at", "panic: ", "Killed", "dumped", "Unhandled", "Uncaught"]),
    ("exception", &["Error", "Exception"]),
    ("error-line", &["Error", "ERROR"]),
];

/// The texts that a row needs, by its reason.
pub(super) fn needed(reason: &str) -> Option<&'static [&'static str]> {
    NEEDED.iter().find(|(of, _)| *of == reason).map(|(_, texts)| *texts)
}

/// What the rows that look at whole lines need, of all of them.
static NEEDED_IN_LINES: LazyLock<Option<Literals>> = LazyLock::new(|| {
    let rows = tables::outcomes().iter().filter(|row| row.at == At::Line);
    let texts: Option<Vec<_>> = rows.map(|row| needed(row.reason)).collect();
    Literals::new(texts?.into_iter().flatten().copied())
});

/// Whether a row that looks at whole lines may match in a text: one pass in the place of one for each row.
pub(super) fn may_match_line(text: &str) -> bool {
    NEEDED_IN_LINES.as_ref().is_none_or(|needed| needed.are_in(text))
}

/// What is in all notices of no output and of timeouts (W4).
pub(super) const NO_EXIT: &[&str] =
    &["no new output after", "timed out after", "TIMED OUT", "tool terminated command", "aborted by user"];

/// What is in all notices (W7).
pub(super) const NOTICES: &[&str] =
    &["clipped>", "<NOTE>", "truncated", "Truncated", "omitted", "more lines", "[Showing lines"];

/// What is in all commands after which any file may differ (W9).
pub(super) const BULK: &[&str] = &[
    "git",
    "pre-commit",
    "black",
    "isort",
    "autopep8",
    "yapf",
    "prettier",
    "fmt",
    "clang-format",
    "ruff",
    "eslint",
    "biome",
    "cargo",
    "patch",
    "npm",
    "yarn",
];

/// What is in all commands that run tests (W11).
pub(super) const TESTS: &[&str] = &["test", "tox", "nox", "jest", "mocha", "make check", "rspec", "phpunit"];

/// What the trailers begin with, line ends aside.
const TRAILER_STARTS: &[&str] = &[
    "[Command finished",
    "[Python ",
    "[Current working",
    "[The command completed",
    "bash-$",
    "(Current directory",
    "(Open file",
    "<exited with",
    "Command exited",
    "<shellId",
    "Shell cwd was reset to ",
    "[This command modified ",
];

static TRAILERS_NEED: LazyLock<Option<Literals>> = LazyLock::new(|| Literals::new(TRAILER_STARTS.iter().copied()));

/// Whether a trailer may end a text: one pass in the place of one for each trailer.
pub(super) fn may_have_trailer(text: &str) -> bool {
    TRAILERS_NEED.as_ref().is_none_or(|needed| needed.are_in(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each alternative of a pattern once, as the shortest text that it matches.
    #[test]
    fn what_a_pattern_matches_has_what_it_needs() {
        let texts = [
            ("command-not-found", "x: not found\nx: command not found\nbash: x: not found\nzsh: command not found: x"),
            ("traceback", "Traceback (most recent call last):\nTraceback (most recent call last):"),
            (
                "tests-failed",
                "1 failed\n= 1 failed\n=x 1 failed=\nFAILED (failures=\nFAILED (errors=\nTests: 1 failed\n\
                 test result: FAILED\n--- FAIL:\nFAIL\n1 failing\nFAILED",
            ),
            (
                "build-failed",
                "make: *** \nmake[1]: *** \nerror: could not compile\nBUILD FAILED\nnpm ERR!\nnpm error x\n\
                 error[E0001]\na(1,2): error TS1\nninja: build stopped",
            ),
            (
                "file-error",
                "cat: No such file or directory\nls: x: Permission denied\nrm: Is a directory\nsed: Not a directory\n\
                 cp: cannot access\ncp: cannot stat\ncp: cannot open\ncp: cannot remove\ncp: cannot create\n\
                 python3: can't open file ",
            ),
            (
                "git-error",
                "fatal: \nerror: pathspec\nerror: patch failed\nerror: Your local changes\nerror: failed to push\n\
                 error: unable to\nerror: could not",
            ),
            (
                "crash",
                "Segmentation fault\nthread 'x' panicked at\npanic: \nKilled\nAborted (core dumped)\ncore dumped\n\
                 UnhandledPromiseRejection\nUnhandled exception\nUncaught Error",
            ),
            ("exception", "Error:\nx.AException\nSomeError"),
            ("error-line", "Error: x\nERROR in it: x"),
        ];
        assert_eq!(texts.map(|(reason, _)| reason).as_slice(), NEEDED.iter().map(|(of, _)| *of).collect::<Vec<_>>());
        for (reason, lines) in texts {
            let row = tables::outcomes().iter().find(|row| row.reason == reason).unwrap();
            let is_match = |line: &&str| row.pattern.regex().is_some_and(|regex| regex.is_match(line));
            for line in lines.lines().filter(is_match) {
                assert!(row.is_match(line), "{reason}: {line}");
            }
            let matched = lines.lines().filter(|line| row.is_match(line)).count();
            assert!(matched + 1 >= lines.lines().count(), "{reason}: {matched}");
        }
    }

    #[test]
    fn a_trailer_has_what_it_begins_with() {
        let trailers = [
            "[Command finished with exit code 1]",
            "[Python Interpreter: /p]",
            "[Current working directory: /w]",
            "[The command completed with exit code 2.]",
            "bash-$ ",
            "(Current directory: /r)",
            "(Open file: /r/a.py)",
            "<exited with exit code 3>",
            "Command exited with code 4",
            "<shellId: 0 completed with exit code 5>",
            "Shell cwd was reset to /w",
            "[This command modified 1 file you've previously read: a. Call Read before editing.]",
        ];
        assert_eq!(trailers.len(), tables::TRAILERS.len());
        for (trailer, (_, pattern)) in trailers.iter().zip(&*tables::TRAILERS) {
            assert!(pattern.is_match(trailer) && may_have_trailer(trailer), "{trailer}");
        }
        assert!(!may_have_trailer("x (1)"));
    }

    #[test]
    fn a_line_row_has_what_all_of_them_need() {
        let of_lines: Vec<_> = tables::outcomes().iter().filter(|row| row.at == At::Line).collect();
        assert!(!of_lines.is_empty() && NEEDED_IN_LINES.is_some() && !may_match_line("all is well"));
        assert!(of_lines.iter().filter_map(|row| needed(row.reason)).flatten().all(|text| may_match_line(text)));
    }

    #[test]
    fn a_notice_of_no_exit_has_what_it_needs() {
        let notices = [
            "[The command has no new output after 10 seconds",
            "[The command timed out after",
            "Command timed out after",
            "EXECUTION TIMED OUT",
            "tool terminated command after exceeding timeout",
            "aborted by user",
            "Wall time: 1.5 seconds\naborted by user",
        ];
        for notice in notices {
            assert!(tables::NO_EXIT.is_match(notice), "{notice}");
        }
        assert_eq!(tables::NO_EXIT.regex().map(|regex| regex.as_str().split('|').count()), Some(6));
    }

    #[test]
    fn a_command_has_what_it_needs() {
        let bulk = "git stash\ngit -q pull\npre-commit\nblack .\nisort .\nautopep8 a\nyapf a\nprettier a\ngofmt a\n\
                    rustfmt a\nclang-format a\nruff a\neslint a\nbiome a\ncargo fmt\ngo fmt\ncargo fix\npatch -p1\n\
                    npm run format\npnpm fix\nyarn lint:fix\nnpm fmt";
        let tests = "pytest\npy.test\nunittest\ntox\nnox\ncargo test\ncargo nextest\ngo test\nnpm test\npnpm run test\n\
                     yarn test\nbun test\njest\nvitest\nmocha\nmake test\nmake check\nctest\nrspec\nphpunit\n\
                     mvn -q test\ngradle test\ngradlew test\nmanage.py test\nruntest\nruntests\ntest/a.sh\ntests.py\n\
                     test_a.py\na_test.go\nbin/test\npython -m test";
        for (pattern, commands) in [(&tables::BULK, bulk), (&tables::TESTS, tests)] {
            for command in commands.lines() {
                assert!(pattern.is_match(command), "{command}");
            }
            assert!(!pattern.is_match("ls"));
        }
        // A new alternative needs a command here, and a text above.
        let alternatives = |pattern: &tables::Pattern| pattern.regex().map(|regex| regex.as_str().split('|').count());
        assert_eq!((alternatives(&tables::BULK), alternatives(&tables::TESTS)), (Some(35), Some(36)));
    }

    #[test]
    fn a_notice_has_what_it_needs() {
        let notices = [
            "x\n<response clipped>",
            "<NOTE>",
            "[... Observation truncated",
            "... (12 more lines",
            "... [3 lines truncated] ...",
            "[... omitted 1 of 2 lines ...]",
            "[7 more lines in file",
            "[Showing lines 1-2 of 3",
            "... 5 characters omitted",
            "…4 tokens truncated…",
            "[Truncated",
            "(5 more lines not shown",
            "a …4 tokens truncated… b",
            "a …4 chars truncated… b",
            "[... output truncated to fit 10240 bytes ...]",
            tables::PERSISTED,
        ];
        for notice in notices {
            assert!(tables::NOTICES.is_match(notice), "{notice}");
        }
        // A new alternative needs a text here, and in `NOTICES`.
        assert_eq!(tables::NOTICES.regex().map(|regex| regex.as_str().split('|').count()), Some(21));
    }
}
