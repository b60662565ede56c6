//! An L1 action's JSON, rewritten as the canonical msgpack that the exchange hashes.
//!
//! Guarantees: the order of members and the white space of the text do not matter, the bytes written are always
//! the same; only structure is looked at here. What the values mean is decided afterwards, by the one decoder
//! that reads the msgpack: it is from those bytes that everything judged and hashed comes.
//! Refuses: members that are not the action's, repeated or missing ones, values of another JSON type.
//!
//! Members in the venue's own order, as every SDK writes them, are copied through in one pass; a member that
//! comes early is skipped and read again in its place.

use wire::{Refusal, Why};

use super::l1::{
    CANCEL, CANCEL_ACTION, CLOID_CANCEL, LEVERAGE_ACTION, MARGIN_ACTION, SCHEDULE_ACTION, TWAP_CANCEL_ACTION,
    VAULT_ACTION,
};
use super::msgpack::{Members, Writer};
use super::order::{
    BATCH_MODIFY_ACTION, BUILDER, LIMIT, MODIFY, MODIFY_ACTION, ORDER, ORDER_ACTION, PRIORITY, TRIGGER, TWAP,
    TWAP_ACTION,
};
use crate::json::Json;

/// Most members an object of an action has.
const MEMBERS_MAX: usize = 8;

const _: () = assert!(ORDER.names.len() <= MEMBERS_MAX && ORDER_ACTION.names.len() <= MEMBERS_MAX);

/// Writes the msgpack of the action `text` into `buffer` and returns its size.
pub(crate) fn transcode(text: &[u8], buffer: &mut [u8]) -> Result<usize, Why> {
    let mut json = Json::new(text);
    let mut out = Writer::new(buffer);
    match action_type(json)? {
        b"order" => object(&mut out, &mut json, &ORDER_ACTION, order_action),
        b"cancel" => object(&mut out, &mut json, &CANCEL_ACTION, |out, json, index| match index {
            1 => list(out, json, |out, json| object(out, json, &CANCEL, |out, json, _| uint(out, json))),
            2 => flag(out, json),
            _ => word(out, json),
        }),
        b"cancelByCloid" => object(&mut out, &mut json, &CANCEL_ACTION, |out, json, index| match index {
            1 => list(out, json, |out, json| {
                object(out, json, &CLOID_CANCEL, |out, json, index| match index {
                    0 => uint(out, json),
                    _ => word(out, json),
                })
            }),
            2 => flag(out, json),
            _ => word(out, json),
        }),
        b"modify" => object(&mut out, &mut json, &MODIFY_ACTION, |out, json, index| match index {
            0 => word(out, json),
            _ => modification(out, json, index == 1),
        }),
        b"batchModify" => object(&mut out, &mut json, &BATCH_MODIFY_ACTION, |out, json, index| match index {
            0 => word(out, json),
            _ => list(out, json, |out, json| {
                object(out, json, &MODIFY, |out, json, index| modification(out, json, index == 0))
            }),
        }),
        b"twapOrder" => object(&mut out, &mut json, &TWAP_ACTION, |out, json, index| match index {
            0 => word(out, json),
            _ => object(out, json, &TWAP, twap),
        }),
        b"twapCancel" => object(&mut out, &mut json, &TWAP_CANCEL_ACTION, typed_uints),
        b"scheduleCancel" => object(&mut out, &mut json, &SCHEDULE_ACTION, typed_uints),
        b"updateIsolatedMargin" => {
            object(&mut out, &mut json, &MARGIN_ACTION, |out, json, index| match index {
                0 => word(out, json),
                1 => uint(out, json),
                2 => flag(out, json),
                _ => out.int(json.int()?),
            })
        }
        b"vaultTransfer" => object(&mut out, &mut json, &VAULT_ACTION, |out, json, index| match index {
            2 => flag(out, json),
            3 => uint(out, json),
            _ => word(out, json),
        }),
        b"updateLeverage" => object(&mut out, &mut json, &LEVERAGE_ACTION, |out, json, index| match index {
            0 => word(out, json),
            2 => flag(out, json),
            _ => uint(out, json),
        }),
        _ => Err(Refusal::ActionNotSupported.into()),
    }?;
    json.end()?;
    Ok(out.used())
}

/// The text of the member "type", wherever it stands; what it says decides which members may be there at all.
pub(crate) fn action_type(mut json: Json<'_>) -> Result<&[u8], Why> {
    json.open_object()?;
    let mut first = true;
    while let Some(name) = json.member(first)? {
        if name == "type" {
            return json.text_as_written()?.ok_or(Refusal::FieldTypeNotExpected.into());
        }
        json.skip()?;
        first = false;
    }
    Err(Refusal::FieldMissing.into())
}

