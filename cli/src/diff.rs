//! Two books rule by rule: what is another value, what came, what went, and whether that is stricter or looser.
//!
//! Entries of lists are matched by what they are about (a slot's number, an asset, chain and token), so that a line that
//! moved is not told as two. Two books have no difference exactly when they have the same policy hash.

use std::fmt::Write as _;

use crate::meaning::{self, Meaning};
use crate::show::{self, Around};
use compile::tree::Node;

/// What entries of a list are known by: the end of the struct's path and fields. The first line that fits counts.
const IDENTITIES: &[(&str, &[&str])] = &[
    ("book::Slot", &["slot"]),
    ("book::May", &["key"]),
    ("TokenValue", &["chain_id", "token"]),
    ("evm::rules::NativeLimits", &["chains"]),
    ("evm::rules::TokenLimits", &["chains", "tokens"]),
    ("evm::rules::SwapLimits", &["chains", "routers", "tokens_in", "tokens_out"]),
    ("evm::rules::WethLimits", &["chains"]),
    ("evm::rules::Permit2Limits", &["chains", "contracts"]),
    ("uniswapx::rules::ReactorLimits", &["order", "chains", "reactors"]),
    ("uniswapx::rules::SwapLimits", &["chains", "tokens_in", "tokens_out"]),
    ("uniswapx::rules::RelayLimits", &["chains", "reactors"]),
    ("uniswapx::rules::AllowanceLimits", &["chains", "spenders", "tokens"]),
    ("uniswapx::rules::TransferLimits", &["chains", "spenders", "tokens"]),
    ("polymarket::rules::MarketLimits", &["exchanges", "token_ids"]),
    ("hyperliquid::rules::AssetLimits", &["asset"]),
    ("hyperliquid::rules::TransferLimits", &["action", "tokens"]),
    ("solana::rules::ProgramLimits", &["program"]),
    ("solana::rules::MarketLimits", &["kind", "index"]),
    ("solana::rules::CollateralLimits", &["market_index"]),
    ("solana::rules::UserAccount", &["authority", "sub_account"]),
    ("", &["name"]),
];

/// Most elements of an identity that a path shows.
const SHOWN_MAX: usize = 2;

/// The differences, one a line or, where an entry came or went, with what it says; empty when there are none.
pub(crate) fn text(old: &Node, new: &Node) -> String {
    let mut diff = Diff { text: String::new() };
    diff.structs("", old, new);
    diff.text
}

struct Diff {
    text: String,
}

/// Where a value stands: the path shown, the struct around it and its field there.
#[derive(Clone, Copy)]
struct Place<'p> {
    shown: &'p str,
    path: &'static str,
    field: &'static str,
    /// The structs around it in both books.
    old: &'p Node,
    new: &'p Node,
    /// Whether more can be told about entries that come or go: not where the first that matches decides.
    is_telling: bool,
}

impl Diff {
    fn changed(&mut self, shown: &str, meaning: Meaning, old: &str, new: &str) {
        let _ = writeln!(self.text, "~ {shown}: {old} -> {new}  ({})", meaning.word());
    }

    fn structs(&mut self, shown: &str, old: &Node, new: &Node) {
        self.structs_in(shown, old, new, true);
    }

    fn structs_in(&mut self, shown: &str, old: &Node, new: &Node, is_telling: bool) {
        let (Node::Struct(path, old_fields), Node::Struct(_, new_fields)) = (old, new) else { return };
        for ((field, one), (_, other)) in old_fields.iter().zip(new_fields) {
            let dot = if shown.is_empty() { "" } else { "." };
            let shown = format!("{shown}{dot}{field}");
            self.values(Place { shown: &shown, path, field, old, new, is_telling }, one, other);
        }
    }

    fn values(&mut self, place: Place<'_>, old: &Node, new: &Node) {
        if old == new {
            return;
        }
        match (old, new) {
            (Node::Struct(one, _), Node::Struct(other, _)) if one == other => {
                if one.ends_with("::Ratio") {
                    let meaning = meaning::of_ratio(old, new);
                    let value = |node| show::value(node, &Around::NOTHING);
                    return self.changed(place.shown, meaning, &value(old), &value(new));
                }
                self.structs_in(place.shown, old, new, place.is_telling);
            }
            (Node::List(old), Node::List(new)) => self.lists(place, old, new),
            (Node::Nothing, Node::Struct(..)) => self.whole('+', place.shown, self.grown(place), new),
            (Node::Struct(..), Node::Nothing) => {
                self.whole('-', place.shown, self.grown(place).reversed(), old);
            }
            _ => {
                let told = meaning::of_change(place.path, place.field, old, new);
                let is_grant = matches!(
                    (old, new),
                    (Node::Nothing, _) | (_, Node::Nothing) | (Node::Any, _) | (_, Node::Any)
                ) || matches!(old, Node::Flag(_));
                let meaning = if is_grant && !place.is_telling { Meaning::Other } else { told };
                let [old, new] = [(old, place.old), (new, place.new)].map(|(node, around)| {
                    show::value(node, &Around { path: place.path, field: place.field, node: around })
                });
                self.changed(place.shown, meaning, &old, &new);
            }
        }
    }

    /// What more of the field means there.
    fn grown(&self, place: Place<'_>) -> Meaning {
        if place.is_telling { meaning::of_field(place.path, place.field) } else { Meaning::Other }
    }

