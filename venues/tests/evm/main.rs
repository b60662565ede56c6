//! The EVM venue from outside: what the vectors say, what the decoder refuses, what the rules refuse.
#![cfg(test)]

mod book;
mod decoder;
mod draft;
mod facts;
mod mutations;
mod rules;
mod vectors;
