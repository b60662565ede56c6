//! The largest payloads that the decoders take, naming what stands last in the books.

use book::Book;
use client_sdk::build::evm::swap::{Amounts, V3Path};
use client_sdk::build::evm::universal_router::{self, Command, Inputs, SENDER};
use client_sdk::build::evm::{self, Gas};
use client_sdk::build::polymarket::{self, Exchange, Order, Side, SignatureType, Terms};
use client_sdk::build::solana::{self, AccountMeta, DriftAccounts, Instruction, Replaced};
use client_sdk::build::uniswapx::{Curve, OrderInfo, PERMIT2, Permit2, V3DutchOrder, V3DutchOutput};
use compile::LIST_LEN_MAX;
use venues::hyperliquid::rules::Network;
use venues::hyperliquid::{CANCELS_LEN_MAX, Claims, ENVELOPE_SIZE_MAX, Envelope, ORDERS_LEN_MAX};
use venues::solana::rules::{MarketKind, MarketLimits};
use venues::solana::{Direction, ModifyOrderParams, OrderParams, OrderType, PostOnly, TriggerCondition};
use venues::{PublicKey, U256};

use super::{LATER_MS, at, books};
use crate::Fault;

/// More than any of the ledgers was filled with.
const NUMBER: u64 = 9_999;

/// How many markets a budget tells apart.
pub(super) const MARKETS: u64 = 256;

pub(super) fn evm(_: &Book<'_>) -> Result<Vec<u8>, Fault> {
    let between = books::last(0x13);
    let fee = u32::try_from(LIST_LEN_MAX)?;
    let mut pools = vec![(fee, between); venues::evm::HOPS_MAX - 1];
    pools.push((fee, books::last(0x11)));
    let swap = Command::V3Swap {
        path: V3Path { token_in: books::last(0x10), pools },
        recipient: SENDER,
        amounts: Amounts::ExactIn { amount_in: U256::from(1_000), amount_out_min: U256::from(1) },
        payer_is_user: true,
    };
    evm_of(NUMBER, &vec![swap; venues::evm::STEPS_MAX])
}

pub(super) fn evm_small(_: &Book<'_>, number: u64) -> Result<Vec<u8>, Fault> {
    let swap = Command::V3Swap {
        path: V3Path { token_in: books::address(0x10, 0), pools: vec![(1, books::address(0x11, 0))] },
        recipient: SENDER,
        amounts: Amounts::ExactIn { amount_in: U256::from(1), amount_out_min: U256::from(1) },
        payer_is_user: true,
    };
    evm_of(number, &[swap])
}

fn evm_of(nonce: u64, commands: &[Command]) -> Result<Vec<u8>, Fault> {
    let gas = Gas {
        chain_id: 1,
        nonce,
        max_priority_fee_per_gas: U256::from(1),
        max_fee_per_gas: U256::from(2),
        gas_limit: 10_000_000,
    };
    let data = universal_router::execute(Inputs::Plain, commands, None)?;
    Ok(evm::call(&gas, &books::address(0x14, 0), U256::ZERO, &data)?)
}

pub(super) fn uniswapx(book: &Book<'_>) -> Result<Vec<u8>, Fault> {
    let curve = |points: u16| Curve { points: (1..=points).map(|block| (block, -1)).collect() };
    let output = |recipient, points| V3DutchOutput {
        token: books::last(0x11),
        start_amount: U256::from(1_000_000),
        curve: curve(points),
        recipient,
        min_amount: U256::from(1_000),
        adjustment_per_gwei_base_fee: U256::from(1),
    };
    // The own output is the last one; the others share as many points as fit a request.
    let mut outputs = vec![output(books::last(0x16), 16); venues::uniswapx::OUTPUTS_MAX - 1];
    outputs.push(output(account(book)?, 16));
    uniswapx_of(book, NUMBER, books::last(0x10), curve(16), outputs)
}

