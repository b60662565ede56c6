//! The heads that the vault signed, one a boot: `head-<boot id, 32 hex digits>.bin`, [`SIGNED_HEAD_SIZE`] bytes.
//!
//! Whoever has the boot's receipt key from elsewhere (a client has it from the attested session) can check that the chain
//! goes as far as the vault says it does. The host cannot make a head up; it can only leave out a later one.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use wire::codec;
use wire::head::{SIGNED_HEAD_SIZE, SignedHead};

use super::segment::private;

const NAME_BEGINS: &str = "head-";
const NAME_ENDS: &str = ".bin";

/// Puts a head in the place of the boot's earlier one: whole or not at all.
pub(super) fn keep(folder: &Path, head: &SignedHead) -> io::Result<()> {
    let mut bytes = [0; SIGNED_HEAD_SIZE];
    codec::encode(*head, &mut bytes).map_err(|_| io::ErrorKind::InvalidData)?;
    let mut name = NAME_BEGINS.to_owned();
    head.boot_id.iter().for_each(|byte| name.push_str(&format!("{byte:02x}")));
    let aside = folder.join(format!("{name}.new"));
    private().create(true).truncate(true).open(&aside)?.write_all(&bytes)?;
    fs::rename(aside, folder.join(name + NAME_ENDS))
}

/// The heads in `folder`. Their signatures are not checked: this program has no receipt key that it could trust. A file
/// that holds no head is passed over; what it would prove stays unproven.
///
/// # Errors
/// When the folder or a file cannot be read.
pub fn heads(folder: &Path) -> io::Result<Vec<SignedHead>> {
    let mut heads = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_head =
            name.to_str().is_some_and(|name| name.starts_with(NAME_BEGINS) && name.ends_with(NAME_ENDS));
        if is_head && entry.metadata()?.len() == SIGNED_HEAD_SIZE as u64 {
            heads.extend(SignedHead::read(&fs::read(entry.path())?));
        }
    }
    heads.sort_by_key(|head| head.boot_id);
    Ok(heads)
}
