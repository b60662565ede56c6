//! An encoder of its own: messages and Drift data, well formed or not.

use venues::AccountKey;
use venues::solana::rules::{MarketKind, Program};
use venues::solana::{
    Action, COMPUTE_BUDGET, DRIFT_V2, Direction, MessageView, ModifyOrderParams, Movement, OrderParams,
    OrderType, PostOnly, TOKEN_PROGRAM, TriggerCondition, VELOCITY_V1, Version,
};

pub(crate) const PAYER: AccountKey = [1; 32];
pub(crate) const USER: AccountKey = [2; 32];
pub(crate) const STATE: AccountKey = [3; 32];
pub(crate) const MARKET: AccountKey = [4; 32];
pub(crate) const STATS: AccountKey = [5; 32];
pub(crate) const VAULT: AccountKey = [6; 32];
pub(crate) const STRANGER: AccountKey = [9; 32];
pub(crate) const TABLE: AccountKey = [10; 32];
pub(crate) const TOKENS: AccountKey = [12; 32];
pub(crate) const SIGNER: AccountKey = [13; 32];

/// Where the drafts' keys stand.
pub(crate) const KEYS: [AccountKey; 8] = [PAYER, USER, STATS, STATE, MARKET, VAULT, COMPUTE_BUDGET, DRIFT_V2];
pub(crate) const COMPUTE_INDEX: u8 = 6;
pub(crate) const DRIFT_INDEX: u8 = 7;

/// A message in parts. The default places one perpetual order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draft {
    pub(crate) version: Version,
    pub(crate) header: [u8; 3],
    pub(crate) keys: Vec<AccountKey>,
    pub(crate) blockhash: [u8; 32],
    pub(crate) instructions: Vec<(u8, Vec<u8>, Vec<u8>)>,
    pub(crate) lookups: Vec<(AccountKey, Vec<u8>, Vec<u8>)>,
}

impl Draft {
    pub(crate) fn new(instructions: Vec<(u8, Vec<u8>, Vec<u8>)>) -> Self {
        Self {
            version: Version::Legacy,
            header: [1, 0, 5],
            keys: KEYS.to_vec(),
            blockhash: [7; 32],
            instructions,
            lookups: Vec::new(),
        }
    }

    pub(crate) fn place(order: OrderParams) -> Self {
        Self::new(vec![place(&order)])
    }

    /// Version 0, with lookups of one table.
    pub(crate) fn looking_up(mut self, writable: &[u8], readonly: &[u8]) -> Self {
        self.version = Version::V0;
        self.lookups.push((TABLE, writable.to_vec(), readonly.to_vec()));
        self
    }

