//! What is said between a client, an operator and a vault whose keys, clock and boot id are known.

use enclave::Boot;
use enclave_dev::examples::{Example, examples};
use enclave_dev::in_process::InProcess;
use enclave_dev::keys::KeyFolder;
use wire::control::{self, Command};
use wire::receipt::{self, ChainReader};
use wire::reply::Reply;
use wire::request::{PayloadKind, Request};
use wire::{CONTROL_SIZE_MAX, Now, Refusal};

const BOOT_ID: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
const BOOTED: Now = Now { monotonic_ms: 0, wall_ms: 1_790_000_000_000 };
const NOW: Now = Now { monotonic_ms: 1_000, wall_ms: BOOTED.wall_ms + 1_000 };

const STACK_SIZE: usize = 64 << 20;

const SIGNED: &str = "ERC-20 transfer of 25 USDC on Ethereum";
const REFUSED: &str = "unlimited approval for a stranger";
const HYPERLIQUID: &str = "buy 0.01 BTC at 60,000, post only";

/// Every frame, prefix included, in the order in which they go over the sockets.
pub(crate) struct Exchange {
    request: Vec<u8>,
    reply: Vec<u8>,
    refused_request: Vec<u8>,
    refused_reply: Vec<u8>,
    hyperliquid_request: Vec<u8>,
    command: Vec<u8>,
    status: Vec<u8>,
    genesis: [u8; 32],
    links: Vec<[u8; 32]>,
}

impl Exchange {
    /// On a thread of its own: a vault is moved around while it is made, and takes more stack than a test has.
    pub(crate) fn run() -> Self {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(Self::run_here).unwrap();
        thread.join().expect("the exchange")
    }

    fn run_here() -> Self {
        let book =
            compile::compile("demo.toml", include_str!("../../../../policies/book/demo.toml")).unwrap();
        let keyring = KeyFolder::new("no-key-files").keyring(book).unwrap();
        let boot = Boot { id: BOOT_ID, seed: [0; 32], now: BOOTED };
        let mut vault = InProcess::at_boot(book, keyring, boot, "bot").unwrap();
        let (request, reply) = ask(&mut vault, SIGNED, 42);
        let (refused_request, refused_reply) = ask(&mut vault, REFUSED, 43);
        let (command, status) = command(&mut vault, Command::Status);
        let (hyperliquid_request, hyperliquid_reply) = ask(&mut vault, HYPERLIQUID, 44);
        let mut chain = ChainReader::default();
        let mut links = Vec::new();
        for reply in [&reply, &refused_reply, &hyperliquid_reply] {
            let reply = Reply::read(&reply[4..]).unwrap();
            chain.follow(reply.receipt).unwrap();
            links.push(receipt::link(reply.receipt));
        }
        let genesis = receipt::genesis(&BOOT_ID, &book::policy_hash(book));
        Self {
            request,
            reply,
            refused_request,
            refused_reply,
            hyperliquid_request,
            command,
            status,
            genesis,
            links,
        }
    }

    /// The examples, each under the label that its block has in the document.
    pub(crate) fn examples(&self) -> Vec<(&'static str, Vec<u8>)> {
        vec![
            ("request evm", self.request.clone()),
            ("reply evm", self.reply.clone()),
            ("request refused", self.refused_request.clone()),
            ("reply refused", self.refused_reply.clone()),
            ("request hyperliquid", self.hyperliquid_request.clone()),
            ("control status", self.command.clone()),
            ("control reply", self.status.clone()),
            ("genesis", self.genesis.to_vec()),
            ("link of record 0", self.links[0].to_vec()),
            ("link of record 1", self.links[1].to_vec()),
        ]
    }
}

/// Puts a committed request to the vault; the frames of both. What becomes of it is what was committed.
fn ask(vault: &mut InProcess, what: &str, request_id: u64) -> (Vec<u8>, Vec<u8>) {
    let example = example(what);
    let payload = example.payload(NOW.wall_ms);
    let return_canonical = example.kind == PayloadKind::HyperliquidL1Json;
    let request = Request {
        key_slot: example.slot,
        payload_kind: example.kind,
        return_canonical,
        request_id,
        payload: &payload,
    };
    let body = [&request.header()[..], &payload].concat();
    let reply = vault.ask(NOW, &body).unwrap();
    let code = Reply::read(reply).unwrap().code;
    assert_eq!(code, example.refused.map_or(0, Refusal::code), "{what}");
    (framed(&body), framed(reply))
}

fn example(what: &str) -> Example {
    examples().unwrap().into_iter().find(|example| example.what == what).unwrap()
}

fn command(vault: &mut InProcess, command: Command) -> (Vec<u8>, Vec<u8>) {
    let mut question = [0; CONTROL_SIZE_MAX];
    let size = control::write_command(command, &mut question).unwrap();
    (framed(&question[..size]), framed(vault.command(NOW, command).unwrap()))
}

fn framed(body: &[u8]) -> Vec<u8> {
    [&wire::frame::prefix(body.len()).unwrap()[..], body].concat()
}
