//! Call data of WETH9, of permits (ERC-2612) and of Permit2. Each goes into [`call`](super::call).

use venues::{Address, U256};

use super::Error;
use super::abi::{Arg, address_word, call_data};

/// A signed ERC-2612 permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedPermit {
    /// How many tokens, base units.
    pub amount: U256,
    /// Until when it may be handed in, Unix time in seconds.
    pub deadline_s: u64,
    /// r, s and v (27 or 28).
    pub signature: [u8; 65],
}

impl SignedPermit {
    /// v, r and s as words.
    pub(super) fn signature_words(&self) -> [U256; 3] {
        let (r, rest) = self.signature.split_at(32);
        let (s, v) = rest.split_at(32);
        [U256::from_be_slice(v), U256::from_be_slice(r), U256::from_be_slice(s)]
    }
}

/// WETH9 `deposit()`: goes to the WETH contract with the value that is wrapped.
#[must_use]
pub fn deposit() -> Vec<u8> {
    call_data([0xd0, 0xe3, 0x0d, 0xb0], &[])
}

/// WETH9 `withdraw(amount)`.
#[must_use]
pub fn withdraw(amount: U256) -> Vec<u8> {
    call_data([0x2e, 0x1a, 0x7d, 0x4d], &[amount.into()])
}

/// ERC-2612 `permit`: goes to the token contract.
#[must_use]
pub fn permit(owner: &Address, spender: &Address, permit: &SignedPermit) -> Vec<u8> {
    let [v, r, s] = permit.signature_words();
    let terms = [owner.into(), spender.into(), permit.amount.into(), permit.deadline_s.into()];
    let arguments: Vec<Arg<'_>> = terms.into_iter().chain([v, r, s].map(Arg::from)).collect();
    call_data([0xd5, 0x05, 0xac, 0xcf], &arguments)
}

/// Permit2 `approve(token, spender, amount, expiration)`: goes to the Permit2 contract.
///
/// # Errors
/// [`Error::AmountTooLarge`] when the amount does not fit a uint160 or the time a uint48.
pub fn permit2_approve(
    token: &Address,
    spender: &Address,
    amount: U256,
    expiration_s: u64,
) -> Result<Vec<u8>, Error> {
    if amount.bit_len() > 160 || expiration_s >= 1 << 48 {
        return Err(Error::AmountTooLarge);
    }
    let arguments = [token.into(), spender.into(), amount.into(), expiration_s.into()];
    Ok(call_data([0x87, 0x51, 0x7c, 0x45], &arguments))
}

/// Permit2 `invalidateUnorderedNonces(word, mask)`: takes back signed transfer permits.
#[must_use]
pub fn permit2_invalidate_unordered_nonces(word: U256, mask: U256) -> Vec<u8> {
    call_data([0x3f, 0xf9, 0xdc, 0xb1], &[word.into(), mask.into()])
}

/// Permit2 `invalidateNonces(token, spender, nonce)`: takes back signed allowances below `nonce`.
///
/// # Errors
/// [`Error::AmountTooLarge`] when the nonce does not fit a uint48.
pub fn permit2_invalidate_nonces(token: &Address, spender: &Address, nonce: u64) -> Result<Vec<u8>, Error> {
    if nonce >= 1 << 48 {
        return Err(Error::AmountTooLarge);
    }
    Ok(call_data([0x65, 0xd9, 0x72, 0x3c], &[token.into(), spender.into(), nonce.into()]))
}

/// Permit2 `lockdown((token, spender)[])`: allowances to zero.
#[must_use]
pub fn permit2_lockdown(pairs: &[(Address, Address)]) -> Vec<u8> {
    let words = pairs.iter().map(|(token, spender)| [address_word(token), address_word(spender)]).collect();
    call_data([0xcc, 0x53, 0x28, 0x7f], &[Arg::Pairs(words)])
}
