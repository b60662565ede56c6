//! Facts: what a decoder understood of a payload, as it goes into the receipt.
//!
//! A decoded payload tells its facts once, to a [`FactSink`]; [`FactWriter`] packs them into the receipt and
//! [`read`] unpacks them for people, audits and the conformance program. So the receipt holds what the policy
//! saw, and nothing else.
//!
//! ```text
//! fact    key u8, tag u8, value
//! value   0 false | 1 true | 2 text: len u8, bytes | 3 uint: len u8, big-endian bytes without leading zeros
//!         4 negative: like 3, of the absolute value | 5 address: 20 bytes | 6 key: 32 bytes
//!         7 list opens | 8 object opens (key byte 0 inside a list) | 9 closes
//! ```

/// A fact's name.
macro_rules! fact_keys {
    ($($name:ident = $number:literal $text:literal,)+) => {
        /// The name of a fact. Numbers are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum FactKey {
            $($name = $number,)+
        }

        impl FactKey {
            /// Every key.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The key as text.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }

            /// The key of a number.
            #[must_use]
            pub const fn from_number(number: u8) -> Option<Self> {
                match number {
                    $($number => Some(Self::$name),)+
                    _ => None,
                }
            }
        }
    };
}

fact_keys! {
    // An element of a list has no name of its own.
    Element = 0 "",
    // What budgets were charged with
    ChargedNotional = 227 "charged_notional",
    ChargedOrders = 228 "charged_orders",
    // EVM
    ChainId = 1 "chain_id",
    Nonce = 2 "nonce",
    MaxPriorityFeePerGas = 3 "max_priority_fee_per_gas",
    MaxFeePerGas = 4 "max_fee_per_gas",
    GasLimit = 5 "gas_limit",
    To = 6 "to",
    Value = 7 "value",
    Function = 8 "function",
    Token = 9 "token",
    From = 10 "from",
    Owner = 11 "owner",
    Recipient = 12 "recipient",
    Spender = 13 "spender",
    Amount = 14 "amount",
    TokenIn = 15 "token_in",
    TokenOut = 16 "token_out",
    AmountIn = 17 "amount_in",
    AmountOutMin = 18 "amount_out_min",
    PoolFee = 19 "fee",
    Deadline = 20 "deadline",
    Selector = 21 "selector",
    AccessListAddresses = 22 "access_list_addresses",
    AccessListKeys = 23 "access_list_keys",
    SqrtPriceLimitX96 = 24 "sqrt_price_limit_x96",
    AmountOut = 25 "amount_out",
    AmountInMax = 26 "amount_in_max",
    Path = 27 "path",
    Fees = 28 "fees",
    Calls = 29 "calls",
    AmountMin = 30 "amount_min",
    PermitExpiration = 31 "permit_expiration",
    PermitNonce = 32 "permit_nonce",
    NonceWord = 33 "nonce_word",
    NonceMask = 34 "nonce_mask",
    PreviousBlockhash = 35 "previous_blockhash",
    PayerIsUser = 36 "payer_is_user",
    Bips = 37 "bips",
    NonceUse = 38 "nonce_use",
    CountedSpend = 39 "counted_spend",
    // Hyperliquid
    Type = 40 "type",
    Grouping = 41 "grouping",
    Orders = 42 "orders",
    Asset = 43 "asset",
    Side = 44 "side",
    Price = 45 "px",
    Size = 46 "sz",
    ReduceOnly = 47 "reduce_only",
    Cloid = 48 "cloid",
    TimeInForce = 49 "tif",
    Trigger = 50 "trigger",
    TriggerPrice = 51 "trigger_px",
    TriggerIsMarket = 52 "trigger_is_market",
    Builder = 53 "builder",
    BuilderFee = 54 "builder_fee",
    Cancels = 55 "cancels",
    OrderId = 56 "oid",
    IsCross = 57 "is_cross",
    Leverage = 58 "leverage",
    Destination = 59 "destination",
    Network = 60 "network",
    Vault = 61 "vault",
    ExpiresAfter = 62 "expires_after",
    SignatureChainId = 63 "signature_chain_id",
    PriorityFee = 64 "priority_fee",
    Fast = 65 "fast",
    Margin = 66 "ntli",
    ScheduledTime = 67 "scheduled_time",
    Minutes = 68 "minutes",
    Randomize = 69 "randomize",
    TwapId = 70 "twap_id",
    IsDeposit = 71 "is_deposit",
    Usd = 72 "usd",
    ToPerp = 73 "to_perp",
    Agent = 74 "agent",
    AgentName = 75 "agent_name",
    FeeRateMax = 76 "max_fee_rate",
    SourceDex = 77 "source_dex",
    DestinationDex = 78 "destination_dex",
    SubAccount = 79 "sub_account",
    // Solana
    Instructions = 80 "instructions",
    Name = 81 "name",
    MarketIndex = 82 "market_index",
    MarketType = 83 "market_type",
    Direction = 84 "direction",
    Base = 85 "base",
    LimitPrice = 86 "price",
    OrderType = 87 "order_type",
    User = 88 "user",
    ComputeUnitLimit = 89 "compute_unit_limit",
    ComputeUnitPrice = 90 "compute_unit_price",
    FeePayer = 91 "fee_payer",
    Blockhash = 92 "blockhash",
    PostOnly = 93 "post_only",
    OraclePriceOffset = 94 "oracle_price_offset",
    BitFlags = 95 "bit_flags",
    DriftTriggerPrice = 96 "trigger_price",
    TriggerCondition = 97 "trigger_condition",
    AuctionDuration = 98 "auction_duration",
    AuctionStartPrice = 99 "auction_start_price",
    AuctionEndPrice = 100 "auction_end_price",
    MaxTs = 101 "max_ts",
    UserOrderId = 102 "user_order_id",
    DriftOrderId = 103 "order_id",
    OrderIds = 104 "order_ids",
    MarketIndexes = 105 "market_indexes",
    MustSettle = 106 "must_settle",
    SuccessCondition = 107 "success_condition",
    ModifyPolicy = 108 "modify_policy",
    Program = 109 "program",
    TokenAccount = 110 "token_account",
    TokenAmount = 111 "token_amount",
    ActivationDelaySlots = 112 "activation_delay_slots",
    BuilderIdx = 113 "builder_idx",
    BuilderFeeTenthBps = 114 "builder_fee_tenth_bps",
    SubAccountId = 115 "sub_account_id",
    Taker = 116 "taker",
    Slot = 117 "slot",
    Uuid = 118 "uuid",
    TakeProfit = 119 "take_profit",
    StopLoss = 120 "stop_loss",
    MaxMarginRatio = 121 "max_margin_ratio",
    IsolatedPositionDeposit = 122 "isolated_position_deposit",
    // Polymarket
    DomainVersion = 146 "domain_version",
    Maker = 148 "maker",
    Signer = 149 "signer",
    TokenId = 151 "token_id",
    MakerAmount = 152 "maker_amount",
    TakerAmount = 153 "taker_amount",
    SignatureType = 154 "signature_type",
    Expiration = 155 "expiration",
    Timestamp = 156 "timestamp",
    AuthAddress = 157 "auth_address",
    Salt = 158 "salt",
    FeeRateBps = 159 "fee_rate_bps",
    // Hyperliquid, continued
    Modifies = 180 "modifies",
    ModifiedOid = 181 "modified_oid",
    ModifiedCloid = 182 "modified_cloid",
    TransferVault = 183 "transfer_vault",
    // Solana, continued
    LookupTables = 190 "lookup_tables",
    LoadedAccounts = 191 "loaded_accounts",
    // Polymarket, continued
    Metadata = 210 "metadata",
    DepositWallet = 211 "deposit_wallet",
    // UniswapX and Permit2
    PrimaryType = 125 "primary_type",
    VerifyingContract = 126 "verifying_contract",
    SigDeadline = 127 "sig_deadline",
    Tokens = 128 "tokens",
    Amounts = 129 "amounts",
    Expirations = 130 "expirations",
    Nonces = 131 "nonces",
    WitnessType = 132 "witness_type",
    Reactor = 133 "reactor",
    Swapper = 134 "swapper",
    OrderNonce = 135 "order_nonce",
    OrderDeadline = 136 "order_deadline",
    InputToken = 137 "input_token",
    InputStart = 138 "input_start",
    InputMax = 139 "input_max",
    Outputs = 140 "outputs",
    StartAmount = 141 "start_amount",
    MinAmount = 142 "min_amount",
    Cosigner = 143 "cosigner",
    ValidationContract = 144 "validation_contract",
    ExclusiveFiller = 200 "exclusive_filler",
    ExclusivityOverrideBps = 201 "exclusivity_override_bps",
    DecayStart = 202 "decay_start",
    DecayEnd = 203 "decay_end",
    ValidationDataSize = 204 "validation_data_size",
    MpsPerPriorityFeeWei = 205 "mps_per_priority_fee_wei",
    RelayFee = 206 "relay_fee",
    MaxAmount = 207 "max_amount",
    RouterCalldataSize = 208 "router_calldata_size",
    AuctionStartBlock = 209 "auction_start_block",
    BaselinePriorityFeeWei = 220 "baseline_priority_fee_wei",
    StartingBaseFee = 221 "starting_base_fee",
    InputCurve = 222 "input_curve",
    RelativeBlocks = 223 "relative_blocks",
    RelativeAmounts = 224 "relative_amounts",
    AdjustmentPerGweiBaseFee = 225 "adjustment_per_gwei_base_fee",
    ValidationDataHash = 226 "validation_data_hash",
    // Events
    Latch = 240 "latch",
    Mode = 241 "mode",
    Venue = 242 "venue",
    Client = 243 "client",
    Order = 244 "order",
    Operator = 245 "operator",
    Counter = 246 "counter",
    Bucket = 247 "bucket",
    Desk = 248 "desk",
    Refused = 249 "refused",
    Code = 250 "code",
}

