//! Drift v2 instructions, encoded as `venues/src/solana/drift.rs` lays them out.

use venues::solana::{DRIFT_V2, Direction, ModifyOrderParams, OrderParams, rules::MarketKind};

use super::{AccountMeta, BuildError, Instruction, Key};

/// The accounts of a Drift instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriftAccounts {
    /// The program's state account.
    pub state: Key,
    /// The user account.
    pub user: Key,
    /// The authority's statistics account; only [`Instruction::place_and_take_perp_order`] needs it.
    pub user_stats: Option<Key>,
    /// The key that owns the user account, and signs.
    pub authority: Key,
    /// Oracles, then spot markets, then perpetual markets: those of the orders and of the user's positions.
    pub remaining: Vec<AccountMeta>,
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
    #[must_use]
    pub fn place_perp_order(accounts: &DriftAccounts, order: &OrderParams) -> Self {
        let data = Data::of([0x45, 0xa1, 0x5d, 0xca, 0x78, 0x7e, 0x4c, 0xb9]).order(order);
        drift(accounts, None, &[], data)
    }

    /// Places one spot order.
    #[must_use]
    pub fn place_spot_order(accounts: &DriftAccounts, order: &OrderParams) -> Self {
        let data = Data::of([0x2d, 0x4f, 0x51, 0xa0, 0xf8, 0x5a, 0x5b, 0xdc]).order(order);
        drift(accounts, None, &[], data)
    }

    /// Places several orders.
    ///
    /// # Errors
    /// [`BuildError::ListTooLong`].
    pub fn place_orders(accounts: &DriftAccounts, orders: &[OrderParams]) -> Result<Self, BuildError> {
        let data = Data::of([0x3c, 0x3f, 0x32, 0x7b, 0x0c, 0xc5, 0x3c, 0xbe]).count(orders.len())?;
        let data = orders.iter().fold(data, Data::order);
        Ok(drift(accounts, None, &[], data))
    }

    /// Places one perpetual order that takes at once from the makers in `accounts.remaining`.
    ///
    /// # Errors
    /// [`BuildError::UserStatsMissing`].
    pub fn place_and_take_perp_order(
        accounts: &DriftAccounts,
        order: &OrderParams,
        success_condition: Option<u32>,
    ) -> Result<Self, BuildError> {
        let stats = accounts.user_stats.ok_or(BuildError::UserStatsMissing)?;
        let data = Data::of([0xd5, 0x33, 0x01, 0xbb, 0x6c, 0xdc, 0xe6, 0xe0])
            .order(order)
            .option(success_condition.map(u32::to_le_bytes));
        Ok(drift(accounts, Some(stats), &[], data))
    }

    /// Cancels the order with this id of the program, without one the last.
    #[must_use]
    pub fn cancel_order(accounts: &DriftAccounts, order_id: Option<u32>) -> Self {
        let data =
            Data::of([0x5f, 0x81, 0xed, 0xf0, 0x08, 0x31, 0xdf, 0x84]).option(order_id.map(u32::to_le_bytes));
        drift(accounts, None, &[], data)
    }

    /// Cancels the order with this number of the user.
    #[must_use]
    pub fn cancel_order_by_user_id(accounts: &DriftAccounts, user_order_id: u8) -> Self {
        let data = Data::of([0x6b, 0xd3, 0xfa, 0x85, 0x12, 0x25, 0x39, 0x64]).bytes(&[user_order_id]);
        drift(accounts, None, &[], data)
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
        drift(accounts, None, &[], data)
    }

    /// Cancels the orders with these ids of the program.
    ///
    /// # Errors
    /// [`BuildError::ListTooLong`].
    pub fn cancel_orders_by_ids(accounts: &DriftAccounts, order_ids: &[u32]) -> Result<Self, BuildError> {
        let data = Data::of([0x86, 0x13, 0x90, 0xa5, 0x5e, 0xf0, 0xd2, 0x5e]).count(order_ids.len())?;
        let data = order_ids.iter().fold(data, |data, id| data.bytes(&id.to_le_bytes()));
        Ok(drift(accounts, None, &[], data))
    }

    /// Replaces an order by one that differs in what is there in `params`.
    #[must_use]
    pub fn modify_order(accounts: &DriftAccounts, replaced: Replaced, params: &ModifyOrderParams) -> Self {
        const BY_ID: [u8; 8] = [0x2f, 0x7c, 0x75, 0xff, 0xc9, 0xc5, 0x82, 0x5e];
        const BY_USER_ID: [u8; 8] = [0x9e, 0x4d, 0x04, 0xfd, 0xfc, 0xc2, 0xa1, 0xb3];
        let data = match replaced {
            Replaced::Last => Data::of(BY_ID).option::<4>(None),
            Replaced::OrderId(id) => Data::of(BY_ID).option(Some(id.to_le_bytes())),
            Replaced::UserOrderId(id) => Data::of(BY_USER_ID).bytes(&[id]),
        };
        drift(accounts, None, &[], data.modification(params))
    }

    /// Settles the profit and loss of a perpetual market.
    #[must_use]
    pub fn settle_pnl(accounts: &DriftAccounts, spot_market_vault: Key, market_index: u16) -> Self {
        let data =
            Data::of([0x2b, 0x3d, 0xea, 0x2d, 0x0f, 0x5f, 0x98, 0x99]).bytes(&market_index.to_le_bytes());
        drift(accounts, None, &[spot_market_vault], data)
    }
}

