//! Bytes and their types: what crosses a socket between a bot, the host and the vault.
//!
//! Guarantees: no `std`, no allocation, no I/O; every buffer has a named maximum; parsing never panics and
//! refuses a length before anything is read or reserved for it.
//! Refuses: unknown versions, kinds and flags, and any byte beyond what a message declares.
//!
//! The byte layouts are drawn in the modules: [`frame`], [`request`], [`reply`], [`receipt`], [`control`],
//! [`session`].

#![no_std]
#![forbid(unsafe_code)]

pub mod codec;
mod codes;
pub mod control;
pub mod facts;
pub mod facts_json;
pub mod frame;
pub mod hand_in;
pub mod head;
mod mode;
pub mod operator;
pub mod receipt;
pub mod refusal;
pub mod reply;
pub mod request;
pub mod session;
mod shown;
mod time;
mod venue;

pub use mode::{Mode, Scope};
pub use refusal::{Family, Refusal, Why};
pub use shown::Shown;
pub use time::Now;
pub use venue::Venue;

/// The protocol version in the first byte of every frame body.
pub const PROTOCOL_VERSION: u8 = 1;

/// Largest request body in bytes, header included. The largest payload known of the five venues is below
/// 4 KiB; EVM data beyond this cap is refused by name.
pub const REQUEST_SIZE_MAX: usize = 16 * 1024;

/// Largest control body in bytes; leaves room for an attestation document.
pub const CONTROL_SIZE_MAX: usize = 20 * 1024;

/// Largest reply body in bytes: header, signature, sealed receipt and returned canonical bytes.
pub const REPLY_SIZE_MAX: usize = 30 * 1024;

/// Largest facts section of a receipt in bytes. A batch of which more was decoded is refused: nothing is signed
/// that its receipt does not tell whole.
pub const FACTS_SIZE_MAX: usize = 12 * 1024;

/// Largest encoded receipt in bytes.
pub const RECEIPT_SIZE_MAX: usize = FACTS_SIZE_MAX + 512;

const _: () = assert!(reply::HEADER_SIZE + 65 + RECEIPT_SIZE_MAX + REQUEST_SIZE_MAX <= REPLY_SIZE_MAX);
// AWS Nitro's vsock has hung on larger single writes (research: serve loop); all our frames are one write.
const _: () = assert!(REPLY_SIZE_MAX + frame::PREFIX_SIZE < 32 * 1024);
