//! The decoder's refusals, one row a test.

use venues::evm::{Call, decode};
use venues::{Address, U256};
use wire::{Refusal, Shown, Why};

use crate::draft::{Draft, access_entry, bytes, envelope, integer, list, word};
use crate::witness::Witness as _;

const TOKEN: Address = [0x70; 20];
const OTHER: Address = [0x0b; 20];

/// A plain transfer whose field of this index is spelled as `field`.
fn with_field(index: usize, field: Vec<u8>) -> Vec<u8> {
    let mut fields = Draft::to(OTHER).fields();
    fields[index] = field;
    envelope(&fields)
}

fn with_access_list(items: &[&[u8]]) -> Vec<u8> {
    with_field(8, list(items))
}

fn transfer() -> Draft {
    Draft::call(TOKEN, 0xa905_9cbb, &[word(OTHER), U256::from(5)])
}

macro_rules! malformed {
    ($($name:ident: $payload:expr => $refusal:ident $(, field $field:literal)?;)+) => {
        $(#[test]
        fn $name() {
            let payload: Vec<u8> = $payload;
            let why = decode(&payload).unwrap_err().witnessed();
            assert_eq!(why.refusal, Refusal::$refusal);
            #[allow(unused_mut, unused_assignments)]
            let mut field: Option<u16> = None;
            $(field = Some($field);)?
            assert_eq!(why.subject, field);
        })+
    };
}

