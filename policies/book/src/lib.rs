//! placeholder until the book engineer's branch lands
#![no_std]
#![forbid(unsafe_code)]
use venues::book_value::{book_enum, book_struct};
book_enum! { /// boot mode
 pub enum BootMode { /// live
 Live = 1, } }
book_struct! { /// book
 pub struct Book<'b> { /// v
 pub version: u32, /// d
 pub desk: &'b str, /// m
 pub boot_mode: BootMode, /// s
 pub slots: &'b [Slot<'b>], } }
book_struct! { /// slot
 pub struct Slot<'b> { /// s
 pub slot: u16, /// n
 pub name: &'b str, /// k
 pub public_key: venues::PublicKey, /// g
 pub grants: venues::Grants<'b>, } }
impl<'b> Book<'b> { /// slot
 pub fn slot(&self, slot: u16) -> Option<&'b Slot<'b>> { self.slots.iter().find(|s| s.slot == slot) } }
/// hash
pub fn policy_hash(_book: &Book<'_>) -> [u8; 32] { [0; 32] }
