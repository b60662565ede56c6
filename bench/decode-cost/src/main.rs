//! How many instructions decode and digest take, beside a plain reading of the same bytes.
//!
//! For one payload of every kind in the vectors, one run under valgrind's callgrind counts the
//! vault's decoder (which also computes the digest), the reference, and one step of each hash function. The
//! reference reads the same bytes without checking anything that a lenient reader does not: serde_json into
//! static structs where the payload is JSON, a hand walk where it is RLP, msgpack or a Solana message; to it are
//! added as many permutations of Keccak-f\[1600\] and blocks of SHA-256 as the decoder made. Instructions, unlike times, are the same on a busy machine.
//!
//! `decode-cost [word...]` counts the kinds whose name contains a word (all without one), prints a table, and
//! exits with 1 when a kind takes more than [`RATIO_MAX_PERCENT`] of its reference. `decode-cost --policies` counts
//! the worst decisions instead ([`policy`]).

mod callgrind;
mod payloads;
mod policy;
#[expect(dead_code, reason = "the references read values that nobody looks at")]
mod reference;
mod workload;

use std::process::ExitCode;

use crate::callgrind::Counted;

/// What the decoder may take of its reference, percent.
const RATIO_MAX_PERCENT: u64 = 150;

type Fault = Box<dyn std::error::Error>;

fn main() -> Result<ExitCode, Fault> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, form, path] = &arguments[..]
        && word == "--workload"
    {
        workload::run(form, &std::fs::read(path)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    match &arguments[..] {
        [word, case] if word == "--policy-workload" => {
            return policy::run(case).map(|()| ExitCode::SUCCESS);
        }
        [word] if word == "--policies" => return Ok(ExitCode::from(u8::from(policy::count()? > 0))),
        _ => {}
    }
    let payloads: Vec<_> = payloads::read()?
        .into_iter()
        .filter(|payload| arguments.is_empty() || arguments.iter().any(|word| payload.kind.contains(word)))
        .collect();
    println!(
        "{:<48} {:>6} {:>8} {:>9} {:>8} {:>6} {:>9} {:>6}",
        "instructions", "bytes", "decoder", "reference", "keccak-f", "SHA-256", "together", "ratio"
    );
    let mut above = 0_u32;
    for payload in &payloads {
        let Counted { decoder, walk, keccak, sha256 } = callgrind::count(payload)?;
        let together = walk + keccak.instructions + sha256.instructions;
        let percent = decoder * 100 / together;
        let is_above = percent > RATIO_MAX_PERCENT;
        println!(
            "{:<48} {:>6} {decoder:>8} {walk:>9} {:>8} {:>6} {together:>9} {:>3}.{:02}{}",
            payload.kind,
            payload.bytes.len(),
            keccak.times,
            sha256.times,
            percent / 100,
            percent % 100,
            if is_above { " above" } else { "" }
        );
        above += u32::from(is_above);
    }
    println!(
        "\n{} kinds, {above} above {}.{:02}; together = reference + the hashing",
        payloads.len(),
        RATIO_MAX_PERCENT / 100,
        RATIO_MAX_PERCENT % 100
    );
    Ok(ExitCode::from(u8::from(above > 0 || payloads.is_empty())))
}
