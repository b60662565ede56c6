//! A limit order for Hyperliquid, signed by the demo desk's vault (`policies/book/demo.toml`): prints the body to
//! post, or why there is none.
//!
//! ```text
//! cargo run -p client-sdk --example hyperliquid_order -- unix:/path/of/the/vault.sock HASH bot.key
//! ```

mod desk;

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use client_sdk::SignError;
use client_sdk::build::hyperliquid::{
    Decimal, Envelope, Grouping, Network, Order, OrderKind, TimeInForce, orders,
};

/// The demo desk's key for Hyperliquid.
const SLOT: u16 = 1;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("hyperliquid_order: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut client = desk::connect(std::env::args().skip(1))?;

    let envelope = Envelope {
        network: Network::Mainnet,
        nonce: u64::try_from(now()?)?,
        vault_address: None,
        expires_after: None,
    };
    let order = Order {
        asset: 0,
        is_buy: true,
        price: Decimal::new("60000")?,
        size: Decimal::new("0.001")?,
        reduce_only: false,
        kind: OrderKind::Limit { tif: TimeInForce::Alo },
        cloid: None,
    };
    let request = orders(&envelope, &[order], Grouping::Na, None)?;
    match client.sign(SLOT, request.payload_kind, &request.payload) {
        Ok(signed) => {
            let signature = signed.signature.secp256k1().ok_or("the slot holds no key for Hyperliquid")?;
            println!("{}", request.exchange_body(&signature)?);
            Ok(())
        }
        // The policy said no: the rule, what it saw and the limit.
        Err(SignError::Refused(refused)) => Err(format!("refused: {refused}").into()),
        Err(error) => Err(error.into()),
    }
}

/// Milliseconds since the Unix epoch.
#[expect(clippy::disallowed_methods, reason = "a bot takes its nonce from the clock")]
fn now() -> Result<u128, std::time::SystemTimeError> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis())
}
