//! Solana messages: Drift v2 and Velocity; and Drift's Swift texts.
//!
//! What is signed is the message or text itself (Ed25519, no prehash), so the preimage is the very bytes that
//! were read. Layouts are keyed by program id and compiled in; the README beside this file says what is
//! supported and what is not.

mod action;
mod compute_budget;
mod cursor;
mod decode;
mod drift;
mod exposure;
mod facts;
mod judge;
mod known;
mod message;
mod order;
mod orders;
pub mod rules;
mod swift;
mod velocity;

use crate::exposure::{Effect, Exposures, TokenValue};
use wire::Venue;
use wire::facts::FactSink;
use wire::{Now, Why};

pub use action::{Action, Movement};
pub use compute_budget::{COMPUTE_BUDGET, ComputeBudget, UNIT_LIMIT_MAX};
pub use decode::decode;
pub use drift::DRIFT_V2;
pub use known::CATALOGUE;
pub use message::{
    ACCOUNTS_MAX, CompiledInstruction, INSTRUCTIONS_MAX, Lookup, MessageView, TRANSACTION_SIZE_MAX, Version,
};
pub use order::{Direction, ModifyOrderParams, OrderParams, OrderType, PostOnly, TriggerCondition};
pub use orders::{ORDERS_MAX, Orders};
pub use swift::{
    IsolatedDeposit, SWIFT_TEXT_SIZE_MAX, SwiftAccount, SwiftMessage, SwiftOrder, TriggerOrder, decode_swift,
};
pub use velocity::VELOCITY_V1;

use crate::payload::sealed::Sealed;
use crate::{AccountKey, Charge, Ed25519, Grants, Message, Payload};

/// Most instructions of a venue in one message; more are not supported. A book never allows the same one twice.
pub const INSTRUCTIONS_KEPT_MAX: usize = 8;

/// The SPL Token program, TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA.
pub const TOKEN_PROGRAM: AccountKey = [
    6, 221, 246, 225, 215, 101, 161, 147, 217, 203, 225, 70, 206, 235, 121, 172, 28, 180, 133, 237, 95, 91,
    55, 145, 58, 140, 245, 133, 126, 255, 0, 169,
];

/// A Solana message that was decoded whole.
#[derive(Clone, Copy, Debug)]
pub struct Transaction<'f> {
    label: [u8; 32],
    view: MessageView<'f>,
    compute_budget: ComputeBudget,
    instructions: [Option<Instruction<'f>>; INSTRUCTIONS_KEPT_MAX],
}

/// One instruction of Drift v2 or Velocity.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'f> {
    /// Its place in the message, counted from 0.
    pub position: usize,
    /// Whose it is, and so which layout it has.
    pub program: rules::Program,
    /// What it asks for.
    pub action: Action<'f>,
    /// The account at the state position.
    pub state: &'f AccountKey,
    /// The account at the user position.
    pub user: &'f AccountKey,
    /// Whether the user account stands in the message itself.
    pub user_is_static: bool,
    /// The account at the user statistics position, where the layout has one.
    pub user_stats: Option<&'f AccountKey>,
    /// The account at the authority position; it signs.
    pub authority: &'f AccountKey,
    /// The accounts between which tokens move, for a deposit or a withdrawal.
    pub movement: Option<MovementAccounts<'f>>,
    accounts: &'f [u8],
}

/// The accounts that only deposits and withdrawals have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovementAccounts<'f> {
    /// The account at the position of the spot market's vault.
    pub vault: &'f AccountKey,
    /// The account at the position of the program's signer, where the layout has one.
    pub signer: Option<&'f AccountKey>,
    /// Where a deposit comes from or a withdrawal goes to.
    pub token_account: &'f AccountKey,
    /// Whether that account stands in the message itself.
    pub token_account_is_static: bool,
}

impl<'f> Transaction<'f> {
    /// The message behind it.
    #[must_use]
    pub const fn view(&self) -> &MessageView<'f> {
        &self.view
    }

    /// What it says about its compute budget.
    #[must_use]
    pub const fn compute_budget(&self) -> ComputeBudget {
        self.compute_budget
    }

    /// Its instructions of the venues, in order.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction<'f>> {
        self.instructions.iter().flatten()
    }

    /// Whether `key` is one of the accounts passed to `instruction`.
    fn passes(&self, instruction: &Instruction<'_>, key: &AccountKey) -> bool {
        let mut indexes = instruction.accounts.iter();
        indexes.any(|index| self.view.account(*index) == Some(key))
    }
}

impl Sealed for Transaction<'_> {}

impl Payload for Transaction<'_> {
    const VENUE: Venue = Venue::Solana;

    /// The most that any of its instructions can do; a message without one of the venue's is no cancel.
    fn effect(&self, _account: &AccountKey) -> Effect {
        self.instructions().map(|instruction| instruction.action.effect()).max().unwrap_or(Effect::Opens)
    }

    fn expose(
        &self,
        limits: &Self::Limits<'_>,
        _values: &[TokenValue<'_>],
        exposures: &mut Exposures,
    ) -> Result<(), Why> {
        exposure::expose(self, limits, exposures)
    }

    type Scheme = Ed25519;
    type Limits<'b> = rules::Limits<'b>;

    fn preimage(&self) -> Message<'_> {
        Message::new(self.view.bytes())
    }

    fn label(&self) -> [u8; 32] {
        self.label
    }

    fn canonical(&self) -> &[u8] {
        self.view.bytes()
    }

    fn limits<'g, 'b>(grants: &'g Grants<'b>) -> Option<&'g rules::Limits<'b>> {
        grants.solana.as_ref()
    }

    fn judge(&self, limits: &rules::Limits<'_>, account: &AccountKey, _now: Now) -> Result<Charge, Why> {
        judge::judge_transaction(self, limits, account)?;
        Ok(Charge::default())
    }

    fn facts(&self, sink: &mut dyn FactSink) {
        facts::tell(self, sink);
    }
}

impl Sealed for SwiftMessage<'_> {}

impl Payload for SwiftMessage<'_> {
    const VENUE: Venue = Venue::Solana;

    fn effect(&self, _account: &AccountKey) -> Effect {
        exposure::swift_effect(self.order())
    }

    fn expose(
        &self,
        limits: &Self::Limits<'_>,
        _values: &[TokenValue<'_>],
        exposures: &mut Exposures,
    ) -> Result<(), Why> {
        exposure::expose_swift(self.order(), limits, exposures)
    }

    type Scheme = Ed25519;
    type Limits<'b> = rules::Limits<'b>;

    fn preimage(&self) -> Message<'_> {
        Message::new(self.text())
    }

    fn label(&self) -> [u8; 32] {
        self.text_label()
    }

    fn canonical(&self) -> &[u8] {
        self.text()
    }

    fn limits<'g, 'b>(grants: &'g Grants<'b>) -> Option<&'g rules::Limits<'b>> {
        grants.solana.as_ref()
    }

    fn judge(&self, limits: &rules::Limits<'_>, account: &AccountKey, _now: Now) -> Result<Charge, Why> {
        judge::judge_swift(self.order(), limits, account)?;
        Ok(Charge::default())
    }

    fn facts(&self, sink: &mut dyn FactSink) {
        facts::tell_swift(self, sink);
    }
}
