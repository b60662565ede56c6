//! One frame from bytes to sealed reply.

use book::Book;
use policies::{BucketUsage, KeyUsage, Usage};
use session::attestation::Attest;
use session::{PublicKey, SessionKey};
use signing::{Chain, HeadKey, KeyFault, Keyring, Secret};
use venues::hyperliquid;
use wire::frame::{self, Kind};
use wire::session::{Channel, Denial, Welcome, head, write_denied};
use wire::{CONTROL_SIZE_MAX, Mode, Now, REPLY_SIZE_MAX, REQUEST_SIZE_MAX};
use zeroize::Zeroizing;

use crate::answers::Answers;
use crate::boot::{Boot, Randomness};
use crate::clients::Clients;
use crate::control::Taking;
use crate::desk::Desk;
use crate::latches::{Latches, Watch};
use crate::operator::Operators;
use crate::outbox::Outbox;
use crate::serve::{Place, Serve, Verdict};
use crate::sessions::{Identity, Sessions};

/// A book, its keys, and everything that changes while they are used.
///
/// No method does I/O or reads a clock, and none allocates inside a session.
#[derive(Debug)]
pub struct Vault {
    pub(crate) sessions: Sessions,
    pub(crate) clients: Clients,
    pub(crate) latches: Latches,
    pub(crate) operators: Operators,
    pub(crate) randomness: Randomness,
    pub(crate) head_key: HeadKey,
    pub(crate) takings: Vec<Taking>,
    /// When clients are looked at next, milliseconds since boot.
    pub(crate) sweep_ms: u64,
    scratch: hyperliquid::Scratch,
    /// A body outside of its seal, and the one that answers it.
    asked: Box<[u8]>,
    answer: Box<[u8; REPLY_SIZE_MAX]>,
    pub(crate) desk: Desk,
}

/// The largest body that comes sealed.
const BODY_SIZE_MAX: usize =
    if REQUEST_SIZE_MAX > CONTROL_SIZE_MAX { REQUEST_SIZE_MAX } else { CONTROL_SIZE_MAX };

impl Vault {
    /// A vault at boot. At `boot.now` the venue nonces of earlier boots end, and no lower one is signed.
    ///
    /// # Errors
    /// [`KeyFault::Missing`] when the keyring does not hold exactly the keys that the book pins.
    pub fn at_boot(
        book: &'static Book<'static>,
        keyring: Keyring,
        attestor: Box<dyn Attest + Send>,
        boot: Boot,
    ) -> Result<Self, KeyFault> {
        keyring.check(book)?;
        let chain = Chain::at_boot(boot.id, book::policy_hash(book));
        let keys = vec![KeyUsage::EMPTY; book.slots.len()].into_boxed_slice();
        let buckets = vec![BucketUsage::EMPTY; book.buckets.len()].into_boxed_slice();
        let usage = Usage::at_boot(keys, buckets, boot.now);
        let watch = book.host.map(|host| Watch {
            host_silence_max_ms: host.heartbeat_ms.into(),
            host_gone: host.when_gone.into(),
        });
        let mut randomness = Randomness::new(boot.seed);
        let head_key = HeadKey::new(&Secret::new(Zeroizing::new(randomness.draw())));
        let identity = Identity {
            key: SessionKey::from_bytes(Zeroizing::new(randomness.draw())),
            attestor,
            boot_id: boot.id,
            policy_hash: chain.policy_hash(),
            receipt_key: head_key.public_key(),
        };
        let desk = Desk { book, keyring, usage, chain, outbox: Outbox::at_boot(), signed: 0, refused: 0 };
        let mut vault = Self {
            sessions: Sessions::at_boot(identity),
            clients: Clients::at_boot(book),
            latches: Latches::at_boot(book.boot_mode.into(), watch),
            operators: Operators::at_boot(),
            randomness,
            head_key,
            takings: Vec::with_capacity(crate::sessions::SESSIONS_OF_HOST_MAX),
            sweep_ms: 0,
            scratch: hyperliquid::Scratch::new(),
            asked: vec![0; BODY_SIZE_MAX].into_boxed_slice(),
            answer: Box::new([0; REPLY_SIZE_MAX]),
            desk,
        };
        vault.tell_boot_mode(boot.now);
        Ok(vault)
    }

    /// Takes one frame body from a connection and writes the body of its reply.
    pub fn handle(&mut self, now: Now, from: Place, frame: &[u8], reply: &mut [u8]) -> Verdict {
        self.settle(now);
        match frame::kind(frame) {
            Ok(Kind::Sealed) => self.answer(now, from, frame, reply),
            Ok(Kind::Hello) if self.sessions.at(from).is_none() => {
                match self.sessions.attest(now, from, frame, reply) {
                    Ok(size) => Verdict::Reply(size),
                    Err(denial) => deny(denial, reply),
                }
            }
            Ok(Kind::Handshake1) if self.sessions.at(from).is_none() => self.greet(now, from, frame, reply),
            _ => deny(Denial::SessionRequired, reply),
        }
    }

