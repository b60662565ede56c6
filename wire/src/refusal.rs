//! Refusals: stable codes named after the rule that was broken, with the value seen and the limit.
//!
//! The thousands digit is the [`Family`], the hundreds digit says whose rule it is (0 common, 1 EVM,
//! 2 UniswapX, 3 Polymarket, 4 Hyperliquid, 5 Solana). A number is never given a second meaning.

use crate::codes::codes;
use crate::shown::Shown;

/// What kind of "no" it is; decides what a bot should do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// The bytes are not a canonical payload; sending them again cannot help.
    Malformed,
    /// A payload, call, program or instruction that this vault does not claim to understand.
    Unsupported,
    /// Understood, and the book does not allow it.
    Denied,
    /// The vault will not sign anything now: halted, busy or not yet started.
    Unavailable,
    /// The vault found a fault in itself and failed closed.
    Fault,
}

impl Family {
    /// The family of a code: its thousands digit.
    #[must_use]
    pub const fn of(code: u16) -> Self {
        match code {
            0..2000 => Self::Malformed,
            2000..3000 => Self::Unsupported,
            3000..4000 => Self::Denied,
            4000..5000 => Self::Unavailable,
            _ => Self::Fault,
        }
    }

    /// The word used in replies, logs and the conformance program.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Unsupported => "unsupported",
            Self::Denied => "denied",
            Self::Unavailable => "unavailable",
            Self::Fault => "fault",
        }
    }
}

