//! Keys of clients and operators' certificates, checked as a vault checks them.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{SystemTime, UNIX_EPOCH};

use session::PublicKey;
use session::certificate::{CertificateFault, Terms, verify};

const DEMO: &str = include_str!("../../policies/book/demo.toml");
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// A folder of the test's own, with a book that names its operator.
struct Desk(PathBuf);

impl Desk {
    fn new(name: &str) -> Self {
        let desk = Self(std::env::temp_dir().join(format!("certify-{}-{name}", std::process::id())));
        fs::create_dir(&desk.0).unwrap();
        let line = text(&portcullis(&["operator", "keygen", &desk.path("ann.key")]));
        let book = DEMO.replace(
            "[[operators]]\nname = \"operator\"",
            &format!("[[operators]]\nname = \"ann\"\n{line}\n[[operators]]\nname = \"operator\""),
        );
        assert_ne!(book, DEMO);
        fs::write(desk.path("demo.toml"), book).unwrap();
        desk
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// A client's key; gives the public half.
    fn client(&self, name: &str) -> String {
        let line = text(&portcullis(&["session", "keygen", &self.path(name)]));
        let digits =
            line.trim().strip_prefix("public_key = { x25519 = \"0x").unwrap().strip_suffix("\" }").unwrap();
        digits.to_owned()
    }

    fn certify(&self, operator: &str, role: &str, public_key: &str, more: &[&str]) -> Output {
        let (book, key, out) = (self.path("demo.toml"), self.path(operator), self.path("client.cert"));
        let arguments =
            ["operator", "certify", "--book", &book, "--key", &key, "--role", role, "--public-key"];
        portcullis(&[&arguments[..], &[public_key, "--out", &out, "--client", "quoter-9"], more].concat())
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What the book of a desk says, as its vault reads it.
struct Book(&'static book::Book<'static>);

impl Book {
    fn of(desk: &Desk) -> Self {
        Self(compile::compile("demo.toml", &fs::read_to_string(desk.path("demo.toml")).unwrap()).unwrap())
    }
}

impl Terms for Book {
    fn desk(&self) -> &str {
        self.0.desk
    }

    fn has_operator(&self, key: &[u8; 32]) -> bool {
        self.0.operators.iter().any(|operator| operator.public_key == *key)
    }

    fn certificate_days_max(&self, role: &str) -> Option<u16> {
        self.0.roles.iter().find(|known| known.name == role).map(|role| role.certificate_days_max)
    }
}

fn portcullis(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_portcullis")).args(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn key(digits: &str) -> PublicKey {
    let byte = |at: usize| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap();
    PublicKey::from_bytes(std::array::from_fn(byte)).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "a certificate begins now")]
fn now_ms() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

#[test]
fn a_key_is_the_owner_s_alone_and_none_is_written_over() {
    let desk = Desk::new("keygen");
    let public = desk.client("bot.key");
    let file = Path::new(&desk.path("bot.key")).to_owned();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let secret = transport::key_file::read(&file).unwrap();
    assert_eq!(session::SessionKey::from_bytes(secret).public_key(), key(&public));
    let before = fs::read(&file).unwrap();
    assert_eq!(portcullis(&["session", "keygen", &desk.path("bot.key")]).status.code(), Some(2));
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn a_certificate_is_one_that_the_vault_takes_for_as_long_as_it_says() {
    let desk = Desk::new("good");
    let public = desk.client("bot.key");
    text(&desk.certify("ann.key", "quoter", &format!("0x{public}"), &["--days", "3", "--serial", "7"]));
    let bytes = fs::read(desk.path("client.cert")).unwrap();
    let (book, now_ms) = (Book::of(&desk), now_ms());
    let found = verify(&bytes, &book, key(&public), now_ms).unwrap();
    assert_eq!((found.role, found.client, found.serial), ("quoter", "quoter-9", 7));
    assert_eq!(found.not_after_ms - found.not_before_ms, 3 * DAY_MS);
    let later = verify(&bytes, &book, key(&public), now_ms + 3 * DAY_MS);
    assert!(matches!(later, Err(CertificateFault::Expired { .. })));
    // One that is there is not written over.
    assert_eq!(desk.certify("ann.key", "quoter", &public, &[]).status.code(), Some(2));
    assert_eq!(fs::read(desk.path("client.cert")).unwrap(), bytes);
    // As long as the role allows, unless it is said.
    fs::remove_file(desk.path("client.cert")).unwrap();
    text(&desk.certify("ann.key", "quoter", &public, &[]));
    let bytes = fs::read(desk.path("client.cert")).unwrap();
    let found = verify(&bytes, &book, key(&public), now_ms).unwrap();
    assert_eq!(found.not_after_ms - found.not_before_ms, 7 * DAY_MS);
}

#[test]
fn what_the_vault_would_refuse_is_not_made_out() {
    let desk = Desk::new("bad");
    let public = desk.client("bot.key");
    text(&portcullis(&["operator", "keygen", &desk.path("stranger.key")]));
    let refused = [
        (desk.certify("stranger.key", "quoter", &public, &[]), "does not name this operator"),
        (desk.certify("ann.key", "trader", &public, &[]), "no role \"trader\""),
        (desk.certify("ann.key", "quoter", &public, &["--days", "8"]), "1 to 7 days, not 8"),
        (desk.certify("ann.key", "quoter", &public, &["--days", "0"]), "1 to 7 days, not 0"),
        (desk.certify("ann.key", "quoter", &public[2..], &[]), "64 hexadecimal digits"),
        // 2^255 - 19 in another way: no canonical key.
        (desk.certify("ann.key", "quoter", &"ff".repeat(32), &[]), "another client's key"),
    ];
    for (output, reason) in refused {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(reason), "{stderr}");
    }
    let out = desk.path("other.cert");
    let arguments =
        ["operator", "certify", "--book", &desk.path("demo.toml"), "--key", &desk.path("ann.key")];
    let more = ["--role", "quoter", "--public-key", &public, "--client", "Not A Name", "--out", &out];
    assert_eq!(portcullis(&[&arguments[..], &more].concat()).status.code(), Some(2));
    assert!(!Path::new(&out).exists() && !Path::new(&desk.path("client.cert")).exists());
}