malformed! {
    no_bytes_are_malformed: vec![] => PayloadEmpty;
    a_legacy_transaction_is_malformed: Draft::to(OTHER).encode().split_off(1) => TransactionTypeNotEip1559;
    a_set_code_transaction_is_malformed: [&[4], &Draft::to(OTHER).encode()[1..]].concat()
        => TransactionTypeNotEip1559;
    a_type_byte_alone_is_truncated: vec![2] => PayloadTruncated;
    a_missing_last_byte_is_truncated: { let mut cut = Draft::to(OTHER).encode(); cut.pop(); cut }
        => PayloadTruncated;
    a_byte_after_the_list_is_malformed: [Draft::to(OTHER).encode(), vec![0]].concat() => TrailingBytes;
    a_string_in_place_of_the_list_is_malformed: vec![2, 0x83, 1, 2, 3] => ItemKindDiffers;
    a_list_with_a_long_length_is_malformed: [vec![2, 0xf8, 9], vec![0x80; 9]].concat() => RlpNotCanonical;
    eight_fields_are_malformed: envelope(&Draft::to(OTHER).fields()[..8]) => TransactionFieldCount;
    no_fields_are_malformed: vec![2, 0xc0] => TransactionFieldCount;
    twelve_fields_are_malformed:
        envelope(&[&Draft::to(OTHER).fields()[..], &[vec![1], vec![2], vec![3]]].concat())
        => TransactionFieldCount;
    a_field_that_reaches_beyond_the_list_is_malformed: with_field(8, vec![0xc1]) => RlpNotCanonical, field 8;
    a_chain_id_with_a_leading_zero_is_malformed: with_field(0, vec![0x82, 0, 1])
        => IntegerNotCanonical, field 0;
    a_chain_id_of_nine_bytes_is_malformed: with_field(0, bytes(&[1; 9])) => IntegerNotCanonical, field 0;
    a_chain_id_that_is_a_list_is_malformed: with_field(0, vec![0xc0]) => ItemKindDiffers, field 0;
    chain_id_zero_is_malformed: with_field(0, vec![0x80]) => ChainIdZero;
    a_nonce_of_zero_written_as_a_byte_is_malformed: with_field(1, vec![0]) => IntegerNotCanonical, field 1;
    a_nonce_with_a_prefix_it_does_not_need_is_malformed: with_field(1, vec![0x81, 5])
        => RlpNotCanonical, field 1;
    the_largest_nonce_is_malformed: Draft { nonce: u64::MAX, ..Draft::to(OTHER) }.encode()
        => NonceNotAllowed;
    a_priority_fee_above_the_fee_is_malformed: Draft { tip: U256::from(31_000_000_000_u64), ..Draft::to(OTHER) }
        .encode() => PriorityFeeAboveMaxFee;
    a_priority_fee_of_33_bytes_is_malformed: with_field(2, bytes(&[1; 33])) => IntegerNotCanonical, field 2;
    a_fee_of_33_bytes_is_malformed: with_field(3, bytes(&[1; 33])) => IntegerNotCanonical, field 3;
    a_gas_limit_of_nine_bytes_is_malformed: with_field(4, bytes(&[1; 9])) => IntegerNotCanonical, field 4;
    an_address_of_19_bytes_is_malformed: with_field(5, bytes(&[1; 19])) => AddressLength, field 5;
    an_address_of_21_bytes_is_malformed: with_field(5, bytes(&[1; 21])) => AddressLength, field 5;
    an_address_that_is_a_list_is_malformed: with_field(5, vec![0xc0]) => ItemKindDiffers, field 5;
    a_value_of_33_bytes_is_malformed: with_field(6, bytes(&[1; 33])) => IntegerNotCanonical, field 6;
    data_that_are_a_list_are_malformed: with_field(7, vec![0xc0]) => ItemKindDiffers, field 7;
    data_with_a_long_length_are_malformed: with_field(7, vec![0xb8, 2, 0xaa, 0xbb]) => RlpNotCanonical, field 7;
    data_that_claim_2_63_bytes_are_malformed: with_field(7, vec![0xbf, 0x80, 0, 0, 0, 0, 0, 0, 0])
        => RlpNotCanonical, field 7;
    an_access_list_that_is_a_string_is_malformed: with_field(8, vec![0x80]) => ItemKindDiffers, field 8;
    an_access_list_of_strings_is_malformed: with_access_list(&[&bytes(&OTHER)]) => AccessListMalformed, field 8;
    an_access_list_address_of_19_bytes_is_malformed: with_access_list(&[&access_entry(&[1; 19], &[])])
        => AccessListMalformed, field 8;
    a_storage_key_of_31_bytes_is_malformed: with_access_list(&[&access_entry(&OTHER, &[&[1; 31]])])
        => AccessListMalformed, field 8;
    a_storage_key_of_33_bytes_is_malformed: with_access_list(&[&access_entry(&OTHER, &[&[1; 33]])])
        => AccessListMalformed, field 8;
    an_access_list_entry_without_keys_is_malformed: with_access_list(&[&list(&[&bytes(&OTHER)])])
        => AccessListMalformed, field 8;
    an_access_list_entry_of_three_items_is_malformed:
        with_access_list(&[&list(&[&bytes(&OTHER), &list(&[]), &list(&[])])]) => AccessListMalformed, field 8;
    a_list_in_place_of_a_storage_key_is_malformed:
        with_access_list(&[&list(&[&bytes(&OTHER), &list(&[&list(&[])])])]) => AccessListMalformed, field 8;
}

#[test]
fn a_signed_transaction_is_refused_with_the_number_of_its_fields() {
    let signed = [&Draft::to(OTHER).fields()[..], &[integer(U256::ONE), vec![2], vec![3]]].concat();
    let expected = Why::new(Refusal::TransactionFieldCount).observed(Shown::uint(12)).limit(Shown::uint(9));
    assert_eq!(decode(&envelope(&signed)), Err(expected));
}

#[test]
fn an_access_list_is_counted() {
    let entries = [access_entry(&OTHER, &[&[1; 32], &[2; 32]]), access_entry(&TOKEN, &[])];
    let payload = with_access_list(&[&entries[0], &entries[1]]);
    let transaction = decode(&payload).unwrap();
    assert_eq!(transaction.access_list().addresses(), 2);
    assert_eq!(transaction.access_list().storage_keys(), 2);
    assert_eq!(transaction.access_list().items(), entries.concat());
}

#[test]
fn a_thousand_nested_lists_are_refused() {
    let mut nested = vec![0xc0];
    for _ in 0..1000 {
        nested = list(&[&nested]);
    }
    let why = decode(&with_field(8, nested)).unwrap_err();
    assert_eq!(why.refusal, Refusal::AccessListMalformed);
}

