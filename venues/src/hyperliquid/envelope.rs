//! What goes to the exchange beside the action, and the caller's own claims about what is signed.
//!
//! ```text
//!  0  bits            u8   0 mainnet | 1 vaultAddress | 2 expiresAfter | 3 claimed source
//!                          4 claimed connectionId | 5 claimed primary type; other bits are refused
//!  1  nonce           u64  milliseconds since the Unix epoch, as the exchange wants it
//!  9  vaultAddress    20 bytes                        if bit 1
//!     expiresAfter    u64  ms since the Unix epoch    if bit 2
//!     claimed source  u8   "a" mainnet, "b" testnet   if bit 3
//!     claimed connectionId  32 bytes                  if bit 4
//!     claimed primary type  size u8, bytes            if bit 5
//!     action                the rest
//! ```
//! Integers are little-endian here; big-endian where they are hashed. A claim is only ever compared with what
//! was computed from the action; it never takes part in a digest.

use wire::{Refusal, Why};

use super::rules::Network;
use crate::Address;

const BIT_MAINNET: u8 = 1;
const BIT_VAULT_ADDRESS: u8 = 1 << 1;
const BIT_EXPIRES_AFTER: u8 = 1 << 2;
const BIT_SOURCE: u8 = 1 << 3;
const BIT_CONNECTION_ID: u8 = 1 << 4;
const BIT_PRIMARY_TYPE: u8 = 1 << 5;
const BITS_KNOWN: u8 =
    BIT_MAINNET | BIT_VAULT_ADDRESS | BIT_EXPIRES_AFTER | BIT_SOURCE | BIT_CONNECTION_ID | BIT_PRIMARY_TYPE;

/// Largest envelope in bytes, every optional part there.
pub const ENVELOPE_SIZE_MAX: usize = 1 + 8 + 20 + 8 + 1 + 32 + 1 + 255;

/// What is signed or posted beside the action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Which network the action is for.
    pub network: Network,
    /// The exchange's nonce, milliseconds since the Unix epoch.
    pub nonce: u64,
    /// The vault or sub-account acted for. The body must be posted with exactly this one.
    pub vault_address: Option<Address>,
    /// When the exchange must no longer take the action, milliseconds since the Unix epoch.
    pub expires_after: Option<u64>,
}

/// What the caller believes is signed; a claim that differs refuses the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claims<'p> {
    /// The phantom agent's source: `b'a'` or `b'b'`.
    pub source: Option<u8>,
    /// The phantom agent's connectionId.
    pub connection_id: Option<[u8; 32]>,
    /// The EIP-712 primary type, at most 255 bytes.
    pub primary_type: Option<&'p str>,
}

impl Envelope {
    /// Writes the envelope into the front of `into` and returns its size; the action's bytes follow there.
    /// `None` when a part does not fit.
    #[must_use]
    pub fn write(&self, claims: &Claims<'_>, into: &mut [u8]) -> Option<usize> {
        let bit = |bit, set| if set { bit } else { 0 };
        let bits = bit(BIT_MAINNET, self.network == Network::Mainnet)
            | bit(BIT_VAULT_ADDRESS, self.vault_address.is_some())
            | bit(BIT_EXPIRES_AFTER, self.expires_after.is_some())
            | bit(BIT_SOURCE, claims.source.is_some())
            | bit(BIT_CONNECTION_ID, claims.connection_id.is_some())
            | bit(BIT_PRIMARY_TYPE, claims.primary_type.is_some());
        let expires_after = self.expires_after.map(u64::to_le_bytes);
        let source = claims.source.map(|source| [source]);
        let primary_type_size = match claims.primary_type {
            Some(primary_type) => Some([u8::try_from(primary_type.len()).ok()?]),
            None => None,
        };
        let parts: [&[u8]; 8] = [
            &[bits],
            &self.nonce.to_le_bytes(),
            self.vault_address.as_ref().map_or(&[], |part| part),
            expires_after.as_ref().map_or(&[], |part| part),
            source.as_ref().map_or(&[], |part| part),
            claims.connection_id.as_ref().map_or(&[], |part| part),
            primary_type_size.as_ref().map_or(&[], |part| part),
            claims.primary_type.map_or(&[], str::as_bytes),
        ];
        let mut size = 0_usize;
        for part in parts {
            let end = size.checked_add(part.len())?;
            into.get_mut(size..end)?.copy_from_slice(part);
            size = end;
        }
        Some(size)
    }

