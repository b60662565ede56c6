//! Signs a Drift order with the demo desk's development vault (`policies/book/demo.toml`, slot 2), then asks for
//! one that its book refuses.
//!
//! `cargo run -p client-sdk --example drift_order -- unix:/path/of/the/vault.sock HASH bot.key`

mod desk;

use std::error::Error;

use client_sdk::build::solana::{
    AccountMeta, Direction, DriftAccounts, Instruction, MarketKind, OrderParams, OrderType, PostOnly,
    Program, TriggerCondition, key, key_text, legacy_message, payload, signed_transaction,
};
use client_sdk::{PayloadKind, SignError};

const SLOT: u16 = 2;

/// The slot's key: it owns the user account, signs and pays the fee.
const AUTHORITY: &str = "2snfUPCrS5yEmxcrEuXqMnG8MdMWTixEgAN5Be8kQxK3";

/// One SOL, in the perpetuals' base precision of 10^-9.
const ONE_SOL: u64 = 1_000_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut client = desk::connect(std::env::args().skip(1))?;

    let message = message(&order(ONE_SOL))?;
    let signed = client.sign(SLOT, PayloadKind::SolanaMessage, &payload(&message, &[])?)?;
    println!("understood: {}", signed.facts_json().ok_or("facts of a later build")?);
    let signature = signed.signature.ed25519().ok_or("a signature of another scheme")?;
    println!("to send: {} bytes", signed_transaction(&message, &signature).len());

    // Every SOL there is: the book caps the size of one order.
    let huge = payload(&self::message(&order(u64::MAX >> 1))?, &[])?;
    match client.sign(SLOT, PayloadKind::SolanaMessage, &huge) {
        Err(SignError::Refused(refused)) => println!("refused: {refused}"),
        Ok(_) => return Err("a book that caps nothing".into()),
        Err(other) => return Err(other.into()),
    }
    Ok(())
}

/// The accounts of sub-account 0 for an order of SOL-PERP: Drift derives them from the authority, its SDKs tell
/// oracles and markets.
fn accounts() -> Result<DriftAccounts, Box<dyn Error>> {
    let spot_market = key("6gMq3mRCKf8aP3ttTyYhuijVZ2LGi14oDsBbkgubfLB3")?;
    let perp_market = key("8UJgxaiQx5nTrdDgph5FiahMmzduuLTLf5WmsPegYA6W")?;
    Ok(DriftAccounts {
        program: Program::DriftV2,
        state: key("5zpq7DvB6UdFFvpmBPspGPNfUGoBRRCE2HHg5u3gxcsN")?,
        user: key("J4hAQLwpsQ1ssu5Wi1WfDScvNrBiL41wkFdDk8ojCbxX")?,
        user_stats: None,
        authority: key(AUTHORITY)?,
        remaining: vec![
            AccountMeta::readonly(key("3m6i4RFWEDw2Ft4tFHPJtYgmpPe21k56M3FHeWYrgGBz")?),
            AccountMeta::readonly(key("9VCioxmni2gDLv11qufWzT3RDERhQE4iY5Gf7NTfYyAV")?),
            AccountMeta::readonly(spot_market),
            AccountMeta::readonly(perp_market),
        ],
    })
}

/// A limit order for SOL-PERP at 150.
fn order(base: u64) -> OrderParams {
    OrderParams {
        order_type: OrderType::Limit,
        market_kind: MarketKind::Perp,
        direction: Direction::Long,
        user_order_id: 1,
        base,
        price: 150_000_000,
        market_index: 0,
        reduce_only: false,
        post_only: PostOnly::MustPostOnly,
        bit_flags: 0,
        max_ts: None,
        trigger_price: None,
        trigger_condition: TriggerCondition::Above,
        oracle_price_offset: None,
        auction_duration: None,
        auction_start_price: None,
        auction_end_price: None,
        activation_delay_slots: None,
        builder_idx: None,
        builder_fee_tenth_bps: None,
    }
}

/// Cancels what is open in the market and places `order`, in one message.
fn message(order: &OrderParams) -> Result<Vec<u8>, Box<dyn Error>> {
    // A node of the network tells the latest one; a signature is good for about a minute after it.
    let blockhash = [7; 32];
    let accounts = accounts()?;
    println!("for the user account {}", key_text(&accounts.user));
    let instructions = [
        Instruction::compute_unit_limit(200_000),
        Instruction::compute_unit_price(1_000),
        Instruction::cancel_orders(&accounts, Some(MarketKind::Perp), Some(0), None),
        Instruction::place_perp_order(&accounts, order)?,
    ];
    Ok(legacy_message(&accounts.authority, &blockhash, &instructions)?)
}
