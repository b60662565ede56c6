//! Key files and the book file of the development vault: what is read, and what is refused instead of waited for.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use enclave_dev::keys::{KeyFolder, KeysFault};
use signing::KeyScheme;

const HEX: &str = "0101010101010101010101010101010101010101010101010101010101010101";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("keys-{}-{name}", std::process::id()));
        fs::create_dir(&path).unwrap();
        chmod(&path, 0o700);
        Self(path)
    }

    fn key(&self, name: &str, mode: u32) {
        fs::write(self.0.join(name), HEX).unwrap();
        chmod(&self.0.join(name), mode);
    }

    /// What starting a vault says whose book needs a key that no file has.
    fn refusal(&self) -> String {
        let book = fs::read_to_string(demo_book()).unwrap().replace("name = \"", "name = \"not-");
        let path = self.0.join("book.toml");
        fs::write(&path, book).unwrap();
        let output = self.serve(&path);
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    }

    fn serve(&self, book: &Path) -> Output {
        let unix = |name| format!("unix:{}", self.0.join(name).display());
        Command::new(env!("CARGO_BIN_EXE_enclave-dev"))
            .args(["serve", "--listen", &unix("v"), "--control", &unix("c"), "--book"])
            .arg(book)
            .arg("--keys")
            .arg(&self.0)
            .output()
            .unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn demo_book() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../policies/book/demo.toml"))
}

#[test]
fn a_key_file_of_ones_own_is_read_and_only_does_not_fit() {
    let folder = Folder::new("fine");
    folder.key("x.key", 0o600);
    let refusal = folder.refusal();
    assert!(refusal.contains("no key fits slot"), "{refusal}");
}

#[test]
fn a_pipe_named_like_a_key_file_is_refused_and_not_waited_for() {
    let folder = Folder::new("pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, folder.0.join("x.key"), rustix::fs::FileType::Fifo, mode, 0)
        .unwrap();
    let refusal = folder.refusal();
    assert!(refusal.contains("is no regular file"), "{refusal}");
}

#[test]
fn a_link_and_a_folder_named_like_a_key_file_are_refused() {
    let folder = Folder::new("link");
    folder.key("real", 0o600);
    std::os::unix::fs::symlink("real", folder.0.join("x.key")).unwrap();
    assert!(folder.refusal().contains("is no regular file"));
    fs::remove_file(folder.0.join("x.key")).unwrap();
    fs::create_dir(folder.0.join("x.key")).unwrap();
    assert!(folder.refusal().contains("is no regular file"));
}

#[test]
fn a_key_file_that_others_read_and_a_folder_that_others_write_are_refused() {
    let folder = Folder::new("exposed");
    folder.key("x.key", 0o640);
    assert!(folder.refusal().contains("can be read by others"));
    folder.key("x.key", 0o600);
    chmod(&folder.0, 0o720);
    assert!(folder.refusal().contains("can be written by others"));
}

#[test]
fn a_key_text_is_taken_whole_or_not_at_all() {
    let folder = Folder::new("import");
    let import = |name, text: &str| {
        KeyFolder::new(&folder.0).import(name, KeyScheme::Ed25519, text.as_bytes()).map(|_| ())
    };
    let padded = |size: usize| format!("{HEX:<size$}");
    import("a", &padded(256)).unwrap();
    for text in [padded(257), format!("{}{HEX}", padded(256))] {
        let fault = import("b", &text).unwrap_err();
        assert!(matches!(fault, KeysFault::NotAKey(why) if why.contains("256")), "{fault}");
    }
    assert!(!folder.0.join("b.key").exists());
}

#[test]
fn a_book_without_end_is_refused() {
    let folder = Folder::new("book");
    let output = folder.serve(Path::new("/dev/zero"));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("longer than a book may be"), "{said}");
}
