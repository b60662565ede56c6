//! The strict decoder: bytes in, a transaction with its digest out.

use wire::{Refusal, Shown, Why};

use super::call::read_call;
use super::rlp::{Fault, Item, Reader, read_u64, read_u256};
use super::{AccessList, Call, Transaction};
use crate::{Address, Digest, U256};

/// The type byte of EIP-1559 in the envelope of EIP-2718.
const TRANSACTION_TYPE: u8 = 0x02;

/// chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, value, data, accessList.
const FIELD_COUNT: usize = 9;

const STORAGE_KEY_SIZE: usize = 32;

/// The largest nonce an account can use (EIP-2681).
const NONCE_MAX: u64 = u64::MAX - 1;

/// Reads an unsigned EIP-1559 transaction: the type byte and the list of nine fields, and nothing behind it.
///
/// # Errors
/// What is malformed first, with the index of the field (0 is the chain id) as the subject. Call data are never
/// malformed: what is not understood of them becomes [`Call::Unknown`] or [`Call::NotCanonical`].
pub fn decode(payload: &[u8]) -> Result<Transaction<'_>, Why> {
    let mut fields = Fields::open(payload)?;
    let chain_id = fields.u64()?;
    let nonce = fields.u64()?;
    let max_priority_fee_per_gas = fields.u256()?;
    let max_fee_per_gas = fields.u256()?;
    let gas_limit = fields.u64()?;
    let to = fields.address_or_empty()?;
    let value = fields.u256()?;
    let data = fields.bytes()?;
    let access_list = fields.access_list()?;
    fields.close()?;

    if chain_id == 0 {
        return Err(Refusal::ChainIdZero.into());
    }
    if nonce > NONCE_MAX {
        return Err(Why::new(Refusal::NonceNotAllowed)
            .observed(Shown::uint(nonce))
            .limit(Shown::uint(NONCE_MAX)));
    }
    if max_priority_fee_per_gas > max_fee_per_gas {
        return Err(Why::new(Refusal::PriorityFeeAboveMaxFee)
            .observed(Shown::Uint256(max_priority_fee_per_gas.to_be_bytes()))
            .limit(Shown::Uint256(max_fee_per_gas.to_be_bytes())));
    }
    Ok(Transaction {
        payload,
        digest: Digest::keccak256(&[payload]),
        chain_id,
        nonce,
        max_priority_fee_per_gas,
        max_fee_per_gas,
        gas_limit,
        value,
        data,
        call: to.map_or(Call::Creation, |to| read_call(to, value, data)),
        access_list,
    })
}

/// The fields of the transaction's list, read in order.
struct Fields<'f> {
    reader: Reader<'f>,
    index: usize,
}

impl<'f> Fields<'f> {
    fn open(payload: &'f [u8]) -> Result<Self, Why> {
        let (&transaction_type, list) = payload.split_first().ok_or(Why::new(Refusal::PayloadEmpty))?;
        if transaction_type != TRANSACTION_TYPE {
            return Err(Why::new(Refusal::TransactionTypeNotEip1559)
                .observed(Shown::uint(transaction_type.into()))
                .limit(Shown::uint(TRANSACTION_TYPE.into())));
        }
        let mut envelope = Reader::new(list);
        let items = match envelope.next() {
            Ok(Item::List(items)) => items,
            Ok(Item::Bytes(_)) => return Err(Refusal::ItemKindDiffers.into()),
            Err(Fault::Short) => return Err(Refusal::PayloadTruncated.into()),
            Err(Fault::NotCanonical) => return Err(Refusal::RlpNotCanonical.into()),
        };
        if !envelope.is_empty() {
            return Err(Refusal::TrailingBytes.into());
        }
        Ok(Self { reader: Reader::new(items), index: 0 })
    }

    fn close(mut self) -> Result<(), Why> {
        // Counts what is there, which takes at least a byte an item; 12 items are a signed transaction.
        while !self.reader.is_empty() {
            self.next()?;
        }
        if self.index == FIELD_COUNT { Ok(()) } else { Err(self.field_count()) }
    }

    fn field_count(&self) -> Why {
        Why::new(Refusal::TransactionFieldCount)
            .observed(Shown::size(self.index))
            .limit(Shown::size(FIELD_COUNT))
    }

    fn next(&mut self) -> Result<Item<'f>, Why> {
        if self.reader.is_empty() {
            return Err(self.field_count());
        }
        let item = self.reader.next().map_err(|_| Why::new(Refusal::RlpNotCanonical).subject(self.index))?;
        self.index = self.index.saturating_add(1);
        Ok(item)
    }

    /// A refusal about the field that was read last.
    fn refuse(&self, refusal: Refusal) -> Why {
        Why::new(refusal).subject(self.index.saturating_sub(1))
    }

    fn bytes(&mut self) -> Result<&'f [u8], Why> {
        match self.next()? {
            Item::Bytes(bytes) => Ok(bytes),
            Item::List(_) => Err(self.refuse(Refusal::ItemKindDiffers)),
        }
    }

    fn u64(&mut self) -> Result<u64, Why> {
        let bytes = self.bytes()?;
        read_u64(bytes).map_err(|refusal| self.refuse(refusal))
    }

    fn u256(&mut self) -> Result<U256, Why> {
        let bytes = self.bytes()?;
        read_u256(bytes).map_err(|refusal| self.refuse(refusal))
    }

    fn address_or_empty(&mut self) -> Result<Option<&'f Address>, Why> {
        let bytes = self.bytes()?;
        if bytes.is_empty() {
            return Ok(None);
        }
        bytes.try_into().map(Some).map_err(|_| {
            self.refuse(Refusal::AddressLength)
                .observed(Shown::size(bytes.len()))
                .limit(Shown::size(size_of::<Address>()))
        })
    }

    fn access_list(&mut self) -> Result<AccessList<'f>, Why> {
        let items = match self.next()? {
            Item::List(items) => items,
            Item::Bytes(_) => return Err(self.refuse(Refusal::ItemKindDiffers)),
        };
        read_access_list(items).ok_or_else(|| self.refuse(Refusal::AccessListMalformed))
    }
}

/// `[[address, [storageKey, ...]], ...]` of EIP-2930, three flat levels.
fn read_access_list(items: &[u8]) -> Option<AccessList<'_>> {
    let (mut addresses, mut storage_keys) = (0_u32, 0_u32);
    let mut entries = Reader::new(items);
    while !entries.is_empty() {
        let Ok(Item::List(entry)) = entries.next() else {
            return None;
        };
        let mut entry = Reader::new(entry);
        let (Ok(Item::Bytes(address)), Ok(Item::List(keys))) = (entry.next(), entry.next()) else {
            return None;
        };
        if address.len() != size_of::<Address>() || !entry.is_empty() {
            return None;
        }
        addresses = addresses.checked_add(1)?;
        let mut keys = Reader::new(keys);
        while !keys.is_empty() {
            match keys.next() {
                Ok(Item::Bytes(key)) if key.len() == STORAGE_KEY_SIZE => {}
                _ => return None,
            }
            storage_keys = storage_keys.checked_add(1)?;
        }
    }
    Some(AccessList { items, addresses, storage_keys })
}
