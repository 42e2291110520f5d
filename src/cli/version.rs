//! `obelus --version`, and with `--verbose` what this build is.

use super::Stop;
use super::out::Out;
use crate::format::Format;
use crate::ingest::all_formats;

/// The commit that was built, where the build knows it (`packaging/build` does).
const COMMIT: Option<&str> = option_env!("OBELUS_COMMIT");
/// The target that it was built for.
const TARGET: &str = env!("OBELUS_TARGET");

/// The features that it was built with.
pub(super) fn features() -> Vec<&'static str> {
    let all = [
        ("parquet", cfg!(feature = "parquet")),
        ("query", cfg!(feature = "query")),
        ("schema", cfg!(feature = "schema")),
        ("tokenizer", cfg!(feature = "tokenizer")),
    ];
    all.into_iter().filter(|(_, is_in)| *is_in).map(|(name, _)| name).collect()
}

/// Prints it.
pub(super) fn print(is_verbose: bool, out: &mut Out) -> Result<u8, Stop> {
    out.line(&format!("obelus {}", env!("CARGO_PKG_VERSION")))?;
    if !is_verbose {
        return Ok(0);
    }
    let mut formats: Vec<&str> = all_formats().map(Format::name).collect();
    formats.dedup();
    let features = features();
    let features = if features.is_empty() { "none".to_owned() } else { features.join(", ") };
    for (name, value) in [
        ("commit", COMMIT.unwrap_or("not known")),
        ("target", TARGET),
        ("features", &features),
        ("formats", &formats.len().to_string()),
        ("oldest rust", env!("CARGO_PKG_RUST_VERSION")),
    ] {
        out.line(&format!("{name}: {value}"))?;
    }
    Ok(0)
}
