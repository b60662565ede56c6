//! Transactions: what alloy writes is read the same with the same digest, and what is read alloy would write.

use alloy_consensus::transaction::RlpEcdsaDecodableTx;
use alloy_consensus::{SignableTransaction, TxEip1559};
use alloy_eip2930::{AccessList, AccessListItem};
use alloy_primitives::{Address, B256, TxKind, U256};
use alloy_rlp::Encodable;
use proptest::prelude::*;
use proptest::sample::Index;
use venues::Payload;
use venues::evm::{Call, Transaction, decode};

pub(crate) fn arb_address() -> impl Strategy<Value = Address> {
    prop_oneof![
        8 => any::<[u8; 20]>().prop_map(Address::from),
        1 => Just(Address::ZERO),
        1 => any::<u8>().prop_map(Address::with_last_byte),
    ]
}

/// Integers of every width, so that every length prefix occurs.
pub(crate) fn arb_u256() -> impl Strategy<Value = U256> {
    (any::<[u8; 32]>(), 0_usize..=256)
        .prop_map(|(bytes, shift)| U256::from_be_bytes(bytes).checked_shr(shift).unwrap_or_default())
}

fn arb_u64() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0_u32..=64).prop_map(|(value, shift)| value.checked_shr(shift).unwrap_or_default())
}

fn arb_u128() -> impl Strategy<Value = u128> {
    (any::<u128>(), 0_u32..=128).prop_map(|(value, shift)| value.checked_shr(shift).unwrap_or_default())
}

fn arb_access_list() -> impl Strategy<Value = AccessList> {
    let keys = prop::collection::vec(any::<[u8; 32]>().prop_map(B256::from), 0..4);
    let item =
        (arb_address(), keys).prop_map(|(address, storage_keys)| AccessListItem { address, storage_keys });
    let items = prop::collection::vec(item, 0..4).prop_map(AccessList);
    prop_oneof![1 => Just(AccessList::default()), 1 => items]
}

prop_compose! {
    fn arb_transaction()(
        numbers in [arb_u64(), arb_u64(), arb_u64()],
        fees in [arb_u128(), arb_u128()],
        to in prop_oneof![9 => arb_address().prop_map(TxKind::Call), 1 => Just(TxKind::Create)],
        value in arb_u256(),
        access_list in arb_access_list(),
        input in prop_oneof![
            1 => Just(Vec::new()),
            1 => prop::collection::vec(any::<u8>(), 0..3),
            2 => prop::collection::vec(any::<u8>(), 0..400),
        ],
    ) -> TxEip1559 {
        TxEip1559 {
            chain_id: numbers[0].max(1),
            nonce: numbers[1].min(u64::MAX - 1),
            gas_limit: numbers[2],
            max_fee_per_gas: fees[0].max(fees[1]),
            max_priority_fee_per_gas: fees[0].min(fees[1]),
            to,
            value,
            access_list,
            input: input.into(),
        }
    }
}

/// A call with everyday fields around it.
pub(crate) fn plain(to: Address, value: U256, data: &[u8]) -> TxEip1559 {
    TxEip1559 {
        chain_id: 1,
        nonce: 7,
        gas_limit: 100_000,
        max_fee_per_gas: 30_000_000_000,
        max_priority_fee_per_gas: 1_000_000_000,
        to: TxKind::Call(to),
        value,
        access_list: AccessList::default(),
        input: data.to_vec().into(),
    }
}

/// The unsigned payload, as alloy writes it.
pub(crate) fn encode(transaction: &TxEip1559) -> Vec<u8> {
    let mut payload = Vec::new();
    transaction.encode_for_signing(&mut payload);
    payload
}

