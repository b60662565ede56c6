//! `portcullis eif`: what an enclave image measures, and how two differ.
//!
//! The book in an image's metadata is the builder's word: nothing measures it. What the vault runs with is the policy hash that
//! its attestation names; compare that with the one that is shown here.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::eif::{Image, Policy};
use clap::Subcommand;
use compile::tree::Node;
use serde_json::json;

use crate::diff;
use crate::hexadecimal;

/// A file that cannot be read or is no image.
const EXIT_USAGE: u8 = 2;

/// The images differ.
const EXIT_DIFFERENT: u8 = 1;

/// Largest image that is read, bytes.
const IMAGE_SIZE_MAX: u64 = 1024 * 1024 * 1024;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Print an image's measurements as nitro-cli describe-eif does, and its policy hash
    Describe {
        /// The image
        file: PathBuf,
    },
    /// Compare two images: measurements, parts, and their books rule by rule; exit code 1 if they differ
    Diff {
        /// The image that is there
        old: PathBuf,
        /// The one that is to come
        new: PathBuf,
    },
}

pub(crate) fn run(command: &Command) -> ExitCode {
    let outcome = match command {
        Command::Describe { file } => read(file).and_then(|bytes| describe(file, &bytes)),
        Command::Diff { old, new } => compare(old, new),
    };
    match outcome {
        Ok((text, code)) => {
            let _ = io::stdout().write_all(text.as_bytes());
            ExitCode::from(code)
        }
        Err(fault) => {
            let _ = writeln!(io::stderr(), "portcullis: {fault}");
            ExitCode::from(EXIT_USAGE)
        }
    }
}

fn describe(file: &Path, bytes: &[u8]) -> Result<(String, u8), String> {
    let image = image(file, bytes)?;
    let found = image.measurements();
    let metadata = image.metadata();
    let value = json!({
        "EifVersion": 4,
        "Measurements": {
            "HashAlgorithm": "Sha384 { ... }",
            "PCR0": hexadecimal::digits(&found.pcr0),
            "PCR1": hexadecimal::digits(&found.pcr1),
            "PCR2": hexadecimal::digits(&found.pcr2),
        },
        "IsSigned": false,
        "Cmdline": image.cmdline,
        "ImageName": metadata.as_ref().map(|metadata| &metadata.image_name),
        "ImageVersion": metadata.as_ref().map(|metadata| &metadata.image_version),
        "PolicyHash": policy(&image).map(|policy| policy.policy_hash),
    });
    Ok((format!("{value:#}\n"), 0))
}

fn compare(old: &Path, new: &Path) -> Result<(String, u8), String> {
    let (old_bytes, new_bytes) = (read(old)?, read(new)?);
    let (old_image, new_image) = (image(old, &old_bytes)?, image(new, &new_bytes)?);
    if old_bytes == new_bytes {
        return Ok((String::new(), 0));
    }
    let mut text = String::new();
    let (was, is) = (old_image.measurements(), new_image.measurements());
    for (name, was, is) in
        [("PCR0", was.pcr0, is.pcr0), ("PCR1", was.pcr1, is.pcr1), ("PCR2", was.pcr2, is.pcr2)]
    {
        if was != is {
            let (was, is) = (hexadecimal::digits(&was), hexadecimal::digits(&is));
            let _ = write!(text, "- {name}: {was}\n+ {name}: {is}\n");
        }
    }
    tell_parts(&mut text, &old_image, &new_image);
    let (was, is) = (policy(&old_image), policy(&new_image));
    match (was, is) {
        (Some(was), Some(is)) if was != is => {
            let _ = write!(text, "- policy hash: {}\n+ policy hash: {}\n", was.policy_hash, is.policy_hash);
            let (was, is) = (book(old, &was)?, book(new, &is)?);
            text.push_str(&diff::text(&Node::of(was), &Node::of(is)));
        }
        (Some(_), Some(_)) => {}
        (None, None) => text.push_str("neither image carries its book\n"),
        (None, Some(_)) | (Some(_), None) => text.push_str("one of the images does not carry its book\n"),
    }
    Ok((text, EXIT_DIFFERENT))
}

fn tell_parts(text: &mut String, old: &Image<'_>, new: &Image<'_>) {
    if old.cmdline != new.cmdline {
        let _ = write!(text, "- command line: {}\n+ command line: {}\n", old.cmdline, new.cmdline);
    }
    let mut differ = |name: String, old: Option<&[u8]>, new: Option<&[u8]>| {
        if old != new {
            let size =
                |part: Option<&[u8]>| part.map_or("none".to_owned(), |part| format!("{} bytes", part.len()));
            let _ = writeln!(text, "~ {name}: {} before, {} now", size(old), size(new));
        }
    };
    differ("kernel".to_owned(), Some(old.kernel), Some(new.kernel));
    differ("metadata (not measured)".to_owned(), Some(old.metadata), Some(new.metadata));
    for at in 0..old.ramdisks.len().max(new.ramdisks.len()) {
        differ(format!("ramdisk {at}"), old.ramdisks.get(at).copied(), new.ramdisks.get(at).copied());
    }
}

fn policy(image: &Image<'_>) -> Option<Policy> {
    image.metadata()?.custom_metadata
}

/// The book that an image carries; its hash must be the one that stands beside it.
fn book(file: &Path, policy: &Policy) -> Result<&'static book::Book<'static>, String> {
    let shown = file.display();
    let book = compile::compile(&format!("{shown}: book"), &policy.book)
        .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let hash = hexadecimal::digits(&book::policy_hash(book));
    if policy.policy_hash.trim_start_matches("0x") == hash {
        return Ok(book);
    }
    Err(format!("{shown}: the book that it carries has hash {hash}, not the one that it names"))
}

fn image<'i>(file: &Path, bytes: &'i [u8]) -> Result<Image<'i>, String> {
    Image::read(bytes).map_err(|fault| format!("{}: {fault}", file.display()))
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    let fault = |error: io::Error| format!("{}: {error}", file.display());
    let size = file.metadata().map_err(fault)?.len();
    if size > IMAGE_SIZE_MAX {
        return Err(format!("{}: {size} bytes; at most {IMAGE_SIZE_MAX} are read", file.display()));
    }
    std::fs::read(file).map_err(fault)
}
