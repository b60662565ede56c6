//! From a client's request to its reply: who may ask, what it does, what the book says, the signature, the record.

use book::{Book, ReceiptMode};
use policies::{Asker, BucketUsage, KeyUsage, Usage, approve};
use signing::{Asked, Chain, Keyring, Signs};
use venues::hyperliquid::{Form, Scratch};
use venues::{Effect, Payload, evm, hyperliquid, polymarket, solana, uniswapx};
use wire::reply::Reply;
use wire::request::{PayloadKind, Request, Unreadable};
use wire::{Now, REPLY_SIZE_MAX, Refusal, Why};

use crate::answers::{About, Known};
use crate::clients::Client;
use crate::latches::Latches;
use crate::outbox::Outbox;
use crate::sessions::{Admitted, admit};

/// What a decision touches once a request is admitted.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) book: &'static Book<'static>,
    pub(crate) keyring: Keyring,
    pub(crate) usage: Usage<Box<[KeyUsage]>, Box<[BucketUsage]>>,
    pub(crate) chain: Chain,
    pub(crate) outbox: Outbox,
    pub(crate) signed: u64,
    pub(crate) refused: u64,
}

/// What came of a request, beside the reply in its buffer.
pub(crate) struct Judged {
    pub(crate) size: usize,
    pub(crate) effect: Effect,
    pub(crate) is_signed: bool,
    /// The sequence of its record; `None` when it has none.
    pub(crate) sequence: Option<u64>,
}

impl Desk {
    /// From a request's body to its reply.
    pub(crate) fn judge(
        &mut self,
        now: Now,
        client: &mut Client,
        latches: &Latches,
        scratch: &mut Scratch,
        body: &[u8],
        reply: &mut [u8; REPLY_SIZE_MAX],
    ) -> Judged {
        let request = match Request::parse(body) {
            Ok(request) => request,
            Err(unreadable) => {
                let asked = asked_of_unreadable(&unreadable, client, now);
                return self.refuse(client, asked, unreadable.why, reply);
            }
        };
        let asked = asked(&request, client, now);
        if latches.is_cut(&client.key) {
            return self.refuse(client, asked, Refusal::ClientCut.into(), reply);
        }
        let mode = latches.mode_for(Some(&client.key), request.payload_kind.venue()).max(client.mode());
        let admitted = match admit(request, client.access, mode) {
            Ok(admitted) => admitted,
            Err(why) => return self.refuse(client, asked, why, reply),
        };
        match client.answers.as_ref().map_or(Known::No, |answers| answers.find(asked.request_id, body)) {
            Known::No => {}
            Known::Same(about, before) => match admitted.check(about.effect) {
                Ok(()) => return answer_again(about, before, reply),
                Err(why) => return self.refuse(client, asked, why, reply),
            },
            Known::Conflict => return self.refuse(client, asked, Refusal::RequestIdConflict.into(), reply),
        }
        if self.is_spent() {
            return self.refuse(client, asked, Refusal::ReceiptsNotAcknowledged.into(), reply);
        }
        let judged = self.decode(now, client, &admitted, asked, scratch, reply);
        if let (Some(sequence), Some(answers)) = (judged.sequence, &mut client.answers) {
            let about = About::new(asked.request_id, judged.effect, sequence, judged.is_signed);
            answers.keep(about, body, reply.get(..judged.size).unwrap_or_default());
        }
        judged
    }

    fn decode(
        &mut self,
        now: Now,
        client: &mut Client,
        admitted: &Admitted<'_>,
        asked: Asked,
        scratch: &mut Scratch,
        reply: &mut [u8; REPLY_SIZE_MAX],
    ) -> Judged {
        let payload = admitted.request().payload;
        match admitted.request().payload_kind {
            PayloadKind::EvmEip1559 => self.decide(client, admitted, asked, now, evm::decode(payload), reply),
            PayloadKind::UniswapxTypedData => {
                self.decide(client, admitted, asked, now, uniswapx::decode(payload), reply)
            }
            PayloadKind::PolymarketTypedData => {
                self.decide(client, admitted, asked, now, polymarket::decode(payload), reply)
            }
            PayloadKind::HyperliquidL1Msgpack => {
                let action = hyperliquid::decode(Form::L1Msgpack, payload, scratch);
                self.decide(client, admitted, asked, now, action, reply)
            }
            PayloadKind::HyperliquidL1Json => {
                let action = hyperliquid::decode(Form::L1Json, payload, scratch);
                self.decide(client, admitted, asked, now, action, reply)
            }
            PayloadKind::HyperliquidUserJson => {
                let action = hyperliquid::decode(Form::UserJson, payload, scratch);
                self.decide(client, admitted, asked, now, action, reply)
            }
            PayloadKind::SolanaMessage => {
                self.decide(client, admitted, asked, now, solana::decode(payload), reply)
            }
            PayloadKind::SolanaSwift => {
                self.decide(client, admitted, asked, now, solana::decode_swift(payload), reply)
            }
        }
    }