#[test]
fn an_empty_recipient_is_a_creation_whatever_the_data() {
    for data in [vec![], vec![0x60, 0x80], transfer().data] {
        let payload = Draft { to: None, data, ..Draft::to(OTHER) }.encode();
        assert_eq!(*decode(&payload).unwrap().call(), Call::Creation);
    }
}

/// What becomes of `transfer` when its call data are changed.
fn call_of(change: impl FnOnce(&mut Vec<u8>)) -> &'static str {
    let mut draft = transfer();
    change(&mut draft.data);
    match *decode(&draft.encode()).unwrap().call() {
        Call::NativeTransfer { .. } => "native",
        Call::Transfer { .. } => "transfer",
        Call::NotCanonical { .. } => "not canonical",
        Call::Unknown { selector: Some(_), .. } => "unknown",
        Call::Unknown { selector: None, .. } => "unknown without selector",
        Call::Approve { .. }
        | Call::TransferFrom { .. }
        | Call::Permit(_)
        | Call::Deposit { .. }
        | Call::Withdraw { .. }
        | Call::Permit2Approve(_)
        | Call::Permit2Revoke { .. }
        | Call::Swap(_)
        | Call::Batch(_)
        | Call::Creation => "other",
    }
}

#[test]
fn canonical_call_data_of_transfer_are_a_transfer() {
    assert_eq!(call_of(|_| {}), "transfer");
}

#[test]
fn one_byte_behind_the_words_is_not_canonical() {
    assert_eq!(call_of(|data| data.push(0)), "not canonical");
}

#[test]
fn one_word_behind_the_words_is_not_canonical() {
    assert_eq!(call_of(|data| data.extend([0; 32])), "not canonical");
}

#[test]
fn a_missing_byte_is_not_canonical() {
    assert_eq!(call_of(|data| data.truncate(67)), "not canonical");
}

#[test]
fn a_selector_alone_is_not_canonical() {
    assert_eq!(call_of(|data| data.truncate(4)), "not canonical");
}

#[test]
fn any_dirty_byte_above_an_address_is_not_canonical() {
    for at in 4..16 {
        assert_eq!(call_of(|data| data[at] = 1), "not canonical");
    }
}

#[test]
fn three_bytes_name_no_function() {
    assert_eq!(call_of(|data| data.truncate(3)), "unknown without selector");
}

#[test]
fn another_selector_is_unknown() {
    assert_eq!(call_of(|data| data[3] ^= 1), "unknown");
}

/// The words of a swap that is canonical, without a deadline.
fn swap_words() -> [U256; 7] {
    [word(TOKEN), word(OTHER), U256::from(3000), word(OTHER), U256::from(9), U256::from(8), U256::ZERO]
}

fn swap_is_canonical(words: &[U256], selector: u32) -> bool {
    let payload = Draft::call(OTHER, selector, words).encode();
    let transaction = decode(&payload).unwrap();
    let is_swap = matches!(transaction.call(), Call::Swap(_));
    assert_ne!(is_swap, matches!(transaction.call(), Call::NotCanonical { .. }));
    is_swap
}

#[test]
fn each_router_takes_its_own_number_of_words() {
    let seven = swap_words();
    let eight = [&seven[..4], &[U256::from(1_800_000_000)], &seven[4..]].concat();
    assert!(swap_is_canonical(&seven, 0x04e4_5aaf));
    assert!(!swap_is_canonical(&eight, 0x04e4_5aaf));
    assert!(swap_is_canonical(&eight, 0x414b_f389));
    assert!(!swap_is_canonical(&seven, 0x414b_f389));
}

#[test]
fn values_of_a_swap_must_fit_their_types() {
    let one_bit = |bit: usize| U256::ONE << bit;
    for (index, width) in [(0, 160), (1, 160), (2, 24), (3, 160), (6, 160)] {
        let mut words = swap_words();
        words[index] = one_bit(width - 1);
        assert!(swap_is_canonical(&words, 0x04e4_5aaf), "word {index} fits");
        words[index] = one_bit(width);
        assert!(!swap_is_canonical(&words, 0x04e4_5aaf), "word {index} is too wide");
        words[index] = U256::MAX;
        assert!(!swap_is_canonical(&words, 0x04e4_5aaf), "word {index} is far too wide");
    }
}