codes! {
    /// Every reason the vault can give for not signing.
    Refusal;

    // ---- malformed: common ----
    /// The request is shorter than its header.
    RequestTooShort = 1000,
    /// The request is longer than the cap of 16 KiB.
    RequestTooLong = 1001,
    /// The protocol version is not 1.
    VersionNotSupported = 1002,
    /// The frame on the request channel is not a request.
    KindNotARequest = 1003,
    /// A flag bit is set that has no meaning.
    FlagsNotKnown = 1004,
    /// The payload is empty.
    PayloadEmpty = 1005,
    /// Bytes follow the end of the payload.
    TrailingBytes = 1006,
    /// The payload ends before it is complete.
    PayloadTruncated = 1007,
    /// The text is not strict JSON.
    JsonMalformed = 1010,
    /// A member appears twice.
    JsonMemberRepeated = 1011,
    /// A member is not part of this object.
    FieldNotKnown = 1012,
    /// A member of this object is missing.
    FieldMissing = 1013,
    /// A number is outside its field's range, or no plain integer where one is wanted.
    NumberOutOfRange = 1014,
    /// A member's value is of another type than the venue's (text, number, true or false, list, object).
    FieldTypeNotExpected = 1015,
    /// A member name or text holds an escape; no payload of this vault needs one.
    JsonEscapeNotAllowed = 1016,
    /// An address is not "0x" and 40 hexadecimal digits.
    AddressTextMalformed = 1017,
    /// An address in mixed case does not have the checksum of EIP-55.
    AddressChecksumDiffers = 1018,
    /// A byte string is not "0x" and the right number of hexadecimal digits.
    BytesTextMalformed = 1019,
    /// The bytes are no operator's order of this version.
    OrderMalformed = 1030,

    // ---- malformed: EVM ----
    /// The first byte is not the transaction type 0x02 of EIP-1559.
    TransactionTypeNotEip1559 = 1100,
    /// The RLP is not canonical, or an item reaches beyond the list that holds it.
    RlpNotCanonical = 1101,
    /// The transaction list does not have the nine fields of an unsigned EIP-1559 transaction.
    TransactionFieldCount = 1102,
    /// An integer has a leading zero byte or is wider than its field.
    IntegerNotCanonical = 1103,
    /// An address is neither empty (creation) nor 20 bytes.
    AddressLength = 1104,
    /// The access list is not a list of [address, [32-byte keys]].
    AccessListMalformed = 1105,
    /// The chain id is zero.
    ChainIdZero = 1106,
    /// The nonce is 2^64-1 (EIP-2681).
    NonceNotAllowed = 1107,
    /// The priority fee is above the maximum fee.
    PriorityFeeAboveMaxFee = 1108,
    /// A list stands where bytes belong, or bytes where a list belongs.
    ItemKindDiffers = 1109,

    // ---- malformed: Polymarket ----
    /// The side is neither BUY (0) nor SELL (1).
    SideNotKnown = 1300,
    /// The signature type is none that the order's version has.
    SignatureTypeNotKnown = 1301,
    /// The timestamp of a ClobAuth is not plain decimal seconds.
    TimestampTextMalformed = 1302,
    /// The wallet's chain id is not the exchange's.
    WalletChainDiffers = 1303,

    // ---- malformed: Hyperliquid ----
    /// The envelope before the action is cut short or holds unknown bits.
    EnvelopeMalformed = 1400,
    /// The action is not canonical msgpack (width, tag, key order).
    MsgpackNotCanonical = 1401,
    /// A price, size or amount is not a canonical decimal.
    DecimalNotCanonical = 1406,
    /// A price must not be zero.
    PriceZero = 1407,
    /// A size must not be zero here (zero closes a whole position).
    SizeZero = 1408,
    /// A price has more than five significant figures and is not an integer.
    PriceTooPrecise = 1409,
    /// A client order id is not absent or "0x" and 32 lower-case hex digits, not all zero.
    CloidMalformed = 1410,
    /// An address inside an action is not "0x" and 40 hex digits in the case the exchange hashes.
    ActionAddressMalformed = 1411,
    /// A list of orders or cancels is empty.
    ListEmpty = 1412,
    /// A list of orders or cancels is longer than the cap.
    ListTooLong = 1413,
    /// A word (time in force, tpsl, grouping, network) is not one the exchange knows.
    WordNotKnown = 1414,
    /// The caller's own claim (source, connectionId or primary type) differs from what the vault computed.
    ClaimDiffers = 1416,
    /// The nonce of the envelope is not the time or nonce inside the user-signed action.
    NonceDiffersFromAction = 1417,
    /// hyperliquidChain does not match the network of the envelope.
    NetworkDiffers = 1418,
    /// expiresAfter and vaultAddress do not exist for user-signed actions.
    EnvelopeFieldNotAllowed = 1419,

    // ---- malformed: Solana ----
    /// A compact-u16 is not in its shortest form or above 65535.
    CompactU16NotCanonical = 1500,
    /// The message is neither legacy nor version 0.
    MessageVersionNotSupported = 1501,
    /// The message is longer than a packet leaves room for.
    MessageTooLong = 1502,
    /// The header's counts contradict each other or the keys.
    HeaderMalformed = 1503,
    /// An account key appears twice.
    AccountKeyRepeated = 1504,
    /// An instruction names an account that is not there.
    AccountIndexOutOfRange = 1505,
    /// A program is the fee payer or comes from a lookup table.
    ProgramIndexNotAllowed = 1506,
    /// The message has no instruction.
    InstructionsEmpty = 1507,
    /// There are more instructions than the cap.
    TooManyInstructions = 1508,
    /// A lookup names no index, or its addresses were not given.
    LookupUnresolved = 1509,
    /// Instruction data do not have the exact length and tags of their layout.
    InstructionDataMalformed = 1510,
    /// An enum, bool or Option tag is out of range.
    TagOutOfRange = 1511,
    /// An instruction has fewer accounts than its layout names.
    AccountsMissing = 1512,
    /// An account does not have the signer or writable flag its layout names.
    AccountFlagsDiffer = 1513,
    /// The blockhash is all zero.
    BlockhashZero = 1514,
    /// A perpetual instruction carries a spot order or the reverse.
    MarketTypeDiffers = 1516,
    /// The compute unit limit or price is set twice.
    ComputeBudgetRepeated = 1517,
    /// A Swift text is not pairs of lower-case hexadecimal digits.
    SwiftTextNotHexadecimal = 1518,
    /// A Swift message does not have the exact length of its layout.
    SwiftMessageMalformed = 1519,

    // ---- unsupported ----
    /// No decoder for this payload kind.
    PayloadKindNotSupported = 2000,
    /// More was decoded than a receipt can tell; send it in smaller batches.
    FactsTooLong = 2001,
    /// The primary type and the struct types of the typed data are none that this vault knows, to the letter.
    TypesNotSupported = 2002,
    /// The typed data's domain is not of the venue: another name, another version, another list of fields.
    DomainNotSupported = 2003,
    /// A call this vault does not decode.
    CallNotSupported = 2100,
    /// The call data of a known function do not follow its canonical ABI.
    CallDataNotCanonical = 2101,
    /// A contract creation.
    CreationNotSupported = 2102,
    /// A multicall inside a multicall.
    NestedMulticallNotSupported = 2103,
    /// A Universal Router command this vault does not decode.
    CommandNotSupported = 2104,
    /// A Universal Router command with the flag that lets it fail.
    CommandFlagNotSupported = 2105,
    /// There are not as many inputs as commands.
    CommandCountDiffers = 2106,
    /// A multicall or execute holds more calls than this vault reads.
    TooManySteps = 2107,
    /// A swap leads through more pools than this vault reads.
    PathTooLong = 2108,
    /// A relay order carries router call data, which this vault does not decode.
    RouterCalldataNotSupported = 2200,
    /// A permit names more tokens than this vault reads.
    TooManyPermittedTokens = 2201,
    /// An order has more outputs than this vault reads.
    TooManyOutputs = 2202,
    /// A decay curve has more points than the reactor takes.
    TooManyCurvePoints = 2203,
    /// The contract is no exchange of this domain version on this chain.
    ExchangeNotSupported = 2300,
    /// The order struct is not the one of the domain version.
    OrderVersionDiffers = 2301,
    /// The wallet's domain is not DepositWallet, version 1, without a salt.
    WalletDomainNotSupported = 2302,
    /// The message of a ClobAuth is not the fixed sentence.
    AttestationNotSupported = 2303,
    /// An action type this vault does not decode.
    ActionNotSupported = 2400,
    /// A time in force that the exchange has and this vault does not claim.
    TimeInForceNotSupported = 2401,
    /// The name of an agent or dex holds something else than printable ASCII, or is longer than this vault reads.
    NameNotSupported = 2402,
    /// A program this vault does not decode.
    ProgramNotSupported = 2500,
    /// An instruction of a known program that this vault does not decode.
    InstructionNotSupported = 2501,
    /// There are more instructions of the venue than this vault reads.
    TooManyVenueInstructions = 2502,
    /// There are more accounts than a transaction may lock.
    TooManyAccounts = 2503,
    /// A compute budget instruction names accounts.
    AccountsNotSupported = 2504,
    /// The token program of a deposit or withdrawal is not SPL Token.
    TokenProgramNotSupported = 2505,
    /// A Swift text of a kind that this vault does not decode.
    SwiftMessageNotSupported = 2506,
    /// A Swift text of Velocity, which this vault does not decode.
    SwiftDomainNotSupported = 2507,
    /// The token program of a deposit or withdrawal comes from a lookup table, whose contents the vault cannot know.
    TokenProgramNotStatic = 2508,

    // ---- denied: common ----
    /// The book has no such key slot.
    KeySlotNotInBook = 3000,
    /// The book grants this key nothing on this venue.
    VenueNotGranted = 3001,
    /// The time that the slot was granted for has passed.
    GrantExpired = 3002,
    /// A request budget of the book is spent; the index is the bucket's.
    RequestBudgetSpent = 3003,
    /// An order budget of the book is spent; the index is the bucket's.
    OrderBudgetSpent = 3004,
    /// A notional budget of the book is spent; the index is the bucket's.
    NotionalBudgetSpent = 3005,
    /// One payload trades on more markets than a budget can tell apart.
    TooManyMarkets = 3006,
    /// A notional budget counts a token that the book gives no value.
    TokenHasNoValue = 3007,
    /// A budget per market has no room for another market until one of those in it is full again.
    MarketTableFull = 3008,
    /// The client may not have this key sign for this venue.
    KeyNotInScope = 3009,
    /// The client has used this request id for other bytes in this boot.
    RequestIdConflict = 3010,
    /// The operator's key is not in the book.
    OperatorNotInBook = 3020,
    /// The signature of the order is not that operator's.
    OrderSignatureWrong = 3021,
    /// The order was signed for another boot or another book.
    OrderForAnotherBoot = 3022,
    /// The order answers no challenge that is open.
    ChallengeNotOpen = 3023,
    /// The challenge was drawn too long ago.
    ChallengeExpired = 3024,
    /// The counter of the order is not above that of the last one obeyed.
    OrderCounterNotAbove = 3025,
    /// No further client can be held back on its own.
    ClientTableFull = 3026,
    /// The book has no budget with that index.
    BucketNotInBook = 3027,
    /// The budget was opened before in this boot.
    BudgetAlreadyOpened = 3028,

    // ---- denied: EVM ----
    /// The chain is not on the list.
    ChainNotAllowed = 3100,
    /// The recipient of native coin is not on the list.
    RecipientNotAllowed = 3101,
    /// The contract is not on the list.
    ContractNotAllowed = 3102,
    /// The token is not on the list.
    TokenNotAllowed = 3103,
    /// The spender is not on the list.
    SpenderNotAllowed = 3104,
    /// The owner whose tokens are moved is not on the list.
    OwnerNotAllowed = 3105,
    /// The native value is above the cap.
    ValueAboveCap = 3106,
    /// The token amount is above the cap.
    AmountAboveCap = 3107,
    /// The fee per gas is above the cap.
    FeePerGasAboveCap = 3108,
    /// The gas limit is above the cap.
    GasLimitAboveCap = 3109,
    /// The gas limit times the fee per gas is above the cap.
    TransactionFeeAboveCap = 3110,
    /// A call that takes no native coin carries a value, or a swap another value than it sells.
    ValueNotAllowed = 3111,
    /// The swap's minimum output is zero or below the pair's ratio.
    MinimumOutBelowRatio = 3112,
    /// The token pair is not on the list.
    PairNotAllowed = 3113,
    /// The pool fee tier is not on the list.
    PoolFeeNotAllowed = 3114,
    /// The deadline has passed.
    DeadlinePassed = 3115,
    /// The deadline lies further ahead than the book allows.
    DeadlineTooFar = 3116,
    /// The function is not granted.
    FunctionNotAllowed = 3117,
    /// The access list holds more addresses and keys than the cap.
    AccessListTooLong = 3118,
    /// The swap sells nothing, or (SwapRouter02) whatever the router holds.
    AmountInZero = 3119,
    /// Native coin stands for a token that is not the WETH the book names for the chain.
    CoinTokenNotWeth = 3120,
    /// A token the path leads through is not on the list.
    IntermediateNotAllowed = 3121,
    /// The inputs are not those of the router version that the book names.
    RouterVersionDiffers = 3122,
    /// A batch holds no swap.
    SwapMissing = 3123,
    /// The batch leaves coin or tokens with the router, where anyone may take them.
    LeftInRouter = 3124,
    /// What a swap left with the router is paid out without a minimum.
    PayoutMinimumZero = 3125,
    /// The router would pay with more than it is known to hold.
    AmountNotHeld = 3126,
    /// The token or recipient of a share is not one the book allows.
    PortionNotAllowed = 3127,
    /// The share is above the cap.
    PortionAboveCap = 3128,
    /// A cancel at a nonce that this boot has not signed.
    CancelNonceNotSigned = 3129,
    /// A swap may stop at a price: then not all of the output is bought, or coin stays with the router.
    PriceLimitNotAllowed = 3130,
    /// The call has no deadline, and the book does not say that it may go without one.
    DeadlineMissing = 3131,
    /// The router may hold native coin, with which it would pay for a path's hop out of WETH.
    CoinPaysIntermediate = 3132,

    // ---- denied: UniswapX and Permit2 ----
    /// The chain of the permit's domain is not on the list.
    PermitChainNotAllowed = 3200,
    /// The verifying contract is not on the list of Permit2 contracts.
    Permit2NotAllowed = 3201,
    /// Orders of this type are not granted on this chain.
    OrderTypeNotAllowed = 3202,
    /// The reactor is not on the list for this type of order and chain.
    ReactorNotAllowed = 3203,
    /// The permit's spender is not the order's reactor.
    SpenderNotReactor = 3204,
    /// The permit's nonce is not the order's.
    PermitNonceDiffers = 3205,
    /// The permit's deadline is not the order's.
    PermitDeadlineDiffers = 3206,
    /// The permitted token is not the order's input token.
    PermitTokenDiffers = 3207,
    /// The permitted amount is not the most that the order can take.
    PermitAmountDiffers = 3208,
    /// A relay order's permit does not name exactly two tokens: its input and its fee.
    PermittedCountDiffers = 3209,
    /// The order's swapper is not this key's address.
    SwapperNotThisKey = 3210,
    /// The additional validation contract is neither zero nor on the list.
    ValidationContractNotAllowed = 3211,
    /// There are additional validation data without a validation contract.
    ValidationDataNotAllowed = 3212,
    /// The cosigner is not on the list.
    CosignerNotAllowed = 3213,
    /// The exclusive filler is neither zero nor on the list.
    ExclusiveFillerNotAllowed = 3214,
    /// The exclusivity override is above 10,000 basis points: in effect it lets nobody else fill.
    ExclusivityOverrideTooLarge = 3215,
    /// An input ends below its start or above its maximum, or an output ends above its start.
    AmountsNotOrdered = 3216,
    /// The decay ends before it starts or after the deadline.
    DecayTimesNotOrdered = 3217,
    /// The blocks of a decay curve do not ascend strictly, or there are more of them than amounts.
    CurveBlocksNotAscending = 3218,
    /// A priority fee would scale the input and an output both; the reactor refuses that.
    PriorityScalesBoth = 3219,
    /// The order has no output.
    OutputsEmpty = 3220,
    /// No output goes to this key's address.
    OwnOutputMissing = 3221,
    /// An output goes to an address that is neither this key's nor on the list.
    OutputRecipientNotAllowed = 3222,
    /// An output may end at zero.
    OutputEndsAtZero = 3223,
    /// An output to another address is in another token than the key's own, and that is not granted.
    OutputTokenNotAllowed = 3224,
    /// The outputs to other addresses are a larger share than the cap.
    OutputShareAboveCap = 3225,
    /// The pair of tokens is not on the list.
    OrderPairNotAllowed = 3226,
    /// The most that the order can take is above the cap.
    OrderAmountAboveCap = 3227,
    /// The order sells nothing.
    OrderInputZero = 3228,
    /// The least that the key gets is below the pair's ratio at the most that the order can take.
    OutputBelowRatio = 3229,
    /// The order's or permit's deadline has passed.
    OrderDeadlinePassed = 3230,
    /// The order's or permit's deadline lies further ahead than the book allows.
    OrderDeadlineTooFar = 3231,
    /// A permit of this kind is not granted on this chain.
    PermitNotGranted = 3232,
    /// The permit's spender is not on the list.
    PermitSpenderNotAllowed = 3233,
    /// The permitted token is not on the list.
    PermitTokenNotAllowed = 3234,
    /// The permitted amount is above the cap; an unlimited one always is.
    PermitAmountAboveCap = 3235,
    /// The allowance expires later than the book allows.
    PermitExpirationTooFar = 3236,
    /// The permit names no token.
    PermitsEmpty = 3237,
    /// The relay order's input token or its recipient is not on the list.
    RelayInputNotAllowed = 3238,
    /// The relay order's fee token is not on the list, or its most is above the cap.
    RelayFeeNotAllowed = 3239,
    /// A priority fee scales an output to another address faster than the key's own.
    OutputScalesAboveOwn = 3240,
    /// Curve or base fee can lift an output to another address above its start.
    OutputToOthersRises = 3241,
    /// Outputs in the key's own token have curves of other blocks, so that their share is not told by their points.
    OutputCurvesDiffer = 3242,

    // ---- denied: Polymarket ----
    /// Orders are not granted.
    OrderNotAllowed = 3300,
    /// The token id is not on the list.
    TokenIdNotAllowed = 3301,
    /// The token may not be traded on this exchange.
    ExchangeNotAllowed = 3302,
    /// The side is not granted.
    SideNotAllowed = 3303,
    /// The signature type is not granted.
    SignatureTypeNotAllowed = 3304,
    /// The order's signer is not this key.
    OrderSignerNotThisKey = 3305,
    /// The order's maker is not this key, as signature type EOA asks.
    MakerNotThisKey = 3306,
    /// The order's maker is not on the list of its signature type.
    MakerNotAllowed = 3307,
    /// An order of type POLY_1271 must be signed inside TypedDataSign.
    WalletOrderNotNested = 3308,
    /// TypedDataSign is for orders of type POLY_1271 only.
    NestedOrderNotOfWallet = 3309,
    /// The maker of the order is not the wallet that TypedDataSign names.
    MakerNotWallet = 3310,
    /// The signer of the order is not the wallet that TypedDataSign names.
    OrderSignerNotWallet = 3311,
    /// The order gives or asks for nothing.
    OrderAmountZero = 3312,
    /// The shares are above the cap.
    SharesAboveCap = 3313,
    /// The collateral at the order's worst case is above the cap.
    OrderCollateralAboveCap = 3314,
    /// A share would cost more than one unit of collateral.
    PriceAboveOne = 3315,
    /// The price is below the market's collar.
    SharePriceBelowCollar = 3316,
    /// The price is above the market's collar.
    SharePriceAboveCollar = 3317,
    /// The taker is neither public nor on the list.
    OrderTakerNotAllowed = 3318,
    /// The fee rate is above the cap.
    FeeRateAboveCap = 3319,
    /// The nonce is above the cap.
    MakerNonceAboveCap = 3320,
    /// The order does not expire.
    ExpirationMissing = 3321,
    /// The expiration has passed.
    ExpirationPassed = 3322,
    /// The expiration lies further ahead than the book allows.
    ExpirationTooFar = 3323,
    /// The timestamp is older than the window.
    TimestampTooOld = 3324,
    /// The timestamp lies further ahead than the window.
    TimestampTooFarAhead = 3325,
    /// The metadata are not on the list.
    MetadataNotAllowed = 3326,
    /// The builder code is not on the list.
    BuilderCodeNotAllowed = 3327,
    /// The salt is 2^53 or more, which JavaScript rounds on its way to the exchange.
    SaltTooLarge = 3328,
    /// ClobAuth is not granted.
    ClobAuthNotAllowed = 3329,
    /// The address of a ClobAuth is not this key's.
    AuthAddressNotThisKey = 3330,
    /// The nonce of a ClobAuth is above the cap.
    AuthNonceAboveCap = 3331,

    // ---- denied: Hyperliquid ----
    /// The network is not granted.
    NetworkNotAllowed = 3400,
    /// The vault or sub-account address is not on the list.
    VaultNotAllowed = 3401,
    /// The action is not granted.
    ActionNotAllowed = 3402,
    /// The asset is not on the list.
    AssetNotAllowed = 3403,
    /// The size is above the cap.
    SizeAboveCap = 3404,
    /// The price is below the collar.
    PriceBelowCollar = 3405,
    /// The price is above the collar.
    PriceAboveCollar = 3406,
    /// The notional is above the cap.
    NotionalAboveCap = 3407,
    /// The leverage is above the cap.
    LeverageAboveCap = 3408,
    /// The builder is not on the list.
    BuilderNotAllowed = 3409,
    /// The builder fee is above the cap.
    BuilderFeeAboveCap = 3410,
    /// The time in force is not granted.
    TimeInForceNotAllowed = 3411,
    /// The nonce is older than the window.
    NonceTooOld = 3412,
    /// The nonce lies further ahead than the window.
    NonceTooFarAhead = 3413,
    /// The nonce, order salt or permit number was signed before (or, on Hyperliquid, lies below the remembered ones).
    NonceAlreadyUsed = 3414,
    /// expiresAfter has passed.
    ExpiryPassed = 3415,
    /// The destination is not on the list.
    DestinationNotAllowed = 3416,
    /// The transfer amount is above the cap.
    TransferAboveCap = 3417,
    /// The spot token is not on the list.
    TransferTokenNotAllowed = 3418,
    /// The signatureChainId is not on the list.
    SignatureChainNotAllowed = 3419,
    /// The grouping is not granted.
    GroupingNotAllowed = 3420,
    /// Priority fees, which are burned, are not granted.
    PriorityFeeNotAllowed = 3421,
    /// Trigger orders are not granted.
    TriggerNotAllowed = 3422,
    /// The action holds more orders than the book allows.
    TooManyOrders = 3423,
    /// The nonce is not above the time of this boot plus the book's look-ahead: an earlier boot may have signed it.
    NonceBelowBootFloor = 3424,
    /// The TWAP is shorter or longer than the book allows.
    TwapMinutesNotAllowed = 3425,
    /// The time of a scheduled cancel has passed, or lies further ahead than the book allows.
    ScheduleNotAllowed = 3426,
    /// Taking a scheduled cancel away is not granted.
    ScheduleClearNotAllowed = 3427,
    /// The margin added to or taken from a position is above the cap.
    MarginAboveCap = 3428,
    /// The dex that funds come from or go to is not on the list.
    DexNotAllowed = 3429,
    /// The agent is not on the list.
    AgentNotAllowed = 3430,
    /// The agent's name is not on the list.
    AgentNameNotAllowed = 3431,
    /// The priority rate is above the cap.
    PriorityRateAboveCap = 3432,

    // ---- denied: Solana ----
    /// The number of required signatures is not one.
    SignerCountNotOne = 3500,
    /// The fee payer is not this key.
    FeePayerNotThisKey = 3501,
    /// The program is not granted.
    ProgramNotAllowed = 3502,
    /// The instruction is not granted.
    InstructionNotAllowed = 3503,
    /// The state account is not the program's.
    StateAccountDiffers = 3504,
    /// The user account, or its statistics, is not one of the book's for this key.
    UserAccountNotAllowed = 3505,
    /// The market is not on the list.
    MarketNotAllowed = 3507,
    /// The market account of this index is not passed.
    MarketAccountMissing = 3508,
    /// The base size is above the cap.
    BaseAboveCap = 3509,
    /// A limit, trigger or auction price is below the collar.
    LimitPriceBelowCollar = 3510,
    /// A limit, trigger or auction price is above the collar.
    LimitPriceAboveCollar = 3511,
    /// An order that no limit price holds is not granted.
    UnpricedOrderNotAllowed = 3512,
    /// A flag bit of the order is not granted.
    OrderBitsNotAllowed = 3513,
    /// Compute unit limit times price is above the cap.
    PriorityFeeAboveCap = 3514,
    /// The message trades nothing: at least one instruction of the venue is needed.
    VenueInstructionMissing = 3515,
    /// The same instruction appears twice.
    InstructionRepeated = 3516,
    /// More instructions place orders than the book allows.
    TooManyPlacements = 3517,
    /// The user account comes from a lookup table, whose contents the vault cannot know.
    UserAccountNotStatic = 3518,
    /// The message places more orders than the book allows.
    TooManyOrdersInMessage = 3519,
    /// An instruction that places orders holds none.
    OrdersEmpty = 3520,
    /// Swift texts are not granted.
    SwiftNotAllowed = 3521,
    /// The sub-account is not one of the book's for this key.
    SubAccountNotAllowed = 3522,
    /// The user account, whose delegate this key would be, is not on the list.
    TakerNotAllowed = 3523,
    /// The slot lies above the book's last one.
    SlotAboveCap = 3524,
    /// The builder of an order is not on the list.
    OrderBuilderNotAllowed = 3525,
    /// The fee of an order's builder is above the cap.
    OrderBuilderFeeAboveCap = 3526,
    /// The deposit into an isolated position is above the cap.
    IsolatedDepositAboveCap = 3527,
    /// The spot market's vault, or the account that signs for it, is not the program's.
    VaultAccountDiffers = 3528,
    /// The token account that a withdrawal goes to is not on the list.
    TokenAccountNotAllowed = 3529,
    /// The token account that a withdrawal goes to comes from a lookup table, whose contents the vault cannot know.
    TokenAccountNotStatic = 3530,
    /// The amount of a deposit or withdrawal is above the cap.
    CollateralAboveCap = 3531,
    /// A withdrawal that is not reduce-only may borrow, which is not granted.
    BorrowNotAllowed = 3532,
    /// A Swift text sets a margin ratio that the book does not allow.
    MarginRatioNotAllowed = 3533,
    /// A modification leaves the size or the limit price of the standing order, which this book may never have seen.
    ModificationPartial = 3534,
    /// A price is an offset from the oracle's, and the market grants none or none so far from it.
    OracleOffsetNotAllowed = 3535,

    // ---- unavailable ----
    /// Nothing is signed now: the kill switch was pulled, or the vault was not started yet.
    Halted = 4000,
    /// Only what can shrink a position or takes an order away is signed now.
    ReduceOnlyMode = 4002,
    /// Only what takes an order away is signed now.
    CancelOnlyMode = 4003,
    /// The client is cut off.
    ClientCut = 4004,
    /// Too many records wait for the host's acknowledgement.
    ReceiptsNotAcknowledged = 4005,

    // ---- fault ----
    /// The slot's key does not sign this venue's scheme.
    KeySchemeDiffers = 5000,
    /// The receipt could not be sealed; nothing was signed.
    ReceiptNotSealed = 5002,
}