fn drift(accounts: &DriftAccounts, stats: Option<Key>, more: &[Key], Data(data): Data) -> Instruction {
    let mut metas = vec![AccountMeta::readonly(accounts.state), AccountMeta::writable(accounts.user)];
    metas.extend(stats.map(AccountMeta::writable));
    metas.push(AccountMeta::signer(accounts.authority));
    metas.extend(more.iter().copied().map(AccountMeta::readonly));
    metas.extend(&accounts.remaining);
    Instruction { program: DRIFT_V2, accounts: metas, data }
}

/// Borsh, as far as these instructions need it.
struct Data(Vec<u8>);

impl Data {
    fn of(discriminator: [u8; 8]) -> Self {
        Self(discriminator.to_vec())
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }

    fn option<const N: usize>(self, value: Option<[u8; N]>) -> Self {
        match value {
            None => self.bytes(&[0]),
            Some(value) => self.bytes(&[1]).bytes(&value),
        }
    }

    fn count(self, count: usize) -> Result<Self, BuildError> {
        let count = u32::try_from(count).map_err(|_| BuildError::ListTooLong)?;
        Ok(self.bytes(&count.to_le_bytes()))
    }

    fn order(self, order: &OrderParams) -> Self {
        self.bytes(&[
            order.order_type.tag(),
            order.market_kind as u8,
            order.direction.tag(),
            order.user_order_id,
        ])
        .bytes(&order.base.to_le_bytes())
        .bytes(&order.price.to_le_bytes())
        .bytes(&order.market_index.to_le_bytes())
        .bytes(&[order.reduce_only.into(), order.post_only.tag(), order.bit_flags])
        .option(order.max_ts.map(i64::to_le_bytes))
        .option(order.trigger_price.map(u64::to_le_bytes))
        .bytes(&[order.trigger_condition.tag()])
        .option(order.oracle_price_offset.map(i32::to_le_bytes))
        .option(order.auction_duration.map(u8::to_le_bytes))
        .option(order.auction_start_price.map(i64::to_le_bytes))
        .option(order.auction_end_price.map(i64::to_le_bytes))
    }

    fn modification(self, params: &ModifyOrderParams) -> Self {
        self.option(params.direction.map(|value| [value.tag()]))
            .option(params.base.map(u64::to_le_bytes))
            .option(params.price.map(u64::to_le_bytes))
            .option(params.reduce_only.map(|value| [value.into()]))
            .option(params.post_only.map(|value| [value.tag()]))
            .option(params.bit_flags.map(u8::to_le_bytes))
            .option(params.max_ts.map(i64::to_le_bytes))
            .option(params.trigger_price.map(u64::to_le_bytes))
            .option(params.trigger_condition.map(|value| [value.tag()]))
            .option(params.oracle_price_offset.map(i32::to_le_bytes))
            .option(params.auction_duration.map(u8::to_le_bytes))
            .option(params.auction_start_price.map(i64::to_le_bytes))
            .option(params.auction_end_price.map(i64::to_le_bytes))
            .option(params.policy.map(u8::to_le_bytes))
    }
}
