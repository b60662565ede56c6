//! What callgrind watches: four functions that are called [`CALLS`] times each.

use std::hint::black_box;

use keccak::Keccak;
use venues::hyperliquid::{Form, Scratch};
use venues::{evm, hyperliquid, polymarket, solana, uniswapx};

use crate::{Fault, reference};

/// Calls of each function.
pub(crate) const CALLS: u64 = 10;

/// Runs the four functions over a payload.
///
/// # Errors
/// When decoder or reference refuse the payload: their instructions would say nothing.
pub(crate) fn run(form: &str, payload: &[u8]) -> Result<(), Fault> {
    let mut scratch = Box::new(Scratch::new());
    let (mut state, mut sha256) = ([0; 25], [0; 8]);
    for _ in 0..CALLS {
        if !workload_decoder(black_box(form), black_box(payload), &mut scratch) {
            return Err("the decoder refuses the payload".into());
        }
        if !workload_reference(black_box(form), black_box(payload)) {
            return Err("the reference cannot read the payload".into());
        }
        workload_permutation(black_box(&mut state));
        workload_compression(black_box(&mut sha256));
    }
    Ok(())
}

#[inline(never)]
fn workload_decoder(form: &str, payload: &[u8], scratch: &mut Scratch) -> bool {
    match form {
        "evm" => black_box(evm::decode(payload)).is_ok(),
        "hyperliquid_msgpack" => black_box(hyperliquid::decode(Form::L1Msgpack, payload, scratch)).is_ok(),
        "hyperliquid_json" => black_box(hyperliquid::decode(Form::L1Json, payload, scratch)).is_ok(),
        "hyperliquid_user" => black_box(hyperliquid::decode(Form::UserJson, payload, scratch)).is_ok(),
        "solana" => black_box(solana::decode(payload)).is_ok(),
        _ if form.starts_with("uniswapx ") => black_box(uniswapx::decode(payload)).is_ok(),
        _ if form.starts_with("polymarket ") => black_box(polymarket::decode(payload)).is_ok(),
        _ => false,
    }
}

#[inline(never)]
fn workload_reference(form: &str, payload: &[u8]) -> bool {
    match form {
        "evm" => black_box(reference::evm::walk(payload)).is_some(),
        "hyperliquid_msgpack" => black_box(reference::msgpack::walk(payload)).is_some(),
        "hyperliquid_json" => black_box(reference::hyperliquid::l1(payload)).is_some(),
        "hyperliquid_user" => black_box(reference::hyperliquid::user_signed(payload)).is_some(),
        "solana" => black_box(reference::solana::walk(payload)).is_some(),
        _ => match form.split_once(' ') {
            Some((_, kind)) => black_box(reference::typed_data::read(kind, payload)).is_some(),
            None => false,
        },
    }
}

/// SHA-256 of one block.
#[inline(never)]
fn workload_compression(state: &mut [u32; 8]) {
    sha2::block_api::compress256(state, &[[0; 64]]);
}

/// Keccak-f\[1600\].
#[inline(never)]
fn workload_permutation(state: &mut [u64; 25]) {
    Keccak::new().with_f1600(|f1600| f1600(state));
}
