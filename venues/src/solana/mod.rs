//! Solana messages: Drift v2 orders.
//!
//! What is signed is the message itself (Ed25519, no prehash), so the preimage is the very bytes that were
//! read. Layouts are keyed by program id and compiled in; the README beside this file says what is
//! supported and what is not.

mod compute_budget;
mod cursor;
mod decode;
mod drift;
mod facts;
mod judge;
mod message;
mod order;
pub mod rules;

use wire::facts::FactSink;
use wire::{Now, Why};

pub use compute_budget::{COMPUTE_BUDGET, ComputeBudget, UNIT_LIMIT_MAX};
pub use decode::decode;
pub use drift::{Action, DRIFT_V2, ORDERS_MAX, Orders};
pub use message::{
    ACCOUNTS_MAX, CompiledInstruction, INSTRUCTIONS_MAX, Lookup, MessageView, TRANSACTION_SIZE_MAX, Version,
};
pub use order::{Direction, ModifyOrderParams, OrderParams, OrderType, PostOnly, TriggerCondition};

use crate::payload::sealed::Sealed;
use crate::{AccountKey, Charge, Ed25519, Grants, Message, Payload};

/// Most instructions of a venue in one message; more are not supported. A book never allows the same one twice.
pub const INSTRUCTIONS_KEPT_MAX: usize = 8;

/// A Solana message that was decoded whole.
#[derive(Clone, Copy, Debug)]
pub struct Transaction<'f> {
    label: [u8; 32],
    view: MessageView<'f>,
    compute_budget: ComputeBudget,
    instructions: [Option<Instruction<'f>>; INSTRUCTIONS_KEPT_MAX],
}

/// One Drift instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'f> {
    /// Its place in the message, counted from 0.
    pub position: usize,
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
    accounts: &'f [u8],
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

    /// Its Drift instructions, in order.
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
        judge::judge(self, limits, account)?;
        Ok(Charge::default())
    }

    fn facts(&self, sink: &mut dyn FactSink) {
        facts::tell(self, sink);
    }
}
