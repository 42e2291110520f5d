//! Decision records: one number each, and the same in the file's name and in its title.

use std::fs;

/// Faults of a folder of records, given as file names and texts.
fn faults(records: &[(String, String)]) -> Vec<String> {
    let mut out = Vec::new();
    for (at, (name, text)) in records.iter().enumerate() {
        let number: u32 = name.get(..4).and_then(|digits| digits.parse().ok()).unwrap_or_default();
        if !text.starts_with(&format!("# {number}. ")) {
            out.push(format!("{name}: the title does not begin with \"# {number}. \""));
        }
        if let Some((other, _)) = records[..at].iter().find(|(other, _)| other.get(..4) == name.get(..4)) {
            out.push(format!("{name}: {other} has the same number"));
        }
    }
    out
}

#[test]
fn decisions_have_one_number_each() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/decisions");
    let record = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap())
    };
    let records: Vec<(String, String)> = fs::read_dir(folder).unwrap().map(record).collect();
    assert!(records.len() > 10, "the folder was found");
    assert_eq!(faults(&records), Vec::<String>::new());
}

#[test]
fn a_number_given_twice_or_missing_in_the_title_is_found() {
    let made = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let twice = [made("0001-a.md", "# 1. A\n"), made("0001-b.md", "# 1. B\n")];
    assert_eq!(faults(&twice), ["0001-b.md: 0001-a.md has the same number"]);
    assert_eq!(faults(&[made("0002-a.md", "# 1. A\n")]).len(), 1);
    assert_eq!(faults(&[made("0002-a.md", "# 2. A\n")]), Vec::<String>::new());
}
