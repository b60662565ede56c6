//! One request, judged as the vault judges it: decode, then approve.

use book::Book;
use policies::{Asker, BucketUsage, KeyUsage, Usage, approve};
use venues::hyperliquid::{Form, Scratch};
use venues::{Payload, evm, hyperliquid, polymarket, solana, uniswapx};
use wire::request::PayloadKind;
use wire::{Now, Why};

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

    /// What becomes of a payload.
    pub(crate) fn judge(&mut self, kind: PayloadKind, payload: &[u8], asker: Asker, now: Now) -> Result<(), Why> {
        let Self { book, usage, scratch } = self;
        let mut desk = Desk { book, usage, asker, now };
        match kind {
            PayloadKind::EvmEip1559 => desk.decide(evm::decode(payload)),
            PayloadKind::UniswapxTypedData => desk.decide(uniswapx::decode(payload)),
            PayloadKind::PolymarketTypedData => desk.decide(polymarket::decode(payload)),
            PayloadKind::HyperliquidL1Msgpack => {
                desk.decide(hyperliquid::decode(Form::L1Msgpack, payload, scratch))
            }
            PayloadKind::HyperliquidL1Json => desk.decide(hyperliquid::decode(Form::L1Json, payload, scratch)),
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
