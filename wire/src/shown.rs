//! Values as refusals show them.

use core::fmt::{self, Write as _};

use bincode::{Decode, Encode};

use crate::facts_json::decimal;

/// A value as a refusal shows it. Never text from the payload: only numbers and addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub enum Shown {
    /// Nothing to show.
    #[default]
    Nothing,
    /// An unsigned integer below 2^128.
    Uint(u128),
    /// An unsigned 256-bit integer, big-endian.
    Uint256([u8; 32]),
    /// A signed integer.
    Int(i128),
    /// A 20-byte address.
    Address([u8; 20]),
    /// A 32-byte key, account or id.
    Key([u8; 32]),
    /// A decimal: `units` times 10^-`scale`.
    Decimal {
        /// units
        units: u128,
        /// digits after the point
        scale: u8,
    },
}

impl Shown {
    /// An unsigned integer.
    #[must_use]
    pub const fn uint(value: u64) -> Self {
        Self::Uint(value as u128)
    }

    /// A size or count.
    #[must_use]
    pub const fn size(value: usize) -> Self {
        Self::Uint(value as u128)
    }
}

impl fmt::Display for Shown {
    /// Numbers as decimal text, addresses and keys as 0x hex; nothing at all for [`Shown::Nothing`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => Ok(()),
            Self::Uint(value) => write!(f, "{value}"),
            Self::Uint256(value) => decimal(f, value),
            Self::Int(value) => write!(f, "{value}"),
            Self::Address(bytes) => hex(f, bytes),
            Self::Key(bytes) => hex(f, bytes),
            Self::Decimal { units, scale } => fixed_point(f, *units, *scale),
        }
    }
}

fn hex(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    f.write_str("0x")?;
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

fn fixed_point(f: &mut fmt::Formatter<'_>, units: u128, scale: u8) -> fmt::Result {
    let Some(one) = 10_u128.checked_pow(scale.into()) else {
        return write!(f, "{units}e-{scale}");
    };
    write!(f, "{}", units / one)?;
    let (mut fraction, mut place) = (units % one, one / 10);
    if fraction != 0 {
        f.write_char('.')?;
    }
    // Ends at the last digit that is not zero; at most `scale` rounds.
    while fraction != 0 {
        write!(f, "{}", fraction / place)?;
        fraction %= place;
        place /= 10;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    extern crate std;
    use std::string::ToString;

    #[test]
    fn every_kind_of_value_has_a_text() {
        let mut wei = [0; 32];
        wei[30] = 1;
        let table = [
            (Shown::Nothing, ""),
            (Shown::Uint(u128::MAX), "340282366920938463463374607431768211455"),
            (Shown::Uint256(wei), "256"),
            (Shown::Uint256([0; 32]), "0"),
            (Shown::Int(-5), "-5"),
            (Shown::Address([0xab; 20]), "0xabababababababababababababababababababab"),
            (Shown::Decimal { units: 12_500, scale: 3 }, "12.5"),
            (Shown::Decimal { units: 10_000, scale: 3 }, "10"),
            (Shown::Decimal { units: 5, scale: 8 }, "0.00000005"),
            (Shown::Decimal { units: 0, scale: 8 }, "0"),
            (Shown::Decimal { units: 7, scale: 0 }, "7"),
            (Shown::Decimal { units: 7, scale: 200 }, "7e-200"),
        ];
        for (shown, text) in table {
            assert_eq!(shown.to_string(), text);
        }
    }
}
