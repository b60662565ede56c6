//! What clients handed in of one boot, to fill the places that the ledger has empty.
//!
//! ```text
//! ledger      … 41   –    –   44 …        44 names its predecessor: 43 is it, and 43 names 42
//! handed in        42   43
//! ledger      … 44 │                      nobody names what comes behind the last: what names 44 follows
//! handed in        │ 45
//! ```
//! Inside a chain the record behind decides, so nobody can put another record into a gap.

use std::collections::BTreeMap;

use wire::receipt::{Link, Receipt, genesis, link};

/// Records of one boot that have no place yet.
#[derive(Debug, Default)]
pub(super) struct Spare(BTreeMap<u64, Vec<Vec<u8>>>);

impl Spare {
    pub(super) fn new(records: Vec<Vec<u8>>) -> Self {
        let mut spare = Self::default();
        for record in records {
            if let Ok(receipt) = Receipt::read(&record) {
                spare.0.entry(receipt.sequence).or_default().push(record);
            }
        }
        spare
    }

    /// The ledger has a record of this sequence and link.
    pub(super) fn forget(&mut self, sequence: u64, own: &Link) {
        self.remove(sequence, |record| link(record) == *own);
    }

    /// Takes those that lead to the record that names `previous` at `sequence`, down to `first` at most; oldest first.
    pub(super) fn lead_to(&mut self, first: u64, sequence: u64, previous: Link) -> Vec<Vec<u8>> {
        let (mut found, mut wanted) = (Vec::new(), previous);
        for sequence in (first..sequence).rev() {
            let Some(record) = self.remove(sequence, |record| link(record) == wanted) else { break };
            if let Ok(receipt) = Receipt::read(&record) {
                wanted = receipt.previous;
            }
            found.push(record);
        }
        found.reverse();
        found
    }

    /// Takes one that follows the record before `sequence`, whose link is `before` (`None`: it is the boot's first). One of
    /// those in `held` is preferred.
    pub(super) fn follow(&mut self, sequence: u64, before: Option<Link>, held: &[Link]) -> Option<Vec<u8>> {
        let follows = |record: &[u8]| {
            Receipt::read(record).is_ok_and(|receipt| {
                receipt.previous == before.unwrap_or_else(|| genesis(&receipt.boot_id, &receipt.policy_hash))
            })
        };
        self.remove(sequence, |record| follows(record) && held.contains(&link(record)))
            .or_else(|| self.remove(sequence, follows))
    }

    /// How many have no place.
    pub(super) fn left(&self) -> u64 {
        self.0.values().map(|records| records.len() as u64).sum()
    }

    fn remove(&mut self, sequence: u64, is_it: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
        let records = self.0.get_mut(&sequence)?;
        let at = records.iter().position(|record| is_it(record))?;
        let record = records.swap_remove(at);
        if records.is_empty() {
            self.0.remove(&sequence);
        }
        Some(record)
    }
}
