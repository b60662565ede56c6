//! UniswapX orders and Permit2 permits as typed data: the payload that goes to the vault, which is the text that
//! a wallet takes too (`eth_signTypedData_v4`).
//!
//! ```text
//! {"types":{…},"domain":{"name":"Permit2","chainId":1,"verifyingContract":"0x…"},"primaryType":"…","message":{…}}
//! ```
//! Numbers are decimal text, addresses lower case, as ethers writes them.
//!
//! Guarantees: the permit says what its order says: spender, nonce, deadline, token and amount are written from
//! the order. What a builder returns was read by the vault's own decoder; whether its book allows it is another
//! question.
//! Refuses: more outputs, tokens or curve points than the vault reads.
//!
//! ```
//! use client_sdk::build::uniswapx::{DutchOutput, OrderInfo, PERMIT2, Permit2, Uint, V2DutchOrder};
//!
//! let permit2 = Permit2 { chain_id: 1, contract: PERMIT2 };
//! let own = [0x0c; 20];
//! let order = V2DutchOrder {
//!     info: OrderInfo::plain([0x01; 20], own, Uint::from(7), 1_790_000_600),
//!     cosigner: [0x02; 20],
//!     input_token: [0x03; 20],
//!     input_start_amount: Uint::from(1_000_000),
//!     input_end_amount: Uint::from(1_000_000),
//!     outputs: vec![DutchOutput {
//!         token: [0x04; 20],
//!         start_amount: Uint::from(400),
//!         end_amount: Uint::from(395),
//!         recipient: own,
//!     }],
//! };
//! let request = permit2.order(&order.into())?;
//! assert!(request.payload.starts_with(br#"{"types":{"EIP712Domain":"#));
//! # Ok::<(), client_sdk::build::uniswapx::Error>(())
//! ```

mod order;
mod text;

use std::fmt;

use venues::uniswapx::decode;
use venues::{Address, Payload as _, U256};
use wire::Why;

pub use order::{
    Curve, DutchOutput, ExclusiveDutchOrder, Order, OrderInfo, PriorityOrder, PriorityOutput, RelayFee,
    RelayOrder, V2DutchOrder, V3DutchOrder, V3DutchOutput,
};
pub use venues::U256 as Uint;
pub use venues::uniswapx::PERMIT2;

use text::{Object, list, types};

/// Why nothing was built: the rule of the vault's decoder that refuses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(pub Why);

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.refusal.explanation())
    }
}

impl std::error::Error for Error {}

/// Typed data, ready for the vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What goes to the vault, of kind [`crate::PayloadKind::UniswapxTypedData`]: JSON text.
    pub payload: Vec<u8>,
    /// What will be signed: the digest of EIP-712.
    pub digest: [u8; 32],
}

impl Request {
    /// The signature as Permit2 takes it: `r ‖ s ‖ v` with v 27 or 28. The vault's own last byte is the parity of y.
    #[must_use]
    pub fn wire_signature(&self, signature: &[u8; 65]) -> [u8; 65] {
        let mut wire = *signature;
        if let [.., v @ 0..=1] = &mut wire {
            *v += 27;
        }
        wire
    }
}

/// Where permits hold: the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permit2 {
    /// The chain (EIP-155).
    pub chain_id: u64,
    /// The contract, [`PERMIT2`] on every chain but zkSync.
    pub contract: Address,
}

/// A token and how much of it may be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenPermissions {
    /// The token.
    pub token: Address,
    /// Base units.
    pub amount: U256,
}

/// A permit to transfer once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferTerms {
    /// Who may move the tokens, and chooses where to.
    pub spender: Address,
    /// Permit2's unordered nonce.
    pub nonce: U256,
    /// The last moment, seconds since the Unix epoch.
    pub deadline: u64,
}

/// An allowance of one token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PermitDetails {
    /// The token.
    pub token: Address,
    /// Base units, a uint160.
    pub amount: U256,
    /// Seconds since the Unix epoch, a uint48.
    pub expiration: u64,
    /// Permit2's next nonce for owner, token and spender, a uint48.
    pub nonce: u64,
}

impl Permit2 {
    /// A permit whose witness is an order.
    ///
    /// # Errors
    /// [`Error`] when the vault does not read it: too many outputs or curve points.
    pub fn order(&self, order: &Order) -> Result<Request, Error> {
        let terms = order.terms();
        let message = transfer(permitted(&order.permitted()), &terms).value("witness", order.json());
        let witness = order.type_name();
        let permit = ("PermitWitnessTransferFrom", transfer_type("TokenPermissions", witness));
        let types = types(&[&[DOMAIN, TOKEN_PERMISSIONS, (permit.0, &permit.1)], order.types()].concat());
        self.request("PermitWitnessTransferFrom", &types, message)
    }

