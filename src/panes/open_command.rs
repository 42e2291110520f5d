//! The command that opens the screen at a place: for the clipboard and for reports.

use crate::format::{Instances, Run};
use crate::json::Key;
use crate::model::{Identity, StepNo};
use crate::text::SafeText;
use std::fmt::Write;

/// What the command opens.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenTarget<'p> {
    /// The file as it is named on the command line; None: the recorded run, `obelus demo`.
    pub file: Option<&'p str>,
    /// The trajectory, of a file that holds several.
    pub record: Option<usize>,
    /// The format, where it was named and not found from the content.
    pub format: Option<&'p str>,
    /// The step.
    pub step: StepNo,
    /// A value of the state.
    pub path: Option<(&'p Identity, &'p [Key])>,
}

/// `obelus FILE --step 41 --path state.budget`, quoted for a POSIX shell. Control and bidi characters of names are
/// shown as signs, as everywhere.
#[must_use]
pub fn open_command(place: &OpenTarget<'_>, run: &dyn Run) -> String {
    let mut out = match place.file {
        None => "obelus demo".to_owned(),
        // A name that begins with a dash would be an option.
        Some(file) if file.starts_with('-') && file != "-" => format!("obelus {}", quoted(&format!("./{file}"))),
        Some(file) => format!("obelus {}", quoted(file)),
    };
    if let Some(format) = place.format {
        let _ = write!(out, " --format {}", quoted(format));
    }
    if let Some(record) = place.record {
        let _ = write!(out, " --record {record}");
    }
    let _ = write!(out, " --step {}", place.step.max(0));
    if let Some((identity, path)) = place.path {
        let _ = write!(out, " --path {}", quoted(&run.reference(identity, path)));
        let instance = identity.instance.as_ref().filter(|_| run.instances() == Instances::Chosen);
        if let Some(instance) = instance {
            let _ = write!(out, " --instance {}", quoted(instance));
        }
    }
    out
}

/// A word for a POSIX shell: as it is where no shell reads anything into it, else in single quotes.
#[must_use]
pub fn quoted(word: &str) -> String {
    let safe = SafeText::of(word);
    let word = safe.as_str();
    let is_plain = |c: char| c.is_alphanumeric() || "†/._-+:,@%=①②③④⑤⑥⑦⑧⑨⑩".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_read_into_them() {
        for (word, expected) in [
            ("runs/a-1.jsonl", "runs/a-1.jsonl"),
            ("†state.budget", "†state.budget"),
            ("a b", "'a b'"),
            ("it's", "'it'\\''s'"),
            ("state#2.budget", "'state#2.budget'"),
            ("$(rm -r x)", "'$(rm -r x)'"),
            ("", "''"),
            ("a[0]", "'a[0]'"),
            ("x\u{1b}[31m", "'x\u{241b}[31m'"),
            ("~", "'~'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
