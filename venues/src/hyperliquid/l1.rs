//! The one decoder of L1 actions: strict msgpack in, checked content out.
//!
//! ```text
//! order, modify, batchModify, twapOrder: see [`super::order`]
//! cancel                {type, cancels: [{a, o}], [f]}
//! cancelByCloid         {type, cancels: [{asset, cloid}], [f]}
//! twapCancel            {type, a, t}
//! scheduleCancel        {type, [time]}
//! updateLeverage        {type, asset, isCross, leverage}
//! updateIsolatedMargin  {type, asset, isBuy, ntli}
//! vaultTransfer         {type, vaultAddress, isDeposit, usd}
//! ```
//! Members stand in this order and no other (they are hashed as they stand); those in brackets are absent when
//! there is nothing to say, never nil and never false. Follows the exchange endpoint's documentation and, for
//! the order of members, the exchange's own Python SDK.

use wire::{Refusal, Shown, Why};

use super::action::{
    Cancel, CancelBatch, CancelByCloid, Content, ScheduleCancel, TwapCancel, UpdateIsolatedMargin,
    UpdateLeverage, VaultTransfer,
};
use super::list::{Element, List};
use super::msgpack::{Members, Reader};
use super::{hexadecimal, order};

// The receipt tells every element of a list. So that one whose facts do not fit it is refused here, before a nonce is
// used up for it, each list ends where the largest facts of its elements would: an order with all it can have takes 169
// bytes of the receipt's 12 KiB, a modification 206, a cancel 22, one by cloid 48.

/// Most orders in one action.
pub const ORDERS_LEN_MAX: usize = 70;

/// Most modifications in one action.
pub const MODIFIES_LEN_MAX: usize = 58;

/// Most cancels by order id in one action.
pub const CANCELS_LEN_MAX: usize = 512;

/// Most cancels by client order id in one action.
pub const CLOID_CANCELS_LEN_MAX: usize = 250;

pub(crate) const CANCEL_ACTION: Members = Members { names: &["type", "cancels", "f"], required: 2 };
pub(crate) const CANCEL: Members = Members { names: &["a", "o"], required: 2 };
pub(crate) const CLOID_CANCEL: Members = Members { names: &["asset", "cloid"], required: 2 };
pub(crate) const LEVERAGE_ACTION: Members =
    Members { names: &["type", "asset", "isCross", "leverage"], required: 4 };
pub(crate) const MARGIN_ACTION: Members = Members { names: &["type", "asset", "isBuy", "ntli"], required: 4 };
pub(crate) const SCHEDULE_ACTION: Members = Members { names: &["type", "time"], required: 1 };
pub(crate) const TWAP_CANCEL_ACTION: Members = Members { names: &["type", "a", "t"], required: 3 };
pub(crate) const VAULT_ACTION: Members =
    Members { names: &["type", "vaultAddress", "isDeposit", "usd"], required: 4 };

/// Reads an action from its first to its last byte.
pub(crate) fn read_action(msgpack: &[u8]) -> Result<Content<'_>, Why> {
    let reader = &mut Reader::new(msgpack);
    // The type is the first member of every action, so it is known before anything else is judged.
    let len = reader.map()?;
    if len == 0 {
        return Err(Refusal::FieldMissing.into());
    }
    if reader.text()? != "type" {
        return Err(Refusal::MsgpackNotCanonical.into());
    }
    let content = match reader.text()? {
        "order" => Content::Order(order::read_order_action(reader, len)?),
        "modify" => Content::Modify(order::read_modify_action(reader, len)?),
        "batchModify" => Content::BatchModify(order::read_batch_modify_action(reader, len)?),
        "twapOrder" => Content::TwapOrder(order::read_twap_action(reader, len)?),
        "cancel" => Content::Cancel(read_cancel_action(reader, len)?),
        "cancelByCloid" => Content::CancelByCloid(read_cancel_action(reader, len)?),
        "twapCancel" => Content::TwapCancel(read_twap_cancel_action(reader, len)?),
        "scheduleCancel" => Content::ScheduleCancel(read_schedule_action(reader, len)?),
        "updateLeverage" => Content::UpdateLeverage(read_leverage_action(reader, len)?),
        "updateIsolatedMargin" => Content::UpdateIsolatedMargin(read_margin_action(reader, len)?),
        "vaultTransfer" => Content::VaultTransfer(read_vault_action(reader, len)?),
        _ => return Err(Refusal::ActionNotSupported.into()),
    };
    reader.end()?;
    Ok(content)
}

