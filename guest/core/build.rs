//! Compiles the built-in pattern sets, so that a fresh instance has nothing to parse or build.
//!
//! The code that does it is the crate's own: `patterns check` and `--patterns` compile other sets by the same.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

#[path = "src/pattern/set"]
#[expect(dead_code, unreachable_pub, reason = "the crate uses what is left unused here")]
mod set {
    pub mod compile;
    pub mod fold;
    pub mod model;
    pub mod table;
    pub mod template;
    pub mod told;
    pub mod tree;
}

/// Languages of the built-in sets, in the order in which they are tried.
const BUILT_IN: [&str; 2] = ["en", "pt-br"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=src/pattern/set");
    let mut tables = Vec::new();
    for language in BUILT_IN {
        let path = format!("src/pattern/sets/{language}.yaml");
        println!("cargo::rerun-if-changed={path}");
        let set: set::model::PatternSet =
            serde_saphyr::from_str(&fs::read_to_string(&path)?).map_err(|error| format!("{path}: {error}"))?;
        let table = set::compile::compile(&set, None).map_err(|problems| {
            let lines: Vec<String> = problems.iter().map(|problem| format!("{path}: {problem}")).collect();
            lines.join("\n")
        })?;
        tables.push(table);
    }
    let out = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    fs::write(Path::new(&out).join("patterns.bin"), postcard::to_allocvec(&tables)?)?;
    Ok(())
}
