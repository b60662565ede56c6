//! The demo desk with its throw-away keys, and payloads for it.
#![allow(dead_code, reason = "each test binary uses its own part")]

use book::{Book, Host, WhenGone};
use enclave::serve::{Place, Verdict};
use enclave::{Boot, Vault};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;
use session_dev::{Caller, DevelopmentAttestor, Peer, Refused, throw_away_key};
use sha2::{Digest, Sha256};
use signing::{Keyring, Secret};
use venues::hyperliquid::rules::Network;
use venues::hyperliquid::{Claims, ENVELOPE_SIZE_MAX, Envelope};
use wire::control::{self, Command, Mode};
use wire::facts_json::JsonFacts;
use wire::receipt::{Link, Receipt};
use wire::reply::Reply;
use wire::request::{PayloadKind, Request};
use wire::session::{Channel, SEALED_SIZE_MAX};
use wire::{CONTROL_SIZE_MAX, Now, Refusal};
use zeroize::Zeroizing;

#[path = "../../../tests/witness.rs"]
pub(crate) mod witness;
use witness::Witness as _;

pub(crate) const EVM: u16 = 0;
pub(crate) const HYPERLIQUID: u16 = 1;
pub(crate) const SOLANA: u16 = 2;

pub(crate) const BOOTED: Now = Now { monotonic_ms: 0, wall_ms: 1_790_000_000_000 };
pub(crate) const NOW: Now = Now { monotonic_ms: 3_600_000, wall_ms: BOOTED.wall_ms + 3_600_000 };

/// A vault with the book and keys of the demo desk, a session of its bot, and one of its host.
pub(crate) struct Desk {
    vault: Box<Vault>,
    bot: Peer,
    host: Peer,
    frame: Box<[u8; SEALED_SIZE_MAX]>,
}

/// Where the bot and the host are.
pub(crate) const BOT: Place = Place { channel: Channel::Bots, index: 0 };
pub(crate) const HOST: Place = Place { channel: Channel::Control, index: 0 };

/// A reply with owned parts.
pub(crate) struct OwnedReply {
    pub(crate) code: u16,
    pub(crate) request_id: u64,
    pub(crate) signature: Vec<u8>,
    pub(crate) receipt: Vec<u8>,
    pub(crate) canonical: Vec<u8>,
}

