//! The EVM venue from outside: what the vectors say, what the decoder refuses, what the rules refuse.
#![cfg(test)]

#[macro_use]
mod rules;
mod batches;
mod book;
mod calls;
mod coin;
mod decoder;
mod draft;
mod exposure;
mod facts;
mod mutations;
mod vectors;
#[path = "../../../tests/witness.rs"]
mod witness;
