//! Typed data of every family: the digest is alloy's, in every spelling; what is no such document is refused.
#![cfg(test)]

mod digests;
mod document;
mod families;
mod mutations;
