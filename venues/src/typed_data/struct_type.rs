//! Struct types as a venue's contracts declare them, and reading them back from a payload.

use wire::Why;

use super::members;
use crate::json::Json;

/// A struct type of EIP-712. Made by [`struct_type!`](crate::typed_data::struct_type) from one list of fields.
#[derive(Debug)]
pub(crate) struct StructType {
    /// The name in `types`.
    pub(crate) name: &'static str,
    /// Name and type of each field, in the order that is hashed.
    pub(crate) fields: &'static [(&'static str, &'static str)],
    /// The fields as JavaScript clients write them.
    pub(crate) compact: &'static str,
    /// The fields as Python clients write them.
    pub(crate) spaced: &'static str,
    /// `encodeType` of EIP-712, without the types it refers to.
    pub(crate) encoded: &'static str,
}

macro_rules! struct_type {
    ($struct:literal { $first:literal: $first_type:literal $(, $field:literal: $type:literal)* $(,)? }) => {
        $crate::typed_data::StructType {
            name: $struct,
            fields: &[($first, $first_type) $(, ($field, $type))*],
            compact: concat!(
                "[{\"name\":\"", $first, "\",\"type\":\"", $first_type, "\"}",
                $(",{\"name\":\"", $field, "\",\"type\":\"", $type, "\"}",)* "]"
            ),
            spaced: concat!(
                "[{\"name\": \"", $first, "\", \"type\": \"", $first_type, "\"}",
                $(", {\"name\": \"", $field, "\", \"type\": \"", $type, "\"}",)* "]"
            ),
            encoded: concat!($struct, "(", $first_type, " ", $first, $(",", $type, " ", $field,)* ")"),
        }
    };
}

pub(crate) use struct_type;

impl StructType {
    /// Reads a list of fields; true when it is this type's, to the letter. `json` stands behind the list then.
    ///
    /// # Errors
    /// What is wrong with the list as JSON, as far as it was read.
    pub(crate) fn read(&self, json: &mut Json<'_>) -> Result<bool, Why> {
        // What nearly every client writes; the same list in another spelling takes the long way.
        if json.accept(self.compact)? || json.accept(self.spaced)? {
            return Ok(true);
        }
        json.open_array()?;
        let mut expected = self.fields.iter();
        let mut first = true;
        while json.element(first)? {
            first = false;
            if Some(&read_field(json)?) != expected.next() {
                return Ok(false);
            }
        }
        Ok(expected.next().is_none())
    }
}

fn read_field<'a>(json: &mut Json<'a>) -> Result<(&'a str, &'a str), Why> {
    members!(json, { "name" => name: json.text(), "type" => field_type: json.text() });
    Ok((name, field_type))
}
