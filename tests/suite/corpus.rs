//! The corpora of the fuzz targets, replayed: what a target was given once, or fails for, stays harmless.

#[path = "../../fuzz/targets.rs"]
mod targets;

use std::fs;
use std::path::Path;

#[test]
fn every_file_of_the_corpora_is_harmless() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    for (name, _) in targets::TARGETS {
        let files = fs::read_dir(root.join(name)).unwrap_or_else(|_| panic!("tests/corpus/{name}: a corpus"));
        let mut paths: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        assert!(paths.len() > 1, "tests/corpus/{name} has too little to replay");
        for path in paths {
            eprintln!("{}", path.display());
            targets::run(name, &fs::read(&path).unwrap());
        }
    }
}

#[test]
fn every_target_can_be_built_by_the_fuzzer() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for (name, _) in targets::TARGETS {
        let file = fs::read_to_string(fuzz.join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(file.contains(&format!("targets::run(\"{name}\", bytes)")), "{name}");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is not in fuzz/Cargo.toml");
    }
}
