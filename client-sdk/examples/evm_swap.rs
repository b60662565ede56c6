//! A swap of 25 USDC for native coin on Base through SwapRouter02: one multicall that swaps into the router and
//! unwraps what it got for the sender.
//!
//! ```text
//! cargo run -p client-sdk --example evm_swap                                   # prints the payload
//! cargo run -p client-sdk --example evm_swap -- unix:/path/of/the/vault.sock HASH bot.key   # the raw transaction
//! ```
//! The demo desk's vault (`policies/book/demo.toml`) signs it: its book grants the swap with `multicall` and `native`
//! and names Base's WETH.

mod desk;

use std::error::Error;
use std::time::{SystemTime, UNIX_EPOCH};

use client_sdk::PayloadKind;
use client_sdk::build::evm::swap::{Amounts, Bound, V3Path, multicall, unwrap_weth, v3_swap};
use client_sdk::build::evm::{Address, Gas, Router, U256, assemble_signed, call, universal_router};

const SWAP_ROUTER_02: Address = address(0x2626664c2603336e57b271c5c0b26f42, 0x1741e481);
const USDC: Address = address(0x833589fcd6edb6e08f4c7c32d4f71b54, 0xbda02913);
const WETH: Address = address(0x42000000000000000000000000000000, 0x00000006);

/// The demo desk's key for EVM chains, and its address.
const SLOT: u16 = 0;
const ACCOUNT: Address = address(0x4a9a1fb490401a4ae65ceb3d3d345bcf, 0xd31220dd);

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    let payload = payload()?;
    if arguments.peek().is_none() {
        println!("{}", hex(&payload));
        return Ok(());
    }
    let mut client = desk::connect(arguments)?;
    let signed = client.sign(SLOT, PayloadKind::EvmEip1559, &payload)?;
    let signature = signed.signature.secp256k1().ok_or("not a signature of this venue")?;
    println!("{}", hex(&assemble_signed(&payload, &signature)?));
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a client has a clock; the vault is told the time")]
fn payload() -> Result<Vec<u8>, Box<dyn Error>> {
    let gas = Gas {
        chain_id: 8453,
        nonce: 7,
        max_priority_fee_per_gas: U256::from(1_000_000),
        max_fee_per_gas: U256::from(20_000_000),
        gas_limit: 260_000,
    };
    let amount_out_min = U256::from(5_000_000_000_000_000_u64);
    let amounts = Amounts::ExactIn { amount_in: U256::from(25_000_000), amount_out_min };
    let path = V3Path { token_in: USDC, pools: vec![(500, WETH)] };
    // The router keeps what is bought until the next call unwraps it.
    let swap = v3_swap(Router::SwapRouter02, &path, &universal_router::ROUTER, &amounts)?;
    let unwrap = unwrap_weth(amount_out_min, &ACCOUNT);
    let deadline_s = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() + 600;
    let data = multicall(Bound::Deadline(deadline_s), &[swap, unwrap]);
    Ok(call(&gas, &SWAP_ROUTER_02, U256::ZERO, &data)?)
}

/// An address from its first sixteen bytes and its last four.
const fn address(head: u128, tail: u32) -> Address {
    let (head, tail) = (head.to_be_bytes(), tail.to_be_bytes());
    let mut address = [0; 20];
    address.split_at_mut(16).0.copy_from_slice(&head);
    address.split_at_mut(16).1.copy_from_slice(&tail);
    address
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::from("0x"), |text, byte| format!("{text}{byte:02x}"))
}
