//! The Solana venue against lines that the venues' own libraries made, and against a table of bypasses.

mod draft;
mod encoding;
mod judgement;
mod lines;
mod refusals;
mod vectors;
