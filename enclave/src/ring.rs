//! Byte strings in a fixed piece of memory, each with a word about it; the oldest give way.

use std::collections::VecDeque;

/// The latest of what was pushed.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    bytes: Box<[u8]>,
    /// The oldest first.
    entries: VecDeque<Entry<T>>,
    /// Where the next one begins.
    end: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry<T> {
    start: usize,
    size: usize,
    about: T,
}

impl<T: Copy> Ring<T> {
    /// Room for so many bytes and entries. All memory is taken here.
    pub(crate) fn with_room(bytes: usize, entries: usize) -> Self {
        Self {
            bytes: vec![0; bytes].into_boxed_slice(),
            entries: VecDeque::with_capacity(entries.max(1)),
            end: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Keeps `parts` as one string, and gives how many gave way to it; `None`, and nothing gave way, when it is larger
    /// than all the room.
    pub(crate) fn push(&mut self, about: T, parts: &[&[u8]]) -> Option<usize> {
        let size = parts.iter().map(|part| part.len()).sum::<usize>();
        if size > self.bytes.len() {
            return None;
        }
        let start = if self.end + size <= self.bytes.len() { self.end } else { 0 };
        let mut gone = 0;
        // They lie in order around the room, so those in the way are the oldest: first what lies behind the end when
        // the room was left there, then what the new one covers.
        while let Some(oldest) = self.entries.front() {
            let is_behind_end = start < self.end && oldest.start >= self.end;
            let is_covered = oldest.start < start + size && start < oldest.start + oldest.size;
            if !(is_behind_end || is_covered || self.entries.len() == self.entries.capacity()) {
                break;
            }
            self.entries.pop_front();
            gone += 1;
        }
        let mut at = start;
        for part in parts {
            if let Some(room) = self.bytes.get_mut(at..at + part.len()) {
                room.copy_from_slice(part);
            }
            at += part.len();
        }
        self.entries.push_back(Entry { start, size, about });
        self.end = start + size;
        Some(gone)
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.end = 0;
    }

    /// The word about each, the oldest first, without its bytes.
    pub(crate) fn abouts(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.entries.iter().map(|entry| &entry.about)
    }

    /// From the one at `skipped` on, the oldest first.
    pub(crate) fn iter_from(&self, skipped: usize) -> impl Iterator<Item = (&T, &[u8])> {
        let bytes =
            |entry: &Entry<T>| self.bytes.get(entry.start..entry.start + entry.size).unwrap_or_default();
        self.entries.iter().skip(skipped).map(move |entry| (&entry.about, bytes(entry)))
    }

    /// The sizes from the one at `skipped` on.
    pub(crate) fn sizes_from(&self, skipped: usize) -> impl Iterator<Item = usize> {
        self.entries.iter().skip(skipped).map(|entry| entry.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_sizes_it_holds_the_latest_whole_and_in_order() {
        for (bytes, entries) in [(100, 8), (64, 3), (1_000, 5)] {
            let mut ring = Ring::with_room(bytes, entries);
            let size = |number: usize| number * 7 % 31 + 1;
            let mut first = 0;
            for number in 0..500 {
                let half = size(number) / 2;
                let whole = vec![number.to_le_bytes()[0]; size(number)];
                first += ring.push(number, &[&whole[..half], &whole[half..]]).unwrap();
                assert!(ring.len() > 0 && first + ring.len() == number + 1);
                for (expected, (number, bytes)) in (first..).zip(ring.iter_from(0)) {
                    assert_eq!(*number, expected);
                    assert_eq!(bytes, vec![expected.to_le_bytes()[0]; size(expected)]);
                }
            }
        }
    }

    #[test]
    fn what_is_larger_than_the_room_is_not_kept_and_nothing_gives_way() {
        let mut ring = Ring::with_room(100, 16);
        ring.push(1, &[&[1; 60]]).unwrap();
        assert_eq!(ring.push(2, &[&[2; 60], &[2; 60]]), None);
        assert!(ring.iter_from(0).eq([(&1, &[1_u8; 60][..])]));
        ring.clear();
        assert_eq!(ring.len(), 0);
        assert_eq!(ring.push(3, &[&[3; 100]]), Some(0));
    }
}
