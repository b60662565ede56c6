//! The receipt chain: the only way a signature gets out.

use policies::{Counted, NonceUse};
use venues::Payload;
use wire::facts::{FactKey, FactSink, FactWriter};
use wire::receipt::{self, CODE_EVENT, CODE_SIGNED, Link, RECEIPT_VERSION, Receipt, RecordKind};
use wire::reply::Reply;
use wire::{FACTS_SIZE_MAX, Now, RECEIPT_SIZE_MAX, REPLY_SIZE_MAX, Refusal, Shown, Why, codec};

use crate::keyring::Signed;

/// What is known of a request whatever becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// When it is judged.
    pub now: Now,
    /// Who asks: the client's public session key.
    pub client: [u8; 32],
    /// The client's number for the request.
    pub request_id: u64,
    /// The key asked for.
    pub key_slot: u16,
    /// The payload kind as it stood in the request.
    pub payload_kind: u16,
}

/// The facts in the chain's buffer.
#[derive(Clone, Copy, Debug)]
struct Told {
    size: usize,
    is_complete: bool,
}

/// The chain of one boot. Holds the fixed buffers a receipt is written in.
#[derive(Debug)]
pub struct Chain {
    boot_id: [u8; 16],
    policy_hash: [u8; 32],
    sequence: u64,
    head: Link,
    facts: [u8; FACTS_SIZE_MAX],
    record: [u8; RECEIPT_SIZE_MAX],
    record_size: usize,
}

impl Chain {
    /// The chain at boot. `boot_id` is drawn at random for each boot.
    #[must_use]
    pub fn at_boot(boot_id: [u8; 16], policy_hash: [u8; 32]) -> Self {
        let head = receipt::genesis(&boot_id, &policy_hash);
        let (facts, record) = ([0; FACTS_SIZE_MAX], [0; RECEIPT_SIZE_MAX]);
        Self { boot_id, policy_hash, sequence: 0, head, facts, record, record_size: 0 }
    }

    /// The boot this chain belongs to.
    #[must_use]
    pub fn boot_id(&self) -> [u8; 16] {
        self.boot_id
    }

    /// The hash of the book that judges in this boot.
    #[must_use]
    pub fn policy_hash(&self) -> [u8; 32] {
        self.policy_hash
    }

    /// How many receipts were sealed.
    #[must_use]
    pub fn sealed(&self) -> u64 {
        self.sequence
    }

    /// The link of the last receipt, or the boot's genesis.
    #[must_use]
    pub fn head(&self) -> Link {
        self.head
    }

    /// Writes the receipt of a signature and releases both.
    ///
    /// A signature whose receipt cannot tell all that was signed does not leave: it is dropped here and the
    /// decision is a refusal, [`Refusal::FactsTooLong`].
    pub fn seal<P: Payload>(&mut self, asked: Asked, signed: Signed<P>) -> Sealed<'_, P> {
        let Signed { payload, slot, counted, signature } = signed;
        let asked = Asked { key_slot: slot, ..asked };
        let told = self.tell(Some(&payload), counted);
        if !told.is_complete {
            return self.refuse(asked, Refusal::FactsTooLong.into(), Some(payload.label()), told);
        }
        match self.append(asked, None, Some(payload.label()), told) {
            Some(record) => Sealed { code: CODE_SIGNED, asked, record, signed: Some((payload, signature)) },
            None => Sealed { code: Refusal::ReceiptNotSealed.code(), asked, record: &[], signed: None },
        }
    }

    /// Writes the receipt of a refusal, with the facts of the payload if it was decoded.
    pub fn seal_refusal<P: Payload>(&mut self, asked: Asked, why: Why, payload: Option<&P>) -> Sealed<'_, P> {
        let told = self.tell(payload, Counted::default());
        self.refuse(asked, why, payload.map(Payload::label), told)
    }

    /// Writes the record of an event, with what `tell` says of it; `client` is zero where it is about nobody. Gives `None` when it cannot be written; nothing has
    /// moved then.
    pub fn seal_event(
        &mut self,
        kind: RecordKind,
        client: [u8; 32],
        now: Now,
        tell: impl FnOnce(&mut dyn FactSink),
    ) -> Option<&[u8]> {
        let mut facts = FactWriter::new(&mut self.facts);
        tell(&mut facts);
        let told = Told { size: facts.used(), is_complete: facts.is_complete() };
        let asked = Asked { now, client, request_id: 0, key_slot: 0, payload_kind: 0 };
        self.write(asked, kind, CODE_EVENT, None, None, told)
    }

    /// The record sealed last; empty before the first.
    #[must_use]
    pub fn last_record(&self) -> &[u8] {
        self.record.get(..self.record_size).unwrap_or_default()
    }

    fn refuse<P>(&mut self, asked: Asked, why: Why, digest: Option<[u8; 32]>, told: Told) -> Sealed<'_, P> {
        match self.append(asked, Some(why), digest, told) {
            Some(record) => Sealed { code: why.refusal.code(), asked, record, signed: None },
            None => Sealed { code: Refusal::ReceiptNotSealed.code(), asked, record: &[], signed: None },
        }
    }

    /// Packs the payload's facts, and what was counted of it, into this chain's buffer.
    fn tell<P: Payload>(&mut self, payload: Option<&P>, counted: Counted) -> Told {
        let mut facts = FactWriter::new(&mut self.facts);
        if let Some(payload) = payload {
            payload.facts(&mut facts);
        }
        if let Some(nonce_use) = counted.nonce_use {
            let nonce_use = match nonce_use {
                NonceUse::First => "first",
                NonceUse::Replacement => "replacement",
                NonceUse::Cancel => "cancel",
            };
            facts.text(FactKey::NonceUse, nonce_use);
            facts.uint_be(FactKey::CountedSpend, &counted.native_spend.to_be_bytes::<32>());
        }
        let charged = [
            (FactKey::ChargedNotional, counted.notional_micro_usd),
            (FactKey::ChargedOrders, counted.orders),
        ];
        for (key, charged) in charged {
            if let Some(charged) = charged {
                facts.uint_be(key, &charged.to_be_bytes());
            }
        }
        Told { size: facts.used(), is_complete: facts.is_complete() }
    }

    /// Encodes the next record and moves the head to it; `None` when it cannot be encoded, and then nothing moved.
    fn append(
        &mut self,
        asked: Asked,
        why: Option<Why>,
        digest: Option<[u8; 32]>,
        told: Told,
    ) -> Option<&[u8]> {
        self.write(
            asked,
            RecordKind::Decision,
            why.map_or(CODE_SIGNED, |why| why.refusal.code()),
            why,
            digest,
            told,
        )
    }

    fn write(
        &mut self,
        asked: Asked,
        kind: RecordKind,
        code: u16,
        why: Option<Why>,
        digest: Option<[u8; 32]>,
        told: Told,
    ) -> Option<&[u8]> {
        let (observed, limit) = why.map_or((Shown::Nothing, Shown::Nothing), |why| (why.observed, why.limit));
        let receipt = Receipt {
            version: RECEIPT_VERSION,
            kind,
            sequence: self.sequence,
            boot_id: self.boot_id,
            previous: self.head,
            policy_hash: self.policy_hash,
            wall_ms: asked.now.wall_ms,
            client: asked.client,
            request_id: asked.request_id,
            key_slot: asked.key_slot,
            payload_kind: asked.payload_kind,
            code,
            subject: why.and_then(|why| why.subject),
            observed,
            limit,
            digest,
            facts_complete: told.is_complete,
            facts: self.facts.get(..told.size)?,
        };
        let next = self.sequence.checked_add(1)?;
        let size = codec::encode(receipt, &mut self.record).ok()?;
        let record = self.record.get(..size)?;
        self.head = receipt::link(record);
        self.sequence = next;
        self.record_size = size;
        Some(record)
    }
}