    /// Splits a payload into envelope, claims and action.
    ///
    /// # Errors
    /// `PayloadEmpty`, or `EnvelopeMalformed` when it is cut short or holds unknown bits.
    pub fn read(payload: &[u8]) -> Result<(Self, Claims<'_>, &[u8]), Why> {
        let Some((bits, rest)) = payload.split_first() else {
            return Err(Refusal::PayloadEmpty.into());
        };
        if bits & !BITS_KNOWN != 0 {
            return Err(Why::new(Refusal::EnvelopeMalformed).observed(wire::Shown::uint((*bits).into())));
        }
        let mut rest = rest;
        let nonce = u64::from_le_bytes(take(&mut rest)?);
        let has = |bit| bits & bit != 0;
        let vault_address = take_if(has(BIT_VAULT_ADDRESS), &mut rest)?;
        let expires_after = take_if(has(BIT_EXPIRES_AFTER), &mut rest)?.map(u64::from_le_bytes);
        let source = take_if::<1>(has(BIT_SOURCE), &mut rest)?.map(|[source]| source);
        let connection_id = take_if(has(BIT_CONNECTION_ID), &mut rest)?;
        let primary_type = match take_if::<1>(has(BIT_PRIMARY_TYPE), &mut rest)? {
            Some([size]) => {
                let (text, action) =
                    rest.split_at_checked(usize::from(size)).ok_or(Refusal::EnvelopeMalformed)?;
                rest = action;
                Some(core::str::from_utf8(text).map_err(|_| Refusal::EnvelopeMalformed)?)
            }
            None => None,
        };
        let network = if has(BIT_MAINNET) { Network::Mainnet } else { Network::Testnet };
        let envelope = Self { network, nonce, vault_address, expires_after };
        Ok((envelope, Claims { source, connection_id, primary_type }, rest))
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Why> {
    let (part, after) = rest.split_first_chunk::<N>().ok_or(Refusal::EnvelopeMalformed)?;
    *rest = after;
    Ok(*part)
}

fn take_if<const N: usize>(there: bool, rest: &mut &[u8]) -> Result<Option<[u8; N]>, Why> {
    if there { take(rest).map(Some) } else { Ok(None) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_envelope_reads_back_as_itself_whatever_parts_it_has() {
        for parts in 0..32_u8 {
            let has = |bit: u8| parts & (1 << bit) != 0;
            let envelope = Envelope {
                network: if parts % 3 == 0 { Network::Mainnet } else { Network::Testnet },
                nonce: 1_790_000_245_388,
                vault_address: has(0).then_some([7; 20]),
                expires_after: has(1).then_some(1_790_000_300_000),
            };
            let claims = Claims {
                source: has(2).then_some(b'a'),
                connection_id: has(3).then_some([9; 32]),
                primary_type: has(4).then_some("Agent"),
            };
            let mut buffer = [0; ENVELOPE_SIZE_MAX + 2];
            let size = envelope.write(&claims, &mut buffer).unwrap();
            buffer[size..size + 2].copy_from_slice(b"xy");
            assert_eq!(Envelope::read(&buffer[..size + 2]), Ok((envelope, claims, &b"xy"[..])));
            for cut in 1..size {
                assert_eq!(Envelope::read(&buffer[..cut]).unwrap_err().refusal, Refusal::EnvelopeMalformed);
            }
        }
    }

    #[test]
    fn a_bit_without_a_meaning_is_refused() {
        for bit in [0x40, 0x80] {
            let why = Envelope::read(&[bit; 9]).unwrap_err();
            assert_eq!(why.refusal, Refusal::EnvelopeMalformed);
        }
    }
}
