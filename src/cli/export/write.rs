//! The files of an export: parts, and the manifest that says where each record came from and why.

use super::candidates::{CandidateRecord, Candidates};
use super::choose::Proof;
use super::manifest::{Changes, Manifest, ManifestEntry};
use super::shaped::shaped;
use super::used_ids::UsedIds;
use super::{NOTES_MAX, Options};
#[cfg(feature = "parquet")]
use crate::cli::flat::RecordTable;
use crate::cli::{Stop, complain, flat, output_path};
use crate::ingest::Loaded;
use crate::model::{Problem, lossy};
use crate::platform::EndSignals;
use crate::review::{ChatLeft, Judged, Redactor, Secret};
use crate::source::{Output, Ready, Stamp};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What became of the records.
#[derive(Default)]
pub(super) struct Counts {
    /// Records looked at.
    pub(super) read: u64,
    /// Records written.
    pub(super) written: u64,
    /// Records of which several were made.
    pub(super) several: u64,
    /// Records written with answers that were not picked: only conversations are written one by one.
    pub(super) whole: u64,
    /// Records left out, by reason.
    pub(super) left: BTreeMap<String, u64>,
    /// What of the records their conversations do not carry, by name.
    pub(super) not_carried: ChatLeft,
    /// The first record of each of these names.
    pub(super) not_carried_first: BTreeMap<String, String>,
    /// Secrets replaced, by kind.
    pub(super) redacted: BTreeMap<&'static str, u64>,
    /// A line for each of the first of them: where it was.
    pub(super) replaced: Vec<String>,
}

/// An export that is done.
pub(super) struct WrittenExport {
    /// Its counts.
    pub(super) counts: Counts,
    /// Its files with their records.
    pub(super) files: Vec<(String, u64)>,
    /// Its manifest.
    pub(super) manifest: String,
    /// That no family of records is in several parts.
    pub(super) proof: Option<Proof>,
}

/// A file of records.
struct OutputPart {
    output: Output,
    is_array: bool,
    count: u64,
    /// Where it is a Parquet file: its records, until all are there.
    #[cfg(feature = "parquet")]
    table: Option<RecordTable>,
}

impl OutputPart {
    /// Whether a record may be on several lines.
    fn takes_lines(&self) -> bool {
        #[cfg(feature = "parquet")]
        if self.table.is_some() {
            return true;
        }
        self.is_array
    }

    fn write(&mut self, record: &[u8]) -> Result<(), Problem> {
        #[cfg(feature = "parquet")]
        if let Some(table) = &mut self.table {
            self.count += 1;
            return table.push(record);
        }
        let before: &[u8] = match (self.is_array, self.count) {
            (false, _) => b"",
            (true, 0) => b"[\n",
            (true, _) => b",\n",
        };
        self.output.write(before)?;
        self.output.write(record)?;
        self.count += 1;
        if self.is_array { Ok(()) } else { self.output.write(b"\n") }
    }

    fn finish(mut self) -> Result<Ready, Problem> {
        #[cfg(feature = "parquet")]
        if let Some(table) = self.table {
            let (output, mixed) = table.finish(self.output)?;
            if !mixed.is_empty() {
                complain(&format!(
                    "{}: of several kinds, so JSON in texts: {}",
                    output.path().display(),
                    mixed.join(", ")
                ));
            }
            return output.finish();
        }
        match (self.is_array, self.count) {
            (true, 0) => self.output.write(b"[]\n")?,
            (true, _) => self.output.write(b"\n]\n")?,
            (false, _) => {}
        }
        self.output.finish()
    }
}

/// The name of the file without the endings that say how it is written, and those.
fn stem(name: &str) -> (&str, &str) {
    let mut stem = name;
    for endings in [&[".gz", ".zst", ".zstd"][..], &[".jsonl", ".ndjson", ".json", ".parquet"]] {
        let lower = stem.to_ascii_lowercase();
        if let Some(ending) = endings.iter().find(|ending| lower.ends_with(**ending) && lower.len() > ending.len()) {
            stem = &stem[..stem.len() - ending.len()];
        }
    }
    (stem, &name[stem.len()..])
}

/// The files to write.
fn paths(options: &Options, path: &Path) -> Result<Vec<PathBuf>, Problem> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| Problem::usage(format!("{} is not a name of a file", path.display())))?;
    let (stem, endings) = stem(name);
    Ok(match &options.split {
        None => vec![path.to_owned()],
        Some(split) => {
            let endings = match endings {
                "" => ".jsonl".to_owned(),
                ".gz" | ".zst" | ".zstd" => format!(".jsonl{endings}"),
                endings => endings.to_owned(),
            };
            split.names().iter().map(|part| path.with_file_name(format!("{stem}.{part}{endings}"))).collect()
        }
    })
}

