//! The four members of typed data.

use wire::{Refusal, Why};

use super::{StructType, members};
use crate::json::Json;

/// Typed data whose members were told apart; domain and message are still to be read.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    types: u32,
    primary_type: &'a str,
    /// At the domain.
    pub(crate) domain: Json<'a>,
    /// At the message.
    pub(crate) message: Json<'a>,
}

/// A primary type with all the struct types it needs, `EIP712Domain` among them.
#[derive(Debug)]
pub(crate) struct Family<K> {
    /// What the venue calls it.
    pub(crate) kind: K,
    /// The primary type.
    pub(crate) primary_type: &'static str,
    /// Bit n: the venue's n-th struct type is one of them.
    pub(crate) types: u32,
}

impl<'a> Document<'a> {
    /// Reads the text of typed data; `known` are the venue's struct types, at most 32.
    ///
    /// # Errors
    /// `TypesNotSupported` for a struct type that is none of them; the codes of JSON.
    pub(crate) fn read(text: &'a [u8], known: &[StructType]) -> Result<Self, Why> {
        let mut document = Json::new(text);
        let json = &mut document;
        members!(json, {
            "types" => types: read_types(json, known),
            "primaryType" => primary_type: json.text(),
            "domain" => domain: passed_over(json),
            "message" => message: passed_over(json),
        });
        json.end()?;
        Ok(Self { types, primary_type, domain, message })
    }

    /// The family that has exactly this primary type and these struct types.
    ///
    /// # Errors
    /// `TypesNotSupported`.
    pub(crate) fn family<'f, K>(&self, families: &'f [Family<K>]) -> Result<&'f Family<K>, Why> {
        families
            .iter()
            .find(|family| family.types == self.types && family.primary_type == self.primary_type)
            .ok_or(Refusal::TypesNotSupported.into())
    }
}

/// A bookmark at a value that is read later, when its types are known.
fn passed_over<'a>(json: &mut Json<'a>) -> Result<Json<'a>, Why> {
    let bookmark = *json;
    json.skip()?;
    Ok(bookmark)
}

fn read_types(json: &mut Json<'_>, known: &[StructType]) -> Result<u32, Why> {
    json.open_object()?;
    let mut types = 0_u32;
    let mut first = true;
    while let Some(name) = json.member(first)? {
        first = false;
        let named = known.iter().zip(0_u32..32).filter(|(known, _)| known.name == name);
        if named.clone().any(|(_, number)| types & (1 << number) != 0) {
            return Err(Refusal::JsonMemberRepeated.into());
        }
        types |= 1 << read_type(json, named)?;
    }
    Ok(types)
}

/// The number of the struct type whose fields come next.
fn read_type<'k>(
    json: &mut Json<'_>,
    named: impl Iterator<Item = (&'k StructType, u32)>,
) -> Result<u32, Why> {
    for (struct_type, number) in named {
        let mut fields = *json;
        if struct_type.read(&mut fields)? {
            *json = fields;
            return Ok(number);
        }
    }
    Err(Refusal::TypesNotSupported.into())
}
