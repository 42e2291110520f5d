//! One name for one public type: two types of a package that share a name are taken for one another.

use super::{PACKAGES, Source, code, sources_below};
use std::collections::BTreeMap;
use std::path::Path;

/// Names that several public types of a package have, and why.
const SHARED_NAMES: &[(&str, &str)] = &[
    ("Log", "the steps of a run in ACTS and in Scopix: the same idea of two systems that no file mixes"),
    ("Node", "a node of a plan in ACTS and in Scopix"),
    ("Plan", "the plan of a run in ACTS and in Scopix"),
    ("PlanSource", "where a plan comes from in ACTS and in Scopix"),
];

/// Keywords that the name of a type follows.
const DECLARING: &[&str] = &["pub struct ", "pub enum ", "pub trait ", "pub type ", "pub union "];

/// The name of a public type that a line of code declares.
fn public_type(line: &str) -> Option<&str> {
    let rest = DECLARING.iter().find_map(|keyword| line.strip_prefix(keyword))?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// Public types by name, with the files that declare them.
fn public_types(sources: &[Source]) -> BTreeMap<String, Vec<&str>> {
    let mut out: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for source in sources {
        for name in code::code(&source.text).lines().filter_map(public_type) {
            out.entry(name.to_owned()).or_default().push(&source.path);
        }
    }
    out
}

/// Names of several public types that are no exception.
fn faults(sources: &[Source], exceptions: &[&str]) -> Vec<String> {
    let types = public_types(sources);
    let shared = types.iter().filter(|(name, files)| files.len() > 1 && !exceptions.contains(&name.as_str()));
    shared.map(|(name, files)| format!("{name} is declared in {}; name what differs", files.join(" and "))).collect()
}

#[test]
fn no_two_public_types_of_a_package_have_the_same_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let exceptions: Vec<&str> = SHARED_NAMES.iter().map(|(name, _)| *name).collect();
    let all: Vec<Vec<Source>> = PACKAGES.iter().map(|package| sources_below(&root.join(package))).collect();
    let found: Vec<String> = all.iter().flat_map(|sources| faults(sources, &exceptions)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    for name in exceptions {
        let is_shared = |sources: &Vec<Source>| public_types(sources).get(name).is_some_and(|files| files.len() > 1);
        assert!(all.iter().any(is_shared), "{name} is no exception any more");
    }
}

#[test]
fn two_public_types_of_the_same_name_are_found() {
    let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
    let sources = [
        source("a.rs", "pub struct Plan;\npub(crate) struct Cell;\n// pub struct Row;"),
        source("b.rs", "pub enum Plan {}\npub struct Cell;\npub struct Row<'a>(&'a str);"),
    ];
    assert_eq!(faults(&sources, &[]), ["Plan is declared in a.rs and b.rs; name what differs"]);
    assert!(faults(&sources, &["Plan"]).is_empty());
}
