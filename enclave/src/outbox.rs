//! The records that the host can still ask for: the latest ones, in a fixed piece of memory.

use std::collections::VecDeque;

/// Most records that are kept.
pub(crate) const RECORDS_MAX: usize = 4_096;

/// Bytes that are kept.
pub(crate) const BYTES_MAX: usize = 4 * 1024 * 1024;

/// The latest records of the chain. The oldest give way.
#[derive(Debug)]
pub(crate) struct Outbox {
    bytes: Box<[u8]>,
    /// Where each record stands, the oldest first.
    places: VecDeque<Place>,
    /// The sequence of the first of `places`.
    first: u64,
    /// Where the next record begins.
    end: usize,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    start: usize,
    size: usize,
}

impl Outbox {
    /// An empty one. All memory is taken here.
    #[must_use]
    pub(crate) fn at_boot() -> Self {
        Self::with_room(BYTES_MAX, RECORDS_MAX)
    }

    fn with_room(bytes: usize, records: usize) -> Self {
        Self {
            bytes: vec![0; bytes].into_boxed_slice(),
            places: VecDeque::with_capacity(records),
            first: 0,
            end: 0,
        }
    }

    /// The sequence of the record that is to be kept next.
    pub(crate) fn next(&self) -> u64 {
        self.first.saturating_add(self.places.len() as u64)
    }

    /// Keeps the next record. One that is larger than all the room is not kept, nor are those before it.
    pub(crate) fn push(&mut self, record: &[u8]) {
        let size = record.len();
        let start = if self.end + size <= self.bytes.len() { self.end } else { 0 };
        if size > self.bytes.len() {
            self.first = self.next().saturating_add(1);
            self.places.clear();
            return;
        }
        // Records lie in order around the room, so those in the way are the oldest: first what lies behind the end
        // when the room was left there, then what the new one covers.
        while let Some(oldest) = self.places.front() {
            let is_behind_end = start < self.end && oldest.start >= self.end;
            let is_covered = oldest.start < start + size && start < oldest.start + oldest.size;
            if !(is_behind_end || is_covered || self.places.len() == self.places.capacity()) {
                break;
            }
            self.places.pop_front();
            self.first = self.first.saturating_add(1);
        }
        if let Some(room) = self.bytes.get_mut(start..start + size) {
            room.copy_from_slice(record);
        }
        self.places.push_back(Place { start, size });
        self.end = start + size;
    }

    /// Packs records from sequence `next` on, each behind its size (`u16`, little-endian), as many as fit. Gives the
    /// sequence of the first and the bytes used. Where `next` is no longer kept it begins with the oldest that is.
    pub(crate) fn pack(&self, next: u64, into: &mut [u8]) -> (u64, usize) {
        let first = next.max(self.first);
        let skipped = usize::try_from(first.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let mut used = 0;
        for place in self.places.iter().skip(skipped) {
            let record = self.bytes.get(place.start..place.start + place.size).unwrap_or_default();
            let Ok(size) = u16::try_from(record.len()) else { break };
            let Some(room) = into.get_mut(used..used + 2 + record.len()) else { break };
            let (prefix, body) = room.split_at_mut(2);
            prefix.copy_from_slice(&size.to_le_bytes());
            body.copy_from_slice(record);
            used += 2 + record.len();
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
        let packed = wire::control::Records { boot_id: [0; 16], first, head: None, packed: &bytes[..used] };
        (first, packed.iter().map(<[u8]>::to_vec).collect())
    }

    #[test]
    fn whatever_the_sizes_it_holds_the_latest_records_whole_and_in_order() {
        for (bytes, records) in [(100, 8), (64, 3), (1_000, 5)] {
            let mut outbox = Outbox::with_room(bytes, records);
            let size = |sequence: u64| usize::try_from(sequence * 7 % 31).unwrap() + 1;
            for sequence in 0..500 {
                outbox.push(&record(sequence, size(sequence)));
                let (first, kept) = unpack(&outbox, 0, 10_000);
                assert!(!kept.is_empty() && kept.len() <= outbox.places.capacity());
                assert_eq!(first + kept.len() as u64, sequence + 1);
                for (at, kept) in (first..).zip(&kept) {
                    assert_eq!(kept, &record(at, size(at)), "{at} of {sequence}");
                }
            }
        }
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
}
