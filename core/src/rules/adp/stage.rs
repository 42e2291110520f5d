//! D2: the stage of a dataset, by the name of its file: raw, standardized, or for fine-tuning.

/// The stages in their order, as file names have them.
const STAGES: [&str; 3] = ["raw", "std", "sft"];

/// D2: the stage that the name of a file says. A word of the name counts before a part of a word, then what is later in
/// the name.
#[must_use]
pub fn stage(path: &str) -> Option<&'static str> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_lowercase();
    let words = || name.split(|c: char| !c.is_alphanumeric());
    let word = words().filter_map(|word| STAGES.into_iter().find(|stage| *stage == word)).next_back();
    word.or_else(|| {
        let found = STAGES.into_iter().filter_map(|stage| Some((name.rfind(stage)?, stage)));
        found.max().map(|(_, stage)| stage)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d2_a_file_name_says_the_stage() {
        for (path, expected) in [
            ("sample_std.json", Some("std")),
            ("a/raw/full_sft.jsonl.gz", Some("sft")),
            ("RAW.json", Some("raw")),
            ("strawberry-std.jsonl", Some("std")),
            ("mystd1.json", Some("std")),
            ("raw/data.json", None),
            ("-", None),
        ] {
            assert_eq!(stage(path), expected, "{path}");
        }
    }
}
