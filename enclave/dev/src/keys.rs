//! The development vault's keys: throw-away ones that anyone can derive, and a developer's own from files.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use book::{Book, Slot};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use signing::{KeyFault, KeyScheme, Keyring, Secret, public_key_of};
use venues::PublicKey;
use zeroize::{Zeroize, Zeroizing};

/// Largest key file or key text read, bytes.
const KEY_TEXT_SIZE_MAX: usize = 256;

/// The throw-away key of a name: SHA-256("portcullis dev key: " ‖ name). Public knowledge; for demos only.
#[must_use]
pub fn throw_away(name: &str) -> Secret {
    Secret::new(throw_away_bytes(name))
}

/// The bytes of a throw-away key, for a comparison with the same key outside a vault.
#[must_use]
pub fn throw_away_bytes(name: &str) -> Zeroizing<[u8; 32]> {
    let mut hash = Sha256::new();
    hash.update(b"portcullis dev key: ");
    hash.update(name.as_bytes());
    Zeroizing::new(hash.finalize().into())
}

/// A folder of key files, one a key: `NAME.key`, mode 0600, one line of 64 hex digits.
#[derive(Debug)]
pub struct KeyFolder(PathBuf);

/// Why keys could not be had.
#[derive(Debug)]
pub enum KeysFault {
    /// A file or folder could not be read or written.
    Io(PathBuf, io::Error),
    /// The file may be read by others than its owner, or does not belong to this user.
    Exposed(PathBuf),
    /// Others than its owner may write to the folder, or it does not belong to this user.
    FolderExposed(PathBuf),
    /// What is named like a key file is a pipe, a link, a folder or the like.
    NotAFile(PathBuf),
    /// The text is not 32 bytes in hex.
    NotAKey(&'static str),
    /// A name may hold letters, digits, `-` and `_`.
    NotAName,
    /// No key fits a slot of the book.
    Missing {
        /// the slot's name
        slot: String,
    },
    /// The keyring refused a key.
    Refused(KeyFault),
}

impl std::fmt::Display for KeysFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Exposed(path) => {
                write!(
                    f,
                    "{} can be read by others; make it yours and mode 0600 (its folder 0700)",
                    path.display()
                )
            }
            Self::FolderExposed(path) => {
                write!(f, "{} can be written by others; make it yours and mode 0700", path.display())
            }
            Self::NotAFile(path) => {
                write!(f, "{} is no regular file; key files are read, and nothing else", path.display())
            }
            Self::NotAKey(why) => write!(f, "not a key: {why}; 64 hex digits are expected"),
            Self::NotAName => f.write_str("a key's name has 1 to 64 letters, digits, '-' or '_'"),
            Self::Missing { slot } => write!(
                f,
                "no key fits slot \"{slot}\": neither a throw-away key of that name nor a key file has the public key \
                 that the book pins"
            ),
            Self::Refused(fault) => write!(f, "{fault}"),
        }
    }
}

impl std::error::Error for KeysFault {}

impl KeyFolder {
    /// A folder that need not exist yet.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Writes a new random key. An existing one is never overwritten.
    ///
    /// # Errors
    /// [`KeysFault`].
    pub fn create(&self, name: &str, scheme: KeyScheme) -> Result<PublicKey, KeysFault> {
        loop {
            let mut bytes = Zeroizing::new([0_u8; 32]);
            getrandom::fill(bytes.as_mut()).map_err(|error| self.io(name, io::Error::other(error)))?;
            // One in 2^128 draws is no secp256k1 scalar.
            if let Ok(public) = public_key_of(scheme, &Secret::new(bytes.clone())) {
                self.write(name, &bytes)?;
                return Ok(public);
            }
        }
    }

    /// Stores a developer's own key, given as hex text.
    ///
    /// # Errors
    /// [`KeysFault`].
    pub fn import(&self, name: &str, scheme: KeyScheme, from: impl Read) -> Result<PublicKey, KeysFault> {
        let bytes = read_hex(from, &self.0)?;
        let public = public_key_of(scheme, &Secret::new(bytes.clone())).map_err(KeysFault::Refused)?;
        self.write(name, &bytes)?;
        Ok(public)
    }

