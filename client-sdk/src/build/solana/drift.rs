//! Instructions of Drift v2 and Velocity, encoded as `venues/src/solana` lays them out (`drift.rs`, `velocity.rs`).

use venues::solana::rules::{MarketKind, Program};
use venues::solana::{DRIFT_V2, Direction, ModifyOrderParams, OrderParams, TOKEN_PROGRAM, VELOCITY_V1};

use super::data::Data;
use super::{AccountMeta, BuildError, Instruction, Key};

/// The accounts of an instruction of Drift v2 or Velocity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriftAccounts {
    /// Whose instruction it is. Of Velocity the vault signs placePerpOrder, placeOrders, placeAndTakePerpOrder and
    /// modifyOrderByUserId.
    pub program: Program,
    /// The program's state account.
    pub state: Key,
    /// The user account.
    pub user: Key,
    /// The authority's statistics account; [`Instruction::place_and_take_perp_order`], [`Instruction::deposit`] and
    /// [`Instruction::withdraw`] need it.
    pub user_stats: Option<Key>,
    /// The key that owns the user account, and signs.
    pub authority: Key,
    /// Oracles, then spot markets, then perpetual markets: those of the orders and of the user's positions.
    pub remaining: Vec<AccountMeta>,
}

/// Tokens that move between a token account and the vault of a spot market.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The spot market's index.
    pub market_index: u16,
    /// The market's vault.
    pub vault: Key,
    /// The token account that a deposit comes from or a withdrawal goes to (SPL Token).
    pub token_account: Key,
    /// Amount, in the token's smallest unit.
    pub amount: u64,
    /// A deposit that only pays back what was borrowed; a withdrawal that borrows nothing.
    pub reduce_only: bool,
}

/// Which order a modification replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// The last one.
    Last,
    /// The one with this id of the program.
    OrderId(u32),
    /// The one with this number of the user.
    UserOrderId(u8),
}

impl Instruction {
    /// Places one perpetual order.
    ///
    /// # Errors
    /// [`BuildError::FieldNotInLayout`].
    pub fn place_perp_order(accounts: &DriftAccounts, order: &OrderParams) -> Result<Self, BuildError> {
        let data =
            Data::of([0x45, 0xa1, 0x5d, 0xca, 0x78, 0x7e, 0x4c, 0xb9]).order(accounts.program, order)?;
        Ok(venue(accounts, None, &[], data))
    }

    /// Places one spot order (Drift v2).
    ///
    /// # Errors
    /// [`BuildError::FieldNotInLayout`].
    pub fn place_spot_order(accounts: &DriftAccounts, order: &OrderParams) -> Result<Self, BuildError> {
        let data =
            Data::of([0x2d, 0x4f, 0x51, 0xa0, 0xf8, 0x5a, 0x5b, 0xdc]).order(accounts.program, order)?;
        Ok(venue(accounts, None, &[], data))
    }

    /// Places several orders.
    ///
    /// # Errors
    /// [`BuildError::ListTooLong`], [`BuildError::FieldNotInLayout`].
    pub fn place_orders(accounts: &DriftAccounts, orders: &[OrderParams]) -> Result<Self, BuildError> {
        let data = Data::of([0x3c, 0x3f, 0x32, 0x7b, 0x0c, 0xc5, 0x3c, 0xbe]).count(orders.len())?;
        let data = orders.iter().try_fold(data, |data, order| data.order(accounts.program, order))?;
        Ok(venue(accounts, None, &[], data))
    }

    /// Places one perpetual order that takes at once from the makers in `accounts.remaining`.
    ///
    /// # Errors
    /// [`BuildError::UserStatsMissing`], [`BuildError::FieldNotInLayout`].
    pub fn place_and_take_perp_order(
        accounts: &DriftAccounts,
        order: &OrderParams,
        success_condition: Option<u32>,
    ) -> Result<Self, BuildError> {
        let stats = accounts.user_stats.ok_or(BuildError::UserStatsMissing)?;
        let data = Data::of([0xd5, 0x33, 0x01, 0xbb, 0x6c, 0xdc, 0xe6, 0xe0])
            .order(accounts.program, order)?
            .option(success_condition.map(u32::to_le_bytes));
        Ok(venue(accounts, Some(stats), &[], data))
    }

    /// Cancels the order with this id of the program, without one the last.
    #[must_use]
    pub fn cancel_order(accounts: &DriftAccounts, order_id: Option<u32>) -> Self {
        let data =
            Data::of([0x5f, 0x81, 0xed, 0xf0, 0x08, 0x31, 0xdf, 0x84]).option(order_id.map(u32::to_le_bytes));
        venue(accounts, None, &[], data)
    }

    /// Cancels the order with this number of the user.
    #[must_use]
    pub fn cancel_order_by_user_id(accounts: &DriftAccounts, user_order_id: u8) -> Self {
        let data = Data::of([0x6b, 0xd3, 0xfa, 0x85, 0x12, 0x25, 0x39, 0x64]).bytes(&[user_order_id]);
        venue(accounts, None, &[], data)
    }

