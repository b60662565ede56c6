//! The records that the host can still ask for, and those that it has on disk.

use wire::receipt;

use crate::ring::Ring;

/// Most records that are kept.
pub(crate) const RECORDS_MAX: usize = 4_096;

/// Bytes that are kept.
pub(crate) const BYTES_MAX: usize = 4 * 1024 * 1024;

/// While so many bytes wait for the host nothing is signed where signatures are to be acknowledged: the rest is room for
/// the records of events.
const UNACKNOWLEDGED_BYTES_MAX: usize = BYTES_MAX - 64 * 1024;

/// The latest records of the chain. The oldest give way.
#[derive(Debug)]
pub(crate) struct Outbox {
    records: Ring<()>,
    /// The sequence of the first that is kept.
    first: u64,
    /// All below this sequence are acknowledged.
    acknowledged: u64,
    /// Bytes of those from there on, as far as they are kept.
    waiting_bytes: usize,
}

impl Outbox {
    /// An empty one. All memory is taken here.
    #[must_use]
    pub(crate) fn at_boot() -> Self {
        Self::with_room(BYTES_MAX, RECORDS_MAX)
    }

    fn with_room(bytes: usize, records: usize) -> Self {
        Self { records: Ring::with_room(bytes, records), first: 0, acknowledged: 0, waiting_bytes: 0 }
    }

    /// The sequence of the record that is to be kept next.
    pub(crate) fn next(&self) -> u64 {
        self.first.saturating_add(self.records.len() as u64)
    }

    /// All below this sequence are acknowledged.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    /// How many records wait to be acknowledged.
    pub(crate) fn waiting(&self) -> u64 {
        self.next().saturating_sub(self.acknowledged)
    }

    /// Whether another record could push one out that waits, beyond `waiting_max`.
    pub(crate) fn is_spent(&self, waiting_max: u16) -> bool {
        self.waiting() >= waiting_max.into() || self.waiting_bytes >= UNACKNOWLEDGED_BYTES_MAX
    }

    /// Keeps the next record. One that is larger than all the room is not kept, nor are those before it.
    pub(crate) fn push(&mut self, record: &[u8]) {
        if let Some(gone) = self.records.push((), &[record]) {
            self.first = self.first.saturating_add(gone as u64);
            self.waiting_bytes += record.len();
        } else {
            self.first = self.next().saturating_add(1);
            self.records.clear();
            self.waiting_bytes = 0;
        }
    }

    /// The host has all records below `next` on disk. It can neither take that back nor have what was not sealed yet.
    pub(crate) fn acknowledge(&mut self, next: u64) {
        let next = next.min(self.next());
        if next <= self.acknowledged {
            return;
        }
        let skipped =
            |sequence: u64| usize::try_from(sequence.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let (from, to) = (skipped(self.acknowledged), skipped(next));
        let bytes: usize = self.records.sizes_from(from).take(to.saturating_sub(from)).sum();
        self.waiting_bytes = self.waiting_bytes.saturating_sub(bytes);
        self.acknowledged = next;
    }

    /// Packs records from sequence `next` on, each behind its size (`u16`, little-endian), as many as fit. Gives the
    /// sequence of the first and the bytes used. Where `next` is no longer kept it begins with the oldest that is.
    pub(crate) fn pack(&self, next: u64, into: &mut [u8]) -> (u64, usize) {
        let first = next.max(self.first);
        let skipped = usize::try_from(first.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let mut used = 0;
        for ((), record) in self.records.iter_from(skipped) {
            let Some(size) = into.get_mut(used..).and_then(|room| receipt::pack(record, room)) else { break };
            used += size;
        }
        (first, used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(sequence: u64, size: usize) -> Vec<u8> {
        let byte = sequence.to_le_bytes()[0];
        vec![byte; size]
    }

    fn unpack(outbox: &Outbox, next: u64, room: usize) -> (u64, Vec<Vec<u8>>) {
        let mut bytes = vec![0; room];
        let (first, used) = outbox.pack(next, &mut bytes);
        (first, receipt::unpack(&bytes[..used]).map(<[u8]>::to_vec).collect())
    }

    #[test]
    fn what_is_asked_for_comes_and_no_more_than_fits() {
        let mut outbox = Outbox::with_room(1_000, 16);
        (0..10).for_each(|sequence| outbox.push(&record(sequence, 10)));
        let (first, kept) = unpack(&outbox, 7, 1_000);
        assert_eq!((first, kept.len()), (7, 3));
        let (first, kept) = unpack(&outbox, 2, 30);
        assert_eq!((first, kept.len()), (2, 2));
        assert_eq!(unpack(&outbox, 10, 1_000), (10, vec![]));
        assert_eq!(unpack(&outbox, u64::MAX, 1_000), (u64::MAX, vec![]));
    }

    #[test]
    fn a_record_larger_than_the_room_is_not_kept_and_the_count_goes_on() {
        let mut outbox = Outbox::with_room(100, 16);
        outbox.push(&record(0, 10));
        outbox.push(&record(1, 101));
        outbox.push(&record(2, 10));
        assert_eq!(unpack(&outbox, 0, 1_000), (2, vec![record(2, 10)]));
    }

    #[test]
    fn records_wait_until_they_are_acknowledged_and_no_word_of_the_host_is_taken_back() {
        let mut outbox = Outbox::with_room(1_000, 64);
        assert!(!outbox.is_spent(3));
        for sequence in 0..3 {
            assert_eq!(outbox.waiting(), sequence);
            outbox.push(&record(sequence, 10));
        }
        assert!(outbox.is_spent(3) && !outbox.is_spent(4));
        outbox.acknowledge(2);
        assert_eq!((outbox.acknowledged(), outbox.waiting(), outbox.waiting_bytes), (2, 1, 10));
        outbox.acknowledge(1);
        assert_eq!(outbox.acknowledged(), 2);
        outbox.acknowledge(u64::MAX);
        assert_eq!((outbox.acknowledged(), outbox.waiting(), outbox.waiting_bytes), (3, 0, 0));
        outbox.push(&record(3, 10));
        assert_eq!((outbox.waiting(), outbox.waiting_bytes), (1, 10));
    }
}
