//! What the vault's decision costs at worst: decode and approve of the largest payloads by the largest books.
//!
//! A book is as large as the compiler takes it (lists of 2,000 entries, files of 1 MiB, 32 budgets), what the payload
//! names stands last in every list, and the ledgers that an approval looks through are full. One approval is counted
//! under callgrind, without the book's making; signing and sealing are not in it. Each case has a bound in the table
//! of [`CASES`], about a quarter above what was counted; more than that is a failure.

mod books;
mod payloads;

use std::hint::black_box;

use book::Book;
use policies::{Asker, BucketUsage, KeyUsage, Usage, approve};
use venues::hyperliquid::{Form, Scratch};
use venues::{Payload, evm, hyperliquid, polymarket, solana, uniswapx};
use wire::{Now, Why};

use crate::{Fault, callgrind};

/// When books are compiled for, and when payloads are judged.
const BOOTED: Now = Now { monotonic_ms: 0, wall_ms: 1_790_000_000_000 };

/// When the payload is judged that counts: every budget that was used before is full again.
const LATER_MS: u64 = 3_600_000;

/// What is decoded and approved.
#[derive(Clone, Copy)]
enum Kind {
    Evm,
    Hyperliquid,
    Uniswapx,
    Polymarket,
    Solana,
}

type Small = fn(&Book<'_>, u64) -> Result<Vec<u8>, Fault>;

/// One measurement.
struct Case {
    name: &'static str,
    kind: Kind,
    book: fn() -> Result<&'static Book<'static>, Fault>,
    /// The payload that counts.
    largest: fn(&Book<'_>) -> Result<Vec<u8>, Fault>,
    /// What fills the ledgers before: a small payload for each number below this one.
    filled: Option<(Small, u64)>,
    /// Most instructions.
    instructions_max: u64,
}

const CASES: [Case; 6] = [
    Case {
        name: "evm: 16 swaps of 8 pools",
        kind: Kind::Evm,
        book: books::evm,
        largest: payloads::evm,
        filled: Some((payloads::evm_small, 255)),
        instructions_max: 10_500_000,
    },
    Case {
        name: "uniswapx: V3 order of 16 outputs",
        kind: Kind::Uniswapx,
        book: books::uniswapx,
        largest: payloads::uniswapx,
        filled: Some((payloads::uniswapx_small, 1_023)),
        instructions_max: 2_500_000,
    },
    Case {
        name: "polymarket: order of a deposit wallet",
        kind: Kind::Polymarket,
        book: books::polymarket,
        largest: payloads::polymarket,
        filled: Some((payloads::polymarket_small, 1_023)),
        instructions_max: 1_000_000,
    },
    Case {
        name: "hyperliquid: 70 orders on 16 assets",
        kind: Kind::Hyperliquid,
        book: books::hyperliquid,
        largest: payloads::hyperliquid_orders,
        filled: Some((payloads::hyperliquid_small, payloads::MARKETS)),
        instructions_max: 17_500_000,
    },
    Case {
        name: "hyperliquid: 512 cancels",
        kind: Kind::Hyperliquid,
        book: books::hyperliquid,
        largest: payloads::hyperliquid_cancels,
        filled: Some((payloads::hyperliquid_small, payloads::MARKETS)),
        instructions_max: 3_300_000,
    },
    Case {
        name: "solana: all orders of a message",
        kind: Kind::Solana,
        book: books::solana,
        largest: payloads::solana,
        filled: None,
        instructions_max: 850_000,
    },
];

/// Counts every case and prints the table; gives how many are above their bound.
///
/// # Errors
/// Without valgrind; when a case is not approved.
pub(crate) fn count() -> Result<u32, Fault> {
    println!("{:<40} {:>6} {:>12} {:>12}", "decode and approve", "bytes", "instructions", "at most");
    let mut above = 0;
    for case in &CASES {
        let size = (case.largest)((case.book)()?).map_err(|fault| format!("{}: {fault}", case.name))?.len();
        let profile = callgrind::profile(&["--policy-workload", case.name].map(std::ffi::OsStr::new))?;
        let instructions = profile.of("workload_decision", 1)?;
        let is_above = instructions > case.instructions_max;
        let told = if is_above { " above" } else { "" };
        println!("{:<40} {size:>6} {instructions:>12} {:>12}{told}", case.name, case.instructions_max);
        above += u32::from(is_above);
    }
    println!("\n{} cases, {above} above their bound", CASES.len());
    Ok(above)
}

/// What runs under callgrind: fills the ledgers, then decides once.
///
/// # Errors
/// When a payload is refused: its instructions would say nothing.
pub(crate) fn run(name: &str) -> Result<(), Fault> {
    let case = CASES.iter().find(|case| case.name == name).ok_or("no such case")?;
    let book = (case.book)()?;
    let keys = vec![KeyUsage::EMPTY; book.slots.len()];
    let mut desk = Desk {
        book,
        usage: Usage::at_boot(keys, vec![BucketUsage::EMPTY; book.buckets.len()], BOOTED),
        scratch: Box::new(Scratch::new()),
    };
    let filled = case.filled.iter().flat_map(|(small, count)| (0..*count).map(move |number| (small, number)));
    for (small, number) in filled {
        let payload = small(book, number)?;
        let now = at(LATER_MS - 30_000 + number);
        desk.decide(case.kind, &payload, now).map_err(|why| format!("{name}, filling: {why:?}"))?;
    }
    let payload = (case.largest)(book)?;
    workload_decision(&mut desk, black_box(case.kind), black_box(&payload))
        .map_err(|why| format!("{name}: {why:?}").into())
}

fn at(monotonic_ms: u64) -> Now {
    Now { monotonic_ms, wall_ms: BOOTED.wall_ms + monotonic_ms }
}

/// A book and what was used of it.
struct Desk {
    book: &'static Book<'static>,
    usage: Usage<Vec<KeyUsage>, Vec<BucketUsage>>,
    scratch: Box<Scratch>,
}

#[inline(never)]
fn workload_decision(desk: &mut Desk, kind: Kind, payload: &[u8]) -> Result<(), Why> {
    desk.decide(kind, payload, at(LATER_MS))
}

impl Desk {
    fn decide(&mut self, kind: Kind, payload: &[u8], now: Now) -> Result<(), Why> {
        let Self { book, usage, scratch } = self;
        match kind {
            Kind::Evm => approved(evm::decode(payload), book, usage, now),
            Kind::Uniswapx => approved(uniswapx::decode(payload), book, usage, now),
            Kind::Polymarket => approved(polymarket::decode(payload), book, usage, now),
            Kind::Hyperliquid => {
                approved(hyperliquid::decode(Form::L1Json, payload, scratch), book, usage, now)
            }
            Kind::Solana => approved(solana::decode(payload), book, usage, now),
        }
    }
}

fn approved<P: Payload>(
    decoded: Result<P, Why>,
    book: &Book<'_>,
    usage: &mut Usage<Vec<KeyUsage>, Vec<BucketUsage>>,
    now: Now,
) -> Result<(), Why> {
    let asker = Asker { client: 0, party: 0, key_slot: 0 };
    approve(decoded?, book, asker, usage, now).map(drop).map_err(|(_, why)| why)
}
