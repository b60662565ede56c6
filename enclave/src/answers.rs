//! What a client was answered: the same request again gets the same reply, and is not judged again.
//!
//! A client that lost its connection does not know whether its request was signed. It sends the same bytes again, over
//! any connection of this boot. An id that comes back with other bytes is refused: one of the two is a mistake.
//! The latest answers are kept ([`ANSWERS_MAX`], [`BYTES_MAX`]); an older one is judged anew, and venue nonces hold.

use venues::Effect;

use crate::ring::Ring;

/// Most answers kept for a client.
pub(crate) const ANSWERS_MAX: usize = 256;

/// Bytes kept for a client: requests and replies.
pub(crate) const BYTES_MAX: usize = 256 * 1024;

/// The latest answers to a client.
#[derive(Debug)]
pub(crate) struct Answers(Ring<About>);

/// What is known of an answer beside its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct About {
    pub(crate) request_id: u64,
    request_size: usize,
    /// What the payload does; a mode that would not let it through keeps the answer back too.
    pub(crate) effect: Effect,
    /// The sequence of its record.
    pub(crate) sequence: u64,
    pub(crate) is_signed: bool,
}

/// What is known of a request that came in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Known<'a> {
    /// Nothing.
    No,
    /// The same bytes were answered so.
    Same(About, &'a [u8]),
    /// Other bytes had this id.
    Conflict,
}

impl Answers {
    /// Takes all the memory.
    pub(crate) fn new() -> Self {
        Self(Ring::with_room(BYTES_MAX, ANSWERS_MAX))
    }

    /// What is known of a request.
    pub(crate) fn find(&self, request_id: u64, request: &[u8]) -> Known<'_> {
        let Some(from_end) = self.0.abouts().rev().position(|about| about.request_id == request_id) else {
            return Known::No;
        };
        let Some((about, bytes)) = self.0.iter_from(self.0.len() - 1 - from_end).next() else {
            return Known::No;
        };
        match bytes.split_at_checked(about.request_size) {
            Some((before, reply)) if before == request => Known::Same(*about, reply),
            _ => Known::Conflict,
        }
    }

    /// Keeps an answer.
    pub(crate) fn keep(&mut self, about: About, request: &[u8], reply: &[u8]) {
        self.0.push(About { request_size: request.len(), ..about }, &[request, reply]);
    }
}

impl About {
    pub(crate) const fn new(request_id: u64, effect: Effect, sequence: u64, is_signed: bool) -> Self {
        Self { request_id, request_size: 0, effect, sequence, is_signed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(request_id: u64) -> About {
        About::new(request_id, Effect::Opens, request_id, true)
    }

    #[test]
    fn the_same_bytes_have_the_same_answer_and_other_bytes_with_the_id_conflict() {
        let mut answers = Answers::new();
        assert_eq!(answers.find(1, b"ask"), Known::No);
        answers.keep(about(1), b"ask", b"reply");
        answers.keep(about(2), b"ask more", b"");
        assert!(matches!(answers.find(1, b"ask"), Known::Same(found, b"reply") if found.sequence == 1));
        assert!(matches!(answers.find(2, b"ask more"), Known::Same(_, b"")));
        for other in [&b"as"[..], b"askr", b"askreply", b"", b"bsk"] {
            assert_eq!(answers.find(1, other), Known::Conflict);
        }
        assert_eq!(answers.find(3, b"ask"), Known::No);
    }

    #[test]
    fn the_latest_256_are_known() {
        let mut answers = Answers::new();
        (0..300).for_each(|id| answers.keep(about(id), b"ask", &[7; 100]));
        let known = (0..300).filter(|id| answers.find(*id, b"ask") != Known::No).collect::<Vec<_>>();
        assert!(known.len() >= ANSWERS_MAX && known.last() == Some(&299));
    }
}