    /// A permit of two tokens whose witness is a relay order.
    ///
    /// # Errors
    /// [`Error`] when the vault does not read it.
    pub fn relay(&self, order: &RelayOrder) -> Result<Request, Error> {
        let terms = TransferTerms { spender: order.reactor, nonce: order.nonce, deadline: order.deadline };
        let both = list(order.permitted().iter().map(permitted));
        let message = transfer(both, &terms).value("witness", order.json());
        let permit = transfer_type("TokenPermissions[]", "RelayOrder");
        let types = types(
            &[&[DOMAIN, TOKEN_PERMISSIONS, ("PermitBatchWitnessTransferFrom", &permit)], RelayOrder::TYPES]
                .concat(),
        );
        self.request("PermitBatchWitnessTransferFrom", &types, message)
    }

    /// `PermitSingle`: sets an allowance of one token for `spender`.
    ///
    /// # Errors
    /// [`Error`] when a value does not fit its field.
    pub fn permit_single(
        &self,
        details_: PermitDetails,
        spender: Address,
        sig_deadline: u64,
    ) -> Result<Request, Error> {
        let fields = "PermitDetails details,address spender,uint256 sigDeadline";
        let types = types(&[DOMAIN, PERMIT_DETAILS, ("PermitSingle", fields)]);
        self.request("PermitSingle", &types, allowance(details(&details_), spender, sig_deadline))
    }

    /// `PermitBatch`: sets allowances of several tokens for `spender`.
    ///
    /// # Errors
    /// [`Error`] when a value does not fit its field, or there are too many tokens.
    pub fn permit_batch(
        &self,
        details_: &[PermitDetails],
        spender: Address,
        sig_deadline: u64,
    ) -> Result<Request, Error> {
        let fields = "PermitDetails[] details,address spender,uint256 sigDeadline";
        let types = types(&[DOMAIN, PERMIT_DETAILS, ("PermitBatch", fields)]);
        let message = allowance(list(details_.iter().map(details)), spender, sig_deadline);
        self.request("PermitBatch", &types, message)
    }

    /// `PermitTransferFrom`: a transfer of one token, without an order.
    ///
    /// # Errors
    /// [`Error`] when the vault does not read it.
    pub fn permit_transfer_from(
        &self,
        permitted_: TokenPermissions,
        terms: TransferTerms,
    ) -> Result<Request, Error> {
        let fields = "TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline";
        let types = types(&[DOMAIN, TOKEN_PERMISSIONS, ("PermitTransferFrom", fields)]);
        self.request("PermitTransferFrom", &types, transfer(permitted(&permitted_), &terms))
    }

    /// `PermitBatchTransferFrom`: a transfer of several tokens, without an order.
    ///
    /// # Errors
    /// [`Error`] when there are too many tokens.
    pub fn permit_batch_transfer_from(
        &self,
        permitted_: &[TokenPermissions],
        terms: TransferTerms,
    ) -> Result<Request, Error> {
        let fields = "TokenPermissions[] permitted,address spender,uint256 nonce,uint256 deadline";
        let types = types(&[DOMAIN, TOKEN_PERMISSIONS, ("PermitBatchTransferFrom", fields)]);
        let message = transfer(list(permitted_.iter().map(permitted)), &terms);
        self.request("PermitBatchTransferFrom", &types, message)
    }

    fn request(&self, primary_type: &str, types: &str, message: Object) -> Result<Request, Error> {
        let domain = Object::new()
            .text("name", "Permit2")
            .value("chainId", self.chain_id.to_string())
            .address("verifyingContract", &self.contract);
        let payload = Object::new()
            .value("types", types)
            .value("domain", domain.close())
            .text("primaryType", primary_type)
            .value("message", message.close())
            .close();
        let digest = decode(payload.as_bytes()).map_err(Error)?.label();
        Ok(Request { payload: payload.into_bytes(), digest })
    }
}

/// Name and fields of a struct type, as `encodeType` of EIP-712 writes the fields.
pub(crate) type StructType<'t> = (&'t str, &'t str);

const DOMAIN: StructType<'static> = ("EIP712Domain", "string name,uint256 chainId,address verifyingContract");
const TOKEN_PERMISSIONS: StructType<'static> = ("TokenPermissions", "address token,uint256 amount");
const PERMIT_DETAILS: StructType<'static> =
    ("PermitDetails", "address token,uint160 amount,uint48 expiration,uint48 nonce");

fn transfer_type(permitted: &str, witness: &str) -> String {
    format!("{permitted} permitted,address spender,uint256 nonce,uint256 deadline,{witness} witness")
}

fn permitted(permitted: &TokenPermissions) -> String {
    Object::new().address("token", &permitted.token).uint("amount", permitted.amount).close()
}

fn transfer(permitted: String, terms: &TransferTerms) -> Object {
    Object::new()
        .value("permitted", permitted)
        .address("spender", &terms.spender)
        .uint("nonce", terms.nonce)
        .uint("deadline", terms.deadline)
}

fn details(details: &PermitDetails) -> String {
    Object::new()
        .address("token", &details.token)
        .uint("amount", details.amount)
        .uint("expiration", details.expiration)
        .uint("nonce", details.nonce)
        .close()
}

fn allowance(details: String, spender: Address, sig_deadline: u64) -> Object {
    Object::new().value("details", details).address("spender", &spender).uint("sigDeadline", sig_deadline)
}
