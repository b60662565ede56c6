//! How long `Vault::handle` takes, beside a bare signature with the same key and library, in one run.
//!
//! In process and closed loop: no socket, no wake-up. The two take turns in blocks, so that a slow moment of the
//! machine falls on both; what carries over to another machine is the ratio. Socket, load and KMS rows come
//! later.

use std::hint::black_box;
use std::time::Instant;

use ed25519_dalek::Signer;
use enclave::Boot;
use enclave_dev::examples::{Example, examples};
use enclave_dev::in_process::InProcess;
use enclave_dev::keys::{KeyFolder, throw_away_bytes};
use hdrhistogram::Histogram;
use wire::Now;
use wire::request::{PayloadKind, Request};

/// Requests of each example, in blocks.
const BLOCKS: usize = 200;
const BLOCK_SIZE: usize = 50;

/// Requests before the clock counts.
const WARM_UP: usize = 500;

const BOOTED: Now = Now { monotonic_ms: 0, wall_ms: 1_790_000_000_000 };

/// Longest time a histogram takes, ns.
const TIME_NS_MAX: u64 = 1_000_000_000;

type Fault = Box<dyn std::error::Error>;

fn main() -> Result<(), Fault> {
    let keyring = KeyFolder::new("no-key-files").keyring(&policies::BOOK)?;
    let boot = Boot { id: [0; 16], seed: [0; 32], now: BOOTED };
    let mut vault = InProcess::at_boot(&policies::BOOK, keyring, boot, "bot")?;
    println!("{:<48} {:>9} {:>9} {:>9} {:>9} {:>7}", "ns", "vault p50", "p99", "bare p50", "p99", "ratio");
    for (number, example) in examples()?.into_iter().enumerate() {
        // Nonces only rise, over all examples.
        let first = 1_000_000 * u64::try_from(number)?;
        let Row { mut vault_ns, mut bare_ns } = measure(&mut vault, &example, first)?;
        let (vault_p50, bare_p50) = (p(&mut vault_ns, 0.5), p(&mut bare_ns, 0.5));
        println!(
            "{:<48} {vault_p50:>9} {:>9} {bare_p50:>9} {:>9} {:>7}",
            if example.refused.is_some() { format!("{} (refused)", example.what) } else { example.what },
            p(&mut vault_ns, 0.99),
            p(&mut bare_ns, 0.99),
            hundredths(vault_p50, bare_p50),
        );
    }
    println!(
        "\nn = {} a cell, each; bare: k256 sign_prehash_recoverable, ed25519-dalek sign",
        BLOCKS * BLOCK_SIZE
    );
    Ok(())
}

struct Row {
    vault_ns: Histogram<u64>,
    bare_ns: Histogram<u64>,
}

fn measure(vault: &mut InProcess, example: &Example, first: u64) -> Result<Row, Fault> {
    let (mut vault_ns, mut bare_ns) =
        (Histogram::new_with_max(TIME_NS_MAX, 3)?, Histogram::new_with_max(TIME_NS_MAX, 3)?);
    let bare = Bare::new(example)?;
    let expected = example.refused.map_or(0, |refusal| refusal.code());
    let mut asked = 0;
    for block in 0..BLOCKS + WARM_UP / BLOCK_SIZE {
        let is_counted = block >= WARM_UP / BLOCK_SIZE;
        for _ in 0..BLOCK_SIZE {
            asked += 1;
            let (now, body) = request(example, first + asked);
            let took = time(|| _ = black_box(vault.ask(now, &body)));
            let code = vault.last().get(4..6).and_then(|code| code.try_into().ok()).map(u16::from_le_bytes);
            if code != Some(expected) {
                return Err(format!("{}: answered {code:?}", example.what).into());
            }
            if is_counted {
                vault_ns.saturating_record(took);
            }
        }
        for _ in 0..BLOCK_SIZE {
            let took = time(|| bare.sign());
            if is_counted {
                bare_ns.saturating_record(took);
            }
        }
    }
    Ok(Row { vault_ns, bare_ns })
}

/// The body of request number `asked`; a Hyperliquid action has a nonce of its own each time.
fn request(example: &Example, asked: u64) -> (Now, Vec<u8>) {
    let now = Now { monotonic_ms: asked, wall_ms: BOOTED.wall_ms + asked };
    let (key_slot, payload_kind) = (example.slot, example.kind);
    let request =
        Request { key_slot, payload_kind, return_canonical: false, request_id: asked, payload: &[] };
    (now, [&request.header()[..], &example.payload(now.wall_ms)].concat())
}

/// The same key and library without decoding, policy or receipt.
enum Bare {
    Secp256k1(Box<k256::ecdsa::SigningKey>, [u8; 32]),
    Ed25519(Box<ed25519_dalek::SigningKey>, Vec<u8>),
}

impl Bare {
    fn new(example: &Example) -> Result<Self, Fault> {
        let slot = policies::BOOK.slot(example.slot).ok_or("the demo book has no such slot")?;
        let secret = throw_away_bytes(slot.name);
        let payload = example.payload(0);
        if example.kind == PayloadKind::SolanaMessage {
            let key = ed25519_dalek::SigningKey::from_bytes(&secret);
            return Ok(Self::Ed25519(Box::new(key), payload));
        }
        let digest = <sha2::Sha256 as sha2::Digest>::digest(&payload).into();
        Ok(Self::Secp256k1(Box::new(k256::ecdsa::SigningKey::from_slice(&secret[..])?), digest))
    }

    #[expect(clippy::disallowed_methods, reason = "the bare signature that the vault is compared with")]
    fn sign(&self) {
        match self {
            Self::Secp256k1(key, digest) => _ = black_box(key.sign_prehash_recoverable(black_box(digest))),
            Self::Ed25519(key, message) => _ = black_box(key.sign(black_box(message))),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn time<T>(work: impl FnOnce() -> T) -> u64 {
    let start = Instant::now();
    black_box(work());
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

fn p(histogram: &mut Histogram<u64>, quantile: f64) -> u64 {
    histogram.value_at_quantile(quantile)
}

/// `a / b` with two decimals.
fn hundredths(a: u64, b: u64) -> String {
    let hundredths = a.saturating_mul(100).checked_div(b).unwrap_or(0);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}
