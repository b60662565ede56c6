//! Files that hold a secret of 32 bytes: 64 hexadecimal digits and a newline, readable by their owner only.

use core::fmt;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use zeroize::Zeroizing;

/// Bytes of a secret.
const SECRET_SIZE: usize = 32;

/// Room for a key file's text, which is shorter.
const TEXT_SIZE_MAX: usize = 80;

/// Permission bits of anyone but the owner.
const OTHERS: u32 = 0o077;

/// Why a file gives no secret.
#[derive(Debug)]
pub enum KeyFileFault {
    /// It cannot be read, or cannot be made.
    Io(io::Error),
    /// Others than its owner may read or write it.
    OpenToOthers {
        /// its permission bits
        mode: u32,
    },
    /// It is not 64 hexadecimal digits.
    Malformed,
}

/// Reads the secret of a file. The text is wiped.
///
/// # Errors
/// [`KeyFileFault`].
pub fn read(path: &Path) -> Result<Zeroizing<[u8; SECRET_SIZE]>, KeyFileFault> {
    let mut file = fs::File::open(path)?;
    let mode = file.metadata()?.mode() & 0o7777;
    if mode & OTHERS != 0 {
        return Err(KeyFileFault::OpenToOthers { mode });
    }
    let mut text = Zeroizing::new([0; TEXT_SIZE_MAX]);
    let mut size = 0;
    loop {
        match file.read(text.get_mut(size..).unwrap_or_default()) {
            Ok(0) => break,
            Ok(more) => size += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    // Never full: something longer would end where nobody looked.
    let text = text.get(..size).filter(|_| size < TEXT_SIZE_MAX).unwrap_or_default();
    secret(text.trim_ascii_end()).ok_or(KeyFileFault::Malformed)
}

/// Makes a file of mode 0600 that holds `secret`. A file that is there is left alone.
///
/// # Errors
/// [`KeyFileFault::Io`].
pub fn create(path: &Path, secret: &[u8; SECRET_SIZE]) -> Result<(), KeyFileFault> {
    let mut text = Zeroizing::new([b'\n'; 2 * SECRET_SIZE + 1]);
    for (digits, byte) in text.chunks_exact_mut(2).zip(secret) {
        digits.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
    }
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(&text[..])?;
    Ok(file.sync_all()?)
}

/// The bytes of exactly 64 digits, of either case.
fn secret(digits: &[u8]) -> Option<Zeroizing<[u8; SECRET_SIZE]>> {
    let mut secret = Zeroizing::new([0; SECRET_SIZE]);
    let (pairs, rest) = digits.as_chunks::<2>();
    if pairs.len() != secret.len() || !rest.is_empty() {
        return None;
    }
    for (byte, [high, low]) in secret.iter_mut().zip(pairs) {
        *byte = value(*high)? << 4 | value(*low)?;
    }
    Some(secret)
}

const fn value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

const fn digit(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'a' + value - 10 }
}

impl From<io::Error> for KeyFileFault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for KeyFileFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(formatter),
            Self::OpenToOthers { mode } => {
                write!(formatter, "others may read it (mode {mode:04o}): chmod go= it")
            }
            Self::Malformed => formatter.write_str("not 64 hexadecimal digits"),
        }
    }
}

impl std::error::Error for KeyFileFault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::OpenToOthers { .. } | Self::Malformed => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;

    fn path(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("key-file-{}-{name}", std::process::id()));
        let _ = fs::remove_file(&path);
        path
    }

    #[test]
    fn a_secret_reads_back_and_no_file_is_written_over() {
        let path = path("back");
        let bytes: [u8; 32] = std::array::from_fn(|at| u8::try_from(at * 8).unwrap());
        create(&path, &bytes).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::read(&path).unwrap().len(), 65);
        assert_eq!(*read(&path).unwrap(), bytes);
        assert!(matches!(create(&path, &[1; 32]), Err(KeyFileFault::Io(_))));
        assert_eq!(*read(&path).unwrap(), bytes);
        fs::write(&path, fs::read_to_string(&path).unwrap().to_uppercase()).unwrap();
        assert_eq!(*read(&path).unwrap(), bytes);
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_file_that_others_may_read_is_refused() {
        let path = path("others");
        create(&path, &[7; 32]).unwrap();
        for mode in [0o640, 0o604, 0o620, 0o601] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert!(matches!(read(&path), Err(KeyFileFault::OpenToOthers { mode: found }) if found == mode));
        }
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn nothing_but_64_digits_is_a_secret() {
        let path = path("digits");
        create(&path, &[0x07; 32]).unwrap();
        let digits = "07".repeat(32);
        let wrong = [
            String::new(),
            digits[2..].to_owned(),
            format!("0x{digits}"),
            format!("{digits}07"),
            format!("{digits}{}07", " ".repeat(20)),
            digits.replacen("07", "+7", 1),
            digits.replacen("07", "0 ", 1),
            format!(" {digits}"),
            format!("{}\u{e9}", &digits[2..]),
        ];
        for text in wrong {
            fs::write(&path, &text).unwrap();
            assert!(matches!(read(&path), Err(KeyFileFault::Malformed)), "{text:?}");
        }
        fs::remove_file(&path).unwrap();
    }
}
