//! One frame from bytes to sealed reply.

use book::Book;
use policies::{Asker, BucketUsage, KeyUsage, Usage, approve};
use signing::{Asked, Chain, KeyFault, Keyring, Signs};
use venues::hyperliquid::Form;
use venues::{Payload, evm, hyperliquid, polymarket, solana, uniswapx};
use wire::request::{PayloadKind, Request, Unreadable};
use wire::{CONTROL_SIZE_MAX, Now, REPLY_SIZE_MAX, Why};

use crate::boot::{Boot, Randomness};
use crate::latches::{Latches, Watch};
use crate::operator::Operators;
use crate::outbox::Outbox;
use crate::serve::Serve;
use crate::sessions::{Admitted, Sessions};

/// A book, its keys, and everything that changes while they are used.
///
/// No method does I/O, reads a clock or allocates.
#[derive(Debug)]
pub struct Vault {
    pub(crate) sessions: Sessions,
    pub(crate) operators: Operators,
    pub(crate) randomness: Randomness,
    scratch: hyperliquid::Scratch,
    pub(crate) desk: Desk,
}

/// What a decision touches once a request is admitted.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) book: &'static Book<'static>,
    keyring: Keyring,
    pub(crate) usage: Usage<Box<[KeyUsage]>, Box<[BucketUsage]>>,
    pub(crate) chain: Chain,
    pub(crate) outbox: Outbox,
    pub(crate) signed: u64,
    pub(crate) refused: u64,
}

impl Vault {
    /// A vault at boot. At `boot.now` the venue nonces of earlier boots end, and no lower one is signed.
    ///
    /// # Errors
    /// [`KeyFault::Missing`] when the keyring does not hold exactly the keys that the book pins.
    pub fn at_boot(book: &'static Book<'static>, keyring: Keyring, boot: Boot) -> Result<Self, KeyFault> {
        keyring.check(book)?;
        let chain = Chain::at_boot(boot.id, book::policy_hash(book));
        let keys = vec![KeyUsage::EMPTY; book.slots.len()].into_boxed_slice();
        let buckets = vec![BucketUsage::EMPTY; book.buckets.len()].into_boxed_slice();
        let usage = Usage::at_boot(keys, buckets, boot.now);
        let watch = book.host.map(|host| Watch {
            host_silence_max_ms: host.heartbeat_ms.into(),
            host_gone: host.when_gone.into(),
        });
        let latches = Latches::at_boot(book.boot_mode.into(), watch);
        let desk = Desk { book, keyring, usage, chain, outbox: Outbox::at_boot(), signed: 0, refused: 0 };
        let mut vault = Self {
            sessions: Sessions::at_boot(latches),
            operators: Operators::at_boot(),
            randomness: Randomness::new(boot.seed),
            scratch: hyperliquid::Scratch::new(),
            desk,
        };
        vault.tell_boot_mode(boot.now);
        Ok(vault)
    }

    /// Takes one request body and writes one reply body; returns the reply's size in bytes.
    ///
    /// Every frame gets exactly one reply and one receipt, whatever is in it.
    pub fn handle(&mut self, now: Now, body: &[u8], reply: &mut [u8; REPLY_SIZE_MAX]) -> usize {
        self.settle(now);
        let Self { sessions, scratch, desk, .. } = self;
        let request = match Request::parse(body) {
            Ok(request) => request,
            Err(unreadable) => {
                return desk.refuse(asked_of_unreadable(&unreadable, now), unreadable.why, reply);
            }
        };
        let asked = asked(&request, now);
        let admitted = match sessions.admit(request) {
            Ok(admitted) => admitted,
            Err(why) => return desk.refuse(asked, why, reply),
        };
        let payload = admitted.request().payload;
        match admitted.request().payload_kind {
            PayloadKind::EvmEip1559 => desk.decide(&admitted, asked, now, evm::decode(payload), reply),
            PayloadKind::UniswapxTypedData => {
                desk.decide(&admitted, asked, now, uniswapx::decode(payload), reply)
            }
            PayloadKind::PolymarketTypedData => {
                desk.decide(&admitted, asked, now, polymarket::decode(payload), reply)
            }
            PayloadKind::HyperliquidL1Msgpack => {
                let action = hyperliquid::decode(Form::L1Msgpack, payload, scratch);
                desk.decide(&admitted, asked, now, action, reply)
            }
            PayloadKind::HyperliquidL1Json => {
                let action = hyperliquid::decode(Form::L1Json, payload, scratch);
                desk.decide(&admitted, asked, now, action, reply)
            }
            PayloadKind::HyperliquidUserJson => {
                let action = hyperliquid::decode(Form::UserJson, payload, scratch);
                desk.decide(&admitted, asked, now, action, reply)
            }
            PayloadKind::SolanaMessage => desk.decide(&admitted, asked, now, solana::decode(payload), reply),
            PayloadKind::SolanaSwift => {
                desk.decide(&admitted, asked, now, solana::decode_swift(payload), reply)
            }
        }
    }
}

