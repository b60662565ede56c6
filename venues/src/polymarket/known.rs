//! The typed data of Polymarket's clients.

use crate::known::{Catalogue, known};

/// What is understood and what is refused by name.
pub const CATALOGUE: Catalogue = Catalogue {
    venue: "Polymarket",
    understood: known! {
        "Order" => "an order of the CTF Exchange or the neg-risk exchange, V1, V2 or V3",
        "TypedDataSign" => "an order of a deposit wallet (signature type POLY_1271), nested as ERC-7739 asks",
        "ClobAuth" => "the proof of address that makes API credentials",
    },
    refused: known! {
        "SafeTx" => "moves everything that a Safe owns, and may delegate",
        "Batch" => "arbitrary calls of a deposit wallet",
        "Op" => "an opaque hash of a perpetuals operation",
        "Withdraw" => "moves funds out of the perpetuals account",
        "CreateProxy" => "lets another key trade perpetuals",
        "any other type" => "a struct type or domain that differs in one letter is another one",
    },
};