/// Where a decoded payload tells its facts.
pub trait FactSink {
    /// A yes or no.
    fn flag(&mut self, key: FactKey, value: bool);
    /// ASCII text of at most 255 bytes.
    fn text(&mut self, key: FactKey, value: &str);
    /// An unsigned integer, big-endian; leading zeros are dropped.
    fn uint_be(&mut self, key: FactKey, value: &[u8]);
    /// A negative integer by its absolute value, big-endian and not zero; leading zeros are dropped.
    fn negative_be(&mut self, key: FactKey, absolute: &[u8]);
    /// A signed integer.
    fn int(&mut self, key: FactKey, value: i64);
    /// A 20-byte address.
    fn address(&mut self, key: FactKey, value: &[u8; 20]);
    /// A 32-byte key.
    fn key(&mut self, key: FactKey, value: &[u8; 32]);
    /// Opens a list; its elements are told under [`FactKey::Element`].
    fn open_list(&mut self, key: FactKey);
    /// Opens an object.
    fn open_object(&mut self, key: FactKey);
    /// Closes the innermost list or object.
    fn close(&mut self);

    /// An unsigned integer below 2^64.
    fn uint(&mut self, key: FactKey, value: u64) {
        self.uint_be(key, &value.to_be_bytes());
    }
}

