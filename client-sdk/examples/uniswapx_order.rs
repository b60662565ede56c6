//! Signs a UniswapX V2 order: 100 USDC for WETH on Ethereum, to the slot's own address.
//!
//! `cargo run --example uniswapx_order -- unix:/run/portcullis/bots.sock SLOT OWN_ADDRESS NONCE DEADLINE`
//!
//! What comes back is what an order server or a filler takes: the order's text and the signature over it.

use client_sdk::build::uniswapx::{DutchOutput, OrderInfo, PERMIT2, Permit2, Uint, V2DutchOrder};
use client_sdk::{Client, Config, PayloadKind, SignError};

const USDC: &str = "a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const WETH: &str = "c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
/// UniswapX's V2 reactor on Ethereum, and who cosigns for Uniswap's own order server.
const REACTOR: &str = "00000011f84b9aa48e5f8aa8b9897600006289be";
const COSIGNER: &str = "4449cd34d1eb1fedcf02a1be3834ffde8e6a6180";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [vault, slot, own, nonce, deadline] = arguments.as_slice() else {
        return Err("usage: uniswapx_order VAULT SLOT OWN_ADDRESS NONCE DEADLINE".into());
    };
    let own = address(own.strip_prefix("0x").unwrap_or(own))?;
    let nonce = nonce.parse().map_err(|_| "the nonce is not a 256-bit number")?;
    let order = V2DutchOrder {
        info: OrderInfo::plain(address(REACTOR)?, own, nonce, deadline.parse()?),
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
    let mut client = Client::connect(vault.parse()?, Config::default())?;
    match client.sign(slot.parse()?, PayloadKind::UniswapxTypedData, &request.payload) {
        Ok(signed) => {
            println!("order     {}", String::from_utf8_lossy(&request.payload));
            println!("signature {:02x?}", signed.signature.to_vec());
        }
        Err(SignError::Refused(refused)) => eprintln!("{refused}"),
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
