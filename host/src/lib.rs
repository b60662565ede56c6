//! The host daemon: relay, receipts store, kill switch.
//!
//! ```text
//! bots  ── unix socket ──>  relay   ── one connection each, sealed ──>  vault (requests)
//! operator ── admin ─────>  admin   ── a session of the host's key ──>  vault (control)
//!                           taker   ── another one: records, heartbeat ─>  vault (control)
//!                             └─> receipts/
//! ```
//! Trusted for: availability, keeping receipts, pulling the switch. It holds no venue's key and no policy, and links no
//! crate that does; its own key (`[host]` in the book) can make the vault stricter, and nothing else. It cannot read what it
//! relays; the records, which it keeps, tell it of every decision.

#![forbid(unsafe_code)]

pub mod access;
mod admin;
pub mod control;
pub mod daemon;
mod door;
pub mod log;
pub mod receipts;
mod relay;
mod taker;
pub mod vault;
