//! Signs a Polymarket limit order with the demo desk's vault (`policies/book/demo.toml`) and prints the signature as
//! the order book takes it.
//!
//! ```text
//! cargo run -p client-sdk --example polymarket_order -- unix:/path/of/the/vault.sock HASH bot.key
//! ```

mod desk;

use std::error::Error;
use std::time::{SystemTime, UNIX_EPOCH};

use client_sdk::build::polymarket::{
    Exchange, Order, Side, SignatureType, Terms, Tick, U256, deployment, limit_amounts, order,
};
use client_sdk::{PayloadKind, SignError};

/// The demo desk's key for Polymarket, its address, and the outcome that it trades.
const SLOT: u16 = 4;
const OWN: &str = "0xa3d4a090bb9653bcbd67cb1f1593c66657d8e1fb";
const TOKEN_ID: &str = "72506127891654209647791846342936290616491981394235405275532883418515855750165";

#[expect(clippy::disallowed_methods, reason = "a client has a clock; the vault is told the time")]
fn main() -> Result<(), Box<dyn Error>> {
    let maker = address(OWN).ok_or("not 0x and 40 digits")?;
    let now_ms = u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis())?;

    // BUY 10 shares at 0.42.
    let amounts = limit_amounts(Side::Buy, 420_000, 10_000_000, Tick::Cent)?;
    let request = order(&Order {
        deployment: deployment(Exchange::V2, 137).ok_or("no such exchange")?,
        // Below 2^53, and another one for each order: the vault signs a salt once.
        salt: U256::from(now_ms),
        maker,
        signer: maker,
        token_id: TOKEN_ID.parse().map_err(|_| "TOKEN_ID is not a number")?,
        maker_amount: U256::from(amounts.maker),
        taker_amount: U256::from(amounts.taker),
        side: Side::Buy,
        signature_type: SignatureType::Eoa,
        terms: Terms::V2 { timestamp: U256::from(now_ms), metadata: [0; 32], builder: [0; 32] },
        wallet: None,
    })?;

    let mut client = desk::connect(std::env::args().skip(1))?;
    match client.sign(SLOT, PayloadKind::PolymarketTypedData, &request.payload) {
        Ok(signed) => {
            let signature = signed.signature.secp256k1().ok_or("not an ECDSA signature")?;
            let wire = request.wire_signature(&signature)?;
            println!("signature 0x{}", wire.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
            println!("the vault saw {}", signed.facts_json().unwrap_or_default());
        }
        Err(SignError::Refused(refused)) => return Err(format!("refused: {refused}").into()),
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

fn address(text: &str) -> Option<[u8; 20]> {
    let digits = text.strip_prefix("0x").filter(|digits| digits.len() == 40 && digits.is_ascii())?;
    let mut address = [0; 20];
    for (at, byte) in address.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(address)
}
