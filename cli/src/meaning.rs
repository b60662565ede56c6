//! What a change of a book's field means for what may be signed: stricter, looser, or neither for sure.
//!
//! Nothing is guessed. A field of a part of the book that is not known here is [`Meaning::Other`], and so is one that works
//! both ways: the top of a collar lets higher prices in and values sells higher, a nonce window that reaches further ahead
//! costs refusals after a restart.

use venues::U256;

use compile::tree::Node;

/// What more of a field means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// More of it (a larger number, a longer list, yes, being there) lets more be signed.
    Looser,
    /// More of it lets less be signed.
    Stricter,
    /// It cannot be told.
    Other,
}

impl Meaning {
    /// The word that marks a change.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Looser => "looser",
            Self::Stricter => "stricter",
            Self::Other => "other",
        }
    }

    /// What less of the field means.
    pub(crate) const fn reversed(self) -> Self {
        match self {
            Self::Looser => Self::Stricter,
            Self::Stricter => Self::Looser,
            Self::Other => Self::Other,
        }
    }
}

/// Fields whose meaning their name does not say: the end of the struct's path, the field, what more of it means.
const FIELDS: &[(&str, &str, Meaning)] = &[
    ("book::Book", "slots", Meaning::Looser),
    ("book::Book", "operators", Meaning::Looser),
    ("book::Book", "clients", Meaning::Looser),
    ("book::Book", "roles", Meaning::Looser),
    ("book::Book", "host", Meaning::Stricter),
    ("book::Book", "buckets", Meaning::Stricter),
    ("book::Host", "heartbeat_ms", Meaning::Looser),
    ("book::Heartbeat", "heartbeat_ms", Meaning::Looser),
    ("book::Receipts", "unacknowledged_max", Meaning::Looser),
    ("book::Role", "certificate_days_max", Meaning::Looser),
    ("book::Access", "may", Meaning::Looser),
    ("book::Access", "heartbeat", Meaning::Stricter),
    ("book::May", "venues", Meaning::Looser),
    ("book::Slot", "expires_ms", Meaning::Looser),
    // A budget that counts more refuses more.
    ("book::Bucket", "venues", Meaning::Stricter),
    ("book::Bucket", "keys", Meaning::Stricter),
    ("book::Bucket", "clients", Meaning::Stricter),
    ("book::Bucket", "capacity", Meaning::Looser),
    ("book::Bucket", "refill", Meaning::Looser),
    ("book::Bucket", "refill_ms", Meaning::Stricter),
    // What is worth more uses budgets up sooner.
    ("TokenValue", "usd_max", Meaning::Stricter),
    ("polymarket::rules::OrderLimits", "salt_53_bits", Meaning::Stricter),
    ("hyperliquid::rules::Limits", "nonce_ahead_max_ms", Meaning::Other),
    ("solana::rules::MarginRatioLimits", "min", Meaning::Stricter),
    ("solana::rules::MarginRatioLimits", "max", Meaning::Looser),
];

/// Words in the order from the strictest to the loosest: the end of their enum's path, then the words.
const LADDERS: &[(&str, &[&str])] = &[
    ("book::BootMode", &["Halted", "CancelOnly", "Live"]),
    ("book::WhenGone", &["Halted", "CancelOnly", "ReduceOnly"]),
];

/// Lists of which the first entry that matches decides: an entry may hide what a later one grants.
const FIRST_DECIDES: &[(&str, &[&str])] = &[
    ("evm::rules::Limits", &["native", "tokens", "swaps", "weth", "permit2"]),
    ("uniswapx::rules::Limits", &["reactors", "swaps", "relays", "allowances", "transfers"]),
];

/// Grants of a venue; of these the names of fields say the rest.
fn is_rule(path: &str) -> bool {
    path.starts_with("::venues::") && path.contains("::rules::") || path.ends_with("::Grants")
}