/// The parts of a status that tests look at.
#[derive(Debug)]
pub(crate) struct OwnedStatus {
    pub(crate) mode: Mode,
    pub(crate) receipts: u64,
    pub(crate) signed: u64,
    pub(crate) refused: u64,
    pub(crate) head: Link,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self::booted(BOOTED)
    }

    pub(crate) fn booted(booted: Now) -> Self {
        Self::with_book(&policies::BOOK, booted)
    }

    /// A vault with another book of the same keys.
    pub(crate) fn with_book(book: &'static Book<'static>, booted: Now) -> Self {
        Self::of(with_patient_host(book), keyring(book), booted)
    }

    /// A desk of another book whose keys are `keyring`.
    pub(crate) fn with(book: &'static Book<'static>, keyring: Keyring) -> Self {
        Self::of(with_patient_host(book), keyring, BOOTED)
    }

    fn of(book: &'static Book<'static>, keyring: Keyring, booted: Now) -> Self {
        let mut vault = Box::new(at_boot(book, keyring, booted).expect("the book's keys"));
        let host = open(&mut vault, book, HOST, "host", booted).expect("a session");
        let bot = open(&mut vault, book, BOT, "bot", booted).expect("a session");
        Self { vault, bot, host, frame: Box::new([0; SEALED_SIZE_MAX]) }
    }

    pub(crate) fn vault(&mut self) -> &mut Vault {
        &mut self.vault
    }

    /// The vault, the bot's session and room for a frame.
    pub(crate) fn parts(&mut self) -> (&mut Vault, &mut Peer, &mut [u8; SEALED_SIZE_MAX]) {
        (&mut self.vault, &mut self.bot, &mut self.frame)
    }

    /// The vault, the host's session and room for a frame.
    pub(crate) fn host_parts(&mut self) -> (&mut Vault, &mut Peer, &mut [u8; SEALED_SIZE_MAX]) {
        (&mut self.vault, &mut self.host, &mut self.frame)
    }

    pub(crate) fn sign(&mut self, slot: u16, kind: PayloadKind, payload: &[u8]) -> OwnedReply {
        self.handle(NOW, &request(slot, kind, payload))
    }

    /// The bot asks.
    pub(crate) fn handle(&mut self, now: Now, body: &[u8]) -> OwnedReply {
        let body = self.ask_bot(now, body);
        let reply = Reply::read(&body).expect("a reply");
        OwnedReply {
            code: reply.code,
            request_id: reply.request_id,
            signature: reply.signature.to_vec(),
            receipt: reply.receipt.to_vec(),
            canonical: reply.canonical.to_vec(),
        }
    }

    /// The body of the reply to a body of the bot.
    pub(crate) fn ask_bot(&mut self, now: Now, body: &[u8]) -> Vec<u8> {
        let Self { vault, bot, frame, .. } = self;
        ask(vault, BOT, bot, frame, now, body).expect("a reply")
    }

    /// The body of the answer to a body of the host.
    pub(crate) fn control(&mut self, body: &[u8]) -> Option<Vec<u8>> {
        let Self { vault, host, frame, .. } = self;
        ask(vault, HOST, host, frame, NOW, body)
    }

    pub(crate) fn command(&mut self, command: Command) -> OwnedStatus {
        let mut body = [0; CONTROL_SIZE_MAX];
        let size = control::write_command(command, &mut body).unwrap();
        let answer = self.control(&body[..size]).expect("a command is answered");
        let status = control::read_status(&answer).unwrap();
        assert_eq!(status.desk, "demo");
        let control::Status { mode, receipts, signed, refused, head, .. } = status;
        OwnedStatus { mode, receipts, signed, refused, head }
    }
}

/// The same book with a host that may be silent for weeks, so that tests may let time pass.
pub(crate) fn with_patient_host(book: &'static Book<'static>) -> &'static Book<'static> {
    let public_key = *throw_away_key("host").public_key().as_bytes();
    let host = Host { public_key, heartbeat_ms: u32::MAX, when_gone: WhenGone::Halted };
    Box::leak(Box::new(Book { host: Some(host), ..*book }))
}

pub(crate) fn at_boot(
    book: &'static Book<'static>,
    keyring: Keyring,
    booted: Now,
) -> Result<Vault, signing::KeyFault> {
    Vault::at_boot(book, keyring, Box::new(DevelopmentAttestor::new()), boot(booted))
}

/// A session of the throw-away key of that name.
pub(crate) fn open(
    vault: &mut Vault,
    book: &Book<'_>,
    at: Place,
    name: &str,
    now: Now,
) -> Result<Peer, Refused> {
    let key = throw_away_key(name);
    let policy_hash = book::policy_hash(book);
    let (channel, wall_ms) = (at.channel, now.wall_ms);
    let seed = [7; 32];
    let caller = Caller { key: &key, channel, certificate: None, policy_hash, wall_ms, seed };
    Peer::open(&caller, |frame, reply| sent(vault.handle(now, at, frame, reply)))
}

/// The size of a reply that is sent.
pub(crate) fn sent(verdict: Verdict) -> Option<usize> {
    match verdict {
        Verdict::Reply(size) | Verdict::Last(size) | Verdict::Held { size, .. } => Some(size),
        Verdict::Later { .. } | Verdict::Close => None,
    }
}

/// The body of the reply to a body, both sealed.
pub(crate) fn ask(
    vault: &mut Vault,
    at: Place,
    peer: &mut Peer,
    frame: &mut [u8; SEALED_SIZE_MAX],
    now: Now,
    body: &[u8],
) -> Option<Vec<u8>> {
    let sealed = peer.seal(body).unwrap();
    let size = sent(vault.handle(now, at, sealed, frame))?;
    let mut reply = vec![0; size];
    let size = peer.open_frame(&frame[..size], &mut reply).unwrap();
    reply.truncate(size);
    Some(reply)
}

