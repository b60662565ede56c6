//! Addresses, client order ids and chain ids, which actions carry as hexadecimal text.

use wire::Refusal;

use crate::Address;
use crate::hexadecimal::{NO_DIGIT, bytes, digit};

/// Reads an address inside an L1 action: the exchange lower-cases it before it hashes, so only lower case
/// hashes as posted.
///
/// # Errors
/// `ActionAddressMalformed`.
pub(crate) fn lower_case_address(text: &str) -> Result<Address, Refusal> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Err(Refusal::ActionAddressMalformed);
    }
    any_case_address(text)
}

/// Reads an address inside a user-signed action: there it is text and hashed as posted, in any case.
///
/// # Errors
/// `ActionAddressMalformed`.
pub(crate) fn any_case_address(text: &str) -> Result<Address, Refusal> {
    bytes(text).ok_or(Refusal::ActionAddressMalformed)
}

/// Checks a client order id: lower case and not all zero (absent is the only way to have none).
///
/// # Errors
/// `CloidMalformed`.
pub(crate) fn cloid(text: &str) -> Result<&str, Refusal> {
    let id: Option<[u8; 16]> = bytes(text);
    let lower_case = !text.bytes().any(|byte| byte.is_ascii_uppercase());
    match id {
        Some(id) if lower_case && id != [0; 16] => Ok(text),
        _ => Err(Refusal::CloidMalformed),
    }
}

/// Reads a signatureChainId: "0x" and 1 to 16 digits without leading zeros.
///
/// # Errors
/// `NumberOutOfRange`.
pub(crate) fn chain_id(text: &str) -> Result<u64, Refusal> {
    let digits = text.strip_prefix("0x").ok_or(Refusal::NumberOutOfRange)?.as_bytes();
    if matches!(digits, [] | [b'0', ..]) || digits.len() > 16 {
        return Err(Refusal::NumberOutOfRange);
    }
    let mut id = 0_u64;
    for byte in digits {
        let value = digit(*byte);
        if value == NO_DIGIT {
            return Err(Refusal::NumberOutOfRange);
        }
        id = (id << 4) | u64::from(value);
    }
    Ok(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_an_l1_action_is_lower_case_and_one_of_a_user_signed_action_may_be_mixed() {
        let lower = "0xabababababababababababababababababababab";
        let mixed = "0xaBababababababababababababababababababab";
        assert_eq!(lower_case_address(lower), Ok([0xab; 20]));
        assert_eq!(any_case_address(mixed), Ok([0xab; 20]));
        assert_eq!(lower_case_address(mixed), Err(Refusal::ActionAddressMalformed));
        for text in [
            "",
            "0x",
            "0xab",
            "abababababababababababababababababababab00",
            "0Xabababababababababababababababababababab",
            "0xababababababababababababababababababababa",
            "0xgbabababababababababababababababababababab",
        ] {
            assert_eq!(any_case_address(text), Err(Refusal::ActionAddressMalformed), "{text}");
        }
    }

    #[test]
    fn a_cloid_is_absent_or_lower_case_and_not_zero() {
        assert!(cloid("0x00000000000000000000000000000001").is_ok());
        for text in [
            "",
            "0x1234",
            "0x00000000000000000000000000000000",
            "0xA0000000000000000000000000000001",
            "000000000000000000000000000000001234",
        ] {
            assert_eq!(cloid(text), Err(Refusal::CloidMalformed), "{text}");
        }
    }

    #[test]
    fn a_chain_id_is_hexadecimal_without_leading_zeros() {
        assert_eq!(chain_id("0xa4b1"), Ok(42161));
        assert_eq!(chain_id("0x66eee"), Ok(421_614));
        assert_eq!(chain_id("0xffffffffffffffff"), Ok(u64::MAX));
        for text in ["", "0x", "0x0", "0x0a4b1", "42161", "0x1ffffffffffffffff", "0xa4b1 ", "a4b1"] {
            assert_eq!(chain_id(text), Err(Refusal::NumberOutOfRange), "{text}");
        }
    }
}