/// What more of a struct's field means.
pub(crate) fn of_field(path: &str, field: &str) -> Meaning {
    if let Some((.., meaning)) = FIELDS.iter().find(|(end, known, _)| path.ends_with(end) && *known == field)
    {
        return *meaning;
    }
    if !is_rule(path) || field == "price_max" {
        return Meaning::Other;
    }
    if field.ends_with("_min") { Meaning::Stricter } else { Meaning::Looser }
}

/// Whether the first entry that matches decides in that list.
pub(crate) fn first_decides(path: &str, field: &str) -> bool {
    FIRST_DECIDES.iter().any(|(end, fields)| path.ends_with(end) && fields.contains(&field))
}

/// What a new value means in place of an old one, `more` being what more of its field means.
pub(crate) fn of_change(path: &str, field: &str, old: &Node, new: &Node) -> Meaning {
    let more = of_field(path, field);
    match (old, new) {
        (Node::Number(old), Node::Number(new)) => of_numbers(field, more, old, new),
        (Node::Flag(_), Node::Flag(true)) => more,
        (Node::Flag(_), Node::Flag(false)) => more.reversed(),
        (Node::Word(old), Node::Word(new)) => of_words(old, new),
        // An end that was not there ends less than any time.
        (Node::Nothing, Node::Number(_)) if field == "expires_ms" => Meaning::Stricter,
        (Node::Number(_), Node::Nothing) if field == "expires_ms" => Meaning::Looser,
        (Node::Nothing, _) => more,
        (_, Node::Nothing) => more.reversed(),
        (Node::List(_), Node::Any) => more,
        (Node::Any, Node::List(_)) => more.reversed(),
        _ => Meaning::Other,
    }
}

fn of_numbers(field: &str, more: Meaning, old: &U256, new: &U256) -> Meaning {
    if field == "order_bits" {
        return match (*old & *new == *old, *old & *new == *new) {
            (true, false) => Meaning::Looser,
            (false, true) => Meaning::Stricter,
            _ => Meaning::Other,
        };
    }
    let is_limit = ["_max", "_min", "_ms", "min", "max", "capacity", "refill"]
        .iter()
        .any(|part| field.ends_with(part) || field.contains("_max_"));
    match (is_limit, new > old) {
        (false, _) => Meaning::Other,
        (true, true) => more,
        (true, false) => more.reversed(),
    }
}

fn of_words(old: &str, new: &str) -> Meaning {
    let (Some((enumeration, old)), Some((_, new))) = (old.rsplit_once("::"), new.rsplit_once("::")) else {
        return Meaning::Other;
    };
    // A budget that counts all orders counts those that one of some does.
    if enumeration.ends_with("book::Orders") {
        return if new == "All" {
            Meaning::Stricter
        } else if old == "All" {
            Meaning::Looser
        } else {
            Meaning::Other
        };
    }
    let Some((_, words)) = LADDERS.iter().find(|(end, _)| enumeration.ends_with(end)) else {
        return Meaning::Other;
    };
    let place = |word| words.iter().position(|known| *known == word);
    match (place(old), place(new)) {
        (Some(old), Some(new)) if new > old => Meaning::Looser,
        (Some(old), Some(new)) if new < old => Meaning::Stricter,
        _ => Meaning::Other,
    }
}

/// What a new ratio means in place of an old one: least output over most input, so that a higher one is stricter.
pub(crate) fn of_ratio(old: &Node, new: &Node) -> Meaning {
    let part = |node: &Node, name| match node.field(name) {
        Some(Node::Number(number)) => Some(*number),
        _ => None,
    };
    let product = |one: &Node, other: &Node| {
        let (numerator, denominator) = (part(one, "numerator")?, part(other, "denominator")?);
        numerator.checked_mul(denominator)
    };
    match (product(old, new), product(new, old)) {
        (Some(old), Some(new)) if new > old => Meaning::Stricter,
        (Some(old), Some(new)) if new < old => Meaning::Looser,
        _ => Meaning::Other,
    }
}