const TAG_FALSE: u8 = 0;
const TAG_TRUE: u8 = 1;
const TAG_TEXT: u8 = 2;
const TAG_UINT: u8 = 3;
const TAG_NEGATIVE: u8 = 4;
const TAG_ADDRESS: u8 = 5;
const TAG_KEY: u8 = 6;
const TAG_LIST: u8 = 7;
const TAG_OBJECT: u8 = 8;
const TAG_CLOSE: u8 = 9;

/// Packs facts into a fixed buffer. What no longer fits is left out whole and [`FactWriter::is_complete`]
/// turns false; later facts are dropped too, so that what is there is always a prefix of the truth.
#[derive(Debug)]
pub struct FactWriter<'b> {
    buffer: &'b mut [u8],
    used: usize,
    complete: bool,
}

impl<'b> FactWriter<'b> {
    /// An empty writer over `buffer`.
    #[must_use]
    pub fn new(buffer: &'b mut [u8]) -> Self {
        Self { buffer, used: 0, complete: true }
    }

    /// Bytes written so far.
    #[must_use]
    pub fn used(&self) -> usize {
        self.used
    }

    /// Whether every fact fitted.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    fn put(&mut self, parts: [&[u8]; 3]) {
        let size: usize = parts.iter().map(|part| part.len()).sum();
        if !self.complete || self.buffer.len() - self.used < size {
            self.complete = false;
            return;
        }
        for part in parts {
            if let Some(room) = self.buffer.get_mut(self.used..self.used + part.len()) {
                room.copy_from_slice(part);
                self.used += part.len();
            }
        }
    }

    fn put_sized(&mut self, key: FactKey, tag: u8, value: &[u8]) {
        match u8::try_from(value.len()) {
            Ok(size) => self.put([&[key as u8, tag, size], value, &[]]),
            Err(_) => self.complete = false,
        }
    }
}