    /// Cancels the orders that match every filter that is there.
    #[must_use]
    pub fn cancel_orders(
        accounts: &DriftAccounts,
        market_kind: Option<MarketKind>,
        market_index: Option<u16>,
        direction: Option<Direction>,
    ) -> Self {
        let data = Data::of([0xee, 0xe1, 0x5f, 0x9e, 0xe3, 0x67, 0x08, 0xc2])
            .option(market_kind.map(|kind| [kind as u8]))
            .option(market_index.map(u16::to_le_bytes))
            .option(direction.map(|direction| [direction.tag()]));
        venue(accounts, None, &[], data)
    }

    /// Cancels the orders with these ids of the program.
    ///
    /// # Errors
    /// [`BuildError::ListTooLong`].
    pub fn cancel_orders_by_ids(accounts: &DriftAccounts, order_ids: &[u32]) -> Result<Self, BuildError> {
        let data = Data::of([0x86, 0x13, 0x90, 0xa5, 0x5e, 0xf0, 0xd2, 0x5e]).count(order_ids.len())?;
        let data = order_ids.iter().fold(data, |data, id| data.bytes(&id.to_le_bytes()));
        Ok(venue(accounts, None, &[], data))
    }

    /// Replaces an order by one that differs in what is there in `params`.
    ///
    /// # Errors
    /// [`BuildError::FieldNotInLayout`].
    pub fn modify_order(
        accounts: &DriftAccounts,
        replaced: Replaced,
        params: &ModifyOrderParams,
    ) -> Result<Self, BuildError> {
        const BY_ID: [u8; 8] = [0x2f, 0x7c, 0x75, 0xff, 0xc9, 0xc5, 0x82, 0x5e];
        const BY_USER_ID: [u8; 8] = [0x9e, 0x4d, 0x04, 0xfd, 0xfc, 0xc2, 0xa1, 0xb3];
        let data = match replaced {
            Replaced::Last => Data::of(BY_ID).option::<4>(None),
            Replaced::OrderId(id) => Data::of(BY_ID).option(Some(id.to_le_bytes())),
            Replaced::UserOrderId(id) => Data::of(BY_USER_ID).bytes(&[id]),
        };
        Ok(venue(accounts, None, &[], data.modification(accounts.program, params)?))
    }

    /// Moves tokens of the authority into the user account (Drift v2).
    ///
    /// # Errors
    /// [`BuildError::UserStatsMissing`].
    pub fn deposit(accounts: &DriftAccounts, transfer: &Transfer) -> Result<Self, BuildError> {
        const DEPOSIT: [u8; 8] = [0xf2, 0x23, 0xc6, 0x89, 0x52, 0xe1, 0xf2, 0xb6];
        transferring(accounts, transfer, DEPOSIT, &[])
    }

    /// Moves tokens out of the user account (Drift v2). `signer` is the account that signs for the program's
    /// vaults.
    ///
    /// # Errors
    /// [`BuildError::UserStatsMissing`].
    pub fn withdraw(accounts: &DriftAccounts, transfer: &Transfer, signer: Key) -> Result<Self, BuildError> {
        const WITHDRAW: [u8; 8] = [0xb7, 0x12, 0x46, 0x9c, 0x94, 0x6d, 0xa1, 0x22];
        transferring(accounts, transfer, WITHDRAW, &[AccountMeta::readonly(signer)])
    }

    /// Settles the profit and loss of a perpetual market.
    #[must_use]
    pub fn settle_pnl(accounts: &DriftAccounts, spot_market_vault: Key, market_index: u16) -> Self {
        let data =
            Data::of([0x2b, 0x3d, 0xea, 0x2d, 0x0f, 0x5f, 0x98, 0x99]).bytes(&market_index.to_le_bytes());
        venue(accounts, None, &[AccountMeta::readonly(spot_market_vault)], data)
    }
}

fn transferring(
    accounts: &DriftAccounts,
    transfer: &Transfer,
    discriminator: [u8; 8],
    signer: &[AccountMeta],
) -> Result<Instruction, BuildError> {
    let stats = accounts.user_stats.ok_or(BuildError::UserStatsMissing)?;
    let data = Data::of(discriminator)
        .bytes(&transfer.market_index.to_le_bytes())
        .bytes(&transfer.amount.to_le_bytes())
        .bytes(&[transfer.reduce_only.into()]);
    let token_account = AccountMeta::writable(transfer.token_account);
    let more = [
        &[AccountMeta::writable(transfer.vault)],
        signer,
        &[token_account, AccountMeta::readonly(TOKEN_PROGRAM)],
    ]
    .concat();
    Ok(venue(accounts, Some(stats), &more, data))
}

fn venue(accounts: &DriftAccounts, stats: Option<Key>, more: &[AccountMeta], data: Data) -> Instruction {
    let mut metas = vec![AccountMeta::readonly(accounts.state), AccountMeta::writable(accounts.user)];
    metas.extend(stats.map(AccountMeta::writable));
    metas.push(AccountMeta::signer(accounts.authority));
    metas.extend(more);
    metas.extend(&accounts.remaining);
    let program = match accounts.program {
        Program::DriftV2 => DRIFT_V2,
        Program::VelocityV1 => VELOCITY_V1,
    };
    Instruction { program, accounts: metas, data: data.0 }
}