impl Refusal {
    /// What kind of "no" this is.
    #[must_use]
    pub const fn family(self) -> Family {
        Family::of(self.code())
    }
}

/// A refusal with the value that was seen and the limit it broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Why {
    /// The broken rule.
    pub refusal: Refusal,
    /// What was seen.
    pub observed: Shown,
    /// What would have been allowed.
    pub limit: Shown,
    /// Which order, cancel, instruction or byte offset it is about, counted from 0.
    pub subject: Option<u16>,
}

impl Why {
    /// A refusal that shows nothing yet.
    #[must_use]
    pub const fn new(refusal: Refusal) -> Self {
        Self { refusal, observed: Shown::Nothing, limit: Shown::Nothing, subject: None }
    }

    /// With the value that was seen.
    #[must_use]
    pub const fn observed(mut self, observed: Shown) -> Self {
        self.observed = observed;
        self
    }

    /// With the limit it broke.
    #[must_use]
    pub const fn limit(mut self, limit: Shown) -> Self {
        self.limit = limit;
        self
    }

    /// With the index it is about; an index above `u16::MAX - 1` is shown as the largest.
    #[must_use]
    pub fn subject(mut self, index: usize) -> Self {
        self.subject = Some(u16::try_from(index).unwrap_or(u16::MAX - 1).min(u16::MAX - 1));
        self
    }
}

impl From<Refusal> for Why {
    fn from(refusal: Refusal) -> Self {
        Self::new(refusal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_ascending_and_read_back() {
        for pair in Refusal::ALL.windows(2) {
            assert!(pair[0].code() < pair[1].code(), "{} {}", pair[0].name(), pair[1].name());
        }
        for refusal in Refusal::ALL {
            assert_eq!(Refusal::from_code(refusal.code()), Some(*refusal));
            assert!(!refusal.explanation().is_empty());
        }
    }

    #[test]
    fn zero_is_no_refusal_and_families_follow_the_thousands() {
        assert_eq!(Refusal::from_code(0), None);
        for refusal in Refusal::ALL {
            let expected = match refusal.code() / 1000 {
                1 => Family::Malformed,
                2 => Family::Unsupported,
                3 => Family::Denied,
                4 => Family::Unavailable,
                _ => Family::Fault,
            };
            assert_eq!(refusal.family(), expected);
        }
    }
}
