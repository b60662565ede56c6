//! The actions of the exchange's clients (Hyperliquid docs, "Exchange endpoint").

use crate::known::{Catalogue, known};

/// What is understood and what is refused by name.
pub const CATALOGUE: Catalogue = Catalogue {
    venue: "Hyperliquid",
    understood: known! {
        "order" => "places orders: limit and trigger, any grouping, builder fee",
        "cancel" => "cancels orders by asset and order id",
        "cancelByCloid" => "cancels orders by asset and client order id",
        "modify" => "replaces one order; judged like the order that it leaves",
        "batchModify" => "replaces several orders, each judged like an order",
        "twapOrder" => "sells or buys a size over minutes; valued at the size times the top of the collar",
        "twapCancel" => "ends a TWAP",
        "scheduleCancel" => "sets or clears the time at which the exchange cancels all orders",
        "updateLeverage" => "sets the leverage of an asset",
        "updateIsolatedMargin" => "adds margin to an isolated position or takes some away",
        "vaultTransfer" => "deposits into a vault or withdraws from it",
        "usdSend" => "sends USDC to an address on the exchange",
        "spotSend" => "sends a spot token to an address on the exchange",
        "withdraw3" => "withdraws USDC to an address on Arbitrum",
        "sendAsset" => "moves a token between dexes, or to an address",
        "usdClassTransfer" => "moves USDC between the spot and the perpetual balance",
        "approveAgent" => "lets another key trade for this account",
        "approveBuilderFee" => "lets a builder take a fee",
    },
    refused: known! {
        "agentSendAsset" => "moves funds, and an agent's key may sign it",
        "trailingStop" => "its price is not in the action",
        "multiSig" => "wraps an action that others sign too",
        "createSubAccount" => "account management",
        "subAccountTransfer" => "moves funds to a sub-account without naming its owner",
        "spotUser" => "account settings",
        "reserveRequestWeight" => "pays for requests",
        "setReferrer" => "account settings",
        "cDeposit" => "staking",
        "tokenDelegate" => "staking",
    },
};