fn without_leading_zeros(value: &[u8]) -> &[u8] {
    let zeros = value.iter().take_while(|byte| **byte == 0).count();
    value.get(zeros..).unwrap_or_default()
}

impl FactSink for FactWriter<'_> {
    fn flag(&mut self, key: FactKey, value: bool) {
        self.put([&[key as u8, if value { TAG_TRUE } else { TAG_FALSE }], &[], &[]]);
    }
    fn text(&mut self, key: FactKey, value: &str) {
        self.put_sized(key, TAG_TEXT, value.as_bytes());
    }
    fn uint_be(&mut self, key: FactKey, value: &[u8]) {
        self.put_sized(key, TAG_UINT, without_leading_zeros(value));
    }
    fn negative_be(&mut self, key: FactKey, absolute: &[u8]) {
        self.put_sized(key, TAG_NEGATIVE, without_leading_zeros(absolute));
    }
    fn int(&mut self, key: FactKey, value: i64) {
        let absolute = value.unsigned_abs().to_be_bytes();
        if value < 0 { self.negative_be(key, &absolute) } else { self.uint_be(key, &absolute) }
    }
    fn address(&mut self, key: FactKey, value: &[u8; 20]) {
        self.put([&[key as u8, TAG_ADDRESS], value, &[]]);
    }
    fn key(&mut self, key: FactKey, value: &[u8; 32]) {
        self.put([&[key as u8, TAG_KEY], value, &[]]);
    }
    fn open_list(&mut self, key: FactKey) {
        self.put([&[key as u8, TAG_LIST], &[], &[]]);
    }
    fn open_object(&mut self, key: FactKey) {
        self.put([&[key as u8, TAG_OBJECT], &[], &[]]);
    }
    fn close(&mut self) {
        self.put([&[FactKey::Element as u8, TAG_CLOSE], &[], &[]]);
    }
}

/// The facts bytes are not what a [`FactWriter`] writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFacts;

/// Deepest nesting of lists and objects a reader follows.
pub const DEPTH_MAX: usize = 8;