/// Says which part of an earlier export is beside those of this one: its records are in other parts now.
fn note_earlier_part(paths: &[PathBuf]) {
    let [train, test] = paths else { return };
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (first, last) = (name(train), name(test));
    // What both names begin and end with is that of the export.
    let Some((begin, end)) = first.rsplit_once(".train.").filter(|(begin, _)| last.starts_with(begin)) else { return };
    let other = train.with_file_name(format!("{begin}.val.{end}"));
    if other.exists() {
        complain(&format!(
            "{} is no part of this split and stays as it was: if an earlier split wrote it, its records are in other \
             parts now",
            other.display()
        ));
    }
}

/// Writes everything under other names first, then gives the names, if the inputs are still what they were: the
/// manifest comes last.
pub(super) fn write(
    options: &Options,
    path: &Path,
    sifted: &Candidates<'_>,
    stamps: &[Stamp],
) -> Result<WrittenExport, Stop> {
    let paths = paths(options, path)?;
    let journal = options.marks.path();
    let inputs: Vec<&Path> =
        sifted.inputs.iter().filter_map(|loaded| loaded.input.path()).chain(journal.as_deref()).collect();
    let is_array = |path: &Path| {
        let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        options.array || stem(&name).1.starts_with(".json") && !stem(&name).1.starts_with(".jsonl")
    };
    let part = |path: &PathBuf| {
        let is_parquet = flat::is_parquet(path)?;
        Ok(OutputPart {
            output: output_path::create(path, options.force, &inputs)?,
            is_array: is_array(path) && !is_parquet,
            count: 0,
            #[cfg(feature = "parquet")]
            table: if is_parquet { Some(RecordTable::new()?) } else { None },
        })
    };
    let ended = EndSignals::put_off()?;
    let parts: Vec<OutputPart> = paths.iter().map(part).collect::<Result<_, Problem>>()?;
    let mut name = path.as_os_str().to_owned();
    name.push(".manifest.json");
    let manifest = Manifest::begin(Path::new(&name), options, sifted, &inputs)?;
    let redactor = options.redact.then(redactor).transpose()?;
    let (proof, counts, ids) = (sifted.proof.as_ref(), Counts::default(), UsedIds::default());
    let mut work = Work { options, inputs: sifted.inputs, redactor, parts, manifest, counts, proof, ids };
    let written = sifted.each(|seen| check(&ended).and_then(|()| work.take(&seen)));
    let written = written.and_then(|()| check(&ended)).and_then(|()| work.end(stamps));
    // What was begun is taken away by now.
    ended.end_if_any()?;
    if options.split.is_some() && written.is_ok() {
        note_earlier_part(&paths);
    }
    written
}

/// Whether a signal came that ends the program.
///
/// # Errors
/// One did.
fn check(ended: &EndSignals) -> Result<(), Stop> {
    if ended.is_any() { Err(Problem::unreadable("ended by a signal").into()) } else { Ok(()) }
}

/// The patterns of secrets.
pub(in crate::cli) fn redactor() -> Result<Redactor, Problem> {
    Redactor::new().ok_or_else(|| Problem::unreadable("the patterns of secrets are broken").hint("please report it"))
}

struct Work<'o> {
    options: &'o Options,
    inputs: &'o [Loaded],
    redactor: Option<Redactor>,
    parts: Vec<OutputPart>,
    manifest: Manifest,
    counts: Counts,
    proof: Option<&'o Proof>,
    ids: UsedIds,
}

