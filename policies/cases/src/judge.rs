//! One request, judged as the vault judges it: may the client ask for the key, then decode, then approve.

use book::Book;
use policies::{Asker, BucketUsage, KeyUsage, Usage, approve};
use venues::hyperliquid::{Form, Scratch};
use venues::{Payload, evm, hyperliquid, polymarket, solana, uniswapx};
use wire::request::PayloadKind;
use wire::{Now, Refusal, Venue, Why};

use crate::Fault;

/// A vault's policy side: a book, and what was used up since boot.
pub(crate) struct Judge<'b> {
    book: &'b Book<'b>,
    usage: Usage<Vec<KeyUsage>, Vec<BucketUsage>>,
    scratch: Box<Scratch>,
}

impl<'b> Judge<'b> {
    /// As at boot.
    pub(crate) fn at_boot(book: &'b Book<'b>, booted: Now) -> Self {
        let keys = vec![KeyUsage::EMPTY; book.slots.len()];
        let buckets = vec![BucketUsage::EMPTY; book.buckets.len()];
        Self { book, usage: Usage::at_boot(keys, buckets, booted), scratch: Box::new(Scratch::new()) }
    }

    /// The place of a client or role of the book; without a name that of the first that may ask for key and venue, or
    /// where there is none, the first of all.
    pub(crate) fn party(&self, name: Option<&str>, key: u16, venue: Venue) -> Result<u16, Fault> {
        let clients = self.book.clients.iter().map(|client| (client.name, &client.access));
        let roles = self.book.roles.iter().map(|role| (role.name, &role.access));
        let mut parties = clients.chain(roles);
        let place = match name {
            Some(name) => {
                let place = parties.position(|(candidate, _)| candidate == name);
                place.ok_or_else(|| format!("the book has no client or role {name:?}"))?
            }
            None => parties.position(|(_, access)| access.allows(key, venue)).unwrap_or_default(),
        };
        u16::try_from(place).map_err(|error| error.to_string())
    }

    /// What becomes of a payload.
    pub(crate) fn judge(
        &mut self,
        kind: PayloadKind,
        payload: &[u8],
        asker: Asker,
        now: Now,
    ) -> Result<(), Why> {
        if !self.book.access(asker.party).is_some_and(|access| access.allows(asker.key_slot, kind.venue())) {
            return Err(Refusal::KeyNotInScope.into());
        }
        let Self { book, usage, scratch } = self;
        let mut desk = Desk { book, usage, asker, now };
        match kind {
            PayloadKind::EvmEip1559 => desk.decide(evm::decode(payload)),
            PayloadKind::UniswapxTypedData => desk.decide(uniswapx::decode(payload)),
            PayloadKind::PolymarketTypedData => desk.decide(polymarket::decode(payload)),
            PayloadKind::HyperliquidL1Msgpack => {
                desk.decide(hyperliquid::decode(Form::L1Msgpack, payload, scratch))
            }
            PayloadKind::HyperliquidL1Json => {
                desk.decide(hyperliquid::decode(Form::L1Json, payload, scratch))
            }
            PayloadKind::HyperliquidUserJson => {
                desk.decide(hyperliquid::decode(Form::UserJson, payload, scratch))
            }
            PayloadKind::SolanaMessage => desk.decide(solana::decode(payload)),
            PayloadKind::SolanaSwift => desk.decide(solana::decode_swift(payload)),
        }
    }
}

struct Desk<'u, 'b> {
    book: &'b Book<'b>,
    usage: &'u mut Usage<Vec<KeyUsage>, Vec<BucketUsage>>,
    asker: Asker,
    now: Now,
}

impl Desk<'_, '_> {
    fn decide<P: Payload>(&mut self, decoded: Result<P, Why>) -> Result<(), Why> {
        let approved = approve(decoded?, self.book, self.asker, self.usage, self.now);
        approved.map(drop).map_err(|(_, why)| why)
    }
}
