//! Names of what is on another machine: obelus reads files of this one, and says how to get there.

use crate::model::Problem;
use std::path::Path;

/// How the Hub's pages of datasets begin.
const HUB: [&str; 2] = ["hf://datasets/", "https://huggingface.co/datasets/"];

/// What is between a repository of the Hub and a file in it, on its pages: a word and a revision.
const HUB_VIEWS: [&str; 3] = ["resolve", "blob", "tree"];

/// Why a name of something that is elsewhere is not opened, and what to do; None where it names a file.
#[must_use]
pub fn refused(path: &Path) -> Option<Problem> {
    let name = path.to_str()?;
    let (scheme, rest) = name.split_once("://")?;
    if scheme.is_empty() || !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) || path.exists() {
        return None;
    }
    // A name that a shell would read otherwise is not put into commands.
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/:._-@%+=,*?".contains(&byte));
    let shown = if is_plain { format!("'{name}'") } else { "URL".to_owned() };
    let is_table = name.ends_with(".parquet");
    let is_stream = !is_table && !name.contains(['*', '?']);
    let piped = |command: &str| match is_stream.then_some(command) {
        Some(command) => format!("; or read it as it comes: `{command} | obelus -`"),
        None => String::new(),
    };
    let (what, way) = match scheme.to_ascii_lowercase().as_str() {
        _ if HUB.iter().any(|hub| name.starts_with(hub)) => ("a dataset of the Hub", hub(name, is_plain)),
        "http" | "https" => {
            ("on the web", format!("get it first: `curl -LO {shown}`{}", piped(&format!("curl -Ls {shown}"))))
        }
        "s3" | "s3a" | "s3n" => {
            let copied = format!("copy it first: `aws s3 cp {shown} .`{}", piped(&format!("aws s3 cp {shown} -")));
            ("in object storage", format!("{copied}; {MANY}"))
        }
        "gs" | "gcs" => {
            let copied = format!(
                "copy it first: `gcloud storage cp {shown} .`{}",
                piped(&format!("gcloud storage cat {shown}"))
            );
            ("in object storage", format!("{copied}; {MANY}"))
        }
        "file" => ("an address", format!("name the file: {rest}")),
        _ => ("on another machine", format!("copy it to this one first; {MANY}")),
    };
    Some(Problem::unreadable(format!("{name} is {what}: obelus reads files and standard input")).hint(way))
}

/// What to do with more than one machine holds.
const MANY: &str = "duckdb, Spark and Ray read it where it is, with obelus inside: docs/scale.md";

/// The way from the Hub: the command that gets the dataset or one file of it.
fn hub(name: &str, is_plain: bool) -> String {
    let rest = HUB.iter().find_map(|hub| name.strip_prefix(hub)).unwrap_or(name);
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let mut parts = rest.split('/').filter(|part| !part.is_empty());
    let (Some(owner), Some(repository), true) = (parts.next(), parts.next(), is_plain) else {
        return "get it first: `hf download OWNER/NAME --repo-type dataset --local-dir NAME`, then `obelus NAME`"
            .into();
    };
    let repository = repository.split('@').next().unwrap_or(repository);
    let mut path: Vec<&str> = parts.collect();
    if path.first().is_some_and(|view| HUB_VIEWS.contains(view)) {
        path.drain(..path.len().min(2));
    }
    let path = path.join("/");
    let wanted = match path.as_str() {
        "" => String::new(),
        pattern if pattern.contains('*') => format!("--include '{pattern}' "),
        file => format!("'{file}' "),
    };
    let local = if path.is_empty() { repository.to_owned() } else { format!("{repository}/{path}") };
    let get = format!("hf download {owner}/{repository} {wanted}--repo-type dataset --local-dir {repository}");
    format!("get it first: `{get}`, then `obelus '{local}'`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(name: &str) -> String {
        refused(Path::new(name)).map(|problem| problem.to_string()).unwrap_or_default()
    }

    #[test]
    fn each_place_has_its_way() {
        for (name, way) in [
            ("s3://b/a.jsonl", "`aws s3 cp 's3://b/a.jsonl' - | obelus -`"),
            ("s3a://b/part-*.parquet", "`aws s3 cp 's3a://b/part-*.parquet' .`; duckdb, Spark and Ray"),
            ("gs://b/a.jsonl.gz", "`gcloud storage cat 'gs://b/a.jsonl.gz' | obelus -`"),
            ("https://example.org/a.jsonl", "`curl -Ls 'https://example.org/a.jsonl' | obelus -`"),
            ("https://example.org/a.parquet", "`curl -LO 'https://example.org/a.parquet'`"),
            ("hf://datasets/o/n", "`hf download o/n --repo-type dataset --local-dir n`, then `obelus 'n'`"),
            ("hf://datasets/o/n@main/d/a.parquet", "`hf download o/n 'd/a.parquet' --repo-type dataset"),
            ("hf://datasets/o/n/d/*.parquet", "--include 'd/*.parquet' --repo-type"),
            ("https://huggingface.co/datasets/o/n/blob/main/a.jsonl", "hf download o/n 'a.jsonl' --repo-type"),
            ("hdfs://h/a.jsonl", "copy it to this one first"),
            ("file:///tmp/a.jsonl", "name the file: /tmp/a.jsonl"),
        ] {
            let message = describe(name);
            assert!(
                message.contains(way) && message.contains("obelus reads files and standard input"),
                "{name}: {message}"
            );
        }
        assert!(!describe("https://x/$(rm -rf).jsonl").contains("`curl -LO 'h"));
        for name in ["a.jsonl", "a:b", "C:/x", "://x", "./s3:/x"] {
            assert_eq!(describe(name), "", "{name}");
        }
    }
}