    /// Lists of structs are matched by identity; of others the elements that came and went are told.
    fn lists(&mut self, place: Place<'_>, old: &[Node], new: &[Node]) {
        let pairs = pairs(old, new);
        let first_decides = meaning::first_decides(place.path, place.field);
        let grown = self.grown(place);
        for (index, node) in old.iter().enumerate() {
            if !pairs.iter().any(|(old, _)| *old == index) {
                let is_last = index + 1 == old.len();
                let meaning =
                    if first_decides && !is_last { Meaning::Other } else { entry(grown, place, node) };
                self.element('-', place, meaning.reversed(), node);
            }
        }
        for (old_index, new_index) in &pairs {
            if let (Some(one), Some(other)) = (old.get(*old_index), new.get(*new_index)) {
                let shown = format!("{}[{}]", place.shown, identity_text(one));
                let is_last = new_index + 1 == new.len() && old_index + 1 == old.len();
                self.structs_in(&shown, one, other, place.is_telling && (!first_decides || is_last));
            }
        }
        for (index, node) in new.iter().enumerate() {
            if !pairs.iter().any(|(_, new)| *new == index) {
                let is_last = index + 1 == new.len();
                let meaning =
                    if first_decides && !is_last { Meaning::Other } else { entry(grown, place, node) };
                self.element('+', place, meaning, node);
            }
        }
        if pairs.windows(2).any(|window| matches!(window, [(_, one), (_, other)] if one > other)) {
            let _ = writeln!(self.text, "~ {}: the same entries in another order  (other)", place.shown);
        }
    }

    fn element(&mut self, sign: char, place: Place<'_>, meaning: Meaning, node: &Node) {
        if matches!(node, Node::Struct(..)) {
            let shown = format!("{}[{}]", place.shown, identity_text(node));
            self.whole(sign, &shown, meaning, node);
        } else {
            let value = show::value(node, &Around::NOTHING);
            let _ = writeln!(self.text, "{sign} {}: {value}  ({})", place.shown, meaning.word());
        }
    }

    /// Something that came or went, and all it says.
    fn whole(&mut self, sign: char, shown: &str, meaning: Meaning, node: &Node) {
        let verb = if sign == '+' { "added" } else { "removed" };
        let _ = writeln!(self.text, "{sign} {shown}: {verb}  ({})", meaning.word());
        for line in show::lines(node) {
            let _ = writeln!(self.text, "{sign}   {line}");
        }
    }
}

/// What one more of these entries means. A market of Drift lets its own orders in and bounds every modification too: of it
/// nothing can be told.
fn entry(grown: Meaning, place: Place<'_>, node: &Node) -> Meaning {
    let is_market = matches!(node, Node::Struct(path, _) if path.ends_with("solana::rules::MarketLimits"));
    if is_market && place.field == "markets" { Meaning::Other } else { grown }
}

/// Which entries are the same: equal identities first, then those that share some of every part with one other alone.
fn pairs(old: &[Node], new: &[Node]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let same =
        |one: &Node, other: &Node| one == other || (is_struct(one) && identity(one) == identity(other));
    for (old_index, one) in old.iter().enumerate() {
        let is_free = |index: &usize| !pairs.iter().any(|(_, taken)| taken == index);
        let found = new.iter().enumerate().find(|(index, other)| is_free(index) && same(one, other));
        if let Some((new_index, _)) = found {
            pairs.push((old_index, new_index));
        }
    }
    let left = |nodes: &[Node], taken: &dyn Fn(usize) -> bool| -> Vec<usize> {
        (0..nodes.len()).filter(|index| !taken(*index)).collect()
    };
    let old_left = left(old, &|index| pairs.iter().any(|(taken, _)| *taken == index));
    let new_left = left(new, &|index| pairs.iter().any(|(_, taken)| *taken == index));
    let like = |one: usize, other: usize| matches!((old.get(one), new.get(other)), (Some(one), Some(other)) if overlap(one, other));
    for one in &old_left {
        let partners: Vec<_> = new_left.iter().filter(|other| like(*one, **other)).collect();
        if let [other] = partners[..]
            && old_left.iter().filter(|one| like(**one, *other)).count() == 1
        {
            pairs.push((*one, *other));
        }
    }
    pairs.sort_unstable();
    pairs
}

fn is_struct(node: &Node) -> bool {
    matches!(node, Node::Struct(..))
}

/// The values that an entry is known by; of an entry without, nothing.
fn identity(node: &Node) -> Option<Vec<&Node>> {
    let Node::Struct(path, _) = node else { return None };
    let (_, fields) = IDENTITIES.iter().find(|(end, fields)| {
        path.ends_with(end) && fields.iter().all(|field| node.field(field).is_some())
    })?;
    fields.iter().map(|field| node.field(field)).collect()
}

/// Whether two entries of a kind share something of every part of their identities, lists being parts.
fn overlap(one: &Node, other: &Node) -> bool {
    let (Some(one), Some(other)) = (identity(one), identity(other)) else { return false };
    let has_list = one.iter().any(|node| matches!(node, Node::List(_)));
    has_list
        && one.iter().zip(&other).all(|(one, other)| match (one, other) {
            (Node::List(one), Node::List(other)) => {
                one == other || one.iter().any(|element| other.contains(element))
            }
            (one, other) => one == other,
        })
}

/// An entry as a path shows it.
fn identity_text(node: &Node) -> String {
    let part = |node: &&Node| {
        let Node::List(elements) = node else { return show::value(node, &Around::NOTHING) };
        let shown = elements.iter().take(SHOWN_MAX).map(|element| show::value(element, &Around::NOTHING));
        let more = (elements.len() > SHOWN_MAX).then(|| "…".to_owned());
        shown.chain(more).collect::<Vec<_>>().join(",")
    };
    let parts: Vec<String> = identity(node).unwrap_or_default().iter().map(part).collect();
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}