/// A decision whose receipt is in the chain. Writing the reply is all that is left to do with it.
#[must_use = "a sealed decision must be sent"]
#[derive(Debug)]
pub struct Sealed<'c, P> {
    code: u16,
    asked: Asked,
    record: &'c [u8],
    signed: Option<(P, crate::keyring::SignatureBytes)>,
}

impl<P: Payload> Sealed<'_, P> {
    /// Whether a signature leaves with it.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.signed.is_some()
    }

    /// Writes the reply's body and returns its size in bytes.
    pub fn write(self, return_canonical: bool, into: &mut [u8; REPLY_SIZE_MAX]) -> usize {
        let (signature, canonical): (&[u8], &[u8]) = match &self.signed {
            Some((payload, signature)) if return_canonical => (signature.as_bytes(), payload.canonical()),
            Some((_, signature)) => (signature.as_bytes(), &[]),
            None => (&[], &[]),
        };
        let request_id = self.asked.request_id;
        let reply = Reply { code: self.code, request_id, signature, receipt: self.record, canonical };
        // `wire` asserts at compile time that the largest parts fit together.
        reply.write(into).unwrap_or(0)
    }
}

#[cfg(test)]
#[path = "../../tests/witness.rs"]
mod witness;

#[cfg(test)]
mod tests {
    use super::witness::Witness as _;
    use super::*;

    const ASKED: Asked = Asked {
        now: Now { monotonic_ms: 1, wall_ms: 1 },
        client: [0; 32],
        request_id: 2,
        key_slot: 3,
        payload_kind: 4,
    };

    fn refuse(chain: &mut Chain) -> (Option<Refusal>, usize) {
        let mut body = [0; REPLY_SIZE_MAX];
        let sealed = chain.seal_refusal(ASKED, Refusal::Halted.into(), None::<&venues::evm::Transaction<'_>>);
        let size = sealed.write(false, &mut body);
        let reply = Reply::read(&body[..size]).unwrap();
        (Refusal::from_code(reply.code).witnessed(), reply.receipt.len())
    }

    #[test]
    fn a_chain_without_another_sequence_seals_nothing_and_stays_where_it_is() {
        let mut chain = Chain { sequence: u64::MAX - 1, ..Chain::at_boot([1; 16], [2; 32]) };
        let (refusal, size) = refuse(&mut chain);
        assert!(refusal == Some(Refusal::Halted) && size > 0);
        let (head, last) = (chain.head(), chain.last_record().to_vec());
        for _ in 0..2 {
            assert_eq!(refuse(&mut chain), (Some(Refusal::ReceiptNotSealed), 0));
            assert_eq!((chain.head(), chain.sealed()), (head, u64::MAX));
        }
        assert_eq!(chain.last_record(), last);
    }
}
