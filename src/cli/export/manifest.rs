//! The manifest of an export: what was asked, what came of it, and a line for every record that was looked at.
//!
//! It is written as it goes, so its size costs no memory. The same inputs, marks and options give the same manifest.

use super::Options;
use super::candidates::{CandidateRecord, Candidates};
use super::choose::Proof;
use super::write::Counts;
use crate::cli::output_path;
use crate::ingest::Loaded;
use crate::json;
use crate::model::Problem;
use crate::review::{ChatLeft, Secret, verdict_name};
use crate::source::{Output, Ready};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// A manifest that is being written.
pub(super) struct Manifest {
    output: Output,
    has_entries: bool,
}

/// What became of a record.
pub(super) struct ManifestEntry<'e> {
    /// The record.
    pub(super) candidate: &'e CandidateRecord<'e>,
    /// The file that it went into, by number; None: none.
    pub(super) part: Option<usize>,
    /// Why.
    pub(super) reason: &'e str,
    /// What is not as it was.
    pub(super) changes: Changes<'e>,
}

/// In what a record was changed.
pub(super) struct Changes<'e> {
    /// Whether it was turned into a conversation.
    pub(super) is_shaped: bool,
    /// Whether its lines were joined.
    pub(super) is_joined: bool,
    /// What its conversation does not carry.
    pub(super) not_carried: &'e ChatLeft,
    /// The secrets that were replaced in it.
    pub(super) secrets: &'e [Secret],
}

/// An object of texts, in order.
fn object<'t>(members: impl IntoIterator<Item = (&'t str, String)>) -> String {
    let member = |(name, value): (&str, String)| format!("{}:{value}", json::quote(name));
    let members: Vec<String> = members.into_iter().map(member).collect();
    format!("{{{}}}", members.join(","))
}

/// An object of numbers, in order.
fn numbers<'t>(members: impl IntoIterator<Item = (&'t str, u64)>) -> String {
    object(members.into_iter().map(|(name, n)| (name, n.to_string())))
}

/// The strings of a source in which something was replaced: kind, first byte and length, quotes included.
fn places(record: u64, secrets: &[Secret]) -> String {
    let place = |secret: &Secret| {
        let offset = record + secret.at as u64;
        format!("{{\"kind\":{},\"offset\":{offset},\"len\":{}}}", json::quote(secret.kind), secret.len)
    };
    secrets.iter().map(place).collect::<Vec<_>>().join(",")
}

impl Manifest {
    /// Begins a manifest at a path.
    pub(super) fn begin(
        path: &Path,
        options: &Options,
        sifted: &Candidates<'_>,
        inputs: &[&Path],
    ) -> Result<Self, Problem> {
        let mut output = output_path::create(path, options.force, inputs)?;
        let source = |loaded: &Loaded| {
            Ok(object([
                ("path", json::quote(loaded.input.name())),
                ("format", json::quote(loaded.detected.format.name())),
                ("records", loaded.records()?.len().to_string()),
                ("bytes", loaded.input.len().to_string()),
            ]))
        };
        let sources: Vec<String> = sifted.inputs.iter().map(source).collect::<Result<_, Problem>>()?;
        let options_json =
            object(options.manifest_options(sifted.filter()).iter().map(|(name, value)| (*name, json::quote(value))));
        let rules = json::quote(&format!("obelus {}", env!("CARGO_PKG_VERSION")));
        let sources = sources.join(",\n");
        output.write(
            format!(
                "{{\"obelus\":1,\"rules\":{rules},\"options\":{options_json},\n\"sources\":[{sources}],\n\"records\":["
            )
            .as_bytes(),
        )?;
        Ok(Self { output, has_entries: false })
    }

    /// Says what became of a record.
    pub(super) fn entry(&mut self, entry: &ManifestEntry<'_>) -> Result<(), Problem> {
        let ManifestEntry { candidate: seen, part, reason, changes } = entry;
        let Changes { is_shaped, is_joined, not_carried, secrets } = changes;
        let span = seen.record.place.span;
        let mut line = String::from(if self.has_entries { ",\n" } else { "\n" });
        let _ = write!(
            line,
            "{{\"source\":{},\"record\":{},\"offset\":{},\"len\":{},\"digest\":\"{}\",\"decision\":\"{}\",\"file\":{},",
            seen.source,
            seen.record.number,
            span.offset,
            span.len,
            seen.key,
            verdict_name(seen.verdict),
            part.map_or_else(|| "null".to_owned(), |part| part.to_string()),
        );
        let _ = write!(line, "\"reason\":{}", json::quote(reason));
        let words = [("conversation", *is_shaped), ("one-line", *is_joined), ("redacted", !secrets.is_empty())];
        let words: Vec<String> = words.iter().filter(|(_, is)| *is).map(|(name, _)| json::quote(name)).collect();
        if !words.is_empty() {
            let _ = write!(line, ",\"changed\":[{}]", words.join(","));
        }
        if !not_carried.is_empty() {
            let _ = write!(line, ",\"not_carried\":{}", numbers(not_carried.iter().map(|(n, c)| (n.as_str(), *c))));
        }
        if !secrets.is_empty() {
            let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
            secrets.iter().for_each(|secret| *kinds.entry(secret.kind).or_default() += 1);
            let _ = write!(line, ",\"redacted\":{}", numbers(kinds));
            // A conversation that was made of the record is nowhere in the source.
            if !is_shaped {
                let _ = write!(line, ",\"replaced\":[{}]", places(span.offset, secrets));
            }
        }
        line.push('}');
        self.has_entries = true;
        self.output.write(line.as_bytes())
    }

    /// Ends the manifest with the counts and files.
    pub(super) fn end(
        mut self,
        counts: &Counts,
        files: &[(String, u64)],
        proof: Option<&Proof>,
    ) -> Result<Ready, Problem> {
        let file =
            |(path, count): &(String, u64)| object([("path", json::quote(path)), ("records", count.to_string())]);
        let files: Vec<String> = files.iter().map(file).collect();
        let counts = object([
            ("read", counts.read.to_string()),
            ("written", counts.written.to_string()),
            ("left", numbers(counts.left.iter().map(|(reason, n)| (reason.as_str(), *n)))),
            ("not_carried", numbers(counts.not_carried.iter().map(|(name, n)| (name.as_str(), *n)))),
            ("redacted", numbers(counts.redacted.iter().map(|(kind, n)| (*kind, *n)))),
        ]);
        let split = proof.map_or_else(String::new, |proof| format!("\"split\":{},\n", proof.written()));
        let end = format!("\n],\n\"files\":[{}],\n{split}\"counts\":{counts}}}\n", files.join(",\n"));
        self.output.write(end.as_bytes())?;
        self.output.finish()
    }
}