    /// Approve, sign, seal: each step takes the proof that the one before it happened.
    fn decide<P: Payload>(
        &mut self,
        client: &mut Client,
        admitted: &Admitted<'_>,
        asked: Asked,
        now: Now,
        decoded: Result<P, Why>,
        reply: &mut [u8; REPLY_SIZE_MAX],
    ) -> Judged
    where
        P::Scheme: Signs,
    {
        let Self { book, keyring, usage, chain, .. } = self;
        let payload = match decoded {
            Ok(payload) => payload,
            Err(why) => return self.refuse(client, asked, why, reply),
        };
        let asker = Asker { client: client.place, party: client.party, key_slot: asked.key_slot };
        let effect = policies::effect(&payload, book, asker);
        let approved = match admitted.check(effect) {
            Ok(()) => approve(payload, book, asker, usage, now),
            Err(why) => Err((payload, why)),
        };
        let signed = approved.and_then(|approved| {
            keyring.sign(approved).map_err(|(payload, refusal)| (payload, refusal.into()))
        });
        let sealed = match signed {
            Ok(signed) => chain.seal(asked, signed),
            Err((_, why)) if !client.may_record_refusal(now.monotonic_ms) => {
                return self.refuse_unrecorded(client, asked, why, reply);
            }
            Err((payload, why)) => chain.seal_refusal(asked, why, Some(&payload)),
        };
        let is_signed = sealed.is_signed();
        let size = sealed.write(admitted.request().return_canonical, reply);
        self.count(client, is_signed);
        Judged { size, effect, is_signed, sequence: self.keep_record() }
    }

    /// Refuses what was never decoded.
    fn refuse(
        &mut self,
        client: &mut Client,
        asked: Asked,
        why: Why,
        reply: &mut [u8; REPLY_SIZE_MAX],
    ) -> Judged {
        // Where records wait for the host in vain there are no more of refusals, so that none pushes out another.
        if self.is_spent() || !client.may_record_refusal(asked.now.monotonic_ms) {
            return self.refuse_unrecorded(client, asked, why, reply);
        }
        self.count(client, false);
        let size = self.chain.seal_refusal(asked, why, None::<&evm::Transaction<'_>>).write(false, reply);
        Judged { size, effect: Effect::Opens, is_signed: false, sequence: self.keep_record() }
    }

    /// Refuses without a record: it is counted, and a summary tells of it.
    fn refuse_unrecorded(
        &mut self,
        client: &mut Client,
        asked: Asked,
        why: Why,
        reply: &mut [u8; REPLY_SIZE_MAX],
    ) -> Judged {
        self.count(client, false);
        let code = why.refusal.code();
        client.note_unrecorded(code);
        let refusal =
            Reply { code, request_id: asked.request_id, signature: &[], receipt: &[], canonical: &[] };
        let size = refusal.write(reply).unwrap_or(0);
        Judged { size, effect: Effect::Opens, is_signed: false, sequence: None }
    }

    /// The record that a reply waits for, if it does.
    pub(crate) fn held(&self, judged: &Judged) -> Option<u64> {
        let waits = judged.is_signed && self.book.receipts.mode == ReceiptMode::Durable;
        judged.sequence.filter(|sequence| waits && *sequence >= self.outbox.acknowledged())
    }

    fn count(&mut self, client: &mut Client, is_signed: bool) {
        let counters = if is_signed {
            [&mut self.signed, &mut client.signed]
        } else {
            [&mut self.refused, &mut client.refused]
        };
        counters.into_iter().for_each(|counter| *counter = counter.saturating_add(1));
    }

    /// Whether so many records wait for the host that nothing is signed.
    pub(crate) fn is_spent(&self) -> bool {
        let receipts = self.book.receipts;
        receipts.mode != ReceiptMode::Client && self.outbox.is_spent(receipts.unacknowledged_max)
    }

    /// Keeps the record that was just sealed for the host, and gives its sequence; nothing when none could be sealed,
    /// so that the outbox counts as the chain does.
    pub(crate) fn keep_record(&mut self) -> Option<u64> {
        let sequence = self.outbox.next();
        (sequence < self.chain.sealed()).then(|| {
            self.outbox.push(self.chain.last_record());
            sequence
        })
    }
}

/// Writes the reply that the same request had before.
fn answer_again(about: About, before: &[u8], reply: &mut [u8; REPLY_SIZE_MAX]) -> Judged {
    if let Some(room) = reply.get_mut(..before.len()) {
        room.copy_from_slice(before);
    }
    let About { effect, is_signed, sequence, .. } = about;
    Judged { size: before.len(), effect, is_signed, sequence: Some(sequence) }
}

fn asked(request: &Request<'_>, client: &Client, now: Now) -> Asked {
    Asked {
        now,
        client: client.key,
        request_id: request.request_id,
        key_slot: request.key_slot,
        payload_kind: request.payload_kind.number(),
    }
}

fn asked_of_unreadable(unreadable: &Unreadable, client: &Client, now: Now) -> Asked {
    let Unreadable { request_id, key_slot, payload_kind, .. } = *unreadable;
    Asked { now, client: client.key, request_id, key_slot, payload_kind }
}
