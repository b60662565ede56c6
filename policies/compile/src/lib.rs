//! TOML to [`Book`]: reads a desk's file, checks it, and gives the book or every fault with its place.
//!
//! Used where a book may be made: the build script of `policies`, the operator's tool, the development vault. The
//! production vault does not link it.
//!
//! Guarantees: one way to write each thing; integers only, no float is ever read; every limit is mandatory and
//! every grant optional, so what a file does not say is denied; all faults of a file are told at once, with line and
//! column. A book that compiles has no rule that cannot be reached and no cap or collar of zero.
//! Refuses: unknown keys, floats, values beyond their type, lists beyond [`LIST_LEN_MAX`], keys off their curve,
//! addresses with a wrong checksum, and what [`Rule`] lists.
//!
//! The language is documented in `policies/README.md`.

#![forbid(unsafe_code)]

mod book_file;
mod buckets;
mod desk;
mod evm;
mod evm_swaps;
mod expiry;
mod fault;
mod field;
mod hyperliquid;
pub mod keys;
mod parties;
pub mod pda;
mod polymarket;
mod scalars;
mod solana;
pub mod source;
mod tokens;
pub mod tree;
mod uniswapx;

pub use fault::{Fault, Rule};
pub use scalars::{base58, checksummed};

use std::ffi::OsStr;
use std::path::Path;

use book::Book;
use toml::de::DeTable;

use fault::Faults;
use field::Table;

/// Most entries in any list of a book file.
pub const LIST_LEN_MAX: usize = 2_000;

/// Largest book file, bytes.
pub const FILE_SIZE_MAX: usize = 1024 * 1024;

/// Compiles the text of a book file; `file_name` only stands in the faults.
///
/// The book is leaked: a book lives as long as its process. A process that compiles many (a fuzzer) pays for each.
///
/// # Errors
/// Every fault of the file, in the order of the text; where the text is not TOML, the first place where it is not.
pub fn compile(file_name: &str, text: &str) -> Result<&'static Book<'static>, Vec<Fault>> {
    let faults = Faults::default();
    let book = read(text, &faults);
    match (book, faults.into_sorted(file_name, text)) {
        (Some(book), faults) if faults.is_empty() => Ok(Box::leak(Box::new(book))),
        (_, faults) => Err(faults),
    }
}

/// Compiles a desk's file, whose name must be the desk's: `policies/book/<desk>.toml`. `path` also stands in the faults.
///
/// # Errors
/// As [`compile`], and [`Rule::DeskNotFile`] at the name.
pub fn compile_desk(path: &str, text: &str) -> Result<&'static Book<'static>, Vec<Fault>> {
    let book = compile(path, text)?;
    let file = Path::new(path).file_name().and_then(OsStr::to_str).unwrap_or(path);
    if file.strip_suffix(".toml") == Some(book.desk) {
        return Ok(book);
    }
    let faults = Faults::default();
    let at = DeTable::parse(text).ok().and_then(|table| Some(table.get_ref().get("desk")?.span().start));
    let message = format!("desk: {:?} is not what the file is called, {file}", book.desk);
    faults.add::<()>(at.unwrap_or(0), Rule::DeskNotFile, message);
    Err(faults.into_sorted(path, text))
}

fn read(text: &str, faults: &Faults) -> Option<Book<'static>> {
    if text.len() > FILE_SIZE_MAX {
        return faults.add(0, Rule::FileTooLong, format!("{} bytes; at most {FILE_SIZE_MAX}", text.len()));
    }
    let (document, errors) = DeTable::parse_recoverable(text);
    // What follows the first one is usually its echo.
    if let Some(error) = errors.first() {
        let at = error.span().map_or(0, |span| span.start);
        faults.add::<()>(at, Rule::Syntax, error.message().to_owned());
    }
    if !errors.is_empty() {
        return None;
    }
    Table::read(document.get_ref(), 0, faults, book_file::book)
}
