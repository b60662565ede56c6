//! Compiles one desk's book into this crate.
//!
//! The desk is the file `policies/book/<desk>.toml`; which one is said by PORTCULLIS_BOOK at build time, `demo` if it
//! is not set. Faults end the build with file, line and column.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Says which desk is built.
const DESK_VARIABLE: &str = "PORTCULLIS_BOOK";

/// The desk that is built when nothing is said.
const DESK_DEFAULT: &str = "demo";

fn main() {
    println!("cargo::rerun-if-env-changed={DESK_VARIABLE}");
    println!("cargo::rerun-if-changed=build.rs");
    if let Err(faults) = build() {
        for fault in faults {
            println!("cargo::error={fault}");
        }
    }
}

fn build() -> Result<(), Vec<String>> {
    let desk = env::var(DESK_VARIABLE).unwrap_or_else(|_| DESK_DEFAULT.to_owned());
    let file = desk_file(&desk).map_err(|fault| vec![fault])?;
    let shown = format!("policies/book/{desk}.toml");
    println!("cargo::rerun-if-changed={}", file.display());
    let text = fs::read_to_string(&file).map_err(|error| vec![format!("{shown}: {error}")])?;
    let book = compile::compile_desk(&shown, &text)
        .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let target = env::var_os("OUT_DIR").ok_or_else(|| vec!["OUT_DIR is not set".to_owned()])?;
    fs::write(Path::new(&target).join("book.rs"), compile::source::module(book))
        .map_err(|error| vec![format!("book.rs: {error}")])
}

/// The desk's file. A desk is a name and never a path, so that nothing outside the folder is built in.
fn desk_file(desk: &str) -> Result<PathBuf, String> {
    let is_name =
        !desk.is_empty() && desk.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    if !is_name {
        return Err(format!("{DESK_VARIABLE}={desk:?} is not the name of a desk (a-z, 0-9 and \"-\")"));
    }
    let root = env::var_os("CARGO_MANIFEST_DIR").ok_or("CARGO_MANIFEST_DIR is not set")?;
    Ok(Path::new(&root).join("book").join(format!("{desk}.toml")))
}