pub(crate) fn boot(now: Now) -> Boot {
    Boot { id: [9; 16], seed: [8; 32], now }
}

/// The throw-away keys of the demo desk.
pub(crate) fn keyring(book: &Book<'_>) -> Keyring {
    let mut keyring = Keyring::default();
    for slot in book.slots {
        let mut hash = Sha256::new();
        hash.update(b"portcullis dev key: ");
        hash.update(slot.name);
        keyring
            .insert(slot, Secret::new(Zeroizing::new(hash.finalize().into())))
            .expect("the demo book pins it");
    }
    keyring
}

/// The demo book with the keys of its first two slots exchanged.
pub(crate) fn book_with_swapped_keys() -> &'static Book<'static> {
    let mut slots = policies::BOOK.slots.to_vec();
    let first = slots[0].public_key;
    slots[0].public_key = slots[1].public_key;
    slots[1].public_key = first;
    Box::leak(Box::new(Book { slots: slots.leak(), ..policies::BOOK }))
}

impl OwnedReply {
    pub(crate) fn receipt(&self) -> Receipt<'_> {
        Receipt::read(&self.receipt).expect("a receipt")
    }

    pub(crate) fn refusal(&self) -> Refusal {
        Refusal::from_code(self.code).expect("a refusal").witnessed()
    }

    pub(crate) fn facts(&self) -> Value {
        let mut text = String::new();
        let mut sink = JsonFacts::new(&mut text);
        wire::facts::read(self.receipt().facts, &mut sink).expect("facts");
        sink.finish().unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

/// A request with an id that no other has.
pub(crate) fn request(slot: u16, payload_kind: PayloadKind, payload: &[u8]) -> Vec<u8> {
    static IDS: AtomicU64 = AtomicU64::new(0x0102_0304);
    let request_id = IDS.fetch_add(1, Ordering::Relaxed);
    let request = Request { key_slot: slot, payload_kind, return_canonical: false, request_id, payload };
    [&request.header()[..], payload].concat()
}

/// `transfer` of 25 USDC on Ethereum to the demo desk's treasury.
pub(crate) fn evm_transfer() -> Vec<u8> {
    evm_transfer_of(25_000_000)
}

pub(crate) fn evm_transfer_of(amount: u64) -> Vec<u8> {
    evm_usdc("a9059cbb", "9d8ef98e161a9fb2ab184ec539ad7a3095150d9c", amount)
}

/// `approve` of USDC on Ethereum for a router that the demo desk lists.
pub(crate) fn evm_approve(amount: u64) -> Vec<u8> {
    evm_usdc("095ea7b3", "68b3465833fb72a70ecdf485e0e4c7bd8665fc45", amount)
}

fn evm_usdc(selector: &str, counterparty: &str, amount: u64) -> Vec<u8> {
    let mut data = hex(&[selector, &"0".repeat(24), counterparty].concat());
    data.extend_from_slice(&[0; 24]);
    data.extend_from_slice(&amount.to_be_bytes());
    let mut fields = vec![1, 7]; // chain 1, nonce 7
    fields.extend(hex("843b9aca00")); // priority fee 1 gwei
    fields.extend(hex("8506fc23ac00")); // fee 30 gwei
    fields.extend(hex("830186a0")); // gas 100,000
    fields.extend(hex("94a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"));
    fields.push(0x80); // value 0
    fields.extend_from_slice(&[0xb8, 68]);
    fields.extend(data);
    fields.push(0xc0); // no access list
    let size = u8::try_from(fields.len()).unwrap();
    [&[0x02, 0xf8, size][..], &fields].concat()
}

/// An empty transfer of the demo desk's EVM key to itself, with the nonce of [`evm_transfer`] and a higher fee.
pub(crate) fn evm_cancel() -> Vec<u8> {
    let mut fields = vec![1, 7]; // chain 1, nonce 7
    fields.extend(hex("8477359400")); // priority fee 2 gwei
    fields.extend(hex("850c92a69c00")); // fee 54 gwei
    fields.extend(hex("825208")); // gas 21,000
    fields.extend(hex("944a9a1fb490401a4ae65ceb3d3d345bcfd31220dd"));
    fields.extend([0x80, 0x80, 0xc0]); // no value, no data, no access list
    let size = u8::try_from(fields.len()).unwrap();
    [&[0x02, 0xc0 + size][..], &fields].concat()
}

pub(crate) fn hyperliquid_cancel(nonce: u64, oid: u64) -> Vec<u8> {
    hyperliquid(nonce, &format!(r#"{{"type":"cancel","cancels":[{{"a":0,"o":{oid}}}]}}"#))
}

pub(crate) fn hyperliquid(nonce: u64, action: &str) -> Vec<u8> {
    let envelope = Envelope { network: Network::Mainnet, nonce, vault_address: None, expires_after: None };
    let mut payload = vec![0; ENVELOPE_SIZE_MAX];
    let size = envelope.write(&Claims::default(), &mut payload).unwrap();
    payload.truncate(size);
    payload.extend_from_slice(action.as_bytes());
    payload
}

pub(crate) fn hex(digits: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// One of the demo's committed requests.
pub(crate) struct Example {
    pub(crate) kind: PayloadKind,
    pub(crate) what: String,
    /// The rule that refuses it, if one does.
    pub(crate) refused: Option<Refusal>,
    pub(crate) slot: u16,
    pub(crate) payload: Vec<u8>,
}

/// The demo's committed requests of all five venues, each at a time of its own from [`NOW`] on: its nonce, salt,
/// timestamp and, ten minutes later, deadline. Those that name a lookup table are left out.
pub(crate) fn examples() -> Vec<Example> {
    let committed: Value = serde_json::from_str(include_str!("../../dev/demo/requests.json")).unwrap();
    let committed = committed.as_array().unwrap().iter().zip(NOW.wall_ms..);
    committed
        .filter(|(line, _)| line.get("lookup_tables").is_none())
        .map(|(line, at_ms)| example(line, at_ms))
        .collect()
}

/// The committed request that is described so, as a request for its slot.
pub(crate) fn example_of(what: &str) -> Vec<u8> {
    let example = examples().into_iter().find(|example| example.what == what).expect("a committed request");
    request(example.slot, example.kind, &example.payload)
}

fn example(line: &Value, at_ms: u64) -> Example {
    let text = line["payload"].as_str().unwrap();
    let bytes = || hex(text.strip_prefix("0x").unwrap_or(text));
    let typed_data = || {
        text.replace("{nonce}", &at_ms.to_string())
            .replace("{now_ms}", &at_ms.to_string())
            .replace("{now_s}", &(at_ms / 1_000).to_string())
            .replace("{deadline}", &(at_ms / 1_000 + 600).to_string())
            .into_bytes()
    };
    let (kind, payload) = match line["kind"].as_str().unwrap() {
        "evm_tx" => (PayloadKind::EvmEip1559, bytes()),
        "uniswapx" => (PayloadKind::UniswapxTypedData, typed_data()),
        "polymarket" => (PayloadKind::PolymarketTypedData, typed_data()),
        "l1_json" => (PayloadKind::HyperliquidL1Json, hyperliquid(at_ms, text)),
        "solana_message" => {
            let message = bytes();
            let size = u16::try_from(message.len()).unwrap();
            (PayloadKind::SolanaMessage, [&size.to_le_bytes(), &message[..]].concat())
        }
        other => panic!("unknown kind {other}"),
    };
    let refused = line["refused"]
        .as_str()
        .map(|name| *Refusal::ALL.iter().find(|refusal| refusal.name() == name).expect("a rule"));
    let what = line["what"].as_str().unwrap().to_owned();
    Example { kind, what, refused, slot: u16::try_from(line["slot"].as_u64().unwrap()).unwrap(), payload }
}