impl Serve for Vault {
    fn handle(&mut self, now: Now, body: &[u8], reply: &mut [u8; REPLY_SIZE_MAX]) -> usize {
        self.handle(now, body, reply)
    }

    fn control(&mut self, now: Now, body: &[u8], reply: &mut [u8; CONTROL_SIZE_MAX]) -> Option<usize> {
        self.control(now, body, reply)
    }

    fn note_clock(&mut self, now: Now, system_wall_ms: u64) {
        self.note_clock(now, system_wall_ms);
    }
}

impl Desk {
    /// Approve, sign, seal: each step takes the proof that the one before it happened.
    fn decide<P: Payload>(
        &mut self,
        admitted: &Admitted<'_>,
        asked: Asked,
        now: Now,
        decoded: Result<P, Why>,
        reply: &mut [u8; REPLY_SIZE_MAX],
    ) -> usize
    where
        P::Scheme: Signs,
    {
        let Self { book, keyring, usage, chain, .. } = self;
        let payload = match decoded {
            Ok(payload) => payload,
            Err(why) => return self.refuse(asked, why, reply),
        };
        // Until sessions tell clients apart there is one.
        let asker = Asker { client: 0, party: 0, key_slot: asked.key_slot };
        let approved = match admitted.check(policies::effect(&payload, book, asker)) {
            Ok(()) => approve(payload, book, asker, usage, now),
            Err(why) => Err((payload, why)),
        };
        let signed = approved.and_then(|approved| {
            keyring.sign(approved).map_err(|(payload, refusal)| (payload, refusal.into()))
        });
        let sealed = match signed {
            Ok(signed) => chain.seal(asked, signed),
            Err((payload, why)) => chain.seal_refusal(asked, why, Some(&payload)),
        };
        let counter = if sealed.is_signed() { &mut self.signed } else { &mut self.refused };
        *counter = counter.saturating_add(1);
        let size = sealed.write(admitted.request().return_canonical, reply);
        self.keep_record();
        size
    }

    /// Refuses what was never decoded.
    fn refuse(&mut self, asked: Asked, why: Why, reply: &mut [u8; REPLY_SIZE_MAX]) -> usize {
        self.refused = self.refused.saturating_add(1);
        let size = self.chain.seal_refusal(asked, why, None::<&evm::Transaction<'_>>).write(false, reply);
        self.keep_record();
        size
    }

    /// Keeps the record that was just sealed for the host; nothing when none could be sealed, so that the outbox counts
    /// as the chain does.
    pub(crate) fn keep_record(&mut self) {
        if self.outbox.next() < self.chain.sealed() {
            self.outbox.push(self.chain.last_record());
        }
    }
}

fn asked(request: &Request<'_>, now: Now) -> Asked {
    Asked {
        wall_ms: now.wall_ms,
        client: [0; 32],
        request_id: request.request_id,
        key_slot: request.key_slot,
        payload_kind: request.payload_kind.number(),
    }
}

fn asked_of_unreadable(unreadable: &Unreadable, now: Now) -> Asked {
    let Unreadable { request_id, key_slot, payload_kind, .. } = *unreadable;
    Asked { wall_ms: now.wall_ms, client: [0; 32], request_id, key_slot, payload_kind }
}