impl Work<'_> {
    fn take(&mut self, seen: &CandidateRecord<'_>) -> Result<(), Stop> {
        self.counts.read += 1;
        let reason = match &seen.judged {
            Judged::Left(reason) => return self.leave(seen, reason),
            Judged::Taken(reason) => reason,
        };
        let Some(input) = self.inputs.get(seen.source) else { return Ok(()) };
        let answer = self.options.answer.as_deref();
        let all = shaped(seen, (self.options.to, answer), input, &mut self.ids)?;
        if all.is_empty() {
            return self.leave(seen, if answer.is_some() { "no such answer" } else { "no conversation" });
        }
        self.counts.several += u64::from(all.len() > 1);
        self.counts.whole += u64::from(self.options.to.is_none() && !seen.unpicked.is_empty());
        all.into_iter().try_for_each(|(text, not_carried)| self.put(seen, reason, text, &not_carried))
    }

    /// Writes what is made of a record.
    fn put(
        &mut self,
        seen: &CandidateRecord<'_>,
        reason: &str,
        text: Cow<'_, [u8]>,
        not_carried: &ChatLeft,
    ) -> Result<(), Stop> {
        let is_shaped = matches!(text, Cow::Owned(_));
        let (text, secrets) = match &self.redactor {
            None => (text, Vec::new()),
            Some(redactor) => redacted(redactor, text),
        };
        let part = seen.part;
        let Some(file) = self.parts.get_mut(part) else { return Ok(()) };
        let (text, is_joined) = if file.takes_lines() { (text, false) } else { self.options.one_line(seen, text)? };
        file.write(&text)?;
        self.counts.written += 1;
        for secret in &secrets {
            *self.counts.redacted.entry(secret.kind).or_default() += 1;
            if self.counts.replaced.len() < NOTES_MAX {
                self.counts.replaced.push(place(seen, is_shaped, secret));
            }
        }
        for (name, count) in not_carried {
            *self.counts.not_carried.entry(name.clone()).or_default() += count;
            if !self.counts.not_carried_first.contains_key(name) {
                let place = format!("record {} of {}", seen.record.number, seen.name);
                self.counts.not_carried_first.insert(name.clone(), place);
            }
        }
        let changes = Changes { is_shaped, is_joined, not_carried, secrets: &secrets };
        self.manifest.entry(&ManifestEntry { candidate: seen, part: Some(part), reason, changes })?;
        Ok(())
    }

    fn leave(&mut self, seen: &CandidateRecord<'_>, reason: &str) -> Result<(), Stop> {
        *self.counts.left.entry(reason.to_owned()).or_default() += 1;
        let not_carried = ChatLeft::new();
        let changes = Changes { is_shaped: false, is_joined: false, not_carried: &not_carried, secrets: &[] };
        Ok(self.manifest.entry(&ManifestEntry { candidate: seen, part: None, reason, changes })?)
    }

    fn end(self, stamps: &[Stamp]) -> Result<WrittenExport, Stop> {
        let path_and_count = |part: &OutputPart| (part.output.path().display().to_string(), part.count);
        let files: Vec<(String, u64)> = self.parts.iter().map(path_and_count).collect();
        let manifest = self.manifest.end(&self.counts, &files, self.proof)?;
        let ready: Vec<Ready> = self.parts.into_iter().map(OutputPart::finish).collect::<Result<_, Problem>>()?;
        stamps.iter().try_for_each(Stamp::check)?;
        for file in ready {
            file.publish()?;
        }
        let manifest = manifest.publish()?.display().to_string();
        Ok(WrittenExport { counts: self.counts, files, manifest, proof: self.proof.cloned() })
    }
}

impl Options {
    /// A record as one line: as it is, if it is one.
    fn one_line<'t>(&self, seen: &CandidateRecord<'_>, text: Cow<'t, [u8]>) -> Result<(Cow<'t, [u8]>, bool), Problem> {
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        if !text.iter().any(is_end) {
            return Ok((text, false));
        }
        // What was asked for in a format may be written again.
        if !self.one_line && self.to.is_none() {
            let place = seen.record.place;
            let message = format!("record {} is on several lines, which JSON Lines cannot hold", seen.record.number);
            let hint = "write an array (a name that ends in .json, or --array), or join lines with --one-line";
            return Err(Problem::usage(message).at(place).hint(hint));
        }
        // Inside a string of valid JSON there is no line end, so these only separate values.
        let joined = text.iter().map(|byte| if is_end(byte) { b' ' } else { *byte }).collect();
        Ok((Cow::Owned(joined), true))
    }
}

/// Where a secret was, for people. A conversation that was made of a record is nowhere in the file.
fn place(seen: &CandidateRecord<'_>, is_shaped: bool, secret: &Secret) -> String {
    let (record, kind) = (seen.record.number, secret.kind);
    let begin = seen.record.place.span.offset + secret.at as u64;
    if is_shaped {
        format!("{} record {record}: {kind}", seen.name)
    } else {
        format!("{} record {record}: {kind} in bytes {begin} to {}", seen.name, begin + secret.len as u64)
    }
}

/// A record without its secrets. One that is not UTF-8 is only changed if it has some.
pub(super) fn redacted<'t>(redactor: &Redactor, text: Cow<'t, [u8]>) -> (Cow<'t, [u8]>, Vec<Secret>) {
    match redactor.redact(&lossy(&text)) {
        None => (text, Vec::new()),
        Some((redacted, secrets)) => (Cow::Owned(redacted.into_bytes()), secrets),
    }
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn endings_say_how_a_file_is_written() {
        for (name, parts) in [
            ("a.jsonl", ("a", ".jsonl")),
            ("a.b.json.gz", ("a.b", ".json.gz")),
            ("a.JSONL.zst", ("a", ".JSONL.zst")),
            ("a", ("a", "")),
            ("a.gz", ("a", ".gz")),
            (".json", (".json", "")),
            ("é.txt", ("é.txt", "")),
        ] {
            assert_eq!(stem(name), parts);
        }
    }
}
