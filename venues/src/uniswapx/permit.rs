//! Permits of Permit2: allowances, and transfers without an order (`permit2/src/interfaces/*.sol`).

use wire::{Refusal, Why};

use super::list::List;
use super::type_hashes as hashes;
use crate::json::Json;
use crate::typed_data::{Word, address, address_word, members, struct_hash, uint, uint_word, uint256};
use crate::{Address, SINGLE_USE_IDS_MAX, U256};

/// Most tokens that a permit may name: each uses up a nonce of its own.
pub const PERMITTED_MAX: usize = SINGLE_USE_IDS_MAX;

/// What Permit2 may move once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenPermissions {
    /// The token.
    pub token: Address,
    /// The most of it, base units.
    pub amount: U256,
}

/// For whom, and until when, a transfer is permitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferTerms {
    /// Who may move the tokens.
    pub spender: Address,
    /// The unordered nonce.
    pub nonce: U256,
    /// The last moment, seconds since the Unix epoch.
    pub deadline: U256,
}

/// `PermitTransferFrom` and `PermitBatchTransferFrom`.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// The tokens.
    pub permitted: List<TokenPermissions, PERMITTED_MAX>,
    /// Spender, nonce and deadline.
    pub terms: TransferTerms,
}

/// An allowance of one token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PermitDetails {
    /// The token.
    pub token: Address,
    /// uint160, base units.
    pub amount: U256,
    /// uint48, seconds since the Unix epoch; 0 means the block that takes the permit.
    pub expiration: U256,
    /// uint48; ordered, by token and spender.
    pub nonce: U256,
}

/// `PermitSingle` and `PermitBatch`.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// The tokens.
    pub details: List<PermitDetails, PERMITTED_MAX>,
    /// Who may move them.
    pub spender: Address,
    /// The last moment the permit is taken, seconds since the Unix epoch.
    pub sig_deadline: U256,
}

pub(super) fn read_permitted(json: &mut Json<'_>) -> Result<(TokenPermissions, Word), Why> {
    members!(json, { "token" => token: address(json), "amount" => amount: uint256(json) });
    let hash = struct_hash(&[hashes::TOKEN_PERMISSIONS, address_word(&token), uint_word(&amount)]);
    Ok((TokenPermissions { token, amount }, hash))
}

pub(super) fn read_permitted_list(
    json: &mut Json<'_>,
) -> Result<(List<TokenPermissions, PERMITTED_MAX>, Word), Why> {
    List::read(json, Refusal::TooManyPermittedTokens, read_permitted)
}

pub(super) fn read_transfer(json: &mut Json<'_>) -> Result<(Transfer, Word), Why> {
    members!(json, {
        "permitted" => permitted: read_permitted(json),
        "spender" => spender: address(json),
        "nonce" => nonce: uint256(json),
        "deadline" => deadline: uint256(json),
    });
    let (permitted, permitted_hash) = permitted;
    let transfer =
        Transfer { permitted: List::of(permitted), terms: TransferTerms { spender, nonce, deadline } };
    Ok((transfer, hash_transfer(hashes::PERMIT_TRANSFER_FROM, permitted_hash, &transfer.terms)))
}

pub(super) fn read_transfer_batch(json: &mut Json<'_>) -> Result<(Transfer, Word), Why> {
    members!(json, {
        "permitted" => permitted: read_permitted_list(json),
        "spender" => spender: address(json),
        "nonce" => nonce: uint256(json),
        "deadline" => deadline: uint256(json),
    });
    let (permitted, permitted_hash) = permitted;
    let transfer = Transfer { permitted, terms: TransferTerms { spender, nonce, deadline } };
    Ok((transfer, hash_transfer(hashes::PERMIT_BATCH_TRANSFER_FROM, permitted_hash, &transfer.terms)))
}

fn hash_transfer(type_hash: Word, permitted: Word, terms: &TransferTerms) -> Word {
    struct_hash(&[
        type_hash,
        permitted,
        address_word(&terms.spender),
        uint_word(&terms.nonce),
        uint_word(&terms.deadline),
    ])
}

pub(super) fn read_allowance(json: &mut Json<'_>) -> Result<(Allowance, Word), Why> {
    members!(json, {
        "details" => details: read_details(json),
        "spender" => spender: address(json),
        "sigDeadline" => sig_deadline: uint256(json),
    });
    let (details, details_hash) = details;
    let allowance = Allowance { details: List::of(details), spender, sig_deadline };
    Ok((allowance, hash_allowance(hashes::PERMIT_SINGLE, details_hash, &allowance)))
}

pub(super) fn read_allowance_batch(json: &mut Json<'_>) -> Result<(Allowance, Word), Why> {
    members!(json, {
        "details" => details: List::read(json, Refusal::TooManyPermittedTokens, read_details),
        "spender" => spender: address(json),
        "sigDeadline" => sig_deadline: uint256(json),
    });
    let (details, details_hash) = details;
    let allowance = Allowance { details, spender, sig_deadline };
    Ok((allowance, hash_allowance(hashes::PERMIT_BATCH, details_hash, &allowance)))
}

fn hash_allowance(type_hash: Word, details: Word, allowance: &Allowance) -> Word {
    struct_hash(&[type_hash, details, address_word(&allowance.spender), uint_word(&allowance.sig_deadline)])
}

fn read_details(json: &mut Json<'_>) -> Result<(PermitDetails, Word), Why> {
    members!(json, {
        "token" => token: address(json),
        "amount" => amount: uint(json, 160),
        "expiration" => expiration: uint(json, 48),
        "nonce" => nonce: uint(json, 48),
    });
    let hash = struct_hash(&[
        hashes::PERMIT_DETAILS,
        address_word(&token),
        uint_word(&amount),
        uint_word(&expiration),
        uint_word(&nonce),
    ]);
    Ok((PermitDetails { token, amount, expiration, nonce }, hash))
}