fn assert_same(ours: &Transaction<'_>, theirs: &TxEip1559) -> Result<(), TestCaseError> {
    prop_assert_eq!(ours.chain_id(), theirs.chain_id);
    prop_assert_eq!(ours.nonce(), theirs.nonce);
    prop_assert_eq!(ours.max_priority_fee_per_gas(), U256::from(theirs.max_priority_fee_per_gas));
    prop_assert_eq!(ours.max_fee_per_gas(), U256::from(theirs.max_fee_per_gas));
    prop_assert_eq!(ours.gas_limit(), theirs.gas_limit);
    prop_assert_eq!(ours.to().copied().map(Address::from), theirs.to.to().copied());
    prop_assert_eq!(ours.value(), theirs.value);
    prop_assert_eq!(ours.data(), &theirs.input[..]);
    prop_assert_eq!(matches!(ours.call(), Call::Creation), theirs.to.is_create());

    let list = ours.access_list();
    let keys: usize = theirs.access_list.iter().map(|item| item.storage_keys.len()).sum();
    let mut items = Vec::new();
    for item in theirs.access_list.iter() {
        item.encode(&mut items);
    }
    prop_assert_eq!(list.addresses(), u32::try_from(theirs.access_list.len()).unwrap());
    prop_assert_eq!(list.storage_keys(), u32::try_from(keys).unwrap());
    prop_assert_eq!(list.items(), items);

    prop_assert_eq!(*ours.preimage().as_bytes(), theirs.signature_hash().0);
    Ok(())
}

/// What alloy reads of `payload`, if it is canonical and no field is one that only we refuse.
fn alloy_decode(payload: &[u8]) -> Option<TxEip1559> {
    let mut list = payload.strip_prefix(&[2])?;
    let transaction = TxEip1559::rlp_decode(&mut list).ok()?;
    let is_sound = transaction.chain_id != 0
        && transaction.nonce != u64::MAX
        && transaction.max_priority_fee_per_gas <= transaction.max_fee_per_gas;
    (is_sound && list.is_empty() && encode(&transaction) == payload).then_some(transaction)
}

/// Both read the same or neither does; fees above 2^128 only we read.
fn assert_read_alike(payload: &[u8]) -> Result<(), TestCaseError> {
    let fits_alloy = |ours: &Transaction<'_>| ours.max_fee_per_gas() <= U256::from(u128::MAX);
    match (decode(payload), alloy_decode(payload)) {
        (Ok(ours), Some(theirs)) => assert_same(&ours, &theirs),
        (Ok(ours), None) => {
            prop_assert!(!fits_alloy(&ours), "alloy refuses {ours:?}");
            Ok(())
        }
        (Err(why), Some(theirs)) => Err(TestCaseError::fail(format!("{why:?} for {theirs:?}"))),
        (Err(_), None) => Ok(()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_transaction_that_alloy_writes_is_read_field_by_field_with_its_digest(
        transaction in arb_transaction(),
    ) {
        let payload = encode(&transaction);
        let ours = decode(&payload).unwrap();
        prop_assert_eq!(ours.canonical(), &payload[..]);
        assert_same(&ours, &transaction)?;
    }

    #[test]
    fn a_changed_byte_is_read_alike(
        transaction in arb_transaction(), at in any::<Index>(), change in 1_u8..,
    ) {
        let mut payload = encode(&transaction);
        let at = at.index(payload.len());
        payload[at] ^= change;
        assert_read_alike(&payload)?;
    }

    #[test]
    fn an_inserted_or_removed_byte_is_read_alike(
        transaction in arb_transaction(), at in any::<Index>(), byte in any::<Option<u8>>(),
    ) {
        let mut payload = encode(&transaction);
        let at = at.index(payload.len());
        match byte {
            Some(byte) => payload.insert(at, byte),
            None => drop(payload.remove(at)),
        }
        assert_read_alike(&payload)?;
    }

    #[test]
    fn any_fields_in_a_well_formed_list_are_read_alike(
        fields in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..34), 8..10),
    ) {
        let mut items = Vec::new();
        for field in &fields {
            field.as_slice().encode(&mut items);
        }
        items.push(0xc0);
        let mut payload = vec![2];
        alloy_rlp::Header { list: true, payload_length: items.len() }.encode(&mut payload);
        payload.extend(items);
        assert_read_alike(&payload)?;
    }

    #[test]
    fn any_bytes_are_read_alike(tail in prop::collection::vec(any::<u8>(), 0..120)) {
        assert_read_alike(&tail)?;
        assert_read_alike(&[&[2], &tail[..]].concat())?;
    }
}
