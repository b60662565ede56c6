//! Typed data as JSON, read by serde_json into static structs.

use std::fmt;
use std::hint::black_box;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Error, Visitor};
use serde::{Deserialize, Deserializer};
use venues::U256;

/// Reads typed data whose message is of the named kind.
pub(crate) fn read(kind: &str, text: &[u8]) -> Option<()> {
    match kind {
        "ExclusiveDutchOrder" => document::<Transfer<ExclusiveDutchOrder>>(text),
        "V2DutchOrder" => document::<Transfer<V2DutchOrder>>(text),
        "V3DutchOrder" => document::<Transfer<V3DutchOrder>>(text),
        "PriorityOrder" => document::<Transfer<PriorityOrder>>(text),
        "PermitSingle" => document::<PermitSingle>(text),
        "PermitBatch" => document::<PermitBatch>(text),
        "PermitTransferFrom" => document::<PermitTransferFrom>(text),
        "OrderV1" => document::<OrderV1>(text),
        "OrderV2" => document::<OrderV2>(text),
        "OrderV2_POLY_1271" => document::<TypedDataSign>(text),
        "ClobAuth" => document::<ClobAuth>(text),
        _ => None,
    }
}

fn document<M: DeserializeOwned>(text: &[u8]) -> Option<()> {
    black_box(serde_json::from_slice::<Document<M>>(text).ok()?);
    Some(())
}

/// Typed data with a message of type `M`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document<M> {
    types: Types,
    primary_type: String,
    domain: Domain,
    message: M,
}

macro_rules! structs {
    ($($name:ident$(<$parameter:ident>)? { $($field:ident: $type:ty,)+ })+) => {
        $(#[derive(Debug, Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct $name$(<$parameter>)? {
            $($field: $type,)+
        })+
    };
}

/// The fields of a struct type.
type Fields = Option<Vec<Field>>;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Types {
    #[serde(rename = "EIP712Domain")]
    domain: Fields,
    permit_witness_transfer_from: Fields,
    permit_transfer_from: Fields,
    permit_single: Fields,
    permit_batch: Fields,
    permit_details: Fields,
    token_permissions: Fields,
    order_info: Fields,
    dutch_output: Fields,
    exclusive_dutch_order: Fields,
    #[serde(rename = "V2DutchOrder")]
    v2_dutch_order: Fields,
    #[serde(rename = "V3DutchOrder")]
    v3_dutch_order: Fields,
    #[serde(rename = "V3DutchInput")]
    v3_dutch_input: Fields,
    #[serde(rename = "V3DutchOutput")]
    v3_dutch_output: Fields,
    nonlinear_dutch_decay: Fields,
    priority_order: Fields,
    priority_input: Fields,
    priority_output: Fields,
    order: Fields,
    typed_data_sign: Fields,
    clob_auth: Fields,
}