    pub(crate) fn of(view: &MessageView<'_>) -> Self {
        Self {
            version: view.version,
            header: [view.required_signatures, view.readonly_signed, view.readonly_unsigned],
            keys: view.static_keys.to_vec(),
            blockhash: *view.blockhash,
            instructions: view
                .instructions()
                .map(Result::unwrap)
                .map(|compiled| (compiled.program, compiled.accounts.to_vec(), compiled.data.to_vec()))
                .collect(),
            lookups: view
                .lookups()
                .map(Result::unwrap)
                .map(|lookup| (*lookup.table, lookup.writable.to_vec(), lookup.readonly.to_vec()))
                .collect(),
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = match self.version {
            Version::Legacy => Vec::new(),
            Version::V0 => vec![0x80],
        };
        out.extend(self.header);
        out.extend(compact(self.keys.len()));
        out.extend(self.keys.as_flattened());
        out.extend(self.blockhash);
        out.extend(compact(self.instructions.len()));
        for (program, accounts, data) in &self.instructions {
            out.push(*program);
            out.extend(counted(accounts));
            out.extend(counted(data));
        }
        if self.version == Version::V0 {
            out.extend(compact(self.lookups.len()));
            for (table, writable, readonly) in &self.lookups {
                out.extend(table);
                out.extend(counted(writable));
                out.extend(counted(readonly));
            }
        }
        out
    }
}

/// An order that [`crate::judgement`]'s book allows.
pub(crate) const ORDER: OrderParams = OrderParams {
    order_type: OrderType::Limit,
    market_kind: MarketKind::Perp,
    direction: Direction::Long,
    user_order_id: 0,
    base: 1_000,
    price: 200,
    market_index: 3,
    reduce_only: false,
    post_only: PostOnly::None,
    bit_flags: 0,
    max_ts: None,
    trigger_price: None,
    trigger_condition: TriggerCondition::Above,
    oracle_price_offset: None,
    auction_duration: None,
    auction_start_price: None,
    auction_end_price: None,
    activation_delay_slots: None,
    builder_idx: None,
    builder_fee_tenth_bps: None,
};

/// A modification that changes nothing.
pub(crate) const MODIFICATION: ModifyOrderParams = ModifyOrderParams {
    direction: None,
    base: None,
    price: None,
    reduce_only: None,
    post_only: None,
    bit_flags: None,
    max_ts: None,
    trigger_price: None,
    trigger_condition: None,
    oracle_price_offset: None,
    auction_duration: None,
    auction_start_price: None,
    auction_end_price: None,
    policy: None,
};

pub(crate) fn drift(discriminator: &str, arguments: &[u8]) -> (u8, Vec<u8>, Vec<u8>) {
    // state, user, authority, spot market vault, market
    let data = [&crate::lines::bytes(discriminator)[..], arguments].concat();
    (DRIFT_INDEX, vec![3, 1, 0, 5, 4], data)
}

/// A draft of Velocity's program with this instruction's data.
pub(crate) fn velocity(discriminator: &str, arguments: &[u8]) -> Draft {
    let mut draft = Draft::new(vec![drift(discriminator, arguments)]);
    draft.keys[usize::from(DRIFT_INDEX)] = VELOCITY_V1;
    draft
}

/// A deposit or a withdrawal; market 3, by position: state, user, stats, authority, vault, [signer], tokens, token
/// program, market.
pub(crate) fn movement(discriminator: &str, movement: Movement) -> Draft {
    let data = [&crate::lines::bytes(discriminator)[..], &encode_movement(&movement)].concat();
    let withdraws = discriminator == WITHDRAW;
    let accounts = if withdraws { vec![5, 1, 2, 0, 3, 6, 4, 7, 8] } else { vec![5, 1, 2, 0, 3, 4, 7, 8] };
    let mut draft = Draft::new(vec![(9, accounts, data)]);
    draft.keys = vec![PAYER, USER, STATS, VAULT, TOKENS, STATE, SIGNER, TOKEN_PROGRAM, MARKET, DRIFT_V2];
    draft
}

pub(crate) const DEPOSIT: &str = "f223c68952e1f2b6";
pub(crate) const WITHDRAW: &str = "b712469c946da122";

fn encode_movement(movement: &Movement) -> Vec<u8> {
    [&movement.market_index.to_le_bytes()[..], &movement.amount.to_le_bytes(), &[movement.reduce_only.into()]]
        .concat()
}

pub(crate) fn place(order: &OrderParams) -> (u8, Vec<u8>, Vec<u8>) {
    drift("45a15dca787e4cb9", &encode_order(order))
}

pub(crate) fn place_orders(orders: &[OrderParams]) -> (u8, Vec<u8>, Vec<u8>) {
    let count = u32::try_from(orders.len()).unwrap().to_le_bytes();
    let orders: Vec<u8> = orders.iter().flat_map(encode_order).collect();
    drift("3c3f327b0cc53cbe", &[&count[..], &orders].concat())
}

pub(crate) fn place_and_take(order: &OrderParams) -> (u8, Vec<u8>, Vec<u8>) {
    let data = [&crate::lines::bytes("d53301bb6cdce6e0")[..], &encode_order(order), &[0]].concat();
    (DRIFT_INDEX, vec![3, 1, 2, 0, 4], data)
}

pub(crate) fn place_spot(order: &OrderParams) -> (u8, Vec<u8>, Vec<u8>) {
    drift("2d4f51a0f85a5bdc", &encode_order(order))
}

pub(crate) fn cancel() -> (u8, Vec<u8>, Vec<u8>) {
    drift("5f81edf00831df84", &[0])
}

pub(crate) fn settle(market_index: u16) -> (u8, Vec<u8>, Vec<u8>) {
    drift("2b3dea2d0f5f9899", &market_index.to_le_bytes())
}

pub(crate) fn modify(params: &ModifyOrderParams) -> (u8, Vec<u8>, Vec<u8>) {
    drift("2f7c75ffc9c5825e", &[&[0][..], &encode_modification(params)].concat())
}

pub(crate) fn compute(data: &[u8]) -> (u8, Vec<u8>, Vec<u8>) {
    (COMPUTE_INDEX, Vec::new(), data.to_vec())
}

pub(crate) fn unit_limit(units: u32) -> (u8, Vec<u8>, Vec<u8>) {
    compute(&[&[2][..], &units.to_le_bytes()].concat())
}

pub(crate) fn unit_price(micro_lamports: u64) -> (u8, Vec<u8>, Vec<u8>) {
    compute(&[&[3][..], &micro_lamports.to_le_bytes()].concat())
}

pub(crate) fn compact(number: usize) -> Vec<u8> {
    let low = u8::try_from(number & 0x7f).unwrap();
    if number < 0x80 {
        return vec![low];
    }
    [&[low | 0x80][..], &compact(number >> 7)].concat()
}

fn counted(bytes: &[u8]) -> Vec<u8> {
    [&compact(bytes.len())[..], bytes].concat()
}

pub(crate) fn option<const N: usize>(value: Option<[u8; N]>) -> Vec<u8> {
    value.map_or(vec![0], |value| [&[1][..], &value].concat())
}

pub(crate) fn encode_order(order: &OrderParams) -> Vec<u8> {
    encode_order_of(Program::DriftV2, order)
}

pub(crate) fn encode_order_of(program: Program, order: &OrderParams) -> Vec<u8> {
    let last = match program {
        Program::DriftV2 => [
            option(order.oracle_price_offset.map(|offset| i32::try_from(offset).unwrap().to_le_bytes())),
            option(order.auction_duration.map(u8::to_le_bytes)),
            option(order.auction_start_price.map(i64::to_le_bytes)),
            option(order.auction_end_price.map(i64::to_le_bytes)),
        ],
        Program::VelocityV1 => [
            option(order.oracle_price_offset.map(i64::to_le_bytes)),
            option(order.activation_delay_slots.map(u32::to_le_bytes)),
            option(order.builder_idx.map(u8::to_le_bytes)),
            option(order.builder_fee_tenth_bps.map(u16::to_le_bytes)),
        ],
    };
    [
        vec![order.order_type as u8, order.market_kind as u8, order.direction as u8, order.user_order_id],
        order.base.to_le_bytes().to_vec(),
        order.price.to_le_bytes().to_vec(),
        order.market_index.to_le_bytes().to_vec(),
        vec![order.reduce_only.into(), order.post_only as u8, order.bit_flags],
        option(order.max_ts.map(i64::to_le_bytes)),
        option(order.trigger_price.map(u64::to_le_bytes)),
        vec![order.trigger_condition as u8],
        last.concat(),
    ]
    .concat()
}

fn encode_modification(params: &ModifyOrderParams) -> Vec<u8> {
    encode_modification_of(Program::DriftV2, params)
}

pub(crate) fn encode_modification_of(program: Program, params: &ModifyOrderParams) -> Vec<u8> {
    let last = match program {
        Program::DriftV2 => [
            option(params.oracle_price_offset.map(|offset| i32::try_from(offset).unwrap().to_le_bytes())),
            option(params.auction_duration.map(u8::to_le_bytes)),
            option(params.auction_start_price.map(i64::to_le_bytes)),
            option(params.auction_end_price.map(i64::to_le_bytes)),
        ]
        .concat(),
        Program::VelocityV1 => option(params.oracle_price_offset.map(i64::to_le_bytes)),
    };
    [
        option(params.direction.map(|value| [value as u8])),
        option(params.base.map(u64::to_le_bytes)),
        option(params.price.map(u64::to_le_bytes)),
        option(params.reduce_only.map(|value| [value.into()])),
        option(params.post_only.map(|value| [value as u8])),
        option(params.bit_flags.map(u8::to_le_bytes)),
        option(params.max_ts.map(i64::to_le_bytes)),
        option(params.trigger_price.map(u64::to_le_bytes)),
        option(params.trigger_condition.map(|value| [value as u8])),
        last,
        option(params.policy.map(u8::to_le_bytes)),
    ]
    .concat()
}

/// An action's data after the discriminator.
pub(crate) fn encode_arguments(program: Program, action: &Action<'_>) -> Vec<u8> {
    let list = |count: usize| u32::try_from(count).unwrap().to_le_bytes().to_vec();
    let orders = || {
        action.orders().into_iter().flat_map(|orders| {
            orders
                .iter()
                .map(Result::unwrap)
                .flat_map(|order| encode_order_of(program, &order))
                .collect::<Vec<_>>()
        })
    };
    match action {
        Action::PlacePerpOrder(_) | Action::PlaceSpotOrder(_) => orders().collect(),
        Action::PlaceOrders(all) => {
            list(all.count().try_into().unwrap()).into_iter().chain(orders()).collect()
        }
        Action::PlaceAndTakePerpOrder { success_condition, .. } => {
            orders().chain(option(success_condition.map(u32::to_le_bytes))).collect()
        }
        Action::CancelOrder { order_id } => option(order_id.map(u32::to_le_bytes)),
        Action::CancelOrderByUserId { user_order_id } => vec![*user_order_id],
        Action::CancelOrders { market_kind, market_index, direction } => [
            option(market_kind.map(|kind| [kind as u8])),
            option(market_index.map(u16::to_le_bytes)),
            option(direction.map(|value| [value as u8])),
        ]
        .concat(),
        Action::CancelOrdersByIds { order_ids } => [list(order_ids.len()), order_ids.concat()].concat(),
        Action::ModifyOrder { order_id, params } => {
            [option(order_id.map(u32::to_le_bytes)), encode_modification_of(program, params)].concat()
        }
        Action::ModifyOrderByUserId { user_order_id, params } => {
            [vec![*user_order_id], encode_modification_of(program, params)].concat()
        }
        Action::Deposit(movement) | Action::Withdraw(movement) => encode_movement(movement),
        Action::SettlePnl { market_index } => market_index.to_le_bytes().to_vec(),
        Action::SettleMultiplePnls { market_indexes, must_settle } => {
            [list(market_indexes.len()), market_indexes.concat(), vec![(!must_settle).into()]].concat()
        }
    }
}