/// Retells packed facts to `sink`. Lists and objects left open by a cut are closed.
///
/// # Errors
/// [`NotFacts`] when a tag, key or length is not valid; `sink` may then have heard a part.
pub fn read(mut bytes: &[u8], sink: &mut dyn FactSink) -> Result<(), NotFacts> {
    fn take<'a>(bytes: &mut &'a [u8], size: usize) -> Result<&'a [u8], NotFacts> {
        let (head, rest) = bytes.split_at_checked(size).ok_or(NotFacts)?;
        *bytes = rest;
        Ok(head)
    }
    fn sized<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], NotFacts> {
        let size = take(bytes, 1)?.first().copied().ok_or(NotFacts)?;
        take(bytes, size.into())
    }
    let mut depth = 0_usize;
    while let [key, tag, rest @ ..] = bytes {
        let (key, tag) = (FactKey::from_number(*key).ok_or(NotFacts)?, *tag);
        bytes = rest;
        match tag {
            TAG_FALSE => sink.flag(key, false),
            TAG_TRUE => sink.flag(key, true),
            TAG_TEXT => sink.text(key, core::str::from_utf8(sized(&mut bytes)?).map_err(|_| NotFacts)?),
            TAG_UINT => sink.uint_be(key, sized(&mut bytes)?),
            TAG_NEGATIVE => {
                let absolute = sized(&mut bytes)?;
                if absolute.iter().all(|byte| *byte == 0) || absolute.len() > 32 {
                    return Err(NotFacts);
                }
                sink.negative_be(key, absolute);
            }
            TAG_ADDRESS => sink.address(key, take(&mut bytes, 20)?.try_into().map_err(|_| NotFacts)?),
            TAG_KEY => sink.key(key, take(&mut bytes, 32)?.try_into().map_err(|_| NotFacts)?),
            TAG_LIST | TAG_OBJECT if depth == DEPTH_MAX => return Err(NotFacts),
            TAG_LIST => {
                depth += 1;
                sink.open_list(key);
            }
            TAG_OBJECT => {
                depth += 1;
                sink.open_object(key);
            }
            TAG_CLOSE => {
                depth = depth.checked_sub(1).ok_or(NotFacts)?;
                sink.close();
            }
            _ => return Err(NotFacts),
        }
    }
    if !bytes.is_empty() {
        return Err(NotFacts);
    }
    for _ in 0..depth {
        sink.close();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tell(sink: &mut dyn FactSink) {
        sink.uint(FactKey::ChainId, 0);
        sink.int(FactKey::OraclePriceOffset, i64::MIN);
        sink.negative_be(FactKey::Element, &[0xff; 32]);
        sink.text(FactKey::Function, "transfer");
        sink.open_list(FactKey::Orders);
        sink.open_object(FactKey::Element);
        sink.flag(FactKey::ReduceOnly, true);
        sink.address(FactKey::To, &[7; 20]);
        sink.key(FactKey::User, &[9; 32]);
        sink.close();
        sink.close();
    }

    #[test]
    fn facts_read_back_as_they_were_told() {
        let (mut first, mut second) = ([0; 256], [0; 256]);
        let mut writer = FactWriter::new(&mut first);
        tell(&mut writer);
        assert!(writer.is_complete());
        let used = writer.used();
        let mut again = FactWriter::new(&mut second);
        read(&first[..used], &mut again).unwrap();
        assert_eq!(again.used(), used);
        assert_eq!(first, second);
    }

    #[test]
    fn what_does_not_fit_is_cut_between_facts_and_said() {
        let mut whole = [0; 140];
        let mut writer = FactWriter::new(&mut whole);
        tell(&mut writer);
        let whole_size = writer.used();
        for size in 0..whole.len() {
            let mut buffer = [0; 140];
            let mut writer = FactWriter::new(&mut buffer[..size]);
            tell(&mut writer);
            let (used, complete) = (writer.used(), writer.is_complete());
            let mut sink_buffer = [0; 256];
            let mut sink = FactWriter::new(&mut sink_buffer);
            read(&buffer[..used], &mut sink).unwrap();
            assert_eq!(complete, size >= whole_size, "size {size} used {used}");
            assert_eq!(buffer[..used], whole[..used]);
        }
    }

    #[test]
    fn keys_are_unique() {
        for (index, key) in FactKey::ALL.iter().enumerate() {
            assert_eq!(FactKey::from_number(*key as u8), Some(*key));
            assert!(FactKey::ALL[index + 1..].iter().all(|other| other.as_str() != key.as_str()));
        }
    }
}
