//! Writes the syntaxes that colour code, with patterns that take less room; see `src/ui/code/classes.rs`. Tells the program
//! the target that it is built for.

#[path = "src/ui/code/classes.rs"]
mod classes;

use std::error::Error;
use std::path::Path;
use syntect::dumps;
use syntect::parsing::syntax_definition::Pattern;
use syntect::parsing::{Regex, SyntaxSetBuilder};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=OBELUS_TARGET={}", std::env::var("TARGET")?);
    println!("cargo::rerun-if-changed=src/ui/code/classes.rs");
    let mut builder = SyntaxSetBuilder::new();
    for known in two_face::syntax::extra_newlines().into_builder().syntaxes() {
        let mut syntax = known.clone();
        for context in syntax.contexts.values_mut() {
            for pattern in &mut context.patterns {
                if let Pattern::Match(pattern) = pattern {
                    pattern.regex = Regex::new(classes::simplified(pattern.regex.regex_str()));
                }
            }
        }
        builder.add(syntax);
    }
    let out = std::env::var("OUT_DIR")?;
    dumps::dump_to_uncompressed_file(&builder.build(), Path::new(&out).join("syntaxes.bin"))?;
    Ok(())
}
