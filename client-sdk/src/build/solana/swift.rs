//! Swift texts.

use venues::solana::rules::Program;
use venues::solana::{IsolatedDeposit, SwiftAccount, SwiftOrder, TriggerOrder};

use super::BuildError;
use super::data::Data;

/// The text that is signed, and the payload of a request (`PayloadKind::SolanaSwift`): the message's bytes in
/// lower-case hexadecimal.
///
/// # Errors
/// [`BuildError::FieldNotInLayout`].
pub fn swift_text(order: &SwiftOrder) -> Result<Vec<u8>, BuildError> {
    const AUTHORITY: [u8; 8] = [0xc8, 0xd5, 0xa6, 0x5e, 0x22, 0x34, 0xf5, 0x5d];
    const DELEGATE: [u8; 8] = [0x42, 0x65, 0x66, 0x38, 0xc7, 0x25, 0x9e, 0x23];
    let params = |data: Data| data.order(Program::DriftV2, &order.order);
    let data = match order.account {
        SwiftAccount::SubAccount(number) => params(Data::of(AUTHORITY))?.bytes(&number.to_le_bytes()),
        SwiftAccount::Taker(key) => params(Data::of(DELEGATE))?.bytes(&key),
    };
    let data = data
        .bytes(&order.slot.to_le_bytes())
        .bytes(&order.uuid)
        .option(order.take_profit.map(trigger))
        .option(order.stop_loss.map(trigger))
        .option(order.max_margin_ratio.map(u16::to_le_bytes))
        .option(order.builder_idx.map(u8::to_le_bytes))
        .option(order.builder_fee_tenth_bps.map(u16::to_le_bytes));
    let Data(message) = match order.isolated_deposit {
        IsolatedDeposit::LeftOut => data,
        IsolatedDeposit::None => data.option::<8>(None),
        IsolatedDeposit::Amount(amount) => data.option(Some(amount.to_le_bytes())),
    };
    Ok(message.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect())
}

fn trigger(order: TriggerOrder) -> [u8; 16] {
    let [p0, p1, p2, p3, p4, p5, p6, p7] = order.trigger_price.to_le_bytes();
    let [b0, b1, b2, b3, b4, b5, b6, b7] = order.base.to_le_bytes();
    [p0, p1, p2, p3, p4, p5, p6, p7, b0, b1, b2, b3, b4, b5, b6, b7]
}

const fn digit(nibble: u8) -> u8 {
    if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 }
}
