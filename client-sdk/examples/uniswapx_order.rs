//! Signs a UniswapX V2 order with the demo desk's vault (`policies/book/demo.toml`): 100 USDC for WETH on Ethereum,
//! to the key's own address.
//!
//! ```text
//! cargo run -p client-sdk --example uniswapx_order -- unix:/path/of/the/vault.sock HASH bot.key
//! ```
//! It prints the order and the signature as Permit2 takes it. An order server wants the same order ABI-encoded; the
//! venue's own SDK encodes it, this one does not yet.

mod desk;

use std::time::{SystemTime, UNIX_EPOCH};

use client_sdk::build::uniswapx::{DutchOutput, OrderInfo, PERMIT2, Permit2, Uint, V2DutchOrder};
use client_sdk::{PayloadKind, SignError};

/// The demo desk's key for UniswapX, and its address.
const SLOT: u16 = 3;
const OWN: &str = "88eb192550ebecd4d225d9976b0a5bad35c6ff7f";

const USDC: &str = "a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const WETH: &str = "c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
/// UniswapX's V2 reactor on Ethereum, and who cosigns for Uniswap's own order server.
const REACTOR: &str = "00000011f84b9aa48e5f8aa8b9897600006289be";
const COSIGNER: &str = "4449cd34d1eb1fedcf02a1be3834ffde8e6a6180";

#[expect(clippy::disallowed_methods, reason = "a client has a clock; the vault is told the time")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let own = address(OWN)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    // Another one for each order, as Permit2 keeps them: a number of one's own, here the time.
    let nonce = Uint::from(now.as_millis());
    let deadline = now.as_secs() + 600;
    let order = V2DutchOrder {
        info: OrderInfo::plain(address(REACTOR)?, own, nonce, deadline),
        cosigner: address(COSIGNER)?,
        input_token: address(USDC)?,
        input_start_amount: Uint::from(100_000_000),
        input_end_amount: Uint::from(100_000_000),
        outputs: vec![DutchOutput {
            token: address(WETH)?,
            start_amount: Uint::from(25_000_000_000_000_000_u64),
            // The book's ratio is held against this: the least that the order can bring.
            end_amount: Uint::from(24_800_000_000_000_000_u64),
            recipient: own,
        }],
    };
    let request = Permit2 { chain_id: 1, contract: PERMIT2 }.order(&order.into())?;
    let mut client = desk::connect(std::env::args().skip(1))?;
    match client.sign(SLOT, PayloadKind::UniswapxTypedData, &request.payload) {
        Ok(signed) => {
            println!("order     {}", String::from_utf8_lossy(&request.payload));
            let digits =
                signed.signature.to_vec().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            println!("signature 0x{digits}");
        }
        Err(SignError::Refused(refused)) => return Err(format!("refused: {refused}").into()),
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

fn address(digits: &str) -> Result<[u8; 20], Box<dyn std::error::Error>> {
    let mut address = [0; 20];
    if digits.len() != 40 || !digits.is_ascii() {
        return Err(format!("{digits} is not 40 hexadecimal digits").into());
    }
    for (byte, at) in address.iter_mut().zip((0..40).step_by(2)) {
        *byte = u8::from_str_radix(digits.get(at..at + 2).unwrap_or_default(), 16)?;
    }
    Ok(address)
}