fn read_cancel_action<'s, T: Element<'s>>(
    reader: &mut Reader<'s>,
    len: usize,
) -> Result<CancelBatch<'s, T>, Why> {
    let Members { names, .. } = CANCEL_ACTION;
    CANCEL_ACTION.check(len)?;
    reader.key(names, 1)?;
    let cancels = read_list(reader, |_, _: &T| {})?;
    let fast = len == names.len();
    if fast {
        reader.key(names, 2)?;
        // A cancel that is not fast has no such member.
        if !reader.flag()? {
            return Err(Refusal::MsgpackNotCanonical.into());
        }
    }
    Ok(CancelBatch { cancels, fast })
}

impl<'s> Element<'s> for Cancel {
    const LEN_MAX: usize = CANCELS_LEN_MAX;

    fn read(reader: &mut Reader<'s>) -> Result<Self, Why> {
        reader.members(&CANCEL)?;
        reader.key(CANCEL.names, 0)?;
        let asset = reader.uint32()?;
        reader.key(CANCEL.names, 1)?;
        let oid = reader.uint()?;
        Ok(Self { asset, oid })
    }
}

impl<'s> Element<'s> for CancelByCloid<'s> {
    const LEN_MAX: usize = CLOID_CANCELS_LEN_MAX;

    fn read(reader: &mut Reader<'s>) -> Result<Self, Why> {
        reader.members(&CLOID_CANCEL)?;
        reader.key(CLOID_CANCEL.names, 0)?;
        let asset = reader.uint32()?;
        reader.key(CLOID_CANCEL.names, 1)?;
        let cloid = hexadecimal::cloid(reader.text()?)?;
        Ok(Self { asset, cloid })
    }
}

fn read_leverage_action(reader: &mut Reader<'_>, len: usize) -> Result<UpdateLeverage, Why> {
    let Members { names, .. } = LEVERAGE_ACTION;
    LEVERAGE_ACTION.check(len)?;
    reader.key(names, 1)?;
    let asset = reader.uint32()?;
    reader.key(names, 2)?;
    let is_cross = reader.flag()?;
    reader.key(names, 3)?;
    let leverage = reader.uint32()?;
    if leverage == 0 {
        return Err(Why::new(Refusal::NumberOutOfRange).observed(Shown::uint(0)));
    }
    Ok(UpdateLeverage { asset, is_cross, leverage })
}

fn read_margin_action(reader: &mut Reader<'_>, len: usize) -> Result<UpdateIsolatedMargin, Why> {
    let Members { names, .. } = MARGIN_ACTION;
    MARGIN_ACTION.check(len)?;
    reader.key(names, 1)?;
    let asset = reader.uint32()?;
    reader.key(names, 2)?;
    let is_buy = reader.flag()?;
    reader.key(names, 3)?;
    let amount = reader.int()?;
    Ok(UpdateIsolatedMargin { asset, is_buy, amount })
}

fn read_twap_cancel_action(reader: &mut Reader<'_>, len: usize) -> Result<TwapCancel, Why> {
    let Members { names, .. } = TWAP_CANCEL_ACTION;
    TWAP_CANCEL_ACTION.check(len)?;
    reader.key(names, 1)?;
    let asset = reader.uint32()?;
    reader.key(names, 2)?;
    let twap_id = reader.uint()?;
    Ok(TwapCancel { asset, twap_id })
}

/// Without a time the member is absent; nil would hash otherwise.
fn read_schedule_action(reader: &mut Reader<'_>, len: usize) -> Result<ScheduleCancel, Why> {
    let Members { names, .. } = SCHEDULE_ACTION;
    SCHEDULE_ACTION.check(len)?;
    if len < names.len() {
        return Ok(ScheduleCancel { time: None });
    }
    reader.key(names, 1)?;
    Ok(ScheduleCancel { time: Some(reader.uint()?) })
}

fn read_vault_action(reader: &mut Reader<'_>, len: usize) -> Result<VaultTransfer, Why> {
    let Members { names, .. } = VAULT_ACTION;
    VAULT_ACTION.check(len)?;
    reader.key(names, 1)?;
    let vault = hexadecimal::lower_case_address(reader.text()?)?;
    reader.key(names, 2)?;
    let is_deposit = reader.flag()?;
    reader.key(names, 3)?;
    let amount = reader.uint()?;
    Ok(VaultTransfer { vault, is_deposit, amount })
}

/// Reads every element once; `heard` is told each.
pub(super) fn read_list<'s, T: Element<'s>>(
    reader: &mut Reader<'s>,
    mut heard: impl FnMut(usize, &T),
) -> Result<List<'s, T>, Why> {
    let len = reader.array()?;
    if len == 0 {
        return Err(Refusal::ListEmpty.into());
    }
    if len > T::LEN_MAX {
        return Err(Why::new(Refusal::ListTooLong).observed(Shown::size(len)).limit(Shown::size(T::LEN_MAX)));
    }
    let bytes = reader.rest();
    for index in 0..len {
        let element = T::read(reader).map_err(|why| why.subject(index))?;
        heard(index, &element);
    }
    Ok(List::new(bytes, len))
}