pub(super) fn uniswapx_small(book: &Book<'_>, number: u64) -> Result<Vec<u8>, Fault> {
    let output = V3DutchOutput {
        token: books::address(0x11, 0),
        start_amount: U256::from(1_000),
        curve: Curve::default(),
        recipient: account(book)?,
        min_amount: U256::from(1_000),
        adjustment_per_gwei_base_fee: U256::ZERO,
    };
    uniswapx_of(book, number, books::address(0x10, 0), Curve::default(), vec![output])
}

fn uniswapx_of(
    book: &Book<'_>,
    nonce: u64,
    input_token: [u8; 20],
    input_curve: Curve,
    outputs: Vec<V3DutchOutput>,
) -> Result<Vec<u8>, Fault> {
    let deadline = at(LATER_MS).wall_ms / 1_000 + 600;
    let order = V3DutchOrder {
        info: OrderInfo::plain(books::last(0x14), account(book)?, U256::from(nonce), deadline),
        cosigner: books::last(0x15),
        starting_base_fee: U256::from(1),
        input_token,
        input_start_amount: U256::from(1_000),
        input_curve,
        input_max_amount: U256::from(1_000),
        input_adjustment_per_gwei_base_fee: U256::ZERO,
        outputs,
    };
    Ok(Permit2 { chain_id: 1, contract: PERMIT2 }.order(&order.into())?.payload)
}

pub(super) fn polymarket(_: &Book<'_>) -> Result<Vec<u8>, Fault> {
    polymarket_of(NUMBER, LIST_LEN_MAX)
}

pub(super) fn polymarket_small(_: &Book<'_>, number: u64) -> Result<Vec<u8>, Fault> {
    polymarket_of(number, 1 + usize::try_from(number % MARKETS)?)
}

fn polymarket_of(salt: u64, token_id: usize) -> Result<Vec<u8>, Fault> {
    let maker = books::last(0x14);
    let order = Order {
        deployment: polymarket::deployment(Exchange::V2, 137).ok_or("no exchange")?,
        salt: U256::from(salt),
        maker,
        signer: maker,
        token_id: U256::from(token_id),
        maker_amount: U256::from(50_000_u64),
        taker_amount: U256::from(100_000_u64),
        side: Side::Buy,
        signature_type: SignatureType::Poly1271,
        terms: Terms::V2 {
            timestamp: U256::from(at(LATER_MS).wall_ms),
            metadata: books::word(0x16, LIST_LEN_MAX - 1),
            builder: books::word(0x15, LIST_LEN_MAX - 1),
        },
        wallet: Some(maker),
    };
    Ok(polymarket::order(&order)?.payload)
}

