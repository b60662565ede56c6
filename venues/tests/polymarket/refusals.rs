//! What the decoder refuses, and under which name.

use venues::polymarket::decode;
use wire::Refusal;

use crate::draft::{
    V1_EXCHANGE, V2_EXCHANGE, V3_EXCHANGE, clob_auth, clob_auth_with_contract, nested, v1,
    v1_types_around_v2, v2, with_a_type_too_many,
};
use crate::witness::Witness as _;

fn refusal(text: &str) -> Option<Refusal> {
    decode(text.as_bytes()).err().map(|why| why.refusal).witnessed()
}

macro_rules! rows {
    ($($name:ident: $text:expr, $refusal:ident;)+) => {
        $(#[test]
        fn $name() {
            assert_eq!(refusal(&$text), Some(Refusal::$refusal));
        })+
    };
}

rows! {
    a_side_of_2: v1(&[("side", "2")]), SideNotKnown;
    a_side_of_255_as_text: v2(&[("side", "\"0xff\"")]), SideNotKnown;
    a_side_beyond_its_type: v2(&[("side", "256")]), NumberOutOfRange;
    a_side_in_words: v1(&[("side", "\"BUY\"")]), NumberOutOfRange;
    a_signature_type_of_4: v2(&[("signatureType", "4")]), SignatureTypeNotKnown;
    a_signature_type_that_version_1_has_not: v1(&[("signatureType", "3")]), SignatureTypeNotKnown;

    another_domain_name: v1(&[("domain.name", "\"Polymarket CTF Exchange 2\"")]), DomainNotSupported;
    a_domain_version_that_does_not_exist: v2(&[("domain.version", "\"4\"")]), DomainNotSupported;
    a_domain_version_with_a_zero: v2(&[("domain.version", "\"02\"")]), DomainNotSupported;
    version_2_on_the_contract_of_version_1: v2(&[("domain.verifyingContract", V1_EXCHANGE)]), ExchangeNotSupported;
    version_1_on_the_contract_of_version_2: v1(&[("domain.verifyingContract", V2_EXCHANGE)]), ExchangeNotSupported;
    version_3_on_the_contract_of_version_2: v2(&[("domain.version", "\"3\"")]), ExchangeNotSupported;
    version_2_on_the_contract_of_version_3: v2(&[("domain.verifyingContract", V3_EXCHANGE)]), ExchangeNotSupported;
    the_struct_of_version_1_in_the_domain_of_version_2: v1(&[("domain.version", "\"2\""), ("domain.verifyingContract", V2_EXCHANGE)]), OrderVersionDiffers;
    the_struct_of_version_1_in_the_domain_of_version_3: v1(&[("domain.version", "\"3\""), ("domain.verifyingContract", V3_EXCHANGE)]), OrderVersionDiffers;
    the_struct_of_version_2_in_the_domain_of_version_1: v1_types_around_v2(&[]), OrderVersionDiffers;
    another_chain: v2(&[("domain.chainId", "1")]), ExchangeNotSupported;
    a_contract_of_polygon_on_amoy: v1(&[("domain.chainId", "80002")]), ExchangeNotSupported;
    chain_zero: v2(&[("domain.chainId", "\"0x0\"")]), ChainIdZero;

    another_wallet_name: nested(&[("name", "\"Deposit Wallet\"")]), WalletDomainNotSupported;
    another_wallet_version: nested(&[("version", "\"2\"")]), WalletDomainNotSupported;
    a_wallet_with_a_salt: nested(&[("salt", "\"0x0000000000000000000000000000000000000000000000000000000000000001\"")]), WalletDomainNotSupported;
    a_wallet_on_another_chain: nested(&[("chainId", "80002")]), WalletChainDiffers;
    a_nested_order_that_is_no_object: nested(&[("contents", "\"\"")]), FieldTypeNotExpected;
    a_nested_order_in_a_list: nested(&[("contents", "[]")]), FieldTypeNotExpected;

    another_sentence: clob_auth(&[("message", "\"This message attests that I control the given wallet.\"")]), AttestationNotSupported;
    a_sentence_with_an_escape: clob_auth(&[("message", "\"This message attests that I control the given walle\\u0074\"")]), JsonEscapeNotAllowed;
    a_timestamp_that_is_a_number: clob_auth(&[("timestamp", "1790000000")]), FieldTypeNotExpected;
    a_timestamp_with_a_zero_in_front: clob_auth(&[("timestamp", "\"01790000000\"")]), TimestampTextMalformed;
    a_timestamp_with_a_sign: clob_auth(&[("timestamp", "\"+1790000000\"")]), TimestampTextMalformed;
    a_timestamp_in_hexadecimal: clob_auth(&[("timestamp", "\"0x6ab13b80\"")]), TimestampTextMalformed;
    a_timestamp_that_is_empty: clob_auth(&[("timestamp", "\"\"")]), TimestampTextMalformed;
    a_timestamp_beyond_64_bits: clob_auth(&[("timestamp", "\"18446744073709551616\"")]), TimestampTextMalformed;
    a_clob_auth_of_another_domain: clob_auth(&[("domain.name", "\"Polymarket CTF Exchange\"")]), DomainNotSupported;
    a_clob_auth_of_another_version: clob_auth(&[("domain.version", "\"2\"")]), DomainNotSupported;
    a_clob_auth_of_another_chain: clob_auth(&[("domain.chainId", "1")]), DomainNotSupported;
    a_clob_auth_of_chain_zero: clob_auth(&[("domain.chainId", "0")]), ChainIdZero;
    a_clob_auth_with_a_contract: clob_auth_with_contract(), TypesNotSupported;

    a_struct_type_too_many: with_a_type_too_many(), TypesNotSupported;
    an_order_whose_primary_type_is_another: v2(&[]).replace("\"primaryType\":\"Order\"", "\"primaryType\":\"ClobAuth\""), TypesNotSupported;
    a_nested_order_that_calls_itself_plain: nested(&[]).replace("\"primaryType\":\"TypedDataSign\"", "\"primaryType\":\"Order\""), TypesNotSupported;
    text_after_the_document: format!("{} x", v1(&[])), TrailingBytes;
}

#[test]
fn what_the_rows_start_from_decodes() {
    for text in crate::draft::families() {
        assert_eq!(refusal(&text), None, "{text}");
    }
    let v3 = [("domain.version", "\"3\""), ("domain.verifyingContract", V3_EXCHANGE)];
    assert_eq!(refusal(&v2(&v3)), None);
    assert_eq!(refusal(&nested(&v3)), None);
}
