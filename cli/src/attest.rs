//! `portcullis attest`: attestation documents shown and verified, and lists of allowed images signed.

use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand, ValueEnum};
use ed25519_dalek::{Signer as _, SigningKey};
use serde_json::{Value, json};
use session_nitro::{
    AWS_ROOT_SHA256, At, DOCUMENT_SIZE_MAX, Document, MEASUREMENTS_SIZE_MAX, Measurements, claims, signed,
    verify,
};
use transport::key_file;

use crate::hexadecimal;

/// A file that cannot be read, or wrong usage.
const EXIT_USAGE: u8 = 2;

/// The document is not good enough.
const EXIT_REFUSED: u8 = 5;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Show what a document says; nothing of it is checked
    Show {
        /// The document
        file: PathBuf,
    },
    /// Check a document up to Amazon's root; exit code 5 if it is not good enough
    Verify(Box<VerifyArgs>),
    /// Sign a list of allowed images; writes FILE.sig
    SignMeasurements {
        /// The list
        file: PathBuf,
        /// The operator's key file
        #[arg(long)]
        key: PathBuf,
    },
}

#[derive(Args)]
pub(crate) struct VerifyArgs {
    /// The document
    file: PathBuf,
    /// When the certificates must be valid
    #[arg(long, value_enum, default_value_t = When::Now)]
    at: When,
    /// The list of allowed images, with its signature beside it in FILE.sig
    #[arg(long, requires = "operator")]
    measurements: Option<PathBuf>,
    /// The operator's public key that the list must be signed with: 64 hexadecimal digits
    #[arg(long, requires = "measurements")]
    operator: Option<String>,
    /// The challenge that it must answer, in hexadecimal digits
    #[arg(long)]
    nonce: Option<String>,
    /// The book that the vault must have: 64 hexadecimal digits
    #[arg(long)]
    policy_hash: Option<String>,
    /// Print one JSON value
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum When {
    /// now
    Now,
    /// when the document was made: for archived ones; it says nothing of now
    Document,
}

/// Why there is no good verdict.
enum Fault {
    Usage(String),
    Refused(String),
}

pub(crate) fn run(command: &Command) -> ExitCode {
    let outcome = match command {
        Command::Show { file } => show(file),
        Command::Verify(args) => check(args),
        Command::SignMeasurements { file, key } => sign(file, key),
    };
    let (code, text) = match outcome {
        Ok(text) => {
            let _ = io::stdout().write_all(text.as_bytes());
            return ExitCode::SUCCESS;
        }
        Err(Fault::Usage(text)) => (EXIT_USAGE, text),
        Err(Fault::Refused(text)) => (EXIT_REFUSED, format!("refused: {text}")),
    };
    let _ = writeln!(io::stderr(), "portcullis: {text}");
    ExitCode::from(code)
}

fn show(file: &Path) -> Result<String, Fault> {
    let bytes = read(file, DOCUMENT_SIZE_MAX)?;
    let document = Document::read(&bytes).map_err(|fault| Fault::Refused(fault.to_string()))?;
    Ok(format!("{:#}\n", tell(&document)))
}

fn check(args: &VerifyArgs) -> Result<String, Fault> {
    let bytes = read(&args.file, DOCUMENT_SIZE_MAX)?;
    let refused = |fault: &dyn std::fmt::Display| Fault::Refused(fault.to_string());
    let document = Document::read(&bytes).map_err(|fault| refused(&fault))?;
    let at = match args.at {
        When::Now => At::Time(now_ms()?),
        When::Document => At::Document,
    };
    verify(&document, &AWS_ROOT_SHA256, at).map_err(|fault| refused(&fault))?;
    if let Some(nonce) = &args.nonce
        && Some(nonce.to_lowercase()) != document.nonce.map(hexadecimal::digits)
    {
        return Err(Fault::Refused("it answers another challenge".to_owned()));
    }
    let image =
        match (&args.measurements, &args.operator) {
            (Some(list), Some(operator)) => {
                let images = measurements(list, operator)?;
                let image = images.find(&document).map(|image| image.name().to_owned());
                Some(image.ok_or_else(|| {
                    Fault::Refused("the image is none of those that are allowed".to_owned())
                })?)
            }
            _ => None,
        };
    if let Some(wanted) = &args.policy_hash {
        let wanted = hexadecimal::read(wanted.strip_prefix("0x").unwrap_or(wanted));
        let wanted =
            wanted.ok_or_else(|| Fault::Usage("a policy hash is 64 hexadecimal digits".to_owned()))?;
        let found = claims(&document).map_err(|fault| refused(&fault))?;
        if found.policy_hash != *wanted {
            return Err(Fault::Refused("the vault has another book".to_owned()));
        }
    }
    Ok(verdict(args, &document, image.as_deref()))
}

fn verdict(args: &VerifyArgs, document: &Document<'_>, image: Option<&str>) -> String {
    if args.json {
        let mut value = tell(document);
        if let Some(object) = value.as_object_mut() {
            object.insert("verified".to_owned(), true.into());
            object.insert("image".to_owned(), image.into());
        }
        return format!("{value:#}\n");
    }
    let when = match args.at {
        When::Now => "now",
        When::Document => "when it was made",
    };
    let image = image.map_or_else(
        || "no list of images was given: compare the measurements yourself".to_owned(),
        |image| format!("image {image}"),
    );
    format!("Amazon's root vouches for it {when}; {image}\n{:#}\n", tell(document))
}

fn tell(document: &Document<'_>) -> Value {
    let digits = |bytes: Option<&[u8]>| bytes.map(hexadecimal::digits);
    let pcrs = document.pcrs.iter().enumerate().filter_map(|(index, pcr)| {
        let pcr = pcr.filter(|pcr| pcr.iter().any(|byte| *byte != 0))?;
        Some((format!("pcr{index}"), Value::from(hexadecimal::digits(&pcr))))
    });
    let claims = claims(document).ok().map(|claims| {
        json!({
            "policy_hash": hexadecimal::text(&claims.policy_hash),
            "boot_id": hexadecimal::text(&claims.boot_id),
            "session_key": hexadecimal::text(&claims.session_key),
            "receipt_key": hexadecimal::text(&claims.receipt_key),
        })
    });
    json!({
        "module_id": document.module_id,
        "timestamp_ms": document.timestamp_ms,
        "measurements": pcrs.collect::<serde_json::Map<_, _>>(),
        "certificates": document.chain.len() + 1,
        "public_key": digits(document.public_key),
        "user_data": digits(document.user_data),
        "nonce": digits(document.nonce),
        "claims": claims,
    })
}

fn measurements(list: &Path, operator: &str) -> Result<Measurements, Fault> {
    let operator = hexadecimal::read(operator.strip_prefix("0x").unwrap_or(operator));
    let operator =
        operator.ok_or_else(|| Fault::Usage("an operator's key is 64 hexadecimal digits".to_owned()))?;
    let beside = signature_file(list);
    let signature = read(&beside, 64)?;
    let signature = signature.as_slice().try_into();
    let signature = signature.map_err(|_| Fault::Usage(format!("{}: not 64 bytes", beside.display())))?;
    Measurements::read(&read(list, MEASUREMENTS_SIZE_MAX)?, signature, &operator)
        .map_err(|fault| Fault::Refused(format!("{}: {fault}", list.display())))
}

fn sign(file: &Path, key: &Path) -> Result<String, Fault> {
    let usage =
        |path: &Path, fault: &dyn std::fmt::Display| Fault::Usage(format!("{}: {fault}", path.display()));
    let list = read(file, MEASUREMENTS_SIZE_MAX)?;
    let seed = key_file::read(key).map_err(|fault| usage(key, &fault))?;
    let key = SigningKey::from_bytes(&seed);
    #[expect(clippy::disallowed_methods, reason = "signs a list of images, nothing of a venue")]
    let signature = key.sign(&signed(&list)).to_bytes();
    let operator = key.verifying_key().to_bytes();
    // What a client would refuse is not left behind signed.
    Measurements::read(&list, &signature, &operator).map_err(|fault| usage(file, &fault))?;
    let beside = signature_file(file);
    let made = std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o644).open(&beside);
    made.and_then(|mut made| made.write_all(&signature)).map_err(|error| usage(&beside, &error))?;
    Ok(format!("{}: signed by {}\n", beside.display(), hexadecimal::text(&operator)))
}

fn signature_file(list: &Path) -> PathBuf {
    let mut name = list.as_os_str().to_owned();
    name.push(".sig");
    name.into()
}

/// Reads a file of at most so many bytes; one more is read, so that a longer one is refused for its size.
fn read(file: &Path, size_max: usize) -> Result<Vec<u8>, Fault> {
    let fault = |error: io::Error| Fault::Usage(format!("{}: {error}", file.display()));
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file).map_err(fault)?;
    io::Read::read_to_end(&mut io::Read::take(opened, size_max as u64 + 1), &mut bytes).map_err(fault)?;
    Ok(bytes)
}

#[expect(clippy::disallowed_methods, reason = "certificates are valid now or not, by the operator's clock")]
fn now_ms() -> Result<u64, Fault> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.ok().and_then(|now| u64::try_from(now.as_millis()).ok());
    now.ok_or_else(|| Fault::Usage("the clock is before 1970".to_owned()))
}
