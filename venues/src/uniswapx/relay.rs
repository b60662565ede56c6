//! Relay orders (`relayer/src/base/ReactorStructs.sol`): a fixed input for a recipient, a fee for the relayer,
//! and call data for the Universal Router.

use wire::Why;

use super::list::List;
use super::permit::{PERMITTED_MAX, TokenPermissions, TransferTerms, read_permitted_list};
use super::type_hashes as hashes;
use crate::json::Json;
use crate::typed_data::{
    HexBytes, Word, address, address_word, bytes, members, struct_hash, uint_word, uint256,
};
use crate::{Address, U256};

/// `PermitBatchWitnessTransferFrom` with a `RelayOrder` as its witness.
#[derive(Clone, Copy, Debug)]
pub struct Relay<'s> {
    /// What Permit2 may move: the input and the fee, in this order.
    pub permitted: List<TokenPermissions, PERMITTED_MAX>,
    /// Spender, nonce and deadline of the permit.
    pub terms: TransferTerms,
    /// `info`.
    pub info: RelayOrderInfo,
    /// `input`.
    pub input: RelayInput,
    /// `fee`.
    pub fee: FeeEscalator,
    /// What the Universal Router is called with.
    pub router_calldata: HexBytes<'s>,
}

/// `RelayOrderInfo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelayOrderInfo {
    /// The contract that relays.
    pub reactor: Address,
    /// Whose tokens are moved.
    pub swapper: Address,
    /// Permit2's unordered nonce.
    pub nonce: U256,
    /// The last moment, seconds since the Unix epoch.
    pub deadline: U256,
}

/// `Input`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelayInput {
    /// The token.
    pub token: Address,
    /// Base units.
    pub amount: U256,
    /// Who gets it.
    pub recipient: Address,
}

/// `FeeEscalator`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeeEscalator {
    /// The token.
    pub token: Address,
    /// Base units at `start_time`.
    pub start_amount: U256,
    /// Base units at `end_time`, the most.
    pub end_amount: U256,
    /// Seconds since the Unix epoch.
    pub start_time: U256,
    /// Seconds since the Unix epoch.
    pub end_time: U256,
}

/// Reads the message of a relay order.
pub(super) fn read_relay<'a>(json: &mut Json<'a>) -> Result<(Relay<'a>, Word), Why> {
    members!(json, {
        "permitted" => permitted: read_permitted_list(json),
        "spender" => spender: address(json),
        "nonce" => nonce: uint256(json),
        "deadline" => deadline: uint256(json),
        "witness" => witness: read_witness(json),
    });
    let ((permitted, permitted_hash), (witness, witness_hash)) = (permitted, witness);
    let Witness { info, input, fee, router_calldata } = witness;
    let hash = struct_hash(&[
        hashes::PERMIT_RELAY_ORDER,
        permitted_hash,
        address_word(&spender),
        uint_word(&nonce),
        uint_word(&deadline),
        witness_hash,
    ]);
    let terms = TransferTerms { spender, nonce, deadline };
    Ok((Relay { permitted, terms, info, input, fee, router_calldata }, hash))
}

struct Witness<'a> {
    info: RelayOrderInfo,
    input: RelayInput,
    fee: FeeEscalator,
    router_calldata: HexBytes<'a>,
}

fn read_witness<'a>(json: &mut Json<'a>) -> Result<(Witness<'a>, Word), Why> {
    members!(json, {
        "info" => info: read_info(json),
        "input" => input: read_input(json),
        "fee" => fee: read_fee(json),
        "universalRouterCalldata" => router_calldata: bytes(json),
    });
    let ((info, info_hash), (input, input_hash), (fee, fee_hash)) = (info, input, fee);
    let hash = struct_hash(&[hashes::RELAY_ORDER, info_hash, input_hash, fee_hash, router_calldata.hash()]);
    Ok((Witness { info, input, fee, router_calldata }, hash))
}

fn read_info(json: &mut Json<'_>) -> Result<(RelayOrderInfo, Word), Why> {
    members!(json, {
        "reactor" => reactor: address(json),
        "swapper" => swapper: address(json),
        "nonce" => nonce: uint256(json),
        "deadline" => deadline: uint256(json),
    });
    let hash = struct_hash(&[
        hashes::RELAY_ORDER_INFO,
        address_word(&reactor),
        address_word(&swapper),
        uint_word(&nonce),
        uint_word(&deadline),
    ]);
    Ok((RelayOrderInfo { reactor, swapper, nonce, deadline }, hash))
}

fn read_input(json: &mut Json<'_>) -> Result<(RelayInput, Word), Why> {
    members!(json, {
        "token" => token: address(json),
        "amount" => amount: uint256(json),
        "recipient" => recipient: address(json),
    });
    let hash =
        struct_hash(&[hashes::INPUT, address_word(&token), uint_word(&amount), address_word(&recipient)]);
    Ok((RelayInput { token, amount, recipient }, hash))
}

fn read_fee(json: &mut Json<'_>) -> Result<(FeeEscalator, Word), Why> {
    members!(json, {
        "token" => token: address(json),
        "startAmount" => start_amount: uint256(json),
        "endAmount" => end_amount: uint256(json),
        "startTime" => start_time: uint256(json),
        "endTime" => end_time: uint256(json),
    });
    let hash = struct_hash(&[
        hashes::FEE_ESCALATOR,
        address_word(&token),
        uint_word(&start_amount),
        uint_word(&end_amount),
        uint_word(&start_time),
        uint_word(&end_time),
    ]);
    Ok((FeeEscalator { token, start_amount, end_amount, start_time, end_time }, hash))
}
