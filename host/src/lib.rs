//! The host daemon: relay, receipts store, kill switch.
//!
//! ```text
//! bots  ── unix socket ──>  relay   ── one connection each ──>  vault (requests)
//!                             │ each receipt is on disk before its reply goes on
//!                           receipts/
//! operator ── admin ─────>  control ── a connection of its own ─>  vault (control)
//! ```
//!
//! Trusted for: availability, keeping receipts, pulling the switch. It holds no key and no policy, and links no
//! crate that does. It passes requests on as they are, and nothing else.

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
