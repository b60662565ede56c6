//! Client for trading bots: hand payload bytes to a vault, get the signature that the venue takes, or a reason.
//!
//! ```no_run
//! use client_sdk::{Address, Client, Config, DevelopmentRoot, PayloadKind, Pin, SignError, policy_hash, read_key};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let address: Address = "unix:/run/portcullis/bots.sock".parse()?;
//! // The book that the vault must have, by its hash (`portcullis policy hash book.toml`), and who vouches for it. The
//! // development root vouches for everybody: it proves nothing.
//! let book = policy_hash("0x0dee323eef7fcbb2b00657710af911944c1b227a9901427d662642821c62bf3f").ok_or("64 digits")?;
//! let config = Config::new(read_key("/etc/bot/bot.key")?, Pin::new(book, 60_000), DevelopmentRoot);
//! let mut client = Client::connect(address, config)?;
//! # let unsigned_transaction = vec![0x02];
//! match client.sign(0, PayloadKind::EvmEip1559, &unsigned_transaction) {
//!     Ok(signed) => println!("signed: {:?}", signed.facts_json()),
//!     // The policy said no: the rule, the value it saw and the limit.
//!     Err(SignError::Refused(refused)) => eprintln!("{refused}"),
//!     // The vault may have signed it: the table below says what is safe.
//!     Err(error) if error.is_outcome_unknown() => match client.ask_again() {
//!         Some(answer) => println!("its answer: {answer:?}"),
//!         None => eprintln!("{error}: ask the venue"),
//!     },
//!     Err(error) => return Err(error.into()),
//! }
//! // The loop that trades is what must be alive: no thread of this crate says so for it.
//! let mode = client.heartbeat()?;
//! # let _ = mode;
//! # Ok(())
//! # }
//! ```
//!
//! Guarantees: nothing is sent to a vault that has not proved, by the configured root and for this very connection, that it
//! has the pinned book. Requests and replies travel sealed; a frame that somebody between changed, repeated, reordered or
//! made up is an error and never an answer. A request is sent again by itself only with the same number and bytes, and only
//! to the boot that may have answered it, or where no vault can have read it. A signature is handed out only together with
//! a receipt that speaks of the same request, key, payload kind, client, boot and book, that comes after the one before, and
//! has the digest that the payload has when it is decoded here. Every wait has an end.
//!
//! # When the outcome is unknown
//!
//! [`SignError::is_outcome_unknown`]: the request was sent and there is no answer that can be trusted. As long as the vault
//! has not booted anew, [`Client::ask_again`] gets the answer. After another boot ([`Lost::BootChanged`]) the vault has
//! forgotten it, and whoever saw the signature may have used it. What to do then:
//!
//! | venue | what is safe |
//! | --- | --- |
//! | EVM | Ask for a transaction with the **same nonce** again, the same one or a replacement: a chain includes one of them. Never the same trade with the next nonce before one is in. |
//! | UniswapX | Ask for an order with the **same Permit2 nonce**: Permit2 takes it once. With another nonce only after the deadline of the first, or once its nonce is invalidated on chain. |
//! | Polymarket | Ask for the order with the **same salt** and fields: the exchange fills one hash once. Another salt is a second order: first see that the venue does not have the first one, or cancel it. |
//! | Hyperliquid | The exchange takes a nonce once, within its window of days, and a vault that boots anew refuses nonces below its start. Ask `orderStatus` by cloid (give every order one) before a fresh nonce goes out: it is a **second order**. Or set `expires_after` and let it pass. |
//! | Solana | Ask for the **same message**: it is processed once. With another blockhash only after the first one's has expired without the transaction. |
//! | Drift Swift | The same text; a new uuid is a second order until the slot of the first is too old. |

#![forbid(unsafe_code)]

pub mod build;
mod client;
mod config;
mod error;
mod records;
mod retry;
mod signed;

pub use client::Client;
pub use config::{Config, policy_hash, read_key};
pub use error::{Lost, Refused, SignError, Violation};
pub use records::{HandInFault, HandedIn};
pub use session::attestation::{DevelopmentRoot, Distrust, Pin, Root};
pub use session::{Fault, PublicKey, SessionKey};
pub use session_nitro::{Image, Measurements, MeasurementsFault, NitroRoot};
pub use signed::{Signature, Signed};
pub use transport::key_file::KeyFileFault;
pub use transport::{Address, AddressFault, SessionError};
pub use wire::request::PayloadKind;
pub use wire::session::{Denial, Welcome};
pub use wire::{Family, Mode, Refusal, Shown};

/// The README's example compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