    /// Fills a keyring for every slot of the book: first a throw-away key of the slot's name, then the files.
    ///
    /// # Errors
    /// [`KeysFault::Missing`] names the first slot that no key fits.
    pub fn keyring(&self, book: &Book<'_>) -> Result<Keyring, KeysFault> {
        let mut keyring = Keyring::default();
        let files = self.files()?;
        for slot in book.slots {
            if insert(&mut keyring, slot, throw_away(slot.name))? {
                continue;
            }
            let mut found = false;
            for file in &files {
                if insert(&mut keyring, slot, read_file(file)?)? {
                    found = true;
                    break;
                }
            }
            if !found {
                return Err(KeysFault::Missing { slot: slot.name.to_owned() });
            }
        }
        Ok(keyring)
    }

    fn files(&self) -> Result<Vec<PathBuf>, KeysFault> {
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(KeysFault::Io(self.0.clone(), error)),
        };
        let folder = fs::metadata(&self.0).map_err(|error| KeysFault::Io(self.0.clone(), error))?;
        if folder.uid() != own_uid() || folder.mode() & 0o022 != 0 {
            return Err(KeysFault::FolderExposed(self.0.clone()));
        }
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| KeysFault::Io(self.0.clone(), error))?.path();
            if path.extension().is_some_and(|extension| extension == "key") {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }

    fn write(&self, name: &str, bytes: &[u8; 32]) -> Result<(), KeysFault> {
        let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if name.is_empty() || name.len() > 64 || !name.bytes().all(good) {
            return Err(KeysFault::NotAName);
        }
        let mut folder = fs::DirBuilder::new();
        folder.recursive(true).mode(0o700).create(&self.0).map_err(|error| self.io(name, error))?;
        let path = self.0.join(name).with_extension("key");
        let mut text = Zeroizing::new(String::with_capacity(65));
        for byte in bytes {
            text.push_str(&format!("{byte:02x}"));
        }
        text.push('\n');
        let mut options = fs::OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(&path);
        file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| KeysFault::Io(path, error))
    }

    fn io(&self, name: &str, error: io::Error) -> KeysFault {
        KeysFault::Io(self.0.join(name), error)
    }
}

/// Whether the key fits the slot; a key of another slot is no fault.
fn insert(keyring: &mut Keyring, slot: &Slot<'_>, secret: Secret) -> Result<bool, KeysFault> {
    match keyring.insert(slot, secret) {
        Ok(()) => Ok(true),
        Err(KeyFault::PublicKeyDiffers | KeyFault::OutOfRange) => Ok(false),
        Err(fault @ (KeyFault::SlotTaken | KeyFault::Full | KeyFault::Missing)) => {
            Err(KeysFault::Refused(fault))
        }
    }
}

/// Reads a key file. Opening it neither waits (a pipe would, for its writer) nor follows a link.
fn read_file(path: &Path) -> Result<Secret, KeysFault> {
    let io = |error| KeysFault::Io(path.to_owned(), error);
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => fs::File::from(file),
        // A link, or a socket.
        Err(Errno::LOOP | Errno::NXIO) => return Err(KeysFault::NotAFile(path.to_owned())),
        Err(error) => return Err(io(error.into())),
    };
    let found = file.metadata().map_err(io)?;
    if !found.is_file() {
        return Err(KeysFault::NotAFile(path.to_owned()));
    }
    if found.uid() != own_uid() || found.mode() & 0o077 != 0 {
        return Err(KeysFault::Exposed(path.to_owned()));
    }
    read_hex(file, path).map(Secret::new)
}

fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn read_hex(from: impl Read, path: &Path) -> Result<Zeroizing<[u8; 32]>, KeysFault> {
    // Room for all of it, so that no copy of a key stays behind when the text grows.
    let mut text = Zeroizing::new(Vec::with_capacity(KEY_TEXT_SIZE_MAX + 1));
    from.take(KEY_TEXT_SIZE_MAX as u64 + 1)
        .read_to_end(&mut text)
        .map_err(|error| KeysFault::Io(path.to_owned(), error))?;
    if text.len() > KEY_TEXT_SIZE_MAX {
        return Err(KeysFault::NotAKey("the text is longer than 256 bytes"));
    }
    let digits = text.trim_ascii();
    let digits = digits.strip_prefix(b"0x").unwrap_or(digits);
    if digits.len() != 64 {
        return Err(KeysFault::NotAKey("its length is not 64 digits"));
    }
    let mut bytes = Zeroizing::new([0_u8; 32]);
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let mut value = 0_u8;
        for digit in pair {
            let digit =
                char::from(*digit).to_digit(16).ok_or(KeysFault::NotAKey("a character is no hex digit"))?;
            value = (value << 4) | u8::try_from(digit).map_err(|_| KeysFault::NotAKey("not hex"))?;
        }
        *byte = value;
        value.zeroize();
    }
    Ok(bytes)
}