    /// Opens a sealed frame, has its body answered, and seals the answer.
    fn answer(&mut self, now: Now, from: Place, frame: &[u8], reply: &mut [u8]) -> Verdict {
        let Some(open) = self.sessions.at(from) else { return deny(Denial::SessionRequired, reply) };
        let client = open.client;
        // The buffer leaves its place while its bytes are looked at.
        let mut asked = std::mem::take(&mut self.asked);
        let verdict = match open.session.open(frame, &mut asked) {
            Ok(size) if now.wall_ms < open.ends_ms => {
                let body = asked.get(..size).unwrap_or_default();
                match from.channel {
                    Channel::Bots => self.answer_bot(now, from, client, body, reply),
                    Channel::Control => self.answer_host(now, from, body, reply),
                }
            }
            _ => Verdict::Close,
        };
        self.asked = asked;
        verdict
    }

    /// Answers a client: a request, or a sign of life.
    fn answer_bot(&mut self, now: Now, from: Place, client: u16, body: &[u8], reply: &mut [u8]) -> Verdict {
        let Self { sessions, clients, latches, scratch, answer, desk, .. } = self;
        let Some(client) = clients.get_mut(client) else { return Verdict::Close };
        client.hear(now.monotonic_ms, |edge| desk.tell_edge(now, edge));
        if *body == head(Kind::Heartbeat) {
            let mode = latches.mode_of(&client.key).max(client.mode());
            return sessions.seal(from, &standing(mode), reply);
        }
        let judged = desk.judge(now, client, latches, scratch, body, answer);
        let verdict = sessions.seal(from, answer.get(..judged.size).unwrap_or_default(), reply);
        match (verdict, desk.held(&judged)) {
            (Verdict::Reply(size), Some(sequence)) => Verdict::Held { size, sequence },
            (verdict, _) => verdict,
        }
    }

    fn greet(&mut self, now: Now, from: Place, frame: &[u8], reply: &mut [u8]) -> Verdict {
        let Self { sessions, clients, latches, randomness, desk, .. } = self;
        let book = desk.book;
        let admit = |identity: &Identity, key: PublicKey, certificate: Option<&[u8]>| {
            let welcome = Welcome {
                boot_id: identity.boot_id,
                policy_hash: identity.policy_hash,
                receipt_key: identity.receipt_key,
                wall_ms: now.wall_ms,
                mode: latches.mode_of(key.as_bytes()),
                heartbeat_ms: 0,
                records_kept: 0,
            };
            if from.channel == Channel::Control {
                let is_host = book.host.is_some_and(|host| host.public_key == *key.as_bytes());
                let heartbeat_ms = book.host.map_or(0, |host| host.heartbeat_ms);
                let welcome = Welcome { mode: latches.mode(), heartbeat_ms, ..welcome };
                return if is_host { Ok((0, u64::MAX, welcome)) } else { Err(Denial::ChannelNotAllowed) };
            }
            if latches.is_cut(key.as_bytes()) {
                return Err(Denial::ClientCut);
            }
            let place = clients.admit(key, certificate, now.wall_ms)?;
            let client = clients.get_mut(place).ok_or(Denial::ClientTableFull)?;
            client.answers.get_or_insert_with(Answers::new);
            let records_kept = book.receipts.unacknowledged_max.into();
            let heartbeat_ms = client.heartbeat_ms();
            Ok((place, client.ends_ms, Welcome { heartbeat_ms, records_kept, ..welcome }))
        };
        match sessions.greet(now, from, frame, reply, randomness, admit) {
            Ok(size) => Verdict::Reply(size),
            Err(Some(denial)) => deny(denial, reply),
            Err(None) => Verdict::Close,
        }
    }
}

impl Serve for Vault {
    fn handle(&mut self, now: Now, from: Place, body: &[u8], reply: &mut [u8]) -> Verdict {
        self.handle(now, from, body, reply)
    }

    fn resume(&mut self, now: Now, from: Place, reply: &mut [u8]) -> Verdict {
        self.resume(now, from, reply)
    }

    fn forget(&mut self, from: Place) {
        self.takings.retain(|taking| taking.from != from);
        self.sessions.forget(from);
    }

    fn has_session(&self, from: Place) -> bool {
        self.sessions.is_confirmed(from)
    }

    fn acknowledged(&self) -> u64 {
        self.desk.outbox.acknowledged()
    }

    fn note_clock(&mut self, now: Now, system_wall_ms: u64) {
        self.note_clock(now, system_wall_ms);
    }
}

fn standing(mode: Mode) -> [u8; 3] {
    let [version, kind] = head(Kind::Standing);
    [version, kind, mode as u8]
}

fn deny(denial: Denial, reply: &mut [u8]) -> Verdict {
    let body = write_denied(denial);
    match reply.get_mut(..body.len()) {
        Some(room) => {
            room.copy_from_slice(&body);
            Verdict::Last(body.len())
        }
        None => Verdict::Close,
    }
}
