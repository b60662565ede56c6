//! `portcullis operator certify`: a certificate that makes a key a client in a role of a book, until it ends.
//!
//! It is made out for a book, and what the book's vault would refuse is refused here: another operator, an unknown role, more
//! days than the role allows.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use session::operator::OperatorKey;
use transport::key_file;
use wire::session::{CERTIFICATE_SIZE_MAX, Certificate};

use crate::hexadecimal;
use crate::policy;

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// How far before now a certificate begins, milliseconds: the vault's clock may be behind.
const AHEAD_MS: u64 = 60_000;

#[derive(Args)]
pub(crate) struct CertifyArgs {
    /// The desk's book
    #[arg(long)]
    book: PathBuf,
    /// The operator's key file
    #[arg(long)]
    key: PathBuf,
    /// A role of the book
    #[arg(long)]
    role: String,
    /// The client's name in receipts and logs: 1 to 32 of a-z, 0-9 and "-"
    #[arg(long)]
    client: String,
    /// The client's public key: 64 hexadecimal digits, as `session keygen` prints them
    #[arg(long)]
    public_key: String,
    /// For how many days from now [default: as long as the role allows]
    #[arg(long)]
    days: Option<u16>,
    /// The operator's own number for it [default: the time, in ms]
    #[arg(long)]
    serial: Option<u64>,
    /// The file to make; it must not be there
    #[arg(long)]
    out: PathBuf,
}

pub(crate) fn certify(args: &CertifyArgs) -> Result<(), Box<dyn std::error::Error>> {
    let book = policy::read(&args.book).map_err(|_| "the book is not usable")?;
    let seed = key_file::read(&args.key).map_err(|fault| format!("{}: {fault}", args.key.display()))?;
    #[expect(clippy::disallowed_methods, reason = "this is the operator's tool")]
    let operator = OperatorKey::from_seed(&seed);
    if !book.operators.iter().any(|known| known.public_key == operator.public_key()) {
        return Err("the book does not name this operator".into());
    }
    let role = book.roles.iter().find(|role| role.name == args.role);
    let role = role.ok_or_else(|| format!("the book has no role {:?}", args.role))?;
    let days = args.days.unwrap_or(role.certificate_days_max);
    if days == 0 || days > role.certificate_days_max {
        return Err(format!("the role allows 1 to {} days, not {days}", role.certificate_days_max).into());
    }
    let digits = args.public_key.strip_prefix("0x").unwrap_or(&args.public_key);
    let client_key = *hexadecimal::read(digits).ok_or("a public key is 64 hexadecimal digits")?;
    let now_ms = now_ms()?;
    let not_before_ms = now_ms.saturating_sub(AHEAD_MS);
    let certificate = Certificate {
        desk: book.desk,
        role: role.name,
        client: &args.client,
        client_key,
        serial: args.serial.unwrap_or(now_ms),
        not_before_ms,
        not_after_ms: not_before_ms.saturating_add(u64::from(days).saturating_mul(DAY_MS)),
        operator_key: operator.public_key(),
    };
    let mut bytes = [0; CERTIFICATE_SIZE_MAX];
    let size = operator.sign_certificate(&certificate, &mut bytes)?;
    let made = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&args.out);
    made.and_then(|mut file| file.write_all(bytes.get(..size).unwrap_or_default()))
        .map_err(|error| format!("{}: {error}", args.out.display()))?;
    println!(
        "{} is a {} of desk {} until {} ms; serial {}",
        args.client, role.name, book.desk, certificate.not_after_ms, certificate.serial
    );
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a certificate begins now, by the operator's clock")]
fn now_ms() -> Result<u64, Box<dyn std::error::Error>> {
    Ok(u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis())?)
}