fn order_action(out: &mut Writer<'_>, json: &mut Json<'_>, index: usize) -> Result<(), Why> {
    match index {
        1 => list(out, json, |out, json| object(out, json, &ORDER, order)),
        2 if json.peek()? == b'{' => object(out, json, &PRIORITY, |out, json, _| uint(out, json)),
        3 => object(out, json, &BUILDER, |out, json, index| match index {
            0 => word(out, json),
            _ => uint(out, json),
        }),
        _ => word(out, json),
    }
}

fn order(out: &mut Writer<'_>, json: &mut Json<'_>, index: usize) -> Result<(), Why> {
    match index {
        0 => uint(out, json),
        1 | 4 => flag(out, json),
        5 => order_type(out, json),
        _ => word(out, json),
    }
}

/// One of the two members of a modification: the order that goes, or the one that comes.
fn modification(out: &mut Writer<'_>, json: &mut Json<'_>, is_oid: bool) -> Result<(), Why> {
    match is_oid {
        true if json.peek()? == b'"' => word(out, json),
        true => uint(out, json),
        false => object(out, json, &ORDER, order),
    }
}

fn twap(out: &mut Writer<'_>, json: &mut Json<'_>, index: usize) -> Result<(), Why> {
    match index {
        0 | 4 => uint(out, json),
        2 => word(out, json),
        _ => flag(out, json),
    }
}

/// The type, then nothing but unsigned integers.
fn typed_uints(out: &mut Writer<'_>, json: &mut Json<'_>, index: usize) -> Result<(), Why> {
    if index == 0 { word(out, json) } else { uint(out, json) }
}

/// `{"limit":{..}}` or `{"trigger":{..}}`, never both.
fn order_type(out: &mut Writer<'_>, json: &mut Json<'_>) -> Result<(), Why> {
    json.open_object()?;
    let at = out.open_map()?;
    let name = json.member(true)?.ok_or(Refusal::FieldMissing)?;
    out.text(name)?;
    match name {
        "limit" => object(out, json, &LIMIT, |out, json, _| word(out, json)),
        "trigger" => object(out, json, &TRIGGER, |out, json, index| match index {
            0 => flag(out, json),
            _ => word(out, json),
        }),
        _ => Err(Refusal::FieldNotKnown.into()),
    }?;
    match json.member(false)? {
        None => out.close_map(at, 1),
        Some(again) if again == name => Err(Refusal::JsonMemberRepeated.into()),
        Some(_) => Err(Refusal::FieldNotKnown.into()),
    }
}

/// One object: the value of member `index` is written by `value`.
fn object(
    out: &mut Writer<'_>,
    json: &mut Json<'_>,
    members: &Members,
    value: impl Fn(&mut Writer<'_>, &mut Json<'_>, usize) -> Result<(), Why>,
) -> Result<(), Why> {
    json.open_object()?;
    let at = out.open_map()?;
    let mut early = [None; MEMBERS_MAX];
    let mut seen = 0_u8;
    let mut written = 0_usize;
    let mut first = true;
    while let Some(name) = json.member(first)? {
        first = false;
        let index = members.names.iter().position(|known| *known == name).ok_or(Refusal::FieldNotKnown)?;
        let bit = 1 << index;
        if seen & bit != 0 {
            return Err(Refusal::JsonMemberRepeated.into());
        }
        seen |= bit;
        if index == written {
            out.text(name)?;
            value(out, json, index)?;
            written = written.saturating_add(1);
        } else {
            if let Some(bookmark) = early.get_mut(index) {
                *bookmark = Some(*json);
            }
            json.skip()?;
        }
    }
    let mut len = written;
    for (index, name) in members.names.iter().enumerate().skip(written) {
        match early.get_mut(index).and_then(Option::take) {
            Some(mut bookmark) => {
                out.text(name)?;
                value(out, &mut bookmark, index)?;
                len = len.saturating_add(1);
            }
            None if index < members.required => return Err(Refusal::FieldMissing.into()),
            None => {}
        }
    }
    out.close_map(at, len)
}

fn list(
    out: &mut Writer<'_>,
    json: &mut Json<'_>,
    element: impl Fn(&mut Writer<'_>, &mut Json<'_>) -> Result<(), Why>,
) -> Result<(), Why> {
    json.open_array()?;
    let at = out.open_array()?;
    let mut len = 0_usize;
    while json.element(len == 0)? {
        element(out, json).map_err(|why| why.subject(len))?;
        len = len.saturating_add(1);
    }
    out.close_array(at, len)
}

fn uint(out: &mut Writer<'_>, json: &mut Json<'_>) -> Result<(), Why> {
    out.uint(json.uint()?)
}

fn flag(out: &mut Writer<'_>, json: &mut Json<'_>) -> Result<(), Why> {
    out.flag(json.flag()?)
}

fn word(out: &mut Writer<'_>, json: &mut Json<'_>) -> Result<(), Why> {
    out.text(json.text()?)
}
