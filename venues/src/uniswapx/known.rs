//! The typed data of UniswapX's and Permit2's clients.

use crate::known::{Catalogue, known};

/// What is understood and what is refused by name.
pub const CATALOGUE: Catalogue = Catalogue {
    venue: "UniswapX and Permit2",
    understood: known! {
        "ExclusiveDutchOrder" => "an order whose outputs decay in time, one filler first",
        "V2DutchOrder" => "an order whose outputs decay in time from a start that a cosigner sets",
        "V3DutchOrder" => "an order whose input and outputs follow curves over blocks",
        "PriorityOrder" => "an order whose outputs grow with the filler's priority fee",
        "RelayOrder" => "an order that pays an input and a growing fee; without router call data only",
        "PermitSingle" => "a Permit2 allowance for one token",
        "PermitBatch" => "Permit2 allowances for several tokens",
        "PermitTransferFrom" => "a Permit2 transfer of one token, for a spender to use once",
        "PermitBatchTransferFrom" => "a Permit2 transfer of several tokens, for a spender to use once",
    },
    refused: known! {
        "HybridOrder" => "its permit names a hook instead of the reactor, and its price curve is not modelled",
        "RelayOrder with universalRouterCalldata" => "the call data run in the router and are not decoded",
        "any other type" => "a struct type or domain that differs in one letter is another one",
    },
};