structs! {
    Field { name: String, r#type: String, }
    Domain { name: String, version: Option<String>, chain_id: Uint, verifying_contract: Option<Address>, }
    TokenPermissions { token: Address, amount: Uint, }
    Transfer<W> {
        permitted: TokenPermissions,
        spender: Address,
        nonce: Uint,
        deadline: Uint,
        witness: W,
    }
    PermitTransferFrom { permitted: TokenPermissions, spender: Address, nonce: Uint, deadline: Uint, }
    PermitDetails { token: Address, amount: Uint, expiration: Uint, nonce: Uint, }
    PermitSingle { details: PermitDetails, spender: Address, sig_deadline: Uint, }
    PermitBatch { details: Vec<PermitDetails>, spender: Address, sig_deadline: Uint, }
    OrderInfo {
        reactor: Address,
        swapper: Address,
        nonce: Uint,
        deadline: Uint,
        additional_validation_contract: Address,
        additional_validation_data: String,
    }
    DutchOutput { token: Address, start_amount: Uint, end_amount: Uint, recipient: Address, }
    ExclusiveDutchOrder {
        info: OrderInfo,
        decay_start_time: Uint,
        decay_end_time: Uint,
        exclusive_filler: Address,
        exclusivity_override_bps: Uint,
        input_token: Address,
        input_start_amount: Uint,
        input_end_amount: Uint,
        outputs: Vec<DutchOutput>,
    }
    V2DutchOrder {
        info: OrderInfo,
        cosigner: Address,
        base_input_token: Address,
        base_input_start_amount: Uint,
        base_input_end_amount: Uint,
        base_outputs: Vec<DutchOutput>,
    }
    Decay { relative_blocks: Uint, relative_amounts: Vec<Int>, }
    V3DutchInput {
        token: Address,
        start_amount: Uint,
        curve: Decay,
        max_amount: Uint,
        adjustment_per_gwei_base_fee: Uint,
    }
    V3DutchOutput {
        token: Address,
        start_amount: Uint,
        curve: Decay,
        recipient: Address,
        min_amount: Uint,
        adjustment_per_gwei_base_fee: Uint,
    }
    V3DutchOrder {
        info: OrderInfo,
        cosigner: Address,
        starting_base_fee: Uint,
        base_input: V3DutchInput,
        base_outputs: Vec<V3DutchOutput>,
    }
    PriorityInput { token: Address, amount: Uint, mps_per_priority_fee_wei: Uint, }
    PriorityOutput { token: Address, amount: Uint, mps_per_priority_fee_wei: Uint, recipient: Address, }
    PriorityOrder {
        info: OrderInfo,
        cosigner: Address,
        auction_start_block: Uint,
        baseline_priority_fee_wei: Uint,
        input: PriorityInput,
        outputs: Vec<PriorityOutput>,
    }
    OrderV1 {
        salt: Uint,
        maker: Address,
        signer: Address,
        taker: Address,
        token_id: Uint,
        maker_amount: Uint,
        taker_amount: Uint,
        expiration: Uint,
        nonce: Uint,
        fee_rate_bps: Uint,
        side: Uint,
        signature_type: Uint,
    }
    OrderV2 {
        salt: Uint,
        maker: Address,
        signer: Address,
        token_id: Uint,
        maker_amount: Uint,
        taker_amount: Uint,
        side: Uint,
        signature_type: Uint,
        timestamp: Uint,
        metadata: Bytes<32>,
        builder: Bytes<32>,
    }
    TypedDataSign {
        contents: OrderV2,
        name: String,
        version: String,
        chain_id: Uint,
        verifying_contract: Address,
        salt: Bytes<32>,
    }
    ClobAuth { address: Address, timestamp: String, nonce: Uint, message: String, }
}

type Address = Bytes<20>;

#[derive(Debug)]
struct Bytes<const N: usize>([u8; N]);

#[derive(Debug)]
struct Uint(U256);

#[derive(Debug)]
struct Int(bool, U256);

/// Reads a value from its text.
struct FromText<T>(fn(&str) -> Option<T>, PhantomData<T>);

impl<T> Visitor<'_> for FromText<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text or a small number")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.0)(text).ok_or_else(|| E::custom("another text"))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<T, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<T, E> {
        self.visit_str(&value.to_string())
    }
}

impl<'de, const N: usize> Deserialize<'de> for Bytes<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FromText(bytes, PhantomData))
    }
}

impl<'de> Deserialize<'de> for Uint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FromText(|text| uint(text).map(Self), PhantomData))
    }
}

impl<'de> Deserialize<'de> for Int {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = |text: &str| {
            let digits = text.strip_prefix('-');
            Some(Self(digits.is_some(), uint(digits.unwrap_or(text))?))
        };
        deserializer.deserialize_any(FromText(read, PhantomData))
    }
}

fn uint(text: &str) -> Option<U256> {
    match text.strip_prefix("0x") {
        Some(digits) => U256::from_str_radix(digits, 16).ok(),
        None => U256::from_str_radix(text, 10).ok(),
    }
}

fn bytes<const N: usize>(text: &str) -> Option<Bytes<N>> {
    let mut bytes = [0; N];
    let (pairs, _) = text.get(2..)?.as_bytes().as_chunks::<2>();
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        let digit = |digit: u8| char::from(digit).to_digit(16);
        *byte = u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?;
    }
    (pairs.len() == N).then_some(Bytes(bytes))
}
