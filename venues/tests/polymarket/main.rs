//! The Polymarket venue from outside: what the vectors say, what the decoder refuses, what the rules refuse.
#![cfg(test)]

mod draft;
mod grammar;
mod judgement;
mod lines;
mod refusals;
mod vectors;
#[path = "../../../tests/witness.rs"]
mod witness;
