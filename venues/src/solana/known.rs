//! The instructions of the venue's clients, by the names of the programs' IDLs.

use crate::known::{Catalogue, known};

/// What is understood and what is refused by name.
pub const CATALOGUE: Catalogue = Catalogue {
    venue: "Solana: Drift v2 and Velocity",
    understood: known! {
        "placePerpOrder" => "places a perpetual order (Drift, Velocity)",
        "placeOrders" => "places several orders (Drift, Velocity)",
        "placeAndTakePerpOrder" => "places a perpetual order that takes from makers passed along (Drift, Velocity)",
        "modifyOrderByUserId" => "replaces an order by the user's number (Drift, Velocity)",
        "modifyOrder" => "replaces an order by the program's number (Drift)",
        "placeSpotOrder" => "places a spot order (Drift)",
        "cancelOrder" => "cancels an order (Drift)",
        "cancelOrderByUserId" => "cancels an order by the user's number (Drift)",
        "cancelOrders" => "cancels the orders that match market and direction (Drift)",
        "cancelOrdersByIds" => "cancels orders by the program's numbers (Drift)",
        "settlePnl" => "settles the profit and loss of a market (Drift)",
        "settleMultiplePnls" => "settles several markets (Drift)",
        "deposit" => "deposits collateral from a token account (Drift)",
        "withdraw" => "withdraws collateral to a static token account (Drift)",
        "signedMsgOrderParams" => "a Swift order signed as text, off the chain (Drift; a payload kind of its own)",
    },
    refused: known! {
        "advanceNonceAccount" => "a durable nonce keeps a signed transaction alive for days",
        "transfer" => "System and Token programs: money leaves without a venue's rules",
        "memo" => "text that anyone may read into the order beside it",
        "any other instruction" => "of Drift, Velocity or another program: its data are not read, so it is not signed",
    },
};
