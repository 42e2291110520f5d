//! Findings as SARIF 2.1.0, the form that code hosts and editors read. Written as they come.

use super::text::subject;
use crate::cli::Stop;
use crate::cli::args::FileName;
use crate::cli::out::{Out, raw};
use crate::lint::{self, Lint, baseline};
use crate::model::{LocatedFinding, Severity};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const HOME: &str = env!("CARGO_PKG_NAME");

/// A document that is being written.
#[derive(Default)]
pub(super) struct Sarif {
    results: usize,
}

impl Sarif {
    /// The beginning: the tool with all its rules.
    pub(super) fn begin(&mut self, out: &mut Out) -> Result<(), Stop> {
        let rules: Vec<Value> = lint::lints().map(rule).collect();
        let driver = json!({"name": HOME, "version": env!("CARGO_PKG_VERSION"), "rules": rules});
        let tool = json!({"driver": driver});
        let begin =
            format!("{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{tool},\"results\":[");
        Ok(out.json(&begin)?)
    }

    /// One finding; `content` stands for its record.
    pub(super) fn write_finding(
        &mut self,
        file: &FileName,
        found: &LocatedFinding,
        content: &str,
        out: &mut Out,
    ) -> Result<(), Stop> {
        let finding = &found.finding;
        let comma = if self.results > 0 { "," } else { "" };
        self.results += 1;
        let result = json!({
            "ruleId": finding.rule,
            "ruleIndex": lint::lints().position(|lint| lint.id == finding.rule),
            "level": level(finding.severity),
            "message": {"text": format!("{} ({})", finding.message, subject(finding))},
            "locations": [location(file, found)],
            "partialFingerprints": {"obelus/v1": baseline::digest(baseline::line(finding, content).as_bytes())},
            "properties": {"record": finding.record, "step": finding.step, "path": finding.path.as_deref()},
        });
        Ok(out.json(&format!("{comma}{result}"))?)
    }

    /// The end: how the run went.
    pub(super) fn end(&self, problems: &[String], out: &mut Out) -> Result<(), Stop> {
        let notes: Vec<Value> = problems.iter().map(|p| json!({"level": "error", "message": {"text": p}})).collect();
        let invocation = json!({"executionSuccessful": problems.is_empty(), "toolExecutionNotifications": notes});
        Ok(out.json(&format!("],\"invocations\":{}}}]}}", raw(&[invocation])?))?)
    }
}

fn rule(lint: &Lint) -> Value {
    let help = format!("{}\n\nFires:\n{}\n\nMended:\n{}", lint.help, lint.fires, lint.silent);
    json!({
        "id": lint.id,
        "shortDescription": {"text": lint.short()},
        "fullDescription": {"text": lint.help},
        "help": {"text": help},
        "defaultConfiguration": {"level": level(lint.severity)},
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn location(file: &FileName, found: &LocatedFinding) -> Value {
    let span = found.place.span;
    let mut region = json!({"byteOffset": span.offset, "byteLength": span.len});
    if found.place.line > 0 {
        region["startLine"] = found.place.line.into();
    }
    let mut location = json!({"physicalLocation": {"artifactLocation": {"uri": uri(file.as_ref())}, "region": region}});
    if let Some(path) = found.finding.path.as_deref().filter(|path| !path.is_empty()) {
        location["logicalLocations"] = json!([{"fullyQualifiedName": path}]);
    }
    location
}

/// A file as a reference: relative as it was given, or a whole `file:` address.
fn uri(file: &Path) -> String {
    let (mut out, name) = match file.as_os_str().as_encoded_bytes() {
        b"-" => (String::new(), b"stdin".as_slice()),
        name @ [b'/', ..] => ("file://".to_owned(), name),
        name if file.is_absolute() => ("file:///".to_owned(), name),
        name => (String::new(), name),
    };
    for &byte in name {
        match byte {
            b'\\' if std::path::MAIN_SEPARATOR == '\\' => out.push('/'),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn files_become_references() {
        let uri = |name: &[u8]| super::uri(Path::new(std::ffi::OsStr::from_bytes(name)));
        assert_eq!(uri("a b/ü.jsonl".as_bytes()), "a%20b/%C3%BC.jsonl");
        assert_eq!(uri(b"caf\xe9.jsonl"), "caf%E9.jsonl");
        assert_eq!(uri(b"/tmp/x:1.json"), "file:///tmp/x%3A1.json");
        assert_eq!(uri(b"-"), "stdin");
    }
}