pub(super) fn hyperliquid_orders(_: &Book<'_>) -> Result<Vec<u8>, Fault> {
    let markets = LIST_LEN_MAX - venues::exposure::EXPOSURES_MAX..LIST_LEN_MAX;
    let order = |asset| {
        format!(
            r#"{{"a":{asset},"b":false,"p":"2.3456","s":"1.12345678","r":false,"t":{{"trigger":{{"isMarket":true,"triggerPx":"2.3456","tpsl":"tp"}}}},"c":"0x{asset:032x}"}}"#
        )
    };
    let orders: Vec<String> = markets.cycle().take(ORDERS_LEN_MAX).map(order).collect();
    hyperliquid_of(
        NUMBER,
        &format!(r#"{{"type":"order","orders":[{}],"grouping":"positionTpsl"}}"#, orders.join(",")),
    )
}

pub(super) fn hyperliquid_cancels(_: &Book<'_>) -> Result<Vec<u8>, Fault> {
    let cancel = format!(r#"{{"a":{},"o":123456789012}}"#, 5_000 + LIST_LEN_MAX - 1);
    let cancels = vec![cancel; CANCELS_LEN_MAX].join(",");
    hyperliquid_of(NUMBER, &format!(r#"{{"type":"cancel","cancels":[{cancels}]}}"#))
}

/// Orders on a market of its own, the last of which have one only: these stand at the end of the tables of markets, and
/// alone are full again when the largest payload looks for room.
pub(super) fn hyperliquid_small(_: &Book<'_>, number: u64) -> Result<Vec<u8>, Fault> {
    let is_full_again = number >= MARKETS - u64::try_from(venues::exposure::EXPOSURES_MAX)?;
    let order =
        format!(r#"{{"a":{number},"b":true,"p":"2","s":"1","r":false,"t":{{"limit":{{"tif":"Ioc"}}}}}}"#);
    let orders = vec![order; if is_full_again { 1 } else { ORDERS_LEN_MAX }].join(",");
    hyperliquid_of(number, &format!(r#"{{"type":"order","orders":[{orders}],"grouping":"na"}}"#))
}

fn hyperliquid_of(number: u64, action: &str) -> Result<Vec<u8>, Fault> {
    let nonce = at(LATER_MS).wall_ms + number;
    let envelope = Envelope { network: Network::Mainnet, nonce, vault_address: None, expires_after: None };
    let mut payload = vec![0; ENVELOPE_SIZE_MAX];
    let size = envelope.write(&Claims::default(), &mut payload).ok_or("an envelope beyond its size")?;
    payload.truncate(size);
    payload.extend_from_slice(action.as_bytes());
    Ok(payload)
}

fn account(book: &Book<'_>) -> Result<[u8; 20], Fault> {
    match book.slots.first().map(|slot| slot.public_key) {
        Some(PublicKey::Secp256k1 { address, .. }) => Ok(address),
        _ => Err("no secp256k1 key".into()),
    }
}

/// Both modifications, each held to every market, and as many orders as fit the message, each on the last market.
pub(super) fn solana(book: &Book<'_>) -> Result<Vec<u8>, Fault> {
    longest(book, |accounts, market, orders| {
        let order = OrderParams { market_index: market.index, ..ORDER };
        Ok(vec![
            Instruction::modify_order(accounts, Replaced::OrderId(1), &MODIFICATION)?,
            Instruction::modify_order(accounts, Replaced::UserOrderId(1), &MODIFICATION)?,
            Instruction::place_orders(accounts, &vec![order; orders])?,
        ])
    })
}

const ORDER: OrderParams = OrderParams {
    order_type: OrderType::Limit,
    market_kind: MarketKind::Perp,
    direction: Direction::Long,
    user_order_id: 0,
    base: 1_000_000_000,
    price: 2_000_000,
    market_index: 0,
    reduce_only: false,
    post_only: PostOnly::None,
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
};

const MODIFICATION: ModifyOrderParams = ModifyOrderParams {
    direction: None,
    base: Some(1_000_000),
    price: Some(2_000_000),
    reduce_only: None,
    post_only: None,
    bit_flags: None,
    max_ts: None,
    trigger_price: Some(3_000_000),
    trigger_condition: None,
    oracle_price_offset: None,
    auction_duration: None,
    auction_start_price: None,
    auction_end_price: None,
    policy: None,
};

/// The message with the most orders that the decoder takes.
fn longest(
    book: &Book<'_>,
    instructions: impl Fn(&DriftAccounts, &MarketLimits, usize) -> Result<Vec<Instruction>, Fault>,
) -> Result<Vec<u8>, Fault> {
    let slot = book.slots.first().ok_or("no slot")?;
    let PublicKey::Ed25519 { key: authority } = slot.public_key else { return Err("no Ed25519 key".into()) };
    let program = slot.grants.solana.and_then(|limits| limits.programs.first()).ok_or("no program")?;
    let (user, market) = program.users.last().zip(program.markets.last()).ok_or("no market")?;
    let accounts = DriftAccounts {
        program: program.program,
        state: program.state,
        user: user.user,
        user_stats: Some(user.user_stats),
        authority,
        remaining: vec![AccountMeta { key: market.account, is_signer: false, is_writable: true }],
    };
    let payload = |count| -> Result<Vec<u8>, Fault> {
        let message = solana::legacy_message(&authority, &[7; 32], &instructions(&accounts, market, count)?)?;
        Ok(solana::payload(&message, &[])?)
    };
    let fits = |payload: &Vec<u8>| venues::solana::decode(payload).is_ok();
    let longest = (1..64).map_while(|count| payload(count).ok().filter(fits)).last();
    longest.ok_or_else(|| "not even one fits".into())
}
